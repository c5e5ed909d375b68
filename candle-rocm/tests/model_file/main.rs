//! Model files' headers: what is wrong with them is said, by name.

use std::io::{Cursor, Seek as _, Write as _};

use candle_core::DType;
use candle_rocm::model_file::{Format, Header, ModelFault, Usage, check, check_reader};

const U8: u32 = 0;
const U32: u32 = 4;
const I32: u32 = 5;
const BOOL: u32 = 7;
const TEXT: u32 = 8;
const ARRAY: u32 = 9;
const U64: u32 = 10;

/// A key, its type and its bytes.
type Key = (String, u32, Vec<u8>);

fn number(key: &str, value: u32) -> Key {
    (key.to_owned(), U32, value.to_le_bytes().to_vec())
}

/// A tensor: name, dimensions as in the file, type, offset.
type Tensor<'a> = (&'a str, &'a [u64], u32, u64);

/// Parts of a GGUF file, and how many bytes of data follow its header.
struct Gguf<'a> {
    version: u32,
    keys: Vec<Key>,
    tensors: Vec<Tensor<'a>>,
    data: usize,
}

impl Gguf<'_> {
    fn length(&self, bytes: &mut Vec<u8>, length: u64) {
        let width = if self.version == 1 { 4 } else { 8 };
        bytes.extend_from_slice(&length.to_le_bytes()[..width]);
    }

    fn text(&self, bytes: &mut Vec<u8>, text: &str) {
        self.length(bytes, text.len() as u64);
        bytes.extend_from_slice(text.as_bytes());
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = b"GGUF".to_vec();
        bytes.extend_from_slice(&self.version.to_le_bytes());
        self.length(&mut bytes, self.tensors.len() as u64);
        self.length(&mut bytes, self.keys.len() as u64);
        for (key, kind, value) in &self.keys {
            self.text(&mut bytes, key);
            bytes.extend_from_slice(&kind.to_le_bytes());
            bytes.extend_from_slice(value);
        }
        for (name, dims, dtype, offset) in &self.tensors {
            self.text(&mut bytes, name);
            bytes.extend_from_slice(&(dims.len() as u32).to_le_bytes());
            dims.iter().for_each(|&dim| self.length(&mut bytes, dim));
            bytes.extend_from_slice(&dtype.to_le_bytes());
            bytes.extend_from_slice(&offset.to_le_bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(32) + self.data, 0);
        bytes
    }
}

/// Two tensors of 64 bytes.
fn good<'a>() -> Gguf<'a> {
    Gguf { version: 3, keys: Vec::new(), tensors: vec![("a", &[16], 0, 0), ("b", &[4, 4], 0, 64)], data: 128 }
}

fn read(bytes: &[u8]) -> Result<Header, String> {
    check_reader(&mut Cursor::new(bytes), "model.gguf").map_err(|error| error.to_string())
}

fn with_keys(keys: Vec<Key>) -> Result<Header, String> {
    read(&Gguf { keys, ..good() }.bytes())
}

fn with_tensors(tensors: Vec<Tensor>) -> Result<Header, String> {
    read(&Gguf { tensors, ..good() }.bytes())
}

/// The end of the message, which begins with the file's name.
fn refused(result: Result<Header, String>) -> String {
    let message = result.expect_err("refused");
    message.strip_prefix("model.gguf ").expect("the file's name").to_owned()
}

#[test]
fn a_header_is_read() {
    for version in 1..=3 {
        let text = Gguf { version, ..good() };
        let mut name = Vec::new();
        text.text(&mut name, "mamba");
        let keys = vec![("general.architecture".to_owned(), TEXT, name), number("mamba.block_count", 0)];
        let tensors = vec![("a", &[16u64][..], 0, 64), ("b", &[32, 3], 8, 96 + 32)];
        let bytes = Gguf { version, keys, tensors, data: 256 }.bytes();
        let header = read(&bytes).expect("whole");
        assert_eq!(header.format, Format::Gguf(version));
        assert_eq!(header.architecture.as_deref(), Some("mamba"));
        let data = bytes.len() as u64 - 256;
        let b = &header.tensors[1];
        assert_eq!((b.name.as_str(), b.dtype, b.dims.as_slice()), ("b", "Q8_0", &[3, 32][..]));
        assert_eq!((b.offset, b.bytes), (data + 128, 3 * 34));
        assert_eq!(header.tensor_bytes(), 64 + 3 * 34);
    }
}

