//! rocm-sys
