//! The tiles of a mixture of experts; launches `expert_tiles.hip`.

use rocm_kernels::EXPERT_TILES;

use crate::hip::{Buffer, LaunchConfig};
use crate::{RocmDevice, RocmError};

/// Threads of the block that makes the tiles: one for each expert, and one for rows of none.
const THREADS: usize = 1024;
/// Words of a tile: its expert, and where its rows begin and how many they are.
const WORDS: usize = 3;

/// Rows by expert, and tiles of rows of one expert. The device makes them, so that nobody waits for who is chosen.
pub(crate) struct ExpertTiles {
    pub(crate) order: Buffer<u32>,
    pub(crate) tiles: Buffer<u32>,
    /// Tiles at most: the rest of them are empty.
    pub(crate) count: usize,
}

impl ExpertTiles {
    /// Experts at most.
    pub(crate) const MOST: usize = THREADS - 1;

    /// Of `count` entries, below 2^31, of one of `expert_count` experts each, in tiles of up to `height`. Entry i names row i, or
    /// `rows[i]`. Both lists come with their offset.
    pub(crate) fn new(
        device: &RocmDevice,
        (experts, experts_offset): (&Buffer<u32>, usize),
        rows: Option<(&Buffer<u32>, usize)>,
        (count, expert_count): (usize, usize),
        height: usize,
    ) -> Result<Self, RocmError> {
        let most = count / height + count.min(expert_count + 1);
        let mut order = device.alloc::<u32>(count)?;
        let mut tiles = device.alloc::<u32>(most * WORDS)?;
        let mut launch = device.launch(&EXPERT_TILES, "expert_tiles");
        launch.buffer(experts, experts_offset);
        match rows {
            Some((rows, offset)) => launch.buffer(rows, offset),
            None => launch.null(),
        };
        launch.buffer_mut(&mut order, 0).buffer_mut(&mut tiles, 0);
        for size in [count, expert_count, height, most] {
            launch.arg(&(size as u32));
        }
        let config = LaunchConfig { grid: [1; 3], block: [THREADS as u32, 1, 1], shared_bytes: 0 };
        // SAFETY: expert_tiles(experts, rows, order, tiles, count, expert_count, height, tile_count): the lists and order have `count`
        // elements, tiles has room for `most`, and no more are needed: whole ones, and one for each expert and for none.
        unsafe { launch.run(config) }?;
        Ok(Self { order, tiles, count: most })
    }
}
