//! Valid and invalid model files, and the tokenizers in them.

use std::io::{Cursor, Write as _};

use anyhow::Result;
use candle_core::quantized::gguf_file::{Value, write};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::{Device, Tensor};
use candle_rocm::model_file::Usage;
use candle_rocm_demo::chat;
use candle_rocm_demo::device::{Backend, choose, rocm};
use candle_rocm_demo::gguf::{Gguf, Source};
use candle_rocm_demo::model::{Model, check_architecture};
use candle_rocm_demo::tokenizer::Tokenizer;

fn string(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn strings(items: &[&str]) -> Value {
    Value::Array(items.iter().map(|item| string(item)).collect())
}

/// A file with the given metadata and one tensor of 64 elements.
fn file(metadata: &[(&str, Value)]) -> Result<Vec<u8>> {
    let tensor =
        QTensor::quantize(&Tensor::zeros((2, 32), candle_core::DType::F32, &Device::Cpu)?, GgmlDType::Q8_0)?;
    let metadata: Vec<(&str, &Value)> = metadata.iter().map(|(key, value)| (*key, value)).collect();
    let mut bytes = Cursor::new(Vec::new());
    write(&mut bytes, &metadata, &[("token_embd.weight", &tensor)])?;
    Ok(bytes.into_inner())
}

fn open(bytes: Vec<u8>) -> Result<Gguf> {
    Gguf::new(Box::new(Cursor::new(bytes)), "test.gguf")
}

fn error_of<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => panic!("expected an error"),
        Err(error) => format!("{error:#}"),
    }
}

#[test]
fn the_built_in_model_is_valid() -> Result<()> {
    let mut file = Source::BuiltIn.open()?;
    let tensor_bytes = file.header.tensor_bytes();
    assert!(tensor_bytes < 4_000_000, "{tensor_bytes}");
    assert_eq!(file.architecture()?, "llama");
    check_architecture(&file)?;
    assert!(
        file.summary().starts_with("tiny-docs: llama, 3.5 M parameters, mostly Q8_0, 3.7 MB"),
        "{}",
        file.summary()
    );
    // Weights, f32 embeddings, and 5 layers x 128 keys and values of 100 tokens.
    let needs = file.header.memory_needs(&Usage::new(100));
    assert_eq!((needs.weights, needs.cache), (tensor_bytes + 2048 * 256 * 4, 2 * 4 * 5 * 128 * 100));

    let tokenizer = Tokenizer::from_gguf(&mut file.content)?;
    for text in [
        "Returns the number of elements.",
        "`Vec<T>`:\n\n- it's 12345 x  y\n",
        "naïve café, 日本 🦀",
        " leading",
        "trailing ",
        "",
    ] {
        let ids = tokenizer.encode(text)?;
        assert_eq!(ids[0], 0, "a text starts with the end token of the previous one");
        assert!(!ids[1..].contains(&0));
        assert_eq!(tokenizer.decode(&ids)?, text);
        let mut stream = tokenizer.stream();
        let streamed: String = ids.iter().map(|id| stream(*id)).collect::<Result<_>>()?;
        assert_eq!(streamed, text);
    }
    // The vocabulary was trained on this kind of text: common words are single tokens.
    assert_eq!(tokenizer.encode("Returns the value of the iterator")?.len(), 7);
    assert!(tokenizer.is_end(0));
    Ok(())
}

/// With a prompt that fills the context.
#[test]
fn the_memory_taken_is_what_was_estimated() -> Result<()> {
    let device = choose(Some(Backend::Host), 0)?.device;
    let file = Source::BuiltIn.open()?;
    let needs = file.header.memory_needs(&Usage::new(400));
    let mut model = Model::load(file, &device)?;
    device.synchronize()?;
    let peak = || rocm(&device).map_or(0, |rocm| rocm.pool().stats().allocated_peak as u64);
    let loaded = peak();
    model.forward(&[7; 400], 0, &device)?;
    let (weights, total) = (needs.weights, needs.total());
    assert!(loaded >= weights && loaded < weights * 3 / 2, "{loaded} of {weights} bytes");
    assert!(peak() <= total && peak() >= total / 2, "{} of {total} bytes, {loaded} at first", peak());
    Ok(())
}

#[test]
fn a_file_truncated_at_any_length_is_an_error() -> Result<()> {
    let whole = file(&[("general.architecture", string("llama"))])?;
    open(whole.clone())?;
    // The last bytes are padding: 64 elements of Q8_0 take 68 bytes, and the file size is a multiple of 32.
    let data = whole.len() - 96;
    for length in 0..data + 68 {
        let message = error_of(open(whole[..length].to_vec()));
        let expected = match length {
            0..4 => "test.gguf is not a GGUF or GGML file: it has",
            _ if length < data => "test.gguf is truncated: ",
            _ => "test.gguf is truncated: tensor `token_embd.weight` ends at byte",
        };
        assert!(message.contains(expected), "{length}: {message}");
        assert!(message.matches("truncated").count() <= 1, "{message}");
    }
    Ok(())
}

