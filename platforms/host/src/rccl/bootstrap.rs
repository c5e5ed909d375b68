//! How ranks find each other: `ncclGetUniqueId` listens, ranks register there and are told each other's ports.

use super::failure::Failure;
use crate::runtime::stream;
use rocm_sys::rccl::ncclUniqueId;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// How long ranks may take to come.
const PATIENCE: Duration = Duration::from_secs(600);
/// How long one that has come may take to say what it has to.
const GREETING: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(1);

const MAGIC: [u8; 8] = *b"hostrccl";
type Token = [u8; 16];

/// What a [`ncclUniqueId`] says: where ranks register, and what proves that they belong there.
#[derive(Clone, Copy)]
pub(super) struct Id {
    port: u16,
    token: Token,
}

/// Who registers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Registration {
    pub(super) rank: u32,
    pub(super) count: u32,
    pub(super) device: u32,
}

impl Id {
    /// Listens for ranks.
    pub(super) fn create() -> io::Result<Self> {
        let listener = listen()?;
        // `RandomState`'s keys are the system's random numbers: as good as the standard library has them.
        let random = || RandomState::new().hash_one(Instant::now()).to_le_bytes();
        let mut token = Token::default();
        token.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&random()));
        let id = Self { port: listener.local_addr()?.port(), token };
        thread::Builder::new().name("rccl-root".to_owned()).spawn(move || id.serve(&listener))?;
        Ok(id)
    }

    pub(super) fn to_raw(self) -> ncclUniqueId {
        let bytes = MAGIC.into_iter().chain(self.port.to_le_bytes()).chain(self.token);
        let mut raw = ncclUniqueId::default();
        raw.internal.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte.cast_signed());
        raw
    }

    /// `None`: another library's, or no id at all.
    pub(super) fn of_raw(raw: &ncclUniqueId) -> Option<Self> {
        let bytes = raw.internal.map(i8::cast_unsigned);
        let rest = bytes.strip_prefix(&MAGIC)?;
        let (port, rest) = rest.split_first_chunk()?;
        let (&token, _) = rest.split_first_chunk()?;
        Some(Self { port: u16::from_le_bytes(*port), token })
    }

    /// Waits for all ranks, and tells each of them the ports of all.
    fn serve(self, listener: &TcpListener) {
        let mut came: Vec<(Registration, u32, u16, TcpStream)> = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        while let Ok(socket) = accept(listener, deadline) {
            // Who does not know the token is no rank.
            let Ok((rank, process, port)) = self.read_registration(&socket) else { continue };
            let objection = came.iter().find_map(|(other, of, ..)| objection(other, *of, &rank, process));
            came.push((rank, process, port, socket));
            if let Some(text) = objection {
                return came.iter().for_each(|(.., socket)| reply(socket, 1, text.as_bytes()));
            }
            if came.len() == rank.count as usize {
                came.sort_by_key(|(rank, ..)| rank.rank);
                let ports: Vec<u8> = came.iter().flat_map(|(_, _, port, _)| port.to_le_bytes()).collect();
                return came.iter().for_each(|(.., socket)| reply(socket, 0, &ports));
            }
        }
    }

    fn read_registration(&self, mut socket: &TcpStream) -> io::Result<(Registration, u32, u16)> {
        socket.set_read_timeout(Some(GREETING))?;
        self.check_token(socket)?;
        let mut words = [[0; 4]; 5];
        words.iter_mut().try_for_each(|word| socket.read_exact(word))?;
        let [rank, count, device, process, port] = words.map(u32::from_le_bytes);
        Ok((Registration { rank, count, device }, process, port as u16))
    }

    fn check_token(&self, mut socket: &TcpStream) -> io::Result<()> {
        let mut token = Token::default();
        socket.read_exact(&mut token)?;
        if token == self.token { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
    }

    /// Registers, and connects to every other rank: a socket each, none to itself.
    pub(super) fn connect(&self, rank: Registration) -> Result<Vec<Option<TcpStream>>, Failure> {
        let listener = listen().map_err(|error| Failure::system("cannot listen on loopback", &error))?;
        let ports = self.register(rank, &listener)?;
        let error = |peer: usize, error: io::Error| {
            Failure::remote(format!("rank {} cannot connect to rank {peer}: {error}", rank.rank))
        };
        let mut sockets: Vec<Option<TcpStream>> = ports.iter().map(|_| None).collect();
        for (peer, &port) in ports.iter().enumerate().take(rank.rank as usize) {
            sockets[peer] = Some(self.greet(port, rank.rank).map_err(|found| error(peer, found))?);
        }
        let deadline = Instant::now() + PATIENCE;
        while let Some(missing) = (rank.rank as usize + 1..ports.len()).find(|&peer| sockets[peer].is_none())
        {
            let mut socket = accept(&listener, deadline).map_err(|found| error(missing, found))?;
            let mut peer = [0; 4];
            let known = socket.set_read_timeout(Some(GREETING)).is_ok()
                && self.check_token(&socket).is_ok()
                && socket.read_exact(&mut peer).is_ok();
            if let Some(slot) = sockets.get_mut(u32::from_le_bytes(peer) as usize).filter(|_| known) {
                *slot = Some(socket);
            }
        }
        Ok(sockets)
    }

    fn register(&self, rank: Registration, listener: &TcpListener) -> Result<Vec<u16>, Failure> {
        let ask = || -> io::Result<_> {
            let port = listener.local_addr()?.port();
            let mut root = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))?;
            let words = [rank.rank, rank.count, rank.device, std::process::id(), u32::from(port)];
            let message: Vec<u8> =
                self.token.into_iter().chain(words.into_iter().flat_map(u32::to_le_bytes)).collect();
            root.write_all(&message)?;
            root.set_read_timeout(Some(PATIENCE))?;
            let (mut status, mut answer) = ([0], Vec::new());
            root.read_exact(&mut status)?;
            root.read_to_end(&mut answer)?;
            Ok((status == [0], answer))
        };
        match ask() {
            Ok((true, ports)) => {
                Ok(ports.as_chunks().0.iter().map(|port| u16::from_le_bytes(*port)).collect())
            }
            Ok((false, text)) => Err(Failure::usage(String::from_utf8_lossy(&text))),
            Err(error) => Err(Failure::remote(format!("nobody answers at the id's address: {error}"))),
        }
    }

    fn greet(&self, port: u16, rank: u32) -> io::Result<TcpStream> {
        let mut socket = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        socket.write_all(&self.token)?;
        socket.write_all(&rank.to_le_bytes())?;
        Ok(socket)
    }
}

/// Why two ranks cannot be of one communicator.
fn objection(one: &Registration, of: u32, other: &Registration, process: u32) -> Option<String> {
    let ranks = (one.rank, other.rank);
    if one.count != other.count {
        return Some(format!(
            "rank {} says {} ranks, rank {} says {}",
            ranks.0, one.count, ranks.1, other.count
        ));
    }
    if one.rank == other.rank {
        return Some(format!("two ranks {}", one.rank));
    }
    let same = of == process && one.device == other.device;
    same.then(|| {
        format!("duplicate GPU: ranks {} and {} are both on device {}", ranks.0, ranks.1, one.device)
    })
}

fn reply(mut socket: &TcpStream, status: u8, answer: &[u8]) {
    // A rank that is gone will be missed by the others.
    let _ = socket.write_all(&[status]).and_then(|()| socket.write_all(answer));
}

fn listen() -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn accept(listener: &TcpListener, deadline: Instant) -> io::Result<TcpStream> {
    loop {
        match listener.accept() {
            Ok((socket, _)) => {
                socket.set_nonblocking(false)?;
                return Ok(socket);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        if Instant::now() > deadline || stream::is_exiting() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(POLL);
    }
}
