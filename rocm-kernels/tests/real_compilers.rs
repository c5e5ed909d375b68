//! Every module's embedded source, and a user's own, through a real hiprtc and comgr: needs HIP's runtime library, but no GPU.

use std::io::Write as _;
use std::process::Command;
use std::time::Instant;

use rocm_hip::{CompileError, Compiler, Program};
use rocm_kernels::{
    ALL, CAT, COLUMNS, GEMM_MATRIX, HEADERS, MOE, Module, QUANTIZED, QUANTIZED_MAT_MAT, RANDOM, SCAN, SORT,
    TRANSPOSE, TRANSPOSED, default_target,
};
use rocm_sys::Search;
use rocm_sys::comgr::Comgr;
use rocm_sys::hip::Hip;
use rocm_sys::hiprtc::Hiprtc;

/// hiprtc and its runtime's version; `None`, with a message, without HIP.
fn hiprtc() -> Option<(Hiprtc, i32)> {
    match open() {
        Ok(found) => Some(found),
        Err(reason) => {
            assert!(
                std::env::var_os("CANDLE_ROCM_TEST_STRICT").is_none_or(|v| v != "1"),
                "no hiprtc: {reason}"
            );
            // Bypasses the capture of passing tests' output.
            let _ = writeln!(std::io::stderr(), "SKIPPED: kernels through the real hiprtc: {reason}");
            None
        }
    }
}

/// hiprtc, comgr beside it, and their runtime's version.
fn compilers() -> Option<([Box<dyn Compiler>; 2], i32)> {
    let (hiprtc, version) = hiprtc()?;
    let comgr = Comgr::open(&Search::from_env().beside(hiprtc.library())).expect("HIP's runtime needs it");
    Some(([Box::new(hiprtc), Box::new(comgr)], version))
}

fn open() -> Result<(Hiprtc, i32), String> {
    let search = Search::from_env();
    let hip = Hip::open(&search).map_err(|error| error.to_string())?;
    let hiprtc = Hiprtc::open(&search).map_err(|error| error.to_string())?;
    let mut version = 0;
    // SAFETY: the call writes one integer, which lives.
    let status = unsafe { hip.hipRuntimeGetVersion(&mut version) }.map_err(|error| error.to_string())?;
    if status.0 != 0 {
        return Err(format!("hipRuntimeGetVersion gives {}", status.0));
    }
    Ok((hiprtc, version))
}

/// As in Debian 12: slow.
fn is_old(version: i32) -> bool {
    version < 50_500_000
}

/// Processors of both wavefronts that the runtime's compiler knows; ROCm 5.2 aborts the process for gfx1100.
fn archs(version: i32) -> &'static [&'static str] {
    if is_old(version) { &["gfx1030", "gfx90a"] } else { &["gfx1030", "gfx90a", "gfx1100"] }
}

/// What an old hiprtc compiles in seconds. The others have instances of templates for all dtypes and formats; they are compiled if
/// `CANDLE_ROCM_TEST_HIPRTC` is `all`, as in a job of the workflow. CI runs the machine code that the newest hiprtc makes of every module.
const SHORT: &[&Module] = &[
    &CAT,
    &COLUMNS,
    &GEMM_MATRIX,
    &MOE,
    &QUANTIZED,
    &QUANTIZED_MAT_MAT,
    &RANDOM,
    &SCAN,
    &SORT,
    &TRANSPOSE,
    &TRANSPOSED,
];

fn is_chosen(module: &Module) -> bool {
    let all = std::env::var("CANDLE_ROCM_TEST_HIPRTC").is_ok_and(|value| value == "all");
    all || SHORT.iter().any(|short| short.name == module.name)
}

/// Each module is compiled for one of the processors, in turn. hiprtc compiles one program at a time per process, so each
/// processor has a process of its own.
#[test]
fn every_module_compiles() {
    let Some((hiprtc, version)) = hiprtc() else { return };
    let archs = archs(version);
    if let Some(share) = std::env::var(SHARE).ok().and_then(|share| share.parse().ok()) {
        return compile_share(&hiprtc, version, archs, share);
    }
    let this = std::env::current_exe().expect("this program's path");
    let process = |share: usize| {
        let mut process = Command::new(&this);
        process.args(["--exact", "every_module_compiles", "--nocapture"]).env(SHARE, share.to_string());
        process.spawn().expect("this program starts again")
    };
    let processes: Vec<_> = (0..archs.len()).map(process).collect();
    for (mut process, arch) in processes.into_iter().zip(archs) {
        assert!(process.wait().expect("it ends").success(), "{arch}");
    }
}

/// Tells a process which share of the modules to compile.
const SHARE: &str = "CANDLE_ROCM_TEST_SHARE";

/// Modules are assigned to processors in turn, except those for matrix cores, which are empty on other processors.
fn share_of(index: usize, module: &Module, archs: &[&str]) -> usize {
    let on_matrix_cores = module.headers().iter().any(|(name, _)| *name == "common/matrix.h");
    let with_matrix_cores =
        archs.iter().position(|&arch| arch == "gfx90a").expect("one of those compiled for");
    if on_matrix_cores { with_matrix_cores } else { index % archs.len() }
}

