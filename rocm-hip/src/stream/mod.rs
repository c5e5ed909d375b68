//! A queue of work on a device.

mod event;
mod recent;

use std::any::{Any, type_name};
use std::fmt;
use std::mem;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rocm_sys::MissingSymbol;
use rocm_sys::hip::{hipError_t, hipStream_t};

use self::recent::Recent;
use crate::interned::InternedName;
use crate::lock::Mutex;
use crate::memory::buffer::Owner;
use crate::runtime::check;
use crate::{Device, DeviceLoss, HipError, Refused, Result, trace};

pub use event::Event;

/// `hipStreamNonBlocking`: no implicit synchronisation with the null stream.
const NON_BLOCKING: u32 = 1;

/// Kernels launched between the marks that the host waits for if it has a limit: drivers let launches wait, for as long as it
/// takes, when a few thousand are queued.
const AHEAD: usize = 256;

/// What waits, in messages.
const SYNCHRONIZE: &str = "hipStreamSynchronize";

/// An in-order queue of work on one device. Clones share the queue.
///
/// If a kernel fails, its launch has already returned. A later call reports the failure, most likely [`Stream::synchronize`], with the
/// names of the kernels launched since the last synchronization.
#[derive(Clone)]
pub struct Stream(Arc<Inner>);

pub(crate) struct Inner {
    device: Device,
    raw: hipStream_t,
    destroyed_by: DestroyedBy,
    /// Tells streams of one device apart in messages.
    id: u32,
    recent: Recent,
    /// Where the stream was when as many kernels had been launched as are allowed ahead.
    pace: Mutex<Option<Event>>,
    /// What failed where no error could be returned (in a drop): the next call returns it.
    deferred: Mutex<Option<HipError>>,
    has_deferred: AtomicBool,
}

/// Who destroys a stream's handle.
enum DestroyedBy {
    Us,
    /// Whoever it belongs to, when this is dropped.
    Owner(Owner),
    /// Its owner has it back.
    Nobody,
}

