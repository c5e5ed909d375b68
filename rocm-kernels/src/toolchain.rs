//! Which compiler makes code objects, with what options, and which disassembler reads them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use rocm_hip::{Target, default_options};
use rocm_sys::roots::{self, Root};
use rocm_sys::variable;

use crate::Processor;

/// Older clangs lack processors or generic targets.
const OLDEST_CLANG: u32 = 19;

/// The newest clang to look for under a versioned name, as Debian has them.
const NEWEST_CLANG: u32 = 29;

/// Names the folder of ROCm's device libraries (`amdgcn/bitcode`); clang's own variable.
const DEVICE_LIBRARIES_VARIABLE: &str = "HIP_DEVICE_LIB_PATH";

/// Compiler options for line tables, so that faults name the line of the source. File names are relative to the temporary folder of the
/// compilation.
pub const LINE_TABLES: [&str; 2] = ["-gline-tables-only", "-ffile-compilation-dir=."];

/// Why no compiler is available, or what the compiler reported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolchainError(String);

type Result<T> = std::result::Result<T, ToolchainError>;

fn error(why: impl Into<String>) -> ToolchainError {
    ToolchainError(why.into())
}

/// A function that provides ROCm's device libraries on machines without ROCm.
pub type Fetch<'f> = &'f dyn Fn() -> std::result::Result<PathBuf, String>;

/// A working ahead-of-time compiler.
#[derive(Clone, Debug)]
pub struct Toolchain {
    program: PathBuf,
    /// First line of `--version`.
    version: String,
    /// For a clang that does not find ROCm's device libraries itself.
    device_libraries: Option<PathBuf>,
    objdump: Option<PathBuf>,
}

impl Toolchain {
    /// The compiler for run-time compilation: the first that [`Toolchain::find`] accepts, with the device libraries of a ROCm installation
    /// or those in the folder that the environment variable `HIP_DEVICE_LIB_PATH` names.
    ///
    /// # Errors
    /// As [`Toolchain::find`].
    pub fn shared() -> Result<&'static Self> {
        static SHARED: OnceLock<Result<Toolchain>> = OnceLock::new();
        let none = || Err(format!("set {DEVICE_LIBRARIES_VARIABLE} to the folder"));
        SHARED.get_or_init(|| Self::find(None, &none)).as_ref().map_err(Clone::clone)
    }

    /// Returns the compiler at `explicit` if given, otherwise the first that works: hipcc in `ROCM_PATH`, in a wheel, in /opt or on the
    /// PATH, then clang. `fetch` is called if there are no device libraries.
    ///
    /// # Errors
    /// No usable compiler was found. The text says which were tried, and what to install.
    pub fn find(explicit: Option<&Path>, fetch: Fetch<'_>) -> Result<Self> {
        let roots = roots::all();
        if let Some(program) = explicit {
            return match Self::of(program, &roots, fetch) {
                Ok(Some(found)) => Ok(found),
                Ok(None) => Err(error(format!("{} does not start", program.display()))),
                Err(why) => Err(error(format!("{} cannot be used: {why}", program.display()))),
            };
        }
        let mut refused = Vec::new();
        for program in programs(&roots) {
            match Self::of(&program, &roots, fetch) {
                Ok(Some(compiler)) => return Ok(compiler),
                Ok(None) => {}
                Err(error) => refused.push(format!("\n  {}: {error}", program.display())),
            }
        }
        Err(error(format!(
            "no compiler for AMD GPUs: install ROCm (hipcc is looked for in $ROCM_PATH, in pip's packages, in /opt/rocm* and on \
             the PATH), or clang and lld of version {OLDEST_CLANG} or newer (Debian: apt install clang-22 lld-22), or name one \
             with --compiler{}",
            refused.concat()
        )))
    }

    /// `None` if there is no such program.
    fn of(program: &Path, roots: &[Root], fetch: Fetch<'_>) -> Result<Option<Self>> {
        let Some(version) = output(Command::new(program).arg("--version")) else { return Ok(None) };
        let is_hipcc = program.file_stem().is_some_and(|name| name == "hipcc");
        let line = |what: &str| version.lines().find(|line| line.contains(what)).map(str::trim);
        let shown =
            line("clang version").ok_or_else(|| error("it does not say which clang it is"))?.to_owned();
        let mut device_libraries = None;
        if !is_hipcc {
            let major =
                clang_major(&shown).ok_or_else(|| error("it does not say which version of clang it is"))?;
            if major < OLDEST_CLANG {
                return Err(error(format!("it is clang {major}; version {OLDEST_CLANG} or newer is needed")));
            }
            let lld = output(Command::new(program).arg("--print-prog-name=ld.lld")).unwrap_or_default();
            if output(Command::new(lld.trim()).arg("--version")).is_none() {
                return Err(error(format!("it has no lld beside it (Debian: apt install lld-{major})")));
            }
            device_libraries = Some(find_device_libraries(program, roots, fetch)?);
        }
        let objdump = find_objdump(program, roots);
        Ok(Some(Self { program: program.to_owned(), version: shown, device_libraries, objdump }))
    }

    /// The program, version and device libraries, for messages.
    pub fn describe(&self) -> String {
        let libraries = match &self.device_libraries {
            Some(folder) => format!(", device libraries in {}", folder.display()),
            None => String::new(),
        };
        format!("{}: {}{libraries}", self.program.display(), self.version)
    }

    /// The processors for which it can compile, if it can tell: those that the compiler knows and the device libraries support.
    pub fn known_archs(&self) -> Option<Vec<String>> {
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

    /// The disassembler, if there is one.
    pub fn objdump(&self) -> Option<&Path> {
        self.objdump.as_deref()
    }

    /// All compiler options except file names.
    pub fn options(&self, target: &Target) -> Vec<String> {
        let mut options = self.language_options(target.processor());
        options.extend(default_options(target));
        options.push("-Wall".to_owned());
        options
    }

    /// The options needed to compile a HIP source to a code object, and no others.
    pub fn language_options(&self, arch: &str) -> Vec<String> {
        let mut options: Vec<String> =
            ["-x", "hip", "--offload-device-only", "--no-gpu-bundle-output"].map(str::to_owned).into();
        // The sources do not need HIP's headers. A compilation unit id would only be a hash of this machine's paths.
        options.extend(["-nogpuinc", "-fuse-cuid=none"].map(str::to_owned));
        // Generic targets need version 6; version 5 can be loaded by every ROCm since 5.5.
        let processor = arch.split(':').next().unwrap_or(arch);
        let generic = Processor::find(processor).is_some_and(Processor::is_generic);
        options.push(format!("-mcode-object-version={}", if generic { 6 } else { 5 }));
        if let Some(folder) = &self.device_libraries {
            options.push(format!("--rocm-device-lib-path={}", folder.display()));
        }
        options
    }

    /// Compiles a file and returns the compiler's warnings. `includes` is the include path.
    ///
    /// # Errors
    /// The compiler rejects the source. The text contains its messages and the command.
    pub fn compile(
        &self,
        source: &Path,
        includes: &Path,
        object: &Path,
        options: &[String],
    ) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.args(options).arg("-I").arg(includes).arg("-o").arg(object).arg(source);
        let output = self.run(&mut command)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Ok(said);
        }
        let program = self.program.display();
        Err(error(format!("{program} failed ({}):\n{said}\nthe command was: {command:?}", output.status)))
    }

    fn run(&self, command: &mut Command) -> Result<Output> {
        command
            .output()
            .map_err(|why| error(format!("{} could not be started: {why}", self.program.display())))
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

/// ROCm's (of the compiler's own root, if it has one), the environment's, or fetched.
fn find_device_libraries(compiler: &Path, roots: &[Root], fetch: Fetch<'_>) -> Result<PathBuf> {
    let named = variable::path(DEVICE_LIBRARIES_VARIABLE);
    let own = roots.iter().filter(|root| compiler.starts_with(&root.path));
    if let Some(found) = named.or_else(|| own.chain(roots).find_map(Root::device_libraries)) {
        return Ok(found);
    }
    fetch().map_err(|why| {
        error(format!(
            "clang needs ROCm's device libraries (amdgcn/bitcode), and there is no ROCm here to take them from: {why}"
        ))
    })
}

/// Looks for LLVM's disassembler.
///
/// # Errors
/// None was found. The text says what to install.
pub fn disassembler() -> Result<PathBuf> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let roots = roots::all();
        let rocm = roots.iter().flat_map(|root| root.llvm_programs("llvm-objdump"));
        rocm.chain(versioned("llvm-objdump")).chain(["llvm-objdump".into()]).find(is_llvm)
    };
    let found = FOUND.get_or_init(find).clone();
    found.ok_or_else(|| error("no llvm-objdump found, which reads the machine code: install ROCm, or LLVM (Debian: apt install llvm-22)"))
}

