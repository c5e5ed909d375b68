//! Performance targets.

use crate::card::Card;
use crate::row::Row;

/// Variation of times from run to run. A bar missed by less than this counts as met.
const NOISE: f64 = 0.03;

/// A target for a case's time.
#[derive(Clone, Debug)]
pub(crate) enum Bar {
    /// At least this fraction of the card's copy bandwidth.
    Copy(f64),
    /// At least this many times as fast as candle's own backend.
    Stock(f64),
    /// At least this many times as fast as PyTorch.
    Torch(f64),
    /// At most this many microseconds.
    Micros(f64),
    /// At most this many times the time of the same operation with another shape.
    Times(f64, String),
}

impl Bar {
    /// Whether the row meets the bar; `None` if the times are missing.
    pub(crate) fn met(&self, row: &Row, card: &Card, others: &[Row]) -> Option<bool> {
        let ours = row.ours?;
        match self {
            Bar::Copy(fraction) => Some(row.bytes / ours / 1e3 >= fraction * card.copy? * (1. - NOISE)),
            Bar::Stock(factor) => Some(row.stock? / ours >= factor * (1. - NOISE)),
            Bar::Torch(factor) => Some(row.torch? / ours >= factor * (1. - NOISE)),
            Bar::Micros(micros) => Some(ours <= micros * (1. + NOISE)),
            Bar::Times(factor, shape) => {
                let other = others.iter().find(|other| {
                    other.name == row.name && other.dtype == row.dtype && other.shape == *shape
                })?;
                Some(ours <= factor * other.ours? * (1. + NOISE))
            }
        }
    }

    /// For the tables.
    pub(crate) fn text(&self) -> String {
        match self {
            Bar::Copy(fraction) => format!("{:.0} % of copy", fraction * 100.),
            Bar::Stock(factor) => format!("{factor}x candle"),
            Bar::Torch(factor) => format!("{factor}x PyTorch"),
            Bar::Micros(micros) => format!("{micros} us"),
            Bar::Times(factor, shape) => format!("{factor}x the time of {shape}"),
        }
    }
}
