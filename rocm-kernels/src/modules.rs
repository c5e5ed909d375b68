//! The table of kernel modules: one row per file `hip/<family>/<name>.hip`.
//!
//! The crate's constants, `cargo xtask build-kernels`, `cargo xtask test --kernels` and CI all derive from it.

use crate::module::{Bound, Module};

macro_rules! modules {
    ($(
        $(#[$documentation:meta])*
        $constant:ident: $family:literal / $name:literal, $bound:ident, $tests:expr;
    )*) => {
        $(
            $(#[$documentation])*
            pub const $constant: Module = Module {
                name: $name,
                family: $family,
                source: include_str!(concat!("../hip/", $family, "/", $name, ".hip")),
                bound: Bound::$bound,
                tests: &$tests,
            };
        )*

        /// Every module, sorted by family and name.
        pub const ALL: &[&Module] = &[$(&$constant),*];
    };
}

// Each row: family / name, what bounds it, and the tests of candle-rocm that launch every one of its kernels, as
// `program::module::test`, or `program::module` for all tests of that module. A kernel's branches depend on layouts, lengths and
// block sizes, which these tests vary; tests with more elements, seeds or values are left out.
modules! {
    /// Attention with an online softmax: the matrix of scores is never stored.
    ATTENTION: "attention" / "attention", Compute, ["attention::forward"];
    /// Gradients of attention.
    ATTENTION_BACKWARD: "attention" / "attention_backward", Compute,
        ["attention::backward::sizes", "attention::backward::strides", "attention::backward::masks"];
    /// Attention of few queries to keys and values in F8E4M3.
    ATTENTION_F8: "attention" / "attention_f8", Memory, ["attention::f8::as_of_casts"];
    /// Attention on matrix cores.
    ATTENTION_MATRIX: "attention" / "attention_matrix", Compute,
        [
            "attention::forward::many_queries",
            "attention::forward::masks",
            "attention::forward::strides",
            "attention::forward::special_values",
        ];

    /// Attention of a decoder's step, with rotary embeddings and grown caches.
    ATTENTION_STEP: "attention" / "attention_step", Memory, ["attention::step::as_one_by_one"];

    /// Convolutions, im2col and col2im.
    CONV: "conv" / "conv", Compute,
        [
            "conv::convolution::all_dtypes_and_engines_agree_with_loops",
            "conv::convolution::operands_may_have_any_layout",
            "conv::convolution::broadcast_operands",
            "conv::convolution::entry_points_of_candle",
            "conv::convolution::patches_of_candle",
            "conv::convolution::patches_added_up",
        ];
    /// Pooling and upsampling.
    CONV_POOL: "conv" / "conv_pool", Memory,
        [
            "conv::pool::maxima_are_exact",
            "conv::pool::averages_of_floats",
            "conv::pool::averages_of_integers",
            "conv::upsample::nearest",
            "conv::upsample::bilinear",
        ];

    /// `x * mul + add`.
    AFFINE: "elementwise" / "affine", Memory,
        ["elementwise::unary::affine", "elementwise::unary::large_tensors", "elementwise::direct::in_place"];
    /// Arithmetic and comparisons of two operands.
    BINARY: "elementwise" / "binary", Memory, ["elementwise::binary"];
    /// Conversions between dtypes.
    CAST: "elementwise" / "cast", Memory,
        ["elementwise::cast::every_pair_in_every_view", "elementwise::cast::large_tensors"];
    /// Constants, strided fills and 2-D copies.
    FILL: "elementwise" / "fill", Memory,
        [
            "elementwise::fill::const_set_everywhere",
            "elementwise::fill::zeros_are_zero",
            "elementwise::direct::fill",
            "layout::copy::copies_of_rows",
            "layout::copy::copies_end_with_the_destination",
        ];
    /// `where(condition, a, b)`.
    TERNARY: "elementwise" / "ternary", Memory,
        ["elementwise::ternary::every_dtype_in_every_view", "elementwise::ternary::large_tensors"];
    /// Functions of one operand, and strided copies.
    UNARY: "elementwise" / "unary", Memory,
        ["elementwise::unary", "elementwise::direct::sigmoid_and_normcdf", "layout::copy::copies_of_every_view"];

    /// Rows of mixtures of experts, grouped by expert.
    EXPERT_TILES: "indexing" / "expert_tiles", Memory,
        ["quantized::experts::experts", "quantized::experts::uneven_routing", "nn::experts::on_matrix_cores"];
    /// Gather, scatter, index-select and index-add.
    INDEXING: "indexing" / "indexing", Memory,
        [
            "indexing::operations::index_select_in_every_view",
            "indexing::operations::gather_in_every_view",
            "indexing::operations::every_index_dtype_with_every_dtype",
            "indexing::operations::scatter_from_every_view",
            "indexing::operations::index_add_from_every_view",
            "indexing::operations::deterministic_sums",
            "indexing::operations::atomic_sums",
            "indexing::operations::strips",
            "indexing::operations::indices_out_of_range",
            "indexing::sums::every_dtype",
            "indexing::sums::in_order",
            "indexing::operations::entry_points_of_candle",
        ];

    /// Concatenation, and what a step of a decoder adds to its caches.
    CAT: "layout" / "cat", Memory, ["layout::cat", "nn::rope_cat::as_one_by_one"];
    /// Copies between layouts whose contiguous dimensions differ.
    TRANSPOSE: "layout" / "transpose", Memory,
        ["layout::copy::transposes", "layout::copy::transposes_in_any_blocks"];
    /// Arithmetic on transposed operands.
    TRANSPOSED: "layout" / "transposed", Memory, ["layout::copy::arithmetic_in_tiles"];

    /// Tiled matrix multiplication.
    GEMM: "matmul" / "gemm", Compute,
        ["matmul::products::layouts", "matmul::products::sizes", "matmul::products::tiles"];
    /// Matrix multiplication on matrix cores.
    GEMM_MATRIX: "matmul" / "gemm_matrix", Compute, ["matmul::products::tiles"];
    /// Products of a few rows with a matrix.
    MATVEC: "matmul" / "matvec", Memory,
        [
            "matmul::products::vectors",
            "matmul::several::as_one_by_one",
            "matmul::several::gated",
            "matmul::several::of_norms",
        ];

    /// Gradients of softmax, norms and sigmoid.
    GRADIENTS: "nn" / "gradients", Memory,
        [
            "nn::backward::softmax_gradients",
            "nn::backward::rows_in_many_parts",
            "nn::backward::norm_gradients",
            "nn::backward::group_norm_gradients",
            "nn::backward::sigmoid_gradients",
        ];
    /// Mixtures of experts: each row times the weights of its experts.
    MOE: "nn" / "moe", Compute,
        [
            "nn::experts::rows_meet_their_experts",
            "nn::experts::entries_beyond_the_end",
            "nn::backward::expert_gradients",
        ];
    /// Mixtures of experts on matrix cores.
    MOE_MATRIX: "nn" / "moe_matrix", Compute, ["nn::experts::on_matrix_cores"];
    /// Softmax and norms of rows.
    ROWS: "nn" / "rows", Memory,
        [
            "nn::forward::softmax_of_every_length",
            "nn::forward::rows_in_many_parts",
            "nn::forward::norms_of_every_length",
            "nn::forward::group_norms",
            "nn::add_norm::as_in_two_steps",
        ];

    /// Dequantization of GGML's block formats, and quantization of activations.
    QUANTIZED: "quantized" / "quantized", Memory,
        [
            "quantized::conversions::dequantize_every_type",
            "quantized::conversions::rows",
            "quantized::conversions::activations_are_quantized",
            "quantized::conversions::activations_of_candles_kernel",
        ];
    /// Quantized mixtures of experts for many rows.
    QUANTIZED_EXPERTS: "quantized" / "quantized_experts", Memory, ["quantized::experts::tiles_of_any_size"];
    /// Dequantization of GGML's block formats with grids.
    QUANTIZED_GRID: "quantized" / "quantized_grid", Memory,
        ["quantized::conversions::dequantize_every_type", "quantized::conversions::rows"];
    /// Mixtures of experts of types with grids for many rows.
    QUANTIZED_GRID_EXPERTS: "quantized" / "quantized_grid_experts", Memory,
        ["quantized::experts::tiles_of_any_size"];
    /// Matrix of a type with a grid times matrix.
    QUANTIZED_GRID_MAT_MAT: "quantized" / "quantized_grid_mat_mat", Memory,
        ["quantized::tiles::tiles_of_any_size", "quantized::tiles::gates"];
    /// Matrix of a type with a grid times a few vectors, and mixtures of such experts.
    QUANTIZED_GRID_MAT_VEC: "quantized" / "quantized_grid_mat_vec", Memory,
        [
            "quantized::products::one_vector_exactly",
            "quantized::products::some_vectors",
            "quantized::experts::experts",
        ];
    /// Matrix of a type with a grid times a few vectors, at memory bandwidth.
    QUANTIZED_GRID_STREAM: "quantized" / "quantized_grid_stream", Memory,
        [
            "quantized::products::streamed_vectors",
            "quantized::several::as_one_by_one",
            "quantized::several::gated_as_one_by_one",
        ];
    /// Quantized matrix times matrix.
    QUANTIZED_MAT_MAT: "quantized" / "quantized_mat_mat", Memory,
        [
            "quantized::tiles::tiles_of_any_size",
            "quantized::tiles::epilogues",
            "quantized::tiles::gates",
            "quantized::products::many_vectors",
            "quantized::products::nothing_is_written_elsewhere",
        ];
    /// Quantized matrix times a few vectors, and quantized mixtures of experts.
    QUANTIZED_MAT_VEC: "quantized" / "quantized_mat_vec", Memory,
        [
            "quantized::products::one_vector_exactly",
            "quantized::products::some_vectors",
            "quantized::products::teams_of_any_size",
            "quantized::products::half_types",
            "quantized::experts::experts",
        ];
    /// Quantized products under candle's kernel names.
    QUANTIZED_Q8_1: "quantized" / "quantized_q8_1", Memory, ["quantized::entry_points"];
    /// Quantized matrix times a few vectors, at memory bandwidth.
    QUANTIZED_STREAM: "quantized" / "quantized_stream", Memory,
        [
            "quantized::products::streamed_vectors",
            "quantized::several::as_one_by_one",
            "quantized::several::gated_as_one_by_one",
            "quantized::several::of_norms",
            "quantized::products::half_types",
            "quantized::products::nothing_is_written_elsewhere",
        ];

    /// Uniform and normal random numbers from Philox4x32-10.
    RANDOM: "random" / "random", Memory,
        ["random::numbers::known_answers", "random::numbers::grids_do_not_matter", "random::numbers::as_defined"];

    /// Reductions over outer dimensions.
    COLUMNS: "reduce" / "columns", Memory, ["reduce::reductions::columns_in_vectors"];
    /// Sums, extremes, softmax, norms and rotary embeddings under candle's kernel names.
    REDUCE: "reduce" / "reduce", Memory,
        [
            "reduce::reductions::any_grid_and_block",
            "reduce::reductions::columns",
            "reduce::reductions::rows_of_every_kind",
            "reduce::reductions::small_sums",
            "reduce::reductions::sums_through_atomics",
            "nn::forward::softmax_of_every_length",
            "nn::forward::norms_of_every_length",
            "nn::forward::any_block",
            "nn::forward::rotary_embeddings",
            "nn::forward::rotary_embeddings_in_any_block",
            "nn::forward::rotary_embeddings_of_pairs",
        ];
    /// Prefix sums.
    SCAN: "reduce" / "scan", Memory, ["reduce::scan"];
    /// Argsort of rows.
    SORT: "reduce" / "sort", Memory,
        [
            "reduce::sort::every_dtype_in_every_view",
            "reduce::sort::rows_of_any_length",
            "reduce::sort::digits_in_common",
            "reduce::sort::entry_points_of_candle",
        ];
    /// The first of sorted rows.
    TOP_K: "reduce" / "top_k", Memory, ["reduce::top_k::rows_of_any_length"];
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::{FUSED, HEADERS};

    /// The `.hip` files below `hip/`, as `family/name`.
    fn sources() -> BTreeSet<String> {
        let hip = Path::new(env!("CARGO_MANIFEST_DIR")).join("hip");
        let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found = BTreeSet::new();
        for family in entries(&hip) {
            for file in entries(&family.path()) {
                let file = file.file_name().to_string_lossy().into_owned();
                if let Some(name) = file.strip_suffix(".hip") {
                    found.insert(format!("{}/{name}", family.file_name().to_string_lossy()));
                }
            }
        }
        found
    }

    #[test]
    fn every_source_has_a_row() {
        let rows: Vec<String> =
            ALL.iter().map(|module| format!("{}/{}", module.family, module.name)).collect();
        assert!(rows.is_sorted(), "{rows:?}");
        let mut rows: BTreeSet<String> = rows.into_iter().collect();
        assert!(rows.insert(format!("{}/{}", FUSED.family, FUSED.name)));
        assert_eq!(rows, sources());
        let names: BTreeSet<&str> = ALL.iter().map(|module| module.name).collect();
        assert_eq!(names.len(), ALL.len(), "names are unique: code objects are stored under them");
    }

    /// What one family alone includes lies in its folder; what several share, in `common`; what only generated kernels include, in
    /// `fusion`.
    #[test]
    fn headers_lie_where_they_are_used() {
        for (header, _) in HEADERS {
            let users: BTreeSet<&str> = ALL
                .iter()
                .filter(|module| module.headers().iter().any(|(name, _)| name == header))
                .map(|module| module.family)
                .collect();
            let (folder, _) = header.split_once('/').expect("a header lies in a folder");
            match folder {
                "common" => assert!(users.len() > 1, "{header} is used by {users:?} alone"),
                "fusion" => assert!(users.is_empty(), "{header} is used by {users:?}"),
                family => assert_eq!(users, BTreeSet::from([family]), "{header}"),
            }
        }
    }
}
