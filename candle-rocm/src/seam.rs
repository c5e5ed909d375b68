//! candle's ROCm devices, where candle-core has them: this crate as their backend.

mod cuda;
mod kernels;
mod quantized;
mod tensor;

use candle_core::quantized::GgmlDType;
use candle_core::rocm::{self, AsCuda, Backend, FusedOp, Registration};
use candle_core::{Device, Layout, Result, Shape};

use crate::attention::{Attention, FullyMasked};
use crate::common::fused::{Backward, Fused};
use crate::common::operand::Operand;
use crate::common::operation::{Op, Operands};
use crate::conv::Convolve;
use crate::fusion::{Operation, record};
use crate::hip::{HipError, Platform, Runtime, variable, warning};
use crate::layout::cat::Cat;
use crate::lock::{Mutex, OpenDevices};
use crate::nn::experts::Moe;
use crate::nn::group_norm::GroupNorm;
use crate::nn::norm::{LayerNorm, RmsNorm};
use crate::nn::rotary::Arrangement;
use crate::nn::sigmoid::Sigmoid;
use crate::nn::softmax::SoftmaxLastDim;
use crate::platform;
use crate::quantized::QStorage;
use crate::reduce::scan::CumSum;
use crate::reduce::sort::ArgSort;
use crate::{Convolution, RocmDevice, RocmError, RocmStorage};
pub use tensor::{tensor_from_buffer, tensor_into_buffer};

/// Answers candle's offer of a fused operation with `$body`, where `$operation` is that operation as its family has it. Those that are
/// not here are composed of candle's operations.
macro_rules! with_operation {
    ($fused:expr, $args:expr, $operation:ident => $body:expr) => {
        with_operation!(@arms $fused, $operation => $body, {
            FusedOp::Sigmoid => Sigmoid,
            FusedOp::SoftmaxLastDim => SoftmaxLastDim,
            FusedOp::RmsNorm { eps } => RmsNorm { eps },
            FusedOp::LayerNorm { eps } => LayerNorm { eps },
            FusedOp::GroupNorm { groups, eps } => GroupNorm { groups, eps },
            FusedOp::Rope => Arrangement::Halves,
            FusedOp::RopeInterleaved => Arrangement::Neighbours,
            FusedOp::RopeThd => Arrangement::Thd,
            FusedOp::Convolution(params) => Convolve::new(Convolution::from(params), rank($args)),
            FusedOp::Cat { dim } => Cat { dim },
            FusedOp::CumSum { dim } => CumSum { dim, reverse: false },
            FusedOp::ArgSort { ascending } => ArgSort { ascending, last_dim: last_dim($args) },
            FusedOp::Sdpa { scale, softcapping, causal } => {
                Attention { scale, softcapping, causal, fully_masked: FullyMasked::Zeros }
            },
            FusedOp::Moe { topk, .. } => Moe { topk },
        })
    };
    (@arms $fused:expr, $operation:ident => $body:expr, { $($offer:pat => $own:expr,)* }) => {
        match *$fused {
            $($offer => {
                let $operation = $own;
                $body
            })*
            // candle-nn takes products of quantized experts, one by one, where a backend has no kernel for all.
            _ => Ok(None),
        }
    };
}

