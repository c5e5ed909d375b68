//! A quantized matrix as kernels take it.

use super::{BlockType, Data, QStorage, kernel_name};
use crate::RocmDevice;
use crate::hip::Buffer;

/// A matrix of blocks, `rows` times `columns`, to be multiplied; results are f32, a row of `rows` for each vector.
pub(crate) struct Product<'a> {
    pub(super) device: &'a RocmDevice,
    pub(crate) kind: BlockType,
    pub(crate) name: &'static str,
    pub(crate) blocks: &'a Buffer<u8>,
    pub(crate) rows: usize,
    pub(super) columns: usize,
}

impl QStorage {
    /// These weights as a matrix of that shape, which fits. `None` for types that have no kernels.
    pub(crate) fn product(&self, (rows, columns): (usize, usize)) -> Option<Product<'_>> {
        let (name, Data::Blocks(blocks)) = (kernel_name(self.kind)?, &*self.data) else { return None };
        Some(Product { device: &self.device, kind: self.kind, name, blocks, rows, columns })
    }
}
