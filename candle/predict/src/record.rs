//! Runs models of few layers on the gfx platform, and sums what all layers would take.

use anyhow::{Context, Result, ensure};
use candle_core::{Device, Tensor};
use candle_rocm::model_file::Usage;
use candle_rocm::platform::GFX;
use candle_rocm::{ConvEngine, GemmEngine, RocmDevice, Tuning};
use candle_rocm_demo::gguf::{Gguf, Source};
use candle_rocm_demo::model::Model;
use candle_rocm_gfx::EXECUTED;
use candle_rocm_gfx::time::{self, Log};
use rocm_kernels::cards::Card;
use serde_json::{Value, json};

use crate::Options;
use crate::shape::{self, Kind, VOCABULARY};
use crate::sum::Sum;

/// Which devices the platform has, and how many compute units they say they have.
const DEVICES: &str = "CANDLE_ROCM_GFX_DEVICES";
const UNITS: &str = "CANDLE_ROCM_GFX_UNITS";

/// Kernels of joined operations are compiled when operations were met as often.
const MEETINGS: usize = 3;

/// Tokens that are decoded: caches grow with the first one, and the second is recorded.
const DECODED: usize = 2;

/// What a model launches for a prompt, and for a token after it.
struct Steps {
    prompt: Log,
    token: Log,
}

impl Steps {
    fn all(&self) -> [&Log; 2] {
        [&self.prompt, &self.token]
    }
}

pub(crate) fn run(options: &Options) -> Result<Value> {
    let (context, batch) = (options.context, options.batch);
    ensure!(context > 0 && batch > 0, "a context and a batch of 1 are the least");
    let card =
        Card::find(&options.card).with_context(|| format!("the card {} is not known", options.card))?;
    let processor = card.processor;
    ensure!(
        EXECUTED.contains(&processor),
        "code of {processor} is not executed, but of {}",
        EXECUTED.join(", ")
    );
    let file = Source::File(options.model.clone()).open()?;
    let kinds = shape::kinds(&file).with_context(|| file.name.clone())?;
    if let Some(most) = file.context_length() {
        ensure!(
            context.saturating_add(DECODED) <= most,
            "a context of {context} tokens and the {DECODED} after it exceed the model's context length of {most}"
        );
    }
    let device = device(card)?;
    time::start(card, options.budget);
    time::pause(true);
    let recorder =
        Recorder { file: &file, device: Device::from(device.clone()), own: device, context, batch };
    let steps = recorder.steps(card, &kinds);
    time::finish();

    let [prompt, token] = steps?;
    let needs = file.header.memory_needs(&Usage::new(context + DECODED).with_prompt(context));
    Ok(json!({
        "model": file.summary(),
        "layers": kinds.iter().map(|kind| kind.count).sum::<usize>(),
        "kinds": kinds.len(),
        "needs": { "weights": needs.weights, "cache": batch as u64 * needs.cache, "work": needs.work },
        "prompt": prompt.to_json(),
        "token": token.to_json(),
    }))
}

/// A device with as many compute units as the card has.
fn device(card: &Card) -> Result<RocmDevice> {
    for (name, value) in [(DEVICES, card.processor.to_owned()), (UNITS, card.multiprocessors().to_string())] {
        // SAFETY: no other thread of this program runs yet.
        unsafe { std::env::set_var(name, value) };
    }
    let device = RocmDevice::on(GFX, 0)?;
    device.set_gemm_engine(GemmEngine::Kernels);
    device.set_conv_engine(ConvEngine::Kernels);
    // What ships for the card.
    device.set_tuning(Tuning::Stored);
    Ok(device)
}

struct Recorder<'r> {
    file: &'r Gguf,
    device: Device,
    own: RocmDevice,
    context: usize,
    batch: usize,
}

