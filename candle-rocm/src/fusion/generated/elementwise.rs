//! Trees of elementwise operations, and the source of the kernel for one.

use std::fmt::Write;

use candle_core::DType;
use smallvec::SmallVec;

use super::steps::{Function, Named, Step, source_dtype, type_name};

/// Operands of a kernel at most: what `elementwise.h` has room for.
pub(in crate::fusion) const MOST_OPERANDS: usize = 3;
/// Cheap steps from which on fewer elements are in flight.
const MANY_STEPS: usize = 4;

/// A tree without its operands' shapes, strides and the values of its parameters: what a kernel is compiled for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::fusion) struct Expression {
    pub(in crate::fusion) operands: SmallVec<[DType; MOST_OPERANDS]>,
    /// In their order; the last one is the result.
    pub(in crate::fusion) steps: SmallVec<[Step; 8]>,
}

impl Expression {
    /// The header that the kernel needs.
    pub(super) const HEADER: &str = "common/elementwise.h";

    /// HIP source of the kernel `name(numel, num_dims, info, operands.., out, parameters..)`; `None` if a dtype has no name.
    pub(super) fn kernel(&self, name: &str) -> Option<String> {
        let (mut parameters, mut costs, mut body) = (Named::default(), String::new(), String::new());
        for (i, step) in self.steps.iter().enumerate() {
            let of = source_dtype(*step.sources.first()?, |i| self.operands.get(i).copied(), &self.steps)?;
            let to = type_name(step.dtype)?;
            let (function, initial) = step.functor(of, to, &mut parameters)?;
            let arguments = step.arguments();
            writeln!(body, "    const {to} t{i} = {function}{{{initial}}}({arguments});").ok()?;
            costs = match costs.as_str() {
                "" => format!("{function}::COST"),
                _ => format!("max_of({costs}, {function}::COST)"),
            };
        }
        // One operand leaves registers for several vectors.
        if self.operands.len() > 1
            && self.steps.iter().filter(|step| step.function != Function::Cast).count() >= MANY_STEPS
        {
            costs = format!("max_of({costs}, HEAVY)");
        }
        let last = self.steps.len().checked_sub(1)?;
        let out = type_name(self.steps[last].dtype)?;
        let types: Vec<&str> = self.operands.iter().map(|&dtype| type_name(dtype)).collect::<Option<_>>()?;
        let list = |text: &dyn Fn(usize, &str) -> String| {
            types.iter().enumerate().map(|(i, of)| text(i, of)).collect::<Vec<_>>().join(", ")
        };
        let elements = list(&|i, of| format!("const {of} x{i}"));
        let pointers = list(&|i, of| format!("const {of}* x{i}"));
        let names = list(&|i, _| format!("x{i}"));
        let fields: String = parameters.iter().map(|(of, name)| format!("  {of} {name};\n")).collect();
        let given = parameters.iter().map(|(_, name)| name).collect::<Vec<_>>().join(", ");
        let declared = parameters.declared();
        Some(format!(
            "struct {name}_tree {{\n  static constexpr Cost COST = {costs};\n{fields}  \
             DEVICE {out} operator()({elements}) const {{\n{body}    return t{last};\n  }}\n}};\n\
             extern \"C\" __global__ void {name}(const size_t numel, const size_t num_dims, const size_t* info, \
             {pointers}, {out}* out{declared}) {{\n  \
             elementwise(numel, num_dims, info, {name}_tree{{{given}}}, out, {names});\n}}\n"
        ))
    }
}
