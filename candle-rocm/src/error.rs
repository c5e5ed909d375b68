//! What can go wrong, said so that a reader can act: the operation, shapes, dtypes, or what HIP said.

use candle_core::DType;
use rocm_sys::MissingSymbol;

use crate::hip::{HipError, Refused};

/// Shorthand for results of this crate.
pub type Result<T, E = RocmError> = std::result::Result<T, E>;

/// Every failure of this crate. Converts into [`candle_core::Error`] with `?`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RocmError {
    /// HIP failed, or was used wrongly.
    #[error(transparent)]
    Hip(HipError),

    /// A call into rocBLAS failed.
    #[error("{call} failed on {device}: {name} (code {code})")]
    Rocblas {
        /// The C function.
        call: &'static str,
        /// The numeric `rocblas_status`.
        code: u32,
        /// Its name, as `rocblas_status_invalid_size`.
        name: String,
        /// The device, as `amd:0`.
        device: String,
    },

    /// There is no rocBLAS for the device.
    #[error(
        "rocBLAS cannot be used on {device}: {why}\nuse GemmEngine::Auto or GemmEngine::Kernels instead \
         (RocmDevice::set_gemm_engine)"
    )]
    RocblasUnavailable {
        /// The device, as `amd:0#1`.
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
        /// One dtype.
        lhs: DType,
        /// The other.
        rhs: DType,
    },

    /// The operands' shapes are incompatible.
    #[error("shape mismatch in {op}, lhs: {lhs:?}, rhs: {rhs:?}")]
    ShapeMismatch {
        /// The operation.
        op: &'static str,
        /// One shape.
        lhs: Vec<usize>,
        /// The other.
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

    /// A layout reaches outside its storage.
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
        /// Elements in the storage.
        len: usize,
    },

    /// An index was out of range: noticed by an earlier kernel, reported by the first call that waits for the device.
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
        /// The device, as `amd:0`.
        device: String,
    },

    /// Operands live on different devices.
    #[error(
        "device mismatch in {op}, lhs: {lhs}, rhs: {rhs}; move one with to_device (each call of RocmDevice::new makes a separate device: clone it instead)"
    )]
    WrongDevice {
        /// The operation.
        op: &'static str,
        /// One device, as `amd:0#1` (platform, ordinal, instance).
        lhs: String,
        /// The other.
        rhs: String,
    },

    /// An argument is invalid.
    #[error("{op}: {message}")]
    InvalidArgument {
        /// The operation.
        op: &'static str,
        /// What is wrong, and what would be right.
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

    /// The operand's own computation failed, which an earlier call reported.
    #[error("{op} failed before: {message}")]
    Earlier {
        /// The operation that failed.
        op: &'static str,
        /// What was reported.
        message: String,
    },

    /// A tensor was asked for its elements in the midst of recorded operations, by a memory's owner that is dropped then, or by an
    /// [`ExternalOp`](crate::ExternalOp).
    #[error(
        "the elements of this tensor are not there yet: the operation that gives them is recorded and runs later, and this thread cannot \
         run it now, as it is {during}: code of the program's that is called then, such as the Drop of a memory's owner or an \
         ExternalOp, cannot read tensors that are still to be computed; read it before (RocmDevice::flush computes what was recorded), \
         or leave that to a thread that this one does not wait for"
    )]
    StillRecorded {
        /// What the thread is doing.
        during: &'static str,
    },

    /// An operation panicked, on a thread that ran it with others or for others.
    #[error("{op} panicked: {message}")]
    Panicked {
        /// The operation.
        op: &'static str,
        /// The panic's message.
        message: String,
    },

    /// candle's own part of an operation failed, as for a dimension that a shape does not have.
    #[error("{op}: {message}")]
    Candle {
        /// The operation.
        op: &'static str,
        /// What candle says.
        message: String,
    },

    /// The call is one that stock candle-core gives its backends no way to answer.
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

impl RocmError {
    /// Why a library beside HIP's runtime cannot be used: the platform itself is there.
    pub(crate) fn of_library(&self) -> String {
        match self {
            Self::Hip(HipError::Load { source, .. }) => source.to_string(),
            error => error.to_string(),
        }
    }

    /// The error of this crate inside of candle's, if that is what went wrong.
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
