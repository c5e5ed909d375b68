//! Modules compiled before they are needed, on all cores.

use std::io::{Write as _, stderr};
use std::num::NonZero;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use rocm_hip::{Cache, Compiler, Target};

use crate::lookup::{code_object_from, is_ready};
use crate::modules::*;
use crate::{KernelError, Module, prebuilt};

/// What candle-transformers' language models use, with weights of any type. What takes the compiler longest comes first.
pub const LANGUAGE_MODELS: &[&Module] = &[
    &CAST,
    &BINARY,
    &INDEXING,
    &REDUCE,
    &UNARY,
    &ROWS,
    &QUANTIZED_STREAM,
    &ATTENTION,
    &TERNARY,
    &QUANTIZED,
    &QUANTIZED_MAT_VEC,
    &QUANTIZED_MAT_MAT,
    &MATVEC,
    &FILL,
    &CAT,
    &AFFINE,
];

/// Compiles those of the modules that are neither built in nor cached, in this order on all cores, and returns how many that were.
/// Writes progress to stderr. Without a cache there is nothing to keep them in, so nothing is compiled.
///
/// # Errors
/// The compiler's error for the first module that it rejects.
pub fn prepare(
    modules: &[&'static Module],
    target: &Target,
    compiler: &(dyn Compiler + Sync),
    cache: &Cache,
) -> Result<usize, KernelError> {
    prepare_from(prebuilt::table(), modules, target, compiler, cache)
}

fn prepare_from(
    table: &prebuilt::Table<'_>,
    modules: &[&'static Module],
    target: &Target,
    compiler: &(dyn Compiler + Sync),
    cache: &Cache,
) -> Result<usize, KernelError> {
    let Some(folder) = cache.folder() else { return Ok(0) };
    let mut missing = Vec::new();
    for module in modules {
        if !is_ready(table, module, target, compiler, cache)? {
            missing.push(*module);
        }
    }
    let count = missing.len();
    if count == 0 {
        return Ok(0);
    }
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(count);
    let arch = &target.arch;
    let folder = folder.display();
    say(&format!(
        "compiling {count} modules of kernels for {arch}, {threads} at a time (once; cached in {folder})…"
    ));

    let began = Instant::now();
    let (missing, finished) = (Mutex::new(missing.into_iter()), Mutex::new((0, None)));
    let work = || {
        // The lists are only locked to take from them.
        while let Some(module) = next(&missing, &finished) {
            let code = code_object_from(table, module, target, Some(compiler), cache);
            let mut finished = lock(&finished);
            match code {
                Ok(_) => {
                    finished.0 += 1;
                    let seconds = began.elapsed().as_secs_f32();
                    say(&format!(
                        "{} of {count} modules after {seconds:.0} s: `{}`",
                        finished.0, module.name
                    ));
                }
                Err(error) => drop(finished.1.get_or_insert(error)),
            }
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let (_, error) = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    error.map_or(Ok(count), Err)
}

type Finished = (usize, Option<KernelError>);

/// The next module, unless one was rejected.
fn next<I: Iterator>(missing: &Mutex<I>, finished: &Mutex<Finished>) -> Option<I::Item> {
    if lock(finished).1.is_some() {
        return None;
    }
    lock(missing).next()
}

/// A closed stderr must not cause a failure.
fn say(text: &str) {
    let _ = writeln!(stderr(), "candle-rocm: {text}");
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rocm_hip::CompileError;

    use super::*;
    use crate::bundle::{parse, tests::packed};

    /// Counts; rejects one module.
    struct Counting {
        calls: AtomicUsize,
        rejected: &'static str,
    }

    impl Compiler for Counting {
        fn identity(&self) -> Result<String, CompileError> {
            Ok("counting 1.0".to_owned())
        }

        fn compile(
            &self,
            name: &str,
            _source: &str,
            _headers: &[(&str, &str)],
            _options: &[String],
            _arch: &str,
        ) -> Result<Vec<u8>, CompileError> {
            self.calls.fetch_add(1, Ordering::Relaxed);
            match name == self.rejected {
                true => Err(CompileError::NulByte { what: "the test".to_owned() }),
                false => Ok(name.into()),
            }
        }
    }

    #[test]
    fn what_is_missing_is_compiled_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::at(folder.path());
        let bundle = packed(&[("gfx11-generic", &AFFINE, b"built in"), ("gfx1100", &CAST, b"built in")]);
        let table = parse(&bundle);
        let compiler = Counting { calls: AtomicUsize::new(0), rejected: "sort" };
        let calls = || compiler.calls.load(Ordering::Relaxed);
        let card = Target::new("gfx1100", 32).with_runtime_version(60_300_000);
        let run = |modules: &[&'static Module], cache| prepare_from(&table, modules, &card, &compiler, cache);

        assert_eq!(run(&[&AFFINE, &CAST], &cache).expect("built in"), 0);
        assert_eq!(calls(), 0);
        for compiled in [3, 0] {
            assert_eq!(run(&[&AFFINE, &CAST, &FILL, &SCAN, &UNARY], &cache).expect("compiles"), compiled);
            assert_eq!(calls(), 3);
        }
        let disabled = Cache::disabled();
        assert_eq!(run(&[&BINARY], &disabled).expect("nothing to do"), 0);
        assert_eq!(calls(), 3);
        run(&[&SORT], &cache).expect_err("rejected");
        // A runtime that cannot load the generic target's code.
        let old = Target::new("gfx1100", 32).with_runtime_version(60_200_000);
        assert_eq!(prepare_from(&table, &[&AFFINE, &CAST], &old, &compiler, &cache).expect("compiles"), 1);
    }

    /// With the code objects of a release, no card that it covers compiles anything.
    #[test]
    fn nothing_is_compiled_where_all_is_built_in() {
        let names: Vec<_> = crate::PROCESSORS.iter().filter(|p| p.is_released()).map(|p| p.name).collect();
        let objects: Vec<_> = names
            .iter()
            .flat_map(|arch| ALL.iter().map(move |module| (*arch, *module, &b"code"[..])))
            .collect();
        let bundle = packed(&objects);
        let table = parse(&bundle);
        let compiler = Counting { calls: AtomicUsize::new(0), rejected: "" };
        let folder = tempfile::tempdir().expect("a temporary folder");
        for processor in crate::PROCESSORS.iter().filter(|processor| !processor.is_generic()) {
            let card = crate::default_target(processor.name).with_runtime_version(60_300_000);
            for module in ALL {
                let code =
                    code_object_from(&table, module, &card, Some(&compiler), &Cache::at(folder.path()));
                assert_eq!(code.expect("built in"), b"code", "{} for {}", module.name, processor.name);
            }
            let prepared = prepare_from(&table, ALL, &card, &compiler, &Cache::at(folder.path()));
            assert_eq!(prepared.expect("built in"), 0, "{}", processor.name);
        }
        assert_eq!(compiler.calls.load(Ordering::Relaxed), 0);
    }
}
