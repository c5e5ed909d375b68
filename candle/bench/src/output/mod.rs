//! Output formats.

pub(crate) mod markdown;
pub(crate) mod tsv;
