//! The connection to another rank: what is sent never waits for the other side to read.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often one that reads or writes looks whether it shall stop.
const POLL: Duration = Duration::from_millis(5);

pub(super) struct Peer {
    socket: TcpStream,
    writer: Mutex<Option<Writer>>,
}

struct Writer {
    outbox: Sender<Vec<u8>>,
    /// Sends what the other side takes at once, and drops the rest.
    hurried: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Peer {
    pub(super) fn new(socket: TcpStream) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(POLL))?;
        socket.set_write_timeout(Some(POLL))?;
        let (to, hurried) = (socket.try_clone()?, Arc::new(AtomicBool::new(false)));
        let (outbox, messages) = mpsc::channel::<Vec<u8>>();
        let hurry = hurried.clone();
        let write = move || {
            // Who does not read any more is found out by what is not received from it.
            let _ = messages.iter().try_for_each(|message| write(&to, &message, &hurry));
        };
        let thread = thread::Builder::new().name("rccl-send".to_owned()).spawn(write)?;
        Ok(Self { socket, writer: Mutex::new(Some(Writer { outbox, hurried, thread })) })
    }

    pub(super) fn send(&self, message: Vec<u8>) {
        if let Some(writer) = &*self.writer.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writer.outbox.send(message);
        }
    }

    /// Fills the buffer. `Ok(false)`: told to stop before it was full.
    pub(super) fn receive(&self, buffer: &mut [u8], stop: impl Fn() -> bool) -> io::Result<bool> {
        let mut done = 0;
        while done < buffer.len() {
            match (&self.socket).read(&mut buffer[done..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => done += count,
                Err(error) if is_poll(&error) => {}
                Err(error) => return Err(error),
            }
            if done < buffer.len() && stop() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Ends the connection when all is sent or, if this is `now`, when the other side takes no more. So a rank whose calls do not fit
    /// hears of that from the call, although this rank may have been aborted for it already.
    pub(super) fn close(&self, now: bool) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Writer { outbox, hurried, thread }) = writer {
            hurried.store(now, Ordering::Release);
            drop(outbox);
            let _ = thread.join();
        }
        let _ = self.socket.shutdown(if now { Shutdown::Both } else { Shutdown::Write });
    }
}

fn write(mut to: &TcpStream, mut message: &[u8], hurried: &AtomicBool) -> io::Result<()> {
    while !message.is_empty() {
        match to.write(message) {
            Ok(count) => message = &message[count..],
            Err(error) if is_poll(&error) && !hurried.load(Ordering::Acquire) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Nothing went wrong: it is time for a look whether to stop.
fn is_poll(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
