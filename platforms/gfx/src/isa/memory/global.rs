//! Global and flat loads and stores (RDNA3 ISA guide, section 11 "Flat Memory Instructions").

use super::access::{Space, byte, half, high, load, load_part, load_store_forms, low, store};
use super::address::{Address, Data, Policy, expect_operands};
use crate::assembly::{Decoded, Statement};
use crate::fault::{Step, Stop};
use crate::isa::source::{PRIVATE_BASE, SHARED_BASE};
use crate::machine::block::Block;
use crate::machine::memory::Access;
use crate::machine::spread::{Spread, lanes};
use crate::machine::wave::{LANES, Row, Row64, Wave};
use crate::target::Target;

load_store_forms!(FORMS, Global, "global");
load_store_forms!(FLAT_FORMS, Flat, "flat");

/// Global memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Global {
    address: Address,
    access: Access,
}

impl Global {
    fn new(statement: &mut Statement, target: &Target, address: Address, is_store: bool) -> Self {
        let is_coherent = Policy::take(statement, target).is_coherent;
        let access = match (is_store, is_coherent) {
            (false, false) => Access::Read,
            (false, true) => Access::AtomicRead,
            (true, false) => Access::Write,
            (true, true) => Access::Atomic,
        };
        Self { address, access }
    }

    #[inline(always)]
    fn spread<'a>(
        &self,
        wave: &Wave,
        block: &mut Block<'_>,
        mask: u64,
        size: usize,
        all: &'a mut Row64,
    ) -> Result<Spread<'a, u64>, Box<Stop>> {
        let at = self.address.spread(wave, mask, size, all)?;
        if let Some(statistics) = &mut block.statistics {
            statistics.global(wave.next.wrapping_sub(1), &at, size, self.access);
        }
        Ok(at)
    }
}

impl Space for Global {
    fn decode(statement: &mut Statement, target: &Target, is_store: bool) -> Decoded<(Self, usize)> {
        expect_operands(statement, 3)?;
        let address = Address::decode(statement, usize::from(!is_store), Some(2))?;
        Ok((Self::new(statement, target, address, is_store), usize::from(is_store)))
    }

    #[inline(always)]
    fn load<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        block: &mut Block<'_>,
        mask: u64,
        to: &mut [Row; W],
        _: &mut [u64; W],
    ) -> Step {
        let mut all = [0; LANES];
        let at = self.spread(wave, block, mask, N, &mut all)?;
        block.view.load_lanes::<N, W>(&at, self.access, to)
    }

    #[inline(always)]
    fn store<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        block: &mut Block<'_>,
        mask: u64,
        from: Data,
        shift: u32,
    ) -> Step {
        let mut all = [0; LANES];
        let at = self.spread(wave, block, mask, N, &mut all)?;
        block.view.store_lanes::<N, W>(&at, self.access, from.read(wave, mask)?, shift)
    }
}

/// Global memory, the LDS or scratch memory: the upper half of an address tells which.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flat(Global);

/// The lanes whose addresses are in each memory.
pub(crate) struct Parts {
    pub(crate) global: u64,
    pub(crate) shared: u64,
    pub(crate) private: u64,
}

impl Parts {
    #[inline(always)]
    pub(crate) fn new(at: &Spread<'_, u64>) -> Self {
        if at.high < SHARED_BASE {
            return Self { global: at.mask, shared: 0, private: 0 };
        }
        let lanes_of = |base: u64| {
            let is_in = |(lane, address): (usize, u64)| u64::from(address >> 32 == base >> 32) << lane;
            at.active().map(is_in).fold(0, |all, lane| all | lane)
        };
        let (shared, private) = (lanes_of(SHARED_BASE), lanes_of(PRIVATE_BASE));
        Self { global: at.mask & !shared & !private, shared, private }
    }
}

/// The addresses of some of the lanes, in global memory.
fn narrow_to<'a>(at: &Spread<'_, u64>, mask: u64, size: usize, all: &'a mut Row64) -> Spread<'a, u64> {
    let lanes = at.addresses().len();
    all[..lanes].copy_from_slice(at.addresses());
    Spread::new(all, lanes, mask, size)
}

