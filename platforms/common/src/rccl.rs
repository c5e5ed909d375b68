//! librccl: communicators, groups, and every collective as one kind of call.

use std::ffi::{CStr, c_char, c_int, c_void};

use rocm_sys::hip::hipStream_t;
use rocm_sys::rccl::{ncclComm_t, ncclDataType_t, ncclRedOp_t, ncclResult_t, ncclUniqueId};

/// What RCCL's functions return.
pub type RcclResult<T = ()> = Result<T, ncclResult_t>;

/// What a call does, with the arguments that only some calls have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Operation {
    AllReduce {
        op: ncclRedOp_t,
    },
    Reduce {
        op: ncclRedOp_t,
        root: c_int,
    },
    /// `count` elements are those of each rank's result.
    ReduceScatter {
        op: ncclRedOp_t,
    },
    Broadcast {
        root: c_int,
    },
    /// `count` elements are those of each rank's operand.
    AllGather,
    Send {
        peer: c_int,
    },
    Recv {
        peer: c_int,
    },
}

/// A call's arguments. The operand of `ncclRecv` and the result of `ncclSend` are null.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Call {
    pub operation: Operation,
    pub operand: *const c_void,
    pub result: *mut c_void,
    pub count: usize,
    pub datatype: ncclDataType_t,
    pub comm: ncclComm_t,
    pub stream: hipStream_t,
}

/// Collectives of a platform. Between `group_start` and `group_end`, calls that queue work or make communicators wait for the latter.
///
/// # Safety
///
/// Unsafe methods require what their C functions require: communicators and streams are valid, memory is for as long as the queued
/// work uses it, and a communicator's ranks make the same calls in the same order.
///
/// # Errors
///
/// The code that the C function is to return.
#[allow(clippy::missing_safety_doc)]
pub trait Collectives {
    /// The version of the library: 21304 is 2.13.4.
    fn version() -> RcclResult<c_int>;

    /// A sentence about a code.
    fn error_string(result: ncclResult_t) -> *const c_char;

    /// What went wrong last, with the communicator or, if that is null, in general. The text stays valid until the next call.
    unsafe fn last_error(comm: ncclComm_t) -> *const c_char;

    /// An id for one communicator.
    fn unique_id() -> RcclResult<ncclUniqueId>;

    /// Makes a rank's communicator on the calling thread's device and writes it to `out`, which is not null. Waits for all ranks.
    unsafe fn init_rank(out: *mut ncclComm_t, count: c_int, id: ncclUniqueId, rank: c_int) -> RcclResult;

    /// Destroys a communicator once its work is done.
    unsafe fn destroy(comm: ncclComm_t) -> RcclResult;

    /// Ends the communicator's work where it is, and destroys it.
    unsafe fn abort(comm: ncclComm_t) -> RcclResult;

    /// What became of queued work so far.
    unsafe fn async_error(comm: ncclComm_t) -> RcclResult<ncclResult_t>;

    /// The number of ranks.
    unsafe fn count(comm: ncclComm_t) -> RcclResult<c_int>;

    /// The rank.
    unsafe fn rank(comm: ncclComm_t) -> RcclResult<c_int>;

    /// The device's ordinal.
    unsafe fn device(comm: ncclComm_t) -> RcclResult<c_int>;

    /// Begins a group on this thread. Groups nest.
    fn group_start() -> RcclResult;

    /// Ends a group; the outermost one does what its calls said.
    fn group_end() -> RcclResult;

    /// Checks the arguments and queues the operation.
    unsafe fn enqueue(call: &Call) -> RcclResult;
}

/// `ncclGetErrorString`'s sentence, for platforms without a library to ask.
pub fn error_string(result: ncclResult_t) -> &'static CStr {
    match result {
        ncclResult_t::ncclSuccess => c"no error",
        ncclResult_t::ncclUnhandledCudaError => c"unhandled hip error",
        ncclResult_t::ncclSystemError => c"unhandled system error",
        ncclResult_t::ncclInternalError => c"internal error",
        ncclResult_t::ncclInvalidArgument => c"invalid argument",
        ncclResult_t::ncclInvalidUsage => c"invalid usage",
        ncclResult_t::ncclRemoteError => c"remote process exited or there was a network error",
        ncclResult_t::ncclInProgress => c"operation in progress",
        _ => c"unknown result code",
    }
}

