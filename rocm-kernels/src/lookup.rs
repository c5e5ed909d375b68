//! The search for a code object: built in, built in for the generic target, cached, compiled.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::Instant;

use rocm_hip::{Cache, CompileError, Compiler, Target, cached, compile_cached};

use crate::target::target_of_code;
use crate::{KernelError, Module, generic_target, prebuilt};

/// The code object of `module` for `target`, ready for `hipModuleLoadData`.
///
/// Searches in the order of the [crate documentation](crate). A compilation is announced by a line on stderr.
///
/// # Errors
/// [`KernelError::NoCodeObject`] if nothing is found and there is no compiler, or the compiler's error.
pub fn code_object(
    module: &Module,
    target: &Target,
    compiler: Option<&dyn Compiler>,
    cache: &Cache,
) -> Result<Vec<u8>, KernelError> {
    code_object_from(prebuilt::TABLE, module, target, compiler, cache)
}

fn code_object_from(
    table: &[prebuilt::Entry],
    module: &Module,
    target: &Target,
    compiler: Option<&dyn Compiler>,
    cache: &Cache,
) -> Result<Vec<u8>, KernelError> {
    if let Some(found) = prebuilt::find(table, target.processor(), module.name) {
        return found;
    }
    let generic = generic_target(target).filter(|_| target.loads_generic());
    if let Some(found) = generic.and_then(|generic| prebuilt::find(table, generic, module.name)) {
        return found;
    }

    let target = &target_of_code(target, module);
    let (name, source, headers) = (module.name, module.source, &module.headers());
    match compiler {
        Some(compiler) => {
            let announced = Announced { compiler, cache };
            Ok(compile_cached(name, source, headers, &[], target, &announced, cache)?)
        }
        None => cached(name, source, headers, &[], target, cache).ok_or_else(|| KernelError::NoCodeObject {
            module: module.name.to_owned(),
            arch: target.arch.clone(),
            built_in: built_in(table, module),
            reason: no_compiler(table, module, target),
        }),
    }
}

/// A compiler that says what it does.
struct Announced<'a> {
    compiler: &'a dyn Compiler,
    cache: &'a Cache,
}

impl Compiler for Announced<'_> {
    fn identity(&self) -> Result<String, CompileError> {
        self.compiler.identity()
    }

    fn compile(
        &self,
        name: &str,
        source: &str,
        headers: &[(&str, &str)],
        options: &[String],
        arch: &str,
    ) -> Result<Vec<u8>, CompileError> {
        let kept = match self.cache.folder() {
            Some(folder) => format!("once; cached in {}", folder.display()),
            None => "not cached".to_owned(),
        };
        let line = format!("candle-rocm: compiling kernels `{name}` for {arch} ({kept})…");
        // On a terminal, the line appears at once and is completed later; in a log, it is written as a whole, so that lines do not
        // mix. A closed stderr must not cause a failure.
        let live = stderr().is_terminal();
        if live {
            let _ = write!(stderr(), "{line}");
        }
        let start = Instant::now();
        let compiled = self.compiler.compile(name, source, headers, options, arch);
        let seconds = start.elapsed().as_secs_f32();
        let outcome = if compiled.is_ok() { format!("{seconds:.1} s") } else { "failed".to_owned() };
        let _ = writeln!(stderr(), "{} {outcome}", if live { "" } else { &line });
        compiled
    }
}

/// Why there is no compiler; mentions if a newer runtime would do without one.
fn no_compiler(table: &[prebuilt::Entry], module: &Module, target: &Target) -> String {
    let usable = |name: &str| table.iter().any(|(arch, built, _)| *arch == name && *built == module.name);
    match generic_target(target).filter(|generic| usable(generic)) {
        Some(generic) => format!("hiprtc was not found; ROCm 6.3 or newer could load {generic}"),
        None => "hiprtc was not found".to_owned(),
    }
}

fn built_in(table: &[prebuilt::Entry], module: &Module) -> Vec<String> {
    table.iter().filter(|(_, name, _)| *name == module.name).map(|(arch, ..)| (*arch).to_owned()).collect()
}

