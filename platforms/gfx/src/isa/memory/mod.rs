//! Instructions that access memory.

mod access;
mod address;
mod atomic;
mod buffer;
mod cache;
#[cfg(test)]
mod expected;
mod global;
mod lds;
mod lds_atomic;
mod lds_pair;
mod operation;
mod permute;
mod scratch;

use super::Form;

/// The tables of all classes.
pub(crate) const TABLES: &[&[Form]] = &[
    atomic::FORMS,
    buffer::FORMS,
    cache::FORMS,
    global::FORMS,
    global::FLAT_FORMS,
    lds::FORMS,
    lds_atomic::FORMS,
    lds_pair::FORMS,
    permute::FORMS,
    scratch::FORMS,
];

#[cfg(test)]
pub(crate) const REFERENCES: &[&[super::testing::Reference]] = &[
    atomic::tests::REFERENCES,
    buffer::tests::REFERENCES,
    cache::tests::REFERENCES,
    global::tests::REFERENCES,
    global::tests::FLAT_REFERENCES,
    lds::tests::REFERENCES,
    lds_atomic::tests::REFERENCES,
    lds_pair::tests::REFERENCES,
    permute::tests::REFERENCES,
    scratch::tests::REFERENCES,
];
