//! The instructions of a code object, by LLVM's disassembler.

use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use super::LoadError;
use crate::assembly::Statement;

/// An instruction as it is printed.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) address: u64,
    words: Vec<u32>,
}

impl Line {
    /// The text, and what it says.
    pub(super) fn statement(&self) -> (String, Statement) {
        (self.text.clone(), Statement::parse(&self.text, self.address, self.words.clone()))
    }
}

/// The instructions at these addresses of the object, or all.
pub(super) fn of(
    object: &[u8],
    addresses: Option<&Range<u64>>,
    disassembler: &Path,
) -> Result<Vec<Line>, LoadError> {
    let failed = |why: String| LoadError::Disassembler(format!("{} {why}", disassembler.display()));
    let mut file =
        tempfile::NamedTempFile::new().map_err(|error| failed(format!("needs a temporary file: {error}")))?;
    file.write_all(object).map_err(|error| failed(format!("needs a temporary file: {error}")))?;
    let bounds = addresses.map(|range| {
        [format!("--start-address={:#x}", range.start), format!("--stop-address={:#x}", range.end)]
    });
    let output = Command::new(disassembler)
        .arg("--disassemble")
        .args(bounds.iter().flatten())
        .arg(file.path())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("cannot be run: {error}")))?;
    if !output.status.success() {
        return Err(failed(format!("failed: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(line).collect())
}

/// `\tv_mov_b32_e32 v4, 0   // 000000003928: 7E080280`: an instruction, its address, its words.
fn line(line: &str) -> Option<Line> {
    let (text, comment) = line.strip_prefix('\t')?.rsplit_once("//")?;
    let (address, words) = comment.trim().split_once(':')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let hexadecimal = |word: &str| u32::from_str_radix(word, 16).ok();
    // A branch's target follows its words: `<kernel+0x40>`.
    let words = words.split_whitespace().map_while(hexadecimal).collect();
    Some(Line { text: text.trim().to_owned(), address, words })
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn lines() {
        let multiply =
            line("\tv_mul_f32_e32 v1, 0x4f7ffffe, v1   // 00000000394C: 100202FF 4F7FFFFE").unwrap();
        assert_eq!(multiply.text, "v_mul_f32_e32 v1, 0x4f7ffffe, v1");
        assert_eq!((multiply.address, multiply.words), (0x394c, vec![0x1002_02ff, 0x4f7f_fffe]));
        let branch = line("\ts_cbranch_execz 12// 0000000039A8: BFA5000C <kernel+0x60>").unwrap();
        assert_eq!(branch.words, [0xbfa5_000c]);
        assert!(line("0000000000003900 <kernel>:").is_none() && line("").is_none());
    }
}
