//! `cargo rocm card`: the tests and benchmarks of the repository, in a clone of the version that is installed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::error::Error;
use crate::{cargo, overlay, run, say};

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Runs `cargo xtask card` in a clone. The report is for the current folder, unless `words` name another.
pub(crate) fn run(platform: Option<&str>, words: &[OsString]) -> Result<ExitCode, Error> {
    let clone = match overlay::clone() {
        Some(clone) => clone,
        None => {
            let folder = overlay::cache()?.join("clone").join(env!("CARGO_PKG_VERSION"));
            clone(REPOSITORY, &format!("v{}", env!("CARGO_PKG_VERSION")), &folder)?
        }
    };
    say::line(None, "Running", &format!("`cargo xtask card` in {}", clone.display()));
    let mut cargo = cargo::command();
    cargo.args(["run", "--quiet", "--package", "xtask", "--manifest-path"]).arg(clone.join("Cargo.toml"));
    cargo.args(["--", "card"]);
    if let Some(platform) = platform {
        cargo.args(["--platform", platform]);
    }
    // The clone's own folder of builds, wherever the project's is.
    cargo.env("CARGO_TARGET_DIR", clone.join("target")).args(words);
    run::replace(cargo)
}

/// Clones a tag into a folder, once.
fn clone(repository: &str, tag: &str, folder: &Path) -> Result<PathBuf, Error> {
    if !folder.join("Cargo.toml").is_file() {
        say::line(None, "Cloning", &format!("{repository}, {tag}, into {}", folder.display()));
        let mut git = Command::new("git");
        git.args([
            "-c",
            "advice.detachedHead=false",
            "clone",
            "--quiet",
            "--depth=1",
            "--branch",
            tag,
            repository,
        ])
        .arg(folder);
        let status = git.status().map_err(|error| Error::io("run", Path::new("git"), error))?;
        if !status.success() {
            return Err(Error::Clone { repository: repository.to_owned(), tag: tag.to_owned() });
        }
    }
    Ok(folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_cloned_once() {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("repository");
        std::fs::create_dir(&repository).unwrap();
        std::fs::write(repository.join("Cargo.toml"), "").unwrap();
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments);
            assert!(git.current_dir(&repository).status().unwrap().success());
        };
        git(&["init", "--quiet"]);
        git(&["add", "--all"]);
        git(&["commit", "--quiet", "--message", "x"]);
        git(&["tag", "v1"]);
        let (address, copy) = (format!("file://{}", repository.display()), folder.path().join("deep/copy"));
        let error = clone(&address, "v2", &copy).unwrap_err().to_string();
        assert!(error.contains("git could not clone v2 of it"), "{error}");
        assert_eq!(clone(&address, "v1", &copy).unwrap(), copy);
        std::fs::remove_dir_all(&repository).unwrap();
        assert_eq!(clone(&address, "v1", &copy).unwrap(), copy, "it is there");
    }
}
