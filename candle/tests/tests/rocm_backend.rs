//! Programs with HIP kernels of their own, by the names of candle PR 3801.

use std::ffi::c_void;
use std::sync::Arc;

use candle_core::cpu_backend::CpuDevice;
use candle_core::op::BackpropOp;
use candle_core::rocm_backend::rocm_rs::hip::{Dim3, memory_info};
use candle_core::rocm_backend::{RocmDevice, RocmStorage, RocmStorageSlice, SendSyncDeviceMemory};
use candle_core::{
    CpuStorage, CustomOp1, DType, Device, InplaceOp1, Layout, Result, Shape, Storage, Tensor, Var,
};
use candle_rocm::hip::set_default_platform;
use candle_rocm::{ExternalOp, RocmError};
use candle_rocm_tests::{NUMBERS, devices, in_child, ordinals, platform, random, stand_in};
use half::{bf16, f16};

const SOURCE: &str = r#"
template <class T>
__device__ void reversed(const T* x, T* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i];
}
extern "C" __global__ void reverse_1(const unsigned char* x, unsigned char* y, unsigned n) { reversed(x, y, n); }
extern "C" __global__ void reverse_2(const unsigned short* x, unsigned short* y, unsigned n) { reversed(x, y, n); }
extern "C" __global__ void reverse_4(const unsigned* x, unsigned* y, unsigned n) { reversed(x, y, n); }
extern "C" __global__ void reverse_8(const unsigned long long* x, unsigned long long* y, unsigned n) {
  reversed(x, y, n);
}
extern "C" __global__ void twice(float* x, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
"#;

fn arg<T>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}

fn launch(device: &RocmDevice, kernel: &str, source: &str, n: usize, args: &mut [*mut c_void]) -> Result<()> {
    let kernel = device.get_or_load_custom_func(kernel, "programs_kernels", source)?;
    let (grid, block) = (Dim3::from(n.div_ceil(64) as u32), Dim3::from(64));
    // SAFETY: the tests' arguments are their kernels' parameters, and the kernels stay inside of n elements.
    unsafe { kernel.launch(grid, block, 0, Some(device.stream()), args) }
}

fn tensor(slice: RocmStorageSlice, device: &RocmDevice, shape: impl Into<Shape>) -> Tensor {
    let storage = Storage::from(RocmStorage { slice, device: device.clone() });
    Tensor::from_storage(storage, shape, BackpropOp::none(), false)
}

/// Calls the macro with each dtype's variant and type.
macro_rules! each_dtype {
    ($with:ident) => {
        $with! {
            U8 u8, U32 u32, I16 i16, I32 i32, I64 i64, BF16 bf16, F16 f16, F32 f32, F64 f64, F8E4M3 float8::F8E4M3
        }
    };
}

/// The elements of a contiguous tensor in the opposite order.
fn reversed(x: &Tensor) -> Result<Tensor> {
    let device = x.device().as_rocm_device()?;
    let (storage, layout) = x.storage_and_layout();
    let Some(storage) = RocmStorage::of(&storage) else { candle_core::bail!("not on a ROCm device") };
    if !layout.is_contiguous() {
        candle_core::bail!("not contiguous")
    }
    assert_eq!(storage.slice.dtype(), x.dtype());
    let (n, offset) = (x.elem_count(), layout.start_offset());
    macro_rules! run {
        ($($variant:ident $ty:ty),*) => {
            match &storage.slice {
                $(RocmStorageSlice::$variant(memory) => {
                    // SAFETY: a layout begins inside of its memory.
                    let x = unsafe { memory.ptr_at(offset) };
                    let y = device.alloc::<$ty>(n)?;
                    let name = format!("reverse_{}", size_of::<$ty>());
                    launch(device, &name, SOURCE, n, &mut [arg(&x), arg(&y.as_ptr()), arg(&(n as u32))])?;
                    RocmStorageSlice::$variant(y)
                })*
            }
        };
    }
    Ok(tensor(each_dtype!(run), device, x.shape()))
}

fn numbers(x: &Tensor) -> Result<Vec<f64>> {
    x.to_device(&Device::Cpu)?.flatten_all()?.to_dtype(DType::F64)?.to_vec1()
}

