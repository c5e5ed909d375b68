//! Operations of other crates, with effects: all that is called later comes behind them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use candle_core::{CpuStorage, CustomOp1, DType, Device, Layout, Result, Shape, Tensor, rocm};
use candle_rocm::{ExternalOp, RocmDevice, RocmStorage, RocmStorageSlice};

use super::recording;

/// An operation of another crate, which gives a copy, or does something else.
#[derive(Clone)]
pub(super) struct Copy(Arc<dyn Fn() -> Result<()> + Send + Sync>);

impl Copy {
    pub(super) fn of(&self, x: &Tensor) -> Result<Tensor> {
        x.apply_op1_no_bwd(self)
    }
}

impl ExternalOp for Copy {
    fn name(&self) -> &'static str {
        "copy of another crate"
    }

    fn run(&self, device: &RocmDevice, x: &RocmStorageSlice, _: &Layout) -> Result<RocmStorageSlice> {
        (self.0)()?;
        let RocmStorageSlice::F32(x) = x else { candle_core::bail!("f32 only") };
        let mut out = device.alloc::<f32>(x.len())?;
        device.copy(x, 0, &mut out, 0, x.len())?;
        Ok(RocmStorageSlice::F32(out))
    }
}

impl CustomOp1 for Copy {
    fn name(&self) -> &'static str {
        "copy"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        candle_core::bail!("not on the CPU")
    }

    fn rocm_fwd(&self, x: &rocm::RocmStorage, layout: &Layout) -> Result<(rocm::RocmStorage, Shape)> {
        let own: &RocmStorage = x.downcast_ref().expect("a storage of candle-rocm");
        let result = own.apply(layout, Arc::new(self.clone()), own.len())?;
        Ok((rocm::RocmStorage::wrap::<RocmDevice>(result, x.device()), layout.shape().clone()))
    }
}

pub(super) fn doing(what: impl Fn() -> Result<()> + Send + Sync + 'static) -> Copy {
    Copy(Arc::new(what))
}

/// As one may have the stream wait for what writes the elements, these are not read before it, although they are there.
#[test]
fn elements_that_are_there_come_behind_them() -> Result<()> {
    type Access = fn(&Tensor, &Device) -> Result<()>;
    let accesses: [(&str, Access); 4] = [
        ("reads", |x, _| x.to_vec2::<f32>().map(drop)),
        ("copies to the CPU", |x, _| x.to_device(&Device::Cpu).map(drop)),
        ("copies to a device", |x, other| x.to_device(other).map(drop)),
        ("own copies", |x, _| x.copy().map(drop)),
    ];
    for device in recording() {
        let other = super::fresh(&device);
        for (name, access) in accesses {
            let x = Tensor::ones((2, 3), DType::F32, &device)?;
            super::own(&device).synchronize()?;
            let ran = Arc::new(AtomicUsize::new(0));
            for count in 1..=3 {
                let counted = ran.clone();
                // Nobody asks for the result.
                let op = doing(move || {
                    thread::sleep(Duration::from_millis(20));
                    counted.fetch_add(1, Ordering::Relaxed);
                    Ok(())
                });
                drop(op.of(&x)?);
                access(&x, &other)?;
                assert_eq!(ran.load(Ordering::Relaxed), count, "{name}");
            }
        }
    }
    Ok(())
}
