//! Compiles the kernels for the host platform on all cores, before tests or programs need them one by one.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use anyhow::Result;
use rocm_kernels::{Cache, KernelError, Module, Target};
use rocm_sys::hiprtc::Hiprtc;

/// Fills the user's kernel cache, which the tests use. Cached kernels are not compiled again.
pub(crate) fn host_kernels() -> Result<()> {
    compile(jobs(&[32, 64], |_| true))
}

/// The same for some modules, and for the host platform's first device alone.
pub(crate) fn host_kernels_of(modules: &[&str]) -> Result<()> {
    compile(jobs(&[32], |module| modules.contains(&module.name)))
}

fn compile(jobs: Vec<(&'static Module, Target)>) -> Result<()> {
    let hiprtc = Hiprtc::from_resolver("candle-rocm-host", candle_rocm_host::symbol);
    let cache = Cache::user();
    let jobs = Mutex::new(jobs);
    let first_error = Mutex::new(None);
    let work = || {
        // The list is only locked to take from it.
        let next = || jobs.lock().ok().and_then(|mut jobs| jobs.pop());
        while let Some((module, target)) = next() {
            if let Err(error) = rocm_kernels::code_object(module, &target, Some(&hiprtc), &cache) {
                first_error.lock().ok().and_then(|mut first| first.replace(error));
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(work);
        }
    });
    let error: Option<KernelError> = first_error.into_inner().unwrap_or_default();
    error.map_or(Ok(()), |error| Err(error.into()))
}

/// The modules, for each wavefront size if they depend on it. The longest source is last, because jobs are taken from the end.
fn jobs(waves: &[u32], wanted: impl Fn(&Module) -> bool) -> Vec<(&'static Module, Target)> {
    let mut modules = rocm_kernels::ALL.to_vec();
    modules.retain(|module| wanted(module));
    modules.sort_by_key(|module| module.source.len());
    let waves = |module: &Module| if module.uses_wave() { waves } else { &waves[..1] };
    let target = |wave| Target::new(format!("host-wave{wave}"), wave);
    modules
        .into_iter()
        .flat_map(|module| waves(module).iter().map(move |&wave| (module, target(wave))))
        .collect()
}
