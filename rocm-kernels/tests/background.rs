//! A process that ends while kernels are compiled in the background.

use std::process::Command;
use std::time::Duration;
use std::{env, fs, thread};

use rocm_kernels::{Cache, CompileError, Compiler, LANGUAGE_MODELS, Target, is_ready, prepare_in_background};

/// Says when it begins and ends.
struct Slow;

impl Compiler for Slow {
    fn identity(&self) -> Result<String, CompileError> {
        Ok("slow 1.0".to_owned())
    }

    fn compile(
        &self,
        name: &str,
        _source: &str,
        _headers: &[(&str, &str)],
        _options: &[String],
        _arch: &str,
    ) -> Result<Vec<u8>, CompileError> {
        eprintln!("begins {name}");
        thread::sleep(Duration::from_millis(300));
        eprintln!("ends {name}");
        Ok(name.into())
    }
}

/// No processor of this name is ever built in.
fn card() -> Target {
    Target::new("gfx999", 32)
}

/// Set for the process that this test starts of itself.
const CHILD_FOLDER: &str = "ROCM_KERNELS_TEST_BACKGROUND";

/// Not a test of its own: what the process does.
#[test]
fn child() {
    let Some(folder) = env::var_os(CHILD_FOLDER) else { return };
    let count = prepare_in_background(LANGUAGE_MODELS, &card(), &Slow, &Cache::at(folder));
    assert_eq!(count.expect("the compiler serves"), LANGUAGE_MODELS.len());
    // The threads have begun, and are not done with the first module.
    thread::sleep(Duration::from_millis(100));
}

#[test]
fn an_exit_waits_for_what_is_being_compiled_and_leaves_the_rest() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD_FOLDER, folder.path())
        .output()
        .expect("this test starts again");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let ready = |module: &&&_| is_ready(module, &card(), &Slow, &Cache::at(folder.path())).expect("asked");
    let kept = LANGUAGE_MODELS.iter().filter(ready).count();
    let (begun, ended) = (said.matches("begins ").count(), said.matches("ends ").count());
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = (cores - 1).clamp(1, LANGUAGE_MODELS.len());
    assert_eq!((begun, ended, kept), (threads, threads, threads), "{said}");
    assert!(said.contains("the exit waits for the kernels"), "{said}");
    let files = fs::read_dir(folder.path()).expect("the folder is there").count();
    assert_eq!(files, kept, "nothing half-written is left");
}
