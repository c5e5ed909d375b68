//! llama in tensor parallel has the answers of candle-transformers' llama on the CPU.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use candle_core::quantized::QMatMul;
use candle_core::quantized::gguf_file::Content;
use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_nn::var_builder::ShardedSafeTensors;
use candle_rocm::{Fusion, GemmEngine, RocmDevice};
use candle_rocm_parallel::llama::{Config, Llama, PromptSplit};
use candle_rocm_parallel::{Gguf, Linear, Split, Weights};
use candle_transformers::models::{llama, quantized_llama};
use common::submission_gate::SubmissionGate;
use common::{counts, device, difference, numbers, ranks};

const SIZES: Config = Config {
    hidden_size: 64,
    intermediate_size: 96,
    vocab_size: 40,
    layers: 2,
    heads: 8,
    key_value_heads: 4,
    rms_norm_eps: 1e-5,
    rope_theta: 10_000.,
    interleaved: false,
    max_positions: 32,
};

/// Invented weights under their names in a safetensors file.
fn weights() -> Result<HashMap<String, Tensor>> {
    let Config { hidden_size: hidden, intermediate_size: inner, vocab_size: words, .. } = SIZES;
    let keys = hidden / 2;
    let mut all = HashMap::new();
    let mut add = |name: String, rows: usize, columns: usize| -> Result<()> {
        let seed = name.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte));
        let x = Tensor::from_vec(numbers(seed, rows * columns), (rows, columns), &Device::Cpu)?;
        all.insert(name, if rows == 1 { (x.squeeze(0)? * 0.1)? + 1. } else { x * 0.2 }?);
        Ok(())
    };
    add("model.embed_tokens.weight".into(), words, hidden)?;
    add("lm_head.weight".into(), words, hidden)?;
    add("model.norm.weight".into(), 1, hidden)?;
    for layer in 0..SIZES.layers {
        for (part, rows, columns) in [
            ("input_layernorm", 1, hidden),
            ("post_attention_layernorm", 1, hidden),
            ("self_attn.q_proj", hidden, hidden),
            ("self_attn.k_proj", keys, hidden),
            ("self_attn.v_proj", keys, hidden),
            ("self_attn.o_proj", hidden, hidden),
            ("mlp.gate_proj", inner, hidden),
            ("mlp.up_proj", inner, hidden),
            ("mlp.down_proj", hidden, inner),
        ] {
            add(format!("model.layers.{layer}.{part}.weight"), rows, columns)?;
        }
    }
    Ok(all)
}

/// A prompt, and tokens after it.
const STEPS: [(&[u32], usize); 4] = [(&[3, 14, 15, 9, 2], 0), (&[6], 5), (&[5, 3], 6), (&[5], 8)];

type Steps = Vec<(Tensor, usize)>;

fn steps() -> Result<Steps> {
    STEPS
        .iter()
        .map(|&(tokens, position)| Ok((Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?, position)))
        .collect()
}

fn transformers_llama(all: HashMap<String, Tensor>, steps: &Steps) -> Result<Vec<Tensor>> {
    let config = llama::Config {
        hidden_size: SIZES.hidden_size,
        intermediate_size: SIZES.intermediate_size,
        vocab_size: SIZES.vocab_size,
        num_hidden_layers: SIZES.layers,
        num_attention_heads: SIZES.heads,
        num_key_value_heads: SIZES.key_value_heads,
        use_flash_attn: false,
        rms_norm_eps: SIZES.rms_norm_eps,
        rope_theta: SIZES.rope_theta,
        bos_token_id: None,
        eos_token_id: None,
        rope_scaling: None,
        max_position_embeddings: SIZES.max_positions,
        tie_word_embeddings: false,
    };
    let model = llama::Llama::load(VarBuilder::from_tensors(all, DType::F32, &Device::Cpu), &config)?;
    let mut cache = llama::Cache::new(true, DType::F32, &config, &Device::Cpu)?;
    steps.iter().map(|(tokens, position)| model.forward(tokens, *position, &mut cache)).collect()
}

