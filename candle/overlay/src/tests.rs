//! The whole way, with a crate made up for the test.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::registry::Places;
use crate::{generate_from, tree};

/// A package `demo`, and a cargo home whose cache holds its stock crate.
struct Scene {
    folder: TempDir,
}

const CRATE: &str = "home/registry/cache/a-registry/demo-1.2.3.crate";
const PATCH: &str = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -2,0 +3 @@\n+pub mod added;\n";

impl Scene {
    fn new() -> Self {
        let krate = krate(&[
            ("Cargo.toml", "[package]"),
            ("src/lib.rs", "//! A demo.\npub fn stock() {}\n"),
            ("README.md", "demo"),
        ]);
        let scene = Self { folder: tempfile::tempdir().unwrap() };
        scene.write(CRATE, &krate);
        let sha256: String = Sha256::digest(&krate).iter().map(|byte| format!("{byte:02x}")).collect();
        let lock = format!("name = \"demo\"\nversion = \"1.2.3\"\nsha256 = \"{sha256}\"\n");
        scene.write("demo/stock.lock", lock.as_bytes());
        scene.write("demo/seam.patch", PATCH.as_bytes());
        scene.write("demo/added/src/added.rs", b"pub fn ours() {}\n");
        scene
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

    fn places(&self) -> Places {
        Places {
            named: None,
            cargo_home: self.path("home"),
            beside: self.path(".candle-rocm"),
            vendored: false,
        }
    }

    fn generate_from(&self, places: &Places) -> Result<(), String> {
        let result = generate_from(places, &self.path("demo"), &self.path("out/patched"));
        result.map_err(|error| error.to_string())
    }

    fn generate(&self) -> Result<(), String> {
        self.generate_from(&self.places())
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
fn makes_the_patched_tree_and_leaves_it_alone_once_it_is_right() {
    let scene = Scene::new();
    let package = tree::read(&scene.path("demo")).unwrap();
    scene.generate().unwrap();
    assert_eq!(scene.read("out/patched/src/lib.rs"), "pub fn stock() {}\npub mod added;\n");
    assert_eq!(scene.read("out/patched/src/added.rs"), "pub fn ours() {}\n");
    assert!(!scene.path("out/patched/Cargo.toml").exists(), "cargo would take it for another package");
    assert_eq!(tree::read(&scene.path("demo")).unwrap(), package, "nothing is written into the package");

    // Up to date: the crate is not even looked for.
    std::fs::remove_file(scene.path(CRATE)).unwrap();
    scene.generate().unwrap();
}

#[test]
fn a_changed_patch_replaces_the_tree() {
    let scene = Scene::new();
    scene.generate().unwrap();
    std::fs::remove_file(scene.path("demo/added/src/added.rs")).unwrap();
    scene.write("demo/seam.patch", PATCH.replace("pub mod added", "pub fn other() {}").as_bytes());
    scene.generate().unwrap();
    assert_eq!(scene.read("out/patched/src/lib.rs"), "pub fn stock() {}\npub fn other() {};\n");
    assert!(!scene.path("out/patched/src/added.rs").exists());
}

/// For the processes that the next test starts.
const FOLDER: &str = "CANDLE_ROCM_OVERLAY_TEST";

/// Over a tree that has become old, and every other time from nothing. Each process reads the whole tree as soon as it is
/// told that it is there.
#[test]
fn six_at_a_time_all_get_the_whole_tree() {
    let scene = Scene::new();
    let test = std::env::current_exe().unwrap();
    for round in 0..20 {
        if round % 2 == 0 {
            std::fs::remove_dir_all(scene.path("out")).ok();
        }
        scene.write("demo/added/src/added.rs", format!("pub fn round_{round}() {{}}\n").as_bytes());
        std::fs::remove_file(scene.path("go")).ok();
        let start = || {
            let mut process = Command::new(&test);
            process.args(["--exact", "tests::one_of_six", "--nocapture"]);
            process.env(FOLDER, scene.folder.path()).stdout(Stdio::null()).spawn().unwrap()
        };
        let six: Vec<_> = (0..6).map(|_| start()).collect();
        scene.write("go", b"");
        for mut process in six {
            assert!(process.wait().unwrap().success(), "in round {round}");
        }
        let left = std::fs::read_dir(scene.path("out")).unwrap();
        let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "the tree and the lock, not {left:?}");
    }
}

/// Only in the processes that the test above has started.
#[test]
fn one_of_six() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    while !folder.join("go").exists() {
        std::thread::yield_now();
    }
    let package = folder.join("demo");
    let places = Places {
        named: None,
        cargo_home: folder.join("home"),
        beside: folder.join(".candle-rocm"),
        vendored: false,
    };
    let out = folder.join("out/patched");
    generate_from(&places, &package, &out).unwrap();
    let tree = tree::read(&out).unwrap();
    assert_eq!(tree.len(), 4);
    assert_eq!(tree[Path::new("src/added.rs")], std::fs::read(package.join("added/src/added.rs")).unwrap());
}

#[test]
fn what_a_killed_build_left_behind_is_no_obstacle() {
    let scene = Scene::new();
    scene.write(&format!("out/patched.{}.new/src/half.rs", std::process::id()), b"pub fn ha");
    scene.write("out/patched/src/old.rs", b"");
    scene.write("out/patched.lock", b"");
    scene.generate().unwrap();
    assert_eq!(tree::read(&scene.path("out/patched")).unwrap().len(), 4);
}

#[test]
fn the_crate_is_found_wherever_it_may_be() {
    for place in ["named/demo-1.2.3.crate", CRATE, ".candle-rocm/demo-1.2.3.crate"] {
        let scene = Scene::new();
        let krate = std::fs::read(scene.path(CRATE)).unwrap();
        std::fs::remove_file(scene.path(CRATE)).unwrap();
        scene.write(place, &krate);
        let places = Places { named: Some(scene.path("named")), ..scene.places() };
        scene.generate_from(&places).unwrap_or_else(|error| panic!("{place}: {error}"));
    }
}

#[test]
fn without_the_crate_the_error_says_where_it_belongs() {
    let scene = Scene::new();
    scene.write("home/config.toml", b"[net]\noffline = true\n");
    std::fs::remove_file(scene.path(CRATE)).unwrap();
    let error = scene.generate().unwrap_err();
    assert!(error.starts_with("demo with a ROCm device is made of demo-1.2.3.crate"), "{error}");
    let command = |folder: &str| {
        format!(
            "(cd / && cargo info -q --registry crates-io candle-core@1.2.3 && cargo info -q --registry crates-io \
             candle-nn@1.2.3) >/dev/null\n  mkdir -p {folder} && cp \
             \"${{CARGO_HOME:-$HOME/.cargo}}\"/registry/cache/*/candle-{{core,nn}}-1.2.3.crate {folder}"
        )
    };
    assert!(error.contains("CANDLE_ROCM_CRATES") && error.ends_with(&command("candle-crates")), "{error}");

    let vendored = Places { vendored: true, ..scene.places() };
    let error = scene.generate_from(&vendored).unwrap_err();
    let folder = scene.path(".candle-rocm");
    assert!(error.ends_with(&command(&folder.display().to_string())), "{error}");
}

#[test]
fn a_crate_with_another_checksum_is_refused_by_name() {
    let scene = Scene::new();
    scene.write(CRATE, &krate(&[("src/lib.rs", "other")]));
    let error = scene.generate().unwrap_err();
    assert!(error.contains("demo-1.2.3.crate is not the crate that the patch is for"), "{error}");
    assert!(!scene.path("out/patched").exists());
}

#[test]
fn a_patch_that_does_not_apply_is_refused_by_name() {
    let scene = Scene::new();
    scene.write("demo/seam.patch", PATCH.replace("-2,0", "-7,0").as_bytes());
    let error = scene.generate().unwrap_err();
    assert!(error.contains("seam.patch, line 3: does not apply to src/lib.rs, line 7"), "{error}");
    assert!(error.contains("(for demo 1.2.3)"), "{error}");
    assert!(!scene.path("out/patched").exists());
}
