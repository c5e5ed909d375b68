//! Large convolutions by what was the fastest for sizes like these.

use candle_core::DType;

use super::algorithm::Algorithm;
use super::engine::Engines;
use super::problem::{Axis, Problem};
use crate::tuning::{Candidate as _, Candidates, Class, Decision, FLOATS, Tuner, candidates, float};
use crate::{Result, RocmDevice, RocmError};

candidates! {
    /// What computes large convolutions. The bounds are `Problem::has`'s in `conv/algorithm.rs`.
    Candidate {
        /// MIOpen's best guess, where MIOpen is available.
        Miopen0 "miopen_0",
        /// Its next ones, where they need not be compiled.
        Miopen1 "miopen_1",
        Miopen2 "miopen_2",
        Miopen3 "miopen_3",
        /// Patches as a matrix, as far as the memory goes.
        Im2col "im2col",
        /// Kernels that read the input in place.
        Direct "direct",
    }
}

pub(crate) static DECISION: Decision = Decision {
    name: "convolution",
    // The dtype; how the operands lie; the window's steps; groups; engines.
    words: &[
        FLOATS,
        &["contiguous", "strided"],
        &["steps_of_1", "steps", "dilated", "transposed"],
        &["one_group", "groups"],
        &["kernels", "miopen"],
    ],
    // Channels of a group before and after, taps, pixels of all results.
    sizes: &["in", "out", "taps", "pixels"],
    candidates: Candidate::NAMES,
    guessed: true,
    // All but one are libraries, or may ask one.
    predictable: &[],
};

/// `run` with the algorithm that was the fastest, or whose turn it is; it returns whether the algorithm took the problem. `rule` are the
/// fixed rule's.
pub(super) fn serve(
    tuner: &Tuner,
    device: &RocmDevice,
    problem: &Problem,
    (dtype, contiguous): (DType, bool),
    rule: [Algorithm; 2],
    mut run: impl FnMut(Algorithm) -> Result<bool>,
) -> Result<()> {
    let class = class(device, problem, dtype, contiguous);
    let candidates = || {
        let fixed = Candidate::ALL.iter().copied().find(|&candidate| algorithm(candidate) == Some(rule[0]));
        Candidates::new(fixed.unwrap_or(Candidate::Direct), |candidate| {
            algorithm(candidate)
                .is_some_and(|algorithm| algorithm.is_timed(device) && problem.has(algorithm, dtype))
        })
    };
    tuner.serve(device, class, candidates, |candidate| match candidate.and_then(algorithm) {
        Some(algorithm) if run(algorithm)? => Ok(()),
        Some(algorithm) => Err(RocmError::InvalidArgument {
            op: problem.op,
            message: format!("{algorithm:?} does not take {problem:?}"),
        }),
        None => by_rule(rule, &mut run),
    })
}

/// By the first algorithm that takes the problem.
pub(super) fn by_rule(rule: [Algorithm; 2], mut run: impl FnMut(Algorithm) -> Result<bool>) -> Result<()> {
    for algorithm in rule {
        if run(algorithm)? {
            break;
        }
    }
    Ok(())
}

/// `None` without MIOpen.
fn algorithm(candidate: Candidate) -> Option<Algorithm> {
    match candidate {
        #[cfg(feature = "miopen")]
        Candidate::Miopen0 => Some(Algorithm::Miopen(0)),
        #[cfg(feature = "miopen")]
        Candidate::Miopen1 => Some(Algorithm::Miopen(1)),
        #[cfg(feature = "miopen")]
        Candidate::Miopen2 => Some(Algorithm::Miopen(2)),
        #[cfg(feature = "miopen")]
        Candidate::Miopen3 => Some(Algorithm::Miopen(3)),
        #[cfg(not(feature = "miopen"))]
        Candidate::Miopen0 | Candidate::Miopen1 | Candidate::Miopen2 | Candidate::Miopen3 => None,
        Candidate::Im2col => Some(Algorithm::Im2col),
        Candidate::Direct => Some(Algorithm::Direct),
    }
}

fn class(device: &RocmDevice, problem: &Problem, dtype: DType, contiguous: bool) -> Class {
    let any = |is: fn(&Axis) -> bool| is(&problem.y) || is(&problem.x);
    let steps = match () {
        () if problem.transposed => 3,
        () if any(|axis| axis.dilation > 1) => 2,
        () if any(|axis| axis.stride > 1) => 1,
        () => 0,
    };
    let [groups, miopen] = [problem.groups > 1, Engines::has_miopen(device)].map(u8::from);
    let words = [float(dtype), u8::from(!contiguous), steps, groups, miopen];
    let Problem { batch, c_in, c_out, y, x, .. } = *problem;
    DECISION.class(&words, &[c_in, c_out, y.taps * x.taps, batch * y.output * x.output])
}
