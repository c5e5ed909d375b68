//! What is written.

pub(crate) mod markdown;
pub(crate) mod tsv;
