//! Recorded operations: they give what they give one by one, in the order in which they were called, whoever asks.

use std::env;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, IndexOp, Module, Result, Tensor, Var};
use candle_rocm::hip::Buffer;
use candle_rocm::{Fusion, RocmDevice, RocmError, tensor_from_buffer};
use candle_rocm_tests::{FLOATS, devices, random};

mod attention;
mod before_and_after;
mod external;
mod f8_caches;
mod faults;
mod generated;
mod products;
mod recordable;
mod rows;
mod tiles;
mod too_early;
mod top_k;

fn own(device: &Device) -> &RocmDevice {
    device.as_rocm_device().unwrap().downcast_ref().expect("a candle-rocm device")
}

/// Another device on the same processor that records operations, and has met none.
fn fresh(device: &Device) -> Device {
    let device = RocmDevice::on(own(device).platform(), own(device).ordinal()).expect("a device");
    device.set_fusion(Fusion::On);
    Device::from(device)
}

/// Devices on which operations are recorded. They are the test's own: nothing else is recorded there.
fn recording() -> Vec<Device> {
    devices().iter().map(fresh).collect()
}

fn launches(device: &Device) -> usize {
    own(device).counters().launches
}

/// What `f` gives with and without fusion, and how many launches it takes.
fn both<R>(device: &Device, mut f: impl FnMut() -> Result<R>) -> Result<[(R, usize); 2]> {
    let mut run = |fusion| {
        own(device).set_fusion(fusion);
        let before = launches(device);
        let result = f()?;
        Ok::<_, candle_core::Error>((result, launches(device) - before))
    };
    // Once before: the first call of an operation may launch more.
    run(Fusion::Off)?;
    Ok([run(Fusion::Off)?, run(Fusion::On)?])
}

fn bits(x: &Tensor) -> Result<Vec<u32>> {
    Ok(x.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?.into_iter().map(f32::to_bits).collect())
}

#[test]
fn what_nobody_reads_is_not_computed() -> Result<()> {
    for device in recording() {
        let x = Tensor::new(&[1f32, 2., 3.], &device)?;
        let before = launches(&device);
        for _ in 0..1000 {
            let y = (&x + 1.)?.exp()?;
            drop((y * 2.)?);
        }
        assert_eq!(launches(&device), before);
        assert_eq!((&x + 1.)?.to_vec1::<f32>()?, [2., 3., 4.]);
        assert_eq!(launches(&device), before + 1);
        // Those that nobody reads, and one of two that become one.
        assert_eq!(own(&device).counters().launches_saved, 3000);
        // The kernel takes whole vectors.
        let x = Tensor::ones((2, 8), DType::F32, &device)?;
        candle_nn::ops::rms_norm(&(&x + &x)?, &x.i(0)?, 1e-5)?.to_vec2::<f32>()?;
        assert_eq!(own(&device).counters().launches_saved, 3001);
    }
    Ok(())
}

/// More operations than a window has room for, each needing the one before.
#[test]
fn long_chains() -> Result<()> {
    for device in recording() {
        let ones = Tensor::ones(5, DType::F32, &device)?;
        let (mut x, mut kept) = (ones.zeros_like()?, Vec::new());
        for i in 0..1000 {
            x = (x + &ones)?;
            if i % 97 == 0 {
                kept.push((i as f32 + 1., x.clone()));
            }
        }
        assert_eq!(x.to_vec1::<f32>()?, [1000.; 5]);
        for (value, x) in kept {
            assert_eq!(x.to_vec1::<f32>()?, [value; 5]);
        }
    }
    Ok(())
}

/// Another library's memory, which computes when it goes.
struct Last {
    x: Tensor,
    sum: mpsc::Sender<f32>,
}

impl Drop for Last {
    fn drop(&mut self) {
        let sum = self.x.affine(2., 1.).and_then(|x| x.sum_all()).and_then(|sum| sum.to_scalar::<f32>());
        self.sum.send(sum.unwrap()).unwrap();
    }
}

