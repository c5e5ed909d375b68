//! What each of these operations is.

use candle_core::{DType, Layout};

use super::read::{gather, index_select};
use super::write::{index_add, scatter_add, scatter_set};
use super::{MOST, check_dims};
use crate::common::observe::bytes;
use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, Op, Write, operands};
use crate::count::{product, saturating};
use crate::device::IndexedOp;
use crate::storage_slice::has_elements;
use crate::{RocmDevice, RocmStorage, RocmStorageSlice};

operands! {
    /// A tensor, and indices into one of its dimensions.
    Indexed { source, ids }
    /// What is added to, indices into one of its dimensions, and what is added.
    IndexedAdd { base, ids, source }
    /// Indices, and what is written where they point to.
    Scattered { ids, source }
}

/// The elements of rows that indices name, each for a whole slice.
#[derive(Clone, Copy)]
pub(crate) struct IndexSelect {
    pub(crate) dim: usize,
}

/// The elements that indices name, each for one element.
#[derive(Clone, Copy)]
pub(crate) struct Gather {
    pub(crate) dim: usize,
}

/// A copy, with slices added to those that indices name.
#[derive(Clone, Copy)]
pub(crate) struct IndexAdd {
    pub(crate) dim: usize,
}

/// Elements written, or added, where indices point to.
#[derive(Clone, Copy)]
pub(crate) struct Scatter<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) dim: usize,
    pub(crate) adds: bool,
}

fn are_indices(ids: &Described<'_>) -> bool {
    has_elements(ids.dtype) && !ids.dtype.is_float()
}

/// The number of indices in one line.
fn line(ids: &Described<'_>) -> Option<usize> {
    match *ids.dims() {
        [count] if are_indices(ids) => Some(count),
        _ => None,
    }
}

/// Whether kernels count so many indices, and rows from the dimension on.
fn are_few(dims: &[usize], dim: usize, count: usize) -> bool {
    count < MOST && saturating(&dims[dim + 1..]) < MOST
}

impl Op for IndexSelect {
    type Operands<T> = Indexed<T>;

    fn name(&self) -> &'static str {
        IndexedOp::IndexSelect.name()
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.dim as u64);
    }

    fn result(
        &self,
        _: &RocmDevice,
        Indexed { source, ids }: Indexed<Described<'_>>,
    ) -> Option<(usize, DType)> {
        let (dims, count) = (source.dims(), line(&ids)?);
        let size = *dims.get(self.dim)?;
        are_few(dims, self.dim, count).then_some((product(&[source.len / size, count])?, source.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        Indexed { source, ids }: Indexed<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(index_select(device, slice(source)?, slice(ids)?, self.dim)?)
    }
}

impl Op for Gather {
    type Operands<T> = Indexed<T>;

    fn name(&self) -> &'static str {
        IndexedOp::Gather.name()
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.dim as u64);
    }

    fn result(
        &self,
        _: &RocmDevice,
        Indexed { source, ids }: Indexed<Described<'_>>,
    ) -> Option<(usize, DType)> {
        let (op, dims) = (IndexedOp::Gather, ids.dims());
        check_dims(op, self.dim, source.dims(), dims, |source, ids| source >= ids).ok()?;
        let fits = are_indices(&ids) && are_few(dims, self.dim, dims[self.dim]);
        fits.then_some((ids.len, source.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        Indexed { source, ids }: Indexed<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(gather(device, slice(source)?, slice(ids)?, self.dim)?)
    }
}

impl Op for IndexAdd {
    type Operands<T> = IndexedAdd<T>;

    fn name(&self) -> &'static str {
        IndexedOp::IndexAdd.name()
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.dim as u64);
    }

    fn result(&self, _: &RocmDevice, operands: IndexedAdd<Described<'_>>) -> Option<(usize, DType)> {
        let IndexedAdd { base, ids, source } = operands;
        check_dims(IndexedOp::IndexAdd, self.dim, base.dims(), source.dims(), |a, b| a == b).ok()?;
        let count = line(&ids)?;
        let fits = base.dtype == source.dtype
            && source.dims()[self.dim] == count
            && are_few(source.dims(), self.dim, count);
        fits.then_some((base.len, base.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        operands: IndexedAdd<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        let IndexedAdd { base, ids, source } = operands;
        Ok(index_add(device, slice(base)?, slice(ids)?, slice(source)?, self.dim)?)
    }
}

impl Write for Scatter<'_> {
    type Operands<T> = Scattered<T>;

    fn name(&self) -> &'static str {
        if self.adds { IndexedOp::ScatterAdd.name() } else { IndexedOp::ScatterSet.name() }
    }

    fn written(&self, _: &RocmStorage, operands: &Scattered<Operand<'_>>) -> usize {
        bytes(&operands.source)
    }

    fn run(
        &self,
        device: &RocmDevice,
        dst: &mut RocmStorage,
        Scattered { ids, source }: Scattered<Operand<'_>>,
    ) -> candle_core::Result<()> {
        let (ids, source) = (slice(ids)?, slice(source)?);
        let scatter = if self.adds { scatter_add } else { scatter_set };
        Ok(scatter(device, (dst.slice_mut()?, self.layout), ids, source, self.dim)?)
    }
}
