//! The cases, a file for each group.

mod attention;
mod convolution;
mod elementwise;
mod indexing;
mod layout;
mod matmul;
mod memory;
mod models;
mod normalization;
mod quantized;
mod reduction;

use candle_core::DType;

use crate::case::Case;

/// The types that most cases are timed in.
const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];

/// How large the operands are.
pub(crate) struct Plan {
    quick: bool,
}

impl Plan {
    pub(crate) fn new(quick: bool) -> Self {
        Self { quick }
    }

    /// A dimension, which quick runs make small.
    fn dim(&self, full: usize) -> usize {
        if self.quick && full >= 256 { (full / 32).max(32) } else { full }
    }

    /// A dimension of an image, or of a signal.
    fn extent(&self, full: usize) -> usize {
        if self.quick && full > 8 { (full / 16).max(8) } else { full }
    }

    /// The shapes of elementwise operands: one that shows what a launch costs, one that shows the bandwidth.
    fn matrices(&self) -> [Matrix; 2] {
        [
            Matrix { rows: 1, columns: self.dim(4096), large: false },
            Matrix { rows: self.dim(8192), columns: self.dim(8192), large: true },
        ]
    }
}

/// A shape of two dimensions.
#[derive(Clone, Copy)]
struct Matrix {
    rows: usize,
    columns: usize,
    /// Larger than any cache.
    large: bool,
}

impl Matrix {
    fn dims(self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    fn count(self) -> usize {
        self.rows * self.columns
    }

    fn text(self) -> String {
        format!("{}x{}", self.rows, self.columns)
    }

    /// Python's arguments.
    fn arguments(self) -> String {
        format!("{}, {}", self.rows, self.columns)
    }
}

/// `8x64x56`, as shapes are written.
fn by(dims: &[usize]) -> String {
    dims.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

/// `8, 64, 56`: Python's arguments.
fn arguments(dims: &[usize]) -> String {
    dims.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// `[8,64,56]`.
fn list(dims: &[usize]) -> String {
    format!("[{}]", dims.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
}

/// All cases, those that need the most memory not at once.
pub(crate) fn all(plan: &Plan) -> Vec<Case> {
    [
        memory::cases,
        elementwise::cases,
        layout::cases,
        reduction::cases,
        normalization::cases,
        indexing::cases,
        matmul::cases,
        attention::cases,
        quantized::cases,
        convolution::cases,
        models::cases,
    ]
    .into_iter()
    .flat_map(|cases| cases(plan))
    .collect()
}
