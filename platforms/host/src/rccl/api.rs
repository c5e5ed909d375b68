//! The C functions: handles, groups, and checks of arguments.

use super::bootstrap::Id;
use super::communicator::Communicator;
use super::exchange::Request;
use super::failure::{self, Failure};
use super::reduce::size_of_type;
use crate::exports::Host;
use crate::runtime::device::{self, Device};
use crate::runtime::registry::{self, MemoryKind};
use crate::runtime::stream::{self, Task};
use rocm_platform::Handles;
use rocm_platform::rccl::{self, Call, Collectives, Operation, RcclResult};
use rocm_platform::rccl_exports;
use rocm_sys::hip::hipStream_t;
use rocm_sys::rccl::{ncclComm_t, ncclRedOp_t, ncclResult_t, ncclUniqueId};
use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::mem;
use std::ptr;
use std::sync::Arc;
use std::thread;

/// NCCL's version whose functions these are.
const VERSION: c_int = rocm_sys::rccl::NCCL_VERSION_CODE.cast_signed();

static COMMUNICATORS: Handles<Arc<Communicator>> = Handles::new(0x4e43_0000_0000_0000);

thread_local! {
    static GROUP: RefCell<Group> = RefCell::default();
}

/// What the calls of a group have asked for.
#[derive(Default)]
struct Group {
    depth: usize,
    inits: Vec<(*mut ncclComm_t, Seat)>,
    /// By communicator and stream, in the order of their first calls.
    requests: Vec<(ncclComm_t, hipStream_t, Vec<Request>)>,
}

/// What a communicator is made of.
#[derive(Clone, Copy)]
struct Seat {
    id: Id,
    rank: usize,
    count: usize,
    device: &'static Device,
}

impl Seat {
    fn take(self) -> Result<Arc<Communicator>, Failure> {
        Communicator::new(&self.id, self.rank, self.count, self.device).map(Arc::new)
    }
}

impl Group {
    /// Makes communicators, all at once since they wait for each other, and queues what was asked for.
    fn run(self) -> RcclResult {
        let panicked = |_| Err(Failure::new(ncclResult_t::ncclInternalError, "a thread panicked"));
        let made: Vec<Result<Arc<Communicator>, Failure>> = thread::scope(|scope| {
            let threads: Vec<_> =
                self.inits.iter().map(|&(_, seat)| scope.spawn(move || seat.take())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).collect()
        });
        for ((out, _), made) in self.inits.into_iter().zip(made) {
            let handle = COMMUNICATORS.insert(made.map_err(failure::keep)?) as ncclComm_t;
            // SAFETY: whoever called ncclCommInitRank vouches for the out-parameter until the group ends.
            unsafe { out.write(handle) };
        }
        self.requests.into_iter().try_for_each(|(comm, stream, requests)| submit(comm, stream, requests))
    }
}

fn get(comm: ncclComm_t) -> RcclResult<Arc<Communicator>> {
    COMMUNICATORS.get(comm as usize).ok_or(ncclResult_t::ncclInvalidArgument)
}

fn submit(comm: ncclComm_t, stream: hipStream_t, requests: Vec<Request>) -> RcclResult {
    let communicator = get(comm)?;
    let stream = resolve(&communicator, stream)?;
    stream.device.check().map_err(|_| ncclResult_t::ncclUnhandledCudaError)?;
    let what = requests.first().map_or("group", |request| name(request.operation));
    let turn = communicator.take_turn();
    let task = Task::new(what, Box::new(move || communicator.run(turn, &requests)));
    stream.submit(task).map(drop).map_err(|_| ncclResult_t::ncclUnhandledCudaError)
}

fn resolve(communicator: &Communicator, stream: hipStream_t) -> RcclResult<Arc<stream::Stream>> {
    let refuse = |text: &str| failure::keep(Failure::new(ncclResult_t::ncclInvalidArgument, text));
    let stream = stream::resolve(stream).map_err(|_| refuse("the stream was destroyed"))?;
    match ptr::eq(stream.device, communicator.device) {
        true => Ok(stream),
        false => Err(refuse("the stream is another device's than the communicator")),
    }
}

fn name(operation: Operation) -> &'static str {
    match operation {
        Operation::AllReduce { .. } => "ncclAllReduce",
        Operation::Reduce { .. } => "ncclReduce",
        Operation::ReduceScatter { .. } => "ncclReduceScatter",
        Operation::Broadcast { .. } => "ncclBroadcast",
        Operation::AllGather => "ncclAllGather",
        Operation::Send { .. } => "ncclSend",
        Operation::Recv { .. } => "ncclRecv",
    }
}

