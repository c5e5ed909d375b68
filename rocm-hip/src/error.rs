//! What can go wrong, said so that a reader can act: the call, its code and name, the kernel, the device.

use std::fmt;

use crate::{CompileError, SystemMemory};

/// A result whose error is [`HipError`] unless stated otherwise.
pub type Result<T, E = HipError> = std::result::Result<T, E>;

/// The errors of this crate. `Debug` prints what `Display` does, since that is what `main` and `unwrap` print.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum HipError {
    /// A call into HIP failed.
    #[error("{call} failed on {device}: {name} (code {code}){}", tail(message))]
    Call {
        /// The C function.
        call: &'static str,
        /// The numeric `hipError_t`.
        code: u32,
        /// Its name, such as `hipErrorInvalidValue`.
        name: String,
        /// The runtime's description of it, and what the call was for; may be empty.
        message: String,
        /// The device, such as `amd:0`.
        device: String,
    },

    /// A kernel that was launched earlier failed. The device reports that in a later call.
    #[error(
        "a kernel failed on {device}: {name} (code {code}), reported by {call}; kernels launched since the last synchronization: {}{}",
        list(kernels),
        tail(message)
    )]
    KernelFault {
        /// The call that reported the failure.
        call: &'static str,
        /// The numeric `hipError_t`.
        code: u32,
        /// Its name.
        name: String,
        /// The runtime's description of it; may be empty.
        message: String,
        /// The device, such as `amd:0`.
        device: String,
        /// The kernels launched since the last successful synchronization, oldest first. Holds only the last few dozen.
        kernels: Box<[String]>,
    },

    /// Work that another library queued on a stream failed. The stream's next call returns this.
    #[error(transparent)]
    Queued(std::sync::Arc<dyn std::error::Error + Send + Sync>),

    /// A call waited for the device longer than the limit allows, or the system reset the device. Every later call on the device fails
    /// with the same error.
    #[error(
        "{device} is lost: {call} {reason}; kernels launched since the last synchronization: {}; restart the process, {}",
        list(kernels), reason.advice()
    )]
    DeviceLost {
        /// The device, such as `amd:0`.
        device: String,
        /// The call that waited, or was told of the reset.
        call: &'static str,
        /// Why it is lost.
        reason: DeviceLoss,
        /// The kernels launched since the last successful synchronization, oldest first. Holds only the last few dozen.
        kernels: Box<[String]>,
    },

    /// The process was forked from the one that opened the GPU.
    #[error(
        "process {process} was forked from process {opened_by}, which had opened the GPU, and cannot use it: GPU drivers do not \
         survive a fork; fork before the first device is opened, or start a new program instead (std::process::Command; in \
         Python, multiprocessing's start method `spawn`)"
    )]
    ForkedProcess {
        /// The process that opened the GPU.
        opened_by: u32,
        /// The forked process.
        process: u32,
    },

    /// A launch has too few or too many arguments.
    #[error("kernel {kernel} takes {expected} arguments, got {given}")]
    ArgumentCount {
        /// The kernel and its module.
        kernel: String,
        /// The number of the kernel's parameters.
        expected: usize,
        /// The number of arguments given.
        given: usize,
    },

    /// The size of a launch argument differs from that of the kernel's parameter.
    #[error("argument {index} of kernel {kernel} (counted from 0) has {expected} bytes, got {given}")]
    ArgumentSize {
        /// The kernel and its module.
        kernel: String,
        /// The index of the argument, counted from 0.
        index: usize,
        /// The parameter's size in bytes.
        expected: usize,
        /// The argument's size in bytes.
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
        /// Threads per block in each dimension.
        block: [u32; 3],
        /// Bytes of dynamic shared memory.
        shared_bytes: u32,
        /// The reason.
        source: Box<HipError>,
    },

    /// The device has no memory left, even after the caches were released.
    #[error(
        "out of memory on {device}: {} requested, {} free of {}{}; this process's pools hold {} of it{}",
        bytes(*requested), bytes(*free), bytes(*total), of_machine(*system), bytes(*pooled),
        "; free tensors, use a smaller batch or a narrower dtype, or close other programs on this device"
    )]
    OutOfMemory {
        /// The device, such as `amd:0`.
        device: String,
        /// Bytes requested.
        requested: usize,
        /// Bytes free on the device, as the runtime reports them.
        free: usize,
        /// Bytes of memory on the device.
        total: usize,
        /// The memory of the machine, if the GPU is integrated.
        system: Option<SystemMemory>,
        /// Bytes that this process's pools hold on the device, in use or cached.
        pooled: usize,
    },

    /// A range exceeds a buffer.
    #[error("{op}: elements {start}..{end} exceed a buffer of {len} elements")]
    OutOfBounds {
        /// The operation.
        op: &'static str,
        /// First element.
        start: usize,
        /// One past the last element.
        end: usize,
        /// The number of elements in the buffer.
        len: usize,
    },

    /// Operands belong to different queues.
    #[error(
        "queue mismatch in {op}, lhs: {lhs}, rhs: {rhs}; copy one with Queue::copy_of (each call of Queue::new makes a \
         separate queue, even on one device)"
    )]
    WrongQueue {
        /// The operation.
        op: &'static str,
        /// The first queue, such as `amd:0#1` (platform, ordinal, number of the stream).
        lhs: String,
        /// The second queue.
        rhs: String,
    },

    /// Memory or a stream belongs to another device.
    #[error("device mismatch in {op}, lhs: {lhs}, rhs: {rhs}")]
    WrongDevice {
        /// The operation.
        op: &'static str,
        /// The device of the operand, such as `amd:1`.
        lhs: String,
        /// The device of the operation.
        rhs: String,
    },

    /// The crate rocm-rs is linked to a different HIP library than the one that the platform opened.
    #[error(
        "rocm-rs is linked to {theirs}, but this device uses {ours}: two copies of HIP cannot use each other's memory and \
         streams; make the platform open the library that the program is linked to (for ROCm, ROCM_PATH names the installation)"
    )]
    OtherLibrary {
        /// The library that the platform opened.
        ours: String,
        /// The library that rocm-rs calls.
        theirs: String,
    },

    /// The layout of a type of the crate rocm-rs is not the expected one.
    #[error(
        "{name} is not an address and a number of bytes, as in rocm-rs 0.5.2: memory cannot be lent to this version"
    )]
    UnknownLayout {
        /// The type.
        name: &'static str,
    },

    /// A library could not be opened.
    #[error("platform `{platform}` is not available: {source}{}", tail(advice))]
    Load {
        /// The platform.
        platform: &'static str,
        /// What to do, in addition to what `source` says; may be empty.
        advice: String,
        /// The files that were tried.
        source: rocm_sys::LoadError,
    },

    /// There is neither hiprtc nor comgr, so kernels cannot be compiled at run time.
    #[error("no run-time compiler: {hiprtc}\n{comgr}")]
    NoCompiler {
        /// The files that were tried for hiprtc.
        hiprtc: rocm_sys::LoadError,
        /// The files that were tried for comgr, the library below hiprtc that ships with HIP's runtime.
        comgr: rocm_sys::LoadError,
    },

    /// A library lacks a function.
    #[error(transparent)]
    MissingSymbol(#[from] rocm_sys::MissingSymbol),

    /// There is no registered platform with this name.
    #[error("{origin}: unknown platform {given:?}; choose one of {choices}")]
    UnknownPlatform {
        /// Where the name came from, such as a variable.
        origin: &'static str,
        /// The name.
        given: String,
        /// The names of the registered platforms.
        choices: String,
    },

    /// A platform cannot be used in this process.
    #[error("platform `{platform}` is not available: {why}")]
    PlatformUnavailable {
        /// The platform.
        platform: &'static str,
        /// The reason, and what to do.
        why: String,
    },

    /// The platform has no such device.
    #[error("no device {ordinal} on the {platform} platform: {why}")]
    NoDevice {
        /// The platform.
        platform: &'static str,
        /// The requested ordinal.
        ordinal: usize,
        /// The reason, and what to do.
        why: String,
    },

    /// The device cannot load a module, because it is damaged or was compiled for another target.
    #[error("module {module} cannot be loaded on {device}: {why}")]
    BadCodeObject {
        /// The module's name.
        module: String,
        /// The device, such as `amd:0 (gfx1100)`.
        device: String,
        /// The reason.
        why: String,
    },

    /// The module has no kernel with this name.
    #[error(
        "module {module} has no kernel {kernel}; kernels are found by their C names: declare them extern \"C\""
    )]
    NoSuchKernel {
        /// The module.
        module: String,
        /// The kernel.
        kernel: String,
    },

    /// An argument is invalid.
    #[error("{op}: {message}")]
    InvalidArgument {
        /// The operation.
        op: &'static str,
        /// What is wrong, and what would be valid.
        message: String,
    },

    /// An environment variable has an invalid value.
    #[error("{variable}: {value:?} is {why}")]
    InvalidVariable {
        /// The variable's name.
        variable: &'static str,
        /// The variable's value.
        value: String,
        /// What is wrong with the value, such as "not a number".
        why: &'static str,
    },

    /// The runtime reported success but returned no memory.
    #[error("{call}: the runtime reported success but returned no memory")]
    NoMemoryGiven {
        /// The C function.
        call: &'static str,
    },

    /// The data to upload could not be read.
    #[error("cannot read the data to upload: {0}")]
    Fill(#[source] std::io::Error),

    /// A launch was run again after it failed.
    #[error("launch: run was called again after it had returned an error")]
    LaunchAgain,

    /// A source cannot be compiled.
    #[error(transparent)]
    Compile(Box<CompileError>),
}

