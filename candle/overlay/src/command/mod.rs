//! The tasks of `cargo xtask overlay`, for the packages next to this one.

mod against;
mod difference;
mod joined;
mod plain;
mod record;
mod upstream;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub use against::against;
use lexopt::{
    Arg::{Long, Short},
    ValueExt as _,
};
pub use upstream::{record_upstream, upstream};

use crate::{Error, Lock, SearchPath, Tree, registry, tree};

/// What an option does with its value.
pub type Task = fn(&str) -> Result<(), Error>;

/// Runs the task whose option the program was started with.
pub fn run(help: &str, tasks: &[(&str, Task)]) -> ExitCode {
    match chosen(help, tasks) {
        Ok(None) => {
            print!("{help}");
            ExitCode::SUCCESS
        }
        Ok(Some((task, value))) => match task(&value) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => failure(&error),
        },
        Err(error) => failure(&*error),
    }
}

fn failure(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

/// The task and its value; `None` if help is asked for.
fn chosen(help: &str, tasks: &[(&str, Task)]) -> Result<Option<(Task, String)>, Box<dyn std::error::Error>> {
    let mut arguments = lexopt::Parser::from_env();
    let mut found = Vec::new();
    while let Some(argument) = arguments.next()? {
        let named = |name: &str| tasks.iter().find(|(known, _)| *known == name).map(|(_, task)| *task);
        let task = match argument {
            Short('h') | Long("help") => return Ok(None),
            Long(name) => named(name),
            _ => None,
        };
        let Some(task) = task else { return Err(argument.unexpected().into()) };
        found.push((task, arguments.value()?.string()?));
    }
    match found.len() {
        1 => Ok(found.pop()),
        _ => Err(format!("exactly one option is required\n\n{help}").into()),
    }
}

const PACKAGES: [&str; 2] = ["candle-core", "candle-nn"];

/// The folders with the patches, and the corresponding folders of patched packages below `folder`.
fn packages(folder: &Path) -> impl Iterator<Item = (PathBuf, PathBuf)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    PACKAGES.iter().map(move |name| (here.with_file_name(name), folder.join(name)))
}

/// Writes the patched packages into a folder.
///
/// # Errors
///
/// Fails if the sources cannot be generated, or if a target folder contains something else.
pub fn out(folder: &Path) -> Result<(), Error> {
    let folder = absolute(folder)?;
    for (package, written) in packages(&folder) {
        plain::write(&SearchPath::of(&package)?, &package, &written)?;
    }
    println!("Add to the Cargo.toml of your workspace:\n\n[patch.crates-io]");
    for name in PACKAGES {
        println!("{name} = {{ path = {:?} }}", folder.join(name));
    }
    // Beside the workspace that this package is in.
    let backend =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).map(|root| root.join("candle-rocm"));
    println!("candle-rocm = {{ path = {:?} }}", backend.unwrap_or_default());
    Ok(())
}

/// Updates the patches from a folder that [`out`] wrote.
///
/// # Errors
///
/// Fails if the folder was not written by [`out`], or if a change cannot be recorded: an edited manifest or a deleted file.
pub fn record(folder: &Path) -> Result<(), Error> {
    for (package, written) in packages(&absolute(folder)?) {
        record::record(&SearchPath::of(&package)?, &package, &written)?;
    }
    Ok(())
}

/// Copies the stock crates into a folder.
///
/// # Errors
///
/// Fails if a crate cannot be found or fetched, or cannot be written.
pub fn crates(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
    for (package, _) in packages(folder) {
        let lock = Lock::read(&package)?;
        let file = folder.join(lock.file_name());
        let (_, bytes) = registry::read(&SearchPath::of(&package)?, &lock)?;
        std::fs::write(&file, bytes).map_err(|error| Error::io("write", &file, error))?;
        println!("{}", file.display());
    }
    Ok(())
}

fn absolute(folder: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(folder).map_err(|error| Error::io("resolve", folder, error))
}

