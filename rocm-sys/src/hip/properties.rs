//! A device's properties, whose C layout changed between ROCm 5 and 6.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::{MaybeUninit, transmute};

use super::{CallError, Hip, hipDeviceProp_tR0000, hipDeviceProp_tR0600, hipError_t, signature};
use crate::{LibraryKind, MissingSymbol};

/// A device's properties, independent of the ROCm version.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// The product name: `AMD Radeon RX 7900 XTX`.
    pub name: String,
    /// The architecture with its feature flags: `gfx1100`, `gfx90a:sramecc+:xnack-`.
    pub gcn_arch_name: String,
    /// Device memory in bytes.
    pub total_global_mem: usize,
    /// Compute units, as the runtime counts them (on RDNA these may be workgroup processors).
    pub multi_processor_count: u32,
    /// Wavefront size: 32 or 64 lanes.
    pub warp_size: u32,
    /// Maximum threads per block.
    pub max_threads_per_block: u32,
    /// Maximum resident threads per multiprocessor.
    pub max_threads_per_multi_processor: u32,
    /// Maximum threads per dimension of a block.
    pub max_threads_dim: [u32; 3],
    /// Maximum blocks per dimension of a grid.
    pub max_grid_size: [u32; 3],
    /// Maximum shared memory (LDS) per block in bytes.
    pub shared_mem_per_block: usize,
    /// Maximum registers per block.
    pub regs_per_block: u32,
    /// L2 cache size in bytes.
    pub l2_cache_size: usize,
    /// Engine clock in kHz.
    pub clock_rate: u32,
    /// Memory clock in kHz.
    pub memory_clock_rate: u32,
    /// Memory bus width in bits.
    pub memory_bus_width: u32,
    /// Whether the GPU is integrated with the CPU and shares its memory.
    pub integrated: bool,
    /// PCI address: domain, bus, device.
    pub pci: [u32; 3],
}

/// Queries a device's properties, using the struct layout of the library's version.
///
/// # Errors
///
/// Fails if the library has no function for it, or if HIP returns an error, for example because there is no device with this number.
pub fn device_properties(hip: &Hip, ordinal: i32) -> Result<DeviceProperties, CallError> {
    // Looked up by address: the methods would link against both functions, and ROCm 5 lacks the newer one. ROCm 6 and newer have
    // both; there, `hipGetDeviceProperties` keeps the layout of ROCm 5.
    let address = |symbol| hip.library().symbol(symbol).map(<*const c_void>::cast_mut);
    if let Some(new) = address("hipGetDevicePropertiesR0600") {
        // SAFETY: the address is that of the function of this name, whose type the header gives.
        let function = unsafe { transmute::<*mut c_void, signature::hipGetDevicePropertiesR0600>(new) };
        // SAFETY: `fill` passes a pointer that is valid for writing the struct.
        let query = |properties| unsafe { function(properties, ordinal) };
        return Padded::<hipDeviceProp_tR0600>::fill(hip, "hipGetDevicePropertiesR0600", query)
            .map(|p| (&p).into());
    }
    let symbol = "hipGetDeviceProperties";
    let missing =
        || MissingSymbol { library: LibraryKind::Hip, symbol, path: hip.library().path().to_owned() };
    let old = address(symbol).ok_or_else(missing)?;
    // SAFETY: as above; a library without the R0600 function is ROCm 5 and has the old layout.
    let function = unsafe { transmute::<*mut c_void, signature::hipGetDeviceProperties>(old) };
    // SAFETY: `fill` passes a pointer that is valid for writing the struct.
    let query = |properties| unsafe { function(properties, ordinal) };
    Padded::<hipDeviceProp_tR0000>::fill(hip, symbol, query).map(|p| (&p).into())
}

/// A struct followed by padding, since newer versions may append fields.
#[repr(C)]
struct Padded<T> {
    value: MaybeUninit<T>,
    padding: MaybeUninit<[u8; 4096]>,
}

impl<T: Copy> Padded<T> {
    fn fill(hip: &Hip, call: &'static str, query: impl FnOnce(*mut T) -> hipError_t) -> Result<T, CallError> {
        let mut padded = Padded { value: MaybeUninit::<T>::zeroed(), padding: MaybeUninit::zeroed() };
        let code = query((&raw mut padded).cast());
        CallError::check(hip, call, code)?;
        // SAFETY: T is one of the two property structs, which consist of integers and arrays of integers: zeros are valid.
        Ok(unsafe { padded.value.assume_init() })
    }
}

macro_rules! from_layout {
    ($layout:ty) => {
        impl From<&$layout> for DeviceProperties {
            fn from(p: &$layout) -> Self {
                Self {
                    name: string(&p.name),
                    gcn_arch_name: string(&p.gcnArchName),
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

/// A C string in a fixed array, possibly without a terminating zero.
fn string(array: &[c_char; 256]) -> String {
    let bytes = array.map(|c| c as u8);
    let string = CStr::from_bytes_until_nul(&bytes).map_or(&bytes[..], CStr::to_bytes);
    String::from_utf8_lossy(string).into_owned()
}

/// The runtime reports counts as signed integers, and unknown ones as -1.
fn count(number: c_int) -> u32 {
    u32::try_from(number).unwrap_or(0)
}
