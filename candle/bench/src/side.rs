//! The compared backends, with identical operands on each.

use std::cell::RefCell;
use std::collections::HashMap;

use candle_core::{DType, Device, Result, Tensor, bail};
use candle_rocm::hip::Platform;
use candle_rocm::platform::{self, NVIDIA};
use candle_rocm::{Fusion, RocmDevice, Tuning};
use half::{bf16, f16};

/// A device of one of the backends.
pub(crate) struct Side {
    pub(crate) device: Device,
    /// candle-rocm's device, if this is one.
    pub(crate) rocm: Option<RocmDevice>,
    pub(crate) name: &'static str,
    operands: RefCell<HashMap<Operand, Tensor>>,
}

/// Identifies an operand: its contents, shape and type.
type Operand = (Kind, Vec<usize>, DType);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    /// Uniform in [-1, 1], with the seed.
    Uniform(u64),
    /// Integers below the bound.
    Below(u32),
}

impl Side {
    /// candle-rocm on the platform set in the environment. By default this is `nvidia` if candle's CUDA backend is compiled in, else
    /// `amd`.
    pub(crate) fn ours() -> anyhow::Result<Self> {
        let platform = match std::env::var_os("CANDLE_ROCM_PLATFORM") {
            None if cfg!(feature = "cuda") => NVIDIA,
            _ => platform::from_env()?,
        };
        Self::on(platform)
    }

    /// candle-rocm on the platform's first device.
    pub(crate) fn on(platform: Platform) -> anyhow::Result<Self> {
        let rocm = RocmDevice::on(platform, 0)?;
        Ok(Self::new(Device::from(rocm.clone()), Some(rocm), "candle-rocm"))
    }

    /// candle-rocm as [`Side::ours`], by its fixed choices.
    pub(crate) fn fixed() -> anyhow::Result<Self> {
        let side = Self { name: "candle-rocm's fixed choices", ..Self::ours()? };
        side.rocm.iter().for_each(|rocm| rocm.set_tuning(Tuning::Off));
        Ok(side)
    }

    /// candle's CUDA backend.
    pub(crate) fn cuda() -> anyhow::Result<Self> {
        anyhow::ensure!(
            cfg!(feature = "cuda"),
            "this program was built without candle's CUDA backend; build it with `cargo xtask bench`"
        );
        let device = Device::new_cuda(0)?;
        #[cfg(feature = "cuda")]
        crate::memory_pool::keep()?;
        Ok(Self::new(device, None, "candle CUDA"))
    }

    /// candle's CPU backend.
    pub(crate) fn cpu() -> Self {
        Self::new(Device::Cpu, None, "candle CPU")
    }

    fn new(device: Device, rocm: Option<RocmDevice>, name: &'static str) -> Self {
        Self { device, rocm, name, operands: RefCell::default() }
    }

    pub(crate) fn is_ours(&self) -> bool {
        self.rocm.is_some()
    }

    /// Waits until all queued work is done.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.device.synchronize()
    }

    /// What was recorded is launched: nobody reads the results of calls that are timed, so they would not be computed.
    pub(crate) fn submit(&self) {
        if let Some(rocm) = &self.rocm {
            rocm.flush();
        }
    }

    /// Repeats a batch until its kernels are worth compiling, and waits for them.
    pub(crate) fn warm<R>(&self, mut batch: impl FnMut() -> Result<R>) -> Result<()> {
        let Some(rocm) = self.rocm.as_ref().filter(|rocm| rocm.fusion() == Fusion::On) else { return Ok(()) };
        for _ in 0..3 {
            batch()?;
        }
        Ok(rocm.finish_compiling()?)
    }

    /// Classes of shapes whose candidates take turns.
    pub(crate) fn undecided(&self) -> usize {
        self.rocm.as_ref().map_or(0, |rocm| rocm.tuning_report().undecided)
    }

    /// Frees the operands.
    pub(crate) fn clear(&self) {
        self.operands.borrow_mut().clear();
    }

    /// Numbers in [-1, 1].
    pub(crate) fn uniform(&self, dims: &[usize], dtype: DType) -> Result<Tensor> {
        self.uniform_seeded(0, dims, dtype)
    }

    /// Numbers in [-1, 1] from the given seed.
    pub(crate) fn uniform_seeded(&self, seed: u64, dims: &[usize], dtype: DType) -> Result<Tensor> {
        self.operand(Kind::Uniform(seed), dims, dtype)
    }

    /// Integers below `bound`, as indices (u32) or conditions (u8).
    pub(crate) fn below(&self, bound: u32, dims: &[usize], dtype: DType) -> Result<Tensor> {
        self.operand(Kind::Below(bound), dims, dtype)
    }

    fn operand(&self, kind: Kind, dims: &[usize], dtype: DType) -> Result<Tensor> {
        let key = (kind, dims.to_vec(), dtype);
        if let Some(known) = self.operands.borrow().get(&key) {
            return Ok(known.clone());
        }
        let count = dims.iter().product();
        let seed = match kind {
            Kind::Uniform(seed) => seed,
            Kind::Below(bound) => 1000 + u64::from(bound),
        };
        let tensor = match (kind, dtype) {
            (Kind::Uniform(_), DType::F32) => {
                Tensor::from_vec(numbers(count, seed, |x| x), dims, &Device::Cpu)
            }
            (Kind::Uniform(_), DType::F16) => {
                Tensor::from_vec(numbers(count, seed, f16::from_f32), dims, &Device::Cpu)
            }
            (Kind::Uniform(_), DType::BF16) => {
                Tensor::from_vec(numbers(count, seed, bf16::from_f32), dims, &Device::Cpu)
            }
            (Kind::Below(bound), DType::U32) => {
                Tensor::from_vec(numbers(count, seed, |x| integer(x, bound)), dims, &Device::Cpu)
            }
            (Kind::Below(bound), DType::U8) => {
                Tensor::from_vec(numbers(count, seed, |x| integer(x, bound) as u8), dims, &Device::Cpu)
            }
            _ => bail!("operands of type {} are not supported", dtype.as_str()),
        }?
        .to_device(&self.device)?;
        self.operands.borrow_mut().insert(key, tensor.clone());
        Ok(tensor)
    }
}

fn integer(x: f32, bound: u32) -> u32 {
    (((f64::from(x) + 1.) / 2. * f64::from(bound)) as u32).min(bound - 1)
}

/// `count` numbers that depend only on the seed, generated on all cores.
pub(crate) fn numbers<T: Copy + Default + Send>(
    count: usize,
    seed: u64,
    convert: impl Fn(f32) -> T + Sync,
) -> Vec<T> {
    let mut values = vec![T::default(); count];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let part = count.div_ceil(threads).max(1 << 16);
    std::thread::scope(|scope| {
        for (i, values) in values.chunks_mut(part).enumerate() {
            let convert = &convert;
            scope.spawn(move || {
                for (j, value) in values.iter_mut().enumerate() {
                    *value = convert(number(seed, (i * part + j) as u64));
                }
            });
        }
    });
    values
}

/// The element at an index, in [-1, 1], by SplitMix64.
fn number(seed: u64, index: u64) -> f32 {
    let mut x = (seed << 40).wrapping_add(index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) >> 40) as f32 / (1 << 23) as f32 - 1.
}