fn check(model: &mut Llama, device: &Device, expected: &[Tensor], tolerance: f32) -> Result<()> {
    check_steps(model, device, &steps()?, expected, tolerance)
}

fn check_steps(
    model: &mut Llama,
    device: &Device,
    steps: &Steps,
    expected: &[Tensor],
    tolerance: f32,
) -> Result<()> {
    for ((tokens, position), expected) in steps.iter().zip(expected) {
        let logits = model.forward(&tokens.to_device(device)?, *position)?;
        let difference = difference(&logits, expected);
        assert!(difference < tolerance, "{difference} at position {position}");
    }
    Ok(())
}

#[test]
fn safetensors() -> Result<()> {
    let all = weights()?;
    let file = tempfile::NamedTempFile::new()?;
    candle_core::safetensors::save(&all, file.path())?;
    let expected = transformers_llama(all, &steps()?)?;
    // SAFETY: nobody changes the file.
    let sharded =
        |device: &Device| unsafe { ShardedSafeTensors::var_builder(&[file.path()], DType::F32, device) };
    for alone in [device(0), Device::Cpu] {
        check(&mut Llama::load(&SIZES, &sharded(&alone)?, None, &alone)?, &alone, &expected, 1e-4)?;
    }
    for count in counts() {
        ranks(count, |ranks, device| {
            let mut model = Llama::load(&SIZES, &sharded(&device)?, Some(&ranks), &device)?;
            check(&mut model, &device, &expected, 1e-4)?;
            // A new sequence begins at position 0.
            check(&mut model, &device, &expected, 1e-4)
        });
    }
    Ok(())
}

#[test]
fn a_sequence_is_shortened() -> Result<()> {
    let all = weights()?;
    let file = tempfile::NamedTempFile::new()?;
    candle_core::safetensors::save(&all, file.path())?;
    let expected = transformers_llama(all, &steps()?)?;
    let device = device(0);
    // SAFETY: nobody changes the file.
    let weights = unsafe { ShardedSafeTensors::var_builder(&[file.path()], DType::F32, &device) }?;
    let mut model = Llama::load(&SIZES, &weights, None, &device)?;
    assert!(model.truncate(1).unwrap_err().to_string().contains("the sequence is empty"));
    model.truncate(0)?;
    check(&mut model, &device, &expected, 1e-4)?;
    // Its end, the last two steps, comes once more.
    for (step, length) in [(2, 6), (3, 8)] {
        model.truncate(length)?;
        let logits = model.forward(&Tensor::new(STEPS[step].0, &device)?.unsqueeze(0)?, length)?;
        assert!(difference(&logits, &expected[step]) < 1e-4, "step {step}");
    }
    assert!(model.truncate(10).is_err(), "it has nine tokens");
    Ok(())
}

/// A sum among the ranks has what is recorded run: nothing that attention is made of is held by then, or each part is a launch.
#[test]
fn a_rank_decodes_with_few_launches() -> Result<()> {
    let all = weights()?;
    let file = tempfile::NamedTempFile::new()?;
    candle_core::safetensors::save(&all, file.path())?;
    for count in counts() {
        let launches = ranks(count, |ranks, device| {
            let own: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device");
            own.set_fusion(Fusion::On);
            // rocBLAS does not count its launches.
            own.set_gemm_engine(GemmEngine::Kernels);
            // SAFETY: nobody changes the file.
            let vb = unsafe { ShardedSafeTensors::var_builder(&[file.path()], DType::F32, &device)? };
            let mut model = Llama::load(&SIZES, &vb, Some(&ranks), &device)?;
            let mut launches = 0;
            for (tokens, position) in [(5, 0), (1, 5), (1, 6), (1, 7)] {
                let tokens = Tensor::zeros((1, tokens), DType::U32, &device)?;
                let before = own.counters().launches;
                model.forward(&tokens, position)?.to_device(&Device::Cpu)?;
                launches = own.counters().launches - before;
            }
            Ok(launches)
        });
        println!("{launches:?} launches of {count} ranks");
        for launches in launches {
            assert!(launches <= 5 * SIZES.layers + 8, "{launches} launches of one of {count} ranks");
        }
    }
    Ok(())
}

