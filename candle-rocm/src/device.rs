//! A GPU as candle sees it.

mod capabilities;
mod counters;
mod effects;
mod extensions;
mod faults;
mod functions;
mod matrix;
mod pending;

use std::any::Any;
use std::fmt;
use std::mem;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard, OnceLock, Weak};
use std::time::Duration;

use crate::Launch;
use crate::error::{Result, RocmError};
use crate::hip::{
    self, Buffer, Device, DevicePtr, Element, Fill, Function, InfoPtr, LaunchConfig, Module, Platform, Pool,
    Queue, Runtime, Stream, UploadStats, in_forked_child,
};
use crate::lock::{Guard, Mutex};
use crate::platform;
use counters::Profile;
pub use counters::{Counters, Declined, OperationCounters};
use effects::Effects;
use extensions::Extensions;
use faults::Faults;
pub(crate) use faults::IndexedOp;
use functions::Functions;
pub(crate) use pending::Pending;

/// The seed of a new device, as on candle's CUDA backend.
const DEFAULT_SEED: u64 = 299_792_458;

/// A GPU with its own stream, memory pool and random generator. Clones share all three. Two calls of [`RocmDevice::new`] create two
/// devices whose tensors do not mix, even if both are on the same GPU.
///
/// ```
/// use candle_rocm::{RocmDevice, platform::HOST};
/// // On an AMD GPU: RocmDevice::new(0), which follows CANDLE_ROCM_PLATFORM.
/// let device = RocmDevice::on(HOST, 0)?;
/// let buffer = device.upload(&[1f32, 2., 3.])?;
/// assert_eq!(device.download(&buffer)?, [1., 2., 3.]);
/// # Ok::<(), candle_rocm::RocmError>(())
/// ```
#[derive(Clone)]
pub struct RocmDevice(Arc<Share>);

/// A handle that does not keep the device alive.
pub(crate) struct WeakDevice(Weak<Inner>);

impl WeakDevice {
    /// With a count of clones of its own: where two threads count the same, each operation of one waits for the other's cache line.
    pub(crate) fn upgrade(&self) -> Option<RocmDevice> {
        self.0.upgrade().map(RocmDevice::of)
    }
}

/// What clones of a device count.
struct Share(Arc<Inner>);

impl Share {
    fn new(inner: Arc<Inner>) -> Self {
        inner.shares.fetch_add(1, Ordering::Relaxed);
        Self(inner)
    }
}

impl Drop for Share {
    /// The last one puts on the stream what others may wait for, unless the runtime goes, too.
    fn drop(&mut self) {
        // What is dropped with the device takes locks.
        if in_forked_child() {
            mem::forget(self.0.clone());
            return;
        }
        // As a reference count: what threads did with the others comes before.
        if self.0.shares.fetch_sub(1, Ordering::AcqRel) > 1 {
            return;
        }
        let Some(_stay) = hip::stay() else { return };
        if let Some(pending) = self.0.pending.get().filter(|_| self.0.effects.are_waiting()) {
            pending.finish(&RocmDevice::of(self.0.clone()));
        }
    }
}

impl Deref for Share {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

struct Inner {
    /// How many there are: threads of the device's that come and go have their own.
    shares: AtomicUsize,
    functions: &'static Functions,
    // Before the queue: handles of libraries on its stream.
    extensions: Extensions,
    // Dropped before what kernels write to: waits for them.
    queue: Queue,
    faults: Faults,
    profile: Profile,
    pending: OnceLock<Box<dyn Pending>>,
    effects: Effects,
    random: Mutex<Random>,
    deterministic: AtomicBool,
    matrix_cores: AtomicBool,
}

/// State of the counter-based generator: the next number's counter, under the seed.
struct Random {
    seed: u64,
    offset: u64,
}

impl Default for Random {
    fn default() -> Self {
        Self { seed: DEFAULT_SEED, offset: 0 }
    }
}

/// What takes locks. In a forked child it is a new one, as those of threads that are not there would never be released; nobody finds out,
/// as whatever comes of it is an error.
pub(crate) fn unless_forked<'a, T: Default>(value: impl FnOnce() -> &'a T) -> &'a T {
    if in_forked_child() { Box::leak(Box::default()) } else { value() }
}

