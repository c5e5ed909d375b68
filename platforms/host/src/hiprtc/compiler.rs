//! The system's C++ compiler: which one, and with which flags.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use rocm_sys::variable;

use crate::exec::blob::has_v3;
use crate::exec::sanitize::Sanitizer;

/// The variable that names the compiler to use.
const VARIABLE: &str = "CANDLE_ROCM_HOST_CXX";

const OLDEST_GCC: u32 = 12;
const OLDEST_CLANG: u32 = 15;

/// Tried in this order.
const NAMES: &[&str] = &[
    "clang++-22",
    "clang++-21",
    "clang++-20",
    "clang++-19",
    "clang++-18",
    "clang++-17",
    "clang++-16",
    "clang++-15",
    "clang++",
    "g++-16",
    "g++-15",
    "g++-14",
    "g++-13",
    "g++-12",
    "g++",
    "c++",
];

/// The family of a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Gcc,
    Clang,
}

/// A compiler that can compile kernels.
#[derive(Debug)]
pub(crate) struct Compiler {
    pub(crate) path: PathBuf,
    pub(crate) family: Family,
    pub(crate) major: u32,
    /// The first line of what `--version` prints.
    pub(crate) version: String,
}

/// The compiler that the environment names.
pub(crate) fn asked() -> Option<String> {
    variable::text(VARIABLE)
}

/// Why nothing is compiled on Windows: its compilers make no modules, which are Linux's on every system.
const COMPILED_ON_LINUX: &str = "error: on Windows, the host platform only runs kernels that candle-rocm compiled on Linux: let \
                                 CANDLE_ROCM_CACHE_DIR name the folder in which it kept them there\n";

/// The compiler for kernels checked by `sanitizer`: the one asked for (an option goes before the environment), else the
/// first suitable one. The error says what to install.
pub(crate) fn find(asked: Option<&str>, sanitizer: Option<Sanitizer>) -> Result<Arc<Compiler>, String> {
    if cfg!(windows) {
        return Err(COMPILED_ON_LINUX.to_owned());
    }
    let asked = asked.map(str::to_owned).or_else(self::asked);
    let clang_only = sanitizer == Some(Sanitizer::Thread);
    type Known = Mutex<HashMap<(Option<String>, bool), Result<Arc<Compiler>, String>>>;
    static KNOWN: LazyLock<Known> = LazyLock::new(Known::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry((asked.clone(), clang_only)).or_insert_with(|| search(asked.as_deref(), clang_only)).clone()
}

fn search(asked: Option<&str>, clang_only: bool) -> Result<Arc<Compiler>, String> {
    let wanted = if clang_only {
        format!("clang >= {OLDEST_CLANG} (the thread sanitizer needs it), e.g. `apt install clang`")
    } else {
        format!("g++ >= {OLDEST_GCC} or clang >= {OLDEST_CLANG}, e.g. `apt install g++`")
    };
    if let Some(name) = asked {
        let compiler = probe(name).map_err(|why| {
            format!("error: cannot use the C++ compiler `{name}`: {why}; kernels need {wanted}\n")
        })?;
        if clang_only && compiler.family != Family::Clang {
            return Err(format!("error: the C++ compiler `{name}` is not clang; kernels need {wanted}\n"));
        }
        return Ok(Arc::new(compiler));
    }
    let mut tried = String::new();
    for name in NAMES {
        match probe(name) {
            Ok(compiler) if !clang_only || compiler.family == Family::Clang => return Ok(Arc::new(compiler)),
            Ok(_) => {}
            Err(Unsuitable::Absent) => {}
            Err(why) => tried.push_str(&format!("  {name}: {why}\n")),
        }
    }
    Err(format!("error: no C++ compiler for kernels found. Install {wanted}, or set {VARIABLE}.\n{tried}"))
}

enum Unsuitable {
    Absent,
    Because(String),
}

impl std::fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Absent => write!(f, "not found"),
            Self::Because(why) => f.write_str(why),
        }
    }
}

fn probe(name: &str) -> Result<Compiler, Unsuitable> {
    let path = locate(name).ok_or(Unsuitable::Absent)?;
    let output = Command::new(&path)
        .arg("--version")
        .env("LC_ALL", "C")
        .env_remove("LD_PRELOAD")
        .output()
        .map_err(|error| Unsuitable::Because(format!("cannot run it: {error}")))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.lines().next().unwrap_or_default().trim().to_owned();
    let (family, major) = parse_version(&text)
        .ok_or_else(|| Unsuitable::Because(format!("neither g++ nor clang, its version is `{version}`")))?;
    let oldest = if family == Family::Clang { OLDEST_CLANG } else { OLDEST_GCC };
    if major < oldest {
        return Err(Unsuitable::Because(format!("`{version}` is too old")));
    }
    Ok(Compiler { path, family, major, version })
}

