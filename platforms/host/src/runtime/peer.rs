//! Access between devices. All of them share the host's memory, so every device reaches every other one.

use super::device::{self, Device};
use super::error::write;
use crate::exports::export;
use rocm_sys::hip::hipError_t;
use std::collections::BTreeSet;
use std::ffi::{c_int, c_uint};
use std::sync::{MutexGuard, PoisonError};

fn peers(device: &Device) -> MutexGuard<'_, BTreeSet<usize>> {
    device.peers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Another device than the current one.
fn other(ordinal: c_int) -> Result<&'static Device, hipError_t> {
    let device = device::get(ordinal)?;
    if device.ordinal == device::current().ordinal {
        return Err(hipError_t::hipErrorInvalidDevice);
    }
    Ok(device)
}

export! {
    hip => EXPORTS;

    fn hipDeviceCanAccessPeer(can: *mut c_int, ordinal: c_int, peer: c_int) -> hipError_t {
        let (device, peer) = (device::get(ordinal)?, device::get(peer)?);
        // SAFETY: the caller's out-parameter.
        unsafe { write(can, c_int::from(device.ordinal != peer.ordinal)) }
    }

    fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) -> hipError_t {
        if flags != 0 {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let peer = other(peer)?;
        let added = peers(device::current()).insert(peer.ordinal);
        if added { Ok(()) } else { Err(hipError_t::hipErrorPeerAccessAlreadyEnabled) }
    }

    fn hipDeviceDisablePeerAccess(peer: c_int) -> hipError_t {
        let peer = other(peer)?;
        let removed = peers(device::current()).remove(&peer.ordinal);
        if removed { Ok(()) } else { Err(hipError_t::hipErrorPeerAccessNotEnabled) }
    }
}
