//! Branches, barriers, messages, and the end of a wave (RDNA3 ISA guide, sections 16.5 "SOPP", 16.2 "SOPK", 16.3 "SOP1").

use std::sync::atomic::{AtomicUsize, Ordering};

use super::forms::destination;
use crate::assembly::{DecodeError, Decoded, File, Statement, Value, special};
use crate::fault::{FaultKind, Step, Stop, fail};
use crate::isa::{Execute, Form};
use crate::machine::block::Block;
use crate::machine::wave::Wave;
use crate::target::Target;

pub(crate) const FORMS: &[Form] = &[
    Form { name: "s_branch", decode: |statement, _| branch(statement, |_| Ok(true)) },
    Form { name: "s_cbranch_scc0", decode: |statement, _| branch(statement, |wave| Ok(!wave.scc()?)) },
    Form { name: "s_cbranch_scc1", decode: |statement, _| branch(statement, Wave::scc) },
    Form { name: "s_cbranch_vccz", decode: |statement, _| branch(statement, |wave| Ok(!any_vcc(wave)?)) },
    Form { name: "s_cbranch_vccnz", decode: |statement, _| branch(statement, any_vcc) },
    Form { name: "s_cbranch_execz", decode: |statement, _| branch(statement, |wave| Ok(wave.exec() == 0)) },
    Form { name: "s_cbranch_execnz", decode: |statement, _| branch(statement, |wave| Ok(wave.exec() != 0)) },
    Form { name: "s_getpc_b64", decode: get_pc },
    Form { name: "s_setpc_b64", decode: set_pc },
    Form { name: "s_swappc_b64", decode: swap_pc },
    Form { name: "s_call_b64", decode: call },
    Form { name: "s_endpgm", decode: |statement, _| stop(statement, || Box::new(Stop::End)) },
    Form { name: "s_barrier", decode: |statement, _| stop(statement, || Box::new(Stop::Barrier)) },
    Form { name: "s_barrier_signal", decode: signal },
    Form { name: "s_barrier_wait", decode: wait },
    Form { name: "s_trap", decode: trap },
    Form { name: "s_code_end", decode: trap },
    Form { name: "s_sendmsg", decode: send_message },
];

/// Where a branch goes.
struct Destination {
    /// An address of the object.
    address: u64,
    /// The index of the instruction there, once it has been looked up.
    index: AtomicUsize,
}

impl Destination {
    /// From the offset in words in the instruction's lower half, which counts from the next instruction.
    fn decode(statement: &Statement, operand: usize) -> Decoded<Self> {
        let word = statement.words.first().ok_or(DecodeError::Operand(operand))?;
        let address = next(statement).wrapping_add_signed(4 * i64::from(*word as i16));
        Ok(Self { address, index: AtomicUsize::new(usize::MAX) })
    }

    #[inline(always)]
    fn go(&self, wave: &mut Wave, block: &Block<'_>) -> Step {
        let index = self.index.load(Ordering::Relaxed);
        wave.next = if index == usize::MAX { self.find(block)? } else { index };
        Ok(())
    }

    #[cold]
    fn find(&self, block: &Block<'_>) -> Result<usize, Box<Stop>> {
        let Some(index) = block.code.index(self.address) else { return nowhere(self.address) };
        self.index.store(index, Ordering::Relaxed);
        Ok(index)
    }
}

/// The address of the next instruction in the object; all that use it are single words.
fn next(statement: &Statement) -> u64 {
    statement.address + 4
}

fn nowhere<T>(address: u64) -> Result<T, Box<Stop>> {
    fail(FaultKind::Trap, format!("goes on at {address:#x}, where there is no instruction"))
}

/// Goes on at an address in memory.
fn go_to(wave: &mut Wave, block: &Block<'_>, address: u64) -> Step {
    let Some(index) = block.code.index_in_memory(address) else { return nowhere(address) };
    wave.next = index;
    Ok(())
}

fn branch(
    statement: &mut Statement,
    is_taken: impl Fn(&Wave) -> Result<bool, Box<Stop>> + Send + Sync + 'static,
) -> Decoded<Execute> {
    statement.exactly::<1>()?;
    let to = Destination::decode(statement, 0)?;
    Ok(Box::new(move |wave, block| if is_taken(wave)? { to.go(wave, block) } else { Ok(()) }))
}

/// Whether any lane's bit of `vcc` is set.
fn any_vcc(wave: &Wave) -> Result<bool, Box<Stop>> {
    let (mask, written) = wave.scalar_bits64(special::VCC);
    if mask & written & wave.all() != 0 {
        return Ok(true);
    }
    if written & wave.all() != wave.all() {
        return fail(FaultKind::Undefined, "branches on lanes of vcc that were never written");
    }
    Ok(false)
}

fn get_pc(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    statement.exactly::<1>()?;
    let (to, next) = (destination(statement, 0, 2)?, next(statement));
    Ok(Box::new(move |wave, block| {
        wave.set_scalar64(to, block.code.base.wrapping_add(next));
        Ok(())
    }))
}

