//! Elementwise operations that become one generated kernel: bit by bit what they give one by one, half types as if in f32.

use candle_core::{DType, Device, Result, Tensor};
use candle_rocm_tests::FLOATS;

use super::{launches, own, recording};

/// More often than a tree must be met to be worth a kernel.
pub(super) const OFTEN: usize = 6;

/// All bits, whatever the dtype. Which of two NaNs an instruction passes on is the compiler's choice.
pub(super) fn bits(x: &Tensor) -> Result<Vec<u64>> {
    let x = x.flatten_all()?;
    Ok(match x.dtype() {
        DType::F64 => {
            x.to_vec1::<f64>()?.into_iter().map(|x| if x.is_nan() { u64::MAX } else { x.to_bits() }).collect()
        }
        DType::F16 | DType::BF16 | DType::F32 => {
            let wide = x.to_dtype(DType::F32)?.to_vec1::<f32>()?;
            wide.into_iter().map(|x| if x.is_nan() { u64::MAX } else { u64::from(x.to_bits()) }).collect()
        }
        _ => x.to_dtype(DType::I64)?.to_vec1::<i64>()?.into_iter().map(i64::cast_unsigned).collect(),
    })
}

/// What is checked: a function of so many tensors.
pub(super) type Formula<'a, const N: usize> = &'a dyn Fn([&Tensor; N]) -> Result<Tensor>;

/// Without fusion, while there is no kernel, and with it: the same bits, and about what the CPU gives. With it, so many launches.
pub(super) fn check<const N: usize>(
    device: &Device,
    name: &str,
    expected: usize,
    inputs: [&Tensor; N],
    f: impl Fn([&Tensor; N]) -> Result<Tensor>,
) -> Result<()> {
    check_against(device, name, expected, inputs, Some(&f), &f, &f)
}

/// The same for operations that give, of half types, what they give in f32, rounded at the end.
pub(super) fn check_wide<const N: usize>(
    device: &Device,
    name: &str,
    expected: usize,
    inputs: [&Tensor; N],
    f: impl Fn([&Tensor; N]) -> Result<Tensor>,
) -> Result<()> {
    let wide = |inputs: [&Tensor; N]| in_f32(inputs, &f);
    check_against(device, name, expected, inputs, Some(&wide), &wide, &f)
}

/// What a function gives of half types in f32.
pub(super) fn in_f32<const N: usize>(inputs: [&Tensor; N], f: Formula<'_, N>) -> Result<Tensor> {
    let dtype = inputs[0].dtype();
    let wide = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let mut inputs = inputs.map(Clone::clone);
    for input in &mut inputs {
        *input = input.to_dtype(wide)?;
    }
    f(inputs.each_ref())?.to_dtype(dtype)
}

/// With a formula for the CPU, if it is one there, and one that gives the same bits.
pub(super) fn check_against<const N: usize>(
    device: &Device,
    name: &str,
    expected: usize,
    inputs: [&Tensor; N],
    on_cpu: Option<Formula<'_, N>>,
    reference: Formula<'_, N>,
    f: Formula<'_, N>,
) -> Result<()> {
    let run = |f: Formula<'_, N>| {
        let before = launches(device);
        let y = f(inputs)?;
        let taken = launches(device) - before;
        Ok::<_, candle_core::Error>((y, taken))
    };
    let mut copies = inputs.map(Clone::clone);
    for copy in &mut copies {
        *copy = copy.to_device(&Device::Cpu)?;
    }
    let on_cpu = on_cpu.map(|f| f(copies.each_ref())).transpose()?;
    own(device).set_fusion(candle_rocm::Fusion::Off);
    let (plain, _) = run(reference)?;
    if let Some(on_cpu) = on_cpu {
        check_close(&format!("{name}, {device:?}"), &plain, &on_cpu)?;
    }
    let plain = bits(&plain)?;
    run(f)?;
    let (_, single) = run(f)?;
    own(device).set_fusion(candle_rocm::Fusion::On);
    for _ in 0..OFTEN {
        assert_eq!(bits(&run(f)?.0)?, plain, "{name}, {device:?}");
    }
    own(device).finish_compiling()?;
    let (joined, together) = run(f)?;
    assert_eq!(bits(&joined)?, plain, "{name}, {device:?}");
    assert_eq!(together, expected, "{name}, {device:?}: {single} launches without fusion");
    Ok(())
}

