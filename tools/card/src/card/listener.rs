//! A program's lines as they come, and how it ended.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tools_common::process;

pub(super) struct Listener {
    child: Child,
    lines: Receiver<String>,
}

/// The process groups that may still run.
fn running() -> MutexGuard<'static, BTreeSet<u32>> {
    static RUNNING: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all that was started: ctrl-C reaches this program's own process group alone.
#[cfg(unix)]
pub(super) fn end_all() {
    running().iter().for_each(|&group| process::end_group(group));
}

/// What came instead of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Silence {
    /// Nothing for that long. The program was killed.
    Timeout(Duration),
    /// The program closed its streams.
    End,
}

/// How a program ended that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// With this exit status.
    Status(ExitStatus),
    /// It was killed when its time was over.
    Killed,
}

impl Listener {
    /// Starts a program in a process group of its own.
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        process::own_group(command);
        let mut running = running();
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        running.insert(child.id());
        drop(running);
        let (sender, lines) = mpsc::channel();
        let streams = [child.stdout.take().map(boxed), child.stderr.take().map(boxed)];
        for stream in streams.into_iter().flatten() {
            let sender = sender.clone();
            thread::spawn(move || send(stream, &sender));
        }
        Ok(Self { child, lines })
    }

    /// The next line; kills the program if none comes within the limit.
    pub(super) fn line(&mut self, limit: Duration) -> Result<String, Silence> {
        match self.lines.recv_timeout(limit) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::End),
            Err(RecvTimeoutError::Timeout) => {
                // If that fails it has just ended.
                let _ = process::end(&mut self.child);
                Err(Silence::Timeout(limit))
            }
        }
    }

    /// All that it still says, and how it ended unless it succeeded; kills it after the limit.
    pub(super) fn rest(mut self, limit: Duration) -> (String, Option<Ending>) {
        let until = Instant::now() + limit;
        let mut text = String::new();
        let killed = loop {
            match self.line(until.saturating_duration_since(Instant::now())) {
                Ok(line) => text.extend([line.as_str(), "\n"]),
                Err(silence) => break silence != Silence::End,
            }
        };
        match killed {
            true => (text, Some(Ending::Killed)),
            false => (text, self.ending(limit)),
        }
    }

    /// How it ended, unless it succeeded.
    pub(super) fn ending(mut self, limit: Duration) -> Option<Ending> {
        match process::wait(&mut self.child, limit) {
            Ok(Some(status)) if status.success() => None,
            Ok(Some(status)) => Some(Ending::Status(status)),
            Ok(None) | Err(_) => Some(Ending::Killed),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        running().remove(&self.child.id());
    }
}

impl Ending {
    /// Whether it ended by itself with this exit status.
    pub(super) fn is_status(&self, code: i32) -> bool {
        matches!(self, Ending::Status(status) if status.code() == Some(code))
    }
}

impl std::fmt::Display for Ending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Ending::Status(status) => status.fmt(f),
            Ending::Killed => f.write_str("killed when its time was over"),
        }
    }
}

fn boxed(stream: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(stream)
}

/// Until the stream ends, or nobody listens.
fn send(stream: impl Read, sender: &Sender<String>) {
    for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
        if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longer than a shell takes on any machine.
    const LONG: Duration = Duration::from_secs(600);

    fn shell(script: &str) -> Listener {
        Listener::start(Command::new("sh").args(["-c", script])).unwrap()
    }

    #[test]
    fn lines_of_both_streams_and_the_status() {
        let (text, ending) = shell("echo out; echo err >&2").rest(LONG);
        let mut lines: Vec<_> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!((lines, ending), (vec!["err", "out"], None));
        let (_, ending) = shell("exit 3").rest(LONG);
        assert_eq!(ending.unwrap().to_string(), "exit status: 3");
    }

    #[test]
    fn silence_ends_a_program_and_what_it_started() {
        let mut silent = shell("echo first; sleep 1000 & sleep 1000");
        assert_eq!(silent.line(LONG).as_deref(), Ok("first"));
        let limit = Duration::from_millis(50);
        assert_eq!(silent.line(limit), Err(Silence::Timeout(limit)));
        // Its child held the stream open too.
        assert_eq!(silent.line(LONG), Err(Silence::End));
        assert_eq!(shell("sleep 1000").rest(limit).1, Some(Ending::Killed));
    }
}
