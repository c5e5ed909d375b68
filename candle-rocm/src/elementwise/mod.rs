//! Functions of one, two or three tensors, element by element.

pub(crate) mod affine;
pub(crate) mod binary;
pub(crate) mod cast;
pub(crate) mod fill;
mod operands;
pub(crate) mod ternary;
pub(crate) mod unary;
