//! Trees of elementwise operations, and the source of the kernel for one.

use std::fmt::Write;

use candle_core::DType;
use rocm_kernels::{AFFINE, BINARY, CAST, Module, TERNARY, UNARY};
use smallvec::{SmallVec, smallvec};

use crate::elementwise::binary::comparison;
use crate::fusion::Operation;
use crate::storage_slice::each_dtype;

/// Operands of a kernel at most: what `elementwise.h` has room for.
pub(in crate::fusion) const MOST_OPERANDS: usize = 3;
/// Steps of a kernel at most, which limits registers and what the compiler has to do.
pub(in crate::fusion) const MOST_STEPS: usize = 16;
/// Cheap steps from which on fewer elements are in flight.
const MANY_STEPS: usize = 4;

/// An operation of an element of each operand. Its parameters are arguments of the kernel.
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
}

pub(in crate::fusion) type Parameters = SmallVec<[f64; 2]>;

impl Function {
    /// The function of an operation, if it is elementwise, and its parameters. Each gives bit by bit what the operation gives by
    /// itself, so that nobody can tell whether a kernel was ready: sine, cosine, reciprocals and powers have a faster way for most
    /// elements, which may differ in the last bit.
    pub(in crate::fusion) fn of(operation: &Operation) -> Option<(Self, Parameters)> {
        let plain = |function| Some((function, Parameters::new()));
        match *operation {
            Operation::Affine { mul, add } => Some((Self::Affine, smallvec![mul, add])),
            Operation::Elu(alpha) => Some((Self::Elu, smallvec![alpha])),
            Operation::Unary { kernel: "usin" | "ucos" | "urecip", .. } => None,
            Operation::Unary { kernel, .. } => plain(Self::Unary(kernel)),
            Operation::Binary { kernel, .. } => plain(Self::Binary(kernel)),
            Operation::Compare(op) => plain(Self::Binary(comparison(op))),
            Operation::Cast(_) => plain(Self::Cast),
            Operation::WhereCond => plain(Self::Where),
            Operation::Copy => plain(Self::Copy),
            _ => None,
        }
    }

    /// Whose source has it.
    fn module(self) -> &'static Module {
        match self {
            Self::Affine => &AFFINE,
            Self::Elu | Self::Unary(_) | Self::Copy => &UNARY,
            Self::Binary(_) => &BINARY,
            Self::Cast => &CAST,
            Self::Where => &TERNARY,
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

/// A tree without its operands' shapes, strides and the values of its parameters: what a kernel is compiled for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::fusion) struct Expression {
    pub(in crate::fusion) operands: SmallVec<[DType; MOST_OPERANDS]>,
    /// In their order; the last one is the result.
    pub(in crate::fusion) steps: SmallVec<[Step; 8]>,
}

/// The kernel's name.
pub(super) const KERNEL: &str = "joined";

/// The dtype's name in kernels; `None` for those that take another name here and there.
pub(in crate::fusion) fn type_name(dtype: DType) -> Option<&'static str> {
    match dtype {
        DType::F8E4M3 => None,
        _ => each_dtype!(dtype, T => Some(<T as crate::RocmDType>::KERNEL_DTYPE), else None),
    }
}

impl Expression {
    /// Of the result.
    pub(in crate::fusion) fn dtype(&self) -> Option<DType> {
        self.steps.last().map(|step| step.dtype)
    }

    fn source_dtype(&self, source: Source) -> Option<DType> {
        match source {
            Source::Operand(i) => self.operands.get(usize::from(i)).copied(),
            Source::Step(i) => self.steps.get(usize::from(i)).map(|step| step.dtype),
        }
    }

