//! The runtime on a card.

mod common;

use common::{Buffer, arg, compile, fails, has_gpu, has_nvrtc, hip, kernel, launch, ok};
use rocm_sys::hip::{
    device_properties, hipDeviceAttribute_t, hipError_t, hipFuncAttributes, hipFunction_attribute,
    hipMemcpyKind, hipMemoryType,
};
use std::ffi::c_void;
use std::ptr;

const N: usize = 10_007;

const ADD: &str = "extern \"C\" __global__ void add(const float* a, const float* b, float* c, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}";

#[test]
fn properties() {
    if !has_gpu("properties") {
        return;
    }
    let hip = hip();
    let properties = device_properties(&hip, 0).unwrap();
    assert!(properties.gcn_arch_name.starts_with("sm_"), "{}", properties.gcn_arch_name);
    assert_eq!(properties.warp_size, 32);
    assert!(properties.total_global_mem > 1 << 30 && !properties.name.is_empty());
    assert_eq!(properties.max_threads_per_block, 1024);
    let mut value = 0;
    let (mut free, mut total) = (0, 0);
    // SAFETY: the out-parameters are valid.
    unsafe {
        ok(hip.hipDeviceGetAttribute(
            &mut value,
            hipDeviceAttribute_t::hipDeviceAttributeMultiprocessorCount,
            0,
        ));
        assert_eq!(value as u32, properties.multi_processor_count);
        fails(
            hip.hipDeviceGetAttribute(&mut value, hipDeviceAttribute_t(77_777), 0),
            hipError_t::hipErrorInvalidValue,
        );
        fails(hip.hipSetDevice(1000), hipError_t::hipErrorInvalidDevice);
        fails(hip.hipSetDevice(-1), hipError_t::hipErrorInvalidDevice);
        ok(hip.hipSetDevice(0));
        ok(hip.hipMemGetInfo(&mut free, &mut total));
    }
    assert!(0 < free && free <= total);
}

