//! Atomic updates of the local data share (RDNA3 ISA guide, section 12 "Data Share Operations").

use super::address::Local;
use super::operation::{self, Operation, Values, pair, word};
use crate::assembly::{DecodeError, Decoded, Statement};
use crate::fault::{Step, Stop};
use crate::isa::{Execute, Form};
use crate::machine::block::Block;
use crate::machine::wave::{LANES, Wave};

/// Defines forms by the names of operations before and after `rtn`: `"add" "u32"` is `ds_add_u32` and `ds_add_rtn_u32`.
macro_rules! lds_atomic_forms {
    ($($operation:expr => $($name:literal $kind:literal),*;)*) => {
        pub(crate) const FORMS: &[Form] = &[$($(
            Form {
                name: concat!("ds_", $name, "_", $kind),
                decode: |statement, _| decode(statement, $operation, false),
            },
            Form {
                name: concat!("ds_", $name, "_rtn_", $kind),
                decode: |statement, _| decode(statement, $operation, true),
            },
        )*)*];
    };
}

lds_atomic_forms! {
    word::ADD => "add" "u32";
    word::SUB => "sub" "u32";
    word::REVERSE_SUB => "rsub" "u32";
    word::MIN_I => "min" "i32";
    word::MIN_U => "min" "u32";
    word::MAX_I => "max" "i32";
    word::MAX_U => "max" "u32";
    word::AND => "and" "b32";
    word::OR => "or" "b32";
    word::XOR => "xor" "b32";
    word::SWAP => "wrxchg" "b32", "storexchg" "b32";
    word::INC => "inc" "u32";
    word::DEC => "dec" "u32";
    Operation::CompareWord => "cmpst" "b32", "cmpstore" "b32";
    pair::ADD => "add" "u64";
    pair::SUB => "sub" "u64";
    pair::REVERSE_SUB => "rsub" "u64";
    pair::MIN_I => "min" "i64";
    pair::MIN_U => "min" "u64";
    pair::MAX_I => "max" "i64";
    pair::MAX_U => "max" "u64";
    pair::AND => "and" "b64";
    pair::OR => "or" "b64";
    pair::XOR => "xor" "b64";
    pair::SWAP => "wrxchg" "b64", "storexchg" "b64";
    pair::INC => "inc" "u64";
    pair::DEC => "dec" "u64";
    Operation::ComparePair => "cmpst" "b64", "cmpstore" "b64";
    operation::SUB_CLAMP => "sub_clamp" "u32";
    operation::COND_SUB => "cond_sub" "u32";
    operation::ADD_F32 => "add" "f32";
    operation::MIN_F32 => "min" "f32", "min_num" "f32";
    operation::MAX_F32 => "max" "f32", "max_num" "f32";
    operation::ADD_F64 => "add" "f64";
    operation::MIN_F64 => "min" "f64", "min_num" "f64";
    operation::MAX_F64 => "max" "f64", "max_num" "f64";
    operation::PK_ADD_F16 => "pk_add" "f16";
    operation::PK_ADD_BF16 => "pk_add" "bf16";
}

struct LdsAtomic {
    operation: Operation,
    address: Local,
    data: Values,
    expected: Option<Values>,
    result: Option<Values>,
}

fn decode(statement: &mut Statement, operation: Operation, returns: bool) -> Decoded<Execute> {
    // [destination], address, data, [data]
    let first = usize::from(returns);
    if statement.operands.len() != first + 2 + usize::from(operation.compares()) {
        return Err(DecodeError::OperandCount(statement.operands.len()));
    }
    let words = operation.words();
    // `cmpst` has what to compare with first, `cmpstore` has it last.
    let is_swapped = operation.compares() && !statement.mnemonic.starts_with("ds_cmpstore");
    let [data_at, expected_at] = if is_swapped { [first + 2, first + 1] } else { [first + 1, first + 2] };
    let values = |wanted: bool, at: usize| match wanted {
        true => Values::decode(statement, at, words).map(Some),
        false => Ok(None),
    };
    let expected = values(operation.compares(), expected_at)?;
    let result = values(returns, 0)?;
    let data = Values::decode(statement, data_at, words)?;
    let address = Local::decode(statement, first)?;
    let atomic = LdsAtomic { operation, address, data, expected, result };
    Ok(Box::new(move |wave, block| atomic.run(wave, block)))
}

