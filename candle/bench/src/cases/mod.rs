//! The cases, one file per group.

mod attention;
mod convolution;
mod elementwise;
mod indexing;
mod layout;
mod loading;
mod matmul;
mod memory;
mod models;
mod normalization;
mod quantized;
mod reduction;
mod spelled;

use candle_core::DType;

pub(crate) use self::models::QuantizedModel;
#[cfg(feature = "gfx")]
pub(crate) use self::quantized::MOST_COPIES;
use crate::bars::Bar;
use crate::case::Case;

/// The types of most cases.
const FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];

/// Of what programs spell out, which becomes one kernel.
const FUSED: Bar = Bar::Torch(0.95);

/// The sizes of operands.
pub(crate) struct Plan {
    quick: bool,
}

impl Plan {
    pub(crate) fn new(quick: bool) -> Self {
        Self { quick }
    }

    /// A dimension, reduced in quick runs.
    fn dim(&self, full: usize) -> usize {
        if self.quick && full >= 256 { (full / 32).max(32) } else { full }
    }

    /// A spatial dimension, reduced in quick runs.
    fn extent(&self, full: usize) -> usize {
        if self.quick && full > 8 { (full / 16).max(8) } else { full }
    }

    /// The shapes of elementwise operands: one that measures launch overhead, one that measures bandwidth.
    fn matrices(&self) -> [Matrix; 2] {
        [
            Matrix { rows: 1, columns: self.dim(4096), large: false },
            Matrix { rows: self.dim(8192), columns: self.dim(8192), large: true },
        ]
    }
}

/// A 2-D shape.
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

/// All cases.
pub(crate) fn all(plan: &Plan) -> Vec<Case> {
    [
        memory::cases,
        loading::cases,
        elementwise::cases,
        layout::cases,
        reduction::cases,
        spelled::cases,
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
