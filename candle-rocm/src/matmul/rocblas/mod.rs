//! rocBLAS: a handle on a device's stream, made when first needed, and the products that go through it.

#[cfg(feature = "rocblas")]
mod handle;
#[cfg(feature = "rocblas")]
mod tensile;

#[cfg(feature = "rocblas")]
pub(crate) use handle::Blas;

impl Blas {
    /// The device's own.
    pub(crate) fn of(device: &crate::RocmDevice) -> &Self {
        device.extension()
    }
}

/// How one matrix lies in memory, as BLAS says it: in columns, `ld` elements apart, or transposed.
#[cfg_attr(not(feature = "rocblas"), allow(dead_code))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BlasMatrix {
    /// Address of the first element.
    pub(crate) address: crate::hip::DevicePtr,
    /// Stored in rows instead of columns.
    pub(crate) transposed: bool,
    /// Elements between columns (rows, if transposed).
    pub(crate) ld: i32,
    /// Elements between the matrices of the batch.
    pub(crate) batch: i64,
}

/// C = A B in BLAS's terms: C is m x n, stored in columns.
#[cfg_attr(not(feature = "rocblas"), allow(dead_code))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlasProduct {
    pub(crate) m: i32,
    pub(crate) n: i32,
    pub(crate) k: i32,
    pub(crate) batch: i32,
    pub(crate) a: BlasMatrix,
    pub(crate) b: BlasMatrix,
    pub(crate) c: BlasMatrix,
}

/// Without rocBLAS there is never a handle.
#[cfg(not(feature = "rocblas"))]
#[derive(Default)]
pub(crate) struct Blas(());

#[cfg(not(feature = "rocblas"))]
impl Blas {
    pub(crate) fn gemm(
        &self,
        device: &crate::RocmDevice,
        _: [candle_core::DType; 2],
        _: &BlasProduct,
    ) -> crate::Result<()> {
        let unavailable = |why| crate::RocmError::RocblasUnavailable { device: device.label(), why };
        self.library(device).map(drop).map_err(unavailable)
    }

    pub(crate) fn library(&self, _: &crate::RocmDevice) -> Result<std::path::PathBuf, String> {
        Err("candle-rocm was built without its feature `rocblas`".to_owned())
    }

    pub(crate) fn is_there(&self, _: &crate::RocmDevice) -> bool {
        false
    }

    pub(crate) fn is_generic(&self, _: &crate::RocmDevice) -> bool {
        false
    }

    pub(crate) fn warn(&self, _: &crate::RocmError) {}
}
