//! Names of libraries on Windows: the version is part of the file's name, in two forms.
//!
//! | Name | Version |
//! |---|---|
//! | `amdhip64_7.dll`, `amd_comgr_3.dll` | the major version |
//! | `hiprtc0701.dll` | ROCm's release: 7.1 |
//! | `amdhip64.dll`, `rocblas.dll` | none: older than all that state one |

use std::cmp::Reverse;
use std::ops::RangeInclusive;

use crate::LibraryKind;

/// Releases of ROCm in names: 5.0 to 7.99.
const RELEASES: RangeInclusive<u32> = 500..=799;

impl LibraryKind {
    /// The name without version and ending, in lower case, and the supported major versions. `None` where Windows has no such library.
    fn dll(self) -> Option<(&'static str, RangeInclusive<u32>)> {
        Some(match self {
            LibraryKind::Hip => ("amdhip64", 5..=7),
            LibraryKind::Hiprtc => ("hiprtc", 5..=7),
            LibraryKind::Comgr => ("amd_comgr", 2..=3),
            LibraryKind::Rocblas => ("rocblas", 3..=5),
            LibraryKind::Miopen => ("miopen", 1..=1),
            LibraryKind::Rccl => return None,
        })
    }

    /// The pattern of its names, for messages.
    pub(crate) fn dll_pattern(self) -> String {
        self.dll().map_or_else(|| "there is none for Windows".to_owned(), |(stem, _)| format!("{stem}*.dll"))
    }

    /// The range of supported versions, for messages.
    pub(crate) fn supported_dlls(self) -> String {
        let range = self.dll().map(|(stem, range)| format!("{stem} {} to {}", range.start(), range.end()));
        range.unwrap_or_default()
    }

    /// The version in a name of this library, 0 if it states none; `None` for other files.
    pub(crate) fn dll_version(self, name: &str) -> Option<u32> {
        let name = name.to_ascii_lowercase();
        let version = name.strip_prefix(self.dll()?.0)?.strip_suffix(".dll")?;
        match version.strip_prefix('_').unwrap_or(version) {
            "" if version.is_empty() => Some(0),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
            _ => None,
        }
    }

    /// Whether a version in a name is newer than what is supported.
    pub(crate) fn is_new_dll(self, version: u32) -> bool {
        let Some((_, supported)) = self.dll() else { return false };
        let newest = if version < 100 { *supported.end() } else { *RELEASES.end() };
        version > newest
    }

    fn takes_dll(self, version: u32) -> bool {
        let Some((_, supported)) = self.dll() else { return false };
        version == 0 || supported.contains(&version) || RELEASES.contains(&version)
    }

    /// Those of a folder's files that are this library in a supported version, newest first.
    pub(crate) fn dlls(self, folder: &[String]) -> Vec<&str> {
        let versions = folder.iter().filter_map(|name| Some((self.dll_version(name)?, name.as_str())));
        let mut found: Vec<_> = versions.filter(|(version, _)| self.takes_dll(*version)).collect();
        found.sort_by_key(|&(version, name)| (Reverse(version), name));
        found.into_iter().map(|(_, name)| name).collect()
    }

    /// Those of a folder's files that are this library in another version.
    pub(crate) fn unsupported_dlls(self, folder: &[String]) -> Vec<&str> {
        let is = |name: &&str| self.dll_version(name).is_some_and(|version| !self.takes_dll(version));
        folder.iter().map(String::as_str).filter(is).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [LibraryKind; 6] = [
        LibraryKind::Hip,
        LibraryKind::Hiprtc,
        LibraryKind::Comgr,
        LibraryKind::Rocblas,
        LibraryKind::Miopen,
        LibraryKind::Rccl,
    ];

    fn folder(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let system = folder(&[
            "amdhip64.dll",
            "amdhip64_6.dll",
            "AMDHIP64_7.DLL",
            "amdhip64_10.dll",
            "amdhip64_6.dll.bak",
            "amdhip64_x.dll",
            "amdhip64_.dll",
            "amd_comgr_2.dll",
            "amd_comgr_3.dll",
            "amdhip64_4.dll",
        ]);
        assert_eq!(LibraryKind::Hip.dlls(&system), ["AMDHIP64_7.DLL", "amdhip64_6.dll", "amdhip64.dll"]);
        assert_eq!(LibraryKind::Hip.unsupported_dlls(&system), ["amdhip64_10.dll", "amdhip64_4.dll"]);
        assert_eq!(LibraryKind::Comgr.dlls(&system), ["amd_comgr_3.dll", "amd_comgr_2.dll"]);
        assert!(LibraryKind::Hip.is_new_dll(10) && !LibraryKind::Hip.is_new_dll(4));
    }

    #[test]
    fn releases_in_names() {
        let sdk = folder(&[
            "hiprtc0507.dll",
            "hiprtc0604.dll",
            "hiprtc0710.dll",
            "hiprtc-builtins0710.dll",
            "hiprtc0801.dll",
            "rocblas.dll",
            "hipblas.dll",
            "hipblaslt.dll",
            "MIOpen.dll",
            "amd_comgr0701.dll",
        ]);
        assert_eq!(LibraryKind::Hiprtc.dlls(&sdk), ["hiprtc0710.dll", "hiprtc0604.dll", "hiprtc0507.dll"]);
        assert_eq!(LibraryKind::Hiprtc.unsupported_dlls(&sdk), ["hiprtc0801.dll"]);
        assert!(LibraryKind::Hiprtc.is_new_dll(801));
        assert_eq!(LibraryKind::Rocblas.dlls(&sdk), ["rocblas.dll"]);
        assert_eq!(LibraryKind::Miopen.dlls(&sdk), ["MIOpen.dll"]);
        assert_eq!(LibraryKind::Comgr.dlls(&sdk), ["amd_comgr0701.dll"]);
        assert!(LibraryKind::Rccl.dlls(&sdk).is_empty());
    }

    /// Each file of a driver, an SDK and wheels is one library at most.
    #[test]
    fn no_file_is_two_libraries() {
        for name in ["amdhip64_7.dll", "hiprtc0701.dll", "amd_comgr_3.dll", "rocblas.dll", "MIOpen.dll"] {
            let of = ALL.iter().filter(|kind| kind.dll_version(name).is_some());
            assert_eq!(of.count(), 1, "{name}");
        }
        let others = ["rocm_kpack.dll", "hiprtc-builtins0701.dll", "libamdhip64.so.7", "hipblas.dll", ""];
        assert!(others.iter().all(|name| ALL.iter().all(|kind| kind.dll_version(name).is_none())));
    }
}
