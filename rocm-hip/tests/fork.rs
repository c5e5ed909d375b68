//! A forked child gets errors from a device that its parent opened, and never hangs: neither in calls, nor in drops, nor at
//! its end.
#![cfg(unix)]

mod common;
#[path = "common/fork.rs"]
mod forked;

use std::sync::atomic::{AtomicBool, Ordering};

use common::{HOST, in_child, open, queues};
use forked::in_fork;
use rocm_hip::{Event, HipError, LaunchConfig, Platform, Pool, Queue, Runtime, Stream, trace};

#[track_caller]
fn refused<T>(result: Result<T, HipError>) {
    match result.err() {
        Some(HipError::ForkedProcess { opened_by, process }) => {
            assert_eq!(process, std::process::id());
            assert_ne!(opened_by, process);
        }
        Some(other) => panic!("{other}"),
        None => panic!("no error"),
    }
}

#[test]
fn every_call_in_a_child_is_an_error() {
    if !in_child("every_call_in_a_child_is_an_error", &[]) {
        return;
    }
    for queue in queues() {
        let module = queue.device().compile("nothing", r#"extern "C" __global__ void nothing() {}"#).unwrap();
        let function = module.function("nothing").unwrap();
        let event = Event::new(queue.device()).unwrap();
        let mut x = queue.upload(&[1f32, 2., 3.]).unwrap();
        // SAFETY: it takes nothing.
        unsafe { queue.launch(&function).run(LaunchConfig::linear(1, 1)) }.unwrap();
        for handlers in [false, true] {
            let work = || {
                let platform = queue.device().platform();
                refused(Runtime::get(platform));
                refused(open(platform, 0));
                refused(Platform::from_env());
                refused(queue.device().runtime().device(0));
                refused(queue.device().runtime().device_count());
                refused(queue.device().runtime().compiler());
                refused(Pool::new(queue.stream()));
                refused(Queue::on(queue.stream().clone()));
                refused(queue.synchronize());
                refused(queue.device().synchronize());
                refused(queue.device().memory_info());
                refused(queue.alloc::<u8>(1));
                refused(queue.alloc_zeros::<u8>(1));
                refused(queue.upload(&[1u8]));
                refused(queue.upload_to(&[1f32], &mut x, 0));
                refused(queue.download(&x));
                refused(queue.copy_of(&x));
                refused(Queue::new(queue.device()));
                refused(queue.device().compile("again", ""));
                refused(queue.info(&[1, 2, 3]));
                refused(module.function("nothing"));
                refused(event.record(queue.stream()));
                refused(event.synchronize());
                refused(Event::new(queue.device()));
                refused(Stream::new(queue.device()));
                refused(queue.stream().synchronize());
                refused(queue.stream().is_idle());
                refused(queue.pool().empty_cache());
                // SAFETY: it takes nothing.
                refused(unsafe { queue.launch(&function).run(LaunchConfig::linear(1, 1)) });
                // SAFETY: as above.
                refused(unsafe { queue.launch(&function).info(&[2, 3]).run(LaunchConfig::linear(1, 1)) });
                let text = queue.synchronize().unwrap_err().to_string();
                assert!(text.contains("fork") && text.contains("spawn"), "{text}");
            };
            in_fork(work, handlers).unwrap();
        }
        // The parent goes on.
        assert_eq!(queue.download(&x).unwrap(), [1., 2., 3.]);
    }
}

#[test]
fn what_a_child_inherits_can_be_dropped() {
    if !in_child("what_a_child_inherits_can_be_dropped", &[]) {
        return;
    }
    for queue in queues() {
        let x = queue.upload(&vec![1f32; 1 << 20]).unwrap();
        let module = queue.device().compile("nothing", r#"extern "C" __global__ void nothing() {}"#).unwrap();
        let event = Event::new(queue.device()).unwrap();
        let mut all = Some((x, module, event, queue));
        for handlers in [false, true] {
            // In the parent the closure is dropped with all that is in it, so that stays here.
            in_fork(|| drop(all.take()), handlers).unwrap();
        }
        let (x, _, _, queue) = all.expect("the child took its own");
        assert_eq!(queue.download(&x).unwrap().len(), 1 << 20);
    }
}

/// Whatever lock another thread holds at the moment of the fork stays locked in the child.
#[test]
fn children_of_a_busy_parent_do_not_hang() {
    if !in_child("children_of_a_busy_parent_do_not_hang", &[]) {
        return;
    }
    for queue in queues() {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let work = || {
                while !stop.load(Ordering::Relaxed) {
                    let x = queue.upload(&[0u8; 5000]).unwrap();
                    let y = queue.alloc::<u8>(100_000).unwrap();
                    queue.download(&x).unwrap();
                    drop((x, y));
                    queue.pool().empty_cache().unwrap();
                }
            };
            for _ in 0..2 {
                scope.spawn(work);
            }
            let x = queue.upload(&[1u8, 2, 3]).unwrap();
            let mut all = Ok(());
            for round in 0..40 {
                let work = || {
                    refused(queue.upload(&[1u8]));
                    refused(queue.synchronize());
                    refused(queue.info(&[1, 2, 3]));
                    // What cannot return an error does nothing.
                    queue.pool().reset_peaks();
                    assert_eq!(queue.pool().stats().buffers, 0);
                    assert!(trace::start("nowhere").is_err());
                    trace::stop();
                    Platform::register(HOST);
                };
                all = all.and(in_fork(work, round % 2 == 0));
            }
            assert_eq!(queue.download(&x).unwrap(), [1, 2, 3]);
            stop.store(true, Ordering::Relaxed);
            all.unwrap();
        });
    }
}

#[test]
fn a_child_of_a_parent_without_a_device_opens_one() {
    if !in_child("a_child_of_a_parent_without_a_device_opens_one", &[]) {
        return;
    }
    let work = || {
        let queue = open(HOST, 0).unwrap();
        let x = queue.upload(&[1u8, 2, 3]).unwrap();
        assert_eq!(queue.download(&x).unwrap(), [1, 2, 3]);
    };
    in_fork(work, false).unwrap();
    in_fork(work, true).unwrap();
}

/// An exit waits for the compiler, in the process that has the thread which calls it.
#[test]
fn a_child_does_not_wait_for_what_its_parent_compiles() {
    if !in_child("a_child_does_not_wait_for_what_its_parent_compiles", &[]) {
        return;
    }
    let queue = open(HOST, 0).unwrap();
    let _calling = rocm_hip::stay().expect("nobody is exiting");
    let _compiling = rocm_hip::stay_compiling().expect("nobody is exiting");
    in_fork(|| refused(queue.synchronize()), true).unwrap();
}
