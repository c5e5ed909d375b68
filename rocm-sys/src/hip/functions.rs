// Made by `cargo xtask bindgen` from the headers of ROCm 6.4 (hip 6.4.43484); do not edit.

use super::*;

crate::api! {
    Hip, Hip;

    /// Internal use only. This API may change in the future Pre-Compiled header for online compilation
    fn __hipGetPCH(pch: *mut *const ::core::ffi::c_char, size: *mut ::core::ffi::c_uint);
    /// Pop configuration of a kernel launch.
    fn __hipPopCallConfiguration(
        gridDim: *mut dim3,
        blockDim: *mut dim3,
        sharedMem: *mut usize,
        stream: *mut hipStream_t,
    ) -> hipError_t;
    /// Push configuration of a kernel launch.
    fn __hipPushCallConfiguration(
        gridDim: dim3,
        blockDim: dim3,
        sharedMem: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// This section describes the callback/Activity of HIP runtime API. / /** Returns HIP API name by ID.
    fn hipApiName(id: u32) -> *const ::core::ffi::c_char;
    /// Create a 3D array memory pointer on the device.
    fn hipArray3DCreate(
        array: *mut hipArray_t,
        pAllocateArray: *const HIP_ARRAY3D_DESCRIPTOR,
    ) -> hipError_t;
    /// Gets a 3D array descriptor
    fn hipArray3DGetDescriptor(
        pArrayDescriptor: *mut HIP_ARRAY3D_DESCRIPTOR,
        array: hipArray_t,
    ) -> hipError_t;
    /// Create an array memory pointer on the device.
    fn hipArrayCreate(
        pHandle: *mut hipArray_t,
        pAllocateArray: *const HIP_ARRAY_DESCRIPTOR,
    ) -> hipError_t;
    /// Destroy an array memory pointer on the device.
    fn hipArrayDestroy(array: hipArray_t) -> hipError_t;
    /// Gets a 1D or 2D array descriptor
    fn hipArrayGetDescriptor(
        pArrayDescriptor: *mut HIP_ARRAY_DESCRIPTOR,
        array: hipArray_t,
    ) -> hipError_t;
    /// Gets info about the specified array
    fn hipArrayGetInfo(
        desc: *mut hipChannelFormatDesc,
        extent: *mut hipExtent,
        flags: *mut ::core::ffi::c_uint,
        array: hipArray_t,
    ) -> hipError_t;
    /// Binds a memory area to a texture \[Deprecated\]
    fn hipBindTexture(
        offset: *mut usize,
        tex: *const textureReference,
        devPtr: *const ::core::ffi::c_void,
        desc: *const hipChannelFormatDesc,
        size: usize,
    ) -> hipError_t;
    /// Binds a 2D memory area to a texture \[Deprecated\]
    fn hipBindTexture2D(
        offset: *mut usize,
        tex: *const textureReference,
        devPtr: *const ::core::ffi::c_void,
        desc: *const hipChannelFormatDesc,
        width: usize,
        height: usize,
        pitch: usize,
    ) -> hipError_t;
    /// Binds a memory area to a texture \[Deprecated\]
    fn hipBindTextureToArray(
        tex: *const textureReference,
        array: hipArray_const_t,
        desc: *const hipChannelFormatDesc,
    ) -> hipError_t;
    /// Binds a mipmapped array to a texture \[Deprecated\]
    fn hipBindTextureToMipmappedArray(
        tex: *const textureReference,
        mipmappedArray: hipMipmappedArray_const_t,
        desc: *const hipChannelFormatDesc,
    ) -> hipError_t;
    /// Device matching properties in the layout of ROCm 5, by the name that ROCm 5 knows.
    fn hipChooseDevice(
        device: *mut ::core::ffi::c_int,
        prop: *const hipDeviceProp_tR0000,
    ) -> hipError_t;
    fn hipChooseDeviceR0000(
        device: *mut ::core::ffi::c_int,
        prop: *const hipDeviceProp_tR0000,
    ) -> hipError_t;
    /// Device which matches hipDeviceProp_t is returned
    fn hipChooseDeviceR0600(
        device: *mut ::core::ffi::c_int,
        prop: *const hipDeviceProp_tR0600,
    ) -> hipError_t;
    /// / /**
    fn hipConfigureCall(
        gridDim: dim3,
        blockDim: dim3,
        sharedMem: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipCreateChannelDesc(
        x: ::core::ffi::c_int,
        y: ::core::ffi::c_int,
        z: ::core::ffi::c_int,
        w: ::core::ffi::c_int,
        f: hipChannelFormatKind,
    ) -> hipChannelFormatDesc;
    /// Create a surface object.
    fn hipCreateSurfaceObject(
        pSurfObject: *mut hipSurfaceObject_t,
        pResDesc: *const hipResourceDesc,
    ) -> hipError_t;
    /// Creates a texture object.
    fn hipCreateTextureObject(
        pTexObject: *mut hipTextureObject_t,
        pResDesc: *const hipResourceDesc,
        pTexDesc: *const hipTextureDesc,
        pResViewDesc: *const hipResourceViewDesc,
    ) -> hipError_t;
    /// Create a context and set it as current/default context
    fn hipCtxCreate(
        ctx: *mut hipCtx_t,
        flags: ::core::ffi::c_uint,
        device: hipDevice_t,
    ) -> hipError_t;
    /// Destroy a HIP context \[Deprecated\]
    fn hipCtxDestroy(ctx: hipCtx_t) -> hipError_t;
    /// Disable direct access from current context's virtual address space to memory allocations physically located on a peer context.Disables direct access to memory allocations in a peer context and unregisters any registered allocations \[Deprecated\]
    fn hipCtxDisablePeerAccess(peerCtx: hipCtx_t) -> hipError_t;
    /// Enables direct access to memory allocations in a peer context \[Deprecated\]
    fn hipCtxEnablePeerAccess(
        peerCtx: hipCtx_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Returns the approximate HIP api version.
    fn hipCtxGetApiVersion(
        ctx: hipCtx_t,
        apiVersion: *mut ::core::ffi::c_int,
    ) -> hipError_t;
    /// Get Cache configuration for a specific function \[Deprecated\]
    fn hipCtxGetCacheConfig(cacheConfig: *mut hipFuncCache_t) -> hipError_t;
    /// Get the handle of the current/ default context \[Deprecated\]
    fn hipCtxGetCurrent(ctx: *mut hipCtx_t) -> hipError_t;
    /// Get the handle of the device associated with current/default context \[Deprecated\]
    fn hipCtxGetDevice(device: *mut hipDevice_t) -> hipError_t;
    /// Return flags used for creating default context \[Deprecated\]
    fn hipCtxGetFlags(flags: *mut ::core::ffi::c_uint) -> hipError_t;
    /// Get Shared memory bank configuration \[Deprecated\]
    fn hipCtxGetSharedMemConfig(pConfig: *mut hipSharedMemConfig) -> hipError_t;
    /// Pop the current/default context and return the popped context \[Deprecated\]
    fn hipCtxPopCurrent(ctx: *mut hipCtx_t) -> hipError_t;
    /// Push the context to be set as current/ default context \[Deprecated\]
    fn hipCtxPushCurrent(ctx: hipCtx_t) -> hipError_t;
    /// Set L1/Shared cache partition \[Deprecated\]
    fn hipCtxSetCacheConfig(cacheConfig: hipFuncCache_t) -> hipError_t;
    /// Set the passed context as current/default \[Deprecated\]
    fn hipCtxSetCurrent(ctx: hipCtx_t) -> hipError_t;
    /// Set Shared memory bank configuration \[Deprecated\]
    fn hipCtxSetSharedMemConfig(config: hipSharedMemConfig) -> hipError_t;
    /// Blocks until the default context has completed all preceding requested tasks \[Deprecated\]
    fn hipCtxSynchronize() -> hipError_t;
    /// Destroys an external memory object.
    fn hipDestroyExternalMemory(extMem: hipExternalMemory_t) -> hipError_t;
    /// Destroys an external semaphore object and releases any references to the underlying resource. Any outstanding signals or waits must have completed before the semaphore is destroyed.
    fn hipDestroyExternalSemaphore(extSem: hipExternalSemaphore_t) -> hipError_t;
    /// Destroy a surface object.
    fn hipDestroySurfaceObject(surfaceObject: hipSurfaceObject_t) -> hipError_t;
    /// Destroys a texture object.
    fn hipDestroyTextureObject(textureObject: hipTextureObject_t) -> hipError_t;
    /// / /**
    fn hipDeviceCanAccessPeer(
        canAccessPeer: *mut ::core::ffi::c_int,
        deviceId: ::core::ffi::c_int,
        peerDeviceId: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Returns the compute capability of the device
    fn hipDeviceComputeCapability(
        major: *mut ::core::ffi::c_int,
        minor: *mut ::core::ffi::c_int,
        device: hipDevice_t,
    ) -> hipError_t;
    /// Disable direct access from current device's virtual address space to memory allocations physically located on a peer device.
    fn hipDeviceDisablePeerAccess(peerDeviceId: ::core::ffi::c_int) -> hipError_t;
    /// Enable direct access from current device's virtual address space to memory allocations physically located on a peer device.
    fn hipDeviceEnablePeerAccess(
        peerDeviceId: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Returns a handle to a compute device
    fn hipDeviceGet(device: *mut hipDevice_t, ordinal: ::core::ffi::c_int) -> hipError_t;
    /// Query for a specific device attribute.
    fn hipDeviceGetAttribute(
        pi: *mut ::core::ffi::c_int,
        attr: hipDeviceAttribute_t,
        deviceId: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Returns a handle to a compute device.
    fn hipDeviceGetByPCIBusId(
        device: *mut ::core::ffi::c_int,
        pciBusId: *const ::core::ffi::c_char,
    ) -> hipError_t;
    /// Get Cache configuration for a specific Device
    fn hipDeviceGetCacheConfig(cacheConfig: *mut hipFuncCache_t) -> hipError_t;
    /// Returns the default memory pool of the specified device
    fn hipDeviceGetDefaultMemPool(
        mem_pool: *mut hipMemPool_t,
        device: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Get the mem attribute for graphs.
    fn hipDeviceGetGraphMemAttribute(
        device: ::core::ffi::c_int,
        attr: hipGraphMemAttributeType,
        value: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Gets resource limits of current device
    fn hipDeviceGetLimit(pValue: *mut usize, limit: hipLimit_t) -> hipError_t;
    /// Gets the current memory pool for the specified device
    fn hipDeviceGetMemPool(
        mem_pool: *mut hipMemPool_t,
        device: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Returns an identifer string for the device.
    fn hipDeviceGetName(
        name: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        device: hipDevice_t,
    ) -> hipError_t;
    /// Returns a value for attribute of link between two devices
    fn hipDeviceGetP2PAttribute(
        value: *mut ::core::ffi::c_int,
        attr: hipDeviceP2PAttr,
        srcDevice: ::core::ffi::c_int,
        dstDevice: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Returns a PCI Bus Id string for the device, overloaded to take int device ID.
    fn hipDeviceGetPCIBusId(
        pciBusId: *mut ::core::ffi::c_char,
        len: ::core::ffi::c_int,
        device: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Returns bank width of shared memory for current device
    fn hipDeviceGetSharedMemConfig(pConfig: *mut hipSharedMemConfig) -> hipError_t;
    /// Returns numerical values that correspond to the least and greatest stream priority.
    fn hipDeviceGetStreamPriorityRange(
        leastPriority: *mut ::core::ffi::c_int,
        greatestPriority: *mut ::core::ffi::c_int,
    ) -> hipError_t;
    /// Returns an UUID for the device.\[BETA\]
    fn hipDeviceGetUuid(uuid: *mut hipUUID, device: hipDevice_t) -> hipError_t;
    /// Free unused memory reserved for graphs on a specific device and return it back to the OS.
    fn hipDeviceGraphMemTrim(device: ::core::ffi::c_int) -> hipError_t;
    /// Get the state of the primary context \[Deprecated\]
    fn hipDevicePrimaryCtxGetState(
        dev: hipDevice_t,
        flags: *mut ::core::ffi::c_uint,
        active: *mut ::core::ffi::c_int,
    ) -> hipError_t;
    /// Release the primary context on the GPU.
    fn hipDevicePrimaryCtxRelease(dev: hipDevice_t) -> hipError_t;
    /// Resets the primary context on the GPU \[Deprecated\]
    fn hipDevicePrimaryCtxReset(dev: hipDevice_t) -> hipError_t;
    /// Retain the primary context on the GPU \[Deprecated\]
    fn hipDevicePrimaryCtxRetain(pctx: *mut hipCtx_t, dev: hipDevice_t) -> hipError_t;
    /// Set flags for the primary context \[Deprecated\]
    fn hipDevicePrimaryCtxSetFlags(
        dev: hipDevice_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// The state of current device is discarded and updated to a fresh state.
    fn hipDeviceReset() -> hipError_t;
    /// Set L1/Shared cache partition.
    fn hipDeviceSetCacheConfig(cacheConfig: hipFuncCache_t) -> hipError_t;
    /// Set the mem attribute for graphs.
    fn hipDeviceSetGraphMemAttribute(
        device: ::core::ffi::c_int,
        attr: hipGraphMemAttributeType,
        value: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Sets resource limits of current device.
    fn hipDeviceSetLimit(limit: hipLimit_t, value: usize) -> hipError_t;
    /// Sets the current memory pool of a device
    fn hipDeviceSetMemPool(
        device: ::core::ffi::c_int,
        mem_pool: hipMemPool_t,
    ) -> hipError_t;
    /// The bank width of shared memory on current device is set
    fn hipDeviceSetSharedMemConfig(config: hipSharedMemConfig) -> hipError_t;
    /// / /**
    fn hipDeviceSynchronize() -> hipError_t;
    /// Returns the total amount of memory on the device.
    fn hipDeviceTotalMem(bytes: *mut usize, device: hipDevice_t) -> hipError_t;
    /// Returns the approximate HIP driver version.
    fn hipDriverGetVersion(driverVersion: *mut ::core::ffi::c_int) -> hipError_t;
    /// Return hip error as text string form.
    fn hipDrvGetErrorName(
        hipError: hipError_t,
        errorString: *mut *const ::core::ffi::c_char,
    ) -> hipError_t;
    /// Return handy text string message to explain the error which occurred
    fn hipDrvGetErrorString(
        hipError: hipError_t,
        errorString: *mut *const ::core::ffi::c_char,
    ) -> hipError_t;
    /// Creates a memory free node and adds it to a graph
    fn hipDrvGraphAddMemFreeNode(
        phGraphNode: *mut hipGraphNode_t,
        hGraph: hipGraph_t,
        dependencies: *const hipGraphNode_t,
        numDependencies: usize,
        dptr: hipDeviceptr_t,
    ) -> hipError_t;
    /// Creates a memcpy node and adds it to a graph.
    fn hipDrvGraphAddMemcpyNode(
        phGraphNode: *mut hipGraphNode_t,
        hGraph: hipGraph_t,
        dependencies: *const hipGraphNode_t,
        numDependencies: usize,
        copyParams: *const HIP_MEMCPY3D,
        ctx: hipCtx_t,
    ) -> hipError_t;
    /// Creates a memset node and adds it to a graph.
    fn hipDrvGraphAddMemsetNode(
        phGraphNode: *mut hipGraphNode_t,
        hGraph: hipGraph_t,
        dependencies: *const hipGraphNode_t,
        numDependencies: usize,
        memsetParams: *const HIP_MEMSET_NODE_PARAMS,
        ctx: hipCtx_t,
    ) -> hipError_t;
    /// Sets the parameters for a memcpy node in the given graphExec.
    fn hipDrvGraphExecMemcpyNodeSetParams(
        hGraphExec: hipGraphExec_t,
        hNode: hipGraphNode_t,
        copyParams: *const HIP_MEMCPY3D,
        ctx: hipCtx_t,
    ) -> hipError_t;
    /// Sets the parameters for a memset node in the given graphExec.
    fn hipDrvGraphExecMemsetNodeSetParams(
        hGraphExec: hipGraphExec_t,
        hNode: hipGraphNode_t,
        memsetParams: *const HIP_MEMSET_NODE_PARAMS,
        ctx: hipCtx_t,
    ) -> hipError_t;
    /// Gets a memcpy node's parameters.
    fn hipDrvGraphMemcpyNodeGetParams(
        hNode: hipGraphNode_t,
        nodeParams: *mut HIP_MEMCPY3D,
    ) -> hipError_t;
    /// Sets a memcpy node's parameters.
    fn hipDrvGraphMemcpyNodeSetParams(
        hNode: hipGraphNode_t,
        nodeParams: *const HIP_MEMCPY3D,
    ) -> hipError_t;
    /// Copies memory for 2D arrays.
    fn hipDrvMemcpy2DUnaligned(pCopy: *const hip_Memcpy2D) -> hipError_t;
    /// Copies data between host and device.
    fn hipDrvMemcpy3D(pCopy: *const HIP_MEMCPY3D) -> hipError_t;
    /// Copies data between host and device asynchronously.
    fn hipDrvMemcpy3DAsync(
        pCopy: *const HIP_MEMCPY3D,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Returns information about the specified pointer.\[BETA\]
    fn hipDrvPointerGetAttributes(
        numAttributes: ::core::ffi::c_uint,
        attributes: *mut hipPointer_attribute,
        data: *mut *mut ::core::ffi::c_void,
        ptr: hipDeviceptr_t,
    ) -> hipError_t;
    /// Create an event
    fn hipEventCreate(event: *mut hipEvent_t) -> hipError_t;
    /// / /**
    fn hipEventCreateWithFlags(
        event: *mut hipEvent_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Destroy the specified event.
    fn hipEventDestroy(event: hipEvent_t) -> hipError_t;
    /// Return the elapsed time between two events.
    fn hipEventElapsedTime(
        ms: *mut f32,
        start: hipEvent_t,
        stop: hipEvent_t,
    ) -> hipError_t;
    /// Query event status
    fn hipEventQuery(event: hipEvent_t) -> hipError_t;
    fn hipEventRecord(event: hipEvent_t, stream: hipStream_t) -> hipError_t;
    /// Record an event in the specified stream.
    fn hipEventRecordWithFlags(
        event: hipEvent_t,
        stream: hipStream_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    fn hipEventRecord_spt(event: hipEvent_t, stream: hipStream_t) -> hipError_t;
    /// Wait for an event to complete.
    fn hipEventSynchronize(event: hipEvent_t) -> hipError_t;
    /// Return last error returned by any HIP runtime API call and resets the stored error code to #hipSuccess
    fn hipExtGetLastError() -> hipError_t;
    /// Returns the link type and hop count between two devices
    fn hipExtGetLinkTypeAndHopCount(
        device1: ::core::ffi::c_int,
        device2: ::core::ffi::c_int,
        linktype: *mut u32,
        hopcount: *mut u32,
    ) -> hipError_t;
    /// Launches kernel from the pointer address, with arguments and shared memory on stream.
    fn hipExtLaunchKernel(
        function_address: *const ::core::ffi::c_void,
        numBlocks: dim3,
        dimBlocks: dim3,
        args: *mut *mut ::core::ffi::c_void,
        sharedMemBytes: usize,
        stream: hipStream_t,
        startEvent: hipEvent_t,
        stopEvent: hipEvent_t,
        flags: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Launches kernels on multiple devices and guarantees all specified kernels are dispatched on respective streams before enqueuing any other work on the specified streams from any other threads
    fn hipExtLaunchMultiKernelMultiDevice(
        launchParamsList: *mut hipLaunchParams,
        numDevices: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Allocate memory on the default accelerator
    fn hipExtMallocWithFlags(
        ptr: *mut *mut ::core::ffi::c_void,
        sizeBytes: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Create an asynchronous stream with the specified CU mask.
    fn hipExtStreamCreateWithCUMask(
        stream: *mut hipStream_t,
        cuMaskSize: u32,
        cuMask: *const u32,
    ) -> hipError_t;
    /// Get CU mask associated with an asynchronous stream
    fn hipExtStreamGetCUMask(
        stream: hipStream_t,
        cuMaskSize: u32,
        cuMask: *mut u32,
    ) -> hipError_t;
    /// Maps a buffer onto an imported memory object.
    fn hipExternalMemoryGetMappedBuffer(
        devPtr: *mut *mut ::core::ffi::c_void,
        extMem: hipExternalMemory_t,
        bufferDesc: *const hipExternalMemoryBufferDesc,
    ) -> hipError_t;
    /// Free memory allocated by the hcc hip memory allocation API. This API performs an implicit hipDeviceSynchronize() call. If pointer is NULL, the hip runtime is initialized and hipSuccess is returned.
    fn hipFree(ptr: *mut ::core::ffi::c_void) -> hipError_t;
    /// Frees an array on the device.
    fn hipFreeArray(array: hipArray_t) -> hipError_t;
    /// Frees memory with stream ordered semantics
    fn hipFreeAsync(
        dev_ptr: *mut ::core::ffi::c_void,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Frees page-locked memory This API performs an implicit hipDeviceSynchronize() call. If pointer is NULL, the hip runtime is initialized and hipSuccess is returned.
    fn hipFreeHost(ptr: *mut ::core::ffi::c_void) -> hipError_t;
    /// Frees a mipmapped array on the device.
    fn hipFreeMipmappedArray(mipmappedArray: hipMipmappedArray_t) -> hipError_t;
    /// Find out a specific attribute for a given function.
    fn hipFuncGetAttribute(
        value: *mut ::core::ffi::c_int,
        attrib: hipFunction_attribute,
        hfunc: hipFunction_t,
    ) -> hipError_t;
    /// Find out attributes for a given function.
    fn hipFuncGetAttributes(
        attr: *mut hipFuncAttributes,
        func: *const ::core::ffi::c_void,
    ) -> hipError_t;
    /// / /**
    fn hipFuncSetAttribute(
        func: *const ::core::ffi::c_void,
        attr: hipFuncAttribute,
        value: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Set Cache configuration for a specific function
    fn hipFuncSetCacheConfig(
        func: *const ::core::ffi::c_void,
        config: hipFuncCache_t,
    ) -> hipError_t;
    /// Set shared memory configuation for a specific function
    fn hipFuncSetSharedMemConfig(
        func: *const ::core::ffi::c_void,
        config: hipSharedMemConfig,
    ) -> hipError_t;
    /// Gets the channel descriptor in an array.
    fn hipGetChannelDesc(
        desc: *mut hipChannelFormatDesc,
        array: hipArray_const_t,
    ) -> hipError_t;
    /// Return the default device id for the calling host thread.
    fn hipGetDevice(deviceId: *mut ::core::ffi::c_int) -> hipError_t;
    /// Return number of compute-capable devices.
    fn hipGetDeviceCount(count: *mut ::core::ffi::c_int) -> hipError_t;
    /// Gets the flags set for current device
    fn hipGetDeviceFlags(flags: *mut ::core::ffi::c_uint) -> hipError_t;
    /// Device properties in the layout of ROCm 5, by the name that ROCm 5 knows.
    fn hipGetDeviceProperties(
        prop: *mut hipDeviceProp_tR0000,
        deviceId: ::core::ffi::c_int,
    ) -> hipError_t;
    fn hipGetDevicePropertiesR0000(
        prop: *mut hipDeviceProp_tR0000,
        device: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Returns device properties.
    fn hipGetDevicePropertiesR0600(
        prop: *mut hipDeviceProp_tR0600,
        deviceId: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Return hip error as text string form.
    fn hipGetErrorName(hip_error: hipError_t) -> *const ::core::ffi::c_char;
    /// Return handy text string message to explain the error which occurred
    fn hipGetErrorString(hipError: hipError_t) -> *const ::core::ffi::c_char;
    /// Gets pointer to device entry function that matches entry function symbolPtr.
    fn hipGetFuncBySymbol(
        functionPtr: *mut hipFunction_t,
        symbolPtr: *const ::core::ffi::c_void,
    ) -> hipError_t;
    /// / /**
    fn hipGetLastError() -> hipError_t;
    /// Gets a mipmap level of a HIP mipmapped array.
    fn hipGetMipmappedArrayLevel(
        levelArray: *mut hipArray_t,
        mipmappedArray: hipMipmappedArray_const_t,
        level: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Gets the pointer of requested HIP driver function.
    fn hipGetProcAddress(
        symbol: *const ::core::ffi::c_char,
        pfn: *mut *mut ::core::ffi::c_void,
        hipVersion: ::core::ffi::c_int,
        flags: u64,
        symbolStatus: *mut hipDriverProcAddressQueryResult,
    ) -> hipError_t;
    /// Returns device ID on the stream.
    fn hipGetStreamDeviceId(stream: hipStream_t) -> ::core::ffi::c_int;
    /// Gets device pointer associated with symbol on the device.
    fn hipGetSymbolAddress(
        devPtr: *mut *mut ::core::ffi::c_void,
        symbol: *const ::core::ffi::c_void,
    ) -> hipError_t;
    /// Gets the size of the given symbol on the device.
    fn hipGetSymbolSize(
        size: *mut usize,
        symbol: *const ::core::ffi::c_void,
    ) -> hipError_t;
    /// Get the offset of the alignment in a texture \[Deprecated\]
    fn hipGetTextureAlignmentOffset(
        offset: *mut usize,
        texref: *const textureReference,
    ) -> hipError_t;
    /// Gets resource descriptor for the texture object.
    fn hipGetTextureObjectResourceDesc(
        pResDesc: *mut hipResourceDesc,
        textureObject: hipTextureObject_t,
    ) -> hipError_t;
    /// Gets resource view descriptor for the texture object.
    fn hipGetTextureObjectResourceViewDesc(
        pResViewDesc: *mut hipResourceViewDesc,
        textureObject: hipTextureObject_t,
    ) -> hipError_t;
    /// Gets texture descriptor for the texture object.
    fn hipGetTextureObjectTextureDesc(
        pTexDesc: *mut hipTextureDesc,
        textureObject: hipTextureObject_t,
    ) -> hipError_t;
    /// Gets the texture reference related with the symbol \[Deprecated\]
    fn hipGetTextureReference(
        texref: *mut *const textureReference,
        symbol: *const ::core::ffi::c_void,
    ) -> hipError_t;
    /// Creates a batch memory operation node and adds it to a graph.\[BETA\]
    fn hipGraphAddBatchMemOpNode(
        phGraphNode: *mut hipGraphNode_t,
        hGraph: hipGraph_t,
        dependencies: *const hipGraphNode_t,
        numDependencies: usize,
        nodeParams: *const hipBatchMemOpNodeParams,
    ) -> hipError_t;
    /// Creates a child graph node and adds it to a graph.
    fn hipGraphAddChildGraphNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        childGraph: hipGraph_t,
    ) -> hipError_t;
    /// Adds dependency edges to a graph.
    fn hipGraphAddDependencies(
        graph: hipGraph_t,
        from: *const hipGraphNode_t,
        to: *const hipGraphNode_t,
        numDependencies: usize,
    ) -> hipError_t;
    /// Creates an empty node and adds it to a graph.
    fn hipGraphAddEmptyNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
    ) -> hipError_t;
    /// Creates an event record node and adds it to a graph.
    fn hipGraphAddEventRecordNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        event: hipEvent_t,
    ) -> hipError_t;
    /// Creates an event wait node and adds it to a graph.
    fn hipGraphAddEventWaitNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        event: hipEvent_t,
    ) -> hipError_t;
    /// Creates a host execution node and adds it to a graph.
    fn hipGraphAddHostNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        pNodeParams: *const hipHostNodeParams,
    ) -> hipError_t;
    /// Creates a kernel execution node and adds it to a graph.
    fn hipGraphAddKernelNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        pNodeParams: *const hipKernelNodeParams,
    ) -> hipError_t;
    /// Creates a memory allocation node and adds it to a graph
    fn hipGraphAddMemAllocNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        pNodeParams: *mut hipMemAllocNodeParams,
    ) -> hipError_t;
    /// Creates a memory free node and adds it to a graph
    fn hipGraphAddMemFreeNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        dev_ptr: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Creates a memcpy node and adds it to a graph.
    fn hipGraphAddMemcpyNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        pCopyParams: *const hipMemcpy3DParms,
    ) -> hipError_t;
    /// Creates a 1D memcpy node and adds it to a graph.
    fn hipGraphAddMemcpyNode1D(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        count: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Creates a memcpy node to copy from a symbol on the device and adds it to a graph.
    fn hipGraphAddMemcpyNodeFromSymbol(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        dst: *mut ::core::ffi::c_void,
        symbol: *const ::core::ffi::c_void,
        count: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Creates a memcpy node to copy to a symbol on the device and adds it to a graph.
    fn hipGraphAddMemcpyNodeToSymbol(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        symbol: *const ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        count: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Creates a memset node and adds it to a graph.
    fn hipGraphAddMemsetNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        pMemsetParams: *const hipMemsetParams,
    ) -> hipError_t;
    /// Creates a kernel execution node and adds it to a graph.
    fn hipGraphAddNode(
        pGraphNode: *mut hipGraphNode_t,
        graph: hipGraph_t,
        pDependencies: *const hipGraphNode_t,
        numDependencies: usize,
        nodeParams: *mut hipGraphNodeParams,
    ) -> hipError_t;
    /// Returns a batch mem op node's parameters.\[BETA\]
    fn hipGraphBatchMemOpNodeGetParams(
        hNode: hipGraphNode_t,
        nodeParams_out: *mut hipBatchMemOpNodeParams,
    ) -> hipError_t;
    /// Sets the batch mem op node's parameters.\[BETA\]
    fn hipGraphBatchMemOpNodeSetParams(
        hNode: hipGraphNode_t,
        nodeParams: *mut hipBatchMemOpNodeParams,
    ) -> hipError_t;
    /// Gets a handle to the embedded graph of a child graph node.
    fn hipGraphChildGraphNodeGetGraph(
        node: hipGraphNode_t,
        pGraph: *mut hipGraph_t,
    ) -> hipError_t;
    /// Clones a graph.
    fn hipGraphClone(
        pGraphClone: *mut hipGraph_t,
        originalGraph: hipGraph_t,
    ) -> hipError_t;
    /// Creates a graph
    fn hipGraphCreate(pGraph: *mut hipGraph_t, flags: ::core::ffi::c_uint) -> hipError_t;
    /// Write a DOT file describing graph structure.
    fn hipGraphDebugDotPrint(
        graph: hipGraph_t,
        path: *const ::core::ffi::c_char,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Destroys a graph
    fn hipGraphDestroy(graph: hipGraph_t) -> hipError_t;
    /// Remove a node from the graph.
    fn hipGraphDestroyNode(node: hipGraphNode_t) -> hipError_t;
    /// Returns the event associated with an event record node.
    fn hipGraphEventRecordNodeGetEvent(
        node: hipGraphNode_t,
        event_out: *mut hipEvent_t,
    ) -> hipError_t;
    /// Sets an event record node's event.
    fn hipGraphEventRecordNodeSetEvent(
        node: hipGraphNode_t,
        event: hipEvent_t,
    ) -> hipError_t;
    /// Returns the event associated with an event wait node.
    fn hipGraphEventWaitNodeGetEvent(
        node: hipGraphNode_t,
        event_out: *mut hipEvent_t,
    ) -> hipError_t;
    /// Sets an event wait node's event.
    fn hipGraphEventWaitNodeSetEvent(
        node: hipGraphNode_t,
        event: hipEvent_t,
    ) -> hipError_t;
    /// Sets the parameters for a batch mem op node in the given graphExec.\[BETA\]
    fn hipGraphExecBatchMemOpNodeSetParams(
        hGraphExec: hipGraphExec_t,
        hNode: hipGraphNode_t,
        nodeParams: *const hipBatchMemOpNodeParams,
    ) -> hipError_t;
    /// Updates node parameters in the child graph node in the given graphExec.
    fn hipGraphExecChildGraphNodeSetParams(
        hGraphExec: hipGraphExec_t,
        node: hipGraphNode_t,
        childGraph: hipGraph_t,
    ) -> hipError_t;
    /// Destroys an executable graph
    fn hipGraphExecDestroy(graphExec: hipGraphExec_t) -> hipError_t;
    /// Sets the event for an event record node in the given graphExec.
    fn hipGraphExecEventRecordNodeSetEvent(
        hGraphExec: hipGraphExec_t,
        hNode: hipGraphNode_t,
        event: hipEvent_t,
    ) -> hipError_t;
    /// Sets the event for an event record node in the given graphExec.
    fn hipGraphExecEventWaitNodeSetEvent(
        hGraphExec: hipGraphExec_t,
        hNode: hipGraphNode_t,
        event: hipEvent_t,
    ) -> hipError_t;
    /// Return the flags of an executable graph.
    fn hipGraphExecGetFlags(
        graphExec: hipGraphExec_t,
        flags: *mut ::core::ffi::c_ulonglong,
    ) -> hipError_t;
    /// Sets the parameters for a host node in the given graphExec.
    fn hipGraphExecHostNodeSetParams(
        hGraphExec: hipGraphExec_t,
        node: hipGraphNode_t,
        pNodeParams: *const hipHostNodeParams,
    ) -> hipError_t;
    /// Sets the parameters for a kernel node in the given graphExec.
    fn hipGraphExecKernelNodeSetParams(
        hGraphExec: hipGraphExec_t,
        node: hipGraphNode_t,
        pNodeParams: *const hipKernelNodeParams,
    ) -> hipError_t;
    /// Sets the parameters of a memcpy node in the given graphExec.
    fn hipGraphExecMemcpyNodeSetParams(
        hGraphExec: hipGraphExec_t,
        node: hipGraphNode_t,
        pNodeParams: *mut hipMemcpy3DParms,
    ) -> hipError_t;
    /// Sets the parameters for a memcpy node in the given graphExec to perform a 1-dimensional copy.
    fn hipGraphExecMemcpyNodeSetParams1D(
        hGraphExec: hipGraphExec_t,
        node: hipGraphNode_t,
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        count: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Sets the parameters for a memcpy node in the given graphExec to copy from a symbol on the * device.
    fn hipGraphExecMemcpyNodeSetParamsFromSymbol(
        hGraphExec: hipGraphExec_t,
        node: hipGraphNode_t,
        dst: *mut ::core::ffi::c_void,
        symbol: *const ::core::ffi::c_void,
        count: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Sets the parameters for a memcpy node in the given graphExec to copy to a symbol on the device.
    fn hipGraphExecMemcpyNodeSetParamsToSymbol(
        hGraphExec: hipGraphExec_t,
        node: hipGraphNode_t,
        symbol: *const ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        count: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Sets the parameters for a memset node in the given graphExec.
    fn hipGraphExecMemsetNodeSetParams(
        hGraphExec: hipGraphExec_t,
        node: hipGraphNode_t,
        pNodeParams: *const hipMemsetParams,
    ) -> hipError_t;
    /// Updates parameters of an executable graph's node.
    fn hipGraphExecNodeSetParams(
        graphExec: hipGraphExec_t,
        node: hipGraphNode_t,
        nodeParams: *mut hipGraphNodeParams,
    ) -> hipError_t;
    /// Check whether an executable graph can be updated with a graph and perform the update if * possible.
    fn hipGraphExecUpdate(
        hGraphExec: hipGraphExec_t,
        hGraph: hipGraph_t,
        hErrorNode_out: *mut hipGraphNode_t,
        updateResult_out: *mut hipGraphExecUpdateResult,
    ) -> hipError_t;
    /// Returns a graph's dependency edges.
    fn hipGraphGetEdges(
        graph: hipGraph_t,
        from: *mut hipGraphNode_t,
        to: *mut hipGraphNode_t,
        numEdges: *mut usize,
    ) -> hipError_t;
    /// Returns a graph's nodes.
    fn hipGraphGetNodes(
        graph: hipGraph_t,
        nodes: *mut hipGraphNode_t,
        numNodes: *mut usize,
    ) -> hipError_t;
    /// Returns a graph's root nodes.
    fn hipGraphGetRootNodes(
        graph: hipGraph_t,
        pRootNodes: *mut hipGraphNode_t,
        pNumRootNodes: *mut usize,
    ) -> hipError_t;
    /// Returns a host node's parameters.
    fn hipGraphHostNodeGetParams(
        node: hipGraphNode_t,
        pNodeParams: *mut hipHostNodeParams,
    ) -> hipError_t;
    /// Sets a host node's parameters.
    fn hipGraphHostNodeSetParams(
        node: hipGraphNode_t,
        pNodeParams: *const hipHostNodeParams,
    ) -> hipError_t;
    /// Creates an executable graph from a graph
    fn hipGraphInstantiate(
        pGraphExec: *mut hipGraphExec_t,
        graph: hipGraph_t,
        pErrorNode: *mut hipGraphNode_t,
        pLogBuffer: *mut ::core::ffi::c_char,
        bufferSize: usize,
    ) -> hipError_t;
    /// Creates an executable graph from a graph.
    fn hipGraphInstantiateWithFlags(
        pGraphExec: *mut hipGraphExec_t,
        graph: hipGraph_t,
        flags: ::core::ffi::c_ulonglong,
    ) -> hipError_t;
    /// Creates an executable graph from a graph.
    fn hipGraphInstantiateWithParams(
        pGraphExec: *mut hipGraphExec_t,
        graph: hipGraph_t,
        instantiateParams: *mut hipGraphInstantiateParams,
    ) -> hipError_t;
    /// Copies attributes from source node to destination node.
    fn hipGraphKernelNodeCopyAttributes(
        hSrc: hipGraphNode_t,
        hDst: hipGraphNode_t,
    ) -> hipError_t;
    /// Gets a node's attribute.
    fn hipGraphKernelNodeGetAttribute(
        hNode: hipGraphNode_t,
        attr: hipLaunchAttributeID,
        value: *mut hipLaunchAttributeValue,
    ) -> hipError_t;
    /// Gets kernel node's parameters.
    fn hipGraphKernelNodeGetParams(
        node: hipGraphNode_t,
        pNodeParams: *mut hipKernelNodeParams,
    ) -> hipError_t;
    /// Sets a node's attribute.
    fn hipGraphKernelNodeSetAttribute(
        hNode: hipGraphNode_t,
        attr: hipLaunchAttributeID,
        value: *const hipLaunchAttributeValue,
    ) -> hipError_t;
    /// Sets a kernel node's parameters.
    fn hipGraphKernelNodeSetParams(
        node: hipGraphNode_t,
        pNodeParams: *const hipKernelNodeParams,
    ) -> hipError_t;
    /// Launches an executable graph in the specified stream.
    fn hipGraphLaunch(graphExec: hipGraphExec_t, stream: hipStream_t) -> hipError_t;
    fn hipGraphLaunch_spt(graphExec: hipGraphExec_t, stream: hipStream_t) -> hipError_t;
    /// Returns parameters for memory allocation node
    fn hipGraphMemAllocNodeGetParams(
        node: hipGraphNode_t,
        pNodeParams: *mut hipMemAllocNodeParams,
    ) -> hipError_t;
    /// Returns parameters for memory free node
    fn hipGraphMemFreeNodeGetParams(
        node: hipGraphNode_t,
        dev_ptr: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Gets a memcpy node's parameters.
    fn hipGraphMemcpyNodeGetParams(
        node: hipGraphNode_t,
        pNodeParams: *mut hipMemcpy3DParms,
    ) -> hipError_t;
    /// Sets a memcpy node's parameters.
    fn hipGraphMemcpyNodeSetParams(
        node: hipGraphNode_t,
        pNodeParams: *const hipMemcpy3DParms,
    ) -> hipError_t;
    /// Sets a memcpy node's parameters to perform a 1-dimensional copy.
    fn hipGraphMemcpyNodeSetParams1D(
        node: hipGraphNode_t,
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        count: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Sets a memcpy node's parameters to copy from a symbol on the device.
    fn hipGraphMemcpyNodeSetParamsFromSymbol(
        node: hipGraphNode_t,
        dst: *mut ::core::ffi::c_void,
        symbol: *const ::core::ffi::c_void,
        count: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Sets a memcpy node's parameters to copy to a symbol on the device.
    fn hipGraphMemcpyNodeSetParamsToSymbol(
        node: hipGraphNode_t,
        symbol: *const ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        count: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Gets a memset node's parameters.
    fn hipGraphMemsetNodeGetParams(
        node: hipGraphNode_t,
        pNodeParams: *mut hipMemsetParams,
    ) -> hipError_t;
    /// Sets a memset node's parameters.
    fn hipGraphMemsetNodeSetParams(
        node: hipGraphNode_t,
        pNodeParams: *const hipMemsetParams,
    ) -> hipError_t;
    /// Finds a cloned version of a node.
    fn hipGraphNodeFindInClone(
        pNode: *mut hipGraphNode_t,
        originalNode: hipGraphNode_t,
        clonedGraph: hipGraph_t,
    ) -> hipError_t;
    /// Returns a node's dependencies.
    fn hipGraphNodeGetDependencies(
        node: hipGraphNode_t,
        pDependencies: *mut hipGraphNode_t,
        pNumDependencies: *mut usize,
    ) -> hipError_t;
    /// Returns a node's dependent nodes.
    fn hipGraphNodeGetDependentNodes(
        node: hipGraphNode_t,
        pDependentNodes: *mut hipGraphNode_t,
        pNumDependentNodes: *mut usize,
    ) -> hipError_t;
    /// Query whether a node in the given graphExec is enabled
    fn hipGraphNodeGetEnabled(
        hGraphExec: hipGraphExec_t,
        hNode: hipGraphNode_t,
        isEnabled: *mut ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Returns a node's type.
    fn hipGraphNodeGetType(
        node: hipGraphNode_t,
        pType: *mut hipGraphNodeType,
    ) -> hipError_t;
    /// Enables or disables the specified node in the given graphExec
    fn hipGraphNodeSetEnabled(
        hGraphExec: hipGraphExec_t,
        hNode: hipGraphNode_t,
        isEnabled: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Updates parameters of a graph's node.
    fn hipGraphNodeSetParams(
        node: hipGraphNode_t,
        nodeParams: *mut hipGraphNodeParams,
    ) -> hipError_t;
    /// Release user object from graphs.
    fn hipGraphReleaseUserObject(
        graph: hipGraph_t,
        object: hipUserObject_t,
        count: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Removes dependency edges from a graph.
    fn hipGraphRemoveDependencies(
        graph: hipGraph_t,
        from: *const hipGraphNode_t,
        to: *const hipGraphNode_t,
        numDependencies: usize,
    ) -> hipError_t;
    /// Retain user object for graphs.
    fn hipGraphRetainUserObject(
        graph: hipGraph_t,
        object: hipUserObject_t,
        count: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Uploads an executable graph to a stream
    fn hipGraphUpload(graphExec: hipGraphExec_t, stream: hipStream_t) -> hipError_t;
    /// Maps a graphics resource for access.
    fn hipGraphicsMapResources(
        count: ::core::ffi::c_int,
        resources: *mut hipGraphicsResource_t,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Gets device accessible address of a graphics resource.
    fn hipGraphicsResourceGetMappedPointer(
        devPtr: *mut *mut ::core::ffi::c_void,
        size: *mut usize,
        resource: hipGraphicsResource_t,
    ) -> hipError_t;
    /// Get an array through which to access a subresource of a mapped graphics resource.
    fn hipGraphicsSubResourceGetMappedArray(
        array: *mut hipArray_t,
        resource: hipGraphicsResource_t,
        arrayIndex: ::core::ffi::c_uint,
        mipLevel: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Unmaps graphics resources.
    fn hipGraphicsUnmapResources(
        count: ::core::ffi::c_int,
        resources: *mut hipGraphicsResource_t,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Unregisters a graphics resource.
    fn hipGraphicsUnregisterResource(resource: hipGraphicsResource_t) -> hipError_t;
    /// Allocate device accessible page locked host memory
    fn hipHostAlloc(
        ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Free memory allocated by the hcc hip host memory allocation API This API performs an implicit hipDeviceSynchronize() call. If pointer is NULL, the hip runtime is initialized and hipSuccess is returned.
    fn hipHostFree(ptr: *mut ::core::ffi::c_void) -> hipError_t;
    /// Get Device pointer from Host Pointer allocated through hipHostMalloc
    fn hipHostGetDevicePointer(
        devPtr: *mut *mut ::core::ffi::c_void,
        hstPtr: *mut ::core::ffi::c_void,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Return flags associated with host pointer
    fn hipHostGetFlags(
        flagsPtr: *mut ::core::ffi::c_uint,
        hostPtr: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Allocates device accessible page locked (pinned) host memory
    fn hipHostMalloc(
        ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Register host memory so it can be accessed from the current device.
    fn hipHostRegister(
        hostPtr: *mut ::core::ffi::c_void,
        sizeBytes: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Un-register host pointer
    fn hipHostUnregister(hostPtr: *mut ::core::ffi::c_void) -> hipError_t;
    /// Imports an external memory object.
    fn hipImportExternalMemory(
        extMem_out: *mut hipExternalMemory_t,
        memHandleDesc: *const hipExternalMemoryHandleDesc,
    ) -> hipError_t;
    /// This section describes the external resource interoperability functions of HIP runtime API.
    fn hipImportExternalSemaphore(
        extSem_out: *mut hipExternalSemaphore_t,
        semHandleDesc: *const hipExternalSemaphoreHandleDesc,
    ) -> hipError_t;
    /// / /**
    fn hipInit(flags: ::core::ffi::c_uint) -> hipError_t;
    /// Close memory mapped with ::hipIpcOpenMemHandle
    fn hipIpcCloseMemHandle(devPtr: *mut ::core::ffi::c_void) -> hipError_t;
    /// Gets an opaque interprocess handle for an event.
    fn hipIpcGetEventHandle(
        handle: *mut hipIpcEventHandle_t,
        event: hipEvent_t,
    ) -> hipError_t;
    /// Gets an interprocess memory handle for an existing device memory allocation.
    fn hipIpcGetMemHandle(
        handle: *mut hipIpcMemHandle_t,
        devPtr: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Opens an interprocess event handle.
    fn hipIpcOpenEventHandle(
        event: *mut hipEvent_t,
        handle: hipIpcEventHandle_t,
    ) -> hipError_t;
    /// Opens an interprocess memory handle exported from another process and returns a device pointer usable in the local process.
    fn hipIpcOpenMemHandle(
        devPtr: *mut *mut ::core::ffi::c_void,
        handle: hipIpcMemHandle_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Returns kernel name reference by function name.
    fn hipKernelNameRef(f: hipFunction_t) -> *const ::core::ffi::c_char;
    /// Retrives kernel for a given host pointer, unless stated otherwise.
    fn hipKernelNameRefByPtr(
        hostFunction: *const ::core::ffi::c_void,
        stream: hipStream_t,
    ) -> *const ::core::ffi::c_char;
    /// Launch a kernel.
    fn hipLaunchByPtr(func: *const ::core::ffi::c_void) -> hipError_t;
    /// Launches kernel f with launch parameters and shared memory on stream with arguments passed to kernelparams or extra, where thread blocks can cooperate and synchronize as they execute.
    fn hipLaunchCooperativeKernel(
        f: *const ::core::ffi::c_void,
        gridDim: dim3,
        blockDimX: dim3,
        kernelParams: *mut *mut ::core::ffi::c_void,
        sharedMemBytes: ::core::ffi::c_uint,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Launches kernels on multiple devices where thread blocks can cooperate and synchronize as they execute.
    fn hipLaunchCooperativeKernelMultiDevice(
        launchParamsList: *mut hipLaunchParams,
        numDevices: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    fn hipLaunchCooperativeKernel_spt(
        f: *const ::core::ffi::c_void,
        gridDim: dim3,
        blockDim: dim3,
        kernelParams: *mut *mut ::core::ffi::c_void,
        sharedMemBytes: u32,
        hStream: hipStream_t,
    ) -> hipError_t;
    /// Enqueues a host function call in a stream.
    fn hipLaunchHostFunc(
        stream: hipStream_t,
        fn_: hipHostFn_t,
        userData: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    fn hipLaunchHostFunc_spt(
        stream: hipStream_t,
        fn_: hipHostFn_t,
        userData: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// C compliant kernel launch API
    fn hipLaunchKernel(
        function_address: *const ::core::ffi::c_void,
        numBlocks: dim3,
        dimBlocks: dim3,
        args: *mut *mut ::core::ffi::c_void,
        sharedMemBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipLaunchKernel_spt(
        function_address: *const ::core::ffi::c_void,
        numBlocks: dim3,
        dimBlocks: dim3,
        args: *mut *mut ::core::ffi::c_void,
        sharedMemBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Completes the linking of the given program.
    fn hipLinkAddData(
        state: hipLinkState_t,
        type_: hipJitInputType,
        data: *mut ::core::ffi::c_void,
        size: usize,
        name: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut hipJitOption,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Adds a file with bit code to be linked with options
    fn hipLinkAddFile(
        state: hipLinkState_t,
        type_: hipJitInputType,
        path: *const ::core::ffi::c_char,
        numOptions: ::core::ffi::c_uint,
        options: *mut hipJitOption,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Completes the linking of the given program.
    fn hipLinkComplete(
        state: hipLinkState_t,
        hipBinOut: *mut *mut ::core::ffi::c_void,
        sizeOut: *mut usize,
    ) -> hipError_t;
    /// Creates the link instance via hip APIs.
    fn hipLinkCreate(
        numOptions: ::core::ffi::c_uint,
        options: *mut hipJitOption,
        optionValues: *mut *mut ::core::ffi::c_void,
        stateOut: *mut hipLinkState_t,
    ) -> hipError_t;
    /// Deletes the link instance via hip APIs.
    fn hipLinkDestroy(state: hipLinkState_t) -> hipError_t;
    /// / /** Allocate memory on the default accelerator
    fn hipMalloc(ptr: *mut *mut ::core::ffi::c_void, size: usize) -> hipError_t;
    /// Create a 3D memory pointer on the device.
    fn hipMalloc3D(pitchedDevPtr: *mut hipPitchedPtr, extent: hipExtent) -> hipError_t;
    /// Allocate an array on the device.
    fn hipMalloc3DArray(
        array: *mut hipArray_t,
        desc: *const hipChannelFormatDesc,
        extent: hipExtent,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Allocate an array on the device.
    fn hipMallocArray(
        array: *mut hipArray_t,
        desc: *const hipChannelFormatDesc,
        width: usize,
        height: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Allocates memory with stream ordered semantics
    fn hipMallocAsync(
        dev_ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Allocates memory from a specified pool with stream ordered semantics.
    fn hipMallocFromPoolAsync(
        dev_ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        mem_pool: hipMemPool_t,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Allocate pinned host memory \[Deprecated\]
    fn hipMallocHost(ptr: *mut *mut ::core::ffi::c_void, size: usize) -> hipError_t;
    /// This section describes the managed memory management functions of HIP runtime API.
    fn hipMallocManaged(
        dev_ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Allocate a mipmapped array on the device.
    fn hipMallocMipmappedArray(
        mipmappedArray: *mut hipMipmappedArray_t,
        desc: *const hipChannelFormatDesc,
        extent: hipExtent,
        numLevels: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Allocates at least width (in bytes) * height bytes of linear memory Padding may occur to ensure alighnment requirements are met for the given row The change in width size due to padding will be returned in *pitch. Currently the alignment is set to 128 bytes
    fn hipMallocPitch(
        ptr: *mut *mut ::core::ffi::c_void,
        pitch: *mut usize,
        width: usize,
        height: usize,
    ) -> hipError_t;
    /// Frees an address range reservation made via hipMemAddressReserve
    fn hipMemAddressFree(devPtr: *mut ::core::ffi::c_void, size: usize) -> hipError_t;
    /// Reserves an address range
    fn hipMemAddressReserve(
        ptr: *mut *mut ::core::ffi::c_void,
        size: usize,
        alignment: usize,
        addr: *mut ::core::ffi::c_void,
        flags: ::core::ffi::c_ulonglong,
    ) -> hipError_t;
    /// Advise about the usage of a given memory range to HIP.
    fn hipMemAdvise(
        dev_ptr: *const ::core::ffi::c_void,
        count: usize,
        advice: hipMemoryAdvise,
        device: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Allocate pinned host memory \[Deprecated\]
    fn hipMemAllocHost(ptr: *mut *mut ::core::ffi::c_void, size: usize) -> hipError_t;
    /// Allocates at least width (in bytes) * height bytes of linear memory Padding may occur to ensure alighnment requirements are met for the given row The change in width size due to padding will be returned in *pitch. Currently the alignment is set to 128 bytes
    fn hipMemAllocPitch(
        dptr: *mut hipDeviceptr_t,
        pitch: *mut usize,
        widthInBytes: usize,
        height: usize,
        elementSizeBytes: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Creates a memory allocation described by the properties and size
    fn hipMemCreate(
        handle: *mut hipMemGenericAllocationHandle_t,
        size: usize,
        prop: *const hipMemAllocationProp,
        flags: ::core::ffi::c_ulonglong,
    ) -> hipError_t;
    /// Exports an allocation to a requested shareable handle type.
    fn hipMemExportToShareableHandle(
        shareableHandle: *mut ::core::ffi::c_void,
        handle: hipMemGenericAllocationHandle_t,
        handleType: hipMemAllocationHandleType,
        flags: ::core::ffi::c_ulonglong,
    ) -> hipError_t;
    /// Get the access flags set for the given location and ptr.
    fn hipMemGetAccess(
        flags: *mut ::core::ffi::c_ulonglong,
        location: *const hipMemLocation,
        ptr: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Get information on memory allocations.
    fn hipMemGetAddressRange(
        pbase: *mut hipDeviceptr_t,
        psize: *mut usize,
        dptr: hipDeviceptr_t,
    ) -> hipError_t;
    /// Calculates either the minimal or recommended granularity.
    fn hipMemGetAllocationGranularity(
        granularity: *mut usize,
        prop: *const hipMemAllocationProp,
        option: hipMemAllocationGranularity_flags,
    ) -> hipError_t;
    /// Retrieve the property structure of the given handle.
    fn hipMemGetAllocationPropertiesFromHandle(
        prop: *mut hipMemAllocationProp,
        handle: hipMemGenericAllocationHandle_t,
    ) -> hipError_t;
    /// Query memory info.
    fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> hipError_t;
    /// Imports an allocation from a requested shareable handle type.
    fn hipMemImportFromShareableHandle(
        handle: *mut hipMemGenericAllocationHandle_t,
        osHandle: *mut ::core::ffi::c_void,
        shHandleType: hipMemAllocationHandleType,
    ) -> hipError_t;
    /// Maps an allocation handle to a reserved virtual address range.
    fn hipMemMap(
        ptr: *mut ::core::ffi::c_void,
        size: usize,
        offset: usize,
        handle: hipMemGenericAllocationHandle_t,
        flags: ::core::ffi::c_ulonglong,
    ) -> hipError_t;
    /// Maps or unmaps subregions of sparse HIP arrays and sparse HIP mipmapped arrays.
    fn hipMemMapArrayAsync(
        mapInfoList: *mut hipArrayMapInfo,
        count: ::core::ffi::c_uint,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Creates a memory pool
    fn hipMemPoolCreate(
        mem_pool: *mut hipMemPool_t,
        pool_props: *const hipMemPoolProps,
    ) -> hipError_t;
    /// Destroys the specified memory pool
    fn hipMemPoolDestroy(mem_pool: hipMemPool_t) -> hipError_t;
    /// Export data to share a memory pool allocation between processes.
    fn hipMemPoolExportPointer(
        export_data: *mut hipMemPoolPtrExportData,
        dev_ptr: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Exports a memory pool to the requested handle type.
    fn hipMemPoolExportToShareableHandle(
        shared_handle: *mut ::core::ffi::c_void,
        mem_pool: hipMemPool_t,
        handle_type: hipMemAllocationHandleType,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Returns the accessibility of a pool from a device
    fn hipMemPoolGetAccess(
        flags: *mut hipMemAccessFlags,
        mem_pool: hipMemPool_t,
        location: *mut hipMemLocation,
    ) -> hipError_t;
    /// Gets attributes of a memory pool
    fn hipMemPoolGetAttribute(
        mem_pool: hipMemPool_t,
        attr: hipMemPoolAttr,
        value: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Imports a memory pool from a shared handle.
    fn hipMemPoolImportFromShareableHandle(
        mem_pool: *mut hipMemPool_t,
        shared_handle: *mut ::core::ffi::c_void,
        handle_type: hipMemAllocationHandleType,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Import a memory pool allocation from another process.
    fn hipMemPoolImportPointer(
        dev_ptr: *mut *mut ::core::ffi::c_void,
        mem_pool: hipMemPool_t,
        export_data: *mut hipMemPoolPtrExportData,
    ) -> hipError_t;
    /// Controls visibility of the specified pool between devices
    fn hipMemPoolSetAccess(
        mem_pool: hipMemPool_t,
        desc_list: *const hipMemAccessDesc,
        count: usize,
    ) -> hipError_t;
    /// Sets attributes of a memory pool
    fn hipMemPoolSetAttribute(
        mem_pool: hipMemPool_t,
        attr: hipMemPoolAttr,
        value: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Releases freed memory back to the OS
    fn hipMemPoolTrimTo(mem_pool: hipMemPool_t, min_bytes_to_hold: usize) -> hipError_t;
    /// Prefetches memory to the specified destination device using HIP.
    fn hipMemPrefetchAsync(
        dev_ptr: *const ::core::ffi::c_void,
        count: usize,
        device: ::core::ffi::c_int,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Get allocated memory size via memory pointer.
    fn hipMemPtrGetInfo(ptr: *mut ::core::ffi::c_void, size: *mut usize) -> hipError_t;
    /// Query an attribute of a given memory range in HIP.
    fn hipMemRangeGetAttribute(
        data: *mut ::core::ffi::c_void,
        data_size: usize,
        attribute: hipMemRangeAttribute,
        dev_ptr: *const ::core::ffi::c_void,
        count: usize,
    ) -> hipError_t;
    /// Query attributes of a given memory range in HIP.
    fn hipMemRangeGetAttributes(
        data: *mut *mut ::core::ffi::c_void,
        data_sizes: *mut usize,
        attributes: *mut hipMemRangeAttribute,
        num_attributes: usize,
        dev_ptr: *const ::core::ffi::c_void,
        count: usize,
    ) -> hipError_t;
    /// Release a memory handle representing a memory allocation which was previously allocated through hipMemCreate.
    fn hipMemRelease(handle: hipMemGenericAllocationHandle_t) -> hipError_t;
    /// Returns the allocation handle of the backing memory allocation given the address.
    fn hipMemRetainAllocationHandle(
        handle: *mut hipMemGenericAllocationHandle_t,
        addr: *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Set the access flags for each location specified in desc for the given virtual address range.
    fn hipMemSetAccess(
        ptr: *mut ::core::ffi::c_void,
        size: usize,
        desc: *const hipMemAccessDesc,
        count: usize,
    ) -> hipError_t;
    /// Unmap memory allocation of a given address range.
    fn hipMemUnmap(ptr: *mut ::core::ffi::c_void, size: usize) -> hipError_t;
    /// Copy data from src to dst.
    fn hipMemcpy(
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data between host and device.
    fn hipMemcpy2D(
        dst: *mut ::core::ffi::c_void,
        dpitch: usize,
        src: *const ::core::ffi::c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data between host and device.
    fn hipMemcpy2DArrayToArray(
        dst: hipArray_t,
        wOffsetDst: usize,
        hOffsetDst: usize,
        src: hipArray_const_t,
        wOffsetSrc: usize,
        hOffsetSrc: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data between host and device.
    fn hipMemcpy2DAsync(
        dst: *mut ::core::ffi::c_void,
        dpitch: usize,
        src: *const ::core::ffi::c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpy2DAsync_spt(
        dst: *mut ::core::ffi::c_void,
        dpitch: usize,
        src: *const ::core::ffi::c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Copies data between host and device.
    fn hipMemcpy2DFromArray(
        dst: *mut ::core::ffi::c_void,
        dpitch: usize,
        src: hipArray_const_t,
        wOffset: usize,
        hOffset: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data between host and device asynchronously.
    fn hipMemcpy2DFromArrayAsync(
        dst: *mut ::core::ffi::c_void,
        dpitch: usize,
        src: hipArray_const_t,
        wOffset: usize,
        hOffset: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpy2DFromArrayAsync_spt(
        dst: *mut ::core::ffi::c_void,
        dpitch: usize,
        src: hipArray_const_t,
        wOffsetSrc: usize,
        hOffsetSrc: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpy2DFromArray_spt(
        dst: *mut ::core::ffi::c_void,
        dpitch: usize,
        src: hipArray_const_t,
        wOffset: usize,
        hOffset: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data between host and device.
    fn hipMemcpy2DToArray(
        dst: hipArray_t,
        wOffset: usize,
        hOffset: usize,
        src: *const ::core::ffi::c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data between host and device.
    fn hipMemcpy2DToArrayAsync(
        dst: hipArray_t,
        wOffset: usize,
        hOffset: usize,
        src: *const ::core::ffi::c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpy2DToArrayAsync_spt(
        dst: hipArray_t,
        wOffset: usize,
        hOffset: usize,
        src: *const ::core::ffi::c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpy2DToArray_spt(
        dst: hipArray_t,
        wOffset: usize,
        hOffset: usize,
        src: *const ::core::ffi::c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    fn hipMemcpy2D_spt(
        dst: *mut ::core::ffi::c_void,
        dpitch: usize,
        src: *const ::core::ffi::c_void,
        spitch: usize,
        width: usize,
        height: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data between host and device.
    fn hipMemcpy3D(p: *const hipMemcpy3DParms) -> hipError_t;
    /// Copies data between host and device asynchronously.
    fn hipMemcpy3DAsync(p: *const hipMemcpy3DParms, stream: hipStream_t) -> hipError_t;
    fn hipMemcpy3DAsync_spt(
        p: *const hipMemcpy3DParms,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpy3D_spt(p: *const hipMemcpy3DParms) -> hipError_t;
    /// Copy data from src to dst asynchronously.
    fn hipMemcpyAsync(
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpyAsync_spt(
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Copies from one 1D array to another.
    fn hipMemcpyAtoA(
        dstArray: hipArray_t,
        dstOffset: usize,
        srcArray: hipArray_t,
        srcOffset: usize,
        ByteCount: usize,
    ) -> hipError_t;
    /// Copies from one 1D array to device memory.
    fn hipMemcpyAtoD(
        dstDevice: hipDeviceptr_t,
        srcArray: hipArray_t,
        srcOffset: usize,
        ByteCount: usize,
    ) -> hipError_t;
    /// Copies data between host and device.
    fn hipMemcpyAtoH(
        dst: *mut ::core::ffi::c_void,
        srcArray: hipArray_t,
        srcOffset: usize,
        count: usize,
    ) -> hipError_t;
    /// Copies from one 1D array to host memory.
    fn hipMemcpyAtoHAsync(
        dstHost: *mut ::core::ffi::c_void,
        srcArray: hipArray_t,
        srcOffset: usize,
        ByteCount: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Copies from device memory to a 1D array.
    fn hipMemcpyDtoA(
        dstArray: hipArray_t,
        dstOffset: usize,
        srcDevice: hipDeviceptr_t,
        ByteCount: usize,
    ) -> hipError_t;
    /// Copy data from Device to Device
    fn hipMemcpyDtoD(
        dst: hipDeviceptr_t,
        src: hipDeviceptr_t,
        sizeBytes: usize,
    ) -> hipError_t;
    /// Copy data from Device to Device asynchronously
    fn hipMemcpyDtoDAsync(
        dst: hipDeviceptr_t,
        src: hipDeviceptr_t,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Copy data from Device to Host
    fn hipMemcpyDtoH(
        dst: *mut ::core::ffi::c_void,
        src: hipDeviceptr_t,
        sizeBytes: usize,
    ) -> hipError_t;
    /// Copy data from Device to Host asynchronously
    fn hipMemcpyDtoHAsync(
        dst: *mut ::core::ffi::c_void,
        src: hipDeviceptr_t,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Copies data between host and device \[Deprecated\]
    fn hipMemcpyFromArray(
        dst: *mut ::core::ffi::c_void,
        srcArray: hipArray_const_t,
        wOffset: usize,
        hOffset: usize,
        count: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    fn hipMemcpyFromArray_spt(
        dst: *mut ::core::ffi::c_void,
        src: hipArray_const_t,
        wOffsetSrc: usize,
        hOffset: usize,
        count: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data from the given symbol on the device.
    fn hipMemcpyFromSymbol(
        dst: *mut ::core::ffi::c_void,
        symbol: *const ::core::ffi::c_void,
        sizeBytes: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data from the given symbol on the device asynchronously.
    fn hipMemcpyFromSymbolAsync(
        dst: *mut ::core::ffi::c_void,
        symbol: *const ::core::ffi::c_void,
        sizeBytes: usize,
        offset: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpyFromSymbolAsync_spt(
        dst: *mut ::core::ffi::c_void,
        symbol: *const ::core::ffi::c_void,
        sizeBytes: usize,
        offset: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpyFromSymbol_spt(
        dst: *mut ::core::ffi::c_void,
        symbol: *const ::core::ffi::c_void,
        sizeBytes: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data between host and device.
    fn hipMemcpyHtoA(
        dstArray: hipArray_t,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        count: usize,
    ) -> hipError_t;
    /// Copies from host memory to a 1D array.
    fn hipMemcpyHtoAAsync(
        dstArray: hipArray_t,
        dstOffset: usize,
        srcHost: *const ::core::ffi::c_void,
        ByteCount: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Copy data from Host to Device
    fn hipMemcpyHtoD(
        dst: hipDeviceptr_t,
        src: *mut ::core::ffi::c_void,
        sizeBytes: usize,
    ) -> hipError_t;
    /// Copy data from Host to Device asynchronously
    fn hipMemcpyHtoDAsync(
        dst: hipDeviceptr_t,
        src: *mut ::core::ffi::c_void,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Copies memory for 2D arrays.
    fn hipMemcpyParam2D(pCopy: *const hip_Memcpy2D) -> hipError_t;
    /// Copies memory for 2D arrays.
    fn hipMemcpyParam2DAsync(
        pCopy: *const hip_Memcpy2D,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Copies memory from one device to memory on another device.
    fn hipMemcpyPeer(
        dst: *mut ::core::ffi::c_void,
        dstDeviceId: ::core::ffi::c_int,
        src: *const ::core::ffi::c_void,
        srcDeviceId: ::core::ffi::c_int,
        sizeBytes: usize,
    ) -> hipError_t;
    /// Copies memory from one device to memory on another device.
    fn hipMemcpyPeerAsync(
        dst: *mut ::core::ffi::c_void,
        dstDeviceId: ::core::ffi::c_int,
        src: *const ::core::ffi::c_void,
        srcDevice: ::core::ffi::c_int,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Copies data between host and device \[Deprecated\]
    fn hipMemcpyToArray(
        dst: hipArray_t,
        wOffset: usize,
        hOffset: usize,
        src: *const ::core::ffi::c_void,
        count: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data to the given symbol on the device. Symbol HIP APIs allow a kernel to define a device-side data symbol which can be accessed on the host side. The symbol can be in __constant or device space. Note that the symbol name needs to be encased in the HIP_SYMBOL macro. This also applies to hipMemcpyFromSymbol, hipGetSymbolAddress, and hipGetSymbolSize. For detailed usage, see the a href="https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_porting_guide.html#memcpytosymbol">memcpyToSymbol example\</a> in the HIP Porting Guide.
    fn hipMemcpyToSymbol(
        symbol: *const ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Copies data to the given symbol on the device asynchronously.
    fn hipMemcpyToSymbolAsync(
        symbol: *const ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        offset: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpyToSymbolAsync_spt(
        symbol: *const ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        offset: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpyToSymbol_spt(
        symbol: *const ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        offset: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Memory copy on the stream. It allows single or multiple devices to do memory copy on single or multiple streams.
    fn hipMemcpyWithStream(
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        kind: hipMemcpyKind,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemcpy_spt(
        dst: *mut ::core::ffi::c_void,
        src: *const ::core::ffi::c_void,
        sizeBytes: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t;
    /// Fills the first sizeBytes bytes of the memory area pointed to by dest with the constant byte value value.
    fn hipMemset(
        dst: *mut ::core::ffi::c_void,
        value: ::core::ffi::c_int,
        sizeBytes: usize,
    ) -> hipError_t;
    /// Fills the memory area pointed to by dst with the constant value.
    fn hipMemset2D(
        dst: *mut ::core::ffi::c_void,
        pitch: usize,
        value: ::core::ffi::c_int,
        width: usize,
        height: usize,
    ) -> hipError_t;
    /// Fills asynchronously the memory area pointed to by dst with the constant value.
    fn hipMemset2DAsync(
        dst: *mut ::core::ffi::c_void,
        pitch: usize,
        value: ::core::ffi::c_int,
        width: usize,
        height: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemset2DAsync_spt(
        dst: *mut ::core::ffi::c_void,
        pitch: usize,
        value: ::core::ffi::c_int,
        width: usize,
        height: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemset2D_spt(
        dst: *mut ::core::ffi::c_void,
        pitch: usize,
        value: ::core::ffi::c_int,
        width: usize,
        height: usize,
    ) -> hipError_t;
    /// Fills synchronously the memory area pointed to by pitchedDevPtr with the constant value.
    fn hipMemset3D(
        pitchedDevPtr: hipPitchedPtr,
        value: ::core::ffi::c_int,
        extent: hipExtent,
    ) -> hipError_t;
    /// Fills asynchronously the memory area pointed to by pitchedDevPtr with the constant value.
    fn hipMemset3DAsync(
        pitchedDevPtr: hipPitchedPtr,
        value: ::core::ffi::c_int,
        extent: hipExtent,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemset3DAsync_spt(
        pitchedDevPtr: hipPitchedPtr,
        value: ::core::ffi::c_int,
        extent: hipExtent,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemset3D_spt(
        pitchedDevPtr: hipPitchedPtr,
        value: ::core::ffi::c_int,
        extent: hipExtent,
    ) -> hipError_t;
    /// Fills the first sizeBytes bytes of the memory area pointed to by dev with the constant byte value value.
    fn hipMemsetAsync(
        dst: *mut ::core::ffi::c_void,
        value: ::core::ffi::c_int,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemsetAsync_spt(
        dst: *mut ::core::ffi::c_void,
        value: ::core::ffi::c_int,
        sizeBytes: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Fills the first sizeBytes bytes of the memory area pointed to by dest with the constant short value value.
    fn hipMemsetD16(
        dest: hipDeviceptr_t,
        value: ::core::ffi::c_ushort,
        count: usize,
    ) -> hipError_t;
    /// Fills the first sizeBytes bytes of the memory area pointed to by dest with the constant short value value.
    fn hipMemsetD16Async(
        dest: hipDeviceptr_t,
        value: ::core::ffi::c_ushort,
        count: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Fills the memory area pointed to by dest with the constant integer value for specified number of times.
    fn hipMemsetD32(
        dest: hipDeviceptr_t,
        value: ::core::ffi::c_int,
        count: usize,
    ) -> hipError_t;
    /// Fills the memory area pointed to by dev with the constant integer value for specified number of times.
    fn hipMemsetD32Async(
        dst: hipDeviceptr_t,
        value: ::core::ffi::c_int,
        count: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Fills the first sizeBytes bytes of the memory area pointed to by dest with the constant byte value value.
    fn hipMemsetD8(
        dest: hipDeviceptr_t,
        value: ::core::ffi::c_uchar,
        count: usize,
    ) -> hipError_t;
    /// Fills the first sizeBytes bytes of the memory area pointed to by dest with the constant byte value value.
    fn hipMemsetD8Async(
        dest: hipDeviceptr_t,
        value: ::core::ffi::c_uchar,
        count: usize,
        stream: hipStream_t,
    ) -> hipError_t;
    fn hipMemset_spt(
        dst: *mut ::core::ffi::c_void,
        value: ::core::ffi::c_int,
        sizeBytes: usize,
    ) -> hipError_t;
    /// Create a mipmapped array.
    fn hipMipmappedArrayCreate(
        pHandle: *mut hipMipmappedArray_t,
        pMipmappedArrayDesc: *mut HIP_ARRAY3D_DESCRIPTOR,
        numMipmapLevels: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Destroy a mipmapped array.
    fn hipMipmappedArrayDestroy(hMipmappedArray: hipMipmappedArray_t) -> hipError_t;
    /// Get a mipmapped array on a mipmapped level.
    fn hipMipmappedArrayGetLevel(
        pLevelArray: *mut hipArray_t,
        hMipMappedArray: hipMipmappedArray_t,
        level: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Function with kname will be extracted if present in module
    fn hipModuleGetFunction(
        function: *mut hipFunction_t,
        module: hipModule_t,
        kname: *const ::core::ffi::c_char,
    ) -> hipError_t;
    /// Returns a global pointer from a module.
    fn hipModuleGetGlobal(
        dptr: *mut hipDeviceptr_t,
        bytes: *mut usize,
        hmod: hipModule_t,
        name: *const ::core::ffi::c_char,
    ) -> hipError_t;
    /// returns the handle of the texture reference with the name from the module.
    fn hipModuleGetTexRef(
        texRef: *mut *mut textureReference,
        hmod: hipModule_t,
        name: *const ::core::ffi::c_char,
    ) -> hipError_t;
    /// */ /** launches kernel f with launch parameters and shared memory on stream with arguments passed to kernelParams, where thread blocks can cooperate and synchronize as they execute
    fn hipModuleLaunchCooperativeKernel(
        f: hipFunction_t,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        stream: hipStream_t,
        kernelParams: *mut *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Launches kernels on multiple devices where thread blocks can cooperate and synchronize as they execute.
    fn hipModuleLaunchCooperativeKernelMultiDevice(
        launchParamsList: *mut hipFunctionLaunchParams,
        numDevices: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// launches kernel f with launch parameters and shared memory on stream with arguments passed to kernelparams or extra
    fn hipModuleLaunchKernel(
        f: hipFunction_t,
        gridDimX: ::core::ffi::c_uint,
        gridDimY: ::core::ffi::c_uint,
        gridDimZ: ::core::ffi::c_uint,
        blockDimX: ::core::ffi::c_uint,
        blockDimY: ::core::ffi::c_uint,
        blockDimZ: ::core::ffi::c_uint,
        sharedMemBytes: ::core::ffi::c_uint,
        stream: hipStream_t,
        kernelParams: *mut *mut ::core::ffi::c_void,
        extra: *mut *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// / /**
    fn hipModuleLoad(
        module: *mut hipModule_t,
        fname: *const ::core::ffi::c_char,
    ) -> hipError_t;
    /// builds module from code object which resides in host memory. Image is pointer to that location.
    fn hipModuleLoadData(
        module: *mut hipModule_t,
        image: *const ::core::ffi::c_void,
    ) -> hipError_t;
    /// builds module from code object which resides in host memory. Image is pointer to that location. Options are not used. hipModuleLoadData is called.
    fn hipModuleLoadDataEx(
        module: *mut hipModule_t,
        image: *const ::core::ffi::c_void,
        numOptions: ::core::ffi::c_uint,
        options: *mut hipJitOption,
        optionValues: *mut *mut ::core::ffi::c_void,
    ) -> hipError_t;
    /// Returns occupancy for a device function.
    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks: *mut ::core::ffi::c_int,
        f: hipFunction_t,
        blockSize: ::core::ffi::c_int,
        dynSharedMemPerBlk: usize,
    ) -> hipError_t;
    /// Returns occupancy for a device function.
    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks: *mut ::core::ffi::c_int,
        f: hipFunction_t,
        blockSize: ::core::ffi::c_int,
        dynSharedMemPerBlk: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// This section describes the occupancy functions of HIP runtime API.
    fn hipModuleOccupancyMaxPotentialBlockSize(
        gridSize: *mut ::core::ffi::c_int,
        blockSize: *mut ::core::ffi::c_int,
        f: hipFunction_t,
        dynSharedMemPerBlk: usize,
        blockSizeLimit: ::core::ffi::c_int,
    ) -> hipError_t;
    /// determine the grid and block sizes to achieves maximum occupancy for a kernel
    fn hipModuleOccupancyMaxPotentialBlockSizeWithFlags(
        gridSize: *mut ::core::ffi::c_int,
        blockSize: *mut ::core::ffi::c_int,
        f: hipFunction_t,
        dynSharedMemPerBlk: usize,
        blockSizeLimit: ::core::ffi::c_int,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Frees the module
    fn hipModuleUnload(module: hipModule_t) -> hipError_t;
    /// Returns occupancy for a device function.
    fn hipOccupancyMaxActiveBlocksPerMultiprocessor(
        numBlocks: *mut ::core::ffi::c_int,
        f: *const ::core::ffi::c_void,
        blockSize: ::core::ffi::c_int,
        dynSharedMemPerBlk: usize,
    ) -> hipError_t;
    /// Returns occupancy for a device function.
    fn hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks: *mut ::core::ffi::c_int,
        f: *const ::core::ffi::c_void,
        blockSize: ::core::ffi::c_int,
        dynSharedMemPerBlk: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// determine the grid and block sizes to achieves maximum occupancy for a kernel
    fn hipOccupancyMaxPotentialBlockSize(
        gridSize: *mut ::core::ffi::c_int,
        blockSize: *mut ::core::ffi::c_int,
        f: *const ::core::ffi::c_void,
        dynSharedMemPerBlk: usize,
        blockSizeLimit: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Return last error returned by any HIP runtime API call.
    fn hipPeekAtLastError() -> hipError_t;
    /// Returns information about the specified pointer.\[BETA\]
    fn hipPointerGetAttribute(
        data: *mut ::core::ffi::c_void,
        attribute: hipPointer_attribute,
        ptr: hipDeviceptr_t,
    ) -> hipError_t;
    /// Returns attributes for the specified pointer
    fn hipPointerGetAttributes(
        attributes: *mut hipPointerAttribute_t,
        ptr: *const ::core::ffi::c_void,
    ) -> hipError_t;
    /// Sets information on the specified pointer.\[BETA\]
    fn hipPointerSetAttribute(
        value: *const ::core::ffi::c_void,
        attribute: hipPointer_attribute,
        ptr: hipDeviceptr_t,
    ) -> hipError_t;
    /// Start recording of profiling information \[Deprecated\] When using this API, start the profiler with profiling disabled. (--startdisabled)
    fn hipProfilerStart() -> hipError_t;
    /// Stop recording of profiling information \[Deprecated\] When using this API, start the profiler with profiling disabled. (--startdisabled)
    fn hipProfilerStop() -> hipError_t;
    /// Returns the approximate HIP Runtime version.
    fn hipRuntimeGetVersion(runtimeVersion: *mut ::core::ffi::c_int) -> hipError_t;
    /// Set default device to be used for subsequent hip API calls from this thread.
    fn hipSetDevice(deviceId: ::core::ffi::c_int) -> hipError_t;
    /// The current device behavior is changed according to the flags passed.
    fn hipSetDeviceFlags(flags: ::core::ffi::c_uint) -> hipError_t;
    /// Set a list of devices that can be used.
    fn hipSetValidDevices(
        device_arr: *mut ::core::ffi::c_int,
        len: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Set a kernel argument.
    fn hipSetupArgument(
        arg: *const ::core::ffi::c_void,
        size: usize,
        offset: usize,
    ) -> hipError_t;
    /// Signals a set of external semaphore objects.
    fn hipSignalExternalSemaphoresAsync(
        extSemArray: *const hipExternalSemaphore_t,
        paramsArray: *const hipExternalSemaphoreSignalParams,
        numExtSems: ::core::ffi::c_uint,
        stream: hipStream_t,
    ) -> hipError_t;
    /// Adds a callback to be called on the host after all currently enqueued items in the stream have completed. For each hipStreamAddCallback call, a callback will be executed exactly once. The callback will block later work in the stream until it is finished.
    fn hipStreamAddCallback(
        stream: hipStream_t,
        callback: hipStreamCallback_t,
        userData: *mut ::core::ffi::c_void,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    fn hipStreamAddCallback_spt(
        stream: hipStream_t,
        callback: hipStreamCallback_t,
        userData: *mut ::core::ffi::c_void,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Attach memory to a stream asynchronously in HIP.
    fn hipStreamAttachMemAsync(
        stream: hipStream_t,
        dev_ptr: *mut ::core::ffi::c_void,
        length: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Enqueues an array of stream memory operations in the stream.\[BETA\]
    fn hipStreamBatchMemOp(
        stream: hipStream_t,
        count: ::core::ffi::c_uint,
        paramArray: *mut hipStreamBatchMemOpParams,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Begins graph capture on a stream.
    fn hipStreamBeginCapture(
        stream: hipStream_t,
        mode: hipStreamCaptureMode,
    ) -> hipError_t;
    /// Begins graph capture on a stream to an existing graph.
    fn hipStreamBeginCaptureToGraph(
        stream: hipStream_t,
        graph: hipGraph_t,
        dependencies: *const hipGraphNode_t,
        dependencyData: *const hipGraphEdgeData,
        numDependencies: usize,
        mode: hipStreamCaptureMode,
    ) -> hipError_t;
    fn hipStreamBeginCapture_spt(
        stream: hipStream_t,
        mode: hipStreamCaptureMode,
    ) -> hipError_t;
    /// Create an asynchronous stream.
    fn hipStreamCreate(stream: *mut hipStream_t) -> hipError_t;
    /// Create an asynchronous stream.
    fn hipStreamCreateWithFlags(
        stream: *mut hipStream_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Create an asynchronous stream with the specified priority.
    fn hipStreamCreateWithPriority(
        stream: *mut hipStream_t,
        flags: ::core::ffi::c_uint,
        priority: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Destroys the specified stream.
    fn hipStreamDestroy(stream: hipStream_t) -> hipError_t;
    /// Ends capture on a stream, returning the captured graph.
    fn hipStreamEndCapture(stream: hipStream_t, pGraph: *mut hipGraph_t) -> hipError_t;
    fn hipStreamEndCapture_spt(
        stream: hipStream_t,
        pGraph: *mut hipGraph_t,
    ) -> hipError_t;
    /// Get capture status of a stream.
    fn hipStreamGetCaptureInfo(
        stream: hipStream_t,
        pCaptureStatus: *mut hipStreamCaptureStatus,
        pId: *mut ::core::ffi::c_ulonglong,
    ) -> hipError_t;
    fn hipStreamGetCaptureInfo_spt(
        stream: hipStream_t,
        pCaptureStatus: *mut hipStreamCaptureStatus,
        pId: *mut ::core::ffi::c_ulonglong,
    ) -> hipError_t;
    /// Get stream's capture state
    fn hipStreamGetCaptureInfo_v2(
        stream: hipStream_t,
        captureStatus_out: *mut hipStreamCaptureStatus,
        id_out: *mut ::core::ffi::c_ulonglong,
        graph_out: *mut hipGraph_t,
        dependencies_out: *mut *const hipGraphNode_t,
        numDependencies_out: *mut usize,
    ) -> hipError_t;
    fn hipStreamGetCaptureInfo_v2_spt(
        stream: hipStream_t,
        captureStatus_out: *mut hipStreamCaptureStatus,
        id_out: *mut ::core::ffi::c_ulonglong,
        graph_out: *mut hipGraph_t,
        dependencies_out: *mut *const hipGraphNode_t,
        numDependencies_out: *mut usize,
    ) -> hipError_t;
    /// Get the device assocaited with the stream
    fn hipStreamGetDevice(stream: hipStream_t, device: *mut hipDevice_t) -> hipError_t;
    /// Return flags associated with this stream.
    fn hipStreamGetFlags(
        stream: hipStream_t,
        flags: *mut ::core::ffi::c_uint,
    ) -> hipError_t;
    fn hipStreamGetFlags_spt(
        stream: hipStream_t,
        flags: *mut ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Query the priority of a stream.
    fn hipStreamGetPriority(
        stream: hipStream_t,
        priority: *mut ::core::ffi::c_int,
    ) -> hipError_t;
    fn hipStreamGetPriority_spt(
        stream: hipStream_t,
        priority: *mut ::core::ffi::c_int,
    ) -> hipError_t;
    /// Get stream's capture state
    fn hipStreamIsCapturing(
        stream: hipStream_t,
        pCaptureStatus: *mut hipStreamCaptureStatus,
    ) -> hipError_t;
    fn hipStreamIsCapturing_spt(
        stream: hipStream_t,
        pCaptureStatus: *mut hipStreamCaptureStatus,
    ) -> hipError_t;
    /// Return #hipSuccess if all of the operations in the specified stream have completed, or #hipErrorNotReady if not.
    fn hipStreamQuery(stream: hipStream_t) -> hipError_t;
    fn hipStreamQuery_spt(stream: hipStream_t) -> hipError_t;
    /// Wait for all commands in stream to complete.
    fn hipStreamSynchronize(stream: hipStream_t) -> hipError_t;
    fn hipStreamSynchronize_spt(stream: hipStream_t) -> hipError_t;
    /// Update the set of dependencies in a capturing stream
    fn hipStreamUpdateCaptureDependencies(
        stream: hipStream_t,
        dependencies: *mut hipGraphNode_t,
        numDependencies: usize,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Make the specified compute stream wait for an event
    fn hipStreamWaitEvent(
        stream: hipStream_t,
        event: hipEvent_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    fn hipStreamWaitEvent_spt(
        stream: hipStream_t,
        event: hipEvent_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Enqueues a wait command to the stream.\[BETA\]
    fn hipStreamWaitValue32(
        stream: hipStream_t,
        ptr: *mut ::core::ffi::c_void,
        value: u32,
        flags: ::core::ffi::c_uint,
        mask: u32,
    ) -> hipError_t;
    /// Enqueues a wait command to the stream.\[BETA\]
    fn hipStreamWaitValue64(
        stream: hipStream_t,
        ptr: *mut ::core::ffi::c_void,
        value: u64,
        flags: ::core::ffi::c_uint,
        mask: u64,
    ) -> hipError_t;
    /// Enqueues a write command to the stream.\[BETA\]
    fn hipStreamWriteValue32(
        stream: hipStream_t,
        ptr: *mut ::core::ffi::c_void,
        value: u32,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Enqueues a write command to the stream.\[BETA\]
    fn hipStreamWriteValue64(
        stream: hipStream_t,
        ptr: *mut ::core::ffi::c_void,
        value: u64,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Creates a texture object.
    fn hipTexObjectCreate(
        pTexObject: *mut hipTextureObject_t,
        pResDesc: *const HIP_RESOURCE_DESC,
        pTexDesc: *const HIP_TEXTURE_DESC,
        pResViewDesc: *const HIP_RESOURCE_VIEW_DESC,
    ) -> hipError_t;
    /// Destroys a texture object.
    fn hipTexObjectDestroy(texObject: hipTextureObject_t) -> hipError_t;
    /// Gets resource descriptor of a texture object.
    fn hipTexObjectGetResourceDesc(
        pResDesc: *mut HIP_RESOURCE_DESC,
        texObject: hipTextureObject_t,
    ) -> hipError_t;
    /// Gets resource view descriptor of a texture object.
    fn hipTexObjectGetResourceViewDesc(
        pResViewDesc: *mut HIP_RESOURCE_VIEW_DESC,
        texObject: hipTextureObject_t,
    ) -> hipError_t;
    /// Gets texture descriptor of a texture object.
    fn hipTexObjectGetTextureDesc(
        pTexDesc: *mut HIP_TEXTURE_DESC,
        texObject: hipTextureObject_t,
    ) -> hipError_t;
    /// Gets the address for a texture reference \[Deprecated\]
    fn hipTexRefGetAddress(
        dev_ptr: *mut hipDeviceptr_t,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets the address mode for a texture reference \[Deprecated\]
    fn hipTexRefGetAddressMode(
        pam: *mut hipTextureAddressMode,
        texRef: *const textureReference,
        dim: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Gets the array bound to a texture reference \[Deprecated\]
    fn hipTexRefGetArray(
        pArray: *mut hipArray_t,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets the border color used by a texture reference \[Deprecated\]
    fn hipTexRefGetBorderColor(
        pBorderColor: *mut f32,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets filter mode for a texture reference \[Deprecated\]
    fn hipTexRefGetFilterMode(
        pfm: *mut hipTextureFilterMode,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets flags for a texture reference \[Deprecated\]
    fn hipTexRefGetFlags(
        pFlags: *mut ::core::ffi::c_uint,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets texture format for a texture reference \[Deprecated\]
    fn hipTexRefGetFormat(
        pFormat: *mut hipArray_Format,
        pNumChannels: *mut ::core::ffi::c_int,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets the maximum anisotropy for a texture reference \[Deprecated\]
    fn hipTexRefGetMaxAnisotropy(
        pmaxAnsio: *mut ::core::ffi::c_int,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets the mipmapped array bound to a texture reference \[Deprecated\]
    fn hipTexRefGetMipMappedArray(
        pArray: *mut hipMipmappedArray_t,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets the mipmap filter mode for a texture reference \[Deprecated\]
    fn hipTexRefGetMipmapFilterMode(
        pfm: *mut hipTextureFilterMode,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets the mipmap level bias for a texture reference \[Deprecated\]
    fn hipTexRefGetMipmapLevelBias(
        pbias: *mut f32,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Gets the minimum and maximum mipmap level clamps for a texture reference \[Deprecated\]
    fn hipTexRefGetMipmapLevelClamp(
        pminMipmapLevelClamp: *mut f32,
        pmaxMipmapLevelClamp: *mut f32,
        texRef: *const textureReference,
    ) -> hipError_t;
    /// Sets an bound address for a texture reference \[Deprecated\]
    fn hipTexRefSetAddress(
        ByteOffset: *mut usize,
        texRef: *mut textureReference,
        dptr: hipDeviceptr_t,
        bytes: usize,
    ) -> hipError_t;
    /// Set a bind an address as a 2D texture reference \[Deprecated\]
    fn hipTexRefSetAddress2D(
        texRef: *mut textureReference,
        desc: *const HIP_ARRAY_DESCRIPTOR,
        dptr: hipDeviceptr_t,
        Pitch: usize,
    ) -> hipError_t;
    /// Sets address mode for a texture reference \[Deprecated\]
    fn hipTexRefSetAddressMode(
        texRef: *mut textureReference,
        dim: ::core::ffi::c_int,
        am: hipTextureAddressMode,
    ) -> hipError_t;
    /// Binds an array as a texture reference \[Deprecated\]
    fn hipTexRefSetArray(
        tex: *mut textureReference,
        array: hipArray_const_t,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Sets border color for a texture reference \[Deprecated\]
    fn hipTexRefSetBorderColor(
        texRef: *mut textureReference,
        pBorderColor: *mut f32,
    ) -> hipError_t;
    /// Set filter mode for a texture reference \[Deprecated\]
    fn hipTexRefSetFilterMode(
        texRef: *mut textureReference,
        fm: hipTextureFilterMode,
    ) -> hipError_t;
    /// Set flags for a texture reference \[Deprecated\]
    fn hipTexRefSetFlags(
        texRef: *mut textureReference,
        Flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Set format for a texture reference \[Deprecated\]
    fn hipTexRefSetFormat(
        texRef: *mut textureReference,
        fmt: hipArray_Format,
        NumPackedComponents: ::core::ffi::c_int,
    ) -> hipError_t;
    /// Sets the maximum anisotropy for a texture reference \[Deprecated\]
    fn hipTexRefSetMaxAnisotropy(
        texRef: *mut textureReference,
        maxAniso: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Sets mipmap filter mode for a texture reference \[Deprecated\]
    fn hipTexRefSetMipmapFilterMode(
        texRef: *mut textureReference,
        fm: hipTextureFilterMode,
    ) -> hipError_t;
    /// Sets mipmap level bias for a texture reference \[Deprecated\]
    fn hipTexRefSetMipmapLevelBias(
        texRef: *mut textureReference,
        bias: f32,
    ) -> hipError_t;
    /// Sets mipmap level clamp for a texture reference \[Deprecated\]
    fn hipTexRefSetMipmapLevelClamp(
        texRef: *mut textureReference,
        minMipMapLevelClamp: f32,
        maxMipMapLevelClamp: f32,
    ) -> hipError_t;
    /// Binds mipmapped array to a texture reference \[Deprecated\]
    fn hipTexRefSetMipmappedArray(
        texRef: *mut textureReference,
        mipmappedArray: *mut hipMipmappedArray,
        Flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Swaps the stream capture mode of a thread.
    fn hipThreadExchangeStreamCaptureMode(mode: *mut hipStreamCaptureMode) -> hipError_t;
    /// Unbinds a texture \[Deprecated\]
    fn hipUnbindTexture(tex: *const textureReference) -> hipError_t;
    /// Create an instance of userObject to manage lifetime of a resource.
    fn hipUserObjectCreate(
        object_out: *mut hipUserObject_t,
        ptr: *mut ::core::ffi::c_void,
        destroy: hipHostFn_t,
        initialRefcount: ::core::ffi::c_uint,
        flags: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Release number of references to resource.
    fn hipUserObjectRelease(
        object: hipUserObject_t,
        count: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Retain number of references to resource.
    fn hipUserObjectRetain(
        object: hipUserObject_t,
        count: ::core::ffi::c_uint,
    ) -> hipError_t;
    /// Waits on a set of external semaphore objects
    fn hipWaitExternalSemaphoresAsync(
        extSemArray: *const hipExternalSemaphore_t,
        paramsArray: *const hipExternalSemaphoreWaitParams,
        numExtSems: ::core::ffi::c_uint,
        stream: hipStream_t,
    ) -> hipError_t;
}
