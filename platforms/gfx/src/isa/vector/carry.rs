//! Additions, subtractions and multiplications with carries in masks of lanes (RDNA3 ISA guide, sections 16.7 "VOP2" and 16.12
//! "VOP3").

use crate::assembly::{DecodeError, Decoded, File, Operand, Statement, Value, special};
use crate::fault::Step;
use crate::isa::element::Kind;
use crate::isa::lanes::Lanes;
use crate::isa::plain::Plain;
use crate::isa::source::{Place, Rows, Spare};
use crate::isa::{Execute, Form};
use crate::machine::masks::{flag, mask_of, row_of};
use crate::machine::wave::{LANES, Row, Wave, each_lane};
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "v_add_co_u32", decode: |statement, target| sum(statement, target, false, add) },
    Form { name: "v_sub_co_u32", decode: |statement, target| sum(statement, target, false, subtract) },
    Form {
        name: "v_subrev_co_u32",
        decode: |statement, target| sum(statement, target, false, subtract_from),
    },
    // gfx9
    Form { name: "v_addc_co_u32", decode: |statement, target| sum(statement, target, true, add) },
    Form { name: "v_subb_co_u32", decode: |statement, target| sum(statement, target, true, subtract) },
    Form {
        name: "v_subbrev_co_u32",
        decode: |statement, target| sum(statement, target, true, subtract_from),
    },
    // gfx10 and newer
    Form { name: "v_add_co_ci_u32", decode: |statement, target| sum(statement, target, true, add) },
    Form { name: "v_sub_co_ci_u32", decode: |statement, target| sum(statement, target, true, subtract) },
    Form {
        name: "v_subrev_co_ci_u32",
        decode: |statement, target| sum(statement, target, true, subtract_from),
    },
    Form { name: "v_mad_u64_u32", decode: |statement, target| product(statement, target, unsigned) },
    Form { name: "v_mad_i64_i32", decode: |statement, target| product(statement, target, signed) },
    // gfx12
    Form { name: "v_mad_co_u64_u32", decode: |statement, target| product(statement, target, unsigned) },
    Form { name: "v_mad_co_i64_i32", decode: |statement, target| product(statement, target, signed) },
];

/// `a + b + carry`, and the carry of it.
#[inline(always)]
fn add(a: u32, b: u32, carry: u32) -> (u32, bool) {
    let partial = a.wrapping_add(b);
    let sum = partial.wrapping_add(carry);
    (sum, (partial < a) | (sum < partial))
}

#[inline(always)]
fn subtract(a: u32, b: u32, borrow: u32) -> (u32, bool) {
    let partial = a.wrapping_sub(b);
    (partial.wrapping_sub(borrow), (a < b) | (partial < borrow))
}

#[inline(always)]
fn subtract_from(a: u32, b: u32, borrow: u32) -> (u32, bool) {
    subtract(b, a, borrow)
}

#[inline(always)]
fn unsigned(a: u32, b: u32, c: u64) -> (u64, bool) {
    let sum = (u64::from(a) * u64::from(b)).wrapping_add(c);
    (sum, sum < c)
}

/// The carry is the upper one of the 65 bits of the sum.
#[inline(always)]
fn signed(a: u32, b: u32, c: u64) -> (u64, bool) {
    let product = i64::from(a as i32) * i64::from(b as i32);
    let sum = product.wrapping_add(c as i64);
    let overflows = (product ^ sum) & (c as i64 ^ sum) < 0;
    (sum as u64, (sum < 0) ^ overflows)
}

/// The scalar register of a mask of lanes, the first of two in waves of 64.
fn mask_register(operand: &Operand, index: usize, target: &Target) -> Decoded<u16> {
    match operand.registers(File::Scalar) {
        Some((special::NULL, 1)) => Ok(special::NULL),
        Some((number, count)) if usize::from(count) * 32 == target.lanes => Ok(number),
        _ => Err(DecodeError::Operand(index)),
    }
}

/// Takes out the operand of the carry that is written.
fn take_output(statement: &mut Statement, target: &Target) -> Decoded<u16> {
    let output = mask_register(statement.operands.get(1).ok_or(DecodeError::OperandCount(1))?, 1, target)?;
    statement.operands.remove(1);
    Ok(output)
}

