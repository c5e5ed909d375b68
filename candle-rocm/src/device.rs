//! A GPU as candle sees it.

mod faults;
mod functions;
mod info;
mod launch;
mod matrix;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use candle_core::DType;
use rocm_sys::hip::hipMemcpyKind;

use crate::blas::Blas;
use crate::conv::ConvEngine;
use crate::error::{Result, RocmError};
use crate::hip::{
    Buffer, Device, DevicePtr, Function, LaunchConfig, Module, Platform, Pool, Runtime, Staging, Stream,
};
use crate::ops::conv::Measured;
use crate::{Element, GemmEngine};
use faults::Faults;
pub(crate) use faults::IndexedOp;
use functions::Functions;
use info::InfoCache;
pub use info::InfoPtr;
pub use launch::Launch;

/// The seed of a new device, as on candle's CUDA backend.
const DEFAULT_SEED: u64 = 299_792_458;

/// A GPU with a stream, a memory pool and a random generator of its own. Clones share them; two calls of
/// [`RocmDevice::new`] make two devices, whose tensors do not mix, even on one GPU.
///
/// ```
/// use candle_rocm::{RocmDevice, hip::Platform};
/// // On an AMD GPU: RocmDevice::new(0), which follows CANDLE_ROCM_PLATFORM.
/// let device = RocmDevice::on(Platform::Host, 0)?;
/// let buffer = device.upload(&[1f32, 2., 3.])?;
/// assert_eq!(device.download(&buffer)?, [1., 2., 3.]);
/// # Ok::<(), candle_rocm::RocmError>(())
/// ```
#[derive(Clone)]
pub struct RocmDevice(Arc<Inner>);

struct Inner {
    device: Device,
    stream: Stream,
    functions: &'static Functions,
    blas: Blas,
    // Dropped in this order: the copies first, which use memory of both pools and wait for
    // all kernels, then the memory.
    staging: Staging,
    faults: Faults,
    info: InfoCache,
    pool: Pool,
    random: Mutex<Random>,
    deterministic: AtomicBool,
    matrix_cores: AtomicBool,
    conv_engine: AtomicU8,
    convolutions: Measured,
    #[cfg(feature = "miopen")]
    miopen: crate::miopen::Engine,
    gemm_engine: AtomicU8,
}

/// State of the counter-based generator: the next number's counter, under the seed.
struct Random {
    seed: u64,
    offset: u64,
}

impl RocmDevice {
    /// The device of that number on the platform that [`Platform::current`] says: AMD's, unless the environment variable
    /// `CANDLE_ROCM_PLATFORM` or [`set_default_platform`](crate::hip::set_default_platform) chose another.
    pub fn new(ordinal: usize) -> Result<Self> {
        Self::on(Platform::current()?, ordinal)
    }

    /// The device of that number on a platform.
    pub fn on(platform: Platform, ordinal: usize) -> Result<Self> {
        let device = Runtime::get(platform)?.device(ordinal)?;
        let stream = Stream::new(device)?;
        Ok(Self(Arc::new(Inner {
            device,
            functions: Functions::of(device),
            blas: Blas::default(),
            staging: Staging::new(&stream),
            faults: Faults::default(),
            info: InfoCache::default(),
            pool: Pool::new(&stream)?,
            random: Mutex::new(Random { seed: DEFAULT_SEED, offset: 0 }),
            deterministic: AtomicBool::new(false),
            matrix_cores: AtomicBool::new(matrix::by_default(device.platform(), device.arch())),
            conv_engine: AtomicU8::new(ConvEngine::Auto as u8),
            convolutions: Measured::default(),
            #[cfg(feature = "miopen")]
            miopen: Default::default(),
            gemm_engine: AtomicU8::new(GemmEngine::Auto as u8),
            stream,
        })))
    }

    /// The device's number on its platform.
    pub fn ordinal(&self) -> usize {
        self.0.device.ordinal()
    }

    /// The platform.
    pub fn platform(&self) -> Platform {
        self.0.device.platform()
    }

    /// The full architecture, as `gfx90a:sramecc+:xnack-`.
    pub fn arch(&self) -> &str {
        self.0.device.arch()
    }

    /// Threads per wavefront: 32 or 64.
    pub fn wavefront_size(&self) -> u32 {
        self.0.device.wavefront_size()
    }

    /// The physical device and its properties.
    pub fn hip_device(&self) -> Device {
        self.0.device
    }

    /// The stream that all work of this device goes to.
    pub fn stream(&self) -> &Stream {
        &self.0.stream
    }

    /// The pool that all memory of this device comes from.
    pub fn pool(&self) -> &Pool {
        &self.0.pool
    }

