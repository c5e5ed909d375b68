//! candle-rocm: AMD GPUs for the ML framework candle.

mod device;
mod element;
mod error;
pub mod hip;

pub use device::{InfoPtr, Launch, RocmDevice};
pub use element::Element;
pub use error::{Result, RocmError};
