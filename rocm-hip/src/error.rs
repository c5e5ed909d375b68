//! What can go wrong, said so that a reader can act: the call, its code and name, the kernel, the device.

use rocm_sys::roots::System;

use crate::{CompileError, SystemMemory};

/// Shorthand for results of this crate.
pub type Result<T, E = HipError> = std::result::Result<T, E>;

/// Every failure of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HipError {
    /// A call into HIP failed.
    #[error("{call} failed on {device}: {name} (code {code}){}", tail(message))]
    Call {
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

    /// A kernel that was launched earlier failed; the device reports it at a later call.
    #[error(
        "a kernel failed on {device}: {name} (code {code}), reported by {call}; kernels launched since the last synchronization: {}{}",
        list(kernels),
        tail(&cause(message, System::THIS))
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

    /// What another library queued on a stream failed; the stream's next call returns it.
    #[error(transparent)]
    Queued(std::sync::Arc<dyn std::error::Error + Send + Sync>),

    /// A call waited for the device longer than the limit allows; every later call on it fails with the same error.
    #[error(
        "{device} is lost: {call} waited longer than {timeout:?}; kernels launched since the last synchronization: {}; restart \
         the process, or raise the limit if the work just takes long (Device::set_timeout, CANDLE_ROCM_TIMEOUT)",
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
        "process {process} was forked from process {opened_by}, which had opened the GPU, and cannot use it: GPU drivers do not \
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
    #[error("kernel {kernel} takes {expected} arguments, got {given}")]
    ArgumentCount {
        /// The kernel and its module.
        kernel: String,
        /// How many the kernel has.
        expected: usize,
        /// How many the launch has.
        given: usize,
    },

    /// An argument of a launch has another size than the kernel's parameter.
    #[error("argument {index} of kernel {kernel} (counted from 0) has {expected} bytes, got {given}")]
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
        source: Box<HipError>,
    },

    /// The device has no memory left, after everything cached was given back.
    #[error(
        "out of memory on {device}: {} requested, {} free of {}{}; this process's pools hold {} of it{}",
        bytes(*requested), bytes(*free), bytes(*total), of_machine(*system), bytes(*pooled),
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
        /// The machine's memory, if the GPU is integrated.
        system: Option<SystemMemory>,
        /// Bytes that this process's pools hold on the device, in use or cached.
        pooled: usize,
    },

    /// A range reaches outside a buffer.
    #[error("{op}: elements {start}..{end} exceed a buffer of {len} elements")]
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

    /// Operands belong to different queues.
    #[error(
        "queue mismatch in {op}, lhs: {lhs}, rhs: {rhs}; copy one with Queue::copy_of (each call of Queue::new makes a \
         separate queue, even on one device)"
    )]
    WrongQueue {
        /// The operation.
        op: &'static str,
        /// One queue, as `amd:0#1` (platform, ordinal, number of the stream).
        lhs: String,
        /// The other.
        rhs: String,
    },

    /// Memory or a stream is of another device.
    #[error("device mismatch in {op}, lhs: {lhs}, rhs: {rhs}")]
    WrongDevice {
        /// The operation.
        op: &'static str,
        /// The device of what was given, as `amd:1`.
        lhs: String,
        /// The device it was given to.
        rhs: String,
    },

    /// The crate rocm-rs is linked to another HIP library than the one that is open.
    #[error(
        "rocm-rs is linked to {theirs}, but this device uses {ours}: two copies of HIP do not know each other's memory and \
         streams; have the platform open the library that the program is linked to (for ROCm, ROCM_PATH names the installation)"
    )]
    OtherLibrary {
        /// The library that the platform opened.
        ours: String,
        /// The library that rocm-rs calls.
        theirs: String,
    },

    /// A type of the crate rocm-rs is not laid out as expected.
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
        /// What to do, beyond what the source says; may be empty.
        advice: String,
        /// What was tried.
        source: rocm_sys::LoadError,
    },

    /// There is neither hiprtc nor comgr, so kernels cannot be compiled.
    #[error("no run-time compiler: {hiprtc}\n{comgr}")]
    NoCompiler {
        /// What was tried for hiprtc.
        hiprtc: rocm_sys::LoadError,
        /// What was tried for comgr, which hiprtc calls and HIP's runtime comes with.
        comgr: rocm_sys::LoadError,
    },

    /// A library lacks a function.
    #[error(transparent)]
    MissingSymbol(#[from] rocm_sys::MissingSymbol),

    /// A platform's name is unknown.
    #[error("{origin}: unknown platform {given:?}; choose one of {choices}")]
    UnknownPlatform {
        /// Where the name came from.
        origin: &'static str,
        /// The name.
        given: String,
        /// The names that are known.
        choices: String,
    },

    /// A platform cannot be used in this process.
    #[error("platform `{platform}` is not available: {why}")]
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
    #[error("module {module} is not a code object for {device}: {why}")]
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

    /// An argument is invalid.
    #[error("{op}: {message}")]
    InvalidArgument {
        /// The operation.
        op: &'static str,
        /// What is wrong, and what would be right.
        message: String,
    },

    /// An environment variable has an invalid value.
    #[error("{variable}: {value:?} is {why}")]
    InvalidVariable {
        /// Its name.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What the value is not.
        why: &'static str,
    },

    /// The runtime reported success, and gave no memory.
    #[error("{call}: the runtime reported success but returned no memory")]
    NoMemoryGiven {
        /// The C function.
        call: &'static str,
    },

    /// What was to be uploaded could not be read.
    #[error("reading what is to be uploaded: {0}")]
    Fill(#[source] std::io::Error),

    /// A launch was run again after it had failed.
    #[error("launch: it failed before, and run has returned its error already")]
    LaunchAgain,

    /// A source cannot be compiled.
    #[error(transparent)]
    Compile(Box<CompileError>),
}

impl From<CompileError> for HipError {
    fn from(error: CompileError) -> Self {
        Self::Compile(Box::new(error))
    }
}

fn tail(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}

/// What the runtime says about a fault, and what else may have been the cause.
fn cause(message: &str, system: System) -> String {
    const RESET: &str =
        "Windows resets a GPU whose kernel runs longer than 2 seconds (TdrDelay in the registry)";
    match (system, message) {
        (System::Linux, message) => message.to_owned(),
        (System::Windows, "") => RESET.to_owned(),
        (System::Windows, message) => format!("{message}; {RESET}"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_on_windows_may_be_a_reset() {
        assert_eq!(cause("unspecified launch failure", System::Linux), "unspecified launch failure");
        assert_eq!(cause("", System::Linux), "");
        for message in ["", "unspecified launch failure"] {
            let text = cause(message, System::Windows);
            assert!(text.starts_with(message) && text.contains("TdrDelay"), "{text}");
        }
    }
}
