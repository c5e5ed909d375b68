//! What was counted of a case, and the bound that follows.

use std::path::Path;

use anyhow::{Context, Result};
use candle_rocm_gfx::profile::Profile;
use rocm_kernels::cards::Card;
use rocm_kernels::{Processor, Rates};
use serde_json::Value;

use super::predicted::{Predicted, Time};
use super::time::{Bounds, Limit};

/// A case of the bench table, as `candle-rocm-bench --count` writes it.
pub(super) struct Case {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) dtype: String,
    pub(super) shape: String,
    /// Bytes that the operation has to read and write, where that is known.
    pub(super) bytes: f64,
    /// Additions and multiplications.
    pub(super) flops: f64,
    pub(super) launches: Vec<Profile>,
    /// What the model of time says of them, if it was asked.
    times: Vec<Time>,
    pub(super) error: Option<String>,
}

impl Case {
    pub(super) fn read(file: &Path) -> Result<Vec<Self>> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("{} is not there; leave --counted out", file.display()))?;
        text.lines()
            .map(|line| Self::parse(line).with_context(|| format!("{} is damaged", file.display())))
            .collect()
    }

    fn parse(line: &str) -> Result<Self> {
        let mut value: Value = serde_json::from_str(line)?;
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let number = |name: &str| value[name].as_f64().unwrap_or_default();
        Ok(Self {
            group: text("group"),
            name: text("case"),
            dtype: text("dtype"),
            shape: text("shape"),
            bytes: number("bytes"),
            flops: number("flops"),
            error: value["error"].as_str().map(str::to_owned),
            launches: serde_json::from_value(value["launches"].take())?,
            times: serde_json::from_value(value["times"].take())?,
        })
    }
}

impl Case {
    /// Bytes that no kernel touches: HIP copies them itself.
    fn copied(&self, touched: f64) -> f64 {
        (self.bytes - touched).max(0.)
    }

    /// How long it takes by the model of time.
    pub(super) fn predicted(&self, processor: &Processor, rates: &Rates) -> Option<Predicted> {
        let card = Card::find(rates.product)?;
        let bounds: Vec<_> =
            self.launches.iter().map(|launch| Bounds::new(launch, processor, rates)).collect();
        let mut predicted = Predicted::new(&self.times)?;
        predicted.time += self.copied(touched(&bounds)) / (card.memory.bandwidth.value * 1e9);
        Some(predicted)
    }
}

/// Bytes that go between memory and the L2 cache.
fn touched(bounds: &[Bounds]) -> f64 {
    bounds.iter().map(|bounds| bounds.bytes).sum()
}

/// What a case is measured by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// The bandwidth of the memory.
    Bandwidth,
    /// The peak of the units that add and multiply.
    Arithmetic,
    /// Neither: too little data, or the bench table does not say how much.
    None,
}

impl Goal {
    pub(super) const ALL: [Self; 3] = [Self::Bandwidth, Self::Arithmetic, Self::None];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bandwidth => "bandwidth",
            Self::Arithmetic => "arithmetic",
            Self::None => "",
        }
    }
}

/// The bound of a case on a processor.
pub(super) struct Bound {
    /// Seconds.
    pub(super) time: f64,
    pub(super) goal: Goal,
    /// The share of what [`Goal`] says that cannot be exceeded.
    pub(super) share: Option<f64>,
    /// What most of the time is due to.
    pub(super) limit: Limit,
    /// The share of the time for which each unit is busy.
    pub(super) busy: [f64; Limit::ALL.len()],
    /// Bytes of lines between memory and the L2 cache, for each byte that the operation needs.
    pub(super) overfetch: Option<f64>,
    /// Of the longest launch.
    pub(super) longest: Longest,
}

/// The launch that takes longest.
pub(super) struct Longest {
    pub(super) kernel: String,
    pub(super) registers: u32,
    pub(super) lds: u32,
    pub(super) waves: u64,
    pub(super) conflicts: f64,
    /// The share of its workgroups that ran.
    pub(super) ran: f64,
}

/// Less than this many bytes do not fill a card: launches take longer.
const SMALL: f64 = (4 << 20) as f64;

impl Bound {
    /// `None` without a launch.
    pub(super) fn new(case: &Case, processor: &Processor, rates: &Rates) -> Option<Self> {
        let bounds: Vec<Bounds> =
            case.launches.iter().map(|launch| Bounds::new(launch, processor, rates)).collect();
        let longest =
            bounds.iter().zip(&case.launches).max_by(|a, b| a.0.least().0.total_cmp(&b.0.least().0))?;
        let touched = touched(&bounds);
        let bandwidth = f64::from(rates.bandwidth) * 1e9;
        let at_bandwidth = case.bytes / bandwidth;
        // As fast as memory can.
        let copied = case.copied(touched) / bandwidth;
        let time = copied + bounds.iter().map(|bounds| bounds.least().0).sum::<f64>();
        let mut by_limit = [0.; Limit::ALL.len()];
        let mut busy = [0.; Limit::ALL.len()];
        by_limit[Limit::Memory as usize] = copied;
        busy[Limit::Memory as usize] = copied / time;
        for bounds in &bounds {
            let (least, limit) = bounds.least();
            by_limit[limit as usize] += least;
            busy.iter_mut().zip(bounds.seconds).for_each(|(busy, seconds)| *busy += seconds / time);
        }
        let limit =
            Limit::ALL.into_iter().max_by(|a, b| by_limit[*a as usize].total_cmp(&by_limit[*b as usize]))?;

        let at_peak = case.flops / peak(case, rates);
        let (goal, share) = if at_peak > at_bandwidth {
            (Goal::Arithmetic, Some(at_peak / time))
        } else if case.bytes >= SMALL {
            (Goal::Bandwidth, Some(at_bandwidth / time))
        } else {
            (Goal::None, None)
        };
        let (bounds, launch) = longest;
        Some(Self {
            time,
            goal,
            share,
            limit,
            busy,
            overfetch: (case.bytes >= SMALL).then(|| touched / case.bytes),
            longest: Longest {
                kernel: launch.kernel.clone(),
                registers: launch.registers,
                lds: launch.lds,
                waves: bounds.waves,
                conflicts: bounds.conflicts,
                ran: launch.ran as f64 / launch.blocks.max(1) as f64,
            },
        })
    }
}

/// Additions and multiplications per second: of matrix instructions, and of vector instructions for f32.
fn peak(case: &Case, rates: &Rates) -> f64 {
    let each = if case.dtype == "f32" {
        rates.float32
    } else if case.dtype.starts_with('q') {
        // Kernels may multiply quantized weights as bytes.
        rates.matrix8
    } else {
        rates.matrix16
    };
    f64::from(each) * f64::from(rates.units) * f64::from(rates.clock) * 1e6
}
