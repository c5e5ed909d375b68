//! The same call on candle's CPU and on the devices, compared element by element.
//!
//! A test names the call ([`Call`]), its operands ([`Operand`], the same memory on the CPU and on every device) and
//! layouts over them; how far results may differ stands in one table ([`tolerance`]).

#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    unused_macros,
    reason = "each test binary uses its part"
)]

pub mod attention;
pub mod bits;
pub mod calls;
pub mod data;
pub mod tolerance;
pub mod views;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, DType, Layout, Result};
use candle_rocm::{RocmDevice, RocmError, RocmStorage};

use tolerance::{Reference, Rule};

/// The dtypes that kernels exist for.
pub const DTYPES: [DType; 10] = [
    DType::U8,
    DType::U32,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::BF16,
    DType::F16,
    DType::F32,
    DType::F64,
    DType::F8E4M3,
];

/// Those that products, norms and softmax have.
pub const FLOATS: [DType; 4] = [DType::F32, DType::F64, DType::F16, DType::BF16];

/// One for each size of elements.
pub const OF_EACH_SIZE: [DType; 4] = [DType::U8, DType::F16, DType::F32, DType::F64];

/// The packed formats, which candle carries around: no kernel has them.
pub const PACKED: [DType; 4] = [DType::F4, DType::F6E2M3, DType::F6E3M2, DType::F8E8M0];

/// Calls a generic function for each of them.
macro_rules! each_dtype {
    ($check:ident($($args:expr),*)) => {{
        $check::<u8>($($args),*);
        $check::<u32>($($args),*);
        $check::<i16>($($args),*);
        $check::<i32>($($args),*);
        $check::<i64>($($args),*);
        $check::<half::bf16>($($args),*);
        $check::<half::f16>($($args),*);
        $check::<f32>($($args),*);
        $check::<f64>($($args),*);
        $check::<float8::F8E4M3>($($args),*);
    }};
}
pub(crate) use each_dtype;

/// Those of them with fractions.
pub fn float_dtypes() -> impl Iterator<Item = DType> {
    DTYPES.into_iter().filter(DType::is_float)
}

/// Those of them without.
pub fn int_dtypes() -> impl Iterator<Item = DType> {
    DTYPES.into_iter().filter(DType::is_int)
}

/// An operation that any backend can be asked for.
pub trait Call {
    /// Its name in the tolerance table.
    fn name(&self) -> &'static str;
    /// The operation.
    fn run<S: BackendStorage>(&self, args: &[(&S, &Layout)]) -> Result<S>;
}

/// The same elements on the CPU and on each device.
pub struct Operand {
    pub cpu: CpuStorage,
    pub rocm: Vec<RocmStorage>,
}

impl Operand {
    pub fn new(devices: &[RocmDevice], cpu: CpuStorage) -> Self {
        let rocm =
            devices.iter().map(|device| device.storage_from_cpu_storage(&cpu).expect("upload")).collect();
        Self { cpu, rocm }
    }

    pub fn dtype(&self) -> DType {
        self.cpu.dtype()
    }
}

/// Runs `call` on the CPU and on every device; panics with the first differences.
pub fn check<C: Call>(call: &C, args: &[(&Operand, &Layout)]) {
    let rule = tolerance::rule(call.name());
    let want = reference(call, args, rule).expect("the reference");
    check_against(call, args, &want, rule);
}

/// Runs `call` on every device and compares with `want`.
pub fn check_against<C: Call>(call: &C, args: &[(&Operand, &Layout)], want: &CpuStorage, rule: &Rule) {
    let devices = args[0].0.rocm.len();
    for index in 0..devices {
        let on_device: Vec<_> =
            args.iter().map(|(operand, layout)| (&operand.rocm[index], *layout)).collect();
        let context = || {
            let layouts: Vec<_> = args.iter().map(|(operand, l)| (operand.dtype(), l)).collect();
            format!("{} on {}, operands {layouts:?}", call.name(), on_device[0].0.device().label())
        };
        let got = match call.run(&on_device).and_then(|out| out.to_cpu_storage()) {
            Ok(got) => got,
            Err(error) => panic!("{}: {error}", context()),
        };
        if let Err(difference) = bits::compare(&got, want, rule) {
            panic!("{}: {difference}", context());
        }
    }
}

/// Applies the same change to the CPU's and each device's memory, and compares all of it: what must not change too.
pub fn check_change(
    what: &str,
    operand: &mut Operand,
    cpu: impl Fn(&mut CpuStorage) -> candle_core::Result<()>,
    rocm: impl Fn(usize, &mut RocmStorage) -> candle_core::Result<()>,
) {
    cpu(&mut operand.cpu).unwrap_or_else(|error| panic!("{what} on the CPU: {error}"));
    for (index, storage) in operand.rocm.iter_mut().enumerate() {
        let label = storage.device().label();
        rocm(index, storage).unwrap_or_else(|error| panic!("{what} on {label}: {error}"));
        let got = storage.to_cpu_storage().expect("download");
        if let Err(difference) = bits::compare(&got, &operand.cpu, &tolerance::EXACT) {
            panic!("{what} on {label}: {difference}");
        }
    }
}

/// What candle's CPU says, in the precision that the rule asks for.
fn reference<C: Call>(call: &C, args: &[(&Operand, &Layout)], rule: &Rule) -> Result<CpuStorage> {
    let dtype = args[0].0.dtype();
    if dtype == DType::F8E4M3 && call.name() == "to_dtype" {
        // candle 0.11.1's own conversion from f8 to f64 never returns (`WithDType::to_f64` calls itself). Every f8 is an
        // f32, so the way through f32 is exact.
        let wide = convert(&args[0].0.cpu, DType::F32)?;
        return call.run(&[(&wide, args[0].1)]);
    }
    let narrow = matches!(dtype, DType::F16 | DType::BF16 | DType::F8E4M3);
    if narrow && rule.reference == Reference::RoundedOnce {
        let wide =
            args.iter().map(|(operand, _)| convert(&operand.cpu, DType::F32)).collect::<Result<Vec<_>>>()?;
        let args: Vec<_> = wide.iter().zip(args).map(|(wide, (_, layout))| (wide, *layout)).collect();
        return convert(&call.run(&args)?, dtype);
    }
    let args: Vec<_> = args.iter().map(|(operand, layout)| (&operand.cpu, *layout)).collect();
    call.run(&args)
}

/// The whole storage in another dtype.
pub fn convert(storage: &CpuStorage, dtype: DType) -> Result<CpuStorage> {
    storage.to_dtype(&Layout::contiguous(len(storage)), dtype)
}

/// Elements of a storage.
pub fn len(storage: &CpuStorage) -> usize {
    macro_rules! len {
        ($($variant:ident)*) => { match storage { $(CpuStorage::$variant(data) => data.len(),)* } };
    }
    len!(U8 U32 I16 I32 I64 BF16 F16 F32 F64 F8E4M3 F6E2M3 F6E3M2 F4 F8E8M0)
}

/// The typed error inside of candle's.
pub fn rocm_error(error: &candle_core::Error) -> &RocmError {
    RocmError::of(error).unwrap_or_else(|| panic!("no RocmError: {error:?}"))
}
