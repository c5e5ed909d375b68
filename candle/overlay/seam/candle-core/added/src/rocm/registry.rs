//! How the backend becomes known, and devices that users ask for by number.

use std::sync::{Once, OnceLock};

use super::RocmDevice;
use crate::{Device, Result};

/// A backend's constructors.
#[derive(Debug, Clone, Copy)]
pub struct Registration {
    /// The backend's name, for messages.
    pub name: &'static str,
    /// Returns the number of devices.
    pub count: fn() -> Result<usize>,
    /// Opens a device by its ordinal.
    pub open: fn(usize) -> Result<RocmDevice>,
}

static REGISTERED: OnceLock<Registration> = OnceLock::new();

/// Registers a backend. Only the first one is kept: returns `false` if another one was already registered.
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

/// Whether a backend is linked in and finds at least one device. Warns once if none is linked in.
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
    /// Opens the ROCm device `ordinal`. All calls with the same ordinal return the same device, so their tensors can be used together.
    pub fn new_rocm(ordinal: usize) -> Result<Self> {
        open(ordinal).map(Self::Rocm)
    }

    /// Opens the ROCm device `ordinal` if there is any ROCm device, otherwise returns the CPU.
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

    /// The ROCm device. Its `downcast_ref` returns the backend's own type.
    pub fn as_rocm_device(&self) -> Result<&RocmDevice> {
        match self {
            Self::Rocm(device) => Ok(device),
            other => crate::bail!("expected a rocm device, got {:?}", other.location()),
        }
    }
}
