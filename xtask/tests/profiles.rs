//! Both workspaces share their target folder: with other options, cargo would build a crate twice.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The options of a manifest's profiles, each with the name of its section.
fn options(manifest: &str) -> BTreeSet<(String, String)> {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(manifest)).unwrap();
    let mut section = "";
    let mut options = BTreeSet::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            section = line;
        } else if section.starts_with("[profile") {
            options.insert((section.to_owned(), line.to_owned()));
        }
    }
    options
}

#[test]
fn both_workspaces_have_the_same_profiles() {
    let (root, candle) = (options("Cargo.toml"), options("candle/Cargo.toml"));
    assert!(root.len() > 10, "{root:?}");
    let missing: Vec<_> = root.difference(&candle).collect();
    assert!(missing.is_empty(), "candle/Cargo.toml lacks {missing:?}");
    // What the root workspace has itself, its dev profile is for; the others are no dependencies there.
    let own = ["candle-", "rocm-hip", "sha2", "zlib-rs"];
    let more = candle.difference(&root).filter(|(_, line)| !own.iter().any(|name| line.starts_with(name)));
    assert_eq!(more.collect::<Vec<_>>(), Vec::<&(String, String)>::new());
}
