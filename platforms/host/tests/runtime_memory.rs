//! Allocations, copies, fills, and invalid arguments.

mod runtime_common;

use runtime_common::*;
use std::ffi::c_void;
use std::ptr;

/// Sizes around the guard zone's alignment, a page, and the switch from heap to mappings.
const SIZES: [usize; 11] = [1, 3, 255, 256, 257, 4095, 4096, 100_003, (1 << 20) - 1, 1 << 20, (9 << 20) + 5];

fn offset(address: *mut c_void, by: usize) -> *mut c_void {
    address.wrapping_byte_add(by)
}

fn used() -> usize {
    let (mut free, mut total) = (0, 0);
    ok!(hipMemGetInfo(&mut free, &mut total));
    total - free
}

#[test]
fn there_and_back() {
    for device in [0, 1] {
        ok!(hipSetDevice(device));
        for size in SIZES {
            let bytes = pattern(size, size as u64);
            let address = upload(&bytes);
            assert_eq!(address as usize % 256, 0);
            assert!(download(address, size) == bytes, "{size} bytes");
            ok!(hipFree(address));
        }
    }
}

#[test]
fn fresh_memory_is_not_zero() {
    for size in SIZES {
        let address = malloc(size);
        assert!(download(address, size).iter().all(|&byte| byte == 0xA5), "{size} bytes");
        // And again, in memory that was just given back.
        ok!(hipMemset(address, 0, size));
        ok!(hipFree(address));
        let address = malloc(size);
        assert!(download(address, size).iter().all(|&byte| byte == 0xA5), "{size} bytes again");
        ok!(hipFree(address));
    }
}

#[test]
fn nothing_is_nothing() {
    let mut address = ptr::dangling_mut();
    ok!(hipMalloc(&mut address, 0));
    assert!(address.is_null());
    ok!(hipHostMalloc(&mut address, 0, 0));
    assert!(address.is_null());
    ok!(hipFree(ptr::null_mut()));
    ok!(hipHostFree(ptr::null_mut()));
    ok!(hipMemcpy(ptr::null_mut(), ptr::null(), 0, H2D));
    ok!(hipMemset(ptr::null_mut(), 1, 0));
    ok!(hipMemcpy2D(ptr::null_mut(), 8, ptr::null(), 8, 0, 5, H2D));
    ok!(hipMemcpy2D(ptr::null_mut(), 8, ptr::null(), 8, 8, 0, H2D));
}

#[test]
fn all_kinds_of_copies() {
    let bytes = pattern(1000, 1);
    let from = bytes.as_ptr().cast::<c_void>();
    let (a, b) = (malloc(1000), malloc(1000));
    let mut back = vec![0_u8; 1000];
    let to = back.as_mut_ptr().cast::<c_void>();

    ok!(hipMemcpyHtoD(a, from.cast_mut(), 1000));
    ok!(hipMemcpyDtoD(b, a, 1000));
    ok!(hipMemcpyDtoH(to, b, 1000));
    assert_eq!(back, bytes);

    ok!(hipMemset(b, 0, 1000));
    ok!(hipMemcpy(b, a, 1000, DEFAULT));
    back.fill(0);
    ok!(hipMemcpy(to, b, 1000, DEFAULT));
    assert_eq!(back, bytes);

    // Parts, unaligned.
    ok!(hipMemcpy(offset(b, 7), offset(a, 501), 13, D2D));
    ok!(hipMemcpy(to, offset(b, 7), 13, D2H));
    assert_eq!(back[..13], bytes[501..514]);

    let mut host = vec![0_u8; 1000];
    ok!(hipMemcpy(host.as_mut_ptr().cast(), from, 1000, H2H));
    assert_eq!(host, bytes);

    let stream = stream(0);
    ok!(hipMemcpyHtoDAsync(a, to, 1000, stream));
    ok!(hipMemcpyDtoDAsync(b, a, 1000, stream));
    ok!(hipMemcpyDtoHAsync(host.as_mut_ptr().cast(), b, 1000, stream));
    ok!(hipStreamSynchronize(stream));
    assert_eq!(host, back);
    ok!(hipMemcpyWithStream(a, from, 1000, H2D, stream));
    ok!(hipMemcpyWithStream(to, a, 1000, D2H, stream));
    assert_eq!(back, bytes);
    ok!(hipStreamDestroy(stream));
    ok!(hipFree(a));
    ok!(hipFree(b));
}

