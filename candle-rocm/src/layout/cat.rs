//! Concatenation; launches `cat.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::CAT;
use smallvec::SmallVec;

use super::copy;
use crate::common::launch::{KernelName, LaunchExt};
use crate::common::operand::Operand;
use crate::common::operation::{Described, Many, Op};
use crate::common::plan::check_bounds;
use crate::count::{elem_count, product, saturating};
use crate::hip::LaunchConfig;
use crate::{RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "cat";

/// Sources of one launch.
const AT_ONCE: usize = 8;

/// A source from the slice's element `start` on, in bytes: `length` of each row, rows `pitch` apart.
#[derive(Clone, Copy)]
struct Source<'a> {
    slice: &'a RocmStorageSlice,
    start: usize,
    length: usize,
    pitch: usize,
}

/// A concatenation along a dimension.
#[derive(Clone, Copy)]
pub(crate) struct Cat {
    pub(crate) dim: usize,
}

impl Op for Cat {
    type Operands<T> = Many<T>;

    fn name(&self) -> &'static str {
        OP
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.dim as u64);
    }

    fn result(&self, _: &RocmDevice, Many(tensors): Many<Described<'_>>) -> Option<(usize, DType)> {
        let (first, dims) = (tensors.first()?, tensors.first()?.dims());
        let mut all: SmallVec<[usize; 8]> = dims.into();
        *all.get_mut(self.dim)? = 0;
        for tensor in &tensors {
            let same = |(i, (a, b)): (usize, (&usize, &usize))| i == self.dim || a == b;
            if tensor.dtype != first.dtype
                || tensor.dims().len() != dims.len()
                || !tensor.dims().iter().zip(dims).enumerate().all(same)
            {
                return None;
            }
            all[self.dim] = all[self.dim].checked_add(tensor.dims()[self.dim])?;
        }
        Some((product(&all)?, first.dtype))
    }

    fn run(&self, _: &RocmDevice, Many(tensors): Many<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        Ok(RocmStorage::cat(&tensors, self.dim)?.into_slice()?)
    }
}

impl RocmStorage {
    /// Concatenates tensors of one dtype along `dim`, in one launch. They may have any layout; the result is contiguous.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] without tensors; otherwise if dtypes, devices or other dimensions differ.
    pub fn cat<'a>(tensors: &[(&'a Self, &'a Layout)], dim: usize) -> Result<Self, RocmError> {
        let Some((first, _)) = tensors.first() else {
            return Err(RocmError::InvalidArgument {
                op: "cat",
                message: "nothing to concatenate".to_owned(),
            });
        };
        for (other, _) in tensors {
            first.same_device("cat", other)?;
        }
        let slice = |&(storage, layout): &(&'a Self, &'a Layout)| Ok((storage.slice()?, layout));
        let slices: SmallVec<[_; 8]> = tensors.iter().map(slice).collect::<Result<_, RocmError>>()?;
        Ok(first.with(cat(&first.device, &slices, dim)?))
    }

    #[doc(hidden)]
    /// Two concatenations of two tensors each along `dim` in one launch, as the caches of keys and values grow. `None` if the
    /// results differ in shape or dtype, or if a tensor's dimensions from `dim` on are not contiguous, or those before it not
    /// at one distance.
    ///
    /// # Errors
    /// As [`RocmStorage::cat`].
    pub fn cat_pair<'a>(
        pair: [[(&'a Self, &'a Layout); 2]; 2],
        dim: usize,
    ) -> Result<Option<[Self; 2]>, RocmError> {
        let [[(first, _), _], _] = pair;
        for (other, _) in pair.iter().flatten() {
            first.same_device("cat", other)?;
        }
        let [[a, b], [c, d]] = pair;
        let slice =
            |(storage, layout): (&'a Self, &'a Layout)| Ok::<_, RocmError>((storage.slice()?, layout));
        let slices = [[slice(a)?, slice(b)?], [slice(c)?, slice(d)?]];
        Ok(cat_pair(&first.device, slices, dim)?.map(|slices| slices.map(|slice| first.with(slice))))
    }
}

/// What a concatenation along a dimension makes.
struct Joined {
    dtype: DType,
    /// Bytes of an element.
    size: usize,
    /// Rows, which are the dimensions from the one that grows on, elements of one per element of that dimension, and the whole
    /// result's.
    rows: usize,
    inner: usize,
    len: usize,
    /// Bytes of a row.
    pitch: usize,
}

