//! What a device says about itself.

use std::ffi::{CStr, c_char, c_int};

use rocm_sys::hip::{hipDeviceArch_t, hipDeviceAttribute_t, hipDeviceProp_tR0000, hipDeviceProp_tR0600};

use super::{Device, HipResult};

/// A device's name, memory, limits and capabilities.
///
/// # Errors
///
/// The code that the C function is to return.
pub trait Properties: Device {
    /// The version for `hipDriverGetVersion`.
    fn driver_version() -> c_int;

    /// The properties in the layout of ROCm 6. [`rocm_5_layout`] makes those of ROCm 5 of them.
    fn properties(&self) -> hipDeviceProp_tR0600;

    /// The value of an attribute, or `None` for one that is not known.
    fn attribute(&self, attribute: hipDeviceAttribute_t) -> Option<c_int>;

    /// The name for people.
    fn name(&self) -> String;

    /// Memory in bytes.
    fn memory(&self) -> usize;

    /// Major and minor version.
    fn version(&self) -> (c_int, c_int);

    /// An identifier that no other device has.
    fn uuid(&self) -> [c_char; 16];

    /// The PCI address, such as `0000:01:00.0`.
    fn pci_bus_id(&self) -> HipResult<String>;

    /// The device at a PCI address.
    /// Fails with `hipErrorInvalidValue` if there is none.
    fn by_pci_bus_id(bus: &CStr) -> HipResult<&'static Self>;
}

/// The features that every platform has.
pub fn set_features(arch: &mut hipDeviceArch_t) {
    arch.set_hasGlobalInt32Atomics(1);
    arch.set_hasGlobalFloatAtomicExch(1);
    arch.set_hasSharedInt32Atomics(1);
    arch.set_hasSharedFloatAtomicExch(1);
    arch.set_hasFloatAtomicAdd(1);
    arch.set_hasGlobalInt64Atomics(1);
    arch.set_hasSharedInt64Atomics(1);
    arch.set_hasDoubles(1);
    arch.set_hasWarpVote(1);
    arch.set_hasWarpBallot(1);
    arch.set_hasWarpShuffle(1);
    arch.set_hasSyncThreadsExt(1);
}

/// Properties without a value: all fields are zero.
pub fn no_properties() -> hipDeviceProp_tR0600 {
    // SAFETY: a C structure of numbers, arrays of them, and pointers that may be null.
    unsafe { std::mem::zeroed() }
}

/// Properties in the layout of ROCm 5.
pub fn rocm_5_layout(properties: &hipDeviceProp_tR0600) -> hipDeviceProp_tR0000 {
    // SAFETY: a C structure of numbers, arrays of them, and pointers that may be null.
    let mut old: hipDeviceProp_tR0000 = unsafe { std::mem::zeroed() };
    macro_rules! copy {
        ($($field:ident)+) => { $(old.$field = properties.$field;)+ };
    }
    copy! {
        name totalGlobalMem sharedMemPerBlock regsPerBlock warpSize maxThreadsPerBlock maxThreadsDim maxGridSize
        clockRate memoryClockRate memoryBusWidth totalConstMem major minor multiProcessorCount l2CacheSize
        maxThreadsPerMultiProcessor maxSharedMemoryPerMultiProcessor clockInstructionRate arch concurrentKernels
        pciDomainID pciBusID pciDeviceID canMapHostMemory gcnArchName integrated cooperativeLaunch memPitch ECCEnabled
        isLargeBar
    }
    old
}

