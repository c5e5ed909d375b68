//! hiprtc: kernels are compiled by NVRTC, to cubins.

mod api;
mod nvrtc;
mod options;
mod program;

pub(crate) use api::EXPORTS;
