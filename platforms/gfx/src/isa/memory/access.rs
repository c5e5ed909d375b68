//! Loads and stores: registers on one side, one of the memories on the other.

use super::address::Data;
use crate::assembly::{Decoded, Statement};
use crate::fault::Step;
use crate::isa::Execute;
use crate::machine::block::Block;
use crate::machine::wave::{LANES, Row, Wave};
use crate::target::Target;

/// A memory, and how an instruction addresses it.
pub(crate) trait Space: Sized + Send + Sync + 'static {
    /// Decodes an instruction's address; gives the index of its operand of data too.
    fn decode(statement: &mut Statement, target: &Target, is_store: bool) -> Decoded<(Self, usize)>;

    /// Loads `N` bytes for the lanes of `mask`, of which there is one at least, into `W` registers. Takes lanes whose value was never
    /// written out of `written`.
    fn load<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        block: &mut Block<'_>,
        mask: u64,
        to: &mut [Row; W],
        written: &mut [u64; W],
    ) -> Step;

    /// Stores `N` bytes of the lanes of `mask`, of which there is one at least, from `W` registers; of parts of a register, those
    /// from the bit `shift` on.
    fn store<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        block: &mut Block<'_>,
        mask: u64,
        from: Data,
        shift: u32,
    ) -> Step;
}

/// Decodes a load of whole registers.
pub(crate) fn load<S: Space, const N: usize, const W: usize>(
    statement: &mut Statement,
    target: &Target,
) -> Decoded<Execute> {
    let (space, at) = S::decode(statement, target, false)?;
    let data = Data::decode(statement, at, W)?;
    // SAFETY: `crate::unavailable` refuses CPUs without these features.
    Ok(Box::new(move |wave, block| unsafe { run_load::<S, N, W>(wave, block, &space, data) }))
}

/// Decodes a load of part of a register: `f` makes the register of the part and the register's old value.
pub(crate) fn load_part<S: Space, const N: usize>(
    statement: &mut Statement,
    target: &Target,
    f: impl Fn(u32, u32) -> u32 + Copy + Send + Sync + 'static,
) -> Decoded<Execute> {
    let (space, at) = S::decode(statement, target, false)?;
    let data = Data::decode(statement, at, 1)?;
    // SAFETY: as in `load`.
    Ok(Box::new(move |wave, block| unsafe { run_load_part::<S, N>(wave, block, &space, data, f) }))
}

/// Decodes a store of whole registers, or of the part of one from the bit `SHIFT` on.
pub(crate) fn store<S: Space, const N: usize, const W: usize, const SHIFT: u32>(
    statement: &mut Statement,
    target: &Target,
) -> Decoded<Execute> {
    let (space, at) = S::decode(statement, target, true)?;
    let data = Data::decode(statement, at, W)?;
    // SAFETY: as in `load`.
    Ok(Box::new(move |wave, block| unsafe { run_store::<S, N, W, SHIFT>(wave, block, &space, data) }))
}

#[target_feature(enable = "avx2")]
fn run_load<S: Space, const N: usize, const W: usize>(
    wave: &mut Wave,
    block: &mut Block<'_>,
    space: &S,
    data: Data,
) -> Step {
    let mask = wave.exec();
    if mask == 0 {
        return Ok(());
    }
    let (mut loaded, mut written) = (block.take_loaded(), [u64::MAX; W]);
    let Some(rows) = loaded.first_chunk_mut() else { unreachable!("a load has up to four registers") };
    space.load::<N, W>(wave, block, mask, rows, &mut written)?;
    data.write(wave, rows, mask)?;
    block.loaded = Some(loaded);
    if written != [u64::MAX; W] {
        let first = data.row(wave, W)?;
        for (word, &is) in written.iter().enumerate() {
            wave.set_written(first + word, mask, is);
        }
    }
    Ok(())
}

#[target_feature(enable = "avx2")]
fn run_load_part<S: Space, const N: usize>(
    wave: &mut Wave,
    block: &mut Block<'_>,
    space: &S,
    data: Data,
    f: impl Fn(u32, u32) -> u32,
) -> Step {
    let mask = wave.exec();
    if mask == 0 {
        return Ok(());
    }
    let (mut rows, mut written) = ([[0; LANES]; 1], [u64::MAX; 1]);
    space.load::<N, 1>(wave, block, mask, &mut rows, &mut written)?;
    let row = data.row(wave, 1)?;
    for (value, &old) in rows[0].iter_mut().zip(wave.row(row)) {
        *value = f(*value, old);
    }
    wave.set_row(row, &rows[0], mask);
    if written[0] != u64::MAX {
        wave.set_written(row, mask, written[0]);
    }
    Ok(())
}

