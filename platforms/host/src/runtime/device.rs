//! Devices: which there are, which one a thread uses, and their faults.

use super::fault;
use super::stream::{self, Stream};
use super::{event, registry};
use crate::exports::{self, Host};
use crate::processor::{Fault, Processor};
use rocm_platform::hip::HipResult;
use rocm_platform::hip_device_exports;
use rocm_sys::hip::hipError_t;
use rocm_sys::variable;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// One device. Devices live as long as the process.
pub(crate) struct Device {
    pub(crate) ordinal: usize,
    pub(crate) processor: Box<dyn Processor>,
    /// The architecture's name, as `gcnArchName` has it.
    pub(crate) arch: Arc<str>,
    /// Bytes that may be allocated on it.
    pub(crate) memory: usize,
    /// Whether it is a part of the processor, and uses pinned memory as if it were its own.
    pub(crate) integrated: bool,
    used: AtomicUsize,
    /// The code of the first fault since the start or the last reset; 0 is none.
    fault: AtomicU32,
    /// Ordinals of the devices whose memory this one may use.
    pub(crate) peers: Mutex<BTreeSet<usize>>,
    /// Every stream but the null stream, until its last task has run.
    pub(crate) streams: RwLock<Vec<Arc<Stream>>>,
    null: OnceLock<Arc<Stream>>,
}

impl Device {
    fn new(ordinal: usize, processor: Box<dyn Processor>, memory: usize) -> Self {
        Self {
            ordinal,
            arch: processor.arch().into(),
            processor,
            memory,
            integrated: variable::switch(INTEGRATED_VARIABLE).unwrap_or(false),
            used: AtomicUsize::new(0),
            fault: AtomicU32::new(0),
            peers: Mutex::default(),
            streams: RwLock::default(),
            null: OnceLock::new(),
        }
    }

    /// Lanes of a wavefront.
    pub(crate) fn wavefront(&self) -> u32 {
        self.processor.wavefront()
    }

    /// The number of multiprocessors.
    pub(crate) fn multiprocessors(&self) -> usize {
        self.processor.multiprocessors()
    }

    /// Shared memory of a block, in bytes.
    pub(crate) fn shared_memory(&self) -> u32 {
        self.processor.shared_memory()
    }

    /// `Ok` if the device can take work; the code of its fault if it cannot.
    pub(crate) fn check(&self) -> Result<(), hipError_t> {
        if all().is_empty() {
            return Err(hipError_t::hipErrorNoDevice);
        }
        match self.fault.load(Ordering::Acquire) {
            0 => Ok(()),
            code => Err(hipError_t(code)),
        }
    }

    pub(crate) fn has_fault(&self) -> bool {
        self.fault.load(Ordering::Acquire) != 0
    }

    /// Reports a fault and makes it stick; the first one wins. Reports first, so that whoever sees the code finds the report.
    pub(crate) fn fail(&self, what: &str, fault: &Fault) {
        fault::report(format!("device {}: {what}: {}", self.ordinal, fault.message));
        let _ = self.fault.compare_exchange(0, fault.code.0, Ordering::AcqRel, Ordering::Acquire);
    }

    /// The legacy default stream, made when it is first used.
    pub(crate) fn null_stream(&'static self) -> &'static Arc<Stream> {
        self.null.get_or_init(|| Stream::null(self))
    }

    /// The null stream, if it has been used.
    pub(crate) fn null_stream_if_used(&self) -> Option<&Arc<Stream>> {
        self.null.get()
    }

    /// Waits for all work of all streams, blocking or not. The error is the device's fault, if it has one.
    fn finish(&self) -> HipResult {
        stream::may_wait()?;
        self.drain();
        self.check()
    }

    /// Waits like [`Device::finish`], whatever the outcome.
    fn drain(&self) {
        let streams = self.streams.read().unwrap_or_else(PoisonError::into_inner).clone();
        streams.iter().chain(self.null.get()).for_each(|stream| stream.wait_all());
    }

    pub(crate) fn free_memory(&self) -> usize {
        self.memory.saturating_sub(self.used.load(Ordering::Acquire))
    }

    /// Counts `size` bytes as used, unless that would exceed the device's memory.
    pub(crate) fn reserve(&self, size: usize) -> Result<(), hipError_t> {
        self.used
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |used| {
                used.checked_add(size).filter(|&total| total <= self.memory)
            })
            .map(|_| ())
            .map_err(|_| hipError_t::hipErrorOutOfMemory)
    }

    pub(crate) fn release(&self, size: usize) {
        self.used.fetch_sub(size, Ordering::AcqRel);
    }
}

/// Waits for all work of all devices: memory that is about to be freed may be in use on any of them.
pub(crate) fn drain_all() -> Result<(), hipError_t> {
    stream::may_wait()?;
    all().iter().for_each(Device::drain);
    Ok(())
}

