//! Loaded modules, and launches of their kernels.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use candle_rocm_host::Variables;
use candle_rocm_host::processor::{Code, Fault, Kernel, Launch, Parameter};
use rocm_sys::hip::hipError_t;

use super::arguments::Arguments;
use crate::coverage;
use crate::fault::FaultKind;
use crate::machine;
use crate::machine::clock::Event;
use crate::machine::launch;
use crate::machine::memory::{Memory, Region};
use crate::machine::races::Shadow;
use crate::machine::statistics::Totals;
use crate::object::{Object, Program};
use crate::profile;
use crate::rate::{self, Rate};
use crate::time::{self, Operation, PIECE, Plan, Trace};

/// Instructions that a wave may execute: a kernel that needs more hangs.
const LIMIT: u64 = 1 << 32;

/// Threads are not worth their start for fewer workgroups.
const BLOCKS_OF_A_THREAD: u64 = 4;

/// What pointers that differ by a multiple of it have in common: where their lines begin.
const KEY_ALIGNMENT: u64 = 256;

/// Bytes that a pointer points to: as many as the dims and strides of an operation with several operands have.
const KEY_BYTES: usize = 256;

/// A loaded module.
pub(super) struct Module {
    object: Object,
    digest: Option<u64>,
    kernels: Vec<Kernel>,
    launches: AtomicU64,
    /// Makes the image known to the runtime's copies.
    _variables: Option<Variables>,
}

impl Module {
    /// `digest` is that of the code object, if launches are to be noted for coverage.
    pub(super) fn new(object: Object, digest: Option<u64>, ordinal: usize) -> Self {
        let kernels = object
            .kernels
            .iter()
            .map(|kernel| {
                let parameter = |argument: &crate::object::metadata::Argument| Parameter {
                    offset: argument.offset,
                    size: argument.size,
                };
                Kernel {
                    name: kernel.name.clone(),
                    parameters: kernel.metadata.arguments.iter().map(parameter).collect(),
                }
            })
            .collect();
        let (base, size) = (object.image.base() as usize, object.image.size());
        // SAFETY: the image is memory of this size, which is used through addresses alone, and is dropped after this.
        let variables = unsafe { Variables::new(ordinal, base, size) };
        Self { object, digest, kernels, launches: AtomicU64::new(0), _variables: variables }
    }

    fn counting(&self, program: &Program) -> launch::Counting {
        let generation = self.object.target.generation;
        let event = |instruction: &machine::code::Instruction| Event::of(&instruction.text, generation);
        launch::Counting {
            events: program.own().iter().map(event).collect(),
            totals: Mutex::new(Totals::default()),
        }
    }

    fn profile(
        &self,
        kernel: usize,
        program: &Program,
        run: &launch::Launch<'_>,
        (counts, ran): (&[u64], u64),
    ) -> profile::Profile {
        let totals = run.statistics.as_ref().map(|counting| {
            std::mem::take(&mut *counting.totals.lock().unwrap_or_else(PoisonError::into_inner))
        });
        let totals = totals.unwrap_or_default();
        let instructions = run.instructions.clone().zip(program.own()).zip(counts);
        let instruction = |((at, instruction), &executed): ((usize, &machine::code::Instruction), &u64)| {
            let traffic = totals.traffic.get(at).copied().unwrap_or_default();
            let (text, address) = (instruction.text.clone(), instruction.address);
            (executed > 0).then_some(profile::Instruction { text, address, executed, traffic })
        };
        profile::Profile {
            kernel: self.kernels[kernel].name.clone(),
            blocks: run.blocks(),
            ran,
            threads: run.block.iter().product(),
            registers: run.descriptor.registers(&run.target).into_iter().map(u32::from).sum(),
            lds: run.lds_bytes() as u32,
            waits: totals.waits,
            memory: totals.memory.into_values().collect(),
            instructions: instructions.filter_map(instruction).collect(),
        }
    }

    fn operations(&self, program: &Program, end: u64) -> Vec<Operation> {
        let generation = self.object.target.generation;
        let own = program.own();
        let ends = own.iter().skip(1).map(|next| next.address).chain([end]);
        let operation = |(instruction, end): (&machine::code::Instruction, u64)| {
            Operation::of(&instruction.text, end.saturating_sub(instruction.address), generation)
        };
        own.iter().zip(ends).map(operation).collect()
    }

