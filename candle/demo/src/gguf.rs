//! Model files, validated before loading.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::rocm::PackedType;
use candle_rocm::model_file::{self, Format, Header};

/// A seekable reader of a model file.
pub trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

/// Where a model comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// The small model built into this program.
    BuiltIn,
    /// A GGUF file.
    File(PathBuf),
}

/// The model of `models/tiny-docs`.
static BUILT_IN: &[u8] = include_bytes!("../../../models/tiny-docs/tiny-docs.Q8_0.gguf");

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::BuiltIn => f.write_str("tiny-docs (built in)"),
            Source::File(path) => path.display().fmt(f),
        }
    }
}

impl Source {
    /// Reads and validates the header, without the tensor data.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or is not a valid GGUF file.
    pub fn open(&self) -> Result<Gguf> {
        let reader: Box<dyn ReadSeek> = match self {
            Source::BuiltIn => Box::new(Cursor::new(BUILT_IN)),
            Source::File(path) => {
                let unreadable = || format!("cannot open {self}");
                // Checked before opening: opening a pipe blocks until there is a writer.
                let found = std::fs::metadata(path).with_context(unreadable)?;
                if found.is_dir() {
                    bail!("{self} is a folder, expected a GGUF file; {}", instead(path));
                }
                ensure!(found.is_file(), "{self} is not a regular file");
                Box::new(BufReader::new(File::open(path).with_context(unreadable)?))
            }
        };
        Gguf::new(reader, &self.to_string())
    }
}

/// What to do instead of passing a folder.
fn instead(folder: &Path) -> String {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let first =
        |kind: &str| files.iter().find(|file| file.extension().is_some_and(|extension| extension == kind));
    match (first("gguf"), first("safetensors")) {
        (Some(file), _) => format!("there is {}", file.display()),
        (None, Some(_)) => "it has safetensors files: llama.cpp's convert_hf_to_gguf.py makes a GGUF file of them, and many models \
                            have one on the hub (--hf REPOSITORY)"
            .to_owned(),
        (None, None) => "it has none".to_owned(),
    }
}

/// A model file whose header has been read.
pub struct Gguf {
    /// The file's path, for messages.
    pub name: String,
    /// Metadata and tensor descriptions.
    pub content: Content,
    /// Reader for the tensor data.
    pub reader: Box<dyn ReadSeek>,
    /// The header as candle-rocm reads it.
    pub header: Header,
}

impl Gguf {
    /// Reads and validates the header. `name` is used in messages.
    ///
    /// # Errors
    ///
    /// Fails if the header is invalid, if the file is truncated or in a format older than GGUF, or if it has no tensors.
    pub fn new(mut reader: Box<dyn ReadSeek>, name: &str) -> Result<Self> {
        let header = model_file::check_reader(&mut reader, name)?;
        ensure!(
            matches!(header.format, Format::Gguf(_)),
            "{name} is in a format older than GGUF ({:?}); convert it with llama.cpp's convert_llama_ggml_to_gguf.py",
            header.format
        );
        ensure!(header.tensor_bytes() > 0, "{name} contains no tensors");
        let content = Content::read(&mut reader).with_context(|| format!("cannot read {name}"))?;
        Ok(Self { name: name.to_owned(), content, reader, header })
    }

    /// `general.architecture`.
    ///
    /// # Errors
    ///
    /// Fails if the file does not have it.
    pub fn architecture(&self) -> Result<&str> {
        self.string("general.architecture").context("the file has no general.architecture")
    }

    /// A string in the metadata.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.content.metadata.get(key).and_then(|value| value.to_string().ok()).map(String::as_str)
    }

    /// An integer in the metadata.
    pub fn number(&self, key: &str) -> Option<u64> {
        number(self.content.metadata.get(key)?)
    }

    /// An integer under the architecture's prefix.
    fn of_architecture(&self, key: &str) -> Option<u64> {
        self.number(&format!("{}.{key}", self.architecture().ok()?))
    }

    /// The context length that the model was trained with.
    pub fn context_length(&self) -> Option<usize> {
        self.of_architecture("context_length").map(|n| n as usize)
    }

    /// `tiny-docs: llama, 3.5 M parameters, Q8_0, 3.7 MB`.
    pub fn summary(&self) -> String {
        let parameters: usize = self.content.tensor_infos.values().map(|info| info.shape.elem_count()).sum();
        let parameters = match parameters {
            0..1_000_000_000 => format!("{:.1} M", parameters as f64 / 1e6),
            _ => format!("{:.1} G", parameters as f64 / 1e9),
        };
        // Files mix types. Name the one with the most elements, as is customary for file names.
        let mut share = std::collections::BTreeMap::new();
        for info in self.content.tensor_infos.values() {
            let kind = PackedType::of(info)
                .map_or_else(|| format!("{:?}", info.ggml_dtype), |packed| packed.name().to_owned());
            *share.entry(kind).or_insert(0) += info.shape.elem_count();
        }
        let main =
            share.into_iter().max_by_key(|(_, count)| *count).map(|(kind, _)| kind).unwrap_or_default();
        let name = self.string("general.name").unwrap_or("unnamed model");
        let architecture = self.architecture().unwrap_or("?");
        format!(
            "{name}: {architecture}, {parameters} parameters, mostly {main}, {}",
            crate::bytes(self.header.tensor_bytes())
        )
    }
}

/// An integer of any width.
pub(crate) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::U8(v) => Some(u64::from(*v)),
        Value::U16(v) => Some(u64::from(*v)),
        Value::U32(v) => Some(u64::from(*v)),
        Value::U64(v) => Some(*v),
        Value::I8(v) => u64::try_from(*v).ok(),
        Value::I16(v) => u64::try_from(*v).ok(),
        Value::I32(v) => u64::try_from(*v).ok(),
        Value::I64(v) => u64::try_from(*v).ok(),
        _ => None,
    }
}
