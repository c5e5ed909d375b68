//! Compilation through a cache.

use std::collections::HashMap;
use std::sync::Arc;

use super::cache::Key;
use super::{Cache, CompileError, Compiler, Program, Target, compile, default_options};
use crate::lock::{self, Mutex};

/// [`compile`] through a cache: the same compiler compiles the same program only once.
///
/// # Errors
/// As [`compile`].
pub fn compile_cached(
    program: &Program<'_>,
    target: &Target,
    compiler: &dyn Compiler,
    cache: &Cache,
) -> Result<Vec<u8>, CompileError> {
    let key = key(program, target, compiler)?;
    if let Some(code) = cache.get(&key) {
        return Ok(code);
    }
    // Of several threads that need the same program, one compiles it; the others then find it in the cache.
    let turn = turn(&key);
    let _guard = turn.lock();
    if let Some(code) = cache.get(&key) {
        return Ok(code);
    }
    let code = compile(program, target, compiler)?;
    cache.put(&key, &code);
    Ok(code)
}

/// Whether [`compile_cached`] would find the program in the cache.
///
/// # Errors
/// [`CompileError::Compiler`] if the compiler cannot report its version.
pub fn is_cached(
    program: &Program<'_>,
    target: &Target,
    compiler: &dyn Compiler,
    cache: &Cache,
) -> Result<bool, CompileError> {
    Ok(cache.get(&key(program, target, compiler)?).is_some())
}

/// Looks up what [`compile_cached`] stored for this program, with any compiler: for machines without one.
pub fn cached(program: &Program<'_>, target: &Target, cache: &Cache) -> Option<Vec<u8>> {
    cache.get_from_any_compiler(&label(program.name, target), &program_digest(program, target))
}

fn key(program: &Program<'_>, target: &Target, compiler: &dyn Compiler) -> Result<Key, CompileError> {
    Ok(Key {
        label: label(program.name, target),
        program: program_digest(program, target),
        compiler: compiler_digest(target, &compiler.identity()?),
    })
}

fn label(name: &str, target: &Target) -> String {
    format!("{name}-{}", target.arch)
}

/// The digest of the compiler's input.
fn program_digest(program: &Program<'_>, target: &Target) -> blake3::Hash {
    let mut digest = blake3::Hasher::new();
    let mut add = |text: &str| {
        digest.update(&(text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    };
    add(program.name);
    add(program.source);
    for (name, text) in program.headers {
        add(name);
        add(text);
    }
    for option in default_options(target) {
        add(&option);
    }
    program.options.iter().for_each(|option| add(option));
    digest.finalize()
}

/// The digest of the compiler's identity. hiprtc's own version is the same for many releases of ROCm, so the runtime's version
/// is part of it.
fn compiler_digest(target: &Target, identity: &str) -> blake3::Hash {
    blake3::hash(format!("{identity}\n{:?}", target.runtime_version).as_bytes())
}

type Turn = Mutex<(), lock::Compiling>;

fn turn(key: &Key) -> Arc<Turn> {
    type Turns = HashMap<(blake3::Hash, blake3::Hash), Arc<Turn>>;
    static TURNS: Mutex<Option<Turns>> = Mutex::new(None);
    let mut turns = TURNS.lock();
    turns.get_or_insert_default().entry((key.program, key.compiler)).or_default().clone()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

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

    #[test]
    fn programs_are_compiled_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let compiler = Fake::new("fake");
        let wave = |wavefront| Target::new("gfx1030", wavefront);
        let any = Target { wavefront: None, ..wave(32) };
        let run = |source, headers: &[(&str, &str)], options: &[&str], target: &Target, cache| {
            let program = Program { name: "mine", source, headers, options };
            let code = compile_cached(&program, target, &compiler, cache).unwrap();
            let kept = is_cached(&program, target, &compiler, cache).unwrap();
            assert_eq!(kept, cache.folder().is_some());
            assert_eq!(code, b"mine by fake for gfx1030");
        };
        for _ in 0..2 {
            run("a", &[], &[], &wave(32), &cache);
            run("b", &[], &[], &wave(32), &cache);
            run("a", &[("h", "1")], &[], &wave(32), &cache);
            run("a", &[("h", "2")], &[], &wave(32), &cache);
            run("a", &[], &["-DN=1"], &wave(32), &cache);
            run("a", &[], &[], &wave(64), &cache);
            run("a", &[], &[], &any, &cache);
            run("a", &[], &[], &wave(32).with_runtime_version(60_342_131), &cache);
        }
        assert_eq!(compiler.calls(), 8, "each of the eight, whatever differs");
        run("a", &[], &[], &wave(32), &Cache::disabled());
        assert_eq!(compiler.calls(), 9);
    }

    #[test]
    fn other_compilers_results_serve_where_there_is_no_compiler() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let target = Target::new("gfx1030", 32);
        assert_eq!(cached(&Program::new("mine", "a"), &target, &cache), None);
        for compiler in [Fake::new("old"), Fake::new("new")] {
            compile_cached(&Program::new("mine", "a"), &target, &compiler, &cache).unwrap();
            assert_eq!(compiler.calls(), 1, "by another compiler never");
        }
        assert!(cached(&Program::new("mine", "a"), &target, &cache).is_some());
        assert_eq!(cached(&Program::new("mine", "b"), &target, &cache), None);
    }

    #[test]
    fn compilers_that_would_abort_are_not_called() {
        let compiler = Fake::new("fake");
        let run = |arch| {
            let target = Target::new(arch, 32).with_runtime_version(50_221_153);
            compile_cached(&Program::new("mine", "a"), &target, &compiler, &Cache::disabled())
        };
        let error = run("gfx1100").unwrap_err();
        assert!(matches!(error, CompileError::CompilerTooOld { .. }), "{error}");
        assert_eq!(compiler.calls(), 0);
        run("gfx1030").unwrap();
    }
}
