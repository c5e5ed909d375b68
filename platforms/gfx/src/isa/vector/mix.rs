//! Multiply-add of f16 and f32 operands (RDNA3 ISA guide, section 16.10 "VOP3P"). `v_mad_mix_*`, which rounds the product, is only
//! on processors that are not supported, such as gfx900.

use super::vop3p::{Operands, execute, take_bits};
use crate::assembly::{DecodeError, Decoded, Half, Operand, Statement, Value};
use crate::fault::Stop;
use crate::isa::element::{F16, Kind};
use crate::isa::lanes::Destination;
use crate::isa::source::{Place, Source, Spare};
use crate::isa::{Execute, Form};
use crate::machine::wave::{LANES, Row, Wave};
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "v_fma_mix_f32", decode: |statement, target| decode(statement, target, None) },
    Form { name: "v_fma_mixlo_f16", decode: |statement, target| decode(statement, target, Some(Half::Low)) },
    Form { name: "v_fma_mixhi_f16", decode: |statement, target| decode(statement, target, Some(Half::High)) },
];

/// An operand: an f32, or an f16 that becomes one.
enum Mixed {
    Single(Source),
    Half(Source),
}

impl Mixed {
    /// Decodes an operand: `op_sel_hi` tells that it is an f16, and `op_sel` in which half.
    fn decode(operand: &Operand, index: usize, op_sel: bool, op_sel_hi: bool) -> Decoded<Self> {
        if !op_sel_hi {
            return Ok(Self::Single(Source::decode(operand, Kind::F32, index)?));
        }
        let mut source = Source::decode(operand, Kind::F16, index)?;
        // It is not documented whether other constants are f16 then.
        if !matches!(operand.value, Value::Registers { .. } | Value::Integer(0)) {
            return Err(DecodeError::Operand(index));
        }
        source.high |= op_sel;
        Ok(Self::Half(source))
    }
}

impl Operands for Mixed {
    #[inline(always)]
    fn bits<'r>(&self, wave: &'r Wave, mask: u64, space: &'r mut Spare<u32>) -> Result<&'r Row, Box<Stop>> {
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        unsafe { self.single(wave, mask, space) }
    }
}

impl Mixed {
    /// Not inlined, as [`Source::row`] is not.
    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn single<'r>(&self, wave: &'r Wave, mask: u64, space: &'r mut Spare<u32>) -> Result<&'r Row, Box<Stop>> {
        match self {
            Self::Single(source) => source.row(wave, mask, space),
            Self::Half(source) => {
                // Everything in one pass, as these instructions are the inner loops of kernels.
                let row = match source.place {
                    Place::Vector(file, number) => {
                        let row = wave.row_index(file, number)?;
                        wave.demand(row, mask)?;
                        wave.row(row)
                    }
                    Place::Scalar(number) => &[wave.scalar(number)?; LANES],
                    // Only zero, see `decode`.
                    Place::Constant(_) | Place::Scc => &[0; LANES],
                };
                let shift = if source.high { 16 } else { 0 };
                let keep = if source.absolute { 0x7fff_ffff } else { u32::MAX };
                let flip = u32::from(source.negated) << 31;
                let space = space.write([0; LANES]);
                for lane in 0..LANES {
                    space[lane] = F16((row[lane] >> shift) as u16).to_f32().to_bits() & keep ^ flip;
                }
                Ok(space)
            }
        }
    }
}

