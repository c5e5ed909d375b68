//! For libraries that provide HIP's C functions instead of calling them.
//!
//! [`export!`] defines C functions, checks each against the type that the headers give it, and lists them in a table;
//! [`Exports`] finds them by name, which is what [`Hip::from_resolver`](crate::hip::Hip::from_resolver) wants.

mod error;
#[cfg(feature = "rocblas")]
mod gemm;
#[cfg(feature = "miopen")]
pub mod miopen;
#[cfg(feature = "hiprtc")]
pub mod programs;
#[cfg(feature = "rocblas")]
pub mod rocblas;

use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::OnceLock;

use crate::hip::hipError_t;

pub use crate::export;
pub use error::{UNKNOWN_ERROR, error_exports};
#[cfg(feature = "rocblas")]
pub use gemm::{GemmCall, GemmOperand, gemm_exports};

/// One C function.
pub struct Export {
    /// Its name.
    pub name: &'static str,
    /// Its code.
    pub address: *const c_void,
}

// SAFETY: the address is that of a function, which every thread may call as the function's documentation says.
unsafe impl Sync for Export {}

/// The C functions of a library, found by name.
pub struct Exports {
    tables: &'static [&'static [Export]],
    index: OnceLock<HashMap<&'static str, usize>>,
}

impl Exports {
    /// All tables that [`export!`] made.
    pub const fn new(tables: &'static [&'static [Export]]) -> Self {
        Self { tables, index: OnceLock::new() }
    }

    /// The address of a function, or `None` if the library does not have it.
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
/// Each function is `unsafe extern "C"` and must have the type `rocm_sys::hip::signature::hipMalloc`. It carries its C
/// name only with the feature `export` of the crate that invokes the macro, so that several implementations can be
/// linked into one program. That crate has a trait `crate::exports::Status` for the types that functions return: the
/// block evaluates to `<hipError_t as Status>::Body`, which `Status::finish` turns into what C gets.
#[macro_export]
// `crate` without `$`: each library keeps a thread's last error itself.
#[allow(clippy::crate_in_macro_def)]
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
                let body = move || -> <$status as crate::exports::Status>::Body { $body };
                <$status as crate::exports::Status>::finish(body())
            }

            const _: $crate::$api::signature::$name = $name;
        )+

        pub(crate) const $table: &[$crate::implement::Export] = &[
            $($crate::implement::Export {
                name: ::core::stringify!($name),
                address: $name as *const ::core::ffi::c_void,
            }),+
        ];
    };
}

/// Writes an out-parameter; a null pointer is an invalid value.
///
/// # Safety
///
/// `out` is null or valid for writing a `T`.
pub unsafe fn write<T>(out: *mut T, value: T) -> Result<(), hipError_t> {
    // SAFETY: the caller's promise.
    unsafe { write_or(out, value, hipError_t::hipErrorInvalidValue) }
}

/// Writes an out-parameter; a null pointer is the error `null`.
///
/// # Safety
///
/// `out` is null or valid for writing a `T`.
unsafe fn write_or<T, E>(out: *mut T, value: T, null: E) -> Result<(), E> {
    if out.is_null() {
        return Err(null);
    }
    // SAFETY: not null, so the caller vouches for it.
    unsafe { out.write(value) };
    Ok(())
}

/// Text for a C array: cut where it does not fit, always ended by a zero.
pub fn text<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    for (to, &from) in array.iter_mut().zip(text.as_bytes()).take(N.saturating_sub(1)) {
        *to = from as c_char;
    }
    array
}

/// Text for a caller's buffer: cut where it does not fit, always ended by a zero.
///
/// # Safety
///
/// `out` is null or `len` characters may be written there.
pub unsafe fn write_text(out: *mut c_char, len: c_int, text: &str) -> Result<(), hipError_t> {
    let room = usize::try_from(len).ok().and_then(|len| len.checked_sub(1));
    let room = room.filter(|_| !out.is_null()).ok_or(hipError_t::hipErrorInvalidValue)?;
    let count = text.len().min(room);
    // SAFETY: `count` characters and the zero fit, and the caller vouches for the buffer.
    unsafe {
        out.copy_from_nonoverlapping(text.as_ptr().cast(), count);
        out.add(count).write(0);
    }
    Ok(())
}