/// What all devices give alike: an error in what joined and single kernels share is none of a difference between them. Functions, and
/// the order of sums, differ a little.
fn check_close(what: &str, got: &Tensor, expected: &Tensor) -> Result<()> {
    assert_eq!((got.dims(), got.dtype()), (expected.dims(), expected.dtype()), "{what}");
    let tolerance = match got.dtype() {
        DType::F64 => 1e-9,
        DType::F32 => 1e-4,
        // Where each step rounds.
        DType::F16 | DType::BF16 => 1. / 32.,
        _ => 0.,
    };
    let values =
        |x: &Tensor| x.to_device(&Device::Cpu)?.to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>();
    for (i, (got, expected)) in values(got)?.into_iter().zip(values(expected)?).enumerate() {
        let close = (got - expected).abs() <= tolerance * (1. + expected.abs());
        let same = got == expected || got.is_nan() && expected.is_nan();
        assert!(close && expected.is_finite() || same, "{what}: {got} instead of {expected} at {i}");
    }
    Ok(())
}

/// Values of both signs, zeros, infinities, NaN, and some that overflow half types.
pub(super) fn values(shape: (usize, usize), dtype: DType, device: &Device) -> Result<Tensor> {
    const SPECIAL: [f32; 8] = [0., -0., f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 65504., 1e-7, -3e38];
    let value = |i: usize| {
        if i % 7 == 3 { SPECIAL[i / 7 % 8] } else { ((i * 37 % 201) as f32 - 100.) / 17. }
    };
    let values: Vec<f32> = (0..shape.0 * shape.1).map(value).collect();
    Tensor::from_vec(values, shape, device)?.to_dtype(dtype)
}

const SHAPES: [(usize, usize); 4] = [(1, 1), (3, 17), (8, 64), (33, 1000)];

#[test]
fn activations() -> Result<()> {
    for device in recording() {
        for dtype in FLOATS {
            for shape in SHAPES {
                let (x, y) = (values(shape, dtype, &device)?, values(shape, dtype, &device)?.neg()?);
                check_wide(&device, "clamped", 1, [&x, &y], |[x, y]| {
                    x.elu(0.75)?.maximum(y)?.minimum(x)?.sqrt()?.div(y)
                })?;
                // Each tree and dtype is a run of the compiler.
                if !matches!(dtype, DType::F32 | DType::F16) {
                    continue;
                }
                check_wide(&device, "gelu", 1, [&x], |[x]| {
                    let inner = ((x + (x * x)?.mul(x)?.affine(0.046875, 0.)?)? * 0.796875)?;
                    (inner.tanh()? + 1.)?.mul(x)? * 0.5
                })?;
                check_wide(&device, "gated", 1, [&x, &y], |[x, y]| x.silu()? * y)?;
            }
        }
    }
    Ok(())
}

