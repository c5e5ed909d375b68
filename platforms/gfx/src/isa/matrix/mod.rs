//! Instructions of the matrix cores.

mod layout;
mod mfma;
mod product;
mod wmma;

use super::Form;

/// The tables of all classes.
pub(crate) const TABLES: &[&[Form]] = &[mfma::FORMS, wmma::FORMS];

#[cfg(test)]
pub(crate) const REFERENCES: &[&[super::testing::Reference]] =
    &[mfma::tests::REFERENCES, wmma::tests::REFERENCES];