    /// The files that the source includes besides headers.
    pub(super) fn modules(&self) -> SmallVec<[&'static Module; 5]> {
        let mut modules: SmallVec<[&'static Module; 5]> = SmallVec::new();
        for module in self.steps.iter().map(|step| step.function.module()) {
            if !modules.iter().any(|known| known.name == module.name) {
                modules.push(module);
            }
        }
        modules.sort_by_key(|module| module.name);
        modules
    }

    /// HIP source of the kernel `joined(numel, num_dims, info, operands.., out, parameters..)`; `None` if a dtype has no name.
    pub(super) fn source(&self) -> Option<String> {
        let mut text = String::from(
            "#include \"common/elementwise.h\"\n\
             // The functions of these files without their kernels: templates that nobody instantiates have no code.\n\
             #undef KERNEL\n\
             #define KERNEL template <int = 0> DEVICE void\n",
        );
        for module in self.modules() {
            writeln!(text, "#include \"{}/{}.hip\"", module.family, module.name).ok()?;
        }
        let (mut parameters, mut fields, mut costs, mut body) =
            (Vec::new(), String::new(), String::new(), String::new());
        for (i, step) in self.steps.iter().enumerate() {
            let (of, to) = (type_name(self.source_dtype(*step.sources.first()?)?)?, type_name(step.dtype)?);
            let own: Vec<String> =
                (0..step.function.count()).map(|j| format!("p{}", parameters.len() + j)).collect();
            for name in &own {
                writeln!(fields, "  {of} {name};").ok()?;
                parameters.push((of, name.clone()));
            }
            let is_int = !matches!(of, "f16" | "bf16" | "f32" | "f64");
            let (function, initial) = match step.function {
                Function::Affine => (format!("Affine<{of}>"), own.join(", ")),
                Function::Elu => (format!("uelu<{of}>"), format!("widen({})", own.join(", "))),
                Function::Unary("ucopy") | Function::Copy => (format!("ucopy<{of}>"), String::new()),
                Function::Unary(name) if is_int => (format!("{name}_int<{of}>"), String::new()),
                Function::Unary(name) | Function::Binary(name) => (format!("{name}<{of}>"), String::new()),
                Function::Cast => (format!("Cast<{to}, {of}>"), String::new()),
                Function::Where => (format!("Where<{of}, {to}>"), String::new()),
            };
            let arguments = step.sources.iter().map(|source| match source {
                Source::Operand(i) => format!("x{i}"),
                Source::Step(i) => format!("t{i}"),
            });
            let arguments = arguments.collect::<Vec<_>>().join(", ");
            writeln!(body, "    const {to} t{i} = {function}{{{initial}}}({arguments});").ok()?;
            costs = match costs.as_str() {
                "" => format!("{function}::COST"),
                _ => format!("max_of({costs}, {function}::COST)"),
            };
        }
        if self.steps.len() >= MANY_STEPS {
            costs = format!("max_of({costs}, HEAVY)");
        }
        let out = type_name(self.dtype()?)?;
        let types: Vec<&str> = self.operands.iter().map(|&dtype| type_name(dtype)).collect::<Option<_>>()?;
        let list = |text: &dyn Fn(usize, &str) -> String| {
            types.iter().enumerate().map(|(i, of)| text(i, of)).collect::<Vec<_>>().join(", ")
        };
        let elements = list(&|i, of| format!("const {of} x{i}"));
        let pointers = list(&|i, of| format!("const {of}* x{i}"));
        let names = list(&|i, _| format!("x{i}"));
        let typed: String = parameters.iter().map(|(of, name)| format!(", const {of} {name}")).collect();
        let given = parameters.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
        let last = self.steps.len() - 1;
        write!(
            text,
            "struct Joined {{\n  static constexpr Cost COST = {costs};\n{fields}  \
             DEVICE {out} operator()({elements}) const {{\n{body}    return t{last};\n  }}\n}};\n\
             extern \"C\" __global__ void {KERNEL}(const size_t numel, const size_t num_dims, const size_t* info, \
             {pointers}, {out}* out{typed}) {{\n  \
             elementwise(numel, num_dims, info, Joined{{{given}}}, out, {names});\n}}\n"
        )
        .ok()?;
        Some(text)
    }
}
