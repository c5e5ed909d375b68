//! Global memory as a launch sees it: the allocations that exist, and who uses which bytes.

use std::arch::asm;
use std::arch::x86_64::__m128i;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

use super::order::Order;
use super::pieces;
use super::races::{Races, User, Uses};
use super::spread::Spread;
use super::wave::{LANES, Row};
use crate::fault::{FaultKind, Step, Stop, fail};

/// A piece of memory that kernels may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// Its addresses.
    pub(crate) addresses: Range<u64>,
    /// Whether kernels may write to it.
    pub(crate) writable: bool,
    /// Whether uses by several workgroups are watched. Not in host memory, where workgroups report to the CPU: LLVM makes plain stores of
    /// relaxed atomic ones, so that nothing tells them from a race.
    pub(crate) watched: bool,
    /// What it is, for reports: `an allocation of 16 bytes`.
    pub(crate) description: String,
}

/// Finds the memory that kernels may use.
///
/// # Safety
///
/// A region is memory of this process that may be read, and written if it is `writable`, through atomics, until every launch that
/// was given this object has ended.
pub(crate) unsafe trait Memory: Sync {
    /// The region that holds an address.
    fn region(&self, address: u64) -> Option<Region>;

    /// Where an address outside all regions lies, for reports.
    fn describe(&self, address: u64) -> String {
        format!("{address:#x} is in no allocation")
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// Reads, writes or both at once, ordered with other atomic accesses to the same address.
    Atomic,
    /// A load that is ordered with atomic accesses.
    AtomicRead,
}

impl Access {
    #[inline(always)]
    pub(super) fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Atomic)
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read | Self::AtomicRead => "reads",
            Self::Write => "writes",
            Self::Atomic => "atomically updates",
        })
    }
}

/// A region that was used.
pub(crate) struct Known {
    region: Region,
    /// Who used it, if the launch watches for races.
    uses: Option<Arc<Uses>>,
}

impl Known {
    #[inline(always)]
    fn admits(&self, address: u64, size: u64, access: Access) -> bool {
        let Range { start, end } = self.region.addresses;
        start <= address
            && address <= end
            && size <= end.wrapping_sub(address)
            && (self.region.writable || !access.writes())
    }
}

/// A workgroup's view of global memory.
pub(crate) struct View<'m> {
    memory: &'m dyn Memory,
    /// The regions that were used; most kernels use a handful.
    known: Vec<Known>,
    /// The one used last.
    last: usize,
    races: Option<Races<'m>>,
    order: Order,
}

impl<'m> View<'m> {
    /// A view that begins with what another workgroup of the same launch has found.
    pub(crate) fn new(memory: &'m dyn Memory, races: Option<Races<'m>>, known: Vec<Known>) -> Self {
        Self { memory, known, last: 0, races, order: Order::default() }
    }

    /// What the next workgroup can begin with.
    pub(crate) fn into_known(self) -> Vec<Known> {
        self.known
    }

    /// Whether some bytes lie in a region that was used before and may be used so, which then is the last one.
    #[inline(always)]
    fn finds(&mut self, address: u64, size: u64, access: Access) -> bool {
        if self.known.get(self.last).is_some_and(|known| known.admits(address, size, access)) {
            return true;
        }
        let at = self.known.iter().position(|known| known.admits(address, size, access));
        self.last = at.unwrap_or(self.last);
        at.is_some()
    }

    /// Checks that `size` bytes at `address` lie in one region, which is writable if the access writes.
    #[inline(always)]
    fn check(&mut self, address: u64, size: u64, access: Access) -> Step {
        if self.finds(address, size, access) { Ok(()) } else { self.check_slowly(address, size, access) }
    }

