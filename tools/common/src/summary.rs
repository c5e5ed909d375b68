//! Passes the output of test programs through, counts results and skipped checks, and says which tests failed.
//!
//! Tests run programs, themselves among them, whose output is in their own when they fail: with results that are not to be counted. What
//! a test program says of itself comes last, so output and errors are read as one stream, in their order.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;

/// Results of the test programs that ran so far.
#[derive(Default)]
pub struct Summary {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that did not run.
    pub ignored: u64,
    /// The lines that start with `SKIPPED: `.
    pub skipped: Vec<String>,
    /// Which tests failed.
    pub failures: Vec<Failure>,
    /// What failed tests said, each test's first lines: the output's own place for it is far above the end.
    said: Vec<String>,
}

/// A test that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Cargo's arguments for the program: `-p rocm-hip --test pool`. Empty where cargo did not run it.
    pub program: String,
    /// `None`: the program ended before its tests did.
    pub test: Option<String>,
}

/// Lines of a failed test that are kept.
const LINES: usize = 30;

impl Summary {
    /// Runs cargo or a test program, copies what it says to `to` as it comes, and counts results. `meanwhile` has the child until it
    /// ends.
    pub fn run<T>(
        &mut self,
        mut command: Command,
        to: impl Write + Send,
        meanwhile: impl FnOnce(&mut Child) -> io::Result<T>,
    ) -> io::Result<T> {
        let (from, end) = io::pipe()?;
        let mut child = command.stdin(Stdio::null()).stdout(end.try_clone()?).stderr(end).spawn()?;
        // It has the pipe's other end too.
        drop(command);
        thread::scope(|scope| {
            scope.spawn(|| self.read(from, to));
            meanwhile(&mut child)
        })
    }

    fn read(&mut self, from: impl Read, mut to: impl Write) {
        let mut program = Program::default();
        for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
            let text = String::from_utf8_lossy(&line);
            // In one call, so that lines of several programs do not mix.
            let _ = to.write_all(format!("{text}\n").as_bytes());
            let _ = to.flush();
            if text.starts_with("     Running ") || text.starts_with("   Doc-tests ") {
                self.end(std::mem::take(&mut program));
            }
            if let Some(at) = text.find("SKIPPED: ") {
                self.skipped.push(text[at..].to_owned());
            }
            program.hear(&text);
        }
        self.end(program);
    }

    fn end(&mut self, program: Program) {
        let named = |test| Failure { program: program.arguments.clone().unwrap_or_default(), test };
        self.failures.extend(program.failed.iter().cloned().map(Some).map(named));
        self.said.extend(program.said);
        match program.counts {
            Some([passed, failed, ignored]) => {
                self.passed += passed;
                self.failed += failed;
                self.ignored += ignored;
            }
            // Its own process ended.
            None if program.arguments.is_some() => {
                self.failed += 1;
                self.failures.push(named(None));
            }
            None => {}
        }
    }

    /// Adds another summary.
    pub fn add(&mut self, other: Summary) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.skipped.extend(other.skipped);
        self.failures.extend(other.failures);
        self.said.extend(other.said);
    }
}

/// The skipped checks, one per line, what failed tests said, then the counts.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.skipped {
            writeln!(f, "  {line}")?;
        }
        for line in &self.said {
            writeln!(f, "{line}")?;
        }
        let skipped = self.skipped.len() as u64 + self.ignored;
        write!(f, "{} passed, {} failed, {skipped} skipped", self.passed, self.failed)
    }
}

/// What one test program said so far.
#[derive(Default)]
struct Program {
    /// Documentation is tested by several processes, one after the other.
    is_documentation: bool,
    /// Passed, failed, ignored, as it says itself: whatever its tests' own processes said was before that.
    counts: Option<[u64; 3]>,
    failed: Vec<String>,
    /// The names that are being listed.
    listed: Option<Vec<String>>,
    said: Vec<String>,
    /// Lines of a failed test that may still be kept.
    left: usize,
    /// Cargo's arguments for it, if it failed.
    arguments: Option<String>,
}

impl Program {
    fn hear(&mut self, line: &str) {
        self.is_documentation |= line.starts_with("   Doc-tests ");
        if let Some(rest) = line.strip_prefix("error: test failed, to rerun pass `") {
            self.arguments = rest.split('`').next().map(str::to_owned);
        }
        let counts = line
            .strip_prefix("test result: ")
            .map(|_| [" passed", " failed", " ignored"].map(|word| count_before(line, word)));
        if let Some(counts) = counts {
            let failed = self.listed.take().unwrap_or_default();
            match self.counts.as_mut().filter(|_| self.is_documentation) {
                Some(sum) => {
                    sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                    self.failed.extend(failed);
                }
                None => (self.counts, self.failed) = (Some(counts), failed),
            }
        }
        self.list(line);
        self.keep(line);
    }