#[test]
fn operands_that_use_the_device_when_they_go() -> Result<()> {
    for device in recording() {
        let rocm = own(&device);
        let memory = rocm.upload(&[1f32, 2., 3.])?;
        for ask in [false, true] {
            let (sum, sums) = mpsc::channel();
            let last = Last { x: Tensor::new(&[1f32, 2., 3.], &device)?, sum };
            // SAFETY: `memory` is there until the end, and nobody writes to it.
            let buffer =
                unsafe { Buffer::<f32>::from_raw_parts(memory.as_ptr(), memory.len(), last, rocm.pool()) };
            let x = tensor_from_buffer(buffer.map_err(RocmError::from)?, 3, &device)?;
            // More than wait: threads of the device's run it, and more memory than was in use before.
            let mut y = x.affine(3., 0.)?;
            drop(x);
            let mut all = Vec::new();
            for _ in 0..100 {
                y = y.cos()?.sum_all()?.broadcast_as(3)?.contiguous()?;
                all.push(y.clone());
            }
            if ask {
                device.synchronize()?;
            }
            // While nobody else waits for the device.
            drop(all);
            drop(y);
            if !ask {
                device.synchronize()?;
            }
            assert_eq!(sums.recv().unwrap(), 15.);
        }
    }
    Ok(())
}

/// Operations that were recorded before a write read what was there before it.
#[test]
fn writes_in_place() -> Result<()> {
    for device in recording() {
        let x = Tensor::zeros((2, 3), DType::F32, &device)?;
        let before = (&x + 1.)?;
        x.slice_set(&Tensor::new(&[[7f32, 8., 9.]], &device)?, 0, 1)?;
        let after = (&x + 1.)?;
        assert_eq!(before.to_vec2::<f32>()?, [[1.; 3]; 2]);
        assert_eq!(after.to_vec2::<f32>()?, [[1.; 3], [8., 9., 10.]]);

        let var = Var::new(&[1f32, 2.], &device)?;
        let (before, view) = ((var.as_tensor() * 10.)?, var.as_tensor().clone());
        var.set(&Tensor::new(&[5f32, 6.], &device)?)?;
        assert_eq!(before.to_vec1::<f32>()?, [10., 20.]);
        assert_eq!((view * 10.)?.to_vec1::<f32>()?, [50., 60.]);

        let mut sum = Tensor::zeros(3, DType::F32, &device)?;
        for step in 0..300 {
            let ids = Tensor::new(&[step as u32 % 3], &device)?;
            sum = (sum.scatter_add(&ids, &Tensor::new(&[1f32], &device)?, 0)? * 1.)?;
        }
        assert_eq!(sum.to_vec1::<f32>()?, [100.; 3]);
        let y = (&sum + 1.)?;
        y.const_set(candle_core::scalar::Scalar::F32(3.))?;
        assert_eq!(((y + &sum)? * 2.)?.to_vec1::<f32>()?, [206.; 3]);
    }
    Ok(())
}

