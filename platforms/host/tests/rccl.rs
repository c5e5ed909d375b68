//! Collectives through the C functions, between threads of this process: each rank on a device and a stream of its own.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod runtime_common;

use rocm_sys::hip::{hipError_t, hipStream_t};
use rocm_sys::rccl::*;
use runtime_common::{D2H, H2D, call, ok};
use std::ffi::{CStr, c_void};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{ptr, thread};

fn rccl() -> &'static Rccl {
    static RCCL: LazyLock<Rccl> = LazyLock::new(|| {
        // SAFETY: comes before the platform's first call, and nothing here reads the environment but through Rust's library.
        unsafe { std::env::set_var("CANDLE_ROCM_HOST_DEVICES", "32,64,32,64") };
        Rccl::from_resolver("candle-rocm-host", candle_rocm_host::symbol)
    });
    &RCCL
}

/// Calls a function of RCCL and returns its code.
macro_rules! nccl {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: the test passes what the function asks for, or what the function must refuse.
        unsafe { rccl().$function($($argument),*) }.expect(stringify!($function))
    };
}

const SUCCESS: ncclResult_t = ncclResult_t::ncclSuccess;
const F32: ncclDataType_t = ncclDataType_t::ncclFloat32;

/// A rank: its communicator and stream on a device of its own.
struct Rank {
    rank: usize,
    ranks: usize,
    comm: ncclComm_t,
    stream: hipStream_t,
}

impl Rank {
    /// Device memory with these values.
    fn upload<T>(&self, values: &[T]) -> *mut c_void {
        let address = runtime_common::malloc(size_of_val(values).max(1));
        ok!(hipMemcpy(address, values.as_ptr().cast(), size_of_val(values), H2D));
        address
    }

    fn download<T: Default + Clone>(&self, address: *const c_void, count: usize) -> Vec<T> {
        let mut values = vec![T::default(); count];
        ok!(hipStreamSynchronize(self.stream));
        ok!(hipMemcpy(values.as_mut_ptr().cast(), address, size_of_val(&*values), D2H));
        values
    }

    /// The error that comes.
    fn async_error(&self) -> ncclResult_t {
        let (mut code, began) = (SUCCESS, Instant::now());
        while code == SUCCESS {
            assert!(began.elapsed() < Duration::from_secs(600), "no error comes");
            assert_eq!(nccl!(ncclCommGetAsyncError(self.comm, &mut code)), SUCCESS);
            thread::sleep(Duration::from_millis(1));
        }
        code
    }

    fn last_error(&self) -> String {
        let text = nccl!(ncclGetLastError(self.comm));
        // SAFETY: the text stays valid until the next call.
        unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
    }
}

/// The communicators of a test. All are aborted if a rank panics: none shall wait for it forever.
#[derive(Default)]
struct Comms {
    open: Vec<usize>,
    panicked: bool,
}

impl Comms {
    fn add(&mut self, comm: ncclComm_t) {
        self.open.push(comm as usize);
        self.abort_after_panic();
    }

    fn abort_after_panic(&mut self) {
        if self.panicked {
            // Some may be gone.
            self.open.drain(..).for_each(|comm| _ = nccl!(ncclCommAbort(comm as ncclComm_t)));
        }
    }
}

struct NoticesPanic<'a>(&'a Mutex<Comms>);

impl Drop for NoticesPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut comms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            comms.panicked = true;
            comms.abort_after_panic();
        }
    }
}

