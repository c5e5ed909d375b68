//! Threads that share a device, and processes that exit with live tensors.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use candle_core::{Device, Result, Tensor};
use candle_rocm::RocmDevice;
use candle_rocm::hip::PoolStats;
use candle_rocm_tests::{devices, in_child};

const THREADS: usize = 8;

/// Total duration over all devices: `CANDLE_ROCM_TEST_SECONDS`, 8 by default.
fn seconds() -> f64 {
    let variable = std::env::var("CANDLE_ROCM_TEST_SECONDS");
    variable.map_or(8., |seconds| seconds.parse().expect("CANDLE_ROCM_TEST_SECONDS is a number"))
}

fn stats(device: &Device) -> PoolStats {
    let device: &RocmDevice = device.as_rocm_device().unwrap().downcast_ref().unwrap();
    device.pool().stats()
}

/// One thread's work: its own tensors and a shared one, copied in both directions, with sizes that vary from round to round. All numbers
/// are small integers, so results are exact.
fn work(device: &Device, shared: &Tensor, thread: usize, round: usize) -> Result<()> {
    let len = 100 + (thread * 37 + round * 101) % 3000;
    let own: Vec<f32> = (0..len).map(|i| ((i + thread) % 50) as f32).collect();
    let x = Tensor::from_slice(&own, len, device)?;
    let y = ((&x * 3.)? + x.sqr()?)?;
    let z = (y + shared.narrow(0, 7, len)?)?;
    let expected: Vec<f32> = own.iter().enumerate().map(|(i, x)| x * 3. + x * x + (i + 7) as f32).collect();
    assert_eq!(z.to_vec1::<f32>()?, expected);
    let total: f64 = own.iter().map(|x| f64::from(*x)).sum();
    assert_eq!(f64::from(x.sum_all()?.to_scalar::<f32>()?), total);
    let indices: Vec<u32> = (0..len as u32).rev().step_by(3).collect();
    let picked = x.index_select(&Tensor::new(indices.as_slice(), device)?, 0)?.to_vec1::<f32>()?;
    assert!(picked.iter().zip(&indices).all(|(x, index)| *x == own[*index as usize]));
    Ok(())
}

#[test]
fn threads_get_correct_results_and_do_not_leak() -> Result<()> {
    let devices = devices();
    let each = Duration::from_secs_f64(seconds() / devices.len().max(1) as f64);
    for device in devices {
        let shared = Tensor::arange(0f32, 4000., &device)?;
        // Warm up: compiles kernels and allocates what a device keeps. Whether these operations need its array of dims and strides
        // depends on which joined kernels are compiled by now; a strided sum always does.
        for thread in 0..THREADS {
            work(&device, &shared, thread, 0)?;
        }
        shared.reshape((40, 10, 10))?.transpose(0, 2)?.sum(1)?.to_vec2::<f32>()?;
        let before = stats(&device);
        let end = Instant::now() + each;
        let rounds: usize = std::thread::scope(|scope| {
            let worker = |thread| {
                let (device, shared) = (&device, &shared);
                move || {
                    let mut round = 0;
                    while Instant::now() < end {
                        work(device, shared, thread, round).unwrap();
                        round += 1;
                    }
                    round
                }
            };
            let workers: Vec<_> = (0..THREADS).map(|thread| scope.spawn(worker(thread))).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        });
        let after = stats(&device);
        println!(
            "{rounds} rounds of {THREADS} threads on {device:?}; {} bytes at most",
            after.allocated_peak
        );
        assert_eq!((after.allocated, after.buffers), (before.allocated, before.buffers), "{after:?}");
        assert_eq!(after.out_of_memory_flushes, 0);
    }
    Ok(())
}

#[test]
fn a_process_may_exit_with_live_tensors() -> Result<()> {
    static ALIVE: OnceLock<Vec<Tensor>> = OnceLock::new();
    let Some(stderr) = in_child("a_process_may_exit_with_live_tensors", &[]) else {
        let mut tensors = Vec::new();
        for device in devices() {
            let x = Tensor::ones((500, 500), candle_core::DType::F32, &device)?;
            // Still being computed when main returns.
            tensors.extend([x.exp()?, (&x + 1.)?, x]);
        }
        ALIVE.set(tensors).expect("once");
        // A tensor in a thread that outlives main.
        let device = devices().pop();
        std::thread::spawn(move || {
            let _x = device.map(|device| Tensor::ones(10, candle_core::DType::F32, &device).unwrap());
            loop {
                std::thread::park();
            }
        });
        return Ok(());
    };
    assert!(!stderr.contains("panicked") && !stderr.contains("error"), "{stderr}");
    Ok(())
}