impl LdsAtomic {
    fn run(&self, wave: &mut Wave, block: &mut Block<'_>) -> Step {
        let mask = wave.exec();
        if mask == 0 {
            return Ok(());
        }
        let size = self.operation.words() * 4;
        let mut all = [0; LANES];
        let at = self.address.spread(wave, mask, size, &mut all)?;
        if let Some(statistics) = &mut block.statistics {
            statistics.local(wave.next.wrapping_sub(1), &at, size);
        }
        let data = self.data.read(wave, mask)?;
        let expected = match self.expected {
            Some(values) => values.read(wave, mask)?,
            None => [0; LANES],
        };
        let mut old = [0; LANES];
        for (lane, address) in at.active() {
            let f = |old| self.operation.apply(old, data[lane], expected[lane]);
            old[lane] = update(wave, block, address as u32, size, f)?;
        }
        match self.result {
            Some(result) => result.write(wave, &old, mask),
            None => Ok(()),
        }
    }
}

/// Replaces a word of LDS, or two, by a function of it; gives the old value.
pub(crate) fn update(
    wave: &Wave,
    block: &mut Block<'_>,
    address: u32,
    size: usize,
    f: impl Fn(u64) -> u64,
) -> Result<u64, Box<Stop>> {
    Ok(match size {
        4 => {
            let f = |old| (f(u64::from(u32::from_le_bytes(old))) as u32).to_le_bytes();
            u64::from(u32::from_le_bytes(block.lds.update::<4>(wave.number, address, f)?))
        }
        _ => {
            let f = |old| f(u64::from_le_bytes(old)).to_le_bytes();
            u64::from_le_bytes(block.lds.update::<8>(wave.number, address, f)?)
        }
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::fault::FaultKind;
    use crate::isa::memory::expected::{Path, check_atomic, check_compare};
    use crate::isa::memory::lds::tests::PATH;
    use crate::isa::testing::{Bench, Reference};

    macro_rules! references {
        ($($name:literal $kind:literal),*) => {
            &[$(
                Reference { name: concat!("ds_", $name, "_", $kind), check },
                Reference { name: concat!("ds_", $name, "_rtn_", $kind), check },
            )*]
        };
    }

    pub(crate) const REFERENCES: &[Reference] = references! {
        "add" "u32", "sub" "u32", "rsub" "u32", "min" "i32", "min" "u32", "max" "i32", "max" "u32", "and" "b32", "or" "b32", "xor" "b32", "wrxchg" "b32", "storexchg" "b32", "inc" "u32", "dec" "u32", "cmpst" "b32", "cmpstore" "b32", "add" "u64", "sub" "u64", "rsub" "u64", "min" "i64", "min" "u64", "max" "i64", "max" "u64", "and" "b64", "or" "b64", "xor" "b64", "wrxchg" "b64", "storexchg" "b64", "inc" "u64", "dec" "u64", "cmpst" "b64", "cmpstore" "b64", "sub_clamp" "u32", "cond_sub" "u32", "add" "f32", "min" "f32", "min_num" "f32", "max" "f32", "max_num" "f32", "add" "f64", "min" "f64", "min_num" "f64", "max" "f64", "max_num" "f64", "pk_add" "f16", "pk_add" "bf16"
    };

    fn check(name: &str) {
        let operation = name.strip_prefix("ds_").unwrap().replace("_rtn", "");
        let (first, kind) = operation.rsplit_once('_').unwrap();
        let returning = format!("ds_{first}_rtn_{kind}");
        let line = |operands: &str, result: Option<&str>| match result {
            None => format!("ds_{operation} v2, {operands} offset:16"),
            Some(result) => format!("{returning} {result}, v2, {operands} offset:16"),
        };
        for processor in ["gfx906", "gfx1100"] {
            let path = Path { processor, ..PATH };
            let words = if kind == "b64" { 2 } else { 1 };
            match first {
                // What to compare with comes first, or last.
                "cmpst" => check_compare(words, path, |data, expected, result| {
                    line(&format!("{expected}, {data}"), result)
                }),
                "cmpstore" => check_compare(words, path, |data, expected, result| {
                    line(&format!("{data}, {expected}"), result)
                }),
                _ => check_atomic(&operation, path, line),
            }
        }
    }

    #[test]
    fn lanes_update_one_after_another() {
        let mut bench = Bench::new("gfx906");
        bench.set(2, |lane| lane as u32 % 2 * 4);
        bench.set(4, |_| 3);
        bench.set(5, |_| 0);
        bench.run("ds_write_b32 v2, v5\nds_add_u32 v2, v4\nds_add_rtn_u32 v6, v2, v4\nds_read_b32 v7, v2");
        assert!(bench.get(7).iter().all(|sum| *sum == 192));
        assert_eq!(bench.get(6)[2..4], [99, 99]);
        bench.set(2, |_| 2);
        assert_eq!(bench.fault("ds_add_u32 v2, v4"), FaultKind::Misaligned);
    }
}
