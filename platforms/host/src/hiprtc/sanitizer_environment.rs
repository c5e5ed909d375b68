//! What a process needs in its environment for its kernels to be checked.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::compiler::{self, Compiler, Family};
use crate::exec::sanitize::{Sanitizer, VARIABLE};

/// The environment variables for a process whose kernels are to be checked. `kind` is `address`, `thread` or `schedule`.
///
/// For the first two, the sanitizer's library has to be loaded first (`LD_PRELOAD`), and must be that of the compiler which
/// compiles the kernels.
///
/// # Errors
///
/// An unknown kind, or a compiler or package that is missing; the message says what to install.
pub fn sanitizer_environment(kind: &str) -> Result<Vec<(String, String)>, String> {
    let sanitizer = Sanitizer::from_name(kind)
        .ok_or_else(|| format!("unknown sanitizer `{kind}`; use `address`, `thread` or `schedule`"))?;
    let mut variables = vec![(VARIABLE.to_owned(), kind.to_owned())];
    if sanitizer == Sanitizer::Schedule {
        return Ok(variables);
    }
    let compiler = compiler::find(None, Some(sanitizer))
        .map_err(|why| why.trim_start_matches("error: ").trim_end().to_owned())?;
    let library = library(&compiler, kind)?;
    let mut options = vec!["exitcode=66".to_owned()];
    let variable = if sanitizer == Sanitizer::Address {
        // Leaks at exit do not matter, and the sanitizer must handle faults instead of Rust's handler.
        options.extend(
            ["detect_leaks=0", "handle_sigfpe=2", "handle_segv=2", "handle_sigbus=2"].map(str::to_owned),
        );
        "ASAN_OPTIONS"
    } else {
        // The sanitizer cannot see Rust's synchronisation, so it may only look at kernels.
        options.extend(["ignore_noninstrumented_modules=1", "history_size=4"].map(str::to_owned));
        "TSAN_OPTIONS"
    };
    if compiler.family == Family::Clang {
        options.push(format!("external_symbolizer_path={}", symbolizer(&compiler)?.display()));
    }
    variables.push(("LD_PRELOAD".to_owned(), library.display().to_string()));
    variables.push((variable.to_owned(), options.join(":")));
    variables.push(("CANDLE_ROCM_HOST_CXX".to_owned(), compiler.path.display().to_string()));
    Ok(variables)
}

fn library(compiler: &Compiler, kind: &str) -> Result<PathBuf, String> {
    let short = if kind == "address" { "asan" } else { "tsan" };
    let major = compiler.major;
    let (names, package) = match compiler.family {
        Family::Gcc => (vec![format!("lib{short}.so")], format!("gcc-{major} with lib{short}")),
        Family::Clang => (
            vec![
                format!("libclang_rt.{short}-{}.so", std::env::consts::ARCH),
                format!("libclang_rt.{short}.so"),
            ],
            format!("libclang-rt-{major}-dev"),
        ),
    };
    names.iter().find_map(|name| ask(compiler, &format!("-print-file-name={name}"))).ok_or_else(|| {
        format!("{compiler} lacks the {kind} sanitizer's library; install it, e.g. `apt install {package}`")
    })
}

fn symbolizer(compiler: &Compiler) -> Result<PathBuf, String> {
    ask(compiler, "-print-prog-name=llvm-symbolizer").ok_or_else(|| {
        format!(
            "reports need llvm-symbolizer to name files and lines; install it, e.g. `apt install llvm-{}`",
            compiler.major
        )
    })
}

/// A file that the compiler knows of, if it is there.
fn ask(compiler: &Compiler, question: &str) -> Option<PathBuf> {
    let output = Command::new(&compiler.path).arg(question).env_remove("LD_PRELOAD").output().ok()?;
    let answer = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    // A compiler that does not know repeats the name.
    let path = Path::new(&answer);
    (path.is_absolute() && path.is_file()).then(|| path.canonicalize().unwrap_or_else(|_| path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_kinds_and_the_one_without_a_library() {
        assert!(sanitizer_environment("memory").unwrap_err().contains("address"));
        let schedule = sanitizer_environment("schedule").unwrap();
        assert_eq!(schedule, [("CANDLE_ROCM_HOST_SANITIZE".to_owned(), "schedule".to_owned())]);
    }
}
