//! `cargo xtask parity`: are our kernels those that candle calls?
//!
//! Compares the `extern "C" __global__` functions of candle-kernels, as they lie in cargo's registry, with ours: name by
//! name and parameter by parameter. Both sides are macro-generated, so both go through the C preprocessor first. The
//! methods of candle-core's backend traits are compared with those that we test.

mod backend;
mod entry_points;
mod sources;

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use entry_points::EntryPoint;
use rocm_kernels::Module;

/// Compares our kernels' names and parameters with candle-kernels'.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Modules that must be complete, e.g. `affine,binary`; all eleven if not given.
    #[arg(long, value_delimiter = ',', value_parser = clap::builder::PossibleValuesParser::new(MODULES))]
    modules: Vec<String>,
    /// Lists every missing, differing and added entry point, not only the first few.
    #[arg(long)]
    verbose: bool,
}

/// The modules that candle-kernels loads by name.
const MODULES: [&str; 11] = [
    "affine",
    "binary",
    "cast",
    "conv",
    "fill",
    "indexing",
    "quantized",
    "reduce",
    "sort",
    "ternary",
    "unary",
];

/// Kernels that candle-kernels compiles but never hands out by name: C launchers of its static library call them.
const BEHIND_LAUNCHERS: &str = "mmvq_gguf";

/// How many names are listed per heading without `--verbose`.
const LISTED: usize = 8;

/// The names of the kernels in one of our modules.
pub(crate) fn kernel_names(module: &Module) -> Result<Vec<String>> {
    Ok(sources::kernels_of(module)?.into_iter().map(|kernel| kernel.name).collect())
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let theirs = sources::Candle::find()?;
    let all: Vec<String> = MODULES.iter().map(|&module| module.to_owned()).collect();
    let selected = if args.modules.is_empty() { &all } else { &args.modules };

    println!("candle-kernels {} in {}", sources::VERSION, theirs.folder().display());
    println!(
        "{:<10} {:>7} {:>7} {:>8} {:>7} {:>6}",
        "module", "candle", "match", "missing", "differ", "added"
    );
    let mut details = String::new();
    let mut incomplete = Vec::new();
    let mut total = Comparison::default();
    for module in selected {
        let found = compare(&theirs.entry_points(module)?, &sources::ours(module)?);
        found.print_row(module);
        details += &found.details(module, if args.verbose { usize::MAX } else { LISTED });
        if !found.is_complete() {
            incomplete.push(module.as_str());
        }
        total.append(found);
    }
    if selected.len() > 1 {
        total.print_row("total");
    }
    if args.modules.is_empty() {
        let count = theirs.entry_points(BEHIND_LAUNCHERS)?.len();
        println!(
            "not counted: {count} kernels of {BEHIND_LAUNCHERS}.cu, which candle reaches through C functions only"
        );
    }
    print!("{details}");
    if !incomplete.is_empty() {
        bail!("not complete: {}", incomplete.join(", "));
    }
    backend::check()
}

/// What became of one module's entry points.
#[derive(Debug, Default, PartialEq)]
struct Comparison {
    matching: usize,
    missing: Vec<String>,
    /// With both parameter lists.
    differing: Vec<String>,
    /// Ours that candle-kernels lacks.
    added: Vec<String>,
}

fn compare(theirs: &[EntryPoint], ours: &[EntryPoint]) -> Comparison {
    let ours: BTreeMap<&str, &EntryPoint> = ours.iter().map(|entry| (entry.name.as_str(), entry)).collect();
    let mut result = Comparison::default();
    for entry in theirs {
        match ours.get(entry.name.as_str()) {
            None => result.missing.push(entry.to_string()),
            Some(own) if own.takes_the_same_as(entry) => result.matching += 1,
            Some(own) => result.differing.push(format!("{entry}\n      ours: {own}")),
        }
    }
    let known = |name: &str| theirs.iter().any(|entry| entry.name == name);
    result.added = ours.values().filter(|entry| !known(&entry.name)).map(ToString::to_string).collect();
    result
}

impl Comparison {
    fn is_complete(&self) -> bool {
        self.missing.is_empty() && self.differing.is_empty()
    }

    fn append(&mut self, other: Self) {
        self.matching += other.matching;
        self.missing.extend(other.missing);
        self.differing.extend(other.differing);
        self.added.extend(other.added);
    }

    fn print_row(&self, name: &str) {
        let (missing, differing) = (self.missing.len(), self.differing.len());
        println!(
            "{name:<10} {:>7} {:>7} {missing:>8} {differing:>7} {:>6}",
            self.matching + missing + differing,
            self.matching,
            self.added.len()
        );
    }

    fn details(&self, module: &str, most: usize) -> String {
        let mut text = String::new();
        let mut list = |what: &str, entries: &[String], most: usize| {
            if entries.is_empty() || most == 0 {
                return;
            }
            text += &format!("{module}, {what}:\n");
            for entry in entries.iter().take(most) {
                text += &format!("    {entry}\n");
            }
            if entries.len() > most {
                text += &format!("    ... and {} more (--verbose lists them)\n", entries.len() - most);
            }
        };
        list("missing", &self.missing, most);
        list("other parameters", &self.differing, most);
        list("added", &self.added, if most == usize::MAX { most } else { 0 });
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(text: &str) -> Vec<EntryPoint> {
        entry_points::parse(text)
    }

    #[test]
    fn names_and_parameters_decide() {
        let theirs = entries(
            "extern \"C\" __global__ void same(const size_t n, float *out) {}
             extern \"C\" __global__ void gone(int n) {}
             extern \"C\" __global__ void narrower(const size_t n) {}
             extern \"C\" __global__ void other_pointee(const __half *x) {}
             extern \"C\" __global__ void fewer(int a, int b) {}",
        );
        let ours = entries(
            "extern \"C\" __global__ void same(u64 count, float *__restrict__ y) {}
             extern \"C\" __global__ void narrower(unsigned n) {}
             extern \"C\" __global__ void other_pointee(const bf16 *x) {}
             extern \"C\" __global__ void fewer(int a) {}
             extern \"C\" __global__ void more(int a) {}",
        );
        let result = compare(&theirs, &ours);
        assert_eq!(result.matching, 1);
        assert_eq!(result.missing, ["gone(i32)"]);
        assert_eq!(
            result.differing,
            [
                "narrower(u64)\n      ours: narrower(u32)",
                "other_pointee(f16*)\n      ours: other_pointee(bf16*)",
                "fewer(i32, i32)\n      ours: fewer(i32)"
            ]
        );
        assert_eq!(result.added, ["more(i32)"]);
        assert!(!result.is_complete());
        assert!(compare(&theirs, &theirs).is_complete());
    }
}
