//! Programs that were written for CUDA: its names give ROCm devices. Each test has a process of its own, as the choice is a process's.

use candle_core::backend::BackendStorage;
use candle_core::rocm::{AsCuda, as_cuda, set_as_cuda};
use candle_core::{CudaDevice, DType, Device, DeviceLocation, Result, Storage, Tensor, cuda, utils};
use candle_rocm::hip::set_default_platform;
use candle_rocm::{RocmDevice, RocmError, RocmStorage};
use candle_rocm_tests::{in_child, platform};

const NO_CUDA: &str = "the candle crate has not been built with cuda support";

/// What CUDA's names give where there is a device.
fn check(choice: AsCuda) -> Result<()> {
    assert_eq!(as_cuda(), choice);
    let is_given = choice != AsCuda::Off;
    assert_eq!(utils::cuda_is_available(), is_given, "{choice:?}");
    assert_eq!(Device::cuda_if_available(0)?.is_rocm(), is_given, "{choice:?}");
    assert_eq!(Device::cuda_if_available(0)?.is_cpu(), !is_given, "{choice:?}");
    let rocm = Device::new_rocm(0)?;
    for open in [Device::new_cuda, Device::new_cuda_with_stream] {
        match open(0) {
            Ok(device) => assert!(is_given && device.same_device(&rocm), "{choice:?}: {device:?}"),
            Err(error) => assert!(!is_given && error.to_string().trim() == NO_CUDA, "{choice:?}: {error}"),
        }
    }
    assert_eq!(CudaDevice::new_with_stream(0).is_ok(), is_given, "{choice:?}");
    assert_eq!(rocm.is_cuda(), choice == AsCuda::On);
    assert_eq!(Tensor::new(1f32, &rocm)?.device().is_cuda(), choice == AsCuda::On);
    assert!(utils::rocm_is_available() && rocm.is_rocm() && !Device::Cpu.is_cuda());
    Ok(())
}

#[test]
fn they_give_a_rocm_device() -> Result<()> {
    if in_child("they_give_a_rocm_device", &[]).is_some() {
        return Ok(());
    }
    set_default_platform(platform());
    check(AsCuda::On)?;
    let device = Device::new_cuda(0)?;
    assert_eq!(device.location(), candle_core::rocm::location(0));
    let sum = (Tensor::new(&[1f32, 2.], &device)? + Tensor::new(&[3f32, 4.], &Device::new_rocm(0)?)?)?;
    assert_eq!(format!("{sum}"), "[4., 6.]\nTensor[[2], f32, rocm:0]");
    assert!(device.as_cuda_device()?.downcast_ref::<RocmDevice>().is_some());
    let error = Device::new_cuda(1000).unwrap_err();
    assert!(error.to_string().contains(NO_CUDA) && error.to_string().contains("1000"), "{error}");
    Ok(())
}

/// Compiles only with stock candle's variants.
#[test]
fn a_program_may_match_all_variants() -> Result<()> {
    if in_child("a_program_may_match_all_variants", &[]).is_some() {
        return Ok(());
    }
    set_default_platform(platform());
    let device = Device::new_rocm(0)?;
    let on = |device: &Device| match device {
        Device::Cpu => "cpu",
        Device::Cuda(_) => "cuda",
        Device::Metal(_) => "metal",
    };
    let at = |device: &Device| match device.location() {
        DeviceLocation::Cpu => "cpu".to_owned(),
        DeviceLocation::Cuda { gpu_id } => format!("cuda {gpu_id}"),
        DeviceLocation::Metal { gpu_id } => format!("metal {gpu_id}"),
    };
    assert_eq!((on(&device), &*at(&device)), ("cuda", "cuda 0"));
    let x = Tensor::new(1f32, &device)?;
    let (storage, _) = x.storage_and_layout();
    let stored = match &*storage {
        Storage::Cpu(_) => None,
        Storage::Cuda(storage) => Some(storage),
        Storage::Metal(_) => None,
    };
    let storage = stored.expect("on the device").downcast_ref::<RocmStorage>();
    assert_eq!(storage.expect("candle-rocm's").dtype(), DType::F32);
    Ok(())
}

/// What is public in stock candle's module for CUDA, whether it is built with CUDA or not.
#[test]
fn a_program_may_use_cudas_module() -> Result<()> {
    if in_child("a_program_may_use_cudas_module", &[]).is_some() {
        return Ok(());
    }
    set_default_platform(platform());
    let device = CudaDevice::new_with_stream(0)?;
    assert_eq!(device.id(), CudaDevice::new_with_stream(0)?.id());
    let x = Tensor::new(&[1f32, 2.], &Device::Cuda(device.clone()))?;
    let (storage, _) = x.storage_and_layout();
    let Storage::Cuda(storage) = &*storage else { panic!("{storage:?}") };
    let copy = storage.transfer_to_device(&device)?;
    assert_eq!(copy.to_cpu_storage()?.as_slice::<f32>()?, [1., 2.]);
    cuda::set_gemm_reduced_precision_f16(true);
    cuda::set_gemm_reduced_precision_bf16(true);
    cuda::set_gemm_reduced_precision_f32(true);
    assert!(
        cuda::gemm_reduced_precision_f16()
            && cuda::gemm_reduced_precision_bf16()
            && cuda::gemm_reduced_precision_f32()
    );
    Ok(())
}

