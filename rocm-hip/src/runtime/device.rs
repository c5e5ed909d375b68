//! A GPU of a platform.

use std::cell::Cell;
use std::fmt;
use std::sync::Weak;
use std::time::Duration;

use rocm_sys::MissingSymbol;
use rocm_sys::hip::{CallError, DeviceProperties, Hip, device_properties, hipError_t};

use super::watchdog::{self, Watchdog};
use super::{check, exit, fork};
use crate::lock::Mutex;
use crate::memory::pool::PoolInner;
use crate::memory::system::Share;
use crate::{DeviceLoss, DeviceMemory, HipError, Platform, Result, Runtime, Stream, stream, trace};

/// A GPU and its properties. Cheap to copy.
///
/// ```
/// use rocm_hip::{Platform, Runtime};
/// # use rocm_hip::{Adapter, Linked};
/// # static ADAPTER: Adapter = Adapter::linked("host", Linked { name: "host", symbol: candle_rocm_host::symbol, unavailable: candle_rocm_host::unavailable });
/// # const HOST: Platform = Platform::of(&ADAPTER);
/// let runtime = Runtime::get(HOST)?;
/// for ordinal in 0..runtime.device_count()? {
///     let device = runtime.device(ordinal)?;
///     println!("{device}: {}, wavefront of {}, {} MiB", device.name(), device.wavefront_size(), device.total_memory() >> 20);
/// }
/// # Ok::<(), rocm_hip::HipError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Device(&'static Inner);

/// Never freed: devices are few, and their modules and functions live as long as the process.
struct Inner {
    runtime: &'static Runtime,
    ordinal: usize,
    properties: DeviceProperties,
    /// All pools on this device, so that one that runs out of memory can empty the others' caches.
    pools: Mutex<Vec<Weak<PoolInner>>>,
    /// All streams on this device.
    streams: Mutex<Vec<Weak<stream::Inner>>>,
    watchdog: Watchdog,
    /// What the pools have of the machine's memory, if the GPU is integrated.
    system: Option<Share>,
}

thread_local! {
    /// What this thread made its current device last. Each platform has one of its own; who goes back and forth between two
    /// sets it again.
    static CURRENT: Cell<Option<Device>> = const { Cell::new(None) };
}

impl Device {
    /// The caller has checked that the ordinal exists.
    pub(crate) fn open(runtime: &'static Runtime, ordinal: usize) -> Result<Self> {
        let properties = device_properties(runtime.hip(), ordinal as i32).map_err(|error| match error {
            CallError::Missing(missing) => missing.into(),
            CallError::Status { call, code, .. } => {
                check::error(runtime.hip(), format!("{}:{ordinal}", runtime.platform()), call, code)
            }
        })?;
        Ok(Self(Box::leak(Box::new(Inner {
            runtime,
            ordinal,
            system: Share::of(properties.integrated),
            properties,
            pools: Mutex::default(),
            streams: Mutex::default(),
            watchdog: Watchdog::from_env(),
        }))))
    }