#[test]
fn memory_and_copies() {
    if !has_gpu("memory") {
        return;
    }
    let hip = hip();
    let values: Vec<u32> = (0..N as u32).collect();
    let (a, b) = (Buffer::new(&hip, &values), Buffer::new(&hip, &vec![7_u32; N]));
    assert_eq!(a.values::<u32>(), values);
    let bytes = N * 4;
    let mut pinned = ptr::null_mut();
    let mut pointer = ptr::null_mut();
    // SAFETY: both ends have the bytes that are copied; out-parameters are valid.
    unsafe {
        ok(hip.hipMemcpyDtoD(b.address, a.address, bytes));
        assert_eq!(b.values::<u32>(), values);
        ok(hip.hipMemsetD32(b.address, -1, N));
        assert!(b.values::<u32>().iter().all(|value| *value == u32::MAX));
        ok(hip.hipMemsetD16(b.address, 0x1234, 2 * N));
        assert!(b.values::<u16>().iter().all(|value| *value == 0x1234));
        ok(hip.hipMemset(b.address, 0, bytes));
        assert!(b.values::<u32>().iter().all(|value| *value == 0));

        // Pinned memory, asynchronously.
        let mut stream = ptr::null_mut();
        ok(hip.hipStreamCreateWithFlags(&mut stream, 1));
        ok(hip.hipHostMalloc(&mut pinned, bytes, 0));
        ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), pinned.cast(), bytes);
        ok(hip.hipMemcpyAsync(b.address, pinned, bytes, hipMemcpyKind::hipMemcpyHostToDevice, stream));
        ok(hip.hipStreamSynchronize(stream));
        assert_eq!(b.values::<u32>(), values);
        pinned.cast::<u8>().write_bytes(0, bytes);
        ok(hip.hipMemcpyAsync(pinned, a.address, bytes, hipMemcpyKind::hipMemcpyDefault, stream));
        ok(hip.hipStreamSynchronize(stream));
        assert_eq!(std::slice::from_raw_parts(pinned.cast::<u32>(), N), values);

        // Rows: the middle 8 bytes of 16.
        let mut rows = [0_u8; 8 * 100];
        let kind = hipMemcpyKind::hipMemcpyDeviceToHost;
        ok(hip.hipMemcpy2D(rows.as_mut_ptr().cast(), 8, a.address.byte_add(4), 16, 8, 100, kind));
        for (row, bytes) in rows.chunks(8).enumerate() {
            assert_eq!(bytes[..4], (4 * row as u32 + 1).to_le_bytes());
            assert_eq!(bytes[4..], (4 * row as u32 + 2).to_le_bytes());
        }

        // Attributes of addresses.
        let mut attributes = std::mem::zeroed();
        ok(hip.hipPointerGetAttributes(&mut attributes, a.address));
        assert_eq!(attributes.type_, hipMemoryType::hipMemoryTypeDevice);
        ok(hip.hipPointerGetAttributes(&mut attributes, pinned));
        assert_eq!(attributes.type_, hipMemoryType::hipMemoryTypeHost);
        fails(
            hip.hipPointerGetAttributes(&mut attributes, values.as_ptr().cast()),
            hipError_t::hipErrorInvalidValue,
        );
        let mut size = 0;
        ok(hip.hipMemPtrGetInfo(a.address, &mut size));
        assert_eq!(size, bytes);

        // Empty copies succeed; invalid ones are errors.
        ok(hip.hipMalloc(&mut pointer, 0));
        assert!(pointer.is_null());
        ok(hip.hipFree(ptr::null_mut()));
        ok(hip.hipMemset(ptr::null_mut(), 0, 0));
        ok(hip.hipMemcpy(ptr::null_mut(), ptr::null(), 0, hipMemcpyKind::hipMemcpyDefault));
        fails(hip.hipMalloc(&mut pointer, usize::MAX >> 2), hipError_t::hipErrorOutOfMemory);
        fails(hip.hipFree(values.as_ptr().cast_mut().cast()), hipError_t::hipErrorInvalidValue);
        fails(hip.hipFree(a.address.byte_add(8)), hipError_t::hipErrorInvalidValue);
        fails(
            hip.hipMemcpy(a.address, pinned, 4, hipMemcpyKind(99)),
            hipError_t::hipErrorInvalidMemcpyDirection,
        );
        ok(hip.hipHostFree(pinned));
        ok(hip.hipStreamDestroy(stream));
        let _ = hip.hipGetLastError();
    }
}

