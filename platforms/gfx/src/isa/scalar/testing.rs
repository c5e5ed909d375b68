//! Compares scalar instructions with references.

use crate::isa::element::Kind;
use crate::isa::testing::{Bench, same, samples};
use crate::machine::wave::Wave;

/// What an instruction does to `scc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scc {
    Kept,
    Is(bool),
    Unknown,
}

impl Scc {
    /// Compares it with the wave's `scc`, which was `old`.
    pub(crate) fn assert(self, wave: &Wave, old: bool, what: &str) {
        let expected = match self {
            Self::Kept => Some(old),
            Self::Is(value) => Some(value),
            Self::Unknown => None,
        };
        assert_eq!(wave.scc().ok(), expected, "scc of {what}");
    }
}

/// Processors of both wavefront sizes and encodings.
const PROCESSORS: [&str; 2] = ["gfx90a", "gfx1201"];

/// The name of `words` scalar registers.
pub(crate) fn registers(first: u16, words: u16) -> String {
    if words == 1 { format!("s{first}") } else { format!("s[{first}:{}]", first + words - 1) }
}

/// A value of one register or two.
pub(crate) fn get(wave: &Wave, number: u16, words: u16) -> u64 {
    if words == 1 { wave.scalar(number).unwrap().into() } else { wave.scalar64(number).unwrap() }
}

pub(crate) fn set(wave: &mut Wave, number: u16, words: u16, value: u64) {
    if words == 1 { wave.set_scalar(number, value as u32) } else { wave.set_scalar64(number, value) }
}

/// How an assembler writes a constant, if an operand can hold it.
fn constant(kind: Kind, value: u64) -> Option<String> {
    match kind {
        Kind::B32 | Kind::B64 if value <= 64 => Some(value.to_string()),
        Kind::B64 => (value < 1 << 31).then(|| format!("{value:#x}")),
        _ => Some(format!("{value:#x}")),
    }
}

/// Compares an instruction with a reference over special and random values, in registers and constants.
///
/// The reference gets the bits of the sources, then those that the destination had, and `scc`.
pub(crate) fn check(
    name: &str,
    sources: &[Kind],
    destination: Option<Kind>,
    reference: impl Fn(&[u64], bool) -> (u64, Scc),
) {
    check_each(name, sources, destination, &|_| (), &reference);
}

/// As [`check`], with `adjust` applied to the values.
pub(crate) fn check_with(
    name: &str,
    sources: &[Kind],
    destination: Option<Kind>,
    adjust: impl Fn(&mut [u64]),
    reference: impl Fn(&[u64], bool) -> (u64, Scc),
) {
    check_each(name, sources, destination, &adjust, &reference);
}

/// The values' bits and `scc`, to the result's.
type Outcome<'a> = dyn Fn(&[u64], bool) -> (u64, Scc) + 'a;

/// Not generic: compiling it for each instruction takes long.
fn check_each(
    name: &str,
    sources: &[Kind],
    destination: Option<Kind>,
    adjust: &dyn Fn(&mut [u64]),
    reference: &Outcome<'_>,
) {
    let mut random = fastrand::Rng::with_seed(5);
    let columns: Vec<Vec<u64>> = sources.iter().map(|&kind| samples(kind, &mut random)).collect();
    let old = samples(destination.unwrap_or(Kind::B32), &mut random);
    for processor in PROCESSORS {
        let mut bench = Bench::new(processor);
        for _ in 0..1000 {
            let pick = |column: &Vec<u64>| column[random.usize(..column.len())];
            let mut values: Vec<u64> = columns.iter().chain([&old]).map(pick).collect();
            adjust(&mut values);
            let literal = random.usize(..=2 * sources.len());
            let mut operands = Vec::new();
            for (at, &kind) in sources.iter().enumerate() {
                let number = 4 + 4 * at as u16;
                let rest = if kind.is_half() { random.u64(..) << 16 } else { 0 };
                set(&mut bench.wave, number, kind.words(), values[at] | rest);
                let text = if at == literal { constant(kind, values[at]) } else { None };
                operands.push(text.unwrap_or_else(|| registers(number, kind.words())));
            }
            let mut to = 0;
            if let Some(kind) = destination {
                // Sometimes the first source, too.
                to = [0, 0, 4][random.usize(..3)];
                match to {
                    0 => set(&mut bench.wave, to, kind.words(), values[sources.len()]),
                    _ => values[sources.len()] = get(&bench.wave, to, kind.words().min(sources[0].words())),
                }
                if to == 4 && kind.words() > sources[0].words() {
                    bench.wave.set_scalar(5, 0);
                }
                operands.insert(0, registers(to, kind.words()));
            }
            let scc = random.bool();
            bench.wave.set_scc(Some(scc));
            let line = format!("{name} {}", operands.join(", "));
            bench.run(&line);
            let (expected, expected_scc) = reference(&values, scc);
            let what = format!("{processor}: {line} of {values:x?}, scc {scc}");
            if let Some(kind) = destination {
                let result = get(&bench.wave, to, kind.words());
                assert!(same(kind, result, expected), "{what}: {result:#x}, expected {expected:#x}");
                assert!(!kind.is_half() || result >> 16 == 0, "{what}: the upper half of {result:#x}");
            }
            expected_scc.assert(&bench.wave, scc, &what);
        }
    }
}

/// Compares an instruction of a register and 16 bits with a reference of these.
pub(crate) fn check_immediate(name: &str, writes: bool, reference: impl Fn(u64, u64) -> (u64, Scc)) {
    check_immediates(name, writes, &reference);
}

fn check_immediates(name: &str, writes: bool, reference: &dyn Fn(u64, u64) -> (u64, Scc)) {
    let mut random = fastrand::Rng::with_seed(5);
    let (values, constants) = (samples(Kind::B32, &mut random), samples(Kind::B16, &mut random));
    let mut bench = Bench::new("gfx1030");
    for &k in &constants {
        // Equal numbers, too.
        for d in values.iter().copied().chain([k, i64::from(k as i16) as u32 as u64]) {
            let scc = random.bool();
            bench.wave.set_scalar(7, d as u32);
            bench.wave.set_scc(Some(scc));
            let line = format!("{name} s7, {k:#x}");
            bench.run(&line);
            let (expected, expected_scc) = reference(d, k);
            let result = get(&bench.wave, 7, 1);
            assert_eq!(result, if writes { expected } else { d }, "{line} of {d:#x}");
            expected_scc.assert(&bench.wave, scc, &line);
        }
    }
}

/// Defines a file's references:
///
/// ```text
/// references! {
///     "s_ff1_i32_b32" | "s_ctz_i32_b32": |name| search(name, B32);
/// }
/// ```
macro_rules! references {
    ($($($name:literal)|+: $check:expr;)*) => {
        pub(crate) const REFERENCES: &[$crate::isa::testing::Reference] = &[$($(
            $crate::isa::testing::Reference { name: $name, check: $check },
        )+)*];
    };
}
pub(crate) use references;
