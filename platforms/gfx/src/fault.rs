//! What stops a launch.

use std::fmt;

/// The kinds of faults that the machine detects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An access outside an allocation, the LDS of the workgroup, or the scratch memory of the lane.
    OutOfBounds,
    /// An address that is not a multiple of what the instruction requires.
    Misaligned,
    /// Two waves of a workgroup, or two workgroups, use the same bytes without an order between them, and one writes.
    Race,
    /// A register was read that was never written.
    Undefined,
    /// A matrix or cross-lane instruction ran with lanes off whose values it needs.
    LanesOff,
    /// An instruction, operand, modifier or mode whose meaning is not known.
    Unknown,
    /// Waves of a workgroup wait for a barrier that another has passed, or that it never reaches.
    Barrier,
    /// `s_trap`, or an address at which there is no instruction.
    Trap,
    /// More instructions than a wave may execute.
    Limit,
}

/// Why a wave stopped: what happened, without the place, which whoever runs the wave adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    pub(crate) what: String,
}

impl Fault {
    pub(crate) fn new(kind: FaultKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Why a wave does not go on with the next instruction.
#[derive(Debug)]
pub(crate) enum Stop {
    /// `s_endpgm`.
    End,
    /// It waits at a barrier for the other waves of its workgroup.
    Barrier,
    Fault(Fault),
}

/// The outcome of an instruction.
pub(crate) type Step = Result<(), Box<Stop>>;

/// Stops the launch.
#[cold]
pub(crate) fn fail<T>(kind: FaultKind, what: impl Into<String>) -> Result<T, Box<Stop>> {
    Err(Box::new(Stop::Fault(Fault::new(kind, what))))
}
