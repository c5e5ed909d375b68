//! Access between devices.

use std::ffi::{c_int, c_uint};

use rocm_sys::hip::hipError_t;

use super::{Device, HipResult};

/// A device's access to the memory of others. `peer` is always another device.
///
/// # Errors
///
/// The code that the C function is to return.
pub trait Peers: Device {
    /// Whether the device can use memory of `peer`.
    fn can_access(&self, peer: &'static Self) -> HipResult<bool>;

    /// Allows the calling thread's device to use memory of this one.
    /// Fails with `hipErrorPeerAccessAlreadyEnabled`, or why it cannot be allowed.
    fn enable_access(&'static self) -> HipResult;

    /// Takes that back.
    /// Fails with `hipErrorPeerAccessNotEnabled`, or why it cannot be taken back.
    fn disable_access(&'static self) -> HipResult;
}

/// `hipDeviceCanAccessPeer`: 0 or 1; no device is its own peer.
///
/// # Errors
///
/// `hipErrorInvalidDevice` for ordinals without a device.
pub fn can_access<D: Peers>(ordinal: c_int, peer: c_int) -> HipResult<c_int> {
    let (device, peer) = (D::get(ordinal)?, D::get(peer)?);
    let can = device.ordinal() != peer.ordinal() && device.can_access(peer)?;
    Ok(c_int::from(can))
}

/// `hipDeviceEnablePeerAccess`.
///
/// # Errors
///
/// `hipErrorInvalidDevice` for the current device or an ordinal without a device, `hipErrorInvalidValue` for flags.
pub fn enable<D: Peers>(peer: c_int, flags: c_uint) -> HipResult {
    if flags != 0 {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    other::<D>(peer)?.enable_access()
}

/// `hipDeviceDisablePeerAccess`.
///
/// # Errors
///
/// `hipErrorInvalidDevice` for the current device or an ordinal without a device.
pub fn disable<D: Peers>(peer: c_int) -> HipResult {
    other::<D>(peer)?.disable_access()
}

/// A device other than the current one.
fn other<D: Peers>(ordinal: c_int) -> HipResult<&'static D> {
    let device = D::get(ordinal)?;
    if device.ordinal() == D::current()?.ordinal() {
        return Err(hipError_t::hipErrorInvalidDevice);
    }
    Ok(device)
}

/// Defines HIP's functions for access between devices, in the table `EXPORTS`, for the [`Peers`] of a platform's device.
#[macro_export]
macro_rules! hip_peer_exports {
    ($platform:ident, $device:ident) => {
        mod functions {
            use super::{$device, $platform};
            use $crate::abi::hip::*;
            use $crate::arguments::write;
            use $crate::hip::peer;

            $crate::export! {
                $platform, hip => EXPORTS;

                fn hipDeviceCanAccessPeer(can: *mut c_int, ordinal: c_int, peer: c_int) -> hipError_t {
                    let answer = peer::can_access::<$device>(ordinal, peer)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(can, answer)? })
                }

                fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) -> hipError_t {
                    peer::enable::<$device>(peer, flags)
                }

                fn hipDeviceDisablePeerAccess(peer: c_int) -> hipError_t {
                    peer::disable::<$device>(peer)
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
