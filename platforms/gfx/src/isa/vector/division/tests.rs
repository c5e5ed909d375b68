//! The steps of division by themselves.

use crate::assembly::special;
use crate::isa::element::Kind::{self, F16, F32, F64};
use crate::isa::testing::{Bench, Reference, check, same, samples};
use crate::isa::vector::exact::{self, Exact, Format};
use crate::machine::wave::LANES;

const ALL: &[&str] = &["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"];

/// What the manual's definitions depend on.
pub(crate) struct Numbers {
    pub(crate) kind: Kind,
    format: &'static Format,
    pub(crate) fraction: u32,
    pub(crate) exponents: u64,
    scale: i32,
    far: i64,
    tiny: i64,
    nothing: i64,
}

pub(crate) const SINGLE: Numbers = Numbers {
    kind: F32,
    format: &exact::F32,
    fraction: 23,
    exponents: 0xff,
    scale: 64,
    far: 96,
    tiny: 23,
    nothing: -150,
};

pub(crate) const DOUBLE: Numbers = Numbers {
    kind: F64,
    format: &exact::F64,
    fraction: 52,
    exponents: 0x7ff,
    scale: 128,
    far: 768,
    tiny: 53,
    nothing: -1075,
};

impl Numbers {
    pub(crate) fn value(&self, bits: u64) -> f64 {
        if self.kind == F32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) }
    }

    pub(crate) fn bits(&self, value: f64) -> u64 {
        if self.kind == F32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
    }

    fn exponent(&self, bits: u64) -> i64 {
        (bits >> self.fraction & self.exponents) as i64
    }

    /// `2^exponent` for exponents of subnormals, too.
    fn power(exponent: i32) -> f64 {
        2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2)
    }

    /// Whether `numerator / denominator`, rounded, is a subnormal other than 0.
    fn has_tiny_quotient(&self, numerator: f64, denominator: f64) -> bool {
        if !(numerator.is_finite() && denominator.is_finite()) {
            return false;
        }
        let bias = (self.exponents / 2) as i32;
        let lowest = Self::power(1 - bias - self.fraction as i32);
        let largest = ((2_u64 << self.fraction) - 1) as f64 * lowest;
        // Twice the quotient lies between the lowest digit, whose half is rounded to 0, and what is rounded to normal.
        let twice = Exact::product(numerator.abs(), 2.0);
        let above = twice.plus(&Exact::product(denominator.abs(), -lowest));
        let below = twice.plus(&Exact::product(denominator.abs(), -largest));
        !above.is_zero() && !above.is_negative() && below.is_negative()
    }

    /// The scaled value, and whether the quotient has to be scaled back.
    fn scale(&self, value: u64, denominator: u64, numerator: u64) -> (u64, bool) {
        let (d, n) = (self.value(denominator), self.value(numerator));
        let scaled = |exponent: i32| {
            let value = self.value(value);
            if value == 0.0 || !value.is_finite() {
                return self.bits(value);
            }
            Exact::product(value, 1.0).round(self.format, exponent)
        };
        let is = |other: f64| self.value(value) == other;
        if d == 0.0 || n == 0.0 {
            return (self.bits(f64::NAN), false);
        }
        let tiny_reciprocal = self.has_tiny_quotient(1.0, d);
        let tiny_quotient = self.has_tiny_quotient(n, d);
        if self.exponent(numerator) - self.exponent(denominator) >= self.far {
            return (scaled(if is(d) { self.scale } else { 0 }), true);
        }
        if self.exponent(denominator) == 0 {
            return (scaled(self.scale), false);
        }
        match (tiny_reciprocal, tiny_quotient) {
            (true, true) => (scaled(if is(d) { -self.scale } else { 0 }), true),
            (true, false) => (scaled(-self.scale), false),
            (false, true) => (scaled(if is(n) { self.scale } else { 0 }), true),
            _ if self.exponent(numerator) <= self.tiny => (scaled(self.scale), false),
            _ => (scaled(0), false),
        }
    }

    fn fixup(&self, quotient: u64, denominator: u64, numerator: u64) -> u64 {
        let (q, d, n) = (self.value(quotient), self.value(denominator), self.value(numerator));
        let negative = d.is_sign_negative() != n.is_sign_negative();
        let signed = |magnitude: f64| self.bits(if negative { -magnitude } else { magnitude });
        if n.is_nan() || d.is_nan() || (n == 0.0 && d == 0.0) || (n.is_infinite() && d.is_infinite()) {
            self.bits(f64::NAN)
        } else if d == 0.0 || n.is_infinite() {
            signed(f64::INFINITY)
        } else if d.is_infinite()
            || n == 0.0
            || self.exponent(numerator) - self.exponent(denominator) < self.nothing
        {
            signed(0.0)
        } else {
            signed(if q.is_nan() { f64::INFINITY } else { q.abs() })
        }
    }

    /// Registers of an operand.
    pub(crate) fn registers(&self, first: u16) -> String {
        if self.kind == F32 { format!("v{first}") } else { format!("v[{first}:{}]", first + 1) }
    }

    pub(crate) fn set(&self, bench: &mut Bench, number: u16, values: &[u64]) {
        let value = |lane: usize| values[lane % values.len()];
        match self.kind {
            F32 => bench.set(number, |lane| value(lane) as u32),
            _ => bench.set64(number, value),
        }
    }

    pub(crate) fn get(&self, bench: &Bench, number: u16) -> [u64; LANES] {
        if self.kind == F32 { bench.get(number).map(u64::from) } else { bench.get64(number) }
    }

    /// Operands around which the definitions change, and random ones.
    pub(crate) fn operands(&self, random: &mut fastrand::Rng, count: usize) -> Vec<u64> {
        let (fraction, bias) = (self.fraction, self.exponents / 2);
        let mut all = samples(self.kind, random);
        let scale = self.scale as u64;
        let far = self.far as u64;
        let tiny = self.tiny as u64;
        let edges = [1, 2, tiny, tiny + 1, scale, far, bias - 1, bias, bias + far, 2 * bias - 1, 2 * bias];
        for exponent in edges {
            for digits in [0, 1, (1 << fraction) - 1, random.u64(..) >> (64 - fraction)] {
                all.push(exponent << fraction | digits);
            }
        }
        // Subnormals of all sizes.
        all.extend((0..8).map(|_| random.u64(..) >> (64 - fraction) >> random.u32(..fraction)));
        while all.len() < count {
            all.push(random.u64(..) >> (63 - fraction - self.exponents.count_ones()));
        }
        all
    }

    /// Values of a mask in scalar registers.
    fn mask(bench: &Bench, number: u16) -> u64 {
        bench.wave.scalar_mask(number).expect("the mask is written")
    }
}

