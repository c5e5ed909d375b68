//! Work that was asked for, and is not on the stream yet.

use std::any::Any;

use crate::RocmDevice;
use crate::error::Result;

/// A list of such work.
pub(crate) trait Pending: Any + Send + Sync {
    /// Puts all of it on the stream.
    fn submit(&self, device: &RocmDevice);

    /// What went wrong with it since this was last asked, and nobody was told.
    fn failure(&self) -> Result<()>;
}
