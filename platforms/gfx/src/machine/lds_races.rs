//! Data races between the waves of a workgroup, in its LDS: two use the same bytes, one writes, and no barrier is between them.
//!
//! For every byte, its writer and its reader since the last barrier are kept.

use std::ops::Range;

use super::memory::Access;
use super::spread::Spread;
use crate::fault::{FaultKind, Step, fail};

/// More than one user. A workgroup has at most 32 waves, which count from 1.
const SEVERAL: u8 = 63;
/// Marks a writer that only used atomic instructions.
const ATOMIC: u8 = 64;

/// The uses of a workgroup's LDS by its waves, since their last barrier.
#[derive(Default)]
pub(crate) struct LdsRaces {
    writers: Vec<u8>,
    readers: Vec<u8>,
    /// Bytes that were used.
    used: Range<usize>,
    /// Loads that are not yet noted: while nobody writes, as between most barriers, there is nothing that they could race with.
    loads: Loads,
    /// Whether loads are noted at once.
    is_written: bool,
}

/// Loads of lanes.
#[derive(Default)]
struct Loads {
    /// The wave of each, the bytes of a lane, and how many lanes there are.
    all: Vec<(u8, u8, u8)>,
    addresses: Vec<u32>,
}

impl Loads {
    /// As many as are worth keeping.
    const MOST: usize = 1 << 10;

    fn clear(&mut self) {
        self.all.clear();
        self.addresses.clear();
    }
}

const NOTHING: Range<usize> = Range { start: usize::MAX, end: 0 };

/// The writer and the reader of a byte after a use, and whether it is free of races. If it is not, whom it races with stays.
#[inline(always)]
fn after(writer: u8, reader: u8, user: u8, access: Access) -> (u8, u8, bool) {
    let is_my_writer = (writer == 0) | (writer & SEVERAL == user);
    let is_my_reader = (reader == 0) | (reader == user);
    match access {
        Access::Read | Access::AtomicRead => {
            (writer, if is_my_reader { user } else { SEVERAL }, is_my_writer)
        }
        Access::Write => {
            let is_fine = is_my_writer & is_my_reader;
            (if is_fine { user } else { writer }, reader, is_fine)
        }
        Access::Atomic => {
            let several = if is_my_writer { writer } else { SEVERAL | ATOMIC };
            let writer_after = if writer == 0 { user | ATOMIC } else { several };
            let is_fine = (is_my_writer | (writer & ATOMIC != 0)) & is_my_reader;
            (if is_fine { writer_after } else { writer }, reader, is_fine)
        }
    }
}

/// Notes the use of bytes; whether it is free of races. A loop for each kind of access, which becomes vector instructions.
#[inline(always)]
fn note_bytes(writers: &mut [u8], readers: &mut [u8], user: u8, access: Access) -> bool {
    let mut note = |access| {
        let mut races = 0;
        for (writer, reader) in writers.iter_mut().zip(&mut *readers) {
            let is_fine;
            (*writer, *reader, is_fine) = after(*writer, *reader, user, access);
            races |= u8::from(!is_fine);
        }
        races == 0
    };
    match access {
        Access::Read | Access::AtomicRead => note(Access::Read),
        Access::Write => note(Access::Write),
        Access::Atomic => note(Access::Atomic),
    }
}

/// As [`note_bytes`], of a few bytes, which nearly always have the same writer and the same reader.
#[inline(always)]
fn note_piece<const N: usize>(
    writers: &mut [u8; N],
    readers: &mut [u8; N],
    user: u8,
    access: Access,
) -> bool {
    let (writer, reader) = (writers[0], readers[0]);
    if *writers != [writer; N] || *readers != [reader; N] {
        return note_mixed(writers, readers, user, access);
    }
    let (writer, reader, is_fine) = after(writer, reader, user, access);
    if access.writes() {
        *writers = [writer; N];
    } else {
        *readers = [reader; N];
    }
    is_fine
}

#[inline(never)]
fn note_mixed(writers: &mut [u8], readers: &mut [u8], user: u8, access: Access) -> bool {
    note_bytes(writers, readers, user, access)
}

impl LdsRaces {
    #[cfg(test)]
    pub(crate) fn new(bytes: usize) -> Self {
        let mut races = Self::default();
        races.begin(bytes);
        races
    }

