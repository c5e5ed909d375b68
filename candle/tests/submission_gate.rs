//! Devices whose recorded operations stand still until a test lets them go on.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{Device, Layout, Result};
use candle_rocm::{ExternalOp, Fusion, RocmDevice, RocmStorage, RocmStorageSlice};

/// Keeps what a device has to do, until it is opened. Whoever waits for the device before that finds it closed for ever.
pub struct SubmissionGate {
    open: mpsc::Sender<()>,
    passed: RocmStorage,
}

/// An operation of another crate, with effects, that runs until it is let go.
struct Closed(Mutex<mpsc::Receiver<()>>);

impl ExternalOp for Closed {
    fn name(&self) -> &'static str {
        "gate"
    }

    fn run(&self, device: &RocmDevice, _: &RocmStorageSlice, _: &Layout) -> Result<RocmStorageSlice> {
        if self.0.lock().unwrap().recv_timeout(Duration::from_secs(120)).is_err() {
            candle_core::bail!("who records waits for what was recorded");
        }
        Ok(RocmStorageSlice::F32(device.alloc_zeros(1)?))
    }
}

impl SubmissionGate {
    /// Before all that is recorded from now on, which the device does whatever the environment says.
    pub fn on(device: &Device) -> Result<Self> {
        let own: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device");
        own.set_fusion(Fusion::On);
        device.synchronize()?;
        let (open, wait) = mpsc::channel();
        let x = own.storage_from_slice(&[0f32])?;
        let passed = x.apply(&Layout::contiguous(1), Arc::new(Closed(Mutex::new(wait))), 1)?;
        Ok(Self { open, passed })
    }

    /// Lets all pass; an error if somebody waited for that meanwhile.
    pub fn open(self) -> Result<()> {
        // Nobody is there if it was for too long.
        let _ = self.open.send(());
        self.passed.to_cpu_storage().map(drop)
    }
}
