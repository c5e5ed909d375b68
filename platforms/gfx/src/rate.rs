//! How fast launches are executed, for `cargo xtask test --gfx`.
//!
//! Each process writes a file beside those of [`coverage`]: a line for each processor.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use crate::coverage;

/// What was executed, and how long that took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// Instructions, each of a whole wavefront.
    pub instructions: u64,
    /// CPU time of the threads that executed them. Disassembling, and what tests do besides, is not in it.
    pub time: Duration,
}

impl Rate {
    /// Instructions per second and core.
    pub fn per_second(&self) -> f64 {
        self.instructions as f64 / self.time.as_secs_f64().max(1e-9)
    }

    fn add(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.time += other.time;
    }
}

/// Of each processor, by name.
pub type Rates = BTreeMap<String, Rate>;

/// The end of the files' names.
const EXTENSION: &str = "rate";

static RATES: Mutex<Rates> = Mutex::new(BTreeMap::new());

/// This process's file.
static FILE: LazyLock<Option<File>> = LazyLock::new(|| {
    let path = coverage::folder()?.join(format!("{}.{EXTENSION}", std::process::id()));
    OpenOptions::new().create(true).truncate(true).write(true).open(path).ok()
});

/// Sums what the processes wrote into a folder.
///
/// # Errors
/// A file cannot be read.
pub fn read(folder: &Path) -> std::io::Result<Rates> {
    let mut all = Rates::new();
    for text in coverage::texts(folder, EXTENSION)? {
        for (processor, rate) in text.lines().filter_map(parse) {
            all.entry(processor).or_default().add(rate);
        }
    }
    Ok(all)
}

/// Notes a launch.
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    allow(dead_code, reason = "nothing is executed")
)]
pub(crate) fn note(processor: &str, launch: Rate) {
    let Some(mut file) = FILE.as_ref() else { return };
    let mut all = RATES.lock().unwrap_or_else(PoisonError::into_inner);
    all.entry(processor.to_owned()).or_default().add(launch);
    // At once: a process may end without a chance to write. Sums only grow, so that lines never become shorter.
    let _ = file.rewind().and_then(|()| file.write_all(text(&all).as_bytes()));
}

fn text(rates: &Rates) -> String {
    let line = |(processor, rate): (&String, &Rate)| {
        format!("{processor}\t{}\t{}\n", rate.instructions, rate.time.as_nanos())
    };
    rates.iter().map(line).collect()
}

fn parse(line: &str) -> Option<(String, Rate)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[processor, instructions, time] = &*fields else { return None };
    let time = Duration::from_nanos(time.parse().ok()?);
    Some((processor.to_owned(), Rate { instructions: instructions.parse().ok()?, time }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_summed() {
        let folder = tempfile::tempdir().unwrap();
        let of = |instructions, millis| Rate { instructions, time: Duration::from_millis(millis) };
        let first = Rates::from([("gfx1100".to_owned(), of(30, 2)), ("gfx942".to_owned(), of(7, 1))]);
        let second = Rates::from([("gfx942".to_owned(), of(3, 4))]);
        for (name, rates) in [("1.rate", &first), ("2.rate", &second)] {
            std::fs::write(folder.path().join(name), text(rates)).unwrap();
        }
        std::fs::write(folder.path().join("1.tsv"), "gfx942\t1\t1\n").unwrap();
        let all = read(folder.path()).unwrap();
        assert_eq!(all, Rates::from([("gfx1100".to_owned(), of(30, 2)), ("gfx942".to_owned(), of(10, 5))]));
        assert_eq!(all["gfx942"].per_second().round(), 2000.0);
    }
}
