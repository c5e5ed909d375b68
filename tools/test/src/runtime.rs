//! `cargo xtask runtime`: a machine that has the HIP runtime and nothing else of ROCm, as the container in containers/runtime.
//!
//! Debian's packages are unpacked into a folder, and candle-rocm's report on a machine runs with this folder as its root. No card is
//! needed: the runtime says that it has none, and the report says what would compile.

use std::fs;
use std::os::unix::fs::chroot;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, ensure};
use tools_common::{cargo, debian, root};

/// Debian's suite, by the name that no other task unpacks packages of: nothing else is in its folder.
const SUITE: &str = "unstable";
/// The package of the HIP runtime, without the number of its ABI.
const RUNTIME: &str = "libamdhip64-";
/// The page with the list of packages, between these lines.
const PAGE: &str = "containers/README.md";
const MARKS: [&str; 2] = ["<!-- packages -->\n", "<!-- end of packages -->\n"];
/// What the container may weigh beside its base, compressed.
const MOST_BYTES: u64 = 300_000_000;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Write the list of packages into containers/README.md.
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let runtime = [debian::newest_of(SUITE, RUNTIME)?];
    let packages = debian::sizes_with_dependencies(SUITE, &runtime)?;
    let compressed: u64 = packages.iter().map(|package| package.compressed).sum();
    let text = table(&packages);
    print!("{text}");
    ensure!(compressed < MOST_BYTES, "{compressed} bytes are more than {MOST_BYTES}");
    if options.write {
        write(&text)?;
    }

    let unpacked = debian::unpack_with_dependencies(SUITE, &runtime)?;
    let programs = cargo::programs(root(), &["build", "--package", "candle-rocm", "--example", "doctor"])?;
    let doctor = programs.get("doctor").context("cargo built no `doctor`")?;
    let report = report(&unpacked.folder, doctor)?;
    print!("{report}");
    // No card, so this is as far as the report goes. Up to HIP 6 the runtime has hiprtc in it; from 7 on comgr compiles.
    for part in ["HIP runtime: /", "Run-time compiler: /", "Devices: 0"] {
        ensure!(report.contains(part), "`{part}` is not in the report");
    }
    Ok(ExitCode::SUCCESS)
}

/// What the program says in this folder, by the C library of the packages.
fn report(folder: &Path, doctor: &Path) -> Result<String> {
    fs::copy(doctor, folder.join("doctor")).context("the program cannot be copied")?;
    let mut command = Command::new("/usr/lib64/ld-linux-x86-64.so.2");
    command.arg("/doctor").env_clear().env("CANDLE_ROCM_PLATFORM", "amd").env("HOME", "/");
    let folder = folder.to_owned();
    // SAFETY: between fork and exec, only two system calls.
    unsafe { command.pre_exec(move || chroot(&folder).and_then(|()| std::env::set_current_dir("/"))) };
    let output = command.output().context("a folder can be a program's root for the superuser only")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
}

fn table(packages: &[debian::Sized]) -> String {
    let mib = |bytes: u64| format!("{:.1}", bytes as f64 / f64::from(1 << 20));
    let mut largest: Vec<_> = packages.iter().collect();
    largest.sort_by_key(|package| std::cmp::Reverse((package.compressed, &package.package)));
    let mut text = "| Package | Download, MiB | Installed, MiB |\n|---|---|---|\n".to_owned();
    for package in &largest {
        text +=
            &format!("| {} | {} | {} |\n", package.package, mib(package.compressed), mib(package.installed));
    }
    let sum = |size: fn(&debian::Sized) -> u64| mib(packages.iter().map(size).sum());
    let (compressed, installed) = (sum(|package| package.compressed), sum(|package| package.installed));
    text + &format!("| **{} packages** | **{compressed}** | **{installed}** |\n", packages.len())
}

fn write(table: &str) -> Result<()> {
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).with_context(|| format!("{PAGE} cannot be read"))?;
    let (before, rest) = page.split_once(MARKS[0]).with_context(|| format!("{PAGE} has no mark"))?;
    let (_, after) = rest.split_once(MARKS[1]).with_context(|| format!("{PAGE} has no second mark"))?;
    fs::write(&path, [before, MARKS[0], "\n", table, "\n", MARKS[1], after].concat())?;
    Ok(())
}
