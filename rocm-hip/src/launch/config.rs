//! How many threads run a kernel.

use crate::{Device, HipError, Result};

/// The grid, block and dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in each dimension. If one is zero, there is nothing to do and the launch is skipped.
    pub grid: [u32; 3],
    /// Threads per block in each dimension.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
}

/// Threads per block of grid-stride loops: a multiple of both wavefront sizes, small enough for any register use.
const THREADS: u32 = 256;

impl LaunchConfig {
    /// A one-dimensional launch of `blocks` blocks of `threads` threads. With 0 blocks, the launch is skipped: it returns `Ok` and the kernel
    /// does not run.
    pub fn linear(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_bytes: 0 }
    }

    /// The largest number of blocks of `threads` threads in one launch: HIP counts the threads of a dimension in 32 bits. A power of two if
    /// `threads` is a power of two.
    pub const fn most_blocks(threads: usize) -> usize {
        (1 << 31) / threads
    }

    /// `blocks` blocks of `threads` threads, or as many as a launch can have, for a kernel that loops over the remainder.
    pub fn looping(blocks: usize, threads: u32) -> Self {
        Self::linear(blocks.min(Self::most_blocks(threads as usize)) as u32, threads)
    }

    /// The launch of a kernel with a grid-stride loop over `numel` elements of `size` bytes, on a device with this number of [compute
    /// units](Device::compute_units). The work per thread and the number of blocks were determined by measurement:
    ///
    /// - Contiguous data is fastest with 64 bytes per thread and enough blocks to cover all of it. If that leaves compute units idle, each
    ///   thread takes one 16-byte vector.
    /// - Strided loops set up their index arithmetic once per thread, so they use fewer blocks, and each thread loops.
    pub fn grid_stride(numel: usize, size: usize, contiguous: bool, compute_units: u32) -> Self {
        let per_thread = |bytes: usize| (bytes / size.max(1)).max(1);
        let blocks = |bytes: usize| numel.div_ceil(THREADS as usize * per_thread(bytes));
        let units = compute_units as usize;
        let blocks =
            if contiguous { blocks(64).max(blocks(16).min(8 * units)) } else { blocks(16).min(16 * units) };
        Self::looping(blocks, THREADS)
    }

    /// What HIP would refuse, or get wrong, said clearly.
    pub(crate) fn check(&self, device: Device) -> Result<()> {
        let wrong = |message: String| Err(HipError::InvalidArgument { op: "launch configuration", message });
        let threads = self.block.iter().fold(1u64, |threads, &n| threads.saturating_mul(n.into()));
        let most = device.max_threads_per_block();
        if threads == 0 || threads > most.into() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_grid_stride_loops() {
        let blocks = |numel, size, contiguous| LaunchConfig::grid_stride(numel, size, contiguous, 10).grid[0];
        assert_eq!(blocks(0, 4, true), 0);
        assert_eq!(blocks(1, 4, true), 1);
        // 64 bytes are 16 floats per thread, 4096 per block; at most 80 blocks more where that is less.
        assert_eq!(blocks(1 << 22, 4, true), 1 << 10);
        assert_eq!(blocks(1 << 16, 4, true), 64);
        assert_eq!(blocks(1 << 17, 4, true), 80);
        assert_eq!(blocks(1 << 22, 4, false), 160);
        assert_eq!(blocks(1 << 10, 16, false), 4);
        assert_eq!(blocks(usize::MAX, 1, true), 1 << 23, "as many as one launch can have");
        assert_eq!(blocks(100, 0, false), 1);
    }
}
