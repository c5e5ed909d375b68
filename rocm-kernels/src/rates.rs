//! How fast a product can be at most: what `cargo xtask bound` divides by.

/// The peak rates of a product. Cycles are those that a SIMD takes for an instruction of a wave, unless noted otherwise.
///
/// Sources: AMD's product pages (units, clocks, bandwidths), and their peak rates divided by units and clocks (matrix products, f64); AMD's
/// RDNA and CDNA 3 white papers and ISA guides (SIMDs, lanes, LDS, transcendental instructions); ROCm Compute Profiler's documentation of
/// its peaks (caches). Not from AMD: integer multiplications (LLVM's cost model lists them as quarter rate, like transcendental
/// instructions), the L0 cache of RDNA (128 bytes per cycle in Chips and Cheese's measurements), and latencies, which are close to those
/// that Chips and Cheese measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// The product's name.
    pub product: &'static str,
    /// Number of compute units.
    pub units: u32,
    /// SIMDs per compute unit.
    pub simds: u32,
    /// Peak clock of the compute units, in MHz.
    pub clock: u32,
    /// Memory bandwidth, in GB/s.
    pub bandwidth: u32,
    /// Latency of a load from otherwise idle memory, in ns.
    pub latency: u32,
    /// Latency of a load from the L2 cache, in ns.
    pub cache_latency: u32,
    /// Bytes that the L0 or L1 cache of a compute unit delivers per cycle.
    pub cache: u32,
    /// Lanes whose addresses a compute unit processes per cycle.
    pub addresses: u32,
    /// Bytes that the LDS delivers to a compute unit per cycle.
    pub lds: u32,
    /// Cycles of a vector instruction.
    pub vector: u32,
    /// Cycles of a transcendental instruction.
    pub transcendental: u32,
    /// Whether transcendental instructions have their own unit, so that other instructions run in parallel.
    pub transcendental_unit: bool,
    /// Cycles of a 32-bit integer multiplication.
    pub multiply: u32,
    /// Cycles of an f64 addition or multiplication.
    pub double: u32,
    /// Scalar instructions per compute unit and cycle.
    pub scalar: u32,
    /// f32 operations per compute unit and cycle, with dual or packed vector instructions. Additions and multiplications are counted
    /// separately, here and below.
    pub float32: u32,
    /// f16 and bf16 operations of matrix instructions, per compute unit and cycle.
    pub matrix16: u32,
    /// 8-bit operations of matrix instructions, per compute unit and cycle.
    pub matrix8: u32,
}

pub(crate) const RX_7900_XTX: Rates = Rates {
    product: "Radeon RX 7900 XTX",
    units: 96,
    simds: 2,
    clock: 2500,
    bandwidth: 960,
    latency: 280,
    cache_latency: 90,
    cache: 128,
    addresses: 32,
    lds: 128,
    vector: 1,
    transcendental: 4,
    transcendental_unit: true,
    multiply: 4,
    double: 16,
    scalar: 2,
    float32: 256,
    matrix16: 512,
    matrix8: 512,
};

pub(crate) const W7900: Rates =
    Rates { product: "Radeon PRO W7900", clock: 2495, bandwidth: 864, ..RX_7900_XTX };

pub(crate) const RX_7900_GRE: Rates =
    Rates { product: "Radeon RX 7900 GRE", units: 80, clock: 2245, bandwidth: 576, ..RX_7900_XTX };

pub(crate) const RX_7700_XT: Rates =
    Rates { product: "Radeon RX 7700 XT", units: 54, clock: 2544, bandwidth: 432, ..RX_7900_XTX };

pub(crate) const RADEON_8060S: Rates =
    Rates { product: "Radeon 8060S", units: 40, clock: 2900, bandwidth: 256, ..RX_7900_XTX };

pub(crate) const RX_9070_XT: Rates = Rates {
    product: "Radeon RX 9070 XT",
    units: 64,
    clock: 2970,
    bandwidth: 640,
    matrix16: 1024,
    matrix8: 2048,
    ..RX_7900_XTX
};

pub(crate) const R9700: Rates = Rates { product: "Radeon AI PRO R9700", clock: 2920, ..RX_9070_XT };

pub(crate) const MI250X: Rates = Rates {
    product: "Instinct MI250X, one of its two dies",
    units: 110,
    simds: 4,
    clock: 1700,
    bandwidth: 1638,
    latency: 350,
    cache_latency: 120,
    cache: 64,
    addresses: 16,
    lds: 128,
    vector: 4,
    transcendental: 16,
    transcendental_unit: false,
    multiply: 16,
    double: 4,
    scalar: 1,
    float32: 256,
    matrix16: 1024,
    matrix8: 1024,
};

pub(crate) const MI210: Rates = Rates { product: "Instinct MI210", units: 104, ..MI250X };

/// Its dot products of two f16 and of four bytes stand for matrix instructions.
pub(crate) const RADEON_VII: Rates = Rates {
    product: "Radeon VII",
    units: 60,
    clock: 1750,
    bandwidth: 1024,
    double: 16,
    float32: 128,
    matrix16: 256,
    matrix8: 512,
    ..MI250X
};

pub(crate) const MI300X: Rates = Rates {
    product: "Instinct MI300X",
    units: 304,
    clock: 2100,
    bandwidth: 5300,
    matrix16: 2048,
    matrix8: 4096,
    ..MI250X
};
