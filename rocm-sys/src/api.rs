//! The macro that turns a generated list of C functions into a struct with a method per function.

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::{Library, MissingSymbol};

/// The address of one function, looked up when it is first called.
#[derive(Default)]
pub(crate) struct Slot(AtomicPtr<c_void>);

impl Slot {
    /// The function's address; never null.
    #[inline]
    pub(crate) fn get(&self, library: &Library, symbol: &'static str) -> Result<*mut c_void, MissingSymbol> {
        let address = self.0.load(Ordering::Relaxed);
        if !address.is_null() { Ok(address) } else { self.resolve(library, symbol) }
    }

    /// Two threads may both come here; they find the same address.
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
        #[doc = concat!("The functions of ", stringify!($kind), ": one method per C function, under its name.")]
        ///
        /// Each function is looked up when it is first called; one that the library lacks is an error of that call alone.
        pub struct $api {
            library: $crate::Library,
            slots: Slots,
        }

        #[derive(Default)]
        struct Slots {
            $( $name: $crate::api::Slot, )*
        }

        impl $api {
            /// The functions of an opened library.
            pub fn new(library: $crate::Library) -> Self {
                Self { library, slots: Slots::default() }
            }

            /// Finds and opens the library.
            pub fn open(search: &$crate::Search) -> Result<Self, $crate::LoadError> {
                $crate::Library::open($crate::LibraryKind::$kind, search).map(Self::new)
            }

            /// The functions of a platform that is part of this program; `name` stands for it in messages.
            pub fn from_resolver(name: &'static str, resolver: $crate::Resolver) -> Self {
                Self::new($crate::Library::from_resolver($crate::LibraryKind::$kind, name, resolver))
            }

            /// Where the functions come from.
            pub fn library(&self) -> &$crate::Library {
                &self.library
            }

            /// Whether the library has a function, bound here or not.
            pub fn has(&self, symbol: &str) -> bool {
                self.library.symbol(symbol).is_some()
            }

            $(
                $(#[$meta])*
                ///
                /// # Safety
                ///
                /// The arguments must be what the C documentation asks for.
                #[inline]
                pub unsafe fn $name(&self, $($arg: $ty),*) -> Result<$crate::api::api!(@ret $($ret)?), $crate::MissingSymbol> {
                    #[cfg(feature = "link")]
                    if self.library.is_linked() {
                        // SAFETY: the caller vouches for the arguments; the declaration is the header's.
                        return Ok(unsafe { linked::$name($($arg),*) });
                    }
                    let address = self.slots.$name.get(&self.library, stringify!($name))?;
                    // SAFETY: the address is not null and belongs to the C function of this name, whose type the header gives.
                    let function = unsafe { ::core::mem::transmute::<*mut ::core::ffi::c_void, signature::$name>(address) };
                    // SAFETY: the caller vouches for the arguments.
                    Ok(unsafe { function($($arg),*) })
                }
            )*
        }

        impl ::core::fmt::Debug for $api {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct(stringify!($api)).field("library", &self.library).finish_non_exhaustive()
            }
        }

        /// The type of each function.
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

        // Handles point to structs that C leaves incomplete: they have no fields here.
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
