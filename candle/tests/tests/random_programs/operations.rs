//! What each operation calls, on any device.

use std::sync::Arc;

use candle_core::quantized::{QMatMul, QTensor};
use candle_core::scalar::Scalar;
use candle_core::{DType, Device, Module, Result, Tensor, Var, WithDType, bail};
use candle_nn::{ops, rotary_emb};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rand_distr::StandardNormal;

use super::program::{Op, Values, View};

/// A numbered tensor.
#[derive(Clone)]
pub enum Slot {
    Tensor(Tensor),
    Var(Var),
}

impl Slot {
    pub fn tensor(&self) -> &Tensor {
        match self {
            Self::Tensor(tensor) => tensor,
            Self::Var(var) => var,
        }
    }
}

/// The result, if there is one.
pub fn apply(op: &Op, slots: &[Slot], devices: &[Device; 2]) -> Result<Option<Slot>> {
    let x: Vec<&Tensor> = slots.iter().map(Slot::tensor).collect();
    let result = match op {
        Op::New { values, seed, dims, dtype, device } => {
            new(*values, *seed, dims, *dtype, &devices[*device])?
        }
        Op::View(view) => match view {
            View::Narrow { dim, start, len } => x[0].narrow(*dim, *start, *len)?,
            View::Transpose(a, b) => x[0].transpose(*a, *b)?,
            View::Permute(dims) => x[0].permute(dims.as_slice())?,
            View::BroadcastAs(dims) => x[0].broadcast_as(dims.as_slice())?,
            View::Reshape(dims) => x[0].reshape(dims.as_slice())?,
            View::Squeeze(dim) => x[0].squeeze(*dim)?,
            View::Unsqueeze(dim) => x[0].unsqueeze(*dim)?,
        },
        Op::Clone => x[0].clone(),
        Op::Contiguous => x[0].contiguous()?,
        Op::Copy => x[0].copy()?,
        Op::Flip(dim) => x[0].flip(&[*dim])?,
        Op::Unary(name) => unary(name, x[0])?,
        Op::Binary(name) | Op::Compare(name) => binary(name, x[0], x[1])?,
        Op::Broadcast(name) => broadcast(name, x[0], x[1])?,
        Op::WhereCond => x[0].where_cond(x[1], x[2])?,
        Op::Affine(mul, add) => x[0].affine(*mul, *add)?,
        Op::Powf(by) => x[0].powf(*by)?,
        Op::Elu(alpha) => x[0].elu(*alpha)?,
        Op::Clamp(low, high) => x[0].clamp(*low, *high)?,
        Op::Cast(dtype) => x[0].to_dtype(*dtype)?,
        Op::Reduce { name, dims, keepdim } => reduce(name, x[0], dims, *keepdim)?,
        Op::Arg { name, dim, keepdim } => match (*name, keepdim) {
            ("argmin", true) => x[0].argmin_keepdim(*dim)?,
            ("argmin", false) => x[0].argmin(*dim)?,
            (_, true) => x[0].argmax_keepdim(*dim)?,
            (_, false) => x[0].argmax(*dim)?,
        },
        Op::Cumsum(dim) => x[0].cumsum(*dim)?,
        Op::ArgSort(ascending) => x[0].arg_sort_last_dim(*ascending)?,
        Op::MatMul => x[0].matmul(x[1])?,
        Op::BroadcastMatMul => x[0].broadcast_matmul(x[1])?,
        Op::Cat(dim) => Tensor::cat(&x, *dim)?,
        Op::IndexSelect(dim) => x[0].index_select(x[1], *dim)?,
        Op::Gather(dim) => x[0].gather(x[1], *dim)?,
        Op::Scatter(dim) => x[0].scatter(x[1], x[2], *dim)?,
        Op::ScatterAdd(dim) => x[0].scatter_add(x[1], x[2], *dim)?,
        Op::IndexAdd(dim) => x[0].index_add(x[1], x[2], *dim)?,
        Op::Softmax => ops::softmax_last_dim(x[0])?,
        Op::RmsNorm(eps) => ops::rms_norm(x[0], x[1], *eps)?,
        Op::LayerNorm(eps) => ops::layer_norm(x[0], x[1], x[2], *eps)?,
        Op::Rope(name) => match *name {
            "rope" => rotary_emb::rope(x[0], x[1], x[2])?,
            "rope_i" => rotary_emb::rope_i(x[0], x[1], x[2])?,
            _ => rotary_emb::rope_thd(x[0], x[1], x[2])?,
        },
        Op::Sdpa { causal, scale, softcapping } => {
            ops::sdpa(x[0], x[1], x[2], x.get(3).copied(), *causal, *scale, *softcapping)?
        }
        Op::QMatMul { dtype, n, seed } => {
            let weights = weights(*n, x[0].dim(candle_core::D::Minus1)?, *seed)?;
            let weights = QTensor::quantize_onto(&weights, *dtype, x[0].device())?;
            QMatMul::from_arc(Arc::new(weights))?.forward(x[0])?
        }
        Op::ToDevice(to) => x[0].to_device(&devices[*to])?,
        Op::Var => return Ok(Some(Slot::Var(Var::from_tensor(x[0])?))),
        _ => {
            without_result(op, slots, &x, devices)?;
            return Ok(None);
        }
    };
    Ok(Some(Slot::Tensor(result)))
}

