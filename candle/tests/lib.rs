//! What the tests in `tests/` share: on which devices they run.

use std::io::Write;
use std::sync::OnceLock;

use candle_core::cpu_backend::CpuDevice;
use candle_core::{Device, rocm};
use candle_rocm::RocmDevice;
use candle_rocm::hip::{Platform, Runtime};
use candle_rocm::platform::{self, HOST};

/// The platform under test: the one that `CANDLE_ROCM_PLATFORM` names, and the CPU's where it is not set.
pub fn platform() -> Platform {
    match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => HOST,
        Some(_) => platform::from_env().unwrap(),
    }
}

/// ROCm devices of the calling test's own: of the CPU platform both wavefront sizes, else the first. None, after saying so, if
/// kernels cannot be compiled here.
pub fn devices() -> Vec<Device> {
    static OBSTACLE: OnceLock<Option<String>> = OnceLock::new();

    let count = match platform() == HOST {
        true => Runtime::get(HOST).unwrap().device_count().unwrap(),
        false => 1,
    };
    let devices: Vec<_> = (0..count).map(|ordinal| RocmDevice::on(platform(), ordinal).unwrap()).collect();
    let obstacle = OBSTACLE.get_or_init(|| {
        let error =
            devices[0].compile("probe", r#"extern "C" __global__ void probe() {}"#).err()?.to_string();
        assert!(platform() == HOST && error.contains("install g++"), "{error}");
        Some(error)
    });
    match obstacle {
        None => devices.into_iter().map(Device::from).collect(),
        Some(why) => {
            skip("kernels", why);
            Vec::new()
        }
    }
}

/// The CPU behind `Device::Rocm`: for what the seam itself does, whatever the backend can do so far.
pub fn stand_in() -> Device {
    Device::Rocm(rocm::RocmDevice::wrap(CpuDevice))
}

/// Says that something could not be tested; with `CANDLE_ROCM_TEST_STRICT=1` that is a failure.
pub fn skip(what: &str, why: &str) {
    // Not eprintln!, which the test harness captures.
    writeln!(std::io::stderr(), "SKIPPED: {what}: {why}").unwrap();
    if std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|strict| strict == "1") {
        panic!("{what} could not be tested: {why}");
    }
}

/// Whether the sources that this was built from are here. If not, says so: tests may run on another machine.
pub fn has_sources() -> bool {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = here.is_dir();
    if !found {
        skip("what needs the sources", &format!("{} is not there", here.display()));
    }
    found
}

/// For tests that need a process, and an environment, of their own: runs the calling test (`name`) again in a child with these
/// variables and gives its stderr; `None` in the child, which is to do the work.
pub fn in_child(name: &str, variables: &[(&str, &str)]) -> Option<String> {
    const MARK: &str = "CANDLE_ROCM_TEST_CHILD";
    if std::env::var_os(MARK).is_some() {
        return None;
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(MARK, "1")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "in a child process: {}\n{stdout}\n{stderr}", output.status);
    assert!(stdout.contains("1 passed"), "{name} is not this test's name:\n{stdout}");
    Some(stderr.into_owned())
}
