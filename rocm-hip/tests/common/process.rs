//! Skips that are seen, and tests in a process of their own.

use std::io::Write;

/// Says that something could not be tested; with `CANDLE_ROCM_TEST_STRICT=1` that is a failure.
pub(crate) fn skip(what: &str, why: &str) {
    say(&format!("SKIPPED: {what}: {why}"));
    if std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|strict| strict == "1") {
        panic!("{what} could not be tested: {why}");
    }
}

/// Not eprintln!, which the test harness captures.
fn say(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// For tests that need a process, and an environment, of their own. Runs the calling test (`name`) again in a child with
/// these variables (`None` removes one) and checks that it passes there. True in the child, which is to do the work.
pub(crate) fn in_child(name: &str, variables: &[(&str, Option<&str>)]) -> bool {
    const MARK: &str = "CANDLE_ROCM_TEST_CHILD";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args([name, "--exact", "--nocapture", "--test-threads=1"]).env(MARK, "1");
    for (variable, value) in variables {
        match value {
            Some(value) => child.env(variable, value),
            None => child.env_remove(variable),
        };
    }
    let output = child.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for line in stderr.lines().filter(|line| line.starts_with("SKIPPED")) {
        say(line);
    }
    assert!(output.status.success(), "in a child process: {}\n{stdout}\n{stderr}", output.status);
    assert!(stdout.contains("1 passed"), "{name} is not this test's name:\n{stdout}");
    false
}
