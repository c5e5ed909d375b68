//! Products with one to eight vectors as fast as the weights can be read; launches `quantized_stream.hip` and its like ([`super::modules`]).

use candle_core::DType;
use candle_core::quantized::GgmlDType as G;
use rocm_kernels::QUANTIZED_STREAM;

use super::BlockType;
use super::blocks::Product;
use crate::common::launch::KernelName;
use crate::count::saturating;
use crate::error::Result;
use crate::hip::{DevicePtr, LaunchConfig};
use crate::{RocmDevice, RocmStorageSlice};

/// Values of a unit, and bytes of one: 64 of q, and scale and sum of each half.
const UNIT: usize = 64;
const UNIT_BYTES: usize = 80;
/// Bytes of a grid's vector, which each block has in shared memory that the launch does not ask for.
const GRID_BYTES: usize = 2;
/// Threads that share rows.
const TEAM: usize = 32;
/// Threads of a block at most: with one vector, with several.
const MOST_THREADS: [usize; 2] = [512, 256];
/// Rows that a compute unit has at a time. It has the registers for twice as many teams with a row each as with two.
const RESIDENT_ROWS: usize = 32;

/// Vectors of a launch.
const MOST_AT_ONCE: usize = 8;

/// How a matrix is multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StreamConfig {
    /// Vectors that a launch has room for: 1, 4 or 8.
    room: usize,
    threads: usize,
    shared_bytes: usize,
}

impl StreamConfig {
    /// With room for so many vectors, or for fewer, if that many do not fit in shared memory, in blocks of about so many threads;
    /// None: not even one does, or rows are no whole units.
    pub(crate) fn new(
        device: &RocmDevice,
        kind: BlockType,
        (rows, columns): (usize, usize),
        vectors: usize,
        threads: Option<usize>,
    ) -> Option<Self> {
        if !columns.is_multiple_of(UNIT) {
            return None;
        }
        let shared = device.shared_memory_per_block().saturating_sub(kind.grid() * GRID_BYTES);
        // A stage takes a unit for each thread of a team, from an address that need not be a multiple of 16 bytes.
        let stage = ((TEAM * UNIT / kind.block_size() * kind.type_size() + 30) / 16 + 1) * 16;
        // Few rows are spread over all compute units.
        let units = (device.hip_device().compute_units() as usize).max(1);
        let by_rule = (rows.div_ceil(units).next_power_of_two() * TEAM).clamp(4 * TEAM, MOST_THREADS[0]);
        let wanted = threads.unwrap_or(by_rule);
        let rooms = match vectors {
            1 => &[1][..],
            2..=4 => &[4, 1],
            _ => &[8, 4, 1],
        };
        rooms.iter().find_map(|&room| {
            let bytes = |threads: usize| room * (columns / UNIT) * UNIT_BYTES + threads / TEAM * stage;
            let wanted = wanted.min(most_threads(room));
            let threads = (0..3)
                .map(|half| wanted >> half)
                .find(|&threads| threads >= 64 && bytes(threads) <= shared)?;
            Some(Self { room, threads, shared_bytes: bytes(threads) })
        })
    }

    /// For so many rows, of which a team has one or two at a time.
    pub(crate) fn config(&self, device: &RocmDevice, rows: usize, rows_of_team: usize) -> LaunchConfig {
        // Blocks stay and go round, because each of them has to get its vectors first. All are resident at once.
        let teams = rows.div_ceil(rows_of_team);
        let resident = (RESIDENT_ROWS / rows_of_team * TEAM / self.threads).max(1);
        let most = resident * device.hip_device().compute_units().max(1) as usize;
        LaunchConfig {
            grid: [teams.div_ceil(self.threads / TEAM).min(most) as u32, 1, 1],
            block: [self.threads as u32, 1, 1],
            shared_bytes: self.shared_bytes as u32,
        }
    }
}

fn most_threads(room: usize) -> usize {
    MOST_THREADS[usize::from(room > 1)]
}

/// Whether a matrix of such rows can be multiplied.
pub(super) fn serves(device: &RocmDevice, kind: BlockType, rows: usize, columns: usize) -> bool {
    StreamConfig::new(device, kind, (rows, columns), 1, None).is_some()
}

