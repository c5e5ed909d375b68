//! Applies unified diffs without context. Since the checksum of the stock crate is known, line numbers are exact: a line that is not
//! where the patch expects it is an error.

use std::path::Path;

use crate::{Error, Tree};

/// Lines that a patch puts into a file, after line `first` (or instead of `removed` lines from there on).
pub(crate) struct Hunk<'a> {
    pub(crate) file: &'a str,
    /// The patch and its line, for messages.
    patch: &'a Path,
    number: usize,
    /// The number of lines before it: `-12,0` adds after line 12; `-12,3` replaces lines 12 to 14.
    pub(crate) first: usize,
    pub(crate) removed: usize,
    removes: Vec<&'a str>,
    pub(crate) added: Vec<&'a str>,
}

/// The hunks of the patch `text`, file by file. `file` is the patch's file name, for messages.
pub(crate) fn hunks<'a>(file: &'a Path, text: &'a str) -> Result<Vec<Hunk<'a>>, Error> {
    let mut lines = text.lines().enumerate().peekable();
    let mut hunks = Vec::new();
    while let Some((number, line)) = lines.next() {
        let at = |number: usize, what: &str| {
            Error::new(format!("{}, line {}: {what}", file.display(), number + 1))
        };
        if !line.starts_with("--- ") {
            return Err(at(number, &format!("expected `--- a/...`, found `{line}`")));
        }
        let Some((_, target)) = lines.next().and_then(|(_, line)| line.split_once("+++ b/")) else {
            return Err(at(number + 1, "expected `+++ b/...`"));
        };
        while let Some((number, line)) = lines.next_if(|(_, line)| line.starts_with("@@ ")) {
            let Some((first, removed, added)) = hunk(line) else {
                return Err(at(number, &format!("invalid hunk header: `{line}`")));
            };
            let mut take = |count: usize, sign: char| -> Option<Vec<&'a str>> {
                (0..count).map(|_| lines.next().and_then(|(_, line)| line.strip_prefix(sign))).collect()
            };
            let (Some(removes), Some(added)) = (take(removed, '-'), take(added, '+')) else {
                return Err(at(number, "the hunk is shorter than its header says"));
            };
            let first = if removed == 0 { first } else { first.saturating_sub(1) };
            hunks.push(Hunk { file: target.trim(), patch: file, number, first, removed, removes, added });
        }
    }
    Ok(hunks)
}

/// Applies hunks, which are sorted by file and line, to `tree`. `origin` is the crate that `tree` is from, for messages.
pub(crate) fn apply(hunks: &[Hunk<'_>], tree: &mut Tree, origin: &str) -> Result<(), Error> {
    for hunks in hunks.chunk_by(|a, b| a.file == b.file) {
        let target = Path::new(hunks[0].file);
        let at = |hunk: &Hunk<'_>, what: String| {
            Error::new(format!("{}, line {}: {what} (for {origin})", hunk.patch.display(), hunk.number + 1))
        };
        let Some(stock) = tree.get(target) else {
            return Err(at(&hunks[0], format!("the crate has no file {}", target.display())));
        };
        let stock = String::from_utf8(stock.clone())
            .map_err(|_| at(&hunks[0], format!("{} is not text", target.display())))?;
        let stock: Vec<&str> = stock.split_inclusive('\n').collect();
        let (mut patched, mut done) = (String::new(), 0);
        for hunk in hunks {
            let (start, end) = (hunk.first, hunk.first + hunk.removed);
            let mismatch = |why: &str| {
                at(
                    hunk,
                    format!(
                        "does not apply to {}, line {}: {why}",
                        target.display(),
                        start + usize::from(hunk.removed > 0)
                    ),
                )
            };
            if start < done || end > stock.len() {
                return Err(mismatch("no such line, or the hunks overlap"));
            }
            patched.extend(stock[done..start].iter().copied());
            for (stock, expected) in stock[start..end].iter().zip(&hunk.removes) {
                if *expected != stock.trim_end_matches(['\r', '\n']) {
                    return Err(mismatch(&format!("found `{}`", stock.trim_end())));
                }
            }
            hunk.added.iter().for_each(|line| patched.extend([*line, "\n"]));
            done = end;
        }
        patched.extend(stock[done..].iter().copied());
        tree.insert(target.to_owned(), patched.into_bytes());
    }
    Ok(())
}

/// Parses `@@ -first,removed +first,added @@`, where `,1` may be omitted.
fn hunk(line: &str) -> Option<(usize, usize, usize)> {
    let (old, new) = line.strip_prefix("@@ -")?.split_once(" @@")?.0.split_once(" +")?;
    let range = |range: &str| match range.split_once(',') {
        Some((first, count)) => Some((first.parse().ok()?, count.parse().ok()?)),
        None => Some((range.parse().ok()?, 1)),
    };
    let (first, removed) = range(old)?;
    let (_, added): (usize, usize) = range(new)?;
    Some((first, removed, added))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patched(patch: &str) -> Result<String, String> {
        let mut tree = Tree::from([("src/a.rs".into(), b"one\ntwo\nthree\n".to_vec())]);
        let hunks = hunks(Path::new("seam.patch"), patch).map_err(|error| error.to_string())?;
        match apply(&hunks, &mut tree, "x 1.0.0") {
            Ok(()) => Ok(String::from_utf8(tree.remove(Path::new("src/a.rs")).unwrap()).unwrap()),
            Err(error) => Err(error.to_string()),
        }
    }

    const HEAD: &str = "--- a/src/a.rs\n+++ b/src/a.rs\n";

    #[test]
    fn adds_and_replaces_at_the_given_lines() {
        let patch =
            format!("{HEAD}@@ -0,0 +1 @@\n+zero\n@@ -2 +3,2 @@\n-two\n+2\n+2.5\n@@ -3,0 +6 @@\n+four\n");
        assert_eq!(patched(&patch).unwrap(), "zero\none\n2\n2.5\nthree\nfour\n");
    }

    #[test]
    fn a_mismatched_line_is_an_error_that_names_the_file() {
        let error = patched(&format!("{HEAD}@@ -1 +1 @@\n-two\n+2\n")).unwrap_err();
        assert!(
            error.contains("seam.patch, line 3: does not apply to src/a.rs, line 1: found `one`"),
            "{error}"
        );
    }

    #[test]
    fn malformed_patches_are_errors() {
        for patch in [
            "garbage\n".to_owned(),
            "--- a/src/b.rs\n+++ b/src/b.rs\n@@ -1,0 +2 @@\n+x\n".to_owned(),
            format!("{HEAD}@@ -4,0 +5 @@\n+x\n"),
            format!("{HEAD}@@ -1,0 +2,2 @@\n+x\n"),
            format!("{HEAD}@@ -2,0 +3 @@\n+x\n@@ -1,0 +2 @@\n+x\n"),
            format!("{HEAD}@@ what @@\n"),
        ] {
            patched(&patch).unwrap_err();
        }
    }
}
