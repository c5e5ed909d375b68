//! The bytes that ROCm's loader takes.

/// Why the loader must not be given these bytes. It takes an address without a length, so something that is cut off would make
/// it read beyond the end.
pub(crate) fn check(image: &[u8]) -> Result<(), String> {
    const COMPRESSED_BUNDLE: &[u8] = b"CCOB";
    const ELF: &[u8] = b"\x7fELF\x02";

    let end = match image {
        _ if image.starts_with(ELF) => rocm_sys::elf_end(image),
        // The size of the whole, since version 2 of the format; of 4 bytes, since version 3 of 8.
        _ if image.starts_with(COMPRESSED_BUNDLE) => match number(image, 4, 2) {
            Some(0 | 1) => Some(0),
            Some(2) => number(image, 8, 4),
            _ => number(image, 8, 8),
        },
        _ if image.starts_with(BUNDLE) => bundle_end(image),
        _ => return Err(format!("its {} bytes are of no kind that this platform knows", image.len())),
    };
    match end {
        Some(end) if end <= image.len() as u64 => Ok(()),
        _ => Err(format!("it is cut off after {} bytes", image.len())),
    }
}

/// How a bundle of code objects (`clang-offload-bundler`) begins.
pub(super) const BUNDLE: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";

/// Offset and size of each entry of a bundle; `None` for one that is cut off. After [`BUNDLE`] comes the number of entries, and for
/// each: offset, size, length of its name, name, which tells the processor or the host.
pub(super) fn bundle_entries(image: &[u8]) -> impl Iterator<Item = Option<(u64, u64)>> {
    let count = number(image, BUNDLE.len(), 8);
    let mut at = BUNDLE.len() + 8;
    // Without a number, one entry that is cut off.
    (0..count.unwrap_or(1)).map(move |_| {
        let [offset, size, name] = [0, 8, 16].map(|field| number(image, at.checked_add(field)?, 8));
        at = usize::try_from(name?).ok()?.checked_add(at + 24)?;
        Some((offset?, size?))
    })
}

fn bundle_end(image: &[u8]) -> Option<u64> {
    bundle_entries(image).try_fold(0, |end: u64, entry| {
        let (offset, size) = entry?;
        Some(end.max(offset.saturating_add(size)))
    })
}

/// A little-endian number of so many bytes.
fn number(image: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = image.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_that_the_loader_would_misread_are_refused() {
        assert!(check(b"").is_err());
        assert!(check(b"int main() {}").is_err());
        let mut elf = vec![0; 256];
        elf[..5].copy_from_slice(b"\x7fELF\x02");
        elf[40] = 128;
        elf[58] = 64;
        elf[60] = 2;
        assert!(check(&elf).is_ok());
        assert!(check(&elf[..255]).is_err());
        assert!(check(&elf[..20]).is_err());
        elf[40..48].fill(0xff);
        assert!(check(&elf).is_err());

        let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
        let entry = [64u64, 36, 4].map(u64::to_le_bytes).concat();
        bundle.extend([1u64.to_le_bytes().as_slice(), &entry, b"host", &[0; 40]].concat());
        assert_eq!(bundle.len(), 100);
        assert!(check(&bundle).is_ok());
        for len in 0..100 {
            assert!(check(&bundle[..len]).is_err(), "{len}");
        }
        bundle[48..56].fill(0xff);
        assert!(check(&bundle).is_err());
        let compressed = [b"CCOB\x03\0\x01\0".as_slice(), &24u64.to_le_bytes(), &[0; 8]].concat();
        assert!(check(&compressed).is_ok());
        assert!(check(&compressed[..23]).is_err());
    }
}
