//! The processor whose code is executed.

use rocm_kernels::Processor;

/// A processor, and what the meaning of its instructions depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) processor: &'static Processor,
    /// 9 to 12.
    pub(crate) generation: u32,
    /// Lanes of a wavefront.
    pub(crate) lanes: usize,
}

impl Target {
    /// The target of that name, e.g. `gfx1100`.
    pub(crate) fn find(name: &str) -> Option<Self> {
        let processor = Processor::find(name)?;
        let digits = name.strip_prefix("gfx")?;
        let generation = match digits.len() {
            3 => digits[..1].parse().ok()?,
            4 => digits[..2].parse().ok()?,
            _ => return None,
        };
        Some(Self { processor, generation, lanes: processor.wavefront as usize })
    }

    /// Whether it has accumulator registers and matrix instructions of the MFMA kind: gfx908 and newer of gfx9.
    pub(crate) fn has_accumulators(&self) -> bool {
        matches!(self.processor.name, "gfx908" | "gfx90a" | "gfx942" | "gfx950")
    }

    /// gfx90a and newer of gfx9: one file for vector registers and accumulators, work-item ids in one register.
    pub(crate) fn has_unified_registers(&self) -> bool {
        matches!(self.processor.name, "gfx90a" | "gfx942" | "gfx950")
    }
}
