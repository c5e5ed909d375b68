//! A model of the time that launches take on a card.
//!
//! While [`start`] is in force, each launch runs some of its workgroups with a record of what their waves execute, in order: which
//! instructions, which lines of memory they touch, how many turns of the LDS they take. [`Trace::predict`] then lets a model of one
//! unit of the card - a compute unit, on RDNA a pair of them - issue these instructions, with as many workgroups at once as registers,
//! LDS and wave slots let reside, and the unit's share of what all units have in common. It has no factor for any kernel: all its numbers
//! are those of [`rocm_kernels::cards`], each with its source. A record always has the same prediction; records of two processes differ in
//! the addresses of their buffers, on which it depends which lines share a set of a cache.
//!
//! # How to check a number
//!
//! | Part | Rule | Numbers | Test |
//! |---|---|---|---|
//! | `operation` | registers, counters and classes of an instruction, from its text | [`crate::class`] | `operation::tests` |
//! | `unit` | in order within a wave; the ports of a SIMD serve who is ready first; results after a latency | `Rates`, `vector_latency`, `scalar_latency`, `branch`, `fetch`, `lds_latency` | `tests`: chains, independent instructions, two waves, barriers |
//! | `memory` | L0 and L1 by their lines, so many misses at once; an even share of L2, Infinity Cache and memory, each with latency and bandwidth | `l0` to `memory` | `memory::tests`, `tests`: bytes divided by bandwidth |
//! | `trace` | what workgroups that are on the card at the same time have in common is fetched once | allocations' sizes | `trace::tests` |
//! | `log` | what was used long ago is not in the caches any more: bytes touched since then | allocations' sizes | `log::tests` |
//! | here | workgroups start one after the other, and where room is; the rest of a launch goes on as its measured part did, by the instructions of its workgroups | `dispatch`, `launch` | `tests` |
//!
//! `cargo xtask predict --validate` compares predictions with published measurements.
//!
//! # What it leaves out
//!
//! Misses of the instruction cache, banks of registers and of memory channels, translations of addresses, power: clocks are constants.
//! Of units, all are taken to be as busy as the one that has the most workgroups, and to find what they share in the L2 as often.

mod cache;
mod log;
mod memory;
mod operation;
mod trace;
mod unit;

use rocm_kernels::cards::Card;

pub(crate) use log::{Choice, Key, Plan, Size, note, plan};
pub use log::{Log, complete, finish, pause, start, take};
pub use memory::Data;
use memory::{Memory, TICKS};
pub(crate) use operation::Operation;
pub use trace::Trace;
pub(crate) use trace::{PIECE, Window, Workgroup};
pub use unit::Stall;
use unit::Unit;

/// The time of a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Seconds from one launch to the next that waits for it.
    pub seconds: f64,
    /// Of these, those in which waves run.
    pub running: f64,
    /// The shares of the running time in which the parts of the busiest unit were busy.
    pub busy: Vec<(&'static str, f64)>,
    /// The shares of the waves' time in which they waited for something.
    pub stalled: Vec<(Stall, f64)>,
}

/// Workgroups that a unit of a card gets, and those that it has at once.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Deal {
    /// Units that are as busy as the busiest one.
    units: f64,
    /// Workgroups of the busiest one.
    each: u64,
    resident: u64,
}

impl Deal {
    fn new(card: &Card, blocks: u64, waves: u32, registers: u32, lds: u32) -> Self {
        let processor = card.processor();
        let cus = u64::from(processor.units_per_multiprocessor());
        let units = u64::from(card.multiprocessors()).max(1);
        let simds = u64::from(card.rates.simds) * cus;
        let waves = u64::from(waves.max(1));
        let by_registers = processor.registers.occupancy(registers.into(), 1, processor.wavefront);
        let by_waves = (by_registers * simds / waves).max(1);
        let by_lds = (u64::from(processor.lds) * cus).checked_div(lds.into()).unwrap_or(by_waves).max(1);
        let each = blocks.div_ceil(units).max(1);
        Self { units: blocks.max(1) as f64 / each as f64, each, resident: by_waves.min(by_lds) }
    }
}

/// A card with other numbers, by their names among [`Card::figures`]: `L0, cycles=100`.
///
/// # Errors
/// A name is not known, or its value is not a number.
pub fn with_figures(card: &Card, changes: &[String]) -> Result<Card, String> {
    let mut card = *card;
    for change in changes {
        let (name, value) = change.rsplit_once('=').ok_or_else(|| format!("{change} has no value"))?;
        let mut figures = card.figures_mut();
        let figure = figures.iter_mut().find(|(of, _)| of == name);
        let (_, figure) = figure.ok_or_else(|| format!("{name} is not one of the card's figures"))?;
        figure.value = value.parse().map_err(|_| format!("{value} is not a number"))?;
    }
    Ok(card)
}

