//! The choices that were measured on this machine: a file for each card in the user's cache.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use super::text::{Choice, Origin, parse, render};
use crate::hip::Cache;

/// The file of a card. Choices of another driver, or another release of this crate, are neither used nor kept.
pub(super) struct Store {
    cache: Cache,
    pub(super) origin: Origin,
}

impl Store {
    pub(super) fn new(cache: Cache, origin: Origin) -> Self {
        Self { cache, origin }
    }

    /// The file, unless caching is disabled.
    pub(super) fn path(&self) -> Option<std::path::PathBuf> {
        Some(self.cache.folder()?.join(self.file_name()))
    }

    /// The choices that were made with this card, driver and release. A file that cannot be read is reported once.
    pub(super) fn read(&self) -> Vec<Choice> {
        match self.cache.read_file(&self.file_name()) {
            Ok(Some(bytes)) => self.decode(&bytes),
            Ok(None) => Vec::new(),
            Err(error) => {
                warn(&format!("cannot read {}: {error}; using the fixed choices", self.label()));
                Vec::new()
            }
        }
    }

    /// Adds choices to the file, in place of earlier ones for the same classes. A failure is reported once.
    pub(super) fn add(&self, choices: &[Choice]) {
        let merge = |old: Option<Vec<u8>>| {
            let mut all: HashMap<_, _> = old.iter().flat_map(|bytes| self.decode(bytes)).collect();
            all.extend(choices.iter().copied());
            render(&self.origin, &all.into_iter().collect::<Vec<_>>()).into_bytes()
        };
        if let Err(error) = self.cache.update_file(&self.file_name(), merge) {
            warn(&format!("cannot keep choices in {}: {error}", self.label()));
        }
    }

    fn decode(&self, bytes: &[u8]) -> Vec<Choice> {
        let parsed = std::str::from_utf8(bytes).map_err(|error| error.to_string()).and_then(parse);
        match parsed {
            Ok((origin, choices)) if origin == self.origin => choices,
            Ok(_) => Vec::new(),
            Err(why) => {
                warn(&format!("{} is damaged ({why}); using the fixed choices", self.label()));
                Vec::new()
            }
        }
    }

    fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_+.".contains(c) { c } else { '_' };
        let name: String =
            format!("{}-{}", self.origin.card, self.origin.processor).chars().map(plain).collect();
        format!("tuning-{name}.txt")
    }

    fn label(&self) -> String {
        self.path().map_or_else(|| self.file_name(), |path| path.display().to_string())
    }
}

/// One line on stderr per process: what is wrong with one file probably is with the next.
pub(super) fn warn(message: &str) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if !SAID.swap(true, Ordering::Relaxed) {
        // A closed stderr must not cause a failure.
        let _ = writeln!(std::io::stderr(), "candle-rocm: warning: tuning: {message}");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::decision::Decision;
    use super::*;

    fn choice(n: usize, candidate: u8) -> Choice {
        (
            Decision::named("matmul").expect("a decision").class(&[2, 0, 0, 0, 0, 1], &[1, 64, n, 64]),
            candidate,
        )
    }

    fn origin() -> Origin {
        let text = |text: &str| text.to_owned();
        Origin {
            card: text("A card / of 2026"),
            processor: text("gfx90a:sramecc+"),
            runtime: text("HIP 6.4"),
            release: text("0.1.0"),
        }
    }

    #[test]
    fn choices_are_merged() {
        let folder = std::env::temp_dir().join(format!("candle-rocm-tuning-{}", std::process::id()));
        let store = |origin| Store::new(Cache::at(&folder), origin);
        let one = store(origin());
        assert!(one.read().is_empty());
        one.add(&[choice(64, 1), choice(128, 2)]);
        store(origin()).add(&[choice(128, 3), choice(256, 4)]);
        let mut merged = one.read();
        merged.sort_unstable_by_key(|(_, candidate)| *candidate);
        assert!(merged == [choice(64, 1), choice(128, 3), choice(256, 4)]);
        let path = one.path().unwrap();
        assert_eq!(path.file_name().unwrap(), "tuning-A_card___of_2026-gfx90a_sramecc+.txt");

        // Another driver or release: what is there is neither used nor kept.
        for newer in [
            Origin { runtime: "HIP 7.0".to_owned(), ..origin() },
            Origin { release: "0.2.0".to_owned(), ..origin() },
        ] {
            let newer = store(newer);
            assert!(newer.read().is_empty());
            newer.add(&[choice(512, 5)]);
            assert!(newer.read() == [choice(512, 5)] && one.read().is_empty());
        }

        // A damaged file is as good as none.
        let text = fs::read_to_string(&path).unwrap();
        for damaged in [&text.as_bytes()[..text.len() / 2], b"", b"\xff\xfe", b"nonsense\n"] {
            fs::write(&path, damaged).unwrap();
            assert!(one.read().is_empty());
            one.add(&[choice(64, 1)]);
            assert!(one.read() == [choice(64, 1)]);
        }
        fs::remove_dir_all(&folder).unwrap();
        let nowhere = Store::new(Cache::disabled(), origin());
        nowhere.add(&[choice(64, 1)]);
        assert!(nowhere.read().is_empty() && nowhere.path().is_none());
    }
}