/// Whether blocks of exactly so many threads are possible.
pub(super) fn serves_by(
    device: &RocmDevice,
    kind: BlockType,
    shape: (usize, usize),
    vectors: usize,
    threads: usize,
) -> bool {
    let plan = StreamConfig::new(device, kind, shape, vectors.min(MOST_AT_ONCE), Some(threads));
    plan.is_some_and(|plan| plan.threads == threads)
}

/// How kernels call the dtype of vectors and results.
pub(crate) fn kind(dtype: DType) -> u32 {
    match dtype {
        DType::F16 => 1,
        DType::BF16 => 2,
        _ => 0,
    }
}

impl Product<'_> {
    /// The products with vectors at `x`, contiguous and of that dtype, which is the result's, too, in blocks of so many threads, or
    /// of as many as the rule says. None: see [`serves`].
    pub(super) fn streamed(
        &self,
        x: DevicePtr,
        dtype: DType,
        vectors: usize,
        threads: Option<usize>,
    ) -> Result<Option<RocmStorageSlice>> {
        let plan =
            |vectors| StreamConfig::new(self.device, self.kind, (self.rows, self.columns), vectors, threads);
        let Some(all) = plan(vectors) else { return Ok(None) };
        let out = RocmStorageSlice::uninit(self.device, vectors * self.rows, dtype)?;
        let mut first = 0;
        for left in (1..=vectors.div_ceil(all.room)).rev() {
            // As even as possible: 9 vectors are 5 and 4.
            let part = (vectors - first).div_ceil(left);
            let plan = plan(part).unwrap_or(all);
            let from = x.byte_add(first * self.columns * dtype.size_in_bytes());
            let to = out.address().byte_add(first * self.rows * dtype.size_in_bytes());
            self.stream(plan, from, to, dtype, part)?;
            first += part;
        }
        Ok(Some(out))
    }

    fn stream(
        &self,
        plan: StreamConfig,
        x: DevicePtr,
        out: DevicePtr,
        dtype: DType,
        vectors: usize,
    ) -> Result<()> {
        let kind = kind(dtype);
        let units = match plan.room {
            1 => None,
            _ => Some(self.units(x, kind, vectors)?),
        };
        let name = KernelName::new(format_args!("stream_{}_{}", self.name, plan.room));
        let mut launch = self.device.launch(self.kind.modules().stream, name.as_str());
        launch.buffer(self.blocks, 0).pointer(units.as_ref().map_or(x, |units| units.as_ptr())).arg(&kind);
        launch
            .pointer(out)
            .arg(&kind)
            .arg(&(self.columns as u32))
            .arg(&(self.rows as u32))
            .arg(&(vectors as u32));
        // SAFETY: stream_*(blocks, x, its kind, out, its kind, columns, rows, vectors): the blocks are rows x columns
        // weights, x has that many vectors, in units if there is room for several, and out as many results; shared memory
        // is what the plan says.
        unsafe { launch.run(plan.config(self.device, self.rows, if plan.room == 1 { 1 } else { 2 })) }
    }

    fn units(&self, x: DevicePtr, kind: u32, vectors: usize) -> Result<crate::hip::Buffer<u8>> {
        const THREADS: usize = 256;
        let mut out = self.device.alloc::<u8>(saturating(&[vectors, self.columns / UNIT, UNIT_BYTES]))?;
        // Types whose offsets are those of 16 weights want sums of 16 values.
        let sixteens = u32::from(matches!(self.kind, BlockType::Candle(G::Q2K | G::Q3K | G::Q6K)));
        let mut launch = self.device.launch(&QUANTIZED_STREAM, "quantize_units");
        launch.pointer(x).arg(&kind).buffer_mut(&mut out, 0);
        launch.arg(&(self.columns as u32)).arg(&(vectors as u32)).arg(&sixteens);
        let config = LaunchConfig {
            grid: [self.columns.div_ceil(8 * THREADS) as u32, vectors as u32, 1],
            block: [THREADS as u32, 1, 1],
            shared_bytes: 0,
        };
        // SAFETY: quantize_units(x, its kind, out, columns, rows, whether sums are of 16): x and out have that many rows.
        unsafe { launch.run(config) }?;
        Ok(out)
    }
}
