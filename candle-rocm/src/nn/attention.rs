//! Attention as one operation; launches `attention.hip` and `attention_matrix.hip`.

use candle_core::{DType, Layout};
use half::{bf16, f16};
use rocm_kernels::{ATTENTION, ATTENTION_MATRIX};

use super::invalid;
use crate::hip::{Buffer, LaunchConfig, Platform};
use crate::ops::layout::check_bounds;
use crate::ops::map::same;
use crate::ops::{KernelName, cast, copy};
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "sdpa";

/// Threads of a block for many queries at most, and how many queries: without and on matrix cores.
const TILE_THREADS: usize = 256;
const TILE_QUERIES: usize = 64;
const MATRIX_QUERIES: usize = 128;
/// Columns that the kernels on matrix cores have room for.
const MATRIX_COLUMNS: usize = 128;
/// Threads of a block for few queries.
const FEW_THREADS: usize = 128;
/// Queries that share keys, up to which reading the keys is what takes the time.
const FEW_QUERIES: usize = 16;
/// Columns that the lanes of a key have between them.
const FEW_COLUMNS: usize = 256;

/// Keys that a block goes through at most, and at least where there would be too few blocks otherwise.
const MOST_KEYS: usize = 4096;
const LEAST_KEYS: usize = 128;

/// Blocks of a launch.
const MOST_BLOCKS: usize = LaunchConfig::most_blocks(TILE_THREADS);

/// How scores become weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attention {
    /// Multiplies the products of queries and keys.
    pub scale: f32,
    /// If it is not 1, scores are `tanh(score / softcapping) * softcapping`.
    pub softcapping: f32,
    /// Whether the last query sees all keys, the one before it one less, and so on.
    pub causal: bool,
}

/// `softmax(q k^T * scale + mask) v`, in one kernel and without the matrix of scores: q `[batch, heads, t, d]`, k
/// `[batch, kv_heads, s, d]` and v `[batch, kv_heads, s, d_v]` give `[batch, heads, t, d_v]`. Of f32, f16 or bf16.
///
/// On [matrix cores](RocmDevice::set_matrix_cores), the weights of f16 and bf16 are rounded before they multiply v.
///
/// `heads` is a multiple of `kv_heads`; neighbouring heads share keys. The mask, of the same dtype or f32, is added to the
/// scores `[batch, heads, t, s]`; dimensions that it lacks or has once are repeated. Scores and sums are f32. A query that
/// sees no key gets zeros.
pub fn sdpa(
    q: (&RocmStorage, &Layout),
    k: (&RocmStorage, &Layout),
    v: (&RocmStorage, &Layout),
    mask: Option<(&RocmStorage, &Layout)>,
    attention: Attention,
) -> Result<RocmStorage, RocmError> {
    match q.0.slice.dtype() {
        DType::F32 => attend::<f32>(q, k, v, mask, attention),
        DType::F16 => attend::<f16>(q, k, v, mask, attention),
        DType::BF16 => attend::<bf16>(q, k, v, mask, attention),
        dtype => Err(RocmError::UnsupportedDType { op: OP, dtype }),
    }
}

/// Whether attention and mixtures of experts have kernels for this dtype.
#[cfg(candle_rocm_seam)]
pub(crate) fn has(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F16 | DType::BF16)
}

