//! Atomic updates of global memory, and of what flat addresses reach (RDNA3 ISA guide, section 11 "Flat Memory Instructions").

use super::address::{Address, Policy};
use super::global::Parts;
use super::operation::{self, Operation, Values, pair, word};
use super::{lds_atomic, scratch};
use crate::assembly::{DecodeError, Decoded, Statement};
use crate::fault::Step;
use crate::isa::{Execute, Form};
use crate::machine::block::Block;
use crate::machine::memory::Access;
use crate::machine::wave::{LANES, Wave};
use crate::target::Target;

/// Defines the forms of global and flat instructions, by the names of operations up to gfx10 and from gfx11 on, or gfx12 on.
macro_rules! atomic_forms {
    ($($operation:expr => $($name:literal)*,)*) => {
        pub(crate) const FORMS: &[Form] = &[$($(
            Form {
                name: concat!("global_atomic_", $name),
                decode: |statement, target| decode(statement, target, $operation, true),
            },
            Form {
                name: concat!("flat_atomic_", $name),
                decode: |statement, target| decode(statement, target, $operation, false),
            },
        )*)*];
    };
}

atomic_forms! {
    word::ADD => "add" "add_u32",
    word::SUB => "sub" "sub_u32",
    word::MIN_I => "smin" "min_i32",
    word::MIN_U => "umin" "min_u32",
    word::MAX_I => "smax" "max_i32",
    word::MAX_U => "umax" "max_u32",
    word::AND => "and" "and_b32",
    word::OR => "or" "or_b32",
    word::XOR => "xor" "xor_b32",
    word::SWAP => "swap" "swap_b32",
    word::INC => "inc" "inc_u32",
    word::DEC => "dec" "dec_u32",
    Operation::CompareWord => "cmpswap" "cmpswap_b32",
    pair::ADD => "add_x2" "add_u64",
    pair::SUB => "sub_x2" "sub_u64",
    pair::MIN_I => "smin_x2" "min_i64",
    pair::MIN_U => "umin_x2" "min_u64",
    pair::MAX_I => "smax_x2" "max_i64",
    pair::MAX_U => "umax_x2" "max_u64",
    pair::AND => "and_x2" "and_b64",
    pair::OR => "or_x2" "or_b64",
    pair::XOR => "xor_x2" "xor_b64",
    pair::SWAP => "swap_x2" "swap_b64",
    pair::INC => "inc_x2" "inc_u64",
    pair::DEC => "dec_x2" "dec_u64",
    Operation::ComparePair => "cmpswap_x2" "cmpswap_b64",
    operation::SUB_CLAMP => "csub" "csub_u32" "sub_clamp_u32",
    operation::COND_SUB => "cond_sub_u32",
    operation::ADD_F32 => "add_f32",
    operation::MIN_F32 => "fmin" "min_f32" "min_num_f32",
    operation::MAX_F32 => "fmax" "max_f32" "max_num_f32",
    operation::ADD_F64 => "add_f64",
    operation::MIN_F64 => "fmin_x2" "min_f64",
    operation::MAX_F64 => "fmax_x2" "max_f64",
    operation::PK_ADD_F16 => "pk_add_f16",
    operation::PK_ADD_BF16 => "pk_add_bf16",
}

struct Atomic {
    operation: Operation,
    address: Address,
    /// The data, then what to compare with.
    data: Values,
    result: Option<Values>,
}

