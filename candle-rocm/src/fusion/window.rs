//! The recorded operations of a device.

use std::cell::Cell;
use std::env;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use candle_core::Layout;
use smallvec::SmallVec;

use super::join::{self, Joined};
use super::{Fusion, Operation};
use crate::common::operand::Operand;
use crate::common::setting::Setting;
use crate::count::saturating;
use crate::device::Pending;
use crate::storage::{Failure, Value};
use crate::{Result, RocmDevice, RocmError, RocmStorage};

/// Operations that wait at most, and how many of them stay when the others go: the last ones may still become part of a pattern.
const MOST: usize = 128;
const STAY: usize = 48;

/// A recorded operation.
pub(super) struct Node {
    pub(super) operation: Operation,
    pub(super) operands: SmallVec<[Recorded; 3]>,
    pub(super) result: Arc<Value>,
}

/// An operand, as a tensor would have it.
pub(super) type Recorded = (Arc<Value>, Layout);

/// What waits.
pub(super) struct Window {
    pub(super) fusion: Setting<Fusion>,
    waiting: Mutex<Vec<Node>>,
    /// Held by the thread that puts operations on the stream: they go in order.
    submitting: Mutex<()>,
    failures: Mutex<Vec<Arc<Failure>>>,
}

impl Default for Window {
    fn default() -> Self {
        let fusion = Setting::default();
        if let Ok(value) = env::var("CANDLE_ROCM_FUSION") {
            fusion.set(if value == "on" { Fusion::On } else { Fusion::Off });
        }
        Self { fusion, waiting: Mutex::default(), submitting: Mutex::default(), failures: Mutex::default() }
    }
}

thread_local! {
    /// Whether this thread is running recorded operations: what these call runs at once.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Until it is dropped, also by a panic.
struct Running;

impl Running {
    fn begin() -> Self {
        RUNNING.set(true);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(false);
    }
}

/// Records an operation, or runs it.
///
/// # Errors
/// The operation's own, unless it was recorded.
#[inline]
pub(crate) fn record(operation: Operation, operands: &[Operand<'_>]) -> candle_core::Result<RocmStorage> {
    let device = &operands[0].0.device;
    if let Some(recorded) = try_record(&operation, operands) {
        return Ok(recorded);
    }
    let name = operation.name();
    device.observe(name, operands, || Ok(RocmStorage::new(operation.run(device, operands)?, device.clone())))
}

/// Records an operation, if fusion is on and nothing about it might be refused.
#[inline]
pub(crate) fn try_record(operation: &Operation, operands: &[Operand<'_>]) -> Option<RocmStorage> {
    let device = &operands.first()?.0.device;
    let window = Window::recording(device)?;
    if !operands.iter().all(|(other, _)| device.same_device(&other.device)) {
        return None;
    }
    let (len, dtype) = operation.result(operands)?;
    let operands = operands.iter().map(|&(x, layout)| (x.value().clone(), layout.clone())).collect();
    Some(window.push(device, operation.clone(), operands, Value::recorded(dtype, len)))
}

/// Records a copy that takes the place of all elements of `dst`, which nobody has written yet, if that is what it is.
pub(crate) fn record_whole_copy(src: Operand<'_>, dst: &RocmStorage) -> Option<RocmStorage> {
    let (x, layout) = src;
    // Memory that was written before keeps its place: somebody may have its address.
    let fits = dst.value().is_uninit() && x.dtype() == dst.dtype() && saturating(layout.dims()) == dst.len();
    fits.then(|| try_record(&Operation::Copy, &[src])).flatten()
}

impl Window {
    /// The device's, if operations are recorded here and now.
    #[inline]
    fn recording(device: &RocmDevice) -> Option<&Self> {
        let window = device.pending::<Self>()?;
        (window.fusion.get() == Fusion::On && !RUNNING.get()).then_some(window)
    }

    fn push(
        &self,
        device: &RocmDevice,
        operation: Operation,
        operands: SmallVec<[Recorded; 3]>,
        result: Value,
    ) -> RocmStorage {
        let result = Arc::new(result);
        let node = Node { operation, operands, result: result.clone() };
        let full = {
            let mut waiting = lock(&self.waiting);
            waiting.push(node);
            waiting.len() >= MOST
        };
        if full {
            self.submit_all_but(device, STAY);
        }
        RocmStorage::of(result, device.clone())
    }

    fn submit_all_but(&self, device: &RocmDevice, stay: usize) {
        if RUNNING.get() {
            return;
        }
        let _running = Running::begin();
        let order = lock(&self.submitting);
        let nodes = mem::take(&mut *lock(&self.waiting));
        let end = nodes.len().saturating_sub(stay);
        let kept = self.run(device, nodes, end);
        if !kept.is_empty() {
            let mut waiting = lock(&self.waiting);
            let newer = mem::replace(&mut *waiting, kept);
            waiting.extend(newer);
        }
        drop(order);
    }

    /// Runs the operations before `end`. Gives back the others, and those before that wait for one of them.
    fn run(&self, device: &RocmDevice, nodes: Vec<Node>, end: usize) -> Vec<Node> {
        let steps = join::plan(device, &nodes, end);
        let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        for (at, step) in steps.into_iter().enumerate() {
            match step {
                join::Step::Alone => {
                    if let Some(node) = nodes[at].take() {
                        self.run_alone(device, &node);
                    }
                }
                join::Step::Unread => nodes[at] = None,
                join::Step::Covered | join::Step::Wait => {}
                join::Step::Joined { join, covers } => {
                    let taken: SmallVec<[Node; 8]> =
                        covers.iter().filter_map(|&index| nodes[index].take()).collect();
                    self.run_joined(device, &join, &taken);
                }
            }
        }
        nodes.into_iter().flatten().collect()
    }

    fn run_alone(&self, device: &RocmDevice, node: &Node) {
        let name = node.operation.name();
        let slice = with_operands(device, &node.operands, |operands| {
            device.observe(name, operands, || node.operation.run(device, operands))
        });
        node.result.set(slice.map_err(|error| {
            let failure = Arc::new(Failure::new(name, RocmError::from_candle(name, error)));
            lock(&self.failures).push(failure.clone());
            failure
        }));
    }

    fn run_joined(&self, device: &RocmDevice, join: &Joined, nodes: &[Node]) {
        match join.run(device) {
            Ok(Some(results)) => {
                for (value, slice) in results {
                    value.set(Ok(slice));
                }
            }
            // What the joined kernel does not take, or has no memory for, the single ones may.
            Ok(None) | Err(_) => nodes.iter().for_each(|node| self.run_alone(device, node)),
        }
    }
}

impl Pending for Window {
    fn submit(&self, device: &RocmDevice) {
        self.submit_all_but(device, 0);
    }

    fn failure(&self) -> Result<()> {
        let failures = mem::take(&mut *lock(&self.failures));
        failures.iter().find_map(|failure| failure.take()).map_or(Ok(()), Err)
    }
}

/// Operands as storages.
pub(super) fn with_operands<R>(
    device: &RocmDevice,
    operands: &[Recorded],
    run: impl FnOnce(&[Operand<'_>]) -> R,
) -> R {
    let storages: SmallVec<[RocmStorage; 3]> =
        operands.iter().map(|(value, _)| RocmStorage::of(value.clone(), device.clone())).collect();
    let views: SmallVec<[Operand<'_>; 3]> =
        storages.iter().zip(operands).map(|(storage, (_, layout))| (storage, layout)).collect();
    run(&views)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
