//! Attention as models spell it: `softmax(q k^T * scale) v`, with products in f32 where q, k and v are converted first, and with
//! heads of keys and values repeated.

use std::sync::Arc;

use candle_core::DType;
use smallvec::smallvec;

use super::graph::{Graph, is_same};
use super::{Covers, Found, Joined, Results, with_operands};
use crate::attention::{Attention, keeps_f32, sdpa};
use crate::fusion::Operation;
use crate::fusion::view::View;
use crate::fusion::window::Recorded;
use crate::storage::Value;
use crate::{Result, RocmDevice};

/// The call that replaces it.
pub(in crate::fusion) struct Call {
    /// q, k and v.
    operands: [Recorded; 3],
    attention: Attention,
    result: Arc<Value>,
}

impl Call {
    pub(super) fn run(&self, device: &RocmDevice) -> Result<Option<Results>> {
        let slice = with_operands(device, &self.operands, |operands| {
            device.observe("sdpa", operands, || {
                sdpa(operands[0], operands[1], operands[2], None, self.attention)
            })
        })?
        .into_slice()?;
        Ok(Some(smallvec![(self.result.clone(), slice)]))
    }
}

/// `i` is the product with v.
pub(super) fn find(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let node = graph.node(i);
    let (Operation::MatMul(_), [weights, v]) = (&node.operation, &node.operands[..]) else { return None };
    let mut covers: Covers = smallvec![i];
    let (softmax, Operation::Softmax, [scores]) = graph.only_for(weights)? else { return None };
    covers.push(softmax);
    let mut scale = 1.0;
    let (mut product, mut operation, mut operands) = graph.only_for(scores)?;
    if let (&Operation::Affine { mul, add: 0.0 }, [of]) = (operation, operands) {
        covers.push(product);
        scale = mul as f32;
        (product, operation, operands) = graph.only_for(of)?;
    }
    let (Operation::MatMul(_), [q, k]) = (operation, operands) else { return None };
    covers.push(product);
    if [q, k, v].iter().any(|(_, view)| view.dims().len() != 4) {
        return None;
    }
    let given = [q.clone(), (k.0.clone(), View::new(k.1.transpose(2, 3).ok()?)), v.clone()];
    let attention = Attention { scale, softcapping: 1.0, causal: false };
    // Converted to f32 before, and back after: the kernel computes in f32 anyway.
    if let Some(back) = graph.only_reader(i)
        && let (&Operation::Cast(dtype), [of]) = (&graph.node(back).operation, &graph.node(back).operands[..])
        && of.1.is_whole(node.result.len())
        && keeps_f32(device, dtype, given[0].1.dims(), given[1].1.dims())
    {
        let mut covers = covers.clone();
        covers.push(back);
        let [q, k, v] = &given;
        if let (Some(q), Some(k), Some(v)) = (
            converted(graph, q, dtype, &mut covers),
            converted(graph, k, dtype, &mut covers),
            converted(graph, v, dtype, &mut covers),
        ) {
            let operands = shared(graph, [q, k, v], &mut covers);
            let result = graph.node(back).result.clone();
            return Some(Found {
                join: Joined::Attention(Call { operands, attention, result }),
                covers,
                at: back,
            });
        }
    }
    let operands = shared(graph, given, &mut covers);
    let result = node.result.clone();
    Some(Found { join: Joined::Attention(Call { operands, attention, result }), covers, at: i })
}

/// What was converted from `dtype` to f32.
fn converted(graph: &Graph<'_>, operand: &Recorded, dtype: DType, covers: &mut Covers) -> Option<Recorded> {
    let (cast, Operation::Cast(DType::F32), [(value, view)]) = graph.only_for(operand)? else {
        return None;
    };
    if value.dtype() != dtype || !(view.is_contiguous() || view.shape() == operand.1.shape()) {
        return None;
    }
    covers.push(cast);
    Some((value.clone(), view.reshaped(&operand.1)))
}

/// Keys and values of fewer heads, where neighbouring heads have copies of one: of what was concatenated with itself.
fn shared(graph: &Graph<'_>, [q, k, v]: [Recorded; 3], covers: &mut Covers) -> [Recorded; 3] {
    let unrepeated = |repeated: &Recorded| {
        let (cat, Operation::Cat { dim: 2 }, copies) = graph.only_for(repeated)? else { return None };
        let of = copies.first()?;
        let (&[b, heads, s, d], &[b_kv, kv_heads, s_kv, d_kv]) = (repeated.1.dims(), of.1.dims()) else {
            return None;
        };
        let same = copies.iter().all(|copy| is_same(copy, of));
        let fits = same && (b, s, d) == (b_kv, s_kv, d_kv) && heads == kv_heads * copies.len();
        fits.then(|| (cat, of.clone()))
    };
    match (unrepeated(&k), unrepeated(&v)) {
        (Some((k_cat, k_of)), Some((v_cat, v_of))) if k_of.1.dims()[1] == v_of.1.dims()[1] => {
            covers.extend([k_cat, v_cat]);
            [q, k_of, v_of]
        }
        _ => [q, k, v],
    }
}
