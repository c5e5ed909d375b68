//! moshi's audio codec, its language model with a transformer over codebooks, and speech recognition, on a ROCm device and on the CPU.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use candle_core::rocm::forbid_fallback;
use candle_core::{DType, Device, Result, Shape, Tensor};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Activation, Init, VarBuilder};
use candle_rocm as _;
use candle_transformers::generation::LogitsProcessor;
use checkpoints::{BF16, F32, Gguf, Q8, Repository, Tensors, assert_close};
use moshi::asr::{self, AsrMsg};
use moshi::conv::{Norm, PadMode};
use moshi::lm::{self, DepFormerConfig, ExtraHeadsConfig, LmModel};
use moshi::lm_generate;
use moshi::mimi::{self, Mimi, ResampleMethod};
use moshi::nn::MaybeQuantizedVarBuilder;
use moshi::transformer::{self, PositionalEmbedding};
use moshi::{NormType, StreamMask, seanet};

/// The first one as moshi's servers choose it.
fn devices() -> Result<Vec<Device>> {
    forbid_fallback();
    assert!(candle_core::utils::cuda_is_available());
    let devices = checkpoints::ordinals().map(Device::new_cuda).collect::<Result<Vec<_>>>()?;
    assert!(devices.iter().all(Device::is_rocm));
    Ok(devices)
}

/// Notes the names and shapes that a model asks for, which are then written to a file.
#[derive(Clone, Default)]
struct Names(Arc<Mutex<Vec<(String, Vec<usize>)>>>);

