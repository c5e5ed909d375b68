//! Access between devices. All of them share the host's memory, so every device reaches every other one.

use super::device::{self, Device};
use crate::exports::Host;
use rocm_platform::hip::{HipResult, Peers};
use rocm_platform::hip_peer_exports;
use rocm_sys::hip::hipError_t;
use std::collections::BTreeSet;
use std::sync::{MutexGuard, PoisonError};

/// The ordinals of the devices whose memory the current one may use.
fn peers() -> MutexGuard<'static, BTreeSet<usize>> {
    device::current().peers.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Peers for Device {
    fn can_access(&self, _peer: &'static Self) -> HipResult<bool> {
        Ok(true)
    }

    fn enable_access(&'static self) -> HipResult {
        let added = peers().insert(self.ordinal);
        if added { Ok(()) } else { Err(hipError_t::hipErrorPeerAccessAlreadyEnabled) }
    }

    fn disable_access(&'static self) -> HipResult {
        let removed = peers().remove(&self.ordinal);
        if removed { Ok(()) } else { Err(hipError_t::hipErrorPeerAccessNotEnabled) }
    }
}

hip_peer_exports! { Host, Device }