fn rank(args: &[Operand<'_>]) -> usize {
    args.first().map_or(0, |(_, layout)| layout.dims().len())
}

fn last_dim(args: &[Operand<'_>]) -> usize {
    args.first().and_then(|(_, layout)| layout.dims().last().copied()).unwrap_or(1)
}

/// candle's list of operands, or of what belongs to each of them, by their names.
fn named<T, O: Op>(op: &O, list: impl IntoIterator<Item = T>) -> Result<O::Operands<T>> {
    let message = || "candle offers it with operands of another operation".to_owned();
    Ok(<O::Operands<T> as Operands<T>>::named(list)
        .ok_or_else(|| RocmError::InvalidArgument { op: op.name(), message: message() })?)
}

/// Records an operation, or runs it; `None` if there is no kernel for its dtype.
fn forward<O: Fused + Into<Operation>>(op: O, args: &[Operand<'_>]) -> Result<Option<(RocmStorage, Shape)>> {
    if !args.first().is_some_and(|(first, _)| op.takes(first.dtype())) {
        return Ok(None);
    }
    let operands = named(&op, args.iter().copied())?;
    let result = record(op.clone(), operands)?;
    Ok(Some((result, op.shape(&named(&op, args.iter().copied())?))))
}

/// The gradients of those operands that want one; `None` if there is no kernel for them.
fn backward<O: Fused>(
    op: &O,
    args: &[Operand<'_>],
    y: Operand<'_>,
    dy: Operand<'_>,
    wanted: &[bool],
) -> Result<Option<Vec<Option<RocmStorage>>>> {
    if !args.first().is_some_and(|(first, _)| op.takes(first.dtype())) {
        return Ok(None);
    }
    let (operands, wanted) = (named(op, args.iter().copied())?, named(op, wanted.iter().copied())?);
    let gradients = op.backward(Backward { operands, wanted, y, dy })?;
    Ok(gradients.map(|gradients| gradients.list().into_vec()))
}

impl Backend for RocmDevice {
    fn quantized_zeros(
        &self,
        elem_count: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn rocm::QuantizedStorage>>> {
        Ok(Some(Box::new(QStorage::zeros(self, elem_count, dtype)?)))
    }

    fn quantized_from_source(
        &self,
        source: &mut rocm::Source<'_>,
        size: usize,
        dtype: GgmlDType,
    ) -> Result<Option<Box<dyn rocm::QuantizedStorage>>> {
        Ok(Some(Box::new(quantized::read(self, source, size, dtype.into())?)))
    }

    fn copy_of(&self, source: &RocmStorage) -> Result<RocmStorage> {
        Ok(source.copy_to(self)?)
    }

    fn fused(
        &self,
        op: &FusedOp<'_>,
        args: &[(&RocmStorage, &Layout)],
    ) -> Result<Option<(RocmStorage, Shape)>> {
        with_operation!(op, args, operation => forward(operation, args))
    }

    fn fused_backward(
        &self,
        op: &FusedOp<'_>,
        args: &[(&RocmStorage, &Layout)],
        result: (&RocmStorage, &Layout),
        grad: (&RocmStorage, &Layout),
        wanted: &[bool],
    ) -> Result<Option<Vec<Option<RocmStorage>>>> {
        let read: Vec<_> = args.iter().copied().chain([result, grad]).collect();
        self.observe(
            op.backward_name(),
            &read,
            || with_operation!(op, args, operation => backward(&operation, args, result, grad, wanted)),
        )
    }
}

/// A device of its own, with a stream, a pool and a generator that `Device::new_rocm` does not share.
impl From<RocmDevice> for Device {
    fn from(device: RocmDevice) -> Self {
        Device::from(wrap(device))
    }
}

/// Registers this backend, so that `Device::new_rocm` works. On Linux, Windows and macOS, programs need not call it: it runs when a program
/// is loaded that uses the patched candle-nn or mentions this crate (`use candle_rocm as _;`). Returns `false` if another backend was
/// already registered.
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
    static OPEN: Mutex<Vec<(Platform, usize, rocm::RocmDevice)>, OpenDevices> = Mutex::new(Vec::new());

    let platform = platform::current()?;
    // Before the lock, which a thread of the process that this one was forked from may have held.
    Runtime::get(platform).map_err(RocmError::from)?;
    let mut open = OPEN.lock();
    if let Some((_, _, device)) = open.iter().find(|(p, o, _)| (*p, *o) == (platform, ordinal)) {
        return Ok(device.clone());
    }
    let device = wrap(RocmDevice::on(platform, ordinal)?);
    open.push((platform, ordinal, device.clone()));
    Ok(device)
}
