//! What can go wrong, said so that a reader can act: the call, its code and name, the kernel, shapes, dtypes, device.

use candle_core::DType;

/// Shorthand for results of this crate.
pub type Result<T, E = RocmError> = std::result::Result<T, E>;

/// Every failure of this crate. Converts into [`candle_core::Error`] with `?`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RocmError {
    /// A call into HIP failed.
    #[error("{call} failed on {device}: {name} (code {code}){}", tail(message))]
    Hip {
        /// The C function.
        call: &'static str,
        /// The numeric `hipError_t`.
        code: u32,
        /// Its name, as `hipErrorInvalidValue`.
        name: String,
        /// What the runtime says about it, and what the call was about; may be empty.
        message: String,
        /// The device, as `amd:0`.
        device: String,
    },

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
        "rocBLAS cannot be used on {device}: {why}\nGemmEngine::Auto or GemmEngine::Kernels (RocmDevice::set_gemm_engine) do \
         without it"
    )]
    RocblasUnavailable {
        /// The device, as `amd:0#1`.
        device: String,
        /// What is missing.
        why: String,
    },

    /// A kernel that was launched earlier failed; the device reports it at a later call.
    #[error(
        "a kernel failed on {device}: {name} (code {code}), reported by {call}; launched since the last synchronisation: {}{}",
        list(kernels),
        tail(message)
    )]
    KernelFault {
        /// The call that reported it.
        call: &'static str,
        /// The numeric `hipError_t`.
        code: u32,
        /// Its name.
        name: String,
        /// What the runtime says about it; may be empty.
        message: String,
        /// The device, as `amd:0`.
        device: String,
        /// The kernels launched since the last successful synchronisation, oldest first (the last few dozen only).
        kernels: Box<[String]>,
    },

    /// A call waited for the device longer than the limit allows; every later call on it fails with the same error.
    #[error(
        "{device} is lost: {call} waited longer than {timeout:?}; launched since the last synchronisation: {}; restart the \
         process, and if the work only takes long, raise the limit (RocmDevice::set_timeout, CANDLE_ROCM_TIMEOUT)",
        list(kernels)
    )]
    DeviceLost {
        /// The device, as `amd:0`.
        device: String,
        /// What waited.
        call: &'static str,
        /// The limit.
        timeout: std::time::Duration,
        /// The kernels launched since the last successful synchronisation, oldest first (the last few dozen only).
        kernels: Box<[String]>,
    },

    /// The process was forked off the one that opened the GPU.
    #[error(
        "process {process} was forked off process {opened_by}, which had opened the GPU, and cannot use it: GPU drivers do not \
         survive a fork; fork before the first device is opened, or start a new program instead (std::process::Command; in \
         Python, multiprocessing's start method `spawn`)"
    )]
    ForkedProcess {
        /// The process that opened the GPU.
        opened_by: u32,
        /// This one.
        process: u32,
    },

    /// A launch has too few or too many arguments.
    #[error("kernel {kernel} takes {expected} arguments, and was given {given}")]
    ArgumentCount {
        /// The kernel and its module.
        kernel: String,
        /// How many the kernel has.
        expected: usize,
        /// How many the launch has.
        given: usize,
    },

    /// An argument of a launch has another size than the kernel's parameter.
    #[error(
        "argument {index} of kernel {kernel} (counted from 0) has {expected} bytes, and was given {given}"
    )]
    ArgumentSize {
        /// The kernel and its module.
        kernel: String,
        /// Which one, counted from 0.
        index: usize,
        /// Bytes of the parameter.
        expected: usize,
        /// Bytes of the argument.
        given: usize,
    },

    /// A kernel could not be launched.
    #[error(
        "cannot launch kernel {kernel} with grid {grid:?}, block {block:?}, {shared_bytes} bytes of shared memory: {source}"
    )]
    Launch {
        /// The kernel.
        kernel: String,
        /// Blocks per dimension.
        grid: [u32; 3],
        /// Threads per block and dimension.
        block: [u32; 3],
        /// Dynamic shared memory.
        shared_bytes: u32,
        /// Why.
        source: Box<RocmError>,
    },

    /// The device has no memory left, after everything cached was given back.
    #[error(
        "out of memory on {device}: {} requested, {} free of {}; this process's pools hold {} of it{}",
        bytes(*requested), bytes(*free), bytes(*total), bytes(*pooled),
        "; free tensors, use a smaller batch or a narrower dtype, or close other programs on this device"
    )]
    OutOfMemory {
        /// The device, as `amd:0`.
        device: String,
        /// Bytes asked for.
        requested: usize,
        /// Bytes free on the device, as the runtime reports them.
        free: usize,
        /// Bytes of the device.
        total: usize,
        /// Bytes that this process's pools hold on the device, in use or cached.
        pooled: usize,
    },

    /// The operation does not exist for this dtype.
    #[error("{op} is not supported for dtype {} on ROCm; convert with to_dtype first", dtype.as_str())]
    UnsupportedDType {
        /// The operation.
        op: &'static str,
        /// The dtype.
        dtype: DType,
    },

    /// The operands' dtypes do not fit each other.
    #[error("{op}: dtypes do not fit, {} and {}; convert one with to_dtype", lhs.as_str(), rhs.as_str())]
    DTypeMismatch {
        /// The operation.
        op: &'static str,
        /// One dtype.
        lhs: DType,
        /// The other.
        rhs: DType,
    },

    /// The operands' shapes do not fit each other.
    #[error("{op}: shapes do not fit, {lhs:?} and {rhs:?}")]
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
        "{op}: a layout of shape {shape:?}, stride {stride:?}, offset {offset} reaches outside a storage of {len} elements"
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

    /// A range reaches outside a buffer.
    #[error("{op}: elements {start}..{end} reach outside a buffer of {len} elements")]
    OutOfBounds {
        /// The operation.
        op: &'static str,
        /// First element.
        start: usize,
        /// One past the last element.
        end: usize,
        /// Elements in the buffer.
        len: usize,
    },

    /// An index was out of range: noticed by an earlier kernel, reported by the first call that waits for the device.
    #[error(
        "{op}: index {index} is out of range for a dimension of size {size}, noticed on {device} since the last synchronisation; such elements read as 0, and are not written"
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
        "{op}: operands live on different devices, {lhs} and {rhs}; move one with to_device (two calls of RocmDevice::new make two devices: clone one instead)"
    )]
    WrongDevice {
        /// The operation.
        op: &'static str,
        /// One device, as `amd:0#1` (platform, ordinal, instance).
        lhs: String,
        /// The other.
        rhs: String,
    },

    /// An argument makes no sense.
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

    /// A library could not be opened.
    #[error("the {platform} platform is not usable: {source}{}", tail(advice))]
    Load {
        /// The platform.
        platform: &'static str,
        /// What to do, beyond what the source says; may be empty.
        advice: String,
        /// What was tried.
        source: rocm_sys::LoadError,
    },

    /// A library lacks a function.
    #[error(transparent)]
    MissingSymbol(#[from] rocm_sys::MissingSymbol),

    /// There is no code for the device, or it does not compile.
    #[error(transparent)]
    Kernel(Box<rocm_kernels::KernelError>),

    /// A platform's name is unknown.
    #[error("{origin}: unknown platform {given:?}; choose one of auto, amd, host, nvidia")]
    UnknownPlatform {
        /// Where the name came from.
        origin: &'static str,
        /// The name.
        given: String,
    },

    /// A platform cannot be used in this process.
    #[error("the {platform} platform is not usable: {why}")]
    PlatformUnavailable {
        /// The platform.
        platform: &'static str,
        /// What was tried, and what to do.
        why: String,
    },

    /// The platform has no such device.
    #[error("no device {ordinal} on the {platform} platform: {why}")]
    NoDevice {
        /// The platform.
        platform: &'static str,
        /// The ordinal asked for.
        ordinal: usize,
        /// How many there are, and what to do.
        why: String,
    },

    /// Bytes are not a code object that the device can load.
    #[error("module {module} is no code object for {device}: {why}")]
    BadCodeObject {
        /// The module's name.
        module: String,
        /// The device, as `amd:0 (gfx1100)`.
        device: String,
        /// Why.
        why: String,
    },

    /// A module has no such kernel.
    #[error("module {module} has no kernel {kernel}")]
    NoSuchKernel {
        /// The module.
        module: String,
        /// The kernel.
        kernel: String,
    },
}

impl RocmError {
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

    /// What went wrong in a call through candle's traits: the error of this crate, or the words of candle's.
    pub(crate) fn from_candle(op: &'static str, error: candle_core::Error) -> Self {
        use candle_core::Error;
        match error {
            Error::WithBacktrace { inner, .. } => Self::from_candle(op, *inner),
            Error::Cuda(inner) => match inner.downcast() {
                Ok(own) => *own,
                Err(other) => Self::InvalidArgument { op, message: other.to_string() },
            },
            other => Self::InvalidArgument { op, message: other.to_string() },
        }
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

fn tail(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// A byte count for people, with the exact figure where it was rounded.
fn bytes(count: usize) -> String {
    const UNITS: [(&str, u32); 3] = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    for (unit, shift) in UNITS {
        if count >= 1 << shift {
            return format!("{:.2} {unit} ({count} bytes)", count as f64 / (1u64 << shift) as f64);
        }
    }
    format!("{count} bytes")
}
