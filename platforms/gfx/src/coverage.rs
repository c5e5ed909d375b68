//! Which kernels and instructions a test executed, and which there are, for `cargo xtask coverage`.
//!
//! With the environment variable `CANDLE_ROCM_GFX_COVERAGE`, each process writes a file into the folder that it names: a line for each
//! kernel that it launched.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Names the folder.
const VARIABLE: &str = "CANDLE_ROCM_GFX_COVERAGE";

static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| std::env::var_os(VARIABLE).map(PathBuf::from));

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

/// What was executed of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executed {
    /// How often it was launched.
    pub launches: u64,
    /// The addresses, in the code object, of the instructions that were executed.
    pub addresses: BTreeSet<u64>,
}

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

static EXECUTED: Mutex<BTreeMap<KernelId, Executed>> = Mutex::new(BTreeMap::new());

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
pub fn read(folder: &Path, all: &mut BTreeMap<KernelId, Executed>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        for (id, executed) in std::fs::read_to_string(entry?.path())?.lines().filter_map(parse) {
            let sum = all.entry(id).or_default();
            sum.launches += executed.launches;
            sum.addresses.extend(executed.addresses);
        }
    }
    Ok(())
}

/// The [`digest`] of a code object, if launches are to be noted.
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    allow(dead_code, reason = "nothing is executed")
)]
pub(crate) fn digest_if_noted(object: &[u8]) -> Option<u64> {
    FOLDER.is_some().then(|| digest(object))
}

/// Notes a launch, and the addresses of the instructions that it executed.
#[cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    allow(dead_code, reason = "nothing is executed")
)]
pub(crate) fn note((processor, object, kernel): (&str, u64, &str), addresses: impl Iterator<Item = u64>) {
    let Some(folder) = &*FOLDER else { return };
    let id = KernelId { processor: processor.to_owned(), object, kernel: kernel.to_owned() };
    let mut all = EXECUTED.lock().unwrap_or_else(PoisonError::into_inner);
    let executed = all.entry(id).or_default();
    let known = executed.addresses.len();
    executed.launches += 1;
    executed.addresses.extend(addresses);
    // Rewritten whenever it says more than before: a process may end without a chance to write.
    if executed.launches == 1 || executed.addresses.len() > known {
        let text: String = all.iter().map(|(id, executed)| line(id, executed)).collect();
        let _ = std::fs::write(folder.join(format!("{}.tsv", std::process::id())), text);
    }
}

fn line(id: &KernelId, executed: &Executed) -> String {
    let mut line = format!("{}\t{:x}\t{}\t{}\t", id.processor, id.object, id.kernel, executed.launches);
    for address in &executed.addresses {
        // Infallible for strings.
        let _ = write!(line, "{address:x} ");
    }
    line + "\n"
}

/// `None` for the last line of a process that ended while it wrote.
fn parse(line: &str) -> Option<(KernelId, Executed)> {
    let fields: Vec<&str> = line.split('\t').collect();
    let &[processor, object, kernel, launches, addresses] = &*fields else { return None };
    let hexadecimal = |number: &str| u64::from_str_radix(number, 16).ok();
    let id =
        KernelId { processor: processor.to_owned(), object: hexadecimal(object)?, kernel: kernel.to_owned() };
    let addresses = addresses.split_terminator(' ').map(hexadecimal).collect::<Option<_>>()?;
    Some((id, Executed { launches: launches.parse().ok()?, addresses }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let id = KernelId { processor: "gfx1100".into(), object: 0x1f, kernel: "add".into() };
        let executed = Executed { launches: 3, addresses: [0x1900, 0x1904].into() };
        let text = line(&id, &executed);
        assert_eq!(text, "gfx1100\t1f\tadd\t3\t1900 1904 \n");
        assert_eq!(parse(text.trim_end_matches('\n')), Some((id, executed)));
        assert_eq!(parse("gfx1100\t1f\tad"), None);
    }
}
