//! Approximate functions: exponential, logarithm, reciprocal, roots (RDNA3 ISA guide, section 16.8 "VOP1"; RDNA4's for the scalar
//! ones).
//!
//! The manual bounds their errors, and its examples say which results are exact. Code must work with any hardware that keeps to
//! that: results are as wrong here as they may be. Which way depends on the operand's digits alone, as in a table.

use crate::assembly::{DecodeError, Decoded, File, Statement};
use crate::fault::{FaultKind, fail};
use crate::isa::element::Kind;
use crate::isa::lanes::vector_forms;
use crate::isa::source::{Place, Source};
use crate::isa::{Execute, Form};
use crate::target::Target;

use super::float::flush;

vector_forms! {
    FORMS:
    "v_exp_f32" = unary(a: f32) -> f32 { exp(a) }
    "v_log_f32" = unary(a: f32) -> f32 { log(a) }
    "v_rcp_f32" = unary(a: f32) -> f32 { rcp(a) }
    "v_rcp_iflag_f32" = unary(a: f32) -> f32 { rcp(a) }
    "v_rsq_f32" = unary(a: f32) -> f32 { rsq(a) }
    "v_sqrt_f32" = unary(a: f32) -> f32 { sqrt(a) }
    "v_rcp_f64" = unary(a: f64) -> f64 { rcp64(a) }
    "v_rsq_f64" = unary(a: f64) -> f64 { inexact64(1.0 / a.sqrt(), a) }
}

/// The forms whose operand and result are scalar registers.
pub(crate) const SCALAR_FORMS: &[Form] = &[
    Form { name: "v_s_exp_f32", decode: |statement, target| scalar(statement, target, exp) },
    Form { name: "v_s_log_f32", decode: |statement, target| scalar(statement, target, log) },
    Form { name: "v_s_rcp_f32", decode: |statement, target| scalar(statement, target, rcp) },
    Form { name: "v_s_rsq_f32", decode: |statement, target| scalar(statement, target, rsq) },
    Form { name: "v_s_sqrt_f32", decode: |statement, target| scalar(statement, target, sqrt) },
];

/// They are executed whatever lanes are on.
fn scalar(statement: &mut Statement, _: &Target, f: fn(f32) -> f32) -> Decoded<Execute> {
    let [destination, source] = statement.exactly()?;
    let Some((number, 1)) = destination.registers(File::Scalar) else { return Err(DecodeError::Operand(0)) };
    let source = Source::decode(source, Kind::F32, 1)?;
    Ok(Box::new(move |wave, _| {
        let mut bits = match source.place {
            Place::Scalar(number) => wave.scalar(number)?,
            Place::Constant(bits) => bits as u32,
            Place::Vector(..) | Place::Scc => {
                return fail(FaultKind::Unknown, "the operand is not a scalar register");
            }
        };
        if source.absolute {
            bits &= !(1 << 31);
        }
        if source.negated {
            bits ^= 1 << 31;
        }
        wave.set_scalar(number, f(f32::from_bits(bits)).to_bits());
        Ok(())
    }))
}

#[inline(always)]
fn exp(a: f32) -> f32 {
    let a = f64::from(flush(a));
    let fraction = a - a.round_ties_even();
    let result = inexact(exp2(a), (fraction as f32).to_bits());
    if a.is_nan() { f32::NAN } else { result }
}

#[inline(always)]
fn log(a: f32) -> f32 {
    let a = flush(a);
    let result = inexact(log2(a), a.to_bits());
    let result = if a == f32::INFINITY { a } else { result };
    let result = if a == 0.0 { f32::NEG_INFINITY } else { result };
    // Positive operands only; the comparison is false for NaNs.
    if a >= 0.0 { result } else { f32::NAN }
}

/// "Accuracy converges to < 0.5ULP when using the Newton-Raphson method and 2 FMA operations": so it does for all significands
/// and errors but one. The largest significand needs the nearest reciprocal from the start.
#[inline(always)]
fn rcp(a: f32) -> f32 {
    let a = flush(a);
    let exact = 1.0 / f64::from(a);
    let result = inexact(exact, a.to_bits() & 0x7f_ffff);
    if a.to_bits() & 0x7f_ffff == 0x7f_ffff { flush(exact as f32) } else { result }
}

/// As for f32: the refinement approaches the reciprocal of the largest significand from the side on which it is rounded wrongly.
/// Without the nearest one here, the quotient of a power of two by such a number would be wrong by one unit.
#[inline(always)]
fn rcp64(a: f64) -> f64 {
    const LARGEST: u64 = (1 << 52) - 1;
    if a.to_bits() & LARGEST == LARGEST { 1.0 / a } else { inexact64(1.0 / a, a) }
}

