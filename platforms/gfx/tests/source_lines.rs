//! Reports of faults name the source.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use common::Process;
use rocm_hip::{LaunchConfig, Module, Queue};

/// The store is in line 2, and inlined into line 5.
const SOURCE: &str = r#"__device__ void put(unsigned *at, unsigned value) {
    *at = value;
}
extern "C" __global__ void stray(unsigned *numbers) {
    put(numbers + (1ull << 40) + threadIdx.x, 7);
}
"#;

#[test]
fn a_fault_names_its_line() {
    match common::in_child("a_fault_names_its_line", "gfx1100,gfx942") {
        Process::This => common::queues().iter().for_each(stray),
        Process::Child(report) => check(&report),
        Process::None => {}
    }
}

fn stray(queue: &Queue) {
    let module = Module::load(queue.device(), "stray", common::code(queue, "stray", SOURCE)).unwrap();
    let stray = module.function("stray").unwrap();
    let mut numbers = queue.alloc_zeros::<u32>(64).unwrap();
    // SAFETY: the platform stops the kernel before it writes.
    let launched =
        unsafe { queue.launch(&stray).buffer_mut(&mut numbers, 0).run(LaunchConfig::linear(1, 64)) };
    launched.unwrap();
    queue.synchronize().unwrap_err();
}

fn check(report: &str) {
    let lines: Vec<&str> = report.lines().filter(|line| line.contains("kernel stray")).collect();
    for line in &lines {
        assert!(line.starts_with("candle-rocm-gfx: device "), "{line}");
        assert!(line.contains(", stray.hip:2, inlined into stray.hip:5: "), "{line}");
        assert!(line.contains("which is in no allocation"), "{line}");
    }
    assert_eq!(lines.len(), 2, "{report}");
}
