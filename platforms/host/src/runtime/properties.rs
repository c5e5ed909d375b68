//! What a device says about itself: properties, attributes, name, versions.

use super::device::{self, Device};
use super::error::write;
use crate::exports::export;
use rocm_sys::hip::{
    self, hipDevice_t, hipDeviceAttribute_t, hipDeviceProp_tR0000, hipDeviceProp_tR0600, hipError_t, hipUUID,
};
use rocm_sys::implement::{text, write_text};
use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

/// Most threads of a block.
pub(crate) const MAX_THREADS_PER_BLOCK: u32 = 1024;
/// Bytes of shared memory that a block can have.
pub(crate) const SHARED_MEMORY: usize = 64 << 10;
const MAX_BLOCK: [c_int; 3] = [1024, 1024, 1024];
const MAX_GRID: [c_int; 3] = [c_int::MAX, 65536, 65536];
const THREADS_PER_MULTIPROCESSOR: c_int = 2048;
const REGISTERS: c_int = 65536;
const CONSTANT_MEMORY: usize = 64 << 10;
const L2_CACHE: c_int = 4 << 20;
const CLOCK_KHZ: c_int = 2_000_000;
const MEMORY_CLOCK_KHZ: c_int = 1_000_000;
const MEMORY_BUS_BITS: c_int = 128;
/// What `Instant` counts in, as the clock of a kernel's `wall_clock64`.
const WALL_CLOCK_KHZ: c_int = 1_000_000;

/// One multiprocessor for each core.
pub(crate) fn multiprocessors() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
}

impl Device {
    /// The processor's name and the wavefront.
    fn name(&self) -> String {
        let description = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = description.lines().find(|line| line.starts_with("model name"));
        let model = model.and_then(|line| line.split_once(':')).map_or("CPU", |(_, name)| name.trim());
        format!("{model} (HIP on the CPU, wave{})", self.wavefront)
    }

    /// Major and minor version: those of a family of cards with this wavefront.
    fn version(&self) -> (c_int, c_int) {
        if self.wavefront == 32 { (11, 0) } else { (9, 0) }
    }

    fn pci_bus(&self) -> c_int {
        self.ordinal as c_int + 1
    }

    fn pci_bus_id(&self) -> String {
        format!("0000:{:02x}:00.0", self.pci_bus())
    }

    fn uuid(&self) -> [u8; 16] {
        let mut uuid = *b"candle-rocm-h000";
        uuid[13..].copy_from_slice(&format!("{:03}", self.ordinal % 1000).into_bytes());
        uuid
    }
}

/// Sets the fields that the layouts of ROCm 5 and of ROCm 6 have in common.
macro_rules! common_properties {
    ($properties:ident, $device:ident) => {
        $properties.name = text(&$device.name());
        $properties.totalGlobalMem = $device.memory;
        $properties.sharedMemPerBlock = SHARED_MEMORY;
        $properties.regsPerBlock = REGISTERS;
        $properties.warpSize = $device.wavefront as c_int;
        $properties.maxThreadsPerBlock = MAX_THREADS_PER_BLOCK as c_int;
        $properties.maxThreadsDim = MAX_BLOCK;
        $properties.maxGridSize = MAX_GRID;
        $properties.clockRate = CLOCK_KHZ;
        $properties.memoryClockRate = MEMORY_CLOCK_KHZ;
        $properties.memoryBusWidth = MEMORY_BUS_BITS;
        $properties.totalConstMem = CONSTANT_MEMORY;
        ($properties.major, $properties.minor) = $device.version();
        $properties.multiProcessorCount = multiprocessors() as c_int;
        $properties.l2CacheSize = L2_CACHE;
        $properties.maxThreadsPerMultiProcessor = THREADS_PER_MULTIPROCESSOR;
        $properties.maxSharedMemoryPerMultiProcessor = SHARED_MEMORY;
        $properties.clockInstructionRate = WALL_CLOCK_KHZ;
        $properties.concurrentKernels = 1;
        $properties.pciBusID = $device.pci_bus();
        $properties.canMapHostMemory = 1;
        $properties.memPitch = c_int::MAX as usize;
        $properties.gcnArchName = text(&$device.arch());
        $properties.isLargeBar = 1;
        $properties.arch.set_hasGlobalInt32Atomics(1);
        $properties.arch.set_hasGlobalFloatAtomicExch(1);
        $properties.arch.set_hasSharedInt32Atomics(1);
        $properties.arch.set_hasSharedFloatAtomicExch(1);
        $properties.arch.set_hasFloatAtomicAdd(1);
        $properties.arch.set_hasGlobalInt64Atomics(1);
        $properties.arch.set_hasSharedInt64Atomics(1);
        $properties.arch.set_hasDoubles(1);
        $properties.arch.set_hasWarpVote(1);
        $properties.arch.set_hasWarpBallot(1);
        $properties.arch.set_hasWarpShuffle(1);
        $properties.arch.set_hasSyncThreadsExt(1);
    };
}

