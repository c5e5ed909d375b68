//! Collectives of tensors: values of any layout, and gradients, against the same written as one computation on the CPU.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::sync::{Mutex, mpsc};

use candle_core::{D, DType, Device, Result, Tensor, Var};
use candle_nn::ops::softmax_last_dim;
use candle_rocm::{Fusion, RocmDevice};
use candle_rocm_parallel::{Communicator, Reduce};
use common::submission_gate::SubmissionGate;
use common::{LIMIT, counts, difference, numbers, ranks};

/// What a rank has: [4, 6], transposed, so that it is not contiguous.
fn operand(rank: u32, device: &Device) -> Result<Tensor> {
    Tensor::from_vec(numbers(u64::from(rank) + 1, 24), (6, 4), &Device::Cpu)?.to_device(device)?.t()
}

/// All ranks' operands on the CPU.
fn operands(count: u32) -> Result<Vec<Tensor>> {
    (0..count).map(|rank| operand(rank, &Device::Cpu)).collect()
}

fn same(got: &Tensor, expected: &Tensor) {
    assert_eq!(got.dims(), expected.dims());
    let difference = difference(got, expected);
    assert!(difference < 1e-6, "{difference}: {got} and {expected}");
}

#[test]
fn values() {
    for count in counts() {
        ranks(count, |ranks, device| {
            let (me, n) = (ranks.rank() as usize, count as usize);
            let (x, all) = (operand(ranks.rank(), &device)?, operands(count)?);
            let stacked = Tensor::stack(&all, 0)?;
            let product = all.iter().skip(1).try_fold(all[0].clone(), |product, x| product * x)?;
            for (reduce, expected) in [
                (Reduce::Sum, stacked.sum(0)?),
                (Reduce::Product, product),
                (Reduce::Min, stacked.min(0)?),
                (Reduce::Max, stacked.max(0)?),
                (Reduce::Average, stacked.mean(0)?),
            ] {
                same(&ranks.all_reduce(&x, reduce)?, &expected);
            }
            for dim in [0, 1] {
                same(&ranks.all_gather(&x, dim)?, &Tensor::cat(&all, dim)?);
            }
            let part = ranks.reduce_scatter(&x, 0, Reduce::Sum)?;
            same(&part, &stacked.sum(0)?.narrow(0, me * 4 / n, 4 / n)?);
            if n == 2 {
                let part = ranks.reduce_scatter(&x, 1, Reduce::Average)?;
                same(&part, &stacked.mean(0)?.narrow(1, me * 3, 3)?);
            }
            same(&ranks.broadcast(&x, count - 1)?, &all[n - 1]);
            let parts: Vec<Tensor> =
                all.iter().map(|x| x.narrow(0, me * 4 / n, 4 / n)).collect::<Result<_>>()?;
            same(&ranks.all_to_all(&x)?, &Tensor::cat(&parts, 0)?);
            let (next, previous) = ((me + 1) % n, (me + n - 1) % n);
            same(&ranks.exchange(&x, next as u32, previous as u32)?, &all[previous]);
            match me {
                0 => ranks.send(&x.narrow(1, 1, 2)?, 1)?,
                1 => same(&ranks.receive::<f32>((4, 2), 0)?, &all[0].narrow(1, 1, 2)?),
                _ => {}
            }
            Ok(())
        });
    }
}

