//! The programs that a report needs, built once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::listener::Listener;
use tools_common::cargo;
use tools_common::programs::Workspace;

pub(super) struct Programs {
    /// By name, in the order in which they say most: first what everything else needs.
    pub(super) tests: Vec<Program>,
    /// Tests that must fail.
    pub(super) planted: Program,
    pub(super) doctor: Program,
    pub(super) demo: Program,
    pub(super) bench: Program,
}

#[derive(Clone)]
pub(super) struct Program {
    pub(super) name: String,
    path: PathBuf,
}

/// Begins with the layers below: a card on which these fail needs no others.
const FIRST: [&str; 4] = ["rocm-hip-", "device", "elementwise", "layout"];
const PLANTED: &str = "rocm-hip-planted";

impl Programs {
    pub(super) fn build(quick: bool) -> Result<Self> {
        let [root, candle] = cargo::workspaces();
        // As `cargo xtask test` builds them, but for the examples, of which some have the names of tests.
        let mut tests = BTreeMap::new();
        for (workspace, folder) in [(Workspace::Root, &root), (Workspace::Candle, &candle)] {
            let build: &[&str] = match workspace {
                Workspace::Candle => {
                    &["test", "--no-run", "--lib", "--tests", "--features", "candle-rocm-demo/hf"]
                }
                _ => &["test", "--no-run", "--lib", "--tests"],
            };
            let built = cargo::programs(folder, build)?;
            tests.extend(built.into_iter().filter(|(name, _)| workspace.has(folder, name)));
        }
        // The first is no test program, and the others are for other cards.
        tests.retain(|name, _| {
            name != "demo-demo" && !name.contains("nvidia") && !name.contains("parallel-bench")
        });
        let planted = Program::take(&mut tests, PLANTED)?;
        let mut tests: Vec<Program> = tests.into_iter().map(|(name, path)| Program { name, path }).collect();
        let place = |program: &Program| {
            FIRST.iter().position(|first| program.name.starts_with(first)).unwrap_or(FIRST.len())
        };
        tests.sort_by_key(place);

        // Quickly, with what the tests were built with.
        let bins: &[&str] = match quick {
            true => &["build", "--bins", "--features", "candle-rocm-demo/hf"],
            false => &["build", "--bins", "--release", "-p", "candle-rocm-bench", "-p", "candle-rocm-demo"],
        };
        let mut bins = cargo::programs(&candle, bins)?;
        Ok(Self {
            tests,
            planted,
            doctor: Program::take(&mut bins, "demo-doctor")?,
            demo: Program::take(&mut bins, "demo-demo")?,
            bench: Program::take(&mut bins, "bench-candle-rocm-bench")
                .or_else(|_| Program::take(&mut bins, "candle-rocm-bench"))?,
        })
    }
}

impl Program {
    #[cfg(all(test, unix))]
    pub(super) fn at(name: &str, path: PathBuf) -> Self {
        Self { name: name.to_owned(), path }
    }

    fn take(programs: &mut BTreeMap<String, PathBuf>, name: &str) -> Result<Self> {
        let path = programs.remove(name).with_context(|| format!("cargo did not build {name}"))?;
        Ok(Self { name: name.to_owned(), path })
    }

    pub(super) fn command(&self, platform: &str) -> Command {
        let mut command = Command::new(&self.path);
        command.env("CANDLE_ROCM_PLATFORM", platform);
        command
    }

    /// What it prints, on both streams, and how it ended unless well.
    pub(super) fn said(&self, platform: &str, arguments: &[&str], limit: Duration) -> String {
        match Listener::start(self.command(platform).args(arguments)) {
            Ok(listener) => {
                let (mut text, ending) = listener.rest(limit);
                text.extend(ending.map(|ending| format!("{}: {ending}\n", self.name)));
                text
            }
            Err(error) => format!("{}: {error}\n", self.name),
        }
    }
}
