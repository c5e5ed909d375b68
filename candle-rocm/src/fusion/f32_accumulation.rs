//! Trees of operations on half types: they compute in f32, and only what is written is rounded. Rounding each step by itself would cost
//! more than the steps do on cards without an instruction for it.
//!
//! A cast tells from what and to what it rounds, so it does: what a tensor's elements are does not depend on how somebody looks.

use std::sync::Arc;

use candle_core::{DType, Layout, WithDType};
use smallvec::{SmallVec, smallvec};

use super::generated::steps::{Function, Source, Step};
use super::operands::with_operands;
use super::{Node, Operation};
use crate::common::operand::Operand;
use crate::dtype::DTypeExt;
use crate::elementwise::affine::Affine;
use crate::elementwise::cast::cast;
use crate::elementwise::unary::Elu;
use crate::storage::Value;
use crate::{Result, RocmDevice, RocmStorage};

/// The dtype that stands for another one.
pub(super) fn compute_dtype(dtype: DType) -> DType {
    if dtype.is_half() { DType::F32 } else { dtype }
}

/// A parameter of an operation on `dtype`, and the dtype that it is passed in: the operation's own rounding of it stays.
pub(super) fn parameter(dtype: DType, value: f64) -> (DType, f64) {
    let rounded = match dtype {
        DType::F16 => WithDType::to_f64(half::f16::from_f64(value)),
        DType::BF16 => WithDType::to_f64(half::bf16::from_f64(value)),
        _ => value,
    };
    (compute_dtype(dtype), rounded)
}

/// Whether steps, but for casts, read what others give in a half type.
pub(super) fn is_worth_it(steps: &[Step]) -> bool {
    let given = |source: &Source| match *source {
        Source::Step(i) => steps.get(usize::from(i)).is_some_and(|step| step.dtype.is_half()),
        Source::Operand(_) => false,
    };
    steps.iter().any(|step| step.function != Function::Cast && step.sources.iter().any(given))
}

/// A value of a half type, rounded, in f32, or both. Others have the same for both.
#[derive(Clone, Copy)]
struct Kept {
    dtype: DType,
    rounded: Option<Source>,
    unrounded: Option<Source>,
}

impl Kept {
    fn rounded(dtype: DType, source: Source) -> Self {
        Self { dtype, rounded: Some(source), unrounded: (!dtype.is_half()).then_some(source) }
    }

    fn unrounded(dtype: DType, source: Source) -> Self {
        Self { dtype, rounded: (!dtype.is_half()).then_some(source), unrounded: Some(source) }
    }

    /// As it is in memory.
    fn as_rounded(&mut self, steps: &mut SmallVec<[Step; 8]>) -> Option<Source> {
        Self::converted(self.unrounded, &mut self.rounded, self.dtype, steps)
    }

    fn as_f32(&mut self, steps: &mut SmallVec<[Step; 8]>) -> Option<Source> {
        Self::converted(self.rounded, &mut self.unrounded, compute_dtype(self.dtype), steps)
    }

    fn converted(
        from: Option<Source>,
        to: &mut Option<Source>,
        dtype: DType,
        steps: &mut SmallVec<[Step; 8]>,
    ) -> Option<Source> {
        if to.is_none() {
            *to = Some(push(steps, Function::Cast, smallvec![from?], dtype)?);
        }
        *to
    }
}

fn push(
    steps: &mut SmallVec<[Step; 8]>,
    function: Function,
    sources: SmallVec<[Source; 3]>,
    dtype: DType,
) -> Option<Source> {
    steps.push(Step { function, sources, dtype });
    u8::try_from(steps.len() - 1).ok().map(Source::Step)
}

/// Steps with f32 for half types.
pub(super) struct InF32 {
    pub(super) steps: SmallVec<[Step; 8]>,
    /// Those that give the results: the last one, if there is one.
    pub(super) results: SmallVec<[u8; 4]>,
}

/// A value is rounded once at most, for a cast that reads it or because it is written.
pub(super) fn steps(
    steps: &[Step],
    operands: impl IntoIterator<Item = DType>,
    results: impl IntoIterator<Item = u8>,
) -> Option<InF32> {
    let operands = operands.into_iter().zip(0..).map(|(dtype, i)| Kept::rounded(dtype, Source::Operand(i)));
    let mut operands: SmallVec<[Kept; 5]> = operands.collect();
    let (mut kept, mut all) = (SmallVec::<[Kept; 16]>::new(), SmallVec::new());
    for step in steps {
        let mut sources = SmallVec::new();
        for source in &step.sources {
            let value = match *source {
                Source::Operand(i) => operands.get_mut(usize::from(i))?,
                Source::Step(i) => kept.get_mut(usize::from(i))?,
            };
            sources.push(match step.function {
                Function::Cast => value.as_rounded(&mut all)?,
                _ => value.as_f32(&mut all)?,
            });
        }
        kept.push(if step.function == Function::Cast {
            Kept::rounded(step.dtype, push(&mut all, step.function, sources, step.dtype)?)
        } else {
            Kept::unrounded(step.dtype, push(&mut all, step.function, sources, compute_dtype(step.dtype))?)
        });
    }
    let written = |i: u8| match kept.get_mut(usize::from(i))?.as_rounded(&mut all)? {
        Source::Step(i) => Some(i),
        Source::Operand(_) => None,
    };
    let results = results.into_iter().map(written).collect::<Option<_>>()?;
    Some(InF32 { steps: all, results })
}

