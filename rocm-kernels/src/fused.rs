//! Kernels that candle-rocm's fusion generates, compiled ahead of time.

use crate::{Bound, Module};

/// Kernels of fused operations that models need, so that nothing has to be compiled for them where they are built in. Only the fusion of
/// candle-rocm uses the module, so it is not part of [`ALL`](crate::ALL).
pub const FUSED: Module = Module {
    name: "fused",
    family: "fusion",
    source: include_str!("../hip/fusion/fused.hip"),
    bound: Bound::Memory,
    tests: &[],
};

/// The name in [`FUSED`] of the kernel with this source, which has a different name there.
#[doc(hidden)] // for candle-rocm
pub fn fused_name(kernel: &str) -> String {
    format!("joined_{}", &blake3::hash(kernel.as_bytes()).to_hex()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What candle-rocm looks for is there.
    #[test]
    fn kernels_have_the_names_of_their_sources() {
        let kernels = FUSED.source.split("\n\n").skip(1);
        for kernel in kernels.map(|kernel| kernel.trim_end().to_owned() + "\n") {
            let (_, rest) = kernel.split_once(" joined_").expect("a kernel has its name");
            let name = format!("joined_{}", &rest[..16]);
            assert_eq!(fused_name(&kernel.replace(&name, "joined")), name, "{kernel}");
        }
    }
}