impl Names {
    fn of(model: impl FnOnce(VarBuilder<'static>) -> Result<()>) -> Result<Vec<(String, Vec<usize>)>> {
        let names = Self::default();
        model(VarBuilder::from_backend(Box::new(names.clone()), DType::F32, Device::Cpu))?;
        let names = names.0.lock().unwrap();
        let mut names = names.clone();
        names.sort();
        names.dedup();
        Ok(names)
    }
}

impl SimpleBackend for Names {
    fn get(&self, shape: Shape, name: &str, _: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        self.0.lock().unwrap().push((name.to_owned(), shape.dims().to_vec()));
        Tensor::ones(shape, dtype, device)
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> Result<Tensor> {
        candle_core::bail!("{name} is asked for without a shape")
    }

    fn contains_tensor(&self, _: &str) -> bool {
        true
    }
}

fn write(repository: &str, names: Vec<(String, Vec<usize>)>) -> Result<PathBuf> {
    let mut tensors = Tensors::default();
    for (name, shape) in names {
        tensors.add(name, &shape);
    }
    let repository = Repository::new(repository)?;
    repository.tensors("model.safetensors", &tensors)?;
    Ok(repository.folder().join("model.safetensors"))
}

fn transformer_config(norm: NormType, gating: Option<Activation>) -> transformer::Config {
    transformer::Config {
        d_model: 64,
        num_heads: 4,
        num_layers: 2,
        dim_feedforward: 96,
        causal: true,
        norm_first: true,
        bias_ff: false,
        bias_attn: false,
        layer_scale: None,
        context: 16,
        max_period: 10000,
        use_conv_block: false,
        use_conv_bias: true,
        cross_attention: None,
        gating,
        norm,
        positional_embedding: PositionalEmbedding::Rope,
        conv_layout: false,
        conv_kernel_size: 3,
        kv_repeat: 1,
        max_seq_len: 64,
        shared_cross_attn: false,
    }
}

const BINS: usize = 32;
const CODEBOOKS: usize = 4;
/// Samples of a frame.
const FRAME: usize = 16;

/// Mimi's configuration, with narrow layers: eight samples are one step of the encoder, and two steps a frame.
fn mimi_config() -> mimi::Config {
    mimi::Config {
        channels: 1,
        sample_rate: 200.,
        frame_rate: 12.5,
        renormalize: true,
        resample_method: ResampleMethod::Conv,
        seanet: seanet::Config {
            dimension: 64,
            channels: 1,
            causal: true,
            n_filters: 8,
            n_residual_layers: 1,
            activation: Activation::Elu(1.),
            compress: 2,
            dilation_base: 2,
            disable_norm_outer_blocks: 0,
            final_activation: None,
            kernel_size: 7,
            residual_kernel_size: 3,
            last_kernel_size: 3,
            lstm: 0,
            norm: Norm::WeightNorm,
            pad_mode: PadMode::Constant,
            ratios: vec![4, 2],
            true_skip: true,
        },
        transformer: transformer::Config {
            layer_scale: Some(0.01),
            conv_layout: true,
            ..transformer_config(NormType::LayerNorm, None)
        },
        quantizer_n_q: CODEBOOKS,
        quantizer_bins: BINS,
        quantizer_dim: 32,
    }
}

fn mimi_file(repository: &str) -> Result<PathBuf> {
    write(repository, Names::of(|vb| Mimi::new(mimi_config(), vb).map(drop))?)
}

fn mimi(file: &PathBuf, batch: Option<usize>, device: &Device) -> Result<Mimi> {
    // SAFETY: nothing writes to the file meanwhile.
    let vb = unsafe { VarBuilder::from_mmaped_safetensors(&[file], DType::F32, device)? };
    match batch {
        None => Mimi::new(mimi_config(), vb),
        Some(batch) => Mimi::batched(batch, mimi_config(), vb),
    }
}

/// Sound of that many frames.
fn pcm(batch: usize, frames: usize, device: &Device) -> Result<Tensor> {
    let sample = |i: usize| (i as f32 * 0.7).sin() + 0.5 * (i as f32 * 0.31).cos();
    let samples = (0..batch * frames * FRAME).map(sample).collect();
    Tensor::from_vec(samples, (batch, 1, frames * FRAME), device)
}

fn numbers(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.to_dtype(DType::F32)?.flatten_all()?.to_vec1()
}

#[test]
fn codec() -> Result<()> {
    let file = mimi_file("invented/mimi")?;
    let run = |device: &Device| -> Result<[Vec<f32>; 4]> {
        let mut mimi = mimi(&file, None, device)?;
        let sound = pcm(1, 6, device)?;
        let latents = mimi.encode_pre_quantize(&sound)?;
        mimi.reset_state();
        let codes = mimi.encode(&sound)?;
        mimi.reset_state();
        let whole = mimi.decode(&codes)?;
        mimi.reset_state();
        let mut steps = Vec::new();
        for frame in 0..codes.dim(2)? {
            let step = mimi.decode_step(&codes.narrow(2, frame, 1)?.into(), &StreamMask::empty())?;
            steps.extend(step.as_option().map(numbers).transpose()?.unwrap_or_default());
        }
        Ok([numbers(&codes)?, numbers(&latents)?, numbers(&whole)?, steps])
    };
    let expected = run(&Device::Cpu)?;
    for device in devices()? {
        for (what, (actual, expected)) in
            ["codes", "latents", "sound", "sound by steps"].iter().zip(run(&device)?.iter().zip(&expected))
        {
            assert_close(&format!("{what} on {:?}", device.location()), actual, expected, F32);
        }
    }
    Ok(())
}

const TEXT_TOKENS: usize = 48;

fn lm_config(extra_heads: bool) -> lm::Config {
    let depformer = DepFormerConfig {
        num_slices: CODEBOOKS,
        transformer: transformer::Config {
            context: CODEBOOKS,
            positional_embedding: PositionalEmbedding::None,
            ..transformer_config(NormType::RmsNorm, Some(Activation::Silu))
        },
        low_rank_embeddings: None,
    };
    lm::Config {
        transformer: transformer_config(NormType::RmsNorm, Some(Activation::Silu)),
        depformer: (!extra_heads).then_some(depformer),
        text_in_vocab_size: TEXT_TOKENS + 1,
        text_out_vocab_size: TEXT_TOKENS,
        audio_vocab_size: BINS + 1,
        audio_codebooks: CODEBOOKS,
        conditioners: None,
        extra_heads: extra_heads.then_some(ExtraHeadsConfig { num_heads: 2, dim: 6 }),
    }
}

fn lm_names(config: &lm::Config) -> Result<Vec<(String, Vec<usize>)>> {
    Names::of(|vb| LmModel::new(config, MaybeQuantizedVarBuilder::Real(vb)).map(drop))
}

/// The logits of each step, and the tokens that are likeliest.
fn generate(mut model: LmModel) -> Result<(Vec<f32>, Vec<u32>)> {
    let device = model.device().clone();
    let mut logits = Vec::new();
    for step in 0..5u32 {
        let token = |id: u32| Tensor::from_vec(vec![id], (1, 1), &device).map(Some);
        let audio = (0..CODEBOOKS as u32)
            .map(|book| token((step * 7 + book) % BINS as u32))
            .collect::<Result<_>>()?;
        let (text, hidden) = model.forward(token(step)?, audio, &().into())?;
        logits.extend([numbers(&text)?, numbers(&hidden)?].concat());
    }
    model.reset_state();
    let config = lm_generate::Config {
        audio_delays: vec![0, 1, 1, 1],
        audio_vocab_size: BINS + 1,
        text_pad_token: 3,
        text_eop_token: 0,
        text_start_token: TEXT_TOKENS as u32,
    };
    let likeliest = || LogitsProcessor::new(1, None, None);
    let mut state = lm_generate::State::new(model, 16, likeliest(), likeliest(), config);
    let mut tokens = Vec::new();
    for _ in 0..8 {
        state.step(None)?;
        tokens.extend(state.last_text_token()?);
        tokens.extend(state.last_audio_tokens()?.into_iter().flatten());
    }
    Ok((logits, tokens))
}

#[test]
fn language_model() -> Result<()> {
    let config = lm_config(false);
    let names = lm_names(&config)?;
    let mut gguf = Gguf::default();
    for (name, shape) in &names {
        gguf.tensor(name.as_str(), shape);
    }
    let file = write("invented/moshi", names)?;
    let quantized = file.with_extension("gguf");
    gguf.write(&quantized)?;
    let load =
        |file: &PathBuf, dtype, device: &Device| lm::load_lm_model(config.clone(), file, dtype, device);

    let (expected, tokens) = generate(load(&file, DType::F32, &Device::Cpu)?)?;
    let (expected_quantized, _) = generate(load(&quantized, DType::F32, &Device::Cpu)?)?;
    for device in devices()? {
        let at = device.location();
        let (logits, same) = generate(load(&file, DType::F32, &device)?)?;
        assert_close(&format!("logits on {at:?}"), &logits, &expected, F32);
        assert_eq!(same, tokens);
        // As its servers load it.
        let dtype = device.bf16_default_to_f32();
        assert_eq!(dtype, DType::BF16);
        let (logits, _) = generate(load(&file, dtype, &device)?)?;
        assert_close(&format!("logits in {dtype:?} on {at:?}"), &logits, &expected, BF16);
        let (logits, _) = generate(load(&quantized, DType::F32, &device)?)?;
        // With attention in bf16, which it chooses where `is_cuda` is true.
        assert_close(&format!("logits of GGUF on {at:?}"), &logits, &expected_quantized, Q8.max(BF16));
    }
    Ok(())
}

#[test]
fn speech_recognition() -> Result<()> {
    let batch = 2;
    let sound_file = mimi_file("invented/mimi-batched")?;
    let config = lm_config(true);
    let file = write("invented/moshi-asr", lm_names(&config)?)?;
    let run = |device: &Device| -> Result<(Vec<f32>, Vec<u32>)> {
        // SAFETY: nothing writes to the file meanwhile.
        let vb = unsafe { VarBuilder::from_mmaped_safetensors(&[&file], DType::F32, device)? };
        let model = LmModel::batched(batch, &config, MaybeQuantizedVarBuilder::Real(vb))?;
        let mut state = asr::State::new(batch, 2, 0., mimi(&sound_file, Some(batch), device)?, model)?;
        let sound = pcm(batch, 6, device)?;
        let (mut heads, mut words) = (Vec::new(), Vec::new());
        for frame in 0..6 {
            // The second one pauses.
            let mask = StreamMask::new(vec![true, frame != 2], device)?;
            let sound = sound.narrow(2, frame * FRAME, FRAME)?;
            for message in state.step_pcm(sound, None, &mask, |_, _, _| ())? {
                match message {
                    AsrMsg::Step { prs, .. } => heads.extend(prs.concat()),
                    AsrMsg::Word { tokens, batch_idx, .. } => {
                        words.extend(tokens.into_iter().chain([batch_idx as u32]))
                    }
                    AsrMsg::EndWord { batch_idx, .. } => words.push(batch_idx as u32),
                }
            }
        }
        Ok((heads, words))
    };
    let (expected, expected_words) = run(&Device::Cpu)?;
    for device in devices()? {
        let (heads, words) = run(&device)?;
        assert_close(&format!("heads on {:?}", device.location()), &heads, &expected, F32);
        assert_eq!(words, expected_words);
    }
    Ok(())
}
