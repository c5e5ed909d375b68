//! Work on a device, and the memory it needs.

use std::fmt;
use std::ptr;

use rocm_sys::hip::hipMemcpyKind;

use crate::launch::info::InfoCache;
use crate::memory::batches::Address;
use crate::memory::fill::Fill;
use crate::memory::staging::{Staging, Target, UploadStats};
use crate::{
    Buffer, Device, DevicePtr, Element, Function, HipError, InfoPtr, Launch, Pool, Result, Stream, trace,
};

/// A [`Stream`] with a memory [`Pool`] and pinned memory for copies. Allocates, copies and launches kernels, in the order of the calls.
///
/// Any thread can use it, through a reference or an `Arc`. Buffers of two queues do not mix, even on one device, because the work of
/// different queues is not ordered. [`Queue::copy_of`] copies a buffer to another queue.
///
/// ```
/// use rocm_hip::{Platform, Queue, Runtime};
/// # use rocm_hip::{Adapter, Linked};
/// # static ADAPTER: Adapter = Adapter::linked("host", Linked { name: "host", symbol: candle_rocm_host::symbol, unavailable: candle_rocm_host::unavailable });
/// # const HOST: Platform = Platform::of(&ADAPTER);
/// // On an AMD GPU: Platform::AMD. This one is the CPU.
/// let device = Runtime::get(HOST)?.device(0)?;
/// let queue = Queue::new(device)?;
/// let buffer = queue.upload(&[1f32, 2., 3.])?;
/// assert_eq!(queue.download(&buffer)?, [1., 2., 3.]);
/// # Ok::<(), rocm_hip::HipError>(())
/// ```
pub struct Queue {
    // Dropped in this order: the copies first, which use memory of both pools and wait for all kernels, then the memory.
    staging: Staging,
    info: InfoCache,
    pool: Pool,
    stream: Stream,
}

impl Queue {
    /// Creates a queue with a new stream on the device, and its own pool.
    ///
    /// # Errors
    /// [`HipError::Call`] if the driver has no more streams, [`HipError::DeviceLost`], [`HipError::ForkedProcess`].
    pub fn new(device: Device) -> Result<Self> {
        Self::on(Stream::new(device)?)
    }

    /// Creates a queue on an existing stream, with its own pool.
    ///
    /// # Errors
    /// [`HipError::DeviceLost`], [`HipError::ForkedProcess`].
    pub fn on(stream: Stream) -> Result<Self> {
        let (staging, pool) = (Staging::new(&stream), Pool::new(&stream)?);
        Ok(Self { staging, info: InfoCache::default(), pool, stream })
    }

    /// The device on which the queue runs.
    pub fn device(&self) -> Device {
        self.stream.device()
    }

