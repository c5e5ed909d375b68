//! Streams and events: what runs when, and what waits for what.

mod runtime_common;

use runtime_common::*;
use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const NON_BLOCKING: u32 = 1;
const LEGACY: hipStream_t = ptr::without_provenance_mut(1);
const PER_THREAD: hipStream_t = ptr::without_provenance_mut(2);

/// What a stream has done so far, one byte each.
fn log() -> &'static Mutex<Vec<u8>> {
    Box::leak(Box::default())
}

/// Queues a function that notes a byte.
fn note(log: &'static Mutex<Vec<u8>>, byte: u8, stream: hipStream_t) {
    struct Note(&'static Mutex<Vec<u8>>, u8);
    unsafe extern "C" fn write(note: *mut c_void) {
        // SAFETY: `note` passed a box of its own.
        let note = unsafe { Box::from_raw(note.cast::<Note>()) };
        note.0.lock().unwrap().push(note.1);
    }
    ok!(hipLaunchHostFunc(stream, Some(write), Box::into_raw(Box::new(Note(log, byte))).cast()));
}

fn noted(log: &Mutex<Vec<u8>>) -> Vec<u8> {
    log.lock().unwrap().clone()
}

#[test]
fn copies_are_queued() {
    let _alone = exclusive();
    let stream = stream(0);
    let (device, pinned, back) = (malloc(4), malloc_host(4), malloc_host(4));
    ok!(hipMemset(device, 0, 4));
    // SAFETY: pinned memory of four bytes; so below.
    unsafe { pinned.cast::<u32>().write(1) };
    let gate = gate();
    gate.block(stream);
    ok!(hipMemcpyAsync(device, pinned, 4, H2D, stream));
    ok!(hipMemcpyAsync(back, device, 4, D2H, stream));
    fails!(hipErrorNotReady, hipStreamQuery(stream));
    // The copies have not run: what changes now is what is copied.
    // SAFETY: as above.
    unsafe {
        pinned.cast::<u32>().write(2);
        back.cast::<u32>().write(3);
    }
    gate.open();
    ok!(hipStreamSynchronize(stream));
    ok!(hipStreamQuery(stream));
    // SAFETY: as above.
    assert_eq!(unsafe { back.cast::<u32>().read() }, 2);
    ok!(hipStreamDestroy(stream));
    ok!(hipHostFree(pinned));
    ok!(hipHostFree(back));
    ok!(hipFree(device));
}

#[test]
fn pageable_sources_are_staged() {
    let _alone = exclusive();
    let stream = stream(0);
    let device = malloc(4);
    let gate = gate();
    gate.block(stream);
    let mut host = 1_u32;
    ok!(hipMemcpyAsync(device, ptr::from_ref(&host).cast(), 4, H2D, stream));
    host += 1;
    gate.open();
    ok!(hipStreamSynchronize(stream));
    assert_eq!(download(device, 4), 1_u32.to_ne_bytes());
    assert_eq!(host, 2);

    // Too large to stage: complete when the call returns.
    let mut large = pattern(10 << 20, 1);
    let expected = large.clone();
    let target = malloc(large.len());
    ok!(hipMemcpyAsync(target, large.as_ptr().cast(), large.len(), H2D, stream));
    large.fill(0);
    assert!(download(target, large.len()) == expected);
    // So are copies to pageable memory.
    ok!(hipMemcpyAsync(large.as_mut_ptr().cast(), target, large.len(), D2H, stream));
    assert!(large == expected);
    ok!(hipStreamDestroy(stream));
    ok!(hipFree(device));
    ok!(hipFree(target));
}

#[test]
fn a_stream_runs_in_order() {
    let _alone = exclusive();
    for flags in [0, NON_BLOCKING] {
        let (stream, log) = (stream(flags), log());
        for byte in 0..100 {
            note(log, byte, stream);
        }
        ok!(hipStreamSynchronize(stream));
        assert_eq!(noted(log), (0..100).collect::<Vec<_>>());
        ok!(hipStreamDestroy(stream));
    }
}

#[test]
fn streams_do_not_wait_for_each_other() {
    let _alone = exclusive();
    let (held, free, log, gate) = (stream(0), stream(0), log(), gate());
    gate.block(held);
    note(log, 1, held);
    note(log, 2, free);
    ok!(hipStreamSynchronize(free));
    assert_eq!(noted(log), [2]);
    gate.open();
    ok!(hipDeviceSynchronize());
    assert_eq!(noted(log), [2, 1]);
    ok!(hipStreamDestroy(held));
    ok!(hipStreamDestroy(free));
}

#[test]
fn the_null_stream_keeps_step_with_blocking_streams() {
    let _alone = exclusive();
    for null in [NULL, LEGACY] {
        let (blocking, independent, log, gate) = (stream(0), stream(NON_BLOCKING), log(), gate());
        gate.block(blocking);
        note(log, 1, blocking);
        note(log, 2, null);
        // Behind the null stream, which is behind the other blocking stream.
        let late = stream(0);
        note(log, 3, late);
        note(log, 4, independent);
        ok!(hipStreamSynchronize(independent));
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(noted(log), [4]);
        fails!(hipErrorNotReady, hipStreamQuery(null));
        fails!(hipErrorNotReady, hipStreamQuery(late));
        gate.open();
        ok!(hipStreamSynchronize(late));
        assert_eq!(noted(log), [4, 1, 2, 3]);
        ok!(hipStreamSynchronize(null));
        for stream in [blocking, independent, late] {
            ok!(hipStreamDestroy(stream));
        }
    }
}

#[test]
fn synchronising_the_null_stream_waits_for_blocking_streams() {
    let _alone = exclusive();
    let (blocking, independent, log, gate) = (stream(0), stream(NON_BLOCKING), log(), gate());
    gate.block(independent);
    note(log, 9, independent);
    for byte in 0..20 {
        note(log, byte, blocking);
    }
    ok!(hipStreamSynchronize(NULL));
    assert_eq!(noted(log), (0..20).collect::<Vec<_>>());
    gate.open();
    ok!(hipDeviceSynchronize());
    assert_eq!(noted(log).last(), Some(&9));
    ok!(hipStreamDestroy(blocking));
    ok!(hipStreamDestroy(independent));
}

#[test]
fn a_synchronous_copy_waits_for_queued_work() {
    let _alone = exclusive();
    let (stream, device, gate) = (stream(0), malloc(1), gate());
    ok!(hipMemset(device, 1, 1));
    gate.block(stream);
    ok!(hipMemsetAsync(device, 2, 1, stream));
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(20));
        gate.open();
    });
    assert_eq!(download(device, 1), [2]);
    ok!(hipStreamDestroy(stream));
    ok!(hipFree(device));
}

