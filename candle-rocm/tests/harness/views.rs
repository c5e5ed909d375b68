//! Layouts over one memory: for a shape, each way in which candle's views can reach elements.

use candle_core::{Layout, Shape};

use crate::common::checked;

/// Shapes with sizes around a wavefront, without elements, without dimensions, and with six of them.
const SHAPES: &[&[usize]] = &[
    &[],
    &[1],
    &[63],
    &[64],
    &[65],
    &[0],
    &[3, 0, 2],
    &[1, 1],
    &[7, 9],
    &[8, 8],
    &[13, 5],
    &[5, 1, 129],
    &[3, 4, 5],
    &[2, 3, 1, 4, 3, 2],
];

/// Of each kind one.
const CHECKED_SHAPES: &[&[usize]] = &[&[], &[65], &[3, 0, 2], &[13, 5], &[3, 4, 5], &[2, 3, 1, 4, 3, 2]];

/// Small shapes of every kind.
pub fn shapes() -> &'static [&'static [usize]] {
    if checked() { CHECKED_SHAPES } else { SHAPES }
}

/// Large shapes: several elements per thread, and a last vector that is cut.
pub fn large_shapes() -> &'static [&'static [usize]] {
    if checked() { &[&[5003], &[71, 67]] } else { &[&[400_009], &[641, 631]] }
}

/// Elements of memory that hold every view of `shape`.
pub fn memory(shape: &[usize]) -> usize {
    2 * shape.iter().product::<usize>() + 16 + 4 * shape.iter().product::<usize>().max(1) / last(shape).max(1)
}

fn last(shape: &[usize]) -> usize {
    shape.last().copied().unwrap_or(1)
}

fn row_major(shape: &[usize]) -> Vec<usize> {
    Layout::contiguous(shape).stride().to_vec()
}

/// Every view of `shape`: contiguous; at an odd offset; all dimensions reversed; rotated; the first, the last, every
/// dimension broadcast; every second element; rows narrowed from longer ones.
pub fn views(shape: &[usize]) -> Vec<Layout> {
    let rank = shape.len();
    let dims = Shape::from(shape);
    let contiguous = row_major(shape);
    let mut views = vec![
        Layout::new(dims.clone(), contiguous.clone(), 0),
        Layout::new(dims.clone(), contiguous.clone(), 3),
    ];
    let mut add = |stride: Vec<usize>, offset: usize| {
        let layout = Layout::new(dims.clone(), stride, offset);
        if !views.contains(&layout) {
            views.push(layout);
        }
    };
    let permuted = |order: &[usize]| {
        // The memory holds the dimensions in `order`, outermost first.
        let mut stride = vec![0; rank];
        let mut step = 1;
        for &dim in order.iter().rev() {
            stride[dim] = step;
            step *= shape[dim];
        }
        stride
    };
    let reversed: Vec<_> = (0..rank).rev().collect();
    let rotated: Vec<_> = (0..rank).map(|dim| (dim + 1) % rank).collect();
    add(permuted(&reversed), 1);
    add(permuted(&rotated), 0);
    if rank > 0 {
        let mut first = contiguous.clone();
        first[0] = 0;
        add(first, 0);
        let mut last = row_major(&shape[..rank - 1]);
        last.push(0);
        add(last, 2);
        add(vec![0; rank], 5);
        add(contiguous.iter().map(|stride| 2 * stride).collect(), 1);
    }
    if rank > 1 {
        let mut longer = shape.to_vec();
        longer[rank - 1] += 3;
        add(row_major(&longer), 1);
    }
    views
}