/// Defines RCCL's functions, in the table `EXPORTS`, for the [`Collectives`] of a platform.
#[macro_export]
macro_rules! rccl_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::rccl::*;
            use $crate::arguments::{required, write};
            use $crate::rccl::{Call, Collectives, Operation};

            $crate::export! {
                $platform, rccl => EXPORTS;

                fn ncclGetVersion(out: *mut c_int) -> ncclResult_t {
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, <$platform as Collectives>::version()?)? })
                }

                fn ncclGetErrorString(result: ncclResult_t) -> *const c_char {
                    <$platform as Collectives>::error_string(result)
                }

                fn ncclGetLastError(comm: ncclComm_t) -> *const c_char {
                    // SAFETY: the caller's communicator.
                    unsafe { <$platform as Collectives>::last_error(comm) }
                }

                fn ncclGetUniqueId(out: *mut ncclUniqueId) -> ncclResult_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, <$platform as Collectives>::unique_id()?)? })
                }

                fn ncclCommInitRank(
                    out: *mut ncclComm_t, count: c_int, id: ncclUniqueId, rank: c_int,
                ) -> ncclResult_t {
                    required(out)?;
                    if count < 1 || !(0..count).contains(&rank) {
                        return Err(ncclResult_t::ncclInvalidArgument);
                    }
                    // SAFETY: the caller's out-parameter.
                    unsafe { <$platform as Collectives>::init_rank(out, count, id, rank) }
                }

                fn ncclCommDestroy(comm: ncclComm_t) -> ncclResult_t {
                    // SAFETY: the caller's communicator.
                    unsafe { <$platform as Collectives>::destroy(comm) }
                }

                fn ncclCommAbort(comm: ncclComm_t) -> ncclResult_t {
                    // SAFETY: the caller's communicator.
                    unsafe { <$platform as Collectives>::abort(comm) }
                }

                fn ncclCommGetAsyncError(comm: ncclComm_t, out: *mut ncclResult_t) -> ncclResult_t {
                    // SAFETY: the caller's communicator and out-parameter.
                    Ok(unsafe { write(out, <$platform as Collectives>::async_error(comm)?)? })
                }

                fn ncclCommCount(comm: ncclComm_t, out: *mut c_int) -> ncclResult_t {
                    // SAFETY: the caller's communicator and out-parameter.
                    Ok(unsafe { write(out, <$platform as Collectives>::count(comm)?)? })
                }

                fn ncclCommUserRank(comm: ncclComm_t, out: *mut c_int) -> ncclResult_t {
                    // SAFETY: the caller's communicator and out-parameter.
                    Ok(unsafe { write(out, <$platform as Collectives>::rank(comm)?)? })
                }

                fn ncclCommCuDevice(comm: ncclComm_t, out: *mut c_int) -> ncclResult_t {
                    // SAFETY: the caller's communicator and out-parameter.
                    Ok(unsafe { write(out, <$platform as Collectives>::device(comm)?)? })
                }

                fn ncclGroupStart() -> ncclResult_t {
                    <$platform as Collectives>::group_start()
                }

                fn ncclGroupEnd() -> ncclResult_t {
                    <$platform as Collectives>::group_end()
                }

                fn ncclAllReduce(
                    operand: *const c_void, result: *mut c_void, count: usize, datatype: ncclDataType_t,
                    op: ncclRedOp_t, comm: ncclComm_t, stream: hipStream_t,
                ) -> ncclResult_t {
                    let operation = Operation::AllReduce { op };
                    let call = Call { operation, operand, result, count, datatype, comm, stream };
                    // SAFETY: the caller vouches for the arguments.
                    unsafe { <$platform as Collectives>::enqueue(&call) }
                }

                fn ncclReduce(
                    operand: *const c_void, result: *mut c_void, count: usize, datatype: ncclDataType_t,
                    op: ncclRedOp_t, root: c_int, comm: ncclComm_t, stream: hipStream_t,
                ) -> ncclResult_t {
                    let operation = Operation::Reduce { op, root };
                    let call = Call { operation, operand, result, count, datatype, comm, stream };
                    // SAFETY: the caller vouches for the arguments.
                    unsafe { <$platform as Collectives>::enqueue(&call) }
                }

                fn ncclReduceScatter(
                    operand: *const c_void, result: *mut c_void, count: usize, datatype: ncclDataType_t,
                    op: ncclRedOp_t, comm: ncclComm_t, stream: hipStream_t,
                ) -> ncclResult_t {
                    let operation = Operation::ReduceScatter { op };
                    let call = Call { operation, operand, result, count, datatype, comm, stream };
                    // SAFETY: the caller vouches for the arguments.
                    unsafe { <$platform as Collectives>::enqueue(&call) }
                }

                fn ncclBroadcast(
                    operand: *const c_void, result: *mut c_void, count: usize, datatype: ncclDataType_t,
                    root: c_int, comm: ncclComm_t, stream: hipStream_t,
                ) -> ncclResult_t {
                    let operation = Operation::Broadcast { root };
                    let call = Call { operation, operand, result, count, datatype, comm, stream };
                    // SAFETY: the caller vouches for the arguments.
                    unsafe { <$platform as Collectives>::enqueue(&call) }
                }

                fn ncclAllGather(
                    operand: *const c_void, result: *mut c_void, count: usize, datatype: ncclDataType_t,
                    comm: ncclComm_t, stream: hipStream_t,
                ) -> ncclResult_t {
                    let operation = Operation::AllGather;
                    let call = Call { operation, operand, result, count, datatype, comm, stream };
                    // SAFETY: the caller vouches for the arguments.
                    unsafe { <$platform as Collectives>::enqueue(&call) }
                }

                fn ncclSend(
                    operand: *const c_void, count: usize, datatype: ncclDataType_t, peer: c_int,
                    comm: ncclComm_t, stream: hipStream_t,
                ) -> ncclResult_t {
                    let (operation, result) = (Operation::Send { peer }, ::core::ptr::null_mut());
                    let call = Call { operation, operand, result, count, datatype, comm, stream };
                    // SAFETY: the caller vouches for the arguments.
                    unsafe { <$platform as Collectives>::enqueue(&call) }
                }

                fn ncclRecv(
                    result: *mut c_void, count: usize, datatype: ncclDataType_t, peer: c_int,
                    comm: ncclComm_t, stream: hipStream_t,
                ) -> ncclResult_t {
                    let (operation, operand) = (Operation::Recv { peer }, ::core::ptr::null());
                    let call = Call { operation, operand, result, count, datatype, comm, stream };
                    // SAFETY: the caller vouches for the arguments.
                    unsafe { <$platform as Collectives>::enqueue(&call) }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