const DEVICES_VARIABLE: &str = "CANDLE_ROCM_HOST_DEVICES";
const MEMORY_VARIABLE: &str = "CANDLE_ROCM_HOST_MEMORY";
const INTEGRATED_VARIABLE: &str = "CANDLE_ROCM_HOST_INTEGRATED";
const DEFAULT_MEMORY: usize = 8 << 30;

static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();

/// All devices. By default one with wavefronts of 32 and one with wavefronts of 64.
pub(crate) fn all() -> &'static [Device] {
    DEVICES.get_or_init(|| match wavefronts_from(variable::text(DEVICES_VARIABLE).as_deref()) {
        Ok(wavefronts) => devices(wavefronts.into_iter().map(exports::cpu)),
        Err(why) => {
            fault::report(why);
            Vec::new()
        }
    })
}

fn devices(processors: impl Iterator<Item = Box<dyn Processor>>) -> Vec<Device> {
    let memory = variable::number(MEMORY_VARIABLE, "a number of bytes").unwrap_or(DEFAULT_MEMORY);
    processors.enumerate().map(|(i, processor)| Device::new(i, processor, memory)).collect()
}

/// Makes these the devices of this process, of the platform that reports shall name; or none, for the reason given, which is reported.
/// `false`, and nothing happens, if it has used its devices already.
pub fn install(platform: &'static str, processors: Result<Vec<Box<dyn Processor>>, String>) -> bool {
    let (processors, wrong) = match processors {
        Ok(processors) => (processors, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    let installed = DEVICES.set(devices(processors.into_iter())).is_ok();
    if installed {
        fault::set_platform(platform);
        wrong.into_iter().for_each(fault::report);
    }
    installed
}

/// The wavefront of each device, or why the list is none: there is no device then, as with HIP_VISIBLE_DEVICES.
fn wavefronts_from(list: Option<&str>) -> Result<Vec<u32>, String> {
    let Some(list) = list else { return Ok(vec![32, 64]) };
    if list.eq_ignore_ascii_case("none") {
        return Ok(Vec::new());
    }
    let wavefront = |word: &str| match word.trim() {
        "32" => Some(32),
        "64" => Some(64),
        _ => None,
    };
    list.split(',').map(wavefront).collect::<Option<_>>().ok_or_else(|| {
        format!(
            "{DEVICES_VARIABLE}={list} is not a list of wavefront sizes, so there is no device; \
             set 32 or 64 for each device, such as `32,64`, or `none`"
        )
    })
}

thread_local! {
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

/// This thread's device.
///
/// Without any device, a stand-in whose [`Device::check`] fails.
pub(crate) fn current() -> &'static Device {
    static ABSENT: OnceLock<Device> = OnceLock::new();
    all().get(CURRENT.get()).unwrap_or_else(|| ABSENT.get_or_init(|| Device::new(0, exports::cpu(32), 0)))
}

/// The device with this ordinal.
pub(crate) fn get(ordinal: c_int) -> Result<&'static Device, hipError_t> {
    usize::try_from(ordinal).ok().and_then(|i| all().get(i)).ok_or(hipError_t::hipErrorInvalidDevice)
}

impl rocm_platform::hip::Device for Device {
    fn all() -> HipResult<&'static [Self]> {
        if all().is_empty() { Err(hipError_t::hipErrorNoDevice) } else { Ok(all()) }
    }

    fn get(ordinal: c_int) -> HipResult<&'static Self> {
        get(ordinal)
    }

    fn current() -> HipResult<&'static Self> {
        <Self as rocm_platform::hip::Device>::all().map(|_| current())
    }

    fn ordinal(&self) -> usize {
        self.ordinal
    }

    fn make_current(&'static self) -> HipResult {
        CURRENT.set(self.ordinal);
        Ok(())
    }

    /// Waits for all streams, then checks whether anything was written outside its allocation.
    fn synchronize(&'static self) -> HipResult {
        self.finish()?;
        registry::check_guards(self);
        self.check()
    }

    fn reset(&'static self) -> HipResult {
        stream::may_wait()?;
        let _ = self.finish();
        registry::check_guards(self);
        stream::destroy_all(self);
        event::destroy_all(self);
        registry::free_all(self);
        self.peers.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.fault.store(0, Ordering::Release);
        Ok(())
    }
}

hip_device_exports! { Host, Device }

#[cfg(test)]
mod tests {
    use super::wavefronts_from;

    #[test]
    fn device_lists() {
        assert_eq!(wavefronts_from(None), Ok(vec![32, 64]));
        assert_eq!(wavefronts_from(Some("64")), Ok(vec![64]));
        assert_eq!(wavefronts_from(Some("32, 64,64")), Ok(vec![32, 64, 64]));
        assert_eq!(wavefronts_from(Some("None")), Ok(vec![]));
        let why = wavefronts_from(Some("32,16")).unwrap_err();
        assert!(why.contains("CANDLE_ROCM_HOST_DEVICES=32,16 is not") && why.contains("32 or 64"), "{why}");
    }
}
