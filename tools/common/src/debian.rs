//! Files out of Debian packages, without installing anything.
//!
//! ROCm's headers, device libraries and shared libraries are in Debian sid. A private apt configuration (package lists, cache and
//! sources below `target/debian/<suite>/`) downloads them, and `dpkg -x` unpacks them there: the system is never touched and root
//! is not needed. The mirror is the machine's own, read from its apt sources when the command runs, or `CANDLE_ROCM_DEBIAN_MIRROR`.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::root;

/// The variable that names a Debian mirror, for machines whose own apt sources have none.
const MIRROR_VARIABLE: &str = "CANDLE_ROCM_DEBIAN_MIRROR";

/// Downloads `packages` of a Debian suite (`sid`, `bookworm`, ...) and unpacks them.
///
/// Returns the folder they are unpacked into: `<it>/usr/include/hip/...`. A package that was unpacked before is not asked for again;
/// remove `target/debian/` for newer versions. Dependencies are not followed: name every package whose files are needed.
pub fn unpack(suite: &str, packages: &[&str]) -> Result<PathBuf> {
    let apt = Apt::new(suite)?;
    apt.fetch(packages, "", |deb| run(Command::new("dpkg").arg("-x").arg(deb).arg(apt.root())).map(drop))?;
    Ok(apt.root())
}

/// A folder that packages are unpacked into, and the packages with their versions: `libhiprtc7_7.2.4-1`.
pub struct Unpacked {
    /// The root of their files.
    pub folder: PathBuf,
    /// As in `libhiprtc7_7.2.4-1`.
    pub versions: Vec<String>,
}

/// [`unpack`] with all packages that these depend on, the C library and its loader included.
pub fn unpack_with_dependencies(suite: &str, packages: &[String]) -> Result<Unpacked> {
    let all = Apt::new(suite)?.with_dependencies(packages)?;
    let names: Vec<&str> = all.iter().map(String::as_str).collect();
    let folder = unpack(suite, &names)?;
    let apt = Apt::new(suite)?;
    let version = |name: &&str| Ok(fs::read_to_string(apt.folder.join("done").join(name))?);
    let versions = names.iter().map(version).collect::<Result<_>>()?;
    Ok(Unpacked { folder, versions })
}

/// Debian's packages of ROCm's device libraries, without the version of LLVM. The newest works with every supported clang.
const DEVICE_LIBRARIES: &str = "rocm-device-libs-";

/// The folder of ROCm's device libraries (`amdgcn/bitcode`).
pub fn device_libraries() -> Result<PathBuf, String> {
    let found = || {
        let package = newest_of("sid", DEVICE_LIBRARIES)?;
        let root = unpack("sid", &[&package])?;
        // The package's own compiler is in its path: usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode.
        let llvm = root.join("usr/lib").join(package.replace(DEVICE_LIBRARIES, "llvm-"));
        let folder = rocm_sys::roots::device_libraries_of_clang(&llvm).into_iter().next();
        folder.with_context(|| format!("the package {package} left no ockl.bc under {}", llvm.display()))
    };
    found().map_err(|error| format!("Debian's could not be fetched: {error:#}"))
}

/// A package with its sizes in bytes.
pub struct Sized {
    /// As in `libhiprtc7`.
    pub package: String,
    /// Of what is downloaded.
    pub compressed: u64,
    /// Of its files, in whole KiB.
    pub installed: u64,
}

/// The packages that an installation of these on an empty system consists of.
pub fn sizes_with_dependencies(suite: &str, packages: &[String]) -> Result<Vec<Sized>> {
    let apt = Apt::new(suite)?;
    let sized = |package: String| {
        let fields = apt.cache(&["show", "--no-all-versions", &package])?;
        let number = |name: &str| {
            let value = fields.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
            value.with_context(|| format!("{package} has no {name}"))
        };
        let (compressed, installed) = (number("Size:")?, number("Installed-Size:")? << 10);
        Ok(Sized { package, compressed, installed })
    };
    apt.with_dependencies(packages)?.into_iter().map(sized).collect()
}

