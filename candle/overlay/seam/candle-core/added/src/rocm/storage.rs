//! What `Storage::Rocm` holds: any backend's storage, behind one virtual call per operation.

use std::any::Any;
use std::fmt;

use super::{Backend, RocmDevice};
use crate::backend::BackendStorage;
use crate::conv::{ParamsConv1D, ParamsConv2D, ParamsConvTranspose1D, ParamsConvTranspose2D};
use crate::op::{self, BinaryOp, BinaryOpT, CmpOp, ReduceOp, UnaryOp, UnaryOpT};
use crate::rocm_backend::{Memory, RocmStorageSlice}; // Not proposed.
use crate::scalar::Scalar;
use crate::{CpuStorage, DType, Layout, Result, Storage, Tensor};

/// A tensor's memory on a ROCm device of any backend.
pub struct RocmStorage {
    #[cfg(any())] // Not proposed.
    slice: Box<dyn ErasedStorage>,
    /// The memory, as one variant per dtype. <!-- // Not proposed. -->
    pub slice: RocmStorageSlice, // Not proposed.
    /// The device that the memory is on.
    pub device: RocmDevice,
}

impl RocmStorage {
    /// Wraps a storage of backend `D` that is on this device.
    pub fn wrap<D: Backend>(storage: D::Storage, device: &RocmDevice) -> Self {
        Self::from_parts(Box::new(Held::<D>(storage)), device.clone())
    }

    /// The device that the memory is on.
    pub fn device(&self) -> &RocmDevice {
        &self.device
    }

    /// The backend's own type.
    pub fn downcast_ref<S: 'static>(&self) -> Option<&S> {
        self.erased().as_any().downcast_ref()
    }

    /// The backend's own type.
    pub fn downcast_mut<S: 'static>(&mut self) -> Option<&mut S> {
        self.erased_mut().as_any_mut().downcast_mut()
    }

    /// The storage of a tensor, for writing, if nothing else uses it: no clone, no view, and no result that needs the tensor for
    /// `backward`.
    pub fn exclusive(tensor: &mut Tensor) -> Option<&mut Self> {
        match tensor.exclusive_storage()? {
            Storage::Rocm(storage) => Some(storage),
            _ => None,
        }
    }

    pub(super) fn from_parts(slice: Box<dyn ErasedStorage>, device: RocmDevice) -> Self {
        let slice = RocmStorageSlice::new(slice); // Not proposed.
        Self { slice, device }
    }

    pub(super) fn erased(&self) -> &dyn ErasedStorage {
        self.slice.as_ref()
    }

    fn erased_mut(&mut self) -> &mut dyn ErasedStorage {
        self.slice.as_mut()
    }

    /// Itself, for an operation that writes to it.
    pub(crate) fn for_writing(&mut self) -> Result<&mut Self> {
        self.erased_mut().unshare()?; // Not proposed: a kernel of the program's may be given the address.
        Ok(self)
    }

    fn own(&self, storage: Box<dyn ErasedStorage>) -> Self {
        Self::from_parts(storage, self.device.clone())
    }
}

impl fmt::Debug for RocmStorage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.erased().fmt(f)
    }
}

type Erased = Result<Box<dyn ErasedStorage>>;

/// The methods of [`BackendStorage`] that make a new storage and have no generics. `storage` stands for another operand.
macro_rules! operations {
    ($do:ident) => {
        $do! {
            affine(l: [&Layout], mul: [f64], add: [f64]);
            powf(l: [&Layout], e: [f64]);
            elu(l: [&Layout], alpha: [f64]);
            reduce_op(op: [ReduceOp], l: [&Layout], dims: [&[usize]]);
            cmp(op: [CmpOp], rhs: storage, lhs_l: [&Layout], rhs_l: [&Layout]);
            to_dtype(l: [&Layout], dtype: [DType]);
            where_cond(l: [&Layout], t: storage, t_l: [&Layout], f: storage, f_l: [&Layout]);
            conv1d(l: [&Layout], kernel: storage, kernel_l: [&Layout], params: [&ParamsConv1D]);
            conv_transpose1d(l: [&Layout], kernel: storage, kernel_l: [&Layout], params: [&ParamsConvTranspose1D]);
            conv2d(l: [&Layout], kernel: storage, kernel_l: [&Layout], params: [&ParamsConv2D]);
            conv_transpose2d(l: [&Layout], kernel: storage, kernel_l: [&Layout], params: [&ParamsConvTranspose2D]);
            avg_pool2d(l: [&Layout], kernel: [(usize, usize)], stride: [(usize, usize)]);
            max_pool2d(l: [&Layout], kernel: [(usize, usize)], stride: [(usize, usize)]);
            upsample_nearest1d(l: [&Layout], size: [usize]);
            upsample_nearest2d(l: [&Layout], h: [usize], w: [usize]);
            upsample_bilinear2d(
                l: [&Layout], h: [usize], w: [usize], align: [bool], scale_h: [Option<f64>], scale_w: [Option<f64>]
            );
            gather(l: [&Layout], indexes: storage, indexes_l: [&Layout], dim: [usize]);
            index_select(indexes: storage, l: [&Layout], indexes_l: [&Layout], dim: [usize]);
            index_add(
                l: [&Layout], indexes: storage, indexes_l: [&Layout], src: storage, src_l: [&Layout], dim: [usize]
            );
            matmul(rhs: storage, bmnk: [(usize, usize, usize, usize)], lhs_l: [&Layout], rhs_l: [&Layout]);
        }
    };
}

