//! The shadow of a project: its tree by links, with a lock file of its own.
//!
//! Patched packages change Cargo.lock. Cargo has no option for another one, so it works on a second tree: real folders from the folder
//! that contains all packages down to the workspace's root, in which every entry but Cargo.lock is a link to the project's. Nothing is
//! ever written into the project, so nothing has to be restored.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::files::{discard, read, write};
use crate::links::Links;
use crate::project::Project;

pub(crate) const LOCK: &str = "Cargo.lock";

pub(crate) struct Shadow {
    /// The folder of all that is built: cargo's `--target-dir`.
    pub(crate) target: PathBuf,
    /// The manifest for cargo.
    pub(crate) manifest: PathBuf,
    /// The lock file that cargo changes.
    lock: PathBuf,
    /// The lock file before it was patched.
    stock: PathBuf,
    /// The project's, if it has one.
    project_lock: PathBuf,
    /// What that was when `stock` was made.
    seen: PathBuf,
    /// Held until cargo takes over.
    _guard: File,
}

impl Shadow {
    /// Brings the shadow up to date.
    pub(crate) fn prepare(project: &Project) -> Result<Self, Error> {
        let target = project.target.join("rocm");
        // The root has its own name, which some programs read.
        let name = project.root.file_name().unwrap_or_default();
        // Several projects may have one folder of builds.
        let own = match project.target.starts_with(&project.root) {
            true => target.clone(),
            false => target.join(format!("{}-{:016x}", name.to_string_lossy(), hash(&project.root))),
        };
        fs::create_dir_all(&own).map_err(|error| Error::io("create", &own, error))?;
        let guard = lock(&own.join(".shadow-lock"))?;
        mark(&project.target)?;
        let base = own.join("shadow");
        let mut links = Links::begin(&own)?;
        let levels: Vec<&OsStr> =
            project.root.strip_prefix(&project.ancestor).unwrap_or(Path::new("")).iter().collect();
        let (mut real, mut shadow) = (project.ancestor.clone(), base.clone());
        if levels.is_empty() {
            make(&shadow, &[name])?;
            clear(&shadow, &[name])?;
            shadow.push(name);
        }
        for child in levels {
            link_entries(&mut links, &real, &shadow, &project.target, &[child])?;
            real.push(child);
            shadow.push(child);
        }
        let but = [OsStr::new(LOCK), OsStr::new("target")];
        link_entries(&mut links, &real, &shadow, &project.target, &but)?;
        links.finish()?;
        let manifest = match project.manifest.strip_prefix(&project.ancestor) {
            Ok(inner) if project.ancestor != project.root => base.join(inner),
            Ok(inner) => base.join(name).join(inner),
            Err(_) => shadow.join("Cargo.toml"),
        };
        let prepared = Self {
            manifest,
            lock: shadow.join(LOCK),
            stock: own.join("stock.lock"),
            project_lock: project.root.join(LOCK),
            seen: own.join("project.lock"),
            target,
            _guard: guard,
        };
        // One that is no lock file would be an error for ever.
        if prepared.current()?.parse::<toml::Table>().is_err() {
            discard(&prepared.lock)?;
            discard(&prepared.seen)?;
        }
        Ok(prepared)
    }

    /// The lock file before patches: the project's, or the one that cargo made last where the project has none. None if there is none
    /// yet. Where the project's has changed, cargo's own begins with it.
    pub(crate) fn stock(&self) -> Result<Option<String>, Error> {
        let project = read(&self.project_lock)?;
        if project == read(&self.seen)? {
            return read(&self.stock);
        }
        self.begin(project.as_deref(), project.as_deref())?;
        Ok(project)
    }

    /// The same, after a call of cargo has brought it up to date.
    pub(crate) fn resolved(&self, resolve: impl FnOnce() -> Result<(), Error>) -> Result<String, Error> {
        let project = read(&self.project_lock)?;
        let before = project.clone().map_or_else(|| read(&self.stock), |text| Ok(Some(text)))?;
        self.begin(project.as_deref(), before.as_deref())?;
        resolve()?;
        let after = self.current()?;
        write(&self.stock, &after)?;
        Ok(after)
    }

    /// Puts the patches into cargo's lock file, unless they are there.
    pub(crate) fn edit(&self, edited: impl FnOnce(&str) -> Option<String>) -> Result<(), Error> {
        match edited(&self.current()?) {
            Some(text) => write(&self.lock, &text),
            None => Ok(()),
        }
    }

