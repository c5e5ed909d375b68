//! Forked children of a test.

#![allow(unreachable_pub, reason = "as the other modules that tests share")]

use std::io::{Read, Seek};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

/// Far longer than any of them takes: one that is still there hangs.
const LIMIT: Duration = Duration::from_secs(300);

/// Forks; the child does `work` and ends, through the exit handlers or without them. An error says what it wrote, if it failed, hung,
/// or found something to wait for at its end.
pub fn in_fork(work: impl FnOnce(), handlers: bool) -> Result<(), String> {
    let mut stderr = tempfile::tempfile().unwrap();
    // SAFETY: the child has this thread alone. Allocating is safe there (the C library sees to its locks), and what else this
    // crate may lock is what is tested.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "cannot fork");
    if child == 0 {
        // SAFETY: two descriptors that are open.
        unsafe { libc::dup2(stderr.as_raw_fd(), libc::STDERR_FILENO) };
        let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_ok();
        if handlers {
            std::process::exit(i32::from(!worked));
        }
        // SAFETY: ends the process.
        unsafe { libc::_exit(i32::from(!worked)) };
    }
    let (began, mut status) = (Instant::now(), 0);
    // SAFETY: the child is ours, and the out-parameter valid.
    while unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == 0 {
        if began.elapsed() > LIMIT {
            // SAFETY: as above.
            unsafe { libc::kill(child, libc::SIGKILL) };
            return Err("it hangs".to_owned());
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut text = String::new();
    stderr.rewind().and_then(|()| stderr.read_to_string(&mut text)).unwrap();
    if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 && !text.contains("waits") {
        return Ok(());
    }
    Err(format!("status {status}: {text}"))
}
