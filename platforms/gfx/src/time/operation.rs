//! What an instruction needs and gives, from its text.

use crate::assembly::{File, Operand, Statement, Value, number, special};
use crate::class::{Class, Vector};

/// Registers of a wave: scalar ones, then `scc`, vector registers, accumulators.
pub(super) const REGISTERS: usize = ACCUMULATORS as usize + 256;
const SCC: u16 = special::COUNT as u16;
const VECTORS: u16 = 256;
const ACCUMULATORS: u16 = VECTORS + 256;

/// What a wave may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    /// Loads from memory (`vmcnt`, `loadcnt`); up to gfx9 stores too.
    Loads,
    /// Stores (`vscnt`, `storecnt`).
    Stores,
    /// The LDS (`lgkmcnt`, `dscnt`); up to gfx11 scalar loads too.
    Local,
    /// Scalar loads (`kmcnt`).
    Scalars,
}

pub(super) const COUNTERS: usize = 4;

/// What happens when an instruction is issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: hints.
    Hint,
    /// Nothing, for so many cycles.
    Idle(u64),
    /// Waits until each counter is at most this.
    Wait([Option<u8>; COUNTERS]),
    /// Arrives at the workgroup's barrier, waits for the others, or both.
    Barrier {
        arrives: bool,
        waits: bool,
    },
    Scalar,
    Branch,
    ScalarLoad(Counter),
    Vector(Vector),
    Matrix {
        operations: u64,
        bytes: bool,
    },
    /// Of global memory: bytes of a lane, and what counts it.
    Memory {
        bytes: u64,
        access: Access,
        counter: Counter,
    },
    Local,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Load,
    Store,
    Atomic,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(super) kind: Kind,
    /// Bytes of its machine code.
    pub(super) size: u64,
    pub(super) reads: Vec<u16>,
    pub(super) writes: Vec<u16>,
    /// Of a scalar load: where its address is, and the bytes that it loads.
    scalar_address: Option<ScalarAddress>,
}

#[derive(Clone, Copy, Debug)]
struct ScalarAddress {
    base: u16,
    register: Option<u16>,
    offset: i64,
    bytes: u64,
}

impl Operation {
    /// That of an instruction of so many bytes, as the disassembler prints it.
    pub(crate) fn of(text: &str, size: u64, generation: u32) -> Self {
        let mut statement = Statement::parse(text, 0, Vec::new());
        let kind = kind(text, &statement, generation);
        let scalar_address = match kind {
            Kind::ScalarLoad(_) => scalar_address(&mut statement),
            _ => None,
        };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        uses(&statement, &mut reads, &mut writes);
        if let Some(second) = &statement.second {
            uses(second, &mut reads, &mut writes);
        }
        Self { kind, size, reads, writes, scalar_address }
    }

    /// The bytes that a scalar load reads, with the scalar registers as they are.
    pub(crate) fn scalar_bytes(&self, scalar: impl Fn(u16) -> u32) -> Option<(u64, u64)> {
        let ScalarAddress { base, register, offset, bytes } = self.scalar_address?;
        let address = u64::from(scalar(base)) | u64::from(scalar(base + 1)) << 32;
        let address = address.wrapping_add_signed(offset) + register.map_or(0, |at| u64::from(scalar(at)));
        Some((address, bytes))
    }
}

