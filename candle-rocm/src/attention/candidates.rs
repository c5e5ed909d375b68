//! Attention of few queries by what was the fastest for shapes like these: over how many blocks keys are split.

use super::kernel::{PER_UNIT, SdpaKernel};
use super::problem::Sizes;
use crate::tuning::{Candidates, Decision, Tuner, candidates, float};
use crate::{Result, RocmDType, RocmDevice, RocmStorage};

candidates! {
    /// Over how many blocks the keys of few queries are split.
    Candidate {
        /// Not at all, up to 4096 keys.
        Whole "whole",
        /// So that each compute unit has a block, as far as all lanes of a part have keys, as the next ones.
        Blocks1 "blocks_1",
        Blocks2 "blocks_2",
        Blocks4 "blocks_4",
        Blocks8 "blocks_8",
    }
}

pub(crate) static DECISION: Decision = Decision {
    name: "attention",
    // Of keys, by their number as `float` has it.
    words: &[&["f16", "bf16", "f32", "f8_e4m3"]],
    // Heads of keys in all batches, queries that share one, keys, columns.
    sizes: &["heads", "queries", "keys", "columns"],
    candidates: Candidate::NAMES,
    guessed: false,
    predictable: Candidate::NAMES,
};

/// `run` with the kernel that was the fastest, or whose turn it is. `rule` is what the fixed rule chooses; keys are `K`.
pub(super) fn serve<K: RocmDType>(
    tuner: &Tuner,
    device: &RocmDevice,
    sizes: Sizes,
    rule: SdpaKernel,
    mut run: impl FnMut(SdpaKernel) -> Result<RocmStorage>,
) -> Result<RocmStorage> {
    let heads = sizes.batch * sizes.kv_heads;
    let sizes_of_class = [heads, sizes.rows(), sizes.s, sizes.columns()];
    let class = DECISION.class(&[float(K::DTYPE)], &sizes_of_class);
    let kernel = |candidate| SdpaKernel::few(device, sizes, per_unit(candidate));
    let candidates = || Candidates::distinct(Candidate::Blocks1, kernel);
    tuner.serve(device, class, candidates, |candidate| run(candidate.map_or(rule, kernel)))
}

/// Blocks for each compute unit; 0: as few as possible.
fn per_unit(candidate: Candidate) -> usize {
    match candidate {
        Candidate::Whole => 0,
        Candidate::Blocks1 => PER_UNIT,
        Candidate::Blocks2 => 2,
        Candidate::Blocks4 => 4,
        Candidate::Blocks8 => 8,
    }
}