impl Trace {
    fn deal(&self, card: &Card) -> Deal {
        Deal::new(card, self.blocks, self.waves, self.registers, self.lds)
    }

    /// The bytes of each region that the launch touches on a card.
    fn bytes(&self, card: &Card) -> Vec<u64> {
        let deal = self.deal(card);
        self.uses(deal.units, deal.resident as usize).iter().map(|of| of.bytes).collect()
    }

    /// The instructions of a workgroup of those that did not run, as a share of those of one that did.
    fn later_share(&self, ran: u64, deal: Deal) -> f64 {
        let Some(later) = self.later_instructions else { return 1. };
        let ran = &self.workgroups[..ran as usize];
        let ran = &ran[steady_from(ran.len(), deal)..];
        let all: u64 = ran.iter().map(Workgroup::instructions).sum();
        later * ran.len() as f64 / all.max(1) as f64
    }

    /// The time of the launch on a card.
    pub fn predict(&self, card: &Card, data: Data<'_>) -> Prediction {
        let deal = self.deal(card);
        let uses = self.uses(deal.units, deal.resident as usize);
        let memory =
            Memory::new(card, &uses, deal.units, card.processor().units_per_multiprocessor() as usize, data);
        let mut unit = Unit::new(card, &self.operations, memory);
        let ran = (self.workgroups.len() as u64).min(deal.each);
        let interval = card.dispatch.value * 1e-3 * card.clock.value * deal.units * TICKS as f64;
        let starts = |number: u64| (number as f64 * interval) as u64;
        let mut workgroups = (0..).zip(self.workgroups.iter().take(ran as usize));
        let mut ends = Vec::new();
        for (number, workgroup) in workgroups.by_ref().take(deal.resident as usize) {
            unit.start(workgroup, starts(number));
        }
        while let Some(end) = unit.run() {
            ends.push(end);
            if let Some((number, workgroup)) = workgroups.next() {
                unit.start(workgroup, starts(number).max(end));
            }
        }
        ends.sort_unstable();
        let ticks =
            unit.end as f64 + rest(&ends, deal, interval, unit.end as f64, self.later_share(ran, deal));
        let seconds = |ticks: f64| ticks / TICKS as f64 / (card.clock.value * 1e6);
        let running = seconds(ticks);
        let waves = (self.waves as u64 * deal.resident.min(ran)).max(1) as f64;
        let share = |busy: u64, of: f64| busy as f64 / of.max(1.);
        let end = unit.end as f64;
        Prediction {
            seconds: running + card.launch.value * 1e-6,
            running,
            busy: unit.busy().into_iter().map(|(name, busy)| (name, share(busy, end))).collect(),
            stalled: Stall::ALL.map(|stall| (stall, share(unit.stalled[stall as usize], end * waves))).into(),
        }
    }
}

/// The first one of the workgroups that ran by whose times the rest of the launch goes on: of the second half, where that started later
/// than the first one, or else of all.
fn steady_from(ran: usize, deal: Deal) -> usize {
    if ran as u64 >= 2 * deal.resident { ran / 2 } else { 0 }
}

/// How long the workgroups take that did not run: one by one as long as those that did, times `share`.
fn rest(ends: &[u64], deal: Deal, interval: f64, all: f64, share: f64) -> f64 {
    let left = deal.each.saturating_sub(ends.len() as u64) as f64;
    let each = match (steady_from(ends.len(), deal), ends.last()) {
        (0, _) | (_, None) => all / (ends.len().max(1) as f64),
        (from, Some(last)) => (last - ends[from - 1]) as f64 / (ends.len() - from) as f64,
    };
    left * (each * share).max(interval)
}

#[cfg(test)]
mod tests {
    use rocm_kernels::cards::Card;

    use super::*;

