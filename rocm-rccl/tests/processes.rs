//! Ranks in processes of their own, and what becomes of the others when one is killed.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::process::{Child, Command, Stdio};

use common::{LIMIT, counts, failure, port, queue};
use rocm_rccl::{Cause, Communicator, Environment, RcclError, Reduce};

/// Starts this test again as so many ranks, or returns this one's place.
fn ranks(name: &str, count: u32) -> Result<Environment, Vec<Child>> {
    if !counts().contains(&count) {
        return Err(Vec::new());
    }
    if std::env::var_os("RANK").is_some() {
        return Ok(Environment::read().unwrap());
    }
    let port = port().to_string();
    let start = |rank: u32| {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", name]).stdout(Stdio::piped());
        let (rank, count) = (rank.to_string(), count.to_string());
        let limit = LIMIT.as_secs().to_string();
        child.envs([("RANK", &rank), ("LOCAL_RANK", &rank), ("WORLD_SIZE", &count), ("MASTER_PORT", &port)]);
        child.envs([("MASTER_ADDR", "127.0.0.1"), ("CANDLE_ROCM_COLLECTIVE_TIMEOUT", &*limit)]);
        child.spawn().unwrap()
    };
    Err((0..count).map(start).collect())
}

/// Waits for all; true for each that succeeded.
fn outcomes(children: Vec<Child>) -> Vec<bool> {
    let finish = |child: Child| {
        let output = child.wait_with_output().unwrap();
        if !output.status.success() {
            eprintln!("{}: {}", output.status, String::from_utf8_lossy(&output.stdout));
        }
        output.status.success()
    };
    children.into_iter().map(finish).collect()
}

fn sum_of_ranks(name: &str, count: u32) {
    let place = match ranks(name, count) {
        Ok(place) => place,
        Err(children) => return assert!(outcomes(children).into_iter().all(|passed| passed)),
    };
    let queue = queue(place.local_rank as usize);
    let rank = Communicator::from_env(queue.device()).unwrap();
    let mut buffer = queue.upload(&vec![place.rank as f32; 100_000]).unwrap();
    rank.all_reduce_in_place(&mut buffer, Reduce::Sum).unwrap().run().unwrap();
    let expected = (0..count).sum::<u32>() as f32;
    assert!(queue.download(&buffer).unwrap().iter().all(|&x| x == expected));
}

#[test]
fn two_processes() {
    sum_of_ranks("two_processes", 2);
}

#[test]
fn four_processes() {
    sum_of_ranks("four_processes", 4);
}

/// SIGKILL in the midst of an all-reduce: the others' calls end with an error that names the rank.
fn kill(name: &str, count: u32, victim: u32) {
    let place = match ranks(name, count) {
        Ok(place) => place,
        Err(children) => {
            let passed = outcomes(children);
            let expected = |rank: u32| rank != victim;
            return assert!(
                passed.iter().zip(0..).all(|(&passed, rank)| passed == expected(rank)),
                "{passed:?}"
            );
        }
    };
    let queue = queue(place.local_rank as usize);
    let rank = Communicator::from_env(queue.device()).unwrap();
    let mut buffer = queue.upload(&vec![1f32; 4 << 20]).unwrap();
    rank.all_reduce_in_place(&mut buffer, Reduce::Sum).unwrap().run().unwrap();
    queue.synchronize().unwrap();
    let mut run = || -> Result<(), RcclError> {
        for round in 0.. {
            rank.all_reduce_in_place(&mut buffer, Reduce::Sum)?.run()?;
            if place.rank == victim && round == 2 {
                // SAFETY: a plain call, which ends this process.
                unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            }
            queue.synchronize()?;
        }
        Ok(())
    };
    let error = run().unwrap_err();
    let failure = failure(&error);
    // Not a timeout: it was heard of.
    match &failure.cause {
        Cause::Lost { rank } => assert_eq!(*rank, victim, "{failure}"),
        // This platform notices that the connection ended.
        Cause::Library { message, .. } => {
            assert!(message.contains(&format!("rank {victim} is gone")), "{failure}")
        }
        _ => panic!("{failure}"),
    }
    // None was queued if the rank was between two of them.
    let operation = failure.operation.as_deref().unwrap_or("all_reduce #");
    assert!(operation.starts_with("all_reduce #"), "{failure}");
}

#[test]
fn a_rank_is_killed() {
    kill("a_rank_is_killed", 4, 2);
}

/// The one that the others' connections go to.
#[test]
fn rank_zero_is_killed() {
    kill("rank_zero_is_killed", 2, 0);
}
