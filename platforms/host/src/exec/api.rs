//! HIP's functions for modules and launches.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock, RwLockWriteGuard};

use rocm_sys::hip::*;

use super::blob::{self, Blob};
use super::launch::{Arguments, Launch};
use super::module::Module;
use super::runner::MAX_THREADS;
use super::sanitize::Sanitizer;
use crate::exports::export;
use crate::hiprtc::compiler;
use crate::runtime::error::write;
use crate::runtime::{device, fault, stream};

/// The most dynamic shared memory that a launch may ask for.
const MAX_SHARED: u32 = 64 << 10;

/// Everything that handles refer to. Handles are never used again, so that those of an unloaded module are known as
/// such.
#[derive(Default)]
struct Handles {
    modules: HashMap<usize, LoadedModule>,
    functions: HashMap<usize, Function>,
}

struct LoadedModule {
    module: Arc<Module>,
    /// The handles of its kernels that were asked for, by their place in the module.
    functions: HashMap<usize, usize>,
}

#[derive(Clone)]
pub(super) struct Function {
    pub(super) module: Arc<Module>,
    pub(super) kernel: usize,
}

static HANDLES: LazyLock<RwLock<Handles>> = LazyLock::new(RwLock::default);

fn handles() -> RwLockWriteGuard<'static, Handles> {
    HANDLES.write().unwrap_or_else(PoisonError::into_inner)
}

fn new_handle() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0x4d4f_0000_0000_0000);
    NEXT.fetch_add(16, Ordering::Relaxed)
}

pub(super) fn function(handle: usize) -> Result<Function, hipError_t> {
    let handles = HANDLES.read().unwrap_or_else(PoisonError::into_inner);
    handles.functions.get(&handle).cloned().ok_or(hipError_t::hipErrorInvalidHandle)
}

/// Loads a module for the current device.
pub(super) fn load(blob: Option<Blob>) -> Result<hipModule_t, hipError_t> {
    let device = device::current();
    device.check()?;
    let blob = blob.ok_or(hipError_t::hipErrorInvalidImage)?;
    let unfit = if blob.wave != 0 && blob.wave != device.wavefront {
        Some(format!("made for host-wave{}, but the device is host-wave{}", blob.wave, device.wavefront))
    } else if blob.needs_v3 && !compiler::has_v3() {
        Some("made for a CPU with AVX2, which this one does not have".to_owned())
    } else if blob.sanitizer != Sanitizer::active() {
        let name = |kind: Option<Sanitizer>| kind.map_or("none", Sanitizer::name);
        Some(format!(
            "made for CANDLE_ROCM_HOST_SANITIZE={}, but this process has {}",
            name(blob.sanitizer),
            name(Sanitizer::active())
        ))
    } else {
        Sanitizer::active().and_then(|sanitizer| sanitizer.check_process().err())
    };
    if let Some(why) = unfit {
        fault::report(format!("a module cannot be loaded: {why}"));
        return Err(hipError_t::hipErrorNoBinaryForGpu);
    }
    let module = Module::load(blob.object, device).map_err(|why| {
        fault::report(format!("a module cannot be loaded: {why}"));
        hipError_t::hipErrorInvalidImage
    })?;
    let handle = new_handle();
    handles().modules.insert(handle, LoadedModule { module: Arc::new(module), functions: HashMap::new() });
    Ok(handle as hipModule_t)
}