    #[cold]
    fn check_slowly(&mut self, address: u64, size: u64, access: Access) -> Step {
        let contains = |known: &Known| known.region.addresses.contains(&address);
        if !self.known.iter().any(contains) {
            let Some(region) = self.memory.region(address) else {
                let place = self.memory.describe(address);
                return fail(FaultKind::OutOfBounds, format!("{access} {size} bytes at {place}"));
            };
            let uses = self.races.filter(|_| region.watched).map(|races| races.of(&region.addresses));
            self.known.push(Known { region, uses });
        }
        if self.finds(address, size, access) {
            return Ok(());
        }
        let Some(Known { region, .. }) = self.known.iter().find(|known| contains(known)) else {
            return fail(FaultKind::OutOfBounds, format!("{access} {size} bytes at {address:#x}"));
        };
        let place = address - region.addresses.start;
        let is_inside = size <= region.addresses.end - address;
        let why = if is_inside { ", which is read-only" } else { "" };
        let what = format!("{access} {size} bytes {place} bytes into {}{why}", region.description);
        fail(FaultKind::OutOfBounds, what)
    }

    /// Where to note uses of the region used last, and for whom, if that is wanted.
    #[inline(always)]
    fn uses(&self) -> Option<(&Uses, User<'_>)> {
        Some((self.known.get(self.last)?.uses.as_deref()?, self.races.as_ref()?.user(&self.order)))
    }

    /// The workgroup is about to update an address, and will be given the old value.
    pub(crate) fn arrives(&self, address: u64) {
        if let Some(races) = self.races {
            races.arrives(address);
        }
    }

    /// It was given the old value.
    pub(crate) fn sees(&mut self, address: u64) {
        if let Some(races) = self.races {
            races.sees(address, &mut self.order);
        }
    }

    /// The caches of the compute unit were emptied.
    pub(crate) fn invalidates(&mut self) {
        self.order.invalidates();
    }

    /// Checks an access of `size` bytes and notes it.
    #[inline(always)]
    fn admit(&mut self, address: u64, size: usize, access: Access) -> Step {
        self.check(address, size as u64, access)?;
        match self.uses() {
            Some((uses, user)) => uses.note(user, address, address + size as u64, access),
            None => Ok(()),
        }
    }

    /// As [`View::admit`], for each lane of a wave.
    #[inline(always)]
    fn admit_lanes<const N: usize>(&mut self, at: &Spread<'_, u64>, access: Access) -> Step {
        if !self.finds(at.low, at.extent(N), access) {
            // For the first use of a region, it must be looked up.
            self.check(at.low, N as u64, access).ok();
            if !self.finds(at.low, at.extent(N), access) {
                return self.admit_each(at, N, access);
            }
        }
        let Some((uses, user)) = self.uses() else { return Ok(()) };
        if at.runs(N, |start, end| uses.note(user, start, end, access))? {
            return Ok(());
        }
        for &address in at.addresses() {
            uses.note_small::<N>(user, address, access)?;
        }
        Ok(())
    }

    /// For lanes that use several regions, or none.
    #[inline(never)]
    fn admit_each(&mut self, at: &Spread<'_, u64>, size: usize, access: Access) -> Step {
        at.active().try_for_each(|(lane, address)| match self.admit(address, size, access) {
            Err(stop) => match *stop {
                Stop::Fault(fault) => fail(fault.kind, format!("lane {lane} {fault}")),
                stop => Err(Box::new(stop)),
            },
            fine => fine,
        })
    }

    /// Loads `N` bytes.
    #[inline(always)]
    pub(crate) fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Box<Stop>> {
        self.admit(address, N, Access::Read)?;
        // SAFETY: checked, and `Memory` promises that regions stay.
        Ok(unsafe { load(address) })
    }

    /// Stores `N` bytes.
    #[cfg(test)]
    pub(crate) fn store<const N: usize>(&mut self, address: u64, bytes: [u8; N]) -> Step {
        self.admit(address, N, Access::Write)?;
        // SAFETY: checked, the region is writable, and `Memory` promises that regions stay.
        unsafe { store(address, bytes) };
        Ok(())
    }

