//! Layouts of recorded operands: models use the same few again and again, so recordings share them.

use std::hash::Hasher;
use std::ops::Deref;
use std::sync::Arc;

use candle_core::{DType, Layout};
use rustc_hash::FxHasher;

use crate::common::operation::Described;
use crate::common::plan::check_bounds;
use crate::count::saturating;

/// A layout, as the operations of one window share it: what all windows share is counted by several threads at once, and each would
/// wait for the other's cache line.
#[derive(Debug)]
pub(in crate::fusion) struct View(Arc<Known>);

/// A layout, and what every recording asks of it.
#[derive(Debug)]
struct Known {
    layout: Layout,
    len: usize,
    contiguous: bool,
    /// Elements that a buffer needs for it; `None` where no buffer has as many.
    extent: Option<usize>,
}

impl View {
    pub(in crate::fusion) fn new(layout: Layout) -> Arc<Self> {
        let len = saturating(layout.dims());
        let last = |(&size, &stride): (&usize, &usize)| (size - 1).checked_mul(stride);
        let extent = if len == 0 {
            Some(0)
        } else {
            let mut axes = layout.dims().iter().zip(layout.stride()).map(last);
            axes.try_fold(layout.start_offset(), |end, reach| end.checked_add(reach?))
                .and_then(|end| end.checked_add(1))
        };
        let sound = check_bounds("record", &layout, extent.unwrap_or_default()).is_ok();
        let contiguous = layout.is_contiguous();
        Arc::new(Self(Arc::new(Known { layout, len, contiguous, extent: extent.filter(|_| sound) })))
    }

    /// How many elements the layout has.
    pub(in crate::fusion) fn len(&self) -> usize {
        self.0.len
    }

    pub(in crate::fusion) fn is_contiguous(&self) -> bool {
        self.0.contiguous
    }

    /// An operand with this layout.
    pub(in crate::fusion) fn of_buffer(&self, dtype: DType, buffer_len: usize) -> Described<'_> {
        let (layout, len, is_contiguous) = (&self.0.layout, self.0.len, self.0.contiguous);
        Described { dtype, layout, len, buffer_len, is_contiguous }
    }

    /// Whether all elements are the same one.
    pub(in crate::fusion) fn is_constant(&self) -> bool {
        self.stride().iter().all(|&stride| stride == 0)
    }

    /// Whether all elements lie in a buffer of so many.
    pub(in crate::fusion) fn is_within(&self, len: usize) -> bool {
        self.0.extent.is_some_and(|extent| extent <= len)
    }

    /// Whether these are all elements of a result of `len` elements, in their order.
    pub(in crate::fusion) fn is_whole(&self, len: usize) -> bool {
        self.0.layout.start_offset() == 0 && self.0.contiguous && self.0.len == len
    }

    /// Whether these are all elements of a result in their order, each of them repeated over the dimensions from `split` on.
    pub(in crate::fusion) fn is_repeated(&self, split: usize) -> bool {
        let ((dims, repeats), (stride, steps)) = (self.dims().split_at(split), self.stride().split_at(split));
        let rows = Layout::new(dims.to_vec().into(), stride.to_vec(), self.start_offset());
        let repeated = repeats.iter().zip(steps).all(|(&size, &step)| step == 0 || size == 1);
        self.start_offset() == 0 && rows.is_contiguous() && repeated
    }

    /// The elements, in the shape of another view, which has as many. For contiguous views, and for views of that shape.
    pub(in crate::fusion) fn reshaped(self: &Arc<Self>, other: &Self) -> Arc<Self> {
        if self.shape() == other.shape() {
            return self.clone();
        }
        Self::new(Layout::contiguous_with_offset(other.shape(), self.start_offset()))
    }

    /// Where a copy of these elements, in their order, is read by another view. For contiguous elements, and for all in their shape.
    pub(in crate::fusion) fn before_copy(self: &Arc<Self>, read: &Self) -> Option<Arc<Self>> {
        if read.is_whole(self.len()) && self.shape() == read.shape() {
            return Some(self.clone());
        }
        let offset = self.start_offset() + read.start_offset();
        let layout = || Layout::new(read.shape().clone(), read.stride().to_vec(), offset);
        self.is_contiguous().then(|| Self::new(layout()))
    }

    pub(in crate::fusion) fn is_same(&self, layout: &Layout) -> bool {
        let known = &self.0.layout;
        known.start_offset() == layout.start_offset()
            && known.dims() == layout.dims()
            && known.stride() == layout.stride()
    }
}