#[test]
fn freeing_waits_for_queued_work() {
    let _alone = exclusive();
    static DONE: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn slow(_: *mut c_void) {
        std::thread::sleep(Duration::from_millis(20));
        DONE.fetch_add(1, Ordering::SeqCst);
    }
    for flags in [0, NON_BLOCKING] {
        let (stream, device) = (stream(flags), malloc(1));
        let before = DONE.load(Ordering::SeqCst);
        ok!(hipLaunchHostFunc(stream, Some(slow), ptr::null_mut()));
        ok!(hipFree(device));
        assert_eq!(DONE.load(Ordering::SeqCst), before + 1);
        ok!(hipStreamDestroy(stream));
    }
}

#[test]
fn a_destroyed_stream_finishes_its_work() {
    let _alone = exclusive();
    let (stream, log, gate) = (stream(0), log(), gate());
    gate.block(stream);
    note(log, 1, stream);
    ok!(hipStreamDestroy(stream));
    assert_eq!(noted(log), []);
    gate.open();
    ok!(hipDeviceSynchronize());
    assert_eq!(noted(log), [1]);
    for code in [
        call!(hipStreamSynchronize(stream)),
        call!(hipStreamQuery(stream)),
        call!(hipStreamDestroy(stream)),
        call!(hipMemcpyAsync(ptr::dangling_mut(), ptr::dangling(), 1, D2D, stream)),
        call!(hipEventRecord(event(), stream)),
    ] {
        assert_eq!(code, hipError_t::hipErrorContextIsDestroyed);
    }
    fails!(hipErrorInvalidHandle, hipStreamDestroy(NULL));
    fails!(hipErrorInvalidHandle, hipStreamDestroy(LEGACY));
    fails!(hipErrorInvalidHandle, hipStreamDestroy(PER_THREAD));
    let garbage: hipStream_t = ptr::without_provenance_mut(0xDEAD_BEEF);
    fails!(hipErrorContextIsDestroyed, hipStreamSynchronize(garbage));
    fails!(hipErrorContextIsDestroyed, hipStreamDestroy(garbage));
}

