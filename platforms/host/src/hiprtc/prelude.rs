//! The C++ that every kernel is compiled with, and the headers that kernels may include.

use std::fmt::Write;

use super::rewrite::{Kernel, Rewritten};

/// What is read before a kernel's source.
pub(crate) const TEXT: &str = concat!(
    include_str!("prelude/core.h"),
    include_str!("prelude/sync.h"),
    include_str!("prelude/atomic.h"),
    include_str!("prelude/math.h"),
    include_str!("prelude/vector.h"),
);

/// Headers of HIP and C that would bring in nothing but what the prelude has already.
pub(crate) const EMPTY_HEADERS: &[&str] = &[
    "hip/hip_runtime.h",
    "hip/hip_runtime_api.h",
    "hip/hip_vector_types.h",
    "hip/hip_math_constants.h",
    "math.h",
    "cmath",
    "assert.h",
    "cassert",
];

/// A rewritten source with everything that a module needs.
pub(crate) fn module(source: Rewritten, wave: u32) -> String {
    let mut text = source.text;
    if source.has_globals {
        text.push_str(PAGES);
    }
    text.push_str(&registration(&source.kernels, wave));
    text
}

/// Gives variables that all blocks share pages of their own: their section begins with a page, and so does what the
/// linker puts behind it.
const PAGES: &str = r#"
asm(".pushsection crh_device,\"aw\",@progbits\n.balign 4096\n.popsection\n"
    ".pushsection crh_device_end,\"aw\",@progbits\n.balign 4096\n.zero 64\n.popsection\n");
"#;

/// What is appended to a source: the table of its kernels.
pub(crate) fn registration(kernels: &[Kernel], wave: u32) -> String {
    let mut text = String::from("\n# 1 \"<kernels>\"\n");
    if !kernels.is_empty() {
        text.push_str("static constexpr __crh_kernel __crh_kernels[] = {\n");
        for Kernel { name, scope } in kernels {
            let _ = writeln!(
                text,
                "__crh_entry<decltype(&::{scope}{name})>::describe<&::{scope}{name}>(\"{name}\"),"
            );
        }
        text.push_str("};\n");
    }
    let table = if kernels.is_empty() { "nullptr" } else { "__crh_kernels" };
    // Objects with destructors refer to it. Modules with such objects are refused by name, not by what the linker misses.
    text.push_str("extern \"C\" __attribute__((visibility(\"hidden\"))) void* __dso_handle;\nvoid* __dso_handle = nullptr;\n");
    let _ = writeln!(
        text,
        "extern \"C\" __attribute__((visibility(\"default\"), used)) const __crh_module __crh_this_module = {{\
         {abi}, {wave}, {count}, sizeof(__crh_dynamic_shared), {table}, __crh_enter, __crh_begin_block, __crh_position, __crh_dynamic_shared}};",
        abi = crate::exec::abi::VERSION,
        count = kernels.len(),
    );
    text
}