    /// For messages: `amd:0#3`, where 3 tells devices on one GPU apart.
    pub fn label(&self) -> String {
        self.0.stream.to_string()
    }

    /// Whether this is a clone of the other, so that their tensors mix.
    pub fn same_device(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// [`RocmError::WrongDevice`] unless this is a clone of the other.
    pub fn check_same(&self, other: &Self, op: &'static str) -> Result<()> {
        if self.same_device(other) {
            return Ok(());
        }
        Err(RocmError::WrongDevice { op, lhs: self.label(), rhs: other.label() })
    }

    /// Memory for `len` values, which hold whatever was there before.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        self.0.pool.alloc(len)
    }

    /// `len` zeros.
    pub fn alloc_zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        let buffer = self.alloc::<T>(len)?;
        if !buffer.is_empty() {
            self.0.device.bind()?;
            let (stream, bytes) = (&self.0.stream, buffer.size_in_bytes());
            // SAFETY: the buffer has that many bytes, and all zeros is a valid value.
            let code = unsafe {
                self.0.device.hip().hipMemsetAsync(buffer.as_ptr().as_raw(), 0, bytes, stream.as_raw())
            };
            stream.check("hipMemsetAsync", code)?;
        }
        Ok(buffer)
    }

    /// Copies values to the device. The slice is free when this returns; the copy itself is queued.
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>> {
        let mut buffer = self.alloc::<T>(values.len())?;
        self.upload_to(values, &mut buffer, 0)?;
        Ok(buffer)
    }

    /// Copies values to the buffer's elements from `offset` on. The slice is free when this returns; the copy is queued.
    pub fn upload_to<T: Element>(&self, values: &[T], buffer: &mut Buffer<T>, offset: usize) -> Result<()> {
        self.check_range("upload", buffer, offset, values.len())?;
        // SAFETY: `T` is plain data without padding.
        let bytes = unsafe { std::slice::from_raw_parts(values.as_ptr().cast::<u8>(), size_of_val(values)) };
        // SAFETY: the range was checked.
        unsafe { self.0.staging.upload(buffer.as_ptr().byte_add(offset * size_of::<T>()), bytes) }
    }

    /// Copies a buffer back, after everything queued so far; waits for that.
    pub fn download<T: Element>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        self.download_range(buffer, 0, buffer.len())
    }

    /// Copies `len` elements from `start` on back, after everything queued so far; waits for that.
    pub fn download_range<T: Element>(&self, buffer: &Buffer<T>, start: usize, len: usize) -> Result<Vec<T>> {
        self.check_range("download", buffer, start, len)?;
        let mut values = Vec::<T>::with_capacity(len);
        let source = buffer.as_ptr().byte_add(start * size_of::<T>());
        // SAFETY: the range was checked, and the vector has room for it.
        unsafe { self.0.staging.download(source, values.as_mut_ptr().cast::<u8>(), len * size_of::<T>()) }?;
        self.0.faults.check(self.0.device)?;
        // SAFETY: all elements were written, and every bit pattern is a value.
        unsafe { values.set_len(len) };
        Ok(values)
    }

    /// Queues a copy of `len` elements from one buffer of this device to another.
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
        self.0.device.bind()?;
        let size = size_of::<T>();
        // SAFETY: both ranges were checked; they cannot overlap, as one buffer is borrowed exclusively.
        let code = unsafe {
            self.0.device.hip().hipMemcpyAsync(
                dst.as_ptr().byte_add(dst_offset * size).as_raw(),
                src.as_ptr().byte_add(src_offset * size).as_raw(),
                len * size,
                hipMemcpyKind::hipMemcpyDeviceToDevice,
                self.0.stream.as_raw(),
            )
        };
        self.0.stream.check("hipMemcpyAsync", code)
    }

    /// A copy on this device of a buffer of any device of the platform, of this one with another stream, too. The copy is queued
    /// behind what makes the source; nothing goes through the CPU, unless the driver has no other way.
    pub fn copy_of<T: Element>(&self, src: &Buffer<T>) -> Result<Buffer<T>> {
        let (from, to) = (src.device(), self.0.device);
        if from.platform() != to.platform() {
            return Err(RocmError::WrongDevice {
                op: "copy_of",
                lhs: self.label(),
                rhs: src.pool().stream().to_string(),
            });
        }
        let copy = self.alloc::<T>(src.len())?;
        if src.is_empty() {
            return Ok(copy);
        }
        let (stream, bytes) = (&self.0.stream, src.size_in_bytes());
        stream.wait_for(src.pool().stream())?;
        src.record_stream(stream);
        to.bind()?;
        let (dst, src) = (copy.as_ptr().as_raw(), src.as_ptr().as_raw());
        if from == to {
            let kind = hipMemcpyKind::hipMemcpyDeviceToDevice;
            // SAFETY: both buffers have that many bytes; this stream waits for the source's, and the source's memory is not used
            // again before this stream is done with it.
            let code = unsafe { to.hip().hipMemcpyAsync(dst, src, bytes, kind, stream.as_raw()) };
            stream.check("hipMemcpyAsync", code)?;
        } else {
            let (from, to_ordinal) = (from.ordinal() as i32, to.ordinal() as i32);
            // SAFETY: as above.
            let code =
                unsafe { to.hip().hipMemcpyPeerAsync(dst, to_ordinal, src, from, bytes, stream.as_raw()) };
            stream.check("hipMemcpyPeerAsync", code)?;
        }
        Ok(copy)
    }

    fn check_range<T: Element>(
        &self,
        op: &'static str,
        buffer: &Buffer<T>,
        start: usize,
        len: usize,
    ) -> Result<()> {
        if buffer.pool() != &self.0.pool {
            return Err(RocmError::WrongDevice {
                op,
                lhs: self.label(),
                rhs: buffer.pool().stream().to_string(),
            });
        }
        match start.checked_add(len) {
            Some(end) if end <= buffer.len() => Ok(()),
            end => {
                Err(RocmError::OutOfBounds { op, start, end: end.unwrap_or(usize::MAX), len: buffer.len() })
            }
        }
    }

    /// A built-in kernel, loaded now if it was not yet.
    pub fn function(&self, module: &'static rocm_kernels::Module, name: &str) -> Result<Function> {
        self.0.functions.get(module, name).cloned()
    }

    /// Dims and strides in device memory, uploaded now if these were not seen lately.
    pub fn info(&self, words: &[usize]) -> Result<InfoPtr> {
        self.0.device.check_usable()?;
        self.0.info.get(words, &self.0.pool, &self.0.staging)
    }

    /// Begins the launch of a built-in kernel.
    pub fn launch(&self, module: &'static rocm_kernels::Module, name: &str) -> Launch<'_> {
        Launch::new(self, self.0.functions.get(module, name))
    }

    /// Begins the launch of a kernel of your own.
    pub fn launch_function<'a>(&'a self, function: &'a Function) -> Launch<'a> {
        Launch::new(self, Ok(function))
    }

    /// How to launch a grid-stride kernel over `numel` elements, of which a thread takes `per_thread` at a time.
    pub fn elementwise(&self, numel: usize, per_thread: usize) -> LaunchConfig {
        LaunchConfig::elementwise(numel, per_thread, self.0.device.compute_units())
    }

    /// Compiles and loads HIP kernels of your own; `name` is for messages. The compiler's log is in the error.
    ///
    /// The source needs no includes: threadIdx, `__shared__`, atomics and the like are there, and `#include "common/platform.h"`
    /// gives the vocabulary of the built-in kernels. Kernels are `extern "C" __global__ void` functions. `WAVE` is the
    /// wavefront size. See [`Launch`] for an example.
    pub fn compile(&self, name: &str, source: &str) -> Result<Module> {
        self.compile_with(name, source, &[])
    }

    /// [`RocmDevice::compile`] with further options for the compiler, as `-DTILE=64`.
    pub fn compile_with(&self, name: &str, source: &str, options: &[&str]) -> Result<Module> {
        let device = self.0.device;
        device.check_usable()?;
        let compiler = device.runtime().hiprtc()?;
        let target = functions::target(device);
        let code = rocm_kernels::compile(name, source, rocm_kernels::HEADERS, options, &target, compiler)?;
        Module::load(device, name, code)
    }

    /// Sets the seed of random tensors; the sequence starts anew.
    pub fn set_seed(&self, seed: u64) {
        *self.random() = Random { seed, offset: 0 };
    }

    /// The seed of random tensors.
    pub fn seed(&self) -> u64 {
        self.random().seed
    }

    /// Reserves `count` counters of the generator: the seed, and the first counter.
    pub fn next_random(&self, count: u64) -> (u64, u64) {
        let mut random = self.random();
        let offset = random.offset;
        random.offset = offset.wrapping_add(count);
        (random.seed, offset)
    }

    fn random(&self) -> std::sync::MutexGuard<'_, Random> {
        self.0.random.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether sums of floats come out the same bit for bit each time, also where several elements are added to one at the
    /// same moment (scatter_add, index_add): that takes longer. Who computes a convolution goes by rule then, not by which way
    /// was the fastest. Off unless set.
    pub fn set_deterministic(&self, deterministic: bool) {
        self.0.deterministic.store(deterministic, Ordering::Relaxed);
    }

    /// What [`RocmDevice::set_deterministic`] set.
    pub fn is_deterministic(&self) -> bool {
        self.0.deterministic.load(Ordering::Relaxed)
    }

    /// Whether our own kernels multiply f16 and bf16 on matrix cores: so they do on cards that have them. Weights of attention
    /// are rounded to the dtype there before they multiply values. The host platform, told to, follows
    /// the same steps, slowly: for tests. The environment variable `CANDLE_ROCM_MATRIX_CORES`, `off` or `on`,
    /// sets it for new devices.
    pub fn set_matrix_cores(&self, matrix_cores: bool) {
        self.0.matrix_cores.store(matrix_cores, Ordering::Relaxed);
    }

    /// What [`RocmDevice::set_matrix_cores`] set.
    pub fn matrix_cores(&self) -> bool {
        self.0.matrix_cores.load(Ordering::Relaxed)
    }

    /// Whether kernels shall multiply this dtype on matrix cores.
    pub(crate) fn uses_matrix_cores(&self, dtype: DType) -> bool {
        let stand_in = self.platform() == Platform::Host && matches!(dtype, DType::F16 | DType::BF16);
        self.matrix_cores() && (stand_in || matrix::has(self.arch(), dtype))
    }

    /// Who computes convolutions and pools from now on. [`ConvEngine::Auto`] unless set.
    pub fn set_conv_engine(&self, engine: ConvEngine) {
        self.0.conv_engine.store(engine as u8, Ordering::Relaxed);
    }

    /// What [`RocmDevice::set_conv_engine`] set.
    pub fn conv_engine(&self) -> ConvEngine {
        let number = usize::from(self.0.conv_engine.load(Ordering::Relaxed));
        ConvEngine::ALL.get(number).copied().unwrap_or_default()
    }

    /// Which ways to compute convolutions were the fastest.
    pub(crate) fn convolutions(&self) -> &Measured {
        &self.0.convolutions
    }

    /// MIOpen on this device.
    #[cfg(feature = "miopen")]
    pub(crate) fn miopen(&self) -> &crate::miopen::Engine {
        &self.0.miopen
    }

    /// Chooses what computes matrix products; [`GemmEngine::Auto`] unless set.
    ///
    /// ```
    /// use candle_rocm::{GemmEngine, RocmDevice, hip::Platform};
    /// let device = RocmDevice::on(Platform::Host, 0)?;
    /// device.set_gemm_engine(GemmEngine::Kernels);
    /// assert_eq!(device.gemm_engine(), GemmEngine::Kernels);
    /// # Ok::<(), candle_rocm::RocmError>(())
    /// ```
    pub fn set_gemm_engine(&self, engine: GemmEngine) {
        self.0.gemm_engine.store(engine as u8, Ordering::Relaxed);
    }

    /// What [`RocmDevice::set_gemm_engine`] set.
    pub fn gemm_engine(&self) -> GemmEngine {
        let engine = self.0.gemm_engine.load(Ordering::Relaxed);
        let engines = [GemmEngine::Auto, GemmEngine::Rocblas, GemmEngine::Kernels];
        engines.into_iter().find(|&known| known as u8 == engine).unwrap_or_default()
    }

    /// rocBLAS on this device's stream.
    pub(crate) fn blas(&self) -> &Blas {
        &self.0.blas
    }

    /// Where kernels of the operation write an index that is out of range, and the size of the dimension.
    pub(crate) fn fault_slot(&self, op: IndexedOp) -> Result<DevicePtr> {
        self.0.faults.slot(self.0.device, op)
    }

    /// Limits how long a call that waits for the GPU may take: see [`Device::set_timeout`]. Holds for every `RocmDevice` on
    /// this GPU. None unless set, here or by the environment variable `CANDLE_ROCM_TIMEOUT` (seconds).
    ///
    /// ```
    /// use std::time::Duration;
    /// use candle_rocm::{RocmDevice, hip::Platform};
    /// let device = RocmDevice::on(Platform::Host, 0)?;
    /// device.set_timeout(Some(Duration::from_secs(60)));
    /// device.synchronize()?; // after 60 seconds without an end: RocmError::DeviceLost
    /// # Ok::<(), candle_rocm::RocmError>(())
    /// ```
    pub fn set_timeout(&self, timeout: Option<Duration>) {
        self.0.device.set_timeout(timeout);
    }

    /// What [`RocmDevice::set_timeout`] or the environment set.
    pub fn timeout(&self) -> Option<Duration> {
        self.0.device.timeout()
    }

    /// Waits until everything queued so far is done, and reports what failed.
    pub fn synchronize(&self) -> Result<()> {
        self.0.stream.synchronize()?;
        self.0.faults.check(self.0.device)
    }
}

impl fmt::Debug for RocmDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RocmDevice({}, {})", self.label(), self.arch())
    }
}
