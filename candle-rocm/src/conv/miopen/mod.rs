//! Convolutions and pools by MIOpen, where there is one.
//!
//! A device makes its handle at the first convolution. Algorithms for a problem are found once, in MIOpen's mode "fast",
//! which asks its database and heuristics rather than compile and time all that might do; memory they need comes from the
//! device's pool. What MIOpen refuses is left to this crate's kernels, with one warning per problem.

mod descriptor;
mod session;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Once;

use candle_core::DType;
use rocm_sys::miopen::{Miopen, miopenDataType_t, miopenStatus_t};

use crate::conv::problem::Problem;
use crate::conv::windows::Windows;
use crate::hip::DevicePtr;
use crate::lock::{self, Mutex};
use crate::{Result, RocmDevice, RocmError};
pub(super) use session::ALGORITHMS;
use session::{ConvolutionPlan, Needing, PoolPlan, Session, Workspace};

/// A device's MIOpen. MIOpen's handles are not for several threads at a time.
#[derive(Default)]
pub(crate) struct Engine(Mutex<State, lock::Miopen>);

#[derive(Default)]
struct State {
    /// `Some(None)`: there is none.
    session: Option<Option<Session>>,
    /// `None`: MIOpen refuses.
    convolutions: HashMap<(Problem, DType), Option<ConvolutionPlan>>,
    pools: HashMap<(Windows, DType), Option<PoolPlan>>,
}

impl Engine {
    /// Whether there is a MIOpen for the device.
    pub(crate) fn is_available(&self, device: &RocmDevice) -> bool {
        let mut state = self.0.lock();
        opened(&mut state.session, device).is_some()
    }

    /// Whether MIOpen wrote `out`, by the algorithm of that number, the first one being its best guess. Operands are
    /// contiguous.
    pub(crate) fn convolve(
        &self,
        device: &RocmDevice,
        problem: &Problem,
        dtype: DType,
        algorithm: usize,
        [x, w, out]: [DevicePtr; 3],
    ) -> Result<bool> {
        // With more output padding, the convolution that this is the gradient of would have more outputs.
        let padded = [problem.y, problem.x].iter().any(|axis| axis.output_padding >= axis.stride);
        if padded || data_type(dtype).is_none() {
            return Ok(false);
        }
        device.hip_device().check_usable()?;
        let mut workspace = Workspace::default();
        loop {
            let size = {
                let mut state = self.0.lock();
                match state.convolve(device, (*problem, dtype), algorithm, [x, w, out], &workspace)? {
                    Ok(there) => return Ok(there),
                    Err(size) => size,
                }
            };
            workspace = match Workspace::new(device, size) {
                Ok(workspace) => workspace,
                // Other kernels may need less.
                Err(error) if error.is_refusal() => return Ok(false),
                Err(error) => return Err(error),
            };
        }
    }

