//! `cargo xtask test --runtime-only`: that there is nothing but HIP's runtime and a compiler, before any test says that it passes so.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use tools_common::{cargo, root};

/// Has candle-rocm's report on the machine name the libraries and the compiler, in the environment of this `cargo test`.
pub(super) fn check(cargo_test: &Command, gfx: bool) -> Result<()> {
    let programs = cargo::programs(root(), &["build", "--example", "doctor"])?;
    let mut doctor = Command::new(programs.get("doctor").context("cargo built no `doctor`")?);
    for (name, value) in cargo_test.get_envs() {
        value.map(|value| doctor.env(name, value));
    }
    let output = doctor.output().context("the example `doctor` could not be started")?;
    let report = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "no device works:\n{report}");
    for line in lines(&report, gfx)? {
        println!("{}", line.trim());
    }
    Ok(())
}

/// The lines of the report that say so.
fn lines(report: &str, gfx: bool) -> Result<Vec<&str>> {
    let with = |start: &str| report.lines().filter(|line| line.trim().starts_with(start)).collect::<Vec<_>>();
    let devices = with("works: ").len();
    let mut said = with("Run-time compiler: ");
    // comgr is only taken where hiprtc cannot be opened.
    let by_comgr = |line: &&str| line.contains("(comgr ");
    ensure!(!gfx || said.len() == 1 && said.iter().all(by_comgr), "comgr does not compile kernels: {report}");
    for library in ["rocBLAS: none", "MIOpen: none"] {
        let without = with(library);
        ensure!(devices > 0 && without.len() == devices, "`{library}` is not said of each device:\n{report}");
        said.extend(without.first());
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_there_is_noticed() {
        let report = "Run-time compiler: /xtask/comgr (libamd-comgr3) (comgr 3.1)\nDevices: 2\n  0: a\n     works: x\n     rocBLAS: none; y\n     \
                      MIOpen: none; y\n  1: b\n     works: x\n     rocBLAS: none; y\n     MIOpen: none; y\n";
        assert_eq!(lines(report, true).unwrap().len(), 3);
        for (there, instead) in
            [("(comgr 3.1)", "(hiprtc 7.1)"), ("rocBLAS: none", "rocBLAS: /a.so"), ("works", "DOES NOT WORK")]
        {
            let report = report.replacen(there, instead, 1);
            assert!(lines(&report, true).is_err(), "{report}");
        }
        assert!(lines("", false).is_err());
    }
}