#[test]
fn what_a_stream_is() {
    let (mut flags, mut priority, mut device) = (9, 9, 9);
    ok!(hipSetDevice(1));
    let mut stream = ptr::null_mut();
    ok!(hipStreamCreateWithPriority(&mut stream, NON_BLOCKING, -50));
    ok!(hipStreamGetFlags(stream, &mut flags));
    ok!(hipStreamGetPriority(stream, &mut priority));
    ok!(hipStreamGetDevice(stream, &mut device));
    assert_eq!((flags, priority, device), (NON_BLOCKING, -1, 1));
    assert_eq!(call!(hipGetStreamDeviceId(stream)), 1);
    ok!(hipStreamDestroy(stream));
    fails!(hipErrorInvalidHandle, hipStreamGetFlags(stream, &mut flags));
    fails!(hipErrorInvalidValue, hipStreamGetFlags(NULL, &mut flags));
    assert_eq!(call!(hipGetStreamDeviceId(stream)), -1);
    fails!(hipErrorInvalidValue, hipStreamCreateWithFlags(&mut stream, 2));
    fails!(hipErrorInvalidValue, hipStreamCreate(ptr::null_mut()));
    let (mut least, mut greatest) = (0, 0);
    ok!(hipDeviceGetStreamPriorityRange(&mut least, &mut greatest));
    assert_eq!((least, greatest), (1, -1));
}

#[test]
fn per_thread_streams() {
    let _alone = exclusive();
    let (log, gate) = (log(), gate());
    gate.block(PER_THREAD);
    note(log, 1, PER_THREAD);
    // Another thread has another stream, which is destroyed with the thread.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            note(log, 2, PER_THREAD);
            ok!(hipStreamSynchronize(PER_THREAD));
            assert_eq!(noted(log), [2]);
            note(log, 3, PER_THREAD);
        });
    });
    gate.open();
    ok!(hipDeviceSynchronize());
    assert_eq!(noted(log).len(), 3);
    // Another device, another stream.
    ok!(hipSetDevice(1));
    let mut device = -1;
    ok!(hipStreamGetDevice(PER_THREAD, &mut device));
    assert_eq!(device, 1);
}

#[test]
fn events_mark_a_place() {
    let _alone = exclusive();
    let (stream, first, second, gate) = (stream(0), event(), event(), gate());
    // Never recorded: complete, but without a time.
    ok!(hipEventQuery(first));
    ok!(hipEventSynchronize(first));
    let mut elapsed = 0.0;
    fails!(hipErrorInvalidHandle, hipEventElapsedTime(&mut elapsed, first, second));
    ok!(hipEventRecord(first, stream));
    gate.block(stream);
    ok!(hipEventRecord(second, stream));
    ok!(hipEventSynchronize(first));
    fails!(hipErrorNotReady, hipEventQuery(second));
    fails!(hipErrorNotReady, hipEventElapsedTime(&mut elapsed, first, second));
    std::thread::sleep(Duration::from_millis(5));
    gate.open();
    ok!(hipEventSynchronize(second));
    ok!(hipEventElapsedTime(&mut elapsed, first, second));
    assert!(elapsed >= 5.0, "the gate was closed for 5 ms between the events: {elapsed}");
    let forward = elapsed;
    ok!(hipEventElapsedTime(&mut elapsed, second, first));
    assert_eq!(elapsed, -forward);
    ok!(hipEventElapsedTime(&mut elapsed, first, first));
    assert_eq!(elapsed, 0.0);
    // Recorded again: the later position counts.
    ok!(hipEventRecord(first, stream));
    ok!(hipEventSynchronize(first));
    ok!(hipEventElapsedTime(&mut elapsed, second, first));
    assert!(elapsed >= 0.0);
    ok!(hipEventDestroy(first));
    ok!(hipEventDestroy(second));
    ok!(hipStreamDestroy(stream));
}

#[test]
fn events_order_streams() {
    let _alone = exclusive();
    // The second stream is on another device: events reach across.
    for device in [0, 1] {
        ok!(hipSetDevice(0));
        let (log, gate, done) = (log(), gate(), event());
        let first = stream(NON_BLOCKING);
        ok!(hipSetDevice(device));
        let second = stream(NON_BLOCKING);
        gate.block(first);
        note(log, 1, first);
        ok!(hipEventRecord(done, first));
        ok!(hipStreamWaitEvent(second, done, 0));
        note(log, 2, second);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(noted(log), []);
        // Recording it again or destroying it does not affect streams that already wait.
        ok!(hipEventRecord(done, first));
        ok!(hipEventDestroy(done));
        gate.open();
        ok!(hipStreamSynchronize(second));
        assert_eq!(noted(log), [1, 2]);
        // An event that was never recorded does not block.
        let never = event();
        ok!(hipStreamWaitEvent(second, never, 0));
        ok!(hipStreamSynchronize(second));
        ok!(hipStreamDestroy(first));
        ok!(hipStreamDestroy(second));
    }
    ok!(hipSetDevice(0));
}

