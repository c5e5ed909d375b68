//! A program as data: instructions on numbered tensors, which print as Rust.

use std::fmt;

use candle_core::DType;
use candle_core::quantized::GgmlDType;

/// A program, and what is known of its tensors before it runs.
#[derive(Clone)]
pub struct Program {
    /// What it was generated from.
    pub seed: u64,
    pub instructions: Vec<Instruction>,
    /// By the tensors' numbers.
    pub tensors: Vec<Info>,
    /// Whether sums that threads add up have a fixed order.
    pub deterministic: bool,
    /// Whether it runs until its generated kernels are there, and once more.
    pub compiled: bool,
    /// Whether the second device is another GPU.
    pub elsewhere: bool,
}

#[derive(Clone)]
pub struct Info {
    pub dims: Vec<usize>,
    pub dtype: DType,
    /// The first device or the second one.
    pub device: usize,
}

#[derive(Clone)]
pub struct Instruction {
    pub op: Op,
    /// Numbers of tensors.
    pub inputs: Vec<usize>,
    pub output: Option<usize>,
    /// 0 runs by itself; neighbours of 1 and 2 run at the same time, in a thread each, as do those of 3 and 4.
    pub thread: usize,
    /// Whether it has to be an error.
    pub refused: bool,
}

/// What a new tensor holds. All are made from the number of the instruction's seed.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    Normal,
    /// Between 0.25 and 2.
    Positive,
    /// Normal, times 1e-5.
    Small,
    /// Normal, with zeros of both signs, large and small numbers.
    Mixed,
    /// The same with NaN and infinities.
    Special,
    /// Masks that are added, 0 and minus infinity, or that select, 0 and 1. Each row shows the first element, unless it is the first
    /// row and all of it is hidden.
    Mask {
        hides_a_row: bool,
    },
    /// Integers from 0 to below.
    Below(usize),
    Zeros,
    Ones,
    Full(f64),
    Range,
}

#[derive(Clone, Debug)]
pub enum View {
    Narrow { dim: usize, start: usize, len: usize },
    Transpose(usize, usize),
    Permute(Vec<usize>),
    BroadcastAs(Vec<usize>),
    Reshape(Vec<usize>),
    Squeeze(usize),
    Unsqueeze(usize),
}