fn attend<T: RocmDType>(
    q: (&RocmStorage, &Layout),
    k: (&RocmStorage, &Layout),
    v: (&RocmStorage, &Layout),
    mask: Option<(&RocmStorage, &Layout)>,
    attention: Attention,
) -> Result<RocmStorage, RocmError> {
    let device = &q.0.device;
    let sizes = Sizes::of(q.1, k.1, v.1)?;
    for (other, _) in [Some(k), Some(v), mask].into_iter().flatten() {
        device.check_same(&other.device, OP)?;
    }
    let (q_copy, k_copy, v_copy) = (readable(q)?, readable(k)?, readable(v)?);
    let q = Operand::<T>::new(q_copy.as_ref().map_or(q, |(s, l)| (s, l)))?;
    let k = Operand::<T>::new(k_copy.as_ref().map_or(k, |(s, l)| (s, l)))?;
    let v = Operand::<T>::new(v_copy.as_ref().map_or(v, |(s, l)| (s, l)))?;
    let mask_copy = match mask {
        Some((mask, layout)) if ![DType::F32, T::DTYPE].contains(&mask.slice.dtype()) => {
            let slice = cast::cast(device, &mask.slice, layout, DType::F32)?;
            let contiguous = Layout::contiguous(layout.shape());
            Some((RocmStorage { slice, device: device.clone() }, contiguous))
        }
        _ => None,
    };
    let mask = mask_copy.as_ref().map(|(s, l)| (s, l)).or(mask);
    let mask = mask.map(|mask| Mask::new(mask, sizes)).transpose()?;

    let elements = sizes.batch * sizes.heads * sizes.t * sizes.d_v;
    if elements == 0 || sizes.s == 0 {
        return Ok(RocmStorage { slice: T::wrap(device.alloc_zeros(elements)?), device: device.clone() });
    }
    let mut out = device.alloc::<T>(elements)?;
    let plan = Plan::new::<T>(device, sizes);
    let per_batch = plan.blocks_per_batch(sizes);
    if per_batch > MOST_BLOCKS {
        return invalid(
            OP,
            format!("{} heads of {} queries are too many for one launch", sizes.heads, sizes.t),
        );
    }
    // Scores of one part each, where keys are split over blocks.
    let queries = sizes.batch * sizes.heads * sizes.t;
    let mut partial = device.alloc::<f32>(match plan {
        Plan::Few { splits, .. } if splits > 1 => queries * splits * (sizes.d_v + 2),
        _ => 0,
    })?;
    let step = (MOST_BLOCKS / per_batch).min(sizes.batch);
    for first in (0..sizes.batch).step_by(step) {
        let count = step.min(sizes.batch - first);
        let mut launch = device.launch(plan.module(), plan.kernel::<T>().as_str());
        for operand in [&q, &k, &v] {
            launch.buffer(operand.buffer, operand.offset + first * operand.strides[0]);
        }
        let mut mask_strides = [0; 4];
        match &mask {
            None => launch.null(),
            Some(Mask { slice: RocmStorageSlice::F32(buffer), offset, strides }) => {
                mask_strides = *strides;
                launch.buffer(buffer, offset + first * strides[0])
            }
            Some(Mask { slice, offset, strides }) => {
                mask_strides = *strides;
                launch.buffer(same::<T>(OP, slice)?, offset + first * strides[0])
            }
        };
        launch.buffer_mut(&mut out, first * sizes.heads * sizes.t * sizes.d_v);
        for size in [sizes.heads, sizes.kv_heads, sizes.t, sizes.s, sizes.d, sizes.d_v] {
            launch.arg(&(size as u32));
        }
        for stride in q.strides.iter().chain(&k.strides).chain(&v.strides).chain(&mask_strides) {
            launch.arg(stride);
        }
        let f32_mask = matches!(&mask, Some(Mask { slice: RocmStorageSlice::F32(_), .. }));
        let cap = if attention.softcapping == 1.0 { 0.0 } else { attention.softcapping };
        let flags = u32::from(attention.causal) | u32::from(f32_mask) << 1;
        launch.arg(&attention.scale).arg(&cap).arg(&flags);
        let blocks = (count * per_batch) as u32;
        match plan {
            Plan::Tiles { .. } | Plan::Matrix { .. } => {
                let parts = match plan {
                    Plan::Matrix { .. } => 1,
                    _ => sizes.d_v.div_ceil(FEW_COLUMNS) as u32,
                };
                let threads = match (plan, device.platform()) {
                    (Plan::Matrix { .. }, Platform::Nvidia) => TILE_THREADS / 2,
                    _ => TILE_THREADS,
                };
                let block = [threads as u32, 1, 1];
                let config = LaunchConfig { grid: [blocks, parts, 1], block, shared_bytes: 0 };
                // SAFETY: sdpa_*(q, k, v, mask, out, six sizes, thirteen strides, scale, cap, flags): the sizes and
                // strides are those of layouts that were checked against their buffers; out has all its elements.
                unsafe { launch.run(config) }?;
            }
            Plan::Few { splits, split_len, lanes, .. } => {
                launch.buffer_mut(
                    &mut partial,
                    if splits > 1 { first * sizes.heads * sizes.t * splits * (sizes.d_v + 2) } else { 0 },
                );
                launch.arg(&(split_len as u32)).arg(&(lanes as u32));
                let block = [FEW_THREADS as u32, 1, 1];
                let config = LaunchConfig { grid: [blocks, splits as u32, 1], block, shared_bytes: 0 };
                // SAFETY: as above, with (partial, split_len, lanes); partial has d_v + 2 elements for each part of each
                // query, and the lanes of a key 8 columns each, d and d_v of them in all.
                unsafe { launch.run(config) }?;
            }
        }
    }
    if let Plan::Few { splits, .. } = plan
        && splits > 1
    {
        for first in (0..queries).step_by(MOST_BLOCKS) {
            let count = MOST_BLOCKS.min(queries - first);
            let name = KernelName::new(format_args!("sdpa_merge_{}", T::KERNEL_DTYPE));
            let mut launch = device.launch(&ATTENTION, name.as_str());
            launch.buffer(&partial, first * splits * (sizes.d_v + 2));
            launch.buffer_mut(&mut out, first * sizes.d_v).arg(&(splits as u32)).arg(&(sizes.d_v as u32));
            // SAFETY: sdpa_merge_*(partial, out, splits, dv) on a block per query; both buffers have them all.
            unsafe { launch.run(LaunchConfig::linear(count as u32, FEW_THREADS as u32)) }?;
        }
    }
    Ok(RocmStorage { slice: T::wrap(out), device: device.clone() })
}

