//! The hyperparameters that candle-transformers' quantized models divide by or allocate by.
//!
//! Bounds are far above those of any model, and low enough that what candle allocates by them stays below some GiB. A key that is
//! missing, or not a number, is left to candle, whose error names it.

use std::fmt::Display;

use super::metadata::{Metadata, Value};
use super::{ModelFault, TensorInfo};

/// The prefixes of keys that candle-transformers 0.11.1 reads. A loader does not look at `general.architecture`, so neither do
/// these checks: they go by the keys that are there.
const ARCHITECTURES: &[&str] = &[
    "gemma",
    "gemma-embedding",
    "gemma2",
    "gemma3",
    "glm4",
    "lfm2",
    "llama",
    "phi2",
    "phi3",
    "qwen2",
    "qwen2moe",
    "qwen3",
    "qwen3moe",
    "smollm3",
];

const MAX_WIDTH: u64 = 1 << 20;
const MAX_HEADS: u64 = 1 << 16;
const MAX_EXPERTS: u64 = 1 << 16;
/// Elements of keys, or of values, that a layer keeps of one token.
const MAX_CACHED: u64 = 1 << 17;
/// Elements of a table of rotary embeddings, which has half a head's for each position: 1 GiB.
const MAX_ROTARY: u64 = 1 << 28;
/// Elements of a cache of keys that is allocated for the whole context: 4 GiB.
const MAX_CACHE: u64 = 1 << 30;
/// Positions of a short convolution.
const MAX_CONVOLUTION: u64 = 1 << 10;

pub(super) fn check(metadata: &Metadata, tensors: &[TensorInfo]) -> Result<(), ModelFault> {
    for &name in ARCHITECTURES {
        let model = Model { name, metadata, tensors };
        if metadata.contains_key(&model.key("attention.head_count")) {
            model.check()?;
        }
    }
    Ok(())
}

/// What [`check`] does for llama's hyperparameters in a GGML file.
pub(super) fn check_ggml(width: u32, heads: u32, layers: u32, tensors: usize) -> Result<(), ModelFault> {
    let refuse = |field: &str, value: u32, expected: String| {
        Err(ModelFault::Field { field: field.to_owned(), value: value.to_string(), expected })
    };
    if !(1..=MAX_WIDTH).contains(&width.into()) {
        return refuse("the embedding length", width, format!("1 to {MAX_WIDTH}"));
    }
    if heads == 0 || !width.is_multiple_of(heads) || !(width / heads).is_multiple_of(2) {
        let expected = format!("a divisor of the embedding length ({width}), with an even quotient");
        return refuse("the number of heads", heads, expected);
    }
    if layers == 0 || layers as usize > tensors {
        return refuse("the number of layers", layers, format!("1 to {tensors}, the number of tensors"));
    }
    Ok(())
}

/// The hyperparameters that determine how much memory a language model takes in addition to its weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Hyperparameters {
    /// The length of a token's vector between layers.
    pub embedding_length: u64,
    /// The length of a query head.
    pub head_length: u64,
    /// Elements of keys and values that all layers together cache per token.
    pub cached_per_token: u64,
    /// The longest context with which the model was trained, if the file states it.
    pub context_length: Option<u64>,
    /// Whether candle allocates the cache for the longest context, even if a shorter one is used.
    pub allocates_all: bool,
}

impl Hyperparameters {
    /// Of the architecture that the file names, or of the one whose keys it has.
    pub(super) fn of_gguf(architecture: Option<&str>, metadata: &Metadata) -> Option<Self> {
        let names = architecture.into_iter().chain(ARCHITECTURES.iter().copied());
        names.map(|name| Model { name, metadata, tensors: &[] }).find_map(|model| model.hyperparameters())
    }

    /// A llama whose heads all have keys of their own.
    pub(super) fn of_ggml(width: u32, heads: u32, layers: u32) -> Self {
        let [width, heads, layers] = [width, heads, layers].map(u64::from);
        Self {
            embedding_length: width,
            head_length: width / heads,
            cached_per_token: 2 * layers * width,
            context_length: None,
            allocates_all: false,
        }
    }
}

/// The hyperparameters of one architecture.
struct Model<'a> {
    name: &'a str,
    metadata: &'a Metadata,
    tensors: &'a [TensorInfo],
}