/// Like [`unpack`] for one package, keeping only the files whose path matches `pattern` (as of `tar --wildcards`).
///
/// For packages like rocBLAS's, which has 4 GB of kernels beside the library.
pub fn unpack_only(suite: &str, package: &str, pattern: &str) -> Result<PathBuf> {
    let apt = Apt::new(suite)?;
    apt.fetch(&[package], &format!(" {}", pattern.replace('/', "|")), |deb| {
        let mut archive = Command::new("dpkg")
            .arg("--fsys-tarfile")
            .arg(deb)
            .stdout(Stdio::piped())
            .spawn()
            .context("dpkg could not be started")?;
        let tar = archive.stdout.take().context("dpkg has no output")?;
        run(Command::new("tar")
            .arg("-x")
            .arg("-C")
            .arg(apt.root())
            .arg("--wildcards")
            .arg(pattern)
            .stdin(tar))?;
        ensure!(archive.wait()?.success(), "dpkg --fsys-tarfile {} failed", deb.display());
        Ok(())
    })?;
    Ok(apt.root())
}

/// The package of a suite whose name is `prefix` and a number, with the highest number: `rocm-device-libs-21`.
///
/// Numbers in names move with every release of a library or compiler, so they are looked up.
pub fn newest_of(suite: &str, prefix: &str) -> Result<String> {
    let apt = Apt::new(suite)?;
    let names = apt.cache(&["pkgnames", prefix])?;
    let newest = names.lines().filter_map(|name| Some((numbered(name, prefix)?, name))).max();
    newest
        .map(|(_, name)| name.to_owned())
        .with_context(|| format!("Debian {suite} has no package {prefix}N"))
}

/// The package that `package` depends on and whose name is `prefix` and a number: `libamdhip64-6` of `libamdhip64-dev`.
pub fn dependency_of(suite: &str, package: &str, prefix: &str) -> Result<String> {
    let apt = Apt::new(suite)?;
    let fields = apt.cache(&["show", "--no-all-versions", package])?;
    dependencies(&fields)
        .find(|name| numbered(name, prefix).is_some())
        .map(str::to_owned)
        .with_context(|| format!("{package} of Debian {suite} depends on no package {prefix}N"))
}

/// The names in `Depends: libamdhip64-6 (= 6.4.3-5), libamd-comgr-dev | other`.
fn dependencies(fields: &str) -> impl Iterator<Item = &str> {
    let list = fields.lines().filter_map(|line| line.strip_prefix("Depends:"));
    list.flat_map(|list| list.split([',', '|'])).filter_map(|entry| entry.split_whitespace().next())
}

/// The packages of `Inst libc6 (2.44-3 Debian:unstable [amd64])`, the lines of a simulated installation.
fn installed(plan: &str) -> impl Iterator<Item = &str> {
    plan.lines().filter_map(|line| line.strip_prefix("Inst ")?.split(' ').next())
}

/// 21 of `rocm-device-libs-21`.
fn numbered(name: &str, prefix: &str) -> Option<u32> {
    name.strip_prefix(prefix)?.parse().ok()
}

/// A private apt: everything it writes is below `folder`.
struct Apt {
    suite: String,
    folder: PathBuf,
    _lock: Lock,
}