#[target_feature(enable = "avx2")]
fn run_store<S: Space, const N: usize, const W: usize, const SHIFT: u32>(
    wave: &mut Wave,
    block: &mut Block<'_>,
    space: &S,
    data: Data,
) -> Step {
    let mask = wave.exec();
    if mask == 0 {
        return Ok(());
    }
    space.store::<N, W>(wave, block, mask, data, SHIFT)
}

/// The lower half of `new`, in a register that keeps its upper half.
#[inline(always)]
pub(crate) fn low(new: u32, old: u32) -> u32 {
    old & 0xffff_0000 | new & 0xffff
}

/// The lower half of `new`, in the upper half of a register that keeps its lower one.
#[inline(always)]
pub(crate) fn high(new: u32, old: u32) -> u32 {
    old & 0xffff | new << 16
}

/// A signed byte.
#[inline(always)]
pub(crate) fn byte(value: u32) -> u32 {
    i32::from(value as i8) as u32
}

/// A signed half.
#[inline(always)]
pub(crate) fn half(value: u32) -> u32 {
    i32::from(value as i16) as u32
}

/// Defines the loads and stores of a space, under their names up to gfx10 and from gfx11 on.
macro_rules! load_store_forms {
    (@form $name:expr, $decode:expr) => {
        $crate::isa::Form { name: $name, decode: $decode }
    };
    ($table:ident, $space:ty, $prefix:literal) => {
        pub(crate) const $table: &[$crate::isa::Form] = load_store_forms!(
            @table $prefix, $space;
            loads "dword" "b32" 4 1, "dwordx2" "b64" 8 2, "dwordx3" "b96" 12 3, "dwordx4" "b128" 16 4;
            stores "dword" "b32" 4 1 0, "dwordx2" "b64" 8 2 0, "dwordx3" "b96" 12 3 0, "dwordx4" "b128" 16 4 0,
                "byte" "b8" 1 1 0, "short" "b16" 2 1 0,
                "byte_d16_hi" "d16_hi_b8" 1 1 16, "short_d16_hi" "d16_hi_b16" 2 1 16;
            parts "ubyte" "u8" 1 |new, _| new,
                "sbyte" "i8" 1 |new, _| byte(new),
                "ushort" "u16" 2 |new, _| new,
                "sshort" "i16" 2 |new, _| half(new),
                "ubyte_d16" "d16_u8" 1 low,
                "sbyte_d16" "d16_i8" 1 |new, old| low(byte(new), old),
                "short_d16" "d16_b16" 2 low,
                "ubyte_d16_hi" "d16_hi_u8" 1 high,
                "sbyte_d16_hi" "d16_hi_i8" 1 |new, old| high(byte(new), old),
                "short_d16_hi" "d16_hi_b16" 2 high
        );
    };
    (@table $prefix:literal, $space:ty;
        loads $($load:literal $load_new:literal $ln:literal $lw:literal),*;
        stores $($store:literal $store_new:literal $sn:literal $sw:literal $shift:literal),*;
        parts $($part:literal $part_new:literal $pn:literal $f:expr),*
    ) => {
        &[
            $(load_store_forms!(@form concat!($prefix, "_load_", $load), load::<$space, $ln, $lw>),
            load_store_forms!(@form concat!($prefix, "_load_", $load_new), load::<$space, $ln, $lw>),)*
            $(load_store_forms!(@form concat!($prefix, "_store_", $store), store::<$space, $sn, $sw, $shift>),
            load_store_forms!(@form concat!($prefix, "_store_", $store_new), store::<$space, $sn, $sw, $shift>),)*
            $(load_store_forms!(@form concat!($prefix, "_load_", $part), |statement, target| {
                load_part::<$space, $pn>(statement, target, $f)
            }),
            load_store_forms!(@form concat!($prefix, "_load_", $part_new), |statement, target| {
                load_part::<$space, $pn>(statement, target, $f)
            }),)*
        ]
    };
}
pub(crate) use load_store_forms;
