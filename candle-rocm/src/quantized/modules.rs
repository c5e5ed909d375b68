//! Which modules have the kernels of a type of weights. Types that few models have are in modules of their own: where kernels are compiled,
//! programs without such weights compile nothing for them.

use rocm_kernels::{
    Module, QUANTIZED, QUANTIZED_EXPERTS, QUANTIZED_GRID, QUANTIZED_GRID_EXPERTS, QUANTIZED_GRID_MAT_MAT,
    QUANTIZED_GRID_MAT_VEC, QUANTIZED_GRID_STREAM, QUANTIZED_MAT_MAT, QUANTIZED_MAT_VEC, QUANTIZED_STREAM,
};

use super::BlockType;

/// A module for each family of kernels.
pub(crate) struct Modules {
    /// To floats, and rows.
    pub(crate) conversions: &'static Module,
    /// Products with few vectors, also of experts.
    pub(crate) mat_vec: &'static Module,
    /// Products with many.
    pub(crate) mat_mat: &'static Module,
    /// Products with many, of experts.
    pub(crate) experts: &'static Module,
    /// Products with few vectors, at memory bandwidth.
    pub(crate) stream: &'static Module,
}

const COMMON: Modules = Modules {
    conversions: &QUANTIZED,
    mat_vec: &QUANTIZED_MAT_VEC,
    mat_mat: &QUANTIZED_MAT_MAT,
    experts: &QUANTIZED_EXPERTS,
    stream: &QUANTIZED_STREAM,
};

const GRIDS: Modules = Modules {
    conversions: &QUANTIZED_GRID,
    mat_vec: &QUANTIZED_GRID_MAT_VEC,
    mat_mat: &QUANTIZED_GRID_MAT_MAT,
    experts: &QUANTIZED_GRID_EXPERTS,
    stream: &QUANTIZED_GRID_STREAM,
};

impl BlockType {
    /// The modules with this type's kernels.
    pub(crate) fn modules(self) -> &'static Modules {
        if self.grid() > 0 { &GRIDS } else { &COMMON }
    }
}
