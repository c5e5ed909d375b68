//! Transpositions by what was the fastest for shapes like these.

use super::transpose::THREADS;
use crate::common::access::Transposition;
use crate::count::saturating;
use crate::tuning::{self, Class, Entrants, TranspositionCandidate as Is, Tuner};
use crate::{Result, RocmDevice};

/// Bytes below which a launch takes longer than what it moves.
const FEW_BYTES: usize = 256 << 10;

/// What is done with elements on their way.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Task {
    Copy,
    Affine,
    Binary,
}

/// Threads of a block that moves tiles; `None` goes without tiles.
fn threads(candidate: Is) -> Option<u32> {
    match candidate {
        Is::Tiles128 => Some(128),
        Is::Tiles256 => Some(THREADS),
        Is::Tiles512 => Some(512),
        Is::Tiles1024 => Some(1024),
        Is::Elements => None,
    }
}

/// `run` with the number of threads of a block that was the fastest, or whose turn it is. With `None`, which only copies are asked
/// for, by elements, as other layouts are copied. `size`: bytes of an element.
pub(super) fn serve(
    device: &RocmDevice,
    task: Task,
    transposition: &Transposition,
    size: usize,
    mut run: impl FnMut(Option<u32>) -> Result<()>,
) -> Result<()> {
    let Transposition { rows, columns, .. } = *transposition;
    let matrices = transposition.matrices();
    let few = saturating(&[matrices, rows, columns, size]) < FEW_BYTES;
    let tuner = if few { None } else { Tuner::of(device) };
    let Some(tuner) = tuner else { return run(Some(THREADS)) };
    let words = [task as u8, size.trailing_zeros() as u8, u8::from(!transposition.is_aligned(size))];
    let class = Class::new(tuning::TRANSPOSITION, &words, &[matrices, rows, columns]);
    let race = || {
        let fits = |index| task == Task::Copy || Is::at(index) != Some(Is::Elements);
        Entrants::new(Is::Tiles256.index(), Is::ALL.len(), fits)
    };
    tuner.serve(device, class, race, |candidate| {
        run(candidate.and_then(Is::at).map_or(Some(THREADS), threads))
    })
}
