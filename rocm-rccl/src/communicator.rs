//! A rank's place among others.

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rocm_hip::Device;
use rocm_sys::rccl::{ncclComm, ncclUniqueId};

use crate::environment::Environment;
use crate::library::{self, Caller};
use crate::link::Link;
use crate::message::{Hello, Notice, Report};
use crate::shared::Shared;
use crate::{Cause, Failure, RcclError, Result, UniqueId, watch};

/// How often RCCL's own initialisation is looked after.
const TICK: Duration = Duration::from_millis(10);

/// One rank of a group, on one device. Its operations are queued. Any thread may call them, but all ranks must make the same calls in the
/// same order.
///
/// Each communicator is watched by its own thread. If a rank dies, does not join in, or calls something else, every rank gets an
/// [`RcclError::Failed`]: from the next call on the communicator, and from the call that waits for a stream. This takes no longer than
/// [the timeout](Communicator::set_timeout). The communicator is then aborted, so that the stream remains usable. What its operations
/// should have written is undefined. You can create a new communicator.
///
/// Dropping it waits for everything that it has queued.
pub struct Communicator {
    pub(crate) shared: Arc<Shared>,
    watch: Option<JoinHandle<()>>,
}

impl Communicator {
    /// Creates one communicator per device, all in this process, in the order of the devices.
    ///
    /// # Errors
    /// [`RcclError::Hip`] if RCCL is not available, [`RcclError::Call`] if it refuses the devices.
    pub fn from_devices(devices: &[Device]) -> Result<Vec<Self>> {
        let (id, world_size) = (UniqueId::new()?, devices.len() as u32);
        thread::scope(|scope| {
            let id = &id;
            let join = |(rank, &device): (usize, &Device)| {
                scope.spawn(move || Self::from_rank(device, rank as u32, world_size, id))
            };
            let threads: Vec<_> = devices.iter().enumerate().map(join).collect();
            let made = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            made.collect()
        })
    }

    /// Joins a group as rank `rank` of `world_size`. Waits until all ranks have joined with the same id, for at most ten minutes, or the
    /// seconds in `CANDLE_ROCM_COLLECTIVE_TIMEOUT`.
    ///
    /// # Errors
    /// [`RcclError::Rendezvous`] if not all ranks join, otherwise as [`Communicator::from_devices`].
    pub fn from_rank(device: Device, rank: u32, world_size: u32, id: &UniqueId) -> Result<Self> {
        Self::from_rank_within(device, rank, world_size, id, crate::default_timeout())
    }

    /// As [`Communicator::from_rank`], with the given limit, which is also the communicator's [timeout](Communicator::set_timeout).
    ///
    /// # Errors
    /// As [`Communicator::from_rank`].
    pub fn from_rank_within(
        device: Device,
        rank: u32,
        world_size: u32,
        id: &UniqueId,
        limit: Duration,
    ) -> Result<Self> {
        if rank >= world_size {
            let message = format!("rank {rank} is out of range for {world_size} ranks; ranks start at 0");
            return Err(RcclError::InvalidArgument { operation: "from_rank", message });
        }
        let caller = Caller { rccl: library::rccl(device)?, device, rank };
        device.bind()?;
        let own_id = if rank == 0 { Some(unique_id(caller)?) } else { None };
        let hello = Hello { token: id.token().to_owned(), rank, world_size, limit, id: own_id };
        let joined = Link::join(id, &hello);
        let (mut link, own_id) =
            joined.map_err(|refusal| RcclError::Rendezvous { rank, world_size, refusal })?;
        let raw = init(caller, world_size, &own_id, limit, &mut link)?;
        let shared = Arc::new(Shared::new(caller, world_size, raw, limit));
        let watched = shared.clone();
        let watch = thread::Builder::new()
            .name("rccl-watch".to_owned())
            .spawn(move || watch::run(&watched, link))
            .map_err(|error| RcclError::InvalidArgument {
                operation: "from_rank",
                message: error.to_string(),
            })?;
        Ok(Self { shared, watch: Some(watch) })
    }

    /// Joins as the rank that the launcher assigned to this process: torchrun, SLURM's srun or Open MPI's mpirun. [`Environment`] lists
    /// their variables.
    ///
    /// # Errors
    /// [`RcclError::Environment`] if no launcher started the process, otherwise as [`Communicator::from_rank`].
    pub fn from_env(device: Device) -> Result<Self> {
        let environment = Environment::read()?;
        let id = environment.id()?;
        Self::from_rank(device, environment.rank, environment.world_size, &id)
    }

    /// This rank.
    pub fn rank(&self) -> u32 {
        self.shared.caller.rank
    }

