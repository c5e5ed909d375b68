//! Vector instructions: a function of a lane's operands, applied in every lane that is on.
//!
//! An instruction's file gives the function; reading operands with their modifiers and writing results is the same for all.

use super::element::{Element, F16, Kind, Word};
use super::plain::{Loop, Plain};
use super::source::{Rows, Source, Spare, spares};
use super::sub_dword::Unused;
use super::{Execute, cross_lane, sub_dword};
use crate::assembly::{DecodeError, Decoded, File, Half, Operand, Statement, Value};
use crate::fault::{Step, Stop};
use crate::machine::wave::{LANES, Row, Wave, each_lane};
use crate::target::Target;

/// What happens to a result on its way into a register.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    file: File,
    number: u16,
    kind: Kind,
    /// Saturates floats to 0..=1. For integers the instruction itself does it.
    clamp: bool,
    /// Multiplies floats: `mul:2`, `mul:4`, `div:2`.
    scale: Option<f32>,
    half: Halves,
    select: Option<(sub_dword::Select, Unused)>,
}

/// What a result of 16 bits does to its register.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Halves {
    /// Fills it with zeros.
    ZeroUpper,
    /// Leaves the upper half.
    Lower,
    /// Goes to the upper half, and leaves the lower one.
    Upper,
}

impl Destination {
    /// Decodes a destination of vector registers.
    pub(crate) fn decode(operand: &Operand, kind: Kind, target: &Target) -> Decoded<Self> {
        let Value::Registers { file, first, count } = operand.value else {
            return Err(DecodeError::Operand(0));
        };
        let half_is_fine = operand.half.is_none() || kind.is_half();
        if file == File::Scalar
            || count != kind.words()
            || operand.negated
            || operand.absolute
            || !half_is_fine
        {
            return Err(DecodeError::Operand(0));
        }
        let half = match operand.half {
            Some(Half::High) => Halves::Upper,
            Some(Half::Low) => Halves::Lower,
            // LLVM's `GCNSubtarget::zeroesHigh16BitsOfDest`: up to gfx9.
            None if target.generation <= 9 => Halves::ZeroUpper,
            None => Halves::Lower,
        };
        Ok(Self { file, number: first, kind, clamp: false, scale: None, half, select: None })
    }

    /// For instructions of gfx9 that leave the upper half, unlike most.
    pub(crate) fn keep_upper(&mut self) {
        if self.half == Halves::ZeroUpper {
            self.half = Halves::Lower;
        }
    }

    /// Takes the output modifiers of a float, or refuses them.
    pub(crate) fn take_modifiers(&mut self, statement: &mut Statement) -> Decoded<()> {
        if self.kind.sign().is_none() && self.kind != Kind::PackedF16 {
            return Ok(());
        }
        self.clamp = statement.take_flag("clamp");
        let multiply = statement.take_number("mul")?;
        let divide = statement.take_number("div")?;
        self.scale = match (multiply, divide) {
            (None, None) => None,
            (Some(2), None) => Some(2.0),
            (Some(4), None) => Some(4.0),
            (None, Some(2)) => Some(0.5),
            _ => return Err(DecodeError::Modifier("mul".to_owned())),
        };
        Ok(())
    }

    /// The vector register that a result goes to, and whether it is the lower half of it; `None` if it is not that simple.
    pub(super) fn plain(&self) -> Option<(u16, bool)> {
        let is_half = self.kind.is_half();
        let is_simple = self.file == File::Vector
            && self.kind.words() == 1
            && !self.clamp
            && self.scale.is_none()
            && self.select.is_none()
            && !(is_half && self.half == Halves::Upper);
        is_simple.then_some((self.number, is_half && self.half == Halves::Lower))
    }

    /// The row that a result goes to.
    pub(crate) fn row(&self, wave: &Wave) -> Result<usize, Box<Stop>> {
        let row = wave.row_index(self.file, self.number)?;
        if self.kind.words() == 2 {
            wave.row_index(self.file, self.number + 1)?;
        }
        Ok(row)
    }

    /// Whether a result leaves some of its register as it was.
    pub(crate) fn is_part(&self) -> bool {
        match self.select {
            Some((_, unused)) => unused == Unused::Preserve,
            None => self.kind.is_half() && self.half != Halves::ZeroUpper,
        }
    }

