//! Comparisons, which write a mask of lanes (RDNA3 ISA guide, section 16.9 "VOPC Instructions"; Vega ISA guide, section 12.9).

use crate::assembly::{DecodeError, Decoded, File, Operand, Statement, special};
use crate::fault::Step;
use crate::isa::element::{Element, F16};
use crate::isa::lanes::of;
use crate::isa::plain;
use crate::isa::source::{Rows, Source, Spare};
use crate::isa::sub_dword::Select;
use crate::isa::{Execute, Form};
use crate::machine::masks::{flag, mask_of};
use crate::machine::wave::{LANES, Wave, each_lane};
use crate::target::Target;

/// Operands and results of a comparison.
struct Comparison {
    sources: [Source; 2],
    /// The scalar register, or the first of two, that the mask goes to.
    destination: Option<u16>,
    /// Whether the mask becomes EXEC.
    sets_exec: bool,
}

impl Comparison {
    /// `destination, source, source`; `v_cmpx` has no destination from gfx10 on.
    fn decode<A: Element, B: Element>(statement: &mut Statement, target: &Target) -> Decoded<Self> {
        let sets_exec = statement.mnemonic.starts_with("v_cmpx_");
        let has_destination = !sets_exec || target.generation <= 9;
        let first = usize::from(has_destination);
        if statement.operands.len() != first + 2 {
            return Err(DecodeError::OperandCount(statement.operands.len()));
        }
        let destination =
            has_destination.then(|| scalar_mask(&statement.operands[0], target, 0)).transpose()?;
        let mut sources = [
            Source::decode(&statement.operands[first], A::KIND, first)?,
            Source::decode(&statement.operands[first + 1], B::KIND, first + 1)?,
        ];
        if sources.iter().any(|source| source.kind.is_half())
            && let Some(bits) = statement.take_list("op_sel")?
        {
            for (at, &bit) in bits.iter().enumerate() {
                match sources.get_mut(at) {
                    Some(source) if source.kind.is_half() => source.high |= bit != 0,
                    _ if bit == 0 => {}
                    _ => return Err(DecodeError::Modifier("op_sel".to_owned())),
                }
            }
        }
        if statement.mnemonic.ends_with("_sdwa") {
            for (at, source) in sources.iter_mut().enumerate() {
                let signed = statement.operands[first + at].sign_extended;
                source.select = Select::take(statement, ["src0_sel", "src1_sel"][at], signed)?.map(Box::new);
            }
        }
        Ok(Self { sources, destination, sets_exec })
    }
}

/// The register of an operand that is a mask of lanes; `index` is its number, for errors.
pub(super) fn scalar_mask(operand: &Operand, target: &Target, index: usize) -> Decoded<u16> {
    match operand.registers(File::Scalar) {
        Some((special::NULL, 1)) => Ok(special::NULL),
        Some((first, count)) if usize::from(count) * 32 == target.lanes => Ok(first),
        _ => Err(DecodeError::Operand(index)),
    }
}

