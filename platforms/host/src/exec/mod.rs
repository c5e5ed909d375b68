//! Running kernels: modules, launches, and the blocks and threads in them.
//!
//! [`launch`] spreads the blocks of a launch over threads of this process; each runs its blocks, one after another,
//! with a [`runner`], in a copy of the module of its own. Within a block, GPU threads are coroutines.

pub(crate) mod abi;
pub(crate) mod blob;
mod cpu;
mod elf;
mod fiber;
mod globals;
mod hooks;
#[cfg(any(windows, test))]
mod image;
#[cfg(any(windows, test))]
mod imports;
pub(crate) mod kernels;
mod launch;
mod loading;
mod log;
mod module;
pub(crate) mod modules;
pub(crate) mod object;
mod pool;
mod runner;
pub(crate) mod sanitize;
mod signal;
mod stack;
pub(crate) mod startup;
mod wave;

pub(crate) use cpu::Cpu;