    /// The number of ranks.
    pub fn world_size(&self) -> u32 {
        self.shared.world_size
    }

    /// The device of this rank.
    pub fn device(&self) -> Device {
        self.shared.caller.device
    }

    /// How long an operation may take, from its call to its end. This includes waiting for earlier work.
    pub fn timeout(&self) -> Duration {
        self.shared.limit()
    }

    /// Sets how long an operation may take. Also applies to operations that are already queued.
    pub fn set_timeout(&self, limit: Duration) {
        self.shared.set_limit(limit);
    }

    /// Why the communicator can no longer be used; `None` while it works.
    pub fn failure(&self) -> Option<&Failure> {
        self.shared.failure()
    }

    /// Abandons everything queued, on all ranks. Their calls return [`Cause::Aborted`] from then on.
    pub fn abort(&self) {
        // The thread that does it is not there.
        if rocm_hip::in_forked_child() {
            return;
        }
        self.shared.aborting.store(true, Ordering::Release);
        while self.shared.failure().is_none() && self.watch.as_ref().is_some_and(|watch| !watch.is_finished())
        {
            self.wake();
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn wake(&self) {
        if let Some(watch) = &self.watch {
            watch.thread().unpark();
        }
    }
}

fn unique_id(caller: Caller) -> Result<Vec<u8>> {
    let mut id = ncclUniqueId::default();
    // SAFETY: the out-parameter is valid.
    let code = unsafe { caller.rccl.ncclGetUniqueId(&mut id) };
    caller.check("ncclGetUniqueId", std::ptr::null_mut(), code)?;
    Ok(id.internal.map(i8::cast_unsigned).to_vec())
}

/// RCCL's own initialisation, which knows no limit: a thread that does not come back is left behind. Waits until it is done on all ranks,
/// so that none calls anything, and fails at that, while another one is still to be connected.
fn init(
    caller: Caller,
    world_size: u32,
    id: &[u8],
    limit: Duration,
    link: &mut Link,
) -> Result<*mut ncclComm> {
    let mut raw_id = ncclUniqueId::default();
    raw_id.internal.iter_mut().zip(id).for_each(|(to, byte)| *to = byte.cast_signed());
    let (result, made) = mpsc::channel();
    let init = move || {
        let call = || {
            caller.device.bind()?;
            let mut raw = std::ptr::null_mut();
            // SAFETY: the out-parameter is valid.
            let code = unsafe {
                caller.rccl.ncclCommInitRank(&mut raw, world_size as i32, raw_id, caller.rank as i32)
            };
            caller.check("ncclCommInitRank", std::ptr::null_mut(), code)?;
            // Pointers do not change threads, numbers do.
            Ok::<usize, RcclError>(raw as usize)
        };
        // Nobody may wait any more.
        let _ = result.send(call());
    };
    let spawned = thread::Builder::new().name("rccl-init".to_owned()).spawn(init);
    spawned
        .map_err(|error| RcclError::InvalidArgument { operation: "from_rank", message: error.to_string() })?;
    let began = Instant::now();
    let mut own = None;
    let cause = loop {
        if own.is_none() {
            match made.recv_timeout(TICK) {
                Ok(raw) => {
                    own = Some(raw? as *mut ncclComm);
                    link.send(&Report::Ready);
                }
                Err(RecvTimeoutError::Disconnected) => break Cause::Lost { rank: caller.rank },
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        match (link.next(), own) {
            (Some(Notice::Ready), Some(raw)) => return Ok(raw),
            (Some(Notice::Failed(cause)), _) => break cause,
            _ if link.is_closed() => break Cause::Lost { rank: 0 },
            _ if began.elapsed() > limit => {
                let operation = "ncclCommInitRank".to_owned();
                break Cause::Timeout { rank: caller.rank, operation, limit, missing: Vec::new() };
            }
            _ => {}
        }
    };
    if let Some(raw) = own {
        // SAFETY: nobody else has the communicator.
        let _ = unsafe { caller.rccl.ncclCommAbort(raw) };
    }
    Err(Failure { rank: caller.rank, operation: Some("ncclCommInitRank".to_owned()), cause }.into())
}

impl Drop for Communicator {
    fn drop(&mut self) {
        let Some(watch) = self.watch.take() else { return };
        // The thread is not there in a forked child, and RCCL may be gone when the process ends.
        if rocm_hip::gone() || self.device().check_usable().is_err() {
            return mem::forget(watch);
        }
        self.shared.closing.store(true, Ordering::Release);
        watch.thread().unpark();
        let _ = watch.join();
    }
}

/// `rank 1 of 4 on amd:1`.
impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Communicator(rank {} of {} on {})", self.rank(), self.world_size(), self.device())
    }
}
