//! Kernels that were written for CUDA, compiled as HIP: the headers that they include, and the words that hiprtc lacks.

use crate::RocmDevice;
use crate::error::Result;
use crate::hip::Module;

/// What such a source may include, by name.
const HEADERS: &[(&str, &str)] = &[
    ("candle_rocm/cuda.h", CUDA),
    ("cuda.h", CUDA),
    ("cuda_runtime.h", CUDA),
    ("cuda_fp16.h", include_str!("cuda/cuda_fp16.h")),
    ("cuda_bf16.h", include_str!("cuda/cuda_bf16.h")),
    ("candle_rocm/half.h", include_str!("cuda/half.h")),
    ("stdint.h", include_str!("cuda/stdint.h")),
];

/// Included before the source.
const CUDA: &str = include_str!("cuda/cuda.h");

/// The module, with line numbers in messages that are those of the source.
pub(super) fn compile(device: &RocmDevice, name: &str, source: &str) -> Result<Module> {
    let headers = [rocm_kernels::HEADERS, HEADERS].concat();
    let source = format!("#include \"candle_rocm/cuda.h\"\n#line 1\n{source}");
    Ok(device.hip_device().compile_with(name, &source, &headers, &[])?)
}
