//! The benchmarks and language models of a report.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::listener::Listener;
use super::programs::{Program, Programs};
use super::report::{Bench, Model, Row};

/// How often each side of a case is timed.
const ROUNDS: &str = "3";

/// The benchmarks on a platform.
pub(super) struct Benchmarks<'a> {
    pub(super) program: &'a Program,
    pub(super) platform: &'a str,
    pub(super) quick: bool,
    /// The folder of kernels and choices.
    pub(super) cache: &'a Path,
    /// It is killed when it says nothing for that long.
    pub(super) silence: Duration,
}

/// How a run ended.
struct Ran {
    /// What is in the file that was asked for.
    text: String,
    /// How it ended unless well, and its last line.
    fault: Option<String>,
}

impl Benchmarks<'_> {
    /// Times all cases against candle's CPU backend, and PyTorch where it is installed: each group of cases in a process of its own, so
    /// that one that hangs or crashes costs that group's other cases only, and with its share of the time.
    /// `progress` has the results after each group.
    pub(super) fn run(&self, seconds: u64, progress: &mut dyn FnMut(&Bench) -> Result<()>) -> Result<Bench> {
        let mut all = Bench::default();
        let groups = self.groups();
        let began = Instant::now();
        for (i, group) in groups.iter().enumerate() {
            let left = Duration::from_secs(seconds).saturating_sub(began.elapsed());
            let share = left / u32::try_from(groups.len() - i).unwrap_or(u32::MAX);
            let options = ["--only", group, "--against", "cpu", "--rounds", ROUNDS];
            match self.start(&options, share, "bench.tsv") {
                Ok(Ran { text, fault }) => {
                    let mut part = table(&text);
                    part.rows.retain(|row| row.group == *group);
                    part.errors.extend(fault.map(|fault| format!("{group}: {fault}")));
                    all.add(part);
                }
                Err(error) => all.errors.push(format!("{group}: {error:#}")),
            }
            progress(&all)?;
        }
        Ok(all)
    }

    /// Has candle-rocm measure its choices while products are benchmarked, and returns them as text. Later benchmarks go by them.
    pub(super) fn tune(&self, time: Duration) -> String {
        let options = ["--only", "matmul,quantized", "--tuning", "on", "--python", "none"];
        match self.start(&options, time, "choices.txt") {
            Ok(Ran { text, fault }) => text + &fault.unwrap_or_default(),
            Err(error) => format!("{error:#}"),
        }
    }

    fn groups(&self) -> Vec<String> {
        let list = self.program.said(self.platform, &["--list"], self.silence);
        let mut seen = BTreeSet::new();
        let groups = list.lines().filter_map(|line| line.split_once('\t')).map(|(group, _)| group.to_owned());
        groups.filter(|group| seen.insert(group.clone())).collect()
    }

    /// Runs it, and reads a file that it wrote.
    fn start(&self, options: &[&str], time: Duration, file: &str) -> Result<Ran> {
        let folder = std::env::temp_dir().join(format!("candle-rocm-card-{}", std::process::id()));
        fs::create_dir_all(&folder).with_context(|| format!("{} cannot be created", folder.display()))?;
        let mut command = self.program.command(self.platform);
        command.args(options).arg("--seconds").arg(time.as_secs().to_string()).arg("--out").arg(&folder);
        command.env("CANDLE_ROCM_CACHE_DIR", self.cache);
        if self.quick {
            command.arg("--quick");
        }
        let mut listener = Listener::start(&mut command).context("the benchmarks cannot be started")?;
        let mut last = String::new();
        while let Ok(line) = listener.line(self.silence) {
            last = line;
        }
        // Exit status 1 says that a case is wrong; its row says so too.
        let ending = listener.ending(self.silence).filter(|ending| !ending.is_status(1));
        // A file with rows is written as they come.
        let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
        let _ = fs::remove_dir_all(&folder);
        Ok(Ran { text, fault: ending.map(|ending| format!("{ending}, after {last}")) })
    }
}

