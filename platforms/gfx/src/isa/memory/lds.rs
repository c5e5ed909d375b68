//! Loads and stores of the local data share (RDNA3 ISA guide, section 12 "Data Share Operations").

use super::access::{Space, byte, half, high, load, load_part, low, store};
use super::address::{Data, Local, expect_operands};
use crate::assembly::{Decoded, Statement};
use crate::fault::{Step, Stop};
use crate::isa::Form;
use crate::machine::block::Block;
use crate::machine::spread::Spread;
use crate::machine::wave::{LANES, Row, Wave};
use crate::target::Target;

macro_rules! lds_forms {
    ($($name:literal $new:literal = $decode:expr,)*) => {
        pub(crate) const FORMS: &[Form] = &[
            $(Form { name: concat!("ds_", $name), decode: $decode },
            Form { name: concat!("ds_", $new), decode: $decode },)*
        ];
    };
}

lds_forms! {
    "read_b32" "load_b32" = load::<Shared, 4, 1>,
    "read_b64" "load_b64" = load::<Shared, 8, 2>,
    "read_b96" "load_b96" = load::<Shared, 12, 3>,
    "read_b128" "load_b128" = load::<Shared, 16, 4>,
    "write_b8" "store_b8" = store::<Shared, 1, 1, 0>,
    "write_b16" "store_b16" = store::<Shared, 2, 1, 0>,
    "write_b8_d16_hi" "store_b8_d16_hi" = store::<Shared, 1, 1, 16>,
    "write_b16_d16_hi" "store_b16_d16_hi" = store::<Shared, 2, 1, 16>,
    "write_b32" "store_b32" = store::<Shared, 4, 1, 0>,
    "write_b64" "store_b64" = store::<Shared, 8, 2, 0>,
    "write_b96" "store_b96" = store::<Shared, 12, 3, 0>,
    "write_b128" "store_b128" = store::<Shared, 16, 4, 0>,
    "read_u8" "load_u8" = |statement, target| load_part::<Shared, 1>(statement, target, |new, _| new),
    "read_i8" "load_i8" = |statement, target| load_part::<Shared, 1>(statement, target, |new, _| byte(new)),
    "read_u16" "load_u16" = |statement, target| load_part::<Shared, 2>(statement, target, |new, _| new),
    "read_i16" "load_i16" = |statement, target| load_part::<Shared, 2>(statement, target, |new, _| half(new)),
    "read_u8_d16" "load_u8_d16" = |statement, target| load_part::<Shared, 1>(statement, target, low),
    "read_i8_d16" "load_i8_d16" =
        |statement, target| load_part::<Shared, 1>(statement, target, |new, old| low(byte(new), old)),
    "read_u16_d16" "load_u16_d16" = |statement, target| load_part::<Shared, 2>(statement, target, low),
    "read_u8_d16_hi" "load_u8_d16_hi" = |statement, target| load_part::<Shared, 1>(statement, target, high),
    "read_i8_d16_hi" "load_i8_d16_hi" =
        |statement, target| load_part::<Shared, 1>(statement, target, |new, old| high(byte(new), old)),
    "read_u16_d16_hi" "load_u16_d16_hi" = |statement, target| load_part::<Shared, 2>(statement, target, high),
}

/// The LDS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared(pub(crate) Local);

impl Shared {
    #[inline(always)]
    fn spread<'a>(
        &self,
        wave: &Wave,
        block: &mut Block<'_>,
        mask: u64,
        size: usize,
        all: &'a mut Row,
    ) -> Result<Spread<'a, u32>, Box<Stop>> {
        let at = self.0.spread(wave, mask, size, all)?;
        if let Some(statistics) = &mut block.statistics {
            statistics.local(wave.next.wrapping_sub(1), &at, size);
        }
        Ok(at)
    }
}

