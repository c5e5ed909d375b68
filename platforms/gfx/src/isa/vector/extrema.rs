//! Minima and maxima of 32-bit and 64-bit floats (RDNA3 ISA guide, section 16.7 "VOP2"; RDNA4's for `num` and `minimum`).
//!
//! There are three kinds, which treat NaNs differently. `v_min_f32` of up to gfx11 gives the other operand for a quiet NaN, and a
//! NaN for a signalling one, as kernels run in IEEE mode; `v_min_num_f32` of gfx12 gives the other operand for both; and
//! `v_minimum_f32` gives a NaN for both. In all, -0 is less than +0.

use crate::isa::lanes::vector_forms;

vector_forms! {
    FORMS:
    "v_min_f32" = binary(a: f32, b: f32) -> f32 { min(a, b) }
    "v_max_f32" = binary(a: f32, b: f32) -> f32 { max(a, b) }
    "v_min3_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { min(min(a, b), c) }
    "v_max3_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { max(max(a, b), c) }
    "v_minmax_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { max(min(a, b), c) }
    "v_maxmin_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { min(max(a, b), c) }
    "v_med3_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { median(a, b, c, min(min(a, b), c)) }
    "v_min_f64" = binary(a: f64, b: f64) -> f64 { min(a, b) }
    "v_max_f64" = binary(a: f64, b: f64) -> f64 { max(a, b) }

    "v_min_num_f32" = binary(a: f32, b: f32) -> f32 { min_num(a, b) }
    "v_max_num_f32" = binary(a: f32, b: f32) -> f32 { max_num(a, b) }
    "v_min3_num_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { min_num(min_num(a, b), c) }
    "v_max3_num_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { max_num(max_num(a, b), c) }
    "v_minmax_num_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { max_num(min_num(a, b), c) }
    "v_maxmin_num_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { min_num(max_num(a, b), c) }
    "v_med3_num_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { median(a, b, c, min_num(min_num(a, b), c)) }
    "v_min_num_f64" = binary(a: f64, b: f64) -> f64 { min_num(a, b) }
    "v_max_num_f64" = binary(a: f64, b: f64) -> f64 { max_num(a, b) }

    "v_minimum_f32" = binary(a: f32, b: f32) -> f32 { minimum(a, b) }
    "v_maximum_f32" = binary(a: f32, b: f32) -> f32 { maximum(a, b) }
    "v_minimum3_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { minimum(minimum(a, b), c) }
    "v_maximum3_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { maximum(maximum(a, b), c) }
    "v_minimummaximum_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { maximum(minimum(a, b), c) }
    "v_maximumminimum_f32" = ternary(a: f32, b: f32, c: f32) -> f32 { minimum(maximum(a, b), c) }
    "v_minimum_f64" = binary(a: f64, b: f64) -> f64 { minimum(a, b) }
    "v_maximum_f64" = binary(a: f64, b: f64) -> f64 { maximum(a, b) }
}

trait Float: Copy {
    /// The smaller operand. Neither is a NaN.
    fn lesser(self, other: Self) -> Self;
    fn greater(self, other: Self) -> Self;
    fn is_nan(self) -> bool;
    fn is_signalling(self) -> bool;
    /// A quiet NaN, if one of the operands is a NaN.
    fn quiet(self, other: Self) -> Self;
}

macro_rules! floats {
    ($($float:ident: $quiet_bit:literal;)*) => {$(
        impl Float for $float {
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                // Equal operands are the same, or zeros, of which one with a sign is the smaller.
                let both = Self::from_bits(self.to_bits() | other.to_bits());
                let lesser = if self < other { self } else { other };
                if self == other { both } else { lesser }
            }

            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                let both = Self::from_bits(self.to_bits() & other.to_bits());
                let greater = if self > other { self } else { other };
                if self == other { both } else { greater }
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                self != self
            }

            #[inline(always)]
            fn is_signalling(self) -> bool {
                (self != self) & (self.to_bits() >> $quiet_bit & 1 == 0)
            }

            #[inline(always)]
            fn quiet(self, other: Self) -> Self {
                self + other
            }
        }
    )*};
}

floats! {
    f32: 22;
    f64: 51;
}

#[inline(always)]
fn number<T: Float>(a: T, b: T, of_numbers: T) -> T {
    let other = if a.is_nan() { b } else { a };
    let one = if a.is_nan() | b.is_nan() { other } else { of_numbers };
    if a.is_nan() & b.is_nan() { a.quiet(b) } else { one }
}

#[inline(always)]
fn min_num<T: Float>(a: T, b: T) -> T {
    number(a, b, a.lesser(b))
}

#[inline(always)]
fn max_num<T: Float>(a: T, b: T) -> T {
    number(a, b, a.greater(b))
}

#[inline(always)]
fn min<T: Float>(a: T, b: T) -> T {
    if a.is_signalling() | b.is_signalling() { a.quiet(b) } else { min_num(a, b) }
}

#[inline(always)]
fn max<T: Float>(a: T, b: T) -> T {
    if a.is_signalling() | b.is_signalling() { a.quiet(b) } else { max_num(a, b) }
}

#[inline(always)]
fn minimum<T: Float>(a: T, b: T) -> T {
    if a.is_nan() | b.is_nan() { a.quiet(b) } else { a.lesser(b) }
}

#[inline(always)]
fn maximum<T: Float>(a: T, b: T) -> T {
    if a.is_nan() | b.is_nan() { a.quiet(b) } else { a.greater(b) }
}