#[test]
fn layouts() -> Result<()> {
    for device in recording() {
        for dtype in [DType::F32, DType::BF16] {
            for shape in SHAPES {
                let x = values(shape, dtype, &device)?;
                let (row, column) = (x.narrow(0, 0, 1)?, x.narrow(1, 0, 1)?);
                let turned = values((shape.1, shape.0), dtype, &device)?.t()?;
                check_wide(&device, "broadcast", 1, [&x, &row, &column], |[x, row, column]| {
                    x.broadcast_mul(row)?.broadcast_add(column)?.relu()
                })?;
                check_wide(&device, "transposed", 1, [&x, &turned], |[x, turned]| {
                    (x.exp()? + turned)?.abs()
                })?;
                check_wide(&device, "contiguous", 1, [&turned, &x], |[turned, x]| {
                    turned.contiguous()?.affine(2., -1.)?.mul(x)
                })?;
                check_wide(&device, "another shape", 1, [&x], |[x]| {
                    x.affine(0.5, 1.)?.flatten_all()?.sqr()?.neg()
                })?;
                // What is read transposed has to be there.
                let launches = if shape == (1, 1) { 1 } else { 2 };
                check_wide(&device, "read transposed", launches, [&x], |[x]| {
                    x.affine(0.5, 1.)?.to_dtype(dtype)?.to_dtype(x.dtype())?.t()?.sqr()?.neg()
                })?;
                let part = values((shape.0 + 2, shape.1 + 3), dtype, &device)?;
                let part = part.narrow(0, 1, shape.0)?.narrow(1, 2, shape.1)?;
                check_wide(&device, "offset", 1, [&part, &x], |[part, x]| (part.abs()? * x)?.floor())?;
            }
        }
    }
    Ok(())
}

#[test]
fn dtypes() -> Result<()> {
    for device in recording() {
        for shape in SHAPES {
            let x = values(shape, DType::F32, &device)?;
            for half in [DType::F16, DType::BF16] {
                let h = x.to_dtype(half)?;
                check(&device, "in f32 and back", 1, [&h], |[h]| {
                    h.to_dtype(DType::F32)?.silu()?.affine(1.5, 0.1)?.to_dtype(half)
                })?;
                check(&device, "rounded", 1, [&x, &h], |[x, h]| {
                    (x.to_dtype(half)? + h)?.to_dtype(DType::F32)? - x
                })?;
            }
            let zeros = x.zeros_like()?;
            check(&device, "where", 1, [&x, &zeros], |[x, zeros]| {
                x.gt(zeros)?.where_cond(&x.sqr()?, zeros)?.affine(1., 2.)
            })?;
            for int in [DType::U8, DType::U32, DType::I64] {
                // Small, as the CPU's do not wrap around.
                let n = x.to_dtype(int)?.clamp(0u8, 7u8)?;
                let m = x.neg()?.to_dtype(int)?.clamp(0u8, 7u8)?;
                check(&device, "integers", 1, [&n, &m], |[n, m]| {
                    (n * m)?.affine(3., 1.)?.maximum(n)?.abs()?.to_dtype(DType::F32)
                })?;
                check(&device, "compared", 1, [&n, &m], |[n, m]| {
                    n.ge(m)?.to_dtype(DType::F32)?.affine(-1., 1.)
                })?;
                check(&device, "whole numbers", 1, [&n, &m], |[n, m]| {
                    (n.ceil()? + m.floor()?)?.round()?.abs()
                })?;
            }
        }
    }
    Ok(())
}