    /// Begins with this lock file. Interrupted anywhere, the next run does it again or finds it done.
    fn begin(&self, project: Option<&str>, stock: Option<&str>) -> Result<(), Error> {
        let put = |file: &Path, text: Option<&str>| match text {
            Some(text) => write(file, text),
            None => discard(file),
        };
        put(&self.lock, stock)?;
        put(&self.stock, stock)?;
        put(&self.seen, project)
    }

    /// Cargo's lock file as it is now.
    fn current(&self) -> Result<String, Error> {
        Ok(read(&self.lock)?.unwrap_or_default())
    }
}

/// Tells folders of one name apart.
fn hash(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    hasher.finish()
}

/// Makes every entry of `real` one of `shadow`, by links, but for those names, for what is git's, and for the builds: folders above
/// these are made, too.
fn link_entries(
    links: &mut Links,
    real: &Path,
    shadow: &Path,
    builds: &Path,
    but: &[&OsStr],
) -> Result<(), Error> {
    make(shadow, but)?;
    let mut names = Vec::new();
    for entry in fs::read_dir(real).map_err(|error| Error::io("list", real, error))? {
        let entry = entry.map_err(|error| Error::io("list", real, error))?;
        let (name, path) = (entry.file_name(), entry.path());
        // A build script that asks git shall find the repository by going up, with the tree that belongs to it.
        if but.contains(&&*name) || name == ".git" || builds == path {
            continue;
        }
        let link = shadow.join(&name);
        if builds.starts_with(&path) {
            make(shadow, &[&name])?;
            link_entries(links, &path, &link, builds, &[])?;
            names.push(name);
            continue;
        }
        links.make(&path, &link)?;
        names.push(name);
    }
    let keep: Vec<&OsStr> = names.iter().map(|name| &**name).chain(but.iter().copied()).collect();
    clear(shadow, &keep)
}

/// Removes links that are not to be kept. Files of programs that took this for their folder stay.
fn clear(shadow: &Path, keep: &[&OsStr]) -> Result<(), Error> {
    for entry in fs::read_dir(shadow).map_err(|error| Error::io("list", shadow, error))? {
        let entry = entry.map_err(|error| Error::io("list", shadow, error))?;
        if !keep.contains(&&*entry.file_name()) && entry.path().is_symlink() {
            discard(&entry.path())?;
        }
    }
    Ok(())
}

/// Makes a folder, in which these names are no links.
fn make(shadow: &Path, real: &[&OsStr]) -> Result<(), Error> {
    fs::create_dir_all(shadow).map_err(|error| Error::io("create", shadow, error))?;
    let mut links = real.iter().map(|name| shadow.join(name)).filter(|path| path.is_symlink());
    links.try_for_each(|link| discard(&link))
}

/// Waits for others that prepare the same shadow.
fn lock(path: &Path) -> Result<File, Error> {
    let failed = |error| Error::io("lock", path, error);
    let file = File::options().create(true).truncate(false).write(true).open(path).map_err(failed)?;
    match file.lock() {
        // Some network file systems have none, and cargo does without them there too.
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(file),
        locked => locked.map(|()| file).map_err(failed),
    }
}