impl Joined {
    /// Checks sources: of one dtype, with equal other dimensions.
    fn new(sources: &[(&RocmStorageSlice, &Layout)], dim: usize) -> Result<Self, RocmError> {
        let Some((first, first_l)) = sources.first() else {
            return Err(RocmError::InvalidArgument { op: OP, message: "nothing to concatenate".to_owned() });
        };
        let dtype = first.dtype();
        let dims = first_l.dims();
        let size = element_size(dtype)?;
        let mut along = 0usize;
        for (slice, layout) in sources {
            if slice.dtype() != dtype {
                return Err(RocmError::DTypeMismatch { op: OP, lhs: dtype, rhs: slice.dtype() });
            }
            let same = |(i, (a, b)): (usize, (&usize, &usize))| i == dim || a == b;
            if layout.dims().len() != dims.len()
                || dim >= dims.len()
                || !layout.dims().iter().zip(dims).enumerate().all(same)
            {
                let (lhs, rhs) = (dims.to_vec(), layout.dims().to_vec());
                return Err(RocmError::ShapeMismatch { op: OP, lhs, rhs });
            }
            check_bounds(OP, layout, slice.len())?;
            along = along.saturating_add(layout.dims()[dim]);
        }
        let mut all = dims.to_vec();
        all[dim] = along;
        let len = elem_count(OP, &all)?;
        let (rows, inner) = (saturating(&dims[..dim]), saturating(&dims[dim + 1..]));
        Ok(Self { dtype, size, rows, inner, len, pitch: saturating(&[along, inner, size]) })
    }

    /// A source as it lies in memory; None if its rows have no pitch.
    fn source<'a>(&self, slice: &'a RocmStorageSlice, layout: &Layout, dim: usize) -> Option<Source<'a>> {
        let length = layout.dims()[dim] * self.inner;
        let pitch = pitch_of(layout, dim, length)? * self.size;
        // Without elements, there may be none to point to.
        let start = if length == 0 { 0 } else { layout.start_offset() };
        Some(Source { slice, start, length: length * self.size, pitch })
    }
}