    /// The runtime that the device belongs to.
    pub fn runtime(self) -> &'static Runtime {
        self.0.runtime
    }

    /// The platform that the device belongs to.
    pub fn platform(self) -> Platform {
        self.0.runtime.platform()
    }

    /// The device's index on its platform, from 0.
    pub fn ordinal(self) -> usize {
        self.0.ordinal
    }

    /// The product's name.
    pub fn name(self) -> &'static str {
        &self.0.properties.name
    }

    /// The full name of the architecture, such as `gfx90a:sramecc+:xnack-`.
    pub fn arch(self) -> &'static str {
        &self.0.properties.gcn_arch_name
    }

    /// The number of threads in a wavefront: 32 or 64.
    pub fn wavefront_size(self) -> u32 {
        self.0.properties.warp_size
    }

    /// The number of compute units.
    pub fn compute_units(self) -> u32 {
        self.0.properties.multi_processor_count
    }

    /// The maximum number of threads in a block.
    pub fn max_threads_per_block(self) -> u32 {
        self.0.properties.max_threads_per_block
    }

    /// Bytes of device memory.
    pub fn total_memory(self) -> usize {
        self.0.properties.total_global_mem
    }

    /// Everything that the runtime reports about the device.
    pub fn properties(self) -> &'static DeviceProperties {
        &self.0.properties
    }

    /// The current free and total bytes, according to HIP. [`Device::memory`] has more figures.
    ///
    /// # Errors
    /// [`HipError::Call`] if the driver cannot report them.
    pub fn memory_info(self) -> Result<(usize, usize)> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are valid for the call.
        self.check("hipMemGetInfo", unsafe { self.hip().hipMemGetInfo(&mut free, &mut total) })?;
        Ok((free, total))
    }

    /// The current memory of the device and, for an integrated GPU, of the machine.
    ///
    /// # Errors
    /// As [`Device::memory_info`].
    pub fn memory(self) -> Result<DeviceMemory> {
        let (free, total) = self.memory_info()?;
        Ok(DeviceMemory { free, total, system: self.0.system.as_ref().and_then(Share::memory) })
    }

    pub(crate) fn system_share(self) -> Option<&'static Share> {
        self.0.system.as_ref()
    }

    /// Waits for all work on the device, on every stream. With a [limit](Device::set_timeout), only streams that this crate created are
    /// covered.
    ///
    /// # Errors
    /// The first failure on the device since the last call that waited, or [`HipError::DeviceLost`] once the limit is exceeded or
    /// the system reset the device.
    pub fn synchronize(self) -> Result<()> {
        trace::wait_for_device(self, "synchronize", || self.wait_until_idle())
    }

    fn wait_until_idle(self) -> Result<()> {
        self.bind()?;
        if self.timeout().is_some() {
            return self.settle();
        }
        // SAFETY: no arguments.
        self.check_wait("hipDeviceSynchronize", unsafe { self.hip().hipDeviceSynchronize() })
    }

    /// Limits how long a call may wait for the device, from the next call on. `None` means no limit, which is the default unless the
    /// environment variable `CANDLE_ROCM_TIMEOUT` sets one, in seconds.
    ///
    /// With a limit, the host polls, and lets only a few hundred kernels be queued ahead. Not limited are waits inside rocBLAS and MIOpen,
    /// waits for streams that others created, and waits that have already begun.
    ///
    /// A call whose wait exceeds the limit returns [`HipError::DeviceLost`], and so does every later call, because a kernel cannot be
    /// stopped. Memory and handles of a lost device are leaked, and the process exits without waiting for it. Other devices keep working,
    /// but return no memory to the driver, because that would wait for all devices. Choose a limit longer than all the work that may be
    /// queued when a call waits.
    pub fn set_timeout(self, timeout: Option<Duration>) {
        self.0.watchdog.set_limit(timeout);
    }

    /// The limit set by [`Device::set_timeout`] or by the environment variable, if any.
    pub fn timeout(self) -> Option<Duration> {
        self.0.watchdog.limit()
    }

    /// Checks that the driver may be called: the device is not lost, and was not opened by a process from which this one was forked. Call
    /// it before acquiring locks, too, as a forked child inherits locks held by threads that it does not have.
    ///
    /// # Errors
    /// [`HipError::DeviceLost`], [`HipError::ForkedProcess`].
    #[inline]
    pub fn check_usable(self) -> Result<()> {
        if fork::in_child() || self.0.watchdog.is_lost() { Err(self.unusable()) } else { Ok(()) }
    }

    #[cold]
    fn unusable(self) -> HipError {
        self.0.watchdog.error(self).filter(|_| !fork::in_child()).unwrap_or_else(fork::error)
    }

    /// Whether what the device has is left to the process's end: there is no driver to give it back to.
    pub(crate) fn is_abandoned(self) -> bool {
        exit::gone() || self.0.watchdog.is_lost()
    }

    /// Whether handles can be destroyed by calls that do not wait; makes this the current device.
    pub(crate) fn is_reachable(self) -> bool {
        !self.is_abandoned() && self.bind().is_ok()
    }

    /// Whether handles can be destroyed by calls that wait for the device. With a limit, waits here instead. Also for handles of other
    /// libraries. If this returns `false`, leak them.
    pub fn is_reachable_when_idle(self) -> bool {
        if self.is_reachable() && !watchdog::any_lost() {
            // What went wrong on the device is reported elsewhere.
            let _ = self.settle();
        }
        self.is_reachable() && !watchdog::any_lost()
    }

    /// With a limit, waits for all streams. Call it before functions in which the driver or another library would wait without a limit.
    ///
    /// # Errors
    /// [`HipError::DeviceLost`], or a failure on the device.
    pub fn settle(self) -> Result<()> {
        match self.timeout() {
            None => Ok(()),
            Some(limit) => self.streams().iter().try_for_each(|stream| stream.settle(limit)),
        }
    }

    /// Asks until the answer is another than "not ready"; past the limit the device is lost.
    pub(crate) fn poll(
        self,
        call: &'static str,
        limit: Duration,
        query: impl Fn() -> Result<hipError_t, MissingSymbol>,
        kernels: impl Fn() -> Vec<String>,
    ) -> Result<Result<hipError_t, MissingSymbol>> {
        self.0.watchdog.poll(self, call, limit, query, kernels)
    }

    /// [`check`](Self::check) for calls that wait for kernels, in which the driver notices that the device was reset.
    pub(crate) fn check_wait(
        self,
        call: &'static str,
        code: Result<hipError_t, MissingSymbol>,
    ) -> Result<()> {
        match self.check(call, code) {
            Err(HipError::Call { call, code, name, .. }) if check::is_reset(code, self) => {
                Err(self.reset(call, DeviceLoss::Reset { code, name }, self.recent_kernels()))
            }
            checked => checked,
        }
    }

    /// The device is lost from now on; what calls return then.
    #[cold]
    pub(crate) fn reset(self, call: &'static str, reason: DeviceLoss, kernels: Vec<String>) -> HipError {
        self.0.watchdog.lose(call, reason, kernels);
        self.unusable()
    }

    /// The kernels launched on each stream since its last synchronisation.
    pub(crate) fn recent_kernels(self) -> Vec<String> {
        self.streams().iter().flat_map(Stream::recent_kernels).collect()
    }

    pub(crate) fn register_stream(self, stream: Weak<stream::Inner>) {
        if fork::in_child() {
            return;
        }
        let mut streams = self.0.streams.lock();
        streams.retain(|stream| stream.strong_count() > 0);
        streams.push(stream);
    }

    fn streams(self) -> Vec<Stream> {
        let streams = self.0.streams.lock();
        streams.iter().filter_map(Weak::upgrade).map(Stream::from).collect()
    }

    /// Whether kernels and copies of this device can access another device's memory directly. If not, copies between the two go through
    /// host memory.
    ///
    /// # Errors
    /// As [`Device::check_usable`], and [`HipError::WrongDevice`] if the other device is on another platform.
    pub fn can_access(self, other: Self) -> Result<bool> {
        self.check_usable()?;
        if self.platform() != other.platform() {
            let (lhs, rhs) = (self.to_string(), other.to_string());
            return Err(HipError::WrongDevice { op: "can_access", lhs, rhs });
        }
        let (mut can, ordinals) = (0, [self, other].map(|device| device.0.ordinal as i32));
        // SAFETY: the out-parameter is valid, and both ordinals exist.
        let code = unsafe { self.hip().hipDeviceCanAccessPeer(&mut can, ordinals[0], ordinals[1]) };
        self.check("hipDeviceCanAccessPeer", code)?;
        Ok(can != 0)
    }

    /// Makes this the calling thread's current device.
    ///
    /// The device is remembered per thread, so repeating the call costs nothing. Code that calls `hipSetDevice` itself must call
    /// [`Device::forget_current`] afterwards.
    ///
    /// # Errors
    /// As [`Device::check_usable`], and [`HipError::Call`] if the driver refuses.
    pub fn bind(self) -> Result<()> {
        self.check_usable()?;
        CURRENT.with(|current| {
            if current.get() != Some(self) {
                // SAFETY: the ordinal exists.
                self.check("hipSetDevice", unsafe { self.hip().hipSetDevice(self.0.ordinal as i32) })?;
                current.set(Some(self));
            }
            Ok(())
        })
    }

    /// Forgets which device is current in the calling thread. See [`Device::bind`].
    pub fn forget_current() {
        CURRENT.set(None);
    }

    /// HIP's raw functions.
    pub fn hip(self) -> &'static Hip {
        self.0.runtime.hip()
    }

    /// Turns the return value of a HIP function into a result that names the call and the device.
    ///
    /// # Errors
    /// [`HipError::Call`] for every code other than success, [`HipError::MissingSymbol`].
    pub fn check(self, call: &'static str, code: Result<hipError_t, MissingSymbol>) -> Result<()> {
        match code? {
            hipError_t::hipSuccess => Ok(()),
            code => Err(self.error(call, code)),
        }
    }

    #[cold]
    pub(crate) fn error(self, call: &'static str, code: hipError_t) -> HipError {
        let error = check::error(self.hip(), self.to_string(), call, code);
        self.forget_error();
        error
    }

    /// Takes the code away that HIP keeps per thread for hipGetLastError: nobody shall find there what is known here.
    pub(crate) fn forget_error(self) {
        // SAFETY: no arguments.
        let _ = unsafe { self.hip().hipGetLastError() };
    }

    pub(crate) fn register_pool(self, pool: Weak<PoolInner>) {
        let mut pools = self.0.pools.lock();
        pools.retain(|pool| pool.strong_count() > 0);
        pools.push(pool);
    }

    pub(crate) fn pools(self) -> Vec<std::sync::Arc<PoolInner>> {
        let pools = self.0.pools.lock();
        pools.iter().filter_map(Weak::upgrade).collect()
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Device {}

/// `amd:0`.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.platform(), self.0.ordinal)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self}, {})", self.arch())
    }
}
