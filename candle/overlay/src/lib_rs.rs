//! `src/lib.rs` has two parts: the package's own file, which cargo must find, and the stock crate's, which it includes. Inner doc
//! comments cannot be included, so the stock crate's are removed.

use std::path::Path;

use crate::Tree;

const FILE: &str = "src/lib.rs";

/// Removes the crate documentation at the top of `src/lib.rs`.
pub(crate) fn make_includable(tree: &mut Tree) {
    if let Some(text) = tree.get_mut(Path::new(FILE)) {
        text.drain(..documentation(text));
    }
}

/// The length in bytes of the inner doc comments at the start of a file.
pub(crate) fn documentation(text: &[u8]) -> usize {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines.take_while(|line| line.starts_with(b"//!")).map(<[u8]>::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_documentation_at_the_top_is_removed() {
        for (text, expected) in [
            ("//! A crate.\n//!\n\nmod a;\n//! kept\n", "\nmod a;\n//! kept\n"),
            ("// no documentation\nmod a;\n", "// no documentation\nmod a;\n"),
            ("//! nothing else", ""),
            ("", ""),
        ] {
            let mut tree = Tree::from([(FILE.into(), text.into())]);
            make_includable(&mut tree);
            assert_eq!(tree[Path::new(FILE)], expected.as_bytes(), "{text}");
        }
    }
}