macro_rules! declare {
    ($($name:ident($($arg:ident: $kind:tt),*);)*) => {
        $(fn $name(&self, $($arg: declare!(@ $kind)),*) -> Erased;)*
    };
    (@ storage) => { &dyn ErasedStorage };
    (@ [$($type:tt)*]) => { $($type)* };
}

macro_rules! call_backend {
    ($($name:ident($($arg:ident: $kind:tt),*);)*) => {
        $(fn $name(&self, $($arg: declare!(@ $kind)),*) -> Erased {
            held::<D>(self.0.$name($(call_backend!(@ $arg $kind)),*))
        })*
    };
    (@ $arg:ident storage) => { concrete::<D::Storage>($arg)? };
    (@ $arg:ident $other:tt) => { $arg };
}

macro_rules! call_erased {
    ($($name:ident($($arg:ident: $kind:tt),*);)*) => {
        $(fn $name(&self, $($arg: call_erased!(@type $kind)),*) -> Result<Self> {
            Ok(self.own(self.erased().$name($(call_erased!(@ $arg $kind)),*)?))
        })*
    };
    (@type storage) => { &Self };
    (@type [$($type:tt)*]) => { $($type)* };
    (@ $arg:ident storage) => { $arg.erased() };
    (@ $arg:ident $other:tt) => { $arg };
}

/// [`BackendStorage`] without its types.
pub(crate) trait ErasedStorage:
    fmt::Debug
    + Send
    + Sync
    + Memory // Not proposed.
{
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn try_clone(&self, l: &Layout) -> Erased;
    fn dtype(&self) -> DType;
    fn to_cpu_storage(&self) -> Result<CpuStorage>;
    fn unary(&self, op: UnaryOp, l: &Layout) -> Erased;
    fn binary(&self, op: BinaryOp, rhs: &dyn ErasedStorage, lhs_l: &Layout, rhs_l: &Layout) -> Erased;
    operations!(declare);
    fn scatter(
        &mut self,
        add: bool,
        l: &Layout,
        indexes: Operand<'_>,
        src: Operand<'_>,
        dim: usize,
    ) -> Result<()>;
    fn copy_strided_src(&self, dst: &mut dyn ErasedStorage, dst_offset: usize, l: &Layout) -> Result<()>;
    fn copy2d(&self, dst: &mut dyn ErasedStorage, rows: [usize; 6]) -> Result<()>;
    fn const_set(&mut self, value: Scalar, l: &Layout) -> Result<()>;
}

type Operand<'a> = (&'a dyn ErasedStorage, &'a Layout);

/// A backend's storage. (An implementation of [`ErasedStorage`] for all storages whose device is a [`Backend`] would make
/// the two traits' bounds depend on each other.)
pub(crate) struct Held<D: Backend>(pub(crate) D::Storage);

pub(crate) fn held<D: Backend>(storage: Result<D::Storage>) -> Erased {
    storage.map(|storage| Box::new(Held::<D>(storage)) as Box<dyn ErasedStorage>)
}

impl<D: Backend> fmt::Debug for Held<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The other operand must be of the same backend; candle has checked already that both are on one device.
pub(super) fn concrete<S: 'static>(storage: &dyn ErasedStorage) -> Result<&S> {
    match storage.as_any().downcast_ref() {
        Some(storage) => Ok(storage),
        None => crate::bail!("the operands belong to different ROCm backends: {storage:?}"),
    }
}

fn concrete_mut<S: 'static>(storage: &mut dyn ErasedStorage) -> Result<&mut S> {
    match storage.as_any_mut().downcast_mut() {
        Some(storage) => Ok(storage),
        None => crate::bail!("the destination belongs to another ROCm backend"),
    }
}

/// candle's elementwise operations are types; through a virtual call they go as values, and become types again behind it.
macro_rules! elementwise {
    ($run:ident($($arg:ident: $type:ty),*), $enum:ident, $method:ident $args:tt, [$($op:ident)*]) => {
        fn $run<S: BackendStorage>(storage: &S, op: $enum, $($arg: $type),*) -> Result<S> {
            match op {
                $($enum::$op => elementwise!(@call storage $method $op $args),)*
            }
        }
    };
    (@call $storage:ident $method:ident $op:ident ($($arg:ident),*)) => { $storage.$method::<op::$op>($($arg),*) };
}

elementwise!(run_unary(l: &Layout), UnaryOp, unary_impl(l), [
    Exp Log Sin Cos Abs Neg Recip Sqr Sqrt Gelu GeluErf Erf Relu Silu Tanh Floor Ceil Round Sign
]);
elementwise!(run_binary(rhs: &S, lhs_l: &Layout, rhs_l: &Layout), BinaryOp, binary_impl(rhs, lhs_l, rhs_l), [
    Add Mul Sub Div Maximum Minimum
]);

