//! What is decided by measurement, and between which candidates: the one table.

use candle_core::DType;

use crate::dtype::QUANTIZED_NAMES;

/// Declares the candidates of a decision, with the names that files have for them.
macro_rules! candidates {
    ($(#[$about:meta])* $name:ident { $($(#[$bounds:meta])* $candidate:ident $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $($(#[$bounds])* $candidate,)*
        }

        impl $name {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$candidate,)*];
            const NAMES: &'static [&'static str] = &[$($text,)*];

            pub(crate) fn index(self) -> u8 {
                self as u8
            }

            pub(crate) fn at(index: u8) -> Option<Self> {
                Self::ALL.get(usize::from(index)).copied()
            }
        }
    };
}

candidates! {
    /// What multiplies matrices of floats. The bounds are `Plan::of`'s in `matmul/kernels.rs`.
    MatMulCandidate {
        /// Where rocBLAS is available.
        Rocblas "rocblas",
        /// Up to eight rows, B dense along k: a wavefront per column.
        MatvecRows "matvec_rows",
        /// One row, B dense across: blocks of 256 threads.
        MatvecCols "matvec_cols",
        /// The same in blocks of 1024 threads.
        MatvecColsWide "matvec_cols_1024",
        /// Tiles of 32 rows and columns.
        Small "gemm_small",
        /// Tiles of 64 for more than 16.
        Medium "gemm_medium",
        /// Tiles of 128 for more than 32, but of f64.
        Large "gemm_large",
        /// Tiles of 64 on matrix cores, for operands that they take.
        Matrix64 "gemm_matrix_64",
        /// Tiles of 128 on matrix cores for more than 32.
        Matrix128 "gemm_matrix_128",
    }
}

candidates! {
    /// What multiplies vectors with quantized weights. The bounds are those of `quantized/candidates.rs`.
    QuantizedCandidate {
        /// `Algorithm::Exact`, for one vector.
        Exact "exact",
        /// `Algorithm::Vectors`, up to 32.
        Vectors "vectors",
        /// `Algorithm::Streamed` in blocks that its own rule chooses, up to 64 vectors, as the next ones.
        Streamed "streamed",
        /// In blocks of 128 threads.
        Streamed128 "streamed_128",
        /// In blocks of 256 threads.
        Streamed256 "streamed_256",
        /// In blocks of 512 threads.
        Streamed512 "streamed_512",
        /// `Algorithm::Tiles`, for more than 8 vectors.
        Tiles "tiles",
        /// `Algorithm::Dequantized`, from 8 vectors on, for weights that are small in relation to the memory.
        Dequantized "dequantized",
        /// `Algorithm::Half`, the same of f32, with rocBLAS or on matrix cores.
        Half "half",
    }
}

candidates! {
    /// Over how many blocks the keys of few queries are split. The bounds are those of `attention/candidates.rs`.
    AttentionCandidate {
        /// Not at all, up to 4096 keys.
        Whole "whole",
        /// So that each compute unit has a block, as far as all lanes of a part have keys, as the next ones.
        Blocks1 "blocks_1",
        Blocks2 "blocks_2",
        Blocks4 "blocks_4",
        Blocks8 "blocks_8",
    }
}

candidates! {
    /// Into how many parts the rows of a reduction are cut. The bounds are those of `reduce/mod.rs`.
    ReductionCandidate {
        /// One.
        Whole "whole",
        /// So that each compute unit has a block, as far as parts are long enough, as the next ones.
        Blocks1 "blocks_1",
        Blocks2 "blocks_2",
        Blocks3 "blocks_3",
        Blocks4 "blocks_4",
        Blocks8 "blocks_8",
        Blocks16 "blocks_16",
    }
}

candidates! {
    /// What moves the elements of large transposed matrices. The bounds are those of `layout/candidates.rs`.
    TranspositionCandidate {
        /// Tiles in shared memory, by blocks of so many threads, as the next ones.
        Tiles128 "tiles_128",
        Tiles256 "tiles_256",
        Tiles512 "tiles_512",
        Tiles1024 "tiles_1024",
        /// As other layouts are copied: each element by itself. Only for copies.
        Elements "elements",
    }
}

candidates! {
    /// What computes large convolutions. The bounds are `Problem::has`'s in `conv/algorithm.rs`.
    ConvolutionCandidate {
        /// MIOpen's best guess, where MIOpen is available.
        Miopen0 "miopen_0",
        /// Its next ones, where they need not be compiled.
        Miopen1 "miopen_1",
        Miopen2 "miopen_2",
        Miopen3 "miopen_3",
        /// Patches as a matrix, as far as the memory goes.
        Im2col "im2col",
        /// Kernels that read the input in place.
        Direct "direct",
    }
}

