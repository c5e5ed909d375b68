//! Cards, with the figures that a performance model needs besides their peak rates: latencies and bandwidths of each level of memory,
//! clocks under load, and launch costs.
//!
//! Each number is a [`Figure`]: the value in use, the range of published values, and their source. Where sources disagree, the range covers
//! all of them and the source says who published what. A source that begins with `fitted` names the published measurements to which the
//! value was fitted: those rows of a validation say nothing about the model.

use crate::rates::{
    MI210, MI300X, R9700, RADEON_8060S, RADEON_VII, RX_7700_XT, RX_7900_GRE, RX_7900_XTX, RX_9070_XT, W7900,
};
use crate::{Processor, Rates};

/// A number and its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The value in use.
    pub value: f64,
    /// The smallest and largest published value, or an estimate if none was published.
    pub range: (f64, f64),
    /// Who published it, or why it is believed.
    pub source: &'static str,
}

/// A card and its figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// The processor's name, such as `gfx1100`.
    pub processor: &'static str,
    /// The peak rates, with the product's name.
    pub rates: Rates,
    /// Clock of the compute units under load, in MHz.
    pub clock: Figure,
    /// Cycles until an instruction can use the result of a vector instruction.
    pub vector_latency: Figure,
    /// Cycles until an instruction can use the result of a scalar instruction.
    pub scalar_latency: Figure,
    /// Cycles that a wave loses to a taken branch.
    pub branch: Figure,
    /// Bytes of instructions that a compute unit, or a pair of them, fetches per cycle.
    pub fetch: Figure,
    /// Latency of the LDS in cycles.
    pub lds_latency: Figure,
    /// The scalar cache of a compute unit, or of a pair of them. Latency in cycles.
    pub scalar_cache: Cache,
    /// The vector cache of a compute unit. Latency in cycles.
    pub l0: Cache,
    /// Cache lines that an L0 can have outstanding.
    pub misses: Figure,
    /// The cache of a shader array, if there is one, and the number of them. Latency in cycles.
    pub l1: Option<(Cache, u32)>,
    /// The L2 cache. Latency in ns, as in the levels below.
    pub l2: Cache,
    /// The Infinity Cache, if there is one.
    pub infinity: Option<Cache>,
    /// The memory. Its size is 0 if the GPU shares the machine's.
    pub memory: Cache,
    /// Time from the end of a launch's last wave to the first wave of a launch that depends on it, in µs.
    pub launch: Figure,
    /// Time between the starts of two workgroups anywhere on the card, in ns.
    pub dispatch: Figure,
}

/// A level of memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    /// Size in bytes: of one cache inside compute units and shader arrays, and of all of them for later levels.
    pub size: u64,
    /// Bytes of a cache line.
    pub line: u64,
    /// Latency of a load while nothing else loads.
    pub latency: Figure,
    /// Bandwidth: bytes per cycle and compute unit inside compute units and shader arrays, and GB/s of the card for later levels.
    pub bandwidth: Figure,
}

