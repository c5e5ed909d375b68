//! What goes wrong with recorded operations, on whatever thread: nothing is lost, and the device goes on.

use std::error::Error;
use std::fmt;
use std::panic::panic_any;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};

use candle_core::{DType, Device, Result, Tensor};
use candle_rocm::RocmError;
use candle_rocm::hip::{HipError, trace};

use super::external::doing;
use super::generated::OFTEN;
use super::{own, recording};

fn numbers(device: &Device) -> Result<Tensor> {
    Tensor::new(&[1f32, 2., 3., 4.], device)
}

#[derive(Debug)]
struct Kept;

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("kept by the stream")
    }
}

impl Error for Kept {}

/// What a stream kept is told by the next call, whatever that is.
#[test]
fn errors_that_a_stream_kept() -> Result<()> {
    for device in recording() {
        let x = Tensor::ones((4, 16), DType::F32, &device)?;
        let tree = || x.affine(2., 1.)?.sqr()?.neg();
        let rows = || x.broadcast_div(&x.sqr()?.sum_keepdim(1)?);
        let weight = Tensor::ones((16, 16), DType::F32, &device)?;
        let product = || x.matmul(&weight)?.broadcast_add(&weight.narrow(0, 0, 1)?);
        let norm = || candle_nn::ops::rms_norm(&(&x + &x)?, &weight.get(0)?, 1e-5);
        let launches: [&dyn Fn() -> Result<Tensor>; 4] = [&tree, &rows, &product, &norm];
        let stream = own(&device).stream().clone();
        for launch in launches {
            let mut expected = Vec::new();
            for _ in 0..OFTEN {
                expected = launch()?.to_vec2::<f32>()?;
            }
            own(&device).finish_compiling()?;
            let (y, z) = (launch()?, launch()?);
            stream.defer(HipError::Queued(Arc::new(Kept)));
            let told =
                [y.to_vec2::<f32>(), z.to_vec2::<f32>()].map(|values| values.map_err(|error| kept(&error)));
            assert!(told.contains(&Err(true)), "{told:?}");
            // Who is not told has the elements.
            assert!(told.iter().all(
                |result| result.as_ref().is_ok_and(|values| *values == expected) || *result == Err(true)
            ));
            let _ = device.synchronize();
            assert_eq!(launch()?.to_vec2::<f32>()?, expected);
            device.synchronize()?;
        }
    }
    Ok(())
}

/// A launch that is refused when it comes to that is counted, and its operations run one by one.
#[test]
fn launches_that_are_declined() -> Result<()> {
    const OP: &str = "joined";
    for device in recording() {
        let x = Tensor::ones(1, DType::F32, &device)?;
        let tree = |len: usize| x.broadcast_as(len)?.affine(2., 1.)?.sqr();
        for _ in 0..OFTEN {
            assert_eq!(tree(3)?.to_vec1::<f32>()?, [9.; 3]);
        }
        own(&device).finish_compiling()?;
        assert_eq!(tree(3)?.to_vec1::<f32>()?, [9.; 3]);
        // A kernel that is not there yet declines nothing.
        assert_eq!(own(&device).counters().declined.get(OP), None);
        let path = std::env::temp_dir().join(format!("declined-{}.json", std::process::id()));
        trace::start(&path)?;
        let no_memory = |len: usize| {
            let error = tree(len)?.to_vec1::<f32>().unwrap_err();
            Ok::<_, candle_core::Error>(RocmError::of(&error).map(ToString::to_string).unwrap_or_default())
        };
        let first = no_memory(1 << 58)?;
        let second = no_memory(1 << 59)?;
        trace::stop();
        assert!(first.contains("out of memory") && second.contains("out of memory"), "{first}, {second}");
        let declined = own(&device).counters().declined;
        assert_eq!(declined[OP].launches, 2);
        let error = declined[OP].first_error.as_deref().unwrap_or_default();
        // What is free may be another number by now.
        assert_eq!(error.split(", ").next(), first.split(", ").next());
        let written = std::fs::read_to_string(&path)?;
        std::fs::remove_file(&path)?;
        assert!(written.contains("declined") && written.contains(error), "{written}");
        let _ = device.synchronize();
        assert_eq!(tree(3)?.to_vec1::<f32>()?, [9.; 3]);
        assert_eq!(own(&device).counters().declined[OP].launches, 2);
    }
    Ok(())
}

