//! Kernels in Windows programs, by Wine: on the host platform linked in, and on the host platform as the driver's `amdhip64_7.dll`.
//!
//! The platform has no compiler on Windows. Each program runs on this system first, which leaves its kernels in the cache, and has to give
//! the same on Windows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use tools_common::{cargo, root};

use super::{TARGET, cross, seen_by_wine, wine_prefix};

/// Arguments of cargo, and in which workspace.
type Call = (Workspace, &'static [&'static str]);

#[derive(Clone, Copy)]
enum Workspace {
    Root,
    /// That with candle's Tensor.
    Candle,
}

/// Tests: of the platform; of kernels that fail and of the end of a process; of kernels that do not end, of launches and copies; of results,
/// compared with candle's CPU device or with formulas.
const TESTS: [Call; 4] = [
    (Workspace::Root, &["--package", "candle-rocm-host", "--lib"]),
    (Workspace::Root, &["--package", "rocm-hip", "--test", "runtime", "--", "kernel", "events", "process"]),
    (
        Workspace::Root,
        &["--package", "rocm-hip", "--test", "watchdog", "--test", "launch_arguments", "--test", "copies"],
    ),
    (Workspace::Root, &["--package", "candle-rocm", "--test", "storage", "--test", "nn"]),
];

/// A program that prints values, and its name.
const VALUES: Call =
    (Workspace::Root, &["--package", "candle-rocm", "--features", "host", "--example", "values"]);
const VALUES_PROGRAM: &str = "examples/values";

const DEMO: Call = (Workspace::Candle, &["--package", "candle-rocm-demo", "--bin", "demo"]);

/// The platform in the place of AMD's runtime.
const DRIVER: Call =
    (Workspace::Root, &["--package", "candle-rocm-host", "--features", "export", "--crate-type", "cdylib"]);

/// As many greedy tokens as the demo compares with candle's CPU device.
const TEXT: [&str; 7] = ["--platform", "host", "--temperature", "0", "-n", "32", "--check"];

pub(super) fn run(system: &Path) -> Result<()> {
    let systems = Systems { system, kernels: root().join("target/windows/kernels") };
    fs::create_dir_all(&systems.kernels)?;

    systems.both("build", VALUES)?;
    systems.same_output(VALUES_PROGRAM, &[], &[("CANDLE_ROCM_PLATFORM", "host")], &[])?;
    as_the_drivers(&systems)?;
    for tests in TESTS {
        systems.both("test", tests)?;
    }
    systems.both("build", DEMO)?;
    systems.same_output("demo", &TEXT, &[], &[])
}

/// The platform is AMD's runtime: in System32, where candle-rocm finds it and no compiler; on this system in a folder like ROCm's.
fn as_the_drivers(systems: &Systems) -> Result<()> {
    systems.both("rustc", DRIVER)?;
    let rocm = root().join("target/windows/rocm");
    fs::create_dir_all(rocm.join("lib"))?;
    for name in ["libamdhip64.so.7", "libhiprtc.so.7"] {
        fs::copy(root().join("target/debug/libcandle_rocm_host.so"), rocm.join("lib").join(name))?;
    }
    let system32 = wine_prefix().join("drive_c/windows/system32");
    let built = root().join("target").join(TARGET).join("debug/candle_rocm_host.dll");
    let driver = system32.join("amdhip64_7.dll");
    fs::copy(built, &driver).with_context(|| format!("cannot write {}", driver.display()))?;
    let rocm = rocm.display().to_string();
    let same =
        systems.same_output(VALUES_PROGRAM, &[], &[("CANDLE_ROCM_PLATFORM", "amd")], &[("ROCM_PATH", &rocm)]);
    // Other tests want a machine without a driver.
    fs::remove_file(&driver)?;
    same
}

/// This system, and Windows by Wine. Compiled kernels are in a folder of their own, where a program leaves them here and finds them there.
struct Systems<'a> {
    /// Windows libraries that Wine lacks.
    system: &'a Path,
    kernels: PathBuf,
}

type Variables<'a> = &'a [(&'a str, &'a str)];

impl Systems<'_> {
    /// Calls cargo for this system, then for Windows.
    fn both(&self, task: &str, (workspace, arguments): Call) -> Result<()> {
        let [root, candle] = cargo::workspaces();
        let folder = match workspace {
            Workspace::Root => root,
            Workspace::Candle => candle,
        };
        let (mut here, mut there) = (cargo::command(), cross());
        here.current_dir(&folder).arg(task).args(arguments);
        there.current_dir(&folder).arg(task).args(["--target", TARGET]).args(arguments);
        for cargo in [self.here(&mut here), self.there(&mut there)] {
            ensure!(cargo.status()?.success(), "{cargo:?} fails");
        }
        Ok(())
    }

    /// Runs a program that was built for both, with variables for both and for this system alone.
    fn same_output(
        &self,
        program: &str,
        arguments: &[&str],
        variables: Variables,
        variables_here: Variables,
    ) -> Result<()> {
        let target = root().join("target");
        let mut here = Command::new(target.join("debug").join(program));
        here.envs(variables_here.iter().copied());
        let mut there = Command::new("wine");
        there.arg(target.join(TARGET).join("debug").join(format!("{program}.exe")));
        there.env("WINEPREFIX", wine_prefix()).env("WINEDEBUG", "-all");
        let output = |command: &mut Command| {
            let command = command.args(arguments).envs(variables.iter().copied()).stderr(Stdio::inherit());
            let output = command.output().with_context(|| format!("{command:?} could not be started"))?;
            ensure!(output.status.success(), "{command:?} fails: {}", output.status);
            Ok(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
        };
        let (expected, found) = (output(self.here(&mut here))?, output(self.there(&mut there))?);
        if expected != found {
            bail!("{program} prints on Windows\n{found}\nand on this system\n{expected}");
        }
        Ok(())
    }

    fn here<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("CANDLE_ROCM_CACHE_DIR", &self.kernels)
    }

    fn there<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        let command = command.env("CANDLE_ROCM_CACHE_DIR", seen_by_wine(&self.kernels));
        command.env("WINEPATH", seen_by_wine(self.system))
    }
}
