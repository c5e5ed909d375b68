//! The smallest external backend. A real one has its own types in the place of `CpuDevice` and `CpuStorage`, for which it implements
//! candle's `BackendDevice` and `BackendStorage`, and `Backend`, whose methods all have defaults. candle-core does not know it.

use candle_core::cpu_backend::CpuDevice;
use candle_core::external::{register, ExternalDevice, Registration};
use candle_core::{Device, Result};

/// The first device of this backend.
pub fn device() -> Result<Device> {
    let open = |_| Ok(ExternalDevice::wrap(CpuDevice));
    // A second call changes nothing.
    register(Registration { name: "external-cpu", count: || Ok(1), open });
    Device::new_external(0)
}

#[cfg(test)]
mod tests {
    use candle_core::Tensor;

    use super::*;

    #[test]
    fn a_program_uses_it_like_any_device() -> Result<()> {
        let x = Tensor::new(&[1f32, 2., 3.], &device()?)?;
        assert_eq!((x * 2.)?.to_vec1::<f32>()?, [2., 4., 6.]);
        Ok(())
    }
}
