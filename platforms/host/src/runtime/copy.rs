//! Copies between host and device memory.
//!
//! When calls wait for the copy:
//!
//! | call | pageable host memory involved | otherwise |
//! |---|---|---|
//! | `hipMemcpyAsync` | source: staged, at once if small; destination: waits | returns at once |
//! | `hipMemcpy` | waits | waits, except device to device |
//!
//! Pinned memory is read and written when the stream reaches the copy, so freeing or changing it too early shows.

use super::device;
use super::registry::{self, MemoryKind};
use super::stream::{self, Task};
use crate::exports::Host;
use crate::processor::Fault;
use crate::sanitizer::order;
use rocm_platform::hip::{Copies, Ends, HipResult, Rectangle, Transfer};
use rocm_platform::hip_copy_exports;
use rocm_sys::hip::{hipError_t, hipMemcpyKind, hipStream_t};
use std::ffi::{c_int, c_void};
use std::ptr;

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

    fn of(rectangle: Rectangle) -> HipResult<Self> {
        let Rectangle { to_pitch, from_pitch, width, height, .. } = rectangle;
        if width > 0 && height > 0 && (width > to_pitch || width > from_pitch) {
            return Err(hipError_t::hipErrorInvalidPitchValue);
        }
        Ok(Self { width, height, to_pitch, from_pitch })
    }

    fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Bytes from the first one to the last one, with this pitch.
    fn extent(self, pitch: usize) -> HipResult<usize> {
        let before_last = (self.height - 1).checked_mul(pitch);
        before_last.and_then(|n| n.checked_add(self.width)).ok_or(hipError_t::hipErrorInvalidValue)
    }

    /// # Safety
    /// Both ends hold the rows. They may overlap, and other threads may use them: as on a device, the bytes are then
    /// unspecified.
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
    stream: hipStream_t,
    (to, from): (*mut c_void, *const c_void),
    rows: Rows,
    kind: hipMemcpyKind,
    when: Return,
) -> HipResult {
    let stream = stream::resolve(stream)?;
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
    let target = registry::kind(to, rows.extent(rows.to_pitch)?)?;
    let source = registry::kind(from, rows.extent(rows.from_pitch)?)?;
    check_kind(kind, target, source)?;

    let waits = match (target, source) {
        (MemoryKind::Device, MemoryKind::Device) => false,
        (MemoryKind::Pageable, _) => true,
        _ => when == Return::Done,
    };
    let staged = (!waits && matches!(source, MemoryKind::Pageable)).then(|| stage(from, rows)).flatten();
    let waits = waits || matches!(source, MemoryKind::Pageable) && staged.is_none();
    if waits {
        stream::may_wait()?;
    }
    let work = move || {
        // The caller, who waits, vouches for pageable memory; other memory may have been freed since.
        let ends = [(target, to, rows.to_pitch), (source, from, rows.from_pitch)];
        for (known, address, pitch) in ends {
            if known != MemoryKind::Pageable
                && registry::kind(address, rows.extent(pitch).unwrap_or(usize::MAX)) != Ok(known)
            {
                return Err(Fault::new(
                    hipError_t::hipErrorIllegalAddress,
                    format!("the memory at {address:#x} was freed before the copy ran"),
                ));
            }
        }
        if source != MemoryKind::Pageable {
            (0..rows.height).for_each(|row| order::reads(from + row * rows.from_pitch, rows.width));
        }
        if target != MemoryKind::Pageable {
            (0..rows.height).for_each(|row| order::writes(to + row * rows.to_pitch, rows.width));
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

/// Copies small pageable rows to a packed staging buffer.
fn stage(from: usize, rows: Rows) -> Option<Vec<u8>> {
    let size = rows.width.checked_mul(rows.height).filter(|&size| size <= STAGING)?;
    let mut bytes = vec![0_u8; size];
    let packed = Rows { to_pitch: rows.width, ..rows };
    // SAFETY: `bytes` holds the packed rows, and the caller vouches for the memory it wants copied.
    unsafe { packed.copy(bytes.as_mut_ptr() as usize, from) };
    Some(bytes)
}

/// A direction that contradicts the kinds of memory is an invalid value. HIP accepts some of these mistakes.
fn check_kind(kind: hipMemcpyKind, target: MemoryKind, source: MemoryKind) -> HipResult {
    use MemoryKind::{Device, Pageable};
    let fits = match kind {
        hipMemcpyKind::hipMemcpyHostToHost => !matches!(target, Device) && !matches!(source, Device),
        hipMemcpyKind::hipMemcpyHostToDevice => !matches!(target, Pageable) && !matches!(source, Device),
        hipMemcpyKind::hipMemcpyDeviceToHost => !matches!(target, Device) && !matches!(source, Pageable),
        hipMemcpyKind::hipMemcpyDefault => true,
        _ => !matches!(target, Pageable) && !matches!(source, Pageable),
    };
    if fits { Ok(()) } else { Err(hipError_t::hipErrorInvalidValue) }
}

/// The ends of a peer copy have to lie on the devices that the call names.
fn check_device(address: *const c_void, ordinal: c_int) -> HipResult {
    let named = device::get(ordinal)?;
    let found = registry::find(address as usize).ok_or(hipError_t::hipErrorInvalidValue)?;
    if found.owner.device().ordinal == named.ordinal { Ok(()) } else { Err(hipError_t::hipErrorInvalidValue) }
}

impl Copies for Host {
    unsafe fn copy(transfer: Transfer, stream: Option<hipStream_t>) -> HipResult {
        let (stream, when) = stream_and_return(stream);
        copy(stream, (transfer.to, transfer.from), Rows::one(transfer.size), transfer.kind, when)
    }

    unsafe fn copy_and_wait(transfer: Transfer, stream: hipStream_t) -> HipResult {
        copy(stream, (transfer.to, transfer.from), Rows::one(transfer.size), transfer.kind, Return::Done)
    }

    unsafe fn copy_peer(transfer: Transfer, devices: Ends, stream: Option<hipStream_t>) -> HipResult {
        if transfer.size > 0 {
            check_device(transfer.to, devices.to)?;
            check_device(transfer.from, devices.from)?;
        }
        // SAFETY: the caller's promise.
        unsafe { Self::copy(transfer, stream) }
    }

    unsafe fn copy_rows(rectangle: Rectangle, stream: Option<hipStream_t>) -> HipResult {
        let (stream, when) = stream_and_return(stream);
        let rows = Rows::of(rectangle)?;
        copy(stream, (rectangle.to, rectangle.from), rows, rectangle.kind, when)
    }
}

/// Without a stream, the null stream, and the copy is done when the call returns.
fn stream_and_return(stream: Option<hipStream_t>) -> (hipStream_t, Return) {
    stream.map_or((ptr::null_mut(), Return::Done), |stream| (stream, Return::Queued))
}

hip_copy_exports! { Host }
