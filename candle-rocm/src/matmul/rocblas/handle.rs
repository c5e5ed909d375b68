//! The handle.

use std::ffi::{CStr, c_char, c_void};
use std::fmt;
use std::path::PathBuf;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use candle_core::DType;
use rocm_sys::rocblas::{
    Rocblas, rocblas_atomics_mode_, rocblas_datatype, rocblas_datatype_, rocblas_gemm_algo_, rocblas_handle,
    rocblas_operation, rocblas_operation_, rocblas_status, rocblas_status_,
};
use rocm_sys::{LibraryKind, MissingSymbol};

use super::BlasProduct;
use super::tensile::{self, Coverage};
use crate::RocmDevice;
use crate::error::{Result, RocmError};
use crate::hip::{Device, PerPlatform, Stream, variable};
use crate::lock::Mutex;

/// rocBLAS on one stream. What made it unavailable is remembered: it will not get better.
#[derive(Default)]
pub(crate) struct Blas {
    handle: OnceLock<std::result::Result<Open, String>>,
    warned: AtomicBool,
}

struct Open {
    handle: Mutex<Handle>,
    coverage: Coverage,
}

/// Calls with one handle come one after the other.
struct Handle {
    api: &'static Rocblas,
    device: Device,
    raw: rocblas_handle,
    /// The stream outlives the handle.
    _stream: Stream,
    atomics: bool,
}

// SAFETY: a handle may be used by one thread after another.
unsafe impl Send for Handle {}

impl Blas {
    /// Queues the product on the device's stream. All matrices lie in buffers of the device: A and B of the first dtype, C
    /// of the second.
    pub(crate) fn gemm(&self, device: &RocmDevice, dtypes: [DType; 2], product: &BlasProduct) -> Result<()> {
        device.hip_device().check_usable()?;
        let handle = self
            .get(device)
            .as_ref()
            .map_err(|why| RocmError::RocblasUnavailable { device: device.label(), why: why.clone() })?;
        let mut handle = handle.handle.lock();
        handle.set_atomics(!device.is_deterministic())?;
        handle.gemm(dtypes, product)
    }

    /// Whether there is a handle, or one can be made.
    pub(crate) fn is_there(&self, device: &RocmDevice) -> bool {
        device.hip_device().check_usable().is_ok() && self.get(device).is_ok()
    }

    /// The file of the device's rocBLAS, or why there is none.
    pub(crate) fn library(&self, device: &RocmDevice) -> std::result::Result<PathBuf, String> {
        let open = self.get(device).as_ref().map_err(Clone::clone)?;
        Ok(open.handle.lock().api.library().path().to_owned())
    }

    /// Whether all that rocBLAS has for the card are kernels for a generic target.
    pub(crate) fn is_generic(&self, device: &RocmDevice) -> bool {
        self.get(device).as_ref().is_ok_and(|open| open.coverage == Coverage::Generic)
    }

    fn get(&self, device: &RocmDevice) -> &std::result::Result<Open, String> {
        self.handle.get_or_init(|| Open::new(device).map_err(|error| error.of_library()))
    }

    /// Says, once per device, that products do without rocBLAS, and why.
    pub(crate) fn warn(&self, why: &RocmError) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            eprintln!("candle-rocm: matrix products use this crate's own kernels: {why}");
        }
    }
}

impl fmt::Debug for Blas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blas").field("open", &self.handle.get().map(std::result::Result::is_ok)).finish()
    }
}

/// The platform's rocBLAS, opened once per process.
fn api(device: Device) -> Result<&'static Rocblas> {
    static OPEN: PerPlatform<Rocblas> = PerPlatform::new();
    OPEN.get_or_try_init(device.platform(), || {
        Ok(Rocblas::new(device.runtime().companion(LibraryKind::Rocblas)?))
    })
}

impl Open {
    fn new(device: &RocmDevice) -> Result<Self> {
        let api = api(device.hip_device())?;
        let mut coverage = Coverage::Exact;
        if device.rocblas_needs_tensile_files() {
            let folder = variable::path("ROCBLAS_TENSILE_LIBPATH");
            coverage = tensile::check(api.library().path(), folder.as_deref(), device.arch())
                .map_err(|why| RocmError::RocblasUnavailable { device: device.label(), why })?;
        }
        Ok(Self { handle: Mutex::new(Handle::new(device, api)?), coverage })
    }
}

impl Handle {
    fn new(device: &RocmDevice, api: &'static Rocblas) -> Result<Self> {
        let (hip_device, stream) = (device.hip_device(), device.queue().stream());
        hip_device.bind()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let status = unsafe { api.rocblas_create_handle(&mut raw) };
        check(api, hip_device, "rocblas_create_handle", status)?;
        let handle = Self { api, device: hip_device, raw, _stream: stream.clone(), atomics: true };
        // SAFETY: both handles live.
        let status = unsafe { api.rocblas_set_stream(raw, stream.as_raw()) };
        handle.check("rocblas_set_stream", status)?;
        Ok(handle)
    }