    /// Writes results in the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn write<W: Rows>(&self, wave: &mut Wave, values: &mut [W; LANES], mask: u64) -> Step {
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        unsafe { self.write_values(wave, values, mask) }
    }

    /// Not inlined, as [`Source::row`] is not.
    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn write_values<W: Rows>(&self, wave: &mut Wave, values: &mut [W; LANES], mask: u64) -> Step {
        let row = self.row(wave)?;
        if self.clamp || self.scale.is_some() {
            self.modify(values);
        }
        if self.kind.is_half() || self.select.is_some() {
            self.merge(wave, row, values);
        }
        W::write(wave, row, values, mask);
        let undefined = wave.take_undefined();
        if undefined != 0 {
            (row..row + usize::from(self.kind.words()))
                .for_each(|row| wave.set_written(row, undefined & mask, 0));
        }
        Ok(())
    }

    #[inline(never)]
    fn modify<W: Rows>(&self, values: &mut [W; LANES]) {
        let scale = self.scale.unwrap_or(1.0);
        // NaN becomes 0, as DX10_CLAMP is set.
        let clamp32 = |value: f32| if self.clamp { value.clamp(0.0, 1.0).max(0.0) } else { value };
        for value in values {
            let bits = value.to_u64();
            let half = |bits: u64| u64::from(F16::from_f32(clamp32(F16(bits as u16).to_f32() * scale)).0);
            *value = W::from_u64(match self.kind {
                Kind::F32 => u64::from(clamp32(f32::from_bits(bits as u32) * scale).to_bits()),
                Kind::F16 => half(bits),
                Kind::PackedF16 => half(bits & 0xffff) | half(bits >> 16) << 16,
                Kind::F64 => {
                    let value = f64::from_bits(bits) * f64::from(scale);
                    if self.clamp { value.clamp(0.0, 1.0).max(0.0) } else { value }.to_bits()
                }
                _ => bits,
            });
        }
    }

    /// Combines results of part of a register with the rest of it.
    #[inline(always)]
    fn merge<W: Rows>(&self, wave: &Wave, row: usize, values: &mut [W; LANES]) {
        let old = wave.row(row);
        for (value, &old) in values.iter_mut().zip(old) {
            let new = value.to_u64() as u32;
            *value = W::from_u64(u64::from(match (self.select, self.half) {
                (Some((select, unused)), _) => select.insert(new, old, unused),
                (None, Halves::ZeroUpper) => new & 0xffff,
                (None, Halves::Lower) => old & 0xffff_0000 | new & 0xffff,
                (None, Halves::Upper) => old & 0xffff | new << 16,
            }));
        }
    }
}

/// The operands of a vector instruction.
pub(crate) struct Lanes<const N: usize> {
    pub(crate) destination: Destination,
    pub(crate) sources: [Source; N],
}

impl<const N: usize> Lanes<N> {
    /// Decodes `destination, source, source...` and the modifiers that all vector instructions share. The caller calls
    /// [`Statement::finish`], after it has taken its own.
    pub(crate) fn decode(
        statement: &mut Statement,
        target: &Target,
        kind: Kind,
        kinds: [Kind; N],
    ) -> Decoded<Self> {
        if statement.operands.len() != N + 1 {
            return Err(DecodeError::OperandCount(statement.operands.len()));
        }
        let destination = Destination::decode(&statement.operands[0], kind, target)?;
        let mut sources = Vec::with_capacity(N);
        for (at, &kind) in kinds.iter().enumerate() {
            sources.push(Source::decode(&statement.operands[at + 1], kind, at + 1)?);
        }
        Self::modified(statement, destination, sources)
    }

    /// As [`Lanes::decode`], where the destination is the last source too.
    pub(crate) fn decode_accumulating(
        statement: &mut Statement,
        target: &Target,
        kind: Kind,
        kinds: [Kind; N],
    ) -> Decoded<Self> {
        let destination = statement.operands.first().cloned().ok_or(DecodeError::OperandCount(0))?;
        statement.operands.push(destination);
        Self::decode(statement, target, kind, kinds)
    }