fn decode<A: Element, B: Element>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn(A, B) -> bool + Copy + Send + Sync + 'static,
) -> Decoded<Execute>
where
    A::Word: Rows,
    B::Word: Rows,
{
    let comparison = Comparison::decode::<A, B>(statement, target)?;
    let [a, b] = &comparison.sources;
    Ok(match (a.plain(), b.plain(), comparison.destination) {
        (Some(a), Some(b), Some(to)) if !comparison.sets_exec && A::Word::IS_ROW && B::Word::IS_ROW => {
            // SAFETY: `crate::unavailable` refuses CPUs without these features.
            Box::new(move |wave, _| unsafe { run_plain(wave, [a, b], to, f) })
        }
        // SAFETY: as above.
        _ => Box::new(move |wave, _| unsafe { run(wave, &comparison, f) }),
    })
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run_plain<A: Element, B: Element>(
    wave: &mut Wave,
    [a, b]: [plain::Operand; 2],
    to: u16,
    f: impl Fn(A, B) -> bool,
) -> Step {
    let exec = wave.exec();
    let (mut first, mut second) = (Spare::uninit(), Spare::uninit());
    let (a, a_written) = a.read(wave, &mut first)?;
    let (b, b_written) = b.read(wave, &mut second)?;
    let mask = compared(a, b, wave.lanes, |&a, &b| f(of(a), of(b))) & exec;
    wave.set_scalar_mask_bits(to, mask, a_written & b_written | !exec);
    Ok(())
}

/// The lanes in which a comparison holds.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn compared<A, B>(a: &[A; LANES], b: &[B; LANES], lanes: usize, f: impl Fn(&A, &B) -> bool) -> u64 {
    let mut flags = [0; LANES];
    for lane in each_lane(lanes) {
        flags[lane] = flag(f(&a[lane], &b[lane]));
    }
    mask_of(&flags, lanes)
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run<A: Element, B: Element>(wave: &mut Wave, comparison: &Comparison, f: impl Fn(A, B) -> bool) -> Step
where
    A::Word: Rows,
    B::Word: Rows,
{
    let exec = wave.exec();
    let (mut first, mut second) = (Spare::uninit(), Spare::uninit());
    let a = A::Word::read(&comparison.sources[0], wave, exec, &mut first)?;
    let b = B::Word::read(&comparison.sources[1], wave, exec, &mut second)?;
    // The bits of lanes that are off become zero.
    let mask = compared(a, b, wave.lanes, |&a, &b| f(A::of(a), B::of(b))) & exec;
    if let Some(destination) = comparison.destination {
        // EXEC must be known.
        let undefined = if comparison.sets_exec { 0 } else { wave.take_undefined() };
        wave.set_scalar_mask_bits(destination, mask, !undefined);
    }
    if comparison.sets_exec {
        wave.set_scalar_mask(special::EXEC, mask);
    }
    Ok(())
}

/// What is compared.
trait Number: Element {
    type Value: PartialOrd;
    fn value(self) -> Self::Value;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Number for $t {
            type Value = Self;
            #[inline(always)]
            fn value(self) -> Self {
                self
            }
        }
    )*};
}

numbers! { i16 u16 i32 u32 i64 u64 f32 f64 }

impl Number for F16 {
    type Value = f32;
    #[inline(always)]
    fn value(self) -> f32 {
        self.to_f32()
    }
}

/// A float whose class can be tested.
trait Float: Element {
    /// Bits of the fraction and of the exponent.
    const BITS: (u32, u32);
}

impl Float for F16 {
    const BITS: (u32, u32) = (10, 5);
}

impl Float for f32 {
    const BITS: (u32, u32) = (23, 8);
}

impl Float for f64 {
    const BITS: (u32, u32) = (52, 11);
}

/// Whether `mask` has the bit of the float's class: signalling NaN, quiet NaN, -infinity, -normal, -subnormal, -0, +0,
/// +subnormal, +normal, +infinity.
#[inline(always)]
fn has_class<T: Float>(value: T, mask: u32) -> bool {
    use crate::isa::element::Word;
    let (fraction_bits, exponent_bits) = T::BITS;
    let bits = value.word().to_u64();
    let largest = (1 << exponent_bits) - 1;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let exponent = bits >> fraction_bits & largest;
    let negative = bits >> (fraction_bits + exponent_bits) & 1 != 0;
    let small = if fraction == 0 { 5 } else { 4 };
    let below_zero = if exponent == largest {
        2
    } else if exponent == 0 {
        small
    } else {
        3
    };
    let signed = if negative { below_zero } else { 11 - below_zero };
    let is_nan = exponent == largest && fraction != 0;
    let class = if is_nan { fraction >> (fraction_bits - 1) } else { signed };
    mask >> class & 1 != 0
}

/// `v_cmp` or `v_cmpx` of one condition and type.
macro_rules! form {
    ($prefix:literal, $condition:literal, $kind:literal, |$a:ident: $ta:ty, $b:ident: $tb:ty| $body:expr) => {
        Form {
            name: concat!($prefix, $condition, "_", $kind),
            decode: |statement, target| {
                #[inline(always)]
                fn f($a: $ta, $b: $tb) -> bool {
                    $body
                }
                decode(statement, target, f)
            },
        }
    };
    ($prefix:literal, $condition:literal, $kind:literal, $t:ty, |$a:ident, $b:ident| $body:expr) => {
        form!($prefix, $condition, $kind, |first: $t, second: $t| {
            let ($a, $b) = (Number::value(first), Number::value(second));
            $body
        })
    };
}