    /// Loads `N` bytes for each lane of a wave, into `W` registers; what lanes that are off get is of no value.
    #[inline(always)]
    pub(crate) fn load_lanes<const N: usize, const W: usize>(
        &mut self,
        at: &Spread<'_, u64>,
        access: Access,
        to: &mut [Row; W],
    ) -> Step {
        self.admit_lanes::<N>(at, access)?;
        // SAFETY: checked for every lane that is on, and the others repeat the address of one; `Memory` promises that regions stay.
        // `crate::unavailable` refuses CPUs without the instructions.
        if unsafe { pieces::load::<N, W, _>(at, to, |address| load_piece(address)) } {
            return Ok(());
        }
        let is_aligned = at.is_aligned(4);
        let addresses = at.addresses();
        let is_same = at.low == at.high;
        for lane in 0..if is_same { 1 } else { addresses.len().min(LANES) } {
            let address = addresses[lane];
            // SAFETY: checked for every lane that is on, and the others repeat the address of one; `Memory` promises that regions
            // stay. Words and halves are aligned.
            unsafe {
                match N {
                    1 => to[0][lane] = u32::from(load::<1>(address)[0]),
                    2 => to[0][lane] = u32::from(u16::from_le_bytes(load(address))),
                    _ if is_aligned => {
                        for (word, row) in to.iter_mut().enumerate() {
                            let from = (address as usize + word * 4) as *mut u32;
                            row[lane] = AtomicU32::from_ptr(from).load(Relaxed);
                        }
                    }
                    _ => {
                        for (word, row) in to.iter_mut().enumerate() {
                            row[lane] = u32::from_le_bytes(load(address + word as u64 * 4));
                        }
                    }
                }
            }
        }
        if is_same {
            for row in to {
                *row = [row[0]; LANES];
            }
        }
        Ok(())
    }

    /// Stores `N` bytes of each lane of a wave, from `W` registers; of parts of a register, those from the bit `shift` on.
    #[inline(always)]
    pub(crate) fn store_lanes<const N: usize, const W: usize>(
        &mut self,
        at: &Spread<'_, u64>,
        access: Access,
        from: [&Row; W],
        shift: u32,
    ) -> Step {
        self.admit_lanes::<N>(at, access)?;
        // SAFETY: as in `load_lanes`, and the region is writable.
        if unsafe { pieces::store::<N, W, _>(at, from, shift, |address, bytes| store_piece(address, bytes)) }
        {
            return Ok(());
        }
        let is_aligned = at.is_aligned(4);
        let store = |lane: usize, address: u64| {
            // SAFETY: checked for every lane that is on, the region is writable, and `Memory` promises that regions stay.
            unsafe {
                match N {
                    1 => store(address, [(from[0][lane] >> shift) as u8]),
                    2 => store(address, ((from[0][lane] >> shift) as u16).to_le_bytes()),
                    _ if is_aligned => {
                        for (word, row) in from.iter().enumerate() {
                            let to = (address as usize + word * 4) as *mut u32;
                            AtomicU32::from_ptr(to).store(row[lane], Relaxed);
                        }
                    }
                    _ => {
                        for (word, row) in from.iter().enumerate() {
                            store(address + word as u64 * 4, row[lane].to_le_bytes());
                        }
                    }
                }
            }
        };
        if at.is_full() {
            at.addresses().iter().enumerate().for_each(|(lane, &address)| store(lane, address));
        } else {
            at.active().for_each(|(lane, address)| store(lane, address));
        }
        Ok(())
    }

    /// Replaces a word by a function of it, at once; gives its old value.
    pub(crate) fn update32(&mut self, address: u64, f: impl Fn(u32) -> u32) -> Result<u32, Box<Stop>> {
        self.prepare_atomic(address, 4)?;
        // SAFETY: checked and aligned, and `Memory` promises that regions stay.
        let word = unsafe { AtomicU32::from_ptr(address as usize as *mut u32) };
        Ok(word.fetch_update(SeqCst, SeqCst, |old| Some(f(old))).unwrap_or_else(|old| old))
    }