impl RocmDevice {
    /// Opens device `ordinal` of the [current platform](platform::current): AMD's, unless the environment variable
    /// `CANDLE_ROCM_PLATFORM` or [`set_default_platform`](crate::hip::set_default_platform) chose another one.
    ///
    /// # Errors
    /// [`RocmError::Hip`] if the platform's libraries are missing or too old, or have no such device.
    pub fn new(ordinal: usize) -> Result<Self> {
        Self::on(platform::current()?, ordinal)
    }

    /// Opens device `ordinal` of the given platform.
    ///
    /// # Errors
    /// As [`RocmDevice::new`].
    pub fn on(platform: Platform, ordinal: usize) -> Result<Self> {
        platform::register();
        Self::with_queue(Queue::new(Runtime::get(platform)?.device(ordinal)?)?)
    }

    /// Creates a device that runs its work on an existing stream.
    ///
    /// # Errors
    /// [`HipError::DeviceLost`](crate::hip::HipError::DeviceLost), [`HipError::ForkedProcess`](crate::hip::HipError::ForkedProcess).
    pub fn on_stream(stream: Stream) -> Result<Self> {
        Self::with_queue(Queue::on(stream)?)
    }

    fn with_queue(queue: Queue) -> Result<Self> {
        let device = queue.device();
        Ok(Self::of(Arc::new(Inner {
            shares: AtomicUsize::new(0),
            functions: Functions::of(device),
            extensions: Extensions::default(),
            queue,
            faults: Faults::default(),
            profile: Profile::default(),
            pending: OnceLock::new(),
            effects: Effects::default(),
            random: Mutex::default(),
            deterministic: AtomicBool::new(false),
            matrix_cores: AtomicBool::new(matrix::by_default(device.arch())),
        })))
    }

    fn of(inner: Arc<Inner>) -> Self {
        Self(Arc::new(Share::new(inner)))
    }

    /// The device's index on its platform, from 0.
    pub fn ordinal(&self) -> usize {
        self.hip_device().ordinal()
    }

    /// The platform that the device belongs to.
    pub fn platform(&self) -> Platform {
        self.hip_device().platform()
    }

    /// The full name of the architecture, such as `gfx90a:sramecc+:xnack-`.
    pub fn arch(&self) -> &str {
        self.hip_device().arch()
    }

    /// The number of threads in a wavefront: 32 or 64.
    pub fn wavefront_size(&self) -> u32 {
        self.hip_device().wavefront_size()
    }

    /// The physical device and its properties.
    pub fn hip_device(&self) -> Device {
        self.0.queue.device()
    }

    /// The stream on which this device runs all its work. Submits [recorded](RocmDevice::flush) operations first.
    pub fn stream(&self) -> &Stream {
        self.flush();
        self.queue().stream()
    }

    /// The pool that all memory of this device comes from. Submits [recorded](RocmDevice::flush) operations first.
    pub fn pool(&self) -> &Pool {
        self.flush();
        self.queue().pool()
    }

    /// The bytes and copies of uploads to this device so far, and the pinned memory that they use.
    pub fn upload_stats(&self) -> UploadStats {
        self.queue().upload_stats()
    }

    /// Stream and pool, without submitting what was recorded.
    pub(crate) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    /// A name for messages, such as `amd:0#3`: platform, ordinal, and a number that distinguishes devices on the same GPU.
    pub fn label(&self) -> String {
        self.queue().stream().to_string()
    }