/// A tensor and a variable have the same elements until somebody writes to one of them.
#[test]
fn copies_on_write() -> Result<()> {
    for device in recording() {
        let ids = Tensor::new(&[1u32], &device)?;
        let var = Var::new(&[1f32, 2.], &device)?;
        let set = |x: &Tensor| {
            let before = launches(&device);
            var.set(x)?;
            assert_eq!(launches(&device), before);
            Ok::<_, candle_core::Error>(())
        };
        // There, waiting, and gone by then.
        let (there, waiting) = (Tensor::new(&[3f32, 4.], &device)?, (var.as_tensor() * 5.)?);
        set(&there)?;
        assert_eq!(var.to_vec1::<f32>()?, [3., 4.]);
        set(&waiting)?;
        assert_eq!(var.to_vec1::<f32>()?, [5., 10.]);
        set(&(&waiting + 1.)?)?;
        assert_eq!(var.to_vec1::<f32>()?, [6., 11.]);
        // Writes to either leave the other alone, as do those to a third.
        set(&there)?;
        let copy = there.copy()?;
        let before = (var.as_tensor() + &copy)?;
        var.scatter_add_set(&ids, &Tensor::new(&[10f32], &device)?, 0)?;
        assert_eq!(var.to_vec1::<f32>()?, [3., 14.]);
        there.slice_set(&Tensor::new(&[7f32], &device)?, 0, 0)?;
        assert_eq!(
            [&there, &copy, &before].map(|x| x.to_vec1::<f32>().unwrap()),
            [[7., 4.], [3., 4.], [6., 8.]]
        );
        copy.const_set(candle_core::scalar::Scalar::F32(0.))?;
        assert_eq!(
            [&there, var.as_tensor(), &copy].map(|x| x.to_vec1::<f32>().unwrap()),
            [[7., 4.], [3., 14.], [0.; 2]]
        );
        // Part of a tensor, and another order.
        let wide = Tensor::new(&[[1f32, 2., 3.], [4., 5., 6.]], &device)?;
        var.set(&wide.narrow(1, 1, 2)?.narrow(0, 1, 1)?.squeeze(0)?)?;
        assert_eq!(var.to_vec1::<f32>()?, [5., 6.]);
        let square = Var::zeros((2, 2), DType::F32, &device)?;
        square.set(&wide.narrow(1, 0, 2)?.t()?)?;
        assert_eq!(square.to_vec2::<f32>()?, [[1., 4.], [2., 5.]]);
    }
    Ok(())
}

#[test]
fn views_of_recorded_results() -> Result<()> {
    for device in recording() {
        let x = Tensor::arange(0f32, 24., &device)?.reshape((2, 3, 4))?;
        let y = (&x * 2.)?;
        let (t, row) = (y.transpose(0, 2)?, y.i((1, 2))?);
        drop(y);
        let z = (t.contiguous()? + t.broadcast_add(&row.i(0)?)?)?;
        let expected = |i: usize, j: usize, k: usize| 4. * (k * 12 + j * 4 + i) as f32 + 40.;
        let got = z.to_vec3::<f32>()?;
        for (i, plane) in got.iter().enumerate() {
            for (j, line) in plane.iter().enumerate() {
                for (k, value) in line.iter().enumerate() {
                    assert_eq!(*value, expected(i, j, k));
                }
            }
        }
    }
    Ok(())
}

/// Errors of shapes and dtypes come from the call, with fusion as without.
#[test]
fn refusals_come_at_once() -> Result<()> {
    for device in recording() {
        let (x, y) =
            (Tensor::zeros((2, 3), DType::F32, &device)?, Tensor::zeros((3, 2), DType::F32, &device)?);
        assert!((&x + &y).is_err());
        assert!((&x + y.t()?.to_dtype(DType::F64)?).is_err());
        let integers = x.to_dtype(DType::U32)?;
        let error = integers.exp().unwrap_err();
        assert!(
            matches!(RocmError::of(&error), Some(RocmError::UnsupportedDType { op: "exp", .. })),
            "{error}"
        );
        assert_eq!(((&x + 1.)? + (&x + 2.)?)?.to_vec2::<f32>()?, [[3.; 3]; 2]);
    }
    Ok(())
}

/// An index out of range is found when the operation runs, and is reported by the next call that waits, by name.
#[test]
fn indices_out_of_range() -> Result<()> {
    for device in recording() {
        let x = (Tensor::arange(0f32, 6., &device)? + 1.)?;
        let picked = (x.index_select(&Tensor::new(&[1u32, 77], &device)?, 0)? * 2.)?;
        let error = picked.to_vec1::<f32>().unwrap_err();
        let report = RocmError::of(&error);
        assert!(
            matches!(report, Some(RocmError::IndexOutOfRange { op: "index_select", index: 77, size: 6, .. })),
            "{error}"
        );
    }
    Ok(())
}

#[test]
fn several_threads() -> Result<()> {
    for device in recording() {
        let shared = (Tensor::arange(0f32, 100., &device)? * 2.)?;
        thread::scope(|scope| {
            for t in 0..4 {
                let shared = &shared;
                scope.spawn(move || {
                    for round in 0..60 {
                        let mut x = (shared + f64::from(t)).unwrap();
                        for _ in 0..round {
                            x = (x + 1.).unwrap();
                        }
                        let expected: Vec<f32> = (0..100).map(|i| (2 * i + t + round) as f32).collect();
                        assert_eq!(x.to_vec1::<f32>().unwrap(), expected);
                    }
                });
            }
        });
    }
    Ok(())
}

