//! How RCCL is called.

use std::ffi::c_void;

use rocm_sys::MissingSymbol;
use rocm_sys::hip::hipStream_t;
use rocm_sys::rccl::{Rccl, ncclComm, ncclDataType_t, ncclRedOp_t, ncclResult_t};

/// The type of elements that are only moved: bytes, so that any can be.
pub(crate) const BYTES: ncclDataType_t = ncclDataType_t::ncclUint8;

/// What RCCL is called with. Addresses are 0 where there is nothing.
#[derive(Clone, Copy)]
pub(crate) struct Arguments {
    pub(crate) operation: Operation,
    pub(crate) operand: usize,
    pub(crate) result: usize,
    pub(crate) count: usize,
    pub(crate) datatype: ncclDataType_t,
}

#[derive(Clone, Copy)]
pub(crate) enum Operation {
    AllReduce(ncclRedOp_t),
    ReduceScatter(ncclRedOp_t),
    AllGather,
    Broadcast(i32),
    Send(i32),
    Receive(i32),
    /// The bytes of a part.
    AllToAll(usize),
}

impl Arguments {
    /// The function's name, and what it returned.
    pub(crate) fn call(
        &self,
        rccl: &Rccl,
        comm: *mut ncclComm,
        stream: hipStream_t,
        ranks: u32,
    ) -> (&'static str, Result<ncclResult_t, MissingSymbol>) {
        let Self { count, datatype, .. } = *self;
        let (operand, result) = (self.operand as *const c_void, self.result as *mut c_void);
        // SAFETY: the communicator lives, and with it nobody calls RCCL at the same time; the buffers are of its device and as long as
        // the operation needs, and are borrowed until it is queued on their own stream, or they know that another one uses them.
        unsafe {
            match self.operation {
                Operation::AllReduce(op) => {
                    ("ncclAllReduce", rccl.ncclAllReduce(operand, result, count, datatype, op, comm, stream))
                }
                Operation::ReduceScatter(op) => {
                    let code = rccl.ncclReduceScatter(operand, result, count, datatype, op, comm, stream);
                    ("ncclReduceScatter", code)
                }
                Operation::AllGather => {
                    ("ncclAllGather", rccl.ncclAllGather(operand, result, count, datatype, comm, stream))
                }
                Operation::Broadcast(root) => {
                    let code = rccl.ncclBroadcast(operand, result, count, datatype, root, comm, stream);
                    ("ncclBroadcast", code)
                }
                Operation::Send(to) => {
                    ("ncclSend", rccl.ncclSend(operand, count, datatype, to, comm, stream))
                }
                Operation::Receive(from) => {
                    ("ncclRecv", rccl.ncclRecv(result, count, datatype, from, comm, stream))
                }
                Operation::AllToAll(part) => {
                    let exchange = || {
                        for rank in 0..ranks as usize {
                            let (from, to) = (operand.byte_add(rank * part), result.byte_add(rank * part));
                            for code in [
                                rccl.ncclSend(from, count, datatype, rank as i32, comm, stream)?,
                                rccl.ncclRecv(to, count, datatype, rank as i32, comm, stream)?,
                            ] {
                                if code != ncclResult_t::ncclSuccess {
                                    return Ok(code);
                                }
                            }
                        }
                        Ok(ncclResult_t::ncclSuccess)
                    };
                    ("ncclSend", in_group(rccl, exchange))
                }
            }
        }
    }
}

/// Calls RCCL between `ncclGroupStart` and `ncclGroupEnd`; groups nest.
pub(crate) fn in_group(
    rccl: &Rccl,
    calls: impl FnOnce() -> Result<ncclResult_t, MissingSymbol>,
) -> Result<ncclResult_t, MissingSymbol> {
    // SAFETY: no arguments.
    let started = unsafe { rccl.ncclGroupStart() }?;
    if started != ncclResult_t::ncclSuccess {
        return Ok(started);
    }
    let code = calls();
    // SAFETY: no arguments; the group has begun.
    let ended = unsafe { rccl.ncclGroupEnd() }?;
    if matches!(code, Ok(ncclResult_t::ncclSuccess)) { Ok(ended) } else { code }
}
