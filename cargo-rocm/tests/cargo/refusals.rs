//! What cargo rocm does not build, with the reason and the way out.

use std::fs;
use std::process::Command;

use crate::project::{MAIN, Project, Ran, manifest};

fn with(dependencies: &str) -> Project {
    Project::new(&[("Cargo.toml", &manifest("a", dependencies)), ("src/main.rs", MAIN)])
}

#[test]
fn candle_must_be_there_with_its_backend() {
    with("").run("run").refuses("no candle-core among the dependencies of");
    with("[dependencies]\ncandle-core = \"0.11.1\"\n").run("build").refuses(
        "use candle-core without candle-nn. Add candle-nn = \"0.11.1\" to its dependencies and `use candle_nn as _;` to its code, or candle-rocm",
    );
}

#[test]
fn kernels_for_other_cards_are_not_compiled() {
    with("[dependencies]\ncandle-nn = { version = \"0.11.1\", features = [\"metal\"] }\n")
        .run("run")
        .refuses(
            "candle-core is built with the feature `metal`, which is for another kind of GPU: leave it out",
        );
    let own = "[dependencies]\ncandle-nn = \"0.11.1\"\n[features]\nflash-attn = [\"dep:flash\"]\n\
               [dependencies.flash]\npath = \"flash\"\noptional = true\n";
    let project = Project::new(&[
        ("Cargo.toml", &manifest("a", own)),
        ("src/main.rs", MAIN),
        (
            "flash/Cargo.toml",
            &manifest("flash", "[build-dependencies]\nbindgen_cuda = { path = \"../cuda\" }\n"),
        ),
        ("flash/src/lib.rs", ""),
        ("cuda/Cargo.toml", &manifest("bindgen_cuda", "")),
        ("cuda/src/lib.rs", ""),
    ]);
    project.run("run --features flash-attn").refuses("flash compiles CUDA kernels of its own");
}

#[test]
fn forks_are_not_patched() {
    let fork = tempfile::tempdir().unwrap();
    fs::create_dir(fork.path().join("src")).unwrap();
    fs::write(fork.path().join("Cargo.toml"), manifest("candle-core", "").replace("0.1.0", "0.11.1"))
        .unwrap();
    fs::write(fork.path().join("src/lib.rs"), "").unwrap();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
        assert!(git.current_dir(fork.path()).status().unwrap().success());
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "x"]);
    let address = format!("file://{}", fork.path().display());
    with(&format!("[dependencies]\ncandle-core = {{ git = \"{address}\" }}\n"))
        .run("run")
        .refuses(&format!("candle-core 0.11.1 comes from git+{address}, a fork of candle"));
    with(&format!("[dependencies]\ncandle-core = {{ path = {:?} }}\n", fork.path()))
        .run("run")
        .refuses("candle-core 0.11.1 is already a package in a folder: the project patches candle, or contains it. With candle-rocm's patches plain `cargo run` is enough");
    let renamed = Project::new(&[
        (
            "Cargo.toml",
            &manifest("a", "[dependencies]\ncandle-core = { package = \"hanzo-ml\", path = \"fork\" }\n"),
        ),
        ("src/main.rs", MAIN),
        ("fork/Cargo.toml", &manifest("hanzo-ml", "")),
        ("fork/src/lib.rs", ""),
    ]);
    renamed.run("run").refuses("the project uses hanzo-ml 0.1.0, a fork of candle under another name");
}

/// Of lock files alone: cargo is not asked.
#[test]
fn versions_must_have_an_overlay() {
    let package = |name: &str, version: &str, dependencies: &[&str]| {
        let source = match name {
            "a" => "",
            _ => "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n",
        };
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}dependencies = {dependencies:?}\n\n"
        )
    };
    let refused = |packages: &[String]| {
        let lock = format!("version = 4\n\n{}", packages.concat());
        let files = [("Cargo.toml", &*manifest("a", "")), ("src/main.rs", MAIN), ("Cargo.lock", &*lock)];
        Project::without_lock(&files).run("run")
    };
    refused(&[package("a", "0.1.0", &["candle-core"]), package("candle-core", "0.8.4", &[])]).refuses(
        "no overlay for candle-core 0.8.4: there are overlays for 0.9.2, 0.10.2, 0.11.0, 0.11.1. Write candle-core = \"0.11.1\" in Cargo.toml",
    );
    let two = [
        package("a", "0.1.0", &["b", "candle-core 0.11.1"]),
        package("b", "0.2.0", &["candle-core 0.9.2"]),
        package("candle-core", "0.9.2", &[]),
        package("candle-core", "0.11.1", &[]),
    ];
    refused(&two).refuses("\n  0.9.2 of crates.io, for b\n  0.11.1 of crates.io, for a\nUnify them");
}

#[test]
fn an_exact_version_is_not_moved() {
    with("[dependencies]\ncandle-nn = \"=0.10.1\"\ncandle-core = \"=0.10.1\"\n").run("run").refuses(
        "the dependencies do not allow candle-core 0.10.2, for which there is an overlay: they ask for 0.10.1 of crates.io",
    );
}

#[test]
fn only_what_compiles_is_patched() {
    let project = with("");
    project
        .run("publish")
        .refuses("cargo rocm has no subcommand `publish`: it has run, build, check, test, bench,");
    project
        .run("--platform cuda run")
        .refuses("unknown platform `cuda`; choose one of auto, amd, host, gfx, nvidia");
    project.run("run --platform cuda").refuses("unknown platform `cuda`");
    let output = project.command("check").env("CANDLE_ROCM_PLATFORM", "hsot").output().unwrap();
    Ran::of(output).refuses("unknown platform `hsot`");
    for task in ["check --help", "run -h"] {
        let help = project.run(task).succeeds();
        assert!(help.stdout.contains("Usage: cargo"), "{}", help.stdout);
    }
    let help = project.run("--help").succeeds();
    assert!(help.stdout.contains("Usage: cargo rocm"), "{}", help.stdout);
    let version = project.run("--version").succeeds();
    assert!(version.stdout.contains("(candle 0.9.2, 0.10.2, 0.11.0, 0.11.1)"), "{}", version.stdout);
    // Cargo's own words.
    let nowhere = tempfile::tempdir().unwrap();
    let output = project.command("run").current_dir(nowhere.path()).output().unwrap();
    let ran = Ran::of(output);
    assert!(ran.status == Some(101) && ran.stderr.contains("Cargo.toml"), "{}", ran.stderr);
}
