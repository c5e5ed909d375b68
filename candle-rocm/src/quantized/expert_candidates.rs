//! Mixtures of experts by what was the fastest for sizes like these.

use super::expert_sizes::Sizes;
use super::{Algorithm, QStorage};
use crate::Result;
use crate::dtype::{QUANTIZED, QUANTIZED_NAMES};
use crate::tuning::{Candidates, Class, Decision, Tuner, candidates};

candidates! {
    /// What multiplies vectors with the matrices of the experts that they chose.
    Candidate {
        /// `Algorithm::Vectors`: each by itself.
        Vectors "vectors",
        /// `Algorithm::Tiles`: those of one expert together.
        Tiles "tiles",
    }
}

pub(crate) static DECISION: Decision = Decision {
    name: "experts",
    // The weights' type.
    words: &[&QUANTIZED_NAMES],
    // Of all tokens' products; of an expert's matrix.
    sizes: &["experts", "products", "rows", "columns"],
    candidates: Candidate::NAMES,
    guessed: false,
    predictable: Candidate::NAMES,
};

/// `run` with the algorithm that was the fastest, or whose turn it is. `rule` is what the fixed rule chooses.
pub(super) fn serve<R>(
    weights: &QStorage,
    sizes: Sizes,
    rule: Algorithm,
    mut run: impl FnMut(Algorithm) -> Result<R>,
) -> Result<R> {
    let device = &weights.device;
    let (Some(tuner), Some(class)) = (Tuner::of(device), class(weights, sizes)) else { return run(rule) };
    let candidates = || {
        let fixed = if rule == Algorithm::Tiles { Candidate::Tiles } else { Candidate::Vectors };
        Candidates::new(fixed, |candidate| candidate == Candidate::Vectors || sizes.fit_tiles())
    };
    tuner.serve(device, class, candidates, |candidate| match candidate {
        Some(Candidate::Vectors) => run(Algorithm::Vectors),
        Some(Candidate::Tiles) => run(Algorithm::Tiles),
        None => run(rule),
    })
}

/// `None` for types without kernels.
fn class(weights: &QStorage, sizes: Sizes) -> Option<Class> {
    let kind = QUANTIZED.iter().position(|(of, _)| *of == weights.kind)? as u8;
    Some(DECISION.class(&[kind], &[sizes.experts, sizes.tasks(), sizes.n, sizes.k]))
}
