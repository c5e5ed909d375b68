//! Reductions of rows and the elementwise operations around them, and the source of the kernel for all.

use std::fmt::Write;

use candle_core::DType;
use smallvec::SmallVec;

use super::steps::{Function, Named, Source, Step, source_dtype, source_name, type_name};

/// Operands of a kernel at most: they are in registers.
pub(in crate::fusion) const MOST_OPERANDS: usize = 5;
/// Results at most.
pub(in crate::fusion) const MOST_RESULTS: usize = 4;
/// Threads of a block at most.
const THREADS: usize = 256;

/// What a row has of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::fusion) enum Per {
    Element,
    /// One for all of its elements.
    Row,
}

/// What a kernel is compiled for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::fusion) struct RowExpression {
    pub(in crate::fusion) operands: SmallVec<[(DType, Per); MOST_OPERANDS]>,
    /// In their order.
    pub(in crate::fusion) steps: SmallVec<[Step; 8]>,
    /// The steps whose results are written.
    pub(in crate::fusion) results: SmallVec<[(u8, Per); MOST_RESULTS]>,
    /// Elements of a vector.
    pub(in crate::fusion) width: usize,
    /// Vectors of a thread at most.
    pub(in crate::fusion) vectors: usize,
}

impl RowExpression {
    /// What each step gives.
    fn kinds(&self) -> Option<SmallVec<[Per; 8]>> {
        let mut kinds: SmallVec<[Per; 8]> = SmallVec::new();
        for step in &self.steps {
            let mut elements = false;
            for &source in &step.sources {
                elements |= self.kind(&kinds, source)? == Per::Element;
            }
            kinds.push(if elements && !step.function.is_reduction() { Per::Element } else { Per::Row });
        }
        Some(kinds)
    }

    fn kind(&self, kinds: &[Per], source: Source) -> Option<Per> {
        match source {
            Source::Operand(i) => self.operands.get(usize::from(i)).map(|&(_, per)| per),
            Source::Step(i) => kinds.get(usize::from(i)).copied(),
        }
    }

    /// A function of an element of each operand that the value needs, and those operands as arguments.
    fn element(&self, kinds: &[Per], lines: &[String], value: Source) -> Option<(String, String)> {
        let (mut operands, mut steps) = ([false; MOST_OPERANDS], vec![false; lines.len()]);
        let mut needed: SmallVec<[Source; 16]> = SmallVec::from_iter([value]);
        while let Some(source) = needed.pop() {
            match source {
                _ if self.kind(kinds, source)? == Per::Row => {}
                Source::Operand(i) => operands[usize::from(i)] = true,
                Source::Step(i) if steps[usize::from(i)] => {}
                Source::Step(i) => {
                    steps[usize::from(i)] = true;
                    needed.extend_from_slice(&self.steps[usize::from(i)].sources);
                }
            }
        }
        let (mut parameters, mut arguments) = (Vec::new(), String::new());
        for (i, &(dtype, _)) in self.operands.iter().enumerate().filter(|&(i, _)| operands[i]) {
            parameters.push(format!("const {} x{i}", type_name(dtype)?));
            arguments += &format!(", h{i}");
        }
        let body: String =
            lines.iter().zip(&steps).filter(|&(_, &used)| used).map(|(line, _)| line.as_str()).collect();
        let (parameters, name) = (parameters.join(", "), source_name(value));
        Some((format!("[&]({parameters}) {{\n{body}      return {name};\n    }}"), arguments))
    }

    /// The header that the kernel needs.
    pub(super) const HEADER: &str = "fusion/rows.h";

    /// HIP source of the kernel `name(rows, n, num_dims, info, operands.., results.., parameters..)`: info has the dimensions of rows
    /// and the strides of operands; `None` if a dtype has no name.
    pub(super) fn kernel(&self, name: &str) -> Option<String> {
        let (kinds, width, vectors) = (self.kinds()?, self.width, self.vectors);
        let (mut parameters, mut pointers, mut body) = (Named::default(), String::new(), String::new());
        for (i, &(dtype, per)) in self.operands.iter().enumerate() {
            let of = type_name(dtype)?;
            pointers += &format!("const {of}* operand{i}, ");
            let row = format!("operand{i} + offsets.at[{i}]");
            match per {
                Per::Element => {
                    writeln!(body, "    const HeldRow<{of}, {width}, {vectors}> h{i}({row}, share);")
                }
                Per::Row => writeln!(body, "    const {of} x{i} = *({row});"),
            }
            .ok()?;
        }
        let mut lines: Vec<String> = Vec::new();
        for (i, step) in self.steps.iter().enumerate() {
            let first = *step.sources.first()?;
            let of = source_dtype(first, |i| self.operands.get(i).map(|&(dtype, _)| dtype), &self.steps)?;
            let to = type_name(step.dtype)?;
            let (function, initial) = step.functor(of, to, &mut parameters)?;
            let mut line = format!("const {to} t{i} = {function}{{{initial}}}({});\n", step.arguments());
            if let Function::Reduce(reduction) = step.function {
                let (value, held) = self.element(&kinds, &lines, first)?;
                line = format!("const {to} t{i} = reduce_row<{reduction}>(team, share, {value}{held});\n");
            }
            match kinds[i] {
                Per::Element => lines.push(format!("      {line}")),
                Per::Row => {
                    body += &format!("    {line}");
                    lines.push(String::new());
                }
            }
        }
        for (i, &(step, per)) in self.results.iter().enumerate() {
            let of = type_name(self.steps.get(usize::from(step))?.dtype)?;
            pointers += &format!("{of}* out{i}, ");
            match per {
                Per::Element => {
                    let (value, held) = self.element(&kinds, &lines, Source::Step(step))?;
                    writeln!(body, "    write_row(out{i} + row * n, share, {value}{held});")
                }
                Per::Row => writeln!(body, "    if (team.rank == 0 && row < rows) out{i}[row] = t{step};"),
            }
            .ok()?;
        }
        let (count, declared) = (self.operands.len(), parameters.declared());
        let pointers = pointers.trim_end_matches(", ");
        Some(format!(
            "extern \"C\" __global__ void THREADS_AT_MOST({THREADS}) {name}(const size_t rows, const u32 n, \
             const u32 num_dims, const size_t* info, {pointers}{declared}) {{\n  \
             const Team team(block_size_y(), block_size_x());\n  \
             for_rows(rows, block_size_y(), team, [&](u64 row) {{\n    \
             const Share<{width}, {vectors}> share(row < rows ? n : 0, team);\n    \
             const auto offsets = row_offsets<{count}>(row < rows ? row : 0, num_dims, info);\n\
             {body}  }});\n}}\n"
        ))
    }
}
