//! The least time that a launch can take on a product: that of the busiest unit.

use candle_rocm_gfx::class::{Class, Vector};
use candle_rocm_gfx::profile::{LINE, Profile};
use rocm_kernels::{Processor, Rates};

/// What can limit a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Limit {
    /// The bandwidth of the memory.
    Memory,
    /// The latency of the memory: too few loads are under way at once.
    Latency,
    Vector,
    Transcendental,
    Scalar,
    /// Addresses of loads and stores, and the L0 or L1 cache.
    Cache,
    Lds,
    Matrix,
}

impl Limit {
    pub(super) const ALL: [Self; 8] = [
        Self::Memory,
        Self::Latency,
        Self::Vector,
        Self::Transcendental,
        Self::Scalar,
        Self::Cache,
        Self::Lds,
        Self::Matrix,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Memory => "bandwidth",
            Self::Latency => "latency",
            Self::Vector => "VALU",
            Self::Transcendental => "transcendental",
            Self::Scalar => "SALU",
            Self::Cache => "L0 cache",
            Self::Lds => "LDS",
            Self::Matrix => "matrix",
        }
    }
}

/// The bounds of a launch.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    /// Seconds that each unit is busy.
    pub(super) seconds: [f64; Limit::ALL.len()],
    /// Bytes of the lines that go between memory and the L2 cache.
    pub(super) bytes: f64,
    /// Waves on a SIMD.
    pub(super) waves: u64,
    /// Turns of the LDS, for one that it would take without conflicts.
    pub(super) conflicts: f64,
}

impl Bounds {
    /// The least time, and what it is due to.
    pub(super) fn least(&self) -> (f64, Limit) {
        let times = Limit::ALL.into_iter().map(|limit| (self.seconds[limit as usize], limit));
        times.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0., Limit::Memory))
    }

    pub(super) fn new(profile: &Profile, processor: &Processor, rates: &Rates) -> Self {
        let scale = profile.blocks as f64 / profile.ran.max(1) as f64;
        let cycles = Cycles::count(profile, processor, rates);
        let residence = Residence::new(profile, processor, rates);

        // Units that the workgroups are spread over: on RDNA, the two compute units that share an LDS.
        let shared = if processor.wavefront == 32 { 2. } else { 1. };
        let (units, blocks) = (f64::from(rates.units) / shared, profile.blocks.max(1) as f64);
        // The busiest has as many workgroups as this, where an even share may be less.
        let imbalance = (blocks / units).ceil() / (blocks / units);
        let hertz = f64::from(rates.clock) * 1e6;
        let (cus, simds) = (f64::from(rates.units), f64::from(rates.units * rates.simds));
        let seconds = |cycles: f64, units: f64| cycles * scale / units / hertz * imbalance;

        let capped = |lines: u64, size: u64| {
            (lines as f64 * scale * LINE as f64).min(size.next_multiple_of(LINE) as f64)
        };
        let read: f64 = profile.memory.iter().map(|at| capped(at.read, at.size)).sum();
        let written: f64 = profile.memory.iter().map(|at| capped(at.written, at.size)).sum();
        let lines: f64 = profile.memory.iter().map(|at| (at.read * LINE) as f64 * scale).sum();
        // Loads of what other workgroups have loaded before take less long.
        let from_memory = if lines > 0. { (read / lines).min(1.) } else { 0. };
        let latency =
            f64::from(rates.cache_latency) + from_memory * f64::from(rates.latency - rates.cache_latency);
        let waiting = profile.waits as f64 * scale * latency * 1e-9 / residence.on_card;

        let mut all = [0.; Limit::ALL.len()];
        all[Limit::Memory as usize] = (read + written) / (f64::from(rates.bandwidth) * 1e9);
        all[Limit::Latency as usize] = waiting;
        all[Limit::Vector as usize] = seconds(cycles.vector, simds);
        all[Limit::Transcendental as usize] = seconds(cycles.transcendental, simds);
        all[Limit::Scalar as usize] = seconds(cycles.scalar, cus);
        all[Limit::Cache as usize] = seconds(cycles.cache, cus);
        all[Limit::Lds as usize] = seconds(cycles.lds, cus);
        all[Limit::Matrix as usize] = seconds(cycles.matrix, cus);
        let turns = |of: fn(&candle_rocm_gfx::profile::Traffic) -> u64| {
            profile.instructions.iter().map(|at| of(&at.traffic)).sum::<u64>() as f64
        };
        Self {
            seconds: all,
            bytes: read + written,
            waves: residence.waves,
            conflicts: turns(|at| at.turns) / turns(|at| at.least_turns).max(1.),
        }
    }
}

