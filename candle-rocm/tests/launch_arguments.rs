//! Launches whose arguments are not the kernel's parameters are refused before anything is queued.

mod common;

use candle_rocm::hip::{Function, LaunchConfig, Platform};
use candle_rocm::{Element, RocmDevice, RocmError};
use common::{devices, skip};

const SOURCE: &str = r#"
struct Point { float x, y, z; };
extern "C" __global__ void mixed(size_t n, float a, const float *x, unsigned char b, Point p, float *y) {
    if (threadIdx.x < n) y[threadIdx.x] = a * x[threadIdx.x] + b + p.z;
}
extern "C" __global__ void nothing() {}
extern "C" __global__ void one(double x) {}
"#;

/// The parameters of the kernels above, where the platform knows them: all do but drivers of NVIDIA's before CUDA 12.4.
fn functions(device: &RocmDevice) -> Option<[Function; 3]> {
    let module = device.compile("arguments", SOURCE).unwrap();
    let functions = ["mixed", "nothing", "one"].map(|name| module.function(name).unwrap());
    let sizes = functions.each_ref().map(Function::parameter_sizes);
    if sizes[0].is_none() && device.platform() == Platform::Nvidia {
        skip("arguments of launches", "the driver does not tell parameters (CUDA 12.4 does)");
        return None;
    }
    assert_eq!(sizes, [Some([8u16, 4, 8, 1, 12, 8].as_slice()), Some(&[]), Some(&[8])]);
    Some(functions)
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Point([f32; 3]);

// SAFETY: three numbers without padding.
unsafe impl Element for Point {
    const NAME: &'static str = "Point";
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Four([f32; 4]);

// SAFETY: four numbers without padding.
unsafe impl Element for Four {
    const NAME: &'static str = "Four";
}

const CONFIG: LaunchConfig = LaunchConfig { grid: [1; 3], block: [32, 1, 1], shared_bytes: 0 };

#[test]
fn number_and_sizes_are_checked() {
    for device in devices() {
        let Some([mixed, nothing, one]) = functions(&device) else { return };
        let x = device.upload(&[1f32, 2., 3.]).unwrap();
        let mut y = device.upload(&[0f32; 3]).unwrap();

        let count = |launched: Result<(), RocmError>| match launched.unwrap_err() {
            RocmError::ArgumentCount { kernel, expected, given } => (kernel, expected, given),
            other => panic!("{other}"),
        };
        let size = |launched: Result<(), RocmError>| match launched.unwrap_err() {
            RocmError::ArgumentSize { kernel, index, expected, given } => (kernel, index, expected, given),
            other => panic!("{other}"),
        };
        // Too few.
        // SAFETY: refused before the arguments are read.
        let few = count(unsafe { device.launch_function(&mixed).arg(&3usize).arg(&2f32).run(CONFIG) });
        assert_eq!(few, ("mixed of module arguments".to_owned(), 6, 2));
        // SAFETY: as above.
        let none = count(unsafe { device.launch_function(&one).run(CONFIG) });
        assert_eq!(none, ("one of module arguments".to_owned(), 1, 0));
        // Too many.
        // SAFETY: as above.
        let many = count(unsafe { device.launch_function(&nothing).arg(&1u32).run(CONFIG) });
        assert_eq!(many, ("nothing of module arguments".to_owned(), 0, 1));
        // SAFETY: as above.
        let many = count(unsafe { device.launch_function(&one).arg(&1f64).arg(&1f64).run(CONFIG) });
        assert_eq!((many.1, many.2), (1, 2));
        // Too small and too large, one of the same number of words and one of more.
        // SAFETY: as above.
        let small = size(unsafe { device.launch_function(&one).arg(&1f32).run(CONFIG) });
        assert_eq!(small, ("one of module arguments".to_owned(), 0, 8, 4));
        let mut launch = device.launch_function(&mixed);
        launch.arg(&3usize).arg(&2f64).buffer(&x, 0).arg(&1u8).arg(&Point([0.; 3])).buffer_mut(&mut y, 0);
        // SAFETY: as above.
        let large = size(unsafe { launch.run(CONFIG) });
        assert_eq!((large.1, large.2, large.3), (1, 4, 8));
        let mut launch = device.launch_function(&mixed);
        launch.arg(&3usize).arg(&2f32).buffer(&x, 0).arg(&1u8).arg(&Four([0.; 4])).buffer_mut(&mut y, 0);
        // SAFETY: as above.
        let error = unsafe { launch.run(CONFIG) }.unwrap_err();
        assert_eq!(
            error.to_string(),
            "argument 4 of kernel mixed of module arguments (counted from 0) has 12 bytes, and was given 16"
        );

        // Nothing was queued, and the right ones run.
        assert!(device.stream().recent_kernels().is_empty());
        let mut launch = device.launch_function(&mixed);
        launch
            .arg(&3usize)
            .arg(&2f32)
            .buffer(&x, 0)
            .arg(&1u8)
            .arg(&Point([9., 9., 5.]))
            .buffer_mut(&mut y, 0);
        // SAFETY: the kernel's parameters, and three elements on each side.
        unsafe { launch.run(CONFIG) }.unwrap();
        assert_eq!(device.download(&y).unwrap(), [8., 10., 12.]);
        // SAFETY: it takes nothing.
        unsafe { device.launch_function(&nothing).run(CONFIG) }.unwrap();
        device.synchronize().unwrap();
    }
}

#[test]
fn built_in_kernels_are_checked_too() {
    for device in devices() {
        let function = device.function(&rocm_kernels::FILL, "const_set_f32").unwrap();
        let Some(sizes) = function.parameter_sizes() else { continue };
        assert_eq!(sizes, [8, 8, 8, 4, 8]);
        let mut launch = device.launch(&rocm_kernels::FILL, "const_set_f32");
        // SAFETY: refused: the value has the wrong size.
        let error = unsafe { launch.arg(&1usize).arg(&0usize).null().arg(&1f64).null().run(CONFIG) };
        let text = error.unwrap_err().to_string();
        assert!(text.contains("argument 3 of kernel const_set_f32"), "{text}");
    }
}
