//! Tests `--hf` against a fake hub on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

const MODEL: &[u8] = include_bytes!("../../../models/tiny-docs/tiny-docs.Q8_0.gguf");
const COMMIT: &str = "0123456789012345678901234567890123456789";

/// Starts a hub with one repository, `us/tiny`, with the given files, and returns its address. It runs until the test ends.
fn hub(files: &[(&'static str, &'static [u8])]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let files: Arc<[_]> = files.into();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let files = files.clone();
            std::thread::spawn(move || answer(stream, &files));
        }
    });
    address
}

/// Answers one request like the hub: with the list of files, or with a range of a file.
fn answer(mut stream: TcpStream, files: &[(&str, &[u8])]) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    let path = request.split(' ').nth(1).unwrap_or_default();
    let range = lines
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.to_lowercase().strip_prefix("range: bytes=").map(str::to_owned));
    let file = path
        .strip_prefix("/us/tiny/resolve/main/")
        .and_then(|name| files.iter().find(|(other, _)| *other == name));
    // The client may close the connection early, after reading the header.
    let _ = if let Some((_, bytes)) = file {
        let range = range.unwrap_or_else(|| "0-".to_owned());
        let (first, last) = range.split_once('-').unwrap();
        let first: usize = first.parse().unwrap();
        let end = last.parse().map_or(bytes.len(), |last: usize| last + 1);
        let head = format!(
            "HTTP/1.1 206 Partial Content\r\nETag: \"{:x}\"\r\nX-Repo-Commit: {COMMIT}\r\n\
             Content-Range: bytes {first}-{}/{}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            bytes.len(),
            end - 1,
            bytes.len(),
            end - first,
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&bytes[first..end]))
    } else if path == "/api/models/us/tiny/revision/main" {
        let names: Vec<String> =
            files.iter().map(|(name, _)| format!("{{\"rfilename\":\"{name}\"}}")).collect();
        let body = format!("{{\"sha\":\"{COMMIT}\",\"siblings\":[{}]}}", names.join(","));
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
    } else {
        write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    };
}

/// Whether the program succeeded, and its stderr.
fn run(program: &str, hub: &str, cache: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(program);
    command.args(arguments).args(["--platform", "cpu"]).env("HF_ENDPOINT", hub).env("HF_HOME", cache);
    // A proxy cannot reach this machine.
    for proxy in ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"] {
        command.env_remove(proxy).env_remove(proxy.to_lowercase());
    }
    let Output { status, stderr, .. } = command.output().unwrap();
    (status.success(), String::from_utf8_lossy(&stderr).into_owned())
}

const DEMO: &str = env!("CARGO_BIN_EXE_demo");

#[test]
fn a_model_is_fetched_once() {
    let cache = tempfile::tempdir().unwrap();
    let hub = hub(&[("README.md", b"tiny"), ("tiny-q8_0.gguf", b"not this"), ("tiny-Q4_K_M.gguf", MODEL)]);
    let (success, log) = run(DEMO, &hub, cache.path(), &["--hf", "us/tiny", "-n", "2"]);
    assert!(success && log.contains("Model: tiny-docs: llama"), "{log}");
    // From the cache, without the hub: a named file need not be looked up.
    let unreachable = "http://127.0.0.1:1";
    let (success, log) =
        run(DEMO, unreachable, cache.path(), &["--hf", "us/tiny:tiny-Q4_K_M.gguf", "-n", "2"]);
    assert!(success && log.contains("Model: tiny-docs: llama"), "{log}");
    let (success, log) = run(DEMO, unreachable, cache.path(), &["--hf", "us/tiny"]);
    assert!(!success && log.contains("cannot look up us/tiny on the hub"), "{log}");
}

#[test]
fn missing_repositories_and_files_are_errors() {
    let cache = tempfile::tempdir().unwrap();
    let hub = hub(&[("a.gguf", b"short"), ("b.gguf", b"short")]);
    for (name, expected) in [
        ("us/other", "cannot look up us/other on the hub"),
        ("us/tiny", "us/tiny has several GGUF files; select one with us/tiny:FILE: a.gguf, b.gguf"),
        ("us/tiny:c.gguf", "cannot fetch c.gguf of us/tiny from the hub"),
        ("us/tiny:a.gguf", "a.gguf"),
    ] {
        let (success, log) = run(DEMO, &hub, cache.path(), &["--hf", name]);
        assert!(!success && log.contains(expected), "{name}: {log}");
        assert!(!log.contains("panicked"), "{log}");
    }
    let (success, log) = run(env!("CARGO_BIN_EXE_embed"), &hub, cache.path(), &["--hf=us/tiny"]);
    assert!(!success && log.contains("cannot fetch config.json of us/tiny from the hub"), "{log}");
}
