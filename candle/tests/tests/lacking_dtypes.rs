//! Dtypes that an operation does not have: a short error of candle's own kind, whoever was to compute it.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::rocm::forbid_fallback;
use candle_core::{D, DType, Device, Error, Module, Result, Tensor};
use candle_nn::{GroupNorm, ops, rotary_emb};
use candle_rocm_tests::{devices, in_child, stand_in};

/// All that a tensor can be made of, but floats of 16 bits and more.
const NO_FLOATS: [DType; 6] = [DType::U8, DType::U32, DType::I16, DType::I32, DType::I64, DType::F8E4M3];

/// One without what it carries along: programs look at the variant.
fn plain(error: Error) -> Error {
    match error {
        Error::WithBacktrace { inner, .. } => plain(*inner),
        other => other,
    }
}

type Case = (&'static str, fn(&Inputs) -> Result<Tensor>);

/// Ones in some shapes, of one dtype on one device.
struct Inputs {
    /// `[2, 3, 4, 8]`.
    x: Tensor,
    /// `[8]`.
    row: Tensor,
    /// `[3]`.
    channels: Tensor,
    /// `[4, 4]`.
    angles: Tensor,
}

impl Inputs {
    fn new(dtype: DType, device: &Device) -> Result<Self> {
        // The CPU makes what a device has no kernel to fill.
        let ones = |shape: &[usize]| {
            Tensor::ones(shape, DType::F32, &Device::Cpu)?.to_dtype(dtype)?.to_device(device)
        };
        Ok(Self { x: ones(&[2, 3, 4, 8])?, row: ones(&[8])?, channels: ones(&[3])?, angles: ones(&[4, 4])? })
    }
}

/// What candle-nn offers as a whole and is defined for floats, by the name in the error.
const OF_FLOATS: [Case; 9] = [
    ("sigmoid", |i| ops::sigmoid(&i.x)),
    ("softmax-last-dim", |i| ops::softmax_last_dim(&i.x)),
    ("rms-norm", |i| ops::rms_norm(&i.x, &i.row, 1e-5)),
    ("layer-norm", |i| ops::layer_norm(&i.x, &i.row, &i.row, 1e-5)),
    ("group-norm", |i| GroupNorm::new(i.channels.clone(), i.channels.clone(), 3, 3, 1e-5)?.forward(&i.x)),
    ("rope", |i| rotary_emb::rope(&i.x, &i.angles, &i.angles)),
    ("rope-i", |i| rotary_emb::rope_i(&i.x, &i.angles, &i.angles)),
    ("rope-thd", |i| rotary_emb::rope_thd(&i.x.transpose(1, 2)?.contiguous()?, &i.angles, &i.angles)),
    ("sdpa", |i| ops::sdpa(&i.x, &i.x, &i.x, None, false, 1., 1.)),
];

#[test]
fn operations_of_floats_name_themselves_and_the_dtype() -> Result<()> {
    let name = "operations_of_floats_name_themselves_and_the_dtype";
    for variables in [&[][..], &[("CANDLE_ROCM_NO_FALLBACK", "1")]] {
        let Some(stderr) = in_child(name, variables) else {
            for device in devices().into_iter().chain([stand_in()]) {
                for dtype in NO_FLOATS {
                    let inputs = Inputs::new(dtype, &device)?;
                    for (op, run) in OF_FLOATS {
                        let result = run(&inputs);
                        if (op, dtype) == ("sigmoid", DType::F8E4M3) && result.is_ok() {
                            continue; // The one that candle-rocm has and the CPU has not.
                        }
                        let error = plain(result.expect_err(op));
                        assert!(
                            matches!(error, Error::UnsupportedDTypeForOp(d, o) if (d, o) == (dtype, op)),
                            "{op} {dtype:?} on {:?}: {error}",
                            device.location()
                        );
                        assert_eq!(error.to_string(), format!("unsupported dtype {dtype:?} for op {op}"));
                    }
                }
            }
            return Ok(());
        };
        assert!(!stderr.contains("runs on the CPU"), "{stderr}");
    }
    Ok(())
}

/// Whatever else candle-nn and candle have that may not know a dtype: a result, or an error in one line that names the dtype and no
/// file of the program's.
#[test]
fn other_operations_give_a_result_or_one_line() -> Result<()> {
    let cases: [Case; 22] = [
        ("softmax", |i| ops::softmax(&i.x, 1)),
        ("log_softmax", |i| ops::log_softmax(&i.x, D::Minus1)),
        ("silu", |i| ops::silu(&i.x)),
        ("swiglu", |i| ops::swiglu(&i.x)),
        ("gelu", |i| i.x.gelu()),
        ("hard_sigmoid", |i| ops::hard_sigmoid(&i.x)),
        ("mish", |i| ops::mish(&i.x)),
        ("leaky_relu", |i| ops::leaky_relu(&i.x, 0.1)),
        ("selu", |i| ops::selu(&i.x, 1., 1.)),
        ("rms_norm_slow", |i| ops::rms_norm_slow(&i.x, &i.row, 1e-5)),
        ("layer_norm_slow", |i| ops::layer_norm_slow(&i.x, &i.row, &i.row, 1e-5)),
        ("rope_slow", |i| rotary_emb::rope_slow(&i.x, &i.angles, &i.angles)),
        ("cumsum", |i| i.x.cumsum(D::Minus1)),
        ("sort", |i| Ok(i.x.sort_last_dim(true)?.0)),
        ("cat", |i| Tensor::cat(&[&i.x, &i.x], 2)),
        ("conv2d", |i| i.x.conv2d(&Tensor::cat(&[&i.x, &i.x], 0)?.narrow(2, 0, 2)?, 0, 1, 1, 1)),
        ("grouped conv2d", |i| i.x.conv2d(&i.x.narrow(0, 0, 1)?.transpose(0, 1)?.contiguous()?, 0, 1, 1, 3)),
        ("conv1d", |i| {
            i.x.get(0)?.conv1d(&i.x.get(0)?.transpose(0, 1)?.contiguous()?.narrow(1, 0, 1)?, 0, 1, 1, 4)
        }),
        ("matmul", |i| i.x.matmul(&i.x.t()?)),
        ("upsample", |i| i.x.upsample_nearest2d(8, 16)),
        ("avg_pool2d", |i| i.x.avg_pool2d(2)),
        ("qmatmul", |i| {
            let weights = Tensor::ones((4, 32), DType::F32, i.x.device())?;
            QMatMul::from_qtensor(QTensor::quantize(&weights, GgmlDType::Q8_0)?)?
                .forward(&i.x.reshape((6, 32))?)
        }),
    ];
    forbid_fallback();
    for device in devices() {
        for dtype in NO_FLOATS {
            let inputs = Inputs::new(dtype, &device)?;
            for (op, run) in cases.into_iter().chain(OF_FLOATS) {
                let Err(error) = run(&inputs) else { continue };
                let text = plain(error).to_string();
                let names_dtype =
                    [format!("{dtype:?}"), dtype.as_str().to_owned()].iter().any(|name| text.contains(name));
                assert!(
                    names_dtype && text.lines().count() == 1 && text.len() < 200,
                    "{op} {dtype:?}: {text}"
                );
                assert!(!text.contains("Cargo.toml") && !text.contains("[patch"), "{op} {dtype:?}: {text}");
            }
        }
    }
    Ok(())
}
