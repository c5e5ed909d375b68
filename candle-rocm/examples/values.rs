//! A few operations, and their values to the last bit: what `cargo xtask windows` compares between systems. `cargo run -p candle-rocm
//! --example values`, with `--features host` and `CANDLE_ROCM_PLATFORM=host` on a machine without an AMD card.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::quantized::GgmlDType;
use candle_core::{CpuStorage, Layout, Result};
use candle_rocm::quantized::QStorage;
use candle_rocm::{RocmDevice, RocmStorage, nn};

const ROWS: usize = 2;
const COLUMNS: usize = 256;
/// Rows of the weights.
const OUTPUTS: usize = 8;

fn main() -> Result<()> {
    let device = RocmDevice::new(0)?;
    eprintln!("on {} ({})", device.label(), device.arch());

    let x = device.storage_from_slice(&numbers(ROWS * COLUMNS))?;
    let layout = Layout::contiguous((ROWS, COLUMNS));
    show("x", &x)?;
    show("affine", &x.affine(&layout, 0.5, -1.)?)?;
    show("softmax", &nn::softmax_last_dim(&x, &layout)?)?;

    let plain = device.storage_from_slice(&numbers(OUTPUTS * COLUMNS))?;
    let columns = Layout::contiguous((1, OUTPUTS, COLUMNS)).transpose(1, 2)?;
    let rows = Layout::contiguous((1, ROWS, COLUMNS));
    show("product", &x.matmul(&plain, (1, ROWS, OUTPUTS, COLUMNS), &rows, &columns)?)?;

    let mut weights = QStorage::zeros(&device, OUTPUTS * COLUMNS, GgmlDType::Q4K)?;
    weights.quantize(&plain, None)?;
    show("quantized product", &weights.forward((OUTPUTS, COLUMNS), &x, &layout)?)
}

/// Numbers of both signs, between -3.2 and 3.2.
fn numbers(len: usize) -> Vec<f32> {
    (0..len).map(|i| ((i * 37 % 101) as f32 - 50.) / 16.).collect()
}

fn show(name: &str, storage: &RocmStorage) -> Result<()> {
    let CpuStorage::F32(values) = storage.to_cpu_storage()? else {
        candle_core::bail!("{name}: expected f32, got {:?}", storage.dtype())
    };
    println!("{name}: {values:?}");
    Ok(())
}
