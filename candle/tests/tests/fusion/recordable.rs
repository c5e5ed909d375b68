//! Operations of all families wait with the others: they give what they give at once, are left out where nobody reads them, and what is
//! refused is refused by the call.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{CpuStorage, DType, Device, Layout, Result, Tensor};
use candle_nn::ops;
use candle_rocm::{ExternalOp, RocmDevice, RocmStorageSlice};
use candle_rocm_tests::submission_gate::SubmissionGate;

use super::generated::{bits, check_wide, values};
use super::{launches, own, random, recording};

/// Operands of the operations below, on a device.
struct Given {
    /// `[2, 6, 9, 8]`, and its elements as rows.
    image: Tensor,
    rows: Tensor,
    kernel: Tensor,
    indices: Tensor,
    matrix_of_indices: Tensor,
    heads: Tensor,
    quantized: QTensor,
}

impl Given {
    fn on(device: &Device) -> Result<Self> {
        let image = random(&[2, 6, 9, 8])?.to_device(device)?;
        Ok(Self {
            rows: image.reshape((12, 72))?,
            image,
            kernel: random(&[6, 2, 3, 3])?.to_device(device)?,
            indices: Tensor::new(&[5u32, 0, 5, 3], device)?,
            matrix_of_indices: Tensor::new(&[[5u32, 0, 1], [2, 2, 11]], device)?,
            heads: random(&[2, 4, 3, 16])?.to_device(device)?,
            quantized: QTensor::quantize(&random(&[12, 64])?.to_device(device)?, GgmlDType::Q8_0)?,
        })
    }
}

type Run = fn(&Given) -> Result<Tensor>;

const OPERATIONS: &[(&str, Run)] = &[
    ("conv2d", |x| {
        x.image.conv2d(&x.kernel.narrow(0, 0, 3)?.repeat((1, 3, 1, 1))?.contiguous()?, 1, 2, 1, 1)
    }),
    ("grouped", |x| x.image.conv2d(&x.kernel, 1, 1, 1, 3)),
    ("conv1d", |x| x.image.flatten(2, 3)?.conv1d(&x.kernel.flatten(2, 3)?, 2, 3, 1, 3)),
    ("conv_transpose2d", |x| x.image.conv_transpose2d(&x.kernel, 1, 1, 2, 1)),
    ("avg_pool2d", |x| x.image.avg_pool2d(3)),
    ("max_pool2d", |x| x.image.max_pool2d_with_stride((3, 2), (2, 1))),
    ("upsample_nearest1d", |x| x.image.flatten(2, 3)?.upsample_nearest1d(100)),
    ("upsample_nearest2d", |x| x.image.upsample_nearest2d(5, 13)),
    ("upsample_bilinear2d", |x| x.image.upsample_bilinear2d(18, 7, false)),
    ("index_select", |x| x.rows.index_select(&x.indices, 0)),
    ("index_select of columns", |x| x.rows.t()?.index_select(&x.indices, 1)),
    ("embedding", |x| x.rows.embedding(&x.indices)),
    ("gather", |x| x.rows.narrow(1, 3, 3)?.gather(&x.matrix_of_indices, 0)),
    ("index_add", |x| x.rows.index_add(&x.indices, &x.rows.narrow(0, 1, 4)?, 0)),
    ("cumsum", |x| x.rows.cumsum(1)),
    ("argsort", |x| x.rows.arg_sort_last_dim(false)?.to_dtype(DType::F32)),
    ("sigmoid", |x| ops::sigmoid(&x.rows)),
    ("sdpa", |x| ops::sdpa(&x.heads, &x.heads, &x.heads, None, true, 0.25, 1.)),
    ("a row of keys", |x| {
        let keys = x.heads.narrow(1, 0, 2)?;
        ops::sdpa(&x.heads, &keys, &keys.narrow(3, 0, 8)?, None, false, 0.25, 1.)
    }),
    ("rows of weights", |x| x.quantized.embedding(&x.indices)),
    ("experts", |x| x.experts()),
];