/// Of each dtype, from the midst of a tensor whose elements are still to be computed; what follows is computed behind the kernel.
#[test]
fn kernels_read_and_write_tensors() -> Result<()> {
    for device in devices() {
        for dtype in NUMBERS {
            for (n, from) in [(1, 0), (3, 2), (64, 1), (77, 40)] {
                // Small enough to be a number of each dtype.
                let values: Vec<f32> = (0..from + n + 5).map(|i| ((i * 7) % 16) as f32).collect();
                let x = Tensor::new(values.as_slice(), &device)?.affine(0.5, 0.)?.to_dtype(dtype)?;
                let x = x.narrow(0, from, n)?;
                let y = reversed(&x)?;
                let twice = Tensor::cat(&[&y, &y], 0)?;
                let mut expected = numbers(&x)?;
                expected.reverse();
                assert_eq!((y.dtype(), numbers(&y)?), (dtype, expected.clone()), "{dtype:?} {n}");
                assert_eq!(numbers(&twice)?, [&expected[..], &expected].concat(), "{dtype:?} {n}");
                assert_eq!(numbers(&reversed(&y)?)?, numbers(&x)?, "{dtype:?} {n}");
            }
        }
        let x = random((3, 5))?.to_device(&device)?;
        assert!(reversed(&x.t()?).unwrap_err().to_string().contains("not contiguous"));
        let empty = reversed(&Tensor::zeros(0, DType::F32, &device)?)?;
        assert_eq!(numbers(&empty)?, [0f64; 0]);
    }
    Ok(())
}

/// Types that candle only carries around are bytes, and say which.
#[test]
fn raw_types_are_bytes() -> Result<()> {
    for device in devices() {
        for dtype in [DType::F4, DType::F6E2M3, DType::F6E3M2, DType::F8E8M0] {
            let x = Tensor::from_raw_buffer(&[1, 2, 3, 4], dtype, &[4], &device)?;
            let (storage, _) = x.storage_and_layout();
            let storage = RocmStorage::of(&storage).expect("on a ROCm device");
            assert!(matches!(storage.slice, RocmStorageSlice::U8(_)));
            assert_eq!(storage.slice.dtype(), dtype);
            assert!(!storage.slice.as_ptr().is_null());
        }
        let rocm = device.as_rocm_device()?;
        contains(rocm.clone_htod::<candle_core::F4>(&[]), &["F4", "clone_htod"]);
        contains(rocm.clone_dtoh(&rocm.alloc::<candle_core::F4>(2)?), &["F4"]);
    }
    Ok(())
}

/// Memory goes back while the kernels that use it are queued, and comes out again for others behind them.
#[test]
fn memory_may_be_dropped_at_once() -> Result<()> {
    const N: usize = 4096;
    for device in devices() {
        let rocm = device.as_rocm_device()?;
        let mut results = Vec::new();
        for i in 0..50u64 {
            // Not a dtype's type: scratch memory.
            let scratch = rocm.alloc::<u64>(N)?;
            let x = rocm.clone_htod(&(0..N as i64).map(|j| i as i64 * j).collect::<Vec<_>>())?;
            let y = rocm.alloc_zeros::<i64>(N)?;
            let n = N as u32;
            let pointers = [x.as_ptr(), scratch.as_ptr(), y.as_ptr()];
            launch(rocm, "reverse_8", SOURCE, N, &mut [arg(&pointers[0]), arg(&pointers[1]), arg(&n)])?;
            drop(x);
            launch(rocm, "reverse_8", SOURCE, N, &mut [arg(&pointers[1]), arg(&pointers[2]), arg(&n)])?;
            drop(scratch);
            results.push(y);
        }
        for (i, y) in results.iter().enumerate() {
            let expected: Vec<_> = (0..N as i64).map(|j| i as i64 * j).collect();
            assert_eq!(rocm.clone_dtoh(y)?, expected);
        }
        assert_eq!(rocm.clone_dtoh(&rocm.alloc_zeros::<f16>(3)?)?, [f16::ZERO; 3]);
        assert!(rocm.alloc::<[u64; 4]>(usize::MAX).is_err());
    }
    Ok(())
}

