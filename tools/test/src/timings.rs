//! `cargo xtask test --timings`: CPU-seconds of each part, as `cargo xtask` notes them (xtask/src/timings.rs).

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use rocm_kernels::{Cache, Module, Target};
use rocm_sys::hiprtc::Hiprtc;
use tools_common::{cargo, warm};

/// Names the file of the notes.
const VARIABLE: &str = "CANDLE_ROCM_TIMINGS";

/// Names of a part that are printed; the file has all.
const PRINTED: usize = 12;

/// Each part, with what the table calls it.
const PARTS: [(&str, &str); 7] = [
    ("dependency", "dependencies"),
    ("crate", "crates of candle-rocm, and their build scripts"),
    ("program", "programs and examples, with linking"),
    ("test program", "test programs, with linking"),
    ("kernels", "kernels compiled for the CPU"),
    ("documentation test", "tests of documentation, with compiling"),
    ("test", "tests"),
];

/// The whole of what cargo did.
const CARGO: &str = "cargo";

/// A run whose parts are timed.
pub(crate) struct Timings {
    log: PathBuf,
    /// What notes how long programs take that it is told to run.
    xtask: PathBuf,
}

impl Timings {
    pub(crate) fn new() -> Result<Self> {
        let log = std::env::var_os(VARIABLE).context("only `cargo xtask test` can time: start it so")?;
        Ok(Self { log: log.into(), xtask: std::env::current_exe()?.with_file_name("xtask") })
    }

    /// Cargo, and what it compiles, documents and runs.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(&self.xtask);
        command.arg(cargo::command().get_program());
        let xtask = &self.xtask;
        for option in [
            format!("build.rustc-wrapper={xtask:?}"),
            format!("build.rustdoc={xtask:?}"),
            format!("target.{}-unknown-linux-gnu.runner=[{xtask:?}]", std::env::consts::ARCH),
        ] {
            command.arg("--config").arg(option);
        }
        command.env_remove("RUSTC_WRAPPER").env_remove("RUSTDOC");
        command
    }

    /// Fills the cache as [`warm::host_kernels`] does, each module in a process of its own.
    pub(crate) fn kernels(&self) -> Result<()> {
        let this = std::env::current_exe()?;
        warm::on_all_cores(warm::host_jobs(), |(module, target)| {
            let mut command = Command::new(&self.xtask);
            command.arg(&this).args(["kernels", module.name, &target.arch]);
            let status = command.status().context("xtask could not be started")?;
            ensure!(status.success(), "the kernels `{}` could not be compiled", module.name);
            Ok(())
        })
    }

    /// Writes the table, and gives its largest rows with the file's name.
    pub(crate) fn table(&self) -> Result<String> {
        let notes = fs::read_to_string(&self.log)
            .with_context(|| format!("{} cannot be read", self.log.display()))?;
        let file = self.log.with_extension("tsv");
        let rows = rows(&notes)?;
        fs::write(&file, tsv(&rows)).with_context(|| format!("{} cannot be written", file.display()))?;
        Ok(format!("{}All of them: {}", printed(&rows), file.display()))
    }
}

/// A name of a part, how often it occurs, and CPU-seconds.
struct Row<'a> {
    part: &'a str,
    name: &'a str,
    times: usize,
    seconds: f64,
}

/// The longest first.
fn rows(notes: &str) -> Result<Vec<Row<'_>>> {
    let mut sums: BTreeMap<(&str, &str), (usize, f64)> = BTreeMap::new();
    for line in notes.lines() {
        let [part, name, seconds] = line.split('\t').collect::<Vec<_>>()[..] else {
            bail!("this is no note: {line}");
        };
        let sum = sums.entry((part, name)).or_default();
        sum.0 += 1;
        sum.1 += seconds.parse::<f64>().with_context(|| format!("these are no seconds: {seconds}"))?;
    }
    let row = |((part, name), (times, seconds))| Row { part, name, times, seconds };
    let mut rows: Vec<_> = sums.into_iter().map(row).collect();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    Ok(rows)
}

