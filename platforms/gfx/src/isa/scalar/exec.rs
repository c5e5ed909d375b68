//! Instructions that change `exec` and keep its old value (RDNA3 ISA guide, section 16.3 "SOP1").

use super::forms::{Source, decoded_forms, destination};
use super::logic::{all, combine, kind, store, test};
use crate::assembly::{DecodeError, Decoded, Statement, special};
use crate::isa::Execute;

decoded_forms! {
    "s_and_saveexec_b32" = |statement| save::<1>(statement, |s, exec| s & exec);
    "s_and_saveexec_b64" = |statement| save::<2>(statement, |s, exec| s & exec);
    "s_or_saveexec_b32" = |statement| save::<1>(statement, |s, exec| s | exec);
    "s_or_saveexec_b64" = |statement| save::<2>(statement, |s, exec| s | exec);
    "s_xor_saveexec_b32" = |statement| save::<1>(statement, |s, exec| s ^ exec);
    "s_xor_saveexec_b64" = |statement| save::<2>(statement, |s, exec| s ^ exec);
    "s_nand_saveexec_b32" = |statement| save::<1>(statement, |s, exec| !(s & exec));
    "s_nand_saveexec_b64" = |statement| save::<2>(statement, |s, exec| !(s & exec));
    "s_nor_saveexec_b32" = |statement| save::<1>(statement, |s, exec| !(s | exec));
    "s_nor_saveexec_b64" = |statement| save::<2>(statement, |s, exec| !(s | exec));
    "s_xnor_saveexec_b32" = |statement| save::<1>(statement, |s, exec| !(s ^ exec));
    "s_xnor_saveexec_b64" = |statement| save::<2>(statement, |s, exec| !(s ^ exec));
    "s_andn1_saveexec_b32" | "s_and_not0_saveexec_b32" = |statement| save::<1>(statement, |s, exec| !s & exec);
    "s_andn1_saveexec_b64" | "s_and_not0_saveexec_b64" = |statement| save::<2>(statement, |s, exec| !s & exec);
    "s_orn1_saveexec_b32" | "s_or_not0_saveexec_b32" = |statement| save::<1>(statement, |s, exec| !s | exec);
    "s_orn1_saveexec_b64" | "s_or_not0_saveexec_b64" = |statement| save::<2>(statement, |s, exec| !s | exec);
    "s_andn2_saveexec_b32" | "s_and_not1_saveexec_b32" = |statement| save::<1>(statement, |s, exec| s & !exec);
    "s_andn2_saveexec_b64" | "s_and_not1_saveexec_b64" = |statement| save::<2>(statement, |s, exec| s & !exec);
    "s_orn2_saveexec_b32" | "s_or_not1_saveexec_b32" = |statement| save::<1>(statement, |s, exec| s | !exec);
    "s_orn2_saveexec_b64" | "s_or_not1_saveexec_b64" = |statement| save::<2>(statement, |s, exec| s | !exec);
    "s_andn1_wrexec_b32" | "s_and_not0_wrexec_b32" = |statement| write::<1>(statement, |s, exec| !s & exec);
    "s_andn1_wrexec_b64" | "s_and_not0_wrexec_b64" = |statement| write::<2>(statement, |s, exec| !s & exec);
    "s_andn2_wrexec_b32" | "s_and_not1_wrexec_b32" = |statement| write::<1>(statement, |s, exec| s & !exec);
    "s_andn2_wrexec_b64" | "s_and_not1_wrexec_b64" = |statement| write::<2>(statement, |s, exec| s & !exec);
}

/// `d = exec; exec = f(s, exec)`.
fn save<const WORDS: u16>(
    statement: &mut Statement,
    f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static,
) -> Decoded<Execute> {
    decode::<WORDS, true>(statement, f)
}

/// `exec = f(s, exec); d = exec`.
fn write<const WORDS: u16>(
    statement: &mut Statement,
    f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static,
) -> Decoded<Execute> {
    decode::<WORDS, false>(statement, f)
}

