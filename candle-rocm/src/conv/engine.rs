//! What computes a device's convolutions and pools, and what it remembers of them.

use std::path::PathBuf;

use crate::RocmDevice;
use crate::common::setting::{Choice, Setting};

/// The implementation of convolutions and pools on a device. See [`RocmDevice::set_conv_engine`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ConvEngine {
    /// 1x1 convolutions are computed as matrix products; depthwise ones, those of integers and pools by this crate's kernels. For the
    /// others, the fixed rule is MIOpen if it is available and accepts the problem; without it, half types use im2col. As this can be
    /// several times slower than the best choice, large convolutions of floats are [measured](crate::Tuning), unless tuning is off or the
    /// device is [deterministic](RocmDevice::set_deterministic). Two runs of a program may therefore round differently.
    #[default]
    Auto,
    /// MIOpen, with its own first guess, for the problems that it accepts, including pools. The rest as in [`ConvEngine::Auto`].
    Miopen,
    /// im2col for all convolutions: patches of the input are written out as a matrix, which is multiplied by the kernel.
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
    /// Sets the implementation of convolutions and pools. The default is [`ConvEngine::Auto`].
    pub fn set_conv_engine(&self, engine: ConvEngine) {
        self.flush();
        Engines::of(self).chosen.set(engine);
    }

    /// The implementation set by [`RocmDevice::set_conv_engine`].
    pub fn conv_engine(&self) -> ConvEngine {
        Engines::of(self).chosen.get()
    }
}
