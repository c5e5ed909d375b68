//! docs/book/src/troubleshooting.md has an entry for every error of the public error types, and for the other messages of what users run:
//! for each text the page holds the first words that do not depend on the case, which are what a user searches for.

use std::fs;
use std::path::Path;

const SOURCES: [&str; 10] = [
    "candle-rocm/src/error.rs",
    "cargo-rocm/src/error.rs",
    "candle-rocm/src/model_file/error.rs",
    "candle-rocm/src/model_file/needs.rs",
    "rocm-hip/src/error.rs",
    "rocm-kernels/src/error.rs",
    "rocm-hip/src/code/error.rs",
    "rocm-rccl/src/error.rs",
    "rocm-sys/src/error.rs",
    "rocm-sys/src/hip/status.rs",
];

/// Sources with messages outside error types: warnings, and what the demo and candle-rocm-parallel say.
const MESSAGES: [&str; 15] = [
    "candle-rocm/src/tuning/shipped.rs",
    "candle-rocm/src/tuning/store.rs",
    "candle/demo/src/bin/demo.rs",
    "candle/demo/src/bin/embed.rs",
    "candle/demo/src/chat.rs",
    "candle/demo/src/gguf.rs",
    "candle/demo/src/hub.rs",
    "candle/demo/src/parallel.rs",
    "candle/demo/src/sentences.rs",
    "candle/demo/src/tokenizer.rs",
    "candle/parallel/src/collective.rs",
    "candle/parallel/src/communicator.rs",
    "candle/parallel/src/llama/config.rs",
    "candle/parallel/src/weights.rs",
    "rocm-hip/src/code/cache.rs",
];

/// What begins a message there.
const SAYS: [&str; 4] = ["bail!(", "ensure!(", "warning::once(&format!(", " warn(&format!("];

/// Words of messages that are not derived, with the source that says them.
const OTHERS: [(&str, &str); 39] = [
    ("waited longer than", "rocm-hip/src/error.rs"),
    ("as after a reset of the device", "rocm-hip/src/error.rs"),
    ("is ignored; it takes", "rocm-sys/src/variable.rs"),
    ("could not be opened", "rocm-sys/src/error.rs"),
    ("than what this release supports", "rocm-sys/src/error.rs"),
    (
        "candle-rocm supports AMD GPUs on 64-bit Linux and Windows, and this program was built for another system",
        "rocm-sys/src/error.rs",
    ),
    ("leave RCCL out", "rocm-sys/src/kind.rs"),
    ("was lost: its process exited or the connection broke", "rocm-rccl/src/error.rs"),
    ("timed out after", "rocm-rccl/src/error.rs"),
    ("RCCL reported", "rocm-rccl/src/error.rs"),
    ("dropped its communicator before making this call", "rocm-rccl/src/error.rs"),
    ("not a rank of this job", "rocm-rccl/src/error.rs"),
    ("cannot listen on", "rocm-rccl/src/error.rs"),
    ("truncated or damaged", "rocm-sys/src/elf.rs"),
    ("not an ELF file", "rocm-sys/src/elf.rs"),
    ("not a Windows library", "rocm-sys/src/pe.rs"),
    ("and this program is for", "rocm-sys/src/pe.rs"),
    ("a library that it needs is missing", "rocm-sys/src/loader/windows.rs"),
    ("candle-rocm was built without its feature", "candle-rocm/src/platform.rs"),
    ("not a file that can be written", "rocm-hip/src/trace/mod.rs"),
    ("no AMD card here: there is no /dev/kfd", "cargo-rocm/src/run.rs"),
    ("is not supported; supported are", "candle/demo/src/model.rs"),
    ("the prompt is empty", "candle/demo/src/generate.rs"),
    ("is neither a vector nor a matrix", "candle/parallel/src/gguf.rs"),
    ("in the file,", "candle/parallel/src/gguf.rs"),
    ("there is no ROCm device:", "candle-rocm/src/seam.rs"),
    ("CANDLE_ROCM_HOST_DEVICES names none", "candle-rocm/src/platform.rs"),
    ("is not a list of wavefront sizes, so there is no device", "platforms/host/src/runtime/device.rs"),
    ("is not a list of processors, so there is no device", "platforms/gfx/src/platform/processor.rs"),
    ("cannot use the C++ compiler", "platforms/host/src/hiprtc/compiler.rs"),
    ("is unknown; ", "platforms/host/src/sanitizer/mod.rs"),
    ("static constructors and destructors are not supported", "platforms/host/src/exec/startup.rs"),
    ("has no ROCm implementation for", "candle/overlay/seam/candle-core/added/src/rocm/fallback.rs"),
    ("and its CPU version failed", "candle/overlay/seam/candle-core/added/src/rocm/fallback.rs"),
    (
        "has no ROCm implementation and runs on the CPU",
        "candle/overlay/seam/candle-core/added/src/rocm/fallback.rs",
    ),
    ("no ROCm device takes CUDA's place", "candle/overlay/seam/candle-core/added/src/rocm/cuda.rs"),
    ("no ROCm backend is linked in", "candle/overlay/seam/candle-core/added/src/rocm/registry.rs"),
    ("with a ROCm device is built from", "candle/overlay/src/registry.rs"),
    ("is not the crate that the patch is for", "candle/overlay/src/stock.rs"),
];