/// From where it stands, and the reader comes back to there.
#[test]
fn a_reader_is_left_where_it_was() {
    let mut bytes = vec![0; 32];
    bytes.extend(good().bytes());
    let mut reader = Cursor::new(bytes);
    reader.set_position(32);
    let header = check_reader(&mut reader, "").expect("whole");
    assert_eq!(reader.stream_position().unwrap(), 32);
    assert_eq!(header.tensors[0].offset, reader.get_ref().len() as u64 - 128);
    reader.get_mut().truncate(100);
    assert!(check_reader(&mut reader, "").is_err());
    assert_eq!(reader.stream_position().unwrap(), 32);
}

#[test]
fn every_length_is_too_short() {
    let keys = vec![number("llama.block_count", 2), ("flag".to_owned(), BOOL, vec![1])];
    let bytes = Gguf { keys, ..good() }.bytes();
    assert!(read(&bytes).is_ok());
    for length in 0..bytes.len() {
        let message = refused(read(&bytes[..length]));
        let expected = if length < 4 { "is not a GGUF or GGML file: it has" } else { "is truncated: " };
        assert!(message.starts_with(expected), "{length}: {message}");
    }
    assert_eq!(
        refused(read(&bytes[..bytes.len() - 1])),
        format!(
            "is truncated: tensor `b` ends at byte {0}, the file at {1}; get the file again",
            bytes.len(),
            bytes.len() - 1
        )
    );
}

#[test]
fn other_files() {
    assert_eq!(refused(read(b"<!DOCTYPE html>")), "is not a GGUF or GGML file: it begins with \"<!DO\"");
    let safetensors = refused(read(b"\x40\0\0\0\0\0\0\0{\"__metadata__\""));
    assert!(safetensors.starts_with("is not a GGUF or GGML file: it is a safetensors file"), "{safetensors}");
    for version in [0, 4, 1 << 24] {
        assert_eq!(
            refused(read(&Gguf { version, ..good() }.bytes())),
            format!("is a GGUF file of version {version}, expected 1, 2 or 3")
        );
    }
    assert!(refused(read(b"tjgg\x04\0\0\0")).contains("is a GGJT file of version 4, expected 1 to 3"));
    let error = check("/nonexistent/model.gguf").expect_err("missing");
    assert!(matches!(error.fault, ModelFault::Io(_)) && error.file == "/nonexistent/model.gguf", "{error}");
    assert!(check("/").expect_err("a folder").to_string().contains("it is a folder"));
    let candles = candle_core::Error::from(check("/").expect_err("a folder"));
    assert!(candles.to_string().contains("/ is not a GGUF or GGML file"), "{candles}");
}

/// Opening a pipe waits for its other end.
#[cfg(unix)]
#[test]
fn pipes_are_not_opened() {
    let pipe = std::env::temp_dir().join(format!("candle-rocm-model-file-{}", std::process::id()));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("coreutils").success());
    let result = check(&pipe);
    std::fs::remove_file(&pipe).unwrap();
    assert!(result.expect_err("a pipe").to_string().contains("it is not a regular file"));
}

#[test]
fn a_file_on_disk() {
    let path = std::env::temp_dir().join(format!("candle-rocm-model-file-{}.gguf", std::process::id()));
    std::fs::File::create(&path).and_then(|mut file| file.write_all(&good().bytes())).unwrap();
    let header = check(&path);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(header.expect("whole").tensors.len(), 2);
}

#[test]
fn counts_and_lengths() {
    let bytes = good().bytes();
    let set = |at: usize, value: u64| {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        refused(read(&bytes))
    };
    assert_eq!(
        set(8, 1 << 60),
        format!("is damaged: the number of tensors is {}, expected at most 1048576", 1u64 << 60)
    );
    assert!(set(16, u64::MAX).contains("the number of keys is 18446744073709551615, expected at most 65536"));
    // The first tensor's name.
    assert!(set(24, 1 << 31).contains("the length of a string is 2147483648, expected at most 1073741824"));
    assert!(set(24, 1 << 29).starts_with("is truncated: the list of tensors ends at byte 536870"));
}

