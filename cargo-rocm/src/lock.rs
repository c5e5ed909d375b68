//! Which candle a lock file has.

use std::collections::BTreeSet;
use std::path::Path;

use semver::Version;
use toml::Table;

use crate::candle::{CORE, Candle, GIT, PACKAGES, Source};
use crate::error::Error;
use crate::overlay;

/// A fork of candle whose name does not tell.
const FORK: &str = "hanzo-ml";

/// A package of a lock file.
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    dependencies: Vec<String>,
}

/// The one candle of a lock file. `command` is the user's subcommand, for messages.
pub(crate) fn candle(file: &Path, text: &str, command: &str) -> Result<Candle, Error> {
    let packages = packages(file, text)?;
    let found: Vec<&Package> = packages.iter().filter(|package| package.name == CORE).collect();
    let known = overlay::listed()?;
    match found[..] {
        [] => Err(match packages.iter().find(|package| is_fork(&package.name)) {
            Some(fork) => Error::Renamed { name: fork.name.clone(), version: fork.version.clone(), known },
            None => Error::NoCandle { project: file.parent().unwrap_or(file).display().to_string() },
        }),
        [core] => {
            let version = core.version.clone();
            let source = match &core.source {
                None => return Err(Error::Patched { version, command: command.to_owned(), known, git: GIT }),
                Some(source) => source_of(source).ok_or_else(|| Error::Fork {
                    version,
                    from: source.split('#').next().unwrap_or(source).to_owned(),
                    known,
                    git: GIT,
                })?,
            };
            let version = core.version.parse().map_err(|error: semver::Error| Error::Unexpected {
                command: file.display().to_string(),
                what: error.to_string(),
            })?;
            Ok(Candle { version, source, users: users(&packages, core) })
        }
        _ => {
            let line = |core: &&Package| {
                let from = core.source.as_deref().and_then(source_of).map(|source| source.to_string());
                let from = from.or_else(|| core.source.clone()).unwrap_or_else(|| "a folder".to_owned());
                let users = users(&packages, core).join(", ");
                format!("  {} of {from}, for {users}", core.version)
            };
            let users = found.iter().map(line).collect::<Vec<_>>().join("\n");
            Err(Error::TwoVersions { lock: file.display().to_string(), users })
        }
    }
}

/// The lock file with the patched packages in the place of candle's, as cargo writes it: without sources and checksums. Nothing else
/// moves, and cargo needs no network for it. None if it is so already.
pub(crate) fn patched(text: &str, version: &Version) -> Option<String> {
    const PACKAGE: &str = "[[package]]\n";
    let mut changed = false;
    let sections = text.split(PACKAGE).map(|section| {
        let is_patched = PACKAGES.iter().any(|name| section.starts_with(&format!("name = \"{name}\"\n")));
        if !is_patched || !section.contains("\nsource = ") {
            return section.to_owned();
        }
        changed = true;
        let lines = section.split_inclusive('\n').filter_map(|line| match line.split(" = ").next() {
            Some("source" | "checksum") => None,
            Some("version") => Some(format!("version = \"{version}\"\n")),
            _ => Some(line.to_owned()),
        });
        lines.collect()
    });
    let text = sections.collect::<Vec<String>>().join(PACKAGE);
    changed.then_some(text)
}

