//! Convolutions of tensors: with groups in one piece, and with gradients as candle computes them.

use candle_core::rocm::fused_taken;
use candle_core::{DType, Device, Result, Tensor, Var};
use candle_rocm_tests::devices;

/// Small whole numbers: sums of them are exact in every order.
fn whole(dims: &[usize], device: &Device) -> Result<Tensor> {
    let count: usize = dims.iter().product();
    let values: Vec<f32> = (0..count).map(|i| ((i * 7 + i / 3) % 5) as f32 - 2.0).collect();
    Tensor::from_vec(values, dims, device)
}

fn same(got: &Tensor, want: &Tensor) -> Result<()> {
    assert_eq!(got.dims(), want.dims());
    let flat = |t: &Tensor| t.to_device(&Device::Cpu)?.flatten_all()?.to_vec1::<f32>();
    assert_eq!(flat(got)?, flat(want)?);
    Ok(())
}

/// What convolutions with groups are on the CPU, by candle's own splitting.
type Grouped = (&'static [usize], &'static [usize], fn(&Tensor, &Tensor) -> Result<Tensor>);

const GROUPED: &[Grouped] = &[
    (&[2, 6, 9], &[9, 2, 3], |x, w| x.conv1d(w, 1, 2, 1, 3)),
    (&[2, 4, 7, 5], &[4, 1, 3, 3], |x, w| x.conv2d(w, 1, 1, 1, 4)),
    (&[1, 4, 7, 5], &[6, 2, 3, 2], |x, w| x.conv2d(w, 0, 2, 2, 2)),
    (&[2, 4, 6], &[4, 3, 4], |x, w| x.conv_transpose1d(w, 1, 1, 2, 1, 2)),
];

#[test]
fn groups_are_one_operation() -> Result<()> {
    for device in devices() {
        for (x_dims, w_dims, run) in GROUPED {
            let before = fused_taken("convolution");
            let (x, w) = (whole(x_dims, &Device::Cpu)?, whole(w_dims, &Device::Cpu)?);
            let got = run(&x.to_device(&device)?, &w.to_device(&device)?)?;
            same(&got, &run(&x, &w)?)?;
            assert!(fused_taken("convolution") > before);
        }
    }
    Ok(())
}

/// On the CPU 1-D convolutions go as images of height 1: candle 0.11.1 takes the wrong part of a 1-D kernel that is a view with an
/// offset, and gradients of groups are made with such.
fn on_cpu(x: &Tensor, w: &Tensor) -> Result<Tensor> {
    match x.rank() {
        3 => x.unsqueeze(2)?.conv2d(&w.unsqueeze(2)?, 0, 2, 1, 3)?.squeeze(2),
        _ => x.conv2d(w, 0, 2, 2, 2),
    }
}

#[test]
fn groups_have_gradients() -> Result<()> {
    type Run = fn(&Tensor, &Tensor) -> Result<Tensor>;
    let one: Run = |x, w| x.conv1d(w, 0, 2, 1, 3);
    let two: Run = |x, w| x.conv2d(w, 0, 2, 2, 2);
    let cases: [(&[usize], &[usize], Run); 2] =
        [(&[2, 6, 9], &[9, 2, 3], one), (&[1, 4, 7, 5], &[6, 2, 3, 2], two)];
    for device in devices() {
        for (x_dims, w_dims, run) in cases {
            let gradients = |device: &Device, run: Run| {
                let x = Var::from_tensor(&whole(x_dims, device)?)?;
                let w = Var::from_tensor(&whole(w_dims, device)?)?;
                let gradients = run(&x, &w)?.sqr()?.sum_all()?.backward()?;
                let of = |var: &Var| gradients.get(var).cloned().unwrap();
                Ok::<_, candle_core::Error>((of(&x), of(&w)))
            };
            let ((x, w), (want_x, want_w)) = (gradients(&device, run)?, gradients(&Device::Cpu, on_cpu)?);
            same(&x, &want_x)?;
            same(&w, &want_w)?;
        }
    }
    Ok(())
}

#[test]
fn half_types_and_views() -> Result<()> {
    for device in devices() {
        for dtype in [DType::F16, DType::BF16] {
            let x = whole(&[2, 5, 7, 4], &Device::Cpu)?;
            let w = whole(&[3, 4, 3, 3], &Device::Cpu)?;
            // [2, 4, 7, 5] with its channels last.
            let want = x.permute((0, 3, 2, 1))?.conv2d(&w, 1, 1, 1, 1)?;
            let (x, w) = (x.to_dtype(dtype)?.to_device(&device)?, w.to_dtype(dtype)?.to_device(&device)?);
            let got = x.permute((0, 3, 2, 1))?.conv2d(&w, 1, 1, 1, 1)?;
            same(&got.to_dtype(DType::F32)?, &want)?;
        }
    }
    Ok(())
}
