//! Attention of few queries by what was the fastest for shapes like these: over how many blocks keys are split.

use super::plan::{PER_UNIT, Plan};
use super::problem::Sizes;
use crate::tuning::{self, AttentionCandidate as Is, Class, Entrants, Tuner};
use crate::{Result, RocmDType, RocmDevice, RocmStorage};

/// `run` by the plan that was the fastest, or whose turn it is. `rule` is what the fixed rule chooses.
pub(super) fn serve<T: RocmDType>(
    tuner: &Tuner,
    device: &RocmDevice,
    sizes: Sizes,
    rule: Plan,
    mut run: impl FnMut(Plan) -> Result<RocmStorage>,
) -> Result<RocmStorage> {
    let heads = sizes.batch * sizes.kv_heads;
    let sizes_of_class = [heads, sizes.rows(), sizes.s, sizes.columns()];
    let class = Class::new(tuning::ATTENTION, &[tuning::float(T::DTYPE)], &sizes_of_class);
    let plan = |candidate: u8| Is::at(candidate).map(|is| Plan::few(device, sizes, per_unit(is)));
    let race = || Entrants::distinct(Is::Blocks1.index(), Is::ALL.len(), plan);
    tuner.serve(device, class, race, |candidate| run(candidate.and_then(plan).unwrap_or(rule)))
}

/// Blocks for each compute unit; 0: as few as possible.
fn per_unit(candidate: Is) -> usize {
    match candidate {
        Is::Whole => 0,
        Is::Blocks1 => PER_UNIT,
        Is::Blocks2 => 2,
        Is::Blocks4 => 4,
        Is::Blocks8 => 8,
    }
}
