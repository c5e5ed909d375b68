//! candle's own tests on `Device::Rocm`.
//!
//! Each `test_device!` case of candle-core and candle-nn runs on the CPU as usual, on a ROCm device of each wavefront size, and on the
//! CPU behind `Device::Rocm`, which shows that the patched candle forwards every operation. Expected failures are listed in
//! `expected-failures.txt`; a listed case that passes fails the run.

use std::fmt::Debug;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use candle_core::Device;
use candle_core::cpu_backend::CpuDevice;
use candle_rocm::RocmDevice;
use candle_rocm::hip::Runtime;
use candle_rocm::platform::{self, GFX, HOST};

const EXPECTED_FAILURES: &str = include_str!("../expected-failures.txt");

/// Replaces `candle_core::test_device!` in candle's test files.
#[macro_export]
macro_rules! test_device {
    ($case:ident, $cpu:ident, $cuda:ident, $metal:ident) => {
        #[test]
        fn $cpu() -> Result<()> {
            $case(&Device::Cpu)
        }

        mod $cuda {
            use super::*;

            #[test]
            fn wave32() {
                $crate::wavefront(32, module_path!(), stringify!($case), |device| $case(device));
            }

            #[test]
            fn wave64() {
                $crate::wavefront(64, module_path!(), stringify!($case), |device| $case(device));
            }

            #[test]
            fn stand_in() {
                $crate::stand_in(module_path!(), stringify!($case), |device| $case(device));
            }
        }
    };
}

/// Runs a case on a device with the given wavefront size, of the host platform unless `CANDLE_ROCM_PLATFORM` is set. On the gfx
/// platform, each such device is another processor, and the case runs on all of them.
pub fn wavefront<E: Debug>(size: u32, module: &str, case: &str, run: impl Fn(&Device) -> Result<(), E>) {
    let platform = match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => HOST,
        Some(_) => platform::from_env().unwrap(),
    };
    let runtime = Runtime::get(platform).unwrap();
    let count = runtime.device_count().unwrap();
    let mut ordinals: Vec<usize> =
        (0..count).filter(|i| runtime.device(*i).unwrap().wavefront_size() == size).collect();
    if ordinals.is_empty() {
        // A card has one wavefront size, so half of the cases do not apply to it.
        static REPORTED: Once = Once::new();
        REPORTED.call_once(|| {
            let _ = writeln!(io::stderr(), "SKIPPED: cases for wave{size}: no such device");
        });
        return;
    }
    if platform != GFX {
        ordinals.truncate(1);
    }
    candle_core::rocm::forbid_fallback();
    as_no_cuda();
    for ordinal in ordinals {
        // A separate device for each case, since some set its seed.
        let device = Device::from(RocmDevice::on(platform, ordinal).unwrap());
        check("rocm", module, case, || run(&device));
    }
}

/// Runs a case on the CPU behind `Device::Rocm`.
pub fn stand_in<E: Debug>(module: &str, case: &str, run: impl FnOnce(&Device) -> Result<(), E>) {
    as_no_cuda();
    let device = Device::from(candle_core::rocm::RocmDevice::wrap(CpuDevice));
    check("stand-in", module, case, || run(&device));
}

/// Of devices for which `is_cuda` is true, candle's tests expect what its own CUDA kernels do: that they round differently for few rows.
fn as_no_cuda() {
    candle_core::rocm::set_as_cuda(candle_core::rocm::AsCuda::Devices);
}

fn check<E: Debug>(device: &str, module: &str, case: &str, run: impl FnOnce() -> Result<(), E>) {
    // The second part of `candle::core_conv_tests::conv1d_gpu`.
    let file = module.split("::").nth(1).unwrap_or(module);
    let name = format!("{file}::{case}");
    let outcome = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(format!("{error:?}")),
        // The panic's message is on stderr already.
        Err(_) => Err("a panic".to_owned()),
    };
    match (outcome, expected_failure(device, &name)) {
        (Ok(()), None) => (),
        (Err(error), Some(reason)) => println!("{name} on {device} fails as expected ({reason}): {error}"),
        (Ok(()), Some(_)) => panic!("{name} on {device} passes: remove it from expected-failures.txt"),
        (Err(error), None) => panic!("{name} on {device}: {error}"),
    }
}

/// The reason why the case is expected to fail, if it is listed.
fn expected_failure(device: &str, name: &str) -> Option<&'static str> {
    listed().find(|(d, n, _)| *d == device && *n == name).map(|(_, _, reason)| reason)
}

/// The lines `device versions file::case reason` for this version of candle; `#` starts a comment.
fn listed() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines =
        EXPECTED_FAILURES.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| {
        let words: Vec<_> = line.splitn(4, char::is_whitespace).collect();
        let [device, versions, name, reason] = words[..] else {
            panic!("not `device versions file::case reason`: {line}")
        };
        versions.split(',').any(|version| version == env!("CANDLE_VERSION")).then_some((
            device,
            name,
            reason.trim(),
        ))
    })
}

#[cfg(test)]
mod tests {
    /// Otherwise, cases that candle renamed or removed would stay in the list.
    #[test]
    fn listed_cases_exist() {
        let generated = std::path::Path::new(env!("OUT_DIR"));
        if !generated.is_dir() {
            // Built on another machine, where this was checked.
            return;
        }
        for (device, name, _) in super::listed() {
            let (file, case) = name.split_once("::").unwrap();
            let text = std::fs::read_to_string(generated.join(format!("{file}.rs"))).unwrap();
            assert!(["rocm", "stand-in"].contains(&device), "{device}");
            assert!(
                text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == case),
                "{name}"
            );
        }
    }
}
