//! What computes a device's convolutions and pools, and what it remembers of them.

use std::path::PathBuf;

use crate::RocmDevice;
use crate::common::setting::{Choice, Setting};

/// What computes convolutions and pools on a device; see [`RocmDevice::set_conv_engine`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ConvEngine {
    /// 1x1 convolutions are matrix products; depthwise ones, integers and pools run on this crate's kernels. For the others the fixed
    /// rule is MIOpen, if it is available and takes the problem; without it half types go to im2col. That may be several times slower
    /// than the best, so large ones of floats are [measured](crate::Tuning), unless tuning is off or the device is
    /// [deterministic](RocmDevice::set_deterministic): two runs of a program may round differently.
    #[default]
    Auto,
    /// MIOpen where it takes the problem, pools included, by its own first guess; the rest as in [`ConvEngine::Auto`].
    Miopen,
    /// im2col for all convolutions: the input's patches are written out as a matrix, which is multiplied with the kernel.
    Im2col,
    /// This crate's kernels, which read the input in place.
    Kernels,
}

impl Choice for ConvEngine {
    const ALL: &'static [Self] = &[Self::Auto, Self::Miopen, Self::Im2col, Self::Kernels];
}

/// What convolutions keep with a device.
#[derive(Default)]
pub(super) struct Engines {
    chosen: Setting<ConvEngine>,
    #[cfg(feature = "miopen")]
    pub(super) miopen: super::miopen::Engine,
}

impl Engines {
    pub(super) fn of(device: &RocmDevice) -> &Self {
        device.extension()
    }

    /// The file of the device's MIOpen, or why there is none.
    #[cfg_attr(not(feature = "miopen"), expect(unused_variables, reason = "there is none on any device"))]
    pub(super) fn miopen_library(device: &RocmDevice) -> Result<PathBuf, String> {
        #[cfg(feature = "miopen")]
        return super::miopen::library(device).map_err(|error| error.of_library());
        #[cfg(not(feature = "miopen"))]
        Err("candle-rocm was built without its feature `miopen`".to_owned())
    }

    /// Whether there is a MIOpen for the device.
    #[cfg_attr(not(feature = "miopen"), expect(unused_variables, reason = "there is none on any device"))]
    pub(super) fn has_miopen(device: &RocmDevice) -> bool {
        #[cfg(feature = "miopen")]
        return Self::of(device).miopen.is_available(device);
        #[cfg(not(feature = "miopen"))]
        false
    }
}

impl RocmDevice {
    /// Chooses what computes convolutions and pools; [`ConvEngine::Auto`] unless set.
    pub fn set_conv_engine(&self, engine: ConvEngine) {
        self.flush();
        Engines::of(self).chosen.set(engine);
    }

    /// What [`RocmDevice::set_conv_engine`] set.
    pub fn conv_engine(&self) -> ConvEngine {
        Engines::of(self).chosen.get()
    }
}