/// A decision. A class of shapes has one word of each list, and the sizes, rounded.
pub(super) struct Decision {
    pub(super) name: &'static str,
    pub(super) words: &'static [&'static [&'static str]],
    pub(super) sizes: &'static [&'static str],
    pub(super) candidates: &'static [&'static str],
    /// Whether the fixed rule is a guess, which may cost several times the best: what is not known is measured unless tuning is off.
    pub(super) guessed: bool,
}

/// Indices into [`DECISIONS`].
pub(crate) const MATMUL: u8 = 0;
pub(crate) const QUANTIZED: u8 = 1;
pub(crate) const ATTENTION: u8 = 2;
pub(crate) const REDUCTION: u8 = 3;
pub(crate) const CONVOLUTION: u8 = 4;
pub(crate) const TRANSPOSITION: u8 = 5;

/// Dtypes of floats, and those of 32 bits at most.
const FLOATS: &[&str] = &["f16", "bf16", "f32", "f64"];
const FLOATS_OF_32_BITS: &[&str] = FLOATS.split_at(3).0;

/// The index of a float's dtype in these.
pub(crate) fn float(dtype: DType) -> u8 {
    match dtype {
        DType::F16 => 0,
        DType::BF16 => 1,
        DType::F32 => 2,
        _ => 3,
    }
}

/// Dtypes of products: one, or those of the operands and of the result.
const PRODUCTS: &[&str] = &["f16", "bf16", "f32", "f64", "f16_f32", "bf16_f32"];

/// The index of an operand's and a result's dtype in these.
pub(crate) fn floats(operands: DType, result: DType) -> u8 {
    let first_of_two = if operands == result { 0 } else { FLOATS.len() as u8 };
    first_of_two + float(operands)
}

/// Bytes of an element.
const ELEMENTS: &[&str] = &["1_byte", "2_bytes", "4_bytes", "8_bytes"];
/// How a matrix lies: dense rows, dense columns, neither.
const LAYOUTS: &[&str] = &["rows", "columns", "strided"];
/// Who could be asked.
const ENGINES: &[&str] = &["kernels", "rocblas"];

pub(super) const DECISIONS: [Decision; 6] = [
    Decision {
        name: "matmul",
        // The dtypes; A, B and C; whether matrix cores take the operands; engines.
        words: &[PRODUCTS, LAYOUTS, LAYOUTS, LAYOUTS, &["plain", "matrix_cores"], ENGINES],
        sizes: &["batch", "m", "n", "k"],
        candidates: MatMulCandidate::NAMES,
        guessed: false,
    },
    Decision {
        name: "quantized_matmul",
        // The weights' type, the vectors' dtype, engines.
        words: &[&QUANTIZED_NAMES, FLOATS_OF_32_BITS, ENGINES],
        sizes: &["vectors", "rows", "columns"],
        candidates: QuantizedCandidate::NAMES,
        guessed: false,
    },
    Decision {
        name: "attention",
        words: &[FLOATS_OF_32_BITS],
        // Heads of keys in all batches, queries that share one, keys, columns.
        sizes: &["heads", "queries", "keys", "columns"],
        candidates: AttentionCandidate::NAMES,
        guessed: false,
    },
    Decision {
        name: "reduction",
        // What is found, how large an element is, and how the elements of a row lie.
        words: &[&["sum", "extreme", "index"], ELEMENTS, &["rows", "columns", "matrices"]],
        sizes: &["rows", "length"],
        candidates: ReductionCandidate::NAMES,
        guessed: false,
    },
    Decision {
        name: "convolution",
        // The dtype; how the operands lie; the window's steps; groups; engines.
        words: &[
            FLOATS,
            &["contiguous", "strided"],
            &["steps_of_1", "steps", "dilated", "transposed"],
            &["one_group", "groups"],
            &["kernels", "miopen"],
        ],
        // Channels of a group before and after, taps, pixels of all results.
        sizes: &["in", "out", "taps", "pixels"],
        candidates: ConvolutionCandidate::NAMES,
        guessed: true,
    },
    Decision {
        name: "transposition",
        // What is done with the elements on their way; how large one is; whether rows and columns begin at multiples of a vector.
        words: &[&["copy", "affine", "binary"], ELEMENTS, &["aligned", "unaligned"]],
        // Of matrices as they are read.
        sizes: &["matrices", "rows", "columns"],
        candidates: TranspositionCandidate::NAMES,
        guessed: false,
    },
];
