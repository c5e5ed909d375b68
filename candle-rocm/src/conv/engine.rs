//! What computes a device's convolutions and pools, and what it remembers of them.

use super::algorithm::Measured;
use crate::RocmDevice;
use crate::common::setting::{Choice, Setting};

/// What computes convolutions and pools on a device; see [`RocmDevice::set_conv_engine`](crate::RocmDevice::set_conv_engine).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ConvEngine {
    /// Kernels of one tap are matrix products; depthwise convolutions, integers and pools go to this crate's kernels. Of
    /// large convolutions of floats, all that follow here are timed, once for each problem, and the fastest one stays: two
    /// runs of a program may round differently. Small ones, and all on a
    /// [deterministic](crate::RocmDevice::set_deterministic) device, go to MIOpen where there is one and it takes the
    /// problem, else half types become matrix products.
    #[default]
    Auto,
    /// MIOpen for whatever it knows, pools included, by its own first guess; the rest as in [`ConvEngine::Auto`].
    Miopen,
    /// The input's patches written out as columns, times the kernel: for all convolutions.
    Gemm,
    /// This crate's kernels only.
    Direct,
}

impl Choice for ConvEngine {
    const ALL: &'static [Self] = &[Self::Auto, Self::Miopen, Self::Gemm, Self::Direct];
}

/// What convolutions keep of a device.
#[derive(Default)]
pub(super) struct Engines {
    chosen: Setting<ConvEngine>,
    /// Which algorithms were the fastest.
    pub(super) measured: Measured,
    #[cfg(feature = "miopen")]
    pub(super) miopen: super::miopen::Engine,
}

impl Engines {
    pub(super) fn of(device: &RocmDevice) -> &Self {
        device.extension()
    }
}

impl RocmDevice {
    /// Who computes convolutions and pools from now on. [`ConvEngine::Auto`] unless set.
    pub fn set_conv_engine(&self, engine: ConvEngine) {
        Engines::of(self).chosen.set(engine);
    }

    /// What [`RocmDevice::set_conv_engine`] set.
    pub fn conv_engine(&self) -> ConvEngine {
        Engines::of(self).chosen.get()
    }
}
