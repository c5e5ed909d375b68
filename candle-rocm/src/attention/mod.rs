//! Attention as one operation; launches `attention.hip`, `attention_f8.hip`, `attention_step.hip` and `attention_matrix.hip`.

mod backward;
pub(crate) mod candidates;
mod kernel;
mod problem;

use candle_core::{DType, Layout};

use crate::common::arrivals::Arrivals;
use crate::common::operand::{Operand, invalid};
use crate::common::operation::{Described, Op, operands};
use crate::count::{elem_count, product};
use crate::dtype::{DTypeExt, each_16_or_32_bit_float};
use crate::hip::LaunchConfig;
use crate::storage_slice::has_elements;
use crate::tuning::Tuner;
use crate::{F8E4M3, Launch, RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};
pub use backward::sdpa_backward;
use kernel::SdpaKernel;
pub use problem::Mask;
use problem::{Copies, Problem, Sizes, broadcast_strides, is_readable};

const OP: &str = "sdpa";

/// Threads of a block for many queries at most, and how many queries.
const TILE_THREADS: usize = 256;
const TILE_QUERIES: usize = 64;
/// Threads of a block for few queries.
const FEW_THREADS: usize = 256;
/// Queries that share keys, up to which reading the keys is what takes the time.
const FEW_QUERIES: usize = 16;
/// Columns that the lanes of a key have between them.
const FEW_COLUMNS: usize = 256;
/// Columns that a lane has of both halves of a row that it rotates.
const BOTH_HALVES: usize = 16;

/// Blocks of a launch.
const MOST_BLOCKS: usize = LaunchConfig::most_blocks(TILE_THREADS);

/// The parameters of attention.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attention {
    /// The factor by which the products of queries and keys are multiplied.
    pub scale: f32,
    /// If set, scores become `tanh(score / softcapping) * softcapping`. Any value is accepted.
    pub softcapping: Option<f32>,
    /// Whether attention is causal: the last query sees all keys, the one before it one fewer, and so on.
    pub causal: bool,
    /// The result for a query that sees no key.
    pub fully_masked: FullyMasked,
}

/// The result for a query that sees no key, because all of its scores are -infinity. If there are no keys at all, it is zeros in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FullyMasked {
    /// Zeros, as most models expect.
    #[default]
    Zeros,
    /// NaN, which is the softmax of such scores.
    Nan,
}

impl Attention {
    /// [`Op::result`] where keys and values may also be in F8E4M3, if [a kernel](sdpa_of_f8) reads them so.
    pub(crate) fn result_in_place<'a>(
        &self,
        device: &RocmDevice,
        operands: Attended<Described<'a>>,
    ) -> Option<(usize, DType)> {
        let Attended { q, k, v, mask } = operands;
        let widened = |of: Described<'a>| match is_for_f8([q, k, v].map(|of| of.layout), [k.dtype, v.dtype]) {
            true => Described { dtype: q.dtype, ..of },
            false => of,
        };
        self.result(device, Attended { q, k: widened(k), v: widened(v), mask })
    }
}

operands! {
    /// Those of [`sdpa`].
    Attended { q, k, v; mask }
}

impl Op for Attention {
    type Operands<T> = Attended<T>;

    fn name(&self) -> &'static str {
        OP
    }

    fn key(&self, words: &mut Vec<u64>) {
        // A cap is a number.
        let cap = self.softcapping.unwrap_or(f32::NAN);
        words.extend([self.scale, cap].map(|number| u64::from(number.to_bits())));
        words.extend([u64::from(self.causal), self.fully_masked as u64]);
    }

    fn result(&self, _: &RocmDevice, operands: Attended<Described<'_>>) -> Option<(usize, DType)> {
        let Attended { q, k, v, mask } = operands;
        let sizes = Sizes::of([q, k, v].map(|of| of.layout)).ok()?;
        let scores = [sizes.batch, sizes.heads, sizes.t, sizes.s];
        let masks =
            mask.is_none_or(|of| has_elements(of.dtype) && broadcast_strides(of.layout, scores).is_some());
        let fits = q.dtype.is_16_or_32_bit_float()
            && [k.dtype, v.dtype] == [q.dtype; 2]
            && masks
            // Whatever the kernel, it has a query in each block at least.
            && product(&[sizes.heads, sizes.t])? <= MOST_BLOCKS;
        Some((product(&[sizes.batch, sizes.heads, sizes.t, sizes.d_v])?, q.dtype)).filter(|_| fits)
    }

    fn run(&self, _: &RocmDevice, operands: Attended<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        let Attended { q, k, v, mask } = operands;
        Ok(sdpa(q, k, v, mask, *self)?.into_slice()?)
    }
}