#[test]
fn between_devices() {
    let bytes = pattern(5000, 2);
    ok!(hipSetDevice(0));
    let here = upload(&bytes);
    ok!(hipSetDevice(1));
    let there = malloc(5000);
    ok!(hipMemcpyPeer(there, 1, here, 0, 5000));
    assert_eq!(download(there, 5000), bytes);
    ok!(hipMemset(there, 0, 5000));
    let stream = stream(0);
    ok!(hipMemcpyPeerAsync(there, 1, here, 0, 5000, stream));
    ok!(hipStreamSynchronize(stream));
    assert_eq!(download(there, 5000), bytes);
    fails!(hipErrorInvalidValue, hipMemcpyPeer(there, 0, here, 0, 5000));
    fails!(hipErrorInvalidDevice, hipMemcpyPeer(there, 3, here, 0, 5000));
    ok!(hipStreamDestroy(stream));
    ok!(hipFree(here));
    ok!(hipFree(there));
}

#[test]
fn rectangles() {
    // 5 rows of 7 bytes out of rows of 16, into rows of 9.
    let bytes = pattern(16 * 5, 3);
    let wide = upload(&bytes);
    let narrow = malloc(9 * 5);
    ok!(hipMemset(narrow, 0, 9 * 5));
    ok!(hipMemcpy2D(narrow, 9, offset(wide, 2), 16, 7, 5, D2D));
    let found = download(narrow, 9 * 5);
    for row in 0..5 {
        assert_eq!(found[row * 9..][..7], bytes[row * 16 + 2..][..7]);
        assert_eq!(found[row * 9 + 7..][..2], [0, 0]);
    }

    // From pageable memory, asynchronously: the source may change as soon as the call returns.
    let stream = stream(0);
    let mut host = bytes.clone();
    ok!(hipMemcpy2DAsync(narrow, 9, host.as_ptr().cast(), 16, 9, 5, H2D, stream));
    host.fill(0);
    let mut back = vec![0_u8; 9 * 5];
    ok!(hipMemcpy2DAsync(back.as_mut_ptr().cast(), 9, narrow, 9, 9, 5, D2H, stream));
    for row in 0..5 {
        assert_eq!(back[row * 9..][..9], bytes[row * 16..][..9]);
    }

    ok!(hipMemset2D(wide, 16, 0x11, 3, 5));
    let found = download(wide, 16 * 5);
    for row in 0..5 {
        assert_eq!(found[row * 16..][..3], [0x11; 3]);
        assert_eq!(found[row * 16 + 3..][..13], bytes[row * 16 + 3..][..13]);
    }

    fails!(hipErrorInvalidPitchValue, hipMemcpy2D(narrow, 6, wide, 16, 7, 5, D2D));
    fails!(hipErrorInvalidPitchValue, hipMemset2D(wide, 2, 0, 3, 5));
    // The last row leaves the allocation.
    fails!(hipErrorInvalidValue, hipMemcpy2D(narrow, 9, offset(wide, 10), 16, 7, 5, D2D));
    fails!(hipErrorInvalidValue, hipMemset2D(offset(wide, 14), 16, 0, 3, 5));
    ok!(hipStreamDestroy(stream));
    ok!(hipFree(wide));
    ok!(hipFree(narrow));

    let (mut address, mut pitch) = (ptr::null_mut(), 0);
    ok!(hipMallocPitch(&mut address, &mut pitch, 100, 3));
    assert_eq!(pitch, 256);
    ok!(hipMemset2D(address, pitch, 1, 100, 3));
    ok!(hipFree(address));
}

#[test]
fn fills() {
    let stream = stream(0);
    let address = malloc(64);
    ok!(hipMemset(address, 0x1FF, 64));
    assert_eq!(download(address, 64), [0xFF; 64]);
    ok!(hipMemsetD8(address, 7, 3));
    ok!(hipMemsetD16(offset(address, 4), 0x0102, 2));
    ok!(hipMemsetD32(offset(address, 8), 0x0304_0506, 2));
    assert_eq!(
        download(address, 17),
        *b"\x07\x07\x07\xFF\x02\x01\x02\x01\x06\x05\x04\x03\x06\x05\x04\x03\xFF"
    );
    ok!(hipMemsetD8Async(address, 1, 4, stream));
    ok!(hipMemsetD16Async(offset(address, 4), 0x0202, 2, stream));
    ok!(hipMemsetD32Async(offset(address, 8), 0x0303_0303, 1, stream));
    ok!(hipMemsetAsync(offset(address, 12), 4, 4, stream));
    ok!(hipMemset2DAsync(offset(address, 16), 8, 5, 4, 2, stream));
    ok!(hipStreamSynchronize(stream));
    let expected = b"\x01\x01\x01\x01\x02\x02\x02\x02\x03\x03\x03\x03\x04\x04\x04\x04\x05\x05\x05\x05\xFF\xFF\xFF\xFF\x05\x05\x05\x05";
    assert_eq!(download(address, 28), expected);

    fails!(hipErrorInvalidValue, hipMemset(address, 0, 65));
    fails!(hipErrorInvalidValue, hipMemsetD32(address, 0, 17));
    fails!(hipErrorInvalidValue, hipMemsetD32(address, 0, usize::MAX));
    fails!(hipErrorInvalidValue, hipMemset(ptr::null_mut(), 0, 1));
    let mut host = [0_u8; 8];
    fails!(hipErrorInvalidValue, hipMemset(host.as_mut_ptr().cast(), 1, 8));
    ok!(hipFree(address));

    let pinned = malloc_host(8);
    ok!(hipMemset(pinned, 9, 8));
    // SAFETY: hipMemset on host memory is complete when it returns.
    assert_eq!(unsafe { pinned.cast::<[u8; 8]>().read() }, [9; 8]);
    ok!(hipHostFree(pinned));
    ok!(hipStreamDestroy(stream));
}

