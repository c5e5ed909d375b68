//! What operations are told apart by where plans are kept of those that are alike.

use super::Operation;

/// Words that are the same for two operations if they are but for weights, other crates' code, and what only errors say; none are the
/// beginning of another operation's.
pub(super) fn write(operation: &Operation, words: &mut Vec<u64>) {
    match operation {
        Operation::Affine { mul, add } => words.extend([0, mul.to_bits(), add.to_bits()]),
        Operation::Powf(e) => words.extend([1, e.to_bits()]),
        Operation::Elu(alpha) => words.extend([2, alpha.to_bits()]),
        Operation::Unary { op: _, kernel } => words.extend([3].into_iter().chain(text(kernel))),
        Operation::Binary { op: _, kernel } => words.extend([4].into_iter().chain(text(kernel))),
        Operation::Compare(op) => words.extend([5, *op as u64]),
        Operation::Cast(dtype) => words.extend([6, *dtype as u64]),
        Operation::WhereCond => words.push(7),
        Operation::Copy => words.push(8),
        Operation::Reduce { op, dims } => {
            words.extend([9, *op as u64, dims.len() as u64]);
            words.extend(dims.iter().map(|&dim| dim as u64));
        }
        Operation::MatMul(matmul) => {
            let shape = matmul.shape;
            let sizes = [shape.batch, shape.m, shape.n, shape.k].map(|size| size as u64);
            words.extend([10].into_iter().chain(sizes));
        }
        Operation::Softmax => words.push(11),
        Operation::RmsNorm { eps } => words.extend([12, eps.to_bits().into()]),
        Operation::LayerNorm { eps } => words.extend([13, eps.to_bits().into()]),
        Operation::GroupNorm { groups, eps } => words.extend([14, *groups as u64, eps.to_bits()]),
        Operation::Rope(arrangement) => words.extend([15, *arrangement as u64]),
        Operation::Cat { dim } => words.extend([16, *dim as u64]),
        Operation::QMatMul(weights) => {
            let (rows, columns) = weights.shape();
            words.extend([17, weights.dtype() as u64, rows as u64, columns as u64]);
        }
        Operation::External(_) => words.push(18),
    }
}

/// The name of a kernel. The same text may be in several places, which only costs a plan.
fn text(name: &'static str) -> [u64; 2] {
    [name.as_ptr() as u64, name.len() as u64]
}
