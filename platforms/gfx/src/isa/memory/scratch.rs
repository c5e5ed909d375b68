//! Scratch memory (RDNA3 ISA guide, section 11 "Flat Memory Instructions").

use super::access::{Space, byte, half, high, load, load_part, load_store_forms, low, store};
use super::address::{Data, Policy, expect_operands, operand, vector};
use crate::assembly::{DecodeError, Decoded, File, Statement};
use crate::fault::{FaultKind, Step, Stop, fail};
use crate::machine::block::Block;
use crate::machine::spread::lanes;
use crate::machine::wave::{LANES, Row, Wave};
use crate::target::Target;

load_store_forms!(FORMS, Private, "scratch");

/// Scratch memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Private {
    pub(crate) vector: Option<u16>,
    pub(crate) scalar: Option<u16>,
    pub(crate) offset: u64,
}

impl Private {
    /// The address of each lane of `mask`.
    pub(crate) fn addresses(&self, wave: &Wave, mask: u64) -> Result<[u64; LANES], Box<Stop>> {
        let scalar = match self.scalar {
            // Signed, as an offset to the vector register.
            Some(number) => i64::from(wave.scalar(number)? as i32) as u64,
            None => 0,
        };
        let mut all = [self.offset.wrapping_add(scalar); LANES];
        if let Some(number) = self.vector {
            let row = wave.row_index(File::Vector, number)?;
            wave.demand(row, mask)?;
            all.iter_mut()
                .zip(wave.row(row))
                .for_each(|(address, &offset)| *address = address.wrapping_add(u64::from(offset)));
        }
        Ok(all)
    }
}

/// Loads `N` bytes for a lane.
pub(crate) fn load_lane<const N: usize, const W: usize>(
    wave: &Wave,
    lane: usize,
    address: u64,
    to: &mut [Row; W],
    written: &mut [u64; W],
) -> Step {
    let (bytes, is_written) = wave.scratch.load::<N>(lane, address)?;
    for word in 0..W {
        let mut four = [0; 4];
        let size = (N - word * 4).min(4);
        four[..size].copy_from_slice(&bytes[word * 4..][..size]);
        to[word][lane] = u32::from_le_bytes(four);
        let is = is_written || (N > 4 && wave.scratch.load::<4>(lane, address + word as u64 * 4)?.1);
        written[word] &= !(u64::from(!is) << lane);
    }
    Ok(())
}

/// Stores `N` bytes of a lane. Registers that were never written are stored as such: spilling code does so.
pub(crate) fn store_lane<const N: usize, const W: usize>(
    wave: &mut Wave,
    lane: usize,
    address: u64,
    from: Data,
    shift: u32,
) -> Step {
    let first = from.row(wave, W)?;
    for word in 0..W {
        let value = wave.row(first + word)[lane] >> shift;
        let is_written = wave.written(first + word) >> lane & 1 != 0;
        let place = address.wrapping_add(word as u64 * 4);
        let bytes = value.to_le_bytes();
        match N {
            1 => wave.scratch.store(lane, place, [bytes[0]], is_written)?,
            2 => wave.scratch.store(lane, place, [bytes[0], bytes[1]], is_written)?,
            _ => wave.scratch.store(lane, place, bytes, is_written)?,
        }
    }
    Ok(())
}

/// Replaces a lane's word, or two, by a function of it; gives the old value.
pub(crate) fn update(
    wave: &mut Wave,
    lane: usize,
    address: u64,
    size: usize,
    f: impl Fn(u64) -> u64,
) -> Result<u64, Box<Stop>> {
    let (old, is_written) = match size {
        4 => {
            let (bytes, is_written) = wave.scratch.load(lane, address)?;
            (u64::from(u32::from_le_bytes(bytes)), is_written)
        }
        _ => {
            let (bytes, is_written) = wave.scratch.load(lane, address)?;
            (u64::from_le_bytes(bytes), is_written)
        }
    };
    if !is_written {
        return fail(FaultKind::Undefined, "atomically updates scratch memory that was never written");
    }
    let new = f(old);
    match size {
        4 => wave.scratch.store(lane, address, (new as u32).to_le_bytes(), true)?,
        _ => wave.scratch.store(lane, address, new.to_le_bytes(), true)?,
    }
    Ok(old)
}

impl Space for Private {
    fn decode(statement: &mut Statement, target: &Target, is_store: bool) -> Decoded<(Self, usize)> {
        expect_operands(statement, 3)?;
        Policy::take(statement, target);
        let offset = statement.take_number("offset")?.unwrap_or(0) as u64;
        let vector_at = usize::from(!is_store);
        let vector = match operand(statement, vector_at)?.is("off") {
            true => None,
            false => Some(vector(statement, vector_at, 1)?),
        };
        let scalar = match operand(statement, 2)? {
            operand if operand.is("off") => None,
            operand => match operand.registers(File::Scalar) {
                Some((number, 1)) => Some(number),
                _ => return Err(DecodeError::Operand(2)),
            },
        };
        Ok((Self { vector, scalar, offset }, usize::from(is_store)))
    }

    fn load<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        _: &mut Block<'_>,
        mask: u64,
        to: &mut [Row; W],
        written: &mut [u64; W],
    ) -> Step {
        let at = self.addresses(wave, mask)?;
        lanes(mask).try_for_each(|lane| load_lane::<N, W>(wave, lane, at[lane], to, written))
    }

    fn store<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        _: &mut Block<'_>,
        mask: u64,
        from: Data,
        shift: u32,
    ) -> Step {
        let at = self.addresses(wave, mask)?;
        lanes(mask).try_for_each(|lane| store_lane::<N, W>(wave, lane, at[lane], from, shift))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::fault::FaultKind;
    use crate::isa::memory::expected::{Path, Place, check, load_store_references};
    use crate::isa::testing::{Bench, Reference};

    pub(crate) const PATH: Path = Path {
        processor: "gfx1100",
        place: Place::Scratch,
        load: "{}, v2, off offset:8",
        store: "v2, {}, off offset:8",
        base: 0,
        offset: 8,
        scalar: false,
    };

    pub(crate) const REFERENCES: &[Reference] = load_store_references!("scratch", |name| {
        check(name, PATH);
        check(name, Path { processor: "gfx942", ..PATH });
    });

    #[test]
    fn addresses() {
        let mut bench = Bench::new("gfx1100");
        bench.wave.set_scalar(4, 16);
        bench.set(2, |lane| lane as u32 % 2 * 4);
        bench.set(8, |lane| lane as u32);
        bench.run("scratch_store_b32 v2, v8, s4 offset:4");
        bench.set_exec(0xaaaa_aaaa);
        bench.run("scratch_load_b32 v9, off, s4 offset:8\nscratch_load_b32 v10, off, off offset:24");
        for row in [bench.get(9), bench.get(10)] {
            (0..32).filter(|lane| lane % 2 != 0).for_each(|lane| assert_eq!(row[lane], lane as u32));
        }
        assert_eq!(bench.fault("scratch_load_b32 v10, off, off offset:253"), FaultKind::OutOfBounds);
    }

    #[test]
    fn what_was_never_written_stays_so() {
        let mut bench = Bench::new("gfx1100");
        bench.set(20, |_| 1);
        bench.wave.set_written(20, u64::MAX, 0xff);
        bench.set_exec(0xffff);
        bench.run("scratch_store_b64 off, v[20:21], off\nscratch_load_b64 v[30:31], off, off");
        assert_eq!((bench.wave.written(30) & 0xffff, bench.wave.written(31) & 0xffff), (0xff, 0));
    }
}