#[test]
fn other_types_and_what_is_refused() {
    let Some(&count) = counts().first() else { return };
    ranks(count, |ranks, device| {
        for dtype in [
            DType::U8,
            DType::U32,
            DType::I32,
            DType::I64,
            DType::F16,
            DType::BF16,
            DType::F64,
            DType::F8E4M3,
        ] {
            let x = Tensor::new(&[1f32, 2., 3.], &device)?.to_dtype(dtype)?;
            let sum = ranks.all_reduce(&x, Reduce::Sum)?;
            assert_eq!(sum.dtype(), dtype);
            assert_eq!(sum.to_dtype(DType::F32)?.to_vec1::<f32>()?, [2., 4., 6.], "{dtype:?}");
        }
        let x = Tensor::new(&[1f32, 2., 3.], &device)?;
        let small = x.to_dtype(DType::I16)?;
        assert_eq!(
            ranks.all_gather(&small, 0)?.to_dtype(DType::F32)?.to_vec1::<f32>()?,
            [1., 2., 3., 1., 2., 3.]
        );
        let text = |result: Result<Tensor>| result.unwrap_err().to_string();
        let refused = text(ranks.all_reduce(&small, Reduce::Sum));
        assert!(refused.contains("all_reduce") && refused.to_lowercase().contains("i16"), "{refused}");
        let refused = text(ranks.reduce_scatter(&x, 0, Reduce::Sum));
        assert!(refused.contains("reduce_scatter: [3] cannot be split among 2 ranks"), "{refused}");
        let refused = text(ranks.all_gather(&x.narrow(0, 0, 1)?.squeeze(0)?, 0));
        assert!(refused.contains("a scalar has no dimension"), "{refused}");
        let refused = text(ranks.broadcast(&x, 2));
        assert!(refused.contains("rank 2 is out of range for 2 ranks"), "{refused}");
        let refused = text(ranks.all_reduce(&x.to_device(&Device::Cpu)?, Reduce::Sum));
        assert!(refused.contains("the tensor is on Cpu"), "{refused}");
        Ok(())
    });
}

/// Gradients of the sum of all ranks' losses, where rank r's loss is the sum of the squares of its result times (r + 1).
#[test]
fn gradients() {
    type Collective = fn(&Communicator, &Tensor) -> Result<Tensor>;
    /// What each rank gets, of what all have.
    type Whole = fn(&[Tensor], usize) -> Result<Tensor>;
    let cases: [(&str, Collective, Whole); 9] = [
        ("sum", |c, x| c.all_reduce(x, Reduce::Sum), |all, _| Tensor::stack(all, 0)?.sum(0)),
        ("average", |c, x| c.all_reduce(x, Reduce::Average), |all, _| Tensor::stack(all, 0)?.mean(0)),
        (
            "max",
            |c, x| c.all_reduce(x, Reduce::Max),
            |all, _| all.iter().skip(1).try_fold(all[0].clone(), |max, x| max.maximum(x)),
        ),
        (
            "product",
            |c, x| c.all_reduce(x, Reduce::Product),
            |all, _| all.iter().skip(1).try_fold(all[0].clone(), |product, x| product * x),
        ),
        ("all_gather", |c, x| c.all_gather(x, 1), |all, _| Tensor::cat(all, 1)),
        (
            "reduce_scatter",
            |c, x| c.reduce_scatter(x, 0, Reduce::Sum),
            |all, me| {
                let rows = 4 / all.len();
                Tensor::stack(all, 0)?.sum(0)?.narrow(0, me * rows, rows)
            },
        ),
        ("broadcast", |c, x| c.broadcast(x, 1), |all, _| Ok(all[1].clone())),
        (
            "all_to_all",
            |c, x| c.all_to_all(x),
            |all, me| {
                let rows = 4 / all.len();
                Tensor::cat(&all.iter().map(|x| x.narrow(0, me * rows, rows)).collect::<Result<Vec<_>>>()?, 0)
            },
        ),
        (
            "exchange",
            |c, x| {
                let n = c.world_size();
                c.exchange(x, (c.rank() + 1) % n, (c.rank() + n - 1) % n)
            },
            |all, me| Ok(all[(me + all.len() - 1) % all.len()].clone()),
        ),
    ];
    let loss = |result: &Tensor, rank: usize| result.sqr()?.sum_all()? * (rank as f64 + 1.);
    for count in counts() {
        ranks(count, |ranks, device| {
            let (me, n) = (ranks.rank() as usize, count as usize);
            for (name, collective, whole) in &cases {
                let x = Var::from_tensor(&operand(ranks.rank(), &device)?.contiguous()?)?;
                // An operand that is a view.
                let grads = loss(&collective(&ranks, &x.t()?.t()?)?, me)?.backward()?;

                let all: Vec<Var> = operands(count)?.iter().map(Var::from_tensor).collect::<Result<_>>()?;
                let tensors: Vec<Tensor> = all.iter().map(|var| var.as_tensor().clone()).collect();
                let losses =
                    (0..n).map(|rank| loss(&whole(&tensors, rank)?, rank)).collect::<Result<Vec<_>>>()?;
                let expected = Tensor::stack(&losses, 0)?.sum_all()?.backward()?;
                let expected = match expected.get(&all[me]) {
                    Some(grad) => grad.clone(),
                    None => all[me].zeros_like()?,
                };
                let got = grads.get(&x).expect(name);
                assert!(difference(got, &expected) < 1e-5, "{name} of rank {me}: {got} and {expected}");
            }
            Ok(())
        });
    }
}

