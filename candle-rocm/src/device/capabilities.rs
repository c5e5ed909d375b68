//! What a device can do and what it is good at. Code that depends on that asks here, and does not ask which platform it is.

use candle_core::DType;
use rocm_kernels::{MatrixCores, Processor};

use super::{RocmDevice, matrix};
use crate::dtype::DTypeExt;
use crate::platform::{HOST, NVIDIA};

impl RocmDevice {
    /// Bytes of shared memory that a block may have.
    pub(crate) fn shared_memory_per_block(&self) -> usize {
        // What every AMD card has; NVIDIA's of today have more.
        if self.platform() == NVIDIA { 96 << 10 } else { 64 << 10 }
    }

    /// Whether loads and stores of vectors need an address that is a multiple of their size. AMD's cards take any multiple of the
    /// element's size, as `UNALIGNED_VECTORS` says in kernels.
    pub(crate) fn needs_aligned_vectors(&self) -> bool {
        self.platform() == NVIDIA
    }

    /// Whether kernels shall multiply this dtype on matrix cores.
    pub(crate) fn uses_matrix_cores(&self, dtype: DType) -> bool {
        // The host platform follows the same steps, if it is told to.
        let emulated = self.platform() == HOST && dtype.is_half();
        self.matrix_cores() && (emulated || matrix::has(self.arch(), dtype))
    }

    /// Whether quantized weights are multiplied as bytes on matrix cores, with the results that they have without: wherever there are
    /// cores for f16.
    pub(crate) fn has_byte_matrix_cores(&self) -> bool {
        matrix::has(self.arch(), DType::F16)
    }

    /// Whether there are kernels for matrix cores that multiply bytes. The host platform also has them, slow as they are there.
    pub(crate) fn has_kernels_of_byte_matrix_cores(&self) -> bool {
        self.has_byte_matrix_cores() || self.platform() == HOST
    }

    /// Whether products of bytes keep matrix cores as busy as those of half types do, as on RDNA's. On CDNA's the scales of small groups
    /// take longer than the products.
    pub(crate) fn has_fast_byte_matrix_cores(&self) -> bool {
        matches!(matrix::of(self.arch()), Some(MatrixCores::WmmaGfx11 | MatrixCores::WmmaGfx12))
    }

    /// Whether libraries multiply half types on matrix cores, whatever our kernels know how to use.
    pub(crate) fn libraries_use_matrix_cores(&self) -> bool {
        let platform = self.platform();
        platform == NVIDIA || platform != HOST && Processor::nearest(self.arch()).matrix != MatrixCores::None
    }

    /// Whether memory keeps up with matrix cores better than on consumers' cards: HBM, as cards for data centers have.
    pub(crate) fn has_fast_memory(&self) -> bool {
        let of_amd =
            || matches!(Processor::nearest(self.arch()).matrix, MatrixCores::Mfma | MatrixCores::MfmaF16);
        self.platform() == NVIDIA || of_amd()
    }

    /// Threads of a block that computes 128 rows at a time on matrix cores. Those of NVIDIA's cards have twice the registers each.
    pub(crate) fn matrix_tile_threads(&self) -> u32 {
        if self.platform() == NVIDIA { 128 } else { 256 }
    }

    /// Whether threads of a block wait for each other, and exchange values, for longer than they compute: a CPU runs them one after the
    /// other.
    pub(crate) fn has_slow_barriers(&self) -> bool {
        self.platform() == HOST
    }

    /// Whether what stands for MIOpen ranks a convolution's algorithms by rules, as cuDNN does. AMD's own ranks them by times it has seen,
    /// and compiles one at its first use, which takes seconds: only its first guess is worth timing.
    #[cfg(feature = "miopen")]
    pub(crate) fn miopen_ranks_by_rule(&self) -> bool {
        self.platform() != crate::platform::AMD
    }

    /// Whether rocBLAS is AMD's own, with files of kernels, which ends the process where there are none for the card. Adapters bring
    /// another library under its name.
    #[cfg(feature = "rocblas")]
    pub(crate) fn rocblas_needs_tensile_files(&self) -> bool {
        self.platform() == crate::platform::AMD
    }
}
