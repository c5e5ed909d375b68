//! A report as a page: does it work, how fast, what is wrong.

use std::fmt::Write;
use std::path::Path;

use super::report::{Bench, Kind, Report, Row};

/// Characters of a full bar.
const BAR: usize = 20;
/// Below this share of a copy's bandwidth, launching takes longer than the work.
const LEAST: f64 = 0.05;
/// Names that are listed before the rest is counted.
const LISTED: usize = 20;

pub(crate) fn page(report: &Report) -> String {
    let mut page = format!("# candle-rocm {} on {}\n\n", report.version, report.card());
    page += &format!("{}\n\n", verdict(report));
    if let Some(what) = &report.unfinished {
        page += &format!("**Interrupted** at: {what}. What follows is what was done so far.\n\n");
    }
    page += "## Does it work?\n\n";
    tests(&mut page, report);
    wrong(&mut page, report);
    page += "## How fast?\n\n";
    if report.quick {
        page += "Of small shapes and unoptimized programs (`--quick`): no times of the card's.\n\n";
    }
    models(&mut page, report);
    bench(&mut page, &report.bench);
    page += "## The machine\n\n";
    facts(&mut page, report.machine.iter().chain(&report.bench.lines));
    for sensor in &report.sensors {
        let _ = writeln!(
            page,
            "- {}: {:.0} {} on average, at most {:.0}, while the benchmarks ran",
            sensor.name, sensor.mean, sensor.unit, sensor.highest
        );
    }
    details(&mut page, "What `cargo xtask doctor` says", &report.doctor);
    details(&mut page, "Compiling kernels", &report.prepared);
    details(&mut page, "Choices by measurement, which this report alone went by", &report.choices);
    page
}

/// One sentence or two.
pub(crate) fn verdict(report: &Report) -> String {
    let tests = &report.tests;
    let (failed, left_out) = (tests.failures.len(), tests.left_out());
    let outcome = match (failed, tests.passed) {
        _ if tests.lost_after.is_some() => "The card was lost",
        (0, 0) => "No test ran",
        (0, _) if left_out > 0 => "What ran works",
        (0, _) => "It works",
        (_, 0) => "It does not work",
        (_, _) => "It works in part",
    };
    let listed = tests.listed - tests.ignored.min(tests.listed);
    let mut verdict = format!(
        "**{outcome}**: of {listed} tests {} passed, {failed} failed, {left_out} were not run.",
        tests.passed
    );
    let wrong = report.bench.rows.iter().filter(|row| row.is_wrong()).count();
    if wrong > 0 {
        let _ = write!(verdict, " {wrong} benchmarks failed or gave wrong results.");
    }
    let copy = report.bench.lines.iter().find(|(what, _)| what.starts_with("copy bandwidth"));
    match copy {
        Some((_, copy)) if report.platform != "host" && !report.quick => {
            let _ = write!(verdict, " A copy runs at {copy} GB/s.");
        }
        _ => {}
    }
    verdict
}

/// What the user does with it, for the terminal.
pub(crate) fn what_next(folder: &Path) -> String {
    let folder = folder.display();
    let issues = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues/new?template=card.yml");
    format!(
        "Read {folder}/report.md; it names no path, machine or user. Then please attach {folder}/report.md and {folder}/report.json \
         to a new issue, whatever they say: {issues}"
    )
}

fn tests(page: &mut String, report: &Report) {
    let tests = &report.tests;
    let _ = writeln!(
        page,
        "{} tests passed, {} failed, {} were not run, in {:.0} s.\n",
        tests.passed,
        tests.failures.len(),
        tests.left_out(),
        tests.seconds
    );
    if let Some(test) = &tests.lost_after {
        let _ = writeln!(
            page,
            "After `{test}` the card no longer answered, so nothing was run on it afterwards.\n"
        );
    }
    list(page, "Passed in a process of its own only", &tests.only_alone);
    list(page, "Not run, as the time was over or the card was lost", &tests.not_run);
    list(page, "Left out by the tests themselves", &tests.skipped);
}

