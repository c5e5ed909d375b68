//! The libraries that can be opened, and their file names.

use std::fmt;
use std::path::Path;

/// A library that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibraryKind {
    /// libamdhip64, the HIP runtime.
    Hip,
    /// libhiprtc, the run-time compiler. Before ROCm 5.3 it was part of libamdhip64, which is tried last.
    Hiprtc,
    /// libamd_comgr, the compiler that hiprtc calls. Where the HIP runtime is, it is too.
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

    /// The version in a file name of this library: 7 for `libamdhip64.so.7`.
    pub(crate) fn version_in(self, file: &Path) -> Option<u32> {
        let rest = file.file_name()?.to_str()?.strip_prefix(self.stem())?.strip_prefix('.')?;
        rest.split('.').next()?.parse().ok()
    }

    /// The file name without a version: `libamdhip64.so`.
    pub(crate) fn stem(self) -> &'static str {
        self.sonames()[0].trim_end_matches(|c: char| c == '.' || c.is_ascii_digit())
    }

    /// The range of supported sonames, for messages.
    pub(crate) fn supported(self) -> String {
        let own = |name: &&&str| self.version_in(Path::new(name)).is_some();
        let mut versions = self.sonames().iter().filter(own);
        let newest = versions.next().copied().unwrap_or_default();
        versions.next_back().map_or_else(|| newest.to_owned(), |oldest| format!("{oldest} to {newest}"))
    }

    /// Whether the file, or the file that it links to, has a version newer than every supported soname.
    pub(crate) fn is_too_new(self, file: &Path) -> bool {
        let newest = self.version_in(Path::new(self.sonames()[0]));
        let real = std::fs::canonicalize(file).ok();
        let names = [Some(file), real.as_deref()].into_iter().flatten();
        names.filter_map(|name| self.version_in(name)).any(|version| Some(version) > newest)
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
