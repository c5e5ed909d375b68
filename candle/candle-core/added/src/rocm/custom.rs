//! Custom operations: the backend's fused kernel if it takes the offer, else the CPU.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::{FusedOp, RocmDevice, RocmStorage};
use crate::backend::{BackendDevice, BackendStorage};
use crate::custom_op::Src;
use crate::op::{BackpropOp, Op};
use crate::{CpuStorage, DeviceLocation, Layout, Result, Shape, Storage, Tensor};

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
    Ok(result.map(|(storage, shape)| {
        Tensor::from_storage(Storage::Rocm(storage), shape, BackpropOp::none(), false)
    }))
}

/// Tensors one behind the other, if they are on a ROCm device whose backend does so at once: candle copies one after the
/// other. Shapes were checked; None where dtypes differ or devices, of which candle complains.
pub(crate) fn cat<A: AsRef<Tensor>>(tensors: &[A], dim: usize) -> Result<Option<Tensor>> {
    let first = tensors[0].as_ref();
    let alike = |t: &Tensor| t.dtype() == first.dtype() && t.device().same_device(first.device());
    if !first.device().is_rocm() || !tensors.iter().all(|t| alike(t.as_ref())) {
        return Ok(None);
    }
    let guards: Vec<_> = tensors.iter().map(|t| t.as_ref().storage_and_layout()).collect();
    let operands = guards.iter().filter_map(|(storage, layout)| match &**storage {
        Storage::Rocm(storage) => Some((storage, *layout)),
        _ => None,
    });
    let result = take(&FusedOp::Cat { dim }, &operands.collect::<Vec<_>>())?;
    Ok(result.map(|(storage, shape)| {
        let op = BackpropOp::new(tensors, |tensors| Op::Cat(tensors, dim));
        Tensor::from_storage(Storage::Rocm(storage), shape, op, false)
    }))
}

/// Running sums of floats at once, if no gradient is asked for, which candle has of its product with a triangular matrix.
pub(crate) fn cumsum(x: &Tensor, dim: usize) -> Result<Option<Tensor>> {
    if x.track_op() || !x.dtype().is_float() {
        return Ok(None);
    }
    offer(&FusedOp::CumSum { dim }, &[x])
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
    let result = device.erased().fused(op, args)?;
    op.count(result.is_some());
    Ok(result.map(|(storage, shape)| (device.own(storage), shape)))
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
    let device = args[0].0.device();
    fall_back(name, device)?;
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
    fall_back(name, dst.device())?;
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

/// Makes custom operations without a ROCm implementation errors in this process, as `CANDLE_ROCM_NO_FALLBACK=1` does.
pub fn forbid_fallback() {
    FORBIDDEN_IN_CODE.store(true, Ordering::Relaxed);
}

static FORBIDDEN_IN_CODE: AtomicBool = AtomicBool::new(false);

/// Says, once per operation, that it runs on the CPU; an error if that is forbidden.
pub(super) fn fall_back(name: &'static str, device: &RocmDevice) -> Result<()> {
    static FORBIDDEN: OnceLock<bool> = OnceLock::new();
    static SAID: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

    // A backend that is the CPU does not fall.
    if device.location() == DeviceLocation::Cpu {
        return Ok(());
    }
    let forbidden = FORBIDDEN.get_or_init(|| {
        std::env::var("CANDLE_ROCM_NO_FALLBACK").is_ok_and(|value| !value.is_empty() && value != "0")
    });
    if *forbidden || FORBIDDEN_IN_CODE.load(Ordering::Relaxed) {
        crate::bail!("{name} has no ROCm implementation, and running it on the CPU is forbidden")
    }
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(name) {
        eprintln!("candle: {name} has no ROCm implementation and runs on the CPU, with copies both ways");
    }
    Ok(())
}