#[test]
fn copies_that_leave_their_allocation() {
    let a = malloc(100);
    let b = malloc(200);
    let mut host = [0_u8; 300];
    let (from, to) = (host.as_ptr().cast::<c_void>(), host.as_mut_ptr().cast::<c_void>());
    fails!(hipErrorInvalidValue, hipMemcpy(a, from, 101, H2D));
    fails!(hipErrorInvalidValue, hipMemcpy(offset(a, 50), from, 51, H2D));
    fails!(hipErrorInvalidValue, hipMemcpy(to, a, 101, D2H));
    fails!(hipErrorInvalidValue, hipMemcpy(b, a, 101, D2D));
    fails!(hipErrorInvalidValue, hipMemcpy(a, b, 101, D2D));
    fails!(hipErrorInvalidValue, hipMemcpy(a, b, usize::MAX, D2D));
    // Right behind the end and before the start, where the guard zones are, even if the kind leaves it open.
    fails!(hipErrorInvalidValue, hipMemcpy(to, offset(a, 100), 1, DEFAULT));
    fails!(hipErrorInvalidValue, hipMemcpy(to, a.wrapping_byte_sub(1), 1, DEFAULT));
    ok!(hipMemcpy(offset(a, 99), from, 1, H2D));
    let pinned = malloc_host(10);
    fails!(hipErrorInvalidValue, hipMemcpy(a, pinned, 11, H2D));
    ok!(hipHostFree(pinned));
    ok!(hipFree(a));
    ok!(hipFree(b));
}

#[test]
fn kinds_that_contradict_the_addresses() {
    let a = malloc(16);
    let mut host = [0_u8; 16];
    let (from, to) = (host.as_ptr().cast::<c_void>(), host.as_mut_ptr().cast::<c_void>());
    fails!(hipErrorInvalidValue, hipMemcpy(a, from, 16, D2H));
    fails!(hipErrorInvalidValue, hipMemcpy(to, a, 16, H2D));
    fails!(hipErrorInvalidValue, hipMemcpy(a, from, 16, D2D));
    fails!(hipErrorInvalidValue, hipMemcpy(a, from, 16, H2H));
    fails!(hipErrorInvalidValue, hipMemcpy(to, from, 16, H2D));
    fails!(hipErrorInvalidMemcpyDirection, hipMemcpy(a, from, 16, hipMemcpyKind(77)));
    fails!(hipErrorInvalidValue, hipMemcpy(ptr::null_mut(), from, 16, H2D));
    fails!(hipErrorInvalidValue, hipMemcpy(a, ptr::null(), 16, H2D));
    ok!(hipFree(a));
    // Freed.
    fails!(hipErrorInvalidValue, hipMemcpy(a, from, 16, H2D));
    fails!(hipErrorInvalidValue, hipMemcpy(to, a, 16, D2H));
}

#[test]
fn what_cannot_be_freed() {
    let address = malloc(1000);
    fails!(hipErrorInvalidValue, hipFree(offset(address, 8)));
    fails!(hipErrorInvalidValue, hipHostFree(address));
    ok!(hipFree(address));
    fails!(hipErrorInvalidValue, hipFree(address));
    let mut host = 0_u8;
    fails!(hipErrorInvalidValue, hipFree(ptr::from_mut(&mut host).cast()));
    let pinned = malloc_host(1000);
    fails!(hipErrorInvalidDevicePointer, hipFree(pinned));
    fails!(hipErrorHostMemoryNotRegistered, hipHostUnregister(pinned));
    ok!(hipHostFree(pinned));
    fails!(hipErrorInvalidValue, hipHostFree(pinned));
    fails!(hipErrorInvalidValue, hipMalloc(ptr::null_mut(), 4));
    fails!(hipErrorInvalidValue, hipHostMalloc(ptr::null_mut(), 4, 0));
    fails!(hipErrorInvalidValue, hipHostMalloc(&mut ptr::null_mut(), 4, 0xC000_0000));
}

