//! Instructions of the vector ALU.

mod bits;
mod broadcast;
mod carry;
mod compare;
mod convert;
mod convert_packed;
mod division;
mod dot;
#[cfg(test)]
mod exact;
mod extrema;
mod float;
mod half;
mod integer;
mod integer16;
mod mix;
mod moves;
mod packed;
mod packed32;
mod reduction;
mod rounding;
mod select;
#[cfg(test)]
mod sequences;
mod transcendental;
mod vop3p;

use super::Form;

/// The tables of all classes.
pub(crate) const TABLES: &[&[Form]] = &[
    bits::FORMS,
    bits::OTHERS,
    broadcast::FORMS,
    carry::FORMS,
    compare::FORMS,
    convert::FORMS,
    convert_packed::FORMS,
    convert_packed::SATURATIONS,
    division::FORMS,
    dot::FORMS,
    extrema::FORMS,
    float::FORMS,
    half::FORMS,
    integer::FORMS,
    integer16::FORMS,
    integer16::SATURATING,
    mix::FORMS,
    moves::FORMS,
    packed::FORMS,
    packed32::FORMS,
    integer::SUMS,
    reduction::FORMS,
    rounding::FORMS,
    select::FORMS,
    transcendental::FORMS,
    transcendental::SCALAR_FORMS,
];

#[cfg(test)]
pub(crate) const REFERENCES: &[&[super::testing::Reference]] = &[
    bits::tests::REFERENCES,
    bits::tests::OTHERS,
    broadcast::tests::REFERENCES,
    carry::tests::REFERENCES,
    compare::tests::REFERENCES,
    convert::tests::REFERENCES,
    convert_packed::tests::REFERENCES,
    division::tests::REFERENCES,
    dot::tests::REFERENCES,
    extrema::tests::REFERENCES,
    float::tests::REFERENCES,
    half::tests::REFERENCES,
    integer::tests::REFERENCES,
    integer16::tests::REFERENCES,
    mix::tests::REFERENCES,
    moves::tests::REFERENCES,
    packed::tests::REFERENCES,
    packed32::tests::REFERENCES,
    reduction::tests::REFERENCES,
    rounding::tests::REFERENCES,
    select::tests::REFERENCES,
    transcendental::tests::REFERENCES,
];
