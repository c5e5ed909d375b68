//! Scalar instructions: operands, and a function of their values (RDNA3 ISA guide, section 6.2 "Scalar ALU Operands").
//!
//! An instruction's file gives the function, whose result type says what it writes: a value `D`, `(D, bool)` for a value and
//! `scc`, `(D, Option<bool>)` where `scc` is not always known, `bool` for `scc` alone.

use crate::assembly::{DecodeError, Decoded, File, Statement, Value, special};
use crate::fault::Stop;
use crate::isa::Execute;
use crate::isa::element::{Element, Kind, Word};
use crate::isa::source::{self, Place, constant};
use crate::machine::wave::Wave;

/// Where a source operand's value comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Register(u16),
    Constant(u64),
    Scc,
}

impl Source {
    /// Decodes operand `index`.
    pub(super) fn decode(statement: &Statement, index: usize, kind: Kind) -> Decoded<Self> {
        let refused = Err(DecodeError::Operand(index));
        let Some(operand) = statement.operands.get(index) else { return refused };
        if operand.is_modified() {
            return refused;
        }
        match &operand.value {
            // Manuals and LLVM differ in how these are extended to 64 bits.
            Value::Literal(0x8000_0000..=0xffff_ffff)
                if kind == Kind::B64 && statement.mnemonic.ends_with("_i64") =>
            {
                refused
            }
            // The other words are values of 64 bits.
            Value::Word(word) if kind.words() == 1 && word != "scc" && word != "src_scc" => refused,
            Value::Registers { file: File::Scalar, first: special::NULL, .. } => Ok(Self::Constant(0)),
            _ => match source::Source::decode(operand, kind, index)?.place {
                Place::Scalar(number) => Ok(Self::Register(number)),
                Place::Constant(bits) => Ok(Self::Constant(bits)),
                Place::Scc => Ok(Self::Scc),
                Place::Vector(..) => refused,
            },
        }
    }

    /// The value, in the lower bits.
    #[inline(always)]
    pub(super) fn read<E: Element>(self, wave: &Wave) -> Result<E, Box<Stop>> {
        let bits = match self {
            Self::Register(number) if E::KIND.words() == 2 => wave.scalar64(number)?,
            Self::Register(number) => wave.scalar(number)?.into(),
            Self::Constant(bits) => bits,
            Self::Scc => wave.scc()?.into(),
        };
        Ok(E::of(E::Word::from_u64(bits)))
    }

    /// The value of `WORDS` registers, and which of its bits were written.
    #[inline(always)]
    pub(super) fn bits<const WORDS: u16>(self, wave: &Wave) -> Result<(u64, u64), Box<Stop>> {
        Ok(match self {
            Self::Register(number) if WORDS == 2 => wave.scalar_bits64(number),
            Self::Register(number) => wave.scalar_bits(number),
            Self::Constant(bits) => (bits, u64::MAX),
            Self::Scc => (wave.scc()?.into(), u64::MAX),
        })
    }
}

/// Decodes operand `index` as a destination of `words` registers.
pub(super) fn destination(statement: &Statement, index: usize, words: u16) -> Decoded<u16> {
    match statement.operands.get(index).and_then(|operand| operand.registers(File::Scalar)) {
        Some((first, count)) if count == words || first == special::NULL => Ok(first),
        _ => Err(DecodeError::Operand(index)),
    }
}

/// What an instruction writes.
pub(super) trait Outcome: 'static {
    /// The kind of its destination, if it has one.
    const DESTINATION: Option<Kind>;
    fn store(self, wave: &mut Wave, to: u16);
}

impl<D: Element> Outcome for D {
    const DESTINATION: Option<Kind> = Some(D::KIND);

    #[inline(always)]
    fn store(self, wave: &mut Wave, to: u16) {
        let bits = self.word().to_u64();
        if D::KIND.words() == 2 { wave.set_scalar64(to, bits) } else { wave.set_scalar(to, bits as u32) }
    }
}

impl<D: Element> Outcome for (D, bool) {
    const DESTINATION: Option<Kind> = Some(D::KIND);

    #[inline(always)]
    fn store(self, wave: &mut Wave, to: u16) {
        (self.0, Some(self.1)).store(wave, to);
    }
}

impl<D: Element> Outcome for (D, Option<bool>) {
    const DESTINATION: Option<Kind> = Some(D::KIND);

    #[inline(always)]
    fn store(self, wave: &mut Wave, to: u16) {
        self.0.store(wave, to);
        wave.set_scc(self.1);
    }
}

impl Outcome for bool {
    const DESTINATION: Option<Kind> = None;

    #[inline(always)]
    fn store(self, wave: &mut Wave, _: u16) {
        wave.set_scc(Some(self));
    }
}

/// Decodes the destination, if there is one, and the sources after it.
fn operands<R: Outcome, const N: usize>(
    statement: &Statement,
    kinds: [Kind; N],
) -> Decoded<(u16, [Source; N])> {
    let first = usize::from(R::DESTINATION.is_some());
    if statement.operands.len() != first + N {
        return Err(DecodeError::OperandCount(statement.operands.len()));
    }
    let to = match R::DESTINATION {
        Some(kind) => destination(statement, 0, kind.words())?,
        None => special::NULL,
    };
    let mut sources = [Source::Scc; N];
    for (at, kind) in kinds.into_iter().enumerate() {
        sources[at] = Source::decode(statement, first + at, kind)?;
    }
    Ok((to, sources))
}

