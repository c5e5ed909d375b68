//! The shared library: built with the C names exported, it serves as `libamdhip64.so`.

use rocm_sys::hip::{Hip, hipError_t, hipMemcpyKind};
use rocm_sys::{Library, LibraryKind, Search};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

/// Builds the library beside this test.
fn build() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        // With all packages in view, dependencies have the features that the tests were built with.
        .args(["build", "--example", "host_library", "--features", "candle-rocm-host/export", "--target-dir"])
        .arg(target)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("debug/examples/libhost_library.so")
}

#[test]
fn found_by_path_and_complete() {
    let library = Library::open(LibraryKind::Hip, &Search::at(build())).unwrap();
    for name in candle_rocm_host::symbols() {
        assert!(library.symbol(name).is_some(), "{name} is not exported");
    }
    let hip = Hip::new(library);
    // Another copy of the platform than the one in this test: devices, memory and streams of its own.
    let (mut count, mut memory, mut back) = (0, ptr::null_mut(), [0_u8; 4]);
    // SAFETY: the addresses are those of variables, or come from the calls before.
    unsafe {
        assert_eq!(hip.hipGetDeviceCount(&mut count).unwrap(), hipError_t::hipSuccess);
        assert_eq!(hip.hipMalloc(&mut memory, 4).unwrap(), hipError_t::hipSuccess);
        assert_eq!(hip.hipMemsetD8(memory, 7, 4).unwrap(), hipError_t::hipSuccess);
        let to = back.as_mut_ptr().cast();
        let kind = hipMemcpyKind::hipMemcpyDeviceToHost;
        assert_eq!(hip.hipMemcpy(to, memory, 4, kind).unwrap(), hipError_t::hipSuccess);
        assert_eq!(hip.hipFree(memory).unwrap(), hipError_t::hipSuccess);
    }
    assert_eq!((count, back), (2, [7; 4]));
}
