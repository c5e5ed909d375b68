//! Devices of the gfx platform, and compilers for them, in a process of their own.

#![allow(dead_code, reason = "no test uses all of it")]

use std::process::Command;

use rocm_hip::{Adapter, Linked, Platform, Queue, Runtime};
use rocm_kernels::toolchain::{self, Toolchain};

static ADAPTER: Adapter = Adapter::linked(
    "gfx",
    Linked {
        name: "candle-rocm-gfx (linked in)",
        symbol: candle_rocm_gfx::symbol,
        unavailable: candle_rocm_gfx::unavailable,
    },
);

const DEVICES: &str = "CANDLE_ROCM_GFX_DEVICES";
const DEVICE_LIBRARIES: &str = "HIP_DEVICE_LIB_PATH";
const MARK: &str = "CANDLE_ROCM_TEST_CHILD";

/// Where a test does its work.
pub(crate) enum Process {
    /// In this process, which was started for it.
    This,
    /// It passed in a process of its own, which wrote this to stderr.
    Child(String),
    /// Nowhere, as kernels cannot be compiled here, which was said.
    None,
}

/// Runs the calling test (`name`) again in a process that has these devices, and checks that it passes.
pub(crate) fn in_child(name: &str, devices: &str) -> Process {
    in_child_with(name, devices, &[])
}

/// The same with further variables of the environment.
pub(crate) fn in_child_with(name: &str, devices: &str, variables: &[(&str, &str)]) -> Process {
    if std::env::var_os(MARK).is_some() {
        return Process::This;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    // The kernels of these tests call no function of the device libraries, so an empty folder will do.
    let none = || Ok(folder.path().to_owned());
    if let Err(why) =
        Toolchain::find(None, &none).map(drop).and_then(|()| toolchain::disassembler().map(drop))
    {
        skip(name, &why.to_string());
        return Process::None;
    }
    let mut child = Command::new(std::env::current_exe().expect("this program's path"));
    child.args([name, "--exact", "--nocapture"]).env(MARK, "1").env(DEVICES, devices);
    child.envs(variables.iter().copied());
    if std::env::var_os(DEVICE_LIBRARIES).is_none() {
        child.env(DEVICE_LIBRARIES, folder.path());
    }
    let output = child.output().expect("this program starts again");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "in a process of its own: {}\n{stdout}\n{stderr}", output.status);
    assert!(stdout.contains("1 passed"), "{name} is not this test's name:\n{stdout}");
    Process::Child(stderr.into_owned())
}

/// A queue on each device.
pub(crate) fn queues() -> Vec<Queue> {
    let runtime = Runtime::get(Platform::of(&ADAPTER)).expect("the platform");
    let count = runtime.device_count().expect("devices");
    (0..count)
        .map(|ordinal| Queue::new(runtime.device(ordinal).expect("a device")).expect("a queue"))
        .collect()
}

/// The code object of a program that needs no device libraries.
pub(crate) fn code(queue: &Queue, name: &str, source: &str) -> Vec<u8> {
    let device = queue.device();
    let compiler = device.runtime().compiler().expect("the compiler");
    let program = rocm_hip::Program { options: &["-nogpulib"], ..rocm_hip::Program::new(name, source) };
    rocm_hip::compile(&program, &device.target(), compiler).unwrap_or_else(|error| panic!("{error}"))
}

/// The same for a target of one's own, by clang.
pub(crate) fn code_for(arch: &str, source: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, object) = (folder.path().join("source.hip"), folder.path().join("code"));
    std::fs::write(&file, source).expect("it is written");
    let clang = Toolchain::shared().expect("a compiler");
    let mut options = clang.options(&rocm_kernels::default_target(arch));
    options.push("-nogpulib".to_owned());
    clang.compile(&file, folder.path(), &object, &options).unwrap_or_else(|error| panic!("{error}"));
    std::fs::read(&object).expect("the code")
}

/// Says that something could not be tested; with `CANDLE_ROCM_TEST_STRICT=1` that is a failure.
fn skip(what: &str, why: &str) {
    use std::io::Write as _;
    // Not eprintln!, which the test harness captures.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
    let strict = std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|strict| strict == "1");
    assert!(!strict, "{what} could not be tested: {why}");
}