/// The value in the middle, or, if one is a NaN, `least`: the instruction's minimum of three.
#[inline(always)]
fn median<T: Float>(a: T, b: T, c: T, least: T) -> T {
    let middle = a.lesser(b).greater(a.greater(b).lesser(c));
    if a.is_nan() | b.is_nan() | c.is_nan() { least } else { middle }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::element::Kind::{self, F32, F64};
    use crate::isa::testing::{Reference, check};

    /// Which NaNs win.
    #[derive(Clone, Copy, PartialEq)]
    enum Nans {
        Signalling,
        None,
        All,
    }

    #[derive(Clone, Copy)]
    struct Rule {
        nans: Nans,
        kind: Kind,
    }

    impl Rule {
        /// The number of fraction bits, and of all.
        fn widths(self) -> (u32, u32) {
            if self.kind == F32 { (23, 32) } else { (52, 64) }
        }

        fn quiet_nan(self) -> u64 {
            let (fraction, all) = self.widths();
            (1 << (all - 1)) - (1 << (fraction - 1))
        }

        fn infinity(self) -> u64 {
            let (fraction, all) = self.widths();
            (1 << (all - 1)) - (1 << fraction)
        }

        fn magnitude(self, bits: u64) -> u64 {
            bits & ((1 << (self.widths().1 - 1)) - 1)
        }

        fn is_nan(self, bits: u64) -> bool {
            self.magnitude(bits) > self.infinity()
        }

        fn wins(self, bits: u64) -> bool {
            match self.nans {
                Nans::All => self.is_nan(bits),
                Nans::None => false,
                Nans::Signalling => self.is_nan(bits) && self.magnitude(bits) < self.quiet_nan(),
            }
        }

        /// Integers in the order of the floats.
        fn rank(self, bits: u64) -> i128 {
            let magnitude = i128::from(self.magnitude(bits));
            if magnitude == i128::from(bits) { magnitude } else { -1 - magnitude }
        }

        fn pick(self, a: u64, b: u64, greatest: bool) -> u64 {
            if self.wins(a) || self.wins(b) {
                return self.quiet_nan();
            }
            let mut numbers: Vec<u64> = [a, b].into_iter().filter(|&bits| !self.is_nan(bits)).collect();
            numbers.sort_by_key(|&bits| self.rank(bits));
            let picked = if greatest { numbers.last() } else { numbers.first() };
            picked.copied().unwrap_or(self.quiet_nan())
        }

        fn median(self, v: &[u64]) -> u64 {
            if v[..3].iter().any(|&bits| self.is_nan(bits)) {
                return self.pick(self.pick(v[0], v[1], false), v[2], false);
            }
            let mut sorted = v[..3].to_vec();
            sorted.sort_by_key(|&bits| self.rank(bits));
            sorted[1]
        }
    }

    fn rule(name: &str) -> Rule {
        let nans = if name.contains("imum") {
            Nans::All
        } else if name.contains("num") {
            Nans::None
        } else {
            Nans::Signalling
        };
        Rule { nans, kind: if name.ends_with("f64") { F64 } else { F32 } }
    }

    fn processors(rule: Rule) -> &'static [&'static str] {
        if rule.nans == Nans::Signalling { &["gfx906", "gfx90a", "gfx1030", "gfx1100"] } else { &["gfx1201"] }
    }

    /// `first` and then, with a third operand, `second` pick the greatest.
    fn of_two(name: &str, greatest: bool) {
        let rule = rule(name);
        for processor in processors(rule) {
            let text = format!("{name} {{d}}, {{0}}, {{1}}");
            check(processor, &text, &[rule.kind; 2], rule.kind, |v| rule.pick(v[0], v[1], greatest));
        }
    }

    fn of_three(name: &str, first: bool, second: bool) {
        let rule = rule(name);
        for processor in processors(rule) {
            let text = format!("{name} {{d}}, {{0}}, {{1}}, {{2}}");
            check(processor, &text, &[rule.kind; 3], rule.kind, |v| {
                rule.pick(rule.pick(v[0], v[1], first), v[2], second)
            });
        }
    }

    fn middle(name: &str) {
        let rule = rule(name);
        for processor in processors(rule) {
            let text = format!("{name} {{d}}, {{0}}, {{1}}, {{2}}");
            check(processor, &text, &[rule.kind; 3], rule.kind, |v| rule.median(v));
        }
    }

    macro_rules! references {
        ($($check:expr => $($name:literal)*;)*) => {
            pub(crate) const REFERENCES: &[Reference] = &[$($(Reference { name: $name, check: $check }),*),*];
        };
    }

    references! {
        |name| of_two(name, false) => "v_min_f32" "v_min_f64" "v_min_num_f32" "v_min_num_f64" "v_minimum_f32" "v_minimum_f64";
        |name| of_two(name, true) => "v_max_f32" "v_max_f64" "v_max_num_f32" "v_max_num_f64" "v_maximum_f32" "v_maximum_f64";
        |name| of_three(name, false, false) => "v_min3_f32" "v_min3_num_f32" "v_minimum3_f32";
        |name| of_three(name, true, true) => "v_max3_f32" "v_max3_num_f32" "v_maximum3_f32";
        |name| of_three(name, false, true) => "v_minmax_f32" "v_minmax_num_f32" "v_minimummaximum_f32";
        |name| of_three(name, true, false) => "v_maxmin_f32" "v_maxmin_num_f32" "v_maximumminimum_f32";
        middle => "v_med3_f32" "v_med3_num_f32";
    }
}