impl Given {
    fn experts(&self) -> Result<Tensor> {
        let weights = self.rows.narrow(1, 0, 64)?.reshape((4, 3, 64))?;
        let (lists, vectors) = (self.indices.narrow(0, 0, 2)?, self.rows.narrow(1, 8, 64)?.contiguous()?);
        let experts = lists.zeros_like()?;
        let rows = Tensor::new(&[1u32, 0], self.rows.device())?;
        candle_nn::moe::moe_gemm(&vectors.narrow(0, 0, 2)?, &weights, &None, &rows, &experts, 1, false)
    }
}

#[test]
fn they_give_what_they_give_at_once() -> Result<()> {
    for device in recording() {
        let given = Given::on(&device)?;
        for (name, run) in OPERATIONS {
            own(&device).set_fusion(candle_rocm::Fusion::Off);
            let want = bits(&run(&given)?)?;
            own(&device).set_fusion(candle_rocm::Fusion::On);
            // Of operands that are there, and of others that wait: twice a half is the same.
            let halves = Given {
                image: (&given.image * 0.5)?,
                rows: (&given.rows * 0.5)?,
                kernel: (&given.kernel * 0.5)?,
                heads: (&given.heads * 0.5)?,
                ..Given::on(&device)?
            };
            let waiting = Given {
                image: (&halves.image * 2.)?,
                rows: (&halves.rows * 2.)?,
                kernel: (&halves.kernel * 2.)?,
                heads: (&halves.heads * 2.)?,
                quantized: QTensor::quantize(&given.quantized.dequantize(&device)?, GgmlDType::Q8_0)?,
                ..Given::on(&device)?
            };
            for given in [&given, &waiting] {
                assert_eq!(bits(&run(given)?)?, want, "{name}, {device:?}");
            }
        }
    }
    Ok(())
}

#[test]
fn what_nobody_reads_is_left_out() -> Result<()> {
    for device in recording() {
        let given = Given::on(&device)?;
        for (name, run) in OPERATIONS {
            // Operands of its own are made before.
            run(&given)?;
            let before = (launches(&device), own(&device).counters().launches_saved);
            // Where nothing waits, what cannot be joined with anything does not either.
            let waits = (&given.rows * 2.)?;
            drop(run(&given)?);
            drop(waits);
            let after = (launches(&device), own(&device).counters().launches_saved);
            assert!(after.1 > before.1 + 1, "{name} runs at once");
            assert_eq!(after.0, before.0, "{name} is computed for nobody");
        }
    }
    Ok(())
}

#[test]
fn what_is_refused_is_refused_by_the_call() -> Result<()> {
    for device in recording() {
        let given = Given::on(&device)?;
        let refused: &[(&str, Run)] = &[
            ("index_select", |x| x.rows.index_select(&x.indices.to_dtype(DType::F32)?, 0)),
            ("gather", |x| x.rows.narrow(1, 0, 3)?.gather(&x.matrix_of_indices.to_dtype(DType::F32)?, 0)),
            ("index_add", |x| {
                x.rows.index_add(&x.indices, &x.rows.narrow(0, 1, 4)?.to_dtype(DType::F16)?, 0)
            }),
            ("conv2d", |x| x.image.to_dtype(DType::F16)?.conv2d(&x.kernel, 1, 1, 1, 3)),
            ("upsample_nearest2d", |x| x.image.narrow(2, 0, 0)?.upsample_nearest2d(4, 4)),
            ("sdpa", |x| {
                let keys = x.heads.narrow(1, 0, 3)?;
                ops::sdpa(&x.heads, &keys, &keys, None, false, 1., 1.)
            }),
            ("sdpa", |x| ops::sdpa(&x.heads, &x.heads, &x.heads.to_dtype(DType::F16)?, None, false, 1., 1.)),
        ];
        for (name, run) in refused {
            let error = run(&given).err().map(|error| error.to_string());
            assert!(error.as_ref().is_some_and(|error| error.contains(name)), "{name}: {error:?}");
        }
    }
    Ok(())
}

