//! llama in tensor parallel on several devices of this process: a thread for each but the first.

use std::sync::mpsc::{self, Sender};
use std::thread;

use anyhow::{Context, Result, ensure};
use candle_core::{Device, Tensor};
use candle_rocm_parallel::llama::{Config, Llama};
use candle_rocm_parallel::{Communicator, Gguf};

use crate::device::rocm;
use crate::gguf::Source;

/// Tokens, and how many came before.
type Step = (Vec<u32>, usize);

/// The first device's part of the model, and the threads that have the others.
pub struct Ranks {
    own: Llama,
    others: Vec<Sender<Step>>,
}

impl Ranks {
    /// Loads the model onto `device` and the ones after it.
    ///
    /// # Errors
    ///
    /// Fails if there are not as many devices, or if the model is not a llama or cannot be split like that.
    pub fn load(source: &Source, device: &Device, count: usize) -> Result<Self> {
        let first = rocm(device).context("--tensor-parallel needs ROCm devices")?.ordinal();
        ensure!(count > 1, "--tensor-parallel needs at least two devices");
        let later = (1..count).map(|rank| Device::new_rocm(first + rank));
        let devices =
            std::iter::once(Ok(device.clone())).chain(later).collect::<candle_core::Result<Vec<_>>>()?;
        let mut ranks = Communicator::from_devices(&devices)?.into_iter();
        let own = ranks.next().context("there is no first rank")?;
        let started: Vec<_> = ranks.map(|rank| start(source.clone(), rank)).collect();
        let own = load(source, &own)?;
        let ready = |(steps, loaded): (Sender<Step>, mpsc::Receiver<Result<()>>)| {
            loaded.recv().context("a rank ended")??;
            Ok(steps)
        };
        Ok(Self { own, others: started.into_iter().map(ready).collect::<Result<_>>()? })
    }

    /// The logits after the last token.
    ///
    /// # Errors
    ///
    /// Fails if the forward pass of any rank does.
    pub fn forward(
        &mut self,
        tokens: &[u32],
        position: usize,
        device: &Device,
    ) -> candle_core::Result<Tensor> {
        for steps in &self.others {
            // If the rank has ended, its part of the next sum is missed, and that says so.
            let _ = steps.send((tokens.to_vec(), position));
        }
        self.own.forward(&Tensor::new(tokens, device)?.unsqueeze(0)?, position)
    }
}

fn load(source: &Source, rank: &Communicator) -> Result<Llama> {
    let file = Gguf::new(source.open()?.reader, rank.device())?;
    Ok(Llama::load(&Config::of_gguf(&file)?, &file, Some(rank), rank.device())?)
}

/// The rank's thread ends with the sender, or at the first error, which the other ranks are told of.
fn start(source: Source, rank: Communicator) -> (Sender<Step>, mpsc::Receiver<Result<()>>) {
    let (steps, receiver) = mpsc::channel::<Step>();
    let (loaded, ready) = mpsc::channel();
    let run = move || {
        let mut model = match load(&source, &rank) {
            Ok(model) => model,
            Err(error) => return drop(loaded.send(Err(error))),
        };
        let _ = loaded.send(Ok(()));
        for (tokens, position) in receiver {
            let tokens = Tensor::new(tokens, rank.device()).and_then(|tokens| tokens.unsqueeze(0));
            if let Err(error) = tokens.and_then(|tokens| model.forward(&tokens, position)) {
                return eprintln!("{rank:?}: {error}");
            }
        }
    };
    thread::spawn(run);
    (steps, ready)
}
