//! candle from git: of a repository that stands for candle's, in a cargo home of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::{MAIN, Project, manifest};

/// What git says for candle's address is a repository in the folder.
fn pretend(command: &mut Command, folder: &Path) {
    let home = folder.join("home");
    command.env("CARGO_HOME", &home).env("CARGO_NET_GIT_FETCH_WITH_CLI", "true").env("GIT_CONFIG_COUNT", "2");
    for (number, suffix) in ["", ".git"].into_iter().enumerate() {
        let address = format!("url.file://{}/candle.insteadOf", folder.display());
        command.env(format!("GIT_CONFIG_KEY_{number}"), address);
        command.env(
            format!("GIT_CONFIG_VALUE_{number}"),
            format!("https://github.com/huggingface/candle{suffix}"),
        );
    }
}

fn git(repository: &Path, arguments: &[&str]) -> String {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
    let output = git.current_dir(repository).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with candle-core and candle-nn between two releases, and a cargo home with the real one's registry.
fn candle(folder: &Path) -> String {
    let repository = folder.join("candle");
    for (name, lines) in [
        ("candle-core", ""),
        ("candle-nn", "[dependencies]\ncandle-core = { path = \"../candle-core\", version = \"0.11.0\" }\n"),
        (
            "candle-transformers",
            "[dependencies]\ncandle-nn = { path = \"../candle-nn\", version = \"0.11.0\" }\n",
        ),
    ] {
        let package = repository.join(name);
        fs::create_dir_all(package.join("src")).unwrap();
        fs::write(package.join("Cargo.toml"), manifest(name, lines).replacen("0.1.0", "0.11.0", 1)).unwrap();
        fs::write(package.join("src/lib.rs"), "").unwrap();
    }
    fs::write(repository.join("Cargo.toml"), "[workspace]\nmembers = [\"candle-*\"]\n").unwrap();
    git(&repository, &["init", "--quiet", "--initial-branch=main"]);
    git(&repository, &["add", "--all"]);
    git(&repository, &["commit", "--quiet", "--message", "x"]);
    git(&repository, &["tag", "0.11.0"]);

    let home = folder.join("home");
    fs::create_dir(&home).unwrap();
    let real = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let real = real.unwrap_or_else(|| std::env::home_dir().unwrap().join(".cargo"));
    // With the locks of what is shared.
    #[cfg(unix)]
    for name in ["registry", ".package-cache", ".package-cache-mutate"] {
        std::os::unix::fs::symlink(real.join(name), home.join(name)).unwrap();
    }
    let _ = fs::copy(real.join("config.toml"), home.join("config.toml"));
    git(&repository, &["rev-parse", "HEAD"])
}

#[test]
fn candle_of_a_revision_a_tag_and_a_branch_is_patched() {
    let folder = tempfile::tempdir().unwrap();
    let revision = candle(folder.path());
    for (address, place, said) in [
        (
            "https://github.com/huggingface/candle.git",
            format!(", rev = \"{revision}\""),
            format!("candle's git, rev {revision}"),
        ),
        (
            "https://github.com/huggingface/candle",
            ", tag = \"0.11.0\"".to_owned(),
            "candle's git, tag 0.11.0".to_owned(),
        ),
        ("https://github.com/huggingface/candle.git", String::new(), "candle's git".to_owned()),
    ] {
        let line = |name: &str| format!("{name} = {{ git = \"{address}\"{place} }}\n");
        let lines = ["candle-core", "candle-nn", "candle-transformers"].map(line).concat();
        let dependencies = format!("[dev-dependencies]\n{lines}");
        let mut project =
            Project::without_lock(&[("Cargo.toml", &manifest("a", &dependencies)), ("src/main.rs", MAIN)]);
        let mut lock = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        lock.arg("generate-lockfile").current_dir(project.root());
        pretend(&mut lock, folder.path());
        let output = lock.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        project.commit();
        // Branches go on, and what is locked does not.
        git(&folder.path().join("candle"), &["commit", "--quiet", "--allow-empty", "--message", "y"]);
        let locked = fs::read_to_string(project.root().join("Cargo.lock")).unwrap();
        let transformers = |lock: &str| {
            lock.split("[[package]]")
                .find(|p| p.contains("name = \"candle-transformers\""))
                .map(|package| package.trim().to_owned())
        };
        for _ in 0..2 {
            let mut command = project.command("run");
            pretend(&mut command, folder.path());
            let output = command.output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{stderr}");
            let line = format!("Patching candle 0.11.1 in place of 0.11.0 ({said}) for AMD GPUs");
            assert!(stderr.contains(&line), "{stderr}");
            project.assert_unchanged();
        }
        let lock = fs::read_to_string(project.root().join("target/rocm/shadow/project/Cargo.lock")).unwrap();
        assert_eq!(transformers(&lock), transformers(&locked));
        assert_eq!(lock.matches("source = \"git+").count(), 1, "{lock}");
    }
}