fn decode<const WORDS: u16, const SAVES: bool>(
    statement: &mut Statement,
    f: impl Fn(u64, u64) -> u64 + Send + Sync + 'static,
) -> Decoded<Execute> {
    if statement.operands.len() != 2 {
        return Err(DecodeError::OperandCount(statement.operands.len()));
    }
    let to = destination(statement, 0, WORDS)?;
    let source = Source::decode(statement, 1, kind(WORDS))?;
    Ok(Box::new(move |wave, _| {
        let old = Source::Register(special::EXEC).bits::<WORDS>(wave)?;
        let new = combine(&f, source.bits::<WORDS>(wave)?, old, all(WORDS));
        store::<WORDS>(wave, to, if SAVES { old } else { new })?;
        store::<WORDS>(wave, special::EXEC, new)?;
        test(wave, new, all(WORDS));
        Ok(())
    }))
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::assembly::special;
    use crate::isa::element::Kind;
    use crate::isa::scalar::testing::{Scc, get, references, registers, set};
    use crate::isa::testing::{Bench, samples};

    /// The results for bits of source and `exec`: 0 0, 0 1, 1 0, 1 1.
    fn table(name: &str, saves: bool, results: [u64; 4]) {
        let mut random = fastrand::Rng::with_seed(5);
        let words = if name.ends_with("b64") { 2 } else { 1 };
        for processor in ["gfx906", "gfx1100"] {
            let mut bench = Bench::new(processor);
            let values = samples(Kind::B64, &mut random);
            for &source in &values {
                let exec = values[random.usize(..values.len())];
                bench.set_exec(exec);
                set(&mut bench.wave, 4, 2, source);
                let to = [0, 4][random.usize(..2)];
                bench.run(&format!("{name} {}, {}", registers(to, words), registers(4, words)));
                let expected = (0..64)
                    .map(|at| {
                        let [s, e] = [source, exec].map(|mask| mask >> at & 1);
                        let changed = at < 32 * u64::from(words);
                        (if changed { results[(2 * s + e) as usize] } else { e }) << at
                    })
                    .sum::<u64>();
                assert_eq!(bench.wave.scalar64(special::EXEC).unwrap(), expected, "{name}");
                let mask = u64::MAX >> (64 - 32 * words);
                let kept = if saves { exec } else { expected };
                assert_eq!(get(&bench.wave, to, words), kept & mask, "{name}");
                Scc::Is(expected & mask != 0).assert(&bench.wave, false, name);
            }
        }
    }

    references! {
        "s_and_saveexec_b32" | "s_and_saveexec_b64": |name| table(name, true, [0, 0, 0, 1]);
        "s_or_saveexec_b32" | "s_or_saveexec_b64": |name| table(name, true, [0, 1, 1, 1]);
        "s_xor_saveexec_b32" | "s_xor_saveexec_b64": |name| table(name, true, [0, 1, 1, 0]);
        "s_nand_saveexec_b32" | "s_nand_saveexec_b64": |name| table(name, true, [1, 1, 1, 0]);
        "s_nor_saveexec_b32" | "s_nor_saveexec_b64": |name| table(name, true, [1, 0, 0, 0]);
        "s_xnor_saveexec_b32" | "s_xnor_saveexec_b64": |name| table(name, true, [1, 0, 0, 1]);
        "s_andn1_saveexec_b32" | "s_andn1_saveexec_b64": |name| table(name, true, [0, 1, 0, 0]);
        "s_and_not0_saveexec_b32" | "s_and_not0_saveexec_b64": |name| table(name, true, [0, 1, 0, 0]);
        "s_orn1_saveexec_b32" | "s_orn1_saveexec_b64": |name| table(name, true, [1, 1, 0, 1]);
        "s_or_not0_saveexec_b32" | "s_or_not0_saveexec_b64": |name| table(name, true, [1, 1, 0, 1]);
        "s_andn2_saveexec_b32" | "s_andn2_saveexec_b64": |name| table(name, true, [0, 0, 1, 0]);
        "s_and_not1_saveexec_b32" | "s_and_not1_saveexec_b64": |name| table(name, true, [0, 0, 1, 0]);
        "s_orn2_saveexec_b32" | "s_orn2_saveexec_b64": |name| table(name, true, [1, 0, 1, 1]);
        "s_or_not1_saveexec_b32" | "s_or_not1_saveexec_b64": |name| table(name, true, [1, 0, 1, 1]);
        "s_andn1_wrexec_b32" | "s_andn1_wrexec_b64": |name| table(name, false, [0, 1, 0, 0]);
        "s_and_not0_wrexec_b32" | "s_and_not0_wrexec_b64": |name| table(name, false, [0, 1, 0, 0]);
        "s_andn2_wrexec_b32" | "s_andn2_wrexec_b64": |name| table(name, false, [0, 0, 1, 0]);
        "s_and_not1_wrexec_b32" | "s_and_not1_wrexec_b64": |name| table(name, false, [0, 0, 1, 0]);
    }
}
