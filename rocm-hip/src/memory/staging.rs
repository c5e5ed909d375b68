//! Copies between host and device through pinned memory.
//!
//! The device copies from and to pinned memory by itself, while the host goes on. Uploads are copied into pinned segments and queued from
//! there, so the caller's slice is free as soon as the call returns; a segment is used again when the copies from it are done. Long
//! uploads are [filled by several threads](super::batches), a segment after the other, while the device copies those before. Downloads go
//! through two segments of their own: the device fills one while the host empties the other. What is uploaded to memory that the host may
//! write itself goes there in the same way, and is not copied.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

use rocm_sys::hip::hipMemcpyKind;

use super::batches::{Address, in_batches};
use super::fill::Fill;
use crate::lock::{self, Mutex};
use crate::{Device, DevicePtr, Event, HipError, Result, Stream, trace};

/// Copying less at once takes longer: a copy costs the driver up to 20 µs, in which the link moves 1 MiB.
const SEGMENT: usize = 4 << 20;
/// Some are filled while the device copies from others.
const UPLOAD_SEGMENTS: usize = 8;
/// Longer uploads have segments of their own, which several threads fill.
const SHORT: usize = 1 << 20;
/// Uploads start at multiples of this.
const ALIGNMENT: usize = 64;

/// Statistics of a [`Queue`](crate::Queue)'s uploads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UploadStats {
    /// Bytes written by the host.
    pub bytes: u64,
    /// The part of `bytes` that was written where it is to be, in the machine's memory, so that the device need not copy it.
    pub direct: u64,
    /// Copies queued on the device.
    pub copies: u64,
    /// Bytes of pinned memory allocated for uploads.
    pub pinned: usize,
}

/// Where an upload goes.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// Memory that only the device writes, and copies to.
    Device(DevicePtr),
    /// Memory that the host may write at once: nothing that is queued uses it.
    Host(Address),
}

/// What writes a part of an upload.
type FillPart<'a> = dyn FnMut(&mut [u8]) -> io::Result<()> + 'a;

/// Pinned memory and the queue it serves.
#[derive(Debug)]
pub(crate) struct Staging {
    stream: Stream,
    /// Held during an upload.
    upload: Mutex<Current, lock::Staging>,
    segments: Mutex<Segments>,
    bytes: AtomicU64,
    direct: AtomicU64,
    copies: AtomicU64,
    download: Mutex<[Option<Segment>; 2], lock::Staging>,
}

/// The segment of short uploads.
#[derive(Debug, Default)]
struct Current {
    segment: Option<Segment>,
    /// Bytes of it that are in use.
    used: usize,
}

#[derive(Debug, Default)]
struct Segments {
    /// Those that copies may still read, each with an event behind them; the oldest first.
    queued: VecDeque<Segment>,
    /// How many there are, those in use included.
    made: usize,
}

impl Staging {
    pub(crate) fn new(stream: &Stream) -> Self {
        Self {
            stream: stream.clone(),
            upload: Mutex::default(),
            segments: Mutex::default(),
            bytes: AtomicU64::new(0),
            direct: AtomicU64::new(0),
            copies: AtomicU64::new(0),
            download: Mutex::default(),
        }
    }

    pub(crate) fn stats(&self) -> UploadStats {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (bytes, direct, copies) = (count(&self.bytes), count(&self.direct), count(&self.copies));
        UploadStats { bytes, direct, copies, pinned: self.segments.lock().made * SEGMENT }
    }

