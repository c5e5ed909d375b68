//! libcuda: the functions that are used, and opening it.

use crate::error::check;
use crate::library::{self, functions};
use cudarc::driver::sys;
use cudarc::driver::sys::{
    CUDA_MEMCPY2D, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent, CUfunction,
    CUfunction_attribute, CUhostFn, CUjit_option, CUmodule, CUoccupancyB2DSize, CUpointer_attribute,
    CUstream, CUstreamCallback, CUuuid,
};
use rocm_sys::hip::hipError_t;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ushort, c_void};
use std::sync::OnceLock;

functions! { Driver, sys: CUresult, check -> hipError_t;
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: *mut c_int);

    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
    fn cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
    fn cuDeviceGetPCIBusId(text: *mut c_char, len: c_int, device: CUdevice);
    fn cuDeviceGetByPCIBusId(device: *mut CUdevice, text: *const c_char);
    fn cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);

    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    fn cuDevicePrimaryCtxReset_v2(device: CUdevice);
    fn cuCtxGetCurrent(context: *mut CUcontext);
    fn cuCtxSetCurrent(context: CUcontext);
    fn cuCtxSynchronize();
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);
    fn cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
    fn cuCtxDisablePeerAccess(peer: CUcontext);

    fn cuMemAlloc_v2(out: *mut CUdeviceptr, size: usize);
    fn cuMemAllocPitch_v2(out: *mut CUdeviceptr, pitch: *mut usize, width: usize, height: usize, element: c_uint);
    fn cuMemFree_v2(address: CUdeviceptr);
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemGetAddressRange_v2(base: *mut CUdeviceptr, size: *mut usize, address: CUdeviceptr);
    fn cuMemHostAlloc(out: *mut *mut c_void, size: usize, flags: c_uint);
    fn cuMemFreeHost(address: *mut c_void);
    fn cuMemHostRegister_v2(address: *mut c_void, size: usize, flags: c_uint);
    fn cuMemHostUnregister(address: *mut c_void);
    fn cuMemHostGetDevicePointer_v2(out: *mut CUdeviceptr, address: *mut c_void, flags: c_uint);
    fn cuMemHostGetFlags(flags: *mut c_uint, address: *mut c_void);
    fn cuPointerGetAttribute(out: *mut c_void, attribute: CUpointer_attribute, address: CUdeviceptr);

    fn cuMemcpy(to: CUdeviceptr, from: CUdeviceptr, size: usize);
    fn cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream);
    fn cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, size: usize);
    fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, size: usize, stream: CUstream);
    fn cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, size: usize);
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, size: usize, stream: CUstream);
    fn cuMemcpyDtoD_v2(to: CUdeviceptr, from: CUdeviceptr, size: usize);
    fn cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, size: usize, stream: CUstream);
    fn cuMemcpyPeer(to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, size: usize);
    fn cuMemcpyPeerAsync(
        to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, size: usize, stream: CUstream,
    );
    fn cuMemcpy2DUnaligned_v2(copy: *const CUDA_MEMCPY2D);
    fn cuMemcpy2DAsync_v2(copy: *const CUDA_MEMCPY2D, stream: CUstream);

    fn cuMemsetD8_v2(to: CUdeviceptr, value: c_uchar, count: usize);
    fn cuMemsetD8Async(to: CUdeviceptr, value: c_uchar, count: usize, stream: CUstream);
    fn cuMemsetD16_v2(to: CUdeviceptr, value: c_ushort, count: usize);
    fn cuMemsetD16Async(to: CUdeviceptr, value: c_ushort, count: usize, stream: CUstream);
    fn cuMemsetD32_v2(to: CUdeviceptr, value: c_uint, count: usize);
    fn cuMemsetD32Async(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
    fn cuMemsetD2D8_v2(to: CUdeviceptr, pitch: usize, value: c_uchar, width: usize, height: usize);
    fn cuMemsetD2D8Async(to: CUdeviceptr, pitch: usize, value: c_uchar, width: usize, height: usize, stream: CUstream);

    fn cuStreamCreateWithPriority(out: *mut CUstream, flags: c_uint, priority: c_int);
    fn cuStreamDestroy_v2(stream: CUstream);
    fn cuStreamSynchronize(stream: CUstream);
    fn cuStreamQuery(stream: CUstream);
    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
    fn cuStreamGetFlags(stream: CUstream, flags: *mut c_uint);
    fn cuStreamGetPriority(stream: CUstream, priority: *mut c_int);
    fn cuStreamGetCtx(stream: CUstream, context: *mut CUcontext);
    fn cuStreamIsCapturing(stream: CUstream, status: *mut sys::CUstreamCaptureStatus);
    fn cuStreamAddCallback(stream: CUstream, callback: CUstreamCallback, data: *mut c_void, flags: c_uint);
    fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void);

    fn cuEventCreate(out: *mut CUevent, flags: c_uint);
    fn cuEventDestroy_v2(event: CUevent);
    fn cuEventRecord(event: CUevent, stream: CUstream);
    fn cuEventQuery(event: CUevent);
    fn cuEventSynchronize(event: CUevent);
    // The name that drivers have before 12.8 too.
    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, stop: CUevent) = cuEventElapsedTime_v2;

    fn cuModuleLoadDataEx(
        out: *mut CUmodule, image: *const c_void, count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void,
    );
    fn cuModuleUnload(module: CUmodule);
    fn cuModuleGetFunction(out: *mut CUfunction, module: CUmodule, name: *const c_char);
    fn cuModuleGetGlobal_v2(address: *mut CUdeviceptr, size: *mut usize, module: CUmodule, name: *const c_char);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    fn cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    fn cuLaunchKernel(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint, stream: CUstream, parameters: *mut *mut c_void, extra: *mut *mut c_void,
    );
    fn cuLaunchCooperativeKernel(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint, stream: CUstream, parameters: *mut *mut c_void,
    );

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: *mut c_int, function: CUfunction, block: c_int, shared: usize, flags: c_uint,
    );
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: *mut c_int, block: *mut c_int, function: CUfunction, shared_of: CUoccupancyB2DSize, shared: usize, limit: c_int,
        flags: c_uint,
    );
}

