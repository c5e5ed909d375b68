//! Constants that RCCL has since NCCL 2.14 or later, where the bindings' header has only the number of constants.

use super::{ncclDataType_t, ncclResult_t};

impl ncclResult_t {
    pub const ncclInProgress: Self = Self(7);
    pub const ncclTimeout: Self = Self(8);
}

impl ncclDataType_t {
    pub const ncclFloat8e4m3: Self = Self(10);
    pub const ncclFloat8e5m2: Self = Self(11);
}
