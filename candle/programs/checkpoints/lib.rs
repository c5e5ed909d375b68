//! Small models with synthetic weights, in the files that programs read, where they look for what they downloaded before.

pub mod architectures;
mod gguf;
#[path = "../../models/values.rs"]
mod values;

use std::env;
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

pub use gguf::Gguf;

/// Tolerance in f32, where devices differ in the order of additions.
pub const F32: f32 = 1e-5;
/// Tolerance in f16, whose rounding errors accumulate over a model's layers.
pub const F16: f32 = 1e-2;
/// Tolerance in bf16, which has three bits less.
pub const BF16: f32 = 8e-2;
/// Tolerance with weights of 8 bits: the CPU rounds what it multiplies by them to 8 bits, too.
pub const Q8: f32 = 4e-2;

/// The devices to test: the host platform has one with wavefronts of 32 and one of 64.
pub fn ordinals() -> std::ops::Range<usize> {
    0..if env::var_os("CANDLE_ROCM_PLATFORM").is_some_and(|platform| platform == "host") { 2 } else { 1 }
}

/// The revision of each repository: with that of a commit, no program asks the network for a newer one.
pub const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A model repository in the cache of Hugging Face's hub.
pub struct Repository {
    folder: PathBuf,
}

impl Repository {
    /// An empty one, in the folder `HF_HOME` and in its `hub`: hf-hub has either for its cache, by version and by program.
    ///
    /// # Panics
    /// `HF_HOME` is not set: cargo sets it for tests that are started in the folder of a program.
    pub fn new(name: &str) -> Result<Self> {
        let home = PathBuf::from(
            env::var_os("HF_HOME").expect("HF_HOME is set by candle/programs/.cargo/config.toml"),
        );
        let repository = format!("models--{}", name.replace('/', "--"));
        let hub = home.join("hub");
        fs::create_dir_all(&hub)?;
        let (here, there) = (hub.join(&repository), home.join(&repository));
        if here.exists() {
            fs::remove_dir_all(&here)?;
        }
        let folder = here.join("snapshots").join(COMMIT);
        fs::create_dir_all(&folder)?;
        fs::create_dir_all(here.join("refs"))?;
        fs::write(here.join("refs/main"), COMMIT)?;
        #[cfg(unix)]
        if !there.exists() {
            std::os::unix::fs::symlink(Path::new("hub").join(&repository), there)?;
        }
        Ok(Self { folder })
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a file of JSON, such as config.json.
    pub fn json(&self, file: &str, value: &Value) -> Result<()> {
        fs::write(self.folder.join(file), value.to_string())
    }

    /// Writes a tokenizer.json whose tokens are the 256 bytes, and behind them those.
    pub fn tokenizer(&self, added: &[&str]) -> Result<()> {
        self.json("tokenizer.json", &tokenizer(added))
    }

    /// Writes a .safetensors file.
    pub fn tensors(&self, file: &str, tensors: &Tensors) -> Result<()> {
        fs::write(self.folder.join(file), tensors.safetensors())
    }
}

/// The number of tokens of [`Repository::tokenizer`] without the added ones.
pub const BYTES: usize = 256;

/// A byte-level BPE tokenizer without merges.
fn tokenizer(added: &[&str]) -> Value {
    // Bytes that do not print stand for characters beyond Latin-1, as in GPT-2.
    let prints = |byte: u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
    let mut others = 0x100..;
    let character = |byte| if prints(byte) { Some(byte) } else { others.next() };
    let characters = (0..BYTES as u32).filter_map(character).filter_map(char::from_u32);
    let vocabulary: Map<_, _> =
        characters.enumerate().map(|(id, text)| (text.to_string(), id.into())).collect();
    let token = |(i, text)| {
        json!({
            "id": BYTES + i, "content": text, "special": true,
            "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
        })
    };
    json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
        "added_tokens": added.iter().enumerate().map(token).collect::<Vec<_>>(),
        "pre_tokenizer": {
            "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true,
        },
        // Tokens keep their characters: most sequences of bytes are no text.
        "decoder": null,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null, "end_of_word_suffix": null,
            "fuse_unk": false, "byte_fallback": false, "vocab": vocabulary, "merges": [],
        },
    })
}

/// Names and shapes of a model's tensors, in f32.
#[derive(Default)]
pub struct Tensors(Vec<(String, Vec<usize>)>);

impl Tensors {
    /// Adds one. Its values depend on its name and shape alone.
    pub fn add(&mut self, name: impl Into<String>, shape: &[usize]) -> &mut Self {
        self.0.push((name.into(), shape.to_vec()));
        self
    }

    /// Adds `name.weight`.
    pub fn weight(&mut self, name: &str, shape: &[usize]) -> &mut Self {
        self.add(format!("{name}.weight"), shape)
    }

    /// Adds `name.weight` and `name.bias`, which is as long as the first dimension of that shape: a linear layer's, a convolution's or
    /// a norm's.
    pub fn biased(&mut self, name: &str, shape: &[usize]) -> &mut Self {
        self.weight(name, shape).add(format!("{name}.bias"), &shape[..1])
    }

    fn safetensors(&self) -> Vec<u8> {
        let (mut header, mut data) = (Map::new(), Vec::new());
        for (name, shape) in &self.0 {
            let start = data.len();
            data.extend(values::of(name, shape).into_iter().flat_map(f32::to_le_bytes));
            let tensor = json!({ "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()] });
            assert!(header.insert(name.clone(), tensor).is_none(), "{name} is added twice");
        }
        let mut header = Value::Object(header).to_string();
        header.extend(std::iter::repeat_n(' ', header.len().next_multiple_of(8) - header.len()));
        let mut file = (header.len() as u64).to_le_bytes().to_vec();
        file.extend(header.into_bytes());
        file.extend(data);
        file
    }
}

/// Panics unless the numbers agree within the tolerance, relative to the largest of them. `expected` may not be all the same: that would
/// be no test.
#[track_caller]
pub fn assert_close(what: &str, actual: &[f32], expected: &[f32], tolerance: f32) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(0f32, |largest, x| largest.max(x.abs()));
    assert!(largest.is_finite() && expected.iter().any(|x| *x != expected[0]), "{what}: {expected:?}");
    // Not `f32::max`, which ignores NaN.
    let worst = actual
        .iter()
        .zip(expected)
        .map(|(a, e)| (a - e).abs())
        .fold(0f32, |worst, x| if x <= worst { worst } else { x });
    let error = worst / largest;
    println!("{what}: {error:e} of {tolerance:e}");
    assert!(error <= tolerance, "{what}: {error:e} is more than {tolerance:e}");
}
