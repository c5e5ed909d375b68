//! Collectives through host memory. The variable is the process's, so this test has one of its own.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::time::Duration;

use rocm_rccl::{Cause, Reduce, disable_peer_access};

#[test]
fn it_comes_before_the_first_communicator() {
    let stuck = |missing| Cause::Timeout {
        rank: 0,
        operation: "all_reduce #1 (sum of 4 f32)".to_owned(),
        limit: Duration::from_secs(2),
        missing,
    };
    let waited = "rank 0 timed out after 2s waiting for all_reduce #1 (sum of 4 f32)";
    // SAFETY: nothing else runs in this process yet.
    unsafe { std::env::remove_var("NCCL_P2P_DISABLE") };
    let hint = stuck(Vec::new()).to_string();
    assert!(hint.starts_with(waited) && hint.contains("NCCL_P2P_DISABLE=1"), "{hint}");
    // Not where a rank has yet to call.
    assert_eq!(stuck(vec![1]).to_string(), format!("{waited}, not called by rank 1"));

    // SAFETY: as above.
    unsafe { disable_peer_access() }.unwrap();
    assert_eq!(std::env::var("NCCL_P2P_DISABLE").as_deref(), Ok("1"));
    assert_eq!(stuck(Vec::new()).to_string(), waited);
    let Some(&count) = common::counts().first() else { return };
    let sums = common::ranks(count, |rank, queue| {
        let mut buffer = queue.upload(&[1f32; 4]).unwrap();
        rank.all_reduce_in_place(&mut buffer, Reduce::Sum).unwrap().run().unwrap();
        queue.download(&buffer).unwrap()
    });
    assert!(sums.iter().all(|sum| *sum == [count as f32; 4]));
    // SAFETY: the ranks are gone, and their threads with them.
    let late = unsafe { disable_peer_access() }.unwrap_err().to_string();
    assert!(
        late.starts_with("disable_peer_access: RCCL is already open and has read NCCL_P2P_DISABLE"),
        "{late}"
    );
}