#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    heads: usize,
    kv_heads: usize,
    t: usize,
    s: usize,
    d: usize,
    d_v: usize,
}

impl Sizes {
    fn of(q: &Layout, k: &Layout, v: &Layout) -> Result<Self, RocmError> {
        let (&[batch, heads, t, d], &[k_batch, kv_heads, s, k_d], &[v_batch, v_heads, v_s, d_v]) =
            (q.dims(), k.dims(), v.dims())
        else {
            let shapes = [q, k, v].map(Layout::dims);
            return invalid(OP, format!("q, k and v have shapes {shapes:?}; four dimensions are needed"));
        };
        for (other, fits) in [
            (k, k_batch == batch && k_d == d && (kv_heads == heads || kv_heads > 0 && heads % kv_heads == 0)),
            (v, v_batch == batch && v_heads == kv_heads && v_s == s),
        ] {
            if !fits {
                return Err(RocmError::ShapeMismatch {
                    op: OP,
                    lhs: q.dims().to_vec(),
                    rhs: other.dims().to_vec(),
                });
            }
        }
        let most = [heads.saturating_mul(t), s, d, d_v].into_iter().max().unwrap_or_default();
        if most > i32::MAX as usize {
            return invalid(OP, format!("a dimension of {most}; kernels count to {}", i32::MAX));
        }
        Ok(Self { batch, heads, kv_heads, t, s, d, d_v })
    }

    /// Queries that share a key head.
    fn rows(self) -> usize {
        self.heads / self.kv_heads * self.t
    }
}

/// Which kernel, and how it is launched.
#[derive(Clone, Copy)]
enum Plan {
    Tiles { columns: usize },
    Matrix { columns: usize },
    Few { queries: usize, lanes: usize, splits: usize, split_len: usize },
}

impl Plan {
    fn new<T: RocmDType>(device: &RocmDevice, sizes: Sizes) -> Self {
        let rows = sizes.rows();
        let columns = sizes.d.max(sizes.d_v);
        if rows > FEW_QUERIES || columns > FEW_COLUMNS {
            if columns <= MATRIX_COLUMNS && device.uses_matrix_cores(T::DTYPE) {
                return Self::Matrix { columns: if columns <= 64 { 64 } else { MATRIX_COLUMNS } };
            }
            let columns = if sizes.d_v <= 128 { 128 } else { 256 };
            return Self::Tiles { columns };
        }
        let queries = if rows == 1 { 1 } else { 4 };
        let blocks = sizes.batch * sizes.kv_heads * rows.div_ceil(queries);
        // Four blocks per compute unit keep memory busy.
        let wanted = (4 * device.hip_device().compute_units() as usize).div_ceil(blocks);
        let splits = wanted.min(sizes.s.div_ceil(LEAST_KEYS)).max(sizes.s.div_ceil(MOST_KEYS));
        let split_len = sizes.s.div_ceil(splits);
        let splits = sizes.s.div_ceil(split_len);
        let lanes = columns.div_ceil(8).next_power_of_two().max(4);
        Self::Few { queries, lanes, splits, split_len }
    }

    fn blocks_per_batch(self, sizes: Sizes) -> usize {
        let queries = match self {
            Self::Tiles { .. } => TILE_QUERIES,
            Self::Matrix { .. } => MATRIX_QUERIES,
            Self::Few { queries, .. } => queries,
        };
        sizes.kv_heads * sizes.rows().div_ceil(queries)
    }