fn without_result(op: &Op, slots: &[Slot], x: &[&Tensor], devices: &[Device; 2]) -> Result<()> {
    match op {
        Op::SliceSet { dim, start } => x[0].slice_set(x[1], *dim, *start),
        Op::ScatterSet(dim) => x[0].scatter_set(x[1], x[2], *dim),
        Op::ScatterAddSet(dim) => x[0].scatter_add_set(x[1], x[2], *dim),
        Op::ConstSet(value) => x[0].const_set(scalar(*value, x[0].dtype())?),
        Op::ZeroSet => x[0].zero_set(),
        Op::VarSet => match &slots[0] {
            Slot::Var(var) => var.set(x[1]),
            Slot::Tensor(_) => bail!("no variable"),
        },
        Op::Synchronize(device) => devices[*device].synchronize(),
        Op::BadIndex => {
            let index = Tensor::new(&[1u32 << 30], x[0].device())?;
            x[0].flatten_all()?.index_select(&index, 0)?.to_device(&Device::Cpu)?;
            Ok(())
        }
        _ => bail!("{op:?} is none of a machine's"),
    }
}

/// Weights before they are quantized, on the CPU.
pub fn weights(n: usize, k: usize, seed: u64) -> Result<Tensor> {
    new(Values::Normal, seed, &[n, k], DType::F32, &Device::Cpu)
}

fn scalar(value: f64, dtype: DType) -> Result<Scalar> {
    Ok(match dtype {
        DType::U8 => Scalar::U8(value as u8),
        DType::U32 => Scalar::U32(value as u32),
        DType::I64 => Scalar::I64(value as i64),
        DType::BF16 => Scalar::BF16(WithDType::from_f64(value)),
        DType::F16 => Scalar::F16(WithDType::from_f64(value)),
        DType::F32 => Scalar::F32(value as f32),
        DType::F64 => Scalar::F64(value),
        _ => bail!("no scalar of {dtype:?}"),
    })
}

