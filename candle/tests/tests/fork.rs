//! A forked child of a process whose threads record, plan and launch gets errors, and never hangs: neither in calls, nor in drops, nor
//! at its end.
#![cfg(unix)]

#[path = "../../../rocm-hip/tests/common/fork.rs"]
mod forked;

use std::sync::atomic::{AtomicBool, Ordering};

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{D, DType, Device, Module, Result, Tensor, Var};
use candle_rocm::hip::HipError;
use candle_rocm::{Fusion, RocmDevice, RocmError};
use candle_rocm_tests::{devices, in_child};
use forked::in_fork;

fn own(device: &Device) -> &RocmDevice {
    device.as_rocm_device().unwrap().downcast_ref().expect("a candle-rocm device")
}

#[track_caller]
fn refused<T>(result: Result<T>) {
    let Err(error) = result else { panic!("no error") };
    let refused = matches!(RocmError::of(&error), Some(RocmError::Hip(HipError::ForkedProcess { .. })));
    assert!(refused, "{error}");
}

/// A step of a model, spelled out, and something that each round has a kernel of its own for.
fn step(x: &Tensor, weights: &Tensor, round: usize) -> Result<f32> {
    let x = x.matmul(weights)?;
    let x = (x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)? * 0.5)?;
    let mut y = candle_nn::ops::softmax(&x, D::Minus1)?;
    for bit in 0..5 {
        y = if round >> bit & 1 == 0 { y.abs()?.affine(1., 0.25)? } else { y.sqr()?.tanh()? };
    }
    (y + x.gelu()?)?.sum_all()?.to_scalar()
}

/// All kinds of calls, each with a result that is an error.
fn calls(device: &Device, other: &Device, x: &Tensor, recorded: &Tensor, var: &Var, product: &QMatMul) {
    let ids = Tensor::zeros(3, DType::U32, &Device::Cpu).unwrap();
    refused(x + 1.);
    refused(x.matmul(x));
    refused(x.exp());
    refused(x.sum_all());
    refused(x.to_dtype(DType::F16));
    refused(x.t().and_then(|x| x.contiguous()));
    refused(x.argmax(0));
    refused(x.arg_sort_last_dim(true));
    refused(Tensor::cat(&[x, x], 0));
    refused(candle_nn::ops::softmax_last_dim(x));
    refused(product.forward(x));
    refused(x.to_vec2::<f32>());
    refused(recorded.to_vec2::<f32>());
    refused(recorded + 1.);
    refused(x.to_device(&Device::Cpu));
    refused(recorded.to_device(other));
    refused(x.to_device(other));
    refused(ids.to_device(device));
    refused(Tensor::ones((2, 2), DType::F32, device));
    refused(Tensor::randn(0f32, 1., (2, 2), device));
    refused(x.const_set(1f32.into()));
    refused(recorded.const_set(1f32.into()));
    refused(var.set(x));
    refused(device.synchronize());
    refused(own(device).finish_compiling().map_err(candle_core::Error::from));
    refused(own(device).prepare(candle_rocm::kernels::LANGUAGE_MODELS).map_err(candle_core::Error::from));
    refused(RocmDevice::new(0).map_err(candle_core::Error::from));
    refused(Device::new_rocm(0));
    // What cannot return an error.
    own(device).flush();
    own(device).set_fusion(Fusion::Off);
    own(device).set_profiling(true);
    own(device).set_seed(1);
    own(device).next_random(4);
    own(device).counters();
    own(device).pool().stats();
    own(device).gemm_engine();
    own(device).tuning_report();
}

#[test]
fn children_of_a_busy_parent_do_not_hang() -> Result<()> {
    if in_child("children_of_a_busy_parent_do_not_hang", &[]).is_some() {
        return Ok(());
    }
    for (device, other) in devices().into_iter().zip(devices()) {
        let x = Tensor::ones((32, 32), DType::F32, &device)?;
        let weights = QTensor::quantize(&Tensor::ones((32, 32), DType::F32, &Device::Cpu)?, GgmlDType::Q8_0)?;
        let data = weights.data()?.into_owned();
        let storage = candle_core::quantized::QStorage::from_data(data.into(), &device, GgmlDType::Q8_0)?;
        let product = QMatMul::from_qtensor(QTensor::new(storage, (32, 32))?)?;
        let var = Var::ones((32, 32), DType::F32, &device)?;
        // Of a device with nothing on its stream but what a child drops.
        let spare = Device::from(RocmDevice::on(own(&device).platform(), own(&device).ordinal())?);
        let ones = Tensor::ones(100, DType::F32, &spare)?;
        let recorded = ((&ones + 1.)?.exp()? * &ones)?;
        let mut spare = Some((ones, recorded, spare));
        let stop = AtomicBool::new(false);
        let ended = std::thread::scope(|scope| {
            for thread in 0..3 {
                let (device, other, stop) = (&device, &other, &stop);
                scope.spawn(move || {
                    let x = Tensor::ones((32, 32), DType::F32, device).unwrap();
                    let mut round = thread;
                    while !stop.load(Ordering::Relaxed) {
                        step(&x, &x, round % 32).unwrap();
                        (&x + 1.).unwrap().to_device(other).unwrap();
                        own(device).counters();
                        round += 1;
                    }
                });
            }
            let ended = (0..40).try_for_each(|round| {
                let recorded = (&x + f64::from(round)).and_then(|x| x.exp()).unwrap();
                let work = || {
                    calls(&device, &other, &x, &recorded, &var, &product);
                    drop(spare.take());
                };
                in_fork(work, round % 2 == 0).map_err(|error| format!("child {round}: {error}"))
            });
            stop.store(true, Ordering::Relaxed);
            ended
        });
        ended.unwrap();
        // The parent goes on.
        assert_eq!((&x + 1.)?.sum_all()?.to_scalar::<f32>()?, 2048.);
        let (_, recorded, _) = spare.expect("children took their own");
        assert!(recorded.to_vec1::<f32>()?.iter().all(|&x| (x - 2f32.exp()).abs() < 1e-5));
    }
    Ok(())
}
