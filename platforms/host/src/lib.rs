//! platforms/host