/// Scaled dot-product attention, `softmax(q k^T * scale + mask) v`. From q `[batch, heads, t, d]`, k `[batch, kv_heads, s, d]` and v
/// `[batch, kv_heads, s, d_v]`, computes `[batch, heads, t, d_v]`. Operands are f32, f16 or bf16.
///
/// One kernel computes it without storing the matrix of scores. Softmax is computed online (Milakov and Gimelshein 2018), tile by tile as
/// in FlashAttention (Dao et al. 2022). For few queries, keys are split over blocks as in Flash-Decoding (Dao et al. 2023). Scores and sums
/// are f32. On [matrix cores](RocmDevice::set_matrix_cores), f16 and bf16 weights are rounded before they are multiplied by v.
///
/// `heads` must be a multiple of `kv_heads`; adjacent heads share keys (Ainslie et al. 2023). The mask, in any of these dtypes, is added in
/// f32 to the scores, `[batch, heads, t, s]`. Dimensions that it lacks, or whose size is 1, are broadcast. [`FullyMasked`] determines the
/// result for a query that sees no key.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] for other dtypes; otherwise if shapes, dtypes or devices do not match, or a dimension exceeds
/// `i32::MAX`.
pub fn sdpa(
    q: (&RocmStorage, &Layout),
    k: (&RocmStorage, &Layout),
    v: (&RocmStorage, &Layout),
    mask: Option<(&RocmStorage, &Layout)>,
    attention: Attention,
) -> Result<RocmStorage, RocmError> {
    sdpa_with([q, k, v], mask.map(Mask::Added), attention, Weights::Rounded, Axes::Bhtd)
}

/// The precision of a weight when it is multiplied by v.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weights {
    /// On matrix cores, it is rounded to the dtype of the operands.
    Rounded,
    /// On matrix cores, it is split into the sum of two numbers of that dtype, which takes half as long again.
    Split,
}

/// The order of the result's axes in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Axes {
    /// `[batch, heads, t, d_v]`.
    Bhtd,
    /// `[batch, t, heads, d_v]`, as the projection after attention reads it.
    Bthd,
}

/// [`sdpa`] of q, k and v with any kind of mask, optionally with weights in f32 precision, and with the axes of the result in either order.
///
/// # Errors
/// As [`sdpa`].
pub fn sdpa_with(
    given: [(&RocmStorage, &Layout); 3],
    mask: Option<Mask<'_>>,
    attention: Attention,
    weights: Weights,
    axes: Axes,
) -> Result<RocmStorage, RocmError> {
    let dtype = given[0].0.dtype();
    let launch = AttentionLaunch { given, mask, attention, weights, axes, append: None };
    each_16_or_32_bit_float!(dtype, T => launch.run::<T, T>(), else {
        Err(RocmError::UnsupportedDType { op: OP, dtype })
    })
}

/// [`sdpa_with`] of keys and values in F8E4M3, with the bits of what it gives of their casts to the dtype of q. `None` if there is no such
/// kernel: for other dtypes, for more than 16 queries that share keys, and for more than 256 columns.
///
/// # Errors
/// As [`sdpa`].
pub fn sdpa_of_f8(
    given: [(&RocmStorage, &Layout); 3],
    mask: Option<Mask<'_>>,
    attention: Attention,
    axes: Axes,
) -> Result<Option<RocmStorage>, RocmError> {
    let [dtype, dtypes @ ..] = given.map(|(x, _)| x.dtype());
    if !is_for_f8(given.map(|(_, layout)| layout), dtypes) {
        return Ok(None);
    }
    let launch = AttentionLaunch { given, mask, attention, weights: Weights::Rounded, axes, append: None };
    each_16_or_32_bit_float!(dtype, T => launch.run::<T, F8E4M3>().map(Some), else Ok(None))
}

