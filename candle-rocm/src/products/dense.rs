//! With matrices of floats; launches `matvec.hip`.

use candle_core::DType;
use rocm_kernels::MATVEC;
use smallvec::SmallVec;

use super::{Epilogue, Linear, MOST_MATRICES, ProductLaunch, Products, Rows, Weights};
use crate::common::launch::KernelName;
use crate::common::map::same;
use crate::common::operand::{Operand, floats, unsupported};
use crate::count::elem_count;
use crate::dtype::DTypeExt;
use crate::hip::{Buffer, DevicePtr, LaunchConfig};
use crate::matmul::{GemmEngine, Matrix, block_of, strides};
use crate::nn::AddNorm;
use crate::nn::norm::HeldRows;
use crate::storage_slice::each_dtype;
use crate::{Launch, Result, RocmDType, RocmDevice, RocmError, RocmStorage};

/// Rows of one launch.
pub(crate) const MOST_ROWS: usize = 8;
/// A vector of the kernels, in bytes.
const VECTOR: usize = 16;
/// Bytes of a row whose norm is computed, at most: each block keeps it in shared memory, and as many blocks as usual should be resident.
const MOST_BYTES: usize = 16 << 10;

/// Whether a row of so many elements is one whose norm the kernels compute, if it is aligned.
pub(super) fn takes_row(dtype: DType, k: usize) -> bool {
    let bytes = k * dtype.size_in_bytes();
    bytes <= MOST_BYTES && bytes.is_multiple_of(VECTOR)
}

pub(super) fn run(launch: &ProductLaunch<'_>) -> Result<Option<Products>> {
    let (op, (x, _)) = (launch.name(), launch.rows.operand());
    floats(op, x)?;
    each_dtype!(x.dtype(), T => typed::<T>(op, launch), else unsupported(op, x))
}

