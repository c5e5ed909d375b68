//! The typed device memory behind a tensor: one variant per candle dtype, and the one table of dtypes that
//! everything else dispatches over.

use candle_core::scalar::Scalar;
use candle_core::{CpuStorage, CpuStorageRef, DType, WithDType};
use half::{bf16, f16};

use crate::dtype::with_dtypes;
use crate::hip::{Buffer, DevicePtr};
use crate::{Element, F8E4M3, RocmDevice, RocmError};

/// Device memory of one dtype. The packed MX formats have no arithmetic in candle, and are stored as raw bytes.
#[derive(Debug)]
#[allow(missing_docs)] // each variant is the dtype of its name
pub enum RocmStorageSlice {
    U8(Buffer<u8>),
    U32(Buffer<u32>),
    I16(Buffer<i16>),
    I32(Buffer<i32>),
    I64(Buffer<i64>),
    BF16(Buffer<bf16>),
    F16(Buffer<f16>),
    F32(Buffer<f32>),
    F64(Buffer<f64>),
    F8E4M3(Buffer<F8E4M3>),
    F6E2M3(Buffer<u8>),
    F6E3M2(Buffer<u8>),
    F4(Buffer<u8>),
    F8E8M0(Buffer<u8>),
}

/// A dtype for which kernels exist. Connects the Rust type, the variant of [`RocmStorageSlice`] and the suffix of kernel names.
pub trait RocmDType: WithDType + Element {
    /// The dtype as spelled in kernel names: `f8_e4m3` for candle's `f8e4m3`.
    const KERNEL_DTYPE: &'static str;
    /// The buffer, if the slice has this dtype.
    fn buffer(slice: &RocmStorageSlice) -> Option<&Buffer<Self>>;
    /// The buffer for writing, if the slice has this dtype.
    fn buffer_mut(slice: &mut RocmStorageSlice) -> Option<&mut Buffer<Self>>;
    /// Wraps `buffer` in a slice.
    fn wrap(buffer: Buffer<Self>) -> RocmStorageSlice;
    /// The value, if the scalar has this dtype.
    fn from_scalar(value: Scalar) -> Option<Self>;
}

macro_rules! storage_slices {
    ([$($variant:ident: $ty:ty = $name:literal,)*] [$($packed:ident,)*]) => {
        $(
            impl RocmDType for $ty {
                const KERNEL_DTYPE: &'static str = $name;

                fn buffer(slice: &RocmStorageSlice) -> Option<&Buffer<Self>> {
                    match slice {
                        RocmStorageSlice::$variant(buffer) => Some(buffer),
                        _ => None,
                    }
                }

                fn buffer_mut(slice: &mut RocmStorageSlice) -> Option<&mut Buffer<Self>> {
                    match slice {
                        RocmStorageSlice::$variant(buffer) => Some(buffer),
                        _ => None,
                    }
                }

                fn wrap(buffer: Buffer<Self>) -> RocmStorageSlice {
                    RocmStorageSlice::$variant(buffer)
                }

                fn from_scalar(value: Scalar) -> Option<Self> {
                    match value {
                        Scalar::$variant(value) => Some(value),
                        _ => None,
                    }
                }
            }
        )*

        impl RocmStorageSlice {
            /// The dtype of the elements.
            pub fn dtype(&self) -> DType {
                match self {
                    $(Self::$variant(_) => DType::$variant,)*
                    $(Self::$packed(_) => DType::$packed,)*
                }
            }

            /// A copy in host memory; waits for the device.
            pub(crate) fn download(&self, device: &RocmDevice) -> Result<CpuStorage, RocmError> {
                Ok(match self {
                    $(Self::$variant(buffer) => CpuStorage::$variant(device.download(buffer)?),)*
                    $(Self::$packed(buffer) => CpuStorage::$packed(device.download(buffer)?),)*
                })
            }
        }
    };
}

with_dtypes!(storage_slices!);

