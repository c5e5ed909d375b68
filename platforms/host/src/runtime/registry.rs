//! The registry of allocations, by address.
//!
//! Every allocation lies between two guard zones of a known pattern, so that a write outside it is found when it is
//! freed, at `hipDeviceSynchronize`, and at exit; AddressSanitizer is told about the zones too. Fresh memory is full
//! of [`FRESH`], never zero, so that reads of uninitialised memory show.

use super::device::Device;
use super::sanitizer;
use crate::processor::Fault;
use crate::system::{FRESH, PAGE, memory};
use rocm_sys::hip::hipError_t;
use std::alloc::Layout;
use std::collections::BTreeMap;
use std::ffi::c_uint;
use std::ops::Range;
use std::ptr;
use std::sync::{PoisonError, RwLock};

const FREED: u8 = 0xDD;
const GUARD_BYTE: u8 = 0xFB;
/// Alignment of allocations, and the minimum size of a guard zone.
pub(crate) const GUARD: usize = 256;

/// From this size on, memory comes from mappings, which on Linux cost nothing until they are touched.
const MAPPING_FROM: usize = 1 << 20;

/// Who owns an allocation.
#[derive(Clone, Copy)]
pub(crate) enum Owner {
    Device(&'static Device),
    /// Pinned host memory, and the flags it was made with.
    Host(&'static Device, c_uint),
    /// Host memory that the user allocated and registered.
    Registered(&'static Device, c_uint),
}

impl Owner {
    pub(crate) fn device(self) -> &'static Device {
        match self {
            Self::Device(device) | Self::Host(device, _) | Self::Registered(device, _) => device,
        }
    }
}

/// An allocation as users see it.
#[derive(Clone, Copy)]
pub(crate) struct Allocation {
    pub(crate) base: usize,
    pub(crate) size: usize,
    pub(crate) owner: Owner,
    block: Block,
}

/// The memory behind an allocation, guard zones included.
#[derive(Clone, Copy)]
struct Block {
    start: usize,
    len: usize,
    backing: Backing,
}

#[derive(Clone, Copy, PartialEq)]
enum Backing {
    Heap,
    Mapping,
    /// The user's.
    Foreign,
}

/// Keyed by the start of the block.
static ALLOCATIONS: RwLock<BTreeMap<usize, Allocation>> = RwLock::new(BTreeMap::new());

/// What kind of memory a range is in.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum MemoryKind {
    /// Host memory that HIP did not allocate.
    Pageable,
    Pinned,
    Device,
}

/// The kind of memory of `len` bytes at `address`. A range that leaves its allocation is an invalid value.
pub(crate) fn kind(address: usize, len: usize) -> Result<MemoryKind, hipError_t> {
    let Some(found) = enclosing(address) else { return Ok(MemoryKind::Pageable) };
    let inside = address >= found.base && len <= found.size && address - found.base <= found.size - len;
    if !inside {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    Ok(match found.owner {
        Owner::Device(_) => MemoryKind::Device,
        Owner::Host(..) | Owner::Registered(..) => MemoryKind::Pinned,
    })
}

/// The allocation that holds this byte.
pub(crate) fn find(address: usize) -> Option<Allocation> {
    enclosing(address).filter(|found| (found.base..found.base + found.size).contains(&address))
}

/// The allocation whose block, guard zones included, holds this byte.
fn enclosing(address: usize) -> Option<Allocation> {
    let allocations = ALLOCATIONS.read().unwrap_or_else(PoisonError::into_inner);
    let (_, &found) = allocations.range(..=address).next_back()?;
    (address < found.block.start + found.block.len).then_some(found)
}

/// Memory of a device, or pinned memory of the program.
pub struct Found {
    /// Its bytes.
    pub addresses: Range<usize>,
    /// Whether it is the program's.
    pub is_host: bool,
}

/// The allocation that holds an address.
pub fn allocation(address: usize) -> Option<Found> {
    find(address).map(|found| Found {
        addresses: found.base..found.base + found.size,
        is_host: !matches!(found.owner, Owner::Device(_)),
    })
}

/// Where an address is relative to the nearest allocation, for reports of invalid accesses.
pub fn describe(address: usize) -> Option<String> {
    let found = enclosing(address)?;
    let owner = match found.owner {
        Owner::Device(device) => format!("memory of device {}", device.ordinal),
        Owner::Host(..) | Owner::Registered(..) => "pinned host memory".to_owned(),
    };
    let end = found.base + found.size;
    let relation = if address < found.base {
        format!("{} bytes before the start of", found.base - address)
    } else if address >= end {
        format!("{} bytes past the end of", address - end)
    } else {
        format!("{} bytes into", address - found.base)
    };
    Some(format!("{relation} an allocation of {} bytes of {owner}", found.size))
}

/// Allocates for a device or pinned on the host. The address is a multiple of 256.
pub(crate) fn allocate(owner: Owner, size: usize) -> Result<usize, hipError_t> {
    let charged = charge(owner, size)?;
    let Some((block, base)) = obtain(size) else {
        owner.device().release(charged);
        return Err(hipError_t::hipErrorOutOfMemory);
    };
    let allocation = Allocation { base, size, owner, block };
    for (start, len) in allocation.guards() {
        // SAFETY: a guard zone of the block that was just obtained.
        unsafe { ptr::write_bytes(start as *mut u8, GUARD_BYTE, len) };
        sanitizer::poison(start, len);
    }
    ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner).insert(block.start, allocation);
    Ok(base)
}

/// Registers memory of the user. Host memory may be registered again as a whole, which changes nothing: unregistering it once is
/// enough.
pub(crate) fn register(owner: Owner, base: usize, size: usize) -> Result<(), hipError_t> {
    let end = base.checked_add(size).ok_or(hipError_t::hipErrorInvalidValue)?;
    let mut allocations = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    let before = allocations.range(..end).next_back();
    if let Some((_, found)) = before.filter(|(_, found)| found.block.start + found.block.len > base) {
        let of_the_user = matches!((owner, found.owner), (Owner::Registered(..), Owner::Registered(..)));
        let again = of_the_user && (found.base, found.size) == (base, size);
        return if again { Ok(()) } else { Err(hipError_t::hipErrorHostMemoryAlreadyRegistered) };
    }
    let block = Block { start: base, len: size, backing: Backing::Foreign };
    allocations.insert(base, Allocation { base, size, owner, block });
    Ok(())
}

/// Memory of a module's variables, which programs may copy from and to, until it is dropped.
pub struct Variables(usize);

impl Variables {
    /// Makes memory known as that of a device's variables. `None` if it is known already, or there is no such device.
    ///
    /// # Safety
    /// The memory may be read and written through raw pointers until the value is dropped.
    pub unsafe fn new(ordinal: usize, address: usize, size: usize) -> Option<Self> {
        let device = super::device::all().get(ordinal)?;
        register(Owner::Device(device), address, size).ok().map(|()| Self(address))
    }
}

impl Drop for Variables {
    fn drop(&mut self) {
        // It was registered, and nobody frees what is not an allocation of its own.
        let _ = free(self.0, |_| true);
    }
}

/// Frees the allocation that starts at `base`, if `expected` accepts its owner.
pub(crate) fn free(base: usize, expected: impl FnOnce(Owner) -> bool) -> Result<(), hipError_t> {
    let mut allocations = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    let found = allocations.range(..=base).next_back().map(|(_, &found)| found);
    let found = found.filter(|found| found.base == base && expected(found.owner));
    let found = found.ok_or(hipError_t::hipErrorInvalidValue)?;
    allocations.remove(&found.block.start);
    drop(allocations);
    found.give_back();
    Ok(())
}

/// Frees everything of a device, for `hipDeviceReset`.
pub(crate) fn free_all(device: &Device) {
    let mut allocations = ALLOCATIONS.write().unwrap_or_else(PoisonError::into_inner);
    let mut gone = Vec::new();
    allocations.retain(|_, found| {
        let stays = found.owner.device().ordinal != device.ordinal;
        if !stays {
            gone.push(*found);
        }
        stays
    });
    drop(allocations);
    gone.iter().for_each(Allocation::give_back);
}

/// Checks the guard zones of all allocations of a device. A damaged one is a fault of the device.
pub(crate) fn check_guards(device: &Device) {
    let allocations = ALLOCATIONS.read().unwrap_or_else(PoisonError::into_inner);
    let of_device = allocations.values().filter(|found| found.owner.device().ordinal == device.ordinal);
    of_device.for_each(Allocation::check_guards);
}

/// [`check_guards`] when the process exits. Never waits, as another thread may hold the lock forever.
pub(crate) fn check_guards_at_exit() {
    if let Ok(allocations) = ALLOCATIONS.try_read() {
        allocations.values().for_each(Allocation::check_guards);
    }
}

impl Allocation {
    /// The guard zones: start and length.
    fn guards(&self) -> [(usize, usize); 2] {
        if self.block.backing == Backing::Foreign {
            return [(self.base, 0); 2];
        }
        let end = self.base + self.size;
        [(self.base - GUARD, GUARD), (end, self.size.next_multiple_of(GUARD) - self.size + GUARD)]
    }

