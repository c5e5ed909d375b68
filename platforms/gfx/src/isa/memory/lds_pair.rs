//! Loads and stores of two places in the local data share at once (RDNA3 ISA guide, section 12 "Data Share Operations").

use super::access::Space;
use super::address::{Data, Local, expect_operands};
use super::lds::Shared;
use crate::assembly::{Decoded, Statement};
use crate::fault::Step;
use crate::isa::{Execute, Form};
use crate::machine::block::Block;
use crate::machine::wave::Wave;
use crate::target::Target;

macro_rules! pair_forms {
    ($($name:literal $new:literal = $decode:expr,)*) => {
        pub(crate) const FORMS: &[Form] = &[
            $(Form { name: concat!("ds_", $name), decode: $decode },
            Form { name: concat!("ds_", $new), decode: $decode },)*
        ];
    };
}

pair_forms! {
    "read2_b32" "load_2addr_b32" = load::<4, 1, 2, 1>,
    "read2_b64" "load_2addr_b64" = load::<8, 2, 4, 1>,
    "read2st64_b32" "load_2addr_stride64_b32" = load::<4, 1, 2, 64>,
    "read2st64_b64" "load_2addr_stride64_b64" = load::<8, 2, 4, 64>,
    "write2_b32" "store_2addr_b32" = store::<4, 1, 1>,
    "write2_b64" "store_2addr_b64" = store::<8, 2, 1>,
    "write2st64_b32" "store_2addr_stride64_b32" = store::<4, 1, 64>,
    "write2st64_b64" "store_2addr_stride64_b64" = store::<8, 2, 64>,
}

fn load<const N: usize, const W: usize, const ALL: usize, const STRIDE: usize>(
    statement: &mut Statement,
    _: &Target,
) -> Decoded<Execute> {
    expect_operands(statement, 2)?;
    let places = Local::decode_pair(statement, 1, N * STRIDE)?.map(Shared);
    let data = Data::decode(statement, 0, ALL)?;
    // SAFETY: `crate::unavailable` refuses CPUs without these features.
    Ok(Box::new(move |wave, block| unsafe { run_load::<N, W, ALL>(wave, block, &places, data) }))
}

fn store<const N: usize, const W: usize, const STRIDE: usize>(
    statement: &mut Statement,
    _: &Target,
) -> Decoded<Execute> {
    expect_operands(statement, 3)?;
    let places = Local::decode_pair(statement, 0, N * STRIDE)?.map(Shared);
    let data = [Data::decode(statement, 1, W)?, Data::decode(statement, 2, W)?];
    // SAFETY: as in `load`.
    Ok(Box::new(move |wave, block| unsafe { run_store::<N, W>(wave, block, &places, data) }))
}

#[target_feature(enable = "avx2")]
fn run_load<const N: usize, const W: usize, const ALL: usize>(
    wave: &mut Wave,
    block: &mut Block<'_>,
    places: &[Shared; 2],
    data: Data,
) -> Step {
    let mask = wave.exec();
    if mask == 0 {
        return Ok(());
    }
    let mut loaded = block.take_loaded();
    for (place, rows) in places.iter().zip(loaded.as_chunks_mut::<W>().0) {
        place.load::<N, W>(wave, block, mask, rows, &mut [u64::MAX; W])?;
    }
    let Some(rows) = loaded.first_chunk::<ALL>() else { unreachable!("a load has up to four registers") };
    data.write(wave, rows, mask)?;
    block.loaded = Some(loaded);
    Ok(())
}