// SAFETY: HIP's stream functions may be called from any thread; everything else in here is Sync.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Stream {
    /// Creates a stream on the device.
    ///
    /// # Errors
    /// [`HipError::Call`] if the driver has no more streams.
    pub fn new(device: Device) -> Result<Self> {
        device.bind()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { device.hip().hipStreamCreateWithFlags(&mut raw, NON_BLOCKING) };
        device.check("hipStreamCreateWithFlags", code)?;
        Ok(Self::of(device, raw, DestroyedBy::Us))
    }

    /// Wraps a stream that belongs to `owner`. Dropping the last clone of the result drops `owner`, which destroys the stream;
    /// [`Stream::into_owner`] returns `owner` instead.
    ///
    /// # Safety
    /// `raw` is a stream of the device and is valid as long as `owner` lives.
    pub unsafe fn from_raw_parts<O: Any + Send + Sync>(raw: hipStream_t, owner: O, device: Device) -> Self {
        Self::of(device, raw, DestroyedBy::Owner(Box::new(owner)))
    }

    /// Returns the owner that was passed to [`Stream::from_raw_parts`]. Waits for the work on the stream.
    ///
    /// # Errors
    /// [`HipError::InvalidArgument`] if the stream has no owner of this type or other clones are in use; otherwise the error of the
    /// work on it.
    pub fn into_owner<O: Any + Send + Sync>(self) -> Result<O, Refused<Self>> {
        let error = |message| HipError::InvalidArgument { op: "Stream::into_owner", message };
        if let Err(error) = self.synchronize() {
            return Err(Refused::new(self, error));
        }
        let mut inner = Arc::try_unwrap(self.0).map_err(|shared| {
            let message = "the stream is in use by its clones: drop them, and the pools and queues on it";
            Refused::new(Self(shared), error(message.to_owned()))
        })?;
        let other = match mem::replace(&mut inner.destroyed_by, DestroyedBy::Nobody) {
            DestroyedBy::Owner(owner) => match owner.downcast::<O>() {
                Ok(owner) => return Ok(*owner),
                Err(owner) => DestroyedBy::Owner(owner),
            },
            other => other,
        };
        inner.destroyed_by = other;
        let message = format!("the stream is not a {}", type_name::<O>());
        Err(Refused::new(Self::registered(inner), error(message)))
    }

    fn of(device: Device, raw: hipStream_t, destroyed_by: DestroyedBy) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Self::registered(Inner {
            device,
            raw,
            destroyed_by,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            recent: Recent::default(),
            pace: Mutex::default(),
            deferred: Mutex::new(None),
            has_deferred: AtomicBool::new(false),
        })
    }

    fn registered(inner: Inner) -> Self {
        let inner = Arc::new(inner);
        inner.device.register_stream(Arc::downgrade(&inner));
        Self(inner)
    }

    /// The device that the stream belongs to.
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// The number that identifies the stream: the 3 of `amd:0#3`.
    pub(crate) fn id(&self) -> u32 {
        self.0.id
    }

    /// The number of kernels launched on this stream since it was created.
    pub fn launches(&self) -> usize {
        self.0.recent.count()
    }

    /// The raw handle, for calls that this crate does not wrap. Valid as long as a clone of the stream lives.
    pub fn as_raw(&self) -> hipStream_t {
        self.0.raw
    }

    /// Waits until everything queued so far is done, and reports any failure.
    ///
    /// # Errors
    /// [`HipError::KernelFault`] if a kernel failed, [`HipError::DeviceLost`] after the timeout or a reset.
    pub fn synchronize(&self) -> Result<()> {
        trace::wait(self, "synchronize", || self.wait_until_idle())
    }

    fn wait_until_idle(&self) -> Result<()> {
        let launched = self.0.recent.count();
        self.0.device.bind()?;
        let code = match self.0.device.timeout() {
            // SAFETY: the stream lives.
            None => unsafe { self.0.device.hip().hipStreamSynchronize(self.0.raw) },
            Some(limit) => self.0.poll(limit)?,
        };
        // After a failure the names stay: the device may report it at every call from now on.
        self.check(SYNCHRONIZE, code)?;
        self.0.recent.forget_before(launched);
        Ok(())
    }

    /// Waits until everything queued so far is done, for as long as the limit says. Errors that wait to be reported stay.
    pub(crate) fn settle(&self, limit: Duration) -> Result<()> {
        self.0.device.bind()?;
        match self.0.poll(limit)?? {
            hipError_t::hipSuccess => Ok(()),
            code => Err(self.error(SYNCHRONIZE, code)),
        }
    }

    /// Whether everything queued so far is done.
    ///
    /// # Errors
    /// [`HipError::KernelFault`] if a kernel failed.
    pub fn is_idle(&self) -> Result<bool> {
        self.0.device.bind()?;
        // SAFETY: the stream lives.
        match unsafe { self.0.device.hip().hipStreamQuery(self.0.raw) } {
            Ok(hipError_t::hipErrorNotReady) => Ok(false),
            code => self.check("hipStreamQuery", code).map(|()| true),
        }
    }

    /// Makes later work on this stream wait for the event. The calling thread does not wait.
    ///
    /// # Errors
    /// [`HipError::Call`] if the driver refuses.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.0.device.bind()?;
        // SAFETY: both handles live; HIP keeps what it needs of the event.
        let code = unsafe { self.0.device.hip().hipStreamWaitEvent(self.0.raw, event.as_raw(), 0) };
        self.check("hipStreamWaitEvent", code)
    }

    /// Makes later work on this stream wait for everything queued so far on the other one.
    ///
    /// # Errors
    /// As [`Stream::wait`].
    pub fn wait_for(&self, other: &Stream) -> Result<()> {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ok(());
        }
        let event = other.event()?;
        event.record(other)?;
        self.wait(&event)
    }

    /// Checks the code of a call that queued something on this stream. Failures of earlier kernels are reported with the kernels' names.
    ///
    /// # Errors
    /// [`HipError::KernelFault`] for codes that report earlier work, [`HipError::DeviceLost`] for those of a reset, [`HipError::Call`] for
    /// others, [`HipError::MissingSymbol`].
    pub fn check(&self, call: &'static str, code: Result<hipError_t, MissingSymbol>) -> Result<()> {
        match code? {
            hipError_t::hipSuccess if !self.0.has_deferred.load(Ordering::Relaxed) => Ok(()),
            hipError_t::hipSuccess => self.deferred(),
            code => Err(self.error(call, code)),
        }
    }

    #[cold]
    fn error(&self, call: &'static str, code: hipError_t) -> HipError {
        let error = self.0.device.error(call, code);
        match error {
            HipError::Call { call, code, name, .. } if check::is_reset(code, self.0.device) => {
                self.0.device.reset(call, DeviceLoss::Reset { code, name }, self.0.recent.names())
            }
            HipError::Call { call, code, name, message, device } if check::is_fault(code) => {
                HipError::KernelFault {
                    call,
                    code,
                    name,
                    message: self.0.device.runtime().last_fault().unwrap_or(message),
                    device,
                    kernels: self.0.recent.names().into(),
                }
            }
            error => error,
        }
    }

    /// An event to put on this stream: failures of earlier kernels come with the kernels' names.
    pub(crate) fn event(&self) -> Result<Event> {
        Event::try_new(self.0.device)?.map_err(|code| self.error(event::CREATE, code))
    }

    /// Stores an error for the next call to return; the first stored error wins. For work whose failure is noticed by another thread than
    /// the one that queued it.
    pub fn defer(&self, error: HipError) {
        let mut deferred = self.0.deferred.lock();
        deferred.get_or_insert(error);
        self.0.has_deferred.store(true, Ordering::Relaxed);
    }

    #[cold]
    fn deferred(&self) -> Result<()> {
        let mut deferred = self.0.deferred.lock();
        self.0.has_deferred.store(false, Ordering::Relaxed);
        deferred.take().map_or(Ok(()), Err)
    }

    /// The names of the kernels launched since the last synchronization, oldest first: the latest 32 at most.
    pub fn recent_kernels(&self) -> Vec<String> {
        self.0.recent.names()
    }

    /// Remembers that a kernel is launched on this stream. With a limit, waits while too many are queued.
    pub(crate) fn launched(&self, kernel: InternedName) -> Result<()> {
        let count = self.0.recent.push(kernel);
        match self.0.device.timeout() {
            Some(limit) if count.is_multiple_of(AHEAD) => self.keep_pace(limit),
            _ => Ok(()),
        }
    }

    /// Marks this place, and waits for the one marked before.
    #[cold]
    fn keep_pace(&self, limit: Duration) -> Result<()> {
        let mark = self.event()?;
        mark.record(self)?;
        let before = self.0.pace.lock().replace(mark);
        if let Some(before) = before {
            let kernels = || self.0.recent.names();
            // What went wrong before the mark, another call reports.
            let _ = self.0.device.poll("hipModuleLaunchKernel", limit, || before.query(), kernels)?;
        }
        Ok(())
    }
}

