//! Llamas with the shapes of TinyLlama (22 layers, 1.1 B parameters) and of Llama 3.2 1B (16 layers), and synthetic weights: prefill
//! of 512 tokens, then decoding of 64.

use std::collections::HashMap;
use std::io::{self, Read, Seek, SeekFrom};

use candle_core::quantized::{GgmlDType, gguf_file};
use candle_core::{D, DType, Device, Result, Shape, Tensor};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};
use candle_transformers::models::llama::{Cache, Config, Llama};
use candle_transformers::models::quantized_llama::ModelWeights;

use super::{Plan, quantized};
use crate::bars::Bar;
use crate::case::Case;
use crate::side::{Side, numbers};

const GROUP: &str = "models";
const DECODED: usize = 64;

/// The same in PyTorch, which does not have these quantized types.
const PYTHON: &str = include_str!("../llama.py");

#[derive(Clone, Copy)]
struct Sizes {
    /// Sequences.
    batch: usize,
    layers: usize,
    hidden: usize,
    inner: usize,
    heads: usize,
    kv_heads: usize,
    vocabulary: usize,
    prompt: usize,
    decoded: usize,
}

const TINY_LLAMA: Sizes = Sizes {
    batch: 1,
    layers: 22,
    hidden: 2048,
    inner: 5632,
    heads: 32,
    kv_heads: 4,
    vocabulary: 32000,
    prompt: 512,
    decoded: DECODED,
};

const LLAMA_3_2: Sizes = Sizes { layers: 16, inner: 8192, kv_heads: 8, ..TINY_LLAMA };

/// Of quick runs.
const SMALL: Sizes = Sizes {
    batch: 1,
    layers: 2,
    hidden: 256,
    inner: 512,
    heads: 4,
    kv_heads: 2,
    vocabulary: 512,
    prompt: 8,
    decoded: 2,
};

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let sizes = if plan.quick { SMALL } else { TINY_LLAMA };
    let mut cases = Vec::new();
    for dtype in [DType::BF16, DType::F32] {
        // f32 only in quick runs, whose reference is the CPU.
        if plan.quick || dtype == DType::BF16 {
            cases.extend(llama(sizes, dtype));
        }
    }
    cases.extend(QuantizedModel(sizes).cases());
    if !plan.quick {
        let [prefill, decode, graph] = llama(LLAMA_3_2, DType::BF16);
        let [quantized_prefill, quantized_decode] = QuantizedModel(LLAMA_3_2).cases();
        let (bf16, q4_k) = (Bar::Stock(3.8), Bar::Stock(4.));
        cases.extend([prefill, decode.bar(bf16.clone()), graph.bar(bf16)]);
        let [_, decode, _] = llama(Sizes { batch: 8, ..LLAMA_3_2 }, DType::BF16);
        cases.push(decode.bar(Bar::Stock(3.)));
        cases.extend([quantized_prefill, quantized_decode.bar(q4_k)]);
    }
    cases
}