#[inline(always)]
fn rsq(a: f32) -> f32 {
    let a = flush(a);
    // For the sign of the reciprocal of -0.
    let root = f64::from(a).sqrt();
    inexact(1.0 / root, a.to_bits() & 0xff_ffff)
}

#[inline(always)]
fn sqrt(a: f32) -> f32 {
    let a = flush(a);
    inexact(f64::from(a).sqrt(), a.to_bits() & 0xff_ffff)
}

/// A float that is not more than one unit in the last place from `exact`, and seldom the nearest. Zeros, infinities, NaNs and
/// powers of two are exact, and subnormals become zeros. Equal keys err alike.
#[inline(always)]
fn inexact(exact: f64, key: u32) -> f32 {
    let nearest = exact as f32;
    let hash = scramble(key);
    // Where the exact value is a float, both neighbours are one unit away; else only the next one on its other side is closer.
    let beyond = exact.abs() - f64::from(nearest.abs());
    let away = if beyond > 0.0 {
        true
    } else if beyond < 0.0 {
        false
    } else {
        hash & 2 != 0
    };
    let step = if away { 1 } else { -1_i32 };
    let magnitude = nearest.to_bits() & 0x7fff_ffff;
    let is_power = (magnitude & 0x7f_ffff == 0) & (beyond == 0.0);
    let keep = (hash & 1 == 0) | is_power | !nearest.is_finite();
    let moved = f32::from_bits(nearest.to_bits().wrapping_add(if keep { 0 } else { step as u32 }));
    flush(moved)
}

/// A number that is more than `2^28` and up to `2^29` units in the last place from `exact`; zeros, infinities and NaNs are exact.
#[inline(always)]
fn inexact64(exact: f64, operand: f64) -> f64 {
    let digits = operand.to_bits() & ((1 << 53) - 1);
    let hash = scramble((digits >> 24 ^ digits) as u32);
    let distance = u64::from(1 << 28 | hash & 0x0fff_ffff);
    let magnitude = exact.to_bits() & !(1 << 63);
    let moved =
        if hash >> 31 == 0 { magnitude.wrapping_add(distance) } else { magnitude.wrapping_sub(distance) };
    let moved = f64::from_bits(moved.min(f64::MAX.to_bits()) | exact.to_bits() & 1 << 63);
    if (exact == 0.0) | !exact.is_finite() { exact } else { moved }
}

/// Spreads the bits of a key.
#[inline(always)]
fn scramble(key: u32) -> u32 {
    let key = (key ^ key >> 15).wrapping_mul(0x2c1b_3c6d);
    let key = (key ^ key >> 12).wrapping_mul(0x297a_2d39);
    key ^ key >> 15
}

/// `2^a` with a relative error below `2^-50`; NaN gives any number.
#[inline(always)]
fn exp2(a: f64) -> f64 {
    /// `ln(2)^k / k!`: Taylor's coefficients, from the last to the first.
    const COEFFICIENTS: [f64; 13] = taylor();
    /// Added to a number, it leaves the nearest integer in the lowest bits.
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let a = a.clamp(-200.0, 200.0);
    let shifted = a + SHIFT;
    let rest = a - (shifted - SHIFT);
    let power = COEFFICIENTS.iter().fold(0.0, |sum: f64, &coefficient| sum.mul_add(rest, coefficient));
    f64::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 52))
}

const fn taylor() -> [f64; 13] {
    let mut coefficients = [1.0; 13];
    let (mut k, mut coefficient) = (1, 1.0);
    while k < 13 {
        coefficient = coefficient * std::f64::consts::LN_2 / k as f64;
        coefficients[12 - k] = coefficient;
        k += 1;
    }
    coefficients
}

