//! What a program has to give: candle's CPU device computes it in f64, several times with errors such as rounding makes. Where these
//! results are alike, so must be a device's; where they differ, as behind a difference of nearly equal numbers or a comparison of two,
//! a device's may differ as much.

use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::ops;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use candle_core::quantized::{GgmlDType, QTensor};

use super::interpreter::Machine;
use super::operations::{Slot, apply, weights};
use super::program::{Instruction, Op, Program};

const DEVICES: [Device; 2] = [Device::Cpu, Device::Cpu];

/// The CPU in f64.
pub struct Reference<'a> {
    program: &'a Program,
    errors: Errors,
}

/// What is done to what operations give.
#[derive(Clone, Copy)]
enum Errors {
    None,
    /// It is rounded to its dtype.
    Rounded,
    /// Up to so many roundings, by chance.
    Random {
        seed: u64,
        roundings: f64,
    },
}

impl<'a> Reference<'a> {
    /// The references of a program: one without errors, one that rounds every step, and others.
    pub fn all(program: &'a Program, count: u64, roundings: f64) -> impl Iterator<Item = Self> {
        let errors = (0..count).map(move |seed| match seed {
            0 => Errors::None,
            1 => Errors::Rounded,
            _ => Errors::Random { seed, roundings },
        });
        errors.map(move |errors| Self { program, errors })
    }

    /// The one without errors.
    pub fn exact(program: &'a Program) -> Self {
        Self { program, errors: Errors::None }
    }

    fn compute(&self, at: usize, instruction: &Instruction, x: &[&Tensor], dtype: DType) -> Result<Tensor> {
        let op = in_dtype(&instruction.op, dtype)?;
        // Sums of inputs that nearly cancel: an error of each.
        let of_inputs = input_errors(&op, dtype);
        let inputs = x.iter().zip(0..).map(|(x, i)| match of_inputs {
            Some(relative) if x.dtype() == DType::F64 => self.erred(x, (at, i), [relative, 0.], 0.),
            _ => Ok((*x).clone()),
        });
        let mut inputs = inputs.collect::<Result<Vec<_>>>()?;
        if let Op::QMatMul { .. } = op {
            inputs[0] = self.rounded_to_bytes(&inputs[0], at)?;
        }
        let result = composed(&op, &inputs)?;
        if result.dtype() != DType::F64 || op.only_moves() {
            return Ok(result);
        }
        let narrow = [epsilon(dtype), smallest(dtype)];
        let result = self.erred(&result, (at, 8), narrow, absolute_errors(&op) * internal_epsilon(dtype))?;
        match (&op, self.errors) {
            // The two roundings of a product and a sum.
            (Op::Affine(mul, _), Errors::Random { .. }) => {
                let product = (x[0] * *mul)?;
                result + (self.erred(&product, (at, 9), narrow, 0.)? - product)?
            }
            (_, Errors::Rounded) => rounded(&result, dtype),
            _ => Ok(result),
        }
    }

    /// With errors of each element, relative, of which none is smaller than the second number, and absolute.
    fn erred(
        &self,
        x: &Tensor,
        (at, of): (usize, u64),
        [relative, least]: [f64; 2],
        absolute: f64,
    ) -> Result<Tensor> {
        let Errors::Random { seed, roundings } = self.errors else { return Ok(x.clone()) };
        let mut numbers = StdRng::seed_from_u64(seed << 32 | (at as u64) << 4 | of);
        map(x, |x| {
            let [relative, absolute] = [(x.abs() * relative).max(least), absolute]
                .map(|size| size * roundings * numbers.random_range(-1.0..=1.0));
            // Zeros stay, as those of relu.
            if x == 0. { x + absolute } else { x + relative + absolute }
        })
    }

    /// What quantized products do to vectors: eight bits for each, relative to the largest of 32.
    fn rounded_to_bytes(&self, x: &Tensor, at: usize) -> Result<Tensor> {
        let Errors::Random { seed, .. } = self.errors else { return Ok(x.clone()) };
        let mut numbers = StdRng::seed_from_u64(seed << 32 | (at as u64) << 4 | 10);
        let (dims, mut all) = (x.dims(), x.flatten_all()?.to_vec1::<f64>()?);
        for block in all.chunks_mut(32) {
            let largest = block.iter().fold(0f64, |largest, x| largest.max(x.abs()));
            block.iter_mut().for_each(|x| *x += largest / 127. * numbers.random_range(-0.6..=0.6));
        }
        Tensor::from_vec(all, dims, &Device::Cpu)
    }
}

