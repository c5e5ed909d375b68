//! Attention's gradients; launches `attention_backward.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::ATTENTION_BACKWARD;

use super::problem::{Copies, Problem, dense, is_readable};
use super::{Attention, Axes, MOST_BLOCKS, Mask, TILE_QUERIES, TILE_THREADS};
use crate::common::launch::KernelName;
use crate::common::map::same;
use crate::common::operand::{Operand, contiguous, invalid};
use crate::count::{elem_count, saturating};
use crate::dtype::each_16_or_32_bit_float;
use crate::elementwise::cast;
use crate::hip::{Buffer, LaunchConfig};
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "sdpa backward";

/// Keys of a block, and columns of a gradient.
const TILE_KEYS: usize = 64;
const PART_COLUMNS: usize = 128;
/// Numbers that `sdpa_statistics_*` leaves of each query.
const STATISTICS: usize = 4;

/// Computes the gradients of [`sdpa`](super::sdpa) with respect to q, k, v and the mask, as far as they are `wanted`. They are contiguous
/// and have the shapes and dtypes of the operands.
///
/// `result` is the result of the forward pass, contiguous, and `gradient` its gradient, in any layout. Weights are recomputed tile by tile,
/// as in FlashAttention-2 (Dao 2023), so there is no matrix of scores in memory. Sums are accumulated in f32, always in the same order. A
/// query that sees no key contributes a gradient of zero, or NaN if its result is NaN.
///
/// # Errors
/// As [`sdpa`](super::sdpa), and if `result` or `gradient` does not have the shape, dtype and device of the result.
#[allow(clippy::too_many_arguments, reason = "sdpa's, and three more")]
pub fn sdpa_backward(
    q: Operand<'_>,
    k: Operand<'_>,
    v: Operand<'_>,
    mask: Option<Operand<'_>>,
    attention: Attention,
    result: Operand<'_>,
    gradient: Operand<'_>,
    wanted: [bool; 4],
) -> Result<[Option<RocmStorage>; 4], RocmError> {
    let operands = Operands::new([q, k, v], mask, attention, result, gradient)?;
    let dtype = q.0.dtype();
    each_16_or_32_bit_float!(dtype, T => operands.gradients::<T>(wanted), else {
        Err(RocmError::UnsupportedDType { op: OP, dtype })
    })
}

/// What gradients are computed from.
struct Operands<'a> {
    qkv: [Operand<'a>; 3],
    mask: Option<Operand<'a>>,
    attention: Attention,
    result: Operand<'a>,
    gradient: Operand<'a>,
    copies: Copies,
    gradient_copy: Option<(RocmStorage, Layout)>,
}

impl<'a> Operands<'a> {
    fn new(
        qkv: [Operand<'a>; 3],
        mask: Option<Operand<'a>>,
        attention: Attention,
        result: Operand<'a>,
        gradient: Operand<'a>,
    ) -> Result<Self, RocmError> {
        for (other, _) in [result, gradient] {
            qkv[0].0.device.check_same(&other.device, OP)?;
        }
        // Contiguous but for zeros up to a multiple of 8 columns.
        let gradient_copy = match gradient.1.is_contiguous() && is_readable(gradient) {
            true => None,
            false => Some(dense(gradient)?),
        };
        Ok(Self {
            qkv,
            mask,
            attention,
            result,
            gradient,
            copies: Copies::new(qkv, mask.map(Mask::Added))?,
            gradient_copy,
        })
    }

    fn gradients<T: RocmDType>(&self, wanted: [bool; 4]) -> Result<[Option<RocmStorage>; 4], RocmError> {
        let device = &self.qkv[0].0.device;
        let backward = self.backward::<T>()?;
        let buffer = |i: usize, needed: bool| {
            let len = if needed { elem_count(OP, self.qkv[i].1.dims())? } else { 0 };
            if backward.is_some() { device.alloc::<T>(len) } else { device.alloc_zeros(len) }
        };
        let keys = wanted[1] || wanted[2];
        let (mut dq, mut dk, mut dv) = (buffer(0, wanted[0])?, buffer(1, keys)?, buffer(2, keys)?);
        if let Some(backward) = &backward {
            if wanted[0] {
                backward.query_gradient(&mut dq)?;
            }
            if keys {
                backward.key_gradients(&mut dk, &mut dv)?;
            }
        }
        let dmask = match self.mask {
            Some(mask) if wanted[3] => Some(mask_gradient(backward.as_ref(), mask)?),
            _ => None,
        };
        let storage = |slice| RocmStorage::new(slice, device.clone());
        let [q, k, v] =
            [(0, dq), (1, dk), (2, dv)].map(|(i, buffer)| wanted[i].then(|| storage(T::wrap(buffer))));
        Ok([q, k, v, dmask.map(storage)])
    }

    /// `None` if the result does not depend on anything.
    fn backward<T: RocmDType>(&self) -> Result<Option<Backward<'_, T>>, RocmError> {
        let mask = self.mask.map(Mask::Added);
        let problem = Problem::<T>::new(self.qkv, mask, &self.copies, self.attention, Axes::Bhtd)?;
        let sizes = problem.sizes;
        let dims = [sizes.batch, sizes.heads, sizes.t, sizes.d_v];
        for (_, layout) in [self.result, self.gradient] {
            if layout.dims() != dims {
                let rhs = layout.dims().to_vec();
                return Err(RocmError::ShapeMismatch { op: OP, lhs: dims.to_vec(), rhs });
            }
        }
        let result = contiguous::<T>(OP, "a result", self.result.0, self.result.1)?;
        let (gradient, layout) = match &self.gradient_copy {
            Some((storage, layout)) => (storage, layout),
            None => self.gradient,
        };
        let gradient = (same::<T>(OP, gradient.slice()?)?, layout.start_offset());
        if dims.contains(&0) || sizes.s == 0 {
            return Ok(None);
        }
        let device = &self.qkv[0].0.device;
        Backward::new(device, problem, (result, self.result.1.start_offset()), gradient).map(Some)
    }
}

