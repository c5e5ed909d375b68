//! Opening a library.

use std::ffi::c_void;
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use crate::loader::{self, Handle};
use crate::roots::Release;
use crate::{Attempt, LoadError, Search, elf};

/// The libraries that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibraryKind {
    /// libamdhip64, the HIP runtime.
    Hip,
    /// libhiprtc, the run-time compiler. In ROCm 5 before 5.3 it is part of libamdhip64, which is tried last.
    Hiprtc,
    /// librocblas.
    Rocblas,
    /// libMIOpen.
    Miopen,
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
            LibraryKind::Rocblas => {
                &["librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0", "librocblas.so"]
            }
            LibraryKind::Miopen => &["libMIOpen.so.1", "libMIOpen.so"],
        }
    }

    /// What a file's name says of its version: 7 of `libamdhip64.so.7`, if it is this library's.
    pub(crate) fn version_in(self, file: &Path) -> Option<u32> {
        let rest = file.file_name()?.to_str()?.strip_prefix(self.stem())?.strip_prefix('.')?;
        rest.split('.').next()?.parse().ok()
    }

    /// `libamdhip64.so`.
    pub(crate) fn stem(self) -> &'static str {
        self.sonames()[0].trim_end_matches(|c: char| c == '.' || c.is_ascii_digit())
    }

    /// The versions that the sonames cover, in words.
    pub(crate) fn supported(self) -> String {
        let own = |name: &&&str| self.version_in(Path::new(name)).is_some();
        let mut versions = self.sonames().iter().filter(own);
        let newest = versions.next().copied().unwrap_or_default();
        versions.next_back().map_or_else(|| newest.to_owned(), |oldest| format!("{oldest} to {newest}"))
    }

    /// Whether a file is of a version that comes after all of the sonames, going by its name and where that leads as a link.
    pub(crate) fn is_too_new(self, file: &Path) -> bool {
        let newest = self.version_in(Path::new(self.sonames()[0]));
        let real = std::fs::canonicalize(file).ok();
        let names = [Some(file), real.as_deref()].into_iter().flatten();
        names.filter_map(|name| self.version_in(name)).any(|version| Some(version) > newest)
    }

    /// A function that every version has: what lacks it is another library.
    fn landmark(self) -> &'static str {
        match self {
            LibraryKind::Hip => "hipGetDeviceCount",
            LibraryKind::Hiprtc => "hiprtcCreateProgram",
            LibraryKind::Rocblas => "rocblas_create_handle",
            LibraryKind::Miopen => "miopenCreate",
        }
    }
}

impl fmt::Display for LibraryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LibraryKind::Hip => "the HIP runtime",
            LibraryKind::Hiprtc => "hiprtc",
            LibraryKind::Rocblas => "rocBLAS",
            LibraryKind::Miopen => "MIOpen",
        })
    }
}

/// Answers with the address of the C function of a name, or `None` where it does not provide it.
pub type Resolver = fn(&str) -> Option<*const c_void>;

/// A library that functions are taken from.
///
/// It stays open until the process ends: ROCm's libraries run threads and exit handlers of their own, which closing would pull the
/// code away from.
pub struct Library {
    kind: LibraryKind,
    origin: Origin,
    path: PathBuf,
}

enum Origin {
    Loaded(ManuallyDrop<Handle>),
    Provided(Resolver),
    #[cfg(feature = "link")]
    Linked(ManuallyDrop<Handle>),
}

impl Library {
    /// Opens the first file that serves, in the order of `search`.
    ///
    /// With the feature `link`, the linked library is taken unless an explicit path is given.
    pub fn open(kind: LibraryKind, search: &Search) -> Result<Library, LoadError> {
        #[cfg(feature = "link")]
        if search.explicit.is_none() {
            return Ok(Self::linked(kind));
        }
        let mut attempts = Vec::new();
        // Elsewhere there is no ROCm to find, whatever the places say.
        let candidates = match cfg!(target_os = "linux") {
            true => search.candidates(kind, &mut attempts),
            false => Vec::new(),
        };
        for (place, path) in candidates {
            let named = search.explicit.as_deref() == Some(&*path);
            match Self::open_file(kind, &path, named) {
                Ok(library) => return Ok(library),
                Err(reason) => attempts.push(Attempt { place, path, reason }),
            }
        }
        Err(LoadError { library: kind, attempts, unsupported: search.unsupported(kind) })
    }

    /// Opens one file, or a bare name through the loader's path. Of a file that somebody `named`, what it lacks is an error
    /// call by call.
    fn open_file(kind: LibraryKind, path: &Path, named: bool) -> Result<Library, String> {
        if let Some(file) = loader::file_behind(path) {
            elf::check(&file)?;
            if !named && kind.is_too_new(&file) {
                return Err("newer than what this release supports".to_owned());
            }
        }
        let origin = Origin::Loaded(ManuallyDrop::new(Handle::open(path)?));
        let mut library = Library { kind, origin, path: path.to_owned() };
        match library.symbol(kind.landmark()) {
            Some(address) => library.path = loader::file_of(address).unwrap_or(library.path),
            None if named => {}
            None => return Err(format!("has no {}: another library", kind.landmark())),
        }
        Ok(library)
    }

    /// A platform that is part of this program; `name` stands for its file in messages.
    pub fn from_resolver(kind: LibraryKind, name: &'static str, resolver: Resolver) -> Library {
        Library { kind, origin: Origin::Provided(resolver), path: PathBuf::from(name) }
    }

    /// The library that the linker bound to this program.
    #[cfg(feature = "link")]
    pub fn linked(kind: LibraryKind) -> Library {
        let this = ManuallyDrop::new(Handle::this());
        let mut library =
            Library { kind, origin: Origin::Linked(this), path: PathBuf::from(kind.to_string()) };
        if let Some(file) = library.symbol(kind.landmark()).and_then(loader::file_of) {
            library.path = file;
        }
        library
    }

    /// Which library it is.
    pub fn kind(&self) -> LibraryKind {
        self.kind
    }

    /// The file, or the name of the platform linked into the program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The release of ROCm that the file belongs to, where the installation states one.
    ///
    /// It is not the version of HIP in it: that of ROCm 10.0 is 7.15.
    pub fn release(&self) -> Option<Release> {
        Release::of_library(&self.path)
    }

    /// The address of a function or variable, if the library has it.
    pub fn symbol(&self, name: &str) -> Option<*const c_void> {
        let address = match &self.origin {
            Origin::Loaded(library) => library.symbol(name),
            Origin::Provided(resolver) => resolver(name),
            #[cfg(feature = "link")]
            Origin::Linked(library) => library.symbol(name),
        };
        address.filter(|address| !address.is_null())
    }

    #[cfg(feature = "link")]
    pub(crate) fn is_linked(&self) -> bool {
        matches!(self.origin, Origin::Linked(_))
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("kind", &self.kind).field("path", &self.path).finish_non_exhaustive()
    }
}