    fn card() -> &'static Card {
        Card::find("RX 7900 XTX").unwrap()
    }

    /// Instructions, each with the bytes that it touches.
    type Stream<'s> = Vec<(&'s str, Vec<(u64, u64)>)>;

    /// A launch of workgroups that all execute these streams, one per wave, with what each instruction touches.
    fn launch(blocks: u64, waves: &[Stream<'_>]) -> Trace {
        let mut texts: Vec<&str> = waves.iter().flatten().map(|(text, _)| *text).collect();
        texts.sort_unstable();
        texts.dedup();
        let workgroup = |number: u64| {
            let mut workgroup = Workgroup::default();
            for (wave, stream) in waves.iter().enumerate() {
                for (text, touched) in stream {
                    workgroup.executed(wave, texts.binary_search(text).unwrap());
                    if !touched.is_empty() {
                        let moved: Vec<_> =
                            touched.iter().map(|&(a, b)| (a + (number << 24), b + (number << 24))).collect();
                        workgroup.touched(wave, &moved);
                    }
                }
            }
            workgroup
        };
        let deal = Deal::new(card(), blocks, waves.len() as u32, 32, 0);
        Trace {
            kernel: "a stream".to_owned(),
            blocks,
            waves: waves.len() as u32,
            registers: 32,
            lds: 0,
            operations: texts.iter().map(|text| Operation::of(text, 4, 11)).collect(),
            workgroups: (0..deal.each).map(workgroup).collect(),
            window: trace::Window {
                workgroups: blocks,
                samples: (0..blocks.min(8)).map(|number| workgroup(number).distinct()).collect(),
            },
            later_instructions: None,
            regions: std::iter::once(0..1 << 40).collect(),
            arguments: Vec::new(),
        }
    }

    fn stream(texts: &[&'static str], times: usize) -> Stream<'static> {
        (0..times).flat_map(|_| texts.iter().map(|text| (*text, Vec::new()))).collect()
    }

    fn cycles(trace: &Trace) -> f64 {
        trace.predict(card(), Data::Warm).running * card().clock.value * 1e6
    }

    #[track_caller]
    fn expect(trace: &Trace, expected: f64) {
        let found = cycles(trace);
        assert!((found - expected).abs() <= 0.02 * expected + 8., "{found} cycles instead of {expected}");
    }

    const CHAIN: [&str; 1] = ["v_fma_f32 v0, v0, v1, v2"];
    const INDEPENDENT: [&str; 5] = [
        "v_fma_f32 v0, v0, v10, v11",
        "v_fma_f32 v1, v1, v10, v11",
        "v_fma_f32 v2, v2, v10, v11",
        "v_fma_f32 v3, v3, v10, v11",
        "v_fma_f32 v4, v4, v10, v11",
    ];

    #[test]
    fn a_chain_takes_its_latency_for_each_instruction() {
        expect(&launch(1, &[stream(&CHAIN, 1000)]), 5. * 1000.);
    }

    #[test]
    fn independent_instructions_issue_every_cycle() {
        expect(&launch(1, &[stream(&INDEPENDENT, 200)]), 1000.);
    }

    #[test]
    fn figures_are_changed_by_name() {
        let with = |change: &str| with_figures(card(), &[change.to_owned()]);
        assert_eq!(with("L0, cycles=100").unwrap().l0.latency.value, 100.);
        assert_eq!(with("clock, MHz=2000.5").unwrap().clock.value, 2000.5);
        for wrong in ["L0, cycles", "L0=1", "L0, cycles=fast"] {
            assert!(with(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn waves_hide_each_others_latency() {
        // Four SIMDs: the fifth to the eighth wave share them with others, which leave 4 of 5 cycles to them.
        let chains = |count: usize| vec![stream(&CHAIN, 1000); count];
        expect(&launch(1, &chains(8)), 5. * 1000.);
        expect(&launch(1, &chains(20)), 5. * 1000.);
        // Now the ports are busy in every cycle, and only then does it take longer.
        expect(&launch(1, &chains(32)), 8. * 1000.);
    }

    #[test]
    fn the_rest_of_a_launch_goes_on_by_its_instructions() {
        let units = u64::from(card().multiprocessors());
        let mut part = launch(100 * units, &[stream(&CHAIN, 1000)]);
        part.workgroups.truncate(40);
        let ran = cycles(&Trace { blocks: 40 * units, ..part.clone() });
        let rest = cycles(&part) - ran;
        assert!(rest > ran);
        for share in [0.5, 1., 2.] {
            part.later_instructions = Some(1000. * share);
            expect(&part, ran + share * rest);
        }
    }

    #[test]
    fn fetching_limits_long_instructions() {
        let mut trace = launch(1, &vec![stream(&INDEPENDENT, 200); 4]);
        trace.operations.iter_mut().for_each(|operation| operation.size = 12);
        // Four waves on four SIMDs, which could issue 48 bytes per cycle.
        expect(&trace, 4. * 1000. * 12. / card().fetch.value);
    }

    #[test]
    fn slow_instructions_hold_their_port() {
        let multiply = ["v_mul_lo_u32 v0, v1, v2", "v_mul_lo_u32 v3, v1, v2"];
        expect(&launch(1, &[stream(&multiply, 500)]), 4. * 1000.);
        // Exponentials have a unit of their own, beside which other vector instructions go on.
        let beside = [
            "v_exp_f32_e32 v0, v1",
            "v_add_f32_e32 v2, v3, v4",
            "v_add_f32_e32 v5, v3, v4",
            "v_add_f32_e32 v6, v3, v4",
        ];
        expect(&launch(1, &[stream(&beside, 500)]), 4. * 500.);
        // 8192 additions and multiplications, of which a SIMD does 256 per cycle.
        let product = ["v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]"];
        expect(&launch(1, &[stream(&product, 100)]), 36. * 100.);
    }

    #[test]
    fn a_barrier_waits_for_the_last_wave() {
        let slow = [stream(&CHAIN, 1000), stream(&["s_barrier"], 1), stream(&CHAIN, 10)].concat();
        let fast = [stream(&["s_barrier"], 1), stream(&CHAIN, 1000)].concat();
        expect(&launch(1, &[slow.clone(), fast.clone()]), 2. * 5000.);
        // Waves that have ended are not waited for.
        expect(&launch(1, &[stream(&CHAIN, 10), fast]), 50. + 5000.);
        let split = |text: Stream<'static>| {
            text.into_iter()
                .flat_map(|(text, touched)| match text {
                    "s_barrier" => {
                        vec![("s_barrier_signal -1", Vec::new()), ("s_barrier_wait 0xffff", Vec::new())]
                    }
                    _ => vec![(text, touched)],
                })
                .collect::<Vec<_>>()
        };
        let last = [stream(&["s_barrier"], 1), stream(&CHAIN, 1000)].concat();
        expect(&launch(1, &[split(slow), split(last)]), 2. * 5000.);
    }

    const LOAD: &str = "global_load_b32 v0, v1, s[0:1]";

    #[test]
    fn a_load_is_waited_for_where_the_code_says_so() {
        let load = |at: u64| (LOAD, vec![(at * 128, at * 128 + 128)]);
        let wait = |text: &'static str| (text, Vec::new());
        // One line in the L2: as little as this fits, and stays there.
        let l2 = card().l2.latency.value * card().clock.value * 1e-3;
        let one = vec![load(0), wait("s_waitcnt vmcnt(0)")];
        expect(&launch(1, std::slice::from_ref(&one)), l2);
        // Loads under way together are one latency, and one behind the other two.
        let together = vec![load(0), load(8), wait("s_waitcnt vmcnt(0)")];
        expect(&launch(1, &[together]), l2);
        let apart = vec![load(0), wait("s_waitcnt vmcnt(0)"), load(8), wait("s_waitcnt vmcnt(0)")];
        expect(&launch(1, &[apart]), 2. * l2);
        // What nobody waits for takes its time all the same, beside other work.
        let beside = [vec![load(0)], stream(&CHAIN, 1000), vec![wait("s_waitcnt vmcnt(0)")]].concat();
        expect(&launch(1, &[beside]), 5000.);
    }

    #[test]
    fn loads_from_memory_take_bytes_divided_by_bandwidth() {
        let line = |wave: u64, at: u64| {
            let first = (wave << 18) + at * 512;
            ("global_load_b128 v[0:3], v[4:5], off", vec![(first, first + 512)])
        };
        let wave = |number: u64| (0..64).map(|at| line(number, at)).collect::<Vec<_>>();
        let waves: Vec<_> = (0..16).map(wave).collect();
        let blocks = 480;
        let trace = launch(blocks, &waves);
        let bytes = (blocks * 16 * 64 * 512) as f64;
        let seconds = bytes / (card().memory.bandwidth.value * 1e9);
        let found = trace.predict(card(), Data::Cold).running;
        assert!((found / seconds - 1.).abs() < 0.05, "{found:e} instead of {seconds:e}");
    }

    #[test]
    fn workgroups_start_one_after_the_other() {
        let empty = launch(100_000, &[stream(&["s_nop 0"], 1)]);
        let seconds = empty.predict(card(), Data::Warm).running;
        assert!((seconds / (100_000. * card().dispatch.value * 1e-9) - 1.).abs() < 0.05, "{seconds:e}");
        // Those for which there is no room wait: 97 workgroups are three for one of the 48 units, and one is too much.
        let card = card();
        let full = Deal::new(card, 97, 32, 256, 0);
        assert_eq!((full.each, full.resident), (3, 1));
        let mut trace = launch(97, &vec![stream(&CHAIN, 1000); 8]);
        (trace.registers, trace.waves) = (256, 32);
        expect(&trace, 3. * 5000.);
    }

    #[test]
    fn what_did_not_run_takes_as_long_as_what_did() {
        let whole = launch(48 * 64, &vec![stream(&CHAIN, 200); 16]);
        let mut part = whole.clone();
        for ran in [16, 8, 4] {
            part.workgroups.truncate(ran);
            let (whole, part) = (cycles(&whole), cycles(&part));
            assert!((part / whole - 1.).abs() < 0.15, "{part} {whole}");
        }
    }
}