impl Card {
    /// Looks up a card by its product name or the end of it, such as `RX 7900 XTX` or `mi300x`, in any spelling, or by its processor: the
    /// first card of that. `None` also if several cards' names end like that.
    pub fn find(name: &str) -> Option<&'static Self> {
        let letters = |text: &str| -> String {
            text.chars()
                .filter(char::is_ascii_alphanumeric)
                .map(|letter| letter.to_ascii_lowercase())
                .collect()
        };
        let name = letters(name);
        let name = name.strip_prefix("amd").unwrap_or(&name);
        let whole = |card: &&Self| letters(card.rates.product) == name || card.processor == name;
        if let Some(card) = CARDS.iter().find(whole) {
            return Some(card);
        }
        let ends = |card: &&Self| {
            // Without `one of its two dies`.
            let product = card.rates.product.split(',').next().unwrap_or_default();
            product.match_indices(' ').any(|(space, _)| letters(&product[space..]) == name)
        };
        let mut all = CARDS.iter().filter(ends);
        all.next().filter(|_| all.next().is_none())
    }

    /// The card's processor.
    pub fn processor(&self) -> &'static Processor {
        Processor::nearest(self.processor)
    }

    /// The number of multiprocessors that HIP counts.
    pub fn multiprocessors(&self) -> u32 {
        self.rates.units / self.processor().units_per_multiprocessor()
    }

    /// All figures beside the rates, by name.
    pub fn figures(&self) -> Vec<(String, Figure)> {
        let mut card = *self;
        card.figures_mut().into_iter().map(|(name, figure)| (name, *figure)).collect()
    }

    /// All figures beside the rates, by name, for modification.
    pub fn figures_mut(&mut self) -> Vec<(String, &mut Figure)> {
        let mut all = vec![
            ("clock, MHz".to_owned(), &mut self.clock),
            ("vector instruction, cycles".to_owned(), &mut self.vector_latency),
            ("scalar instruction, cycles".to_owned(), &mut self.scalar_latency),
            ("branch, cycles".to_owned(), &mut self.branch),
            ("instructions, bytes per cycle".to_owned(), &mut self.fetch),
            ("LDS, cycles".to_owned(), &mut self.lds_latency),
            ("misses, lines".to_owned(), &mut self.misses),
            ("launch, us".to_owned(), &mut self.launch),
            ("workgroup, ns".to_owned(), &mut self.dispatch),
        ];
        let l1 = self.l1.as_mut().map(|(cache, _)| cache);
        let inner = [("scalar cache", Some(&mut self.scalar_cache)), ("L0", Some(&mut self.l0)), ("L1", l1)];
        let infinity = self.infinity.as_mut();
        let outer =
            [("L2", Some(&mut self.l2)), ("Infinity Cache", infinity), ("memory", Some(&mut self.memory))];
        for (levels, units) in [(inner, ["cycles", "bytes per cycle"]), (outer, ["ns", "GB/s"])] {
            for (name, cache) in levels.into_iter().filter_map(|(name, cache)| Some((name, cache?))) {
                all.push((format!("{name}, {}", units[0]), &mut cache.latency));
                all.push((format!("{name}, {}", units[1]), &mut cache.bandwidth));
            }
        }
        all
    }
}

const fn figure(value: f64, low: f64, high: f64, source: &'static str) -> Figure {
    Figure { value, range: (low, high), source }
}

