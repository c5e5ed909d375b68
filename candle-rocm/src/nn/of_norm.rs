//! Products of a row that is the norm of a residual connection, which each block computes for itself; launches `matvec.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::MATVEC;

use super::norm::{AddNorm, HeldRows};
use crate::common::launch::KernelName;
use crate::common::linear::Linear;
use crate::common::operand::{Operand, floats, unsupported};
use crate::hip::{Buffer, LaunchConfig};
use crate::matmul::several::{Activation, Blocks, Rows, Weight, aligned_alike, block_of, check_weights};
use crate::matmul::several::{config, dense, results, serves, weight_rows};
use crate::matmul::{Matrix, strides};
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmError, RocmStorage};

/// Bytes of a row at most: each block keeps it in shared memory, and as many blocks as usual should be resident.
const MOST_BYTES: usize = 16 << 10;

/// The sum of a residual connection, and what [`matmul_several`] gives for its norm, all in one launch: `a` and `b` are one row of k, each
/// of the weights `[n, k]`, its product `[n]`. The sum is bit by bit that of the operations one by one.
/// So are the products, but for the order in which the norm adds its squares.
///
/// `None` where there is no such kernel: for several rows or those that [`add_rms_norm`] does not take, rows of more than 16 KiB, and
/// as [`matmul_several`].
///
/// # Errors
/// As [`rms_norm`] of the sum and [`matmul_several`].
///
/// [`add_rms_norm`]: crate::nn::add_rms_norm
/// [`rms_norm`]: crate::nn::rms_norm
/// [`matmul_several`]: crate::nn::matmul_several
pub fn add_norm_matmul_several(
    norm: &AddNorm<'_>,
    layers: &[Linear<'_, (&RocmStorage, &Layout)>],
    activation: Option<Activation>,
) -> Result<Option<(RocmStorage, Vec<RocmStorage>)>, RocmError> {
    const OP: &str = "add_norm_matmul_several";
    let x = norm.a.0;
    floats(OP, x)?;
    each_dtype!(x.dtype(), T => several::<T>(OP, norm, layers, activation), else unsupported(OP, x))
}

/// The same with [`matmul_silu_mul`](crate::nn::matmul_silu_mul): the sum, and `silu(x gate') * (x up')` of its norm x.
///
/// # Errors
/// As [`rms_norm`](crate::nn::rms_norm) of the sum and [`matmul_silu_mul`](crate::nn::matmul_silu_mul).
pub fn add_norm_matmul_silu_mul(
    norm: &AddNorm<'_>,
    gate: (&RocmStorage, &Layout),
    up: (&RocmStorage, &Layout),
) -> Result<Option<[RocmStorage; 2]>, RocmError> {
    const OP: &str = "add_norm_matmul_silu_mul";
    let x = norm.a.0;
    floats(OP, x)?;
    each_dtype!(x.dtype(), T => silu_mul::<T>(OP, norm, gate, up), else unsupported(OP, x))
}

/// Whether a row of so many elements is one that the kernels take, if it is aligned.
pub(crate) fn takes_row(dtype: DType, k: usize) -> bool {
    let bytes = k * dtype.size_in_bytes();
    bytes <= MOST_BYTES && bytes.is_multiple_of(16)
}

/// The row, if there is one that the kernels take.
fn row<'a, T: RocmDType>(op: &'static str, norm: &AddNorm<'a>) -> Result<Option<HeldRows<'a, T>>, RocmError> {
    let device = &norm.a.0.device;
    let fits = |held: &HeldRows<'_, T>| {
        let at = Matrix::row_major(0, held.rows, held.cols);
        held.rows == 1 && takes_row(T::DTYPE, held.cols) && serves::<T>(device, at, held.rows, held.cols)
    };
    Ok(norm.held::<T>(op)?.filter(fits))
}

