//! Convolutions of tensors: groups in one launch, and gradients.

use candle_core::rocm::fused_taken;
use candle_core::{DType, Device, Result, Tensor, Var};
use candle_rocm::RocmDevice;
use candle_rocm_tests::devices;

/// Small integers, whose sums are exact in any order.
fn integers(dims: &[usize], device: &Device) -> Result<Tensor> {
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

/// Dimensions of the input and the kernel, and the convolution. On the CPU, candle splits the groups.
type Grouped = (&'static [usize], &'static [usize], fn(&Tensor, &Tensor) -> Result<Tensor>);

const GROUPED: &[Grouped] = &[
    (&[2, 6, 9], &[9, 2, 3], |x, w| x.conv1d(w, 1, 2, 1, 3)),
    (&[2, 4, 7, 5], &[4, 1, 3, 3], |x, w| x.conv2d(w, 1, 1, 1, 4)),
    (&[1, 4, 7, 5], &[6, 2, 3, 2], |x, w| x.conv2d(w, 0, 2, 2, 2)),
    (&[2, 4, 6], &[4, 3, 4], |x, w| x.conv_transpose1d(w, 1, 1, 2, 1, 2)),
];

#[test]
fn groups_are_one_fused_operation() -> Result<()> {
    for device in devices() {
        for (x_dims, w_dims, run) in GROUPED {
            let before = fused_taken("convolution");
            let (x, w) = (integers(x_dims, &Device::Cpu)?, integers(w_dims, &Device::Cpu)?);
            let got = run(&x.to_device(&device)?, &w.to_device(&device)?)?;
            same(&got, &run(&x, &w)?)?;
            assert!(fused_taken("convolution") > before);
        }
    }
    Ok(())
}

/// A grouped convolution whose gradients are checked against plain loops. candle is no reference: its gradients of grouped convolutions
/// need square images, 1-D transposed convolutions have none, and its CPU backend reads the wrong part of a 1-D kernel that is a view.
struct Case {
    x: &'static [usize],
    w: &'static [usize],
    stride: usize,
    padding: usize,
    dilation: usize,
    groups: usize,
    /// Set for transposed convolutions.
    output_padding: Option<usize>,
}

const ONE: Case =
    Case { x: &[], w: &[], stride: 1, padding: 0, dilation: 1, groups: 1, output_padding: None };

const WITH_GRADIENTS: &[Case] = &[
    Case { x: &[2, 6, 9], w: &[9, 2, 3], stride: 2, groups: 3, ..ONE },
    Case { x: &[3, 4, 10], w: &[6, 2, 4], padding: 3, stride: 3, dilation: 2, groups: 2, ..ONE },
    Case { x: &[2, 5, 7], w: &[5, 1, 3], padding: 1, groups: 5, ..ONE },
    // Depthwise, with one and with several output channels per input channel.
    Case { x: &[2, 4, 7, 5], w: &[4, 1, 3, 3], padding: 1, groups: 4, ..ONE },
    Case { x: &[3, 4, 6, 8], w: &[4, 1, 3, 3], padding: 1, stride: 2, groups: 4, ..ONE },
    Case { x: &[1, 3, 8, 6], w: &[6, 1, 2, 3], padding: 2, stride: 2, dilation: 2, groups: 3, ..ONE },
    // The remainder of the stride differs between dimensions.
    Case { x: &[1, 4, 7, 6], w: &[6, 2, 3, 2], stride: 3, groups: 2, ..ONE },
    Case { x: &[2, 6, 5, 9], w: &[6, 2, 1, 1], groups: 3, ..ONE },
    Case { x: &[2, 4, 6], w: &[4, 3, 4], padding: 1, stride: 2, groups: 2, output_padding: Some(1), ..ONE },
    Case { x: &[1, 6, 5], w: &[6, 1, 3], stride: 3, dilation: 2, groups: 3, output_padding: Some(2), ..ONE },
    Case { x: &[2, 3, 4], w: &[3, 1, 3], padding: 2, groups: 3, output_padding: Some(0), ..ONE },
];

impl Case {
    fn run(&self, x: &Tensor, w: &Tensor) -> Result<Tensor> {
        let (padding, stride, dilation, groups) = (self.padding, self.stride, self.dilation, self.groups);
        match (x.rank(), self.output_padding) {
            (3, None) => x.conv1d(w, padding, stride, dilation, groups),
            (3, Some(more)) => x.conv_transpose1d(w, padding, more, stride, dilation, groups),
            _ => x.conv2d(w, padding, stride, dilation, groups),
        }
    }

    /// Enumerates the products: an element of x times one of w, added to one of y, as indices into contiguous images.
    fn products(&self, y: &[usize], mut each: impl FnMut(usize, usize, usize)) {
        let image = |dims: &[usize]| match *dims {
            [a, b, x] => [a, b, 1, x],
            [a, b, y, x] => [a, b, y, x],
            _ => panic!("{dims:?}"),
        };
        let (x, w, y) = (image(self.x), image(self.w), image(y));
        let (small, large) = if self.output_padding.is_some() { (x, y) } else { (y, x) };
        let flat = self.x.len() == 3;
        let coordinate = |small: usize, tap: usize, len: usize, flat: bool| match flat {
            true => Some(0),
            false => {
                (small * self.stride + tap * self.dilation).checked_sub(self.padding).filter(|&at| at < len)
            }
        };
        let (of_small, of_large) = (small[1] / self.groups, large[1] / self.groups);
        let ranges = [small[0], self.groups, of_small, of_large, small[2], small[3], w[2], w[3]];
        for n in 0..ranges.iter().product() {
            let mut rest = n;
            let [b, group, s, l, i, j, u, v] = ranges.map(|len| {
                let digit = rest % len;
                rest /= len;
                digit
            });
            let (Some(row), Some(column)) =
                (coordinate(i, u, large[2], flat), coordinate(j, v, large[3], false))
            else {
                continue;
            };
            let of_small = ((b * small[1] + group * of_small + s) * small[2] + i) * small[3] + j;
            let of_large = ((b * large[1] + group * of_large + l) * large[2] + row) * large[3] + column;
            // The first dimension of a kernel is the output channels, or the input channels if transposed.
            let of_w = (((group * small[1] / self.groups + s) * w[1] + l) * w[2] + u) * w[3] + v;
            match self.output_padding {
                None => each(of_large, of_w, of_small),
                Some(_) => each(of_small, of_w, of_large),
            }
        }
    }
}

fn numbers(x: &Tensor) -> Result<Vec<f32>> {
    x.flatten_all()?.to_vec1()
}

/// The gradients of the sum of squares are integers, hence exact.
#[test]
fn groups_have_gradients() -> Result<()> {
    for device in devices() {
        for case in WITH_GRADIENTS {
            let x = Var::from_tensor(&integers(case.x, &device)?)?;
            let w = Var::from_tensor(&integers(case.w, &device)?)?;
            let before = fused_taken("convolution");
            let y = case.run(&x, &w)?;
            // Other tests count at the same time.
            assert!(fused_taken("convolution") > before, "{:?}", case.x);
            let gradients = y.sqr()?.sum_all()?.backward()?;
            let (x_values, w_values, y_values) = (numbers(&x)?, numbers(&w)?, numbers(&y)?);
            let mut sums = vec![0f32; y_values.len()];
            case.products(y.dims(), |i, j, k| sums[k] += x_values[i] * w_values[j]);
            assert_eq!(y_values, sums, "{:?}", case.x);
            let (mut dx, mut dw) = (vec![0f32; x_values.len()], vec![0f32; w_values.len()]);
            case.products(y.dims(), |i, j, k| {
                dx[i] += 2. * y_values[k] * w_values[j];
                dw[j] += 2. * y_values[k] * x_values[i];
            });
            for (var, want) in [(&x, dx), (&w, dw)] {
                let got = gradients.get(var).expect("a gradient");
                assert_eq!((got.dims(), numbers(got)?), (var.dims(), want), "{:?} {:?}", case.x, case.w);
            }
        }
    }
    Ok(())
}

/// As many launches with variables as without: one for all groups, and few for the gradients.
#[test]
fn variables_need_no_extra_launches() -> Result<()> {
    for device in devices() {
        let concrete: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device");
        let launches = |run: &dyn Fn() -> Result<Tensor>| {
            device.synchronize()?;
            let y = run()?;
            let kernels = concrete.stream().recent_kernels();
            Ok::<_, candle_core::Error>((y, kernels))
        };
        for (x, w, groups) in [([2, 40, 6, 6], [40, 1, 3, 3], 40), ([2, 40, 6, 6], [20, 2, 3, 3], 20)] {
            let (x, w) = (integers(&x, &device)?, integers(&w, &device)?);
            let (_, constant) = launches(&|| x.conv2d(&w, 1, 1, 1, groups))?;
            let w = Var::from_tensor(&w)?;
            let (y, variable) = launches(&|| x.conv2d(&w, 1, 1, 1, groups))?;
            assert_eq!(variable, constant);
            assert!(variable.len() <= 1, "expected one kernel or MIOpen's: {variable:?}");
            let loss = y.sum_all()?;
            let (_, backward) =
                launches(&|| Ok(loss.backward()?.get(&w).expect("the gradient of w").clone()))?;
            assert!(backward.len() <= 10, "{backward:?}");
        }
    }
    Ok(())
}

#[test]
fn half_types_and_views() -> Result<()> {
    for device in devices() {
        for dtype in [DType::F16, DType::BF16] {
            let x = integers(&[2, 5, 7, 4], &Device::Cpu)?;
            let w = integers(&[3, 4, 3, 3], &Device::Cpu)?;
            // [2, 4, 7, 5], channels last.
            let want = x.permute((0, 3, 2, 1))?.conv2d(&w, 1, 1, 1, 1)?;
            let (x, w) = (x.to_dtype(dtype)?.to_device(&device)?, w.to_dtype(dtype)?.to_device(&device)?);
            let got = x.permute((0, 3, 2, 1))?.conv2d(&w, 1, 1, 1, 1)?;
            same(&got.to_dtype(DType::F32)?, &want)?;
        }
    }
    Ok(())
}