/// The value of an operation, which all of candle's have.
fn value<Op>(name: &str, op: Option<Op>) -> Result<Op> {
    match op {
        Some(op) => Ok(op),
        None => crate::bail!("{name} is not one of candle's operations, which are what ROCm devices have"),
    }
}

impl<D: Backend> ErasedStorage for Held<D> {
    fn as_any(&self) -> &dyn Any {
        &self.0
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        &mut self.0
    }

    fn try_clone(&self, l: &Layout) -> Erased {
        held::<D>(self.0.try_clone(l))
    }

    fn dtype(&self) -> DType {
        self.0.dtype()
    }

    fn to_cpu_storage(&self) -> Result<CpuStorage> {
        self.0.to_cpu_storage()
    }

    fn unary(&self, op: UnaryOp, l: &Layout) -> Erased {
        held::<D>(run_unary(&self.0, op, l))
    }

    fn binary(&self, op: BinaryOp, rhs: &dyn ErasedStorage, lhs_l: &Layout, rhs_l: &Layout) -> Erased {
        held::<D>(run_binary(&self.0, op, concrete(rhs)?, lhs_l, rhs_l))
    }

    operations!(call_backend);

    fn scatter(
        &mut self,
        add: bool,
        l: &Layout,
        indexes: Operand<'_>,
        src: Operand<'_>,
        dim: usize,
    ) -> Result<()> {
        let (indexes, indexes_l) = (concrete(indexes.0)?, indexes.1);
        let (src, src_l) = (concrete(src.0)?, src.1);
        match add {
            false => self.0.scatter_set(l, indexes, indexes_l, src, src_l, dim),
            true => self.0.scatter_add_set(l, indexes, indexes_l, src, src_l, dim),
        }
    }

    fn copy_strided_src(&self, dst: &mut dyn ErasedStorage, dst_offset: usize, l: &Layout) -> Result<()> {
        self.0.copy_strided_src(concrete_mut(dst)?, dst_offset, l)
    }

    fn copy2d(&self, dst: &mut dyn ErasedStorage, rows: [usize; 6]) -> Result<()> {
        let [d1, d2, src_stride, dst_stride, src_offset, dst_offset] = rows;
        self.0.copy2d(concrete_mut(dst)?, d1, d2, src_stride, dst_stride, src_offset, dst_offset)
    }

    fn const_set(&mut self, value: Scalar, l: &Layout) -> Result<()> {
        self.0.const_set(value, l)
    }
}

impl BackendStorage for RocmStorage {
    type Device = RocmDevice;

    fn try_clone(&self, l: &Layout) -> Result<Self> {
        Ok(self.own(self.erased().try_clone(l)?))
    }

    fn dtype(&self) -> DType {
        self.erased().dtype()
    }

    fn device(&self) -> &RocmDevice {
        &self.device
    }

    fn to_cpu_storage(&self) -> Result<CpuStorage> {
        self.erased().to_cpu_storage()
    }

    fn unary_impl<B: UnaryOpT>(&self, l: &Layout) -> Result<Self> {
        Ok(self.own(self.erased().unary(value(B::NAME, B::OP)?, l)?))
    }

    fn binary_impl<B: BinaryOpT>(&self, rhs: &Self, lhs_l: &Layout, rhs_l: &Layout) -> Result<Self> {
        Ok(self.own(self.erased().binary(value(B::NAME, B::OP)?, rhs.erased(), lhs_l, rhs_l)?))
    }

    operations!(call_erased);

    fn scatter_set(
        &mut self,
        l: &Layout,
        i: &Self,
        i_l: &Layout,
        s: &Self,
        s_l: &Layout,
        dim: usize,
    ) -> Result<()> {
        self.erased_mut().scatter(false, l, (i.erased(), i_l), (s.erased(), s_l), dim)
    }

    fn scatter_add_set(
        &mut self,
        l: &Layout,
        i: &Self,
        i_l: &Layout,
        s: &Self,
        s_l: &Layout,
        dim: usize,
    ) -> Result<()> {
        self.erased_mut().scatter(true, l, (i.erased(), i_l), (s.erased(), s_l), dim)
    }

    fn copy_strided_src(&self, dst: &mut Self, dst_offset: usize, l: &Layout) -> Result<()> {
        self.erased().copy_strided_src(dst.erased_mut(), dst_offset, l)
    }

    fn copy2d(
        &self,
        dst: &mut Self,
        d1: usize,
        d2: usize,
        src_stride: usize,
        dst_stride: usize,
        src_offset: usize,
        dst_offset: usize,
    ) -> Result<()> {
        self.erased().copy2d(dst.erased_mut(), [d1, d2, src_stride, dst_stride, src_offset, dst_offset])
    }

    fn const_set(&mut self, value: Scalar, l: &Layout) -> Result<()> {
        self.erased_mut().const_set(value, l)
    }
}