/// What half types are rounded to: whatever a cast asks for, a parameter, and what is written.
#[test]
fn rounding() -> Result<()> {
    for device in recording() {
        for (half, other) in [(DType::F16, DType::BF16), (DType::BF16, DType::F16)] {
            // 0.1 and 0.3 in the half type.
            let by = Tensor::new(&[0.1f32, 0.3], &device)?
                .to_dtype(half)?
                .to_dtype(DType::F32)?
                .to_vec1::<f32>()?;
            let by = |wide: bool, i: usize| if wide { f64::from(by[i]) } else { [0.1, 0.3][i] };
            for shape in SHAPES {
                let x = values(shape, half, &device)?;
                check_wide(&device, "parameters", 1, [&x], |[x]| {
                    let wide = x.dtype() != half;
                    x.affine(by(wide, 0), by(wide, 1))?.elu(by(wide, 1))?.exp()
                })?;
                let f = values(shape, DType::F32, &device)?.affine(0.37, 0.11)?;
                check(&device, "the error of a cast", 1, [&f], |[f]| {
                    f - f.to_dtype(half)?.to_dtype(DType::F32)?
                })?;
                check_wide(&device, "a cast inside", 1, [&x], |[x]| {
                    x.sqr()?.exp()?.to_dtype(half)?.to_dtype(other)?.to_dtype(x.dtype())?.sqr()
                })?;
                check_wide(&device, "as f32", 1, [&x], |[x]| {
                    x.sqr()?.exp()?.to_dtype(half)?.to_dtype(DType::F32)?.sqr()?.to_dtype(x.dtype())
                })?;
                let less = |[x, _]: [&Tensor; 2]| {
                    let (x, zero) = (x.to_dtype(DType::F32)?, x.zeros_like()?.to_dtype(DType::F32)?);
                    x.affine(1.5, 0.25)?.exp()?.lt(&zero.affine(1., 1.25)?)?.to_dtype(DType::F32)
                };
                let zero = x.zeros_like()?;
                check_against(&device, "compared", 1, [&x, &zero], Some(&less), &less, &|[x, zero]| {
                    let y = x.affine(1.5, 0.25)?.exp()?;
                    y.lt(&zero.affine(1., 1.25)?)?.to_dtype(DType::F32)
                })?;
                check_wide(&device, "selected", 1, [&x, &zero], |[x, zero]| {
                    x.gt(zero)?.where_cond(&x.exp()?, &x.affine(0.5, 0.)?)?.sqr()
                })?;
                // What a tensor has is rounded for whoever reads it, but not inside the kernel, which takes whole vectors.
                if !shape.1.is_multiple_of(8) {
                    continue;
                }
                let held = std::cell::RefCell::new(None);
                let run = |x: &Tensor| {
                    let y = x.exp()?;
                    held.replace(Some(y.clone()));
                    Tensor::cat(&[&y.affine(1.5, 0.)?.sqr()?, &y], 0)
                };
                check_wide(&device, "held", 2, [&x], |[x]| run(x))?;
                assert_eq!(bits(&held.take().expect("a tensor"))?, bits(&x.exp()?)?);
            }
        }
    }
    Ok(())
}

/// Results that somebody has are written, and more than five operands take more than one kernel.
#[test]
fn what_is_read_elsewhere() -> Result<()> {
    for device in recording() {
        let shape = (5, 40);
        let [a, b, c, d, e, f] =
            [0.5, -1., 2., 3., 4., -0.1].map(|by| values(shape, DType::F32, &device)?.affine(by, 0.25));
        let (a, b, c, d, e, f) = (a?, b?, c?, d?, e?, f?);
        check(&device, "four operands", 1, [&a, &b, &c, &d], |[a, b, c, d]| ((a + b)? * (c - d)?)?.tanh())?;
        check(&device, "five operands", 1, [&a, &b, &c, &d, &e], |[a, b, c, d, e]| {
            (((a + b)? * (c - d)?)?.maximum(e))?.exp()
        })?;
        check(&device, "six operands", 2, [&a, &b, &c, &d, &e, &f], |[a, b, c, d, e, f]| {
            (((a + b)? * (c - d)?)?.maximum(e))?.exp()? / f
        })?;
        check(&device, "shared inside", 1, [&a, &b, &c], |[a, b, c]| {
            let s = (a + b)?;
            (s.sqr()? + s.abs()?)? / c
        })?;
        check(&device, "read in vain", 1, [&a, &b], |[a, b]| {
            let s = (a + b)?.exp()?;
            drop(Tensor::cat(&[&s.neg()?, &s], 0)?);
            s.sqr()?.affine(1., 1.)
        })?;
        check(&device, "read by others", 2, [&a, &b], |[a, b]| {
            let s = (a + b)?.exp()?;
            Tensor::cat(&[&s.sqr()?.affine(1., 1.)?, &s], 0)
        })?;
        let kept = std::cell::RefCell::new(None);
        check(&device, "held", 1, [&a, &b], |[a, b]| {
            let s = (a + b)?.exp()?;
            kept.replace(Some(s.clone()));
            s.sqr()?.affine(1., 1.)
        })?;
    }
    Ok(())
}
