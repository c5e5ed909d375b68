//! The machine's own memory, which integrated GPUs may use beyond what `hipMalloc` gives.
//!
//! An integrated GPU has no memory of its own: the firmware reserves a part of the machine's (the carve-out), and the driver maps more
//! of it up to a limit (GTT, half of the memory unless `ttm.pages_limit` says otherwise). `hipMalloc` ends there. Pinned host memory is
//! the same memory behind another call, and [the driver][kfd] counts it against all but a small part of the machine's, not against GTT. So
//! where `hipMalloc` refuses, a pool of an integrated GPU takes that, on Linux, which says how much is available.
//!
//! It is asked for as *non-coherent*, which AMD calls coarse-grained: what one side wrote is there for the other after a
//! synchronization, which all copies here make anyway. Coherent, or fine-grained, memory is up to date at any time; for that, [many GPUs
//! do not cache it][coherence], and some of their atomic operations [have no effect in it][atomics].
//!
//! [kfd]: https://github.com/torvalds/linux/blob/master/drivers/gpu/drm/amd/amdgpu/amdgpu_amdkfd_gpuvm.c
//! [coherence]: https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_runtime_api/memory_management/coherence_control.html
//! [atomics]: https://rocm.docs.amd.com/en/latest/reference/gpu-atomics-operation.html

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fs;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use rocm_sys::hip::{hipError_t, hipHostMallocMapped, hipHostMallocNonCoherent};
use rocm_sys::variable;

use crate::{Device, HipError, Result, SystemMemory};

/// How many bytes of it a device's pools may take.
const LIMIT_VARIABLE: &str = "CANDLE_ROCM_SYSTEM_MEMORY";
/// The part of the machine's memory that stays available to others, as the driver wants it: one in so many parts.
const RESERVED_SHARE: usize = 16;
/// The part of the machine's memory that drivers let a GPU map unless told otherwise.
const GTT_SHARE: usize = 2;

/// What a device's pools have of the machine's memory.
#[derive(Debug)]
pub(crate) struct Share {
    /// `None`: whatever is available.
    limit: Option<usize>,
    taken: AtomicUsize,
}

impl Share {
    /// Of an integrated GPU; others have none.
    pub(crate) fn of(integrated: bool) -> Option<Self> {
        let limit = || variable::number(LIMIT_VARIABLE, "a number of bytes");
        integrated.then(|| Self { limit: limit(), taken: AtomicUsize::new(0) })
    }

    /// `None` if the system does not say.
    pub(crate) fn memory(&self) -> Option<SystemMemory> {
        let (available, total) = machine()?;
        let usable = available.saturating_sub(total / RESERVED_SHARE);
        let taken = self.taken.load(Ordering::Relaxed);
        let usable = usable.min(self.limit.unwrap_or(usize::MAX).saturating_sub(taken));
        Some(SystemMemory { available, total, usable })
    }

    /// The most bytes that a driver with its default settings would give from the machine's memory.
    pub(crate) fn reach(&self) -> usize {
        machine().map_or(0, |(_, total)| (total / GTT_SHARE).min(self.limit.unwrap_or(usize::MAX)))
    }