/// With fusion, operations wait until somebody asks for a result. Collectives do not: others ask for theirs.
#[test]
fn what_nobody_reads_runs_all_the_same() {
    let Some(&count) = counts().first() else { return };
    let (done, wait) = mpsc::channel();
    let wait = Mutex::new(wait);
    ranks(count, |ranks, device| {
        let rocm = device.as_rocm_device()?.downcast_ref::<RocmDevice>().expect("it is candle-rocm's");
        rocm.set_fusion(Fusion::On);
        let x = (operand(ranks.rank(), &device)? * 2.)?;
        let sum = ranks.all_reduce(&x, Reduce::Sum)?;
        if ranks.rank() == 0 {
            drop(sum);
            wait.lock().unwrap().recv_timeout(LIMIT).expect("the other rank has its sum");
        } else {
            let expected = (Tensor::stack(&operands(count)?, 0)?.sum(0)? * 2.)?;
            same(&sum, &expected);
            done.send(()).unwrap();
        }
        // Calls on buffers come after those on tensors that were made before.
        let doubled = ranks.all_reduce(&x, Reduce::Max)?;
        match ranks.rank() {
            0 => ranks.send(&x, 1)?,
            1 => same(&ranks.receive::<f32>(x.dims(), 0)?, &(operand(0, &Device::Cpu)? * 2.)?),
            _ => {}
        }
        drop(doubled);
        Ok(())
    });
}

/// The thread that records waits for no collective, nor for what comes before it: whatever kind it is, and whatever is recorded behind it.
#[test]
fn who_records_does_not_wait() {
    for count in counts() {
        ranks(count, |ranks, device| {
            let me = ranks.rank() as usize;
            let (next, previous) = ((me as u32 + 1) % count, (me as u32 + count - 1) % count);
            let all: Vec<Tensor> = operands(count)?.iter().map(Tensor::contiguous).collect::<Result<_>>()?;
            let x = all[me].to_device(&device)?;
            let indices = Tensor::new(&[3u32, 0, 3, 1], &device)?;
            let run = || -> Result<Vec<Tensor>> {
                let sum = ranks.all_reduce(&(&x * 2.)?, Reduce::Sum)?;
                // What is never part of a larger launch.
                let rows = sum.index_select(&indices, 0)?;
                let swapped = ranks.exchange(&rows, next, previous)?;
                let sums = swapped.cumsum(1)?;
                let gathered = ranks.all_gather(&softmax_last_dim(&sums)?, 1)?;
                let part = ranks.reduce_scatter(&gathered, 0, Reduce::Average)?;
                let first = ranks.broadcast(&part.embedding(&indices.narrow(0, 1, 1)?)?, 0)?;
                let twice = (&rows * 2.)?;
                let twice = match me {
                    0 => ranks.send(&twice, 1).map(|()| twice)?,
                    1 => ranks.receive::<f32>(rows.dims(), 0)?,
                    _ => twice,
                };
                Ok(vec![sum, rows, sums, gathered, part, first, twice])
            };
            let expected = {
                let sum = (Tensor::stack(&all, 0)?.sum(0)? * 2.)?;
                let rows = sum.index_select(&indices.to_device(&Device::Cpu)?, 0)?;
                let sums = rows.cumsum(1)?;
                let gathered = Tensor::cat(&vec![softmax_last_dim(&sums)?; count as usize], 1)?;
                let height = 4 / count as usize;
                let part = gathered.narrow(0, me * height, height)?;
                let first = gathered.narrow(0, 0, 1)?;
                let twice = (&rows * 2.)?;
                vec![sum, rows, sums, gathered, part, first, twice]
            };
            for _ in 0..3 {
                let gate = SubmissionGate::on(&device)?;
                let got = run()?;
                gate.open()?;
                for (got, expected) in got.iter().zip(&expected) {
                    assert_eq!(got.dims(), expected.dims());
                    assert!(difference(got, expected) < 1e-5, "{got} and {expected}");
                }
            }
            Ok(())
        });
    }
}