/// Operations that are named as candle's methods are.
#[derive(Clone, Debug)]
pub enum Op {
    New {
        values: Values,
        seed: u64,
        dims: Vec<usize>,
        dtype: DType,
        device: usize,
    },
    View(View),
    Clone,
    Contiguous,
    Copy,
    Flip(usize),
    Unary(&'static str),
    Binary(&'static str),
    Broadcast(&'static str),
    Compare(&'static str),
    WhereCond,
    Affine(f64, f64),
    Powf(f64),
    Elu(f64),
    Clamp(f64, f64),
    Cast(DType),
    Reduce {
        name: &'static str,
        dims: Vec<usize>,
        keepdim: bool,
    },
    Arg {
        name: &'static str,
        dim: usize,
        keepdim: bool,
    },
    Cumsum(usize),
    /// Of rows; whether it is ascending.
    ArgSort(bool),
    MatMul,
    BroadcastMatMul,
    Cat(usize),
    IndexSelect(usize),
    Gather(usize),
    Scatter(usize),
    ScatterAdd(usize),
    IndexAdd(usize),
    Softmax,
    RmsNorm(f32),
    LayerNorm(f32),
    Rope(&'static str),
    Sdpa {
        causal: bool,
        scale: f32,
        softcapping: f32,
    },
    /// With weights `[n, k]` made from a seed.
    QMatMul {
        dtype: GgmlDType,
        n: usize,
        seed: u64,
    },
    ToDevice(usize),
    Var,
    // In place, to the first input.
    SliceSet {
        dim: usize,
        start: usize,
    },
    ScatterSet(usize),
    ScatterAddSet(usize),
    ConstSet(f64),
    ZeroSet,
    VarSet,
    // No tensor.
    Read,
    Drop,
    Synchronize(usize),
    /// An index that is out of range, and what reads the result.
    BadIndex,
}

impl Op {
    /// Whether it writes to its first input.
    pub fn is_in_place(&self) -> bool {
        use Op::{ConstSet, ScatterAddSet, ScatterSet, SliceSet, VarSet, ZeroSet};
        matches!(self, SliceSet { .. } | ScatterSet(_) | ScatterAddSet(_) | ConstSet(_) | ZeroSet | VarSet)
    }

    /// Whether the result may have the memory of its first input.
    pub fn may_alias(&self) -> bool {
        use Op::{Cast, Clone, Contiguous, ToDevice, View};
        matches!(self, View(_) | Clone | Contiguous | Cast(_) | ToDevice(_) | Op::Var)
    }

    /// Whether it rounds more than once.
    pub fn is_composed(&self) -> bool {
        matches!(self, Self::Affine(..) | Self::Reduce { name: "mean" | "var", .. })
    }

    /// Whether half types have an approximation of it, and f32, in which it is computed where it is joined, another one.
    pub fn is_approximated(&self) -> bool {
        matches!(self, Self::Unary("log" | "tanh" | "erf" | "gelu" | "gelu_erf" | "silu") | Self::Elu(_))
    }

    /// Whether elements are only moved: each is one of an input's, bit by bit.
    pub fn only_moves(&self) -> bool {
        use Op::{Cat, Copy, Flip, Gather, IndexSelect, New, Scatter, WhereCond};
        match self {
            Cat(_) | Copy | Flip(_) | Gather(_) | IndexSelect(_) | New { .. } | Scatter(_) | WhereCond => {
                true
            }
            Op::Cast(_) => false,
            _ => self.may_alias(),
        }
    }
}

impl Program {
    /// The types of an instruction's inputs.
    pub fn input_dtypes(&self, instruction: &Instruction) -> Vec<DType> {
        instruction.inputs.iter().map(|&input| self.tensors[input].dtype).collect()
    }
}

impl Program {
    /// An instruction as Rust.
    pub fn line(&self, instruction: &Instruction) -> String {
        let names: Vec<String> = instruction.inputs.iter().map(|input| format!("t{input}")).collect();
        let call = instruction.op.text(&names);
        let result = instruction.output.map(|output| format!("let t{output} = ")).unwrap_or_default();
        format!("{result}{call}{}", if instruction.refused { ".unwrap_err();" } else { "?;" })
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for instruction in &self.instructions {
            write!(f, "    {} //", self.line(instruction))?;
            if let Some(output) = instruction.output {
                let Info { dims, dtype, device } = &self.tensors[output];
                write!(f, " {dims:?} {dtype:?}, {}", ["a", "b"][*device])?;
            }
            if instruction.thread > 0 {
                write!(f, " in thread {}", instruction.thread)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Op {
    fn text(&self, x: &[String]) -> String {
        let device = |device: &usize| ["a", "b"][*device];
        let call = |name: &str, arguments: &str| format!("{}.{name}({arguments})", x[0]);
        let others = |own: &str| {
            let others = x[1..].iter().map(|name| format!("&{name}"));
            let own = if own.is_empty() { None } else { Some(own.to_owned()) };
            others.chain(own).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::New { values, seed, dims, dtype, device: on } => {
                let values = match values {
                    Values::Zeros | Values::Ones | Values::Range | Values::Full(_) => format!("{values:?}"),
                    _ => format!("{values:?}, seed {seed}"),
                };
                format!("new({values}, {dims:?}, {dtype:?}, &{})", device(on))
            }
            Self::View(view) => match view {
                View::Narrow { dim, start, len } => call("narrow", &format!("{dim}, {start}, {len}")),
                View::Transpose(a, b) => call("transpose", &format!("{a}, {b}")),
                View::Permute(dims) => call("permute", &format!("{dims:?}")),
                View::BroadcastAs(dims) => call("broadcast_as", &format!("{dims:?}")),
                View::Reshape(dims) => call("reshape", &format!("{dims:?}")),
                View::Squeeze(dim) => call("squeeze", &dim.to_string()),
                View::Unsqueeze(dim) => call("unsqueeze", &dim.to_string()),
            },
            Self::Clone => format!("Ok({}.clone())", x[0]),
            Self::Contiguous => call("contiguous", ""),
            Self::Copy => call("copy", ""),
            Self::Flip(dim) => call("flip", &format!("&[{dim}]")),
            Self::Unary(name) => call(name, ""),
            Self::Binary(name) | Self::Compare(name) => call(name, &others("")),
            Self::Broadcast(name) => call(&format!("broadcast_{name}"), &others("")),
            Self::WhereCond => call("where_cond", &others("")),
            Self::Affine(mul, add) => call("affine", &format!("{mul:?}, {add:?}")),
            Self::Powf(by) => call("powf", &format!("{by:?}")),
            Self::Elu(alpha) => call("elu", &format!("{alpha:?}")),
            Self::Clamp(low, high) => call("clamp", &format!("{low:?}, {high:?}")),
            Self::Cast(dtype) => call("to_dtype", &format!("DType::{dtype:?}")),
            Self::Reduce { name, dims, keepdim } => {
                call(&format!("{name}{}", keep(*keepdim)), &format!("{dims:?}"))
            }
            Self::Arg { name, dim, keepdim } => call(&format!("{name}{}", keep(*keepdim)), &dim.to_string()),
            Self::Cumsum(dim) => call("cumsum", &dim.to_string()),
            Self::ArgSort(ascending) => call("arg_sort_last_dim", &ascending.to_string()),
            Self::MatMul => call("matmul", &others("")),
            Self::BroadcastMatMul => call("broadcast_matmul", &others("")),
            Self::Cat(dim) => {
                let all = x.iter().map(|name| format!("&{name}")).collect::<Vec<_>>().join(", ");
                format!("Tensor::cat(&[{all}], {dim})")
            }
            Self::IndexSelect(dim) => call("index_select", &others(&dim.to_string())),
            Self::Gather(dim) => call("gather", &others(&dim.to_string())),
            Self::Scatter(dim) => call("scatter", &others(&dim.to_string())),
            Self::ScatterAdd(dim) => call("scatter_add", &others(&dim.to_string())),
            Self::IndexAdd(dim) => call("index_add", &others(&dim.to_string())),
            Self::Softmax => format!("softmax_last_dim(&{})", x[0]),
            Self::RmsNorm(eps) => format!("rms_norm(&{}, {})", x[0], others(&format!("{eps:?}"))),
            Self::LayerNorm(eps) => format!("layer_norm(&{}, {})", x[0], others(&format!("{eps:?}"))),
            Self::Rope(name) => format!("{name}(&{}, {})", x[0], others("")),
            Self::Sdpa { causal, scale, softcapping } => {
                let mask = x.get(3).map_or("None".to_owned(), |mask| format!("Some(&{mask})"));
                format!("sdpa(&{}, &{}, &{}, {mask}, {causal}, {scale:?}, {softcapping:?})", x[0], x[1], x[2])
            }
            Self::QMatMul { dtype, n, seed } => {
                format!("quantized({dtype:?}, {n} rows, seed {seed}).forward(&{})", x[0])
            }
            Self::ToDevice(to) => call("to_device", &format!("&{}", device(to))),
            Self::Var => format!("Var::from_tensor(&{})", x[0]),
            Self::SliceSet { dim, start } => call("slice_set", &others(&format!("{dim}, {start}"))),
            Self::ScatterSet(dim) => call("scatter_set", &others(&dim.to_string())),
            Self::ScatterAddSet(dim) => call("scatter_add_set", &others(&dim.to_string())),
            Self::ConstSet(value) => call("const_set", &format!("{value:?}")),
            Self::ZeroSet => call("zero_set", ""),
            Self::VarSet => call("set", &others("")),
            Self::Read => format!("read(&{})", x[0]),
            Self::Drop => format!("Ok(drop({}))", x[0]),
            Self::Synchronize(on) => format!("{}.synchronize()", device(on)),
            Self::BadIndex => format!("read(&{}.flatten_all()?.index_select(&[1 << 30], 0)?)", x[0]),
        }
    }
}

fn keep(keepdim: bool) -> &'static str {
    if keepdim { "_keepdim" } else { "" }
}
