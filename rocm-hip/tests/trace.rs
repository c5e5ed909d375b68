//! The trace: what is in it, when, and that it ends well.

mod common;

use std::path::Path;

use rocm_hip::{LaunchConfig, Queue, trace};
use serde_json::Value;

use common::{in_child, queues, queues_without_kernels};

const SOURCE: &str = r#"
extern "C" __global__ void slow(size_t n, float *x) {
    for (int i = 0; i < 1000; i++) x[threadIdx.x] = x[threadIdx.x] * 0.5f + 1.0f;
}
"#;

fn launch(queue: &Queue, buffer: &mut rocm_hip::Buffer<f32>) {
    let module = queue.device().compile("slow", SOURCE).unwrap();
    let slow = module.function("slow").unwrap();
    // SAFETY: the arguments are the kernel's, and there are as many threads as elements.
    unsafe { queue.launch(&slow).arg(&64usize).buffer_mut(buffer, 0).run(LaunchConfig::linear(1, 64)) }
        .unwrap();
}

/// The file's events, by a strict parser.
fn events(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn slices<'a>(events: &'a [Value], category: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["ph"] == "X" && event["cat"] == category).collect()
}

fn start(slice: &Value) -> f64 {
    slice["ts"].as_f64().unwrap()
}

fn end(slice: &Value) -> f64 {
    start(slice) + slice["dur"].as_f64().unwrap()
}

