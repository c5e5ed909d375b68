//! What a stream writes waits for other streams that read there before, in whatever way it writes.

#[path = "common/gate.rs"]
mod gate;

mod common;

use common::{queues, queues_without_kernels};
use gate::{Gate, comes_to_its_end};
use rocm_hip::{Buffer, Function, LaunchConfig, Queue, Result, Stream};

const LEN: usize = 10_000;

/// Queues, and others that read their buffers: on the same device, and on another one if there is one.
fn pairs(queues: Vec<Queue>) -> Vec<(Queue, Queue)> {
    let devices: Vec<_> = queues.iter().map(Queue::device).collect();
    let others = devices.iter().flat_map(|owner| devices.iter().map(move |reader| (*owner, *reader)));
    others.map(|(owner, reader)| (Queue::new(owner).unwrap(), Queue::new(reader).unwrap())).collect()
}

/// A way to make all elements 2.
type Write = fn(&Queue, &Function, &mut Buffer<f32>) -> Result<()>;

const WRITES: [(&str, Write); 4] = [
    ("upload_to", |queue, _, x| queue.upload_to(&[2.; LEN], x, 0)),
    ("copy", |queue, _, x| queue.copy(&queue.upload(&[2.; LEN])?, 0, x, 0, LEN)),
    ("launch", |queue, fill, x| {
        // SAFETY: the arguments are the kernel's, and there are as many threads as elements.
        unsafe {
            queue.launch(fill).arg(&2f32).buffer_mut(x, 0).run(LaunchConfig::linear(LEN as u32 / 100, 100))
        }
    }),
    ("as_mut_ptr", |queue, _, x| {
        let address = x.as_mut_ptr()?.as_raw();
        queue.device().bind()?;
        // SAFETY: that many words are the buffer's.
        let code = unsafe {
            let value = 2f32.to_bits().cast_signed();
            queue.device().hip().hipMemsetD32Async(address, value, LEN, queue.stream().as_raw())
        };
        queue.stream().check("hipMemsetD32Async", code)
    }),
];

fn fill(queue: &Queue) -> Function {
    let source = r#"extern "C" __global__ void fill(float value, float *x) {
        x[blockIdx.x * blockDim.x + threadIdx.x] = value;
    }"#;
    queue.device().compile("fill", source).and_then(|module| module.function("fill")).unwrap()
}

#[test]
fn writes_wait_for_copies_of_what_was_there() -> Result<()> {
    for (owner, reader) in pairs(queues()) {
        let fill = fill(&owner);
        for (name, write) in WRITES {
            let mut x = owner.upload(&[1f32; LEN])?;
            owner.synchronize()?;
            let gate = Gate::on(reader.stream());
            // The first one's mark is that of the second.
            let copies = [reader.copy_of(&x)?, reader.copy_of(&x)?];
            write(&owner, &fill, &mut x)?;
            assert!(!comes_to_its_end(owner.stream()), "{name} does not wait for {reader:?}");
            drop(gate);
            for copy in &copies {
                assert!(reader.download(copy)?.iter().all(|&x| x == 1.), "{name} came before {reader:?}");
            }
            assert!(owner.download(&x)?.iter().all(|&x| x == 2.), "{name}");

            // Neither for what has nothing to do with it, nor for a copy that was waited for.
            let _gate = Gate::on(reader.stream());
            write(&owner, &fill, &mut x)?;
            owner.synchronize()?;
        }
    }
    Ok(())
}

#[test]
fn writes_and_drops_wait_for_the_copy_and_not_for_what_comes_after_it() -> Result<()> {
    for (owner, reader) in pairs(queues_without_kernels()) {
        let (mut x, y) = (owner.upload(&[1f32; LEN])?, owner.upload(&[1f32; LEN])?);
        let address = y.as_ptr();
        let copies = [reader.copy_of(&x)?, reader.copy_of(&y)?];
        let gate = Gate::on(reader.stream());
        owner.upload_to(&[2f32; LEN], &mut x, 0)?;
        drop(y);
        let next = owner.upload(&[3f32; LEN])?;
        assert_eq!(next.as_ptr(), address, "the memory is used again");
        owner.synchronize()?;
        drop(gate);
        for copy in &copies {
            assert!(reader.download(copy)?.iter().all(|&x| x == 1.));
        }
    }
    Ok(())
}

#[test]
fn memory_that_is_copied_has_no_other_use_before() -> Result<()> {
    for (owner, reader) in pairs(queues_without_kernels()) {
        let x = owner.upload(&[1f32; LEN])?;
        let address = x.as_ptr();
        let gate = Gate::on(reader.stream());
        let copy = reader.copy_of(&x)?;
        drop(x);
        let next = owner.upload(&[2f32; LEN])?;
        assert_eq!(next.as_ptr(), address, "the queue waits, not the allocation");
        assert!(!comes_to_its_end(owner.stream()));
        drop(gate);
        assert!(reader.download(&copy)?.iter().all(|&x| x == 1.));
        assert!(owner.download(&next)?.iter().all(|&x| x == 2.));
    }
    Ok(())
}

#[test]
fn writes_wait_for_streams_that_were_announced_as_long_as_the_buffer_lives() -> Result<()> {
    for (owner, reader) in pairs(queues()) {
        let fill = fill(&owner);
        let stream: &Stream = reader.stream();
        for (name, write) in WRITES {
            let mut x = owner.upload(&[1f32; LEN])?;
            owner.synchronize()?;
            x.record_stream(stream);
            x.record_stream(owner.stream());
            // A copy changes nothing about it.
            reader.copy_of(&x)?;
            for _ in 0..2 {
                let gate = Gate::on(stream);
                write(&owner, &fill, &mut x)?;
                assert!(!comes_to_its_end(owner.stream()), "{name} does not wait for {reader:?}");
                drop(gate);
                owner.synchronize()?;
            }
        }
    }
    Ok(())
}
