//! The part of the crate rocm-rs that programs use along with candle's types.

/// Kernel launches.
pub mod hip {
    use std::ffi::c_void;
    use std::fmt;
    use std::sync::Arc;

    use super::super::memory::check_addresses;
    use super::super::{device, Kernel, RocmDevice};
    use crate::backend::BackendDevice;
    use crate::Result;

    /// The stream of a device, which has exactly one.
    pub type Stream = RocmDevice;

    /// The number of blocks in a launch, or of threads in a block.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Dim3 {
        /// Size of the first dimension, which varies fastest.
        pub x: u32,
        /// Size of the second dimension.
        pub y: u32,
        /// Size of the third dimension.
        pub z: u32,
    }

    impl Dim3 {
        /// One dimension.
        pub fn new_1d(x: u32) -> Self {
            Self::new_3d(x, 1, 1)
        }

        /// Two dimensions.
        pub fn new_2d(x: u32, y: u32) -> Self {
            Self::new_3d(x, y, 1)
        }

        /// Three dimensions.
        pub fn new_3d(x: u32, y: u32, z: u32) -> Self {
            Self { x, y, z }
        }
    }

    impl From<u32> for Dim3 {
        fn from(x: u32) -> Self {
            Self::new_1d(x)
        }
    }

    impl From<(u32, u32)> for Dim3 {
        fn from((x, y): (u32, u32)) -> Self {
            Self::new_2d(x, y)
        }
    }

    impl From<(u32, u32, u32)> for Dim3 {
        fn from((x, y, z): (u32, u32, u32)) -> Self {
            Self::new_3d(x, y, z)
        }
    }

    /// A kernel loaded on a device. Clones are the same kernel.
    #[derive(Clone)]
    pub struct Function {
        kernel: Arc<dyn Kernel>,
        device: RocmDevice,
    }

    impl Function {
        pub(in super::super) fn new(kernel: Arc<dyn Kernel>, device: RocmDevice) -> Self {
            Self { kernel, device }
        }

        /// Queues the kernel on the stream of its device, which is also used if `stream` is `None`. Each argument is the address of a
        /// parameter's value, which is read before this returns. If a dimension of the grid is zero, nothing is launched.
        ///
        /// If the kernel fails, a later call that waits for the device reports it, with the kernel's name.
        ///
        /// # Errors
        /// If the number of arguments is not that of the parameters, the device refuses the dimensions, the stream belongs to another
        /// device, or memory whose [address](super::super::SendSyncDeviceMemory::as_ptr) this thread requested cannot be computed.
        ///
        /// # Safety
        /// The values have the types of the parameters, in their order. With them the kernel reads and writes only inside memory that lives
        /// until this returns and that it may [write to](super::super::SendSyncDeviceMemory::as_ptr).
        pub unsafe fn launch(
            &self,
            grid_dim: Dim3,
            block_dim: Dim3,
            shared_mem_bytes: u32,
            stream: Option<&Stream>,
            kernel_params: &mut [*mut c_void],
        ) -> Result<()> {
            check_addresses()?;
            if let Some(stream) = stream.filter(|stream| !stream.same_device(&self.device)) {
                crate::bail!("{:?} was loaded on {:?}, and the stream is that of {stream:?}", self.kernel, self.device)
            }
            // SAFETY: as the caller says.
            unsafe { self.kernel.launch(grid_dim, block_dim, shared_mem_bytes, kernel_params) }
        }
    }

    impl fmt::Debug for Function {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.kernel.fmt(f)
        }
    }

    /// Memory of a device, in bytes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct MemoryInfo {
        /// Bytes that no program uses.
        pub free: usize,
        /// All bytes.
        pub total: usize,
    }

    /// The memory of the ROCm device that the program opened last, or of the first one if it has opened none.
    ///
    /// # Errors
    /// If there is no device.
    pub fn memory_info() -> Result<MemoryInfo> {
        device::memory_info()
    }
}
