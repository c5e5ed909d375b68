//! What loads, stores and atomic updates must do, written down byte by byte.

use crate::assembly::{DecodeError, Statement};
use crate::fault::Stop;
use crate::isa::testing::Bench;
use crate::isa::{self, Execute};
use crate::machine::block::Block;
use crate::machine::scratch::RESOURCE;
use crate::machine::wave::Wave;

/// What a load finds, and what a store of [`REGISTERS`] leaves.
const BYTES: [u8; 16] =
    [0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8, 0x09, 0x1a, 0x2b, 0x3c, 0x4d, 0x5e, 0x6f, 0x70];
const REGISTERS: [u32; 4] = [0xb4a3_9281, 0xf8e7_d6c5, 0x3c2b_1a09, 0x706f_5e4d];
/// What is in registers and around the bytes otherwise.
const OLD: u32 = 0x1122_3344;
const AROUND: u8 = 0xee;

/// What the names of loads give.
const LOADS: &[(&[&str], &[u32])] = &[
    (&["load_u8", "load_ubyte", "read_u8"], &[0x81]),
    (&["load_i8", "load_sbyte", "read_i8"], &[0xffff_ff81]),
    (&["load_u16", "load_ushort", "read_u16"], &[0x9281]),
    (&["load_i16", "load_sshort", "read_i16"], &[0xffff_9281]),
    (&["load_b32", "load_dword", "read_b32"], &[0xb4a3_9281]),
    (&["load_b64", "load_dwordx2", "read_b64"], &[0xb4a3_9281, 0xf8e7_d6c5]),
    (&["load_b96", "load_dwordx3", "read_b96"], &[0xb4a3_9281, 0xf8e7_d6c5, 0x3c2b_1a09]),
    (&["load_b128", "load_dwordx4", "read_b128"], &REGISTERS),
    (&["load_d16_u8", "load_ubyte_d16", "read_u8_d16", "load_u8_d16"], &[0x1122_0081]),
    (&["load_d16_i8", "load_sbyte_d16", "read_i8_d16", "load_i8_d16"], &[0x1122_ff81]),
    (&["load_d16_b16", "load_short_d16", "read_u16_d16", "load_u16_d16"], &[0x1122_9281]),
    (&["load_d16_hi_u8", "load_ubyte_d16_hi", "read_u8_d16_hi", "load_u8_d16_hi"], &[0x0081_3344]),
    (&["load_d16_hi_i8", "load_sbyte_d16_hi", "read_i8_d16_hi", "load_i8_d16_hi"], &[0xff81_3344]),
    (&["load_d16_hi_b16", "load_short_d16_hi", "read_u16_d16_hi", "load_u16_d16_hi"], &[0x9281_3344]),
];

/// The registers and the bytes that the names of stores leave.
const STORES: &[(&[&str], usize, &[u8])] = &[
    (&["store_b8", "store_byte", "write_b8"], 1, &[0x81]),
    (&["store_b16", "store_short", "write_b16"], 1, &[0x81, 0x92]),
    (&["store_d16_hi_b8", "store_byte_d16_hi", "write_b8_d16_hi", "store_b8_d16_hi"], 1, &[0xa3]),
    (&["store_d16_hi_b16", "store_short_d16_hi", "write_b16_d16_hi", "store_b16_d16_hi"], 1, &[0xa3, 0xb4]),
    (&["store_b32", "store_dword", "write_b32"], 1, &[0x81, 0x92, 0xa3, 0xb4]),
    (&["store_b64", "store_dwordx2", "write_b64"], 2, &[0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8]),
    (
        &["store_b96", "store_dwordx3", "write_b96"],
        3,
        &[0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8, 0x09, 0x1a, 0x2b, 0x3c],
    ),
    (&["store_b128", "store_dwordx4", "write_b128"], 4, &BYTES),
];

/// A memory that instructions reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    Global,
    Lds,
    Scratch,
}

/// The lanes that are on in checks.
pub(crate) const ON: u64 = 0x8c33;

