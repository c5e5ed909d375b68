//! Access between devices.

use super::device::{self, Device};
use crate::error::write;
use crate::exports::export;
use rocm_sys::hip::hipError_t;
use std::ffi::{c_int, c_uint};

/// Another device than the current one.
fn other(ordinal: c_int) -> Result<&'static Device, hipError_t> {
    let device = device::get(ordinal)?;
    if device.ordinal == device::current()?.ordinal {
        return Err(hipError_t::hipErrorInvalidDevice);
    }
    Ok(device)
}

export! {
    hip => EXPORTS;

    fn hipDeviceCanAccessPeer(can: *mut c_int, ordinal: c_int, peer: c_int) -> hipError_t {
        let (device, peer) = (device::get(ordinal)?, device::get(peer)?);
        let mut answer = 0;
        if device.ordinal != peer.ordinal {
            // SAFETY: the out-parameter is valid, and both devices exist.
            unsafe { device.cuda.cuDeviceCanAccessPeer(&mut answer, device.raw, peer.raw)? };
        }
        // SAFETY: the caller's out-parameter.
        unsafe { write(can, answer) }
    }

    fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) -> hipError_t {
        if flags != 0 {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let peer = other(peer)?.context()?;
        let device = device::enter()?;
        // SAFETY: a context that is retained.
        unsafe { device.cuda.cuCtxEnablePeerAccess(peer, 0) }
    }

    fn hipDeviceDisablePeerAccess(peer: c_int) -> hipError_t {
        let peer = other(peer)?.context()?;
        let device = device::enter()?;
        // SAFETY: a context that is retained.
        unsafe { device.cuda.cuCtxDisablePeerAccess(peer) }
    }
}