impl fmt::Debug for HipError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a device is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceLoss {
    /// A call waited longer than this limit.
    Timeout(std::time::Duration),
    /// The system reset the device, as Windows does when a kernel runs longer than 2 seconds; or a kernel crashed, where HIP does not tell
    /// the two apart. What was in the device's memory is gone.
    Reset {
        /// The numeric `hipError_t`.
        code: u32,
        /// Its name, such as `hipErrorLaunchTimeOut`.
        name: String,
    },
}

impl fmt::Display for DeviceLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(limit) => write!(f, "waited longer than {limit:?}"),
            Self::Reset { code, name } => {
                write!(f, "reported {name} (code {code}), as after a reset of the device")
            }
        }
    }
}

impl DeviceLoss {
    fn advice(&self) -> &'static str {
        match self {
            Self::Timeout(_) => {
                "or raise the limit if the work simply takes longer (Device::set_timeout, CANDLE_ROCM_TIMEOUT)"
            }
            Self::Reset { .. } => {
                "with fewer elements at a time; Windows resets a GPU whose kernel runs longer than 2 seconds (TdrDelay in the registry)"
            }
        }
    }
}

impl From<CompileError> for HipError {
    fn from(error: CompileError) -> Self {
        Self::Compile(Box::new(error))
    }
}

fn tail(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn of_machine(system: Option<SystemMemory>) -> String {
    let Some(SystemMemory { available, total, usable }) = system else { return String::new() };
    let [available, total, usable] = [available, total, usable].map(bytes);
    format!(
        "; the GPU is integrated, and {usable} of the machine's memory could be taken as well ({available} of {total} are available; \
         CANDLE_ROCM_SYSTEM_MEMORY)"
    )
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