/// Checks what can be checked without the other ranks.
fn checked(call: &Call) -> RcclResult<Request> {
    let communicator = get(call.comm)?;
    let name = name(call.operation);
    let refuse = |text: &str| {
        failure::keep(Failure::new(ncclResult_t::ncclInvalidArgument, format!("{name}: {text}")))
    };
    resolve(&communicator, call.stream)?;
    let size = size_of_type(call.datatype).ok_or_else(|| refuse("unknown datatype"))?;
    let ranks = communicator.count();
    if call.count.checked_mul(size).and_then(|bytes| bytes.checked_mul(ranks)).is_none() {
        return Err(refuse("too many elements"));
    }
    let (op, root) = match call.operation {
        Operation::AllReduce { op } | Operation::ReduceScatter { op } => (Some(op), None),
        Operation::Reduce { op, root } => (Some(op), Some(root)),
        Operation::Broadcast { root } => (None, Some(root)),
        Operation::Send { peer } | Operation::Recv { peer } => (None, Some(peer)),
        Operation::AllGather => (None, None),
    };
    if op.is_some_and(|op| op.0 >= ncclRedOp_t::ncclNumOps.0) {
        return Err(refuse("unknown reduction"));
    }
    if root.is_some_and(|root| !usize::try_from(root).is_ok_and(|root| root < ranks)) {
        return Err(refuse("no such rank"));
    }
    let request = Request {
        operation: call.operation,
        operand: call.operand as usize,
        result: call.result as usize,
        count: call.count,
        datatype: call.datatype,
    };
    let (operand, result) = request.sizes(communicator.rank, ranks);
    for (address, len, what) in [(request.operand, operand, "operand"), (request.result, result, "result")] {
        let there =
            len == 0 || matches!(registry::kind(address, len), Ok(MemoryKind::Device | MemoryKind::Pinned));
        if !there {
            return Err(refuse(&format!(
                "the {what}, {len} bytes at {address:#x}, is not in memory of a device"
            )));
        }
    }
    Ok(request)
}

impl Collectives for Host {
    fn version() -> RcclResult<c_int> {
        Ok(VERSION)
    }

    fn error_string(result: ncclResult_t) -> *const c_char {
        rccl::error_string(result).as_ptr()
    }

    unsafe fn last_error(comm: ncclComm_t) -> *const c_char {
        // What failed in queued work is kept for every thread.
        let failed = get(comm).ok().and_then(|communicator| communicator.failure().cloned());
        failed.map(failure::keep);
        failure::last()
    }

    fn unique_id() -> RcclResult<ncclUniqueId> {
        let system = |error| failure::keep(Failure::system("cannot listen on loopback", &error));
        Id::create().map(Id::to_raw).map_err(system)
    }

    unsafe fn init_rank(out: *mut ncclComm_t, count: c_int, id: ncclUniqueId, rank: c_int) -> RcclResult {
        let id = Id::of_raw(&id).ok_or_else(|| {
            failure::keep(Failure::new(ncclResult_t::ncclInvalidArgument, "the id is not ncclGetUniqueId's"))
        })?;
        let device = device::current();
        device.check().map_err(|_| ncclResult_t::ncclUnhandledCudaError)?;
        let seat = Seat { id, rank: rank as usize, count: count as usize, device };
        in_group(|group| group.inits.push((out, seat)))
    }

    unsafe fn destroy(comm: ncclComm_t) -> RcclResult {
        let removed = COMMUNICATORS.remove(comm as usize).ok_or(ncclResult_t::ncclInvalidArgument)?;
        removed.finish();
        removed.failure().map_or(Ok(()), |failure| Err(failure.code))
    }

    unsafe fn abort(comm: ncclComm_t) -> RcclResult {
        COMMUNICATORS.remove(comm as usize).ok_or(ncclResult_t::ncclInvalidArgument)?.abort();
        Ok(())
    }

    unsafe fn async_error(comm: ncclComm_t) -> RcclResult<ncclResult_t> {
        Ok(get(comm)?.failure().map_or(ncclResult_t::ncclSuccess, |failure| failure.code))
    }

    unsafe fn count(comm: ncclComm_t) -> RcclResult<c_int> {
        Ok(get(comm)?.count() as c_int)
    }

    unsafe fn rank(comm: ncclComm_t) -> RcclResult<c_int> {
        Ok(get(comm)?.rank as c_int)
    }

    unsafe fn device(comm: ncclComm_t) -> RcclResult<c_int> {
        Ok(get(comm)?.device.ordinal as c_int)
    }

    fn group_start() -> RcclResult {
        GROUP.with_borrow_mut(|group| group.depth += 1);
        Ok(())
    }

    fn group_end() -> RcclResult {
        let group = GROUP.with_borrow_mut(|group| match group.depth {
            0 => Err(failure::keep(Failure::usage("ncclGroupEnd without ncclGroupStart"))),
            1 => Ok(Some(mem::take(group))),
            _ => {
                group.depth -= 1;
                Ok(None)
            }
        })?;
        group.map_or(Ok(()), Group::run)
    }

    unsafe fn enqueue(call: &Call) -> RcclResult {
        let request = checked(call)?;
        in_group(|group| {
            let of = |(comm, stream, _): &&mut (ncclComm_t, hipStream_t, Vec<Request>)| {
                (*comm, *stream) == (call.comm, call.stream)
            };
            match group.requests.iter_mut().find(of) {
                Some((.., requests)) => requests.push(request),
                None => group.requests.push((call.comm, call.stream, vec![request])),
            }
        })
    }
}

/// Adds to the thread's group; without one, to one of its own.
fn in_group(add: impl FnOnce(&mut Group)) -> RcclResult {
    Host::group_start()?;
    GROUP.with_borrow_mut(add);
    Host::group_end()
}

rccl_exports! { Host }
