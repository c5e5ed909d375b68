//! A wavefront: its registers, and which of them were ever written.

use std::cell::Cell;
use std::ops::Range;

use super::masks::set_some;
use super::scratch::Scratch;

use crate::assembly::{File, special};
use crate::fault::{FaultKind, Step, Stop, fail};

/// Lanes of the widest wavefront.
pub(crate) const LANES: usize = 64;

/// One 32-bit value per lane.
pub(crate) type Row = [u32; LANES];
/// One 64-bit value per lane.
pub(crate) type Row64 = [u64; LANES];

/// The numbers of a wave's lanes. The compiler sees that there are at most [`LANES`], and a multiple of 32: no loop over them needs a
/// remainder.
#[inline(always)]
pub(crate) fn each_lane(lanes: usize) -> Range<usize> {
    0..lanes.min(LANES) & !31
}

/// The mask of so many lanes.
#[inline(always)]
pub(crate) fn full(lanes: usize) -> u64 {
    u64::MAX >> (64 - lanes)
}

/// Where scalar registers begin in the numbers of rows that [`Wave::settle`] names.
const SCALARS: usize = 1 << 16;

/// A wavefront.
pub(crate) struct Wave {
    /// The index of the next instruction.
    pub(crate) next: usize,
    /// 32 or 64.
    pub(crate) lanes: usize,
    /// Its number in the workgroup.
    pub(crate) number: usize,
    scc: bool,
    /// Whether `scc` is known; [`Wave::scc`] looks at it.
    scc_known: bool,
    scalars: [u32; special::COUNT],
    /// Which bits of each were written.
    written_scalars: [u32; special::COUNT],
    /// The allocated vector registers, then the accumulators: `lanes` words of each.
    vectors: Vec<u32>,
    /// Which lanes of each were written.
    written: Vec<u64>,
    /// The lanes in which operands of the present instruction were not, and one of these registers.
    undefined: Cell<(u64, usize)>,
    /// Vector registers that the kernel has allocated, and accumulator registers.
    allocated: [u16; 2],
    pub(crate) scratch: Scratch,
    /// The wave's MODE register.
    pub(crate) mode: u32,
    /// A barrier that was signalled and not yet waited for (gfx12).
    pub(crate) signalled: bool,
    /// Instructions executed.
    pub(crate) executed: u64,
}

/// Fills memory that nobody wrote with words that are random, and different from each other. A generator for each word would cost more
/// than many kernels.
#[inline(always)]
pub(super) fn poison<W>(words: &mut [W], random: &mut fastrand::Rng, of: impl Fn(u32) -> W) {
    // SAFETY: `crate::unavailable` refuses CPUs without these features.
    unsafe { fill(words, random.u32(..), of) };
}

#[target_feature(enable = "avx2")]
fn fill<W>(words: &mut [W], first: u32, of: impl Fn(u32) -> W) {
    let mut value = first;
    for word in words {
        *word = of(value);
        value = value.wrapping_add(0x9e37_79b9);
    }
}

impl Wave {
    /// A wave, which [`Wave::begin`] must be called for.
    pub(crate) fn new(lanes: usize, number: usize, allocated: [u16; 2], scratch_size: usize) -> Self {
        let rows = allocated.map(usize::from).iter().sum();
        Self {
            next: 0,
            lanes,
            number,
            scc: false,
            scc_known: false,
            scalars: [0; special::COUNT],
            written_scalars: [0; special::COUNT],
            // A [`Row`] of the last one must lie in it, too.
            vectors: vec![0; rows * lanes + LANES - lanes],
            written: vec![0; rows],
            undefined: Cell::new((0, 0)),
            allocated,
            scratch: Scratch::new(scratch_size),
            mode: 0,
            signalled: false,
            executed: 0,
        }
    }

    /// Begins anew: registers and scratch memory hold random values that count as never written.
    pub(crate) fn begin(&mut self, random: &mut fastrand::Rng) {
        (self.scc, self.scc_known) = (random.bool(), false);
        poison(&mut self.scalars, random, |word| word);
        self.written_scalars.fill(0);
        let null = usize::from(special::NULL);
        (self.scalars[null], self.written_scalars[null]) = (0, u32::MAX);
        poison(&mut self.vectors, random, |word| word);
        self.written.fill(0);
        self.scratch.begin(random);
        (self.signalled, self.executed) = (false, 0);
    }

    /// The mask of all lanes.
    pub(crate) fn all(&self) -> u64 {
        full(self.lanes)
    }

    /// The lanes that are on.
    pub(crate) fn exec(&self) -> u64 {
        self.scalar64_unchecked(special::EXEC) & self.all()
    }

    /// The row of a register: vector registers first, then accumulators. Fails for one that the kernel did not allocate.
    #[inline(always)]
    pub(crate) fn row_index(&self, file: File, number: u16) -> Result<usize, Box<Stop>> {
        let which = usize::from(file == File::Accumulator);
        if number >= self.allocated[which] {
            return self.not_allocated(file, number);
        }
        Ok(which * usize::from(self.allocated[0]) + usize::from(number))
    }

