//! What generated kernels do with elements, step by step, as data and as source.

use candle_core::DType;
use candle_core::op::ReduceOp;
use rocm_kernels::{AFFINE, BINARY, CAST, Module, TERNARY, UNARY};
use smallvec::{SmallVec, smallvec};

use crate::elementwise::affine::Affine;
use crate::elementwise::binary::Binary;
use crate::elementwise::binary::Compare;
use crate::elementwise::binary::comparison;
use crate::elementwise::unary::Elu;
use crate::elementwise::unary::Unary;
use crate::elementwise::unary::integer_kernel;
use crate::fusion::Operation;
use crate::storage_slice::each_dtype;

/// Steps of a kernel at most, which limits registers and what the compiler has to do.
pub(in crate::fusion) const MOST_STEPS: usize = 16;

/// An operation of an element of each operand, or the reduction of a row. Its parameters are arguments of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::fusion) enum Function {
    Affine,
    Elu,
    /// By the kernel's name.
    Unary(&'static str),
    Binary(&'static str),
    Cast,
    Where,
    Copy,
    /// By the name in `fusion/rows.h`.
    Reduce(&'static str),
}

pub(in crate::fusion) type Parameters = SmallVec<[f64; 2]>;

impl Function {
    /// The function of an operation, if it is elementwise, and its parameters. Each gives bit by bit what the operation gives by
    /// itself, so that nobody can tell whether a kernel was ready: sine, cosine, reciprocals and powers have a faster way for most
    /// elements, which may differ in the last bit.
    pub(in crate::fusion) fn of(operation: &Operation) -> Option<(Self, Parameters)> {
        let plain = |function| Some((function, Parameters::new()));
        match *operation {
            Operation::Affine(Affine { mul, add }) => Some((Self::Affine, smallvec![mul, add])),
            Operation::Elu(Elu(alpha)) => Some((Self::Elu, smallvec![alpha])),
            Operation::Unary(Unary { kernel: "usin" | "ucos" | "urecip", .. }) => None,
            Operation::Unary(Unary { kernel, .. }) => plain(Self::Unary(kernel)),
            Operation::Binary(Binary { kernel, .. }) => plain(Self::Binary(kernel)),
            Operation::Compare(Compare(op)) => plain(Self::Binary(comparison(op))),
            Operation::Cast(_) => plain(Self::Cast),
            Operation::WhereCond(_) => plain(Self::Where),
            Operation::Copy(_) => plain(Self::Copy),
            _ => None,
        }
    }

    /// The reduction of rows, if it is one whose result is a value.
    pub(in crate::fusion) fn of_rows(op: ReduceOp) -> Option<Self> {
        match op {
            ReduceOp::Sum => Some(Self::Reduce("Sum")),
            ReduceOp::Min => Some(Self::Reduce("Smallest")),
            ReduceOp::Max => Some(Self::Reduce("Largest")),
            ReduceOp::ArgMin | ReduceOp::ArgMax => None,
        }
    }

    pub(in crate::fusion) fn is_reduction(self) -> bool {
        matches!(self, Self::Reduce(_))
    }

    /// Whose source has it, if it is none of a header's.
    fn module(self) -> Option<&'static Module> {
        match self {
            Self::Affine => Some(&AFFINE),
            Self::Elu | Self::Unary(_) | Self::Copy => Some(&UNARY),
            Self::Binary(_) => Some(&BINARY),
            Self::Cast => Some(&CAST),
            Self::Where => Some(&TERNARY),
            Self::Reduce(_) => None,
        }
    }

    /// Parameters are those numbers of the kernel's.
    fn count(self) -> usize {
        match self {
            Self::Affine => 2,
            Self::Elu => 1,
            _ => 0,
        }
    }
}

/// What a step reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::fusion) enum Source {
    Operand(u8),
    /// The result of an earlier step.
    Step(u8),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::fusion) struct Step {
    pub(in crate::fusion) function: Function,
    pub(in crate::fusion) sources: SmallVec<[Source; 3]>,
    /// Of the result.
    pub(in crate::fusion) dtype: DType,
}

/// The dtype's name in kernels; `None` for those that take another name here and there.
pub(in crate::fusion) fn type_name(dtype: DType) -> Option<&'static str> {
    match dtype {
        DType::F8E4M3 => None,
        _ => each_dtype!(dtype, T => Some(<T as crate::RocmDType>::KERNEL_DTYPE), else None),
    }
}

