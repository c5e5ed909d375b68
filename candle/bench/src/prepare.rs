//! Compiles all kernels on all cores before any is timed. Cached kernels are not compiled again.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use rocm_kernels::{Cache, Module, Target};

use crate::side::Side;

/// Fills the disk cache that kernels are loaded from.
pub(crate) fn kernels(side: &Side) -> Result<()> {
    use_packed_kernels();
    let device = side.rocm.as_ref().context("only candle-rocm has kernels to compile")?.hip_device();
    let runtime = device.runtime();
    let Ok(compiler) = runtime.compiler() else {
        // Kernels may be built in. If they are not, the first launch says what is missing.
        return Ok(());
    };
    let mut target = Target::new(device.arch(), device.wavefront_size());
    if device.platform() == candle_rocm::platform::AMD {
        target = target.with_runtime_version(runtime.version());
    }
    let began = Instant::now();
    let mut modules: Vec<&'static Module> = rocm_kernels::ALL.to_vec();
    // The longest one first.
    modules.sort_by_key(|module| module.source.len());
    let modules = Mutex::new(modules);
    let next = || modules.lock().ok().and_then(|mut modules| modules.pop());
    let cache = Cache::user();
    let work = || -> Result<()> {
        while let Some(module) = next() {
            rocm_kernels::code_object(module, &target, Some(compiler), &cache)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err(anyhow!("a compiler thread panicked")))
        })
    })?;
    eprintln!("kernels ready after {:.1} s", began.elapsed().as_secs_f32());
    Ok(())
}

/// `cargo xtask bench` packs compiled kernels with the program. They serve as the cache unless another one is set.
fn use_packed_kernels() {
    const VARIABLE: &str = "CANDLE_ROCM_CACHE_DIR";
    let packed = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.join("kernels")));
    let Some(folder) = packed.filter(|folder: &PathBuf| folder.is_dir()) else { return };
    if std::env::var_os(VARIABLE).is_none() {
        // SAFETY: this runs before the program has other threads.
        unsafe { std::env::set_var(VARIABLE, folder) };
    }
}
