//! The first of the indices that sort rows, and their elements; launches `top_k.hip`.

use candle_core::Layout;
use rocm_kernels::TOP_K;

use super::sort::ArgSort;
use crate::common::launch::KernelName;
use crate::common::map::same;
use crate::common::operand::SliceOperand;
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::hip::{Buffer, LaunchConfig};
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "top-k";
/// The longest row for a wavefront, and how many of its elements are found one after the other.
const SHORT: usize = 256;
const SHORT_MOST: usize = 16;
/// Elements of a lane, and threads of a block.
const SHORT_HELD: usize = 8;
const SHORT_THREADS: u32 = 64;
/// Threads of a block for a row, or for a part of one: each counts for one of the elements that are found.
const THREADS: u32 = 256;
const MOST: usize = THREADS as usize;
/// Elements of which a block finds the first ones.
const TILE: usize = THREADS as usize * 16;
/// The shortest part of a row.
const PART: usize = 1024;
/// Rows of a grid at most.
const ROWS: usize = 1 << 15;

/// The first `k` elements of each row, as [`ArgSort`] orders them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TopK {
    pub(crate) ascending: bool,
    /// Elements of a row.
    pub(crate) last_dim: usize,
    pub(crate) k: usize,
}

/// Indices, and the elements if these were wanted.
type Indexed = (Buffer<u32>, Option<RocmStorageSlice>);

/// How they are found.
enum Kernels {
    /// Each row by so many lanes of a wavefront.
    Short { lanes: usize },
    /// Each row by a block.
    Rows,
    /// Each row by a block for each part of so many elements, and one for what these have found.
    Parts { part: usize },
}

impl RocmStorage {
    /// The first `k` indices of each row of [`RocmStorage::argsort`], and their elements. `None` if so many of such rows are better
    /// sorted: more than 16 of rows of up to 256 elements, or more than 256, or more than 4096 in all parts of longer rows.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] if the elements do not make rows of `last_dim`, or `layout` is not contiguous.
    pub fn top_k(
        &self,
        layout: &Layout,
        ascending: bool,
        last_dim: usize,
        k: usize,
    ) -> Result<Option<(Self, Self)>, RocmError> {
        let found = TopK { ascending, last_dim, k }.run(&self.device, (self.slice()?, layout), true)?;
        Ok(found.and_then(|(indices, elements)| {
            Some((self.with(RocmStorageSlice::U32(indices)), self.with(elements?)))
        }))
    }
}

impl TopK {
    pub(crate) fn new(ArgSort { ascending, last_dim }: ArgSort, k: usize) -> Self {
        Self { ascending, last_dim, k }
    }

    /// Whether there are kernels for it, which are faster than to sort.
    pub(crate) fn has_kernels(&self) -> bool {
        self.kernels().is_some()
    }

    fn kernels(&self) -> Option<Kernels> {
        let Self { last_dim, k, .. } = *self;
        match () {
            () if k == 0 || k >= last_dim || k > MOST || last_dim >= 1 << 31 => None,
            () if last_dim <= SHORT => (k <= SHORT_MOST)
                .then(|| Kernels::Short { lanes: last_dim.div_ceil(SHORT_HELD).next_power_of_two() }),
            () if last_dim <= TILE => Some(Kernels::Rows),
            () => {
                // The shortest parts whose candidates a block takes.
                let part = last_dim.div_ceil(TILE / k).max(PART);
                (part <= TILE).then_some(Kernels::Parts { part })
            }
        }
    }

    /// The indices, and the elements if these are `wanted`. `None` if there are no kernels for it.
    ///
    /// # Errors
    /// Those of [`RocmStorage::top_k`].
    pub(crate) fn run(
        &self,
        device: &RocmDevice,
        (src, layout): SliceOperand<'_>,
        wanted: bool,
    ) -> Result<Option<Indexed>, RocmError> {
        check_bounds(OP, layout, src.len())?;
        let numel = elem_count(OP, layout.dims())?;
        let Some(kernels) = self.kernels() else { return Ok(None) };
        if !layout.is_contiguous() || !numel.is_multiple_of(self.last_dim) {
            return Err(RocmError::InvalidArgument {
                op: OP,
                message: format!("{layout:?} is not made of contiguous rows of {}", self.last_dim),
            });
        }
        let rows = numel / self.last_dim;
        each_dtype!(src.dtype(), T => {
            let mut found = Found {
                indices: device.alloc(rows * self.k)?,
                elements: if wanted { Some(device.alloc::<T>(rows * self.k)?) } else { None },
            };
            let src = (same::<T>(OP, src)?, layout.start_offset());
            if rows > 0 {
                self.launch(device, src, rows, &kernels, &mut found)?;
            }
            Ok(Some((found.indices, found.elements.map(T::wrap))))
        }, else Err(RocmError::UnsupportedDType { op: OP, dtype: src.dtype() }))
    }

