//! What is reduced, and how.

use std::fmt;

use rocm_hip::Element;
use rocm_sys::rccl::{ncclDataType_t, ncclRedOp_t};

/// Element types that RCCL can reduce.
pub trait Reducible: Element {
    /// The RCCL data type.
    const DATATYPE: ncclDataType_t;
}

macro_rules! reducible {
    ($($ty:ty = $datatype:ident),* $(,)?) => {$(
        impl Reducible for $ty {
            const DATATYPE: ncclDataType_t = ncclDataType_t::$datatype;
        }
    )*};
}

reducible! {
    i8 = ncclInt8,
    u8 = ncclUint8,
    i32 = ncclInt32,
    u32 = ncclUint32,
    i64 = ncclInt64,
    u64 = ncclUint64,
    f32 = ncclFloat32,
    f64 = ncclFloat64,
}
#[cfg(feature = "half")]
reducible!(half::f16 = ncclFloat16, half::bf16 = ncclBfloat16);
#[cfg(feature = "float8")]
reducible!(float8::F8E4M3 = ncclFloat8e4m3);

/// How the elements of all ranks are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// The sum. Integers wrap.
    Sum,
    /// The product. Integers wrap.
    Product,
    /// The minimum.
    Min,
    /// The maximum.
    Max,
    /// The sum divided by the number of ranks. Integers are truncated.
    Average,
}

impl Reduce {
    pub(crate) fn to_raw(self) -> ncclRedOp_t {
        match self {
            Self::Sum => ncclRedOp_t::ncclSum,
            Self::Product => ncclRedOp_t::ncclProd,
            Self::Min => ncclRedOp_t::ncclMin,
            Self::Max => ncclRedOp_t::ncclMax,
            Self::Average => ncclRedOp_t::ncclAvg,
        }
    }
}

impl fmt::Display for Reduce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
            Self::Average => "average",
        })
    }
}
