//! Kernels that are generated for trees of elementwise operations, and for reductions of rows with those around them. They are compiled in the background, while the single kernels
//! serve: nobody waits for a compiler, and nobody can tell from a result which of them gave it.

mod ahead;
pub(super) mod elementwise;
pub(super) mod rows;
pub(super) mod steps;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, OnceLock, Weak};
use std::thread;

use rocm_kernels::FUSED;

use super::known::Known;
use super::panics::caught;
use crate::hip::{self, Device, Function};
use crate::lock::{GeneratedKernels, Mutex};
use crate::{Result, RocmDevice, RocmError};
pub use ahead::fused_source;
use elementwise::Expression;
use rows::RowExpression;
use steps::{Step, includes, modules};

/// How often a tree runs before it is worth a kernel.
const WORTH: usize = 3;

/// Trees whose kernels are known at least.
const MOST_KERNELS: usize = 512;

/// What a kernel is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Code {
    Elementwise(Expression),
    Rows(RowExpression),
}

impl Code {
    /// The kernel of that name, without what it includes; `None` if a dtype has no name.
    fn kernel(&self, name: &str) -> Option<String> {
        match self {
            Self::Elementwise(expression) => expression.kernel(name),
            Self::Rows(expression) => expression.kernel(name),
        }
    }

    fn header(&self) -> &'static str {
        match self {
            Self::Elementwise(_) => Expression::HEADER,
            Self::Rows(_) => RowExpression::HEADER,
        }
    }

    fn steps(&self) -> &[Step] {
        match self {
            Self::Elementwise(expression) => &expression.steps,
            Self::Rows(expression) => &expression.steps,
        }
    }
}

/// The name of a kernel that is compiled by itself.
const KERNEL: &str = "joined";

/// The kernels of a device.
#[derive(Default)]
pub(super) struct Generated {
    known: Mutex<Known<Code, Arc<Kernel>, MOST_KERNELS>, GeneratedKernels>,
    has_compiler: OnceLock<bool>,
    has_built_in: OnceLock<bool>,
    jobs: OnceLock<Option<Sender<Job>>>,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct Kernel {
    met: AtomicUsize,
    /// `None` if it does not compile: that is not tried again.
    function: OnceLock<Option<Function>>,
    /// Its name, if it was compiled ahead of time.
    built_in: Option<String>,
}

/// The kernel for a tree, which may be there later.
#[derive(Clone)]
pub(super) struct Handle {
    code: Code,
    kernel: Arc<Kernel>,
}

/// Whether the kernel is there makes no other one of it.
impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code.fmt(f)
    }
}

impl Handle {
    /// Whether the kernel is there, as somebody needs it. It will be once that was often enough.
    pub(super) fn meet(&self, device: &RocmDevice) -> bool {
        if let Some(function) = self.kernel.function.get() {
            return function.is_some();
        }
        if let Some(name) = &self.kernel.built_in {
            return self.kernel.function.get_or_init(|| device.function(&FUSED, name).ok()).is_some();
        }
        if self.kernel.met.fetch_add(1, Ordering::Relaxed) + 1 == WORTH {
            device.extension::<Generated>().compile(device, self.clone());
        }
        false
    }

    /// The kernel, if it is there.
    pub(super) fn get(&self) -> Option<&Function> {
        self.kernel.function.get()?.as_ref()
    }
}

struct Job {
    code: Code,
    kernel: Arc<Kernel>,
    waits: Waits,
}

/// Counts as waiting until it is dropped, if the device is still there.
struct Waits(Weak<Progress>);

/// What the compiling thread has to do, and what went wrong.
#[derive(Default)]
struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: usize,
    failure: Option<RocmError>,
}

impl Generated {
    /// Whether there are kernels, or will be: some are built in, or there is a compiler.
    pub(super) fn has_kernels(&self, device: &RocmDevice) -> bool {
        self.has_built_in(device) || self.can_compile(device)
    }

    /// Looked for once.
    fn can_compile(&self, device: &RocmDevice) -> bool {
        *self.has_compiler.get_or_init(|| device.hip_device().runtime().compiler().is_ok())
    }

