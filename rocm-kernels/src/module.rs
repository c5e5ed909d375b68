//! The kernel modules: one constant per file of `hip/`.

/// One kernel source file, compiled and loaded as one HIP module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module {
    /// The file's name without extension, e.g. `affine`.
    pub name: &'static str,
    /// The file's text; its `#include "..."` lines name entries of [`HEADERS`].
    pub source: &'static str,
}

impl Module {
    /// Those of [`HEADERS`] that its source includes, itself or through others: what decides, with the source, what the
    /// compiler makes of it.
    pub fn headers(&self) -> Vec<(&'static str, &'static str)> {
        let mut found = Vec::new();
        let mut texts = vec![self.source];
        while let Some(text) = texts.pop() {
            for name in text.lines().filter_map(included) {
                let header = HEADERS.iter().find(|(header, _)| *header == name);
                if let Some(header) = header.filter(|header| !found.contains(*header)) {
                    found.push(*header);
                    texts.push(header.1);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Whether its code depends on the number of lanes of a wavefront: `wave.h` alone needs `WAVE`.
    pub fn uses_wave(&self) -> bool {
        self.headers().iter().any(|(name, _)| *name == "wave.h")
    }
}

/// The name in `#include "name"`.
fn included(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("#include \"")?.split('"').next()
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
    ATTENTION "attention" "Attention without a matrix of scores.";
    ATTENTION_BACKWARD "attention_backward" "Gradients of attention.";
    ATTENTION_MATRIX "attention_matrix" "Attention on matrix cores.";
    BINARY "binary" "Arithmetic and comparisons of two operands.";
    CAST "cast" "Conversions between dtypes.";
    CAT "cat" "Rows of several sources next to each other.";
    COLUMNS "columns" "Reductions over outer dimensions.";
    CONV "conv" "Convolutions, and columns for convolutions by matrix products.";
    CONV_POOL "conv_pool" "Pools, and images of another size.";
    FILL "fill" "Constants, strided fills and 2-D copies.";
    GEMM "gemm" "Matrix products in tiles.";
    GEMM_MATRIX "gemm_matrix" "Matrix products on matrix cores.";
    GRADIENTS "gradients" "Gradients of softmax and norms.";
    INDEXING "indexing" "Reading and writing along one dimension by index.";
    MATVEC "matvec" "Products of few rows with a matrix.";
    MOE "moe" "Rows times the weights of their experts.";
    QUANTIZED "quantized" "GGML's quantized blocks: made floats, made from activations.";
    QUANTIZED_MAT_MAT "quantized_mat_mat" "Quantized matrices times matrices.";
    QUANTIZED_MAT_VEC "quantized_mat_vec" "Quantized matrices times a few vectors; mixtures of experts.";
    QUANTIZED_STREAM "quantized_stream" "Quantized matrices times a few vectors, as fast as memory.";
    RANDOM "random" "Uniform and normal numbers from Philox4x32-10.";
    REDUCE "reduce" "Sums, extremes, softmax, norms, rotary embeddings, as candle names them.";
    ROWS "rows" "Softmax and norms.";
    SCAN "scan" "Running sums.";
    SORT "sort" "The places of elements in order.";
    TERNARY "ternary" "`where(condition, a, b)`.";
    TRANSPOSE "transpose" "Copies of matrices that change which dimension is contiguous.";
    TRANSPOSED "transposed" "Arithmetic of transposed operands.";
    UNARY "unary" "Functions of one operand, and strided copies.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_that_are_included() {
        let names = |module: &Module| module.headers().iter().map(|(name, _)| *name).collect::<Vec<_>>();
        assert_eq!(names(&AFFINE), ["dtype.h", "elementwise.h", "index.h", "platform.h", "vec.h"]);
        assert_eq!(names(&SORT), ["divide.h", "dtype.h", "platform.h", "wave.h"]);
        assert!(SORT.uses_wave() && !RANDOM.uses_wave());
        let all: Vec<_> = ALL.iter().flat_map(|module| module.headers()).collect();
        for header in HEADERS {
            assert!(all.contains(header), "no module includes {}", header.0);
        }
    }
}
