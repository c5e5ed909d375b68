//! Launches whose arguments are not the kernel's parameters are refused before anything is queued.

mod common;

use std::ffi::c_void;

use common::{NVIDIA, queues, skip};
use rocm_hip::{Element, Function, HipError, LaunchConfig, Queue};

const SOURCE: &str = r#"
struct Point { float x, y, z; };
extern "C" __global__ void mixed(size_t n, float a, const float *x, unsigned char b, Point p, float *y) {
    if (threadIdx.x < n) y[threadIdx.x] = a * x[threadIdx.x] + b + p.z;
}
extern "C" __global__ void nothing() {}
extern "C" __global__ void one(double x) {}
"#;

/// The parameters of the kernels above, where the platform knows them: all do but drivers of NVIDIA's before CUDA 12.4.
fn functions(queue: &Queue) -> Option<[Function; 3]> {
    let module = queue.device().compile("arguments", SOURCE).unwrap();
    let functions = ["mixed", "nothing", "one"].map(|name| module.function(name).unwrap());
    let sizes = functions.each_ref().map(Function::parameter_sizes);
    if sizes[0].is_none() && queue.device().platform() == NVIDIA {
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
    for queue in queues() {
        let Some([mixed, nothing, one]) = functions(&queue) else { return };
        let x = queue.upload(&[1f32, 2., 3.]).unwrap();
        let mut y = queue.upload(&[0f32; 3]).unwrap();

        let count = |launched: Result<(), HipError>| match launched.unwrap_err() {
            HipError::ArgumentCount { kernel, expected, given } => (kernel, expected, given),
            other => panic!("{other}"),
        };
        let size = |launched: Result<(), HipError>| match launched.unwrap_err() {
            HipError::ArgumentSize { kernel, index, expected, given } => (kernel, index, expected, given),
            other => panic!("{other}"),
        };
        // Too few.
        // SAFETY: refused before the arguments are read.
        let few = count(unsafe { queue.launch(&mixed).arg(&3usize).arg(&2f32).run(CONFIG) });
        assert_eq!(few, ("mixed of module arguments".to_owned(), 6, 2));
        // SAFETY: as above.
        let none = count(unsafe { queue.launch(&one).run(CONFIG) });
        assert_eq!(none, ("one of module arguments".to_owned(), 1, 0));
        // Too many.
        // SAFETY: as above.
        let many = count(unsafe { queue.launch(&nothing).arg(&1u32).run(CONFIG) });
        assert_eq!(many, ("nothing of module arguments".to_owned(), 0, 1));
        // SAFETY: as above.
        let many = count(unsafe { queue.launch(&one).arg(&1f64).arg(&1f64).run(CONFIG) });
        assert_eq!((many.1, many.2), (1, 2));
        // Too small and too large, one of the same number of words and one of more.
        // SAFETY: as above.
        let small = size(unsafe { queue.launch(&one).arg(&1f32).run(CONFIG) });
        assert_eq!(small, ("one of module arguments".to_owned(), 0, 8, 4));
        let mut launch = queue.launch(&mixed);
        launch.arg(&3usize).arg(&2f64).buffer(&x, 0).arg(&1u8).arg(&Point([0.; 3])).buffer_mut(&mut y, 0);
        // SAFETY: as above.
        let large = size(unsafe { launch.run(CONFIG) });
        assert_eq!((large.1, large.2, large.3), (1, 4, 8));
        let mut launch = queue.launch(&mixed);
        launch.arg(&3usize).arg(&2f32).buffer(&x, 0).arg(&1u8).arg(&Four([0.; 4])).buffer_mut(&mut y, 0);
        // SAFETY: as above.
        let error = unsafe { launch.run(CONFIG) }.unwrap_err();
        assert_eq!(
            error.to_string(),
            "argument 4 of kernel mixed of module arguments (counted from 0) has 12 bytes, got 16"
        );

        // Nothing was queued, and the right ones run.
        assert!(queue.stream().recent_kernels().is_empty());
        let mut launch = queue.launch(&mixed);
        launch
            .arg(&3usize)
            .arg(&2f32)
            .buffer(&x, 0)
            .arg(&1u8)
            .arg(&Point([9., 9., 5.]))
            .buffer_mut(&mut y, 0);
        // SAFETY: the kernel's parameters, and three elements on each side.
        unsafe { launch.run(CONFIG) }.unwrap();
        assert_eq!(queue.download(&y).unwrap(), [8., 10., 12.]);
        // SAFETY: it takes nothing.
        unsafe { queue.launch(&nothing).run(CONFIG) }.unwrap();
        queue.synchronize().unwrap();
    }
}

/// Arguments that the caller has in places of its own.
#[test]
fn raw_arguments_are_counted() {
    for queue in queues() {
        let Some([_, nothing, one]) = functions(&queue) else { return };
        let mut value = 7u64;
        let pointer = (&raw mut value).cast::<c_void>();
        for (function, given) in [(&one, vec![]), (&one, vec![pointer; 2]), (&nothing, vec![pointer])] {
            let mut arguments = given.clone();
            // SAFETY: refused before the arguments are read.
            match unsafe { queue.launch_raw(function, CONFIG, &mut arguments) }.unwrap_err() {
                HipError::ArgumentCount { expected, given, .. } => {
                    assert_eq!(given, arguments.len(), "{expected}")
                }
                other => panic!("{other}"),
            }
        }
        // SAFETY: as above.
        let null = unsafe { queue.launch_raw(&one, CONFIG, &mut [std::ptr::null_mut()]) }.unwrap_err();
        assert!(
            null.to_string().contains("argument 0 of one of module arguments is a null pointer"),
            "{null}"
        );
        let (other, empty) = (LaunchConfig::linear(1, 1 << 20), LaunchConfig { grid: [0; 3], ..CONFIG });
        // SAFETY: as above.
        let threads = unsafe { queue.launch_raw(&nothing, other, &mut []) }.unwrap_err();
        assert!(matches!(threads, HipError::Launch { .. }), "{threads}");
        // SAFETY: there are no threads.
        unsafe { queue.launch_raw(&one, empty, &mut []) }.unwrap();
        assert!(queue.stream().recent_kernels().is_empty());
        // SAFETY: it takes nothing.
        unsafe { queue.launch_raw(&nothing, CONFIG, &mut []) }.unwrap();
        queue.synchronize().unwrap();
    }
}
