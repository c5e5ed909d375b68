//! How many threads run a kernel.

use super::Device;
use crate::count::saturating;
use crate::error::{Result, RocmError};

/// Grid, block and dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks per dimension. A zero means that there is nothing to do: the launch is skipped.
    pub grid: [u32; 3],
    /// Threads per block and dimension.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
}

/// Threads per block of elementwise kernels: a multiple of both wavefront sizes, small enough for any register use.
const ELEMENTWISE_BLOCK: u32 = 256;

impl LaunchConfig {
    /// `blocks` blocks of `threads` threads, in one dimension.
    pub fn linear(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_bytes: 0 }
    }

    /// Blocks of `threads` threads that one launch can have: HIP counts a dimension's threads in 32 bits. A power of two, if
    /// `threads` is one.
    pub const fn most_blocks(threads: usize) -> usize {
        (1 << 31) / threads
    }

    /// `blocks` blocks of `threads` threads for a kernel that loops over what is left, where one launch cannot have as many.
    pub fn looping(blocks: usize, threads: u32) -> Self {
        Self::linear(blocks.min(Self::most_blocks(threads as usize)) as u32, threads)
    }

    /// For kernels with a grid-stride loop over `numel` elements of which a thread takes `per_thread` at a time: as many
    /// blocks as there is work for, at most what keeps `compute_units` busy.
    pub fn elementwise(numel: usize, per_thread: usize, compute_units: u32) -> Self {
        let per_block = ELEMENTWISE_BLOCK as usize * per_thread.max(1);
        let wanted = numel.div_ceil(per_block);
        // 32 blocks of 256 threads fill a compute unit's 2048 to 2560 thread slots several times over, which evens out
        // the last wave of blocks.
        let most = 32 * compute_units.max(1) as usize;
        Self::linear(wanted.min(most) as u32, ELEMENTWISE_BLOCK)
    }

    /// What HIP would refuse, or get wrong, said clearly.
    pub(crate) fn check(&self, device: Device) -> Result<()> {
        let wrong = |message: String| Err(RocmError::InvalidArgument { op: "launch configuration", message });
        let threads = saturating(&self.block.map(|n| n as usize));
        let most = device.max_threads_per_block();
        if threads == 0 || threads > most as usize {
            return wrong(format!("{threads} threads per block; {device} runs 1 to {most}"));
        }
        for (axis, (grid, block)) in self.grid.iter().zip(self.block).enumerate() {
            // AMD's packets count threads, not blocks, in 32 bits.
            if u64::from(*grid) * u64::from(block) > u64::from(u32::MAX) {
                return wrong(format!(
                    "{grid} blocks of {block} threads in dimension {axis} are more than 2^32 threads"
                ));
            }
        }
        Ok(())
    }
}
