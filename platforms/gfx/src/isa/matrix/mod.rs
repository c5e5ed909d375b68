//! Instructions of the matrix cores.

mod bytes;
mod layout;
mod mfma;
mod product;
mod wmma;

use super::Form;

/// The tables of all classes.
pub(crate) const TABLES: &[&[Form]] = &[bytes::FORMS, mfma::FORMS, wmma::FORMS];

#[cfg(test)]
pub(crate) const REFERENCES: &[&[super::testing::Reference]] =
    &[bytes::tests::REFERENCES, mfma::tests::REFERENCES, wmma::tests::REFERENCES];
