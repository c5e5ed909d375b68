//! RocmDevice: seeds, what candle asks of it, built-in kernels, errors through candle.

mod common;

use candle_core::backend::BackendDevice;
use candle_core::{DType, DeviceLocation, Shape};
use candle_rocm::hip::{HipError, LaunchConfig};
use candle_rocm::{RocmDevice, RocmError};
use common::{devices, devices_without_kernels};

#[test]
fn seeds_and_counters() {
    for device in devices_without_kernels() {
        assert_eq!(device.get_current_seed().unwrap(), 299_792_458);
        assert_eq!(device.next_random(10), (299_792_458, 0));
        assert_eq!(device.clone().next_random(1), (299_792_458, 10));
        BackendDevice::set_seed(&device, 7).unwrap();
        assert_eq!((device.seed(), device.next_random(0)), (7, (7, 0)));
        // Threads get counters of their own.
        let mut taken: Vec<u64> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| (0..500).map(|_| device.next_random(3).1).collect::<Vec<_>>()))
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        taken.sort_unstable();
        assert!(taken.iter().enumerate().all(|(i, &offset)| offset == 3 * i as u64));
    }
}

#[test]
fn what_candle_asks_of_a_device() {
    for device in devices_without_kernels() {
        assert_eq!(device.location(), DeviceLocation::Cuda { gpu_id: device.ordinal() });
        assert!(BackendDevice::same_device(&device, &device.clone()));
        let again = RocmDevice::on(device.platform(), device.ordinal()).unwrap();
        assert!(!BackendDevice::same_device(&device, &again));
        for dtype in [DType::U8, DType::U32, DType::I16, DType::I32, DType::I64, DType::BF16, DType::F16] {
            device.zeros_impl(&Shape::from((3, 0, 2)), dtype).unwrap();
        }
        BackendDevice::synchronize(&device).unwrap();
        assert!(format!("{device:?}").contains(device.arch()));
    }
}

#[test]
fn prepared_kernels_are_ready() {
    for device in devices() {
        device.prepare(&[&rocm_kernels::FILL]).unwrap();
        assert_eq!(device.prepare(&[&rocm_kernels::FILL]).unwrap(), 0);
        device.function(&rocm_kernels::FILL, "const_set_f32").unwrap();
    }
}

const COLD: &str = "CANDLE_ROCM_TEST_COLD";

/// Not a test of its own: what the process below does.
#[test]
fn needs_two_modules() {
    if std::env::var_os(COLD).is_none() {
        return;
    }
    for device in devices().into_iter().take(1) {
        device.function(&rocm_kernels::FILL, "const_set_f32").unwrap();
        eprintln!("one is there");
        device.function(&rocm_kernels::AFFINE, "affine_f32").unwrap();
        eprintln!("two are there");
    }
}

/// The second module without code starts the compilation of what most programs need.
#[test]
fn what_will_be_needed_is_compiled_ahead() {
    let folder = tempfile::tempdir().unwrap();
    // Three modules are missing, where the others were compiled before.
    let missing = [&rocm_kernels::FILL, &rocm_kernels::AFFINE, &rocm_kernels::CAT];
    let entries = rocm_kernels::Cache::user().folder().and_then(|known| std::fs::read_dir(known).ok());
    for entry in entries.into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_missing = missing.iter().any(|module| name.starts_with(&format!("{}-", module.name)));
        if name.ends_with(".kernels") && !is_missing {
            // One that is gone by now is compiled again.
            let _ = std::fs::copy(entry.path(), folder.path().join(name));
        }
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["needs_two_modules", "--exact", "--nocapture"]).env(COLD, "1");
    let output = child.env("CANDLE_ROCM_CACHE_DIR", folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let Some((before, after)) = said.split_once("one is there") else {
        return assert!(devices().is_empty(), "{said}");
    };
    if !before.contains("compiling") {
        return common::skip("compilation", "the kernels are built in");
    }
    assert!(before.contains("compiling kernels `fill`") && !before.contains("modules of kernels"), "{said}");
    assert!(after.contains("modules of kernels for"), "{said}");
    assert!(after.contains(" modules after "), "an exit waits: {said}");
}

#[test]
fn arguments_of_built_in_kernels_are_checked() {
    for device in devices() {
        let function = device.function(&rocm_kernels::FILL, "const_set_f32").unwrap();
        let Some(sizes) = function.parameter_sizes() else { continue };
        assert_eq!(sizes, [8, 8, 8, 4, 8]);
        let mut launch = device.launch(&rocm_kernels::FILL, "const_set_f32");
        launch.arg(&1usize).arg(&0usize).null().arg(&1f64).null();
        // SAFETY: refused: the value has the wrong size.
        let error = unsafe { launch.run(LaunchConfig::linear(1, 32)) }.unwrap_err();
        assert!(error.to_string().contains("argument 3 of kernel const_set_f32"), "{error}");
    }
}

#[test]
fn errors_of_hip_come_through_candle() {
    for device in devices_without_kernels() {
        let error: candle_core::Error = device.alloc::<f64>(1 << 60).unwrap_err().into();
        assert!(error.to_string().contains("out of memory"), "{error}");
        assert!(
            matches!(RocmError::of(&error), Some(RocmError::Hip(HipError::OutOfMemory { .. }))),
            "{error}"
        );
    }
}

/// Calls that rocm-hip does not have.
#[cfg(unix)]
#[test]
fn a_forked_child_is_refused() {
    if !common::in_child("a_forked_child_is_refused", &[]) {
        return;
    }
    let refused = |error: RocmError| matches!(error, RocmError::Hip(HipError::ForkedProcess { .. }));
    for device in devices() {
        let loaded = device.function(&rocm_kernels::FILL, "fill_f32").unwrap();
        // SAFETY: the child has this thread alone, and ends without running what others left.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "cannot fork");
        if child == 0 {
            let mut launch = device.launch(&rocm_kernels::FILL, "fill_f32");
            // SAFETY: refused before it is looked at.
            let launched = unsafe { launch.info(&[2, 3]).run(LaunchConfig::linear(1, 1)) };
            let all = device.function(&rocm_kernels::FILL, "fill_f32").is_err_and(refused)
                && RocmDevice::on(device.platform(), 0).is_err_and(refused)
                && device.synchronize().is_err_and(refused)
                && launched.is_err_and(refused);
            // SAFETY: ends the process.
            unsafe { libc::_exit(i32::from(!all)) };
        }
        let mut status = 0;
        // SAFETY: the child is ours, and the out-parameter valid.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "status {status}");
        drop(loaded);
    }
}
