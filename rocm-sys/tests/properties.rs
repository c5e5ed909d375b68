//! Device properties in both struct layouts.

use std::ffi::c_void;

use rocm_sys::hip::{
    CallError, DeviceProperties, Hip, device_properties, hipDeviceProp_tR0000, hipDeviceProp_tR0600,
    hipError_t, signature,
};

/// Fills the fields that both layouts have with distinct values.
macro_rules! fill {
    ($p:expr) => {{
        let p = $p;
        for (c, byte) in p.name.iter_mut().zip(b"Test card\0") {
            *c = *byte as _;
        }
        for (c, byte) in p.gcnArchName.iter_mut().zip(b"gfx90a:sramecc+:xnack-\0") {
            *c = *byte as _;
        }
        p.totalGlobalMem = 64 << 30;
        p.multiProcessorCount = 110;
        p.warpSize = 64;
        p.maxThreadsPerBlock = 1024;
        p.maxThreadsPerMultiProcessor = 2048;
        p.maxThreadsDim = [1024, 1023, 1022];
        p.maxGridSize = [i32::MAX, 65535, 65534];
        p.sharedMemPerBlock = 65536;
        p.regsPerBlock = 65537;
        p.l2CacheSize = 8 << 20;
        p.clockRate = 1_700_000;
        p.memoryClockRate = 1_600_000;
        p.memoryBusWidth = 4096;
        p.integrated = 1;
        (p.pciDomainID, p.pciBusID, p.pciDeviceID) = (1, 2, 3);
    }};
}

fn check(p: &DeviceProperties) {
    assert_eq!(p.name, "Test card");
    assert_eq!(p.gcn_arch_name, "gfx90a:sramecc+:xnack-");
    assert_eq!(p.total_global_mem, 64 << 30);
    assert_eq!((p.multi_processor_count, p.warp_size), (110, 64));
    assert_eq!((p.max_threads_per_block, p.max_threads_per_multi_processor), (1024, 2048));
    assert_eq!(p.max_threads_dim, [1024, 1023, 1022]);
    assert_eq!(p.max_grid_size, [i32::MAX as u32, 65535, 65534]);
    assert_eq!((p.shared_mem_per_block, p.regs_per_block, p.l2_cache_size), (65536, 65537, 8 << 20));
    assert_eq!((p.clock_rate, p.memory_clock_rate, p.memory_bus_width), (1_700_000, 1_600_000, 4096));
    assert!(p.integrated);
    assert_eq!(p.pci, [1, 2, 3]);
}

unsafe extern "C" fn new_layout(properties: *mut hipDeviceProp_tR0600, ordinal: i32) -> hipError_t {
    if ordinal != 0 {
        return hipError_t::hipErrorInvalidDevice;
    }
    // SAFETY: the caller passes a valid pointer with padding behind the struct, where newer versions of the library may write.
    unsafe {
        fill!(&mut *properties);
        properties.add(1).cast::<u8>().write_bytes(0xaa, 1000);
    }
    hipError_t::hipSuccess
}

unsafe extern "C" fn old_layout(properties: *mut hipDeviceProp_tR0000, _: i32) -> hipError_t {
    // SAFETY: the caller passes a valid pointer.
    fill!(unsafe { &mut *properties });
    hipError_t::hipSuccess
}

unsafe extern "C" fn wrong_layout(_: *mut hipDeviceProp_tR0000, _: i32) -> hipError_t {
    hipError_t::hipErrorUnknown
}

fn rocm_5(name: &str) -> Option<*const c_void> {
    let function: signature::hipGetDeviceProperties = old_layout;
    (name == "hipGetDeviceProperties").then_some(function as *const c_void)
}

fn rocm_6(name: &str) -> Option<*const c_void> {
    let (new, old): (signature::hipGetDevicePropertiesR0600, signature::hipGetDeviceProperties) =
        (new_layout, wrong_layout);
    match name {
        "hipGetDevicePropertiesR0600" => Some(new as *const c_void),
        "hipGetDeviceProperties" => Some(old as *const c_void),
        _ => None,
    }
}

#[test]
fn rocm_5_uses_the_old_layout() {
    check(&device_properties(&Hip::from_resolver("ROCm 5", rocm_5), 0).unwrap());
}

#[test]
fn rocm_6_uses_the_new_layout() {
    let hip = Hip::from_resolver("ROCm 6", rocm_6);
    check(&device_properties(&hip, 0).unwrap());
    let error = device_properties(&hip, 7).unwrap_err();
    let CallError::Status { call, code, name } = &error else { panic!("{error}") };
    assert_eq!((*call, *code), ("hipGetDevicePropertiesR0600", hipError_t::hipErrorInvalidDevice));
    // This platform has no hipGetErrorName.
    assert_eq!(name, "hipError_t(101)");
}

#[test]
fn struct_sizes_match_the_c_compiler() {
    assert_eq!(size_of::<hipDeviceProp_tR0600>(), 1472);
    assert_eq!(size_of::<hipDeviceProp_tR0000>(), 792);
}