    fn reserve(&self, bytes: usize) -> bool {
        let limit = self.limit.unwrap_or(usize::MAX);
        let add = |taken: usize| taken.checked_add(bytes).filter(|sum| *sum <= limit);
        let fits = self.memory().is_some_and(|memory| bytes <= memory.usable);
        fits && self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    fn release(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// A piece of the machine's memory under its address for the device.
#[derive(Debug)]
pub(crate) struct SystemBlock {
    address: u64,
    host: *mut u8,
    bytes: usize,
    /// Whether no buffer that lay here was dropped: queued work uses what buffers have, and nothing else here.
    fresh: bool,
}

// SAFETY: the memory belongs to the pool that has the block, and is the same for all threads.
unsafe impl Send for SystemBlock {}

impl SystemBlock {
    /// `None`: the GPU is not integrated, or the machine has not so much memory.
    pub(crate) fn new(device: Device, bytes: usize) -> Result<Option<Self>> {
        let Some(share) = device.system_share().filter(|share| share.reserve(bytes)) else { return Ok(None) };
        let block = Self::pinned(device, bytes);
        if !matches!(block, Ok(Some(_))) {
            share.release(bytes);
        }
        block
    }

    fn pinned(device: Device, bytes: usize) -> Result<Option<Self>> {
        let hip = device.hip();
        let (mut host, mut address) = (ptr::null_mut(), ptr::null_mut());
        let flags = hipHostMallocMapped | hipHostMallocNonCoherent;
        // SAFETY: the pointer is valid for the call.
        match unsafe { hip.hipHostMalloc(&mut host, bytes, flags) } {
            Ok(hipError_t::hipErrorOutOfMemory) => {
                device.forget_error();
                return Ok(None);
            }
            code => device.check("hipHostMalloc", code)?,
        }
        // SAFETY: the pointer is valid for the call, and the memory was just allocated.
        let code = unsafe { hip.hipHostGetDevicePointer(&mut address, host, 0) };
        let mapped = device.check("hipHostGetDevicePointer", code);
        if mapped.is_ok() && !address.is_null() {
            return Ok(Some(Self {
                address: address as usize as u64,
                host: host.cast(),
                bytes,
                fresh: true,
            }));
        }
        // SAFETY: as above; nobody else knows the memory.
        let _ = unsafe { hip.hipHostFree(host) };
        mapped.and(Err(HipError::NoMemoryGiven { call: "hipHostGetDevicePointer" }))
    }

    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Gives the memory back. No queued work uses it any more, and the device can be called.
    pub(crate) fn free(self, device: Device) -> Result<()> {
        if let Some(share) = device.system_share() {
            share.release(self.bytes);
        }
        // SAFETY: the memory came from hipHostMalloc, and nobody uses it.
        device.check("hipHostFree", unsafe { device.hip().hipHostFree(self.host.cast::<c_void>()) })
    }
}

/// The pieces that a pool has.
#[derive(Debug, Default)]
pub(crate) struct SystemBlocks(BTreeMap<u64, SystemBlock>);

impl SystemBlocks {
    pub(crate) fn insert(&mut self, block: SystemBlock) {
        self.0.insert(block.address, block);
    }

    /// The piece that begins at a device address.
    pub(crate) fn remove(&mut self, address: u64) -> Option<SystemBlock> {
        self.0.remove(&address)
    }

    /// Where the host finds what the device finds at this address, and whether the piece is fresh.
    pub(crate) fn host(&self, address: u64) -> Option<(*mut u8, bool)> {
        let (start, block) = self.0.range(..=address).next_back()?;
        let offset = (address - start) as usize;
        // The offset is inside the allocation.
        (offset < block.bytes).then(|| (block.host.wrapping_add(offset), block.fresh))
    }

    /// A buffer at this address is dropped.
    pub(crate) fn used(&mut self, address: u64) {
        if let Some((start, block)) = self.0.range_mut(..=address).next_back()
            && address - start < block.bytes as u64
        {
            block.fresh = false;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.values().map(|block| block.bytes).sum()
    }
}

/// Bytes available and in total, on the machine or in the container; `None` if the system does not say.
fn machine() -> Option<(usize, usize)> {
    let (available, total) = meminfo(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let of_group = |name| fs::read_to_string(format!("/sys/fs/cgroup/memory.{name}")).ok();
    let group = of_group("max").zip(of_group("current"));
    Some(match group.and_then(|(limit, used)| limits(&limit, &used)) {
        Some((left, limit)) => (available.min(left), total.min(limit)),
        None => (available, total),
    })
}

fn meminfo(text: &str) -> Option<(usize, usize)> {
    let field = |key: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(key))?;
        value.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
    };
    Some((field("MemAvailable:")?, field("MemTotal:")?))
}

/// What a control group may still take, and its limit; `None` without a limit.
fn limits(limit: &str, used: &str) -> Option<(usize, usize)> {
    let limit: usize = limit.trim().parse().ok()?;
    Some((limit.saturating_sub(used.trim().parse().ok()?), limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceMemory;

    #[test]
    fn figures_of_the_system() {
        let text = "MemTotal:       131072000 kB\nMemFree:         1000 kB\nMemAvailable:   64000000 kB\n";
        assert_eq!(meminfo(text), Some((65_536_000_000, 134_217_728_000)));
        assert_eq!(meminfo("MemTotal: 5 kB\n"), None, "older kernels do not say what is available");
        assert_eq!(limits("max\n", "5\n"), None);
        assert_eq!(limits("100\n", "30\n"), Some((70, 100)));
        assert_eq!(limits("100\n", "130\n"), Some((0, 100)));
    }

    #[test]
    fn what_can_be_allocated() {
        let system = |usable| Some(SystemMemory { available: 0, total: 0, usable });
        let discrete = DeviceMemory { free: 5, total: 9, system: None };
        assert_eq!(discrete.allocatable(), 5);
        for (free, total, usable, want) in [(5, 9, 100, 100), (50, 60, 20, 50), (120, 62, 10, 62)] {
            assert_eq!(DeviceMemory { free, total, system: system(usable) }.allocatable(), want);
        }
    }

    #[test]
    fn blocks_by_address() {
        let mut blocks = SystemBlocks::default();
        for address in [0x1000, 0x2000] {
            let host = (address + 0x8000) as *mut u8;
            blocks.insert(SystemBlock { address, host, bytes: 0x100, fresh: true });
        }
        assert_eq!(blocks.host(0xfff), None);
        assert_eq!(blocks.host(0x10ff), Some((0x90ff as *mut u8, true)));
        assert_eq!(blocks.host(0x1100), None);
        // One that ends before the address is not meant.
        blocks.used(0x1100);
        assert_eq!(blocks.host(0x1000), Some((0x9000 as *mut u8, true)));
        blocks.used(0x1080);
        assert_eq!(blocks.host(0x1000), Some((0x9000 as *mut u8, false)));
        assert_eq!(blocks.host(0x2000), Some((0xa000 as *mut u8, true)));
        assert!(blocks.remove(0x2000).is_some());
        assert_eq!(blocks.bytes(), 0x100);
        assert!(blocks.remove(0x1001).is_none() && blocks.remove(0x1000).is_some());
        assert_eq!(blocks.bytes(), 0);
    }
}
