//! Which kernels and instructions a test executed, and which there are, for `cargo xtask coverage`.
//!
//! With the environment variable `CANDLE_ROCM_GFX_COVERAGE`, each process writes a file into the folder that it names: a line for each
//! launch that executed what none of its kernel had before.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use rocm_sys::variable;

/// Names the folder.
const VARIABLE: &str = "CANDLE_ROCM_GFX_COVERAGE";

static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| variable::path(VARIABLE));

/// The folder, if launches are to be noted.
pub(crate) fn folder() -> Option<&'static Path> {
    FOLDER.as_deref()
}

/// A kernel of a code object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelId {
    /// The processor that executed it: `gfx1100`.
    pub processor: String,
    /// The [`digest`] of the code object.
    pub object: u64,
    /// Its name.
    pub kernel: String,
}

/// Of each kernel that was launched, the addresses, in the code object, of the instructions that were executed.
pub type Executed = BTreeMap<KernelId, BTreeSet<u64>>;

/// The machine code of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelCode {
    /// Its name.
    pub name: String,
    /// The addresses of its instructions in the code object, each with the source lines that it is made of: where it stands, and the
    /// calls that the compiler inlined.
    pub instructions: Vec<(u64, Vec<SourceLine>)>,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// As the compiler was given it.
    pub file: String,
    /// From 1 on.
    pub line: u32,
}

/// The end of the files' names.
const EXTENSION: &str = "tsv";

static EXECUTED: Mutex<Executed> = Mutex::new(BTreeMap::new());

/// This process's file.
static FILE: LazyLock<Option<File>> = LazyLock::new(|| {
    let path = folder()?.join(format!("{}.{EXTENSION}", std::process::id()));
    OpenOptions::new().create(true).append(true).open(path).ok()
});

/// Tells code objects apart.
pub fn digest(object: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(object);
    hasher.finish()
}

/// Adds what the processes wrote into a folder.
///
/// # Errors
/// A file cannot be read.
pub fn read(folder: &Path, all: &mut Executed) -> std::io::Result<()> {
    for text in texts(folder, EXTENSION)? {
        for (id, addresses) in text.lines().filter_map(parse) {
            all.entry(id).or_default().extend(addresses);
        }
    }
    Ok(())
}

/// The files of a folder whose names end so.
pub(crate) fn texts(folder: &Path, extension: &str) -> std::io::Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|its| its == extension) {
            texts.push(std::fs::read_to_string(path)?);
        }
    }
    Ok(texts)
}

/// The [`digest`] of a code object, if launches are to be noted.
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    allow(dead_code, reason = "nothing is executed")
)]
pub(crate) fn digest_if_noted(object: &[u8]) -> Option<u64> {
    folder().is_some().then(|| digest(object))
}

/// Notes a launch, and the addresses of the instructions that it executed.
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    allow(dead_code, reason = "nothing is executed")
)]
pub(crate) fn note((processor, object, kernel): (&str, u64, &str), addresses: impl Iterator<Item = u64>) {
    let Some(mut file) = FILE.as_ref() else { return };
    let id = KernelId { processor: processor.to_owned(), object, kernel: kernel.to_owned() };
    let mut all = EXECUTED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all.entry(id.clone()).or_default();
    let new: Vec<u64> = addresses.filter(|&address| known.insert(address)).collect();
    if !new.is_empty() {
        // At once, and as one: a process may end without a chance to write.
        let _ = file.write_all(line(&id, &new).as_bytes());
    }
}

fn line(id: &KernelId, addresses: &[u64]) -> String {
    let addresses: String = addresses.iter().map(|address| format!("{address:x} ")).collect();
    format!("{}\t{:x}\t{}\t{addresses}\n", id.processor, id.object, id.kernel)
}

/// `None` for the last line of a process that ended while it wrote.
fn parse(line: &str) -> Option<(KernelId, Vec<u64>)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[processor, object, kernel, addresses] = &*fields else { return None };
    let hexadecimal = |number: &str| u64::from_str_radix(number, 16).ok();
    let id =
        KernelId { processor: processor.to_owned(), object: hexadecimal(object)?, kernel: kernel.to_owned() };
    Some((id, addresses.split_terminator(' ').map(hexadecimal).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let id = KernelId { processor: "gfx1100".into(), object: 0x1f, kernel: "add".into() };
        let text = line(&id, &[0x1900, 0x1904]);
        assert_eq!(text, "gfx1100\t1f\tadd\t1900 1904 \n");
        assert_eq!(parse(text.trim_end_matches('\n')), Some((id, vec![0x1900, 0x1904])));
        assert_eq!(parse("gfx1100\t1f\tad"), None);
    }
}