fn is_llvm(program: &PathBuf) -> bool {
    output(Command::new(program).arg("--version")).is_some_and(|text| text.contains("LLVM"))
}

fn find_objdump(compiler: &Path, roots: &[Root]) -> Option<PathBuf> {
    let beside =
        output(Command::new(compiler).arg("--print-prog-name=llvm-objdump")).map(|path| path.trim().into());
    beside
        .into_iter()
        .chain(roots.iter().flat_map(|root| root.llvm_programs("llvm-objdump")))
        .chain(versioned("llvm-objdump"))
        .find(is_llvm)
}

/// Standard output of a command that succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
#[path = "../../rocm-sys/tests/common/layouts.rs"]
mod trees;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use rocm_sys::roots::Root;

    use super::{Toolchain, clang_major, programs, roots, trees};

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
            let none = || Err("none".to_owned());

            let found = programs(&roots).into_iter().find(|program| program.exists()).unwrap();
            assert_eq!(found, tree.path().join(hipcc));
            let compiler = Toolchain::of(&found, &roots, &none).unwrap().unwrap();
            assert_eq!(
                (compiler.device_libraries, compiler.version),
                (None, "AMD clang version 23.0.0 LLVM".into())
            );

            let is_clang = |program: &std::path::PathBuf| program.ends_with("bin/clang") && program.exists();
            if let Some(program) = programs(&roots).into_iter().find(is_clang) {
                assert_eq!(program, tree.path().join(clang));
                let compiler = Toolchain::of(&program, &roots, &none).unwrap().unwrap();
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
            true => roots::wheels_in(&site, roots::System::Linux),
            false => roots::installed(&tree.join("opt")),
        }
    }
}
