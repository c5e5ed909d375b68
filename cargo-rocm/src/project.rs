//! The user's project: where its workspace is, and which folders belong to it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use toml::{Table, Value};

use crate::arguments::Arguments;
use crate::cargo::Call;
use crate::error::Error;

/// A workspace, and the package in it that cargo is called for.
#[derive(Debug)]
pub(crate) struct Project {
    /// The manifest that the user means: of the current folder's package, unless another was named.
    pub(crate) manifest: PathBuf,
    /// The workspace's root.
    pub(crate) root: PathBuf,
    /// The folder of cargo's builds.
    pub(crate) target: PathBuf,
    /// The folder that contains the root, all members and all packages that are depended on by a path.
    pub(crate) ancestor: PathBuf,
}

impl Project {
    pub(crate) fn locate(arguments: &Arguments) -> Result<Self, Error> {
        let manifest = manifest(arguments)?;
        // Neither resolves dependencies nor writes a lock file.
        let text = Call::new("metadata", &manifest, arguments.quiet)
            .args(["--no-deps", "--format-version=1"])
            .args(arguments.common().iter().filter(|word| *word != "--offline"))
            .output()?;
        let unexpected = |what: String| Error::Unexpected { command: "cargo metadata".to_owned(), what };
        let metadata: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| unexpected(error.to_string()))?;
        let path = |value: &serde_json::Value| {
            value.as_str().map(PathBuf::from).ok_or_else(|| unexpected(format!("no path in {value}")))
        };
        let root = path(&metadata["workspace_root"])?;
        let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let members = packages.iter().map(|package| Ok(folder(&path(&package["manifest_path"])?).to_owned()));
        let members = members.collect::<Result<Vec<PathBuf>, Error>>()?;
        let target = match &arguments.target_dir {
            Some(target) => std::path::absolute(target).map_err(|error| Error::io("find", target, error))?,
            None => path(&metadata["target_directory"])?,
        };
        let target = normal(&target);
        let ancestor = folders(&root, members).iter().fold(root.clone(), |common, next| {
            let same = common.components().zip(next.components()).take_while(|(a, b)| a == b);
            same.map(|(part, _)| part).collect()
        });
        Ok(Self { manifest, root, target, ancestor })
    }
}

/// The manifest that the user means, without symbolic links in its folder: cargo names the workspace's root without them. Not so on Windows,
/// where what is real begins with `\\?\`, and compilers and `include!` do not take all paths that do.
fn manifest(arguments: &Arguments) -> Result<PathBuf, Error> {
    let found = match &arguments.manifest_path {
        Some(path) => path.clone(),
        None => {
            let here = std::env::current_dir().map_err(|error| Error::io("find", Path::new("."), error))?;
            let mut manifests = here.ancestors().map(|folder| folder.join("Cargo.toml"));
            // Cargo says that there is none.
            manifests.find(|file| file.is_file()).unwrap_or_else(|| here.join("Cargo.toml"))
        }
    };
    let absolute = std::path::absolute(&found).map_err(|error| Error::io("find", &found, error))?;
    if cfg!(windows) {
        return Ok(absolute);
    }
    Ok(match folder(&absolute).canonicalize() {
        Ok(folder) => folder.join(absolute.file_name().unwrap_or_default()),
        Err(_) => absolute,
    })
}

/// The folders of the root, the members, and the packages that they depend on by relative paths, directly or not, with the workspaces
/// that those are in.
fn folders(root: &Path, members: Vec<PathBuf>) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut queue = members;
    queue.push(root.to_owned());
    while let Some(folder) = queue.pop() {
        if !found.insert(folder.clone()) {
            continue;
        }
        let Some(manifest) = read(&folder) else { continue };
        named(&Value::Table(manifest), &folder, &mut queue);
        if !folder.starts_with(root) {
            let workspace = folder
                .ancestors()
                .skip(1)
                .find(|above| read(above).is_some_and(|manifest| manifest.contains_key("workspace")));
            queue.extend(workspace.map(Path::to_owned));
        }
    }
    found
}

/// The packages that a manifest names by a relative path, wherever that stands: dependencies of all kinds, patches, workspaces.
fn named(value: &Value, folder: &Path, found: &mut Vec<PathBuf>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                match value {
                    Value::String(path) if key == "path" || key == "workspace" => {
                        let package = normal(&folder.join(path));
                        if Path::new(path).is_relative() && package.join("Cargo.toml").is_file() {
                            found.push(package);
                        }
                    }
                    _ => named(value, folder, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| named(value, folder, found)),
        _ => {}
    }
}

/// Without `..`, by its letters, as cargo does it.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            _ => normal.push(part),
        }
    }
    normal
}

fn read(folder: &Path) -> Option<Table> {
    std::fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_found_by_their_paths() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |path: &str| temporary.path().join(path);
        for (path, manifest) in [
            (
                "root",
                "[lib]\npath = \"src/lib.rs\"\n[target.'cfg(unix)'.dev-dependencies]\na = { path = \"../other/a\" }\n[patch.crates-io]\nb = { path = \"b\" }\n",
            ),
            ("root/b", "[dependencies]\nc = { path = \"../../c\" }\n"),
            ("other", "[workspace]\nmembers = [\"a\"]\n"),
            ("other/a", "[dependencies]\nnone = { path = \"../none\" }\n"),
            ("c", ""),
            ("d", ""),
        ] {
            std::fs::create_dir_all(at(path)).unwrap();
            std::fs::write(at(path).join("Cargo.toml"), manifest).unwrap();
        }
        let expected = ["root", "root/b", "other", "other/a", "c"].map(at);
        assert_eq!(folders(&at("root"), Vec::new()), BTreeSet::from(expected));
    }
}
