//! What happens at ctrl-C and SIGTERM: the report on disk is that of what was done so far, so only what was started is ended.

use std::io;
use std::path::Path;

/// From now on, an interrupted process kills the programs that it started, says where the report is, and ends.
///
/// # Errors
/// The system has no pipe for it.
#[cfg(unix)]
pub(super) fn watch(out: &Path, temporary: &Path) -> io::Result<()> {
    use std::ffi::c_int;
    use std::io::Read;
    use std::os::fd::IntoRawFd;
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::{fs, mem, ptr, thread};

    static PIPE: AtomicI32 = AtomicI32::new(-1);

    /// A handler may do next to nothing, so a thread does the rest.
    extern "C" fn tell(signal: c_int) {
        let byte = signal as u8;
        // SAFETY: one byte, to a pipe that stays open. A signal may come in any call, and this is one of those allowed then.
        unsafe { libc::write(PIPE.load(Ordering::Relaxed), ptr::from_ref(&byte).cast(), 1) };
    }

    let (mut signals, end) = io::pipe()?;
    PIPE.store(end.into_raw_fd(), Ordering::Relaxed);
    let (out, temporary) = (out.display().to_string(), temporary.to_owned());
    thread::spawn(move || {
        let mut signal = [0];
        if signals.read_exact(&mut signal).is_ok() {
            super::listener::end_all();
            let _ = fs::remove_dir_all(temporary);
            println!("\nInterrupted. {out}/report.md has what was done so far.");
            // SAFETY: ends the process, without handlers that wait for what is being compiled.
            unsafe { libc::_exit(128 + c_int::from(signal[0])) };
        }
    });
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: zeros are a valid value of the structure, and the handler is of the type that its flags say.
        unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = tell as extern "C" fn(c_int) as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigaction(signal, &action, ptr::null_mut());
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn watch(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    use std::time::Duration;
    use std::{env, fs, thread};

    use super::super::listener::Listener;
    use super::*;

    const CHILD: &str = "CANDLE_ROCM_TEST_INTERRUPTED";

    #[test]
    fn what_was_started_is_ended() {
        if let Some(temporary) = env::var_os(CHILD) {
            watch(Path::new("out"), Path::new(&temporary)).unwrap();
            let mut started =
                Listener::start(Command::new("sh").args(["-c", "echo $$; sleep 10000"])).unwrap();
            println!("started {}", started.line(Duration::from_secs(600)).unwrap());
            loop {
                thread::park();
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let temporary = folder.path().join("cache");
        fs::create_dir(&temporary).unwrap();
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["card::interrupt::tests::what_was_started_is_ended", "--exact", "--nocapture"])
            .env(CHILD, &temporary)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let started = lines.find_map(|line| Some(line.split_once("started ")?.1.to_owned())).unwrap();
        // SAFETY: a plain call. The child is not waited for yet, so the number is its own.
        assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) }, 0);
        let said: Vec<String> = lines.collect();
        assert!(said.iter().any(|line| line.starts_with("Interrupted. out/report.md has")), "{said:?}");
        assert_eq!(child.wait().unwrap().code(), Some(128 + libc::SIGTERM));
        assert!(!temporary.exists());
        // Gone, or waiting for a parent that asks.
        let ends =
            || fs::read_to_string(format!("/proc/{started}/stat")).map_or(true, |text| text.contains(") Z "));
        while !ends() {
            thread::sleep(Duration::from_millis(1));
        }
    }
}
