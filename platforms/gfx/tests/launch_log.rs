//! What is recorded of a program's launches.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use candle_rocm_gfx::time;
use common::Process;
use rocm_hip::{Buffer, Function, LaunchConfig, Module, Queue};
use rocm_kernels::cards::Card;

/// Adds, to as many numbers as `shape` says.
const SOURCE: &str = r#"
extern "C" __global__ void add(unsigned *to, const unsigned *from, const unsigned *shape, unsigned value) {
    unsigned at = blockIdx.x * 64 + threadIdx.x;
    if (at < shape[0]) to[at] = from[at] + value;
}
"#;

#[test]
fn equal_launches_are_recorded_once() {
    match common::in_child("equal_launches_are_recorded_once", "gfx1100,gfx942") {
        Process::This => common::queues().iter().zip(["RX 7900 XTX", "MI300X"]).for_each(record),
        Process::Child(_) | Process::None => {}
    }
}

fn record((queue, card): (&Queue, &str)) {
    let card = Card::find(card).unwrap();
    let module = Module::load(queue.device(), "log", common::code(queue, "log", SOURCE)).unwrap();
    let add = module.function("add").unwrap();
    let count = 1 << 20;
    let mut buffers: Vec<Buffer<u32>> = (0..4).map(|_| queue.alloc_zeros(count).unwrap()).collect();
    let [whole, half] = [count as u32, count as u32 / 2].map(|count| queue.upload(&[count]).unwrap());
    let mut launch = |to: usize, shape: &Buffer<u32>, value: u32| {
        let (to, from) = buffers.split_at_mut(to + 1);
        let blocks = (count / 64) as u32;
        run(queue, &add, (to.last_mut().unwrap(), &from[0], shape), value, blocks);
    };

    time::start(card, 10_000);
    launch(0, &whole, 1);
    // Other buffers of the same size.
    launch(1, &whole, 1);
    // Another argument, and another content of a buffer.
    launch(2, &whole, 2);
    launch(2, &half, 1);
    queue.synchronize().unwrap();
    time::pause(true);
    launch(2, &half, 7);
    queue.synchronize().unwrap();
    time::pause(false);
    let log = time::take();
    assert_eq!(log.launches().len(), 4);
    let mut distinct: Vec<_> = log.launches().map(std::ptr::from_ref).collect();
    assert_eq!(distinct[0], distinct[1]);
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 3);
    // Four large buffers, and what two launches read of the shapes, which lie in one slab.
    let bytes = log.bytes(card) - 4 * 4 * count as u64;
    assert!((64..=1 << 16).contains(&bytes), "{bytes}");

    // What was known before is so when it is launched again.
    launch(0, &whole, 1);
    queue.synchronize().unwrap();
    let log = time::finish();
    assert_eq!(log.launches().len(), 1);
    assert_eq!(log.predict(card, 0).len(), 1);

    // Now launches run again, as a whole.
    launch(0, &whole, 5);
    queue.synchronize().unwrap();
    assert_eq!(queue.download(&buffers[0]).unwrap(), vec![5; count]);

    // As those do whose results matter, both the recorded one and the known one.
    let zeros = || queue.alloc_zeros::<u32>(count).unwrap();
    let (from, mut first, mut second) = (zeros(), zeros(), zeros());
    time::start(card, 10_000);
    time::complete(true);
    for to in [&mut first, &mut second] {
        run(queue, &add, (to, &from, &whole), 3, (count / 64) as u32);
    }
    queue.synchronize().unwrap();
    let log = time::finish();
    let traces: Vec<_> = log.launches().map(std::ptr::from_ref).collect();
    assert_eq!((traces.len(), traces[0]), (2, traces[1]));
    assert_eq!(
        [first, second].map(|buffer| queue.download(&buffer).unwrap()),
        [(); 2].map(|()| vec![3; count])
    );
}

fn run(
    queue: &Queue,
    add: &Function,
    (to, from, shape): (&mut Buffer<u32>, &Buffer<u32>, &Buffer<u32>),
    value: u32,
    blocks: u32,
) {
    let mut launch = queue.launch(add);
    launch.buffer_mut(to, 0).buffer(from, 0).buffer(shape, 0).arg(&value);
    // SAFETY: the arguments are the kernel's parameters, and all numbers below shape[0] are in the buffers.
    unsafe { launch.run(LaunchConfig::linear(blocks, 64)) }.unwrap();
}