impl Apt {
    fn new(suite: &str) -> Result<Apt> {
        ensure!(
            !suite.is_empty() && suite.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)),
            "`{suite}` is no name of a Debian suite"
        );
        for program in ["apt-get", "dpkg"] {
            ensure!(
                Command::new(program)
                    .arg("--version")
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status()
                    .is_ok(),
                "this needs Debian packages, and `{program}` is not on this machine; run it on Debian or Ubuntu (a container \
                 will do), or use the variant of the command that takes --rocm-path"
            );
        }
        let folder = root().join("target/debian").join(suite);
        for sub in ["lists/partial", "cache/archives/partial", "debs", "root", "done"] {
            fs::create_dir_all(folder.join(sub))?;
        }
        let lock = Lock::take(&folder.join("lock"))?;
        Ok(Apt { suite: suite.to_owned(), folder, _lock: lock })
    }

    fn root(&self) -> PathBuf {
        self.folder.join("root")
    }

    /// Downloads the packages that are not marked as done (under their name and `part`) and hands each .deb to `install`.
    fn fetch(&self, packages: &[&str], part: &str, install: impl Fn(&Path) -> Result<()>) -> Result<()> {
        let done = |package: &str| self.folder.join("done").join(format!("{package}{part}"));
        let missing: Vec<&str> = packages.iter().copied().filter(|p| !done(p).exists()).collect();
        if missing.is_empty() {
            return Ok(());
        }
        self.update_once()?;
        println!("downloading from Debian {}: {}", self.suite, missing.join(" "));
        for package in missing {
            let debs = self.folder.join("debs");
            if self.download(package).is_err() {
                // The suite may have moved on since its lists were read.
                self.update()?;
                self.download(package)
                    .with_context(|| format!("package {package} of Debian {}", self.suite))?;
            }
            let deb = fs::read_dir(&debs)?
                .filter_map(|entry| Some(entry.ok()?.path()))
                .find(|path| {
                    path.file_name()
                        .and_then(OsStr::to_str)
                        .is_some_and(|n| n.starts_with(&format!("{package}_")))
                })
                .with_context(|| format!("apt-get download left no file for {package}"))?;
            install(&deb).with_context(|| format!("unpacking {}", deb.display()))?;
            let name = deb.file_name().unwrap_or_default().to_string_lossy().into_owned();
            fs::remove_file(&deb)?;
            fs::write(done(package), name)?;
        }
        Ok(())
    }

    fn download(&self, package: &str) -> Result<()> {
        run(self.apt_get().current_dir(self.folder.join("debs")).args(["download", package])).map(drop)
    }

    /// The packages that an installation of these on an empty system would install.
    fn with_dependencies(&self, packages: &[String]) -> Result<Vec<String>> {
        self.update_once()?;
        let mut simulation = self.apt_get();
        let plan = run(simulation.args(["install", "--simulate", "--no-install-recommends"]).args(packages))?;
        Ok(installed(&plan).map(str::to_owned).collect())
    }

    /// What `apt-cache` says.
    fn cache(&self, arguments: &[&str]) -> Result<String> {
        self.update_once()?;
        let mut command = Command::new("apt-cache");
        run(command.env("APT_CONFIG", self.folder.join("apt.conf")).env("LC_ALL", "C").args(arguments))
    }

    fn update_once(&self) -> Result<()> {
        if self.folder.join("apt.conf").exists() { Ok(()) } else { self.update() }
    }

    /// Reads the package lists anew. What was unpacked before goes when the suite has moved on: headers and libraries of one
    /// root are of one release.
    fn update(&self) -> Result<()> {
        self.read_lists()?;
        for entry in fs::read_dir(self.folder.join("done"))? {
            let deb = fs::read_to_string(entry?.path())?;
            let (package, version) = deb.split_once('_').unwrap_or((&deb, ""));
            let fields = self.cache(&["show", "--no-all-versions", package]).unwrap_or_default();
            let now = fields.lines().find_map(|line| line.strip_prefix("Version: ")).unwrap_or_default();
            if version.rsplit_once('_').map(|(version, _)| version.replace("%3a", ":")).as_deref()
                != Some(now)
            {
                return self.forget();
            }
        }
        Ok(())
    }

    fn forget(&self) -> Result<()> {
        for folder in ["done", "root"].map(|name| self.folder.join(name)) {
            fs::remove_dir_all(&folder)?;
            fs::create_dir(&folder)?;
        }
        Ok(())
    }

    /// Reads the suite's package lists from the first of the machine's mirrors that has the suite.
    fn read_lists(&self) -> Result<()> {
        fs::write(self.folder.join("status"), "")?;
        fs::create_dir_all(self.folder.join("preferences.d"))?;
        let mut config = String::new();
        for (key, path) in [
            ("Dir::State", ""),
            ("Dir::State::lists", "lists"),
            ("Dir::State::status", "status"),
            ("Dir::Cache", "cache"),
            ("Dir::Etc::sourcelist", "mirror.sources"),
            ("Dir::Etc::sourceparts", "preferences.d"),
            ("Dir::Etc::preferences", "preferences"),
            ("Dir::Etc::preferencesparts", "preferences.d"),
        ] {
            config.push_str(&format!("{key} \"{}\";\n", self.folder.join(path).display()));
        }
        // Sandboxing would need folders that the user _apt may enter.
        config.push_str(
            "APT::Architecture \"amd64\";\nAPT::Architectures { \"amd64\"; };\nAcquire::Languages \"none\";\n\
             Acquire::Retries \"3\";\nAPT::Sandbox::User \"root\";\nAPT::Get::List-Cleanup \"false\";\n",
        );
        fs::write(self.folder.join("apt.conf"), config)?;

        // Experimental packages depend on those of sid, and of both suites the newest are wanted.
        let suites = if self.suite == "experimental" { "experimental sid" } else { &*self.suite };
        fs::write(
            self.folder.join("preferences"),
            "Package: *\nPin: release a=experimental\nPin-Priority: 500\n",
        )?;
        let mut failures = String::new();
        for mirror in mirrors()? {
            let signed = mirror.signed_by.as_ref().map(|k| format!("Signed-By: {k}\n")).unwrap_or_default();
            let source = format!(
                "Types: deb\nURIs: {}\nSuites: {}\nComponents: main\nArchitectures: amd64\n{signed}",
                mirror.uri, suites
            );
            fs::write(self.folder.join("mirror.sources"), source)?;
            // Without Error-Mode, a failed download of the lists is only a warning.
            match run(self.apt_get().args(["update", "-o", "APT::Update::Error-Mode=any"])) {
                Ok(_) => return Ok(()),
                Err(error) => failures.push_str(&format!("\n{}: {error:#}", mirror.uri)),
            }
        }
        bail!("no mirror of this machine's apt sources gave the lists of Debian {}:{failures}", self.suite)
    }

    fn apt_get(&self) -> Command {
        let mut command = Command::new("apt-get");
        command.env("APT_CONFIG", self.folder.join("apt.conf")).env("LC_ALL", "C").arg("-qq");
        command
    }
}

