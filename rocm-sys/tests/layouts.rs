//! What is found in each of ROCm's published layouts, at run time and by the build script. The layouts are lists of real files.
#![cfg(target_os = "linux")]

mod common;
#[path = "common/layouts.rs"]
mod fakes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fakes::{BESIDE, CLASSIC, CORE, PIP};
use rocm_sys::roots::{self, Release, Root};
#[cfg(not(feature = "link"))]
use rocm_sys::{Library, LibraryKind, Search};
use tempfile::TempDir;

/// An installation whose libraries can be opened and export every probed symbol. `None` without a C compiler.
fn tree(list: &str) -> Option<TempDir> {
    let root = tempfile::tempdir().unwrap();
    let library = root.path().join("library.so");
    let source = "int hipGetDeviceCount(int *n) { return 100; } void hiprtcCreateProgram(void) {} \
                  void rocblas_create_handle(void) {} void miopenCreate(void) {}";
    common::shared_library(&library, source, &[])?;
    let is_library = |path: &str| {
        let name = path.rsplit('/').next().unwrap();
        ["libamdhip64.", "libhiprtc.", "librocblas.", "libMIOpen."].iter().any(|stem| name.starts_with(stem))
    };
    fakes::create(root.path(), list, |path| is_library(path).then(|| library.clone()));
    Some(root)
}

/// The paths of the roots, relative to a folder.
fn names(root: &Path, roots: &[Root]) -> Vec<String> {
    roots.iter().map(|found| found.path.strip_prefix(root).unwrap().display().to_string()).collect()
}

fn releases(roots: &[Root]) -> Vec<String> {
    roots.iter().map(|root| root.release().map_or("-".to_owned(), |release| release.to_string())).collect()
}

#[test]
fn classic_layout() {
    let Some(tree) = tree(CLASSIC) else { return };
    let found = roots::installed(&tree.path().join("opt"));
    assert_eq!(names(tree.path(), &found), ["opt/rocm", "opt/rocm-5.7.1"]);
    assert_eq!(releases(&found), ["6.1.2", "5.7.1"]);
    assert!(found[0].device_libraries().unwrap().ends_with("opt/rocm/amdgcn/bitcode"));
}

#[test]
fn core_layout_with_migraphx_in_opt_rocm_lib() {
    let Some(tree) = tree(CORE) else { return };
    let found = roots::installed(&tree.path().join("opt"));
    // MIGraphX's folder has no HIP, so it comes last. The sanitizer build is skipped.
    assert_eq!(names(tree.path(), &found), ["opt/rocm/core-10.1", "opt/rocm/core-7.14", "opt/rocm"]);
    assert_eq!(releases(&found)[..2], ["10.1.0", "7.14.1"]);
    let bitcode = found[0].device_libraries().unwrap();
    assert!(bitcode.ends_with("core-10.1/lib/llvm/lib/clang/23/lib/amdgcn/bitcode"), "{bitcode:?}");
    let older = found[1].device_libraries().unwrap();
    assert!(older.ends_with("core-7.14/lib/llvm/amdgcn/bitcode"), "{older:?}");
}

#[test]
fn core_layout_next_to_a_classic_one() {
    let Some(tree) = tree(BESIDE) else { return };
    let found = roots::installed(&tree.path().join("opt"));
    assert_eq!(releases(&found), ["10.1.0", "7.2.4"]);
    assert!(found[0].path.ends_with("core-10.1") && found[1].path.ends_with("opt/rocm"), "{found:?}");
}

#[test]
fn releases_are_ordered_numerically() {
    let root = tempfile::tempdir().unwrap();
    let opt = root.path().join("opt");
    for name in ["rocm-7.2.4", "rocm-7.10.0", "rocm-10.0.0", "rocm-6.9.1", "rocm-6.10"] {
        fs::create_dir_all(opt.join(name).join("lib")).unwrap();
        fs::write(opt.join(name).join("lib/libamdhip64.so.7"), "").unwrap();
    }
    // The newest, but without HIP.
    fs::create_dir_all(opt.join("rocm-11.0.0/lib")).unwrap();
    let order = ["rocm-10.0.0", "rocm-7.10.0", "rocm-7.2.4", "rocm-6.10", "rocm-6.9.1", "rocm-11.0.0"];
    assert_eq!(names(&opt, &roots::installed(&opt)), order);
    for (text, release) in
        [("10.0.0\n", "10.0.0"), ("7.2.4-81", "7.2.4"), ("7.14.0rc1", "7.14.0"), ("6", "6.0.0")]
    {
        assert_eq!(Release::parse(text).unwrap().to_string(), release);
    }
    assert_eq!(["", "beta", "-1"].map(Release::parse), [None; 3]);
}