/// Prefill and decoding of one model.
fn pair(
    name: [&'static str; 2],
    dtype: &str,
    sizes: Sizes,
    build: impl Fn(&Side) -> Result<Model> + Clone + 'static,
) -> [Case; 2] {
    let again = build.clone();
    let layers = if sizes.layers == 16 { "16 layers, " } else { "" };
    let sequences = if sizes.batch == 1 { String::new() } else { format!("{} sequences, ", sizes.batch) };
    // Quantized products also quantize their inputs, in every layer, and the backends do it differently.
    let tolerance = if dtype.starts_with('q') { 0.25 } else { 0.1 };
    [
        Case::new(GROUP, name[0], DType::BF16, format!("{layers}{} tok", sizes.prompt), move |side| {
            let mut model = build(side)?;
            let prompt = tokens(sizes, 0, sizes.prompt, &side.device)?;
            Ok(Box::new(move || model.prefill(&prompt)))
        })
        .dtype(dtype)
        .tolerance(tolerance)
        .bar(Bar::Stock(1.5)),
        Case::new(
            GROUP,
            name[1],
            DType::BF16,
            format!("{layers}{sequences}per token, {} tok after {}", sizes.decoded, sizes.prompt),
            move |side| {
                let mut model = again(side)?;
                model.prefill(&tokens(sizes, 0, sizes.prompt, &side.device)?)?;
                let device = side.device.clone();
                Ok(Box::new(move || model.decode(sizes, &device)))
            },
        )
        .dtype(dtype)
        .calls(sizes.decoded)
        .tolerance(tolerance)
        .bar(Bar::Stock(1.5)),
    ]
}

/// Synthetic tokens, others for each sequence.
fn tokens(sizes: Sizes, from: usize, count: usize, device: &Device) -> Result<Tensor> {
    let token = |i: usize| (i * 7919 + 13) as u32 % sizes.vocabulary as u32;
    let sequence = |s: usize| (from..from + count).map(move |i| token(i + s * sizes.prompt));
    let all: Vec<u32> = (0..sizes.batch).flat_map(sequence).collect();
    Tensor::from_vec(all, (sizes.batch, count), device)
}

/// A model with its KV cache, empty and after the prompt.
enum Model {
    Plain { model: Box<Llama>, empty: Box<Cache>, filled: Box<Cache> },
    Quantized { empty: Box<ModelWeights>, filled: Box<ModelWeights> },
}

impl Model {
    fn prefill(&mut self, prompt: &Tensor) -> Result<Tensor> {
        match self {
            Model::Plain { model, empty, filled } => {
                *filled = empty.clone();
                model.forward(prompt, 0, filled)
            }
            Model::Quantized { empty, filled } => {
                *filled = empty.clone();
                filled.forward(prompt, 0)
            }
        }
    }

    /// Decodes token by token and waits for each, as a program that prints them must. The tokens are fixed, so that both sides get
    /// the same.
    fn decode(&mut self, sizes: Sizes, device: &Device) -> Result<Tensor> {
        let (mut cache, mut weights) = match self {
            Model::Plain { filled, .. } => (Some(filled.clone()), None),
            Model::Quantized { filled, .. } => (None, Some(filled.clone())),
        };
        let mut logits = None;
        for position in sizes.prompt..sizes.prompt + sizes.decoded {
            let token = tokens(sizes, position, 1, device)?;
            let next = match (&mut *self, &mut cache, &mut weights) {
                (Model::Plain { model, .. }, Some(cache), _) => model.forward(&token, position, cache)?,
                (_, _, Some(weights)) => weights.forward(&token, position)?,
                _ => candle_core::bail!("the cache does not belong to the model"),
            };
            next.argmax(D::Minus1)?.to_vec1::<u32>()?;
            logits = Some(next);
        }
        logits.ok_or_else(|| candle_core::Error::msg("no tokens to decode"))
    }
}

/// Prefill, decoding, and decoding against PyTorch that replays a CUDA graph.
fn llama(sizes: Sizes, dtype: DType) -> [Case; 3] {
    let build = move |side: &Side| {
        let config = Config {
            hidden_size: sizes.hidden,
            intermediate_size: sizes.inner,
            vocab_size: sizes.vocabulary,
            num_hidden_layers: sizes.layers,
            num_attention_heads: sizes.heads,
            num_key_value_heads: sizes.kv_heads,
            use_flash_attn: false,
            rms_norm_eps: 1e-5,
            rope_theta: 10000.,
            bos_token_id: None,
            eos_token_id: None,
            rope_scaling: None,
            max_position_embeddings: 2048,
            tie_word_embeddings: false,
        };
        let largest = sizes.hidden * sizes.vocabulary.max(sizes.inner);
        // All weights are slices of one set of numbers: generating them separately would take longer than the measurement.
        let base = Tensor::from_vec(numbers(largest + OFFSETS, 3, |x| x), largest + OFFSETS, &side.device)?;
        let weights = VarBuilder::from_backend(Box::new(Synthetic(base)), dtype, side.device.clone());
        let model = Box::new(Llama::load(weights, &config)?);
        let empty = Box::new(Cache::new(true, dtype, &config, &side.device)?);
        Ok(Model::Plain { model, filled: empty.clone(), empty })
    };
    let names = ["e2e_llama_prefill", "e2e_llama_decode"];
    let [prefill, decode] = pair(names, dtype.as_str(), sizes, build);
    let [_, graph] = pair(["e2e_llama_prefill", "e2e_llama_decode_by_graph"], dtype.as_str(), sizes, build);
    let Sizes { batch, layers, hidden, inner, heads, kv_heads, vocabulary, prompt, decoded } = sizes;
    let setup = format!(
        "B, L, H, I, NH, NK, V, P, N = {batch}, {layers}, {hidden}, {inner}, {heads}, {kv_heads}, {vocabulary}, {prompt}, {decoded}\n{PYTHON}"
    );
    [
        prefill.torch(setup.clone(), "prefill()"),
        decode.torch(setup.clone(), "decode()"),
        graph.torch(setup, "decode_by_graph()"),
    ]
}

/// Number of different offsets at which weights start.
const OFFSETS: usize = 1 << 20;

/// Provides whatever weights a model requests, the same on all devices.
struct Synthetic(Tensor);

impl SimpleBackend for Synthetic {
    fn get(&self, shape: Shape, name: &str, _: Init, dtype: DType, _: &Device) -> Result<Tensor> {
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let numbers = self.0.narrow(0, (hash >> 20) as usize % OFFSETS, shape.elem_count())?;
        // Matrices preserve the scale of their input; scale factors are about 1.
        let numbers = match shape.dims() {
            [_, columns] => numbers.affine((3. / *columns as f64).sqrt(), 0.)?,
            _ => numbers.affine(0.1, 1.)?,
        };
        numbers.reshape(shape)?.to_dtype(dtype)
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> Result<Tensor> {
        candle_core::bail!("{name} is requested without a shape")
    }

    fn contains_tensor(&self, _: &str) -> bool {
        true
    }
}

/// A llama in Q4_K.
#[derive(Clone, Copy)]
pub(crate) struct QuantizedModel(Sizes);

impl QuantizedModel {
    /// Those that a plan has.
    pub(crate) fn all(plan: &Plan) -> Vec<Self> {
        if plan.quick { vec![Self(SMALL)] } else { vec![Self(LLAMA_3_2), Self(TINY_LLAMA)] }
    }

    pub(crate) fn layers(self) -> usize {
        self.0.layers
    }

    /// Tokens of the prompt.
    pub(crate) fn prompt(self) -> usize {
        self.0.prompt
    }

    /// Tokens that are decoded after it.
    pub(crate) fn decoded(self) -> usize {
        self.0.decoded
    }

    /// Prefill and decoding.
    pub(crate) fn cases(self) -> [Case; 2] {
        // On the CPU, these products are in f32.
        let dtype = if self.0.layers < LLAMA_3_2.layers { "q4_k/f32" } else { "q4_k" };
        pair(["e2e_qllama_prefill", "e2e_qllama_decode"], dtype, self.0, move |side| {
            let (content, mut file) = self.file()?;
            let empty = Box::new(ModelWeights::from_gguf(content, &mut file, &side.device)?);
            Ok(Model::Quantized { filled: empty.clone(), empty })
        })
    }

    /// A GGUF file with synthetic weights, in memory.
    pub(crate) fn file(self) -> Result<(gguf_file::Content, impl Read + Seek)> {
        synthetic_file(self.0)
    }
}

fn synthetic_file(sizes: Sizes) -> Result<(gguf_file::Content, Repeating)> {
    use gguf_file::Value;
    let mut metadata = HashMap::new();
    for (name, value) in [
        ("attention.head_count", sizes.heads),
        ("attention.head_count_kv", sizes.kv_heads),
        ("block_count", sizes.layers),
        ("context_length", 2 * (sizes.prompt + sizes.decoded)),
        ("embedding_length", sizes.hidden),
        ("feed_forward_length", sizes.inner),
        ("vocab_size", sizes.vocabulary),
        ("rope.dimension_count", sizes.hidden / sizes.heads),
    ] {
        metadata.insert(format!("llama.{name}"), Value::U32(value as u32));
    }
    metadata.insert("llama.attention.layer_norm_rms_epsilon".to_owned(), Value::F32(1e-5));
    // llama.cpp's name of no tokenizer.
    for (name, value) in [("general.architecture", "llama"), ("tokenizer.ggml.model", "no_vocab")] {
        metadata.insert(name.to_owned(), Value::String(value.to_owned()));
    }
    let mut tensor_infos = HashMap::new();
    let mut start = 0;
    let mut matrix = |name: String, rows: usize, columns: usize| {
        let info = gguf_file::TensorInfo {
            ggml_dtype: GgmlDType::Q4K,
            shape: Shape::from((rows, columns)),
            offset: start * GgmlDType::Q4K.type_size() as u64,
        };
        // Each matrix starts at a different offset.
        start += 37;
        tensor_infos.insert(name, info);
    };
    let (hidden, inner) = (sizes.hidden, sizes.inner);
    let kv = hidden / sizes.heads * sizes.kv_heads;
    matrix("token_embd.weight".to_owned(), sizes.vocabulary, hidden);
    matrix("output.weight".to_owned(), sizes.vocabulary, hidden);
    for layer in 0..sizes.layers {
        for (name, rows, columns) in [
            ("attn_q", hidden, hidden),
            ("attn_k", kv, hidden),
            ("attn_v", kv, hidden),
            ("attn_output", hidden, hidden),
            ("ffn_gate", inner, hidden),
            ("ffn_up", inner, hidden),
            ("ffn_down", hidden, inner),
        ] {
            matrix(format!("blk.{layer}.{name}.weight"), rows, columns);
        }
    }
    let norms = (0..sizes.layers)
        .flat_map(|layer| [format!("blk.{layer}.attn_norm.weight"), format!("blk.{layer}.ffn_norm.weight")]);
    for name in norms.chain(["output_norm.weight".to_owned()]) {
        let info = gguf_file::TensorInfo {
            ggml_dtype: GgmlDType::F32,
            shape: Shape::from(hidden),
            offset: Repeating::ONES,
        };
        tensor_infos.insert(name, info);
    }
    let content = gguf_file::Content {
        magic: gguf_file::VersionedMagic::GgufV3,
        metadata,
        tensor_infos,
        tensor_data_offset: 0,
    };
    // Small weights, which preserve the scale of their input.
    let file = Repeating { blocks: quantized::small_weights(hidden)?, position: 0 };
    Ok((content, file))
}

/// An endless file: the quantized blocks, repeated, and f32 ones from [`Repeating::ONES`] on.
struct Repeating {
    blocks: Vec<u8>,
    position: u64,
}

impl Repeating {
    const ONES: u64 = 1 << 40;
}

impl Read for Repeating {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position >= Self::ONES {
            let one = 1f32.to_le_bytes();
            for (i, byte) in buffer.iter_mut().enumerate() {
                *byte = one[(self.position as usize + i) % one.len()];
            }
            self.position += buffer.len() as u64;
            return Ok(buffer.len());
        }
        let start = self.position as usize % self.blocks.len();
        let count = buffer.len().min(self.blocks.len() - start);
        buffer[..count].copy_from_slice(&self.blocks[start..start + count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Repeating {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::End(back) => (2 * Self::ONES).saturating_add_signed(back),
            SeekFrom::Current(by) => self.position.saturating_add_signed(by),
        };
        Ok(self.position)
    }
}