    fn module(self) -> &'static rocm_kernels::Module {
        match self {
            Self::Matrix { .. } => &ATTENTION_MATRIX,
            _ => &ATTENTION,
        }
    }

    fn kernel<T: RocmDType>(self) -> KernelName {
        match self {
            Self::Tiles { columns } => KernelName::new(format_args!("sdpa_{columns}_{}", T::KERNEL_DTYPE)),
            Self::Matrix { columns } => {
                KernelName::new(format_args!("sdpa_matrix_{columns}_{}", T::KERNEL_DTYPE))
            }
            Self::Few { queries, .. } => {
                KernelName::new(format_args!("sdpa_few_{queries}_{}", T::KERNEL_DTYPE))
            }
        }
    }
}

/// `[batch, heads, time, columns]`, columns dense.
struct Operand<'a, T: RocmDType> {
    buffer: &'a Buffer<T>,
    offset: usize,
    strides: [usize; 3],
}

impl<'a, T: RocmDType> Operand<'a, T> {
    fn new((storage, layout): (&'a RocmStorage, &Layout)) -> Result<Self, RocmError> {
        let buffer = same::<T>(OP, &storage.slice)?;
        check_bounds(OP, layout, buffer.len())?;
        let &[batch, head, step, _] = layout.stride() else {
            return invalid(OP, format!("strides {:?}", layout.stride()));
        };
        Ok(Self { buffer, offset: layout.start_offset(), strides: [batch, head, step] })
    }
}

/// A copy with dense columns, zeros up to a multiple of 8 of them, and rows that begin where vectors may on all platforms,
/// where the kernels could not read the operand as it is.
fn readable((x, layout): (&RocmStorage, &Layout)) -> Result<Option<(RocmStorage, Layout)>, RocmError> {
    let (device, shape, dtype) = (&x.device, layout.shape(), x.slice.dtype());
    let (Some(&columns), Some(&step)) = (layout.dims().last(), layout.stride().last()) else {
        return Ok(None);
    };
    let padded = columns.next_multiple_of(8);
    // 16 bytes; only NVIDIA's cards insist.
    let vector = 16 / dtype.size_in_bytes();
    let mut starts = layout.dims().iter().zip(layout.stride()).rev().skip(1);
    let aligned = device.platform() != Platform::Nvidia
        || layout.start_offset().is_multiple_of(vector)
            && starts.all(|(&size, stride)| size == 1 || stride.is_multiple_of(vector));
    if step == 1 && columns == padded && aligned || shape.elem_count() == 0 {
        return Ok(None);
    }
    let mut dense = RocmStorageSlice::uninit(device, shape.elem_count(), dtype)?;
    copy::strided(device, (&x.slice, layout), &mut dense, 0)?;
    let mut copied = Layout::contiguous(shape);
    if columns != padded {
        let rows = shape.elem_count() / columns;
        let mut wider = RocmStorageSlice::zeros(device, rows * padded, dtype)?;
        let rows = copy::Rows {
            d1: rows,
            d2: columns,
            src_stride1: columns,
            dst_stride1: padded,
            src_offset: 0,
            dst_offset: 0,
        };
        copy::copy2d(device, &dense, &mut wider, rows)?;
        dense = wider;
        let mut dims = layout.dims().to_vec();
        dims.splice(dims.len() - 1.., [padded]);
        copied = Layout::new(shape.clone(), Layout::contiguous(dims).stride().to_vec(), 0);
    }
    Ok(Some((RocmStorage { slice: dense, device: device.clone() }, copied)))
}

struct Mask<'a> {
    slice: &'a RocmStorageSlice,
    offset: usize,
    strides: [usize; 4],
}

impl<'a> Mask<'a> {
    fn new((storage, layout): (&'a RocmStorage, &Layout), sizes: Sizes) -> Result<Self, RocmError> {
        check_bounds(OP, layout, storage.slice.len())?;
        let (dims, scores) = (layout.dims(), [sizes.batch, sizes.heads, sizes.t, sizes.s]);
        let mismatch =
            || RocmError::ShapeMismatch { op: OP, lhs: scores.to_vec(), rhs: layout.dims().to_vec() };
        let lacking = scores.len().checked_sub(dims.len()).ok_or_else(mismatch)?;
        let mut strides = [0; 4];
        for (i, (&dim, &stride)) in dims.iter().zip(layout.stride()).enumerate() {
            match dim {
                1 => {}
                _ if dim == scores[lacking + i] => strides[lacking + i] = stride,
                _ => return Err(mismatch()),
            }
        }
        Ok(Self { slice: &storage.slice, offset: layout.start_offset(), strides })
    }
}
