//! What all rooms use: from dtypes to element types, from layouts to what kernels take, from names to launches.

pub(crate) mod access;
pub(crate) mod arrivals;
#[cfg(candle_rocm_seam)]
pub(crate) mod fused;
pub(crate) mod launch;
pub(crate) mod map;
pub(crate) mod observe;
pub(crate) mod operand;
pub(crate) mod operation;
pub(crate) mod plan;
pub(crate) mod setting;