fn kept(error: &candle_core::Error) -> bool {
    matches!(RocmError::of(error), Some(RocmError::Hip(HipError::Queued(error))) if error.is::<Kept>())
}

/// The error of an operand comes as it is from a joined launch that reads it.
#[test]
fn errors_of_operands() -> Result<()> {
    for device in recording() {
        let x = numbers(&device)?;
        let tree = |x: &Tensor| x.affine(2., 1.)?.sqr()?.neg();
        for _ in 0..OFTEN {
            tree(&x)?.to_vec1::<f32>()?;
        }
        own(&device).finish_compiling()?;
        let failing = doing(|| Err(RocmError::NoAlgorithm { op: "mine" }.into()));
        let error = tree(&failing.of(&x)?)?.to_vec1::<f32>().unwrap_err();
        assert!(matches!(RocmError::of(&error), Some(RocmError::NoAlgorithm { op: "mine" })), "{error}");
        let _ = device.synchronize();
        device.synchronize()?;
    }
    Ok(())
}

/// Who asks for the result is told, and the threads go on.
#[test]
fn operations_that_panic() -> Result<()> {
    for device in recording() {
        let x = numbers(&device)?;
        for round in 0..10 {
            let panicking = match round % 3 {
                0 => doing(|| panic!("mine")),
                1 => doing(|| panic!("{}", String::from("mine"))),
                _ => doing(|| panic_any("mine")),
            };
            let y = (panicking.of(&x)? + 1.)?;
            // Without anybody asking for anything: the device's threads run it.
            let (sender, ran) = mpsc::channel();
            let sender = Mutex::new(sender);
            let z = doing(move || {
                sender.lock().unwrap().send(()).unwrap();
                Ok(())
            })
            .of(&x)?;
            ran.recv().expect("it ran");
            let error = y.to_vec1::<f32>().unwrap_err();
            let report = RocmError::of(&error);
            assert!(
                matches!(report, Some(RocmError::Panicked { op: "copy of another crate", message }) if message == "mine"),
                "{error}"
            );
            assert_eq!(z.to_vec1::<f32>()?, [1., 2., 3., 4.]);
            let _ = device.synchronize();
            device.synchronize()?;
        }
    }
    Ok(())
}

/// Tells that it goes, and panics then.
struct PanicsWhenDropped(Mutex<Sender<()>>);

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        self.0.lock().unwrap().send(()).unwrap();
        panic!("dropped");
    }
}

#[test]
fn operations_that_panic_when_they_go() -> Result<()> {
    for device in recording() {
        let x = numbers(&device)?;
        for _ in 0..10 {
            let (sender, dropped) = mpsc::channel();
            let guard = PanicsWhenDropped(Mutex::new(sender));
            // The thread that runs it is the last to have it.
            let (go_on, waiting) = mpsc::channel();
            let waiting = Mutex::new(waiting);
            let y = doing(move || {
                let _ = &guard;
                waiting.lock().unwrap().recv().expect("a signal");
                Ok(())
            })
            .of(&x)?;
            go_on.send(()).unwrap();
            dropped.recv().expect("it ran");
            assert_eq!((y + 1.)?.to_vec1::<f32>()?, [2., 3., 4., 5.]);
        }
    }
    Ok(())
}

/// They run where result, operands and device go right after the call, whoever is last, and not a second time.
#[test]
fn external_operations_of_devices_that_go() -> Result<()> {
    for round in 0..100 {
        for device in recording() {
            let (sender, ran) = mpsc::channel();
            let sender = Mutex::new(sender);
            let mut x = numbers(&device)?;
            for _ in 0..round {
                x = x.cos()?;
            }
            let y = doing(move || {
                sender.lock().unwrap().send(()).unwrap();
                Ok(())
            })
            .of(&x)?;
            drop((y, x, device));
            assert_eq!(ran.iter().count(), 1, "{round}");
        }
    }
    Ok(())
}