/// An operation in place, whose kernel writes where the tensor is.
struct Twice;

impl InplaceOp1 for Twice {
    fn name(&self) -> &'static str {
        "twice"
    }

    fn cpu_fwd(&self, _: &mut CpuStorage, _: &Layout) -> Result<()> {
        candle_core::bail!("not on the CPU")
    }

    fn rocm_fwd(&self, storage: &mut RocmStorage, layout: &Layout) -> Result<()> {
        let RocmStorageSlice::F32(memory) = &storage.slice else { candle_core::bail!("f32 only") };
        // SAFETY: a layout begins inside of its memory.
        let x = unsafe { memory.ptr_at(layout.start_offset()) };
        let n = layout.shape().elem_count();
        launch(&storage.device, "twice", SOURCE, n, &mut [arg(&x), arg(&(n as u32))])
    }
}

/// Copies share memory until somebody writes, and a kernel does not tell that it will.
#[test]
fn operations_in_place_write_to_their_tensor_only() -> Result<()> {
    for device in devices() {
        let x = Tensor::new(&[1f32, 2., 3.], &device)?;
        let copy = x.copy()?;
        let var = Var::zeros(3, DType::F32, &device)?;
        var.set(&x)?;
        // Recorded before, and computed behind.
        let sum = (&x + 1.)?;
        x.inplace_op1(&Twice)?;
        x.narrow(0, 1, 2)?.inplace_op1(&Twice)?;
        let after = (&x + 1.)?;
        assert_eq!(x.to_vec1::<f32>()?, [2., 8., 12.]);
        assert_eq!(copy.to_vec1::<f32>()?, [1., 2., 3.]);
        assert_eq!(var.to_vec1::<f32>()?, [1., 2., 3.]);
        assert_eq!(sum.to_vec1::<f32>()?, [2., 3., 4.]);
        assert_eq!(after.to_vec1::<f32>()?, [3., 9., 13.]);

        // A launch comes behind what was recorded, also where the program has had the address for long.
        let rocm = device.as_rocm_device()?;
        let memory = rocm.clone_htod(&[1f32, 2., 3.])?;
        let address = memory.as_ptr();
        let y = tensor(RocmStorageSlice::F32(memory), rocm, 3);
        let before = (&y + 1.)?;
        launch(rocm, "twice", SOURCE, 3, &mut [arg(&address), arg(&3u32)])?;
        assert_eq!(before.to_vec1::<f32>()?, [2., 3., 4.]);
        assert_eq!(y.to_vec1::<f32>()?, [2., 4., 6.]);
    }
    Ok(())
}

/// A source that was written for CUDA.
const CUDA: &str = r#"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

extern "C" __global__ void round_trip(const uint16_t* bits, __half* h, __nv_bfloat16* b) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  half h_in;
  __nv_bfloat16 b_in;
  h_in = ((const __half*)bits)[i];
  b_in = ((const __nv_bfloat16*)bits)[i];
  h[i] = __float2half(__half2float(h_in));
  b[i] = __float2bfloat16(__bfloat162float(b_in));
}
extern "C" __global__ void of_float(const float* x, half* h, nv_bfloat16* b) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  h[i] = __float2half_rn(x[i]);
  b[i] = __float2bfloat16_rn(x[i]);
}
template <class T>
__device__ void compute(const T* x, const T* y, T* results) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  T sum = x[i] + y[i];
  sum += __hmul(x[i], y[i]);
  results[i] = sum;
  results[n + i] = __hmax(-x[i], __hdiv(x[i], y[i]));
  results[2 * n + i] = __hgt(x[i], y[i]) ? __hsub(x[i], y[i]) : __habs(x[i]) * y[i];
}
extern "C" __global__ void compute_f16(const __half* x, const __half* y, __half* z) { compute(x, y, z); }
extern "C" __global__ void compute_bf16(const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* z) {
  compute(x, y, z);
}