#[test]
fn without_a_device_they_give_the_cpu() -> Result<()> {
    let none = [("CANDLE_ROCM_PLATFORM", "host"), ("CANDLE_ROCM_HOST_DEVICES", "none")];
    if in_child("without_a_device_they_give_the_cpu", &none).is_some() {
        return Ok(());
    }
    assert!(!utils::cuda_is_available() && Device::cuda_if_available(0)?.is_cpu());
    let error = Device::new_cuda(0).unwrap_err();
    let why = RocmError::of(&error).expect("an error of candle-rocm").to_string();
    assert!(error.to_string().contains(NO_CUDA) && error.to_string().contains(&why), "{error}");
    Ok(())
}

#[test]
fn a_variable_chooses() -> Result<()> {
    const NAME: &str = "CANDLE_ROCM_AS_CUDA";
    let values = [
        ("on", AsCuda::On),
        ("devices", AsCuda::Devices),
        ("off", AsCuda::Off),
        (" OFF", AsCuda::Off),
        ("never", AsCuda::On),
    ];
    for (value, choice) in values {
        let Some(stderr) = in_child("a_variable_chooses", &[(NAME, value)]) else {
            let value = std::env::var(NAME).expect("the parent sets it");
            let (_, choice) = values.into_iter().find(|(known, _)| *known == value).expect("one of these");
            set_default_platform(platform());
            return check(choice);
        };
        let warning =
            format!("{NAME}=\"never\" is ignored; it takes on (1, true, yes), devices or off (0, false, no)");
        assert_eq!(stderr.matches(&warning).count(), usize::from(value == "never"), "{choice:?}: {stderr}");
    }
    Ok(())
}

#[test]
fn a_function_chooses() -> Result<()> {
    if in_child("a_function_chooses", &[("CANDLE_ROCM_AS_CUDA", "off")]).is_some() {
        return Ok(());
    }
    set_default_platform(platform());
    for choice in [AsCuda::Devices, AsCuda::On, AsCuda::Off, AsCuda::On] {
        set_as_cuda(choice);
        check(choice)?;
    }
    Ok(())
}

/// The CPU is taken for a value that is not understood, as there is no device; but not without a word.
#[test]
fn values_that_keep_the_device_away_are_told() -> Result<()> {
    const NAME: &str = "values_that_keep_the_device_away_are_told";
    let wrong = [
        (
            "CANDLE_ROCM_PLATFORM",
            "hots",
            "unknown platform \"hots\"; choose one of auto, amd, host, gfx, nvidia",
        ),
        (
            "CANDLE_ROCM_TRACE",
            "/no/such/folder/trace",
            "\"/no/such/folder/trace\" is not a file that can be written",
        ),
        ("CANDLE_ROCM_HOST_DEVICES", "16", "set 32 or 64 for each device, such as `32,64`, or `none`"),
        ("CANDLE_ROCM_HOST_LIBRARY", "/no/such/library.so", "platform `host` is not available"),
        // Nothing is wrong with it.
        ("CANDLE_ROCM_HOST_DEVICES", "none", ""),
    ];
    for (variable, value, says) in wrong {
        let Some(stderr) = in_child(NAME, &[("CANDLE_ROCM_PLATFORM", "host"), (variable, value)]) else {
            for _ in 0..2 {
                assert!(!utils::cuda_is_available() && !utils::rocm_is_available());
                assert!(Device::cuda_if_available(0)?.is_cpu() && Device::rocm_if_available(0)?.is_cpu());
            }
            return Ok(());
        };
        let told: Vec<&str> = stderr.lines().filter(|line| line.starts_with("candle-rocm")).collect();
        match says {
            "" => assert!(told.is_empty(), "{stderr}"),
            _ => assert!(
                matches!(told[..], [line] if line.contains(says)) && stderr.contains(value),
                "{variable}={value}: {stderr}"
            ),
        }
    }
    Ok(())
}

/// As on most machines: AMD's platform, which nobody asked for, has no library or no card.
#[test]
fn a_machine_without_a_card_stays_silent() -> Result<()> {
    let none = [("CANDLE_ROCM_PLATFORM", ""), ("HIP_VISIBLE_DEVICES", "-1"), ("ROCR_VISIBLE_DEVICES", "-1")];
    let Some(stderr) = in_child("a_machine_without_a_card_stays_silent", &none) else {
        let _ = Device::cuda_if_available(0)?;
        return Ok(());
    };
    assert!(!stderr.contains("candle-rocm"), "{stderr}");
    Ok(())
}
