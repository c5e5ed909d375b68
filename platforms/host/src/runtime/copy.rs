//! Copies between host and device memory.
//!
//! Which copies the caller waits for:
//!
//! | call | pageable host memory involved | otherwise |
//! |---|---|---|
//! | `hipMemcpyAsync` | source: staged, at once if small; destination: waits | returns at once |
//! | `hipMemcpy` | waits | waits, except device to device |
//!
//! Pinned memory is read and written when the copy's turn comes, so freeing or changing it too early shows.

use super::device;
use super::fault::Fault;
use super::registry::{self, Place};
use super::stream::{self, Stream, Task};
use crate::exports::export;
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipMemcpyKind, hipStream_t};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

/// Pageable sources up to this size are staged; the caller waits for larger ones.
const STAGING: usize = 4 << 20;

/// Rows to copy; a plain copy is one row.
#[derive(Clone, Copy)]
struct Rows {
    width: usize,
    height: usize,
    to_pitch: usize,
    from_pitch: usize,
}

impl Rows {
    fn one(size: usize) -> Self {
        Self { width: size, height: 1, to_pitch: size, from_pitch: size }
    }

    fn rectangle(
        width: usize,
        height: usize,
        to_pitch: usize,
        from_pitch: usize,
    ) -> Result<Self, hipError_t> {
        if width > 0 && height > 0 && (width > to_pitch || width > from_pitch) {
            return Err(hipError_t::hipErrorInvalidPitchValue);
        }
        Ok(Self { width, height, to_pitch, from_pitch })
    }

    fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Bytes from the first one to the last one, with this pitch.
    fn extent(self, pitch: usize) -> Result<usize, hipError_t> {
        let before_last = (self.height - 1).checked_mul(pitch);
        before_last.and_then(|n| n.checked_add(self.width)).ok_or(hipError_t::hipErrorInvalidValue)
    }

    /// # Safety
    /// Both ends hold the rows. They may overlap, and other threads may use them: as on a device, the bytes are
    /// then anybody's guess.
    unsafe fn copy(self, to: usize, from: usize) {
        for row in 0..self.height {
            let from = (from + row * self.from_pitch) as *const u8;
            let to = (to + row * self.to_pitch) as *mut u8;
            // SAFETY: see above.
            unsafe { ptr::copy(from, to, self.width) };
        }
    }
}

/// When a call returns.
#[derive(Clone, Copy, PartialEq)]
enum Return {
    /// When the copy is done, unless only device memory is involved.
    Done,
    /// As soon as it may.
    Queued,
}

