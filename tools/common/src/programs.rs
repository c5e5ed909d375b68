//! The test programs that run on a card.

use std::path::Path;

use clap::ValueEnum;

use crate::cargo;

/// Whose tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Workspace {
    /// The backend's.
    Root,
    /// Those of candle's Tensor on it.
    Candle,
    /// Both.
    All,
}

impl Workspace {
    /// Whether a program of the workspace at that folder is one to pack.
    pub fn has(self, folder: &Path, name: &str) -> bool {
        let starts = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        match self {
            Workspace::Root => {
                ["candle_rocm", "candle_rocm_nvidia"].contains(&name)
                    || starts(&["nvidia-", "rocm-hip-", "rocm-rccl-"])
                    || is_test_of(&folder.join("candle-rocm"), name)
            }
            // The demo compares its tokens with those of candle's CPU device.
            Workspace::Candle => {
                ["demo-demo", "candle_rocm_upstream"].contains(&name)
                    || starts(&["models-", "parallel-", "tests-", "upstream-"])
            }
            Workspace::All => false,
        }
    }
}

/// Whether the package has a test program of this name.
fn is_test_of(package: &Path, name: &str) -> bool {
    cargo::test_programs(package).is_ok_and(|programs| programs.iter().any(|program| program == name))
}
