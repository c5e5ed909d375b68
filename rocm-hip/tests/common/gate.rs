//! Streams that stand still until a test lets them go on.

#![allow(unreachable_pub, reason = "a library of tests has it, too")]

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex};

use super::Stream;

type Shared = (Mutex<bool>, Condvar);

/// What is put on a stream behind a gate waits until the gate is dropped.
pub struct Gate(Arc<Shared>);

impl Gate {
    pub fn on(stream: &Stream) -> Self {
        unsafe extern "C" fn wait(gate: *mut c_void) {
            // SAFETY: made by `into_raw` below, for this one call.
            let gate = unsafe { Arc::from_raw(gate.cast::<Shared>().cast_const()) };
            let (open, changed) = &*gate;
            drop(changed.wait_while(open.lock().unwrap(), |open| !*open).unwrap());
        }
        let gate = Arc::new(Shared::default());
        let data = Arc::into_raw(gate.clone()).cast_mut().cast();
        let device = stream.device();
        device.bind().unwrap();
        // SAFETY: the stream lives, and the function takes what it is given.
        let code = unsafe { device.hip().hipLaunchHostFunc(stream.as_raw(), Some(wait), data) };
        stream.check("hipLaunchHostFunc", code).unwrap();
        Self(gate)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

/// Gives a stream the time that it would need to come to its end, if nothing kept it; whether it did.
pub fn comes_to_its_end(stream: &Stream) -> bool {
    (0..50).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        stream.is_idle().unwrap()
    })
}
