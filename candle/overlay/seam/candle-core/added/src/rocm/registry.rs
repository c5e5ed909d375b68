//! How the backend becomes known, and devices that users ask for by number.

use std::sync::{Once, OnceLock};

use super::RocmDevice;
use crate::{Device, Result};

/// A backend's constructors.
#[derive(Debug, Clone, Copy)]
pub struct Registration {
    /// For messages.
    pub name: &'static str,
    /// How many devices there are.
    pub count: fn() -> Result<usize>,
    /// The device of that number.
    pub open: fn(usize) -> Result<RocmDevice>,
}

static REGISTERED: OnceLock<Registration> = OnceLock::new();

/// Makes a backend known. The first one stays: false if there was one already.
pub fn register(backend: Registration) -> bool {
    REGISTERED.set(backend).is_ok()
}

const NONE: &str = "no ROCm backend is linked in: the patched candle-nn brings it to each program, example and test whose code names \
    candle-nn. One that names candle-core alone needs `use candle_nn as _;`, or depends on candle-rocm and has `use candle_rocm as _;`";

fn registered() -> Result<&'static Registration> {
    match REGISTERED.get() {
        Some(backend) => Ok(backend),
        None => crate::bail!("{NONE}"),
    }
}

pub(super) fn open(ordinal: usize) -> Result<RocmDevice> {
    let device = (registered()?.open)(ordinal)?;
    crate::rocm_backend::opened(ordinal); // Not proposed.
    Ok(device)
}

/// Whether a backend is linked in and finds at least one device. Warns once where none is linked in.
pub fn is_available() -> bool {
    static TOLD: Once = Once::new();
    match REGISTERED.get() {
        Some(backend) => (backend.count)().is_ok_and(|count| count > 0),
        None => {
            TOLD.call_once(|| eprintln!("candle: warning: {NONE}"));
            false
        }
    }
}

impl Device {
    /// The ROCm device of that number. All calls with one number give the same device, whose tensors mix.
    pub fn new_rocm(ordinal: usize) -> Result<Self> {
        open(ordinal).map(Self::Rocm)
    }

    /// The ROCm device of that number if there is any, else the CPU.
    pub fn rocm_if_available(ordinal: usize) -> Result<Self> {
        if is_available() {
            Self::new_rocm(ordinal)
        } else {
            Ok(Self::Cpu)
        }
    }

    /// Whether this is a ROCm device.
    pub fn is_rocm(&self) -> bool {
        matches!(self, Self::Rocm(_))
    }

    /// The ROCm device; `downcast_ref` on it gives the backend's own type.
    pub fn as_rocm_device(&self) -> Result<&RocmDevice> {
        match self {
            Self::Rocm(device) => Ok(device),
            other => crate::bail!("expected a rocm device, got {:?}", other.location()),
        }
    }
}