#[test]
fn without_rocm_the_default_path_is_named() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(names(root.path(), &roots::installed(root.path())), ["rocm"]);
}

/// Reruns the named test in a child process with the given variables. Returns true in the child.
fn in_child(test: &str, variables: &[(&str, &Path)]) -> bool {
    if std::env::var_os("LAYOUTS_CHILD").is_some() {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test]).env("LAYOUTS_CHILD", "1").env("HOME", "/nonexistent");
    for name in ["ROCM_PATH", "HIP_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "LD_LIBRARY_PATH"] {
        command.env_remove(name);
    }
    command.envs(variables.iter().map(|(name, value)| (name, value.as_os_str())));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    false
}

#[test]
fn pip_layout() {
    // The child uses the parent's tree: without PATH it has no compiler to create one.
    let in_second_run = std::env::var_os("LAYOUTS_CHILD").is_some();
    let tree = if in_second_run { None } else { tree(PIP) };
    let folder = match (&tree, std::env::var_os("VIRTUAL_ENV")) {
        (Some(tree), _) => tree.path().to_owned(),
        (None, Some(home)) if in_second_run => Path::new(&home).parent().unwrap().to_owned(),
        (None, _) => return,
    };
    for (environment, python, libraries, release) in [
        ("venv", "3.12", "_rocm_sdk_libraries", "10.0.0"),
        ("older", "3.11", "_rocm_sdk_libraries_gfx110X_all", "7.10.0"),
    ] {
        let home = folder.join(environment);
        if !in_child("pip_layout", &[("VIRTUAL_ENV", &home), ("PATH", Path::new("/nonexistent"))]) {
            continue;
        }
        let home = PathBuf::from(std::env::var_os("VIRTUAL_ENV").unwrap());
        if !home.ends_with(environment) {
            continue;
        }
        let site = home.join(format!("lib/python{python}/site-packages"));
        let wheels = roots::wheels();
        let mut expected = vec!["_rocm_sdk_core", libraries];
        expected.extend(site.join("torch").is_dir().then_some("torch"));
        assert_eq!(names(&site, &wheels), expected);
        assert_eq!(wheels[0].release().unwrap().to_string(), release);
        let linked: Vec<Root> = roots::to_link(&wheels, roots::System::Linux).into_iter().cloned().collect();
        assert_eq!(names(&site, &linked), expected);
        #[cfg(not(feature = "link"))]
        for (kind, file) in
            [(LibraryKind::Hip, "libamdhip64.so.7"), (LibraryKind::Rocblas, "librocblas.so.5")]
        {
            let mut search = Search::from_env();
            search.loader = false;
            let library = Library::open(kind, &search).unwrap();
            assert!(library.path().starts_with(&site) && library.path().ends_with(file), "{library:?}");
        }
        // rocBLAS and HIP are in different wheels.
        #[cfg(not(feature = "link"))]
        {
            let search = Search { folders: vec![("core", site.join("_rocm_sdk_core"))], ..Search::default() };
            let hip = Library::open(LibraryKind::Hip, &search).unwrap();
            let rocblas = Library::open(LibraryKind::Rocblas, &search.beside(&hip)).unwrap();
            assert!(rocblas.path().starts_with(site.join(libraries)), "{rocblas:?}");
        }
    }
}

/// ROCM_PATH names the folder above the versioned one.
#[test]
fn a_named_root_includes_its_core_folders() {
    let tree = tree(CORE);
    let Some(folder) = tree.as_ref().map(TempDir::path) else { return };
    let named = folder.join("opt/rocm");
    if in_child("a_named_root_includes_its_core_folders", &[("ROCM_PATH", &named)]) {
        let named = roots::named();
        assert!(!named[0].has_hip());
        assert!(named[1..].iter().all(|root| root.origin == "ROCM_PATH"));
        let first = named.iter().find(|root| root.has_hip()).unwrap();
        assert_eq!(first.release().unwrap().to_string(), "10.1.0");
        assert!(named.iter().all(|root| !root.path.display().to_string().contains("asan")), "{named:?}");
    }
}