fn kind(text: &str, statement: &Statement, generation: u32) -> Kind {
    let mnemonic = &*statement.mnemonic;
    let starts = |prefix: &str| mnemonic.starts_with(prefix);
    if let Some(wait) = wait(text, mnemonic) {
        return Kind::Wait(wait);
    }
    match mnemonic {
        "s_barrier" => return Kind::Barrier { arrives: true, waits: true },
        "s_barrier_signal" => return Kind::Barrier { arrives: true, waits: false },
        "s_barrier_wait" => return Kind::Barrier { arrives: false, waits: true },
        "s_nop" => return Kind::Idle(1 + first_number(statement)),
        "s_sleep" => return Kind::Idle(64 * first_number(statement)),
        _ => {}
    }
    let scalars = if generation >= 12 { Counter::Scalars } else { Counter::Local };
    match Class::of(text) {
        Class::Nothing => Kind::Hint,
        Class::Scalar if starts("s_load") || starts("s_buffer_load") => Kind::ScalarLoad(scalars),
        Class::Scalar
            if starts("s_cbranch") || starts("s_branch") || starts("s_setpc") || starts("s_swappc") =>
        {
            Kind::Branch
        }
        Class::Scalar => Kind::Scalar,
        Class::Vector(vector) => Kind::Vector(vector),
        Class::Matrix { operations, bytes } => Kind::Matrix { operations, bytes },
        Class::Local => Kind::Local,
        Class::Memory => memory(text, mnemonic, generation),
    }
}

fn memory(text: &str, mnemonic: &str, generation: u32) -> Kind {
    let returns = [" sc0", " glc", "TH_ATOMIC_RETURN"].iter().any(|flag| text.contains(flag));
    let access = if mnemonic.contains("_atomic_") {
        Access::Atomic
    } else if mnemonic.contains("_store_") {
        Access::Store
    } else {
        Access::Load
    };
    let is_load = access == Access::Load || (access == Access::Atomic && returns);
    let counter = if is_load || generation <= 9 { Counter::Loads } else { Counter::Stores };
    let last = mnemonic.rsplit('_').find(|part| !matches!(*part, "hi" | "d16" | "rtn")).unwrap_or_default();
    let bytes = match last {
        "b128" | "dwordx4" => 16,
        "b96" | "dwordx3" => 12,
        "b64" | "dwordx2" | "u64" | "f64" | "x2" => 8,
        _ => 4,
    };
    Kind::Memory { bytes, access, counter }
}

fn first_number(statement: &Statement) -> u64 {
    match statement.operands.first().map(|operand| &operand.value) {
        Some(Value::Integer(value)) => *value as u64,
        Some(Value::Literal(value)) => *value,
        _ => 0,
    }
}

/// What an instruction waits for, if that is all it does.
fn wait(text: &str, mnemonic: &str) -> Option<[Option<u8>; COUNTERS]> {
    let operands = text.split_once(' ').map_or("", |(_, operands)| operands);
    let last = || operands.rsplit([',', ' ']).next().and_then(|text| number(text.trim()));
    let mut all = [None; COUNTERS];
    let mut set = |counter: Counter, left: Option<i64>| all[counter as usize] = left.map(|left| left as u8);
    match mnemonic {
        "s_waitcnt" => {
            for (name, counter) in [("vmcnt(", Counter::Loads), ("lgkmcnt(", Counter::Local)] {
                let left = operands.split_once(name).and_then(|(_, rest)| number(rest.split(')').next()?));
                set(counter, left);
            }
        }
        "s_waitcnt_vmcnt" | "s_wait_loadcnt" => set(Counter::Loads, last()),
        "s_waitcnt_vscnt" | "s_wait_storecnt" => set(Counter::Stores, last()),
        "s_waitcnt_lgkmcnt" | "s_wait_dscnt" => set(Counter::Local, last()),
        "s_wait_kmcnt" => set(Counter::Scalars, last()),
        // The counter of loads or stores is in bits 8 to 13, that of the LDS in bits 0 to 5.
        "s_wait_loadcnt_dscnt" | "s_wait_storecnt_dscnt" => {
            let both = last();
            let first = if mnemonic.contains("load") { Counter::Loads } else { Counter::Stores };
            set(first, both.map(|both| both >> 8 & 63));
            set(Counter::Local, both.map(|both| both & 63));
        }
        _ => return None,
    }
    Some(all)
}

