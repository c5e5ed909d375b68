//! One instruction as LLVM's disassembler prints it: `v_add_f32_e64 v1, |s2|, -v3 clamp`.
//!
//! The syntax is described in LLVM's "AMDGPU Operand Syntax" and "AMDGPU Modifiers Syntax".

use std::fmt;

/// An instruction, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    pub(crate) mnemonic: String,
    pub(crate) operands: Vec<Operand>,
    /// What follows the operands: `offset:16`, `clamp`. A decoder takes out what it understands; see [`Statement::finish`].
    modifiers: Vec<(String, String)>,
    /// What follows `::`: the other instruction of a pair.
    pub(crate) second: Option<Box<Statement>>,
    /// Where it lies in the object.
    pub(crate) address: u64,
    /// Its machine code, from which branches take their offset.
    pub(crate) words: Vec<u32>,
}

/// Register files. Special registers belong to the scalar file, see [`special`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum File {
    Vector,
    Accumulator,
    Scalar,
}

/// The numbers of special scalar registers: as gfx10 encodes them. Generations swap some; the text does not show it.
pub(crate) mod special {
    pub(crate) const FLAT_SCRATCH: u16 = 102;
    pub(crate) const XNACK_MASK: u16 = 104;
    pub(crate) const VCC: u16 = 106;
    pub(crate) const TTMP: u16 = 108;
    pub(crate) const M0: u16 = 124;
    pub(crate) const NULL: u16 = 125;
    pub(crate) const EXEC: u16 = 126;
    /// One more than the largest number.
    pub(crate) const COUNT: usize = 128;
}

/// What an operand is, without its modifiers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Registers {
        file: File,
        first: u16,
        count: u16,
    },
    /// An integer that is encoded in the instruction's operand field, written in decimal.
    Integer(i64),
    /// A float that is encoded in the instruction's operand field.
    Float(f64),
    /// A literal constant that follows the instruction, written in hexadecimal.
    Literal(u64),
    /// `scc`, `src_shared_base`, `off`, and what only some instructions have: `hwreg(...)`, `vmcnt(0)`.
    Word(String),
}

/// An operand with its modifiers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Operand {
    pub(crate) value: Value,
    pub(crate) negated: bool,
    pub(crate) absolute: bool,
    /// `sext(...)` of SDWA.
    pub(crate) sign_extended: bool,
    /// `v1.h` names the upper half of a register, `v1.l` the lower one.
    pub(crate) half: Option<Half>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Low,
    High,
}

/// Why an instruction cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    #[error("unknown instruction")]
    Mnemonic,
    #[error("operand {0} is not understood")]
    Operand(usize),
    #[error("it has {0} operands")]
    OperandCount(usize),
    #[error("modifier {0} is not understood")]
    Modifier(String),
}

pub(crate) type Decoded<T> = Result<T, DecodeError>;

impl Statement {
    /// Takes apart `text`: mnemonic, operands, modifiers.
    pub(crate) fn parse(text: &str, address: u64, words: Vec<u32>) -> Self {
        let (text, second) = match text.split_once(" :: ") {
            None => (text, None),
            Some((first, second)) => (first, Some(Box::new(Self::parse(second, address, words.clone())))),
        };
        let text = text.trim();
        let (mnemonic, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut parts: Vec<&str> = split(rest.trim(), |c| c == ',');
        let mut modifiers = Vec::new();
        if let Some(last) = parts.pop() {
            let mut words = split(last, |c| c == ' ').into_iter();
            parts.extend(words.next());
            modifiers.extend(words.map(|word| {
                let (key, value) = word.split_once(':').unwrap_or((word, ""));
                (key.to_owned(), value.to_owned())
            }));
        }
        Self {
            mnemonic: mnemonic.to_owned(),
            operands: parts.into_iter().map(Operand::parse).collect(),
            modifiers,
            second,
            address,
            words,
        }
    }

    /// Takes out a modifier with its value, which is empty for a flag such as `clamp`.
    pub(crate) fn take(&mut self, key: &str) -> Option<String> {
        let at = self.modifiers.iter().position(|(name, _)| name == key)?;
        Some(self.modifiers.remove(at).1)
    }

    /// Takes out a flag.
    pub(crate) fn take_flag(&mut self, key: &str) -> bool {
        self.take(key).is_some()
    }

    /// Takes out a modifier whose value is a number, decimal or hexadecimal.
    pub(crate) fn take_number(&mut self, key: &str) -> Decoded<Option<i64>> {
        let Some(text) = self.take(key) else { return Ok(None) };
        number(&text).map(Some).ok_or_else(|| DecodeError::Modifier(format!("{key}:{text}")))
    }

    /// Takes out a modifier whose value is a list of numbers: `op_sel:[0,1]`.
    pub(crate) fn take_list(&mut self, key: &str) -> Decoded<Option<Vec<i64>>> {
        let Some(text) = self.take(key) else { return Ok(None) };
        let list = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
        let numbers = list.and_then(|list| list.split(',').map(number).collect::<Option<Vec<_>>>());
        numbers.map(Some).ok_or_else(|| DecodeError::Modifier(format!("{key}:{text}")))
    }

    /// Takes out all modifiers.
    pub(crate) fn take_all(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.modifiers)
    }