#[test]
fn values_of_the_metadata() {
    let key = |kind: u32, bytes: &[u8]| vec![("k".to_owned(), kind, bytes.to_vec())];
    let array = |kind: u32, length: u64| [&kind.to_le_bytes()[..], &length.to_le_bytes()].concat();
    assert!(with_keys(key(BOOL, &[1])).is_ok());
    assert_eq!(refused(with_keys(key(BOOL, &[2]))), "is damaged: key `k` is the boolean 2, expected 0 or 1");
    assert_eq!(
        refused(with_keys(key(13, &[0; 8]))),
        "is damaged: key `k` is of type 13, expected a type from 0 to 12"
    );
    assert!(with_keys(key(ARRAY, &[array(U8, 2), vec![1, 2]].concat())).is_ok());
    assert!(
        refused(with_keys(key(ARRAY, &array(U8, 1 << 60))))
            .contains("key `k` is an array of 1152921504606846976")
    );
    assert!(refused(with_keys(key(ARRAY, &array(U8, 1 << 20)))).starts_with("is truncated"));
    assert!(with_keys(key(ARRAY, &array(ARRAY, 0))).is_ok());
    let nested = array(ARRAY, 1).repeat(100_000);
    assert_eq!(
        refused(with_keys(key(ARRAY, &nested))),
        "is damaged: key `k` is an array nested 64 deep, expected at most 64"
    );
    let twice = vec![number("k", 1), number("k\0", 2)];
    assert_eq!(refused(with_keys(twice)), "is damaged: key `k` is there twice, expected one value per key");
}

#[test]
fn alignments() {
    let with = |kind: u32, bytes: Vec<u8>| with_keys(vec![("general.alignment".to_owned(), kind, bytes)]);
    for alignment in [1u32, 8, 32] {
        assert!(with(U32, alignment.to_le_bytes().to_vec()).is_ok(), "{alignment}");
    }
    for alignment in [0u32, 3, u32::MAX] {
        assert_eq!(
            refused(with(U32, alignment.to_le_bytes().to_vec())),
            format!("is damaged: key `general.alignment` is {alignment}, expected a power of two below 2^32")
        );
    }
    assert!(refused(with(I32, (-32i32).to_le_bytes().to_vec())).contains("`general.alignment` is -32,"));
    assert!(refused(with(U64, (1u64 << 40).to_le_bytes().to_vec())).contains("expected a power of two"));
    assert_eq!(
        refused(with(U32, (1u32 << 31).to_le_bytes().to_vec())),
        "is damaged: tensor `b` has offset 64, expected a multiple of 2147483648"
    );
}

#[test]
fn tensors() {
    let one = |dims: &[u64], dtype: u32, offset: u64| refused(with_tensors(vec![("a", dims, dtype, offset)]));
    assert_eq!(one(&[], 0, 0), "is damaged: tensor `a` has 0 dimensions, expected 1 to 4");
    assert_eq!(one(&[1; 5], 0, 0), "is damaged: tensor `a` has 5 dimensions, expected 1 to 4");
    assert_eq!(
        one(&[4, 0], 0, 0),
        "is damaged: tensor `a` has shape [0, 4] in F32, expected dimensions of at least 1"
    );
    assert_eq!(
        one(&[48, 2], 8, 0),
        "is damaged: tensor `a` has shape [2, 48] in Q8_0, expected rows of whole blocks of 32"
    );
    let expected = "expected fewer than 2^63 bytes";
    for dims in [&[1u64 << 32, 1 << 32][..], &[1 << 63, 2], &[u64::MAX, 1], &[3 << 62, 4], &[1 << 61, 1]] {
        assert!(one(dims, 0, 0).ends_with(expected), "{dims:?}: {}", one(dims, 0, 0));
    }
    assert!(
        one(&[16], 28, 0)
            .starts_with("has tensor `a` in type F64, which candle does not load; take a file in F32, F16,")
    );
    assert!(one(&[16], 99, 0).starts_with("has tensor `a` in type number 99,"));
    assert_eq!(one(&[16], 0, 33), "is damaged: tensor `a` has offset 33, expected a multiple of 32");
    assert!(one(&[16], 0, 96).starts_with("is truncated: tensor `a` ends at byte "));
    assert!(
        one(&[16], 0, u64::MAX - 31)
            .starts_with("is truncated: tensor `a` ends at byte 18446744073709551615")
    );
    assert_eq!(
        refused(with_tensors(vec![("a", &[16], 0, 0), ("a\0", &[16], 0, 64)])),
        "is damaged: tensor `a` has a duplicate name, expected distinct names"
    );
    let overlap = refused(with_tensors(vec![("b", &[16], 0, 32), ("a", &[16], 0, 0)]));
    assert!(
        overlap.contains("tensor `b` has its data at byte") && overlap.contains("behind that of `a`"),
        "{overlap}"
    );
}

