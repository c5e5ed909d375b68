//! VOPD: two vector instructions at once (RDNA3 ISA guide, section 7.6 "Dual Issue VALU").
//!
//! Both read their sources before either writes.

use super::Execute;
use crate::assembly::{DecodeError, Decoded, File, Operand, Statement, Value, special};
use crate::fault::Step;
use crate::machine::block::Block;
use crate::machine::wave::Wave;
use crate::target::Target;

/// Decodes `v_dual_mul_f32 ... :: v_dual_add_f32 ...`.
pub(crate) fn decode(mut statement: Statement, target: &Target) -> Decoded<Execute> {
    if target.generation < 11 || target.lanes != 32 {
        return Err(DecodeError::Mnemonic);
    }
    let second = *statement.second.take().ok_or(DecodeError::Mnemonic)?;
    let (x, y) = (Part::decode(statement, target)?, Part::decode(second, target)?);
    // The encoding has them in an even and an odd register.
    if x.to == y.to {
        return Err(DecodeError::Operand(0));
    }
    let (spoils_y, spoils_x) = (y.from.contains(&x.to), x.from.contains(&y.to));
    let (to, x, y) = (x.to, x.execute, y.execute);
    Ok(match (spoils_y, spoils_x) {
        (false, _) => Box::new(move |wave, block| {
            x(wave, block)?;
            y(wave, block)
        }),
        (true, false) => Box::new(move |wave, block| {
            y(wave, block)?;
            x(wave, block)
        }),
        (true, true) => Box::new(move |wave, block| crossed(wave, block, to, &x, &y)),
    })
}

/// One of the two instructions.
struct Part {
    execute: Execute,
    /// Its destination, and the vector registers among its explicit sources. A destination that is a source, too, is that of
    /// the same instruction.
    to: u16,
    from: Vec<u16>,
}

impl Part {
    fn decode(statement: Statement, target: &Target) -> Decoded<Self> {
        let statement = ordinary(statement)?;
        let vector = |operand: &Operand| match operand.value {
            Value::Registers { file: File::Vector, first, .. } => Some(first),
            _ => None,
        };
        let to = statement.operands.first().and_then(vector).ok_or(DecodeError::Operand(0))?;
        let from = statement.operands[1..].iter().filter_map(vector).collect();
        Ok(Self { execute: super::decode(statement, target)?, to, from })
    }
}

/// The instruction that does the same on its own.
fn ordinary(mut statement: Statement) -> Decoded<Statement> {
    let name = statement.mnemonic.strip_prefix("v_dual_").ok_or(DecodeError::Mnemonic)?;
    statement.mnemonic = format!("v_{name}");
    if statement.mnemonic == "v_cndmask_b32" {
        // Its condition is not named in this encoding.
        statement.operands.push(Operand {
            value: Value::Registers { file: File::Scalar, first: special::VCC, count: 1 },
            negated: false,
            absolute: false,
            sign_extended: false,
            half: None,
        });
    }
    Ok(statement)
}