/// Tells backups to leave the folder out, as cargo does when it makes it.
fn mark(target: &Path) -> Result<(), Error> {
    let tag = target.join("CACHEDIR.TAG");
    match tag.exists() {
        true => Ok(()),
        false => write(&tag, "Signature: 8a477f597d28d172789f06886806bc55\n# Made by cargo rocm.\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(root: &Path, ancestor: &Path, manifest: &str) -> Project {
        Project {
            manifest: root.join(manifest),
            root: root.to_owned(),
            target: root.join("target"),
            ancestor: ancestor.to_owned(),
        }
    }

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, *file).unwrap();
        }
        folder
    }

    #[test]
    fn a_shadow_has_what_the_project_has() {
        let folder = tree(&[
            "up/note",
            "up/lib/a",
            "up/proj/Cargo.toml",
            "up/proj/m/Cargo.toml",
            "up/proj/Cargo.lock",
            "up/proj/.git/x",
        ]);
        let up = folder.path().join("up");
        let root = up.join("proj");
        let shadow = Shadow::prepare(&project(&root, &up, "m/Cargo.toml")).unwrap();
        let base = root.join("target/rocm/shadow");
        assert_eq!(shadow.manifest, base.join("proj/m/Cargo.toml"));
        for file in ["note", "lib/a", "proj/Cargo.toml", "proj/m/Cargo.toml"] {
            assert_eq!(fs::read_to_string(base.join(file)).unwrap(), format!("up/{file}"));
        }
        for absent in ["proj/Cargo.lock", "proj/.git", "proj/target"] {
            assert!(!base.join(absent).exists(), "{absent}");
        }
        drop(shadow);

        // What is new and what is gone; a file of a program's own stays; links are not followed.
        fs::write(root.join("new"), "").unwrap();
        fs::remove_dir_all(up.join("lib")).unwrap();
        fs::write(base.join("proj/own"), "").unwrap();
        drop(Shadow::prepare(&project(&root, &up, "Cargo.toml")).unwrap());
        assert!(base.join("proj/new").exists() && base.join("proj/own").exists());
        assert!(!base.join("lib").is_symlink());

        // With the builds elsewhere: what is above them is there.
        for (builds, shadow) in [
            ("proj/m/builds", "proj/m/builds/rocm/shadow/proj"),
            ("proj/m/b/c", "proj/m/b/c/rocm/shadow/proj"),
        ] {
            let project = Project { target: up.join(builds), ..project(&root, &root, "m/Cargo.toml") };
            let prepared = Shadow::prepare(&project).unwrap();
            assert_eq!(prepared.manifest, up.join(shadow).join("m/Cargo.toml"));
            assert!(prepared.manifest.exists() && !up.join(shadow).join("m/builds/rocm").exists());
            drop(prepared);
            fs::remove_dir_all(up.join(builds)).unwrap();
        }
        // In a folder that others have, too.
        let shared = folder.path().join("shared");
        let manifests = [&root, &up].map(|root| {
            let project = Project { target: shared.clone(), ..project(root, root, "Cargo.toml") };
            Shadow::prepare(&project).unwrap().manifest
        });
        assert!(manifests[0].parent() != manifests[1].parent() && manifests[0].ends_with("proj/Cargo.toml"));

        // Alone, it needs no folder above it.
        let shadow = Shadow::prepare(&project(&root, &root, "m/Cargo.toml")).unwrap();
        assert_eq!(shadow.manifest, base.join("proj/m/Cargo.toml"));
        assert!(!base.join("note").is_symlink());
        assert!(up.join("note").exists() && root.join("m/Cargo.toml").exists());
    }

    #[test]
    fn the_lock_file_follows_the_projects() {
        let folder = tree(&["Cargo.toml", "Cargo.lock"]);
        let root = folder.path();
        let shadow = Shadow::prepare(&project(root, root, "Cargo.toml")).unwrap();
        assert_eq!(shadow.stock().unwrap().unwrap(), "Cargo.lock");
        // Cargo patches it, and it stays so,
        write(&shadow.lock, "patched").unwrap();
        assert_eq!(shadow.stock().unwrap().unwrap(), "Cargo.lock");
        assert_eq!(shadow.current().unwrap(), "patched");
        // until the project's changes.
        write(&root.join(LOCK), "other").unwrap();
        assert_eq!(shadow.stock().unwrap().unwrap(), "other");
        assert_eq!(shadow.current().unwrap(), "other");
        // What cargo makes of an old one is kept.
        let resolve = || write(&shadow.lock, "newer");
        assert_eq!(shadow.resolved(resolve).unwrap(), "newer");
        assert_eq!(shadow.stock().unwrap().unwrap(), "newer");
        assert_eq!(fs::read_to_string(root.join(LOCK)).unwrap(), "other");
        // What is no lock file does not stay.
        drop(shadow);
        let shadow = Shadow::prepare(&project(root, root, "Cargo.toml")).unwrap();
        assert_eq!(shadow.current().unwrap(), "", "it was \"newer\"");
        assert_eq!(shadow.stock().unwrap().unwrap(), "other");
        // Without one, cargo makes one.
        fs::remove_file(root.join(LOCK)).unwrap();
        assert_eq!(shadow.stock().unwrap(), None);
        assert_eq!(shadow.current().unwrap(), "");
        assert_eq!(shadow.resolved(|| write(&shadow.lock, "made")).unwrap(), "made");
        write(&shadow.lock, "patched").unwrap();
        assert_eq!(shadow.stock().unwrap().unwrap(), "made");
        assert_eq!(shadow.current().unwrap(), "patched");
        assert!(!root.join(LOCK).exists());
    }
}