/// Runs a function on each rank. The communicators are destroyed afterwards, or aborted if the function says so.
fn ranks<R: Send>(ranks: usize, run: impl Fn(&Rank) -> (R, bool) + Sync) -> Vec<R> {
    let mut id = ncclUniqueId::default();
    assert_eq!(nccl!(ncclGetUniqueId(&mut id)), SUCCESS);
    let comms = Mutex::default();
    thread::scope(|scope| {
        let one = |rank: usize| {
            let (run, comms) = (&run, &comms);
            scope.spawn(move || {
                let _guard = NoticesPanic(comms);
                ok!(hipSetDevice(rank as i32));
                let (mut comm, stream) = (ptr::null_mut(), runtime_common::stream(1));
                assert_eq!(nccl!(ncclCommInitRank(&mut comm, ranks as i32, id, rank as i32)), SUCCESS);
                comms.lock().unwrap().add(comm);
                let (result, healthy) = run(&Rank { rank, ranks, comm, stream });
                match healthy {
                    true => assert_eq!(nccl!(ncclCommDestroy(comm)), SUCCESS),
                    false => assert_eq!(nccl!(ncclCommAbort(comm)), SUCCESS),
                }
                ok!(hipStreamSynchronize(stream));
                ok!(hipStreamDestroy(stream));
                result
            })
        };
        let threads: Vec<_> = (0..ranks).map(one).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Rank r has r * 10 + 0, 1, 2, ...
fn values(rank: usize, count: usize) -> Vec<f32> {
    (0..count).map(|i| (rank * 10 + i) as f32).collect()
}

#[test]
fn collectives_of_two_and_four_ranks() {
    for count in [2, 4] {
        ranks(count, |me| {
            let (mine, n) = (values(me.rank, 8), me.ranks);
            let (from, to) = (me.upload(&mine), me.upload(&vec![0f32; 8 * n]));
            let all: Vec<Vec<f32>> = (0..n).map(|rank| values(rank, 8)).collect();
            let column = |i: usize| all.iter().map(move |values| values[i]);

            let expected: [(ncclRedOp_t, Vec<f32>); 5] = [
                (ncclRedOp_t::ncclSum, (0..8).map(|i| column(i).sum()).collect()),
                (ncclRedOp_t::ncclProd, (0..8).map(|i| column(i).reduce(|a, b| a * b).unwrap()).collect()),
                (ncclRedOp_t::ncclMin, (0..8).map(|i| column(i).fold(f32::MAX, f32::min)).collect()),
                (ncclRedOp_t::ncclMax, (0..8).map(|i| column(i).fold(f32::MIN, f32::max)).collect()),
                (ncclRedOp_t::ncclAvg, (0..8).map(|i| column(i).sum::<f32>() / n as f32).collect()),
            ];
            for (op, expected) in &expected {
                assert_eq!(nccl!(ncclAllReduce(from, to, 8, F32, *op, me.comm, me.stream)), SUCCESS);
                assert_eq!(me.download::<f32>(to, 8), *expected, "{op:?}");
            }
            assert_eq!(nccl!(ncclAllGather(from, to, 8, F32, me.comm, me.stream)), SUCCESS);
            assert_eq!(me.download::<f32>(to, 8 * n), all.concat());

            let (wide, part) = (me.upload(&values(me.rank, 2 * n)), me.upload(&[0f32; 2]));
            let op = ncclRedOp_t::ncclSum;
            assert_eq!(nccl!(ncclReduceScatter(wide, part, 2, F32, op, me.comm, me.stream)), SUCCESS);
            let sum = |i: usize| (0..n).map(|rank| values(rank, 2 * n)[i]).sum::<f32>();
            assert_eq!(me.download::<f32>(part, 2), [sum(2 * me.rank), sum(2 * me.rank + 1)]);

            let root = n as i32 - 1;
            assert_eq!(nccl!(ncclBroadcast(from, to, 8, F32, root, me.comm, me.stream)), SUCCESS);
            assert_eq!(me.download::<f32>(to, 8), all[n - 1]);
            assert_eq!(nccl!(ncclReduce(from, to, 8, F32, op, 0, me.comm, me.stream)), SUCCESS);
            let reduced = if me.rank == 0 { &expected[0].1 } else { &all[n - 1] };
            assert_eq!(me.download::<f32>(to, 8), *reduced);

            // Everyone sends everyone, itself included, its own part.
            assert_eq!(nccl!(ncclGroupStart()), SUCCESS);
            for peer in 0..n {
                let at = |base: *mut c_void, index: usize| base.wrapping_byte_add(index * 8);
                assert_eq!(nccl!(ncclSend(at(wide, peer), 2, F32, peer as i32, me.comm, me.stream)), SUCCESS);
                assert_eq!(nccl!(ncclRecv(at(to, peer), 2, F32, peer as i32, me.comm, me.stream)), SUCCESS);
            }
            assert_eq!(nccl!(ncclGroupEnd()), SUCCESS);
            let sent: Vec<f32> =
                (0..n).flat_map(|rank| values(rank, 2 * n)[2 * me.rank..2 * me.rank + 2].to_vec()).collect();
            assert_eq!(me.download::<f32>(to, 2 * n), sent);
            for address in [from, to, wide, part] {
                ok!(hipFree(address));
            }
            ((), true)
        });
    }
}

/// Sums by types: narrow floats round once, integers wrap.
#[test]
fn every_datatype() {
    fn sum<T: Default + Clone + Copy + Send + Sync>(datatype: ncclDataType_t, one: T) -> T {
        let sums = ranks(2, |me| {
            let address = me.upload(&[one]);
            let op = ncclRedOp_t::ncclSum;
            assert_eq!(nccl!(ncclAllReduce(address, address, 1, datatype, op, me.comm, me.stream)), SUCCESS);
            (me.download::<T>(address, 1)[0], true)
        });
        sums[0]
    }
    assert_eq!(sum(ncclDataType_t::ncclInt8, 100i8), -56);
    assert_eq!(sum(ncclDataType_t::ncclUint8, 200u8), 144);
    assert_eq!(sum(ncclDataType_t::ncclInt32, -7i32), -14);
    assert_eq!(sum(ncclDataType_t::ncclUint32, u32::MAX), u32::MAX - 1);
    assert_eq!(sum(ncclDataType_t::ncclInt64, 1i64 << 40), 1 << 41);
    assert_eq!(sum(ncclDataType_t::ncclUint64, 3u64), 6);
    assert_eq!(sum(ncclDataType_t::ncclFloat16, half::f16::from_f32(1.5)).to_f32(), 3.0);
    assert_eq!(sum(ncclDataType_t::ncclBfloat16, half::bf16::from_f32(0.75)).to_f32(), 1.5);
    assert_eq!(sum(F32, 0.1f32), 0.2);
    assert_eq!(sum(ncclDataType_t::ncclFloat64, 0.1f64), 0.2);
    // 0x38 is 1 in e4m3, 0x40 is 2.
    assert_eq!(sum(ncclDataType_t::ncclFloat8e4m3, 0x38u8), 0x40);
}

/// The stream stands still after a mismatch, as a GPU's does, until the communicator is aborted.
#[test]
fn another_call_is_an_asynchronous_error() {
    let texts = ranks(2, |me| {
        let address = me.upload(&[0f32; 4]);
        let count = 4 - me.rank;
        let op = ncclRedOp_t::ncclSum;
        assert_eq!(nccl!(ncclAllReduce(address, address, count, F32, op, me.comm, me.stream)), SUCCESS);
        assert_eq!(me.async_error(), ncclResult_t::ncclInvalidUsage);
        assert_eq!(call!(hipStreamQuery(me.stream)), hipError_t::hipErrorNotReady);
        (me.last_error(), false)
    });
    let [four, three] = ["ncclAllReduce (count 4,", "ncclAllReduce (count 3,"];
    for (text, (called, expected)) in texts.iter().zip([(three, four), (four, three)]) {
        let (before, after) = text.split_once(" where ").unwrap();
        assert!(before.contains(called) && after.contains(expected), "{text}");
    }
}

#[test]
fn a_rank_that_goes_is_an_asynchronous_error() {
    ranks(2, |me| {
        if me.rank == 0 {
            let address = me.upload(&[0f32; 4]);
            assert_eq!(nccl!(ncclRecv(address, 4, F32, 1, me.comm, me.stream)), SUCCESS);
            assert_eq!(me.async_error(), ncclResult_t::ncclRemoteError);
            assert!(me.last_error().contains("rank 1 is gone"), "{}", me.last_error());
        }
        ((), me.rank == 1)
    });
}

#[test]
fn wrong_arguments_are_refused() {
    ranks(2, |me| {
        let address = me.upload(&[0f32; 4]);
        let (op, outside) = (ncclRedOp_t::ncclSum, me.upload(&[0u8]));
        let refused = [
            nccl!(ncclAllReduce(address, address, 5, F32, op, me.comm, me.stream)),
            nccl!(ncclAllReduce(address, outside, 4, F32, op, me.comm, me.stream)),
            nccl!(ncclAllReduce(address, address, 4, ncclDataType_t(99), op, me.comm, me.stream)),
            nccl!(ncclAllReduce(address, address, 4, F32, ncclRedOp_t(5), me.comm, me.stream)),
            nccl!(ncclAllReduce(address, address, usize::MAX, F32, op, me.comm, me.stream)),
            nccl!(ncclBroadcast(address, address, 4, F32, 2, me.comm, me.stream)),
            nccl!(ncclSend(address, 4, F32, -1, me.comm, me.stream)),
            nccl!(ncclAllReduce(address, address, 4, F32, op, ptr::null_mut(), me.stream)),
        ];
        assert!(refused.iter().all(|&code| code == ncclResult_t::ncclInvalidArgument), "{refused:?}");
        assert_eq!(nccl!(ncclGroupEnd()), ncclResult_t::ncclInvalidUsage);
        let [mut count, mut rank, mut device] = [0; 3];
        assert_eq!(nccl!(ncclCommCount(me.comm, &mut count)), SUCCESS);
        assert_eq!(nccl!(ncclCommUserRank(me.comm, &mut rank)), SUCCESS);
        assert_eq!(nccl!(ncclCommCuDevice(me.comm, &mut device)), SUCCESS);
        assert_eq!((count, rank, device), (2, me.rank as i32, me.rank as i32));
        ((), true)
    });
    let mut comm = ptr::null_mut();
    let id = ncclUniqueId::default();
    assert_eq!(nccl!(ncclCommInitRank(&mut comm, 1, id, 0)), ncclResult_t::ncclInvalidArgument);
    assert_eq!(nccl!(ncclCommInitRank(&mut comm, 1, id, 1)), ncclResult_t::ncclInvalidArgument);
}

#[test]
fn ranks_that_do_not_fit_are_refused() {
    let init = |id, count, rank, device: i32| {
        thread::spawn(move || {
            ok!(hipSetDevice(device));
            let mut comm = ptr::null_mut();
            nccl!(ncclCommInitRank(&mut comm, count, id, rank))
        })
    };
    // Another number of ranks, the same rank twice, two ranks on one device.
    for [one, other] in [[(2, 0, 0), (3, 1, 1)], [(2, 0, 0), (2, 0, 1)], [(2, 0, 3), (2, 1, 3)]] {
        let mut id = ncclUniqueId::default();
        assert_eq!(nccl!(ncclGetUniqueId(&mut id)), SUCCESS);
        let both = [one, other].map(|(count, rank, device)| init(id, count, rank, device));
        for thread in both {
            assert_eq!(thread.join().unwrap(), ncclResult_t::ncclInvalidUsage);
        }
    }
}

/// One thread for two devices: in a group, calls do not wait for each other.
#[test]
fn one_thread_drives_two_devices() {
    let mut id = ncclUniqueId::default();
    assert_eq!(nccl!(ncclGetUniqueId(&mut id)), SUCCESS);
    let mut comms = [ptr::null_mut(); 2];
    assert_eq!(nccl!(ncclGroupStart()), SUCCESS);
    for (rank, comm) in comms.iter_mut().enumerate() {
        ok!(hipSetDevice(rank as i32));
        assert_eq!(nccl!(ncclCommInitRank(comm, 2, id, rank as i32)), SUCCESS);
    }
    assert_eq!(nccl!(ncclGroupEnd()), SUCCESS);
    let members = [0, 1].map(|rank| {
        ok!(hipSetDevice(rank as i32));
        Rank { rank, ranks: 2, comm: comms[rank], stream: runtime_common::stream(1) }
    });
    let addresses = [0, 1].map(|rank| {
        ok!(hipSetDevice(rank as i32));
        members[rank].upload(&[rank as i32 + 1])
    });
    assert_eq!(nccl!(ncclGroupStart()), SUCCESS);
    for (me, address) in members.iter().zip(addresses) {
        let (datatype, op) = (ncclDataType_t::ncclInt32, ncclRedOp_t::ncclSum);
        assert_eq!(nccl!(ncclAllReduce(address, address, 1, datatype, op, me.comm, me.stream)), SUCCESS);
    }
    assert_eq!(nccl!(ncclGroupEnd()), SUCCESS);
    for (me, address) in members.iter().zip(addresses) {
        assert_eq!(me.download::<i32>(address, 1), [3]);
        assert_eq!(nccl!(ncclCommDestroy(me.comm)), SUCCESS);
    }
}