fn compile_share(hiprtc: &Hiprtc, version: i32, archs: &[&str], share: usize) {
    let target = default_target(archs[share]).with_runtime_version(version);
    for (index, module) in ALL.iter().enumerate() {
        if share_of(index, module, archs) != share {
            continue;
        }
        if !is_chosen(module) {
            println!("{} for {}: left out", module.name, target.arch);
            continue;
        }
        let began = Instant::now();
        let code = rocm_hip::compile(&module.program(&module.headers()), &target, hiprtc)
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(descriptors(&code) > 0, "{} for {} holds no kernel", module.name, target.arch);
        let seconds = began.elapsed().as_secs_f32();
        println!("{} for {}: {seconds:.1} s, {} bytes", module.name, target.arch, code.len());
    }
}

/// The number of kernels in the code object: each has a descriptor, whose name has this suffix.
fn descriptors(code: &[u8]) -> usize {
    code.windows(4).filter(|window| window == b".kd\0").count()
}

/// For wavefronts of 32 and 64, with headers of ours, device libraries and matrix cores.
#[test]
fn modules_by_comgr() {
    let Some(([_, comgr], version)) = compilers() else { return };
    for (module, arch) in [(&CAT, "gfx1030"), (&RANDOM, "gfx90a"), (&GEMM_MATRIX, "gfx90a")] {
        let target = default_target(arch).with_runtime_version(version);
        let code = rocm_hip::compile(&module.program(&module.headers()), &target, &*comgr)
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(descriptors(&code) > 0, "{} for {arch} holds no kernel", module.name);
        assert!(!rocm_hip::kernel_parameters(&code).is_empty(), "{} for {arch}", module.name);
    }
}

#[test]
fn a_users_kernel_compiles_with_our_headers() {
    let Some((compilers, version)) = compilers() else { return };
    let target = default_target("gfx90a").with_runtime_version(version);
    let source = "#include \"common/platform.h\"\n#if WAVE != 64 || TIMES != 3\n#error wrong options\n#endif\n\
                  KERNEL triple(size_t n, f32 *x) { if (thread_x() < n) x[thread_x()] *= TIMES; }\n";
    let program = Program { name: "mine", source, headers: HEADERS, options: &["-DTIMES=3"] };
    for compiler in compilers {
        let code = rocm_hip::compile(&program, &target, &*compiler)
            .unwrap_or_else(|error| panic!("{}: {error}", compiler.describe()));
        assert!(code.windows(10).any(|window| window == b"triple.kd\0"));
        assert_eq!(rocm_hip::kernel_parameters(&code)["triple"], [8, 8]);
    }
}

/// Without a header: HIP's words are there.
#[test]
fn the_words_of_hip() {
    const SOURCE: &str = r#"
        extern "C" __global__ __launch_bounds__(256) void words(size_t n, const float *x, float *sum, unsigned *count) {
            __shared__ float partial[256];
            const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
            partial[threadIdx.x] = i < n ? expf(x[i]) + fmaxf(x[i], 0.f) : 0.f;
            __syncthreads();
            for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
                if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
                __syncthreads();
            }
            if (threadIdx.x == 0) atomicAdd(sum, partial[0]);
            if (__shfl_xor(threadIdx.x, 1) == threadIdx.x + 1) atomicAdd(count, 1u);
            __threadfence();
        }"#;
    let Some((compilers, version)) = compilers() else { return };
    for arch in ["gfx1030", "gfx90a"] {
        let target = default_target(arch).with_runtime_version(version);
        for compiler in &compilers {
            let code = rocm_hip::compile(&Program::new("words", SOURCE), &target, &**compiler)
                .unwrap_or_else(|error| panic!("{}: {error}", compiler.describe()));
            let kernels = rocm_hip::kernel_metadata(&code).expect("well-formed");
            assert_eq!((kernels.len(), kernels[0].lds), (1, 1024), "{}", compiler.describe());
        }
    }
}

#[test]
fn the_log_is_in_the_error() {
    let Some((compilers, version)) = compilers() else { return };
    let target = default_target("gfx1030").with_runtime_version(version);
    for compiler in compilers {
        let compile = |source| rocm_hip::compile(&Program::new("mine", source), &target, &*compiler);
        let error =
            compile("extern \"C\" __global__ void broken() { not_declared(); }").expect_err("refused");
        let CompileError::Rejected { name, arch, log, status, .. } = &error else { panic!("{error}") };
        assert_eq!((name.as_str(), arch.as_str()), ("mine", "gfx1030"));
        assert!(status.contains("COMPILATION") || status.starts_with("comgr: "), "{status}");
        assert!(log.contains("undeclared identifier 'not_declared'"), "{log}");
        // Where the mistake is; hiprtc does not always keep the name.
        assert!(log.contains("mine.hip:1:") || status.contains("COMPILATION"), "{log}");
        assert!(error.to_string().contains(log.as_str()));
        let error = compile("one\0two").expect_err("refused");
        assert!(matches!(error, CompileError::NulByte { .. }), "{error}");
    }
}

/// What one compiled, the other is not taken to have compiled.
#[test]
fn compilers_have_entries_of_their_own_in_the_cache() {
    let Some(([hiprtc, comgr], _)) = compilers() else { return };
    let identities = [hiprtc, comgr].map(|compiler| compiler.identity().expect("its version"));
    assert_ne!(identities[0], identities[1]);
    assert!(identities[1].starts_with("comgr "), "{}", identities[1]);
}
