//! Loads into scalar registers (RDNA3 ISA guide, section 7 "Scalar Memory Operations").

use super::forms::{decoded_forms, destination};
use crate::assembly::{DecodeError, Decoded, File, Operand, Statement, Value, number, special};
use crate::fault::{FaultKind, Stop, fail};
use crate::isa::Execute;
use crate::machine::block::Block;
use crate::machine::wave::Wave;

decoded_forms! {
    "s_load_dword" | "s_load_b32" = words::<1, 4>;
    "s_load_dwordx2" | "s_load_b64" = words::<2, 8>;
    "s_load_dwordx3" | "s_load_b96" = words::<3, 12>;
    "s_load_dwordx4" | "s_load_b128" = words::<4, 16>;
    "s_load_dwordx8" | "s_load_b256" = words::<8, 32>;
    "s_load_dwordx16" | "s_load_b512" = words::<16, 64>;
    "s_load_u8" = |statement| part(statement, |[byte]: [u8; 1]| byte.into());
    "s_load_i8" = |statement| part(statement, |[byte]: [u8; 1]| i32::from(byte as i8) as u32);
    "s_load_u16" = |statement| part(statement, |bytes| u16::from_le_bytes(bytes).into());
    "s_load_i16" = |statement| part(statement, |bytes| i32::from(i16::from_le_bytes(bytes)) as u32);
}

/// An address: a pair of registers, a register that is added, a constant that is added.
struct Address {
    base: u16,
    register: Option<u16>,
    offset: i64,
}

impl Address {
    /// Decodes `s[2:3], s4 offset:0x10`, which begins at operand 1. Cache policies have no effect.
    fn decode(statement: &mut Statement) -> Decoded<Self> {
        for key in ["glc", "dlc", "slc", "nv", "th", "scope"] {
            statement.take(key);
        }
        let constant = statement.take_number("offset")?;
        let [_, base, offset] = statement.exactly()?;
        let base = match base.registers(File::Scalar) {
            Some((first, 2)) => first,
            _ => return Err(DecodeError::Operand(1)),
        };
        match (offset.registers(File::Scalar), immediate(offset), constant) {
            (Some((register, 1)), None, constant) => Ok(Self {
                base,
                register: (register != special::NULL).then_some(register),
                offset: constant.unwrap_or(0),
            }),
            (None, Some(offset), None) => Ok(Self { base, register: None, offset }),
            _ => Err(DecodeError::Operand(2)),
        }
    }

    /// The address, which must be a multiple of `alignment`: the hardware would drop the lowest bits.
    #[inline(always)]
    fn get(&self, wave: &Wave, alignment: u64) -> Result<u64, Box<Stop>> {
        let mut address = wave.scalar64(self.base)?.wrapping_add_signed(self.offset);
        if let Some(register) = self.register {
            address = address.wrapping_add(wave.scalar(register)?.into());
        }
        if !address.is_multiple_of(alignment) {
            return fail(
                FaultKind::Misaligned,
                format!("loads scalars at {address:#x}, which is not a multiple of {alignment}"),
            );
        }
        Ok(address)
    }
}

/// A constant offset. It may be negative: `-0x8`.
fn immediate(operand: &Operand) -> Option<i64> {
    match &operand.value {
        Value::Integer(value) => Some(*value),
        Value::Literal(bits) => Some(*bits as i64),
        Value::Word(word) => number(word),
        _ => None,
    }
}

fn words<const WORDS: u16, const BYTES: usize>(statement: &mut Statement) -> Decoded<Execute> {
    let (address, to) = (Address::decode(statement)?, destination(statement, 0, WORDS)?);
    if WORDS > 1 && to == special::NULL {
        return Err(DecodeError::Operand(0));
    }
    Ok(Box::new(move |wave: &mut Wave, block: &mut Block<'_>| {
        let bytes: [u8; BYTES] = block.view.load(address.get(wave, 4)?)?;
        for (number, word) in (to..).zip(bytes.as_chunks().0) {
            wave.set_scalar(number, u32::from_le_bytes(*word));
        }
        Ok(())
    }))
}

