//! Modules compiled before they are needed, on all cores.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use std::{thread, vec};

use rocm_hip::{Cache, Compiler, Target, stay_compiling};

use crate::lookup::{code_object_from, is_ready_from};
use crate::messages::say;
use crate::modules::*;
use crate::{KernelError, Module, prebuilt};

/// The modules that candle-transformers' language models use, with weights of any type. Those that take longest to compile come first.
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
    &ATTENTION_STEP,
    &FILL,
    &CAT,
    &AFFINE,
];

/// The modules that candle-transformers' quantized llama and similar models use, without those that few of them use or that take a second
/// to compile.
pub const QUANTIZED_LANGUAGE_MODELS: &[&Module] = &[
    &UNARY,
    &BINARY,
    &INDEXING,
    &REDUCE,
    &CAST,
    &QUANTIZED_STREAM,
    &QUANTIZED_MAT_VEC,
    &ROWS,
    &ATTENTION,
    &ATTENTION_STEP,
    &QUANTIZED,
    &QUANTIZED_MAT_MAT,
];

/// Compiles the given modules that are neither built in nor cached, in this order and on all cores. Returns how many were compiled. Writes
/// progress to stderr. Without a cache in a writable folder there is nowhere to keep the results, so nothing is compiled.
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

/// As [`prepare`], on background threads, which leave one core to the caller. Returns at once with the number of modules to compile.
/// Meanwhile [`code_object`] waits for a module that is being compiled, and itself compiles one that has not been started. If the process
/// exits, it finishes the modules being compiled and skips the rest.
///
/// If the compiler rejects a module, compilation stops. This is not reported here, but by the [`code_object`] call that needs the module.
///
/// # Errors
/// [`CompileError::Compiler`](crate::CompileError::Compiler) if the compiler cannot report its version.
///
/// [`code_object`]: crate::code_object
pub fn prepare_in_background(
    modules: &[&'static Module],
    target: &Target,
    compiler: &'static (dyn Compiler + Sync),
    cache: &Cache,
) -> Result<usize, KernelError> {
    let table = prebuilt::table();
    let Some(plan) = Plan::new(table, modules, target, compiler, cache, 1)? else { return Ok(0) };
    let (count, plan) = (plan.count, Arc::new(plan));
    for _ in 0..plan.threads {
        let plan = plan.clone();
        // What no thread compiles is compiled when it is needed.
        let _ = thread::Builder::new().name("kernels".to_owned()).spawn(move || plan.work(table, compiler));
    }
    Ok(count)
}

fn prepare_from(
    table: &prebuilt::Table<'_>,
    modules: &[&'static Module],
    target: &Target,
    compiler: &(dyn Compiler + Sync),
    cache: &Cache,
) -> Result<usize, KernelError> {
    let Some(plan) = Plan::new(table, modules, target, compiler, cache, 0)? else { return Ok(0) };
    thread::scope(|scope| {
        (0..plan.threads).for_each(|_| drop(scope.spawn(|| plan.work(table, compiler))));
    });
    lock(&plan.error).take().map_or(Ok(plan.count), Err)
}

/// Modules that several threads compile.
struct Plan {
    target: Target,
    cache: Cache,
    count: usize,
    threads: usize,
    began: Instant,
    missing: Mutex<vec::IntoIter<&'static Module>>,
    compiled: AtomicUsize,
    /// What went wrong first.
    error: Mutex<Option<KernelError>>,
}

impl Plan {
    /// For all cores but some. `None` where nothing is missing or nothing can be kept.
    fn new(
        table: &prebuilt::Table<'_>,
        modules: &[&'static Module],
        target: &Target,
        compiler: &dyn Compiler,
        cache: &Cache,
        spared: usize,
    ) -> Result<Option<Self>, KernelError> {
        if cache.folder().is_none() {
            return Ok(None);
        }
        let mut missing = Vec::new();
        for module in modules {
            if !is_ready_from(table, module, target, compiler, cache)? {
                missing.push(*module);
            }
        }
        let count = missing.len();
        if count == 0 {
            return Ok(None);
        }
        let Some(folder) = cache.writable_folder() else { return Ok(None) };
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = cores.saturating_sub(spared).clamp(1, count);
        let (arch, by, folder) = (&target.arch, compiler.describe(), folder.display());
        say(&format!(
            "compiling {count} modules of kernels for {arch} by {by}, {threads} at a time (once; cached in {folder})…"
        ));
        Ok(Some(Self {
            target: target.clone(),
            cache: cache.clone(),
            count,
            threads,
            began: Instant::now(),
            missing: Mutex::new(missing.into_iter()),
            compiled: AtomicUsize::new(0),
            error: Mutex::default(),
        }))
    }

    /// What each thread does: one module after the other, until none is left, one was rejected, or the process exits.
    fn work(&self, table: &prebuilt::Table<'_>, compiler: &(dyn Compiler + Sync)) {
        while lock(&self.error).is_none()
            && let Some(module) = { lock(&self.missing).next() }
            && let Some(_stay) = stay_compiling()
        {
            if let Err(error) = code_object_from(table, module, &self.target, Some(compiler), &self.cache) {
                lock(&self.error).get_or_insert(error);
                return;
            }
            let compiled = self.compiled.fetch_add(1, Ordering::Relaxed) + 1;
            let seconds = self.began.elapsed().as_secs_f32();
            say(&format!("{compiled} of {} modules after {seconds:.0} s: `{}`", self.count, module.name));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use rocm_hip::{CompileError, Program};

    use super::*;
    use crate::bundle::{parse, tests::packed};
    use crate::code_object;

    /// Counts; rejects one module.
    struct Counting {
        calls: AtomicUsize,
        rejected: &'static str,
    }

    impl Compiler for Counting {
        fn identity(&self) -> Result<String, CompileError> {
            Ok("counting 1.0".to_owned())
        }

        fn compile(&self, program: &Program<'_>, _arch: &str) -> Result<Vec<u8>, CompileError> {
            self.calls.fetch_add(1, Ordering::Relaxed);
            match program.name == self.rejected {
                true => Err(CompileError::NulByte { what: "the test".to_owned() }),
                false => Ok(program.name.into()),
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

    /// As a program does that goes on meanwhile.
    #[test]
    fn the_background_and_who_waits_share_the_work() {
        static COMPILER: Counting = Counting { calls: AtomicUsize::new(0), rejected: "sort" };
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cache = Cache::at(folder.path());
        let card = Target::new("gfx999", 32);
        let run = |modules| prepare_in_background(modules, &card, &COMPILER, &cache).expect("compiles");
        assert_eq!(run(LANGUAGE_MODELS), LANGUAGE_MODELS.len());
        for module in LANGUAGE_MODELS.iter().rev() {
            let code = code_object(module, &card, Some(&COMPILER), &cache).expect("compiles");
            assert_eq!(code, module.name.as_bytes());
        }
        assert_eq!(COMPILER.calls.load(Ordering::Relaxed), LANGUAGE_MODELS.len(), "each once");
        assert_eq!(run(LANGUAGE_MODELS), 0);
        // What is rejected is an error for whoever needs it.
        assert_eq!(run(&[&SORT]), 1);
        code_object(&SORT, &card, Some(&COMPILER), &cache).expect_err("rejected");
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
