//! What computes a device's matrix products.

use crate::RocmDevice;
use crate::common::setting::{Choice, Setting};

/// What computes matrix products. See [`RocmDevice::set_gemm_engine`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum GemmEngine {
    /// rocBLAS where it is available, has kernels for the card and takes the dtype; otherwise this crate's kernels, after a line
    /// on stderr that says why. Where rocBLAS has kernels for a generic target only, as in distributions' builds, this crate's
    /// kernels compute f16 and bf16 on [matrix cores](RocmDevice::matrix_cores). A matrix of up to 64 MiB times one
    /// vector goes to this crate's kernels, which read it as fast and in one launch. With [tuning](crate::Tuning), whichever was measured to
    /// be faster.
    #[default]
    Auto,
    /// rocBLAS, and an error where it is not available. Dtypes that it does not take go to this crate's kernels.
    Rocblas,
    /// This crate's kernels.
    Kernels,
}

impl Choice for GemmEngine {
    const ALL: &'static [Self] = &[Self::Auto, Self::Rocblas, Self::Kernels];
}

impl RocmDevice {
    /// Chooses what computes matrix products; [`GemmEngine::Auto`] unless set.
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

    /// What [`RocmDevice::set_gemm_engine`] set.
    pub fn gemm_engine(&self) -> GemmEngine {
        self.extension::<Setting<GemmEngine>>().get()
    }
}