#[cfg(not(feature = "link"))]
#[test]
fn opens_libraries_of_the_newest_complete_root() {
    for (list, folder, release) in [
        (CLASSIC, "opt/rocm-6.1.2/lib", "6.1.2"),
        (CORE, "opt/rocm/core-10.1/lib", "10.1.0"),
        (BESIDE, "opt/rocm-7.2.4/core-10.1/lib", "10.1.0"),
    ] {
        let Some(tree) = tree(list) else { return };
        let installed = roots::installed(&tree.path().join("opt"));
        let folders = installed.into_iter().map(|root| (root.origin, root.path)).collect();
        let search = Search { folders, ..Search::default() };
        let hip = Library::open(LibraryKind::Hip, &search).unwrap();
        let expected = fs::canonicalize(tree.path().join(folder)).unwrap();
        assert_eq!(fs::canonicalize(hip.path().parent().unwrap()).unwrap(), expected);
        assert_eq!(hip.release().unwrap().to_string(), release);
        let rocblas = Library::open(LibraryKind::Rocblas, &search.beside(&hip)).unwrap();
        assert_eq!(fs::canonicalize(rocblas.path().parent().unwrap()).unwrap(), expected);
    }
}

/// Compiles the build script, runs it as cargo does for the feature `link`, and returns its output.
fn build_script(tree: &Path, variables: &[(&str, PathBuf)]) -> Option<String> {
    let program = tree.join("build-script");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(rustc).args(["--edition", "2024", "-o"]).arg(&program).arg(source).status();
    if compiled.is_err() {
        common::skip("the build script", "there is no rustc in PATH");
        return None;
    }
    assert!(compiled.unwrap().success());
    let mut command = Command::new(program);
    for name in ["LINK", "HIPRTC", "ROCBLAS", "MIOPEN"] {
        command.env(format!("CARGO_FEATURE_{name}"), "1");
    }
    for name in ["ROCM_PATH", "HIP_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"] {
        command.env_remove(name);
    }
    let empty = tree.join("nothing");
    command.env("OUT_DIR", tree).env("HOME", &empty).env("PATH", &empty);
    let output = command.envs(variables.iter().map(|(name, value)| (name, value))).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn build_script_links_the_libraries_that_are_opened_at_run_time() {
    for (list, variable, value, folder) in [
        (CLASSIC, "ROCM_PATH", "opt/rocm", "opt/rocm/lib"),
        (CORE, "ROCM_PATH", "opt/rocm", "opt/rocm/core-10.1/lib"),
        (CORE, "HIP_PATH", "opt/rocm/core-10.1", "opt/rocm/core-10.1/lib"),
        // Only versioned names there: the build script makes links.
        (PIP, "VIRTUAL_ENV", "venv", ""),
    ] {
        let Some(tree) = tree(list) else { return };
        let Some(output) = build_script(tree.path(), &[(variable, tree.path().join(value))]) else { return };
        let searched: Vec<PathBuf> = output
            .lines()
            .filter_map(|line| line.strip_prefix("cargo:rustc-link-search=native="))
            .map(|path| fs::canonicalize(path).unwrap())
            .collect();
        let expected = fs::canonicalize(tree.path().join(folder)).unwrap();
        assert_eq!(searched, vec![expected.clone(); 4], "{output}");
        for library in ["amdhip64", "hiprtc", "rocblas", "MIOpen"] {
            assert!(output.contains(&format!("cargo:rustc-link-lib=dylib={library}\n")), "{output}");
            assert!(expected.join(format!("lib{library}.so")).exists(), "{library}");
        }
    }
}

/// Cross-compiled from here.
#[test]
fn build_script_for_windows_links_the_sdk() {
    let tree = tempfile::tempdir().unwrap();
    let sdk = tree.path().join("ROCm/6.4");
    for file in ["lib/amdhip64.lib", "lib/hiprtc.lib", "bin/hiprtc0604.dll"] {
        fs::create_dir_all(sdk.join(file).parent().unwrap()).unwrap();
        fs::write(sdk.join(file), "").unwrap();
    }
    let windows = ("CARGO_CFG_TARGET_OS", PathBuf::from("windows"));
    let Some(output) = build_script(tree.path(), &[windows, ("HIP_PATH", sdk.clone())]) else { return };
    let searched = format!("cargo:rustc-link-search=native={}\n", sdk.join("lib").display());
    assert_eq!(output.matches(&searched).count(), 2, "{output}");
    assert!(output.contains("cargo:rustc-link-lib=dylib=amdhip64\n"), "{output}");
    assert!(output.contains("cargo:rustc-link-lib=dylib=hiprtc\n"), "{output}");
}
