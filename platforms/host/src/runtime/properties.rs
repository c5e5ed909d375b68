//! What a device says about itself: properties, attributes, name, versions.

use super::device::{self, Device};
use crate::exports::Host;
use rocm_platform::arguments::c_array;
use rocm_platform::hip::properties::{no_properties, set_features};
use rocm_platform::hip::{HipResult, Properties};
use rocm_platform::hip_properties_exports;
use rocm_sys::hip::{HIP_VERSION, hipDeviceAttribute_t, hipDeviceProp_tR0600, hipError_t, hipUUID};
use std::ffi::{CStr, c_char, c_int};

/// The maximum number of threads per block.
pub(crate) const MAX_THREADS_PER_BLOCK: u32 = 1024;
const MAX_BLOCK: [c_int; 3] = [1024, 1024, 1024];
/// The largest grid.
pub(crate) const MAX_GRID: [c_int; 3] = [c_int::MAX, 65536, 65536];
const THREADS_PER_MULTIPROCESSOR: c_int = 2048;
const REGISTERS: c_int = 65536;
const CONSTANT_MEMORY: usize = 64 << 10;
const L2_CACHE: c_int = 4 << 20;
const CLOCK_KHZ: c_int = 2_000_000;
const MEMORY_CLOCK_KHZ: c_int = 1_000_000;
const MEMORY_BUS_BITS: c_int = 128;
/// The unit of `Instant`, as of a kernel's `wall_clock64`.
const WALL_CLOCK_KHZ: c_int = 1_000_000;

impl Device {
    fn pci_bus(&self) -> c_int {
        self.ordinal as c_int + 1
    }
}

impl Properties for Device {
    fn driver_version() -> c_int {
        HIP_VERSION as c_int
    }

    fn properties(&self) -> hipDeviceProp_tR0600 {
        let mut properties = no_properties();
        properties.name = c_array(&self.name());
        properties.gcnArchName = c_array(&self.arch);
        properties.uuid = hipUUID { bytes: self.uuid() };
        properties.totalGlobalMem = self.memory;
        properties.sharedMemPerBlock = self.shared_memory() as usize;
        properties.regsPerBlock = REGISTERS;
        properties.warpSize = self.wavefront() as c_int;
        properties.maxThreadsPerBlock = MAX_THREADS_PER_BLOCK as c_int;
        properties.maxThreadsDim = MAX_BLOCK;
        properties.maxGridSize = MAX_GRID;
        properties.clockRate = CLOCK_KHZ;
        properties.memoryClockRate = MEMORY_CLOCK_KHZ;
        properties.memoryBusWidth = MEMORY_BUS_BITS;
        properties.totalConstMem = CONSTANT_MEMORY;
        (properties.major, properties.minor) = self.version();
        properties.multiProcessorCount = self.multiprocessors() as c_int;
        properties.l2CacheSize = L2_CACHE;
        properties.maxThreadsPerMultiProcessor = THREADS_PER_MULTIPROCESSOR;
        properties.maxSharedMemoryPerMultiProcessor = self.shared_memory() as usize;
        properties.clockInstructionRate = WALL_CLOCK_KHZ;
        properties.concurrentKernels = 1;
        properties.integrated = c_int::from(self.integrated);
        properties.pciBusID = self.pci_bus();
        properties.canMapHostMemory = 1;
        properties.memPitch = c_int::MAX as usize;
        properties.isLargeBar = 1;
        set_features(&mut properties.arch);
        properties.asyncEngineCount = 1;
        properties.deviceOverlap = 1;
        properties.unifiedAddressing = 1;
        properties.streamPrioritiesSupported = 1;
        properties.sharedMemPerMultiprocessor = self.shared_memory() as usize;
        properties.sharedMemPerBlockOptin = self.shared_memory() as usize;
        properties.regsPerMultiprocessor = REGISTERS;
        properties.maxBlocksPerMultiProcessor = THREADS_PER_MULTIPROCESSOR / self.wavefront() as c_int;
        properties.hostRegisterSupported = 1;
        properties.canUseHostPointerForRegisteredMem = 1;
        properties.unifiedFunctionPointers = 1;
        properties
    }

    fn attribute(&self, which: hipDeviceAttribute_t) -> Option<c_int> {
        attribute(self, which)
    }

    fn name(&self) -> String {
        self.processor.name()
    }

    fn memory(&self) -> usize {
        self.memory
    }

    fn version(&self) -> (c_int, c_int) {
        self.processor.version()
    }

    fn uuid(&self) -> [c_char; 16] {
        let mut uuid = *b"candle-rocm-h000";
        uuid[13..].copy_from_slice(&format!("{:03}", self.ordinal % 1000).into_bytes());
        uuid.map(|byte| byte as c_char)
    }

    fn pci_bus_id(&self) -> HipResult<String> {
        Ok(format!("0000:{:02x}:00.0", self.pci_bus()))
    }

    fn by_pci_bus_id(bus: &CStr) -> HipResult<&'static Self> {
        let is_there = |device: &&Self| device.pci_bus_id().is_ok_and(|id| id.as_bytes() == bus.to_bytes());
        device::all().iter().find(is_there).ok_or(hipError_t::hipErrorInvalidValue)
    }
}

/// The value of an attribute, or `None` for one that is not known.
fn attribute(device: &Device, attribute: hipDeviceAttribute_t) -> Option<c_int> {
    type A = hipDeviceAttribute_t;
    Some(match attribute {
        A::hipDeviceAttributeWarpSize => device.wavefront() as c_int,
        A::hipDeviceAttributeMultiprocessorCount | A::hipDeviceAttributePhysicalMultiProcessorCount => {
            device.multiprocessors() as c_int
        }
        A::hipDeviceAttributeMaxThreadsPerBlock => MAX_THREADS_PER_BLOCK as c_int,
        A::hipDeviceAttributeMaxThreadsPerMultiProcessor => THREADS_PER_MULTIPROCESSOR,
        A::hipDeviceAttributeMaxBlocksPerMultiProcessor => {
            THREADS_PER_MULTIPROCESSOR / device.wavefront() as c_int
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
        | A::hipDeviceAttributeMaxSharedMemoryPerMultiprocessor => device.shared_memory() as c_int,
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
        A::hipDeviceAttributeIntegrated => c_int::from(device.integrated),
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

hip_properties_exports! { Host, Device }
