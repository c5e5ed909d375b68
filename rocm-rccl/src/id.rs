//! What ranks need to find each other.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::time::Instant;

use crate::{RcclError, Refusal, Result, hub};

/// Where the ranks of one communicator meet, and a secret token that shows that they belong there. Pass it to other processes as text, in
/// an argument, a file or a variable.
///
/// The ranks connect to the process that created the id, so that process must outlive the communicator. The port is open until all ranks
/// have joined, and refuses connections that do not know the id.
///
/// ```
/// use rocm_rccl::UniqueId;
/// let id = UniqueId::new()?;
/// assert_eq!(id.to_string().parse::<UniqueId>()?, id);
/// assert!(id.address().ip().is_loopback());
/// # Ok::<(), rocm_rccl::RcclError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniqueId {
    address: SocketAddr,
    token: String,
}

impl UniqueId {
    /// Creates an id for ranks on this machine.
    ///
    /// # Errors
    /// [`RcclError::Rendezvous`] if no port is available to listen at.
    pub fn new() -> Result<Self> {
        Self::at(IpAddr::V4(Ipv4Addr::LOCALHOST))
    }

    /// Creates an id for ranks that reach this machine at the given address, which must be one of its own.
    ///
    /// # Errors
    /// As [`UniqueId::new`].
    pub fn at(address: IpAddr) -> Result<Self> {
        let random = || RandomState::new().hash_one(Instant::now());
        let token = format!("{:016x}{:016x}", random(), random());
        Self::listen(SocketAddr::new(address, 0), token)
    }

    /// Listens for ranks that know the token.
    pub(crate) fn listen(address: SocketAddr, token: String) -> Result<Self> {
        let address = hub::start(address, token.clone()).map_err(|error| RcclError::Rendezvous {
            rank: 0,
            world_size: 0,
            refusal: Refusal::Listen { address: address.to_string(), error: error.to_string() },
        })?;
        Ok(Self { address, token })
    }

    /// An id that another process listens for.
    pub(crate) fn of(address: SocketAddr, token: String) -> Self {
        Self { address, token }
    }

    /// The address to which ranks connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }
}

impl fmt::Display for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.token)
    }
}

impl FromStr for UniqueId {
    type Err = RcclError;

    fn from_str(text: &str) -> Result<Self> {
        let parts = text.trim().split_once('/');
        let id = parts.and_then(|(address, token)| Some(Self::of(address.parse().ok()?, token.to_owned())));
        id.filter(|id| !id.token.is_empty()).ok_or_else(|| RcclError::InvalidId(text.to_owned()))
    }
}
