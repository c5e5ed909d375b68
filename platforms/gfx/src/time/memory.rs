//! The levels of memory behind the registers of a unit.
//!
//! The caches of the unit hold the lines that it used. Of what all units share - the L1 of a shader array, the L2, the Infinity Cache,
//! the memory - the unit has an even share, of the bandwidth and of the room. What other units load is not executed; how much of it the
//! unit finds in the shared caches follows from how many workgroups use the same lines ([`super::trace::Use`]).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rocm_kernels::cards::{Cache, Card, Figure};

use super::cache::Tags;
use super::trace::{PIECE, Use};

/// What a launch finds in the caches that all units share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data<'f> {
    /// What the same launch left there: benchmarks repeat launches.
    Warm,
    /// Nothing of what it uses.
    Cold,
    /// This of each of the allocations that it uses, in the order of its trace.
    Each(&'f [Found]),
}

/// What the caches that all units share hold of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Found {
    /// Whether the L2 holds all of it.
    in_l2: bool,
    /// The part that the Infinity Cache holds of what the L2 does not, of [`WHOLE`].
    in_infinity: u32,
}

/// All of an allocation.
const WHOLE: u32 = 1 << 20;

impl Found {
    const NOTHING: Self = Self { in_l2: false, in_infinity: 0 };

    /// Of what is used again when so many bytes have been touched, itself included.
    pub(super) fn new(card: &Card, bytes: u64) -> Self {
        let in_infinity = card.infinity.map_or(0., |cache| kept(bytes, cache.size));
        Self { in_l2: kept(bytes, card.l2.size) == 1., in_infinity: (in_infinity * f64::from(WHOLE)) as u32 }
    }
}

/// The unit of time: so many are a cycle.
pub(super) const TICKS: u64 = 1024;

const PRECISION: u64 = 1 << 20;

/// Something that serves one request after the other.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Server {
    free: u64,
    /// How long it was busy.
    pub(super) busy: u64,
}

impl Server {
    /// When a request of time `now` is served, for which it is busy for `ticks`.
    pub(super) fn serve(&mut self, now: u64, ticks: u64) -> u64 {
        let start = self.free.max(now);
        self.free = start + ticks;
        self.busy += ticks;
        start
    }

    /// Serves nothing before `until`.
    fn hold(&mut self, until: u64) {
        self.free = self.free.max(until);
    }
}

/// What an L0 has asked for and does not have yet.
#[derive(Clone, Debug)]
struct Misses {
    most: usize,
    under_way: BinaryHeap<Reverse<u64>>,
}

impl Misses {
    /// When there is room for one more.
    fn admit(&mut self, now: u64) -> u64 {
        while self.under_way.peek().is_some_and(|Reverse(due)| *due <= now) {
            self.under_way.pop();
        }
        if self.under_way.len() < self.most {
            return now;
        }
        self.under_way.pop().map_or(now, |Reverse(due)| due.max(now))
    }
}

/// A level that all units share.
#[derive(Clone, Debug)]
struct Shared {
    latency: u64,
    /// Ticks for each byte, times [`PRECISION`].
    ticks: u64,
    server: Server,
}

impl Shared {
    fn new(cache: &Cache, card: &Card, units: f64) -> Self {
        let per_cycle = cache.bandwidth.value * 1e3 / card.clock.value / units;
        Self {
            latency: ns(&cache.latency, card),
            ticks: (TICKS as f64 / per_cycle * PRECISION as f64) as u64,
            server: Server::default(),
        }
    }

    /// When a request for so many bytes is served.
    fn serve(&mut self, now: u64, bytes: u64) -> u64 {
        self.server.serve(now, self.ticks * bytes / PRECISION)
    }
}

fn ns(figure: &Figure, card: &Card) -> u64 {
    (figure.value * card.clock.value * 1e-3 * TICKS as f64) as u64
}

fn cycles(figure: &Figure) -> u64 {
    (figure.value * TICKS as f64) as u64
}

/// A share of requests: those for which `take` is true.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    owed: f64,
}

