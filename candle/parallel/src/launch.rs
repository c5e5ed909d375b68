//! The ranks of a program: processes that a launcher started, or threads of this one.

use std::panic;
use std::thread;

use candle_core::{Device, Result};
use rocm_rccl::Environment;

use crate::Communicator;
use crate::error::{failure, wrap};

/// Runs a function on the rank that a launcher assigned to this process. Without a launcher, runs it on the first `count` devices, as
/// [`run_threads`] does. Returns the results of this process's ranks, in the order of ranks.
///
/// # Errors
/// Those of the function, [`Communicator::from_env`] and [`Communicator::from_devices`].
pub fn run_ranks<R: Send>(count: usize, run: impl Fn(&Communicator) -> Result<R> + Sync) -> Result<Vec<R>> {
    if !Environment::is_set() {
        return run_threads(&(0..count).map(Device::new_rocm).collect::<Result<Vec<_>>>()?, run);
    }
    let place = Environment::read().map_err(wrap)?;
    let device = Device::new_rocm(place.local_rank as usize)?;
    Ok(vec![run(&Communicator::from_env(&device)?)?])
}

/// Runs a function on one rank per device, each in its own thread. If it returns an error or panics on one rank, collectives of the other
/// ranks return an error.
///
/// # Errors
/// Those of the function and [`Communicator::from_devices`].
pub fn run_threads<R: Send>(
    devices: &[Device],
    run: impl Fn(&Communicator) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let ranks = Communicator::from_devices(devices)?;
    let results: Vec<Result<R>> = thread::scope(|scope| {
        let run = &run;
        // With the rank's thread goes its communicator, which the others are told of.
        let threads: Vec<_> = ranks.into_iter().map(|rank| scope.spawn(move || run(&rank))).collect();
        let join = |thread: thread::ScopedJoinHandle<'_, Result<R>>| {
            thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    let mut done = Vec::with_capacity(results.len());
    let mut errors = Vec::new();
    for result in results {
        match result {
            Ok(result) => done.push(result),
            Err(error) => errors.push(error),
        }
    }
    // What went wrong on a rank says more than that the others missed it.
    errors.into_iter().min_by_key(|error| failure(error).is_some()).map_or(Ok(done), Err)
}