/// `match` over the variants of one of the storage enums (ours, candle's `CpuStorage`, `CpuStorageRef`) with the
/// same names: runs `$body` with `$value` bound to the payload and `$wrap` naming our variant.
macro_rules! each_variant {
    ($($storage:ident)::+ = $on:expr, ($value:ident, $wrap:ident) => $body:expr) => {
        $crate::dtype::with_dtypes!(each_variant! @arms ($($storage)::+) $on, $value, $wrap, $body,)
    };
    (
        @arms $storage:tt $on:expr, $value:ident, $wrap:ident, $body:expr,
        [$($variant:ident: $ty:ty = $name:literal,)*] [$($packed:ident,)*]
    ) => {
        match $on {
            $(each_variant!(@pattern $storage $variant $value) => {
                #[allow(unused_imports)]
                use $crate::storage_slice::RocmStorageSlice::$variant as $wrap;
                $body
            })*
            $(each_variant!(@pattern $storage $packed $value) => {
                #[allow(unused_imports)]
                use $crate::storage_slice::RocmStorageSlice::$packed as $wrap;
                $body
            })*
        }
    };
    (@pattern ($($storage:ident)::+) $variant:ident $value:ident) => { $($storage)::+::$variant($value) };
}
pub(crate) use each_variant;

/// `match` on a dtype that has kernels: runs `$body` with the type `$T` being its element; `$other` for the rest.
macro_rules! each_dtype {
    ($dtype:expr, $T:ident => $body:expr, else $other:expr) => {
        $crate::dtype::with_dtypes!(each_dtype! @arms $dtype, $T, $body, $other,)
    };
    (@arms $dtype:expr, $T:ident, $body:expr, $other:expr, $dtypes:tt $packed:tt) => {
        $crate::dtype::match_dtype!($dtype, $T => $body, else $other, $dtypes)
    };
}
pub(crate) use each_dtype;

/// Whether kernels compute with this dtype.
pub(crate) fn has_elements(dtype: DType) -> bool {
    each_dtype!(dtype, _T => true, else false)
}

impl RocmStorageSlice {
    /// The number of elements (of bytes, for the packed MX formats).
    pub fn len(&self) -> usize {
        each_variant!(RocmStorageSlice = self, (buffer, Wrap) => buffer.len())
    }

    /// Where the elements are in device memory.
    pub(crate) fn address(&self) -> DevicePtr {
        each_variant!(RocmStorageSlice = self, (buffer, Wrap) => buffer.as_ptr())
    }

    /// Has later work on the device's stream wait for other streams that read the elements.
    pub(crate) fn wait_for_readers(&mut self) -> Result<(), RocmError> {
        each_variant!(RocmStorageSlice = self, (buffer, Wrap) => buffer.as_mut_ptr().map(|_| ())?);
        Ok(())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Uninitialised memory for `len` elements.
    pub(crate) fn uninit(device: &RocmDevice, len: usize, dtype: DType) -> Result<Self, RocmError> {
        each_dtype!(dtype, T => Ok(T::wrap(device.alloc::<T>(len)?)), else no_elements("alloc_uninit", dtype))
    }

    /// Zeroed memory for `len` elements.
    pub(crate) fn zeros(device: &RocmDevice, len: usize, dtype: DType) -> Result<Self, RocmError> {
        each_dtype!(dtype, T => Ok(T::wrap(device.alloc_zeros::<T>(len)?)), else no_elements("zeros", dtype))
    }

    /// A copy of host memory.
    pub(crate) fn upload(device: &RocmDevice, data: &CpuStorage) -> Result<Self, RocmError> {
        Ok(each_variant!(CpuStorage = data, (data, Wrap) => Wrap(device.upload(data)?)))
    }

    /// A copy of borrowed host memory.
    pub(crate) fn upload_ref(device: &RocmDevice, data: CpuStorageRef<'_>) -> Result<Self, RocmError> {
        Ok(each_variant!(CpuStorageRef = data, (data, Wrap) => Wrap(device.upload(data)?)))
    }

    /// A copy on another device: from memory to memory within a platform, else through the CPU.
    pub(crate) fn copy_to(&self, from: &RocmDevice, to: &RocmDevice) -> Result<Self, RocmError> {
        if from.platform() != to.platform() {
            return Self::upload(to, &self.download(from)?);
        }
        Ok(each_variant!(RocmStorageSlice = self, (buffer, Wrap) => Wrap(to.copy_of(buffer)?)))
    }

    /// A copy on the device.
    pub(crate) fn try_clone(&self, device: &RocmDevice) -> Result<Self, RocmError> {
        Ok(each_variant!(RocmStorageSlice = self, (buffer, Wrap) => {
            let mut copy = device.alloc(buffer.len())?;
            device.copy(buffer, 0, &mut copy, 0, buffer.len())?;
            Wrap(copy)
        }))
    }
}

fn no_elements<R>(op: &'static str, dtype: DType) -> Result<R, RocmError> {
    Err(RocmError::UnsupportedDType { op, dtype })
}
