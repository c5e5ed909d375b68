//! Finds ROCm installations: for opening libraries at run time, for linking and for compilers.
//!
//! ROCm is published in four layouts:
//!
//! | Layout | Root |
//! |---|---|
//! | classic, up to 7.2 | `/opt/rocm-7.2.4`, with a link `/opt/rocm` |
//! | core, since 7.14 | `/opt/rocm/core-10.1`, or `/opt/rocm-7.2.4/core-10.1` next to a classic installation |
//! | pip | `site-packages/_rocm_sdk_core`, with rocBLAS and MIOpen in `_rocm_sdk_libraries` |
//! | HIP SDK for Windows | `C:\Program Files\AMD\ROCm\6.4` |
//!
//! On Windows libraries are in `bin` of a root, and the graphics driver puts the HIP runtime itself into System32.
//!
//! Among the roots in /opt, the newest one with a HIP library comes first: `/opt/rocm/lib` may belong to another package (MIGraphX).
//!
//! The build script includes this file, so it must use nothing but `std`.

use std::cmp::Reverse;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// The operating system, which determines the layout. Trees of either system can be searched on any system, so both can be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Libraries are in `lib/libNAME.so.N`.
    Linux,
    /// Libraries are in `bin\NAME_N.dll`.
    Windows,
}

impl System {
    /// The system that this program runs on. Systems other than Windows count as Linux.
    pub const THIS: System = if cfg!(windows) { System::Windows } else { System::Linux };
}

/// Whether ROCm has libraries for programs such as this one. There are none of 32 bits.
pub(crate) const HAS_ROCM: bool = cfg!(all(any(target_os = "linux", windows), target_pointer_width = "64"));

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

/// All roots: those named by `ROCM_PATH` and `HIP_PATH`, then wheels, then system-wide installations.
pub fn all() -> Vec<Root> {
    let mut roots = named();
    roots.extend(wheels());
    roots.extend(of_all_users());
    roots
}

/// The installations in /opt, or on Windows the HIP SDKs in the Program Files folder.
pub fn of_all_users() -> Vec<Root> {
    match System::THIS {
        System::Linux => installed(Path::new("/opt")),
        System::Windows => {
            let programs = path_in("ProgramFiles").unwrap_or_else(|| r"C:\Program Files".into());
            sdks(&programs.join("AMD").join("ROCm"))
        }
    }
}

/// The HIP SDKs in a folder, each named by its release, newest first.
pub fn sdks(folder: &Path) -> Vec<Root> {
    let release = |path: &PathBuf| Release::parse(&file_name(path));
    let mut found: Vec<PathBuf> =
        entries(folder).into_iter().filter(|path| release(path).is_some()).collect();
    found.sort_by_cached_key(|path| Reverse(release(path)));
    found.into_iter().map(|path| Root { origin: "HIP SDK", path }).collect()
}

/// The folders named by `ROCM_PATH` and `HIP_PATH`, each followed by the `core-*` folders in it.
pub fn named() -> Vec<Root> {
    let named = ["ROCM_PATH", "HIP_PATH"].into_iter().filter_map(|name| Some((name, path_in(name)?)));
    named.flat_map(|(origin, path)| with_cores(origin, path)).collect()
}

