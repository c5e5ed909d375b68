//! Sentence embeddings on a ROCm device, and how similar the sentences are.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use candle_core::Device;
use candle_rocm::kernels::LANGUAGE_MODELS;
use candle_rocm_demo::device::{self, Backend};
use candle_rocm_demo::sentences::{FILES, Sentences};
use candle_rocm_demo::{bytes, explain, hub};
use clap::Parser;

const DEFAULT_MODEL: &str = "sentence-transformers/all-MiniLM-L6-v2";

/// Embeds sentences with a BERT model such as all-MiniLM-L6-v2 and shows how similar they are.
#[derive(Parser)]
#[command(name = "embed")]
struct Options {
    /// A folder with config.json, tokenizer.json and model.safetensors.
    #[arg(long, value_name = "FOLDER")]
    model: Option<PathBuf>,
    /// Fetch the model from the Hugging Face hub.
    #[arg(long, value_name = "REPO", num_args = 0..=1, require_equals = true, default_missing_value = DEFAULT_MODEL, conflicts_with = "model")]
    hf: Option<String>,
    /// The platform to run on [default: amd if there is an AMD GPU, else host]
    #[arg(long)]
    platform: Option<Backend>,
    /// The number of the device.
    #[arg(long, default_value_t = 0)]
    device: usize,
    /// The sentences [default: some examples]
    sentences: Vec<String>,
}

const EXAMPLES: [&str; 5] = [
    "The cat sits outside.",
    "A kitten rests in the garden.",
    "The new film is great.",
    "I loved the movie.",
    "Graphics cards multiply matrices quickly.",
];

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {}", explain(&error));
            ExitCode::FAILURE
        }
    }
}

/// False if the CPU's embeddings differ.
fn run(options: Options) -> Result<bool> {
    let folder = match (options.model, &options.hf) {
        (Some(folder), _) => folder,
        (None, Some(repository)) => fetch(repository)?,
        (None, None) => {
            bail!(
                "no model given: use --model FOLDER with {}, or --hf to fetch {DEFAULT_MODEL}",
                FILES.join(", ")
            )
        }
    };
    let chosen = device::choose(options.platform, options.device)?;
    eprintln!("{}", chosen.announcement);
    let device = chosen.device;
    device::prepare(&device, LANGUAGE_MODELS)?;
    let sentences = match options.sentences.as_slice() {
        [] => EXAMPLES.map(str::to_owned).to_vec(),
        given => given.to_vec(),
    };

    let begin = Instant::now();
    let model = Sentences::load(&folder, &device)?;
    let embeddings = model.embed(&sentences)?;
    let similarities = embeddings.matmul(&embeddings.t()?)?.to_device(&Device::Cpu)?.to_vec2::<f32>()?;
    eprintln!("First embeddings after {:.2} s, including loading", begin.elapsed().as_secs_f32());
    let begin = Instant::now();
    let embeddings = model.embed(&sentences)?.to_device(&Device::Cpu)?;
    let seconds = begin.elapsed().as_secs_f64();
    let plural = if sentences.len() == 1 { "" } else { "s" };
    eprintln!("After warm-up: {:.1} ms for {} sentence{plural}", 1e3 * seconds, sentences.len());
    if let Some(peak) = device::peak_memory(&device) {
        eprintln!("Peak memory: {}\n", bytes(peak));
    }
    for (i, (row, sentence)) in similarities.iter().zip(&sentences).enumerate() {
        let cells: Vec<String> = row.iter().map(|value| format!("{value:6.3}")).collect();
        println!("{i:3} {}  {sentence}", cells.join(" "));
    }
    if device.is_cpu() {
        return Ok(true);
    }
    // In f32, a different order of additions changes a component of the unit vectors by about 1e-6 over six or twelve layers.
    let expected = Sentences::load(&folder, &Device::Cpu)?.embed(&sentences)?;
    let difference = (embeddings - expected)?.abs()?.flatten_all()?.max(0)?.to_scalar::<f32>()?;
    let same = difference < 1e-4;
    let verdict = if same { "passed" } else { "FAILED" };
    eprintln!(
        "\nCheck: {verdict}: embeddings differ from those of candle's CPU device by at most {difference:.1e}"
    );
    Ok(same)
}

fn fetch(repository: &str) -> Result<PathBuf> {
    let mut folder = PathBuf::new();
    for name in FILES {
        let file = hub::file(repository, name)?;
        folder = file.parent().map(PathBuf::from).unwrap_or_default();
    }
    Ok(folder)
}