/// Summed in f32, then rounded to the mask's dtype.
fn mask_gradient<T: RocmDType>(
    backward: Option<&Backward<'_, T>>,
    (mask, layout): Operand<'_>,
) -> Result<RocmStorageSlice, RocmError> {
    let len = elem_count(OP, layout.dims())?;
    let sum = f32::wrap(match backward {
        Some(backward) => backward.mask_gradient(len)?,
        None => mask.device.alloc_zeros(len)?,
    });
    match mask.dtype() {
        DType::F32 => Ok(sum),
        dtype => cast::cast(&mask.device, &sum, &Layout::contiguous(layout.shape()), dtype),
    }
}

struct Backward<'a, T: RocmDType> {
    device: &'a RocmDevice,
    problem: Problem<'a, T>,
    /// From an element on.
    gradient: (&'a Buffer<T>, usize),
    statistics: Buffer<f32>,
}

impl<'a, T: RocmDType> Backward<'a, T> {
    fn new(
        device: &'a RocmDevice,
        problem: Problem<'a, T>,
        (result, offset): (&Buffer<T>, usize),
        gradient: (&'a Buffer<T>, usize),
    ) -> Result<Self, RocmError> {
        let queries = problem.sizes.batch * problem.sizes.heads * problem.sizes.t;
        let statistics = device.alloc::<f32>(elem_count(OP, &[queries, STATISTICS])?)?;
        let this = Self { device, problem, gradient, statistics };
        this.run(
            "sdpa_statistics",
            [this.query_blocks(), 1],
            |launch| _ = launch.buffer(result, offset),
            |_| {},
        )?;
        Ok(this)
    }

    fn query_gradient(&self, dq: &mut Buffer<T>) -> Result<(), RocmError> {
        let blocks = [self.query_blocks(), self.problem.sizes.d.div_ceil(PART_COLUMNS)];
        self.run("sdpa_dq", blocks, |launch| _ = launch.buffer_mut(dq, 0), |_| {})
    }

    fn key_gradients(&self, dk: &mut Buffer<T>, dv: &mut Buffer<T>) -> Result<(), RocmError> {
        let sizes = self.problem.sizes;
        let blocks = sizes.batch * sizes.kv_heads * sizes.s.div_ceil(TILE_KEYS);
        let parts = sizes.columns().div_ceil(PART_COLUMNS);
        self.run(
            "sdpa_dkv",
            [blocks, parts],
            |launch| _ = launch.buffer_mut(dk, 0),
            |launch| _ = launch.buffer_mut(dv, 0),
        )
    }

    fn mask_gradient(&self, len: usize) -> Result<Buffer<f32>, RocmError> {
        let sizes = self.problem.sizes;
        let mut sum = self.device.alloc::<f32>(len)?;
        let scores = [sizes.batch, sizes.heads, sizes.t.div_ceil(TILE_QUERIES), sizes.s.div_ceil(TILE_KEYS)];
        let repeats = self.problem.mask_repeats();
        let parts: [usize; 4] = std::array::from_fn(|i| if repeats[i] { 1 } else { scores[i] });
        let blocks = saturating(&parts);
        self.run(
            "sdpa_dmask",
            [blocks, 1],
            |launch| _ = launch.null(),
            |launch| _ = launch.buffer_mut(&mut sum, 0).arg(&(sizes.batch as u32)),
        )?;
        Ok(sum)
    }

    fn query_blocks(&self) -> usize {
        let sizes = self.problem.sizes;
        sizes.batch * sizes.kv_heads * sizes.rows().div_ceil(TILE_QUERIES)
    }

    /// A kernel on that many blocks and parts of columns. `out` adds the argument among the problem's, `more` those behind.
    fn run(
        &self,
        kernel: &str,
        [blocks, parts]: [usize; 2],
        mut out: impl FnMut(&mut Launch<'_>),
        mut more: impl FnMut(&mut Launch<'_>),
    ) -> Result<(), RocmError> {
        if blocks > u32::MAX as usize {
            return invalid(
                OP,
                format!("the gradient needs {blocks} blocks; a grid has at most {}", u32::MAX),
            );
        }
        let name = KernelName::new(format_args!("{kernel}_{}", T::KERNEL_DTYPE));
        for first in (0..blocks).step_by(MOST_BLOCKS) {
            let mut launch = self.device.launch(&ATTENTION_BACKWARD, name.as_str());
            self.problem.arguments(&mut launch, 0, &mut out)?;
            launch.buffer(self.gradient.0, self.gradient.1).buffer(&self.statistics, 0).arg(&(first as u32));
            more(&mut launch);
            let grid = [MOST_BLOCKS.min(blocks - first) as u32, parts as u32, 1];
            let config = LaunchConfig { grid, block: [TILE_THREADS as u32, 1, 1], shared_bytes: 0 };
            // SAFETY: sdpa_statistics_*, dq, dkv and dmask_*(q, k, v, mask, fill, out, six sizes, thirteen strides, scale, cap, flags,
            // gradient, statistics, first, ..): sizes and strides are those of layouts that were checked against their buffers,
            // there are numbers of each query, and `out` and what is behind have all elements of what is written.
            unsafe { launch.run(config) }?;
        }
        Ok(())
    }
}