    /// As [`View::update32`], for two words.
    pub(crate) fn update64(&mut self, address: u64, f: impl Fn(u64) -> u64) -> Result<u64, Box<Stop>> {
        self.prepare_atomic(address, 8)?;
        // SAFETY: checked and aligned, and `Memory` promises that regions stay.
        let word = unsafe { AtomicU64::from_ptr(address as usize as *mut u64) };
        Ok(word.fetch_update(SeqCst, SeqCst, |old| Some(f(old))).unwrap_or_else(|old| old))
    }

    fn prepare_atomic(&mut self, address: u64, size: usize) -> Step {
        if !address.is_multiple_of(size as u64) {
            return fail(
                FaultKind::Misaligned,
                format!("atomically updates {size} bytes at {address:#x}, which is not aligned"),
            );
        }
        self.admit(address, size, Access::Atomic)
    }
}

/// A load of 16 bytes. Other workgroups may write to them meanwhile, which Rust leaves undefined for loads of its own; the processor
/// reads every aligned word as a whole.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
unsafe fn load_piece(address: u64) -> __m128i {
    let bytes;
    // SAFETY: the caller's promise.
    unsafe {
        asm!("vmovdqu {}, [{}]", out(xmm_reg) bytes, in(reg) address, options(nostack, readonly, preserves_flags));
    }
    bytes
}

/// A store, as [`load_piece`].
///
/// # Safety
/// As for [`load`], and the region is writable.
#[inline(always)]
unsafe fn store_piece(address: u64, bytes: __m128i) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!("vmovdqu [{}], {}", in(reg) address, in(xmm_reg) bytes, options(nostack, preserves_flags))
    };
}

/// A load of memory that [`View::check`] has accepted. Other workgroups may write to it meanwhile, hence the atomics.
///
/// # Safety
/// The bytes are in a region, which exists until the launch has ended.
#[inline(always)]
unsafe fn load<const N: usize>(address: u64) -> [u8; N] {
    let mut bytes = [0; N];
    // SAFETY: the caller's promise; words and halves are aligned.
    unsafe {
        if N.is_multiple_of(4) && address.is_multiple_of(4) {
            for (at, four) in bytes.as_chunks_mut::<4>().0.iter_mut().enumerate() {
                let from = (address as usize + at * 4) as *mut u32;
                *four = AtomicU32::from_ptr(from).load(Relaxed).to_le_bytes();
            }
        } else if N == 2 && address.is_multiple_of(2) {
            let half = AtomicU16::from_ptr(address as usize as *mut u16).load(Relaxed);
            bytes.copy_from_slice(&half.to_le_bytes());
        } else {
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = AtomicU8::from_ptr((address as usize + at) as *mut u8).load(Relaxed);
            }
        }
    }
    bytes
}

/// A store, as [`load`].
///
/// # Safety
/// As for [`load`], and the region is writable.
#[inline(always)]
unsafe fn store<const N: usize>(address: u64, bytes: [u8; N]) {
    // SAFETY: the caller's promise; words and halves are aligned.
    unsafe {
        if N.is_multiple_of(4) && address.is_multiple_of(4) {
            for (at, four) in bytes.as_chunks::<4>().0.iter().enumerate() {
                let to = (address as usize + at * 4) as *mut u32;
                AtomicU32::from_ptr(to).store(u32::from_le_bytes(*four), Relaxed);
            }
        } else if N == 2 && address.is_multiple_of(2) {
            let half = u16::from_le_bytes([bytes[0], bytes[1]]);
            AtomicU16::from_ptr(address as usize as *mut u16).store(half, Relaxed);
        } else {
            for (at, byte) in bytes.into_iter().enumerate() {
                AtomicU8::from_ptr((address as usize + at) as *mut u8).store(byte, Relaxed);
            }
        }
    }
}
