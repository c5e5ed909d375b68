//! Finds ROCm installations: for opening libraries at run time, for linking and for compilers.
//!
//! ROCm is published in three layouts:
//!
//! | Layout | Root |
//! |---|---|
//! | classic, up to 7.2 | `/opt/rocm-7.2.4`, with a link `/opt/rocm` |
//! | core, since 7.14 | `/opt/rocm/core-10.1`, or `/opt/rocm-7.2.4/core-10.1` next to a classic installation |
//! | pip | `site-packages/_rocm_sdk_core`, with rocBLAS and MIOpen in `_rocm_sdk_libraries` |
//!
//! Among the roots in /opt, the newest one with a HIP library comes first: `/opt/rocm/lib` may belong to another package (MIGraphX).
//!
//! The build script includes this file, so it must use nothing but `std`.

use std::cmp::Reverse;
use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The root folder of a ROCm installation or of one of its wheels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Where the path came from: `ROCM_PATH`, `pip-installed ROCm`, `/opt/rocm*`.
    pub origin: &'static str,
    /// The folder.
    pub path: PathBuf,
}

/// The origin of roots in site-packages.
const WHEEL: &str = "pip-installed ROCm";

/// All roots: those named by `ROCM_PATH` and `HIP_PATH`, then wheels, then /opt.
pub fn all() -> Vec<Root> {
    let mut roots = named();
    roots.extend(wheels());
    roots.extend(installed(Path::new("/opt")));
    roots
}

/// The folders named by `ROCM_PATH` and `HIP_PATH`, each followed by the `core-*` folders in it.
pub fn named() -> Vec<Root> {
    let set = |name| Some((name, PathBuf::from(env::var_os(name).filter(|value| !value.is_empty())?)));
    let named = ["ROCM_PATH", "HIP_PATH"].into_iter().filter_map(set);
    named.flat_map(|(origin, path)| with_cores(origin, path)).collect()
}

/// ROCm's wheels in the active virtual environment, in conda, next to the `python3` in `PATH`, and in `~/.local`.
pub fn wheels() -> Vec<Root> {
    site_packages().iter().flat_map(|site| wheels_in(site)).collect()
}

/// The installations in a folder like /opt: complete ones first, then newest first. If there are none, `rocm` alone, so that
/// error messages name the expected path.
pub fn installed(opt: &Path) -> Vec<Root> {
    let is_rocm = |path: &PathBuf| file_name(path).starts_with("rocm");
    let mut folders: Vec<PathBuf> = entries(opt).into_iter().filter(is_rocm).collect();
    folders.sort();
    let mut roots: Vec<Root> =
        folders.into_iter().flat_map(|folder| with_cores("/opt/rocm*", folder)).collect();
    roots.sort_by_cached_key(|root| Reverse((root.has_hip(), root.rank(), root.owns_libraries())));
    let mut seen: Vec<PathBuf> = Vec::new();
    roots.retain(|root| {
        let home = root.hip_folder().unwrap_or_else(|| root.path.clone());
        let home = fs::canonicalize(&home).unwrap_or(home);
        let new = !seen.contains(&home);
        seen.push(home);
        new
    });
    if roots.is_empty() {
        roots.push(Root { origin: "/opt/rocm*", path: opt.join("rocm") });
    }
    roots
}

/// The roots to link with: the first that has a HIP library and, if that is a wheel, the other wheels next to it.
pub fn to_link(roots: &[Root]) -> Vec<&Root> {
    let Some(first) = roots.iter().find(|root| root.has_hip()) else { return Vec::new() };
    let beside =
        |root: &&Root| first.origin == WHEEL && *root != first && root.path.parent() == first.path.parent();
    [first].into_iter().chain(roots.iter().filter(beside)).collect()
}

impl Root {
    /// The folders that may contain libraries.
    pub fn library_folders(&self) -> [PathBuf; 3] {
        [self.path.join("lib"), self.path.join("lib64"), self.path.clone()]
    }

    /// Whether the root has a HIP library, of any version.
    pub fn has_hip(&self) -> bool {
        self.hip_folder().is_some()
    }

    /// The ROCm release, from `.info/version` or else from the folder's name.
    pub fn release(&self) -> Option<Release> {
        let stated = self.hip_folder().and_then(|folder| Release::beside(&folder));
        let real = || fs::canonicalize(&self.path).ok();
        stated
            .or_else(|| Release::read(&self.path))
            .or_else(|| Release::in_name(&file_name(&self.path)))
            .or_else(|| Release::in_name(&file_name(&real()?)))
    }

    /// The paths where a program of ROCm's LLVM may be.
    pub fn llvm_programs(&self, name: &str) -> [PathBuf; 2] {
        ["lib/llvm/bin", "llvm/bin"].map(|folder| self.path.join(folder).join(name))
    }

    /// The folder with the device libraries (`ockl.bc`), if it exists.
    pub fn device_libraries(&self) -> Option<PathBuf> {
        let mut folders = vec![self.path.join("amdgcn/bitcode"), self.path.join("lib/llvm/amdgcn/bitcode")];
        folders.extend(device_libraries_of_clang(&self.path.join("lib/llvm")));
        folders.into_iter().find(|folder| folder.join("ockl.bc").is_file())
    }

    fn hip_folder(&self) -> Option<PathBuf> {
        let is_hip = |path: &PathBuf| {
            let rest = file_name(path).strip_prefix("libamdhip64.so").map(str::to_owned);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.library_folders().into_iter().find(|folder| entries(folder).iter().any(is_hip))
    }

    /// Sorts `/opt/rocm` first if its release is unknown: it is the administrator's choice.
    fn rank(&self) -> Release {
        let unknown = if file_name(&self.path) == "rocm" { u32::MAX } else { 0 };
        self.release().unwrap_or(Release { major: unknown, minor: 0, patch: 0 })
    }

    /// False if `lib` is a link into another root.
    fn owns_libraries(&self) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let home = self.hip_folder().and_then(|folder| Some(real(&folder)?.parent()?.to_owned()));
        home.is_some() && home == real(&self.path)
    }
}