impl Share {
    fn take(&mut self, share: f64) -> bool {
        self.owed += share;
        let is_one = self.owed >= 1. - 1e-9;
        self.owed -= f64::from(u8::from(is_one));
        is_one
    }
}

/// The cache of a compute unit or a shader array.
#[derive(Clone, Debug)]
struct Own {
    tags: Tags,
    latency: u64,
    /// Ticks for a line.
    ticks: u64,
    server: Server,
}

impl Own {
    /// With so many compute units, each of which gets the cache's bandwidth.
    fn new(cache: &Cache, size: u64, line: u64, cus: usize) -> Self {
        let ticks = (line as f64 / (cache.bandwidth.value * cus as f64) * TICKS as f64) as u64;
        Self {
            tags: Tags::new(size / line),
            latency: cycles(&cache.latency),
            ticks,
            server: Server::default(),
        }
    }
}

/// The memory as a unit sees it.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    scalar: Own,
    /// Of each compute unit of the unit.
    l0: Vec<Own>,
    misses: Vec<Misses>,
    l1: Option<Own>,
    l2: Shared,
    /// The lines that the unit finds in the L2, as multiples of its line.
    l2_tags: Tags,
    infinity: Option<Shared>,
    memory: Shared,
    /// Pieces of the lines of the L0 and of those behind it.
    pieces: [u64; 2],
    /// How often the first use of a line is not the first by any unit, and where it is then.
    uses: Vec<(Use, Found, Share)>,
    from_infinity: Share,
}

/// The part of `bytes` that is still in a cache when they are used again, one after the other, where it drops what was used least
/// recently: all of it if they fit, and nothing from one and a half times its size on, as sets do not fill evenly.
fn kept(bytes: u64, size: u64) -> f64 {
    if size == 0 { 0. } else { (3. - 2. * bytes as f64 / size as f64).clamp(0., 1.) }
}

impl Memory {
    /// For one of `units` units that are equally busy.
    pub(super) fn new(card: &Card, uses: &[Use], units: f64, cus: usize, data: Data<'_>) -> Self {
        let line = card.l0.line;
        let bytes: u64 = uses.iter().map(|of| of.bytes).sum();
        let found = |at: usize| match data {
            Data::Warm => Found::new(card, bytes),
            Data::Cold => Found::NOTHING,
            Data::Each(found) => found.get(at).copied().unwrap_or(Found::NOTHING),
        };
        let arrays = card.l1.map(|(cache, arrays)| (cache, (units / f64::from(arrays)).max(1.)));
        let room = (card.l2.size as f64 / units.max(1.)) as u64;
        Self {
            scalar: Own::new(&card.scalar_cache, card.scalar_cache.size, card.scalar_cache.line, 1),
            l0: vec![Own::new(&card.l0, card.l0.size, line, 1); cus],
            misses: vec![Misses { most: card.misses.value as usize, under_way: BinaryHeap::new() }; cus],
            l1: arrays
                .map(|(cache, sharing)| Own::new(&cache, (cache.size as f64 / sharing) as u64, line, cus)),
            l2: Shared::new(&card.l2, card, units),
            l2_tags: Tags::new(room / card.l2.line),
            infinity: card.infinity.map(|cache| Shared::new(&cache, card, units)),
            memory: Shared::new(&card.memory, card, units),
            pieces: [line / PIECE, card.l2.line / PIECE],
            uses: uses.iter().zip(0..).map(|(of, at)| (*of, found(at), Share::default())).collect(),
            from_infinity: Share::default(),
        }
    }

    /// When the bytes of a scalar load are there.
    pub(super) fn scalar(&mut self, now: u64, pieces: &[u64]) -> u64 {
        let mut last = now + self.scalar.latency;
        for &piece in pieces {
            let now = self.scalar.server.serve(now, TICKS);
            let due = match self.scalar.tags.find(piece) {
                Some(arrives) => arrives.max(now + self.scalar.latency),
                None => {
                    let due = self.below(now, piece, false).max(now + self.scalar.latency);
                    self.scalar.tags.insert(piece, due);
                    due
                }
            };
            last = last.max(due);
        }
        last
    }