// Sums of 32 neighbours, in each way to shuffle.
extern "C" __global__ void sums(const float* x, float* y) {
  const unsigned i = threadIdx.x;
  float down = x[i], both = x[i], up = x[i];
  for (int offset = 16; offset > 0; offset /= 2) {
    down += __shfl_down_sync(0xffffffff, down, offset, 32);
    both += __shfl_xor_sync(0xffffffff, both, offset);
    const float from = __shfl_up_sync(0xffffffffu, up, offset);
    if (i % 32 >= offset) up += from;
  }
  y[i] = __shfl_sync(0xffffffff, down, 0);
  y[blockDim.x + i] = both;
  y[2 * blockDim.x + i] = __shfl_sync(0xffffffff, up, 31, 32);
}
"#;

/// The half types of CUDA's headers are those of Rust's half, in conversions and arithmetic.
#[test]
fn sources_for_cuda_have_half_types() -> Result<()> {
    for device in devices() {
        let rocm = device.as_rocm_device()?;
        let halves = |h: &SendSyncDeviceMemory<f16>, b: &SendSyncDeviceMemory<bf16>| {
            Ok::<_, candle_core::Error>((rocm.clone_dtoh(h)?, rocm.clone_dtoh(b)?))
        };

        let n = 1 << 16;
        let bits = rocm.clone_htod(&(0..n as u32).map(|i| i as u16 as i16).collect::<Vec<_>>())?;
        let (h, b) = (rocm.alloc::<f16>(n)?, rocm.alloc::<bf16>(n)?);
        let pointers = [bits.as_ptr(), h.as_ptr(), b.as_ptr()];
        launch(rocm, "round_trip", CUDA, n, &mut pointers.each_ref().map(arg))?;
        let (h, b) = halves(&h, &b)?;
        for i in 0..n {
            let (h_in, b_in) = (f16::from_bits(i as u16), bf16::from_bits(i as u16));
            assert!(h[i].to_bits() == i as u16 || (h[i].is_nan() && h_in.is_nan()), "{i:#x}");
            assert!(b[i].to_bits() == i as u16 || (b[i].is_nan() && b_in.is_nan()), "{i:#x}");
        }

        // Of all magnitudes, and what is between two numbers.
        let x: Vec<f32> =
            (0..n as u32).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b9) ^ (i << 13))).collect();
        let (h, b) = (rocm.alloc::<f16>(n)?, rocm.alloc::<bf16>(n)?);
        let memory = rocm.clone_htod(&x)?;
        let pointers = [memory.as_ptr(), h.as_ptr(), b.as_ptr()];
        launch(rocm, "of_float", CUDA, n, &mut pointers.each_ref().map(arg))?;
        let (h, b) = halves(&h, &b)?;
        for (i, x) in x.iter().enumerate().filter(|(_, x)| !x.is_nan()) {
            assert_eq!(h[i].to_bits(), f16::from_f32(*x).to_bits(), "{x}");
            assert_eq!(b[i].to_bits(), bf16::from_f32(*x).to_bits(), "{x}");
        }

        let n = 1 << 10;
        let (x, y) = (random(n)?.to_vec1::<f32>()?, random(n)?.to_vec1::<f32>()?);
        macro_rules! compute {
            ($ty:ty, $kernel:literal) => {
                let rounded = |x: &[f32]| x.iter().map(|x| <$ty>::from_f32(*x)).collect::<Vec<_>>();
                let (x, y) = (rounded(&x), rounded(&y));
                let memory = (rocm.clone_htod(&x)?, rocm.clone_htod(&y)?, rocm.alloc::<$ty>(3 * n)?);
                let pointers = [memory.0.as_ptr(), memory.1.as_ptr(), memory.2.as_ptr()];
                launch(rocm, $kernel, CUDA, n, &mut pointers.each_ref().map(arg))?;
                let results = rocm.clone_dtoh(&memory.2)?;
                for (i, (&x, &y)) in x.iter().zip(&y).enumerate() {
                    let abs = <$ty>::from_f32(x.to_f32().abs());
                    let expected = [
                        (x + y) + (x * y),
                        if -x > x / y { -x } else { x / y },
                        if x > y { x - y } else { abs * y },
                    ];
                    assert_eq!([results[i], results[n + i], results[2 * n + i]], expected, "{x} {y}");
                }
            };
        }
        compute!(f16, "compute_f16");
        compute!(bf16, "compute_bf16");
    }
    Ok(())
}

