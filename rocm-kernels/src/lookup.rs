//! From a module to the bytes a device loads: built in, generic, cached, compiled now.

use std::collections::HashMap;
use std::env;
use std::io::{IsTerminal as _, Write as _, stderr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use crate::cache::Key;
use crate::{Cache, Compiler, HEADERS, KernelError, Module, Target, compile, default_options, prebuilt};

/// The code object of `module` for `target`, ready for `hipModuleLoadData`.
///
/// Looks in the order that the [crate documentation](crate) gives; compiling writes one line to stderr.
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
    let generic = target.generic().filter(|_| target.loads_generic());
    if let Some(found) = generic.and_then(|generic| prebuilt::find(table, generic.name, module.name)) {
        return found;
    }

    let label = format!("{}-{}", module.name, target.arch);
    let program = program_digest(module, target);
    let Some(compiler) = compiler else {
        return cache.get_from_any_compiler(&label, &program).ok_or_else(|| KernelError::NoCodeObject {
            module: module.name.to_owned(),
            arch: target.arch.clone(),
            built_in: built_in(table, module),
            reason: "hiprtc was not found".to_owned(),
        });
    };
    let key = Key { label, program, compiler: compiler_digest(target, &compiler.identity()?) };
    if let Some(code) = cache.get(&key) {
        return Ok(code);
    }
    // Threads that need the same kernels compile them once; the others then find them in the cache.
    let turn = turn(&key);
    let _guard = lock(&turn);
    if let Some(code) = cache.get(&key) {
        return Ok(code);
    }
    let code = compile_with_progress(module, target, compiler, cache)?;
    cache.put(&key, &code);
    Ok(code)
}

fn compile_with_progress(
    module: &Module,
    target: &Target,
    compiler: &dyn Compiler,
    cache: &Cache,
) -> Result<Vec<u8>, KernelError> {
    let kept = match cache.folder() {
        Some(folder) => format!("once; cached in {}", folder.display()),
        None => "every time; no cache folder".to_owned(),
    };
    let line = format!("candle-rocm: compiling kernels `{}` for {} ({kept})…", module.name, target.arch);
    // On a terminal the line appears at once and is completed; in a log it is written whole, so that lines do not mix.
    // A closed stderr is no reason to fail.
    let live = stderr().is_terminal();
    if live {
        let _ = write!(stderr(), "{line}");
    }
    let start = Instant::now();
    let compiled = compile(module.name, module.source, HEADERS, &[], target, compiler);
    let seconds = start.elapsed().as_secs_f32();
    let outcome = if compiled.is_ok() { format!("{seconds:.1} s") } else { "failed".to_owned() };
    let _ = writeln!(stderr(), "{} {outcome}", if live { "" } else { &line });
    compiled
}

fn built_in(table: &[prebuilt::Entry], module: &Module) -> Vec<String> {
    table.iter().filter(|(_, name, _)| *name == module.name).map(|(arch, ..)| (*arch).to_owned()).collect()
}

/// Everything that decides what the compiler is given.
fn program_digest(module: &Module, target: &Target) -> blake3::Hash {
    let mut digest = blake3::Hasher::new();
    let mut add = |text: &str| {
        digest.update(&(text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    };
    add(module.name);
    add(module.source);
    for (name, text) in HEADERS {
        add(name);
        add(text);
    }
    for option in default_options(target) {
        add(&option);
    }
    digest.finalize()
}

/// Everything that decides what the compiler makes of it. hiprtc's own version stays the same over many releases of
/// ROCm, so the runtime's counts too; the CPU platform's compiler is steered by environment variables.
fn compiler_digest(target: &Target, identity: &str) -> blake3::Hash {
    let mut text = format!("{identity}\n{:?}", target.runtime_version);
    if target.is_host() {
        for variable in ["CANDLE_ROCM_HOST_SANITIZE", "CANDLE_ROCM_HOST_CXX"] {
            text += &format!("\n{variable}={:?}", env::var_os(variable).unwrap_or_default());
        }
    }
    blake3::hash(text.as_bytes())
}

fn turn(key: &Key) -> Arc<Mutex<()>> {
    type Turns = HashMap<(blake3::Hash, blake3::Hash), Arc<Mutex<()>>>;
    static TURNS: Mutex<Option<Turns>> = Mutex::new(None);
    let mut turns = lock(&TURNS);
    turns.get_or_insert_default().entry((key.program, key.compiler)).or_default().clone()
}

/// The state behind these locks is never left half-changed, so a panicking thread's poison does not matter.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