/// Defines HIP's functions that ask devices about themselves, in the table `EXPORTS`, for the [`Properties`] of a platform's
/// device.
#[macro_export]
macro_rules! hip_properties_exports {
    ($platform:ident, $device:ident) => {
        mod functions {
            use super::{$device, $platform};
            use $crate::abi::hip::*;
            use $crate::arguments::{string, write, write_text};
            use $crate::hip::device::Device as _;
            use $crate::hip::properties;

            fn device(ordinal: c_int) -> Result<&'static $device, hipError_t> {
                <$device as $crate::hip::Device>::get(ordinal)
            }

            $crate::export! {
                $platform, hip => EXPORTS;

                fn hipDriverGetVersion(version: *mut c_int) -> hipError_t {
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(version, <$device as properties::Properties>::driver_version())? })
                }

                /// The version of HIP that the interface follows.
                fn hipRuntimeGetVersion(version: *mut c_int) -> hipError_t {
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(version, HIP_VERSION as c_int)? })
                }

                fn hipGetDevicePropertiesR0600(out: *mut hipDeviceProp_tR0600, ordinal: c_int) -> hipError_t {
                    let properties = properties::Properties::properties(device(ordinal)?);
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, properties)? })
                }

                fn hipGetDevicePropertiesR0000(out: *mut hipDeviceProp_tR0000, ordinal: c_int) -> hipError_t {
                    let properties = properties::Properties::properties(device(ordinal)?);
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, properties::rocm_5_layout(&properties))? })
                }

                /// The name that programs built for ROCm 5 use, with the layout of ROCm 5.
                fn hipGetDeviceProperties(out: *mut hipDeviceProp_tR0000, ordinal: c_int) -> hipError_t {
                    let properties = properties::Properties::properties(device(ordinal)?);
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, properties::rocm_5_layout(&properties))? })
                }

                fn hipDeviceGetAttribute(
                    out: *mut c_int, attribute: hipDeviceAttribute_t, ordinal: c_int,
                ) -> hipError_t {
                    let value = properties::Properties::attribute(device(ordinal)?, attribute);
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, value.ok_or(hipError_t::hipErrorInvalidValue)?)? })
                }

                fn hipDeviceGetName(out: *mut c_char, len: c_int, ordinal: hipDevice_t) -> hipError_t {
                    let name = properties::Properties::name(device(ordinal)?);
                    // SAFETY: the caller's buffer.
                    Ok(unsafe { write_text(out, len, &name)? })
                }

                fn hipDeviceGetPCIBusId(out: *mut c_char, len: c_int, ordinal: c_int) -> hipError_t {
                    let bus = properties::Properties::pci_bus_id(device(ordinal)?)?;
                    // SAFETY: the caller's buffer.
                    Ok(unsafe { write_text(out, len, &bus)? })
                }

                fn hipDeviceGetByPCIBusId(out: *mut c_int, bus: *const c_char) -> hipError_t {
                    // SAFETY: the caller's string and out-parameter.
                    unsafe {
                        let found = <$device as properties::Properties>::by_pci_bus_id(string(bus)?)?;
                        Ok(write(out, found.ordinal() as c_int)?)
                    }
                }

                fn hipDeviceGetUuid(out: *mut hipUUID, ordinal: hipDevice_t) -> hipError_t {
                    let bytes = properties::Properties::uuid(device(ordinal)?);
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, hipUUID { bytes })? })
                }

                fn hipDeviceTotalMem(bytes: *mut usize, ordinal: hipDevice_t) -> hipError_t {
                    let memory = properties::Properties::memory(device(ordinal)?);
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(bytes, memory)? })
                }

                fn hipDeviceComputeCapability(
                    major: *mut c_int, minor: *mut c_int, ordinal: hipDevice_t,
                ) -> hipError_t {
                    let version = properties::Properties::version(device(ordinal)?);
                    // SAFETY: the caller's out-parameters.
                    unsafe {
                        write(major, version.0)?;
                        Ok(write(minor, version.1)?)
                    }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_agree() {
        let mut new = no_properties();
        (new.warpSize, new.totalGlobalMem, new.pciBusID) = (64, 1 << 40, 3);
        new.gcnArchName[0] = b'g' as c_char;
        set_features(&mut new.arch);
        let old = rocm_5_layout(&new);
        assert_eq!((old.warpSize, old.totalGlobalMem, old.pciBusID), (64, 1 << 40, 3));
        assert_eq!(old.gcnArchName, new.gcnArchName);
        assert_eq!((old.arch.hasDoubles(), old.arch.hasWarpShuffle(), old.arch.has3dGrid()), (1, 1, 0));
    }
}
