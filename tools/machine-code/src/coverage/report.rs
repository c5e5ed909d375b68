//! What was executed, as text.

use std::fmt::Write as _;

use super::lines::Reasons;
use super::{Coverage, Totals};

/// A line for each processor, and one for the source lines.
pub(super) fn summary(coverage: &Coverage) -> String {
    let mut text = String::new();
    for processor in &coverage.processors {
        let Totals { launched, kernels, executed, instructions } = processor.totals();
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}: {launched} of {kernels} kernels launched, {executed} of {instructions} instructions executed ({})",
            processor.name,
            percent(executed, instructions)
        );
    }
    let (lines, executed) = coverage.lines.count();
    let _ = writeln!(text, "{executed} of {lines} source lines with machine code executed");
    text
}

/// The tables of platforms/gfx/coverage.md.
pub(super) fn tables(coverage: &Coverage, reasons: &Reasons) -> String {
    let mut text = "<!-- made by cargo xtask coverage --write -->\n\
                    # What the tests executed of the kernels' machine code\n\n\
                    `cargo xtask test --gfx` executes the code objects of all modules; `cargo xtask coverage` counts. An instruction \
                    counts once, however often it ran. What did not run is mostly copies of a loop for other alignments, lengths and \
                    dtypes, and 64-bit divisions for tensors beyond 2^31 elements.\n\n\
                    | Processor | Kernels launched | Instructions executed | Share |\n|---|--:|--:|--:|\n"
        .to_owned();
    for processor in &coverage.processors {
        let Totals { launched, kernels, executed, instructions } = processor.totals();
        let _ = writeln!(
            text,
            "| {} | {launched} of {kernels} | {executed} of {instructions} | {} |",
            processor.name,
            percent(executed, instructions)
        );
    }
    text += "\n## By module\n\nKernels launched, and the share of instructions executed.\n\n| Module |";
    for processor in &coverage.processors {
        let _ = write!(text, " {} |", processor.name);
    }
    text += "\n|---|";
    text += &"--:|".repeat(coverage.processors.len());
    for (row, module) in rocm_kernels::ALL.iter().enumerate() {
        let _ = write!(text, "\n| `{}/{}` |", module.family, module.name);
        for processor in &coverage.processors {
            let _ = match processor.modules.get(row) {
                Some(of) if of.kernels > 0 => {
                    let share = percent(of.executed, of.instructions);
                    write!(text, " {}/{}, {share} |", of.kernels - of.missing.len(), of.kernels)
                }
                _ => write!(text, " – |"),
            };
        }
    }
    let (lines, executed) = coverage.lines.count();
    let _ = write!(
        text,
        "\n\n## Source lines\n\nOf {lines} lines of kernels that machine code was made of, {executed} were executed on at least one of \
         these processors.\n"
    );
    let unexecuted = coverage.lines.unexecuted();
    if !unexecuted.is_empty() {
        text += "The others, with the reasons ([unexecuted.tsv](unexecuted.tsv)):\n\n| Line | | Why |\n|---|---|---|\n";
        for (file, number, line) in unexecuted {
            let why = reasons.of(file, &line).unwrap_or("**not known**");
            let line = line.replace('|', "\\|");
            let _ = writeln!(text, "| {file}:{number} | `{line}` | {why} |");
        }
    }
    text
}

fn percent(part: usize, of: usize) -> String {
    if of == 0 { "–".to_owned() } else { format!("{:.0} %", 100. * part as f64 / of as f64) }
}
