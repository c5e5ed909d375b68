//! Training on several ranks takes the steps of one rank with the whole batch.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::process::{Command, Stdio};
use std::sync::{Mutex, mpsc};

use candle_core::backprop::GradStore;
use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::{Linear, Optimizer, SGD, VarBuilder, VarMap, linear, loss};
use candle_rocm_parallel::{Cause, Communicator, DataParallel, Environment, failure};
use common::submission_gate::SubmissionGate;
use common::watched::{Watched, is_done_soon};
use common::{LIMIT, counts, device, numbers, port, ranks};

const BATCH: usize = 8;
const SIZES: [usize; 4] = [6, 16, 16, 3];

/// Three layers, one of them used twice.
struct Model {
    layers: Vec<Linear>,
}

impl Model {
    fn new(variables: &VarMap, device: &Device) -> Result<Self> {
        let vb = VarBuilder::from_varmap(variables, DType::F32, device);
        let layer = |i: usize| linear(SIZES[i], SIZES[i + 1], vb.pp(format!("layer{i}")));
        Ok(Self { layers: (0..3).map(layer).collect::<Result<_>>()? })
    }

    fn loss(&self, x: &Tensor, y: &Tensor, mut cut: impl FnMut(Tensor) -> Result<Tensor>) -> Result<Tensor> {
        let x = cut(self.layers[0].forward(x)?.tanh()?)?;
        let x = cut(self.layers[1].forward(&x)?.tanh()?)?;
        let x = cut(self.layers[1].forward(&x)?.tanh()?)?;
        loss::mse(&self.layers[2].forward(&x)?, y)
    }
}

/// Every rank begins with other values: rank 0's count.
fn variables(seed: u64, device: &Device) -> Result<(VarMap, Model)> {
    let map = VarMap::new();
    let model = Model::new(&map, device)?;
    let named: Vec<_> =
        map.data().lock().unwrap().iter().map(|(name, var)| (name.clone(), var.clone())).collect();
    for (name, var) in named {
        let of = name.bytes().fold(seed, |seed, byte| seed.wrapping_mul(31) + u64::from(byte));
        let values = Tensor::from_vec(numbers(of, var.elem_count()), var.shape(), device)?;
        var.set(&(values * 0.5)?)?;
    }
    Ok((map, model))
}

/// A step's batch: a part of so many.
fn batch(step: u64, part: usize, parts: usize, device: &Device) -> Result<(Tensor, Tensor)> {
    let of = |seed, width: usize| {
        let all = Tensor::from_vec(numbers(seed, BATCH * width), (BATCH, width), device)?;
        all.narrow(0, part * BATCH / parts, BATCH / parts)
    };
    Ok((of(step * 2 + 100, SIZES[0])?, of(step * 2 + 101, SIZES[3])?))
}

/// Not Adam, whose steps hardly depend on how large gradients are.
fn optimizer(variables: &VarMap) -> Result<SGD> {
    SGD::new(variables.all_vars(), 0.1)
}

/// A rank's variables, from which all ranks take those of rank 0, and the model that they belong to.
fn set_up(
    ranks: &Communicator,
    device: &Device,
    seed: u64,
    bucket: usize,
) -> Result<(VarMap, Model, DataParallel)> {
    let (map, model) = variables(seed, device)?;
    let mut parallel = DataParallel::new(ranks, &map)?;
    parallel.set_bucket(bucket);
    Ok((map, model, parallel))
}

/// A rank's loss, and what gradients of all make it.
fn backward(
    parallel: &DataParallel,
    model: &Model,
    (x, y): &(Tensor, Tensor),
    staged: bool,
) -> Result<(Tensor, GradStore)> {
    if staged {
        let mut stages = parallel.stages();
        let loss = model.loss(x, y, |x| stages.cut(&x))?;
        let grads = stages.backward(&loss)?;
        Ok((loss, grads))
    } else {
        let loss = model.loss(x, y, Ok)?;
        let grads = parallel.backward(&loss)?;
        Ok((loss, grads))
    }
}

/// Whether gradients come in stages, and how many bytes go together: each variable by itself, or all that a stage has.
const WAYS: [(bool, usize); 4] = [(false, 1 << 20), (false, 100), (true, 1 << 20), (true, 100)];

/// The mean loss of the whole batch at each step.
fn alone(steps: u64) -> Result<Vec<f32>> {
    let device = device(0);
    let (map, model) = variables(0, &device)?;
    let mut optimizer = optimizer(&map)?;
    let step = |step| {
        let (x, y) = batch(step, 0, 1, &device)?;
        let loss = model.loss(&x, &y, Ok)?;
        optimizer.backward_step(&loss)?;
        loss.to_scalar::<f32>()
    };
    (0..steps).map(step).collect()
}

fn close(one: &[f32], other: &[f32]) {
    assert!(one.iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-4 * b.abs()), "{one:?} and {other:?}");
}

/// Trains on ranks in all ways, whose losses are those of one that has the whole batch. `held`: while the thread that trains records a step,
/// the device stands still.
fn train(steps: u64, held: bool) -> Result<()> {
    let expected = alone(steps)?;
    assert!(expected.last() < expected.first());
    for (staged, bucket) in WAYS {
        for count in counts() {
            let losses = ranks(count, |ranks, device| {
                let (map, model, parallel) = set_up(&ranks, &device, u64::from(ranks.rank()), bucket)?;
                let mut optimizer = optimizer(&map)?;
                let step = |step| {
                    let batch = batch(step, ranks.rank() as usize, count as usize, &device)?;
                    let gate = held.then(|| SubmissionGate::on(&device)).transpose()?;
                    let (loss, grads) = backward(&parallel, &model, &batch, staged)?;
                    optimizer.step(&grads)?;
                    let mean = ranks.all_reduce(&loss, candle_rocm_parallel::Reduce::Average)?;
                    gate.map_or(Ok(()), SubmissionGate::open)?;
                    mean.to_scalar::<f32>()
                };
                (0..steps).map(step).collect::<Result<Vec<f32>>>()
            });
            losses.iter().for_each(|losses| close(losses, &expected));
        }
    }
    Ok(())
}

