//! Model files without weights: a header, and nothing behind it.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

/// The sizes of a llama.
pub(super) struct Llama {
    name: &'static str,
    layers: u32,
    hidden: u32,
    inner: u32,
    heads: u32,
    /// Of keys and values.
    kv_heads: u32,
    vocabulary: u32,
    /// Whether the embedding is the last layer's matrix as well.
    is_tied: bool,
}

/// Llama 3.2 1B, Llama 3.1 8B and Llama 2 7B, as llama-bench calls them.
const KNOWN: [Llama; 3] = [
    Llama {
        name: "llama 1B",
        layers: 16,
        hidden: 2048,
        inner: 8192,
        heads: 32,
        kv_heads: 8,
        vocabulary: 128_256,
        is_tied: true,
    },
    Llama {
        name: "llama 8B",
        layers: 32,
        hidden: 4096,
        inner: 14336,
        heads: 32,
        kv_heads: 8,
        vocabulary: 128_256,
        is_tied: false,
    },
    Llama {
        name: "llama 7B",
        layers: 32,
        hidden: 4096,
        inner: 11008,
        heads: 32,
        kv_heads: 32,
        vocabulary: 32_000,
        is_tied: false,
    },
];

/// A type of tensors: its number in GGUF files, and the weights and bytes of a block.
#[derive(Clone, Copy)]
struct Type {
    number: u32,
    weights: u64,
    bytes: u64,
}

const F32: Type = Type { number: 0, weights: 1, bytes: 4 };
const Q4_0: Type = Type { number: 2, weights: 32, bytes: 18 };
const Q4_K: Type = Type { number: 12, weights: 256, bytes: 144 };
const Q5_K: Type = Type { number: 13, weights: 256, bytes: 176 };
const Q6_K: Type = Type { number: 14, weights: 256, bytes: 210 };
const IQ4_NL: Type = Type { number: 20, weights: 32, bytes: 18 };

/// What llama.cpp gives a file of these weights: most tensors one type, some a better one.
#[derive(Clone, Copy)]
struct Mixture {
    name: &'static str,
    most: Type,
    /// The values' projections and the inner layers' second matrices, of layers that have it.
    better: Type,
    layers: Better,
}

/// The layers with better types.
#[derive(Clone, Copy)]
enum Better {
    None,
    /// Of values all, of second matrices those of the first eighth.
    Values,
    /// The first and the last eighth, and each third one between.
    Some,
}

const MIXTURES: [Mixture; 4] = [
    Mixture { name: "Q4_0", most: Q4_0, better: Q4_0, layers: Better::None },
    Mixture { name: "Q4_K_M", most: Q4_K, better: Q6_K, layers: Better::Some },
    Mixture { name: "Q5_K_M", most: Q5_K, better: Q6_K, layers: Better::Some },
    Mixture { name: "IQ4_NL", most: IQ4_NL, better: Q5_K, layers: Better::Values },
];

/// Of the matrix behind the last layer, whatever the others have.
const LAST: Type = Q6_K;

impl Mixture {
    /// The types of the values' projection and of the second matrix.
    fn better(self, layer: u32, layers: u32) -> [Type; 2] {
        let eighth = layers / 8;
        let is_first = layer < eighth;
        let which = match self.layers {
            Better::None => [false; 2],
            Better::Values => [true, is_first],
            Better::Some => {
                let is_third = || (layer - eighth) % 3 == 2;
                [is_first || layer >= 7 * layers / 8 || is_third(); 2]
            }
        };
        which.map(|is_better| if is_better { self.better } else { self.most })
    }
}

/// A tensor: its name, its sizes, the innermost first, and its type.
type Tensor = (String, Vec<u32>, Type);

const ALIGNMENT: u64 = 32;