/// Indices that are out of range are told by who waits for the device, as without fusion.
#[test]
fn indices_out_of_range() -> Result<()> {
    for device in recording() {
        let given = Given::on(&device)?;
        let far = Tensor::new(&[1u32, 99], &device)?;
        let runs: [fn(&Tensor, &Tensor) -> Result<Tensor>; 2] =
            [|x, far| x.index_select(far, 0), |x, far| x.embedding(far)];
        for run in runs {
            let y = run(&(&given.rows + 1.)?, &far)?;
            let error =
                y.to_vec2::<f32>().map(drop).and_then(|()| device.synchronize()).unwrap_err().to_string();
            assert!(error.contains("index 99 is out of range"), "{error}");
            device.synchronize()?;
            assert_eq!(y.get(1)?.to_vec1::<f32>()?, [0.; 72]);
        }
    }
    Ok(())
}

/// An operation of another crate, which counts how often it runs.
#[derive(Clone)]
struct Pure(Arc<AtomicUsize>);

impl ExternalOp for Pure {
    fn name(&self) -> &'static str {
        "pure"
    }

    fn has_effects(&self) -> bool {
        false
    }

    fn run(&self, device: &RocmDevice, x: &RocmStorageSlice, layout: &Layout) -> Result<RocmStorageSlice> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let RocmStorageSlice::F32(x) = x else { candle_core::bail!("f32 only") };
        let mut out = device.alloc::<f32>(x.len())?;
        device.copy(x, layout.start_offset(), &mut out, 0, x.len())?;
        Ok(RocmStorageSlice::F32(out))
    }
}

/// Those of other crates wait, too, if they say that they have no effects.
#[test]
fn pure_operations_of_other_crates() -> Result<()> {
    for device in recording() {
        let device = own(&device);
        let (x, all) = (device.storage_from_slice(&[1f32, 2., 3.])?, Layout::contiguous(3));
        let runs = Arc::new(AtomicUsize::new(0));
        let apply = || x.affine(&all, 2., 0.)?.apply(&all, Arc::new(Pure(runs.clone())), 3);
        drop(apply()?);
        device.synchronize()?;
        assert_eq!(runs.load(Ordering::Relaxed), 0, "nobody reads it");
        let y = apply()?;
        assert_eq!(runs.load(Ordering::Relaxed), 0, "it waits");
        let CpuStorage::F32(y) = y.to_cpu_storage()? else { panic!("another dtype") };
        assert_eq!((y, runs.load(Ordering::Relaxed)), (vec![2., 4., 6.], 1));
    }
    Ok(())
}

/// Operations with effects, such as collectives, run soon, and what is recorded behind them does not wait for that, whatever it is.
#[test]
fn operations_behind_one_with_effects() -> Result<()> {
    for device in recording() {
        let given = Given::on(&device)?;
        for (name, run) in OPERATIONS {
            let want = bits(&run(&given)?)?;
            let gate = SubmissionGate::on(&device)?;
            let y = run(&given)?;
            gate.open().map_err(|error| error.context(*name))?;
            assert_eq!(bits(&y)?, want, "{name}");
        }
    }
    Ok(())
}

/// The logistic function is an elementwise operation as others are.
#[test]
fn sigmoid_joins_trees() -> Result<()> {
    for device in recording() {
        for dtype in [DType::F32, DType::BF16] {
            let (x, y) = (values((33, 100), dtype, &device)?, values((33, 100), dtype, &device)?.neg()?);
            check_wide(&device, "gated", 1, [&x, &y], |[x, y]| ops::sigmoid(x)?.mul(y)?.affine(2., 1.))?;
        }
    }
    Ok(())
}