fn wrong(page: &mut String, report: &Report) {
    let rows: Vec<&Row> = report.bench.rows.iter().filter(|row| row.is_wrong()).collect();
    if report.tests.failures.is_empty() && rows.is_empty() && report.bench.errors.is_empty() {
        return;
    }
    *page += "## What is wrong?\n\n";
    for failure in &report.tests.failures {
        let kind = match failure.kind {
            Kind::Wrong => "failed",
            Kind::Hang => "did not end",
            Kind::Crash => "crashed",
        };
        details(page, &format!("`{}` {kind}", failure.name), &failure.output);
    }
    for row in rows {
        let what = match (row.difference, row.tolerance) {
            (Some(difference), Some(most)) if row.rocm_us.is_some() => {
                format!("differs from candle's CPU backend by {difference:.1e}, more than {most:.1e}")
            }
            _ => format!("failed: {}", row.note),
        };
        let _ = writeln!(page, "- benchmark {} {} {} {what}", row.case, row.dtype, row.shape);
    }
    for error in &report.bench.errors {
        let _ = writeln!(page, "- benchmarks of {error}");
    }
    *page += "\n";
}

fn models(page: &mut String, report: &Report) {
    for model in &report.models {
        let speed = model.speed.map_or("failed".to_owned(), |speed| format!("{speed:.1} tokens/s"));
        let said = model.said.replace('\n', "; ");
        let _ = writeln!(page, "- `{}`, model {}: {speed} ({said})", model.program, model.name);
    }
    *page += "\n";
}

fn bench(page: &mut String, bench: &Bench) {
    if bench.rows.is_empty() {
        *page += "There are no benchmarks.\n\n";
        return;
    }
    *page += "Bars show the bandwidth relative to a copy's (▶: more than that, from caches); \"× CPU\" compares with candle on this \
              machine's CPU, \"× PyTorch\" with PyTorch on this card.\n\n";
    overview(page, &bench.rows);
    let mut group = "";
    for row in &bench.rows {
        if row.group != group {
            group = &row.group;
            let _ = writeln!(
                page,
                "\n### {group}\n\n| Case | | µs | GB/s | TFLOPS | Of a copy's bandwidth | × CPU | × PyTorch |"
            );
            *page += "|---|---|--:|--:|--:|---|--:|--:|\n";
        }
        let number = |value: Option<f64>, digits: usize| {
            value.map_or(String::new(), |value| format!("{value:.digits$}"))
        };
        let _ = writeln!(
            page,
            "| {} {} | {} | {} | {} | {} | {} | {} | {} |",
            row.case,
            row.dtype,
            row.shape,
            number(row.rocm_us, 1),
            number(row.gigabytes_per_second, 0),
            number(row.teraflops, 2),
            row.of_copy.filter(|share| *share >= LEAST).map_or(String::new(), bar),
            row.over_cpu.map_or(String::new(), times),
            row.over_torch().map_or(String::new(), times),
        );
    }
    *page += "\n";
}

/// The median of each group.
fn overview(page: &mut String, rows: &[Row]) {
    *page += "| Group | Cases | Of a copy's bandwidth | × CPU | × PyTorch |\n|---|--:|---|--:|--:|\n";
    for rows in rows.chunk_by(|one, next| one.group == next.group) {
        let median = |value: fn(&Row) -> Option<f64>| {
            let mut values: Vec<f64> = rows.iter().filter_map(value).collect();
            values.sort_by(f64::total_cmp);
            values.get(values.len() / 2).copied()
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} |",
            rows[0].group,
            rows.len(),
            median(|row| row.of_copy.filter(|share| *share >= LEAST)).map_or(String::new(), bar),
            median(|row| row.over_cpu).map_or(String::new(), times),
            median(Row::over_torch).map_or(String::new(), times),
        );
    }
    *page += "\n";
}

/// `██████████░░░░░░░░░░ 50 %`; what is beyond the bar's end is marked.
fn bar(share: f64) -> String {
    let percent = (share * 100.0).round();
    let full = ((share * BAR as f64).round().max(0.0) as usize).min(BAR);
    let beyond = if percent > 100.0 { "▶" } else { "" };
    format!("{}{}{beyond} {percent} %", "█".repeat(full), "░".repeat(BAR - full))
}

/// A ratio with two digits that count: `123`, `4.5`, `0.67`, `0.0089`.
fn times(ratio: f64) -> String {
    let digits = (1.0 - ratio.abs().max(1e-9).log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{ratio:.digits$}")
}

fn facts<'a>(page: &mut String, facts: impl Iterator<Item = &'a (String, String)>) {
    for (what, value) in facts {
        let _ = writeln!(page, "- {what}: {value}");
    }
}

fn list(page: &mut String, title: &str, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let _ = writeln!(page, "{title} ({}):\n", names.len());
    names.iter().take(LISTED).for_each(|name| *page += &format!("- {name}\n"));
    if names.len() > LISTED {
        let _ = writeln!(page, "- and {} more, in report.json", names.len() - LISTED);
    }
    *page += "\n";
}

