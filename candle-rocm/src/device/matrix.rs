//! Which cards have matrix cores that our kernels know how to use: what `matrix.h` decides, at run time.

use candle_core::DType;
use rocm_kernels::{MatrixCores, Processor};

use crate::hip::variable;

/// A switch, whatever the card has.
const VARIABLE: &str = "CANDLE_ROCM_MATRIX_CORES";

/// Whether kernels use them unless told otherwise.
pub(super) fn by_default(arch: &str) -> bool {
    variable::switch(VARIABLE).unwrap_or_else(|| has(arch, DType::F16))
}

/// Those of an AMD processor by that name.
pub(super) fn of(arch: &str) -> Option<MatrixCores> {
    Processor::find(name(arch)).map(|processor| processor.matrix)
}

/// Without features.
fn name(arch: &str) -> &str {
    arch.split(':').next().unwrap_or(arch)
}

/// Whether there are products of this dtype on the card's matrix cores.
pub(super) fn has(arch: &str, dtype: DType) -> bool {
    let (f16, bf16) = match of(arch) {
        Some(MatrixCores::None) => (false, false),
        Some(MatrixCores::MfmaF16) => (true, false),
        Some(MatrixCores::WmmaGfx11 | MatrixCores::WmmaGfx12 | MatrixCores::Mfma) => (true, true),
        None => {
            let nvidia = name(arch).strip_prefix("sm_").and_then(|version| version.parse().ok());
            let since_80 = nvidia.is_some_and(|version: u32| version >= 80);
            (since_80, since_80)
        }
    };
    match dtype {
        DType::F16 => f16,
        DType::BF16 => bf16,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_and_dtypes() {
        for (arch, f16, bf16) in [
            ("gfx906", false, false),
            ("gfx908:sramecc+:xnack-", true, false),
            ("gfx90a:sramecc+:xnack-", true, true),
            ("gfx942", true, true),
            ("gfx1010", false, false),
            ("gfx1030", false, false),
            ("gfx1100", true, true),
            ("gfx1151", true, true),
            ("gfx1201", true, true),
            ("gfx1250", false, false),
            ("sm_75", false, false),
            ("sm_90", true, true),
            ("host-wave32", false, false),
        ] {
            assert_eq!([has(arch, DType::F16), has(arch, DType::BF16)], [f16, bf16], "{arch}");
            assert!(!has(arch, DType::F32));
        }
    }
}
