//! Generated kernels that are compiled ahead of time: those that models need, as one module of rocm-kernels, so that there are some where
//! no compiler is.

use std::collections::BTreeMap;

use rocm_kernels::FUSED;
use smallvec::{SmallVec, smallvec};

use super::elementwise::Expression;
use super::rows::RowExpression;
use super::steps::{MODULES, includes};
use super::{Code, KERNEL};

/// Vectors of a thread where nothing is reduced: of rows of up to 2048 and 4096 elements of f32. Longer ones are rare, and their kernels
/// large. Where something is reduced, a thread has as many whatever the length, but for the shortest rows.
const VECTORS: [usize; 2] = [2, 4];

/// A kernel and its name, which says what it does.
pub(super) fn named(code: &Code) -> Option<(String, String)> {
    let name = rocm_kernels::fused_name(&code.kernel(KERNEL)?);
    let kernel = code.kernel(&name)?;
    Some((name, kernel))
}

/// The kernel's name, if it is one of those that are compiled ahead of time.
pub(super) fn built_in(code: &Code) -> Option<String> {
    let name = rocm_kernels::fused_name(&code.kernel(KERNEL)?);
    FUSED.source.contains(&format!(" {name}(")).then_some(name)
}

/// The kernel, or those that rows of most lengths need in its place.
pub(super) fn variants(code: &Code) -> SmallVec<[Code; 4]> {
    match code {
        Code::Rows(rows) if !rows.steps.iter().any(|step| step.function.is_reduction()) => {
            let with = |vectors| Code::Rows(RowExpression { vectors, ..rows.clone() });
            VECTORS.into_iter().map(with).collect()
        }
        _ => smallvec![code.clone()],
    }
}

/// The source of a module of these kernels.
#[doc(hidden)] // for `cargo xtask fused-kernels`
pub fn fused_source(kernels: &BTreeMap<String, String>) -> String {
    let head = "// Kernels that fusion generates for models, recorded by `cargo xtask fused-kernels --write`.\n// clang-format off\n";
    let includes = includes(&[Expression::HEADER, RowExpression::HEADER], &MODULES);
    let kernels: String = kernels.values().map(|kernel| format!("\n{kernel}")).collect();
    format!("{head}{includes}{kernels}")
}
