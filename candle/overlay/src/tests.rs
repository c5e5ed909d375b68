//! End-to-end tests with a made-up crate.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::registry::SearchPath;
use crate::{generate_from, stock, tree};

/// A package `demo`, and a cargo home whose cache contains its stock crate.
struct Fixture {
    folder: TempDir,
}

const CRATE: &str = "home/registry/cache/a-registry/demo-1.2.3.crate";
const PATCH: &str = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -2,0 +3 @@\n+pub mod added;\n";

impl Fixture {
    fn new() -> Self {
        let krate = krate(&[
            ("Cargo.toml", "[package]"),
            ("src/lib.rs", "//! A demo.\npub fn stock() {}\n"),
            ("README.md", "demo"),
        ]);
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        fixture.write(CRATE, &krate);
        let sha256: String = Sha256::digest(&krate).iter().map(|byte| format!("{byte:02x}")).collect();
        let lock = format!("name = \"demo\"\nversion = \"1.2.3\"\nsha256 = \"{sha256}\"\n");
        fixture.write("demo/stock.lock", lock.as_bytes());
        fixture.write("demo/seam.patch", PATCH.as_bytes());
        fixture.write("demo/added/src/added.rs", b"pub fn ours() {}\n");
        fixture
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        std::fs::write(self.path(path), bytes).unwrap();
    }

    fn search_path(&self) -> SearchPath {
        SearchPath {
            named: None,
            cargo_home: self.path("home"),
            beside: self.path(".candle-rocm"),
            vendored: false,
        }
    }

    fn generate_from(&self, search_path: &SearchPath) -> Result<(), String> {
        let result = generate_from(search_path, &self.path("demo"), &self.path("out/patched"));
        result.map_err(|error| error.to_string())
    }

    fn generate(&self) -> Result<(), String> {
        self.generate_from(&self.search_path())
    }
}

fn krate(files: &[(&str, &str)]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, Path::new("demo-1.2.3").join(path), text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

#[test]
fn generates_the_patched_sources_once() {
    let fixture = Fixture::new();
    let package = tree::read(&fixture.path("demo")).unwrap();
    fixture.generate().unwrap();
    assert_eq!(fixture.read("out/patched/src/lib.rs"), "pub fn stock() {}\npub mod added;\n");
    assert_eq!(fixture.read("out/patched/src/added.rs"), "pub fn ours() {}\n");
    assert!(!fixture.path("out/patched/Cargo.toml").exists(), "cargo would see a second package");
    assert_eq!(tree::read(&fixture.path("demo")).unwrap(), package, "nothing is written into the package");

    // Up to date: the crate is not needed any more.
    std::fs::remove_file(fixture.path(CRATE)).unwrap();
    fixture.generate().unwrap();
}

#[test]
fn a_changed_patch_replaces_the_sources() {
    let fixture = Fixture::new();
    fixture.generate().unwrap();
    std::fs::remove_file(fixture.path("demo/added/src/added.rs")).unwrap();
    fixture.write("demo/seam.patch", PATCH.replace("pub mod added", "pub fn other() {}").as_bytes());
    fixture.generate().unwrap();
    assert_eq!(fixture.read("out/patched/src/lib.rs"), "pub fn stock() {}\npub fn other() {};\n");
    assert!(!fixture.path("out/patched/src/added.rs").exists());
}

/// Set for the child processes of the next test.
const FOLDER: &str = "CANDLE_ROCM_OVERLAY_TEST";

/// Starts from outdated sources and, every other time, from nothing. Each process reads all sources as soon as `generate` returns.
#[test]
fn six_concurrent_processes_all_get_complete_sources() {
    let fixture = Fixture::new();
    let test = std::env::current_exe().unwrap();
    for round in 0..20 {
        if round % 2 == 0 {
            std::fs::remove_dir_all(fixture.path("out")).ok();
        }
        fixture.write("demo/added/src/added.rs", format!("pub fn round_{round}() {{}}\n").as_bytes());
        std::fs::remove_file(fixture.path("go")).ok();
        let start = || {
            let mut process = Command::new(&test);
            process.args(["--exact", "tests::concurrent_child", "--nocapture"]);
            process.env(FOLDER, fixture.folder.path()).stdout(Stdio::null()).spawn().unwrap()
        };
        let six: Vec<_> = (0..6).map(|_| start()).collect();
        fixture.write("go", b"");
        for mut process in six {
            assert!(process.wait().unwrap().success(), "in round {round}");
        }
        let left = std::fs::read_dir(fixture.path("out")).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "expected the sources and the lock, found {left:?}");
    }
}

/// Does something only in the child processes of the test above.
#[test]
fn concurrent_child() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    while !folder.join("go").exists() {
        std::thread::yield_now();
    }
    let package = folder.join("demo");
    let search_path = SearchPath {
        named: None,
        cargo_home: folder.join("home"),
        beside: folder.join(".candle-rocm"),
        vendored: false,
    };
    let out = folder.join("out/patched");
    generate_from(&search_path, &package, &out).unwrap();
    let tree = tree::read(&out).unwrap();
    assert_eq!(tree.len(), 4);
    assert_eq!(tree[Path::new("src/added.rs")], std::fs::read(package.join("added/src/added.rs")).unwrap());
}

#[test]
fn leftovers_of_a_killed_build_are_replaced() {
    let fixture = Fixture::new();
    fixture.write(&format!("out/patched.{}.new/src/half.rs", std::process::id()), b"pub fn ha");
    fixture.write("out/patched/src/old.rs", b"");
    fixture.write("out/patched.lock", b"");
    fixture.generate().unwrap();
    assert_eq!(tree::read(&fixture.path("out/patched")).unwrap().len(), 4);
}

