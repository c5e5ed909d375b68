//! The macro that turns a generated list of C functions into a struct with one method per function.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::{Library, MissingSymbol};

/// The address of a function, looked up at the first call.
#[derive(Default)]
pub(crate) struct Slot(AtomicPtr<c_void>);

impl Slot {
    /// The function's address; never null.
    #[inline]
    pub(crate) fn get(&self, library: &Library, symbol: &'static str) -> Result<*mut c_void, MissingSymbol> {
        let address = self.0.load(Ordering::Relaxed);
        if !address.is_null() { Ok(address) } else { self.resolve(library, symbol) }
    }

    /// If two threads race here, both find the same address.
    #[cold]
    fn resolve(&self, library: &Library, symbol: &'static str) -> Result<*mut c_void, MissingSymbol> {
        let address = library.symbol(symbol).map_or(ptr::null_mut(), |address| address.cast_mut());
        if address.is_null() {
            return Err(MissingSymbol { library: library.kind(), symbol, path: library.path().to_owned() });
        }
        self.0.store(address, Ordering::Relaxed);
        Ok(address)
    }
}

/// Declares the functions of one library: `api! { Struct, LibraryKind variant; fn name(argument: type) -> type; ... }`.
macro_rules! api {
    ($api:ident, $kind:ident; $( $(#[$meta:meta])* fn $name:ident( $($arg:ident: $ty:ty),* $(,)? ) $(-> $ret:ty)?; )*) => {
        #[doc = concat!("The functions of ", stringify!($kind), ", each as a method of the same name.")]
        ///
        /// A function is looked up on its first call. If the library does not export it, the call returns [`MissingSymbol`].
        ///
        /// [`MissingSymbol`]: crate::MissingSymbol
        pub struct $api {
            library: $crate::Library,
            slots: Slots,
        }

        #[derive(Default)]
        struct Slots {
            $( $name: $crate::api::Slot, )*
        }

        impl $api {
            /// Wraps an opened library.
            pub fn new(library: $crate::Library) -> Self {
                Self { library, slots: Slots::default() }
            }

            /// Finds and opens the library.
            ///
            /// # Errors
            ///
            /// Fails if the library was not found or could not be opened; the error lists everything that was tried.
            pub fn open(search: &$crate::Search) -> Result<Self, $crate::LoadError> {
                $crate::Library::open($crate::LibraryKind::$kind, search).map(Self::new)
            }

            /// Wraps a platform that is compiled into this program. `name` replaces the file name in messages.
            pub fn from_resolver(name: &'static str, resolver: $crate::Resolver) -> Self {
                Self::new($crate::Library::from_resolver($crate::LibraryKind::$kind, name, resolver))
            }

            /// The library that the functions come from.
            pub fn library(&self) -> &$crate::Library {
                &self.library
            }

            /// Whether the library exports a function, even one that is not bound here.
            pub fn has(&self, symbol: &str) -> bool {
                self.library.symbol(symbol).is_some()
            }

            $(
                $(#[$meta])*
                ///
                /// # Safety
                ///
                /// The arguments must meet the requirements of the C function's documentation.
                ///
                /// # Errors
                ///
                /// Fails if the library does not export the function.
                #[inline]
                pub unsafe fn $name(&self, $($arg: $ty),*) -> Result<$crate::api::api!(@ret $($ret)?), $crate::MissingSymbol> {
                    #[cfg(feature = "link")]
                    if self.library.is_linked() {
                        // SAFETY: the caller upholds the C function's contract; the declaration is the header's.
                        return Ok(unsafe { linked::$name($($arg),*) });
                    }
                    let address = self.slots.$name.get(&self.library, stringify!($name))?;
                    // SAFETY: the address is not null and is that of the C function of this name, whose type the header gives.
                    let function = unsafe { ::core::mem::transmute::<*mut ::core::ffi::c_void, signature::$name>(address) };
                    // SAFETY: the caller upholds the C function's contract.
                    Ok(unsafe { function($($arg),*) })
                }
            )*
        }

        impl ::core::fmt::Debug for $api {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(stringify!($api)).field("library", &self.library).finish_non_exhaustive()
            }
        }

        /// The function types.
        #[allow(non_camel_case_types)]
        pub mod signature {
            use super::*;
            $(
                #[doc = concat!("The type of `", stringify!($name), "`.")]
                pub type $name = unsafe extern "C" fn($($arg: $ty),*) $(-> $ret)?;
            )*
        }

        /// The names of all bound functions.
        pub const SYMBOLS: &[&str] = &[$( stringify!($name) ),*];

        // Handles point to structs that are incomplete in C, so they have no fields here.
        #[cfg(feature = "link")]
        #[allow(improper_ctypes)]
        mod linked {
            use super::*;
            unsafe extern "C" {
                $( pub(super) unsafe fn $name($($arg: $ty),*) $(-> $ret)?; )*
            }
        }
    };
    (@ret) => { () };
    (@ret $ret:ty) => { $ret };
}
pub(crate) use api;
