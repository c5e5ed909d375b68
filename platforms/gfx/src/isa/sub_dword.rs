//! SDWA: operands and results that are bytes or halves of registers (Vega ISA guide, section 6.4 "Sub-dword addressing"; RDNA1 ISA
//! guide, section 6.3; gone with gfx11).

use crate::assembly::{DecodeError, Decoded, Statement};
use crate::machine::wave::Row;

/// A byte or a half of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Select {
    /// Where it begins.
    shift: u32,
    bits: u32,
    /// Whether a source's sign fills the rest of the operand; zeros do else.
    signed: bool,
}

/// What happens to the rest of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unused {
    /// Zeros.
    Zero,
    /// The result's sign above it, zeros below.
    Sign,
    /// It stays.
    Preserve,
}

impl Select {
    /// Takes the modifier `key`, such as `src0_sel:WORD_1`; `None` is the whole register.
    pub(crate) fn take(statement: &mut Statement, key: &str, signed: bool) -> Decoded<Option<Self>> {
        let Some(text) = statement.take(key) else { return Ok(None) };
        let part = |shift, bits| Ok(Some(Self { shift, bits, signed }));
        match text.as_str() {
            "DWORD" => Ok(None),
            "BYTE_0" => part(0, 8),
            "BYTE_1" => part(8, 8),
            "BYTE_2" => part(16, 8),
            "BYTE_3" => part(24, 8),
            "WORD_0" => part(0, 16),
            "WORD_1" => part(16, 16),
            _ => Err(DecodeError::Modifier(format!("{key}:{text}"))),
        }
    }

    /// Replaces each lane by its part.
    pub(crate) fn apply(self, row: &mut Row) {
        let (left, right) = (32 - self.shift - self.bits, 32 - self.bits);
        if self.signed {
            row.iter_mut().for_each(|lane| *lane = ((*lane << left) as i32 >> right) as u32);
        } else {
            row.iter_mut().for_each(|lane| *lane = *lane << left >> right);
        }
    }

    /// The register after a result has gone into this part.
    #[inline(always)]
    pub(crate) fn insert(self, new: u32, old: u32, unused: Unused) -> u32 {
        let mask = (u32::MAX >> (32 - self.bits)) << self.shift;
        let part = new << self.shift & mask;
        match unused {
            Unused::Zero => part,
            Unused::Sign => {
                let left = 32 - self.bits;
                (((new << left) as i32 >> left) as u32) << self.shift
            }
            Unused::Preserve => part | old & !mask,
        }
    }
}

impl Unused {
    /// Takes `dst_unused`.
    pub(crate) fn take(statement: &mut Statement) -> Decoded<Self> {
        match statement.take("dst_unused").as_deref() {
            None | Some("UNUSED_PAD") => Ok(Self::Zero),
            Some("UNUSED_SEXT") => Ok(Self::Sign),
            Some("UNUSED_PRESERVE") => Ok(Self::Preserve),
            Some(text) => Err(DecodeError::Modifier(format!("dst_unused:{text}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::assembly::DecodeError;
    use crate::isa::testing::Bench;

    /// The parts as bytes of a register: the first one, and how many.
    const PARTS: &[(&str, usize, usize)] = &[
        ("BYTE_0", 0, 1),
        ("BYTE_1", 1, 1),
        ("BYTE_2", 2, 1),
        ("BYTE_3", 3, 1),
        ("WORD_0", 0, 2),
        ("WORD_1", 2, 2),
        ("DWORD", 0, 4),
    ];

    fn values(bench: &mut Bench) -> [[u32; 64]; 3] {
        let mut random = fastrand::Rng::with_seed(5);
        let columns = std::array::from_fn(|_| std::array::from_fn(|_| random.u32(..)));
        for (number, column) in columns.iter().enumerate() {
            let column: &[u32; 64] = column;
            bench.set(number as u16, |lane| column[lane]);
        }
        columns
    }

    /// The operand that a part is: little-endian bytes, extended.
    fn operand(value: u32, first: usize, count: usize, signed: bool) -> u32 {
        let bytes = &value.to_le_bytes()[first..first + count];
        let fill = if signed && bytes[count - 1] >= 0x80 { 0xff } else { 0 };
        let mut all = [fill; 4];
        all[..count].copy_from_slice(bytes);
        u32::from_le_bytes(all)
    }

    #[test]
    fn every_part_of_every_operand() {
        for processor in ["gfx906", "gfx1030"] {
            let mut bench = Bench::new(processor);
            for &(first, first_at, first_count) in PARTS {
                for &(second, second_at, second_count) in PARTS {
                    let [_, a, b] = values(&mut bench);
                    bench.run(&format!(
                        "v_or_b32_sdwa v0, v1, sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:{first} src1_sel:{second}"
                    ));
                    for lane in 0..bench.wave.lanes {
                        let expected = operand(a[lane], first_at, first_count, false)
                            | operand(b[lane], second_at, second_count, true);
                        assert_eq!(bench.get(0)[lane], expected, "{first} {second}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_part_of_the_result() {
        for processor in ["gfx906", "gfx1030"] {
            let mut bench = Bench::new(processor);
            for &(part, first, count) in PARTS {
                for unused in ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"] {
                    let [old, a, b] = values(&mut bench);
                    bench.set_exec(0xffff_0ff0);
                    bench.run(&format!(
                        "v_xor_b32_sdwa v0, v1, v2 dst_sel:{part} dst_unused:{unused} src0_sel:DWORD src1_sel:DWORD"
                    ));
                    bench.set_exec(u64::MAX);
                    for lane in 0..32 {
                        let result = (a[lane] ^ b[lane]).to_le_bytes();
                        let mut bytes = old[lane].to_le_bytes();
                        for at in 0..4 {
                            if (first..first + count).contains(&at) {
                                bytes[at] = result[at - first];
                            } else if unused != "UNUSED_PRESERVE" {
                                let sign = unused == "UNUSED_SEXT" && at > first && result[count - 1] >= 0x80;
                                bytes[at] = if sign { 0xff } else { 0 };
                            }
                        }
                        let expected = if 0xffff_0ff0_u64 >> lane & 1 == 0 {
                            old[lane]
                        } else {
                            u32::from_le_bytes(bytes)
                        };
                        assert_eq!(bench.get(0)[lane], expected, "{part} {unused}");
                    }
                }
            }
        }
    }

    #[test]
    fn unknown_parts_are_refused() {
        let bench = Bench::new("gfx906");
        let refusal =
            bench.refusal("v_or_b32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_4");
        assert_eq!(refusal, DecodeError::Modifier("src0_sel:BYTE_4".to_owned()));
        let refusal = bench.refusal("v_or_b32_sdwa v0, v1, v2 dst_sel:DWORD dst_unused:UNUSED_OTHER");
        assert_eq!(refusal, DecodeError::Modifier("dst_unused:UNUSED_OTHER".to_owned()));
    }
}
