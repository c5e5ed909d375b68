//! Buffers whose element type does not matter.

use rocm_hip::{Buffer, Element, Pool, Stream};

/// A buffer of any element type.
pub(crate) trait Memory: Sync {
    fn pool(&self) -> &Pool;
    fn used_on(&self, stream: &Stream);
}

impl<T: Element> Memory for Buffer<T> {
    fn pool(&self) -> &Pool {
        self.pool()
    }

    fn used_on(&self, stream: &Stream) {
        self.used_on(stream);
    }
}
