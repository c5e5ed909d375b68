//! Tensor parallel llama: each rank reads and keeps its part of a GGUF file, and all say the same tokens.
//!
//! ```sh
//! torchrun --nproc-per-node 2 --no-python target/release/examples/tensor_parallel llama-3-8b.Q8_0.gguf
//! ```
//!
//! Without a launcher, this process has two ranks, a thread each. `cargo xtask demo -- --tensor-parallel 2` speaks text.

use std::path::{Path, PathBuf};

use candle_core::{D, Result, Tensor};
use candle_rocm as _;
use candle_rocm_parallel::llama::{Config, Llama};
use candle_rocm_parallel::{Communicator, Gguf, run_ranks};

/// The tokens that the model finds most likely after a prompt.
fn greedy(path: &Path, ranks: &Communicator, prompt: &[u32], count: usize) -> Result<Vec<u32>> {
    let device = ranks.device();
    let file = Gguf::open(path, device)?;
    let config = Config::of_gguf(&file)?;
    let mut model = Llama::load(&config, &file, Some(ranks), device)?;
    let mut tokens = prompt.to_vec();
    let mut position = 0;
    for _ in 0..count {
        let next = Tensor::new(&tokens[position..], device)?.unsqueeze(0)?;
        let logits = model.forward(&next, position)?;
        position = tokens.len();
        tokens.push(logits.argmax(D::Minus1)?.to_vec1::<u32>()?[0]);
    }
    Ok(tokens)
}

fn main() -> Result<()> {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-docs/tiny-docs.Q8_0.gguf");
    let named = std::env::args_os().nth(1).map(PathBuf::from).filter(|path| path.is_file());
    let path = &named.unwrap_or(built_in);
    let tokens = run_ranks(2, |ranks| greedy(path, ranks, &[1, 5, 9], 16))?;
    println!("{:?}", tokens[0]);
    if tokens.iter().any(|other| *other != tokens[0]) {
        candle_core::bail!("the ranks disagree: {tokens:?}")
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