#[test]
fn kernels_events_and_streams() {
    if !has_gpu("kernels") || !has_nvrtc("kernels") {
        return;
    }
    let hip = hip();
    let (module, add) = kernel(&hip, ADD, c"add");
    let a: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..N).map(|i| 0.5 * i as f32).collect();
    let (a_device, b_device) = (Buffer::new(&hip, &a), Buffer::new(&hip, &b));
    let c_device = Buffer::new(&hip, &vec![f32::NAN; N]);
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    let n = N as u32;
    // SAFETY: no arguments. What was copied through the null stream, the stream below does not wait for.
    ok(unsafe { hip.hipDeviceSynchronize() });
    let (mut stream, mut start, mut stop) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: out-parameters are valid, handles live, arguments are those of the kernel.
    unsafe {
        ok(hip.hipStreamCreateWithFlags(&mut stream, 1));
        ok(hip.hipEventCreate(&mut start));
        ok(hip.hipEventCreate(&mut stop));
        ok(hip.hipEventRecord(start, stream));
        let arguments = [arg(&a_device.address), arg(&b_device.address), arg(&c_device.address), arg(&n)];
        assert_eq!(launch(&hip, add, (n.div_ceil(256), 256, 0), stream, &arguments), hipError_t::hipSuccess);
        ok(hip.hipEventRecord(stop, stream));
        ok(hip.hipEventSynchronize(stop));
        ok(hip.hipEventQuery(stop));
        ok(hip.hipStreamQuery(stream));
        let mut milliseconds = -1.0;
        ok(hip.hipEventElapsedTime(&mut milliseconds, start, stop));
        assert!(milliseconds >= 0.0, "{milliseconds}");
        assert_eq!(c_device.values::<f32>(), expected);

        // The same with packed arguments, as HIP ends their list.
        ok(hip.hipMemset(c_device.address, 0, 4 * N));
        // Set on the null stream, which the other one does not wait for.
        ok(hip.hipDeviceSynchronize());
        let mut packed =
            [a_device.address as u64, b_device.address as u64, c_device.address as u64, u64::from(n)];
        let mut size = 28_usize;
        let mut extra: [*mut c_void; 5] = [
            ptr::without_provenance_mut(1),
            packed.as_mut_ptr().cast(),
            ptr::without_provenance_mut(2),
            (&raw mut size).cast(),
            ptr::without_provenance_mut(3),
        ];
        let none = ptr::null_mut();
        let blocks = n.div_ceil(256);
        ok(hip.hipModuleLaunchKernel(add, blocks, 1, 1, 256, 1, 1, 0, stream, none, extra.as_mut_ptr()));
        ok(hip.hipStreamSynchronize(stream));
        assert_eq!(c_device.values::<f32>(), expected);

        // Launches beyond the limits of any card.
        for (grid, block) in [(0, 256), (1, 0), (1, 1025)] {
            let code = launch(&hip, add, (grid, block, 0), stream, &arguments);
            assert_eq!(code, hipError_t::hipErrorInvalidValue, "{grid} {block}");
        }
        let code = launch(&hip, add, (1, 32, 64 << 20), stream, &arguments);
        assert_eq!(code, hipError_t::hipErrorInvalidValue);

        // Attributes and occupancy of the kernel.
        let mut registers = 0;
        ok(hip.hipFuncGetAttribute(&mut registers, hipFunction_attribute::HIP_FUNC_ATTRIBUTE_NUM_REGS, add));
        let mut attributes: hipFuncAttributes = std::mem::zeroed();
        ok(hip.hipFuncGetAttributes(&mut attributes, add.cast()));
        assert!(registers > 0 && attributes.numRegs == registers && attributes.maxThreadsPerBlock == 1024);
        let (mut blocks, mut grid, mut block) = (0, 0, 0);
        ok(hip.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, add, 256, 0));
        ok(hip.hipModuleOccupancyMaxPotentialBlockSize(&mut grid, &mut block, add, 0, 0));
        assert!(blocks >= 4 && grid > 0 && block >= 256, "{blocks} {grid} {block}");

        let mut missing = ptr::null_mut();
        fails(hip.hipModuleGetFunction(&mut missing, module, c"sub".as_ptr()), hipError_t::hipErrorNotFound);
        fails(hip.hipModuleGetFunction(&mut missing, module, c"".as_ptr()), hipError_t::hipErrorInvalidValue);
        let _ = hip.hipGetLastError();
        ok(hip.hipEventDestroy(start));
        ok(hip.hipEventDestroy(stop));
        ok(hip.hipStreamDestroy(stream));
        ok(hip.hipModuleUnload(module));
    }
}

/// HIP needs no attribute for more than 48 KiB.
#[test]
fn much_shared_memory() {
    if !has_gpu("shared memory") || !has_nvrtc("shared memory") {
        return;
    }
    let hip = hip();
    let limit = {
        let mut value = 0;
        let attribute = hipDeviceAttribute_t::hipDeviceAttributeSharedMemPerBlockOptin;
        // SAFETY: the out-parameter is valid.
        unsafe { ok(hip.hipDeviceGetAttribute(&mut value, attribute, 0)) };
        value as u32
    };
    let source = "extern __shared__ unsigned cells[];
    extern \"C\" __global__ void turn(unsigned* x, unsigned n) {
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) cells[i] = x[i];
        __syncthreads();
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) x[i] = cells[n - 1 - i];
    }";
    let (module, turn) = kernel(&hip, source, c"turn");
    for bytes in [4, 48 << 10, 64 << 10, limit] {
        let n = bytes / 4;
        let values: Vec<u32> = (0..n).collect();
        let x = Buffer::new(&hip, &values);
        let code = launch(&hip, turn, (1, 1024, bytes), ptr::null_mut(), &[arg(&x.address), arg(&n)]);
        assert_eq!(code, hipError_t::hipSuccess, "{bytes}");
        assert!(x.values::<u32>().iter().eq(values.iter().rev()), "{bytes}");
    }
    // SAFETY: loaded above; nothing of it runs any more.
    unsafe { ok(hip.hipModuleUnload(module)) };
}