/// What is recorded for a token waits for nothing, and a sum among the ranks is followed by one launch for residual and norm.
#[test]
fn a_token_is_recorded_without_waiting() -> Result<()> {
    let all = weights()?;
    let file = tempfile::NamedTempFile::new()?;
    candle_core::safetensors::save(&all, file.path())?;
    let expected = transformers_llama(all, &steps()?)?;
    for count in counts() {
        ranks(count, |ranks, device| {
            let own: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device");
            own.set_fusion(Fusion::On);
            // SAFETY: nobody changes the file.
            let vb = unsafe { ShardedSafeTensors::var_builder(&[file.path()], DType::F32, &device)? };
            let mut model = Llama::load(&SIZES, &vb, Some(&ranks), &device)?;
            for ((tokens, position), expected) in STEPS.into_iter().zip(&expected) {
                let tokens = Tensor::new(tokens, &device)?.unsqueeze(0)?;
                let gate = SubmissionGate::on(&device)?;
                let logits = model.forward(&tokens, position)?;
                gate.open()?;
                let difference = difference(&logits, expected);
                assert!(difference < 1e-4, "{difference} at position {position}");
            }
            own.set_profiling(true);
            model.forward(&Tensor::new(&[[5u32]], &device)?, 9)?.to_device(&Device::Cpu)?;
            let operations = own.counters().operations;
            own.set_profiling(false);
            let calls = |name| operations.get(name).map_or(0, |counters| counters.calls);
            // The first norm is of embeddings, which nothing was added to. Those before gates are part of the products' launch.
            let of_sums = operations.iter().filter(|(name, _)| name.starts_with("add-norm"));
            let norms = (of_sums.map(|(_, counters)| counters.calls).sum::<usize>(), calls("rms-norm"));
            assert_eq!(norms, (2 * SIZES.layers, 1), "{operations:?}");
            assert_eq!(calls("sum_of_parts"), 2 * SIZES.layers, "{operations:?}");
            assert_eq!(calls("add"), 0, "{operations:?}");
            Ok(())
        });
    }
    Ok(())
}

/// Prompts of one sequence, of several, and behind tokens that are there already.
#[test]
fn prompts_in_parts() -> Result<()> {
    let all = weights()?;
    let file = tempfile::NamedTempFile::new()?;
    candle_core::safetensors::save(&all, file.path())?;
    for batch in [1, 3] {
        // The second is too short to be split, and none of the third's parts has more than a token with four of them.
        let lengths = [(7, 0), (1, 7), (3, 8), (10, 11), (1, 21)];
        let prompt = |(length, position): (usize, usize)| {
            let tokens = (0..batch * length).map(|i| ((i * 7 + position * 3 + 1) % SIZES.vocab_size) as u32);
            Ok((Tensor::from_iter(tokens, &Device::Cpu)?.reshape((batch, length))?, position))
        };
        let steps = lengths.into_iter().map(prompt).collect::<Result<Steps>>()?;
        let expected = transformers_llama(all.clone(), &steps)?;
        for count in counts() {
            ranks(count, |ranks, device| {
                // SAFETY: nobody changes the file.
                let vb = unsafe { ShardedSafeTensors::var_builder(&[file.path()], DType::F32, &device)? };
                let mut model = Llama::load(&SIZES, &vb, Some(&ranks), &device)?;
                for (min_tokens, parts) in [(0, 2), (0, 4), (5, 2), (usize::MAX, 2), (0, 0)] {
                    model.set_prompt_split(PromptSplit { min_tokens, parts });
                    check_steps(&mut model, &device, &steps, &expected, 1e-4)?;
                }
                Ok(())
            });
        }
    }
    Ok(())
}

