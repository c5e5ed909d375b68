//! Tables of C functions, and the macro that defines them.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::OnceLock;

/// One C function.
pub struct Export {
    /// Its name.
    pub name: &'static str,
    /// Its code.
    pub address: *const c_void,
}

// SAFETY: the address is that of a function, which every thread may call as the function's documentation says.
unsafe impl Sync for Export {}

/// The C functions of a platform, found by name.
pub struct Exports {
    tables: &'static [&'static [Export]],
    index: OnceLock<HashMap<&'static str, usize>>,
}

impl Exports {
    /// All tables that the export macros made.
    pub const fn new(tables: &'static [&'static [Export]]) -> Self {
        Self { tables, index: OnceLock::new() }
    }

    /// The address of a function, or `None` if the platform does not have it.
    pub fn symbol(&self, name: &str) -> Option<*const c_void> {
        let index = self
            .index
            .get_or_init(|| self.all().map(|export| (export.name, export.address as usize)).collect());
        index.get(name).map(|&address| address as *const c_void)
    }

    /// The names of all functions.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.all().map(|export| export.name)
    }

    fn all(&self) -> impl Iterator<Item = &'static Export> + use<> {
        self.tables.iter().copied().flatten()
    }
}

/// Defines C functions of one library and the table that lists them.
///
/// ```ignore
/// export! {
///     MyPlatform, hip => EXPORTS;
///
///     /// Allocates device memory.
///     fn hipMalloc(out: *mut *mut c_void, size: usize) -> hipError_t {
///         let address = allocate(size)?;
///         // SAFETY: the caller's out-parameter.
///         unsafe { write(out, address) }
///     }
/// }
/// ```
///
/// Each function is `unsafe extern "C"` and must have the type that the headers give it, such as
/// `rocm_sys::hip::signature::hipMalloc`. Its block evaluates to the body of its [`Status`](crate::Status): `Result<(), hipError_t>`
/// for functions that return a `hipError_t`. It carries its C name only with the feature `export` of the crate that invokes the
/// macro.
#[macro_export]
macro_rules! export {
    (
        $platform:ty, $library:ident => $table:ident;
        $(
            $(#[$meta:meta])*
            fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $status:ty $body:block
        )+
    ) => {
        $(
            $(#[$meta])*
            #[cfg_attr(feature = "export", unsafe(no_mangle))]
            #[allow(non_snake_case, clippy::missing_safety_doc, clippy::too_many_arguments)]
            pub(crate) unsafe extern "C" fn $name($($arg: $type),*) -> $status {
                let body = move || -> <$status as $crate::Status<$platform>>::Body { $body };
                <$status as $crate::Status<$platform>>::finish(body())
            }

            const _: $crate::sys::$library::signature::$name = $name;
        )+

        pub(crate) const $table: &[$crate::Export] = &[
            $($crate::Export {
                name: ::core::stringify!($name),
                address: $name as *const ::core::ffi::c_void,
            }),+
        ];
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found_by_name() {
        static CODE: [u8; 2] = [0; 2];
        static FIRST: &[Export] = &[Export { name: "one", address: (&raw const CODE[0]).cast() }];
        static TABLES: &[&[Export]] =
            &[FIRST, &[Export { name: "two", address: (&raw const CODE[1]).cast() }]];
        let exports = Exports::new(TABLES);
        assert_eq!(exports.symbol("two"), Some((&raw const CODE[1]).cast()));
        assert_eq!(exports.symbol("three"), None);
        assert_eq!(exports.names().collect::<Vec<_>>(), ["one", "two"]);
    }
}
