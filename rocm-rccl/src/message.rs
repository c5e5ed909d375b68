//! What ranks and the hub tell each other: a line of JSON each.

use std::io::{self, BufRead, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::description::Description;
use crate::{Cause, Refusal};

/// The longest line. A rank tells of as many calls at once as fit.
const LONGEST: u64 = 1 << 20;
/// How many calls are told of at once.
pub(crate) const BATCH: usize = 1000;

/// Comes first on every connection.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) token: String,
    pub(crate) rank: u32,
    pub(crate) world_size: u32,
    /// How long the rank waits for the others.
    pub(crate) limit: Duration,
    /// RCCL's own id, from rank 0.
    pub(crate) id: Option<Vec<u8>>,
}

/// What a rank tells the hub.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// RCCL has connected it.
    Ready,
    /// Collectives that it called since the last report.
    Called(Vec<Description>),
    /// An operation takes too long; with its number, if it is a collective.
    Stuck { number: Option<u64>, operation: String, limit: Duration },
    /// It gives the communicator up.
    Failed(Cause),
    /// It is done with the communicator.
    Bye,
}

/// What the hub tells a rank.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Notice {
    /// All have come; RCCL's own id.
    Welcome(Vec<u8>),
    Refused(Refusal),
    /// RCCL has connected all.
    Ready,
    /// A rank dropped its communicator after so many collectives.
    Left {
        rank: u32,
        calls: u64,
    },
    Failed(Cause),
}

pub(crate) fn send<T: Serialize>(mut socket: &TcpStream, message: &T) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    socket.write_all(&line)
}

/// `None`: the connection was closed.
pub(crate) fn receive<T: DeserializeOwned>(from: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    if line.is_empty() { Ok(None) } else { parse(&line).map(Some) }
}

pub(crate) fn parse<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(line)?)
}