impl Inner {
    /// Waits for a mark behind everything queued so far: what is queued meanwhile does not count.
    fn poll(&self, limit: Duration) -> Result<Result<hipError_t, MissingSymbol>> {
        let mark = match Event::try_new(self.device)? {
            Ok(mark) => mark,
            Err(code) => return Ok(Ok(code)),
        };
        let code = match mark.put(self.raw) {
            Ok(hipError_t::hipSuccess) => {
                self.device.poll(SYNCHRONIZE, limit, || mark.query(), || self.recent.names())?
            }
            code => code,
        };
        if !matches!(code, Ok(hipError_t::hipSuccess)) {
            return Ok(code);
        }
        // Events do not say what became of the work before them.
        // SAFETY: the stream lives.
        Ok(match unsafe { self.device.hip().hipStreamQuery(self.raw) } {
            Ok(hipError_t::hipErrorNotReady) => Ok(hipError_t::hipSuccess),
            code => code,
        })
    }
}

impl From<Arc<Inner>> for Stream {
    fn from(inner: Arc<Inner>) -> Self {
        Self(inner)
    }
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Stream {}

/// `amd:0#3`.
impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.0.device, self.0.id)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({self})")
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let destroyed_by = mem::replace(&mut self.destroyed_by, DestroyedBy::Nobody);
        if matches!(destroyed_by, DestroyedBy::Nobody) {
            return;
        }
        if let (true, Some(limit)) = (self.device.is_reachable(), self.device.timeout()) {
            let _ = self.poll(limit);
        }
        match (self.device.is_reachable(), destroyed_by) {
            (true, DestroyedBy::Us) => {
                // SAFETY: the last owner is going. HIP finishes what is queued before the stream is gone.
                let _ = unsafe { self.device.hip().hipStreamDestroy(self.raw) };
            }
            (true, owner) => drop(owner),
            (false, destroyed_by) => mem::forget(destroyed_by),
        }
    }
}
