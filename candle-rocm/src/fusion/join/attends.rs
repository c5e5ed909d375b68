//! Attention as one launch.

use super::{Joined, Place, Slices, slices};
use crate::Result;
use crate::attention::{Attention, Axes, Mask, Weights, sdpa_with};
use crate::common::operand::Operand;

/// Attention, and how it is computed: of q, k and v, then the mask, and what it selects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attends {
    pub(super) attention: Attention,
    pub(super) weights: Weights,
    pub(super) axes: Axes,
}

impl Joined for Attends {
    fn name(&self) -> &'static str {
        "sdpa"
    }

    fn run(&self, _: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let &[q, k, v, ref mask @ ..] = operands else { return Ok(None) };
        let mask = match *mask {
            [] => None,
            // As the addition by itself: what a number as large as a mask's leaves of a score is what rounding leaves.
            [mask] if mask.0.dtype() == q.0.dtype() => Some(Mask::AddedRounded(mask)),
            [mask] => Some(Mask::Added(mask)),
            [mask, by, ..] => Some(Mask::Replaced { mask, by }),
        };
        let out = sdpa_with([q, k, v], mask, self.attention, self.weights, self.axes)?;
        slices([out]).map(Some)
    }
}
