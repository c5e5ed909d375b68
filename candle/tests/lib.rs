//! Shared by the tests in `tests/`: devices, skips, child processes.

#[path = "../../rocm-hip/tests/common/gate.rs"]
pub mod gate;
pub mod submission_gate;

use std::cell::RefCell;
use std::io::Write;
use std::ops::Range;
use std::sync::OnceLock;

use candle_core::cpu_backend::CpuDevice;
use candle_core::quantized::GgmlDType;
use candle_core::{DType, Device, Result, Shape, Tensor, rocm};
use candle_rocm::hip::{Platform, Runtime, Stream};
use candle_rocm::platform::{self, GFX, HOST};
use candle_rocm::{RocmDevice, Tuning};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The dtypes of numbers, which operations may take.
pub const NUMBERS: [DType; 10] = [
    DType::U8,
    DType::U32,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::BF16,
    DType::F16,
    DType::F32,
    DType::F64,
    DType::F8E4M3,
];

/// What is computed in floating point.
pub const FLOATS: [DType; 4] = [DType::F32, DType::F16, DType::BF16, DType::F64];

/// What models are computed in: attention and products with quantized weights have no more.
pub const MODEL_FLOATS: [DType; 3] = [DType::F32, DType::F16, DType::BF16];

pub const INTEGERS: [DType; 5] = [DType::U8, DType::U32, DType::I16, DType::I32, DType::I64];

/// The platform under test: the one that `CANDLE_ROCM_PLATFORM` names, by default the host platform.
pub fn platform() -> Platform {
    match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => HOST,
        Some(_) => platform::from_env().unwrap(),
    }
}

/// New devices for the calling test: all devices of the host and gfx platforms, the first device of others. Reports a skip and returns
/// none if kernels cannot be compiled.
pub fn devices() -> Vec<Device> {
    static COMPILE_ERROR: OnceLock<Option<String>> = OnceLock::new();

    let devices: Vec<_> = ordinals().map(|ordinal| RocmDevice::on(platform(), ordinal).unwrap()).collect();
    let compile_error = COMPILE_ERROR.get_or_init(|| {
        let error =
            devices[0].compile("probe", r#"extern "C" __global__ void probe() {}"#).err()?.to_string();
        assert!(platform() == HOST && error.contains("install g++"), "{error}");
        Some(error)
    });
    match compile_error {
        None => devices.into_iter().map(Device::from).collect(),
        Some(why) => {
            skip("kernels", why);
            Vec::new()
        }
    }
}

/// The numbers of [`devices`].
pub fn ordinals() -> Range<usize> {
    match [HOST, GFX].contains(&platform()) {
        true => 0..Runtime::get(platform()).unwrap().device_count().unwrap(),
        false => 0..1,
    }
}

/// The CPU behind `Device::Rocm`, to test the patched candle independently of the backend.
pub fn stand_in() -> Device {
    Device::from(rocm::RocmDevice::wrap(CpuDevice))
}

/// Numbers of a normal distribution with mean 0 and deviation 1, f32, on the CPU: the same in each run of a test, others with each call.
/// A tolerance that holds once holds always.
pub fn random<S: Into<Shape>>(shape: S) -> Result<Tensor> {
    thread_local! {
        // Each test has a thread of its own.
        static NUMBERS: RefCell<StdRng> = RefCell::new(StdRng::seed_from_u64(0));
    }
    let shape = shape.into();
    let numbers: Vec<f32> = NUMBERS.with_borrow_mut(|numbers| {
        numbers.sample_iter(rand_distr::StandardNormal).take(shape.elem_count()).collect()
    });
    Tensor::from_vec(numbers, shape, &Device::Cpu)
}

/// Reports that something cannot be tested; panics if `CANDLE_ROCM_TEST_STRICT=1`.
pub fn skip(what: &str, why: &str) {
    // Not eprintln!, whose output the test harness captures.
    // Without stderr, there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
    if std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|strict| strict == "1") {
        panic!("cannot test {what}: {why}");
    }
}

/// Whether the source tree exists; reports a skip if not, since tests may run on another machine.
pub fn has_sources() -> bool {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = here.is_dir();
    if !found {
        skip("the source tree", &format!("{} does not exist", here.display()));
    }
    found
}

/// For tests that need their own process and environment: reruns the calling test (`name`) in a child process with the given variables and
/// returns its stderr. Returns `None` in the child, which does the work.
pub fn in_child(name: &str, variables: &[(&str, &str)]) -> Option<String> {
    const CHILD: &str = "CANDLE_ROCM_TEST_CHILD";
    if std::env::var_os(CHILD).is_some() {
        return None;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "child process: {}\n{stdout}\n{stderr}", output.status);
    assert!(stdout.contains("1 passed"), "no test is named {name}:\n{stdout}");
    Some(stderr.into_owned())
}

/// Has products of so many vectors with quantized weights of so many rows and columns computed in tiles, on any card, the CPU too.
///
/// # Errors
/// If tuning has no such class: sizes are those that it rounds to.
pub fn choose_tiles(
    device: &RocmDevice,
    products: impl IntoIterator<Item = (GgmlDType, usize, [usize; 2])>,
) -> Result<()> {
    let line = |(dtype, vectors, [rows, columns]): (GgmlDType, usize, [usize; 2])| {
        let name = match dtype {
            GgmlDType::Q4_0 => "q4_0",
            GgmlDType::Q4K => "q4_K",
            GgmlDType::Q5K => "q5_K",
            GgmlDType::Q6K => "q6_K",
            _ => "q8_0",
        };
        ["kernels", "rocblas"].map(|engine| {
            format!(
                "quantized_matmul {name} f32 {engine} vectors={vectors} rows={rows} columns={columns} -> tiles\n"
            )
        })
    };
    let lines: Vec<String> = products.into_iter().flat_map(line).collect();
    let header: String = device.export_tuning().lines().take(5).map(|line| format!("{line}\n")).collect();
    device.set_tuning(Tuning::Stored);
    let chosen = device.import_tuning(&format!("{header}{}end {}\n", lines.concat(), lines.len()))?;
    assert_eq!(chosen, lines.len());
    Ok(())
}
