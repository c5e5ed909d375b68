//! What a decoded token takes each thread of this process, on Linux: recording, planning, submission.
//!
//! `cargo run --release -p candle-rocm-models --example host_time -- [tokens]`, with `CANDLE_ROCM_PLATFORM` as in tests. Kernels of the host
//! platform run on threads of their own.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_rocm::{GemmEngine, RocmDevice, platform};
use candle_rocm_models::{Weights, config, tokens};
use candle_transformers::models::llama;
use serde_json::json;

/// Tokens of the prompt, and those before threads and memory are warm.
const PROMPT: usize = 8;
const WARM: usize = 8;

/// Nanoseconds on a core, by the first word of the thread's name.
fn times() -> BTreeMap<String, u64> {
    let mut times = BTreeMap::new();
    for task in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let read = |name| fs::read_to_string(task.path().join(name)).unwrap_or_default();
        let name = read("comm").split_whitespace().next().unwrap_or_default().to_owned();
        let time: u64 = read("schedstat").split(' ').next().and_then(|time| time.parse().ok()).unwrap_or(0);
        *times.entry(name).or_default() += time;
    }
    times
}

fn main() -> Result<()> {
    let count: usize = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(200);
    let own = RocmDevice::on(platform::from_env()?, 0)?;
    // rocBLAS takes time of its own.
    own.set_gemm_engine(GemmEngine::Kernels);
    let vb: VarBuilder = Weights::default().on(DType::BF16, &Device::from(own.clone()));
    let text = tokens((1, PROMPT + WARM + count), 80, &vb)?;
    let config = json!({
        "num_hidden_layers": 16,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "hidden_size": 128,
        "intermediate_size": 256,
        "max_position_embeddings": PROMPT + WARM + count,
    });
    let config = self::config::<llama::LlamaConfig>(config)?.into_config(false);
    let mut cache = llama::Cache::new(true, DType::BF16, &config, vb.device())?;
    let model = llama::Llama::load(vb, &config)?;
    let mut step = |at, len| -> Result<Tensor> {
        let logits = model.forward(&text.narrow(1, at, len)?, at, &mut cache)?;
        logits.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
        Ok(logits)
    };
    step(0, PROMPT)?;
    for at in PROMPT..PROMPT + WARM {
        step(at, 1)?;
    }
    own.finish_compiling()?;
    let (before, counters, start) = (times(), own.counters(), Instant::now());
    for at in PROMPT + WARM..PROMPT + WARM + count {
        step(at, 1)?;
    }
    let (elapsed, after) = (start.elapsed(), times());
    println!("{:.1} us a token, {count} tokens", elapsed.as_secs_f64() * 1e6 / count as f64);
    println!("{:.1} launches a token", (own.counters().launches - counters.launches) as f64 / count as f64);
    for (name, time) in after {
        let time = time - before.get(&name).copied().unwrap_or(0);
        println!("{name}: {:.1} us a token", time as f64 / 1e3 / count as f64);
    }
    Ok(())
}