    fn check_guards(&self) {
        for (start, len) in self.guards() {
            // Volatile byte by byte: the zone may be poisoned, and what the standard library would call is checked.
            // SAFETY: the zone belongs to the block.
            let damaged = |at: &usize| unsafe { ptr::read_volatile(*at as *const u8) } != GUARD_BYTE;
            let Some(first) = (start..start + len).find(damaged) else { continue };
            let count = (start..start + len).filter(damaged).count();
            self.report(first, count);
            sanitizer::unpoison(start, len);
            // SAFETY: the zone belongs to the block, and nothing else uses it.
            unsafe { ptr::write_bytes(start as *mut u8, GUARD_BYTE, len) };
            sanitizer::poison(start, len);
        }
    }

    fn report(&self, first: usize, count: usize) {
        let position = if first < self.base {
            format!("{} bytes before its start", self.base - first)
        } else {
            format!("{} bytes past its end", first - (self.base + self.size))
        };
        let size = self.size;
        let fault = Fault::new(
            hipError_t::hipErrorIllegalAddress,
            format!("{count} bytes were written outside an allocation of {size} bytes, the first {position}"),
        );
        self.owner.device().fail("guard zone", &fault);
    }

    fn give_back(&self) {
        self.check_guards();
        for (start, len) in self.guards() {
            sanitizer::unpoison(start, len);
        }
        let start = self.block.start as *mut u8;
        match self.block.backing {
            Backing::Heap => {
                // SAFETY: the block came from `alloc` with this layout and is in no registry any more.
                unsafe {
                    ptr::write_bytes(start, FREED, self.block.len);
                    std::alloc::dealloc(start, Layout::from_size_align_unchecked(self.block.len, GUARD));
                }
            }
            // SAFETY: the block is one mapping of this length and is in no registry any more.
            Backing::Mapping => unsafe { memory::unmap(self.block.start, self.block.len) },
            Backing::Foreign => {}
        }
        if let Owner::Device(device) = self.owner
            && self.block.backing != Backing::Foreign
        {
            device.release(self.size.next_multiple_of(GUARD));
        }
    }
}

/// Counts the allocation against the device's memory. Returns the bytes to release if it fails.
fn charge(owner: Owner, size: usize) -> Result<usize, hipError_t> {
    let rounded = size.checked_next_multiple_of(GUARD).ok_or(hipError_t::hipErrorOutOfMemory)?;
    match owner {
        Owner::Device(device) => device.reserve(rounded).map(|()| rounded),
        Owner::Host(..) | Owner::Registered(..) => Ok(0),
    }
}

/// A block for `size` bytes, filled with [`FRESH`], and the address of the first of them.
fn obtain(size: usize) -> Option<(Block, usize)> {
    let padded = size.checked_next_multiple_of(GUARD)?.checked_add(GUARD)?;
    if size < MAPPING_FROM {
        let len = padded + GUARD;
        let layout = Layout::from_size_align(len, GUARD).ok()?;
        // SAFETY: the layout is not empty.
        let start = unsafe { std::alloc::alloc(layout) };
        if start.is_null() {
            return None;
        }
        // SAFETY: the block was just allocated with this length.
        unsafe { ptr::write_bytes(start, FRESH, len) };
        return Some((Block { start: start as usize, len, backing: Backing::Heap }, start as usize + GUARD));
    }
    let len = padded.checked_next_multiple_of(PAGE)?.checked_add(PAGE)?;
    let start = memory::map_fresh(len)?;
    Some((Block { start, len, backing: Backing::Mapping }, start + PAGE))
}