fn scalar_address(statement: &mut Statement) -> Option<ScalarAddress> {
    let constant = statement.take_number("offset").ok().flatten();
    let words = match statement.operands.first()?.value {
        Value::Registers { count, .. } => u64::from(count),
        _ => 1,
    };
    let (base, _) = statement.operands.get(1)?.registers(File::Scalar)?;
    let (register, offset) = match &statement.operands.get(2)?.value {
        Value::Registers { first, .. } => {
            ((*first != special::NULL).then_some(*first), constant.unwrap_or(0))
        }
        Value::Integer(value) => (None, *value),
        Value::Literal(bits) => (None, *bits as i64),
        Value::Word(word) => (None, number(word)?),
        Value::Float(_) => return None,
    };
    Some(ScalarAddress { base, register, offset, bytes: words * 4 })
}

/// Adds the registers that an instruction reads and writes.
fn uses(statement: &Statement, reads: &mut Vec<u16>, writes: &mut Vec<u16>) {
    let mnemonic = &*statement.mnemonic;
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| mnemonic.starts_with(prefix));
    let has = |parts: &[&str]| parts.iter().any(|part| mnemonic.contains(part));
    let returns = || {
        let flags = ["sc0", "glc", "th"];
        flags.iter().any(|flag| {
            statement.clone().take(flag).is_some_and(|value| flag != &"th" || value.contains("RETURN"))
        })
    };
    let results = if has(&["_store_", "_write_b", "_write2", "ds_write", "ds_store"])
        || starts(&["s_cmp", "s_bitcmp", "s_cbranch", "s_branch", "s_wait", "s_barrier", "s_setreg"])
        || (starts(&["global_atomic", "flat_atomic", "buffer_atomic"]) && !returns())
        || (starts(&["ds_"])
            && has(&["ds_add", "ds_sub", "ds_min", "ds_max", "ds_and", "ds_or", "ds_xor"])
            && !has(&["rtn"]))
    {
        0
    } else if starts(&[
        "v_div_scale",
        "v_mad_u64",
        "v_mad_i64",
        "v_add_co",
        "v_sub_co",
        "v_subrev_co",
        "v_addc",
        "v_subb",
        "v_swap",
    ]) {
        2
    } else {
        1
    };
    for (at, operand) in statement.operands.iter().enumerate() {
        if at < results {
            registers(operand, writes);
        } else {
            registers(operand, reads);
        }
    }
    let keeps = [
        "v_fmac",
        "v_mac",
        "v_pk_fmac",
        "v_dot2c",
        "v_dot4c",
        "v_dot8c",
        "v_writelane",
        "v_swap",
        "v_dual_fmac",
        "v_dual_dot",
    ];
    if starts(&keeps) || has(&["_d16"]) {
        statement.operands.iter().take(results).for_each(|operand| registers(operand, reads));
    }
    if starts(&[
        "v_cmpx",
        "s_and_saveexec",
        "s_or_saveexec",
        "s_xor_saveexec",
        "s_andn2_saveexec",
        "s_and_not1_saveexec",
    ]) {
        writes.extend([special::EXEC, special::EXEC + 1]);
    }
    if starts(&["v_", "global_", "flat_", "buffer_", "scratch_", "ds_"]) {
        reads.extend([special::EXEC, special::EXEC + 1]);
    } else if starts(&[
        "s_cbranch_scc",
        "s_cselect",
        "s_addc",
        "s_subb",
        "s_cmov",
        "s_add_co_ci",
        "s_sub_co_ci",
    ]) {
        reads.push(SCC);
    } else if starts(&["s_cbranch_vcc"]) {
        reads.extend([special::VCC, special::VCC + 1]);
    } else if starts(&["s_cbranch_exec"]) {
        reads.extend([special::EXEC, special::EXEC + 1]);
    }
    let sets_scc = starts(&["s_"])
        && !starts(&[
            "s_mov",
            "s_cselect",
            "s_load",
            "s_buffer",
            "s_cbranch",
            "s_branch",
            "s_wait",
            "s_mul_i32",
            "s_mul_hi",
            "s_bfm",
            "s_pack",
            "s_sext",
            "s_barrier",
        ]);
    if sets_scc {
        writes.push(SCC);
    }
}

