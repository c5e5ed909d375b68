//! However cargo rocm ends, the project is as it was, and the next one works.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::Stdio;

use crate::project::{MAIN, Project, manifest};

/// candle is compiled, until the first line about it.
const USES_CANDLE: &str = "[dependencies]\ncandle-nn = \"0.11\"\n";

fn end_by(signal: libc::c_int, project: &Project, at: &str) {
    let mut command = project.command("run");
    // A shell starts what runs in the background with interrupts ignored, and children inherit that.
    // SAFETY: `signal` may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            libc::signal(signal, libc::SIG_DFL);
            Ok(())
        })
    };
    let mut child = command.process_group(0).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let found = lines.find(|line| line.as_ref().unwrap().contains(at));
    assert!(found.is_some(), "no line `{at}`");
    // SAFETY: a signal to the group of processes that begins with our child, which has not been waited for.
    unsafe { libc::kill(-(child.id() as libc::pid_t), signal) };
    let status = child.wait().unwrap();
    assert!(status.signal() == Some(signal) || !status.success(), "{status}");
    // Compilers that were started end too.
    lines.for_each(drop);
    project.assert_unchanged();
}

#[test]
fn an_interrupt_leaves_the_project_as_it_was() {
    let project = Project::new(&[("Cargo.toml", &manifest("a", USES_CANDLE)), ("src/main.rs", MAIN)]);
    for signal in [libc::SIGINT, libc::SIGKILL, libc::SIGTERM] {
        for at in ["Patching", "Compiling"] {
            end_by(signal, &project, at);
        }
    }
    // It goes on where it was: here with a program that uses candle in tests only.
    project.write("Cargo.toml", &manifest("a", &USES_CANDLE.replace("dependencies", "dev-dependencies")));
    let output = project.command("run").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
