//! candle-rocm without candle's `Tensor`: what a storage and a layout are. `cargo run -p candle-rocm --example storage`, with
//! `--features host` and `CANDLE_ROCM_PLATFORM=host` on a machine without an AMD card.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, Layout, Result};
use candle_rocm::{RocmDevice, RocmStorage};

/// The elements of a storage, in their order in memory.
fn download(storage: &RocmStorage) -> Result<Vec<f32>> {
    match storage.to_cpu_storage()? {
        CpuStorage::F32(values) => Ok(values),
        other => candle_core::bail!("expected f32, got {:?}", other.dtype()),
    }
}

fn main() -> Result<()> {
    let device = RocmDevice::new(0)?;
    println!("on {} ({})", device.label(), device.arch());

    // A storage is memory and a dtype. Shapes are the layout's: here, two rows of three.
    let a = device.storage_from_slice(&[1f32, 2., 3., 4., 5., 6.])?;
    let rows = Layout::contiguous((1, 2, 3));
    // A transpose is another layout of the same memory.
    let columns = rows.transpose(1, 2)?;

    // Batch, m, n, k: [2, 3] times its transpose.
    let product = a.matmul(&a, (1, 2, 2, 3), &rows, &columns)?;
    println!("a times its transpose: {:?}", download(&product)?);
    assert_eq!(download(&product)?, [14., 32., 32., 77.]);

    // Operations take any layout; their results are contiguous.
    let transposed = a.affine(&columns, 1., 0.)?;
    println!("its transpose, written out: {:?}", download(&transposed)?);
    assert_eq!(download(&transposed)?, [1., 4., 2., 5., 3., 6.]);
    Ok(())
}

#[test]
fn runs_without_a_card() -> Result<()> {
    if std::env::var_os("CANDLE_ROCM_PLATFORM").is_none() {
        candle_rocm::hip::set_default_platform(candle_rocm::platform::HOST);
    }
    main()
}
