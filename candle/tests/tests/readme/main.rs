//! Builds the README's program in a package outside every workspace, as the README says and under constraints: a read-only checkout, no
//! network access, vendored crates.

mod checkout;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use candle_rocm_tests::{devices, has_sources, skip};
use checkout::{Checkout, checkout};

/// The branch of the checkout's only commit.
const BRANCH: &str = "main";

/// The first code block of the given language.
fn block<'a>(text: &'a str, language: &str) -> &'a str {
    let (_, rest) =
        text.split_once(&format!("```{language}\n")).unwrap_or_else(|| panic!("no {language} block"));
    rest.split("```").next().unwrap_or(rest)
}

/// A package with the README's program. Its folder is kept, so that the next run compiles little.
struct Package {
    folder: PathBuf,
}

impl Package {
    /// With these dependencies and patches.
    fn new(name: &str, checkout: &Checkout, manifest: &str) -> Self {
        let package = Self { folder: Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme").join(name) };
        let head = "[package]\nname = \"readme\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n";
        package.write("Cargo.toml", &format!("{head}{manifest}"));
        package.write("Cargo.lock", &checkout.read("candle/Cargo.lock"));
        package.write("src/main.rs", block(&checkout.read("README.md"), "rust"));
        package
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.folder.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .args(arguments)
            .current_dir(&self.folder)
            // Not the target folder of this build, where libraries with C symbols have the same file name and would be replaced. A
            // separate one for each package, because vendored crates are different packages to cargo.
            .env("CARGO_TARGET_DIR", self.target())
            .env("CARGO_TERM_COLOR", "never")
            // Not needed here, and slow.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
            .env("CANDLE_ROCM_PLATFORM", candle_rocm_tests::platform().name());
        cargo
    }

    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// Removes the candle sources that an earlier run generated.
    fn remove_generated_sources(&self) {
        let folders = fs::read_dir(self.target().join("debug/build")).into_iter().flatten().flatten();
        for folder in folders.filter(|folder| folder.file_name().to_string_lossy().starts_with("candle-")) {
            let _ = fs::remove_dir_all(folder.path());
        }
    }
}

/// Asserts success without warnings and returns stdout.
fn clean(output: &Output) -> String {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(!stderr.contains("warning"), "{stderr}");
    stdout.into_owned()
}

#[test]
fn both_readmes_have_the_same_program() {
    let Some(checkout) = has_sources().then(checkout).flatten() else { return };
    let (root, candle) = (checkout.read("README.md"), checkout.read("candle/README.md"));
    for language in ["toml", "rust"] {
        assert_eq!(block(&root, language), block(&candle, language));
    }
}

/// By path, without network access once the crates are fetched.
#[test]
fn the_program_runs_from_a_read_only_checkout() {
    if !has_sources() || devices().is_empty() {
        return;
    }
    let Some(checkout) = checkout() else { return };
    let chapter = checkout.read("docs/book/src/your-program.md");
    let manifest = block(&chapter, "toml");
    assert_eq!(manifest.matches("../candle-rocm/").count(), 3, "{manifest}");
    let manifest = manifest.replace("../candle-rocm/", &format!("{}/", checkout.folder().display()));
    let package = Package::new("path", checkout, &manifest);
    let before = checkout.listing();
    let output = package.cargo(&["run"]).env("CARGO_NET_OFFLINE", "true").output().unwrap();
    let printed = clean(&output);
    assert!(printed.contains("Tensor[[2, 3], f32, rocm:0]"), "{printed}");
    assert!(checkout.listing() == before, "the build changed the checkout");
}

/// By git, with an empty cargo home.
#[test]
fn a_vendored_program_builds_without_network_access() {
    let Some(checkout) = has_sources().then(checkout).flatten() else { return };
    let ours = format!("git = \"file://{}\"", checkout.folder().display());
    let readme = checkout.read("README.md");
    let tag = concat!("tag = \"v", env!("CARGO_PKG_VERSION"), "\"");
    let branch = format!("branch = {BRANCH:?}");
    assert!(readme.contains(&format!("write `{tag}` instead of `{branch}`")), "{readme}");
    let manifest =
        block(&readme, "toml").replace("git = \"https://github.com/candle-rocm/candle-rocm\"", &ours);
    assert_eq!(manifest.matches(&format!("{ours}, {branch}")).count(), 3, "{manifest}");
    let package = Package::new("vendored", checkout, &manifest);
    let _ = fs::remove_dir_all(package.folder.join(".cargo"));
    let _ = fs::remove_dir_all(package.folder.join("vendor"));
    let configuration = package.cargo(&["vendor"]).output().unwrap();
    if !configuration.status.success() {
        return skip("a vendored program", &String::from_utf8_lossy(&configuration.stderr));
    }
    package.write(".cargo/config.toml", &clean(&configuration));
    package.remove_generated_sources();

    let home = tempfile::tempdir().unwrap();
    let check = || {
        let mut cargo = package.cargo(&["check"]);
        cargo.env("CARGO_HOME", home.path()).env("CARGO_NET_OFFLINE", "true").output().unwrap()
    };
    let output = check();
    let error = String::from_utf8_lossy(&output.stderr);
    let vendor = fs::canonicalize(&package.folder).unwrap().join("vendor/.candle-rocm");
    assert!(error.contains(&format!("mkdir -p {}", vendor.display())), "{error}");
    let fetch = "cargo info -q --registry crates-io candle-core@0.11.1 && ";
    assert!(error.contains(fetch) && checkout.read("candle/README.md").contains(fetch), "{error}");
    candle_rocm_overlay::command::crates(&vendor, None).unwrap();
    clean(&check());
}