/// Each part has the sums, and the launches, that a prompt by itself has.
#[test]
fn what_parts_of_a_prompt_launch() -> Result<()> {
    let all = weights()?;
    let file = tempfile::NamedTempFile::new()?;
    candle_core::safetensors::save(&all, file.path())?;
    let Some(&count) = counts().first() else { return Ok(()) };
    ranks(count, |ranks, device| {
        let own: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device");
        own.set_fusion(Fusion::On);
        // rocBLAS does not count its launches.
        own.set_gemm_engine(GemmEngine::Kernels);
        // SAFETY: nobody changes the file.
        let vb = unsafe { ShardedSafeTensors::var_builder(&[file.path()], DType::F32, &device)? };
        let mut model = Llama::load(&SIZES, &vb, Some(&ranks), &device)?;
        let tokens = Tensor::zeros((1, 12), DType::U32, &device)?;
        let mut launches = Vec::new();
        for parts in [1, 2, 3] {
            model.set_prompt_split(PromptSplit { min_tokens: 0, parts });
            // Kernels are loaded, and plans made.
            model.forward(&tokens, 0)?.to_device(&Device::Cpu)?;
            let before = own.counters().launches;
            model.forward(&tokens, 0)?.to_device(&Device::Cpu)?;
            launches.push(own.counters().launches - before);

            own.set_profiling(true);
            model.forward(&tokens, 0)?.to_device(&Device::Cpu)?;
            let operations = own.counters().operations;
            own.set_profiling(false);
            let calls = |name| operations.get(name).map_or(0, |counters| counters.calls);
            let sums = 2 * SIZES.layers * parts;
            assert_eq!(calls("sum_of_parts"), sums, "{operations:?}");
            assert_eq!(calls("wait for reductions"), if parts > 1 { sums } else { 0 }, "{operations:?}");
            // Only the last part's tokens are read behind the last layer.
            let of_sums = operations.iter().filter(|(name, _)| name.starts_with("add-norm"));
            let norms = (of_sums.map(|(_, counters)| counters.calls).sum::<usize>(), calls("rms-norm"));
            assert_eq!(norms, (sums - (parts - 1), parts), "{operations:?}");
            assert_eq!(calls("sdpa"), SIZES.layers * parts, "{operations:?}");
        }
        println!("{launches:?} launches");
        assert!(launches[1] <= 2 * launches[0] && launches[2] <= 3 * launches[0], "{launches:?}");
        Ok(())
    });
    Ok(())
}

fn tiny_docs() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-docs/tiny-docs.Q8_0.gguf");
    if !path.exists() {
        eprintln!("SKIPPED: {} does not exist", path.display());
    }
    path.exists().then_some(path)
}

/// Quantized weights stay as they are: each rank has some of their blocks.
#[test]
fn gguf() -> Result<()> {
    let Some(path) = tiny_docs() else { return Ok(()) };
    let mut file = File::open(&path)?;
    let content = Content::read(&mut file)?;
    let mut model = quantized_llama::ModelWeights::from_gguf(content, &mut file, &Device::Cpu)?;
    let step = |(tokens, position): (&[u32], usize)| {
        model.forward(&Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?, position)
    };
    let expected: Vec<Tensor> = STEPS.into_iter().map(step).collect::<Result<_>>()?;
    for count in counts() {
        ranks(count, |ranks, device| {
            let gguf = Gguf::open(&path, &device)?;
            let config = Config::of_gguf(&gguf)?;
            if config.key_value_heads % count as usize != 0 {
                let refused = Llama::load(&config, &gguf, Some(&ranks), &device).err().unwrap().to_string();
                assert!(refused.contains(&format!("heads cannot be split among {count} ranks")), "{refused}");
                return Ok(());
            }
            check(&mut Llama::load(&config, &gguf, Some(&ranks), &device)?, &device, &expected, 3e-2)
        });
    }
    Ok(())
}