/// The addresses of some of the lanes, in the LDS.
fn in_lds<'a>(at: &Spread<'_, u64>, mask: u64, size: usize, all: &'a mut Row) -> Spread<'a, u32> {
    all.iter_mut().zip(at.addresses()).for_each(|(to, &from)| *to = from as u32);
    Spread::new(all, at.addresses().len(), mask, size)
}

impl Space for Flat {
    fn decode(statement: &mut Statement, target: &Target, is_store: bool) -> Decoded<(Self, usize)> {
        expect_operands(statement, 2)?;
        let address = Address::decode(statement, usize::from(!is_store), None)?;
        Ok((Self(Global::new(statement, target, address, is_store)), usize::from(is_store)))
    }

    fn load<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        block: &mut Block<'_>,
        mask: u64,
        to: &mut [Row; W],
        written: &mut [u64; W],
    ) -> Step {
        let mut all = [0; LANES];
        let at = self.0.spread(wave, block, mask, N, &mut all)?;
        let parts = Parts::new(&at);
        if parts.global == mask {
            return block.view.load_lanes::<N, W>(&at, self.0.access, to);
        }
        if parts.global != 0 {
            block.view.load_lanes::<N, W>(
                &narrow_to(&at, parts.global, N, &mut [0; LANES]),
                self.0.access,
                to,
            )?;
        }
        if parts.shared != 0 {
            let mut rows = [[0; LANES]; W];
            block.lds.load_lanes::<N, W>(
                wave.number,
                &in_lds(&at, parts.shared, N, &mut [0; LANES]),
                &mut rows,
            )?;
            for (to, row) in to.iter_mut().zip(&rows) {
                lanes(parts.shared).for_each(|lane| to[lane] = row[lane]);
            }
        }
        for lane in lanes(parts.private) {
            let address = at.addresses()[lane] & 0xffff_ffff;
            super::scratch::load_lane::<N, W>(wave, lane, address, to, written)?;
        }
        Ok(())
    }

    fn store<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        block: &mut Block<'_>,
        mask: u64,
        from: Data,
        shift: u32,
    ) -> Step {
        let mut all = [0; LANES];
        let at = self.0.spread(wave, block, mask, N, &mut all)?;
        let parts = Parts::new(&at);
        if parts.global != 0 {
            let rows = from.read(wave, parts.global)?;
            block.view.store_lanes::<N, W>(
                &narrow_to(&at, parts.global, N, &mut [0; LANES]),
                self.0.access,
                rows,
                shift,
            )?;
        }
        if parts.shared != 0 {
            let rows = from.read(wave, parts.shared)?;
            block.lds.store_lanes::<N, W>(
                wave.number,
                &in_lds(&at, parts.shared, N, &mut [0; LANES]),
                rows,
                shift,
            )?;
        }
        for lane in lanes(parts.private) {
            let address = at.addresses()[lane] & 0xffff_ffff;
            super::scratch::store_lane::<N, W>(wave, lane, address, from, shift)?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::fault::{FaultKind, Stop};
    use crate::isa::memory::expected::{Path, Place, check, decode, load_store_references, run};
    use crate::isa::source::{PRIVATE_BASE, SHARED_BASE};
    use crate::isa::testing::{Bench, Reference};

    pub(crate) const VECTOR: Path = Path {
        processor: "gfx1100",
        place: Place::Global,
        load: "{}, v[2:3], off offset:-4",
        store: "v[2:3], {}, off offset:-4",
        base: 4,
        offset: 0,
        scalar: false,
    };
    pub(crate) const SCALAR: Path = Path {
        load: "{}, v2, s[0:1] offset:8",
        store: "v2, {}, s[0:1] offset:8",
        base: 0,
        offset: 8,
        scalar: true,
        ..VECTOR
    };
    pub(crate) const FLAT: Path =
        Path { load: "{}, v[2:3] offset:8", store: "v[2:3], {} offset:8", base: 0, offset: 8, ..VECTOR };

    pub(crate) const REFERENCES: &[Reference] = load_store_references!("global", |name| {
        for path in [VECTOR, SCALAR] {
            check(name, path);
            check(name, Path { processor: "gfx906", ..path });
        }
    });

    pub(crate) const FLAT_REFERENCES: &[Reference] = load_store_references!("flat", |name| {
        for (place, base) in [(Place::Global, 0), (Place::Lds, SHARED_BASE), (Place::Scratch, PRIVATE_BASE)] {
            check(name, Path { place, base, ..FLAT });
            check(name, Path { processor: "gfx906", place, base, ..FLAT });
        }
    });

    #[test]
    fn lanes_have_their_own_addresses() {
        for processor in ["gfx906", "gfx1100"] {
            let mut bench = Bench::new(processor);
            bench.set_words(&(0..1024).map(|word| word * 0x1_0001).collect::<Vec<_>>());
            let memory = bench.memory();
            bench.wave.set_scalar64(0, memory);
            for step in [0, 4, 8, 12, 28, 60] {
                bench.set(2, |lane| lane as u32 * step);
                bench.run("global_load_dword v4, v2, s[0:1]");
                let row = bench.get(4);
                (0..bench.wave.lanes)
                    .for_each(|lane| assert_eq!(row[lane], lane as u32 * step / 4 * 0x1_0001));
            }
        }
    }

    #[test]
    fn flat_lanes_reach_different_memories() {
        let mut bench = Bench::new("gfx906");
        let memory = bench.memory();
        bench.set_words(&[5; 64]);
        bench.set64(2, |lane| [memory, SHARED_BASE + 16, PRIVATE_BASE + 8, memory + 4][lane % 4]);
        bench.set(4, |lane| lane as u32 % 4);
        bench.run("flat_store_dword v[2:3], v4\nflat_load_dword v5, v[2:3]");
        let row = bench.get(5);
        (0..64).for_each(|lane| assert_eq!(row[lane], lane as u32 % 4));
        assert_eq!(bench.words()[..3], [0, 3, 5]);
    }

    #[test]
    fn bounds_are_those_of_the_whole_access() {
        let mut bench = Bench::new("gfx1100");
        let memory = bench.memory();
        bench.set64(2, |lane| if lane == 9 { memory + 4096 - 8 } else { memory });
        bench.run("global_load_b64 v[4:5], v[2:3], off");
        match bench.try_run("global_load_b128 v[4:7], v[2:3], off") {
            Err(Stop::Fault(fault)) => assert_eq!(
                (fault.kind, fault.what.as_str()),
                (FaultKind::OutOfBounds, "lane 9 reads 16 bytes 4088 bytes into the bench")
            ),
            other => panic!("{other:?}"),
        }
        bench.set_exec(!(1 << 9));
        bench.run("global_load_b128 v[4:7], v[2:3], off");
        bench.set_exec(0);
        bench.set64(2, |_| 0);
        bench.run("global_load_b128 v[4:7], v[2:3], off");
        bench.set_exec(1);
        assert_eq!(bench.fault("global_store_b32 v[2:3], v2, off"), FaultKind::OutOfBounds);
        assert_eq!(bench.fault("global_load_b32 v4, v[30:31], off"), FaultKind::Undefined);
        assert_eq!(bench.fault("global_store_b32 v[2:3], v30, off"), FaultKind::Undefined);
    }

    #[test]
    fn accumulators_hold_data() {
        let mut bench = Bench::new("gfx90a");
        let memory = bench.memory();
        bench.set64(2, |lane| memory + lane as u64 * 4);
        bench.set(4, |lane| lane as u32 + 7);
        bench.run("global_store_dword v[2:3], v4, off\nglobal_load_dword a1, v[2:3], off");
        bench.run("global_store_dword v[2:3], a1, off offset:1024");
        assert_eq!(bench.words()[256..320], (7..71).collect::<Vec<_>>());
    }

    #[test]
    fn accesses_are_counted_where_that_is_wanted() {
        let mut bench = Bench::new("gfx906");
        let memory = bench.memory();
        bench.set64(2, |lane| memory + lane as u64 * 32);
        bench.set(4, |lane| lane as u32 * 8);
        bench.set(5, |_| 0);
        bench.wave.next = 1;
        let lines = ["global_load_dword v8, v[2:3], off", "ds_write_b32 v4, v5"];
        let lines = lines.map(|line| (line, decode(&bench, line)));
        bench.in_block(|wave, block| {
            block.statistics = Some(Box::default());
            lines.iter().for_each(|(line, execute)| run(execute, wave, block, line));
            let traffic = block.statistics.as_ref().unwrap().traffic[0];
            assert_eq!((traffic.accesses, traffic.bytes, traffic.lines), (2, 512, [32, 16]));
            assert_eq!((traffic.turns, traffic.least_turns), (4, 2));
        });
    }
}
