//! candle's storage trait: each operation is a type of the family named after it.

use candle_core::backend::BackendStorage;
use candle_core::conv::{ParamsConv1D, ParamsConv2D, ParamsConvTranspose1D, ParamsConvTranspose2D};
use candle_core::op::{BinaryOpT, CmpOp, ReduceOp, UnaryOpT};
use candle_core::scalar::Scalar;
use candle_core::{CpuStorage, DType, Layout};

use crate::common::operand::Operand;
use crate::common::operation::{Nothing, One, Two, Write as _};
use crate::conv::pool::Pool;
use crate::conv::upsample::{Bilinear, Nearest};
use crate::conv::windows::Kind;
use crate::conv::{Convolution, Convolve, Convolved};
use crate::elementwise::affine::Affine;
use crate::elementwise::binary::{Binary, Compare};
use crate::elementwise::cast::Cast;
use crate::elementwise::fill::ConstSet;
use crate::elementwise::ternary::{Choice, WhereCond};
use crate::elementwise::unary::{Elu, Powf, Unary};
use crate::fusion::{record, whole_copy, write};
use crate::indexing::{Gather, IndexAdd, IndexSelect, Indexed, IndexedAdd, Scatter, Scattered};
use crate::layout::copy::{CopyRows, CopyTo, StridedRows};
use crate::matmul::{GemmShape, MatMul};
use crate::reduce::Reduce;
use crate::{RocmDevice, RocmError, RocmStorage};

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

