//! The search for a code object: built in, built in for the generic target, cached, compiled.

use std::iter;
use std::time::Instant;

use rocm_hip::{Cache, CompileError, Compiler, Program, Target, cached, compile_cached, is_cached};

use crate::messages::say;
use crate::target::target_of_code;
use crate::{KernelError, Module, generic_target, prebuilt};

/// Returns the code object of `module` for `target`, ready for `hipModuleLoadData`.
///
/// Searches in the order given in the [crate documentation](crate). Compilation is announced on stderr.
///
/// # Errors
/// [`KernelError::NoCodeObject`] if nothing is found and there is no compiler, or the compiler's error.
pub fn code_object(
    module: &Module,
    target: &Target,
    compiler: Option<&dyn Compiler>,
    cache: &Cache,
) -> Result<Vec<u8>, KernelError> {
    let announced = compiler.map(|compiler| Announced { compiler, cache });
    let compiler = announced.as_ref().map(|announced| announced as &dyn Compiler);
    code_object_from(prebuilt::table(), module, target, compiler, cache)
}

/// What may be built in for a card, the best first: its processor, and the generic target if its runtime loads that.
fn loadable(target: &Target) -> impl Iterator<Item = &str> {
    let generic = generic_target(target).filter(|_| target.loads_generic());
    iter::once(target.processor()).chain(generic)
}

/// Whether the code object of `module` for `target` is built in.
pub fn is_built_in(module: &Module, target: &Target) -> bool {
    is_built_in_from(prebuilt::table(), module, target)
}

fn is_built_in_from(table: &prebuilt::Table<'_>, module: &Module, target: &Target) -> bool {
    prebuilt::archs_of(table, module).any(|arch| loadable(target).any(|loadable| loadable == arch))
}

/// Whether [`code_object`] can return without compiling.
///
/// # Errors
/// [`CompileError::Compiler`] if the compiler cannot report its version.
pub fn is_ready(
    module: &Module,
    target: &Target,
    compiler: &dyn Compiler,
    cache: &Cache,
) -> Result<bool, CompileError> {
    is_ready_from(prebuilt::table(), module, target, compiler, cache)
}

pub(crate) fn is_ready_from(
    table: &prebuilt::Table<'_>,
    module: &Module,
    target: &Target,
    compiler: &dyn Compiler,
    cache: &Cache,
) -> Result<bool, CompileError> {
    if is_built_in_from(table, module, target) {
        return Ok(true);
    }
    let target = &target_of_code(target, module);
    is_cached(&module.program(&module.headers()), target, compiler, cache)
}

