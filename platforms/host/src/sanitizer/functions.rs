//! Functions of the sanitizers' libraries, if they are in this process.

/// Defines a table of functions that are all there or not at all.
macro_rules! functions {
    ($(#[$meta:meta])* $table:ident { $($field:ident: $symbol:literal fn($($arg:ty),*) $(-> $ret:ty)?,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy)]
        pub(crate) struct $table {
            $(pub(crate) $field: unsafe extern "C" fn($($arg),*) $(-> $ret)?,)+
        }

        impl $table {
            pub(crate) fn find() -> Option<Self> {
                Some(Self {
                    $(
                        // SAFETY: a function of the sanitizer's documented interface, which has this type.
                        $field: unsafe {
                            std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C" fn($($arg),*) $(-> $ret)?>(
                                $crate::system::symbol($symbol)?,
                            )
                        },
                    )+
                })
            }
        }
    };
}
pub(crate) use functions;
