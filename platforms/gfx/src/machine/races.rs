//! Data races between workgroups: two use the same bytes, one writes, and nothing orders them.
//!
//! What one workgroup of a launch writes, another must neither read nor write, unless it [comes after it](super::order). What is updated
//! by atomic instructions alone may be read: LLVM begins loops of compare-and-swap with a plain load.
//! The last writer and the last reader of every word are kept, and a user is compared with them. Where a third one intervened, a
//! race can be missed, but what is reported is one.
//!
//! Most workgroups use whole lines of 64 bytes. Such uses are kept for the line, as those of its four quarters; what cannot be told
//! that way makes the line *split*: from then on its words count.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::memory::Access;
use super::order::{Arrivals, Order};
use crate::fault::{FaultKind, Step, fail};

/// Who used which parts of something: 27 bits of user, a bit for atomic accesses, 4 bits of parts.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Use(u32);

/// More than one user.
const SEVERAL: u32 = (1 << 27) - 1;

impl Use {
    fn new(user: u32, is_atomic: bool, parts: u32) -> Self {
        Self(user << 5 | u32::from(is_atomic) << 4 | parts)
    }

    fn user(self) -> u32 {
        self.0 >> 5
    }

    fn is_atomic(self) -> bool {
        self.0 & 16 != 0
    }

    fn parts(self) -> u32 {
        self.0 & 15
    }

    /// Whether someone else used any of these parts.
    #[inline(always)]
    fn differs(self, user: u32, parts: u32) -> bool {
        self.0 & parts != 0 && self.user() != user
    }

    /// Whether this user, or someone before it, is known to have used all these parts.
    #[inline(always)]
    fn covers(self, parts: u32) -> bool {
        self.0 & parts == parts
    }
}

/// A workgroup that uses memory.
#[derive(Clone, Copy)]
pub(crate) struct User<'a> {
    number: u32,
    order: &'a Order,
}

impl User<'_> {
    /// Whether somebody else used any of these parts, in no order with this user.
    #[inline(always)]
    fn conflicts(self, its: Use, parts: u32) -> bool {
        its.differs(self.number, parts) && !self.order.is_after(its.user())
    }
}

/// The last writer (upper half) and the last reader of a word's four bytes, or of a line's four quarters.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Entry(u64);

/// Marks a line whose words count.
const SPLIT: Entry = Entry(u64::MAX);

impl Entry {
    fn new(writer: Use, reader: Use) -> Self {
        Self(u64::from(writer.0) << 32 | u64::from(reader.0))
    }

    fn writer(self) -> Use {
        Use((self.0 >> 32) as u32)
    }

    fn reader(self) -> Use {
        Use(self.0 as u32)
    }

    /// Whether a use is fine, and changes nothing. Never so for [`SPLIT`].
    #[inline(always)]
    fn has(self, user: u32, parts: u32, access: Access) -> bool {
        let (writer, reader) = (self.writer(), self.reader());
        match access {
            Access::Read => {
                (!writer.differs(user, parts) || writer.is_atomic())
                    && reader.covers(parts)
                    && (reader.user() == user || reader.user() == SEVERAL)
            }
            Access::Write => {
                writer.covers(parts)
                    && writer.user() == user
                    && !writer.is_atomic()
                    && !reader.differs(user, parts)
            }
            Access::Atomic | Access::AtomicRead => false,
        }
    }

