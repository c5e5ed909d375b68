//! Products of a few rows with several matrices in one launch: queries, keys and values, or a gate and what it gates. Launches
//! `matvec.hip`.

use candle_core::Layout;
use rocm_kernels::MATVEC;

use super::{GemmEngine, Matrix, strides};
use crate::common::launch::KernelName;
use crate::common::linear::Linear;
use crate::common::map::same;
use crate::common::operand::{Operand, floats, unsupported};
use crate::count::elem_count;
use crate::dtype::DTypeExt;
use crate::hip::{Buffer, DevicePtr, LaunchConfig};
use crate::storage_slice::each_dtype;
use crate::{Launch, RocmDType, RocmDevice, RocmError, RocmStorage};

/// Matrices of one launch.
pub(crate) const MOST_WEIGHTS: usize = 4;
/// Rows of one launch.
pub(crate) const MOST_ROWS: usize = 8;
/// A vector of the kernels, in bytes.
const VECTOR: u64 = 16;

/// The threads of a block of matvec.hip with so many rows, and its columns.
pub(crate) fn block_of(device: &RocmDevice, rows: usize) -> (u32, usize) {
    let wave = device.wavefront_size();
    if rows == 1 { (256, (256 / wave) as usize) } else { (8 * wave, 16) }
}

/// A buffer and the rows in it, which are dense.
pub(crate) type Rows<'a, T> = (&'a Buffer<T>, Matrix);

/// The rows of a weight matrix, how many they are, and where their bias begins.
pub(crate) struct Weight<'a, T: RocmDType> {
    pub(crate) rows: Rows<'a, T>,
    pub(crate) n: usize,
    bias: Option<DevicePtr>,
}

/// What is taken of a product and its bias. The numbers are those of `common/activations.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// candle's `relu`.
    Relu = 1,
    /// candle's `gelu`.
    Gelu = 2,
    /// candle's `gelu_erf`.
    GeluErf = 3,
    /// candle's `silu`.
    Silu = 4,
}

impl Activation {
    /// What a kernel of `unary.hip` computes.
    pub(crate) fn of_kernel(name: &str) -> Option<Self> {
        match name {
            "urelu" => Some(Self::Relu),
            "ugelu" => Some(Self::Gelu),
            "ugelu_erf" => Some(Self::GeluErf),
            "usilu" => Some(Self::Silu),
            _ => None,
        }
    }

    /// As kernels are told.
    pub(crate) fn number(activation: Option<Self>) -> u32 {
        activation.map_or(0, |activation| activation as u32)
    }
}