// Since CUDA 12.4.
functions! { Introspection, sys: CUresult, check -> hipError_t;
    fn cuFuncGetParamInfo(function: CUfunction, index: usize, offset: *mut usize, size: *mut usize);
}

static INTROSPECTION: OnceLock<Option<Introspection>> = OnceLock::new();

/// Functions that older drivers lack.
pub(crate) fn introspection() -> Option<&'static Introspection> {
    INTROSPECTION.get()?.as_ref()
}

/// The opened driver, or why there is none.
pub(crate) fn open() -> Result<&'static Driver, &'static str> {
    static DRIVER: OnceLock<Result<Driver, String>> = OnceLock::new();
    let driver = DRIVER.get_or_init(|| {
        let names = ["libcuda.so.1", "libcuda.so"].map(str::to_owned);
        let advice = "install NVIDIA's driver, or start the container with its GPUs (--gpus all)";
        let library = library::open("the CUDA driver", &names, None, advice)?;
        let driver = Driver::load(&library).map_err(|missing| {
            format!("NVIDIA's driver is too old: libcuda lacks {missing}; install version 525 or newer")
        })?;
        INTROSPECTION.get_or_init(|| Introspection::load(&library).ok());
        // It stays open until the process ends, as the functions above are kept.
        std::mem::forget(library);
        Ok(driver)
    });
    driver.as_ref().map_err(|why| &**why)
}

/// The newest CUDA that the driver serves, as 13000 for 13.0.
pub(crate) fn version() -> Option<c_int> {
    let driver = open().ok()?;
    let mut version = 0;
    // SAFETY: the out-parameter is valid; the function needs no initialisation.
    unsafe { driver.cuDriverGetVersion(&mut version) }.ok()?;
    Some(version)
}