/// Gathers the forms of all types and conditions in one table.
macro_rules! comparisons {
    (@done [$($form:expr;)*]) => {
        // `nlt` holds for NaNs, unlike `ge`.
        #[expect(clippy::neg_cmp_op_on_partial_ord)]
        pub(crate) const FORMS: &[Form] = &[$($form),*];
    };
    (@done [$($forms:tt)*] integers $prefix:literal $kind:literal $t:ty; $($rest:tt)*) => {
        comparisons! { @done [$($forms)*
            form!($prefix, "f", $kind, $t, |_a, _b| false);
            form!($prefix, "lt", $kind, $t, |a, b| a < b);
            form!($prefix, "eq", $kind, $t, |a, b| a == b);
            form!($prefix, "le", $kind, $t, |a, b| a <= b);
            form!($prefix, "gt", $kind, $t, |a, b| a > b);
            form!($prefix, "ne", $kind, $t, |a, b| a != b);
            form!($prefix, "ge", $kind, $t, |a, b| a >= b);
            form!($prefix, "t", $kind, $t, |_a, _b| true);
        ] $($rest)* }
    };
    (@done [$($forms:tt)*] floats $prefix:literal $kind:literal $t:ty, $mask:ty; $($rest:tt)*) => {
        comparisons! { @done [$($forms)*
            form!($prefix, "f", $kind, $t, |_a, _b| false);
            form!($prefix, "lt", $kind, $t, |a, b| a < b);
            form!($prefix, "eq", $kind, $t, |a, b| a == b);
            form!($prefix, "le", $kind, $t, |a, b| a <= b);
            form!($prefix, "gt", $kind, $t, |a, b| a > b);
            form!($prefix, "lg", $kind, $t, |a, b| (a < b) | (a > b));
            form!($prefix, "ge", $kind, $t, |a, b| a >= b);
            form!($prefix, "o", $kind, $t, |a, b| (a == a) & (b == b));
            form!($prefix, "u", $kind, $t, |a, b| (a != a) | (b != b));
            form!($prefix, "nge", $kind, $t, |a, b| !(a >= b));
            form!($prefix, "nlg", $kind, $t, |a, b| !((a < b) | (a > b)));
            form!($prefix, "ngt", $kind, $t, |a, b| !(a > b));
            form!($prefix, "nle", $kind, $t, |a, b| !(a <= b));
            form!($prefix, "neq", $kind, $t, |a, b| a != b);
            form!($prefix, "nlt", $kind, $t, |a, b| !(a < b));
            // gfx11 calls it `t`.
            form!($prefix, "tru", $kind, $t, |_a, _b| true);
            form!($prefix, "t", $kind, $t, |_a, _b| true);
            form!($prefix, "class", $kind, |a: $t, b: $mask| has_class(a, b.into()));
        ] $($rest)* }
    };
    ($($types:tt)*) => {
        comparisons! { @done [] $($types)* }
    };
}

comparisons! {
    integers "v_cmp_" "i16" i16;
    integers "v_cmp_" "u16" u16;
    integers "v_cmp_" "i32" i32;
    integers "v_cmp_" "u32" u32;
    integers "v_cmp_" "i64" i64;
    integers "v_cmp_" "u64" u64;
    floats "v_cmp_" "f16" F16, u16;
    floats "v_cmp_" "f32" f32, u32;
    floats "v_cmp_" "f64" f64, u32;
    integers "v_cmpx_" "i16" i16;
    integers "v_cmpx_" "u16" u16;
    integers "v_cmpx_" "i32" i32;
    integers "v_cmpx_" "u32" u32;
    integers "v_cmpx_" "i64" i64;
    integers "v_cmpx_" "u64" u64;
    floats "v_cmpx_" "f16" F16, u16;
    floats "v_cmpx_" "f32" f32, u32;
    floats "v_cmpx_" "f64" f64, u32;
}

#[cfg(test)]
pub(crate) mod tests {
    use super::FORMS;
    use crate::assembly::special;
    use crate::fault::FaultKind;
    use crate::isa::element::Kind;
    use crate::isa::testing::{Bench, Reference, samples};
    use crate::machine::wave::LANES;

