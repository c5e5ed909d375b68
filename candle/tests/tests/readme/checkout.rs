//! A read-only copy of this repository.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::SystemTime;

pub struct Checkout(PathBuf);

/// The copy, created once. Reports a skip and returns `None` if git cannot list the files.
pub fn checkout() -> Option<&'static Checkout> {
    static CHECKOUT: OnceLock<Option<Checkout>> = OnceLock::new();
    CHECKOUT.get_or_init(Checkout::make).as_ref()
}

impl Checkout {
    fn make() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let files = git(root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let Some(files) = files.filter(|files| !files.is_empty()) else {
            candle_rocm_tests::skip("a user's checkout", "these sources are not in a git repository");
            return None;
        };
        let checkout = Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join("checkout"));
        checkout.set_read_only(false);
        let _ = fs::remove_dir_all(&checkout.0);
        for file in files.split_terminator('\0').map(Path::new).filter(|file| root.join(file).is_file()) {
            copy(&root.join(file), &checkout.0.join(file));
        }
        checkout.commit();
        checkout.set_read_only(true);
        Some(checkout)
    }

    pub fn folder(&self) -> &Path {
        &self.0
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap()
    }

    /// The modification time and content hash of each file.
    pub fn listing(&self) -> BTreeMap<PathBuf, (SystemTime, u64)> {
        let entry = |path: PathBuf| {
            let mut hasher = DefaultHasher::new();
            fs::read(&path).unwrap_or_default().hash(&mut hasher);
            (path.clone(), (path.metadata().unwrap().modified().unwrap(), hasher.finish()))
        };
        self.paths().into_iter().map(entry).collect()
    }

    /// Commits reproducibly: the same content gives the same commit, so that cargo need not recompile.
    fn commit(&self) {
        for arguments in [
            &["init", "--quiet", "--initial-branch", crate::BRANCH][..],
            &["add", "--all", "--force"],
            &[
                "-c",
                "user.name=test",
                "-c",
                "user.email=test",
                "commit",
                "--quiet",
                "--message=all",
                "--no-gpg-sign",
            ],
        ] {
            git(&self.0, arguments).unwrap_or_else(|| panic!("git {arguments:?}"));
        }
    }

    /// Has no effect for root, hence the comparison of listings.
    fn set_read_only(&self, read_only: bool) {
        for path in self.paths() {
            let mut permissions = path.metadata().unwrap().permissions();
            #[allow(clippy::permissions_set_readonly_false)]
            permissions.set_readonly(read_only);
            fs::set_permissions(path, permissions).unwrap();
        }
    }

    /// All files and folders except git's.
    fn paths(&self) -> Vec<PathBuf> {
        let (mut paths, mut folders) = (Vec::new(), vec![self.0.clone()]);
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path());
            for path in entries.filter(|path| !path.ends_with(".git")) {
                folders.extend(path.is_dir().then(|| path.clone()));
                paths.push(path);
            }
        }
        paths
    }
}

/// Copies a file with its modification time, by which cargo detects changes.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(from, to).unwrap();
    let time = from.metadata().unwrap().modified().unwrap();
    File::options().append(true).open(to).unwrap().set_modified(time).unwrap();
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let date = "2026-01-01T00:00:00Z";
    let mut git = Command::new("git");
    // Regardless of who owns the files.
    git.current_dir(folder)
        .args(["-c", "safe.directory=*"])
        .args(arguments)
        .env("GIT_AUTHOR_DATE", date)
        .env("GIT_COMMITTER_DATE", date);
    let output = git.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}