/// Runs a command quietly; what it printed, which is in the error too.
fn run(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = output.output().with_context(|| format!("{program} could not be started"))?;
    let said = || {
        let all = [&output.stdout[..], &output.stderr[..]].concat();
        String::from_utf8_lossy(&all).trim().to_owned()
    };
    ensure!(output.status.success(), "{program} failed ({}): {}", output.status, said());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// One run at a time may work in a folder.
struct Lock(
    #[allow(dead_code, reason = "held, not read: the lock lasts as long as the file is open")] fs::File,
);

impl Lock {
    fn take(path: &Path) -> Result<Lock> {
        let file = fs::File::create(path)?;
        file.lock().with_context(|| format!("{} cannot be locked", path.display()))?;
        Ok(Lock(file))
    }
}

/// A place that has Debian packages.
#[derive(Clone, Debug, PartialEq)]
struct Mirror {
    uri: String,
    signed_by: Option<String>,
}

/// The mirrors of this machine's apt sources, or the one that the environment names.
fn mirrors() -> Result<Vec<Mirror>> {
    if let Some(uri) = std::env::var_os(MIRROR_VARIABLE) {
        let uri = uri.into_string().ok().with_context(|| format!("{MIRROR_VARIABLE} is not text"))?;
        return Ok(vec![Mirror { uri, signed_by: debian_keyring() }]);
    }
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    if let Ok(entries) = fs::read_dir("/etc/apt/sources.list.d") {
        let mut more: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        more.sort();
        files.extend(more);
    }
    let mut found = Vec::new();
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let mirrors = match file.extension().and_then(OsStr::to_str) {
            Some("list") => one_line_sources(&text),
            Some("sources") => deb822_sources(&text),
            _ => continue,
        };
        for mirror in mirrors {
            if !found.contains(&mirror) {
                found.push(mirror);
            }
        }
    }
    // Third parties' sources have no Debian suites: those whose last folder is `debian` come first, the rest are a last resort.
    found.sort_by_key(|mirror| !mirror.uri.trim_end_matches('/').ends_with("/debian"));
    ensure!(
        !found.is_empty(),
        "no mirror in this machine's apt sources; name one, as {MIRROR_VARIABLE}=<URI of a Debian mirror>"
    );
    Ok(found)
}

/// The keyring that signs Debian's suites, where the machine has it.
fn debian_keyring() -> Option<String> {
    let usual = "/usr/share/keyrings/debian-archive-keyring.gpg";
    Path::new(usual).exists().then(|| usual.to_owned())
}

/// Sources of the form `deb [option=value ...] URI suite component...`.
fn one_line_sources(text: &str) -> Vec<Mirror> {
    let mut found = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some(mut rest) = line.trim().strip_prefix("deb ").map(str::trim_start) else { continue };
        let mut signed_by = None;
        if let Some((options, after)) = rest.strip_prefix('[').and_then(|r| r.split_once(']')) {
            signed_by = options.split_whitespace().find_map(|option| option.strip_prefix("signed-by="));
            rest = after;
        }
        let mut words = rest.split_whitespace();
        let (Some(uri), Some(suite)) = (words.next(), words.next()) else { continue };
        if words.any(|component| component == "main") && !suite.contains("security") {
            found.push(Mirror { uri: uri.to_owned(), signed_by: signed_by.map(str::to_owned) });
        }
    }
    found
}

