//! `cargo xtask test --gfx`: the tests on the gfx platform, which executes the machine code of AMD GPUs, and what they executed.
//!
//! Whatever needs the interpreter itself is a task of another program (tools/machine-code).

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tools_common::{cargo, root};

/// A run on the gfx platform.
pub(super) struct Gfx {
    processors: String,
    /// The environment of the tests, and of what looks at their results.
    variables: Vec<(String, String)>,
}

impl Gfx {
    /// If all tests will run, compiles all kernels for these processors.
    pub(super) fn new(options: &super::Options) -> Result<Self> {
        let processors = options.gfx.join(",");
        let environment = root().join("target/xtask/gfx-environment");
        let mut prepare = machine_code("prepare", &processors);
        prepare.arg("--environment").arg(&environment);
        prepare.args(options.cargo.is_empty().then_some("--all-kernels"));
        prepare.args(options.generic.then_some("--generic"));
        let comgr = options.comgr.as_deref().or_else(|| options.runtime_only.then_some("debian"));
        for (option, path) in [("--hiprtc", options.hiprtc.as_deref()), ("--comgr", comgr)] {
            prepare.args(path.iter().flat_map(|path| [option, path]));
        }
        run(&mut prepare)?;
        let text = fs::read_to_string(&environment)
            .with_context(|| format!("{} cannot be read", environment.display()))?;
        let variables = text.lines().filter_map(|line| line.split_once('='));
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Ok(Self { processors, variables })
    }

    /// candle-rocm's test programs. No other package has one of the same name: cargo would take both.
    pub(super) fn tests() -> Result<Vec<String>> {
        super::test_programs("candle-rocm")
    }

    /// Arguments for cargo in `candle/`: the test programs that run kernels, and the examples.
    pub(super) fn candle_tests() -> Result<Vec<String>> {
        let [_, candle] = cargo::workspaces();
        let mut arguments = vec![];
        for package in ["tests", "upstream", "models"] {
            arguments.extend(cargo::test_programs(&candle.join(package))?);
        }
        arguments.extend(["programs", "sentences"].map(str::to_owned));
        // It builds the README's program, which does not have this platform.
        arguments.retain(|name| name != "readme");
        println!("Not run: candle/tests/tests/readme, which builds a program without the gfx platform");
        let mut arguments: Vec<String> =
            arguments.into_iter().flat_map(|name| ["--test".to_owned(), name]).collect();
        arguments.extend(["--example", "first", "--example", "custom_op"].map(str::to_owned));
        Ok(arguments)
    }

    /// The environment of the tests.
    pub(super) fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Prints how fast the tests were executed.
    pub(super) fn print_rates(&self) -> Result<()> {
        run(&mut machine_code("rates", &self.processors))
    }

    /// After all tests: prints what was executed, and fails where something was not that should be.
    pub(super) fn check(&self) -> Result<()> {
        run(machine_code("check", &self.processors).envs(self.variables()))
    }
}

/// A step of `cargo xtask machine-code`.
fn machine_code(step: &str, processors: &str) -> Command {
    let mut command = cargo::xtask();
    command.args(["machine-code", step, processors]);
    command
}

fn run(step: &mut Command) -> Result<()> {
    let status = step.status().context("cargo could not be started")?;
    ensure!(status.success(), "the tests' machine code: see above");
    Ok(())
}