    /// The entry after a use and whether it tells everything, or the user that it conflicts with.
    #[inline(always)]
    fn after(self, by: User<'_>, parts: u32, access: Access) -> Result<(Self, bool), u32> {
        let (writer, reader) = (self.writer(), self.reader());
        let user = by.number;
        // Atomics conflict with plain writes only: LLVM begins a loop of compare-and-swap with a plain load.
        if by.conflicts(writer, parts) && (access == Access::Write || !writer.is_atomic()) {
            return Err(writer.user());
        }
        if access == Access::Write && by.conflicts(reader, parts) {
            return Err(reader.user());
        }
        let is_mine = |its: Use| its.parts() == 0 || its.user() == user;
        Ok(match access {
            Access::Read => {
                let (reader, all) = match reader.parts() & parts {
                    _ if is_mine(reader) => (Use::new(user, false, reader.parts() | parts), true),
                    _ if reader.user() == SEVERAL => (reader, reader.covers(parts)),
                    0 => (Use::new(user, false, parts), false),
                    both => (Use::new(SEVERAL, false, both), reader.parts() == parts),
                };
                (Self::new(writer, reader), all)
            }
            Access::Write => {
                let (before, all) = match is_mine(writer) {
                    true if !writer.is_atomic() => (writer.parts(), true),
                    // What it updated atomically, others may still read.
                    true => (0, writer.parts() & !parts == 0),
                    false => (0, false),
                };
                (Self::new(Use::new(user, false, before | parts), reader), all)
            }
            Access::Atomic => {
                let (writer, all) = match writer.is_atomic() || writer.parts() == 0 {
                    true if is_mine(writer) => (Use::new(user, true, writer.parts() | parts), true),
                    true => (Use::new(SEVERAL, true, writer.parts() | parts), true),
                    // Its own plain use says more.
                    false if is_mine(writer) => (writer, writer.covers(parts)),
                    false => (Use::new(user, true, parts), false),
                };
                (Self::new(writer, reader), all)
            }
            Access::AtomicRead => (self, true),
        })
    }
}

const LINE: u64 = 64;
const WORDS: u64 = LINE / 4;
/// Bytes whose uses are kept together. Most launches use little of a region, and what they do not use costs them nothing.
const PAGE: u64 = 4096;
const LINES: u64 = PAGE / LINE;

/// The uses of one region.
pub(crate) struct Uses {
    /// The number of its first page.
    first: u64,
    pages: Box<[OnceLock<Box<Page>>]>,
}

/// The uses of a page.
struct Page {
    lines: [AtomicU64; LINES as usize],
    /// From the first line on that is split.
    words: OnceLock<Box<[AtomicU64]>>,
}

impl Page {
    fn new() -> Box<Self> {
        Box::new(Self { lines: [const { AtomicU64::new(0) }; LINES as usize], words: OnceLock::new() })
    }

    /// The line that an address is in.
    #[inline(always)]
    fn line(&self, address: u64) -> &AtomicU64 {
        &self.lines[(address / LINE % LINES) as usize]
    }

    /// The words of the line that an address is in.
    #[inline(always)]
    fn words(&self, address: u64) -> &[AtomicU64] {
        let words = self.words.get_or_init(|| zeros(LINES * WORDS));
        &words[(address / LINE % LINES * WORDS) as usize..][..WORDS as usize]
    }
}

impl Uses {
    fn new(region: &Range<u64>) -> Self {
        let first = region.start / PAGE;
        let pages = region.end.div_ceil(PAGE) - first;
        Self { first, pages: (0..pages).map(|_| OnceLock::new()).collect() }
    }

    /// The page that an address is in.
    #[inline(always)]
    fn page(&self, address: u64) -> &Page {
        self.pages[(address / PAGE - self.first) as usize].get_or_init(Page::new)
    }

    /// Notes that a user accesses the bytes from `start` to `end` of the region, one at least.
    #[inline(always)]
    pub(crate) fn note(&self, by: User<'_>, start: u64, end: u64, access: Access) -> Step {
        let mut from = start;
        while from < end {
            let to = end.min((from / LINE + 1) * LINE);
            let (page, parts) = (self.page(from), parts(from, to, LINE));
            let old = Entry(page.line(from).load(Acquire));
            if old == SPLIT {
                page.note_words(by, from..to, access)?;
            } else if !old.has(by.number, parts, access) {
                page.note_line(by, from..to, access)?;
            }
            from = to;
        }
        Ok(())
    }

    /// As [`Uses::note`], for `N` bytes, up to 16: without much ado if nothing changes.
    #[inline(always)]
    pub(crate) fn note_small<const N: usize>(&self, by: User<'_>, address: u64, access: Access) -> Step {
        let end = address + N as u64;
        if (address % LINE) as usize + N <= LINE as usize {
            let page = self.page(address);
            let line = Entry(page.line(address).load(Acquire));
            if line == SPLIT {
                return page.note_words(by, address..end, access);
            }
            if line.has(by.number, parts(address, end, LINE), access) {
                return Ok(());
            }
            return page.note_line(by, address..end, access);
        }
        self.note_lines(by, address, end, access)
    }

