// Made by `cargo xtask bindgen` from the headers of ROCm 6.4 (hip 6.4.43484); do not edit.

pub type hipUUID = hipUUID_t;
/// This section describes the driver data types.
pub type hipDeviceptr_t = *mut ::core::ffi::c_void;
pub type hipArray_t = *mut hipArray;
pub type hipArray_const_t = *const hipArray;
/// HIP mipmapped array pointer
pub type hipMipmappedArray_t = *mut hipMipmappedArray;
pub type hipmipmappedArray = hipMipmappedArray_t;
pub type hipMipmappedArray_const_t = *const hipMipmappedArray;
/// HIP texture descriptor
pub type HIP_TEXTURE_DESC = HIP_TEXTURE_DESC_st;
/// HIP resource view descriptor struct
pub type HIP_RESOURCE_DESC = HIP_RESOURCE_DESC_st;
/// Resource view descriptor
pub type HIP_RESOURCE_VIEW_DESC = HIP_RESOURCE_VIEW_DESC_st;
pub type hipTextureObject_t = *mut __hip_texture;
pub type hipSurfaceObject_t = *mut __hip_surface;
pub type hipCtx_t = *mut ihipCtx_t;
pub type hipDevice_t = ::core::ffi::c_int;
pub type hipStream_t = *mut ihipStream_t;
pub type hipIpcMemHandle_t = hipIpcMemHandle_st;
pub type hipIpcEventHandle_t = hipIpcEventHandle_st;
pub type hipModule_t = *mut ihipModule_t;
pub type hipFunction_t = *mut ihipModuleSymbol_t;
pub type hipLinkState_t = *mut ihipLinkState_t;
/// HIP memory pool
pub type hipMemPool_t = *mut ihipMemPoolHandle_t;
pub type hipEvent_t = *mut ihipEvent_t;
/// Union representing batch memory operation parameters for HIP streams.
pub type hipStreamBatchMemOpParams = hipStreamBatchMemOpParams_union;
/// struct hipLaunchParams_t
pub type hipLaunchParams = hipLaunchParams_t;
/// struct hipFunctionLaunchParams_t
pub type hipFunctionLaunchParams = hipFunctionLaunchParams_t;
pub type hipExternalMemoryHandleDesc = hipExternalMemoryHandleDesc_st;
pub type hipExternalMemoryBufferDesc = hipExternalMemoryBufferDesc_st;
pub type hipExternalMemoryMipmappedArrayDesc = hipExternalMemoryMipmappedArrayDesc_st;
pub type hipExternalMemory_t = *mut ::core::ffi::c_void;
pub type hipExternalSemaphoreHandleDesc = hipExternalSemaphoreHandleDesc_st;
pub type hipExternalSemaphore_t = *mut ::core::ffi::c_void;
pub type hipExternalSemaphoreSignalParams = hipExternalSemaphoreSignalParams_st;
/// External semaphore wait parameters, compatible with driver type
pub type hipExternalSemaphoreWaitParams = hipExternalSemaphoreWaitParams_st;
pub type hipGraphicsResource = _hipGraphicsResource;
pub type hipGraphicsResource_t = *mut hipGraphicsResource;
/// An opaque value that represents a hip graph
pub type hipGraph_t = *mut ihipGraph;
/// An opaque value that represents a hip graph node
pub type hipGraphNode_t = *mut hipGraphNode;
/// An opaque value that represents a hip graph Exec
pub type hipGraphExec_t = *mut hipGraphExec;
/// An opaque value that represents a user obj
pub type hipUserObject_t = *mut hipUserObject;
pub type hipHostFn_t = ::core::option::Option<
    unsafe extern "C" fn(userData: *mut ::core::ffi::c_void),
>;
/// Generic handle for memory allocation
pub type hipMemGenericAllocationHandle_t = *mut ihipMemGenericAllocationHandle;
/// Stream CallBack struct
pub type hipStreamCallback_t = ::core::option::Option<
    unsafe extern "C" fn(
        stream: hipStream_t,
        status: hipError_t,
        userData: *mut ::core::ffi::c_void,
    ),
