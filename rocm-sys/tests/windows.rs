//! The loader on Windows, or under Wine: libraries that `cargo xtask windows` builds play the driver's, a wheel's and an SDK's.
#![cfg(all(windows, not(feature = "link")))]

use std::fs;
use std::path::{Path, PathBuf};

use rocm_sys::hip::{Hip, hipError_t};
use rocm_sys::{FileVersion, Library, LibraryKind, Search, file_of};
use tempfile::TempDir;

/// The folder with the libraries that are built.
const BUILT: &str = "CANDLE_ROCM_TEST_DLLS";

/// The driver's libraries in System32, a wheel's, and an SDK's, by the names that they have there.
const TREE: [(&str, &str); 9] = [
    ("hip-3.dll", "System32/amdhip64_6.dll"),
    ("hip-4.dll", "System32/amdhip64_7.dll"),
    ("comgr.dll", "System32/amd_comgr_3.dll"),
    ("hip-5-needed.dll", "site-packages/_rocm_sdk_core/bin/amdhip64_7.dll"),
    ("needed.dll", "site-packages/_rocm_sdk_core/bin/needed.dll"),
    ("rocblas.dll", "site-packages/_rocm_sdk_libraries/bin/rocblas.dll"),
    ("hiprtc.dll", "ROCm/6.4/bin/hiprtc0604.dll"),
    ("hiprtc.dll", "ROCm/6.4/bin/hiprtc0507.dll"),
    ("rocblas.dll", "ROCm/6.4/bin/rocblas.dll"),
];

fn built(name: &str) -> PathBuf {
    let folder = std::env::var_os(BUILT).expect("`cargo xtask windows` sets it");
    Path::new(&folder).join(name)
}

fn tree() -> TempDir {
    let tree = tempfile::tempdir().unwrap();
    plant(tree.path());
    tree
}

fn plant(folder: &Path) {
    for (from, to) in TREE {
        let to = folder.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(built(from), to).unwrap();
    }
}

