//! A rank's connection to the hub.

use std::io::{self, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use crate::message::{self, Hello, Notice, Report};
use crate::{Refusal, UniqueId};

/// How often a rank looks for a hub that is not there yet.
const AGAIN: Duration = Duration::from_millis(20);
/// How long the hub may take beyond the limit, to say who is missing.
const GRACE: Duration = Duration::from_secs(30);
/// How long a look for notices takes at most.
const LOOK: Duration = Duration::from_millis(1);

pub(crate) struct Link {
    socket: TcpStream,
    /// What was read of a line.
    partial: Vec<u8>,
    closed: bool,
}

impl Link {
    /// Meets the other ranks. Returns RCCL's own id too.
    pub(crate) fn join(id: &UniqueId, hello: &Hello) -> Result<(Self, Vec<u8>), Refusal> {
        let deadline = Instant::now() + hello.limit;
        loop {
            let error = match Self::ask(id.address(), hello) {
                Ok((socket, Notice::Welcome(id))) => {
                    return Ok((Self { socket, partial: Vec::new(), closed: false }, id));
                }
                Ok((_, Notice::Refused(refusal))) => return Err(refusal),
                Ok(_) => io::ErrorKind::InvalidData.into(),
                Err(error) => error,
            };
            if Instant::now() > deadline {
                let (address, error) = (id.address().to_string(), error.to_string());
                return Err(Refusal::Unreachable { address, error });
            }
            thread::sleep(AGAIN);
        }
    }

    /// Connects, and waits until all ranks have come.
    fn ask(address: SocketAddr, hello: &Hello) -> io::Result<(TcpStream, Notice)> {
        let socket = TcpStream::connect_timeout(&address, hello.limit.max(AGAIN))?;
        socket.set_nodelay(true)?;
        socket.set_write_timeout(Some(GRACE))?;
        message::send(&socket, hello)?;
        socket.set_read_timeout(Some(hello.limit + GRACE))?;
        // Nothing follows before this rank has said something.
        let notice = message::receive(&mut BufReader::new(&socket))?.ok_or(io::ErrorKind::UnexpectedEof)?;
        socket.set_read_timeout(Some(LOOK))?;
        Ok((socket, notice))
    }

    pub(crate) fn send(&mut self, report: &Report) {
        if !self.closed && message::send(&self.socket, report).is_err() {
            self.closed = true;
        }
    }

    /// The next thing that the hub has said, if there is one.
    pub(crate) fn next(&mut self) -> Option<Notice> {
        let mut chunk = [0; 4096];
        loop {
            while let Some(end) = self.partial.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.partial.drain(..=end).collect();
                if let Ok(notice) = message::parse(&line) {
                    return Some(notice);
                }
            }
            if self.closed {
                return None;
            }
            match self.socket.read(&mut chunk) {
                Ok(0) => self.closed = true,
                Ok(count) => self.partial.extend(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    return None;
                }
                Err(_) => self.closed = true,
            }
        }
    }

    /// Whether the hub is gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }
}