/// ROCm's wheels in the active virtual environment, in conda, next to the `python3` in `PATH`, and in `~/.local`.
pub fn wheels() -> Vec<Root> {
    site_packages().iter().flat_map(|site| wheels_in(site, System::THIS)).collect()
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
        let home = root.hip_folder(System::THIS).unwrap_or_else(|| root.path.clone());
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

/// The roots to link with: the first that has a HIP library and, if it is a wheel, the other wheels next to it.
pub fn to_link(roots: &[Root], system: System) -> Vec<&Root> {
    let has_hip = |root: &&Root| root.hip_folder(system).is_some();
    let Some(first) = roots.iter().find(has_hip) else { return Vec::new() };
    let beside =
        |root: &&Root| first.origin == WHEEL && *root != first && root.path.parent() == first.path.parent();
    [first].into_iter().chain(roots.iter().filter(beside)).collect()
}

impl Root {
    /// The folders that may contain libraries.
    pub fn library_folders(&self, system: System) -> [PathBuf; 3] {
        let [first, second] = match system {
            System::Linux => ["lib", "lib64"],
            System::Windows => ["bin", "lib"],
        };
        [self.path.join(first), self.path.join(second), self.path.clone()]
    }

    /// Whether the root has a HIP library, of any version.
    pub fn has_hip(&self) -> bool {
        self.hip_folder(System::THIS).is_some()
    }

    /// The ROCm release, from `.info/version` or else from the folder's name.
    pub fn release(&self) -> Option<Release> {
        let stated = self.hip_folder(System::THIS).and_then(|folder| Release::beside(&folder));
        let real = || fs::canonicalize(&self.path).ok();
        stated
            .or_else(|| Release::read(&self.path))
            .or_else(|| Release::in_name(&file_name(&self.path)))
            .or_else(|| Release::in_name(&file_name(&real()?)))
    }

    /// The possible paths of a program of ROCm's LLVM.
    pub fn llvm_programs(&self, name: &str) -> [PathBuf; 3] {
        // The last is that of the HIP SDK.
        ["lib/llvm/bin", "llvm/bin", "bin"].map(|folder| self.path.join(folder).join(name))
    }

    /// The folder with the device libraries (`ockl.bc`), if it exists.
    pub fn device_libraries(&self) -> Option<PathBuf> {
        let mut folders = vec![self.path.join("amdgcn/bitcode"), self.path.join("lib/llvm/amdgcn/bitcode")];
        folders.extend(device_libraries_of_clang(&self.path.join("lib/llvm")));
        folders.into_iter().find(|folder| folder.join("ockl.bc").is_file())
    }

    fn hip_folder(&self, system: System) -> Option<PathBuf> {
        let is_hip = |path: &PathBuf| {
            let name = file_name(path);
            match system {
                System::Linux => name
                    .strip_prefix("libamdhip64.so")
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
                System::Windows => {
                    // An SDK may have what is linked alone: the library itself comes with the driver.
                    let name = name.to_ascii_lowercase();
                    name.starts_with("amdhip64") && (name.ends_with(".dll") || name.ends_with(".lib"))
                }
            }
        };
        self.library_folders(system).into_iter().find(|folder| entries(folder).iter().any(is_hip))
    }

    /// Sorts `/opt/rocm` first if its release is unknown: it is the administrator's choice.
    fn rank(&self) -> Release {
        let unknown = if file_name(&self.path) == "rocm" { u32::MAX } else { 0 };
        self.release().unwrap_or(Release { major: unknown, minor: 0, patch: 0 })
    }

    /// False if `lib` is a link into another root.
    fn owns_libraries(&self) -> bool {
        let real = |path: &Path| fs::canonicalize(path).ok();
        let home = self.hip_folder(System::THIS).and_then(|folder| Some(real(&folder)?.parent()?.to_owned()));
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
pub fn wheels_in(site: &Path, system: System) -> Vec<Root> {
    let libraries = if system == System::Windows { "bin" } else { "lib" };
    let mut folders: Vec<PathBuf> =
        entries(site).into_iter().filter(|path| file_name(path).starts_with("_rocm_sdk_")).collect();
    folders.sort();
    folders.push(site.join("torch"));
    folders.retain(|folder| folder.join(libraries).is_dir());
    folders.into_iter().map(|path| Root { origin: WHEEL, path }).collect()
}

/// If the library folder belongs to a wheel, all ROCm wheels in the same site-packages.
pub(crate) fn wheels_beside(libraries: &Path, system: System) -> Vec<Root> {
    let wheel = libraries.parent().filter(|root| file_name(root).starts_with("_rocm_sdk_"));
    wheel.and_then(Path::parent).map(|site| wheels_in(site, system)).unwrap_or_default()
}

/// The site-packages folders, without duplicates.
fn site_packages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        prefixes(System::THIS).iter().flat_map(|prefix| packages_in(prefix, System::THIS)).collect();
    let mut seen = Vec::new();
    found.retain(|folder| {
        let real = fs::canonicalize(folder).ok();
        let new = real.is_some() && !seen.contains(&real);
        seen.push(real);
        new
    });
    found
}

/// The prefixes that Python may be installed in: the active environments, that of the Python in `PATH`, and the user's own.
fn prefixes(system: System) -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(path_in).collect();
    let path = env::var_os("PATH").unwrap_or_default();
    match system {
        System::Linux => {
            let with_python = env::split_paths(&path).filter(|folder| folder.join("python3").exists());
            prefixes.extend(with_python.filter_map(|folder| Some(folder.parent()?.to_owned())));
            prefixes.extend(path_in("HOME").map(|home| home.join(".local")));
        }
        // Python itself is in the prefix, that of an environment in a folder below.
        System::Windows => {
            let with_python = env::split_paths(&path).filter(|folder| folder.join("python.exe").exists());
            prefixes.extend(with_python.flat_map(|folder| {
                let above = folder.parent().map(Path::to_owned);
                [Some(folder), above].into_iter().flatten()
            }));
            prefixes.extend(path_in("APPDATA").into_iter().flat_map(|data| entries(&data.join("Python"))));
        }
    }
    prefixes
}

/// The folders of packages in a prefix. On Windows a user's own prefix has them without `Lib`.
fn packages_in(prefix: &Path, system: System) -> Vec<PathBuf> {
    match system {
        System::Linux => {
            let pythons = ["lib", "lib64"].into_iter().flat_map(|lib| entries(&prefix.join(lib)));
            let pythons = pythons.filter(|path| file_name(path).starts_with("python3"));
            pythons.flat_map(|path| ["site-packages", "dist-packages"].map(|name| path.join(name))).collect()
        }
        System::Windows => {
            [prefix.join("Lib"), prefix.to_owned()].map(|path| path.join("site-packages")).into()
        }
    }
}

/// The path in an environment variable, if it is set and not empty.
pub fn path_in(variable: &str) -> Option<PathBuf> {
    let path = without_quotes(env::var_os(variable)?, System::THIS);
    (!path.is_empty()).then(|| path.into())
}

/// Windows' `set HIP_PATH="C:\Program Files\..."` makes the quotes part of the value; there, no file has them in its name.
fn without_quotes(value: OsString, system: System) -> OsString {
    let inner = value.to_str().and_then(|text| text.trim().strip_prefix('"')?.strip_suffix('"'));
    match (inner, system) {
        (Some(inner), System::Windows) => inner.into(),
        _ => value,
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(OsStr::new("")).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(root: &Path, names: &[&str]) {
        for name in names {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
    }

    fn names(roots: &[Root]) -> Vec<String> {
        roots.iter().map(|root| file_name(&root.path)).collect()
    }

    #[test]
    fn sdks_are_ordered_numerically() {
        let tree = tempfile::tempdir().unwrap();
        files(tree.path(), &["6.4/bin/amdhip64_6.dll", "6.10/bin/hiprtc0610.dll", "5.7/bin/x.dll", "bin/x"]);
        let found = sdks(tree.path());
        assert_eq!(names(&found), ["6.10", "6.4", "5.7"]);
        assert_eq!(found[1].hip_folder(System::Windows), Some(tree.path().join("6.4").join("bin")));
        assert_eq!(found[0].hip_folder(System::Windows), None);
        assert_eq!(found[1].hip_folder(System::Linux), None);
        assert!(sdks(&tree.path().join("missing")).is_empty());
    }

    #[test]
    fn quotes_of_a_command_are_not_part_of_a_path() {
        let of = |value: &str, system| without_quotes(value.into(), system);
        let sdk = r"C:\Program Files\AMD\ROCm\6.4\";
        assert_eq!(of(&format!("\"{sdk}\" "), System::Windows), sdk);
        for value in [sdk, "", "\"", "a\"b\""] {
            assert_eq!(of(value, System::Windows), value);
        }
        assert_eq!(of("\"/opt\"", System::Linux), "\"/opt\"");
    }

    #[test]
    fn wheels_on_windows() {
        let tree = tempfile::tempdir().unwrap();
        files(
            tree.path(),
            &[
                "Lib/site-packages/_rocm_sdk_core/bin/amdhip64_7.dll",
                "Lib/site-packages/_rocm_sdk_libraries_gfx110X_all/bin/rocblas.dll",
                "Lib/site-packages/_rocm_sdk_devel/include/x.h",
                "site-packages/torch/bin/x.dll",
            ],
        );
        let folders = packages_in(tree.path(), System::Windows);
        let found: Vec<Root> = folders.iter().flat_map(|site| wheels_in(site, System::Windows)).collect();
        assert_eq!(names(&found), ["_rocm_sdk_core", "_rocm_sdk_libraries_gfx110X_all", "torch"]);
        // rocBLAS is not beside HIP, but in the other wheel.
        let beside = wheels_beside(&found[0].path.join("bin"), System::Windows);
        assert_eq!(names(&beside), ["_rocm_sdk_core", "_rocm_sdk_libraries_gfx110X_all"]);
    }
}
