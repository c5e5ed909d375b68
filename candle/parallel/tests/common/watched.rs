//! An operation that says when a device has come to it.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};
use candle_rocm::hip::Event;
use candle_rocm::{ExternalOp, RocmDevice, RocmStorage, RocmStorageSlice};

/// The same elements. Sends an event that is done once these, or their gradient, are there.
#[derive(Clone)]
pub(crate) struct Watched {
    reached: mpsc::Sender<Event>,
    tells: bool,
}

impl Watched {
    pub(crate) fn elements(reached: &mpsc::Sender<Event>) -> Self {
        Self { reached: reached.clone(), tells: true }
    }

    pub(crate) fn gradients(reached: &mpsc::Sender<Event>) -> Self {
        Self { reached: reached.clone(), tells: false }
    }
}

impl ExternalOp for Watched {
    fn name(&self) -> &'static str {
        "watched"
    }

    fn run(&self, device: &RocmDevice, x: &RocmStorageSlice, layout: &Layout) -> Result<RocmStorageSlice> {
        let RocmStorageSlice::F32(x) = x else { candle_core::bail!("f32 only") };
        let mut same = device.alloc(layout.shape().elem_count())?;
        device.copy(x, layout.start_offset(), &mut same, 0, layout.shape().elem_count())?;
        if self.tells {
            let event = Event::new(device.hip_device()).unwrap();
            event.record(device.stream()).unwrap();
            self.reached.send(event).unwrap();
        }
        Ok(RocmStorageSlice::F32(same))
    }
}

impl CustomOp1 for Watched {
    fn name(&self) -> &'static str {
        "watched"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        candle_core::bail!("not on the CPU")
    }

    fn rocm_fwd(
        &self,
        storage: &candle_core::RocmStorage,
        layout: &Layout,
    ) -> Result<(candle_core::RocmStorage, Shape)> {
        let x: &RocmStorage = storage.downcast_ref().expect("it is candle-rocm's");
        let same = x.apply(layout, Arc::new(self.clone()), layout.shape().elem_count())?;
        Ok((candle_core::RocmStorage::wrap::<RocmDevice>(same, storage.device()), layout.shape().clone()))
    }

    fn bwd(&self, _: &Tensor, _: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        grad.contiguous()?.apply_op1_no_bwd(&Self::elements(&self.reached)).map(Some)
    }
}

/// Whether a device comes to it though somebody else stands still. Far longer than anything takes, on any machine.
pub(crate) fn is_done_soon(event: &Event) -> bool {
    let began = Instant::now();
    while !event.is_done().unwrap() {
        if began.elapsed() > Duration::from_secs(60) {
            return false;
        }
        thread::sleep(Duration::from_millis(1));
    }
    true
}