/// The package that cargo says is locked to a version which is too old for another's requirement.
pub(crate) fn too_old(said: &str) -> Option<String> {
    const FORMS: [&str; 2] =
        ["failed to select a version for `", "failed to select a version for the requirement `"];
    let after = FORMS.iter().find_map(|form| said.split_once(form))?.1;
    let name: String = after.chars().take_while(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
    (said.contains("previously selected package") || said.contains("locked to")).then_some(name)
}

/// The lock file without a package, so that cargo chooses its version anew. None if it has none of that name.
pub(crate) fn without(text: &str, name: &str) -> Option<String> {
    const PACKAGE: &str = "[[package]]\n";
    let first = format!("name = \"{name}\"\n");
    let sections: Vec<&str> = text.split(PACKAGE).collect();
    let kept: Vec<&str> = sections.iter().copied().filter(|section| !section.starts_with(&first)).collect();
    (kept.len() < sections.len()).then(|| kept.join(PACKAGE))
}

fn packages(file: &Path, text: &str) -> Result<Vec<Package>, Error> {
    let failed = |what: String| Error::Unexpected { command: file.display().to_string(), what };
    let table: Table = text.parse().map_err(|error: toml::de::Error| failed(error.to_string()))?;
    let packages = table.get("package").and_then(toml::Value::as_array);
    let packages = packages.into_iter().flatten().map(|package| {
        let text = |key: &str| package.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        let dependencies = package.get("dependencies").and_then(toml::Value::as_array);
        Some(Package {
            name: text("name")?,
            version: text("version")?,
            source: text("source"),
            dependencies: dependencies
                .into_iter()
                .flatten()
                .filter_map(|d| Some(d.as_str()?.to_owned()))
                .collect(),
        })
    });
    packages.collect::<Option<_>>().ok_or_else(|| failed("a package without a name or a version".to_owned()))
}

/// The packages that depend on this one. A lock file adds version and source to a name only where it has several.
fn users(packages: &[Package], core: &Package) -> Vec<String> {
    let is_core = |dependency: &String| {
        let mut words = dependency.split(' ');
        words.next() == Some(CORE)
            && words.next().is_none_or(|version| version == core.version)
            && words.next().is_none_or(|source| {
                let source = source.trim_matches(['(', ')']);
                core.source.as_deref().is_some_and(|whole| whole.split('#').next() == Some(source))
            })
    };
    let users = packages.iter().filter(|package| package.dependencies.iter().any(is_core));
    users.map(|package| package.name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// crates.io's candle, or candle's repository, as cargo writes them; other sources are forks.
fn source_of(source: &str) -> Option<Source> {
    if ["registry+https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io/"]
        .contains(&source)
    {
        return Some(Source::CratesIo);
    }
    let address = source.strip_prefix("git+")?.split('#').next()?;
    let (repository, place) = address.split_once('?').unwrap_or((address, ""));
    let repository = repository.trim_end_matches('/').to_lowercase();
    let repository = repository.strip_suffix(".git").unwrap_or(&repository);
    let path = repository.strip_prefix("https://").or_else(|| repository.strip_prefix("ssh://git@"))?;
    (Some(path) == GIT.strip_prefix("https://")).then(|| Source::Git(place.to_owned()))
}

fn is_fork(name: &str) -> bool {
    name == FORK || name.ends_with("-candle-core") || name.starts_with("candle-core-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

    fn package(name: &str, version: &str, source: &str, dependencies: &[&str]) -> String {
        let source = match source {
            "" => String::new(),
            source => format!("source = \"{source}\"\n"),
        };
        format!(
            "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}dependencies = {dependencies:?}\n\n"
        )
    }

    fn of(packages: &[String]) -> Result<Candle, String> {
        candle(Path::new("Cargo.lock"), &packages.concat(), "run").map_err(|error| error.to_string())
    }

    #[test]
    fn packages_that_are_too_old_are_chosen_anew() {
        let said = "error: failed to select a version for `bytemuck`.\n    ... required by package `candle-rocm v0.1.0`\n\
                    all possible versions conflict with previously selected packages.\n\n  previously selected package \
                    `bytemuck v1.24.0`\n";
        assert_eq!(too_old(said).as_deref(), Some("bytemuck"));
        let said =
            "error: failed to select a version for the requirement `half = \"^2.7\"` (locked to 2.6.0)\n";
        assert_eq!(too_old(said).as_deref(), Some("half"));
        assert_eq!(too_old("error: failed to select a version for `a`.\nit has no feature `b`"), None);
        assert_eq!(too_old("error: no matching package named `a` found"), None);
        let lock =
            "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"ab\"\n";
        assert_eq!(without(lock, "a").as_deref(), Some("version = 4\n\n[[package]]\nname = \"ab\"\n"));
        assert_eq!(without(lock, "b"), None);
    }

    #[test]
    fn candle_is_found_with_its_source() {
        let of = |version: &str, source: &str| {
            of(&[
                package("program", "0.1.0", "", &["candle-core", "candle-nn"]),
                package(CORE, version, source, &[]),
            ])
        };
        let found = of("0.11.1", CRATES_IO).unwrap();
        assert_eq!((found.version, found.source), (Version::new(0, 11, 1), Source::CratesIo));
        assert_eq!(found.users, ["program"]);
        for (source, place) in [
            ("git+https://github.com/huggingface/candle?rev=35d7ae7c#35d7ae7c00", "rev=35d7ae7c"),
            ("git+https://github.com/huggingface/candle.git#35d7ae7c00", ""),
            ("git+https://github.com/HuggingFace/candle/?tag=0.9.2-alpha.1#00", "tag=0.9.2-alpha.1"),
            ("git+ssh://git@github.com/huggingface/candle.git?branch=main#00", "branch=main"),
        ] {
            assert_eq!(of("0.11.0", source).unwrap().source, Source::Git(place.to_owned()), "{source}");
        }
        for (source, words) in [
            (
                "git+https://github.com/EricLBuehler/candle.git?rev=1#00",
                "git+https://github.com/EricLBuehler/candle.git?rev=1, a fork",
            ),
            ("registry+https://example.org/index", "registry+https://example.org/index, a fork"),
            ("", "is already a package in a folder"),
        ] {
            let error = of("0.11.0", source).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn the_patched_packages_have_no_source() {
        let lock = [
            package(CORE, "0.9.1", CRATES_IO, &["half"])
                .replace("dependencies", "checksum = \"00\"\ndependencies"),
            package("candle-nn", "0.9.1", CRATES_IO, &[CORE]),
            package("half", "2.7.0", CRATES_IO, &[]),
        ];
        let expected = [
            package(CORE, "0.9.2", "", &["half"]),
            package("candle-nn", "0.9.2", "", &[CORE]),
            package("half", "2.7.0", CRATES_IO, &[]),
        ];
        let text = patched(&format!("version = 4\n\n{}", lock.concat()), &Version::new(0, 9, 2)).unwrap();
        assert_eq!(text, format!("version = 4\n\n{}", expected.concat()));
        assert_eq!(patched(&text, &Version::new(0, 9, 2)), None);
    }

    #[test]
    fn two_candles_are_told_apart() {
        let error = of(&[
            package("a", "0.1.0", "", &["candle-core 0.9.2"]),
            package("b", "0.1.0", CRATES_IO, &[&format!("candle-core 0.11.1 ({CRATES_IO})")]),
            package(
                "c",
                "0.1.0",
                CRATES_IO,
                &["candle-core 0.11.1 (git+https://github.com/huggingface/candle)"],
            ),
            package(CORE, "0.9.2", CRATES_IO, &[]),
            package(CORE, "0.11.1", CRATES_IO, &[]),
        ])
        .unwrap_err();
        assert!(error.contains("\n  0.9.2 of crates.io, for a\n  0.11.1 of crates.io, for b\n"), "{error}");
    }

    #[test]
    fn what_is_not_candle_is_said() {
        let error = of(&[package("program", "0.1.0", "", &[])]).unwrap_err();
        assert!(error.contains("no candle-core among the dependencies of "), "{error}");
        let error = of(&[package("hanzo-ml", "0.11.2", CRATES_IO, &[])]).unwrap_err();
        assert!(error.contains("hanzo-ml 0.11.2, a fork of candle under another name"), "{error}");
    }
}
