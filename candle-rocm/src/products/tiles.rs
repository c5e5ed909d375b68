//! With quantized matrices and many rows, which are quantized once; a launch of `quantized_mat_mat.hip` for each matrix or each gate.

use candle_core::DType;

use super::operands::{Layer, Operands};
use super::{Epilogue, ProductLaunch, Products, Rows};
use crate::quantized::{MOST, MOST_TILED, TileEpilogue, TiledVectors};
use crate::{Result, RocmDType, RocmStorage, RocmStorageSlice};

pub(super) fn run(described: &ProductLaunch<'_>, operands: Operands<'_>) -> Result<Option<Products>> {
    let Operands { x, offset, vectors, columns, layers, outputs } = operands;
    let (device, dtype, epilogue) = (&x.device, x.dtype(), described.epilogue);
    let alike = layers.windows(2).all(|pair| pair[0].weights.kind == pair[1].weights.kind);
    let gated = epilogue == Epilogue::Gated;
    let known = matches!(described.rows, Rows::Given(_)) && dtype == DType::F32;
    let fits = vectors <= MOST && (1..=MOST_TILED).contains(&columns);
    if !known || !fits || (gated && !(alike && device.has_kernels_of_byte_matrix_cores())) {
        return Ok(None);
    }
    let wrap = |slice| RocmStorage::new(slice, device.clone());
    if layers.iter().all(|layer| layer.weights.rows == 0) {
        let none = (0..outputs).map(|_| RocmStorageSlice::uninit(device, 0, dtype).map(wrap));
        return Ok(Some(Products { products: none.collect::<Result<_>>()?, sum: None }));
    }
    let x = TiledVectors::new((x, offset), (vectors, columns))?;
    let products = match &layers[..] {
        [gate, up] if gated => vec![wrap(f32::wrap(gate.weights.tiles_silu_mul(&up.weights, &x)?))],
        layers => {
            let product = |&Layer { ref weights, addend }: &Layer<'_>| {
                let epilogue = TileEpilogue { addend, activation: epilogue.activation() };
                Ok(wrap(f32::wrap(weights.tiles(&x, epilogue)?)))
            };
            layers.iter().map(product).collect::<Result<_>>()?
        }
    };
    Ok(Some(Products { products, sum: None }))
}
