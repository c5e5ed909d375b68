//! One process: a test program, or one of its tests.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use tools_common::process;
use tools_common::summary::Summary;

pub(crate) struct Job<'a> {
    pub(crate) program: &'a Path,
    /// None: all of them.
    pub(crate) test: Option<String>,
}

/// How a process ended, and what it took.
pub(crate) struct Outcome {
    /// None: its time was over.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) seconds: f32,
}

impl Outcome {
    pub(crate) fn good(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    pub(crate) fn words(&self) -> String {
        match self.status {
            Some(status) if status.success() => "ok".to_owned(),
            Some(status) => format!("FAILED ({status})"),
            None => format!("FAILED (stopped after {:.0} s)", self.seconds),
        }
    }
}

impl<'a> Job<'a> {
    /// Each test of a program; all together, if it does not list them.
    pub(crate) fn tests_of(program: &'a Path) -> Result<Vec<Self>> {
        let output = Command::new(program)
            .args(["--list", "--format", "terse"])
            .output()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            println!("=== {}: lists no tests ({}): {}", name(program), output.status, why.trim());
            return Ok(vec![Self { program, test: None }]);
        }
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        let names = lines.lines().filter_map(|line| line.strip_suffix(": test"));
        Ok(names.map(|name| Self { program, test: Some(name.to_owned()) }).collect())
    }

    pub(crate) fn name(&self) -> String {
        let program = name(self.program);
        match &self.test {
            Some(test) => format!("{program}::{test}"),
            None => program,
        }
    }

    /// Whether it is no test, but checks what it does itself.
    fn is_demo(&self) -> bool {
        name(self.program).starts_with("demo-")
    }

    /// Runs it with these words before the program and those behind. What it says goes to `text`, or to the terminal as it
    /// comes.
    pub(crate) fn run(
        &self,
        before: &[String],
        behind: &[String],
        variables: &[(&str, String)],
        limit: Duration,
        summary: &mut Summary,
        text: Option<&mut Vec<u8>>,
    ) -> Result<Outcome> {
        let mut words = before.to_vec();
        words.push(self.program.display().to_string());
        if let Some(test) = &self.test {
            words.extend([test, "--exact", "--test-threads=1"].map(str::to_owned));
        }
        let mut command = Command::new(&words[0]);
        let demo = ["-n", "64"].map(str::to_owned);
        let behind = if self.is_demo() { &demo[..] } else { behind };
        command.args(&words[1..]).args(behind).envs(variables.iter().map(|(name, value)| (name, value)));
        // A checker's program is a child of the checker.
        process::own_group(&mut command);
        let began = Instant::now();
        let wait = |child: &mut Child| process::wait(child, limit);
        let status = match text {
            Some(text) => summary.run(command, text, wait),
            None => {
                println!("\n=== {}", self.name());
                summary.run(command, io::stdout(), wait)
            }
        };
        let status = status.with_context(|| format!("{} cannot be started", words[0]))?;
        let outcome = Outcome { status, seconds: began.elapsed().as_secs_f32() };
        if self.is_demo() {
            summary.passed += u64::from(outcome.good());
            summary.failed += u64::from(!outcome.good());
        }
        Ok(outcome)
    }
}

pub(crate) fn name(program: &Path) -> String {
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