    #[cold]
    fn not_allocated<T>(&self, file: File, number: u16) -> Result<T, Box<Stop>> {
        let count = self.allocated[usize::from(file == File::Accumulator)];
        fail(
            FaultKind::OutOfBounds,
            format!("uses {file}{number}, but the kernel allocates {count} of these registers"),
        )
    }

    /// A register's value in every lane, written or not. In waves of 32, what follows these lanes is another register.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> &Row {
        let (row, _) = self.vectors[row * self.lanes..].split_first_chunk().expect("a row lies within them");
        row
    }

    /// A register's value in the lanes of `mask`, and zeros in the others.
    pub(crate) fn row_of(&self, row: usize, mask: u64) -> Row {
        let mut values = [0; LANES];
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        unsafe { set_some(&mut values[..self.lanes], self.row(row), mask) };
        values
    }

    /// Writes the lanes of `mask`. There is a value for each lane of the wave.
    #[inline(always)]
    pub(crate) fn set_row(&mut self, row: usize, values: &[u32], mask: u64) {
        let mask = mask & self.all();
        self.written[row] |= mask;
        let is_all = mask == self.all();
        let first = row * self.lanes;
        let to = &mut self.vectors[first..first + self.lanes];
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        unsafe { if is_all { set_all(to, values) } else { set_some(to, values, mask) } };
    }

    /// The lanes in which a register was written.
    pub(crate) fn written(&self, row: usize) -> u64 {
        self.written[row]
    }

    /// Declares lanes of a register as written or not: for instructions that copy values without looking at them.
    pub(crate) fn set_written(&mut self, row: usize, mask: u64, is: u64) {
        self.written[row] = (self.written[row] & !mask) | (is & mask);
    }

    /// Notes the lanes of `mask` in which a register was never written. An instruction's result is not written in them either,
    /// as compilers compute values that they then do not use; see [`Wave::take_undefined`].
    #[inline(always)]
    pub(crate) fn note(&self, row: usize, mask: u64) {
        let missing = mask & !self.written[row];
        if missing != 0 {
            self.undefined.set((self.undefined.get().0 | missing, row));
        }
    }

    /// A scalar register, which is noted as [`Wave::note`] does if any of its bits was never written.
    #[inline(always)]
    pub(crate) fn noted_scalar(&self, number: u16, mask: u64) -> u32 {
        let at = usize::from(number);
        if self.written_scalars[at] != u32::MAX {
            self.undefined.set((self.undefined.get().0 | mask, SCALARS + at));
        }
        self.scalars[at]
    }

    /// As [`Wave::noted_scalar`], for a pair.
    #[inline(always)]
    pub(crate) fn noted_scalar64(&self, number: u16, mask: u64) -> u64 {
        if number == special::NULL {
            return 0;
        }
        u64::from(self.noted_scalar(number, mask)) | u64::from(self.noted_scalar(number + 1, mask)) << 32
    }

    /// The lanes in which an operand of the present instruction was never written, which the caller passes on to its results.
    #[inline(always)]
    pub(crate) fn take_undefined(&mut self) -> u64 {
        self.undefined.replace((0, 0)).0
    }

    /// What [`Wave::take_undefined`] would take.
    pub(crate) fn undefined(&self) -> u64 {
        self.undefined.get().0
    }

    /// Fails if an instruction did not pass on that an operand was never written.
    #[inline(always)]
    pub(crate) fn settle(&self) -> Step {
        let (missing, row) = self.undefined.get();
        if missing == 0 { Ok(()) } else { self.undefined_row(row, missing) }
    }

    /// Fails if any lane of `mask` was never written.
    #[inline(always)]
    pub(crate) fn demand(&self, row: usize, mask: u64) -> Step {
        let missing = mask & !self.written[row];
        if missing == 0 { Ok(()) } else { self.undefined_row(row, missing) }
    }

    /// A scalar register.
    #[inline(always)]
    pub(crate) fn scalar(&self, number: u16) -> Result<u32, Box<Stop>> {
        if self.written_scalars[usize::from(number)] != u32::MAX {
            return undefined_scalar(number);
        }
        Ok(self.scalars[usize::from(number)])
    }

    /// A pair of scalar registers.
    #[inline(always)]
    pub(crate) fn scalar64(&self, number: u16) -> Result<u64, Box<Stop>> {
        if number == special::NULL {
            return Ok(0);
        }
        Ok(u64::from(self.scalar(number)?) | u64::from(self.scalar(number + 1)?) << 32)
    }

    /// A mask of lanes in scalar registers: one register in waves of 32, a pair in waves of 64. The lanes that are on must have
    /// been written: compilers build masks of a branch's lanes upon whatever the register held.
    #[inline(always)]
    pub(crate) fn scalar_mask(&self, number: u16) -> Result<u64, Box<Stop>> {
        let (mask, written) = self.scalar_mask_bits(number);
        if self.exec() & !written != 0 {
            return undefined_scalar(number);
        }
        Ok(mask)
    }

    /// As [`Wave::scalar_mask`], with the lanes for which it was written.
    #[inline(always)]
    pub(crate) fn scalar_mask_bits(&self, number: u16) -> (u64, u64) {
        if self.lanes == 64 { self.scalar_bits64(number) } else { self.scalar_bits(number) }
    }

    /// A scalar register and which of its bits were written: for instructions that copy or combine bits without looking at them.
    #[inline(always)]
    pub(crate) fn scalar_bits(&self, number: u16) -> (u64, u64) {
        let at = usize::from(number);
        (self.scalars[at].into(), self.written_scalars[at].into())
    }

    /// As [`Wave::scalar_bits`], for a pair.
    #[inline(always)]
    pub(crate) fn scalar_bits64(&self, number: u16) -> (u64, u64) {
        if number == special::NULL {
            return (0, u64::MAX);
        }
        let (low, high) = (self.scalar_bits(number), self.scalar_bits(number + 1));
        (low.0 | high.0 << 32, low.1 | high.1 << 32)
    }

    fn scalar64_unchecked(&self, number: u16) -> u64 {
        let at = usize::from(number);
        u64::from(self.scalars[at]) | u64::from(self.scalars[at + 1]) << 32
    }

    /// Whether a scalar register was written: for instructions that copy values without looking at them.
    pub(crate) fn is_scalar_written(&self, number: u16) -> bool {
        self.written_scalars[usize::from(number)] == u32::MAX
    }

    #[inline(always)]
    pub(crate) fn set_scalar(&mut self, number: u16, value: u32) {
        self.set_scalar_bits(number, value, u32::MAX);
    }

    /// Writes a scalar register, of which only some bits count as written.
    #[inline(always)]
    pub(crate) fn set_scalar_bits(&mut self, number: u16, value: u32, written: u32) {
        if number != special::NULL {
            self.scalars[usize::from(number)] = value;
            self.written_scalars[usize::from(number)] = written;
        }
    }

    #[inline(always)]
    pub(crate) fn set_scalar64(&mut self, number: u16, value: u64) {
        if number == special::NULL {
            return;
        }
        self.set_scalar(number, value as u32);
        self.set_scalar(number + 1, (value >> 32) as u32);
    }

    /// Writes a mask of lanes as [`Wave::scalar_mask`] reads it.
    #[inline(always)]
    pub(crate) fn set_scalar_mask(&mut self, number: u16, mask: u64) {
        self.set_scalar_mask_bits(number, mask, u64::MAX);
    }

    /// As [`Wave::set_scalar_mask`], where only some bits count as written.
    #[inline(always)]
    pub(crate) fn set_scalar_mask_bits(&mut self, number: u16, mask: u64, written: u64) {
        self.set_scalar_bits(number, mask as u32, written as u32);
        if self.lanes == 64 && number != special::NULL {
            self.set_scalar_bits(number + 1, (mask >> 32) as u32, (written >> 32) as u32);
        }
    }

    #[cold]
    fn undefined_row(&self, row: usize, missing: u64) -> Step {
        if row >= SCALARS {
            return undefined_scalar((row - SCALARS) as u16);
        }
        let vectors = usize::from(self.allocated[0]);
        let (file, number) =
            if row < vectors { (File::Vector, row) } else { (File::Accumulator, row - vectors) };
        let lane = missing.trailing_zeros();
        fail(FaultKind::Undefined, format!("reads {file}{number}, which was never written in lane {lane}"))
    }

    /// The bit `scc`.
    #[inline(always)]
    pub(crate) fn scc(&self) -> Result<bool, Box<Stop>> {
        if self.scc_known { Ok(self.scc) } else { undefined("scc") }
    }

    /// Writes `scc`: `None` is a value that is not known.
    #[inline(always)]
    pub(crate) fn set_scc(&mut self, value: Option<bool>) {
        self.scc_known = value.is_some();
        self.scc = value.unwrap_or(self.scc);
    }
}

/// Writes all words of `to`, 32 or 64.
#[inline]
#[target_feature(enable = "avx2")]
fn set_all(to: &mut [u32], from: &[u32]) {
    // Not a loop, which would become a call of `memcpy`; these are a few vector instructions.
    let (to, from) = (to.as_chunks_mut::<32>().0, from.as_chunks::<32>().0);
    to[0] = from[0];
    if let (Some(to), Some(from)) = (to.get_mut(1), from.get(1)) {
        *to = *from;
    }
}

#[cold]
fn undefined_scalar<T>(number: u16) -> Result<T, Box<Stop>> {
    let name = match number {
        special::VCC => "vcc_lo".to_owned(),
        n if n == special::VCC + 1 => "vcc_hi".to_owned(),
        special::M0 => "m0".to_owned(),
        n @ special::TTMP..special::M0 => format!("ttmp{}", n - special::TTMP),
        n => format!("s{n}"),
    };
    undefined(&name)
}

#[cold]
fn undefined<T>(name: &str) -> Result<T, Box<Stop>> {
    fail(FaultKind::Undefined, format!("reads {name}, which was never written"))
}
