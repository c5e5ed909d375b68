//! Diffs without context, which contain only our lines.

use std::path::Path;

use diffy::{DiffOptions, Line};

/// The diff from `stock` to `ours` for the file at `path`.
pub(super) fn difference(path: &Path, stock: &str, ours: &str) -> String {
    let mut text = format!("--- a/{0}\n+++ b/{0}\n", path.display());
    for hunk in DiffOptions::new().set_context_len(0).create_patch(stock, ours).hunks() {
        let (old, new) = (hunk.old_range(), hunk.new_range());
        text += &format!("@@ -{},{} +{},{} @@\n", old.start(), old.len(), new.start(), new.len());
        for line in hunk.lines() {
            let (sign, line) = match line {
                Line::Context(line) => (' ', line),
                Line::Delete(line) => ('-', line),
                Line::Insert(line) => ('+', line),
            };
            text.push(sign);
            text += line;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tree, patch};

    #[test]
    fn apply_reverses_difference() {
        let path = Path::new("src/a.rs");
        for (stock, ours) in [
            ("one\ntwo\nthree\n", "zero\none\n2\n2.5\nthree\nfour\n"),
            ("one\ntwo\n", "one\n"),
            ("one\n\ntwo\n", "one\n\nnew\n\ntwo\n"),
            ("", "one\n"),
            ("one\n", "one\none\none\n"),
        ] {
            let patch = difference(path, stock, ours);
            let mut tree = Tree::from([(path.to_owned(), stock.into())]);
            let hunks = patch::hunks(Path::new("seam.patch"), &patch).unwrap();
            patch::apply(&hunks, &mut tree, "x 1.0.0").unwrap();
            assert_eq!(String::from_utf8_lossy(&tree[path]), ours, "{patch}");
        }
    }

    #[test]
    fn an_added_function_includes_the_blank_line_after_it() {
        let patch = difference(Path::new("a"), "}\n\nfn b() {\n", "}\n\nfn a() {\n}\n\nfn b() {\n");
        assert_eq!(patch, "--- a/a\n+++ b/a\n@@ -2,0 +3,3 @@\n+fn a() {\n+}\n+\n");
    }
}
