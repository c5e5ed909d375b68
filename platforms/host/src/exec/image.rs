//! Loads Linux's shared objects where the system's loader does not.

use std::ffi::{CStr, c_void};

use super::elf::{DYNAMIC_SYMBOLS, Reader, Relocation, Segment, Symbol};
use super::imports;
use crate::system::{PAGE, memory};

/// A loaded object. Each is a copy of its own, even of the same bytes.
pub(super) struct Image {
    base: usize,
    len: usize,
    /// The symbols that others may use, and their distance from the base.
    symbols: Vec<(Vec<u8>, usize)>,
}

/// What the loader reads of an object.
struct Contents<'a> {
    segments: Vec<Segment>,
    symbols: Vec<Symbol<'a>>,
    relocations: Vec<Relocation>,
    /// Bytes that the object takes in memory, whole pages.
    len: usize,
}

impl<'a> Contents<'a> {
    fn of(reader: &Reader<'a>) -> Option<Self> {
        const LOADED: u32 = 1;
        let sections = reader.sections()?;
        let symbols = reader.symbols(&sections, &[DYNAMIC_SYMBOLS])?;
        let relocations = reader.relocations(&sections)?;
        let mut segments = reader.segments()?;
        segments.retain(|segment| segment.kind == LOADED);
        let mut len = 0;
        for segment in &segments {
            len = segment.address.checked_add(segment.memory)?.max(len);
        }
        Some(Self { segments, symbols, relocations, len: len.checked_next_multiple_of(PAGE)? })
    }
}

impl Image {
    /// Loads an object.
    ///
    /// # Safety
    /// None: nothing runs when it is loaded or unloaded. For its functions the caller vouches, who calls them.
    pub(super) unsafe fn load(bytes: &[u8]) -> Result<Self, String> {
        let reader = Reader::of(bytes)?;
        let contents = reader.read(Contents::of)?;
        let base = memory::map(contents.len)
            .map_err(|error| format!("cannot allocate memory for the module: {error}"))?;
        let mut image = Self { base, len: contents.len, symbols: Vec::new() };
        reader.read(|_| image.copy(bytes, &contents.segments))?;
        for relocation in &contents.relocations {
            image.relocate(relocation, &contents.symbols)?;
        }
        image.protect(&contents.segments)?;
        let defined = contents.symbols.iter().filter(|symbol| symbol.section != 0);
        image.symbols = defined.map(|symbol| (symbol.name.to_vec(), symbol.range.start)).collect();
        Ok(image)
    }

    /// The address of a symbol.
    pub(super) fn symbol(&self, name: &CStr) -> Option<*const c_void> {
        let (_, offset) = self.symbols.iter().find(|(known, _)| known == name.to_bytes())?;
        (*offset < self.len).then_some((self.base + offset) as *const c_void)
    }

    /// The address at which it is loaded.
    #[cfg(windows)]
    pub(super) fn base(&self, _inside: *const c_void) -> usize {
        self.base
    }

    fn copy(&self, bytes: &[u8], segments: &[Segment]) -> Option<()> {
        for segment in segments {
            let from = bytes.get(segment.offset..segment.offset.checked_add(segment.size)?)?;
            if segment.size > segment.memory {
                return None;
            }
            // SAFETY: the image is as long as all segments with their memory need, and nobody else has it yet.
            unsafe {
                let to = (self.base + segment.address) as *mut u8;
                to.copy_from_nonoverlapping(from.as_ptr(), from.len());
            }
        }
        Some(())
    }

    /// Writes the address that a place in the object wants.
    fn relocate(&self, relocation: &Relocation, symbols: &[Symbol]) -> Result<(), String> {
        const ABSOLUTE: u32 = 1;
        const DATA: u32 = 6;
        const FUNCTION: u32 = 7;
        const RELATIVE: u32 = 8;
        let symbol = || {
            let symbol = symbols.get(relocation.symbol).ok_or("damaged ELF object")?;
            match symbol.section {
                0 => imports::find(symbol.name).ok_or_else(|| {
                    let name = String::from_utf8_lossy(symbol.name);
                    format!("the module calls `{name}`, which kernels do not have on this system")
                }),
                _ => Ok(self.base.wrapping_add(symbol.range.start)),
            }
        };
        let value = match relocation.kind {
            RELATIVE => self.base.wrapping_add(relocation.addend),
            ABSOLUTE => symbol()?.wrapping_add(relocation.addend),
            DATA | FUNCTION => symbol()?,
            kind => {
                return Err(format!("the module has relocations of kind {kind}, which are not supported"));
            }
        };
        let end = relocation.at.checked_add(size_of::<usize>()).filter(|end| *end <= self.len);
        end.ok_or("damaged ELF object")?;
        // SAFETY: inside the image, which nobody else has yet.
        unsafe { ((self.base + relocation.at) as *mut usize).write_unaligned(value) };
        Ok(())
    }