/// A byte or two, which `f` extends.
fn part<const BYTES: usize>(
    statement: &mut Statement,
    f: impl Fn([u8; BYTES]) -> u32 + Send + Sync + 'static,
) -> Decoded<Execute> {
    let (address, to) = (Address::decode(statement)?, destination(statement, 0, 1)?);
    Ok(Box::new(move |wave: &mut Wave, block: &mut Block<'_>| {
        let value = f(block.view.load(address.get(wave, BYTES as u64)?)?);
        wave.set_scalar(to, value);
        Ok(())
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::isa::scalar::testing::{references, registers};
    use crate::isa::testing::Bench;

    fn bench(processor: &str) -> Bench {
        let mut bench = Bench::new(processor);
        let mut random = fastrand::Rng::with_seed(9);
        bench.set_words(&(0..1024).map(|_| random.u32(..)).collect::<Vec<_>>());
        bench.wave.set_scalar64(2, bench.memory() + 256);
        bench.wave.set_scalar(4, 64);
        bench
    }

    /// `expected` gets the memory as bytes, and the place of the address in it.
    fn check(name: &str, words: u16, expected: fn(&[u8], usize, usize) -> u32) {
        for (processor, text, offset) in [
            ("gfx906", "0x0", 0_i64),
            ("gfx906", "0x10 glc", 16),
            ("gfx906", "-0x8", -8),
            ("gfx906", "s4", 64),
            ("gfx942", "s4 offset:0x10", 80),
            ("gfx1030", "0x24 glc dlc", 36),
            ("gfx1100", "null", 0),
            ("gfx1100", "s4 offset:-0x10", 48),
            ("gfx1201", "0x28 th:TH_LOAD_NT scope:SCOPE_DEV", 40),
        ] {
            let mut bench = bench(processor);
            let line = format!("{name} {}, s[2:3], {text}", registers(8, words));
            bench.run(&line);
            let bytes: Vec<u8> = bench.words().into_iter().flat_map(u32::to_le_bytes).collect();
            let place = (256 + offset) as usize;
            for word in 0..words {
                let result = bench.wave.scalar(8 + word).unwrap();
                assert_eq!(
                    result,
                    expected(&bytes, place, usize::from(word)),
                    "{processor}: {line}, word {word}"
                );
            }
            assert!(!bench.wave.is_scalar_written(8 + words) && !bench.wave.is_scalar_written(7));
        }
        let mut bench = bench("gfx1100");
        let line = format!("{name} {}, s[2:3], ", registers(8, words));
        for offset in ["-0x104", "0xf00"] {
            assert_eq!(bench.fault(&format!("{line}{offset}")), FaultKind::OutOfBounds, "{line}");
        }
        if !name.ends_with('8') {
            assert_eq!(bench.fault(&format!("{line}0x1")), FaultKind::Misaligned, "{line}");
        }
        assert_eq!(bench.fault(&format!("{line}s6")), FaultKind::Undefined, "{line}");
        bench.refusal(&format!("{line}0x0 tfe"));
        bench.refusal(&format!("{line}v0"));
    }

    /// The word after `word` others.
    fn word(bytes: &[u8], at: usize, word: usize) -> u32 {
        (0..4).map(|byte| u32::from(bytes[at + 4 * word + byte]) << (8 * byte)).sum()
    }

    references! {
        "s_load_dword" | "s_load_b32": |name| check(name, 1, word);
        "s_load_dwordx2" | "s_load_b64": |name| check(name, 2, word);
        "s_load_dwordx3" | "s_load_b96": |name| check(name, 3, word);
        "s_load_dwordx4" | "s_load_b128": |name| check(name, 4, word);
        "s_load_dwordx8" | "s_load_b256": |name| check(name, 8, word);
        "s_load_dwordx16" | "s_load_b512": |name| check(name, 16, word);
        "s_load_u8": |name| check(name, 1, |bytes, at, _| word(bytes, at, 0) % 256);
        "s_load_i8": |name| check(name, 1, |bytes, at, _| ((word(bytes, at, 0) % 256) ^ 128).wrapping_sub(128));
        "s_load_u16": |name| check(name, 1, |bytes, at, _| word(bytes, at, 0) % 65536);
        "s_load_i16": |name| check(name, 1, |bytes, at, _| ((word(bytes, at, 0) % 65536) ^ 0x8000).wrapping_sub(0x8000));
    }
}