    fn launch<T: RocmDType>(
        &self,
        device: &RocmDevice,
        (src, offset): (&Buffer<T>, usize),
        rows: usize,
        kernels: &Kernels,
        found: &mut Found<T>,
    ) -> Result<(), RocmError> {
        let (columns, k, descending) = (self.last_dim as u32, self.k as u32, u32::from(!self.ascending));
        let dtype = T::KERNEL_DTYPE;
        if let Kernels::Short { lanes } = *kernels {
            let name = KernelName::new(format_args!("top_k_short_{dtype}"));
            let mut launch = device.launch(&TOP_K, name.as_str());
            launch.buffer(src, offset).buffer_mut(&mut found.indices, 0);
            match &mut found.elements {
                Some(elements) => launch.buffer_mut(elements, 0),
                None => launch.null(),
            };
            launch.arg(&rows).arg(&columns).arg(&lanes.ilog2()).arg(&k).arg(&descending);
            let blocks = rows.div_ceil(SHORT_THREADS as usize / lanes);
            // SAFETY: top_k_short_*(x, dst, values, rows, columns, lanes_log2, k, descending): x has `rows` rows of `columns`, the others
            // as many of k, or values is null, and the lanes of a row hold its elements.
            return unsafe { launch.run(LaunchConfig::looping(blocks, SHORT_THREADS)) };
        }
        let candidates = match *kernels {
            Kernels::Parts { part } => {
                let parts = self.last_dim.div_ceil(part);
                let count = parts * self.k;
                let (mut keys, mut indices) =
                    (device.alloc::<T>(rows * count)?, device.alloc::<u32>(rows * count)?);
                let name = KernelName::new(format_args!("top_k_parts_{dtype}"));
                let mut launch = device.launch(&TOP_K, name.as_str());
                launch.buffer(src, offset).buffer_mut(&mut keys, 0).buffer_mut(&mut indices, 0);
                launch.arg(&rows).arg(&columns).arg(&(part as u32)).arg(&k).arg(&descending);
                let grid = [parts as u32, rows.min(ROWS) as u32, 1];
                // SAFETY: top_k_parts_*(x, keys, indices, rows, columns, part, k, descending): a block for each part of a row, and room
                // for k candidates of each. Keys have the size of elements.
                unsafe { launch.run(LaunchConfig { grid, block: [THREADS, 1, 1], shared_bytes: 0 }) }?;
                Some((keys, indices, count))
            }
            _ => None,
        };
        let name = KernelName::new(format_args!("top_k_rows_{dtype}"));
        let mut launch = device.launch(&TOP_K, name.as_str());
        launch.buffer(src, offset);
        match &candidates {
            Some((keys, indices, _)) => launch.buffer(keys, 0).buffer(indices, 0),
            None => launch.null().null(),
        };
        launch.buffer_mut(&mut found.indices, 0);
        match &mut found.elements {
            Some(elements) => launch.buffer_mut(elements, 0),
            None => launch.null(),
        };
        let count = candidates.as_ref().map_or(columns, |(_, _, count)| *count as u32);
        launch.arg(&rows).arg(&columns).arg(&count).arg(&k).arg(&descending);
        // SAFETY: top_k_rows_*(x, keys, indices, dst, values, rows, columns, count, k, descending): x has `rows` rows of `columns`, keys
        // and indices as many of `count`, and the results as many of k, or they are null; k <= THREADS, k <= count <= TILE.
        unsafe { launch.run(LaunchConfig::looping(rows, THREADS)) }
    }
}

/// Where what is found goes.
struct Found<T: RocmDType> {
    indices: Buffer<u32>,
    elements: Option<Buffer<T>>,
}
