//! candle's storage trait: each operation is handed to the room named after it.

use candle_core::backend::BackendStorage;
use candle_core::conv::{ParamsConv1D, ParamsConv2D, ParamsConvTranspose1D, ParamsConvTranspose2D};
use candle_core::op::{BinaryOpT, CmpOp, ReduceOp, UnaryOpT};
use candle_core::scalar::Scalar;
use candle_core::{CpuStorage, DType, Layout};

use crate::common::map::Map1;
use crate::common::observe::bytes;
use crate::conv::{Convolution, pool, upsample, windows};
use crate::elementwise::fill;
use crate::fusion::{Operation, record, whole_copy};
use crate::layout::copy;
use crate::matmul::{GemmShape, MatMul};
use crate::{RocmDevice, RocmError, RocmStorage, indexing};

type Result<T, E = candle_core::Error> = std::result::Result<T, E>;

/// candle keeps its parameters to itself: they can be read where it has the seam, and be made only by its `Tensor`, which
/// reaches this backend only there.
#[cfg(candle_rocm_seam)]
fn readable<'a, P>(_: &'static str, params: &'a P) -> Result<Convolution, RocmError>
where
    candle_core::rocm::Convolution: From<&'a P>,
{
    Ok(candle_core::rocm::Convolution::from(params).into())
}

#[cfg(not(candle_rocm_seam))]
fn readable<P>(op: &'static str, _: &P) -> Result<Convolution, RocmError> {
    Err(RocmError::StockCandle { op })
}

impl BackendStorage for RocmStorage {
    type Device = RocmDevice;

    fn try_clone(&self, _: &Layout) -> Result<Self> {
        Ok(self.with(self.slice()?.try_clone(&self.device)?))
    }

    fn dtype(&self) -> DType {
        self.dtype()
    }

    fn device(&self) -> &RocmDevice {
        &self.device
    }

    fn to_cpu_storage(&self) -> Result<CpuStorage> {
        Ok(self.slice()?.download(&self.device)?)
    }

    fn affine(&self, layout: &Layout, mul: f64, add: f64) -> Result<Self> {
        record(Operation::Affine { mul, add }, &[(self, layout)])
    }

    fn powf(&self, layout: &Layout, e: f64) -> Result<Self> {
        record(Operation::Powf(e), &[(self, layout)])
    }

    fn elu(&self, layout: &Layout, alpha: f64) -> Result<Self> {
        record(Operation::Elu(alpha), &[(self, layout)])
    }

    fn cmp(&self, op: CmpOp, rhs: &Self, lhs_l: &Layout, rhs_l: &Layout) -> Result<Self> {
        self.same_device("cmp", rhs)?;
        record(Operation::Compare(op), &[(self, lhs_l), (rhs, rhs_l)])
    }

    fn to_dtype(&self, layout: &Layout, dtype: DType) -> Result<Self> {
        record(Operation::Cast(dtype), &[(self, layout)])
    }

    fn unary_impl<B: UnaryOpT>(&self, layout: &Layout) -> Result<Self> {
        let operation = Operation::Unary { op: B::NAME, kernel: B::KERNEL };
        record(operation, &[(self, layout)])
    }

    fn binary_impl<B: BinaryOpT>(&self, rhs: &Self, lhs_l: &Layout, rhs_l: &Layout) -> Result<Self> {
        self.same_device(B::NAME, rhs)?;
        let operation = Operation::Binary { op: B::NAME, kernel: B::KERNEL };
        record(operation, &[(self, lhs_l), (rhs, rhs_l)])
    }

    fn where_cond(&self, layout: &Layout, t: &Self, t_l: &Layout, f: &Self, f_l: &Layout) -> Result<Self> {
        self.same_device("where_cond", t)?;
        self.same_device("where_cond", f)?;
        record(Operation::WhereCond, &[(self, layout), (t, t_l), (f, f_l)])
    }

    fn copy_strided_src(&self, dst: &mut Self, dst_offset: usize, src_l: &Layout) -> Result<()> {
        self.same_device("copy_strided_src", dst)?;
        if dst_offset == 0
            && let Some(copy) = whole_copy((self, src_l), dst)
        {
            *dst = copy;
            return Ok(());
        }
        let written = || bytes(&(self, src_l));
        self.device.observe_in_place("copy_strided_src", &[(self, src_l)], written, || {
            Ok(copy::strided(&self.device, (self.slice()?, src_l), dst.slice_mut()?, dst_offset)?)
        })
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
        let written = || d1.saturating_mul(d2).saturating_mul(self.dtype().size_in_bytes());
        self.device.observe_in_place("copy2d", &[], written, || {
            Ok(copy::copy2d(&self.device, self.slice()?, dst.slice_mut()?, rows)?)
        })
    }

    fn const_set(&mut self, value: Scalar, layout: &Layout) -> Result<()> {
        let written = bytes(&(self, layout));
        let device = self.device.clone();
        device.observe_in_place(
            "const_set",
            &[],
            || written,
            || Ok(fill::const_set(&device, self.slice_mut()?, value, layout)?),
        )
    }

    fn reduce_op(&self, op: ReduceOp, layout: &Layout, dims: &[usize]) -> Result<Self> {
        record(Operation::Reduce { op, dims: dims.into() }, &[(self, layout)])
    }

    fn conv1d(&self, l: &Layout, kernel: &Self, kernel_l: &Layout, params: &ParamsConv1D) -> Result<Self> {
        let params = readable("conv1d", params)?;
        self.device.observe("conv1d", &[(self, l), (kernel, kernel_l)], || {
            Ok(self.convolve_as("conv1d", l, (kernel, kernel_l), &params)?)
        })
    }

