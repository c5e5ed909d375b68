//! How much memory a model takes, before it is loaded.

use candle_core::DType;

use super::{Header, TensorInfo};

/// How a model will be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Tokens in the caches of keys and values at the end, which are those of the prompt and of the answer.
    pub context: usize,
    /// Tokens processed at a time, which are usually those of the prompt.
    pub prompt: usize,
    /// The dtype of the caches. candle-transformers' quantized models use f32.
    pub cache: DType,
}

impl Usage {
    /// A context with f32 caches, which a single prompt fills.
    pub fn new(context: usize) -> Self {
        Self { context, prompt: context, cache: DType::F32 }
    }

    /// Sets the number of tokens in the prompt.
    pub fn with_prompt(self, prompt: usize) -> Self {
        Self { prompt, ..self }
    }

    /// Sets the dtype of the caches.
    pub fn with_cache(self, cache: DType) -> Self {
        Self { cache, ..self }
    }
}

/// An estimate, in bytes, of the device memory that a model takes in candle-transformers' quantized models. Weights and caches are exact
/// except for rounding; the work space is what fused operations need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryNeeds {
    /// The tensors as stored in the file, or as candle converts them: norms, biases, and f16 and bf16 matrices become f32. Embeddings are
    /// in memory in both forms.
    pub weights: u64,
    /// Keys and values of the context in all layers.
    pub cache: u64,
    /// Intermediate results and tables.
    pub work: u64,
    /// The number of tokens for which the cache is.
    pub context: u64,
}

impl MemoryNeeds {
    /// The sum of all parts.
    pub fn total(&self) -> u64 {
        self.weights.saturating_add(self.cache).saturating_add(self.work)
    }

    /// The needs of each device if the model is split among several.
    pub fn split(self, devices: u64) -> Self {
        let [weights, cache, work] =
            [self.weights, self.cache, self.work].map(|bytes| bytes.div_ceil(devices.max(1)));
        Self { weights, cache, work, ..self }
    }

    /// Checks that `available` bytes suffice: see [`RocmDevice::available_memory`](crate::RocmDevice::available_memory).
    ///
    /// # Errors
    /// [`DoesNotFit`], which says what the bytes are for and which context would fit.
    pub fn fits(&self, available: u64) -> Result<(), DoesNotFit> {
        if self.total() <= available { Ok(()) } else { Err(DoesNotFit { needs: *self, available }) }
    }
}

/// A model needs more memory than is available. Converts into [`candle_core::Error`] with `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the model needs about {} (weights {}, KV cache of {} tokens {}, work space {}), but only {} are available; {}",
    size(needs.total()), size(needs.weights), needs.context, size(needs.cache), size(needs.work), size(*available), self.advice()
)]
pub struct DoesNotFit {
    /// The model's needs.
    pub needs: MemoryNeeds,
    /// Bytes that are available.
    pub available: u64,
}

impl DoesNotFit {
    /// The longest context that would fit, if any does. Shorter prompts also need less work space.
    pub fn largest_context(&self) -> Option<u64> {
        let MemoryNeeds { weights, cache, work, context } = self.needs;
        let left = self.available.checked_sub(weights.saturating_add(work))?;
        let tokens = (u128::from(left) * u128::from(context)).checked_div(cache.into())?;
        Some(tokens as u64).filter(|tokens| (1..context).contains(tokens))
    }

    fn advice(&self) -> String {
        match self.largest_context() {
            Some(tokens) => format!("a context of {tokens} tokens fits"),
            None if self.needs.weights > self.available => {
                "the weights alone do not fit: take a file with fewer bits per weight, or another device"
                    .to_owned()
            }
            None => "take a shorter context and prompt, a file with fewer bits per weight, or another device"
                .to_owned(),
        }
    }
}

impl From<DoesNotFit> for candle_core::Error {
    fn from(error: DoesNotFit) -> Self {
        candle_core::Error::wrap(error)
    }
}

impl Header {
    /// Estimates how much memory the model takes. Without [hyperparameters](Header::hyperparameters), only the weights are known.
    pub fn memory_needs(&self, usage: &Usage) -> MemoryNeeds {
        let weights = self.tensors.iter().map(device_bytes).fold(0, u64::saturating_add);
        let context = usage.context as u64;
        let (mut cache, mut work) = (0, 0);
        if let Some(model) = &self.hyperparameters {
            let tokens =
                if model.allocates_all { context.max(model.context_length.unwrap_or(0)) } else { context };
            let element = usage.cache.size_in_bytes() as u64;
            cache = product(&[model.cached_per_token, tokens, element]);
            // Sines and cosines of half a head for each position, and as much to compute them.
            let positions = model.context_length.unwrap_or(context).max(LEAST_POSITIONS);
            let tables = product(&[2, positions, model.head_length, F32]);
            // Results of operations on rows as wide as the residual, and of the wider ones between.
            let widest = self.matrices().map(|matrix| matrix.dims[0] as u64).max().unwrap_or(0);
            let row = product(&[10, model.embedding_length]).saturating_add(product(&[4, widest]));
            work = product(&[LAYERS_AT_ONCE, row, usage.prompt.max(1) as u64, F32]).saturating_add(tables);
            // Some cards unpack a matrix to half precision for a long prompt.
            let largest = self.matrices().map(elements).max().unwrap_or(0);
            work = work.saturating_add(product(&[largest, 2]));
        }
        MemoryNeeds { weights, cache, work, context }
    }

    /// The matrices of layers. The vocabulary's are for one token at a time.
    fn matrices(&self) -> impl Iterator<Item = &TensorInfo> {
        let of_a_layer = |tensor: &&TensorInfo| !is_embedding(tensor) && !tensor.name.starts_with("output");
        self.tensors.iter().filter(of_a_layer).filter(|tensor| tensor.dims.len() == 2)
    }
}

const F32: u64 = 4;
/// candle-transformers' quantized llama makes its tables for so many positions, whatever the file says.
const LEAST_POSITIONS: u64 = 4096;
/// How many layers' results there are at a time: fusion runs ahead.
const LAYERS_AT_ONCE: u64 = 2;

fn elements(tensor: &TensorInfo) -> u64 {
    tensor.dims.iter().fold(1, |product, &dim| product.saturating_mul(dim as u64))
}

fn is_embedding(tensor: &TensorInfo) -> bool {
    matches!(tensor.name.as_str(), "token_embd.weight" | "tok_embeddings.weight")
}

/// What candle keeps of a tensor.
fn device_bytes(tensor: &TensorInfo) -> u64 {
    let unpacked = elements(tensor).saturating_mul(F32);
    if is_embedding(tensor) {
        // The rows in f32; and the file's, which the last layer uses where it has no weights of its own.
        tensor.bytes.saturating_add(unpacked)
    } else if tensor.dims.len() < 2 || matches!(tensor.dtype, "F32" | "F16" | "BF16") {
        unpacked
    } else {
        tensor.bytes
    }
}

fn product(factors: &[u64]) -> u64 {
    factors.iter().copied().fold(1, u64::saturating_mul)
}

fn size(bytes: u64) -> String {
    match bytes {
        0..0x10_0000 => format!("{:.1} KiB", bytes as f64 / 1024.),
        0x10_0000..0x4000_0000 => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        _ => format!("{:.2} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}
