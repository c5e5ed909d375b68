//! Matrix products of gfx908 and newer CDNA processors (CDNA3 ISA guide, chapter 7 "Matrix Arithmetic Instructions").

use super::layout::{Layout, Operands};
use super::product::{Exact, Factor, Flushed, Truncated};
use crate::assembly::{DecodeError, Decoded, Statement};
use crate::isa::element::{Bf16, F16};
use crate::isa::{Execute, Form};
use crate::target::Target;

/// Names differ between gfx90a and gfx942.
pub(crate) const FORMS: &[Form] = &[
    Form { name: "v_mfma_f32_16x16x16f16", decode: decode::<F16> },
    Form { name: "v_mfma_f32_16x16x16_f16", decode: decode::<F16> },
    Form { name: "v_mfma_f32_16x16x16bf16_1k", decode: decode::<Bf16> },
    Form { name: "v_mfma_f32_16x16x16_bf16", decode: decode::<Bf16> },
];

struct Mfma;

impl Layout for Mfma {
    const LANES: usize = 64;
    const FACTOR_REGISTERS: usize = 2;
    const INTERLEAVED: bool = false;
}

fn decode<F: Factor>(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    let operands = Operands::<Mfma>::decode(statement)?;
    match target.processor.name {
        "gfx908" => Ok(operands.execute::<F, Exact>()),
        "gfx90a" => Ok(operands.execute::<F, Flushed>()),
        "gfx942" | "gfx950" => Ok(operands.execute::<F, Truncated>()),
        _ => Err(DecodeError::Mnemonic),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::{DecodeError, File};
    use crate::isa::matrix::layout::tests::{Published, check};
    use crate::isa::testing::{Bench, Reference};

    const PUBLISHED: Published = Published {
        factor_registers: 2,
        sum_registers: 4,
        factor: |side, depth| (depth / 2 % 2, depth % 2, 16 * (depth / 4) + side),
        repeated: false,
        sum: |row, column| (row % 4, 16 * (row / 4) + column),
    };

    fn f16(value: f64) -> u16 {
        half::f16::from_f64(value).to_bits()
    }

    fn bf16(value: f64) -> u16 {
        half::bf16::from_f64(value).to_bits()
    }

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference {
            name: "v_mfma_f32_16x16x16f16",
            check: |name| {
                check("gfx908", name, f16, &PUBLISHED, File::Accumulator);
                check("gfx90a", name, f16, &PUBLISHED, File::Vector);
            },
        },
        Reference {
            name: "v_mfma_f32_16x16x16_f16",
            check: |name| {
                check("gfx942", name, f16, &PUBLISHED, File::Vector);
                check("gfx950", name, f16, &PUBLISHED, File::Accumulator);
            },
        },
        Reference {
            name: "v_mfma_f32_16x16x16bf16_1k",
            check: |name| check("gfx90a", name, bf16, &PUBLISHED, File::Vector),
        },
        Reference {
            name: "v_mfma_f32_16x16x16_bf16",
            check: |name| {
                check("gfx942", name, bf16, &PUBLISHED, File::Vector);
                check("gfx950", name, bf16, &PUBLISHED, File::Vector);
            },
        },
    ];

    #[test]
    fn processors_without_it_refuse_it() {
        let text = "v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], 0";
        assert_eq!(Bench::new("gfx906").refusal(text), DecodeError::Mnemonic);
    }
}
