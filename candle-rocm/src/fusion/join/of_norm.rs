//! Products of a row that is the norm of a residual connection: `norm(a + b)` is part of their launch.

use candle_core::DType;
use smallvec::SmallVec;

use super::Graph;
use super::add_norm::NormOfSum;
use super::products::{Kind, dense_layers, layers, observe_quantized};
use crate::common::operand::Operand;
use crate::fusion::graph::Recorded;
use crate::nn::of_norm::takes_row;
use crate::nn::{AddNorm, add_norm_matmul_several, add_norm_matmul_silu_mul};
use crate::quantized::QStorage;
use crate::{Result, RocmDevice, RocmStorage};

/// The norm in place of the products' row.
pub(super) struct Norm {
    eps: f32,
    centred: bool,
    /// a, b, and the norm's parameters: the first of the call's operands.
    operands: usize,
}

impl Norm {
    /// The products, and then the sum.
    pub(super) fn run(
        &self,
        device: &RocmDevice,
        kind: &Kind,
        operands: &[Operand<'_>],
    ) -> Result<Option<Vec<RocmStorage>>> {
        let (&[a, b, ref parameters @ ..], matrices) = operands.split_at(self.operands) else {
            return Ok(None);
        };
        let (alpha, beta) = (parameters.first().copied(), parameters.get(1).copied());
        let norm = AddNorm { a, b, alpha, beta, eps: self.eps, centred: self.centred };
        match (kind, matrices) {
            (Kind::Gated, &[gate, up]) => device.observe("add-norm-matmul-silu-mul", operands, || {
                Ok(add_norm_matmul_silu_mul(&norm, gate, up)?.map(|[sum, product]| vec![product, sum]))
            }),
            (Kind::Several { biased, activation }, others) => {
                let layers = dense_layers(others, biased);
                device.observe("add-norm-matmul-several", operands, || {
                    Ok(add_norm_matmul_several(&norm, &layers, *activation)?.map(with_sum))
                })
            }
            (Kind::Quantized { matrices, biased }, biases) => {
                let name = "add-norm-quantized-matmul-several";
                observe_quantized(device, name, operands, matrices, |weights| {
                    let layers = layers(weights.iter().copied(), biased, biases);
                    Ok(QStorage::forward_add_norm_several(&norm, &layers)?.map(with_sum))
                })
            }
            (Kind::QuantizedGated(matrices), []) => {
                let name = "add-norm-quantized-matmul-silu-mul";
                observe_quantized(device, name, operands, matrices, |weights| {
                    let &[(gate, shape), (up, _)] = weights else { return Ok(None) };
                    let both = QStorage::forward_add_norm_silu_mul(&norm, gate, up, shape)?;
                    Ok(both.map(|[sum, product]| vec![product, sum]))
                })
            }
            _ => Ok(None),
        }
    }
}

fn with_sum((sum, mut products): (RocmStorage, Vec<RocmStorage>)) -> Vec<RocmStorage> {
    products.push(sum);
    products
}

/// What a launch takes that computes the row for itself.
pub(super) struct Behind {
    pub(super) norm: Norm,
    /// In place of the row.
    pub(super) operands: SmallVec<[Recorded; 5]>,
    /// The operations that give the sum and the norm, and are part of the launch, too.
    pub(super) add: usize,
    pub(super) row: usize,
}

/// Whether the row `x` of products is such a norm.
pub(super) fn find(graph: &Graph<'_>, kind: &Kind, x: &Recorded) -> Option<Behind> {
    let row = graph.source(x)?;
    let NormOfSum { eps, centred, add, operands } = super::add_norm::of_sum(graph, row)?;
    let node = graph.node(row);
    let quantized = matches!(kind, Kind::Quantized { .. } | Kind::QuantizedGated(_));
    let parameters = if quantized { operands.len() == 3 && !centred } else { operands.len() >= 3 };
    let whole = x.1.is_whole(node.result.len());
    // One row, which is as long as the norm's rows.
    let one = operands[0].1.dims().last() == Some(&x.1.len());
    let short = takes_row(node.result.dtype(), x.1.len());
    let dtype = node.result.dtype() != DType::F64;
    (parameters && whole && one && short && dtype).then(|| Behind {
        norm: Norm { eps, centred, operands: operands.len() },
        operands: operands.into_iter().collect(),
        add,
        row,
    })
}