fn copy(
    stream: &Arc<Stream>,
    (to, from): (*mut c_void, *const c_void),
    rows: Rows,
    kind: hipMemcpyKind,
    when: Return,
) -> Result<(), hipError_t> {
    if !(hipMemcpyKind::hipMemcpyHostToHost.0..=hipMemcpyKind::hipMemcpyDefault.0).contains(&kind.0)
        && kind != hipMemcpyKind::hipMemcpyDeviceToDeviceNoCU
    {
        return Err(hipError_t::hipErrorInvalidMemcpyDirection);
    }
    stream.device.check()?;
    if rows.is_empty() {
        return Ok(());
    }
    if to.is_null() || from.is_null() {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let (to, from) = (to as usize, from as usize);
    let target = registry::place(to, rows.extent(rows.to_pitch)?)?;
    let source = registry::place(from, rows.extent(rows.from_pitch)?)?;
    check_kind(kind, target, source)?;

    let waits = match (target, source) {
        (Place::Device, Place::Device) => false,
        (Place::Pageable, _) => true,
        _ => when == Return::Done,
    };
    let staged = (!waits && matches!(source, Place::Pageable)).then(|| stage(from, rows)).flatten();
    let waits = waits || matches!(source, Place::Pageable) && staged.is_none();
    if waits {
        stream::may_wait()?;
    }
    let work = move || {
        // What is pageable is vouched for by the caller, who waits; the rest may have been freed meanwhile.
        let ends = [(target, to, rows.to_pitch), (source, from, rows.from_pitch)];
        for (place, address, pitch) in ends {
            if place != Place::Pageable
                && registry::place(address, rows.extent(pitch).unwrap_or(usize::MAX)) != Ok(place)
            {
                return Err(Fault::new(
                    hipError_t::hipErrorIllegalAddress,
                    format!("the memory at {address:#x} was freed before the copy ran"),
                ));
            }
        }
        let (from, rows) = match &staged {
            Some(bytes) => (bytes.as_ptr() as usize, Rows { from_pitch: rows.width, ..rows }),
            None => (from, rows),
        };
        // SAFETY: the ends hold the rows: checked when the copy was queued, and again just now.
        unsafe { rows.copy(to, from) };
        Ok(())
    };
    let ticket = stream.submit(Task::new("copy", Box::new(work)))?;
    if waits {
        ticket.wait();
        stream.device.check()?;
    }
    Ok(())
}

/// Copies small pageable rows aside, closely packed.
fn stage(from: usize, rows: Rows) -> Option<Vec<u8>> {
    let size = rows.width.checked_mul(rows.height).filter(|&size| size <= STAGING)?;
    let mut bytes = vec![0_u8; size];
    let packed = Rows { to_pitch: rows.width, ..rows };
    // SAFETY: `bytes` holds the packed rows, and the caller vouches for the memory it wants copied.
    unsafe { packed.copy(bytes.as_mut_ptr() as usize, from) };
    Some(bytes)
}

/// A direction that contradicts what lies at the addresses is an invalid value. HIP lets some of these pass; they
/// are mistakes all the same.
fn check_kind(kind: hipMemcpyKind, target: Place, source: Place) -> Result<(), hipError_t> {
    use Place::{Device, Pageable};
    let fits = match kind {
        hipMemcpyKind::hipMemcpyHostToHost => !matches!(target, Device) && !matches!(source, Device),
        hipMemcpyKind::hipMemcpyHostToDevice => !matches!(target, Pageable) && !matches!(source, Device),
        hipMemcpyKind::hipMemcpyDeviceToHost => !matches!(target, Device) && !matches!(source, Pageable),
        hipMemcpyKind::hipMemcpyDefault => true,
        _ => !matches!(target, Pageable) && !matches!(source, Pageable),
    };
    if fits { Ok(()) } else { Err(hipError_t::hipErrorInvalidValue) }
}

/// On the null stream of the calling thread's device.
fn on_null(
    ends: (*mut c_void, *const c_void),
    size: usize,
    kind: hipMemcpyKind,
    when: Return,
) -> Result<(), hipError_t> {
    copy(&stream::resolve(ptr::null_mut())?, ends, Rows::one(size), kind, when)
}

fn on(
    stream: hipStream_t,
    ends: (*mut c_void, *const c_void),
    size: usize,
    kind: hipMemcpyKind,
    when: Return,
) -> Result<(), hipError_t> {
    copy(&stream::resolve(stream)?, ends, Rows::one(size), kind, when)
}

/// The ends of a peer copy have to lie on the devices that the call names.
fn check_peers(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
) -> Result<(), hipError_t> {
    for (address, ordinal) in [(to.cast_const(), to_device), (from, from_device)] {
        let named = device::get(ordinal)?;
        let found = registry::find(address as usize).ok_or(hipError_t::hipErrorInvalidValue)?;
        if found.owner.device().ordinal != named.ordinal {
            return Err(hipError_t::hipErrorInvalidValue);
        }
    }
    Ok(())
}

const D2H: hipMemcpyKind = hipMemcpyKind::hipMemcpyDeviceToHost;
const H2D: hipMemcpyKind = hipMemcpyKind::hipMemcpyHostToDevice;
const D2D: hipMemcpyKind = hipMemcpyKind::hipMemcpyDeviceToDevice;

export! {
    hip => EXPORTS;

    fn hipMemcpy(to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind) -> hipError_t {
        on_null((to, from), size, kind, Return::Done)
    }

    fn hipMemcpyAsync(
        to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind, stream: hipStream_t,
    ) -> hipError_t {
        on(stream, (to, from), size, kind, Return::Queued)
    }

    fn hipMemcpyWithStream(
        to: *mut c_void, from: *const c_void, size: usize, kind: hipMemcpyKind, stream: hipStream_t,
    ) -> hipError_t {
        on(stream, (to, from), size, kind, Return::Done)
    }

    fn hipMemcpyHtoD(to: hipDeviceptr_t, from: *mut c_void, size: usize) -> hipError_t {
        on_null((to, from), size, H2D, Return::Done)
    }

    fn hipMemcpyDtoH(to: *mut c_void, from: hipDeviceptr_t, size: usize) -> hipError_t {
        on_null((to, from), size, D2H, Return::Done)
    }

    fn hipMemcpyDtoD(to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize) -> hipError_t {
        on_null((to, from), size, D2D, Return::Done)
    }

    fn hipMemcpyHtoDAsync(
        to: hipDeviceptr_t, from: *mut c_void, size: usize, stream: hipStream_t,
    ) -> hipError_t {
        on(stream, (to, from), size, H2D, Return::Queued)
    }

    fn hipMemcpyDtoHAsync(to: *mut c_void, from: hipDeviceptr_t, size: usize, stream: hipStream_t) -> hipError_t {
        on(stream, (to, from), size, D2H, Return::Queued)
    }

    fn hipMemcpyDtoDAsync(
        to: hipDeviceptr_t, from: hipDeviceptr_t, size: usize, stream: hipStream_t,
    ) -> hipError_t {
        on(stream, (to, from), size, D2D, Return::Queued)
    }

    fn hipMemcpyPeer(
        to: *mut c_void, to_device: c_int, from: *const c_void, from_device: c_int, size: usize,
    ) -> hipError_t {
        if size > 0 {
            check_peers(to, to_device, from, from_device)?;
        }
        on_null((to, from), size, D2D, Return::Done)
    }

    fn hipMemcpyPeerAsync(
        to: *mut c_void, to_device: c_int, from: *const c_void, from_device: c_int, size: usize, stream: hipStream_t,
    ) -> hipError_t {
        if size > 0 {
            check_peers(to, to_device, from, from_device)?;
        }
        on(stream, (to, from), size, D2D, Return::Queued)
    }

    fn hipMemcpy2D(
        to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize,
        kind: hipMemcpyKind,
    ) -> hipError_t {
        let rows = Rows::rectangle(width, height, to_pitch, from_pitch)?;
        copy(&stream::resolve(ptr::null_mut())?, (to, from), rows, kind, Return::Done)
    }

    fn hipMemcpy2DAsync(
        to: *mut c_void, to_pitch: usize, from: *const c_void, from_pitch: usize, width: usize, height: usize,
        kind: hipMemcpyKind, stream: hipStream_t,
    ) -> hipError_t {
        let rows = Rows::rectangle(width, height, to_pitch, from_pitch)?;
        copy(&stream::resolve(stream)?, (to, from), rows, kind, Return::Queued)
    }
}
