//! Where the lines of a patch belong in another version of its crate.

use std::path::Path;

use crate::Error;

/// A table with a file, a line in it, and the same line in the other version: from there on, all lines are moved by as many. A `-`
/// instead of the latter says that what comes after this one line has no place there.
#[derive(Default)]
pub(crate) struct Lines<'a> {
    entries: Vec<(&'a str, usize, Option<usize>)>,
}

impl<'a> Lines<'a> {
    pub(crate) fn parse(file: &Path, text: &'a str) -> Result<Self, Error> {
        let entry = |line: &'a str| {
            let mut columns = line.split('\t');
            let (file, from, to) = (columns.next()?, columns.next()?.parse().ok()?, columns.next()?);
            Some((file, from, if to == "-" { None } else { Some(to.parse().ok()?) }))
        };
        let mut entries = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let invalid = || {
                Error::new(format!(
                    "{}, line {}: expected a file and two lines: `{line}`",
                    file.display(),
                    number + 1
                ))
            };
            entries.push(entry(line).ok_or_else(invalid)?);
        }
        Ok(Self { entries })
    }

    /// Where what is added after line `first` of a file belongs.
    pub(crate) fn place(&self, file: &str, first: usize) -> Option<usize> {
        let mut place = first;
        for (_, from, to) in self.entries.iter().filter(|(name, from, _)| *name == file && *from <= first) {
            match to {
                Some(to) => place = (to + first).saturating_sub(*from),
                None if *from == first => return None,
                None => {}
            }
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_move_from_an_entry_on() {
        let lines =
            Lines::parse(Path::new("l"), "# a comment\na\t5\t4\na\t9\t-\na\t20\t30\nb\t1\t2\n").unwrap();
        let places: Vec<_> = [0, 4, 5, 8, 9, 10, 19, 20, 21].map(|line| lines.place("a", line)).into();
        let expected = [0, 4, 4, 7, 0, 9, 18, 30, 31].map(Some);
        assert_eq!(places[..4], expected[..4]);
        assert_eq!(places[4], None, "nothing goes there");
        assert_eq!(places[5..], expected[5..]);
        assert_eq!(
            (lines.place("b", 0), lines.place("b", 1), lines.place("c", 7)),
            (Some(0), Some(2), Some(7))
        );
    }

    #[test]
    fn malformed_tables_are_errors() {
        for text in ["a\n", "a\t1\n", "a\tx\t1\n", "a\t1\tx\n"] {
            let error = Lines::parse(Path::new("lines.tsv"), text).err().unwrap().to_string();
            assert!(error.starts_with("lines.tsv, line 1: expected a file and two lines"), "{error}");
        }
    }
}
