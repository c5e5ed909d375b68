//! The disk cache under adverse conditions: corrupted files, folders that cannot be written, concurrent threads and processes.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use rocm_kernels::{AFFINE, Cache, CompileError, Compiler, Program, Target};

/// No processor of this name is ever built in.
const ARCH: &str = "gfx999";

/// "Compiles" to a megabyte that depends on the arch, slowly enough for races.
#[derive(Default)]
struct Slow {
    calls: AtomicUsize,
}

impl Compiler for Slow {
    fn identity(&self) -> Result<String, CompileError> {
        Ok("slow 1.0".to_owned())
    }

    fn compile(&self, _program: &Program<'_>, arch: &str) -> Result<Vec<u8>, CompileError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        thread::sleep(std::time::Duration::from_millis(20));
        Ok(expected(arch))
    }
}

fn expected(arch: &str) -> Vec<u8> {
    arch.bytes().cycle().take(1 << 20).collect()
}

fn look(compiler: &Slow, cache: &Cache) -> Vec<u8> {
    rocm_kernels::code_object(&AFFINE, &Target::new(ARCH, 32), Some(compiler), cache)
        .expect("the fake compiler serves")
}

/// The one file in the cache.
fn only_file(folder: &Path) -> std::path::PathBuf {
    let files: Vec<_> =
        fs::read_dir(folder).expect("the folder is there").flatten().map(|entry| entry.path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[test]
fn damaged_files_are_compiled_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = Cache::at(folder.path());
    let compiler = Slow::default();
    look(&compiler, &cache);
    let file = only_file(folder.path());
    let good = fs::read(&file).expect("the cached file");

    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 1;
    let damages: [&[u8]; 5] = [b"", b"text", &good[..40], &good[..good.len() - 1], &flipped];
    for (calls, damage) in (2..).zip(damages) {
        fs::write(&file, damage).expect("the cached file is ours");
        assert_eq!(look(&compiler, &cache), expected(ARCH));
        assert_eq!(compiler.calls.load(Ordering::SeqCst), calls, "{} bytes", damage.len());
        assert_eq!(fs::read(only_file(folder.path())).expect("replaced"), good);
        look(&compiler, &cache);
        assert_eq!(compiler.calls.load(Ordering::SeqCst), calls, "the replacement is good");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_done_without() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a file");
    fs::write(&file, "").expect("writable");
    let compiler = Slow::default();
    for calls in 1..3 {
        assert_eq!(look(&compiler, &Cache::at(file.join("below"))), expected(ARCH));
        assert_eq!(compiler.calls.load(Ordering::SeqCst), calls);
    }
}

#[test]
fn a_folder_in_the_files_place_is_done_without() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = Cache::at(folder.path());
    let compiler = Slow::default();
    look(&compiler, &cache);
    let file = only_file(folder.path());
    fs::remove_file(&file).expect("the cached file is ours");
    fs::create_dir(&file).expect("writable");
    assert_eq!(look(&compiler, &cache), expected(ARCH));
    assert_eq!(only_file(folder.path()), file, "no temporary file is left");
}

/// Opening a pipe blocks, and a device may never end.
#[cfg(unix)]
#[test]
fn what_is_not_a_file_is_not_opened() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = Cache::at(folder.path());
    look(&Slow::default(), &cache);
    let file = only_file(folder.path());
    let pipe = folder.path().join("pipe");
    make_pipe(&pipe);
    let sparse = |path: &Path| fs::File::create(path).and_then(|file| file.set_len(10 << 30));
    type Place<'a> = (&'a str, &'a dyn Fn(&Path));
    let places: [Place; 5] = [
        ("a pipe", &|path| make_pipe(path)),
        ("a link to a pipe", &|path| symlink(&pipe, path).expect("writable")),
        ("a device", &|path| symlink("/dev/zero", path).expect("writable")),
        ("a link to nothing", &|path| symlink("missing", path).expect("writable")),
        ("10 GiB of nothing", &|path| sparse(path).expect("writable")),
    ];
    for (what, place) in places {
        for compilers in [1, 0] {
            fs::remove_file(&file).expect("the cached file is ours");
            place(&file);
            let compiler = Slow::default();
            let target = Target::new(ARCH, 32);
            let compiler_there = (compilers > 0).then_some(&compiler as &dyn Compiler);
            let found = rocm_kernels::code_object(&AFFINE, &target, compiler_there, &cache);
            assert_eq!(compiler.calls.load(Ordering::SeqCst), compilers, "{what}");
            assert_eq!(found.is_ok(), compilers > 0, "{what}: {:?}", found.err());
            if compilers > 0 {
                assert!(fs::symlink_metadata(&file).is_ok_and(|file| file.is_file()), "{what} stays");
            }
        }
    }
}

#[cfg(unix)]
fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("coreutils").success());
}

#[test]
fn what_a_killed_process_left_is_cleared_at_the_next_start() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let hour = std::time::Duration::from_secs(3600);
    for (process, stays) in [(u32::MAX, false), (std::process::id(), true)] {
        let left = folder.path().join(format!(".affine-gfx999-0-1.kernels.{process}.0"));
        let file = fs::File::create(&left).expect("writable");
        file.set_modified(std::time::SystemTime::now() - hour).expect("our file");
        let output = run_child(folder.path()).wait_with_output().expect("the child ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(left.exists(), stays, "process {process}");
    }
}

#[test]
fn a_disabled_cache_compiles_every_time() {
    let compiler = Slow::default();
    look(&compiler, &Cache::disabled());
    look(&compiler, &Cache::disabled());
    assert_eq!(compiler.calls.load(Ordering::SeqCst), 2);
}

#[test]
fn threads_share_one_compilation() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cache = Cache::at(folder.path());
    let compiler = Slow::default();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(look(&compiler, &cache), expected(ARCH)));
        }
    });
    assert_eq!(compiler.calls.load(Ordering::SeqCst), 1);
}

/// Set for processes that this test starts of itself.
const CHILD_FOLDER: &str = "ROCM_KERNELS_TEST_CHILD";

/// Not a test of its own: what the processes below do.
#[test]
fn child() {
    let Some(folder) = env::var_os(CHILD_FOLDER) else { return };
    let cache = Cache::at(folder);
    for _ in 0..20 {
        let compiler = Slow::default();
        assert_eq!(look(&compiler, &cache), expected(ARCH));
        // Throws files away under the others' feet.
        let files = fs::read_dir(cache.folder().expect("a folder")).into_iter().flatten().flatten();
        for file in
            files.filter(|file| file.path().extension().is_some_and(|extension| extension == "kernels"))
        {
            let _ = fs::remove_file(file.path());
        }
    }
}

fn run_child(folder: &Path) -> std::process::Child {
    Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD_FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this test starts again")
}

#[test]
fn processes_share_a_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let children: Vec<_> = (0..3).map(|_| run_child(folder.path())).collect();
    for child in children {
        let output = child.wait_with_output().expect("the child ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(!said.contains("warning"), "another process's file was seen half-written: {said}");
    }
}

#[test]
fn warnings_are_given_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a file");
    fs::write(&file, "").expect("writable");
    let output = run_child(&file.join("below")).wait_with_output().expect("the child ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("candle-rocm: warning: cannot keep compiled kernels in").count(), 1, "{said}");
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    assert_eq!(said.matches("compiling kernels `affine` for gfx999").count(), 20, "{said}");
    assert!(said.contains("(not cached)") && !said.contains("cached in"), "{said}");
}