impl Place {
    /// A lane's place in the memory: 64 bytes apart.
    fn of(self, memory: u64, lane: usize) -> u64 {
        match self {
            Self::Global => memory + lane as u64 * 64,
            Self::Lds => lane as u64 * 64,
            Self::Scratch => 64,
        }
    }

    pub(crate) fn get(self, wave: &mut Wave, block: &mut Block<'_>, lane: usize, address: u64) -> u8 {
        match self {
            Self::Global => block.view.load::<1>(address).unwrap()[0],
            Self::Lds => block.lds.update::<1>(0, address as u32, |old| old).unwrap()[0],
            Self::Scratch => wave.scratch.load::<1>(lane, address).unwrap().0[0],
        }
    }

    pub(crate) fn set(self, wave: &mut Wave, block: &mut Block<'_>, lane: usize, address: u64, byte: u8) {
        match self {
            Self::Global => block.view.store(address, [byte]).unwrap(),
            Self::Lds => drop(block.lds.update(0, address as u32, |_| [byte]).unwrap()),
            Self::Scratch => wave.scratch.store(lane, address, [byte], true).unwrap(),
        }
    }
}

/// How a check names and reaches a memory.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    pub(crate) processor: &'static str,
    pub(crate) place: Place,
    /// What comes after the data, or around it, where `{}` is it: `{}, v[2:3], off`.
    pub(crate) load: &'static str,
    pub(crate) store: &'static str,
    /// What is added to the address, in v[2:3].
    pub(crate) base: u64,
    /// What the instruction itself adds to it.
    pub(crate) offset: u64,
    /// The address in s[0:1], without what is in v2.
    pub(crate) scalar: bool,
}

impl Path {
    /// A bench with addresses in its registers: v[2:3], and s[0:1].
    pub(crate) fn bench(&self, shift: u64) -> Bench {
        let mut bench = Bench::new(self.processor);
        let memory = bench.memory();
        bench.set64(2, |lane| match self.scalar {
            true => self.place.of(0, lane) + shift,
            false => (self.place.of(memory, lane) + shift).wrapping_add(self.base),
        });
        match self.processor {
            // Where buffers are checked.
            "gfx1010" => (0..).zip(RESOURCE).for_each(|(number, word)| bench.wave.set_scalar(number, word)),
            _ => bench.wave.set_scalar64(0, memory),
        }
        bench.set_exec(ON);
        bench
    }

    /// The first byte that a lane uses.
    pub(crate) fn start(&self, memory: u64, lane: usize, shift: u64) -> u64 {
        (self.place.of(memory, lane) + shift).wrapping_add(self.offset)
    }
}

pub(crate) fn decode(bench: &Bench, line: &str) -> Execute {
    isa::decode(Statement::parse(line, 0, Vec::new()), &bench.target)
        .unwrap_or_else(|error: DecodeError| panic!("{line}: {error}"))
}

pub(crate) fn lanes_on() -> impl Iterator<Item = usize> {
    (0..32).filter(|lane| ON >> lane & 1 != 0)
}

/// The name of registers.
pub(crate) fn registers(first: usize, count: usize) -> String {
    if count == 1 { format!("v{first}") } else { format!("v[{first}:{}]", first + count - 1) }
}

/// Checks the load or store `name`, whose prefix is that of its memory.
pub(crate) fn check(name: &str, path: Path) {
    let (_, operation) = name.split_once('_').unwrap();
    for shift in [0, 4, 3] {
        if let Some((_, expected)) = LOADS.iter().find(|(names, _)| names.contains(&operation)) {
            check_load(name, path, shift, expected);
        } else {
            let (_, words, expected) = STORES.iter().find(|(names, ..)| names.contains(&operation)).unwrap();
            check_store(name, path, shift, *words, expected);
        }
    }
}

