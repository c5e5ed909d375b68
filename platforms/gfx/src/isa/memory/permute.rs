//! Exchanges of values between lanes through the hardware of the LDS (RDNA3 ISA guide, section 12 "Data Share Operations").
//!
//! They copy values, also such that were never written. A lane that is off gives 0.

use super::address::{Data, expect_operands, vector};
use crate::assembly::{DecodeError, Decoded, File, Statement, number};
use crate::fault::Step;
use crate::isa::{Execute, Form};
use crate::machine::spread::lanes;
use crate::machine::wave::{LANES, Row, Wave, each_lane};
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "ds_bpermute_b32", decode: |statement, _| decode(statement, pull) },
    Form { name: "ds_permute_b32", decode: |statement, _| decode(statement, push) },
    Form { name: "ds_swizzle_b32", decode: swizzle },
];

/// A lane number in every lane: four times it, as if it were the address of a word.
struct Permute {
    to: Data,
    lanes: u16,
    offset: u32,
    from: Data,
}

fn decode(statement: &mut Statement, run: fn(&mut Wave, &Permute, mask: u64) -> Step) -> Decoded<Execute> {
    expect_operands(statement, 3)?;
    let permute = Permute {
        to: Data::decode(statement, 0, 1)?,
        lanes: vector(statement, 1, 1)?,
        offset: statement.take_number("offset")?.unwrap_or(0) as u32,
        from: Data::decode(statement, 2, 1)?,
    };
    Ok(Box::new(move |wave, _| {
        let mask = wave.exec();
        run(wave, &permute, mask)
    }))
}

/// Each lane takes the value of the lane that it names.
fn pull(wave: &mut Wave, permute: &Permute, mask: u64) -> Step {
    let row = wave.row_index(File::Vector, permute.lanes)?;
    wave.demand(row, mask)?;
    let offset = permute.offset;
    let (mut from, last) = ([0; LANES], wave.lanes as u32 - 1);
    for (lane, address) in from.iter_mut().zip(wave.row(row)) {
        *lane = (address.wrapping_add(offset) / 4) & last;
    }
    take(wave, &permute.to, &permute.from, &from, mask)
}

/// Gives each lane the value of another one.
#[inline(always)]
fn take(wave: &mut Wave, to: &Data, source: &Data, from: &Row, mask: u64) -> Step {
    let row = source.row(wave, 1)?;
    let (values, written) = (wave.row_of(row, mask), wave.written(row) | !mask);
    let mut out = [0; LANES];
    for lane in each_lane(wave.lanes) {
        out[lane] = values[from[lane] as usize % LANES];
    }
    let all_written = written == u64::MAX;
    let row = to.row(wave, 1)?;
    wave.set_row(row, &out, mask);
    if !all_written {
        let is = lanes(mask).fold(0, |is, lane| is | (written >> (from[lane] % 64) & 1) << lane);
        wave.set_written(row, mask, is);
    }
    Ok(())
}

/// Each lane gives its value to the lane that it names; of several, the last one counts.
fn push(wave: &mut Wave, permute: &Permute, mask: u64) -> Step {
    let addresses = wave.row_index(File::Vector, permute.lanes)?;
    wave.demand(addresses, mask)?;
    let row = permute.from.row(wave, 1)?;
    let (mut out, mut is) = ([0; LANES], u64::MAX);
    for lane in lanes(mask) {
        let other = wave.row(addresses)[lane].wrapping_add(permute.offset) as usize / 4 % wave.lanes;
        out[other] = wave.row(row)[lane];
        is = is & !(1 << other) | (wave.written(row) >> lane & 1) << other;
    }
    permute.to.write(wave, &[out], mask)?;
    let row = permute.to.row(wave, 1)?;
    wave.set_written(row, mask, is);
    Ok(())
}

/// Exchanges by a fixed pattern.
fn swizzle(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    expect_operands(statement, 2)?;
    let (to, from) = (Data::decode(statement, 0, 1)?, Data::decode(statement, 1, 1)?);
    let text = statement.take("offset").unwrap_or_default();
    let Some(pattern) = number(&text).or_else(|| named_pattern(&text)).filter(|bits| *bits >> 16 == 0) else {
        return Err(DecodeError::Modifier(format!("offset:{text}")));
    };
    let pattern = pattern as usize;
    // The two highest patterns of the first kind are others (rotations and FFT), on processors from gfx9 on.
    if pattern >= 0xc000 {
        return Err(DecodeError::Modifier(format!("offset:{text}")));
    }
    let sources: Row = std::array::from_fn(|lane| {
        let source = if pattern & 0x8000 != 0 {
            lane & !3 | pattern >> (lane % 4 * 2) & 3
        } else {
            // Masks for the number of a lane in its group of 32.
            lane & !31 | (lane & 31 & pattern | pattern >> 5 & 31) ^ pattern >> 10 & 31
        };
        source as u32
    });
    Ok(Box::new(move |wave, _| {
        let mask = wave.exec();
        take(wave, &to, &from, &sources, mask)
    }))
}

