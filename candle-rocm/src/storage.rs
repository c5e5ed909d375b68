//! The memory of one tensor on one device, and candle's operations on it; each family lives in its file in `ops`.

use candle_core::backend::BackendStorage;
use candle_core::conv::{ParamsConv1D, ParamsConv2D, ParamsConvTranspose1D, ParamsConvTranspose2D};
use candle_core::op::{BinaryOpT, CmpOp, ReduceOp, UnaryOpT};
use candle_core::scalar::Scalar;
use candle_core::{CpuStorage, DType, Layout, WithDType};

use crate::ops::{affine, binary, cast, copy, fill, indexing, reduce, sort, ternary, unary};
use crate::{RocmDevice, RocmError, RocmStorageSlice};

type Result<T, E = candle_core::Error> = std::result::Result<T, E>;

/// A tensor's memory on a ROCm device.
#[derive(Debug)]
pub struct RocmStorage {
    /// The elements.
    pub slice: RocmStorageSlice,
    /// The device they live on.
    pub device: RocmDevice,
}

impl RocmStorage {
    /// Uninitialised memory for `len` elements; what it holds must not matter to anyone before it is written.
    pub(crate) fn uninit(device: &RocmDevice, len: usize, dtype: DType) -> Result<Self, RocmError> {
        Ok(Self { slice: RocmStorageSlice::uninit(device, len, dtype)?, device: device.clone() })
    }

    /// `len` zeros.
    pub(crate) fn zeros(device: &RocmDevice, len: usize, dtype: DType) -> Result<Self, RocmError> {
        Ok(Self { slice: RocmStorageSlice::zeros(device, len, dtype)?, device: device.clone() })
    }

    /// A copy of what the CPU holds.
    pub(crate) fn from_cpu(device: &RocmDevice, data: &CpuStorage) -> Result<Self, RocmError> {
        Ok(Self { slice: RocmStorageSlice::upload(device, data)?, device: device.clone() })
    }

    /// A copy of a slice.
    pub(crate) fn from_slice<T: WithDType>(device: &RocmDevice, data: &[T]) -> Result<Self, RocmError> {
        // candle's placeholder types panic when asked for their data: they have none.
        if std::mem::size_of::<T>() == 0 {
            return Err(RocmError::UnsupportedDType { op: "storage_from_slice", dtype: T::DTYPE });
        }
        let slice = RocmStorageSlice::upload_ref(device, T::cpu_storage_ref(data))?;
        Ok(Self { slice, device: device.clone() })
    }

    /// For each row of `last_dim` elements the places of its elements in ascending or descending order, as u32: what
    /// candle's `arg_sort_last_dim` asks for. Equal elements keep their order; NaN is greater than all numbers.
    pub fn argsort(&self, layout: &Layout, ascending: bool, last_dim: usize) -> Result<Self, RocmError> {
        Ok(self.with(sort::argsort(&self.device, (&self.slice, layout), ascending, last_dim)?))
    }

    /// This result, on the device of `self`.
    fn with(&self, slice: RocmStorageSlice) -> Self {
        Self { slice, device: self.device.clone() }
    }

    /// Operands of one operation live on one device: pools and streams are not shared.
    fn same_device(&self, op: &'static str, other: &Self) -> Result<(), RocmError> {
        self.device.check_same(&other.device, op)
    }
}

fn not_yet<R>(op: &'static str) -> Result<R> {
    Err(RocmError::NotYet { op }.into())
}

impl BackendStorage for RocmStorage {
    type Device = RocmDevice;

    fn try_clone(&self, _: &Layout) -> Result<Self> {
        Ok(self.with(self.slice.try_clone(&self.device)?))
    }

    fn dtype(&self) -> DType {
        self.slice.dtype()
    }

    fn device(&self) -> &RocmDevice {
        &self.device
    }

    fn to_cpu_storage(&self) -> Result<CpuStorage> {
        Ok(self.slice.download(&self.device)?)
    }

    fn affine(&self, layout: &Layout, mul: f64, add: f64) -> Result<Self> {
        Ok(self.with(affine::affine(&self.device, &self.slice, layout, mul, add)?))
    }

    fn powf(&self, layout: &Layout, e: f64) -> Result<Self> {
        Ok(self.with(unary::powf(&self.device, &self.slice, layout, e)?))
    }

    fn elu(&self, layout: &Layout, alpha: f64) -> Result<Self> {
        Ok(self.with(unary::elu(&self.device, &self.slice, layout, alpha)?))
    }

    fn cmp(&self, op: CmpOp, rhs: &Self, lhs_l: &Layout, rhs_l: &Layout) -> Result<Self> {
        self.same_device("cmp", rhs)?;
        Ok(self.with(binary::compare(&self.device, op, (&self.slice, lhs_l), (&rhs.slice, rhs_l))?))
    }

    fn to_dtype(&self, layout: &Layout, dtype: DType) -> Result<Self> {
        Ok(self.with(cast::cast(&self.device, &self.slice, layout, dtype)?))
    }

    fn unary_impl<B: UnaryOpT>(&self, layout: &Layout) -> Result<Self> {
        Ok(self.with(unary::unary::<B>(&self.device, &self.slice, layout)?))
    }

    fn binary_impl<B: BinaryOpT>(&self, rhs: &Self, lhs_l: &Layout, rhs_l: &Layout) -> Result<Self> {
        self.same_device(B::NAME, rhs)?;
        Ok(self.with(binary::binary::<B>(&self.device, (&self.slice, lhs_l), (&rhs.slice, rhs_l))?))
    }

