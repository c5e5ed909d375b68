//! What can go wrong, said so that a reader can act: the operation, shapes, dtypes, or what HIP said.

use std::fmt;

use candle_core::DType;
use rocm_sys::MissingSymbol;

use crate::hip::{HipError, Refused};

/// A result whose error is [`RocmError`] unless stated otherwise.
pub type Result<T, E = RocmError> = std::result::Result<T, E>;

/// The errors of this crate. Converts into [`candle_core::Error`] with `?`. `Debug` prints what `Display` does, as candle's own error
/// does, since that is what `main` and `unwrap` print.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RocmError {
    /// HIP failed, or was used incorrectly.
    #[error(transparent)]
    Hip(HipError),

    /// A call into rocBLAS failed.
    #[error("{call} failed on {device}: {name} (code {code})")]
    Rocblas {
        /// The C function.
        call: &'static str,
        /// The numeric `rocblas_status`.
        code: u32,
        /// Its name, such as `rocblas_status_invalid_size`.
        name: String,
        /// The device, such as `amd:0`.
        device: String,
    },

    /// rocBLAS cannot be used on the device.
    #[error(
        "rocBLAS cannot be used on {device}: {why}\nuse GemmEngine::Auto or GemmEngine::Kernels instead \
         (RocmDevice::set_gemm_engine)"
    )]
    RocblasUnavailable {
        /// The device, such as `amd:0#1`.
        device: String,
        /// What is missing.
        why: String,
    },

    /// The operation does not exist for this dtype.
    #[error("unsupported dtype {} for op {op} on ROCm; convert with to_dtype first", dtype.as_str())]
    UnsupportedDType {
        /// The operation.
        op: &'static str,
        /// The dtype.
        dtype: DType,
    },

    /// The operands' dtypes differ.
    #[error("dtype mismatch in {op}, lhs: {}, rhs: {}; convert one with to_dtype", lhs.as_str(), rhs.as_str())]
    DTypeMismatch {
        /// The operation.
        op: &'static str,
        /// The first dtype.
        lhs: DType,
        /// The second dtype.
        rhs: DType,
    },

    /// The operands' shapes are incompatible.
    #[error("shape mismatch in {op}, lhs: {lhs:?}, rhs: {rhs:?}")]
    ShapeMismatch {
        /// The operation.
        op: &'static str,
        /// The first shape.
        lhs: Vec<usize>,
        /// The second shape.
        rhs: Vec<usize>,
    },

    /// A tensor would have more elements than can be counted.
    #[error("number of elements exceeds usize in {op}, shape: {shape:?}")]
    TooManyElements {
        /// The operation.
        op: &'static str,
        /// The tensor's shape.
        shape: Vec<usize>,
    },

    /// A layout exceeds its storage.
    #[error(
        "{op}: layout of shape {shape:?}, stride {stride:?}, offset {offset} exceeds a storage of {len} elements"
    )]
    LayoutOutOfBounds {
        /// The operation.
        op: &'static str,
        /// The layout's shape.
        shape: Vec<usize>,
        /// The layout's stride.
        stride: Vec<usize>,
        /// The layout's start offset.
        offset: usize,
        /// The number of elements in the storage.
        len: usize,
    },

    /// An index was out of range. An earlier kernel detected it, and the first call that waits for the device reports it.
    #[error(
        "{op}: index {index} is out of range for a dimension of size {size}, detected on {device} since the last synchronization; such elements read as 0 and are not written"
    )]
    IndexOutOfRange {
        /// The operation.
        op: &'static str,
        /// One of the indices.
        index: i64,
        /// The size of the dimension.
        size: usize,
        /// The device, such as `amd:0`.
        device: String,
    },

    /// Operands are on different devices.
    #[error(
        "device mismatch in {op}, lhs: {lhs}, rhs: {rhs}; move one with to_device (each call of RocmDevice::new makes a separate device: clone it instead)"
    )]
    WrongDevice {
        /// The operation.
        op: &'static str,
        /// The first device, such as `amd:0#1` (platform, ordinal, instance).
        lhs: String,
        /// The second device.
        rhs: String,
    },

    /// An argument is invalid.
    #[error("{op}: {message}")]
    InvalidArgument {
        /// The operation.
        op: &'static str,
        /// What is wrong, and what would be valid.
        message: String,
    },

    /// A call into MIOpen failed.
    #[error("{call}: {name} (status {code})")]
    Miopen {
        /// The C function.
        call: &'static str,
        /// The numeric `miopenStatus_t`.
        code: u32,
        /// Its name.
        name: String,
    },

    /// MIOpen has no algorithm for a convolution.
    #[error("{op}: MIOpen found no algorithm")]
    NoAlgorithm {
        /// The operation.
        op: &'static str,
    },

    /// An input could not be computed. An earlier call reported why.
    #[error("an input could not be computed, as {op} failed earlier: {message}")]
    Earlier {
        /// The operation that failed.
        op: &'static str,
        /// The message of that error.
        message: String,
    },

    /// A tensor's elements were requested while recorded operations run or are dropped, by the `Drop` of a memory's owner or by an
    /// [`ExternalOp`](crate::ExternalOp).
    #[error(
        "this tensor has not been computed yet: its operation is recorded, and this thread cannot run it now because it is {during}; \
         code that is called meanwhile, such as the Drop of a memory's owner or an ExternalOp, cannot read tensors that are not \
         computed: read them earlier (RocmDevice::flush computes what was recorded), or on a thread that this one does not wait for"
    )]
    StillRecorded {
        /// What the thread is doing.
        during: &'static str,
    },

    /// An operation panicked on a thread that was running recorded operations.
    #[error("{op} panicked: {message}")]
    Panicked {
        /// The operation.
        op: &'static str,
        /// The panic's message.
        message: String,
    },

    /// candle's part of an operation failed, for example because a shape lacks a dimension.
    #[error("{op}: {message}")]
    Candle {
        /// The operation.
        op: &'static str,
        /// candle's message.
        message: String,
    },

    /// Stock candle-core does not give backends the information that this call needs.
    #[error(
        "{op}: stock candle-core hides the parameters from backends; call RocmStorage::convolve or build with the patched \
         candle-core"
    )]
    StockCandle {
        /// The operation.
        op: &'static str,
    },

    /// There is no code for the device, or it does not compile.
    #[error(transparent)]
    Kernel(Box<rocm_kernels::KernelError>),
}