/// `swizzle(SWAP,16)`, as the offset that it stands for (LLVM, "AMDGPU Modifiers Syntax").
fn named_pattern(text: &str) -> Option<i64> {
    let mut words = text.strip_prefix("swizzle(")?.strip_suffix(')')?.split(',').map(str::trim);
    let kind = words.next()?;
    let words: Vec<&str> = words.collect();
    let masks = |and: i64, or: i64, xor: i64| Some(and | or << 5 | xor << 10);
    let numbers = || words.iter().map(|word| number(word)).collect::<Option<Vec<i64>>>();
    match (kind, words.len()) {
        ("QUAD_PERM", 4) => {
            let lanes = numbers()?;
            Some(0x8000 | lanes[0] | lanes[1] << 2 | lanes[2] << 4 | lanes[3] << 6)
        }
        ("SWAP", 1) => masks(31, 0, numbers()?[0]),
        ("REVERSE", 1) => masks(31, 0, numbers()?[0] - 1),
        ("BROADCAST", 2) => masks(32 - numbers()?[0], numbers()?[1], 0),
        ("BITMASK_PERM", 1) => {
            // From the highest bit: 0, 1, kept or inverted.
            let bits = words[0].trim_matches('"');
            bits.chars()
                .try_fold((0, 0, 0), |(and, or, xor), c| {
                    let (and, or, xor) = (and << 1, or << 1, xor << 1);
                    match c {
                        '0' => Some((and, or, xor)),
                        '1' => Some((and, or | 1, xor)),
                        'p' => Some((and | 1, or, xor)),
                        'i' => Some((and | 1, or, xor | 1)),
                        _ => None,
                    }
                })
                .filter(|_| bits.len() == 5)
                .and_then(|(and, or, xor)| masks(and, or, xor))
        }
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::fault::FaultKind;
    use crate::isa::testing::{Bench, Reference};

    pub(crate) const REFERENCES: &[Reference] = &[
        Reference { name: "ds_bpermute_b32", check: bpermute },
        Reference { name: "ds_permute_b32", check: permute },
        Reference { name: "ds_swizzle_b32", check: swizzle },
    ];

    fn bench(processor: &str) -> Bench {
        let mut bench = Bench::new(processor);
        bench.set(1, |lane| lane as u32 * 3 + 1);
        bench.set(2, |_| 0xdead);
        bench
    }

    fn bpermute(name: &str) {
        for processor in ["gfx906", "gfx1100"] {
            let mut bench = bench(processor);
            let lanes = bench.wave.lanes;
            // The bits below and above a lane number do not count.
            bench.set(0, |lane| ((63 - lane) % lanes * 4 + 3 + lanes * 4) as u32);
            bench.set_exec(!0b110);
            bench.run(&format!("{name} v2, v0, v1"));
            let row = bench.get(2);
            for (lane, &value) in row.iter().enumerate().take(lanes) {
                let other = lanes - 1 - lane;
                let expected = match (lane, other) {
                    (1 | 2, _) => 0xdead,
                    (_, 1 | 2) => 0,
                    _ => other as u32 * 3 + 1,
                };
                assert_eq!(value, expected, "{processor}, lane {lane}");
            }
            bench.run(&format!("{name} v2, v0, v1 offset:4"));
            assert_eq!(bench.get(2)[4], (lanes - 4) as u32 * 3 + 1);
        }
    }

    #[test]
    fn values_that_were_never_written_move_too() {
        let mut bench = bench("gfx906");
        bench.set(0, |lane| (lane as u32 ^ 1) * 4);
        bench.wave.set_written(1, u64::MAX, !1);
        bench.run("ds_bpermute_b32 v2, v0, v1");
        assert_eq!(bench.wave.written(2), !2);
        bench.run("ds_permute_b32 v2, v0, v1");
        assert_eq!(bench.wave.written(2), !2);
        assert_eq!(bench.fault("ds_bpermute_b32 v3, v2, v1"), FaultKind::Undefined);
    }

    fn permute(name: &str) {
        for processor in ["gfx906", "gfx1100"] {
            let mut bench = bench(processor);
            // Lanes 0 to 9 go to lane 5 and on; lanes 10 and 11 to the same one; the others nowhere near.
            bench.set(0, |lane| match lane {
                0..10 => lane as u32 * 4 + 20,
                10 | 11 => 80,
                _ => 31 * 4,
            });
            bench.set_exec(0xf0_0fff);
            bench.run(&format!("{name} v2, v0, v1"));
            let row = bench.get(2);
            assert_eq!(row[4..12], [0, 1, 4, 7, 10, 13, 16, 19], "{processor}");
            assert_eq!((row[12], row[20], row[21]), (0xdead, 11 * 3 + 1, 0), "{processor}");
        }
    }

    fn swizzle(name: &str) {
        type Source = fn(usize) -> usize;
        let cases: &[(&str, Source)] = &[
            ("0x401f", |lane| lane ^ 16),
            ("swizzle(SWAP,16)", |lane| lane ^ 16),
            ("swizzle(REVERSE,8)", |lane| lane / 8 * 8 + 7 - lane % 8),
            ("swizzle(BROADCAST,4,2)", |lane| lane / 4 * 4 + 2),
            ("swizzle(QUAD_PERM,3,0,1,2)", |lane| lane / 4 * 4 + (lane + 3) % 4),
            ("swizzle(BITMASK_PERM,\"01pip\")", |lane| lane & 32 | 8 | lane & 4 | (lane & 2 ^ 2) | lane & 1),
        ];
        for processor in ["gfx906", "gfx1100"] {
            for (pattern, source) in cases {
                let mut bench = bench(processor);
                bench.set_exec(!(1 << 20));
                bench.run(&format!("{name} v2, v1 offset:{pattern}"));
                let row = bench.get(2);
                for (lane, &value) in row.iter().enumerate().take(bench.wave.lanes) {
                    let expected = match (lane, source(lane)) {
                        (20, _) => 0xdead,
                        (_, 20) => 0,
                        (_, source) => source as u32 * 3 + 1,
                    };
                    assert_eq!(value, expected, "{processor} {pattern}, lane {lane}");
                }
            }
        }
    }
}
