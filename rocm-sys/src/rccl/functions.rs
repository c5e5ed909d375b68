// Made by `cargo xtask bindgen` from the headers of RCCL, NCCL 2.13.4; do not edit.

use super::*;
use crate::hip::*;

crate::api! {
    Rccl, Rccl;

    /// All-Gather
    fn ncclAllGather(
        sendbuff: *const ::core::ffi::c_void,
        recvbuff: *mut ::core::ffi::c_void,
        sendcount: usize,
        datatype: ncclDataType_t,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// All-Reduce
    fn ncclAllReduce(
        sendbuff: *const ::core::ffi::c_void,
        recvbuff: *mut ::core::ffi::c_void,
        count: usize,
        datatype: ncclDataType_t,
        op: ncclRedOp_t,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// All-To-All
    fn ncclAllToAll(
        sendbuff: *const ::core::ffi::c_void,
        recvbuff: *mut ::core::ffi::c_void,
        count: usize,
        datatype: ncclDataType_t,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// All-To-Allv
    fn ncclAllToAllv(
        sendbuff: *const ::core::ffi::c_void,
        sendcounts: *const usize,
        sdispls: *const usize,
        recvbuff: *mut ::core::ffi::c_void,
        recvcounts: *const usize,
        rdispls: *const usize,
        datatype: ncclDataType_t,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// (deprecated) Broadcast (in-place)
    fn ncclBcast(
        buff: *mut ::core::ffi::c_void,
        count: usize,
        datatype: ncclDataType_t,
        root: ::core::ffi::c_int,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// Broadcast
    fn ncclBroadcast(
        sendbuff: *const ::core::ffi::c_void,
        recvbuff: *mut ::core::ffi::c_void,
        count: usize,
        datatype: ncclDataType_t,
        root: ::core::ffi::c_int,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// Frees resources associated with communicator object and aborts any operations that might still be running on the device.
    fn ncclCommAbort(comm: ncclComm_t) -> ncclResult_t;
    /// Gets the number of ranks in the communicator clique.
    fn ncclCommCount(comm: ncclComm_t, count: *mut ::core::ffi::c_int) -> ncclResult_t;
    /// Returns the rocm device number associated with the communicator.
    fn ncclCommCuDevice(
        comm: ncclComm_t,
        device: *mut ::core::ffi::c_int,
    ) -> ncclResult_t;
    /// Frees resources associated with communicator object, but waits for any operations that might still be running on the device
    fn ncclCommDestroy(comm: ncclComm_t) -> ncclResult_t;
    fn ncclCommGetAsyncError(
        comm: ncclComm_t,
        asyncError: *mut ncclResult_t,
    ) -> ncclResult_t;
    /// Creates a clique of communicators (single process version).
    fn ncclCommInitAll(
        comm: *mut ncclComm_t,
        ndev: ::core::ffi::c_int,
        devlist: *const ::core::ffi::c_int,
    ) -> ncclResult_t;
    /// Creates a new communicator (multi thread/process version).
    fn ncclCommInitRank(
        comm: *mut ncclComm_t,
        nranks: ::core::ffi::c_int,
        commId: ncclUniqueId,
        rank: ::core::ffi::c_int,
    ) -> ncclResult_t;
    /// Creates a new communicator (multi thread/process version) allowing multiple ranks per device.
    fn ncclCommInitRankMulti(
        comm: *mut ncclComm_t,
        nranks: ::core::ffi::c_int,
        commId: ncclUniqueId,
        rank: ::core::ffi::c_int,
        virtualId: ::core::ffi::c_int,
    ) -> ncclResult_t;
    /// Returns the user-ordered "rank" associated with the communicator.
    fn ncclCommUserRank(comm: ncclComm_t, rank: *mut ::core::ffi::c_int) -> ncclResult_t;
    /// Gather
    fn ncclGather(
        sendbuff: *const ::core::ffi::c_void,
        recvbuff: *mut ::core::ffi::c_void,
        sendcount: usize,
        datatype: ncclDataType_t,
        root: ::core::ffi::c_int,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// Returns a string for each error code.
    fn ncclGetErrorString(result: ncclResult_t) -> *const ::core::ffi::c_char;
    /// Returns a human-readable message of the last error that occurred. comm is currently unused and can be set to NULL
    fn ncclGetLastError(comm: ncclComm_t) -> *const ::core::ffi::c_char;
    /// Generates an ID for ncclCommInitRank
    fn ncclGetUniqueId(uniqueId: *mut ncclUniqueId) -> ncclResult_t;
    /// Return the NCCL_VERSION_CODE of the NCCL library in the supplied integer.
    fn ncclGetVersion(version: *mut ::core::ffi::c_int) -> ncclResult_t;
    /// Group End
    fn ncclGroupEnd() -> ncclResult_t;
    /// Group Start
    fn ncclGroupStart() -> ncclResult_t;
    /// Receive
    fn ncclRecv(
        recvbuff: *mut ::core::ffi::c_void,
        count: usize,
        datatype: ncclDataType_t,
        peer: ::core::ffi::c_int,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    fn ncclRedOpCreatePreMulSum(
        op: *mut ncclRedOp_t,
        scalar: *mut ::core::ffi::c_void,
        datatype: ncclDataType_t,
        residence: ncclScalarResidence_t,
        comm: ncclComm_t,
    ) -> ncclResult_t;
    fn ncclRedOpDestroy(op: ncclRedOp_t, comm: ncclComm_t) -> ncclResult_t;
    /// Reduce
    fn ncclReduce(
        sendbuff: *const ::core::ffi::c_void,
        recvbuff: *mut ::core::ffi::c_void,
        count: usize,
        datatype: ncclDataType_t,
        op: ncclRedOp_t,
        root: ::core::ffi::c_int,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// Reduce-Scatter
    fn ncclReduceScatter(
        sendbuff: *const ::core::ffi::c_void,
        recvbuff: *mut ::core::ffi::c_void,
        recvcount: usize,
        datatype: ncclDataType_t,
        op: ncclRedOp_t,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// Scatter
    fn ncclScatter(
        sendbuff: *const ::core::ffi::c_void,
        recvbuff: *mut ::core::ffi::c_void,
        recvcount: usize,
        datatype: ncclDataType_t,
        root: ::core::ffi::c_int,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
    /// Send
    fn ncclSend(
        sendbuff: *const ::core::ffi::c_void,
        count: usize,
        datatype: ncclDataType_t,
        peer: ::core::ffi::c_int,
        comm: ncclComm_t,
        stream: hipStream_t,
    ) -> ncclResult_t;
}