#[test]
fn copies_to_other_devices() -> Result<()> {
    for device in recording() {
        let x = (Tensor::new(&[1f32, 2.], &device)? + 1.)?;
        let other = Device::from(RocmDevice::on(own(&device).platform(), own(&device).ordinal())?);
        let y = (x.to_device(&other)? * 3.)?;
        assert_eq!(y.to_vec1::<f32>()?, [6., 9.]);
        assert_eq!((x * 10.)?.to_device(&Device::Cpu)?.to_vec1::<f32>()?, [20., 30.]);
    }
    Ok(())
}

/// A device that goes while operations wait: nobody can ask for them.
#[test]
fn devices_that_go() -> Result<()> {
    for device in recording() {
        let x = Tensor::new(&[1f32, 2.], &device)?;
        let y = (x + 1.)?;
        drop(device);
        assert_eq!(y.to_vec1::<f32>()?, [2., 3.]);
        drop((y + 1.)?);
    }
    Ok(())
}

/// A result that needs more memory than there is: the error comes from who reads it or waits, and the rest is there.
/// A thread of its own puts them on the stream meanwhile. What becomes one launch does not depend on how far it is.
#[test]
fn plans_do_not_depend_on_time() -> Result<()> {
    for device in recording() {
        let x = Tensor::new(&[1f32, -2., 3.], &device)?;
        let run = |pause: bool| {
            let before = launches(&device);
            let (mut kept, mut y) = (Vec::new(), x.clone());
            for i in 0..600 {
                // Of these, nothing is compiled in the background.
                let unread = y.cos()?;
                y = y.sin()?.cos()?;
                if i % 50 == 0 {
                    kept.push(unread);
                    if pause {
                        thread::sleep(Duration::from_millis(1));
                    }
                }
            }
            let sums = kept.iter().map(|x| x.to_vec1::<f32>()).collect::<Result<Vec<_>>>()?;
            Ok::<_, candle_core::Error>((launches(&device) - before, y.to_vec1::<f32>()?, sums))
        };
        let first = run(false)?;
        for pause in [true, false, true] {
            assert_eq!(run(pause)?, first);
        }
    }
    Ok(())
}

/// Many operations are on their way when nobody is left to read them.
#[test]
fn devices_that_go_in_the_middle() -> Result<()> {
    for _ in 0..20 {
        for device in recording() {
            let mut x = Tensor::ones(1000, DType::F32, &device)?;
            for _ in 0..2000 {
                x = (x + 1.)?;
            }
        }
    }
    Ok(())
}