/// The binary logarithm of a normal positive number, with a relative error below `2^-50`; any number for others.
#[inline(always)]
fn log2(a: f32) -> f64 {
    /// The bits of the square root of one half.
    const ROOT: u32 = 0x3f35_04f3;
    let exponent = (a.to_bits().wrapping_sub(ROOT) as i32) >> 23;
    let significand = f64::from(f32::from_bits(a.to_bits().wrapping_sub((exponent << 23) as u32)));
    // ln(m) = 2 artanh(s); the powers of s are below 0.172.
    let s = (significand - 1.0) / (significand + 1.0);
    let square = s * s;
    let series = (0..12).rev().fold(0.0, |sum: f64, k| sum.mul_add(square, 1.0 / f64::from(2 * k + 1)));
    (2.0 * std::f64::consts::LOG2_E * s).mul_add(series, f64::from(exponent))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::assembly::special;
    use crate::isa::testing::{Bench, Reference, samples};
    use crate::machine::wave::LANES;

    const ALL: &[&str] = &["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"];

    /// Operands, and results that the manual gives as examples.
    type Examples = &'static [(u32, u32)];
    const NAN: u32 = 0x7fc0_0000;

    fn is_near(result: f32, exact: f64) -> Result<(), String> {
        let nearest = exact as f32;
        if exact.abs() < f32::MIN_POSITIVE.into() {
            // Subnormal results are flushed, if they are not one unit from the smallest number that is none.
            let near = exact.abs() + f64::from(f32::from_bits(1)) >= f32::MIN_POSITIVE.into();
            let fine = result == 0.0 || (near && result.abs() == f32::MIN_POSITIVE);
            let same_sign = result.is_sign_negative() == exact.is_sign_negative();
            return if fine && same_sign { Ok(()) } else { Err("not flushed".to_owned()) };
        }
        if nearest.is_nan() || nearest.is_infinite() {
            let same = result.to_bits() == nearest.to_bits() || (result.is_nan() && nearest.is_nan());
            return if same { Ok(()) } else { Err("not exact".to_owned()) };
        }
        let unit = f64::from(nearest.abs().next_up()) - f64::from(nearest.abs());
        let error = (f64::from(result) - exact).abs() / unit;
        if error <= 1.000001 { Ok(()) } else { Err(format!("{error} units wrong")) }
    }

    fn operands() -> Vec<u32> {
        let mut random = fastrand::Rng::with_seed(11);
        let mut all: Vec<u32> = samples(Kind::F32, &mut random).into_iter().map(|bits| bits as u32).collect();
        all.extend((-150..130).map(|exponent| (exponent as f32).to_bits()));
        all.extend((0..255).map(|exponent| exponent << 23));
        all.extend((0..4000).map(|_| random.u32(..)));
        all.extend((0..4000).map(|_| ((random.f32() - 0.5) * 300.0).to_bits()));
        all.extend((0..1000).map(|_| (1.0 + (random.f32() - 0.5) / 64.0).to_bits()));
        all.resize(all.len().next_multiple_of(LANES), 0);
        all
    }

    fn of_f32(name: &str, exact: fn(f64) -> f64, examples: Examples) {
        let (mut wrong, mut all) = (0, 0);
        for processor in ALL {
            let mut bench = Bench::new(processor);
            let lanes = bench.wave.lanes;
            let operands = operands();
            for chunk in operands.chunks(lanes) {
                bench.set(1, |lane| chunk[lane % lanes]);
                bench.run(&format!("{name}_e32 v0, v1"));
                let results = bench.get(0);
                for (&bits, &result) in chunk.iter().zip(&results) {
                    let operand = f32::from_bits(bits);
                    let flushed = if operand.abs() < f32::MIN_POSITIVE { operand * 0.0 } else { operand };
                    let result = f32::from_bits(result);
                    let expected = exact(flushed.into());
                    if let Err(error) = is_near(result, expected) {
                        panic!("{name} of {operand:e} is {result:e}, not {expected:e}: {error}");
                    }
                    wrong += usize::from(result != expected as f32 && !result.is_nan());
                    all += usize::from(expected as f32 != 0.0 && expected.is_finite());
                }
            }
            for &(bits, expected) in examples {
                bench.set(1, |_| bits);
                bench.run(&format!("{name}_e64 v0, v1"));
                let result = bench.get(0)[lanes - 1];
                let nan = f32::from_bits(result).is_nan() && f32::from_bits(expected).is_nan();
                assert!(result == expected || nan, "{name} of {bits:#x}: {result:#x}, not {expected:#x}");
            }
        }
        assert!(wrong * 4 > all, "{name} is hardly ever wrong: {wrong} of {all}");
    }

    fn of_f64(name: &str, exact: fn(f64) -> f64) {
        let mut random = fastrand::Rng::with_seed(12);
        let mut operands = samples(Kind::F64, &mut random);
        operands.extend((0..2000).map(|_| random.u64(..)));
        operands.resize(operands.len().next_multiple_of(LANES), 0);
        for processor in ALL {
            let mut bench = Bench::new(processor);
            let lanes = bench.wave.lanes;
            for chunk in operands.chunks(lanes) {
                bench.set64(2, |lane| chunk[lane % lanes]);
                bench.run(&format!("{name}_e32 v[0:1], v[2:3]"));
                let results = bench.get64(0);
                for (&bits, &result) in chunk.iter().zip(&results) {
                    let expected = exact(f64::from_bits(bits));
                    if expected.is_nan() {
                        assert!(f64::from_bits(result).is_nan());
                    } else if expected == 0.0 || expected.is_infinite() {
                        assert_eq!(result, expected.to_bits());
                    } else {
                        let distance = result.abs_diff(expected.to_bits());
                        let limit = 1 << 29;
                        assert!(distance <= limit, "{name} of {bits:#x}: {result:#x}");
                    }
                }
            }
        }
    }

    /// The scalar form gives what the vector form gives, even with no lane on.
    fn scalar(name: &str) {
        let mut bench = Bench::new("gfx1201");
        let vector = name.replace("v_s_", "v_");
        for bits in [0, 0x3f80_0000, 0x4049_0fdb, 0xc049_0fdb, 0x7f80_0000, 0x7fc0_0000, 1, 0xff80_0000] {
            bench.wave.set_scalar(5, bits);
            for operand in ["s5", "-s5", "|s5|", "-|s5|", "2.0"] {
                bench.set_exec(u64::MAX);
                bench.run(&format!("{vector}_e64 v0, {operand}"));
                bench.set_exec(0);
                bench.run(&format!("{name} s6, {operand}"));
                let (ours, theirs) = (bench.wave.scalar(6).expect("it was written"), bench.get(0)[0]);
                let nan = f32::from_bits(ours).is_nan() && f32::from_bits(theirs).is_nan();
                assert!(ours == theirs || nan, "{name} of {operand}, {bits:#x}: {ours:#x}, not {theirs:#x}");
            }
        }
        assert!(bench.wave.is_scalar_written(special::EXEC));
    }

    macro_rules! references {
        ($($name:literal: $check:expr),* $(,)?) => {
            pub(crate) const REFERENCES: &[Reference] = &[$(Reference { name: $name, check: $check }),*];
        };
    }

    const RECIPROCALS: Examples = &[
        (0xff80_0000, 0x8000_0000),
        (0xc000_0000, 0xbf00_0000),
        (0x8000_0000, 0xff80_0000),
        (0x0000_0000, 0x7f80_0000),
        (0x7f80_0000, 0x0000_0000),
        // A subnormal is a zero.
        (0x8000_0001, 0xff80_0000),
        (0x7f00_0000, 0x0000_0000),
    ];

    references! {
        "v_exp_f32": |name| of_f32(name, f64::exp2, &[
            (0xff80_0000, 0x0000_0000),
            (0x8000_0000, 0x3f80_0000),
            (0x7f80_0000, 0x7f80_0000),
            (0x4300_0000, 0x7f80_0000),
            (0xc2fc_0000, 0x0080_0000),
            (0xc2fd_0000, 0x0000_0000),
        ]),
        "v_log_f32": |name| of_f32(name, |a| if a == 0.0 { f64::NEG_INFINITY } else { a.log2() }, &[
            (0xff80_0000, NAN),
            (0xbf80_0000, NAN),
            (0x8000_0000, 0xff80_0000),
            (0x0000_0000, 0xff80_0000),
            (0x3f80_0000, 0x0000_0000),
            (0x7f80_0000, 0x7f80_0000),
            (0x007f_ffff, 0xff80_0000),
        ]),
        "v_rcp_f32": |name| of_f32(name, f64::recip, RECIPROCALS),
        "v_rcp_iflag_f32": |name| of_f32(name, f64::recip, RECIPROCALS),
        "v_rsq_f32": |name| of_f32(name, |a| a.sqrt().recip(), &[
            (0xff80_0000, NAN),
            (0x8000_0000, 0xff80_0000),
            (0x0000_0000, 0x7f80_0000),
            (0x4080_0000, 0x3f00_0000),
            (0x7f80_0000, 0x0000_0000),
        ]),
        "v_sqrt_f32": |name| of_f32(name, f64::sqrt, &[
            (0xff80_0000, NAN),
            (0x8000_0000, 0x8000_0000),
            (0x0000_0000, 0x0000_0000),
            (0x4080_0000, 0x4000_0000),
            (0x7f80_0000, 0x7f80_0000),
        ]),
        "v_rcp_f64": |name| of_f64(name, f64::recip),
        "v_rsq_f64": |name| of_f64(name, |a| a.sqrt().recip()),
        "v_s_exp_f32": scalar,
        "v_s_log_f32": scalar,
        "v_s_rcp_f32": scalar,
        "v_s_rsq_f32": scalar,
        "v_s_sqrt_f32": scalar,
    }

    #[test]
    fn functions_of_doubles() {
        let mut random = fastrand::Rng::with_seed(13);
        for _ in 0..100_000 {
            let a = (random.f64() - 0.5) * 300.0;
            assert!((exp2(a) / a.exp2() - 1.0).abs() < 1e-15, "{a}");
            let a = f32::from_bits(random.u32(0x0080_0000..0x7f80_0000));
            let expected = f64::from(a).log2();
            assert!((log2(a) - expected).abs() <= expected.abs() * 1e-15, "{a}");
        }
    }

    #[test]
    fn unknown_operands_of_scalar_forms() {
        let bench = Bench::new("gfx1201");
        assert_eq!(bench.refusal("v_s_exp_f32 v0, s0"), DecodeError::Operand(0));
        assert_eq!(bench.refusal("v_s_exp_f32 s0, s0 mul:2"), DecodeError::Modifier("mul:2".to_owned()));
    }
}
