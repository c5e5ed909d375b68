//! Applies unified diffs without context. Since the checksum of the stock crate is known, line numbers are exact: a line that is not
//! where the patch expects it is an error.

use std::path::Path;

use crate::{Error, Tree};

/// Applies the patch `text` to `tree`. `file` is the patch's file name and `origin` the crate that `tree` is from, both for messages.
pub(crate) fn apply(file: &Path, text: &str, tree: &mut Tree, origin: &str) -> Result<(), Error> {
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let at = |number: usize, what: String| {
            Error::new(format!("{}, line {}: {what} (for {origin})", file.display(), number + 1))
        };
        let Some(_) = line.strip_prefix("--- ") else {
            return Err(at(number, format!("expected `--- a/...`, found `{line}`")));
        };
        let Some((_, target)) = lines.next().and_then(|(_, line)| line.split_once("+++ b/")) else {
            return Err(at(number + 1, "expected `+++ b/...`".into()));
        };
        let target = Path::new(target.trim());
        let Some(stock) = tree.get(target) else {
            return Err(at(number, format!("the crate has no file {}", target.display())));
        };
        let stock = String::from_utf8(stock.clone())
            .map_err(|_| at(number, format!("{} is not text", target.display())))?;
        let stock: Vec<&str> = stock.split_inclusive('\n').collect();
        let (mut patched, mut done) = (String::new(), 0);
        while let Some((number, line)) = lines.next_if(|(_, line)| line.starts_with("@@ ")) {
            let Some((first, removed, added)) = hunk(line) else {
                return Err(at(number, format!("invalid hunk header: `{line}`")));
            };
            // `-12,0` adds after line 12; `-12,3` replaces lines 12 to 14.
            let start = if removed == 0 { first } else { first.saturating_sub(1) };
            let mismatch = |why: &str| {
                at(number, format!("does not apply to {}, line {first}: {why}", target.display()))
            };
            if start < done || start + removed > stock.len() {
                return Err(mismatch("no such line, or the hunks overlap"));
            }
            patched.extend(stock[done..start].iter().copied());
            for stock in &stock[start..start + removed] {
                let expected = lines.next().and_then(|(_, line)| line.strip_prefix('-'));
                if expected != Some(stock.trim_end_matches(['\r', '\n'])) {
                    return Err(mismatch(&format!("found `{}`", stock.trim_end())));
                }
            }
            for _ in 0..added {
                let Some(line) = lines.next().and_then(|(_, line)| line.strip_prefix('+')) else {
                    return Err(mismatch("the hunk is shorter than its header says"));
                };
                patched.push_str(line);
                patched.push('\n');
            }
            done = start + removed;
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
        match apply(Path::new("seam.patch"), patch, &mut tree, "x 1.0.0") {
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
