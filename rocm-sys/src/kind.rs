//! The libraries that can be opened, and their file names.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use crate::roots::System;

/// A library that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibraryKind {
    /// libamdhip64, the HIP runtime.
    Hip,
    /// libhiprtc, the run-time compiler. Before ROCm 5.3 it was part of libamdhip64, which is tried last.
    Hiprtc,
    /// libamd_comgr, the compiler that hiprtc calls. It ships with the HIP runtime.
    Comgr,
    /// librocblas, linear algebra.
    Rocblas,
    /// libMIOpen, convolutions and other layers.
    Miopen,
    /// librccl, collectives between GPUs.
    Rccl,
}

impl LibraryKind {
    /// The file names under which ROCm 5 to 10 ship the library, newest first.
    pub fn sonames(self) -> &'static [&'static str] {
        match self {
            LibraryKind::Hip => {
                &["libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"]
            }
            LibraryKind::Hiprtc => &[
                "libhiprtc.so.7",
                "libhiprtc.so.6",
                "libhiprtc.so.5",
                "libhiprtc.so",
                "libamdhip64.so.7",
                "libamdhip64.so.6",
                "libamdhip64.so.5",
                "libamdhip64.so",
            ],
            LibraryKind::Comgr => &["libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so"],
            LibraryKind::Rocblas => {
                &["librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0", "librocblas.so"]
            }
            LibraryKind::Miopen => &["libMIOpen.so.1", "libMIOpen.so"],
            LibraryKind::Rccl => &["librccl.so.1", "librccl.so"],
        }
    }

    /// The names that a system's files have, for messages.
    pub(crate) fn file_names(self, system: System) -> String {
        match system {
            System::Linux => self.sonames().join(", "),
            System::Windows => self.dll_pattern(),
        }
    }

    /// The files of this library in a folder, in a supported version, newest first.
    pub(crate) fn files_in(self, folder: &Path, system: System) -> Vec<PathBuf> {
        match system {
            System::Linux => {
                let named = self.sonames().iter().map(|name| folder.join(name));
                named.filter(|file| file.exists()).collect()
            }
            System::Windows => {
                self.dlls(&names_in(folder)).into_iter().map(|name| folder.join(name)).collect()
            }
        }
    }

    /// The files of this library in a folder whose version is not supported.
    pub(crate) fn unsupported_in(self, folder: &Path, system: System) -> Vec<PathBuf> {
        let names = names_in(folder);
        let found: Vec<&str> = match system {
            System::Linux => {
                names.iter().map(String::as_str).filter(|name| self.is_unsupported(name)).collect()
            }
            System::Windows => self.unsupported_dlls(&names),
        };
        found.into_iter().map(|name| folder.join(name)).collect()
    }

    /// Whether the name ends in an unsupported major version. Full versions are ignored: `libamdhip64.so.4`, not
    /// `libamdhip64.so.4.1.21150`.
    fn is_unsupported(self, name: &str) -> bool {
        let version = name.strip_prefix(self.stem()).and_then(|rest| rest.strip_prefix('.'));
        version.is_some_and(|version| version.parse::<u32>().is_ok()) && !self.sonames().contains(&name)
    }

    /// The version in a file name of this library: 7 for `libamdhip64.so.7`.
    pub(crate) fn version_in(self, file: &Path) -> Option<u32> {
        let rest = file.file_name()?.to_str()?.strip_prefix(self.stem())?.strip_prefix('.')?;
        rest.split('.').next()?.parse().ok()
    }

    /// The file name without a version: `libamdhip64.so`.
    pub(crate) fn stem(self) -> &'static str {
        self.sonames()[0].trim_end_matches(|c: char| c == '.' || c.is_ascii_digit())
    }

    /// The range of supported versions, for messages.
    pub(crate) fn supported(self) -> String {
        if System::THIS == System::Windows {
            return self.supported_dlls();
        }
        let own = |name: &&&str| self.version_in(Path::new(name)).is_some();
        let mut versions = self.sonames().iter().filter(own);
        let newest = versions.next().copied().unwrap_or_default();
        versions.next_back().map_or_else(|| newest.to_owned(), |oldest| format!("{oldest} to {newest}"))
    }

    /// Whether the file, or the file that it links to, has a version newer than every supported soname.
    pub(crate) fn is_too_new(self, file: &Path) -> bool {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if let Some(version) = self.dll_version(&name) {
            return self.is_new_dll(version);
        }
        let newest = self.version_in(Path::new(self.sonames()[0]));
        let real = std::fs::canonicalize(file).ok();
        let names = [Some(file), real.as_deref()].into_iter().flatten();
        names.filter_map(|name| self.version_in(name)).any(|version| Some(version) > newest)
    }

    /// How to get the library on Windows, as the end of a message.
    pub(crate) fn install_on_windows(self) -> &'static str {
        match self {
            LibraryKind::Hip | LibraryKind::Comgr => {
                "install AMD's graphics driver, which has it, or set HIP_PATH to the folder of a HIP SDK"
            }
            _ => "install AMD's HIP SDK, or set HIP_PATH to its folder",
        }
    }

    /// Which installations of ROCm lack the library, as the end of a message.
    pub(crate) fn left_out(self) -> &'static str {
        match self {
            LibraryKind::Rccl => "; TheRock's packages for gfx1103 and gfx1150 to gfx1153 leave RCCL out",
            _ => "",
        }
    }

    /// A function that every version exports. A file without it is a different library.
    pub(crate) fn probe_symbol(self) -> &'static str {
        match self {
            LibraryKind::Hip => "hipGetDeviceCount",
            LibraryKind::Hiprtc => "hiprtcCreateProgram",
            LibraryKind::Comgr => "amd_comgr_get_version",
            LibraryKind::Rocblas => "rocblas_create_handle",
            LibraryKind::Miopen => "miopenCreate",
            LibraryKind::Rccl => "ncclGetUniqueId",
        }
    }
}

impl fmt::Display for LibraryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LibraryKind::Hip => "the HIP runtime",
            LibraryKind::Hiprtc => "hiprtc",
            LibraryKind::Comgr => "comgr",
            LibraryKind::Rocblas => "rocBLAS",
            LibraryKind::Miopen => "MIOpen",
            LibraryKind::Rccl => "RCCL",
        })
    }
}

/// The names of a folder's files; none if it cannot be read.
fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
