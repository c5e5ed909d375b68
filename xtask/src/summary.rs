//! Passes the output of test programs through, and counts results and skipped checks.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Results of the test programs followed so far.
#[derive(Default)]
pub(crate) struct Summary {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
    /// The lines that start with `SKIPPED: `.
    pub(crate) skipped: Vec<String>,
    /// What failed tests said, each test's first lines: the output's own place for it is far above the end.
    failures: Vec<String>,
}

/// Lines of a failed test that are kept.
const LINES: usize = 30;

impl Summary {
    /// Copies a child's piped output to this program's own as it arrives, until the child ends, and counts results. `meanwhile`
    /// runs concurrently.
    pub(crate) fn follow<T>(&mut self, child: &mut Child, meanwhile: impl FnOnce(&mut Child) -> T) -> T {
        self.relay(child, io::stdout(), io::stderr(), meanwhile)
    }

    /// The same, into one writer.
    #[allow(dead_code, reason = "one of the two programs that have this module")]
    pub(crate) fn collect<T>(
        &mut self,
        child: &mut Child,
        to: impl Write + Send,
        meanwhile: impl FnOnce(&mut Child) -> T,
    ) -> T {
        let to = Mutex::new(to);
        self.relay(child, Shared(&to), Shared(&to), meanwhile)
    }

    fn relay<T>(
        &mut self,
        child: &mut Child,
        to_out: impl Write + Send,
        to_err: impl Write + Send,
        meanwhile: impl FnOnce(&mut Child) -> T,
    ) -> T {
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let summary = Mutex::new(self);
        thread::scope(|scope| {
            scope.spawn(|| out.map(|out| copy(out, to_out, &summary)));
            scope.spawn(|| err.map(|err| copy(err, to_err, &summary)));
            meanwhile(child)
        })
    }

    /// Adds another summary.
    #[allow(dead_code, reason = "one of the two programs that have this module")]
    pub(crate) fn add(&mut self, other: Summary) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
        self.skipped.extend(other.skipped);
        self.failures.extend(other.failures);
    }
}

/// A writer that several threads write lines to.
struct Shared<'a, W>(&'a Mutex<W>);

impl<W: Write> Write for Shared<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).flush()
    }
}

/// The skipped checks, one per line, what failed tests said, then the counts.
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.skipped {
            writeln!(f, "  {line}")?;
        }
        for line in &self.failures {
            writeln!(f, "{line}")?;
        }
        let skipped = self.skipped.len() as u64 + self.ignored;
        write!(f, "{} passed, {} failed, {skipped} skipped", self.passed, self.failed)
    }
}

fn copy(from: impl Read, mut to: impl Write, summary: &Mutex<&mut Summary>) {
    // Lines of a failed test that may still be kept.
    let mut left = 0;
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let text = String::from_utf8_lossy(&line);
        // In one call, so that lines of two streams do not mix.
        let _ = to.write_all(format!("{text}\n").as_bytes());
        let _ = to.flush();
        let mut summary = summary.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = text.find("SKIPPED: ") {
            summary.skipped.push(text[at..].to_owned());
        } else if text.starts_with("test result: ") {
            summary.passed += count_before(&text, " passed");
            summary.failed += count_before(&text, " failed");
            summary.ignored += count_before(&text, " ignored");
        }
        if text.starts_with("---- ") && text.ends_with(" ----") {
            left = LINES;
        } else if text.starts_with("failures:") || text.starts_with("test result: ") {
            left = 0;
        }
        if left > 0 && !text.is_empty() {
            summary.failures.push(text.into_owned());
            left -= 1;
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

    #[test]
    fn results_and_skips_are_collected() {
        let text = "running 3 tests\ntest a ... SKIPPED: real HIP: libamdhip64.so not found\nok\n\
                    failures:\n\n---- b stdout ----\n\nthread 'b' panicked at tests/b.rs:1:2:\n1 2\n\n\nfailures:\n    b\n\n\
                    test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.5s\n";
        let (mut to, mut summary) = (Vec::new(), Summary::default());
        copy(text.as_bytes(), &mut to, &Mutex::new(&mut summary));
        assert_eq!(String::from_utf8(to).unwrap(), text);
        assert_eq!((summary.passed, summary.failed, summary.ignored), (12, 1, 2));
        assert_eq!(summary.skipped, ["SKIPPED: real HIP: libamdhip64.so not found"]);
        let words = "  SKIPPED: real HIP: libamdhip64.so not found\n\
                     ---- b stdout ----\nthread 'b' panicked at tests/b.rs:1:2:\n1 2\n12 passed, 1 failed, 3 skipped";
        assert_eq!(summary.to_string(), words);
    }
}
