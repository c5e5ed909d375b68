//! Kernels' instructions, which are disassembled and decoded when a kernel is launched first: most processes launch few of the kernels
//! that they load.

use std::ops::Range;
use std::sync::OnceLock;

use super::disassembly::{self, Line};
use super::{Kernel, LoadError, Object, invalid};
use crate::isa;
use crate::machine::code::{Code, Instruction};

/// What a kernel executes.
pub(crate) struct Program {
    pub(crate) code: Code,
    /// The indices of the kernel's own instructions, from its entry on.
    pub(crate) instructions: Range<usize>,
}

/// Kernels that lie next to each other.
pub(super) struct Group {
    addresses: Range<u64>,
    lines: OnceLock<Result<Vec<Line>, LoadError>>,
}

/// Bytes of code from which on kernels are of another group. To start the disassembler takes as long as to read so many.
const GROUP: u64 = 1 << 16;

/// The kernels in groups, by address.
pub(super) fn groups(kernels: &[Kernel]) -> Vec<Group> {
    let mut all: Vec<&Range<u64>> = kernels.iter().map(|kernel| &kernel.addresses).collect();
    all.sort_unstable_by_key(|addresses| addresses.start);
    let mut groups: Vec<Group> = Vec::new();
    for addresses in all {
        match groups.last_mut() {
            Some(group) if addresses.end - group.addresses.start <= GROUP => {
                group.addresses.end = group.addresses.end.max(addresses.end);
            }
            _ => groups.push(Group { addresses: addresses.clone(), lines: OnceLock::new() }),
        }
    }
    groups
}

/// Instructions that go on at an address in a register: to another function, or far away in their own.
const FAR: &[&str] = &["s_setpc_b64", "s_swappc_b64", "s_call_b64"];

impl Object {
    /// The instructions of a kernel, with those of the functions that it calls.
    pub(crate) fn program(&self, kernel: usize) -> Result<&Program, LoadError> {
        let kernel = &self.kernels[kernel];
        kernel.program.get_or_init(|| self.decode(kernel)).as_ref().map_err(Clone::clone)
    }

    /// The instructions of all kernels and functions.
    pub(crate) fn code(&self) -> Result<Code, LoadError> {
        Ok(self.code_of(&disassembly::of(&self.bytes, None, &self.disassembler)?))
    }

    fn decode(&self, kernel: &Kernel) -> Result<Program, LoadError> {
        let own = self.lines(kernel)?;
        let is_far = |line: &Line| FAR.iter().any(|name| line.text.starts_with(name));
        let code = if own.is_empty() || own.iter().any(is_far) { self.code()? } else { self.code_of(own) };
        let instructions = kernel.instructions(&code)?;
        Ok(Program { code, instructions })
    }

    /// The kernel's own instructions, as they are printed.
    fn lines(&self, kernel: &Kernel) -> Result<&[Line], LoadError> {
        let addresses = &kernel.addresses;
        let Some(group) = self.groups.iter().rfind(|group| group.addresses.start <= addresses.start) else {
            return Ok(&[]);
        };
        let disassemble = || disassembly::of(&self.bytes, Some(&group.addresses), &self.disassembler);
        let lines = group.lines.get_or_init(disassemble).as_ref().map_err(Clone::clone)?;
        let at = |address| lines.partition_point(|line| line.address < address);
        Ok(&lines[at(addresses.start)..at(addresses.end)])
    }

    fn code_of(&self, lines: &[Line]) -> Code {
        isa::code(lines.iter().map(Line::statement).collect(), self.image.base(), &self.target)
    }
}

impl Program {
    /// The kernel's own instructions.
    pub(crate) fn own(&self) -> &[Instruction] {
        &self.code.instructions[self.instructions.clone()]
    }
}

impl Kernel {
    /// The indices of its own instructions.
    pub(crate) fn instructions(&self, code: &Code) -> Result<Range<usize>, LoadError> {
        let Some(entry) = code.index(self.addresses.start) else {
            return invalid(format!("kernel {} begins where there is no instruction", self.name));
        };
        let own = code.instructions[entry..]
            .partition_point(|instruction| instruction.address < self.addresses.end);
        Ok(entry..entry + own)
    }
}