/// The dtype of what a step reads.
pub(super) fn source_dtype(
    source: Source,
    operands: impl Fn(usize) -> Option<DType>,
    steps: &[Step],
) -> Option<DType> {
    match source {
        Source::Operand(i) => operands(usize::from(i)),
        Source::Step(i) => steps.get(usize::from(i)).map(|step| step.dtype),
    }
}

/// A source's name in kernels.
pub(super) fn source_name(source: Source) -> String {
    match source {
        Source::Operand(i) => format!("x{i}"),
        Source::Step(i) => format!("t{i}"),
    }
}

/// All files that have functions of steps, by their names.
pub(super) const MODULES: [&Module; 5] = [&AFFINE, &BINARY, &CAST, &TERNARY, &UNARY];

/// The files with the steps' functions, besides headers.
pub(super) fn modules(steps: &[Step]) -> SmallVec<[&'static Module; 5]> {
    let mut modules: SmallVec<[&'static Module; 5]> = SmallVec::new();
    for module in steps.iter().filter_map(|step| step.function.module()) {
        if !modules.iter().any(|known| known.name == module.name) {
            modules.push(module);
        }
    }
    modules.sort_by_key(|module| module.name);
    modules
}

/// A value that nothing is fused with. clang makes one instruction of a product and its rounding to f16 that also adds +0, and so turns
/// -0 into +0.
const UNFUSED: &str = "\
template <class T>
DEVICE T unfused(T x) {
  return x;
}
DEVICE float unfused(float x) {
#if defined(__AMDGCN__)
  asm(\"\" : \"+v\"(x));
#endif
  return x;
}
";

/// The beginning of the source of kernels: what they include.
pub(super) fn includes(headers: &[&str], modules: &[&Module]) -> String {
    let headers = headers.iter().map(|header| format!("#include \"{header}\"\n"));
    let files = modules.iter().map(|module| format!("#include \"{}/{}.hip\"\n", module.family, module.name));
    format!(
        "{}\
         // The functions of these files without their kernels: templates that nobody instantiates have no code.\n\
         #undef KERNEL\n\
         #define KERNEL template <int = 0> DEVICE void\n\
         {}{UNFUSED}",
        headers.collect::<String>(),
        files.collect::<String>()
    )
}

/// Parameters of a kernel, with their types.
#[derive(Default)]
pub(super) struct Named(Vec<(&'static str, String)>);

impl Named {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(of, name)| (*of, name.as_str()))
    }

    /// At the end of the kernel's parameters.
    pub(super) fn declared(&self) -> String {
        self.iter().map(|(of, name)| format!(", const {of} {name}")).collect()
    }
}

impl Step {
    /// A struct whose `operator()` computes the step from values of that dtype, and how it is initialised. Its parameters get names.
    pub(super) fn functor(
        &self,
        dtype: DType,
        to: &'static str,
        parameters: &mut Named,
    ) -> Option<(String, String)> {
        let of = type_name(dtype)?;
        let first = parameters.0.len();
        let own: Vec<String> = (first..first + self.function.count()).map(|i| format!("p{i}")).collect();
        parameters.0.extend(own.iter().map(|name| (of, name.clone())));
        let is_int = !dtype.is_float();
        Some(match self.function {
            Function::Affine => (format!("Affine<{of}>"), own.join(", ")),
            Function::Elu => (format!("uelu<{of}>"), format!("widen({})", own.join(", "))),
            Function::Unary("ucopy") | Function::Copy => (format!("ucopy<{of}>"), String::new()),
            Function::Unary(name) if is_int => match integer_kernel(name) {
                Some("ucopy") => (format!("ucopy<{of}>"), String::new()),
                _ => (format!("{name}_int<{of}>"), String::new()),
            },
            Function::Unary(name) | Function::Binary(name) => (format!("{name}<{of}>"), String::new()),
            Function::Cast => (format!("Cast<{to}, {of}>"), String::new()),
            Function::Where => (format!("Where<{of}, {to}>"), String::new()),
            Function::Reduce(name) => (format!("{name}<{of}>"), String::new()),
        })
    }

    /// The sources' names, as arguments.
    pub(super) fn arguments(&self) -> String {
        let names: Vec<_> = self.sources.iter().map(|&source| source_name(source)).collect();
        match (self.function, &self.sources[..]) {
            (Function::Cast, [Source::Step(_)]) if self.dtype == DType::F16 => {
                format!("unfused({})", names.join(", "))
            }
            _ => names.join(", "),
        }
    }
}