#[test]
fn the_crate_is_found_in_every_search_folder() {
    for file in ["named/demo-1.2.3.crate", CRATE, ".candle-rocm/demo-1.2.3.crate"] {
        let fixture = Fixture::new();
        let krate = std::fs::read(fixture.path(CRATE)).unwrap();
        std::fs::remove_file(fixture.path(CRATE)).unwrap();
        fixture.write(file, &krate);
        let search_path = SearchPath { named: Some(fixture.path("named")), ..fixture.search_path() };
        fixture.generate_from(&search_path).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}

#[test]
fn a_missing_crate_error_says_where_to_put_it() {
    let fixture = Fixture::new();
    fixture.write("home/config.toml", b"[net]\noffline = true\n");
    std::fs::remove_file(fixture.path(CRATE)).unwrap();
    let error = fixture.generate().unwrap_err();
    assert!(error.starts_with("demo with a ROCm device is built from demo-1.2.3.crate"), "{error}");
    let command = |folder: &str| {
        format!(
            "(cd / && cargo info -q --registry crates-io candle-core@1.2.3 && cargo info -q --registry crates-io \
             candle-nn@1.2.3) >/dev/null\n  mkdir -p {folder} && cp \
             \"${{CARGO_HOME:-$HOME/.cargo}}\"/registry/cache/*/candle-{{core,nn}}-1.2.3.crate {folder}"
        )
    };
    assert!(error.contains("CANDLE_ROCM_CRATES") && error.ends_with(&command("candle-crates")), "{error}");

    let vendored = SearchPath { vendored: true, ..fixture.search_path() };
    let error = fixture.generate_from(&vendored).unwrap_err();
    let folder = fixture.path(".candle-rocm");
    assert!(error.ends_with(&command(&folder.display().to_string())), "{error}");
}

#[test]
fn a_crate_with_a_wrong_checksum_is_an_error() {
    let fixture = Fixture::new();
    fixture.write(CRATE, &krate(&[("src/lib.rs", "other")]));
    let error = fixture.generate().unwrap_err();
    assert!(error.contains("demo-1.2.3.crate is not the crate that the patch is for"), "{error}");
    assert!(!fixture.path("out/patched").exists());
}

/// There is no candle source in this repository: lines are added to the stock crates, none is repeated or replaced.
#[test]
fn our_patches_only_add_lines() {
    let candle = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for package in ["candle-core", "candle-nn"] {
        let patch = fs::read_to_string(candle.join(package).join("seam.patch")).unwrap();
        let kinds = ["--- ", "+++ ", "@@ ", "+"];
        let other = patch.lines().find(|line| !kinds.iter().any(|kind| line.starts_with(kind)));
        assert_eq!(other, None, "{package}");
    }
}

/// The overlays' manifests have no more dependencies and features than the stock crates', but for these.
#[test]
fn manifests_are_the_stock_ones() {
    let candle = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let more: [(&str, &[(&str, &str, &str)]); 2] = [
        ("candle-core", &[("features", "rocm", "[]")]),
        (
            "candle-nn",
            &[
                ("features", "rocm", "[\"candle/rocm\"]"),
                ("features", "default", "[\"candle-rocm/default\"]"),
                ("dependencies", "candle-rocm", "0.1.0"),
            ],
        ),
    ];
    for (package, more) in more {
        let package = candle.join(package);
        let theirs = &stock(&SearchPath::of(&package).unwrap(), &package).unwrap()[Path::new("Cargo.toml")];
        let mut expected = entries(std::str::from_utf8(theirs).unwrap());
        for (section, name, value) in more {
            expected.insert((section.to_string(), name.to_string()), value.to_string());
        }
        assert_eq!(entries(&fs::read_to_string(package.join("Cargo.toml")).unwrap()), expected);
    }
}

/// Features with what they enable, and dependencies with their versions.
fn entries(manifest: &str) -> BTreeMap<(String, String), String> {
    let (mut entries, mut section) = (BTreeMap::new(), String::new());
    let mut lines = manifest.lines().filter(|line| !line.trim_start().starts_with('#'));
    while let Some(line) = lines.next() {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']').to_owned();
            continue;
        }
        let Some((key, value)) = line.split_once(" = ") else { continue };
        let version = |text: &str| {
            let text = text.split_once("version = ").map_or(text, |(_, rest)| rest);
            text.trim_start_matches('"').split('"').next().unwrap_or_default().to_owned()
        };
        // `[dependencies.name]` in published manifests, a table in ours.
        match section.rsplit_once("dependencies") {
            _ if section == "features" => {
                let mut value = value.to_owned();
                while !value.ends_with(']') {
                    value += lines.next().unwrap();
                }
                let value = value.replace(",]", "]").replace(' ', "").replace(',', ", ");
                entries.insert((section.clone(), key.to_owned()), value);
            }
            Some((kind, "")) if !kind.ends_with("dev-") && !kind.ends_with("build-") => {
                entries.insert(("dependencies".to_owned(), key.to_owned()), version(value));
            }
            Some((kind, name))
                if key == "version" && !kind.ends_with("dev-") && !kind.ends_with("build-") =>
            {
                let name = name.trim_start_matches('.').to_owned();
                entries.insert(("dependencies".to_owned(), name), version(line));
            }
            _ => {}
        }
    }
    entries
}

#[test]
fn a_patch_that_does_not_apply_is_an_error() {
    let fixture = Fixture::new();
    fixture.write("demo/seam.patch", PATCH.replace("-2,0", "-7,0").as_bytes());
    let error = fixture.generate().unwrap_err();
    assert!(error.contains("seam.patch, line 3: does not apply to src/lib.rs, line 7"), "{error}");
    assert!(error.contains("(for demo 1.2.3)"), "{error}");
    assert!(!fixture.path("out/patched").exists());
}