    /// A reference for each form.
    pub(crate) const REFERENCES: &[Reference] = &{
        const NONE: Reference = Reference { name: "", check: compare };
        let mut all = [NONE; FORMS.len()];
        let mut at = 0;
        while at < FORMS.len() {
            all[at].name = FORMS[at].name;
            at += 1;
        }
        all
    };

    /// Sign, exponent and fraction of a float.
    fn fields(kind: Kind, bits: u64) -> (bool, u64, u64) {
        let (fraction, exponent) = match kind {
            Kind::F16 => (10, 5),
            Kind::F32 => (23, 8),
            _ => (52, 11),
        };
        (
            bits >> (fraction + exponent) & 1 != 0,
            bits >> fraction & ((1 << exponent) - 1),
            bits & ((1 << fraction) - 1),
        )
    }

    fn is_nan(kind: Kind, bits: u64) -> bool {
        let (_, exponent, fraction) = fields(kind, bits);
        let largest = fields(kind, u64::MAX).1;
        exponent == largest && fraction != 0
    }

    /// A number whose order is that of the operands; floats are ordered by sign and magnitude.
    fn order(kind: Kind, signed: bool, bits: u64) -> i128 {
        let magnitude = |sign: u64| i128::from(bits & (sign - 1));
        if let Some(sign) = kind.sign() {
            return if bits & sign != 0 { -magnitude(sign) } else { magnitude(sign) };
        }
        let sign = match kind {
            Kind::B16 => 1 << 15,
            Kind::B32 => 1 << 31,
            _ => 1 << 63,
        };
        let top = if bits & sign == 0 { 0 } else { i128::from(sign) };
        magnitude(sign) + if signed { -top } else { top }
    }

    /// The number of the class, as the manual lists them.
    fn class_of(kind: Kind, bits: u64) -> u32 {
        let (negative, exponent, fraction) = fields(kind, bits);
        let (_, largest, all) = fields(kind, u64::MAX);
        match (exponent, fraction, negative) {
            (e, f, _) if e == largest && f > all / 2 => 1,
            (e, f, _) if e == largest && f != 0 => 0,
            (e, _, true) if e == largest => 2,
            (e, _, false) if e == largest => 9,
            (0, 0, true) => 5,
            (0, 0, false) => 6,
            (0, _, true) => 4,
            (0, _, false) => 7,
            (_, _, true) => 3,
            (_, _, false) => 8,
        }
    }

    /// The condition, from its name: the letters say which outcomes it accepts.
    fn holds(condition: &str, kind: Kind, signed: bool, a: u64, b: u64) -> bool {
        use std::cmp::Ordering::{Equal, Greater, Less};
        if condition == "class" {
            return b >> class_of(kind, a) & 1 != 0;
        }
        let unordered = kind.sign().is_some() && (is_nan(kind, a) || is_nan(kind, b));
        let outcome = (!unordered).then(|| order(kind, signed, a).cmp(&order(kind, signed, b)));
        let accepted: &[Option<std::cmp::Ordering>] = match condition {
            "f" => &[],
            "lt" => &[Some(Less)],
            "eq" => &[Some(Equal)],
            "le" => &[Some(Less), Some(Equal)],
            "gt" => &[Some(Greater)],
            "lg" => &[Some(Less), Some(Greater)],
            "ge" => &[Some(Greater), Some(Equal)],
            "o" => &[Some(Less), Some(Equal), Some(Greater)],
            "u" => &[None],
            "nge" => &[None, Some(Less)],
            "nlg" => &[None, Some(Equal)],
            "ngt" => &[None, Some(Less), Some(Equal)],
            "nle" => &[None, Some(Greater)],
            "ne" | "neq" => &[None, Some(Less), Some(Greater)],
            "nlt" => &[None, Some(Greater), Some(Equal)],
            "t" | "tru" => &[None, Some(Less), Some(Equal), Some(Greater)],
            _ => panic!("{condition}"),
        };
        accepted.contains(&outcome)
    }

