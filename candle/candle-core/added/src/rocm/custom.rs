//! Custom operations: the backend's fused kernel if it takes the offer, else the CPU.

use std::collections::BTreeSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{FusedOp, RocmStorage};
use crate::backend::{BackendDevice, BackendStorage};
use crate::custom_op::Src;
use crate::op::BackpropOp;
use crate::{CpuStorage, Layout, Result, Shape, Storage, Tensor};

/// The result of a fused operation on tensors, if they are on a ROCm device whose backend has a kernel for it. It has no
/// gradient.
pub fn offer(op: &FusedOp<'_>, args: &[&Tensor]) -> Result<Option<Tensor>> {
    if !args.iter().all(|arg| arg.device().is_rocm()) {
        return Ok(None);
    }
    let guards: Vec<_> = args.iter().map(|arg| arg.storage_and_layout()).collect();
    let operands = guards.iter().filter_map(|(storage, layout)| match &**storage {
        Storage::Rocm(storage) => Some((storage, *layout)),
        _ => None,
    });
    let result = take(op, &operands.collect::<Vec<_>>())?;
    Ok(result.map(|(storage, shape)| Tensor::from_storage(Storage::Rocm(storage), shape, BackpropOp::none(), false)))
}

fn take(op: &FusedOp<'_>, args: &[(&RocmStorage, &Layout)]) -> Result<Option<(RocmStorage, Shape)>> {
    let Some((first, _)) = args.first() else {
        return Ok(None);
    };
    let device = first.device();
    for (other, _) in args {
        if !device.same_device(other.device()) {
            crate::bail!("{}: operands on {device:?} and {:?}", op.name(), other.device())
        }
    }
    let Some((storage, shape)) = device.erased().fused(op, args)? else {
        return Ok(None);
    };
    op.count();
    Ok(Some((device.own(storage), shape)))
}

/// A custom op's forward pass: by the backend if `fused` describes the op and the backend has a kernel, else by `cpu`.
pub(crate) fn forward<const N: usize>(
    name: &'static str,
    fused: Option<FusedOp<'_>>,
    args: [(&RocmStorage, &Layout); N],
    cpu: impl FnOnce([&CpuStorage; N]) -> Result<(CpuStorage, Shape)>,
) -> Result<(RocmStorage, Shape)> {
    if let Some(op) = fused {
        if let Some(result) = take(&op, &args)? {
            return Ok(result);
        }
    }
    fall_back(name)?;
    let device = args[0].0.device();
    let mut copies = Vec::with_capacity(N);
    for (storage, _) in args {
        copies.push(storage.to_cpu_storage()?);
    }
    let (storage, shape) = cpu(std::array::from_fn(|i| &copies[i]))?;
    Ok((device.storage_from_cpu_storage_owned(storage)?, shape))
}

/// An in-place op's forward pass, on the CPU.
pub(crate) fn forward_in_place<'a, const N: usize>(
    name: &'static str,
    dst: &mut RocmStorage,
    srcs: [(Src<'a, RocmStorage>, &'a Layout); N],
    cpu: impl for<'b> FnOnce(&mut CpuStorage, [(Src<'b, CpuStorage>, &'b Layout); N]) -> Result<()>,
) -> Result<()> {
    fall_back(name)?;
    let mut copies = Vec::with_capacity(N);
    for (src, _) in &srcs {
        copies.push(match src {
            Src::Distinct(storage) => Some(storage.to_cpu_storage()?),
            Src::Aliased(_) => None,
        });
    }
    let mut result = dst.to_cpu_storage()?;
    cpu(
        &mut result,
        std::array::from_fn(|i| match (&copies[i], srcs[i]) {
            (Some(copy), (_, layout)) => (Src::Distinct(copy), layout),
            (None, (Src::Aliased(relation), layout)) => (Src::Aliased(relation), layout),
            (None, (Src::Distinct(_), _)) => unreachable!("distinct sources were copied"),
        }),
    )?;
    *dst = dst.device().storage_from_cpu_storage_owned(result)?;
    Ok(())
}

/// Says, once per operation, that it runs on the CPU; an error if that is forbidden.
pub(super) fn fall_back(name: &'static str) -> Result<()> {
    static FORBIDDEN: OnceLock<bool> = OnceLock::new();
    static SAID: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

    let forbidden = FORBIDDEN.get_or_init(|| {
        std::env::var("CANDLE_ROCM_NO_FALLBACK").is_ok_and(|value| !value.is_empty() && value != "0")
    });
    if *forbidden {
        crate::bail!(
            "{name} has no ROCm implementation, and CANDLE_ROCM_NO_FALLBACK forbids running it on the CPU"
        )
    }
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(name) {
        eprintln!("candle: {name} has no ROCm implementation and runs on the CPU, with copies both ways");
    }
    Ok(())
}
