//! `src/lib.rs` is in two parts: the package's own, which cargo needs to see, and the stock crate's, which the former
//! includes. Inner documentation cannot be included, so the stock crate's is left out.

use std::path::Path;

use crate::Tree;

const FILE: &str = "src/lib.rs";

/// Takes the crate's documentation from the top of `src/lib.rs`.
pub(crate) fn make_includable(tree: &mut Tree) {
    if let Some(text) = tree.get_mut(Path::new(FILE)) {
        text.drain(..documentation(text));
    }
}

/// How many bytes of documentation a file begins with.
pub(crate) fn documentation(text: &[u8]) -> usize {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    lines.take_while(|line| line.starts_with(b"//!")).map(<[u8]>::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_documentation_at_the_top_is_left_out() {
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
