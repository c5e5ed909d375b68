//! Versions, counts and speeds that pages state are those of their one source: a manifest, a constant of the code, a generated page.
//!
//! A rule finds every statement of its kind on every page that is written by hand. One without a source (how many tests there are) is not
//! written down; how long something takes has its machine and date.

use std::fs;

use regex::Regex;

use crate::{Page, pages, root};

/// Pages that a program writes, and notes on what was measured, or learned from, with other versions.
const OTHERS: [&str; 5] = [
    "candle/bench/results/",
    "candle/bench/notes/",
    "candle-rocm/tuning/predicted.md",
    "models/",
    "platforms/gfx/coverage.md",
];

/// What pages may say where a pattern matches; each of its groups holds values.
struct Rule {
    pattern: &'static str,
    values: Vec<String>,
    source: &'static str,
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All matches of the pattern's first group in a file.
fn found(path: &str, pattern: &str) -> Vec<String> {
    let text = read(path);
    let found: Vec<String> =
        Regex::new(pattern).unwrap().captures_iter(&text).map(|captures| captures[1].to_owned()).collect();
    assert!(!found.is_empty(), "{path} has nothing like {pattern}");
    found
}

/// The versions of candle that there are overlays for.
fn overlays() -> Vec<String> {
    let mut versions = found("candle/candle-core/Cargo.toml", r#"(?m)^description = "candle-core ([\d.]+) "#);
    let older = fs::read_dir(root().join("candle/versions")).unwrap();
    versions.extend(older.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()));
    versions
}

/// A version, and the shorter ones that mean it too.
fn with_prefixes(versions: Vec<String>) -> Vec<String> {
    let shorter = |version: &String| version.rsplit_once('.').map(|(shorter, _)| shorter.to_owned());
    let prefixes: Vec<String> = versions.iter().filter_map(shorter).collect();
    versions.into_iter().chain(prefixes).collect()
}

fn rules() -> Vec<Rule> {
    let version = found("Cargo.toml", r#"(?m)^version = "(.+)"$"#);
    let clang = [
        found("platforms/host/src/hiprtc/compiler.rs", r"OLDEST_CLANG: u32 = (\d+)"),
        found("rocm-kernels/src/toolchain.rs", r"OLDEST_CLANG: u32 = (\d+)"),
    ];
    let results = "candle/bench/results/bench.md";
    let executed = found("platforms/gfx/coverage.md", r"(?m)^\| (gfx\w+) \| (?:\d+) of (?:\d+) ");
    let cards = found("docs/book/src/cards.md", r"(?m)^\| .+? \| (gfx\w+) \|");
    vec![
        Rule {
            pattern: r"\bRust (1\.\d+)",
            values: found("Cargo.toml", r#"(?m)^rust-version = "(.+)"$"#),
            source: "rust-version in Cargo.toml",
        },
        Rule {
            pattern: r"\b(?:g\+\+|gcc)(?: >=)? (\d+)",
            values: found("platforms/host/src/hiprtc/compiler.rs", r"OLDEST_GCC: u32 = (\d+)"),
            source: "platforms/host/src/hiprtc/compiler.rs",
        },
        Rule {
            pattern: r"\bclang(?: and lld of version| >=)? (\d+)",
            values: clang.concat(),
            source: "OLDEST_CLANG of the host platform and of rocm-kernels",
        },
        Rule {
            pattern: r#"(?:^|[^-\w])candle(?:-core|-nn|-transformers)?(?: | = "|@)(0\.\d+(?:\.\d+)?)\b(?:(?:, | to | and | or )(0\.\d+(?:\.\d+)?)\b)?(?:(?:, | and | or )(0\.\d+(?:\.\d+)?)\b)?(?:(?:, | and | or )(0\.\d+(?:\.\d+)?)\b)?"#,
            values: with_prefixes(overlays()),
            source: "the overlays in candle/",
        },
        Rule {
            pattern: r#"\bcandle-rocm = (?:\{ version = )?"([^"]+)"|\btag = "v([^"]+)""#,
            values: version,
            source: "version in Cargo.toml",
        },
        Rule {
            pattern: r"\b(\d[\d.]*) times as fast",
            values: found(results, r"(?m)^Against .*?: ([\d.]+) times as fast"),
            source: results,
        },
        Rule {
            pattern: r"\b(\d+) (?:rows|of \d+ rows)",
            values: found(results, r"geometric mean of (\d+) rows"),
            source: results,
        },
        Rule {
            pattern: r"\b(\d+) processors",
            values: vec![executed.len().to_string(), cards.len().to_string()],
            source: "platforms/gfx/coverage.md and docs/book/src/cards.md",
        },
        Rule {
            pattern: r"(?i)\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) processors",
            values: Vec::new(),
            source: "digits, which this test compares with the tables",
        },
        // Nobody would correct them.
        Rule {
            pattern: r"\b(\d[\d,]*) (?:tests|kernels|entry points)\b",
            values: Vec::new(),
            source: "nothing",
        },
        Rule { pattern: r"\b(\d[\d,]* CPU-seconds)\b", values: Vec::new(), source: "nothing" },
    ]
}

/// What a page says otherwise than the source.
fn faults(page: &Page, rules: &[Rule]) -> Vec<String> {
    let mut faults = Vec::new();
    // Lines of a paragraph belong together.
    let text = page.text.split_whitespace().collect::<Vec<_>>().join(" ");
    for Rule { pattern, values, source } in rules {
        for captures in Regex::new(pattern).unwrap().captures_iter(&text) {
            for value in captures.iter().skip(1).flatten().map(|value| value.as_str()) {
                if !values.iter().any(|known| known == value) {
                    faults.push(format!("{}: `{}`; {source} says {values:?}", page.name, &captures[0]));
                }
            }
        }
    }
    faults
}

#[test]
fn figures_are_those_of_their_sources() {
    let rules = rules();
    let stated_by_hand = |page: &&Page| !OTHERS.iter().any(|start| page.name.starts_with(start));
    let faults: Vec<String> =
        pages().iter().filter(stated_by_hand).flat_map(|page| faults(page, &rules)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn wrong_figures_are_found() {
    let rules = rules();
    let faults = |text: &str| faults(&Page { name: String::new(), text: text.to_owned() }, &rules).len();
    for (text, count) in [
        ("candle 0.9, 0.10 or\n0.11; candle-core = \"0.11.1\"; candle 0.11.1, 0.11.0, 0.10.2 and 0.9.2", 0),
        ("candle 0.8, candle-nn = \"0.11.2\", candle 0.9.2 to 0.12", 3),
        ("candle-rocm = \"0.0.1\" and candle-rocm = { version = \"0.0.1\" }, tag = \"v0.0.1\"", 3),
        ("Rust\n1.2, g++ 1, clang 2", 3),
        ("99.99 times as fast in 1 of 2 rows", 2),
        ("ten processors, 7 processors, 1,234 tests", 3),
        ("two cards, tests, a gfx1100", 0),
    ] {
        assert_eq!(faults(text), count, "{text}");
    }
}