    fn modified(
        statement: &mut Statement,
        mut destination: Destination,
        mut sources: Vec<Source>,
    ) -> Decoded<Self> {
        destination.take_modifiers(statement)?;
        take_op_sel(statement, &mut destination, &mut sources)?;
        if let Some(exchange) = cross_lane::Exchange::take(statement)? {
            sources.first_mut().ok_or(DecodeError::OperandCount(0))?.exchange = Some(Box::new(exchange));
        }
        if statement.mnemonic.ends_with("_sdwa") {
            for (source, (key, operand)) in sources
                .iter_mut()
                .zip(["src0_sel", "src1_sel"].into_iter().zip(&statement.operands.clone()[1..]))
            {
                source.select = sub_dword::Select::take(statement, key, operand.sign_extended)?.map(Box::new);
            }
            let unused = Unused::take(statement)?;
            destination.select =
                sub_dword::Select::take(statement, "dst_sel", false)?.map(|select| (select, unused));
        }
        let sources = sources.try_into().map_err(|_| DecodeError::OperandCount(statement.operands.len()))?;
        Ok(Self { destination, sources })
    }

    /// Executes a loop on these operands, all of 32 bits.
    pub(crate) fn execute(
        self,
        each: impl Fn(&[&Row; N], &mut Row, usize) + Copy + Send + Sync + 'static,
    ) -> Execute {
        match self.plain() {
            Some(plain) => Box::new(move |wave, _| plain.run(wave, &each)),
            None => Box::new(move |wave, _| self.run(wave, &each)),
        }
    }

    /// The operands, if they are plain.
    pub(crate) fn plain(&self) -> Option<Plain<N>> {
        Plain::of(&self.destination, &self.sources)
    }

    /// Executes a loop, whatever the operands.
    #[inline(never)]
    fn run(&self, wave: &mut Wave, each: Loop<'_, N>) -> Step {
        let mask = self.mask(wave);
        let mut spaces = spares::<u32, N>();
        let mut rows = [&[0; LANES]; N];
        for ((row, source), space) in rows.iter_mut().zip(&self.sources).zip(&mut spaces) {
            *row = source.row(wave, mask, space)?;
        }
        let mut out = [0; LANES];
        each(&rows, &mut out, wave.lanes);
        self.destination.write(wave, &mut out, mask)
    }

    /// The lanes to compute: those that are on, and for which DPP finds a value.
    #[inline(always)]
    pub(crate) fn mask(&self, wave: &Wave) -> u64 {
        let exec = wave.exec();
        match self.sources.first().and_then(|source| source.exchange.as_ref()) {
            None => exec,
            Some(exchange) => exec & exchange.written(wave),
        }
    }
}

/// `op_sel` on operands of 16 bits: one bit for each source, then one for the destination. Packed instructions have their own
/// meaning of it.
fn take_op_sel(
    statement: &mut Statement,
    destination: &mut Destination,
    sources: &mut [Source],
) -> Decoded<()> {
    let any_half = destination.kind.is_half() || sources.iter().any(|source| source.kind.is_half());
    if !any_half {
        return Ok(());
    }
    let Some(bits) = statement.take_list("op_sel")? else { return Ok(()) };
    for (at, &bit) in bits.iter().enumerate() {
        let refused = Err(DecodeError::Modifier("op_sel".to_owned()));
        match sources.get_mut(at) {
            Some(source) if source.kind.is_half() => source.high |= bit != 0,
            // The destination's bit comes last, after those of the sources that the instruction has.
            None if at + 1 == bits.len() && destination.kind.is_half() => {
                let is_upper = bit != 0 || destination.half == Halves::Upper;
                destination.half = if is_upper { Halves::Upper } else { Halves::Lower };
            }
            _ if bit == 0 => {}
            _ => return refused,
        }
    }
    Ok(())
}

/// Decodes an instruction of one operand.
pub(crate) fn unary<A: Element, D: Element>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn(A) -> D + Copy + Send + Sync + 'static,
) -> Decoded<Execute>
where
    A::Word: Rows,
    D::Word: Rows,
{
    let lanes = Lanes::decode(statement, target, D::KIND, [A::KIND])?;
    if D::Word::IS_ROW && A::Word::IS_ROW {
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        return Ok(lanes.execute(move |rows, out, lanes| unsafe { loop1::<A, D>(rows, out, lanes, f) }));
    }
    // SAFETY: as above.
    Ok(Box::new(move |wave, _| unsafe { run1(wave, &lanes, f) }))
}

/// Decodes an instruction of two operands.
pub(crate) fn binary<A: Element, B: Element, D: Element>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn(A, B) -> D + Copy + Send + Sync + 'static,
) -> Decoded<Execute>
where
    A::Word: Rows,
    B::Word: Rows,
    D::Word: Rows,
{
    Ok(binary_of(Lanes::decode(statement, target, D::KIND, [A::KIND, B::KIND])?, f))
}

