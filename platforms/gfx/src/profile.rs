//! What launches execute and touch: the counts from which `cargo xtask bound` says how fast they can be.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// A launch. Its counts are those of the workgroups that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The kernel's name.
    pub kernel: String,
    /// Workgroups of the launch.
    pub blocks: u64,
    /// Of these, how many ran, spread evenly over the grid.
    pub ran: u64,
    /// Work-items of a workgroup.
    pub threads: u32,
    /// Vector registers and accumulators of a lane.
    pub registers: u32,
    /// LDS of a workgroup in bytes.
    pub lds: u32,
    /// How often a wave waited for loads from memory, one after the other: loads under way at the same time are one.
    pub waits: u64,
    /// The memory that was touched, by allocation.
    pub memory: Vec<Touched>,
    /// The instructions that were executed, in the order of their addresses.
    pub instructions: Vec<Instruction>,
}

/// Lines of an allocation. Those that a workgroup reads, or writes, several times count once for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// The size of the allocation in bytes.
    pub size: u64,
    /// Lines of [`LINE`] bytes that were read.
    pub read: u64,
    /// Those that were written.
    pub written: u64,
}

/// Bytes of the lines in [`Touched`]: those of the L2 cache of every processor that is executed.
pub const LINE: u64 = 128;

/// An instruction that was executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// As the disassembler prints it.
    pub text: String,
    /// Its address in the code object.
    pub address: u64,
    /// How often a wave executed it.
    pub executed: u64,
    /// What its memory accesses amount to.
    pub traffic: Traffic,
}

/// The memory accesses of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// How often a wave executed it with a lane on.
    pub accesses: u64,
    /// Bytes that it needed, those that several lanes share counted once for each access.
    pub bytes: u64,
    /// Lines of 64 and of 128 bytes that it touched, in global memory.
    pub lines: [u64; 2],
    /// Turns that the LDS took: in each, every one of its 32 banks of 4 bytes serves one word. The lanes of half a wave of 64, or of
    /// a wave of 32, are served together.
    pub turns: u64,
    /// Turns that it would have taken without two words of a bank among those that are served together.
    pub least_turns: u64,
}

/// What is known so far, while launches are profiled.
struct Profiles {
    budget: u64,
    launches: Vec<Profile>,
}

static PROFILES: Mutex<Option<Profiles>> = Mutex::new(None);

/// Profiles launches from now on. Of a launch that executes more than about `budget` instructions, only some of the workgroups run:
/// its results are then useless.
pub fn start(budget: u64) {
    *PROFILES.lock().unwrap_or_else(PoisonError::into_inner) =
        Some(Profiles { budget, launches: Vec::new() });
}

/// Stops profiling, and returns the launches since [`start`].
pub fn finish() -> Vec<Profile> {
    let profiles = PROFILES.lock().unwrap_or_else(PoisonError::into_inner).take();
    profiles.map(|profiles| profiles.launches).unwrap_or_default()
}

/// The budget of a launch, if it is to be profiled.
#[cfg_attr(not(all(target_os = "linux", target_arch = "x86_64")), allow(dead_code))]
pub(crate) fn budget() -> Option<u64> {
    PROFILES.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|profiles| profiles.budget)
}

#[cfg_attr(not(all(target_os = "linux", target_arch = "x86_64")), allow(dead_code))]
pub(crate) fn note(profile: Profile) {
    if let Some(profiles) = &mut *PROFILES.lock().unwrap_or_else(PoisonError::into_inner) {
        profiles.launches.push(profile);
    }
}
