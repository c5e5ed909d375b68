//! Code objects that were compiled ahead of time and embedded, compressed with zstd.

use std::collections::BTreeSet;

use crate::KernelError;

/// One embedded code object: arch, module, compressed bytes.
pub(crate) type Entry<'a> = (&'a str, &'a str, &'a [u8]);

#[cfg(feature = "prebuilt")]
pub(crate) const TABLE: &[Entry<'static>] = include!(concat!(env!("OUT_DIR"), "/prebuilt.rs"));
#[cfg(not(feature = "prebuilt"))]
pub(crate) const TABLE: &[Entry<'static>] = &[];

/// The processors and generic targets that code objects are built in for, sorted.
pub fn prebuilt_archs() -> Vec<&'static str> {
    TABLE.iter().map(|(arch, ..)| *arch).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The code object in `table` for exactly this arch name.
pub(crate) fn find(table: &[Entry], arch: &str, module: &str) -> Option<Result<Vec<u8>, KernelError>> {
    let (.., compressed) = table.iter().find(|(a, m, _)| *a == arch && *m == module)?;
    Some(decompress(compressed).map_err(|message| KernelError::DamagedPrebuilt {
        module: module.to_owned(),
        arch: arch.to_owned(),
        message,
    }))
}

#[cfg(feature = "prebuilt")]
fn decompress(mut compressed: &[u8]) -> Result<Vec<u8>, String> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let mut decoder =
        ruzstd::decoding::StreamingDecoder::new(&mut compressed).map_err(|error| error.to_string())?;
    decoder.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

#[cfg(not(feature = "prebuilt"))]
fn decompress(_: &[u8]) -> Result<Vec<u8>, String> {
    Err("compiled without the feature `prebuilt`".to_owned())
}
