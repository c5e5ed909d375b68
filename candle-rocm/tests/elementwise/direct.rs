//! Kernels launched by hand: the entry points that no tensor operation uses yet, in-place use, any grid.

use candle_core::{DType, WithDType};
use candle_rocm::hip::LaunchConfig;
use candle_rocm::{RocmDType, RocmDevice};
use float8::F8E4M3;
use half::{bf16, f16};
use rocm_kernels::{AFFINE, FILL, UNARY};

use crate::harness::bits::{Number, slices};
use crate::harness::data::{Special, mixed};
use crate::harness::each_dtype;
use crate::harness::tolerance::{EXACT, rule};
use crate::{common, harness};

fn f8_name<T: RocmDType>() -> &'static str {
    if T::DTYPE == DType::F8E4M3 { "fp8_e4m3" } else { T::KERNEL_DTYPE }
}

/// Grids from one wavefront to more blocks than elements.
const GRIDS: [LaunchConfig; 4] = [
    LaunchConfig { grid: [1, 1, 1], block: [32, 1, 1], shared_bytes: 0 },
    LaunchConfig { grid: [1, 1, 1], block: [1, 1, 1], shared_bytes: 0 },
    LaunchConfig { grid: [7, 1, 1], block: [192, 1, 1], shared_bytes: 0 },
    LaunchConfig { grid: [300, 1, 1], block: [256, 1, 1], shared_bytes: 0 },
];

#[test]
fn fill() {
    fn check<T: RocmDType + Special + Number>(device: &RocmDevice) {
        for config in GRIDS {
            for (len, offset) in [(1, 0), (65, 3), (1000, 1)] {
                let before = mixed::<T>(len + offset + 9, 51);
                let mut buffer = device.upload(&before).expect("upload");
                let value = T::from_f64(42.0);
                let name = format!("fill_{}", T::KERNEL_DTYPE);
                let mut launch = device.launch(&FILL, &name);
                launch.buffer_mut(&mut buffer, offset).arg(&value).arg(&len);
                // SAFETY: fill_*(buf, value, numel); there are numel elements from offset on.
                unsafe { launch.run(config) }.expect(&name);
                let mut want = before;
                want[offset..offset + len].fill(value);
                assert_eq!(
                    slices_of(&device.download(&buffer).expect("download"), &want),
                    Ok(()),
                    "{name} {config:?}"
                );
            }
        }
    }
    for device in common::devices() {
        each_dtype!(check(&device));
    }
}

/// candle's entry point copies rows without gaps as one; `copy2d` of tensors lets HIP do that.
#[test]
fn copy2d_of_rows_without_gaps() {
    fn check<T: RocmDType + Special + Number>(device: &RocmDevice) {
        let data = mixed::<T>(1003, 53);
        let src = device.upload(&data).expect("upload");
        for (rows, columns) in [(1u32, 1003u32), (17, 59), (59, 17)] {
            let mut dst = device.alloc::<T>(data.len()).expect("alloc");
            let name = format!("copy2d_{}", T::KERNEL_DTYPE);
            let mut launch = device.launch(&FILL, &name);
            launch
                .buffer(&src, 0)
                .buffer_mut(&mut dst, 0)
                .arg(&rows)
                .arg(&columns)
                .arg(&columns)
                .arg(&columns);
            // SAFETY: copy2d_*(src, dst, d1, d2, src_s, dst_s); both have d1 * d2 elements.
            unsafe { launch.run(LaunchConfig::linear(2, 64)) }.expect(&name);
            let got = device.download(&dst).expect("download");
            assert_eq!(slices_of(&got, &data), Ok(()), "{name} of {rows} rows");
        }
    }
    for device in common::devices() {
        each_dtype!(check(&device));
    }
}

fn slices_of<T: WithDType>(got: &[T], want: &[T]) -> Result<(), String> {
    harness::bits::compare(&T::to_cpu_storage(got), &T::to_cpu_storage(want), &EXACT)
}

/// A null input means in place; and every grid covers everything.
#[test]
fn in_place() {
    fn check<T: RocmDType + Special + Number>(device: &RocmDevice) {
        let before = mixed::<T>(1003, 52);
        let (len, dims) = (before.len(), 1usize);
        let mul = |v: T| v * T::from_f64(2.0) + T::from_f64(1.0);
        for config in GRIDS {
            let mut buffer = device.upload(&before).expect("upload");
            let name = format!("affine_{}", T::KERNEL_DTYPE);
            let mut launch = device.launch(&AFFINE, &name);
            launch.arg(&len).arg(&dims).null().null().buffer_mut(&mut buffer, 0);
            launch.arg(&T::from_f64(2.0)).arg(&T::from_f64(1.0));
            // SAFETY: affine_*(numel, num_dims, info, inp, out, mul, add); out has numel elements.
            unsafe { launch.run(config) }.expect(&name);
            let want: Vec<T> = before.iter().map(|&v| mul(v)).collect();
            assert_eq!(
                slices_of(&device.download(&buffer).expect("download"), &want),
                Ok(()),
                "{name} {config:?}"
            );

            let mut buffer = device.upload(&before).expect("upload");
            let name = format!("uneg_{}", f8_name::<T>());
            let mut launch = device.launch(&UNARY, &name);
            launch.arg(&len).arg(&dims).null().null().buffer_mut(&mut buffer, 0);
            // SAFETY: uneg_*(numel, num_dims, info, inp, out); out has numel elements.
            unsafe { launch.run(config) }.expect(&name);
            // Not 0 - v, which loses the sign of a zero.
            let want: Vec<T> = before.iter().map(|&v| T::from_f64(-v.value())).collect();
            assert_eq!(
                slices_of(&device.download(&buffer).expect("download"), &want),
                Ok(()),
                "{name} {config:?}"
            );
        }
    }
    for device in common::devices() {
        check::<f16>(&device);
        check::<bf16>(&device);
        check::<f32>(&device);
        check::<f64>(&device);
        check::<F8E4M3>(&device);
    }
}

/// The functions that candle-nn's own operations use, against their formulas in f64.
#[test]
fn sigmoid_and_normcdf() {
    fn check<T: RocmDType + Special + Number>(device: &RocmDevice) {
        let values = [T::special(), mixed::<T>(2000, 53)].concat();
        let src = device.upload(&values).expect("upload");
        let (len, dims) = (values.len(), 1usize);
        for (kernel, f) in [
            ("usigmoid", (|x: f64| 1.0 / (1.0 + (-x).exp())) as fn(f64) -> f64),
            ("unormcdf", |x: f64| 0.5 * (1.0 + candle_core::cpu::erf::erf_f64(x / 2f64.sqrt()))),
        ] {
            let mut out = device.alloc::<T>(len).expect("alloc");
            let name = format!("{kernel}_{}", f8_name::<T>());
            let mut launch = device.launch(&UNARY, &name);
            launch.arg(&len).arg(&dims).null().buffer(&src, 0).buffer_mut(&mut out, 0);
            // SAFETY: u*_*(numel, num_dims, info, inp, out); both have numel elements.
            unsafe { launch.run(device.grid_stride(len, size_of::<T>(), true)) }.expect(&name);
            let want: Vec<T> = values.iter().map(|&v| T::from_f64(f(v.value()))).collect();
            let got = device.download(&out).expect("download");
            assert_eq!(slices(&got, &want, rule(kernel)), Ok(()), "{name}");
        }
    }
    for device in common::devices() {
        check::<f16>(&device);
        check::<bf16>(&device);
        check::<f32>(&device);
        check::<f64>(&device);
        check::<F8E4M3>(&device);
    }
}
