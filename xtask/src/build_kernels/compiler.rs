//! Which compiler makes the code objects, and with what options.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use rocm_kernels::{Processor, Target, default_options};
use rocm_sys::roots::{self, Root};

use crate::debian;

/// Older clangs lack processors or generic targets.
const OLDEST_CLANG: u32 = 19;

/// The newest clang to look for under a versioned name, as Debian has them.
const NEWEST_CLANG: u32 = 29;

/// Debian's packages of device libraries, without the version of LLVM. The newest works with every supported clang.
const DEVICE_LIBRARIES: &str = "rocm-device-libs-";

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
    /// `explicit`, else hipcc of ROCM_PATH, a wheel, /opt or the PATH, else clang.
    pub(super) fn find(explicit: Option<&Path>) -> Result<Self> {
        let roots = roots::all();
        if let Some(program) = explicit {
            let found =
                Self::of(program, &roots).with_context(|| format!("{} cannot be used", program.display()))?;
            return found.with_context(|| format!("{} does not start", program.display()));
        }
        let mut refused = Vec::new();
        for program in programs(&roots) {
            match Self::of(&program, &roots) {
                Ok(Some(compiler)) => return Ok(compiler),
                Ok(None) => {}
                Err(error) => refused.push(format!("\n  {}: {error:#}", program.display())),
            }
        }
        bail!(
            "no compiler for AMD GPUs: install ROCm (hipcc is looked for in $ROCM_PATH, in pip's packages, in /opt/rocm* and on \
             the PATH), or clang and lld of version {OLDEST_CLANG} or newer (Debian: apt install clang-22 lld-22), or name one \
             with --compiler{}",
            refused.concat()
        );
    }

    /// `None` if there is no such program.
    fn of(program: &Path, roots: &[Root]) -> Result<Option<Self>> {
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
            device_libraries = Some(find_device_libraries(program, roots)?);
        }
        let objdump = find_objdump(program, roots);
        Ok(Some(Self { program: program.to_owned(), version: shown, device_libraries, objdump }))
    }

    /// Program, version and device libraries, for messages.
    pub(super) fn describe(&self) -> String {
        let libraries = match &self.device_libraries {
            Some(folder) => format!(", device libraries in {}", folder.display()),
            None => String::new(),
        };
        format!("{}: {}{libraries}", self.program.display(), self.version)
    }

    /// Distinguishes its results from another compiler's.
    pub(super) fn identity(&self) -> String {
        self.describe()
    }

    /// The processors it can build for, if it can tell: those that the compiler knows and the device libraries support.
    pub(super) fn known_archs(&self) -> Option<Vec<String>> {
        let mut command = Command::new(&self.program);
        command.args(["--print-supported-cpus", "--target=amdgcn-amd-amdhsa"]);
        // The list goes to stderr.
        let output = command.output().ok()?;
        let text =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let supported = |version: &str| {
            let library = format!("oclc_isa_version_{version}.bc");
            self.device_libraries.as_ref().is_none_or(|folder| folder.join(library).is_file())
        };
        let archs: Vec<_> = text
            .split_whitespace()
            .filter(|word| word.strip_prefix("gfx").is_some_and(supported))
            .map(str::to_owned)
            .collect();
        (output.status.success() && !archs.is_empty()).then_some(archs)
    }

    /// A disassembler, if there is one.
    pub(super) fn objdump(&self) -> Option<&Path> {
        self.objdump.as_deref()
    }

    /// All options except the file names.
    pub(super) fn options(&self, target: &Target) -> Vec<String> {
        let mut options: Vec<String> =
            ["-x", "hip", "--offload-device-only", "--no-gpu-bundle-output"].map(str::to_owned).into();
        options.extend(default_options(target));
        // The sources do not need HIP's headers. A compilation unit id would only be a hash of this machine's paths.
        options.extend(["-nogpuinc", "-fuse-cuid=none", "-Wall"].map(str::to_owned));
        // Generic targets need version 6; version 5 can be loaded by every ROCm since 5.5.
        let generic = Processor::find(target.processor()).is_some_and(Processor::is_generic);
        options.push(format!("-mcode-object-version={}", if generic { 6 } else { 5 }));
        if let Some(folder) = &self.device_libraries {
            options.push(format!("--rocm-device-lib-path={}", folder.display()));
        }
        options
    }

    /// `includes` is the include path.
    pub(super) fn compile(
        &self,
        source: &Path,
        includes: &Path,
        object: &Path,
        options: &[String],
    ) -> Result<()> {
        let mut command = Command::new(&self.program);
        command.args(options).arg("-I").arg(includes).arg("-o").arg(object).arg(source);
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

/// 22 in `Debian clang version 22.1.8 (1~deb12u1)`.
fn clang_major(version: &str) -> Option<u32> {
    version.split_once("clang version ")?.1.split('.').next()?.parse().ok()
}

/// The compilers to try, in order.
fn programs(roots: &[Root]) -> Vec<PathBuf> {
    let hipcc = roots.iter().map(|root| root.path.join("bin/hipcc")).chain(["hipcc".into()]);
    let rocm_clang = roots.iter().flat_map(|root| root.llvm_programs("clang"));
    let versioned = versioned("clang").chain(["clang".into()]);
    hipcc.chain(rocm_clang).chain(versioned).collect()
}

/// Names as Debian has them, newest first.
fn versioned(program: &str) -> impl Iterator<Item = PathBuf> {
    (OLDEST_CLANG..=NEWEST_CLANG).rev().map(move |version| format!("{program}-{version}").into())
}

/// ROCm's (of the compiler's own root, if it has one), else unpacked from Debian, without installing anything.
fn find_device_libraries(compiler: &Path, roots: &[Root]) -> Result<PathBuf> {
    let own = roots.iter().filter(|root| compiler.starts_with(&root.path));
    if let Some(found) = own.chain(roots).find_map(Root::device_libraries) {
        return Ok(found);
    }
    let package = debian::newest_of("sid", DEVICE_LIBRARIES);
    let unpacked = package.and_then(|package| Ok((debian::unpack("sid", &[&package])?, package)));
    let (root, package) = unpacked.context(
        "clang needs ROCm's device libraries (amdgcn/bitcode); there is no ROCm here to take them from, and Debian's could \
         not be fetched",
    )?;
    // The package's own compiler is in its path: usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode.
    let llvm = root.join("usr/lib").join(package.replace(DEVICE_LIBRARIES, "llvm-"));
    let found = roots::device_libraries_of_clang(&llvm).into_iter().next();
    found.with_context(|| format!("the package {package} left no ockl.bc under {}", llvm.display()))
}

fn find_objdump(compiler: &Path, roots: &[Root]) -> Option<PathBuf> {
    let beside =
        output(Command::new(compiler).arg("--print-prog-name=llvm-objdump")).map(|path| path.trim().into());
    beside
        .into_iter()
        .chain(roots.iter().flat_map(|root| root.llvm_programs("llvm-objdump")))
        .chain(versioned("llvm-objdump"))
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
#[path = "../../../rocm-sys/tests/common/layouts.rs"]
mod trees;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use rocm_sys::roots::Root;

    use super::{Compiler, clang_major, programs, roots, trees};

    #[test]
    fn versions_are_read() {
        assert_eq!(clang_major("Debian clang version 22.1.8 (1~deb12u1)"), Some(22));
        assert_eq!(clang_major("AMD clang version 19.0.0git (https://..)"), Some(19));
        assert_eq!(clang_major("gcc 12"), None);
    }

    /// In each published layout the newest complete ROCm's hipcc, and clang with the device libraries of its own root.
    #[test]
    fn compilers_of_each_layout() {
        for (list, hipcc, clang, bitcode) in [
            (trees::CLASSIC, "opt/rocm/bin/hipcc", "opt/rocm/lib/llvm/bin/clang", "opt/rocm/amdgcn/bitcode"),
            (
                trees::CORE,
                "opt/rocm/core-10.1/bin/hipcc",
                "opt/rocm/core-10.1/lib/llvm/bin/clang",
                "opt/rocm/core-10.1/lib/llvm/lib/clang/23/lib/amdgcn/bitcode",
            ),
            (
                trees::BESIDE,
                "opt/rocm/core-10.1/bin/hipcc",
                "",
                "opt/rocm/core-10.1/lib/llvm/lib/clang/23/lib/amdgcn/bitcode",
            ),
            (
                trees::PIP,
                "venv/lib/python3.12/site-packages/_rocm_sdk_core/bin/hipcc",
                "venv/lib/python3.12/site-packages/_rocm_sdk_core/lib/llvm/bin/clang",
                "venv/lib/python3.12/site-packages/_rocm_sdk_core/lib/llvm/amdgcn/bitcode",
            ),
        ] {
            let tree = tempfile::tempdir().unwrap();
            let script = tree.path().join("script");
            // It answers for clang, lld and objdump alike.
            let text = format!(
                "#!/bin/sh\ncase $1 in\n--print-prog-name=*) echo {};;\n*) echo AMD clang version 23.0.0 LLVM;;\nesac\n",
                script.display()
            );
            fs::write(&script, text).unwrap();
            fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
            trees::create(tree.path(), list, |path| path.contains("/bin/").then(|| script.clone()));
            let roots = roots_of(tree.path());

            let found = programs(&roots).into_iter().find(|program| program.exists()).unwrap();
            assert_eq!(found, tree.path().join(hipcc));
            let compiler = Compiler::of(&found, &roots).unwrap().unwrap();
            assert_eq!(
                (compiler.device_libraries, compiler.version),
                (None, "AMD clang version 23.0.0 LLVM".into())
            );

            let is_clang = |program: &std::path::PathBuf| program.ends_with("bin/clang") && program.exists();
            if let Some(program) = programs(&roots).into_iter().find(is_clang) {
                assert_eq!(program, tree.path().join(clang));
                let compiler = Compiler::of(&program, &roots).unwrap().unwrap();
                assert_eq!(compiler.device_libraries.unwrap(), tree.path().join(bitcode));
            } else {
                assert_eq!(roots[0].device_libraries().unwrap(), tree.path().join(bitcode));
            }
        }
    }

    /// What the search gives for a tree: the wheels of its environment, or what is in its /opt.
    fn roots_of(tree: &std::path::Path) -> Vec<Root> {
        let site = tree.join("venv/lib/python3.12/site-packages");
        match site.is_dir() {
            true => roots::wheels_in(&site),
            false => roots::installed(&tree.join("opt")),
        }
    }
}
