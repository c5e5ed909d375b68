//! What is compiled.

/// A HIP source, with the headers and options for its compilation. The [default options](super::default_options) are added.
///
/// ```
/// use rocm_hip::Program;
/// let source = r#"#include "size.h"
///     extern "C" __global__ void fill(float* x) { x[threadIdx.x] = SIZE * SCALE; }"#;
/// let program =
///     Program { headers: &[("size.h", "#define SIZE 64")], options: &["-DSCALE=2"], ..Program::new("fill", source) };
/// # assert_eq!(program.name, "fill");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Program<'a> {
    /// The name, for messages.
    pub name: &'a str,
    /// The source's text.
    pub source: &'a str,
    /// Headers that the source can `#include`: pairs of name and text.
    pub headers: &'a [(&'a str, &'a str)],
    /// Compiler options. They follow the default ones and can override them.
    pub options: &'a [&'a str],
}

impl<'a> Program<'a> {
    /// A program without headers and options.
    pub fn new(name: &'a str, source: &'a str) -> Self {
        Self { name, source, ..Self::default() }
    }
}