impl Llama {
    pub(super) fn find(name: &str) -> Result<&'static Self> {
        KNOWN
            .iter()
            .find(|known| known.name == name)
            .with_context(|| format!("the sizes of {name} are not known"))
    }

    /// Writes a file of these weights, all of which are a hole in it.
    pub(super) fn write(&self, weights: &str, path: &Path) -> Result<()> {
        let (header, size) = self.header(weights)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::create(path).with_context(|| path.display().to_string())?;
        file.write_all(&header)?;
        Ok(file.set_len(size)?)
    }

    /// What is in front of the weights, and the bytes of the whole file.
    pub(super) fn header(&self, weights: &str) -> Result<(Vec<u8>, u64)> {
        let mixture = MIXTURES.iter().find(|mixture| mixture.name == weights);
        let mixture = mixture.with_context(|| format!("the types of {weights} are not known"))?;
        let tensors = self.tensors(*mixture);
        let numbers = [
            ("attention.head_count", self.heads),
            ("attention.head_count_kv", self.kv_heads),
            ("block_count", self.layers),
            ("context_length", 8192),
            ("embedding_length", self.hidden),
            ("feed_forward_length", self.inner),
            ("vocab_size", self.vocabulary),
            ("rope.dimension_count", self.hidden / self.heads),
        ];
        let mut file = b"GGUF".to_vec();
        file.extend(3u32.to_le_bytes());
        file.extend((tensors.len() as u64).to_le_bytes());
        file.extend((numbers.len() as u64 + 3).to_le_bytes());
        for (key, value) in [("general.architecture", "llama"), ("general.name", self.name)] {
            file.extend(string(key));
            file.extend(TEXT.to_le_bytes());
            file.extend(string(value));
        }
        file.extend(string("llama.attention.layer_norm_rms_epsilon"));
        file.extend(FLOAT.to_le_bytes());
        file.extend(1e-5f32.to_le_bytes());
        for (key, value) in numbers {
            file.extend(string(&format!("llama.{key}")));
            file.extend(NUMBER.to_le_bytes());
            file.extend(value.to_le_bytes());
        }
        let mut bytes = 0u64;
        for (name, sizes, of) in tensors {
            file.extend(string(&name));
            file.extend((sizes.len() as u32).to_le_bytes());
            file.extend(sizes.iter().flat_map(|&size| u64::from(size).to_le_bytes()));
            file.extend(of.number.to_le_bytes());
            file.extend(bytes.to_le_bytes());
            let weights: u64 = sizes.iter().map(|&size| u64::from(size)).product();
            bytes = (bytes + weights / of.weights * of.bytes).next_multiple_of(ALIGNMENT);
        }
        file.resize(file.len().next_multiple_of(ALIGNMENT as usize), 0);
        let size = file.len() as u64 + bytes;
        Ok((file, size))
    }

    fn tensors(&self, mixture: Mixture) -> Vec<Tensor> {
        let Self { layers, hidden, inner, vocabulary, .. } = *self;
        let kv = hidden / self.heads * self.kv_heads;
        let embedding = if self.is_tied { LAST } else { mixture.most };
        let mut all = vec![
            ("token_embd.weight".to_owned(), vec![hidden, vocabulary], embedding),
            ("output_norm.weight".to_owned(), vec![hidden], F32),
        ];
        if !self.is_tied {
            all.push(("output.weight".to_owned(), vec![hidden, vocabulary], LAST));
        }
        for layer in 0..layers {
            let most = mixture.most;
            let [values, second] = mixture.better(layer, layers);
            let own = [
                ("attn_norm", vec![hidden], F32),
                ("attn_q", vec![hidden, hidden], most),
                ("attn_k", vec![hidden, kv], most),
                ("attn_v", vec![hidden, kv], values),
                ("attn_output", vec![hidden, hidden], most),
                ("ffn_norm", vec![hidden], F32),
                ("ffn_gate", vec![hidden, inner], most),
                ("ffn_up", vec![hidden, inner], most),
                ("ffn_down", vec![inner, hidden], second),
            ];
            all.extend(own.map(|(name, sizes, of)| (format!("blk.{layer}.{name}.weight"), sizes, of)));
        }
        all
    }
}

/// Types of values in GGUF's metadata.
const NUMBER: u32 = 4;
const FLOAT: u32 = 6;
const TEXT: u32 = 8;

fn string(text: &str) -> Vec<u8> {
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text.as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As llama-bench prints the sizes of these files.
    #[test]
    fn files_are_as_large_as_those_of_llama_cpp() {
        for (model, weights, gib) in
            [("llama 7B", "Q4_0", 3.56), ("llama 8B", "Q4_K_M", 4.58), ("llama 8B", "Q5_K_M", 5.33)]
        {
            let (_, size) = Llama::find(model).unwrap().header(weights).unwrap();
            let size = size as f64 / f64::from(1 << 30);
            assert!((size - gib).abs() < 0.006, "{model} {weights}: {size} GiB");
        }
    }
}
