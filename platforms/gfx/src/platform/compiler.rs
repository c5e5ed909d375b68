//! What compiles kernels at run time: clang, as `cargo xtask build-kernels` calls it, or a real hiprtc or comgr.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use rocm_hip::PRELUDE;
use rocm_kernels::Processor;
use rocm_kernels::toolchain::{LINE_TABLES, Toolchain};
use rocm_sys::variable;

use crate::comgr::{Action, Outcome};
use crate::sources::Sources;

/// Names a program that compiles instead of clang. It is called with the source, the folder of the headers, the object to write, and
/// hiprtc's options; it prints the log, and fails if the source is refused. Around a real hiprtc, which may need another C library than
/// this process has.
const PROGRAM_VARIABLE: &str = "CANDLE_ROCM_GFX_HIPRTC";

/// Names a program that stands for comgr, and takes hiprtc's place: given an [`Action`], it answers with an [`Outcome`]; asked for its
/// `--version`, with two numbers, such as `3.0`.
const COMGR_VARIABLE: &str = "CANDLE_ROCM_GFX_COMGR";

/// A switch: devices are only given code of their generic targets.
pub(super) const GENERIC_VARIABLE: &str = "CANDLE_ROCM_GFX_GENERIC";

/// Whether devices are only given code of their generic targets.
pub(super) fn is_generic() -> bool {
    variable::switch(GENERIC_VARIABLE) == Some(true)
}

/// Whether there is hiprtc: it is missing where comgr compiles, and where nothing but the HIP runtime is installed.
pub(super) fn has_hiprtc() -> bool {
    comgr().is_none() && !candle_rocm_host::is_runtime_only()
}

/// The real comgr's major version, and a minor one that differs for every compiler. `None` where there is no comgr.
pub(super) fn comgr_version() -> Option<(usize, usize)> {
    static VERSION: LazyLock<Option<(usize, usize)>> = LazyLock::new(|| {
        let output = Command::new(comgr()?).arg("--version").output().ok()?;
        let (major, _) = std::str::from_utf8(&output.stdout).ok()?.trim().split_once('.')?;
        Some((major.parse().ok()?, identity() as usize))
    });
    *VERSION
}

/// Has the program perform one of comgr's actions.
pub(super) fn perform(action: &Action) -> Result<Outcome, String> {
    let program = comgr().ok_or_else(|| format!("{COMGR_VARIABLE} names no program"))?;
    let ask = || {
        let mut child = Command::new(&program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // It answers after it has read all. One that has ended says why in its messages.
        let given = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(&action.to_bytes()));
        child.wait_with_output().and_then(|output| match given {
            Err(why) if output.status.success() => Err(why),
            _ => Ok(output),
        })
    };
    let output = ask().map_err(|error| format!("{} could not be called: {error}", program.display()))?;
    Outcome::from_bytes(&output.stdout).filter(|_| output.status.success()).ok_or_else(|| {
        format!("{}: {}: {}", program.display(), output.status, String::from_utf8_lossy(&output.stderr))
    })
}

/// The name of a processor's instructions in comgr, but of its generic target where devices take only that.
pub(super) fn isa(name: &str) -> String {
    match name.rsplit_once("--") {
        Some((triple, arch)) if is_generic() => format!("{triple}--{}", generic(arch)),
        _ => name.to_owned(),
    }
}

/// Changes with whatever makes the compiler give other code.
pub(super) fn identity() -> u32 {
    let compiler = match program() {
        // A script, or a small program.
        Some(program) => std::fs::read(program).unwrap_or_default(),
        None => {
            let clang = Toolchain::shared().map(Toolchain::describe).unwrap_or_default();
            [&clang, PRELUDE].into_iter().chain(LINE_TABLES).flat_map(str::bytes).collect()
        }
    };
    let hash =
        compiler.into_iter().chain([u8::from(is_generic())]).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    (hash ^ hash >> 32) as u32
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

/// The program that compiles, if clang does not.
fn program() -> Option<PathBuf> {
    comgr().or_else(|| variable::path(PROGRAM_VARIABLE))
}

fn comgr() -> Option<PathBuf> {
    variable::path(COMGR_VARIABLE)
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
    option.strip_prefix(ARCH).map_or_else(|| option.to_owned(), |arch| format!("{ARCH}{}", generic(arch)))
}

/// The generic target of a processor, with its features left open. One that has none is left alone, which fails when the object is
/// loaded.
fn generic(arch: &str) -> &str {
    let processor = arch.split(':').next().and_then(Processor::find);
    processor.and_then(|processor| processor.generic).unwrap_or(arch)
}

#[cfg(test)]
mod tests {
    use super::for_generic;

    #[test]
    fn options_for_generic_targets() {
        for (option, generic) in [
            ("--offload-arch=gfx942:sramecc+:xnack-", "--offload-arch=gfx9-4-generic"),
            ("--offload-arch=gfx1100", "--offload-arch=gfx11-generic"),
            // There is none.
            ("--offload-arch=gfx908:xnack-", "--offload-arch=gfx908:xnack-"),
            ("-O3", "-O3"),
        ] {
            assert_eq!(for_generic(option), generic);
        }
    }
}
