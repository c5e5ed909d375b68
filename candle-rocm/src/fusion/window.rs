//! The recorded operations of a device.

use std::mem;
use std::sync::Arc;

use smallvec::SmallVec;

use super::graph::{Recordable as _, Recorded, Views};
use super::planning::{Planning, Segment};
use super::reentrancy::{is_reentrant, reentered_from};
use super::{Fusion, Node, Operation};
use crate::common::operand::Operand;
use crate::common::setting::Setting;
use crate::count::saturating;
use crate::device::Pending;
use crate::hip::Pool;
use crate::layout::copy::Copied;
use crate::lock::{self, Mutex};
use crate::storage::{Timestamp, Value};
use crate::{Result, RocmDevice, RocmStorage};

/// Operations that go to be planned together end with a norm if they are as many as that, or are that many; and how many of the last ones
/// stay, to be planned again with the next, as they may still become part of a pattern.
///
/// Norms are where blocks of models begin. What is planned is then the same for each block, and has no part of its attention, whose sizes
/// may be other ones for each token: plans that are kept fit again.
const LEAST: usize = 12;
const MOST: usize = 40;
const STAY: usize = 24;

/// What was recorded, and who plans it.
pub(super) struct Window {
    pub(super) fusion: Setting<Fusion>,
    recording: Mutex<Recording, lock::Recording>,
    planning: Planning,
}

#[derive(Default)]
struct Recording {
    /// Recorded since the last segment was handed over.
    waiting: Vec<Node>,
    views: Views,
    /// Whether operations of that one stayed, to be planned with the next.
    begun: bool,
    /// Whether any was since somebody last waited: what runs at once would wait for it.
    busy: bool,
}

impl Default for Window {
    fn default() -> Self {
        let fusion =
            Setting::from_variable("CANDLE_ROCM_FUSION", &[("on", Fusion::On), ("off", Fusion::Off)]);
        Self { fusion, recording: Mutex::default(), planning: Planning::default() }
    }
}

/// Records an operation, or runs it.
///
/// # Errors
/// The operation's own, unless it was recorded.
#[inline]
pub(super) fn record(operation: Operation, operands: &[Operand<'_>]) -> candle_core::Result<RocmStorage> {
    let device = &operands[0].0.device;
    if let Some(recorded) = try_record(&operation, operands) {
        return Ok(recorded);
    }
    if operation.has_effects() {
        // They come in the order of the calls.
        device.flush();
    }
    let name = operation.name();
    let run = || Ok(RocmStorage::new(operation.run(device, operands)?, device.clone()));
    device.observe_with_weights(name, operands, || operation.weights(device), run)
}

/// Records an operation, if fusion is on and nothing about it might be refused.
#[inline]
fn try_record(operation: &Operation, operands: &[Operand<'_>]) -> Option<RocmStorage> {
    let device = &operands.first()?.0.device;
    Window::recording(device)?.record(device, operation, operands)
}

/// A copy that takes the place of all elements of `dst`, on the same device, if that is what it is and fusion is on: the same elements, until somebody
/// writes to one of both, or a recorded copy.
pub(crate) fn whole_copy((src, layout): Operand<'_>, dst: &RocmStorage) -> Option<RocmStorage> {
    let len = saturating(layout.dims());
    if src.dtype() != dst.dtype() || len != dst.len() {
        return None;
    }
    if len == src.len() && layout.start_offset() == 0 && layout.is_contiguous() {
        Window::recording(&src.device)?;
        src.device.profile().save(1);
        return Some(RocmStorage::of(src.value().clone(), src.device.clone()));
    }
    try_record(&Operation::Copy(Copied), &[(src, layout)])
}

impl Window {
    /// The device's, if operations are recorded here and now.
    #[inline]
    fn recording(device: &RocmDevice) -> Option<&Self> {
        let window = device.pending::<Self>()?;
        (window.fusion.get() == Fusion::On && !is_reentrant()).then_some(window)
    }

    fn record(
        &self,
        device: &RocmDevice,
        operation: &Operation,
        operands: &[Operand<'_>],
    ) -> Option<RocmStorage> {
        if !operands.iter().all(|(other, _)| device.same_device(&other.device)) {
            return None;
        }
        let mut recording = self.recording.lock();
        let Recording { waiting, views, begun, busy } = &mut *recording;
        if waiting.is_empty() && !*busy && !operation.may_be_joined() {
            return None;
        }
        let operands: SmallVec<[Recorded; 3]> =
            operands.iter().map(|&(x, layout)| (x.value().clone(), views.get(layout))).collect();
        let (len, dtype) = operation.result(device, &operands)?;
        let result = Arc::new(Value::recorded(dtype, len));
        waiting.push(Node { operation: operation.clone(), operands, result: result.clone() });
        let is_norm =
            matches!(operation, Operation::RmsNorm(_) | Operation::LayerNorm(_) | Operation::GroupNorm(_));
        let most = match is_norm {
            true if *begun => LEAST,
            // At least one is not to stay.
            true => STAY + 1,
            false => MOST,
        };
        let stay = if operation.has_effects() {
            device.effects().record();
            // Others may wait for what it does, while nobody here asks for its result. That lives until it is planned, so it is not left out.
            Some(0)
        } else {
            (waiting.len() >= most).then_some(STAY)
        };
        if let Some(stay) = stay {
            self.hand_over(&mut recording, stay);
            drop(recording);
            self.planning.go_on(device);
        }
        Some(RocmStorage::of(result, device.clone()))
    }

    /// What was recorded, to be planned and run but for the last `stay` operations.
    fn hand_over(&self, recording: &mut Recording, stay: usize) {
        (recording.begun, recording.busy) = (stay > 0, true);
        recording.views.next_window();
        // The next window is often as long.
        let room = recording.waiting.len();
        let nodes = mem::replace(&mut recording.waiting, Vec::with_capacity(room));
        self.planning.hand_over(Segment { nodes, at: Timestamp::now(), stay });
    }
}

impl Pending for Window {
    fn attach(&self, pool: &Pool) {
        self.planning.attach(pool);
    }

    fn submit(&self, device: &RocmDevice) {
        if !is_reentrant() {
            let mut recording = self.recording.lock();
            if recording.begun || !recording.waiting.is_empty() {
                self.hand_over(&mut recording, 0);
            }
            recording.busy = false;
            drop(recording);
            self.planning.run_all(device);
        }
    }

    fn reentered_from(&self) -> Option<&'static str> {
        reentered_from()
    }

    fn finish(&self, device: &RocmDevice) {
        self.planning.run_all(device);
    }

    fn failure(&self) -> Result<()> {
        self.planning.failure()
    }
}