/// Decodes an instruction whose result is an f32, or goes to a half of the destination.
fn decode(statement: &mut Statement, target: &Target, half: Option<Half>) -> Decoded<Execute> {
    let op_sel: [bool; 3] = take_bits(statement, "op_sel", false)?;
    let op_sel_hi: [bool; 3] = take_bits(statement, "op_sel_hi", false)?;
    let [destination, a, b, c] = statement.exactly()?;
    let operands = [
        Mixed::decode(a, 1, op_sel[0], op_sel_hi[0])?,
        Mixed::decode(b, 2, op_sel[1], op_sel_hi[1])?,
        Mixed::decode(c, 3, op_sel[2], op_sel_hi[2])?,
    ];
    if destination.half.is_some() {
        return Err(DecodeError::Operand(0));
    }
    // The other half stays, on gfx9 too.
    let destination = Operand { half, ..destination.clone() };
    let kind = if half.is_some() { Kind::F16 } else { Kind::F32 };
    let mut destination = Destination::decode(&destination, kind, target)?;
    destination.take_modifiers(statement)?;
    let fma = |words: [u32; 3]| {
        let [a, b, c] = words.map(f32::from_bits);
        a.mul_add(b, c)
    };
    Ok(match half {
        None => execute(destination, operands, move |words| fma(words).to_bits()),
        // The manual rounds to f32 first.
        Some(_) => execute(destination, operands, move |words| u32::from(F16::from_f32(fma(words)).0)),
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::DecodeError;
    use crate::isa::element::Kind::{F32, PackedF16};
    use crate::isa::nearest;
    use crate::isa::testing::{Bench, Reference, check};

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference { name: "v_fma_mix_f32", check: |name| operands(name, |sum, _| u64::from(sum.to_bits())) },
        Reference {
            name: "v_fma_mixlo_f16",
            check: |name| operands(name, |sum, old| old & 0xffff_0000 | nearest::half(sum.into())),
        },
        Reference {
            name: "v_fma_mixhi_f16",
            check: |name| operands(name, |sum, old| old & 0xffff | nearest::half(sum.into()) << 16),
        },
    ];

    fn operands(name: &str, result: impl Fn(f32, u64) -> u64) {
        let destination = if name.ends_with("f32") { F32 } else { PackedF16 };
        for processor in ["gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1201"] {
            for halves in 0..8_usize {
                for uppers in [0, 3, 5, 7_usize] {
                    let bits = |set: usize| format!("[{},{},{}]", set & 1, set >> 1 & 1, set >> 2);
                    let text = format!(
                        "{name} {{d}}, -{{0}}, |{{1}}|, -|{{2}}| op_sel:{} op_sel_hi:{}",
                        bits(uppers),
                        bits(halves)
                    );
                    let kinds = [0, 1, 2].map(|at| if halves >> at & 1 == 1 { PackedF16 } else { F32 });
                    check(processor, &text, &kinds, destination, |v| {
                        let value = |at: usize| match (halves >> at & 1, uppers >> at & 1) {
                            (0, _) => f64::from(f32::from_bits(v[at] as u32)),
                            (_, 0) => half::f16::from_bits(v[at] as u16).to_f64(),
                            _ => half::f16::from_bits((v[at] >> 16) as u16).to_f64(),
                        };
                        result(fma(-value(0), value(1).abs(), -value(2).abs()), v[3])
                    });
                }
            }
            let text = format!("{name} {{d}}, {{0}}, {{1}}, 0");
            check(processor, &text, &[F32, F32], destination, |v| {
                let value = |at: usize| f64::from(f32::from_bits(v[at] as u32));
                result(fma(value(0), value(1), 0.0), v[2])
            });
        }
    }

    /// The exact product and sum of numbers that an f32 can hold, rounded once: in double precision, whose error decides the
    /// last bit.
    fn fma(a: f64, b: f64, c: f64) -> f32 {
        let product = a * b;
        let sum = product + c;
        let (large, small) = if product.abs() > c.abs() { (product, c) } else { (c, product) };
        let error = small - (sum - large);
        if !sum.is_finite() || error == 0.0 || sum.to_bits() & 1 == 1 {
            return sum as f32;
        }
        (if error > 0.0 { sum.next_up() } else { sum.next_down() }) as f32
    }

    #[test]
    fn constants_registers_and_clamp() {
        let mut bench = Bench::new("gfx1100");
        bench.set(1, |_| 0x4000_3c00);
        bench.wave.set_scalar(3, 0x4200_c000);
        let float = |bench: &Bench| f32::from_bits(bench.get(0)[7]);
        bench.run("v_fma_mix_f32 v0, v1, s3, 0.5 op_sel:[1,0,0] op_sel_hi:[1,1,0]");
        assert_eq!(float(&bench), -3.5);
        bench.run("v_fma_mix_f32 v0, v1, s3, 0x40000000 op_sel:[0,1,0] op_sel_hi:[1,1,0]");
        assert_eq!(float(&bench), 5.0);
        bench.run("v_fma_mix_f32 v0, v1, s3, 0 op_sel:[0,1,0] op_sel_hi:[1,1,1] clamp");
        assert_eq!(float(&bench), 1.0);
        assert_eq!(bench.refusal("v_fma_mix_f32 v0, v1, 1.0, v1 op_sel_hi:[1,1,0]"), DecodeError::Operand(2));
    }
}
