//! Which operations one launch may replace.
//!
//! It runs in the place of one of them, so the others move: those before that place come later than they would by themselves, those behind
//! it earlier. Rules only recognise operations that a kernel knows; that moving them changes nothing is proved here.

use smallvec::SmallVec;

use super::{Graph, Recordable, Slot};

/// Operations of one launch, in their order.
pub(in crate::fusion) type Covers = SmallVec<[usize; 12]>;

/// Operations that one launch replaces, or that run one after the other in its place. Only [`Graph::cover`] makes one.
#[derive(Debug)]
pub(in crate::fusion) struct Cover {
    nodes: Covers,
    place: usize,
}

impl Cover {
    pub(in crate::fusion) fn nodes(&self) -> &[usize] {
        &self.nodes
    }

    /// Whether one of them gives a value.
    pub(in crate::fusion) fn gives(&self, value: Slot) -> bool {
        self.nodes.contains(&(value.number as usize))
    }

    /// That of the operation in whose place they run.
    pub(in crate::fusion) fn place(&self) -> usize {
        self.place
    }
}

impl<O: Recordable> Graph<'_, O> {
    /// Operations that one launch replaces which writes the results of `written` and of no other, in the place of one of them. `None`
    /// unless that gives what they give one by one:
    ///
    /// - each of them is still free,
    /// - what they read from others is there at that place,
    /// - results that are not written are read by none but them, and no tensor has them,
    /// - those that are written are read by no other before that place,
    /// - none of them crosses an operation with effects.
    ///
    /// Recorded operations write to no memory but their results', which nobody had before: no two of these overlap.
    pub(in crate::fusion) fn cover(
        &self,
        mut nodes: Covers,
        written: &[usize],
        place: usize,
    ) -> Option<Cover> {
        nodes.sort_unstable();
        let distinct = nodes.windows(2).all(|pair| pair[0] != pair[1]);
        let sound = |&i: &usize| {
            self.is_free(i)
                && self.reads_before(i, &nodes, place)
                && match written.contains(&i) {
                    true => self.is_read_later(i, &nodes, place),
                    false => self.is_only_read_by(i, &nodes),
                }
        };
        let own = nodes.contains(&place) && written.iter().all(|i| nodes.contains(i));
        let sound = own && distinct && nodes.iter().all(sound) && !self.crosses_effects(&nodes);
        sound.then_some(Cover { nodes, place })
    }

    /// Whether what an operation reads from others than `nodes` is there at a place.
    fn reads_before(&self, i: usize, nodes: &[usize], place: usize) -> bool {
        let mut sources = self.node(i).operands.iter().filter_map(|operand| self.source(operand));
        sources.all(|from| nodes.contains(&from) || self.uses[from].place < place)
    }

    /// Whether all that read a result, but `nodes`, run after a place.
    pub(in crate::fusion) fn is_read_later(&self, i: usize, nodes: &[usize], place: usize) -> bool {
        let mut readers = self.uses[i].readers.iter().map(|&reader| reader as usize);
        readers.all(|reader| nodes.contains(&reader) || self.uses[reader].place > place)
    }

    /// Whether there is an operation with effects among those from the first to the last of several.
    fn crosses_effects(&self, nodes: &[usize]) -> bool {
        let (Some(&first), Some(&last)) = (nodes.first(), nodes.last()) else { return false };
        (first..=last).any(|i| self.node(i).operation.has_effects())
    }

    /// They run in that place from now on.
    pub(in crate::fusion) fn take(&mut self, Cover { nodes, place }: &Cover) {
        for &i in nodes {
            self.uses[i].free = false;
            self.uses[i].place = *place;
        }
    }
}
