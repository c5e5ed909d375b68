//! Opening a platform's HIP library.

use std::env::{self, consts};
use std::path::{Path, PathBuf};

use rocm_sys::{Library, LibraryKind, LoadError, Search, variable};

use super::platform::{Adapter, Linked};
use crate::{HipError, Platform, Result};

/// Where a platform's libraries come from.
#[derive(Debug)]
pub(crate) enum Origin {
    /// From an installation of ROCm.
    Rocm,
    /// All from this file.
    File(PathBuf),
    /// From the program.
    Linked(Linked),
}

/// The HIP library of the platform.
pub(crate) fn open(platform: Platform) -> Result<(Library, Origin)> {
    let Some(adapter) = platform.adapter() else {
        let library = Library::open(LibraryKind::Hip, &Search::from_env());
        return library.map(|library| (library, Origin::Rocm)).map_err(|source| HipError::Load {
            platform: platform.name(),
            advice: platform.others_advice(),
            source,
        });
    };
    // A library that is named wins over the one linked in.
    if let Some(path) = named(adapter) {
        return Ok((open_file(platform, LibraryKind::Hip, &path)?, Origin::File(path)));
    }
    let unavailable = |why| HipError::PlatformUnavailable { platform: platform.name(), why };
    match adapter.linked {
        Some(linked) => match (linked.unavailable)() {
            None => Ok((provided(LibraryKind::Hip, linked), Origin::Linked(linked))),
            Some(why) => Err(unavailable(why)),
        },
        None => {
            let candidates = candidates(adapter);
            match candidates.iter().find(|path| path.is_file() && is_hip(platform, path)) {
                Some(path) => Ok((open_file(platform, LibraryKind::Hip, path)?, Origin::File(path.clone()))),
                None => Err(unavailable(missing(adapter, &candidates))),
            }
        }
    }
}

/// Another library beside the platform's HIP library, or what stands for it.
pub(crate) fn companion(kind: LibraryKind, origin: &Origin, hip: &Library) -> Result<Library, LoadError> {
    match origin {
        Origin::Linked(linked) => provided(kind, *linked).of_its_kind(),
        Origin::File(path) => Library::open(kind, &Search::at(path))?.of_its_kind(),
        // Of the same installation, if there are several.
        Origin::Rocm => Library::open(kind, &Search::from_env().beside(hip)),
    }
}

fn provided(kind: LibraryKind, linked: Linked) -> Library {
    Library::from_resolver(kind, linked.name, linked.symbol)
}

fn open_file(platform: Platform, kind: LibraryKind, path: &Path) -> Result<Library> {
    Library::open(kind, &Search::at(path)).map_err(|source| HipError::Load {
        platform: platform.name(),
        advice: String::new(),
        source,
    })
}

/// What the adapter's variable says.
fn named(adapter: &Adapter) -> Option<PathBuf> {
    let set = !adapter.variable.is_empty();
    set.then(|| variable::path(adapter.variable)).flatten()
}

/// Beside the executable (cargo puts tests and examples one folder below).
fn candidates(adapter: &Adapter) -> Vec<PathBuf> {
    let file = format!("{}{}{}", consts::DLL_PREFIX, adapter.stem, consts::DLL_SUFFIX);
    let executable = env::current_exe().unwrap_or_default();
    executable.ancestors().skip(1).take(2).map(|folder| folder.join(&file)).collect()
}

/// Whether the library has HIP's functions. Cargo puts the adapters' libraries beside the executables of a workspace that they
/// are members of, but without their feature `export`.
fn is_hip(platform: Platform, path: &Path) -> bool {
    open_file(platform, LibraryKind::Hip, path)
        .is_ok_and(|library| library.symbol("hipRuntimeGetVersion").is_some())
}

/// What to do where a platform was asked for that is not in this program, and why its library was not taken either.
fn missing(adapter: &Adapter, tried: &[PathBuf]) -> String {
    let tried: Vec<_> = tried.iter().map(|path| path.display().to_string()).collect();
    format!(
        "{} and set {} to its path, which is not set, and there is no {}",
        adapter.install,
        adapter.variable,
        tried.join(" or ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        static ADAPTER: Adapter = Adapter {
            name: "other",
            variable: "OTHER_LIBRARY",
            install: "build it",
            ..Adapter::linked("", Linked { name: "", symbol: |_| None, unavailable: || None })
        };
        let text = missing(&ADAPTER, &["/a/lib.so".into(), "/b/lib.so".into()]);
        assert_eq!(
            text,
            "build it and set OTHER_LIBRARY to its path, which is not set, and there is no /a/lib.so or /b/lib.so"
        );
    }
}
