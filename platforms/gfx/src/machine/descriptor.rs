//! Kernel descriptors ("Kernel Descriptor" in LLVM's user guide for AMDGPU, code object V3 and above).

use std::ops::{Range, RangeInclusive};

use crate::target::Target;

/// The size of a descriptor in bytes.
pub(crate) const SIZE: usize = 64;

/// What the hardware is told about a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Descriptor {
    /// LDS in bytes, without what a launch adds.
    pub(crate) lds: u32,
    /// Scratch memory of a lane, in bytes.
    pub(crate) scratch: u32,
    /// The first instruction, from the descriptor's own address.
    pub(crate) entry_offset: i64,
    resources: [u32; 3],
    properties: u16,
    preload: u16,
}

/// What the hardware puts into scalar registers, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UserScalars {
    ScratchResource,
    Packet,
    Queue,
    Arguments,
    DispatchId,
    FlatScratch,
    ScratchSize,
}

impl UserScalars {
    const ALL: [Self; 7] = [
        Self::ScratchResource,
        Self::Packet,
        Self::Queue,
        Self::Arguments,
        Self::DispatchId,
        Self::FlatScratch,
        Self::ScratchSize,
    ];

    /// Registers that it takes.
    pub(crate) fn count(self) -> u16 {
        match self {
            Self::ScratchResource => 4,
            Self::ScratchSize => 1,
            _ => 2,
        }
    }
}

/// A field whose value the machine takes for granted.
struct Assumed {
    /// 0 to 2 for COMPUTE_PGM_RSRC1 to 3.
    word: usize,
    bits: Range<u32>,
    value: u32,
    generations: RangeInclusive<u32>,
    /// What is said of other values.
    refusal: &'static str,
}

const fn assumed(
    (word, bits): (usize, Range<u32>),
    value: u32,
    generations: RangeInclusive<u32>,
    refusal: &'static str,
) -> Assumed {
    Assumed { word, bits, value, generations, refusal }
}

const ALL: RangeInclusive<u32> = 9..=12;

const ASSUMED: &[Assumed] = &[
    assumed((0, 12..16), 0, ALL, "it rounds floats in another way than to nearest"),
    assumed((0, 16..20), 15, ALL, "it flushes subnormal floats to zero"),
    assumed((0, 20..21), 0, ALL, "it runs with privileges"),
    // gfx12 has no such modes, and behaves as the older ones do with both bits set.
    assumed((0, 21..22), 1, 9..=11, "its clamp keeps NaN (DX10_CLAMP is off)"),
    assumed((0, 23..24), 1, 9..=11, "it does not quiet signalling NaN (the IEEE mode is off)"),
    assumed((0, 26..27), 0, ALL, "its f16 results do not overflow to infinity (FP16_OVFL is on)"),
    assumed((1, 24..31), 0, ALL, "it traps on float exceptions or division by zero"),
    assumed((2, 16..17), 0, 9..=9, "its workgroups are split over compute units (TG_SPLIT)"),
    assumed((2, 0..4), 0, 10..=11, "it shares vector registers between halves of a wave"),
];

impl Descriptor {
    pub(crate) fn parse(bytes: &[u8; SIZE]) -> Self {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        Self {
            lds: word(0),
            scratch: word(4),
            entry_offset: (u64::from(word(16)) | u64::from(word(20)) << 32) as i64,
            resources: [word(48), word(52), word(44)],
            properties: word(56) as u16,
            preload: (word(56) >> 16) as u16,
        }
    }