/// Cycles of the workgroups that ran: of a SIMD for vector instructions, of a compute unit for the others.
#[derive(Default)]
struct Cycles {
    vector: f64,
    transcendental: f64,
    scalar: f64,
    cache: f64,
    lds: f64,
    matrix: f64,
}

impl Cycles {
    fn count(profile: &Profile, processor: &Processor, rates: &Rates) -> Self {
        let mut cycles = Self::default();
        let lanes = f64::from(processor.wavefront);
        for instruction in &profile.instructions {
            let (executed, traffic) = (instruction.executed as f64, &instruction.traffic);
            match Class::of(&instruction.text) {
                Class::Nothing => {}
                Class::Scalar => cycles.scalar += executed / f64::from(rates.scalar),
                Class::Vector(Vector::Full) => cycles.vector += executed * f64::from(rates.vector),
                Class::Vector(Vector::Multiply) => cycles.vector += executed * f64::from(rates.multiply),
                Class::Vector(Vector::Double) => cycles.vector += executed * f64::from(rates.double),
                Class::Vector(Vector::Transcendental) => {
                    cycles.transcendental += executed * f64::from(rates.transcendental);
                    let issue = if rates.transcendental_unit { rates.vector } else { rates.transcendental };
                    cycles.vector += executed * f64::from(issue);
                }
                Class::Matrix { operations, bytes } => {
                    let rate = if bytes { rates.matrix8 } else { rates.matrix16 };
                    cycles.matrix += executed * operations as f64 / f64::from(rate);
                }
                Class::Memory => {
                    let addresses = traffic.accesses as f64 * lanes / f64::from(rates.addresses);
                    let lines = traffic.lines[usize::from(rates.cache >= 128)] as f64;
                    cycles.cache += addresses.max(lines);
                }
                // Those that permute lanes do not touch memory, but use its ways in and out.
                Class::Local if traffic.accesses == 0 => {
                    cycles.lds += executed * lanes * 4. / f64::from(rates.lds);
                }
                // A turn delivers a word of each of 32 banks.
                Class::Local => cycles.lds += traffic.turns as f64 * 128. / f64::from(rates.lds),
            }
        }
        cycles
    }
}

/// How much of a launch is on the card at once.
struct Residence {
    /// Waves on a SIMD.
    waves: u64,
    /// Waves of the launch on the card.
    on_card: f64,
}

impl Residence {
    fn new(profile: &Profile, processor: &Processor, rates: &Rates) -> Self {
        let shared = if processor.wavefront == 32 { 2 } else { 1 };
        let simds = u64::from(rates.simds) * shared;
        let waves_of_block = u64::from(profile.threads.div_ceil(processor.wavefront).max(1));
        let by_registers = processor.registers.occupancy(profile.registers.into(), 1, processor.wavefront);
        let by_waves = (by_registers * simds / waves_of_block).max(1);
        let lds = u64::from(processor.lds) * shared;
        let by_lds = lds.checked_div(profile.lds.into()).unwrap_or(by_waves).max(1);
        let blocks = by_waves.min(by_lds);
        let waves = (blocks * waves_of_block).div_ceil(simds).min(by_registers);
        let blocks_on_card = profile.blocks.min(blocks * u64::from(rates.units) / shared).max(1);
        Self { waves, on_card: (blocks_on_card * waves_of_block) as f64 }
    }
}
