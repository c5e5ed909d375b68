//! How far a device's result may lie from the reference: the one table.

use candle_core::DType;

/// What a result is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// candle's CPU in the same dtype.
    SameDType,
    /// For f16, bf16 and f8: candle's CPU in f32, rounded once to the dtype. Kernels compute these dtypes so; candle's
    /// CPU rounds after every step of a formula, which is less precise. Other dtypes: as [`Reference::SameDType`].
    RoundedOnce,
}

/// The distance allowed for one operation: within `ulps`, or within `epsilons`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The operation.
    pub name: &'static str,
    /// What is compared with.
    pub reference: Reference,
    /// Units in the last place for f32 and f64.
    pub wide: u128,
    /// Units in the last place for f16, bf16 and f8.
    pub narrow: u128,
    /// Absolute distance in epsilons of the precision computed in (f32; f64 for f64): for formulas that subtract nearly
    /// equal numbers, where an ulp of an operand is many of the result.
    pub epsilons: f64,
}

impl Rule {
    /// Units in the last place for a dtype.
    pub fn ulps(&self, dtype: DType) -> u128 {
        match dtype {
            DType::F32 | DType::F64 => self.wide,
            DType::F16 | DType::BF16 | DType::F8E4M3 => self.narrow,
            _ => 0,
        }
    }
}

/// Bit-equal, except that one NaN is as good as another: whatever only moves, compares, or rounds one exact result.
pub const EXACT: Rule = rule_of("exact", Reference::SameDType, 0, 0, 0.0);

const fn rule_of(name: &'static str, reference: Reference, wide: u128, narrow: u128, epsilons: f64) -> Rule {
    Rule { name, reference, wide, narrow, epsilons }
}

use Reference::{RoundedOnce, SameDType};

/// A distance that only two zeros keep.
const EITHER_ZERO: f64 = f64::MIN_POSITIVE;

/// Operations that are not here are exact.
///
/// Mathematical functions come from a different library on each platform, each within 1-2 ulp (glibc, ocml, CUDA's), so
/// two of them are within 4 for one call. In the narrow dtypes a few f32 ulps move a result across a rounding boundary
/// at most: 1 ulp.
const TABLE: &[Rule] = &[
    // mul * x + add: the CPU rounds after each of the two steps, and so do kernels.
    rule_of("affine", SameDType, 0, 0, 0.0),
    // candle's CPU adds and multiplies bf16 with vector instructions that take subnormal numbers for 0, where there are
    // such; in f32 it does not.
    rule_of("add", RoundedOnce, 0, 0, 0.0),
    rule_of("mul", RoundedOnce, 0, 0, 0.0),
    rule_of("exp", RoundedOnce, 4, 1, 0.0),
    rule_of("log", RoundedOnce, 4, 1, 0.0),
    // Large arguments are reduced modulo pi/2 first; next to a zero of the function the error is absolute.
    rule_of("sin", RoundedOnce, 4, 1, 1.0),
    rule_of("cos", RoundedOnce, 4, 1, 1.0),
    rule_of("tanh", RoundedOnce, 8, 1, 0.0),
    rule_of("erf", RoundedOnce, 8, 1, 0.0),
    // (1 + erf) and (1 + tanh) cancel for negative x, times |x| < 10 where they are not 0 yet.
    rule_of("gelu", RoundedOnce, 8, 1, 10.0),
    rule_of("gelu_erf", RoundedOnce, 8, 1, 10.0),
    rule_of("silu", RoundedOnce, 8, 1, 0.0),
    // exp(x) - 1 cancels next to 0, times alpha.
    rule_of("elu", RoundedOnce, 4, 1, 2.0),
    rule_of("powf", RoundedOnce, 8, 1, 0.0),
    // max(-0, 0): either zero, on the CPU by how the loop was compiled.
    rule_of("relu", SameDType, 0, 0, EITHER_ZERO),
    // Which of two zeros is met first depends on the order.
    rule_of("min", SameDType, 0, 0, EITHER_ZERO),
    rule_of("max", SameDType, 0, 0, EITHER_ZERO),
    // Against formulas in f64: the f32 result is rounded once more, and (1 + erf) / 2 cancels in the reference.
    rule_of("usigmoid", SameDType, 8, 1, 0.0),
    rule_of("unormcdf", SameDType, 8, 1, 2.0),
    // Division, products and square roots are correctly rounded everywhere; narrow dtypes round the f32 result once more.
    rule_of("recip", RoundedOnce, 0, 0, 0.0),
    rule_of("sqr", RoundedOnce, 0, 0, 0.0),
    // The CPU rounds 1 / n and every sum.
    rule_of("avg_pool2d", RoundedOnce, 0, 0, 0.0),
    rule_of("sqrt", RoundedOnce, 0, 0, 0.0),
];

/// The rule for an operation.
pub fn rule(name: &str) -> &'static Rule {
    TABLE.iter().find(|rule| rule.name == name).unwrap_or(&EXACT)
}
