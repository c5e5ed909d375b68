//! Functions of one tensor, with or without a parameter; launches `unary.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::UNARY;

use super::operands::Operands;
use crate::common::map::Map1;
use crate::common::operand::Operand;
use crate::common::operation::{Described, One, Op, text};
use crate::hip::Buffer;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

/// candle's function of that name, by the name of its kernels.
#[derive(Clone, Copy)]
pub(crate) struct Unary {
    pub(crate) op: &'static str,
    pub(crate) kernel: &'static str,
}

impl Op for Unary {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        self.op
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.extend(text(self.kernel));
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        takes(self.kernel, x.dtype).then_some((x.len, x.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        One { x: (x, layout) }: One<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(self.map(device, x.slice()?, layout)?)
    }
}

impl Map1 for Unary {
    fn op(&self) -> &'static str {
        self.op
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<Buffer<T>, RocmError> {
        let operand = Operands::new(self.op, [(src, layout)])?.untransposed(device)?;
        let mut out = device.alloc::<T>(operand.numel())?;
        if out.is_empty() {
            return Ok(out);
        }
        let (kernel, dtype) = if T::DTYPE.is_float() {
            (self.kernel, other_f8_name::<T>())
        } else {
            let kernel = integer_kernel(self.kernel);
            (kernel.ok_or(RocmError::UnsupportedDType { op: self.op, dtype: T::DTYPE })?, T::KERNEL_DTYPE)
        };
        let mut launch = operand.launch(device, &UNARY, format_args!("{kernel}_{dtype}"), |_| {});
        launch.buffer_mut(&mut out, 0);
        // SAFETY: u*_*(numel, num_dims, info, src, out); the plan keeps reads inside src, and out has numel elements.
        unsafe { launch.run(operand.config(device, size_of::<T>())) }?;
        Ok(out)
    }
}

/// The kernel that serves integers, where the function makes sense for them.
pub(crate) fn integer_kernel(kernel: &'static str) -> Option<&'static str> {
    match kernel {
        "uceil" | "ufloor" | "uround" => Some("ucopy"),
        "uabs" | "uneg" | "urelu" | "usign" | "usqr" => Some(kernel),
        _ => None,
    }
}

/// candle's kernels spell this dtype `f8_e4m3` in some families and `fp8_e4m3` in others.
pub(crate) fn other_f8_name<T: RocmDType>() -> &'static str {
    if T::DTYPE == DType::F8E4M3 { "fp8_e4m3" } else { T::KERNEL_DTYPE }
}

/// A power of each element.
#[derive(Clone, Copy)]
pub(crate) struct Powf(pub(crate) f64);

/// `x` where positive, else the factor times `exp(x) - 1`.
#[derive(Clone, Copy)]
pub(crate) struct Elu(pub(crate) f64);

/// A function of floats with one parameter.
macro_rules! parametric {
    ($type:ident, $name:literal, $kernel:literal) => {
        impl Op for $type {
            type Operands<T> = One<T>;

            fn name(&self) -> &'static str {
                $name
            }

            fn key(&self, words: &mut Vec<u64>) {
                words.push(self.0.to_bits());
            }

            fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
                x.dtype.is_float().then_some((x.len, x.dtype))
            }

            fn run(
                &self,
                device: &RocmDevice,
                One { x: (x, layout) }: One<Operand<'_>>,
            ) -> candle_core::Result<RocmStorageSlice> {
                let function = Parametric { op: self.name(), kernel: $kernel, parameter: self.0 };
                Ok(function.map(device, x.slice()?, layout)?)
            }
        }
    };
}

parametric!(Powf, "powf", "upowf");
parametric!(Elu, "elu", "uelu");

/// What both launch.
struct Parametric {
    op: &'static str,
    kernel: &'static str,
    parameter: f64,
}

impl Map1 for Parametric {
    fn op(&self) -> &'static str {
        self.op
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<Buffer<T>, RocmError> {
        if !T::DTYPE.is_float() {
            return Err(RocmError::UnsupportedDType { op: self.op, dtype: T::DTYPE });
        }
        let operand = Operands::new(self.op, [(src, layout)])?.untransposed(device)?;
        let mut out = device.alloc::<T>(operand.numel())?;
        if out.is_empty() {
            return Ok(out);
        }
        // Powers that are a single operation.
        let simpler = match (self.op, self.parameter) {
            ("powf", 2.0) => Some("usqr"),
            ("powf", -1.0) => Some("urecip"),
            _ => None,
        };
        let name = format_args!("{}_{}", simpler.unwrap_or(self.kernel), other_f8_name::<T>());
        let mut launch = operand.launch(device, &UNARY, name, |launch| {
            if simpler.is_none() {
                launch.arg(&T::from_f64(self.parameter));
            }
        });
        launch.buffer_mut(&mut out, 0);
        // SAFETY: u*_*(numel, num_dims, info, src, out), with a parameter after info; the plan keeps reads inside src,
        // and out has numel elements.
        unsafe { launch.run(operand.config(device, size_of::<T>())) }?;
        Ok(out)
    }
}

/// Whether the kernels of that name take elements of the dtype.
pub(crate) fn takes(kernel: &'static str, dtype: DType) -> bool {
    dtype.is_float() || integer_kernel(kernel).is_some()
}
