//! Compiled modules as bytes: a header that describes them, and a shared object.
//!
//! `hipModuleLoadData` gets a pointer without a length, so the header has a checksum of its own: its length is trusted only if that
//! is right.

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

use super::sanitize::Sanitizer;

const MAGIC: &[u8; 8] = b"CRHOST\0\x01";
const HEADER: usize = 48;

/// A module's bytes, checked.
#[derive(Debug, PartialEq)]
pub(crate) struct Blob<'a> {
    /// The device's wavefront: 32, 64, or 0 for either.
    pub(crate) wave: u32,
    pub(crate) sanitizer: Option<Sanitizer>,
    pub(crate) needs_v3: bool,
    pub(crate) object: &'a [u8],
}

/// A hash that does not change between runs and machines (FNV-1a).
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Prepends the header to a shared object.
pub(crate) fn encode(wave: u32, sanitizer: Option<Sanitizer>, needs_v3: bool, object: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + object.len());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&super::abi::VERSION.to_le_bytes());
    bytes.extend_from_slice(&wave.to_le_bytes());
    bytes.extend_from_slice(&sanitizer.map_or(0, Sanitizer::code).to_le_bytes());
    bytes.extend_from_slice(&u32::from(needs_v3).to_le_bytes());
    bytes.extend_from_slice(&(object.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&hash(object).to_le_bytes());
    bytes.extend_from_slice(&hash(&bytes).to_le_bytes());
    bytes.extend_from_slice(object);
    bytes
}

/// Checks and parses bytes; `None` if they are not a module of this version.
pub(crate) fn decode(bytes: &[u8]) -> Option<Blob<'_>> {
    let (header, object) = bytes.split_at_checked(HEADER)?;
    let word = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().unwrap_or_default());
    let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
    let length = length(header)?;
    let object = object.get(..length)?;
    if word(8) != super::abi::VERSION || hash(object) != long(32) {
        return None;
    }
    let sanitizer = match word(16) {
        0 => None,
        code => Some(Sanitizer::from_code(code)?),
    };
    Some(Blob { wave: word(12), sanitizer, needs_v3: word(20) != 0, object })
}

/// The length of the shared object that a header announces.
fn length(header: &[u8]) -> Option<usize> {
    let long = |at: usize| Some(u64::from_le_bytes(header.get(at..at + 8)?.try_into().ok()?));
    if !header.starts_with(MAGIC) || long(40)? != hash(header.get(..40)?) {
        return None;
    }
    usize::try_from(long(24)?).ok()
}

/// The length of the module that `image` points to.
///
/// # Safety
/// `image` is valid for reading up to the first byte that differs from a module's magic number, and if it has the whole
/// magic number, for a header.
pub(crate) unsafe fn length_at(image: *const u8) -> Option<usize> {
    for (index, &expected) in MAGIC.iter().enumerate() {
        // SAFETY: all bytes before were those of the magic number.
        if unsafe { *image.add(index) } != expected {
            return None;
        }
    }
    // SAFETY: it begins as a module, so there is a header.
    let header = unsafe { std::slice::from_raw_parts(image, HEADER) };
    HEADER.checked_add(length(header)?)
}

/// Whether this machine supports x86-64-v3.
pub(crate) fn has_v3() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        static HAS: LazyLock<bool> = LazyLock::new(|| {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("movbe")
        });
        *HAS
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let bytes = encode(64, None, true, b"object");
        let blob = Blob { wave: 64, sanitizer: None, needs_v3: true, object: b"object" };
        assert_eq!(bytes.len(), HEADER + 6);
        assert_eq!(decode(&bytes).as_ref(), Some(&blob));
        // SAFETY: a whole module.
        assert_eq!(unsafe { length_at(bytes.as_ptr()) }, Some(bytes.len()));
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let bytes = encode(32, None, false, b"some object");
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x10;
            assert_eq!(decode(&changed), None, "byte {at}");
            assert_eq!(decode(&bytes[..at]), None, "cut at {at}");
        }
    }
}