fn details(page: &mut String, title: &str, text: &str) {
    if !text.trim().is_empty() {
        // A fence of its own length: the text may have one.
        let _ = writeln!(
            page,
            "\n<details><summary>{title}</summary>\n\n~~~~~text\n{}\n~~~~~\n\n</details>\n",
            text.trim_end()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::{Failure, Tests};
    use super::*;

    fn failed(name: &str, kind: Kind) -> Failure {
        Failure { name: name.to_owned(), kind, output: "left: 1".to_owned() }
    }

    #[test]
    fn verdicts() {
        let mut report = Report::default();
        report.tests.listed = 6;
        report.tests.ignored = 1;
        assert_eq!(verdict(&report), "**No test ran**: of 5 tests 0 passed, 0 failed, 5 were not run.");
        report.tests.passed = 3;
        assert_eq!(verdict(&report), "**What ran works**: of 5 tests 3 passed, 0 failed, 2 were not run.");
        report.tests.failures.push(failed("x::a", Kind::Hang));
        assert_eq!(verdict(&report), "**It works in part**: of 5 tests 3 passed, 1 failed, 1 were not run.");
        report.tests = Tests { listed: 5, passed: 5, ..Tests::default() };
        assert_eq!(verdict(&report), "**It works**: of 5 tests 5 passed, 0 failed, 0 were not run.");
        let copy = ("copy bandwidth, GB/s".to_owned(), "700".to_owned());
        report.bench.lines.push(copy);
        report.platform = "amd".to_owned();
        assert!(verdict(&report).ends_with(" A copy runs at 700 GB/s."));
        // The CPU's says nothing about a card, and that of a small copy, neither.
        report.platform = "host".to_owned();
        assert!(!verdict(&report).contains("GB/s"));
        (report.platform, report.quick) = ("amd".to_owned(), true);
        assert!(!verdict(&report).contains("GB/s"));
        report.bench.rows.push(Row::default());
        assert!(verdict(&report).ends_with(" 1 benchmarks failed or gave wrong results."));
        report.tests.lost_after = Some("a".to_owned());
        assert!(verdict(&report).starts_with("**The card was lost**: of"));
    }

    #[test]
    fn a_page_says_what_is_wrong_and_how_fast() {
        let row = Row {
            group: "unary".to_owned(),
            case: "exp".to_owned(),
            dtype: "f32".to_owned(),
            shape: "[8]".to_owned(),
            rocm_us: Some(2.0),
            torch_us: Some(3.0),
            of_copy: Some(0.5),
            ..Row::default()
        };
        let report = Report {
            tests: Tests {
                passed: 1,
                failures: vec![failed("x::hangs", Kind::Hang), failed("x::dies", Kind::Crash)],
                ..Tests::default()
            },
            bench: Bench {
                rows: vec![row],
                errors: vec!["reduction: killed".to_owned()],
                ..Bench::default()
            },
            ..Report::default()
        };
        let page = page(&report);
        for line in [
            "`x::hangs` did not end",
            "`x::dies` crashed",
            "- benchmarks of reduction: killed",
            "| unary | 1 | ██████████░░░░░░░░░░ 50 % |  | 1.5 |",
            "| exp f32 | [8] | 2.0 |  |  | ██████████░░░░░░░░░░ 50 % |  | 1.5 |",
        ] {
            assert!(page.contains(line), "{line} is not in {page}");
        }
        assert!(!page.contains("Interrupted") && !page.contains("--quick"));
        let report = Report { unfinished: Some("Generating text".to_owned()), quick: true, ..report };
        let page = super::page(&report);
        assert!(
            page.contains("**Interrupted** at: Generating text.") && page.contains("(`--quick`)"),
            "{page}"
        );
    }

    #[test]
    fn bars_have_one_length() {
        assert!([-1.0, 0.0, 0.3, 1.0, 7.0].map(bar).iter().all(|bar| bar.matches(['█', '░']).count() == BAR));
        assert!([0.0, 1.0, 1.004].map(bar).iter().all(|bar| !bar.contains('▶')));
        assert!(bar(3.9).ends_with("█▶ 390 %"), "{}", bar(3.9));
    }

    #[test]
    fn ratios_have_digits_that_count() {
        let ratios = [0.0089, 0.034, 0.67, 1.0, 4.46, 12.3, 123.4].map(times);
        assert_eq!(ratios, ["0.0089", "0.034", "0.67", "1.0", "4.5", "12", "123"]);
    }
}