    fn compare(name: &str) {
        let (mnemonic, ty) = name.rsplit_once('_').unwrap();
        let (prefix, condition) = mnemonic.rsplit_once('_').unwrap();
        let signed = ty.starts_with('i');
        let kind = match ty {
            "i16" | "u16" => Kind::B16,
            "i32" | "u32" => Kind::B32,
            "i64" | "u64" => Kind::B64,
            "f16" => Kind::F16,
            "f32" => Kind::F32,
            "f64" => Kind::F64,
            _ => panic!("{ty}"),
        };
        let second = if condition == "class" { Kind::B32 } else { kind };
        let register = |first: u16, kind: Kind| match kind.words() {
            1 => format!("v{first}"),
            _ => format!("v[{first}:{}]", first + 1),
        };
        let mut random = fastrand::Rng::with_seed(5);
        for processor in ["gfx906", "gfx1030", "gfx1100", "gfx1201"] {
            let mut bench = Bench::new(processor);
            let destination = if bench.target.lanes == 64 { "s[4:5], " } else { "s4, " };
            let is_x = prefix == "v_cmpx";
            let destination = if is_x && bench.target.generation > 9 { "" } else { destination };
            let (a, b) = (samples(kind, &mut random), samples(second, &mut random));
            for batch in 0..48 {
                let mut pick = |from: &[u64]| from[random.usize(..from.len())];
                let rows: [(u64, u64); LANES] = std::array::from_fn(|lane| {
                    let first = pick(&a);
                    // Equal operands are rare otherwise.
                    let equal = lane % 4 == 0 && second == kind;
                    (first, if equal { first } else { pick(&b) })
                });
                // Floats in every second batch with modifiers.
                let modified = batch % 2 == 1 && kind.sign().is_some() && condition != "class";
                let exec = [u64::MAX, 0x8000_0001_f0f0_1234][batch / 2 % 2] & bench.wave.all();
                bench.set_exec(u64::MAX);
                for (number, kind, row) in
                    [(8, kind, rows.map(|row| row.0)), (12, second, rows.map(|row| row.1))]
                {
                    // What lies above 16 bits must not matter.
                    let noise = if kind.is_half() { 0xabcd_0000 } else { 0 };
                    match kind.words() {
                        1 => bench.set(number, |lane| row[lane] as u32 | noise),
                        _ => bench.set64(number, |lane| row[lane]),
                    }
                }
                bench.set_exec(exec);
                let (left, right) = (register(8, kind), register(12, second));
                bench.run(&match modified {
                    true => format!("{name}_e64 {destination}-{left}, |{right}|"),
                    false => format!("{name}_e64 {destination}{left}, {right}"),
                });
                let expected = (0..bench.target.lanes).fold(0, |mask, lane| {
                    let (mut a, mut b) = rows[lane];
                    if let (true, Some(sign)) = (modified, kind.sign()) {
                        (a, b) = (a ^ sign, b & !sign);
                    }
                    let on = exec >> lane & 1 != 0 && holds(condition, kind, signed, a, b);
                    mask | u64::from(on) << lane
                });
                if !destination.is_empty() {
                    let mask = bench.wave.scalar_mask(4).unwrap();
                    assert_eq!(mask, expected, "{processor}: {name} of {rows:x?}");
                }
                let after = if is_x { expected } else { exec };
                assert_eq!(bench.wave.exec(), after, "{processor}: EXEC after {name}");
            }
        }
    }