fn typed<T: RocmDType>(op: &'static str, described: &ProductLaunch<'_>) -> Result<Option<Products>> {
    let x = described.rows.operand();
    let (device, gated) = (&x.0.device, described.epilogue == Epilogue::Gated);
    let weights = described.layers.iter().map(|layer| Weight::<T>::of(op, x, layer));
    let weights: Option<SmallVec<[Weight<'_, T>; MOST_MATRICES]>> = weights.collect::<Result<_>>()?;
    let (Some(rows), Some(weights)) = (FewRows::<T>::of(op, &described.rows)?, weights) else {
        return Ok(None);
    };
    let FewRows { ref from, m, k, .. } = rows;
    for weight in &weights {
        strides::check(op, device, weight.buffer, weight.at, [1, weight.n, k])?;
    }
    let dense = weights.iter().all(|weight| is_dense(weight.at, k));
    let alike = !gated || matches!(&weights[..], [gate, up] if gate.is_aligned_as(up));
    let Some(outputs) = described.outputs().filter(|_| rows.takes(device) && dense && alike) else {
        return Ok(None);
    };
    let written = &weights[..outputs];
    let (threads, columns) = block_of(device, m);
    // Of one row, a wavefront has a column of both matrices of a gate.
    let columns = if gated && m > 1 { columns / 2 } else { columns };
    // Blocks up to the end of each matrix. After the last one, no block is.
    let mut ends = [u32::MAX; MOST_MATRICES];
    let mut blocks = 0usize;
    for (end, weight) in ends.iter_mut().zip(written) {
        blocks = blocks.saturating_add(weight.n.div_ceil(columns));
        *end = u32::try_from(blocks).unwrap_or(u32::MAX);
    }
    let norm = matches!(from, Source::NormOfSum(..));
    if blocks > LaunchConfig::most_blocks(threads as usize) || (norm && blocks == 0) {
        return Ok(None);
    }
    let room = |weight: &Weight<'_, T>| device.alloc::<T>(elem_count(op, &[m, weight.n])?);
    let (mut sum, mut out) = (None, written.iter().map(room).collect::<Result<Vec<_>>>()?);
    // Room for one row of x, or for eight.
    let kernel = match (norm, gated, m) {
        (false, false, 1) => "matvec_several",
        (false, false, _) => "matvec_several8",
        (false, true, 1) => "matvec_silu_mul",
        (false, true, _) => "matvec_silu_mul8",
        (true, false, _) => "norm_matvec_several",
        (true, true, _) => "norm_matvec_silu_mul",
    };
    let name = KernelName::new(format_args!("{kernel}_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&MATVEC, name.as_str());
    match from {
        Source::Given(x, at) => {
            launch.arg(&(m as u32)).arg(&k).buffer(x, at.offset).arg(&at.row);
        }
        Source::NormOfSum(norm, held) => {
            launch.arg(&(k as u32));
            norm.bind(held, &mut launch, sum.insert(device.alloc::<T>(k)?));
        }
    }
    match (&weights[..], &mut out[..]) {
        ([gate, up], [out]) if gated => {
            gate.bind(&mut launch);
            up.bind(&mut launch);
            launch.arg(&gate.n).buffer_mut(out, 0);
        }
        (weights, out) => bind_several(&mut launch, weights, out, ends, described.epilogue),
    }
    let shared_bytes = if norm { k * size_of::<T>() } else { 0 } as u32;
    let config = LaunchConfig { grid: [blocks as u32, 1, 1], block: [threads, 1, 1], shared_bytes };
    // SAFETY: matvec_several_*(m, k, x, x_row, what `bind_several` says), matvec_silu_mul_*(m, k, x, x_row, gate, its pitch, up, its
    // pitch, n, out), and norm_*, with (k, a, b, sum, alpha, beta, centred, eps) for the first four: x and the weights were checked, m is
    // at most what the kernel has room for, a row whose norm is computed fits in a block's registers and in the shared memory, and each
    // out has m * n elements.
    unsafe { launch.run(config) }?;
    let wrap = |buffer| RocmStorage::new(T::wrap(buffer), device.clone());
    Ok(Some(Products { products: out.into_iter().map(wrap).collect(), sum: sum.map(wrap) }))
}

/// Four times weights, pitch, n, out, bias; the first blocks of the matrices after the first; the activation.
fn bind_several<T: RocmDType>(
    launch: &mut Launch<'_>,
    weights: &[Weight<'_, T>],
    out: &mut [Buffer<T>],
    ends: [u32; MOST_MATRICES],
    epilogue: Epilogue,
) {
    for i in 0..MOST_MATRICES {
        let (Some(weight), Some(out)) = (weights.get(i), out.get_mut(i)) else {
            launch.null().arg(&0usize).arg(&0usize).null().null();
            continue;
        };
        weight.bind(launch);
        launch.arg(&weight.n).buffer_mut(out, 0).pointer(weight.bias.unwrap_or(DevicePtr::NULL));
    }
    for first in &ends[..MOST_MATRICES - 1] {
        launch.arg(first);
    }
    launch.arg(&epilogue.activation());
}

/// m rows of k.
struct FewRows<'a, T: RocmDType> {
    from: Source<'a, T>,
    m: usize,
    k: usize,
}

/// Where they come from.
enum Source<'a, T: RocmDType> {
    Given(&'a Buffer<T>, Matrix),
    NormOfSum(&'a AddNorm<'a>, HeldRows<'a, T>),
}

impl<'a, T: RocmDType> FewRows<'a, T> {
    fn of(op: &'static str, rows: &'a Rows<'a>) -> Result<Option<Self>> {
        Ok(match rows {
            Rows::Given((x, layout)) => {
                let buffer = same::<T>(op, x.slice()?)?;
                let Some((m, k, at)) = strides::as_rows(op, layout)? else { return Ok(None) };
                strides::check(op, &x.device, buffer, at, [1, m, k])?;
                Some(Self { from: Source::Given(buffer, at), m, k })
            }
            Rows::NormOfSum(norm) => norm.held::<T>(op)?.map(|held| {
                let (m, k) = (held.rows, held.cols);
                Self { from: Source::NormOfSum(norm, held), m, k }
            }),
        })
    }

    fn takes(&self, device: &RocmDevice) -> bool {
        let floats = T::DTYPE.is_16_or_32_bit_float();
        let few = match self.from {
            Source::Given(_, at) => (1..=MOST_ROWS).contains(&self.m) && is_dense(at, self.k),
            Source::NormOfSum(..) => self.m == 1 && takes_row(T::DTYPE, self.k),
        };
        floats && few && self.k > 0 && device.gemm_engine() != GemmEngine::Rocblas
    }
}

/// A matrix of n rows, and where their bias begins.
struct Weight<'a, T: RocmDType> {
    buffer: &'a Buffer<T>,
    at: Matrix,
    n: usize,
    bias: Option<DevicePtr>,
}

impl<'a, T: RocmDType> Weight<'a, T> {
    /// Weights `[n, k]` for x `[.., k]`; `None` if x has no dimensions, or they are quantized.
    fn of(op: &'static str, (x, x_l): Operand<'_>, layer: &Linear<'a>) -> Result<Option<Self>> {
        let Weights::Dense((weight, layout)) = layer.weights else { return Ok(None) };
        x.device.check_same(&weight.device, op)?;
        let buffer = same::<T>(op, weight.slice()?)?;
        let Some(k) = x_l.dims().last() else { return Ok(None) };
        match (layout.dims(), layout.stride()) {
            (&[n, columns], &[row, col]) if columns == *k => {
                let at = Matrix { offset: layout.start_offset(), batch: 0, row, col };
                Ok(Some(Self { buffer, at, n, bias: layer.addend_at(op, x, n, None)?.map(|(at, _)| at) }))
            }
            _ => {
                let (lhs, rhs) = (x_l.dims().to_vec(), layout.dims().to_vec());
                Err(RocmError::ShapeMismatch { op, lhs, rhs })
            }
        }
    }

    /// Where the rows are, and their pitch.
    fn bind(&self, launch: &mut Launch<'_>) {
        // An empty buffer, where n = 0, has no element to point to.
        let offset = if self.n == 0 { 0 } else { self.at.offset };
        launch.buffer(self.buffer, offset).arg(&self.at.row);
    }

    /// Whether each row begins in a vector where that of the other does: the kernel reads both in vectors or neither, and a sum's order
    /// depends on that.
    fn is_aligned_as(&self, other: &Self) -> bool {
        let within = |bytes: u64| bytes % VECTOR as u64;
        let start = |of: &Self| of.buffer.as_ptr().byte_add(of.at.offset * size_of::<T>()).address();
        let pitch = |of: &Self| (of.at.row as u64).wrapping_mul(size_of::<T>() as u64);
        let starts = within(start(self)) == within(start(other));
        starts && (self.n <= 1 || within(pitch(self)) == within(pitch(other)))
    }
}

fn is_dense(at: Matrix, k: usize) -> bool {
    at.col == 1 || k == 1
}