/// Nobody waits for a collective when it is called, so that what becomes of it is told by who waits for the device.
#[test]
fn what_goes_wrong_is_told_by_the_next_wait() {
    let Some(&count) = counts().first() else { return };
    let (called, wait) = mpsc::channel();
    let wait = Mutex::new(wait);
    let done = ranks(count, |ranks, device| {
        if ranks.rank() > 0 {
            // It goes without its part in the sum.
            wait.lock().unwrap().recv_timeout(LIMIT).expect("the other rank calls");
            return Ok(true);
        }
        let x = (operand(0, &device)? * 2.)?;
        let sum = ranks.all_reduce(&x, Reduce::Sum)?;
        let more = (&sum.index_select(&Tensor::new(&[1u32], &device)?, 0)? + 1.)?;
        called.send(()).unwrap();
        let error = device.synchronize().unwrap_err();
        assert!(
            candle_rocm_parallel::failure(&error).is_some() || error.to_string().contains("all_reduce"),
            "{error}"
        );
        assert!(ranks.failure().is_some());
        assert!(ranks.all_reduce(&x, Reduce::Sum).is_err());
        drop(more);
        Ok(true)
    });
    assert_eq!(done, [true, true]);
}

/// A layer that is split by outputs, then one by inputs, with the gradients of the whole.
#[test]
fn parallel_layers_have_the_gradients_of_whole_ones() {
    use candle_core::Module;
    use candle_rocm_parallel::{ColumnParallel, RowParallel};

    for count in counts() {
        ranks(count, |ranks, device| {
            let (me, n) = (ranks.rank() as usize, count as usize);
            let of = |seed, rows: usize, columns: usize| {
                Tensor::from_vec(numbers(seed, rows * columns), (rows, columns), &Device::Cpu)
            };
            let (x, first, second) = (of(10, 5, 6)?, of(11, 8, 6)?, of(12, 3, 8)?);
            let run = |x: &Var, first: &dyn Module, second: &dyn Module| -> Result<(Tensor, _)> {
                let y = second.forward(&first.forward(x)?.tanh()?)?;
                let grads = y.sqr()?.sum_all()?.backward()?;
                Ok((y, grads))
            };
            let vars = [&x, &first, &second].map(Var::from_tensor);
            let [Ok(wx), Ok(w1), Ok(w2)] = vars else { panic!("they are tensors") };
            let whole = |w: &Var| ColumnParallel::new(w.as_tensor().clone(), None);
            let (expected, grads) = run(&wx, &whole(&w1), &whole(&w2))?;

            let part = 8 / n;
            let at = |x: &Tensor| Var::from_tensor(&x.to_device(&device)?);
            let (px, p1, p2) = (
                at(&x)?,
                at(&first.narrow(0, me * part, part)?.contiguous()?)?,
                at(&second.narrow(D::Minus1, me * part, part)?.contiguous()?)?,
            );
            let columns = ColumnParallel::new(p1.as_tensor().clone(), Some(&ranks));
            let rows = RowParallel::new(p2.as_tensor().clone(), Some(&ranks));
            let (got, parts) = run(&px, &columns, &rows)?;
            assert!(difference(&got, &expected) < 1e-5);
            let grad = |w: &Var| grads.get(w).expect("a gradient").clone();
            for (got, expected) in [
                (parts.get(&px), grad(&wx)),
                (parts.get(&p1), grad(&w1).narrow(0, me * part, part)?),
                (parts.get(&p2), grad(&w2).narrow(1, me * part, part)?),
            ] {
                assert!(difference(got.expect("a gradient"), &expected) < 1e-5);
            }
            Ok(())
        });
    }
}
