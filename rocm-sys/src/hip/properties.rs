//! A device's properties, whose C layout changed between ROCm 5 and 6.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::{MaybeUninit, transmute};

use super::{CallError, Hip, hipDeviceProp_tR0000, hipDeviceProp_tR0600, hipError_t, signature};
use crate::{LibraryKind, MissingSymbol};

/// What a device is and has, whatever the version of ROCm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// The name for people: `AMD Radeon RX 7900 XTX`.
    pub name: String,
    /// The architecture with its features: `gfx1100`, `gfx90a:sramecc+:xnack-`.
    pub gcn_arch_name: String,
    /// Memory in bytes.
    pub total_global_mem: usize,
    /// Compute units (RDNA: workgroup processors count as the runtime counts them).
    pub multi_processor_count: u32,
    /// Lanes of a wavefront: 32 or 64.
    pub warp_size: u32,
    /// Threads that a block may have.
    pub max_threads_per_block: u32,
    /// Threads that a multiprocessor holds at a time.
    pub max_threads_per_multi_processor: u32,
    /// Threads per dimension of a block.
    pub max_threads_dim: [u32; 3],
    /// Blocks per dimension of a grid.
    pub max_grid_size: [u32; 3],
    /// Shared memory (LDS) that a block may have, in bytes.
    pub shared_mem_per_block: usize,
    /// Registers that a block may have.
    pub regs_per_block: u32,
    /// Second-level cache in bytes.
    pub l2_cache_size: usize,
    /// Engine clock in kHz.
    pub clock_rate: u32,
    /// Memory clock in kHz.
    pub memory_clock_rate: u32,
    /// Width of the memory bus in bits.
    pub memory_bus_width: u32,
    /// Part of the CPU's chip, with memory shared with it.
    pub integrated: bool,
    /// Place on the PCI bus: domain, bus, device.
    pub pci: [u32; 3],
}

/// Asks for a device's properties, in the layout that the library knows.
pub fn device_properties(hip: &Hip, ordinal: i32) -> Result<DeviceProperties, CallError> {
    // By address and not through the methods: a program linked against either version must do without the other's function.
    // ROCm 6 and later have both; there, `hipGetDeviceProperties` keeps the layout of ROCm 5.
    let address = |symbol| hip.library().symbol(symbol).map(<*const c_void>::cast_mut);
    if let Some(new) = address("hipGetDevicePropertiesR0600") {
        // SAFETY: the address is that of the function of this name, whose type the header gives.
        let function = unsafe { transmute::<*mut c_void, signature::hipGetDevicePropertiesR0600>(new) };
        // SAFETY: `filled` gives a place for the struct.
        let ask = |place| unsafe { function(place, ordinal) };
        return Room::<hipDeviceProp_tR0600>::filled(hip, "hipGetDevicePropertiesR0600", ask)
            .map(|p| (&p).into());
    }
    let symbol = "hipGetDeviceProperties";
    let missing =
        || MissingSymbol { library: LibraryKind::Hip, symbol, path: hip.library().path().to_owned() };
    let old = address(symbol).ok_or_else(missing)?;
    // SAFETY: as above; a library without the R0600 function is of ROCm 5 and has the old layout.
    let function = unsafe { transmute::<*mut c_void, signature::hipGetDeviceProperties>(old) };
    // SAFETY: `filled` gives a place for the struct.
    let ask = |place| unsafe { function(place, ordinal) };
    Room::<hipDeviceProp_tR0000>::filled(hip, symbol, ask).map(|p| (&p).into())
}

/// Room for a struct to which later versions may have added fields at its end.
#[repr(C)]
struct Room<T> {
    value: MaybeUninit<T>,
    more: MaybeUninit<[u8; 4096]>,
}

impl<T: Copy> Room<T> {
    fn filled(
        hip: &Hip,
        call: &'static str,
        fill: impl FnOnce(*mut T) -> hipError_t,
    ) -> Result<T, CallError> {
        let mut room = Room { value: MaybeUninit::<T>::zeroed(), more: MaybeUninit::zeroed() };
        let code = fill((&raw mut room).cast());
        CallError::check(hip, call, code)?;
        // SAFETY: T is one of the two property structs, made of integers and arrays of them, for which zeros are valid.
        Ok(unsafe { room.value.assume_init() })
    }
}

macro_rules! from_layout {
    ($layout:ty) => {
        impl From<&$layout> for DeviceProperties {
            fn from(p: &$layout) -> Self {
                Self {
                    name: text(&p.name),
                    gcn_arch_name: text(&p.gcnArchName),
                    total_global_mem: p.totalGlobalMem,
                    multi_processor_count: count(p.multiProcessorCount),
                    warp_size: count(p.warpSize),
                    max_threads_per_block: count(p.maxThreadsPerBlock),
                    max_threads_per_multi_processor: count(p.maxThreadsPerMultiProcessor),
                    max_threads_dim: p.maxThreadsDim.map(count),
                    max_grid_size: p.maxGridSize.map(count),
                    shared_mem_per_block: p.sharedMemPerBlock,
                    regs_per_block: count(p.regsPerBlock),
                    l2_cache_size: count(p.l2CacheSize) as usize,
                    clock_rate: count(p.clockRate),
                    memory_clock_rate: count(p.memoryClockRate),
                    memory_bus_width: count(p.memoryBusWidth),
                    integrated: p.integrated != 0,
                    pci: [p.pciDomainID, p.pciBusID, p.pciDeviceID].map(count),
                }
            }
        }
    };
}
from_layout!(hipDeviceProp_tR0600);
from_layout!(hipDeviceProp_tR0000);

/// A C string in a fixed array, which need not end with a zero.
fn text(array: &[c_char; 256]) -> String {
    let bytes = array.map(|c| c as u8);
    let text = CStr::from_bytes_until_nul(&bytes).map_or(&bytes[..], CStr::to_bytes);
    String::from_utf8_lossy(text).into_owned()
}

/// The runtime gives counts as signed integers, and -1 for some that it does not know.
fn count(number: c_int) -> u32 {
    u32::try_from(number).unwrap_or(0)
}