fn search(tree: &TempDir, folders: &[&'static str]) -> Search {
    let installations = folders.iter().map(|folder| (*folder, tree.path().join(folder))).collect();
    Search { explicit: None, installations, loader: false, folders: Vec::new() }
}

const WHEEL: &str = "site-packages/_rocm_sdk_core";
const SDK: &str = "ROCm/6.4";

/// What the library's only function gives.
fn devices(hip: &Hip) -> i32 {
    let mut count = 0;
    // SAFETY: `count` is valid for the write.
    assert_eq!(unsafe { hip.hipGetDeviceCount(&mut count) }, Ok(hipError_t::hipSuccess));
    count
}

fn is(library: &Library, tree: &TempDir, path: &str) {
    let real = |path: &Path| fs::canonicalize(path).unwrap();
    assert_eq!(real(library.path()), real(&tree.path().join(path)));
}

#[test]
fn the_newest_of_a_folder_and_the_first_folder() {
    let tree = tree();
    let driver = Hip::open(&search(&tree, &[SDK, "System32"])).unwrap();
    is(driver.library(), &tree, "System32/amdhip64_7.dll");
    assert_eq!(devices(&driver), 4);
    // Both are called amdhip64_7.dll, and what the wheel's needs is beside it.
    let wheel = Hip::open(&search(&tree, &[WHEEL, "System32"])).unwrap();
    is(wheel.library(), &tree, "site-packages/_rocm_sdk_core/bin/amdhip64_7.dll");
    assert_eq!((devices(&wheel), devices(&driver)), (5 + 10, 4));
}

#[test]
fn other_libraries_of_the_same_installation() {
    let tree = tree();
    let everywhere = search(&tree, &[SDK, WHEEL, "System32"]);
    let hiprtc = Library::open(LibraryKind::Hiprtc, &everywhere).unwrap();
    is(&hiprtc, &tree, "ROCm/6.4/bin/hiprtc0604.dll");
    is(&Library::open(LibraryKind::Comgr, &everywhere).unwrap(), &tree, "System32/amd_comgr_3.dll");
    is(&Library::open(LibraryKind::Rocblas, &everywhere).unwrap(), &tree, "ROCm/6.4/bin/rocblas.dll");
    // With a wheel's HIP goes the rocBLAS of the other wheel.
    let hip = Library::open(LibraryKind::Hip, &search(&tree, &[WHEEL])).unwrap();
    let rocblas = Library::open(LibraryKind::Rocblas, &everywhere.beside(&hip)).unwrap();
    is(&rocblas, &tree, "site-packages/_rocm_sdk_libraries/bin/rocblas.dll");
}

#[test]
fn missing_functions_and_libraries_are_errors() {
    let tree = tree();
    let hip = Hip::open(&search(&tree, &["System32"])).unwrap();
    // SAFETY: the function is missing, so nothing is called.
    let missing = unsafe { hip.hipFree(std::ptr::null_mut()) }.unwrap_err();
    assert!(missing.to_string().contains("has no function `hipFree`"), "{missing}");
    let error = Library::open(LibraryKind::Miopen, &search(&tree, &[SDK])).unwrap_err().to_string();
    for part in ["miopen*.dll", "none of the files is in it or in bin", "install AMD's HIP SDK"] {
        assert!(error.contains(part), "`{part}` is not in: {error}");
    }
    let error = Library::open(LibraryKind::Hip, &search(&tree, &[SDK])).unwrap_err().to_string();
    assert!(error.contains("install AMD's graphics driver"), "{error}");
    assert!(Library::open(LibraryKind::Rccl, &search(&tree, &[SDK])).is_err());
}

#[test]
fn a_dependency_that_is_missing() {
    let tree = tree();
    let file = tree.path().join("amdhip64_5.dll");
    fs::copy(built("hip-6-gone.dll"), &file).unwrap();
    let error = Library::open(LibraryKind::Hip, &Search::at(&file)).unwrap_err().to_string();
    assert!(error.contains("a library that it needs is missing"), "{error}");
}

#[test]
fn a_truncated_library_is_rejected() {
    let tree = tree();
    let bytes = fs::read(built("hip-4.dll")).unwrap();
    let file = tree.path().join("amdhip64_7.dll");
    for length in [0, 1, 2, 63, 64, 200, 500, 4096, bytes.len() / 2] {
        fs::write(&file, &bytes[..length.min(bytes.len())]).unwrap();
        let error = Library::open(LibraryKind::Hip, &Search::at(&file)).unwrap_err();
        let reason = &error.attempts[0].reason;
        let expected = if length < 2 { "not a Windows library" } else { "truncated" };
        assert!(reason.contains(expected), "{length}: {reason}");
    }
}

/// As SysWOW64's, or those for Windows on ARM.
#[test]
fn libraries_for_other_processors_are_left_out() {
    const MACHINE: usize = 4;
    let tree = tree();
    let file = tree.path().join("System32/amdhip64_7.dll");
    let mut bytes = fs::read(&file).unwrap();
    let header = u32::from_le_bytes(bytes[0x3c..0x40].try_into().unwrap()) as usize;
    for (machine, name) in [(0xaa64_u16, "ARM64"), (0x14c, "32-bit x86")] {
        bytes[header + MACHINE..][..2].copy_from_slice(&machine.to_le_bytes());
        fs::write(&file, &bytes).unwrap();
        let error = Library::open(LibraryKind::Hip, &Search::at(&file)).unwrap_err();
        let reason = format!("a library for {name}, and this program is for x86-64");
        assert_eq!(error.attempts[0].reason, reason);
        let hip = Library::open(LibraryKind::Hip, &search(&tree, &["System32"])).unwrap();
        is(&hip, &tree, "System32/amdhip64_6.dll");
    }
}

/// Users' names, and Program Files.
#[test]
fn folders_of_any_name() {
    let tree = tempfile::tempdir().unwrap();
    for name in ["a b (x86)", "Zoë Müller", "用户", "🦀"] {
        let root = tree.path().join(name);
        plant(&root);
        let file = root.join("site-packages/_rocm_sdk_core/bin/amdhip64_7.dll");
        let hip = Hip::open(&Search::at(&file)).unwrap();
        assert_eq!(fs::canonicalize(hip.library().path()).unwrap(), fs::canonicalize(&file).unwrap());
        assert_eq!(devices(&hip), 5 + 10, "{name}");
    }
}

/// HIP_PATH as SDKs' installers set it, and as `set HIP_PATH="..."` does.
#[test]
fn installations_that_a_variable_names() {
    const MARK: &str = "HIP_IS_IN";
    if let Some(expected) = std::env::var_os(MARK) {
        let hip = Library::open(LibraryKind::Hip, &Search::from_env()).unwrap();
        assert_eq!(fs::canonicalize(hip.path()).unwrap(), fs::canonicalize(expected).unwrap());
        return;
    }
    let tree = tree();
    let sdk = tree.path().join("Program Files/AMD/ROCm/6.4");
    fs::create_dir_all(sdk.join("bin")).unwrap();
    let file = sdk.join("bin/amdhip64_6.dll");
    fs::copy(built("hip-3.dll"), &file).unwrap();
    let sdk = sdk.display();
    for value in [format!("{sdk}"), format!("{sdk}\\"), format!("\"{sdk}\\\""), format!("{sdk}\\bin")] {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        again.args(["installations_that_a_variable_names", "--exact"]);
        let output = again.env("HIP_PATH", &value).env(MARK, &file).output().unwrap();
        assert!(output.status.success(), "{value}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn newer_versions_are_reported_and_not_opened() {
    let tree = tree();
    for folder in ["System32", "new"] {
        fs::create_dir_all(tree.path().join(folder)).unwrap();
        fs::copy(built("hip-4.dll"), tree.path().join(folder).join("amdhip64_8.dll")).unwrap();
    }
    let hip = Library::open(LibraryKind::Hip, &search(&tree, &["System32"])).unwrap();
    is(&hip, &tree, "System32/amdhip64_7.dll");
    let error = Library::open(LibraryKind::Hip, &search(&tree, &["new"])).unwrap_err();
    assert!(error.found_newer(), "{error}");
    assert!(error.to_string().contains("newer than what this release supports"), "{error}");
}

#[test]
fn what_a_file_says_of_itself() {
    let tree = tree();
    let hip = Hip::open(&search(&tree, &["System32"])).unwrap();
    assert_eq!(hip.library().file_version(), Some(FileVersion([7, 2, 53211, 4])));
    assert_eq!(FileVersion::of(&built("needed.dll")), None);
    let function = hip.library().symbol("hipGetDeviceCount").unwrap();
    assert_eq!(file_of(function).as_deref(), Some(hip.library().path()));
    assert_eq!(file_of(std::ptr::null()), None);
}

#[test]
fn the_search_of_this_machine() {
    let search = Search::from_env();
    assert!(!search.loader);
    let system = search.installations.iter().find(|(origin, _)| *origin == "System32").unwrap();
    assert!(system.1.join("kernel32.dll").is_file(), "{system:?}");
}
