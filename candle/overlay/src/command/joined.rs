//! A written package's `src/lib.rs`: both parts in one file, with a mark between them.

const INCLUDE: &str = "include!(concat!(env!(\"OUT_DIR\"), \"/patched/src/lib.rs\"));\n";
const MARK: &str =
    "// What follows is candle's own, patched. `cargo xtask overlay --record` needs this line.\n";

/// Puts the stock crate's part in the place of the line that includes it, which is the last one.
pub(super) fn join(ours: &str, theirs: &str) -> Option<String> {
    Some(format!("{}{MARK}{theirs}", ours.strip_suffix(INCLUDE)?))
}

/// The two parts again.
pub(super) fn split(joined: &str) -> Option<(String, &str)> {
    let (ours, theirs) = joined.split_once(MARK)?;
    Some((format!("{ours}{INCLUDE}"), theirs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_as_they_were() {
        let ours = format!("//! Ours.\n\n{INCLUDE}");
        let joined = join(&ours, "\nmod theirs;\n").unwrap();
        assert!(!joined.contains("include!"), "{joined}");
        assert_eq!(split(&joined), Some((ours, "\nmod theirs;\n")));
    }

    #[test]
    fn other_files_are_refused() {
        assert_eq!(join("mod theirs;\n", ""), None);
        assert_eq!(split("mod theirs;\n"), None);
    }
}