/// Whether there is a kernel that reads keys and values of these dtypes, where q has another.
fn is_for_f8(layouts: [&Layout; 3], dtypes: [DType; 2]) -> bool {
    dtypes == [DType::F8E4M3; 2] && Sizes::of(layouts).is_ok_and(Sizes::have_few_queries)
}

/// The last arguments of a kernel that appends keys and values: where the last ones come from, and where all go, from a tensor of the
/// batch on.
pub(crate) type KvAppend<'a> = &'a mut dyn FnMut(&mut Launch<'_>, usize);

/// Whether `attention_step.hip` takes a decoder's q `[batch, heads, 1, d]`, k and v `[batch, kv_heads, 1, d]`, and caches `[batch, kv_heads,
/// kept, d]`: for 16 heads at most that share keys, `d` a multiple of 16 and at most 256, dense rows, and neither without elements.
pub(crate) fn has_step_kernel([q, k, v]: [Operand<'_>; 3], [keys, values]: [Operand<'_>; 2]) -> bool {
    let (&[batch, heads, t, d], &[_, kv_heads, kept, _]) = (q.1.dims(), keys.1.dims()) else { return false };
    let some = ![batch, heads, d, kv_heads, kept].contains(&0) && t == 1;
    some && d.is_multiple_of(BOTH_HALVES)
        && d <= FEW_COLUMNS
        && heads / kv_heads <= FEW_QUERIES
        && [q, k, v, keys, values].into_iter().all(is_readable)
}

/// What attention is launched with.
pub(crate) struct AttentionLaunch<'a> {
    pub(crate) given: [Operand<'a>; 3],
    pub(crate) mask: Option<Mask<'a>>,
    pub(crate) attention: Attention,
    pub(crate) weights: Weights,
    pub(crate) axes: Axes,
    /// Of a step that [has a kernel](has_step_kernel): one more key and value of each head than `given`, and the rotation of all.
    pub(crate) append: Option<KvAppend<'a>>,
}

impl AttentionLaunch<'_> {
    /// `K`: the type of keys and values. One that is not `T` is for [few queries](Sizes::have_few_queries) only.
    pub(crate) fn run<T: RocmDType, K: RocmDType>(self) -> Result<RocmStorage, RocmError> {
        let Self { given, mask, attention, weights, axes, mut append } = self;
        let device = &given[0].0.device;
        let copies = Copies::new(given, mask)?;
        let mut problem = Problem::<T, K>::new(given, mask, &copies, attention, axes)?;
        problem.sizes.s += usize::from(append.is_some());
        let sizes = problem.sizes;
        let elements = elem_count(OP, &[sizes.batch, sizes.heads, sizes.t, sizes.d_v])?;
        if elements == 0 || sizes.s == 0 {
            return Ok(RocmStorage::new(T::wrap(device.alloc_zeros(elements)?), device.clone()));
        }
        let rule = SdpaKernel::new::<T>(device, sizes, weights);
        let mut run = |kernel| by_kernel(device, &problem, kernel, elements, &mut append);
        match Tuner::of(device).filter(|_| rule.is_for_few()) {
            Some(tuner) => candidates::serve::<K>(tuner, device, sizes, rule, run),
            None => run(rule),
        }
    }
}

