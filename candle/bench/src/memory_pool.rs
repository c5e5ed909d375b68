//! CUDA's memory pool, which candle allocates from, releases unused memory at every synchronization unless it is told to keep it.
//! Mapping it again makes operations on large tensors up to twice as slow, and this program synchronizes more often than others. So
//! candle's pool keeps its memory, as ours does.

use anyhow::{Result, ensure};
use candle_core::cuda_backend::cudarc::driver::sys;

/// Tells the pool of the first device to keep its memory.
pub(crate) fn keep() -> Result<()> {
    let mut pool = std::ptr::null_mut();
    let mut threshold = u64::MAX;
    // SAFETY: CUDA is initialized, since candle has a device; both pointers are to live variables of the types that the calls expect.
    let codes = unsafe {
        [
            sys::cuDeviceGetDefaultMemPool(&mut pool, 0),
            sys::cuMemPoolSetAttribute(
                pool,
                sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                (&raw mut threshold).cast(),
            ),
        ]
    };
    let failed = codes.iter().find(|code| **code != sys::CUresult::CUDA_SUCCESS);
    ensure!(failed.is_none(), "CUDA's memory pool: {failed:?}");
    Ok(())
}
