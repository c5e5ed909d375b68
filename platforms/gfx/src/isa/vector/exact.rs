//! Sums of products of floats, computed with as many digits as they have: what tests compare arithmetic with.

/// Words of 64 bits that hold any sum of a few products of two f64.
const WORDS: usize = 70;
/// The weight of the lowest bit: `2^LOWEST`.
const LOWEST: i32 = -2300;

/// A number.
#[derive(Clone)]
pub(crate) struct Exact {
    negative: bool,
    words: [u64; WORDS],
}

/// A format of floats.
pub(crate) struct Format {
    /// Digits of a significand.
    digits: i32,
    /// The weight of the lowest digit of subnormals.
    lowest: i32,
    to_f64: fn(u64) -> f64,
    from_f64: fn(f64) -> u64,
}

pub(crate) const F32: Format = Format {
    digits: 24,
    lowest: -149,
    to_f64: |bits| f32::from_bits(bits as u32).into(),
    from_f64: |value| u64::from((value as f32).to_bits()),
};

pub(crate) const F64: Format =
    Format { digits: 53, lowest: -1074, to_f64: f64::from_bits, from_f64: f64::to_bits };

impl Exact {
    /// `a * b`, of finite numbers.
    pub(crate) fn product(a: f64, b: f64) -> Self {
        let parts = |value: f64| {
            let (bits, exponent) = (value.to_bits(), (value.to_bits() >> 52 & 0x7ff) as i32);
            let fraction = bits & ((1 << 52) - 1);
            if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
        };
        let ((a_digits, a_weight), (b_digits, b_weight)) = (parts(a), parts(b));
        let digits = u128::from(a_digits) * u128::from(b_digits);
        let shift = (a_weight + b_weight - LOWEST) as usize;
        let mut words = [0; WORDS];
        let low = (digits as u64 as u128) << (shift % 64);
        let high = (digits >> 64) << (shift % 64);
        words[shift / 64] = low as u64;
        words[shift / 64 + 1] = (low >> 64) as u64 | high as u64;
        words[shift / 64 + 2] = (high >> 64) as u64;
        Self { negative: a.is_sign_negative() != b.is_sign_negative(), words }
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let (large, small) =
            if self.words.iter().rev().ge(other.words.iter().rev()) { (self, other) } else { (other, self) };
        let subtract = large.negative != small.negative;
        let (mut sum, mut carry) = (large.clone(), 0);
        for (to, &word) in sum.words.iter_mut().zip(&small.words) {
            let value = if subtract {
                i128::from(*to) - i128::from(word) + carry
            } else {
                i128::from(*to) + i128::from(word) + carry
            };
            *to = value as u64;
            carry = value >> 64;
        }
        sum
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative && !self.is_zero()
    }

    fn bit(&self, weight: i32) -> u64 {
        let at = (weight - LOWEST) as usize;
        self.words[at / 64] >> (at % 64) & 1
    }

    fn has_bits_below(&self, weight: i32) -> bool {
        let at = (weight - LOWEST) as usize;
        self.words[..at / 64].iter().any(|&word| word != 0)
            || self.words[at / 64] & ((1 << (at % 64)) - 1) != 0
    }

    /// The nearest float to this number, which is not zero, times `2^scale`; of two equally near ones, the even one.
    pub(crate) fn round(&self, format: &Format, scale: i32) -> u64 {
        let word = self.words.iter().rposition(|&word| word != 0).expect("a number that is not zero");
        let top = LOWEST + 64 * word as i32 + self.words[word].ilog2() as i32;
        let last = (top - format.digits + 1).max(format.lowest - scale);
        let mut digits = (last..=top).rev().fold(0, |digits, weight| digits << 1 | self.bit(weight));
        let half = self.bit(last - 1);
        let below = self.has_bits_below(last - 1);
        digits += half & (u64::from(below) | digits & 1);
        // Exact: powers of two that keep the digits in range until the last step, which has the final exponent.
        let mut value = digits as f64;
        let mut left = last + scale;
        while left != 0 && value != 0.0 && value.is_finite() {
            let step = left.clamp(-50, 50);
            value *= 2_f64.powi(step);
            left -= step;
        }
        (format.from_f64)(if self.negative { -value } else { value })
    }
}

/// The bits of `a * b + c`, rounded once.
pub(crate) fn fma(format: &Format, a: u64, b: u64, c: u64) -> u64 {
    scaled_fma(format, a, b, c, 0)
}

/// The bits of `(a * b + c) * 2^scale`, rounded once.
pub(crate) fn scaled_fma(format: &Format, a: u64, b: u64, c: u64, scale: i32) -> u64 {
    let [a, b, c] = [a, b, c].map(format.to_f64);
    if !(a.is_finite() && b.is_finite() && c.is_finite()) {
        // Infinities and NaNs; a large finite product must not become one.
        let small =
            |value: f64| if value.is_finite() { value.signum() * f64::from(value != 0.0) } else { value };
        return (format.from_f64)(small(a) * small(b) + small(c));
    }
    let sum = Exact::product(a, b).plus(&Exact::product(c, 1.0));
    if sum.is_zero() {
        let product_is_negative = a.is_sign_negative() != b.is_sign_negative();
        return (format.from_f64)(if product_is_negative && c.is_sign_negative() { -0.0 } else { 0.0 });
    }
    sum.round(format, scale)
}