#[test]
fn ranks_take_the_steps_of_one() -> Result<()> {
    train(12, false)
}

/// The thread that trains waits for no bucket: while the device stands still, all of a step is recorded.
#[test]
fn a_step_is_recorded_as_a_whole() -> Result<()> {
    train(3, true)
}

/// A rank computes the gradients of earlier stages while those of later ones wait for another rank.
#[test]
fn stages_go_on_while_gradients_are_reduced() {
    let Some(&count) = counts().first() else { return };
    // A gradient by itself is reduced from where it is, several from a copy.
    for bucket in [100, 1 << 20] {
        let (first, wait) = mpsc::channel();
        let wait = Mutex::new(wait);
        ranks(count, |ranks, device| {
            let (map, model, parallel) = set_up(&ranks, &device, 0, bucket)?;
            device.synchronize()?;
            if ranks.rank() > 0 {
                wait.lock().unwrap().recv_timeout(LIMIT).expect("the other rank has its gradients");
            }
            let (reached, events) = mpsc::channel();
            let (x, y) = batch(0, ranks.rank() as usize, count as usize, &device)?;
            let mut stages = parallel.stages();
            let watch = |x: Tensor| x.apply_op1(Watched::gradients(&reached));
            let loss = model.loss(&x, &y, |x| stages.cut(&watch(x)?))?;
            let grads = stages.backward(&loss)?;
            if ranks.rank() == 0 {
                let last = events.iter().nth(2).expect("there are three stages before the last one");
                let done = is_done_soon(&last);
                first.send(()).unwrap();
                assert!(done, "it waits for the other rank");
            }
            optimizer(&map)?.step(&grads)?;
            device.synchronize()
        });
    }
}

/// A rank goes without its part in the last step: whoever waits for that is told, before the variables are used for anything.
#[test]
fn the_last_step_says_that_a_rank_is_gone() {
    let Some(&count) = counts().first() else { return };
    for (staged, bucket) in WAYS {
        let (called, wait) = mpsc::channel();
        let wait = Mutex::new(wait);
        ranks(count, |ranks, device| {
            let (map, model, parallel) = set_up(&ranks, &device, 0, bucket)?;
            device.synchronize()?;
            if ranks.rank() > 0 {
                wait.lock().unwrap().recv_timeout(LIMIT).expect("the other rank calls");
                return Ok(());
            }
            let mut optimizer = optimizer(&map)?;
            let (_, grads) = backward(&parallel, &model, &batch(0, 0, 2, &device)?, staged)?;
            optimizer.step(&grads)?;
            called.send(()).unwrap();
            let error = device.synchronize().unwrap_err();
            let failure = failure(&error).unwrap_or_else(|| panic!("{error}"));
            assert!(failure.operation.as_ref().is_some_and(|name| name.contains("all_reduce")), "{failure}");
            assert!(backward(&parallel, &model, &batch(1, 0, 2, &device)?, staged).is_err());
            Ok(())
        });
    }
}

/// SIGKILL in the midst of training: the other rank's step ends with an error that names the rank.
#[test]
fn a_rank_is_killed_while_it_trains() -> Result<()> {
    const VICTIM: u32 = 1;
    if counts().is_empty() {
        return Ok(());
    }
    if std::env::var_os("RANK").is_none() {
        let port = port().to_string();
        let start = |rank: u32| {
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", "a_rank_is_killed_while_it_trains"]).stdout(Stdio::piped());
            child.envs([
                ("RANK", &*rank.to_string()),
                ("LOCAL_RANK", &rank.to_string()),
                ("WORLD_SIZE", "2"),
            ]);
            child.envs([("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", &port)]);
            child.spawn().unwrap()
        };
        for (rank, child) in [0, 1].map(start).into_iter().enumerate() {
            let output = child.wait_with_output()?;
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.success(), rank as u32 != VICTIM, "rank {rank}: {text}");
        }
        return Ok(());
    }
    let place = Environment::read().unwrap();
    let device = device(place.local_rank as usize);
    let ranks = Communicator::from_env(&device)?;
    let (map, model) = variables(0, &device)?;
    let parallel = DataParallel::new(&ranks, &map)?;
    let mut optimizer = optimizer(&map)?;
    let mut step = |step| -> Result<()> {
        let (x, y) = batch(step, place.rank as usize, 2, &device)?;
        let mut stages = parallel.stages();
        let loss = model.loss(&x, &y, |x| stages.cut(&x))?;
        if place.rank == VICTIM && step == 2 {
            // The other rank's gradients are on their way.
            let me = std::process::id().to_string();
            Command::new("kill").args(["-9", &me]).status()?;
        }
        optimizer.step(&stages.backward(&loss)?)?;
        loss.to_scalar::<f32>().map(drop)
    };
    let error = (0..100).find_map(|at| step(at).err()).expect("the other rank is gone");
    let failure = failure(&error).unwrap_or_else(|| panic!("{error}"));
    // Not a timeout: it was heard of.
    match &failure.cause {
        Cause::Lost { rank } => assert_eq!(*rank, VICTIM),
        Cause::Library { message, .. } => assert!(message.contains("rank 1 is gone"), "{failure}"),
        _ => panic!("{failure}"),
    }
    Ok(())
}
