//! Which tests reach every kernel of a module, and whether they did.
//!
//! Checked kernels take several times as long, and tests repeat the same code with many shapes: what runs under a checker
//! is this selection. The host platform writes down what is launched, so a kernel that the selection leaves out is found.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::parity;

/// The host platform's variable for the list of launched kernels.
const LAUNCH_LOG: &str = "CANDLE_ROCM_HOST_LAUNCH_LOG";

/// The wavefronts that every kernel has to have run on.
const WAVES: [u32; 2] = [32, 64];

/// Tests of one program that launch kernels of a module.
pub(super) struct Tests {
    module: &'static str,
    pub(super) program: &'static str,
    /// Their names; all of the program's if there are none.
    pub(super) names: &'static [&'static str],
}

const fn tests(module: &'static str, program: &'static str, names: &'static [&'static str]) -> Tests {
    Tests { module, program, names }
}

/// Every module has some. A kernel's branches depend on layouts, lengths and blocks, which these tests vary, and not on
/// what they leave out: more elements, more seeds, more values.
const SELECTION: &[Tests] = &[
    tests("affine", "unary", &["affine", "large_tensors"]),
    tests("affine", "direct", &["in_place"]),
    tests("attention", "attention", &[]),
    tests("attention_backward", "attention_backward", &["sizes", "strides", "masks"]),
    tests("attention_matrix", "attention", &["many_queries", "masks", "strides", "special_values"]),
    tests("binary", "binary", &[]),
    tests("cast", "cast", &["every_pair_in_every_view", "large_tensors"]),
    tests("cat", "cat", &[]),
    tests("columns", "reduce", &["columns_in_vectors"]),
    tests(
        "conv",
        "conv",
        &[
            "all_dtypes_and_engines_agree_with_loops",
            "operands_may_have_any_layout",
            "broadcast_operands",
            "entry_points_of_candle",
            "patches_of_candle",
            "patches_added_up",
        ],
    ),
    tests("conv_pool", "pool2d", &["maxima_are_exact", "averages_of_floats", "averages_of_integers"]),
    tests("conv_pool", "upsample", &["nearest", "bilinear"]),
    tests("fill", "fill", &["const_set_everywhere", "zeros_are_zero"]),
    tests("fill", "copy", &["copies_of_rows", "copies_end_with_the_destination"]),
    tests("fill", "direct", &["fill"]),
    tests("gemm", "matmul", &["layouts", "sizes", "tiles"]),
    tests("gemm_matrix", "matmul", &["tiles"]),
    tests(
        "gradients",
        "backward",
        &["softmax_gradients", "norm_gradients", "group_norm_gradients", "sigmoid_gradients"],
    ),
    tests(
        "indexing",
        "indexing",
        &[
            "index_select_in_every_view",
            "gather_in_every_view",
            "every_index_dtype_with_every_dtype",
            "scatter_from_every_view",
            "index_add_from_every_view",
            "deterministic_sums",
            "atomic_sums",
            "strips",
            "indices_out_of_range",
            "entry_points_of_candle",
        ],
    ),
    tests("matvec", "matmul", &["vectors"]),
    tests("moe", "experts", &["rows_meet_their_experts", "entries_beyond_the_end"]),
    tests("moe", "backward", &["expert_gradients"]),
    tests("quantized", "quantized", &["dequantize_every_type", "rows", "activations_are_quantized"]),
    tests("quantized_mat_mat", "quantized", &["many_vectors", "nothing_is_written_elsewhere"]),
    tests(
        "quantized_mat_vec",
        "quantized",
        &["one_vector_exactly", "some_vectors", "teams_of_any_size", "half_types", "experts"],
    ),
    tests(
        "quantized_stream",
        "quantized",
        &["streamed_vectors", "half_types", "nothing_is_written_elsewhere"],
    ),
    tests("random", "random", &["known_answers", "grids_do_not_matter", "as_defined"]),
    tests(
        "reduce",
        "reduce",
        &["any_grid_and_block", "columns", "rows_of_every_kind", "small_sums", "sums_through_atomics"],
    ),
    tests(
        "reduce",
        "nn",
        &[
            "softmax_of_every_length",
            "norms_of_every_length",
            "any_block",
            "rotary_embeddings",
            "rotary_embeddings_in_any_block",
        ],
    ),
    tests("rows", "nn", &["softmax_of_every_length", "norms_of_every_length", "group_norms"]),
    tests("scan", "scan", &[]),
    tests("sort", "sort", &["every_dtype_in_every_view", "rows_of_any_length", "entry_points_of_candle"]),
    tests("ternary", "ternary", &["every_dtype_in_every_view", "large_tensors"]),
    tests("transpose", "copy", &["transposes", "transposes_in_any_blocks"]),
    tests("transposed", "copy", &["arithmetic_in_tiles"]),
    tests("unary", "unary", &[]),
    tests("unary", "direct", &["sigmoid_and_normcdf"]),
    tests("unary", "copy", &["copies_of_every_view"]),
];

