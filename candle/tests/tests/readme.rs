//! The README's program, in a package outside of every workspace, built as the README says.

use std::path::Path;
use std::process::Command;

use candle_rocm_tests::{devices, has_sources};

/// The text between the first line that is ```` ```language ```` and the next ```` ``` ````.
fn block<'a>(text: &'a str, language: &str) -> &'a str {
    let start = format!("```{language}\n");
    let begin = text.find(&start).unwrap_or_else(|| panic!("no {language} block")) + start.len();
    &text[begin..begin + text[begin..].find("```").unwrap()]
}

#[test]
fn the_readmes_program_runs() {
    if !has_sources() || devices().is_empty() {
        return;
    }
    let candle = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let read = |name: &str| std::fs::read_to_string(candle.join(name)).unwrap();
    let readme = read("README.md");
    let front = read("../README.md");
    for language in ["toml", "rust"] {
        assert_eq!(block(&front, language), block(&readme, language), "both READMEs say the same");
    }

    // As in the README, but for where the clone is, and the platform without a card.
    let root = candle.parent().unwrap().display().to_string();
    let manifest = block(&readme, "toml").replace("\"candle-rocm/", &format!("\"{root}/"));
    let backend = format!("candle-rocm = {{ path = \"{root}/candle-rocm\"");
    assert!(manifest.contains(&backend), "{manifest}");
    let manifest = manifest.replace(&backend, &format!("{backend}, features = [\"host\"]"));
    // A dependency that the program had before.
    let manifest = manifest.replace("[dependencies]\n", "[dependencies]\ncandle-core = \"0.11.1\"\n");
    let package = "[package]\nname = \"readme\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n";

    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write("Cargo.toml", &format!("{package}{manifest}"));
    write("Cargo.lock", &read("Cargo.lock"));
    write("src/main.rs", block(&readme, "rust"));

    // Not the folder of this build: libraries with C symbols have the same file name in every build, and would be replaced.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme");
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--quiet"])
        .current_dir(folder.path())
        .env("CARGO_TARGET_DIR", target)
        // What takes time and decides nothing here.
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("CARGO_INCREMENTAL", "0")
        .env("CANDLE_ROCM_PLATFORM", candle_rocm_tests::platform().name())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("Tensor[[2, 3], f32, rocm:0]"), "{stdout}\n{stderr}");
}
