//! Large convolutions by what was the fastest for sizes like these.

use candle_core::DType;

use super::algorithm::Algorithm;
use super::engine::Engines;
use super::problem::{Axis, Problem};
use crate::tuning::{self, Class, ConvolutionCandidate as Is, Entrants, Tuner};
use crate::{Result, RocmDevice, RocmError};

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
    let race = || {
        let of = |index| Is::at(index).and_then(algorithm);
        let fixed = (0..Is::ALL.len() as u8).find(|&index| of(index) == Some(rule[0]));
        Entrants::new(fixed.unwrap_or(Is::Direct.index()), Is::ALL.len(), |index| {
            of(index).is_some_and(|algorithm: Algorithm| {
                algorithm.is_timed(device) && problem.has(algorithm, dtype)
            })
        })
    };
    tuner.serve(device, class, race, |index| match index.and_then(Is::at).and_then(algorithm) {
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
fn algorithm(candidate: Is) -> Option<Algorithm> {
    match candidate {
        #[cfg(feature = "miopen")]
        Is::Miopen0 => Some(Algorithm::Miopen(0)),
        #[cfg(feature = "miopen")]
        Is::Miopen1 => Some(Algorithm::Miopen(1)),
        #[cfg(feature = "miopen")]
        Is::Miopen2 => Some(Algorithm::Miopen(2)),
        #[cfg(feature = "miopen")]
        Is::Miopen3 => Some(Algorithm::Miopen(3)),
        #[cfg(not(feature = "miopen"))]
        Is::Miopen0 | Is::Miopen1 | Is::Miopen2 | Is::Miopen3 => None,
        Is::Im2col => Some(Algorithm::Im2col),
        Is::Direct => Some(Algorithm::Direct),
    }
}

/// The words and sizes are those of the table in `tuning/decisions.rs`.
fn class(device: &RocmDevice, problem: &Problem, dtype: DType, contiguous: bool) -> Class {
    let any = |is: fn(&Axis) -> bool| is(&problem.y) || is(&problem.x);
    let steps = match () {
        () if problem.transposed => 3,
        () if any(|axis| axis.dilation > 1) => 2,
        () if any(|axis| axis.stride > 1) => 1,
        () => 0,
    };
    let [groups, miopen] = [problem.groups > 1, Engines::has_miopen(device)].map(u8::from);
    let words = [tuning::float(dtype), u8::from(!contiguous), steps, groups, miopen];
    let Problem { batch, c_in, c_out, y, x, .. } = *problem;
    Class::new(tuning::CONVOLUTION, &words, &[c_in, c_out, y.taps * x.taps, batch * y.output * x.output])
}