/// CUDA's shuffles are among 32 lanes, whatever the size of a wavefront.
#[test]
fn sources_for_cuda_shuffle_among_32_lanes() -> Result<()> {
    for device in devices() {
        let rocm = device.as_rocm_device()?;
        let x: Vec<f32> = (0..64).map(|i| (i * i) as f32).collect();
        let (memory, y) = (rocm.clone_htod(&x)?, rocm.alloc::<f32>(3 * 64)?);
        launch(rocm, "sums", CUDA, 64, &mut [arg(&memory.as_ptr()), arg(&y.as_ptr())])?;
        let sums: Vec<f32> = x.chunks(32).flat_map(|warp| [warp.iter().sum::<f32>(); 32]).collect();
        for (way, actual) in rocm.clone_dtoh(&y)?.chunks(64).enumerate() {
            assert_eq!(actual, sums, "{way} on {device:?}");
        }
    }
    Ok(())
}

/// Kernels are told apart by their sources, and are loaded once.
#[test]
fn modules_may_have_one_name() -> Result<()> {
    for device in devices() {
        let rocm = device.as_rocm_device()?;
        let source = |value: u32| {
            format!("extern \"C\" __global__ void put(unsigned* x) {{ x[threadIdx.x] = {value}; }}")
        };
        std::thread::scope(|scope| {
            let threads = [3, 4, 3, 4].map(|value| {
                scope.spawn(move || -> Result<()> {
                    let x = rocm.alloc::<u32>(64)?;
                    for _ in 0..3 {
                        launch(rocm, "put", &source(value), 64, &mut [arg(&x.as_ptr())])?;
                        assert_eq!(rocm.clone_dtoh(&x)?, [value; 64]);
                    }
                    Ok(())
                })
            });
            threads.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
        })?;
    }
    Ok(())
}

fn contains(result: Result<impl Sized>, parts: &[&str]) {
    let text = result.err().expect("an error").to_string();
    assert!(parts.iter().all(|part| text.contains(part)), "{parts:?} in {text}");
}

#[test]
fn errors_say_what_is_wrong() -> Result<()> {
    for device in devices() {
        let rocm = device.as_rocm_device()?;
        let broken = rocm.get_or_load_custom_func(
            "f",
            "broken_module",
            "extern \"C\" __global__ void f() {\n  oops;\n}",
        );
        // With the line: `:2:`, or `(2)` on another platform.
        contains(broken, &["broken_module", "oops", "2"]);
        contains(rocm.get_or_load_custom_func("nobody", "mine", SOURCE), &["nobody", "mine"]);
        contains(rocm.get_or_load_custom_func("", "mine", SOURCE), &["mine"]);
        contains(rocm.get_or_load_custom_func("f", "nul", "\0"), &["the source contains a NUL byte"]);

        let twice = rocm.get_or_load_custom_func("twice", "mine", SOURCE)?;
        assert!(format!("{twice:?}").contains("twice of module mine"), "{twice:?}");
        let (x, n, one) = (rocm.alloc_zeros::<f32>(8)?, 8u32, Dim3::from(1));
        let run = |block: Dim3, stream, args: &mut [*mut c_void]| {
            // SAFETY: no more threads than elements; launches with other arguments are refused.
            unsafe { twice.launch(one, block, 0, stream, args) }
        };
        let address = x.as_ptr();
        let good = &mut [arg(&address), arg(&n)];
        run(Dim3::from((8, 1)), None, good)?;
        run(Dim3::from((8, 1, 1)), Some(rocm.stream()), good)?;
        contains(run(one, None, &mut []), &["twice of module mine"]);
        contains(run(one, None, &mut [arg(&x.as_ptr()), std::ptr::null_mut()]), &["argument 1", "null"]);
        contains(run(Dim3::from(100_000), None, good), &["100000 threads"]);
        // SAFETY: there are no threads.
        unsafe { twice.launch(Dim3::from(0), one, 0, None, good)? };
        let other = RocmDevice::wrap(candle_rocm::RocmDevice::on(platform(), 0)?);
        contains(run(one, Some(other.stream()), good), &["twice", "stream"]);
        device.synchronize()?;

        // A dtype is checked by the variant, and elements are asked for by their type.
        let ints = Tensor::zeros(8, DType::U32, &device)?;
        contains(ints.inplace_op1(&Twice), &["f32 only"]);
        let wrong = tensor(RocmStorageSlice::F32(rocm.alloc_zeros(3)?), rocm, 7);
        assert!((wrong + 1.).and_then(|sum| sum.to_vec1::<f32>()).is_err());
    }
    Ok(())
}