impl Machine for Reference<'_> {
    fn apply(&self, at: usize, instruction: &Instruction, inputs: &[Slot]) -> Result<Option<Slot>> {
        let of = self.program.input_dtypes(instruction);
        let dtype = instruction.output.map(|output| self.program.tensors[output].dtype);
        let x: Vec<&Tensor> = inputs.iter().map(Slot::tensor).collect();
        let result = match (&instruction.op, dtype) {
            (Op::New { .. }, _) => match apply(&instruction.op, inputs, &DEVICES)? {
                Some(new) => widened(new.tensor())?,
                None => return Ok(None),
            },
            // What is the same memory on a device is so here.
            (Op::Cast(dtype), _) if *dtype == of[0] => x[0].clone(),
            (Op::Cast(dtype), _) if *dtype == DType::F64 => widened(&x[0].copy()?)?,
            (Op::Cast(dtype), _) => widened(&x[0].to_dtype(*dtype)?)?,
            (Op::ToDevice(to), _) => {
                let from = self.program.tensors[instruction.inputs[0]].device;
                if *to == from { x[0].clone() } else { x[0].copy()? }
            }
            (op, Some(dtype)) if !op.may_alias() => self.compute(at, instruction, &x, dtype)?,
            (Op::ScatterAddSet(dim), None) => {
                let sums = Instruction { op: Op::ScatterAdd(*dim), ..instruction.clone() };
                let sums = self.compute(at, &sums, &x, of[0])?;
                return set_all(x[0], &sums, *dim).map(|()| None);
            }
            (Op::ConstSet(_), None) => {
                let op = in_dtype(&instruction.op, of[0])?;
                return apply(&op, inputs, &DEVICES);
            }
            (op, _) => return apply(op, inputs, &DEVICES),
        };
        Ok(Some(Slot::Tensor(result)))
    }
}

/// Gives a tensor of any layout other elements.
fn set_all(x: &Tensor, to: &Tensor, dim: usize) -> Result<()> {
    let mut row = vec![1; x.rank()];
    row[dim] = x.dims()[dim];
    let indices = Tensor::arange(0, row[dim] as u32, &Device::Cpu)?.reshape(row)?;
    x.scatter_set(&indices.broadcast_as(x.dims())?.contiguous()?, to, dim)
}

fn widened(x: &Tensor) -> Result<Tensor> {
    if x.dtype().is_float() { x.to_dtype(DType::F64) } else { Ok(x.clone()) }
}

pub fn rounded(x: &Tensor, dtype: DType) -> Result<Tensor> {
    x.to_dtype(dtype)?.to_dtype(DType::F64)
}

fn map(x: &Tensor, f: impl FnMut(f64) -> f64) -> Result<Tensor> {
    let all: Vec<f64> = x.flatten_all()?.to_vec1::<f64>()?.into_iter().map(f).collect();
    Tensor::from_vec(all, x.dims(), &Device::Cpu)
}

/// An operation with its numbers as tensors of that dtype have them.
fn in_dtype(op: &Op, dtype: DType) -> Result<Op> {
    let number = |x: f64| -> Result<f64> {
        if !dtype.is_float() {
            return Ok(x);
        }
        Tensor::new(x, &Device::Cpu)?.to_dtype(dtype)?.to_dtype(DType::F64)?.to_scalar()
    };
    Ok(match *op {
        Op::Affine(mul, add) => Op::Affine(number(mul)?, number(add)?),
        Op::Powf(by) => Op::Powf(number(by)?),
        Op::Elu(alpha) => Op::Elu(number(alpha)?),
        Op::Clamp(low, high) => Op::Clamp(number(low)?, number(high)?),
        Op::ConstSet(value) => Op::ConstSet(number(value)?),
        ref op => op.clone(),
    })
}

/// What one rounding to the dtype changes at most, twice.
pub fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::BF16 => 2f64.powi(-7),
        DType::F16 => 2f64.powi(-10),
        DType::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    }
}

/// The distance of numbers near zero, where it is not out of reach of what programs compute.
fn smallest(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-24),
        // Below the normal numbers functions lose digits.
        DType::F32 => 2f64.powi(-142),
        _ => 0.,
    }
}

/// Half types are computed in f32.
fn internal_epsilon(dtype: DType) -> f64 {
    if dtype == DType::F64 { f64::EPSILON } else { f32::EPSILON.into() }
}

