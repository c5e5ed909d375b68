//! What is computed beside a sum does not wait for it.

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::sync::{Mutex, mpsc};

use candle_core::{Device, Result, Tensor};

use super::Sums;
use crate::RowParallel;
use crate::side_stream::SideStream;
use common::watched::{Watched, is_done_soon};
use common::{LIMIT, counts, difference, numbers, ranks};

/// A rank computes the operand of each sum while the one before waits for another rank.
#[test]
fn operands_are_computed_while_ranks_add_up_others() {
    let Some(&count) = counts().first() else { return };
    let (come, wait) = mpsc::channel();
    let wait = Mutex::new(wait);
    ranks(count, |ranks, device| {
        let of = |seed: u64, rows: usize, columns: usize| {
            Tensor::from_vec(numbers(seed, rows * columns), (rows, columns), &Device::Cpu)
        };
        let rank = u64::from(ranks.rank());
        let weights = |rank| of(10 + rank, 6, 4);
        let layer = RowParallel::new(weights(rank)?.to_device(&device)?, Some(&ranks));
        let operands = (0..3).map(|seed| of(seed, 5, 4)?.to_device(&device)).collect::<Result<Vec<_>>>()?;
        let (reached, events) = mpsc::channel();
        let sums = || -> Result<Vec<Tensor>> {
            let side = SideStream::new(&ranks)?;
            let mut sums = Sums::beside(&side);
            let mut all = Vec::new();
            for x in &operands {
                let x = (x * 2.)?.apply_op1_no_bwd(&Watched::elements(&reached))?;
                all.push(sums.of(&layer, &x)?);
            }
            sums.finish(&[])?;
            Ok(all)
        };
        // Kernels are loaded, and memory is there to be used again.
        sums()?;
        device.synchronize()?;
        while events.try_recv().is_ok() {}
        if rank > 0 {
            wait.lock().unwrap().recv_timeout(LIMIT).expect("the other rank goes on");
        }
        let got = sums()?;
        if rank == 0 {
            // The third's operand comes behind the first sum: the device waits for that where the second begins.
            let second = events.iter().nth(1).expect("there are three");
            let done = is_done_soon(&second);
            come.send(()).unwrap();
            assert!(done, "it waits for the other rank");
        }
        for (seed, got) in (0..3).zip(&got) {
            let x = (of(seed, 5, 4)? * 2.)?;
            let parts = (0..u64::from(count)).map(|rank| x.matmul(&weights(rank)?.t()?));
            let expected = Tensor::stack(&parts.collect::<Result<Vec<_>>>()?, 0)?.sum(0)?;
            assert!(difference(got, &expected) < 1e-5, "{got} and {expected}");
        }
        Ok(())
    });
}
