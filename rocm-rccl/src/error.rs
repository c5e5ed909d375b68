//! What can go wrong, with the rank, the operation and what was waited for.

use std::fmt;
use std::time::Duration;

use rocm_hip::HipError;
use serde::{Deserialize, Serialize};

use crate::host_memory::through_host_memory;

/// Shorthand for results of this crate.
pub type Result<T, E = RcclError> = std::result::Result<T, E>;

/// Every failure of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RcclError {
    /// The communicator is of no use any more: all of its calls return this. Make a new one.
    #[error(transparent)]
    Failed(#[from] Failure),

    /// The ranks did not come together.
    #[error("rank {rank} of {world_size}: {refusal}")]
    Rendezvous {
        /// This rank.
        rank: u32,
        /// How many this rank expected.
        world_size: u32,
        /// Why.
        refusal: Refusal,
    },

    /// A function of RCCL failed.
    #[error("rank {rank}: {call} failed on {device}: {name}{}", tail(message))]
    Call {
        /// This rank.
        rank: u32,
        /// The C function.
        call: &'static str,
        /// The device, as `amd:0`.
        device: String,
        /// The code's name, as `ncclInvalidUsage`.
        name: &'static str,
        /// What RCCL says about it; may be empty.
        message: String,
    },

    /// An operand does not fit.
    #[error("{operation}: {message}")]
    InvalidArgument {
        /// The operation.
        operation: &'static str,
        /// What is wrong, and what would be right.
        message: String,
    },

    /// What started this process did not say which rank it is.
    #[error(
        "{variable}: {message}; start the program with torchrun, srun or mpirun, or set RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and \
         MASTER_PORT"
    )]
    Environment {
        /// The variable.
        variable: &'static str,
        /// What is wrong with it.
        message: String,
    },

    /// Text that is no [`UniqueId`](crate::UniqueId).
    #[error("{0:?} is not an id: they look like 127.0.0.1:40321/8d0f3a52e1b7496c")]
    InvalidId(String),

    /// RCCL is missing, or the device failed.
    #[error(transparent)]
    Hip(#[from] HipError),

    /// A library lacks a function.
    #[error(transparent)]
    MissingSymbol(#[from] rocm_sys::MissingSymbol),
}

/// Why a communicator failed, as one of its ranks sees it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Failure {
    /// This rank.
    pub rank: u32,
    /// What it waited for, as `all_reduce #7 (sum of 1024 f32)`; `None` if nothing was queued.
    pub operation: Option<String>,
    /// What happened.
    pub cause: Cause,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: ", self.rank)?;
        if let Some(operation) = &self.operation {
            write!(f, "{operation} failed: ")?;
        }
        write!(f, "{}; make a new communicator to go on", self.cause)
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
    /// A rank dropped its communicator before it had made the call that this one waits for.
    Left {
        /// The rank.
        rank: u32,
    },
    /// An operation took longer than the limit.
    Timeout {
        /// Who waited.
        rank: u32,
        /// For what.
        operation: String,
        /// The limit.
        limit: Duration,
        /// Who had not made the call by then, as far as known.
        missing: Vec<u32>,
    },
    /// Two ranks made different calls.
    Mismatch {
        /// One rank.
        rank: u32,
        /// What it called.
        called: String,
        /// The other rank.
        other: u32,
        /// What that one called.
        expected: String,
    },
    /// RCCL reported an error after the call had returned.
    Library {
        /// Who it was reported to.
        rank: u32,
        /// The code's name.
        name: String,
        /// What RCCL says about it.
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
                write!(f, "rank {rank} is gone: its process ended, or its connection broke")
            }
            Self::Left { rank } => write!(f, "rank {rank} dropped its communicator without making this call"),
            Self::Timeout { rank, operation, limit, missing } => {
                write!(f, "rank {rank} waited longer than {limit:?} for {operation}")?;
                match &missing[..] {
                    [] if through_host_memory() => Ok(()),
                    [] => f.write_str(PEER_ACCESS),
                    ranks => write!(f, ", which {} not called", have(ranks)),
                }
            }
            Self::Mismatch { rank, called, other, expected } => {
                write!(f, "rank {rank} called {called} where rank {other} called {expected}")
            }
            Self::Library { rank, name, message } => {
                write!(f, "RCCL reports {name} to rank {rank}{}", tail(message))
            }
            Self::Aborted { rank } => write!(f, "rank {rank} aborted the communicator"),
        }
    }
}

/// What helps where RCCL itself does not come back.
const PEER_ACCESS: &str = "; if its cards are in one machine, copies from card to card may hang there: with NCCL_P2P_DISABLE=1 RCCL goes \
                           through host memory (`cargo rocm doctor` tries such copies)";

/// Why ranks did not come together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Refusal {
    /// Nobody listens at the address, or it is not a rendezvous.
    Unreachable {
        /// The address.
        address: String,
        /// How the last attempt failed.
        error: String,
    },
    /// Ranks did not come within the limit.
    Missing {
        /// They.
        ranks: Vec<u32>,
        /// The limit.
        limit: Duration,
    },
    /// Two ranks expect different numbers of ranks.
    WorldSize {
        /// One rank.
        rank: u32,
        /// What it expects.
        world_size: u32,
        /// The other.
        other: u32,
        /// What that one expects.
        expected: u32,
    },
    /// Two processes say that they are the same rank.
    SameRank {
        /// The rank.
        rank: u32,
    },
    /// A rank's process ended before all had come.
    Lost {
        /// The rank.
        rank: u32,
    },
    /// The other side is not a rank of this job.
    Stranger {
        /// What it sent.
        why: String,
    },
    /// The address cannot be listened at.
    Listen {
        /// The address.
        address: String,
        /// Why.
        error: String,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { address, error } => {
                write!(f, "rank 0 did not come: nobody answers at {address} ({error})")
            }
            Self::Missing { ranks, limit } => write!(f, "{} not come within {limit:?}", have(ranks)),
            Self::WorldSize { rank, world_size, other, expected } => {
                write!(f, "rank {rank} expects {world_size} ranks, and rank {other} expects {expected}")
            }
            Self::SameRank { rank } => write!(f, "two processes say that they are rank {rank}"),
            Self::Lost { rank } => write!(f, "rank {rank} was gone before all had come"),
            Self::Stranger { why } => write!(f, "not a rank of this job: {why}"),
            Self::Listen { address, error } => write!(
                f,
                "cannot listen at {address} ({error}); CANDLE_ROCM_RENDEZVOUS_BIND names another address of this machine"
            ),
        }
    }
}

/// `rank 3 has`, `ranks 1, 3 have`.
fn have(ranks: &[u32]) -> String {
    match ranks {
        [rank] => format!("rank {rank} has"),
        ranks => format!("ranks {} have", ranks.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn tail(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}
