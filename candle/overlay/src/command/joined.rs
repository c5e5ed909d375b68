//! A plain package's `src/lib.rs`: both parts in one file, separated by a marker.

const INCLUDE: &str = "include!(concat!(env!(\"OUT_DIR\"), \"/patched/src/lib.rs\"));\n";
const MARKER: &str =
    "// Below: candle's own code, patched. `cargo xtask overlay --record` needs this line.\n";

/// Replaces the last line, which includes the stock crate's part, with that part.
pub(super) fn join(ours: &str, theirs: &str) -> Option<String> {
    Some(format!("{}{MARKER}{theirs}", ours.strip_suffix(INCLUDE)?))
}

/// The inverse of [`join`].
pub(super) fn split(joined: &str) -> Option<(String, &str)> {
    let (ours, theirs) = joined.split_once(MARKER)?;
    Some((format!("{ours}{INCLUDE}"), theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_reverses_join() {
        let ours = format!("//! Ours.\n\n{INCLUDE}");
        let joined = join(&ours, "\nmod theirs;\n").unwrap();
        assert!(!joined.contains("include!"), "{joined}");
        assert_eq!(split(&joined), Some((ours, "\nmod theirs;\n")));
    }

    #[test]
    fn other_files_are_rejected() {
        assert_eq!(join("mod theirs;\n", ""), None);
        assert_eq!(split("mod theirs;\n"), None);
    }
}
