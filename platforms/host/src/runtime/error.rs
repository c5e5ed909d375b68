//! Error codes: their names and texts, and the last error of each thread.

pub(crate) use rocm_sys::implement::write;

rocm_sys::implement::error_exports!();