const fn cache(size: u64, line: u64, latency: Figure, bandwidth: Figure) -> Cache {
    Cache { size, line, latency, bandwidth }
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

const XTX: Card = Card {
    processor: "gfx1100",
    rates: RX_7900_XTX,
    clock: figure(
        2560.,
        2500.,
        2900.,
        "62.9 TFLOPS of f32 measured with Vulkan, divided by 96 units and 256 operations; boost clock 2500",
    ),
    vector_latency: figure(
        5.,
        5.,
        5.,
        "measured for RDNA 3 (published-times: fp-latency-rdna3); LLVM's model of gfx11 has 5 too",
    ),
    scalar_latency: figure(2., 2., 4., "LLVM's model of gfx11: 2, and 4 for floats"),
    branch: figure(
        16.,
        8.,
        32.,
        "believed: LLVM's models have 8 (gfx9) and 32 (gfx11), which schedulers want and nobody measured",
    ),
    fetch: figure(
        32.,
        32.,
        64.,
        "fitted: 448 us of four independent sums on a Radeon 8060S (hipEngine valu-issue)",
    ),
    lds_latency: figure(50., 20., 64., "as measured for CDNA (mt4g: 48 to 52); LLVM's model of gfx11 has 20"),
    scalar_cache: cache(
        16 * KIB,
        64,
        figure(39., 24., 39., "15.4 ns measured on a 7900 XTX; 24 cycles second hand"),
        figure(64., 16., 64., "RDNA white paper: a line per cycle"),
    ),
    l0: cache(
        32 * KIB,
        128,
        figure(
            121.,
            24.,
            121.,
            "fitted with the Radeon 8060S's, of the same design; second hand 24 cycles, which is the scalar cache's",
        ),
        figure(
            128.,
            64.,
            128.,
            "RDNA 3 ISA guide: 64 lanes of 4 bytes in 2 cycles; Chips and Cheese reach it",
        ),
    ),
    misses: figure(
        4096.,
        256.,
        4096.,
        "believed: none was published, and 256 make int8-dot 1.5 to 5 times too long",
    ),
    l1: Some((
        cache(
            256 * KIB,
            128,
            figure(165., 130., 180., "fitted with the Radeon 8060S's"),
            figure(64., 64., 64., "RDNA white paper: 64 bytes per cycle to a unit's L0"),
        ),
        12,
    )),
    l2: cache(
        6 * MIB,
        128,
        figure(90., 52., 90., "Chips and Cheese, about 90 ns; second hand 131 cycles (52 ns)"),
        figure(2880., 2880., 7120., "second hand; 7120 is a coefficient of a GEMM model (origami)"),
    ),
    infinity: Some(cache(
        96 * MIB,
        128,
        figure(
            175.,
            128.,
            245.,
            "vector loads 199 ns with the fabric idle and 150 busy, 170 in 128 MiB; second hand 612 cycles (245 ns)",
        ),
        figure(2300., 2300., 4241., "second hand; 4241 is a coefficient of a GEMM model (origami)"),
    )),
    memory: cache(
        24 * GIB,
        128,
        figure(280., 280., 418., "Chips and Cheese, about 280 ns; second hand 1045 cycles (418 ns)"),
        figure(816., 720., 864., "85 % of 960: a source calls 75 to 85 % of the nominal rate reachable"),
    ),
    launch: figure(
        2.62,
        2.1,
        3.1,
        "fitted: 512 dependent launches in a graph take 2.82 us each, on a stream 3.13",
    ),
    dispatch: figure(
        0.685,
        0.685,
        0.685,
        "fitted: W7900, slope over empty workgroups of 256, 1024 to 8192 of them",
    ),
};

/// All cards whose figures are known.
pub const CARDS: &[Card] = &[
    XTX,
    Card {
        rates: W7900,
        clock: figure(2495., 2495., 2495., "boost clock"),
        memory: cache(
            48 * GIB,
            128,
            XTX.memory.latency,
            figure(734., 648., 734., "85 % of 864: a source calls 75 to 85 % of the nominal rate reachable"),
        ),
        launch: figure(3.58, 3., 3.9, "fitted: a graph of 941 dependent launches takes 3.865 us each"),
        ..XTX
    },
    Card {
        rates: RX_7900_GRE,
        clock: figure(2245., 2245., 2395., "boost clock; games reach more"),
        infinity: Some(cache(
            64 * MIB,
            128,
            figure(175., 128., 245., "as the 7900 XTX's"),
            figure(1533., 1533., 2827., "two thirds of the 7900 XTX's: four of six dies"),
        )),
        memory: cache(16 * GIB, 128, XTX.memory.latency, figure(490., 432., 518., "85 % of 576")),
        ..XTX
    },
    Card {
        processor: "gfx1101",
        rates: RX_7700_XT,
        clock: figure(2544., 2544., 2544., "boost clock"),
        l1: Some((
            cache(
                256 * KIB,
                128,
                figure(165., 130., 180., "as the 8060S's"),
                figure(64., 64., 64., "RDNA white paper"),
            ),
            6,
        )),
        l2: cache(
            2 * MIB,
            128,
            figure(90., 52., 90., "as the 7900 XTX's: none was published"),
            figure(1620., 1620., 4005., "the 7900 XTX's by units: none was published"),
        ),
        infinity: Some(cache(
            48 * MIB,
            128,
            figure(175., 128., 245., "as the 7900 XTX's"),
            figure(1150., 1150., 2120., "half of the 7900 XTX's: three of six dies"),
        )),
        memory: cache(12 * GIB, 128, XTX.memory.latency, figure(367., 324., 389., "85 % of 432")),
        ..XTX
    },
    Card {
        processor: "gfx1151",
        rates: RADEON_8060S,
        clock: figure(2900., 2900., 2900., "boost clock; no clock was logged beside the measurements"),
        l0: cache(
            32 * KIB,
            128,
            figure(
                121.,
                90.,
                121.,
                "fitted: 153.5 us of K=2048 with 128 threads (hipEngine f32-gemv-geometry)",
            ),
            XTX.l0.bandwidth,
        ),
        l1: Some((
            cache(
                256 * KIB,
                128,
                figure(
                    165.,
                    130.,
                    180.,
                    "fitted: 2897 us of K=8192 with 32 threads (hipEngine f32-gemv-geometry)",
                ),
                figure(64., 64., 64., "RDNA white paper: 64 bytes per cycle to a unit's L0"),
            ),
            4,
        )),
        l2: cache(
            2 * MIB,
            128,
            figure(90., 52., 90., "as the 7900 XTX's: none was published"),
            figure(
                1390.,
                1390.,
                2470.,
                "the 7900 XTX's by units and clock; 2470 is a coefficient of a GEMM model (origami)",
            ),
        ),
        infinity: Some(cache(
            32 * MIB,
            128,
            figure(190., 128., 245., "fitted: 26.3 us of coalesced p=1 (hipEngine memory-pattern)"),
            figure(
                1000.,
                1000.,
                1133.,
                "published as just under 1000: fabric of 2 GHz and 512 bytes; origami 1133",
            ),
        )),
        memory: cache(
            0,
            128,
            figure(300., 280., 418., "as the 7900 XTX's: none was published"),
            figure(
                240.,
                215.,
                240.,
                "fitted: 280 us of coalesced p=4 (hipEngine); a Vulkan benchmark 232.5, origami 215",
            ),
        ),
        launch: figure(
            1.72,
            1.4,
            1.9,
            "fitted: 941 launches on a stream take 2.01 us each; 1.75 to 1.86 elsewhere",
        ),
        dispatch: figure(
            1.0,
            0.7,
            2.,
            "believed: the W7900's by the number of shader engines, of which it has fewer",
        ),
        ..XTX
    },
    RDNA4,
    Card {
        rates: R9700,
        clock: figure(
            2530.,
            2350.,
            2920.,
            "332 TOPS of bytes measured, divided by 64 units and 2048 operations; boost clock 2920",
        ),
        launch: figure(
            1.96,
            1.8,
            2.3,
            "fitted: 512 dependent launches in a graph take 2.147 us each, on a stream 2.55",
        ),
        memory: Cache { size: 32 * GIB, ..RDNA4.memory },
        ..RDNA4
    },
    Card {
        processor: "gfx90a",
        rates: MI210,
        clock: figure(1700., 1700., 1700., "peak engine clock, at which latencies were measured"),
        vector_latency: figure(4., 4., 8., "CDNA ISA guides: a wave's next instruction may use the result"),
        scalar_latency: figure(4., 4., 4., "a wave has its turn every 4 cycles"),
        branch: figure(
            16.,
            8.,
            16.,
            "believed: LLVM's model of gfx9 has 8, and a wave has its turn every 4 cycles",
        ),
        fetch: figure(32., 32., 64., "believed: as of RDNA, and more than four SIMDs issue"),
        lds_latency: figure(50., 48., 50., "mt4g: mean 49.9, median 48"),
        scalar_cache: cache(
            16 * KIB,
            64,
            figure(50., 48., 53., "mt4g: mean 52.8, median 48"),
            figure(64., 16., 64., "a line per cycle"),
        ),
        l0: cache(
            16 * KIB,
            64,
            figure(
                107.,
                105.,
                125.1,
                "fitted: 73.6 ns of a chase (gpu-benches: 125.1 cycles with address and loop; mt4g 124)",
            ),
            figure(64., 60., 64., "CDNA 2 white paper; gpu-benches reach 60"),
        ),
        misses: figure(
            4096.,
            256.,
            4096.,
            "believed: none was published, and 256 make int8-dot 1.5 to 5 times too long",
        ),
        l1: None,
        l2: cache(
            8 * MIB,
            128,
            figure(
                144.,
                135.,
                178.,
                "fitted: 153 ns of a chase (gpu-benches 260 cycles up to 4 MB, 237 in 16 kB); mt4g mean 302, median 292",
            ),
            figure(5130., 4310., 5130., "gpu-benches, private windows; mt4g 4014 GiB/s"),
        ),
        infinity: None,
        memory: cache(
            64 * GIB,
            128,
            figure(
                328.,
                325.,
                436.,
                "fitted: 337 ns of a chase (gpu-benches 572 cycles, 650 with misses of translations); mt4g mean 741",
            ),
            figure(1366., 1165., 1399., "gpu-benches read 1366, scale 1399; mt4g 1085 GiB/s"),
        ),
        launch: figure(
            1.6,
            1.2,
            1.8,
            "fitted: 10000 queued launches of 64 kB take 2.1 us each (gpu-benches)",
        ),
        dispatch: figure(
            2.415,
            2.415,
            2.415,
            "fitted: 212, 424 and 842 GB/s with workgroups of 32, 64 and 128 (gpu-benches)",
        ),
    },
    Card {
        processor: "gfx942",
        rates: MI300X,
        clock: figure(
            2100.,
            1300.,
            2100.,
            "peak engine clock; matrix products run at 1300 to 1500, by their shares of peaks and on an MI300A",
        ),
        vector_latency: figure(4., 4., 8., "CDNA 3 ISA guide: a wave's next instruction may use the result"),
        scalar_latency: figure(4., 4., 4., "a wave has its turn every 4 cycles"),
        branch: figure(16., 8., 16., "believed, as the MI210's"),
        fetch: figure(32., 32., 64., "believed: as of RDNA, and more than four SIMDs issue"),
        lds_latency: figure(51., 48., 52., "mt4g: mean 51.3, median 52; a model's setting 48"),
        scalar_cache: cache(
            16 * KIB,
            64,
            figure(48., 48., 48., "mt4g"),
            figure(64., 16., 64., "a line per cycle"),
        ),
        l0: cache(
            32 * KIB,
            128,
            figure(
                98.,
                98.,
                144.,
                "as the MI210's, less than the 116 cycles of a chase (mt4g) for address and loop; a model's setting 144",
            ),
            figure(64., 43., 64., "CDNA 3 white paper; the roofline's 28.8 TB/s are 45 at the peak clock"),
        ),
        misses: figure(
            4096.,
            256.,
            4096.,
            "believed: none was published, and 256 make int8-dot 1.5 to 5 times too long",
        ),
        l1: None,
        l2: cache(
            32 * MIB,
            128,
            figure(
                121.,
                83.,
                137.,
                "notes 85.3 and 81.4 ns, a model's setting 254 cycles (121 ns), mt4g 287.5 cycles (137 ns)",
            ),
            figure(
                15400.,
                7900.,
                21300.,
                "mt4g 14365 GiB/s; roofline 21306; notes 7900 with working sets of 4 to 16 MiB",
            ),
        ),
        infinity: Some(cache(
            256 * MIB,
            128,
            figure(259., 218., 300., "notes 262.1 and 256.3; elsewhere 218; an MI300A 300"),
            figure(
                5400.,
                3650.,
                11900.,
                "mt4g 5400 GiB/s, roofline 4937, elsewhere 11900; notes 3652 to 4340 with 64 to 256 MiB",
            ),
        )),
        memory: cache(
            192 * GIB,
            128,
            figure(353., 341., 428., "notes 352.7 and 341.4; mt4g 899.7 cycles (428 ns)"),
            figure(4000., 3690., 4200., "BabelStream 3903 to 4130, roofline 3798 and 4200, mt4g 3690 GiB/s"),
        ),
        launch: figure(1.6, 1.2, 2.5, "as the MI210's: none was published"),
        dispatch: figure(0.25, 0.24, 2.4, "as the MI210's, by each of eight dies: none was published"),
    },
    Card {
        processor: "gfx906",
        rates: RADEON_VII,
        clock: figure(1750., 1400., 1800., "boost clock"),
        vector_latency: figure(4., 4., 4., "Vega ISA guide: a wave's next instruction may use the result"),
        scalar_latency: figure(4., 4., 4., "a wave has its turn every 4 cycles"),
        branch: figure(16., 8., 16., "LLVM's model has 8, and a wave has its turn every 4 cycles"),
        fetch: figure(32., 32., 64., "believed: as of RDNA, and more than four SIMDs issue"),
        lds_latency: figure(64., 50., 64., "believed: none is in the published times"),
        scalar_cache: cache(
            16 * KIB,
            64,
            figure(50., 48., 64., "as the MI210's: none was published"),
            figure(64., 16., 64., "a line per cycle"),
        ),
        l0: cache(
            16 * KIB,
            64,
            figure(107., 105., 125., "as the MI210's: none was published"),
            figure(64., 64., 64., "Vega white paper"),
        ),
        misses: figure(
            4096.,
            256.,
            4096.,
            "believed: none was published, and 256 make int8-dot 1.5 to 5 times too long",
        ),
        l1: None,
        l2: cache(
            4 * MIB,
            64,
            figure(150., 120., 170., "as the MI210's: none was published"),
            figure(1792., 1792., 1792., "16 channels of 64 bytes per cycle: none was published"),
        ),
        infinity: None,
        memory: cache(
            16 * GIB,
            64,
            figure(340., 300., 450., "as the MI210's: none was published"),
            figure(850., 800., 900., "83 % of 1024, as the MI210 reaches: none was published"),
        ),
        launch: figure(2., 1.2, 4., "between the MI210's and a gfx1010's 4.3: none was published"),
        dispatch: figure(2.4, 1., 3., "as the MI210's: none was published"),
    },
];

const RDNA4: Card = Card {
    processor: "gfx1201",
    rates: RX_9070_XT,
    clock: figure(2970., 2350., 2970., "boost clock; matrix products of an R9700 ran at 2530"),
    l1: None,
    l2: cache(
        8 * MIB,
        128,
        figure(90., 52., 90., "as the 7900 XTX's: none was published"),
        figure(
            2280.,
            2280.,
            5740.,
            "the 7900 XTX's by units and clock; 5740 is a coefficient of a GEMM model (origami)",
        ),
    ),
    infinity: Some(cache(
        64 * MIB,
        128,
        figure(175., 128., 206., "as the 7900 XTX's; 206 ns in 128 MiB, half of it memory"),
        figure(
            1800.,
            1533.,
            2937.,
            "the 7900 XTX's by units and clock; 2937 is a coefficient of a GEMM model (origami)",
        ),
    )),
    memory: cache(
        16 * GIB,
        128,
        figure(280., 240., 418., "as the 7900 XTX's"),
        figure(544., 464., 576., "85 % of 640; origami 464"),
    ),
    launch: figure(1.96, 1.8, 2.3, "as the R9700's"),
    dispatch: figure(
        1.,
        0.7,
        2.,
        "believed: the W7900's by the number of shader engines, of which it has fewer",
    ),
    ..XTX
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_lie_in_their_ranges_and_have_sources() {
        for card in CARDS {
            let product = card.rates.product;
            for (name, figure) in card.figures() {
                let (low, high) = figure.range;
                assert!(low <= figure.value && figure.value <= high, "{product}: {name}");
                assert!(!figure.source.is_empty() && figure.value > 0., "{product}: {name}");
            }
            assert_eq!(card.processor().name, card.processor, "{product}");
            assert!(card.memory.bandwidth.value < f64::from(card.rates.bandwidth), "{product}");
            assert_eq!(Card::find(product), Some(card), "{product}");
        }
        let named = |name| Card::find(name).map(|card| card.rates.product);
        for name in ["rx 7900 xtx", "7900XTX", "AMD Radeon RX 7900 XTX", "gfx1100"] {
            assert_eq!(named(name), Some("Radeon RX 7900 XTX"), "{name}");
        }
        assert_eq!(named("mi300x"), Some("Instinct MI300X"));
        // Of several cards, of part of a word, and of none.
        for name in ["XT", "7900", "", "RX", "RX 9999", "gfx900"] {
            assert_eq!(named(name), None, "{name}");
        }
    }
}
