//! Recognises modules: HIP passes an address without a length, and CUDA reads as far as it likes.
//!
//! Bytes are read one at a time, and only as long as they look like a module.

use rocm_sys::hip::hipError_t;

const ELF: &[u8] = b"\x7fELF";
/// `e_machine` of CUDA's ELF files, at byte 18.
const MACHINE_CUDA: u16 = 190;
const FAT_BINARY: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();
/// What nvcc puts into programs: a version, then the address of a fat binary.
const FAT_BINARY_WRAPPER: [u8; 4] = 0x4662_43b1_u32.to_le_bytes();

/// Whether the bytes start as a cubin, a fat binary or PTX; PTX has to end with a zero byte.
///
/// # Safety
/// `image` points to bytes of which at least those are readable that decide the question: a module is readable as a
/// whole, anything else up to the first byte that no module has there.
pub(super) unsafe fn check(image: *const u8) -> Result<(), hipError_t> {
    // SAFETY: each byte is read after all before it were found to be those of a module.
    let at = |index: usize| unsafe { image.add(index).read() };
    let starts = |magic: &[u8]| magic.iter().enumerate().all(|(index, byte)| at(index) == *byte);
    let fits = if starts(ELF) {
        // 64 bits, little-endian.
        at(4) == 2 && at(5) == 1 && u16::from_le_bytes([at(18), at(19)]) == MACHINE_CUDA
    } else if starts(&FAT_BINARY) || starts(&FAT_BINARY_WRAPPER) {
        (1..=2).contains(&u16::from_le_bytes([at(4), at(5)]))
    } else {
        is_ptx(at)
    };
    if fits { Ok(()) } else { Err(hipError_t::hipErrorInvalidImage) }
}

/// Whether all is there of what the bytes start as.
pub(super) fn is_whole(image: &[u8]) -> bool {
    let number = |at: usize, size: usize| {
        let bytes = image.get(at..at + size)?;
        Some(bytes.iter().rev().fold(0, |value: u64, &byte| value << 8 | u64::from(byte)))
    };
    let end = if image.starts_with(ELF) {
        rocm_sys::elf_end(image)
    } else if image.starts_with(&FAT_BINARY) {
        // Lengths of the header and of what follows.
        number(6, 2).zip(number(8, 8)).map(|(header, rest)| rest.saturating_add(header))
    } else {
        // What a wrapper points to is somewhere else.
        (!image.starts_with(&FAT_BINARY_WRAPPER) && image.last() == Some(&0)).then_some(0)
    };
    end.is_some_and(|end| end <= image.len() as u64)
}

/// PTX starts with the directive `.version`, behind comments and white space.
fn is_ptx(at: impl Fn(usize) -> u8) -> bool {
    let mut index = 0;
    loop {
        match at(index) {
            b' ' | b'\t' | b'\r' | b'\n' => index += 1,
            b'/' => match comment(&at, index) {
                Some(end) => index = end,
                None => return false,
            },
            b'.' => return b".version".iter().enumerate().all(|(offset, byte)| at(index + offset) == *byte),
            _ => return false,
        }
    }
}

/// Where a comment that starts at `index` ends.
fn comment(at: &impl Fn(usize) -> u8, index: usize) -> Option<usize> {
    let (mut index, block) = match at(index + 1) {
        b'/' => (index + 2, false),
        b'*' => (index + 2, true),
        _ => return None,
    };
    loop {
        match at(index) {
            0 => return None,
            b'\n' if !block => return Some(index + 1),
            b'*' if block && at(index + 1) == b'/' => return Some(index + 2),
            _ => index += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a copy that ends where the slice does, so that a sanitizer sees what is read beyond it.
    fn is_module(bytes: &[u8]) -> bool {
        let copy: Box<[u8]> = bytes.into();
        // SAFETY: the tests end each slice behind the byte that decides.
        unsafe { check(copy.as_ptr()) }.is_ok()
    }

    fn elf(class: u8, machine: u16) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        bytes[..4].copy_from_slice(ELF);
        bytes[4] = class;
        bytes[5] = 1;
        bytes[18..20].copy_from_slice(&machine.to_le_bytes());
        bytes
    }

    #[test]
    fn modules() {
        assert!(is_module(&elf(2, MACHINE_CUDA)));
        assert!(is_module(&[&FAT_BINARY[..], &[1, 0, 16, 0]].concat()));
        assert!(is_module(b".version 8.0\n.target sm_90\0"));
        assert!(is_module(b"//\n// Generated\n/* x * y */ \t.version 8.0\0"));
    }

    #[test]
    fn modules_that_are_cut_off() {
        let fat = [&FAT_BINARY[..], &[1, 0, 16, 0], &8u64.to_le_bytes(), &[1; 8]].concat();
        assert!(is_whole(&fat));
        let text = b".version 8.0\0".to_vec();
        assert!(is_whole(&text));
        let cubin = elf(2, MACHINE_CUDA);
        assert!(is_whole(&cubin), "without tables");
        for whole in [fat, text, cubin] {
            for len in 0..whole.len() {
                assert!(!is_whole(&whole[..len]), "{len} of {}", whole.len());
            }
        }
        assert!(!is_whole(&[&FAT_BINARY_WRAPPER[..], &[0; 20]].concat()));
    }

    #[test]
    fn other_bytes() {
        assert!(!is_module(b"\0"));
        assert!(!is_module(b"i"));
        assert!(!is_module(b"\x7fEX"));
        assert!(!is_module(&elf(1, MACHINE_CUDA)[..5]));
        assert!(!is_module(&elf(2, 62)[..20]), "an x86 object");
        assert!(!is_module(&elf(2, 224)[..20]), "an AMD code object");
        assert!(!is_module(b"__"), "an offload bundle");
        assert!(!is_module(b"// only a comment\0"));
        assert!(!is_module(b"/* open\0"));
        assert!(!is_module(b" .verb"));
        assert!(!is_module(&[&FAT_BINARY[..], &[9, 9]].concat()));
    }
}
