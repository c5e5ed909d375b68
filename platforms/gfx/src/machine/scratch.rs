//! Scratch memory: what each lane of a wave has for itself.

use std::ops::Range;

use super::wave::LANES;
use crate::fault::{FaultKind, Stop, fail};

/// The buffer resource that kernels get to find their scratch memory with, where they do not have instructions for it: swizzled, from
/// an address that nothing else has.
pub(crate) const RESOURCE: [u32; 4] = [0, 0x8000_8000, u32::MAX, 0x31c1_6000];

/// The scratch memory of a wave, which begins with random contents that count as never written.
pub(crate) struct Scratch {
    /// Lane by lane.
    bytes: Vec<u8>,
    /// The lanes that have written each word.
    written: Vec<u64>,
    /// Bytes of a lane.
    size: usize,
}

impl Scratch {
    /// So many bytes for each lane, which [`Scratch::begin`] must be called for.
    pub(crate) fn new(size: usize) -> Self {
        Self { bytes: vec![0; size * LANES], written: vec![0; size.div_ceil(4)], size }
    }

    /// Begins anew.
    pub(crate) fn begin(&mut self, random: &mut fastrand::Rng) {
        random.fill(&mut self.bytes);
        self.written.fill(0);
    }

    /// Loads `N` bytes of a lane, and whether they were written.
    pub(crate) fn load<const N: usize>(
        &self,
        lane: usize,
        address: u64,
    ) -> Result<([u8; N], bool), Box<Stop>> {
        let place = self.place(lane, address, N, "reads")?;
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.bytes[place]);
        let is_written = self.written[words(address, N)].iter().all(|lanes| lanes >> lane & 1 != 0);
        Ok((bytes, is_written))
    }

    /// Stores `N` bytes of a lane, which are values that were written, or copies of such that were not.
    pub(crate) fn store<const N: usize>(
        &mut self,
        lane: usize,
        address: u64,
        bytes: [u8; N],
        is_written: bool,
    ) -> Result<(), Box<Stop>> {
        let place = self.place(lane, address, N, "writes")?;
        self.bytes[place].copy_from_slice(&bytes);
        for lanes in &mut self.written[words(address, N)] {
            *lanes = *lanes & !(1 << lane) | u64::from(is_written) << lane;
        }
        Ok(())
    }

    fn place(&self, lane: usize, address: u64, size: usize, verb: &str) -> Result<Range<usize>, Box<Stop>> {
        if address.saturating_add(size as u64) > self.size as u64 {
            return fail(
                FaultKind::OutOfBounds,
                format!(
                    "lane {lane} {verb} {size} bytes at {address:#x} of its scratch memory, which has {} bytes",
                    self.size
                ),
            );
        }
        let start = lane * self.size + address as usize;
        Ok(start..start + size)
    }
}

/// The words of an access, within bounds.
fn words(address: u64, size: usize) -> Range<usize> {
    address as usize / 4..(address as usize + size).div_ceil(4)
}