/// A part of a larger tensor is none of the tensor that was asked for.
#[test]
fn another_shape_is_refused() -> Result<()> {
    let Some(path) = tiny_docs() else { return Ok(()) };
    let gguf = Gguf::open(path, &Device::Cpu)?;
    let name = "model.embed_tokens.weight";
    let dims = gguf.dims(name).expect("it is there").to_vec();
    let [rows, columns] = dims[..] else { panic!("{dims:?}") };
    assert_eq!(gguf.tensor(name, &dims)?.dims(), dims);
    for other in [[rows - 1, columns], [columns, rows]] {
        let expected = format!("{name}: {dims:?} in the file, {other:?} expected");
        assert!(gguf.tensor(name, &other).unwrap_err().to_string().contains(&expected));
        assert!(gguf.linear(name, other, Split::Whole, 0, 1).unwrap_err().to_string().contains(&expected));
    }
    Ok(())
}

/// MXFP4, of which block i of each row is 2^i times the row's number: a rank has its rows, or its blocks of all.
#[test]
fn parts_of_a_type_without_a_name() -> Result<()> {
    let (rows, columns) = (4, 64);
    let mut file = b"GGUF".to_vec();
    let name = "blk.0.attn_q.weight";
    file.extend(3u32.to_le_bytes());
    [1, 0, name.len() as u64].iter().for_each(|number| file.extend(number.to_le_bytes()));
    file.extend(name.as_bytes());
    file.extend(2u32.to_le_bytes());
    [columns, rows].iter().for_each(|&size| file.extend((size as u64).to_le_bytes()));
    file.extend(39u32.to_le_bytes());
    file.extend(0u64.to_le_bytes());
    file.resize(file.len().next_multiple_of(32), 0);
    // Nibbles 0, 2, 4 and 5 are 0, 1, 2 and 3.
    for nibbles in [0x00, 0x22, 0x44, 0x55] {
        for exponent in 0..2 {
            file.push(127 + exponent);
            file.extend([nibbles; 16]);
        }
    }
    let gguf = Gguf::new(std::io::Cursor::new(file), &Device::Cpu)?;
    let name = "model.layers.0.self_attn.q_proj.weight";
    let number = |row: usize, column: usize| (row << (column / 32)) as f32;
    let numbers = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| -> Vec<Vec<f32>> {
        rows.map(|row| columns.clone().map(|column| number(row, column)).collect()).collect()
    };
    assert_eq!(gguf.tensor(name, &[rows, columns])?.to_vec2::<f32>()?, numbers(0..4, 0..64));
    let part = |split| match gguf.linear(name, [rows, columns], split, 1, 2)? {
        Linear::Quantized(QMatMul::QTensor(weights)) => weights.dequantize(&Device::Cpu)?.to_vec2::<f32>(),
        _ => candle_core::bail!("quantized weights are expected"),
    };
    assert_eq!(part(Split::Outputs)?, numbers(2..4, 0..64));
    assert_eq!(part(Split::Inputs)?, numbers(0..4, 32..64));
    Ok(())
}

#[test]
fn what_cannot_be_split_is_refused() -> Result<()> {
    let Some(&count) = counts().first() else { return Ok(()) };
    let file = tempfile::NamedTempFile::new()?;
    candle_core::safetensors::save(&weights()?, file.path())?;
    ranks(count, |ranks, device| {
        // SAFETY: nobody changes the file.
        let sharded = unsafe { ShardedSafeTensors::var_builder(&[file.path()], DType::F32, &device) }?;
        let odd = Config { key_value_heads: 3, ..SIZES };
        let refused = Llama::load(&odd, &sharded, Some(&ranks), &device).err().unwrap().to_string();
        assert!(refused.contains("3 key-value heads cannot be split among 2 ranks"), "{refused}");
        Ok(())
    });
    Ok(())
}