>;
#[repr(C)]
#[derive(Copy, Clone, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct __BindgenBitfieldUnit<Storage> {
    storage: Storage,
}
#[repr(transparent)]
/// hipJitOption
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipJitOption(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// hipJitInputType
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipJitInputType(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// hipJitCacheMode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipJitCacheMode(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// hipJitFallback
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipJitFallback(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct _bindgen_ty_1(pub ::core::ffi::c_uint);
/// / /** hipDeviceArch_t
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipDeviceArch_t {
    pub _bindgen_align: [u32; 0],
    pub _bitfield_1: __BindgenBitfieldUnit<[u8; 3usize]>,
    pub __bindgen_padding_0: u8,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipUUID_t {
    pub bytes: [::core::ffi::c_char; 16usize],
}
/// hipDeviceProp
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipDeviceProp_tR0600 {
    /// Device name.
    pub name: [::core::ffi::c_char; 256usize],
    /// UUID of a device
    pub uuid: hipUUID,
    /// 8-byte unique identifier. Only valid on windows
    pub luid: [::core::ffi::c_char; 8usize],
    /// LUID node mask
    pub luidDeviceNodeMask: ::core::ffi::c_uint,
    /// Size of global memory region (in bytes).
    pub totalGlobalMem: usize,
    /// Size of shared memory per block (in bytes).
    pub sharedMemPerBlock: usize,
    /// Registers per block.
    pub regsPerBlock: ::core::ffi::c_int,
    /// Warp size.
    pub warpSize: ::core::ffi::c_int,
    /// Maximum pitch in bytes allowed by memory copies pitched memory
    pub memPitch: usize,
    /// Max work items per work group or workgroup max size.
    pub maxThreadsPerBlock: ::core::ffi::c_int,
    /// Max number of threads in each dimension (XYZ) of a block.
    pub maxThreadsDim: [::core::ffi::c_int; 3usize],
    /// Max grid dimensions (XYZ).
    pub maxGridSize: [::core::ffi::c_int; 3usize],
    /// Max clock frequency of the multiProcessors in khz.
    pub clockRate: ::core::ffi::c_int,
    /// Size of shared constant memory region on the device (in bytes).
    pub totalConstMem: usize,
    /// Major compute capability. On HCC, this is an approximation and features may differ from CUDA CC. See the arch feature flags for portable ways to query feature caps.
    pub major: ::core::ffi::c_int,
    /// Minor compute capability. On HCC, this is an approximation and features may differ from CUDA CC. See the arch feature flags for portable ways to query feature caps.
    pub minor: ::core::ffi::c_int,
    /// Alignment requirement for textures
    pub textureAlignment: usize,
    /// Pitch alignment requirement for texture references bound to
    pub texturePitchAlignment: usize,
    /// Deprecated. Use asyncEngineCount instead
    pub deviceOverlap: ::core::ffi::c_int,
    /// Number of multi-processors (compute units).
    pub multiProcessorCount: ::core::ffi::c_int,
    /// Run time limit for kernels executed on the device
    pub kernelExecTimeoutEnabled: ::core::ffi::c_int,
    /// APU vs dGPU
    pub integrated: ::core::ffi::c_int,
    /// Check whether HIP can map host memory
    pub canMapHostMemory: ::core::ffi::c_int,
    /// Compute mode.
    pub computeMode: ::core::ffi::c_int,
    /// Maximum number of elements in 1D images
    pub maxTexture1D: ::core::ffi::c_int,
    /// Maximum 1D mipmap texture size
    pub maxTexture1DMipmap: ::core::ffi::c_int,
    /// Maximum size for 1D textures bound to linear memory
    pub maxTexture1DLinear: ::core::ffi::c_int,
    /// Maximum dimensions (width, height) of 2D images, in image elements
    pub maxTexture2D: [::core::ffi::c_int; 2usize],
    /// Maximum number of elements in 2D array mipmap of images
    pub maxTexture2DMipmap: [::core::ffi::c_int; 2usize],
    /// Maximum 2D tex dimensions if tex are bound to pitched memory
    pub maxTexture2DLinear: [::core::ffi::c_int; 3usize],
    /// Maximum 2D tex dimensions if gather has to be performed
    pub maxTexture2DGather: [::core::ffi::c_int; 2usize],
    /// Maximum dimensions (width, height, depth) of 3D images, in image elements
    pub maxTexture3D: [::core::ffi::c_int; 3usize],
    /// Maximum alternate 3D texture dims
    pub maxTexture3DAlt: [::core::ffi::c_int; 3usize],
    /// Maximum cubemap texture dims
    pub maxTextureCubemap: ::core::ffi::c_int,
    /// Maximum number of elements in 1D array images
    pub maxTexture1DLayered: [::core::ffi::c_int; 2usize],
    /// Maximum number of elements in 2D array images
    pub maxTexture2DLayered: [::core::ffi::c_int; 3usize],
    /// Maximum cubemaps layered texture dims
    pub maxTextureCubemapLayered: [::core::ffi::c_int; 2usize],
    /// Maximum 1D surface size
    pub maxSurface1D: ::core::ffi::c_int,
    /// Maximum 2D surface size
    pub maxSurface2D: [::core::ffi::c_int; 2usize],
    /// Maximum 3D surface size
    pub maxSurface3D: [::core::ffi::c_int; 3usize],
    /// Maximum 1D layered surface size
    pub maxSurface1DLayered: [::core::ffi::c_int; 2usize],
    /// Maximum 2D layared surface size
    pub maxSurface2DLayered: [::core::ffi::c_int; 3usize],
    /// Maximum cubemap surface size
    pub maxSurfaceCubemap: ::core::ffi::c_int,
    /// Maximum cubemap layered surface size
    pub maxSurfaceCubemapLayered: [::core::ffi::c_int; 2usize],
    /// Alignment requirement for surface
    pub surfaceAlignment: usize,
    /// Device can possibly execute multiple kernels concurrently.
    pub concurrentKernels: ::core::ffi::c_int,
    /// Device has ECC support enabled
    pub ECCEnabled: ::core::ffi::c_int,
    /// PCI Bus ID.
    pub pciBusID: ::core::ffi::c_int,
    /// PCI Device ID.
    pub pciDeviceID: ::core::ffi::c_int,
    /// PCI Domain ID
    pub pciDomainID: ::core::ffi::c_int,
    /// 1:If device is Tesla device using TCC driver, else 0
    pub tccDriver: ::core::ffi::c_int,
    /// Number of async engines
    pub asyncEngineCount: ::core::ffi::c_int,
    /// Does device and host share unified address space
    pub unifiedAddressing: ::core::ffi::c_int,
    /// Max global memory clock frequency in khz.
    pub memoryClockRate: ::core::ffi::c_int,
    /// Global memory bus width in bits.
    pub memoryBusWidth: ::core::ffi::c_int,
    /// L2 cache size.
    pub l2CacheSize: ::core::ffi::c_int,
    /// Device's max L2 persisting lines in bytes
    pub persistingL2CacheMaxSize: ::core::ffi::c_int,
    /// Maximum resident threads per multi-processor.
    pub maxThreadsPerMultiProcessor: ::core::ffi::c_int,
    /// Device supports stream priority
    pub streamPrioritiesSupported: ::core::ffi::c_int,
    /// Indicates globals are cached in L1
    pub globalL1CacheSupported: ::core::ffi::c_int,
    /// Locals are cahced in L1
    pub localL1CacheSupported: ::core::ffi::c_int,
    /// Amount of shared memory available per multiprocessor.
    pub sharedMemPerMultiprocessor: usize,
    /// registers available per multiprocessor
    pub regsPerMultiprocessor: ::core::ffi::c_int,
    /// Device supports allocating managed memory on this system
    pub managedMemory: ::core::ffi::c_int,
    /// 1 if device is on a multi-GPU board, 0 if not.
    pub isMultiGpuBoard: ::core::ffi::c_int,
    /// Unique identifier for a group of devices on same multiboard GPU
    pub multiGpuBoardGroupID: ::core::ffi::c_int,
    /// Link between host and device supports native atomics
    pub hostNativeAtomicSupported: ::core::ffi::c_int,
    /// Deprecated. CUDA only.
    pub singleToDoublePrecisionPerfRatio: ::core::ffi::c_int,
    /// Device supports coherently accessing pageable memory without calling hipHostRegister on it
    pub pageableMemoryAccess: ::core::ffi::c_int,
    /// Device can coherently access managed memory concurrently with the CPU
    pub concurrentManagedAccess: ::core::ffi::c_int,
    /// Is compute preemption supported on the device
    pub computePreemptionSupported: ::core::ffi::c_int,
    /// Device can access host registered memory with same address as the host
    pub canUseHostPointerForRegisteredMem: ::core::ffi::c_int,
    /// HIP device supports cooperative launch
    pub cooperativeLaunch: ::core::ffi::c_int,
    /// HIP device supports cooperative launch on multiple devices
    pub cooperativeMultiDeviceLaunch: ::core::ffi::c_int,
    /// Per device m ax shared mem per block usable by special opt in
    pub sharedMemPerBlockOptin: usize,
    /// Device accesses pageable memory via the host's page tables
    pub pageableMemoryAccessUsesHostPageTables: ::core::ffi::c_int,
    /// Host can directly access managed memory on the device without migration
    pub directManagedMemAccessFromHost: ::core::ffi::c_int,
    /// Max number of blocks on CU
    pub maxBlocksPerMultiProcessor: ::core::ffi::c_int,
    /// Max value of access policy window
    pub accessPolicyMaxWindowSize: ::core::ffi::c_int,
    /// Shared memory reserved by driver per block
    pub reservedSharedMemPerBlock: usize,
    /// Device supports hipHostRegister
    pub hostRegisterSupported: ::core::ffi::c_int,
    /// Indicates if device supports sparse hip arrays
    pub sparseHipArraySupported: ::core::ffi::c_int,
    /// Device supports using the hipHostRegisterReadOnly flag with hipHostRegistger
    pub hostRegisterReadOnlySupported: ::core::ffi::c_int,
    /// Indicates external timeline semaphore support
    pub timelineSemaphoreInteropSupported: ::core::ffi::c_int,
    /// Indicates if device supports hipMallocAsync and hipMemPool APIs
    pub memoryPoolsSupported: ::core::ffi::c_int,
    /// Indicates device support of RDMA APIs
    pub gpuDirectRDMASupported: ::core::ffi::c_int,
    /// Bitmask to be interpreted according to hipFlushGPUDirectRDMAWritesOptions
    pub gpuDirectRDMAFlushWritesOptions: ::core::ffi::c_uint,
    /// value of hipGPUDirectRDMAWritesOrdering
    pub gpuDirectRDMAWritesOrdering: ::core::ffi::c_int,
    /// Bitmask of handle types support with mempool based IPC
    pub memoryPoolSupportedHandleTypes: ::core::ffi::c_uint,
    /// Device supports deferred mapping HIP arrays and HIP mipmapped arrays
    pub deferredMappingHipArraySupported: ::core::ffi::c_int,
    /// Device supports IPC events
    pub ipcEventSupported: ::core::ffi::c_int,
    /// Device supports cluster launch
    pub clusterLaunch: ::core::ffi::c_int,
    /// Indicates device supports unified function pointers
    pub unifiedFunctionPointers: ::core::ffi::c_int,
    /// CUDA Reserved.
    pub reserved: [::core::ffi::c_int; 63usize],
    /// Reserved for adding new entries for HIP/CUDA.
    pub hipReserved: [::core::ffi::c_int; 32usize],
    /// AMD GCN Arch Name. HIP Only.
    pub gcnArchName: [::core::ffi::c_char; 256usize],
    /// Maximum Shared Memory Per CU. HIP Only.
    pub maxSharedMemoryPerMultiProcessor: usize,
    /// Frequency in khz of the timer used by the device-side "clock*" instructions. New for HIP.
    pub clockInstructionRate: ::core::ffi::c_int,
    /// Architectural feature flags. New for HIP.
    pub arch: hipDeviceArch_t,
    /// Addres of HDP_MEM_COHERENCY_FLUSH_CNTL register
    pub hdpMemFlushCntl: *mut ::core::ffi::c_uint,
    /// Addres of HDP_REG_COHERENCY_FLUSH_CNTL register
    pub hdpRegFlushCntl: *mut ::core::ffi::c_uint,
    /// HIP device supports cooperative launch on multiple
    pub cooperativeMultiDeviceUnmatchedFunc: ::core::ffi::c_int,
    /// HIP device supports cooperative launch on multiple
    pub cooperativeMultiDeviceUnmatchedGridDim: ::core::ffi::c_int,
    /// HIP device supports cooperative launch on multiple
    pub cooperativeMultiDeviceUnmatchedBlockDim: ::core::ffi::c_int,
    /// HIP device supports cooperative launch on multiple
    pub cooperativeMultiDeviceUnmatchedSharedMem: ::core::ffi::c_int,
    /// 1: if it is a large PCI bar device, else 0
    pub isLargeBar: ::core::ffi::c_int,
    /// Revision of the GPU in this device
    pub asicRevision: ::core::ffi::c_int,
}
#[repr(transparent)]
/// hipMemoryType (for pointer attributes)
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemoryType(pub ::core::ffi::c_uint);
/// Pointer attributes
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipPointerAttribute_t {
    pub type_: hipMemoryType,
    pub device: ::core::ffi::c_int,
    pub devicePointer: *mut ::core::ffi::c_void,
    pub hostPointer: *mut ::core::ffi::c_void,
    pub isManaged: ::core::ffi::c_int,
    pub allocationFlags: ::core::ffi::c_uint,
}
#[repr(transparent)]
/// HIP error type
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipError_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// hipDeviceAttribute_t hipDeviceAttributeUnused number: 5
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipDeviceAttribute_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipDriverProcAddressQueryResult(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipComputeMode(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipFlushGPUDirectRDMAWritesOptions(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipGPUDirectRDMAWritesOrdering(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// HIP channel format kinds
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipChannelFormatKind(pub ::core::ffi::c_uint);
/// HIP channel format descriptor
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipChannelFormatDesc {
    pub x: ::core::ffi::c_int,
    pub y: ::core::ffi::c_int,
    pub z: ::core::ffi::c_int,
    pub w: ::core::ffi::c_int,
    /// Channel format kind
    pub f: hipChannelFormatKind,
}
#[repr(C)]
#[derive(Debug)]
pub struct hipArray {
    _unused: [u8; 0],
}
#[repr(transparent)]
/// HIP array format
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipArray_Format(pub ::core::ffi::c_uint);
/// HIP array descriptor
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_ARRAY_DESCRIPTOR {
    /// Width of the array
    pub Width: usize,
    /// Height of the array
    pub Height: usize,
    /// Format of the array
    pub Format: hipArray_Format,
    /// Number of channels of the array
    pub NumChannels: ::core::ffi::c_uint,
}
/// HIP 3D array descriptor
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_ARRAY3D_DESCRIPTOR {
    /// Width of the array
    pub Width: usize,
    /// Height of the array
    pub Height: usize,
    /// Depth of the array
    pub Depth: usize,
    /// Format of the array
    pub Format: hipArray_Format,
    /// Number of channels of the array
    pub NumChannels: ::core::ffi::c_uint,
    /// Flags of the array
    pub Flags: ::core::ffi::c_uint,
}
/// HIP 2D memory copy parameters
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hip_Memcpy2D {
    /// Source width in bytes
    pub srcXInBytes: usize,
    /// Source height
    pub srcY: usize,
    /// Source memory type
    pub srcMemoryType: hipMemoryType,
    /// Source pointer
    pub srcHost: *const ::core::ffi::c_void,
    /// Source device
    pub srcDevice: hipDeviceptr_t,
    /// Source array
    pub srcArray: hipArray_t,
    /// Source pitch
    pub srcPitch: usize,
    /// Destination width in bytes
    pub dstXInBytes: usize,
    /// Destination height
    pub dstY: usize,
    /// Destination memory type
    pub dstMemoryType: hipMemoryType,
    /// Destination pointer
    pub dstHost: *mut ::core::ffi::c_void,
    /// Destination device
    pub dstDevice: hipDeviceptr_t,
    /// Destination array
    pub dstArray: hipArray_t,
    /// Destination pitch
    pub dstPitch: usize,
    /// Width in bytes of the 2D memory copy
    pub WidthInBytes: usize,
    /// Height of the 2D memory copy
    pub Height: usize,
}
/// HIP mipmapped array
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMipmappedArray {
    /// Data pointer of the mipmapped array
    pub data: *mut ::core::ffi::c_void,
    /// Description of the mipmapped array
    pub desc: hipChannelFormatDesc,
    /// Type of the mipmapped array
    pub type_: ::core::ffi::c_uint,
    /// Width of the mipmapped array
    pub width: ::core::ffi::c_uint,
    /// Height of the mipmapped array
    pub height: ::core::ffi::c_uint,
    /// Depth of the mipmapped array
    pub depth: ::core::ffi::c_uint,
    /// Minimum level of the mipmapped array
    pub min_mipmap_level: ::core::ffi::c_uint,
    /// Maximum level of the mipmapped array
    pub max_mipmap_level: ::core::ffi::c_uint,
    /// Flags of the mipmapped array
    pub flags: ::core::ffi::c_uint,
    /// Format of the mipmapped array
    pub format: hipArray_Format,
    /// Number of channels of the mipmapped array
    pub num_channels: ::core::ffi::c_uint,
}
#[repr(transparent)]
/// HIP resource types
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipResourceType(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct HIPresourcetype_enum(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// HIP texture address modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct HIPaddress_mode_enum(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// HIP filter modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct HIPfilter_mode_enum(pub ::core::ffi::c_uint);
/// HIP texture descriptor
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_TEXTURE_DESC_st {
    /// Address modes
    pub addressMode: [HIPaddress_mode; 3usize],
    /// Filter mode
    pub filterMode: HIPfilter_mode,
    /// Flags
    pub flags: ::core::ffi::c_uint,
    /// Maximum anisotropy ratio
    pub maxAnisotropy: ::core::ffi::c_uint,
    /// Mipmap filter mode
    pub mipmapFilterMode: HIPfilter_mode,
    /// Mipmap level bias
    pub mipmapLevelBias: f32,
    /// Mipmap minimum level clamp
    pub minMipmapLevelClamp: f32,
    /// Mipmap maximum level clamp
    pub maxMipmapLevelClamp: f32,
    /// Border Color
    pub borderColor: [f32; 4usize],
    pub reserved: [::core::ffi::c_int; 12usize],
}
#[repr(transparent)]
/// HIP texture resource view formats
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipResourceViewFormat(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// HIP texture resource view formats
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct HIPresourceViewFormat_enum(pub ::core::ffi::c_uint);
/// HIP resource descriptor
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipResourceDesc {
    /// Resource type
    pub resType: hipResourceType,
    pub res: hipResourceDesc__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_1 {
    /// HIP array
    pub array: hipArray_t,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_2 {
    /// HIP mipmapped array
    pub mipmap: hipMipmappedArray_t,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_3 {
    /// Device pointer
    pub devPtr: *mut ::core::ffi::c_void,
    /// Channel format description
    pub desc: hipChannelFormatDesc,
    /// Size in bytes
    pub sizeInBytes: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipResourceDesc__bindgen_ty_1__bindgen_ty_4 {
    /// Device pointer
    pub devPtr: *mut ::core::ffi::c_void,
    /// Channel format description
    pub desc: hipChannelFormatDesc,
    /// Width of the array in elements
    pub width: usize,
    /// Height of the array in elements
    pub height: usize,
    /// Pitch between two rows in bytes
    pub pitchInBytes: usize,
}
/// HIP resource view descriptor struct
#[repr(C)]
#[derive(Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st {
    /// Resource type
    pub resType: HIPresourcetype,
    pub res: HIP_RESOURCE_DESC_st__bindgen_ty_1,
    /// Flags (must be zero)
    pub flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    /// HIP array
    pub hArray: hipArray_t,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 {
    /// HIP mipmapped array
    pub hMipmappedArray: hipMipmappedArray_t,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
    /// Device pointer
    pub devPtr: hipDeviceptr_t,
    /// Array format
    pub format: hipArray_Format,
    /// Channels per array element
    pub numChannels: ::core::ffi::c_uint,
    /// Size in bytes
    pub sizeInBytes: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
    /// Device pointer
    pub devPtr: hipDeviceptr_t,
    /// Array format
    pub format: hipArray_Format,
    /// Channels per array element
    pub numChannels: ::core::ffi::c_uint,
    /// Width of the array in elements
    pub width: usize,
    /// Height of the array in elements
    pub height: usize,
    /// Pitch between two rows in bytes
    pub pitchInBytes: usize,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 {
    pub reserved: [::core::ffi::c_int; 32usize],
}
/// HIP resource view descriptor
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipResourceViewDesc {
    /// Resource view format
    pub format: hipResourceViewFormat,
    /// Width of the resource view
    pub width: usize,
    /// Height of the resource view
    pub height: usize,
    /// Depth of the resource view
    pub depth: usize,
    /// First defined mipmap level
    pub firstMipmapLevel: ::core::ffi::c_uint,
    /// Last defined mipmap level
    pub lastMipmapLevel: ::core::ffi::c_uint,
    /// First layer index
    pub firstLayer: ::core::ffi::c_uint,
    /// Last layer index
    pub lastLayer: ::core::ffi::c_uint,
}
/// Resource view descriptor
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_RESOURCE_VIEW_DESC_st {
    /// Resource view format
    pub format: HIPresourceViewFormat,
    /// Width of the resource view
    pub width: usize,
    /// Height of the resource view
    pub height: usize,
    /// Depth of the resource view
    pub depth: usize,
    /// First defined mipmap level
    pub firstMipmapLevel: ::core::ffi::c_uint,
    /// Last defined mipmap level
    pub lastMipmapLevel: ::core::ffi::c_uint,
    /// First layer index
    pub firstLayer: ::core::ffi::c_uint,
    /// Last layer index
    pub lastLayer: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemcpyKind(pub ::core::ffi::c_uint);
/// HIP pithed pointer
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipPitchedPtr {
    /// Pointer to the allocated memory
    pub ptr: *mut ::core::ffi::c_void,
    /// Pitch in bytes
    pub pitch: usize,
    /// Logical size of the first dimension of allocation in elements
    pub xsize: usize,
    /// Logical size of the second dimension of allocation in elements
    pub ysize: usize,
}
/// HIP extent
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipExtent {
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}
/// HIP position
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipPos {
    /// X coordinate
    pub x: usize,
    /// Y coordinate
    pub y: usize,
    /// Z coordinate
    pub z: usize,
}
/// HIP 3D memory copy parameters
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemcpy3DParms {
    /// Source array
    pub srcArray: hipArray_t,
    /// Source position
    pub srcPos: hipPos,
    /// Source pointer
    pub srcPtr: hipPitchedPtr,
    /// Destination array
    pub dstArray: hipArray_t,
    /// Destination position
    pub dstPos: hipPos,
    /// Destination pointer
    pub dstPtr: hipPitchedPtr,
    /// Extent of 3D memory copy
    pub extent: hipExtent,
    /// Kind of 3D memory copy
    pub kind: hipMemcpyKind,
}
/// HIP 3D memory copy
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_MEMCPY3D {
    /// Source X in bytes
    pub srcXInBytes: usize,
    /// Source Y
    pub srcY: usize,
    /// Source Z
    pub srcZ: usize,
    /// Source LOD
    pub srcLOD: usize,
    /// Source memory type
    pub srcMemoryType: hipMemoryType,
    /// Source host pointer
    pub srcHost: *const ::core::ffi::c_void,
    /// Source device
    pub srcDevice: hipDeviceptr_t,
    /// Source array
    pub srcArray: hipArray_t,
    /// Source pitch
    pub srcPitch: usize,
    /// Source height
    pub srcHeight: usize,
    /// Destination X in bytes
    pub dstXInBytes: usize,
    /// Destination Y
    pub dstY: usize,
    /// Destination Z
    pub dstZ: usize,
    /// Destination LOD
    pub dstLOD: usize,
    /// Destination memory type
    pub dstMemoryType: hipMemoryType,
    /// Destination host pointer
    pub dstHost: *mut ::core::ffi::c_void,
    /// Destination device
    pub dstDevice: hipDeviceptr_t,
    /// Destination array
    pub dstArray: hipArray_t,
    /// Destination pitch
    pub dstPitch: usize,
    /// Destination height
    pub dstHeight: usize,
    /// Width in bytes of 3D memory copy
    pub WidthInBytes: usize,
    /// Height in bytes of 3D memory copy
    pub Height: usize,
    /// Depth in bytes of 3D memory copy
    pub Depth: usize,
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipFunction_attribute(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipPointer_attribute(pub ::core::ffi::c_uint);
/// An opaque value that represents a hip texture object
#[repr(C)]
#[derive(Debug)]
pub struct __hip_texture {
    _unused: [u8; 0],
}
#[repr(transparent)]
/// hip texture address modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipTextureAddressMode(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// hip texture filter modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipTextureFilterMode(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// hip texture read modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipTextureReadMode(pub ::core::ffi::c_uint);
/// hip texture reference
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct textureReference {
    pub normalized: ::core::ffi::c_int,
    pub readMode: hipTextureReadMode,
    pub filterMode: hipTextureFilterMode,
    pub addressMode: [hipTextureAddressMode; 3usize],
    pub channelDesc: hipChannelFormatDesc,
    pub sRGB: ::core::ffi::c_int,
    pub maxAnisotropy: ::core::ffi::c_uint,
    pub mipmapFilterMode: hipTextureFilterMode,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
    pub textureObject: hipTextureObject_t,
    pub numChannels: ::core::ffi::c_int,
    pub format: hipArray_Format,
}
/// hip texture descriptor
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipTextureDesc {
    pub addressMode: [hipTextureAddressMode; 3usize],
    pub filterMode: hipTextureFilterMode,
    pub readMode: hipTextureReadMode,
    pub sRGB: ::core::ffi::c_int,
    pub borderColor: [f32; 4usize],
    pub normalizedCoords: ::core::ffi::c_int,
    pub maxAnisotropy: ::core::ffi::c_uint,
    pub mipmapFilterMode: hipTextureFilterMode,
    pub mipmapLevelBias: f32,
    pub minMipmapLevelClamp: f32,
    pub maxMipmapLevelClamp: f32,
}
/// An opaque value that represents a hip surface object
#[repr(C)]
#[derive(Debug)]
pub struct __hip_surface {
    _unused: [u8; 0],
}
#[repr(transparent)]
/// hip surface boundary modes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipSurfaceBoundaryMode(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug)]
pub struct ihipCtx_t {
    _unused: [u8; 0],
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipDeviceP2PAttr(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug)]
pub struct ihipStream_t {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipIpcMemHandle_st {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipIpcEventHandle_st {
    pub reserved: [::core::ffi::c_char; 64usize],
}
#[repr(C)]
#[derive(Debug)]
pub struct ihipModule_t {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct ihipModuleSymbol_t {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct ihipLinkState_t {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct ihipMemPoolHandle_t {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipFuncAttributes {
    pub binaryVersion: ::core::ffi::c_int,
    pub cacheModeCA: ::core::ffi::c_int,
    pub constSizeBytes: usize,
    pub localSizeBytes: usize,
    pub maxDynamicSharedSizeBytes: ::core::ffi::c_int,
    pub maxThreadsPerBlock: ::core::ffi::c_int,
    pub numRegs: ::core::ffi::c_int,
    pub preferredShmemCarveout: ::core::ffi::c_int,
    pub ptxVersion: ::core::ffi::c_int,
    pub sharedSizeBytes: usize,
}
#[repr(C)]
#[derive(Debug)]
pub struct ihipEvent_t {
    _unused: [u8; 0],
}
#[repr(transparent)]
/// hipLimit
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipLimit_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Operations for hipStreamBatchMemOp
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipStreamBatchMemOpType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t {
    pub operation: hipStreamBatchMemOpType,
    pub address: hipDeviceptr_t,
    pub __bindgen_anon_1: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    /// Not valid for AMD backend. Initial value is unimportant
    pub alias: hipDeviceptr_t,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t {
    pub operation: hipStreamBatchMemOpType,
    pub address: hipDeviceptr_t,
    pub __bindgen_anon_1: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    /// Not valid for AMD backend. Initial value is unimportant
    pub alias: hipDeviceptr_t,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t {
    pub operation: hipStreamBatchMemOpType,
    pub flags: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t {
    pub operation: hipStreamBatchMemOpType,
    pub flags: ::core::ffi::c_uint,
}
/// Structure representing node parameters for batch memory operations in HIP graphs.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipBatchMemOpNodeParams {
    pub ctx: hipCtx_t,
    pub count: ::core::ffi::c_uint,
    pub paramArray: *mut hipStreamBatchMemOpParams,
    pub flags: ::core::ffi::c_uint,
}
#[repr(transparent)]
/// HIP Memory Advise values
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemoryAdvise(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// HIP Coherency Mode
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemRangeCoherencyMode(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// HIP range attributes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemRangeAttribute(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// HIP memory pool attributes
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemPoolAttr(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Specifies the type of location
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemLocationType(pub ::core::ffi::c_uint);
/// Specifies a memory location.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemLocation {
    /// Specifies the location type, which describes the meaning of id
    pub type_: hipMemLocationType,
    /// Identifier for the provided location type hipMemLocationType
    pub id: ::core::ffi::c_int,
}
#[repr(transparent)]
/// Specifies the memory protection flags for mapping
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemAccessFlags(pub ::core::ffi::c_uint);
/// Memory access descriptor
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemAccessDesc {
    /// Location on which the accessibility has to change
    pub location: hipMemLocation,
    /// Accessibility flags to set
    pub flags: hipMemAccessFlags,
}
#[repr(transparent)]
/// Defines the allocation types
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemAllocationType(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Flags for specifying handle types for memory pool allocations
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemAllocationHandleType(pub ::core::ffi::c_uint);
/// Specifies the properties of allocations made from the pool.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemPoolProps {
    /// Allocation type. Currently must be specified as hipMemAllocationTypePinned
    pub allocType: hipMemAllocationType,
    /// Handle types that will be supported by allocations from the pool
    pub handleTypes: hipMemAllocationHandleType,
    /// Location where allocations should reside
    pub location: hipMemLocation,
    /// Windows-specific LPSECURITYATTRIBUTES required when hipMemHandleTypeWin32 is specified
    pub win32SecurityAttributes: *mut ::core::ffi::c_void,
    /// Maximum pool size. When set to 0, defaults to a system dependent value
    pub maxSize: usize,
    /// Reserved for future use, must be 0
    pub reserved: [::core::ffi::c_uchar; 56usize],
}
/// Opaque data structure for exporting a pool allocation
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemPoolPtrExportData {
    pub reserved: [::core::ffi::c_uchar; 64usize],
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipFuncAttribute(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipFuncCache_t(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipSharedMemConfig(pub ::core::ffi::c_uint);
/// Struct for data in 3D
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct dim3 {
    /// x
    pub x: u32,
    /// y
    pub y: u32,
    /// z
    pub z: u32,
}
/// struct hipLaunchParams_t
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipLaunchParams_t {
    /// Device function symbol
    pub func: *mut ::core::ffi::c_void,
    /// Grid dimensions
    pub gridDim: dim3,
    /// Block dimensions
    pub blockDim: dim3,
    /// Arguments
    pub args: *mut *mut ::core::ffi::c_void,
    /// Shared memory
    pub sharedMem: usize,
    /// Stream identifier
    pub stream: hipStream_t,
}
/// struct hipFunctionLaunchParams_t
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipFunctionLaunchParams_t {
    /// Kernel to launch
    pub function: hipFunction_t,
    /// Width(X) of grid in blocks
    pub gridDimX: ::core::ffi::c_uint,
    /// Height(Y) of grid in blocks
    pub gridDimY: ::core::ffi::c_uint,
    /// Depth(Z) of grid in blocks
    pub gridDimZ: ::core::ffi::c_uint,
    /// X dimension of each thread block
    pub blockDimX: ::core::ffi::c_uint,
    /// Y dimension of each thread block
    pub blockDimY: ::core::ffi::c_uint,
    /// Z dimension of each thread block
    pub blockDimZ: ::core::ffi::c_uint,
    /// Shared memory
    pub sharedMemBytes: ::core::ffi::c_uint,
    /// Stream identifier
    pub hStream: hipStream_t,
    /// Kernel parameters
    pub kernelParams: *mut *mut ::core::ffi::c_void,
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipExternalMemoryHandleType_enum(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipExternalMemoryHandleDesc_st {
    pub type_: hipExternalMemoryHandleType,
    pub handle: hipExternalMemoryHandleDesc_st__bindgen_ty_1,
    pub size: ::core::ffi::c_ulonglong,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1 {
    pub handle: *mut ::core::ffi::c_void,
    pub name: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipExternalMemoryBufferDesc_st {
    pub offset: ::core::ffi::c_ulonglong,
    pub size: ::core::ffi::c_ulonglong,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipExternalMemoryMipmappedArrayDesc_st {
    pub offset: ::core::ffi::c_ulonglong,
    pub formatDesc: hipChannelFormatDesc,
    pub extent: hipExtent,
    pub flags: ::core::ffi::c_uint,
    pub numLevels: ::core::ffi::c_uint,
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipExternalSemaphoreHandleType_enum(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipExternalSemaphoreHandleDesc_st {
    pub type_: hipExternalSemaphoreHandleType,
    pub handle: hipExternalSemaphoreHandleDesc_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1 {
    pub handle: *mut ::core::ffi::c_void,
    pub name: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipExternalSemaphoreSignalParams_st {
    pub params: hipExternalSemaphoreSignalParams_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipExternalSemaphoreSignalParams_st__bindgen_ty_1 {
    pub fence: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciSync: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2,
    pub keyedMutex: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3,
    pub reserved: [::core::ffi::c_uint; 12usize],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1 {
    pub value: ::core::ffi::c_ulonglong,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3 {
    pub key: ::core::ffi::c_ulonglong,
}
/// External semaphore wait parameters, compatible with driver type
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipExternalSemaphoreWaitParams_st {
    pub params: hipExternalSemaphoreWaitParams_st__bindgen_ty_1,
    pub flags: ::core::ffi::c_uint,
    pub reserved: [::core::ffi::c_uint; 16usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipExternalSemaphoreWaitParams_st__bindgen_ty_1 {
    pub fence: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciSync: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2,
    pub keyedMutex: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3,
    pub reserved: [::core::ffi::c_uint; 10usize],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1 {
    pub value: ::core::ffi::c_ulonglong,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3 {
    pub key: ::core::ffi::c_ulonglong,
    pub timeoutMs: ::core::ffi::c_uint,
}
#[repr(transparent)]
/// HIP Access falgs for Interop resources.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipGraphicsRegisterFlags(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug)]
pub struct _hipGraphicsResource {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct ihipGraph {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct hipGraphNode {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct hipGraphExec {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct hipUserObject {
    _unused: [u8; 0],
}
#[repr(transparent)]
/// hipGraphNodeType
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipGraphNodeType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipHostNodeParams {
    pub fn_: hipHostFn_t,
    pub userData: *mut ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipKernelNodeParams {
    pub blockDim: dim3,
    pub extra: *mut *mut ::core::ffi::c_void,
    pub func: *mut ::core::ffi::c_void,
    pub gridDim: dim3,
    pub kernelParams: *mut *mut ::core::ffi::c_void,
    pub sharedMemBytes: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemsetParams {
    pub dst: *mut ::core::ffi::c_void,
    pub elementSize: ::core::ffi::c_uint,
    pub height: usize,
    pub pitch: usize,
    pub value: ::core::ffi::c_uint,
    pub width: usize,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemAllocNodeParams {
    /// Pool properties, which contain where the location should reside
    pub poolProps: hipMemPoolProps,
    /// The number of memory access descriptors.
    pub accessDescs: *const hipMemAccessDesc,
    /// The number of access descriptors. Must not be bigger than the number of GPUs
    pub accessDescCount: usize,
    /// The size of the requested allocation in bytes
    pub bytesize: usize,
    /// Returned device address of the allocation
    pub dptr: *mut ::core::ffi::c_void,
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipAccessProperty(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipAccessPolicyWindow {
    pub base_ptr: *mut ::core::ffi::c_void,
    pub hitProp: hipAccessProperty,
    pub hitRatio: f32,
    pub missProp: hipAccessProperty,
    pub num_bytes: usize,
}
#[repr(transparent)]
/// Launch Attribute ID
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipLaunchAttributeID(pub ::core::ffi::c_uint);
/// Memset node params
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct HIP_MEMSET_NODE_PARAMS {
    /// Destination pointer on device
    pub dst: hipDeviceptr_t,
    /// Destination device pointer pitch. Unused if height equals 1
    pub pitch: usize,
    /// Value of memset to be set
    pub value: ::core::ffi::c_uint,
    /// Element in bytes. Must be 1, 2, or 4.
    pub elementSize: ::core::ffi::c_uint,
    /// Width of a row
    pub width: usize,
    /// Number of rows
    pub height: usize,
}
#[repr(transparent)]
/// Graph execution update result
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipGraphExecUpdateResult(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipStreamCaptureMode(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipStreamCaptureStatus(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipStreamUpdateCaptureDependenciesFlags(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipGraphMemAttributeType(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipUserObjectFlags(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipUserObjectRetainFlags(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipGraphInstantiateFlags(pub ::core::ffi::c_uint);
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipGraphDebugDotFlags(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// hipGraphInstantiateWithParams results
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipGraphInstantiateResult(pub ::core::ffi::c_uint);
/// Graph Instantiation parameters
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipGraphInstantiateParams {
    /// The node which caused instantiation to fail, if any
    pub errNode_out: hipGraphNode_t,
    /// Instantiation flags
    pub flags: ::core::ffi::c_ulonglong,
    /// Whether instantiation was successful. If it failed, the reason why
    pub result_out: hipGraphInstantiateResult,
    /// Upload stream
    pub uploadStream: hipStream_t,
}
/// Memory allocation properties
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemAllocationProp {
    /// Memory allocation type
    pub type_: hipMemAllocationType,
    /// Requested handle type
    pub requestedHandleType: hipMemAllocationHandleType,
    /// Memory location
    pub location: hipMemLocation,
    /// Metadata for Win32 handles
    pub win32HandleMetaData: *mut ::core::ffi::c_void,
    pub allocFlags: hipMemAllocationProp__bindgen_ty_1,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipMemAllocationProp__bindgen_ty_1 {
    /// Compression type
    pub compressionType: ::core::ffi::c_uchar,
    /// RDMA capable
    pub gpuDirectRDMACapable: ::core::ffi::c_uchar,
    /// Usage
    pub usage: ::core::ffi::c_ushort,
}
/// External semaphore signal node parameters
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipExternalSemaphoreSignalNodeParams {
    pub extSemArray: *mut hipExternalSemaphore_t,
    pub paramsArray: *const hipExternalSemaphoreSignalParams,
    pub numExtSems: ::core::ffi::c_uint,
}
/// External semaphore wait node parameters
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipExternalSemaphoreWaitNodeParams {
    pub extSemArray: *mut hipExternalSemaphore_t,
    pub paramsArray: *const hipExternalSemaphoreWaitParams,
    pub numExtSems: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug)]
pub struct ihipMemGenericAllocationHandle {
    _unused: [u8; 0],
}
#[repr(transparent)]
/// Flags for granularity
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemAllocationGranularity_flags(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Memory handle type
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemHandleType(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Memory operation types
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipMemOperationType(pub ::core::ffi::c_uint);
#[repr(transparent)]
/// Subresource types for sparse arrays
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipArraySparseSubresourceType(pub ::core::ffi::c_uint);
/// Map info for arrays
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipArrayMapInfo {
    /// Resource type
    pub resourceType: hipResourceType,
    pub resource: hipArrayMapInfo__bindgen_ty_1,
    /// Sparse subresource type
    pub subresourceType: hipArraySparseSubresourceType,
    pub subresource: hipArrayMapInfo__bindgen_ty_2,
    /// Memory operation type
    pub memOperationType: hipMemOperationType,
    /// Memory handle type
    pub memHandleType: hipMemHandleType,
    pub memHandle: hipArrayMapInfo__bindgen_ty_3,
    /// Offset within the memory
    pub offset: ::core::ffi::c_ulonglong,
    /// Device ordinal bit mask
    pub deviceBitMask: ::core::ffi::c_uint,
    /// flags for future use, must be zero now.
    pub flags: ::core::ffi::c_uint,
    /// Reserved for future use, must be zero now.
    pub reserved: [::core::ffi::c_uint; 2usize],
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1 {
    /// For mipmapped arrays must be a valid mipmap level. For arrays must be zero
    pub level: ::core::ffi::c_uint,
    /// For layered arrays must be a valid layer index. Otherwise, must be zero
    pub layer: ::core::ffi::c_uint,
    /// X offset in elements
    pub offsetX: ::core::ffi::c_uint,
    /// Y offset in elements
    pub offsetY: ::core::ffi::c_uint,
    /// Z offset in elements
    pub offsetZ: ::core::ffi::c_uint,
    /// Width in elements
    pub extentWidth: ::core::ffi::c_uint,
    /// Height in elements
    pub extentHeight: ::core::ffi::c_uint,
    /// Depth in elements
    pub extentDepth: ::core::ffi::c_uint,
}
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2 {
    /// For layered arrays must be a valid layer index. Otherwise, must be zero
    pub layer: ::core::ffi::c_uint,
    /// Offset within mip tail
    pub offset: ::core::ffi::c_ulonglong,
    /// Extent in bytes
    pub size: ::core::ffi::c_ulonglong,
}
/// Memcpy node params
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemcpyNodeParams {
    /// Must be zero.
    pub flags: ::core::ffi::c_int,
    /// Must be zero.
    pub reserved: [::core::ffi::c_int; 3usize],
    /// Params set for the memory copy.
    pub copyParams: hipMemcpy3DParms,
}
/// Child graph node params
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipChildGraphNodeParams {
    /// Either the child graph to clone into the node, or a handle to the graph possesed by the node used during query
    pub graph: hipGraph_t,
}
/// Event record node params
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipEventWaitNodeParams {
    /// Event to wait on
    pub event: hipEvent_t,
}
/// Event record node params
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipEventRecordNodeParams {
    /// The event to be recorded when node executes
    pub event: hipEvent_t,
}
/// Memory free node params
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipMemFreeNodeParams {
    /// the pointer to be freed
    pub dptr: *mut ::core::ffi::c_void,
}
/// Params for different graph nodes
#[repr(C)]
#[derive(Copy, Clone)]
pub struct hipGraphNodeParams {
    pub type_: hipGraphNodeType,
    pub reserved0: [::core::ffi::c_int; 3usize],
    pub __bindgen_anon_1: hipGraphNodeParams__bindgen_ty_1,
    pub reserved2: ::core::ffi::c_longlong,
}
#[repr(transparent)]
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hipGraphDependencyType(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug, Default, Copy, Clone)]
pub struct hipGraphEdgeData {
    /// This indicates when the dependency is triggered from the upstream node on the edge. The meaning is specfic to the node type. A value of 0 in all cases means full completion of the upstream node, with memory visibility to the downstream node or portion thereof (indicated by to_port). Only kernel nodes define non-zero ports. A kernel node can use the following output port types: hipGraphKernelNodePortDefault, hipGraphKernelNodePortProgrammatic, or hipGraphKernelNodePortLaunchCompletion.
    pub from_port: ::core::ffi::c_uchar,
    /// These bytes are unused and must be zeroed
    pub reserved: [::core::ffi::c_uchar; 5usize],
    /// Currently no node types define non-zero ports. This field must be set to zero.
    pub to_port: ::core::ffi::c_uchar,
    /// This should be populated with a value from hipGraphDependencyType
    pub type_: ::core::ffi::c_uchar,
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct hipDeviceProp_tR0000 {
    /// Device name.
    pub name: [::core::ffi::c_char; 256usize],
    /// Size of global memory region (in bytes).
    pub totalGlobalMem: usize,
    /// Size of shared memory region (in bytes).
    pub sharedMemPerBlock: usize,
    /// Registers per block.
    pub regsPerBlock: ::core::ffi::c_int,
    /// Warp size.
    pub warpSize: ::core::ffi::c_int,
    /// Max work items per work group or workgroup max size.
    pub maxThreadsPerBlock: ::core::ffi::c_int,
    /// Max number of threads in each dimension (XYZ) of a block.
    pub maxThreadsDim: [::core::ffi::c_int; 3usize],
    /// Max grid dimensions (XYZ).
    pub maxGridSize: [::core::ffi::c_int; 3usize],
    /// Max clock frequency of the multiProcessors in khz.
    pub clockRate: ::core::ffi::c_int,
    /// Max global memory clock frequency in khz.
    pub memoryClockRate: ::core::ffi::c_int,
    /// Global memory bus width in bits.
    pub memoryBusWidth: ::core::ffi::c_int,
    /// Size of shared memory region (in bytes).
    pub totalConstMem: usize,
    /// Major compute capability. On HCC, this is an approximation and features may differ from CUDA CC. See the arch feature flags for portable ways to query feature caps.
    pub major: ::core::ffi::c_int,
    /// Minor compute capability. On HCC, this is an approximation and features may differ from CUDA CC. See the arch feature flags for portable ways to query feature caps.
    pub minor: ::core::ffi::c_int,
    /// Number of multi-processors (compute units).
    pub multiProcessorCount: ::core::ffi::c_int,
    /// L2 cache size.
    pub l2CacheSize: ::core::ffi::c_int,
    /// Maximum resident threads per multi-processor.
    pub maxThreadsPerMultiProcessor: ::core::ffi::c_int,
    /// Compute mode.
    pub computeMode: ::core::ffi::c_int,
    /// Frequency in khz of the timer used by the device-side "clock*" instructions. New for HIP.
    pub clockInstructionRate: ::core::ffi::c_int,
    /// Architectural feature flags. New for HIP.
    pub arch: hipDeviceArch_t,
    /// Device can possibly execute multiple kernels concurrently.
    pub concurrentKernels: ::core::ffi::c_int,
    /// PCI Domain ID
    pub pciDomainID: ::core::ffi::c_int,
    /// PCI Bus ID.
    pub pciBusID: ::core::ffi::c_int,
    /// PCI Device ID.
    pub pciDeviceID: ::core::ffi::c_int,
    /// Maximum Shared Memory Per Multiprocessor.
    pub maxSharedMemoryPerMultiProcessor: usize,
    /// 1 if device is on a multi-GPU board, 0 if not.
    pub isMultiGpuBoard: ::core::ffi::c_int,
    /// Check whether HIP can map host memory
    pub canMapHostMemory: ::core::ffi::c_int,
    /// DEPRECATED: use gcnArchName instead
    pub gcnArch: ::core::ffi::c_int,
    /// AMD GCN Arch Name.
    pub gcnArchName: [::core::ffi::c_char; 256usize],
    /// APU vs dGPU
    pub integrated: ::core::ffi::c_int,
    /// HIP device supports cooperative launch
    pub cooperativeLaunch: ::core::ffi::c_int,
    /// HIP device supports cooperative launch on multiple devices
    pub cooperativeMultiDeviceLaunch: ::core::ffi::c_int,
    /// Maximum size for 1D textures bound to linear memory
    pub maxTexture1DLinear: ::core::ffi::c_int,
    /// Maximum number of elements in 1D images
    pub maxTexture1D: ::core::ffi::c_int,
    /// Maximum dimensions (width, height) of 2D images, in image elements
    pub maxTexture2D: [::core::ffi::c_int; 2usize],
    /// Maximum dimensions (width, height, depth) of 3D images, in image elements
    pub maxTexture3D: [::core::ffi::c_int; 3usize],
    /// Addres of HDP_MEM_COHERENCY_FLUSH_CNTL register
    pub hdpMemFlushCntl: *mut ::core::ffi::c_uint,
    /// Addres of HDP_REG_COHERENCY_FLUSH_CNTL register
    pub hdpRegFlushCntl: *mut ::core::ffi::c_uint,
    /// Maximum pitch in bytes allowed by memory copies
    pub memPitch: usize,
    /// Alignment requirement for textures
    pub textureAlignment: usize,
    /// Pitch alignment requirement for texture references bound to pitched memory
    pub texturePitchAlignment: usize,
    /// Run time limit for kernels executed on the device
    pub kernelExecTimeoutEnabled: ::core::ffi::c_int,
    /// Device has ECC support enabled
    pub ECCEnabled: ::core::ffi::c_int,
    /// 1:If device is Tesla device using TCC driver, else 0
    pub tccDriver: ::core::ffi::c_int,
    /// HIP device supports cooperative launch on multiple
    pub cooperativeMultiDeviceUnmatchedFunc: ::core::ffi::c_int,
    /// HIP device supports cooperative launch on multiple
    pub cooperativeMultiDeviceUnmatchedGridDim: ::core::ffi::c_int,
    /// HIP device supports cooperative launch on multiple
    pub cooperativeMultiDeviceUnmatchedBlockDim: ::core::ffi::c_int,
    /// HIP device supports cooperative launch on multiple
    pub cooperativeMultiDeviceUnmatchedSharedMem: ::core::ffi::c_int,
    /// 1: if it is a large PCI bar device, else 0
    pub isLargeBar: ::core::ffi::c_int,
    /// Revision of the GPU in this device
    pub asicRevision: ::core::ffi::c_int,
    /// Device supports allocating managed memory on this system
    pub managedMemory: ::core::ffi::c_int,
    /// Host can directly access managed memory on the device without migration
    pub directManagedMemAccessFromHost: ::core::ffi::c_int,
    /// Device can coherently access managed memory concurrently with the CPU
    pub concurrentManagedAccess: ::core::ffi::c_int,
    /// Device supports coherently accessing pageable memory without calling hipHostRegister on it
    pub pageableMemoryAccess: ::core::ffi::c_int,
    /// Device accesses pageable memory via the host's page tables
    pub pageableMemoryAccessUsesHostPageTables: ::core::ffi::c_int,
}
pub const HIP_VERSION_MAJOR: u32 = 6;
pub const HIP_VERSION_MINOR: u32 = 4;
pub const HIP_VERSION_PATCH: u32 = 43484;
pub const HIP_VERSION: u32 = 60443484;
pub const HIP_TRSA_OVERRIDE_FORMAT: u32 = 1;
pub const HIP_TRSF_READ_AS_INTEGER: u32 = 1;
pub const HIP_TRSF_NORMALIZED_COORDINATES: u32 = 2;
pub const HIP_TRSF_SRGB: u32 = 16;
pub const hipTextureType1D: u32 = 1;
pub const hipTextureType2D: u32 = 2;
pub const hipTextureType3D: u32 = 3;
pub const hipTextureTypeCubemap: u32 = 12;
pub const hipTextureType1DLayered: u32 = 241;
pub const hipTextureType2DLayered: u32 = 242;
pub const hipTextureTypeCubemapLayered: u32 = 252;
pub const HIP_IMAGE_OBJECT_SIZE_DWORD: u32 = 12;
pub const HIP_SAMPLER_OBJECT_SIZE_DWORD: u32 = 8;
pub const HIP_SAMPLER_OBJECT_OFFSET_DWORD: u32 = 12;
pub const HIP_TEXTURE_OBJECT_SIZE_DWORD: u32 = 20;
pub const hipIpcMemLazyEnablePeerAccess: u32 = 1;
pub const HIP_IPC_HANDLE_SIZE: u32 = 64;
pub const hipStreamDefault: u32 = 0;
pub const hipStreamNonBlocking: u32 = 1;
pub const hipEventDefault: u32 = 0;
pub const hipEventBlockingSync: u32 = 1;
pub const hipEventDisableTiming: u32 = 2;
pub const hipEventInterprocess: u32 = 4;
pub const hipEventRecordDefault: u32 = 0;
pub const hipEventRecordExternal: u32 = 1;
pub const hipEventWaitDefault: u32 = 0;
pub const hipEventWaitExternal: u32 = 1;
pub const hipEventDisableSystemFence: u32 = 536870912;
pub const hipEventReleaseToDevice: u32 = 1073741824;
pub const hipEventReleaseToSystem: u32 = 2147483648;
pub const hipHostAllocDefault: u32 = 0;
pub const hipHostMallocDefault: u32 = 0;
pub const hipHostAllocPortable: u32 = 1;
pub const hipHostMallocPortable: u32 = 1;
pub const hipHostAllocMapped: u32 = 2;
pub const hipHostMallocMapped: u32 = 2;
pub const hipHostAllocWriteCombined: u32 = 4;
pub const hipHostMallocWriteCombined: u32 = 4;
pub const hipHostMallocNumaUser: u32 = 536870912;
pub const hipHostMallocCoherent: u32 = 1073741824;
pub const hipHostMallocNonCoherent: u32 = 2147483648;
pub const hipMemAttachGlobal: u32 = 1;
pub const hipMemAttachHost: u32 = 2;
pub const hipMemAttachSingle: u32 = 4;
pub const hipDeviceMallocDefault: u32 = 0;
pub const hipDeviceMallocFinegrained: u32 = 1;
pub const hipMallocSignalMemory: u32 = 2;
pub const hipDeviceMallocUncached: u32 = 3;
pub const hipDeviceMallocContiguous: u32 = 4;
pub const hipHostRegisterDefault: u32 = 0;
pub const hipHostRegisterPortable: u32 = 1;
pub const hipHostRegisterMapped: u32 = 2;
pub const hipHostRegisterIoMemory: u32 = 4;
pub const hipHostRegisterReadOnly: u32 = 8;
pub const hipExtHostRegisterCoarseGrained: u32 = 8;
pub const hipDeviceScheduleAuto: u32 = 0;
pub const hipDeviceScheduleSpin: u32 = 1;
pub const hipDeviceScheduleYield: u32 = 2;
pub const hipDeviceScheduleBlockingSync: u32 = 4;
pub const hipDeviceScheduleMask: u32 = 7;
pub const hipDeviceMapHost: u32 = 8;
pub const hipDeviceLmemResizeToMax: u32 = 16;
pub const hipArrayDefault: u32 = 0;
pub const hipArrayLayered: u32 = 1;
pub const hipArraySurfaceLoadStore: u32 = 2;
pub const hipArrayCubemap: u32 = 4;
pub const hipArrayTextureGather: u32 = 8;
pub const hipOccupancyDefault: u32 = 0;
pub const hipOccupancyDisableCachingOverride: u32 = 1;
pub const hipCooperativeLaunchMultiDeviceNoPreSync: u32 = 1;
pub const hipCooperativeLaunchMultiDeviceNoPostSync: u32 = 2;
pub const hipExtAnyOrderLaunch: u32 = 1;
pub const hipStreamWaitValueGte: u32 = 0;
pub const hipStreamWaitValueEq: u32 = 1;
pub const hipStreamWaitValueAnd: u32 = 2;
pub const hipStreamWaitValueNor: u32 = 3;
pub const hipExternalMemoryDedicated: u32 = 1;
pub const hipGraphKernelNodePortDefault: u32 = 0;
pub const hipGraphKernelNodePortLaunchCompletion: u32 = 2;
pub const hipGraphKernelNodePortProgrammatic: u32 = 1;
pub const HIP_SUCCESS: _bindgen_ty_1 = _bindgen_ty_1(0);
pub const HIP_ERROR_INVALID_VALUE: _bindgen_ty_1 = _bindgen_ty_1(1);
pub const HIP_ERROR_NOT_INITIALIZED: _bindgen_ty_1 = _bindgen_ty_1(2);
pub const HIP_ERROR_LAUNCH_OUT_OF_RESOURCES: _bindgen_ty_1 = _bindgen_ty_1(3);
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipDeviceArch_t"][::core::mem::size_of::<hipDeviceArch_t>() - 4usize];
    [
        "Alignment of hipDeviceArch_t",
    ][::core::mem::align_of::<hipDeviceArch_t>() - 4usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipUUID_t"][::core::mem::size_of::<hipUUID_t>() - 16usize];
    ["Alignment of hipUUID_t"][::core::mem::align_of::<hipUUID_t>() - 1usize];
    [
        "Offset of field: hipUUID_t::bytes",
    ][::core::mem::offset_of!(hipUUID_t, bytes) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipDeviceProp_tR0600",
    ][::core::mem::size_of::<hipDeviceProp_tR0600>() - 1472usize];
    [
        "Alignment of hipDeviceProp_tR0600",
    ][::core::mem::align_of::<hipDeviceProp_tR0600>() - 8usize];
    [
        "Offset of field: hipDeviceProp_tR0600::name",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, name) - 0usize];
    [
        "Offset of field: hipDeviceProp_tR0600::uuid",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, uuid) - 256usize];
    [
        "Offset of field: hipDeviceProp_tR0600::luid",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, luid) - 272usize];
    [
        "Offset of field: hipDeviceProp_tR0600::luidDeviceNodeMask",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, luidDeviceNodeMask) - 280usize];
    [
        "Offset of field: hipDeviceProp_tR0600::totalGlobalMem",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, totalGlobalMem) - 288usize];
    [
        "Offset of field: hipDeviceProp_tR0600::sharedMemPerBlock",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, sharedMemPerBlock) - 296usize];
    [
        "Offset of field: hipDeviceProp_tR0600::regsPerBlock",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, regsPerBlock) - 304usize];
    [
        "Offset of field: hipDeviceProp_tR0600::warpSize",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, warpSize) - 308usize];
    [
        "Offset of field: hipDeviceProp_tR0600::memPitch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, memPitch) - 312usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxThreadsPerBlock",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxThreadsPerBlock) - 320usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxThreadsDim",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxThreadsDim) - 324usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxGridSize",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxGridSize) - 336usize];
    [
        "Offset of field: hipDeviceProp_tR0600::clockRate",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, clockRate) - 348usize];
    [
        "Offset of field: hipDeviceProp_tR0600::totalConstMem",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, totalConstMem) - 352usize];
    [
        "Offset of field: hipDeviceProp_tR0600::major",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, major) - 360usize];
    [
        "Offset of field: hipDeviceProp_tR0600::minor",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, minor) - 364usize];
    [
        "Offset of field: hipDeviceProp_tR0600::textureAlignment",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, textureAlignment) - 368usize];
    [
        "Offset of field: hipDeviceProp_tR0600::texturePitchAlignment",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, texturePitchAlignment) - 376usize];
    [
        "Offset of field: hipDeviceProp_tR0600::deviceOverlap",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, deviceOverlap) - 384usize];
    [
        "Offset of field: hipDeviceProp_tR0600::multiProcessorCount",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, multiProcessorCount) - 388usize];
    [
        "Offset of field: hipDeviceProp_tR0600::kernelExecTimeoutEnabled",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, kernelExecTimeoutEnabled)
        - 392usize];
    [
        "Offset of field: hipDeviceProp_tR0600::integrated",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, integrated) - 396usize];
    [
        "Offset of field: hipDeviceProp_tR0600::canMapHostMemory",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, canMapHostMemory) - 400usize];
    [
        "Offset of field: hipDeviceProp_tR0600::computeMode",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, computeMode) - 404usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture1D",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture1D) - 408usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture1DMipmap",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture1DMipmap) - 412usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture1DLinear",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture1DLinear) - 416usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture2D",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2D) - 420usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture2DMipmap",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2DMipmap) - 428usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture2DLinear",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2DLinear) - 436usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture2DGather",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2DGather) - 448usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture3D",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture3D) - 456usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture3DAlt",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture3DAlt) - 468usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTextureCubemap",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTextureCubemap) - 480usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture1DLayered",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture1DLayered) - 484usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTexture2DLayered",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTexture2DLayered) - 492usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxTextureCubemapLayered",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxTextureCubemapLayered)
        - 504usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxSurface1D",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface1D) - 512usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxSurface2D",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface2D) - 516usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxSurface3D",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface3D) - 524usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxSurface1DLayered",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface1DLayered) - 536usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxSurface2DLayered",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurface2DLayered) - 544usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxSurfaceCubemap",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurfaceCubemap) - 556usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxSurfaceCubemapLayered",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxSurfaceCubemapLayered)
        - 560usize];
    [
        "Offset of field: hipDeviceProp_tR0600::surfaceAlignment",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, surfaceAlignment) - 568usize];
    [
        "Offset of field: hipDeviceProp_tR0600::concurrentKernels",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, concurrentKernels) - 576usize];
    [
        "Offset of field: hipDeviceProp_tR0600::ECCEnabled",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, ECCEnabled) - 580usize];
    [
        "Offset of field: hipDeviceProp_tR0600::pciBusID",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, pciBusID) - 584usize];
    [
        "Offset of field: hipDeviceProp_tR0600::pciDeviceID",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, pciDeviceID) - 588usize];
    [
        "Offset of field: hipDeviceProp_tR0600::pciDomainID",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, pciDomainID) - 592usize];
    [
        "Offset of field: hipDeviceProp_tR0600::tccDriver",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, tccDriver) - 596usize];
    [
        "Offset of field: hipDeviceProp_tR0600::asyncEngineCount",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, asyncEngineCount) - 600usize];
    [
        "Offset of field: hipDeviceProp_tR0600::unifiedAddressing",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, unifiedAddressing) - 604usize];
    [
        "Offset of field: hipDeviceProp_tR0600::memoryClockRate",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, memoryClockRate) - 608usize];
    [
        "Offset of field: hipDeviceProp_tR0600::memoryBusWidth",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, memoryBusWidth) - 612usize];
    [
        "Offset of field: hipDeviceProp_tR0600::l2CacheSize",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, l2CacheSize) - 616usize];
    [
        "Offset of field: hipDeviceProp_tR0600::persistingL2CacheMaxSize",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, persistingL2CacheMaxSize)
        - 620usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxThreadsPerMultiProcessor",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxThreadsPerMultiProcessor)
        - 624usize];
    [
        "Offset of field: hipDeviceProp_tR0600::streamPrioritiesSupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, streamPrioritiesSupported)
        - 628usize];
    [
        "Offset of field: hipDeviceProp_tR0600::globalL1CacheSupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, globalL1CacheSupported) - 632usize];
    [
        "Offset of field: hipDeviceProp_tR0600::localL1CacheSupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, localL1CacheSupported) - 636usize];
    [
        "Offset of field: hipDeviceProp_tR0600::sharedMemPerMultiprocessor",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, sharedMemPerMultiprocessor)
        - 640usize];
    [
        "Offset of field: hipDeviceProp_tR0600::regsPerMultiprocessor",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, regsPerMultiprocessor) - 648usize];
    [
        "Offset of field: hipDeviceProp_tR0600::managedMemory",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, managedMemory) - 652usize];
    [
        "Offset of field: hipDeviceProp_tR0600::isMultiGpuBoard",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, isMultiGpuBoard) - 656usize];
    [
        "Offset of field: hipDeviceProp_tR0600::multiGpuBoardGroupID",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, multiGpuBoardGroupID) - 660usize];
    [
        "Offset of field: hipDeviceProp_tR0600::hostNativeAtomicSupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, hostNativeAtomicSupported)
        - 664usize];
    [
        "Offset of field: hipDeviceProp_tR0600::singleToDoublePrecisionPerfRatio",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, singleToDoublePrecisionPerfRatio)
        - 668usize];
    [
        "Offset of field: hipDeviceProp_tR0600::pageableMemoryAccess",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, pageableMemoryAccess) - 672usize];
    [
        "Offset of field: hipDeviceProp_tR0600::concurrentManagedAccess",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, concurrentManagedAccess) - 676usize];
    [
        "Offset of field: hipDeviceProp_tR0600::computePreemptionSupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, computePreemptionSupported)
        - 680usize];
    [
        "Offset of field: hipDeviceProp_tR0600::canUseHostPointerForRegisteredMem",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, canUseHostPointerForRegisteredMem)
        - 684usize];
    [
        "Offset of field: hipDeviceProp_tR0600::cooperativeLaunch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, cooperativeLaunch) - 688usize];
    [
        "Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceLaunch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, cooperativeMultiDeviceLaunch)
        - 692usize];
    [
        "Offset of field: hipDeviceProp_tR0600::sharedMemPerBlockOptin",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, sharedMemPerBlockOptin) - 696usize];
    [
        "Offset of field: hipDeviceProp_tR0600::pageableMemoryAccessUsesHostPageTables",
    ][::core::mem::offset_of!(
        hipDeviceProp_tR0600, pageableMemoryAccessUsesHostPageTables
    ) - 704usize];
    [
        "Offset of field: hipDeviceProp_tR0600::directManagedMemAccessFromHost",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, directManagedMemAccessFromHost)
        - 708usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxBlocksPerMultiProcessor",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxBlocksPerMultiProcessor)
        - 712usize];
    [
        "Offset of field: hipDeviceProp_tR0600::accessPolicyMaxWindowSize",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, accessPolicyMaxWindowSize)
        - 716usize];
    [
        "Offset of field: hipDeviceProp_tR0600::reservedSharedMemPerBlock",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, reservedSharedMemPerBlock)
        - 720usize];
    [
        "Offset of field: hipDeviceProp_tR0600::hostRegisterSupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, hostRegisterSupported) - 728usize];
    [
        "Offset of field: hipDeviceProp_tR0600::sparseHipArraySupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, sparseHipArraySupported) - 732usize];
    [
        "Offset of field: hipDeviceProp_tR0600::hostRegisterReadOnlySupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, hostRegisterReadOnlySupported)
        - 736usize];
    [
        "Offset of field: hipDeviceProp_tR0600::timelineSemaphoreInteropSupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, timelineSemaphoreInteropSupported)
        - 740usize];
    [
        "Offset of field: hipDeviceProp_tR0600::memoryPoolsSupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, memoryPoolsSupported) - 744usize];
    [
        "Offset of field: hipDeviceProp_tR0600::gpuDirectRDMASupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, gpuDirectRDMASupported) - 748usize];
    [
        "Offset of field: hipDeviceProp_tR0600::gpuDirectRDMAFlushWritesOptions",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, gpuDirectRDMAFlushWritesOptions)
        - 752usize];
    [
        "Offset of field: hipDeviceProp_tR0600::gpuDirectRDMAWritesOrdering",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, gpuDirectRDMAWritesOrdering)
        - 756usize];
    [
        "Offset of field: hipDeviceProp_tR0600::memoryPoolSupportedHandleTypes",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, memoryPoolSupportedHandleTypes)
        - 760usize];
    [
        "Offset of field: hipDeviceProp_tR0600::deferredMappingHipArraySupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, deferredMappingHipArraySupported)
        - 764usize];
    [
        "Offset of field: hipDeviceProp_tR0600::ipcEventSupported",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, ipcEventSupported) - 768usize];
    [
        "Offset of field: hipDeviceProp_tR0600::clusterLaunch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, clusterLaunch) - 772usize];
    [
        "Offset of field: hipDeviceProp_tR0600::unifiedFunctionPointers",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, unifiedFunctionPointers) - 776usize];
    [
        "Offset of field: hipDeviceProp_tR0600::reserved",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, reserved) - 780usize];
    [
        "Offset of field: hipDeviceProp_tR0600::hipReserved",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, hipReserved) - 1032usize];
    [
        "Offset of field: hipDeviceProp_tR0600::gcnArchName",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, gcnArchName) - 1160usize];
    [
        "Offset of field: hipDeviceProp_tR0600::maxSharedMemoryPerMultiProcessor",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, maxSharedMemoryPerMultiProcessor)
        - 1416usize];
    [
        "Offset of field: hipDeviceProp_tR0600::clockInstructionRate",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, clockInstructionRate) - 1424usize];
    [
        "Offset of field: hipDeviceProp_tR0600::arch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, arch) - 1428usize];
    [
        "Offset of field: hipDeviceProp_tR0600::hdpMemFlushCntl",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, hdpMemFlushCntl) - 1432usize];
    [
        "Offset of field: hipDeviceProp_tR0600::hdpRegFlushCntl",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, hdpRegFlushCntl) - 1440usize];
    [
        "Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceUnmatchedFunc",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedFunc)
        - 1448usize];
    [
        "Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceUnmatchedGridDim",
    ][::core::mem::offset_of!(
        hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedGridDim
    ) - 1452usize];
    [
        "Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceUnmatchedBlockDim",
    ][::core::mem::offset_of!(
        hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedBlockDim
    ) - 1456usize];
    [
        "Offset of field: hipDeviceProp_tR0600::cooperativeMultiDeviceUnmatchedSharedMem",
    ][::core::mem::offset_of!(
        hipDeviceProp_tR0600, cooperativeMultiDeviceUnmatchedSharedMem
    ) - 1460usize];
    [
        "Offset of field: hipDeviceProp_tR0600::isLargeBar",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, isLargeBar) - 1464usize];
    [
        "Offset of field: hipDeviceProp_tR0600::asicRevision",
    ][::core::mem::offset_of!(hipDeviceProp_tR0600, asicRevision) - 1468usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipPointerAttribute_t",
    ][::core::mem::size_of::<hipPointerAttribute_t>() - 32usize];
    [
        "Alignment of hipPointerAttribute_t",
    ][::core::mem::align_of::<hipPointerAttribute_t>() - 8usize];
    [
        "Offset of field: hipPointerAttribute_t::type_",
    ][::core::mem::offset_of!(hipPointerAttribute_t, type_) - 0usize];
    [
        "Offset of field: hipPointerAttribute_t::device",
    ][::core::mem::offset_of!(hipPointerAttribute_t, device) - 4usize];
    [
        "Offset of field: hipPointerAttribute_t::devicePointer",
    ][::core::mem::offset_of!(hipPointerAttribute_t, devicePointer) - 8usize];
    [
        "Offset of field: hipPointerAttribute_t::hostPointer",
    ][::core::mem::offset_of!(hipPointerAttribute_t, hostPointer) - 16usize];
    [
        "Offset of field: hipPointerAttribute_t::isManaged",
    ][::core::mem::offset_of!(hipPointerAttribute_t, isManaged) - 24usize];
    [
        "Offset of field: hipPointerAttribute_t::allocationFlags",
    ][::core::mem::offset_of!(hipPointerAttribute_t, allocationFlags) - 28usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipChannelFormatDesc",
    ][::core::mem::size_of::<hipChannelFormatDesc>() - 20usize];
    [
        "Alignment of hipChannelFormatDesc",
    ][::core::mem::align_of::<hipChannelFormatDesc>() - 4usize];
    [
        "Offset of field: hipChannelFormatDesc::x",
    ][::core::mem::offset_of!(hipChannelFormatDesc, x) - 0usize];
    [
        "Offset of field: hipChannelFormatDesc::y",
    ][::core::mem::offset_of!(hipChannelFormatDesc, y) - 4usize];
    [
        "Offset of field: hipChannelFormatDesc::z",
    ][::core::mem::offset_of!(hipChannelFormatDesc, z) - 8usize];
    [
        "Offset of field: hipChannelFormatDesc::w",
    ][::core::mem::offset_of!(hipChannelFormatDesc, w) - 12usize];
    [
        "Offset of field: hipChannelFormatDesc::f",
    ][::core::mem::offset_of!(hipChannelFormatDesc, f) - 16usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_ARRAY_DESCRIPTOR",
    ][::core::mem::size_of::<HIP_ARRAY_DESCRIPTOR>() - 24usize];
    [
        "Alignment of HIP_ARRAY_DESCRIPTOR",
    ][::core::mem::align_of::<HIP_ARRAY_DESCRIPTOR>() - 8usize];
    [
        "Offset of field: HIP_ARRAY_DESCRIPTOR::Width",
    ][::core::mem::offset_of!(HIP_ARRAY_DESCRIPTOR, Width) - 0usize];
    [
        "Offset of field: HIP_ARRAY_DESCRIPTOR::Height",
    ][::core::mem::offset_of!(HIP_ARRAY_DESCRIPTOR, Height) - 8usize];
    [
        "Offset of field: HIP_ARRAY_DESCRIPTOR::Format",
    ][::core::mem::offset_of!(HIP_ARRAY_DESCRIPTOR, Format) - 16usize];
    [
        "Offset of field: HIP_ARRAY_DESCRIPTOR::NumChannels",
    ][::core::mem::offset_of!(HIP_ARRAY_DESCRIPTOR, NumChannels) - 20usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_ARRAY3D_DESCRIPTOR",
    ][::core::mem::size_of::<HIP_ARRAY3D_DESCRIPTOR>() - 40usize];
    [
        "Alignment of HIP_ARRAY3D_DESCRIPTOR",
    ][::core::mem::align_of::<HIP_ARRAY3D_DESCRIPTOR>() - 8usize];
    [
        "Offset of field: HIP_ARRAY3D_DESCRIPTOR::Width",
    ][::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Width) - 0usize];
    [
        "Offset of field: HIP_ARRAY3D_DESCRIPTOR::Height",
    ][::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Height) - 8usize];
    [
        "Offset of field: HIP_ARRAY3D_DESCRIPTOR::Depth",
    ][::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Depth) - 16usize];
    [
        "Offset of field: HIP_ARRAY3D_DESCRIPTOR::Format",
    ][::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Format) - 24usize];
    [
        "Offset of field: HIP_ARRAY3D_DESCRIPTOR::NumChannels",
    ][::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, NumChannels) - 28usize];
    [
        "Offset of field: HIP_ARRAY3D_DESCRIPTOR::Flags",
    ][::core::mem::offset_of!(HIP_ARRAY3D_DESCRIPTOR, Flags) - 32usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hip_Memcpy2D"][::core::mem::size_of::<hip_Memcpy2D>() - 128usize];
    ["Alignment of hip_Memcpy2D"][::core::mem::align_of::<hip_Memcpy2D>() - 8usize];
    [
        "Offset of field: hip_Memcpy2D::srcXInBytes",
    ][::core::mem::offset_of!(hip_Memcpy2D, srcXInBytes) - 0usize];
    [
        "Offset of field: hip_Memcpy2D::srcY",
    ][::core::mem::offset_of!(hip_Memcpy2D, srcY) - 8usize];
    [
        "Offset of field: hip_Memcpy2D::srcMemoryType",
    ][::core::mem::offset_of!(hip_Memcpy2D, srcMemoryType) - 16usize];
    [
        "Offset of field: hip_Memcpy2D::srcHost",
    ][::core::mem::offset_of!(hip_Memcpy2D, srcHost) - 24usize];
    [
        "Offset of field: hip_Memcpy2D::srcDevice",
    ][::core::mem::offset_of!(hip_Memcpy2D, srcDevice) - 32usize];
    [
        "Offset of field: hip_Memcpy2D::srcArray",
    ][::core::mem::offset_of!(hip_Memcpy2D, srcArray) - 40usize];
    [
        "Offset of field: hip_Memcpy2D::srcPitch",
    ][::core::mem::offset_of!(hip_Memcpy2D, srcPitch) - 48usize];
    [
        "Offset of field: hip_Memcpy2D::dstXInBytes",
    ][::core::mem::offset_of!(hip_Memcpy2D, dstXInBytes) - 56usize];
    [
        "Offset of field: hip_Memcpy2D::dstY",
    ][::core::mem::offset_of!(hip_Memcpy2D, dstY) - 64usize];
    [
        "Offset of field: hip_Memcpy2D::dstMemoryType",
    ][::core::mem::offset_of!(hip_Memcpy2D, dstMemoryType) - 72usize];
    [
        "Offset of field: hip_Memcpy2D::dstHost",
    ][::core::mem::offset_of!(hip_Memcpy2D, dstHost) - 80usize];
    [
        "Offset of field: hip_Memcpy2D::dstDevice",
    ][::core::mem::offset_of!(hip_Memcpy2D, dstDevice) - 88usize];
    [
        "Offset of field: hip_Memcpy2D::dstArray",
    ][::core::mem::offset_of!(hip_Memcpy2D, dstArray) - 96usize];
    [
        "Offset of field: hip_Memcpy2D::dstPitch",
    ][::core::mem::offset_of!(hip_Memcpy2D, dstPitch) - 104usize];
    [
        "Offset of field: hip_Memcpy2D::WidthInBytes",
    ][::core::mem::offset_of!(hip_Memcpy2D, WidthInBytes) - 112usize];
    [
        "Offset of field: hip_Memcpy2D::Height",
    ][::core::mem::offset_of!(hip_Memcpy2D, Height) - 120usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipMipmappedArray"][::core::mem::size_of::<hipMipmappedArray>() - 64usize];
    [
        "Alignment of hipMipmappedArray",
    ][::core::mem::align_of::<hipMipmappedArray>() - 8usize];
    [
        "Offset of field: hipMipmappedArray::data",
    ][::core::mem::offset_of!(hipMipmappedArray, data) - 0usize];
    [
        "Offset of field: hipMipmappedArray::desc",
    ][::core::mem::offset_of!(hipMipmappedArray, desc) - 8usize];
    [
        "Offset of field: hipMipmappedArray::type_",
    ][::core::mem::offset_of!(hipMipmappedArray, type_) - 28usize];
    [
        "Offset of field: hipMipmappedArray::width",
    ][::core::mem::offset_of!(hipMipmappedArray, width) - 32usize];
    [
        "Offset of field: hipMipmappedArray::height",
    ][::core::mem::offset_of!(hipMipmappedArray, height) - 36usize];
    [
        "Offset of field: hipMipmappedArray::depth",
    ][::core::mem::offset_of!(hipMipmappedArray, depth) - 40usize];
    [
        "Offset of field: hipMipmappedArray::min_mipmap_level",
    ][::core::mem::offset_of!(hipMipmappedArray, min_mipmap_level) - 44usize];
    [
        "Offset of field: hipMipmappedArray::max_mipmap_level",
    ][::core::mem::offset_of!(hipMipmappedArray, max_mipmap_level) - 48usize];
    [
        "Offset of field: hipMipmappedArray::flags",
    ][::core::mem::offset_of!(hipMipmappedArray, flags) - 52usize];
    [
        "Offset of field: hipMipmappedArray::format",
    ][::core::mem::offset_of!(hipMipmappedArray, format) - 56usize];
    [
        "Offset of field: hipMipmappedArray::num_channels",
    ][::core::mem::offset_of!(hipMipmappedArray, num_channels) - 60usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_TEXTURE_DESC_st",
    ][::core::mem::size_of::<HIP_TEXTURE_DESC_st>() - 104usize];
    [
        "Alignment of HIP_TEXTURE_DESC_st",
    ][::core::mem::align_of::<HIP_TEXTURE_DESC_st>() - 4usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::addressMode",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, addressMode) - 0usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::filterMode",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, filterMode) - 12usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::flags",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, flags) - 16usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::maxAnisotropy",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, maxAnisotropy) - 20usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::mipmapFilterMode",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, mipmapFilterMode) - 24usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::mipmapLevelBias",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, mipmapLevelBias) - 28usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::minMipmapLevelClamp",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, minMipmapLevelClamp) - 32usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::maxMipmapLevelClamp",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, maxMipmapLevelClamp) - 36usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::borderColor",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, borderColor) - 40usize];
    [
        "Offset of field: HIP_TEXTURE_DESC_st::reserved",
    ][::core::mem::offset_of!(HIP_TEXTURE_DESC_st, reserved) - 56usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipResourceDesc__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_1>() - 8usize];
    [
        "Alignment of hipResourceDesc__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_1::array",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_1, array)
        - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipResourceDesc__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_2>() - 8usize];
    [
        "Alignment of hipResourceDesc__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_2>() - 8usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_2::mipmap",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_2, mipmap)
        - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipResourceDesc__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::size_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_3>() - 40usize];
    [
        "Alignment of hipResourceDesc__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::align_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_3>() - 8usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_3::devPtr",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_3, devPtr)
        - 0usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_3::desc",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_3, desc)
        - 8usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_3::sizeInBytes",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_3, sizeInBytes)
        - 32usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipResourceDesc__bindgen_ty_1__bindgen_ty_4",
    ][::core::mem::size_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_4>() - 56usize];
    [
        "Alignment of hipResourceDesc__bindgen_ty_1__bindgen_ty_4",
    ][::core::mem::align_of::<hipResourceDesc__bindgen_ty_1__bindgen_ty_4>() - 8usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::devPtr",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, devPtr)
        - 0usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::desc",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, desc)
        - 8usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::width",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, width)
        - 32usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::height",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, height)
        - 40usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1__bindgen_ty_4::pitchInBytes",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1__bindgen_ty_4, pitchInBytes)
        - 48usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipResourceDesc__bindgen_ty_1",
    ][::core::mem::size_of::<hipResourceDesc__bindgen_ty_1>() - 56usize];
    [
        "Alignment of hipResourceDesc__bindgen_ty_1",
    ][::core::mem::align_of::<hipResourceDesc__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1::array",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1, array) - 0usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1::mipmap",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1, mipmap) - 0usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1::linear",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1, linear) - 0usize];
    [
        "Offset of field: hipResourceDesc__bindgen_ty_1::pitch2D",
    ][::core::mem::offset_of!(hipResourceDesc__bindgen_ty_1, pitch2D) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipResourceDesc"][::core::mem::size_of::<hipResourceDesc>() - 64usize];
    [
        "Alignment of hipResourceDesc",
    ][::core::mem::align_of::<hipResourceDesc>() - 8usize];
    [
        "Offset of field: hipResourceDesc::resType",
    ][::core::mem::offset_of!(hipResourceDesc, resType) - 0usize];
    [
        "Offset of field: hipResourceDesc::res",
    ][::core::mem::offset_of!(hipResourceDesc, res) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1::hArray",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1, hArray)
        - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2>()
        - 8usize];
    [
        "Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2>()
        - 8usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2::hMipmappedArray",
    ][::core::mem::offset_of!(
        HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2, hMipmappedArray
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3>()
        - 24usize];
    [
        "Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3>()
        - 8usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::devPtr",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, devPtr)
        - 0usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::format",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, format)
        - 8usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::numChannels",
    ][::core::mem::offset_of!(
        HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, numChannels
    ) - 12usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3::sizeInBytes",
    ][::core::mem::offset_of!(
        HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3, sizeInBytes
    ) - 16usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4",
    ][::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4>()
        - 40usize];
    [
        "Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4",
    ][::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4>()
        - 8usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::devPtr",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, devPtr)
        - 0usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::format",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, format)
        - 8usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::numChannels",
    ][::core::mem::offset_of!(
        HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, numChannels
    ) - 12usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::width",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, width)
        - 16usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::height",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, height)
        - 24usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4::pitchInBytes",
    ][::core::mem::offset_of!(
        HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4, pitchInBytes
    ) - 32usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5",
    ][::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5>()
        - 128usize];
    [
        "Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5",
    ][::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5>()
        - 4usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5::reserved",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5, reserved)
        - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_RESOURCE_DESC_st__bindgen_ty_1",
    ][::core::mem::size_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1>() - 128usize];
    [
        "Alignment of HIP_RESOURCE_DESC_st__bindgen_ty_1",
    ][::core::mem::align_of::<HIP_RESOURCE_DESC_st__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::array",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, array) - 0usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::mipmap",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, mipmap) - 0usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::linear",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, linear) - 0usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::pitch2D",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, pitch2D) - 0usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st__bindgen_ty_1::reserved",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st__bindgen_ty_1, reserved) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_RESOURCE_DESC_st",
    ][::core::mem::size_of::<HIP_RESOURCE_DESC_st>() - 144usize];
    [
        "Alignment of HIP_RESOURCE_DESC_st",
    ][::core::mem::align_of::<HIP_RESOURCE_DESC_st>() - 8usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st::resType",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st, resType) - 0usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st::res",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st, res) - 8usize];
    [
        "Offset of field: HIP_RESOURCE_DESC_st::flags",
    ][::core::mem::offset_of!(HIP_RESOURCE_DESC_st, flags) - 136usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipResourceViewDesc",
    ][::core::mem::size_of::<hipResourceViewDesc>() - 48usize];
    [
        "Alignment of hipResourceViewDesc",
    ][::core::mem::align_of::<hipResourceViewDesc>() - 8usize];
    [
        "Offset of field: hipResourceViewDesc::format",
    ][::core::mem::offset_of!(hipResourceViewDesc, format) - 0usize];
    [
        "Offset of field: hipResourceViewDesc::width",
    ][::core::mem::offset_of!(hipResourceViewDesc, width) - 8usize];
    [
        "Offset of field: hipResourceViewDesc::height",
    ][::core::mem::offset_of!(hipResourceViewDesc, height) - 16usize];
    [
        "Offset of field: hipResourceViewDesc::depth",
    ][::core::mem::offset_of!(hipResourceViewDesc, depth) - 24usize];
    [
        "Offset of field: hipResourceViewDesc::firstMipmapLevel",
    ][::core::mem::offset_of!(hipResourceViewDesc, firstMipmapLevel) - 32usize];
    [
        "Offset of field: hipResourceViewDesc::lastMipmapLevel",
    ][::core::mem::offset_of!(hipResourceViewDesc, lastMipmapLevel) - 36usize];
    [
        "Offset of field: hipResourceViewDesc::firstLayer",
    ][::core::mem::offset_of!(hipResourceViewDesc, firstLayer) - 40usize];
    [
        "Offset of field: hipResourceViewDesc::lastLayer",
    ][::core::mem::offset_of!(hipResourceViewDesc, lastLayer) - 44usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_RESOURCE_VIEW_DESC_st",
    ][::core::mem::size_of::<HIP_RESOURCE_VIEW_DESC_st>() - 112usize];
    [
        "Alignment of HIP_RESOURCE_VIEW_DESC_st",
    ][::core::mem::align_of::<HIP_RESOURCE_VIEW_DESC_st>() - 8usize];
    [
        "Offset of field: HIP_RESOURCE_VIEW_DESC_st::format",
    ][::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, format) - 0usize];
    [
        "Offset of field: HIP_RESOURCE_VIEW_DESC_st::width",
    ][::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, width) - 8usize];
    [
        "Offset of field: HIP_RESOURCE_VIEW_DESC_st::height",
    ][::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, height) - 16usize];
    [
        "Offset of field: HIP_RESOURCE_VIEW_DESC_st::depth",
    ][::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, depth) - 24usize];
    [
        "Offset of field: HIP_RESOURCE_VIEW_DESC_st::firstMipmapLevel",
    ][::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, firstMipmapLevel) - 32usize];
    [
        "Offset of field: HIP_RESOURCE_VIEW_DESC_st::lastMipmapLevel",
    ][::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, lastMipmapLevel) - 36usize];
    [
        "Offset of field: HIP_RESOURCE_VIEW_DESC_st::firstLayer",
    ][::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, firstLayer) - 40usize];
    [
        "Offset of field: HIP_RESOURCE_VIEW_DESC_st::lastLayer",
    ][::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, lastLayer) - 44usize];
    [
        "Offset of field: HIP_RESOURCE_VIEW_DESC_st::reserved",
    ][::core::mem::offset_of!(HIP_RESOURCE_VIEW_DESC_st, reserved) - 48usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipPitchedPtr"][::core::mem::size_of::<hipPitchedPtr>() - 32usize];
    ["Alignment of hipPitchedPtr"][::core::mem::align_of::<hipPitchedPtr>() - 8usize];
    [
        "Offset of field: hipPitchedPtr::ptr",
    ][::core::mem::offset_of!(hipPitchedPtr, ptr) - 0usize];
    [
        "Offset of field: hipPitchedPtr::pitch",
    ][::core::mem::offset_of!(hipPitchedPtr, pitch) - 8usize];
    [
        "Offset of field: hipPitchedPtr::xsize",
    ][::core::mem::offset_of!(hipPitchedPtr, xsize) - 16usize];
    [
        "Offset of field: hipPitchedPtr::ysize",
    ][::core::mem::offset_of!(hipPitchedPtr, ysize) - 24usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipExtent"][::core::mem::size_of::<hipExtent>() - 24usize];
    ["Alignment of hipExtent"][::core::mem::align_of::<hipExtent>() - 8usize];
    [
        "Offset of field: hipExtent::width",
    ][::core::mem::offset_of!(hipExtent, width) - 0usize];
    [
        "Offset of field: hipExtent::height",
    ][::core::mem::offset_of!(hipExtent, height) - 8usize];
    [
        "Offset of field: hipExtent::depth",
    ][::core::mem::offset_of!(hipExtent, depth) - 16usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipPos"][::core::mem::size_of::<hipPos>() - 24usize];
    ["Alignment of hipPos"][::core::mem::align_of::<hipPos>() - 8usize];
    ["Offset of field: hipPos::x"][::core::mem::offset_of!(hipPos, x) - 0usize];
    ["Offset of field: hipPos::y"][::core::mem::offset_of!(hipPos, y) - 8usize];
    ["Offset of field: hipPos::z"][::core::mem::offset_of!(hipPos, z) - 16usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipMemcpy3DParms"][::core::mem::size_of::<hipMemcpy3DParms>() - 160usize];
    [
        "Alignment of hipMemcpy3DParms",
    ][::core::mem::align_of::<hipMemcpy3DParms>() - 8usize];
    [
        "Offset of field: hipMemcpy3DParms::srcArray",
    ][::core::mem::offset_of!(hipMemcpy3DParms, srcArray) - 0usize];
    [
        "Offset of field: hipMemcpy3DParms::srcPos",
    ][::core::mem::offset_of!(hipMemcpy3DParms, srcPos) - 8usize];
    [
        "Offset of field: hipMemcpy3DParms::srcPtr",
    ][::core::mem::offset_of!(hipMemcpy3DParms, srcPtr) - 32usize];
    [
        "Offset of field: hipMemcpy3DParms::dstArray",
    ][::core::mem::offset_of!(hipMemcpy3DParms, dstArray) - 64usize];
    [
        "Offset of field: hipMemcpy3DParms::dstPos",
    ][::core::mem::offset_of!(hipMemcpy3DParms, dstPos) - 72usize];
    [
        "Offset of field: hipMemcpy3DParms::dstPtr",
    ][::core::mem::offset_of!(hipMemcpy3DParms, dstPtr) - 96usize];
    [
        "Offset of field: hipMemcpy3DParms::extent",
    ][::core::mem::offset_of!(hipMemcpy3DParms, extent) - 128usize];
    [
        "Offset of field: hipMemcpy3DParms::kind",
    ][::core::mem::offset_of!(hipMemcpy3DParms, kind) - 152usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of HIP_MEMCPY3D"][::core::mem::size_of::<HIP_MEMCPY3D>() - 184usize];
    ["Alignment of HIP_MEMCPY3D"][::core::mem::align_of::<HIP_MEMCPY3D>() - 8usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcXInBytes",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcXInBytes) - 0usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcY",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcY) - 8usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcZ",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcZ) - 16usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcLOD",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcLOD) - 24usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcMemoryType",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcMemoryType) - 32usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcHost",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcHost) - 40usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcDevice",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcDevice) - 48usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcArray",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcArray) - 56usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcPitch",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcPitch) - 64usize];
    [
        "Offset of field: HIP_MEMCPY3D::srcHeight",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, srcHeight) - 72usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstXInBytes",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstXInBytes) - 80usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstY",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstY) - 88usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstZ",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstZ) - 96usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstLOD",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstLOD) - 104usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstMemoryType",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstMemoryType) - 112usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstHost",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstHost) - 120usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstDevice",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstDevice) - 128usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstArray",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstArray) - 136usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstPitch",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstPitch) - 144usize];
    [
        "Offset of field: HIP_MEMCPY3D::dstHeight",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, dstHeight) - 152usize];
    [
        "Offset of field: HIP_MEMCPY3D::WidthInBytes",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, WidthInBytes) - 160usize];
    [
        "Offset of field: HIP_MEMCPY3D::Height",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, Height) - 168usize];
    [
        "Offset of field: HIP_MEMCPY3D::Depth",
    ][::core::mem::offset_of!(HIP_MEMCPY3D, Depth) - 176usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of textureReference"][::core::mem::size_of::<textureReference>() - 88usize];
    [
        "Alignment of textureReference",
    ][::core::mem::align_of::<textureReference>() - 8usize];
    [
        "Offset of field: textureReference::normalized",
    ][::core::mem::offset_of!(textureReference, normalized) - 0usize];
    [
        "Offset of field: textureReference::readMode",
    ][::core::mem::offset_of!(textureReference, readMode) - 4usize];
    [
        "Offset of field: textureReference::filterMode",
    ][::core::mem::offset_of!(textureReference, filterMode) - 8usize];
    [
        "Offset of field: textureReference::addressMode",
    ][::core::mem::offset_of!(textureReference, addressMode) - 12usize];
    [
        "Offset of field: textureReference::channelDesc",
    ][::core::mem::offset_of!(textureReference, channelDesc) - 24usize];
    [
        "Offset of field: textureReference::sRGB",
    ][::core::mem::offset_of!(textureReference, sRGB) - 44usize];
    [
        "Offset of field: textureReference::maxAnisotropy",
    ][::core::mem::offset_of!(textureReference, maxAnisotropy) - 48usize];
    [
        "Offset of field: textureReference::mipmapFilterMode",
    ][::core::mem::offset_of!(textureReference, mipmapFilterMode) - 52usize];
    [
        "Offset of field: textureReference::mipmapLevelBias",
    ][::core::mem::offset_of!(textureReference, mipmapLevelBias) - 56usize];
    [
        "Offset of field: textureReference::minMipmapLevelClamp",
    ][::core::mem::offset_of!(textureReference, minMipmapLevelClamp) - 60usize];
    [
        "Offset of field: textureReference::maxMipmapLevelClamp",
    ][::core::mem::offset_of!(textureReference, maxMipmapLevelClamp) - 64usize];
    [
        "Offset of field: textureReference::textureObject",
    ][::core::mem::offset_of!(textureReference, textureObject) - 72usize];
    [
        "Offset of field: textureReference::numChannels",
    ][::core::mem::offset_of!(textureReference, numChannels) - 80usize];
    [
        "Offset of field: textureReference::format",
    ][::core::mem::offset_of!(textureReference, format) - 84usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipTextureDesc"][::core::mem::size_of::<hipTextureDesc>() - 64usize];
    ["Alignment of hipTextureDesc"][::core::mem::align_of::<hipTextureDesc>() - 4usize];
    [
        "Offset of field: hipTextureDesc::addressMode",
    ][::core::mem::offset_of!(hipTextureDesc, addressMode) - 0usize];
    [
        "Offset of field: hipTextureDesc::filterMode",
    ][::core::mem::offset_of!(hipTextureDesc, filterMode) - 12usize];
    [
        "Offset of field: hipTextureDesc::readMode",
    ][::core::mem::offset_of!(hipTextureDesc, readMode) - 16usize];
    [
        "Offset of field: hipTextureDesc::sRGB",
    ][::core::mem::offset_of!(hipTextureDesc, sRGB) - 20usize];
    [
        "Offset of field: hipTextureDesc::borderColor",
    ][::core::mem::offset_of!(hipTextureDesc, borderColor) - 24usize];
    [
        "Offset of field: hipTextureDesc::normalizedCoords",
    ][::core::mem::offset_of!(hipTextureDesc, normalizedCoords) - 40usize];
    [
        "Offset of field: hipTextureDesc::maxAnisotropy",
    ][::core::mem::offset_of!(hipTextureDesc, maxAnisotropy) - 44usize];
    [
        "Offset of field: hipTextureDesc::mipmapFilterMode",
    ][::core::mem::offset_of!(hipTextureDesc, mipmapFilterMode) - 48usize];
    [
        "Offset of field: hipTextureDesc::mipmapLevelBias",
    ][::core::mem::offset_of!(hipTextureDesc, mipmapLevelBias) - 52usize];
    [
        "Offset of field: hipTextureDesc::minMipmapLevelClamp",
    ][::core::mem::offset_of!(hipTextureDesc, minMipmapLevelClamp) - 56usize];
    [
        "Offset of field: hipTextureDesc::maxMipmapLevelClamp",
    ][::core::mem::offset_of!(hipTextureDesc, maxMipmapLevelClamp) - 60usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipIpcMemHandle_st",
    ][::core::mem::size_of::<hipIpcMemHandle_st>() - 64usize];
    [
        "Alignment of hipIpcMemHandle_st",
    ][::core::mem::align_of::<hipIpcMemHandle_st>() - 1usize];
    [
        "Offset of field: hipIpcMemHandle_st::reserved",
    ][::core::mem::offset_of!(hipIpcMemHandle_st, reserved) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipIpcEventHandle_st",
    ][::core::mem::size_of::<hipIpcEventHandle_st>() - 64usize];
    [
        "Alignment of hipIpcEventHandle_st",
    ][::core::mem::align_of::<hipIpcEventHandle_st>() - 1usize];
    [
        "Offset of field: hipIpcEventHandle_st::reserved",
    ][::core::mem::offset_of!(hipIpcEventHandle_st, reserved) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipFuncAttributes"][::core::mem::size_of::<hipFuncAttributes>() - 56usize];
    [
        "Alignment of hipFuncAttributes",
    ][::core::mem::align_of::<hipFuncAttributes>() - 8usize];
    [
        "Offset of field: hipFuncAttributes::binaryVersion",
    ][::core::mem::offset_of!(hipFuncAttributes, binaryVersion) - 0usize];
    [
        "Offset of field: hipFuncAttributes::cacheModeCA",
    ][::core::mem::offset_of!(hipFuncAttributes, cacheModeCA) - 4usize];
    [
        "Offset of field: hipFuncAttributes::constSizeBytes",
    ][::core::mem::offset_of!(hipFuncAttributes, constSizeBytes) - 8usize];
    [
        "Offset of field: hipFuncAttributes::localSizeBytes",
    ][::core::mem::offset_of!(hipFuncAttributes, localSizeBytes) - 16usize];
    [
        "Offset of field: hipFuncAttributes::maxDynamicSharedSizeBytes",
    ][::core::mem::offset_of!(hipFuncAttributes, maxDynamicSharedSizeBytes) - 24usize];
    [
        "Offset of field: hipFuncAttributes::maxThreadsPerBlock",
    ][::core::mem::offset_of!(hipFuncAttributes, maxThreadsPerBlock) - 28usize];
    [
        "Offset of field: hipFuncAttributes::numRegs",
    ][::core::mem::offset_of!(hipFuncAttributes, numRegs) - 32usize];
    [
        "Offset of field: hipFuncAttributes::preferredShmemCarveout",
    ][::core::mem::offset_of!(hipFuncAttributes, preferredShmemCarveout) - 36usize];
    [
        "Offset of field: hipFuncAttributes::ptxVersion",
    ][::core::mem::offset_of!(hipFuncAttributes, ptxVersion) - 40usize];
    [
        "Offset of field: hipFuncAttributes::sharedSizeBytes",
    ][::core::mem::offset_of!(hipFuncAttributes, sharedSizeBytes) - 48usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1",
    ][::core::mem::size_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1,
    >() - 8usize];
    [
        "Alignment of hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1",
    ][::core::mem::align_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1::value",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1,
        value
    ) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1::value64",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1,
        value64
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t",
    ][::core::mem::size_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t,
    >() - 40usize];
    [
        "Alignment of hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t",
    ][::core::mem::align_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t,
    >() - 8usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t::operation",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t, operation
    ) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t::address",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t, address
    ) - 8usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t::flags",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t, flags
    ) - 24usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t::alias",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t, alias
    ) - 32usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1",
    ][::core::mem::size_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1,
    >() - 8usize];
    [
        "Alignment of hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1",
    ][::core::mem::align_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1::value",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1,
        value
    ) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1::value64",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1,
        value64
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t",
    ][::core::mem::size_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t,
    >() - 40usize];
    [
        "Alignment of hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t",
    ][::core::mem::align_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t,
    >() - 8usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t::operation",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t, operation
    ) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t::address",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t, address
    ) - 8usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t::flags",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t, flags
    ) - 24usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t::alias",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t, alias
    ) - 32usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t",
    ][::core::mem::size_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t,
    >() - 8usize];
    [
        "Alignment of hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t",
    ][::core::mem::align_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t,
    >() - 4usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t::operation",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t,
        operation
    ) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t::flags",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t, flags
    ) - 4usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t",
    ][::core::mem::size_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t,
    >() - 8usize];
    [
        "Alignment of hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t",
    ][::core::mem::align_of::<
        hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t,
    >() - 4usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t::operation",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t, operation
    ) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t::flags",
    ][::core::mem::offset_of!(
        hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t, flags
    ) - 4usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipStreamBatchMemOpParams_union",
    ][::core::mem::size_of::<hipStreamBatchMemOpParams_union>() - 48usize];
    [
        "Alignment of hipStreamBatchMemOpParams_union",
    ][::core::mem::align_of::<hipStreamBatchMemOpParams_union>() - 8usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union::operation",
    ][::core::mem::offset_of!(hipStreamBatchMemOpParams_union, operation) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union::waitValue",
    ][::core::mem::offset_of!(hipStreamBatchMemOpParams_union, waitValue) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union::writeValue",
    ][::core::mem::offset_of!(hipStreamBatchMemOpParams_union, writeValue) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union::flushRemoteWrites",
    ][::core::mem::offset_of!(hipStreamBatchMemOpParams_union, flushRemoteWrites)
        - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union::memoryBarrier",
    ][::core::mem::offset_of!(hipStreamBatchMemOpParams_union, memoryBarrier) - 0usize];
    [
        "Offset of field: hipStreamBatchMemOpParams_union::pad",
    ][::core::mem::offset_of!(hipStreamBatchMemOpParams_union, pad) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipBatchMemOpNodeParams",
    ][::core::mem::size_of::<hipBatchMemOpNodeParams>() - 32usize];
    [
        "Alignment of hipBatchMemOpNodeParams",
    ][::core::mem::align_of::<hipBatchMemOpNodeParams>() - 8usize];
    [
        "Offset of field: hipBatchMemOpNodeParams::ctx",
    ][::core::mem::offset_of!(hipBatchMemOpNodeParams, ctx) - 0usize];
    [
        "Offset of field: hipBatchMemOpNodeParams::count",
    ][::core::mem::offset_of!(hipBatchMemOpNodeParams, count) - 8usize];
    [
        "Offset of field: hipBatchMemOpNodeParams::paramArray",
    ][::core::mem::offset_of!(hipBatchMemOpNodeParams, paramArray) - 16usize];
    [
        "Offset of field: hipBatchMemOpNodeParams::flags",
    ][::core::mem::offset_of!(hipBatchMemOpNodeParams, flags) - 24usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipMemLocation"][::core::mem::size_of::<hipMemLocation>() - 8usize];
    ["Alignment of hipMemLocation"][::core::mem::align_of::<hipMemLocation>() - 4usize];
    [
        "Offset of field: hipMemLocation::type_",
    ][::core::mem::offset_of!(hipMemLocation, type_) - 0usize];
    [
        "Offset of field: hipMemLocation::id",
    ][::core::mem::offset_of!(hipMemLocation, id) - 4usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipMemAccessDesc"][::core::mem::size_of::<hipMemAccessDesc>() - 12usize];
    [
        "Alignment of hipMemAccessDesc",
    ][::core::mem::align_of::<hipMemAccessDesc>() - 4usize];
    [
        "Offset of field: hipMemAccessDesc::location",
    ][::core::mem::offset_of!(hipMemAccessDesc, location) - 0usize];
    [
        "Offset of field: hipMemAccessDesc::flags",
    ][::core::mem::offset_of!(hipMemAccessDesc, flags) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipMemPoolProps"][::core::mem::size_of::<hipMemPoolProps>() - 88usize];
    [
        "Alignment of hipMemPoolProps",
    ][::core::mem::align_of::<hipMemPoolProps>() - 8usize];
    [
        "Offset of field: hipMemPoolProps::allocType",
    ][::core::mem::offset_of!(hipMemPoolProps, allocType) - 0usize];
    [
        "Offset of field: hipMemPoolProps::handleTypes",
    ][::core::mem::offset_of!(hipMemPoolProps, handleTypes) - 4usize];
    [
        "Offset of field: hipMemPoolProps::location",
    ][::core::mem::offset_of!(hipMemPoolProps, location) - 8usize];
    [
        "Offset of field: hipMemPoolProps::win32SecurityAttributes",
    ][::core::mem::offset_of!(hipMemPoolProps, win32SecurityAttributes) - 16usize];
    [
        "Offset of field: hipMemPoolProps::maxSize",
    ][::core::mem::offset_of!(hipMemPoolProps, maxSize) - 24usize];
    [
        "Offset of field: hipMemPoolProps::reserved",
    ][::core::mem::offset_of!(hipMemPoolProps, reserved) - 32usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipMemPoolPtrExportData",
    ][::core::mem::size_of::<hipMemPoolPtrExportData>() - 64usize];
    [
        "Alignment of hipMemPoolPtrExportData",
    ][::core::mem::align_of::<hipMemPoolPtrExportData>() - 1usize];
    [
        "Offset of field: hipMemPoolPtrExportData::reserved",
    ][::core::mem::offset_of!(hipMemPoolPtrExportData, reserved) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of dim3"][::core::mem::size_of::<dim3>() - 12usize];
    ["Alignment of dim3"][::core::mem::align_of::<dim3>() - 4usize];
    ["Offset of field: dim3::x"][::core::mem::offset_of!(dim3, x) - 0usize];
    ["Offset of field: dim3::y"][::core::mem::offset_of!(dim3, y) - 4usize];
    ["Offset of field: dim3::z"][::core::mem::offset_of!(dim3, z) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipLaunchParams_t"][::core::mem::size_of::<hipLaunchParams_t>() - 56usize];
    [
        "Alignment of hipLaunchParams_t",
    ][::core::mem::align_of::<hipLaunchParams_t>() - 8usize];
    [
        "Offset of field: hipLaunchParams_t::func",
    ][::core::mem::offset_of!(hipLaunchParams_t, func) - 0usize];
    [
        "Offset of field: hipLaunchParams_t::gridDim",
    ][::core::mem::offset_of!(hipLaunchParams_t, gridDim) - 8usize];
    [
        "Offset of field: hipLaunchParams_t::blockDim",
    ][::core::mem::offset_of!(hipLaunchParams_t, blockDim) - 20usize];
    [
        "Offset of field: hipLaunchParams_t::args",
    ][::core::mem::offset_of!(hipLaunchParams_t, args) - 32usize];
    [
        "Offset of field: hipLaunchParams_t::sharedMem",
    ][::core::mem::offset_of!(hipLaunchParams_t, sharedMem) - 40usize];
    [
        "Offset of field: hipLaunchParams_t::stream",
    ][::core::mem::offset_of!(hipLaunchParams_t, stream) - 48usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipFunctionLaunchParams_t",
    ][::core::mem::size_of::<hipFunctionLaunchParams_t>() - 56usize];
    [
        "Alignment of hipFunctionLaunchParams_t",
    ][::core::mem::align_of::<hipFunctionLaunchParams_t>() - 8usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::function",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, function) - 0usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::gridDimX",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, gridDimX) - 8usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::gridDimY",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, gridDimY) - 12usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::gridDimZ",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, gridDimZ) - 16usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::blockDimX",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, blockDimX) - 20usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::blockDimY",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, blockDimY) - 24usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::blockDimZ",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, blockDimZ) - 28usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::sharedMemBytes",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, sharedMemBytes) - 32usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::hStream",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, hStream) - 40usize];
    [
        "Offset of field: hipFunctionLaunchParams_t::kernelParams",
    ][::core::mem::offset_of!(hipFunctionLaunchParams_t, kernelParams) - 48usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<
        hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    >() - 16usize];
    [
        "Alignment of hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<
        hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1::handle",
    ][::core::mem::offset_of!(
        hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1, handle
    ) - 0usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1::name",
    ][::core::mem::offset_of!(
        hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1, name
    ) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalMemoryHandleDesc_st__bindgen_ty_1",
    ][::core::mem::size_of::<hipExternalMemoryHandleDesc_st__bindgen_ty_1>() - 16usize];
    [
        "Alignment of hipExternalMemoryHandleDesc_st__bindgen_ty_1",
    ][::core::mem::align_of::<hipExternalMemoryHandleDesc_st__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st__bindgen_ty_1::fd",
    ][::core::mem::offset_of!(hipExternalMemoryHandleDesc_st__bindgen_ty_1, fd)
        - 0usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st__bindgen_ty_1::win32",
    ][::core::mem::offset_of!(hipExternalMemoryHandleDesc_st__bindgen_ty_1, win32)
        - 0usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st__bindgen_ty_1::nvSciBufObject",
    ][::core::mem::offset_of!(
        hipExternalMemoryHandleDesc_st__bindgen_ty_1, nvSciBufObject
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalMemoryHandleDesc_st",
    ][::core::mem::size_of::<hipExternalMemoryHandleDesc_st>() - 104usize];
    [
        "Alignment of hipExternalMemoryHandleDesc_st",
    ][::core::mem::align_of::<hipExternalMemoryHandleDesc_st>() - 8usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st::type_",
    ][::core::mem::offset_of!(hipExternalMemoryHandleDesc_st, type_) - 0usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st::handle",
    ][::core::mem::offset_of!(hipExternalMemoryHandleDesc_st, handle) - 8usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st::size",
    ][::core::mem::offset_of!(hipExternalMemoryHandleDesc_st, size) - 24usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st::flags",
    ][::core::mem::offset_of!(hipExternalMemoryHandleDesc_st, flags) - 32usize];
    [
        "Offset of field: hipExternalMemoryHandleDesc_st::reserved",
    ][::core::mem::offset_of!(hipExternalMemoryHandleDesc_st, reserved) - 36usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalMemoryBufferDesc_st",
    ][::core::mem::size_of::<hipExternalMemoryBufferDesc_st>() - 88usize];
    [
        "Alignment of hipExternalMemoryBufferDesc_st",
    ][::core::mem::align_of::<hipExternalMemoryBufferDesc_st>() - 8usize];
    [
        "Offset of field: hipExternalMemoryBufferDesc_st::offset",
    ][::core::mem::offset_of!(hipExternalMemoryBufferDesc_st, offset) - 0usize];
    [
        "Offset of field: hipExternalMemoryBufferDesc_st::size",
    ][::core::mem::offset_of!(hipExternalMemoryBufferDesc_st, size) - 8usize];
    [
        "Offset of field: hipExternalMemoryBufferDesc_st::flags",
    ][::core::mem::offset_of!(hipExternalMemoryBufferDesc_st, flags) - 16usize];
    [
        "Offset of field: hipExternalMemoryBufferDesc_st::reserved",
    ][::core::mem::offset_of!(hipExternalMemoryBufferDesc_st, reserved) - 20usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalMemoryMipmappedArrayDesc_st",
    ][::core::mem::size_of::<hipExternalMemoryMipmappedArrayDesc_st>() - 64usize];
    [
        "Alignment of hipExternalMemoryMipmappedArrayDesc_st",
    ][::core::mem::align_of::<hipExternalMemoryMipmappedArrayDesc_st>() - 8usize];
    [
        "Offset of field: hipExternalMemoryMipmappedArrayDesc_st::offset",
    ][::core::mem::offset_of!(hipExternalMemoryMipmappedArrayDesc_st, offset) - 0usize];
    [
        "Offset of field: hipExternalMemoryMipmappedArrayDesc_st::formatDesc",
    ][::core::mem::offset_of!(hipExternalMemoryMipmappedArrayDesc_st, formatDesc)
        - 8usize];
    [
        "Offset of field: hipExternalMemoryMipmappedArrayDesc_st::extent",
    ][::core::mem::offset_of!(hipExternalMemoryMipmappedArrayDesc_st, extent) - 32usize];
    [
        "Offset of field: hipExternalMemoryMipmappedArrayDesc_st::flags",
    ][::core::mem::offset_of!(hipExternalMemoryMipmappedArrayDesc_st, flags) - 56usize];
    [
        "Offset of field: hipExternalMemoryMipmappedArrayDesc_st::numLevels",
    ][::core::mem::offset_of!(hipExternalMemoryMipmappedArrayDesc_st, numLevels)
        - 60usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<
        hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    >() - 16usize];
    [
        "Alignment of hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<
        hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1::handle",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1, handle
    ) - 0usize];
    [
        "Offset of field: hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1::name",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1, name
    ) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreHandleDesc_st__bindgen_ty_1",
    ][::core::mem::size_of::<hipExternalSemaphoreHandleDesc_st__bindgen_ty_1>()
        - 16usize];
    [
        "Alignment of hipExternalSemaphoreHandleDesc_st__bindgen_ty_1",
    ][::core::mem::align_of::<hipExternalSemaphoreHandleDesc_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: hipExternalSemaphoreHandleDesc_st__bindgen_ty_1::fd",
    ][::core::mem::offset_of!(hipExternalSemaphoreHandleDesc_st__bindgen_ty_1, fd)
        - 0usize];
    [
        "Offset of field: hipExternalSemaphoreHandleDesc_st__bindgen_ty_1::win32",
    ][::core::mem::offset_of!(hipExternalSemaphoreHandleDesc_st__bindgen_ty_1, win32)
        - 0usize];
    [
        "Offset of field: hipExternalSemaphoreHandleDesc_st__bindgen_ty_1::NvSciSyncObj",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreHandleDesc_st__bindgen_ty_1, NvSciSyncObj
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreHandleDesc_st",
    ][::core::mem::size_of::<hipExternalSemaphoreHandleDesc_st>() - 96usize];
    [
        "Alignment of hipExternalSemaphoreHandleDesc_st",
    ][::core::mem::align_of::<hipExternalSemaphoreHandleDesc_st>() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreHandleDesc_st::type_",
    ][::core::mem::offset_of!(hipExternalSemaphoreHandleDesc_st, type_) - 0usize];
    [
        "Offset of field: hipExternalSemaphoreHandleDesc_st::handle",
    ][::core::mem::offset_of!(hipExternalSemaphoreHandleDesc_st, handle) - 8usize];
    [
        "Offset of field: hipExternalSemaphoreHandleDesc_st::flags",
    ][::core::mem::offset_of!(hipExternalSemaphoreHandleDesc_st, flags) - 24usize];
    [
        "Offset of field: hipExternalSemaphoreHandleDesc_st::reserved",
    ][::core::mem::offset_of!(hipExternalSemaphoreHandleDesc_st, reserved) - 28usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Alignment of hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1::value",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_1, value
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2,
    >() - 8usize];
    [
        "Alignment of hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2,
    >() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2::fence",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2, fence
    ) - 0usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2::reserved",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2, reserved
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::size_of::<
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3,
    >() - 8usize];
    [
        "Alignment of hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::align_of::<
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3,
    >() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3::key",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_3, key
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreSignalParams_st__bindgen_ty_1",
    ][::core::mem::size_of::<hipExternalSemaphoreSignalParams_st__bindgen_ty_1>()
        - 72usize];
    [
        "Alignment of hipExternalSemaphoreSignalParams_st__bindgen_ty_1",
    ][::core::mem::align_of::<hipExternalSemaphoreSignalParams_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st__bindgen_ty_1::fence",
    ][::core::mem::offset_of!(hipExternalSemaphoreSignalParams_st__bindgen_ty_1, fence)
        - 0usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st__bindgen_ty_1::nvSciSync",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1, nvSciSync
    ) - 8usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st__bindgen_ty_1::keyedMutex",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1, keyedMutex
    ) - 16usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st__bindgen_ty_1::reserved",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreSignalParams_st__bindgen_ty_1, reserved
    ) - 24usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreSignalParams_st",
    ][::core::mem::size_of::<hipExternalSemaphoreSignalParams_st>() - 144usize];
    [
        "Alignment of hipExternalSemaphoreSignalParams_st",
    ][::core::mem::align_of::<hipExternalSemaphoreSignalParams_st>() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st::params",
    ][::core::mem::offset_of!(hipExternalSemaphoreSignalParams_st, params) - 0usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st::flags",
    ][::core::mem::offset_of!(hipExternalSemaphoreSignalParams_st, flags) - 72usize];
    [
        "Offset of field: hipExternalSemaphoreSignalParams_st::reserved",
    ][::core::mem::offset_of!(hipExternalSemaphoreSignalParams_st, reserved) - 76usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::size_of::<
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Alignment of hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1",
    ][::core::mem::align_of::<
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1,
    >() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1::value",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_1, value
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::size_of::<
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2,
    >() - 8usize];
    [
        "Alignment of hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2",
    ][::core::mem::align_of::<
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2,
    >() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2::fence",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2, fence
    ) - 0usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2::reserved",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2, reserved
    ) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::size_of::<
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3,
    >() - 16usize];
    [
        "Alignment of hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3",
    ][::core::mem::align_of::<
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3,
    >() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3::key",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3, key
    ) - 0usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3::timeoutMs",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_3, timeoutMs
    ) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreWaitParams_st__bindgen_ty_1",
    ][::core::mem::size_of::<hipExternalSemaphoreWaitParams_st__bindgen_ty_1>()
        - 72usize];
    [
        "Alignment of hipExternalSemaphoreWaitParams_st__bindgen_ty_1",
    ][::core::mem::align_of::<hipExternalSemaphoreWaitParams_st__bindgen_ty_1>()
        - 8usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st__bindgen_ty_1::fence",
    ][::core::mem::offset_of!(hipExternalSemaphoreWaitParams_st__bindgen_ty_1, fence)
        - 0usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st__bindgen_ty_1::nvSciSync",
    ][::core::mem::offset_of!(hipExternalSemaphoreWaitParams_st__bindgen_ty_1, nvSciSync)
        - 8usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st__bindgen_ty_1::keyedMutex",
    ][::core::mem::offset_of!(
        hipExternalSemaphoreWaitParams_st__bindgen_ty_1, keyedMutex
    ) - 16usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st__bindgen_ty_1::reserved",
    ][::core::mem::offset_of!(hipExternalSemaphoreWaitParams_st__bindgen_ty_1, reserved)
        - 32usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreWaitParams_st",
    ][::core::mem::size_of::<hipExternalSemaphoreWaitParams_st>() - 144usize];
    [
        "Alignment of hipExternalSemaphoreWaitParams_st",
    ][::core::mem::align_of::<hipExternalSemaphoreWaitParams_st>() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st::params",
    ][::core::mem::offset_of!(hipExternalSemaphoreWaitParams_st, params) - 0usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st::flags",
    ][::core::mem::offset_of!(hipExternalSemaphoreWaitParams_st, flags) - 72usize];
    [
        "Offset of field: hipExternalSemaphoreWaitParams_st::reserved",
    ][::core::mem::offset_of!(hipExternalSemaphoreWaitParams_st, reserved) - 76usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipHostNodeParams"][::core::mem::size_of::<hipHostNodeParams>() - 16usize];
    [
        "Alignment of hipHostNodeParams",
    ][::core::mem::align_of::<hipHostNodeParams>() - 8usize];
    [
        "Offset of field: hipHostNodeParams::fn_",
    ][::core::mem::offset_of!(hipHostNodeParams, fn_) - 0usize];
    [
        "Offset of field: hipHostNodeParams::userData",
    ][::core::mem::offset_of!(hipHostNodeParams, userData) - 8usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipKernelNodeParams",
    ][::core::mem::size_of::<hipKernelNodeParams>() - 64usize];
    [
        "Alignment of hipKernelNodeParams",
    ][::core::mem::align_of::<hipKernelNodeParams>() - 8usize];
    [
        "Offset of field: hipKernelNodeParams::blockDim",
    ][::core::mem::offset_of!(hipKernelNodeParams, blockDim) - 0usize];
    [
        "Offset of field: hipKernelNodeParams::extra",
    ][::core::mem::offset_of!(hipKernelNodeParams, extra) - 16usize];
    [
        "Offset of field: hipKernelNodeParams::func",
    ][::core::mem::offset_of!(hipKernelNodeParams, func) - 24usize];
    [
        "Offset of field: hipKernelNodeParams::gridDim",
    ][::core::mem::offset_of!(hipKernelNodeParams, gridDim) - 32usize];
    [
        "Offset of field: hipKernelNodeParams::kernelParams",
    ][::core::mem::offset_of!(hipKernelNodeParams, kernelParams) - 48usize];
    [
        "Offset of field: hipKernelNodeParams::sharedMemBytes",
    ][::core::mem::offset_of!(hipKernelNodeParams, sharedMemBytes) - 56usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipMemsetParams"][::core::mem::size_of::<hipMemsetParams>() - 48usize];
    [
        "Alignment of hipMemsetParams",
    ][::core::mem::align_of::<hipMemsetParams>() - 8usize];
    [
        "Offset of field: hipMemsetParams::dst",
    ][::core::mem::offset_of!(hipMemsetParams, dst) - 0usize];
    [
        "Offset of field: hipMemsetParams::elementSize",
    ][::core::mem::offset_of!(hipMemsetParams, elementSize) - 8usize];
    [
        "Offset of field: hipMemsetParams::height",
    ][::core::mem::offset_of!(hipMemsetParams, height) - 16usize];
    [
        "Offset of field: hipMemsetParams::pitch",
    ][::core::mem::offset_of!(hipMemsetParams, pitch) - 24usize];
    [
        "Offset of field: hipMemsetParams::value",
    ][::core::mem::offset_of!(hipMemsetParams, value) - 32usize];
    [
        "Offset of field: hipMemsetParams::width",
    ][::core::mem::offset_of!(hipMemsetParams, width) - 40usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipMemAllocNodeParams",
    ][::core::mem::size_of::<hipMemAllocNodeParams>() - 120usize];
    [
        "Alignment of hipMemAllocNodeParams",
    ][::core::mem::align_of::<hipMemAllocNodeParams>() - 8usize];
    [
        "Offset of field: hipMemAllocNodeParams::poolProps",
    ][::core::mem::offset_of!(hipMemAllocNodeParams, poolProps) - 0usize];
    [
        "Offset of field: hipMemAllocNodeParams::accessDescs",
    ][::core::mem::offset_of!(hipMemAllocNodeParams, accessDescs) - 88usize];
    [
        "Offset of field: hipMemAllocNodeParams::accessDescCount",
    ][::core::mem::offset_of!(hipMemAllocNodeParams, accessDescCount) - 96usize];
    [
        "Offset of field: hipMemAllocNodeParams::bytesize",
    ][::core::mem::offset_of!(hipMemAllocNodeParams, bytesize) - 104usize];
    [
        "Offset of field: hipMemAllocNodeParams::dptr",
    ][::core::mem::offset_of!(hipMemAllocNodeParams, dptr) - 112usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipAccessPolicyWindow",
    ][::core::mem::size_of::<hipAccessPolicyWindow>() - 32usize];
    [
        "Alignment of hipAccessPolicyWindow",
    ][::core::mem::align_of::<hipAccessPolicyWindow>() - 8usize];
    [
        "Offset of field: hipAccessPolicyWindow::base_ptr",
    ][::core::mem::offset_of!(hipAccessPolicyWindow, base_ptr) - 0usize];
    [
        "Offset of field: hipAccessPolicyWindow::hitProp",
    ][::core::mem::offset_of!(hipAccessPolicyWindow, hitProp) - 8usize];
    [
        "Offset of field: hipAccessPolicyWindow::hitRatio",
    ][::core::mem::offset_of!(hipAccessPolicyWindow, hitRatio) - 12usize];
    [
        "Offset of field: hipAccessPolicyWindow::missProp",
    ][::core::mem::offset_of!(hipAccessPolicyWindow, missProp) - 16usize];
    [
        "Offset of field: hipAccessPolicyWindow::num_bytes",
    ][::core::mem::offset_of!(hipAccessPolicyWindow, num_bytes) - 24usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipLaunchAttributeValue",
    ][::core::mem::size_of::<hipLaunchAttributeValue>() - 32usize];
    [
        "Alignment of hipLaunchAttributeValue",
    ][::core::mem::align_of::<hipLaunchAttributeValue>() - 8usize];
    [
        "Offset of field: hipLaunchAttributeValue::accessPolicyWindow",
    ][::core::mem::offset_of!(hipLaunchAttributeValue, accessPolicyWindow) - 0usize];
    [
        "Offset of field: hipLaunchAttributeValue::cooperative",
    ][::core::mem::offset_of!(hipLaunchAttributeValue, cooperative) - 0usize];
    [
        "Offset of field: hipLaunchAttributeValue::priority",
    ][::core::mem::offset_of!(hipLaunchAttributeValue, priority) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of HIP_MEMSET_NODE_PARAMS",
    ][::core::mem::size_of::<HIP_MEMSET_NODE_PARAMS>() - 40usize];
    [
        "Alignment of HIP_MEMSET_NODE_PARAMS",
    ][::core::mem::align_of::<HIP_MEMSET_NODE_PARAMS>() - 8usize];
    [
        "Offset of field: HIP_MEMSET_NODE_PARAMS::dst",
    ][::core::mem::offset_of!(HIP_MEMSET_NODE_PARAMS, dst) - 0usize];
    [
        "Offset of field: HIP_MEMSET_NODE_PARAMS::pitch",
    ][::core::mem::offset_of!(HIP_MEMSET_NODE_PARAMS, pitch) - 8usize];
    [
        "Offset of field: HIP_MEMSET_NODE_PARAMS::value",
    ][::core::mem::offset_of!(HIP_MEMSET_NODE_PARAMS, value) - 16usize];
    [
        "Offset of field: HIP_MEMSET_NODE_PARAMS::elementSize",
    ][::core::mem::offset_of!(HIP_MEMSET_NODE_PARAMS, elementSize) - 20usize];
    [
        "Offset of field: HIP_MEMSET_NODE_PARAMS::width",
    ][::core::mem::offset_of!(HIP_MEMSET_NODE_PARAMS, width) - 24usize];
    [
        "Offset of field: HIP_MEMSET_NODE_PARAMS::height",
    ][::core::mem::offset_of!(HIP_MEMSET_NODE_PARAMS, height) - 32usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipGraphInstantiateParams",
    ][::core::mem::size_of::<hipGraphInstantiateParams>() - 32usize];
    [
        "Alignment of hipGraphInstantiateParams",
    ][::core::mem::align_of::<hipGraphInstantiateParams>() - 8usize];
    [
        "Offset of field: hipGraphInstantiateParams::errNode_out",
    ][::core::mem::offset_of!(hipGraphInstantiateParams, errNode_out) - 0usize];
    [
        "Offset of field: hipGraphInstantiateParams::flags",
    ][::core::mem::offset_of!(hipGraphInstantiateParams, flags) - 8usize];
    [
        "Offset of field: hipGraphInstantiateParams::result_out",
    ][::core::mem::offset_of!(hipGraphInstantiateParams, result_out) - 16usize];
    [
        "Offset of field: hipGraphInstantiateParams::uploadStream",
    ][::core::mem::offset_of!(hipGraphInstantiateParams, uploadStream) - 24usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipMemAllocationProp__bindgen_ty_1",
    ][::core::mem::size_of::<hipMemAllocationProp__bindgen_ty_1>() - 4usize];
    [
        "Alignment of hipMemAllocationProp__bindgen_ty_1",
    ][::core::mem::align_of::<hipMemAllocationProp__bindgen_ty_1>() - 2usize];
    [
        "Offset of field: hipMemAllocationProp__bindgen_ty_1::compressionType",
    ][::core::mem::offset_of!(hipMemAllocationProp__bindgen_ty_1, compressionType)
        - 0usize];
    [
        "Offset of field: hipMemAllocationProp__bindgen_ty_1::gpuDirectRDMACapable",
    ][::core::mem::offset_of!(hipMemAllocationProp__bindgen_ty_1, gpuDirectRDMACapable)
        - 1usize];
    [
        "Offset of field: hipMemAllocationProp__bindgen_ty_1::usage",
    ][::core::mem::offset_of!(hipMemAllocationProp__bindgen_ty_1, usage) - 2usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipMemAllocationProp",
    ][::core::mem::size_of::<hipMemAllocationProp>() - 32usize];
    [
        "Alignment of hipMemAllocationProp",
    ][::core::mem::align_of::<hipMemAllocationProp>() - 8usize];
    [
        "Offset of field: hipMemAllocationProp::type_",
    ][::core::mem::offset_of!(hipMemAllocationProp, type_) - 0usize];
    [
        "Offset of field: hipMemAllocationProp::requestedHandleType",
    ][::core::mem::offset_of!(hipMemAllocationProp, requestedHandleType) - 4usize];
    [
        "Offset of field: hipMemAllocationProp::location",
    ][::core::mem::offset_of!(hipMemAllocationProp, location) - 8usize];
    [
        "Offset of field: hipMemAllocationProp::win32HandleMetaData",
    ][::core::mem::offset_of!(hipMemAllocationProp, win32HandleMetaData) - 16usize];
    [
        "Offset of field: hipMemAllocationProp::allocFlags",
    ][::core::mem::offset_of!(hipMemAllocationProp, allocFlags) - 24usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreSignalNodeParams",
    ][::core::mem::size_of::<hipExternalSemaphoreSignalNodeParams>() - 24usize];
    [
        "Alignment of hipExternalSemaphoreSignalNodeParams",
    ][::core::mem::align_of::<hipExternalSemaphoreSignalNodeParams>() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreSignalNodeParams::extSemArray",
    ][::core::mem::offset_of!(hipExternalSemaphoreSignalNodeParams, extSemArray)
        - 0usize];
    [
        "Offset of field: hipExternalSemaphoreSignalNodeParams::paramsArray",
    ][::core::mem::offset_of!(hipExternalSemaphoreSignalNodeParams, paramsArray)
        - 8usize];
    [
        "Offset of field: hipExternalSemaphoreSignalNodeParams::numExtSems",
    ][::core::mem::offset_of!(hipExternalSemaphoreSignalNodeParams, numExtSems)
        - 16usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipExternalSemaphoreWaitNodeParams",
    ][::core::mem::size_of::<hipExternalSemaphoreWaitNodeParams>() - 24usize];
    [
        "Alignment of hipExternalSemaphoreWaitNodeParams",
    ][::core::mem::align_of::<hipExternalSemaphoreWaitNodeParams>() - 8usize];
    [
        "Offset of field: hipExternalSemaphoreWaitNodeParams::extSemArray",
    ][::core::mem::offset_of!(hipExternalSemaphoreWaitNodeParams, extSemArray) - 0usize];
    [
        "Offset of field: hipExternalSemaphoreWaitNodeParams::paramsArray",
    ][::core::mem::offset_of!(hipExternalSemaphoreWaitNodeParams, paramsArray) - 8usize];
    [
        "Offset of field: hipExternalSemaphoreWaitNodeParams::numExtSems",
    ][::core::mem::offset_of!(hipExternalSemaphoreWaitNodeParams, numExtSems) - 16usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipArrayMapInfo__bindgen_ty_1",
    ][::core::mem::size_of::<hipArrayMapInfo__bindgen_ty_1>() - 64usize];
    [
        "Alignment of hipArrayMapInfo__bindgen_ty_1",
    ][::core::mem::align_of::<hipArrayMapInfo__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_1::mipmap",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_1, mipmap) - 0usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_1::array",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_1, array) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1",
    ][::core::mem::size_of::<hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1>() - 32usize];
    [
        "Alignment of hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1",
    ][::core::mem::align_of::<hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1>() - 4usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1::level",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1, level)
        - 0usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1::layer",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1, layer)
        - 4usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1::offsetX",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1, offsetX)
        - 8usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1::offsetY",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1, offsetY)
        - 12usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1::offsetZ",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1, offsetZ)
        - 16usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1::extentWidth",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1, extentWidth)
        - 20usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1::extentHeight",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1, extentHeight)
        - 24usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1::extentDepth",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1, extentDepth)
        - 28usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2",
    ][::core::mem::size_of::<hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2>() - 24usize];
    [
        "Alignment of hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2",
    ][::core::mem::align_of::<hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2>() - 8usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2::layer",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2, layer)
        - 0usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2::offset",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2, offset)
        - 8usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2::size",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2, size)
        - 16usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipArrayMapInfo__bindgen_ty_2",
    ][::core::mem::size_of::<hipArrayMapInfo__bindgen_ty_2>() - 32usize];
    [
        "Alignment of hipArrayMapInfo__bindgen_ty_2",
    ][::core::mem::align_of::<hipArrayMapInfo__bindgen_ty_2>() - 8usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2::sparseLevel",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2, sparseLevel) - 0usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_2::miptail",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_2, miptail) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipArrayMapInfo__bindgen_ty_3",
    ][::core::mem::size_of::<hipArrayMapInfo__bindgen_ty_3>() - 8usize];
    [
        "Alignment of hipArrayMapInfo__bindgen_ty_3",
    ][::core::mem::align_of::<hipArrayMapInfo__bindgen_ty_3>() - 8usize];
    [
        "Offset of field: hipArrayMapInfo__bindgen_ty_3::memHandle",
    ][::core::mem::offset_of!(hipArrayMapInfo__bindgen_ty_3, memHandle) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipArrayMapInfo"][::core::mem::size_of::<hipArrayMapInfo>() - 152usize];
    [
        "Alignment of hipArrayMapInfo",
    ][::core::mem::align_of::<hipArrayMapInfo>() - 8usize];
    [
        "Offset of field: hipArrayMapInfo::resourceType",
    ][::core::mem::offset_of!(hipArrayMapInfo, resourceType) - 0usize];
    [
        "Offset of field: hipArrayMapInfo::resource",
    ][::core::mem::offset_of!(hipArrayMapInfo, resource) - 8usize];
    [
        "Offset of field: hipArrayMapInfo::subresourceType",
    ][::core::mem::offset_of!(hipArrayMapInfo, subresourceType) - 72usize];
    [
        "Offset of field: hipArrayMapInfo::subresource",
    ][::core::mem::offset_of!(hipArrayMapInfo, subresource) - 80usize];
    [
        "Offset of field: hipArrayMapInfo::memOperationType",
    ][::core::mem::offset_of!(hipArrayMapInfo, memOperationType) - 112usize];
    [
        "Offset of field: hipArrayMapInfo::memHandleType",
    ][::core::mem::offset_of!(hipArrayMapInfo, memHandleType) - 116usize];
    [
        "Offset of field: hipArrayMapInfo::memHandle",
    ][::core::mem::offset_of!(hipArrayMapInfo, memHandle) - 120usize];
    [
        "Offset of field: hipArrayMapInfo::offset",
    ][::core::mem::offset_of!(hipArrayMapInfo, offset) - 128usize];
    [
        "Offset of field: hipArrayMapInfo::deviceBitMask",
    ][::core::mem::offset_of!(hipArrayMapInfo, deviceBitMask) - 136usize];
    [
        "Offset of field: hipArrayMapInfo::flags",
    ][::core::mem::offset_of!(hipArrayMapInfo, flags) - 140usize];
    [
        "Offset of field: hipArrayMapInfo::reserved",
    ][::core::mem::offset_of!(hipArrayMapInfo, reserved) - 144usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipMemcpyNodeParams",
    ][::core::mem::size_of::<hipMemcpyNodeParams>() - 176usize];
    [
        "Alignment of hipMemcpyNodeParams",
    ][::core::mem::align_of::<hipMemcpyNodeParams>() - 8usize];
    [
        "Offset of field: hipMemcpyNodeParams::flags",
    ][::core::mem::offset_of!(hipMemcpyNodeParams, flags) - 0usize];
    [
        "Offset of field: hipMemcpyNodeParams::reserved",
    ][::core::mem::offset_of!(hipMemcpyNodeParams, reserved) - 4usize];
    [
        "Offset of field: hipMemcpyNodeParams::copyParams",
    ][::core::mem::offset_of!(hipMemcpyNodeParams, copyParams) - 16usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipChildGraphNodeParams",
    ][::core::mem::size_of::<hipChildGraphNodeParams>() - 8usize];
    [
        "Alignment of hipChildGraphNodeParams",
    ][::core::mem::align_of::<hipChildGraphNodeParams>() - 8usize];
    [
        "Offset of field: hipChildGraphNodeParams::graph",
    ][::core::mem::offset_of!(hipChildGraphNodeParams, graph) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipEventWaitNodeParams",
    ][::core::mem::size_of::<hipEventWaitNodeParams>() - 8usize];
    [
        "Alignment of hipEventWaitNodeParams",
    ][::core::mem::align_of::<hipEventWaitNodeParams>() - 8usize];
    [
        "Offset of field: hipEventWaitNodeParams::event",
    ][::core::mem::offset_of!(hipEventWaitNodeParams, event) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipEventRecordNodeParams",
    ][::core::mem::size_of::<hipEventRecordNodeParams>() - 8usize];
    [
        "Alignment of hipEventRecordNodeParams",
    ][::core::mem::align_of::<hipEventRecordNodeParams>() - 8usize];
    [
        "Offset of field: hipEventRecordNodeParams::event",
    ][::core::mem::offset_of!(hipEventRecordNodeParams, event) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipMemFreeNodeParams",
    ][::core::mem::size_of::<hipMemFreeNodeParams>() - 8usize];
    [
        "Alignment of hipMemFreeNodeParams",
    ][::core::mem::align_of::<hipMemFreeNodeParams>() - 8usize];
    [
        "Offset of field: hipMemFreeNodeParams::dptr",
    ][::core::mem::offset_of!(hipMemFreeNodeParams, dptr) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipGraphNodeParams__bindgen_ty_1",
    ][::core::mem::size_of::<hipGraphNodeParams__bindgen_ty_1>() - 232usize];
    [
        "Alignment of hipGraphNodeParams__bindgen_ty_1",
    ][::core::mem::align_of::<hipGraphNodeParams__bindgen_ty_1>() - 8usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::reserved1",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, reserved1) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::kernel",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, kernel) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::memcpy",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, memcpy) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::memset",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, memset) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::host",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, host) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::graph",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, graph) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::eventWait",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, eventWait) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::eventRecord",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, eventRecord) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::extSemSignal",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, extSemSignal) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::extSemWait",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, extSemWait) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::alloc",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, alloc) - 0usize];
    [
        "Offset of field: hipGraphNodeParams__bindgen_ty_1::free",
    ][::core::mem::offset_of!(hipGraphNodeParams__bindgen_ty_1, free) - 0usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipGraphNodeParams",
    ][::core::mem::size_of::<hipGraphNodeParams>() - 256usize];
    [
        "Alignment of hipGraphNodeParams",
    ][::core::mem::align_of::<hipGraphNodeParams>() - 8usize];
    [
        "Offset of field: hipGraphNodeParams::type_",
    ][::core::mem::offset_of!(hipGraphNodeParams, type_) - 0usize];
    [
        "Offset of field: hipGraphNodeParams::reserved0",
    ][::core::mem::offset_of!(hipGraphNodeParams, reserved0) - 4usize];
    [
        "Offset of field: hipGraphNodeParams::reserved2",
    ][::core::mem::offset_of!(hipGraphNodeParams, reserved2) - 248usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of hipGraphEdgeData"][::core::mem::size_of::<hipGraphEdgeData>() - 8usize];
    [
        "Alignment of hipGraphEdgeData",
    ][::core::mem::align_of::<hipGraphEdgeData>() - 1usize];
    [
        "Offset of field: hipGraphEdgeData::from_port",
    ][::core::mem::offset_of!(hipGraphEdgeData, from_port) - 0usize];
    [
        "Offset of field: hipGraphEdgeData::reserved",
    ][::core::mem::offset_of!(hipGraphEdgeData, reserved) - 1usize];
    [
        "Offset of field: hipGraphEdgeData::to_port",
    ][::core::mem::offset_of!(hipGraphEdgeData, to_port) - 6usize];
    [
        "Offset of field: hipGraphEdgeData::type_",
    ][::core::mem::offset_of!(hipGraphEdgeData, type_) - 7usize];
};
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    [
        "Size of hipDeviceProp_tR0000",
    ][::core::mem::size_of::<hipDeviceProp_tR0000>() - 792usize];
    [
        "Alignment of hipDeviceProp_tR0000",
    ][::core::mem::align_of::<hipDeviceProp_tR0000>() - 8usize];
    [
        "Offset of field: hipDeviceProp_tR0000::name",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, name) - 0usize];
    [
        "Offset of field: hipDeviceProp_tR0000::totalGlobalMem",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, totalGlobalMem) - 256usize];
    [
        "Offset of field: hipDeviceProp_tR0000::sharedMemPerBlock",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, sharedMemPerBlock) - 264usize];
    [
        "Offset of field: hipDeviceProp_tR0000::regsPerBlock",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, regsPerBlock) - 272usize];
    [
        "Offset of field: hipDeviceProp_tR0000::warpSize",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, warpSize) - 276usize];
    [
        "Offset of field: hipDeviceProp_tR0000::maxThreadsPerBlock",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, maxThreadsPerBlock) - 280usize];
    [
        "Offset of field: hipDeviceProp_tR0000::maxThreadsDim",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, maxThreadsDim) - 284usize];
    [
        "Offset of field: hipDeviceProp_tR0000::maxGridSize",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, maxGridSize) - 296usize];
    [
        "Offset of field: hipDeviceProp_tR0000::clockRate",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, clockRate) - 308usize];
    [
        "Offset of field: hipDeviceProp_tR0000::memoryClockRate",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, memoryClockRate) - 312usize];
    [
        "Offset of field: hipDeviceProp_tR0000::memoryBusWidth",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, memoryBusWidth) - 316usize];
    [
        "Offset of field: hipDeviceProp_tR0000::totalConstMem",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, totalConstMem) - 320usize];
    [
        "Offset of field: hipDeviceProp_tR0000::major",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, major) - 328usize];
    [
        "Offset of field: hipDeviceProp_tR0000::minor",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, minor) - 332usize];
    [
        "Offset of field: hipDeviceProp_tR0000::multiProcessorCount",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, multiProcessorCount) - 336usize];
    [
        "Offset of field: hipDeviceProp_tR0000::l2CacheSize",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, l2CacheSize) - 340usize];
    [
        "Offset of field: hipDeviceProp_tR0000::maxThreadsPerMultiProcessor",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, maxThreadsPerMultiProcessor)
        - 344usize];
    [
        "Offset of field: hipDeviceProp_tR0000::computeMode",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, computeMode) - 348usize];
    [
        "Offset of field: hipDeviceProp_tR0000::clockInstructionRate",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, clockInstructionRate) - 352usize];
    [
        "Offset of field: hipDeviceProp_tR0000::arch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, arch) - 356usize];
    [
        "Offset of field: hipDeviceProp_tR0000::concurrentKernels",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, concurrentKernels) - 360usize];
    [
        "Offset of field: hipDeviceProp_tR0000::pciDomainID",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, pciDomainID) - 364usize];
    [
        "Offset of field: hipDeviceProp_tR0000::pciBusID",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, pciBusID) - 368usize];
    [
        "Offset of field: hipDeviceProp_tR0000::pciDeviceID",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, pciDeviceID) - 372usize];
    [
        "Offset of field: hipDeviceProp_tR0000::maxSharedMemoryPerMultiProcessor",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, maxSharedMemoryPerMultiProcessor)
        - 376usize];
    [
        "Offset of field: hipDeviceProp_tR0000::isMultiGpuBoard",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, isMultiGpuBoard) - 384usize];
    [
        "Offset of field: hipDeviceProp_tR0000::canMapHostMemory",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, canMapHostMemory) - 388usize];
    [
        "Offset of field: hipDeviceProp_tR0000::gcnArch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, gcnArch) - 392usize];
    [
        "Offset of field: hipDeviceProp_tR0000::gcnArchName",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, gcnArchName) - 396usize];
    [
        "Offset of field: hipDeviceProp_tR0000::integrated",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, integrated) - 652usize];
    [
        "Offset of field: hipDeviceProp_tR0000::cooperativeLaunch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, cooperativeLaunch) - 656usize];
    [
        "Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceLaunch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, cooperativeMultiDeviceLaunch)
        - 660usize];
    [
        "Offset of field: hipDeviceProp_tR0000::maxTexture1DLinear",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, maxTexture1DLinear) - 664usize];
    [
        "Offset of field: hipDeviceProp_tR0000::maxTexture1D",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, maxTexture1D) - 668usize];
    [
        "Offset of field: hipDeviceProp_tR0000::maxTexture2D",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, maxTexture2D) - 672usize];
    [
        "Offset of field: hipDeviceProp_tR0000::maxTexture3D",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, maxTexture3D) - 680usize];
    [
        "Offset of field: hipDeviceProp_tR0000::hdpMemFlushCntl",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, hdpMemFlushCntl) - 696usize];
    [
        "Offset of field: hipDeviceProp_tR0000::hdpRegFlushCntl",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, hdpRegFlushCntl) - 704usize];
    [
        "Offset of field: hipDeviceProp_tR0000::memPitch",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, memPitch) - 712usize];
    [
        "Offset of field: hipDeviceProp_tR0000::textureAlignment",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, textureAlignment) - 720usize];
    [
        "Offset of field: hipDeviceProp_tR0000::texturePitchAlignment",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, texturePitchAlignment) - 728usize];
    [
        "Offset of field: hipDeviceProp_tR0000::kernelExecTimeoutEnabled",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, kernelExecTimeoutEnabled)
        - 736usize];
    [
        "Offset of field: hipDeviceProp_tR0000::ECCEnabled",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, ECCEnabled) - 740usize];
    [
        "Offset of field: hipDeviceProp_tR0000::tccDriver",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, tccDriver) - 744usize];
    [
        "Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceUnmatchedFunc",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedFunc)
        - 748usize];
    [
        "Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceUnmatchedGridDim",
    ][::core::mem::offset_of!(
        hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedGridDim
    ) - 752usize];
    [
        "Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceUnmatchedBlockDim",
    ][::core::mem::offset_of!(
        hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedBlockDim
    ) - 756usize];
    [
        "Offset of field: hipDeviceProp_tR0000::cooperativeMultiDeviceUnmatchedSharedMem",
    ][::core::mem::offset_of!(
        hipDeviceProp_tR0000, cooperativeMultiDeviceUnmatchedSharedMem
    ) - 760usize];
    [
        "Offset of field: hipDeviceProp_tR0000::isLargeBar",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, isLargeBar) - 764usize];
    [
        "Offset of field: hipDeviceProp_tR0000::asicRevision",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, asicRevision) - 768usize];
    [
        "Offset of field: hipDeviceProp_tR0000::managedMemory",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, managedMemory) - 772usize];
    [
        "Offset of field: hipDeviceProp_tR0000::directManagedMemAccessFromHost",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, directManagedMemAccessFromHost)
        - 776usize];
    [
        "Offset of field: hipDeviceProp_tR0000::concurrentManagedAccess",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, concurrentManagedAccess) - 780usize];
    [
        "Offset of field: hipDeviceProp_tR0000::pageableMemoryAccess",
    ][::core::mem::offset_of!(hipDeviceProp_tR0000, pageableMemoryAccess) - 784usize];
    [
        "Offset of field: hipDeviceProp_tR0000::pageableMemoryAccessUsesHostPageTables",
    ][::core::mem::offset_of!(
        hipDeviceProp_tR0000, pageableMemoryAccessUsesHostPageTables
    ) - 788usize];
};
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipResourceDesc__bindgen_ty_1 {
    pub array: hipResourceDesc__bindgen_ty_1__bindgen_ty_1,
    pub mipmap: hipResourceDesc__bindgen_ty_1__bindgen_ty_2,
    pub linear: hipResourceDesc__bindgen_ty_1__bindgen_ty_3,
    pub pitch2D: hipResourceDesc__bindgen_ty_1__bindgen_ty_4,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union HIP_RESOURCE_DESC_st__bindgen_ty_1 {
    pub array: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1,
    pub mipmap: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2,
    pub linear: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3,
    pub pitch2D: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4,
    pub reserved: HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5,
}
/// Union representing batch memory operation parameters for HIP streams.
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipStreamBatchMemOpParams_union {
    pub operation: hipStreamBatchMemOpType,
    pub waitValue: hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t,
    pub writeValue: hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t,
    /// Currently not supported on AMD
    pub flushRemoteWrites: hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t,
    /// Currently not supported on AMD
    pub memoryBarrier: hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t,
    pub pad: [u64; 6usize],
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1 {
    pub value: u32,
    pub value64: u64,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1 {
    pub value: u32,
    pub value64: u64,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipExternalMemoryHandleDesc_st__bindgen_ty_1 {
    pub fd: ::core::ffi::c_int,
    pub win32: hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    pub nvSciBufObject: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipExternalSemaphoreHandleDesc_st__bindgen_ty_1 {
    pub fd: ::core::ffi::c_int,
    pub win32: hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1,
    pub NvSciSyncObj: *const ::core::ffi::c_void,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2 {
    pub fence: *mut ::core::ffi::c_void,
    pub reserved: ::core::ffi::c_ulonglong,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2 {
    pub fence: *mut ::core::ffi::c_void,
    pub reserved: ::core::ffi::c_ulonglong,
}
/// Launch Attribute Value
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipLaunchAttributeValue {
    /// Value of launch attribute:: hipLaunchAttributePolicyWindow.
    pub accessPolicyWindow: hipAccessPolicyWindow,
    /// Value of launch attribute ::hipLaunchAttributeCooperative
    pub cooperative: ::core::ffi::c_int,
    /// Value of launch attribute :: hipLaunchAttributePriority. Execution priority of kernel.
    pub priority: ::core::ffi::c_int,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipArrayMapInfo__bindgen_ty_1 {
    pub mipmap: hipMipmappedArray,
    pub array: hipArray_t,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipArrayMapInfo__bindgen_ty_2 {
    pub sparseLevel: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_1,
    pub miptail: hipArrayMapInfo__bindgen_ty_2__bindgen_ty_2,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipArrayMapInfo__bindgen_ty_3 {
    pub memHandle: hipMemGenericAllocationHandle_t,
}
#[repr(C)]
#[derive(Copy, Clone)]
pub union hipGraphNodeParams__bindgen_ty_1 {
    pub reserved1: [::core::ffi::c_longlong; 29usize],
    pub kernel: hipKernelNodeParams,
    pub memcpy: hipMemcpyNodeParams,
    pub memset: hipMemsetParams,
    pub host: hipHostNodeParams,
    pub graph: hipChildGraphNodeParams,
    pub eventWait: hipEventWaitNodeParams,
    pub eventRecord: hipEventRecordNodeParams,
    pub extSemSignal: hipExternalSemaphoreSignalNodeParams,
    pub extSemWait: hipExternalSemaphoreWaitNodeParams,
    pub alloc: hipMemAllocNodeParams,
    pub free: hipMemFreeNodeParams,
}
impl<Storage> __BindgenBitfieldUnit<Storage> {
    #[inline]
    pub const fn new(storage: Storage) -> Self {
        Self { storage }
    }
}
impl<Storage> __BindgenBitfieldUnit<Storage>
where
    Storage: AsRef<[u8]> + AsMut<[u8]>,
{
    #[inline]
    fn extract_bit(byte: u8, index: usize) -> bool {
        let bit_index = if cfg!(target_endian = "big") {
            7 - (index % 8)
        } else {
            index % 8
        };
        let mask = 1 << bit_index;
        byte & mask == mask
    }
    #[inline]
    pub fn get_bit(&self, index: usize) -> bool {
        debug_assert!(index / 8 < self.storage.as_ref().len());
        let byte_index = index / 8;
        let byte = self.storage.as_ref()[byte_index];
        Self::extract_bit(byte, index)
    }
    #[inline]
    pub unsafe fn raw_get_bit(this: *const Self, index: usize) -> bool {
        debug_assert!(index / 8 < core::mem::size_of::< Storage > ());
        let byte_index = index / 8;
        let byte = unsafe {
            *(core::ptr::addr_of!((* this).storage) as *const u8)
                .offset(byte_index as isize)
        };
        Self::extract_bit(byte, index)
    }
    #[inline]
    fn change_bit(byte: u8, index: usize, val: bool) -> u8 {
        let bit_index = if cfg!(target_endian = "big") {
            7 - (index % 8)
        } else {
            index % 8
        };
        let mask = 1 << bit_index;
        if val { byte | mask } else { byte & !mask }
    }
    #[inline]
    pub fn set_bit(&mut self, index: usize, val: bool) {
        debug_assert!(index / 8 < self.storage.as_ref().len());
        let byte_index = index / 8;
        let byte = &mut self.storage.as_mut()[byte_index];
        *byte = Self::change_bit(*byte, index, val);
    }
    #[inline]
    pub unsafe fn raw_set_bit(this: *mut Self, index: usize, val: bool) {
        debug_assert!(index / 8 < core::mem::size_of::< Storage > ());
        let byte_index = index / 8;
        let byte = unsafe {
            (core::ptr::addr_of_mut!((* this).storage) as *mut u8)
                .offset(byte_index as isize)
        };
        unsafe { *byte = Self::change_bit(*byte, index, val) };
    }
    #[inline]
    pub fn get(&self, bit_offset: usize, bit_width: u8) -> u64 {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < self.storage.as_ref().len());
        debug_assert!(
            (bit_offset + (bit_width as usize) + 7) / 8 <= self.storage.as_ref().len()
        );
        if bit_width == 0 {
            return 0;
        }
        let mut val = 0u64;
        let storage = self.storage.as_ref();
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        if cfg!(target_endian = "big") {
            for i in 0..bytes_needed {
                val |= (storage[start_byte + i].reverse_bits() as u64) << (i * 8);
            }
        } else {
            for i in 0..bytes_needed {
                val |= (storage[start_byte + i] as u64) << (i * 8);
            }
        }
        val >>= bit_shift;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        val
    }
    #[inline]
    pub unsafe fn raw_get(this: *const Self, bit_offset: usize, bit_width: u8) -> u64 {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < core::mem::size_of::< Storage > ());
        debug_assert!(
            (bit_offset + (bit_width as usize) + 7) / 8 <= core::mem::size_of::< Storage
            > ()
        );
        if bit_width == 0 {
            return 0;
        }
        let mut val = 0u64;
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        let storage_ptr = unsafe { core::ptr::addr_of!((* this).storage) as *const u8 };
        if cfg!(target_endian = "big") {
            for i in 0..bytes_needed {
                let byte = unsafe { *storage_ptr.add(start_byte + i) };
                val |= (byte.reverse_bits() as u64) << (i * 8);
            }
        } else {
            for i in 0..bytes_needed {
                let byte = unsafe { *storage_ptr.add(start_byte + i) };
                val |= (byte as u64) << (i * 8);
            }
        }
        val >>= bit_shift;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        val
    }
    #[inline]
    pub fn set(&mut self, bit_offset: usize, bit_width: u8, val: u64) {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < self.storage.as_ref().len());
        debug_assert!(
            (bit_offset + (bit_width as usize) + 7) / 8 <= self.storage.as_ref().len()
        );
        if bit_width == 0 {
            return;
        }
        let mut val = val;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        let storage = self.storage.as_mut();
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        val <<= bit_shift;
        let field_mask = if bit_width as usize + bit_shift >= 64 {
            !0u64 << bit_shift
        } else {
            ((1u64 << bit_width) - 1) << bit_shift
        };
        for i in 0..bytes_needed {
            let byte_val = (val >> (i * 8)) as u8;
            let byte_mask = (field_mask >> (i * 8)) as u8;
            if cfg!(target_endian = "big") {
                let byte = storage[start_byte + i].reverse_bits();
                let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                storage[start_byte + i] = new_byte.reverse_bits();
            } else {
                storage[start_byte + i] = (storage[start_byte + i] & !byte_mask)
                    | (byte_val & byte_mask);
            }
        }
    }
    #[inline]
    pub unsafe fn raw_set(this: *mut Self, bit_offset: usize, bit_width: u8, val: u64) {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < core::mem::size_of::< Storage > ());
        debug_assert!(
            (bit_offset + (bit_width as usize) + 7) / 8 <= core::mem::size_of::< Storage
            > ()
        );
        if bit_width == 0 {
            return;
        }
        let mut val = val;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        val <<= bit_shift;
        let field_mask = if bit_width as usize + bit_shift >= 64 {
            !0u64 << bit_shift
        } else {
            ((1u64 << bit_width) - 1) << bit_shift
        };
        let storage_ptr = unsafe {
            core::ptr::addr_of_mut!((* this).storage) as *mut u8
        };
        for i in 0..bytes_needed {
            let byte_val = (val >> (i * 8)) as u8;
            let byte_mask = (field_mask >> (i * 8)) as u8;
            let byte_ptr = unsafe { storage_ptr.add(start_byte + i) };
            if cfg!(target_endian = "big") {
                let byte = unsafe { (*byte_ptr).reverse_bits() };
                let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                unsafe { *byte_ptr = new_byte.reverse_bits() };
            } else {
                unsafe { *byte_ptr = (*byte_ptr & !byte_mask) | (byte_val & byte_mask) };
            }
        }
    }
}
/// Const-generic methods for efficient bitfield access when offset and width
/// are known at compile time.
impl<const N: usize> __BindgenBitfieldUnit<[u8; N]> {
    /// Get a field using const generics for compile-time optimization.
    /// Uses native word size operations when the field fits in usize.
    #[inline]
    pub const fn get_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(&self) -> u64 {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return 0;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = 0usize;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    val
                        |= (self.storage[start_byte + i].reverse_bits() as usize)
                            << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i] as usize) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val as u64
        } else {
            let mut val = 0u64;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    val
                        |= (self.storage[start_byte + i].reverse_bits() as u64)
                            << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i] as u64) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val
        }
    }
    /// Set a field using const generics for compile-time optimization.
    /// Uses native word size operations when the field fits in usize.
    #[inline]
    pub fn set_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(&mut self, val: u64) {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = val as usize;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= usize::BITS as usize {
                !0usize << bit_shift
            } else {
                ((1usize << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                if cfg!(target_endian = "big") {
                    let byte = self.storage[start_byte + i].reverse_bits();
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    self.storage[start_byte + i] = new_byte.reverse_bits();
                } else {
                    self.storage[start_byte + i] = (self.storage[start_byte + i]
                        & !byte_mask) | (byte_val & byte_mask);
                }
                i += 1;
            }
        } else {
            let mut val = val;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= 64 {
                !0u64 << bit_shift
            } else {
                ((1u64 << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                if cfg!(target_endian = "big") {
                    let byte = self.storage[start_byte + i].reverse_bits();
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    self.storage[start_byte + i] = new_byte.reverse_bits();
                } else {
                    self.storage[start_byte + i] = (self.storage[start_byte + i]
                        & !byte_mask) | (byte_val & byte_mask);
                }
                i += 1;
            }
        }
    }
    /// Raw pointer get using const generics for compile-time optimization.
    /// Uses native word size operations when the field fits in usize.
    #[inline]
    pub const unsafe fn raw_get_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(
        this: *const Self,
    ) -> u64 {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return 0;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        let storage_ptr = unsafe { core::ptr::addr_of!((* this).storage) as *const u8 };
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = 0usize;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte.reverse_bits() as usize) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte as usize) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val as u64
        } else {
            let mut val = 0u64;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte.reverse_bits() as u64) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte as u64) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val
        }
    }
    /// Raw pointer set using const generics for compile-time optimization.
    /// Uses native word size operations when the field fits in usize.
    #[inline]
    pub unsafe fn raw_set_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(
        this: *mut Self,
        val: u64,
    ) {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        let storage_ptr = this.cast::<[u8; N]>().cast::<u8>();
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = val as usize;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= usize::BITS as usize {
                !0usize << bit_shift
            } else {
                ((1usize << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                let byte_ptr = unsafe { storage_ptr.add(start_byte + i) };
                if cfg!(target_endian = "big") {
                    let byte = unsafe { (*byte_ptr).reverse_bits() };
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    unsafe { *byte_ptr = new_byte.reverse_bits() };
                } else {
                    unsafe {
                        *byte_ptr = (*byte_ptr & !byte_mask) | (byte_val & byte_mask)
                    };
                }
                i += 1;
            }
        } else {
            let mut val = val;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= 64 {
                !0u64 << bit_shift
            } else {
                ((1u64 << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                let byte_ptr = unsafe { storage_ptr.add(start_byte + i) };
                if cfg!(target_endian = "big") {
                    let byte = unsafe { (*byte_ptr).reverse_bits() };
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    unsafe { *byte_ptr = new_byte.reverse_bits() };
                } else {
                    unsafe {
                        *byte_ptr = (*byte_ptr & !byte_mask) | (byte_val & byte_mask)
                    };
                }
                i += 1;
            }
        }
    }
}
impl hipJitOption {
    /// CUDA Only Maximum registers may be used in a thread, passed to compiler
    pub const hipJitOptionMaxRegisters: hipJitOption = hipJitOption(0);
    /// CUDA Only Number of thread per block
    pub const hipJitOptionThreadsPerBlock: hipJitOption = hipJitOption(1);
    /// CUDA Only Value for total wall clock time
    pub const hipJitOptionWallTime: hipJitOption = hipJitOption(2);
    /// CUDA Only Pointer to the buffer with logged information
    pub const hipJitOptionInfoLogBuffer: hipJitOption = hipJitOption(3);
    /// CUDA Only Size of the buffer in bytes for logged info
    pub const hipJitOptionInfoLogBufferSizeBytes: hipJitOption = hipJitOption(4);
    /// CUDA Only Pointer to the buffer with logged error(s)
    pub const hipJitOptionErrorLogBuffer: hipJitOption = hipJitOption(5);
    /// CUDA Only Size of the buffer in bytes for logged error(s)
    pub const hipJitOptionErrorLogBufferSizeBytes: hipJitOption = hipJitOption(6);
    /// Value of optimization level for generated codes, acceptable options -O0, -O1, -O2, -O3
    pub const hipJitOptionOptimizationLevel: hipJitOption = hipJitOption(7);
    /// CUDA Only The target context, which is the default
    pub const hipJitOptionTargetFromContext: hipJitOption = hipJitOption(8);
    /// CUDA Only JIT target
    pub const hipJitOptionTarget: hipJitOption = hipJitOption(9);
    /// CUDA Only Fallback strategy
    pub const hipJitOptionFallbackStrategy: hipJitOption = hipJitOption(10);
    /// CUDA Only Generate debug information
    pub const hipJitOptionGenerateDebugInfo: hipJitOption = hipJitOption(11);
    /// CUDA Only Generate log verbose
    pub const hipJitOptionLogVerbose: hipJitOption = hipJitOption(12);
    /// CUDA Only Generate line number information
    pub const hipJitOptionGenerateLineInfo: hipJitOption = hipJitOption(13);
    /// CUDA Only Set cache mode
    pub const hipJitOptionCacheMode: hipJitOption = hipJitOption(14);
    pub const hipJitOptionSm3xOpt: hipJitOption = hipJitOption(15);
    /// CUDA Only Set fast compile
    pub const hipJitOptionFastCompile: hipJitOption = hipJitOption(16);
    /// CUDA Only Array of device symbol names to be relocated to the host
    pub const hipJitOptionGlobalSymbolNames: hipJitOption = hipJitOption(17);
    /// CUDA Only Array of host addresses to be relocated to the device
    pub const hipJitOptionGlobalSymbolAddresses: hipJitOption = hipJitOption(18);
    /// CUDA Only Number of symbol count.
    pub const hipJitOptionGlobalSymbolCount: hipJitOption = hipJitOption(19);
    pub const hipJitOptionLto: hipJitOption = hipJitOption(20);
    pub const hipJitOptionFtz: hipJitOption = hipJitOption(21);
    /// and reciprocals
    pub const hipJitOptionPrecDiv: hipJitOption = hipJitOption(22);
    pub const hipJitOptionPrecSqrt: hipJitOption = hipJitOption(23);
    /// adds/subtracts operations
    pub const hipJitOptionFma: hipJitOption = hipJitOption(24);
    /// CUDA Only Generates Position Independent code
    pub const hipJitOptionPositionIndependentCode: hipJitOption = hipJitOption(25);
    /// CUDA Only Hints to JIT compiler the minimum number of CTAs frin kernel's grid to be mapped to SM
    pub const hipJitOptionMinCTAPerSM: hipJitOption = hipJitOption(26);
    /// CUDA only Maximum number of threads in a thread block
    pub const hipJitOptionMaxThreadsPerBlock: hipJitOption = hipJitOption(27);
    /// Cuda only Override Directive values
    pub const hipJitOptionOverrideDirectiveValues: hipJitOption = hipJitOption(28);
    /// Number of options
    pub const hipJitOptionNumOptions: hipJitOption = hipJitOption(29);
    /// Hip Only Linker options to be passed on to compiler
    pub const hipJitOptionIRtoISAOptExt: hipJitOption = hipJitOption(10000);
    /// Hip Only Count of linker options to be passed on to compiler
    pub const hipJitOptionIRtoISAOptCountExt: hipJitOption = hipJitOption(10001);
}
impl hipJitInputType {
    /// Cuda only Input cubin
    pub const hipJitInputCubin: hipJitInputType = hipJitInputType(0);
    /// Cuda only Input PTX
    pub const hipJitInputPtx: hipJitInputType = hipJitInputType(1);
    /// Cuda Only Input FAT Binary
    pub const hipJitInputFatBinary: hipJitInputType = hipJitInputType(2);
    /// Cuda Only Host Object with embedded device code
    pub const hipJitInputObject: hipJitInputType = hipJitInputType(3);
    /// Cuda Only Archive of Host Objects with embedded device code
    pub const hipJitInputLibrary: hipJitInputType = hipJitInputType(4);
    /// code for LTO
    pub const hipJitInputNvvm: hipJitInputType = hipJitInputType(5);
    /// Count of Legacy Input Types
    pub const hipJitNumLegacyInputTypes: hipJitInputType = hipJitInputType(6);
    /// HIP Only LLVM Bitcode or IR assembly
    pub const hipJitInputLLVMBitcode: hipJitInputType = hipJitInputType(100);
    /// HIP Only LLVM Clang Bundled Code
    pub const hipJitInputLLVMBundledBitcode: hipJitInputType = hipJitInputType(101);
    /// HIP Only LLVM Archive of Bundled Bitcode
    pub const hipJitInputLLVMArchivesOfBundledBitcode: hipJitInputType = hipJitInputType(
        102,
    );
    /// HIP Only SPIRV Code Object
    pub const hipJitInputSpirv: hipJitInputType = hipJitInputType(103);
    /// Count of Input Types
    pub const hipJitNumInputTypes: hipJitInputType = hipJitInputType(10);
}
impl hipJitCacheMode {
    pub const hipJitCacheOptionNone: hipJitCacheMode = hipJitCacheMode(0);
    pub const hipJitCacheOptionCG: hipJitCacheMode = hipJitCacheMode(1);
    pub const hipJitCacheOptionCA: hipJitCacheMode = hipJitCacheMode(2);
}
impl hipJitFallback {
    pub const hipJitPreferPTX: hipJitFallback = hipJitFallback(0);
    pub const hipJitPreferBinary: hipJitFallback = hipJitFallback(1);
}
impl hipDeviceArch_t {
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasGlobalInt32Atomics(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<0usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasGlobalInt32Atomics(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<0usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasGlobalInt32Atomics_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    0usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasGlobalInt32Atomics_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                0usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasGlobalFloatAtomicExch(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<1usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasGlobalFloatAtomicExch(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<1usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasGlobalFloatAtomicExch_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    1usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasGlobalFloatAtomicExch_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                1usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasSharedInt32Atomics(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<2usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasSharedInt32Atomics(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<2usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasSharedInt32Atomics_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    2usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasSharedInt32Atomics_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                2usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasSharedFloatAtomicExch(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<3usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasSharedFloatAtomicExch(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<3usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasSharedFloatAtomicExch_raw(
        this: *const Self,
    ) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    3usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasSharedFloatAtomicExch_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                3usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasFloatAtomicAdd(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<4usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasFloatAtomicAdd(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<4usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasFloatAtomicAdd_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    4usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasFloatAtomicAdd_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                4usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasGlobalInt64Atomics(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<5usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasGlobalInt64Atomics(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<5usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasGlobalInt64Atomics_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    5usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasGlobalInt64Atomics_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                5usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasSharedInt64Atomics(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<6usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasSharedInt64Atomics(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<6usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasSharedInt64Atomics_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    6usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasSharedInt64Atomics_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                6usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasDoubles(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<7usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasDoubles(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<7usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasDoubles_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    7usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasDoubles_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                7usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasWarpVote(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<8usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasWarpVote(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<8usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasWarpVote_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    8usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasWarpVote_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                8usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasWarpBallot(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<9usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasWarpBallot(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<9usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasWarpBallot_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    9usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasWarpBallot_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                9usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasWarpShuffle(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<10usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasWarpShuffle(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<10usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasWarpShuffle_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    10usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasWarpShuffle_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                10usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasFunnelShift(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<11usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasFunnelShift(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<11usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasFunnelShift_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    11usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasFunnelShift_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                11usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasThreadFenceSystem(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<12usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasThreadFenceSystem(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<12usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasThreadFenceSystem_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    12usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasThreadFenceSystem_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                12usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasSyncThreadsExt(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<13usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasSyncThreadsExt(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<13usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasSyncThreadsExt_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    13usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasSyncThreadsExt_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                13usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasSurfaceFuncs(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<14usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasSurfaceFuncs(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<14usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasSurfaceFuncs_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    14usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasSurfaceFuncs_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                14usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn has3dGrid(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<15usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_has3dGrid(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<15usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn has3dGrid_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    15usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_has3dGrid_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                15usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn hasDynamicParallelism(&self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(self._bitfield_1.get_const::<16usize, 1u8>() as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_hasDynamicParallelism(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<16usize, 1u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn hasDynamicParallelism_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(
                <__BindgenBitfieldUnit<
                    [u8; 3usize],
                >>::raw_get_const::<
                    16usize,
                    1u8,
                >(::core::ptr::addr_of!((* this)._bitfield_1)) as u32,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_hasDynamicParallelism_raw(
        this: *mut Self,
        val: ::core::ffi::c_uint,
    ) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<
                [u8; 3usize],
            >>::raw_set_const::<
                16usize,
                1u8,
            >(::core::ptr::addr_of_mut!((* this)._bitfield_1), val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn new_bitfield_1(
        hasGlobalInt32Atomics: ::core::ffi::c_uint,
        hasGlobalFloatAtomicExch: ::core::ffi::c_uint,
        hasSharedInt32Atomics: ::core::ffi::c_uint,
        hasSharedFloatAtomicExch: ::core::ffi::c_uint,
        hasFloatAtomicAdd: ::core::ffi::c_uint,
        hasGlobalInt64Atomics: ::core::ffi::c_uint,
        hasSharedInt64Atomics: ::core::ffi::c_uint,
        hasDoubles: ::core::ffi::c_uint,
        hasWarpVote: ::core::ffi::c_uint,
        hasWarpBallot: ::core::ffi::c_uint,
        hasWarpShuffle: ::core::ffi::c_uint,
        hasFunnelShift: ::core::ffi::c_uint,
        hasThreadFenceSystem: ::core::ffi::c_uint,
        hasSyncThreadsExt: ::core::ffi::c_uint,
        hasSurfaceFuncs: ::core::ffi::c_uint,
        has3dGrid: ::core::ffi::c_uint,
        hasDynamicParallelism: ::core::ffi::c_uint,
    ) -> __BindgenBitfieldUnit<[u8; 3usize]> {
        let mut __bindgen_bitfield_unit: __BindgenBitfieldUnit<[u8; 3usize]> = Default::default();
        __bindgen_bitfield_unit
            .set_const::<
                0usize,
                1u8,
            >({
                let hasGlobalInt32Atomics: u32 = unsafe {
                    ::core::mem::transmute(hasGlobalInt32Atomics)
                };
                hasGlobalInt32Atomics as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                1usize,
                1u8,
            >({
                let hasGlobalFloatAtomicExch: u32 = unsafe {
                    ::core::mem::transmute(hasGlobalFloatAtomicExch)
                };
                hasGlobalFloatAtomicExch as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                2usize,
                1u8,
            >({
                let hasSharedInt32Atomics: u32 = unsafe {
                    ::core::mem::transmute(hasSharedInt32Atomics)
                };
                hasSharedInt32Atomics as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                3usize,
                1u8,
            >({
                let hasSharedFloatAtomicExch: u32 = unsafe {
                    ::core::mem::transmute(hasSharedFloatAtomicExch)
                };
                hasSharedFloatAtomicExch as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                4usize,
                1u8,
            >({
                let hasFloatAtomicAdd: u32 = unsafe {
                    ::core::mem::transmute(hasFloatAtomicAdd)
                };
                hasFloatAtomicAdd as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                5usize,
                1u8,
            >({
                let hasGlobalInt64Atomics: u32 = unsafe {
                    ::core::mem::transmute(hasGlobalInt64Atomics)
                };
                hasGlobalInt64Atomics as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                6usize,
                1u8,
            >({
                let hasSharedInt64Atomics: u32 = unsafe {
                    ::core::mem::transmute(hasSharedInt64Atomics)
                };
                hasSharedInt64Atomics as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                7usize,
                1u8,
            >({
                let hasDoubles: u32 = unsafe { ::core::mem::transmute(hasDoubles) };
                hasDoubles as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                8usize,
                1u8,
            >({
                let hasWarpVote: u32 = unsafe { ::core::mem::transmute(hasWarpVote) };
                hasWarpVote as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                9usize,
                1u8,
            >({
                let hasWarpBallot: u32 = unsafe {
                    ::core::mem::transmute(hasWarpBallot)
                };
                hasWarpBallot as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                10usize,
                1u8,
            >({
                let hasWarpShuffle: u32 = unsafe {
                    ::core::mem::transmute(hasWarpShuffle)
                };
                hasWarpShuffle as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                11usize,
                1u8,
            >({
                let hasFunnelShift: u32 = unsafe {
                    ::core::mem::transmute(hasFunnelShift)
                };
                hasFunnelShift as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                12usize,
                1u8,
            >({
                let hasThreadFenceSystem: u32 = unsafe {
                    ::core::mem::transmute(hasThreadFenceSystem)
                };
                hasThreadFenceSystem as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                13usize,
                1u8,
            >({
                let hasSyncThreadsExt: u32 = unsafe {
                    ::core::mem::transmute(hasSyncThreadsExt)
                };
                hasSyncThreadsExt as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                14usize,
                1u8,
            >({
                let hasSurfaceFuncs: u32 = unsafe {
                    ::core::mem::transmute(hasSurfaceFuncs)
                };
                hasSurfaceFuncs as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                15usize,
                1u8,
            >({
                let has3dGrid: u32 = unsafe { ::core::mem::transmute(has3dGrid) };
                has3dGrid as u64
            });
        __bindgen_bitfield_unit
            .set_const::<
                16usize,
                1u8,
            >({
                let hasDynamicParallelism: u32 = unsafe {
                    ::core::mem::transmute(hasDynamicParallelism)
                };
                hasDynamicParallelism as u64
            });
        __bindgen_bitfield_unit
    }
}
impl Default for hipDeviceProp_tR0600 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipMemoryType {
    /// Unregistered memory
    pub const hipMemoryTypeUnregistered: hipMemoryType = hipMemoryType(0);
    /// Memory is physically located on host
    pub const hipMemoryTypeHost: hipMemoryType = hipMemoryType(1);
    /// Memory is physically located on device. (see deviceId for specific device)
    pub const hipMemoryTypeDevice: hipMemoryType = hipMemoryType(2);
    /// Managed memory, automaticallly managed by the unified memory system place holder for new values.
    pub const hipMemoryTypeManaged: hipMemoryType = hipMemoryType(3);
    /// Array memory, physically located on device. (see deviceId for specific device)
    pub const hipMemoryTypeArray: hipMemoryType = hipMemoryType(10);
    /// unified address space
    pub const hipMemoryTypeUnified: hipMemoryType = hipMemoryType(11);
}
impl Default for hipPointerAttribute_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipError_t {
    /// Successful completion.
    pub const hipSuccess: hipError_t = hipError_t(0);
    /// One or more of the parameters passed to the API call is NULL or not in an acceptable range.
    pub const hipErrorInvalidValue: hipError_t = hipError_t(1);
    /// out of memory range.
    pub const hipErrorOutOfMemory: hipError_t = hipError_t(2);
    /// Memory allocation error.
    pub const hipErrorMemoryAllocation: hipError_t = hipError_t(2);
    /// Invalid not initialized
    pub const hipErrorNotInitialized: hipError_t = hipError_t(3);
    pub const hipErrorInitializationError: hipError_t = hipError_t(3);
    /// Deinitialized
    pub const hipErrorDeinitialized: hipError_t = hipError_t(4);
    pub const hipErrorProfilerDisabled: hipError_t = hipError_t(5);
    pub const hipErrorProfilerNotInitialized: hipError_t = hipError_t(6);
    pub const hipErrorProfilerAlreadyStarted: hipError_t = hipError_t(7);
    pub const hipErrorProfilerAlreadyStopped: hipError_t = hipError_t(8);
    /// Invalide configuration
    pub const hipErrorInvalidConfiguration: hipError_t = hipError_t(9);
    /// Invalid pitch value
    pub const hipErrorInvalidPitchValue: hipError_t = hipError_t(12);
    /// Invalid symbol
    pub const hipErrorInvalidSymbol: hipError_t = hipError_t(13);
    /// Invalid Device Pointer
    pub const hipErrorInvalidDevicePointer: hipError_t = hipError_t(17);
    /// Invalid memory copy direction
    pub const hipErrorInvalidMemcpyDirection: hipError_t = hipError_t(21);
    pub const hipErrorInsufficientDriver: hipError_t = hipError_t(35);
    pub const hipErrorMissingConfiguration: hipError_t = hipError_t(52);
    pub const hipErrorPriorLaunchFailure: hipError_t = hipError_t(53);
    /// Invalid device function
    pub const hipErrorInvalidDeviceFunction: hipError_t = hipError_t(98);
    /// Call to hipGetDeviceCount returned 0 devices
    pub const hipErrorNoDevice: hipError_t = hipError_t(100);
    /// DeviceID must be in range from 0 to compute-devices.
    pub const hipErrorInvalidDevice: hipError_t = hipError_t(101);
    /// Invalid image
    pub const hipErrorInvalidImage: hipError_t = hipError_t(200);
    /// Produced when input context is invalid.
    pub const hipErrorInvalidContext: hipError_t = hipError_t(201);
    pub const hipErrorContextAlreadyCurrent: hipError_t = hipError_t(202);
    pub const hipErrorMapFailed: hipError_t = hipError_t(205);
    /// Produced when the IPC memory attach failed from ROCr.
    pub const hipErrorMapBufferObjectFailed: hipError_t = hipError_t(205);
    pub const hipErrorUnmapFailed: hipError_t = hipError_t(206);
    pub const hipErrorArrayIsMapped: hipError_t = hipError_t(207);
    pub const hipErrorAlreadyMapped: hipError_t = hipError_t(208);
    pub const hipErrorNoBinaryForGpu: hipError_t = hipError_t(209);
    pub const hipErrorAlreadyAcquired: hipError_t = hipError_t(210);
    pub const hipErrorNotMapped: hipError_t = hipError_t(211);
    pub const hipErrorNotMappedAsArray: hipError_t = hipError_t(212);
    pub const hipErrorNotMappedAsPointer: hipError_t = hipError_t(213);
    pub const hipErrorECCNotCorrectable: hipError_t = hipError_t(214);
    /// Unsupported limit
    pub const hipErrorUnsupportedLimit: hipError_t = hipError_t(215);
    /// The context is already in use
    pub const hipErrorContextAlreadyInUse: hipError_t = hipError_t(216);
    pub const hipErrorPeerAccessUnsupported: hipError_t = hipError_t(217);
    /// In CUDA DRV, it is CUDA_ERROR_INVALID_PTX
    pub const hipErrorInvalidKernelFile: hipError_t = hipError_t(218);
    pub const hipErrorInvalidGraphicsContext: hipError_t = hipError_t(219);
    /// Invalid source.
    pub const hipErrorInvalidSource: hipError_t = hipError_t(300);
    /// the file is not found.
    pub const hipErrorFileNotFound: hipError_t = hipError_t(301);
    pub const hipErrorSharedObjectSymbolNotFound: hipError_t = hipError_t(302);
    /// Failed to initialize shared object.
    pub const hipErrorSharedObjectInitFailed: hipError_t = hipError_t(303);
    /// Not the correct operating system
    pub const hipErrorOperatingSystem: hipError_t = hipError_t(304);
    /// Invalide handle
    pub const hipErrorInvalidHandle: hipError_t = hipError_t(400);
    /// Resource handle (hipEvent_t or hipStream_t) invalid.
    pub const hipErrorInvalidResourceHandle: hipError_t = hipError_t(400);
    /// Resource required is not in a valid state to perform operation.
    pub const hipErrorIllegalState: hipError_t = hipError_t(401);
    /// Not found
    pub const hipErrorNotFound: hipError_t = hipError_t(500);
    /// Indicates that asynchronous operations enqueued earlier are not ready. This is not actually an error, but is used to distinguish from hipSuccess (which indicates completion). APIs that return this error include hipEventQuery and hipStreamQuery.
    pub const hipErrorNotReady: hipError_t = hipError_t(600);
    pub const hipErrorIllegalAddress: hipError_t = hipError_t(700);
    /// Out of resources error.
    pub const hipErrorLaunchOutOfResources: hipError_t = hipError_t(701);
    /// Timeout for the launch.
    pub const hipErrorLaunchTimeOut: hipError_t = hipError_t(702);
    /// Peer access was already enabled from the current device.
    pub const hipErrorPeerAccessAlreadyEnabled: hipError_t = hipError_t(704);
    /// Peer access was never enabled from the current device.
    pub const hipErrorPeerAccessNotEnabled: hipError_t = hipError_t(705);
    /// The process is active.
    pub const hipErrorSetOnActiveProcess: hipError_t = hipError_t(708);
    /// The context is already destroyed
    pub const hipErrorContextIsDestroyed: hipError_t = hipError_t(709);
    /// Produced when the kernel calls assert.
    pub const hipErrorAssert: hipError_t = hipError_t(710);
    /// Produced when trying to lock a page-locked memory.
    pub const hipErrorHostMemoryAlreadyRegistered: hipError_t = hipError_t(712);
    /// Produced when trying to unlock a non-page-locked memory.
    pub const hipErrorHostMemoryNotRegistered: hipError_t = hipError_t(713);
    /// An exception occurred on the device while executing a kernel.
    pub const hipErrorLaunchFailure: hipError_t = hipError_t(719);
    /// This error indicates that the number of blocks launched per grid for a kernel that was launched via cooperative launch APIs exceeds the maximum number of allowed blocks for the current device.
    pub const hipErrorCooperativeLaunchTooLarge: hipError_t = hipError_t(720);
    /// Produced when the hip API is not supported/implemented
    pub const hipErrorNotSupported: hipError_t = hipError_t(801);
    /// The operation is not permitted when the stream is capturing.
    pub const hipErrorStreamCaptureUnsupported: hipError_t = hipError_t(900);
    /// The current capture sequence on the stream has been invalidated due to a previous error.
    pub const hipErrorStreamCaptureInvalidated: hipError_t = hipError_t(901);
    /// The operation would have resulted in a merge of two independent capture sequences.
    pub const hipErrorStreamCaptureMerge: hipError_t = hipError_t(902);
    /// The capture was not initiated in this stream.
    pub const hipErrorStreamCaptureUnmatched: hipError_t = hipError_t(903);
    /// The capture sequence contains a fork that was not joined to the primary stream.
    pub const hipErrorStreamCaptureUnjoined: hipError_t = hipError_t(904);
    /// A dependency would have been created which crosses the capture sequence boundary. Only implicit in-stream ordering dependencies are allowed to cross the boundary
    pub const hipErrorStreamCaptureIsolation: hipError_t = hipError_t(905);
    /// The operation would have resulted in a disallowed implicit dependency on a current capture sequence from hipStreamLegacy.
    pub const hipErrorStreamCaptureImplicit: hipError_t = hipError_t(906);
    /// The operation is not permitted on an event which was last recorded in a capturing stream.
    pub const hipErrorCapturedEvent: hipError_t = hipError_t(907);
    /// A stream capture sequence not initiated with the hipStreamCaptureModeRelaxed argument to hipStreamBeginCapture was passed to hipStreamEndCapture in a different thread.
    pub const hipErrorStreamCaptureWrongThread: hipError_t = hipError_t(908);
    /// This error indicates that the graph update not performed because it included changes which violated constraintsspecific to instantiated graph update.
    pub const hipErrorGraphExecUpdateFailure: hipError_t = hipError_t(910);
    /// Invalid channel descriptor.
    pub const hipErrorInvalidChannelDescriptor: hipError_t = hipError_t(911);
    /// Invalid texture.
    pub const hipErrorInvalidTexture: hipError_t = hipError_t(912);
    /// Unknown error.
    pub const hipErrorUnknown: hipError_t = hipError_t(999);
    /// HSA runtime memory call returned error. Typically not seen in production systems.
    pub const hipErrorRuntimeMemory: hipError_t = hipError_t(1052);
    /// HSA runtime call other than memory returned error. Typically not seen in production systems.
    pub const hipErrorRuntimeOther: hipError_t = hipError_t(1053);
    /// Marker that more error codes are needed.
    pub const hipErrorTbd: hipError_t = hipError_t(1054);
}
impl hipDeviceAttribute_t {
    pub const hipDeviceAttributeCudaCompatibleBegin: hipDeviceAttribute_t = hipDeviceAttribute_t(
        0,
    );
    /// Whether ECC support is enabled.
    pub const hipDeviceAttributeEccEnabled: hipDeviceAttribute_t = hipDeviceAttribute_t(
        0,
    );
    /// Cuda only. The maximum size of the window policy in bytes.
    pub const hipDeviceAttributeAccessPolicyMaxWindowSize: hipDeviceAttribute_t = hipDeviceAttribute_t(
        1,
    );
    /// Asynchronous engines number.
    pub const hipDeviceAttributeAsyncEngineCount: hipDeviceAttribute_t = hipDeviceAttribute_t(
        2,
    );
    /// Whether host memory can be mapped into device address space
    pub const hipDeviceAttributeCanMapHostMemory: hipDeviceAttribute_t = hipDeviceAttribute_t(
        3,
    );
    /// Device can access host registered memory at the same virtual address as the CPU
    pub const hipDeviceAttributeCanUseHostPointerForRegisteredMem: hipDeviceAttribute_t = hipDeviceAttribute_t(
        4,
    );
    /// Peak clock frequency in kilohertz.
    pub const hipDeviceAttributeClockRate: hipDeviceAttribute_t = hipDeviceAttribute_t(
        5,
    );
    /// Compute mode that device is currently in.
    pub const hipDeviceAttributeComputeMode: hipDeviceAttribute_t = hipDeviceAttribute_t(
        6,
    );
    /// Device supports Compute Preemption.
    pub const hipDeviceAttributeComputePreemptionSupported: hipDeviceAttribute_t = hipDeviceAttribute_t(
        7,
    );
    /// Device can possibly execute multiple kernels concurrently.
    pub const hipDeviceAttributeConcurrentKernels: hipDeviceAttribute_t = hipDeviceAttribute_t(
        8,
    );
    /// Device can coherently access managed memory concurrently with the CPU
    pub const hipDeviceAttributeConcurrentManagedAccess: hipDeviceAttribute_t = hipDeviceAttribute_t(
        9,
    );
    /// Support cooperative launch
    pub const hipDeviceAttributeCooperativeLaunch: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10,
    );
    /// Support cooperative launch on multiple devices
    pub const hipDeviceAttributeCooperativeMultiDeviceLaunch: hipDeviceAttribute_t = hipDeviceAttribute_t(
        11,
    );
    /// Device can concurrently copy memory and execute a kernel. Deprecated. Use instead asyncEngineCount.
    pub const hipDeviceAttributeDeviceOverlap: hipDeviceAttribute_t = hipDeviceAttribute_t(
        12,
    );
    /// Host can directly access managed memory on the device without migration
    pub const hipDeviceAttributeDirectManagedMemAccessFromHost: hipDeviceAttribute_t = hipDeviceAttribute_t(
        13,
    );
    /// Device supports caching globals in L1
    pub const hipDeviceAttributeGlobalL1CacheSupported: hipDeviceAttribute_t = hipDeviceAttribute_t(
        14,
    );
    /// Link between the device and the host supports native atomic operations
    pub const hipDeviceAttributeHostNativeAtomicSupported: hipDeviceAttribute_t = hipDeviceAttribute_t(
        15,
    );
    /// Device is integrated GPU
    pub const hipDeviceAttributeIntegrated: hipDeviceAttribute_t = hipDeviceAttribute_t(
        16,
    );
    /// Multiple GPU devices.
    pub const hipDeviceAttributeIsMultiGpuBoard: hipDeviceAttribute_t = hipDeviceAttribute_t(
        17,
    );
    /// Run time limit for kernels executed on the device
    pub const hipDeviceAttributeKernelExecTimeout: hipDeviceAttribute_t = hipDeviceAttribute_t(
        18,
    );
    /// Size of L2 cache in bytes. 0 if the device doesn't have L2 cache.
    pub const hipDeviceAttributeL2CacheSize: hipDeviceAttribute_t = hipDeviceAttribute_t(
        19,
    );
    /// caching locals in L1 is supported
    pub const hipDeviceAttributeLocalL1CacheSupported: hipDeviceAttribute_t = hipDeviceAttribute_t(
        20,
    );
    /// 8-byte locally unique identifier in 8 bytes. Undefined on TCC and non-Windows platforms
    pub const hipDeviceAttributeLuid: hipDeviceAttribute_t = hipDeviceAttribute_t(21);
    /// Luid device node mask. Undefined on TCC and non-Windows platforms
    pub const hipDeviceAttributeLuidDeviceNodeMask: hipDeviceAttribute_t = hipDeviceAttribute_t(
        22,
    );
    /// Major compute capability version number.
    pub const hipDeviceAttributeComputeCapabilityMajor: hipDeviceAttribute_t = hipDeviceAttribute_t(
        23,
    );
    /// Device supports allocating managed memory on this system
    pub const hipDeviceAttributeManagedMemory: hipDeviceAttribute_t = hipDeviceAttribute_t(
        24,
    );
    /// Max block size per multiprocessor
    pub const hipDeviceAttributeMaxBlocksPerMultiProcessor: hipDeviceAttribute_t = hipDeviceAttribute_t(
        25,
    );
    /// Max block size in width.
    pub const hipDeviceAttributeMaxBlockDimX: hipDeviceAttribute_t = hipDeviceAttribute_t(
        26,
    );
    /// Max block size in height.
    pub const hipDeviceAttributeMaxBlockDimY: hipDeviceAttribute_t = hipDeviceAttribute_t(
        27,
    );
    /// Max block size in depth.
    pub const hipDeviceAttributeMaxBlockDimZ: hipDeviceAttribute_t = hipDeviceAttribute_t(
        28,
    );
    /// Max grid size in width.
    pub const hipDeviceAttributeMaxGridDimX: hipDeviceAttribute_t = hipDeviceAttribute_t(
        29,
    );
    /// Max grid size in height.
    pub const hipDeviceAttributeMaxGridDimY: hipDeviceAttribute_t = hipDeviceAttribute_t(
        30,
    );
    /// Max grid size in depth.
    pub const hipDeviceAttributeMaxGridDimZ: hipDeviceAttribute_t = hipDeviceAttribute_t(
        31,
    );
    /// Maximum size of 1D surface.
    pub const hipDeviceAttributeMaxSurface1D: hipDeviceAttribute_t = hipDeviceAttribute_t(
        32,
    );
    /// Cuda only. Maximum dimensions of 1D layered surface.
    pub const hipDeviceAttributeMaxSurface1DLayered: hipDeviceAttribute_t = hipDeviceAttribute_t(
        33,
    );
    /// Maximum dimension (width, height) of 2D surface.
    pub const hipDeviceAttributeMaxSurface2D: hipDeviceAttribute_t = hipDeviceAttribute_t(
        34,
    );
    /// Cuda only. Maximum dimensions of 2D layered surface.
    pub const hipDeviceAttributeMaxSurface2DLayered: hipDeviceAttribute_t = hipDeviceAttribute_t(
        35,
    );
    /// Maximum dimension (width, height, depth) of 3D surface.
    pub const hipDeviceAttributeMaxSurface3D: hipDeviceAttribute_t = hipDeviceAttribute_t(
        36,
    );
    /// Cuda only. Maximum dimensions of Cubemap surface.
    pub const hipDeviceAttributeMaxSurfaceCubemap: hipDeviceAttribute_t = hipDeviceAttribute_t(
        37,
    );
    /// Cuda only. Maximum dimension of Cubemap layered surface.
    pub const hipDeviceAttributeMaxSurfaceCubemapLayered: hipDeviceAttribute_t = hipDeviceAttribute_t(
        38,
    );
    /// Maximum size of 1D texture.
    pub const hipDeviceAttributeMaxTexture1DWidth: hipDeviceAttribute_t = hipDeviceAttribute_t(
        39,
    );
    /// Maximum dimensions of 1D layered texture.
    pub const hipDeviceAttributeMaxTexture1DLayered: hipDeviceAttribute_t = hipDeviceAttribute_t(
        40,
    );
    /// Maximum number of elements allocatable in a 1D linear texture. Use cudaDeviceGetTexture1DLinearMaxWidth() instead on Cuda.
    pub const hipDeviceAttributeMaxTexture1DLinear: hipDeviceAttribute_t = hipDeviceAttribute_t(
        41,
    );
    /// Maximum size of 1D mipmapped texture.
    pub const hipDeviceAttributeMaxTexture1DMipmap: hipDeviceAttribute_t = hipDeviceAttribute_t(
        42,
    );
    /// Maximum dimension width of 2D texture.
    pub const hipDeviceAttributeMaxTexture2DWidth: hipDeviceAttribute_t = hipDeviceAttribute_t(
        43,
    );
    /// Maximum dimension hight of 2D texture.
    pub const hipDeviceAttributeMaxTexture2DHeight: hipDeviceAttribute_t = hipDeviceAttribute_t(
        44,
    );
    /// Maximum dimensions of 2D texture if gather operations performed.
    pub const hipDeviceAttributeMaxTexture2DGather: hipDeviceAttribute_t = hipDeviceAttribute_t(
        45,
    );
    /// Maximum dimensions of 2D layered texture.
    pub const hipDeviceAttributeMaxTexture2DLayered: hipDeviceAttribute_t = hipDeviceAttribute_t(
        46,
    );
    /// Maximum dimensions (width, height, pitch) of 2D textures bound to pitched memory.
    pub const hipDeviceAttributeMaxTexture2DLinear: hipDeviceAttribute_t = hipDeviceAttribute_t(
        47,
    );
    /// Maximum dimensions of 2D mipmapped texture.
    pub const hipDeviceAttributeMaxTexture2DMipmap: hipDeviceAttribute_t = hipDeviceAttribute_t(
        48,
    );
    /// Maximum dimension width of 3D texture.
    pub const hipDeviceAttributeMaxTexture3DWidth: hipDeviceAttribute_t = hipDeviceAttribute_t(
        49,
    );
    /// Maximum dimension height of 3D texture.
    pub const hipDeviceAttributeMaxTexture3DHeight: hipDeviceAttribute_t = hipDeviceAttribute_t(
        50,
    );
    /// Maximum dimension depth of 3D texture.
    pub const hipDeviceAttributeMaxTexture3DDepth: hipDeviceAttribute_t = hipDeviceAttribute_t(
        51,
    );
    /// Maximum dimensions of alternate 3D texture.
    pub const hipDeviceAttributeMaxTexture3DAlt: hipDeviceAttribute_t = hipDeviceAttribute_t(
        52,
    );
    /// Maximum dimensions of Cubemap texture
    pub const hipDeviceAttributeMaxTextureCubemap: hipDeviceAttribute_t = hipDeviceAttribute_t(
        53,
    );
    /// Maximum dimensions of Cubemap layered texture.
    pub const hipDeviceAttributeMaxTextureCubemapLayered: hipDeviceAttribute_t = hipDeviceAttribute_t(
        54,
    );
    /// Maximum dimension of a block
    pub const hipDeviceAttributeMaxThreadsDim: hipDeviceAttribute_t = hipDeviceAttribute_t(
        55,
    );
    /// Maximum number of threads per block.
    pub const hipDeviceAttributeMaxThreadsPerBlock: hipDeviceAttribute_t = hipDeviceAttribute_t(
        56,
    );
    /// Maximum resident threads per multiprocessor.
    pub const hipDeviceAttributeMaxThreadsPerMultiProcessor: hipDeviceAttribute_t = hipDeviceAttribute_t(
        57,
    );
    /// Maximum pitch in bytes allowed by memory copies
    pub const hipDeviceAttributeMaxPitch: hipDeviceAttribute_t = hipDeviceAttribute_t(
        58,
    );
    /// Global memory bus width in bits.
    pub const hipDeviceAttributeMemoryBusWidth: hipDeviceAttribute_t = hipDeviceAttribute_t(
        59,
    );
    /// Peak memory clock frequency in kilohertz.
    pub const hipDeviceAttributeMemoryClockRate: hipDeviceAttribute_t = hipDeviceAttribute_t(
        60,
    );
    /// Minor compute capability version number.
    pub const hipDeviceAttributeComputeCapabilityMinor: hipDeviceAttribute_t = hipDeviceAttribute_t(
        61,
    );
    /// Unique ID of device group on the same multi-GPU board
    pub const hipDeviceAttributeMultiGpuBoardGroupID: hipDeviceAttribute_t = hipDeviceAttribute_t(
        62,
    );
    /// Number of multiprocessors on the device.
    pub const hipDeviceAttributeMultiprocessorCount: hipDeviceAttribute_t = hipDeviceAttribute_t(
        63,
    );
    /// Previously hipDeviceAttributeName
    pub const hipDeviceAttributeUnused1: hipDeviceAttribute_t = hipDeviceAttribute_t(64);
    /// Device supports coherently accessing pageable memory without calling hipHostRegister on it
    pub const hipDeviceAttributePageableMemoryAccess: hipDeviceAttribute_t = hipDeviceAttribute_t(
        65,
    );
    /// Device accesses pageable memory via the host's page tables
    pub const hipDeviceAttributePageableMemoryAccessUsesHostPageTables: hipDeviceAttribute_t = hipDeviceAttribute_t(
        66,
    );
    /// PCI Bus ID.
    pub const hipDeviceAttributePciBusId: hipDeviceAttribute_t = hipDeviceAttribute_t(
        67,
    );
    /// PCI Device ID.
    pub const hipDeviceAttributePciDeviceId: hipDeviceAttribute_t = hipDeviceAttribute_t(
        68,
    );
    /// PCI Domain ID.
    pub const hipDeviceAttributePciDomainID: hipDeviceAttribute_t = hipDeviceAttribute_t(
        69,
    );
    /// Maximum l2 persisting lines capacity in bytes
    pub const hipDeviceAttributePersistingL2CacheMaxSize: hipDeviceAttribute_t = hipDeviceAttribute_t(
        70,
    );
    /// 32-bit registers available to a thread block. This number is shared by all thread blocks simultaneously resident on a multiprocessor.
    pub const hipDeviceAttributeMaxRegistersPerBlock: hipDeviceAttribute_t = hipDeviceAttribute_t(
        71,
    );
    /// 32-bit registers available per block.
    pub const hipDeviceAttributeMaxRegistersPerMultiprocessor: hipDeviceAttribute_t = hipDeviceAttribute_t(
        72,
    );
    /// Shared memory reserved by CUDA driver per block.
    pub const hipDeviceAttributeReservedSharedMemPerBlock: hipDeviceAttribute_t = hipDeviceAttribute_t(
        73,
    );
    /// Maximum shared memory available per block in bytes.
    pub const hipDeviceAttributeMaxSharedMemoryPerBlock: hipDeviceAttribute_t = hipDeviceAttribute_t(
        74,
    );
    /// Maximum shared memory per block usable by special opt in.
    pub const hipDeviceAttributeSharedMemPerBlockOptin: hipDeviceAttribute_t = hipDeviceAttribute_t(
        75,
    );
    /// Shared memory available per multiprocessor.
    pub const hipDeviceAttributeSharedMemPerMultiprocessor: hipDeviceAttribute_t = hipDeviceAttribute_t(
        76,
    );
    /// Cuda only. Performance ratio of single precision to double precision.
    pub const hipDeviceAttributeSingleToDoublePrecisionPerfRatio: hipDeviceAttribute_t = hipDeviceAttribute_t(
        77,
    );
    /// Whether to support stream priorities.
    pub const hipDeviceAttributeStreamPrioritiesSupported: hipDeviceAttribute_t = hipDeviceAttribute_t(
        78,
    );
    /// Alignment requirement for surfaces
    pub const hipDeviceAttributeSurfaceAlignment: hipDeviceAttribute_t = hipDeviceAttribute_t(
        79,
    );
    /// Cuda only. Whether device is a Tesla device using TCC driver
    pub const hipDeviceAttributeTccDriver: hipDeviceAttribute_t = hipDeviceAttribute_t(
        80,
    );
    /// Alignment requirement for textures
    pub const hipDeviceAttributeTextureAlignment: hipDeviceAttribute_t = hipDeviceAttribute_t(
        81,
    );
    /// Pitch alignment requirement for 2D texture references bound to pitched memory;
    pub const hipDeviceAttributeTexturePitchAlignment: hipDeviceAttribute_t = hipDeviceAttribute_t(
        82,
    );
    /// Constant memory size in bytes.
    pub const hipDeviceAttributeTotalConstantMemory: hipDeviceAttribute_t = hipDeviceAttribute_t(
        83,
    );
    /// Global memory available on devicice.
    pub const hipDeviceAttributeTotalGlobalMem: hipDeviceAttribute_t = hipDeviceAttribute_t(
        84,
    );
    /// Cuda only. An unified address space shared with the host.
    pub const hipDeviceAttributeUnifiedAddressing: hipDeviceAttribute_t = hipDeviceAttribute_t(
        85,
    );
    /// Previously hipDeviceAttributeUuid
    pub const hipDeviceAttributeUnused2: hipDeviceAttribute_t = hipDeviceAttribute_t(86);
    /// Warp size in threads.
    pub const hipDeviceAttributeWarpSize: hipDeviceAttribute_t = hipDeviceAttribute_t(
        87,
    );
    /// Device supports HIP Stream Ordered Memory Allocator
    pub const hipDeviceAttributeMemoryPoolsSupported: hipDeviceAttribute_t = hipDeviceAttribute_t(
        88,
    );
    /// Device supports HIP virtual memory management
    pub const hipDeviceAttributeVirtualMemoryManagementSupported: hipDeviceAttribute_t = hipDeviceAttribute_t(
        89,
    );
    /// Can device support host memory registration via hipHostRegister
    pub const hipDeviceAttributeHostRegisterSupported: hipDeviceAttribute_t = hipDeviceAttribute_t(
        90,
    );
    /// Supported handle mask for HIP Stream Ordered Memory Allocator
    pub const hipDeviceAttributeMemoryPoolSupportedHandleTypes: hipDeviceAttribute_t = hipDeviceAttribute_t(
        91,
    );
    pub const hipDeviceAttributeCudaCompatibleEnd: hipDeviceAttribute_t = hipDeviceAttribute_t(
        9999,
    );
    pub const hipDeviceAttributeAmdSpecificBegin: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10000,
    );
    /// Frequency in khz of the timer used by the device-side "clock*"
    pub const hipDeviceAttributeClockInstructionRate: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10000,
    );
    /// Previously hipDeviceAttributeArch
    pub const hipDeviceAttributeUnused3: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10001,
    );
    /// Maximum Shared Memory PerMultiprocessor.
    pub const hipDeviceAttributeMaxSharedMemoryPerMultiprocessor: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10002,
    );
    /// Previously hipDeviceAttributeGcnArch
    pub const hipDeviceAttributeUnused4: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10003,
    );
    /// Previously hipDeviceAttributeGcnArchName
    pub const hipDeviceAttributeUnused5: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10004,
    );
    /// Address of the HDP_MEM_COHERENCY_FLUSH_CNTL register
    pub const hipDeviceAttributeHdpMemFlushCntl: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10005,
    );
    /// Address of the HDP_REG_COHERENCY_FLUSH_CNTL register
    pub const hipDeviceAttributeHdpRegFlushCntl: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10006,
    );
    /// Supports cooperative launch on multiple devices with unmatched functions
    pub const hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10007,
    );
    /// Supports cooperative launch on multiple devices with unmatched grid dimensions
    pub const hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10008,
    );
    /// Supports cooperative launch on multiple devices with unmatched block dimensions
    pub const hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10009,
    );
    /// Supports cooperative launch on multiple devices with unmatched shared memories
    pub const hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10010,
    );
    /// Whether it is LargeBar
    pub const hipDeviceAttributeIsLargeBar: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10011,
    );
    /// Revision of the GPU in this device
    pub const hipDeviceAttributeAsicRevision: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10012,
    );
    /// '1' if Device supports hipStreamWaitValue32() and hipStreamWaitValue64(), '0' otherwise.
    pub const hipDeviceAttributeCanUseStreamWaitValue: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10013,
    );
    /// '1' if Device supports image, '0' otherwise.
    pub const hipDeviceAttributeImageSupport: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10014,
    );
    /// All available physical compute units for the device
    pub const hipDeviceAttributePhysicalMultiProcessorCount: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10015,
    );
    /// '1' if Device supports fine grain, '0' otherwise
    pub const hipDeviceAttributeFineGrainSupport: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10016,
    );
    /// Constant frequency of wall clock in kilohertz.
    pub const hipDeviceAttributeWallClockRate: hipDeviceAttribute_t = hipDeviceAttribute_t(
        10017,
    );
    pub const hipDeviceAttributeAmdSpecificEnd: hipDeviceAttribute_t = hipDeviceAttribute_t(
        19999,
    );
    pub const hipDeviceAttributeVendorSpecificBegin: hipDeviceAttribute_t = hipDeviceAttribute_t(
        20000,
    );
}
impl hipDriverProcAddressQueryResult {
    pub const HIP_GET_PROC_ADDRESS_SUCCESS: hipDriverProcAddressQueryResult = hipDriverProcAddressQueryResult(
        0,
    );
    pub const HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND: hipDriverProcAddressQueryResult = hipDriverProcAddressQueryResult(
        1,
    );
    pub const HIP_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT: hipDriverProcAddressQueryResult = hipDriverProcAddressQueryResult(
        2,
    );
}
impl hipComputeMode {
    pub const hipComputeModeDefault: hipComputeMode = hipComputeMode(0);
    pub const hipComputeModeExclusive: hipComputeMode = hipComputeMode(1);
    pub const hipComputeModeProhibited: hipComputeMode = hipComputeMode(2);
    pub const hipComputeModeExclusiveProcess: hipComputeMode = hipComputeMode(3);
}
impl hipFlushGPUDirectRDMAWritesOptions {
    pub const hipFlushGPUDirectRDMAWritesOptionHost: hipFlushGPUDirectRDMAWritesOptions = hipFlushGPUDirectRDMAWritesOptions(
        1,
    );
    pub const hipFlushGPUDirectRDMAWritesOptionMemOps: hipFlushGPUDirectRDMAWritesOptions = hipFlushGPUDirectRDMAWritesOptions(
        2,
    );
}
impl hipGPUDirectRDMAWritesOrdering {
    pub const hipGPUDirectRDMAWritesOrderingNone: hipGPUDirectRDMAWritesOrdering = hipGPUDirectRDMAWritesOrdering(
        0,
    );
    pub const hipGPUDirectRDMAWritesOrderingOwner: hipGPUDirectRDMAWritesOrdering = hipGPUDirectRDMAWritesOrdering(
        100,
    );
    pub const hipGPUDirectRDMAWritesOrderingAllDevices: hipGPUDirectRDMAWritesOrdering = hipGPUDirectRDMAWritesOrdering(
        200,
    );
}
impl hipChannelFormatKind {
    /// Signed channel format
    pub const hipChannelFormatKindSigned: hipChannelFormatKind = hipChannelFormatKind(0);
    /// Unsigned channel format
    pub const hipChannelFormatKindUnsigned: hipChannelFormatKind = hipChannelFormatKind(
        1,
    );
    /// Float channel format
    pub const hipChannelFormatKindFloat: hipChannelFormatKind = hipChannelFormatKind(2);
    /// No channel format
    pub const hipChannelFormatKindNone: hipChannelFormatKind = hipChannelFormatKind(3);
}
impl Default for hipChannelFormatDesc {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipArray_Format {
    /// Unsigned 8-bit array format
    pub const HIP_AD_FORMAT_UNSIGNED_INT8: hipArray_Format = hipArray_Format(1);
    /// Unsigned 16-bit array format
    pub const HIP_AD_FORMAT_UNSIGNED_INT16: hipArray_Format = hipArray_Format(2);
    /// Unsigned 32-bit array format
    pub const HIP_AD_FORMAT_UNSIGNED_INT32: hipArray_Format = hipArray_Format(3);
    /// Signed 8-bit array format
    pub const HIP_AD_FORMAT_SIGNED_INT8: hipArray_Format = hipArray_Format(8);
    /// Signed 16-bit array format
    pub const HIP_AD_FORMAT_SIGNED_INT16: hipArray_Format = hipArray_Format(9);
    /// Signed 32-bit array format
    pub const HIP_AD_FORMAT_SIGNED_INT32: hipArray_Format = hipArray_Format(10);
    /// Half array format
    pub const HIP_AD_FORMAT_HALF: hipArray_Format = hipArray_Format(16);
    /// Float array format
    pub const HIP_AD_FORMAT_FLOAT: hipArray_Format = hipArray_Format(32);
}
impl Default for HIP_ARRAY_DESCRIPTOR {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_ARRAY3D_DESCRIPTOR {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hip_Memcpy2D {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipMipmappedArray {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipResourceType {
    /// Array resource
    pub const hipResourceTypeArray: hipResourceType = hipResourceType(0);
    /// Mipmapped array resource
    pub const hipResourceTypeMipmappedArray: hipResourceType = hipResourceType(1);
    /// Linear resource
    pub const hipResourceTypeLinear: hipResourceType = hipResourceType(2);
    /// Pitch 2D resource
    pub const hipResourceTypePitch2D: hipResourceType = hipResourceType(3);
}
impl HIPresourcetype_enum {
    /// Array resource
    pub const HIP_RESOURCE_TYPE_ARRAY: HIPresourcetype_enum = HIPresourcetype_enum(0);
    /// Mipmapped array resource
    pub const HIP_RESOURCE_TYPE_MIPMAPPED_ARRAY: HIPresourcetype_enum = HIPresourcetype_enum(
        1,
    );
    /// Linear resource
    pub const HIP_RESOURCE_TYPE_LINEAR: HIPresourcetype_enum = HIPresourcetype_enum(2);
    /// Pitch 2D resource
    pub const HIP_RESOURCE_TYPE_PITCH2D: HIPresourcetype_enum = HIPresourcetype_enum(3);
}
impl HIPaddress_mode_enum {
    /// Wrap address mode
    pub const HIP_TR_ADDRESS_MODE_WRAP: HIPaddress_mode_enum = HIPaddress_mode_enum(0);
    /// Clamp address mode
    pub const HIP_TR_ADDRESS_MODE_CLAMP: HIPaddress_mode_enum = HIPaddress_mode_enum(1);
    /// Mirror address mode
    pub const HIP_TR_ADDRESS_MODE_MIRROR: HIPaddress_mode_enum = HIPaddress_mode_enum(2);
    /// Border address mode
    pub const HIP_TR_ADDRESS_MODE_BORDER: HIPaddress_mode_enum = HIPaddress_mode_enum(3);
}
impl HIPfilter_mode_enum {
    /// Filter mode point
    pub const HIP_TR_FILTER_MODE_POINT: HIPfilter_mode_enum = HIPfilter_mode_enum(0);
    /// Filter mode linear
    pub const HIP_TR_FILTER_MODE_LINEAR: HIPfilter_mode_enum = HIPfilter_mode_enum(1);
}
impl Default for HIP_TEXTURE_DESC_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipResourceViewFormat {
    /// No resource view format (use underlying resource format)
    pub const hipResViewFormatNone: hipResourceViewFormat = hipResourceViewFormat(0);
    /// 1 channel, unsigned 8-bit integers
    pub const hipResViewFormatUnsignedChar1: hipResourceViewFormat = hipResourceViewFormat(
        1,
    );
    /// 2 channels, unsigned 8-bit integers
    pub const hipResViewFormatUnsignedChar2: hipResourceViewFormat = hipResourceViewFormat(
        2,
    );
    /// 4 channels, unsigned 8-bit integers
    pub const hipResViewFormatUnsignedChar4: hipResourceViewFormat = hipResourceViewFormat(
        3,
    );
    /// 1 channel, signed 8-bit integers
    pub const hipResViewFormatSignedChar1: hipResourceViewFormat = hipResourceViewFormat(
        4,
    );
    /// 2 channels, signed 8-bit integers
    pub const hipResViewFormatSignedChar2: hipResourceViewFormat = hipResourceViewFormat(
        5,
    );
    /// 4 channels, signed 8-bit integers
    pub const hipResViewFormatSignedChar4: hipResourceViewFormat = hipResourceViewFormat(
        6,
    );
    /// 1 channel, unsigned 16-bit integers
    pub const hipResViewFormatUnsignedShort1: hipResourceViewFormat = hipResourceViewFormat(
        7,
    );
    /// 2 channels, unsigned 16-bit integers
    pub const hipResViewFormatUnsignedShort2: hipResourceViewFormat = hipResourceViewFormat(
        8,
    );
    /// 4 channels, unsigned 16-bit integers
    pub const hipResViewFormatUnsignedShort4: hipResourceViewFormat = hipResourceViewFormat(
        9,
    );
    /// 1 channel, signed 16-bit integers
    pub const hipResViewFormatSignedShort1: hipResourceViewFormat = hipResourceViewFormat(
        10,
    );
    /// 2 channels, signed 16-bit integers
    pub const hipResViewFormatSignedShort2: hipResourceViewFormat = hipResourceViewFormat(
        11,
    );
    /// 4 channels, signed 16-bit integers
    pub const hipResViewFormatSignedShort4: hipResourceViewFormat = hipResourceViewFormat(
        12,
    );
    /// 1 channel, unsigned 32-bit integers
    pub const hipResViewFormatUnsignedInt1: hipResourceViewFormat = hipResourceViewFormat(
        13,
    );
    /// 2 channels, unsigned 32-bit integers
    pub const hipResViewFormatUnsignedInt2: hipResourceViewFormat = hipResourceViewFormat(
        14,
    );
    /// 4 channels, unsigned 32-bit integers
    pub const hipResViewFormatUnsignedInt4: hipResourceViewFormat = hipResourceViewFormat(
        15,
    );
    /// 1 channel, signed 32-bit integers
    pub const hipResViewFormatSignedInt1: hipResourceViewFormat = hipResourceViewFormat(
        16,
    );
    /// 2 channels, signed 32-bit integers
    pub const hipResViewFormatSignedInt2: hipResourceViewFormat = hipResourceViewFormat(
        17,
    );
    /// 4 channels, signed 32-bit integers
    pub const hipResViewFormatSignedInt4: hipResourceViewFormat = hipResourceViewFormat(
        18,
    );
    /// 1 channel, 16-bit floating point
    pub const hipResViewFormatHalf1: hipResourceViewFormat = hipResourceViewFormat(19);
    /// 2 channels, 16-bit floating point
    pub const hipResViewFormatHalf2: hipResourceViewFormat = hipResourceViewFormat(20);
    /// 4 channels, 16-bit floating point
    pub const hipResViewFormatHalf4: hipResourceViewFormat = hipResourceViewFormat(21);
    /// 1 channel, 32-bit floating point
    pub const hipResViewFormatFloat1: hipResourceViewFormat = hipResourceViewFormat(22);
    /// 2 channels, 32-bit floating point
    pub const hipResViewFormatFloat2: hipResourceViewFormat = hipResourceViewFormat(23);
    /// 4 channels, 32-bit floating point
    pub const hipResViewFormatFloat4: hipResourceViewFormat = hipResourceViewFormat(24);
    /// Block-compressed 1
    pub const hipResViewFormatUnsignedBlockCompressed1: hipResourceViewFormat = hipResourceViewFormat(
        25,
    );
    /// Block-compressed 2
    pub const hipResViewFormatUnsignedBlockCompressed2: hipResourceViewFormat = hipResourceViewFormat(
        26,
    );
    /// Block-compressed 3
    pub const hipResViewFormatUnsignedBlockCompressed3: hipResourceViewFormat = hipResourceViewFormat(
        27,
    );
    /// Block-compressed 4 unsigned
    pub const hipResViewFormatUnsignedBlockCompressed4: hipResourceViewFormat = hipResourceViewFormat(
        28,
    );
    /// Block-compressed 4 signed
    pub const hipResViewFormatSignedBlockCompressed4: hipResourceViewFormat = hipResourceViewFormat(
        29,
    );
    /// Block-compressed 5 unsigned
    pub const hipResViewFormatUnsignedBlockCompressed5: hipResourceViewFormat = hipResourceViewFormat(
        30,
    );
    /// Block-compressed 5 signed
    pub const hipResViewFormatSignedBlockCompressed5: hipResourceViewFormat = hipResourceViewFormat(
        31,
    );
    /// Block-compressed 6 unsigned half-float
    pub const hipResViewFormatUnsignedBlockCompressed6H: hipResourceViewFormat = hipResourceViewFormat(
        32,
    );
    /// Block-compressed 6 signed half-float
    pub const hipResViewFormatSignedBlockCompressed6H: hipResourceViewFormat = hipResourceViewFormat(
        33,
    );
    /// Block-compressed 7
    pub const hipResViewFormatUnsignedBlockCompressed7: hipResourceViewFormat = hipResourceViewFormat(
        34,
    );
}
impl HIPresourceViewFormat_enum {
    /// No resource view format (use underlying resource format)
    pub const HIP_RES_VIEW_FORMAT_NONE: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        0,
    );
    /// 1 channel, unsigned 8-bit integers
    pub const HIP_RES_VIEW_FORMAT_UINT_1X8: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        1,
    );
    /// 2 channels, unsigned 8-bit integers
    pub const HIP_RES_VIEW_FORMAT_UINT_2X8: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        2,
    );
    /// 4 channels, unsigned 8-bit integers
    pub const HIP_RES_VIEW_FORMAT_UINT_4X8: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        3,
    );
    /// 1 channel, signed 8-bit integers
    pub const HIP_RES_VIEW_FORMAT_SINT_1X8: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        4,
    );
    /// 2 channels, signed 8-bit integers
    pub const HIP_RES_VIEW_FORMAT_SINT_2X8: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        5,
    );
    /// 4 channels, signed 8-bit integers
    pub const HIP_RES_VIEW_FORMAT_SINT_4X8: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        6,
    );
    /// 1 channel, unsigned 16-bit integers
    pub const HIP_RES_VIEW_FORMAT_UINT_1X16: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        7,
    );
    /// 2 channels, unsigned 16-bit integers
    pub const HIP_RES_VIEW_FORMAT_UINT_2X16: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        8,
    );
    /// 4 channels, unsigned 16-bit integers
    pub const HIP_RES_VIEW_FORMAT_UINT_4X16: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        9,
    );
    /// 1 channel, signed 16-bit integers
    pub const HIP_RES_VIEW_FORMAT_SINT_1X16: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        10,
    );
    /// 2 channels, signed 16-bit integers
    pub const HIP_RES_VIEW_FORMAT_SINT_2X16: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        11,
    );
    /// 4 channels, signed 16-bit integers
    pub const HIP_RES_VIEW_FORMAT_SINT_4X16: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        12,
    );
    /// 1 channel, unsigned 32-bit integers
    pub const HIP_RES_VIEW_FORMAT_UINT_1X32: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        13,
    );
    /// 2 channels, unsigned 32-bit integers
    pub const HIP_RES_VIEW_FORMAT_UINT_2X32: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        14,
    );
    /// 4 channels, unsigned 32-bit integers
    pub const HIP_RES_VIEW_FORMAT_UINT_4X32: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        15,
    );
    /// 1 channel, signed 32-bit integers
    pub const HIP_RES_VIEW_FORMAT_SINT_1X32: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        16,
    );
    /// 2 channels, signed 32-bit integers
    pub const HIP_RES_VIEW_FORMAT_SINT_2X32: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        17,
    );
    /// 4 channels, signed 32-bit integers
    pub const HIP_RES_VIEW_FORMAT_SINT_4X32: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        18,
    );
    /// 1 channel, 16-bit floating point
    pub const HIP_RES_VIEW_FORMAT_FLOAT_1X16: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        19,
    );
    /// 2 channels, 16-bit floating point
    pub const HIP_RES_VIEW_FORMAT_FLOAT_2X16: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        20,
    );
    /// 4 channels, 16-bit floating point
    pub const HIP_RES_VIEW_FORMAT_FLOAT_4X16: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        21,
    );
    /// 1 channel, 32-bit floating point
    pub const HIP_RES_VIEW_FORMAT_FLOAT_1X32: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        22,
    );
    /// 2 channels, 32-bit floating point
    pub const HIP_RES_VIEW_FORMAT_FLOAT_2X32: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        23,
    );
    /// 4 channels, 32-bit floating point
    pub const HIP_RES_VIEW_FORMAT_FLOAT_4X32: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        24,
    );
    /// Block-compressed 1
    pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC1: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        25,
    );
    /// Block-compressed 2
    pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC2: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        26,
    );
    /// Block-compressed 3
    pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC3: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        27,
    );
    /// Block-compressed 4 unsigned
    pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC4: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        28,
    );
    /// Block-compressed 4 signed
    pub const HIP_RES_VIEW_FORMAT_SIGNED_BC4: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        29,
    );
    /// Block-compressed 5 unsigned
    pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC5: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        30,
    );
    /// Block-compressed 5 signed
    pub const HIP_RES_VIEW_FORMAT_SIGNED_BC5: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        31,
    );
    /// Block-compressed 6 unsigned half-float
    pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC6H: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        32,
    );
    /// Block-compressed 6 signed half-float
    pub const HIP_RES_VIEW_FORMAT_SIGNED_BC6H: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        33,
    );
    /// Block-compressed 7
    pub const HIP_RES_VIEW_FORMAT_UNSIGNED_BC7: HIPresourceViewFormat_enum = HIPresourceViewFormat_enum(
        34,
    );
}
impl Default for hipResourceDesc__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipResourceDesc__bindgen_ty_1__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipResourceDesc__bindgen_ty_1__bindgen_ty_3 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipResourceDesc__bindgen_ty_1__bindgen_ty_4 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipResourceDesc__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipResourceDesc {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_RESOURCE_DESC_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_RESOURCE_DESC_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipResourceViewDesc {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_RESOURCE_VIEW_DESC_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipMemcpyKind {
    /// Host-to-Host Copy
    pub const hipMemcpyHostToHost: hipMemcpyKind = hipMemcpyKind(0);
    /// Host-to-Device Copy
    pub const hipMemcpyHostToDevice: hipMemcpyKind = hipMemcpyKind(1);
    /// Device-to-Host Copy
    pub const hipMemcpyDeviceToHost: hipMemcpyKind = hipMemcpyKind(2);
    /// Device-to-Device Copy
    pub const hipMemcpyDeviceToDevice: hipMemcpyKind = hipMemcpyKind(3);
    /// Runtime will automatically determine copy-kind based on virtual addresses.
    pub const hipMemcpyDefault: hipMemcpyKind = hipMemcpyKind(4);
    /// Device-to-Device Copy without using compute units
    pub const hipMemcpyDeviceToDeviceNoCU: hipMemcpyKind = hipMemcpyKind(1024);
}
impl Default for hipPitchedPtr {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipMemcpy3DParms {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_MEMCPY3D {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipFunction_attribute {
    /// The maximum number of threads per block. Depends on function and device.
    pub const HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: hipFunction_attribute = hipFunction_attribute(
        0,
    );
    /// The statically allocated shared memory size in bytes per block required by the function.
    pub const HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: hipFunction_attribute = hipFunction_attribute(
        1,
    );
    /// The user-allocated constant memory by the function in bytes.
    pub const HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: hipFunction_attribute = hipFunction_attribute(
        2,
    );
    /// The local memory usage of each thread by this function in bytes.
    pub const HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: hipFunction_attribute = hipFunction_attribute(
        3,
    );
    /// The number of registers used by each thread of this function.
    pub const HIP_FUNC_ATTRIBUTE_NUM_REGS: hipFunction_attribute = hipFunction_attribute(
        4,
    );
    /// PTX version
    pub const HIP_FUNC_ATTRIBUTE_PTX_VERSION: hipFunction_attribute = hipFunction_attribute(
        5,
    );
    /// Binary version
    pub const HIP_FUNC_ATTRIBUTE_BINARY_VERSION: hipFunction_attribute = hipFunction_attribute(
        6,
    );
    /// Cache mode
    pub const HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA: hipFunction_attribute = hipFunction_attribute(
        7,
    );
    /// The maximum dynamic shared memory per block for this function in bytes.
    pub const HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: hipFunction_attribute = hipFunction_attribute(
        8,
    );
    /// The shared memory carveout preference in percent of the maximum shared memory.
    pub const HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: hipFunction_attribute = hipFunction_attribute(
        9,
    );
    pub const HIP_FUNC_ATTRIBUTE_MAX: hipFunction_attribute = hipFunction_attribute(10);
}
impl hipPointer_attribute {
    /// The context on which a pointer was allocated
    pub const HIP_POINTER_ATTRIBUTE_CONTEXT: hipPointer_attribute = hipPointer_attribute(
        1,
    );
    /// memory type describing the location of a pointer
    pub const HIP_POINTER_ATTRIBUTE_MEMORY_TYPE: hipPointer_attribute = hipPointer_attribute(
        2,
    );
    /// address at which the pointer is allocated on the device
    pub const HIP_POINTER_ATTRIBUTE_DEVICE_POINTER: hipPointer_attribute = hipPointer_attribute(
        3,
    );
    /// address at which the pointer is allocated on the host
    pub const HIP_POINTER_ATTRIBUTE_HOST_POINTER: hipPointer_attribute = hipPointer_attribute(
        4,
    );
    /// A pair of tokens for use with Linux kernel interface
    pub const HIP_POINTER_ATTRIBUTE_P2P_TOKENS: hipPointer_attribute = hipPointer_attribute(
        5,
    );
    /// Synchronize every synchronous memory operation initiated on this region
    pub const HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS: hipPointer_attribute = hipPointer_attribute(
        6,
    );
    /// Unique ID for an allocated memory region
    pub const HIP_POINTER_ATTRIBUTE_BUFFER_ID: hipPointer_attribute = hipPointer_attribute(
        7,
    );
    /// Indicates if the pointer points to managed memory
    pub const HIP_POINTER_ATTRIBUTE_IS_MANAGED: hipPointer_attribute = hipPointer_attribute(
        8,
    );
    /// device ordinal of a device on which a pointer was allocated or registered
    pub const HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL: hipPointer_attribute = hipPointer_attribute(
        9,
    );
    /// if this pointer maps to an allocation that is suitable for hipIpcGetMemHandle
    pub const HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE: hipPointer_attribute = hipPointer_attribute(
        10,
    );
    /// Starting address for this requested pointer
    pub const HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR: hipPointer_attribute = hipPointer_attribute(
        11,
    );
    /// Size of the address range for this requested pointer
    pub const HIP_POINTER_ATTRIBUTE_RANGE_SIZE: hipPointer_attribute = hipPointer_attribute(
        12,
    );
    /// tells if this pointer is in a valid address range that is mapped to a backing allocation
    pub const HIP_POINTER_ATTRIBUTE_MAPPED: hipPointer_attribute = hipPointer_attribute(
        13,
    );
    /// Bitmask of allowed hipmemAllocationHandleType for this allocation @warning This attribute is not supported in HIP
    pub const HIP_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES: hipPointer_attribute = hipPointer_attribute(
        14,
    );
    /// returns if the memory referenced by this pointer can be used with the GPUDirect RDMA API
    pub const HIP_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE: hipPointer_attribute = hipPointer_attribute(
        15,
    );
    /// Returns the access flags the device associated with for the corresponding memory referenced by the ptr
    pub const HIP_POINTER_ATTRIBUTE_ACCESS_FLAGS: hipPointer_attribute = hipPointer_attribute(
        16,
    );
    /// Returns the mempool handle for the allocation if it was allocated from a mempool
    pub const HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: hipPointer_attribute = hipPointer_attribute(
        17,
    );
}
impl hipTextureAddressMode {
    pub const hipAddressModeWrap: hipTextureAddressMode = hipTextureAddressMode(0);
    pub const hipAddressModeClamp: hipTextureAddressMode = hipTextureAddressMode(1);
    pub const hipAddressModeMirror: hipTextureAddressMode = hipTextureAddressMode(2);
    pub const hipAddressModeBorder: hipTextureAddressMode = hipTextureAddressMode(3);
}
impl hipTextureFilterMode {
    pub const hipFilterModePoint: hipTextureFilterMode = hipTextureFilterMode(0);
    pub const hipFilterModeLinear: hipTextureFilterMode = hipTextureFilterMode(1);
}
impl hipTextureReadMode {
    pub const hipReadModeElementType: hipTextureReadMode = hipTextureReadMode(0);
    pub const hipReadModeNormalizedFloat: hipTextureReadMode = hipTextureReadMode(1);
}
impl Default for textureReference {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipTextureDesc {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipSurfaceBoundaryMode {
    pub const hipBoundaryModeZero: hipSurfaceBoundaryMode = hipSurfaceBoundaryMode(0);
    pub const hipBoundaryModeTrap: hipSurfaceBoundaryMode = hipSurfaceBoundaryMode(1);
    pub const hipBoundaryModeClamp: hipSurfaceBoundaryMode = hipSurfaceBoundaryMode(2);
}
impl hipDeviceP2PAttr {
    pub const hipDevP2PAttrPerformanceRank: hipDeviceP2PAttr = hipDeviceP2PAttr(0);
    pub const hipDevP2PAttrAccessSupported: hipDeviceP2PAttr = hipDeviceP2PAttr(1);
    pub const hipDevP2PAttrNativeAtomicSupported: hipDeviceP2PAttr = hipDeviceP2PAttr(2);
    pub const hipDevP2PAttrHipArrayAccessSupported: hipDeviceP2PAttr = hipDeviceP2PAttr(
        3,
    );
}
impl Default for hipIpcMemHandle_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipIpcEventHandle_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipLimit_t {
    /// Limit of stack size in bytes on the current device, per thread. The size is in units of 256 dwords, up to the limit of (128K - 16)
    pub const hipLimitStackSize: hipLimit_t = hipLimit_t(0);
    /// Size limit in bytes of fifo used by printf call on the device. Currently not supported
    pub const hipLimitPrintfFifoSize: hipLimit_t = hipLimit_t(1);
    /// Limit of heap size in bytes on the current device, should be less than the global memory size on the device
    pub const hipLimitMallocHeapSize: hipLimit_t = hipLimit_t(2);
    /// Supported limit range
    pub const hipLimitRange: hipLimit_t = hipLimit_t(3);
}
impl hipStreamBatchMemOpType {
    pub const hipStreamMemOpWaitValue32: hipStreamBatchMemOpType = hipStreamBatchMemOpType(
        1,
    );
    pub const hipStreamMemOpWriteValue32: hipStreamBatchMemOpType = hipStreamBatchMemOpType(
        2,
    );
    pub const hipStreamMemOpWaitValue64: hipStreamBatchMemOpType = hipStreamBatchMemOpType(
        4,
    );
    pub const hipStreamMemOpWriteValue64: hipStreamBatchMemOpType = hipStreamBatchMemOpType(
        5,
    );
    /// Currently not supported
    pub const hipStreamMemOpBarrier: hipStreamBatchMemOpType = hipStreamBatchMemOpType(
        6,
    );
    /// Currently not supported
    pub const hipStreamMemOpFlushRemoteWrites: hipStreamBatchMemOpType = hipStreamBatchMemOpType(
        3,
    );
}
impl Default
for hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipStreamBatchMemOpParams_union_hipStreamMemOpWaitValueParams_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default
for hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipStreamBatchMemOpParams_union_hipStreamMemOpWriteValueParams_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default
for hipStreamBatchMemOpParams_union_hipStreamMemOpFlushRemoteWritesParams_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipStreamBatchMemOpParams_union_hipStreamMemOpMemoryBarrierParams_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipStreamBatchMemOpParams_union {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipBatchMemOpNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipMemoryAdvise {
    /// Data will mostly be read and only occassionally be written to
    pub const hipMemAdviseSetReadMostly: hipMemoryAdvise = hipMemoryAdvise(1);
    /// Undo the effect of hipMemAdviseSetReadMostly
    pub const hipMemAdviseUnsetReadMostly: hipMemoryAdvise = hipMemoryAdvise(2);
    /// Set the preferred location for the data as the specified device
    pub const hipMemAdviseSetPreferredLocation: hipMemoryAdvise = hipMemoryAdvise(3);
    /// Clear the preferred location for the data
    pub const hipMemAdviseUnsetPreferredLocation: hipMemoryAdvise = hipMemoryAdvise(4);
    /// Data will be accessed by the specified device so prevent page faults as much as possible
    pub const hipMemAdviseSetAccessedBy: hipMemoryAdvise = hipMemoryAdvise(5);
    /// Let HIP to decide on the page faulting policy for the specified device
    pub const hipMemAdviseUnsetAccessedBy: hipMemoryAdvise = hipMemoryAdvise(6);
    /// The default memory model is fine-grain. That allows coherent operations between host and device, while executing kernels. The coarse-grain can be used for data that only needs to be coherent at dispatch boundaries for better performance
    pub const hipMemAdviseSetCoarseGrain: hipMemoryAdvise = hipMemoryAdvise(100);
    /// Restores cache coherency policy back to fine-grain
    pub const hipMemAdviseUnsetCoarseGrain: hipMemoryAdvise = hipMemoryAdvise(101);
}
impl hipMemRangeCoherencyMode {
    /// Updates to memory with this attribute can be done coherently from all devices
    pub const hipMemRangeCoherencyModeFineGrain: hipMemRangeCoherencyMode = hipMemRangeCoherencyMode(
        0,
    );
    /// Writes to memory with this attribute can be performed by a single device at a time
    pub const hipMemRangeCoherencyModeCoarseGrain: hipMemRangeCoherencyMode = hipMemRangeCoherencyMode(
        1,
    );
    /// Memory region queried contains subregions with both hipMemRangeCoherencyModeFineGrain and hipMemRangeCoherencyModeCoarseGrain attributes
    pub const hipMemRangeCoherencyModeIndeterminate: hipMemRangeCoherencyMode = hipMemRangeCoherencyMode(
        2,
    );
}
impl hipMemRangeAttribute {
    /// Whether the range will mostly be read and only occassionally be written to
    pub const hipMemRangeAttributeReadMostly: hipMemRangeAttribute = hipMemRangeAttribute(
        1,
    );
    /// The preferred location of the range
    pub const hipMemRangeAttributePreferredLocation: hipMemRangeAttribute = hipMemRangeAttribute(
        2,
    );
    /// Memory range has hipMemAdviseSetAccessedBy set for the specified device
    pub const hipMemRangeAttributeAccessedBy: hipMemRangeAttribute = hipMemRangeAttribute(
        3,
    );
    /// The last location to where the range was prefetched
    pub const hipMemRangeAttributeLastPrefetchLocation: hipMemRangeAttribute = hipMemRangeAttribute(
        4,
    );
    /// Returns coherency mode
    pub const hipMemRangeAttributeCoherencyMode: hipMemRangeAttribute = hipMemRangeAttribute(
        100,
    );
}
impl hipMemPoolAttr {
    /// (value type = int) Allow hipMemAllocAsync to use memory asynchronously freed in another streams as long as a stream ordering dependency of the allocating stream on the free action exists. hip events and null stream interactions can create the required stream ordered dependencies. (default enabled)
    pub const hipMemPoolReuseFollowEventDependencies: hipMemPoolAttr = hipMemPoolAttr(1);
    /// (value type = int) Allow reuse of already completed frees when there is no dependency between the free and allocation. (default enabled)
    pub const hipMemPoolReuseAllowOpportunistic: hipMemPoolAttr = hipMemPoolAttr(2);
    /// (value type = int) Allow hipMemAllocAsync to insert new stream dependencies in order to establish the stream ordering required to reuse a piece of memory released by cuFreeAsync (default enabled).
    pub const hipMemPoolReuseAllowInternalDependencies: hipMemPoolAttr = hipMemPoolAttr(
        3,
    );
    /// (value type = uint64_t) Amount of reserved memory in bytes to hold onto before trying to release memory back to the OS. When more than the release threshold bytes of memory are held by the memory pool, the allocator will try to release memory back to the OS on the next call to stream, event or context synchronize. (default 0)
    pub const hipMemPoolAttrReleaseThreshold: hipMemPoolAttr = hipMemPoolAttr(4);
    /// (value type = uint64_t) Amount of backing memory currently allocated for the mempool.
    pub const hipMemPoolAttrReservedMemCurrent: hipMemPoolAttr = hipMemPoolAttr(5);
    /// (value type = uint64_t) High watermark of backing memory allocated for the mempool since the last time it was reset. High watermark can only be reset to zero.
    pub const hipMemPoolAttrReservedMemHigh: hipMemPoolAttr = hipMemPoolAttr(6);
    /// (value type = uint64_t) Amount of memory from the pool that is currently in use by the application.
    pub const hipMemPoolAttrUsedMemCurrent: hipMemPoolAttr = hipMemPoolAttr(7);
    /// (value type = uint64_t) High watermark of the amount of memory from the pool that was in use by the application since the last time it was reset. High watermark can only be reset to zero.
    pub const hipMemPoolAttrUsedMemHigh: hipMemPoolAttr = hipMemPoolAttr(8);
}
impl hipMemLocationType {
    pub const hipMemLocationTypeInvalid: hipMemLocationType = hipMemLocationType(0);
    /// Device location, thus it's HIP device ID
    pub const hipMemLocationTypeDevice: hipMemLocationType = hipMemLocationType(1);
}
impl Default for hipMemLocation {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipMemAccessFlags {
    /// Default, make the address range not accessible
    pub const hipMemAccessFlagsProtNone: hipMemAccessFlags = hipMemAccessFlags(0);
    /// Set the address range read accessible
    pub const hipMemAccessFlagsProtRead: hipMemAccessFlags = hipMemAccessFlags(1);
    /// Set the address range read-write accessible
    pub const hipMemAccessFlagsProtReadWrite: hipMemAccessFlags = hipMemAccessFlags(3);
}
impl Default for hipMemAccessDesc {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipMemAllocationType {
    pub const hipMemAllocationTypeInvalid: hipMemAllocationType = hipMemAllocationType(
        0,
    );
    /// This allocation type is 'pinned', i.e. cannot migrate from its current location while the application is actively using it
    pub const hipMemAllocationTypePinned: hipMemAllocationType = hipMemAllocationType(1);
    /// This allocation type is 'pinned', i.e. cannot migrate from its current location while the application is actively using it
    pub const hipMemAllocationTypeMax: hipMemAllocationType = hipMemAllocationType(
        2147483647,
    );
}
impl hipMemAllocationHandleType {
    /// Does not allow any export mechanism
    pub const hipMemHandleTypeNone: hipMemAllocationHandleType = hipMemAllocationHandleType(
        0,
    );
    /// Allows a file descriptor for exporting. Permitted only on POSIX systems
    pub const hipMemHandleTypePosixFileDescriptor: hipMemAllocationHandleType = hipMemAllocationHandleType(
        1,
    );
    /// Allows a Win32 NT handle for exporting. (HANDLE)
    pub const hipMemHandleTypeWin32: hipMemAllocationHandleType = hipMemAllocationHandleType(
        2,
    );
    /// Allows a Win32 KMT handle for exporting. (D3DKMT_HANDLE)
    pub const hipMemHandleTypeWin32Kmt: hipMemAllocationHandleType = hipMemAllocationHandleType(
        4,
    );
}
impl Default for hipMemPoolProps {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipMemPoolPtrExportData {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipFuncAttribute {
    pub const hipFuncAttributeMaxDynamicSharedMemorySize: hipFuncAttribute = hipFuncAttribute(
        8,
    );
    pub const hipFuncAttributePreferredSharedMemoryCarveout: hipFuncAttribute = hipFuncAttribute(
        9,
    );
    pub const hipFuncAttributeMax: hipFuncAttribute = hipFuncAttribute(10);
}
impl hipFuncCache_t {
    /// no preference for shared memory or L1 (default)
    pub const hipFuncCachePreferNone: hipFuncCache_t = hipFuncCache_t(0);
    /// prefer larger shared memory and smaller L1 cache
    pub const hipFuncCachePreferShared: hipFuncCache_t = hipFuncCache_t(1);
    /// prefer larger L1 cache and smaller shared memory
    pub const hipFuncCachePreferL1: hipFuncCache_t = hipFuncCache_t(2);
    /// prefer equal size L1 cache and shared memory
    pub const hipFuncCachePreferEqual: hipFuncCache_t = hipFuncCache_t(3);
}
impl hipSharedMemConfig {
    /// The compiler selects a device-specific value for the banking.
    pub const hipSharedMemBankSizeDefault: hipSharedMemConfig = hipSharedMemConfig(0);
    /// Shared mem is banked at 4-bytes intervals and performs best when adjacent threads access data 4 bytes apart.
    pub const hipSharedMemBankSizeFourByte: hipSharedMemConfig = hipSharedMemConfig(1);
    /// Shared mem is banked at 8-byte intervals and performs best when adjacent threads access data 4 bytes apart.
    pub const hipSharedMemBankSizeEightByte: hipSharedMemConfig = hipSharedMemConfig(2);
}
impl Default for hipLaunchParams_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipFunctionLaunchParams_t {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipExternalMemoryHandleType_enum {
    pub const hipExternalMemoryHandleTypeOpaqueFd: hipExternalMemoryHandleType_enum = hipExternalMemoryHandleType_enum(
        1,
    );
    pub const hipExternalMemoryHandleTypeOpaqueWin32: hipExternalMemoryHandleType_enum = hipExternalMemoryHandleType_enum(
        2,
    );
    pub const hipExternalMemoryHandleTypeOpaqueWin32Kmt: hipExternalMemoryHandleType_enum = hipExternalMemoryHandleType_enum(
        3,
    );
    pub const hipExternalMemoryHandleTypeD3D12Heap: hipExternalMemoryHandleType_enum = hipExternalMemoryHandleType_enum(
        4,
    );
    pub const hipExternalMemoryHandleTypeD3D12Resource: hipExternalMemoryHandleType_enum = hipExternalMemoryHandleType_enum(
        5,
    );
    pub const hipExternalMemoryHandleTypeD3D11Resource: hipExternalMemoryHandleType_enum = hipExternalMemoryHandleType_enum(
        6,
    );
    pub const hipExternalMemoryHandleTypeD3D11ResourceKmt: hipExternalMemoryHandleType_enum = hipExternalMemoryHandleType_enum(
        7,
    );
    pub const hipExternalMemoryHandleTypeNvSciBuf: hipExternalMemoryHandleType_enum = hipExternalMemoryHandleType_enum(
        8,
    );
}
impl Default for hipExternalMemoryHandleDesc_st__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalMemoryHandleDesc_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalMemoryHandleDesc_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalMemoryMipmappedArrayDesc_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipExternalSemaphoreHandleType_enum {
    pub const hipExternalSemaphoreHandleTypeOpaqueFd: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        1,
    );
    pub const hipExternalSemaphoreHandleTypeOpaqueWin32: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        2,
    );
    pub const hipExternalSemaphoreHandleTypeOpaqueWin32Kmt: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        3,
    );
    pub const hipExternalSemaphoreHandleTypeD3D12Fence: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        4,
    );
    pub const hipExternalSemaphoreHandleTypeD3D11Fence: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        5,
    );
    pub const hipExternalSemaphoreHandleTypeNvSciSync: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        6,
    );
    pub const hipExternalSemaphoreHandleTypeKeyedMutex: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        7,
    );
    pub const hipExternalSemaphoreHandleTypeKeyedMutexKmt: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        8,
    );
    pub const hipExternalSemaphoreHandleTypeTimelineSemaphoreFd: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        9,
    );
    pub const hipExternalSemaphoreHandleTypeTimelineSemaphoreWin32: hipExternalSemaphoreHandleType_enum = hipExternalSemaphoreHandleType_enum(
        10,
    );
}
impl Default for hipExternalSemaphoreHandleDesc_st__bindgen_ty_1__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreHandleDesc_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreHandleDesc_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreSignalParams_st__bindgen_ty_1__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreSignalParams_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreSignalParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreWaitParams_st__bindgen_ty_1__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreWaitParams_st__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreWaitParams_st {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipGraphicsRegisterFlags {
    pub const hipGraphicsRegisterFlagsNone: hipGraphicsRegisterFlags = hipGraphicsRegisterFlags(
        0,
    );
    /// HIP will not write to this registered resource
    pub const hipGraphicsRegisterFlagsReadOnly: hipGraphicsRegisterFlags = hipGraphicsRegisterFlags(
        1,
    );
    pub const hipGraphicsRegisterFlagsWriteDiscard: hipGraphicsRegisterFlags = hipGraphicsRegisterFlags(
        2,
    );
    /// HIP will bind this resource to a surface
    pub const hipGraphicsRegisterFlagsSurfaceLoadStore: hipGraphicsRegisterFlags = hipGraphicsRegisterFlags(
        4,
    );
    pub const hipGraphicsRegisterFlagsTextureGather: hipGraphicsRegisterFlags = hipGraphicsRegisterFlags(
        8,
    );
}
impl hipGraphNodeType {
    /// GPU kernel node
    pub const hipGraphNodeTypeKernel: hipGraphNodeType = hipGraphNodeType(0);
    /// Memcpy node
    pub const hipGraphNodeTypeMemcpy: hipGraphNodeType = hipGraphNodeType(1);
    /// Memset node
    pub const hipGraphNodeTypeMemset: hipGraphNodeType = hipGraphNodeType(2);
    /// Host (executable) node
    pub const hipGraphNodeTypeHost: hipGraphNodeType = hipGraphNodeType(3);
    /// Node which executes an embedded graph
    pub const hipGraphNodeTypeGraph: hipGraphNodeType = hipGraphNodeType(4);
    /// Empty (no-op) node
    pub const hipGraphNodeTypeEmpty: hipGraphNodeType = hipGraphNodeType(5);
    /// External event wait node
    pub const hipGraphNodeTypeWaitEvent: hipGraphNodeType = hipGraphNodeType(6);
    /// External event record node
    pub const hipGraphNodeTypeEventRecord: hipGraphNodeType = hipGraphNodeType(7);
    /// External Semaphore signal node
    pub const hipGraphNodeTypeExtSemaphoreSignal: hipGraphNodeType = hipGraphNodeType(8);
    /// External Semaphore wait node
    pub const hipGraphNodeTypeExtSemaphoreWait: hipGraphNodeType = hipGraphNodeType(9);
    /// Memory alloc node
    pub const hipGraphNodeTypeMemAlloc: hipGraphNodeType = hipGraphNodeType(10);
    /// Memory free node
    pub const hipGraphNodeTypeMemFree: hipGraphNodeType = hipGraphNodeType(11);
    /// MemcpyFromSymbol node
    pub const hipGraphNodeTypeMemcpyFromSymbol: hipGraphNodeType = hipGraphNodeType(12);
    /// MemcpyToSymbol node
    pub const hipGraphNodeTypeMemcpyToSymbol: hipGraphNodeType = hipGraphNodeType(13);
    /// BatchMemOp node
    pub const hipGraphNodeTypeBatchMemOp: hipGraphNodeType = hipGraphNodeType(14);
    pub const hipGraphNodeTypeCount: hipGraphNodeType = hipGraphNodeType(15);
}
impl Default for hipHostNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipKernelNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipMemsetParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipMemAllocNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipAccessProperty {
    pub const hipAccessPropertyNormal: hipAccessProperty = hipAccessProperty(0);
    pub const hipAccessPropertyStreaming: hipAccessProperty = hipAccessProperty(1);
    pub const hipAccessPropertyPersisting: hipAccessProperty = hipAccessProperty(2);
}
impl Default for hipAccessPolicyWindow {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipLaunchAttributeID {
    /// Valid for Streams, graph nodes, launches
    pub const hipLaunchAttributeAccessPolicyWindow: hipLaunchAttributeID = hipLaunchAttributeID(
        1,
    );
    /// Valid for graph nodes, launches
    pub const hipLaunchAttributeCooperative: hipLaunchAttributeID = hipLaunchAttributeID(
        2,
    );
    /// Valid for graph node, streams, launches
    pub const hipLaunchAttributePriority: hipLaunchAttributeID = hipLaunchAttributeID(8);
}
impl Default for hipLaunchAttributeValue {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for HIP_MEMSET_NODE_PARAMS {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipGraphExecUpdateResult {
    /// The update succeeded
    pub const hipGraphExecUpdateSuccess: hipGraphExecUpdateResult = hipGraphExecUpdateResult(
        0,
    );
    /// The update failed for an unexpected reason which is described in the return value of the function
    pub const hipGraphExecUpdateError: hipGraphExecUpdateResult = hipGraphExecUpdateResult(
        1,
    );
    /// The update failed because the topology changed
    pub const hipGraphExecUpdateErrorTopologyChanged: hipGraphExecUpdateResult = hipGraphExecUpdateResult(
        2,
    );
    /// The update failed because a node type changed
    pub const hipGraphExecUpdateErrorNodeTypeChanged: hipGraphExecUpdateResult = hipGraphExecUpdateResult(
        3,
    );
    pub const hipGraphExecUpdateErrorFunctionChanged: hipGraphExecUpdateResult = hipGraphExecUpdateResult(
        4,
    );
    pub const hipGraphExecUpdateErrorParametersChanged: hipGraphExecUpdateResult = hipGraphExecUpdateResult(
        5,
    );
    pub const hipGraphExecUpdateErrorNotSupported: hipGraphExecUpdateResult = hipGraphExecUpdateResult(
        6,
    );
    pub const hipGraphExecUpdateErrorUnsupportedFunctionChange: hipGraphExecUpdateResult = hipGraphExecUpdateResult(
        7,
    );
}
impl hipStreamCaptureMode {
    pub const hipStreamCaptureModeGlobal: hipStreamCaptureMode = hipStreamCaptureMode(0);
    pub const hipStreamCaptureModeThreadLocal: hipStreamCaptureMode = hipStreamCaptureMode(
        1,
    );
    pub const hipStreamCaptureModeRelaxed: hipStreamCaptureMode = hipStreamCaptureMode(
        2,
    );
}
impl hipStreamCaptureStatus {
    /// Stream is not capturing
    pub const hipStreamCaptureStatusNone: hipStreamCaptureStatus = hipStreamCaptureStatus(
        0,
    );
    /// Stream is actively capturing
    pub const hipStreamCaptureStatusActive: hipStreamCaptureStatus = hipStreamCaptureStatus(
        1,
    );
    /// Stream is part of a capture sequence that has been invalidated, but not terminated
    pub const hipStreamCaptureStatusInvalidated: hipStreamCaptureStatus = hipStreamCaptureStatus(
        2,
    );
}
impl hipStreamUpdateCaptureDependenciesFlags {
    /// Add new nodes to the dependency set
    pub const hipStreamAddCaptureDependencies: hipStreamUpdateCaptureDependenciesFlags = hipStreamUpdateCaptureDependenciesFlags(
        0,
    );
    /// Replace the dependency set with the new nodes
    pub const hipStreamSetCaptureDependencies: hipStreamUpdateCaptureDependenciesFlags = hipStreamUpdateCaptureDependenciesFlags(
        1,
    );
}
impl hipGraphMemAttributeType {
    /// Amount of memory, in bytes, currently associated with graphs
    pub const hipGraphMemAttrUsedMemCurrent: hipGraphMemAttributeType = hipGraphMemAttributeType(
        0,
    );
    /// High watermark of memory, in bytes, associated with graphs since the last time.
    pub const hipGraphMemAttrUsedMemHigh: hipGraphMemAttributeType = hipGraphMemAttributeType(
        1,
    );
    /// Amount of memory, in bytes, currently allocated for graphs.
    pub const hipGraphMemAttrReservedMemCurrent: hipGraphMemAttributeType = hipGraphMemAttributeType(
        2,
    );
    /// High watermark of memory, in bytes, currently allocated for graphs
    pub const hipGraphMemAttrReservedMemHigh: hipGraphMemAttributeType = hipGraphMemAttributeType(
        3,
    );
}
impl hipUserObjectFlags {
    /// Destructor execution is not synchronized.
    pub const hipUserObjectNoDestructorSync: hipUserObjectFlags = hipUserObjectFlags(1);
}
impl hipUserObjectRetainFlags {
    /// Add new reference or retain.
    pub const hipGraphUserObjectMove: hipUserObjectRetainFlags = hipUserObjectRetainFlags(
        1,
    );
}
impl hipGraphInstantiateFlags {
    pub const hipGraphInstantiateFlagAutoFreeOnLaunch: hipGraphInstantiateFlags = hipGraphInstantiateFlags(
        1,
    );
    pub const hipGraphInstantiateFlagUpload: hipGraphInstantiateFlags = hipGraphInstantiateFlags(
        2,
    );
    pub const hipGraphInstantiateFlagDeviceLaunch: hipGraphInstantiateFlags = hipGraphInstantiateFlags(
        4,
    );
    pub const hipGraphInstantiateFlagUseNodePriority: hipGraphInstantiateFlags = hipGraphInstantiateFlags(
        8,
    );
}
impl hipGraphDebugDotFlags {
    pub const hipGraphDebugDotFlagsVerbose: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        1,
    );
    /// Adds hipKernelNodeParams to output
    pub const hipGraphDebugDotFlagsKernelNodeParams: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        4,
    );
    /// Adds hipMemcpy3DParms to output
    pub const hipGraphDebugDotFlagsMemcpyNodeParams: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        8,
    );
    /// Adds hipMemsetParams to output
    pub const hipGraphDebugDotFlagsMemsetNodeParams: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        16,
    );
    /// Adds hipHostNodeParams to output
    pub const hipGraphDebugDotFlagsHostNodeParams: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        32,
    );
    pub const hipGraphDebugDotFlagsEventNodeParams: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        64,
    );
    pub const hipGraphDebugDotFlagsExtSemasSignalNodeParams: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        128,
    );
    pub const hipGraphDebugDotFlagsExtSemasWaitNodeParams: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        256,
    );
    pub const hipGraphDebugDotFlagsKernelNodeAttributes: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        512,
    );
    pub const hipGraphDebugDotFlagsHandles: hipGraphDebugDotFlags = hipGraphDebugDotFlags(
        1024,
    );
}
impl hipGraphInstantiateResult {
    /// Instantiation Success
    pub const hipGraphInstantiateSuccess: hipGraphInstantiateResult = hipGraphInstantiateResult(
        0,
    );
    /// Instantiation failed for an unexpected reason which is described in the return value of the function
    pub const hipGraphInstantiateError: hipGraphInstantiateResult = hipGraphInstantiateResult(
        1,
    );
    /// Instantiation failed due to invalid structure, such as cycles
    pub const hipGraphInstantiateInvalidStructure: hipGraphInstantiateResult = hipGraphInstantiateResult(
        2,
    );
    /// Instantiation for device launch failed because the graph contained an unsupported operation
    pub const hipGraphInstantiateNodeOperationNotSupported: hipGraphInstantiateResult = hipGraphInstantiateResult(
        3,
    );
    /// Instantiation for device launch failed due to the nodes belonging to different contexts
    pub const hipGraphInstantiateMultipleDevicesNotSupported: hipGraphInstantiateResult = hipGraphInstantiateResult(
        4,
    );
}
impl Default for hipGraphInstantiateParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipMemAllocationProp {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreSignalNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipExternalSemaphoreWaitNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipMemAllocationGranularity_flags {
    /// Minimum granularity
    pub const hipMemAllocationGranularityMinimum: hipMemAllocationGranularity_flags = hipMemAllocationGranularity_flags(
        0,
    );
    /// Recommended granularity for performance
    pub const hipMemAllocationGranularityRecommended: hipMemAllocationGranularity_flags = hipMemAllocationGranularity_flags(
        1,
    );
}
impl hipMemHandleType {
    /// Generic handle type
    pub const hipMemHandleTypeGeneric: hipMemHandleType = hipMemHandleType(0);
}
impl hipMemOperationType {
    /// Map operation
    pub const hipMemOperationTypeMap: hipMemOperationType = hipMemOperationType(1);
    /// Unmap operation
    pub const hipMemOperationTypeUnmap: hipMemOperationType = hipMemOperationType(2);
}
impl hipArraySparseSubresourceType {
    /// Sparse level
    pub const hipArraySparseSubresourceTypeSparseLevel: hipArraySparseSubresourceType = hipArraySparseSubresourceType(
        0,
    );
    /// Miptail
    pub const hipArraySparseSubresourceTypeMiptail: hipArraySparseSubresourceType = hipArraySparseSubresourceType(
        1,
    );
}
impl Default for hipArrayMapInfo__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipArrayMapInfo__bindgen_ty_2 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipArrayMapInfo__bindgen_ty_3 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipArrayMapInfo {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipMemcpyNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipChildGraphNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipEventWaitNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipEventRecordNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipMemFreeNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipGraphNodeParams__bindgen_ty_1 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl Default for hipGraphNodeParams {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
impl hipGraphDependencyType {
    pub const hipGraphDependencyTypeDefault: hipGraphDependencyType = hipGraphDependencyType(
        0,
    );
    pub const hipGraphDependencyTypeProgrammatic: hipGraphDependencyType = hipGraphDependencyType(
        1,
    );
}
impl Default for hipDeviceProp_tR0000 {
    fn default() -> Self {
        let mut s = ::core::mem::MaybeUninit::<Self>::uninit();
        unsafe {
            ::core::ptr::write_bytes(s.as_mut_ptr(), 0, 1);
            s.assume_init()
        }
    }
}
pub use self::HIPresourcetype_enum as HIPresourcetype;
pub use self::HIPresourcetype_enum as hipResourcetype;
/// HIP texture address modes
pub use self::HIPaddress_mode_enum as HIPaddress_mode;
/// HIP filter modes
pub use self::HIPfilter_mode_enum as HIPfilter_mode;
/// HIP texture resource view formats
pub use self::HIPresourceViewFormat_enum as HIPresourceViewFormat;
pub use self::hipExternalMemoryHandleType_enum as hipExternalMemoryHandleType;
pub use self::hipExternalSemaphoreHandleType_enum as hipExternalSemaphoreHandleType;
