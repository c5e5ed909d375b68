//! With quantized matrices and many rows, which are quantized once; a launch of `quantized_mat_mat.hip` for each matrix or each gate.

use candle_core::DType;

use super::quantized::{Given, Layer};
use super::{Epilogue, ProductLaunch, Products, Rows};
use crate::quantized::{MOST, MOST_TILED, TileEpilogue, TiledVectors, has_gated_tiles};
use crate::{Result, RocmDType, RocmStorage, RocmStorageSlice};

pub(super) fn run(described: &ProductLaunch<'_>, given: Given<'_>) -> Result<Option<Products>> {
    let Given { x, offset, vectors, columns, layers, .. } = given;
    let (device, dtype, epilogue) = (&x.device, x.dtype(), described.epilogue);
    let alike = layers.windows(2).all(|pair| pair[0].weights.kind == pair[1].weights.kind);
    let gated = epilogue == Epilogue::Gated;
    let known = matches!(described.rows, Rows::Given(_)) && dtype == DType::F32;
    let fits = vectors <= MOST && (1..=MOST_TILED).contains(&columns);
    if !known || !fits || (gated && !(alike && has_gated_tiles(device))) {
        return Ok(None);
    }
    let x = TiledVectors::new((x, offset), (vectors, columns))?;
    let wrap = |slice| RocmStorage::new(slice, device.clone());
    let products = match &layers[..] {
        layers if layers.iter().all(|layer| layer.weights.rows == 0) => {
            let none = || RocmStorageSlice::uninit(device, 0, dtype).map(wrap);
            (0..given.outputs).map(|_| none()).collect::<Result<_>>()?
        }
        [gate, up] if gated => vec![wrap(f32::wrap(gate.weights.tiles_silu_mul(&up.weights, &x)?))],
        layers => {
            let activation = match epilogue {
                Epilogue::Activation(activation) => activation as u32,
                Epilogue::None | Epilogue::Gated => 0,
            };
            let product = |&Layer { ref weights, addend }: &Layer<'_>| {
                let product = weights.tiles(&x, TileEpilogue { addend, activation })?;
                Ok(wrap(f32::wrap(product)))
            };
            layers.iter().map(product).collect::<Result<_>>()?
        }
    };
    Ok(Some(Products { products, sum: None }))
}
