//! A kernel's fault is the device's error from then on. Alone in its file, as it breaks the device for the whole process.

mod common;

use common::{Buffer, arg, fails, has_gpu, has_nvrtc, hip, kernel, launch, ok};
use rocm_sys::hip::hipError_t;
use std::ptr;

#[test]
fn a_fault_sticks() {
    if !has_gpu("faults") || !has_nvrtc("faults") {
        return;
    }
    let hip = hip();
    let source = "extern \"C\" __global__ void write(unsigned* x) { x[0] = 1; }";
    let (_, write) = kernel(&hip, source, c"write");
    let nowhere: u64 = 16;
    assert_eq!(launch(&hip, write, (1, 1, 0), ptr::null_mut(), &[arg(&nowhere)]), hipError_t::hipSuccess);
    let mut pointer = ptr::null_mut();
    // SAFETY: out-parameters are valid.
    unsafe {
        fails(hip.hipDeviceSynchronize(), hipError_t::hipErrorIllegalAddress);
        assert_eq!(hip.hipGetLastError(), Ok(hipError_t::hipErrorIllegalAddress));
        assert_eq!(hip.hipGetLastError(), Ok(hipError_t::hipSuccess));
        fails(hip.hipMalloc(&mut pointer, 16), hipError_t::hipErrorIllegalAddress);
        // Some drivers recover, others require a new process; nothing else may be returned.
        let sticks = Ok(hipError_t::hipErrorIllegalAddress);
        let reset = hip.hipDeviceReset();
        let again = hip.hipMalloc(&mut pointer, 16);
        if (reset.clone(), again.clone()) != (Ok(hipError_t::hipSuccess), Ok(hipError_t::hipSuccess)) {
            assert!(reset == Ok(hipError_t::hipSuccess) || reset == sticks, "{reset:?}");
            assert_eq!(again, sticks);
            return;
        }
    }
    let (module, write) = kernel(&hip, source, c"write");
    let x = Buffer::new(&hip, &[0_u32]);
    assert_eq!(launch(&hip, write, (1, 1, 0), ptr::null_mut(), &[arg(&x.address)]), hipError_t::hipSuccess);
    assert_eq!(x.values::<u32>(), [1]);
    // SAFETY: loaded above; nothing of it runs any more.
    unsafe { ok(hip.hipModuleUnload(module)) };
}