/// The hyperparameters of a small llama.
fn llama(changed: &[(&str, u32)]) -> Result<Header, String> {
    model("llama", &[("rope.dimension_count", 16)], changed, vec![("a", &[16], 0, 0), ("b", &[4, 4], 0, 64)])
}

fn model(
    name: &str,
    own: &[(&str, u32)],
    changed: &[(&str, u32)],
    tensors: Vec<Tensor>,
) -> Result<Header, String> {
    let common = [
        ("block_count", 2),
        ("embedding_length", 64),
        ("attention.head_count", 4),
        ("attention.head_count_kv", 2),
        ("context_length", 128),
    ];
    let value = |key: &str, value: u32| {
        changed.iter().find(|(name, _)| *name == key).map_or(value, |(_, changed)| *changed)
    };
    let mut keys: Vec<Key> =
        common.iter().chain(own).map(|(key, of)| number(&format!("{name}.{key}"), value(key, *of))).collect();
    for (key, of) in changed {
        if !common.iter().chain(own).any(|(known, _)| known == key) {
            keys.push(number(&format!("{name}.{key}"), *of));
        }
    }
    read(&Gguf { keys, tensors, ..good() }.bytes())
}

#[test]
fn hyperparameters() {
    assert!(llama(&[]).is_ok());
    for (key, value, expected) in [
        ("block_count", 0, "1 to 2 (the number of tensors)"),
        ("block_count", u32::MAX, "1 to 2 (the number of tensors)"),
        ("embedding_length", 0, "1 to 1048576"),
        ("embedding_length", 1 << 31, "1 to 1048576"),
        ("attention.head_count", 0, "1 to 65536"),
        ("attention.head_count", 3, "a divisor of llama.embedding_length (64)"),
        ("attention.head_count", 128, "a divisor of llama.embedding_length (64)"),
        (
            "attention.head_count_kv",
            0,
            "a divisor of llama.attention.head_count (4), with at most 131072 elements in all",
        ),
        ("attention.head_count_kv", 3, "a divisor of llama.attention.head_count (4)"),
        ("attention.head_count_kv", 8, "a divisor of llama.attention.head_count (4)"),
        ("attention.key_length", 0, "1 to 1048576"),
        ("rope.dimension_count", 0, "1 to 16 (the length of a head)"),
        ("rope.dimension_count", 1 << 31, "1 to 16 (the length of a head)"),
        ("context_length", 0, "1 to 33554432"),
        ("context_length", u32::MAX, "1 to 33554432"),
        ("expert_count", u32::MAX, "0 to 65536"),
    ] {
        let message = refused(llama(&[(key, value)]));
        let begin = format!("is damaged: key `llama.{key}` is {value}, expected {expected}");
        assert!(message.starts_with(&begin), "{message}\n{begin}");
    }
    // An even length of heads, whichever way it is given.
    assert!(
        refused(llama(&[("embedding_length", 60)]))
            .contains("is 4 heads of 15 elements, expected heads of a multiple of 2")
    );
    assert!(
        refused(llama(&[("attention.key_length", 17)]))
            .contains("key `llama.attention.key_length` is 4 heads of 17")
    );
    assert!(llama(&[("attention.key_length", 32), ("embedding_length", 63)]).is_ok());
}

