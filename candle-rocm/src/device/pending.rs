//! Work that was asked for, and is not on the stream yet.

use std::any::Any;

use crate::RocmDevice;
use crate::error::Result;
use crate::hip::Pool;

/// A list of such work.
pub(crate) trait Pending: Any + Send + Sync {
    /// Called when a device gets it, which has this memory.
    fn attach(&self, pool: &Pool);

    /// Puts all of it on the stream.
    fn submit(&self, device: &RocmDevice);

    /// What the calling thread is in the middle of, if it cannot put anything on the stream before it is done with that.
    fn reentered_from(&self) -> Option<&'static str>;

    /// Puts what was handed over on the stream: the device goes, and others may wait for some of it.
    fn finish(&self, device: &RocmDevice);

    /// What went wrong with it since this was last asked, and nobody was told.
    fn failure(&self) -> Result<()>;
}