/// The process ends while the thread is launching.
#[test]
fn processes_that_exit_in_the_middle() -> Result<()> {
    const CHILD: &str = "CANDLE_ROCM_TEST_EXITS";
    if env::var_os(CHILD).is_some() {
        let device = recording().swap_remove(0);
        let mut x = Tensor::ones(1000, DType::F32, &device)?;
        for _ in 0..2000 {
            x = (x + 1.)?;
        }
        std::process::exit(17);
    }
    for _ in 0..5 {
        let output = Command::new(env::current_exe()?)
            .args(["--exact", "processes_that_exit_in_the_middle", "--nocapture"])
            .env(CHILD, "1")
            .output()?;
        assert_eq!(output.status.code(), Some(17), "{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

#[test]
fn out_of_memory() -> Result<()> {
    for device in recording() {
        let x = Tensor::ones((1, 1 << 20), DType::F32, &device)?;
        let small = (&x + 1.)?;
        let huge = (x.broadcast_as((1 << 22, 1 << 20))?.contiguous(), 0).0;
        let also = (&small + 1.)?;
        // Eagerly or later, but an error.
        let failed = huge.and_then(|huge| huge.sum_all()?.to_scalar::<f32>());
        assert!(failed.is_err());
        assert_eq!(also.i((0, 7))?.to_scalar::<f32>()?, 3.);
        assert_eq!(small.i((0, 7))?.to_scalar::<f32>()?, 2.);
        let _ = device.synchronize();
        device.synchronize()?;
    }
    Ok(())
}

/// Silu behind a group norm is part of it, also where somebody reads the norm.
#[test]
fn group_norms() -> Result<()> {
    use candle_nn::GroupNorm;

    for device in recording() {
        for dtype in FLOATS {
            for (shape, groups) in
                [((2, 6, 5, 3), 3), ((2, 8, 8, 8), 8), ((1, 4, 60, 50), 1), ((2, 3, 1, 1), 1)]
            {
                let random = |shape: &[usize]| random(shape)?.to_dtype(dtype)?.to_device(&device);
                let (x, channels) = (random(&[shape.0, shape.1, shape.2, shape.3])?, shape.1);
                let norm =
                    GroupNorm::new(random(&[channels])?, random(&[channels])?, channels, groups, 1e-5)?;
                let what = format!("{shape:?}, {groups} groups, {dtype:?}, {device:?}");
                let [(plain, many), (joined, few)] = both(&device, || {
                    let y = norm.forward(&x)?.silu()?;
                    device.synchronize()?;
                    Ok(y)
                })?;
                assert_eq!(few + 1, many, "{what}");
                assert_eq!(generated::bits(&plain)?, generated::bits(&joined)?, "{what}");
                let [(plain, many), (joined, few)] = both(&device, || {
                    let y = norm.forward(&x)?;
                    let z = y.silu()?;
                    device.synchronize()?;
                    Ok([y, z])
                })?;
                // Both are written.
                assert_eq!(few + 1, many, "{what}");
                for (plain, joined) in plain.iter().zip(&joined) {
                    assert_eq!(generated::bits(plain)?, generated::bits(joined)?, "{what}");
                }
            }
        }
        // The call refuses what it cannot do.
        let x = Tensor::zeros((1, 4, 2), DType::F32, &device)?;
        let short = Tensor::zeros(3, DType::F32, &device)?;
        assert!(GroupNorm::new(short.clone(), short, 4, 2, 1e-5)?.forward(&x).is_err());
    }
    Ok(())
}

/// As candle-transformers' llama has it: products in f32 of half types, heads of keys and values repeated.
/// Quantized weights whose tensors go before their products are computed.
#[test]
fn quantized_products() -> Result<()> {
    for device in recording() {
        let numbers = |n: usize| (0..n).map(|i| ((i * 37 % 101) as f32 - 50.) / 50.).collect::<Vec<_>>();
        let weights = |rows: usize, scale: f64| -> Result<QMatMul> {
            let weights = (Tensor::from_vec(numbers(rows * 256), (rows, 256), &device)? * scale)?;
            QMatMul::from_qtensor(QTensor::quantize(&weights, GgmlDType::Q4K)?)
        };
        let x = Tensor::from_vec(numbers(256), (1, 1, 256), &device)?;
        let [(plain, single), (joined, together)] = both(&device, || {
            let (gate, up, down) = (weights(512, 1.)?, weights(512, 0.5)?, weights(64, 1.)?);
            let before = own(&device).counters().launches;
            let hidden = (gate.forward(&x)?.silu()? * up.forward(&x)?)?;
            drop((gate, up));
            let out = down.forward(&hidden.narrow(2, 256, 256)?)?;
            drop(down);
            assert_eq!(out.dims(), [1, 1, 64]);
            let out = bits(&out)?;
            Ok((out, own(&device).counters().launches - before))
        })?
        .map(|(result, _)| result);
        assert_eq!(plain, joined);
        assert!(together <= single, "{together} launches with fusion, {single} without");
        // Where vectors are streamed, the gate and what it gates are one.
        let streamed = own(&device).platform() != candle_rocm::platform::HOST;
        assert!(!streamed || together == 2, "{together} of {single}, {device:?}");
        // The error comes from the call.
        let wrong = Tensor::zeros((1, 255), DType::F32, &device)?;
        assert!(weights(64, 1.)?.forward(&wrong).is_err());
    }
    Ok(())
}