fn check_load(name: &str, path: Path, shift: u64, expected: &[u32]) {
    let mut bench = path.bench(shift);
    let (memory, all) = (bench.memory(), bench.wave.all());
    bench.set_exec(all);
    (8..13).for_each(|number| bench.set(number, |_| OLD));
    bench.set_exec(ON);
    let line = format!("{name} {}", path.load.replace("{}", &registers(8, expected.len())));
    let execute = decode(&bench, &line);
    bench.in_block(|wave, block| {
        for lane in lanes_on() {
            for (at, byte) in (0..).zip(BYTES) {
                path.place.set(wave, block, lane, path.start(memory, lane, shift) + at, byte);
            }
        }
        run(&execute, wave, block, &line);
    });
    for word in 0..5 {
        let row = bench.get(8 + word as u16);
        for (lane, &value) in row.iter().enumerate().take(bench.wave.lanes) {
            let is_loaded = ON >> lane & 1 != 0 && word < expected.len();
            let expected = if is_loaded { expected[word] } else { OLD };
            assert_eq!(value, expected, "{}: {line}, word {word}, lane {lane}", path.processor);
        }
    }
}

fn check_store(name: &str, path: Path, shift: u64, words: usize, expected: &[u8]) {
    let mut bench = path.bench(shift);
    let memory = bench.memory();
    (8..).zip(REGISTERS).for_each(|(number, value)| bench.set(number, |_| value));
    let line = format!("{name} {}", path.store.replace("{}", &registers(8, words)));
    let execute = decode(&bench, &line);
    bench.in_block(|wave, block| {
        for lane in 0..16 {
            let start = path.start(memory, lane, shift);
            (0..17).for_each(|at| path.place.set(wave, block, lane, start + at, AROUND));
        }
        run(&execute, wave, block, &line);
        for lane in 0..16 {
            let start = path.start(memory, lane, shift);
            for at in 0..17 {
                let is_stored = ON >> lane & 1 != 0 && at < expected.len();
                let expected = if is_stored { expected[at] } else { AROUND };
                let byte = path.place.get(wave, block, lane, start + at as u64);
                assert_eq!(byte, expected, "{}: {line}, byte {at}, lane {lane}", path.processor);
            }
        }
    });
}

pub(crate) fn run(execute: &Execute, wave: &mut Wave, block: &mut Block<'_>, line: &str) {
    if let Err(stop) = execute(wave, block) {
        let stop: Stop = *stop;
        panic!("{line}: {stop:?}");
    }
}

/// What atomic instructions make of an old value and data, by the names of operations; old values and new ones.
type Cases = &'static [(u64, u64, u64)];

/// For floats: of the old value, the data, the new one.
const fn f32s(old: f32, data: f32, new: f32) -> (u64, u64, u64) {
    (old.to_bits() as u64, data.to_bits() as u64, new.to_bits() as u64)
}

const fn f64s(old: f64, data: f64, new: f64) -> (u64, u64, u64) {
    (old.to_bits(), data.to_bits(), new.to_bits())
}

const M1: u64 = u64::MAX;
const W1: u64 = 0xffff_ffff;

