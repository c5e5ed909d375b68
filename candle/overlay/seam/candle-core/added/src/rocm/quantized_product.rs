//! Products with quantized weights whose input needs a gradient.

use std::sync::Arc;

use crate::quantized::QTensor;
use crate::{
    CpuStorage, CudaStorage, CustomOp1, DType, Layout, MetalStorage, Result, RocmStorage, Shape, Tensor, D,
};

/// The product of an input with quantized weights, which stay as they are.
pub(crate) struct QuantizedProduct(pub(crate) Arc<QTensor>);

impl CustomOp1 for QuantizedProduct {
    fn name(&self) -> &'static str {
        self.0.as_ref().name()
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        self.0.as_ref().cpu_fwd(storage, layout)
    }

    fn cuda_fwd(&self, storage: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        self.0.as_ref().cuda_fwd(storage, layout)
    }

    fn metal_fwd(&self, storage: &MetalStorage, layout: &Layout) -> Result<(MetalStorage, Shape)> {
        self.0.as_ref().metal_fwd(storage, layout)
    }

    fn rocm_fwd(&self, storage: &RocmStorage, layout: &Layout) -> Result<(RocmStorage, Shape)> {
        self.0.as_ref().rocm_fwd(storage, layout)
    }

    /// `dy` times the weights, which are dequantized for it.
    fn bwd(&self, x: &Tensor, _y: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        let n = dy.dim(D::Minus1)?;
        let dy = dy.to_dtype(DType::F32)?.reshape(((), n))?;
        let weights = self.0.dequantize(dy.device())?;
        dy.matmul(&weights)?.reshape(x.shape())?.to_dtype(x.dtype()).map(Some)
    }
}
