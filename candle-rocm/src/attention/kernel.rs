//! Which kernel serves, and how it is launched.

use rocm_kernels::{ATTENTION, ATTENTION_F8, ATTENTION_MATRIX, ATTENTION_STEP};

use super::problem::Sizes;
use super::{FEW_THREADS, TILE_QUERIES, Weights};
use crate::common::launch::KernelName;
use crate::{RocmDType, RocmDevice};

/// Queries of a block on matrix cores, and columns that these kernels have room for.
const MATRIX_QUERIES: usize = 128;
const MATRIX_COLUMNS: usize = 128;

/// Keys that a block goes through at most.
const MOST_KEYS: usize = 4096;
/// Keys that the lanes of a key's columns have in flight.
const KEYS_IN_FLIGHT: usize = 4;
/// Blocks for few queries on each compute unit.
pub(super) const PER_UNIT: usize = 1;

/// Which kernel, and how it is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SdpaKernel {
    Tiles { columns: usize },
    Matrix { columns: usize, weights: Weights },
    Few { queries: usize, lanes: usize, splits: usize, split_len: usize },
}

impl SdpaKernel {
    pub(super) fn new<T: RocmDType>(device: &RocmDevice, sizes: Sizes, weights: Weights) -> Self {
        let columns = sizes.columns();
        if !sizes.have_few_queries() {
            if columns <= MATRIX_COLUMNS && device.uses_matrix_cores(T::DTYPE) {
                let columns = if columns <= 64 { 64 } else { MATRIX_COLUMNS };
                return Self::Matrix { columns, weights };
            }
            let columns = if sizes.d_v <= 128 { 128 } else { 256 };
            return Self::Tiles { columns };
        }
        Self::few(device, sizes, PER_UNIT)
    }

    /// For few queries: keys are split so that there are up to so many blocks for each compute unit, and each has enough keys for all of
    /// its lanes.
    pub(super) fn few(device: &RocmDevice, sizes: Sizes, per_unit: usize) -> Self {
        let queries = match sizes.rows() {
            1 => 1,
            2..=4 => 2,
            _ => 4,
        };
        let lanes = sizes.columns().div_ceil(8).next_power_of_two().max(4);
        let blocks = sizes.batch * sizes.kv_heads * sizes.rows().div_ceil(queries);
        let wanted = (per_unit * device.hip_device().compute_units() as usize / blocks).max(1);
        let at_once = KEYS_IN_FLIGHT * FEW_THREADS / lanes;
        let splits = wanted.min(sizes.s.div_ceil(at_once)).max(sizes.s.div_ceil(MOST_KEYS));
        let split_len = sizes.s.div_ceil(splits);
        Self::Few { queries, lanes, splits: sizes.s.div_ceil(split_len), split_len }
    }

    /// Whether it is for few queries, so that reading keys and values takes the time.
    pub(super) fn is_for_few(self) -> bool {
        matches!(self, Self::Few { .. })
    }

    pub(super) fn blocks_per_batch(self, sizes: Sizes) -> usize {
        let queries = match self {
            Self::Tiles { .. } => TILE_QUERIES,
            Self::Matrix { .. } => MATRIX_QUERIES,
            Self::Few { queries, .. } => queries,
        };
        sizes.kv_heads * sizes.rows().div_ceil(queries)
    }

    /// `append`: with what a decoder's step does before.
    pub(super) fn kernel<T: RocmDType, K: RocmDType>(
        self,
        append: bool,
    ) -> (&'static rocm_kernels::Module, KernelName) {
        let dtype = T::KERNEL_DTYPE;
        let of_step = if append { "step_" } else { "" };
        let few = if append { &ATTENTION_STEP } else { &ATTENTION };
        match self {
            Self::Tiles { columns } => (&ATTENTION, KernelName::new(format_args!("sdpa_{columns}_{dtype}"))),
            Self::Matrix { columns, weights } => {
                let split = if weights == Weights::Split { "split_" } else { "" };
                (&ATTENTION_MATRIX, KernelName::new(format_args!("sdpa_matrix_{split}{columns}_{dtype}")))
            }
            Self::Few { queries, .. } if K::DTYPE != T::DTYPE => {
                let name = format_args!("sdpa_few_{queries}_{dtype}_{}", K::KERNEL_DTYPE);
                (&ATTENTION_F8, KernelName::new(name))
            }
            Self::Few { queries, .. } => {
                (few, KernelName::new(format_args!("sdpa_{of_step}few_{queries}_{dtype}")))
            }
        }
    }
}
