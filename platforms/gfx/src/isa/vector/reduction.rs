//! Segments of 2/pi, with which the compiler reduces large arguments of sine and cosine (RDNA3 ISA guide, section 16.12 "VOP3").

use crate::isa::lanes::vector_forms;

vector_forms! {
    FORMS:
    "v_trig_preop_f64" = binary(a: f64, segment: u32) -> f64 { trig_preop(a, segment) }
}

/// The first 1201 binary digits of 2/pi after the point, all that the hardware has.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_0000,
];

/// 53 digits of 2/pi. Those before them would contribute whole turns to a product with `a`.
fn trig_preop(a: f64, segment: u32) -> f64 {
    let exponent = (a.to_bits() >> 52 & 0x7ff) as u32;
    let skipped = (segment & 31) * 53 + exponent.saturating_sub(1077);
    let word = |index: u32| TWO_OVER_PI.get(index as usize).copied().unwrap_or(0);
    let two = u128::from(word(skipped / 64)) << 64 | u128::from(word(skipped / 64 + 1));
    let digits = (two << (skipped % 64) >> (128 - 53)) as u64;
    // For large operands, which the compiler scales down as much.
    let scaled = if exponent >= 1968 { 128 } else { 0 };
    let weight = scaled - 53 - skipped as i32;
    // Rounds towards zero.
    let digits = digits >> (-1074 - weight).clamp(0, 63);
    let power = |exponent: i32| f64::from_bits(((1023 + exponent) as u64) << 52);
    let weight = weight.max(-1074);
    digits as f64 * power(weight / 2) * power(weight - weight / 2)
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{B32, F64};
    use crate::isa::testing::{Bench, Reference, check};
    use crate::machine::wave::LANES;

    /// Words of a number from 0 to 4, of which the first is the integer part.
    const WORDS: usize = 44;
    type Number = [u32; WORDS];

    fn divide(number: &mut Number, by: u32) {
        let mut rest = 0;
        for word in number {
            let value = rest << 32 | u64::from(*word);
            (*word, rest) = ((value / u64::from(by)) as u32, value % u64::from(by));
        }
    }

    fn add(to: &mut Number, other: &Number, subtract: bool) {
        let mut carry = 0_i64;
        for (word, &other) in to.iter_mut().zip(other).rev() {
            let other = i64::from(other);
            let value = i64::from(*word) + if subtract { -other } else { other } + carry;
            (*word, carry) = (value as u32, value >> 32);
        }
    }

    /// `factor * atan(1 / x)`.
    fn arctangent(factor: u32, x: u32) -> Number {
        let mut power = [0; WORDS];
        power[0] = factor;
        divide(&mut power, x);
        let (mut sum, mut k) = (power, 1);
        while power.iter().any(|&word| word != 0) {
            divide(&mut power, x * x);
            let mut term = power;
            divide(&mut term, 2 * k + 1);
            add(&mut sum, &term, k % 2 == 1);
            k += 1;
        }
        sum
    }

    /// Binary digits of 2/pi after the point, by Machin's formula and long division.
    fn digits() -> Vec<u64> {
        let mut pi = arctangent(16, 5);
        add(&mut pi, &arctangent(4, 239), true);
        let mut rest = [0; WORDS];
        rest[0] = 2;
        (0..1201)
            .map(|_| {
                let copy = rest;
                add(&mut rest, &copy, false);
                let fits = rest >= pi;
                if fits {
                    add(&mut rest, &pi, true);
                }
                u64::from(fits)
            })
            .collect()
    }

    /// As the manual says it: digit by digit.
    fn reference(digits: &[u64], bits: u64, segment: u64) -> u64 {
        let exponent = (bits >> 52 & 0x7ff) as usize;
        let shift = (segment & 31) as usize * 53 + exponent.saturating_sub(1077);
        let result =
            (shift..shift + 53).fold(0_u64, |all, at| all << 1 | digits.get(at).copied().unwrap_or(0));
        let mut scale = -53 - shift as i32;
        if exponent >= 1968 {
            scale += 128;
        }
        let mut value = result;
        while scale < -1074 {
            (value, scale) = (value >> 1, scale + 1);
        }
        (value as f64 * 2_f64.powi(scale / 2) * 2_f64.powi(scale - scale / 2)).to_bits()
    }

    pub(crate) const REFERENCES: &[Reference] = &[Reference {
        name: "v_trig_preop_f64",
        check: |name| {
            let digits = digits();
            for processor in ["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
                check(processor, &format!("{name} {{d}}, {{0}}, {{1}}"), &[F64, B32], F64, |v| {
                    reference(&digits, v[0], v[1])
                });
            }
        },
    }];

    #[test]
    fn all_exponents_and_segments() {
        let digits = digits();
        let mut bench = Bench::new("gfx906");
        for first in (0..2048).step_by(LANES) {
            for segment in 0..32 {
                let bits = |lane: usize| ((first + lane) as u64) << 52 | 0x000f_1234_5678_9abc;
                bench.set64(2, bits);
                bench.run(&format!("v_trig_preop_f64 v[0:1], |v[2:3]|, {segment}"));
                let results = bench.get64(0);
                for (lane, &result) in results.iter().enumerate() {
                    assert_eq!(
                        result,
                        reference(&digits, bits(lane), segment),
                        "{:#x} {segment}",
                        bits(lane)
                    );
                }
            }
        }
    }
}