    /// When the L0 of a compute unit has taken up a vector load of time `now`, and when its values are there. Lines are looked up one
    /// after the other; one that misses waits until few enough are under way, and those behind it wait too. Atomic updates pass by the
    /// caches of the unit.
    pub(super) fn load(&mut self, now: u64, cu: usize, pieces: &[u64], is_atomic: bool) -> (u64, u64) {
        let (mut taken, mut last) = (now, now + self.l0[cu].latency);
        let mut before = None;
        for &piece in pieces {
            let line = piece / self.pieces[0];
            if before.replace(line) == Some(line) {
                continue;
            }
            let l0 = &mut self.l0[cu];
            let mut at = l0.server.serve(now, l0.ticks);
            let due = match l0.tags.find(line) {
                Some(arrives) if !is_atomic => arrives.max(at + l0.latency),
                _ => {
                    at = self.misses[cu].admit(at);
                    l0.server.hold(at + l0.ticks);
                    let hit = at + l0.latency;
                    let due = self.behind_l0(at, piece, is_atomic).max(hit);
                    self.l0[cu].tags.insert(line, due);
                    self.misses[cu].under_way.push(Reverse(due));
                    due
                }
            };
            (taken, last) = (taken.max(at), last.max(due));
        }
        (taken, last)
    }

    /// When a store, which a compute unit takes up at `now`, is done: the L2 has it.
    pub(super) fn store(&mut self, now: u64, cu: usize, pieces: &[u64]) -> u64 {
        let mut last = now;
        for &piece in pieces {
            let l0 = &mut self.l0[cu];
            let at = l0.server.serve(now, l0.ticks / self.pieces[0]);
            last = last.max(self.below(at, piece, true));
        }
        last
    }

    fn behind_l0(&mut self, now: u64, piece: u64, is_atomic: bool) -> u64 {
        let line = piece / self.pieces[0];
        let Some(l1) = self.l1.as_mut().filter(|_| !is_atomic) else { return self.below(now, piece, false) };
        let at = l1.server.serve(now, l1.ticks);
        let hit = at + l1.latency;
        if let Some(arrives) = l1.tags.find(line) {
            return arrives.max(hit);
        }
        let due = self.below(at, piece, false).max(hit);
        if let Some(l1) = &mut self.l1 {
            l1.tags.insert(line, due);
        }
        due
    }

    /// The L2, and what is behind it. Stores fetch nothing, but what the L2 cannot keep goes on.
    fn below(&mut self, now: u64, piece: u64, is_store: bool) -> u64 {
        let line_bytes = self.pieces[1] * PIECE;
        let bytes = if is_store { PIECE } else { self.pieces[0].min(self.pieces[1]) * PIECE };
        let at = self.l2.serve(now, bytes);
        let hit = at + self.l2.latency;
        let line = piece / self.pieces[1];
        if let Some(arrives) = self.l2_tags.find(line) {
            return arrives.max(hit);
        }
        let of = self.uses.iter_mut().find(|(of, ..)| (of.first..of.end).contains(&piece));
        let (found, is_new) =
            of.map_or((Found::NOTHING, true), |(of, found, share)| (*found, share.take(of.new)));
        let due = if found.in_l2 || !is_new { hit } else { self.beyond(at, line_bytes, found).max(hit) };
        self.l2_tags.insert(line, due);
        if is_store { hit } else { due }
    }

    fn beyond(&mut self, now: u64, bytes: u64, found: Found) -> u64 {
        let is_kept = self.from_infinity.take(f64::from(found.in_infinity) / f64::from(WHOLE));
        let mut at = now;
        if let Some(infinity) = &mut self.infinity {
            at = infinity.serve(at, bytes);
            if is_kept {
                return at + infinity.latency;
            }
        }
        self.memory.serve(at, bytes) + self.memory.latency
    }