fn decode(
    statement: &mut Statement,
    target: &Target,
    operation: Operation,
    has_scalar: bool,
) -> Decoded<Execute> {
    // [destination], address, data, [scalar base]
    let plain = 2 + usize::from(has_scalar);
    let returns = match statement.operands.len() {
        its if its == plain => false,
        its if its == plain + 1 => true,
        its => return Err(DecodeError::OperandCount(its)),
    };
    if Policy::take(statement, target).returns != returns {
        return Err(DecodeError::OperandCount(statement.operands.len()));
    }
    let first = usize::from(returns);
    let values = operation.words() * if operation.compares() { 2 } else { 1 };
    let atomic = Atomic {
        operation,
        address: Address::decode(statement, first, has_scalar.then_some(first + 2))?,
        data: Values::decode(statement, first + 1, values)?,
        result: match returns {
            true => Some(Values::decode(statement, 0, operation.words())?),
            false => None,
        },
    };
    Ok(Box::new(move |wave, block| atomic.run(wave, block)))
}

impl Atomic {
    fn run(&self, wave: &mut Wave, block: &mut Block<'_>) -> Step {
        let mask = wave.exec();
        if mask == 0 {
            return Ok(());
        }
        let size = self.operation.words() * 4;
        let mut all = [0; LANES];
        let at = self.address.spread(wave, mask, size, &mut all)?;
        if let Some(statistics) = &mut block.statistics {
            statistics.global(wave.next.wrapping_sub(1), &at, size, Access::Atomic);
        }
        let (data, expected) = match self.operation.compares() {
            true => (self.data.read_half(wave, mask, 0)?, self.data.read_half(wave, mask, 1)?),
            false => (self.data.read(wave, mask)?, [0; LANES]),
        };
        let parts = Parts::new(&at);
        // A loop of compare-and-swap orders nothing: LLVM makes it of updates without an order.
        let orders = self.result.is_some() && !self.operation.compares();
        if orders {
            at.active().for_each(|(_, address)| block.view.arrives(address));
        }
        let mut old = [0; LANES];
        for (lane, address) in at.active() {
            let f = |old| self.operation.apply(old, data[lane], expected[lane]);
            old[lane] = match (parts.shared >> lane & 1, parts.private >> lane & 1, size) {
                (0, 0, 4) => u64::from(block.view.update32(address, |old| f(old.into()) as u32)?),
                (0, 0, _) => block.view.update64(address, f)?,
                (0, ..) => scratch::update(wave, lane, address & 0xffff_ffff, size, f)?,
                _ => lds_atomic::update(wave, block, address as u32, size, f)?,
            };
        }
        if orders {
            at.active().for_each(|(_, address)| block.view.sees(address));
        }
        match self.result {
            Some(result) => result.write(wave, &old, mask),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::DecodeError;
    use crate::fault::FaultKind;
    use crate::isa::memory::expected::{Path, Place, check_atomic, check_compare, decode, run};
    use crate::isa::memory::global::tests::{FLAT, SCALAR, VECTOR};
    use crate::isa::source::{PRIVATE_BASE, SHARED_BASE};
    use crate::isa::testing::{Bench, Reference};

    macro_rules! references {
        ($($name:literal)*) => {
            &[$(
                Reference { name: concat!("global_atomic_", $name), check: global },
                Reference { name: concat!("flat_atomic_", $name), check: flat },
            )*]
        };
    }

    pub(crate) const REFERENCES: &[Reference] = references! {
        "add" "add_u32" "sub" "sub_u32" "smin" "min_i32" "umin" "min_u32" "smax" "max_i32" "umax" "max_u32" "and" "and_b32" "or" "or_b32" "xor" "xor_b32" "swap" "swap_b32" "inc" "inc_u32" "dec" "dec_u32" "cmpswap" "cmpswap_b32" "add_x2" "add_u64" "sub_x2" "sub_u64" "smin_x2" "min_i64" "umin_x2" "min_u64" "smax_x2" "max_i64" "umax_x2" "max_u64" "and_x2" "and_b64" "or_x2" "or_b64" "xor_x2" "xor_b64" "swap_x2" "swap_b64" "inc_x2" "inc_u64" "dec_x2" "dec_u64" "cmpswap_x2" "cmpswap_b64" "csub" "csub_u32" "sub_clamp_u32" "cond_sub_u32" "add_f32" "fmin" "min_f32" "min_num_f32" "fmax" "max_f32" "max_num_f32" "add_f64" "fmin_x2" "min_f64" "fmax_x2" "max_f64" "pk_add_f16" "pk_add_bf16"
    };

    /// Checks an instruction with each processor's bit for the result.
    fn check(name: &str, operation: &str, path: Path) {
        for (processor, bit) in
            [("gfx906", "glc"), ("gfx942", "sc0"), ("gfx1100", "glc"), ("gfx1201", "th:TH_ATOMIC_RETURN")]
        {
            let path = Path { processor, ..path };
            let of = |data: &str, result: Option<&str>| {
                let operands = path.store.replace("{}", data);
                match result {
                    None => format!("{name} {operands}"),
                    Some(result) => format!("{name} {result}, {operands} {bit}"),
                }
            };
            if operation.starts_with("cmpswap") {
                let words = if operation.ends_with("x2") || operation.ends_with("b64") { 2 } else { 1 };
                check_compare(words, path, |_, _, result| of(["v[4:5]", "v[4:7]"][words - 1], result));
            } else {
                check_atomic(operation, path, of);
            }
        }
    }

    fn global(name: &str) {
        let operation = name.strip_prefix("global_atomic_").unwrap();
        [VECTOR, SCALAR].into_iter().for_each(|path| check(name, operation, path));
    }

    fn flat(name: &str) {
        let operation = name.strip_prefix("flat_atomic_").unwrap();
        for (place, base) in [(Place::Global, 0), (Place::Lds, SHARED_BASE), (Place::Scratch, PRIVATE_BASE)] {
            check(name, operation, Path { place, base, ..FLAT });
        }
    }

    #[test]
    fn lanes_update_one_after_another() {
        let mut bench = Bench::new("gfx1100");
        let memory = bench.memory();
        bench.set64(2, |lane| memory + lane as u64 % 2 * 4);
        bench.set(4, |_| 3);
        bench.run("global_atomic_add_u32 v5, v[2:3], v4, off glc");
        assert_eq!(bench.words()[..3], [48, 48, 0]);
        let mut old: Vec<u32> = bench.get(5)[..32].to_vec();
        old.sort_unstable();
        assert!(old.iter().enumerate().all(|(at, old)| *old == at as u32 / 2 * 3));
    }

    #[test]
    fn atomic_loads_are_no_race_with_atomic_updates() {
        let mut bench = Bench::new("gfx942");
        let memory = bench.memory();
        bench.set64(2, |_| memory);
        bench.set(4, |_| 1);
        let lines = ["global_atomic_add v[2:3], v4, off", "global_load_dword v5, v[2:3], off sc1"];
        let lines = lines.map(|line| (line, decode(&bench, line)));
        bench.in_block(|wave, block| {
            lines.iter().for_each(|(line, execute)| run(execute, wave, block, line));
        });
        assert_eq!(bench.get(5)[0], 64);
    }

    #[test]
    fn refusals() {
        let mut bench = Bench::new("gfx1100");
        let memory = bench.memory();
        bench.set64(2, |_| memory + 2);
        bench.set(4, |_| 3);
        assert_eq!(bench.fault("global_atomic_add_u32 v[2:3], v4, off"), FaultKind::Misaligned);
        let refusal = |line: &str| bench.refusal(line);
        assert_eq!(refusal("global_atomic_add_u32 v5, v[2:3], v4, off"), DecodeError::OperandCount(4));
        assert_eq!(refusal("global_atomic_add_u32 v[2:3], v4, off glc"), DecodeError::OperandCount(3));
        assert_eq!(refusal("global_atomic_cmpswap_b32 v[2:3], v4, off"), DecodeError::Operand(1));
        assert_eq!(refusal("global_atomic_add_u32 v[2:3], v4, off lds"), DecodeError::Modifier("lds".into()));
    }
}
