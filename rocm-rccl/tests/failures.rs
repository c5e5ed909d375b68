//! Ranks that do not come, do not fit, go, or call something else: an error on every rank, and no hang.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use common::{LIMIT, counts, device, failure, queue, ranks};
use rocm_hip::{HipError, Queue, Stream};
use rocm_rccl::{Cause, Communicator, Failure, RcclError, Reduce, Refusal, UniqueId};

/// What ranks wait that nobody joins. No test relies on something that happens within it.
const SHORT: Duration = Duration::from_millis(300);

fn refusal(result: Result<Communicator, RcclError>) -> Refusal {
    match result {
        Err(RcclError::Rendezvous { refusal, .. }) => refusal,
        Err(error) => panic!("{error}"),
        Ok(rank) => panic!("{rank:?} was not refused"),
    }
}

/// Ranks that come at once, each with the number of ranks that it expects.
fn come(limit: Duration, ranks: &[(u32, u32)]) -> Vec<Refusal> {
    let id = &UniqueId::new().unwrap();
    thread::scope(|scope| {
        let one = |(place, &(rank, count)): (usize, &(u32, u32))| {
            scope.spawn(move || Communicator::from_rank_within(device(place), rank, count, id, limit))
        };
        let threads: Vec<_> = ranks.iter().enumerate().map(one).collect();
        threads.into_iter().map(|thread| refusal(thread.join().unwrap())).collect()
    })
}

#[test]
fn a_rank_that_never_comes_is_named() {
    let missing = |ranks: &[u32], limit| Refusal::Missing { ranks: ranks.to_vec(), limit };
    assert_eq!(come(SHORT, &[(0, 2)]), [missing(&[1], SHORT)]);
    // Where the second comes too late for a limit, a longer one follows.
    let mut limits = [SHORT, 30 * SHORT, LIMIT].into_iter();
    let both_came = |limit| {
        let refusals = come(limit, &[(3, 4), (1, 4)]);
        (refusals == [missing(&[0, 2], limit), missing(&[0, 2], limit)]).then_some(()).ok_or(refusals)
    };
    assert!(limits.any(|limit| both_came(limit).inspect_err(|got| println!("{limit:?}: {got:?}")).is_ok()));
    assert_eq!(missing(&[0, 2], SHORT).to_string(), "ranks 0, 2 did not join within 300ms");
}

#[test]
fn rank_zero_that_never_comes_is_named() {
    // No program gets this port without asking for it.
    let address = "127.0.0.1:1";
    let id: UniqueId = format!("{address}/token").parse().unwrap();
    let refusal = refusal(Communicator::from_rank_within(device(1), 1, 2, &id, SHORT));
    assert!(matches!(&refusal, Refusal::Unreachable { .. }), "{refusal}");
    assert!(refusal.to_string().starts_with(&format!("cannot reach rank 0 at {address}")), "{refusal}");
}

#[test]
fn other_world_sizes_and_ranks_are_refused() {
    for refusal in come(LIMIT, &[(0, 2), (1, 3)]) {
        let sizes = [(0, 2, 1, 3), (1, 3, 0, 2)].map(|(rank, world_size, other, expected)| {
            Refusal::WorldSize { rank, world_size, other, expected }
        });
        assert!(sizes.contains(&refusal), "{refusal}");
    }
    assert_eq!(come(LIMIT, &[(0, 2), (0, 2)]), [const { Refusal::SameRank { rank: 0 } }; 2]);
    let error = Communicator::from_rank(device(0), 2, 2, &UniqueId::new().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "from_rank: rank 2 is out of range for 2 ranks; ranks start at 0");
    assert!(matches!("127.0.0.1/x".parse::<UniqueId>(), Err(RcclError::InvalidId(_))));
}

