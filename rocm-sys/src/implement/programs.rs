//! hiprtc's programs by handle, and what its functions read and write.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::hiprtc::{hiprtcProgram, hiprtcResult};

type ByHandle<P> = HashMap<usize, Arc<Mutex<P>>>;

/// All programs of a library. Handles are never used again, so that one of a destroyed program is known as such.
pub struct Programs<P> {
    by_handle: LazyLock<Mutex<ByHandle<P>>>,
    next: AtomicUsize,
}

impl<P> Programs<P> {
    /// None yet; the first handle will be this number.
    pub const fn new(first: usize) -> Self {
        Self { by_handle: LazyLock::new(|| Mutex::new(HashMap::new())), next: AtomicUsize::new(first) }
    }

    fn lock(&self) -> MutexGuard<'_, ByHandle<P>> {
        self.by_handle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a program in, and writes its handle.
    ///
    /// # Safety
    ///
    /// `out` is null or valid for writing a handle.
    pub unsafe fn create(&self, out: *mut hiprtcProgram, program: P) -> Result<(), hiprtcResult> {
        let handle = self.next.fetch_add(16, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { put(out, handle as hiprtcProgram)? };
        self.lock().insert(handle, Arc::new(Mutex::new(program)));
        Ok(())
    }

    /// Forgets a program, and makes the caller's handle null.
    ///
    /// # Safety
    ///
    /// `program` is null or points to a handle.
    pub unsafe fn destroy(&self, program: *mut hiprtcProgram) -> Result<(), hiprtcResult> {
        if program.is_null() {
            return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
        }
        // SAFETY: not null, so it is the caller's variable.
        let handle = unsafe { *program } as usize;
        self.lock().remove(&handle).ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM)?;
        // SAFETY: as above.
        unsafe { put(program, std::ptr::null_mut()) }
    }

    /// Runs something on a program, which is locked meanwhile; the others are not.
    pub fn with<T>(&self, handle: hiprtcProgram, run: impl FnOnce(&mut P) -> T) -> Result<T, hiprtcResult> {
        let found = self.lock().get(&(handle as usize)).cloned();
        let program = found.ok_or(hiprtcResult::HIPRTC_ERROR_INVALID_PROGRAM)?;
        let mut program = program.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(run(&mut program))
    }
}

/// A string that must be there.
///
/// # Safety
///
/// `text` is null or a C string that outlives `'a`.
pub unsafe fn string<'a>(text: *const c_char) -> Result<&'a CStr, hiprtcResult> {
    if text.is_null() {
        return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
    }
    // SAFETY: not null, so the caller vouches for it.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// A list of strings.
///
/// # Safety
///
/// `texts` is null or points to `count` C strings that outlive `'a`.
pub unsafe fn strings<'a>(texts: *mut *const c_char, count: c_int) -> Result<Vec<&'a CStr>, hiprtcResult> {
    let count = usize::try_from(count).map_err(|_| hiprtcResult::HIPRTC_ERROR_INVALID_INPUT)?;
    if count > 0 && texts.is_null() {
        return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
    }
    // SAFETY: within the caller's list, whose entries are C strings.
    (0..count).map(|index| unsafe { string(*texts.add(index)) }).collect()
}

/// Writes an out-parameter.
///
/// # Safety
///
/// `out` is null or valid for writing a `T`.
pub unsafe fn put<T>(out: *mut T, value: T) -> Result<(), hiprtcResult> {
    // SAFETY: the caller's promise.
    unsafe { super::write(out, value) }.map_err(|_| hiprtcResult::HIPRTC_ERROR_INVALID_INPUT)
}

/// Writes bytes.
///
/// # Safety
///
/// `out` is null or has room for `bytes`.
pub unsafe fn put_bytes(out: *mut c_char, bytes: &[u8]) -> Result<(), hiprtcResult> {
    if out.is_null() {
        return Err(hiprtcResult::HIPRTC_ERROR_INVALID_INPUT);
    }
    // SAFETY: not null, so the caller made room.
    unsafe { out.copy_from_nonoverlapping(bytes.as_ptr().cast(), bytes.len()) };
    Ok(())
}