#[test]
fn hyperparameters_of_one_architecture() {
    let tensors = || vec![("a", &[16u64][..], 0u32, 0u64), ("b", &[4, 4], 0, 64)];
    let length = [("attention.key_length", 16)];
    for (name, own, changed, expected) in [
        ("gemma3", &length[..], ("attention.sliding_window_type", 0), "1 to 4294967295"),
        ("glm4", &length, ("attention.key_length", 18), "heads of a multiple of 4 elements"),
        ("phi3", &[], ("context_length", (1 << 25) + 1), "1 to 33554432"),
        ("lfm2", &[], ("shortconv.l_cache", 1 << 31), "1 to 1024"),
        ("qwen3moe", &[("expert_count", 8)], ("expert_used_count", 9), "1 to 8"),
        ("qwen3moe", &[("expert_count", 8)], ("expert_used_count", 0), "1 to 8"),
    ] {
        let message = refused(model(name, own, &[changed], tensors()));
        assert!(message.contains(&format!("key `{name}.{}` is ", changed.0)), "{message}");
        assert!(message.contains(&format!("expected {expected}")), "{message}");
    }
    // A cache of keys for the whole context: 2 heads of 16 elements, and of 2048.
    assert!(model("phi3", &[], &[("context_length", 1 << 24)], tensors()).is_ok());
    let long = [("embedding_length", 8192), ("context_length", 1 << 18)];
    assert!(model("phi3", &[], &long, tensors()).is_ok());
    let longer = [("embedding_length", 8192), ("context_length", (1 << 18) + 1)];
    assert!(refused(model("phi3", &[], &longer, tensors())).contains("expected 1 to 262144"));
    // A router with more outputs than there are experts.
    let router = vec![("blk.0.ffn_gate_inp.weight", &[4u64, 4][..], 0u32, 0u64), ("b", &[4, 4], 0, 64)];
    assert!(model("llama", &[("expert_count", 4)], &[], router.clone()).is_ok());
    assert_eq!(
        refused(model("llama", &[("expert_count", 3)], &[], router)),
        "is damaged: tensor `blk.0.ffn_gate_inp.weight` has shape [4, 4], expected a first dimension of llama.expert_count (3)"
    );
    // Others' keys mean other things: those of models without attention.
    assert!(model("mamba", &[], &[("attention.head_count", 0)], tensors()).is_ok());
}

/// lfm2 has a number of heads per layer, and none where a layer is a convolution.
#[test]
fn heads_per_layer() {
    let file = |name: &str, counts: &[i32]| {
        let bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
        let array = [&I32.to_le_bytes()[..], &(counts.len() as u64).to_le_bytes(), &bytes].concat();
        let keys = vec![
            number(&format!("{name}.attention.head_count"), 4),
            number(&format!("{name}.embedding_length"), 64),
            (format!("{name}.attention.head_count_kv"), ARRAY, array),
        ];
        with_keys(keys)
    };
    assert!(file("lfm2", &[0, 2, 4]).is_ok());
    for counts in [&[0, -1][..], &[3], &[8]] {
        assert!(
            refused(file("lfm2", counts)).contains("expected a divisor of lfm2.attention.head_count (4)")
        );
    }
    assert!(refused(file("llama", &[0, 2])).contains("key `llama.attention.head_count_kv` is 0,"));
}

/// A GGJT file: magic, version, hyperparameters, tokens, tensors of F32.
fn ggjt(parameters: [u32; 7], tokens: &[&str], tensors: &[(&str, &[u32], u32, usize)]) -> Vec<u8> {
    let mut bytes = b"tjgg".to_vec();
    let put = |bytes: &mut Vec<u8>, number: u32| bytes.extend_from_slice(&number.to_le_bytes());
    put(&mut bytes, 3);
    parameters.into_iter().for_each(|parameter| put(&mut bytes, parameter));
    for token in tokens {
        put(&mut bytes, token.len() as u32);
        bytes.extend_from_slice(token.as_bytes());
        put(&mut bytes, 0);
    }
    for (name, dims, dtype, size) in tensors {
        [dims.len() as u32, name.len() as u32, *dtype].into_iter().for_each(|number| put(&mut bytes, number));
        dims.iter().for_each(|&dim| put(&mut bytes, dim));
        bytes.extend_from_slice(name.as_bytes());
        bytes.resize(bytes.len().next_multiple_of(32) + size, 0);
    }
    bytes
}

