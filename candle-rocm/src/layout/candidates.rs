//! Transpositions by what was the fastest for shapes like these.

use super::transpose::THREADS;
use crate::common::access::Transposition;
use crate::count::saturating;
use crate::tuning::{Candidates, Decision, ELEMENTS, Tuner, candidates};
use crate::{Result, RocmDevice};

/// Bytes below which a launch takes longer than what it moves.
const FEW_BYTES: usize = 256 << 10;

candidates! {
    /// What moves the elements of large transposed matrices.
    Candidate {
        /// Tiles in shared memory, by blocks of so many threads, as the next ones.
        Tiles128 "tiles_128",
        Tiles256 "tiles_256",
        Tiles512 "tiles_512",
        Tiles1024 "tiles_1024",
        /// As other layouts are copied: each element by itself. Only for copies.
        Elements "elements",
    }
}

pub(crate) static DECISION: Decision = Decision {
    name: "transposition",
    // What is done with the elements on their way; how large one is; whether rows and columns begin at multiples of a vector.
    words: &[&["copy", "affine", "binary"], ELEMENTS, &["aligned", "unaligned"]],
    // Of matrices as they are read.
    sizes: &["matrices", "rows", "columns"],
    candidates: Candidate::NAMES,
    guessed: false,
    predictable: Candidate::NAMES,
};

/// What is done with elements on their way.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Task {
    Copy,
    Affine,
    Binary,
}

/// Threads of a block that moves tiles; `None` goes without tiles.
fn threads(candidate: Candidate) -> Option<u32> {
    match candidate {
        Candidate::Tiles128 => Some(128),
        Candidate::Tiles256 => Some(THREADS),
        Candidate::Tiles512 => Some(512),
        Candidate::Tiles1024 => Some(1024),
        Candidate::Elements => None,
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
    let class = DECISION.class(&words, &[matrices, rows, columns]);
    let candidates = || {
        Candidates::new(Candidate::Tiles256, |candidate| {
            task == Task::Copy || candidate != Candidate::Elements
        })
    };
    tuner.serve(device, class, candidates, |candidate| run(candidate.map_or(Some(THREADS), threads)))
}
