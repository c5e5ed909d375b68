//! Loaded code and the kernels in it.

use std::ffi::CString;
use std::fmt;
use std::ptr;
use std::sync::Arc;

use rocm_sys::hip::{hipError_t, hipFunction_t, hipModule_t};

use super::parameters::{ModuleParameters, Parameters};
use super::stream::KernelName;
use super::{Device, Platform};
use crate::error::{Result, RocmError};

/// A code object loaded on a device. Clones share it; it is unloaded when the last clone and the last [`Function`] of it
/// are gone.
#[derive(Clone)]
pub struct Module(Arc<Inner>);

struct Inner {
    device: Device,
    raw: hipModule_t,
    name: Box<str>,
    /// HIP reads the code object lazily, from where it was when it was loaded.
    image: Vec<u8>,
    parameters: ModuleParameters,
}

// SAFETY: HIP's module functions may be called from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Module {
    /// Loads a code object, as compilers write it for the device's architecture. The name is for messages.
    pub fn load(device: Device, name: &str, image: Vec<u8>) -> Result<Self> {
        let bad = |why: String| RocmError::BadCodeObject {
            module: name.to_owned(),
            device: format!("{device} ({})", device.arch()),
            why,
        };
        check_image(&image, device.platform()).map_err(bad)?;
        device.bind()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the image starts with a known header and ends behind what that announces; it lives as long as the module.
        let code = unsafe { device.hip().hipModuleLoadData(&mut raw, image.as_ptr().cast()) };
        match code {
            Ok(
                code @ (hipError_t::hipErrorInvalidImage
                | hipError_t::hipErrorNoBinaryForGpu
                | hipError_t::hipErrorInvalidKernelFile
                | hipError_t::hipErrorSharedObjectInitFailed
                | hipError_t::hipErrorInvalidValue),
            ) => Err(bad(device.error("hipModuleLoadData", code).to_string())),
            code => {
                device.check("hipModuleLoadData", code)?;
                let parameters = ModuleParameters::default();
                Ok(Self(Arc::new(Inner { device, raw, name: name.into(), image, parameters })))
            }
        }
    }

    /// The kernel of that name.
    pub fn function(&self, name: &str) -> Result<Function> {
        let missing = || RocmError::NoSuchKernel { module: self.0.name.to_string(), kernel: name.to_owned() };
        let c_name = CString::new(name).map_err(|_| missing())?;
        let device = self.0.device;
        device.bind()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the module lives, and the name is a C string.
        match unsafe { device.hip().hipModuleGetFunction(&mut raw, self.0.raw, c_name.as_ptr()) } {
            Ok(code @ hipError_t::hipErrorNotFound) => {
                // Only for its side effect: HIP forgets the code.
                let _ = device.error("hipModuleGetFunction", code);
                Err(missing())
            }
            code => {
                device.check("hipModuleGetFunction", code)?;
                let parameters = self.0.parameters.of(device, &self.0.image, (name, raw));
                Ok(Function { raw, name: KernelName::new(name), parameters, module: self.clone() })
            }
        }
    }

    /// The name it was loaded under.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The device it is loaded on.
    pub fn device(&self) -> Device {
        self.0.device
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({} on {})", self.0.name, self.0.device)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.device.is_abandoned() {
            return;
        }
        // Kernels of it may be queued on any stream.
        if self.device.synchronize().is_ok() && self.device.is_reachable_when_idle() {
            // SAFETY: no function of the module is left, and nothing of it runs any more.
            let _ = unsafe { self.device.hip().hipModuleUnload(self.raw) };
        }
    }
}

/// A kernel of a loaded [`Module`], which it keeps loaded.
#[derive(Clone)]
pub struct Function {
    raw: hipFunction_t,
    name: KernelName,
    parameters: Option<Parameters>,
    module: Module,
}

