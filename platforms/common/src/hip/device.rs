//! Which devices there are, and which one a thread uses.

use std::ffi::c_int;

use super::HipResult;

/// A device. Devices live as long as the process.
///
/// # Errors
///
/// The code that the C function is to return.
pub trait Device: Sized + 'static {
    /// All devices.
    /// Fails with `hipErrorNoDevice`, or why there is none.
    fn all() -> HipResult<&'static [Self]>;

    /// The device with an ordinal.
    /// Fails with `hipErrorInvalidDevice` if there is none with this ordinal.
    fn get(ordinal: c_int) -> HipResult<&'static Self>;

    /// The calling thread's device.
    /// Fails with `hipErrorNoDevice` if there is none.
    fn current() -> HipResult<&'static Self>;

    /// Its index in [`all`](Self::all).
    fn ordinal(&self) -> usize;

    /// Makes it the calling thread's device.
    fn make_current(&'static self) -> HipResult;

    /// Waits for all work on the device.
    fn synchronize(&'static self) -> HipResult;

    /// Destroys all streams, events, modules and memory of the device, and clears its fault.
    fn reset(&'static self) -> HipResult;
}

/// Defines HIP's functions that choose and control devices, in the table `EXPORTS`, for a [`Device`] of a platform.
#[macro_export]
macro_rules! hip_device_exports {
    ($platform:ident, $device:ident) => {
        mod functions {
            use super::{$device, $platform};
            use $crate::abi::hip::*;
            use $crate::arguments::write;
            use $crate::hip::device;

            $crate::export! {
                $platform, hip => EXPORTS;

                fn hipInit(flags: c_uint) -> hipError_t {
                    if flags != 0 {
                        return Err(hipError_t::hipErrorInvalidValue);
                    }
                    <$device as device::Device>::all().map(|_| ())
                }

                /// Writes the count also where there is no device, which is an error.
                fn hipGetDeviceCount(count: *mut c_int) -> hipError_t {
                    let devices = <$device as device::Device>::all();
                    // SAFETY: the caller's out-parameter.
                    unsafe { write(count, devices.map_or(0, <[_]>::len) as c_int)? };
                    devices.map(|_| ())
                }

                fn hipSetDevice(ordinal: c_int) -> hipError_t {
                    <$device as device::Device>::all()?;
                    device::Device::make_current(<$device as device::Device>::get(ordinal)?)
                }

                fn hipGetDevice(ordinal: *mut c_int) -> hipError_t {
                    let device = <$device as device::Device>::current()?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(ordinal, device::Device::ordinal(device) as c_int)? })
                }

                fn hipDeviceGet(device: *mut hipDevice_t, ordinal: c_int) -> hipError_t {
                    let found = <$device as device::Device>::get(ordinal)?;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(device, device::Device::ordinal(found) as hipDevice_t)? })
                }

                fn hipDeviceSynchronize() -> hipError_t {
                    device::Device::synchronize(<$device as device::Device>::current()?)
                }

                fn hipDeviceReset() -> hipError_t {
                    device::Device::reset(<$device as device::Device>::current()?)
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