/// Operand `index` as a pair of registers with an address.
fn pair(statement: &Statement, index: usize) -> Decoded<u16> {
    match statement.operands.get(index).and_then(|operand| operand.registers(File::Scalar)) {
        Some((first, 2)) => Ok(first),
        _ => Err(DecodeError::Operand(index)),
    }
}

fn set_pc(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    statement.exactly::<1>()?;
    let from = pair(statement, 0)?;
    Ok(Box::new(move |wave, block| {
        let address = wave.scalar64(from)?;
        go_to(wave, block, address)
    }))
}

fn swap_pc(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    statement.exactly::<2>()?;
    let (to, from, next) = (pair(statement, 0)?, pair(statement, 1)?, next(statement));
    Ok(Box::new(move |wave, block| {
        let address = wave.scalar64(from)?;
        wave.set_scalar64(to, block.code.base.wrapping_add(next));
        go_to(wave, block, address)
    }))
}

fn call(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    statement.exactly::<2>()?;
    let (back, to, next) = (pair(statement, 0)?, Destination::decode(statement, 1)?, next(statement));
    Ok(Box::new(move |wave, block| {
        wave.set_scalar64(back, block.code.base.wrapping_add(next));
        to.go(wave, block)
    }))
}

fn stop(statement: &mut Statement, stop: fn() -> Box<Stop>) -> Decoded<Execute> {
    statement.exactly::<0>()?;
    Ok(Box::new(move |_, _| Err(stop())))
}

fn trap(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    statement.operands.clear();
    let name = statement.mnemonic.clone();
    Ok(Box::new(move |_, _| fail(FaultKind::Trap, format!("executes {name}"))))
}

/// Whether the operand is -1, the barrier of the workgroup. It may be written as 16 bits.
fn is_workgroup(value: &Value) -> bool {
    matches!(value, Value::Integer(-1) | Value::Literal(0xffff))
}

/// The first half of gfx12's barrier.
fn signal(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    let [which] = statement.exactly()?;
    if !is_workgroup(&which.value) {
        return Err(DecodeError::Operand(0));
    }
    Ok(Box::new(|wave, _| {
        if wave.signalled {
            return fail(FaultKind::Barrier, "signals the barrier again without having waited for it");
        }
        wave.signalled = true;
        Ok(())
    }))
}

fn wait(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    let [which] = statement.exactly()?;
    if !is_workgroup(&which.value) {
        return Err(DecodeError::Operand(0));
    }
    Ok(Box::new(|wave, _| {
        if !wave.signalled {
            return fail(FaultKind::Barrier, "waits for the barrier without having signalled it");
        }
        wave.signalled = false;
        Err(Box::new(Stop::Barrier))
    }))
}

