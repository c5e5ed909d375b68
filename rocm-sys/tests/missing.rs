//! Missing libraries and functions are typed errors that list what was tried, never panics. `windows.rs` has Windows' part.
#![cfg(not(windows))]

mod common;

use std::ffi::c_void;
use std::fs;
use std::ptr;

use rocm_sys::hip::{Hip, hipError_t};
use rocm_sys::{Library, LibraryKind, MissingSymbol, Search};

#[cfg(not(feature = "link"))]
const ALL: [LibraryKind; 6] = [
    LibraryKind::Hip,
    LibraryKind::Hiprtc,
    LibraryKind::Comgr,
    LibraryKind::Rocblas,
    LibraryKind::Miopen,
    LibraryKind::Rccl,
];

#[test]
#[cfg(not(feature = "link"))]
fn a_missing_library_error_lists_every_attempt() {
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
        assert_eq!(text.contains("gfx1103 and gfx1150 to gfx1153"), kind == LibraryKind::Rccl, "{text}");
    }
}

#[test]
fn an_older_version_is_reported() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("lib")).unwrap();
    fs::write(root.path().join("lib/libamdhip64.so.4"), "").unwrap();
    let error = Library::open(LibraryKind::Hip, &Search::at(root.path())).unwrap_err();
    assert_eq!(error.unsupported, [root.path().join("lib/libamdhip64.so.4")]);
    let expected = "libamdhip64.so.4, which is older than what this release supports \
                    (libamdhip64.so.5 to libamdhip64.so.7)";
    assert!(error.to_string().contains(expected), "{error}");
    assert!(error.to_string().ends_with("set ROCM_PATH to the folder of an installation"), "{error}");
}

#[test]
fn a_newer_version_is_reported_as_too_new() {
    for (kind, file, supported) in [
        (LibraryKind::Hip, "libamdhip64.so.8", "libamdhip64.so.5 to libamdhip64.so.7"),
        (LibraryKind::Hiprtc, "libhiprtc.so.8", "libhiprtc.so.5 to libhiprtc.so.7"),
        (LibraryKind::Comgr, "libamd_comgr.so.4", "libamd_comgr.so.2 to libamd_comgr.so.3"),
        (LibraryKind::Rocblas, "librocblas.so.6", "librocblas.so.0 to librocblas.so.5"),
        (LibraryKind::Miopen, "libMIOpen.so.2", "libMIOpen.so.1"),
        (LibraryKind::Rccl, "librccl.so.2", "librccl.so.1"),
    ] {
        let root = tempfile::tempdir().unwrap();
        let lib = root.path().join("lib");
        fs::create_dir(&lib).unwrap();
        // A development package's unversioned link does not make it supported.
        let real = lib.join(format!("{file}.0.1"));
        if common::shared_library(&real, "int hipGetDeviceCount(int *n) { return 0; }", &[]).is_none() {
            return;
        }
        let plain = file.rsplit_once('.').unwrap().0;
        for link in [file, plain] {
            std::os::unix::fs::symlink(&real, lib.join(link)).unwrap();
        }
        let error = Library::open(kind, &Search::at(root.path())).unwrap_err();
        assert!(error.found_newer());
        let text = error.to_string();
        let found = format!(
            "found {}, which is newer than what this release supports ({supported})",
            lib.join(file).display()
        );
        assert!(text.contains(&found), "`{found}` is not in:\n{text}");
        assert!(text.contains(&format!("{}: newer than", lib.join(plain).display())), "{text}");
        assert!(
            text.contains("update candle-rocm, or install ROCm 10 as well and set ROCM_PATH to its folder")
        );
    }
}

