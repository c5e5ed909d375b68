//! RCCL over NCCL: the functions, their codes and types are the same, and communicators are NCCL's own.
//!
//! Without NCCL every function returns `ncclSystemError`, and `ncclGetLastError` says what was tried.

use crate::exports::Nvidia;
use crate::library;
use libloading::os::unix::Library;
use rocm_platform::rccl::{self, Call, Collectives, Operation, RcclResult};
use rocm_platform::rccl_exports;
use rocm_sys::MissingSymbol;
use rocm_sys::rccl::{Rccl, ncclComm_t, ncclResult_t, ncclUniqueId};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::OnceLock;

static LIBRARY: OnceLock<Result<Library, CString>> = OnceLock::new();

/// The opened library, or why there is none.
fn nccl() -> Result<&'static Rccl, &'static CStr> {
    static NCCL: OnceLock<Rccl> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let advice = "install it (e.g. pip install nvidia-nccl-cu13, or the package libnccl2), and name its folder in \
                      LD_LIBRARY_PATH or CANDLE_ROCM_CUDA_PATH";
        let names = ["libnccl.so.2".to_owned(), "libnccl.so".to_owned()];
        library::open("NCCL", &names, None, advice).map_err(|text| CString::new(text).unwrap_or_default())
    });
    match library {
        Ok(_) => Ok(NCCL.get_or_init(|| Rccl::from_resolver("NCCL", symbol))),
        Err(text) => Err(text),
    }
}

fn symbol(name: &str) -> Option<*const c_void> {
    let library = LIBRARY.get()?.as_ref().ok()?;
    // SAFETY: only the address is taken; rocm-sys calls it with the type that RCCL's header gives, which is NCCL's.
    unsafe { library.get::<*const c_void>(name.as_bytes()) }
        .ok()
        .map(|symbol| symbol.as_raw_ptr().cast_const())
}

/// Calls a function of NCCL that returns a code.
fn call(f: impl FnOnce(&'static Rccl) -> Result<ncclResult_t, MissingSymbol>) -> RcclResult {
    match nccl().map(f) {
        Ok(Ok(ncclResult_t::ncclSuccess)) => Ok(()),
        Ok(Ok(code)) => Err(code),
        // This NCCL is too old.
        Ok(Err(_)) => Err(ncclResult_t::ncclInvalidUsage),
        Err(_) => Err(ncclResult_t::ncclSystemError),
    }
}

/// Calls a function of NCCL with an out-parameter.
fn get<T: Copy>(
    mut value: T,
    f: impl FnOnce(&'static Rccl, *mut T) -> Result<ncclResult_t, MissingSymbol>,
) -> RcclResult<T> {
    call(|nccl| f(nccl, &mut value))?;
    Ok(value)
}

impl Collectives for Nvidia {
    fn version() -> RcclResult<c_int> {
        // SAFETY: the out-parameter is valid.
        get(0, |nccl, out| unsafe { nccl.ncclGetVersion(out) })
    }

    fn error_string(result: ncclResult_t) -> *const c_char {
        rccl::error_string(result).as_ptr()
    }

    unsafe fn last_error(comm: ncclComm_t) -> *const c_char {
        match nccl() {
            // SAFETY: the caller's communicator.
            Ok(nccl) => unsafe { nccl.ncclGetLastError(comm) }.unwrap_or(c"".as_ptr()),
            Err(text) => text.as_ptr(),
        }
    }

    fn unique_id() -> RcclResult<ncclUniqueId> {
        // SAFETY: the out-parameter is valid.
        get(ncclUniqueId::default(), |nccl, out| unsafe { nccl.ncclGetUniqueId(out) })
    }

    unsafe fn init_rank(out: *mut ncclComm_t, count: c_int, id: ncclUniqueId, rank: c_int) -> RcclResult {
        // SAFETY: the caller's out-parameter.
        call(|nccl| unsafe { nccl.ncclCommInitRank(out, count, id, rank) })
    }

    unsafe fn destroy(comm: ncclComm_t) -> RcclResult {
        // SAFETY: the caller's communicator.
        call(|nccl| unsafe { nccl.ncclCommDestroy(comm) })
    }

    unsafe fn abort(comm: ncclComm_t) -> RcclResult {
        // SAFETY: the caller's communicator.
        call(|nccl| unsafe { nccl.ncclCommAbort(comm) })
    }

    unsafe fn async_error(comm: ncclComm_t) -> RcclResult<ncclResult_t> {
        // SAFETY: the caller's communicator, and a valid out-parameter.
        get(ncclResult_t::ncclSuccess, |nccl, out| unsafe { nccl.ncclCommGetAsyncError(comm, out) })
    }

    unsafe fn count(comm: ncclComm_t) -> RcclResult<c_int> {
        // SAFETY: the caller's communicator, and a valid out-parameter.
        get(0, |nccl, out| unsafe { nccl.ncclCommCount(comm, out) })
    }

    unsafe fn rank(comm: ncclComm_t) -> RcclResult<c_int> {
        // SAFETY: the caller's communicator, and a valid out-parameter.
        get(0, |nccl, out| unsafe { nccl.ncclCommUserRank(comm, out) })
    }

    unsafe fn device(comm: ncclComm_t) -> RcclResult<c_int> {
        // SAFETY: the caller's communicator, and a valid out-parameter.
        get(0, |nccl, out| unsafe { nccl.ncclCommCuDevice(comm, out) })
    }

    fn group_start() -> RcclResult {
        // SAFETY: no arguments.
        call(|nccl| unsafe { nccl.ncclGroupStart() })
    }

    fn group_end() -> RcclResult {
        // SAFETY: no arguments.
        call(|nccl| unsafe { nccl.ncclGroupEnd() })
    }

    /// Streams are CUDA's own.
    unsafe fn enqueue(of: &Call) -> RcclResult {
        let Call { operation, operand, result, count, datatype, comm, stream } = *of;
        // SAFETY: the caller vouches for the arguments.
        call(|nccl| unsafe {
            match operation {
                Operation::AllReduce { op } => {
                    nccl.ncclAllReduce(operand, result, count, datatype, op, comm, stream)
                }
                Operation::Reduce { op, root } => {
                    nccl.ncclReduce(operand, result, count, datatype, op, root, comm, stream)
                }
                Operation::ReduceScatter { op } => {
                    nccl.ncclReduceScatter(operand, result, count, datatype, op, comm, stream)
                }
                Operation::Broadcast { root } => {
                    nccl.ncclBroadcast(operand, result, count, datatype, root, comm, stream)
                }
                Operation::AllGather => nccl.ncclAllGather(operand, result, count, datatype, comm, stream),
                Operation::Send { peer } => nccl.ncclSend(operand, count, datatype, peer, comm, stream),
                Operation::Recv { peer } => nccl.ncclRecv(result, count, datatype, peer, comm, stream),
            }
        })
    }
}

rccl_exports! { Nvidia }