#[cfg(all(test, feature = "prebuilt"))]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::{AFFINE, CAST};

    /// "Compiles" to its own name and the arch, and counts.
    struct Fake {
        name: &'static str,
        calls: AtomicUsize,
    }

    impl Fake {
        fn new(name: &'static str) -> Self {
            Self { name, calls: AtomicUsize::new(0) }
        }

        fn calls(&self) -> usize {
            self.calls.load(Ordering::Relaxed)
        }
    }

    impl Compiler for Fake {
        fn identity(&self) -> Result<String, CompileError> {
            Ok(self.name.to_owned())
        }

        fn compile(
            &self,
            name: &str,
            _source: &str,
            _headers: &[(&str, &str)],
            options: &[String],
            arch: &str,
        ) -> Result<Vec<u8>, CompileError> {
            self.calls.fetch_add(1, Ordering::Relaxed);
            assert!(options.contains(&format!("--offload-arch={arch}")), "{options:?}");
            Ok(format!("{name} by {} for {arch}", self.name).into_bytes())
        }
    }

    fn packed(text: &str) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn text(found: Result<Vec<u8>, KernelError>) -> String {
        String::from_utf8(found.expect("found")).expect("text")
    }

    #[test]
    fn built_in_before_generic_before_cache_before_compiler() {
        let (exact, generic) = (packed("exact"), packed("generic"));
        let both: &[prebuilt::Entry] =
            &[("gfx1100", "affine", &exact), ("gfx11-generic", "affine", &generic)];
        let only_generic = &both[1..];
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::at(folder.path());
        let compiler = Fake::new("fake");
        let target = Target::new("gfx1100:feature-", 32).with_runtime_version(60_342_131);
        let old = target.clone().with_runtime_version(60_241_134);
        let unknown = Target::new("gfx1100", 32);
        let look = |table, target: &Target| code_object_from(table, &AFFINE, target, Some(&compiler), &cache);

        assert_eq!(text(look(both, &target)), "exact");
        assert_eq!(text(look(both, &old)), "exact");
        assert_eq!(text(look(only_generic, &target)), "generic");
        assert_eq!(compiler.calls(), 0);
        // Another processor, another module, a runtime too old, a runtime unknown: all compile, and once each.
        for _ in 0..2 {
            let other = Target::new("gfx1200", 32).with_runtime_version(60_342_131);
            assert_eq!(text(look(both, &other)), "affine by fake for gfx1200");
            assert_eq!(text(look(only_generic, &old)), "affine by fake for gfx1100:feature-");
            assert_eq!(text(look(only_generic, &unknown)), "affine by fake for gfx1100");
            let cast = code_object_from(both, &CAST, &target, Some(&compiler), &cache);
            assert_eq!(text(cast), "cast by fake for gfx1100:feature-");
            assert_eq!(compiler.calls(), 4);
        }
        // What is cached is used without a compiler too, but by another compiler never.
        let offline = code_object_from(&[], &AFFINE, &unknown, None, &cache);
        assert_eq!(text(offline), "affine by fake for gfx1100");
        let newer = Fake::new("newer");
        let again = code_object_from(&[], &AFFINE, &unknown, Some(&newer), &cache);
        assert_eq!(text(again), "affine by newer for gfx1100");
    }

    #[test]
    fn nothing_at_all_names_card_built_ins_and_remedy() {
        let exact = packed("exact");
        let table: &[prebuilt::Entry] =
            &[("gfx1100", "affine", &exact), ("gfx942", "affine", &exact), ("gfx90a", "cast", &exact)];
        let card = Target::new("gfx90a:sramecc+:xnack-", 64);
        let error =
            code_object_from(table, &AFFINE, &card, None, &Cache::disabled()).expect_err("nothing serves");
        assert_eq!(
            error.to_string(),
            "no code object of the kernels `affine` for gfx90a:sramecc+:xnack-: built in for gfx1100, gfx942; cannot compile \
             at run time (hiprtc was not found). Build it with `cargo xtask build-kernels --arch gfx90a` in candle-rocm's \
             source, or install hiprtc (libhiprtc.so, part of ROCm's HIP runtime)"
        );
        let error =
            code_object_from(&[], &AFFINE, &card, None, &Cache::disabled()).expect_err("nothing serves");
        assert!(error.to_string().contains("built in for none;"), "{error}");
    }

    #[test]
    fn corrupted_built_ins_are_reported() {
        let mut cut = packed(&"some code ".repeat(1000));
        cut.truncate(cut.len() / 2);
        let table: &[prebuilt::Entry] = &[("gfx1100", "affine", &cut), ("gfx1100", "cast", b"not zstd")];
        for module in [&AFFINE, &CAST] {
            let target = Target::new("gfx1100", 32);
            let error =
                code_object_from(table, module, &target, None, &Cache::disabled()).expect_err("damaged");
            assert!(matches!(error, KernelError::DamagedPrebuilt { .. }), "{error}");
            assert!(error.to_string().contains("cargo xtask build-kernels --arch gfx1100"), "{error}");
        }
    }
}
