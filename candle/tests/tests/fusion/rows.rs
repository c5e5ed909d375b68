//! Reductions of rows, with elementwise operations around them, that become one generated kernel: bit by bit what they give one by one,
//! bf16 as if in f32.

use std::cell::RefCell;

use candle_core::{D, DType, Device, Result, Tensor, Var};
use candle_nn::ops::{log_softmax, softmax};
use candle_nn::{AdamW, BatchNorm, ModuleT, Optimizer, ParamsAdamW};
use candle_rocm::Fusion;
use candle_rocm_tests::{FLOATS, MODEL_FLOATS};

use super::generated::{Formula, OFTEN, bits, check, check_against, check_wide, in_f32, values};
use super::{launches, own, recording};

/// Rows of parts of wavefronts, of wavefronts and of blocks.
const SHAPES: [(usize, usize); 5] = [(1, 16), (3, 64), (33, 1000), (2, 4096), (300, 8)];

/// `mean` is `1 / n`, and `epsilon` something, as the tensor's dtype has them.
fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor, [mean, epsilon]: [f64; 2]) -> Result<Tensor> {
    let centred = x.broadcast_sub(&(x.sum_keepdim(D::Minus1)? * mean)?)?;
    let variance = (centred.sqr()?.sum_keepdim(D::Minus1)? * mean)?;
    centred.broadcast_div(&(variance + epsilon)?.sqrt()?)?.broadcast_mul(weight)?.broadcast_add(bias)
}

/// What a parameter of an operation on `dtype` is rounded to.
fn rounded(value: f64, dtype: DType) -> Result<f64> {
    Tensor::new(value, &Device::Cpu)?.to_dtype(dtype)?.to_dtype(DType::F64)?.to_scalar()
}

/// In f32, as candle-nn's, and back.
fn rms_norm(x: &Tensor, weight: &Tensor) -> Result<Tensor> {
    let wide = x.to_dtype(DType::F32)?;
    let squares = (wide.sqr()?.sum_keepdim(D::Minus1)? / x.dim(D::Minus1)? as f64)?;
    wide.broadcast_div(&(squares + 1e-6)?.sqrt()?)?.to_dtype(x.dtype())?.broadcast_mul(weight)
}