/// As [`binary`], for instructions that leave the upper half of their destination already on gfx9.
pub(crate) fn binary_keeping<A: Element, B: Element, D: Element>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn(A, B) -> D + Copy + Send + Sync + 'static,
) -> Decoded<Execute>
where
    A::Word: Rows,
    B::Word: Rows,
    D::Word: Rows,
{
    let mut lanes = Lanes::decode(statement, target, D::KIND, [A::KIND, B::KIND])?;
    lanes.destination.keep_upper();
    Ok(binary_of(lanes, f))
}

/// Executes a function of two operands.
fn binary_of<A: Element, B: Element, D: Element>(
    lanes: Lanes<2>,
    f: impl Fn(A, B) -> D + Copy + Send + Sync + 'static,
) -> Execute
where
    A::Word: Rows,
    B::Word: Rows,
    D::Word: Rows,
{
    if D::Word::IS_ROW && A::Word::IS_ROW && B::Word::IS_ROW {
        // SAFETY: as in `unary`.
        return lanes.execute(move |rows, out, lanes| unsafe { loop2::<A, B, D>(rows, out, lanes, f) });
    }
    // SAFETY: as in `unary`.
    Box::new(move |wave, _| unsafe { run2(wave, &lanes, f) })
}

/// Decodes an instruction of three operands.
pub(crate) fn ternary<A: Element, B: Element, C: Element, D: Element>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn(A, B, C) -> D + Copy + Send + Sync + 'static,
) -> Decoded<Execute>
where
    A::Word: Rows,
    B::Word: Rows,
    C::Word: Rows,
    D::Word: Rows,
{
    let lanes = Lanes::decode(statement, target, D::KIND, [A::KIND, B::KIND, C::KIND])?;
    Ok(ternary_of(lanes, f))
}

/// As [`ternary`], for instructions that leave the upper half of their destination already on gfx9.
pub(crate) fn ternary_keeping<A: Element, B: Element, C: Element, D: Element>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn(A, B, C) -> D + Copy + Send + Sync + 'static,
) -> Decoded<Execute>
where
    A::Word: Rows,
    B::Word: Rows,
    C::Word: Rows,
    D::Word: Rows,
{
    let mut lanes = Lanes::decode(statement, target, D::KIND, [A::KIND, B::KIND, C::KIND])?;
    lanes.destination.keep_upper();
    Ok(ternary_of(lanes, f))
}

/// Decodes an instruction of two operands and its destination: `d = f(a, b, d)`.
pub(crate) fn accumulating<A: Element, B: Element, D: Element>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn(A, B, D) -> D + Copy + Send + Sync + 'static,
) -> Decoded<Execute>
where
    A::Word: Rows,
    B::Word: Rows,
    D::Word: Rows,
{
    let lanes = Lanes::decode_accumulating(statement, target, D::KIND, [A::KIND, B::KIND, D::KIND])?;
    Ok(ternary_of(lanes, f))
}

/// Executes a function of three operands.
pub(crate) fn ternary_of<A: Element, B: Element, C: Element, D: Element>(
    lanes: Lanes<3>,
    f: impl Fn(A, B, C) -> D + Copy + Send + Sync + 'static,
) -> Execute
where
    A::Word: Rows,
    B::Word: Rows,
    C::Word: Rows,
    D::Word: Rows,
{
    if D::Word::IS_ROW && A::Word::IS_ROW && B::Word::IS_ROW && C::Word::IS_ROW {
        // SAFETY: as in `unary`.
        return lanes.execute(move |rows, out, lanes| unsafe { loop3::<A, B, C, D>(rows, out, lanes, f) });
    }
    // SAFETY: as in `unary`.
    Box::new(move |wave, _| unsafe { run3(wave, &lanes, f) })
}

// The loops below are for the vectoriser: of known counts, it would see unrolled statements, and give up at the first choice.

#[inline(always)]
pub(super) fn of<E: Element>(word: u32) -> E {
    E::of(E::Word::from_u64(word.into()))
}

#[inline(always)]
fn word<E: Element>(value: E) -> u32 {
    value.word().to_u64() as u32
}

