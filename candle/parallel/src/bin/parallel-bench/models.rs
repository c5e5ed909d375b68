//! llama of invented weights, and training, on one card and on all.

use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::{Optimizer, SGD, VarBuilder, VarMap};
use candle_rocm::RocmDevice;
use candle_rocm_parallel::llama::{Llama, PromptSplit};
use candle_rocm_parallel::{Communicator, DataParallel, Linear, Reduce, Split, Weights};

use crate::measure::{Sizes, seconds};

/// Random weights of any shape.
struct Invented<'a>(&'a Device);

impl Weights for Invented<'_> {
    fn linear(&self, _: &str, shape: [usize; 2], split: Split, _: usize, ranks: usize) -> Result<Linear> {
        let [rows, columns] = match (split, shape) {
            (Split::Whole, shape) => shape,
            (Split::Outputs, [rows, columns]) => [rows / ranks, columns],
            (Split::Inputs, [rows, columns]) => [rows, columns / ranks],
        };
        Ok(self.tensor("", &[rows, columns])?.into())
    }

    fn tensor(&self, _: &str, shape: &[usize]) -> Result<Tensor> {
        Tensor::rand(-0.02f32, 0.02, shape, self.0)?.to_dtype(DType::BF16)
    }

    fn contains(&self, _: &str) -> bool {
        true
    }

    fn dtype(&self) -> DType {
        DType::BF16
    }
}

/// Ranks meet, with all work done.
fn barrier(ranks: &Communicator) -> Result<()> {
    let one = Tensor::ones(1, DType::F32, ranks.device())?;
    ranks.all_reduce(&one, Reduce::Sum)?.to_vec1::<f32>().map(drop)
}

pub(crate) fn llama(ranks: &Communicator, sizes: &Sizes, report: impl Fn(&str, f64)) -> Result<()> {
    let device = ranks.device();
    for (name, communicator) in [("one", None), ("all", Some(ranks))] {
        barrier(ranks)?;
        // One card has the whole model; the others wait.
        if communicator.is_none() && ranks.rank() > 0 {
            continue;
        }
        let mut model = Llama::load(&sizes.llama, &Invented(device), communicator, device)?;
        let rounds = sizes.rounds.min(5);
        for prompt in sizes.prompts {
            prefill(&mut model, device, rounds, prompt, name, &report)?;
        }
        // What is decoded follows the first prompt.
        let prompt = sizes.prompts[0].1;
        model.forward(&Tensor::zeros((1, prompt), DType::U32, device)?, 0)?;
        let token = Tensor::zeros((1, 1), DType::U32, device)?;
        let time = seconds(device, rounds, 1, || {
            let mut step = |at| model.forward(&token, prompt + at).map(drop);
            (0..sizes.decoded).try_for_each(&mut step)?;
            // The next round decodes after the prompt again.
            model.truncate(prompt)
        })?;
        report(&format!("llama decode {name}"), sizes.decoded as f64 / time);
    }
    Ok(())
}

/// On one card, or on all, as a whole and in parts: in turns, as clocks differ from one second to the next.
fn prefill(
    model: &mut Llama,
    device: &Device,
    rounds: usize,
    (prompt, length): (usize, usize),
    name: &str,
    report: impl Fn(&str, f64),
) -> Result<()> {
    let tokens = Tensor::arange(0u32, length as u32, device)?.unsqueeze(0)?;
    let (in_parts, whole) =
        (PromptSplit { min_tokens: 0, parts: 2 }, PromptSplit { min_tokens: usize::MAX, parts: 1 });
    let splits = match name {
        "all" => vec![("whole", whole), ("in parts", in_parts)],
        name => vec![(name, whole)],
    };
    for (turn, (name, split)) in (0..3).flat_map(|turn| splits.iter().map(move |split| (turn, split))) {
        model.set_prompt_split(*split);
        if turn == 0 {
            // What is joined is compiled once it was met a few times.
            (0..3).try_for_each(|_| model.forward(&tokens, 0).map(drop))?;
            let own = device.as_rocm_device()?.downcast_ref::<RocmDevice>();
            own.map_or(Ok(()), RocmDevice::finish_compiling)?;
        }
        let time = seconds(device, rounds, 1, || model.forward(&tokens, 0).map(drop))?;
        report(&format!("llama prefill {prompt} {name}"), length as f64 / time);
    }
    model.set_prompt_split(PromptSplit::default());
    Ok(())
}

pub(crate) fn training(ranks: &Communicator, sizes: &Sizes, report: impl Fn(&str, f64)) -> Result<()> {
    let (device, (layers, width, samples)) = (ranks.device(), sizes.training);
    for (name, parallel) in [("one", false), ("all", true)] {
        barrier(ranks)?;
        if !parallel && ranks.rank() > 0 {
            continue;
        }
        let variables = VarMap::new();
        let vb = VarBuilder::from_varmap(&variables, DType::F32, device);
        let layer = |i: usize| candle_nn::linear(width, width, vb.pp(format!("layer{i:02}")));
        let model = (0..layers).map(layer).collect::<Result<Vec<_>>>()?;
        let data_parallel = if parallel { Some(DataParallel::new(ranks, &variables)?) } else { None };
        let mut optimizer = SGD::new(variables.all_vars(), 1e-3)?;
        let x = Tensor::rand(-1f32, 1., (samples, width), device)?;
        let time = seconds(device, sizes.rounds, 2, || {
            let mut stages = data_parallel.as_ref().map(DataParallel::stages);
            let mut y = x.clone();
            for layer in &model {
                y = layer.forward(&y)?.relu()?;
                if let Some(stages) = &mut stages {
                    y = stages.cut(&y)?;
                }
            }
            let loss = y.sqr()?.mean_all()?;
            let grads = match stages {
                Some(stages) => stages.backward(&loss)?,
                None => loss.backward()?,
            };
            optimizer.step(&grads)
        })?;
        let ranks = if parallel { ranks.world_size() as usize } else { 1 };
        report(&format!("training {name}"), (samples * ranks) as f64 / time);
    }
    Ok(())
}
