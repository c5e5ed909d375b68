//! Compiles the kernels for a platform without a card on all cores, before tests or programs need them one by one.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context as _, Result};
use rocm_kernels::{Cache, Compiler, Module, Target};
use rocm_sys::comgr::Comgr;
use rocm_sys::hiprtc::Hiprtc;
use rocm_sys::{Library, LibraryKind, LoadError, Resolver};

/// Fills the user's kernel cache, which the tests use, by the host platform's functions. Cached kernels are not compiled again.
pub fn host_kernels(symbol: Resolver) -> Result<()> {
    compile("candle-rocm-host", symbol, host_jobs(), |_, _| Ok(()))
}

/// The compiler of a library that is linked in, as a program that runs on it takes: hiprtc, or comgr where there is none.
///
/// # Errors
/// There is neither.
pub fn compiler(
    library: &'static str,
    symbol: Resolver,
) -> Result<Box<dyn Compiler + Send + Sync>, LoadError> {
    let provided = |kind| Library::from_resolver(kind, library, symbol).of_its_kind();
    if let Ok(hiprtc) = provided(LibraryKind::Hiprtc) {
        return Ok(Box::new(Hiprtc::new(hiprtc)));
    }
    Ok(Box::new(Comgr::new(provided(LibraryKind::Comgr)?)))
}

/// Compiles what is not cached with a library's compiler, and has each code object checked.
///
/// # Errors
/// That of the first module that does not compile, or is refused; there is no compiler.
pub fn compile(
    library: &'static str,
    symbol: Resolver,
    jobs: Vec<(&'static Module, Target)>,
    check: impl Fn(&Target, &[u8]) -> Result<()> + Sync,
) -> Result<()> {
    let compiler = compiler(library, symbol)?;
    let cache = Cache::user();
    on_all_cores(jobs, |(module, target)| {
        let code = rocm_kernels::code_object(module, &target, Some(&*compiler), &cache);
        let checked = code.map_err(anyhow::Error::from).and_then(|code| check(&target, &code));
        checked.with_context(|| format!("the kernels `{}`", module.name))
    })
}

/// Does the jobs from the last to the first, as many at a time as there are cores, until one fails.
///
/// # Errors
/// The first.
pub fn on_all_cores<J: Send>(jobs: Vec<J>, each: impl Fn(J) -> Result<()> + Sync) -> Result<()> {
    let jobs = Mutex::new(jobs);
    let first_error = Mutex::new(None);
    let work = || {
        // The list is only locked to take from it.
        let next = || jobs.lock().ok().and_then(|mut jobs| jobs.pop());
        while let Some(job) = next() {
            if let Err(error) = each(job) {
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
    let error: Option<anyhow::Error> = first_error.into_inner().unwrap_or_default();
    error.map_or(Ok(()), Err)
}

/// The host platform's: all modules, for each wavefront size if they depend on it.
pub fn host_jobs() -> Vec<(&'static Module, Target)> {
    let modules = rocm_kernels::ALL.to_vec();
    let waves = |module: &Module| if module.uses_wave() { &[32, 64][..] } else { &[32] };
    let target = |wave| Target::new(format!("host-wave{wave}"), wave);
    by_length(modules)
        .into_iter()
        .flat_map(|module| waves(module).iter().map(move |&wave| (module, target(wave))))
        .collect()
}

/// The longest source is last, because jobs are taken from the end.
pub fn by_length(mut modules: Vec<&'static Module>) -> Vec<&'static Module> {
    modules.sort_by_key(|module| module.source.len());
    modules
}