    fn where_cond(&self, layout: &Layout, t: &Self, t_l: &Layout, f: &Self, f_l: &Layout) -> Result<Self> {
        self.same_device("where_cond", t)?;
        self.same_device("where_cond", f)?;
        let (cond, t, f) = ((&self.slice, layout), (&t.slice, t_l), (&f.slice, f_l));
        Ok(self.with(ternary::where_cond(&self.device, cond, t, f)?))
    }

    fn copy_strided_src(&self, dst: &mut Self, dst_offset: usize, src_l: &Layout) -> Result<()> {
        self.same_device("copy_strided_src", dst)?;
        Ok(copy::strided(&self.device, (&self.slice, src_l), &mut dst.slice, dst_offset)?)
    }

    fn copy2d(
        &self,
        dst: &mut Self,
        d1: usize,
        d2: usize,
        src_stride1: usize,
        dst_stride1: usize,
        src_offset: usize,
        dst_offset: usize,
    ) -> Result<()> {
        self.same_device("copy2d", dst)?;
        let rows = copy::Rows { d1, d2, src_stride1, dst_stride1, src_offset, dst_offset };
        Ok(copy::copy2d(&self.device, &self.slice, &mut dst.slice, rows)?)
    }

    fn const_set(&mut self, value: Scalar, layout: &Layout) -> Result<()> {
        Ok(fill::const_set(&self.device, &mut self.slice, value, layout)?)
    }

    fn reduce_op(&self, op: ReduceOp, layout: &Layout, dims: &[usize]) -> Result<Self> {
        Ok(self.with(reduce::reduce(&self.device, &self.slice, layout, op, dims)?))
    }

    fn conv1d(&self, _: &Layout, _: &Self, _: &Layout, _: &ParamsConv1D) -> Result<Self> {
        not_yet("conv1d")
    }

    fn conv_transpose1d(&self, _: &Layout, _: &Self, _: &Layout, _: &ParamsConvTranspose1D) -> Result<Self> {
        not_yet("conv_transpose1d")
    }

    fn conv2d(&self, _: &Layout, _: &Self, _: &Layout, _: &ParamsConv2D) -> Result<Self> {
        not_yet("conv2d")
    }

    fn conv_transpose2d(&self, _: &Layout, _: &Self, _: &Layout, _: &ParamsConvTranspose2D) -> Result<Self> {
        not_yet("conv_transpose2d")
    }

    fn avg_pool2d(&self, _: &Layout, _: (usize, usize), _: (usize, usize)) -> Result<Self> {
        not_yet("avg_pool2d")
    }

    fn max_pool2d(&self, _: &Layout, _: (usize, usize), _: (usize, usize)) -> Result<Self> {
        not_yet("max_pool2d")
    }

    fn upsample_nearest1d(&self, _: &Layout, _: usize) -> Result<Self> {
        not_yet("upsample_nearest1d")
    }

    fn upsample_nearest2d(&self, _: &Layout, _: usize, _: usize) -> Result<Self> {
        not_yet("upsample_nearest2d")
    }

    fn upsample_bilinear2d(
        &self,
        _: &Layout,
        _: usize,
        _: usize,
        _: bool,
        _: Option<f64>,
        _: Option<f64>,
    ) -> Result<Self> {
        not_yet("upsample_bilinear2d")
    }

    fn gather(&self, l: &Layout, ids: &Self, ids_l: &Layout, dim: usize) -> Result<Self> {
        self.same_device("gather", ids)?;
        Ok(self.with(indexing::gather(&self.device, (&self.slice, l), (&ids.slice, ids_l), dim)?))
    }

    fn scatter_set(
        &mut self,
        l: &Layout,
        ids: &Self,
        ids_l: &Layout,
        src: &Self,
        src_l: &Layout,
        dim: usize,
    ) -> Result<()> {
        self.same_device("scatter_set", ids)?;
        self.same_device("scatter_set", src)?;
        let (ids, src) = ((&ids.slice, ids_l), (&src.slice, src_l));
        Ok(indexing::scatter_set(&self.device, (&mut self.slice, l), ids, src, dim)?)
    }

    fn scatter_add_set(
        &mut self,
        l: &Layout,
        ids: &Self,
        ids_l: &Layout,
        src: &Self,
        src_l: &Layout,
        dim: usize,
    ) -> Result<()> {
        self.same_device("scatter_add_set", ids)?;
        self.same_device("scatter_add_set", src)?;
        let (ids, src) = ((&ids.slice, ids_l), (&src.slice, src_l));
        Ok(indexing::scatter_add(&self.device, (&mut self.slice, l), ids, src, dim)?)
    }

    fn index_select(&self, ids: &Self, l: &Layout, ids_l: &Layout, dim: usize) -> Result<Self> {
        self.same_device("index_select", ids)?;
        Ok(self.with(indexing::index_select(&self.device, (&self.slice, l), (&ids.slice, ids_l), dim)?))
    }

    fn index_add(
        &self,
        l: &Layout,
        ids: &Self,
        ids_l: &Layout,
        src: &Self,
        src_l: &Layout,
        dim: usize,
    ) -> Result<Self> {
        self.same_device("index_add", ids)?;
        self.same_device("index_add", src)?;
        let (base, ids, src) = ((&self.slice, l), (&ids.slice, ids_l), (&src.slice, src_l));
        Ok(self.with(indexing::index_add(&self.device, base, ids, src, dim)?))
    }

    fn matmul(&self, _: &Self, _: (usize, usize, usize, usize), _: &Layout, _: &Layout) -> Result<Self> {
        not_yet("matmul")
    }
}
