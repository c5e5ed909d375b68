//! The operations that can be recorded: the closed list of them, whose arms are types of the families.

use candle_core::DType;

use super::external::External;
use super::graph::{Recordable, Recorded};
use crate::attention::Attention;
use crate::common::operand::Operand;
use crate::common::operation::{Described, Op, Operands};
use crate::conv::Convolve;
use crate::conv::pool::Pool;
use crate::conv::upsample::{Bilinear, Nearest};
use crate::elementwise::affine::Affine;
use crate::elementwise::binary::{Binary, Compare};
use crate::elementwise::cast::Cast;
use crate::elementwise::ternary::WhereCond;
use crate::elementwise::unary::{Elu, Powf, Unary};
use crate::indexing::{Gather, IndexAdd, IndexSelect};
use crate::layout::cat::Cat;
use crate::layout::copy::Copied;
use crate::matmul::MatMul;
use crate::nn::experts::Moe;
use crate::nn::group_norm::GroupNorm;
use crate::nn::norm::{LayerNorm, RmsNorm};
use crate::nn::rotary::Arrangement;
use crate::nn::sigmoid::Sigmoid;
use crate::nn::softmax::SoftmaxLastDim;
use crate::quantized::{QExperts, QMatrix, QRows};
use crate::reduce::Reduce;
use crate::reduce::scan::CumSum;
use crate::reduce::sort::ArgSort;
use crate::storage_slice::has_elements;
use crate::{RocmDevice, RocmError, RocmStorageSlice};

/// Makes [`Operation`] of the list.
macro_rules! operations {
    ($($arm:ident($type:ty);)*) => {
        /// An operation without its operands.
        #[derive(Clone)]
        #[cfg_attr(not(candle_rocm_seam), allow(dead_code, reason = "stock candle does not offer all of them"))]
        pub(crate) enum Operation {
            $($arm($type),)*
        }

        /// The list without what is in it.
        enum Arm {
            $($arm,)*
        }

        $(impl From<$type> for Operation {
            fn from(operation: $type) -> Self {
                Self::$arm(operation)
            }
        })*

        impl Operation {
            /// In errors, in counters and in the trace.
            pub(crate) fn name(&self) -> &'static str {
                match self {
                    $(Self::$arm(operation) => operation.name(),)*
                }
            }

            fn key(&self, words: &mut Vec<u64>) {
                match self {
                    $(Self::$arm(operation) => {
                        words.push(Arm::$arm as u64);
                        operation.key(words);
                    })*
                }
            }

            /// Bytes of weights that it reads besides its operands.
            pub(super) fn weights(&self, device: &RocmDevice) -> usize {
                match self {
                    $(Self::$arm(operation) => operation.weights(device),)*
                }
            }

            /// Runs it by itself.
            ///
            /// # Errors
            /// The operation's own.
            pub(super) fn run(
                &self,
                device: &RocmDevice,
                operands: &[Operand<'_>],
            ) -> candle_core::Result<RocmStorageSlice> {
                let operands = operands.iter().copied();
                match self {
                    $(Self::$arm(operation) => match named(operands) {
                        Some(operands) => operation.run(device, operands),
                        None => Err(others(operation.name()).into()),
                    },)*
                }
            }

            fn described<'a>(
                &self,
                device: &RocmDevice,
                operands: impl Iterator<Item = Described<'a>>,
            ) -> Option<(usize, DType)> {
                match self {
                    $(Self::$arm(operation) => operation.result(device, named(operands)?),)*
                }
            }
        }
    };
}

operations! {
    Affine(Affine);
    Powf(Powf);
    Elu(Elu);
    Unary(Unary);
    Binary(Binary);
    Compare(Compare);
    Cast(Cast);
    WhereCond(WhereCond);
    Copy(Copied);
    Cat(Cat);
    Reduce(Reduce);
    CumSum(CumSum);
    ArgSort(ArgSort);
    Gather(Gather);
    IndexSelect(IndexSelect);
    IndexAdd(IndexAdd);
    MatMul(MatMul);
    Convolve(Convolve);
    Pool(Pool);
    Nearest(Nearest);
    Bilinear(Bilinear);
    Softmax(SoftmaxLastDim);
    RmsNorm(RmsNorm);
    LayerNorm(LayerNorm);
    GroupNorm(GroupNorm);
    Rope(Arrangement);
    Sdpa(Attention);
    Moe(Moe);
    QMatMul(QMatrix);
    QRows(QRows);
    QExperts(QExperts);
    External(External);
}

/// They are elementwise functions as candle's own are.
impl From<Sigmoid> for Operation {
    fn from(_: Sigmoid) -> Self {
        Self::Unary(Sigmoid::FUNCTION)
    }
}

impl Operation {
    /// Elements and dtype of the result; `None` if the operation might be refused, or is nothing to wait for.
    pub(super) fn result(&self, device: &RocmDevice, operands: &[Recorded]) -> Option<(usize, DType)> {
        let (first, view) = operands.first()?;
        let within = operands.iter().all(|(value, view)| view.is_within(value.len()));
        if !within || view.len() == 0 || !has_elements(first.dtype()) {
            return None;
        }
        let described = operands.iter().map(|(value, view)| view.of_buffer(value.dtype(), value.len()));
        self.described(device, described).filter(|(len, _)| *len > 0)
    }
}

impl Operation {
    /// Whether it may become part of a launch with operations behind it. One that may not keeps its place among those that wait, and runs at
    /// once where nothing waits: it would only fill a segment.
    pub(super) fn may_be_joined(&self) -> bool {
        !matches!(
            self,
            Self::Gather(_)
                | Self::IndexSelect(_)
                | Self::IndexAdd(_)
                | Self::CumSum(_)
                | Self::Convolve(_)
                | Self::Pool(_)
                | Self::Nearest(_)
                | Self::Bilinear(_)
                | Self::Sdpa(_)
                | Self::Moe(_)
                | Self::QRows(_)
                | Self::QExperts(_)
        )
    }
}

impl Recordable for Operation {
    /// Such an operation runs soon, and in the order of the calls.
    fn has_effects(&self) -> bool {
        matches!(self, Self::External(external) if external.op.has_effects())
    }

    fn write_key(&self, words: &mut Vec<u64>) {
        self.key(words);
    }
}

/// Operands by their names. Whoever records an operation has them so, and they are kept in that order.
#[inline]
fn named<T, O: Operands<T>>(operands: impl Iterator<Item = T>) -> Option<O> {
    let named = O::named(operands);
    debug_assert!(named.is_some(), "operands of another operation");
    named
}

#[cold]
fn others(op: &'static str) -> RocmError {
    RocmError::InvalidArgument { op, message: "it has other operands".to_owned() }
}