#[test]
fn bytes_that_are_no_module() {
    if !has_gpu("modules") {
        return;
    }
    let hip = hip();
    let mut elf = vec![0_u8; 4096];
    elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
    elf[18] = 190;
    let broken: [&[u8]; 6] = [
        b"\0",
        b"not a module\0",
        b"\x7fELF\x01\0",
        &elf,
        b".version 8.0\n.target sm_90\nnonsense\0",
        b"CCOB\0",
    ];
    let mut module = ptr::null_mut();
    for bytes in broken {
        // SAFETY: the bytes end behind what decides that they are no module.
        let code = unsafe { hip.hipModuleLoadData(&mut module, bytes.as_ptr().cast()) }.unwrap();
        let refused = [
            hipError_t::hipErrorInvalidImage,
            hipError_t::hipErrorInvalidKernelFile,
            hipError_t::hipErrorNoBinaryForGpu,
        ];
        assert!(
            refused.contains(&code),
            "{code:?} for {:?}",
            String::from_utf8_lossy(&bytes[..bytes.len().min(40)])
        );
    }
    // SAFETY: C strings, and an out-parameter that is valid.
    unsafe {
        fails(hip.hipModuleLoad(&mut module, c"/does/not/exist".as_ptr()), hipError_t::hipErrorFileNotFound);
        fails(hip.hipModuleLoad(&mut module, c"/dev/null".as_ptr()), hipError_t::hipErrorInvalidImage);
        fails(hip.hipModuleLoadData(&mut module, ptr::null()), hipError_t::hipErrorInvalidValue);
        let _ = hip.hipGetLastError();
    }
}

#[test]
fn ptx_is_compiled_by_the_driver() {
    if !has_gpu("PTX") || !has_nvrtc("PTX") {
        return;
    }
    let hip = hip();
    let arch = device_properties(&hip, 0).unwrap().gcn_arch_name.replace("sm_", "--offload-arch=compute_");
    let compiled = compile(ADD, &[], &[&arch]).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(compiled.code.starts_with(b"//"));
    let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the text ends with a zero; out-parameters are valid.
    unsafe {
        ok(hip.hipModuleLoadData(&mut module, compiled.code.as_ptr().cast()));
        ok(hip.hipModuleGetFunction(&mut function, module, c"add".as_ptr()));
        ok(hip.hipModuleUnload(module));
    }
}

#[test]
fn callbacks_and_threads() {
    if !has_gpu("callbacks") {
        return;
    }
    use std::sync::atomic::{AtomicU32, Ordering};
    unsafe extern "C" fn count(data: *mut c_void) {
        // SAFETY: the test passes its counter.
        unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
    }
    unsafe extern "C" fn count_success(_: rocm_sys::hip::hipStream_t, code: hipError_t, data: *mut c_void) {
        if code == hipError_t::hipSuccess {
            // SAFETY: as above.
            unsafe { count(data) };
        }
    }
    let counter = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let hip = hip();
                let mut stream = ptr::null_mut();
                let data = (&raw const counter).cast_mut().cast::<c_void>();
                // SAFETY: the counter lives until the streams were waited for.
                unsafe {
                    ok(hip.hipStreamCreate(&mut stream));
                    ok(hip.hipLaunchHostFunc(stream, Some(count), data));
                    ok(hip.hipStreamAddCallback(stream, Some(count_success), data, 0));
                    ok(hip.hipStreamSynchronize(stream));
                    ok(hip.hipStreamDestroy(stream));
                }
            });
        }
    });
    assert_eq!(counter.into_inner(), 8);
}
