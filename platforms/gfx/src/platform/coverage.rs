//! Which kernels and instructions were executed, for the report of `cargo xtask test --gfx`.
//!
//! With the environment variable, each process adds a file to the folder that it names: a line for each kernel with its processor,
//! module and launches, and the indices of the executed instructions.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::object::Object;

/// Names the folder.
const VARIABLE: &str = "CANDLE_ROCM_GFX_COVERAGE";

static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| std::env::var_os(VARIABLE).map(PathBuf::from));

/// By processor and kernel: launches, and the addresses of executed instructions.
type Executed = BTreeMap<(&'static str, String), (u64, BTreeMap<u64, u64>)>;
static EXECUTED: Mutex<Executed> = Mutex::new(BTreeMap::new());

/// Notes a launch, and how often it executed each instruction.
pub(super) fn note(object: &Object, kernel: usize, counts: &[u64]) {
    let Some(folder) = &*FOLDER else { return };
    let key = (object.target.processor.name, object.kernels[kernel].name.clone());
    let mut executed = EXECUTED.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = executed.entry(key).or_default();
    let known = entry.1.len();
    entry.0 += 1;
    let instructions = &object.code.instructions[object.kernels[kernel].instructions.clone()];
    for (instruction, &count) in instructions.iter().zip(counts) {
        if count > 0 {
            *entry.1.entry(instruction.address).or_default() += count;
        }
    }
    // Rewritten whenever it says more than before: a process may end without a chance to write.
    if entry.0 == 1 || entry.1.len() > known {
        let _ = std::fs::write(folder.join(format!("{}.tsv", std::process::id())), text(&executed));
    }
}

fn text(executed: &Executed) -> String {
    let mut text = String::new();
    for ((processor, kernel), (launches, instructions)) in executed {
        let _ = write!(text, "{processor}\t{kernel}\t{launches}\t");
        for address in instructions.keys() {
            let _ = write!(text, "{address:x} ");
        }
        text.push('\n');
    }
    text
}
