//! Variables of modules are shared by all blocks and accessible from the host.

mod exec_common;

use std::ptr;

use exec_common::*;

const SOURCE: &str = r#"
    __device__ unsigned counter;
    static __device__ int table[4] = {10, 20, 30, 40};
    __constant__ float scale = 2.5f;
    __device__ const int fixed[2] = {7, 8};
    __device__ double far_away[2000];
    extern "C" __global__ void count() { atomicAdd(&counter, 1u); }
    extern "C" __global__ void use(float* out) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        out[i] = table[i % 4] * scale + fixed[i % 2];
        if (i == 1999) far_away[i] = 0.5;
    }
    extern "C" __global__ void set(int value) { if (blockIdx.x == 0) table[threadIdx.x] = value + threadIdx.x; }
"#;

fn global(module: &Module, name: &std::ffi::CStr) -> (hipDeviceptr_t, usize) {
    let (mut address, mut size) = (ptr::null_mut(), 0);
    ok!(hipModuleGetGlobal(&mut address, &mut size, module.0, name.as_ptr()));
    (address, size)
}

fn read<T: Copy + Default>(address: hipDeviceptr_t) -> T {
    let mut value = T::default();
    ok!(hipMemcpyDtoH((&raw mut value).cast(), address, size_of::<T>()));
    value
}

#[test]
fn variables_of_modules() {
    for compiler in ["clang++-22", "g++"] {
        if !can_use(compiler, "variables of modules") {
            continue;
        }
        let option = format!("--host-cxx={compiler}");
        let module = Module::with(SOURCE, 64, &[&option]);
        let (counter, size) = global(&module, c"counter");
        assert_eq!((size, read::<u32>(counter)), (4, 0));
        for _ in 0..3 {
            launch!(module.function("count"), [1000, 1, 1], [7, 1, 1], 0,);
        }
        assert_eq!(read::<u32>(counter), 21_000);

        let out = Buffer::<f32>::zeros(2000);
        let expected = |table: [f32; 4], scale: f32| -> Vec<f32> {
            (0..2000).map(|i| table[i % 4] * scale + [7.0, 8.0][i % 2]).collect()
        };
        launch!(module.function("use"), [20, 1, 1], [100, 1, 1], 0, out.pointer);
        assert_eq!(out.read(), expected([10.0, 20.0, 30.0, 40.0], 2.5));
        assert_eq!(read::<f64>(global(&module, c"far_away").0.wrapping_byte_add(8 * 1999)), 0.5);

        let (scale, size) = global(&module, c"scale");
        assert_eq!((size, read::<f32>(scale)), (4, 2.5));
        let new = -1.5f32;
        ok!(hipMemcpyHtoD(scale, (&raw const new).cast_mut().cast(), 4));
        launch!(module.function("set"), [50, 1, 1], [4, 1, 1], 0, 100i32);
        launch!(module.function("use"), [20, 1, 1], [100, 1, 1], 0, out.pointer);
        assert_eq!(out.read(), expected([100.0, 101.0, 102.0, 103.0], -1.5));

        // Another load of the same module has its own.
        let other = Module::with(SOURCE, 64, &[&option]);
        assert_eq!(read::<u32>(global(&other, c"counter").0), 0);
        let (mut address, mut size) = (ptr::null_mut(), 0);
        for name in [c"nothing", c"count", c""] {
            let found = hip!(hipModuleGetGlobal(&mut address, &mut size, module.0, name.as_ptr()));
            assert_eq!(found, hipError_t::hipErrorNotFound, "{name:?}");
        }
        drop(other);
        drop(module);
        // Its memory has been freed.
        // SAFETY: numbers and pointers only.
        let mut attributes = unsafe { std::mem::zeroed::<hipPointerAttribute_t>() };
        assert_eq!(hip!(hipPointerGetAttributes(&mut attributes, counter)), hipError_t::hipErrorInvalidValue);
    }
}
