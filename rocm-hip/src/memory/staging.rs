//! Copies between host and device through pinned memory.
//!
//! The device copies from and to pinned memory by itself, while the host goes on. Uploads are copied into a ring of
//! pinned segments and queued from there, so the caller's slice is free as soon as the call returns; a segment is used
//! again when the copies from it are done. Downloads go through two segments of their own: the device fills one while
//! the host empties the other.

use std::ffi::c_void;
use std::ptr::{self, NonNull};

use rocm_sys::hip::hipMemcpyKind;

use crate::lock::{self, Mutex};
use crate::{Device, DevicePtr, Event, HipError, Result, Stream, trace};

const SEGMENT: usize = 4 << 20;
const UPLOAD_SEGMENTS: usize = 4;
/// A long upload starts in the rest of a segment only if that is at least so much.
const WORTHWHILE: usize = 64 << 10;
/// Uploads start at multiples of this.
const ALIGNMENT: usize = 64;

/// Pinned memory and the queue it serves.
#[derive(Debug)]
pub(crate) struct Staging {
    stream: Stream,
    upload: Mutex<Ring, lock::Staging>,
    download: Mutex<[Option<Segment>; 2], lock::Staging>,
}

#[derive(Debug, Default)]
struct Ring {
    segments: [Option<Segment>; UPLOAD_SEGMENTS],
    current: usize,
    /// Bytes of the current segment that are in use.
    used: usize,
}

impl Staging {
    pub(crate) fn new(stream: &Stream) -> Self {
        Self { stream: stream.clone(), upload: Mutex::default(), download: Mutex::default() }
    }

    /// Queues a copy of `bytes` to `target`, and returns when `bytes` is no longer needed.
    ///
    /// # Safety
    /// `target` is device memory of at least that size on the stream's device.
    pub(crate) unsafe fn upload(&self, target: DevicePtr, bytes: &[u8]) -> Result<()> {
        let device = self.stream.device();
        device.bind()?;
        let mut ring = self.upload.lock();
        let mut done = 0;
        while done < bytes.len() {
            let (place, room) = ring.room(&self.stream, bytes.len() - done)?;
            let count = room.min(bytes.len() - done);
            // SAFETY: the piece lies inside `bytes`, and `place` has room for it that no queued copy uses.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr().add(done), place.as_ptr(), count) };
            // SAFETY: the caller vouches for the target; the pinned memory stays until the copy is done.
            let code = trace::copy(&self.stream, "upload", count, || unsafe {
                device.hip().hipMemcpyAsync(
                    target.byte_add(done).as_raw(),
                    place.as_ptr().cast::<c_void>(),
                    count,
                    hipMemcpyKind::hipMemcpyHostToDevice,
                    self.stream.as_raw(),
                )
            });
            self.stream.check("hipMemcpyAsync", code)?;
            done += count;
        }
        Ok(())
    }

    /// Copies `count` bytes from `source` to `target`, after everything queued so far, and waits for that.
    ///
    /// # Safety
    /// `source` is device memory of at least that size on the stream's device, `target` host memory for it.
    pub(crate) unsafe fn download(&self, source: DevicePtr, target: *mut u8, count: usize) -> Result<()> {
        let device = self.stream.device();
        device.bind()?;
        let mut segments = self.download.lock();
        let pieces = count.div_ceil(SEGMENT);
        let piece = |index: usize| (index * SEGMENT, SEGMENT.min(count - index * SEGMENT));
        for index in 0..=pieces {
            if index < pieces {
                let (start, length) = piece(index);
                let segment = Segment::get(&mut segments[index % 2], device)?;
                // SAFETY: the caller vouches for the source; the segment was emptied two rounds ago, and outlives the copy.
                let code = trace::copy(&self.stream, "download", length, || unsafe {
                    device.hip().hipMemcpyAsync(
                        segment.memory.as_ptr().cast::<c_void>(),
                        source.byte_add(start).as_raw(),
                        length,
                        hipMemcpyKind::hipMemcpyDeviceToHost,
                        self.stream.as_raw(),
                    )
                });
                self.stream.check("hipMemcpyAsync", code)?;
                segment.done.record(&self.stream)?;
            }
            if index > 0 {
                let (start, length) = piece(index - 1);
                let segment = Segment::get(&mut segments[(index - 1) % 2], device)?;
                if index == pieces {
                    // The stream itself, as it reports what failed, and which kernels were queued.
                    self.stream.synchronize()?;
                } else {
                    segment.done.synchronize()?;
                }
                // SAFETY: the copy into the segment is done, and the target has room for the piece.
                unsafe { ptr::copy_nonoverlapping(segment.memory.as_ptr(), target.add(start), length) };
            }
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if !self.stream.device().is_abandoned() {
            // Queued copies read the segments. If this fails, so did they.
            let _ = self.stream.synchronize();
        }
    }
}

impl Ring {
    /// Where to put up to `wanted` bytes, and how many fit there: all of them, unless there are more than a segment has.
    fn room(&mut self, stream: &Stream, wanted: usize) -> Result<(NonNull<u8>, usize)> {
        let rest = SEGMENT - self.used;
        if wanted > rest && (wanted <= SEGMENT || rest < WORTHWHILE) {
            if let Some(segment) = &mut self.segments[self.current] {
                segment.done.record(stream)?;
                segment.pending = true;
            }
            self.current = (self.current + 1) % UPLOAD_SEGMENTS;
            self.used = 0;
        }
        let segment = Segment::get(&mut self.segments[self.current], stream.device())?;
        if segment.pending {
            segment.done.synchronize()?;
            segment.pending = false;
        }
        let count = wanted.min(SEGMENT - self.used);
        // SAFETY: `used` is at most SEGMENT, the size of the allocation.
        let place = unsafe { segment.memory.add(self.used) };
        self.used = (self.used + count).next_multiple_of(ALIGNMENT);
        Ok((place, count))
    }
}

/// Pinned host memory.
#[derive(Debug)]
struct Segment {
    memory: NonNull<u8>,
    done: Event,
    /// Whether `done` marks copies that may still read the memory.
    pending: bool,
    device: Device,
}

// SAFETY: the memory belongs to the segment alone, and any thread may use it.
unsafe impl Send for Segment {}

impl Segment {
    fn get(slot: &mut Option<Segment>, device: Device) -> Result<&mut Segment> {
        if slot.is_none() {
            let done = Event::new(device)?;
            let mut memory = ptr::null_mut();
            // SAFETY: the pointer is valid for the call.
            let code = unsafe { device.hip().hipHostMalloc(&mut memory, SEGMENT, 0) };
            device.check("hipHostMalloc", code)?;
            if let Some(memory) = NonNull::new(memory.cast::<u8>()) {
                *slot = Some(Segment { memory, done, pending: false, device });
            }
        }
        slot.as_mut().ok_or(HipError::NoMemoryGiven { call: "hipHostMalloc" })
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if self.device.is_reachable_when_idle() {
            // SAFETY: the memory came from hipHostMalloc; `Staging` waited for the copies that use it.
            let _ = unsafe { self.device.hip().hipHostFree(self.memory.as_ptr().cast::<c_void>()) };
        }
    }
}