// SAFETY: a handle that any thread may use, next to types that are Send and Sync.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// The kernel's name.
    pub fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// The module it is in.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The device it is loaded on.
    pub fn device(&self) -> Device {
        self.module.device()
    }

    /// The handle, valid as long as the function lives.
    pub fn as_raw(&self) -> hipFunction_t {
        self.raw
    }

    /// The bytes of each parameter; `None` where the platform cannot tell, as for code objects without metadata.
    pub fn parameter_sizes(&self) -> Option<&[u16]> {
        self.parameters.as_deref()
    }

    pub(crate) fn kernel_name(&self) -> KernelName {
        self.name
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({} of {:?})", self.name(), self.module)
    }
}

/// Loaders take an address without a length, so something that is cut off would make them read beyond its end.
fn check_image(image: &[u8], platform: Platform) -> std::result::Result<(), String> {
    const BUNDLE: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
    const COMPRESSED_BUNDLE: &[u8] = b"CCOB";
    const ELF: &[u8] = b"\x7fELF\x02";
    /// What the CPU platform's compiler writes: a header of 48 bytes, with the length of what follows in it.
    const HOST: &[u8] = b"CRHOST";
    /// NVIDIA's bundles.
    const FAT_BINARY: &[u8] = &0xba55_ed50_u32.to_le_bytes();
    let known = match platform {
        Platform::Amd => [ELF, BUNDLE, COMPRESSED_BUNDLE].iter().any(|magic| image.starts_with(magic)),
        Platform::Host => image.starts_with(HOST),
        // Besides binaries, the text of assembly, which ends with a zero.
        Platform::Nvidia => {
            image.starts_with(ELF) || image.starts_with(FAT_BINARY) || image.last() == Some(&0)
        }
    };
    if !known {
        return Err(format!("its {} bytes are of no kind that this platform knows", image.len()));
    }
    let field = |at: usize, size: usize| {
        let bytes = image.get(at..at.checked_add(size)?)?;
        Some(bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte)))
    };
    let end = if image.starts_with(HOST) {
        field(24, 8).map(|length| length.saturating_add(48))
    } else if image.starts_with(ELF) {
        elf_end(&field)
    } else if image.starts_with(FAT_BINARY) {
        // Lengths of the header and of what follows.
        field(6, 2).zip(field(8, 8)).map(|(header, rest)| rest.saturating_add(header))
    } else if image.starts_with(COMPRESSED_BUNDLE) {
        // The size of the whole, since version 2 of the format; of 4 bytes, since version 3 of 8.
        match field(4, 2) {
            Some(0 | 1) => Some(0),
            Some(2) => field(8, 4),
            _ => field(8, 8),
        }
    } else if image.starts_with(BUNDLE) {
        // How many entries, and for each: offset, size, length of its name, name.
        field(24, 8).and_then(|count| {
            let mut at = 32;
            (0..count).try_fold(0, |end: u64, _| {
                let (offset, size, name) = (field(at, 8)?, field(at + 8, 8)?, field(at + 16, 8)?);
                at = usize::try_from(name).ok()?.checked_add(at + 24)?;
                Some(end.max(offset.saturating_add(size)))
            })
        })
    } else {
        Some(0)
    };
    match end {
        Some(end) if end <= image.len() as u64 => Ok(()),
        _ => Err(format!("it is cut off after {} bytes", image.len())),
    }
}