/// Relative errors of inputs that are as large as those of what is computed of them.
fn input_errors(op: &Op, dtype: DType) -> Option<f64> {
    match op {
        // The number of elements is rounded to the dtype, as candle multiplies by its inverse.
        Op::Reduce { name: "var", .. } => Some(epsilon(dtype)),
        Op::Reduce { .. } | Op::Cumsum(_) | Op::Rope(_) | Op::ScatterAdd(_) | Op::IndexAdd(_) => {
            Some(internal_epsilon(dtype))
        }
        Op::Softmax | Op::RmsNorm(_) | Op::LayerNorm(_) | Op::MatMul | Op::BroadcastMatMul => {
            Some(4. * internal_epsilon(dtype))
        }
        // Weights are rounded to the dtype on matrix cores.
        Op::Sdpa { .. } => Some(epsilon(dtype)),
        // Vectors may be rounded to bf16.
        Op::QMatMul { .. } => Some(epsilon(DType::BF16)),
        _ => None,
    }
}

/// Errors of functions next to their zeros, in epsilons of what computes: see `candle-rocm/tests/harness/tolerance.rs`.
fn absolute_errors(op: &Op) -> f64 {
    match op {
        Op::Unary("sin" | "cos") => 1.,
        Op::Unary("gelu" | "gelu_erf") => 10.,
        Op::Elu(_) => 2.,
        _ => 0.,
    }
}

/// Operations that the CPU has no f64 for, in others.
fn composed(op: &Op, x: &[Tensor]) -> Result<Tensor> {
    match op {
        Op::RmsNorm(eps) => ops::rms_norm_slow(&x[0], &x[1], *eps),
        Op::LayerNorm(eps) => ops::layer_norm_slow(&x[0], &x[1], &x[2], *eps),
        Op::Cumsum(dim) if x[0].dtype() == DType::F64 => running_sums(&x[0], *dim),
        Op::Sdpa { causal, scale, softcapping } => sdpa(x, *causal, *scale, *softcapping),
        Op::QMatMul { dtype, n, seed } => {
            let weights = weights(*n, x[0].dim(D::Minus1)?, *seed)?;
            let weights: Tensor = match dtype {
                GgmlDType::F32 => weights,
                _ => QTensor::quantize(&weights, *dtype)?.dequantize(&Device::Cpu)?,
            };
            x[0].broadcast_matmul(&weights.to_dtype(DType::F64)?.t()?)
        }
        _ => {
            let slots: Vec<Slot> = x.iter().cloned().map(Slot::Tensor).collect();
            match apply(op, &slots, &DEVICES)? {
                Some(slot) => Ok(slot.tensor().clone()),
                None => candle_core::bail!("{op:?} has no result"),
            }
        }
    }
}

/// candle's is a product with a triangle, whose zeros make NaN of infinities.
fn running_sums(x: &Tensor, dim: usize) -> Result<Tensor> {
    let last = x.rank() - 1;
    let rows = x.transpose(dim, last)?;
    let (dims, n) = (rows.dims().to_vec(), rows.dim(last)?);
    let mut all = rows.flatten_all()?.to_vec1::<f64>()?;
    for row in all.chunks_exact_mut(n.max(1)) {
        for i in 1..row.len() {
            row[i] += row[i - 1];
        }
    }
    Tensor::from_vec(all, dims, &Device::Cpu)?.transpose(dim, last)?.contiguous()
}

fn sdpa(x: &[Tensor], causal: bool, scale: f32, softcapping: f32) -> Result<Tensor> {
    let repeats = x[0].dim(1)? / x[1].dim(1)?;
    let repeat = |x: &Tensor| {
        let (b, heads, s, d) = x.dims4()?;
        x.unsqueeze(2)?.broadcast_as((b, heads, repeats, s, d))?.reshape((b, heads * repeats, s, d))
    };
    let mut scores = (x[0].contiguous()?.matmul(&repeat(&x[1])?.t()?)? * f64::from(scale))?;
    if softcapping != 1. {
        let cap = f64::from(softcapping);
        scores = ((scores / cap)?.tanh()? * cap)?;
    }
    let (_, _, t, s) = scores.dims4()?;
    if causal {
        let hidden = (0..t * s).map(|i| if i % s > i / s + s - t { f64::NEG_INFINITY } else { 0. });
        scores = scores.broadcast_add(&Tensor::from_vec(hidden.collect(), (t, s), &Device::Cpu)?)?;
    }
    if let Some(mask) = x.get(3) {
        scores = scores.broadcast_add(mask)?;
    }
    // A query that sees no key gives zeros.
    let hidden = scores.max_keepdim(D::Minus1)?.eq(f64::NEG_INFINITY)?.broadcast_as(scores.shape())?;
    let weights = hidden.where_cond(&scores.zeros_like()?, &ops::softmax_last_dim(&scores)?)?;
    weights.matmul(&repeat(&x[2])?)
}
