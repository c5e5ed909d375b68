//! Opens libraries.

use std::ffi::{CString, c_char, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use crate::loader::{self, Handle};
use crate::roots::{self, HAS_ROCM, Release, System};
use crate::search::{Attempt, COMPILED_IN, EXPLICIT};
use crate::{FileVersion, LibraryKind, LoadError, Search};

/// Returns the address of the C function with the given name, or `None` if the platform does not provide it.
pub type Resolver = fn(&str) -> Option<*const c_void>;

/// The name of a platform's [`SymbolLookup`].
pub const SYMBOL_LOOKUP: &str = "candleRocmSymbol";

/// Returns the address of a platform's function with this name, or null. A library that exports it need not export the others.
pub type SymbolLookup = unsafe extern "C" fn(name: *const c_char) -> *const c_void;

/// A library whose functions can be called.
///
/// It is never closed: ROCm's libraries start threads and register exit handlers, whose code must stay mapped.
pub struct Library {
    kind: LibraryKind,
    origin: Origin,
    path: PathBuf,
}

enum Origin {
    Loaded(ManuallyDrop<Handle>),
    /// A file that is asked for its functions.
    Asked(SymbolLookup),
    Provided(Resolver),
    #[cfg(feature = "link")]
    Linked(ManuallyDrop<Handle>),
}

impl Library {
    /// Opens the first usable library file, in the order of `search`.
    ///
    /// With the feature `link` this is the linked library, unless `search` has an explicit path.
    ///
    /// # Errors
    ///
    /// Fails if no file could be opened; the error lists every attempt and its reason.
    pub fn open(kind: LibraryKind, search: &Search) -> Result<Library, LoadError> {
        #[cfg(feature = "link")]
        if search.explicit.is_none() {
            return Ok(Self::linked(kind));
        }
        let mut attempts = Vec::new();
        let candidates = match HAS_ROCM {
            true => search.candidates(kind, System::THIS, &mut attempts),
            false => Vec::new(),
        };
        for (origin, path) in candidates {
            let named = search.explicit.as_deref() == Some(&*path);
            match Self::open_file(kind, &path, named) {
                Ok(library) => return Ok(library),
                Err(reason) => attempts.push(Attempt { origin, path, reason }),
            }
        }
        Err(LoadError { library: kind, attempts, unsupported: search.unsupported(kind, System::THIS) })
    }

    /// Opens a file, or a bare name through the loader's path. A file that the user `named` is not probed: functions that it
    /// lacks are errors when they are called.
    fn open_file(kind: LibraryKind, path: &Path, named: bool) -> Result<Library, String> {
        if let Some(file) = loader::resolve(path) {
            loader::check(&file)?;
            if !named && kind.is_too_new(&file) {
                return Err("newer than what this release supports".to_owned());
            }
        }
        let handle = ManuallyDrop::new(Handle::open(path)?);
        let origin = match handle.symbol(SYMBOL_LOOKUP) {
            None => Origin::Loaded(handle),
            // SAFETY: no other library has a function of this name, so it is of this type. Its code stays: the handle is not dropped.
            Some(ask) => Origin::Asked(unsafe { std::mem::transmute::<*const c_void, SymbolLookup>(ask) }),
        };
        let mut library = Library { kind, origin, path: path.to_owned() };
        match library.symbol(kind.probe_symbol()) {
            Some(address) => library.path = loader::file_of(address).unwrap_or(library.path),
            None if named => {}
            None => return Err(other_kind(kind)),
        }
        Ok(library)
    }

    /// Wraps a platform that is compiled into this program. `name` replaces the file name in messages.
    pub fn from_resolver(kind: LibraryKind, name: &'static str, resolver: Resolver) -> Library {
        Library { kind, origin: Origin::Provided(resolver), path: PathBuf::from(name) }
    }

    /// Returns the library, after checking that it has the functions of its kind. Named or compiled-in platforms need not provide those of
    /// every library.
    ///
    /// # Errors
    ///
    /// Fails if it lacks a function that every version of the library has.
    pub fn of_its_kind(self) -> Result<Library, LoadError> {
        if self.symbol(self.kind.probe_symbol()).is_some() {
            return Ok(self);
        }
        let origin = if matches!(self.origin, Origin::Provided(_)) { COMPILED_IN } else { EXPLICIT };
        let attempt = Attempt { origin, reason: other_kind(self.kind), path: self.path };
        Err(LoadError { library: self.kind, attempts: vec![attempt], unsupported: Vec::new() })
    }

    /// The library that this program is linked with.
    #[cfg(feature = "link")]
    pub fn linked(kind: LibraryKind) -> Library {
        let this = ManuallyDrop::new(Handle::this());
        let mut library =
            Library { kind, origin: Origin::Linked(this), path: PathBuf::from(kind.to_string()) };
        if let Some(file) = library.symbol(kind.probe_symbol()).and_then(loader::file_of) {
            library.path = file;
        }
        library
    }

    /// Which library this is.
    pub fn kind(&self) -> LibraryKind {
        self.kind
    }

    /// The file, or the name of the platform if that is compiled into the program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The ROCm release that the file belongs to, if the installation states it.
    ///
    /// This is not HIP's version: ROCm 10.0 contains HIP 7.15.
    pub fn release(&self) -> Option<Release> {
        Release::of_library(&self.path)
    }

    /// The version that the file itself states, as DLLs of Windows do.
    pub fn file_version(&self) -> Option<FileVersion> {
        FileVersion::of(&self.path)
    }

    /// The address of a function or variable, or `None` if the library does not export it.
    pub fn symbol(&self, name: &str) -> Option<*const c_void> {
        let address = match &self.origin {
            Origin::Loaded(library) => library.symbol(name),
            Origin::Asked(ask) => {
                let name = CString::new(name).ok()?;
                // SAFETY: a C string, which is only read.
                Some(unsafe { ask(name.as_ptr()) })
            }
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

/// Why a library without the function that all of this kind have cannot be used.
fn other_kind(kind: LibraryKind) -> String {
    format!("has no `{}`, so it is not {kind}", kind.probe_symbol())
}

impl Search {
    /// Searches the folder of another library first, so that hiprtc, rocBLAS and HIP come from one installation.
    ///
    /// Does not affect a search with an explicit path.
    pub fn beside(mut self, library: &Library) -> Search {
        const ORIGIN: &str = "beside the library opened before";
        if let Some(folder) = library.path().parent().filter(|folder| folder.is_absolute()) {
            let wheels = roots::wheels_beside(folder, System::THIS).into_iter().map(|root| root.path);
            let folders = [folder.to_owned()].into_iter().chain(wheels).map(|path| (ORIGIN, path));
            self.installations.splice(..0, folders);
        }
        self
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("kind", &self.kind).field("path", &self.path).finish_non_exhaustive()
    }
}