fn properties_of_rocm_6(device: &Device) -> hipDeviceProp_tR0600 {
    // SAFETY: a C structure of numbers, arrays of them, and pointers that may be null.
    let mut properties: hipDeviceProp_tR0600 = unsafe { std::mem::zeroed() };
    common_properties!(properties, device);
    properties.uuid = hipUUID { bytes: device.uuid().map(|byte| byte as c_char) };
    properties.asyncEngineCount = 1;
    properties.deviceOverlap = 1;
    properties.unifiedAddressing = 1;
    properties.streamPrioritiesSupported = 1;
    properties.sharedMemPerMultiprocessor = SHARED_MEMORY;
    properties.sharedMemPerBlockOptin = SHARED_MEMORY;
    properties.regsPerMultiprocessor = REGISTERS;
    properties.maxBlocksPerMultiProcessor = THREADS_PER_MULTIPROCESSOR / device.wavefront as c_int;
    properties.hostRegisterSupported = 1;
    properties.canUseHostPointerForRegisteredMem = 1;
    properties.unifiedFunctionPointers = 1;
    properties
}

fn properties_of_rocm_5(device: &Device) -> hipDeviceProp_tR0000 {
    // SAFETY: a C structure of numbers, arrays of them, and pointers that may be null.
    let mut properties: hipDeviceProp_tR0000 = unsafe { std::mem::zeroed() };
    common_properties!(properties, device);
    properties
}

/// The value of an attribute, or `None` for one that is not known.
fn attribute(device: &Device, attribute: hipDeviceAttribute_t) -> Option<c_int> {
    type A = hipDeviceAttribute_t;
    Some(match attribute {
        A::hipDeviceAttributeWarpSize => device.wavefront as c_int,
        A::hipDeviceAttributeMultiprocessorCount | A::hipDeviceAttributePhysicalMultiProcessorCount => {
            multiprocessors() as c_int
        }
        A::hipDeviceAttributeMaxThreadsPerBlock => MAX_THREADS_PER_BLOCK as c_int,
        A::hipDeviceAttributeMaxThreadsPerMultiProcessor => THREADS_PER_MULTIPROCESSOR,
        A::hipDeviceAttributeMaxBlocksPerMultiProcessor => {
            THREADS_PER_MULTIPROCESSOR / device.wavefront as c_int
        }
        A::hipDeviceAttributeMaxBlockDimX | A::hipDeviceAttributeMaxThreadsDim => MAX_BLOCK[0],
        A::hipDeviceAttributeMaxBlockDimY => MAX_BLOCK[1],
        A::hipDeviceAttributeMaxBlockDimZ => MAX_BLOCK[2],
        A::hipDeviceAttributeMaxGridDimX => MAX_GRID[0],
        A::hipDeviceAttributeMaxGridDimY => MAX_GRID[1],
        A::hipDeviceAttributeMaxGridDimZ => MAX_GRID[2],
        A::hipDeviceAttributeMaxSharedMemoryPerBlock
        | A::hipDeviceAttributeSharedMemPerBlockOptin
        | A::hipDeviceAttributeSharedMemPerMultiprocessor
        | A::hipDeviceAttributeMaxSharedMemoryPerMultiprocessor => SHARED_MEMORY as c_int,
        A::hipDeviceAttributeMaxRegistersPerBlock | A::hipDeviceAttributeMaxRegistersPerMultiprocessor => {
            REGISTERS
        }
        A::hipDeviceAttributeTotalConstantMemory => CONSTANT_MEMORY as c_int,
        A::hipDeviceAttributeTotalGlobalMem => c_int::try_from(device.memory).unwrap_or(c_int::MAX),
        A::hipDeviceAttributeL2CacheSize => L2_CACHE,
        A::hipDeviceAttributeClockRate => CLOCK_KHZ,
        A::hipDeviceAttributeMemoryClockRate => MEMORY_CLOCK_KHZ,
        A::hipDeviceAttributeMemoryBusWidth => MEMORY_BUS_BITS,
        A::hipDeviceAttributeWallClockRate | A::hipDeviceAttributeClockInstructionRate => WALL_CLOCK_KHZ,
        A::hipDeviceAttributeMaxPitch => c_int::MAX,
        A::hipDeviceAttributeComputeCapabilityMajor => device.version().0,
        A::hipDeviceAttributeComputeCapabilityMinor => device.version().1,
        A::hipDeviceAttributePciBusId => device.pci_bus(),
        A::hipDeviceAttributeAsyncEngineCount => 1,
        A::hipDeviceAttributeCanMapHostMemory
        | A::hipDeviceAttributeCanUseHostPointerForRegisteredMem
        | A::hipDeviceAttributeConcurrentKernels
        | A::hipDeviceAttributeDeviceOverlap
        | A::hipDeviceAttributeHostRegisterSupported
        | A::hipDeviceAttributeIsLargeBar
        | A::hipDeviceAttributeFineGrainSupport
        | A::hipDeviceAttributeStreamPrioritiesSupported
        | A::hipDeviceAttributeUnifiedAddressing => 1,
        // What this platform does not have, and what means nothing on a CPU.
        A::hipDeviceAttributeEccEnabled
        | A::hipDeviceAttributeAccessPolicyMaxWindowSize
        | A::hipDeviceAttributeAsicRevision
        | A::hipDeviceAttributeCanUseStreamWaitValue
        | A::hipDeviceAttributeComputeMode
        | A::hipDeviceAttributeComputePreemptionSupported
        | A::hipDeviceAttributeConcurrentManagedAccess
        | A::hipDeviceAttributeCooperativeLaunch
        | A::hipDeviceAttributeCooperativeMultiDeviceLaunch
        | A::hipDeviceAttributeDirectManagedMemAccessFromHost
        | A::hipDeviceAttributeGlobalL1CacheSupported
        | A::hipDeviceAttributeHostNativeAtomicSupported
        | A::hipDeviceAttributeImageSupport
        | A::hipDeviceAttributeIntegrated
        | A::hipDeviceAttributeIsMultiGpuBoard
        | A::hipDeviceAttributeKernelExecTimeout
        | A::hipDeviceAttributeLocalL1CacheSupported
        | A::hipDeviceAttributeManagedMemory
        | A::hipDeviceAttributeMemoryPoolsSupported
        | A::hipDeviceAttributeMultiGpuBoardGroupID
        | A::hipDeviceAttributePageableMemoryAccess
        | A::hipDeviceAttributePageableMemoryAccessUsesHostPageTables
        | A::hipDeviceAttributePciDeviceId
        | A::hipDeviceAttributePciDomainID
        | A::hipDeviceAttributePersistingL2CacheMaxSize
        | A::hipDeviceAttributeReservedSharedMemPerBlock
        | A::hipDeviceAttributeTccDriver
        | A::hipDeviceAttributeVirtualMemoryManagementSupported => 0,
        _ => return None,
    })
}