    /// Whether sums may come out differently from call to call.
    fn set_atomics(&mut self, allowed: bool) -> Result<()> {
        if self.atomics != allowed {
            let mode = match allowed {
                true => rocblas_atomics_mode_::rocblas_atomics_allowed,
                false => rocblas_atomics_mode_::rocblas_atomics_not_allowed,
            };
            // SAFETY: the handle lives.
            let status = unsafe { self.api.rocblas_set_atomics_mode(self.raw, mode) };
            self.check("rocblas_set_atomics_mode", status)?;
            self.atomics = allowed;
        }
        Ok(())
    }

    fn gemm(&self, dtypes: [DType; 2], product: &BlasProduct) -> Result<()> {
        const CALL: &str = "rocblas_gemm_strided_batched_ex";
        let [operands, result] =
            dtypes.map(|dtype| datatypes(dtype).ok_or(RocmError::UnsupportedDType { op: CALL, dtype }));
        let ((datatype, compute), (result, _)) = (operands?, result?);
        let double = compute == rocblas_datatype_::rocblas_datatype_f64_r;
        let (one, zero, one64, zero64) = (1f32, 0f32, 1f64, 0f64);
        let alpha: *const c_void = if double { (&raw const one64).cast() } else { (&raw const one).cast() };
        let beta: *const c_void = if double { (&raw const zero64).cast() } else { (&raw const zero).cast() };
        let BlasProduct { m, n, k, batch, a, b, c } = *product;
        self.device.bind()?;
        // SAFETY: the handle lives, the factors are read by the call (the pointer mode is host), and the matrices lie in
        // buffers on the handle's stream.
        let status = unsafe {
            self.api.rocblas_gemm_strided_batched_ex(
                self.raw,
                operation(a.transposed),
                operation(b.transposed),
                m,
                n,
                k,
                alpha,
                a.address.as_raw(),
                datatype,
                a.ld,
                a.batch,
                b.address.as_raw(),
                datatype,
                b.ld,
                b.batch,
                beta,
                c.address.as_raw(),
                result,
                c.ld,
                c.batch,
                c.address.as_raw(),
                result,
                c.ld,
                c.batch,
                batch,
                compute,
                rocblas_gemm_algo_::rocblas_gemm_algo_standard,
                0,
                0,
            )
        };
        self.check(CALL, status)
    }

    fn check(
        &self,
        call: &'static str,
        status: std::result::Result<rocblas_status, MissingSymbol>,
    ) -> Result<()> {
        check(self.api, self.device, call, status)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.device.is_reachable_when_idle() {
            // SAFETY: the last owner is going; rocBLAS waits for what is queued.
            let _ = unsafe { self.api.rocblas_destroy_handle(self.raw) };
        }
    }
}

/// What elements are, and what they are added up in.
fn datatypes(dtype: DType) -> Option<(rocblas_datatype, rocblas_datatype)> {
    use rocblas_datatype_ as of;
    match dtype {
        DType::F16 => Some((of::rocblas_datatype_f16_r, of::rocblas_datatype_f32_r)),
        DType::BF16 => Some((of::rocblas_datatype_bf16_r, of::rocblas_datatype_f32_r)),
        DType::F32 => Some((of::rocblas_datatype_f32_r, of::rocblas_datatype_f32_r)),
        DType::F64 => Some((of::rocblas_datatype_f64_r, of::rocblas_datatype_f64_r)),
        _ => None,
    }
}

fn operation(transposed: bool) -> rocblas_operation {
    match transposed {
        true => rocblas_operation_::rocblas_operation_transpose,
        false => rocblas_operation_::rocblas_operation_none,
    }
}

fn check(
    api: &Rocblas,
    device: Device,
    call: &'static str,
    status: std::result::Result<rocblas_status, MissingSymbol>,
) -> Result<()> {
    match status? {
        // The second one says that there was too little memory for the fastest way.
        rocblas_status_::rocblas_status_success | rocblas_status_::rocblas_status_perf_degraded => Ok(()),
        status => {
            // SAFETY: takes any code and returns a static string.
            let name = unsafe { api.rocblas_status_to_string(status) }.ok().and_then(text);
            let name = name.unwrap_or_else(|| format!("rocblas_status {}", status.0));
            Err(RocmError::Rocblas { call, code: status.0, name, device: device.to_string() })
        }
    }
}

fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, and a string of the library, which is never closed.
    Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}
