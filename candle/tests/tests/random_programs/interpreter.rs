//! Runs a program on a machine: candle on some device, or the reference.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use candle_core::{Device, Result, Tensor};

use super::operations::{Slot, apply};
use super::program::{Instruction, Op, Program};

/// What computes.
pub trait Machine: Sync {
    /// # Errors
    /// The operation's own.
    fn apply(&self, at: usize, instruction: &Instruction, inputs: &[Slot]) -> Result<Option<Slot>>;
}

/// candle, on two devices.
pub struct Candle(pub [Device; 2]);

impl Machine for Candle {
    fn apply(&self, _: usize, instruction: &Instruction, inputs: &[Slot]) -> Result<Option<Slot>> {
        apply(&instruction.op, inputs, &self.0)
    }
}

/// Elements that somebody looked at.
#[derive(Clone)]
pub struct Reading {
    /// The instruction; one after the last for what is there at the end.
    pub at: usize,
    /// The tensor's number.
    pub tensor: usize,
    /// On the CPU, contiguous.
    pub values: Tensor,
}

/// What a run must not do.
#[derive(Clone, Debug)]
pub struct Failure {
    pub at: usize,
    pub what: String,
}

type Slots = BTreeMap<usize, Slot>;

/// # Errors
/// If an instruction fails that should not, or does not though it should, or panics.
pub fn run(program: &Program, machine: &dyn Machine) -> std::result::Result<Vec<Reading>, Failure> {
    let (mut slots, mut readings, mut at) = (Slots::new(), Vec::new(), 0);
    let all = &program.instructions;
    while let Some(first) = all.get(at) {
        if first.thread == 0 {
            step(all, at, machine, &mut slots, &mut readings)?;
            at += 1;
            continue;
        }
        let pair = first.thread.next_multiple_of(2);
        let of_pair = |other: &Instruction| other.thread.next_multiple_of(2) == pair;
        let end = at + all[at..].iter().take_while(|other| of_pair(other)).count();
        let of_threads = thread::scope(|scope| {
            let run = |thread: usize| {
                let mut slots = slots.clone();
                move || {
                    let mut readings = Vec::new();
                    for at in (at..end).filter(|&at| all[at].thread == thread) {
                        step(all, at, machine, &mut slots, &mut readings)?;
                    }
                    Ok::<_, Failure>((slots, readings))
                }
            };
            [pair - 1, pair]
                .map(|thread| scope.spawn(run(thread)))
                .map(|thread| thread.join().expect("panics are caught"))
        });
        for of_thread in of_threads {
            let (more, read) = of_thread?;
            slots.extend(more);
            readings.extend(read);
        }
        at = end;
    }
    for (&tensor, slot) in &slots {
        readings.push(read(all.len(), tensor, slot)?);
    }
    Ok(readings)
}

fn read(at: usize, tensor: usize, slot: &Slot) -> std::result::Result<Reading, Failure> {
    let values = caught(|| slot.tensor().to_device(&Device::Cpu)?.force_contiguous());
    let values = values.map_err(|what| Failure { at, what: format!("t{tensor} cannot be read: {what}") })?;
    Ok(Reading { at, tensor, values })
}

fn step(
    all: &[Instruction],
    at: usize,
    machine: &dyn Machine,
    slots: &mut Slots,
    readings: &mut Vec<Reading>,
) -> std::result::Result<(), Failure> {
    let instruction = &all[at];
    match instruction.op {
        Op::Read => readings.push(read(at, instruction.inputs[0], &slots[&instruction.inputs[0]])?),
        Op::Drop => drop(slots.remove(&instruction.inputs[0])),
        _ => {
            let inputs: Vec<Slot> = instruction.inputs.iter().map(|input| slots[input].clone()).collect();
            match (caught(|| machine.apply(at, instruction, &inputs)), instruction.refused) {
                (Ok(slot), false) => slots.extend(instruction.output.zip(slot)),
                (Err(what), false) => return Err(Failure { at, what }),
                (Err(what), true) if what.starts_with("panicked") => return Err(Failure { at, what }),
                (Err(_), true) => {}
                (Ok(_), true) => return Err(Failure { at, what: "no error".to_owned() }),
            }
        }
    }
    Ok(())
}

/// An error or a panic, as text.
pub fn caught<T>(f: impl FnOnce() -> Result<T>) -> std::result::Result<T, String> {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or_default();
            Err(format!("panicked: {text}"))
        }
    }
}
