//! A candle program on a ROCm device: only the line that opens the device differs.

use candle_core::{Device, Result, Tensor};
use candle_rocm as _; // links the backend

fn main() -> Result<()> {
    let device = Device::new_rocm(0)?;
    let x = Tensor::new(&[[1f32, 2., 3.], [4., 5., 6.]], &device)?;
    let y = ((x.exp()? + 1.)? * &x)?.t()?.contiguous()?;
    println!("{y}");
    Ok(())
}

#[test]
fn runs_without_a_card() -> Result<()> {
    if std::env::var_os("CANDLE_ROCM_PLATFORM").is_none() {
        candle_rocm::hip::set_default_platform(candle_rocm::platform::HOST);
    }
    main()
}
