//! Cargo as a child process.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::Error;

/// Lines that begin so are about the network: a call may take minutes, and they say why.
const PROGRESS: [&str; 4] = ["Updating", "Downloading", "Downloaded", "Blocking"];

/// The cargo that started this program.
pub(crate) fn command() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A call of cargo that failed.
pub(crate) struct Failure {
    status: u8,
    /// What cargo wrote to stderr.
    pub(crate) said: String,
}

impl Failure {
    /// Shows what cargo said.
    pub(crate) fn show(self) -> Error {
        eprint!("{}", self.said);
        Error::Cargo(self.status)
    }
}

/// A call whose output we read.
pub(crate) struct Call {
    command: Command,
    quiet: bool,
}

impl Call {
    pub(crate) fn new(subcommand: &str, manifest: &Path, quiet: bool) -> Self {
        let mut command = command();
        command.arg(subcommand).arg("--manifest-path").arg(manifest);
        Self { command, quiet }
    }

    pub(crate) fn args(mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.command.args(words);
        self
    }

    /// What it prints to stdout. Of stderr, what is about the network is shown at once, and the rest only if the call fails.
    pub(crate) fn output(self) -> Result<String, Error> {
        self.attempt()?.map_err(Failure::show)
    }

    /// The same, with the failure of a call that may be mended.
    pub(crate) fn attempt(mut self) -> Result<Result<String, Failure>, Error> {
        let failed = |error| Error::io("run", Path::new("cargo"), error);
        let mut child = self.command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let quiet = self.quiet;
        let listener = std::thread::spawn(move || {
            let mut rest = String::new();
            for line in stderr.into_iter().flat_map(|stderr| BufReader::new(stderr).split(b'\n')).flatten() {
                let line = String::from_utf8_lossy(&line).into_owned() + "\n";
                let first = line.split_whitespace().next().unwrap_or_default();
                if PROGRESS.contains(&first) {
                    if !quiet {
                        eprint!("{line}");
                    }
                } else {
                    rest += &line;
                }
            }
            rest
        });
        let mut text = String::new();
        if let Some(mut stdout) = stdout {
            stdout.read_to_string(&mut text).map_err(failed)?;
        }
        let status = child.wait().map_err(failed)?;
        let said = listener.join().unwrap_or_default();
        // None after a signal.
        let failure = || Failure { status: status.code().map_or(101, |code| code as u8), said };
        Ok(if status.success() { Ok(text) } else { Err(failure()) })
    }
}

/// An option that sets a value of cargo's configuration, which is TOML.
pub(crate) fn configuration(key: &str, value: &Path) -> [OsString; 2] {
    let value = toml::Value::String(value.to_string_lossy().into_owned());
    ["--config".into(), format!("{key}={value}").into()]
}
