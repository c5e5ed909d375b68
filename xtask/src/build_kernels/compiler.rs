//! Which compiler makes the code objects, and with what options.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use rocm_kernels::{GENERIC_TARGETS, Target, default_options};

use crate::debian;

/// Older clangs lack processors or generic targets.
const OLDEST_CLANG: u32 = 19;

/// The newest clang to look for under a versioned name, as Debian has them.
const NEWEST_CLANG: u32 = 29;

/// The package whose bitcode works with every clang in question.
const DEVICE_LIBRARIES: &str = "rocm-device-libs-21";

/// A compiler that was found to work.
pub(super) struct Compiler {
    program: PathBuf,
    /// First line of `--version`.
    version: String,
    /// For a clang that does not find ROCm's device libraries itself.
    device_libraries: Option<PathBuf>,
    objdump: Option<PathBuf>,
}

impl Compiler {
    /// `explicit`, else hipcc of ROCM_PATH, the PATH or /opt/rocm, else clang.
    pub(super) fn find(explicit: Option<&Path>) -> Result<Self> {
        if let Some(program) = explicit {
            let found = Self::of(program).with_context(|| format!("{} cannot be used", program.display()))?;
            return found.with_context(|| format!("{} does not start", program.display()));
        }
        let hipcc =
            rocm_folders().into_iter().map(|rocm| rocm.join("bin/hipcc")).chain([PathBuf::from("hipcc")]);
        let rocm_clang = rocm_folders().into_iter().map(|rocm| rocm.join("llvm/bin/clang"));
        let versioned =
            (OLDEST_CLANG..=NEWEST_CLANG).rev().map(|version| PathBuf::from(format!("clang-{version}")));
        let mut refused = Vec::new();
        for program in hipcc.chain(rocm_clang).chain(versioned).chain([PathBuf::from("clang")]) {
            match Self::of(&program) {
                Ok(Some(compiler)) => return Ok(compiler),
                Ok(None) => {}
                Err(error) => refused.push(format!("\n  {}: {error:#}", program.display())),
            }
        }
        bail!(
            "no compiler for AMD GPUs: install ROCm (hipcc is looked for in $ROCM_PATH, on the PATH and in /opt/rocm), or \
             clang and lld of version {OLDEST_CLANG} or newer (Debian: apt install clang-22 lld-22), or name one with \
             --compiler{}",
            refused.concat()
        );
    }

    /// `None` if there is no such program.
    fn of(program: &Path) -> Result<Option<Self>> {
        let Some(version) = output(Command::new(program).arg("--version")) else { return Ok(None) };
        let is_hipcc = program.file_stem().is_some_and(|name| name == "hipcc");
        let line = |what: &str| version.lines().find(|line| line.contains(what)).map(str::trim);
        let shown = line("clang version").context("it does not say which clang it is")?.to_owned();
        let mut device_libraries = None;
        if !is_hipcc {
            let major = clang_major(&shown).context("it does not say which version of clang it is")?;
            ensure!(major >= OLDEST_CLANG, "it is clang {major}; version {OLDEST_CLANG} or newer is needed");
            let lld = output(Command::new(program).arg("--print-prog-name=ld.lld")).unwrap_or_default();
            ensure!(
                output(Command::new(lld.trim()).arg("--version")).is_some(),
                "it has no lld beside it (Debian: apt install lld-{major})"
            );
            device_libraries = Some(find_device_libraries()?);
        }
        let objdump = find_objdump(program);
        Ok(Some(Self { program: program.to_owned(), version: shown, device_libraries, objdump }))
    }

    /// For people.
    pub(super) fn describe(&self) -> String {
        let libraries = match &self.device_libraries {
            Some(folder) => format!(", device libraries in {}", folder.display()),
            None => String::new(),
        };
        format!("{}: {}{libraries}", self.program.display(), self.version)
    }

    /// What tells its results from another compiler's.
    pub(super) fn identity(&self) -> String {
        self.describe()
    }

    /// The processors it knows, if it can say.
    pub(super) fn known_archs(&self) -> Option<Vec<String>> {
        let mut command = Command::new(&self.program);
        command.args(["--print-supported-cpus", "--target=amdgcn-amd-amdhsa"]);
        // The list goes to stderr.
        let output = command.output().ok()?;
        let text =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let archs: Vec<_> =
            text.split_whitespace().filter(|word| word.starts_with("gfx")).map(str::to_owned).collect();
        (output.status.success() && !archs.is_empty()).then_some(archs)
    }

