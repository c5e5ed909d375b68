//! Compares the results of two backends.

use candle_core::{DType, Device, Result, Tensor, bail};

/// Results of up to this many elements are compared completely, larger ones in windows.
const WHOLE: usize = 1 << 20;
const WINDOWS: usize = 32;
const WINDOW: usize = 1 << 14;

/// The largest difference, relative to the largest finite value of `expected`. Infinite if only one of the two is NaN.
pub(crate) fn difference(result: &Tensor, expected: &Tensor) -> Result<f64> {
    if result.dims() != expected.dims() || result.dtype() != expected.dtype() {
        bail!(
            "expected {2:?} {3:?}, got {0:?} {1:?}",
            result.dtype(),
            result.dims(),
            expected.dtype(),
            expected.dims()
        )
    }
    let (result, expected) = (sample(result)?, sample(expected)?);
    let finite = expected.iter().filter(|x| x.is_finite()).fold(0f64, |max, x| max.max(x.abs()));
    let scale = if finite > 0. { finite } else { 1. };
    let relative_difference = |(&a, &b): (&f64, &f64)| {
        if a == b || (a.is_nan() && b.is_nan()) {
            0.
        } else if a.is_finite() && b.is_finite() {
            (a - b).abs() / scale
        } else {
            f64::INFINITY
        }
    };
    Ok(result.iter().zip(&expected).map(relative_difference).fold(0., f64::max))
}

fn sample(tensor: &Tensor) -> Result<Vec<f64>> {
    let flat = tensor.flatten_all()?;
    let count = flat.elem_count();
    if count <= WHOLE {
        return values(&flat);
    }
    let mut sampled = Vec::with_capacity(WINDOWS * WINDOW);
    for i in 0..WINDOWS {
        let start = (count - WINDOW) / (WINDOWS - 1) * i;
        // A copy: otherwise the whole storage behind the view would be downloaded.
        sampled.extend(values(&flat.narrow(0, start, WINDOW)?.force_contiguous()?)?);
    }
    Ok(sampled)
}

fn values(flat: &Tensor) -> Result<Vec<f64>> {
    flat.to_device(&Device::Cpu)?.to_dtype(DType::F64)?.to_vec1()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found() -> Result<()> {
        let expected = Tensor::arange(0f32, 100., &Device::Cpu)?;
        assert_eq!(difference(&expected, &expected)?, 0.);
        let result = (&expected + 0.99)?;
        assert!((difference(&result, &expected)? - 0.01).abs() < 1e-6);
        let nan = (&expected * f64::NAN)?;
        assert_eq!(difference(&nan, &expected)?, f64::INFINITY);
        assert!(difference(&expected.narrow(0, 0, 3)?, &expected).is_err());
        Ok(())
    }
}