/// The products of up to eight rows x with the transposes of up to four weight matrices, of k columns each, in one launch: x is
/// `[.., k]`, each of the weights `[n, k]`, its product `[.., n]`, contiguous. The layer's bias is added to it, if there is one, then the
/// activation is taken. Each step is rounded to the dtype: results are bit by bit those of the operations one by one with this crate's
/// kernels, but for the sign of zeros of f16 behind an activation.
///
/// `None` where there is no such kernel: for other numbers of rows or weights, other dtypes than f16, bf16 and f32, rows that
/// are not dense or not at one distance, k = 0, and where [`GemmEngine::Rocblas`] was asked for.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless x has floats; otherwise if weights or biases do not fit the shape or dtype of x, or live on
/// another device, and if a bias is not contiguous.
pub fn matmul_several(
    x: (&RocmStorage, &Layout),
    layers: &[Linear<'_, (&RocmStorage, &Layout)>],
    activation: Option<Activation>,
) -> Result<Option<Vec<RocmStorage>>, RocmError> {
    const OP: &str = "matmul_several";
    floats(OP, x.0)?;
    each_dtype!(x.0.dtype(), T => of_storages::<T>(OP, x, layers, activation), else unsupported(OP, x.0))
}

/// `silu(x gate') * (x up')`, the gated linear unit of llama's and most later models, in one launch: x is `[.., k]`, of up to
/// eight rows, both matrices `[n, k]`, the result `[.., n]`. Each step is rounded to the dtype: the result is bit by bit that of
/// the four operations with this crate's kernels.
///
/// `None` where there is no such kernel: see [`matmul_several`]. Also where the two matrices' rows are not aligned alike.
///
/// # Errors
/// As [`matmul_several`]; [`RocmError::ShapeMismatch`] also if the two matrices differ in shape.
pub fn matmul_silu_mul(
    x: (&RocmStorage, &Layout),
    gate: (&RocmStorage, &Layout),
    up: (&RocmStorage, &Layout),
) -> Result<Option<RocmStorage>, RocmError> {
    const OP: &str = "matmul_silu_mul";
    floats(OP, x.0)?;
    each_dtype!(x.0.dtype(), T => gated_storages::<T>(OP, x, gate, up), else unsupported(OP, x.0))
}

fn of_storages<T: RocmDType>(
    op: &'static str,
    (x, x_l): Operand<'_>,
    layers: &[Linear<'_, Operand<'_>>],
    activation: Option<Activation>,
) -> Result<Option<Vec<RocmStorage>>, RocmError> {
    let device = &x.device;
    let buffer = same::<T>(op, x.slice()?)?;
    let mut all = Vec::with_capacity(layers.len());
    for layer in layers {
        all.push(weight_rows::<T>(op, (x, x_l), layer)?);
    }
    let (Some((m, k, at)), Some(all)) = (as_rows(op, x_l)?, all.into_iter().collect::<Option<Vec<_>>>())
    else {
        return Ok(None);
    };
    let out = several(op, device, (buffer, at), m, &all, (k, activation))?;
    let wrap = |buffer| RocmStorage::new(T::wrap(buffer), device.clone());
    Ok(out.map(|buffers| buffers.into_iter().map(wrap).collect()))
}

fn gated_storages<'a, T: RocmDType>(
    op: &'static str,
    (x, x_l): Operand<'_>,
    gate: Operand<'a>,
    up: Operand<'a>,
) -> Result<Option<RocmStorage>, RocmError> {
    let device = &x.device;
    let buffer = same::<T>(op, x.slice()?)?;
    if gate.1.dims() != up.1.dims() {
        let (lhs, rhs) = (gate.1.dims().to_vec(), up.1.dims().to_vec());
        return Err(RocmError::ShapeMismatch { op, lhs, rhs });
    }
    let rows = |weights: Operand<'a>| weight_rows::<T>(op, (x, x_l), &weights.into());
    let (gate, up) = (rows(gate)?, rows(up)?);
    let (Some((m, k, at)), Some(gate), Some(up)) = (as_rows(op, x_l)?, gate, up) else { return Ok(None) };
    let out = silu_mul(op, device, (buffer, at), gate.rows, up.rows, [m, gate.n, k])?;
    Ok(out.map(|buffer| RocmStorage::new(T::wrap(buffer), device.clone())))
}

/// x as rows of its last dimension, at one distance: their number, their length, and where they are.
pub(super) fn as_rows(
    op: &'static str,
    layout: &Layout,
) -> Result<Option<(usize, usize, Matrix)>, RocmError> {
    let Some((&k, outer)) = layout.dims().split_last() else { return Ok(None) };
    let m = elem_count(op, outer)?;
    let mut axes = layout.dims().iter().zip(layout.stride()).rev();
    let col = axes.next().map_or(1, |(_, &stride)| stride);
    let mut row = None;
    let mut next = 0;
    for (&size, &stride) in axes.filter(|(size, _)| **size > 1) {
        if row.is_some() && stride != next {
            return Ok(None);
        }
        row = row.or(Some(stride));
        next = size.saturating_mul(stride);
    }
    Ok(Some((m, k, Matrix { offset: layout.start_offset(), batch: 0, row: row.unwrap_or(k), col })))
}

/// Weights `[n, k]` for x `[.., k]`; None if x has no dimensions.
pub(crate) fn weight_rows<'a, T: RocmDType>(
    op: &'static str,
    (x, x_l): Operand<'_>,
    layer: &Linear<'_, Operand<'a>>,
) -> Result<Option<Weight<'a, T>>, RocmError> {
    let (weight, layout) = layer.weights;
    x.device.check_same(&weight.device, op)?;
    let buffer = same::<T>(op, weight.slice()?)?;
    let Some(k) = x_l.dims().last() else { return Ok(None) };
    match (layout.dims(), layout.stride()) {
        (&[n, columns], &[row, col]) if columns == *k => {
            let at = Matrix { offset: layout.start_offset(), batch: 0, row, col };
            Ok(Some(Weight { rows: (buffer, at), n, bias: layer.bias_at(op, x, n)? }))
        }
        _ => Err(RocmError::ShapeMismatch { op, lhs: x_l.dims().to_vec(), rhs: layout.dims().to_vec() }),
    }
}