fn several<T: RocmDType>(
    op: &'static str,
    norm: &AddNorm<'_>,
    layers: &[Linear<'_, Operand<'_>>],
    activation: Option<Activation>,
) -> Result<Option<(RocmStorage, Vec<RocmStorage>)>, RocmError> {
    let device = &norm.a.0.device;
    let weights = layers.iter().map(|layer| weight_rows::<T>(op, norm.a, layer));
    let weights: Option<Vec<Weight<'_, T>>> = weights.collect::<Result<_, _>>()?;
    let (Some(held), Some(weights)) = (row::<T>(op, norm)?, weights) else { return Ok(None) };
    let k = held.cols;
    let fit = check_weights(op, device, &weights, k)?;
    let Some(blocks) = Blocks::of(device, 1, &weights).filter(|blocks| fit && !blocks.is_empty()) else {
        return Ok(None);
    };
    let (mut sum, mut out) = (device.alloc::<T>(k)?, results(op, device, 1, &weights)?);
    let name = KernelName::new(format_args!("norm_matvec_several_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&MATVEC, name.as_str());
    launch.arg(&(k as u32));
    norm.bind(&held, &mut launch, &mut sum);
    blocks.bind(&mut launch, &weights, &mut out, activation);
    // SAFETY: norm_matvec_several_*(k, a, b, sum, alpha, beta, centred, eps, what `bind` says): the row fits in a block's registers and
    // in the shared memory, the weights were checked, each out has n elements.
    unsafe { launch.run(blocks.config(k * size_of::<T>())) }?;
    let wrap = |buffer| RocmStorage::new(T::wrap(buffer), device.clone());
    Ok(Some((wrap(sum), out.into_iter().map(wrap).collect())))
}

fn silu_mul<'a, T: RocmDType>(
    op: &'static str,
    norm: &AddNorm<'_>,
    gate: Operand<'a>,
    up: Operand<'a>,
) -> Result<Option<[RocmStorage; 2]>, RocmError> {
    let device = &norm.a.0.device;
    if gate.1.dims() != up.1.dims() {
        let (lhs, rhs) = (gate.1.dims().to_vec(), up.1.dims().to_vec());
        return Err(RocmError::ShapeMismatch { op, lhs, rhs });
    }
    let rows = |weights: Operand<'a>| weight_rows::<T>(op, norm.a, &weights.into());
    let (gate, up) = (rows(gate)?, rows(up)?);
    let (Some(held), Some(gate), Some(up)) = (row::<T>(op, norm)?, gate, up) else { return Ok(None) };
    let (k, n) = (held.cols, gate.n);
    let ((gate, at_gate), (up, at_up)): (Rows<'_, T>, Rows<'_, T>) = (gate.rows, up.rows);
    strides::check(op, device, gate, at_gate, [1, n, k])?;
    strides::check(op, device, up, at_up, [1, n, k])?;
    let (threads, columns) = block_of(device, 1);
    let blocks = n.div_ceil(columns);
    let fit = dense(at_gate, k) && dense(at_up, k) && aligned_alike((gate, at_gate), (up, at_up), n);
    if !fit || n == 0 || blocks > LaunchConfig::most_blocks(threads as usize) {
        return Ok(None);
    }
    let (mut sum, mut out): (Buffer<T>, Buffer<T>) = (device.alloc(k)?, device.alloc(n)?);
    let name = KernelName::new(format_args!("norm_matvec_silu_mul_{}", T::KERNEL_DTYPE));
    let mut launch = device.launch(&MATVEC, name.as_str());
    launch.arg(&(k as u32));
    norm.bind(&held, &mut launch, &mut sum);
    launch.buffer(gate, at_gate.offset).arg(&at_gate.row).buffer(up, at_up.offset).arg(&at_up.row);
    launch.arg(&n).buffer_mut(&mut out, 0);
    // SAFETY: norm_matvec_silu_mul_*(k, a, b, sum, alpha, beta, centred, eps, gate, its pitch, up, its pitch, n, out): the row fits in a
    // block's registers and in the shared memory, both matrices were checked, out has n elements.
    unsafe { launch.run(config(blocks, threads, k * size_of::<T>())) }?;
    Ok(Some([sum, out].map(|buffer| RocmStorage::new(T::wrap(buffer), device.clone()))))
}
