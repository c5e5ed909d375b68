//! Matrix products of gfx11 and gfx12 (RDNA3 ISA guide, section 7.9 "Wave Matrix Multiply Accumulate"; RDNA4 ISA guide, section
//! 7.12).

use super::layout::{Layout, Operands};
use super::product::{Chained, Factor};
use crate::assembly::{DecodeError, Decoded, Statement};
use crate::isa::element::{Bf16, F16};
use crate::isa::{Execute, Form};
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "v_wmma_f32_16x16x16_f16", decode: decode::<F16> },
    Form { name: "v_wmma_f32_16x16x16_bf16", decode: decode::<Bf16> },
];

/// gfx11: lanes 16 to 31 repeat the left and the right matrix.
struct Repeated;

impl Layout for Repeated {
    const LANES: usize = 32;
    const FACTOR_REGISTERS: usize = 8;
    const INTERLEAVED: bool = true;
}

/// gfx12.
struct Split;

impl Layout for Split {
    const LANES: usize = 32;
    const FACTOR_REGISTERS: usize = 4;
    const INTERLEAVED: bool = false;
}

fn decode<F: Factor>(statement: &mut Statement, target: &Target) -> Decoded<Execute> {
    match (target.generation, target.lanes) {
        (11, 32) => Ok(Operands::<Repeated>::decode(statement)?.refuse_overlap()?.execute::<F, Chained>()),
        (12, 32) => Ok(Operands::<Split>::decode(statement)?.refuse_overlap()?.execute::<F, Chained>()),
        _ => Err(DecodeError::Mnemonic),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::{DecodeError, File};
    use crate::fault::FaultKind;
    use crate::isa::matrix::layout::tests::{Published, check};
    use crate::isa::testing::{Bench, Reference};

    const GFX11: Published = Published {
        factor_registers: 8,
        sum_registers: 8,
        factor: |side, depth| (depth / 2, depth % 2, side),
        repeated: true,
        sum: |row, column| (row / 2, 16 * (row % 2) + column),
    };

    /// Any order of depths that the left and the right matrix share gives the same products.
    const GFX12: Published = Published {
        factor_registers: 4,
        sum_registers: 8,
        factor: |side, depth| (depth % 8 / 2, depth % 2, 16 * (depth / 8) + side),
        repeated: false,
        sum: |row, column| (row % 8, 16 * (row / 8) + column),
    };

    fn check_all(name: &str, encode: fn(f64) -> u16) {
        check("gfx1100", name, encode, &GFX11, File::Vector);
        check("gfx1151", name, encode, &GFX11, File::Vector);
        check("gfx1201", name, encode, &GFX12, File::Vector);
    }

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference {
            name: "v_wmma_f32_16x16x16_f16",
            check: |name| check_all(name, |value| half::f16::from_f64(value).to_bits()),
        },
        Reference {
            name: "v_wmma_f32_16x16x16_bf16",
            check: |name| check_all(name, |value| half::bf16::from_f64(value).to_bits()),
        },
    ];

    #[test]
    fn lanes_that_do_not_repeat_are_a_fault() {
        for changed in [8, 23] {
            let mut bench = Bench::new("gfx1100");
            (8..24).for_each(|register| bench.set(register, |_| 0));
            let text = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], 0";
            bench.run(text);
            bench.set(changed, |lane| u32::from(lane == 16));
            assert_eq!(bench.fault(text), FaultKind::Unknown);
        }
    }

    #[test]
    fn sums_that_overlap_are_refused() {
        let bench = Bench::new("gfx1201");
        for operands in [
            "v[0:7], v[4:7], v[12:15], 0",
            "v[0:7], v[12:15], v[7:10], 0",
            "v[0:7], v[12:15], v[16:19], v[4:11]",
        ] {
            let text = format!("v_wmma_f32_16x16x16_f16 {operands}");
            assert_eq!(bench.refusal(&text), DecodeError::Operand(0), "{text}");
        }
        let text = "v_wmma_f32_16x16x16_f16 v[0:7], v[12:15], v[16:19], v[0:7]";
        assert_eq!(Bench::new("gfx1030").refusal(text), DecodeError::Mnemonic);
    }
}