/// As [`check_wide`], but that rows of f16 round each step.
fn check_rows<const N: usize>(
    device: &Device,
    name: &str,
    expected: usize,
    inputs: [&Tensor; N],
    f: impl Fn([&Tensor; N]) -> Result<Tensor>,
) -> Result<()> {
    match inputs[0].dtype() {
        DType::F16 => {
            // Unless a step overflows.
            let wide = |inputs: [&Tensor; N]| in_f32(inputs, &f);
            let x = inputs[0].to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
            let on_cpu = x.iter().all(|x| x.abs() <= 8.).then_some(&wide as Formula<'_, N>);
            check_against(device, name, expected, inputs, on_cpu, &f, &f)
        }
        _ => check_wide(device, name, expected, inputs, f),
    }
}

fn reductions(device: &Device, x: &Tensor, shape: (usize, usize)) -> Result<()> {
    let (dtype, n) = (x.dtype(), shape.1 as f64);
    check_rows(device, "log_softmax", 1, [x], |[x]| log_softmax(x, D::Minus1))?;
    // Each tree and dtype is a run of the compiler.
    if dtype == DType::F64 {
        return Ok(());
    }
    let (weight, bias) = (x.narrow(0, 0, 1)?.squeeze(0)?, x.narrow(0, shape.0 - 1, 1)?.squeeze(0)?);
    let [mean, of_others, epsilon] = [1. / n, 1. / (n - 1.), 1e-5].map(|value| rounded(value, dtype));
    let (mean, of_others, epsilon) = (mean?, of_others?, epsilon?);
    check_rows(device, "softmax", 1, [x], |[x]| softmax(x, D::Minus1))?;
    // As candle has it.
    let variance = |[x]: [&Tensor; 1]| {
        let wide = x.to_dtype(DType::F32)?;
        let centred = wide.broadcast_sub(&(wide.sum_keepdim(D::Minus1)? * mean)?)?;
        (centred.sqr()?.sum_keepdim(D::Minus1)? * of_others)?.to_dtype(dtype)
    };
    match dtype {
        DType::F16 => check_rows(device, "variance", 1, [x], |[x]| x.var_keepdim(D::Minus1))?,
        _ => check_against(device, "variance", 1, [x], Some(&variance), &variance, &|[x]| {
            x.var_keepdim(D::Minus1)
        })?,
    }
    check_rows(device, "layer norm", 1, [x, &weight, &bias], |[x, weight, bias]| {
        layer_norm(x, weight, bias, [mean, epsilon])
    })?;
    check_rows(device, "mean of squares", 1, [x], |[x]| x.sqr()?.sum(D::Minus1)? * mean)?;
    check_rows(device, "range", 1, [x], |[x]| x.max_keepdim(D::Minus1)? - x.min_keepdim(D::Minus1))
}

#[test]
fn rows_of_models() -> Result<()> {
    for device in recording() {
        for dtype in FLOATS {
            for shape in SHAPES {
                let special = values(shape, dtype, &device)?;
                // Of a long row with NaN or infinities, softmax is NaN.
                let finite =
                    special.ne(&special)?.where_cond(&special.zeros_like()?, &special)?.clamp(-6., 6.)?;
                for x in [&special, &finite] {
                    reductions(&device, x, shape)?;
                }
                let (x, weight) = (&special, special.narrow(0, 0, 1)?.squeeze(0)?);
                if matches!(dtype, DType::F16 | DType::BF16) {
                    check(&device, "rms norm", 1, [x, &weight], |[x, weight]| rms_norm(x, weight))?;
                }
            }
        }
    }
    Ok(())
}

/// Rows of several dimensions, that lie apart, that start elsewhere, and reductions of several dimensions.
#[test]
fn rows_in_layouts() -> Result<()> {
    for device in recording() {
        for dtype in MODEL_FLOATS {
            let x = values((3 * 4, 5 * 64), dtype, &device)?.reshape((3, 4, 5, 64))?;
            let mask = values((3, 64), dtype, &device)?.reshape((3, 1, 1, 64))?;
            check_rows(&device, "masked", 1, [&x, &mask], |[x, mask]| {
                softmax(&x.broadcast_add(mask)?, D::Minus1)
            })?;
            let turned = x.transpose(1, 2)?;
            check_rows(&device, "turned", 1, [&turned], |[turned]| log_softmax(turned, D::Minus1))?;
            let part = x.narrow(3, 16, 32)?.narrow(1, 1, 2)?;
            check_rows(&device, "part", 1, [&part], |[part]| log_softmax(part, D::Minus1))?;
            check_rows(&device, "two dimensions", 1, [&x], |[x]| x.sqr()?.sum((2, 3))?.sqrt())?;
            check_rows(&device, "other shape", 1, [&x], |[x]| {
                let exp = x.exp()?.reshape((60, 64))?;
                exp.broadcast_div(&exp.sum_keepdim(1)?)?.reshape((3, 4, 5, 64))
            })?;
            let of_channels = |seed: usize| x.flatten_all()?.narrow(0, 64 * seed, 4)?.abs();
            let [mean, variance, weight, bias] = [1, 2, 3, 4].map(of_channels);
            // With what is computed for each channel; bf16 has this epsilon.
            let inputs = [&x, &mean?, &variance?, &weight?, &bias?];
            check_wide(&device, "batch norm", 1, inputs, |[x, mean, variance, weight, bias]| {
                let [mean, variance, weight, bias] = [mean, variance, weight, bias].map(Clone::clone);
                BatchNorm::new(4, mean, variance, weight, bias, 1. / 8192.)?.forward_t(x, false)
            })?;
            let scale = x.narrow(3, 0, 1)?;
            check_rows(&device, "one for each row", 1, [&x, &scale], |[x, scale]| {
                x.broadcast_mul(scale)?.sum(3)?.neg()
            })?;
        }
    }
    Ok(())
}

/// What the kernels do not take runs one by one, or in parts.
#[test]
fn rows_that_have_no_kernel() -> Result<()> {
    for device in recording() {
        let odd = values((6, 66), DType::F32, &device)?;
        check(&device, "not whole vectors", 4, [&odd], |[x]| softmax(x, D::Minus1))?;
        let x = values((6, 64), DType::F32, &device)?;
        check(&device, "columns", 4, [&x], |[x]| softmax(x, 0))?;
        let unaligned = odd.flatten_all()?.narrow(0, 1, 384)?.reshape((6, 64))?;
        check(&device, "unaligned", 4, [&unaligned], |[x]| softmax(x, D::Minus1))?;
        let long = values((2, 8200), DType::F32, &device)?;
        check(&device, "long", 4, [&long], |[x]| softmax(x, D::Minus1))?;
        check(&device, "an index", 2, [&x], |[x]| x.sqr()?.argmax(D::Minus1))?;
    }
    Ok(())
}

/// What somebody has who asks later is written by the kernel, too.
#[test]
fn several_results() -> Result<()> {
    for device in recording() {
        for dtype in MODEL_FLOATS {
            let x = values((6, 64), dtype, &device)?;
            let kept = RefCell::new(Vec::new());
            let keep = |x: Tensor| {
                kept.borrow_mut().push(x.clone());
                x
            };
            let all = |result: Tensor| Tensor::cat(&[kept.take(), vec![result]].concat(), 0);
            check_rows(&device, "held", 2, [&x], |[x]| {
                let exp = keep(x.exp()?);
                all(exp.broadcast_div(&exp.sum_keepdim(1)?)?)
            })?;
            check_rows(&device, "one for each row", 3, [&x], |[x]| {
                let sum = keep(x.sqr()?.sum_keepdim(1)?);
                let result = x.broadcast_div(&sum)?;
                let sums = kept.take().remove(0).broadcast_as((6, 64))?;
                Tensor::cat(&[sums, result], 0)
            })?;
            // All elements are one row, and another result has one.
            let (row, one) = (x.narrow(0, 0, 4)?, x.narrow(0, 0, 1)?.narrow(1, 8, 1)?);
            check_wide(&device, "one element inside", 2, [&row, &one], |[row, one]| {
                let sum = keep(row.broadcast_add(&(one + one)?)?);
                all((sum * row)?)
            })?;
            check_wide(&device, "more than a kernel has", 3, [&x], |[x]| {
                let mut y = x.clone();
                for factor in 2..8 {
                    y = keep((y * f64::from(factor))?);
                    // The last four are a launch, which reads what the one before it wrote.
                    if factor == 3 {
                        y = y.to_dtype(dtype)?.to_dtype(x.dtype())?;
                    }
                }
                all(y)
            })?;
            // Whoever reads a result before the last one of the tree is there needs it earlier.
            check(&device, "read in the middle", 6, [&x], |[x]| {
                let y = keep((x + 1.)?);
                let part = keep(y.narrow(1, 3, 8)?.cos()?);
                let result = ((&y * 2.)?.narrow(1, 3, 8)? * part)?;
                let y = kept.take().remove(0).narrow(1, 0, 8)?;
                Tensor::cat(&[y, result], 0)
            })?;
        }
    }
    Ok(())
}

/// candle-nn's Adam: one launch for each variable. Sizes: whole vectors, more or fewer of them than threads, and others.
#[test]
fn optimizer_steps() -> Result<()> {
    for device in recording() {
        for (shape, expected) in [((4, 32), 1), ((33, 4), 1), ((130, 1024), 1), ((5, 3), 3)] {
            let params = ParamsAdamW { weight_decay: 0.03, ..ParamsAdamW::default() };
            let start = values(shape, DType::F32, &device)?;
            let run = |fusion| {
                own(&device).set_fusion(fusion);
                let var = Var::from_tensor(&start)?;
                let mut adam = AdamW::new(vec![var.clone()], params.clone())?;
                let mut taken = 0;
                for _ in 0..OFTEN {
                    let grads = (var.as_tensor() * 0.5)?.sqr()?.backward()?;
                    device.synchronize()?;
                    let before = launches(&device);
                    adam.step(&grads)?;
                    own(&device).finish_compiling()?;
                    taken = launches(&device) - before;
                }
                Ok::<_, candle_core::Error>((bits(var.as_tensor())?, taken))
            };
            let (plain, single) = run(Fusion::Off)?;
            let (joined, together) = run(Fusion::On)?;
            assert_eq!(plain, joined, "{shape:?}");
            assert_eq!(together, expected, "{shape:?}, {device:?}: {single} launches without fusion");
        }
    }
    Ok(())
}
