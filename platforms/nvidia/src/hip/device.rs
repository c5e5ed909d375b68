//! Devices: which there are, which one a thread uses, and their contexts.

use super::driver::{self, Driver};
use crate::exports::Nvidia;
use cudarc::driver::sys::{CUcontext, CUctx_st, CUdevice};
use rocm_platform::hip::HipResult;
use rocm_platform::hip_device_exports;
use rocm_sys::hip::{error_text, hipError_t};
use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// One device. Devices live as long as the process.
pub(crate) struct Device {
    pub(crate) ordinal: usize,
    pub(crate) raw: CUdevice,
    pub(crate) cuda: &'static Driver,
    /// The primary context, once it has been needed.
    context: AtomicPtr<CUctx_st>,
    /// Held while the context is created or released.
    changing: Mutex<()>,
}

impl Device {
    /// The primary context, created on first use.
    pub(crate) fn context(&self) -> HipResult<CUcontext> {
        let known = self.known_context();
        if known.is_null() { self.retain() } else { Ok(known) }
    }

    /// The primary context, or null if it has not been needed yet.
    pub(crate) fn known_context(&self) -> CUcontext {
        self.context.load(Ordering::Acquire)
    }

    #[cold]
    fn retain(&self) -> HipResult<CUcontext> {
        let _guard = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut context = self.context.load(Ordering::Acquire);
        if context.is_null() {
            // SAFETY: the out-parameter is valid, and the device exists.
            unsafe { self.cuda.cuDevicePrimaryCtxRetain(&mut context, self.raw)? };
            self.context.store(context, Ordering::Release);
        }
        Ok(context)
    }

    /// Makes this device's context the thread's.
    ///
    /// Checked each time, as other users of CUDA in the process may have changed it; it costs a few nanoseconds.
    #[inline]
    pub(crate) fn enter(&self) -> HipResult {
        let context = self.context()?;
        let mut current = ptr::null_mut();
        // SAFETY: the out-parameter is valid.
        unsafe { self.cuda.cuCtxGetCurrent(&mut current)? };
        if current != context {
            // SAFETY: a context that is retained.
            unsafe { self.cuda.cuCtxSetCurrent(context)? };
        }
        Ok(())
    }

    /// Destroys everything on the device. The next use creates a new context.
    fn destroy_context(&self) -> HipResult {
        let _guard = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let context = self.context.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: the thread's context is unset before it is destroyed; the device exists, and what was retained is
        // released once.
        unsafe {
            if !context.is_null() {
                self.cuda.cuCtxSetCurrent(ptr::null_mut())?;
                // A context with a fault cannot be released any more; resetting mends that.
                let _ = self.cuda.cuDevicePrimaryCtxRelease_v2(self.raw);
            }
            self.cuda.cuDevicePrimaryCtxReset_v2(self.raw)
        }
    }
}

/// Why there is no device.
struct Absence {
    code: hipError_t,
    why: String,
}

fn find() -> Result<Vec<Device>, Absence> {
    let cuda =
        driver::open().map_err(|why| Absence { code: hipError_t::hipErrorNoDevice, why: why.to_owned() })?;
    let failed = |call: &'static str| {
        move |code: hipError_t| {
            let (name, text) = error_text(code).unwrap_or((c"", c""));
            let why = format!("{call} failed: {} ({})", text.to_string_lossy(), name.to_string_lossy());
            Absence { code, why }
        }
    };
    // SAFETY: no flags are defined.
    unsafe { cuda.cuInit(0) }.map_err(failed("cuInit"))?;
    let mut count = 0;
    // SAFETY: the out-parameter is valid.
    unsafe { cuda.cuDeviceGetCount(&mut count) }.map_err(failed("cuDeviceGetCount"))?;
    let device = |ordinal: c_int| {
        let mut raw = 0;
        // SAFETY: the out-parameter is valid.
        unsafe { cuda.cuDeviceGet(&mut raw, ordinal) }.map_err(failed("cuDeviceGet"))?;
        let ordinal = ordinal as usize;
        Ok(Device { ordinal, raw, cuda, context: AtomicPtr::default(), changing: Mutex::default() })
    };
    let devices: Vec<_> = (0..count).map(device).collect::<Result<_, _>>()?;
    if devices.is_empty() {
        let why = "the driver lists no device (CUDA_VISIBLE_DEVICES may hide some)".to_owned();
        return Err(Absence { code: hipError_t::hipErrorNoDevice, why });
    }
    Ok(devices)
}

fn found() -> Result<&'static [Device], &'static Absence> {
    static DEVICES: OnceLock<Result<Vec<Device>, Absence>> = OnceLock::new();
    DEVICES.get_or_init(find).as_deref()
}

/// All devices, of which there is at least one.
#[inline]
pub(crate) fn all() -> HipResult<&'static [Device]> {
    found().map_err(|absence| absence.code)
}

/// Why there is no device, or `None` where there is one.
pub fn unavailable() -> Option<String> {
    found().err().map(|absence| absence.why.clone())
}

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// This thread's device.
pub(crate) fn current() -> HipResult<&'static Device> {
    all()?.get(CURRENT.get()).ok_or(hipError_t::hipErrorInvalidDevice)
}

/// This thread's device, with its context current.
#[inline]
pub(crate) fn enter() -> HipResult<&'static Device> {
    let device = current()?;
    device.enter()?;
    Ok(device)
}

/// The device with this ordinal.
pub(crate) fn get(ordinal: c_int) -> HipResult<&'static Device> {
    let devices = all()?;
    usize::try_from(ordinal).ok().and_then(|i| devices.get(i)).ok_or(hipError_t::hipErrorInvalidDevice)
}

impl rocm_platform::hip::Device for Device {
    fn all() -> HipResult<&'static [Self]> {
        all()
    }

    fn get(ordinal: c_int) -> HipResult<&'static Self> {
        get(ordinal)
    }

    fn current() -> HipResult<&'static Self> {
        current()
    }

    fn ordinal(&self) -> usize {
        self.ordinal
    }

    fn make_current(&'static self) -> HipResult {
        CURRENT.set(self.ordinal);
        self.enter()
    }

    fn synchronize(&'static self) -> HipResult {
        self.enter()?;
        // SAFETY: no arguments.
        unsafe { self.cuda.cuCtxSynchronize() }
    }

    fn reset(&'static self) -> HipResult {
        self.destroy_context()
    }
}

hip_device_exports! { Nvidia, Device }