/// Executes instructions each of which reads what the other one writes: `x`, whose destination is v`to`, waits with its write.
fn crossed(wave: &mut Wave, block: &mut Block<'_>, to: u16, x: &Execute, y: &Execute) -> Step {
    let row = wave.row_index(File::Vector, to)?;
    let (old, old_written) = (*wave.row(row), wave.written(row));
    x(wave, block)?;
    let (new, new_written) = (*wave.row(row), wave.written(row));
    wave.set_row(row, &old, u64::MAX);
    wave.set_written(row, u64::MAX, old_written);
    y(wave, block)?;
    wave.set_row(row, &new, u64::MAX);
    wave.set_written(row, u64::MAX, new_written);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::ordinary;
    use crate::assembly::{DecodeError, Statement};

    use crate::isa::testing::Bench;

    type Function = fn(f32, f32, f32) -> f32;

    const FUNCTIONS: [(&str, Function); 3] =
        [("add_f32", |a, b, _| a + b), ("mul_f32", |a, b, _| a * b), ("fmac_f32", |a, b, d| d + a * b)];

    /// All ways in which the registers of the two can coincide. The numbers are whole and small: nothing is rounded.
    #[test]
    fn sources_are_read_before_results_are_written() {
        let exec = 0x7fff_0ff3;
        let mut bench = Bench::new("gfx1100");
        let number = |register: u16, lane: usize| (register as usize * 37 + lane) as f32;
        for case in 0..1 << 10 {
            let bits = |from: u32, count: u32| (case >> from & ((1 << count) - 1)) as u16;
            let (x, x0, x1) = (bits(0, 1) * 2, bits(1, 2), bits(3, 2));
            let (y, y0, y1) = (bits(5, 1) * 2 + 1, bits(6, 2), bits(8, 2));
            for (x_name, x_function) in FUNCTIONS {
                for (y_name, y_function) in FUNCTIONS {
                    bench.set_exec(u64::MAX);
                    (0..4).for_each(|register| bench.set(register, |lane| number(register, lane).to_bits()));
                    bench.set_exec(exec);
                    let text =
                        format!("v_dual_{x_name} v{x}, v{x0}, v{x1} :: v_dual_{y_name} v{y}, v{y0}, v{y1}");
                    bench.run(&text);
                    for register in 0..4 {
                        for (lane, &bits) in bench.get(register).iter().enumerate().take(32) {
                            let at = |register| number(register, lane);
                            let expected = match register {
                                _ if exec >> lane & 1 == 0 => at(register),
                                to if to == x => x_function(at(x0), at(x1), at(x)),
                                to if to == y => y_function(at(y0), at(y1), at(y)),
                                _ => at(register),
                            };
                            assert_eq!(f32::from_bits(bits), expected, "{text}: v{register}, lane {lane}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn lanes_that_are_not_written_stay_so() {
        let mut bench = Bench::new("gfx1201");
        bench.set(4, |_| 1.0_f32.to_bits());
        bench.set_exec(0xff);
        bench.run("v_add_f32 v0, v4, v4\nv_add_f32 v1, v4, v4");
        bench.run("v_dual_add_f32 v0, v0, v1 :: v_dual_mul_f32 v1, v1, v0");
        bench.run("v_add_f32 v2, v0, v1");
        assert_eq!(f32::from_bits(bench.get(2)[7]), 8.0);
        bench.set_exec(0x1ff);
        bench.expect_undefined("v_add_f32 v2, v4, v0");
        bench.expect_undefined("v_add_f32 v2, v4, v1");
    }

    #[test]
    fn selections_take_vcc() {
        let parse = |text| Statement::parse(text, 0, Vec::new());
        let statement = ordinary(parse("v_dual_cndmask_b32 v5, 0, v7")).unwrap();
        let expected = parse("v_cndmask_b32 v5, 0, v7, vcc_lo");
        assert_eq!((&statement.mnemonic, &statement.operands), (&expected.mnemonic, &expected.operands));
    }

    #[test]
    fn what_is_no_pair_is_refused() {
        let pair = "v_dual_add_f32 v0, v1, v2 :: v_dual_add_f32 v1, v1, v2";
        for (processor, from, to, error) in [
            ("gfx1030", "v2", "v2", DecodeError::Mnemonic),
            ("gfx1100", " :: v_dual_add_f32 v1, v1, v2", "", DecodeError::Mnemonic),
            ("gfx1100", ":: v_dual", ":: v", DecodeError::Mnemonic),
            ("gfx1100", "v_dual_add_f32 v0", "v_add_f32 v0", DecodeError::Mnemonic),
            ("gfx1100", "v1, v1", "v0, v1", DecodeError::Operand(0)),
        ] {
            assert_eq!(Bench::new(processor).refusal(&pair.replace(from, to)), error, "{from} -> {to}");
        }
    }
}
