//! Data parallel training: each rank has a part of every batch, and all take the same steps.
//!
//! Under a launcher each process is a rank, on the device of its local rank:
//!
//! ```sh
//! torchrun --nproc-per-node 2 --no-python target/release/examples/data_parallel
//! ```
//!
//! Without one, this process has two ranks, a thread each.

use candle_core::{DType, Module, Result, Tensor};
use candle_nn::{AdamW, Optimizer, ParamsAdamW, VarBuilder, VarMap, linear, loss};
use candle_rocm as _;
use candle_rocm_parallel::{Communicator, DataParallel, Reduce, run_ranks};

const BATCH: usize = 64;
const STEPS: usize = 200;

/// Learns x ↦ (sin 3x, x²); returns the mean loss of all ranks at the end.
fn train(ranks: &Communicator) -> Result<f32> {
    let device = ranks.device();
    let variables = VarMap::new();
    let vb = VarBuilder::from_varmap(&variables, DType::F32, device);
    let first = linear(1, 64, vb.pp("first"))?;
    let second = linear(64, 64, vb.pp("second"))?;
    let last = linear(64, 2, vb.pp("last"))?;
    // From here on all ranks have rank 0's values.
    let parallel = DataParallel::new(ranks, &variables)?;
    let mut optimizer = AdamW::new(variables.all_vars(), ParamsAdamW { lr: 3e-3, ..Default::default() })?;
    device.set_seed(u64::from(ranks.rank()))?;

    let mut mean = f32::INFINITY;
    for step in 1..=STEPS {
        let x = Tensor::rand(-1f32, 1., (BATCH / ranks.world_size() as usize, 1), device)?;
        let y = Tensor::cat(&[(&x * 3.)?.sin()?, x.sqr()?], 1)?;
        // Gradients of a stage travel while those of the stages before are computed.
        let mut stages = parallel.stages();
        let hidden = stages.cut(&first.forward(&x)?.tanh()?)?;
        let hidden = stages.cut(&second.forward(&hidden)?.tanh()?)?;
        let loss = loss::mse(&last.forward(&hidden)?, &y)?;
        optimizer.step(&stages.backward(&loss)?)?;
        if step % 50 == 0 {
            mean = ranks.all_reduce(&loss, Reduce::Average)?.to_scalar::<f32>()?;
            if ranks.rank() == 0 {
                println!("step {step}: loss {mean:.5}");
            }
        }
    }
    Ok(mean)
}

fn main() -> Result<()> {
    let losses = run_ranks(2, train)?;
    if losses.iter().any(|loss| *loss > 0.02) {
        candle_core::bail!("it did not learn: {losses:?}")
    }
    Ok(())
}

#[test]
fn runs_without_a_card() -> Result<()> {
    if std::env::var_os("CANDLE_ROCM_PLATFORM").is_none() {
        candle_rocm::hip::set_default_platform(candle_rocm::platform::HOST);
    }
    main()
}
