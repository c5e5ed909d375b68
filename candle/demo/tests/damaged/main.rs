//! Every damaged model file is either rejected with an error or runs: no signals, no panics, no hangs.
//!
//! `CANDLE_ROCM_TEST_MUTANTS` sets the number of files (100 by default). They are deterministic.

mod damage;
mod file;
mod random;
mod valid;

use std::any::Any;
use std::io::{BufRead as _, BufReader, Cursor};
use std::panic::catch_unwind;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context as _, Result};
use candle_core::quantized::ggml_file;
use candle_core::{DType, Device, Tensor};
use candle_rocm::model_file::Usage;
use candle_rocm_demo::gguf::Gguf;
use candle_rocm_demo::model::Model;
use candle_rocm_demo::tokenizer::Tokenizer;
use candle_transformers::models::quantized_llama;
use random::Random;

/// What a file may take. They take milliseconds, on a machine that does nothing else.
const LIMIT: Duration = Duration::from_secs(600);
/// Memory limit in KiB. A file that makes candle allocate far more than a small model needs aborts the process.
const MEMORY: &str = "8388608";

/// Set in child processes: the range of files to run.
const CHILD: &str = "CANDLE_ROCM_DEMO_TEST_CHILD";

fn count() -> usize {
    let variable = std::env::var("CANDLE_ROCM_TEST_MUTANTS");
    variable.map_or(100, |count| count.parse().expect("CANDLE_ROCM_TEST_MUTANTS is a number"))
}

#[test]
fn valid_files_run() -> Result<()> {
    for (i, file) in valid::files()?.iter().enumerate() {
        match run(file.write().bytes) {
            // The CPU has no kernel for mixtures of experts, so these run only up to that point.
            Err(error) if format!("{error:#}").contains("moe_gemm_gguf has no kernel for Cpu") => {}
            result => result.with_context(|| format!("file {i}"))?,
        }
    }
    Ok(())
}

#[test]
fn damaged_files_are_rejected_or_run() {
    let (count, parts) = (count(), 2);
    let results: Vec<Vec<Outcome>> = std::thread::scope(|scope| {
        let ranges = (0..parts).map(|part| (part * count / parts, (part + 1) * count / parts));
        let threads: Vec<_> = ranges.map(|(from, to)| scope.spawn(move || outcomes(from, to))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a list")).collect()
    });
    let results: Vec<Outcome> = results.into_iter().flatten().collect();
    let of = |kind: &str| results.iter().filter(|outcome| outcome.result.starts_with(kind)).count();
    let bad: Vec<&Outcome> = results
        .iter()
        .filter(|outcome| !["ran", "rejected", "failed"].iter().any(|good| outcome.result.starts_with(good)))
        .collect();
    println!("{} rejected, {} failed later, {} ran", of("rejected"), of("failed"), of("ran"));
    assert!(bad.is_empty(), "{} of {count}: {bad:#?}", bad.len());
    assert_eq!(results.len(), count);
    // Otherwise the damage is too light or too heavy to find anything.
    assert!(of("rejected") > count / 5 && of("failed") > count / 50 && of("ran") > count / 50);
}

/// The crate `safetensors` validates files itself, so candle's loader needs no check of ours.
#[test]
fn damaged_safetensors_files_are_rejected_or_load() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("model.safetensors");
    let tensors =
        [("a", Tensor::ones((4, 8), DType::F32, &Device::Cpu)?), ("b", Tensor::new(&[1u8], &Device::Cpu)?)];
    candle_core::safetensors::save(&tensors.into_iter().collect(), &path)?;
    let whole = std::fs::read(path)?;
    candle_core::safetensors::load_buffer(&whole, &Device::Cpu)?;
    let header = 8 + usize::from(whole[0]);
    let mut rejected = 0;
    for seed in 0..20 * count() {
        let mut random = Random(seed as u64);
        let mut bytes = whole.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(header);
            let replaced = [bytes[at] ^ (1 << random.below(8)), b'0' + random.below(10) as u8];
            bytes[at] = *random.of(&replaced);
        }
        bytes.truncate(if random.below(4) == 0 { random.below(whole.len()) } else { whole.len() });
        rejected += usize::from(candle_core::safetensors::load_buffer(&bytes, &Device::Cpu).is_err());
    }
    assert!(rejected > 10 * count(), "{rejected}");
    Ok(())
}

/// The result of running a file.
#[derive(Debug)]
struct Outcome {
    #[expect(dead_code, reason = "for the message")]
    file: usize,
    result: String,
}

