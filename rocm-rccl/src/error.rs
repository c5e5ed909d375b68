//! What can go wrong, with the rank, the operation and what was waited for.

use std::fmt;
use std::time::Duration;

use rocm_hip::HipError;
use serde::{Deserialize, Serialize};

use crate::host_memory::through_host_memory;

/// A result whose error is [`RcclError`] unless stated otherwise.
pub type Result<T, E = RcclError> = std::result::Result<T, E>;

/// The errors of this crate. `Debug` prints what `Display` does, since that is what `main` and `unwrap` print.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RcclError {
    /// The communicator can no longer be used: all of its calls return this error. Create a new one.
    #[error(transparent)]
    Failed(#[from] Failure),

    /// The ranks did not all join.
    #[error("rank {rank} of {world_size}: {refusal}")]
    Rendezvous {
        /// This rank.
        rank: u32,
        /// The number of ranks that this rank expected.
        world_size: u32,
        /// The reason.
        refusal: Refusal,
    },

    /// A function of RCCL failed.
    #[error("rank {rank}: {call} failed on {device}: {name}{}", tail(message))]
    Call {
        /// This rank.
        rank: u32,
        /// The C function.
        call: &'static str,
        /// The device, such as `amd:0`.
        device: String,
        /// The name of the result code, such as `ncclInvalidUsage`.
        name: &'static str,
        /// RCCL's description; may be empty.
        message: String,
    },

    /// An argument is invalid.
    #[error("{operation}: {message}")]
    InvalidArgument {
        /// The operation.
        operation: &'static str,
        /// What is wrong, and what would be valid.
        message: String,
    },

    /// The environment does not say which rank this process is.
    #[error(
        "{variable}: {message}; start the program with torchrun, srun or mpirun, or set RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and \
         MASTER_PORT"
    )]
    Environment {
        /// The variable.
        variable: &'static str,
        /// What is wrong with the variable.
        message: String,
    },

    /// The text is not a [`UniqueId`](crate::UniqueId).
    #[error("{0:?} is not an id; ids look like 127.0.0.1:40321/8d0f3a52e1b7496c")]
    InvalidId(String),

    /// RCCL is not available, or the device failed.
    #[error(transparent)]
    Hip(#[from] HipError),

    /// A library lacks a function.
    #[error(transparent)]
    MissingSymbol(#[from] rocm_sys::MissingSymbol),
}

impl fmt::Debug for RcclError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Why a communicator failed, as one of its ranks sees it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Failure {
    /// This rank.
    pub rank: u32,
    /// The operation it waited for, such as `all_reduce #7 (sum of 1024 f32)`; `None` if nothing was queued.
    pub operation: Option<String>,
    /// The cause.
    pub cause: Cause,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: ", self.rank)?;
        if let Some(operation) = &self.operation {
            write!(f, "{operation} failed: ")?;
        }
        write!(f, "{}; create a new communicator to continue", self.cause)
    }
}

/// What happened to a communicator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Cause {
    /// A rank's process ended, or the connection to it broke.
    Lost {
        /// The rank.
        rank: u32,
    },
    /// A rank dropped its communicator before making the call that this one waits for.
    Left {
        /// The rank.
        rank: u32,
    },
    /// An operation took longer than the limit.
    Timeout {
        /// The rank that waited.
        rank: u32,
        /// The operation that it waited for.
        operation: String,
        /// The limit.
        limit: Duration,
        /// The ranks that had not made the call by then, as far as known.
        missing: Vec<u32>,
    },
    /// Two ranks made different calls.
    Mismatch {
        /// One rank.
        rank: u32,
        /// Its call.
        called: String,
        /// The other rank.
        other: u32,
        /// The other rank's call.
        expected: String,
    },
    /// RCCL reported an error after the call returned.
    Library {
        /// The rank that received the error.
        rank: u32,
        /// The name of the result code.
        name: String,
        /// RCCL's description.
        message: String,
    },
    /// A rank called [`abort`](crate::Communicator::abort).
    Aborted {
        /// The rank.
        rank: u32,
    },
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost { rank } => {
                write!(f, "rank {rank} was lost: its process exited or the connection broke")
            }
            Self::Left { rank } => write!(f, "rank {rank} dropped its communicator before making this call"),
            Self::Timeout { rank, operation, limit, missing } => {
                write!(f, "rank {rank} timed out after {limit:?} waiting for {operation}")?;
                match &missing[..] {
                    [] if through_host_memory() => Ok(()),
                    [] => f.write_str(PEER_ACCESS),
                    ranks => write!(f, ", not called by {}", list(ranks)),
                }
            }
            Self::Mismatch { rank, called, other, expected } => {
                write!(f, "rank {rank} called {called} where rank {other} called {expected}")
            }
            Self::Library { rank, name, message } => {
                write!(f, "RCCL reported {name} on rank {rank}{}", tail(message))
            }
            Self::Aborted { rank } => write!(f, "rank {rank} aborted the communicator"),
        }
    }
}

/// What may help if every rank made the call, so RCCL itself hangs.
const PEER_ACCESS: &str = "; if the cards are in one machine, copies between them may be hanging: set NCCL_P2P_DISABLE=1 to make RCCL \
                           use host memory (`cargo rocm doctor` tests such copies)";

/// Why the ranks did not all join.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Refusal {
    /// Nothing listens at the address, or what listens is not a rendezvous.
    Unreachable {
        /// The address.
        address: String,
        /// The error of the last attempt.
        error: String,
    },
    /// Ranks did not join within the limit.
    Missing {
        /// The missing ranks.
        ranks: Vec<u32>,
        /// The limit.
        limit: Duration,
    },
    /// Two ranks expect different numbers of ranks.
    WorldSize {
        /// One rank.
        rank: u32,
        /// The number that it expects.
        world_size: u32,
        /// The other rank.
        other: u32,
        /// The number that the other one expects.
        expected: u32,
    },
    /// Two processes claim the same rank.
    SameRank {
        /// The rank.
        rank: u32,
    },
    /// A rank's process ended before all ranks had joined.
    Lost {
        /// The rank.
        rank: u32,
    },
    /// The connection is not from a rank of this job.
    Stranger {
        /// What it sent, or failed to send.
        why: String,
    },
    /// Rank 0 cannot listen at the address.
    Listen {
        /// The address.
        address: String,
        /// The reason.
        error: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { address, error } => write!(f, "cannot reach rank 0 at {address}: {error}"),
            Self::Missing { ranks, limit } => write!(f, "{} did not join within {limit:?}", list(ranks)),
            Self::WorldSize { rank, world_size, other, expected } => {
                write!(f, "rank {rank} expects {world_size} ranks, but rank {other} expects {expected}")
            }
            Self::SameRank { rank } => write!(f, "two processes claim to be rank {rank}"),
            Self::Lost { rank } => write!(f, "rank {rank} was lost before all ranks had joined"),
            Self::Stranger { why } => write!(f, "not a rank of this job: {why}"),
            Self::Listen { address, error } => write!(
                f,
                "cannot listen on {address} ({error}); set CANDLE_ROCM_RENDEZVOUS_BIND to another address of this machine"
            ),
        }
    }
}

/// `rank 3`, `ranks 1, 3`.
fn list(ranks: &[u32]) -> String {
    match ranks {
        [rank] => format!("rank {rank}"),
        ranks => format!("ranks {}", ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn tail(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}