    #[test]
    fn operands() {
        let mut bench = Bench::new("gfx1100");
        bench.set(1, |lane| lane as u32 | 0x3c00_0000);
        bench.set(2, |_| 0x0005_7fff);
        let vcc = |bench: &Bench| bench.wave.scalar(special::VCC).unwrap();
        for (text, expected) in [
            ("v_cmp_eq_u16_e32 vcc_lo, v1.l, v2.h", 1 << 5),
            ("v_cmp_eq_u16_e64 vcc_lo, v1.l, v2.h op_sel:[0,1,0]", 1 << 5),
            ("v_cmp_eq_f16_e32 vcc_lo, 1.0, v1.h", u32::MAX),
            ("v_cmp_lt_i16_e32 vcc_lo, -1, v1.l", u32::MAX),
            ("v_cmp_gt_u32_e32 vcc_lo, 0x3c000002, v1", 3),
            ("v_cmp_class_f16_e64 vcc_lo, v1.h, v2.l op_sel:[1,0,0]", u32::MAX),
            ("v_cmp_class_f32_e64 vcc_lo, -v1, 8", u32::MAX),
        ] {
            bench.run(text);
            assert_eq!(vcc(&bench), expected, "{text}");
        }
        bench.run("v_cmp_t_u32_e64 null, v1, v1");
        assert_eq!(bench.wave.scalar(special::NULL).unwrap(), 0);
        bench.set_exec(0xff);
        bench.run("v_cmpx_gt_u32_e64 0x3c000002, v1");
        assert_eq!((bench.wave.exec(), vcc(&bench)), (3, u32::MAX));

        let mut bench = Bench::new("gfx90a");
        bench.set64(2, |lane| lane as u64);
        bench.wave.set_scalar64(6, 40);
        bench.run("v_cmp_lt_i64_e64 s[0:1], s[6:7], v[2:3]");
        assert_eq!(bench.wave.scalar64(0).unwrap(), u64::MAX << 41);
        bench.run("v_cmpx_gt_f64_e32 vcc, 0, v[2:3]");
        assert_eq!((bench.wave.exec(), bench.wave.scalar64(special::VCC).unwrap()), (0, 0));
    }

    #[test]
    fn unwritten_operands() {
        let mut bench = Bench::new("gfx1100");
        bench.set_exec(1);
        bench.run("v_mul_f32 v3, 1.0, 2.0");
        bench.run("v_cmp_eq_f32_e32 vcc_lo, 2.0, v3");
        bench.set_exec(3);
        bench.expect_undefined("v_cmp_eq_f32_e32 vcc_lo, 2.0, v3");
        assert_eq!(bench.fault("v_cmpx_eq_f32_e32 2.0, v3"), FaultKind::Undefined);
    }

    #[test]
    fn parts_of_registers() {
        for (processor, sgpr, vcc) in [("gfx906", "s[4:5]", "vcc"), ("gfx1030", "s4", "vcc_lo")] {
            let mut bench = Bench::new(processor);
            bench.set(1, |lane| 0x7e00_fffd + lane as u32);
            bench.set(2, |_| 0xffff_fe00);
            let all = bench.wave.all();
            for (text, expected) in [
                // 0xfd, 0xfe, 0xff, 0 and so on.
                (format!("v_cmp_gt_u16_sdwa {vcc}, v1, v2 src0_sel:BYTE_0 src1_sel:BYTE_0"), all & !8),
                (format!("v_cmp_gt_i32_sdwa {vcc}, sext(v1), v2 src0_sel:BYTE_0 src1_sel:BYTE_0"), all & !15),
                (format!("v_cmp_eq_u32_sdwa {vcc}, v1, v2 src0_sel:WORD_0 src1_sel:WORD_1"), 4),
                (format!("v_cmp_lt_i16_sdwa {sgpr}, v1, sext(v2) src0_sel:DWORD src1_sel:BYTE_3"), 3),
                (format!("v_cmp_u_f16_sdwa {sgpr}, v1, v1 src0_sel:WORD_1 src1_sel:WORD_1"), all),
                (format!("v_cmp_lt_f16_sdwa {sgpr}, -|v2|, 0 src0_sel:WORD_0 src1_sel:DWORD"), 0),
                (format!("v_cmp_eq_f16_sdwa {sgpr}, v2, -v2 src0_sel:BYTE_0 src1_sel:BYTE_0"), all),
            ] {
                bench.run(&text);
                let destination = if text.contains("vcc") { special::VCC } else { 4 };
                assert_eq!(bench.wave.scalar_mask(destination).unwrap(), expected, "{processor}: {text}");
            }
        }
        let parts = "src0_sel:BYTE_0 src1_sel:BYTE_1";
        for (processor, destination) in [("gfx906", "s[4:5], "), ("gfx1030", "")] {
            let mut bench = Bench::new(processor);
            bench.set(1, |lane| lane as u32 | 0x1000);
            bench.run(&format!("v_cmpx_lt_u32_sdwa {destination}v1, v1 {parts}"));
            assert_eq!(bench.wave.exec(), 0xffff, "{processor}");
        }
    }
}