#[test]
fn kernels_copies_and_waits_are_in_it() {
    // The trace is the process's.
    if !in_child("kernels_copies_and_waits_are_in_it", &[]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (index, queue) in queues().iter().enumerate() {
        let path = folder.path().join(format!("{index}.json"));
        let mut buffer = queue.upload(&[1f32; 64]).unwrap();
        launch(queue, &mut buffer);
        queue.synchronize().unwrap();

        trace::start(&path).unwrap();
        assert!(self::events(&path).is_empty());
        let span = trace::span("layer", || "first".to_owned());
        launch(queue, &mut buffer);
        launch(queue, &mut buffer);
        drop(span);
        launch(queue, &mut buffer);
        queue.download(&buffer).unwrap();
        // Before the trace is stopped: a process may end at any time.
        let events = events(&path);
        trace::stop();
        launch(queue, &mut buffer);
        queue.synchronize().unwrap();
        assert_eq!(events.len(), self::events(&path).len(), "nothing after the end");

        let kernels = slices(&events, "kernel");
        assert_eq!(kernels.len(), 3);
        for kernel in &kernels {
            assert_eq!(kernel["name"], "slow");
            assert_eq!(kernel["args"]["block"], serde_json::json!([64, 1, 1]));
        }
        let operations: Vec<_> = kernels.iter().map(|kernel| kernel["args"]["operation"].as_str()).collect();
        assert_eq!(operations, [Some("layer first"), Some("layer first"), None]);
        let copies = slices(&events, "copy");
        assert_eq!(copies.len(), 1);
        assert_eq!((&copies[0]["name"], &copies[0]["args"]["bytes"]), (&"download".into(), &256.into()));
        // In the order of the stream, and inside the time of the host's calls.
        let order = [kernels, copies].concat();
        for pair in order.windows(2) {
            assert!(start(pair[1]) >= end(pair[0]) - 1.0, "{pair:?}");
        }
        // Modules wait for the device before they are unloaded.
        let mut waits = slices(&events, "wait");
        waits.retain(|wait| wait["args"]["what"].as_str().unwrap().contains('#'));
        assert_eq!(waits.len(), 1);
        assert!(end(order[3]) <= end(waits[0]) + 100.0, "{order:?} {waits:?}");
        let spans = slices(&events, "span");
        assert_eq!((spans.len(), &spans[0]["name"]), (1, &"layer".into()));
        assert!(start(order[0]) >= start(spans[0]) - 100.0, "{order:?} {spans:?}");
        // Each row has a name.
        for slice in events.iter().filter(|event| event["ph"] == "X") {
            let named = |event: &&Value| {
                event["name"] == "thread_name" && event["pid"] == slice["pid"] && event["tid"] == slice["tid"]
            };
            assert_eq!(events.iter().filter(named).count(), 1, "{slice}");
        }
    }
}

/// One thread copies while there is a trace: slices of a row do not overlap.
#[test]
fn pieces_of_an_upload_follow_each_other() {
    if !in_child("pieces_of_an_upload_follow_each_other", &[]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (index, queue) in queues_without_kernels().iter().enumerate() {
        let path = folder.path().join(format!("{index}.json"));
        trace::start(&path).unwrap();
        queue.upload(&vec![1u8; 40 << 20]).unwrap();
        queue.synchronize().unwrap();
        trace::stop();
        let events = events(&path);
        let copies = slices(&events, "copy");
        assert_eq!(copies.len(), 10);
        for pair in copies.windows(2) {
            assert!(start(pair[1]) >= end(pair[0]) - 1.0, "{pair:?}");
        }
    }
}

#[test]
fn the_environment_starts_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("%p.json").display().to_string();
    if in_child("the_environment_starts_it", &[("CANDLE_ROCM_TRACE", Some(&path))]) {
        let queue = queues_without_kernels().remove(0);
        queue.download(&queue.upload(&[1u8]).unwrap()).unwrap();
        assert!(trace::is_on());
        return;
    }
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    assert!(file.file_stem().unwrap().to_str().unwrap().parse::<u32>().is_ok(), "{}", file.display());
    assert_eq!(slices(&events(file), "copy").len(), 2);
}

/// Streams of all devices, threads, waits for streams and for devices: after each wait, and after an exit in the middle of it all.
#[test]
fn the_file_is_complete_after_every_wait_and_at_exit() {
    const NAME: &str = "the_file_is_complete_after_every_wait_and_at_exit";
    const THREADS: usize = 4;
    const ROUNDS: usize = 50;
    const FOLDER: &str = "TRACE_FOLDER";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let path = Path::new(&folder).join("trace.json");
        let mut queues: Vec<_> = (0..THREADS).flat_map(|_| queues_without_kernels()).collect();
        queues.truncate(THREADS);
        trace::start(&path).unwrap();
        std::thread::scope(|scope| {
            for queue in &queues {
                scope.spawn(|| {
                    for round in 0..ROUNDS {
                        let span = trace::span("round", || format!("\"{round}\"\n\\"));
                        let buffer = queue.upload(&[round as u32; 100]).unwrap();
                        drop(span);
                        match round % 2 {
                            0 => queue.synchronize().unwrap(),
                            _ => queue.device().synchronize().unwrap(),
                        }
                        drop(buffer);
                    }
                });
            }
        });
        let seen = events(&path);
        assert_eq!(slices(&seen, "copy").len(), THREADS * ROUNDS);
        assert_eq!(slices(&seen, "wait").len(), THREADS * ROUNDS);
        let buffer = queues[0].upload(&[1u8; 10]).unwrap();
        queues[0].device().synchronize().unwrap();
        assert_eq!(slices(&events(&path), "copy").len(), THREADS * ROUNDS + 1, "after a wait for a device");
        // What nobody waits for, and no end of the trace.
        for round in 0..1000 {
            drop(trace::span("last", || round.to_string()));
        }
        drop(buffer);
        std::process::exit(0);
    }
    if queues_without_kernels().is_empty() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args([NAME, "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{}\n{}\n{stderr}",
        output.status,
        String::from_utf8_lossy(&output.stdout)
    );
    let events = events(&folder.path().join("trace.json"));
    let spans = slices(&events, "span");
    assert_eq!(spans.iter().filter(|span| span["name"] == "last").count(), 1000);
    assert_eq!(spans.iter().filter(|span| span["name"] == "round").count(), THREADS * ROUNDS);
}

/// What a process writes that is killed ends with whole events.
#[cfg(unix)]
#[test]
fn a_killed_process_leaves_an_array() {
    const FOLDER: &str = "TRACE_FOLDER_OF_THE_KILLED";
    if let Some(folder) = std::env::var_os(FOLDER) {
        trace::start(Path::new(&folder).join("trace.json")).unwrap();
        for round in 0..10_000 {
            drop(trace::span("lost", || round.to_string()));
        }
        // SAFETY: ends the process, with no handler run.
        unsafe { libc::_exit(0) };
    }
    let folder = tempfile::tempdir().unwrap();
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["a_killed_process_leaves_an_array", "--exact", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder.path())
        .status()
        .unwrap();
    assert!(status.success());
    // Part of them: the rest was not written yet.
    let spans = slices(&events(&folder.path().join("trace.json")), "span").len();
    assert!((1..10_000).contains(&spans), "{spans}");
}

/// A child has the parent's trace, with events that are not written yet: they must not be written twice.
#[cfg(unix)]
#[test]
fn a_forked_child_leaves_the_file_alone() {
    if !in_child("a_forked_child_leaves_the_file_alone", &[]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    let Some(queue) = queues_without_kernels().into_iter().next() else { return };
    trace::start(&path).unwrap();
    drop(trace::span("parent", String::new));
    // SAFETY: the child traces, asks for a trace of its own, and exits.
    match unsafe { libc::fork() } {
        0 => {
            (0..10_000).for_each(|round| drop(trace::span("child", || round.to_string())));
            trace::stop();
            let refused = trace::start(folder.path().join("child.json")).is_err();
            std::process::exit(if refused { 0 } else { 1 });
        }
        child => {
            let mut status = 0;
            // SAFETY: the child is ours.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert_eq!(status, 0);
        }
    }
    queue.synchronize().unwrap();
    let events = events(&path);
    let names: Vec<_> = slices(&events, "span").iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["parent"]);
}

#[test]
fn a_file_that_cannot_be_made_is_an_error() {
    let bad = [("CANDLE_ROCM_TRACE", Some("/no/such/folder/trace.json"))];
    if !in_child("a_file_that_cannot_be_made_is_an_error", &bad) {
        return;
    }
    let error = rocm_hip::Runtime::get(common::HOST).unwrap_err().to_string();
    assert!(
        error.contains("CANDLE_ROCM_TRACE") && error.contains("not a file that can be written"),
        "{error}"
    );
}