const ATOMICS: &[(&[&str], usize, Cases)] = &[
    (&["add", "add_u32"], 1, &[(W1, 1, 0), (40, 2, 42)]),
    (&["sub", "sub_u32"], 1, &[(5, 7, W1 - 1), (40, 2, 38)]),
    (&["rsub_u32"], 1, &[(5, 7, 2), (40, 2, W1 - 37)]),
    (&["smin", "min_i32"], 1, &[(W1, 1, W1), (1, W1, W1), (5, 4, 4)]),
    (&["umin", "min_u32"], 1, &[(W1, 1, 1), (1, W1, 1), (5, 4, 4)]),
    (&["smax", "max_i32"], 1, &[(W1, 1, 1), (1, W1, 1), (5, 4, 5)]),
    (&["umax", "max_u32"], 1, &[(W1, 1, W1), (1, W1, W1), (5, 4, 5)]),
    (&["and", "and_b32"], 1, &[(0b1100, 0b1010, 0b1000)]),
    (&["or", "or_b32"], 1, &[(0b1100, 0b1010, 0b1110)]),
    (&["xor", "xor_b32"], 1, &[(0b1100, 0b1010, 0b0110)]),
    (&["swap", "swap_b32", "wrxchg_b32", "storexchg_b32"], 1, &[(0b1100, 0b1010, 0b1010)]),
    (&["inc", "inc_u32"], 1, &[(6, 7, 7), (7, 7, 0), (8, 7, 0), (W1, W1, 0)]),
    (&["dec", "dec_u32"], 1, &[(0, 7, 7), (7, 7, 6), (9, 7, 7), (1, 7, 0)]),
    (&["add_x2", "add_u64"], 2, &[(M1, 1, 0), (W1, 1, 1 << 32)]),
    (&["sub_x2", "sub_u64"], 2, &[(0, 1, M1), (1 << 32, 1, W1)]),
    (&["rsub_u64"], 2, &[(1, 0, M1)]),
    (&["smin_x2", "min_i64"], 2, &[(M1, 1, M1), (1 << 40, 1 << 41, 1 << 40)]),
    (&["umin_x2", "min_u64"], 2, &[(M1, 1, 1), (1 << 40, 1 << 41, 1 << 40)]),
    (&["smax_x2", "max_i64"], 2, &[(M1, 1, 1), (1 << 40, 1 << 41, 1 << 41)]),
    (&["umax_x2", "max_u64"], 2, &[(M1, 1, M1), (1 << 40, 1 << 41, 1 << 41)]),
    (&["and_x2", "and_b64"], 2, &[(0b1100 << 32, 0b1010 << 32, 0b1000 << 32)]),
    (&["or_x2", "or_b64"], 2, &[(0b1100 << 32, 0b1010, 0b1100 << 32 | 0b1010)]),
    (&["xor_x2", "xor_b64"], 2, &[(0b1100 << 32, 0b1010 << 32, 0b0110 << 32)]),
    (&["swap_x2", "swap_b64", "wrxchg_b64", "storexchg_b64"], 2, &[(1 << 40, 3 << 33, 3 << 33)]),
    (&["inc_x2", "inc_u64"], 2, &[(W1, M1, W1 + 1), (7, 7, 0)]),
    (&["dec_x2", "dec_u64"], 2, &[(W1 + 1, M1, W1), (0, 7, 7), (9, 7, 7)]),
    (&["csub", "csub_u32", "sub_clamp_u32"], 1, &[(5, 7, 0), (40, 2, 38)]),
    (&["cond_sub_u32"], 1, &[(5, 7, 5), (40, 2, 38)]),
    (&["add_f32"], 1, &[f32s(0.5, -2.0, -1.5), f32s(1.0, 1e-9, 1.0)]),
    (&["fmin", "min_f32", "min_num_f32"], 1, &[f32s(0.5, -2.0, -2.0), f32s(1.0, f32::NAN, 1.0)]),
    (&["fmax", "max_f32", "max_num_f32"], 1, &[f32s(0.5, -2.0, 0.5), f32s(1.0, f32::NAN, 1.0)]),
    (&["add_f64"], 2, &[f64s(0.5, -2.0, -1.5), f64s(1.0, 1e-300, 1.0)]),
    (&["fmin_x2", "min_f64", "min_num_f64"], 2, &[f64s(0.5, -2.0, -2.0), f64s(1.0, f64::NAN, 1.0)]),
    (&["fmax_x2", "max_f64", "max_num_f64"], 2, &[f64s(0.5, -2.0, 0.5), f64s(1.0, f64::NAN, 1.0)]),
    // 1 + 2 and -0.5 + 0.5; the largest and 16, half of what is between it and infinity.
    (&["pk_add_f16"], 1, &[(0xb800_3c00, 0x3800_4000, 0x4200), (0x7bff, 0x4c00, 0x7c00)]),
    (&["pk_add_bf16"], 1, &[(0xbf00_3f80, 0x3f00_4000, 0x4040)]),
];