    /// What tells a launch from others for a record of time, and the allocations that its arguments point into. A pointer counts as the
    /// size of its allocation, the first pointer into the same one, and what it points to first: dims and strides lie in memory, too.
    fn key(&self, launch: &Launch) -> (time::Key, Vec<Range<u64>>) {
        let mut key: Vec<u64> =
            vec![std::ptr::from_ref(self) as u64, launch.kernel as u64, launch.shared_bytes.into()];
        key.extend(launch.grid.iter().chain(&launch.block).map(|&size| u64::from(size)));
        let mut buffers: Vec<Range<u64>> = Vec::new();
        for word in launch.arguments.bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..word.len()].copy_from_slice(word);
            let word = u64::from_le_bytes(bytes);
            let Some(found) = candle_rocm_host::allocation(word as usize) else {
                key.push(word);
                continue;
            };
            let Range { start, end } = found.addresses;
            key.extend([(end - start) as u64, word % KEY_ALIGNMENT]);
            let first = (word as usize..end).take(KEY_BYTES);
            // SAFETY: these bytes are in an allocation, which its owner keeps while launches that point into it are queued.
            key.extend(first.map(|at| u64::from(unsafe { (at as *const u8).read_volatile() })));
            let buffer = start as u64..end as u64;
            let first = buffers.iter().position(|other| *other == buffer).unwrap_or(buffers.len());
            key.push(first as u64);
            buffers.push(buffer);
        }
        (key, buffers)
    }

    fn fault(&self, kernel: usize, program: &Program, fault: &launch::LaunchFault) -> Fault {
        let name = &self.kernels[kernel].name;
        let launch::LaunchFault { fault, block: [x, y, z] } = fault;
        let place = match program.code.instructions.get(fault.at) {
            Some(instruction) => {
                let line = self.object.line_of(instruction.address);
                let line = line.map(|line| format!(", {line}")).unwrap_or_default();
                format!("`{}` at {:#x}{line}", instruction.text, instruction.address)
            }
            None => "its end".to_owned(),
        };
        let code = match fault.fault.kind {
            FaultKind::OutOfBounds | FaultKind::Misaligned => hipError_t::hipErrorIllegalAddress,
            _ => hipError_t::hipErrorLaunchFailure,
        };
        Fault::new(
            code,
            format!("kernel {name}: {place}: {} (workgroup {x},{y},{z}, wave {})", fault.fault, fault.wave),
        )
    }
}

impl Code for Module {
    fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    fn variable(&self, name: &str) -> Option<(usize, usize)> {
        let variable = self.object.variables.iter().find(|variable| variable.name == name)?;
        Some((variable.address as usize, variable.size as usize))
    }

