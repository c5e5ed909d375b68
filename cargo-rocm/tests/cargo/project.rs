//! Projects in temporary folders, in git, and calls of cargo rocm in them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

/// Below a temporary folder, so that there is something around the project.
pub(crate) struct Project {
    around: TempDir,
    /// What `git status` said in the beginning, which is nothing.
    lock: Option<String>,
}

pub(crate) const MAIN: &str = "fn main() {}\n";

/// A manifest with these lines below `[package]`.
pub(crate) fn manifest(name: &str, lines: &str) -> String {
    format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n{lines}\n")
}

/// Generated packages are shared by the tests of a program.
fn cache() -> &'static Path {
    static CACHE: OnceLock<TempDir> = OnceLock::new();
    CACHE.get_or_init(|| tempfile::tempdir().unwrap()).path()
}

impl Project {
    /// A project of these files, by their paths from its root, with a lock file; `..` is around it.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let mut project = Self::without_lock(files);
        let output = project.cargo("cargo", &["generate-lockfile"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        project.commit();
        project
    }

    pub(crate) fn without_lock(files: &[(&str, &str)]) -> Self {
        let mut project = Self { around: tempfile::tempdir().unwrap(), lock: None };
        fs::create_dir(project.root()).unwrap();
        project.write(".gitignore", "/target\n");
        files.iter().for_each(|(path, text)| project.write(path, text));
        project.git(&["init", "--quiet"]);
        project.commit();
        project
    }

    /// With links resolved, as cargo names it.
    pub(crate) fn root(&self) -> PathBuf {
        self.around.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "safe.directory=*"]);
        let output = git.args(arguments).current_dir(self.root()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What is there now is what must stay.
    pub(crate) fn commit(&mut self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "x"]);
        self.lock = fs::read_to_string(self.root().join("Cargo.lock")).ok();
    }

    /// Nothing is changed, and nothing is new but the folder of builds.
    pub(crate) fn assert_unchanged(&self) {
        let status = self.git(&["status", "--porcelain", "--ignored"]);
        assert!(["", "!! target/\n"].contains(&&*status), "{status}");
        assert!(fs::read_to_string(self.root().join("Cargo.lock")).ok() == self.lock);
    }

    fn cargo(&self, program: &str, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut cargo = Command::new(match program {
            "cargo" => std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()),
            program => program.into(),
        });
        cargo.args(arguments).current_dir(self.root());
        cargo.env("CANDLE_ROCM_CACHE_DIR", cache()).env("CARGO_TERM_COLOR", "never");
        for variable in ["CARGO_TARGET_DIR", "CANDLE_ROCM_PLATFORM", "RUSTFLAGS"] {
            cargo.env_remove(variable);
        }
        cargo
    }

    /// `cargo rocm` with these words, in the project's root.
    pub(crate) fn command(&self, words: &str) -> Command {
        let words: Vec<&str> = ["rocm"].into_iter().chain(words.split_whitespace()).collect();
        self.cargo(env!("CARGO_BIN_EXE_cargo-rocm"), &words)
    }

    /// The same in a folder, to its end.
    pub(crate) fn run_in(&self, folder: &str, words: &str) -> Ran {
        let output = self.command(words).current_dir(self.root().join(folder)).output().unwrap();
        self.assert_unchanged();
        Ran::of(output)
    }

    pub(crate) fn run(&self, words: &str) -> Ran {
        self.run_in("", words)
    }
}

/// How a call ended.
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.status, Some(0), "{}", self.stderr);
        self
    }

    /// It fails before anything is built, with these words.
    #[track_caller]
    pub(crate) fn refuses(self, words: &str) {
        assert_eq!(self.status, Some(101), "{}", self.stderr);
        assert!(self.stderr.contains(words), "no \"{words}\" in: {}", self.stderr);
        assert!(!self.stderr.contains("Compiling"), "{}", self.stderr);
    }
}
