//! What a device says about itself: properties, attributes, name, versions.

use super::device::{self, Device};
use super::driver;
use crate::exports::Nvidia;
use cudarc::driver::sys::{CUdevice_attribute as C, CUuuid};
use rocm_platform::arguments::c_array;
use rocm_platform::hip::properties::{no_properties, set_features};
use rocm_platform::hip::{HipResult, Properties};
use rocm_platform::hip_properties_exports;
use rocm_sys::hip::{hipDeviceAttribute_t as H, hipDeviceProp_tR0600, hipError_t, hipUUID};
use std::ffi::{CStr, c_char, c_int};

/// What CUDA's `globaltimer` counts in.
const NANOSECONDS_KHZ: c_int = 1_000_000;

impl Device {
    /// An attribute as CUDA has it; 0 where the driver does not know it.
    fn cuda_attribute(&self, attribute: C) -> c_int {
        let mut value = 0;
        // SAFETY: the out-parameter is valid, and the device exists.
        unsafe { self.cuda.cuDeviceGetAttribute(&mut value, attribute, self.raw) }.map_or(0, |()| value)
    }

    /// The architecture as NVIDIA's compilers call it: `sm_90`.
    pub(crate) fn arch(&self) -> String {
        let (major, minor) = self.version();
        format!("sm_{major}{minor}")
    }
}

impl Properties for Device {
    /// The newest CUDA that the driver serves, as 13000 for 13.0; 0 without a driver.
    fn driver_version() -> c_int {
        driver::version().unwrap_or(0)
    }