    fn run(self: Arc<Self>, launch: Launch) -> Result<(), Fault> {
        let kernel = &self.object.kernels[launch.kernel];
        if let Some(why) = kernel.refusal {
            return Err(Fault::new(
                hipError_t::hipErrorLaunchFailure,
                format!("kernel {}: {why}", kernel.name),
            ));
        }
        let program = self.object.program(launch.kernel).map_err(|error| {
            Fault::new(hipError_t::hipErrorLaunchFailure, format!("kernel {}: {error}", kernel.name))
        })?;
        let arguments = Arguments::new(kernel, &launch);
        let memory = ModuleMemory { object: &self.object, arguments: &arguments };
        let budget = profile::budget();
        let number = self.launches.fetch_add(1, Ordering::Relaxed);
        let waves = launch.block.iter().product::<u32>().div_ceil(self.object.target.lanes as u32);
        let registers = kernel.descriptor.registers(&self.object.target).into_iter().map(u32::from).sum();
        let lds = kernel.descriptor.lds + launch.shared_bytes;
        let blocks = launch.grid.iter().map(|&size| u64::from(size)).product();
        if lds > self.object.target.processor.lds {
            let why = format!("kernel {} asks for {lds} bytes of LDS, more than there are", kernel.name);
            return Err(Fault::new(hipError_t::hipErrorOutOfMemory, why));
        }
        let size = time::Size { blocks, waves, registers, lds };
        let recorded = match time::plan(size, || self.key(&launch)) {
            Plan::Run => None,
            Plan::LeaveOut => return Ok(()),
            Plan::Record(choice, key) => Some((choice, key)),
        };
        let operations =
            recorded.as_ref().map(|_| self.operations(program, kernel.addresses.end)).unwrap_or_default();
        let run = launch::Launch {
            target: self.object.target,
            code: &program.code,
            descriptor: &kernel.descriptor,
            instructions: program.instructions.clone(),
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.shared_bytes,
            arguments: arguments.address(),
            packet: arguments.packet(),
            memory: &memory,
            // A launch that is profiled is about its speed, and runs in part.
            shadow: (budget.is_none() && recorded.is_none()).then(Shadow::default),
            statistics: budget.map(|_| self.counting(program)),
            recorded: &operations,
            time: self.digest.map(|_| AtomicU64::new(0)),
            seed: number ^ kernel.addresses.start,
            limit: LIMIT,
        };
        let failed = |fault| self.fault(launch.kernel, program, &fault);
        if let Some((choice, key)) = recorded {
            let recorded = run.record(&choice).map_err(failed);
            drop(run);
            let trace = recorded.map(|launch::Recorded { workgroups, window, later_instructions }| Trace {
                kernel: kernel.name.clone(),
                blocks,
                waves,
                registers,
                lds,
                operations,
                regions: memory.regions(workgroups.iter().flat_map(time::Workgroup::all_pieces)),
                arguments: Vec::new(),
                workgroups,
                window,
                later_instructions,
            });
            return time::note(key, trace);
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(usize::try_from(blocks / BLOCKS_OF_A_THREAD).unwrap_or(cores)).max(1);
        let counts = match budget {
            None => run.run(threads).map_err(failed)?,
            Some(budget) => {
                let (counts, ran) = run.sample(threads, budget).map_err(failed)?;
                profile::note(self.profile(launch.kernel, program, &run, (&counts, ran)));
                counts
            }
        };
        if let (Some(digest), Some(time)) = (self.digest, run.time) {
            let time = Duration::from_nanos(time.into_inner());
            let processor = self.object.target.processor.name;
            rate::note(processor, Rate { instructions: counts.iter().sum(), time });
            let executed = program.own().iter().zip(&counts).filter(|&(_, &count)| count > 0);
            coverage::note(
                (processor, digest, &kernel.name),
                executed.map(|(instruction, _)| instruction.address),
            );
        }
        Ok(())
    }
}

/// What a launch may use: the module's segments, its arguments, and every allocation.
struct ModuleMemory<'m> {
    object: &'m Object,
    arguments: &'m Arguments,
}

impl ModuleMemory<'_> {
    /// The addresses of the regions in which these pieces of memory lie.
    fn regions(&self, pieces: impl Iterator<Item = u64>) -> Vec<Range<u64>> {
        let mut all: Vec<Range<u64>> = Vec::new();
        for piece in pieces {
            let (first, last) = (piece * PIECE, piece * PIECE + PIECE - 1);
            if all.iter().any(|region| region.start <= last && first < region.end) {
                continue;
            }
            all.extend(self.region(first).or_else(|| self.region(last)).map(|region| region.addresses));
        }
        all
    }
}

// SAFETY: segments and arguments are borrowed for as long as the launch runs; the runtime frees allocations only when no work is
// queued.
unsafe impl Memory for ModuleMemory<'_> {
    fn region(&self, address: u64) -> Option<Region> {
        let mut own = self.object.image.regions().iter().chain(self.arguments.regions());
        if let Some(region) = own.find(|region| region.addresses.contains(&address)) {
            return Some(region.clone());
        }
        let found = candle_rocm_host::allocation(address as usize)?;
        let description = format!("an allocation of {} bytes", found.addresses.len());
        let Range { start, end } = found.addresses;
        let watched = !found.is_host;
        Some(Region { addresses: start as u64..end as u64, writable: true, watched, description })
    }

    fn describe(&self, address: u64) -> String {
        let place = candle_rocm_host::describe(address as usize);
        format!("{address:#x}, {}", place.unwrap_or_else(|| "which is in no allocation".to_owned()))
    }
}
