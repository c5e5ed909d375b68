//! Where ROCm is installed: one search for libraries at run time, for the linker and for compilers.
//!
//! Three layouts are published:
//!
//! | Layout | Root |
//! |---|---|
//! | classic, up to 7.2 | `/opt/rocm-7.2.4`, linked as `/opt/rocm` |
//! | core, since 7.14 | `/opt/rocm/core-10.1`; beside a classic one `/opt/rocm-7.2.4/core-10.1` |
//! | pip | `site-packages/_rocm_sdk_core`, with rocBLAS and MIOpen in `_rocm_sdk_libraries` |
//!
//! Of the roots in /opt the newest with a HIP library comes first: `/opt/rocm/lib` may belong to another package (MIGraphX).
//!
//! The build script includes this file, so it uses nothing but `std`.

use std::cmp::Reverse;
use std::env;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// An installation of ROCm, or one wheel of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// What named it: `ROCM_PATH`, `pip-installed ROCm`, `/opt/rocm*`.
    pub place: &'static str,
    /// The folder.
    pub path: PathBuf,
}

/// The place of roots in site-packages.
const WHEEL: &str = "pip-installed ROCm";

/// All roots that the environment and this machine suggest: those that `ROCM_PATH` and `HIP_PATH` name, wheels, /opt.
pub fn all() -> Vec<Root> {
    let mut roots = named();
    roots.extend(wheels());
    roots.extend(installed(Path::new("/opt")));
    roots
}

/// What `ROCM_PATH` and `HIP_PATH` name, each followed by the `core-*` folders in it.
pub fn named() -> Vec<Root> {
    let set = |name| Some((name, PathBuf::from(env::var_os(name).filter(|value| !value.is_empty())?)));
    let named = ["ROCM_PATH", "HIP_PATH"].into_iter().filter_map(set);
    named.flat_map(|(place, path)| with_cores(place, path)).collect()
}

/// ROCm's wheels in the active virtual environment, conda, the `python3` on the path, and the user's packages.
pub fn wheels() -> Vec<Root> {
    site_packages().iter().flat_map(|site| wheels_in(site)).collect()
}

/// The installations in a folder like /opt: complete ones first, newest first. Where there is none, `rocm` alone, so that an
/// error names the place where it would be.
pub fn installed(opt: &Path) -> Vec<Root> {
    let is_rocm = |path: &PathBuf| file_name(path).starts_with("rocm");
    let mut folders: Vec<PathBuf> = entries(opt).into_iter().filter(is_rocm).collect();
    folders.sort();
    let mut roots: Vec<Root> =
        folders.into_iter().flat_map(|folder| with_cores("/opt/rocm*", folder)).collect();
    roots.sort_by_cached_key(|root| Reverse((root.has_hip(), root.rank(), root.owns_its_libraries())));
    let mut seen: Vec<PathBuf> = Vec::new();
    roots.retain(|root| {
        let home = root.hip_folder().unwrap_or_else(|| root.path.clone());
        let home = fs::canonicalize(&home).unwrap_or(home);
        let new = !seen.contains(&home);
        seen.push(home);
        new
    });
    if roots.is_empty() {
        roots.push(Root { place: "/opt/rocm*", path: opt.join("rocm") });
    }
    roots
}

/// The roots whose libraries a program is linked with: the first that has a HIP library, and where that is a wheel the others
/// beside it.
pub fn to_link(roots: &[Root]) -> Vec<&Root> {
    let Some(first) = roots.iter().find(|root| root.has_hip()) else { return Vec::new() };
    let beside =
        |root: &&Root| first.place == WHEEL && *root != first && root.path.parent() == first.path.parent();
    [first].into_iter().chain(roots.iter().filter(beside)).collect()
}

impl Root {
    /// The folders that libraries may be in.
    pub fn library_folders(&self) -> [PathBuf; 3] {
        [self.path.join("lib"), self.path.join("lib64"), self.path.clone()]
    }

    /// Whether there is a HIP library of any version.
    pub fn has_hip(&self) -> bool {
        self.hip_folder().is_some()
    }

    /// The release of ROCm, as `.info/version` states it, or else the folder's name.
    pub fn release(&self) -> Option<Release> {
        let stated = self.hip_folder().and_then(|folder| Release::beside(&folder));
        let real = || fs::canonicalize(&self.path).ok();
        stated
            .or_else(|| Release::read(&self.path))
            .or_else(|| Release::in_name(&file_name(&self.path)))
            .or_else(|| Release::in_name(&file_name(&real()?)))
    }

    /// A program of ROCm's LLVM.
    pub fn llvm_programs(&self, name: &str) -> [PathBuf; 2] {
        ["lib/llvm/bin", "llvm/bin"].map(|folder| self.path.join(folder).join(name))
    }

