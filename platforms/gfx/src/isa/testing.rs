//! Executes single instructions in tests, and compares them with references.

use super::element::Kind;
use crate::assembly::{DecodeError, File, Statement, Value, special};
use crate::fault::{FaultKind, Stop};
use crate::isa;
use crate::machine::block::Block;
use crate::machine::code::Code;
use crate::machine::descriptor::{Descriptor, SIZE};
use crate::machine::launch::Launch;
use crate::machine::memory::{Memory, Region};
use crate::machine::races::Shadow;
use crate::machine::wave::{LANES, Row, Wave};
use crate::target::Target;

/// A wave on its own, whose registers tests set and read.
pub(crate) struct Bench {
    pub(crate) target: Target,
    pub(crate) wave: Wave,
    /// Global memory at [`Bench::memory`].
    bytes: Box<Bytes>,
    pub(crate) lds: u32,
}

/// Aligned as allocations of a device are.
#[repr(align(256))]
struct Bytes([u64; 512]);

struct OneRegion(Region);

// SAFETY: the region is the memory of a `Bench`, which outlives the launch.
unsafe impl Memory for OneRegion {
    fn region(&self, address: u64) -> Option<Region> {
        self.0.addresses.contains(&address).then(|| self.0.clone())
    }
}

impl Bench {
    /// A wave of a processor, with all lanes on and no register written.
    pub(crate) fn new(processor: &str) -> Self {
        let target = Target::find(processor).expect("a processor");
        let mut random = fastrand::Rng::with_seed(7);
        let accumulators = if target.has_accumulators() { 256 } else { 0 };
        let mut wave = Wave::new(target.lanes, 0, [256, accumulators], 256);
        wave.begin(&mut random);
        wave.set_scalar64(special::EXEC, wave.all());
        wave.mode = 0xf0;
        Self { target, wave, bytes: Box::new(Bytes([0; 512])), lds: 1024 }
    }

    /// The address of 4096 bytes of global memory.
    pub(crate) fn memory(&self) -> u64 {
        self.bytes.0.as_ptr() as u64
    }

    /// Global memory as words.
    pub(crate) fn words(&self) -> Vec<u32> {
        self.bytes.0.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect()
    }

    pub(crate) fn set_words(&mut self, words: &[u32]) {
        for (at, pair) in words.chunks(2).enumerate() {
            self.bytes.0[at] = u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32;
        }
    }

    /// Turns lanes on or off.
    pub(crate) fn set_exec(&mut self, mask: u64) {
        self.wave.set_scalar64(special::EXEC, mask);
    }

    /// Sets v`number` in every lane.
    pub(crate) fn set(&mut self, number: u16, value: impl Fn(usize) -> u32) {
        self.set_all(number, &std::array::from_fn(value));
    }

    #[inline(never)]
    fn set_all(&mut self, number: u16, values: &Row) {
        self.set_rows(File::Vector, number, std::slice::from_ref(values));
    }

    /// Sets registers of a file from `first` on, in every lane.
    pub(crate) fn set_rows(&mut self, file: File, first: u16, rows: &[Row]) {
        for (number, row) in (first..).zip(rows) {
            let to = self.wave.row_index(file, number).expect("a register");
            self.wave.set_row(to, row, self.wave.all());
        }
    }

    /// Sets v`number` and the next one in every lane.
    pub(crate) fn set64(&mut self, number: u16, value: impl Fn(usize) -> u64) {
        self.set(number, |lane| value(lane) as u32);
        self.set(number + 1, |lane| (value(lane) >> 32) as u32);
    }

    /// v`number` in every lane.
    pub(crate) fn get(&self, number: u16) -> Row {
        *self.wave.row(self.wave.row_index(File::Vector, number).expect("a register"))
    }

    /// v`number` and the next one.
    pub(crate) fn get64(&self, number: u16) -> [u64; LANES] {
        let (low, high) = (self.get(number), self.get(number + 1));
        std::array::from_fn(|lane| u64::from(low[lane]) | u64::from(high[lane]) << 32)
    }

    /// Executes one instruction.
    ///
    /// # Panics
    /// If it is not understood, or stops the wave.
    pub(crate) fn run(&mut self, text: &str) {
        if let Err(stop) = self.try_run(text) {
            panic!("{text}: {stop:?}");
        }
    }