#[test]
fn files_before_gguf() {
    const GOOD: [u32; 7] = [2, 64, 256, 4, 1, 16, 0];
    let file = |at: usize, value: u32| {
        let mut parameters = GOOD;
        parameters[at] = value;
        read(&ggjt(parameters, &["one", "two"], &[("norm", &[16], 0, 64)]))
    };
    let header = file(0, 2).expect("whole");
    assert_eq!((header.format, header.tensors[0].dims.as_slice()), (Format::Ggjt(3), &[16][..]));
    assert_eq!((header.tensors[0].offset % 32, header.tensor_bytes()), (0, 64));
    for (at, value, expected) in [
        (0, u32::MAX, "the size of the vocabulary is 4294967295, expected at most"),
        (1, 0, "the embedding length is 0, expected 1 to 1048576"),
        (1, u32::MAX, "the embedding length is 4294967295, expected 1 to 1048576"),
        (
            3,
            0,
            "the number of heads is 0, expected a divisor of the embedding length (64), with an even quotient",
        ),
        (3, 64, "the number of heads is 64, expected a divisor"),
        (4, 0, "the number of layers is 0, expected 1 to 1, the number of tensors"),
        (4, u32::MAX, "the number of layers is 4294967295, expected 1 to 1"),
    ] {
        let message = refused(file(at, value));
        assert!(message.contains(expected), "{message}");
    }
    let tensors =
        |tensors: &[(&str, &[u32], u32, usize)]| refused(read(&ggjt(GOOD, &["one", "two"], tensors)));
    assert!(tensors(&[("x", &[16, 0], 0, 0)]).contains("tensor `x` has shape [0, 16] in F32"));
    assert!(tensors(&[("x", &[u32::MAX; 4], 0, 0)]).contains("expected fewer than 2^63 bytes"));
    assert!(tensors(&[("x", &[1; 9], 0, 4)]).contains("has 9 dimensions, expected 1 to 4"));
    assert!(tensors(&[("x", &[16], 16, 64)]).contains("has tensor `x` in type IQ2_XXS"));
    assert!(tensors(&[("x", &[16], 0, 63)]).starts_with("is truncated: tensor `x` ends at byte"));
    let twice: (&str, &[u32], u32, usize) = ("x", &[16], 0, 64);
    assert!(tensors(&[twice, twice]).contains("tensor `x` has a duplicate name"));
    let bytes = ggjt(GOOD, &["one", "two"], &[("norm", &[16], 0, 64)]);
    for length in 4..bytes.len() {
        assert!(read(&bytes[..length]).is_err(), "{length}");
    }
}

/// No panic, however the bytes are changed.
#[test]
fn any_bytes() {
    let keys = vec![number("llama.attention.head_count", 4), number("llama.embedding_length", 64)];
    let whole = [
        Gguf { keys, ..good() }.bytes(),
        ggjt([2, 64, 256, 4, 1, 16, 0], &["one", "two"], &[("norm", &[16], 0, 64)]),
    ];
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let mut refusals = 0;
    for round in 0..20_000 {
        let mut bytes = whole[round % 2].clone();
        for _ in 0..=random() % 3 {
            let at = random() % bytes.len();
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, random() as u8][random() % 6];
        }
        refusals += usize::from(read(&bytes).is_err());
    }
    assert!(refusals > 5_000, "{refusals}");
}

/// A llama of two layers, of width 64, 4 heads of 16 and 2 with keys and values; with more keys.
fn small_llama(architecture: &str, more: Vec<Key>) -> Header {
    let key = |key: &str, value| number(&format!("{architecture}.{key}"), value);
    let mut keys = vec![
        ("general.architecture".to_owned(), TEXT, gguf_text(architecture)),
        key("block_count", 2),
        key("embedding_length", 64),
        key("attention.head_count", 4),
        key("context_length", 512),
    ];
    keys.extend(more);
    // Dimensions are reversed in the file. Q8_0 has blocks of 34 bytes for 32 elements, f16 2 bytes.
    let tensors = vec![
        ("token_embd.weight", &[64, 100][..], 8, 0),
        ("blk.0.ffn_up.weight", &[64, 96], 8, 6816),
        ("blk.0.attn_norm.weight", &[64], 0, 13344),
        ("output.weight", &[64, 100], 1, 13600),
    ];
    let file = Gguf { version: 3, keys, tensors, data: 13600 + 12800 };
    read(&file.bytes()).expect("a good file")
}

fn gguf_text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