impl Model<'_> {
    fn check(&self) -> Result<(), ModelFault> {
        let layers = self.tensors.len() as u64;
        self.within("block_count", 1, layers, " (the number of tensors)")?;
        let width = self.within("embedding_length", 1, MAX_WIDTH, "")?;
        let Some(heads) = self.within("attention.head_count", 1, MAX_HEADS, "")? else { return Ok(()) };
        let Some(head) = self.head(width, heads)? else { return Ok(()) };
        self.check_head(heads, head)?;
        self.check_cache(heads, head)?;
        self.check_experts()?;
        match self.name {
            "lfm2" => self.within("shortconv.l_cache", 1, MAX_CONVOLUTION, "").map(drop),
            name if name.starts_with("gemma") => {
                self.within("attention.sliding_window_type", 1, u32::MAX.into(), "").map(drop)
            }
            _ => Ok(()),
        }
    }

    fn hyperparameters(&self) -> Option<Hyperparameters> {
        let of = |key: &str| self.number(key).and_then(|number| u64::try_from(number).ok());
        let (width, layers) = (of("embedding_length")?, of("block_count")?);
        let heads = of("attention.head_count").filter(|heads| *heads > 0)?;
        let keys = of("attention.key_length").unwrap_or(width / heads);
        let values = of("attention.value_length").unwrap_or(keys);
        // Heads with keys and values, of all layers: given for each, or one for all.
        let cached = match self.metadata.get(&self.key("attention.head_count_kv")) {
            Some(Value::Numbers(each)) => u64::try_from(each.iter().sum::<i128>()).ok()?,
            _ => of("attention.head_count_kv").unwrap_or(heads).checked_mul(layers)?,
        };
        Some(Hyperparameters {
            embedding_length: width,
            head_length: keys,
            cached_per_token: cached.checked_mul(keys.checked_add(values)?)?,
            context_length: of("context_length"),
            allocates_all: self.name == "phi3",
        })
    }

    /// The length of a head.
    fn head(&self, width: Option<u64>, heads: u64) -> Result<Option<u64>, ModelFault> {
        let given = self.within("attention.key_length", 1, MAX_WIDTH, "")?;
        match (given, width) {
            (Some(length), _) => Ok(Some(length)),
            (None, Some(width)) if width.is_multiple_of(heads) => Ok(Some(width / heads)),
            (None, Some(width)) => self.refuse(
                "attention.head_count",
                heads,
                format!("a divisor of {} ({width})", self.key("embedding_length")),
            ),
            (None, None) => Ok(None),
        }
    }

    /// Rotary embeddings turn pairs of elements; glm4 turns half a head.
    fn check_head(&self, heads: u64, head: u64) -> Result<(), ModelFault> {
        let pairs = if self.name == "glm4" { 4 } else { 2 };
        if !head.is_multiple_of(pairs) || heads * head > MAX_WIDTH {
            let key = if self.number("attention.key_length").is_some() {
                "attention.key_length"
            } else {
                "embedding_length"
            };
            let expected =
                format!("heads of a multiple of {pairs} elements, {heads} of them at most {MAX_WIDTH}");
            return self.refuse(key, format!("{heads} heads of {head} elements"), expected);
        }
        self.within("rope.dimension_count", 1, head, " (the length of a head)")?;
        let positions = MAX_ROTARY / (head / 2).max(1);
        self.within("context_length", 1, positions, "").map(drop)
    }

    fn check_cache(&self, heads: u64, head: u64) -> Result<(), ModelFault> {
        const KEY: &str = "attention.head_count_kv";
        for given in self.numbers(KEY) {
            // Layers of lfm2 that have no heads are convolutions.
            let none = given == 0 && self.name == "lfm2";
            let groups = u64::try_from(given).ok().filter(|given| *given > 0 && heads.is_multiple_of(*given));
            let fits = groups.is_some_and(|groups| groups * head <= MAX_CACHED);
            if !fits && !none {
                let expected = format!(
                    "a divisor of {} ({heads}), with at most {MAX_CACHED} elements in all",
                    self.key("attention.head_count")
                );
                return self.refuse(KEY, given, expected);
            }
            if let (Some(groups), "phi3") = (groups, self.name) {
                self.within("context_length", 1, MAX_CACHE / (groups * head), "")?;
            }
        }
        Ok(())
    }

    /// The router's outputs become indices of experts.
    fn check_experts(&self) -> Result<(), ModelFault> {
        let Some(experts) = self.within("expert_count", 0, MAX_EXPERTS, "")?.filter(|count| *count > 0)
        else {
            return Ok(());
        };
        self.within("expert_used_count", 1, experts, "")?;
        for tensor in self.tensors {
            let router = tensor.name.ends_with(".ffn_gate_inp.weight");
            let stacked = tensor.name.ends_with("_exps.weight");
            if (router || stacked) && tensor.dims.first() != Some(&(experts as usize)) {
                return Err(ModelFault::Tensor {
                    tensor: tensor.name.clone(),
                    value: format!("shape {:?}", tensor.dims),
                    expected: format!("a first dimension of {} ({experts})", self.key("expert_count")),
                });
            }
        }
        Ok(())
    }

    fn key(&self, key: &str) -> String {
        format!("{}.{key}", self.name)
    }

    fn number(&self, key: &str) -> Option<i128> {
        match self.metadata.get(&self.key(key))? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// One number, or one per layer.
    fn numbers(&self, key: &str) -> Vec<i128> {
        match self.metadata.get(&self.key(key)) {
            Some(Value::Number(number)) => vec![*number],
            Some(Value::Numbers(numbers)) => numbers.clone(),
            _ => Vec::new(),
        }
    }

    fn within(&self, key: &str, least: u64, most: u64, why: &str) -> Result<Option<u64>, ModelFault> {
        let Some(number) = self.number(key) else { return Ok(None) };
        match u64::try_from(number) {
            Ok(number) if (least..=most).contains(&number) => Ok(Some(number)),
            _ => self.refuse(key, number, format!("{least} to {most}{why}")),
        }
    }

    fn refuse<T>(&self, key: &str, value: impl Display, expected: String) -> Result<T, ModelFault> {
        Err(ModelFault::Key { key: self.key(key), value: value.to_string(), expected })
    }
}