impl Recorder<'_> {
    /// The times of all prompts and of a token of each sequence.
    fn steps(&self, card: &Card, kinds: &[Kind]) -> Result<[Sum; 2]> {
        // The first and the last layer of a model may launch something else than those between.
        let mut base: Vec<usize> = kinds.iter().map(|kind| kind.layer).collect();
        if let [only] = base[..] {
            base.push(only);
        }
        let with =
            |kind: &Kind| base[..1].iter().copied().chain([kind.layer]).chain(base[1..].iter().copied());
        let few = self.record(&base)?;
        let more = kinds.iter().map(|kind| self.record(&with(kind).collect::<Vec<_>>()));
        let more = more.collect::<Result<Vec<_>>>()?;
        let missing = kinds.iter().map(|kind| {
            let there = base.iter().filter(|layer| **layer == kind.layer).count();
            kind.count as f64 - there as f64
        });
        let missing: Vec<f64> = missing.collect();
        let step = |which: usize| {
            let of = |steps: &Steps, between: u64| Sum::of(steps.all()[which], card, between);
            let bytes = |steps: &Steps| steps.all()[which].bytes(card) as f64;
            let layers = more.iter().zip(&missing);
            let more_bytes: f64 =
                layers.clone().map(|(more, times)| times * (bytes(more) - bytes(&few))).sum();
            let between = (bytes(&few) + more_bytes).max(0.) as u64;
            let few = of(&few, between);
            let mut all = few.clone();
            layers.for_each(|(more, times)| all.add(*times, &of(more, between), &few));
            all
        };
        // Prompts come one after the other.
        let mut prompts = Sum::default();
        prompts.add(self.batch as f64, &step(0), &Sum::default());
        Ok([prompts, step(1)])
    }

    /// What a model of these layers launches.
    fn record(&self, layers: &[usize]) -> Result<Steps> {
        let mut model = Model::load(shape::with_layers(self.file, layers)?, &self.device)?;
        for _ in 0..MEETINGS {
            self.prompt(&mut model)?;
            self.fill(&mut model)?;
            (0..DECODED).try_for_each(|number| self.decode(&mut model, self.context + number))?;
        }
        self.own.finish_compiling()?;
        let prompt = self.recorded(|| self.prompt(&mut model))?;
        self.fill(&mut model)?;
        (0..DECODED - 1).try_for_each(|number| self.decode(&mut model, self.context + number))?;
        let token = self.recorded(|| self.decode(&mut model, self.context + DECODED - 1))?;
        Ok(Steps { prompt, token })
    }

    fn recorded(&self, run: impl FnOnce() -> Result<()>) -> Result<Log> {
        self.own.synchronize()?;
        time::pause(false);
        let done = run().and_then(|()| Ok(self.own.synchronize()?));
        time::pause(true);
        done.map(|()| time::take())
    }

    /// The prompt of one sequence: candle's models multiply the last tokens of several prompts where they are not contiguous, and fail.
    fn prompt(&self, model: &mut Model) -> Result<()> {
        self.forward(model, 0, (1, self.context))
    }

    /// Puts the prompts of several sequences into the caches, which are one sequence's now: token by token.
    fn fill(&self, model: &mut Model) -> Result<()> {
        let several = if self.batch > 1 { self.context } else { 0 };
        (0..several).try_for_each(|position| self.decode(model, position))
    }

    /// A token of each sequence.
    fn decode(&self, model: &mut Model, position: usize) -> Result<()> {
        self.forward(model, position, (self.batch, 1))
    }

    /// So many sequences and tokens of each. Reads the logits, as a program does that samples from them.
    fn forward(&self, model: &mut Model, position: usize, shape: (usize, usize)) -> Result<()> {
        let all: Vec<u32> = (0..shape.0 * shape.1).map(|at| (at * 7 % VOCABULARY) as u32).collect();
        let tokens = Tensor::from_vec(all, shape, &self.device)?;
        model.logits(&tokens, position)?.to_device(&Device::Cpu)?;
        Ok(())
    }
}
