//! `cargo xtask windows`: the published crates built for Windows, and tests of what is of Windows in them run there, by Wine on other
//! systems: the loader's, those of files, locks and the end of a process in rocm-hip, and those of a card's sensors. Wine also runs kernels,
//! on the host platform: see [`host`].
//!
//! What it needs on Linux is in [`NEEDS`], and said where it is missing.

mod host;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use tools_common::{cargo, root};

const TARGET: &str = "x86_64-pc-windows-gnu";
/// What users' programs consist of.
const PUBLISHED: [&str; 7] = [
    "candle-rocm-sys",
    "rocm-hip",
    "candle-rocm-kernels",
    "rocm-rccl",
    "candle-rocm",
    "cargo-rocm",
    "candle-rocm-host",
];
/// Names the folder of the libraries for the tests.
const BUILT: &str = "CANDLE_ROCM_TEST_DLLS";

/// Libraries that play ROCm's: the file, its function, and what that gives.
const LIBRARIES: [(&str, &str, u32); 7] = [
    ("hip-3", "hipGetDeviceCount", 3),
    ("hip-4", "hipGetDeviceCount", 4),
    ("hip-5-needed", "hipGetDeviceCount", 5),
    ("hip-6-gone", "hipGetDeviceCount", 6),
    ("comgr", "amd_comgr_get_version", 3),
    ("rocblas", "rocblas_create_handle", 0),
    ("hiprtc", "hiprtcCreateProgram", 0),
];

/// What those whose names end so need: a library beside them, and one that is nowhere.
const NEEDED: [&str; 2] = ["needed", "gone"];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Build for this target; on Windows also that of Microsoft's compiler.
    #[arg(long, default_value = TARGET)]
    target: String,
    /// Only the loader and its tests.
    #[arg(long)]
    loader: bool,
}

/// What builds for Windows and runs that on other systems, and Debian's packages that have it.
const NEEDS: [(&str, &str); 3] = [
    ("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"),
    ("x86_64-w64-mingw32-windres", "binutils-mingw-w64-x86-64"),
    ("wine", "wine wine64"),
];

/// Says all that is missing at once.
fn check_needs() -> Result<()> {
    let runs = |program: &str| {
        let output = Command::new(program).arg("--version").output();
        output.is_ok_and(|output| output.status.success())
    };
    let missing = NEEDS.iter().filter(|(program, _)| !runs(program));
    let packages: Vec<&str> = missing.map(|(_, packages)| *packages).collect();
    let mut commands = Vec::new();
    if !packages.is_empty() {
        commands.push(format!("`apt install {}` (Debian)", packages.join(" ")));
    }
    let libraries = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output()?;
    if !Path::new(String::from_utf8_lossy(&libraries.stdout).trim()).is_dir() {
        commands.push(format!("`rustup target add {TARGET}`"));
    }
    ensure!(
        commands.is_empty(),
        "what builds or runs Windows programs is missing: {}",
        commands.join(" and ")
    );
    Ok(())
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let native = cfg!(windows);
    if !native {
        ensure!(options.target == TARGET, "other systems build Windows programs for {TARGET}");
        check_needs()?;
    }
    let target = &*options.target;
    let [libraries, unseen, system] =
        ["libraries", "unseen", "system"].map(|name| root().join("target/windows").join(name));
    for folder in [&libraries, &unseen, &system] {
        fs::create_dir_all(folder)?;
    }
    build(&libraries, &unseen)?;
    let published = if options.loader { &PUBLISHED[..1] } else { &PUBLISHED };
    let packages = published.iter().flat_map(|name| ["--package", name]);
    let checked = cross().args(["check", "--target", target]).args(packages).status()?;
    ensure!(checked.success(), "the crates do not compile for {target}");
    if !native {
        let library = system.join("bcryptprimitives.dll");
        let source = root().join("rocm-sys/tests/windows/bcryptprimitives.c");
        run_quietly(program("gcc").args(["-shared", "-o"]).arg(library).arg(source).arg("-ladvapi32"))?;
    }
    let test = |task: &[&str]| {
        let mut cargo = cross();
        cargo.arg(task[0]).args(["--target", target]).args(&task[1..]).env(BUILT, seen_by_wine(&libraries));
        if !native {
            cargo.env("WINEPATH", seen_by_wine(&system));
        }
        let tested = cargo.status()?;
        ensure!(tested.success(), "`cargo {}` fails for Windows", task.join(" "));
        anyhow::Ok(())
    };
    test(&["test", "--package", "candle-rocm-sys", "--lib", "--test", "windows"])?;
    if !options.loader {
        test(&["build", "--package", "rocm-hip", "--example", "exit_library"])?;
        test(&["test", "--package", "rocm-hip", "--lib", "--test", "exit"])?;
        let adl = root().join("tools/card/tests/atiadlxx.c");
        run_quietly(program("gcc").args(["-shared", "-o"]).arg(libraries.join("atiadlxx.dll")).arg(adl))?;
        test(&["test", "--package", "tools-card", "sensors"])?;
        // The tests of `card` call git.
        test(&["test", "--package", "cargo-rocm", "--bins", "--", "--skip", "card::"])?;
    }
    if !options.loader && !native {
        host::run(&system)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Wine's drive Z is the root.
fn seen_by_wine(folder: &Path) -> String {
    let path = folder.display().to_string();
    if cfg!(windows) { path } else { format!("Z:{}", path.replace('/', "\\")) }
}

/// Wine's Windows: one of our own, whose System32 may be written.
fn wine_prefix() -> PathBuf {
    root().join("target/windows/wine")
}

/// Cargo with a linker, and something that runs programs, for Windows.
fn cross() -> Command {
    let mut cargo = cargo::command();
    cargo.current_dir(root());
    if !cfg!(windows) {
        cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", "x86_64-w64-mingw32-gcc");
        cargo.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", "wine").env("WINEDEBUG", "-all");
        cargo.env("WINEPREFIX", wine_prefix());
    }
    cargo
}

/// A program of MinGW, which has a prefix where it builds for another system.
fn program(name: &str) -> Command {
    let prefix = if cfg!(windows) { "" } else { "x86_64-w64-mingw32-" };
    Command::new(format!("{prefix}{name}"))
}

/// The libraries, and in a folder of its own what one of them does not find.
fn build(folder: &Path, unseen: &Path) -> Result<()> {
    let sources = root().join("rocm-sys/tests/windows");
    let resource = folder.join("version.o");
    run_quietly(program("windres").arg(sources.join("library.rc")).arg(&resource))?;
    let compiler = |folder: &Path, name: &str| {
        let mut compiler = program("gcc");
        compiler.args(["-shared", "-o"]).arg(folder.join(format!("{name}.dll")));
        compiler
    };
    for (folder, name) in [folder, unseen].into_iter().zip(NEEDED) {
        run_quietly(compiler(folder, name).arg(sources.join("needed.c")).arg(format!("-DFUNCTION={name}")))?;
    }
    for (name, function, value) in LIBRARIES {
        let mut compiler = compiler(folder, name);
        compiler.arg(sources.join("library.c")).arg(&resource);
        compiler.args([format!("-DFUNCTION={function}"), format!("-DVALUE={value}")]);
        for (folder, needed) in [folder, unseen].into_iter().zip(NEEDED) {
            if name.ends_with(needed) {
                compiler.arg(format!("-DNEEDS={needed}")).arg(folder.join(format!("{needed}.dll")));
            }
        }
        run_quietly(&mut compiler)?;
    }
    Ok(())
}

fn run_quietly(command: &mut Command) -> Result<()> {
    let output = command.output().with_context(|| format!("{command:?} could not be started"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
