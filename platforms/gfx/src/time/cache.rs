//! A cache: which lines it holds, and since when.

/// Ways of a set.
const WAYS: usize = 8;

/// The lines of a cache that drops what was used least recently.
#[derive(Clone, Debug)]
pub(super) struct Tags {
    /// Lines and the times at which they arrive; the ones used last come first.
    sets: Vec<Vec<(u64, u64)>>,
}

impl Tags {
    /// Of a cache of so many lines, at least one set.
    pub(super) fn new(lines: u64) -> Self {
        Self { sets: vec![Vec::new(); (lines as usize / WAYS).max(1)] }
    }

    /// When a line that is held arrives, or arrived.
    pub(super) fn find(&mut self, line: u64) -> Option<u64> {
        let set = self.set(line);
        let at = set.iter().position(|(of, _)| *of == line)?;
        set[..=at].rotate_right(1);
        Some(set[0].1)
    }

    /// Takes in a line that is not held.
    pub(super) fn insert(&mut self, line: u64, arrives: u64) {
        let set = self.set(line);
        set.truncate(WAYS - 1);
        set.insert(0, (line, arrives));
    }

    fn set(&mut self, line: u64) -> &mut Vec<(u64, u64)> {
        // Higher bits take part, so that a power of two as a stride does not fill one set.
        let hash = line ^ line >> 7 ^ line >> 15;
        let count = self.sets.len() as u64;
        &mut self.sets[(hash % count) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_used_least_recently_goes() {
        let mut tags = Tags::new(WAYS as u64);
        (0..WAYS as u64).for_each(|line| tags.insert(line, line + 100));
        assert_eq!((tags.find(0), tags.find(9)), (Some(100), None));
        tags.insert(9, 7);
        assert_eq!((tags.find(0), tags.find(1), tags.find(9)), (Some(100), None, Some(7)));
    }
}