/// A library truncated at any length is rejected before it is mapped, since using it would raise SIGBUS.
#[test]
fn a_truncated_library_is_rejected() {
    let root = tempfile::tempdir().unwrap();
    let whole = root.path().join("whole.so");
    let source = "static char data[100000] = {1}; int hipGetDeviceCount(int *n) { return data[*n]; }";
    if common::shared_library(&whole, source, &[]).is_none() {
        return;
    }
    let bytes = fs::read(&whole).unwrap();
    let file = root.path().join("libamdhip64.so.7");
    let lengths = [0, 1, 3, 4, 17, 63, 64, 65, 100, 500, 4095, 4096, 8191, bytes.len() / 2, bytes.len() - 1];
    for length in lengths {
        fs::write(&file, &bytes[..length]).unwrap();
        let error = Library::open(LibraryKind::Hip, &Search::at(&file)).unwrap_err();
        let reason = &error.attempts[0].reason;
        let expected = if length < 4 { "not an ELF file" } else { "truncated" };
        assert!(reason.contains(expected), "{length}: {reason}");
    }
    fs::write(&file, &bytes).unwrap();
    Library::open(LibraryKind::Hip, &Search::at(&file)).unwrap();
}

/// Headers whose offsets or counts have all bits set.
#[test]
fn damaged_headers_are_rejected() {
    let root = tempfile::tempdir().unwrap();
    let whole = root.path().join("whole.so");
    if common::shared_library(&whole, "int hipGetDeviceCount(int *n) { return 0; }", &[]).is_none() {
        return;
    }
    let bytes = fs::read(&whole).unwrap();
    let file = root.path().join("libamdhip64.so.7");
    // e_phoff, e_shoff, e_phnum, e_shnum, and p_offset and p_filesz of the first segment.
    for field in [32..40, 40..48, 56..58, 60..62, 72..80, 96..104] {
        let mut damaged = bytes.clone();
        damaged[field.clone()].fill(0xff);
        fs::write(&file, &damaged).unwrap();
        let error = Library::open(LibraryKind::Hip, &Search::at(&file)).unwrap_err();
        assert!(error.attempts[0].reason.contains("truncated"), "{field:?}: {error}");
    }
}

#[test]
fn a_fifo_is_rejected_without_blocking() {
    let root = tempfile::tempdir().unwrap();
    let fifo = root.path().join("libamdhip64.so.7");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    if !made.is_ok_and(|status| status.success()) {
        return common::skip("a FIFO", "there is no mkfifo");
    }
    let error = Library::open(LibraryKind::Hip, &Search::at(&fifo)).unwrap_err();
    assert_eq!(error.attempts[0].reason, "not a regular file");
}

#[test]
#[cfg(not(feature = "link"))]
fn files_in_the_loader_path_are_checked() {
    let root = tempfile::tempdir().unwrap();
    let name = "files_in_the_loader_path_are_checked";
    if std::env::var_os("MISSING_CHILD").is_none() {
        let whole = root.path().join("libMIOpen.so.1");
        if common::shared_library(&whole, "int miopenCreate(void) { return 0; }", &[]).is_none() {
            return;
        }
        let bytes = fs::read(&whole).unwrap();
        fs::write(&whole, &bytes[..bytes.len() / 2]).unwrap();
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env("MISSING_CHILD", "1")
            .env("LD_LIBRARY_PATH", root.path())
            .output()
            .unwrap();
        assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
        return;
    }
    let search = Search { loader: true, ..Search::default() };
    // The machine may have a usable one under another name.
    if let Err(error) = Library::open(LibraryKind::Miopen, &search) {
        assert!(error.attempts[0].reason.contains("truncated"), "{error}");
    }
}