fn sum(
    statement: &mut Statement,
    target: &Target,
    takes_carry: bool,
    f: impl Fn(u32, u32, u32) -> (u32, bool) + Copy + Send + Sync + 'static,
) -> Decoded<Execute> {
    let output = take_output(statement, target)?;
    let mut input = special::NULL;
    if takes_carry {
        let operand = statement.operands.pop().ok_or(DecodeError::OperandCount(1))?;
        input = mask_register(&operand, 4, target)?;
    }
    let lanes = Lanes::decode(statement, target, Kind::B32, [Kind::B32; 2])?;
    Ok(match lanes.plain() {
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        Some(plain) => Box::new(move |wave, _| unsafe { run_plain_sum(wave, &plain, input, output, f) }),
        // SAFETY: as above.
        None => Box::new(move |wave, _| unsafe { run_sum(wave, &lanes, input, output, f) }),
    })
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run_plain_sum(
    wave: &mut Wave,
    plain: &Plain<2>,
    input: u16,
    output: u16,
    f: impl Fn(u32, u32, u32) -> (u32, bool),
) -> Step {
    let mask = wave.exec();
    let (mut first, mut second, mut out) = (Spare::uninit(), Spare::uninit(), [0; LANES]);
    let carry = wave.scalar_mask(input)?;
    let (a, a_written) = plain.from[0].read(wave, &mut first)?;
    let (b, b_written) = plain.from[1].read(wave, &mut second)?;
    let carries = sums(a, b, carry, &mut out, wave.lanes, f);
    let written = a_written & b_written | !mask;
    plain.write(wave, &out, mask, written)?;
    wave.set_scalar_mask_bits(output, carries & mask, written);
    Ok(())
}

/// Fills `out`, and gives the mask of carries.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn sums(
    a: &Row,
    b: &Row,
    carry: u64,
    out: &mut Row,
    lanes: usize,
    f: impl Fn(u32, u32, u32) -> (u32, bool),
) -> u64 {
    let (carry, mut carries) = (row_of(carry), [0; LANES]);
    for lane in each_lane(lanes) {
        let (sum, over) = f(a[lane], b[lane], carry[lane] & 1);
        (out[lane], carries[lane]) = (sum, flag(over));
    }
    mask_of(&carries, lanes)
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run_sum(
    wave: &mut Wave,
    lanes: &Lanes<2>,
    input: u16,
    output: u16,
    f: impl Fn(u32, u32, u32) -> (u32, bool),
) -> Step {
    let mask = lanes.mask(wave);
    let (mut first, mut second, mut out) = (Spare::uninit(), Spare::uninit(), [0; LANES]);
    let carry = wave.scalar_mask(input)?;
    let a = lanes.sources[0].row(wave, mask, &mut first)?;
    let b = lanes.sources[1].row(wave, mask, &mut second)?;
    let carries = sums(a, b, carry, &mut out, wave.lanes, f);
    let undefined = wave.take_undefined();
    lanes.destination.write(wave, &mut out, mask)?;
    let row = lanes.destination.row(wave)?;
    wave.set_written(row, undefined & mask, 0);
    wave.set_scalar_mask_bits(output, carries & mask, !undefined);
    Ok(())
}

fn product(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn(u32, u32, u64) -> (u64, bool) + Copy + Send + Sync + 'static,
) -> Decoded<Execute> {
    let output = take_output(statement, target)?;
    // How a literal of 32 bits becomes a negative number of 64 is not clear.
    if let Some(Value::Literal(0x8000_0000..)) = statement.operands.get(3).map(|operand| &operand.value) {
        return Err(DecodeError::Operand(4));
    }
    let lanes = Lanes::decode(statement, target, Kind::B64, [Kind::B32, Kind::B32, Kind::B64])?;
    // SAFETY: as in `sum`.
    Ok(Box::new(move |wave, _| unsafe { run_product(wave, &lanes, output, f) }))
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run_product(
    wave: &mut Wave,
    lanes: &Lanes<3>,
    output: u16,
    f: impl Fn(u32, u32, u64) -> (u64, bool),
) -> Step {
    let mask = lanes.mask(wave);
    let (mut first, mut second, mut third) = (Spare::uninit(), Spare::uninit(), Spare::uninit());
    let (mut out, mut carries) = ([0; LANES], [0; LANES]);
    let a = lanes.sources[0].row(wave, mask, &mut first)?;
    let b = lanes.sources[1].row(wave, mask, &mut second)?;
    match lanes.sources[2].place {
        Place::Vector(file, number) => wave.note(wave.row_index(file, number)?, mask),
        Place::Scalar(number) => {
            wave.noted_scalar(number, mask);
        }
        Place::Constant(_) | Place::Scc => {}
    }
    // What the addend's upper half is makes no difference to the lower half of the sum.
    let undefined = wave.undefined();
    let c = u64::read(&lanes.sources[2], wave, mask, &mut third)?;
    for lane in each_lane(wave.lanes) {
        let (sum, over) = f(a[lane], b[lane], c[lane]);
        (out[lane], carries[lane]) = (sum, flag(over));
    }
    let carries = mask_of(&carries, wave.lanes);
    let undefined_above = wave.take_undefined();
    lanes.destination.write(wave, &mut out, mask)?;
    let row = lanes.destination.row(wave)?;
    wave.set_written(row, undefined & mask, 0);
    wave.set_written(row + 1, undefined_above & mask, 0);
    wave.set_scalar_mask_bits(output, carries & mask, !undefined_above);
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::{DecodeError, special};
    use crate::isa::element::Kind::{B32, B64};
    use crate::isa::testing::{Bench, Reference, samples};
    use crate::machine::wave::LANES;

    /// The carry is `a - b` or `b - a` below zero, or `a + b` above 32 bits.
    fn signs(name: &str) -> [i128; 2] {
        if name.contains("rev") {
            [-1, 1]
        } else if name.contains("sub") {
            [1, -1]
        } else {
            [1, 1]
        }
    }

    fn sums(name: &str) {
        let processors: &[&str] = match name {
            "v_addc_co_u32" | "v_subb_co_u32" | "v_subbrev_co_u32" => &["gfx906", "gfx90a"],
            name if name.contains("_ci_") => &["gfx1030", "gfx1100", "gfx1201"],
            _ => &["gfx906", "gfx1030", "gfx1100", "gfx1201"],
        };
        let takes_carry = name.contains("_ci_") || name.contains("addc") || name.contains("subb");
        let mut random = fastrand::Rng::with_seed(11);
        let samples = samples(B32, &mut random);
        for processor in processors {
            let mut bench = Bench::new(processor);
            let (vcc, pair, other) = match bench.wave.lanes {
                64 => ("vcc", "s[4:5]", "s[6:7]"),
                _ => ("vcc_lo", "s4", "s6"),
            };
            for batch in 0..200 {
                let values: Vec<[u64; 2]> = (0..LANES)
                    .map(|_| std::array::from_fn(|_| samples[random.usize(..samples.len())]))
                    .collect();
                let (input, exec) = (random.u64(..), if batch % 3 == 0 { u64::MAX } else { random.u64(..) });
                let all = bench.wave.all();
                bench.set_exec(u64::MAX);
                bench.set(1, |lane| values[lane][0] as u32);
                bench.set(2, |lane| values[lane][1] as u32);
                bench.set(0, |_| 77);
                bench.set_exec(exec);
                bench.wave.set_scalar64(special::VCC, input);
                bench.wave.set_scalar64(6, input);
                let (encoding, output, input_name) = match batch % 4 {
                    0 => ("_e32", vcc, vcc),
                    1 => ("_e64", pair, other),
                    2 => ("_e64", "null", other),
                    _ => ("_e64", pair, pair),
                };
                bench.wave.set_scalar64(4, input);
                let input_operand = if takes_carry { format!(", {input_name}") } else { String::new() };
                bench.run(&format!("{name}{encoding} v0, {output}, v1, v2{input_operand}"));
                let mut carries = 0;
                for lane in 0..bench.wave.lanes {
                    let mut expected = 77;
                    if exec >> lane & 1 != 0 {
                        let carry = i128::from(takes_carry && input >> lane & 1 != 0);
                        let [a, b] = signs(name);
                        let carry_sign = if name.contains("sub") { -1 } else { 1 };
                        let sum = a * i128::from(values[lane][0])
                            + b * i128::from(values[lane][1])
                            + carry_sign * carry;
                        expected = sum as u32;
                        carries |= u64::from(!(0..1 << 32).contains(&sum)) << lane;
                    }
                    assert_eq!(bench.get(0)[lane], expected, "{name} {processor} {:x?}", values[lane]);
                }
                let register = match output {
                    "null" => continue,
                    output if output == vcc => special::VCC,
                    _ => 4,
                };
                let mask = bench.wave.scalar64(register).unwrap() & all;
                assert_eq!(mask, carries & exec, "{name} {processor}");
            }
        }
    }

    fn products(name: &str) {
        let processors: &[&str] =
            if name.contains("_co_") { &["gfx1201"] } else { &["gfx906", "gfx1030", "gfx1100"] };
        let is_signed = name.contains("i64");
        let mut random = fastrand::Rng::with_seed(12);
        let (narrow, wide) = (samples(B32, &mut random), samples(B64, &mut random));
        for processor in processors {
            let mut bench = Bench::new(processor);
            let pair = if bench.wave.lanes == 64 { "s[4:5]" } else { "s4" };
            for _ in 0..200 {
                let mut pick = |from: &[u64]| -> [u64; LANES] {
                    std::array::from_fn(|_| from[random.usize(..from.len())])
                };
                let (a, b, c) = (pick(&narrow), pick(&narrow), pick(&wide));
                let exec = random.u64(..);
                bench.set_exec(u64::MAX);
                bench.set(0, |lane| a[lane] as u32);
                bench.set(1, |lane| b[lane] as u32);
                bench.set64(2, |lane| c[lane]);
                bench.set64(4, |_| 99);
                bench.set_exec(exec);
                bench.run(&format!("{name} v[4:5], {pair}, v0, v1, v[2:3]"));
                let mut carries = 0;
                for lane in 0..bench.wave.lanes {
                    let mut expected = 99;
                    if exec >> lane & 1 != 0 {
                        let sum = if is_signed {
                            i128::from(a[lane] as i32) * i128::from(b[lane] as i32)
                                + i128::from(c[lane] as i64)
                        } else {
                            i128::from(a[lane]) * i128::from(b[lane]) + i128::from(c[lane])
                        };
                        expected = sum as u64;
                        carries |= ((sum >> 64) as u64 & 1) << lane;
                    }
                    assert_eq!(bench.get64(4)[lane], expected, "{name} {processor}");
                }
                assert_eq!(bench.wave.scalar_mask(4).unwrap(), carries, "{name} {processor}");
            }
        }
    }

    macro_rules! all {
        ($($check:ident: $($name:literal)*;)*) => { &[$($(Reference { name: $name, check: $check }),*),*] };
    }

    pub(crate) const REFERENCES: &[Reference] = all! {
        sums: "v_add_co_u32" "v_sub_co_u32" "v_subrev_co_u32" "v_addc_co_u32" "v_subb_co_u32" "v_subbrev_co_u32"
            "v_add_co_ci_u32" "v_sub_co_ci_u32" "v_subrev_co_ci_u32";
        products: "v_mad_u64_u32" "v_mad_i64_i32" "v_mad_co_u64_u32" "v_mad_co_i64_i32";
    };

    #[test]
    fn masks_of_another_size_are_refused() {
        let wide = Bench::new("gfx906");
        assert_eq!(wide.refusal("v_add_co_u32_e64 v0, s4, v1, v2"), DecodeError::Operand(1));
        let narrow = Bench::new("gfx1100");
        assert_eq!(narrow.refusal("v_add_co_u32 v0, s[4:5], v1, v2"), DecodeError::Operand(1));
        assert_eq!(narrow.refusal("v_add_co_ci_u32_e64 v0, s4, v1, v2, vcc"), DecodeError::Operand(4));
        assert_eq!(narrow.refusal("v_mad_i64_i32 v[0:1], null, v1, v2, 0x80000000"), DecodeError::Operand(4));
    }

    #[test]
    fn overlapping_registers() {
        let mut bench = Bench::new("gfx1100");
        bench.set64(0, |lane| u64::MAX - lane as u64);
        bench.run("v_mad_u64_u32 v[0:1], null, v0, 3, v[0:1]");
        let value = u64::MAX - 5;
        assert_eq!(bench.get64(0)[5], (value & 0xffff_ffff).wrapping_mul(3).wrapping_add(value));
    }
}
