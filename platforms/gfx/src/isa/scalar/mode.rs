//! The MODE register (RDNA3 ISA guide, sections 16.2 "SOPK" and 16.5 "SOPP").
//!
//! Floats are rounded to nearest, and subnormal numbers are kept: nothing else may be asked for.

use super::forms::{Source, destination};
use crate::assembly::{DecodeError, Decoded, Operand, Statement, Value, number};
use crate::fault::{FaultKind, Step, fail};
use crate::isa::element::Kind;
use crate::isa::source::constant;
use crate::isa::{Execute, Form};
use crate::machine::wave::Wave;
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "s_round_mode", decode: |statement, _| set_field(statement, 0) },
    Form { name: "s_denorm_mode", decode: |statement, _| set_field(statement, 4) },
    Form { name: "s_setreg_b32", decode: set },
    Form { name: "s_setreg_imm32_b32", decode: set },
    Form { name: "s_getreg_b32", decode: get },
];

/// Rounding to nearest in bits 0 to 3, subnormals of operands and results in bits 4 to 7.
const SUPPORTED: u32 = 0xf0;

/// Bits of the MODE register.
#[derive(Clone, Copy)]
struct Field {
    first: u32,
    mask: u32,
}

impl Field {
    /// `hwreg(HW_REG_MODE, 4, 2)`: two bits from bit 4 on. Only those for rounding and subnormals.
    fn decode(operand: &Operand, index: usize) -> Decoded<Self> {
        let refused = DecodeError::Operand(index);
        let Value::Word(word) = &operand.value else { return Err(refused) };
        let inner = word.strip_prefix("hwreg(").and_then(|word| word.strip_suffix(')'));
        let parts: Vec<&str> = inner.unwrap_or_default().split(',').map(str::trim).collect();
        let [name, first, size] = parts[..] else { return Err(refused) };
        match (name, number(first), number(size)) {
            ("HW_REG_MODE" | "HW_REG_WAVE_MODE", Some(first @ 0..8), Some(size @ 1..=8))
                if first + size <= 8 =>
            {
                Ok(Self { first: first as u32, mask: (1 << size) - 1 })
            }
            _ => Err(refused),
        }
    }

    fn set(self, wave: &mut Wave, value: u32) -> Step {
        let mode = wave.mode & !(self.mask << self.first) | (value & self.mask) << self.first;
        if mode & 0xff != SUPPORTED {
            return fail(
                FaultKind::Unknown,
                format!("sets the float mode {mode:#x}, which is not rounding to nearest with subnormals"),
            );
        }
        wave.mode = mode;
        Ok(())
    }
}

/// Sets four bits, from `first` on.
fn set_field(statement: &mut Statement, first: u32) -> Decoded<Execute> {
    let [value] = statement.exactly()?;
    let value = constant(&value.value, Kind::B32).ok_or(DecodeError::Operand(0))? as u32;
    Ok(Box::new(move |wave, _| Field { first, mask: 15 }.set(wave, value)))
}

fn set(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    let [field, value] = statement.exactly()?;
    let field = Field::decode(field, 0)?;
    if let Some(value) = constant(&value.value, Kind::B32) {
        return Ok(Box::new(move |wave, _| field.set(wave, value as u32)));
    }
    let source = Source::decode(statement, 1, Kind::B32)?;
    Ok(Box::new(move |wave, _| {
        let value = source.read(wave)?;
        field.set(wave, value)
    }))
}

fn get(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    let [_, field] = statement.exactly()?;
    let (to, field) = (destination(statement, 0, 1)?, Field::decode(field, 1)?);
    Ok(Box::new(move |wave, _| {
        wave.set_scalar(to, wave.mode >> field.first & field.mask);
        Ok(())
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::fault::FaultKind;
    use crate::isa::scalar::testing::references;
    use crate::isa::testing::Bench;

    fn refuses(processor: &str, fine: &[&str], faults: &[&str]) {
        let mut bench = Bench::new(processor);
        bench.wave.set_scalar(2, 0xf3);
        for line in fine {
            bench.run(line);
            assert_eq!(bench.wave.mode, 0xf0, "{line}");
        }
        for line in faults {
            assert_eq!(bench.fault(line), FaultKind::Unknown, "{line}");
        }
    }

    references! {
        "s_round_mode": |_| refuses("gfx1030", &["s_round_mode 0x0"], &["s_round_mode 0x1", "s_round_mode 0xc"]);
        "s_denorm_mode": |_| refuses("gfx1030", &["s_denorm_mode 15"], &["s_denorm_mode 12", "s_denorm_mode 3"]);
        "s_setreg_b32": |_| {
            refuses(
                "gfx906",
                &["s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s2"],
                &["s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s2", "s_setreg_b32 hwreg(HW_REG_MODE, 2, 4), s2"],
            );
            let bench = Bench::new("gfx906");
            bench.refusal("s_setreg_b32 hwreg(HW_REG_MODE), s2");
            bench.refusal("s_setreg_b32 hwreg(HW_REG_MODE, 8, 1), s2");
            bench.refusal("s_setreg_b32 hwreg(HW_REG_TRAPSTS, 0, 1), s2");
        };
        "s_setreg_imm32_b32": |_| refuses(
            "gfx1201",
            &["s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 4, 2), 3", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0"],
            &["s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0x7"],
        );
        "s_getreg_b32": |_| {
            let mut bench = Bench::new("gfx906");
            for (text, value) in [("0, 4", 0), ("4, 4", 15), ("3, 2", 2), ("0, 8", 0xf0)] {
                bench.run(&format!("s_getreg_b32 s1, hwreg(HW_REG_MODE, {text})"));
                assert_eq!(bench.wave.scalar(1).unwrap(), value, "{text}");
            }
            bench.refusal("s_getreg_b32 s1, hwreg(HW_REG_HW_ID)");
        };
    }
}
