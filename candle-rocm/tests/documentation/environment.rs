//! Environment variables: all are read by one parser, and ENVIRONMENT.md and the platforms' pages list them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the libraries' sources are.
const SOURCES: [&str; 10] = [
    "rocm-sys/src",
    "rocm-hip/src",
    "rocm-rccl/src",
    "rocm-kernels/src",
    "candle-rocm/src",
    "candle/overlay/seam/candle-core/added",
    "candle/overlay/seam/candle-nn/added",
    "candle/parallel/src",
    "candle/demo/src",
    "platforms",
];

/// Files that read other projects' variables as these do, or lists of paths.
const OTHERS: [&str; 6] = [
    "rocm-sys/src/variable.rs",
    // ROCM_PATH, PATH, VIRTUAL_ENV; a build script includes it.
    "rocm-sys/src/roots.rs",
    "rocm-sys/src/loader.rs",
    "candle/overlay/seam/candle-core/added/src/rocm/gradient.rs",
    "platforms/host/src/hiprtc/compiler.rs",
    "platforms/nvidia/src/library.rs",
];

const PAGES: [&str; 4] =
    ["candle-rocm/ENVIRONMENT.md", "platforms/host/README.md", "platforms/gfx/README.md", "candle/README.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Rust files of the libraries, but for tests and benchmark programs, with their paths from the root.
fn sources() -> Vec<(String, String)> {
    let (root, mut sources) = (root(), Vec::new());
    let mut folders: Vec<PathBuf> = SOURCES.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
            // Unit tests have files of their own, too.
            let is_test = ["/tests", "/examples", "/benches", "/bin", "/tests.rs"]
                .iter()
                .any(|end| name.ends_with(end));
            if is_test {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") && !name.ends_with("build.rs") {
                sources.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert!(sources.len() > 200, "{}", sources.len());
    sources
}

/// The names of our variables in a text, but for those of tests.
fn names(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let words = text.split(|c: char| !is_part(c));
    words.filter(|word| word.starts_with("CANDLE_ROCM_") && !word.starts_with("CANDLE_ROCM_TEST_")).collect()
}

#[test]
fn one_parser_reads_them() {
    for (name, text) in sources() {
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let reads = ["env::var(", "env::var_os", "env::vars"].iter().any(|call| code.contains(call));
        assert!(!reads || OTHERS.contains(&&*name), "{name} reads the environment; use `rocm_sys::variable`");
    }
}

#[test]
fn the_pages_list_them() {
    let pages: String = PAGES.map(|page| fs::read_to_string(root().join(page)).expect(page)).concat();
    let listed = names(&pages);
    let sources = sources();
    let quoted: BTreeSet<&str> = sources
        .iter()
        .flat_map(|(_, text)| text.split('"').skip(1))
        .filter(|literal| names(literal).len() == 1 && names(literal).contains(literal))
        .collect();
    assert!(quoted.len() > 20, "{quoted:?}");
    let missing: Vec<_> = quoted.difference(&listed).collect();
    assert!(missing.is_empty(), "none of {PAGES:?} lists {missing:?}");
    let read = |name: &str| quoted.contains(name) || name == "CANDLE_ROCM_CRATES";
    let gone: Vec<_> = listed.iter().filter(|name| !read(name)).collect();
    assert!(gone.is_empty(), "{PAGES:?} list {gone:?}, which nobody reads");
}

/// rocm-hip is used without candle too, so its first page has its own part of the table.
#[test]
fn the_table_of_rocm_hip_is_a_part() {
    let page = fs::read_to_string(root().join("candle-rocm/ENVIRONMENT.md")).unwrap();
    let first = fs::read_to_string(root().join("rocm-hip/src/lib.rs")).unwrap();
    let read: String = sources()
        .into_iter()
        .filter(|(name, _)| name.starts_with("rocm-hip/src") && name != "rocm-hip/src/lib.rs")
        .map(|(_, text)| text)
        .collect();
    let in_table: String = first.lines().filter(|line| line.starts_with("//! | `")).collect();
    let listed = names(&in_table);
    assert!(listed.is_subset(&names(&page)) && listed.is_subset(&names(&read)), "{listed:?}");
    let own = read.split('"').filter(|literal| names(literal).contains(literal)).collect::<BTreeSet<_>>();
    assert_eq!(own.difference(&listed).collect::<Vec<_>>(), Vec::<&&str>::new());
}
