//! The tasks of `cargo xtask overlay`, for the packages next to this one.

mod against;
mod difference;
mod record;
mod thin;
mod upstream;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub use against::against;
use lexopt::{
    Arg::{Long, Short},
    ValueExt as _,
};
pub use upstream::{record_upstream, upstream};

use crate::packages::editable;
use crate::{CRATES, Error, Seam, SearchPath, Stock, Tree, registry, sources, tree};

/// What an option does with its value, for a version of candle.
pub type Task = fn(&str, Option<&str>) -> Result<(), Error>;

/// Runs the task whose option the program was started with.
pub fn run(help: &str, tasks: &[(&str, Task)]) -> ExitCode {
    match chosen(help, tasks) {
        Ok(None) => {
            print!("{help}");
            ExitCode::SUCCESS
        }
        Ok(Some((task, value, candle))) => match task(&value, candle.as_deref()) {
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

/// A task, its value, and candle's version.
type Chosen = (Task, String, Option<String>);

/// What to do; `None` if help is asked for.
fn chosen(help: &str, tasks: &[(&str, Task)]) -> Result<Option<Chosen>, Box<dyn std::error::Error>> {
    let mut arguments = lexopt::Parser::from_env();
    let (mut found, mut candle) = (Vec::new(), None);
    while let Some(argument) = arguments.next()? {
        let named = |name: &str| tasks.iter().find(|(known, _)| *known == name).map(|(_, task)| *task);
        let task = match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("candle") if help.contains("--candle") => {
                candle = Some(arguments.value()?.string()?);
                continue;
            }
            Long(name) => named(name),
            _ => None,
        };
        let Some(task) = task else { return Err(argument.unexpected().into()) };
        found.push((task, arguments.value()?.string()?));
    }
    match found.pop().filter(|_| found.is_empty()) {
        Some((task, value)) => Ok(Some((task, value, candle))),
        None => Err(format!("exactly one task is required\n\n{help}").into()),
    }
}

/// Both crates of a version, by default of the one that the patches are for.
fn crates_of(seam: &Seam, candle: Option<&str>) -> Result<Vec<Stock>, Error> {
    let stock = |name| match candle {
        Some(version) => seam.crate_of(name, version),
        None => seam.base(name),
    };
    CRATES.into_iter().map(stock).collect()
}

/// Writes the patched packages into a folder.
///
/// # Errors
///
/// Fails if there is no seam for the version, if the sources cannot be generated, or if a target folder contains something else.
pub fn out(folder: &Path, candle: Option<&str>) -> Result<(), Error> {
    let (folder, seam, search_path) = (absolute(folder)?, Seam::ours(), SearchPath::new()?);
    for stock in crates_of(&seam, candle)? {
        write(&search_path, &seam, &stock, &folder.join(&stock.name))?;
    }
    println!("Add to the Cargo.toml of your workspace:\n\n[patch.crates-io]");
    for name in CRATES {
        println!("{name} = {{ path = {:?} }}", folder.join(name));
    }
    // Beside the workspace that this package is in.
    let backend = here().ancestors().nth(2).map(|root| root.join("candle-rocm"));
    println!("candle-rocm = {{ path = {:?} }}", backend.unwrap_or_default());
    Ok(())
}

/// Writes a complete package. Unchanged files keep their modification times.
fn write(search_path: &SearchPath, seam: &Seam, stock: &Stock, folder: &Path) -> Result<(), Error> {
    let is_empty = std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if !is_empty && !folder.join("Cargo.toml").is_file() {
        return Err(Error::new(format!(
            "{} is neither empty nor a package written by this command",
            folder.display()
        )));
    }
    let tree = editable(&sources(search_path, stock)?, seam, stock)?;
    sync(&tree, folder)?;
    println!("{}: {} files", folder.display(), tree.len());
    Ok(())
}

/// Updates the patches from a folder that [`out`] wrote.
///
/// # Errors
///
/// Fails if the folder was not written by [`out`], or if a change cannot be recorded: an edited manifest or a deleted file.
pub fn record(folder: &Path, candle: Option<&str>) -> Result<(), Error> {
    let (folder, seam, search_path) = (absolute(folder)?, Seam::ours(), SearchPath::new()?);
    for stock in crates_of(&seam, candle)? {
        record::record(&search_path, &seam, &stock, &folder.join(&stock.name), &here().join("seam"))?;
    }
    Ok(())
}

/// Writes the manifests of the repository's packages, which are in `folder`, and their `src/lib.rs`.
///
/// # Errors
///
/// Fails if a crate cannot be found or fetched, or a file cannot be written.
pub fn packages(folder: &Path) -> Result<(), Error> {
    let (seam, search_path) = (Seam::ours(), SearchPath::new()?);
    for stock in seam.stock()? {
        tree::write(
            &thin::package(&search_path, &seam, &stock)?,
            &folder.join(thin::folder(&seam, &stock)?),
        )?;
    }
    Ok(())
}

/// Copies the stock crates into a folder.
///
/// # Errors
///
/// Fails if a crate cannot be found or fetched, or cannot be written.
pub fn crates(folder: &Path, candle: Option<&str>) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
    let (seam, search_path) = (Seam::ours(), SearchPath::new()?);
    for stock in crates_of(&seam, candle)? {
        let file = folder.join(stock.file_name());
        let (_, bytes) = registry::read(&search_path, &stock)?;
        std::fs::write(&file, bytes).map_err(|error| Error::io("write", &file, error))?;
        println!("{}", file.display());
    }
    Ok(())
}

/// This package's folder.
fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
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
    use crate::{Variant, patched};

    /// The seam's files in a folder.
    fn seam_in(folder: &Path) -> Seam {
        let files = tree::read(folder).unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let files: Vec<_> = files
            .iter()
            .map(|(path, bytes)| (path.to_string_lossy().replace('\\', "/"), text(bytes)))
            .collect();
        Seam::of(files.iter().map(|(path, text)| (path.as_str(), text.as_str())))
    }

    /// Copies the seam, and writes a package. Returns both folders.
    fn written(folder: &Path, stock: &Stock) -> (PathBuf, PathBuf) {
        let (seam, package) = (folder.join("seam"), folder.join("out").join(&stock.name));
        tree::write(&tree::read(&here().join("seam")).unwrap(), &seam).unwrap();
        write(&SearchPath::new().unwrap(), &seam_in(&seam), stock, &package).unwrap();
        (seam, package)
    }

    fn record_again(seam: &Path, stock: &Stock, package: &Path) -> Result<(), Error> {
        record::record(&SearchPath::new().unwrap(), &seam_in(seam), stock, package, seam)
    }

    #[test]
    fn recording_unchanged_sources_changes_nothing() {
        for stock in Seam::ours().stock().unwrap() {
            let folder = tempfile::tempdir().unwrap();
            let (seam, package) = written(folder.path(), &stock);
            let before = tree::read(&seam).unwrap();
            record_again(&seam, &stock, &package).unwrap();
            let after = tree::read(&seam).unwrap();
            assert!(after.keys().eq(before.keys()), "{} {}", stock.name, stock.version);
            for (path, bytes) in after {
                assert!(before.get(&path) == Some(&bytes), "{} of {}", path.display(), stock.version);
            }
        }
    }

    #[test]
    fn edits_are_recorded() {
        for candle in ["0.11.1", "0.9.2"] {
            let folder = tempfile::tempdir().unwrap();
            let stock = Seam::ours().crate_of("candle-nn", candle).unwrap();
            let (seam, package) = written(folder.path(), &stock);
            let edit = |file: &str, from: &str, to: &str| {
                let text = read_text(&package.join(file)).unwrap();
                assert!(text.contains(from), "{file}");
                std::fs::write(package.join(file), text.replacen(from, to, 1)).unwrap();
            };
            edit("src/lib.rs", "//! candle-nn ", "//! Our candle-nn ");
            edit("src/lib.rs", "pub mod activation;", "pub mod activation;\npub mod edited;");
            edit("src/loss.rs", "use ", "// Edited.\nuse ");
            std::fs::write(package.join("src/edited.rs"), "// Ours.\n").unwrap();
            std::fs::remove_file(package.join("src/rocm.rs")).unwrap();
            record_again(&seam, &stock, &package).unwrap();

            assert!(
                read_text(&seam.join("candle-nn/lib.rs")).unwrap().starts_with("//! Our candle-nn VERSION")
            );
            assert!(!seam.join("candle-nn/added/src/rocm.rs").exists());
            let tree = patched(
                sources(&SearchPath::new().unwrap(), &stock).unwrap(),
                &seam_in(&seam),
                &stock,
                Variant::Rocm,
            )
            .unwrap();
            let text = |file: &str| String::from_utf8_lossy(&tree[Path::new(file)]).into_owned();
            assert!(text("src/lib.rs").contains("pub mod activation;\npub mod edited;"));
            assert!(text("src/loss.rs").contains("// Edited.\nuse "));
            assert_eq!(text("src/edited.rs"), "// Ours.\n");
        }
    }

    #[test]
    fn unsupported_edits_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let stock = Seam::ours().base("candle-nn").unwrap();
        let (seam, package) = written(folder.path(), &stock);
        let fails_with = |why: &str| {
            let error = record_again(&seam, &stock, &package).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        };
        std::fs::remove_file(package.join("src/loss.rs")).unwrap();
        fails_with("src/loss.rs was deleted");
        std::fs::write(package.join("Cargo.toml"), "").unwrap();
        fails_with("Cargo.toml was edited");
        std::fs::write(package.join("src/lib.rs"), "").unwrap();
        fails_with("the marker in src/lib.rs is missing");
    }

    #[test]
    fn the_repositorys_packages_are_current() {
        let (seam, search_path) = (Seam::ours(), SearchPath::new().unwrap());
        for stock in seam.stock().unwrap() {
            let folder = here().with_file_name(thin::folder(&seam, &stock).unwrap());
            for (path, bytes) in thin::package(&search_path, &seam, &stock).unwrap() {
                let found = std::fs::read(folder.join(&path)).unwrap_or_default();
                let file = folder.join(path);
                assert!(found == bytes, "run `cargo xtask overlay --packages candle`: {}", file.display());
            }
        }
    }
}
