//! The end of a process that no device has to do with: who is waited for, and what is in the trace then. It runs on every system.

use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::Duration;

use rocm_hip::{stay, trace};
use serde_json::Value;

const SPANS: usize = 1000;
const FOLDER: &str = "EXIT_FOLDER";

/// Begins a trace, which watches for the exit, and leaves events in it that are not written yet.
fn leave_a_trace(folder: &Path) {
    trace::start(folder.join("trace.json")).unwrap();
    (0..SPANS).for_each(|round| drop(trace::span("span", || round.to_string())));
}

/// How many spans the file has, by a strict parser.
fn spans(folder: &Path) -> usize {
    let text = std::fs::read_to_string(folder.join("trace.json")).unwrap();
    let events: Vec<Value> = serde_json::from_str(&text).unwrap();
    events.iter().filter(|event| event["cat"] == "span").count()
}

/// Runs a test again as a process that ends in the middle of it, with a folder of its own.
fn run(name: &str, folder: &Path) -> ExitStatus {
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args([name, "--exact", "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    again.output().unwrap().status
}

#[test]
fn what_threads_are_at_ends_before_main_is_done() {
    const NAME: &str = "what_threads_are_at_ends_before_main_is_done";
    if let Some(folder) = std::env::var_os(FOLDER) {
        leave_a_trace(Path::new(&folder));
        let staying = stay().expect("nobody is exiting");
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            std::fs::write(Path::new(&folder).join("done"), "").unwrap();
            drop(staying);
        });
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(run(NAME, folder.path()).success());
    assert!(folder.path().join("done").exists());
    assert_eq!(spans(folder.path()), SPANS, "the last ones are written at the exit");
}

#[test]
fn an_exit_without_handlers_leaves_an_array() {
    const NAME: &str = "an_exit_without_handlers_leaves_an_array";
    if let Some(folder) = std::env::var_os(FOLDER) {
        leave_a_trace(Path::new(&folder));
        std::process::abort();
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(!run(NAME, folder.path()).success());
    assert!((1..SPANS).contains(&spans(folder.path())), "{}", spans(folder.path()));
}

/// Windows stops the other threads before a library's handlers run: there is nobody to wait for.
#[cfg(windows)]
#[test]
fn a_library_does_not_wait_for_threads_that_are_stopped() {
    use std::ffi::{CString, c_char, c_void};
    use std::time::Instant;

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn LoadLibraryA(name: *const c_char) -> *mut c_void;
        fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *const c_void;
    }
    const NAME: &str = "a_library_does_not_wait_for_threads_that_are_stopped";
    const STATUS: i32 = 3;
    if let Some(folder) = std::env::var_os(FOLDER) {
        let executable = std::env::current_exe().unwrap();
        let library = executable.ancestors().nth(2).unwrap().join("examples/exit_library.dll");
        let library = CString::new(library.to_str().unwrap()).unwrap();
        // SAFETY: loads the example; a null handle has no functions.
        let function = unsafe { GetProcAddress(LoadLibraryA(library.as_ptr()), c"trace_and_stay".as_ptr()) };
        assert!(!function.is_null(), "{library:?} is not there: it is an example of this package");
        let path = Path::new(&folder).join("trace.json");
        let path = CString::new(path.to_str().unwrap()).unwrap();
        // SAFETY: the example's function has this type.
        let call =
            unsafe { std::mem::transmute::<*const c_void, extern "C" fn(*const c_char, usize)>(function) };
        call(path.as_ptr(), SPANS);
        std::process::exit(STATUS);
    }
    let folder = tempfile::tempdir().unwrap();
    let began = Instant::now();
    assert_eq!(run(NAME, folder.path()).code(), Some(STATUS));
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    assert_eq!(spans(folder.path()), SPANS);
}