    /// Whether both are clones of one device, so that an operation accepts tensors of both.
    pub fn same_device(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.0, &other.0.0)
    }

    pub(crate) fn downgrade(&self) -> WeakDevice {
        WeakDevice(Arc::downgrade(&self.0.0))
    }

    /// Checks that both are clones of one device.
    ///
    /// # Errors
    /// [`RocmError::WrongDevice`], which names both.
    pub fn check_same(&self, other: &Self, op: &'static str) -> Result<()> {
        if self.same_device(other) {
            return Ok(());
        }
        Err(RocmError::WrongDevice { op, lhs: self.label(), rhs: other.label() })
    }

    /// Roughly how many bytes can still be allocated: the free memory of the device (of the machine, for an integrated GPU) plus what
    /// the pool holds unused. [`hip::Device::memory`](crate::hip::Device::memory) has the individual figures.
    ///
    /// # Errors
    /// [`RocmError::Hip`] if the driver cannot say.
    pub fn available_memory(&self) -> Result<u64> {
        Ok((self.hip_device().memory()?.allocatable() + self.pool().stats().cached) as u64)
    }

    /// Allocates `len` elements without initializing them.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`](crate::hip::HipError::OutOfMemory).
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        Ok(self.0.queue.alloc(len)?)
    }

    /// Allocates `len` elements, all zero.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`](crate::hip::HipError::OutOfMemory).
    pub fn alloc_zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        Ok(self.0.queue.alloc_zeros(len)?)
    }

    /// Copies values to the device. The slice may be reused as soon as this returns; the copy itself is queued.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`](crate::hip::HipError::OutOfMemory).
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>> {
        Ok(self.0.queue.upload(values)?)
    }

    /// Copies `len` elements to the device, which `fill` writes to pinned memory. Returns once they are written; the copy is queued.
    ///
    /// # Errors
    /// As [`RocmDevice::alloc`], and [`HipError::Fill`](crate::hip::HipError::Fill) with the error that `fill` returned.
    pub fn upload_with<T: Element>(&self, len: usize, fill: Fill<'_>) -> Result<Buffer<T>> {
        Ok(self.0.queue.upload_with(len, fill)?)
    }

    /// Copies values into the buffer, starting at element `offset`. The slice may be reused as soon as this returns; the copy is queued.
    ///
    /// # Errors
    /// [`HipError::OutOfBounds`](crate::hip::HipError::OutOfBounds), [`RocmError::WrongDevice`].
    pub fn upload_to<T: Element>(&self, values: &[T], buffer: &mut Buffer<T>, offset: usize) -> Result<()> {
        Ok(self.0.queue.upload_to(values, buffer, offset)?)
    }

    /// Copies a buffer to the host. Waits for everything queued so far.
    ///
    /// # Errors
    /// As [`RocmDevice::synchronize`], and [`RocmError::WrongDevice`].
    pub fn download<T: Element>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> {
        self.download_range(buffer, 0, buffer.len())
    }

    /// Copies `len` elements, starting at `start`, to the host. Waits for everything queued so far.
    ///
    /// # Errors
    /// As [`RocmDevice::download`], and [`HipError::OutOfBounds`](crate::hip::HipError::OutOfBounds).
    pub fn download_range<T: Element>(&self, buffer: &Buffer<T>, start: usize, len: usize) -> Result<Vec<T>> {
        let values = self.0.queue.download_range(buffer, start, len)?;
        self.0.faults.check(self.hip_device())?;
        Ok(values)
    }

    /// Queues a copy of `len` elements between two buffers of this device.
    ///
    /// # Errors
    /// [`HipError::OutOfBounds`](crate::hip::HipError::OutOfBounds), [`RocmError::WrongDevice`].
    pub fn copy<T: Element>(
        &self,
        src: &Buffer<T>,
        src_offset: usize,
        dst: &mut Buffer<T>,
        dst_offset: usize,
        len: usize,
    ) -> Result<()> {
        Ok(self.0.queue.copy(src, src_offset, dst, dst_offset, len)?)
    }

    /// Copies a buffer of any device of this platform to this device. The two streams are ordered: the copy waits for the work that
    /// produces the source, and later writes to the source wait for the copy. Data goes through the host only if the driver has no
    /// other way.
    ///
    /// # Errors
    /// [`RocmError::WrongDevice`] if the buffer is on another platform, [`HipError::OutOfMemory`](crate::hip::HipError::OutOfMemory).
    pub fn copy_of<T: Element>(&self, src: &Buffer<T>) -> Result<Buffer<T>> {
        Ok(self.0.queue.copy_of(src)?)
    }

    /// Returns a built-in kernel. Loads its module on first use.
    ///
    /// # Errors
    /// [`RocmError::Kernel`] if there is no code for this device and no compiler,
    /// [`HipError::NoSuchKernel`](crate::hip::HipError::NoSuchKernel).
    pub fn function(&self, module: &'static rocm_kernels::Module, name: &str) -> Result<Function> {
        self.0.functions.get(module, name).cloned()
    }

    /// Dims and strides in device memory. Recently used ones are cached, others are uploaded.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`](crate::hip::HipError::OutOfMemory).
    pub fn info(&self, words: &[usize]) -> Result<InfoPtr> {
        Ok(self.0.queue.info(words)?)
    }

    /// Starts building the launch of a built-in kernel.
    pub fn launch(&self, module: &'static rocm_kernels::Module, name: &str) -> Launch<'_> {
        Launch::new(&self.0.queue, self.0.functions.get(module, name))
    }

    /// Starts building the launch of your own kernel.
    pub fn launch_function<'a>(&'a self, function: &'a Function) -> Launch<'a> {
        Launch::new(&self.0.queue, Ok(function))
    }

    /// The launch configuration of a grid-stride loop over `numel` elements of `size` bytes: see [`LaunchConfig::grid_stride`].
    pub fn grid_stride(&self, numel: usize, size: usize, contiguous: bool) -> LaunchConfig {
        LaunchConfig::grid_stride(numel, size, contiguous, self.hip_device().compute_units())
    }

    /// Compiles, on all cores, the given modules that have no code object for this card yet. Waits for them and reports progress on
    /// stderr. Without this call each module is compiled on first use; once two have been, those of
    /// [language models](rocm_kernels::LANGUAGE_MODELS) are also compiled in the background. Returns how many modules were compiled:
    /// 0 if all are built in or cached by an earlier run, or if there is no cache to keep them in.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), candle_rocm::RocmError> {
    /// let device = candle_rocm::RocmDevice::new(0)?;
    /// device.prepare(candle_rocm::kernels::LANGUAGE_MODELS)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`RocmError::Kernel`](crate::RocmError::Kernel) if the compiler rejects a module. A missing compiler is not an error.
    pub fn prepare(&self, modules: &[&'static rocm_kernels::Module]) -> Result<usize> {
        self.hip_device().check_usable()?;
        let Ok(compiler) = self.hip_device().runtime().compiler() else { return Ok(0) };
        Ok(rocm_kernels::prepare(
            modules,
            &self.hip_device().target(),
            compiler,
            &rocm_kernels::Cache::user(),
        )?)
    }

    /// Compiles and loads your own HIP kernels. `name` appears in messages.
    ///
    /// The source needs no includes: `threadIdx`, `__shared__`, atomics and so on are predefined, `WAVE` is the wavefront size, and
    /// `#include "common/platform.h"` provides the helpers that the built-in kernels use. Kernels are `extern "C" __global__ void`
    /// functions. The result is cached on disk. See [`Launch`] for an example.
    ///
    /// # Errors
    /// [`HipError::Compile`](crate::hip::HipError::Compile) with the compiler's log.
    pub fn compile(&self, name: &str, source: &str) -> Result<Module> {
        self.compile_with(name, source, &[])
    }

    /// [`RocmDevice::compile`] with additional compiler options, such as `-DTILE=64`.
    ///
    /// # Errors
    /// As [`RocmDevice::compile`].
    pub fn compile_with(&self, name: &str, source: &str, options: &[&str]) -> Result<Module> {
        Ok(self.hip_device().compile_with(name, source, rocm_kernels::HEADERS, options)?)
    }

    /// Seeds the random generator and restarts its sequence.
    pub fn set_seed(&self, seed: u64) {
        *self.random() = Random { seed, offset: 0 };
    }

    /// The seed of the random generator.
    pub fn seed(&self) -> u64 {
        self.random().seed
    }

    /// Reserves `count` counters of the counter-based generator. Returns the seed and the first counter.
    pub fn next_random(&self, count: u64) -> (u64, u64) {
        let mut random = self.random();
        let offset = random.offset;
        random.offset = offset.wrapping_add(count);
        (random.seed, offset)
    }

    pub(crate) fn profile(&self) -> &Profile {
        &self.0.profile
    }

    fn random(&self) -> Guard<MutexGuard<'_, Random>> {
        unless_forked(|| &self.0.random).lock()
    }

    /// Makes floating-point results reproducible bit for bit. Sums to which several threads contribute (`scatter_add`, `index_add`)
    /// are taken in a fixed order, which is slower, and algorithms are chosen by rule instead of by timing. Off by default.
    pub fn set_deterministic(&self, deterministic: bool) {
        self.flush();
        self.0.deterministic.store(deterministic, Ordering::Relaxed);
    }

    /// Whether [`RocmDevice::set_deterministic`] is on.
    pub fn is_deterministic(&self) -> bool {
        self.0.deterministic.load(Ordering::Relaxed)
    }

    /// Sets whether the kernels of this crate use matrix cores for f16 and bf16. On by default if the card has them; the environment
    /// variable `CANDLE_ROCM_MATRIX_CORES` (`on` or `off`) overrides the default. With matrix cores, attention rounds its weights to
    /// the dtype before multiplying them by the values. Products of two to eight rows use matrix cores in either case, as they
    /// accumulate in f32 both ways. The host platform can emulate matrix cores, slowly, for tests.
    pub fn set_matrix_cores(&self, matrix_cores: bool) {
        self.flush();
        self.0.matrix_cores.store(matrix_cores, Ordering::Relaxed);
    }

    /// Whether the kernels of this crate use matrix cores: see [`RocmDevice::set_matrix_cores`].
    pub fn matrix_cores(&self) -> bool {
        self.0.matrix_cores.load(Ordering::Relaxed)
    }

    /// This device's value of type `T`, created on first use: state of higher layers, such as the handle of a library. Dropped before
    /// the device's memory.
    pub(crate) fn extension<T: Any + Send + Sync + Default>(&self) -> &T {
        unless_forked(|| self.0.extensions.get())
    }

    /// Where kernels of the operation write an index that is out of range together with the size of the dimension.
    pub(crate) fn fault_slot(&self, op: IndexedOp) -> Result<DevicePtr> {
        self.0.faults.slot(self.hip_device(), op)
    }

    /// Limits how long a call may wait for the GPU: see [`Device::set_timeout`]. Applies to every `RocmDevice` on this GPU. There is no
    /// limit unless set here or by the environment variable `CANDLE_ROCM_TIMEOUT`, in seconds.
    ///
    /// ```
    /// use std::time::Duration;
    /// use candle_rocm::{RocmDevice, platform::HOST};
    /// let device = RocmDevice::on(HOST, 0)?;
    /// device.set_timeout(Some(Duration::from_secs(60)));
    /// device.synchronize()?; // RocmError::DeviceLost if it takes longer than 60 seconds
    /// # Ok::<(), candle_rocm::RocmError>(())
    /// ```
    pub fn set_timeout(&self, timeout: Option<Duration>) {
        self.hip_device().set_timeout(timeout);
    }

    /// The limit set by [`RocmDevice::set_timeout`] or by the environment variable, if any.
    pub fn timeout(&self) -> Option<Duration> {
        self.hip_device().timeout()
    }

    /// Submits recorded operations and waits until everything queued so far is done.
    ///
    /// # Errors
    /// The first failure since the last wait: [`RocmError::Hip`] with the kernel's name, or an index that was out of range.
    pub fn synchronize(&self) -> Result<()> {
        self.flush();
        self.0.queue.synchronize()?;
        self.0.faults.check(self.hip_device())?;
        self.0.pending.get().map_or(Ok(()), |pending| pending.failure())
    }

    /// Submits recorded operations to the stream. Operations are recorded while [fusion](crate::Fusion) is on, and anything that needs
    /// their results submits them by itself. Failures are reported by the call that reads a result or waits.
    pub fn flush(&self) {
        if let Some(pending) = self.0.pending.get().filter(|_| !in_forked_child()) {
            pending.submit(self);
        }
    }

    /// What keeps the calling thread from submitting recorded operations.
    pub(crate) fn reentered_from(&self) -> Option<&'static str> {
        self.0.pending.get().and_then(|pending| pending.reentered_from())
    }

    /// Recorded operations that do more than give a result.
    #[inline]
    pub(crate) fn effects(&self) -> &Effects {
        &self.0.effects
    }

    /// Where operations are recorded; `None` in a forked child.
    pub(crate) fn pending<P: Pending + Default>(&self) -> Option<&P> {
        if in_forked_child() {
            return None;
        }
        let attached = || {
            let pending = Box::<P>::default();
            pending.attach(self.queue().pool());
            pending as Box<dyn Pending>
        };
        let pending = self.0.pending.get_or_init(attached);
        (&**pending as &dyn Any).downcast_ref()
    }
}

impl fmt::Debug for RocmDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RocmDevice({}, {})", self.label(), self.arch())
    }
}