    /// Fails if there is a modifier or a second instruction that nobody has taken: its meaning would be lost.
    pub(crate) fn finish(&self) -> Decoded<()> {
        if self.second.is_some() {
            return Err(DecodeError::Mnemonic);
        }
        match self.modifiers.first() {
            None => Ok(()),
            Some((key, value)) if value.is_empty() => Err(DecodeError::Modifier(key.clone())),
            Some((key, value)) => Err(DecodeError::Modifier(format!("{key}:{value}"))),
        }
    }

    /// The operands, of which there must be `N`.
    pub(crate) fn exactly<const N: usize>(&self) -> Decoded<[&Operand; N]> {
        let all: Vec<&Operand> = self.operands.iter().collect();
        all.try_into().map_err(|all: Vec<_>| DecodeError::OperandCount(all.len()))
    }
}

impl Operand {
    fn parse(text: &str) -> Self {
        let mut operand = Self {
            value: Value::Integer(0),
            negated: false,
            absolute: false,
            sign_extended: false,
            half: None,
        };
        let mut rest = text.trim();
        loop {
            let inside =
                |open: &str, close: &str| rest.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
            if let Some(inner) = inside("neg(", ")") {
                (operand.negated, rest) = (true, inner);
            } else if let Some(inner) = inside("|", "|").or_else(|| inside("abs(", ")")) {
                (operand.absolute, rest) = (true, inner);
            } else if let Some(inner) = inside("sext(", ")") {
                (operand.sign_extended, rest) = (true, inner);
            } else if let Some(inner) =
                rest.strip_prefix('-').filter(|inner| !inner.starts_with(|c: char| c.is_ascii_digit()))
            {
                (operand.negated, rest) = (true, inner);
            } else {
                break;
            }
        }
        if let Some(inner) = rest.strip_suffix(".l") {
            (operand.half, rest) = (Some(Half::Low), inner);
        } else if let Some(inner) = rest.strip_suffix(".h") {
            (operand.half, rest) = (Some(Half::High), inner);
        }
        operand.value = Value::parse(rest);
        operand
    }

    /// The first register and their count, if the operand is registers of this file without modifiers.
    pub(crate) fn registers(&self, file: File) -> Option<(u16, u16)> {
        match self.value {
            Value::Registers { file: its, first, count } if its == file && !self.is_modified() => {
                Some((first, count))
            }
            _ => None,
        }
    }

    /// Whether it has any modifier.
    pub(crate) fn is_modified(&self) -> bool {
        self.negated || self.absolute || self.sign_extended || self.half.is_some()
    }

    /// Whether it is this word.
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(&self.value, Value::Word(text) if text == word)
    }
}

impl Value {
    fn parse(text: &str) -> Self {
        let scalar = |first, count| Self::Registers { file: File::Scalar, first, count };
        match text {
            "vcc" => return scalar(special::VCC, 2),
            "vcc_lo" => return scalar(special::VCC, 1),
            "vcc_hi" => return scalar(special::VCC + 1, 1),
            "exec" => return scalar(special::EXEC, 2),
            "exec_lo" => return scalar(special::EXEC, 1),
            "exec_hi" => return scalar(special::EXEC + 1, 1),
            "m0" => return scalar(special::M0, 1),
            "null" => return scalar(special::NULL, 1),
            "flat_scratch" => return scalar(special::FLAT_SCRATCH, 2),
            "flat_scratch_lo" => return scalar(special::FLAT_SCRATCH, 1),
            "flat_scratch_hi" => return scalar(special::FLAT_SCRATCH + 1, 1),
            "xnack_mask" => return scalar(special::XNACK_MASK, 2),
            "xnack_mask_lo" => return scalar(special::XNACK_MASK, 1),
            "xnack_mask_hi" => return scalar(special::XNACK_MASK + 1, 1),
            _ => {}
        }
        for (prefix, file, base) in [
            ("ttmp", File::Scalar, special::TTMP),
            ("s", File::Scalar, 0),
            ("v", File::Vector, 0),
            ("a", File::Accumulator, 0),
        ] {
            if let Some((first, count)) = text.strip_prefix(prefix).and_then(range) {
                return Self::Registers { file, first: base + first, count };
            }
        }
        if let Some(inner) = text.strip_prefix("lit64(").or_else(|| text.strip_prefix("lit("))
            && let Some(value) = inner.strip_suffix(')').and_then(number)
        {
            return Self::Literal(value as u64);
        }
        if text.starts_with("0x") {
            if let Some(value) = number(text) {
                return Self::Literal(value as u64);
            }
        } else if let Ok(value) = text.parse() {
            return Self::Integer(value);
        } else if text.contains('.')
            && let Ok(value) = text.parse()
        {
            return Self::Float(value);
        }
        Self::Word(text.to_owned())
    }
}