#[test]
fn pointers_know_what_they_are() {
    ok!(hipSetDevice(1));
    let address = malloc(1000);
    let pinned = malloc_host(1000);
    // SAFETY: numbers and pointers: zero is a value.
    let mut attributes: hipPointerAttribute_t = unsafe { std::mem::zeroed() };
    ok!(hipPointerGetAttributes(&mut attributes, offset(address, 999)));
    assert_eq!((attributes.type_, attributes.device), (hipMemoryType::hipMemoryTypeDevice, 1));
    assert!(attributes.devicePointer == offset(address, 999) && attributes.hostPointer.is_null());
    ok!(hipPointerGetAttributes(&mut attributes, pinned));
    assert_eq!(attributes.type_, hipMemoryType::hipMemoryTypeHost);
    assert!(attributes.devicePointer == pinned && attributes.hostPointer == pinned);
    fails!(hipErrorInvalidValue, hipPointerGetAttributes(&mut attributes, offset(address, 1000)));
    fails!(hipErrorInvalidValue, hipPointerGetAttributes(&mut attributes, ptr::from_ref(&0_u8).cast()));

    let (mut base, mut size) = (ptr::null_mut(), 0);
    ok!(hipMemGetAddressRange(&mut base, &mut size, offset(address, 500)));
    assert_eq!((base, size), (address, 1000));
    fails!(hipErrorNotFound, hipMemGetAddressRange(&mut base, &mut size, offset(address, 1000)));
    ok!(hipMemPtrGetInfo(address, &mut size));
    assert_eq!(size, 1000);

    let mut mapped = ptr::null_mut();
    ok!(hipHostGetDevicePointer(&mut mapped, pinned, 0));
    assert_eq!(mapped, pinned);
    fails!(hipErrorInvalidValue, hipHostGetDevicePointer(&mut mapped, address, 0));
    ok!(hipFree(address));
    ok!(hipHostFree(pinned));
}

#[test]
fn registered_host_memory() {
    let mut host = pattern(4096, 4);
    let address = host.as_mut_ptr().cast::<c_void>();
    ok!(hipHostRegister(address, 4096, 0));
    // Exactly the same again changes nothing.
    ok!(hipHostRegister(address, 4096, 1));
    fails!(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(address, 4095, 0));
    fails!(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(offset(address, 4000), 500, 0));
    let mut flags = 9;
    ok!(hipHostGetFlags(&mut flags, address));
    assert_eq!(flags, 0);
    let device = malloc(4096);
    ok!(hipMemcpy(device, address, 4096, H2D));
    fails!(hipErrorInvalidValue, hipMemcpy(device, offset(address, 4000), 500, H2D));
    assert_eq!(download(device, 4096), host);
    ok!(hipHostUnregister(address));
    fails!(hipErrorHostMemoryNotRegistered, hipHostUnregister(address));
    fails!(hipErrorInvalidValue, hipHostRegister(ptr::null_mut(), 1, 0));
    fails!(hipErrorInvalidValue, hipHostRegister(address, 0, 0));
    fails!(hipErrorInvalidValue, hipHostGetFlags(&mut flags, address));
    ok!(hipFree(device));
}

#[test]
fn eight_threads() {
    const ROUNDS: u64 = 300;
    std::thread::scope(|scope| {
        for thread in 0..8_u64 {
            scope.spawn(move || {
                ok!(hipSetDevice((thread % 2) as i32));
                let stream = stream((thread / 2 % 2) as u32);
                for round in 0..ROUNDS {
                    let seed = thread * ROUNDS + round;
                    let size = 1 + (seed.wrapping_mul(0x9E37_79B9) % 50_000) as usize;
                    let bytes = pattern(size, seed);
                    let (a, b) = (malloc(size), malloc(size));
                    let mut back = vec![0_u8; size];
                    ok!(hipMemcpyAsync(a, bytes.as_ptr().cast(), size, H2D, stream));
                    ok!(hipMemcpyAsync(b, a, size, D2D, stream));
                    ok!(hipMemcpyAsync(back.as_mut_ptr().cast(), b, size, D2H, stream));
                    assert!(back == bytes, "thread {thread}, round {round}");
                    ok!(hipFree(a));
                    ok!(hipFree(b));
                }
                ok!(hipStreamDestroy(stream));
            });
        }
    });
}

#[test]
fn free_memory_is_counted() {
    let (mut free, mut total) = (0, 0);
    ok!(hipMemGetInfo(&mut free, &mut total));
    assert!(free <= total && total == 8 << 30);
    let address = malloc(1 << 30);
    assert!(used() >= 1 << 30);
    ok!(hipFree(address));
}