    /// Those of another workgroup begin, with so many bytes.
    pub(crate) fn begin(&mut self, bytes: usize) {
        self.barrier();
        self.writers.resize(bytes, 0);
        self.readers.resize(bytes, 0);
    }

    /// All waves have met.
    pub(crate) fn barrier(&mut self) {
        self.loads.clear();
        self.is_written = false;
        if !self.used.is_empty() {
            self.writers[self.used.clone()].fill(0);
            self.readers[self.used.clone()].fill(0);
        }
        self.used = NOTHING;
    }

    /// Notes an access of a wave, within bounds.
    #[inline(always)]
    pub(crate) fn note(&mut self, wave: usize, bytes: Range<usize>, access: Access) -> Step {
        self.note_loads();
        self.used = self.used.start.min(bytes.start)..self.used.end.max(bytes.end);
        self.note_used(wave, bytes, access)
    }

    /// Notes an access of `size` bytes by each lane of a wave, within bounds.
    #[inline(always)]
    pub(crate) fn note_lanes<const N: usize>(
        &mut self,
        wave: usize,
        at: &Spread<'_, u32>,
        access: Access,
    ) -> Step {
        if !self.is_written {
            if !access.writes() && self.loads.all.len() < Loads::MOST {
                self.loads.all.push((wave as u8, N as u8, at.addresses().len() as u8));
                self.loads.addresses.extend_from_slice(at.addresses());
                return Ok(());
            }
            self.note_loads();
        }
        self.used = self.used.start.min(at.low as usize)..self.used.end.max(at.high as usize + N);
        let note = |start, end| self.note_used(wave, start as usize..end as usize, access);
        if at.runs(N, note)? { Ok(()) } else { self.note_each::<N>(wave, at, access) }
    }

    /// From now on, loads are noted; those that were not, are now.
    fn note_loads(&mut self) {
        if self.is_written {
            return;
        }
        self.is_written = true;
        let mut loads = std::mem::take(&mut self.loads);
        let mut addresses = &loads.addresses[..];
        for &(wave, size, lanes) in &loads.all {
            let (its, others) = addresses.split_at(lanes.into());
            addresses = others;
            for &address in its {
                let bytes = address as usize..address as usize + usize::from(size);
                self.used = self.used.start.min(bytes.start)..self.used.end.max(bytes.end);
                // Nobody has written.
                let _ = self.note_used(wave.into(), bytes, Access::Read);
            }
        }
        loads.clear();
        self.loads = loads;
    }

    /// For lanes of which few follow each other.
    #[inline(always)]
    fn note_each<const N: usize>(&mut self, wave: usize, at: &Spread<'_, u32>, access: Access) -> Step {
        let user = wave as u8 + 1;
        let mut is_fine = true;
        for &address in at.addresses() {
            let writers = self.writers[address as usize..].first_chunk_mut::<N>();
            let readers = self.readers[address as usize..].first_chunk_mut::<N>();
            if let (Some(writers), Some(readers)) = (writers, readers) {
                is_fine &= note_piece(writers, readers, user, access);
            }
        }
        if is_fine {
            return Ok(());
        }
        let bytes = |&address: &u32| address as usize..address as usize + N;
        self.race(wave, at.addresses().iter().flat_map(bytes), access)
    }

    #[inline(always)]
    fn note_used(&mut self, wave: usize, bytes: Range<usize>, access: Access) -> Step {
        let user = wave as u8 + 1;
        let (writers, readers) = (&mut self.writers[bytes.clone()], &mut self.readers[bytes.clone()]);
        let is_fine = note_bytes(writers, readers, user, access);
        if is_fine { Ok(()) } else { self.race(wave, bytes, access) }
    }