/// Gives what the kernel of a tree gives, bit by bit, by the kernels of its operations: there is none yet, or it does not take the
/// operands. `results` are those that are written.
///
/// # Errors
/// An operation's own.
pub(super) fn run(device: &RocmDevice, nodes: &[&Node], results: &[&Arc<Value>]) -> candle_core::Result<()> {
    // In f32 what the operations give in a half type, as long as another one reads it.
    let mut kept: Vec<(&Arc<Value>, RocmStorage)> = Vec::new();
    for (i, node) in nodes.iter().enumerate() {
        let dtype = node.operands.first().map_or(node.result.dtype(), |(value, _)| value.dtype());
        let operation = in_f32(&node.operation, dtype);
        let is_cast = matches!(operation, Operation::Cast(_));
        let slice = with_operands(device, &node.operands, |given| {
            let own = node.operands.iter().zip(given).map(|((value, _), &(storage, layout))| {
                let inside = kept.iter().find(|(of, _)| Arc::ptr_eq(of, value)).map(|(_, inside)| inside);
                Ok(match inside {
                    Some(inside) if is_cast => {
                        let all = Layout::contiguous(inside.len());
                        let rounded = cast(device, inside.slice()?, &all, value.dtype())?;
                        Some((RocmStorage::new(rounded, device.clone()), layout.clone()))
                    }
                    Some(inside) => {
                        Some((RocmStorage::of(inside.value().clone(), device.clone()), layout.clone()))
                    }
                    None if storage.dtype().is_half() && !is_cast => Some(to_f32(device, storage, layout)?),
                    None => None,
                })
            });
            let own = own.collect::<Result<SmallVec<[Option<(RocmStorage, Layout)>; 3]>>>()?;
            let operands = given.iter().zip(&own).map(|(&given, own)| match own {
                Some((storage, layout)) => (storage, layout),
                None => given,
            });
            let operands: SmallVec<[Operand<'_>; 3]> = operands.collect();
            let run = || operation.run(device, &operands);
            device.observe_with_weights(operation.name(), &operands, || 0, run)
        })?;
        let is_read_by =
            |reader: &&Node, of: &Arc<Value>| reader.operands.iter().any(|(value, _)| Arc::ptr_eq(value, of));
        let later = &nodes[i + 1..];
        kept.retain(|(of, _)| later.iter().any(|reader| is_read_by(reader, of)));
        let result = &node.result;
        if !result.dtype().is_half() {
            result.set(Ok(slice));
            continue;
        }
        let to = |dtype| cast(device, &slice, &Layout::contiguous(slice.len()), dtype);
        let is_read = later.iter().any(|reader| is_read_by(reader, result));
        let is_result = results.iter().any(|of| Arc::ptr_eq(of, result));
        if slice.dtype().is_half() {
            if is_read {
                kept.push((result, RocmStorage::new(to(DType::F32)?, device.clone())));
            }
            result.set(Ok(slice));
        } else {
            if is_result {
                result.set(Ok(to(result.dtype())?));
            }
            if is_read {
                kept.push((result, RocmStorage::new(slice, device.clone())));
            }
        }
    }
    Ok(())
}

/// An operation on f32 in place of `dtype`.
fn in_f32(operation: &Operation, dtype: DType) -> Operation {
    let parameter = |value| parameter(dtype, value).1;
    match *operation {
        Operation::Affine(Affine { mul, add }) => {
            Operation::Affine(Affine { mul: parameter(mul), add: parameter(add) })
        }
        Operation::Elu(Elu(alpha)) => Operation::Elu(Elu(parameter(alpha))),
        _ => operation.clone(),
    }
}

/// The elements of an operand in f32. Those that are broadcast stay one.
fn to_f32(device: &RocmDevice, storage: &RocmStorage, layout: &Layout) -> Result<(RocmStorage, Layout)> {
    let once = layout.dims().iter().zip(layout.stride());
    let once: Vec<usize> =
        once.map(|(&size, &stride)| if stride == 0 { size.min(1) } else { size }).collect();
    let read = Layout::new(once.into(), layout.stride().to_vec(), layout.start_offset());
    let slice = cast(device, storage.slice()?, &read, DType::F32)?;
    let dense = Layout::contiguous(read.shape());
    let strides = dense.stride().iter().zip(layout.stride());
    let strides = strides.map(|(&dense, &stride)| if stride == 0 { 0 } else { dense }).collect();
    let layout = Layout::new(layout.shape().clone(), strides, 0);
    Ok((RocmStorage::new(slice, device.clone()), layout))
}