    /// The stream on which all work of this queue runs.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// The pool from which all memory of this queue comes.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Allocates `len` elements without initializing them.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`].
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        self.pool.alloc(len)
    }

    /// Allocates `len` elements, all zero.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`].
    pub fn alloc_zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        let buffer = self.alloc::<T>(len)?;
        if !buffer.is_empty() {
            let device = self.device();
            device.bind()?;
            let (address, bytes) = (buffer.as_ptr().as_raw(), buffer.size_in_bytes());
            // SAFETY: the buffer has that many bytes, and all zeros is a valid value.
            let code = trace::copy(&self.stream, "zeros", bytes, || unsafe {
                device.hip().hipMemsetAsync(address, 0, bytes, self.stream.as_raw())
            });
            self.stream.check("hipMemsetAsync", code)?;
        }
        Ok(buffer)
    }

    /// Copies values to the device. The slice may be reused as soon as this returns; the copy itself is queued.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`].
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>> {
        self.upload_with(values.len(), Fill::AnyOrder(&Fill::from_bytes(bytes_of(values))))
    }

    /// Copies values into the buffer, starting at element `offset`. The slice may be reused as soon as this returns; the copy is queued.
    ///
    /// # Errors
    /// [`HipError::OutOfBounds`], [`HipError::WrongQueue`].
    pub fn upload_to<T: Element>(&self, values: &[T], buffer: &mut Buffer<T>, offset: usize) -> Result<()> {
        self.check_range("upload", buffer, offset, values.len())?;
        let target = buffer.as_mut_ptr()?.byte_add(offset * size_of::<T>());
        let target = self.target(target, false)?;
        // SAFETY: the range was checked, and a slice does not overlap memory of a pool's.
        unsafe { self.staging.upload(target, bytes_of(values)) }
    }

    /// How elements get to memory of this queue's. `is_new`: of a buffer that nothing was done with yet.
    fn target(&self, address: DevicePtr, is_new: bool) -> Result<Target> {
        let Some((host, is_fresh)) = self.pool.0.host_address(address) else {
            return Ok(Target::Device(address));
        };
        // Memory that the pool has for the first time took the driver longer than what is queued may take, so a wait is shorter than a
        // second copy, with which the stream would be busy at the next upload. What had other owners may be used by what is queued.
        if (is_new && is_fresh) || self.stream.is_idle()? {
            // Makes it the host's.
            self.stream.synchronize()?;
            return Ok(Target::Host(Address(host)));
        }
        Ok(Target::Device(address))
    }

    /// Copies `len` elements to the device, which `fill` writes to pinned memory, for example while reading a file. Returns once they are
    /// written; the copy is queued. On an integrated GPU, `fill` writes to the buffer itself where that is in the machine's memory; if the
    /// pool takes that for the buffer, this waits for what is queued.
    ///
    /// ```
    /// # use rocm_hip::{Adapter, Fill, Linked, Platform, Queue, Runtime};
    /// # static ADAPTER: Adapter = Adapter::linked("host", Linked { name: "host", symbol: candle_rocm_host::symbol, unavailable: candle_rocm_host::unavailable });
    /// # const HOST: Platform = Platform::of(&ADAPTER);
    /// use std::io::Read;
    /// let queue = Queue::new(Runtime::get(HOST)?.device(0)?)?;
    /// let mut file = &[1u8, 0, 2, 0][..];
    /// let numbers = queue.upload_with::<u16>(2, Fill::InOrder(&mut |part| file.read_exact(part)))?;
    /// assert_eq!(queue.download(&numbers)?, [1, 2]);
    /// # Ok::<(), rocm_hip::HipError>(())
    /// ```
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`], and [`HipError::Fill`] with the error that `fill` returned.
    pub fn upload_with<T: Element>(&self, len: usize, fill: Fill<'_>) -> Result<Buffer<T>> {
        let mut buffer = self.alloc::<T>(len)?;
        let target = self.target(buffer.as_mut_ptr()?, true)?;
        // SAFETY: the buffer has that many bytes, and every bit pattern is a value.
        unsafe { self.staging.upload_with(target, len * size_of::<T>(), fill) }?;
        Ok(buffer)
    }

    /// The bytes and copies of uploads so far, and the pinned memory that they use.
    pub fn upload_stats(&self) -> UploadStats {
        self.staging.stats()
    }

    /// Copies a buffer to the host. Waits for everything queued so far.
    ///
    /// # Errors
    /// [`HipError::WrongQueue`], and any failure on the device since the last call that waited.
    pub fn download<T: Element>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        self.download_range(buffer, 0, buffer.len())
    }

    /// Copies `len` elements, starting at `start`, to the host. Waits for everything queued so far.
    ///
    /// # Errors
    /// As [`Queue::download`], and [`HipError::OutOfBounds`].
    pub fn download_range<T: Element>(&self, buffer: &Buffer<T>, start: usize, len: usize) -> Result<Vec<T>> {
        self.check_range("download", buffer, start, len)?;
        let mut values = Vec::<T>::with_capacity(len);
        let source = buffer.as_ptr().byte_add(start * size_of::<T>());
        let (target, bytes) = (values.as_mut_ptr().cast::<u8>(), len * size_of::<T>());
        if let Some((host, _)) = self.pool.0.host_address(source) {
            self.stream.synchronize()?;
            // SAFETY: the range was checked, and the vector has room for it.
            unsafe { ptr::copy_nonoverlapping(host, target, bytes) };
        } else {
            // SAFETY: as above.
            unsafe { self.staging.download(source, target, bytes) }?;
        }
        // SAFETY: all elements were written, and every bit pattern is a value.
        unsafe { values.set_len(len) };
        Ok(values)
    }

    /// Queues a copy of `len` elements between two buffers of this queue.
    ///
    /// # Errors
    /// [`HipError::OutOfBounds`], [`HipError::WrongQueue`].
    pub fn copy<T: Element>(
        &self,
        src: &Buffer<T>,
        src_offset: usize,
        dst: &mut Buffer<T>,
        dst_offset: usize,
        len: usize,
    ) -> Result<()> {
        self.check_range("copy", src, src_offset, len)?;
        self.check_range("copy", dst, dst_offset, len)?;
        if len == 0 {
            return Ok(());
        }
        let device = self.device();
        device.bind()?;
        let (size, target) = (size_of::<T>(), dst.as_mut_ptr()?);
        // SAFETY: both ranges were checked; they cannot overlap, as one buffer is borrowed exclusively.
        let code = trace::copy(&self.stream, "copy", len * size, || unsafe {
            device.hip().hipMemcpyAsync(
                target.byte_add(dst_offset * size).as_raw(),
                src.as_ptr().byte_add(src_offset * size).as_raw(),
                len * size,
                hipMemcpyKind::hipMemcpyDeviceToDevice,
                self.stream.as_raw(),
            )
        });
        self.stream.check("hipMemcpyAsync", code)
    }

    /// Copies a buffer of any queue of this platform, on the same or another device, into a new buffer of this queue. The two queues are
    /// ordered: the copy waits for the work that produces the source, and later writes to the source wait for the copy. Data goes through
    /// the host only if the driver has no other way.
    ///
    /// # Errors
    /// [`HipError::WrongQueue`] if the buffer is on another platform, [`HipError::OutOfMemory`].
    pub fn copy_of<T: Element>(&self, src: &Buffer<T>) -> Result<Buffer<T>> {
        let (from, to) = (src.device(), self.device());
        if from.platform() != to.platform() {
            return Err(self.wrong("copy_of", src));
        }
        let copy = self.alloc::<T>(src.len())?;
        if src.is_empty() {
            return Ok(copy);
        }
        let (stream, bytes) = (&self.stream, src.size_in_bytes());
        stream.wait_for(src.pool().stream())?;
        to.bind()?;
        let (target, source) = (copy.as_ptr().as_raw(), src.as_ptr().as_raw());
        let (call, code) = if from == to {
            let kind = hipMemcpyKind::hipMemcpyDeviceToDevice;
            // SAFETY: both buffers have that many bytes; this stream waits for the source's, and the source's memory is neither
            // written nor used again before this stream is done with it.
            let code = trace::copy(stream, "copy", bytes, || unsafe {
                to.hip().hipMemcpyAsync(target, source, bytes, kind, stream.as_raw())
            });
            ("hipMemcpyAsync", code)
        } else {
            let (from, to_ordinal) = (from.ordinal() as i32, to.ordinal() as i32);
            // SAFETY: as above.
            let code = trace::copy(stream, "copy from another device", bytes, || unsafe {
                to.hip().hipMemcpyPeerAsync(target, to_ordinal, source, from, bytes, stream.as_raw())
            });
            ("hipMemcpyPeerAsync", code)
        };
        // Whatever the call says: it may tell of earlier work.
        src.used_on(stream);
        stream.check(call, code)?;
        Ok(copy)
    }

    fn check_range<T: Element>(
        &self,
        op: &'static str,
        buffer: &Buffer<T>,
        start: usize,
        len: usize,
    ) -> Result<()> {
        if buffer.pool() != &self.pool {
            return Err(self.wrong(op, buffer));
        }
        match start.checked_add(len) {
            Some(end) if end <= buffer.len() => Ok(()),
            end => {
                Err(HipError::OutOfBounds { op, start, end: end.unwrap_or(usize::MAX), len: buffer.len() })
            }
        }
    }

    #[cold]
    pub(crate) fn wrong<T>(&self, op: &'static str, buffer: &Buffer<T>) -> HipError {
        HipError::WrongQueue { op, lhs: self.stream.to_string(), rhs: buffer.pool().stream().to_string() }
    }

    /// Words for a kernel, such as dims and strides, in device memory. Recently used ones are cached, others are uploaded.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`].
    pub fn info(&self, words: &[usize]) -> Result<InfoPtr> {
        self.device().check_usable()?;
        self.info.get(words, &self.pool, &self.staging)
    }

    /// Starts building the launch of a kernel.
    pub fn launch<'a>(&'a self, function: &'a Function) -> Launch<'a> {
        Launch::new(self, Ok(function))
    }

    /// Waits until everything queued so far is done, and reports any failure.
    ///
    /// # Errors
    /// [`HipError::KernelFault`] if a kernel failed, [`HipError::DeviceLost`] after the timeout or a reset.
    pub fn synchronize(&self) -> Result<()> {
        self.stream.synchronize()
    }
}

fn bytes_of<T: Element>(values: &[T]) -> &[u8] {
    // SAFETY: `T` is plain data without padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Queue({}, {})", self.stream, self.device().arch())
    }
}