    /// Reports the first race among these bytes.
    #[cold]
    fn race(&self, wave: usize, mut bytes: impl Iterator<Item = usize>, access: Access) -> Step {
        let user = wave as u8 + 1;
        let is_race = |&byte: &usize| !after(self.writers[byte], self.readers[byte], user, access).2;
        let Some(byte) = bytes.find(is_race) else { return Ok(()) };
        let writer = self.writers[byte] & SEVERAL;
        let (other, verb) =
            if writer != 0 && writer != user { (writer, "writes") } else { (self.readers[byte], "reads") };
        let other = match other {
            SEVERAL => "another wave".to_owned(),
            number => format!("wave {}", number - 1),
        };
        fail(
            FaultKind::Race,
            format!("{access} LDS at {byte:#x}, which {other} {verb}, and no barrier orders them"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Access::{Atomic, Read, Write};
    use super::*;

    fn uses(list: &[(usize, Range<usize>, Access)]) -> bool {
        let mut races = LdsRaces::new(64);
        list.iter().all(|(wave, bytes, access)| races.note(*wave, bytes.clone(), *access).is_ok())
    }

    #[test]
    fn waves_between_barriers() {
        assert!(uses(&[(0, 0..4, Write), (0, 0..4, Read), (0, 0..4, Write)]), "a wave alone");
        assert!(uses(&[(0, 0..4, Read), (1, 0..4, Read), (2, 2..3, Read)]), "readers");
        assert!(uses(&[(0, 0..1, Write), (1, 1..2, Write), (2, 2..4, Write)]), "different bytes");
        assert!(uses(&[(0, 0..2, Read), (1, 2..4, Read), (0, 0..2, Write), (1, 2..4, Write)]));
        assert!(uses(&[(0, 0..4, Atomic), (1, 0..4, Atomic), (0, 0..4, Atomic)]), "atomics");
        assert!(uses(&[(0, 0..4, Atomic), (0, 0..4, Read), (0, 0..4, Write)]));
        assert!(!uses(&[(0, 0..4, Write), (1, 0..4, Read)]));
        assert!(!uses(&[(0, 0..4, Write), (1, 3..4, Write)]));
        assert!(!uses(&[(0, 0..4, Read), (1, 0..4, Write)]));
        assert!(!uses(&[(0, 0..4, Read), (1, 0..4, Read), (1, 0..4, Write)]), "one of several readers");
        assert!(!uses(&[(0, 0..4, Atomic), (1, 0..4, Read)]));
        assert!(!uses(&[(0, 0..4, Atomic), (1, 0..4, Atomic), (1, 0..4, Read)]));
        assert!(!uses(&[(0, 0..4, Write), (1, 0..4, Atomic)]));
        assert!(!uses(&[(0, 0..4, Read), (1, 0..4, Atomic)]));
    }

    #[test]
    fn a_barrier_orders() {
        let mut races = LdsRaces::new(64);
        races.note(0, 60..64, Write).unwrap();
        races.barrier();
        races.note(1, 60..64, Read).unwrap();
        races.note(2, 0..4, Write).unwrap();
        races.barrier();
        races.barrier();
        races.note(2, 60..64, Write).unwrap();
    }

    /// Loads are noted when somebody writes.
    #[test]
    fn loads() {
        for count in [1, 2 * Loads::MOST] {
            let mut all = std::array::from_fn(|lane| lane as u32 % 4 * 16);
            let spread = Spread::new(&mut all, 32, u64::MAX >> 32, 4);
            let mut races = LdsRaces::new(64);
            (0..count).for_each(|_| races.note_lanes::<4>(1, &spread, Read).unwrap());
            races.note(0, 4..16, Write).unwrap();
            assert!(races.note(0, 16..17, Write).is_err());
            assert!(races.note_lanes::<4>(0, &spread, Write).is_err());
            races.barrier();
            races.note_lanes::<4>(0, &spread, Write).unwrap();
            assert!(races.note_lanes::<4>(1, &spread, Read).is_err());
            // Another workgroup, with less LDS.
            races.begin(49);
            races.note_lanes::<1>(1, &spread, Read).unwrap();
            assert!(races.note_lanes::<1>(0, &spread, Write).is_err());
        }
    }

    #[test]
    fn lanes() {
        let mut all = std::array::from_fn(|lane| lane as u32 % 4 * 16);
        let spread = Spread::new(&mut all, 32, u64::MAX >> 32, 4);
        let mut races = LdsRaces::new(64);
        races.note_lanes::<4>(0, &spread, Write).unwrap();
        races.note_lanes::<4>(0, &spread, Read).unwrap();
        races.note(1, 4..16, Write).unwrap();
        assert!(races.note_lanes::<8>(1, &spread, Read).is_err());
        assert!(races.note(1, 48..49, Read).is_err());
    }
}
