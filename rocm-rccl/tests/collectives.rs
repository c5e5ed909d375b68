//! Collectives of two and four ranks in threads, against sums and copies of what each rank had.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;
#[path = "../../rocm-hip/tests/common/gate.rs"]
mod gate;

use common::{counts, device, on_host, queue, ranks};
use float8::F8E4M3;
use gate::{Gate, comes_to_its_end};
use half::{bf16, f16};
use rocm_hip::{Buffer, HipError, Queue, Stream};
use rocm_rccl::{Communicator, RcclError, Reduce, Reducible, View, group};

/// What rank r has: r * 7 + 1, r * 7 + 2, ...
fn values(rank: u32, count: usize) -> Vec<f64> {
    (1..=count).map(|i| f64::from(rank * 7) + i as f64).collect()
}

/// The reduction of all ranks' values, as f64, of what a type makes of them.
fn reduced(reduce: Reduce, count: u32, len: usize, round: impl Fn(f64) -> f64) -> Vec<f64> {
    let all: Vec<Vec<f64>> =
        (0..count).map(|rank| values(rank, len).into_iter().map(&round).collect()).collect();
    let column = |i: usize| all.iter().map(move |values| values[i]);
    let one = |i| match reduce {
        Reduce::Sum => column(i).sum(),
        Reduce::Product => column(i).product(),
        Reduce::Min => column(i).fold(f64::INFINITY, f64::min),
        Reduce::Max => column(i).fold(0.0, f64::max),
        Reduce::Average => column(i).sum::<f64>() / f64::from(count),
    };
    (0..len).map(one).collect()
}

fn reduces<T: Reducible>(
    rank: &Communicator,
    queue: &Queue,
    all: &[Reduce],
    from: impl Fn(f64) -> T,
    to: impl Fn(T) -> f64,
) {
    let (me, count) = (rank.rank(), rank.world_size());
    for &reduce in all {
        // Small, so that the products of four ranks fit every type that has some.
        let mine: Vec<T> = values(me, 3).into_iter().map(&from).collect();
        let operand = queue.upload(&mine).unwrap();
        let mut result = queue.alloc_zeros::<T>(3).unwrap();
        rank.all_reduce(&operand, &mut result, reduce).unwrap().run().unwrap();
        let expected: Vec<f64> =
            reduced(reduce, count, 3, |x| to(from(x))).into_iter().map(|x| to(from(x))).collect();
        let got: Vec<f64> = queue.download(&result).unwrap().into_iter().map(&to).collect();
        assert_eq!(got, expected, "{reduce} of {}", T::NAME);
    }
}

#[test]
fn all_reduce_of_every_type() {
    const ALL: [Reduce; 5] = [Reduce::Sum, Reduce::Product, Reduce::Min, Reduce::Max, Reduce::Average];
    for count in counts() {
        ranks(count, |rank, queue| {
            reduces(&rank, queue, &ALL, |x| x as f32, f64::from);
            reduces(&rank, queue, &ALL, |x| x, |x| x);
            reduces(&rank, queue, &ALL, f16::from_f64, f16::to_f64);
            reduces(&rank, queue, &ALL, bf16::from_f64, bf16::to_f64);
            reduces(&rank, queue, &ALL, |x| x.trunc() as i64, |x| x as f64);
            reduces(&rank, queue, &ALL, |x| x.trunc() as u64, |x| x as f64);
            reduces(&rank, queue, &ALL, |x| x.trunc() as i32, f64::from);
            reduces(&rank, queue, &ALL, |x| x.trunc() as u32, f64::from);
            let small = [Reduce::Sum, Reduce::Min, Reduce::Max];
            reduces(&rank, queue, &small, |x| x as u8, f64::from);
            reduces(&rank, queue, &small, |x| x as i8, f64::from);
            reduces(&rank, queue, &small, F8E4M3::from_f64, |x| x.to_f64());
        });
    }
}

