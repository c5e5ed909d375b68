//! Attention as one launch.

use smallvec::SmallVec;

use super::{Found, Graph, Joined, Place, Slices, slices};
use crate::attention::{Attended, Attention, Axes, Mask, Weights, sdpa_of_f8, sdpa_with};
use crate::common::operand::Operand;
use crate::common::operation::Operands as _;
use crate::fusion::graph::{Argument, Covers};
use crate::{Result, RocmDevice};

/// Attention, and how it is computed: of q, k and v, then the mask, and what it selects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attends {
    pub(super) attention: Attention,
    pub(super) weights: Weights,
    pub(super) axes: Axes,
    /// Whether a mask of the operands' dtype is added as the addition by itself: what a number as large as a mask's leaves of a score is
    /// what rounding leaves.
    pub(super) rounds: bool,
}

impl Attends {
    /// In place of `at`, which with `covers` gives this and nothing else, if a kernel takes q, k, v and the mask with what it selects.
    pub(super) fn in_place_of(
        self,
        device: &RocmDevice,
        graph: &Graph<'_>,
        operands: SmallVec<[Argument; 5]>,
        covers: Covers,
        at: usize,
    ) -> Option<Found> {
        let result = graph.node(at).result;
        // That shapes and dtypes are those of attention.
        let described = operands.iter().take(4).map(|(slot, view)| view.of_buffer(slot.dtype(), slot.len()));
        let (len, _) = self.attention.result_in_place(device, Attended::named(described)?)?;
        let cover = graph.cover(covers, &[at], at).filter(|_| len == result.len())?;
        Found::new(self, operands, [result], cover)
    }
}

impl Joined for Attends {
    fn name(&self) -> &'static str {
        "sdpa"
    }

    fn run(&self, _: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let &[q, k, v, ref mask @ ..] = operands else { return Ok(None) };
        let mask = match *mask {
            [] => None,
            [mask] if self.rounds && mask.0.dtype() == q.0.dtype() => Some(Mask::AddedRounded(mask)),
            [mask] => Some(Mask::Added(mask)),
            [mask, by, ..] => Some(Mask::Replaced { mask, by }),
        };
        let out = match sdpa_of_f8([q, k, v], mask, self.attention, self.axes)? {
            Some(out) => out,
            None => sdpa_with([q, k, v], mask, self.attention, self.weights, self.axes)?,
        };
        slices([out]).map(Some)
    }
}