#[test]
fn the_loader_message_is_kept() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("libamdhip64.so");
    fs::write(&file, "this is not ELF, but it is long enough to be read as a header: ........").unwrap();
    let error = Library::open(LibraryKind::Hip, &Search::at(&file)).unwrap_err();
    assert_eq!(error.attempts.len(), 1);
    assert_eq!(error.attempts[0].path, file);
    assert!(error.attempts[0].reason.contains("ELF"), "{}", error.attempts[0].reason);

    let error = Library::open(LibraryKind::Hip, &Search::at(root.path().join("gone.so"))).unwrap_err();
    // Another installation would not be looked at.
    let text = error.to_string();
    assert!(text.contains("correct it, or leave it out") && !text.contains("install ROCm"), "{text}");
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
fn a_different_library_at_an_explicit_path_is_missing_every_function() {
    // Every process on Linux has the C library loaded.
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
fn a_library_without_some_functions_is_usable() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("libamdhip64.so.6");
    let source = "int hipGetDeviceCount(int *n) { *n = 3; return 0; }";
    if common::shared_library(&file, source, &[]).is_none() {
        return;
    }
    let hip = Hip::open(&Search::at(root.path())).unwrap();
    assert_eq!(fs::canonicalize(hip.library().path()).unwrap(), fs::canonicalize(&file).unwrap());
    let mut count = 0;
    // SAFETY: `count` is valid for the write.
    assert_eq!(unsafe { hip.hipGetDeviceCount(&mut count) }, Ok(hipError_t::hipSuccess));
    assert_eq!(count, 3);
    // SAFETY: the function is missing, so nothing is called.
    let missing = unsafe { hip.hipFree(ptr::null_mut()) }.unwrap_err();
    let MissingSymbol { symbol, path, .. } = missing;
    assert_eq!((symbol, path.file_name()), ("hipFree", file.file_name()));
}

#[test]
#[cfg(not(feature = "link"))]
fn a_different_library_of_the_same_name_is_skipped() {
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
    assert!(
        error.to_string().contains("has no `hipGetDeviceCount`, so it is not the HIP runtime"),
        "{error}"
    );
}

#[test]
#[cfg(not(feature = "link"))]
fn beside_prefers_the_same_installation() {
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
    // SAFETY: callers of hipGetDeviceCount pass a valid pointer.
    unsafe { *count = 2 };
    hipError_t::hipSuccess
}

fn resolver(name: &str) -> Option<*const c_void> {
    let count: rocm_sys::hip::signature::hipGetDeviceCount = two_devices;
    (name == "hipGetDeviceCount").then_some(count as *const c_void)
}

#[test]
fn a_resolver_provides_functions_by_name() {
    let hip = Hip::from_resolver("the test's platform", resolver);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut count = 0;
                // SAFETY: `count` is valid for the write.
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
fn symbols_are_sorted_and_unique() {
    for symbols in [
        rocm_sys::hip::SYMBOLS,
        #[cfg(feature = "hiprtc")]
        rocm_sys::hiprtc::SYMBOLS,
        #[cfg(feature = "rocblas")]
        rocm_sys::rocblas::SYMBOLS,
        #[cfg(feature = "miopen")]
        rocm_sys::miopen::SYMBOLS,
        #[cfg(feature = "rccl")]
        rocm_sys::rccl::SYMBOLS,
    ] {
        assert!(!symbols.is_empty());
        assert!(symbols.windows(2).all(|pair| pair[0] < pair[1]));
    }
    assert!(rocm_sys::hip::SYMBOLS.contains(&"hipModuleLaunchKernel"));
}

/// It exports one function, which knows the others.
#[test]
fn a_library_may_be_asked_for_its_functions() {
    let root = tempfile::tempdir().unwrap();
    let source = "static int count(int *n) { *n = 7; return 0; }\n\
                  const void *candleRocmSymbol(const char *name) {\n\
                  return __builtin_strcmp(name, \"hipGetDeviceCount\") ? 0 : (const void *)count; }";
    let Some(file) = common::shared_library(&root.path().join("asked.so"), source, &[]) else { return };
    let hip = Hip::new(Library::open(LibraryKind::Hip, &Search::at(&file)).unwrap());
    let mut count = 0;
    // SAFETY: the pointer is to a live integer.
    assert_eq!(unsafe { hip.hipGetDeviceCount(&mut count) }, Ok(hipError_t::hipSuccess));
    assert_eq!(count, 7);
    // SAFETY: it has no parameters.
    let missing: MissingSymbol = unsafe { hip.hipDeviceSynchronize() }.unwrap_err();
    assert_eq!(missing.symbol, "hipDeviceSynchronize");
}