#[test]
fn what_only_moves_has_any_type() {
    for count in counts() {
        ranks(count, |rank, queue| {
            let (me, n) = (rank.rank(), count as usize);
            let mine = |of: u32| -> Vec<u16> { values(of, 2 * n).into_iter().map(|x| x as u16).collect() };
            let all: Vec<u16> = (0..count).flat_map(mine).collect();
            let operand = queue.upload(&mine(me)).unwrap();

            let mut gathered = queue.alloc_zeros::<u16>(all.len()).unwrap();
            rank.all_gather(&operand, &mut gathered).unwrap().run().unwrap();
            assert_eq!(queue.download(&gathered).unwrap(), all);

            let mut exchanged = queue.alloc_zeros::<u16>(2 * n).unwrap();
            rank.all_to_all(&operand, &mut exchanged).unwrap().run().unwrap();
            let part = |of: u32| mine(of)[2 * me as usize..][..2].to_vec();
            assert_eq!(queue.download(&exchanged).unwrap(), (0..count).flat_map(part).collect::<Vec<_>>());

            let mut copy = queue.upload(&mine(me)).unwrap();
            rank.broadcast(&mut copy, count - 1).unwrap().run().unwrap();
            assert_eq!(queue.download(&copy).unwrap(), mine(count - 1));

            // Around the ring: everyone sends its last element to the next one.
            let mut previous = queue.alloc_zeros::<u16>(1).unwrap();
            let last = View::new(&operand, 2 * n - 1, 1).unwrap();
            let send = rank.send(last, (me + 1) % count).unwrap();
            group([send, rank.receive(&mut previous, (me + count - 1) % count).unwrap()]).unwrap();
            assert_eq!(queue.download(&previous).unwrap(), [mine((me + count - 1) % count)[2 * n - 1]]);

            let wide = queue.upload(&values(me, 2 * n)).unwrap();
            let mut part = queue.alloc_zeros::<f64>(2).unwrap();
            rank.reduce_scatter(&wide, &mut part, Reduce::Sum).unwrap().run().unwrap();
            assert_eq!(
                queue.download(&part).unwrap(),
                reduced(Reduce::Sum, count, 2 * n, |x| x)[2 * me as usize..][..2]
            );

            let nothing = queue.alloc::<f32>(0).unwrap();
            let mut nowhere = queue.alloc::<f32>(0).unwrap();
            rank.all_reduce(&nothing, &mut nowhere, Reduce::Sum).unwrap().run().unwrap();
            queue.synchronize().unwrap();
        });
    }
}

/// Nothing waits on the host, and each operation sees what the ones before it wrote.
#[test]
fn operations_follow_the_stream() {
    let Some(&count) = counts().first() else { return };
    ranks(count, |rank, queue| {
        let mut sum = queue.upload(&[1i64; 1000]).unwrap();
        for _ in 0..50 {
            rank.all_reduce_in_place(&mut sum, Reduce::Sum).unwrap().run().unwrap();
            let mut copy = queue.alloc::<i64>(1000).unwrap();
            queue.copy(&sum, 0, &mut copy, 0, 1000).unwrap();
            sum = copy;
        }
        assert_eq!(queue.download(&sum).unwrap(), [1i64 << 50; 1000]);
    });
}

#[test]
fn one_thread_drives_all_devices() {
    let Some(count) = counts().last().map(|&count| count as usize) else { return };
    let devices: Vec<_> = (0..count).map(device).collect();
    let ranks = Communicator::from_devices(&devices).unwrap();
    let queues: Vec<_> = (0..count).map(queue).collect();
    let mut buffers: Vec<_> = queues.iter().map(|queue| queue.upload(&[1f32, 2.]).unwrap()).collect();
    let requests = ranks.iter().zip(&mut buffers);
    let requests = requests.map(|(rank, buffer)| rank.all_reduce_in_place(buffer, Reduce::Sum).unwrap());
    group(requests).unwrap();
    for (queue, buffer) in queues.iter().zip(&buffers) {
        assert_eq!(queue.download(buffer).unwrap(), [count as f32, 2. * count as f32]);
    }
}

#[test]
fn wrong_operands_are_refused() {
    let Some(&count) = counts().first() else { return };
    ranks(count, |rank, queue| {
        let (three, mut two) = (queue.upload(&[0f32; 3]).unwrap(), queue.upload(&[0f32; 2]).unwrap());
        let text = |result: rocm_rccl::Result<rocm_rccl::Request<'_>>| match result {
            Err(error @ RcclError::InvalidArgument { .. }) => error.to_string(),
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("it was not refused"),
        };
        let expected = |operation: &str, expected: usize, given: usize| {
            format!("{operation}: unexpected number of elements, expected: {expected}, got: {given}")
        };
        assert_eq!(text(rank.all_reduce(&three, &mut two, Reduce::Sum)), expected("all_reduce", 3, 2));
        assert_eq!(text(rank.all_gather(&three, &mut two)), expected("all_gather", 6, 2));
        assert_eq!(
            text(rank.reduce_scatter(&three, &mut two, Reduce::Sum)),
            expected("reduce_scatter", 4, 3)
        );
        let mut other = queue.upload(&[0f32; 3]).unwrap();
        assert_eq!(
            text(rank.all_to_all(&three, &mut other)),
            "all_to_all: 3 elements are not a multiple of 2 ranks"
        );
        let no_rank = "rank 2 is out of range for 2 ranks; ranks start at 0";
        assert_eq!(text(rank.broadcast(&mut two, 2)), format!("broadcast: {no_rank}"));
        assert_eq!(text(rank.send(&three, 2)), format!("send: {no_rank}"));

        let elsewhere = common::queue(1 - rank.rank() as usize);
        let mut strange = elsewhere.upload(&[0f32; 3]).unwrap();
        let error = rank.all_reduce_in_place(&mut strange, Reduce::Sum).err().unwrap();
        assert!(matches!(error, RcclError::Hip(HipError::WrongDevice { .. })), "{error}");
        let error = rank.all_reduce(&three, &mut strange, Reduce::Sum).err().unwrap();
        assert!(matches!(error, RcclError::Hip(HipError::WrongQueue { .. })), "{error}");
        assert!(View::new(&three, 2, 2).is_err() && View::new(&three, usize::MAX, 2).is_err());
        // None of this was a call.
        let mut sum = queue.upload(&[1f32]).unwrap();
        rank.all_reduce_in_place(&mut sum, Reduce::Sum).unwrap().run().unwrap();
        assert_eq!(queue.download(&sum).unwrap(), [2.]);
    });
}