#[test]
fn every_error_text_is_explained() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/book/src/troubleshooting.md"))
        .expect("docs/book/src/troubleshooting.md");
    let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut missing = Vec::new();
    for source in SOURCES {
        let text = fs::read_to_string(root.join(source)).unwrap_or_else(|error| panic!("{source}: {error}"));
        let formats = error_formats(&text);
        assert!(!formats.is_empty(), "{source} has no #[error(\"...\")]");
        missing.extend(formats.into_iter().filter(|format| !page.contains(&first_words(format))));
    }
    for source in MESSAGES {
        let text = fs::read_to_string(root.join(source)).unwrap_or_else(|error| panic!("{source}: {error}"));
        let formats = messages(&text);
        assert!(!formats.is_empty(), "{source} has no messages");
        missing.extend(formats.into_iter().filter(|format| !page.contains(&first_words(format))));
    }
    for (words, source) in OTHERS {
        let text = fs::read_to_string(root.join(source)).unwrap_or_else(|error| panic!("{source}: {error}"));
        // Without line continuations.
        let text = text.split("\\\n").map(str::trim_start).collect::<String>();
        assert!(text.contains(words), "{source} no longer says `{words}`");
        if !page.contains(words) {
            missing.push(words.to_owned());
        }
    }
    assert!(missing.is_empty(), "docs/book/src/troubleshooting.md says nothing of:\n{}", missing.join("\n"));
}

/// The string literals of all `#[error("...")]` in a source.
fn error_formats(source: &str) -> Vec<String> {
    let attributes = source.split("#[error(").skip(1);
    attributes.filter_map(|attribute| literal(attribute.trim_start().strip_prefix('"')?)).collect()
}

/// The first string literal of each call that says something, which is where its condition, if it has one, ends.
fn messages(source: &str) -> Vec<String> {
    let calls = SAYS.iter().flat_map(|says| source.split(says).skip(1));
    calls.filter_map(|call| literal(call.split_once('"')?.1)).collect()
}

/// A string literal up to the quote that ends it, without line continuations.
fn literal(text: &str) -> Option<String> {
    let mut format = String::new();
    let mut characters = text.chars().peekable();
    loop {
        match characters.next()? {
            '"' => return Some(format),
            '\\' => match characters.next()? {
                'n' => format.push(' '),
                '\n' => while characters.next_if(|character| character.is_whitespace()).is_some() {},
                escaped => format.push(escaped),
            },
            character => format.push(character),
        }
    }
}

fn first_words(format: &str) -> String {
    let parts = format.split('{').flat_map(|part| part.rsplit('}').next());
    let parts = parts.map(|part| part.trim().trim_matches(['`', '(', ')', ':', ';', ',', '.']).trim());
    let parts: Vec<_> = parts.collect();
    let long = parts.iter().copied().find(|part| part.len() >= 10);
    long.or_else(|| parts.into_iter().max_by_key(|part| part.len())).unwrap_or_default().to_owned()
}

#[test]
fn formats_are_found_and_cut() {
    let source = "#[error(transparent)] #[error(\"one {a}: \\\"two\\\" three {b:?}\")] #[error(\n    \"x \\\n     y {z}\"\n)]";
    assert_eq!(error_formats(source), ["one {a}: \"two\" three {b:?}", "x y {z}"]);
    let source =
        "bail!(\"a {b}\"); ensure!(\n    c(d) > 1,\n    \"{e} f\"\n); warning::once(&format!(\"g\"));";
    assert_eq!(messages(source), ["a {b}", "{e} f", "g"]);
    assert_eq!(first_words("one {a}: \"two\" three {b:?} and much more"), "\"two\" three");
    assert_eq!(first_words("{call} failed: {message}"), "failed");
}