impl fmt::Debug for RocmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl RocmError {
    /// Why a library beside HIP's runtime cannot be used: the platform itself is there.
    #[cfg(any(feature = "rocblas", feature = "miopen"))]
    pub(crate) fn of_library(&self) -> String {
        match self {
            Self::Hip(HipError::Load { source, .. }) => source.to_string(),
            error => error.to_string(),
        }
    }

    /// Finds the error of this crate inside candle's. `None` if something else went wrong.
    pub fn of(error: &candle_core::Error) -> Option<&Self> {
        use candle_core::Error;
        match error {
            Error::Cuda(inner) | Error::WrappedContext { wrapped: inner, .. } => inner.downcast_ref(),
            Error::Context { inner, .. }
            | Error::WithPath { inner, .. }
            | Error::WithBacktrace { inner, .. } => Self::of(inner),
            _ => None,
        }
    }

    /// Whether a launch was refused or had no memory, so that others may do the same. Nothing is lost with the error then: all else
    /// tells of earlier work, which is told once, or of a device that does no more.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::Hip(error) => matches!(
                error,
                HipError::OutOfMemory { .. }
                    | HipError::NoMemoryGiven { .. }
                    | HipError::Launch { .. }
                    | HipError::ArgumentCount { .. }
                    | HipError::ArgumentSize { .. }
                    | HipError::OutOfBounds { .. }
                    | HipError::WrongQueue { .. }
                    | HipError::InvalidArgument { .. }
                    | HipError::NoSuchKernel { .. }
                    | HipError::BadCodeObject { .. }
                    | HipError::MissingSymbol(_)
                    | HipError::Compile(_)
            ),
            Self::IndexOutOfRange { .. } | Self::Earlier { .. } | Self::Panicked { .. } => false,
            _ => true,
        }
    }

    /// What went wrong in a call through candle's traits: the error of this crate, or the words of candle's.
    pub(crate) fn from_candle(op: &'static str, error: candle_core::Error) -> Self {
        use candle_core::Error;
        match error {
            Error::WithBacktrace { inner, .. } => Self::from_candle(op, *inner),
            Error::Cuda(inner) => match inner.downcast() {
                Ok(own) => *own,
                Err(other) => Self::Candle { op, message: other.to_string() },
            },
            other => Self::Candle { op, message: other.to_string() },
        }
    }
}

/// Buffers of two devices are what candle calls tensors on different devices.
impl From<HipError> for RocmError {
    fn from(error: HipError) -> Self {
        match error {
            HipError::WrongQueue { op, lhs, rhs } => Self::WrongDevice { op, lhs, rhs },
            error => Self::Hip(error),
        }
    }
}

impl From<MissingSymbol> for RocmError {
    fn from(missing: MissingSymbol) -> Self {
        Self::Hip(missing.into())
    }
}

impl<V> From<Refused<V>> for RocmError {
    fn from(refused: Refused<V>) -> Self {
        Self::from(*refused.error)
    }
}

impl<V> From<Refused<V, RocmError>> for RocmError {
    fn from(refused: Refused<V, RocmError>) -> Self {
        *refused.error
    }
}

impl From<rocm_kernels::KernelError> for RocmError {
    fn from(error: rocm_kernels::KernelError) -> Self {
        Self::Kernel(Box::new(error))
    }
}

/// candle's variant for another GPU backend's errors: the only one that shows nothing but the message, and keeps the
/// type, so that [`RocmError::of`] can find it again (`Error::wrap` would forget it).
impl From<RocmError> for candle_core::Error {
    fn from(error: RocmError) -> Self {
        candle_core::Error::Cuda(Box::new(error)).bt()
    }
}