    /// Writes `bytes` to `target`, or queues a copy, and returns when `bytes` is no longer needed.
    ///
    /// # Safety
    /// `target` is memory of at least that size, the device's of the stream, or such that the host may write.
    pub(crate) unsafe fn upload(&self, target: Target, bytes: &[u8]) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.upload_with(target, bytes.len(), Fill::AnyOrder(&Fill::from_bytes(bytes))) }
    }

    /// As [`Staging::upload`], of `count` bytes that `fill` writes. Returns when they are written.
    ///
    /// # Safety
    /// As [`Staging::upload`].
    pub(crate) unsafe fn upload_with(&self, target: Target, count: usize, fill: Fill<'_>) -> Result<()> {
        self.stream.device().bind()?;
        match (target, fill) {
            _ if count == 0 => Ok(()),
            (Target::Device(target), fill) if count <= SHORT => {
                let mut current = self.upload.lock();
                match fill {
                    // SAFETY: the caller's.
                    Fill::AnyOrder(fill) => unsafe {
                        self.short(&mut current, target, count, &mut |part| fill(0, part))
                    },
                    // SAFETY: the caller's.
                    Fill::InOrder(fill) => unsafe { self.short(&mut current, target, count, fill) },
                }
            }
            (Target::Device(target), fill) => {
                let _current = self.upload.lock();
                let open = |_| {
                    self.stream.device().bind()?;
                    let taken = Taken { staging: self, segment: Some(self.take()?) };
                    Ok((Address(taken.memory().as_ptr()), taken))
                };
                in_batches(count, SEGMENT, fill, &open, &|taken: Taken<'_>, range: Range<usize>| {
                    self.stream.device().bind()?;
                    // SAFETY: the caller's; the range lies inside, and the segment holds its bytes.
                    let copied =
                        unsafe { self.copy(taken.memory(), target.byte_add(range.start), range.len()) };
                    copied.and(taken.put())
                })
            }
            (Target::Host(target), fill) => {
                // SAFETY: the caller's.
                let open = |start| Ok((unsafe { target.at(start) }, ()));
                in_batches(count, SEGMENT, fill, &open, &|(), range| {
                    self.bytes.fetch_add(range.len() as u64, Ordering::Relaxed);
                    self.direct.fetch_add(range.len() as u64, Ordering::Relaxed);
                    Ok(())
                })
            }
        }
    }

    /// Up to a segment's bytes, behind those of uploads before.
    ///
    /// # Safety
    /// As [`Staging::upload`].
    unsafe fn short(
        &self,
        current: &mut Current,
        target: DevicePtr,
        count: usize,
        fill: &mut FillPart<'_>,
    ) -> Result<()> {
        if current.used + count > SEGMENT
            && let Some(full) = current.segment.take()
        {
            self.put(full)?;
        }
        let segment = match &mut current.segment {
            Some(segment) => segment,
            none => {
                current.used = 0;
                none.insert(self.take()?)
            }
        };
        let start = current.used;
        current.used = (start + count).next_multiple_of(ALIGNMENT);
        // SAFETY: no copy uses the segment from `start` on, it has room for `count` bytes there, and nobody else has it.
        let part = unsafe { slice::from_raw_parts_mut(segment.memory.as_ptr().add(start), count) };
        fill(part).map_err(HipError::Fill)?;
        // SAFETY: the caller's; the bytes were written.
        unsafe { self.copy(segment.memory.add(start), target, count) }
    }

    /// Queues a copy from pinned memory.
    ///
    /// # Safety
    /// As [`Staging::upload`]; the pinned memory has that many bytes, and stays as it is until the copy is done.
    unsafe fn copy(&self, from: NonNull<u8>, target: DevicePtr, count: usize) -> Result<()> {
        let device = self.stream.device();
        // SAFETY: the caller's.
        let code = trace::copy(&self.stream, "upload", count, || unsafe {
            device.hip().hipMemcpyAsync(
                target.as_raw(),
                from.as_ptr().cast::<c_void>(),
                count,
                hipMemcpyKind::hipMemcpyHostToDevice,
                self.stream.as_raw(),
            )
        });
        self.stream.check("hipMemcpyAsync", code)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        self.copies.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// A segment that no copy uses: the oldest one if it is done, else a new one, while there may be more.
    fn take(&self) -> Result<Segment> {
        let oldest = self.segments.lock().queued.pop_front();
        if let Some(segment) = oldest {
            let done = match segment.done.is_done() {
                Ok(false) if self.segments.lock().made == UPLOAD_SEGMENTS => {
                    segment.done.synchronize().map(|()| true)
                }
                asked => asked,
            };
            if matches!(done, Ok(true)) {
                return Ok(segment);
            }
            self.segments.lock().queued.push_front(segment);
            done?;
        }
        self.segments.lock().made += 1;
        Segment::new(self.stream.device()).inspect_err(|_| self.segments.lock().made -= 1)
    }

    /// Gives a segment back; it is free when what was queued so far is done.
    fn put(&self, segment: Segment) -> Result<()> {
        let recorded = segment.done.record(&self.stream);
        self.segments.lock().queued.push_back(segment);
        recorded
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

/// A segment that is being filled.
struct Taken<'a> {
    staging: &'a Staging,
    segment: Option<Segment>,
}

impl Taken<'_> {
    fn memory(&self) -> NonNull<u8> {
        self.segment.as_ref().map_or(NonNull::dangling(), |segment| segment.memory)
    }

    fn put(mut self) -> Result<()> {
        self.segment.take().map_or(Ok(()), |segment| self.staging.put(segment))
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        if let Some(segment) = self.segment.take() {
            // Of an upload that failed. If this fails, too, the segment is free at once.
            let _ = self.staging.put(segment);
        }
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

/// Pinned host memory.
#[derive(Debug)]
struct Segment {
    memory: NonNull<u8>,
    done: Event,
    device: Device,
}

// SAFETY: the memory belongs to the segment alone, and any thread may use it.
unsafe impl Send for Segment {}

impl Segment {
    fn new(device: Device) -> Result<Self> {
        let done = Event::new(device)?;
        let mut memory = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { device.hip().hipHostMalloc(&mut memory, SEGMENT, 0) };
        device.check("hipHostMalloc", code)?;
        let memory =
            NonNull::new(memory.cast::<u8>()).ok_or(HipError::NoMemoryGiven { call: "hipHostMalloc" })?;
        Ok(Self { memory, done, device })
    }

    fn get(slot: &mut Option<Segment>, device: Device) -> Result<&mut Segment> {
        match slot {
            Some(segment) => Ok(segment),
            none => Ok(none.insert(Self::new(device)?)),
        }
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