/// The device library folders of an LLVM installation, newest clang first: `lib/clang/22/lib/amdgcn/bitcode`, or in Debian's
/// packages `lib/clang/22/amdgcn/bitcode`.
pub fn device_libraries_of_clang(llvm: &Path) -> Vec<PathBuf> {
    let mut clangs = entries(&llvm.join("lib/clang"));
    clangs.sort_by_cached_key(|clang| Reverse(Release::parse(&file_name(clang))));
    let folders = |clang: PathBuf| ["lib/amdgcn/bitcode", "amdgcn/bitcode"].map(|below| clang.join(below));
    let found = clangs.into_iter().flat_map(folders);
    found.filter(|folder| folder.join("ockl.bc").is_file()).collect()
}

/// A ROCm release. This is not HIP's version: ROCm 10.0 contains HIP 7.15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// 10 in 10.1.2.
    pub major: u32,
    /// 1 in 10.1.2.
    pub minor: u32,
    /// 2 in 10.1.2.
    pub patch: u32,
}

impl Release {
    /// The release that a library file belongs to, if its installation states it.
    pub fn of_library(file: &Path) -> Option<Release> {
        Self::beside(fs::canonicalize(file).ok()?.parent()?)
    }

    /// Parses `7.2.4-81`, `10.0.0` or `7.14.0rc1`.
    pub fn parse(text: &str) -> Option<Release> {
        let number = |part: &str| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse::<u32>().ok()
        };
        let mut parts = text.trim().split(['.', '-']).map_while(number);
        let major = parts.next()?;
        Some(Release { major, minor: parts.next().unwrap_or(0), patch: parts.next().unwrap_or(0) })
    }

    /// Parses a folder name such as `rocm-7.2.4` or `core-10.1`.
    fn in_name(name: &str) -> Option<Release> {
        ["rocm-", "core-"].iter().find_map(|prefix| Self::parse(name.strip_prefix(prefix)?))
    }

    fn read(root: &Path) -> Option<Release> {
        Self::parse(&fs::read_to_string(root.join(".info/version")).ok()?)
    }

    /// The release of the root that a library folder is in, after following links.
    fn beside(libraries: &Path) -> Option<Release> {
        let real = fs::canonicalize(libraries).ok()?;
        real.ancestors().take(2).find_map(Self::read)
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// A folder, then the `core-*` folders in it, newest first. Sanitizer builds (`core-asan-10.1`) are skipped.
pub(crate) fn with_cores(origin: &'static str, path: PathBuf) -> Vec<Root> {
    let is_core = |path: &PathBuf| file_name(path) == "core" || Release::in_name(&file_name(path)).is_some();
    let mut cores: Vec<PathBuf> = entries(&path)
        .into_iter()
        .filter(|path| file_name(path).starts_with("core") && is_core(path))
        .collect();
    // `core` and `core-10` are links to one of the others.
    cores.sort_by_cached_key(|path| Reverse((Release::in_name(&file_name(path)), path.clone())));
    [path].into_iter().chain(cores).map(|path| Root { origin, path }).collect()
}

/// ROCm's wheels in a site-packages folder, then the copy inside PyTorch's wheel.
pub fn wheels_in(site: &Path) -> Vec<Root> {
    let mut folders: Vec<PathBuf> =
        entries(site).into_iter().filter(|path| file_name(path).starts_with("_rocm_sdk_")).collect();
    folders.sort();
    folders.push(site.join("torch"));
    folders.retain(|folder| folder.join("lib").is_dir());
    folders.into_iter().map(|path| Root { origin: WHEEL, path }).collect()
}

/// If the library folder belongs to a wheel, all ROCm wheels in the same site-packages.
pub(crate) fn wheels_beside(libraries: &Path) -> Vec<Root> {
    let wheel = libraries.parent().filter(|root| file_name(root).starts_with("_rocm_sdk_"));
    wheel.and_then(Path::parent).map(wheels_in).unwrap_or_default()
}

/// The site-packages folders, without duplicates.
fn site_packages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = prefixes().iter().flat_map(|prefix| packages_in(prefix)).collect();
    let mut seen = Vec::new();
    found.retain(|folder| {
        let real = fs::canonicalize(folder).ok();
        let new = real.is_some() && !seen.contains(&real);
        seen.push(real);
        new
    });
    found
}

/// The prefixes that Python may be installed in.
fn prefixes() -> Vec<PathBuf> {
    let variable = |name| env::var_os(name).map(PathBuf::from);
    let mut prefixes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable).collect();
    let path = env::var_os("PATH").unwrap_or_default();
    let with_python = env::split_paths(&path).filter(|folder| folder.join("python3").exists());
    prefixes.extend(with_python.filter_map(|folder| Some(folder.parent()?.to_owned())));
    prefixes.extend(variable("HOME").map(|home| home.join(".local")));
    prefixes
}

fn packages_in(prefix: &Path) -> Vec<PathBuf> {
    let pythons = ["lib", "lib64"].into_iter().flat_map(|lib| entries(&prefix.join(lib)));
    let pythons = pythons.filter(|path| file_name(path).starts_with("python3"));
    pythons.flat_map(|path| ["site-packages", "dist-packages"].map(|name| path.join(name))).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(OsStr::new("")).to_string_lossy().into_owned()
}