#[test]
fn events_that_are_refused() {
    let mut untimed = ptr::null_mut();
    ok!(hipEventCreateWithFlags(&mut untimed, 2));
    let timed = event();
    ok!(hipEventRecord(untimed, NULL));
    ok!(hipEventRecord(timed, NULL));
    ok!(hipEventSynchronize(timed));
    let mut elapsed = 0.0;
    fails!(hipErrorInvalidHandle, hipEventElapsedTime(&mut elapsed, timed, untimed));
    fails!(hipErrorInvalidValue, hipEventElapsedTime(ptr::null_mut(), timed, timed));
    ok!(hipSetDevice(1));
    let elsewhere = stream(0);
    fails!(hipErrorInvalidHandle, hipEventRecord(timed, elsewhere));
    let other = event();
    ok!(hipEventRecord(other, elsewhere));
    ok!(hipEventSynchronize(other));
    fails!(hipErrorInvalidHandle, hipEventElapsedTime(&mut elapsed, timed, other));
    ok!(hipStreamDestroy(elsewhere));
    ok!(hipSetDevice(0));

    let mut event = ptr::null_mut();
    // An unknown flag, two kinds of release, timing between processes.
    for flags in [0x8, 0x6000_0000, 0x4] {
        fails!(hipErrorInvalidValue, hipEventCreateWithFlags(&mut event, flags));
    }
    ok!(hipEventDestroy(timed));
    fails!(hipErrorContextIsDestroyed, hipEventDestroy(timed));
    fails!(hipErrorInvalidHandle, hipEventDestroy(ptr::null_mut()));
    fails!(hipErrorInvalidHandle, hipEventRecord(timed, NULL));
    fails!(hipErrorInvalidHandle, hipEventQuery(ptr::null_mut()));
    fails!(hipErrorInvalidHandle, hipStreamWaitEvent(NULL, timed, 0));
    fails!(hipErrorInvalidValue, hipStreamWaitEvent(NULL, untimed, 2));
}

#[test]
fn callbacks() {
    let _alone = exclusive();
    type Seen = Mutex<Vec<(usize, hipError_t, hipError_t)>>;
    unsafe extern "C" fn callback(stream: hipStream_t, status: hipError_t, seen: *mut c_void) {
        // Waiting for the device from inside its stream would deadlock: refused.
        let waiting = call!(hipDeviceSynchronize());
        // SAFETY: the test passed this.
        let seen = unsafe { &*seen.cast::<Seen>() };
        seen.lock().unwrap().push((stream as usize, status, waiting));
    }
    let stream = stream(0);
    let seen: &'static Seen = Box::leak(Box::default());
    let data = ptr::from_ref(seen).cast_mut().cast::<c_void>();
    ok!(hipStreamAddCallback(stream, Some(callback), data, 0));
    ok!(hipStreamSynchronize(stream));
    let expected = [(stream as usize, hipError_t::hipSuccess, hipError_t::hipErrorNotSupported)];
    assert_eq!(*seen.lock().unwrap(), expected);
    fails!(hipErrorInvalidValue, hipStreamAddCallback(stream, None, data, 0));
    fails!(hipErrorInvalidValue, hipStreamAddCallback(stream, Some(callback), data, 1));
    fails!(hipErrorInvalidValue, hipLaunchHostFunc(stream, None, data));
    ok!(hipStreamDestroy(stream));
}

#[test]
fn many_threads_on_one_stream_and_on_the_null_stream() {
    let _alone = exclusive();
    static COUNT: AtomicU32 = AtomicU32::new(0);
    unsafe extern "C" fn count(_: *mut c_void) {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
    let shared = stream(0) as usize;
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                let own = stream(thread % 2);
                for i in 0..500_u32 {
                    let stream = [own, shared as hipStream_t, NULL, PER_THREAD][(i % 4) as usize];
                    ok!(hipLaunchHostFunc(stream, Some(count), ptr::null_mut()));
                    if i % 50 == 0 {
                        ok!(hipStreamSynchronize(stream));
                    }
                }
                ok!(hipStreamDestroy(own));
            });
        }
    });
    ok!(hipDeviceSynchronize());
    assert_eq!(COUNT.load(Ordering::Relaxed), 8 * 500);
    ok!(hipStreamDestroy(shared as hipStream_t));
}
