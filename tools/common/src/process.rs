//! Processes that are ended when their time is over, with all that they started.

use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};
use std::{io, thread};

/// How long a killed process may take to end. One that waits in the kernel for a card that hangs may never do so.
const LAST: Duration = Duration::from_secs(10);

/// Waits for a child started in a [group of its own](own_group); `None` if its time was over, and it was killed.
pub fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    match wait_for(child, limit)? {
        Some(status) => Ok(Some(status)),
        None => end(child).map(|()| None),
    }
}

/// Kills a child and what it started, and waits for a while until it is gone.
pub fn end(child: &mut Child) -> io::Result<()> {
    end_group(child.id());
    child.kill()?;
    wait_for(child, LAST).map(|_| ())
}

fn wait_for(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if began.elapsed() >= limit {
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Lets a command be ended with all that it starts.
#[cfg(unix)]
pub fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Kills all processes of a child's group. The child must not have been waited for, so that its number is nobody else's.
#[cfg(unix)]
pub fn end_group(child: u32) {
    let group = libc::pid_t::try_from(child).unwrap_or(0);
    // SAFETY: no memory is involved.
    if group > 1 && unsafe { libc::kill(-group, libc::SIGKILL) } != 0 {
        use std::io::Write;
        let _ =
            writeln!(io::stderr(), "process group {group} cannot be ended: {}", io::Error::last_os_error());
    }
}

/// There are no groups: the child is ended alone.
#[cfg(not(unix))]
pub fn own_group(_: &mut Command) {}

/// There are no groups.
#[cfg(not(unix))]
pub fn end_group(_: u32) {}
