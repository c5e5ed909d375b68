//! The whole way, with a crate made up for the test.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::generate_with;

/// A package `demo`, and a cargo home whose cache holds its stock crate.
struct Scene {
    folder: PathBuf,
}

const PATCH: &str = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1,0 +2 @@\n+pub mod added;\n";

impl Scene {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("overlay-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let krate = krate(&[
            ("Cargo.toml", "[package]"),
            ("src/lib.rs", "pub fn stock() {}\n"),
            ("README.md", "demo"),
        ]);
        let scene = Self { folder };
        scene.write("home/registry/cache/a-registry/demo-1.2.3.crate", &krate);
        let sha256: String = Sha256::digest(&krate).iter().map(|byte| format!("{byte:02x}")).collect();
        let lock = format!("name = \"demo\"\nversion = \"1.2.3\"\nsha256 = \"{sha256}\"\n");
        scene.write("demo/stock.lock", lock.as_bytes());
        scene.write("demo/seam.patch", PATCH.as_bytes());
        scene.write("demo/added/src/added.rs", b"pub fn ours() {}\n");
        scene
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    fn write(&self, path: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        std::fs::write(self.path(path), bytes).unwrap();
    }

    fn generate(&self) -> Result<(), String> {
        generate_with(&self.path("home"), &self.path("demo")).map_err(|error| error.to_string())
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
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
    let scene = Scene::new("right");
    scene.generate().unwrap();
    let read = |path: &str| std::fs::read_to_string(scene.path(path)).unwrap();
    assert_eq!(read("demo/gen/src/lib.rs"), "pub fn stock() {}\npub mod added;\n");
    assert_eq!(read("demo/gen/src/added.rs"), "pub fn ours() {}\n");
    assert!(!scene.path("demo/gen/Cargo.toml").exists(), "cargo would take it for another package");

    // Up to date: the crate is not even looked for.
    std::fs::remove_dir_all(scene.path("home")).unwrap();
    scene.generate().unwrap();
}

#[test]
fn a_changed_patch_renews_what_changed_and_removes_what_is_gone() {
    let scene = Scene::new("renewed");
    scene.generate().unwrap();
    let time = |path: &str| std::fs::metadata(scene.path(path)).unwrap().modified().unwrap();
    let readme = time("demo/gen/README.md");
    std::fs::remove_file(scene.path("demo/added/src/added.rs")).unwrap();
    scene.write("demo/seam.patch", PATCH.replace("pub mod added", "pub fn other() {}").as_bytes());
    scene.generate().unwrap();
    let patched = std::fs::read_to_string(scene.path("demo/gen/src/lib.rs")).unwrap();
    assert_eq!(patched, "pub fn stock() {}\npub fn other() {};\n");
    assert!(!scene.path("demo/gen/src/added.rs").exists());
    assert_eq!(time("demo/gen/README.md"), readme, "cargo would compile it again");
}

#[test]
fn a_crate_with_another_checksum_is_refused_by_name() {
    let scene = Scene::new("checksum");
    scene.write("home/registry/cache/a-registry/demo-1.2.3.crate", &krate(&[("src/lib.rs", "other")]));
    let error = scene.generate().unwrap_err();
    assert!(error.contains("demo-1.2.3.crate is not the crate that the patch is for"), "{error}");
    assert!(!scene.path("demo/gen").exists());
}

#[test]
fn a_patch_that_does_not_apply_is_refused_by_name() {
    let scene = Scene::new("patch");
    scene.write("demo/seam.patch", PATCH.replace("-1,0", "-7,0").as_bytes());
    let error = scene.generate().unwrap_err();
    assert!(error.contains("seam.patch, line 3: does not apply to src/lib.rs, line 7"), "{error}");
    assert!(error.contains("(for demo 1.2.3)"), "{error}");
    assert!(!scene.path("demo/gen").exists());
}
