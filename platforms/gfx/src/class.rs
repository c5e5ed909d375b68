//! The units that execute instructions, by mnemonic: what `cargo xtask bound` and the model of [time](crate::time) go by.

/// What executes an instruction, and how fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Hints and waits: nothing executes them.
    Nothing,
    /// The scalar unit: arithmetic, branches, loads.
    Scalar,
    /// A vector instruction.
    Vector(Vector),
    /// A matrix instruction: its additions and multiplications, of this kind.
    Matrix {
        /// Additions and multiplications, which count apart.
        operations: u64,
        /// Whether its operands are bytes.
        bytes: bool,
    },
    /// Loads and stores of global memory.
    Memory,
    /// The LDS.
    Local,
}

/// How fast a vector instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vector {
    /// The full rate.
    Full,
    /// Exponentials, logarithms, reciprocals, roots, sines.
    Transcendental,
    /// Multiplications of 32-bit integers.
    Multiply,
    /// Arithmetic on f64.
    Double,
}

/// Scalar instructions that no unit executes.
const HINTS: [&str; 11] = [
    "s_waitcnt",
    "s_wait_",
    "s_nop",
    "s_sleep",
    "s_setprio",
    "s_clause",
    "s_delay_alu",
    "s_inst_prefetch",
    "s_set_inst_prefetch",
    "s_endpgm",
    "s_code_end",
];

const TRANSCENDENTAL: [&str; 8] =
    ["v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_", "v_s_"];

const MULTIPLY: [&str; 5] =
    ["v_mul_lo_u32", "v_mul_hi_u32", "v_mul_hi_i32", "v_mad_u64_u32", "v_mad_i64_i32"];

const MATRIX: [&str; 4] = ["v_wmma_", "v_swmmac_", "v_mfma_", "v_smfmac_"];

impl Class {
    /// That of an instruction, as the disassembler prints it.
    pub fn of(text: &str) -> Self {
        let mnemonic = text.split_whitespace().next().unwrap_or_default();
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| mnemonic.starts_with(prefix));
        if starts(&HINTS) {
            Self::Nothing
        } else if starts(&["s_"]) {
            Self::Scalar
        } else if starts(&["ds_"]) {
            Self::Local
        } else if starts(&["global_", "flat_", "buffer_", "scratch_"]) {
            Self::Memory
        } else if starts(&MATRIX) {
            let operations = operations(mnemonic);
            let bytes = ["i8", "iu8", "fp8", "bf8"].iter().any(|kind| mnemonic.contains(kind));
            Self::Matrix { operations, bytes }
        } else if starts(&MULTIPLY) {
            Self::Vector(Vector::Multiply)
        } else if starts(&["v_"]) && mnemonic.contains("f64") {
            Self::Vector(Vector::Double)
        } else if starts(&TRANSCENDENTAL) {
            Self::Vector(Vector::Transcendental)
        } else {
            Self::Vector(Vector::Full)
        }
    }
}

/// Of `v_mfma_f32_32x32x8f16`: 2 * 32 * 32 * 8.
fn operations(mnemonic: &str) -> u64 {
    let shape =
        mnemonic.split('_').find(|part| part.contains('x') && part.starts_with(|c: char| c.is_ascii_digit()));
    let sizes = shape.into_iter().flat_map(|shape| shape.split('x'));
    let number = |text: &str| {
        let digits = text.find(|c: char| !c.is_ascii_digit()).map_or(text, |end| &text[..end]);
        digits.parse::<u64>().ok()
    };
    2 * sizes.filter_map(number).product::<u64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let cases = [
            ("s_waitcnt vmcnt(0)", Class::Nothing),
            ("s_wait_loadcnt 0x0", Class::Nothing),
            ("s_cbranch_scc1 65500", Class::Scalar),
            ("v_exp_f32_e32 v0, v1", Class::Vector(Vector::Transcendental)),
            ("v_fma_f64 v[0:1], v[2:3], v[4:5], v[6:7]", Class::Vector(Vector::Double)),
            ("v_rcp_f64_e32 v[0:1], v[2:3]", Class::Vector(Vector::Double)),
            ("v_mul_lo_u32 v0, v1, v2", Class::Vector(Vector::Multiply)),
            ("v_mul_u32_u24_e32 v0, v1, v2", Class::Vector(Vector::Full)),
            ("v_dual_add_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4", Class::Vector(Vector::Full)),
            ("global_load_b128 v[0:3], v[4:5], off", Class::Memory),
            ("ds_load_b128 v[0:3], v4", Class::Local),
            (
                "v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
                Class::Matrix { operations: 8192, bytes: false },
            ),
            (
                "v_mfma_f32_16x16x16bf16_1k a[0:3], v[0:1], v[2:3], a[0:3]",
                Class::Matrix { operations: 8192, bytes: false },
            ),
            (
                "v_mfma_i32_32x32x16_i8 a[0:15], v[0:1], v[2:3], a[0:15]",
                Class::Matrix { operations: 32768, bytes: true },
            ),
        ];
        for (text, class) in cases {
            assert_eq!(Class::of(text), class, "{text}");
        }
    }
}
