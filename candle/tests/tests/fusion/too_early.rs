//! Code of the program's that runs in the midst of recorded operations, and asks for what they have not come to.

use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;

use candle_core::{DType, Layout, Result, Tensor};
use candle_rocm::hip::Buffer;
use candle_rocm::{ExternalOp, RocmDevice, RocmError, RocmStorage, RocmStorageSlice, tensor_from_buffer};

use super::{own, recording};

/// Asks for the tensor that was recorded last, when it is called.
struct Asks {
    recorded: Arc<Mutex<Option<Tensor>>>,
    answer: Sender<Result<Vec<f32>>>,
}

impl Asks {
    fn ask(&self) {
        let tensor = loop {
            match &*self.recorded.lock().unwrap() {
                Some(tensor) => break tensor.clone(),
                None => thread::yield_now(),
            }
        };
        self.answer.send(tensor.to_vec1()).unwrap();
    }
}

fn check(error: &candle_core::Error) {
    let Some(RocmError::StillRecorded { during }) = RocmError::of(error) else { panic!("{error}") };
    let text = error.to_string();
    for part in [*during, "recorded operations", "Drop", "ExternalOp", "RocmDevice::flush"] {
        assert!(text.contains(part), "{text}");
    }
}

impl ExternalOp for Asks {
    fn name(&self) -> &'static str {
        "asks"
    }

    fn run(&self, device: &RocmDevice, _: &RocmStorageSlice, _: &Layout) -> Result<RocmStorageSlice> {
        self.ask();
        Ok(RocmStorageSlice::F32(device.alloc_zeros(1)?))
    }
}

#[test]
fn an_operation_that_reads_what_was_recorded_after_it() -> Result<()> {
    for device in recording() {
        let (one, recorded) = (Tensor::ones(3, DType::F32, &device)?, Arc::default());
        let (answer, answers) = mpsc::channel();
        let x = RocmStorage::new(RocmStorageSlice::F32(own(&device).upload(&[1f32])?), own(&device).clone());
        let asks = Asks { recorded: Arc::clone(&recorded), answer };
        let result = x.apply(&Layout::contiguous(1), Arc::new(asks), 1)?;
        let later = (one + 1.)?;
        *recorded.lock().unwrap() = Some(later.clone());
        check(&answers.recv().unwrap().unwrap_err());
        // It was too early, no more.
        assert_eq!(later.to_vec1::<f32>()?, [2.; 3]);
        drop(result);
    }
    Ok(())
}

/// Another library's memory.
struct Owner(Asks);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.ask();
    }
}

#[test]
fn memory_whose_owner_reads_what_was_recorded_later() -> Result<()> {
    for device in recording() {
        let rocm = own(&device);
        let memory = rocm.upload(&[1f32, 2., 3.])?;
        let mut refused = false;
        // Who drops it when is not said, and may have come to what was recorded last.
        while !refused {
            let (recorded, (answer, answers)) = (Arc::default(), mpsc::channel());
            let owner = Owner(Asks { recorded: Arc::clone(&recorded), answer });
            // SAFETY: `memory` is there until the end, and nobody writes to it.
            let buffer = unsafe { Buffer::<f32>::from_raw_parts(memory.as_ptr(), 3, owner, rocm.pool()) };
            let x = tensor_from_buffer(buffer.map_err(RocmError::from)?, 3, &device)?;
            let mut y = x.affine(3., 0.)?;
            drop(x);
            let answer = loop {
                y = (y.cos()? * 2.)?;
                *recorded.lock().unwrap() = Some(y.clone());
                if let Ok(answer) = answers.try_recv() {
                    break answer;
                }
            };
            refused = answer.inspect_err(check).is_err();
            assert_eq!(y.to_vec1::<f32>()?.len(), 3);
        }
    }
    Ok(())
}
