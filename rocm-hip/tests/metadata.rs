//! The metadata of real code objects.

use std::path::Path;
use std::process::{Command, Stdio};

use rocm_hip::{kernel_metadata, kernel_parameters};

/// Needs no header and no device library.
const SOURCE: &str = r#"
struct Point { float x, y, z; };
#define KERNEL extern "C" __attribute__((global)) void
KERNEL mixed(unsigned long n, float a, const float *x, unsigned char b, Point p, float *y) { y[n] = a * x[b] + p.z; }
KERNEL unused(int, double, float *) {}
KERNEL nothing() {}
"#;

/// The newest clang that compiles for AMD's processors; without one, the test is skipped with a message.
fn clang() -> Option<String> {
    let works = |program: &String| {
        let status =
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    let found = (19..30).rev().map(|version| format!("clang++-{version}")).find(works);
    if found.is_none() {
        let strict = std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|strict| strict == "1");
        assert!(!strict, "there is no clang++-19 or newer");
        eprintln!("SKIPPED: metadata of real code objects: there is no clang++-19 or newer");
    }
    found
}

fn compile(clang: &str, arch: &str, folder: &Path) -> Vec<u8> {
    let (source, object) = (folder.join("kernels.hip"), folder.join("kernels.hsaco"));
    std::fs::write(&source, SOURCE).unwrap();
    let output = Command::new(clang)
        .args(["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib", "-O2"])
        .arg(format!("--offload-arch={arch}"))
        .arg("-o")
        .args([&object, &source])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(object).unwrap()
}

#[test]
fn of_real_code_objects() {
    let Some(clang) = clang() else { return };
    let folder = tempfile::tempdir().unwrap();
    for (arch, wavefront) in [("gfx1100", 32), ("gfx942", 64), ("gfx906", 64), ("gfx12-generic", 32)] {
        let image = compile(&clang, arch, folder.path());
        let found = kernel_parameters(&image);
        assert_eq!(found.len(), 3, "{arch}");
        assert_eq!(found["mixed"], [8, 4, 8, 1, 12, 8], "{arch}");
        assert_eq!(found["unused"], [4, 8, 8], "{arch}");
        assert_eq!(found["nothing"], [0usize; 0], "{arch}");
        let kernels = kernel_metadata(&image).unwrap();
        let names: Vec<_> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["mixed", "nothing", "unused"]);
        assert!(
            kernels.iter().all(|kernel| kernel.wavefront == wavefront && kernel.code_bytes > 0),
            "{arch}"
        );
    }
}
