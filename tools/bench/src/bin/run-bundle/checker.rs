//! compute-sanitizer's tools: their options, and the tests that they skip.

use std::path::Path;

use clap::ValueEnum;

/// Tests that launch none of the library's kernels, launch each without looking at results, provoke the faults that the tools
/// look for, or start programs of their own: a program, one of its modules, or a prefix of programs' names that ends in `-`.
const NOT_CHECKED: &[&str] = &[
    "candle_rocm",
    "candle_rocm_nvidia",
    "candle_rocm_upstream",
    "demo-",
    "device",
    "documentation::operations",
    "errors::wrong_use",
    "models-",
    "nvidia-",
    "rocm-hip-",
    "storage::entry_points",
    "storage::moves",
    "tests-",
    "upstream-",
];

/// Tests whose kernels do not use shared memory.
const NOTHING_SHARED: &[&str] =
    &["conv::pool", "conv::upsample", "elementwise", "layout::cat", "random", "storage::semantics"];

/// Words in the names of tests of many layouts: layouts change the addresses of a row's elements, but not how threads share them,
/// and tracing each launch is slow.
const MANY_LAYOUTS: &[&str] =
    &["in_every_view", "from_every_view", "any_layout", "layouts", "every_index_dtype"];

/// The tools of compute-sanitizer.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(crate) enum Checker {
    /// Accesses out of bounds or misaligned.
    Memcheck,
    /// Races in shared memory.
    Racecheck,
    /// Reads of uninitialized device memory.
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

    /// The command line before the program. Errors returned by calls are left to the tests, and backtraces of stripped programs
    /// are useless.
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
            // It records accesses until the next synchronization, and fails if there are too many.
            option("--force-synchronization-limit", if again { "1" } else { "16" });
        }
        words
    }

    /// Whether the tool has something to find in a program (`reduce`) or in one of its tests (`reduce::sort::equal_values`).
    pub(crate) fn concerns(self, name: &str) -> bool {
        let is_below = |part: &str| {
            name.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let is_named = |part: &&str| is_below(part) || (part.ends_with('-') && name.starts_with(part));
        let races = self == Checker::Racecheck;
        let many_layouts = MANY_LAYOUTS.iter().any(|words| name.contains(words));
        !NOT_CHECKED.iter().any(is_named) && !(races && (NOTHING_SHARED.iter().any(is_named) || many_layouts))
    }
}

/// Whether the tool itself failed, so that a retry may help.
pub(crate) fn lost_track(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).contains("Internal Sanitizer Error")
}

/// Whether the program made no call that the tool traces, which the tool reports as a failure.
pub(crate) fn used_no_card(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).contains("terminated before first instrumented API call")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    fn tests() -> PathBuf {
        tools_common::root().join("candle-rocm/tests")
    }

    /// A test that is renamed would be checked again, or for nothing.
    #[test]
    fn names_are_those_of_tests() {
        let is_there = |name: &str| {
            let (program, module) = name.split_once("::").unwrap_or((name, "main"));
            let folder = tests().join(program);
            folder.join(module).with_extension("rs").is_file() || folder.with_extension("rs").is_file()
        };
        for name in NOT_CHECKED.iter().chain(NOTHING_SHARED) {
            let other = name.ends_with('-') || name.starts_with("candle_");
            assert!(other || is_there(name), "there is no test {name}");
        }
        let texts = texts_below(&tests());
        for words in MANY_LAYOUTS {
            let there =
                |text: &String| text.lines().any(|line| line.starts_with("fn ") && line.contains(words));
            assert!(texts.iter().any(there), "no test is named {words}");
        }
    }

    fn texts_below(folder: &Path) -> Vec<String> {
        let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        paths
            .flat_map(|path| match path.is_dir() {
                true => texts_below(&path),
                false => fs::read_to_string(&path).into_iter().collect(),
            })
            .collect()
    }

    #[test]
    fn programs_and_tests_to_check() {
        assert!(Checker::Memcheck.concerns("elementwise") && !Checker::Racecheck.concerns("elementwise"));
        assert!(
            Checker::Racecheck.concerns("conv")
                && !Checker::Racecheck.concerns("conv::pool::maxima_are_exact")
        );
        assert!(
            !Checker::Memcheck.concerns("errors::wrong_use::null") && Checker::Memcheck.concerns("errors")
        );
        assert!(
            !Checker::Memcheck.concerns("upstream-nn_ops") && !Checker::Memcheck.concerns("rocm-hip-pool")
        );
        assert!(Checker::Initcheck.concerns("reduce::reductions::sums_in_every_view"));
        assert!(!Checker::Racecheck.concerns("reduce::reductions::sums_in_every_view"));
        assert!(
            Checker::Racecheck
                .wrap(true)
                .ends_with(&["--force-synchronization-limit", "1"].map(str::to_owned))
        );
        assert!(lost_track(b"========= Internal Sanitizer Error: Detected a failure") && !lost_track(b"ok"));
    }
}
