//! candle's ROCm devices, where candle-core has them: this crate as their backend.

mod cuda;
mod kernels;
mod quantized;
mod tensor;

use std::sync::{Mutex, PoisonError};

use candle_core::quantized::GgmlDType;
use candle_core::rocm::{self, AsCuda, Backend, FusedOp, Registration};
use candle_core::{Device, Layout, Result, Shape};

use crate::common::fused::{Backward, Fused};
use crate::fusion::{Operation, try_record};
use crate::hip::{HipError, Platform, Runtime, variable, warning};
use crate::nn::rotary::Arrangement;
use crate::nn::{experts, group_norm, norm, sigmoid, softmax};
use crate::platform;
use crate::quantized::QStorage;
use crate::reduce::{scan, sort};
use crate::{Convolution, RocmDevice, RocmError, RocmStorage, layout, nn};
pub use tensor::{tensor_from_buffer, tensor_into_buffer};

/// The fused operations that this crate has, each with what its room says of it. Gradients of operations that are not here, or
/// whose room has none, are composed of candle's operations.
fn with<R>(op: &FusedOp<'_>, run: impl FnOnce(&dyn Fused) -> R) -> Option<R> {
    Some(match *op {
        FusedOp::Sigmoid => run(&sigmoid::fused::Sigmoid),
        FusedOp::SoftmaxLastDim => run(&softmax::fused::SoftmaxLastDim),
        FusedOp::RmsNorm { eps } => run(&norm::fused::RmsNorm { eps }),
        FusedOp::LayerNorm { eps } => run(&norm::fused::LayerNorm { eps }),
        FusedOp::GroupNorm { groups, eps } => run(&group_norm::fused::GroupNorm { groups, eps }),
        FusedOp::Rope => run(&Arrangement::Halves),
        FusedOp::RopeInterleaved => run(&Arrangement::Neighbours),
        FusedOp::RopeThd => run(&Arrangement::Thd),
        FusedOp::Convolution(p) => run(&Convolution::from(p)),
        FusedOp::Cat { dim } => run(&layout::cat::fused::Cat { dim }),
        FusedOp::CumSum { dim } => run(&scan::fused::CumSum { dim }),
        FusedOp::ArgSort { ascending } => run(&sort::fused::ArgSort { ascending }),
        FusedOp::Sdpa { scale, softcapping, causal } => {
            run(&nn::Attention { scale, softcapping, causal, fully_masked: nn::FullyMasked::Zeros })
        }
        FusedOp::Moe { topk, .. } => run(&experts::fused::Moe { topk }),
        // candle-nn takes products of quantized experts, one by one, where a backend has no kernel for all.
        _ => return None,
    })
}

/// The operation, if it can be recorded, and its result.
fn recorded(op: &FusedOp<'_>, args: &[(&RocmStorage, &Layout)]) -> Option<(RocmStorage, Shape)> {
    let operation = match (*op, args) {
        (FusedOp::SoftmaxLastDim, [_]) => Operation::Softmax,
        (FusedOp::RmsNorm { eps }, [_, _]) => Operation::RmsNorm { eps },
        (FusedOp::LayerNorm { eps }, [_, _, _]) => Operation::LayerNorm { eps },
        (FusedOp::GroupNorm { groups, eps }, [_, _, _]) => Operation::GroupNorm { groups, eps },
        (FusedOp::Rope, [_, _, _]) => Operation::Rope(Arrangement::Halves),
        (FusedOp::RopeInterleaved, [_, _, _]) => Operation::Rope(Arrangement::Neighbours),
        (FusedOp::RopeThd, [_, _, _]) => Operation::Rope(Arrangement::Thd),
        (FusedOp::Cat { dim }, [_, ..]) => Operation::Cat { dim },
        _ => return None,
    };
    let recorded = try_record(&operation, args)?;
    let mut dims = args[0].1.dims().to_vec();
    if let Operation::Cat { dim } = operation {
        dims[dim] = args.iter().map(|(_, layout)| layout.dims()[dim]).sum();
    }
    Some((recorded, Shape::from(dims)))
}

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
        if let Some(recorded) = recorded(op, args) {
            return Ok(Some(recorded));
        }
        self.observe(op.name(), args, || with(op, |op| op.forward(args)).unwrap_or(Ok(None)))
    }

    fn fused_backward(
        &self,
        op: &FusedOp<'_>,
        args: &[(&RocmStorage, &Layout)],
        result: (&RocmStorage, &Layout),
        grad: (&RocmStorage, &Layout),
        wanted: &[bool],
    ) -> Result<Option<Vec<Option<RocmStorage>>>> {
        let pass = Backward { args, y: result, dy: grad, wanted };
        let operands: Vec<_> = args.iter().copied().chain([result, grad]).collect();
        self.observe(op.backward_name(), &operands, || with(op, |op| op.backward(&pass)).unwrap_or(Ok(None)))
    }
}

/// A device of its own, with a stream, a pool and a generator that `Device::new_rocm` does not share.
impl From<RocmDevice> for Device {
    fn from(device: RocmDevice) -> Self {
        Device::from(wrap(device))
    }
}

/// Makes `Device::new_rocm` work. Programs need not call it on Linux, Windows and macOS: it is called when they are loaded, if
/// they use the patched candle-nn or mention this crate (`use candle_rocm as _;`). False if another backend was there before.
pub fn register() -> bool {
    let is_first = rocm::register(Registration { name: "candle-rocm", count, open });
    if is_first {
        rocm::as_cuda_unless_set(as_cuda);
    }
    is_first
}

/// What `CANDLE_ROCM_AS_CUDA` says, for candle, which reads no variables of this crate.
fn as_cuda() -> Option<AsCuda> {
    let choices = [("on", AsCuda::On), ("devices", AsCuda::Devices), ("off", AsCuda::Off)];
    variable::choice("CANDLE_ROCM_AS_CUDA", &choices)
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
    let count = platform::current().and_then(|platform| Ok(Runtime::get(platform)?.device_count()?));
    Ok(count.inspect_err(tell)?)
}

/// Whoever asks for a device if there is one takes the CPU after an error. That there is no card, or no ROCm, is no news; that a variable
/// or the program asked for something else is.
fn tell(error: &RocmError) {
    use HipError::{InvalidVariable, Load, PlatformUnavailable, UnknownPlatform};

    let RocmError::Hip(error) = error else { return };
    let asked = match error {
        UnknownPlatform { .. } | InvalidVariable { .. } => true,
        Load { platform, .. } | PlatformUnavailable { platform, .. } => *platform != platform::AMD.name(),
        _ => false,
    };
    if asked {
        warning::once(&format!("there is no ROCm device: {error}"));
    }
}

/// A device for candle, which knows no variables of this crate.
fn wrap(device: RocmDevice) -> rocm::RocmDevice {
    if variable::switch("CANDLE_ROCM_NO_FALLBACK") == Some(true) {
        rocm::forbid_fallback();
    }
    rocm::RocmDevice::wrap(device)
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
    let device = wrap(RocmDevice::on(platform, ordinal)?);
    open.push((platform, ordinal, device.clone()));
    Ok(device)
}
