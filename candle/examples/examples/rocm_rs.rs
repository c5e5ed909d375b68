//! The crate rocm-rs and candle on the same memory: rocRAND fills a tensor where it is, and memory of rocm-rs becomes a tensor and
//! comes back.
//!
//! rocm-rs is linked to ROCm's libraries, rocRAND among them, and built from their headers: without ROCm this example neither
//! builds nor starts. `cargo run --features rocm-rs --example rocm_rs`

use std::cell::RefCell;

use candle_core::{CpuStorage, Device, Error, InplaceOp1, Layout, Result, Tensor};
use candle_rocm::hip::Buffer;
use candle_rocm::{
    RocmDevice, RocmError, RocmStorage, RocmStorageSlice, tensor_from_buffer, tensor_into_buffer,
};
use rocm_rs::hip::{DeviceMemory, stream_to_rocrand};
use rocm_rs::rocrand::{Generator, PseudoRng, rng_type};

/// Fills a tensor with numbers above 0, up to 1.
struct Uniform {
    generator: RefCell<PseudoRng>,
}

impl Uniform {
    fn new(seed: u64) -> Result<Self> {
        let mut generator = PseudoRng::new(rng_type::PHILOX4_32_10).map_err(Error::wrap)?;
        generator.set_seed(seed).map_err(Error::wrap)?;
        Ok(Self { generator: RefCell::new(generator) })
    }
}

impl InplaceOp1 for Uniform {
    fn name(&self) -> &'static str {
        "rocrand_uniform"
    }

    fn cpu_fwd(&self, _: &mut CpuStorage, _: &Layout) -> Result<()> {
        candle_core::bail!("rocrand_uniform fills tensors on a ROCm device")
    }

    fn rocm_fwd(&self, storage: &mut candle_core::RocmStorage, layout: &Layout) -> Result<()> {
        let storage: &mut RocmStorage =
            storage.downcast_mut().ok_or(Error::Msg("not candle-rocm's storage".into()))?;
        let device = storage.device.clone();
        let RocmStorageSlice::F32(buffer) = storage.slice_mut()? else {
            candle_core::bail!("rocrand_uniform fills f32")
        };
        if layout.contiguous_offsets() != Some((0, buffer.len())) {
            candle_core::bail!("rocrand_uniform fills whole contiguous tensors")
        }
        let mut generator = self.generator.borrow_mut();
        // SAFETY: the stream is lent to the end of this function, and not cloned; the generator is given one anew whenever it runs.
        let stream = unsafe { device.stream().as_rocm_rs() }.map_err(RocmError::from)?;
        // SAFETY: `generate_uniform` leaves the memory in its place.
        let mut memory = unsafe { buffer.as_rocm_rs_mut() }.map_err(RocmError::from)?;
        // SAFETY: the stream is of the device that the memory is on, and lives until the numbers are queued.
        unsafe { generator.set_stream(stream_to_rocrand(&stream)) }.map_err(Error::wrap)?;
        generator.generate_uniform(&mut memory).map_err(Error::wrap)
    }
}

/// A tensor of candle's that rocRAND fills.
fn in_place(device: &Device) -> Result<Tensor> {
    let x = Tensor::zeros((1000, 32), candle_core::DType::F32, device)?;
    x.inplace_op1(&Uniform::new(1)?)?;
    Ok(x)
}

/// Memory of rocm-rs's as a tensor, and back. Returns the mean that candle computed, and the values that rocm-rs read afterwards.
fn there_and_back(device: &Device) -> Result<(f32, Vec<f32>)> {
    let rocm: &RocmDevice =
        device.as_rocm_device()?.downcast_ref().ok_or(Error::Msg("not candle-rocm's device".into()))?;
    // rocm-rs allocates on the current device.
    rocm.hip_device().bind().map_err(RocmError::from)?;
    let mut memory = DeviceMemory::<f32>::new(6000).map_err(Error::wrap)?;
    Uniform::new(2)?.generator.get_mut().generate_uniform(&mut memory).map_err(Error::wrap)?;
    let address = memory.as_ptr();

    let buffer = Buffer::from_rocm_rs(memory, rocm.pool()).map_err(RocmError::from)?;
    let x = tensor_from_buffer(buffer, (100, 60), device)?;
    let mean = x.mean_all()?.to_scalar::<f32>()?;

    // Nothing else uses the tensor any more.
    let buffer = tensor_into_buffer::<f32>(x).map_err(RocmError::from)?;
    let memory = buffer.into_rocm_rs().map_err(RocmError::from)?;
    assert_eq!(memory.as_ptr(), address, "nothing was copied");
    let mut values = vec![0.; memory.count()];
    memory.copy_to_host(&mut values).map_err(Error::wrap)?;
    Ok((mean, values))
}

fn main() -> Result<()> {
    let device = Device::new_rocm(0)?;
    let x = in_place(&device)?;
    println!("rocRAND in candle's tensor:\n{}", x.narrow(0, 0, 4)?.narrow(1, 0, 4)?);
    println!("its mean: {}", x.mean_all()?);
    let (mean, values) = there_and_back(&device)?;
    println!("{} numbers of rocm-rs, their mean by candle: {mean}", values.len());
    Ok(())
}

#[test]
fn a_tensor_is_filled_where_it_is() -> Result<()> {
    let values = in_place(&Device::new_rocm(0)?)?.flatten_all()?.to_vec1::<f32>()?;
    assert!(values.iter().all(|&x| 0. < x && x <= 1.));
    let mean = values.iter().sum::<f32>() / values.len() as f32;
    assert!((mean - 0.5).abs() < 0.01, "{mean}");
    Ok(())
}

#[test]
fn memory_becomes_a_tensor_and_comes_back() -> Result<()> {
    let (mean, values) = there_and_back(&Device::new_rocm(0)?)?;
    let expected = values.iter().sum::<f32>() / values.len() as f32;
    assert!((mean - expected).abs() < 1e-5, "{mean}, expected {expected}");
    assert!((mean - 0.5).abs() < 0.02, "{mean}");
    Ok(())
}

#[test]
fn a_tensor_in_use_is_not_given_back() -> Result<()> {
    let x = in_place(&Device::new_rocm(0)?)?;
    let view = x.narrow(0, 0, 1)?;
    let refused = tensor_into_buffer::<f32>(x).err().expect("a view of it is in use");
    drop(view);
    let buffer = tensor_into_buffer::<f32>(refused.value).map_err(RocmError::from)?;
    let refused = buffer.into_rocm_rs().err().expect("candle's own memory stays candle's");
    println!("{}", refused.error);
    assert_eq!(refused.value.len(), 32_000);
    Ok(())
}