#[target_feature(enable = "avx2")]
fn run_store<const N: usize, const W: usize>(
    wave: &mut Wave,
    block: &mut Block<'_>,
    places: &[Shared; 2],
    data: [Data; 2],
) -> Step {
    let mask = wave.exec();
    if mask == 0 {
        return Ok(());
    }
    places.iter().zip(data).try_for_each(|(place, data)| place.store::<N, W>(wave, block, mask, data, 0))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::isa::memory::expected::{ON, Place, decode, lanes_on, registers, run};
    use crate::isa::testing::{Bench, Reference};
    use crate::machine::block::Block;
    use crate::machine::wave::Wave;

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference { name: "ds_read2_b32", check: of },
        Reference { name: "ds_load_2addr_b32", check: of },
        Reference { name: "ds_read2_b64", check: of },
        Reference { name: "ds_load_2addr_b64", check: of },
        Reference { name: "ds_read2st64_b32", check: of },
        Reference { name: "ds_load_2addr_stride64_b32", check: of },
        Reference { name: "ds_read2st64_b64", check: of },
        Reference { name: "ds_load_2addr_stride64_b64", check: of },
        Reference { name: "ds_write2_b32", check: of },
        Reference { name: "ds_store_2addr_b32", check: of },
        Reference { name: "ds_write2_b64", check: of },
        Reference { name: "ds_store_2addr_b64", check: of },
        Reference { name: "ds_write2st64_b32", check: of },
        Reference { name: "ds_store_2addr_stride64_b32", check: of },
        Reference { name: "ds_write2st64_b64", check: of },
        Reference { name: "ds_store_2addr_stride64_b64", check: of },
    ];

    /// The LDS addresses of what a lane moves, word by word: offsets 1 and 3 count elements of 4 or 8 bytes, or 64 of them.
    fn places(name: &str, lane: usize) -> &'static [u64] {
        let (is_wide, is_far) = (name.ends_with("b64"), name.contains("st64") || name.contains("stride64"));
        // The lanes' own addresses are 32 bytes apart.
        const fn at(lane: u64, places: [u64; 4]) -> [u64; 4] {
            [places[0] + lane * 32, places[1] + lane * 32, places[2] + lane * 32, places[3] + lane * 32]
        }
        const fn all(places: [u64; 4]) -> [[u64; 4]; 16] {
            let mut all = [[0; 4]; 16];
            let mut lane = 0;
            while lane < 16 {
                all[lane] = at(lane as u64, places);
                lane += 1;
            }
            all
        }
        const NEAR: [[u64; 4]; 16] = all([4, 12, 0, 0]);
        const NEAR_WIDE: [[u64; 4]; 16] = all([8, 12, 24, 28]);
        const FAR: [[u64; 4]; 16] = all([256, 768, 0, 0]);
        const FAR_WIDE: [[u64; 4]; 16] = all([512, 516, 1536, 1540]);
        match (is_wide, is_far) {
            (false, false) => &NEAR[lane][..2],
            (true, false) => &NEAR_WIDE[lane],
            (false, true) => &FAR[lane][..2],
            (true, true) => &FAR_WIDE[lane],
        }
    }

    fn word(wave: &mut Wave, block: &mut Block<'_>, address: u64) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|at| Place::Lds.get(wave, block, 0, address + at as u64)))
    }

    fn of(name: &str) {
        let words = places(name, 0).len() / 2;
        let value = |lane: usize, word: usize| (lane * 4 + word) as u32 * 0x0101_0101;
        for processor in ["gfx906", "gfx1100"] {
            let mut bench = Bench::new(processor);
            bench.lds = 4096;
            bench.set(2, |lane| lane as u32 * 32);
            (0..4).for_each(|word| bench.set(4 + word as u16, |lane| value(lane, word)));
            bench.set_exec(ON);
            let is_load = name.contains("read") || name.contains("load");
            let line = match is_load {
                true => format!("{name} {}, v2 offset0:1 offset1:3", registers(12, 2 * words)),
                false => {
                    let [first, second] = [registers(4, words), registers(4 + words, words)];
                    format!("{name} v2, {first}, {second} offset0:1 offset1:3")
                }
            };
            let execute = decode(&bench, &line);
            let places =
                || lanes_on().flat_map(|lane| (0..).zip(places(name, lane)).map(move |place| (lane, place)));
            bench.in_block(|wave, block| {
                for (lane, (word, &address)) in places().filter(|_| is_load) {
                    for (at, byte) in (0..).zip(value(lane, word).to_le_bytes()) {
                        Place::Lds.set(wave, block, 0, address + at, byte);
                    }
                }
                run(&execute, wave, block, &line);
                for (lane, (at, &address)) in places() {
                    assert_eq!(word(wave, block, address), value(lane, at), "{line}, lane {lane}, word {at}");
                }
            });
            for (lane, (word, _)) in places().filter(|_| is_load) {
                assert_eq!(bench.get(12 + word as u16)[lane], value(lane, word), "{line}, lane {lane}");
            }
        }
    }
}
