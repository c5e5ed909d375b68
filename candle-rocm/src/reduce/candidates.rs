//! Reductions by what was the fastest for shapes like these: into how many parts rows are cut.

use candle_core::op::ReduceOp;

use crate::tuning::{Candidates, Decision, ELEMENTS, Tuner, candidates};
use crate::{Result, RocmDevice};

candidates! {
    /// Into how many parts the rows of a reduction are cut.
    Candidate {
        /// One.
        Whole "whole",
        /// So that each compute unit has a block, as far as parts are long enough, as the next ones.
        Blocks1 "blocks_1",
        Blocks2 "blocks_2",
        Blocks3 "blocks_3",
        Blocks4 "blocks_4",
        Blocks8 "blocks_8",
        Blocks16 "blocks_16",
    }
}

pub(crate) static DECISION: Decision = Decision {
    name: "reduction",
    // What is found, how large an element is, and how the elements of a row lie.
    words: &[&["sum", "extreme", "index"], ELEMENTS, &["rows", "columns", "matrices"]],
    sizes: &["rows", "length"],
    candidates: Candidate::NAMES,
    guessed: false,
    predictable: Candidate::NAMES,
};

/// How the elements of a row lie.
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// Side by side.
    Rows,
    /// One in each of many rows.
    Columns,
    /// The same, in matrices that `columns.hip` takes.
    Matrices,
}

/// What a class is made of.
#[derive(Clone, Copy)]
pub(super) struct Case {
    pub(super) op: ReduceOp,
    /// Bytes of an element.
    pub(super) size: usize,
    pub(super) form: Form,
    pub(super) rows: usize,
    pub(super) row_len: usize,
}

impl Candidate {
    /// Blocks for each compute unit; 0 where rows stay whole.
    pub(super) fn per_unit(self) -> usize {
        match self {
            Self::Whole => 0,
            Self::Blocks1 => 1,
            Self::Blocks2 => 2,
            Self::Blocks3 => 3,
            Self::Blocks4 => 4,
            Self::Blocks8 => 8,
            Self::Blocks16 => 16,
        }
    }
}

/// `run` with the number of parts that was the fastest, or whose turn it is. `parts` makes it of blocks for each compute unit, `rule`
/// is what the fixed rule chooses.
pub(super) fn serve(
    tuner: &Tuner,
    device: &RocmDevice,
    case: Case,
    rule: Candidate,
    parts: impl Fn(usize) -> usize,
    mut run: impl FnMut(usize) -> Result<()>,
) -> Result<()> {
    let kind = match case.op {
        ReduceOp::Sum => 0,
        ReduceOp::Min | ReduceOp::Max => 1,
        ReduceOp::ArgMin | ReduceOp::ArgMax => 2,
    };
    let words = [kind, case.size.trailing_zeros() as u8, case.form as u8];
    let class = DECISION.class(&words, &[case.rows, case.row_len]);
    let parts = |candidate: Candidate| parts(candidate.per_unit());
    let candidates = || Candidates::distinct(rule, parts);
    tuner.serve(device, class, candidates, |candidate| run(parts(candidate.unwrap_or(rule))))
}
