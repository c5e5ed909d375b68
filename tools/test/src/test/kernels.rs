//! The tests of a kernel module, and whether they launched all of its kernels.
//!
//! Checked kernels take several times as long, and many tests repeat the same code with other shapes: under a checker only those
//! run that the table of modules names. The host platform logs launches, so that a kernel they leave out is found.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rocm_kernels::Module;
use tools_common::root;
use tools_common::sources::kernels_of;

/// The host platform's variable for the log of launches.
const LAUNCH_LOG: &str = "CANDLE_ROCM_HOST_LAUNCH_LOG";

/// The wavefront sizes that every kernel must have run on.
const WAVES: [u32; 2] = [32, 64];

/// The tests of one test program.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tests {
    pub(super) program: &'static str,
    /// Names, or prefixes that end in `::`.
    filters: BTreeSet<String>,
}

impl Tests {
    /// Arguments for the test program: exact names, unless there are prefixes.
    pub(super) fn arguments(&self) -> Vec<&str> {
        let exact = self.filters.iter().all(|filter| !filter.ends_with("::")).then_some("--exact");
        exact.into_iter().chain(self.filters.iter().map(String::as_str)).collect()
    }
}

/// The tests of these modules, without repetitions.
pub(super) fn tests_of(modules: &[&Module]) -> Vec<Tests> {
    let mut programs: Vec<Tests> = Vec::new();
    for (program, test) in modules.iter().flat_map(|module| module.tests).copied().filter_map(split) {
        let filter = if test.contains("::") { test.to_owned() } else { format!("{test}::") };
        match programs.iter_mut().find(|tests| tests.program == program) {
            Some(tests) => drop(tests.filters.insert(filter)),
            None => programs.push(Tests { program, filters: BTreeSet::from([filter]) }),
        }
    }
    programs
}

/// Program and test of `program::module::test` or `program::module`.
fn split(name: &'static str) -> Option<(&'static str, &'static str)> {
    name.split_once("::")
}

/// The log of kernel launches of a run.
pub(super) struct Launches(PathBuf);

impl Launches {
    /// An empty log.
    pub(super) fn new() -> Result<Self> {
        let path = root().join("target/xtask/launches.txt");
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(&path, "").with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Self(path))
    }

    /// The environment variable for test programs.
    pub(super) fn variable(&self) -> (&'static str, &Path) {
        (LAUNCH_LOG, &self.0)
    }

    /// The number of kernels in these modules; fails with a list of those that were not launched.
    pub(super) fn check(&self, modules: &[&Module]) -> Result<usize> {
        let text =
            fs::read_to_string(&self.0).with_context(|| format!("{} cannot be read", self.0.display()))?;
        let launched: BTreeSet<&str> = text.lines().collect();
        let (mut count, mut missing) = (0, Vec::new());
        for module in modules {
            let kernels: Vec<String> = kernels_of(module)?.into_iter().map(|kernel| kernel.name).collect();
            count += kernels.len();
            missing.extend(not_launched(&launched, module.name, &kernels));
        }
        ensure!(
            missing.is_empty(),
            "{} of {count} kernels were not launched by the tests that rocm-kernels/src/modules.rs names:\n  {}",
            missing.len(),
            missing.join("\n  ")
        );
        Ok(count)
    }
}

/// The kernels that were not launched, with the wavefront sizes that are missing.
fn not_launched(launched: &BTreeSet<&str>, module: &str, kernels: &[String]) -> Vec<String> {
    let missing = |kernel: &String| {
        let waves = WAVES.into_iter().filter(|wave| !launched.contains(format!("{wave} {kernel}").as_str()));
        let waves: Vec<String> = waves.map(|wave| wave.to_string()).collect();
        (!waves.is_empty()).then(|| format!("{module}: {kernel} (wavefronts of {})", waves.join(" and ")))
    };
    kernels.iter().filter_map(missing).collect()
}

#[cfg(test)]
mod tests {
    use rocm_kernels::ALL;

    use super::*;

    #[test]
    fn every_module_has_tests_and_every_test_is_there() {
        let folder = root().join("candle-rocm/tests");
        for module in ALL {
            assert!(!module.tests.is_empty(), "none for {}", module.name);
            for name in module.tests {
                let (program, test) = split(name).expect("a program and a test");
                let (file, test) = test.split_once("::").unwrap_or((test, ""));
                let source = folder.join(program).join(file).with_extension("rs");
                let source = fs::read_to_string(&source).unwrap_or_else(|error| {
                    panic!("{name} of {}: {}: {error}", module.name, source.display())
                });
                assert!(
                    test.is_empty() || source.contains(&format!("fn {test}() {{")),
                    "{}: no test {name}",
                    module.name
                );
            }
        }
    }

    #[test]
    fn tests_are_exact_unless_a_whole_module_is_wanted() {
        let tests = tests_of(&[&rocm_kernels::GEMM_MATRIX, &rocm_kernels::GEMM]);
        assert_eq!(tests.len(), 1);
        assert_eq!(tests[0].program, "matmul");
        assert_eq!(
            tests[0].arguments(),
            ["--exact", "products::layouts", "products::sizes", "products::tiles"]
        );
        let tests = tests_of(&[&rocm_kernels::SCAN]);
        assert_eq!((tests[0].program, tests[0].arguments()), ("reduce", vec!["scan::"]));
    }

    #[test]
    fn missing_kernels_are_named() {
        let launched = BTreeSet::from(["32 a", "64 a", "64 b"]);
        let kernels = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            not_launched(&launched, "m", &kernels),
            ["m: b (wavefronts of 32)", "m: c (wavefronts of 32 and 64)"]
        );
    }
}
