//! Operands of attention.

use candle_core::Layout;
use candle_core::backend::BackendDevice;
use candle_rocm::nn::{Attention, FullyMasked};
use candle_rocm::{RocmDType, RocmDevice, RocmStorage};

use super::bits::Number;
use crate::common::Random;

/// batch, heads, heads of keys, queries, keys, columns of keys, columns of values.
pub type Sizes = [usize; 7];

pub const PLAIN: Attention =
    Attention { scale: 0.7, softcapping: None, causal: false, fully_masked: FullyMasked::Zeros };
pub const CAUSAL: Attention = Attention { causal: true, ..PLAIN };
pub const CAPPED: Attention = Attention { scale: 1.5, softcapping: Some(2.5), ..CAUSAL };

/// Numbers on the CPU and on the device, in a layout.
pub struct Operand<T> {
    pub data: Vec<T>,
    pub layout: Layout,
    pub storage: RocmStorage,
}

impl<T: Number + RocmDType> Operand<T> {
    pub fn new(device: &RocmDevice, data: Vec<T>, layout: Layout) -> Self {
        let storage = device.storage_from_slice(&data).expect("upload");
        Self { data, layout, storage }
    }

    /// Numbers from -1 to 1 in a contiguous tensor that begins somewhere.
    pub fn random(device: &RocmDevice, dims: [usize; 4], seed: u64) -> Self {
        let (offset, mut random) = (5, Random(seed));
        let len = offset + dims.iter().product::<usize>();
        let data = (0..len).map(|_| T::from_f64(random.below(20_001) as f64 / 10_000.0 - 1.0)).collect();
        Self::new(device, data, Layout::contiguous_with_offset(&dims[..], offset))
    }

    pub fn transposed(mut self, a: usize, b: usize) -> Self {
        self.layout = self.layout.transpose(a, b).expect("dimensions");
        self
    }

    // Spelled out: the references call it for every product, and tests are compiled with few optimizations.
    pub fn at(&self, [a, b, c, d]: [usize; 4]) -> f64 {
        let stride = self.layout.stride();
        let step = a * stride[0] + b * stride[1] + c * stride[2] + d * stride[3];
        self.data[self.layout.start_offset() + step].value()
    }

    pub fn given(&self) -> (&RocmStorage, &Layout) {
        (&self.storage, &self.layout)
    }
}