    /// A disassembler, if there is one.
    pub(super) fn objdump(&self) -> Option<&Path> {
        self.objdump.as_deref()
    }

    /// Everything but the file names.
    pub(super) fn options(&self, target: &Target) -> Vec<String> {
        let mut options: Vec<String> =
            ["-x", "hip", "--offload-device-only", "--no-gpu-bundle-output"].map(str::to_owned).into();
        options.extend(default_options(target));
        // The sources need no header of HIP's. A compilation's identifier would only hash this machine's paths.
        options.extend(["-nogpuinc", "-fuse-cuid=none", "-Wall"].map(str::to_owned));
        // Generic targets exist from version 6 on; 5 is understood by every ROCm since 5.5.
        let generic = GENERIC_TARGETS.iter().any(|generic| generic.name == target.processor());
        options.push(format!("-mcode-object-version={}", if generic { 6 } else { 5 }));
        if let Some(folder) = &self.device_libraries {
            options.push(format!("--rocm-device-lib-path={}", folder.display()));
        }
        options
    }

    pub(super) fn compile(&self, source: &Path, object: &Path, options: &[String]) -> Result<()> {
        let mut command = Command::new(&self.program);
        command.args(options).arg("-o").arg(object).arg(source);
        let output =
            command.output().with_context(|| format!("{} could not be started", self.program.display()))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            bail!(
                "{} failed ({}):\n{said}\nthe command was: {command:?}",
                self.program.display(),
                output.status
            );
        }
        if !said.trim().is_empty() {
            eprintln!("{}:\n{}", source.display(), said.trim_end());
        }
        Ok(())
    }
}

/// 22 of `Debian clang version 22.1.8 (1~deb12u1)`.
fn clang_major(version: &str) -> Option<u32> {
    version.split_once("clang version ")?.1.split('.').next()?.parse().ok()
}

/// Where ROCm may be, the most explicit place first.
fn rocm_folders() -> Vec<PathBuf> {
    let named = ["ROCM_PATH", "HIP_PATH"].into_iter().filter_map(|name| env::var_os(name).map(PathBuf::from));
    let mut folders: Vec<_> = named.collect();
    let mut versioned: Vec<_> = fs::read_dir("/opt")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rocm")))
        .collect();
    // `/opt/rocm` is the installed one's link; of the others the newest, by and large.
    versioned.sort_by_key(|path| std::cmp::Reverse(path.clone()));
    folders.push("/opt/rocm".into());
    folders.extend(versioned);
    folders
}

/// ROCm's, else unpacked from Debian, without installing anything.
fn find_device_libraries() -> Result<PathBuf> {
    let has = |folder: &PathBuf| folder.join("ockl.bc").is_file();
    if let Some(found) = rocm_folders().into_iter().map(|rocm| rocm.join("amdgcn/bitcode")).find(has) {
        return Ok(found);
    }
    let root = debian::unpack("sid", &[DEVICE_LIBRARIES]).context(
        "clang needs ROCm's device libraries (amdgcn/bitcode); there is no ROCm here to take them from, and Debian's could \
         not be fetched",
    )?;
    // usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode, with the version of the package's own compiler.
    let llvm = root.join("usr/lib/llvm-21/lib/clang");
    let versions = fs::read_dir(&llvm).into_iter().flatten().flatten();
    versions
        .map(|entry| entry.path().join("amdgcn/bitcode"))
        .find(has)
        .with_context(|| format!("the package {DEVICE_LIBRARIES} left no ockl.bc under {}", llvm.display()))
}

fn find_objdump(compiler: &Path) -> Option<PathBuf> {
    let beside =
        output(Command::new(compiler).arg("--print-prog-name=llvm-objdump")).map(|path| path.trim().into());
    let versioned =
        (OLDEST_CLANG..=NEWEST_CLANG).rev().map(|version| format!("llvm-objdump-{version}").into());
    beside
        .into_iter()
        .chain(rocm_folders().into_iter().map(|rocm| rocm.join("llvm/bin/llvm-objdump")))
        .chain(versioned)
        .find(|program: &PathBuf| {
            output(Command::new(program).arg("--version")).is_some_and(|text| text.contains("LLVM"))
        })
}

/// Standard output of a command that succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::clang_major;

    #[test]
    fn versions_are_read() {
        assert_eq!(clang_major("Debian clang version 22.1.8 (1~deb12u1)"), Some(22));
        assert_eq!(clang_major("AMD clang version 19.0.0git (https://..)"), Some(19));
        assert_eq!(clang_major("gcc 12"), None);
    }
}