    /// As [`Uses::note`], not inlined.
    #[inline(never)]
    fn note_lines(&self, by: User<'_>, start: u64, end: u64, access: Access) -> Step {
        self.note(by, start, end, access)
    }
}

impl Page {
    /// Notes an access to bytes of one line.
    #[inline(never)]
    fn note_line(&self, by: User<'_>, bytes: Range<u64>, access: Access) -> Step {
        let line = self.line(bytes.start);
        let is_whole = bytes.start.is_multiple_of(16) && bytes.end.is_multiple_of(16);
        let parts = parts(bytes.start, bytes.end, LINE);
        loop {
            let old = Entry(line.load(Acquire));
            if old == SPLIT {
                return self.note_words(by, bytes, access);
            }
            let new = match old.after(by, parts, access) {
                Ok((new, _)) if new == old => return Ok(()),
                Ok((new, true)) if is_whole => new,
                Ok(_) => {
                    self.split(bytes.start, old);
                    SPLIT
                }
                Err(other) => return race(by.number, other, bytes.start),
            };
            if line.compare_exchange_weak(old.0, new.0, AcqRel, Acquire).is_ok() && new != SPLIT {
                return Ok(());
            }
        }
    }

    /// Writes what is known of the line that an address is in to its words.
    fn split(&self, address: u64, line: Entry) {
        let whole = |its: Use, quarter: usize| match its.parts() >> quarter & 1 {
            0 => Use(0),
            _ => Use::new(its.user(), its.is_atomic(), 15),
        };
        for (at, word) in self.words(address).iter().enumerate() {
            let entry = Entry::new(whole(line.writer(), at / 4), whole(line.reader(), at / 4));
            // Where it is not zero, another thread has split the line at the same time.
            let _ = word.compare_exchange(0, entry.0, AcqRel, Acquire);
        }
    }

    /// Notes an access to bytes of a line that is split.
    #[inline(always)]
    fn note_words(&self, by: User<'_>, bytes: Range<u64>, access: Access) -> Step {
        let words = self.words(bytes.start);
        let mut from = bytes.start;
        while from < bytes.end {
            let to = bytes.end.min((from / 4 + 1) * 4);
            let parts = parts(from, to, 4);
            let word = &words[(from / 4 % WORDS) as usize];
            if !Entry(word.load(Acquire)).has(by.number, parts, access) {
                note_word(word, by, from, parts, access)?;
            }
            from = to;
        }
        Ok(())
    }
}

#[inline(never)]
fn note_word(word: &AtomicU64, by: User<'_>, address: u64, parts: u32, access: Access) -> Step {
    loop {
        let old = Entry(word.load(Acquire));
        match old.after(by, parts, access) {
            Ok((new, _)) if new == old => return Ok(()),
            Ok((new, _)) => {
                if word.compare_exchange_weak(old.0, new.0, AcqRel, Acquire).is_ok() {
                    return Ok(());
                }
            }
            Err(other) => return race(by.number, other, address),
        }
    }
}

/// Which quarter of the piece of `size` bytes around it a byte is in.
#[inline(always)]
fn part(address: u64, size: u64) -> u32 {
    (address % size / (size / 4)) as u32
}

/// A bit for each quarter of a piece of `size` bytes that the bytes from `start` to `end` of it touch.
#[inline(always)]
fn parts(start: u64, end: u64, size: u64) -> u32 {
    (15 << part(start, size)) & (15 >> (3 - part(end - 1, size)))
}

/// Zeroed memory, which costs nothing until it is touched.
fn zeros(len: u64) -> Box<[AtomicU64]> {
    let zeros = Box::into_raw(vec![0_u64; len as usize].into_boxed_slice());
    // SAFETY: it came from a box, and `AtomicU64` has the layout of `u64` (a multiple of 8 bytes, as this runs on x86-64 only).
    unsafe { Box::from_raw(zeros as *mut [AtomicU64]) }
}