fn locate(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Path::new(name).is_file().then(|| PathBuf::from(name));
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn parse_version(text: &str) -> Option<(Family, u32)> {
    let number = |word: &str| word.split('.').next()?.parse::<u32>().ok();
    if let Some(at) = text.find("clang version ") {
        let word = text[at + "clang version ".len()..].split_whitespace().next()?;
        return Some((Family::Clang, number(word)?));
    }
    if text.contains("Free Software Foundation") {
        let line = text.lines().next()?;
        // `g++ (Debian 12.2.0-14) 12.2.0`, and on some systems a date behind it.
        let behind = line.rfind(')').map_or(line, |at| &line[at + 1..]);
        return Some((Family::Gcc, behind.split_whitespace().find_map(number)?));
    }
    None
}

/// Its path and version.
impl std::fmt::Display for Compiler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.path.display(), self.version)
    }
}

impl Compiler {
    /// A new one of a family, for what all of that family have in common.
    pub(crate) fn any(family: Family) -> Self {
        Self { path: PathBuf::new(), family, major: u32::MAX, version: String::new() }
    }

    /// The flags that all steps of a compilation share.
    pub(crate) fn flags(&self, level: &str, sanitizer: Option<Sanitizer>) -> Vec<String> {
        let mut flags: Vec<&str> = vec![
            // The same numbers on every machine, whether it has fused multiply-add or not.
            "-ffp-contract=off",
            "-fno-math-errno",
            "-fno-trapping-math",
            // Kernels reinterpret memory freely; so do GPU compilers.
            "-fno-strict-aliasing",
            "-fno-exceptions",
            "-fno-rtti",
            "-fno-threadsafe-statics",
            "-fno-asynchronous-unwind-tables",
            "-fPIC",
            "-fvisibility=hidden",
            "-Wno-attributes",
            "-Wno-unknown-pragmas",
        ];
        match self.family {
            // Unique symbols would be shared by all loaded copies of a module: each needs its own shared memory.
            Family::Gcc => {
                flags.push("-fno-gnu-unique");
                if self.major >= 13 {
                    flags.push("-fexcess-precision=16");
                }
            }
            Family::Clang => {
                flags.push("-Wno-pass-failed");
                // Round after every operation on _Float16.
                flags.extend(["-Xclang", "-ffloat16-excess-precision=none"]);
            }
        }
        flags.extend(architecture());
        // Threads run on stacks of 64 KiB.
        match (sanitizer, self.family) {
            (Some(sanitizer), _) if sanitizer.has_runtime() => {}
            (_, Family::Gcc) => flags.push("-Werror=frame-larger-than=16384"),
            (_, Family::Clang) => flags.extend(["-Wframe-larger-than=16384", "-Werror=frame-larger-than"]),
        }
        let level = match sanitizer {
            Some(sanitizer) => {
                flags.extend(sanitizer.compiler_flags());
                "-O1"
            }
            // Programs ask for what is best on a GPU. Here gcc takes twice as long above this level, for kernels a fifth faster.
            None if self.family == Family::Gcc && matches!(level, "-O2" | "-O3") => "-O1",
            None => level,
        };
        flags.push(level);
        flags.into_iter().map(str::to_owned).collect()
    }

    /// The flags for linking a module.
    pub(crate) fn link_flags(&self, sanitizer: Option<Sanitizer>) -> Vec<&'static str> {
        let mut flags = vec![
            "-shared",
            // Nothing may run when a module is loaded, not even what the compiler adds to libraries.
            "-nostartfiles",
            "-nodefaultlibs",
            "-Wl,-Bsymbolic",
            "-Wl,--build-id=none",
            "-Wl,-z,noexecstack",
        ];
        if !sanitizer.is_some_and(Sanitizer::has_runtime) {
            // A function that is only declared is the compiler's error, not the loader's.
            flags.push("-Wl,-z,defs");
        }
        flags.extend(["-lm", "-lc", "-lgcc"]);
        flags
    }
}

fn architecture() -> Option<&'static str> {
    has_v3().then_some("-march=x86-64-v3")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let gcc =
            "g++ (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation, Inc.\n";
        assert_eq!(parse_version(gcc), Some((Family::Gcc, 12)));
        let gcc = "g++-13 (GCC) 13.3.1 20240614 (Red Hat 13.3.1-2)\nCopyright (C) 2023 Free Software Foundation, Inc.";
        assert!(matches!(parse_version(gcc), None | Some((Family::Gcc, 13))));
        let clang = "Debian clang version 22.1.8 (1~deb12u1)\nTarget: x86_64-pc-linux-gnu\n";
        assert_eq!(parse_version(clang), Some((Family::Clang, 22)));
        assert_eq!(parse_version("Intel(R) C++ 1.0"), None);
    }

    #[test]
    fn a_compiler_that_is_none_is_named() {
        let error = find(Some("/nowhere/g++"), None).unwrap_err();
        if cfg!(windows) {
            return assert_eq!(error, COMPILED_ON_LINUX);
        }
        assert!(error.contains("/nowhere/g++") && error.contains("apt install g++"), "{error}");
    }
}
