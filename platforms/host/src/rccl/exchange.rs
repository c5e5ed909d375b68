//! What the ranks of an operation send each other, and what they make of it.

use super::failure::Failure;
use super::peer::Peer;
use super::reduce;
use crate::processor::Fault;
use crate::runtime::registry::{self, MemoryKind};
use rocm_platform::rccl::Operation;
use rocm_sys::hip::hipError_t;
use rocm_sys::rccl::{ncclDataType_t, ncclRedOp_t};
use std::collections::VecDeque;
use std::ops::Range;
use std::slice;

/// An operation whose arguments have been checked.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) operation: Operation,
    /// Addresses; 0 where there is none.
    pub(super) operand: usize,
    pub(super) result: usize,
    pub(super) count: usize,
    pub(super) datatype: ncclDataType_t,
}

/// The ranks of a communicator, as one of them sees them.
pub(super) struct Ranks<'a, S: Fn() -> bool> {
    pub(super) rank: usize,
    /// None to itself.
    pub(super) peers: &'a [Option<Peer>],
    pub(super) stop: S,
}

/// Why an exchange ended early.
pub(super) enum Ended {
    /// The communicator was aborted.
    Stopped,
    Failed(Failure),
    /// The device did wrong, not the communicator.
    Fault(Fault),
}

const HEADER: usize = 25;

impl Request {
    fn bytes(&self) -> usize {
        self.count * reduce::size_of_type(self.datatype).unwrap_or(1)
    }

    /// The lengths of operand and result in bytes, on this rank of so many.
    pub(super) fn sizes(&self, rank: usize, ranks: usize) -> (usize, usize) {
        let bytes = self.bytes();
        match self.operation {
            Operation::AllReduce { .. } => (bytes, bytes),
            Operation::Reduce { root, .. } => (bytes, if root as usize == rank { bytes } else { 0 }),
            Operation::ReduceScatter { .. } => (bytes * ranks, bytes),
            Operation::Broadcast { root } => (if root as usize == rank { bytes } else { 0 }, bytes),
            Operation::AllGather => (bytes, bytes * ranks),
            Operation::Send { .. } => (bytes, 0),
            Operation::Recv { .. } => (0, bytes),
        }
    }

    /// Which part of the operand a rank gets from another.
    fn part(&self, from: usize, to: usize) -> Range<usize> {
        let bytes = self.bytes();
        match self.operation {
            Operation::ReduceScatter { .. } => to * bytes..(to + 1) * bytes,
            Operation::Reduce { root, .. } if root as usize != to => 0..0,
            Operation::Broadcast { root } if root as usize != from => 0..0,
            _ => 0..bytes,
        }
    }

    /// What ranks must agree on: equal for equal calls, and for a `send` and its `recv`.
    fn header(&self) -> [u8; HEADER] {
        let (kind, op, root): (u8, u32, i32) = match self.operation {
            Operation::AllReduce { op } => (0, op.0, 0),
            Operation::Reduce { op, root } => (1, op.0, root),
            Operation::ReduceScatter { op } => (2, op.0, 0),
            Operation::Broadcast { root } => (3, 0, root),
            Operation::AllGather => (4, 0, 0),
            Operation::Send { .. } | Operation::Recv { .. } => (5, 0, 0),
        };
        let mut header = [0; HEADER];
        header[0] = kind;
        header[1..5].copy_from_slice(&op.to_le_bytes());
        header[5..9].copy_from_slice(&root.to_le_bytes());
        header[9..13].copy_from_slice(&self.datatype.0.to_le_bytes());
        header[13..21].copy_from_slice(&(self.count as u64).to_le_bytes());
        header
    }

    fn operand(&self, range: Range<usize>) -> Result<&[u8], Ended> {
        let (address, len) = (self.operand + range.start, range.len());
        check(address, len)?;
        // SAFETY: the memory is there, and work queued before has written it.
        Ok(if len == 0 { &[] } else { unsafe { slice::from_raw_parts(address as *const u8, len) } })
    }

