//! Compiles the kernels for NVIDIA cards into a folder, on all cores. No card is needed.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, bail};
use rocm_kernels::{Cache, Target};
use rocm_sys::hiprtc::Hiprtc;

/// Fills a cache with the kernels for these cards (`sm_90`). Kernels in this cache or the user's are not compiled again. Without
/// NVRTC, the cache stays as it is.
pub(crate) fn compile(arches: &[String], folder: &Path) -> Result<()> {
    let hiprtc = Hiprtc::from_resolver("candle-rocm-nvidia (linked in)", candle_rocm_nvidia::symbol);
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both pointers are to live integers.
    unsafe { hiprtc.hiprtcVersion(&mut major, &mut minor) }?;
    if major == 0 {
        println!("There is no NVRTC here to compile kernels.");
        return Ok(());
    }
    println!("Kernels for {} with NVRTC {major}.{minor}", arches.join(", "));
    let cache = Cache::at(folder).in_front_of(Cache::user());
    let mut modules = rocm_kernels::ALL.to_vec();
    // The longest compilations first.
    modules.sort_by_key(|module| std::cmp::Reverse(module.source.len()));
    let jobs: Vec<_> =
        modules.iter().flat_map(|module| arches.iter().map(move |arch| (arch, module))).collect();
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        while let Some((arch, module)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let target = Target::new(*arch, 32);
            rocm_kernels::code_object(module, &target, Some(&hiprtc), &cache)?;
        }
        Ok(())
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| bail!("a compilation panicked")))
    })
}
