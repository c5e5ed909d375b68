//! Instructions of the scalar unit.

mod bits;
mod branch;
mod compare;
mod exec;
mod float;
mod forms;
mod integer;
mod load;
mod logic;
mod mode;
mod shift;
#[cfg(test)]
mod testing;
mod wait;

use super::Form;

/// The tables of all classes.
pub(crate) const TABLES: &[&[Form]] = &[
    bits::FORMS,
    branch::FORMS,
    compare::FORMS,
    exec::FORMS,
    float::FORMS,
    integer::FORMS,
    load::FORMS,
    logic::FORMS,
    mode::FORMS,
    shift::FORMS,
    wait::FORMS,
];

#[cfg(test)]
pub(crate) const REFERENCES: &[&[super::testing::Reference]] = &[
    bits::tests::REFERENCES,
    branch::tests::REFERENCES,
    compare::tests::REFERENCES,
    exec::tests::REFERENCES,
    float::tests::REFERENCES,
    integer::tests::REFERENCES,
    load::tests::REFERENCES,
    logic::tests::REFERENCES,
    mode::tests::REFERENCES,
    shift::tests::REFERENCES,
    wait::tests::REFERENCES,
];
