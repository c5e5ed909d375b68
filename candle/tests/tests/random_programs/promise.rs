//! What is promised of a tensor's bits.

use candle_core::DType;

use super::program::{Op, Program};

/// How results of several runs are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    /// Not the same bits in two runs: threads add up in any order.
    pub differs_between_runs: bool,
    /// Not the same bits with fusion as without: sums in another order, or half types that stay in f32.
    pub differs_with_fusion: bool,
}

impl Promise {
    fn add(&mut self, other: Self) {
        self.differs_between_runs |= other.differs_between_runs;
        self.differs_with_fusion |= other.differs_with_fusion;
    }
}

/// What is known of the memory of tensors.
#[derive(Clone, Copy, Default)]
struct Memory {
    promise: Promise,
    /// Of a half type and computed by an operation, which those that read it may be joined with.
    half: bool,
}

/// The promise for each reading of a run, by instruction and tensor.
pub fn promises(program: &Program, readings: impl Iterator<Item = (usize, usize)>) -> Vec<Promise> {
    // Tensors with the same memory have the same root. Too many have: that promises less.
    let mut roots: Vec<usize> = (0..program.tensors.len()).collect();
    let mut memory = vec![Memory::default(); program.tensors.len()];
    let mut readings: Vec<_> = readings.enumerate().collect();
    readings.sort_by_key(|&(_, (at, _))| at);
    let mut promises = vec![Promise::default(); readings.len()];
    let mut next = readings.into_iter().peekable();
    for (at, instruction) in program.instructions.iter().enumerate() {
        while let Some((i, (_, tensor))) = next.next_if(|&(_, (of, _))| of == at) {
            promises[i] = memory[roots[tensor]].promise;
        }
        let op = &instruction.op;
        let mut result = Memory::default();
        for &input in &instruction.inputs {
            let input = memory[roots[input]];
            result.promise.add(input.promise);
            result.half |= input.half;
        }
        if instruction.refused {
            continue;
        }
        let dtype = |tensor: usize| program.tensors[tensor].dtype;
        let of_half = instruction.inputs.iter().any(|&input| is_half(dtype(input)));
        let sum = matches!(op, Op::ScatterAdd(_) | Op::IndexAdd(_) | Op::ScatterAddSet(_));
        let is_float = instruction.inputs.first().is_some_and(|&input| dtype(input).is_float());
        result.promise.differs_between_runs |= sum && is_float && !program.deterministic;
        result.promise.differs_with_fusion |= result.promise.differs_between_runs;
        let product = matches!(op, Op::MatMul | Op::BroadcastMatMul | Op::Sdpa { .. } | Op::QMatMul { .. });
        result.promise.differs_with_fusion |= product;
        if !op.only_moves() && !op.is_in_place() && !matches!(op, Op::Cast(_)) {
            // Stays in f32 between two operations.
            result.promise.differs_with_fusion |=
                of_half && (result.half || op.is_composed() || op.is_approximated());
            result.half = of_half;
        }
        let alias = match op {
            Op::Cast(to) => *to == dtype(instruction.inputs[0]),
            _ => op.may_alias(),
        };
        if let (Op::Cast(_), false) = (op, alias) {
            // Rounded to what it asks for.
            result.half = false;
        }
        if op.is_in_place() {
            memory[roots[instruction.inputs[0]]] = result;
        } else if let Some(output) = instruction.output {
            if alias {
                let root = roots[instruction.inputs[0]];
                roots[output] = root;
                memory[root].half = result.half;
            } else {
                memory[output] = result;
            }
        }
    }
    for (i, (_, tensor)) in next {
        promises[i] = memory[roots[tensor]].promise;
    }
    promises
}

fn is_half(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}
