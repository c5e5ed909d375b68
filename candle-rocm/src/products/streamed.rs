//! With quantized matrices of one type and a single row, by `Algorithm::Streamed`; launches `quantized_stream.hip`.

use super::operands::{Layer, Operands};
use super::{Epilogue, MOST_MATRICES, ProductLaunch, Products, Rows};
use crate::common::launch::KernelName;
use crate::hip::DevicePtr;
use crate::nn::AddNorm;
use crate::quantized::MOST;
use crate::quantized::stream::{StreamConfig, kind};
use crate::storage_slice::each_dtype;
use crate::{Launch, Result, RocmDType, RocmStorage, RocmStorageSlice};

pub(super) fn run(
    op: &'static str,
    described: &ProductLaunch<'_>,
    operands: Operands<'_>,
) -> Result<Option<Products>> {
    let Operands { x, offset, columns, layers, outputs, .. } = operands;
    let (device, dtype, gated) = (&x.device, x.dtype(), described.epilogue == Epilogue::Gated);
    let alike = layers.windows(2).all(|pair| pair[0].weights.kind == pair[1].weights.kind);
    let known = !matches!(described.epilogue, Epilogue::Activation(_));
    let Some(Layer { weights: first, .. }) = layers.first().filter(|_| alike && known) else {
        return Ok(None);
    };
    let norm = match &described.rows {
        Rows::Given(_) => None,
        Rows::NormOfSum(norm) => match each_dtype!(dtype, T => pointers::<T>(op, norm)?, else None) {
            Some(pointers) => Some((pointers, norm.eps)),
            None => return Ok(None),
        },
    };
    let rows = layers.iter().fold(0usize, |rows, layer| rows.saturating_add(layer.weights.rows));
    let plan = StreamConfig::new(device, first.kind, (rows, columns), 1, None);
    let fits = columns > 0 && rows <= MOST && (norm.is_none() || rows > 0);
    let Some(plan) = plan.filter(|_| fits) else { return Ok(None) };
    let room = |len| RocmStorageSlice::uninit(device, len, dtype);
    let out = layers[..outputs].iter().map(|layer| room(layer.weights.rows)).collect::<Result<Vec<_>>>()?;
    let sum = norm.map(|_| room(columns)).transpose()?;
    if rows > 0 {
        let kernel = if gated { "stream_silu_mul" } else { "stream_several" };
        let name = KernelName::new(format_args!("{kernel}_{}", first.name));
        let mut launch = device.launch(first.kind.modules().stream, name.as_str());
        let at = x.slice()?.address().byte_add(offset * dtype.size_in_bytes());
        launch.pointer(at).arg(&kind(dtype)).arg(&(columns as u32));
        match (&layers[..], &out[..]) {
            ([gate, up], [out]) if gated => {
                launch.buffer(gate.weights.blocks, 0).buffer(up.weights.blocks, 0);
                launch.pointer(out.address()).arg(&(first.rows as u32));
            }
            (layers, out) => bind_several(&mut launch, layers, out),
        }
        match (norm, &sum) {
            (Some(([b, alpha], eps)), Some(sum)) => {
                launch.pointer(b).pointer(alpha).pointer(sum.address()).arg(&eps)
            }
            _ => launch.null().null().null().arg(&0.0f32),
        };
        // SAFETY: stream_several_*(x, its kind, columns, four times blocks, out, rows, bias, b, alpha, sum, eps), stream_silu_mul_*(x,
        // its kind, columns, blocks of both, out, rows, b, alpha, sum, eps): the blocks of each matrix are rows x columns weights, its
        // out and its bias have as many elements as it has rows, x, b, alpha and sum have `columns` values; shared memory is what the
        // plan says.
        unsafe { launch.run(plan.config(device, rows, if gated { 2 } else { 1 })) }?;
    }
    let wrap = |slice| RocmStorage::new(slice, device.clone());
    Ok(Some(Products { products: out.into_iter().map(wrap).collect(), sum: sum.map(wrap) }))
}

fn bind_several(launch: &mut Launch<'_>, layers: &[Layer<'_>], out: &[RocmStorageSlice]) {
    for i in 0..MOST_MATRICES {
        match (layers.get(i), out.get(i)) {
            (Some(Layer { weights, addend }), Some(out)) => {
                launch.buffer(weights.blocks, 0).pointer(out.address()).arg(&(weights.rows as u32));
                launch.pointer(addend.map_or(DevicePtr::NULL, |(at, _)| at))
            }
            _ => launch.null().null().arg(&0u32).null(),
        };
    }
}

/// Where b and alpha of a norm are, if this is an RMS norm that kernels take.
fn pointers<T: RocmDType>(op: &'static str, norm: &AddNorm<'_>) -> Result<Option<[DevicePtr; 2]>> {
    let rms = !norm.centred && norm.beta.is_none();
    Ok(norm.held::<T>(op)?.filter(|_| rms).and_then(|held| held.second_and_factors()))
}