pub(super) fn unary<A: Element, R: Outcome>(
    statement: &mut Statement,
    f: impl Fn(A) -> R + Send + Sync + 'static,
) -> Decoded<Execute> {
    let (to, [a]) = operands::<R, 1>(statement, [A::KIND])?;
    Ok(Box::new(move |wave, _| {
        f(a.read(wave)?).store(wave, to);
        Ok(())
    }))
}

pub(super) fn binary<A: Element, B: Element, R: Outcome>(
    statement: &mut Statement,
    f: impl Fn(A, B) -> R + Send + Sync + 'static,
) -> Decoded<Execute> {
    let (to, [a, b]) = operands::<R, 2>(statement, [A::KIND, B::KIND])?;
    Ok(Box::new(move |wave, _| {
        f(a.read(wave)?, b.read(wave)?).store(wave, to);
        Ok(())
    }))
}

pub(super) fn ternary<A: Element, B: Element, C: Element, R: Outcome>(
    statement: &mut Statement,
    f: impl Fn(A, B, C) -> R + Send + Sync + 'static,
) -> Decoded<Execute> {
    let (to, [a, b, c]) = operands::<R, 3>(statement, [A::KIND, B::KIND, C::KIND])?;
    Ok(Box::new(move |wave, _| {
        f(a.read(wave)?, b.read(wave)?, c.read(wave)?).store(wave, to);
        Ok(())
    }))
}

/// `f(a, b, scc)`.
pub(super) fn carrying<A: Element, B: Element, R: Outcome>(
    statement: &mut Statement,
    f: impl Fn(A, B, bool) -> R + Send + Sync + 'static,
) -> Decoded<Execute> {
    let (to, [a, b]) = operands::<R, 2>(statement, [A::KIND, B::KIND])?;
    Ok(Box::new(move |wave, _| {
        f(a.read(wave)?, b.read(wave)?, wave.scc()?).store(wave, to);
        Ok(())
    }))
}

/// `d = f(a, d)`.
pub(super) fn updating<A: Element, D: Element>(
    statement: &mut Statement,
    f: impl Fn(A, D) -> D + Send + Sync + 'static,
) -> Decoded<Execute> {
    let (to, [a]) = operands::<D, 1>(statement, [A::KIND])?;
    Ok(Box::new(move |wave, _| {
        f(a.read(wave)?, Source::Register(to).read(wave)?).store(wave, to);
        Ok(())
    }))
}

/// `d = f(a, b, d)`.
pub(super) fn accumulating<A: Element, B: Element, D: Element>(
    statement: &mut Statement,
    f: impl Fn(A, B, D) -> D + Send + Sync + 'static,
) -> Decoded<Execute> {
    let (to, [a, b]) = operands::<D, 2>(statement, [A::KIND, B::KIND])?;
    Ok(Box::new(move |wave, _| {
        f(a.read(wave)?, b.read(wave)?, Source::Register(to).read(wave)?).store(wave, to);
        Ok(())
    }))
}

/// `d = f(d, k)` or `scc = f(d, k)`, where `k` is in the instruction: 16 bits, which `K` extends.
pub(super) fn immediate<D: Element, K: Element, R: Outcome>(
    statement: &mut Statement,
    f: impl Fn(D, K) -> R + Send + Sync + 'static,
) -> Decoded<Execute> {
    let [_, k] = statement.exactly()?;
    let k = match k.value {
        Value::Integer(_) | Value::Literal(_) => constant(&k.value, Kind::B16),
        _ => None,
    };
    let k = k.ok_or(DecodeError::Operand(1))?;
    let to = destination(statement, 0, D::KIND.words())?;
    Ok(Box::new(move |wave, _| {
        f(Source::Register(to).read(wave)?, K::of(K::Word::from_u64(k))).store(wave, to);
        Ok(())
    }))
}

/// Defines a table of scalar instructions; generations have different names for some:
///
/// ```text
/// scalar_forms! {
///     FORMS:
///     "s_mul_i32" = binary(a: i32, b: i32) -> i32 { a.wrapping_mul(b) }
///     "s_add_u32" | "s_add_co_u32" = binary(a: u32, b: u32) -> (u32, bool) { a.overflowing_add(b) }
/// }
/// ```
macro_rules! scalar_forms {
    ($(#[$attribute:meta])* $table:ident: $($($name:literal)|+ = $shape:ident $parameters:tt -> $result:ty $body:block)*) => {
        $(#[$attribute])*
        pub(crate) const $table: &[$crate::isa::Form] = &[$($(
            $crate::isa::Form {
                name: $name,
                decode: |statement, _| {
                    #[inline(always)]
                    fn f $parameters -> $result $body
                    super::forms::$shape(statement, f)
                },
            },
        )+)*];
    };
}
pub(super) use scalar_forms;

/// Defines a table of instructions, each by a function that decodes it.
macro_rules! decoded_forms {
    ($($($name:literal)|+ = $decode:expr;)*) => {
        pub(crate) const FORMS: &[$crate::isa::Form] = &[$($(
            $crate::isa::Form {
                name: $name,
                decode: |statement, _| {
                    let decode: fn(&mut $crate::assembly::Statement) -> _ = $decode;
                    decode(statement)
                },
            },
        )+)*];
    };
}
pub(super) use decoded_forms;
