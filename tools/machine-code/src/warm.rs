//! The kernels for the processors that the gfx platform executes.

use anyhow::{Context as _, Result, bail};
use rocm_kernels::{Cache, Module, Target};
use tools_common::warm::{by_length, compile, compiler};

/// Fills the cache for the processors that the gfx platform executes. Fails if there is an instruction whose meaning it does not know.
pub(crate) fn gfx_kernels(processors: &[String]) -> Result<()> {
    let targets = targets(processors)?;
    let modules = by_length(rocm_kernels::ALL.to_vec()).into_iter();
    let jobs = modules.flat_map(|module| targets.iter().map(move |target| (module, target.clone())));
    compile("candle-rocm-gfx", candle_rocm_gfx::symbol, jobs.collect(), understood)
}

/// The code object of each module for these processors, compiled where it is not cached.
pub(crate) fn gfx_objects(processors: &[String]) -> Result<Vec<(String, &'static Module, Vec<u8>)>> {
    let compiler = compiler("candle-rocm-gfx", candle_rocm_gfx::symbol)?;
    let cache = Cache::user();
    let mut objects = Vec::new();
    for (processor, target) in processors.iter().zip(targets(processors)?) {
        for module in rocm_kernels::ALL {
            let object = rocm_kernels::code_object(module, &target, Some(&*compiler), &cache)?;
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