fn check_scale(name: &str, numbers: &Numbers) {
    let [d, a, b] = [0, 2, 4].map(|first| numbers.registers(first));
    for processor in ALL {
        let mut random = fastrand::Rng::with_seed(21);
        let mut bench = Bench::new(processor);
        let lanes = bench.wave.lanes;
        let masks = if lanes == 64 { ["s[4:5]", "vcc"] } else { ["s4", "vcc_lo"] };
        for round in 0..400 {
            let operands = numbers.operands(&mut random, 300);
            let mut pick =
                || -> Vec<u64> { (0..lanes).map(|_| operands[random.usize(..operands.len())]).collect() };
            let (denominators, numerators) = (pick(), pick());
            let old = pick();
            bench.set_exec(u64::MAX);
            numbers.set(&mut bench, 0, &old);
            numbers.set(&mut bench, 2, &denominators);
            numbers.set(&mut bench, 4, &numerators);
            let exec = if round % 2 == 0 { u64::MAX } else { random.u64(..) } & bench.wave.all();
            bench.set_exec(exec);
            let of_numerator = round % 4 < 2;
            let value = if of_numerator { &b } else { &a };
            bench.wave.set_scalar64(4, u64::MAX);
            bench.run(&format!("{name} {d}, {}, {value}, {a}, {b}", masks[round % 2]));
            let results = numbers.get(&bench, 0);
            let mask = Numbers::mask(&bench, if round % 2 == 0 { 4 } else { special::VCC });
            for lane in 0..lanes {
                let (denominator, numerator) = (denominators[lane], numerators[lane]);
                let value = if of_numerator { numerator } else { denominator };
                let (scaled, flag) = numbers.scale(value, denominator, numerator);
                let on = exec >> lane & 1 != 0;
                let expected = if on { scaled } else { old[lane] };
                assert!(
                    same(numbers.kind, results[lane], expected),
                    "{name} of {value:#x}, {denominator:#x}, {numerator:#x}: {:#x}, not {expected:#x}",
                    results[lane]
                );
                assert_eq!(mask >> lane & 1 != 0, flag && on, "{name}: {denominator:#x}, {numerator:#x}");
            }
        }
        bench.run(&format!("{name} {d}, null, {a}, {a}, {b}"));
    }
}

