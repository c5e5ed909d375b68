//! Finds 16-byte and flat memory accesses in the machine code of kernels. Optional: without a disassembler, it is not an error.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use rocm_hip::KernelMetadata as Kernel;

/// The disassembly of a code object.
pub(super) fn of(object: &Path, objdump: Option<&Path>) -> Option<String> {
    let output = Command::new(objdump?)
        .args(["--disassemble", "--no-show-raw-insn", "--no-leading-addr"])
        .arg(object)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Sets `wide_accesses` of every kernel.
pub(super) fn mark_wide_accesses(text: &str, kernels: &mut [Kernel]) {
    let wide = functions(text, is_wide);
    for kernel in kernels {
        kernel.wide_accesses = Some(wide.contains(kernel.name.as_str()));
    }
}

/// The functions with flat memory accesses, which find out at run time whether an address is in shared memory: the compiler has lost
/// sight of where a pointer comes from.
pub(super) fn with_flat_accesses(text: &str) -> BTreeSet<&str> {
    functions(text, |instruction| instruction.starts_with("flat_"))
}

/// The functions that have such an instruction.
fn functions(text: &str, is_one: impl Fn(&str) -> bool) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut function = "";
    for line in text.lines() {
        if let Some(name) =
            line.strip_suffix(">:").and_then(|line| line.rsplit_once('<')).map(|(_, name)| name)
        {
            function = name;
        } else if is_one(line.trim_start()) {
            found.insert(function);
        }
    }
    found
}

/// `global_load_dwordx4` up to gfx10, `global_load_b128` from gfx11 on, and their stores.
fn is_wide(instruction: &str) -> bool {
    let name = instruction.split_whitespace().next().unwrap_or("");
    let memory = ["global_", "flat_", "buffer_"].iter().any(|prefix| name.starts_with(prefix));
    memory && (name.ends_with("x4") || name.ends_with("_b128"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_accesses_are_seen_per_function() {
        let text = "\n<flat>:\n\tflat_load_b32 v0, v[0:1] glc\n\tflat_atomic_cmpswap_b32 v0, v[0:1], v[2:3] glc\n\n\
                    <flat_in_name>:\n\tglobal_load_b32 v0, v[0:1], off\n";
        assert_eq!(with_flat_accesses(text), BTreeSet::from(["flat"]));
    }

    #[test]
    fn wide_accesses_are_seen_per_function() {
        let text = "\n<gfx9>:\n\ts_load_dwordx4 s[0:3], s[4:5], 0x0\n\tglobal_load_dwordx4 v[0:3], v[0:1], off\n\n\
                    0000000000001900 <gfx11>:\n\tglobal_store_b128 v[0:1], v[0:3], off\n\n<narrow>:\n\
                    \ts_load_b128 s[0:3], s[4:5], null\n\tglobal_load_b32 v0, v[0:1], off\n";
        let named = |name: &str| Kernel { name: name.into(), ..Kernel::default() };
        let mut kernels = ["gfx9", "gfx11", "narrow", "absent"].map(named);
        mark_wide_accesses(text, &mut kernels);
        assert_eq!(
            kernels.map(|kernel| kernel.wide_accesses),
            [Some(true), Some(true), Some(false), Some(false)]
        );
    }
}
