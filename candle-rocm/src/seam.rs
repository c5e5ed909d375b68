//! candle's `Device::Rocm`, where candle-core has it: this crate as its backend.

mod backward;
mod quantized;

use std::sync::{Mutex, PoisonError};

use candle_core::backend::BackendStorage;
use candle_core::quantized::GgmlDType;
use candle_core::rocm::{self, Backend, FusedOp, Registration};
use candle_core::{Device, Layout, Result, Shape};

use crate::count::elem_count;
use crate::hip::{Platform, Runtime};
use crate::platform;
use crate::quantized::QStorage;
use crate::{Convolution, RocmDevice, RocmError, RocmStorage, nn};

impl Backend for RocmDevice {
    fn quantized_zeros(
        &self,
        elem_count: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn rocm::QuantizedStorage>>> {
        Ok(Some(Box::new(QStorage::zeros(self, elem_count, dtype)?)))
    }

    fn quantized_from_data(
        &self,
        data: &[u8],
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn rocm::QuantizedStorage>>> {
        Ok(Some(Box::new(QStorage::from_data(self, data, dtype)?)))
    }

    fn copy_of(&self, source: &RocmStorage) -> Result<RocmStorage> {
        Ok(source.copy_to(self)?)
    }

    fn fused(
        &self,
        op: &FusedOp<'_>,
        args: &[(&RocmStorage, &Layout)],
    ) -> Result<Option<(RocmStorage, Shape)>> {
        let Some((x, x_l)) = args.first().copied() else { return Ok(None) };
        // What is declined goes to the CPU: no kernel is one thing, operands that fit none an error that says so.
        let floats = nn::floats("", x).is_ok();
        let storage = match (op, &args[1..]) {
            (FusedOp::Sigmoid, []) if x.dtype().is_float() => nn::sigmoid(x, x_l)?,
            (FusedOp::SoftmaxLastDim, []) if floats => nn::softmax_last_dim(x, x_l)?,
            (FusedOp::RmsNorm { eps }, [alpha]) if floats => nn::rms_norm(x, x_l, Some(*alpha), *eps)?,
            (FusedOp::LayerNorm { eps }, [alpha, beta]) if floats => {
                nn::layer_norm(x, x_l, Some(*alpha), Some(*beta), *eps)?
            }
            (FusedOp::GroupNorm { groups, eps }, [alpha, beta]) if floats => {
                nn::group_norm(x, x_l, *alpha, *beta, *groups, *eps)?
            }
            (FusedOp::Rope, [cos, sin]) if floats => nn::rope(x, x_l, *cos, *sin)?,
            (FusedOp::RopeInterleaved, [cos, sin]) if floats => nn::rope_i(x, x_l, *cos, *sin)?,
            (FusedOp::RopeThd, [cos, sin]) if floats => nn::rope_thd(x, x_l, *cos, *sin)?,
            (FusedOp::Sdpa { scale, softcapping, causal }, [k, v, rest @ ..])
                if nn::has_products(x.dtype()) =>
            {
                let attention = nn::Attention { scale: *scale, softcapping: *softcapping, causal: *causal };
                let y = nn::sdpa((x, x_l), *k, *v, rest.first().copied(), attention)?;
                let mut dims = x_l.dims().to_vec();
                dims[3] = v.1.dims()[3];
                return Ok(Some((y, Shape::from(dims))));
            }
            (FusedOp::Moe { topk, .. }, [weights, rows, experts, rest @ ..])
                if nn::has_products(x.dtype()) =>
            {
                let y = nn::moe_gemm((x, x_l), *weights, *rows, *experts, rest.first().copied(), *topk)?;
                let count = elem_count("moe_gemm", rows.1.dims())?;
                return Ok(Some((y, Shape::from((count, weights.1.dims()[1])))));
            }
            (FusedOp::Cat { dim }, _) => {
                let mut dims = x_l.dims().to_vec();
                dims[*dim] = args.iter().fold(0, |sum, (_, layout)| sum.saturating_add(layout.dims()[*dim]));
                return Ok(Some((RocmStorage::cat(args, *dim)?, Shape::from(dims))));
            }
            (FusedOp::Convolution(p), [kernel]) => {
                return Ok(Some(convolution((x, x_l), *kernel, *p)?));
            }
            (FusedOp::CumSum { dim }, []) if floats => x.cumsum(x_l, *dim)?,
            (FusedOp::ArgSort { ascending }, []) => {
                x.argsort(x_l, *ascending, x_l.dims().last().copied().unwrap_or(1))?
            }
            _ => return Ok(None),
        };
        Ok(Some((storage, x_l.shape().clone())))
    }

    fn fused_backward(
        &self,
        op: &FusedOp<'_>,
        args: &[(&RocmStorage, &Layout)],
        result: (&RocmStorage, &Layout),
        grad: (&RocmStorage, &Layout),
        wanted: &[bool],
    ) -> Result<Option<Vec<Option<RocmStorage>>>> {
        backward::gradients(op, args, result, grad, wanted)
    }
}

/// A device of its own, with a stream, a pool and a generator that `Device::new_rocm` does not share.
impl From<RocmDevice> for Device {
    fn from(device: RocmDevice) -> Self {
        Device::Rocm(rocm::RocmDevice::wrap(device))
    }
}

/// Makes `Device::new_rocm` work. Programs need not call it on Linux, Windows and macOS: it is called when they are loaded, if
/// they mention this crate (`use candle_rocm as _;`). False if another backend was there before.
pub fn register() -> bool {
    rocm::register(Registration { name: "candle-rocm", count, open })
}

#[used]
#[cfg_attr(any(target_os = "linux", target_os = "android"), unsafe(link_section = ".init_array"))]
#[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
static REGISTER: extern "C" fn() = {
    extern "C" fn at_load() {
        // Before main there is nobody to tell; a second copy of this crate in the program loses.
        let _ = register();
    }
    at_load
};

fn count() -> Result<usize> {
    let count = Runtime::get(platform::current()?).and_then(Runtime::device_count);
    Ok(count.map_err(RocmError::from)?)
}

/// One device per number: tensors of a program that asks twice for `Device::new_rocm(0)` mix.
fn open(ordinal: usize) -> Result<rocm::RocmDevice> {
    static OPEN: Mutex<Vec<(Platform, usize, rocm::RocmDevice)>> = Mutex::new(Vec::new());

    let platform = platform::current()?;
    // Before the lock, which a thread of the process that this one was forked from may have held.
    Runtime::get(platform).map_err(RocmError::from)?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, _, device)) = open.iter().find(|(p, o, _)| (*p, *o) == (platform, ordinal)) {
        return Ok(device.clone());
    }
    let device = rocm::RocmDevice::wrap(RocmDevice::on(platform, ordinal)?);
    open.push((platform, ordinal, device.clone()));
    Ok(device)
}

fn convolution(
    (x, x_l): (&RocmStorage, &Layout),
    kernel: (&RocmStorage, &Layout),
    p: rocm::Convolution,
) -> Result<(RocmStorage, Shape)> {
    let p = Convolution::from(p);
    let dims = p.output_dims(x_l.dims(), kernel.1.dims())?;
    Ok((x.convolve(x_l, kernel, &p)?, Shape::from(dims)))
}

impl From<rocm::Convolution> for Convolution {
    fn from(p: rocm::Convolution) -> Self {
        Self {
            padding: p.padding,
            stride: p.stride,
            dilation: p.dilation,
            groups: p.groups,
            transposed: p.transposed,
            output_padding: p.output_padding,
        }
    }
}
