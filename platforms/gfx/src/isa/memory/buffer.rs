//! Buffer loads and stores of scratch memory (RDNA1 ISA guide, section 8.1 "Vector Memory Buffer Instructions"): the spills of processors
//! whose compilers do not use the instructions of `scratch.rs`. Buffers of other kinds are refused.

use super::access::{Space, byte, half, high, load, load_part, load_store_forms, low, store};
use super::address::{Data, Policy, expect_operands, operand, vector};
use super::scratch::Private;
use crate::assembly::{DecodeError, Decoded, File, Statement, Value};
use crate::fault::{FaultKind, Step, fail};
use crate::machine::block::Block;
use crate::machine::scratch::RESOURCE;
use crate::machine::wave::{Row, Wave};
use crate::target::Target;

load_store_forms!(FORMS, Resource, "buffer");

/// A resource in four scalar registers, which must be that of scratch memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resource {
    first: u16,
    private: Private,
}

impl Resource {
    fn check(&self, wave: &Wave) -> Step {
        for (number, word) in (self.first..).zip(RESOURCE) {
            if wave.scalar(number)? != word {
                return fail(FaultKind::Unknown, "uses a buffer that is not scratch memory");
            }
        }
        Ok(())
    }
}

impl Space for Resource {
    fn decode(statement: &mut Statement, target: &Target, _: bool) -> Decoded<(Self, usize)> {
        expect_operands(statement, 4)?;
        Policy::take(statement, target);
        let mut offset = statement.take_number("offset")?.unwrap_or(0) as u64;
        let vector = match (statement.take_flag("offen"), operand(statement, 1)?.is("off")) {
            (true, false) => Some(vector(statement, 1, 1)?),
            (false, true) => None,
            _ => return Err(DecodeError::Operand(1)),
        };
        let Some((first, 4)) = operand(statement, 2)?.registers(File::Scalar) else {
            return Err(DecodeError::Operand(2));
        };
        let scalar = match operand(statement, 3)?.value {
            Value::Integer(value) => {
                offset = offset.wrapping_add(value as u64);
                None
            }
            Value::Registers { file: File::Scalar, first, count: 1 } => Some(first),
            _ => return Err(DecodeError::Operand(3)),
        };
        Ok((Self { first, private: Private { vector, scalar, offset } }, 0))
    }

    fn load<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        block: &mut Block<'_>,
        mask: u64,
        to: &mut [Row; W],
        written: &mut [u64; W],
    ) -> Step {
        self.check(wave)?;
        self.private.load::<N, W>(wave, block, mask, to, written)
    }

    fn store<const N: usize, const W: usize>(
        &self,
        wave: &mut Wave,
        block: &mut Block<'_>,
        mask: u64,
        from: Data,
        shift: u32,
    ) -> Step {
        self.check(wave)?;
        self.private.store::<N, W>(wave, block, mask, from, shift)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::fault::FaultKind;
    use crate::isa::memory::expected::{Path, check, load_store_references};
    use crate::isa::memory::scratch::tests::PATH;
    use crate::isa::testing::{Bench, Reference};
    use crate::machine::scratch::RESOURCE;

    pub(crate) const REFERENCES: &[Reference] = load_store_references!("buffer", |name| {
        let operands = "{}, v2, s[0:3], 0 offen offset:8";
        check(name, Path { processor: "gfx1010", load: operands, store: operands, ..PATH });
    });

    #[test]
    fn only_scratch_memory() {
        let mut bench = Bench::new("gfx1010");
        bench.wave.set_scalar64(0, bench.memory());
        bench.wave.set_scalar64(2, 0);
        assert_eq!(bench.fault("buffer_load_dword v4, off, s[0:3], 0"), FaultKind::Unknown);
    }

    #[test]
    fn spills() {
        let mut bench = Bench::new("gfx1010");
        (64..).zip(RESOURCE).for_each(|(number, word)| bench.wave.set_scalar(number, word));
        bench.wave.set_scalar(8, 4);
        bench.set(4, |lane| lane as u32);
        bench.run("buffer_store_dword v4, off, s[64:67], 0 offset:12");
        bench.run("buffer_load_dword v5, off, s[64:67], s8 offset:8");
        assert_eq!(bench.get(5)[..32], bench.get(4)[..32]);
    }
}
