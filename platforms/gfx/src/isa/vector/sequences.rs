//! What compilers make of the instructions: whole divisions and square roots are rounded correctly, although the approximations
//! that they start with are as wrong as the manual allows.

use super::division::tests::{DOUBLE, Numbers, SINGLE};
use crate::isa::element::Kind::{F32, F64};
use crate::isa::testing::{Bench, same, samples};

/// The instructions that LLVM divides with. Numerators are in v0, denominators in v2, quotients come to v4.
fn sequence(numbers: &Numbers, lanes: usize) -> String {
    let (mask, vcc) = if lanes == 64 { ("s[4:5]", "vcc") } else { ("s4", "vcc_lo") };
    let text = match numbers.kind {
        F32 => {
            "v_div_scale_f32 D, MASK, v2, v2, v0
             v_div_scale_f32 N, VCC, v0, v2, v0
             v_rcp_f32_e32 R, D
             v_fma_f32 E, -D, R, 1.0
             v_fma_f32 R, E, R, R
             v_mul_f32_e32 Q, N, R
             v_fma_f32 E, -D, Q, N
             v_fma_f32 Q, E, R, Q
             v_fma_f32 E, -D, Q, N
             v_div_fmas_f32 E, E, R, Q
             v_div_fixup_f32 v4, E, v2, v0"
        }
        _ => {
            "v_div_scale_f64 D, MASK, v[2:3], v[2:3], v[0:1]
             v_rcp_f64_e32 R, D
             v_fma_f64 E, -D, R, 1.0
             v_fma_f64 R, R, E, R
             v_fma_f64 E, -D, R, 1.0
             v_fma_f64 R, R, E, R
             v_div_scale_f64 N, VCC, v[0:1], v[2:3], v[0:1]
             v_mul_f64 Q, N, R
             v_fma_f64 E, -D, Q, N
             v_div_fmas_f64 E, E, R, Q
             v_div_fixup_f64 v[4:5], E, v[2:3], v[0:1]"
        }
    };
    let mut text = text.replace("MASK", mask).replace("VCC", vcc);
    for (at, name) in ["D", "N", "R", "E", "Q"].into_iter().enumerate() {
        let registers = numbers.registers(10 + 2 * at as u16);
        text = text.replace(&format!("{name},"), &format!("{registers},"));
        text = text.replace(&format!("{name}\n"), &format!("{registers}\n"));
    }
    text
}

fn divide(processor: &str, numbers: &Numbers, pairs: &[(u64, u64)]) {
    let mut bench = Bench::new(processor);
    let lanes = bench.wave.lanes;
    let sequence = sequence(numbers, lanes);
    for chunk in pairs.chunks(lanes) {
        let (numerators, denominators): (Vec<u64>, Vec<u64>) = chunk.iter().copied().unzip();
        numbers.set(&mut bench, 0, &numerators);
        numbers.set(&mut bench, 2, &denominators);
        bench.run(&sequence);
        let results = numbers.get(&bench, 4);
        for (&(numerator, denominator), &result) in chunk.iter().zip(&results) {
            let (n, d) = (numbers.value(numerator), numbers.value(denominator));
            let expected = if numbers.kind == F32 {
                u64::from((n as f32 / d as f32).to_bits())
            } else {
                (n / d).to_bits()
            };
            assert!(
                same(numbers.kind, result, expected),
                "{processor}: {numerator:#x} / {denominator:#x} = {n:e} / {d:e}: {result:#x}, not {expected:#x}"
            );
        }
    }
}