/// Runs the files `from..to`, restarting the child process whenever it ends.
fn outcomes(from: usize, to: usize) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    while from + outcomes.len() < to {
        let mut process = start(from + outcomes.len(), to);
        let lines = lines(&mut process);
        loop {
            let file = from + outcomes.len();
            match lines.recv_timeout(LIMIT) {
                Ok(result) => outcomes.push(Outcome { file, result }),
                Err(RecvTimeoutError::Timeout) => {
                    outcomes.push(Outcome { file, result: format!("took more than {LIMIT:?}") });
                    break;
                }
                Err(RecvTimeoutError::Disconnected) if file < to => {
                    let status = process.wait().expect("it ended");
                    outcomes.push(Outcome { file, result: format!("process ended: {status}") });
                    break;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        // It may have ended already.
        let _ = process.kill();
        let _ = process.wait();
    }
    outcomes
}

fn start(from: usize, to: usize) -> Child {
    Command::new("sh")
        .args(["-c", &format!("ulimit -v {MEMORY}; ulimit -c 0; exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().expect("this test"))
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD, format!("{from} {to}"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("this test starts again")
}

/// The child's results, in order.
fn lines(process: &mut Child) -> Receiver<String> {
    let (sender, receiver) = channel();
    let output = process.stdout.take().expect("piped");
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            // The test harness prints lines of its own, and the test's name before the first result.
            if let Some((_, result)) = line.split_once("OUTCOME ")
                && sender.send(result.to_owned()).is_err()
            {
                break;
            }
        }
    });
    receiver
}

/// Not a test of its own: runs in the child processes.
#[test]
fn child() -> Result<()> {
    let Ok(range) = std::env::var(CHILD) else { return Ok(()) };
    let (from, to) = range.split_once(' ').context("two numbers")?;
    let valid = valid::files()?;
    for seed in from.parse::<usize>()?..to.parse()? {
        let bytes = damage::damaged(&valid[seed % valid.len()], &mut Random(seed as u64));
        let result = match catch_unwind(|| run(bytes)) {
            Ok(Ok(())) => "ran".to_owned(),
            Ok(Err(error)) => format!("{error:#}").replace('\n', " "),
            Err(panic) => format!("panicked: {}", message(&*panic)),
        };
        println!("OUTCOME {result}");
    }
    Ok(())
}

fn message(panic: &dyn Any) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// Loads a model and computes the logits of a prompt and of one more token.
fn run(bytes: Vec<u8>) -> Result<()> {
    if ggml(&bytes) { run_ggml(bytes) } else { run_gguf(bytes) }
}

fn ggml(bytes: &[u8]) -> bool {
    [b"lmgg", b"fmgg", b"tjgg"].iter().any(|magic| bytes.starts_with(&magic[..]))
}

const PROMPT: [u32; 3] = [1, 2, 3];

fn run_ggml(bytes: Vec<u8>) -> Result<()> {
    let mut reader = Cursor::new(bytes);
    candle_rocm::model_file::check_reader(&mut reader, "mutant").context("rejected")?;
    generate_ggml(&mut reader).context("failed")
}

fn generate_ggml(reader: &mut Cursor<Vec<u8>>) -> Result<()> {
    let content = ggml_file::Content::read(reader, &Device::Cpu)?;
    let mut model = quantized_llama::ModelWeights::from_ggml(content, 1)?;
    model.forward(&Tensor::new(&PROMPT, &Device::Cpu)?.unsqueeze(0)?, 0)?;
    model.forward(&Tensor::new(&[4u32], &Device::Cpu)?.unsqueeze(0)?, PROMPT.len())?;
    Ok(())
}

fn run_gguf(bytes: Vec<u8>) -> Result<()> {
    let file = Gguf::new(Box::new(Cursor::new(bytes)), "mutant").context("rejected")?;
    generate(file).context("failed")
}

fn generate(mut file: Gguf) -> Result<()> {
    let _ = (file.summary(), file.header.memory_needs(&Usage::new(100)).total());
    if file.string("tokenizer.ggml.model").is_some() {
        let tokenizer = Tokenizer::from_gguf(&mut file.content)?;
        tokenizer.decode(&tokenizer.encode("A thread may")?)?;
    }
    let mut model = Model::load(file, &Device::Cpu)?;
    model.forward(&PROMPT, 0, &Device::Cpu)?;
    model.forward(&[4], PROMPT.len(), &Device::Cpu)?;
    Ok(())
}
