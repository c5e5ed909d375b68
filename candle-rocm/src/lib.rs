//! candle-rocm