/// `12` or `[12:15]`: the first register and how many.
fn range(text: &str) -> Option<(u16, u16)> {
    if let Some(inner) = text.strip_prefix('[') {
        let inner = inner.strip_suffix(']')?;
        let (first, last) = inner.split_once(':').unwrap_or((inner, inner));
        let (first, last): (u16, u16) = (first.parse().ok()?, last.parse().ok()?);
        return Some((first, last.checked_sub(first)? + 1));
    }
    Some((text.parse().ok()?, 1))
}

/// A decimal or hexadecimal number.
pub(crate) fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let value = match digits.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok()? as i64,
        None => digits.parse().ok()?,
    };
    Some(value.wrapping_mul(sign))
}

/// Splits at separators outside brackets; empty pieces are left out.
fn split(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<&str> {
    let (mut pieces, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ if depth == 0 && is_separator(c) => {
                pieces.push(text[start..at].trim());
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(text[start..].trim());
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vector => "v",
            Self::Accumulator => "a",
            Self::Scalar => "s",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Statement {
        Statement::parse(text, 0, Vec::new())
    }

    fn registers(file: File, first: u16, count: u16) -> Value {
        Value::Registers { file, first, count }
    }

    #[test]
    fn operands_and_modifiers() {
        let mut statement = parse("v_fma_f32 v153, -|s77|, -2.0, 0x3f800000 clamp mul:2");
        assert_eq!(statement.mnemonic, "v_fma_f32");
        let [d, a, b, c] = statement.exactly().unwrap();
        assert_eq!(d.value, registers(File::Vector, 153, 1));
        assert_eq!((&a.value, a.negated, a.absolute), (&registers(File::Scalar, 77, 1), true, true));
        assert_eq!((&b.value, &c.value), (&Value::Float(-2.0), &Value::Literal(0x3f80_0000)));
        assert!(statement.take_flag("clamp") && !statement.take_flag("clamp"));
        assert_eq!(statement.finish(), Err(DecodeError::Modifier("mul:2".to_owned())));
        assert_eq!(statement.take_number("mul").unwrap(), Some(2));
        assert_eq!(statement.finish(), Ok(()));
    }

    #[test]
    fn registers_of_all_kinds() {
        for (text, expected) in [
            ("v[0:3]", registers(File::Vector, 0, 4)),
            ("a7", registers(File::Accumulator, 7, 1)),
            ("s[100:101]", registers(File::Scalar, 100, 2)),
            ("ttmp9", registers(File::Scalar, 117, 1)),
            ("vcc_hi", registers(File::Scalar, 107, 1)),
            ("exec", registers(File::Scalar, 126, 2)),
            ("null", registers(File::Scalar, 125, 1)),
            ("-16", Value::Integer(-16)),
            ("0.15915494", Value::Float(0.15915494)),
            ("off", Value::Word("off".to_owned())),
        ] {
            let operand = Operand::parse(text);
            assert_eq!(operand.value, expected, "{text}");
            assert!(!operand.is_modified(), "{text}");
        }
        let half = Operand::parse("-v6.h");
        assert_eq!(
            (half.value, half.half, half.negated),
            (registers(File::Vector, 6, 1), Some(Half::High), true)
        );
    }

    #[test]
    fn pairs_of_instructions() {
        let mut statement = parse("v_dual_add_f32 v6, 0.5, v2 :: v_dual_mov_b32 v7, s4");
        assert_eq!((statement.mnemonic.as_str(), statement.operands.len()), ("v_dual_add_f32", 3));
        assert_eq!(statement.operands[2].value, registers(File::Vector, 2, 1));
        assert_eq!(statement.finish(), Err(DecodeError::Mnemonic));
        let second = statement.second.take().unwrap();
        assert_eq!(second.mnemonic, "v_dual_mov_b32");
        assert_eq!(second.operands[1].value, registers(File::Scalar, 4, 1));
        assert_eq!(statement.finish(), Ok(()));
    }

    #[test]
    fn lists_and_flags_after_memory_operands() {
        let mut statement = parse("global_load_b32 v0, v1, s[0:1] offset:-16 glc");
        assert_eq!(statement.operands.len(), 3);
        assert_eq!(statement.take_number("offset").unwrap(), Some(-16));
        assert!(statement.take_flag("glc"));
        let mut statement = parse("v_mov_b32_dpp v1, v2  quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf");
        assert_eq!(statement.take_list("quad_perm").unwrap(), Some(vec![1, 0, 3, 2]));
        assert_eq!(statement.take_number("row_mask").unwrap(), Some(15));
        assert_eq!(parse("s_endpgm").operands.len(), 0);
        assert_eq!(parse("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3").operands.len(), 2);
    }
}