    fn properties(&self) -> hipDeviceProp_tR0600 {
        let get = |attribute| self.cuda_attribute(attribute);
        let mut properties = no_properties();
        properties.name = c_array(&self.name());
        properties.totalGlobalMem = self.memory();
        properties.sharedMemPerBlock = get(C::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) as usize;
        properties.regsPerBlock = get(C::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
        properties.warpSize = get(C::CU_DEVICE_ATTRIBUTE_WARP_SIZE);
        properties.maxThreadsPerBlock = get(C::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        properties.maxThreadsDim = [
            get(C::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
            get(C::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
            get(C::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
        ];
        properties.maxGridSize = [
            get(C::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
            get(C::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
            get(C::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
        ];
        properties.clockRate = get(C::CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
        properties.memoryClockRate = get(C::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
        properties.memoryBusWidth = get(C::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
        properties.totalConstMem = get(C::CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY) as usize;
        (properties.major, properties.minor) = self.version();
        properties.multiProcessorCount = get(C::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        properties.l2CacheSize = get(C::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
        properties.maxThreadsPerMultiProcessor = get(C::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
        properties.maxSharedMemoryPerMultiProcessor =
            get(C::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) as usize;
        properties.clockInstructionRate = NANOSECONDS_KHZ;
        properties.concurrentKernels = get(C::CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS);
        properties.pciDomainID = get(C::CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
        properties.pciBusID = get(C::CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
        properties.pciDeviceID = get(C::CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
        properties.canMapHostMemory = get(C::CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
        properties.integrated = get(C::CU_DEVICE_ATTRIBUTE_INTEGRATED);
        properties.ECCEnabled = get(C::CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
        properties.memPitch = get(C::CU_DEVICE_ATTRIBUTE_MAX_PITCH) as usize;
        properties.cooperativeLaunch = get(C::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
        properties.gcnArchName = c_array(&self.arch());
        properties.arch.set_hasFunnelShift(1);
        properties.arch.set_hasThreadFenceSystem(1);
        set_features(&mut properties.arch);
        properties.uuid = hipUUID { bytes: self.uuid() };
        properties.asyncEngineCount = get(C::CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
        properties.deviceOverlap = get(C::CU_DEVICE_ATTRIBUTE_GPU_OVERLAP);
        properties.unifiedAddressing = get(C::CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
        properties.streamPrioritiesSupported = get(C::CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
        properties.sharedMemPerMultiprocessor =
            get(C::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) as usize;
        properties.sharedMemPerBlockOptin =
            get(C::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) as usize;
        properties.regsPerMultiprocessor = get(C::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
        properties.maxBlocksPerMultiProcessor = get(C::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
        properties.persistingL2CacheMaxSize = get(C::CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
        properties.hostRegisterSupported = get(C::CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED);
        properties.canUseHostPointerForRegisteredMem =
            get(C::CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
        properties.managedMemory = get(C::CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
        properties.concurrentManagedAccess = get(C::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
        properties.pageableMemoryAccess = get(C::CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS);
        properties.computeMode = get(C::CU_DEVICE_ATTRIBUTE_COMPUTE_MODE);
        properties.kernelExecTimeoutEnabled = get(C::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT);
        properties.textureAlignment = get(C::CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT) as usize;
        properties.texturePitchAlignment = get(C::CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) as usize;
        properties.globalL1CacheSupported = get(C::CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED);
        properties.localL1CacheSupported = get(C::CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED);
        properties.singleToDoublePrecisionPerfRatio =
            get(C::CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
        properties
    }

    fn attribute(&self, which: H) -> Option<c_int> {
        attribute(self, which)
    }

    fn name(&self) -> String {
        let mut name = [0; 256];
        // SAFETY: the buffer is as long as said.
        let found = unsafe { self.cuda.cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, self.raw) };
        found.map_or_else(|_| String::new(), |()| string(&name))
    }

    fn memory(&self) -> usize {
        let mut bytes = 0;
        // SAFETY: the out-parameter is valid, and the device exists.
        unsafe { self.cuda.cuDeviceTotalMem_v2(&mut bytes, self.raw) }.map_or(0, |()| bytes)
    }

    /// The compute capability.
    fn version(&self) -> (c_int, c_int) {
        (
            self.cuda_attribute(C::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            self.cuda_attribute(C::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR),
        )
    }

    fn uuid(&self) -> [c_char; 16] {
        let mut uuid = CUuuid { bytes: [0; 16] };
        // SAFETY: the out-parameter is valid, and the device exists.
        let found = unsafe { self.cuda.cuDeviceGetUuid_v2(&mut uuid, self.raw) };
        found.map_or([0; 16], |()| uuid.bytes)
    }

    fn pci_bus_id(&self) -> HipResult<String> {
        let mut bus = [0; 64];
        // SAFETY: the buffer is as long as said.
        unsafe { self.cuda.cuDeviceGetPCIBusId(bus.as_mut_ptr(), bus.len() as c_int, self.raw)? };
        Ok(string(&bus))
    }

    fn by_pci_bus_id(bus: &CStr) -> HipResult<&'static Self> {
        let devices = device::all()?;
        let mut raw = 0;
        // SAFETY: the out-parameter is valid, and the text a C string.
        unsafe { devices[0].cuda.cuDeviceGetByPCIBusId(&mut raw, bus.as_ptr()) }
            .map_err(|_| hipError_t::hipErrorInvalidValue)?;
        devices.iter().find(|device| device.raw == raw).ok_or(hipError_t::hipErrorInvalidValue)
    }
}

/// The text in a C array.
fn string(array: &[c_char]) -> String {
    let bytes: Vec<u8> = array.iter().map(|&character| character as u8).collect();
    CStr::from_bytes_until_nul(&bytes).unwrap_or_default().to_string_lossy().into_owned()
}

macro_rules! attributes {
    ($($hip:ident $cuda:ident)+) => {
        /// HIP's attributes that CUDA has too.
        const ATTRIBUTES: &[(H, C)] = &[$((H::$hip, C::$cuda)),+];
    };
}

attributes! {
    hipDeviceAttributeAccessPolicyMaxWindowSize CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE
    hipDeviceAttributeAsyncEngineCount CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT
    hipDeviceAttributeCanMapHostMemory CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY
    hipDeviceAttributeCanUseHostPointerForRegisteredMem CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
    hipDeviceAttributeClockRate CU_DEVICE_ATTRIBUTE_CLOCK_RATE
    hipDeviceAttributeComputeCapabilityMajor CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    hipDeviceAttributeComputeCapabilityMinor CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR
    hipDeviceAttributeComputeMode CU_DEVICE_ATTRIBUTE_COMPUTE_MODE
    hipDeviceAttributeComputePreemptionSupported CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED
    hipDeviceAttributeConcurrentKernels CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS
    hipDeviceAttributeConcurrentManagedAccess CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS
    hipDeviceAttributeCooperativeLaunch CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH
    hipDeviceAttributeCooperativeMultiDeviceLaunch CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH
    hipDeviceAttributeDeviceOverlap CU_DEVICE_ATTRIBUTE_GPU_OVERLAP
    hipDeviceAttributeDirectManagedMemAccessFromHost CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST
    hipDeviceAttributeEccEnabled CU_DEVICE_ATTRIBUTE_ECC_ENABLED
    hipDeviceAttributeGlobalL1CacheSupported CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED
    hipDeviceAttributeHostNativeAtomicSupported CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED
    hipDeviceAttributeHostRegisterSupported CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED
    hipDeviceAttributeIntegrated CU_DEVICE_ATTRIBUTE_INTEGRATED
    hipDeviceAttributeIsMultiGpuBoard CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD
    hipDeviceAttributeKernelExecTimeout CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT
    hipDeviceAttributeL2CacheSize CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
    hipDeviceAttributeLocalL1CacheSupported CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED
    hipDeviceAttributeManagedMemory CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY
    hipDeviceAttributeMaxBlockDimX CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
    hipDeviceAttributeMaxBlockDimY CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y
    hipDeviceAttributeMaxBlockDimZ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z
    hipDeviceAttributeMaxBlocksPerMultiProcessor CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR
    hipDeviceAttributeMaxGridDimX CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X
    hipDeviceAttributeMaxGridDimY CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y
    hipDeviceAttributeMaxGridDimZ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z
    hipDeviceAttributeMaxPitch CU_DEVICE_ATTRIBUTE_MAX_PITCH
    hipDeviceAttributeMaxRegistersPerBlock CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK
    hipDeviceAttributeMaxRegistersPerMultiprocessor CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR
    hipDeviceAttributeMaxSharedMemoryPerBlock CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK
    hipDeviceAttributeMaxSharedMemoryPerMultiprocessor CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    hipDeviceAttributeMaxThreadsDim CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X
    hipDeviceAttributeMaxThreadsPerBlock CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK
    hipDeviceAttributeMaxThreadsPerMultiProcessor CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR
    hipDeviceAttributeMemoryBusWidth CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH
    hipDeviceAttributeMemoryClockRate CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE
    hipDeviceAttributeMultiGpuBoardGroupID CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID
    hipDeviceAttributeMultiprocessorCount CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    hipDeviceAttributePageableMemoryAccess CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS
    hipDeviceAttributePageableMemoryAccessUsesHostPageTables CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES
    hipDeviceAttributePciBusId CU_DEVICE_ATTRIBUTE_PCI_BUS_ID
    hipDeviceAttributePciDeviceId CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID
    hipDeviceAttributePciDomainID CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID
    hipDeviceAttributePersistingL2CacheMaxSize CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE
    hipDeviceAttributePhysicalMultiProcessorCount CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    hipDeviceAttributeReservedSharedMemPerBlock CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK
    hipDeviceAttributeSharedMemPerBlockOptin CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    hipDeviceAttributeSharedMemPerMultiprocessor CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    hipDeviceAttributeSingleToDoublePrecisionPerfRatio CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO
    hipDeviceAttributeStreamPrioritiesSupported CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED
    hipDeviceAttributeSurfaceAlignment CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT
    hipDeviceAttributeTccDriver CU_DEVICE_ATTRIBUTE_TCC_DRIVER
    hipDeviceAttributeTextureAlignment CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT
    hipDeviceAttributeTexturePitchAlignment CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT
    hipDeviceAttributeTotalConstantMemory CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY
    hipDeviceAttributeUnifiedAddressing CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING
    hipDeviceAttributeWarpSize CU_DEVICE_ATTRIBUTE_WARP_SIZE
}

/// The value of an attribute, or `None` for one that is not known.
fn attribute(device: &Device, which: H) -> Option<c_int> {
    if let Some((_, cuda)) = ATTRIBUTES.iter().find(|(hip, _)| *hip == which) {
        return Some(device.cuda_attribute(*cuda));
    }
    match which {
        H::hipDeviceAttributeTotalGlobalMem => Some(c_int::try_from(device.memory()).unwrap_or(c_int::MAX)),
        H::hipDeviceAttributeWallClockRate | H::hipDeviceAttributeClockInstructionRate => {
            Some(NANOSECONDS_KHZ)
        }
        // What this platform does not offer, whatever the card can.
        H::hipDeviceAttributeAsicRevision
        | H::hipDeviceAttributeCanUseStreamWaitValue
        | H::hipDeviceAttributeFineGrainSupport
        | H::hipDeviceAttributeImageSupport
        | H::hipDeviceAttributeIsLargeBar
        | H::hipDeviceAttributeMemoryPoolsSupported
        | H::hipDeviceAttributeVirtualMemoryManagementSupported => Some(0),
        _ => None,
    }
}

hip_properties_exports! { Nvidia, Device }

#[cfg(test)]
mod tests {
    use super::ATTRIBUTES;

    #[test]
    fn attributes_are_listed_once() {
        for (index, (hip, _)) in ATTRIBUTES.iter().enumerate() {
            assert!(ATTRIBUTES[index + 1..].iter().all(|(other, _)| other != hip), "{hip:?} is there twice");
        }
    }
}
