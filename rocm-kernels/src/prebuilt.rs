//! Code objects that were compiled ahead of time: the bundles of the data crates.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::OnceLock;

use crate::bundle::{self, Frame};
use crate::{ALL, KernelError, Module};

const BUNDLES: &[&[u8]] = &[
    #[cfg(feature = "rdna")]
    candle_rocm_kernels_rdna2::BUNDLE,
    #[cfg(feature = "rdna")]
    candle_rocm_kernels_rdna3::BUNDLE,
    #[cfg(feature = "rdna")]
    candle_rocm_kernels_rdna4::BUNDLE,
    #[cfg(feature = "cdna")]
    candle_rocm_kernels_cdna2::BUNDLE,
    #[cfg(feature = "cdna")]
    candle_rocm_kernels_cdna3::BUNDLE,
    #[cfg(feature = "cdna")]
    candle_rocm_kernels_gcn5::BUNDLE,
];

/// The frames of all bundles, or what is wrong with one.
pub(crate) type Table<'a> = Result<Vec<Frame<'a>>, String>;

/// What is built in.
pub(crate) fn table() -> &'static Table<'static> {
    static TABLE: OnceLock<Table<'static>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let frames = BUNDLES.iter().map(|bundle| bundle::parse(bundle)).collect::<Result<Vec<_>, _>>();
        frames.map(|frames| frames.into_iter().flatten().collect())
    })
}

/// The processors and generic targets for which code objects are built in, sorted.
pub fn prebuilt_archs() -> Vec<&'static str> {
    let archs = ALL.iter().flat_map(|module| archs_of(table(), module));
    archs.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The processors and generic targets in `table` that a module is built for.
pub(crate) fn archs_of<'a>(table: &'a Table<'_>, module: &Module) -> impl Iterator<Item = &'a str> {
    frames_of(table, module).flat_map(Frame::archs)
}

/// The code object in `table` for exactly this arch name.
pub(crate) fn find(table: &Table<'_>, arch: &str, module: &Module) -> Option<Result<Vec<u8>, KernelError>> {
    let damaged = |message| KernelError::DamagedPrebuilt {
        module: module.name.to_owned(),
        arch: arch.to_owned(),
        message,
    };
    if let Err(message) = table {
        return Some(Err(damaged(message.clone())));
    }
    let object = frames_of(table, module).find_map(|frame| frame.object(arch))?;
    Some(object.map_err(|error| damaged(error.to_string())))
}

/// Without those that were compiled from other sources, as they are in a checkout that was updated since.
fn frames_of<'a>(table: &'a Table<'_>, module: &Module) -> impl Iterator<Item = &'a Frame<'a>> {
    // Most checkouts have no frames, and need no digest.
    let digest = OnceCell::new();
    let is_current = move |frame: &&Frame<'_>| {
        frame.module() == module.name && frame.digest() == digest.get_or_init(|| module.digest())
    };
    table.iter().flatten().filter(is_current)
}
