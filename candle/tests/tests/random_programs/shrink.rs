//! Makes a program that fails smaller, as long as it does.

use super::program::{Instruction, Op, Program, Values};

/// The smallest program found that still fails.
pub fn shrink(mut program: Program, fails: impl Fn(&Program) -> bool) -> Program {
    let mut size = program.instructions.len() / 2;
    while size > 0 {
        let before = program.instructions.len();
        let mut at = program.instructions.len();
        while at > 0 {
            at = at.saturating_sub(size);
            let smaller = without(&program, at, size);
            if smaller.instructions.len() < program.instructions.len() && fails(&smaller) {
                program = smaller;
            }
            at = at.min(program.instructions.len());
        }
        if program.instructions.len() == before || size > 1 {
            size /= 2;
        }
    }
    for at in (0..program.instructions.len()).rev() {
        for simpler in simpler(&program, at) {
            if fails(&simpler) {
                program = simpler;
                break;
            }
        }
    }
    let mut at = program.instructions.len();
    while at > 0 {
        at -= 1;
        let smaller = without(&program, at, 1);
        if fails(&smaller) {
            program = smaller;
            at = at.min(program.instructions.len());
        }
    }
    program
}

/// Without some of its instructions, and all that need what they give.
fn without(program: &Program, at: usize, count: usize) -> Program {
    let mut missing = Vec::new();
    let mut i = 0;
    let mut smaller = program.clone();
    smaller.instructions.retain(|instruction| {
        let removed =
            (at..at + count).contains(&i) || instruction.inputs.iter().any(|input| missing.contains(input));
        if removed {
            missing.extend(instruction.output);
        }
        i += 1;
        !removed
    });
    smaller
}

/// Programs with something simpler in place of an instruction: a new tensor, or one that is not in a thread of its own.
fn simpler(program: &Program, at: usize) -> Vec<Program> {
    let Instruction { op, output, thread, .. } = &program.instructions[at];
    let mut all = Vec::new();
    let replaced = |change: &dyn Fn(&mut Instruction)| {
        let mut simpler = program.clone();
        change(&mut simpler.instructions[at]);
        simpler
    };
    if let Some(output) = *output
        && !matches!(op, Op::New { .. })
    {
        let info = &program.tensors[output];
        for values in [Values::Ones, Values::Normal] {
            all.push(replaced(&|instruction: &mut Instruction| {
                let (dims, dtype, device) = (info.dims.clone(), info.dtype, info.device);
                instruction.op = Op::New { values, seed: output as u64, dims, dtype, device };
                instruction.inputs.clear();
            }));
        }
    }
    if let Op::New { values, .. } = op
        && !matches!(values, Values::Ones)
    {
        for simple in [Values::Ones, Values::Range] {
            all.push(replaced(&|instruction: &mut Instruction| {
                if let Op::New { values, .. } = &mut instruction.op {
                    *values = simple;
                }
            }));
        }
    }
    if *thread > 0 {
        all.push(replaced(&|instruction| instruction.thread = 0));
    }
    all
}
