//! Copies from one layout to another, concatenation, and arithmetic while a layout changes.

pub(crate) mod candidates;
pub(crate) mod cat;
pub(crate) mod copy;
pub(crate) mod transpose;
pub(crate) mod transposed;
