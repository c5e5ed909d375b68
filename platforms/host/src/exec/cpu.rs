//! The CPU as a processor: kernels are compiled for it, and the threads of a block are coroutines.

use std::ffi::{c_int, c_void};
use std::sync::{Arc, OnceLock};

use super::module::Module;
use super::sanitize::{Sanitizer, VARIABLE};
use super::{blob, launch};
use crate::processor::{Code, Fault, Kernel, Launch, LoadError, Processor};
use crate::runtime::device;

/// The CPU, with wavefronts of a size.
pub(crate) struct Cpu {
    /// 32 or 64.
    pub(crate) wavefront: u32,
}

impl Processor for Cpu {
    fn arch(&self) -> String {
        format!("host-wave{}", self.wavefront)
    }

    fn name(&self) -> String {
        let description = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = description.lines().find(|line| line.starts_with("model name"));
        let model = model.and_then(|line| line.split_once(':')).map_or("CPU", |(_, name)| name.trim());
        format!("{model} (HIP on the CPU, wave{})", self.wavefront)
    }

    fn wavefront(&self) -> u32 {
        self.wavefront
    }

    /// That of a family of cards with this wavefront.
    fn version(&self) -> (c_int, c_int) {
        if self.wavefront == 32 { (11, 0) } else { (9, 0) }
    }

    fn multiprocessors(&self) -> usize {
        // One for each core.
        static COUNT: OnceLock<usize> = OnceLock::new();
        *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    fn shared_memory(&self) -> u32 {
        64 << 10
    }

    fn load(&self, image: &[u8], ordinal: usize) -> Result<Arc<dyn Code>, LoadError> {
        // What is no module at all needs no words.
        let blob = blob::decode(image).ok_or_else(|| LoadError::Invalid(String::new()))?;
        let name = |kind: Option<Sanitizer>| kind.map_or("none", Sanitizer::name);
        let active = Sanitizer::active();
        if blob.wave != 0 && blob.wave != self.wavefront {
            let why = format!("compiled for host-wave{}, but the device is {}", blob.wave, self.arch());
            return Err(LoadError::OtherProcessor(why));
        }
        if blob.needs_v3 && !blob::has_v3() {
            let why = "compiled for a CPU with AVX2, which this CPU lacks".to_owned();
            return Err(LoadError::OtherProcessor(why));
        }
        if blob.sanitizer != active {
            let (of, here) = (name(blob.sanitizer), name(active));
            let why = format!("compiled with {VARIABLE}={of}, but this process runs with {here}");
            return Err(LoadError::OtherProcess(why));
        }
        if let Some(sanitizer) = active {
            sanitizer.check_process().map_err(LoadError::OtherProcess)?;
        }
        let device = device::get(ordinal as c_int)
            .map_err(|_| LoadError::Invalid("there is no such device".to_owned()))?;
        Ok(Arc::new(Module::load(blob.object, device).map_err(LoadError::Invalid)?))
    }

    unsafe fn image_length(&self, image: *const c_void) -> Option<usize> {
        // SAFETY: the caller's promise; bytes that are not a module are read only up to the first that differs.
        unsafe { blob::length_at(image.cast()) }
    }
}

impl Code for Module {
    fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    fn variable(&self, name: &str) -> Option<(usize, usize)> {
        self.globals.as_ref()?.find(name)
    }

    fn run(self: Arc<Self>, launch: Launch) -> Result<(), Fault> {
        launch::Launch::new(self, launch).run()
    }
}
