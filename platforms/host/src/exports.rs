//! How C functions are declared: one macro defines, checks, exports and registers each of them.

use rocm_sys::hip::hipError_t;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::OnceLock;

/// One function of the C interface, as [`symbol`] finds it.
pub(crate) struct Export {
    pub(crate) name: &'static str,
    pub(crate) address: *const c_void,
}

/// What a C function returns, and what its body evaluates to.
///
/// Bodies written inside [`export!`] evaluate to `Body`, so that `?` works in them; `finish` turns that into the
/// C value (and, for HIP, keeps the thread's last error).
pub(crate) trait Status: Sized {
    type Body;
    fn finish(body: Self::Body) -> Self;
}

impl Status for hipError_t {
    type Body = Result<(), hipError_t>;

    fn finish(body: Self::Body) -> Self {
        crate::runtime::error::finish(body)
    }
}

impl Status for std::ffi::c_int {
    type Body = Self;

    fn finish(body: Self::Body) -> Self {
        body
    }
}

impl Status for *const std::ffi::c_char {
    type Body = Self;

    fn finish(body: Self::Body) -> Self {
        body
    }
}

/// Defines C functions of one library and the table through which [`symbol`] finds them.
///
/// ```ignore
/// export! {
///     hip => EXPORTS;
///
///     /// Allocates device memory.
///     fn hipMalloc(ptr: *mut *mut c_void, size: usize) -> hipError_t {
///         let device = device::current();
///         device.check()?;
///         // SAFETY: ...
///         unsafe { ... }
///         Ok(())
///     }
/// }
/// ```
///
/// The body evaluates to `<ReturnType as Status>::Body`: `Result<(), hipError_t>` for `hipError_t`. The function is
/// `unsafe extern "C"`, must have the type `rocm_sys::hip::signature::hipMalloc`, and carries its C name only with
/// feature `export`. `EXPORTS` has to be listed in [`TABLES`].
macro_rules! export {
    (
        $api:ident => $table:ident;
        $(
            $(#[$meta:meta])*
            fn $name:ident($($arg:ident: $type:ty),* $(,)?) -> $status:ty $body:block
        )+
    ) => {
        $(
            $(#[$meta])*
            #[cfg_attr(feature = "export", unsafe(no_mangle))]
            #[allow(non_snake_case, clippy::missing_safety_doc)]
            pub(crate) unsafe extern "C" fn $name($($arg: $type),*) -> $status {
                let body = move || -> <$status as $crate::exports::Status>::Body { $body };
                <$status as $crate::exports::Status>::finish(body())
            }

            const _: rocm_sys::$api::signature::$name = $name;
        )+

        pub(crate) const $table: &[$crate::exports::Export] = &[
            $($crate::exports::Export { name: stringify!($name), address: $name as *const std::ffi::c_void }),+
        ];
    };
}
pub(crate) use export;

/// Every table of the crate: a new room adds its own here.
const TABLES: &[&[Export]] = &[
    crate::runtime::error::EXPORTS,
    crate::runtime::error::LAST_ERROR_EXPORTS,
    crate::runtime::device::EXPORTS,
    crate::runtime::properties::EXPORTS,
    crate::runtime::peer::EXPORTS,
    crate::runtime::memory::EXPORTS,
    crate::runtime::copy::EXPORTS,
    crate::runtime::fill::EXPORTS,
    crate::runtime::stream_api::EXPORTS,
    crate::runtime::event::EXPORTS,
];

/// The address of a C function of HIP, hiprtc, rocBLAS or MIOpen, or `None` where this platform does not have it.
///
/// This is how a program that links the platform in reaches it; a program that opens the shared library uses the
/// dynamic symbols of the same names.
pub fn symbol(name: &str) -> Option<*const c_void> {
    static INDEX: OnceLock<HashMap<&'static str, usize>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        TABLES.iter().copied().flatten().map(|export| (export.name, export.address as usize)).collect()
    });
    index.get(name).map(|&address| address as *const c_void)
}

/// The names of all C functions that [`symbol`] finds.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    TABLES.iter().copied().flatten().map(|export| export.name)
}