/// The CPU behind the variant has no HIP.
#[test]
fn other_backends_say_that_they_have_no_hip() -> Result<()> {
    let device = stand_in();
    let rocm = device.as_rocm_device()?;
    assert!(rocm.downcast_ref::<CpuDevice>().is_some());
    contains(rocm.get_or_load_custom_func("twice", "mine", SOURCE), &["twice", "mine", "no HIP"]);
    let x = rocm.clone_htod(&[1f32, 2.])?;
    assert_eq!(rocm.clone_dtoh(&x)?, [1., 2.]);
    assert_eq!(rocm.clone_dtoh(&rocm.alloc::<u32>(2)?)?, [0, 0], "nobody wrote there");
    assert!(x.as_ptr().is_null());
    for device in devices() {
        let rocm = device.as_rocm_device()?;
        assert!(x.as_ptr().is_null());
        contains(launch(rocm, "twice", SOURCE, 1, &mut [arg(&x.as_ptr()), arg(&1u32)]), &["F32", "no HIP"]);
        // It is told once.
        let y = rocm.clone_htod(&[1f32])?;
        launch(rocm, "twice", SOURCE, 1, &mut [arg(&y.as_ptr()), arg(&1u32)])?;
        assert_eq!(rocm.clone_dtoh(&y)?, [2.]);
    }
    Ok(())
}

/// An operation that waits to be run, and then fails.
struct Fails;

impl ExternalOp for Fails {
    fn name(&self) -> &'static str {
        "fails"
    }

    fn run(
        &self,
        _: &candle_rocm::RocmDevice,
        _: &candle_rocm::RocmStorageSlice,
        _: &Layout,
    ) -> Result<candle_rocm::RocmStorageSlice> {
        candle_core::bail!("it was to fail")
    }
}

impl CustomOp1 for Fails {
    fn name(&self) -> &'static str {
        "fails"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        candle_core::bail!("not on the CPU")
    }

    fn rocm_fwd(&self, x: &RocmStorage, layout: &Layout) -> Result<(RocmStorage, Shape)> {
        let own: &candle_rocm::RocmStorage = x.downcast_ref().expect("a storage of candle-rocm");
        let result = own.apply(layout, Arc::new(Fails), own.len())?;
        Ok((RocmStorage::wrap::<candle_rocm::RocmDevice>(result, x.device()), layout.shape().clone()))
    }
}

/// An address that there is not keeps a kernel from being launched, with the reason.
#[test]
fn elements_that_cannot_be_computed_launch_nothing() -> Result<()> {
    for device in devices() {
        let own: &candle_rocm::RocmDevice = device.as_rocm_device()?.downcast_ref().expect("of candle-rocm");
        own.set_fusion(candle_rocm::Fusion::On);
        let x = Tensor::ones(4, DType::F32, &device)?.apply_op1_no_bwd(&Fails)?;
        contains(reversed(&x), &["it was to fail"]);
        let y = reversed(&Tensor::new(&[1f32, 2.], &device)?)?;
        assert_eq!(y.to_vec1::<f32>()?, [2., 1.]);
    }
    Ok(())
}

/// Of the device that was opened last.
#[test]
fn memory_info_is_of_the_current_device() -> Result<()> {
    if in_child("memory_info_is_of_the_current_device", &[]).is_some() {
        return Ok(());
    }
    set_default_platform(platform());
    for ordinal in ordinals() {
        let device = Device::new_rocm(ordinal)?;
        let own: &candle_rocm::RocmDevice = device.as_rocm_device()?.downcast_ref().expect("of candle-rocm");
        let info = memory_info()?;
        let (_, total) = own.hip_device().memory_info().map_err(RocmError::from)?;
        assert!(info.free > 0 && info.free <= info.total && info.total == total, "{info:?}");
    }
    Ok(())
}
