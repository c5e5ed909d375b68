//! compute-sanitizer's tools: what they are started with, and what they are not asked to look at.

use std::path::Path;

use clap::ValueEnum;

/// Programs that launch none of the library's kernels, launch each without looking at results, make the faults that the tools
/// look for, or start programs of their own. A name that ends in `-` stands for all that begin with it.
const NOT_CHECKED: &[&str] = &[
    "candle_rocm",
    "candle_rocm_nvidia",
    "candle_rocm_upstream",
    "demo-",
    "device",
    "entry_points",
    "models-",
    "moves",
    "nvidia-",
    "ops_table",
    "out_of_memory",
    "pool",
    "tests-",
    "upstream-",
    "wrong_use",
];

/// Programs whose kernels share no memory.
const NOTHING_SHARED: &[&str] = &[
    "binary",
    "cast",
    "cat",
    "direct",
    "fill",
    "pool2d",
    "random",
    "semantics",
    "ternary",
    "unary",
    "upsample",
];

/// Words in the names of tests of many layouts: these change where the elements of a row are found, not who shares them, and
/// each launch is followed step by step.
const MANY_LAYOUTS: &[&str] =
    &["in_every_view", "from_every_view", "any_layout", "layouts", "every_index_dtype"];

/// The tools of compute-sanitizer.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Checker {
    /// Accesses out of bounds or misaligned.
    Memcheck,
    /// Races for shared memory.
    Racecheck,
    /// Reading device memory that was never written.
    Initcheck,
    /// Barriers that not all threads reach.
    Synccheck,
}

impl Checker {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Checker::Memcheck => "memcheck",
            Checker::Racecheck => "racecheck",
            Checker::Initcheck => "initcheck",
            Checker::Synccheck => "synccheck",
        }
    }

    /// What goes before a program. Errors that calls return are the tests' own business, and frames of a stripped program say
    /// nothing.
    pub(crate) fn wrap(self, again: bool) -> Vec<String> {
        let toolkit = Path::new("/usr/local/cuda/bin/compute-sanitizer");
        let program =
            if toolkit.exists() { toolkit.display().to_string() } else { "compute-sanitizer".to_owned() };
        let mut words = vec![program, "--tool".to_owned(), self.name().to_owned()];
        let mut option = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
        option("--report-api-errors", "no");
        option("--show-backtrace", "no");
        option("--print-limit", "5");
        option("--error-exitcode", "66");
        if self == Checker::Racecheck || again {
            // It keeps what launches did until the next synchronisation, and loses track of them when that is too much.
            option("--force-synchronization-limit", if again { "1" } else { "16" });
        }
        words
    }

    /// Whether the tool has something to find in this program.
    pub(crate) fn concerns(self, program: &str) -> bool {
        let is =
            |name: &&str| name.strip_suffix('-').map_or(program == *name, |start| program.starts_with(start));
        let nothing =
            NOT_CHECKED.iter().any(is) || (self == Checker::Racecheck && NOTHING_SHARED.contains(&program));
        !nothing
    }

    /// The same for one of its tests.
    pub(crate) fn concerns_test(self, test: &str) -> bool {
        self != Checker::Racecheck || !MANY_LAYOUTS.iter().any(|words| test.contains(words))
    }
}

/// Whether the tool itself failed, so that it is worth another try.
pub(crate) fn lost_track(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).contains("Internal Sanitizer Error")
}

/// Whether the program made no call that the tool follows, which the tool takes for a failure.
pub(crate) fn used_no_card(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).contains("terminated before first instrumented API call")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    fn tests() -> PathBuf {
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../candle-rocm/tests")
    }

    /// A test that is renamed would be checked again, or for nothing.
    #[test]
    fn names_are_those_of_tests() {
        let texts: Vec<_> = fs::read_dir(tests()).unwrap().flatten().map(|entry| entry.path()).collect();
        let names: Vec<_> = texts.iter().filter_map(|path| path.file_stem()?.to_str()).collect();
        for name in NOT_CHECKED.iter().chain(NOTHING_SHARED) {
            let other = name.ends_with('-') || name.starts_with("candle_");
            assert!(other || names.contains(name), "there is no test {name}");
        }
        let texts: Vec<_> = texts.iter().filter_map(|path| fs::read_to_string(path).ok()).collect();
        for words in MANY_LAYOUTS {
            let there =
                |text: &String| text.lines().any(|line| line.starts_with("fn ") && line.contains(words));
            assert!(texts.iter().any(there), "no test is named {words}");
        }
    }

    #[test]
    fn programs_and_tests_to_check() {
        assert!(Checker::Memcheck.concerns("unary") && !Checker::Racecheck.concerns("unary"));
        assert!(!Checker::Memcheck.concerns("upstream-nn_ops") && Checker::Memcheck.concerns("pool2d"));
        assert!(Checker::Initcheck.concerns_test("sums_in_every_view"));
        assert!(!Checker::Racecheck.concerns_test("sums_in_every_view"));
        assert!(
            Checker::Racecheck
                .wrap(true)
                .ends_with(&["--force-synchronization-limit", "1"].map(str::to_owned))
        );
        assert!(lost_track(b"========= Internal Sanitizer Error: Detected a failure") && !lost_track(b"ok"));
    }
}
