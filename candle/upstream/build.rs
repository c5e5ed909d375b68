//! Generates candle's test files with this crate's `test_device!`, from the patched sources that the build scripts of candle-core and
//! candle-nn generated.

use std::path::{Path, PathBuf};

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=tests");
    println!("cargo::rerun-if-env-changed=DEP_CANDLE_ROCM_SEAM_CANDLE");
    let candle = std::env::var("DEP_CANDLE_ROCM_SEAM_CANDLE").expect("candle-core is patched");
    println!("cargo::rustc-env=CANDLE_VERSION={candle}");
    for (prefix, variable) in
        [("core", "DEP_CANDLE_ROCM_SEAM_SOURCE"), ("nn", "DEP_CANDLE_ROCM_SEAM_NN_SOURCE")]
    {
        println!("cargo::rerun-if-env-changed={variable}");
        let source = std::env::var_os(variable)
            .unwrap_or_else(|| panic!("{variable} is not set: candle-{prefix} is not patched"));
        let tests = Path::new(&source).join("tests");
        println!("cargo::rerun-if-changed={}", tests.display());
        generate(&tests, prefix, &out);
    }
}

fn generate(tests: &Path, prefix: &str, out: &Path) {
    let program = std::fs::read_to_string("tests/candle.rs").expect("tests/candle.rs");
    let entries = std::fs::read_dir(tests).unwrap_or_else(|error| panic!("{}: {error}", tests.display()));
    for entry in entries.flatten() {
        let (file, name) = (entry.path(), entry.file_name().into_string().unwrap_or_default());
        if !name.ends_with(".rs") {
            continue;
        }
        let text =
            std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        if !text.contains("test_device!(") {
            continue;
        }
        // tests/candle.rs, which is in the repository, includes them: cargo looks for test files before this script runs. Inner
        // attributes cannot be included.
        let module = format!("{prefix}_{}", name.trim_end_matches(".rs"));
        let line = format!("file!({module});");
        assert!(program.contains(&line), "tests/candle.rs lacks {line} for {}", file.display());
        let inner = |line: &&str| !line.starts_with("#![") && !line.starts_with("//!");
        let text = text.lines().filter(inner).collect::<Vec<_>>().join("\n");
        let text = text.replace("crate::", &format!("crate::{module}::"));
        let text = text.replace("test_device!(", "candle_rocm_upstream::test_device!(");
        let file = out.join(format!("{module}.rs"));
        std::fs::write(&file, text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}