    /// The names of failed tests stand between `failures:` and the result.
    fn list(&mut self, line: &str) {
        if line == "failures:" {
            self.listed = Some(Vec::new());
        } else if let Some(listed) = &mut self.listed {
            match line.strip_prefix("    ") {
                Some(name) => listed.push(name.to_owned()),
                None if line.is_empty() => {}
                None => self.listed = None,
            }
        }
    }

    fn keep(&mut self, line: &str) {
        if line.starts_with("---- ") && line.ends_with(" ----") {
            self.left = LINES;
        } else if line == "failures:" || line.starts_with("test result: ") {
            self.left = 0;
        }
        if self.left > 0 && !line.is_empty() {
            self.said.push(line.to_owned());
            self.left -= 1;
        }
    }
}

/// The number that stands before `word`, as in `12 passed`.
fn count_before(text: &str, word: &str) -> u64 {
    let Some(end) = text.find(word) else { return 0 };
    let digits = text[..end].rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(text: &str) -> Summary {
        let (mut to, mut summary) = (Vec::new(), Summary::default());
        summary.read(text.as_bytes(), &mut to);
        assert_eq!(String::from_utf8(to).unwrap(), text);
        summary
    }

    fn failure(program: &str, test: Option<&str>) -> Failure {
        Failure { program: program.to_owned(), test: test.map(str::to_owned) }
    }

    #[test]
    fn results_and_skips_are_collected() {
        let summary = summary(
            "running 3 tests\ntest a ... SKIPPED: real HIP: libamdhip64.so not found\nok\n\
             failures:\n\n---- b stdout ----\n\nthread 'b' panicked at tests/b.rs:1:2:\n1 2\n\n\nfailures:\n    b\n\n\
             test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.5s\n",
        );
        assert_eq!((summary.passed, summary.failed, summary.ignored), (12, 1, 2));
        assert_eq!(summary.skipped, ["SKIPPED: real HIP: libamdhip64.so not found"]);
        assert_eq!(summary.failures, [failure("", Some("b"))]);
        let words = "  SKIPPED: real HIP: libamdhip64.so not found\n\
                     ---- b stdout ----\nthread 'b' panicked at tests/b.rs:1:2:\n1 2\n12 passed, 1 failed, 3 skipped";
        assert_eq!(summary.to_string(), words);
    }

    /// A test that ran itself as four processes, of which three failed and one was killed, and a program that crashed.
    #[test]
    fn what_a_test_starts_is_not_counted() {
        let child = "running 1 test\ntest killed ... FAILED\n\nfailures:\n\n---- killed stdout ----\n1 is not 2\n\nfailures:\n    \
                     killed\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 4 filtered out; finished in 5.0s\n\n";
        let text = format!(
            "     Running tests/processes.rs (target/debug/deps/processes-1)\n\nrunning 5 tests\ntest two ... ok\n\
             test killed ... FAILED\n\nfailures:\n\n---- killed stdout ----\n{child}{child}running 1 test\n{child}\n\n\
             failures:\n    killed\n    last\n\n\
             test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 6.0s\n\n\
             error: test failed, to rerun pass `-p rocm-rccl --test processes`\n     \
             Running tests/crash.rs (target/debug/deps/crash-1)\n\nrunning 2 tests\n\
             error: test failed, to rerun pass `-p rocm-hip --test crash`\n\nCaused by:\n  \
             process didn't exit successfully: `crash-1` (signal: 11, SIGSEGV: invalid memory reference)\n   \
             Doc-tests rocm_hip\n\nrunning 1 test\n\n\
             test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.1s\n\n\
             running 2 tests\n\n\
             test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s\n\n\
             error: 2 targets failed:\n    `-p rocm-rccl --test processes`\n    `-p rocm-hip --test crash`\n"
        );
        let summary = summary(&text);
        assert_eq!((summary.passed, summary.failed, summary.ignored), (5, 3, 1));
        let processes = "-p rocm-rccl --test processes";
        let failures =
            [(processes, Some("killed")), (processes, Some("last")), ("-p rocm-hip --test crash", None)];
        assert_eq!(summary.failures, failures.map(|(program, test)| failure(program, test)));
    }

    #[cfg(unix)]
    #[test]
    fn both_streams_come_in_their_order() {
        let mut command = Command::new("sh");
        command.args(["-c", "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done; echo 'test result: ok. 2 passed'; exit 3"]);
        let (mut to, mut summary) = (Vec::new(), Summary::default());
        let status = summary.run(command, &mut to, Child::wait).unwrap();
        let lines: Vec<String> = (1..=5).flat_map(|i| [format!("out {i}"), format!("err {i}")]).collect();
        assert!(String::from_utf8(to).unwrap().starts_with(&lines.join("\n")));
        assert_eq!((status.code(), summary.passed), (Some(3), 2));
    }
}