/// Checks an atomic instruction of two operands that returns the old value or does not, whose operation has this name. `line` gives
/// the instruction of its data, and its result if it has one.
pub(crate) fn check_atomic(operation: &str, path: Path, line: impl Fn(&str, Option<&str>) -> String) {
    let (_, words, cases) = ATOMICS
        .iter()
        .find(|(names, ..)| names.contains(&operation))
        .unwrap_or_else(|| panic!("no cases of {operation}"));
    for &(old, data, new) in *cases {
        for result in [None, Some(registers(8, *words))] {
            let line = line(&registers(4, *words), result.as_deref());
            let mut bench = path.bench(0);
            bench.set64(4, |_| data);
            let found = update(&mut bench, path, &line, *words, old);
            found.iter().for_each(|&found| assert_eq!(found, new, "{line} of {old:#x}, {data:#x}"));
            if result.is_some() {
                check_returned(&bench, *words, old, &line);
            }
        }
    }
}

/// Checks an atomic instruction that compares.
pub(crate) fn check_compare(words: usize, path: Path, line: impl Fn(&str, &str, Option<&str>) -> String) {
    for (old, new) in [(7, 1 << 33 | 9), (1 << 32 | 5, 1 << 32 | 5), (5, 5)] {
        for result in [None, Some(registers(8, words))] {
            let line = line(&registers(4, words), &registers(4 + words, words), result.as_deref());
            let mut bench = path.bench(0);
            let limit = if words == 1 { W1 } else { M1 };
            // What to store, and what to compare with.
            bench.set64(4, |_| 1 << 33 | 9);
            bench.set64(4 + words as u16, |_| 7);
            let found = update(&mut bench, path, &line, words, old & limit);
            found.iter().for_each(|&found| assert_eq!(found, new & limit, "{line} of {old:#x}"));
            if result.is_some() {
                check_returned(&bench, words, old & limit, &line);
            }
        }
    }
}

fn check_returned(bench: &Bench, words: usize, old: u64, line: &str) {
    let (low, high) = (bench.get(8), bench.get(9));
    for lane in lanes_on() {
        assert_eq!(low[lane], old as u32, "{line}");
        assert!(words == 1 || high[lane] == (old >> 32) as u32, "{line}");
    }
}

/// Executes an instruction on values in memory, and gives what they become, for each lane.
fn update(bench: &mut Bench, path: Path, line: &str, words: usize, old: u64) -> Vec<u64> {
    let memory = bench.memory();
    let execute = decode(bench, line);
    bench.in_block(|wave, block| {
        for lane in lanes_on() {
            for (at, byte) in (0..).zip(&old.to_le_bytes()[..words * 4]) {
                path.place.set(wave, block, lane, path.start(memory, lane, 0) + at, *byte);
            }
        }
        run(&execute, wave, block, line);
        let mut value = |lane: usize| {
            let start = path.start(memory, lane, 0);
            (0..words as u64 * 4)
                .map(|at| u64::from(path.place.get(wave, block, lane, start + at)) << (at * 8))
                .fold(0, |all, byte| all | byte)
        };
        lanes_on().map(&mut value).collect()
    })
}

/// The references of all loads and stores with a prefix.
macro_rules! load_store_references {
    ($prefix:literal, $check:expr) => {
        load_store_references!(@names $prefix, $check;
            "load_dword" "load_b32" "load_dwordx2" "load_b64" "load_dwordx3" "load_b96" "load_dwordx4" "load_b128"
            "store_dword" "store_b32" "store_dwordx2" "store_b64" "store_dwordx3" "store_b96"
            "store_dwordx4" "store_b128" "store_byte" "store_b8" "store_short" "store_b16"
            "store_byte_d16_hi" "store_d16_hi_b8" "store_short_d16_hi" "store_d16_hi_b16"
            "load_ubyte" "load_u8" "load_sbyte" "load_i8" "load_ushort" "load_u16" "load_sshort" "load_i16"
            "load_ubyte_d16" "load_d16_u8" "load_sbyte_d16" "load_d16_i8" "load_short_d16" "load_d16_b16"
            "load_ubyte_d16_hi" "load_d16_hi_u8" "load_sbyte_d16_hi" "load_d16_hi_i8"
            "load_short_d16_hi" "load_d16_hi_b16"
        )
    };
    (@names $prefix:literal, $check:expr; $($name:literal)*) => {
        &[$($crate::isa::testing::Reference { name: concat!($prefix, "_", $name), check: $check }),*]
    };
}
pub(crate) use load_store_references;
