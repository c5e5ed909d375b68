//! Projects of all shapes run, and stay as they are.
//!
//! In all but the last, candle is a dependency of tests only: everything is as with candle, but it need not be compiled.

use std::path::Path;

use crate::project::{MAIN, Project, manifest};

const CANDLE: &str = "[dev-dependencies]\ncandle-nn = \"0.11\"\n";
const LINE: &str =
    "    Patching candle 0.11.1 (crates.io) for AMD GPUs; the project's files stay as they are\n";

/// A workspace whose packages look at their surroundings in all ways that cargo and rustc know.
fn workspace() -> Project {
    let program = r#"
        fn main() {
            println!("{} {}", a::NOTE.trim(), outside::NOTE.trim());
            println!("{}", include_str!("../data/here").trim());
            println!("{}", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/here")).trim());
            println!("{}", include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../outside/note")).trim());
            println!("{} {}", env!("BUILT"), env!("CARGO_PKG_VERSION"));
            println!("{:?}", std::env::args().skip(1).collect::<Vec<_>>());
            println!("{}", std::env::current_dir().unwrap().ends_with("project"));
            std::process::exit(std::env::args().count() as i32 - 1);
        }
    "#;
    let build = r#"
        fn main() {
            let text = std::fs::read_to_string("data/here").unwrap();
            println!("cargo::rerun-if-changed=data/here");
            println!("cargo::rustc-env=BUILT={}", text.trim());
        }
    "#;
    let root = "[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nversion = \"0.3.0\"\n[workspace.dependencies]\noutside = { path = \"../outside\" }\n\
                [package]\nname = \"program\"\nversion.workspace = true\nedition = \"2021\"\ndefault-run = \"program\"\n\
                [dependencies]\na = { path = \"crates/a\" }\noutside.workspace = true\n";
    Project::new(&[
        ("Cargo.toml", &format!("{root}{CANDLE}")),
        ("build.rs", build),
        ("data/here", "here"),
        ("src/main.rs", program),
        ("src/bin/other.rs", "fn main() { println!(\"the other\"); }\n"),
        (".cargo/config.toml", "[alias]\nprogram = [\"run\", \"--bin\"]\n"),
        ("crates/a/Cargo.toml", &manifest("a", "[dev-dependencies]\n")),
        ("crates/a/src/lib.rs", "pub const NOTE: &str = include_str!(\"../note\");\n"),
        ("crates/a/note", "a's"),
        ("crates/b/Cargo.toml", &manifest("b", CANDLE)),
        (
            "crates/b/src/main.rs",
            "fn main() { println!(\"{}\", std::env::current_dir().unwrap().ends_with(\"crates/b\")); }\n",
        ),
        ("../outside/Cargo.toml", &manifest("outside", "[workspace]\n")),
        ("../outside/src/lib.rs", "pub const NOTE: &str = include_str!(\"../note\");\n"),
        ("../outside/note", "outside's"),
    ])
}

#[test]
fn a_workspace_runs_as_it_is() {
    let project = workspace();
    let ran = project.run("run -- x --release");
    assert_eq!(
        ran.stdout,
        "a's outside's\nhere\nhere\noutside's\nhere 0.3.0\n[\"x\", \"--release\"]\ntrue\n"
    );
    assert_eq!(ran.status, Some(2), "the program's own");
    assert!(ran.stderr.contains(LINE), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("Patching").count(), 1);
    // Before the build, which takes long.
    let has_card = ["/dev/kfd", "/dev/dxg"].iter().any(|device| Path::new(device).exists());
    assert_eq!(ran.stderr.contains("Warning no AMD card here"), !has_card, "{}", ran.stderr);
    assert_eq!(project.run("run").succeeds().stdout.lines().nth(5), Some("[]"));

    // From elsewhere, and other packages.
    assert_eq!(project.run_in("crates/b/src", "run -q").succeeds().stderr, "");
    assert_eq!(project.run_in("crates/b", "run").succeeds().stdout, "true\n");
    assert_eq!(project.run("run -p b").succeeds().stdout, "false\n");
    let named = project.run_in("..", "run --manifest-path project/Cargo.toml --offline").succeeds();
    assert!(named.stdout.ends_with("[]\nfalse\n"), "{}", named.stdout);
    assert_eq!(
        project.run_in("crates/b", "program other --manifest-path ../../Cargo.toml").succeeds().stdout,
        "the other\n"
    );

    // What the project has now is what is built.
    std::fs::write(project.root().join("../outside/note"), "changed").unwrap();
    assert!(project.run("run --locked").succeeds().stdout.starts_with("a's changed\n"));
    assert!(project.root().join("target/rocm/debug/program").exists());
    project
        .run("check --target-dir ../builds --package a")
        .refuses("the selected packages do not use candle-core, though candle-nn of");
    project.run("check --target-dir ../builds").succeeds();
    assert!(project.root().join("../builds/rocm/debug").exists());
    // Wherever the builds are.
    for (folder, builds) in
        [("crates/b", "../../target"), ("crates", "../target/more"), ("", "target/./other/..")]
    {
        project.run_in(folder, &format!("check --target-dir {builds}")).succeeds();
    }
}

#[test]
fn a_lock_file_is_made_for_cargo_alone() {
    let mut project = Project::without_lock(&[("Cargo.toml", &manifest("a", CANDLE)), ("src/main.rs", MAIN)]);
    let ran = project.run("run").succeeds();
    assert!(ran.stderr.contains(LINE.trim_start()), "{}", ran.stderr);
    assert!(!project.root().join("Cargo.lock").exists());
    project.run("run").succeeds();
    assert_eq!(project.run("run --locked").status, Some(101), "as cargo run --locked without a lock file");

    // A new dependency, of which the lock file knows nothing: cargo takes it in, but not with --locked.
    project.write("b/Cargo.toml", &manifest("b", ""));
    project.write("b/src/lib.rs", "");
    project.write(
        "Cargo.toml",
        &manifest("a", "[dependencies]\nb = { path = \"b\" }\n[dev-dependencies]\ncandle-nn = \"0.11\"\n"),
    );
    project.commit();
    project.run("run").succeeds();
}

#[test]
fn a_lock_file_that_is_older_than_the_manifest_serves() {
    let mut project = Project::new(&[("Cargo.toml", &manifest("a", "")), ("src/main.rs", MAIN)]);
    project.write("Cargo.toml", &manifest("a", CANDLE));
    project.commit();
    for _ in 0..2 {
        project.run("run").succeeds();
    }
    project.run("run --locked").refuses("--locked");
}

#[test]
fn an_older_release_is_moved_to_the_one_with_an_overlay() {
    let mut project = Project::new(&[
        ("Cargo.toml", &manifest("a", &CANDLE.replace("0.11", "0.9"))),
        ("src/main.rs", MAIN),
    ]);
    let lock = std::fs::read_to_string(project.root().join("Cargo.lock")).unwrap();
    let older = |name: &str, lock: String| {
        let package = format!("name = \"{name}\"\nversion = \"0.9.");
        let at = lock.find(&package).unwrap() + package.len();
        let checksum = at + lock[at..].find("checksum").unwrap();
        let end = checksum + lock[checksum..].find('\n').unwrap() + 1;
        format!("{}1{}{}", &lock[..at], &lock[at + 1..checksum], &lock[end..])
    };
    project.write("Cargo.lock", &older("candle-core", older("candle-nn", lock)));
    project.commit();
    for _ in 0..2 {
        let ran = project.run("run").succeeds();
        assert!(ran.stderr.contains("Patching candle 0.9.2 in place of 0.9.1 (crates.io)"), "{}", ran.stderr);
    }
}

#[test]
fn a_platform_is_linked_in() {
    let program = "fn main() { println!(\"{:?}\", std::env::var(\"CANDLE_ROCM_PLATFORM\").ok()); }\n";
    let project = Project::new(&[("Cargo.toml", &manifest("a", CANDLE)), ("src/main.rs", program)]);
    let ran = project.run("run --platform host").succeeds();
    assert_eq!(ran.stdout, "Some(\"host\")\n");
    assert!(ran.stderr.contains("for the host platform on this CPU;"), "{}", ran.stderr);
    let lock = std::fs::read_to_string(project.root().join("target/rocm/shadow/project/Cargo.lock")).unwrap();
    assert!(lock.contains("name = \"candle-rocm-host\""));
    assert_eq!(project.run("run").succeeds().stdout, "None\n");
}

/// The workflow runs it by its name.
#[test]
#[ignore = "compiles candle, which takes minutes"]
fn a_program_for_cuda_computes_on_the_host_platform() {
    let program = r#"
        use candle_core::{Device, Tensor};

        fn main() -> candle_core::Result<()> {
            let device = if cfg!(feature = "cuda") { Device::new_cuda(0)? } else { Device::Cpu };
            let x = Tensor::arange(0f32, 4., &device)?;
            let sum = candle_nn::ops::softmax_last_dim(&x)?.sum_all()?.to_scalar::<f32>()?;
            println!("{x}, {}, {sum:.3}", x.sum_all()?.to_scalar::<f32>()?);
            Ok(())
        }

        #[test]
        fn files_are_there_and_the_device_too() {
            assert!(std::fs::exists("data/here").unwrap());
            assert!(std::fs::exists(concat!(env!("CARGO_MANIFEST_DIR"), "/data/here")).unwrap());
            assert!(Device::new_cuda(0).unwrap().is_cuda());
        }
    "#;
    let dependencies = "[dependencies]\ncandle-core = \"0.11\"\ncandle-nn = \"0.11\"\n\
                        [features]\ncuda = [\"candle-core/cuda\", \"candle-nn/cudnn\"]\n";
    let project = Project::new(&[
        ("Cargo.toml", &manifest("a", dependencies)),
        ("src/main.rs", program),
        ("src/bin/other.rs", "fn main() { println!(\"{}\", candle_core::utils::cuda_is_available()); }\n"),
        ("data/here", ""),
    ]);
    let ran = project.run("--platform host run --features cuda --bin a").succeeds();
    assert!(ran.stderr.contains("on this CPU (what the feature `cuda` means here);"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    assert_eq!(ran.stdout, "[0., 1., 2., 3.]\nTensor[[4], f32, rocm:0], 6, 1.000\n");
    let ran = project.run_in("src", "--platform host test").succeeds();
    assert!(ran.stdout.contains("1 passed"), "{}", ran.stdout);
    // What does not name candle-nn has no backend, and says so.
    let ran = project.run("run --platform host --bin other").succeeds();
    assert_eq!(ran.stdout, "false\n");
    assert!(ran.stderr.contains("candle: warning: no ROCm backend is linked in"), "{}", ran.stderr);
    // Where much of what it needs is compiled already.
    let ran = project.run("doctor --target-dir target/rocm").succeeds();
    assert!(ran.stdout.contains("works: x * 2 + 1"), "{}", ran.stdout);
}
