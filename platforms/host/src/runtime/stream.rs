//! Streams: a queue and a thread each, so that work is truly asynchronous.
//!
//! Order between streams comes from *dependencies*: a task waits until another stream has completed a given number
//! of tasks. A task only ever depends on tasks submitted before it, so there are no cycles. The rules of the legacy
//! null stream are dependencies too: its work waits for what blocking streams were given before, and their later
//! work waits for it.

use super::device::{self, Device};
use super::registry;
use crate::processor::Fault;
use crate::sanitizer::order::{self, Point};
use rocm_platform::Handles;
use rocm_sys::hip::{hipError_t, hipStream_t, hipStreamNonBlocking};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::{c_int, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// What a task runs. A fault sticks to the stream's device.
pub(crate) type Work = Box<dyn FnOnce() -> Result<(), Fault> + Send>;

/// Queues work on any stream (null, legacy, per-thread or created). `what` names it in fault messages.
///
/// Returns at once: `hipSuccess`, or why the work was not queued (an invalid handle, or a device with a fault).
pub(crate) fn enqueue(stream: hipStream_t, what: &str, work: Work) -> hipError_t {
    let queued = resolve(stream).and_then(|stream| {
        stream.device.check()?;
        stream.submit(Task::new(what, work)).map(|_| ())
    });
    queued.err().unwrap_or(hipError_t::hipSuccess)
}

const LEGACY: usize = 1;
const PER_THREAD: usize = 2;

/// One unit of queued work.
pub(crate) struct Task {
    what: Box<str>,
    /// Runs even after a fault: markers that callers may wait for.
    always: bool,
    after: Vec<Ticket>,
    work: Work,
    submitted: Point,
    done: Point,
}

impl Task {
    pub(crate) fn new(what: &str, work: Work) -> Self {
        Self {
            what: what.into(),
            always: false,
            after: Vec::new(),
            work,
            submitted: Point::new(),
            done: Point::new(),
        }
    }

    /// A task that runs even on a device that has a fault.
    pub(crate) fn marker(what: &str, work: Work) -> Self {
        Self { always: true, ..Self::new(what, work) }
    }

    /// A task that only waits for another one.
    pub(crate) fn wait_for(ticket: Ticket) -> Self {
        Self { after: vec![ticket], ..Self::marker("wait", Box::new(|| Ok(()))) }
    }
}

/// A position in a stream: complete when the stream has run that many tasks.
#[derive(Clone)]
pub(crate) struct Ticket {
    pub(crate) stream: Arc<Stream>,
    number: u64,
    done: Point,
}

impl Ticket {
    /// Whether it is; if so, what the calling thread does from now on comes after it.
    pub(crate) fn is_complete(&self) -> bool {
        let complete = self.stream.completed.load(Ordering::Acquire) >= self.number;
        if complete {
            self.pass();
        }
        complete
    }

    pub(crate) fn wait(&self) {
        self.stream.wait(self.number);
        self.pass();
    }

    /// Whether to wait for it makes a difference.
    pub(crate) fn counts(&self) -> bool {
        order::is_checked() || self.stream.completed.load(Ordering::Acquire) < self.number
    }

    fn pass(&self) {
        if IS_WORKER.get() { self.done.pass() } else { self.done.pass_by_host() }
    }
}

/// A stream; workers and handles share it.
pub(crate) struct Stream {
    pub(crate) device: &'static Device,
    pub(crate) flags: c_uint,
    pub(crate) priority: c_int,
    pub(crate) handle: usize,
    is_null: bool,
    /// Tasks submitted and completed so far: copies of what `queue` guards, for reading without the lock.
    submitted: AtomicU64,
    completed: AtomicU64,
    queue: Mutex<Queue>,
    /// Tells the worker that there is work, or that the stream is closed.
    wake: Condvar,
    /// Tells waiters that a task is complete.
    done: Condvar,
}

#[derive(Default)]
struct Queue {
    tasks: VecDeque<Task>,
    submitted: u64,
    /// The end of the last one.
    last: Point,
    waiters: usize,
    worker_started: bool,
    worker_sleeps: bool,
    closed: bool,
}

impl Stream {
    fn new(device: &'static Device, flags: c_uint, priority: c_int, is_null: bool) -> Arc<Self> {
        Arc::new(Self {
            device,
            flags,
            priority,
            handle: STREAMS.reserve(),
            is_null,
            submitted: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            queue: Mutex::default(),
            wake: Condvar::new(),
            done: Condvar::new(),
        })
    }

    /// The legacy default stream of a device.
    pub(crate) fn null(device: &'static Device) -> Arc<Self> {
        Self::new(device, 0, 0, true)
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_blocking(&self) -> bool {
        self.flags & hipStreamNonBlocking == 0
    }

    /// What has been submitted so far.
    pub(crate) fn latest(self: &Arc<Self>) -> Ticket {
        if order::is_checked() {
            let queue = self.lock();
            return Ticket { stream: self.clone(), number: queue.submitted, done: queue.last.clone() };
        }
        let number = self.submitted.load(Ordering::Acquire);
        Ticket { stream: self.clone(), number, done: Point::default() }
    }

    pub(crate) fn is_idle(self: &Arc<Self>) -> bool {
        self.latest().is_complete()
    }

    /// Waits until everything submitted so far is complete. Only for threads of users: see [`may_wait`].
    pub(crate) fn wait_all(self: &Arc<Self>) {
        self.latest().wait();
    }

    fn wait(&self, number: u64) {
        if self.completed.load(Ordering::Acquire) >= number {
            return;
        }
        let mut queue = self.lock();
        queue.waiters += 1;
        while self.completed.load(Ordering::Acquire) < number {
            queue = self.done.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.waiters -= 1;
    }

    /// The stream itself and, for the null stream, all streams that it synchronises with.
    pub(crate) fn with_followed(self: &Arc<Self>) -> Vec<Arc<Self>> {
        let mut all = vec![self.clone()];
        if self.is_null {
            let streams = self.device.streams.read().unwrap_or_else(PoisonError::into_inner);
            all.extend(streams.iter().filter(|stream| stream.is_blocking()).cloned());
        }
        all
    }

    /// What the next task waits for by the rules of the null stream.
    fn implied(self: &Arc<Self>) -> Vec<Ticket> {
        if self.is_null {
            let streams = self.device.streams.read().unwrap_or_else(PoisonError::into_inner);
            streams
                .iter()
                .filter(|stream| stream.is_blocking())
                .map(Self::latest)
                .filter(Ticket::counts)
                .collect()
        } else if self.is_blocking() {
            let null = self.device.null_stream_if_used();
            null.map(Self::latest).filter(Ticket::counts).into_iter().collect()
        } else {
            Vec::new()
        }
    }

    /// Queues a task.
    pub(crate) fn submit(self: &Arc<Self>, mut task: Task) -> Result<Ticket, hipError_t> {
        task.after.extend(self.implied());
        let mut queue = self.lock();
        if queue.closed {
            return Err(hipError_t::hipErrorContextIsDestroyed);
        }
        if !queue.worker_started {
            self.start_worker()?;
            queue.worker_started = true;
        }
        let done = task.done.clone();
        if IS_WORKER.get() {
            task.submitted.reach()
        } else {
            task.submitted.reach_by_host()
        }
        queue.last = done.clone();
        queue.tasks.push_back(task);
        queue.submitted += 1;
        let number = queue.submitted;
        self.submitted.store(number, Ordering::Release);
        if queue.worker_sleeps {
            self.wake.notify_one();
        }
        drop(queue);
        Ok(Ticket { stream: self.clone(), number, done })
    }

    fn start_worker(self: &Arc<Self>) -> Result<(), hipError_t> {
        stop_at_exit();
        let stream = self.clone();
        let name = format!("hip{}-stream", self.device.ordinal);
        let (started, starts) = mpsc::channel::<()>();
        let work = move || {
            drop(started);
            stream.work();
        };
        std::thread::Builder::new().name(name).spawn(work).map_err(|_| hipError_t::hipErrorOutOfMemory)?;
        // On Windows, threads start under a lock that a thread which ends has as well, while its thread-locals wait for this stream.
        let _ = starts.recv();
        Ok(())
    }

    /// Accepts no more work. What is queued still runs, then the stream is gone.
    fn close(self: &Arc<Self>) {
        let mut queue = self.lock();
        queue.closed = true;
        if queue.worker_started {
            self.wake.notify_one();
        } else {
            drop(queue);
            self.leave();
        }
    }

    fn leave(&self) {
        let mut streams = self.device.streams.write().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|stream| stream.handle != self.handle);
    }

    /// The worker thread.
    fn work(&self) {
        IS_WORKER.set(true);
        order::name_thread(&format!("a stream of device {}", self.device.ordinal));
        while let Some(task) = self.next() {
            task.submitted.pass();
            task.after.iter().for_each(Ticket::wait);
            RUNNING.fetch_add(1, Ordering::SeqCst);
            if EXITING.load(Ordering::SeqCst) {
                RUNNING.fetch_sub(1, Ordering::SeqCst);
                park();
            }
            if task.always || !self.device.has_fault() {
                let result =
                    catch_unwind(AssertUnwindSafe(task.work)).unwrap_or_else(|panic| Err(panicked(&*panic)));
                if let Err(fault) = result {
                    self.device.fail(&task.what, &fault);
                }
            }
            RUNNING.fetch_sub(1, Ordering::SeqCst);
            task.done.reach();

            let queue = self.lock();
            self.completed.fetch_add(1, Ordering::Release);
            if queue.waiters > 0 {
                self.done.notify_all();
            }
        }
        self.leave();
    }

    /// The next task, or `None` when the stream is closed and empty.
    fn next(&self) -> Option<Task> {
        let mut queue = self.lock();
        loop {
            if let Some(task) = queue.tasks.pop_front() {
                return Some(task);
            }
            if queue.closed {
                return None;
            }
            queue.worker_sleeps = true;
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.worker_sleeps = false;
        }
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Fault {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    Fault::new(hipError_t::hipErrorUnknown, format!("the platform itself panicked: {text}"))
}

thread_local! {
    static IS_WORKER: Cell<bool> = const { Cell::new(false) };
    static PER_THREAD_STREAMS: RefCell<PerThread> = const { RefCell::new(PerThread(Vec::new())) };
}

/// Whether this thread may wait for streams. A stream's own thread may not: a callback that synchronises would wait
/// for itself, which HIP forbids and which would hang.
pub(crate) fn may_wait() -> Result<(), hipError_t> {
    if IS_WORKER.get() {
        super::fault::report(
            "a call that waits for the device was made from a stream callback or host function".to_owned(),
        );
        return Err(hipError_t::hipErrorNotSupported);
    }
    Ok(())
}

static STREAMS: Handles<Arc<Stream>> = Handles::new(0x5743_0000_0000_0000);

/// Creates a stream on a device and returns its handle.
pub(crate) fn create(device: &'static Device, flags: c_uint, priority: c_int) -> usize {
    let stream = Stream::new(device, flags, priority, false);
    let handle = stream.handle;
    device.streams.write().unwrap_or_else(PoisonError::into_inner).push(stream.clone());
    STREAMS.insert_reserved(handle, stream);
    handle
}

/// Invalidates a handle; queued work still runs.
pub(crate) fn destroy(handle: usize) -> Result<(), hipError_t> {
    STREAMS.remove(handle).ok_or(hipError_t::hipErrorContextIsDestroyed)?.close();
    Ok(())
}

/// Invalidates all handles of a device, for `hipDeviceReset`.
pub(crate) fn destroy_all(device: &Device) {
    STREAMS.remove_all(|stream| stream.device.ordinal == device.ordinal).iter().for_each(Stream::close);
}

/// The stream that a handle stands for, with the special handles of the calling thread and its device.
pub(crate) fn resolve(handle: hipStream_t) -> Result<Arc<Stream>, hipError_t> {
    match handle as usize {
        0 | LEGACY => {
            let device = device::current();
            if device::all().is_empty() {
                return Err(hipError_t::hipErrorNoDevice);
            }
            Ok(device.null_stream().clone())
        }
        PER_THREAD => per_thread(),
        handle => STREAMS.get(handle).ok_or(hipError_t::hipErrorContextIsDestroyed),
    }
}

/// A thread's own default streams, by device. They are destroyed when the thread ends.
struct PerThread(Vec<usize>);

impl Drop for PerThread {
    fn drop(&mut self) {
        for &handle in self.0.iter().filter(|&&handle| handle != 0) {
            let _ = destroy(handle);
        }
    }
}

fn per_thread() -> Result<Arc<Stream>, hipError_t> {
    let device = device::current();
    if device::all().is_empty() {
        return Err(hipError_t::hipErrorNoDevice);
    }
    PER_THREAD_STREAMS
        .try_with(|streams| {
            let mut streams = streams.borrow_mut();
            streams.0.resize(device::all().len(), 0);
            let handle = &mut streams.0[device.ordinal];
            // The handle is stale after hipDeviceReset.
            STREAMS.get(*handle).or_else(|| {
                *handle = create(device, 0, 0);
                STREAMS.get(*handle)
            })
        })
        .ok()
        .flatten()
        .ok_or(hipError_t::hipErrorContextIsDestroyed)
}

static EXITING: AtomicBool = AtomicBool::new(false);
/// Workers that are running a task.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// The process that owns the workers.
static STARTED_BY: AtomicU32 = AtomicU32::new(0);

/// Keeps workers from starting tasks once the process exits, and waits briefly for running ones: kernels must not run
/// while their code is unloaded.
fn stop_at_exit() {
    extern "C" fn stop() {
        const PATIENCE: Duration = Duration::from_secs(2);
        // A forked child has no workers to wait for, and locks that they may have held.
        if std::process::id() != STARTED_BY.load(Ordering::SeqCst) {
            return;
        }
        EXITING.store(true, Ordering::SeqCst);
        if IS_WORKER.try_with(Cell::get).unwrap_or(false) {
            return;
        }
        let began = Instant::now();
        while RUNNING.load(Ordering::SeqCst) > 0 && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
        registry::check_guards_at_exit();
    }

    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        STARTED_BY.store(std::process::id(), Ordering::SeqCst);
        // SAFETY: `stop` is a plain C function that does not unwind; without it, exit is only less orderly.
        unsafe { libc::atexit(stop) };
    });
}

/// Whether the process exits: work that waits for others shall stop.
pub(crate) fn is_exiting() -> bool {
    EXITING.load(Ordering::SeqCst)
}

fn park() -> ! {
    loop {
        std::thread::park();
    }
}

#[cfg(test)]
mod tests {
    use super::super::device;
    use super::{Fault, Stream, Task, enqueue};
    use crate::last_fault;
    use rocm_sys::hip::hipError_t;
    use std::ptr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// One test, and on a device that the other tests here leave alone: the fault sticks to it.
    #[test]
    fn faults_of_queued_work() {
        // SAFETY: a plain call.
        assert_eq!(unsafe { device::hipSetDevice(1) }, hipError_t::hipSuccess);
        // SAFETY: plain calls without arguments.
        let reset = || unsafe { device::hipDeviceReset() };
        // SAFETY: plain calls without arguments.
        let synchronize = || unsafe { device::hipDeviceSynchronize() };
        let ran = Arc::new(AtomicU32::new(0));
        let count = || {
            let ran = ran.clone();
            Box::new(move || {
                ran.fetch_add(1, Ordering::SeqCst);
                Ok(())
            })
        };
        let fail = || Box::new(|| Err(Fault::launch_failure("thread (1, 2, 3) fell over")));

        assert_eq!(enqueue(ptr::null_mut(), "before", count()), hipError_t::hipSuccess);
        assert_eq!(enqueue(ptr::null_mut(), "kernel fall", fail()), hipError_t::hipSuccess);
        // Work behind a fault is dropped, markers are not; whoever waits for them must not hang.
        let stream: &Arc<Stream> = device::current().null_stream();
        let dropped = stream.submit(Task::new("behind", count())).unwrap();
        let marker = stream.submit(Task::marker("marker", count())).unwrap();
        dropped.wait();
        marker.wait();
        assert_eq!(ran.load(Ordering::SeqCst), 2);
        assert_eq!(synchronize(), hipError_t::hipErrorLaunchFailure);
        assert_eq!(synchronize(), hipError_t::hipErrorLaunchFailure);
        assert_eq!(enqueue(ptr::null_mut(), "after", count()), hipError_t::hipErrorLaunchFailure);
        let report = last_fault().unwrap();
        assert_eq!(report, "device 1: kernel fall: thread (1, 2, 3) fell over");
        assert_eq!(reset(), hipError_t::hipSuccess);
        assert_eq!(synchronize(), hipError_t::hipSuccess);

        // A panic is a fault too, and the stream lives on.
        assert_eq!(enqueue(ptr::null_mut(), "panic", Box::new(|| panic!("oh no"))), hipError_t::hipSuccess);
        assert_eq!(synchronize(), hipError_t::hipErrorUnknown);
        assert!(last_fault().unwrap().contains("oh no"));
        assert_eq!(reset(), hipError_t::hipSuccess);
        assert_eq!(enqueue(ptr::null_mut(), "again", count()), hipError_t::hipSuccess);
        assert_eq!(synchronize(), hipError_t::hipSuccess);
        assert_eq!(ran.load(Ordering::SeqCst), 3);
    }
}