    /// Why the kernel cannot be run, if so.
    pub(crate) fn refusal(&self, target: &Target) -> Option<&'static str> {
        let wave32 = self.properties >> 10 & 1 != 0;
        if wave32 != (target.lanes == 32) {
            return Some("it was compiled for the other wavefront size");
        }
        if self.preload & 0x7f != 0 {
            return Some("it wants arguments in scalar registers, which is not supported");
        }
        let assumed = ASSUMED.iter().filter(|assumed| assumed.generations.contains(&target.generation));
        let mut violated = assumed.filter(|assumed| {
            let mask = (1_u32 << assumed.bits.len()) - 1;
            self.resources[assumed.word] >> assumed.bits.start & mask != assumed.value
        });
        violated.next().map(|assumed| assumed.refusal)
    }

    /// Vector registers and accumulators that each lane has.
    pub(crate) fn registers(&self, target: &Target) -> [u16; 2] {
        let granules = (self.resources[0] & 0x3f) as u16 + 1;
        if target.has_unified_registers() {
            let all = granules * 8;
            let vectors = ((self.resources[2] & 0x3f) as u16 + 1) * 4;
            return [vectors.min(256), all.saturating_sub(vectors).min(256)];
        }
        let vectors = (granules * if target.lanes == 32 { 8 } else { 4 }).min(256);
        [vectors, if target.has_accumulators() { vectors } else { 0 }]
    }

    /// The MODE register at the start: rounding and subnormals in bits 0 to 7.
    pub(crate) fn mode(&self) -> u32 {
        self.resources[0] >> 12 & 0xff
    }

    /// What the kernel wants in scalar registers.
    pub(crate) fn user_scalars(&self) -> impl Iterator<Item = UserScalars> {
        UserScalars::ALL
            .into_iter()
            .enumerate()
            .filter(|(bit, _)| self.properties >> bit & 1 != 0)
            .map(|(_, kind)| kind)
    }

    /// Scalar registers that precede the workgroup's index.
    pub(crate) fn user_count(&self) -> u16 {
        (self.resources[1] >> 1 & 0x1f) as u16
    }

    /// Which dimensions of the workgroup's index it wants.
    pub(crate) fn workgroup_ids(&self) -> [bool; 3] {
        [7, 8, 9].map(|bit| self.resources[1] >> bit & 1 != 0)
    }

    /// Whether it wants the offset of the wave's scratch memory, after the workgroup's index. (The word about the workgroup that can lie
    /// between them is not for compute.)
    pub(crate) fn wants_scratch_offset(&self) -> bool {
        self.resources[1] & 1 != 0
    }

    /// How many dimensions of the work-item's index it wants.
    pub(crate) fn work_item_ids(&self) -> usize {
        (self.resources[1] >> 11 & 3) as usize + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        let mut bytes = [0; SIZE];
        bytes[0..4].copy_from_slice(&1024_u32.to_le_bytes());
        bytes[16..24].copy_from_slice(&(-64_i64).to_le_bytes());
        let resources = 0xf0 << 12 | 1 << 21 | 1 << 23 | 7;
        bytes[48..52].copy_from_slice(&u32::to_le_bytes(resources));
        // Six user registers; the index in x and z; two dimensions of work-items.
        bytes[52..56].copy_from_slice(&u32::to_le_bytes(6 << 1 | 1 << 7 | 1 << 9 | 1 << 11));
        bytes[56..58].copy_from_slice(&u16::to_le_bytes(1 << 1 | 1 << 3 | 1 << 10));
        let descriptor = Descriptor::parse(&bytes);
        assert_eq!((descriptor.lds, descriptor.entry_offset), (1024, -64));
        let user: Vec<_> = descriptor.user_scalars().collect();
        assert_eq!(user, [UserScalars::Packet, UserScalars::Arguments]);
        assert_eq!((descriptor.user_count(), descriptor.workgroup_ids()), (6, [true, false, true]));
        assert_eq!(descriptor.work_item_ids(), 2);
        let target = Target::find("gfx1100").unwrap();
        assert_eq!(descriptor.registers(&target), [64, 0]);
        assert_eq!(descriptor.refusal(&target), None);
        assert!(descriptor.refusal(&Target::find("gfx906").unwrap()).is_some());
    }

    /// Each field that is taken for granted, with another value; words 1 to 3 of "compute_pgm_rsrc" in LLVM's user guide.
    #[test]
    fn other_modes_are_refused() {
        const IEEE: u32 = 1 << 23;
        const CLAMP: u32 = 1 << 21;
        const FINE: [u32; 3] = [0xf0 << 12 | IEEE | CLAMP, 0, 0];
        let refusal = |resources: [u32; 3], processor: &str| {
            let target = Target::find(processor).unwrap();
            let properties = if target.lanes == 32 { 1 << 10 } else { 0 };
            Descriptor { resources, properties, ..Descriptor::parse(&[0; SIZE]) }.refusal(&target)
        };
        for processor in ["gfx906", "gfx90a", "gfx1010", "gfx1030", "gfx1100"] {
            assert_eq!(refusal(FINE, processor), None);
            for (flipped, word) in [
                (1 << 12, "rounds"),
                (1 << 14, "rounds"),
                (1 << 16, "subnormal"),
                (1 << 19, "subnormal"),
                (1 << 20, "privileges"),
                (CLAMP, "DX10_CLAMP"),
                (IEEE, "IEEE"),
                (1 << 26, "FP16_OVFL"),
            ] {
                let why = refusal([FINE[0] ^ flipped, 0, 0], processor).unwrap();
                assert!(why.contains(word), "{processor}: {flipped:#x}: {why}");
            }
            for exception in 24..31 {
                assert!(refusal([FINE[0], 1 << exception, 0], processor).unwrap().contains("traps"));
            }
        }
        assert!(refusal([FINE[0], 0, 1 << 16], "gfx90a").unwrap().contains("TG_SPLIT"));
        assert!(refusal([FINE[0], 0, 1], "gfx1030").unwrap().contains("shares"));
        // On gfx12, the bits of the two modes mean something else.
        assert_eq!(refusal(FINE, "gfx1201"), None);
        assert_eq!(refusal([FINE[0] & !(IEEE | CLAMP), 0, 0], "gfx1201"), None);
        assert!(refusal([FINE[0] ^ 1 << 16, 0, 0], "gfx1201").unwrap().contains("subnormal"));
    }
}
