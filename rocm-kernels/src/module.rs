//! A kernel module and the headers it includes.

use crate::{ALL, Program};

/// What limits how fast the kernels of a module can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Memory bandwidth. `cargo xtask build-kernels` rejects such a kernel if it spills registers or needs scratch memory, because it would
    /// move more than its operands.
    Memory,
    /// Arithmetic.
    Compute,
}

/// A kernel source file, compiled and loaded as one HIP module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Module {
    /// The file's name without extension, such as `affine`.
    pub name: &'static str,
    /// The family of operations it belongs to, such as `elementwise`. This is its folder in `hip/`, and the folder of its callers and tests
    /// in candle-rocm.
    pub family: &'static str,
    /// The file's text. Its `#include "..."` lines name entries of [`HEADERS`].
    pub source: &'static str,
    /// What limits how fast its kernels can run.
    pub bound: Bound,
    /// Tests of candle-rocm that launch all of its kernels: `program::module::test`, or `program::module`.
    #[doc(hidden)]
    pub tests: &'static [&'static str],
}

impl Module {
    /// The [`HEADERS`] and files of other modules that its source includes, directly or indirectly, sorted by name. Together with the
    /// source, they determine what is compiled.
    pub fn headers(&self) -> Vec<(&'static str, &'static str)> {
        let mut found = Vec::new();
        let mut texts = vec![self.source];
        while let Some(text) = texts.pop() {
            for header in text.lines().filter_map(included).filter_map(file) {
                if !found.contains(&header) {
                    found.push(header);
                    texts.push(header.1);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The module as a program to compile. `headers` must be [`Module::headers`].
    pub fn program<'a>(&'a self, headers: &'a [(&'a str, &'a str)]) -> Program<'a> {
        Program { headers, ..Program::new(self.name, self.source) }
    }

    /// Identifies its source and headers.
    pub(crate) fn digest(&self) -> String {
        let mut digest = blake3::Hasher::new();
        for (name, text) in self.headers().into_iter().chain([(self.name, self.source)]) {
            for part in [name, text] {
                digest.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
            }
        }
        digest.finalize().to_hex()[..16].to_owned()
    }

    /// Whether its code depends on the wavefront size. Only `common/wave.h` reads `WAVE`.
    pub fn uses_wave(&self) -> bool {
        self.headers().iter().any(|(name, _)| *name == "common/wave.h")
    }
}

/// The name in `#include "name"`.
fn included(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("#include \"")?.split('"').next()
}

/// The header or the module's file of that name, with its text.
fn file(name: &'static str) -> Option<(&'static str, &'static str)> {
    let header = HEADERS.iter().find(|(header, _)| *header == name).copied();
    let module = || {
        let (family, file) = name.strip_suffix(".hip")?.split_once('/')?;
        ALL.iter().find(|module| (module.family, module.name) == (family, file))
    };
    header.or_else(|| Some((name, module()?.source)))
}

/// The headers that sources can include, as (name, text), such as `common/platform.h`.
pub const HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/headers.rs"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AFFINE, FUSED, RANDOM, SORT};

    #[test]
    fn headers_are_those_that_are_included() {
        let names = |module: &Module| module.headers().iter().map(|(name, _)| *name).collect::<Vec<_>>();
        let affine = ["dtype.h", "elementwise.h", "index.h", "platform.h", "vec.h"];
        assert_eq!(names(&AFFINE), affine.map(|name| format!("common/{name}")));
        assert_eq!(
            names(&SORT),
            [
                "common/dtype.h",
                "common/platform.h",
                "common/vec.h",
                "common/wave.h",
                "reduce/load_keys.h",
                "reduce/sort_key.h",
                "reduce/sort_network.h",
                "reduce/sort_radix.h",
            ]
        );
        assert!(SORT.uses_wave() && !RANDOM.uses_wave());
    }

    #[test]
    fn every_include_names_a_header() {
        let modules = ALL.iter().copied().chain([&FUSED]);
        let sources = modules.map(|module| (module.name, module.source)).chain(HEADERS.iter().copied());
        for (of, text) in sources {
            for name in text.lines().filter_map(included) {
                assert!(file(name).is_some(), "{of} includes {name}");
            }
        }
    }
}