impl Space for Shared {
    fn decode(statement: &mut Statement, _: &Target, is_store: bool) -> Decoded<(Self, usize)> {
        expect_operands(statement, 2)?;
        Ok((Self(Local::decode(statement, usize::from(!is_store))?), usize::from(is_store)))
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
        block.lds.load_lanes::<N, W>(wave.number, &at, to)
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
        // Kernels copy whole vectors to the LDS, past the end of their data; what was never written is random there, too.
        block.lds.store_lanes::<N, W>(wave.number, &at, from.peek(wave)?, shift)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::fault::FaultKind;
    use crate::isa::memory::expected::{Path, Place, check};
    use crate::isa::testing::{Bench, Reference};

    pub(crate) const PATH: Path = Path {
        processor: "gfx1100",
        place: Place::Lds,
        load: "{}, v2 offset:16",
        store: "v2, {} offset:16",
        base: 0,
        offset: 16,
        scalar: false,
    };

    fn of(name: &str) {
        check(name, PATH);
        check(name, Path { processor: "gfx906", ..PATH });
    }

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference { name: "ds_read_b32", check: of },
        Reference { name: "ds_load_b32", check: of },
        Reference { name: "ds_read_b64", check: of },
        Reference { name: "ds_load_b64", check: of },
        Reference { name: "ds_read_b96", check: of },
        Reference { name: "ds_load_b96", check: of },
        Reference { name: "ds_read_b128", check: of },
        Reference { name: "ds_load_b128", check: of },
        Reference { name: "ds_write_b8", check: of },
        Reference { name: "ds_store_b8", check: of },
        Reference { name: "ds_write_b16", check: of },
        Reference { name: "ds_store_b16", check: of },
        Reference { name: "ds_write_b8_d16_hi", check: of },
        Reference { name: "ds_store_b8_d16_hi", check: of },
        Reference { name: "ds_write_b16_d16_hi", check: of },
        Reference { name: "ds_store_b16_d16_hi", check: of },
        Reference { name: "ds_write_b32", check: of },
        Reference { name: "ds_store_b32", check: of },
        Reference { name: "ds_write_b64", check: of },
        Reference { name: "ds_store_b64", check: of },
        Reference { name: "ds_write_b96", check: of },
        Reference { name: "ds_store_b96", check: of },
        Reference { name: "ds_write_b128", check: of },
        Reference { name: "ds_store_b128", check: of },
        Reference { name: "ds_read_u8", check: of },
        Reference { name: "ds_load_u8", check: of },
        Reference { name: "ds_read_i8", check: of },
        Reference { name: "ds_load_i8", check: of },
        Reference { name: "ds_read_u16", check: of },
        Reference { name: "ds_load_u16", check: of },
        Reference { name: "ds_read_i16", check: of },
        Reference { name: "ds_load_i16", check: of },
        Reference { name: "ds_read_u8_d16", check: of },
        Reference { name: "ds_load_u8_d16", check: of },
        Reference { name: "ds_read_i8_d16", check: of },
        Reference { name: "ds_load_i8_d16", check: of },
        Reference { name: "ds_read_u16_d16", check: of },
        Reference { name: "ds_load_u16_d16", check: of },
        Reference { name: "ds_read_u8_d16_hi", check: of },
        Reference { name: "ds_load_u8_d16_hi", check: of },
        Reference { name: "ds_read_i8_d16_hi", check: of },
        Reference { name: "ds_load_i8_d16_hi", check: of },
        Reference { name: "ds_read_u16_d16_hi", check: of },
        Reference { name: "ds_load_u16_d16_hi", check: of },
    ];

    #[test]
    fn bounds() {
        let mut bench = Bench::new("gfx1100");
        bench.set(2, |lane| if lane == 3 { 1020 } else { 0 });
        bench.set(4, |_| 0);
        bench.run("ds_load_b32 v4, v2");
        assert_eq!(bench.fault("ds_load_b64 v[4:5], v2"), FaultKind::OutOfBounds);
        assert_eq!(bench.fault("ds_store_b32 v2, v4 offset:4"), FaultKind::OutOfBounds);
        bench.set_exec(!8);
        bench.run("ds_load_b64 v[4:5], v2");
        // A base below 0 and an offset.
        bench.set(2, |_| 4_u32.wrapping_neg());
        bench.run("ds_load_b32 v4, v2 offset:8");
        assert_eq!(bench.fault("ds_load_b32 v4, v2"), FaultKind::OutOfBounds);
    }
}
