//! Opening a library.

use std::ffi::{CString, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use libloading::os::unix;

use crate::{Attempt, LoadError, Search};

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
    /// The file names under which ROCm 5, 6 and 7 ship the library, newest first.
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
    Loaded(ManuallyDrop<unix::Library>),
    Provided(Resolver),
    #[cfg(feature = "link")]
    Linked(ManuallyDrop<unix::Library>),
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
        for (place, path) in search.candidates(kind, &mut attempts) {
            match open_file(&path) {
                Ok(library) => {
                    let mut found = Library {
                        kind,
                        origin: Origin::Loaded(ManuallyDrop::new(library)),
                        path: path.clone(),
                    };
                    match found.symbol(kind.landmark()) {
                        Some(address) => {
                            found.path = file_of(address).unwrap_or(path);
                            return Ok(found);
                        }
                        // Somebody asked for exactly this file: what it lacks, it lacks call by call.
                        None if search.explicit.as_deref() == Some(&*path) => return Ok(found),
                        None => {
                            let reason = format!("has no {}: another library", kind.landmark());
                            attempts.push(Attempt { place, path, reason });
                        }
                    }
                }
                Err(reason) => attempts.push(Attempt { place, path, reason }),
            }
        }
        Err(LoadError { library: kind, attempts, unsupported: search.unsupported(kind) })
    }

    /// A platform that is part of this program; `name` stands for its file in messages.
    pub fn from_resolver(kind: LibraryKind, name: &'static str, resolver: Resolver) -> Library {
        Library { kind, origin: Origin::Provided(resolver), path: PathBuf::from(name) }
    }

    /// The library that the linker bound to this program.
    #[cfg(feature = "link")]
    pub fn linked(kind: LibraryKind) -> Library {
        let this = ManuallyDrop::new(unix::Library::this());
        let mut library =
            Library { kind, origin: Origin::Linked(this), path: PathBuf::from(kind.to_string()) };
        if let Some(file) = library.symbol(kind.landmark()).and_then(file_of) {
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

    /// The address of a function or variable, if the library has it.
    pub fn symbol(&self, name: &str) -> Option<*const c_void> {
        let name_c = CString::new(name).ok()?;
        let address = match &self.origin {
            // SAFETY: the symbol is only turned into its address; whoever calls it vouches for its type.
            Origin::Loaded(library) => unsafe { library.get::<*const c_void>(name_c.as_bytes_with_nul()) }
                .ok()
                .map(|symbol| symbol.as_raw_ptr().cast_const()),
            Origin::Provided(resolver) => resolver(name),
            #[cfg(feature = "link")]
            // SAFETY: as above.
            Origin::Linked(library) => unsafe { library.get::<*const c_void>(name_c.as_bytes_with_nul()) }
                .ok()
                .map(|symbol| symbol.as_raw_ptr().cast_const()),
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

/// Opens one file, or a bare name through the loader's path.
fn open_file(path: &Path) -> Result<unix::Library, String> {
    // With lazy binding, a dependency of the wrong version would end the process at the first call; so bind all now.
    // SAFETY: loading runs the library's initialisers. They are those of ROCm, or of the file that the user named.
    unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_LOCAL) }
        .map_err(|error| explain(&error, path))
}

/// The loader's own words, without the file name, which is printed anyway.
fn explain(error: &libloading::Error, path: &Path) -> String {
    use std::error::Error;
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    let name = path.display().to_string();
    text.strip_prefix(&format!("{name}: ")).unwrap_or(&text).to_owned()
}

/// The file that an address was loaded from: what the loader found behind a bare name.
fn file_of(address: *const c_void) -> Option<PathBuf> {
    use std::ffi::CStr;
    use std::os::unix::ffi::OsStrExt;
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: dladdr only compares the address with the loaded files' ranges, and writes to `info`.
    let found = unsafe { libc::dladdr(address, &mut info) } != 0 && !info.dli_fname.is_null();
    // SAFETY: dladdr gave a C string that lives as long as the file is loaded, and libraries here are never closed.
    let name = found.then(|| unsafe { CStr::from_ptr(info.dli_fname) })?;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())))
}