pub(crate) fn code_object_from(
    table: &prebuilt::Table<'_>,
    module: &Module,
    target: &Target,
    compiler: Option<&dyn Compiler>,
    cache: &Cache,
) -> Result<Vec<u8>, KernelError> {
    if let Some(found) = loadable(target).find_map(|arch| prebuilt::find(table, arch, module)) {
        return found;
    }
    let target = &target_of_code(target, module);
    let headers = module.headers();
    let program = module.program(&headers);
    match compiler {
        Some(compiler) => Ok(compile_cached(&program, target, compiler, cache)?),
        None => cached(&program, target, cache).ok_or_else(|| KernelError::NoCodeObject {
            module: module.name.to_owned(),
            arch: target.arch.clone(),
            built_in: prebuilt::archs_of(table, module).map(str::to_owned).collect(),
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

    fn describe(&self) -> String {
        self.compiler.describe()
    }

    fn compile(&self, program: &Program<'_>, arch: &str) -> Result<Vec<u8>, CompileError> {
        let kept = match self.cache.writable_folder() {
            Some(folder) => format!("once; cached in {}", folder.display()),
            None => "not cached".to_owned(),
        };
        // Whole lines: others may compile and write at the same time.
        let (name, by) = (program.name, self.describe());
        say(&format!("compiling kernels `{name}` for {arch} by {by} ({kept})…"));
        let start = Instant::now();
        let compiled = self.compiler.compile(program, arch);
        let outcome = if compiled.is_ok() { "compiled" } else { "could not compile" };
        say(&format!("{outcome} kernels `{name}` in {:.1} s", start.elapsed().as_secs_f32()));
        compiled
    }
}

/// Why there is no compiler; mentions if a newer runtime would do without one.
fn no_compiler(table: &prebuilt::Table<'_>, module: &Module, target: &Target) -> String {
    let is_usable = |generic: &&str| prebuilt::archs_of(table, module).any(|arch| arch == *generic);
    match generic_target(target).filter(is_usable) {
        Some(generic) => {
            format!("neither hiprtc nor comgr was found; ROCm 6.3 or newer could load {generic}")
        }
        None => "neither hiprtc nor comgr was found".to_owned(),
    }
}

#[cfg(test)]
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

        fn compile(&self, program: &Program<'_>, arch: &str) -> Result<Vec<u8>, CompileError> {
            self.calls.fetch_add(1, Ordering::Relaxed);
            assert!(program.options.contains(&&*format!("--offload-arch={arch}")), "{program:?}");
            Ok(format!("{} by {} for {arch}", program.name, self.name).into_bytes())
        }
    }

    use crate::bundle::{parse, tests::packed};

    fn text(found: Result<Vec<u8>, KernelError>) -> String {
        String::from_utf8(found.expect("found")).expect("text")
    }

    #[test]
    fn built_in_before_generic_before_cache_before_compiler() {
        let bundle = packed(&[("gfx1100", &AFFINE, b"exact"), ("gfx11-generic", &AFFINE, b"generic")]);
        let both = &parse(&bundle);
        let bundle = packed(&[("gfx11-generic", &AFFINE, b"generic")]);
        let only_generic = &parse(&bundle);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::at(folder.path());
        let compiler = Fake::new("fake");
        let target = Target::new("gfx1100:feature-", 32).with_runtime_version(60_342_131);
        let old = target.clone().with_runtime_version(60_241_134);
        let unknown = Target::new("gfx1100", 32);
        let look = |table, target: &Target| code_object_from(table, &AFFINE, target, Some(&compiler), &cache);

        let built_in = |table, target| is_built_in_from(table, &AFFINE, target);
        assert!(built_in(both, &target) && built_in(both, &old) && built_in(only_generic, &target));
        assert!(!built_in(only_generic, &old) && !is_built_in_from(both, &CAST, &target));

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
        let offline = code_object_from(&Ok(vec![]), &AFFINE, &unknown, None, &cache);
        assert_eq!(text(offline), "affine by fake for gfx1100");
        let newer = Fake::new("newer");
        let again = code_object_from(&Ok(vec![]), &AFFINE, &unknown, Some(&newer), &cache);
        assert_eq!(text(again), "affine by newer for gfx1100");
    }

    /// As after `git pull` in a checkout whose code objects were built before.
    #[test]
    fn code_objects_of_other_sources_are_not_used() {
        let older = Module { source: "// as it was", ..AFFINE };
        let bundle = packed(&[("gfx1100", &older, b"older")]);
        let card = Target::new("gfx1100", 32);
        let compiler = Fake::new("fake");
        let code =
            |module| code_object_from(&parse(&bundle), module, &card, Some(&compiler), &Cache::disabled());
        assert_eq!(text(code(&older)), "older");
        assert_eq!(text(code(&AFFINE)), "affine by fake for gfx1100");
    }

    #[test]
    fn nothing_at_all_names_card_built_ins_and_remedy() {
        let objects: [(_, _, &[u8]); 3] =
            [("gfx1100", &AFFINE, b""), ("gfx942", &AFFINE, b""), ("gfx90a", &CAST, b"")];
        let bundle = packed(&objects);
        let table = &parse(&bundle);
        let card = Target::new("gfx90a:sramecc+:xnack-", 64);
        let error =
            code_object_from(table, &AFFINE, &card, None, &Cache::disabled()).expect_err("nothing serves");
        assert_eq!(
            error.to_string(),
            "no code object of the kernels `affine` for gfx90a:sramecc+:xnack-: built in for gfx942, gfx1100; cannot compile \
             at run time (neither hiprtc nor comgr was found). Build it with `cargo xtask build-kernels --arch gfx90a` in \
             candle-rocm's source, or install hiprtc or comgr (libhiprtc.so, libamd_comgr.so: parts of ROCm's HIP runtime)"
        );
        let error = code_object_from(&Ok(vec![]), &AFFINE, &card, None, &Cache::disabled())
            .expect_err("nothing serves");
        assert!(error.to_string().contains("built in for none;"), "{error}");
    }

    #[test]
    fn corrupted_built_ins_are_reported() {
        let objects: [(_, _, &[u8]); 2] =
            [("gfx1100", &AFFINE, &b"some code ".repeat(1000)), ("gfx90a", &CAST, b"")];
        let mut bundle = packed(&objects);
        let frames = bundle.windows(2).position(|two| two == b"\n\n").expect("the index ends") + 2;
        bundle[frames] ^= 1;
        for (table, arch) in
            [(&parse(&bundle), "gfx1100"), (&parse(&bundle[..frames]), "gfx1100"), (&parse(b"x"), "gfx906")]
        {
            let target = Target::new(arch, 32);
            let error =
                code_object_from(table, &AFFINE, &target, None, &Cache::disabled()).expect_err("damaged");
            assert!(matches!(error, KernelError::DamagedPrebuilt { .. }), "{error}");
            assert!(
                error.to_string().contains(&format!("cargo xtask build-kernels --arch {arch}")),
                "{error}"
            );
        }
    }
}
