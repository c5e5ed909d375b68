//! All environment variables of this project's crates, for its documentation and for messages.

/// An environment variable. Texts are Markdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// The values that it takes.
    pub takes: &'static str,
    /// What counts if it is not set.
    pub default: &'static str,
    /// What it does.
    pub effect: &'static str,
}

/// Shorthand for the rows below.
const fn row(
    name: &'static str,
    takes: &'static str,
    default: &'static str,
    effect: &'static str,
) -> Variable {
    Variable { name, takes, default, effect }
}

/// All variables that the crates of this project read, by subject. The book's chapter on them is generated from this table.
pub const TABLE: &[(&str, &[Variable])] = &[
    (
        "The device",
        &[
            row(
                "CANDLE_ROCM_PLATFORM",
                "`auto`, `amd`, `host`, `gfx`, `nvidia`",
                "`auto`, the same as `amd`",
                "Whose HIP to use: that of AMD's cards, of the CPU, of the interpreter of AMD machine code, or the adapter for NVIDIA cards.",
            ),
            row("ROCM_PATH", "folder", "the usual places", "Root of the ROCm installation to search first."),
            row("HIP_PATH", "folder", "the usual places", "The same; `ROCM_PATH` comes before it."),
            row(
                "CANDLE_ROCM_AS_CUDA",
                "`on`, `devices`, `off`",
                "`on`",
                "What CUDA's names give in candle programs built without CUDA: a ROCm device for which `is_cuda()` is true, one for which it is false, or what stock candle gives.",
            ),
            row(
                "CANDLE_ROCM_NO_FALLBACK",
                "switch",
                "`off`",
                "With `on`, operations without a ROCm implementation are errors instead of running on the CPU.",
            ),
            row(
                "CANDLE_ROCM_TIMEOUT",
                "seconds, or `off`",
                "`off`",
                "How long a call may wait for a device before the device counts as lost.",
            ),
        ],
    ),
    (
        "Speed and memory",
        &[
            row(
                "CANDLE_ROCM_FUSION",
                "switch",
                "`on`",
                "Whether operations are recorded, to be joined where one launch can do the work of several. With `off`, each is on the stream when its call returns.",
            ),
            row(
                "CANDLE_ROCM_TUNING",
                "`off`, `stored`, `on`",
                "`stored`",
                "Whether kernels and libraries are chosen by what was measured on the card. `on` also measures what is not known yet.",
            ),
            row(
                "CANDLE_ROCM_MATRIX_CORES",
                "switch",
                "`on`, where the card has them",
                "Whether candle-rocm's own kernels use matrix cores.",
            ),
            row(
                "CANDLE_ROCM_POOL",
                "switch",
                "`on`",
                "Whether freed memory is kept for reuse. With `off`, each buffer is an allocation of the device's, for memory checkers.",
            ),
            row(
                "CANDLE_ROCM_POOL_CAP",
                "bytes",
                "a quarter of the device's memory",
                "How much unused memory a device's pool may keep.",
            ),
            row(
                "CANDLE_ROCM_SYSTEM_MEMORY",
                "bytes",
                "what is available, but for a sixteenth of all",
                "How much of the machine's memory an integrated GPU's pools may take when `hipMalloc` has no more; with `0`, they take none.",
            ),
            row(
                "CANDLE_ROCM_CACHE_DIR",
                "folder",
                "`$XDG_CACHE_HOME/candle-rocm`, else `~/.cache/candle-rocm`; `%LOCALAPPDATA%\\candle-rocm` on Windows",
                "Where kernels compiled at run time and choices by measurement are kept.",
            ),
            row(
                "ROCBLAS_TENSILE_LIBPATH",
                "folder",
                "beside rocBLAS",
                "rocBLAS's kernels. Without any for the card, products use candle-rocm's own kernels.",
            ),
        ],
    ),
    (
        "Looking inside",
        &[row(
            "CANDLE_ROCM_TRACE",
            "file; `%p` in it stands for the process id",
            "no trace",
            "A trace of operations, kernels and copies, which [Perfetto](https://ui.perfetto.dev) opens.",
        )],
    ),
    (
        "Several cards",
        &[
            row(
                "CANDLE_ROCM_COLLECTIVE_TIMEOUT",
                "seconds",
                "600",
                "How long ranks wait for each other. The launchers' variables, such as `RANK` and `MASTER_ADDR`, are those of [rocm-rccl](https://docs.rs/rocm-rccl).",
            ),
            row(
                "CANDLE_ROCM_RENDEZVOUS_BIND",
                "address",
                "`MASTER_ADDR`",
                "The address that rank 0 listens at.",
            ),
        ],
    ),
    (
        "Building candle programs",
        &[row(
            "CANDLE_ROCM_CRATES",
            "folder",
            "cargo's cache",
            "Where candle's stock crates are, for builds without network access.",
        )],
    ),
    (
        "Platforms without an AMD card",
        &[
            row(
                "CANDLE_ROCM_HOST_LIBRARY",
                "file",
                "linked in (feature `host`)",
                "The library of the host platform.",
            ),
            row(
                "CANDLE_ROCM_GFX_LIBRARY",
                "file",
                "linked in (feature `gfx`)",
                "The library of the gfx platform.",
            ),
            row(
                "CANDLE_ROCM_NVIDIA_LIBRARY",
                "file",
                "linked in (feature `nvidia`)",
                "The library of the nvidia platform.",
            ),
            row(
                "CANDLE_ROCM_CUDA_PATH",
                "files and folders, separated as in `PATH`",
                "the usual places",
                "Where the nvidia platform looks for CUDA's libraries first.",
            ),
        ],
    ),
    (
        "The host platform",
        &[
            row(
                "CANDLE_ROCM_HOST_DEVICES",
                "wavefront sizes, such as `64` or `32,64,64`; `none`",
                "`32,64`",
                "The devices.",
            ),
            row(
                "CANDLE_ROCM_HOST_MEMORY",
                "bytes",
                "8 GiB",
                "The memory of each device; beyond it, `hipErrorOutOfMemory`.",
            ),
            row(
                "CANDLE_ROCM_HOST_INTEGRATED",
                "switch",
                "`off`",
                "With `on`, the devices are integrated GPUs, for which `CANDLE_ROCM_HOST_MEMORY` is what the firmware reserves.",
            ),
            row(
                "CANDLE_ROCM_HOST_CXX",
                "program",
                "the newest clang++, then g++, that is new enough, else `c++`",
                "The C++ compiler for kernels.",
            ),
            row(
                "CANDLE_ROCM_HOST_SANITIZE",
                "`address`, `thread`, `schedule`",
                "none",
                "The checker that kernels run under.",
            ),
            row(
                "CANDLE_ROCM_HOST_SEED",
                "number",
                "random, printed to stderr",
                "The seed of the checker `schedule`, to repeat a run.",
            ),
            row(
                "CANDLE_ROCM_HOST_ROCBLAS",
                "switch",
                "`on`",
                "With `off`, rocBLAS fails, as if it had no kernels for the card.",
            ),
            row(
                "CANDLE_ROCM_HOST_MIOPEN",
                "switch",
                "`on`",
                "With `off`, MIOpen fails, as if it were not installed.",
            ),
            row(
                "CANDLE_ROCM_HOST_RUNTIME_ONLY",
                "switch",
                "`off`",
                "With `on`, there is no rocBLAS and no MIOpen, as where the HIP runtime is installed alone. On the gfx platform, there is no \
                 hiprtc either.",
            ),
            row(
                "CANDLE_ROCM_HOST_LAUNCH_LOG",
                "file",
                "no log",
                "A log of each launched kernel and its wavefront size.",
            ),
        ],
    ),
    (
        "The gfx platform",
        &[
            row(
                "CANDLE_ROCM_GFX_DEVICES",
                "processors, such as `gfx1201`",
                "`gfx1100,gfx942`",
                "The devices.",
            ),
            row(
                "CANDLE_ROCM_GFX_UNITS",
                "number",
                "the product's",
                "How many multiprocessors the devices say they have.",
            ),
            row(
                "CANDLE_ROCM_GFX_GENERIC",
                "switch",
                "`off`",
                "With `on`, devices take code of their generic targets only.",
            ),
            row(
                "CANDLE_ROCM_GFX_HIPRTC",
                "program",
                "clang",
                "Compiles kernels at run time. It is called with source, headers, object and options.",
            ),
            row(
                "CANDLE_ROCM_GFX_COMGR",
                "program",
                "none",
                "Performs the actions of comgr, which compiles kernels then: there is no hiprtc. It is called with an action at its standard \
                 input, and with `--version`.",
            ),
            row(
                "CANDLE_ROCM_GFX_COVERAGE",
                "folder",
                "none",
                "Gets a file for each process with what it executed.",
            ),
        ],
    ),
];
