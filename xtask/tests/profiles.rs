//! Both workspaces share their target folder: with other options or features, cargo would build a crate twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

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

/// The packages that a build needs, with the features that each is built with: one set or more.
type Packages = BTreeMap<String, BTreeSet<String>>;

fn packages(folder: &str, arguments: &[&str]) -> Packages {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    // The root's tests run before candle/ is built: here cargo may download what that needs.
    let mut tree = Command::new(cargo);
    tree.args(["tree", "--prefix", "none", "--format", "{p}|{f}"]).args(arguments);
    let output = tree.current_dir(folder).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut packages = Packages::new();
    for line in String::from_utf8(output.stdout).expect("names and features").lines() {
        // Other lines say which kind of dependencies follow.
        if let Some((package, features)) = line.trim_end_matches(" (*)").split_once('|') {
            packages.entry(package.to_owned()).or_default().insert(features.to_owned());
        }
    }
    packages
}

/// What both have is built with the same features, but for packages whose names begin so.
fn assert_shared(names: [&str; 2], [these, those]: [&Packages; 2], others: &[&str]) {
    for (package, features) in
        these.iter().filter(|(name, _)| !others.iter().any(|own| name.starts_with(own)))
    {
        if let Some(theirs) = those.get(package) {
            assert!(
                !features.is_disjoint(theirs),
                "{package}: {features:?} for {}, {theirs:?} for {}",
                names[0],
                names[1]
            );
        }
    }
}

#[test]
fn builds_share_their_dependencies() {
    let edges = ["--edges", "normal,build,dev"];
    let root = packages(".", &edges);
    let candle = packages("candle", &[&edges[..], &["--features", "candle-rocm-demo/hf"]].concat());
    let demo = packages("candle", &["--edges", "normal,build", "--package", "candle-rocm-demo"]);
    assert!(demo.len() > 100 && root.len() > 100 && candle.len() > 100);
    // Its feature for the hub is the tests'.
    assert_shared(
        ["the demo", "candle/'s tests"],
        [&demo, &candle],
        &["candle-rocm-demo", "candle-rocm-overlay", "candle-rocm-parallel"],
    );
    // Neither is below what takes long.
    let small = ["candle-", "cc ", "crc32fast ", "hashbrown ", "rocm-hip ", "smallvec "];
    assert_shared(["the root's tests", "candle/'s"], [&root, &candle], &small);
}