    fn protect(&self, segments: &[Segment]) -> Result<(), String> {
        const EXECUTABLE: u32 = 1;
        for segment in segments.iter().filter(|segment| segment.flags & EXECUTABLE != 0) {
            let start = segment.address / PAGE * PAGE;
            let len = (segment.address + segment.memory).next_multiple_of(PAGE) - start;
            // SAFETY: pages of the image; the linker puts code on pages of its own.
            unsafe { memory::make_executable(self.base + start, len) }
                .map_err(|error| format!("cannot make the module's code executable: {error}"))?;
        }
        Ok(())
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: all that was mapped; its owner uses nothing of it any more.
        unsafe { memory::unmap(self.base, self.len) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object() {
        // SAFETY: nothing of it is called.
        let load = |bytes: &[u8]| unsafe { Image::load(bytes) }.map(|_| ());
        assert!(load(b"").is_err());
        for byte in 0..=255u8 {
            let mut bytes = b"\x7fELF\x02\x01".to_vec();
            bytes.resize(300, byte);
            let _ = load(&bytes);
        }
    }

    #[cfg(unix)]
    mod compiled {
        use std::ptr;

        use super::*;
        use crate::exec::{abi, blob};
        use crate::hiprtc::program::Program;

        fn compile(source: &str) -> Vec<u8> {
            let mut program = Program::new(source.to_owned(), None, Vec::new()).unwrap();
            assert!(program.compile_and_log(&["--offload-arch=host-wave32"]).is_ok(), "{}", program.log);
            blob::decode(&program.code).unwrap().object.to_vec()
        }

        /// A table of addresses, a function of ours, and a kernel that is called.
        #[test]
        fn it_runs() {
            let object = compile(
                r#"
                static const char* const names[] = {"one", "two"};
                extern "C" __global__ void count(int which, float* out) {
                    int letters = 0;
                    for (const char* name = names[which]; *name; name++) letters++;
                    *out = letters + powf(2.0f, 0.5f);
                }"#,
            );
            for _ in 0..2 {
                // SAFETY: our compiler's object.
                let image = unsafe { Image::load(&object) }.unwrap();
                let table = image.symbol(abi::SYMBOL).unwrap().cast::<abi::Module>();
                let (which, mut out) = (1_i32, 0_f32);
                let to: *mut f32 = &raw mut out;
                let arguments = [(&raw const which).cast(), (&raw const to).cast()];
                let launch = abi::Launch {
                    hooks: &crate::exec::hooks::HOOKS,
                    block: ptr::null_mut(),
                    order: ptr::null(),
                    grid_size: [1; 3],
                    block_size: [1; 3],
                };
                // SAFETY: the module's table and its only kernel, which has these parameters and calls no hook.
                unsafe {
                    assert_eq!(((*table).abi, (*table).kernel_count), (abi::VERSION, 1));
                    ((*table).enter)(&launch);
                    ((*table).block)(0, 0, 0);
                    ((*(*table).kernels).run)(arguments.as_ptr());
                }
                assert_eq!(out, 3. + 2_f32.sqrt());
            }
        }

        #[test]
        fn what_kernels_do_not_have() {
            let object = compile(r#"extern "C" __global__ void say() { printf("%d\n", 1); }"#);
            // SAFETY: our compiler's object.
            let error = unsafe { Image::load(&object) }.err().unwrap();
            assert!(error.contains("the module calls `p"), "{error}");
        }

        #[test]
        fn damaged_objects() {
            let object = compile(r#"extern "C" __global__ void f(float* x) { *x = sinf(*x); }"#);
            // SAFETY: nothing of it is called.
            let load = |bytes: &[u8]| unsafe { Image::load(bytes) }.map(|_| ());
            assert_eq!(load(&object), Ok(()));
            for end in (0..object.len()).step_by(97) {
                let _ = load(&object[..end]);
            }
            // Where tables are described, each byte counts.
            for at in (0..1024).chain(object.len() - 4096..object.len()) {
                let mut bytes = object.clone();
                bytes[at] = !bytes[at];
                let _ = load(&bytes);
            }
        }
    }
}
