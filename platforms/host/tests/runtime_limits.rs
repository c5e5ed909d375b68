//! Devices with little memory, and other devices than the default.

mod runtime_common;

use runtime_common::*;
use std::ptr;

const MEMORY: usize = 1 << 20;

/// One test: the environment is read once, and has to be set before.
#[test]
fn little_memory_and_three_devices() {
    // SAFETY: no other thread of this test reads or writes the environment.
    unsafe {
        std::env::set_var("CANDLE_ROCM_HOST_MEMORY", MEMORY.to_string());
        std::env::set_var("CANDLE_ROCM_HOST_DEVICES", "64,64,32");
        std::env::set_var("CANDLE_ROCM_HOST_INTEGRATED", "on");
    }
    let mut count = 0;
    ok!(hipGetDeviceCount(&mut count));
    let waves = (0..count).map(|ordinal| {
        let mut wave = 0;
        ok!(hipDeviceGetAttribute(&mut wave, hipDeviceAttribute_t::hipDeviceAttributeWarpSize, ordinal));
        wave
    });
    assert_eq!(waves.collect::<Vec<_>>(), [64, 64, 32]);
    let mut integrated = 0;
    ok!(hipDeviceGetAttribute(&mut integrated, hipDeviceAttribute_t::hipDeviceAttributeIntegrated, 0));
    assert_eq!(integrated, 1);

    let info = || {
        let (mut free, mut total) = (0, 0);
        ok!(hipMemGetInfo(&mut free, &mut total));
        (free, total)
    };
    assert_eq!(info(), (MEMORY, MEMORY));
    let mut address = ptr::null_mut();
    for too_much in [MEMORY + 1, 1 << 40, usize::MAX] {
        fails!(hipErrorOutOfMemory, hipMalloc(&mut address, too_much));
    }
    assert_eq!(info(), (MEMORY, MEMORY));

    // Down to the last byte, in pieces of 256, and back.
    let pieces = std::iter::from_fn(|| {
        let mut address = ptr::null_mut();
        match call!(hipMalloc(&mut address, 1000)) {
            hipError_t::hipSuccess => Some(address),
            code => {
                assert_eq!(code, hipError_t::hipErrorOutOfMemory);
                None
            }
        }
    });
    let pieces = pieces.collect::<Vec<_>>();
    assert_eq!(pieces.len(), MEMORY / 1024);
    assert_eq!(info(), (0, MEMORY));
    fails!(hipErrorOutOfMemory, hipMalloc(&mut address, 1));
    // Memory of another device, and of the host, is not this one's.
    ok!(hipSetDevice(1));
    assert_eq!(info(), (MEMORY, MEMORY));
    ok!(hipSetDevice(0));
    let pinned = malloc_host(2 * MEMORY);
    ok!(hipHostFree(pinned));
    pieces.into_iter().for_each(|address| ok!(hipFree(address)));
    assert_eq!(info(), (MEMORY, MEMORY));

    // Threads that compete for the last bytes never get more than there is.
    let got = std::thread::scope(|scope| {
        let threads = (0..8).map(|_| {
            scope.spawn(|| {
                let mut got = 0;
                for _ in 0..MEMORY / 4096 {
                    let mut address = ptr::null_mut();
                    got += usize::from(call!(hipMalloc(&mut address, 4096)) == hipError_t::hipSuccess);
                }
                got
            })
        });
        threads.collect::<Vec<_>>().into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
    });
    assert_eq!(got, MEMORY / 4096);
    ok!(hipDeviceReset());
    assert_eq!(info(), (MEMORY, MEMORY));
}
