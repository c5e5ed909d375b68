//! Order between a stream of this crate and HIP's default stream, which rocm-rs works on.

use std::ptr;

use crate::{Device, Result, Stream};

/// What the default stream is given from now on waits for what `stream` was given so far.
pub(super) fn waits_for(stream: &Stream) -> Result<()> {
    let device = current(stream)?;
    let event = stream.event()?;
    event.record(stream)?;
    // SAFETY: null is the default stream of the current device; HIP keeps what it needs of the event.
    let code = unsafe { device.hip().hipStreamWaitEvent(ptr::null_mut(), event.as_raw(), 0) };
    device.check("hipStreamWaitEvent", code)
}

/// What `stream` is given from now on waits for what the default stream was given so far.
pub(super) fn comes_before(stream: &Stream) -> Result<()> {
    let device = current(stream)?;
    let event = stream.event()?;
    device.check("hipEventRecord", event.put(ptr::null_mut()))?;
    stream.wait(&event)
}

/// The stream's device, made the current one: rocm-rs may have set another behind this crate's back.
fn current(stream: &Stream) -> Result<Device> {
    Device::forget_current();
    let device = stream.device();
    device.bind()?;
    Ok(device)
}
