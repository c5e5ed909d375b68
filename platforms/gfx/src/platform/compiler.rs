//! What compiles kernels at run time: clang, as `cargo xtask build-kernels` calls it, or a real hiprtc.

use std::path::{Path, PathBuf};
use std::process::Command;

use rocm_hip::PRELUDE;
use rocm_kernels::Processor;
use rocm_kernels::toolchain::{LINE_TABLES, Toolchain};
use rocm_sys::variable;

use crate::sources::Sources;

/// Names a program that compiles instead of clang. It is called with the source, the folder of the headers, the object to write, and
/// hiprtc's options; it prints the log, and fails if the source is refused. Around a real hiprtc, which may need another C library than
/// this process has.
const PROGRAM_VARIABLE: &str = "CANDLE_ROCM_GFX_HIPRTC";

/// A switch: devices are only given code of their generic targets.
pub(super) const GENERIC_VARIABLE: &str = "CANDLE_ROCM_GFX_GENERIC";

/// Whether devices are only given code of their generic targets.
pub(super) fn is_generic() -> bool {
    variable::switch(GENERIC_VARIABLE) == Some(true)
}

/// Changes with whatever makes the compiler give other code.
pub(super) fn identity() -> u64 {
    let compiler = match program() {
        // A script, or a small program.
        Some(program) => std::fs::read(program).unwrap_or_default(),
        None => {
            let clang = Toolchain::shared().map(Toolchain::describe).unwrap_or_default();
            [&clang, PRELUDE].into_iter().chain(LINE_TABLES).flat_map(str::bytes).collect()
        }
    };
    compiler
        .into_iter()
        .chain([u8::from(is_generic())])
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Path and version of what compiles; `None` where there is nothing.
pub(super) fn describe() -> Option<String> {
    match program() {
        Some(program) => {
            // A script may name packages in a comment, that of its compiler last.
            let script = std::fs::read_to_string(&program).unwrap_or_default();
            let packages = script.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
            let package = packages.split(' ').next_back().filter(|package| !package.is_empty());
            Some(format!("{} ({})", program.display(), package.unwrap_or("of unknown version")))
        }
        None => Toolchain::shared().ok().map(Toolchain::describe),
    }
}

/// Compiles as hiprtc does: the code and the log, or the log alone.
pub(super) fn compile(
    name: &str,
    source: &str,
    headers: &[(String, String)],
    options: &[&str],
) -> Result<(Vec<u8>, String), String> {
    let generic = is_generic();
    let options: Vec<String> = options
        .iter()
        .map(|option| if generic { for_generic(option) } else { (*option).to_owned() })
        .collect();
    let sources = Sources::write(name, source, headers)
        .map_err(|error| format!("the sources cannot be written: {error}"))?;
    let log = match program() {
        Some(program) => run(&program, &sources, &options)?,
        None => {
            let clang = Toolchain::shared().map_err(|error| error.to_string())?;
            by_clang(clang, &sources, &options)?
        }
    };
    let code =
        std::fs::read(sources.object()).map_err(|error| format!("the compiler left no code: {error}"))?;
    Ok((code, log))
}

/// Compiles as hiprtc does, after a prelude that declares what HIP's headers would: gives the compiler's warnings. `options` are hiprtc's.
fn by_clang(clang: &Toolchain, sources: &Sources, options: &[String]) -> Result<String, String> {
    let file = sources.folder().join("hip_prelude.h");
    std::fs::write(&file, PRELUDE).map_err(|why| format!("cannot write the prelude: {why}"))?;
    let arch = options.iter().find_map(|option| option.strip_prefix("--offload-arch=")).unwrap_or("gfx1100");
    let mut all = clang.language_options(arch);
    all.extend(LINE_TABLES.map(str::to_owned));
    // Of two that fit, the last one counts.
    all.extend(
        [sources.folder(), &sources.headers()].map(|f| format!("-ffile-prefix-map={}/=", f.display())),
    );
    all.extend(["-include".to_owned(), file.display().to_string()]);
    all.extend(options.iter().cloned());
    clang
        .compile(sources.source(), &sources.headers(), &sources.object(), &all)
        .map_err(|error| error.to_string())
}

fn program() -> Option<PathBuf> {
    variable::path(PROGRAM_VARIABLE)
}

fn run(program: &Path, sources: &Sources, options: &[String]) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg(sources.source()).arg(sources.headers()).arg(sources.object()).args(options);
    let output =
        command.output().map_err(|error| format!("{} could not be started: {error}", program.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    let log = text(&output.stdout);
    if output.status.success() { Ok(log) } else { Err(log + &text(&output.stderr)) }
}

/// The option, but for the generic target of the processor that it names. The target's features are left open.
fn for_generic(option: &str) -> String {
    const ARCH: &str = "--offload-arch=";
    let processor = option.strip_prefix(ARCH).and_then(|arch| arch.split(':').next());
    let generic = processor.and_then(Processor::find).and_then(|processor| processor.generic);
    generic.map_or_else(|| option.to_owned(), |generic| format!("{ARCH}{generic}"))
}

#[cfg(test)]
mod tests {
    use super::for_generic;

    #[test]
    fn options_for_generic_targets() {
        for (option, generic) in [
            ("--offload-arch=gfx942:sramecc+:xnack-", "--offload-arch=gfx9-4-generic"),
            ("--offload-arch=gfx1100", "--offload-arch=gfx11-generic"),
            // There is none, which fails when the object is loaded.
            ("--offload-arch=gfx908:xnack-", "--offload-arch=gfx908:xnack-"),
            ("-O3", "-O3"),
        ] {
            assert_eq!(for_generic(option), generic);
        }
    }
}
