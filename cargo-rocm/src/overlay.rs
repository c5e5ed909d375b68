//! The patched packages: for which versions of candle there are some, which one serves a project, and where they are generated.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use semver::Version;

use crate::candle::{Candle, GIT, PACKAGES, Source};
use crate::cargo::configuration;
use crate::error::Error;

/// The versions that have an overlay, the oldest first.
fn versions() -> Result<Vec<Version>, Error> {
    let versions = candle_rocm_overlay::versions()?;
    let mut versions: Vec<Version> = versions.iter().filter_map(|version| version.parse().ok()).collect();
    versions.sort();
    Ok(versions)
}

/// The same for messages.
pub(crate) fn listed() -> Result<String, Error> {
    Ok(list(&versions()?))
}

fn list(versions: &[Version]) -> String {
    versions.iter().map(Version::to_string).collect::<Vec<_>>().join(", ")
}

/// The overlay that serves a candle: its own. Where it has none, or where it is a state between releases, the newest that is compatible.
pub(crate) fn serving(candle: &Candle) -> Result<Version, Error> {
    choose(candle, &versions()?)
}

fn choose(candle: &Candle, versions: &[Version]) -> Result<Version, Error> {
    let own =
        versions.iter().find(|version| candle.source == Source::CratesIo && **version == candle.version);
    let compatible = versions.iter().rev().find(|version| series(version) == series(&candle.version));
    own.or(compatible).cloned().ok_or_else(|| Error::Version {
        version: candle.version.to_string(),
        known: list(versions),
        newest: versions.last().map(Version::to_string).unwrap_or_default(),
    })
}

/// What is the same in versions that cargo takes for compatible.
fn series(version: &Version) -> (u64, u64) {
    match version.major {
        0 => (0, version.minor),
        major => (major, 0),
    }
}

/// Generates the patched packages, unless they are there, and returns cargo's options that put them in the place of the project's.
/// `features` are candle-rocm's; with `own_variant`, ROCm devices are in `Device::Rocm`.
pub(crate) fn patches(
    source: &Source,
    version: &Version,
    features: &[String],
    own_variant: bool,
) -> Result<Vec<OsString>, Error> {
    let mut name = version.to_string();
    features.iter().for_each(|feature| name += &format!("-{feature}"));
    if own_variant {
        name += "-variant";
    }
    let folder = cache()?.join("candle").join(env!("CARGO_PKG_VERSION")).join(name);
    let mut options = candle_rocm_overlay::PackageOptions::default();
    options.candle_rocm_features = features.to_vec();
    options.own_variant = own_variant;
    candle_rocm_overlay::write_packages(&version.to_string(), &folder, &options)?;
    // candle-rocm names candle by its version, wherever the project has it from.
    let mut sources = vec!["crates-io"];
    sources.extend(matches!(source, Source::Git(_)).then_some(GIT));
    let mut patches = Vec::new();
    for source in sources {
        for package in PACKAGES {
            patches.extend(configuration(&format!("patch.{source:?}.{package}.path"), &folder.join(package)));
        }
    }
    patches.extend(backend());
    Ok(patches)
}

/// The candle-rocm beside this package, where cargo-rocm was installed from a clone; otherwise it is that of crates.io.
pub(crate) fn backend() -> Vec<OsString> {
    match clone() {
        Some(clone) => configuration("patch.crates-io.candle-rocm.path", &clone.join("candle-rocm")).into(),
        None => Vec::new(),
    }
}

/// The clone that cargo-rocm was installed from, if it is there.
pub(crate) fn clone() -> Option<PathBuf> {
    let clone = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    clone.join("candle-rocm/Cargo.toml").is_file().then(|| clone.to_owned())
}

/// The folder for what we generate: in candle-rocm's own cache.
pub(crate) fn cache() -> Result<PathBuf, Error> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let users = || match cfg!(windows) {
        true => variable("LOCALAPPDATA"),
        false => variable("XDG_CACHE_HOME").or_else(|| std::env::home_dir().map(|home| home.join(".cache"))),
    };
    let folder = variable("CANDLE_ROCM_CACHE_DIR").or_else(|| Some(users()?.join("candle-rocm")));
    let folder = folder.ok_or(Error::NoCache)?.join("cargo-rocm");
    std::path::absolute(&folder).map_err(|error| Error::io("find", &folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_overlay_serves() {
        let versions = ["0.9.2", "0.10.2", "0.11.0", "0.11.1"].map(|version| version.parse().unwrap());
        let of = |version: &str, source: Source| {
            let candle = Candle { version: version.parse().unwrap(), source, users: Vec::new() };
            choose(&candle, &versions).map(|version| version.to_string()).map_err(|error| error.to_string())
        };
        for (version, serving) in [
            ("0.11.0", "0.11.0"),
            ("0.11.1", "0.11.1"),
            ("0.11.7", "0.11.1"),
            ("0.9.1", "0.9.2"),
            ("0.9.2-alpha.2", "0.9.2"),
            ("0.10.0", "0.10.2"),
        ] {
            assert_eq!(of(version, Source::CratesIo).as_deref(), Ok(serving), "{version}");
        }
        let git = || Source::Git("rev=35d7ae7c".to_owned());
        assert_eq!(of("0.11.0", git()).as_deref(), Ok("0.11.1"), "between two releases");
        assert_eq!(of("0.9.2-alpha.1", git()).as_deref(), Ok("0.9.2"));
        for version in ["0.8.4", "0.12.0", "1.0.0"] {
            let error = of(version, Source::CratesIo).unwrap_err();
            assert!(error.contains(&format!("no overlay for candle-core {version}")), "{error}");
        }
    }
}