/// The uses of global memory by all workgroups of a launch.
#[derive(Default)]
pub(crate) struct Shadow {
    regions: Mutex<HashMap<u64, Arc<Uses>>>,
    arrivals: Arrivals,
}

/// What a workgroup needs to have its uses of global memory noted.
#[derive(Clone, Copy)]
pub(crate) struct Races<'m> {
    shadow: &'m Shadow,
    user: u32,
}

impl<'m> Races<'m> {
    /// For the workgroup with this number.
    pub(crate) fn new(shadow: &'m Shadow, workgroup: u64) -> Self {
        Self { shadow, user: 1 + (workgroup % u64::from(SEVERAL - 1)) as u32 }
    }

    /// It, with what is known of its order.
    #[inline(always)]
    pub(crate) fn user(self, order: &Order) -> User<'_> {
        User { number: self.user, order }
    }

    /// It is about to update an address.
    pub(crate) fn arrives(self, address: u64) {
        self.shadow.arrivals.arrives(self.user, address);
    }

    /// It has updated an address.
    pub(crate) fn sees(self, address: u64, order: &mut Order) {
        order.sees(&self.shadow.arrivals, address);
    }

    /// The uses of a region.
    pub(crate) fn of(&self, region: &Range<u64>) -> Arc<Uses> {
        let mut regions = self.shadow.regions.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(regions.entry(region.start).or_insert_with(|| Arc::new(Uses::new(region))))
    }
}