/// The tests for modules: each once, though several modules may ask for it.
pub(super) fn select(modules: &[String]) -> Vec<(&'static str, BTreeSet<&'static str>)> {
    let mut programs: Vec<(&str, BTreeSet<&str>)> = Vec::new();
    for tests in SELECTION.iter().filter(|tests| modules.iter().any(|module| module == tests.module)) {
        match programs.iter_mut().find(|(program, _)| *program == tests.program) {
            // No names: all of them.
            Some((_, names)) if names.is_empty() || tests.names.is_empty() => names.clear(),
            Some((_, names)) => names.extend(tests.names),
            None => programs.push((tests.program, tests.names.iter().copied().collect())),
        }
    }
    programs
}

/// The modules that `--kernels` names; `all` is every one.
pub(super) fn modules(names: &[String]) -> Result<Vec<String>> {
    let all: Vec<String> = rocm_kernels::ALL.iter().map(|module| module.name.to_owned()).collect();
    if names.iter().any(|name| name == "all") {
        return Ok(all);
    }
    for name in names {
        ensure!(all.contains(name), "there is no module {name}; there are all, {}", all.join(", "));
    }
    Ok(names.to_vec())
}

/// Where the launches of a run are written down.
pub(super) struct Launches(PathBuf);

impl Launches {
    /// An empty list.
    pub(super) fn new() -> Result<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("xtask/launches.txt");
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(&path, "").with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(Self(path))
    }

    /// What test programs need in their environment.
    pub(super) fn variable(&self) -> (&'static str, &Path) {
        (LAUNCH_LOG, &self.0)
    }

    /// How many kernels there are in these modules; an error lists those that were not launched.
    pub(super) fn check(&self, modules: &[String]) -> Result<usize> {
        let text =
            fs::read_to_string(&self.0).with_context(|| format!("{} cannot be read", self.0.display()))?;
        let launched: BTreeSet<&str> = text.lines().collect();
        let (mut count, mut missing) = (0, Vec::new());
        for module in modules {
            let kernels = parity::kernel_names(module)?;
            count += kernels.len();
            missing.extend(not_launched(&launched, module, &kernels));
        }
        ensure!(
            missing.is_empty(),
            "{} of {count} kernels were not launched by the tests that xtask/src/test/kernels.rs selects:\n  {}",
            missing.len(),
            missing.join("\n  ")
        );
        Ok(count)
    }
}

/// Each kernel that is missing, with the wavefronts it did not run on.
fn not_launched(launched: &BTreeSet<&str>, module: &str, kernels: &[String]) -> Vec<String> {
    let missing = |kernel: &String| {
        let waves = WAVES.into_iter().filter(|wave| !launched.contains(format!("{wave} {kernel}").as_str()));
        let waves: Vec<String> = waves.map(|wave| wave.to_string()).collect();
        (!waves.is_empty()).then(|| format!("{module}: {kernel} (wavefronts of {})", waves.join(" and ")))
    };
    kernels.iter().filter_map(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_has_tests_and_every_test_is_there() {
        for module in rocm_kernels::ALL {
            assert!(SELECTION.iter().any(|tests| tests.module == module.name), "none for {}", module.name);
        }
        for tests in SELECTION {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("candle-rocm").join("tests");
            let source =
                fs::read_to_string(folder.join(tests.program).with_extension("rs")).expect("a program");
            for name in tests.names {
                assert!(source.contains(&format!("fn {name}() {{")), "{}: no test {name}", tests.program);
            }
            assert!(rocm_kernels::ALL.iter().any(|module| module.name == tests.module), "{}", tests.module);
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let launched = BTreeSet::from(["32 a", "64 a", "64 b"]);
        let kernels = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            not_launched(&launched, "m", &kernels),
            ["m: b (wavefronts of 32)", "m: c (wavefronts of 32 and 64)"]
        );
    }

    #[test]
    fn modules_are_names_or_all() {
        assert_eq!(modules(&["all".to_owned()]).expect("all").len(), rocm_kernels::ALL.len());
        assert_eq!(modules(&["sort".to_owned()]).expect("one"), ["sort"]);
        assert!(modules(&["sorts".to_owned()]).is_err());
    }
}