    /// The kind of fault that an instruction stops with.
    pub(crate) fn fault(&mut self, text: &str) -> FaultKind {
        match self.try_run(text) {
            Err(Stop::Fault(fault)) => fault.kind,
            other => panic!("{text}: no fault but {other:?}"),
        }
    }

    /// Expects that an instruction's result counts as unwritten in some lane that is on.
    pub(crate) fn expect_undefined(&mut self, text: &str) {
        self.run(text);
        let statement = Statement::parse(text, 0, Vec::new());
        let Value::Registers { file, first, .. } = statement.operands[0].value else {
            panic!("{text}: no register")
        };
        let written = match file {
            File::Scalar => self.wave.scalar_mask_bits(first).1,
            file => self.wave.written(self.wave.row_index(file, first).expect("a register")),
        };
        assert_ne!(self.wave.exec() & !written, 0, "{text}: the result counts as written");
    }

    /// Why an instruction is not understood.
    pub(crate) fn refusal(&self, text: &str) -> DecodeError {
        isa::decode(Statement::parse(text, 0, Vec::new()), &self.target)
            .err()
            .expect("the instruction is understood")
    }

    /// Executes instructions one after another, in one workgroup, so that the LDS stays.
    pub(crate) fn try_run(&mut self, text: &str) -> Result<(), Stop> {
        let lines = self.decode(text);
        self.in_block(|wave, block| {
            lines
                .iter()
                .try_for_each(|execute| execute(wave, block).and_then(|()| wave.settle()))
                .map_err(|stop| *stop)
        })
    }

