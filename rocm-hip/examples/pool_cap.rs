//! What a queue's memory pool keeps, and how to bound it: `cargo run -p rocm-hip --example pool_cap`.

mod common;

use rocm_hip::{HipError, PoolStats, Queue};

const MIB: usize = 1 << 20;

fn main() -> Result<(), HipError> {
    let queue = Queue::new(common::device()?)?;
    let pool = queue.pool();
    // A quarter of the device's memory, unless CANDLE_ROCM_POOL_CAP or this says otherwise.
    println!("cap: {} MiB", pool.cap() / MIB);
    pool.set_cap(8 * MIB)?;

    let buffers = (0..6).map(|_| queue.alloc::<u8>(4 * MIB)).collect::<Result<Vec<_>, _>>()?;
    show("6 buffers of 4 MiB", pool.stats());

    // Memory comes back when a buffer is dropped, even while kernels that use it are queued: the next owner's work comes behind
    // them. What is beyond the cap goes back to the device.
    drop(buffers);
    show("dropped, with a cap of 8 MiB", pool.stats());
    assert!(pool.stats().cached <= 8 * MIB);

    let _again = queue.alloc::<u8>(4 * MIB)?;
    show("one more buffer, from the cache", pool.stats());

    let freed = pool.empty_cache()?;
    println!("{} MiB given back to the device", freed / MIB);
    show("emptied", pool.stats());
    println!("at most {} MiB were taken from the device", pool.stats().reserved_peak / MIB);
    Ok(())
}

fn show(what: &str, stats: PoolStats) {
    println!(
        "{what}: {} MiB in use, {} MiB cached, {} hits, {} misses",
        stats.allocated / MIB,
        stats.cached / MIB,
        stats.hits,
        stats.misses
    );
}