/// Whether the kernels take such rows of x: few, and dense, of a dtype that they are for.
pub(crate) fn serves<T: RocmDType>(device: &RocmDevice, at: Matrix, m: usize, k: usize) -> bool {
    let floats = T::DTYPE.is_16_or_32_bit_float();
    let few = (1..=MOST_ROWS).contains(&m) && k > 0;
    floats && few && dense(at, k) && device.gemm_engine() != GemmEngine::Rocblas
}

pub(crate) fn dense(at: Matrix, k: usize) -> bool {
    at.col == 1 || k == 1
}

/// The products of m rows x, `[m, k]`, with the transposes of weights `[n, k]`, each with its n, in one launch; each result is
/// `[m, n]`, contiguous. None: see [`matmul_several`].
fn several<T: RocmDType>(
    op: &'static str,
    device: &RocmDevice,
    (x, at_x): Rows<'_, T>,
    m: usize,
    weights: &[Weight<'_, T>],
    (k, activation): (usize, Option<Activation>),
) -> Result<Option<Vec<Buffer<T>>>, RocmError> {
    strides::check(op, device, x, at_x, [1, m, k])?;
    if !check_weights(op, device, weights, k)? || !serves::<T>(device, at_x, m, k) {
        return Ok(None);
    }
    let Some(blocks) = Blocks::of(device, m, weights) else { return Ok(None) };
    let mut out = results(op, device, m, weights)?;
    // Room for one row of x, or for eight.
    let kernel = if m == 1 { "matvec_several" } else { "matvec_several8" };
    let name = KernelName::new(format_args!("{kernel}_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&MATVEC, name.as_str());
    launch.arg(&(m as u32)).arg(&k).buffer(x, at_x.offset).arg(&at_x.row);
    blocks.bind(&mut launch, weights, &mut out, activation);
    // SAFETY: matvec_several_*(m, k, x, x_row, what `bind` says): x and the weights were checked, m is at most what the kernel has room
    // for, each out has m * n elements.
    unsafe { launch.run(blocks.config(0)) }?;
    Ok(Some(out))
}

/// Whether kernels take these weights, of k columns, by their number and their rows.
pub(crate) fn check_weights<T: RocmDType>(
    op: &'static str,
    device: &RocmDevice,
    weights: &[Weight<'_, T>],
    k: usize,
) -> Result<bool, RocmError> {
    for &Weight { rows: (weight, at), n, .. } in weights {
        strides::check(op, device, weight, at, [1, n, k])?;
    }
    let few = (1..=MOST_WEIGHTS).contains(&weights.len());
    Ok(few && weights.iter().all(|weight| dense(weight.rows.1, k)))
}

/// Room for m rows of results for each of the weights.
pub(crate) fn results<T: RocmDType>(
    op: &'static str,
    device: &RocmDevice,
    m: usize,
    weights: &[Weight<'_, T>],
) -> Result<Vec<Buffer<T>>, RocmError> {
    weights.iter().map(|weight| device.alloc::<T>(elem_count(op, &[m, weight.n])?)).collect()
}

/// Which blocks are for which of the matrices.
pub(crate) struct Blocks {
    /// Blocks up to the end of each matrix. After the last one, no block is.
    ends: [u32; MOST_WEIGHTS],
    count: u32,
    threads: u32,
}

impl Blocks {
    /// For m rows of x. None if there are more of them than a launch has.
    pub(crate) fn of<T: RocmDType>(device: &RocmDevice, m: usize, weights: &[Weight<'_, T>]) -> Option<Self> {
        let (threads, each) = block_of(device, m);
        let mut ends = [u32::MAX; MOST_WEIGHTS];
        let mut blocks = 0usize;
        for (end, weight) in ends.iter_mut().zip(weights) {
            blocks = blocks.saturating_add(weight.n.div_ceil(each));
            *end = u32::try_from(blocks).unwrap_or(u32::MAX);
        }
        let fits = blocks <= LaunchConfig::most_blocks(threads as usize);
        fits.then_some(Self { ends, count: blocks as u32, threads })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Four times weights, pitch, n, out, bias; the first blocks of the matrices after the first; the activation.
    pub(crate) fn bind<T: RocmDType>(
        &self,
        launch: &mut Launch<'_>,
        weights: &[Weight<'_, T>],
        out: &mut [Buffer<T>],
        activation: Option<Activation>,
    ) {
        for i in 0..MOST_WEIGHTS {
            let (Some(weight), Some(out)) = (weights.get(i), out.get_mut(i)) else {
                launch.null().arg(&0usize).arg(&0usize).null().null();
                continue;
            };
            let &Weight { rows: (buffer, at), n, bias } = weight;
            // An empty buffer, where n = 0, has no element to point to.
            let offset = if n == 0 { 0 } else { at.offset };
            launch.buffer(buffer, offset).arg(&at.row).arg(&n).buffer_mut(out, 0);
            launch.pointer(bias.unwrap_or(DevicePtr::NULL));
        }
        for first in &self.ends[..MOST_WEIGHTS - 1] {
            launch.arg(first);
        }
        launch.arg(&Activation::number(activation));
    }

    pub(crate) fn config(&self, shared_bytes: usize) -> LaunchConfig {
        config(self.count as usize, self.threads, shared_bytes)
    }
}

pub(crate) fn config(blocks: usize, threads: u32, shared_bytes: usize) -> LaunchConfig {
    LaunchConfig { grid: [blocks as u32, 1, 1], block: [threads, 1, 1], shared_bytes: shared_bytes as u32 }
}

/// `silu(x gate') * (x up')` in one launch, for x `[m, k]` and matrices `[n, k]`; `[m, n]`, contiguous. None: see
/// [`matmul_silu_mul`].
pub(crate) fn silu_mul<T: RocmDType>(
    op: &'static str,
    device: &RocmDevice,
    (x, at_x): Rows<'_, T>,
    (gate, at_gate): Rows<'_, T>,
    (up, at_up): Rows<'_, T>,
    [m, n, k]: [usize; 3],
) -> Result<Option<Buffer<T>>, RocmError> {
    strides::check(op, device, x, at_x, [1, m, k])?;
    strides::check(op, device, gate, at_gate, [1, n, k])?;
    strides::check(op, device, up, at_up, [1, n, k])?;
    let fit = dense(at_gate, k) && dense(at_up, k) && aligned_alike((gate, at_gate), (up, at_up), n);
    if !fit || !serves::<T>(device, at_x, m, k) {
        return Ok(None);
    }
    let (threads, columns) = block_of(device, m);
    // Of one row, a wavefront has a column of both matrices.
    let blocks = n.div_ceil(if m == 1 { columns } else { columns / 2 });
    if blocks > LaunchConfig::most_blocks(threads as usize) {
        return Ok(None);
    }
    let mut out = device.alloc::<T>(elem_count(op, &[m, n])?)?;
    if n == 0 {
        return Ok(Some(out));
    }
    let kernel = if m == 1 { "matvec_silu_mul" } else { "matvec_silu_mul8" };
    let name = KernelName::new(format_args!("{kernel}_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&MATVEC, name.as_str());
    launch.arg(&(m as u32)).arg(&k).buffer(x, at_x.offset).arg(&at_x.row);
    launch.buffer(gate, at_gate.offset).arg(&at_gate.row).buffer(up, at_up.offset).arg(&at_up.row);
    launch.arg(&n).buffer_mut(&mut out, 0);
    // SAFETY: matvec_silu_mul_*(m, k, x, x_row, gate, its pitch, up, its pitch, n, out): all three were checked, m is at most
    // what the kernel has room for, out has m * n elements.
    unsafe { launch.run(config(blocks, threads, 0)) }?;
    Ok(Some(out))
}

/// Whether each row of one matrix begins in a vector where that of the other does: the kernel reads both in vectors or neither,
/// and a sum's order depends on that.
pub(crate) fn aligned_alike<T: RocmDType>((a, at_a): Rows<'_, T>, (b, at_b): Rows<'_, T>, n: usize) -> bool {
    let start =
        |buffer: &Buffer<T>, at: Matrix| buffer.as_ptr().byte_add(at.offset * size_of::<T>()).address();
    let bytes = |elements: usize| (elements as u64).wrapping_mul(size_of::<T>() as u64);
    let starts = start(a, at_a) % VECTOR == start(b, at_b) % VECTOR;
    starts && (n <= 1 || bytes(at_a.row) % VECTOR == bytes(at_b.row) % VECTOR)
}