/// Threads, sockets and device memory of a hundred communicators come back.
#[test]
fn a_hundred_communicators_leak_nothing() {
    if !on_host() {
        // NCCL keeps threads and files of its own.
        return;
    }
    if std::env::var_os("RCCL_ALONE").is_none() {
        // The other tests have threads too.
        let name = "a_hundred_communicators_leak_nothing";
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let output = child.args(["--exact", name]).env("RCCL_ALONE", "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let (devices, queues) = ([device(0), device(1)], [queue(0), queue(1)]);
    let round = || {
        let ranks = Communicator::from_devices(&devices).unwrap();
        let mut buffers = [0, 1].map(|rank| queues[rank].upload(&[1f32; 64]).unwrap());
        let requests = ranks.iter().zip(&mut buffers);
        group(requests.map(|(rank, buffer)| rank.all_reduce_in_place(buffer, Reduce::Sum).unwrap())).unwrap();
        assert_eq!(queues[0].download(&buffers[0]).unwrap(), [2.; 64]);
    };
    let count = |folder: &str| std::fs::read_dir(folder).unwrap().count();
    let used = || [count("/proc/self/fd"), count("/proc/self/task"), queues[0].pool().stats().reserved];
    round();
    let before = used();
    (0..100).for_each(|_| round());
    // Threads that nobody joins end later, before and now. Each leak is of a hundred.
    let began = std::time::Instant::now();
    while used().iter().zip(before).any(|(now, before)| *now > before) {
        assert!(began.elapsed() < common::LIMIT, "{:?} after {before:?}", used());
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn results_wait_for_copies_of_what_was_there() {
    for count in counts() {
        ranks(count, |rank, queue| {
            let other = Queue::new(queue.device()).unwrap();
            let mut buffers = [1f32; 3].map(|value| queue.upload(&[value; 1000]).unwrap());
            queue.synchronize().unwrap();
            let gate = Gate::on(other.stream());
            let copies = buffers.each_ref().map(|buffer| other.copy_of(buffer).unwrap());
            let [reduced, gathered, root] = &mut buffers;
            rank.all_reduce_in_place(reduced, Reduce::Sum).unwrap().run().unwrap();
            let part = queue.upload(&vec![2f32; 1000 / count as usize]).unwrap();
            rank.all_gather(&part, gathered).unwrap().run().unwrap();
            rank.broadcast(root, 0).unwrap().run().unwrap();
            assert!(!comes_to_its_end(queue.stream()));
            drop(gate);
            for copy in copies {
                assert_eq!(other.download(&copy).unwrap(), [1f32; 1000]);
            }
            assert_eq!(queue.download(&buffers[0]).unwrap(), [count as f32; 1000]);
            assert_eq!(queue.download(&buffers[1]).unwrap(), [2f32; 1000]);
        });
    }
}

/// The buffers' stream goes on meanwhile. It waits before it writes to them, and before their memory has another use.
#[test]
fn another_stream_runs_operations() {
    const LEN: usize = 1000;
    for count in counts() {
        ranks(count, |rank, queue| {
            let own = queue.stream();
            let side = Stream::new(queue.device()).unwrap();
            let operand = queue.upload(&[1f32; LEN]).unwrap();
            let mut sums = [queue.alloc::<f32>(LEN).unwrap(), queue.alloc::<f32>(LEN).unwrap()];
            let [sum, other] = &mut sums;
            let run = |sum: &mut Buffer<f32>| {
                rank.all_reduce(&operand, sum, Reduce::Sum).unwrap().on(&side).unwrap().run().unwrap()
            };
            // Behind what its own stream was given.
            let gate = Gate::on(own);
            run(sum);
            assert!(!comes_to_its_end(&side));
            drop(gate);
            own.wait_for(&side).unwrap();
            assert_eq!(queue.download(sum).unwrap(), [count as f32; LEN]);

            let gate = Gate::on(&side);
            run(sum);
            run(other);
            assert!(comes_to_its_end(own));
            queue.upload_to(&[7f32; LEN], other, 0).unwrap();
            assert!(!comes_to_its_end(own));
            drop(gate);
            assert_eq!(queue.download(other).unwrap(), [7f32; LEN]);
            own.wait_for(&side).unwrap();
            assert_eq!(queue.download(sum).unwrap(), [count as f32; LEN]);

            let gate = Gate::on(&side);
            run(sum);
            let address = operand.as_ptr();
            drop(operand);
            assert_eq!(queue.upload(&[3f32; LEN]).unwrap().as_ptr(), address, "the memory is used again");
            assert!(!comes_to_its_end(own));
            drop(gate);
            own.wait_for(&side).unwrap();
            assert_eq!(queue.download(sum).unwrap(), [count as f32; LEN]);
        });
    }
}
