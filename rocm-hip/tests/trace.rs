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

/// The file's events; its array may be open.
fn events(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.strip_prefix("[\n").expect("an array").lines();
    lines.map(|line| serde_json::from_str(line.strip_suffix(',').expect("a comma")).unwrap()).collect()
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
        let waits = slices(&events, "wait");
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
