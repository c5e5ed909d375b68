//! A process exits cleanly while streams have work and memory is allocated.

mod runtime_common;

use runtime_common::*;
use std::ffi::c_void;
use std::process::{Command, Output, Stdio};
use std::ptr;
use std::time::{Duration, Instant};

const SCENE: &str = "CANDLE_ROCM_HOST_TEST_EXIT";

/// Runs this file's tests in a process of their own, where [`scene`] plays the scene.
fn play(scene: &str) -> Output {
    let began = Instant::now();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["scene", "--exact", "--nocapture", "--test-threads=1"])
        .env(SCENE, scene)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(600) {
            child.kill().unwrap();
            panic!("{scene}: hangs at exit");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

/// Leaves things behind, if told to.
#[test]
fn scene() {
    let Ok(scene) = std::env::var(SCENE) else { return };
    unsafe extern "C" fn sleep(milliseconds: *mut c_void) {
        std::thread::sleep(Duration::from_millis(milliseconds as u64));
    }
    let sleep_for = |milliseconds: usize, stream| {
        ok!(hipLaunchHostFunc(stream, Some(sleep), ptr::without_provenance_mut(milliseconds)));
    };
    match scene.as_str() {
        "memory" => {
            malloc(1000);
            malloc(5 << 20);
            malloc_host(1000);
            event();
        }
        "queued" => {
            let streams = [stream(0), stream(1), NULL];
            let memory = malloc(1 << 20);
            for _ in 0..1000 {
                for stream in streams {
                    sleep_for(1, stream);
                    ok!(hipMemsetAsync(memory, 0, 1 << 20, stream));
                }
            }
        }
        "stuck" => sleep_for(1_000_000, stream(0)),
        "guard" => {
            let memory = malloc(10);
            ok!(hipMemset(memory, 0, 10));
            // SAFETY: the guard zone belongs to the allocation.
            unsafe { memory.cast::<u8>().add(10).write(0) };
        }
        "exit from a stream" => {
            unsafe extern "C" fn exit(_: *mut c_void) {
                std::process::exit(7);
            }
            let stream = stream(0);
            ok!(hipLaunchHostFunc(stream, Some(exit), ptr::null_mut()));
            loop {
                std::thread::park();
            }
        }
        other => panic!("no scene {other}"),
    }
}

#[test]
fn with_memory_left() {
    assert!(play("memory").status.success());
}

#[test]
fn with_work_queued() {
    assert!(play("queued").status.success());
}

#[test]
fn with_a_stream_that_never_ends() {
    assert!(play("stuck").status.success());
}

#[test]
fn writes_outside_are_still_reported() {
    let output = play("guard");
    assert!(output.status.success());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("1 bytes were written outside an allocation of 10 bytes"), "{stderr}");
}

#[test]
fn from_a_callback() {
    assert_eq!(play("exit from a stream").status.code(), Some(7));
}