fn read_text(file: &Path) -> Result<String, Error> {
    std::fs::read_to_string(file).map_err(|error| Error::io("read", file, error))
}

/// Makes a folder contain exactly these files. Unchanged files keep their modification times, so that cargo does not recompile them.
fn sync(tree: &Tree, root: &Path) -> Result<(), Error> {
    let found = tree::read(root)?;
    let is_new = |path: &PathBuf, bytes: &Vec<u8>| found.get(path) != Some(bytes);
    let new = tree.iter().filter(|(path, bytes)| is_new(path, bytes));
    tree::write(&new.map(|(path, bytes)| (path.clone(), bytes.clone())).collect(), root)?;
    for path in found.keys().filter(|path| !tree.contains_key(*path)) {
        let file = root.join(path);
        std::fs::remove_file(&file).map_err(|error| Error::io("remove", &file, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patched;

    /// Copies each package and writes its patched sources. Returns both folders.
    fn written(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
        let copies = packages(folder).map(|(package, copy)| {
            let mut tree = tree::read(&package).unwrap();
            tree.retain(|path, _| !path.starts_with("target"));
            tree::write(&tree, &copy).unwrap();
            let written = folder.join("out").join(copy.file_name().unwrap());
            plain::write(&SearchPath::of(&package).unwrap(), &copy, &written).unwrap();
            (copy, written)
        });
        copies.collect()
    }

    #[test]
    fn recording_unchanged_sources_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for (package, written) in written(folder.path()) {
            let before = tree::read(&package).unwrap();
            record::record(&SearchPath::of(&package).unwrap(), &package, &written).unwrap();
            for (path, bytes) in tree::read(&package).unwrap() {
                assert!(before.get(&path) == Some(&bytes), "{} of {}", path.display(), package.display());
            }
        }
    }

    #[test]
    fn edits_are_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let (package, written) = written(folder.path()).swap_remove(1);
        let edit = |file: &str, from: &str, to: &str| {
            let text = read_text(&written.join(file)).unwrap();
            assert!(text.contains(from), "{file}");
            std::fs::write(written.join(file), text.replacen(from, to, 1)).unwrap();
        };
        edit("src/lib.rs", "//! candle-nn 0.11.1", "//! Our candle-nn 0.11.1");
        edit("src/lib.rs", "pub mod activation;", "pub mod activation;\npub mod edited;");
        edit("src/loss.rs", "use ", "// Edited.\nuse ");
        std::fs::write(written.join("src/edited.rs"), "// Ours.\n").unwrap();
        std::fs::remove_file(written.join("src/rocm.rs")).unwrap();
        let search_path = SearchPath::of(&package).unwrap();
        record::record(&search_path, &package, &written).unwrap();

        assert!(read_text(&package.join("src/lib.rs")).unwrap().starts_with("//! Our candle-nn"));
        assert!(!package.join("added/src/rocm.rs").exists());
        let tree = patched(&search_path, &package).unwrap();
        let text = |file: &str| String::from_utf8_lossy(&tree[Path::new(file)]).into_owned();
        assert!(text("src/lib.rs").contains("pub mod activation;\npub mod edited;"));
        assert!(text("src/loss.rs").contains("// Edited.\nuse "));
        assert_eq!(text("src/edited.rs"), "// Ours.\n");
    }

    #[test]
    fn unsupported_edits_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let (package, written) = written(folder.path()).swap_remove(1);
        let search_path = SearchPath::of(&package).unwrap();
        let fails_with = |why: &str| {
            let error = record::record(&search_path, &package, &written).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        };
        std::fs::remove_file(written.join("src/loss.rs")).unwrap();
        fails_with("src/loss.rs was deleted");
        std::fs::write(written.join("Cargo.toml"), "").unwrap();
        fails_with("Cargo.toml was edited");
        std::fs::write(written.join("src/lib.rs"), "").unwrap();
        fails_with("the marker in src/lib.rs is missing");
    }
}