    /// How long each level was busy, by name.
    pub(super) fn busy(&self) -> [(&'static str, u64); 5] {
        let l0 = self.l0.iter().map(|l0| l0.server.busy).max().unwrap_or_default();
        [
            ("L0 cache", l0),
            ("L1 cache", self.l1.as_ref().map_or(0, |l1| l1.server.busy)),
            ("L2 cache", self.l2.server.busy),
            ("Infinity Cache", self.infinity.as_ref().map_or(0, |level| level.server.busy)),
            ("memory", self.memory.server.busy),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(units: f64, bytes: u64) -> (&'static Card, Memory) {
        let card = Card::find("RX 7900 XTX").unwrap();
        let uses = [Use { first: 0, end: u64::MAX, bytes, new: 1. }];
        (card, Memory::new(card, &uses, units, 1, Data::Warm))
    }

    fn pieces(line: u64) -> [u64; 2] {
        [2 * line, 2 * line + 1]
    }

    #[test]
    fn each_level_has_its_latency() {
        // As much as the Infinity Cache holds.
        let (card, mut memory) = memory(1., card_bytes());
        let first = memory.load(0, 0, &pieces(1), false).1;
        let infinity = card.infinity.unwrap();
        assert_eq!(first, ns(&infinity.latency, card));
        assert_eq!(memory.load(first, 0, &pieces(1), false).1 - first, cycles(&card.l0.latency));
        // Other lines drive it out of the L0, and then out of the L1.
        let later = 1 << 40;
        for line in 1000..1000 + 4096 {
            memory.load(later, 0, &pieces(line), false);
        }
        let now = 1 << 41;
        assert_eq!(memory.load(now, 0, &pieces(1), false).1 - now, ns(&card.l2.latency, card));
        assert_eq!(memory.load(2 * now, 0, &pieces(1), false).1 - 2 * now, cycles(&card.l0.latency));
    }

    fn card_bytes() -> u64 {
        96 << 20
    }

    #[test]
    fn loads_take_as_long_as_the_memory_needs_for_their_bytes() {
        let lines = 10_000;
        for (bytes, is_memory) in [(1 << 30, true), (64 << 20, false)] {
            let (card, mut memory) = memory(1., bytes);
            let level = if is_memory { card.memory } else { card.infinity.unwrap() };
            // Two lines per cycle are more than any level gives; caches of the unit must not limit it here.
            memory.l1 = None;
            memory.l0[0].ticks = 0;
            memory.l2.ticks = 0;
            memory.misses[0].most = usize::MAX;
            let last = (0..lines).map(|line| memory.load(0, 0, &pieces(line), false).1).max().unwrap();
            let seconds = (last - ns(&level.latency, card)) as f64 / TICKS as f64 / (card.clock.value * 1e6);
            let expected = (lines * 128) as f64 / (level.bandwidth.value * 1e9);
            assert!((seconds / expected - 1.).abs() < 0.02, "{seconds:e} {expected:e}");
        }
    }

    #[test]
    fn only_so_many_misses_are_under_way() {
        let (_, mut memory) = memory(1., 1 << 30);
        let most = 64;
        memory.misses[0].most = most as usize;
        let loads: Vec<_> = (0..=most).map(|line| memory.load(0, 0, &pieces(line), false)).collect();
        // The last one is taken up when the first one is there, and what hits waits behind it.
        assert_eq!(loads[most as usize].0, loads[0].1);
        assert!(loads[most as usize - 1].0 < loads[0].1);
        assert!(memory.load(0, 0, &pieces(0), false).0 >= loads[0].1);
    }

    #[test]
    fn what_does_not_fit_is_not_kept() {
        assert_eq!([50, 100, 125, 150, 400].map(|bytes| kept(bytes, 100)), [1., 1., 0.5, 0., 0.]);
        assert_eq!(kept(1, 0), 0.);
    }

    #[test]
    fn a_share_is_met() {
        let mut share = Share::default();
        assert_eq!((0..100).filter(|_| share.take(0.3)).count(), 30);
        assert!((0..5).all(|_| share.take(1.)));
    }
}