/// Strangers are told so, and do not disturb.
#[test]
fn strangers_are_refused_with_a_message() {
    let id = UniqueId::new().unwrap();
    let hello = r#"{"token":"guess","rank":0,"world_size":1,"limit":{"secs":1,"nanos":0},"id":null}"#;
    for (sent, why) in
        [("GET / HTTP/1.1", "it does not speak the rendezvous protocol"), (hello, "it has a different id")]
    {
        let mut stranger = TcpStream::connect(id.address()).unwrap();
        writeln!(stranger, "{sent}").unwrap();
        let mut answer = String::new();
        stranger.read_to_string(&mut answer).unwrap();
        assert!(answer.contains(r#"{"Refused":{"Stranger""#) && answer.contains(why), "{answer}");
    }
    let silent = TcpStream::connect(id.address()).unwrap();
    let wrong: UniqueId = format!("{}/guess", id.address()).parse().unwrap();
    let why = refusal(Communicator::from_rank_within(device(0), 0, 1, &wrong, LIMIT));
    assert_eq!(why.to_string(), "not a rank of this job: it has a different id");
    let alone = Communicator::from_rank_within(device(0), 0, 1, &id, LIMIT).unwrap();
    assert_eq!(alone.world_size(), 1);
    drop(silent);
    // The port is open only until all have come.
    while TcpStream::connect(id.address()).is_ok() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// However many there are, and however slow they are: the hub has no thread for any of them, and ranks come through.
#[test]
fn strangers_do_not_keep_ranks_out() {
    let id = UniqueId::new().unwrap();
    let connect = |number: usize| {
        let mut stranger = TcpStream::connect(id.address()).unwrap();
        // Silent ones, and some that begin like a rank.
        stranger.write_all(&br#"{"token":"#[..number % 3]).unwrap();
        stranger
    };
    let strangers: Vec<TcpStream> = (0..300).map(connect).collect();
    let alone = Communicator::from_rank_within(device(0), 0, 1, &id, LIMIT).unwrap();
    assert_eq!(alone.world_size(), 1);
    // This process's other tests have ranks, too: a few.
    let threads = std::fs::read_dir("/proc/self/task").unwrap().filter_map(|thread| {
        std::fs::read_to_string(thread.ok()?.path().join("comm"))
            .ok()
            .filter(|name| name.trim() == "rccl-hub")
    });
    assert!(threads.count() < 150);
    // None is kept once all have come: each is closed, or reset, as some of what it said was not read.
    for mut stranger in strangers {
        stranger.set_read_timeout(Some(LIMIT)).unwrap();
        assert!(matches!(stranger.read(&mut [0]), Ok(0) | Err(_)));
    }
}

/// Queues an all-reduce and waits for it.
fn all_reduce(rank: &Communicator, queue: &Queue, count: usize) -> Result<Vec<f32>, RcclError> {
    let mut buffer = queue.upload(&vec![1f32; count])?;
    rank.all_reduce_in_place(&mut buffer, Reduce::Sum)?.run()?;
    Ok(queue.download(&buffer)?)
}

/// Calls until there is an error.
fn error_of(mut call: impl FnMut() -> Result<(), RcclError>) -> RcclError {
    let began = Instant::now();
    loop {
        match call() {
            Err(error) => return error,
            Ok(()) => assert!(began.elapsed() < LIMIT, "no error comes"),
        }
    }
}

/// What failed, and that the communicator says so from then on. Only who waits for the limit has it in the failure.
fn failed(rank: &Communicator, queue: &Queue, result: Result<Vec<f32>, RcclError>) -> Failure {
    let error = result.expect_err("it cannot have worked");
    let failure = failure(&error).clone();
    assert!(!matches!(failure.cause, Cause::Timeout { limit: LIMIT, .. }), "{failure}");
    assert_eq!(rank.failure(), Some(&failure));
    let again = all_reduce(rank, queue, 1).unwrap_err();
    assert_eq!(common::failure(&again), &failure);
    failure
}

/// The ranks can meet again, with the same queues.
fn anew(run: impl Fn(Communicator, &Queue) + Sync) {
    let Some(&count) = counts().last() else { return };
    let (first, second) = (UniqueId::new().unwrap(), UniqueId::new().unwrap());
    thread::scope(|scope| {
        for rank in 0..count {
            let (run, ids) = (&run, [&first, &second]);
            scope.spawn(move || {
                let queue = queue(rank as usize);
                let join =
                    |id| Communicator::from_rank_within(queue.device(), rank, count, id, LIMIT).unwrap();
                run(join(ids[0]), &queue);
                let mut buffer = queue.upload(&[1f32]).unwrap();
                let again = join(ids[1]);
                again.all_reduce_in_place(&mut buffer, Reduce::Sum).unwrap().run().unwrap();
                assert_eq!(queue.download(&buffer).unwrap(), [count as f32]);
            });
        }
    });
}

/// Whether two ranks made these calls; in RCCL's words, if its own check was first: this platform has one, cards have none. Which of its
/// operations a rank waited for depends on how far it had come.
fn is_mismatch(failure: &Failure, calls: [&str; 2], in_words_of_rccl: [&str; 2]) {
    match &failure.cause {
        Cause::Mismatch { called, expected, .. } => {
            let (called, expected) = (&**called, &**expected);
            assert!([called, expected] == calls || [expected, called] == calls, "{failure}");
        }
        Cause::Library { name, message, .. } => {
            let all = in_words_of_rccl.iter().all(|words| message.contains(words));
            assert!(name == "ncclInvalidUsage" && all, "{failure}");
        }
        _ => panic!("{failure}"),
    }
}

#[test]
fn another_shape_is_a_mismatch_on_every_rank() {
    anew(|rank, queue| {
        let result = all_reduce(&rank, queue, if rank.rank() == 1 { 3 } else { 4 });
        let failure = failed(&rank, queue, result);
        assert_eq!(failure.rank, rank.rank());
        is_mismatch(
            &failure,
            ["all_reduce (sum of 3 f32)", "all_reduce (sum of 4 f32)"],
            ["count 3", "count 4"],
        );
    });
}

#[test]
fn another_order_is_a_mismatch_on_every_rank() {
    anew(|rank, queue| {
        let mut buffer = queue.upload(&[1f32; 4]).unwrap();
        let mut calls = [0, 1];
        calls.rotate_left(rank.rank() as usize % 2);
        // A call may be refused already.
        let run = |call: i32, buffer: &mut rocm_hip::Buffer<f32>| match call {
            0 => rank.all_reduce_in_place(buffer, Reduce::Sum)?.run(),
            _ => rank.broadcast(buffer, 0)?.run(),
        };
        let queued = calls.into_iter().try_for_each(|call| run(call, &mut buffer));
        let result = queued.and_then(|()| Ok(queue.download(&buffer)?));
        let failure = failed(&rank, queue, result);
        let calls = ["all_reduce (sum of 4 f32)", "broadcast (4 f32, rank 0)"];
        is_mismatch(&failure, calls, ["ncclAllReduce", "ncclBroadcast"]);
    });
}

/// Broadcasts, of another type on rank 1, until there is an error; `then` follows each.
fn broadcast_two_types(
    rank: &Communicator,
    queue: &Queue,
    mut then: impl FnMut() -> Result<(), HipError>,
) -> RcclError {
    let mut floats = queue.upload(&[1f32; 4]).unwrap();
    let mut shorts = queue.upload(&[1u16; 8]).unwrap();
    error_of(|| {
        match rank.rank() {
            1 => rank.broadcast(&mut shorts, 0)?.run()?,
            _ => rank.broadcast(&mut floats, 0)?.run()?,
        }
        Ok(then()?)
    })
}

/// RCCL is told of bytes where nothing is reduced, so that only the ranks' own comparison sees a difference.
#[test]
fn another_type_of_as_many_bytes_is_a_mismatch_on_every_rank() {
    anew(|rank, queue| {
        let error = broadcast_two_types(&rank, queue, || queue.synchronize());
        let failure = failed(&rank, queue, Err(error));
        is_mismatch(&failure, ["broadcast (4 f32, rank 0)", "broadcast (8 u16, rank 0)"], ["none"; 2]);
    });
}

/// However much is queued, and whichever call hears of it first.
#[test]
fn a_stream_has_a_failure_once() {
    anew(|rank, queue| {
        // Calls that ask the stream and not the communicator.
        let mut other = queue.upload(&[1f32]).unwrap();
        let ask = || (0..8).try_for_each(|_| queue.upload_to(&[1f32], &mut other, 0));
        let error = broadcast_two_types(&rank, queue, ask);
        let of_stream = matches!(error, RcclError::Hip(HipError::Queued(_)));
        let later: Vec<_> = (0..100).filter_map(|_| queue.synchronize().err()).collect();
        assert!(later.len() + usize::from(of_stream) <= 1, "{error}, then {later:?}");
    });
}

/// The others live, and call nothing.
#[test]
fn a_rank_that_calls_nothing_is_named() {
    anew(|rank, queue| {
        let limit = Duration::from_millis(200);
        let (began, waits) = (Instant::now(), rank.rank() == 0);
        rank.set_timeout(limit);
        let result = match waits {
            true => all_reduce(&rank, queue, 4),
            false => {
                while rank.failure().is_none() && began.elapsed() < LIMIT {
                    thread::sleep(Duration::from_millis(1));
                }
                all_reduce(&rank, queue, 4)
            }
        };
        let failure = failed(&rank, queue, result);
        let operation = "all_reduce #1 (sum of 4 f32)".to_owned();
        let cause = Cause::Timeout {
            rank: 0,
            operation: operation.clone(),
            limit,
            missing: (1..rank.world_size()).collect(),
        };
        assert_eq!(failure, Failure { rank: rank.rank(), operation: waits.then_some(operation), cause });
        if waits {
            let text = failure.to_string();
            let start = "rank 0: all_reduce #1 (sum of 4 f32) failed: rank 0 timed out after 200ms waiting for all_reduce #1 (sum of 4 f32)";
            assert!(
                text.starts_with(start)
                    && text.contains("; create a new communicator")
                    && text.contains(", not called by rank"),
                "{text}"
            );
        }
    });
}

#[test]
fn a_rank_that_leaves_is_named() {
    let Some(&count) = counts().first() else { return };
    ranks(count, |rank, queue| {
        all_reduce(&rank, queue, 4).unwrap();
        if rank.rank() == 0 {
            return;
        }
        let result = all_reduce(&rank, queue, 4);
        let failure = failed(&rank, queue, result);
        // The platform notices too, as the peer's connection ends.
        assert!(matches!(failure.cause, Cause::Left { rank: 0 } | Cause::Library { .. }), "{failure}");
    });
}

/// The operation is not on the buffers' stream, which is that from which others read the result.
#[test]
fn the_stream_of_the_buffers_has_the_failure_of_another_one() {
    let Some(&count) = counts().first() else { return };
    let called = Barrier::new(count as usize);
    ranks(count, |rank, queue| {
        if rank.rank() == 0 {
            called.wait();
            return;
        }
        let side = Stream::new(queue.device()).unwrap();
        let mut buffer = queue.upload(&[1f32; 4]).unwrap();
        let request = rank.all_reduce_in_place(&mut buffer, Reduce::Sum).unwrap();
        request.on(&side).unwrap().run().unwrap();
        queue.stream().wait_for(&side).unwrap();
        called.wait();
        let failure = failed(&rank, queue, queue.download(&buffer).map_err(RcclError::from));
        assert!(matches!(failure.cause, Cause::Left { rank: 0 } | Cause::Library { .. }), "{failure}");
        assert!(matches!(side.synchronize(), Err(HipError::Queued(_))));
    });
}

#[test]
fn an_aborted_communicator_says_so_on_every_rank() {
    anew(|rank, queue| {
        if rank.rank() == 1 {
            rank.abort();
        }
        let error = error_of(|| all_reduce(&rank, queue, 4).map(drop));
        let failure = failed(&rank, queue, Err(error));
        assert_eq!(failure.cause, Cause::Aborted { rank: 1 });
    });
}
