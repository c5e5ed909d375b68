//! The aliases of cargo's configuration: only what an alias stands for says whether it builds something, and where its options end.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// More than this many aliases of aliases is a circle.
const DEPTH: usize = 16;

/// Replaces an alias at the beginning by its words, as cargo does. What is no alias stays.
pub(crate) fn expand(mut words: Vec<OsString>, known: impl Fn(&str) -> bool, folder: &Path) -> Vec<OsString> {
    for _ in 0..DEPTH {
        let name = match words.first().and_then(|word| word.to_str()) {
            Some(name) if !known(name) => name,
            _ => break,
        };
        let Some(alias) = find(name, folder) else { break };
        words.splice(..1, alias.into_iter().map(OsString::from));
    }
    words
}

/// The words of an alias, from the environment or from the configuration that is nearest to the folder.
fn find(name: &str, folder: &Path) -> Option<Vec<String>> {
    let variable = format!("CARGO_ALIAS_{}", name.to_uppercase().replace('-', "_"));
    if let Ok(alias) = std::env::var(variable) {
        return Some(split(&alias));
    }
    files(folder).into_iter().find_map(|file| {
        let configuration: Table = std::fs::read_to_string(file).ok()?.parse().ok()?;
        match configuration.get("alias")?.get(name)? {
            Value::String(alias) => Some(split(alias)),
            Value::Array(words) => words.iter().map(|word| word.as_str().map(str::to_owned)).collect(),
            _ => None,
        }
    })
}

fn split(alias: &str) -> Vec<String> {
    alias.split_whitespace().map(str::to_owned).collect()
}

/// Where configuration may be, the nearest first.
fn files(folder: &Path) -> Vec<PathBuf> {
    let of_cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let of_cargo = of_cargo.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let folders = folder.ancestors().map(|folder| folder.join(".cargo")).chain(of_cargo);
    folders.flat_map(|folder| [folder.join("config"), folder.join("config.toml")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_stand_for_their_words() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(folder.path().join(".cargo")).unwrap();
        std::fs::create_dir_all(inner.join(".cargo")).unwrap();
        let write = |folder: &Path, text: &str| {
            std::fs::write(folder.join(".cargo/config.toml"), text).unwrap();
        };
        write(
            folder.path(),
            "[alias]\nfast = [\"run\", \"--release\"]\nnear = \"build\"\nround = \"round\"\n",
        );
        write(&inner, "[alias]\nnear = \"fast --bin x --\"\nrun = \"build\"\n");
        let expand = |words: &[&str]| {
            let words = words.iter().map(OsString::from).collect();
            expand(words, |name| name == "run", &inner)
        };
        assert_eq!(expand(&["near", "y"]), ["run", "--release", "--bin", "x", "--", "y"]);
        assert_eq!(expand(&["run", "y"]), ["run", "y"], "cargo's own names come first");
        assert_eq!(expand(&["none"]), ["none"]);
        assert_eq!(expand(&["round"]), ["round"], "a circle ends");
    }
}
