//! The kernel modules: one constant per file of `hip/`.

/// One kernel source file, compiled and loaded as one HIP module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module {
    /// The file's name without extension, e.g. `affine`.
    pub name: &'static str,
    /// The file's text; its `#include "..."` lines name entries of [`HEADERS`].
    pub source: &'static str,
}

/// What the sources include, as (name, text).
pub const HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/headers.rs"));

macro_rules! modules {
    ($($constant:ident $name:literal $what:literal;)*) => {
        $(
            #[doc = $what]
            pub const $constant: Module =
                Module { name: $name, source: include_str!(concat!("../hip/", $name, ".hip")) };
        )*

        /// Every module.
        pub const ALL: &[&Module] = &[$(&$constant),*];
    };
}

modules! {
    AFFINE "affine" "`x * mul + add`.";
    BINARY "binary" "Arithmetic and comparisons of two operands.";
    CAST "cast" "Conversions between dtypes.";
    FILL "fill" "Constants, strided fills and 2-D copies.";
    INDEXING "indexing" "Reading and writing along one dimension by index.";
    RANDOM "random" "Uniform and normal numbers from Philox4x32-10.";
    REDUCE "reduce" "Sums, extremes, softmax, norms, rotary embeddings.";
    SORT "sort" "The places of elements in order.";
    TERNARY "ternary" "`where(condition, a, b)`.";
    UNARY "unary" "Functions of one operand, and strided copies.";
}