#[test]
fn invalid_files_are_errors() -> Result<()> {
    assert!(
        error_of(open(b"<!DOCTYPE html>".to_vec()))
            .contains("not a GGUF or GGML file: it begins with \"<!DO\"")
    );
    assert!(
        error_of(open(b"GGUF\x63\0\0\0".to_vec()))
            .contains("is a GGUF file of version 99, expected 1, 2 or 3")
    );
    let mut garbage = file(&[("general.architecture", string("llama"))])?;
    garbage[8..16].fill(0xff); // the number of tensors
    assert!(error_of(open(garbage)).contains("damaged: the number of tensors is 18446744073709551615"));

    let missing = Source::File("/nonexistent/model.gguf".into());
    assert!(error_of(missing.open()).contains("cannot open /nonexistent/model.gguf"));
    let folder = tempfile::tempdir()?;
    let in_folder = || error_of(Source::File(folder.path().into()).open());
    assert!(in_folder().ends_with("is a folder, expected a GGUF file; it has none"), "{}", in_folder());
    std::fs::write(folder.path().join("model.safetensors"), b"\x02\0\0\0\0\0\0\0{}")?;
    let message = error_of(Source::File(folder.path().join("model.safetensors")).open());
    assert!(
        message.contains("model.safetensors is not a GGUF or GGML file: it is a safetensors file"),
        "{message}"
    );
    for message in [message, in_folder()] {
        assert!(message.contains("convert_hf_to_gguf.py"), "{message}");
    }
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, "")?;
    assert!(in_folder().ends_with(&format!("there is {}", path.display())), "{}", in_folder());
    std::fs::File::create(&path)?.write_all(&file(&[("general.architecture", string("mamba"))])?)?;
    let message = error_of(check_architecture(&Source::File(path).open()?));
    assert!(
        message.contains("architecture `mamba` is not supported; supported are llama, qwen2, qwen3,"),
        "{message}"
    );
    assert!(
        error_of(check_architecture(&open(file(&[])?)?)).contains("the file has no general.architecture")
    );
    Ok(())
}

#[test]
fn missing_and_unknown_tokenizers_are_errors() -> Result<()> {
    let error = |metadata: &[(&str, Value)]| -> Result<String> {
        Ok(error_of(Tokenizer::from_gguf(&mut open(file(metadata)?)?.content)))
    };
    assert!(error(&[])?.contains("the file has no tokenizer"));
    assert!(
        error(&[("tokenizer.ggml.model", string("bert"))])?
            .contains("tokenizer `bert` is not supported; supported are gpt2 and llama")
    );
    for model in ["gpt2", "llama"] {
        let mut metadata = vec![("tokenizer.ggml.model", string(model))];
        assert!(
            error(&metadata)?.contains("the file's tokenizer has no tokenizer.ggml.tokens; take another")
        );
        metadata.push(("tokenizer.ggml.tokens", strings(&["a"])));
        let next = if model == "gpt2" { "merges" } else { "scores" };
        let message = error(&metadata)?;
        assert!(
            message.contains(&format!("the file's tokenizer has no tokenizer.ggml.{next}; ")),
            "{message}"
        );
        assert!(!message.contains("unwrap none"), "{message}");
    }
    let uneven = [
        ("tokenizer.ggml.model", string("llama")),
        ("tokenizer.ggml.tokens", strings(&["<unk>", "a"])),
        ("tokenizer.ggml.scores", Value::Array(vec![Value::F32(0.)])),
    ];
    assert!(error(&uneven)?.contains("2 pieces and 1 scores"));
    Ok(())
}