fn of<'a, 'b>(rows: &'b [Row<'a>], part: &'b str) -> impl Iterator<Item = &'b Row<'a>> {
    rows.iter().filter(move |row| row.part == part)
}

fn seconds(rows: &[Row<'_>], part: &str) -> f64 {
    of(rows, part).map(|row| row.seconds).sum()
}

/// What cargo did besides: build scripts, and itself.
fn rest(rows: &[Row<'_>]) -> f64 {
    let parts = PARTS.iter().filter(|(part, _)| *part != "kernels");
    seconds(rows, CARGO) - parts.map(|(part, _)| seconds(rows, part)).sum::<f64>()
}

fn tsv(rows: &[Row<'_>]) -> String {
    let mut text = "part\tname\ttimes\tcpu_seconds\n".to_owned();
    for row in rows.iter().filter(|row| row.part != CARGO) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}\t{}\t{}\t{:.2}", row.part, row.name, row.times, row.seconds);
    }
    let _ = writeln!(text, "rest\tbuild scripts and cargo\t1\t{:.2}", rest(rows));
    text
}

fn printed(rows: &[Row<'_>]) -> String {
    let mut parts: Vec<_> =
        PARTS.iter().map(|(part, called)| (*part, *called, seconds(rows, part))).collect();
    parts.push(("", "build scripts that ran, and cargo itself", rest(rows)));
    let total: f64 = parts.iter().map(|(.., seconds)| seconds).sum();
    parts.sort_by_key(|(.., seconds)| Reverse((seconds * 100.0) as i64));
    let mut text = format!("{total:8.1}  CPU-seconds (user and system)\n");
    for (part, called, seconds) in parts {
        let times: usize = of(rows, part).map(|row| row.times).sum();
        let times = if times > 0 { format!(" ({times})") } else { String::new() };
        let _ = writeln!(text, "{seconds:8.1}  {called}{times}");
        for row in of(rows, part).take(PRINTED).filter(|row| row.seconds >= 1.0) {
            let times = if row.times > 1 { format!(", {} times", row.times) } else { String::new() };
            let _ = writeln!(text, "{:12.1}  {}{times}", row.seconds, row.name);
        }
    }
    text
}

/// One job of [`Timings::kernels`].
#[derive(Args)]
pub(crate) struct Kernels {
    module: String,
    arch: String,
}

/// Compiles a module for the host platform, unless it is cached.
pub(crate) fn compile(job: &Kernels) -> Result<()> {
    let mut jobs = warm::host_jobs().into_iter();
    let same = |(module, target): &(&Module, Target)| module.name == job.module && target.arch == job.arch;
    let (module, target) = jobs.find(same).context("there is no such job")?;
    let hiprtc = Hiprtc::from_resolver("candle-rocm-host", candle_rocm_host::symbol);
    rocm_kernels::code_object(module, &target, Some(&hiprtc), &Cache::user())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_summed() {
        let notes = "dependency\tsyn syn\t2.50\ndependency\tsyn syn\t1.50\ncrate\trocm-sys rocm_sys\t3.00\n\
                     kernels\tgemm 32\t9.00\ntest\tcandle-rocm reduce\t20.00\ncargo\ttest\t30.00\n";
        let rows = rows(notes).expect("notes");
        assert_eq!(rest(&rows), 3.0, "kernels are none of cargo's");
        let text = printed(&rows);
        assert!(text.starts_with("    39.0  CPU-seconds"), "{text}");
        assert!(text.contains("     4.0  dependencies (2)\n         4.0  syn syn, 2 times\n"), "{text}");
        assert!(text.contains("    20.0  tests (1)\n        20.0  candle-rocm reduce\n"), "{text}");
        let table = tsv(&rows);
        assert!(
            table.contains("\ndependency\tsyn syn\t2\t4.00\n") && table.ends_with("\t1\t3.00\n"),
            "{table}"
        );
        assert!(rows_of("one\ttwo").is_err());
    }

    fn rows_of(notes: &str) -> Result<usize> {
        rows(notes).map(|rows| rows.len())
    }
}