    /// The folder with the device libraries (`ockl.bc`).
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

    /// `/opt/rocm` of an unknown release is the machine's own choice among several.
    fn rank(&self) -> Release {
        let unknown = if file_name(&self.path) == "rocm" { u32::MAX } else { 0 };
        self.release().unwrap_or(Release { major: unknown, minor: 0, patch: 0 })
    }

    /// False where `lib` is a link into another root.
    fn owns_its_libraries(&self) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let home = self.hip_folder().and_then(|folder| Some(real(&folder)?.parent()?.to_owned()));
        home.is_some() && home == real(&self.path)
    }
}

/// The device libraries in an LLVM's folder, those of the newest clang first: `lib/clang/22/lib/amdgcn/bitcode`, without the
/// second `lib` in Debian's packages.
pub fn device_libraries_of_clang(llvm: &Path) -> Vec<PathBuf> {
    let mut clangs = entries(&llvm.join("lib/clang"));
    clangs.sort_by_cached_key(|clang| Reverse(Release::parse(&file_name(clang))));
    let folders = |clang: PathBuf| ["lib/amdgcn/bitcode", "amdgcn/bitcode"].map(|below| clang.join(below));
    let found = clangs.into_iter().flat_map(folders);
    found.filter(|folder| folder.join("ockl.bc").is_file()).collect()
}

/// A release of ROCm. It is not HIP's version: ROCm 10.0 has HIP 7.15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// 10 of 10.1.2.
    pub major: u32,
    /// 1 of 10.1.2.
    pub minor: u32,
    /// 2 of 10.1.2.
    pub patch: u32,
}

impl Release {
    /// The release that a library's file belongs to, if an installation around it states one.
    pub fn of_library(file: &Path) -> Option<Release> {
        Self::beside(fs::canonicalize(file).ok()?.parent()?)
    }

    /// Of `7.2.4-81`, `10.0.0` or `7.14.0rc1`.
    pub fn parse(text: &str) -> Option<Release> {
        let number = |part: &str| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..digits].parse::<u32>().ok()
        };
        let mut parts = text.trim().split(['.', '-']).map_while(number);
        let major = parts.next()?;
        Some(Release { major, minor: parts.next().unwrap_or(0), patch: parts.next().unwrap_or(0) })
    }

    /// Of `rocm-7.2.4` or `core-10.1`.
    fn in_name(name: &str) -> Option<Release> {
        ["rocm-", "core-"].iter().find_map(|prefix| Self::parse(name.strip_prefix(prefix)?))
    }

    fn read(root: &Path) -> Option<Release> {
        Self::parse(&fs::read_to_string(root.join(".info/version")).ok()?)
    }

    /// Of the root that a folder of libraries is really in.
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

/// A folder and the `core-*` folders in it, newest first. Sanitizer builds (`core-asan-10.1`) are not for use.
pub(crate) fn with_cores(place: &'static str, path: PathBuf) -> Vec<Root> {
    let is_core = |path: &PathBuf| file_name(path) == "core" || Release::in_name(&file_name(path)).is_some();
    let mut cores: Vec<PathBuf> = entries(&path)
        .into_iter()
        .filter(|path| file_name(path).starts_with("core") && is_core(path))
        .collect();
    // `core` and `core-10` are links to one of the others.
    cores.sort_by_cached_key(|path| Reverse((Release::in_name(&file_name(path)), path.clone())));
    [path].into_iter().chain(cores).map(|path| Root { place, path }).collect()
}

/// ROCm's own wheels in a site-packages folder, then the copy that PyTorch's wheels bring.
pub fn wheels_in(site: &Path) -> Vec<Root> {
    let mut folders: Vec<PathBuf> =
        entries(site).into_iter().filter(|path| file_name(path).starts_with("_rocm_sdk_")).collect();
    folders.sort();
    folders.push(site.join("torch"));
    folders.retain(|folder| folder.join("lib").is_dir());
    folders.into_iter().map(|path| Root { place: WHEEL, path }).collect()
}

/// Where a folder of libraries is a wheel's, all wheels of that site-packages.
pub(crate) fn wheels_beside(libraries: &Path) -> Vec<Root> {
    let wheel = libraries.parent().filter(|root| file_name(root).starts_with("_rocm_sdk_"));
    wheel.and_then(Path::parent).map(wheels_in).unwrap_or_default()
}

/// The site-packages folders, each once.
fn site_packages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = prefixes().iter().flat_map(|prefix| packages_below(prefix)).collect();
    let mut seen = Vec::new();
    found.retain(|folder| {
        let real = fs::canonicalize(folder).ok();
        let new = real.is_some() && !seen.contains(&real);
        seen.push(real);
        new
    });
    found
}

/// The prefixes that a Python may be installed to.
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

fn packages_below(prefix: &Path) -> Vec<PathBuf> {
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