export! {
    hip => EXPORTS;

    fn hipDriverGetVersion(version: *mut c_int) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { write(version, hip::HIP_VERSION as c_int) }
    }

    fn hipRuntimeGetVersion(version: *mut c_int) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { write(version, hip::HIP_VERSION as c_int) }
    }

    fn hipGetDevicePropertiesR0600(out: *mut hipDeviceProp_tR0600, ordinal: c_int) -> hipError_t {
        let properties = properties_of_rocm_6(device::get(ordinal)?);
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, properties) }
    }

    fn hipGetDevicePropertiesR0000(out: *mut hipDeviceProp_tR0000, ordinal: c_int) -> hipError_t {
        let properties = properties_of_rocm_5(device::get(ordinal)?);
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, properties) }
    }

    /// The name that programs built for ROCm 5 use, with the layout of ROCm 5.
    fn hipGetDeviceProperties(out: *mut hipDeviceProp_tR0000, ordinal: c_int) -> hipError_t {
        let properties = properties_of_rocm_5(device::get(ordinal)?);
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, properties) }
    }

    fn hipDeviceGetAttribute(out: *mut c_int, which: hipDeviceAttribute_t, ordinal: c_int) -> hipError_t {
        let device = device::get(ordinal)?;
        let value = attribute(device, which).ok_or(hipError_t::hipErrorInvalidValue)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, value) }
    }

    fn hipDeviceGetName(out: *mut c_char, len: c_int, ordinal: hipDevice_t) -> hipError_t {
        let device = device::get(ordinal)?;
        // SAFETY: the caller's buffer.
        unsafe { write_text(out, len, &device.name()) }
    }

    fn hipDeviceGetPCIBusId(out: *mut c_char, len: c_int, ordinal: c_int) -> hipError_t {
        let device = device::get(ordinal)?;
        // SAFETY: the caller's buffer.
        unsafe { write_text(out, len, &device.pci_bus_id()) }
    }

    fn hipDeviceGetByPCIBusId(out: *mut c_int, bus: *const c_char) -> hipError_t {
        if bus.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        // SAFETY: not null, so the caller vouches for a C string.
        let bus = unsafe { CStr::from_ptr(bus) };
        let found = device::all().iter().find(|device| device.pci_bus_id().as_bytes() == bus.to_bytes());
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, found.ok_or(hipError_t::hipErrorInvalidValue)?.ordinal as c_int) }
    }

    fn hipDeviceGetUuid(out: *mut hipUUID, ordinal: hipDevice_t) -> hipError_t {
        let device = device::get(ordinal)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, hipUUID { bytes: device.uuid().map(|byte| byte as c_char) }) }
    }

    fn hipDeviceTotalMem(bytes: *mut usize, ordinal: hipDevice_t) -> hipError_t {
        let device = device::get(ordinal)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(bytes, device.memory) }
    }

    fn hipDeviceComputeCapability(major: *mut c_int, minor: *mut c_int, ordinal: hipDevice_t) -> hipError_t {
        let version = device::get(ordinal)?.version();
        // SAFETY: the caller's out-parameters.
        unsafe {
            write(major, version.0)?;
            write(minor, version.1)
        }
    }
}
