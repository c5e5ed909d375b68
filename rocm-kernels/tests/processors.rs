//! `common/matrix.h` and `common/platform.h` choose instructions by the compiler's macros, launchers by the table of processors.
//! Both must agree for every row.

use std::path::Path;
use std::process::Command;

use rocm_kernels::{MatrixCores, PROCESSORS, Processor};

/// What the headers chose, according to the preprocessor.
#[derive(Debug, PartialEq)]
struct Choice {
    matrix: MatrixCores,
    dot4: bool,
}

#[test]
fn headers_choose_what_the_table_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let probe = folder.path().join("probe.cpp");
    std::fs::write(&probe, "#include \"common/matrix.h\"\nprobe MATRIX_LAYOUT MATRIX_TYPES\n")
        .expect("a file");
    for processor in PROCESSORS {
        let expected = Choice { matrix: processor.matrix, dot4: processor.dot4 };
        assert_eq!(chosen(&probe, processor), expected, "{}", processor.name);
    }
}

fn chosen(probe: &Path, processor: &Processor) -> Choice {
    let hip = Path::new(env!("CARGO_MANIFEST_DIR")).join("hip");
    let output = Command::new("c++")
        .args(["-E", "-P", "-I"])
        .args([&hip, probe])
        .arg(format!("-DWAVE={}", processor.wavefront))
        .args(macros(processor.name).map(|name| format!("-D{name}=1")))
        .output()
        .expect("a C++ compiler is needed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("probe ")).expect("the probe's line");
    let matrix = match line.split(' ').collect::<Vec<_>>()[..] {
        [_, "0"] => MatrixCores::None,
        ["2", "2"] => MatrixCores::WmmaGfx11,
        ["3", "2"] => MatrixCores::WmmaGfx12,
        ["4", "1"] => MatrixCores::MfmaF16,
        ["4", "2"] => MatrixCores::Mfma,
        _ => panic!("{}: {line}", processor.name),
    };
    Choice {
        matrix,
        dot4: text.contains("__builtin_amdgcn_sudot4") || text.contains("__builtin_amdgcn_sdot4"),
    }
}

/// What a compiler for the processor defines: `__GFX11__` and `__gfx1100__`, `__GFX9__` and `__gfx9_4_generic__`.
fn macros(name: &str) -> [String; 2] {
    let digits = name.trim_start_matches("gfx");
    let major = match digits.split_once('-') {
        Some((major, _)) => major,
        None => &digits[..digits.len() - 2],
    };
    [format!("__GFX{major}__"), format!("__{}__", name.replace('-', "_"))]
}
