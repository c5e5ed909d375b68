//! Times llama.cpp's `llama-bench` on files with the shapes and types of our quantized models, in turns with our own cases.

use std::fmt::Write;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use candle_core::Device;
use candle_core::quantized::gguf_file;
use serde_json::Value;

use crate::card::Card;
use crate::cases::{Plan, QuantizedModel};
use crate::side::Side;
use crate::timing;

/// Both are timed this often, one after the other.
const TURNS: usize = 3;

/// Writes a file per model and `llama-bench.md` to the folder, and prints the table.
///
/// # Errors
/// Those of files and of our cases, and if `program` fails or prints something else than times.
pub(crate) fn run(program: &Path, plan: &Plan, ours: &Side, rounds: usize, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut table = String::from(
        "| Layers | | candle-rocm, µs | llama.cpp, µs | Times as fast |\n|---|---|--:|--:|--:|\n",
    );
    let mut build = None;
    for model in QuantizedModel::all(plan) {
        let file = folder.join(format!("llama-{}-layers.gguf", model.layers()));
        write_file(model, &file).with_context(|| format!("cannot write {}", file.display()))?;
        let tests =
            [["-p", &model.prompt().to_string(), "-n", "0"], ["-p", "0", "-n", &model.decoded().to_string()]]
                .map(|test| test.map(str::to_owned));
        for (case, test) in model.cases().iter().zip(&tests) {
            // A token is decoded after the prompt.
            let depth = if test[1] == "0" { model.prompt() } else { 0 };
            let (mut own, mut other) = (Vec::new(), Vec::new());
            for _ in 0..TURNS {
                own.push(timing::alone(ours, rounds, (case.build)(ours)?)? / case.calls as f64 * 1e6);
                ours.clear();
                let mut command = Command::new(program);
                command.arg("-m").arg(&file).args(test).args(["-d", &depth.to_string(), "-o", "json"]);
                let result = time_of(command.args(["-ngl", "99", "-r", &rounds.to_string()]))?;
                other.push(result.time);
                build.get_or_insert(result.build);
            }
            let (own, other) = (timing::median(&mut own), timing::median(&mut other) / case.calls as f64);
            let (layers, name) = (model.layers(), &case.shape);
            writeln!(table, "| {layers} | {name} | {own:.0} | {other:.0} | {:.2} |", other / own)?;
        }
    }
    print!("{table}");
    let to = folder.join("llama-bench.md");
    let card = Card::describe(ours, None, true)?;
    let facts: Vec<String> = card
        .lines()
        .iter()
        .filter(|(what, _)| ["card", "driver", "commit", "date"].contains(&&**what))
        .map(|(what, value)| format!("{what} {value}"))
        .collect();
    let page = format!(
        "# Quantized models beside llama.cpp\n\n`bench --llama-bench PATH` wrote this page, on the card that it names: llamas in Q4_K of the sizes of \
         Llama 3.2 1B (16 layers)\nand TinyLlama 1.1B (22). Both programs read the same files, in turns; medians of {TURNS} \
         turns of {rounds} rounds. We read back the argmax of\neach token's logits; llama-bench waits for the logits.\n\n\
         {}, llama.cpp's build {}\n\n{table}",
        facts.join(", "),
        build.unwrap_or_default()
    );
    fs::write(&to, page).with_context(|| format!("cannot write {}", to.display()))
}

/// What llama-bench says of a test.
#[derive(Debug, PartialEq)]
struct Tested {
    /// The median of its repetitions, in microseconds.
    time: f64,
    build: String,
}

fn time_of(command: &mut Command) -> Result<Tested> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed ({}):\n{errors}", output.status);
    tested(&output.stdout).with_context(|| format!("{command:?} printed no times"))
}

/// `samples_ns` and `build_commit` of the one test that it ran.
fn tested(json: &[u8]) -> Option<Tested> {
    let tests: Value = serde_json::from_slice(json).ok()?;
    let test = tests.get(0)?;
    let samples = test.get("samples_ns")?.as_array()?;
    let mut times: Vec<f64> = samples.iter().map(|time| Some(time.as_f64()? / 1e3)).collect::<Option<_>>()?;
    let build = test.get("build_commit").and_then(Value::as_str).unwrap_or("unknown").to_owned();
    (!times.is_empty()).then(|| Tested { time: timing::median(&mut times), build })
}

/// The model's synthetic weights in a file that llama.cpp reads. It has no vocabulary, but the size of one.
fn write_file(model: QuantizedModel, file: &Path) -> Result<()> {
    let (content, mut weights) = model.file()?;
    let mut names: Vec<_> = content.tensor_infos.keys().collect();
    names.sort();
    let tensors = names
        .iter()
        .map(|name| content.tensor(&mut weights, name, &Device::Cpu))
        .collect::<candle_core::Result<Vec<_>>>()?;
    let metadata: Vec<_> = content.metadata.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let tensors: Vec<_> = names.iter().map(|name| name.as_str()).zip(&tensors).collect();
    let mut writer = BufWriter::new(File::create(file)?);
    Ok(gguf_file::write(&mut writer, &metadata, &tensors)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_repetitions_are_read() {
        let json =
            br#"[{"build_commit": "4c41f46", "n_gen": 0, "avg_ns": 6000, "samples_ns": [7000, 5000, 9000]}]"#;
        assert_eq!(tested(json), Some(Tested { time: 7., build: "4c41f46".to_owned() }));
        for json in [&b"[]"[..], b"error: no model", br#"[{"samples_ns": []}]"#, br#"[{"avg_ns": 1}]"#] {
            assert_eq!(tested(json), None);
        }
    }

    /// By a program that prints what llama-bench would, for models that are read again.
    #[cfg(unix)]
    #[test]
    fn a_table_of_both_is_written() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("llama-bench");
        // Prints times if there is a model.
        let script = "#!/bin/sh\n[ -s \"$2\" ] && echo '[{\"samples_ns\": [4000000000, 2000000000]}]'\n";
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let ours = Side::on(candle_rocm::platform::HOST).unwrap();
        run(&program, &Plan::new(true), &ours, 1, folder.path()).unwrap();
        let page = fs::read_to_string(folder.path().join("llama-bench.md")).unwrap();
        assert_eq!(page.lines().filter(|line| line.starts_with("| 2 |")).count(), 2, "{page}");
        assert!(page.contains("build unknown"), "{page}");
        let mut file = File::open(folder.path().join("llama-2-layers.gguf")).unwrap();
        let content = gguf_file::Content::read(&mut file).unwrap();
        content.tensor(&mut file, "blk.1.ffn_down.weight", &Device::Cpu).unwrap();
    }
}
