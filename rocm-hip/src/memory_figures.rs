//! How much memory there is.

/// The machine's current memory, and how much of it an integrated GPU may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemMemory {
    /// Bytes available to programs without swapping, within this container.
    pub available: usize,
    /// Bytes of memory in the machine, or in this container.
    pub total: usize,
    /// Bytes that the device's pools can still take when `hipMalloc` has no more: by default `available` minus a sixteenth of `total`. The
    /// environment variable `CANDLE_ROCM_SYSTEM_MEMORY` limits it.
    pub usable: usize,
}

/// A device's current memory. On integrated GPUs, HIP's figures can be too small (only the carve-out) or too large (what the driver could
/// map if no other program used the machine's memory), so the machine's figures are included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceMemory {
    /// Free bytes, according to `hipMemGetInfo`.
    pub free: usize,
    /// Total bytes, according to `hipMemGetInfo`.
    pub total: usize,
    /// The machine's memory, if the GPU is integrated and the operating system reports it.
    pub system: Option<SystemMemory>,
}

impl DeviceMemory {
    /// Roughly how many bytes can still be allocated: `free`, or for an integrated GPU the larger of `free` and the machine's usable
    /// memory, because both may count the same memory.
    pub fn allocatable(&self) -> usize {
        match self.system {
            None => self.free,
            Some(system) => self.free.min(self.total).max(system.usable),
        }
    }
}