    fn write(&self, offset: usize, bytes: &[u8]) -> Result<(), Ended> {
        let address = self.result + offset;
        check(address, bytes.len())?;
        // SAFETY: the memory is there, and the stream's work has it for itself. The bytes may be its own.
        unsafe { (address as *mut u8).copy_from(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

/// Memory may have been freed since the call.
fn check(address: usize, len: usize) -> Result<(), Ended> {
    if len == 0 || matches!(registry::kind(address, len), Ok(MemoryKind::Device | MemoryKind::Pinned)) {
        return Ok(());
    }
    let text = format!("a collective uses {len} bytes at {address:#x}, which are no allocation any more");
    Err(Ended::Fault(Fault::new(hipError_t::hipErrorIllegalAddress, text)))
}

impl<S: Fn() -> bool> Ranks<'_, S> {
    /// Runs the operations of a group: what is sent to single ranks leaves before anything is awaited.
    pub(super) fn run(&self, group: &[Request]) -> Result<(), Ended> {
        let mut to_itself = VecDeque::new();
        for request in group {
            let Operation::Send { peer } = request.operation else { continue };
            let operand = request.operand(0..request.bytes())?;
            match &self.peers[peer as usize] {
                Some(peer) => peer.send([&request.header(), operand].concat()),
                None => to_itself.push_back((request.header(), operand.to_vec())),
            }
        }
        for request in group {
            let Operation::Recv { peer } = request.operation else { continue };
            let own = if peer as usize == self.rank { to_itself.pop_front() } else { None };
            let bytes = match own {
                Some((header, _)) if header != request.header() => {
                    return Err(Ended::Failed(mismatch(self.rank, &header, self.rank, &request.header())));
                }
                Some((_, bytes)) => bytes,
                None => self.receive(peer as usize, request, request.bytes())?,
            };
            request.write(0, &bytes)?;
        }
        let collectives = group
            .iter()
            .filter(|request| !matches!(request.operation, Operation::Send { .. } | Operation::Recv { .. }));
        collectives.into_iter().try_for_each(|request| self.collective(request))
    }

    fn collective(&self, request: &Request) -> Result<(), Ended> {
        let ranks = 0..self.peers.len();
        for (to, peer) in self.peers.iter().enumerate() {
            if let Some(peer) = peer {
                peer.send([&request.header(), request.operand(request.part(self.rank, to))?].concat());
            }
        }
        let contribution = |from: usize| match from == self.rank {
            true => Ok(request.operand(request.part(from, from))?.to_vec()),
            false => self.receive(from, request, request.part(from, self.rank).len()),
        };
        let parts: Vec<Vec<u8>> = ranks.map(contribution).collect::<Result<_, Ended>>()?;
        let reduced = |op: ncclRedOp_t| {
            let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            reduce::reduce(request.datatype, op, &parts)
        };
        match request.operation {
            Operation::AllReduce { op } | Operation::ReduceScatter { op } => request.write(0, &reduced(op)),
            Operation::Reduce { op, root } if root as usize == self.rank => request.write(0, &reduced(op)),
            Operation::Broadcast { root } => request.write(0, &parts[root as usize]),
            Operation::AllGather => request.write(0, &parts.concat()),
            Operation::Reduce { .. } | Operation::Send { .. } | Operation::Recv { .. } => Ok(()),
        }
    }

    fn receive(&self, from: usize, request: &Request, len: usize) -> Result<Vec<u8>, Ended> {
        let Some(peer) = &self.peers[from] else {
            return Err(Ended::Failed(Failure::usage(format!(
                "rank {from} receives from itself what it does not send"
            ))));
        };
        let read = |buffer: &mut [u8]| match peer.receive(buffer, &self.stop) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Ended::Stopped),
            Err(error) => {
                let text =
                    format!("rank {from} is gone ({error}), which {} waits for", describe(&request.header()));
                Err(Ended::Failed(Failure::remote(text)))
            }
        };
        let mut header = [0; HEADER];
        read(&mut header)?;
        if header != request.header() {
            return Err(Ended::Failed(mismatch(from, &header, self.rank, &request.header())));
        }
        let mut bytes = vec![0; len];
        read(&mut bytes)?;
        Ok(bytes)
    }
}

fn mismatch(one: usize, called: &[u8; HEADER], other: usize, expected: &[u8; HEADER]) -> Failure {
    Failure::usage(format!(
        "rank {one} called {} where rank {other} called {}",
        describe(called),
        describe(expected)
    ))
}

fn describe(header: &[u8; HEADER]) -> String {
    let word = |at: usize| header[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let count = header[13..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let names = ["AllReduce", "Reduce", "ReduceScatter", "Broadcast", "AllGather", "Send or ncclRecv"];
    let name = names.get(usize::from(header[0])).unwrap_or(&"?");
    format!("nccl{name} (count {count}, datatype {}, op {}, root {})", word(9), word(1), word(5))
}