#[test]
fn what_a_model_needs() {
    let header = small_llama("llama", vec![number("llama.attention.head_count_kv", 2)]);
    let model = header.hyperparameters.expect("the file has them");
    assert_eq!((model.embedding_length, model.head_length, model.context_length), (64, 16, Some(512)));
    // Keys and values, layers, heads, elements.
    assert_eq!((model.cached_per_token, model.allocates_all), (2 * 2 * 2 * 16, false));

    let needs = header.memory_needs(&Usage::new(300).with_prompt(10));
    // The file's embeddings and those in f32, the matrix as it is, the norm, the f16 matrix in f32.
    assert_eq!(needs.weights, (6800 + 100 * 64 * 4) + 6528 + 64 * 4 + 100 * 64 * 4);
    assert_eq!(needs.cache, 300 * 128 * 4);
    // Rows of ten tokens in two layers, sines and cosines, the matrix in half precision.
    let row = 2 * (10 * 64 + 4 * 96) * 4;
    assert_eq!(needs.work, 10 * row + 2 * 4096 * 16 * 4 + 96 * 64 * 2);
    assert_eq!(needs.total(), needs.weights + needs.cache + needs.work);
    let half = header.memory_needs(&Usage::new(300).with_cache(DType::BF16));
    assert_eq!(half.cache, needs.cache / 2);
    assert_eq!(half.work - needs.work, 290 * row, "the prompt fills the context");
    assert_eq!(header.memory_needs(&Usage::new(0)).cache, 0);
    let part = needs.split(2);
    assert_eq!((part.weights, part.cache, part.context), (needs.weights / 2, needs.cache / 2, 300));
    assert_eq!(header.memory_needs(&Usage::new(usize::MAX)).total(), u64::MAX, "no overflow");
}

#[test]
fn what_decides_the_cache() {
    let cached = |header: Header| header.hyperparameters.expect("the file has them").cached_per_token;
    assert_eq!(cached(small_llama("llama", vec![])), 2 * 2 * 4 * 16, "a head of keys for each head");
    let longer = vec![number("llama.attention.key_length", 32), number("llama.attention.value_length", 8)];
    assert_eq!(cached(small_llama("llama", longer)), 2 * 4 * (32 + 8));
    // A layer without attention, and one with two heads of keys.
    let words = [U32, 2, 0, 0, 2].iter().flat_map(|word| word.to_le_bytes());
    let each: Vec<u8> = words.collect();
    let each = ("lfm2.attention.head_count_kv".to_owned(), ARRAY, each);
    assert_eq!(cached(small_llama("lfm2", vec![each])), 2 * 2 * 16);
    assert_eq!(cached(small_llama("some-other", vec![])), 256, "the keys are alike for all");
    // Allocated as a whole.
    let phi3 = small_llama("phi3", vec![]);
    assert_eq!(phi3.memory_needs(&Usage::new(10)).cache, 512 * 256 * 4);
    assert_eq!(phi3.memory_needs(&Usage::new(600)).cache, 600 * 256 * 4);
    // Two tensors, and nothing about layers.
    let header = read(&good().bytes()).expect("a good file");
    assert_eq!(header.hyperparameters, None);
    let needs = header.memory_needs(&Usage::new(1000));
    assert_eq!((needs.weights, needs.cache, needs.work), (128, 0, 0));
}

#[test]
fn what_does_not_fit_says_what_would() {
    let header = small_llama("llama", vec![]);
    let needs = header.memory_needs(&Usage::new(400).with_prompt(10));
    assert_eq!(needs.fits(needs.total()), Ok(()));
    let error = needs.fits(needs.total() - 1).unwrap_err();
    assert_eq!((error.largest_context(), error.needs), (Some(399), needs));
    let error = needs.fits(needs.weights + needs.work + 100 * 1024 + 1023).unwrap_err();
    assert_eq!(error.largest_context(), Some(100));
    let text = error.to_string();
    for part in ["KV cache of 400 tokens 400.0 KiB", "weights 63.3 KiB", "; a context of 100 tokens fits"] {
        assert!(text.contains(part), "{part} in: {text}");
    }
    for (available, advice) in
        [(needs.weights - 1, "the weights alone do not fit"), (needs.weights + 1, "take a shorter context")]
    {
        let error = needs.fits(available).unwrap_err();
        assert_eq!(error.largest_context(), None);
        let error = candle_core::Error::from(error).to_string();
        assert!(error.contains(advice), "{error}");
    }
}
