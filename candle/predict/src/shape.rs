//! A model file's shape without its weights: layers of a kind stand for one another, and what is read is zero.

use std::io::{self, Read, Seek, SeekFrom};

use anyhow::{Context, Result, ensure};
use candle_core::Shape;
use candle_core::quantized::gguf_file::{Content, TensorInfo, Value};
use candle_rocm_demo::gguf::Gguf;

/// Architectures whose layers launch the same if their tensors have the same types and shapes.
const ARCHITECTURES: [&str; 7] = ["llama", "qwen2", "qwen3", "phi2", "phi3", "gemma3", "glm4"];

/// Rows of an embedding that stand for all: tokens are below it.
pub(crate) const VOCABULARY: usize = 256;

const EMBEDDING: &str = "token_embd.weight";
const OUTPUT: &str = "output.weight";

/// Layers whose tensors have the same types and shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The first of them.
    pub(crate) layer: usize,
    pub(crate) count: usize,
}

/// The kinds of a model's layers.
pub(crate) fn kinds(file: &Gguf) -> Result<Vec<Kind>> {
    let architecture = file.architecture()?;
    ensure!(
        ARCHITECTURES.contains(&architecture),
        "models of the architecture `{architecture}` are not predicted, but those of {}",
        ARCHITECTURES.join(", ")
    );
    let key = format!("{architecture}.block_count");
    let layers = file.number(&key).with_context(|| format!("the file has no {key}"))?;
    let mut known: Vec<(String, Kind)> = Vec::new();
    for layer in 0..layers as usize {
        let prefix = prefix(layer);
        let own = file.header.tensors.iter().filter_map(|tensor| {
            let name = tensor.name.strip_prefix(&*prefix)?;
            Some(format!("{name} {} {:?}", tensor.dtype, tensor.dims))
        });
        let mut tensors: Vec<String> = own.collect();
        ensure!(!tensors.is_empty(), "the file has no tensors of layer {layer}");
        tensors.sort_unstable();
        let text = tensors.join("\n");
        // Who launches what for which expert depends on the values.
        ensure!(!text.contains("_exps."), "mixtures of experts are not predicted");
        match known.iter_mut().find(|(of, _)| *of == text) {
            Some((_, kind)) => kind.count += 1,
            None => known.push((text, Kind { layer, count: 1 })),
        }
    }
    ensure!(!known.is_empty(), "the model has no layers");
    Ok(known.into_iter().map(|(_, kind)| kind).collect())
}

/// The file of a model that consists of these layers of another one.
pub(crate) fn with_layers(file: &Gguf, layers: &[usize]) -> Result<Gguf> {
    let content = &file.content;
    let mut metadata = content.metadata.clone();
    metadata.retain(|key, _| !key.starts_with("tokenizer."));
    let key = format!("{}.block_count", file.architecture()?);
    metadata.insert(key, Value::U32(layers.len() as u32));
    let mut tensor_infos = std::collections::HashMap::new();
    for (name, info) in &content.tensor_infos {
        if !name.starts_with("blk.") {
            tensor_infos.insert(name.clone(), same(info));
        }
    }
    for (number, &layer) in layers.iter().enumerate() {
        let from = prefix(layer);
        for (name, info) in &content.tensor_infos {
            if let Some(name) = name.strip_prefix(&*from) {
                tensor_infos.insert(format!("{}{name}", prefix(number)), same(info));
            }
        }
    }
    // Of an embedding only the rows of the tokens are read; where it is the matrix of the last layer as well, that stays as large.
    let embedding =
        content.tensor_infos.get(EMBEDDING).with_context(|| format!("the file has no {EMBEDDING}"))?;
    tensor_infos.entry(OUTPUT.to_owned()).or_insert_with(|| same(embedding));
    let (rows, columns) = embedding.shape.dims2()?;
    let few = TensorInfo { shape: Shape::from((rows.min(VOCABULARY), columns)), ..same(embedding) };
    tensor_infos.insert(EMBEDDING.to_owned(), few);
    Ok(Gguf {
        name: file.name.clone(),
        content: Content {
            magic: content.magic,
            metadata,
            tensor_infos,
            tensor_data_offset: content.tensor_data_offset,
        },
        reader: Box::new(Zeros::default()),
        header: file.header.clone(),
    })
}

fn prefix(layer: usize) -> String {
    format!("blk.{layer}.")
}

fn same(info: &TensorInfo) -> TensorInfo {
    TensorInfo { ggml_dtype: info.ggml_dtype, shape: info.shape.clone(), offset: info.offset }
}

/// A file without an end that holds nothing else.
#[derive(Default)]
struct Zeros {
    position: u64,
}

impl Read for Zeros {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        buffer.fill(0);
        self.position = self.position.saturating_add(buffer.len() as u64);
        Ok(buffer.len())
    }
}

impl Seek for Zeros {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            SeekFrom::Start(position) => position,
            SeekFrom::End(by) => (i64::MAX as u64).saturating_add_signed(by),
            SeekFrom::Current(by) => self.position.saturating_add_signed(by),
        };
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{DType, Device, Tensor};
    use candle_rocm_demo::gguf::Source;
    use candle_rocm_demo::model::Model;

    use super::*;

    #[test]
    fn layers_of_a_kind_stand_for_one_another() -> Result<()> {
        let mut file = Source::BuiltIn.open()?;
        let all = kinds(&file)?;
        let layers = file.number("llama.block_count").unwrap() as usize;
        assert_eq!(all, [Kind { layer: 0, count: layers }]);
        // One whose down projection has another type.
        let tensor =
            file.header.tensors.iter_mut().find(|tensor| tensor.name == "blk.1.ffn_down.weight").unwrap();
        tensor.dtype = "Q6_K";
        assert_eq!(kinds(&file)?, [Kind { layer: 0, count: layers - 1 }, Kind { layer: 1, count: 1 }]);
        tensor_named(&mut file, "blk.0.ffn_up.weight", "blk.0.ffn_up_exps.weight");
        assert!(kinds(&file).unwrap_err().to_string().contains("experts"));
        Ok(())
    }

    fn tensor_named(file: &mut Gguf, from: &str, to: &str) {
        file.header.tensors.iter_mut().find(|tensor| tensor.name == from).unwrap().name = to.to_owned();
    }

    #[test]
    fn a_model_of_some_layers_computes() -> Result<()> {
        let file = Source::BuiltIn.open()?;
        let vocabulary = file.content.tensor_infos[EMBEDDING].shape.dims()[0];
        for layers in [&[0, 0][..], &[1, 0, 1]] {
            let some = with_layers(&file, layers)?;
            assert_eq!(some.number("llama.block_count"), Some(layers.len() as u64));
            let mut model = Model::load(some, &Device::Cpu)?;
            let tokens = Tensor::zeros((2, 3), DType::U32, &Device::Cpu)?;
            let logits = model.logits(&tokens, 0)?;
            assert_eq!(logits.dims(), [2, vocabulary]);
            assert_eq!(logits.flatten_all()?.to_vec1::<f32>()?, vec![0.; 2 * vocabulary]);
        }
        Ok(())
    }
}
