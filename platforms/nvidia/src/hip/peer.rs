//! Access between devices.

use super::device::{self, Device};
use crate::exports::Nvidia;
use rocm_platform::hip::{HipResult, Peers};
use rocm_platform::hip_peer_exports;

impl Peers for Device {
    fn can_access(&self, peer: &'static Self) -> HipResult<bool> {
        let mut answer = 0;
        // SAFETY: the out-parameter is valid, and both devices exist.
        unsafe { self.cuda.cuDeviceCanAccessPeer(&mut answer, self.raw, peer.raw)? };
        Ok(answer != 0)
    }

    fn enable_access(&'static self) -> HipResult {
        let peer = self.context()?;
        let device = device::enter()?;
        // SAFETY: a context that is retained.
        unsafe { device.cuda.cuCtxEnablePeerAccess(peer, 0) }
    }

    fn disable_access(&'static self) -> HipResult {
        let peer = self.context()?;
        let device = device::enter()?;
        // SAFETY: a context that is retained.
        unsafe { device.cuda.cuCtxDisablePeerAccess(peer) }
    }
}

hip_peer_exports! { Nvidia, Device }