    fn has_built_in(&self, device: &RocmDevice) -> bool {
        *self.has_built_in.get_or_init(|| rocm_kernels::is_built_in(&FUSED, &device.hip_device().target()))
    }

    /// The kernel for a tree, if there is one or will be.
    pub(super) fn kernel(&self, device: &RocmDevice, code: Code) -> Option<Handle> {
        let built_in = || self.has_built_in(device).then(|| ahead::built_in(&code)).flatten();
        let new = || Arc::new(Kernel { built_in: built_in(), ..Kernel::default() });
        let kernel = self.known.lock().get_or_insert_with(&code, new);
        (kernel.built_in.is_some() || self.can_compile(device)).then_some(Handle { code, kernel })
    }

    fn compile(&self, device: &RocmDevice, Handle { code, kernel }: Handle) {
        let job = Job { code, kernel, waits: Waits::new(&self.progress) };
        if let Some(jobs) = self.jobs.get_or_init(|| self.spawn(device)) {
            // If the thread ended, the process does.
            let _ = jobs.send(job);
        }
    }

    /// A thread that compiles until the device goes.
    fn spawn(&self, device: &RocmDevice) -> Option<Sender<Job>> {
        let (sender, jobs) = mpsc::channel::<Job>();
        let device = device.hip_device();
        let work = move || {
            for Job { code, kernel, waits } in jobs {
                let Some(progress) = waits.0.upgrade() else { return };
                // An exit of the process waits for the compiler.
                let Some(_stay) = hip::stay_compiling() else { return };
                let function = caught("finish_compiling", || Ok(compile(device, &code)?));
                let function = function.unwrap_or_else(|error| {
                    progress.state.lock().failure.get_or_insert(error);
                    None
                });
                let _ = kernel.function.set(function);
            }
        };
        thread::Builder::new().name("joined kernels".to_owned()).spawn(work).ok()?;
        Some(sender)
    }

    /// Waits until all kernels that are worth it are there.
    fn finish(&self) -> Result<()> {
        let mut state = self.progress.state.lock();
        while state.waiting > 0 {
            state = state.wait(&self.progress.changed);
        }
        state.failure.take().map_or(Ok(()), Err)
    }
}

impl Waits {
    fn new(progress: &Arc<Progress>) -> Self {
        progress.state.lock().waiting += 1;
        Self(Arc::downgrade(progress))
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        if let Some(progress) = self.0.upgrade() {
            progress.state.lock().waiting -= 1;
            progress.changed.notify_all();
        }
    }
}

fn compile(device: Device, code: &Code) -> hip::Result<Option<Function>> {
    let Some(kernel) = code.kernel(KERNEL) else { return Ok(None) };
    let modules = modules(code.steps());
    let source = includes(&[code.header()], &modules) + &kernel;
    let files: Vec<(String, &str)> = modules
        .iter()
        .map(|module| (format!("{}/{}.hip", module.family, module.name), module.source))
        .collect();
    let mut headers = rocm_kernels::HEADERS.to_vec();
    headers.extend(files.iter().map(|(name, text)| (name.as_str(), *text)));
    device.compile_with(KERNEL, &source, &headers, &[])?.function(KERNEL).map(Some)
}

impl RocmDevice {
    /// The kernels generated for recently used trees of operations, by name: those to [compile ahead of time](fused_source).
    #[doc(hidden)] // for `cargo xtask fused-kernels`
    pub fn generated_kernels(&self) -> BTreeMap<String, String> {
        self.flush();
        let codes = self.extension::<Generated>().known.lock().keys().cloned().collect::<Vec<_>>();
        codes.iter().flat_map(ahead::variants).filter_map(|code| ahead::named(&code)).collect()
    }

    /// Waits until kernels that are being compiled in the background for frequent operations are ready, for example before a measurement.
    /// Without fusion there are none.
    ///
    /// # Errors
    /// The compiler's error, if it rejected a kernel. Its operations continue to run one by one.
    pub fn finish_compiling(&self) -> Result<()> {
        self.hip_device().check_usable()?;
        self.flush();
        self.extension::<Generated>().finish()
    }
}
