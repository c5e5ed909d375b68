//! Source lines of kernels: which were executed, and why others were not.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use candle_rocm_gfx::coverage::SourceLine;
use rocm_kernels::Module;
use tools_common::root;

/// Lines of `rocm-kernels/hip` that machine code was made of: whether any of it was executed.
#[derive(Default)]
pub(super) struct Lines(BTreeMap<(String, u32), bool>);

/// The folder of the sources.
fn sources() -> PathBuf {
    root().join("rocm-kernels/hip")
}

impl Lines {
    /// Notes a line that an instruction is made of.
    pub(super) fn note(&mut self, sources: &mut Sources, line: &SourceLine, executed: bool) {
        let Some(file) = sources.path(&line.file) else { return };
        *self.0.entry((file.to_owned(), line.line)).or_default() |= executed;
    }

    pub(super) fn add(&mut self, others: Self) {
        for (line, executed) in others.0 {
            *self.0.entry(line).or_default() |= executed;
        }
    }

    /// How many there are, and how many were executed.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.0.len(), self.0.values().filter(|&&executed| executed).count())
    }

    /// Those that were not executed: file, number, text.
    pub(super) fn unexecuted(&self) -> Vec<(&str, u32, String)> {
        self.which(false)
    }

    fn which(&self, executed: bool) -> Vec<(&str, u32, String)> {
        let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let lines = self.0.iter().filter(|&(_, &was)| was == executed);
        lines
            .map(|((file, line), _)| {
                let text = files.entry(file).or_insert_with(|| {
                    let text = fs::read_to_string(sources().join(file)).unwrap_or_default();
                    text.lines().map(|line| line.trim().to_owned()).collect()
                });
                (&**file, *line, text.get(*line as usize - 1).cloned().unwrap_or_default())
            })
            .collect()
    }
}

/// The sources of a module, by the names that the compiler has for them.
pub(super) struct Sources {
    /// Paths below `rocm-kernels/hip`, each with how names end that stand for it.
    paths: Vec<(String, String)>,
    known: HashMap<String, Option<String>>,
}

impl Sources {
    pub(super) fn of(module: &Module) -> Self {
        let own = format!("{}/{}.hip", module.family, module.name);
        let mut paths = vec![(own.clone(), own.clone()), (own, format!("{}.hip", module.name))];
        paths.extend(module.headers().iter().map(|(header, _)| (header.to_string(), header.to_string())));
        Self { paths, known: HashMap::new() }
    }

    /// The path of a file, which the compiler may name from its temporary folder. `None` for files of others.
    pub(super) fn path(&mut self, name: &str) -> Option<&str> {
        if !self.known.contains_key(name) {
            let is =
                |end: &str| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
            let path = self.paths.iter().find(|(_, end)| is(end)).map(|(path, _)| path.clone());
            self.known.insert(name.to_owned(), path);
        }
        self.known.get(name)?.as_deref()
    }
}

/// Lines that no test executes, with the reasons.
pub(super) struct Reasons(Vec<Reason>);

struct Reason {
    file: String,
    text: String,
    reason: String,
}

impl Reasons {
    pub(super) fn read() -> Result<Self> {
        let path = root().join("platforms/gfx/unexecuted.tsv");
        let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let reasons = lines.map(|line| {
            let mut fields = line.splitn(3, '\t').map(str::to_owned);
            let mut next = || fields.next().with_context(|| format!("not `file, line, reason`: {line}"));
            Ok(Reason { file: next()?, text: next()?, reason: next()? })
        });
        reasons.collect::<Result<_>>().map(Self)
    }

    /// Why a line is not executed.
    pub(super) fn of(&self, file: &str, text: &str) -> Option<&str> {
        let reason = self.0.iter().find(|reason| reason.file == file && reason.text == text);
        reason.map(|reason| &*reason.reason)
    }

    /// Lines that were not executed without a reason, and reasons for lines that were executed. Lines that no code was made of for
    /// these processors are neither.
    pub(super) fn faults(&self, lines: &Lines) -> Vec<String> {
        let unexecuted = lines.unexecuted();
        let mut faults: Vec<String> = unexecuted
            .iter()
            .filter(|(file, _, text)| self.of(file, text).is_none())
            .map(|(file, line, text)| format!("{file}:{line} was not executed: {text}"))
            .collect();
        let texts = |lines: &[(&str, u32, String)]| -> BTreeSet<(String, String)> {
            lines.iter().map(|(file, _, text)| ((*file).to_owned(), text.clone())).collect()
        };
        let (executed, unexecuted) = (texts(&lines.which(true)), texts(&unexecuted));
        let stale = self.0.iter().filter(|reason| {
            let line = (reason.file.clone(), reason.text.clone());
            executed.contains(&line) && !unexecuted.contains(&line)
        });
        faults.extend(stale.map(|reason| {
            format!("unexecuted.tsv lists a line of {} that was executed: {}", reason.file, reason.text)
        }));
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(of: &[(&str, u32, bool)]) -> Lines {
        Lines(of.iter().map(|&(file, line, executed)| ((file.to_owned(), line), executed)).collect())
    }

    #[test]
    fn sources_are_found_by_their_ends() {
        let mut sources = Sources::of(&rocm_kernels::SORT);
        for name in ["/tmp/x/sort.hip", "sort.hip", "reduce/sort.hip"] {
            assert_eq!(sources.path(name), Some("reduce/sort.hip"), "{name}");
        }
        assert_eq!(sources.path("/tmp/x/common/platform.h"), Some("common/platform.h"));
        assert_eq!(sources.path("/tmp/x/hip_prelude.h"), None);
        assert_eq!(sources.path("/tmp/x/quicksort.hip"), None);
    }

    #[test]
    fn each_line_is_executed_or_has_a_reason() {
        let lines = lines(&[("common/platform.h", 1, true), ("common/platform.h", 2, false)]);
        let (_, _, text) = &lines.unexecuted()[0];
        let reason = |text: &str| {
            Reasons(vec![Reason {
                file: "common/platform.h".to_owned(),
                text: text.to_owned(),
                reason: "unreachable".to_owned(),
            }])
        };
        assert_eq!(lines.count(), (2, 1));
        assert!(reason(text).faults(&lines).is_empty());
        assert_eq!(Reasons(Vec::new()).faults(&lines).len(), 1);
        assert_eq!(reason("of no line").faults(&lines).len(), 1);
        let (_, _, executed) = &lines.which(true)[0];
        assert_eq!(reason(executed).faults(&lines).len(), 2);
    }
}