impl Deref for View {
    type Target = Layout;

    fn deref(&self) -> &Layout {
        &self.0.layout
    }
}

/// More layouts than a step of most models has.
const SLOTS: usize = 1024;

/// The layouts seen last, by their hash, each with the window that used it last.
pub(in crate::fusion) struct Views {
    slots: Box<[Option<Seen>]>,
    window: u32,
}

/// A window and its view.
type Seen = (u32, Arc<View>);

impl Default for Views {
    fn default() -> Self {
        Self { slots: vec![None; SLOTS].into(), window: 0 }
    }
}

impl Views {
    /// Other threads have those that were given so far.
    pub(in crate::fusion) fn next_window(&mut self) {
        self.window = self.window.wrapping_add(1);
    }

    pub(in crate::fusion) fn get(&mut self, layout: &Layout) -> Arc<View> {
        // Word by word: as slices they would be hashed as strings, which takes longer.
        let mut hasher = FxHasher::default();
        layout.dims().iter().chain(layout.stride()).for_each(|&word| hasher.write_usize(word));
        hasher.write_usize(layout.start_offset());
        let slot = &mut self.slots[hasher.finish() as usize % SLOTS];
        let view = match slot {
            Some((window, view)) if view.is_same(layout) => {
                if *window == self.window {
                    return view.clone();
                }
                Arc::new(View(view.0.clone()))
            }
            _ => View::new(layout.clone()),
        };
        slot.insert((self.window, view)).1.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(dims: &[usize], stride: &[usize], offset: usize) -> Arc<View> {
        View::new(Layout::new(dims.into(), stride.to_vec(), offset))
    }

    #[test]
    fn equal_layouts_are_shared() {
        let mut views = Views::default();
        let layouts: Vec<Layout> = (1..2000).map(|n| Layout::contiguous((n, 3))).collect();
        for layout in &layouts {
            let (first, second) = (views.get(layout), views.get(&layout.clone()));
            assert!(Arc::ptr_eq(&first, &second) && first.is_same(layout));
        }
        let (plain, turned) = (Layout::contiguous((2, 2)), Layout::new((2, 2).into(), vec![1, 2], 0));
        assert!(views.get(&plain).is_same(&plain) && views.get(&turned).is_same(&turned));
    }

    #[test]
    fn windows_count_their_own() {
        let mut views = Views::default();
        let layout = Layout::contiguous((2, 3));
        let first = views.get(&layout);
        views.next_window();
        let second = views.get(&layout);
        assert!(!Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&first.0, &second.0) && second.is_same(&layout));
        assert!(Arc::ptr_eq(&second, &views.get(&layout)));
    }

    #[test]
    fn bounds_are_those_of_the_elements() {
        assert!(view(&[2, 3], &[3, 1], 4).is_within(10) && !view(&[2, 3], &[3, 1], 4).is_within(9));
        assert!(view(&[4, 5], &[0, 0], 3).is_within(4));
        assert!(view(&[0], &[1], 77).is_within(0));
        for never in [
            view(&[2], &[usize::MAX], 0),
            view(&[2, 2], &[1], 0),
            view(&[usize::MAX, 2], &[0, 0], 0),
            view(&[], &[], usize::MAX),
        ] {
            assert!(!never.is_within(usize::MAX));
        }
    }

    #[test]
    fn a_whole_result_is_contiguous_from_its_start() {
        assert!(view(&[2, 3], &[3, 1], 0).is_whole(6) && view(&[], &[], 0).is_whole(1));
        assert!(!view(&[2, 3], &[3, 1], 0).is_whole(7));
        assert!(!view(&[2, 3], &[3, 1], 1).is_whole(6));
        assert!(!view(&[2, 3], &[1, 2], 0).is_whole(6));
    }
}
