//! A mark in a stream.

use std::fmt;
use std::ptr;

use rocm_sys::MissingSymbol;
use rocm_sys::hip::{hipError_t, hipEvent_t, hipStream_t};

use crate::{Device, Result, Stream};

/// `hipEventDefault` and `hipEventDisableTiming`.
const TIMED: u32 = 0;
const UNTIMED: u32 = 2;

pub(crate) const CREATE: &str = "hipEventCreateWithFlags";

/// A marker in a stream, to wait for or to measure time with.
///
/// ```
/// use rocm_hip::{Event, Platform, Queue, Runtime};
/// # use rocm_hip::{Adapter, Linked};
/// # static ADAPTER: Adapter = Adapter::linked("host", Linked { name: "host", symbol: candle_rocm_host::symbol, unavailable: candle_rocm_host::unavailable });
/// # const HOST: Platform = Platform::of(&ADAPTER);
/// let device = Runtime::get(HOST)?.device(0)?;
/// let queue = Queue::new(device)?;
/// let (start, end) = (Event::timed(device)?, Event::timed(device)?);
/// start.record(queue.stream())?;
/// let zeros = queue.alloc_zeros::<f32>(1 << 20)?;
/// end.record(queue.stream())?;
/// end.synchronize()?;
/// println!("{} bytes zeroed in {} ms", zeros.size_in_bytes(), end.elapsed_ms(&start)?);
/// # Ok::<(), rocm_hip::HipError>(())
/// ```
pub struct Event {
    device: Device,
    raw: hipEvent_t,
}

// SAFETY: HIP's event functions may be called from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// Creates an event that orders work but does not measure time.
    ///
    /// # Errors
    /// [`HipError::Call`](crate::HipError::Call) if the driver has no more events.
    pub fn new(device: Device) -> Result<Self> {
        Self::with_flags(device, UNTIMED)
    }

    /// Creates an event that measures time.
    ///
    /// # Errors
    /// As [`Event::new`].
    pub fn timed(device: Device) -> Result<Self> {
        Self::with_flags(device, TIMED)
    }

    fn with_flags(device: Device, flags: u32) -> Result<Self> {
        Self::create(device, flags)?.map_err(|code| device.error(CREATE, code))
    }

    /// As [`Event::new`]; HIP's code if it refuses, which may tell of earlier work on a stream.
    pub(crate) fn try_new(device: Device) -> Result<Result<Self, hipError_t>> {
        Self::create(device, UNTIMED)
    }

    fn create(device: Device, flags: u32) -> Result<Result<Self, hipError_t>> {
        device.bind()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for the call.
        Ok(match unsafe { device.hip().hipEventCreateWithFlags(&mut raw, flags) }? {
            hipError_t::hipSuccess => Ok(Self { device, raw }),
            code => Err(code),
        })
    }

    pub(crate) fn device(&self) -> Device {
        self.device
    }

    /// The raw handle, valid as long as the event lives.
    pub fn as_raw(&self) -> hipEvent_t {
        self.raw
    }

    /// Records the event after everything queued on the stream so far. This replaces an earlier recording of the event.
    ///
    /// # Errors
    /// An earlier failure on the stream.
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.device.bind()?;
        stream.check("hipEventRecord", self.put(stream.as_raw()))
    }

    pub(crate) fn put(&self, stream: hipStream_t) -> Result<hipError_t, MissingSymbol> {
        // SAFETY: both handles live.
        unsafe { self.device.hip().hipEventRecord(self.raw, stream) }
    }

    /// "Not ready" until the stream has come to the mark.
    pub(crate) fn query(&self) -> Result<hipError_t, MissingSymbol> {
        // SAFETY: the handle lives.
        unsafe { self.device.hip().hipEventQuery(self.raw) }
    }

    /// Waits until the stream has reached the event. Returns at once if the event was never recorded.
    ///
    /// # Errors
    /// A failure on the device; [`HipError::DeviceLost`](crate::HipError::DeviceLost) after the timeout or a reset.
    pub fn synchronize(&self) -> Result<()> {
        self.device.bind()?;
        let code = match self.device.timeout() {
            // SAFETY: the handle lives.
            None => unsafe { self.device.hip().hipEventSynchronize(self.raw) },
            Some(limit) => self.device.poll(
                "hipEventSynchronize",
                limit,
                || self.query(),
                || self.device.recent_kernels(),
            )?,
        };
        self.device.check_wait("hipEventSynchronize", code)
    }

    /// Whether the stream has reached the event.
    ///
    /// # Errors
    /// A failure on the device.
    pub fn is_done(&self) -> Result<bool> {
        self.device.bind()?;
        match self.query() {
            Ok(hipError_t::hipErrorNotReady) => Ok(false),
            code => self.device.check("hipEventQuery", code).map(|()| true),
        }
    }

    /// The time from `start` to this event, in milliseconds. Both events must be timed and done.
    ///
    /// # Errors
    /// [`HipError::Call`](crate::HipError::Call) if one of them is not timed, or not done.
    pub fn elapsed_ms(&self, start: &Event) -> Result<f32> {
        self.device.bind()?;
        let mut ms = 0.0;
        // SAFETY: the handles live and the pointer is valid for the call.
        let code = unsafe { self.device.hip().hipEventElapsedTime(&mut ms, start.raw, self.raw) };
        self.device.check("hipEventElapsedTime", code)?;
        Ok(ms)
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({})", self.device)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if self.device.is_reachable() {
            // SAFETY: the owner is going; HIP keeps what waiting streams need of it.
            let _ = unsafe { self.device.hip().hipEventDestroy(self.raw) };
        }
    }
}
