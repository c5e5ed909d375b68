//! A workgroup's local data share.

use std::arch::x86_64::{
    _mm_loadu_si128, _mm_storeu_si128, _mm256_i32gather_epi32, _mm256_loadu_si256, _mm256_storeu_si256,
};
use std::ops::Range;

use super::lds_races::LdsRaces;
use super::memory::Access;
use super::pieces;
use super::spread::Spread;
use super::wave::{LANES, Row, poison};
use crate::fault::{FaultKind, Step, Stop, fail};

/// The LDS of one workgroup, which begins with random contents.
#[derive(Default)]
pub(crate) struct Lds {
    bytes: Vec<u8>,
    races: LdsRaces,
}

impl Lds {
    /// Becomes the LDS of another workgroup, of `size` bytes.
    pub(crate) fn begin(&mut self, size: usize, random: &mut fastrand::Rng) {
        self.bytes.resize(size, 0);
        let (words, rest) = self.bytes.as_chunks_mut();
        poison(words, random, u32::to_le_bytes);
        random.fill(rest);
        self.races.begin(size);
    }

    /// All waves have met at a barrier.
    pub(crate) fn barrier(&mut self) {
        self.races.barrier();
    }

    /// Loads `N` bytes for each lane of a wave, into `W` registers; what lanes that are off get is of no value.
    #[inline(always)]
    pub(crate) fn load_lanes<const N: usize, const W: usize>(
        &mut self,
        wave: usize,
        at: &Spread<'_, u32>,
        to: &mut [Row; W],
    ) -> Step {
        self.admit::<N>(wave, at, Access::Read)?;
        let bytes = self.bytes.as_ptr();
        // SAFETY: `admit` has checked the highest address. `crate::unavailable` refuses CPUs without the instructions.
        if unsafe {
            pieces::load::<N, W, _>(at, to, |address| _mm_loadu_si128(bytes.add(address as usize).cast()))
        } {
            return Ok(());
        }
        let addresses = at.addresses();
        if N == 4 {
            for (addresses, row) in addresses.as_chunks::<8>().0.iter().zip(to[0].as_chunks_mut::<8>().0) {
                // SAFETY: as above; both are eight words.
                unsafe {
                    let places = _mm256_loadu_si256(addresses.as_ptr().cast());
                    _mm256_storeu_si256(
                        row.as_mut_ptr().cast(),
                        _mm256_i32gather_epi32::<1>(bytes.cast(), places),
                    );
                }
            }
            return Ok(());
        }
        for lane in 0..addresses.len().min(LANES) {
            // SAFETY: `admit` has checked the highest address.
            let bytes: [u8; N] =
                unsafe { self.bytes.as_ptr().add(addresses[lane] as usize).cast::<[u8; N]>().read() };
            if N < 4 {
                let mut word = [0; 4];
                word[..N].copy_from_slice(&bytes);
                to[0][lane] = u32::from_le_bytes(word);
            } else {
                for (row, &word) in to.iter_mut().zip(bytes.as_chunks::<4>().0) {
                    row[lane] = u32::from_le_bytes(word);
                }
            }
        }
        Ok(())
    }

    /// Stores `N` bytes of each lane of a wave, from `W` registers; of parts of a register, those from the bit `shift` on.
    #[inline(always)]
    pub(crate) fn store_lanes<const N: usize, const W: usize>(
        &mut self,
        wave: usize,
        at: &Spread<'_, u32>,
        from: [&Row; W],
        shift: u32,
    ) -> Step {
        self.admit::<N>(wave, at, Access::Write)?;
        let bytes = self.bytes.as_mut_ptr();
        // SAFETY: as in `load_lanes`.
        let put = |address, piece| unsafe { _mm_storeu_si128(bytes.add(address as usize).cast(), piece) };
        // SAFETY: as in `load_lanes`.
        if unsafe { pieces::store::<N, W, _>(at, from, shift, put) } {
            return Ok(());
        }
        let mut store = |lane: usize, address: usize| {
            let mut bytes = [0; N];
            if N < 4 {
                bytes.copy_from_slice(&(from[0][lane] >> shift).to_le_bytes()[..N]);
            } else {
                for (row, word) in from.iter().zip(bytes.as_chunks_mut::<4>().0) {
                    *word = row[lane].to_le_bytes();
                }
            }
            // SAFETY: `admit` has checked the highest address.
            unsafe { self.bytes.as_mut_ptr().add(address).cast::<[u8; N]>().write(bytes) };
        };
        if at.is_full() {
            at.addresses().iter().enumerate().for_each(|(lane, &address)| store(lane, address as usize));
        } else {
            at.active().for_each(|(lane, address)| store(lane, address as usize));
        }
        Ok(())
    }

    /// Replaces `N` bytes by a function of them, at once; gives the old ones.
    pub(crate) fn update<const N: usize>(
        &mut self,
        wave: usize,
        address: u32,
        f: impl FnOnce([u8; N]) -> [u8; N],
    ) -> Result<[u8; N], Box<Stop>> {
        if !(address as usize).is_multiple_of(N) {
            return fail(
                FaultKind::Misaligned,
                format!("atomically updates {N} bytes of LDS at {address:#x}, which is not aligned"),
            );
        }
        let bytes = self.place(address, N)?;
        self.races.note(wave, bytes.clone(), Access::Atomic)?;
        let place = &mut self.bytes[bytes];
        let mut old = [0; N];
        old.copy_from_slice(place);
        place.copy_from_slice(&f(old));
        Ok(old)
    }

    /// Checks an access of every lane.
    #[inline(always)]
    fn admit<const N: usize>(&mut self, wave: usize, at: &Spread<'_, u32>, access: Access) -> Step {
        if u64::from(at.high) + N as u64 > self.bytes.len() as u64 {
            return self.find_outside(at, N);
        }
        self.races.note_lanes::<N>(wave, at, access)
    }

    #[cold]
    fn find_outside(&self, at: &Spread<'_, u32>, size: usize) -> Step {
        at.active().try_for_each(|(lane, address)| match self.place(address as u32, size) {
            Ok(_) => Ok(()),
            Err(stop) => match *stop {
                Stop::Fault(fault) => fail(fault.kind, format!("lane {lane} {fault}")),
                stop => Err(Box::new(stop)),
            },
        })
    }

    fn place(&self, address: u32, size: usize) -> Result<Range<usize>, Box<Stop>> {
        let (start, len) = (address as usize, self.bytes.len());
        if start + size > len {
            return fail(
                FaultKind::OutOfBounds,
                format!("uses {size} bytes of LDS at {address:#x}, and the workgroup has {len} bytes"),
            );
        }
        Ok(start..start + size)
    }
}