/// Reads `bench.tsv` by the titles of its columns.
fn table(text: &str) -> Bench {
    let mut bench = Bench::default();
    let mut titles: Vec<&str> = Vec::new();
    for line in text.lines() {
        if let Some(fact) = line.strip_prefix("# ") {
            let (what, value) = fact.split_once('\t').unwrap_or((fact, ""));
            bench.lines.push((what.to_owned(), value.to_owned()));
        } else if titles.is_empty() {
            titles = line.split('\t').collect();
        } else {
            let fields: Vec<&str> = line.split('\t').collect();
            let field = |title: &str| {
                titles.iter().position(|found| *found == title).and_then(|at| fields.get(at)).copied()
            };
            let text = |title: &str| field(title).unwrap_or_default().to_owned();
            let number = |title: &str| field(title).and_then(|field| field.parse().ok());
            bench.rows.push(Row {
                group: text("group"),
                case: text("case"),
                dtype: text("dtype"),
                shape: text("shape"),
                rocm_us: number("rocm_us"),
                torch_us: number("torch_us"),
                over_cpu: number("over_candle"),
                gigabytes_per_second: number("GBs"),
                of_copy: number("of_copy"),
                teraflops: number("TFLOPs"),
                difference: number("difference"),
                tolerance: number("tolerance"),
                note: text("note"),
            });
        }
    }
    bench
}

/// Generates text with the built-in model, and with `file` here and by llama.cpp's `llama-bench` if it is installed.
pub(super) fn models(
    programs: &Programs,
    platform: &str,
    file: Option<&Path>,
    limit: Duration,
) -> Vec<Model> {
    let mut models = vec![generated(programs.demo.command(platform).args(["-n", "64"]), "built in", limit)];
    if let Some(file) = file {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let mut demo = programs.demo.command(platform);
        models.push(generated(demo.arg("--model").arg(file).args(["-n", "128"]), &name, limit));
        models.extend(llama_bench(file, &name, limit));
    }
    models
}

fn generated(command: &mut Command, name: &str, limit: Duration) -> Model {
    let (text, ending) = match Listener::start(command) {
        Ok(listener) => listener.rest(limit),
        Err(error) => (error.to_string(), None),
    };
    let rate = text.lines().find_map(|line| line.strip_prefix("Generation: ")?.split_once(", "));
    let speed = rate.and_then(|(_, rate)| rate.strip_suffix(" tokens/s")?.parse().ok());
    let tells = ["Prompt: ", "Generation: ", "Peak memory: ", "Check: ", "error: "];
    let lines = text.lines().filter(|line| tells.iter().any(|start| line.starts_with(start)));
    let mut said: Vec<String> = lines.map(str::to_owned).collect();
    said.extend(ending.map(|ending| ending.to_string()));
    let failed = said.iter().any(|line| line.starts_with("error: ") || line.starts_with("Check: FAILED"));
    let program = "cargo xtask demo".to_owned();
    Model { program, name: name.to_owned(), speed: speed.filter(|_| !failed), said: said.join("\n") }
}

/// None where llama.cpp is not installed.
fn llama_bench(file: &Path, name: &str, limit: Duration) -> Option<Model> {
    let mut command = Command::new("llama-bench");
    command.arg("-m").arg(file).args(["-p", "0", "-n", "128", "-o", "json"]);
    let (text, _) = Listener::start(&mut command).ok()?.rest(limit);
    let json = text.find("[\n").map_or("", |at| &text[at..]);
    let runs: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    let speed = runs[0]["avg_ts"].as_f64();
    let said = if speed.is_some() { String::new() } else { text };
    Some(Model { program: "llama-bench".to_owned(), name: name.to_owned(), speed, said })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_by_title() {
        let text = "# card\tRadeon\ngroup\tcase\tdtype\tshape\trocm_us\tcandle_us\tGBs\tof_copy\tdifference\ttolerance\n\
                    unary\texp\tf32\t[8]\t2.5\t5\t\t0.5\t1e-3\t1e-4\nunary\tsin\tf32\t[8]\t\t\t\t\t\t\n";
        let bench = table(text);
        assert_eq!(bench.lines, [("card".to_owned(), "Radeon".to_owned())]);
        let [exp, sin] = &bench.rows[..] else { panic!("{bench:?}") };
        assert_eq!((exp.rocm_us, exp.of_copy, exp.gigabytes_per_second), (Some(2.5), Some(0.5), None));
        assert!(exp.is_wrong() && sin.is_wrong());
    }
}