/// Sources in paragraphs of `Key: value` lines.
fn deb822_sources(text: &str) -> Vec<Mirror> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let mut found = Vec::new();
    for paragraph in lines.split(|line| line.trim().is_empty()) {
        let value = |key: &str| {
            paragraph
                .iter()
                .filter_map(|line| line.split_once(':'))
                .find(|(k, _)| k.eq_ignore_ascii_case(key))
                .map_or("", |(_, v)| v.trim())
        };
        let has = |key, word| value(key).split_whitespace().any(|w| w == word);
        let usable = has("Types", "deb")
            && has("Components", "main")
            && !value("Enabled").eq_ignore_ascii_case("no")
            && !value("Suites").contains("security");
        if !usable {
            continue;
        }
        // A key written out in the file itself is not carried over: apt then uses the machine's trusted keys.
        let signed_by = Some(value("Signed-By")).filter(|path| path.starts_with('/')).map(str::to_owned);
        found.extend(
            value("URIs")
                .split_whitespace()
                .map(|uri| Mirror { uri: uri.to_owned(), signed_by: signed_by.clone() }),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mirror(uri: &str, signed_by: Option<&str>) -> Mirror {
        Mirror { uri: uri.to_owned(), signed_by: signed_by.map(str::to_owned) }
    }

    #[test]
    fn packages_are_looked_up_by_what_depends_on_them() {
        let fields = "Package: libamdhip64-dev\nVersion: 7.2.4-1\nDepends: libamd-comgr-dev, libamdhip64-7 (= 7.2.4-1), \
                      libhiprtc-builtins7 (= 7.2.4-1), libhiprtc7 (= 7.2.4-1) | other\nDescription: Depends: not\n";
        let of = |prefix| dependencies(fields).find(|name| numbered(name, prefix).is_some());
        assert_eq!(of("libamdhip64-"), Some("libamdhip64-7"));
        assert_eq!(of("libhiprtc"), Some("libhiprtc7"));
        assert_eq!(of("librocblas"), None);
        assert_eq!(
            ["rocm-device-libs-21", "rocm-device-libs-9"].map(|name| numbered(name, "rocm-device-libs-")),
            [Some(21), Some(9)]
        );
    }

    #[test]
    fn a_simulated_installation_names_packages() {
        let plan = "Inst gcc-16-base (16.2.0-4 Debian:unstable [amd64])\nInst libc6 (2.44-3 Debian:unstable [amd64]) []\n\
                    Conf libc6 (2.44-3 Debian:unstable [amd64])\n";
        assert_eq!(installed(plan).collect::<Vec<_>>(), ["gcc-16-base", "libc6"]);
    }

    #[test]
    fn one_line_sources_are_read() {
        let text = "# deb http://commented.example/debian sid main\n\
                    deb http://a.example/debian bookworm main contrib # trailing\n\
                    deb [arch=amd64 signed-by=/k.gpg] http://b.example/debian bookworm main\n\
                    deb-src http://c.example/debian bookworm main\n\
                    deb http://d.example/debian-security bookworm-security main\n\
                    deb http://e.example/tool stable extra\n";
        assert_eq!(
            one_line_sources(text),
            [mirror("http://a.example/debian", None), mirror("http://b.example/debian", Some("/k.gpg"))]
        );
    }

    #[test]
    fn deb822_sources_are_read() {
        let text = "Types: deb\n# a comment\nURIs: http://a.example/debian http://b.example/debian\nSuites: bookworm\n\
                    Components: main\nSigned-By: /k.gpg\n\nTypes: deb-src\nURIs: http://c.example/debian\nComponents: main\n\n\
                    Enabled: no\nTypes: deb\nURIs: http://d.example/debian\nComponents: main\n\n\
                    Types: deb\nURIs: http://e.example/debian\nSuites: trixie\nComponents: main\nSigned-By:\n -----BEGIN\n";
        assert_eq!(
            deb822_sources(text),
            [
                mirror("http://a.example/debian", Some("/k.gpg")),
                mirror("http://b.example/debian", Some("/k.gpg")),
                mirror("http://e.example/debian", None)
            ]
        );
    }
}
