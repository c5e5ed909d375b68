//! Libraries and functions that are not there: typed errors that say what was tried, and never a panic.

mod common;

use std::ffi::c_void;
use std::fs;
use std::ptr;

use rocm_sys::hip::{Hip, hipError_t};
use rocm_sys::{Library, LibraryKind, MissingSymbol, Search};

#[cfg(not(feature = "link"))]
const ALL: [LibraryKind; 4] =
    [LibraryKind::Hip, LibraryKind::Hiprtc, LibraryKind::Rocblas, LibraryKind::Miopen];

#[test]
#[cfg(not(feature = "link"))]
fn a_missing_library_lists_all_that_was_tried() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("rocm")).unwrap();
    let search = Search {
        explicit: None,
        installations: vec![("ROCM_PATH", root.path().join("gone"))],
        loader: false,
        folders: vec![("/opt/rocm*", root.path().join("rocm"))],
    };
    for kind in ALL {
        let error = Library::open(kind, &search).unwrap_err();
        assert_eq!(error.library, kind);
        assert_eq!(error.attempts.len(), 2);
        let text = error.to_string();
        for part in
            ["ROCM_PATH", "no such folder", "gone", "/opt/rocm*", "none of the files", "set ROCM_PATH"]
        {
            assert!(text.contains(part), "`{part}` is not in:\n{text}");
        }
        for name in kind.sonames() {
            assert!(text.contains(name), "`{name}` is not in:\n{text}");
        }
    }
}

#[test]
fn an_unsupported_version_is_named() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("lib")).unwrap();
    fs::write(root.path().join("lib/libamdhip64.so.4"), "").unwrap();
    let error = Library::open(LibraryKind::Hip, &Search::at(root.path())).unwrap_err();
    assert_eq!(error.unsupported, [root.path().join("lib/libamdhip64.so.4")]);
    assert!(error.to_string().contains("libamdhip64.so.4 is there, but its version is not supported"));
}

#[test]
fn the_loaders_own_reason_is_kept() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("libamdhip64.so");
    fs::write(&file, "this is not ELF, but it is long enough to be read as a header: ........").unwrap();
    let error = Library::open(LibraryKind::Hip, &Search::at(&file)).unwrap_err();
    assert_eq!(error.attempts.len(), 1);
    assert_eq!(error.attempts[0].path, file);
    assert!(error.attempts[0].reason.contains("ELF"), "{}", error.attempts[0].reason);

    let error = Library::open(LibraryKind::Hip, &Search::at(root.path().join("gone.so"))).unwrap_err();
    assert!(error.attempts[0].reason.contains("No such file"), "{}", error.attempts[0].reason);
}

#[test]
fn a_missing_dependency_is_named() {
    let root = tempfile::tempdir().unwrap();
    let inner = root.path().join("libinner_of_hip.so");
    if common::shared_library(&inner, "int inner(void) { return 1; }", &[]).is_none() {
        return;
    }
    let outer = root.path().join("libamdhip64.so");
    let source = "int inner(void); int hipGetDeviceCount(int *n) { return inner(); }";
    let folder = root.path().display().to_string();
    common::shared_library(&outer, source, &["-L", &folder, "-linner_of_hip"]).unwrap();
    fs::remove_file(&inner).unwrap();
    let error = Library::open(LibraryKind::Hip, &Search::at(root.path())).unwrap_err();
    assert!(error.to_string().contains("libinner_of_hip.so"), "{error}");
}

#[test]
fn another_library_at_the_explicit_path_lacks_every_function() {
    // The C library is in every process on Linux.
    let hip = Hip::open(&Search::at("libc.so.6")).unwrap();
    // SAFETY: the function is missing, so nothing is called.
    let missing = unsafe { hip.hipMalloc(ptr::null_mut(), 1) }.unwrap_err();
    assert_eq!((missing.library, missing.symbol), (LibraryKind::Hip, "hipMalloc"));
    assert!(
        missing.to_string().contains("hipMalloc") && missing.to_string().contains("libc.so.6"),
        "{missing}"
    );
    assert!(!hip.has("hipMalloc"));
    assert!(hip.has("malloc"));
    assert!(!hip.has("") && !hip.has("with a \0 inside"));
    let error = rocm_sys::hip::device_properties(&hip, 0).unwrap_err();
    assert!(error.to_string().contains("hipGetDeviceProperties"), "{error}");
}

#[test]
fn a_library_without_some_functions_still_serves_the_others() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("libamdhip64.so.6");
    let source = "int hipGetDeviceCount(int *n) { *n = 3; return 0; }";
    if common::shared_library(&file, source, &[]).is_none() {
        return;
    }
    let hip = Hip::open(&Search::at(root.path())).unwrap();
    assert_eq!(fs::canonicalize(hip.library().path()).unwrap(), fs::canonicalize(&file).unwrap());
    let mut count = 0;
    // SAFETY: `count` is a valid place for the integer.
    assert_eq!(unsafe { hip.hipGetDeviceCount(&mut count) }, Ok(hipError_t::hipSuccess));
    assert_eq!(count, 3);
    // SAFETY: the function is missing, so nothing is called.
    let missing = unsafe { hip.hipFree(ptr::null_mut()) }.unwrap_err();
    let MissingSymbol { symbol, path, .. } = missing;
    assert_eq!((symbol, path.file_name()), ("hipFree", file.file_name()));
}