    /// Nanoseconds that instructions take: the fastest of many measurements.
    pub(crate) fn time(&mut self, text: &str) -> f64 {
        const TIMES: u32 = 1000;
        let lines = self.decode(text);
        let measure = |wave: &mut Wave, block: &mut Block<'_>| {
            let start = std::time::Instant::now();
            for _ in 0..TIMES {
                lines.iter().for_each(|execute| drop(execute(wave, block)));
            }
            start.elapsed().as_nanos() as f64 / f64::from(TIMES) / lines.len() as f64
        };
        self.in_block(|wave, block| (0..100).map(|_| measure(wave, block)).fold(f64::MAX, f64::min))
    }

    fn decode(&self, text: &str) -> Vec<isa::Execute> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines
            .map(|line| {
                let statement = Statement::parse(line, 0, Vec::new());
                isa::decode(statement, &self.target).unwrap_or_else(|error| panic!("{line}: {error}"))
            })
            .collect()
    }

    /// Gives the wave a workgroup.
    pub(crate) fn in_block<T>(&mut self, f: impl FnOnce(&mut Wave, &mut Block<'_>) -> T) -> T {
        self.with_block(&Code::new(Vec::new(), 0), f)
    }

    /// The wave in a workgroup whose program is `code`.
    pub(crate) fn with_block<T>(&mut self, code: &Code, f: impl FnOnce(&mut Wave, &mut Block<'_>) -> T) -> T {
        let (mut f, mut result) = (Some(f), None);
        self.enter(code, &mut |wave, block| result = f.take().map(|f| f(wave, block)));
        result.expect("it was called")
    }

    /// Not generic, as the functions below are not: compiling it for each test takes minutes.
    fn enter(&mut self, code: &Code, f: &mut dyn FnMut(&mut Wave, &mut Block<'_>)) {
        let descriptor = Descriptor::parse(&[0; SIZE]);
        let start = self.memory();
        let (addresses, description) = (start..start + 4096, "the bench".to_owned());
        let region = Region { addresses, writable: true, watched: true, description };
        let memory = OneRegion(region);
        let launch = Launch {
            target: self.target,
            code,
            descriptor: &descriptor,
            instructions: 0..0,
            grid: [1; 3],
            block: [self.target.lanes as u32, 1, 1],
            dynamic_lds: self.lds,
            arguments: 0,
            packet: 0,
            memory: &memory,
            shadow: Some(Shadow::default()),
            statistics: None,
            recorded: &[],
            time: None,
            seed: 1,
            limit: u64::MAX,
        };
        let mut block = Block::new(&launch, [0; 3], 0, Default::default());
        f(&mut self.wave, &mut block);
    }
}

/// The independent check of one form: every form has one, see the test `every_form_has_a_reference`.
pub(crate) struct Reference {
    pub(crate) name: &'static str,
    pub(crate) check: fn(&str),
}

/// Values at which instructions go wrong, and some random ones.
pub(crate) fn samples(kind: Kind, random: &mut fastrand::Rng) -> Vec<u64> {
    let mut all: Vec<u64> = match kind {
        Kind::B16 => vec![0, 1, 2, 0x7f, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff],
        Kind::B32 => vec![
            0,
            1,
            2,
            31,
            32,
            33,
            0xffff,
            0x10000,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xffff_fffe,
            0xffff_ffff,
        ],
        Kind::B64 => vec![
            0,
            1,
            2,
            63,
            64,
            0xffff_ffff,
            0x1_0000_0000,
            i64::MAX as u64,
            1 << 63,
            (1 << 63) + 1,
            u64::MAX - 1,
            u64::MAX,
        ],
        // Zero, subnormals, one, halfway cases, the largest, infinity, quiet and signalling NaN; of both signs.
        Kind::F16 => signed(
            &[
                0, 1, 0x3ff, 0x400, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3e00, 0x4100, 0x7bff, 0x7c00, 0x7e00,
                0x7c01,
            ],
            15,
        ),
        Kind::Bf16 => {
            signed(&[0, 1, 0x7f, 0x80, 0x3f00, 0x3f80, 0x3f81, 0x4020, 0x7f7f, 0x7f80, 0x7fc0, 0x7f81], 15)
        }
        Kind::F32 => {
            let plain = [
                0.5,
                1.0,
                1.5,
                2.5,
                3.0,
                1e-30,
                1e10,
                65504.0,
                65520.0,
                2147483648.0,
                4294967040.0,
                f32::MAX,
                f32::MIN_POSITIVE,
            ];
            let mut bits: Vec<u64> = plain.iter().map(|value| u64::from(value.to_bits())).collect();
            bits.extend([0, 1, 0x7f_ffff, 0x3f80_0001, 0x3f7f_ffff, 0x7f80_0000, 0x7fc0_0000, 0x7f80_0001]);
            signed(&bits, 31)
        }
        Kind::F64 => {
            let plain = [
                0.5,
                1.0,
                1.5,
                2.5,
                3.0,
                1e-300,
                1e10,
                4294967295.0,
                2147483648.0,
                1e40,
                f64::MAX,
                f64::MIN_POSITIVE,
            ];
            let mut bits: Vec<u64> = plain.iter().map(|value: &f64| value.to_bits()).collect();
            bits.extend([
                0,
                1,
                (1 << 52) - 1,
                0x7ff0_0000_0000_0000,
                0x7ff8_0000_0000_0000,
                0x7ff0_0000_0000_0001,
            ]);
            signed(&bits, 63)
        }
        Kind::PackedB16 | Kind::PackedF16 | Kind::PackedBf16 => {
            let half = match kind {
                Kind::PackedB16 => Kind::B16,
                Kind::PackedF16 => Kind::F16,
                _ => Kind::Bf16,
            };
            let mut values = samples(half, random);
            let others = values.clone();
            values.iter_mut().for_each(|value| *value |= others[random.usize(..others.len())] << 16);
            return values;
        }
    };
    let bits = match kind {
        kind if kind.is_half() => 16,
        Kind::B64 | Kind::F64 => 64,
        _ => 32,
    };
    all.extend((0..24).map(|_| random.u64(..) >> (64 - bits)));
    // Floats of moderate size, whose sums and products do not overflow.
    all.extend((0..16).map(|_| {
        let value = (random.f64() - 0.5) * 64.0;
        match kind {
            Kind::F16 => u64::from(half::f16::from_f64(value).to_bits()),
            Kind::Bf16 => u64::from(half::bf16::from_f64(value).to_bits()),
            Kind::F32 => u64::from((value as f32).to_bits()),
            Kind::F64 => value.to_bits(),
            _ => random.u64(..256),
        }
    }));
    all
}

fn signed(bits: &[u64], sign: u32) -> Vec<u64> {
    bits.iter().flat_map(|&value| [value, value | 1 << sign]).collect()
}

/// Whether two results are the same: bit for bit, but that all NaNs are alike.
pub(crate) fn same(kind: Kind, a: u64, b: u64) -> bool {
    let is_nan = |bits: u64| match kind {
        Kind::F16 => half::f16::from_bits(bits as u16).is_nan(),
        Kind::Bf16 => half::bf16::from_bits(bits as u16).is_nan(),
        Kind::F32 => f32::from_bits(bits as u32).is_nan(),
        Kind::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    };
    match kind {
        Kind::PackedF16 => same(Kind::F16, a & 0xffff, b & 0xffff) && same(Kind::F16, a >> 16, b >> 16),
        Kind::PackedBf16 => same(Kind::Bf16, a & 0xffff, b & 0xffff) && same(Kind::Bf16, a >> 16, b >> 16),
        _ => a == b || (is_nan(a) && is_nan(b)),
    }
}

/// Compares an instruction that works on each lane alone with a reference, over combinations of special and random values and
/// with some lanes off, which must keep their values.
///
/// `text` names registers `{d}`, `{0}`, `{1}`, `{2}`: `v_add_f32_e64 {d}, {0}, {1}`. The reference gets the sources' bits, then
/// the destination's old ones, and gives the result's bits; for results of 16 bits, the lower half is compared.
pub(crate) fn check(
    processor: &str,
    text: &str,
    sources: &[Kind],
    destination: Kind,
    reference: impl Fn(&[u64]) -> u64,
) {
    check_each(processor, text, sources, destination, &reference);
}

fn check_each(
    processor: &str,
    text: &str,
    sources: &[Kind],
    destination: Kind,
    reference: &dyn Fn(&[u64]) -> u64,
) {
    let mut bench = Bench::new(processor);
    let mut random = fastrand::Rng::with_seed(3);
    let registers = |first: u16, kind: Kind| match kind.words() {
        1 => format!("v{first}"),
        words => format!("v[{first}:{}]", first + words - 1),
    };
    let mut line = text.replace("{d}", &registers(0, destination));
    for (at, &kind) in sources.iter().enumerate() {
        line = line.replace(&format!("{{{at}}}"), &registers(4 + 4 * at as u16, kind));
    }
    let columns: Vec<Vec<u64>> = sources.iter().map(|&kind| samples(kind, &mut random)).collect();
    let old = samples(destination, &mut random);
    let combinations = columns.iter().map(Vec::len).product::<usize>().min(4096);
    for batch in 0..combinations.div_ceil(LANES) {
        // All pairs while there are few; else random combinations.
        let values: Vec<Vec<u64>> = (0..LANES)
            .map(|lane| {
                let mut rest = batch * LANES + lane;
                let mut row: Vec<u64> = columns
                    .iter()
                    .map(|column| {
                        let value = if sources.len() > 2 {
                            random.usize(..column.len())
                        } else {
                            rest % column.len()
                        };
                        rest /= column.len();
                        column[value]
                    })
                    .collect();
                row.push(old[random.usize(..old.len())]);
                row
            })
            .collect();
        bench.set_exec(u64::MAX);
        for (at, &kind) in sources.iter().enumerate() {
            set(&mut bench, 4 + 4 * at as u16, kind, |lane| values[lane][at]);
        }
        set(&mut bench, 0, destination, |lane| values[lane][sources.len()]);
        let exec = if batch % 2 == 0 { u64::MAX } else { random.u64(..) };
        bench.set_exec(exec);
        bench.run(&line);
        let results = get(&bench, 0, destination);
        for lane in 0..bench.wave.lanes {
            let row = &values[lane];
            let expected = if exec >> lane & 1 == 0 { row[sources.len()] } else { reference(row) };
            let compared = |bits: u64| if destination.is_half() { bits & 0xffff } else { bits };
            assert!(
                same(destination, compared(results[lane]), compared(expected)),
                "{processor}: {line} of {row:x?}: {:#x}, expected {expected:#x}, lane {lane} of {exec:#x}",
                results[lane],
            );
        }
    }
}

fn set(bench: &mut Bench, number: u16, kind: Kind, value: impl Fn(usize) -> u64) {
    match kind.words() {
        1 => bench.set(number, |lane| value(lane) as u32),
        _ => bench.set64(number, value),
    }
}

fn get(bench: &Bench, number: u16, kind: Kind) -> [u64; LANES] {
    match kind.words() {
        1 => bench.get(number).map(u64::from),
        _ => bench.get64(number),
    }
}