/// Only the message that frees the vector registers before the end of a wave.
fn send_message(statement: &mut Statement, _: &Target) -> Decoded<Execute> {
    let [message] = statement.exactly()?;
    if !message.is("sendmsg(MSG_DEALLOC_VGPRS)") {
        return Err(DecodeError::Operand(0));
    }
    Ok(Box::new(|_, _| Ok(())))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::assembly::Statement;
    use crate::isa;
    use crate::isa::scalar::testing::references;
    use crate::isa::testing::Bench;

    const BASE: u64 = 0x7000_0000;

    /// A program of four instructions, from 0x100 on, of which the third, at 0x108, is the one to test; its lower half is
    /// `offset`. Gives the index of the next instruction.
    fn run(bench: &mut Bench, text: &str, offset: i16) -> Result<usize, FaultKind> {
        let nop = |address| ("s_nop 0".to_owned(), Statement::parse("s_nop 0", address, vec![0]));
        let tested = Statement::parse(text, 0x108, vec![u32::from(offset as u16)]);
        let statements = vec![nop(0x100), nop(0x104), (text.to_owned(), tested), nop(0x10c), nop(0x110)];
        let code = isa::code(statements, BASE, &bench.target);
        bench.with_block(&code, |wave, block| {
            wave.next = 3;
            // Twice, as the first time looks the target up.
            for _ in 0..2 {
                wave.next = 3;
                match code.execute[2](wave, block).map_err(|stop| *stop) {
                    Err(Stop::Fault(fault)) => return Err(fault.kind),
                    outcome => outcome.unwrap(),
                }
            }
            Ok(wave.next)
        })
    }

    fn branches(name: &str, prepare: fn(&mut Bench, bool)) {
        for processor in ["gfx906", "gfx1100"] {
            for (offset, target) in [(-3, 0), (-2, 1), (-1, 2), (0, 3), (1, 4)] {
                let mut bench = Bench::new(processor);
                let line = format!("{name} {}", offset as u16);
                prepare(&mut bench, true);
                assert_eq!(run(&mut bench, &line, offset), Ok(target), "{name}");
                prepare(&mut bench, false);
                let otherwise = if name == "s_branch" { target } else { 3 };
                assert_eq!(run(&mut bench, &line, offset), Ok(otherwise), "{name}");
                prepare(&mut bench, true);
                assert_eq!(run(&mut bench, &line, 100), Err(FaultKind::Trap), "{name}");
            }
        }
    }

    fn vcc(bench: &mut Bench, mask: u64) {
        // The upper half does not belong to waves of 32.
        let rest = if bench.wave.lanes == 32 { 1 << 40 } else { 0 };
        bench.wave.set_scalar64(special::VCC, mask | rest);
    }

    fn stops(name: &str, is_right: fn(&Stop) -> bool) {
        let stop = Bench::new("gfx1100").try_run(name).unwrap_err();
        assert!(is_right(&stop), "{name}: {stop:?}");
    }

    references! {
        "s_branch": |name| branches(name, |_, _| ());
        "s_cbranch_scc1": |name| branches(name, |bench, on| bench.wave.set_scc(Some(on)));
        "s_cbranch_scc0": |name| branches(name, |bench, on| bench.wave.set_scc(Some(!on)));
        "s_cbranch_vccnz": |name| branches(name, |bench, on| vcc(bench, u64::from(on) << 31));
        "s_cbranch_vccz": |name| branches(name, |bench, on| vcc(bench, u64::from(!on) << 31));
        "s_cbranch_execnz": |name| branches(name, |bench, on| bench.set_exec(u64::from(on) << 31));
        "s_cbranch_execz": |name| branches(name, |bench, on| bench.set_exec(u64::from(!on) << 31));
        "s_getpc_b64": |name| {
            let mut bench = Bench::new("gfx906");
            assert_eq!(run(&mut bench, &format!("{name} s[2:3]"), 0), Ok(3));
            assert_eq!(bench.wave.scalar64(2).unwrap(), BASE + 0x10c);
        };
        "s_setpc_b64": |name| {
            let mut bench = Bench::new("gfx906");
            bench.wave.set_scalar64(2, BASE + 0x104);
            assert_eq!(run(&mut bench, &format!("{name} s[2:3]"), 0), Ok(1));
            bench.wave.set_scalar64(2, BASE + 0x102);
            assert_eq!(run(&mut bench, &format!("{name} s[2:3]"), 0), Err(FaultKind::Trap));
        };
        "s_swappc_b64": |name| {
            let mut bench = Bench::new("gfx906");
            bench.wave.set_scalar64(2, BASE + 0x110);
            assert_eq!(run(&mut bench, &format!("{name} s[4:5], s[2:3]"), 0), Ok(4));
            assert_eq!(bench.wave.scalar64(4).unwrap(), BASE + 0x10c);
        };
        "s_call_b64": |name| {
            let mut bench = Bench::new("gfx1100");
            assert_eq!(run(&mut bench, &format!("{name} s[4:5], 65534"), -2), Ok(1));
            assert_eq!(bench.wave.scalar64(4).unwrap(), BASE + 0x10c);
        };
        "s_endpgm": |name| stops(name, |stop| matches!(stop, Stop::End));
        "s_barrier": |name| stops(name, |stop| matches!(stop, Stop::Barrier));
        "s_barrier_signal": |name| {
            let mut bench = Bench::new("gfx1201");
            bench.run(&format!("{name} -1"));
            assert!(bench.wave.signalled);
            assert_eq!(bench.fault(&format!("{name} -1")), FaultKind::Barrier);
            bench.refusal(&format!("{name} m0"));
        };
        "s_barrier_wait": |name| {
            let mut bench = Bench::new("gfx1201");
            assert_eq!(bench.fault(&format!("{name} 0xffff")), FaultKind::Barrier);
            let stop = bench.try_run(&format!("s_barrier_signal -1\n{name} 0xffff")).unwrap_err();
            assert!(matches!(stop, Stop::Barrier) && !bench.wave.signalled);
        };
        "s_trap" | "s_code_end": |name| {
            assert_eq!(Bench::new("gfx1100").fault(&format!("{name} 2")), FaultKind::Trap);
        };
        "s_sendmsg": |name| {
            let mut bench = Bench::new("gfx1100");
            bench.run(&format!("{name} sendmsg(MSG_DEALLOC_VGPRS)"));
            bench.refusal(&format!("{name} sendmsg(MSG_INTERRUPT)"));
        };
    }

    #[test]
    fn undefined_conditions() {
        let mut bench = Bench::new("gfx906");
        assert_eq!(run(&mut bench, "s_cbranch_scc1 0", 0), Err(FaultKind::Undefined));
        assert_eq!(run(&mut bench, "s_cbranch_vccz 0", 0), Err(FaultKind::Undefined));
        bench.wave.set_scalar(special::VCC, 0);
        assert_eq!(run(&mut bench, "s_cbranch_vccz 0", 0), Err(FaultKind::Undefined));
        bench.wave.set_scalar(special::VCC, 8);
        assert_eq!(run(&mut bench, "s_cbranch_vccnz 1", 1), Ok(4));
    }
}
