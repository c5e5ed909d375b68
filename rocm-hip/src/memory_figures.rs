//! How much memory there is.

/// The machine's current memory, and how much of it an integrated GPU may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemMemory {
    /// Bytes available to programs without swapping, within this container.
    pub available: usize,
    /// Bytes of the machine, or of this container.
    pub total: usize,
    /// Bytes that the device's pools can still take when `hipMalloc` has no more: by default `available` less a sixteenth of `total`. The environment variable `CANDLE_ROCM_SYSTEM_MEMORY` limits it.
    pub usable: usize,
}

/// A device's current memory. On integrated GPUs, HIP's figures can be too small (only the carve-out) or too large (what the driver could
/// map if no other program used the machine's memory), so this includes the machine's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceMemory {
    /// Free bytes, according to `hipMemGetInfo`.
    pub free: usize,
    /// All bytes, according to `hipMemGetInfo`.
    pub total: usize,
    /// The machine's memory, if the GPU is integrated and the system reports it.
    pub system: Option<SystemMemory>,
}

impl DeviceMemory {
    /// Roughly how many bytes can still be allocated: the free ones; on an integrated GPU, the larger of both figures, because they may
    /// count the same memory.
    pub fn allocatable(&self) -> usize {
        match self.system {
            None => self.free,
            Some(system) => self.free.min(self.total).max(system.usable),
        }
    }
}
