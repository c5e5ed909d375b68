//! Kernel descriptors ("Kernel Descriptor" in LLVM's user guide for AMDGPU, code object V3 and above).

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
        // Rounding to nearest, and no flushing of subnormals.
        if self.resources[0] >> 12 & 0xff != 0xf0 {
            return Some("it wants another float mode than rounding to nearest with subnormals");
        }
        None
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
        let resources = 0xf0 << 12 | 7;
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
}
