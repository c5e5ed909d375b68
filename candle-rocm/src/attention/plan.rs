//! Which kernel serves, and how it is launched.

use rocm_kernels::{ATTENTION, ATTENTION_MATRIX, ATTENTION_STEP};

use super::problem::Sizes;
use super::{FEW_COLUMNS, FEW_QUERIES, TILE_QUERIES, Weights};
use crate::common::launch::KernelName;
use crate::{RocmDType, RocmDevice};

/// Queries of a block on matrix cores, and columns that these kernels have room for.
const MATRIX_QUERIES: usize = 128;
const MATRIX_COLUMNS: usize = 128;

/// Keys that a block goes through at most, and at least where there would be too few blocks otherwise.
const MOST_KEYS: usize = 4096;
const LEAST_KEYS: usize = 128;
/// Keys up to which one block for each query takes no longer than a launch for parts and one that merges them.
const WIDE_KEYS: usize = 1024;
/// Blocks for few queries that keep the memory of a compute unit busy.
pub(super) const PER_UNIT: usize = 4;

/// Which kernel, and how it is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Tiles { columns: usize },
    Matrix { columns: usize, weights: Weights },
    Few { queries: usize, lanes: usize, splits: usize, split_len: usize },
    Wide { lanes: usize },
}

impl Plan {
    pub(super) fn new<T: RocmDType>(device: &RocmDevice, sizes: Sizes, weights: Weights) -> Self {
        let rows = sizes.rows();
        let columns = sizes.columns();
        if rows > FEW_QUERIES || columns > FEW_COLUMNS {
            if columns <= MATRIX_COLUMNS && device.uses_matrix_cores(T::DTYPE) {
                let columns = if columns <= 64 { 64 } else { MATRIX_COLUMNS };
                return Self::Matrix { columns, weights };
            }
            let columns = if sizes.d_v <= 128 { 128 } else { 256 };
            return Self::Tiles { columns };
        }
        match Self::few(device, sizes, PER_UNIT) {
            Self::Few { splits: 2.., .. } if sizes.s <= WIDE_KEYS => Self::wide(sizes),
            few => few,
        }
    }

    /// For few queries: keys are split so that there are about so many blocks for each compute unit.
    pub(super) fn few(device: &RocmDevice, sizes: Sizes, per_unit: usize) -> Self {
        let rows = sizes.rows();
        let queries = if rows == 1 { 1 } else { 4 };
        let blocks = sizes.batch * sizes.kv_heads * rows.div_ceil(queries);
        let wanted = (per_unit * device.hip_device().compute_units() as usize).div_ceil(blocks);
        let splits = wanted.min(sizes.s.div_ceil(LEAST_KEYS)).max(sizes.s.div_ceil(MOST_KEYS));
        let split_len = sizes.s.div_ceil(splits);
        Self::Few { queries, lanes: lanes(sizes), splits: sizes.s.div_ceil(split_len), split_len }
    }

    /// For few queries and few keys: a larger block for each query.
    pub(super) fn wide(sizes: Sizes) -> Self {
        Self::Wide { lanes: lanes(sizes) }
    }

    /// Whether it is for few queries, so that reading keys and values takes the time.
    pub(super) fn is_for_few(self) -> bool {
        matches!(self, Self::Few { .. } | Self::Wide { .. })
    }

    pub(super) fn blocks_per_batch(self, sizes: Sizes) -> usize {
        let queries = match self {
            Self::Tiles { .. } => TILE_QUERIES,
            Self::Matrix { .. } => MATRIX_QUERIES,
            Self::Few { queries, .. } => queries,
            Self::Wide { .. } => 1,
        };
        sizes.kv_heads * sizes.rows().div_ceil(queries)
    }

    /// `growing`: with what a decoder's step does before.
    pub(super) fn kernel<T: RocmDType>(self, growing: bool) -> (&'static rocm_kernels::Module, KernelName) {
        let dtype = T::KERNEL_DTYPE;
        let of_step = if growing { "step_" } else { "" };
        let few = if growing { &ATTENTION_STEP } else { &ATTENTION };
        match self {
            Self::Tiles { columns } => (&ATTENTION, KernelName::new(format_args!("sdpa_{columns}_{dtype}"))),
            Self::Matrix { columns, weights } => {
                let split = if weights == Weights::Split { "split_" } else { "" };
                (&ATTENTION_MATRIX, KernelName::new(format_args!("sdpa_matrix_{split}{columns}_{dtype}")))
            }
            Self::Few { queries, .. } => {
                (few, KernelName::new(format_args!("sdpa_{of_step}few_{queries}_{dtype}")))
            }
            Self::Wide { .. } => (few, KernelName::new(format_args!("sdpa_{of_step}wide_{dtype}"))),
        }
    }
}

/// Threads that share a key, with eight columns each.
fn lanes(sizes: Sizes) -> usize {
    sizes.columns().div_ceil(8).next_power_of_two().max(4)
}
