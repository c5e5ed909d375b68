//! The instructions of a code object, decoded.

use std::collections::HashMap;

use super::block::Block;
use super::wave::Wave;
use crate::assembly::DecodeError;
use crate::fault::Step;

/// Executes one instruction.
pub(crate) type Execute = Box<dyn Fn(&mut Wave, &mut Block<'_>) -> Step + Send + Sync>;

/// What is said of an instruction in reports.
pub(crate) struct Instruction {
    /// Where it lies in the object.
    pub(crate) address: u64,
    /// As the disassembler prints it.
    pub(crate) text: String,
    /// Why it was not understood, if so.
    pub(crate) refusal: Option<DecodeError>,
}

/// The instructions of a code object, by address.
pub(crate) struct Code {
    /// What executes each, apart from what only reports need, so that a loop of them stays in the caches.
    pub(crate) execute: Vec<Execute>,
    pub(crate) instructions: Vec<Instruction>,
    by_address: HashMap<u64, usize>,
    /// What is added to the object's addresses to give those in memory.
    pub(crate) base: u64,
}

impl Code {
    /// Instructions in the order of their addresses.
    pub(crate) fn new(all: impl IntoIterator<Item = (Execute, Instruction)>, base: u64) -> Self {
        let (execute, instructions): (Vec<_>, Vec<Instruction>) = all.into_iter().unzip();
        let by_address =
            instructions.iter().enumerate().map(|(at, instruction)| (instruction.address, at)).collect();
        Self { execute, instructions, by_address, base }
    }

    /// The index of the instruction at an address of the object.
    pub(crate) fn index(&self, address: u64) -> Option<usize> {
        self.by_address.get(&address).copied()
    }

    /// The index of the instruction at an address in memory.
    pub(crate) fn index_in_memory(&self, address: u64) -> Option<usize> {
        self.index(address.wrapping_sub(self.base))
    }
}