#[test]
#[cfg(not(feature = "link"))]
fn a_file_of_the_name_that_is_another_library_is_passed_over() {
    let root = tempfile::tempdir().unwrap();
    for folder in ["a", "b"] {
        fs::create_dir(root.path().join(folder)).unwrap();
    }
    let wrong = root.path().join("a/libamdhip64.so.7");
    if common::shared_library(&wrong, "int unrelated(void) { return 0; }", &[]).is_none() {
        return;
    }
    let right = root.path().join("b/libamdhip64.so.5");
    common::shared_library(&right, "int hipGetDeviceCount(int *n) { return 100; }", &[]).unwrap();
    let mut search = Search {
        explicit: None,
        installations: vec![("ROCM_PATH", root.path().join("a")), ("HIP_PATH", root.path().join("b"))],
        loader: false,
        folders: Vec::new(),
    };
    let library = Library::open(LibraryKind::Hip, &search).unwrap();
    assert_eq!(library.path().file_name(), right.file_name());

    search.installations.pop();
    let error = Library::open(LibraryKind::Hip, &search).unwrap_err();
    assert!(error.to_string().contains("has no hipGetDeviceCount"), "{error}");
}

#[test]
#[cfg(not(feature = "link"))]
fn libraries_of_one_installation_are_taken_together() {
    let root = tempfile::tempdir().unwrap();
    let hip_source = "int hipGetDeviceCount(int *n) { return 100; }";
    let hiprtc_source = "int hiprtcCreateProgram(void) { return 0; }";
    for folder in ["a", "b"] {
        fs::create_dir(root.path().join(folder)).unwrap();
        let hiprtc = root.path().join(folder).join("libhiprtc.so.6");
        if common::shared_library(&hiprtc, hiprtc_source, &[]).is_none() {
            return;
        }
    }
    common::shared_library(&root.path().join("b/libamdhip64.so.6"), hip_source, &[]).unwrap();
    let search = Search {
        explicit: None,
        installations: vec![("ROCM_PATH", root.path().join("a")), ("HIP_PATH", root.path().join("b"))],
        loader: false,
        folders: Vec::new(),
    };
    let folder_of = |library: &Library| library.path().parent().unwrap().file_name().unwrap().to_owned();
    let hip = Library::open(LibraryKind::Hip, &search).unwrap();
    assert_eq!(folder_of(&hip), "b");
    assert_eq!(folder_of(&Library::open(LibraryKind::Hiprtc, &search).unwrap()), "a");
    assert_eq!(folder_of(&Library::open(LibraryKind::Hiprtc, &search.beside(&hip)).unwrap()), "b");
}

#[test]
fn hiprtc_may_be_part_of_the_hip_library() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("libamdhip64.so.5");
    let source = "int hipGetDeviceCount(int *n) { return 100; } int hiprtcCreateProgram(void) { return 0; }";
    if common::shared_library(&file, source, &[]).is_none() {
        return;
    }
    let library = Library::open(LibraryKind::Hiprtc, &Search::at(root.path())).unwrap();
    assert_eq!(library.path().file_name(), file.file_name());
}

unsafe extern "C" fn two_devices(count: *mut i32) -> hipError_t {
    // SAFETY: callers of hipGetDeviceCount give a valid place.
    unsafe { *count = 2 };
    hipError_t::hipSuccess
}

fn resolver(name: &str) -> Option<*const c_void> {
    let count: rocm_sys::hip::signature::hipGetDeviceCount = two_devices;
    (name == "hipGetDeviceCount").then_some(count as *const c_void)
}

#[test]
fn a_platform_in_the_program_answers_by_name() {
    let hip = Hip::from_resolver("the test's platform", resolver);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut count = 0;
                // SAFETY: `count` is a valid place for the integer.
                assert_eq!(unsafe { hip.hipGetDeviceCount(&mut count) }, Ok(hipError_t::hipSuccess));
                assert_eq!(count, 2);
            });
        }
    });
    // SAFETY: the function is missing, so nothing is called.
    let missing = unsafe { hip.hipDeviceSynchronize() }.unwrap_err();
    assert!(missing.to_string().contains("the test's platform"), "{missing}");
}

#[test]
fn names_are_listed_once() {
    for symbols in [
        rocm_sys::hip::SYMBOLS,
        #[cfg(feature = "hiprtc")]
        rocm_sys::hiprtc::SYMBOLS,
        #[cfg(feature = "rocblas")]
        rocm_sys::rocblas::SYMBOLS,
        #[cfg(feature = "miopen")]
        rocm_sys::miopen::SYMBOLS,
    ] {
        assert!(!symbols.is_empty());
        assert!(symbols.windows(2).all(|pair| pair[0] < pair[1]));
    }
    assert!(rocm_sys::hip::SYMBOLS.contains(&"hipModuleLaunchKernel"));
}
