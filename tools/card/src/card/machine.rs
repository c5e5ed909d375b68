//! The facts about a machine that matter to a report.

use std::fs;
use std::process::Command;

use tools_common::{cargo, root};

/// What and its value, for those that can be found.
pub(super) fn describe() -> Vec<(String, String)> {
    let facts = [
        ("candle-rocm", cargo::commit().ok()),
        ("Rust", said("rustc", &["--version"])),
        ("Linux", said("uname", &["-r"])),
        ("distribution", field("/etc/os-release", "PRETTY_NAME=")),
        ("processor", field("/proc/cpuinfo", "model name\t: ")),
        ("ROCm", release()),
        ("amdgpu", line("/sys/module/amdgpu/version")),
        ("date", said("date", &["-u", "+%F"])),
    ];
    facts.into_iter().filter_map(|(what, value)| Some((what.to_owned(), value?))).collect()
}

/// Of the ROCm that is used first.
fn release() -> Option<String> {
    rocm_sys::roots::all().iter().find_map(|root| root.release()).map(|release| release.to_string())
}

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(root()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn line(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// What stands behind `start` in the first line that begins so.
fn field(path: &str, start: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(start)).map(|value| value.trim_matches('"').to_owned())
}