#[target_feature(enable = "avx2,fma,f16c")]
fn loop1<A: Element, D: Element>(rows: &[&Row; 1], out: &mut Row, lanes: usize, f: impl Fn(A) -> D) {
    let a = rows[0];
    for lane in each_lane(lanes) {
        out[lane] = word(f(of(a[lane])));
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
fn loop2<A: Element, B: Element, D: Element>(
    rows: &[&Row; 2],
    out: &mut Row,
    lanes: usize,
    f: impl Fn(A, B) -> D,
) {
    let [a, b] = rows;
    for lane in each_lane(lanes) {
        out[lane] = word(f(of(a[lane]), of(b[lane])));
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
fn loop3<A: Element, B: Element, C: Element, D: Element>(
    rows: &[&Row; 3],
    out: &mut Row,
    lanes: usize,
    f: impl Fn(A, B, C) -> D,
) {
    let [a, b, c] = rows;
    for lane in each_lane(lanes) {
        out[lane] = word(f(of(a[lane]), of(b[lane]), of(c[lane])));
    }
}

// For instructions with operands of 64 bits.

#[target_feature(enable = "avx2,fma,f16c")]
fn run1<A: Element, D: Element>(wave: &mut Wave, lanes: &Lanes<1>, f: impl Fn(A) -> D) -> Step
where
    A::Word: Rows,
    D::Word: Rows,
{
    let mask = lanes.mask(wave);
    let mut out = [D::Word::default(); LANES];
    let mut space = Spare::uninit();
    let a = A::Word::read(&lanes.sources[0], wave, mask, &mut space)?;
    for lane in each_lane(wave.lanes) {
        out[lane] = f(A::of(a[lane])).word();
    }
    lanes.destination.write(wave, &mut out, mask)
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run2<A: Element, B: Element, D: Element>(wave: &mut Wave, lanes: &Lanes<2>, f: impl Fn(A, B) -> D) -> Step
where
    A::Word: Rows,
    B::Word: Rows,
    D::Word: Rows,
{
    let mask = lanes.mask(wave);
    let mut out = [D::Word::default(); LANES];
    let (mut first, mut second) = (Spare::uninit(), Spare::uninit());
    let a = A::Word::read(&lanes.sources[0], wave, mask, &mut first)?;
    let b = B::Word::read(&lanes.sources[1], wave, mask, &mut second)?;
    for lane in each_lane(wave.lanes) {
        out[lane] = f(A::of(a[lane]), B::of(b[lane])).word();
    }
    lanes.destination.write(wave, &mut out, mask)
}

#[target_feature(enable = "avx2,fma,f16c")]
fn run3<A: Element, B: Element, C: Element, D: Element>(
    wave: &mut Wave,
    lanes: &Lanes<3>,
    f: impl Fn(A, B, C) -> D,
) -> Step
where
    A::Word: Rows,
    B::Word: Rows,
    C::Word: Rows,
    D::Word: Rows,
{
    let mask = lanes.mask(wave);
    let mut out = [D::Word::default(); LANES];
    let (mut first, mut second) = (Spare::uninit(), Spare::uninit());
    let mut third = Spare::uninit();
    let a = A::Word::read(&lanes.sources[0], wave, mask, &mut first)?;
    let b = B::Word::read(&lanes.sources[1], wave, mask, &mut second)?;
    let c = C::Word::read(&lanes.sources[2], wave, mask, &mut third)?;
    for lane in each_lane(wave.lanes) {
        out[lane] = f(A::of(a[lane]), B::of(b[lane]), C::of(c[lane])).word();
    }
    lanes.destination.write(wave, &mut out, mask)
}

/// Defines a table of vector instructions:
///
/// ```text
/// vector_forms! {
///     FORMS:
///     "v_add_f32" = binary(a: f32, b: f32) -> f32 { a + b }
///     "v_fmac_f32" = accumulating(a: f32, b: f32, d: f32) -> f32 { a.mul_add(b, d) }
/// }
/// ```
macro_rules! vector_forms {
    ($table:ident: $($name:literal = $shape:ident($($a:ident: $t:ty),+) -> $d:ty $body:block)*) => {
        pub(crate) const $table: &[$crate::isa::Form] = &[$(
            $crate::isa::Form {
                name: $name,
                decode: |statement, target| {
                    #[inline(always)]
                    fn f($($a: $t),+) -> $d $body
                    $crate::isa::lanes::$shape(statement, target, f)
                },
            }
        ),*];
    };
}
pub(crate) use vector_forms;