/// "lo" has the highest score, so "hello" becomes h-e-l-lo before "he" is merged; "hel" is merged from "he" and "l".
#[test]
fn sentence_piece_merges_by_score() -> Result<()> {
    let pieces = [
        "<unk>", "<s>", "</s>", "<0xC3>", "<0xA9>", "\u{2581}", "h", "e", "l", "o", "lo", "he", "hel",
        "hello",
    ];
    let scores = [0., 0., 0., 0., 0., -9., -10., -11., -12., -13., -1., -2., -3., -4.];
    let kinds = [2, 3, 3, 6, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1];
    let metadata = |prefix: bool| {
        [
            ("tokenizer.ggml.model", string("llama")),
            ("tokenizer.ggml.tokens", strings(&pieces)),
            ("tokenizer.ggml.scores", Value::Array(scores.iter().map(|s| Value::F32(*s)).collect())),
            ("tokenizer.ggml.token_type", Value::Array(kinds.iter().map(|k| Value::I32(*k)).collect())),
            ("tokenizer.ggml.bos_token_id", Value::U32(1)),
            ("tokenizer.ggml.eos_token_id", Value::U32(2)),
            ("tokenizer.ggml.add_space_prefix", Value::Bool(prefix)),
        ]
    };
    let ids = |pieces_of: &[&str]| -> Vec<u32> {
        pieces_of.iter().map(|p| pieces.iter().position(|q| q == p).expect("a piece") as u32).collect()
    };
    let tokenizer = Tokenizer::from_gguf(&mut open(file(&metadata(true))?)?.content)?;
    assert_eq!(tokenizer.encode("hello")?, ids(&["<s>", "\u{2581}", "hello"]));
    assert_eq!(
        tokenizer.encode("lohe é")?,
        ids(&["<s>", "\u{2581}", "lo", "he", "\u{2581}", "<0xC3>", "<0xA9>"])
    );
    assert_eq!(tokenizer.decode(&tokenizer.encode("hello lohe é")?)?, "hello lohe é");
    assert!(tokenizer.is_end(2) && !tokenizer.is_end(1));
    assert!(tokenizer.contains("<s>") && !tokenizer.contains("<|im_start|>"));

    let tokenizer = Tokenizer::from_gguf(&mut open(file(&metadata(false))?)?.content)?;
    assert_eq!(tokenizer.encode("hello")?, ids(&["<s>", "hello"]));
    assert_eq!(tokenizer.decode(&tokenizer.encode(" hello")?)?, " hello");
    Ok(())
}

/// GPT-2's rule adds no space before the text, and Llama 3's rule has several names.
#[test]
fn splitting_rules_by_name() -> Result<()> {
    // Digits and pairs of them; "Ġ" is a space.
    let tokens: Vec<String> = (0..10)
        .map(|d: u32| d.to_string())
        .chain(["12".into(), "\u{120}".into(), "\u{120}1".into(), "<s>".into()])
        .collect();
    let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
    let encoded = |pre: &str, what: &str| -> Result<Vec<String>> {
        let metadata = [
            ("tokenizer.ggml.model", string("gpt2")),
            ("tokenizer.ggml.pre", string(pre)),
            ("tokenizer.ggml.tokens", strings(&tokens)),
            ("tokenizer.ggml.merges", strings(&["1 2", "\u{120} 1"])),
            ("tokenizer.ggml.bos_token_id", Value::U32(13)),
        ];
        let tokenizer = Tokenizer::from_gguf(&mut open(file(&metadata)?)?.content)?;
        Ok(tokenizer.encode(what)?.iter().map(|id| tokens[*id as usize].to_owned()).collect())
    };
    assert_eq!(encoded("gpt-2", "12")?, ["12"]);
    assert_eq!(encoded("qwen2", "12")?, ["1", "2"], "Qwen splits numbers into digits");
    assert_eq!(
        encoded("llama-bpe", "12")?,
        ["<s>", "12"],
        "Llama 3 has a begin token even if the file does not say so"
    );
    assert_eq!(encoded("gpt-2", " 1")?, ["\u{120}1"]);
    Ok(())
}

/// A byte-level vocabulary of some chat tokens.
fn chat_tokenizer(tokens: &[&str]) -> Result<Tokenizer> {
    let metadata = [
        ("tokenizer.ggml.model", string("gpt2")),
        ("tokenizer.ggml.tokens", strings(&[&["a", "b", "ab"], tokens].concat())),
        ("tokenizer.ggml.merges", strings(&["a b"])),
    ];
    Tokenizer::from_gguf(&mut open(file(&metadata)?)?.content)
}

#[test]
fn a_missing_chat_template_is_said() -> Result<()> {
    let both = chat_tokenizer(&["<|im_start|>", "<|im_end|>", "[INST]"])?;
    let turn = chat::turn(&both, Some("{{ '[INST] ' + message }}"), "a")?;
    assert_eq!(turn, chat::Turn { text: "[INST] a [/INST]".to_owned(), warning: None });
    let turn = chat::turn(&both, Some("{{ '<|im_start|>' }}"), "a")?;
    assert_eq!(turn.text, "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n");
    assert_eq!(turn.warning, None);
    for (template, why) in [(None, "has no chat template"), (Some("{{ '<turn>' }}"), "does not know")] {
        let turn = chat::turn(&both, template, "a")?;
        assert!(turn.text.starts_with("<|im_start|>user"));
        let warning = turn.warning.expect("the template says nothing of it");
        assert!(warning.contains(why) && warning.contains("<|im_start|>"), "{warning}");
    }
    assert!(error_of(chat::turn(&chat_tokenizer(&[])?, None, "a")).contains("omit --chat"));
    Ok(())
}
