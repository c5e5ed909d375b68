//! Kinds of devices: how their modules are loaded, and their kernels run. The runtime around them is the same for all.
//!
//! This crate has one, which compiles kernels for the CPU. Another crate can put its own on the runtime with
//! [`install`](crate::install).

mod arguments;
mod fault;

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use rocm_sys::hip::hipError_t;

pub use arguments::Arguments;
pub use fault::Fault;

/// What a device is.
pub trait Processor: Send + Sync {
    /// The architecture's name, as `gcnArchName` has it.
    fn arch(&self) -> String;

    /// The device's name.
    fn name(&self) -> String;

    /// Lanes of a wavefront.
    fn wavefront(&self) -> u32;

    /// The compute capability: major, minor.
    fn version(&self) -> (c_int, c_int);

    /// The number of multiprocessors.
    fn multiprocessors(&self) -> usize;

    /// Shared memory of a block, in bytes.
    fn shared_memory(&self) -> u32;

    /// Loads a module for the device with this number.
    ///
    /// # Errors
    /// [`LoadError`], whose text goes into the device's report.
    fn load(&self, image: &[u8], ordinal: usize) -> Result<Arc<dyn Code>, LoadError>;

    /// How long the module at an address is; `None` if there is none.
    ///
    /// # Safety
    /// If the memory begins as a module does, the module is readable as a whole.
    unsafe fn image_length(&self, image: *const c_void) -> Option<usize>;
}

/// Why a module cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// It is no module, or a damaged one.
    Invalid(String),
    /// It is for another processor.
    OtherProcessor(String),
    /// It is checked in a way for which this process was not started.
    OtherProcess(String),
}

impl LoadError {
    pub(crate) fn code(&self) -> hipError_t {
        match self {
            Self::Invalid(_) => hipError_t::hipErrorInvalidImage,
            Self::OtherProcessor(_) => hipError_t::hipErrorNoBinaryForGpu,
            Self::OtherProcess(_) => hipError_t::hipErrorSharedObjectInitFailed,
        }
    }

    pub(crate) fn why(&self) -> &str {
        let (Self::Invalid(why) | Self::OtherProcessor(why) | Self::OtherProcess(why)) = self;
        why
    }
}

/// A loaded module. It lives as long as a handle or a queued launch refers to it.
pub trait Code: Send + Sync {
    /// Its kernels.
    fn kernels(&self) -> &[Kernel];

    /// Address and size of a variable.
    fn variable(&self, name: &str) -> Option<(usize, usize)>;

    /// Runs a kernel to its end, on the thread of the stream that it was launched on.
    ///
    /// # Errors
    /// The fault that stops the device.
    fn run(self: Arc<Self>, launch: Launch) -> Result<(), Fault>;
}

/// A kernel's name and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Where each parameter lies in the kernel's arguments.
    pub parameters: Vec<Parameter>,
}

/// The position of a parameter in a kernel's arguments, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Parameter {
    pub offset: usize,
    pub size: usize,
}

impl Kernel {
    /// The length of all arguments in bytes.
    pub fn arguments_size(&self) -> usize {
        self.parameters.iter().map(|parameter| parameter.offset + parameter.size).max().unwrap_or(0)
    }
}

/// A launch whose configuration has been checked.
pub struct Launch {
    /// The kernel's number in [`Code::kernels`].
    pub kernel: usize,
    /// Its arguments.
    pub arguments: Arguments,
    /// Blocks per dimension.
    pub grid: [u32; 3],
    /// Threads of a block per dimension.
    pub block: [u32; 3],
    /// Dynamic shared memory, in bytes.
    pub shared_bytes: u32,
}
