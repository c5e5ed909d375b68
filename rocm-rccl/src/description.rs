//! What a rank called, so that others can compare it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Reduce;

/// A call without its memory: what is kept of each one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) reduce: Option<Reduce>,
    /// Elements that a rank gives or, where it gives none, gets.
    pub(crate) count: usize,
    pub(crate) element: &'static str,
    /// The root of a collective, or the other rank of a call that only two take part in.
    pub(crate) rank: Option<u32>,
    /// Which of the rank's collectives this is, from 1 on; `None` if only two ranks take part.
    pub(crate) number: Option<u64>,
}

impl Call {
    /// What the other ranks must call too; `None` if only two take part.
    pub(crate) fn description(&self) -> Option<Description> {
        self.number?;
        Some(Description(Call { number: None, ..*self }.to_string()))
    }
}

/// `all_reduce #7 (sum of 1024 f32)`, `broadcast #8 (3 u32 of rank 0)`, `send (16 f32, rank 1)`.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if let Some(number) = self.number {
            write!(f, " #{number}")?;
        }
        f.write_str(" (")?;
        if let Some(reduce) = self.reduce {
            write!(f, "{reduce} of ")?;
        }
        write!(f, "{} {}", self.count, self.element)?;
        if let Some(rank) = self.rank {
            write!(f, ", rank {rank}")?;
        }
        f.write_str(")")
    }
}

/// A collective without its number: the same text on all ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Description(pub(crate) String);
