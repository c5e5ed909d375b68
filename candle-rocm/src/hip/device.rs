//! A GPU of a platform.

use std::cell::Cell;
use std::fmt;
use std::sync::{Mutex, PoisonError, Weak};

use rocm_sys::MissingSymbol;
use rocm_sys::hip::{CallError, DeviceProperties, Hip, device_properties, hipError_t};

use super::pool::PoolInner;
use super::{Platform, Runtime, check};
use crate::error::{Result, RocmError};

/// A physical device and its properties. Cheap to copy.
///
/// ```
/// use candle_rocm::hip::{Platform, Runtime};
/// let runtime = Runtime::get(Platform::Host)?;
/// for ordinal in 0..runtime.device_count()? {
///     let device = runtime.device(ordinal)?;
///     println!("{device}: {}, wavefront of {}, {} MiB", device.name(), device.wavefront_size(), device.total_memory() >> 20);
/// }
/// # Ok::<(), candle_rocm::RocmError>(())
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
}

thread_local! {
    /// The ordinal that this thread set on each platform; -1: none yet.
    static CURRENT: [Cell<i32>; Platform::ALL.len()] = const { [const { Cell::new(-1) }; Platform::ALL.len()] };
}

impl Device {
    /// The caller has checked that the ordinal exists.
    pub(super) fn open(runtime: &'static Runtime, ordinal: usize) -> Result<Self> {
        let properties = device_properties(runtime.hip(), ordinal as i32).map_err(|error| match error {
            CallError::Missing(missing) => missing.into(),
            CallError::Status { call, code, .. } => {
                check::error(runtime.hip(), format!("{}:{ordinal}", runtime.platform()), call, code)
            }
        })?;
        Ok(Self(Box::leak(Box::new(Inner { runtime, ordinal, properties, pools: Mutex::new(Vec::new()) }))))
    }

    /// The runtime that the device belongs to.
    pub fn runtime(self) -> &'static Runtime {
        self.0.runtime
    }

    /// The platform.
    pub fn platform(self) -> Platform {
        self.0.runtime.platform()
    }

    /// The device's number on its platform.
    pub fn ordinal(self) -> usize {
        self.0.ordinal
    }

    /// The product's name.
    pub fn name(self) -> &'static str {
        &self.0.properties.name
    }

    /// The full architecture, as `gfx90a:sramecc+:xnack-`.
    pub fn arch(self) -> &'static str {
        &self.0.properties.gcn_arch_name
    }

    /// Threads per wavefront: 32 or 64.
    pub fn wavefront_size(self) -> u32 {
        self.0.properties.warp_size
    }

    /// Number of compute units.
    pub fn compute_units(self) -> u32 {
        self.0.properties.multi_processor_count
    }

    /// The most threads a block may have.
    pub fn max_threads_per_block(self) -> u32 {
        self.0.properties.max_threads_per_block
    }

    /// Bytes of device memory.
    pub fn total_memory(self) -> usize {
        self.0.properties.total_global_mem
    }

    /// Everything the runtime says about the device.
    pub fn properties(self) -> &'static DeviceProperties {
        &self.0.properties
    }

    /// Bytes free and in total, as of now.
    pub fn memory_info(self) -> Result<(usize, usize)> {
        self.bind()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both pointers are valid for the call.
        self.check("hipMemGetInfo", unsafe { self.hip().hipMemGetInfo(&mut free, &mut total) })?;
        Ok((free, total))
    }

    /// Waits for all work on the device, of every stream.
    pub fn synchronize(self) -> Result<()> {
        self.bind()?;
        // SAFETY: no arguments.
        self.check("hipDeviceSynchronize", unsafe { self.hip().hipDeviceSynchronize() })
    }

    /// Makes this the calling thread's current device.
    ///
    /// The last device set is remembered per thread, so that this costs nothing when nothing changes. Code that calls
    /// `hipSetDevice` behind this crate's back must call [`Device::forget_current`] afterwards.
    pub fn bind(self) -> Result<()> {
        CURRENT.with(|current| {
            let current = &current[self.platform().index()];
            if current.get() != self.0.ordinal as i32 {
                // SAFETY: the ordinal exists.
                self.check("hipSetDevice", unsafe { self.hip().hipSetDevice(self.0.ordinal as i32) })?;
                current.set(self.0.ordinal as i32);
            }
            Ok(())
        })
    }

    /// Forgets which device the calling thread has set, on every platform. See [`Device::bind`].
    pub fn forget_current() {
        CURRENT.with(|current| current.iter().for_each(|current| current.set(-1)));
    }

    /// The raw functions.
    pub fn hip(self) -> &'static Hip {
        self.0.runtime.hip()
    }

    /// Turns what a HIP function returned into a result that says what failed and where.
    pub fn check(self, call: &'static str, code: Result<hipError_t, MissingSymbol>) -> Result<()> {
        match code? {
            hipError_t::hipSuccess => Ok(()),
            code => Err(self.error(call, code)),
        }
    }

    #[cold]
    pub(super) fn error(self, call: &'static str, code: hipError_t) -> RocmError {
        let error = check::error(self.hip(), self.to_string(), call, code);
        // HIP also keeps the code per thread for hipGetLastError: nobody shall find there what is reported here.
        // SAFETY: no arguments.
        let _ = unsafe { self.hip().hipGetLastError() };
        error
    }

    pub(super) fn register_pool(self, pool: Weak<PoolInner>) {
        let mut pools = self.0.pools.lock().unwrap_or_else(PoisonError::into_inner);
        pools.retain(|pool| pool.strong_count() > 0);
        pools.push(pool);
    }

    pub(super) fn pools(self) -> Vec<std::sync::Arc<PoolInner>> {
        let pools = self.0.pools.lock().unwrap_or_else(PoisonError::into_inner);
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
