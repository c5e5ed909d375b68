//! What computes a device's matrix products.

use crate::RocmDevice;
use crate::common::setting::{Choice, Setting};

/// The implementation of matrix products on a device. See [`RocmDevice::set_gemm_engine`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GemmEngine {
    /// rocBLAS if it is available, has kernels for the card and supports the dtype; otherwise this crate's kernels, after a line on stderr
    /// that says why. If rocBLAS only has kernels for a generic target, as in the builds of distributions, this crate's kernels compute f16
    /// and bf16 on [matrix cores](RocmDevice::matrix_cores). This crate's kernels also multiply a matrix of up to 64 MiB by one vector, as
    /// they read it equally fast and in one launch. With [tuning](crate::Tuning), the one that was measured to be faster.
    #[default]
    Auto,
    /// rocBLAS, and an error if it is not available. Dtypes that it does not support use this crate's kernels.
    Rocblas,
    /// This crate's kernels.
    Kernels,
}

impl Choice for GemmEngine {
    const ALL: &'static [Self] = &[Self::Auto, Self::Rocblas, Self::Kernels];
}

impl RocmDevice {
    /// Sets the implementation of matrix products. The default is [`GemmEngine::Auto`].
    ///
    /// ```
    /// use candle_rocm::{GemmEngine, RocmDevice, platform::HOST};
    /// let device = RocmDevice::on(HOST, 0)?;
    /// device.set_gemm_engine(GemmEngine::Kernels);
    /// assert_eq!(device.gemm_engine(), GemmEngine::Kernels);
    /// # Ok::<(), candle_rocm::RocmError>(())
    /// ```
    pub fn set_gemm_engine(&self, engine: GemmEngine) {
        self.flush();
        self.extension::<Setting<GemmEngine>>().set(engine);
    }

    /// The implementation set by [`RocmDevice::set_gemm_engine`].
    pub fn gemm_engine(&self) -> GemmEngine {
        self.extension::<Setting<GemmEngine>>().get()
    }
}