fn new(values: Values, seed: u64, dims: &[usize], dtype: DType, device: &Device) -> Result<Tensor> {
    const MIXED: [f64; 8] = [0., -0., 1e-4, -1e-4, 30., -30., 1., -1.];
    const SPECIAL: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    match values {
        Values::Zeros => return Tensor::zeros(dims, dtype, device),
        Values::Ones => return Tensor::ones(dims, dtype, device),
        Values::Full(value) => return Tensor::full(value, dims, device)?.to_dtype(dtype),
        _ => {}
    }
    let mut numbers = StdRng::seed_from_u64(seed);
    let mut number = |i: usize| -> f64 {
        let normal: f64 = numbers.sample(StandardNormal);
        match values {
            Values::Positive => numbers.random_range(0.25..2.),
            Values::Small => normal * 1e-5,
            Values::Special if numbers.random_ratio(1, 12) => SPECIAL[numbers.random_range(0..SPECIAL.len())],
            Values::Mixed | Values::Special if numbers.random_ratio(1, 4) => {
                MIXED[numbers.random_range(0..MIXED.len())]
            }
            Values::Mask { hides_a_row } => {
                let columns = dims.last().copied().unwrap_or(1).max(1);
                let hidden = (hides_a_row && i < columns) || (normal > 0.5 && !i.is_multiple_of(columns));
                match (hidden, dtype.is_float()) {
                    (true, true) => f64::NEG_INFINITY,
                    (hidden, _) => f64::from(u8::from(hidden)),
                }
            }
            Values::Below(end) => numbers.random_range(0..end.max(1)) as f64,
            Values::Range => i as f64,
            _ => normal,
        }
    };
    let numbers: Vec<f64> = (0..dims.iter().product()).map(&mut number).collect();
    Tensor::from_vec(numbers, dims, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)
}

pub const UNARY: &[&str] = &[
    "exp", "log", "sin", "cos", "tanh", "erf", "gelu", "gelu_erf", "silu", "relu", "abs", "neg", "sqr",
    "sqrt", "recip", "ceil", "floor", "round", "sign",
];

fn unary(name: &str, x: &Tensor) -> Result<Tensor> {
    match name {
        "exp" => x.exp(),
        "log" => x.log(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tanh" => x.tanh(),
        "erf" => x.erf(),
        "gelu" => x.gelu(),
        "gelu_erf" => x.gelu_erf(),
        "silu" => x.silu(),
        "relu" => x.relu(),
        "abs" => x.abs(),
        "neg" => x.neg(),
        "sqr" => x.sqr(),
        "sqrt" => x.sqrt(),
        "recip" => x.recip(),
        "ceil" => x.ceil(),
        "floor" => x.floor(),
        "round" => x.round(),
        "sign" => x.sign(),
        _ => bail!("no unary {name}"),
    }
}

fn binary(name: &str, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    match name {
        "add" => x.add(y),
        "sub" => x.sub(y),
        "mul" => x.mul(y),
        "div" => x.div(y),
        "maximum" => x.maximum(y),
        "minimum" => x.minimum(y),
        "eq" => x.eq(y),
        "ne" => x.ne(y),
        "lt" => x.lt(y),
        "le" => x.le(y),
        "gt" => x.gt(y),
        "ge" => x.ge(y),
        _ => bail!("no binary {name}"),
    }
}

fn broadcast(name: &str, x: &Tensor, y: &Tensor) -> Result<Tensor> {
    match name {
        "add" => x.broadcast_add(y),
        "sub" => x.broadcast_sub(y),
        "mul" => x.broadcast_mul(y),
        "div" => x.broadcast_div(y),
        "maximum" => x.broadcast_maximum(y),
        "minimum" => x.broadcast_minimum(y),
        _ => bail!("no binary {name}"),
    }
}

fn reduce(name: &str, x: &Tensor, dims: &[usize], keepdim: bool) -> Result<Tensor> {
    match (name, keepdim) {
        ("sum", true) => x.sum_keepdim(dims),
        ("sum", false) => x.sum(dims),
        ("mean", true) => x.mean_keepdim(dims),
        ("mean", false) => x.mean(dims),
        ("max", true) => x.max_keepdim(dims[0]),
        ("max", false) => x.max(dims[0]),
        ("min", true) => x.min_keepdim(dims[0]),
        ("min", false) => x.min(dims[0]),
        ("var", true) => x.var_keepdim(dims[0]),
        ("var", false) => x.var(dims[0]),
        _ => bail!("no reduction {name}"),
    }
}