fn convolve(params: Convolution, x: Operand<'_>, kernel: Operand<'_>) -> Result<RocmStorage> {
    record(Convolve::new(params, x.1.dims().len()), Convolved { x, kernel })
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
        record(Affine { mul, add }, One { x: (self, layout) })
    }

    fn powf(&self, layout: &Layout, e: f64) -> Result<Self> {
        record(Powf(e), One { x: (self, layout) })
    }

    fn elu(&self, layout: &Layout, alpha: f64) -> Result<Self> {
        record(Elu(alpha), One { x: (self, layout) })
    }

    fn cmp(&self, op: CmpOp, rhs: &Self, lhs_l: &Layout, rhs_l: &Layout) -> Result<Self> {
        record(Compare(op), Two { lhs: (self, lhs_l), rhs: (rhs, rhs_l) })
    }

    fn to_dtype(&self, layout: &Layout, dtype: DType) -> Result<Self> {
        record(Cast(dtype), One { x: (self, layout) })
    }

    fn unary_impl<B: UnaryOpT>(&self, layout: &Layout) -> Result<Self> {
        record(Unary { op: B::NAME, kernel: B::KERNEL }, One { x: (self, layout) })
    }

    fn binary_impl<B: BinaryOpT>(&self, rhs: &Self, lhs_l: &Layout, rhs_l: &Layout) -> Result<Self> {
        let operation = Binary { op: B::NAME, kernel: B::KERNEL };
        record(operation, Two { lhs: (self, lhs_l), rhs: (rhs, rhs_l) })
    }

    fn where_cond(&self, layout: &Layout, t: &Self, t_l: &Layout, f: &Self, f_l: &Layout) -> Result<Self> {
        record(WhereCond, Choice { condition: (self, layout), on_true: (t, t_l), on_false: (f, f_l) })
    }

    fn copy_strided_src(&self, dst: &mut Self, dst_offset: usize, src_l: &Layout) -> Result<()> {
        let operation = CopyTo { offset: dst_offset };
        self.same_device(operation.name(), dst)?;
        if dst_offset == 0
            && let Some(copy) = whole_copy((self, src_l), dst)
        {
            *dst = copy;
            return Ok(());
        }
        write(operation, dst, One { x: (self, src_l) })
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
        let rows = StridedRows { d1, d2, src_stride1, dst_stride1, src_offset, dst_offset };
        let operation = CopyRows { src: self, rows };
        self.same_device(operation.name(), dst)?;
        write(operation, dst, Nothing)
    }

    fn const_set(&mut self, value: Scalar, layout: &Layout) -> Result<()> {
        write(ConstSet { value, layout }, self, Nothing)
    }

    fn reduce_op(&self, op: ReduceOp, layout: &Layout, dims: &[usize]) -> Result<Self> {
        record(Reduce { op, dims: dims.into() }, One { x: (self, layout) })
    }

    fn conv1d(&self, l: &Layout, kernel: &Self, kernel_l: &Layout, params: &ParamsConv1D) -> Result<Self> {
        convolve(readable("conv1d", params)?, (self, l), (kernel, kernel_l))
    }

    fn conv_transpose1d(
        &self,
        l: &Layout,
        kernel: &Self,
        kernel_l: &Layout,
        params: &ParamsConvTranspose1D,
    ) -> Result<Self> {
        convolve(readable("conv_transpose1d", params)?, (self, l), (kernel, kernel_l))
    }

    fn conv2d(&self, l: &Layout, kernel: &Self, kernel_l: &Layout, params: &ParamsConv2D) -> Result<Self> {
        convolve(readable("conv2d", params)?, (self, l), (kernel, kernel_l))
    }

    fn conv_transpose2d(
        &self,
        l: &Layout,
        kernel: &Self,
        kernel_l: &Layout,
        params: &ParamsConvTranspose2D,
    ) -> Result<Self> {
        convolve(readable("conv_transpose2d", params)?, (self, l), (kernel, kernel_l))
    }

    fn avg_pool2d(&self, layout: &Layout, window: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        record(Pool { kind: Kind::Average, window, stride }, One { x: (self, layout) })
    }

    fn max_pool2d(&self, layout: &Layout, window: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        record(Pool { kind: Kind::Max, window, stride }, One { x: (self, layout) })
    }

    fn upsample_nearest1d(&self, layout: &Layout, size: usize) -> Result<Self> {
        record(Nearest::of_lines(size), One { x: (self, layout) })
    }

    fn upsample_nearest2d(&self, layout: &Layout, height: usize, width: usize) -> Result<Self> {
        record(Nearest::of_images(height, width), One { x: (self, layout) })
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
        let operation = Bilinear { size: [height, width], align_corners, factors: [scale_h, scale_w] };
        record(operation, One { x: (self, layout) })
    }

    fn gather(&self, l: &Layout, ids: &Self, ids_l: &Layout, dim: usize) -> Result<Self> {
        record(Gather { dim }, Indexed { source: (self, l), ids: (ids, ids_l) })
    }

    fn scatter_set(
        &mut self,
        layout: &Layout,
        ids: &Self,
        ids_l: &Layout,
        src: &Self,
        src_l: &Layout,
        dim: usize,
    ) -> Result<()> {
        write(
            Scatter { layout, dim, adds: false },
            self,
            Scattered { ids: (ids, ids_l), source: (src, src_l) },
        )
    }

    fn scatter_add_set(
        &mut self,
        layout: &Layout,
        ids: &Self,
        ids_l: &Layout,
        src: &Self,
        src_l: &Layout,
        dim: usize,
    ) -> Result<()> {
        write(
            Scatter { layout, dim, adds: true },
            self,
            Scattered { ids: (ids, ids_l), source: (src, src_l) },
        )
    }

    fn index_select(&self, ids: &Self, l: &Layout, ids_l: &Layout, dim: usize) -> Result<Self> {
        record(IndexSelect { dim }, Indexed { source: (self, l), ids: (ids, ids_l) })
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
        let operands = IndexedAdd { base: (self, l), ids: (ids, ids_l), source: (src, src_l) };
        record(IndexAdd { dim }, operands)
    }

    fn matmul(
        &self,
        rhs: &Self,
        (batch, m, n, k): (usize, usize, usize, usize),
        lhs_l: &Layout,
        rhs_l: &Layout,
    ) -> Result<Self> {
        let operation = MatMul { shape: GemmShape { batch, m, n, k } };
        record(operation, Two { lhs: (self, lhs_l), rhs: (rhs, rhs_l) })
    }
}
