//! A process that ends while kernels are compiled in the background.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, io, thread};

use rocm_kernels::{
    Cache, CompileError, Compiler, LANGUAGE_MODELS, Program, Target, is_ready, prepare_in_background,
};

/// Says when it begins and ends, which it does when the process's input is closed.
struct Slow;

static BEGUN: AtomicUsize = AtomicUsize::new(0);
static CLOSED: OnceLock<()> = OnceLock::new();

impl Compiler for Slow {
    fn identity(&self) -> Result<String, CompileError> {
        Ok("slow 1.0".to_owned())
    }

    fn compile(&self, program: &Program<'_>, _arch: &str) -> Result<Vec<u8>, CompileError> {
        eprintln!("begins {}", program.name);
        BEGUN.fetch_add(1, Ordering::SeqCst);
        CLOSED.get_or_init(|| drop(io::copy(&mut io::stdin(), &mut io::sink())));
        eprintln!("ends {}", program.name);
        Ok(program.name.into())
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
    let cache = Cache::at(folder);
    let count = prepare_in_background(LANGUAGE_MODELS, &card(), &Slow, &cache).expect("the compiler serves");
    if cache.writable_folder().is_none() {
        return assert_eq!(count, 0);
    }
    assert_eq!(count, LANGUAGE_MODELS.len());
    while BEGUN.load(Ordering::SeqCst) < threads() {
        thread::yield_now();
    }
}

/// How many compile at once.
fn threads() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (cores - 1).clamp(1, LANGUAGE_MODELS.len())
}

fn run_child(folder: &Path) -> Child {
    Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD_FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this test starts again")
}

/// What is compiled in the background is found in the cache, or compiled for nothing.
#[test]
fn without_a_place_to_keep_it_nothing_is_compiled_in_the_background() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a file");
    fs::write(&file, "").expect("writable");
    let output = run_child(&file.join("below")).wait_with_output().expect("the child ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("warning: cannot keep compiled kernels in").count(), 1, "{said}");
    for part in ["begins", "compiling", "cached in", "the exit waits"] {
        assert!(!said.contains(part), "{part}: {said}");
    }
}

#[test]
fn an_exit_waits_for_what_is_being_compiled_and_leaves_the_rest() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut process = run_child(folder.path());
    let mut said = String::new();
    for line in BufReader::new(process.stderr.take().expect("piped")).lines().map_while(Result::ok) {
        if line.contains("the exit waits for the kernels") {
            // Now they may end.
            drop(process.stdin.take());
        }
        said += &line;
        said.push('\n');
    }
    assert!(process.wait().expect("it ended").success(), "{said}");
    let ready = |module: &&&_| is_ready(module, &card(), &Slow, &Cache::at(folder.path())).expect("asked");
    let kept = LANGUAGE_MODELS.iter().filter(ready).count();
    let (begun, ended) = (said.matches("begins ").count(), said.matches("ends ").count());
    assert_eq!((begun, ended, kept), (threads(), threads(), threads()), "{said}");
    assert!(said.contains("the exit waits for the kernels"), "{said}");
    let count = LANGUAGE_MODELS.len();
    assert!(
        said.contains(&format!("compiling {count} modules of kernels for gfx999 by slow 1.0, ")),
        "{said}"
    );
    let files = fs::read_dir(folder.path()).expect("the folder is there").count();
    assert_eq!(files, kept, "nothing half-written is left");
}