    fn conv_transpose1d(
        &self,
        l: &Layout,
        kernel: &Self,
        kernel_l: &Layout,
        params: &ParamsConvTranspose1D,
    ) -> Result<Self> {
        let params = readable("conv_transpose1d", params)?;
        self.device.observe("conv_transpose1d", &[(self, l), (kernel, kernel_l)], || {
            Ok(self.convolve_as("conv_transpose1d", l, (kernel, kernel_l), &params)?)
        })
    }

    fn conv2d(&self, l: &Layout, kernel: &Self, kernel_l: &Layout, params: &ParamsConv2D) -> Result<Self> {
        let params = readable("conv2d", params)?;
        self.device.observe("conv2d", &[(self, l), (kernel, kernel_l)], || {
            Ok(self.convolve_as("conv2d", l, (kernel, kernel_l), &params)?)
        })
    }

    fn conv_transpose2d(
        &self,
        l: &Layout,
        kernel: &Self,
        kernel_l: &Layout,
        params: &ParamsConvTranspose2D,
    ) -> Result<Self> {
        let params = readable("conv_transpose2d", params)?;
        self.device.observe("conv_transpose2d", &[(self, l), (kernel, kernel_l)], || {
            Ok(self.convolve_as("conv_transpose2d", l, (kernel, kernel_l), &params)?)
        })
    }

    fn avg_pool2d(&self, layout: &Layout, window: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        let src = (self.slice()?, layout);
        self.device.observe("avg_pool2d", &[(self, layout)], || {
            Ok(self.with(pool::pool(&self.device, windows::Kind::Average, src, window, stride)?))
        })
    }

    fn max_pool2d(&self, layout: &Layout, window: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        let src = (self.slice()?, layout);
        self.device.observe("max_pool2d", &[(self, layout)], || {
            Ok(self.with(pool::pool(&self.device, windows::Kind::Max, src, window, stride)?))
        })
    }

    fn upsample_nearest1d(&self, layout: &Layout, size: usize) -> Result<Self> {
        let nearest = upsample::Nearest { op: "upsample_nearest1d", rank: 3, size: [1, size] };
        self.device.observe("upsample_nearest1d", &[(self, layout)], || {
            Ok(self.with(nearest.map(&self.device, self.slice()?, layout)?))
        })
    }

    fn upsample_nearest2d(&self, layout: &Layout, height: usize, width: usize) -> Result<Self> {
        let nearest = upsample::Nearest { op: "upsample_nearest2d", rank: 4, size: [height, width] };
        self.device.observe("upsample_nearest2d", &[(self, layout)], || {
            Ok(self.with(nearest.map(&self.device, self.slice()?, layout)?))
        })
    }

    fn upsample_bilinear2d(
        &self,
        layout: &Layout,
        height: usize,
        width: usize,
        align_corners: bool,
        scale_h: Option<f64>,
        scale_w: Option<f64>,
    ) -> Result<Self> {
        let size = [height, width];
        let bilinear = upsample::Bilinear { size, align_corners, factors: [scale_h, scale_w] };
        self.device.observe("upsample_bilinear2d", &[(self, layout)], || {
            Ok(self.with(bilinear.map(&self.device, self.slice()?, layout)?))
        })
    }

    fn gather(&self, l: &Layout, ids: &Self, ids_l: &Layout, dim: usize) -> Result<Self> {
        self.same_device("gather", ids)?;
        self.device.observe("gather", &[(self, l), (ids, ids_l)], || {
            Ok(self.with(indexing::gather(&self.device, (self.slice()?, l), (ids.slice()?, ids_l), dim)?))
        })
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
        let operands = [(ids, ids_l), (src, src_l)];
        let device = self.device.clone();
        device.observe_in_place(
            "scatter_set",
            &operands,
            || bytes(&(src, src_l)),
            || {
                let (ids, src) = ((ids.slice()?, ids_l), (src.slice()?, src_l));
                Ok(indexing::scatter_set(&device, (self.slice_mut()?, l), ids, src, dim)?)
            },
        )
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
        let operands = [(ids, ids_l), (src, src_l)];
        let device = self.device.clone();
        device.observe_in_place(
            "scatter_add_set",
            &operands,
            || bytes(&(src, src_l)),
            || {
                let (ids, src) = ((ids.slice()?, ids_l), (src.slice()?, src_l));
                Ok(indexing::scatter_add(&device, (self.slice_mut()?, l), ids, src, dim)?)
            },
        )
    }

    fn index_select(&self, ids: &Self, l: &Layout, ids_l: &Layout, dim: usize) -> Result<Self> {
        self.same_device("index_select", ids)?;
        self.device.observe("index_select", &[(self, l), (ids, ids_l)], || {
            Ok(self.with(indexing::index_select(
                &self.device,
                (self.slice()?, l),
                (ids.slice()?, ids_l),
                dim,
            )?))
        })
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
        self.device.observe("index_add", &[(self, l), (ids, ids_l), (src, src_l)], || {
            let (base, ids, src) = ((self.slice()?, l), (ids.slice()?, ids_l), (src.slice()?, src_l));
            Ok(self.with(indexing::index_add(&self.device, base, ids, src, dim)?))
        })
    }

    fn matmul(
        &self,
        rhs: &Self,
        (batch, m, n, k): (usize, usize, usize, usize),
        lhs_l: &Layout,
        rhs_l: &Layout,
    ) -> Result<Self> {
        self.same_device("matmul", rhs)?;
        let matmul = MatMul { shape: GemmShape { batch, m, n, k } };
        record(Operation::MatMul(matmul), &[(self, lhs_l), (rhs, rhs_l)])
    }
}