fn registers(operand: &Operand, to: &mut Vec<u16>) {
    if let Value::Registers { file, first, count } = operand.value {
        let base = match file {
            File::Scalar => 0,
            File::Vector => VECTORS,
            File::Accumulator => ACCUMULATORS,
        };
        if file != File::Scalar || first != special::NULL {
            to.extend(
                (base + first..base + first + count).filter(|&register| usize::from(register) < REGISTERS),
            );
        }
    } else if operand.is("scc") {
        to.push(SCC);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (Vec<u16>, Vec<u16>) {
        let Operation { mut reads, writes, .. } = Operation::of(text, 4, 11);
        reads.retain(|register| !(special::EXEC..special::EXEC + 2).contains(register));
        (reads, writes)
    }

    #[test]
    fn registers_that_are_read_and_written() {
        let v = |number: u16| VECTORS + number;
        assert_eq!(of("v_fma_f32 v1, v2, s3, v4"), (vec![v(2), 3, v(4)], vec![v(1)]));
        assert_eq!(of("v_fmac_f32_e32 v1, v2, v3"), (vec![v(2), v(3), v(1)], vec![v(1)]));
        assert_eq!(of("global_load_b64 v[0:1], v2, s[4:5]"), (vec![v(2), 4, 5], vec![v(0), v(1)]));
        assert_eq!(of("global_store_b32 v[0:1], v2, off"), (vec![v(0), v(1), v(2)], vec![]));
        assert_eq!(of("ds_store_b32 v0, v1"), (vec![v(0), v(1)], vec![]));
        assert_eq!(of("v_add_co_u32 v0, vcc_lo, v1, v2"), (vec![v(1), v(2)], vec![v(0), special::VCC]));
        assert_eq!(of("s_cbranch_scc1 10"), (vec![SCC], vec![]));
        assert_eq!(of("s_add_i32 s0, s1, 4"), (vec![1], vec![0, SCC]));
        let dual = "v_dual_fmac_f32 v0, v1, v2 :: v_dual_mov_b32 v3, v4";
        assert_eq!(of(dual), (vec![v(1), v(2), v(0), v(4)], vec![v(0), v(3)]));
    }

    #[test]
    fn waits() {
        let of = |text: &str| match Operation::of(text, 4, 11).kind {
            Kind::Wait(counters) => counters,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(of("s_waitcnt vmcnt(3) lgkmcnt(0)"), [Some(3), None, Some(0), None]);
        assert_eq!(of("s_waitcnt_vscnt null, 0x2"), [None, Some(2), None, None]);
        assert_eq!(of("s_wait_loadcnt_dscnt 0x103"), [Some(1), None, Some(3), None]);
        assert_eq!(of("s_wait_kmcnt 0x0"), [None, None, None, Some(0)]);
    }

    #[test]
    fn scalar_addresses() {
        let bytes = |text: &str| Operation::of(text, 4, 11).scalar_bytes(|at| u32::from(at) * 16);
        assert_eq!(bytes("s_load_b64 s[0:1], s[2:3], 0x8"), Some((32 + (48 << 32) + 8, 8)));
        assert_eq!(bytes("s_load_b32 s0, s[2:3], s4 offset:0x8"), Some((32 + (48 << 32) + 64 + 8, 4)));
        assert_eq!(bytes("s_mov_b32 s0, s2"), None);
    }

    #[test]
    fn what_memory_instructions_do() {
        let of = |text: &str, generation| match Operation::of(text, 4, generation).kind {
            Kind::Memory { bytes, access, counter } => (bytes, access, counter),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(of("global_load_b128 v[0:3], v[4:5], off", 11), (16, Access::Load, Counter::Loads));
        assert_eq!(of("global_store_dwordx2 v[0:1], v[2:3], off", 9), (8, Access::Store, Counter::Loads));
        assert_eq!(of("global_store_b32 v[0:1], v2, off", 11), (4, Access::Store, Counter::Stores));
        assert_eq!(of("global_atomic_add_u32 v[0:1], v2, off", 11), (4, Access::Atomic, Counter::Stores));
        assert_eq!(
            of("global_atomic_add_u32 v1, v[2:3], v2, off glc", 11),
            (4, Access::Atomic, Counter::Loads)
        );
    }
}
