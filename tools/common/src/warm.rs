//! Compiles the kernels for a platform without a card on all cores, before tests or programs need them one by one.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context as _, Result, bail};
use rocm_kernels::{Cache, Module, Target};
use rocm_sys::Resolver;
use rocm_sys::hiprtc::Hiprtc;

/// Fills the user's kernel cache, which the tests use. Cached kernels are not compiled again.
pub(crate) fn host_kernels() -> Result<()> {
    compile("candle-rocm-host", candle_rocm_host::symbol, jobs(&[32, 64]), |_, _| Ok(()))
}

/// Fills the cache for the processors that the gfx platform executes. Fails if there is an instruction whose meaning it does not know.
pub(crate) fn gfx_kernels(processors: &[String]) -> Result<()> {
    let targets = targets(processors)?;
    let modules = by_length(rocm_kernels::ALL.to_vec()).into_iter();
    let jobs = modules.flat_map(|module| targets.iter().map(move |target| (module, target.clone())));
    compile("candle-rocm-gfx", candle_rocm_gfx::symbol, jobs.collect(), understood)
}

/// The code object of each module for these processors, compiled where it is not cached.
pub(crate) fn gfx_objects(processors: &[String]) -> Result<Vec<(String, &'static Module, Vec<u8>)>> {
    let hiprtc = Hiprtc::from_resolver("candle-rocm-gfx", candle_rocm_gfx::symbol);
    let cache = Cache::user();
    let mut objects = Vec::new();
    for (processor, target) in processors.iter().zip(targets(processors)?) {
        for module in rocm_kernels::ALL {
            let object = rocm_kernels::code_object(module, &target, Some(&hiprtc), &cache)?;
            objects.push((processor.clone(), *module, object));
        }
    }
    Ok(objects)
}

fn targets(processors: &[String]) -> Result<Vec<Target>> {
    let targets = processors.iter().map(|name| candle_rocm_gfx::arch(name).map(rocm_kernels::default_target));
    targets
        .collect::<Option<_>>()
        .with_context(|| format!("one of {} is no processor that is executed", processors.join(",")))
}

/// Whether every instruction of a code object can be executed.
fn understood(target: &Target, code: &[u8]) -> Result<()> {
    let unknown = candle_rocm_gfx::not_understood(code, target.processor()).map_err(anyhow::Error::msg)?;
    match unknown.first() {
        None => Ok(()),
        Some(first) => {
            bail!("{} instructions for {} are not understood: {first}", unknown.len(), target.arch)
        }
    }
}

fn compile(
    library: &'static str,
    symbol: Resolver,
    jobs: Vec<(&'static Module, Target)>,
    check: impl Fn(&Target, &[u8]) -> Result<()> + Sync,
) -> Result<()> {
    let hiprtc = Hiprtc::from_resolver(library, symbol);
    let cache = Cache::user();
    let jobs = Mutex::new(jobs);
    let first_error = Mutex::new(None);
    let work = || {
        // The list is only locked to take from it.
        let next = || jobs.lock().ok().and_then(|mut jobs| jobs.pop());
        while let Some((module, target)) = next() {
            let code = rocm_kernels::code_object(module, &target, Some(&hiprtc), &cache);
            let checked = code.map_err(anyhow::Error::from).and_then(|code| check(&target, &code));
            if let Err(error) = checked.with_context(|| format!("the kernels `{}`", module.name)) {
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

/// The modules, for each wavefront size if they depend on it.
fn jobs(waves: &[u32]) -> Vec<(&'static Module, Target)> {
    let modules = rocm_kernels::ALL.to_vec();
    let waves = |module: &Module| if module.uses_wave() { waves } else { &waves[..1] };
    let target = |wave| Target::new(format!("host-wave{wave}"), wave);
    by_length(modules)
        .into_iter()
        .flat_map(|module| waves(module).iter().map(move |&wave| (module, target(wave))))
        .collect()
}

/// The longest source is last, because jobs are taken from the end.
fn by_length(mut modules: Vec<&'static Module>) -> Vec<&'static Module> {
    modules.sort_by_key(|module| module.source.len());
    modules
}
