//! Tensors moved between devices, stored in files and shared by threads.

use std::collections::HashMap;

use candle_core::{CpuStorage, DType, Device, Result, Tensor, Var};
use candle_rocm_tests::{devices, stand_in};

fn all() -> Vec<Device> {
    devices().into_iter().chain([stand_in()]).collect()
}

#[test]
fn copies_between_devices_are_exact() -> Result<()> {
    let all = all();
    let bits: Vec<u32> = (0..1001u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let values: Vec<f32> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
    let cpu = Tensor::new(values.as_slice(), &Device::Cpu)?;
    for from in &all {
        let there = cpu.to_device(from)?;
        assert!(there.device().same_device(from));
        for to in all.iter().chain([&Device::Cpu]) {
            let back = there.to_device(to)?.to_vec1::<f32>()?;
            assert_eq!(
                back.iter().map(|value| value.to_bits()).collect::<Vec<_>>(),
                bits,
                "{from:?} to {to:?}"
            );
        }
    }
    Ok(())
}

#[test]
fn strided_and_empty_tensors_move() -> Result<()> {
    for device in all() {
        let tensor = Tensor::arange(0u32, 24, &Device::Cpu)?.reshape((2, 3, 4))?;
        let strided = tensor.to_device(&device)?.transpose(0, 2)?.narrow(1, 1, 2)?;
        assert_eq!(
            strided.to_device(&Device::Cpu)?.to_vec3::<u32>()?,
            tensor.transpose(0, 2)?.narrow(1, 1, 2)?.to_vec3::<u32>()?
        );
        let empty = Tensor::zeros((0, 3), DType::F32, &Device::Cpu)?.to_device(&device)?;
        assert_eq!(empty.to_device(&Device::Cpu)?.to_vec2::<f32>()?, Vec::<Vec<f32>>::new());
    }
    Ok(())
}

#[test]
fn operands_on_different_devices_are_an_error() -> Result<()> {
    for device in devices() {
        let here = Tensor::ones(3, DType::F32, &device)?;
        let error = (&here + Tensor::ones(3, DType::F32, &Device::Cpu)?).unwrap_err().to_string();
        assert!(error.contains("device mismatch in add"), "{error}");
        // Another device on the same card: same location, different stream.
        for other in devices() {
            let there = Tensor::ones(3, DType::F32, &other)?;
            (&here + &there).unwrap_err();
            (&here + there.to_device(&device)?)?;
        }
    }
    Ok(())
}

#[test]
fn safetensors_files_round_trip() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for device in all() {
        let path = folder.path().join("tensors.safetensors");
        let x = Tensor::arange(0f32, 6., &Device::Cpu)?.reshape((2, 3))?;
        let there = HashMap::from([
            ("x".to_owned(), x.to_device(&device)?),
            ("half".to_owned(), x.to_dtype(DType::BF16)?.to_device(&device)?),
        ]);
        candle_core::safetensors::save(&there, &path)?;
        let loaded = candle_core::safetensors::load(&path, &device)?;
        assert!(loaded["x"].device().same_device(&device));
        assert_eq!(loaded["x"].to_vec2::<f32>()?, x.to_vec2::<f32>()?);
        assert_eq!(loaded["half"].dtype(), DType::BF16);

        let path = folder.path().join("x.npy");
        there["x"].write_npy(&path)?;
        assert_eq!(Tensor::read_npy(&path)?.to_device(&device)?.to_vec2::<f32>()?, x.to_vec2::<f32>()?);
    }
    Ok(())
}

/// Data types without operations: their bytes must be preserved.
#[test]
fn raw_types_load_onto_a_device() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("raw.safetensors");
    let bytes: Vec<u8> = (0..16).collect();
    let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F8_E8M0, vec![16], &bytes).unwrap();
    safetensors::serialize_to_file([("scales", view)], None, &path).unwrap();
    for device in all() {
        let loaded = candle_core::safetensors::load(&path, &device)?;
        assert_eq!(loaded["scales"].dtype(), DType::F8E8M0);
        let cpu = loaded["scales"].to_device(&Device::Cpu)?;
        let (storage, _) = cpu.storage_and_layout();
        let candle_core::Storage::Cpu(CpuStorage::F8E8M0(found)) = &*storage else { panic!("{storage:?}") };
        assert_eq!(*found, bytes);
    }
    Ok(())
}

#[test]
fn variables_are_set_in_place() -> Result<()> {
    for device in all() {
        let variable = Var::new(&[1f32, 2., 3.], &device)?;
        let alias = variable.as_tensor().clone();
        variable.set(&(variable.as_tensor() * 2.)?)?;
        assert_eq!(alias.to_vec1::<f32>()?, [2., 4., 6.]);
    }
    Ok(())
}

#[test]
fn threads_share_a_tensor() -> Result<()> {
    for device in all() {
        let x = Tensor::arange(0f32, 1000., &device)?;
        let expected: Vec<f32> = (0..1000).map(|i| i as f32 * 3. + 1.).collect();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let y = ((&x + &x).unwrap() + x.affine(1., 1.).unwrap()).unwrap();
                        assert_eq!(y.to_vec1::<f32>().unwrap(), expected);
                    }
                });
            }
        });
    }
    Ok(())
}

/// PyTorch files from candle's own tests.
#[test]
fn pickles_load_onto_a_device() -> Result<()> {
    let tests = std::path::Path::new(env!("CANDLE_CORE_SOURCE")).join("tests");
    if !candle_rocm_tests::has_sources() {
        return Ok(());
    }
    let cpu = candle_core::pickle::PthTensors::new(tests.join("fortran_tensor_3d.pth"), None)?
        .get("tensor_fortran")?
        .expect("a tensor in the file");
    for device in all() {
        let vb = candle_nn::VarBuilder::from_pth(tests.join("fortran_tensor_3d.pth"), DType::I64, &device)?;
        let tensor = vb.get((2, 3, 4), "tensor_fortran")?;
        assert!(tensor.device().same_device(&device));
        assert_eq!(tensor.to_vec3::<i64>()?, cpu.to_vec3::<i64>()?);
        let npz = Tensor::read_npz(tests.join("test.npz"))?;
        for (name, tensor) in npz {
            let there = tensor.to_device(&device)?;
            assert_eq!(there.dims(), tensor.dims(), "{name}");
        }
    }
    Ok(())
}

#[test]
fn optimizers_update_variables_in_place() -> Result<()> {
    use candle_nn::Optimizer;

    for device in all() {
        let x = Var::new(&[3f32, -2.], &device)?;
        let loss = |x: &Var| x.as_tensor().sqr()?.sum_all();
        // x - 0.1 * 2x
        candle_nn::SGD::new(vec![x.clone()], 0.1)?.backward_step(&loss(&x)?)?;
        for (x, expected) in x.as_tensor().to_vec1::<f32>()?.into_iter().zip([2.4, -1.6]) {
            assert!((x - expected).abs() < 1e-6, "{x}");
        }
        let mut adam = candle_nn::AdamW::new_lr(vec![x.clone()], 0.1)?;
        for _ in 0..100 {
            adam.backward_step(&loss(&x)?)?;
        }
        assert!(loss(&x)?.to_scalar::<f32>()? < 1e-2);
        assert!(x.as_tensor().device().same_device(&device));
    }
    Ok(())
}
