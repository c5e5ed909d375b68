//! The instructions of a code object, by LLVM's disassembler.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::LoadError;
use crate::assembly::Statement;

/// The instructions of all kernels, each with its text.
pub(crate) fn of(object: &[u8], disassembler: &Path) -> Result<Vec<(String, Statement)>, LoadError> {
    let failed = |why: String| LoadError::Disassembler(format!("{} {why}", disassembler.display()));
    let mut file =
        tempfile::NamedTempFile::new().map_err(|error| failed(format!("needs a temporary file: {error}")))?;
    file.write_all(object).map_err(|error| failed(format!("needs a temporary file: {error}")))?;
    let output = Command::new(disassembler)
        .arg("--disassemble")
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
fn line(line: &str) -> Option<(String, Statement)> {
    let (text, comment) = line.strip_prefix('\t')?.rsplit_once("//")?;
    let (address, words) = comment.trim().split_once(':')?;
    let address = u64::from_str_radix(address, 16).ok()?;
    let hexadecimal = |word: &str| u32::from_str_radix(word, 16).ok();
    // A branch's target follows its words: `<kernel+0x40>`.
    let words = words.split_whitespace().map_while(hexadecimal).collect();
    let text = text.trim().to_owned();
    let statement = Statement::parse(&text, address, words);
    Some((text, statement))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn lines() {
        let (text, statement) =
            line("\tv_mul_f32_e32 v1, 0x4f7ffffe, v1   // 00000000394C: 100202FF 4F7FFFFE").unwrap();
        assert_eq!(text, "v_mul_f32_e32 v1, 0x4f7ffffe, v1");
        assert_eq!((statement.address, statement.words), (0x394c, vec![0x1002_02ff, 0x4f7f_fffe]));
        let (_, branch) = line("\ts_cbranch_execz 12// 0000000039A8: BFA5000C <kernel+0x60>").unwrap();
        assert_eq!(branch.words, [0xbfa5_000c]);
        assert!(line("0000000000003900 <kernel>:").is_none() && line("").is_none());
    }
}
