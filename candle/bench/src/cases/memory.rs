//! The cost of allocating memory and of reading a result back.

use candle_core::{DType, Device, Result, Tensor};

use super::Plan;
use crate::bars::Bar;
use crate::case::Case;

const GROUP: &str = "memory";

/// Allocations per call.
const ALLOCATIONS: usize = 100;

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let large = plan.dim(32000);
    vec![
        Case::new(GROUP, "alloc_free", DType::F32, "4096", |side| {
            let x = side.uniform(&[1], DType::F32)?;
            let device = side.device.clone();
            Ok(Box::new(move || {
                (0..ALLOCATIONS).try_for_each(|_| allocate(&device, 4096))?;
                Ok(x.clone())
            }))
        })
        .calls(ALLOCATIONS)
        .bar(Bar::Micros(0.3)),
        Case::new(GROUP, "to_scalar", DType::F32, "1", |side| {
            let x = side.uniform(&[1], DType::F32)?.squeeze(0)?;
            Ok(Box::new(move || x.to_scalar::<f32>().map(|_| x.clone())))
        })
        .torch("x = u(1)", "x.item()"),
        Case::new(GROUP, "to_vec1", DType::F32, large.to_string(), move |side| {
            let x = side.uniform(&[large], DType::F32)?;
            Ok(Box::new(move || x.to_vec1::<f32>().map(|_| x.clone())))
        })
        .torch(format!("x = u({large})"), "x.cpu()"),
        Case::new(GROUP, "affine_synchronized", DType::F32, "1x4096", |side| {
            let x = side.uniform(&[1, 4096], DType::F32)?;
            Ok(Box::new(move || {
                let y = x.affine(1.5, 0.5)?;
                x.device().synchronize()?;
                Ok(y)
            }))
        })
        .torch("x = u(1, 4096)", "torch.add(half, x, alpha=1.5); torch.cuda.synchronize()"),
    ]
}

/// Allocates and frees memory for the given number of floats.
fn allocate(device: &Device, floats: usize) -> Result<()> {
    match device {
        Device::Cpu => {
            std::hint::black_box(Vec::<f32>::with_capacity(floats));
            Ok(())
        }
        #[cfg(feature = "cuda")]
        // SAFETY: the memory is not read.
        Device::Cuda(device) => unsafe { device.alloc::<f32>(floats) }.map(drop),
        _ => {
            let rocm = device.as_rocm_device()?.downcast_ref::<candle_rocm::RocmDevice>();
            match rocm {
                Some(rocm) => rocm.alloc::<f32>(floats).map(drop).map_err(candle_core::Error::from),
                // There is no way to allocate without filling.
                None => Tensor::zeros(floats, DType::F32, device).map(drop),
            }
        }
    }
}
