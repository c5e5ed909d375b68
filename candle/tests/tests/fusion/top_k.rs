//! Sorted rows of which the first are read: one launch finds these, bit by bit as if all were sorted.

use candle_core::{D, DType, Device, Result, Tensor};
use candle_rocm_tests::{FLOATS, random};

use super::{bits, both, own, recording};

/// Rows with NaN, both zeros and many equal elements.
fn rows(device: &Device, (rows, columns): (usize, usize), dtype: DType) -> Result<Tensor> {
    let mut x = (random(&[rows, columns])? * 9.)?.round()?.flatten_all()?.to_vec1::<f32>()?;
    for (i, value) in [f32::NAN, -0., 0., f32::INFINITY, -f32::NAN, f32::NEG_INFINITY].into_iter().enumerate()
    {
        let at = i * 29 % x.len();
        x[at] = value;
    }
    Tensor::from_vec(x, (rows, columns), device)?.to_dtype(dtype)
}

/// Checks what `f` gives, and how many launches it takes without fusion and with it.
#[track_caller]
fn check(
    device: &Device,
    what: &str,
    launches: [usize; 2],
    f: impl Fn() -> Result<Vec<Vec<u32>>>,
) -> Result<()> {
    let [(want, alone), (got, joined)] = both(device, f)?;
    assert_eq!(got, want, "{what}");
    assert_eq!([alone, joined], launches, "{what}");
    Ok(())
}

fn words(x: &Tensor) -> Result<Vec<u32>> {
    match x.dtype() {
        DType::U32 => x.flatten_all()?.to_vec1(),
        _ => bits(x),
    }
}

/// The first `k` indices of each row.
fn first(x: &Tensor, k: usize) -> Result<Tensor> {
    x.arg_sort_last_dim(false)?.narrow(D::Minus1, 0, k)?.contiguous()
}

/// As mixtures of experts choose them: indices, and their elements.
#[test]
fn routers() -> Result<()> {
    for device in recording() {
        for dtype in FLOATS {
            for (shape, k) in [((5, 8), 2), ((3, 60), 6), ((9, 256), 8), ((2, 700), 100), ((2, 5000), 40)] {
                let x = rows(&device, shape, dtype)?;
                let parts = shape.1 > 4096;
                let sort = if parts { 1 + dtype.size_in_bytes() } else { 1 };
                // More launches where results are converted to be compared.
                let casts = usize::from(dtype != DType::F32);
                check(&device, "indices", [sort + 1, 1 + usize::from(parts)], || {
                    Ok(vec![words(&first(&x, k)?)?])
                })?;
                let both = [sort + 2 + casts, 1 + usize::from(parts) + casts];
                check(&device, "indices and elements", both, || {
                    let indices = first(&x, k)?;
                    let elements = x.gather(&indices, D::Minus1)?;
                    Ok(vec![words(&elements)?, words(&indices)?])
                })?;
            }
        }
        let x = rows(&device, (4, 40), DType::F32)?.reshape((2, 2, 40))?;
        check(&device, "more dimensions", [3, 1], || {
            let indices = first(&x, 3)?;
            let elements = x.gather(&indices, D::Minus1)?;
            Ok(vec![words(&indices)?, words(&elements)?])
        })?;
    }
    Ok(())
}

/// `sort_last_dim`, of whose results the first of each row are copied.
#[test]
fn of_both_results() -> Result<()> {
    for device in recording() {
        let x = rows(&device, (6, 64), DType::F32)?;
        let narrow = |x: Tensor| x.narrow(D::Minus1, 0, 4)?.contiguous();
        check(&device, "both", [4, 1], || {
            let (elements, indices) = x.sort_last_dim(false)?;
            let (indices, elements) = (narrow(indices)?, narrow(elements)?);
            Ok(vec![words(&elements)?, words(&indices)?])
        })?;
        check(&device, "elements", [3, 1], || {
            let (elements, _) = x.sort_last_dim(true)?;
            Ok(vec![words(&narrow(elements)?)?])
        })?;
        // The others are read as well.
        check(&device, "all elements", [3, 3], || {
            let (elements, indices) = x.sort_last_dim(false)?;
            let indices = narrow(indices)?;
            Ok(vec![words(&elements)?, words(&indices)?])
        })?;
        // As many elements, all of them of the first row.
        check(&device, "all indices for one row", [3, 3], || {
            let indices = x.arg_sort_last_dim(false)?.reshape((1, ()))?;
            let elements = x.gather(&indices, D::Minus1)?.reshape(x.shape())?;
            drop(indices);
            Ok(vec![words(&narrow(elements)?)?])
        })?;
        let other = rows(&device, (6, 64), DType::F32)?;
        check(&device, "elements of others", [3, 2], || {
            Ok(vec![words(&other.gather(&first(&x, 4)?, D::Minus1)?)?])
        })?;
        check(&device, "not the first", [2, 2], || {
            Ok(vec![words(&x.arg_sort_last_dim(false)?.narrow(D::Minus1, 60, 4)?.contiguous()?)?])
        })?;
    }
    Ok(())
}

/// One row, of which a view of the first ones is contiguous, so that nothing is copied.
#[test]
fn of_one_row() -> Result<()> {
    for device in recording() {
        for columns in [64, 5000] {
            let x = rows(&device, (1, columns), DType::F32)?;
            let (sort, top) = if columns > 4096 { (5, 2) } else { (1, 1) };
            check(&device, "indices", [sort + 1, top + 1], || {
                let indices = first(&x, 5)?.to_dtype(DType::F32)?;
                Ok(vec![words(&indices)?])
            })?;
            check(&device, "indices and elements", [sort + 2, top + 1], || {
                let first = first(&x, 5)?;
                let (elements, indices) = (x.gather(&first, D::Minus1)?, first.to_dtype(DType::F32)?);
                drop(first);
                Ok(vec![words(&elements)?, words(&indices)?])
            })?;
            check(&device, "more and fewer of them", [sort + 2, top + 2], || {
                let sorted = x.arg_sort_last_dim(true)?;
                let five = sorted.narrow(1, 0, 5)?.to_dtype(DType::F32)?;
                let nine = sorted.narrow(1, 0, 9)?.to_dtype(DType::F32)?;
                drop(sorted);
                Ok(vec![words(&five)?, words(&nine)?])
            })?;
            // A tensor has all of them.
            check(&device, "all indices", [sort + 1, sort + 1], || {
                let indices = x.arg_sort_last_dim(false)?;
                let elements = x.gather(&indices.narrow(1, 0, 5)?, D::Minus1)?;
                Ok(vec![words(&elements)?, words(&indices)?])
            })?;
        }
        assert_eq!(own(&device).counters().declined.len(), 0);
    }
    Ok(())
}
