//! The run-time compiler of ROCm.