#[test]
fn quotients() {
    for numbers in [&SINGLE, &DOUBLE] {
        for processor in ["gfx906", "gfx1100"] {
            let mut random = fastrand::Rng::with_seed(23);
            let operands = numbers.operands(&mut random, 0);
            let mut pairs: Vec<(u64, u64)> =
                operands.iter().flat_map(|&n| operands.iter().map(move |&d| (n, d))).collect();
            for _ in 0..200 {
                let operands = numbers.operands(&mut random, 400);
                let mut pick = || operands[random.usize(..operands.len())];
                pairs.extend((0..200).map(|_| (pick(), pick())));
                // Quotients near 1 and near powers of two, by small integers, and exact ones.
                let near = random.u64(..1 << numbers.fraction) | (numbers.exponents / 2) << numbers.fraction;
                pairs.extend((0..20).map(|_| (near, near.wrapping_add(random.u64(..64)).wrapping_sub(32))));
                let integer = |random: &mut fastrand::Rng| numbers.bits(random.u32(1..5000).into());
                pairs.extend((0..20).map(|_| (integer(&mut random), integer(&mut random))));
                // Subnormal quotients.
                for _ in 0..40 {
                    let size = random.u64(1..=numbers.exponents / 2);
                    let digits = |random: &mut fastrand::Rng| random.u64(..) >> (64 - numbers.fraction);
                    let n = size << numbers.fraction | digits(&mut random);
                    let below = random.u64(..=u64::from(numbers.fraction) + 2);
                    let d = ((size + numbers.exponents / 2 - 1 + below).min(numbers.exponents - 1))
                        << numbers.fraction
                        | digits(&mut random);
                    pairs.push((n, d));
                }
            }
            divide(processor, numbers, &pairs);
        }
    }
}

/// The last bit of an approximate root of an f32 is right or one off: LLVM looks at both neighbours.
#[test]
fn roots_of_f32() {
    let mut random = fastrand::Rng::with_seed(24);
    let mut operands: Vec<f32> =
        samples(F32, &mut random).into_iter().map(|bits| f32::from_bits(bits as u32)).collect();
    operands.extend((0..50_000).map(|_| f32::from_bits(random.u32(..0x7f80_0000))));
    operands.extend((0..2000_u32).map(|root| (root * root) as f32));
    let mut bench = Bench::new("gfx1100");
    for chunk in operands.chunks(bench.wave.lanes) {
        let scale = |a: f32| if a < 2_f32.powi(-96) { a * 2_f32.powi(32) } else { a };
        bench.set(0, |lane| scale(chunk[lane % chunk.len()]).to_bits());
        bench.run("v_sqrt_f32_e32 v1, v0");
        for (&a, &root) in chunk.iter().zip(&bench.get(1)) {
            let [down, root, up] = [root.wrapping_sub(1), root, root.wrapping_add(1)].map(f32::from_bits);
            let mut result = root;
            if (-down).mul_add(root, scale(a)) <= 0.0 {
                result = down;
            }
            if (-up).mul_add(root, scale(a)) > 0.0 {
                result = up;
            }
            if scale(a) != a {
                result *= 2_f32.powi(-16);
            }
            if a == 0.0 || a == f32::INFINITY {
                result = a;
            }
            let expected = a.sqrt();
            assert!(same(F32, result.to_bits().into(), expected.to_bits().into()), "{a:e}: {result:e}");
        }
    }
}

/// Goldschmidt's iteration, from an approximation of the reciprocal root.
#[test]
fn roots_of_f64() {
    let mut random = fastrand::Rng::with_seed(25);
    let mut operands: Vec<f64> = samples(F64, &mut random).into_iter().map(f64::from_bits).collect();
    operands.extend((0..50_000).map(|_| f64::from_bits(random.u64(..0x7ff0_0000_0000_0000))));
    operands.extend((0..2000_u32).map(|root| f64::from(root * root)));
    let mut bench = Bench::new("gfx906");
    for chunk in operands.chunks(bench.wave.lanes) {
        let scale = |a: f64| if a < 2_f64.powi(-767) { a * 2_f64.powi(256) } else { a };
        bench.set64(0, |lane| scale(chunk[lane % chunk.len()]).to_bits());
        bench.run("v_rsq_f64_e32 v[2:3], v[0:1]");
        for (&a, &reciprocal) in chunk.iter().zip(&bench.get64(2)) {
            let (x, reciprocal) = (scale(a), f64::from_bits(reciprocal));
            let (mut root, mut half) = (x * reciprocal, reciprocal * 0.5);
            let error = (-half).mul_add(root, 0.5);
            (half, root) = (half.mul_add(error, half), root.mul_add(error, root));
            for _ in 0..2 {
                root = (-root).mul_add(root, x).mul_add(half, root);
            }
            if x != a {
                root *= 2_f64.powi(-128);
            }
            if a == 0.0 || a == f64::INFINITY {
                root = a;
            }
            assert!(same(F64, root.to_bits(), a.sqrt().to_bits()), "{a:e}: {root:e}");
        }
    }
}