/// Concatenates sources of one dtype along `dim`; their other dimensions are equal. The result is contiguous.
pub(crate) fn cat(
    device: &RocmDevice,
    sources: &[(&RocmStorageSlice, &Layout)],
    dim: usize,
) -> Result<RocmStorageSlice, RocmError> {
    let joined = Joined::new(sources, dim)?;
    let Joined { dtype, size, rows, len, pitch, .. } = joined;
    let mut out = RocmStorageSlice::uninit(device, len, dtype)?;
    if len == 0 {
        return Ok(out);
    }
    // Those that do not lie in rows are copied.
    let copy = |&(slice, layout): &(&RocmStorageSlice, &Layout)| match joined.source(slice, layout, dim) {
        Some(_) => Ok(None),
        None => copy::to_contiguous(OP, device, (slice, layout)).map(Some),
    };
    let copies: SmallVec<[_; AT_ONCE]> = sources.iter().map(copy).collect::<Result<_, _>>()?;
    let parts = sources.iter().zip(&copies).filter_map(|(&given, copy)| {
        let (slice, layout) = copy.as_ref().map_or(given, |(slice, layout)| (slice, layout));
        joined.source(slice, layout, dim).filter(|part| part.length > 0)
    });
    let parts: SmallVec<[Source<'_>; AT_ONCE]> = parts.collect();
    let mut start = 0;
    for parts in parts.chunks(AT_ONCE) {
        launch(device, rows, (&mut out, start, pitch), parts)?;
        start += parts.iter().map(|part| part.length / size).sum::<usize>();
    }
    Ok(out)
}

/// Two concatenations of two sources each, which make results of one shape and dtype, in one launch. None if they do not, or
/// if a source's rows do not lie at one distance.
pub(crate) fn cat_pair(
    device: &RocmDevice,
    pair: [[(&RocmStorageSlice, &Layout); 2]; 2],
    dim: usize,
) -> Result<Option<[RocmStorageSlice; 2]>, RocmError> {
    let [first, second] = [Joined::new(&pair[0], dim)?, Joined::new(&pair[1], dim)?];
    let Joined { dtype, rows, len, pitch, .. } = first;
    let [dims, others] = [0, 1].map(|i| pair[i][0].1.dims());
    let alike = dims.len() == others.len()
        && dims.iter().zip(others).enumerate().all(|(i, (a, b))| i == dim || a == b);
    if !alike || second.dtype != dtype || (second.len, second.pitch) != (len, pitch) {
        return Ok(None);
    }
    let mut parts: SmallVec<[Source<'_>; 4]> = SmallVec::new();
    for (slice, layout) in pair.into_iter().flatten() {
        let Some(part) = first.source(slice, layout, dim) else { return Ok(None) };
        parts.push(part);
    }
    let mut out =
        [RocmStorageSlice::uninit(device, len, dtype)?, RocmStorageSlice::uninit(device, len, dtype)?];
    if len == 0 {
        return Ok(Some(out));
    }
    let word = word(0, pitch, &parts);
    let name = KernelName::new(format_args!("cat_pair_{word}"));
    let mut launch = device.launch(&CAT, name.as_str());
    launch.arg(&rows).arg(&(pitch / word));
    for (to, parts) in out.iter_mut().zip(parts.chunks(2)) {
        launch.slice_mut(to, 0);
        for part in parts {
            launch.slice(part.slice, part.start).arg(&(part.length / word)).arg(&(part.pitch / word));
        }
    }
    // SAFETY: cat_pair_*(rows, pitch, twice dst, and twice source, length, pitch for it): the sources' layouts were checked
    // against their buffers, and a row of each dst has room for both lengths.
    unsafe { launch.run(config(device, rows, word, &parts)) }?;
    Ok(Some(out))
}

fn launch(
    device: &RocmDevice,
    rows: usize,
    (to, start, pitch): (&mut RocmStorageSlice, usize, usize),
    parts: &[Source<'_>],
) -> Result<(), RocmError> {
    let word = word(start * to.dtype().size_in_bytes(), pitch, parts);
    let name = KernelName::new(format_args!("cat_{word}"));
    let mut launch = device.launch(&CAT, name.as_str());
    launch.arg(&rows).slice_mut(to, start).arg(&(pitch / word));
    for i in 0..AT_ONCE {
        match parts.get(i) {
            Some(part) => {
                launch.slice(part.slice, part.start).arg(&(part.length / word)).arg(&(part.pitch / word));
            }
            None => {
                launch.null().arg(&0usize).arg(&0usize);
            }
        }
    }
    // SAFETY: cat_*(rows, dst, pitch, eight times source, length, pitch): the sources' layouts were checked against their
    // buffers, and a row of dst has room for all lengths from `start` on.
    unsafe { launch.run(config(device, rows, word, parts)) }
}

/// The widest word that all starts, lengths and pitches are multiples of; buffers begin where any word may.
fn word(to: usize, pitch: usize, parts: &[Source<'_>]) -> usize {
    let start = |part: &Source<'_>| part.start * part.slice.dtype().size_in_bytes();
    let together = parts.iter().fold(to | pitch, |all, p| all | start(p) | p.length | p.pitch);
    1usize << together.trailing_zeros().min(4)
}

/// A block's y selects the source.
fn config(device: &RocmDevice, rows: usize, word: usize, parts: &[Source<'_>]) -> LaunchConfig {
    let most = parts.iter().map(|part| part.length / word).max().unwrap_or(0).saturating_mul(rows);
    copies(device, most, parts.len())
}

/// The launch of so many copies at once, of up to so many words each: a block's y selects the copy.
pub(crate) fn copies(device: &RocmDevice, words: usize, count: usize) -> LaunchConfig {
    const THREADS: usize = 256;
    // A thread moves four words, or one where that leaves compute units idle.
    let idle = 8 * device.hip_device().compute_units() as usize / count.max(1);
    let blocks = words.div_ceil(4 * THREADS).max(words.div_ceil(THREADS).min(idle));
    let mut config = LaunchConfig::looping(blocks, THREADS as u32);
    config.grid[1] = count as u32;
    config
}

/// Elements between rows, which are the dimensions from `dim` on; None if there is no such number.
pub(crate) fn pitch_of(layout: &Layout, dim: usize, length: usize) -> Option<usize> {
    let mut inner = 1;
    for (&size, &stride) in layout.dims()[dim..].iter().zip(&layout.stride()[dim..]).rev() {
        if size > 1 && stride != inner {
            return None;
        }
        inner *= size;
    }
    let mut pitch = None;
    let mut next = 0;
    for (&size, &stride) in
        layout.dims()[..dim].iter().zip(&layout.stride()[..dim]).rev().filter(|(size, _)| **size > 1)
    {
        if pitch.is_some() && stride != next {
            return None;
        }
        pitch = pitch.or(Some(stride));
        next = stride * size;
    }
    Some(pitch.unwrap_or(length))
}

fn element_size(dtype: DType) -> Result<usize, RocmError> {
    match dtype.size_in_bytes() {
        0 => Err(RocmError::UnsupportedDType { op: OP, dtype }),
        size => Ok(size),
    }
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::Shape;

    use super::Cat;
    use crate::common::fused::Fused;
    use crate::common::operand::Operand;
    use crate::common::operation::Many;

    impl Fused for Cat {
        fn shape(&self, Many(tensors): &Many<Operand<'_>>) -> Shape {
            let mut dims = tensors[0].1.dims().to_vec();
            dims[self.dim] = tensors.iter().map(|(_, layout)| layout.dims()[self.dim]).sum();
            Shape::from(dims)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_a_pitch() {
        let pitch = |dims: &[usize], stride: &[usize], dim: usize| {
            let length = saturating(&dims[dim..]);
            pitch_of(&Layout::new(dims.into(), stride.to_vec(), 3), dim, length)
        };
        assert_eq!(pitch(&[2, 3, 4], &[12, 4, 1], 0), Some(24));
        assert_eq!(pitch(&[2, 3, 4], &[12, 4, 1], 1), Some(12));
        assert_eq!(pitch(&[2, 3, 4], &[12, 4, 1], 2), Some(4));
        // Rows repeated, rows apart, strides of dimensions of one.
        assert_eq!(pitch(&[2, 3, 4], &[0, 4, 1], 1), Some(0));
        assert_eq!(pitch(&[2, 3, 4], &[40, 4, 1], 1), Some(40));
        assert_eq!(pitch(&[1, 4, 1, 64], &[256, 64, 99, 1], 2), Some(64));
        // Neither inside a row nor between rows one stride.
        assert_eq!(pitch(&[2, 3, 4], &[1, 2, 6], 1), None);
        assert_eq!(pitch(&[2, 3, 4], &[40, 4, 1], 2), None);
    }
}