fn check_fmas(name: &str, numbers: &Numbers) {
    let [d, a, b, c] = [0, 2, 4, 6].map(|first| numbers.registers(first));
    for processor in ALL {
        let mut random = fastrand::Rng::with_seed(22);
        let mut bench = Bench::new(processor);
        let lanes = bench.wave.lanes;
        for round in 0..400 {
            let operands = numbers.operands(&mut random, 300);
            let mut columns = [(); 3].map(|()| -> Vec<u64> {
                (0..lanes).map(|_| operands[random.usize(..operands.len())]).collect()
            });
            if round % 2 == 1 {
                // As at the end of a division whose quotient is subnormal: a small correction of the addend.
                let (fraction, bias) = (numbers.fraction, numbers.exponents / 2);
                let mut of = |exponent: u64| exponent << fraction | random.u64(..) >> (64 - fraction);
                let [corrections, factors, addends] = &mut columns;
                for (lane, addend) in addends.iter_mut().enumerate() {
                    let up = lane as u64 % 60;
                    *addend = of(numbers.scale as u64 + 1 - up.min(numbers.scale as u64));
                    factors[lane] =
                        of(bias) ^ (lane as u64 & 1) << (fraction + numbers.exponents.count_ones());
                    corrections[lane] = of((numbers.scale as u64).saturating_sub(up + u64::from(fraction)));
                    if lane % 3 == 0 {
                        // The addend is half-way between two subnormals.
                        let cut = fraction - (up as u32).min(fraction - 2);
                        *addend = *addend >> cut << cut | 1 << (cut - 1);
                    }
                }
            }
            for (first, column) in [2, 4, 6].into_iter().zip(&columns) {
                numbers.set(&mut bench, first, column);
            }
            let flags = random.u64(..) & bench.wave.all();
            bench.wave.set_scalar_mask(special::VCC, flags);
            bench.run(&format!("{name} {d}, {a}, {b}, {c}"));
            let results = numbers.get(&bench, 0);
            for lane in 0..lanes {
                let [x, y, z] = [0, 1, 2].map(|column| columns[column][lane]);
                let up = numbers.exponent(z) > (numbers.exponents / 2) as i64;
                let scale = if flags >> lane & 1 == 0 {
                    0
                } else if up {
                    numbers.scale
                } else {
                    -numbers.scale
                };
                let sum = exact::fma(numbers.format, x, y, z);
                if scale < 0 && numbers.value(sum).is_infinite() {
                    // No step of a division; whether the exponent's range has room for it is not said.
                    continue;
                }
                let expected = exact::scaled_fma(numbers.format, x, y, z, scale);
                assert!(
                    same(numbers.kind, results[lane], expected),
                    "{name} of {x:#x}, {y:#x}, {z:#x}, {scale}: {:#x}, not {expected:#x}",
                    results[lane]
                );
            }
        }
    }
}

fn check_fixup(name: &str, numbers: &Numbers) {
    for processor in ALL {
        let text = format!("{name} {{d}}, {{0}}, {{1}}, {{2}}");
        check(processor, &text, &[numbers.kind; 3], numbers.kind, |v| numbers.fixup(v[0], v[1], v[2]));
    }
}

pub(crate) const REFERENCES: &[Reference] = &[
    Reference { name: "v_div_scale_f32", check: |name| check_scale(name, &SINGLE) },
    Reference { name: "v_div_scale_f64", check: |name| check_scale(name, &DOUBLE) },
    Reference { name: "v_div_fmas_f32", check: |name| check_fmas(name, &SINGLE) },
    Reference { name: "v_div_fmas_f64", check: |name| check_fmas(name, &DOUBLE) },
    Reference { name: "v_div_fixup_f32", check: |name| check_fixup(name, &SINGLE) },
    Reference { name: "v_div_fixup_f64", check: |name| check_fixup(name, &DOUBLE) },
    Reference {
        name: "v_div_fixup_f16",
        check: |name| {
            for processor in ALL {
                check(processor, &format!("{name} {{d}}, {{0}}, {{1}}, {{2}}"), &[F16; 3], F16, |v| {
                    let [d, n] = [v[1], v[2]].map(|bits| bits & 0x7fff);
                    let magnitude = match (d, n) {
                        (0x7c01.., _) | (_, 0x7c01..) | (0, 0) | (0x7c00, 0x7c00) => return 0x7e00,
                        (0, _) | (_, 0x7c00) => 0x7c00,
                        (0x7c00, _) | (_, 0) => 0,
                        _ => v[0] & 0x7fff,
                    };
                    magnitude | (v[1] ^ v[2]) & 0x8000
                });
            }
        },
    },
];

#[test]
fn f16_fixup_keeps_the_upper_half() {
    for processor in ALL {
        let mut bench = Bench::new(processor);
        bench.set(0, |_| 0x1234_5678);
        bench.set(1, |_| 0x3c00);
        bench.run("v_div_fixup_f16 v0, v1, v1, v1");
        assert_eq!(bench.get(0)[5], 0x1234_3c00, "{processor}");
    }
}
