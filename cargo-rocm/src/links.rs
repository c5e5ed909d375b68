//! The entries of a shadow: symbolic links or, where the user may not make any, hard links of files in folders of their own.
//!
//! Windows allows symbolic links in its developer mode and to administrators only. Hard links need neither, but there are none of folders,
//! so each file has one, and those whose file is gone are removed.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::files::{discard, read, write};

pub(crate) struct Links {
    symbolic: bool,
    /// The file that lists the hard links, one a line.
    list: PathBuf,
    before: BTreeSet<PathBuf>,
    made: BTreeSet<PathBuf>,
}

impl Links {
    /// Begins to make links in a shadow, in whose folder the list is kept.
    pub(crate) fn begin(folder: &Path) -> Result<Self, Error> {
        Self::of_kind(folder, may_be_symbolic(folder))
    }

    fn of_kind(folder: &Path, symbolic: bool) -> Result<Self, Error> {
        let list = folder.join("hard-links");
        let before = read(&list)?.unwrap_or_default().lines().map(PathBuf::from).collect();
        let links = Self { symbolic, list, before, made: BTreeSet::new() };
        if symbolic {
            // Before there are links of folders, behind which are the project's files.
            links.remove_what_is_gone()?;
        }
        Ok(links)
    }

    /// Makes `link` the same as `path`, unless it is.
    pub(crate) fn make(&mut self, path: &Path, link: &Path) -> Result<(), Error> {
        if !self.symbolic {
            return self.make_hard(path, link);
        }
        if fs::read_link(link).ok().as_deref() != Some(path) {
            discard(link)?;
            symbolic(path, link).map_err(|error| failed(link, error))?;
        }
        Ok(())
    }

    /// Removes hard links whose file is gone.
    pub(crate) fn finish(self) -> Result<(), Error> {
        if !self.symbolic {
            self.remove_what_is_gone()?;
        }
        Ok(())
    }

    fn make_hard(&mut self, path: &Path, link: &Path) -> Result<(), Error> {
        // A link that leads nowhere.
        let Ok(of) = fs::metadata(path) else { return Ok(()) };
        if !of.is_dir() {
            let is_same = |there: fs::Metadata| {
                there.is_file() && there.len() == of.len() && there.modified().ok() == of.modified().ok()
            };
            if !fs::symlink_metadata(link).is_ok_and(is_same) {
                discard(link)?;
                fs::hard_link(path, link).map_err(|error| failed(link, error))?;
            }
            self.made.insert(link.to_owned());
            return Ok(());
        }
        if !fs::symlink_metadata(link).is_ok_and(|there| there.is_dir()) {
            discard(link)?;
            fs::create_dir(link).map_err(|error| Error::io("create", link, error))?;
        }
        // What other builds made, as they mark it for backups.
        if path.join("CACHEDIR.TAG").exists() {
            return Ok(());
        }
        for entry in fs::read_dir(path).map_err(|error| Error::io("list", path, error))? {
            let name = entry.map_err(|error| Error::io("list", path, error))?.file_name();
            if name != ".git" {
                self.make_hard(&path.join(&name), &link.join(&name))?;
            }
        }
        Ok(())
    }

    fn remove_what_is_gone(&self) -> Result<(), Error> {
        for link in self.before.difference(&self.made) {
            discard(link)?;
            // With the folders that have nothing else.
            let empty = |folder: &&Path| fs::remove_dir(folder).is_ok();
            link.ancestors().skip(1).take_while(empty).for_each(drop);
        }
        if self.made == self.before {
            return Ok(());
        }
        let lines = self.made.iter().map(|link| format!("{}\n", link.display()));
        write(&self.list, &lines.collect::<String>())
    }
}

fn failed(link: &Path, error: io::Error) -> Error {
    Error::Link { path: link.parent().unwrap_or(link).to_owned(), error }
}

#[cfg(unix)]
fn symbolic(path: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(path, link)
}

#[cfg(windows)]
fn symbolic(path: &Path, link: &Path) -> io::Result<()> {
    match path.is_dir() {
        true => std::os::windows::fs::symlink_dir(path, link),
        false => std::os::windows::fs::symlink_file(path, link),
    }
}

#[cfg(not(any(unix, windows)))]
fn symbolic(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether symbolic links can be made. Where the system always allows them, an error says more than hard links could mend.
fn may_be_symbolic(folder: &Path) -> bool {
    if !cfg!(windows) {
        return true;
    }
    let probe = folder.join("probe");
    let made = symbolic(folder, &probe).is_ok();
    // Wine says that it made one, and did not.
    let may = made && probe.is_symlink();
    // It is made anew next time.
    let _ = discard(&probe);
    may
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(path: &Path) -> Option<String> {
        fs::read_to_string(path).ok()
    }

    /// As on Windows without developer mode, on every system.
    #[test]
    fn hard_links_follow_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let [project, own] = ["project", "own"].map(|name| folder.path().join(name));
        for file in ["a b/ü.rs", "a b/c/d", "e", "built/x", "built/CACHEDIR.TAG", "a b/.git/x"] {
            let path = project.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        let shadow = own.join("shadow");
        fs::create_dir_all(&shadow).unwrap();
        let make = |symbolic| {
            let mut links = Links::of_kind(&own, symbolic).unwrap();
            for name in ["a b", "e", "built"] {
                if project.join(name).exists() {
                    links.make(&project.join(name), &shadow.join(name)).unwrap();
                }
            }
            links.finish().unwrap();
        };
        make(false);
        for (file, is_there) in
            [("a b/ü.rs", true), ("a b/c/d", true), ("e", true), ("built/x", false), ("a b/.git", false)]
        {
            assert_eq!(text(&shadow.join(file)).as_deref(), is_there.then_some(file), "{file}");
        }
        // Written in place, replaced as editors do, and gone; what a program made there stays.
        fs::write(project.join("e"), "written").unwrap();
        assert_eq!(text(&shadow.join("e")).unwrap(), "written");
        fs::write(project.join("new"), "replaced").unwrap();
        fs::rename(project.join("new"), project.join("a b/ü.rs")).unwrap();
        fs::remove_dir_all(project.join("a b/c")).unwrap();
        fs::write(shadow.join("a b/own"), "").unwrap();
        make(false);
        assert_eq!(text(&shadow.join("a b/ü.rs")).unwrap(), "replaced");
        assert!(!shadow.join("a b/c").exists() && shadow.join("a b/own").exists());
        fs::remove_file(project.join("e")).unwrap();
        make(false);
        assert!(!shadow.join("e").exists());
        // Files of the project outlive the links of either kind.
        fs::write(project.join("e"), "again").unwrap();
        make(false);
        if may_be_symbolic(&own) {
            make(true);
            assert!(shadow.join("a b").is_symlink());
            fs::remove_file(project.join("e")).unwrap();
            make(false);
            assert!(!shadow.join("a b").is_symlink());
        }
        assert_eq!(text(&project.join("a b/ü.rs")).unwrap(), "replaced");
        assert_eq!(text(&shadow.join("a b/ü.rs")).unwrap(), "replaced");
    }
}