fn by_kernel<T: RocmDType, K: RocmDType>(
    device: &RocmDevice,
    problem: &Problem<'_, T, K>,
    kernel: SdpaKernel,
    elements: usize,
    append: &mut Option<KvAppend<'_>>,
) -> Result<RocmStorage, RocmError> {
    let sizes = problem.sizes;
    let mut out = device.alloc::<T>(elements)?;
    let per_batch = kernel.blocks_per_batch(sizes);
    if per_batch > MOST_BLOCKS {
        return invalid(
            OP,
            format!("{} heads of {} queries are too many for one launch", sizes.heads, sizes.t),
        );
    }
    // For each part of a query's keys: maximum and sum, then columns, in pairs.
    let queries = sizes.batch * sizes.heads * sizes.t;
    let of_part = 1 + sizes.d_v.div_ceil(2);
    let (splits, partial) = match kernel {
        SdpaKernel::Few { splits, .. } if splits > 1 => {
            (splits, elem_count(OP, &[queries, splits, of_part])?)
        }
        _ => (1, 0),
    };
    let mut partial = device.alloc::<u64>(partial)?;
    let step = (MOST_BLOCKS / per_batch).min(sizes.batch);
    let (module, name) = kernel.kernel::<T, K>(append.is_some());
    for first in (0..sizes.batch).step_by(step) {
        let count = step.min(sizes.batch - first);
        let mut launch = device.launch(module, name.as_str());
        problem.arguments(&mut launch, first, |launch| {
            launch.buffer_mut(&mut out, first * sizes.heads * sizes.t * sizes.d_v);
        })?;
        let blocks = (count * per_batch) as u32;
        match kernel {
            SdpaKernel::Tiles { .. } | SdpaKernel::Matrix { .. } => {
                let parts = match kernel {
                    SdpaKernel::Matrix { .. } => 1,
                    _ => sizes.d_v.div_ceil(FEW_COLUMNS) as u32,
                };
                let threads = match kernel {
                    SdpaKernel::Matrix { .. } => device.matrix_tile_threads(),
                    _ => TILE_THREADS as u32,
                };
                let block = [threads, 1, 1];
                let config = LaunchConfig { grid: [blocks, parts, 1], block, shared_bytes: 0 };
                // SAFETY: sdpa_*(q, k, v, mask, fill, out, six sizes, thirteen strides, scale, cap, flags): the sizes and
                // strides are those of layouts that were checked against their buffers; out has all its elements.
                unsafe { launch.run(config) }?;
            }
            SdpaKernel::Few { split_len, lanes, .. } => {
                let mut arrivals = (splits > 1).then(|| Arrivals::of(device, blocks as usize)).transpose()?;
                match arrivals.as_mut().and_then(|arrivals| arrivals.counters()) {
                    Some(counters) => {
                        launch.buffer_mut(&mut partial, first * sizes.heads * sizes.t * splits * of_part);
                        launch.buffer_mut(counters, 0)
                    }
                    None => launch.null().null(),
                };
                launch.arg(&(split_len as u32)).arg(&(lanes as u32));
                if let Some(append) = append {
                    append(&mut launch, first);
                }
                let block = [FEW_THREADS as u32, 1, 1];
                let config = LaunchConfig { grid: [blocks, splits as u32, 1], block, shared_bytes: 0 };
                // SAFETY: as above, with (partial, counters, split_len, lanes); partial has two numbers and d_v more, an even
                // number of them, for each part of each query, counters a zero for each block of the first dimension, and the lanes
                // of a key 8 columns each, d and d_v of them in all. With one part, neither is used.
                unsafe { launch.run(config) }?;
            }
        }
    }
    Ok(RocmStorage::new(T::wrap(out), device.clone()))
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::{DType, Result, Shape};

    use super::{Attended, Attention, sdpa_backward};
    use crate::common::fused::{Backward, Fused, Gradients};
    use crate::common::operand::Operand;
    use crate::dtype::DTypeExt;

    impl Fused for Attention {
        fn takes(&self, first: DType) -> bool {
            first.is_16_or_32_bit_float()
        }

        fn shape(&self, Attended { q, v, .. }: &Attended<Operand<'_>>) -> Shape {
            let mut dims = q.1.dims().to_vec();
            dims[3] = v.1.dims()[3];
            Shape::from(dims)
        }

        fn backward(&self, pass: Backward<'_, Self>) -> Result<Gradients<Self>> {
            let Attended { q, k, v, mask } = pass.operands;
            let wanted = pass.wanted;
            let wanted = [wanted.q, wanted.k, wanted.v, wanted.mask.unwrap_or_default()];
            let [dq, dk, dv, dmask] = sdpa_backward(q, k, v, mask, *self, pass.y, pass.dy, wanted)?;
            Ok(Some(Attended { q: dq, k: dk, v: dv, mask: mask.map(|_| dmask) }))
        }
    }
}
