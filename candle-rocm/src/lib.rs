//! candle-rocm: AMD GPUs for the ML framework candle.

mod backend_device;
mod device;
mod element;
mod error;
mod hash;
pub mod hip;
mod ops;
mod storage;
mod storage_slice;

pub use device::{InfoPtr, Launch, RocmDevice};
pub use element::Element;
pub use error::{Result, RocmError};
pub use ops::map::{Map1, Map1Any, Map2, Map2Any, Map2InPlace, Map3};
pub use storage::RocmStorage;
pub use storage_slice::{RocmDType, RocmStorageSlice};
