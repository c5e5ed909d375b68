//! The benchmarks' program with the interpreter, for what is executed of their cases.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use anyhow::{Context, Result, ensure};
use rocm_kernels::cards::Card;
use tools_common::{cargo, root};

use crate::{gfx, warm};

/// The benchmarks, built to run on processors.
pub(crate) struct Bench {
    program: PathBuf,
}

impl Bench {
    /// For some of the cases, only the kernels that these need are compiled: as they are met.
    pub(crate) fn build(processors: &[String], only: &[String]) -> Result<Self> {
        gfx::find_device_libraries()?;
        if only.is_empty() {
            warm::gfx_kernels(processors)?;
        }
        let build = ["build", "-p", "candle-rocm-bench", "--features", "gfx"];
        let programs = cargo::programs(&root().join("candle"), &build)?;
        let program = programs.into_iter().find(|(name, _)| name.ends_with("candle-rocm-bench"));
        let (_, program) = program.context("cargo did not say where the program is")?;
        Ok(Self { program })
    }

    /// Writes a file with what the cases whose name, group or type contains a word execute on a processor, and the times that a model
    /// predicts for a card with it, some numbers of which may be changed.
    pub(crate) fn count(
        &self,
        processor: &str,
        card: Option<(&Card, &[String])>,
        only: &[String],
        budget: u64,
        file: &Path,
    ) -> Result<()> {
        self.start(processor, card, only, budget, file)?.wait()
    }

    /// Starts [`Bench::count`].
    pub(crate) fn start(
        &self,
        processor: &str,
        card: Option<(&Card, &[String])>,
        only: &[String],
        budget: u64,
        file: &Path,
    ) -> Result<Counting> {
        let mut command = self.command(processor, only, budget, file)?;
        if let Some((card, set)) = card {
            for change in set {
                command.args(["--set", change]);
            }
            on_card(&mut command, card);
        }
        self.spawn(command, processor)
    }

    /// Starts to write a file with the times that a model predicts on a card for each candidate of the choices that cases ask for.
    pub(crate) fn start_contests(
        &self,
        card: &Card,
        only: &[String],
        budget: u64,
        file: &Path,
    ) -> Result<Counting> {
        let mut command = self.command(card.processor, only, budget, file)?;
        on_card(&mut command, card);
        command.arg("--contests");
        self.spawn(command, card.processor)
    }

    fn command(&self, processor: &str, only: &[String], budget: u64, file: &Path) -> Result<Command> {
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{} cannot be created", folder.display()))?;
        }
        let mut command = Command::new(&self.program);
        command.arg("--count").arg(file).args(["--budget", &budget.to_string()]);
        if !only.is_empty() {
            command.args(["--only", &only.join(",")]);
        }
        command.env("CANDLE_ROCM_PLATFORM", "gfx").env(gfx::DEVICES, processor);
        Ok(command)
    }

    fn spawn(&self, mut command: Command, processor: &str) -> Result<Counting> {
        let child =
            command.spawn().with_context(|| format!("{} cannot be started", self.program.display()))?;
        Ok(Counting { child, processor: processor.to_owned() })
    }
}

/// The times are to be a card's.
fn on_card(command: &mut Command, card: &Card) {
    command.args(["--card", card.rates.product]).env(gfx::UNITS, card.multiprocessors().to_string());
}

/// A program that counts.
pub(crate) struct Counting {
    child: Child,
    processor: String,
}

impl Counting {
    pub(crate) fn wait(mut self) -> Result<()> {
        let status = self.child.wait()?;
        ensure!(status.success(), "the cases could not be counted on {}", self.processor);
        Ok(())
    }
}