/// Behind the last byte that a 64-bit little-endian file's tables, or anything listed in them, take. `field` reads a number
/// of so many bytes.
fn elf_end(field: &impl Fn(usize, usize) -> Option<u64>) -> Option<u64> {
    /// Where the header says where a table starts, how large an entry is, and how many there are; where entries say where
    /// their bytes start, and how many there are.
    struct Table {
        start: usize,
        entry: usize,
        count: usize,
        offset: usize,
        size: usize,
    }
    const SEGMENTS: Table = Table { start: 32, entry: 54, count: 56, offset: 8, size: 32 };
    const SECTIONS: Table = Table { start: 40, entry: 58, count: 60, offset: 24, size: 32 };
    /// The type, at byte 4, of sections that have a size but no bytes.
    const NOBITS: u64 = 8;

    let mut end = 0;
    for table in [SEGMENTS, SECTIONS] {
        let (start, size, count) = (field(table.start, 8)?, field(table.entry, 2)?, field(table.count, 2)?);
        end = end.max(start.saturating_add(size * count));
        for index in 0..count {
            let entry = usize::try_from(start.checked_add(index * size)?).ok()?;
            let at = |byte: usize| entry.checked_add(byte);
            if table.start == SECTIONS.start && field(at(4)?, 4)? == NOBITS {
                continue;
            }
            end = end.max(field(at(table.offset)?, 8)?.saturating_add(field(at(table.size)?, 8)?));
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elf_files_end_behind_their_last_byte() {
        // Two sections of 16 bytes each, the second one without bytes; a segment of 8; the last thing is the first section.
        let mut elf = vec![0; 512];
        let mut write = |at: usize, value: u64, size: usize| {
            elf[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        };
        for (at, value, size) in [(0, 0x2_464c_457f, 5), (32, 64, 8), (54, 56, 2), (56, 1, 2)] {
            write(at, value, size);
        }
        write(72, 120, 8);
        write(96, 8, 8);
        for (at, value, size) in [(40, 128, 8), (58, 64, 2), (60, 2, 2)] {
            write(at, value, size);
        }
        for (at, value, size) in [(128 + 4, 1, 4), (128 + 24, 496, 8), (128 + 32, 16, 8)] {
            write(at, value, size);
        }
        for (at, value, size) in [(192 + 4, 8, 4), (192 + 24, 500, 8), (192 + 32, 1 << 40, 8)] {
            write(at, value, size);
        }
        for platform in [Platform::Amd, Platform::Nvidia] {
            assert_eq!(check_image(&elf, platform), Ok(()));
            for len in 5..512 {
                assert!(check_image(&elf[..len], platform).is_err(), "{len}");
            }
        }
    }

    #[test]
    fn images_that_the_loader_would_misread_are_refused() {
        let amd = |image: &[u8]| check_image(image, Platform::Amd);
        assert!(amd(b"").is_err());
        assert!(amd(b"int main() {}").is_err());
        let mut elf = vec![0; 256];
        elf[..5].copy_from_slice(b"\x7fELF\x02");
        elf[40] = 128;
        elf[58] = 64;
        elf[60] = 2;
        assert!(amd(&elf).is_ok());
        assert!(amd(&elf[..255]).is_err());
        assert!(amd(&elf[..20]).is_err());
        elf[40..48].fill(0xff);
        assert!(amd(&elf).is_err());

        let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
        let entry = [64u64, 36, 4].map(u64::to_le_bytes).concat();
        bundle.extend([1u64.to_le_bytes().as_slice(), &entry, b"host", &[0; 40]].concat());
        assert_eq!(bundle.len(), 100);
        assert!(amd(&bundle).is_ok());
        for len in 0..100 {
            assert!(amd(&bundle[..len]).is_err(), "{len}");
        }
        bundle[48..56].fill(0xff);
        assert!(amd(&bundle).is_err());
        let compressed = [b"CCOB\x03\0\x01\0".as_slice(), &24u64.to_le_bytes(), &[0; 8]].concat();
        assert!(amd(&compressed).is_ok());
        assert!(amd(&compressed[..23]).is_err());

        assert!(check_image(&compressed, Platform::Host).is_err());
        let fat = [b"\x50\xed\x55\xba\x01\0\x10\0".as_slice(), &8u64.to_le_bytes(), &[1; 8]].concat();
        assert!(check_image(&fat, Platform::Nvidia).is_ok());
        assert!(check_image(&fat[..23], Platform::Nvidia).is_err());
        assert!(check_image(b".version 8.0", Platform::Nvidia).is_err(), "text without an end");
        assert!(check_image(b".version 8.0\0", Platform::Nvidia).is_ok());
    }
}
