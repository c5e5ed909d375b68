//! Operations that the backend does not have: whether they may run on the CPU, and what is said about it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{RocmDevice, RocmStorage};
use crate::backend::{BackendDevice, BackendStorage};
use crate::{DType, DeviceLocation, Error, Layout, Result, Shape};

/// The names of candle-nn's custom operations. Our candle-nn describes each of them to the backend: one that comes without a
/// description is the stock candle-nn's.
const OF_CANDLE_NN: [&str; 6] =
    ["layer-norm", "metal-sdpa", "rms-norm", "rotary-emb", "sigmoid", "softmax-last-dim"];

/// An operation that could run neither on the ROCm device nor on the CPU. It is inside candle's error, where [`NoImplementation::of`] finds
/// it.
#[derive(Debug)]
pub struct NoImplementation {
    /// The operation's name.
    pub op: &'static str,
    /// The shapes and dtypes of its operands.
    pub operands: Vec<(Shape, DType)>,
    /// The error of its CPU version; `None` if the CPU was not allowed to compute it.
    pub cpu: Option<Box<Error>>,
    /// Whether the operation came without a description, as those of the stock candle-nn do.
    undescribed: bool,
}

impl NoImplementation {
    /// Finds the value inside candle's error.
    pub fn of(error: &Error) -> Option<&Self> {
        match error {
            Error::Cuda(inner) | Error::WrappedContext { wrapped: inner, .. } => inner.downcast_ref(),
            Error::Context { inner, .. }
            | Error::WithPath { inner, .. }
            | Error::WithBacktrace { inner, .. } => Self::of(inner),
            _ => None,
        }
    }

    fn error(op: &'static str, described: bool, operands: &[(Shape, DType)], cpu: Option<Error>) -> Error {
        let error =
            Self { op, operands: operands.to_vec(), cpu: cpu.map(Box::new), undescribed: !described };
        // The variant that shows nothing but the message and keeps the type.
        Error::Cuda(Box::new(error)).bt()
    }
}

impl fmt::Display for NoImplementation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no ROCm implementation for ", self.op)?;
        for (i, (shape, dtype)) in self.operands.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{} {:?}", dtype.as_str(), shape.dims())?;
        }
        match &self.cpu {
            None => f.write_str(", and running it on the CPU is forbidden")?,
            Some(error) => write!(f, ", and its CPU version failed: {}", first_words(&error.to_string()))?,
        }
        match missing_patch(self.op).filter(|_| self.undescribed) {
            Some(hint) => write!(f, "; {hint}"),
            None if self.cpu.is_none() => {
                f.write_str("; implement `rocm_fwd` for it, or unset CANDLE_ROCM_NO_FALLBACK")
            }
            None => f.write_str("; implement `rocm_fwd` for it, or move its operands to a device that has it"),
        }
    }
}

impl std::error::Error for NoImplementation {}

/// Without the backtrace that a candle error may carry, and without a tensor's elements: the stock softmax quotes all of them.
fn first_words(message: &str) -> String {
    const LONGEST: usize = 240;

    let line = message.lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// What to do about an operation of the stock candle-nn.
fn missing_patch(op: &str) -> Option<&'static str> {
    OF_CANDLE_NN.contains(&op).then_some(
        "if it is candle-nn's, that is the stock crate: [patch.crates-io] needs a line for `candle-nn` beside \
         candle-core's, with the same `git` or with `path = \".../candle/candle-nn\"`",
    )
}

pub(super) fn shape_and_dtype((storage, layout): &(&RocmStorage, &Layout)) -> (Shape, DType) {
    (layout.shape().clone(), storage.dtype())
}

/// Runs what the backend does not have on the CPU, if that is allowed, and says so once per operation: after it has run, as it
/// may have no version for the CPU.
pub(super) fn on_cpu<T>(
    op: &'static str,
    described: bool,
    device: &RocmDevice,
    operands: &[(Shape, DType)],
    run: impl FnOnce() -> Result<T>,
) -> Result<T> {
    // A backend that is the CPU does not fall.
    if device.location() == DeviceLocation::Cpu {
        return run();
    }
    if FORBIDDEN.load(Ordering::Relaxed) {
        return Err(NoImplementation::error(op, described, operands, None));
    }
    let result = run().map_err(|error| NoImplementation::error(op, described, operands, Some(error)))?;
    say(op, if described { None } else { missing_patch(op) });
    Ok(result)
}

/// As [`on_cpu`], before an operation whose CPU version is there.
pub(super) fn fall_back(op: &'static str, device: &RocmDevice, operand: (&RocmStorage, &Layout)) -> Result<()> {
    on_cpu(op, true, device, &[shape_and_dtype(&operand)], || Ok(()))
}

/// Turns custom operations without a ROCm implementation into errors, in this process. candle-rocm calls this if
/// `CANDLE_ROCM_NO_FALLBACK=1` is set.
pub fn forbid_fallback() {
    FORBIDDEN.store(true, Ordering::Relaxed);
}

static FORBIDDEN: AtomicBool = AtomicBool::new(false);

fn say(op: &'static str, hint: Option<&str>) {
    static SAID: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(op) {
        let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        eprintln!("candle: {op} has no ROCm implementation and runs on the CPU, with copies both ways{hint}");
    }
}