    /// Whether MIOpen wrote `out`. The input is contiguous.
    pub(crate) fn pool(
        &self,
        device: &RocmDevice,
        windows: &Windows,
        dtype: DType,
        [x, out]: [DevicePtr; 2],
    ) -> Result<bool> {
        if data_type(dtype).is_none() {
            return Ok(false);
        }
        device.hip_device().check_usable()?;
        let mut state = self.0.lock();
        let State { session, pools, .. } = &mut *state;
        let Some(session) = opened(session, device) else { return Ok(false) };
        device.hip_device().bind()?;
        let key = (*windows, dtype);
        let plan = pools.entry(key).or_insert_with(|| {
            let found = PoolPlan::new(session, windows, dtype);
            found.map_err(|error| refused(&key, &error)).ok()
        });
        let Some(ready) = plan else { return Ok(false) };
        match ready.run(session, [x, out]) {
            Ok(()) => Ok(true),
            Err(error @ RocmError::Miopen { .. }) => {
                refused(&key, &error);
                *plan = None;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

impl State {
    fn convolve(
        &mut self,
        device: &RocmDevice,
        key: (Problem, DType),
        algorithm: usize,
        operands: [DevicePtr; 3],
        workspace: &Workspace,
    ) -> Result<Needing<bool>> {
        let Self { session, convolutions, .. } = self;
        let Some(session) = opened(session, device) else { return Ok(Ok(false)) };
        device.hip_device().bind()?;
        let plan = match convolutions.entry(key) {
            Entry::Occupied(plan) => plan.into_mut(),
            Entry::Vacant(vacant) => {
                match ConvolutionPlan::find(session, device, &key.0, key.1, operands, workspace) {
                    Ok(Ok(plan)) => vacant.insert(Some(plan)),
                    Ok(Err(size)) => return Ok(Err(size)),
                    Err(error) => {
                        refused(&key, &error);
                        vacant.insert(None)
                    }
                }
            }
        };
        let Some(ready) = plan else { return Ok(Ok(false)) };
        match ready.run(session, algorithm, operands, workspace) {
            Err(RocmError::Miopen { .. }) if algorithm > 0 => Ok(Ok(false)),
            Err(error @ RocmError::Miopen { .. }) => {
                refused(&key, &error);
                *plan = None;
                Ok(Ok(false))
            }
            done => done,
        }
    }
}

/// The file of the device's MIOpen, of which a handle can be made.
pub(super) fn library(device: &RocmDevice) -> Result<PathBuf> {
    Session::new(device).map(|session| session.library().to_owned())
}

/// The device's session, begun now if it was not yet.
fn opened<'a>(session: &'a mut Option<Option<Session>>, device: &RocmDevice) -> Option<&'a Session> {
    static SAID: Once = Once::new();

    let begin = || {
        Session::new(device)
            .map_err(|error| {
                SAID.call_once(|| {
                    eprintln!(
                        "candle-rocm: no MIOpen ({}): convolutions run on kernels of candle-rocm's own",
                        error.of_library()
                    );
                });
            })
            .ok()
    };
    session.get_or_insert_with(begin).as_ref()
}

fn refused(problem: &impl Debug, error: &RocmError) {
    eprintln!("candle-rocm: MIOpen does not take {problem:?} ({error}): kernels of candle-rocm's own do");
}

/// MIOpen's name for a dtype that it convolves.
fn data_type(dtype: DType) -> Option<miopenDataType_t> {
    match dtype {
        DType::F16 => Some(miopenDataType_t::miopenHalf),
        DType::BF16 => Some(miopenDataType_t::miopenBFloat16),
        DType::F32 => Some(miopenDataType_t::miopenFloat),
        _ => None,
    }
}

/// The error, if the status is one.
fn check(
    miopen: &Miopen,
    call: &'static str,
    status: Result<miopenStatus_t, rocm_sys::MissingSymbol>,
) -> Result<()> {
    let status = status?;
    if status == miopenStatus_t::miopenStatusSuccess {
        return Ok(());
    }
    // SAFETY: it takes any status, and gives a static string.
    let text = unsafe { miopen.miopenGetErrorString(status) };
    let text = text.ok().filter(|text| !text.is_null()).map(|text| {
        // SAFETY: not null, and a string that ends with a zero.
        unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
    });
    Err(RocmError::Miopen { call, code: status.0, name: text.unwrap_or_default() })
}

/// `checked!(miopen.call(arguments))`.
macro_rules! checked {
    ($miopen:ident.$call:ident($($argument:expr),* $(,)?)) => {
        $crate::conv::miopen::check($miopen, stringify!($call), $miopen.$call($($argument),*))
    };
}
use checked;

/// Sizes for C.
fn int(op: &'static str, n: usize) -> Result<std::ffi::c_int> {
    std::ffi::c_int::try_from(n).map_err(|_| RocmError::InvalidArgument {
        op,
        message: format!("{n} exceeds MIOpen's limit of 2^31 - 1"),
    })
}