#[cold]
fn race(user: u32, other: u32, address: u64) -> Step {
    let other = match other {
        SEVERAL => "others".to_owned(),
        number => format!("workgroup {}", number - 1),
    };
    fail(
        FaultKind::Race,
        format!(
            "workgroup {} and {other} both use the memory at {address:#x}, one of them writes, and nothing orders them",
            user - 1
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::Access::{Atomic, AtomicRead, Read, Write};
    use super::*;

    /// Whether these uses, each by a workgroup, of addresses from 4096 on, are free of races.
    fn uses(list: &[(u64, Range<u64>, Access)]) -> bool {
        let shadow = Shadow::default();
        let region = 4096..8192;
        list.iter().all(|(workgroup, bytes, access)| {
            let races = Races::new(&shadow, *workgroup);
            races
                .of(&region)
                .note(races.user(&Order::default()), 4096 + bytes.start, 4096 + bytes.end, *access)
                .is_ok()
        })
    }

    #[test]
    fn parts() {
        assert_eq!([8, 9, 11].map(|address| part(address, 4)), [0, 1, 3]);
        assert_eq!([64, 79, 80, 127].map(|address| part(address, 64)), [0, 0, 1, 3]);
        assert_eq!(
            [super::parts(9, 11, 4), super::parts(64, 128, 64), super::parts(80, 112, 64)],
            [6, 15, 6]
        );
    }

    #[test]
    fn words() {
        assert!(uses(&[(0, 0..4, Write), (0, 0..4, Read), (0, 0..4, Write)]), "one alone");
        assert!(uses(&[(0, 0..4, Read), (1, 0..4, Read), (2, 2..3, Read)]), "readers");
        assert!(uses(&[(0, 0..1, Write), (1, 1..2, Write), (2, 2..4, Write)]), "different bytes");
        assert!(uses(&[(0, 0..2, Read), (1, 2..4, Read), (0, 0..2, Write), (1, 2..4, Write)]), "in place");
        assert!(!uses(&[(0, 0..4, Write), (1, 0..4, Read)]));
        assert!(!uses(&[(0, 0..4, Write), (1, 3..4, Write)]));
        assert!(!uses(&[(0, 0..4, Read), (1, 0..4, Write)]));
        assert!(!uses(&[(0, 0..4, Read), (1, 0..4, Read), (1, 0..4, Write)]), "one of several readers");
    }

    #[test]
    fn atomics() {
        assert!(uses(&[(0, 0..4, Atomic), (1, 0..4, Atomic), (0, 0..4, Atomic)]));
        assert!(uses(&[(0, 0..4, Atomic), (0, 0..4, Read), (0, 0..4, Write)]), "one alone");
        assert!(uses(&[(0, 0..4, Atomic), (1, 0..4, AtomicRead), (1, 0..4, Atomic)]));
        assert!(uses(&[(0, 0..4, Atomic), (1, 0..4, Read), (1, 0..4, Atomic)]), "compare and swap");
        assert!(!uses(&[(0, 0..4, Write), (1, 0..4, Atomic)]));
        assert!(!uses(&[(0, 0..4, Write), (1, 0..4, AtomicRead)]));
        assert!(!uses(&[(0, 0..4, Atomic), (1, 0..4, Write)]));
    }

    #[test]
    fn lines() {
        assert!(uses(&[(0, 0..64, Write), (1, 64..128, Write), (0, 0..64, Read)]));
        assert!(uses(&[(0, 0..256, Read), (1, 0..256, Read), (2, 128..130, Read)]));
        assert!(uses(&[(0, 0..72, Write), (1, 72..128, Write), (0, 64..72, Read)]), "a line of two");
        assert!(
            uses(&[(0, 0..16, Read), (1, 16..32, Read), (0, 0..16, Write), (1, 16..32, Write)]),
            "quarters"
        );
        assert!(uses(&[(0, 0..32, Read), (1, 16..48, Read), (0, 0..16, Write), (1, 32..48, Write)]));
        assert!(!uses(&[(0, 0..64, Write), (1, 60..64, Read)]));
        assert!(!uses(&[(0, 0..32, Read), (1, 16..48, Read), (0, 16..20, Write)]));
        assert!(!uses(&[(0, 0..72, Write), (1, 72..128, Write), (1, 68..76, Read)]));
        assert!(!uses(&[(0, 16..48, Write), (1, 0..64, Read)]));
    }

    #[test]
    fn ordered() {
        let shadow = Shadow::default();
        let [first, second, third] = [0, 1, 2].map(|workgroup| Races::new(&shadow, workgroup));
        let uses = first.of(&(4096..8192));
        let (none, mut order) = (Order::default(), Order::default());
        let note = |races: Races<'_>, order: &Order, bytes: Range<u64>, access| {
            uses.note(races.user(order), 4096 + bytes.start, 4096 + bytes.end, access).is_ok()
        };
        assert!(note(first, &none, 0..64, Write) && note(third, &none, 64..128, Write));
        first.arrives(6000);
        second.arrives(6000);
        second.sees(6000, &mut order);
        assert!(!note(second, &order, 0..4, Read), "nothing was invalidated");
        order.invalidates();
        assert!(note(second, &order, 0..4, Read) && !note(second, &order, 4..68, Read));
        assert!(note(second, &order, 8..16, Write) && note(second, &order, 0..64, Write));
        assert!(!note(third, &none, 8..12, Read) && !note(first, &none, 8..12, Read));
    }

    /// Against a slow detector that forgets nothing: what is reported is a race.
    #[test]
    fn reports_are_true() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut found = 0;
        for _ in 0..20_000 {
            let shadow = Shadow::default();
            let mut history: Vec<(u64, Range<u64>, Access)> = Vec::new();
            for _ in 0..12 {
                let workgroup = random.u64(..3);
                let access = [Read, Read, Write, Atomic][random.usize(..4)];
                let size = if access == Atomic { 4 } else { 1 << random.u64(..8) };
                let unit = size.min(1 << random.u64(..5)).max(if access == Atomic { 4 } else { 1 });
                let start = 4096 + random.u64(..128 / unit) * unit;
                let bytes = start..start + size;
                let races = Races::new(&shadow, workgroup);
                let is_race = history.iter().any(|(other, others, its)| {
                    *other != workgroup
                        && others.start < bytes.end
                        && bytes.start < others.end
                        && (access == Write || *its == Write)
                });
                let order = Order::default();
                let step = races.of(&(4096..8192)).note(races.user(&order), bytes.start, bytes.end, access);
                if step.is_err() {
                    assert!(is_race, "{history:?}, {workgroup} {bytes:?} {access:?}");
                    found += 1;
                }
                if is_race {
                    break;
                }
                history.push((workgroup, bytes, access));
            }
        }
        assert!(found > 12_000, "found only {found} races");
    }
}
