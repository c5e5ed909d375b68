//! Sorted rows of which only the first are read: routers of mixtures of experts and samplers sort, narrow, and gather. The first are found
//! without sorting the rest, and with their elements.

use smallvec::{SmallVec, smallvec};

use super::{Found, Graph, Joined, Place, Slices};
use crate::common::operand::{Operand, slice};
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Covers, is_same};
use crate::indexing::Gather;
use crate::reduce::top_k::TopK;
use crate::{Result, RocmDevice, RocmStorageSlice};

/// The first indices, and their elements, of the rows.
#[derive(Debug)]
struct FirstOfRows {
    first: TopK,
    indices: bool,
    elements: bool,
}

impl Joined for FirstOfRows {
    fn name(&self) -> &'static str {
        "top-k"
    }

    fn run(&self, on: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let &[x] = operands else { return Ok(None) };
        let Some((indices, elements)) = self.first.run(on.device, slice(x)?, self.elements)? else {
            return Ok(None);
        };
        let indices = self.indices.then_some(RocmStorageSlice::U32(indices));
        Ok(Some(indices.into_iter().chain(elements).collect()))
    }
}

/// The first elements of rows that an operation gives.
struct First {
    k: usize,
    /// Who has them and nothing else: a copy of them, or the operation itself, if that is of one row and no more is read.
    written: usize,
}

/// `i` is the sort.
pub(super) fn find(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let node = graph.node(i);
    let (&Operation::ArgSort(sort), [x]) = (node.operation, &node.operands[..]) else { return None };
    let columns = sort.last_dim;
    let readers: SmallVec<[usize; 4]> = graph.readers(i)?.collect();
    // Elements are gathered by all indices, of which the first are read later, or by the first.
    let all = readers.iter().copied().find(|&at| gathers(graph, at, x, i, |ids| ids.1.is_whole(ids.0.len())));
    let rest: SmallVec<[usize; 4]> = readers.into_iter().filter(|&at| Some(at) != all).collect();
    let of_indices = if rest.is_empty() { None } else { Some(first(graph, i, columns, &rest)?) };

    let plan = |of_indices: Option<&First>, elements: Option<(usize, First)>| {
        let k = of_indices.or(elements.as_ref().map(|(_, first)| first))?.k;
        let first = TopK::new(sort, k);
        let mut covers: Covers = smallvec![i];
        let mut written: SmallVec<[usize; 2]> = of_indices.map(|first| first.written).into_iter().collect();
        if let Some((gather, first)) = &elements {
            if first.k != k {
                return None;
            }
            covers.push(*gather);
            written.push(first.written);
        }
        covers.extend(written.iter().copied());
        covers.sort_unstable();
        covers.dedup();
        let place = *covers.last()?;
        let cover = graph.cover(covers, &written, place).filter(|_| first.has_kernels())?;
        let launch = FirstOfRows { first, indices: of_indices.is_some(), elements: elements.is_some() };
        Found::new(launch, [x.clone()], written.iter().map(|&at| graph.node(at).result), cover)
    };

    if let Some(gather) = all {
        let readers: SmallVec<[usize; 4]> = graph.readers(gather)?.collect();
        return plan(of_indices.as_ref(), Some((gather, first(graph, gather, columns, &readers)?)));
    }
    let of_indices = of_indices?;
    let (k, from) = (of_indices.k, of_indices.written);
    let count = x.1.len() / columns * k;
    let only_first = |ids: &Argument| ids.1.is_whole(count) && ids.1.dims().last() == Some(&k);
    // The copy of the indices may be read by others, and tensors may have it: it is written.
    let gather = (i + 1..graph.len()).find(|&at| gathers(graph, at, x, from, only_first));
    let with_elements = gather.and_then(|at| plan(Some(&of_indices), Some((at, First { k, written: at }))));
    with_elements.or_else(|| plan(Some(&of_indices), None))
}

/// Whether an operation gathers elements of the rows `x` by indices that `from` gives.
fn gathers(
    graph: &Graph<'_>,
    at: usize,
    x: &Argument,
    from: usize,
    read: impl Fn(&Argument) -> bool,
) -> bool {
    let node = graph.node(at);
    match (node.operation, &node.operands[..]) {
        (Operation::Gather(Gather { dim }), [source, ids]) => {
            let [rows, rows_of_ids] = [source, ids].map(|of| of.1.dims().split_last().map(|(_, rows)| rows));
            graph.is_free(at)
                && graph.source(ids) == Some(from)
                && is_same(source, x)
                && dim + 1 == ids.1.dims().len()
                // Each row by its own indices.
                && rows == rows_of_ids
                && read(ids)
        }
        _ => false,
    }
}

/// What is read of rows of `columns` elements that `at` gives, if these are the first of each.
fn first(graph: &Graph<'_>, at: usize, columns: usize, readers: &[usize]) -> Option<First> {
    let len = graph.node(at).result.len();
    if let &[copy] = readers
        && let (Operation::Copy(_), [from]) = (graph.node(copy).operation, &graph.node(copy).operands[..])
    {
        let k = first_of_rows(from, columns)?;
        return (graph.is_free(copy) && k < columns).then_some(First { k, written: copy });
    }
    if len != columns {
        return None;
    }
    let mut k = 0;
    for &reader in readers {
        // A plan is kept by what is known of operations that are free.
        let node = graph.node(reader);
        let read = || node.operands.iter().filter(|operand| graph.source(operand) == Some(at));
        if !graph.is_free(reader) || !read().all(|(_, view)| view.is_whole(view.len())) {
            return None;
        }
        k = read().map(|(_, view)| view.len()).fold(k, usize::max);
    }
    (k > 0 && k < columns).then_some(First { k, written: at })
}

/// How many elements of each row of `columns` a view has, if these are the first ones of all rows in their order.
fn first_of_rows((slot, view): &Argument, columns: usize) -> Option<usize> {
    let (&k, rows) = view.dims().split_last()?;
    let (&step, strides) = view.stride().split_last()?;
    let mut stride = columns;
    for (&size, &given) in rows.iter().zip(strides).rev() {
        if size > 1 && given != stride {
            return None;
        }
        stride *= size;
    }
    let whole = view.start_offset() == 0 && (step == 1 || k == 1) && k <= columns && stride == slot.len();
    whole.then_some(k)
}