/// # Safety
/// `text` is null or a C string.
unsafe fn string<'a>(text: *const c_char) -> Result<&'a CStr, hipError_t> {
    if text.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: not null, so the caller vouches for it.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// Takes the arguments of a launch from either of the two forms in which HIP accepts them.
///
/// # Safety
/// The pointers are as HIP wants them: `parameters` has an address per parameter, or `extra` is a list of
/// `HIP_LAUNCH_PARAM_...`.
unsafe fn arguments(
    function: &Function,
    parameters: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Arguments, hipError_t> {
    const BUFFER_POINTER: usize = 1;
    const BUFFER_SIZE: usize = 2;
    const END: usize = 3;
    let kernel = &function.module.kernels[function.kernel];
    if !parameters.is_null() {
        if !extra.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        // SAFETY: as many addresses as parameters, each of a value of that parameter's size.
        return Ok(unsafe { Arguments::copy(kernel, |index, _| (*parameters.add(index)).cast()) });
    }
    if kernel.parameters.is_empty() {
        // SAFETY: there is nothing to copy.
        return Ok(unsafe { Arguments::copy(kernel, |_, _| std::ptr::null()) });
    }
    if extra.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let (mut buffer, mut size) = (std::ptr::null::<u8>(), 0usize);
    let mut index = 0;
    // SAFETY: pairs of a key and a value, up to the key that ends the list.
    unsafe {
        while *extra.add(index) as usize != END {
            match *extra.add(index) as usize {
                BUFFER_POINTER => buffer = (*extra.add(index + 1)).cast(),
                BUFFER_SIZE => size = *(*extra.add(index + 1)).cast::<usize>(),
                _ => return Err(hipError_t::hipErrorInvalidValue),
            }
            index += 2;
        }
    }
    if buffer.is_null() || size < kernel.arguments_size() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    // SAFETY: the buffer has all parameters at their offsets.
    Ok(unsafe { Arguments::copy(kernel, |_, offset| buffer.add(offset)) })
}

/// What a GPU's driver checks before it queues a launch.
fn check(grid: [c_uint; 3], block: [c_uint; 3], shared_bytes: c_uint) -> Result<(), hipError_t> {
    let fits = block.iter().all(|size| (1..=MAX_THREADS).contains(size))
        && block.iter().product::<u32>() <= MAX_THREADS
        && grid.iter().all(|&size| size > 0)
        && grid[0] <= c_uint::MAX >> 1
        && grid[1] <= 0xffff
        && grid[2] <= 0xffff
        // A GPU counts threads per dimension in 32 bits.
        && grid.iter().zip(block).all(|(&grid, block)| grid.checked_mul(block).is_some())
        && shared_bytes <= MAX_SHARED;
    if fits { Ok(()) } else { Err(hipError_t::hipErrorInvalidConfiguration) }
}

fn active_blocks(threads: c_int, shared_bytes: usize) -> Result<c_int, hipError_t> {
    if threads <= 0 || threads as u32 > MAX_THREADS {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    if shared_bytes > MAX_SHARED as usize {
        return Ok(0);
    }
    let by_threads = 2048 / threads;
    let by_memory = MAX_SHARED.checked_div(shared_bytes as u32).map_or(c_int::MAX, |count| count as c_int);
    Ok(by_threads.min(by_memory).min(32))
}

export! {
    hip => EXPORTS;

    /// Loads a module from a file.
    fn hipModuleLoad(module: *mut hipModule_t, name: *const c_char) -> hipError_t {
        // SAFETY: the caller's string.
        let name = unsafe { string(name)? };
        if module.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let path = std::path::PathBuf::from(name.to_string_lossy().into_owned());
        let bytes = std::fs::read(path).map_err(|_| hipError_t::hipErrorFileNotFound)?;
        let loaded = load(blob::decode(&bytes))?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(module, loaded) }
    }

    /// Loads a module from memory.
    fn hipModuleLoadData(module: *mut hipModule_t, image: *const c_void) -> hipError_t {
        if module.is_null() || image.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        // SAFETY: the caller's module; what is none is only read up to where that shows.
        let loaded = load(unsafe { blob::decode_pointer(image.cast()) })?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(module, loaded) }
    }

    /// As `hipModuleLoadData`: there are no options that mean anything here.
    fn hipModuleLoadDataEx(
        module: *mut hipModule_t,
        image: *const c_void,
        _count: c_uint,
        _options: *mut hipJitOption,
        _values: *mut *mut c_void,
    ) -> hipError_t {
        // SAFETY: the same arguments.
        match unsafe { hipModuleLoadData(module, image) } {
            hipError_t::hipSuccess => Ok(()),
            error => Err(error),
        }
    }

    /// Forgets a module. Launches that are queued still run.
    fn hipModuleUnload(module: hipModule_t) -> hipError_t {
        let mut handles = handles();
        let loaded = handles.modules.remove(&(module as usize)).ok_or(hipError_t::hipErrorInvalidHandle)?;
        for handle in loaded.functions.values() {
            handles.functions.remove(handle);
        }
        Ok(())
    }

    fn hipModuleGetFunction(function: *mut hipFunction_t, module: hipModule_t, name: *const c_char) -> hipError_t {
        // SAFETY: the caller's string.
        let name = unsafe { string(name)? };
        if function.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let mut handles = handles();
        let loaded = handles.modules.get_mut(&(module as usize)).ok_or(hipError_t::hipErrorInvalidHandle)?;
        let kernel = loaded
            .module
            .kernels
            .iter()
            .position(|kernel| kernel.name.as_bytes() == name.to_bytes())
            .ok_or(hipError_t::hipErrorNotFound)?;
        let handle = *loaded.functions.entry(kernel).or_insert_with(new_handle);
        let made = Function { module: Arc::clone(&loaded.module), kernel };
        handles.functions.insert(handle, made);
        // SAFETY: the caller's out-parameter.
        unsafe { write(function, handle as hipFunction_t) }
    }

    /// Address and size of a `__device__` or `__constant__` variable; either may be left out.
    fn hipModuleGetGlobal(
        address: *mut hipDeviceptr_t,
        size: *mut usize,
        module: hipModule_t,
        name: *const c_char,
    ) -> hipError_t {
        // SAFETY: the caller's string.
        let name = unsafe { string(name)? }.to_string_lossy();
        let handles = HANDLES.read().unwrap_or_else(PoisonError::into_inner);
        let loaded = handles.modules.get(&(module as usize)).ok_or(hipError_t::hipErrorInvalidHandle)?;
        let found = loaded.module.globals.as_ref().and_then(|globals| globals.find(&name));
        let (place, bytes) = found.ok_or(hipError_t::hipErrorNotFound)?;
        // SAFETY: the caller's out-parameters.
        unsafe {
            if !address.is_null() {
                address.write(place as hipDeviceptr_t);
            }
            if !size.is_null() {
                size.write(bytes);
            }
        }
        Ok(())
    }

    fn hipModuleLaunchKernel(
        kernel: hipFunction_t,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        queue: hipStream_t,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> hipError_t {
        let function = function(kernel as usize)?;
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        check(grid, block, shared_bytes)?;
        if function.module.wave != device::current().wavefront {
            return Err(hipError_t::hipErrorNoBinaryForGpu);
        }
        // SAFETY: the caller's arguments, of which HIP demands the same.
        let arguments = unsafe { arguments(&function, parameters, extra)? };
        let launch = Launch::new(function.module, function.kernel, arguments, grid, block, shared_bytes);
        let what = format!("launch of {}", launch.name());
        match stream::enqueue(queue, &what, Box::new(move || launch.run())) {
            hipError_t::hipSuccess => Ok(()),
            error => Err(error),
        }
    }

    /// Threads, and the least of everything else: the compiler's figures mean nothing for a GPU.
    fn hipFuncGetAttribute(
        value: *mut c_int,
        attribute: hipFunction_attribute,
        kernel: hipFunction_t,
    ) -> hipError_t {
        function(kernel as usize)?;
        let found = match attribute {
            hipFunction_attribute::HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK => MAX_THREADS as c_int,
            hipFunction_attribute::HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES => MAX_SHARED as c_int,
            hipFunction_attribute(0..10) => 0,
            _ => return Err(hipError_t::hipErrorInvalidValue),
        };
        // SAFETY: the caller's out-parameter.
        unsafe { write(value, found) }
    }

    fn hipFuncGetAttributes(attributes: *mut hipFuncAttributes, kernel: *const c_void) -> hipError_t {
        function(kernel as usize).map_err(|_| hipError_t::hipErrorInvalidDeviceFunction)?;
        let found = hipFuncAttributes {
            binaryVersion: 0,
            cacheModeCA: 0,
            constSizeBytes: 0,
            localSizeBytes: 0,
            maxDynamicSharedSizeBytes: MAX_SHARED as c_int,
            maxThreadsPerBlock: MAX_THREADS as c_int,
            numRegs: 0,
            preferredShmemCarveout: 0,
            ptxVersion: 0,
            sharedSizeBytes: 0,
        };
        // SAFETY: the caller's out-parameter.
        unsafe { write(attributes, found) }
    }

    /// There is nothing to set; what a device could not do is refused.
    fn hipFuncSetAttribute(kernel: *const c_void, attribute: hipFuncAttribute, value: c_int) -> hipError_t {
        function(kernel as usize).map_err(|_| hipError_t::hipErrorInvalidDeviceFunction)?;
        let limit = match attribute {
            hipFuncAttribute::hipFuncAttributeMaxDynamicSharedMemorySize => MAX_SHARED as c_int,
            hipFuncAttribute::hipFuncAttributePreferredSharedMemoryCarveout => 100,
            _ => return Err(hipError_t::hipErrorInvalidValue),
        };
        if (-1..=limit).contains(&value) { Ok(()) } else { Err(hipError_t::hipErrorInvalidValue) }
    }

    fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        kernel: hipFunction_t,
        threads: c_int,
        shared_bytes: usize,
    ) -> hipError_t {
        function(kernel as usize)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(blocks, active_blocks(threads, shared_bytes)?) }
    }

    fn hipModuleOccupancyMaxPotentialBlockSize(
        grid: *mut c_int,
        block: *mut c_int,
        kernel: hipFunction_t,
        shared_bytes: usize,
        limit: c_int,
    ) -> hipError_t {
        function(kernel as usize)?;
        // Blocks of 256 threads suit a CPU as well as a GPU.
        let threads = if limit > 0 { limit.min(256) } else { 256 };
        let cores = super::pool::size() as c_int;
        // SAFETY: the caller's out-parameters.
        unsafe {
            write(grid, active_blocks(threads, shared_bytes)? * cores)?;
            write(block, threads)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits() {
        assert!(check([1, 1, 1], [1024, 1, 1], 65536).is_ok());
        assert!(check([0x7fff_ffff, 1, 1], [2, 1, 1], 0).is_ok());
        for (grid, block, shared) in [
            ([0, 1, 1], [1, 1, 1], 0),
            ([1, 1, 1], [0, 1, 1], 0),
            ([1, 1, 1], [1025, 1, 1], 0),
            ([1, 1, 1], [32, 32, 2], 0),
            ([1, 0x10000, 1], [1, 1, 1], 0),
            ([0x7fff_ffff, 1, 1], [256, 1, 1], 0),
            ([1, 1, 1], [1, 1, 1], 65537),
            ([u32::MAX; 3], [u32::MAX; 3], u32::MAX),
        ] {
            assert_eq!(
                check(grid, block, shared),
                Err(hipError_t::hipErrorInvalidConfiguration),
                "{grid:?} {block:?}"
            );
        }
    }
}
