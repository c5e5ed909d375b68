//! What a fault does to a device, how it is reported, and how a device recovers.

mod runtime_common;

use runtime_common::*;
use std::ptr;

/// Device memory is host memory here, so the test itself can do what a faulty kernel would.
fn write_outside(address: *mut std::ffi::c_void, offset: isize) {
    // SAFETY: the guard zones are 256 bytes and belong to the allocation.
    unsafe { address.cast::<u8>().offset(offset).write(1) };
}

#[test]
fn writes_outside_are_found_when_freed() {
    let _alone = exclusive();
    for (size, offset, where_) in [
        (1000, 1000, "0 bytes past its end"),
        (1000, 1200, "200 bytes past its end"),
        (1000, -1, "1 bytes before its start"),
        (1 << 20, 1 << 20, "0 bytes past its end"),
        ((1 << 20) + 1, -256, "256 bytes before its start"),
    ] {
        let address = malloc(size);
        write_outside(address, offset);
        fails!(hipErrorIllegalAddress, hipFree(address));
        let report = candle_rocm_host::last_fault().unwrap();
        assert!(report.contains(&format!("an allocation of {size} bytes")), "{report}");
        assert!(report.contains("1 bytes were written outside") && report.contains(where_), "{report}");
        ok!(hipDeviceReset());
    }
}

#[test]
fn writes_outside_are_found_when_synchronised() {
    let _alone = exclusive();
    let address = malloc(100);
    ok!(hipDeviceSynchronize());
    write_outside(address, 100);
    fails!(hipErrorIllegalAddress, hipDeviceSynchronize());
    ok!(hipDeviceReset());
}

#[test]
fn a_fault_sticks_until_the_reset() {
    let _alone = exclusive();
    let (address, other, stream, event) = (malloc(100), malloc(100), stream(0), event());
    write_outside(address, 100);
    fails!(hipErrorIllegalAddress, hipDeviceSynchronize());

    let mut out = ptr::null_mut();
    let (mut free, mut total) = (0, 0);
    fails!(hipErrorIllegalAddress, hipDeviceSynchronize());
    fails!(hipErrorIllegalAddress, hipMalloc(&mut out, 4));
    fails!(hipErrorIllegalAddress, hipMemset(other, 0, 4));
    fails!(hipErrorIllegalAddress, hipMemcpy(other, other, 4, D2D));
    fails!(hipErrorIllegalAddress, hipStreamSynchronize(stream));
    fails!(hipErrorIllegalAddress, hipStreamQuery(stream));
    fails!(hipErrorIllegalAddress, hipEventRecord(event, stream));
    fails!(hipErrorIllegalAddress, hipEventQuery(event));
    fails!(hipErrorIllegalAddress, hipMemGetInfo(&mut free, &mut total));
    fails!(hipErrorIllegalAddress, hipFree(other));
    // Freed all the same, so that cleaning up releases everything.
    fails!(hipErrorInvalidValue, hipFree(other));
    // The other device is not affected.
    ok!(hipSetDevice(1));
    let elsewhere = malloc(4);
    ok!(hipFree(elsewhere));
    ok!(hipSetDevice(0));

    ok!(hipDeviceReset());
    ok!(hipDeviceSynchronize());
    // Memory, streams and events are gone.
    fails!(hipErrorInvalidValue, hipFree(address));
    fails!(hipErrorContextIsDestroyed, hipStreamDestroy(stream));
    fails!(hipErrorContextIsDestroyed, hipEventDestroy(event));
    ok!(hipMemGetInfo(&mut free, &mut total));
    assert_eq!(free, total);
    let address = malloc(100);
    ok!(hipMemset(address, 0, 100));
    ok!(hipFree(address));
}
