//! Products of the same rows with several matrices, and what is done with them: queries, keys and values, or a gate and the values that it
//! gates.
//!
//! A [`ProductLaunch`] describes them, whether the matrices are dense or quantized.
//!
//! Of 512 rows, what a gated unit computes, and a product with a residual:
//!
//! ```no_run
//! use candle_core::Layout;
//! use candle_rocm::products::{Epilogue, Linear, ProductLaunch, Products};
//! use candle_rocm::quantized::QStorage;
//! use candle_rocm::{RocmError, RocmStorage};
//!
//! # fn unit(x: RocmStorage, gate: QStorage, up: QStorage, down: QStorage) -> Result<Option<Products>, RocmError> {
//! let (rows, k, n) = (512, 4096, 14336);
//! let (x_l, inner_l) = (Layout::contiguous((rows, k)), Layout::contiguous((rows, n)));
//! let gated = [(&gate, (n, k)).into(), (&up, (n, k)).into()];
//! let Some(inner) = ProductLaunch::new((&x, &x_l), &gated).with(Epilogue::Gated).run()? else {
//!     // There is no such kernel: the operations one by one, as `QStorage::forward`.
//!     return Ok(None);
//! };
//! let down = [Linear::from((&down, (k, n))).plus((&x, &x_l))];
//! ProductLaunch::new((&inner.products[0], &inner_l), &down).run()
//! # }
//! ```

mod dense;
mod operands;
mod quantized;
mod streamed;
mod tiles;

use candle_core::{DType, Layout};
use smallvec::SmallVec;

use crate::common::observe::Written;
use crate::common::operand::{Operand, check_contiguous};
use crate::count::product;
use crate::hip::DevicePtr;
use crate::nn::AddNorm;
use crate::quantized::QStorage;
use crate::{Result, RocmError, RocmStorage};

pub(crate) use dense::MOST_ROWS;

/// Matrices of one launch.
pub(crate) const MOST_MATRICES: usize = 4;

/// Multiplies rows x by the transposes of up to four matrices: x is `[.., k]`, each matrix `[n, k]`, and each product `[.., n]`, contiguous.
/// What the layer adds, if anything, is added to its product, and then the epilogue is applied. One row, or up to eight with dense matrices,
/// take one launch. More than eight with quantized matrices are quantized once, and multiplied in tiles, whatever
/// [`QStorage::algorithm`] would choose: in a launch for each matrix, or one for a gate and what it gates.
///
/// Each step is rounded to the dtype of x. Results are bit for bit those of the separate operations with this crate's kernels (for
/// quantized matrices, those of [`Algorithm::Streamed`](crate::quantized::Algorithm::Streamed) for one row, and of
/// [`Algorithm::Tiles`](crate::quantized::Algorithm::Tiles) for many), except for the sign of f16 zeros after an activation or a gate. If x
/// is a norm, its squares are added in another order.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ProductLaunch<'a> {
    /// The rows x.
    pub rows: Rows<'a>,
    /// The matrices, all dense or all quantized, with what is added to their products.
    pub layers: &'a [Linear<'a>],
    /// The epilogue of the products.
    pub epilogue: Epilogue,
}

/// The rows x.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Rows<'a> {
    /// Rows `[.., k]`.
    Given((&'a RocmStorage, &'a Layout)),
    /// The norm of a sum, which the launch also returns. A single row of up to 16 KiB.
    NormOfSum(AddNorm<'a>),
}

/// A matrix, and what is added to its products.
#[derive(Clone, Copy, Debug)]
pub struct Linear<'a> {
    /// The matrix, `[n, k]`.
    pub weights: Weights<'a>,
    /// A bias `[n]`, or, with a quantized matrix, something of the products' shape, as a residual connection adds. Contiguous, in the dtype
    /// of the products.
    pub addend: Option<(&'a RocmStorage, &'a Layout)>,
}

/// A matrix `[n, k]`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Weights<'a> {
    /// Dense weights in the dtype of x.
    Dense((&'a RocmStorage, &'a Layout)),
    /// Quantized weights, with n and k.
    Quantized((&'a QStorage, (usize, usize))),
}

/// What is done with the products before they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Epilogue {
    /// Products are written unchanged.
    #[default]
    None,
    /// The activation of each product is written.
    Activation(Activation),
    /// The silu of the first product times the second is written: the gated linear unit of llama and most later models.
    Gated,
}

/// The activation that is applied to a product, after the addition. The numbers are those of `common/activations.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// candle's `relu`.
    Relu = 1,
    /// candle's `gelu`.
    Gelu = 2,
    /// candle's `gelu_erf`.
    GeluErf = 3,
    /// candle's `silu`.
    Silu = 4,
}

/// The results of a launch.
#[derive(Debug)]
#[non_exhaustive]
pub struct Products {
    /// The products, `[.., n]` each, in the order of their matrices. A single one if they are gated.
    pub products: Vec<RocmStorage>,
    /// The sum, if x is the norm of one.
    pub sum: Option<RocmStorage>,
}

impl<'a> ProductLaunch<'a> {
    /// A launch without an epilogue.
    pub fn new(rows: impl Into<Rows<'a>>, layers: &'a [Linear<'a>]) -> Self {
        Self { rows: rows.into(), layers, epilogue: Epilogue::None }
    }

    /// Sets the epilogue.
    #[must_use]
    pub fn with(self, epilogue: Epilogue) -> Self {
        Self { epilogue, ..self }
    }

    /// The name in counters, traces and errors.
    pub fn name(&self) -> &'static str {
        name(matches!(self.rows, Rows::NormOfSum(_)), self.is_quantized(), self.epilogue)
    }

    /// Launches the kernels. Returns `None` if there are no such kernels:
    ///
    /// - for more than four matrices or none, if k = 0, and for gates that are not two matrices to which nothing is added;
    /// - with dense matrices, for more than eight rows, f64, rows that are not dense or not at equal distances, gates whose rows are not
    ///   aligned alike, and if [`GemmEngine::Rocblas`](crate::GemmEngine::Rocblas) is set;
    /// - with quantized matrices, for two to eight rows, for types that have no kernels (F32, F16 and BF16), and if others are dense; for one
    ///   row also for activations, matrices of different types, and matrices that
    ///   [`Algorithm::Streamed`](crate::quantized::Algorithm::Streamed) does not support; for more than eight also if x is not f32, for gates
    ///   whose matrices differ in type or whose card has no matrix cores, and for more than 2^24 columns;
    /// - with norms, for several rows, for rows that are longer than 16 KiB, not contiguous or not aligned to 16 bytes, for results without
    ///   elements, and, with quantized matrices, for layer norms and norms without factors.
    ///
    /// # Errors
    /// [`RocmError::UnsupportedDType`] unless x is a float type, with quantized matrices f32, f16 or bf16; otherwise if matrices or what is added do not match the shape or
    /// dtype of x or are on another device, if what is added is not contiguous, and as [`rms_norm`](crate::nn::rms_norm) of the sum;
    /// [`RocmError::ShapeMismatch`] also if a gate's matrices differ in shape.
    pub fn run(&self) -> Result<Option<Products>> {
        if let (Epilogue::Gated, [gate, up]) = (self.epilogue, self.layers) {
            let [lhs, rhs] = [gate, up].map(|layer| layer.weights.dims());
            if lhs != rhs {
                let (lhs, rhs) = (lhs.to_vec(), rhs.to_vec());
                return Err(RocmError::ShapeMismatch { op: self.name(), lhs, rhs });
            }
        }
        if self.is_quantized() { quantized::run(self) } else { dense::run(self) }
    }

    fn is_quantized(&self) -> bool {
        matches!(self.layers, [Linear { weights: Weights::Quantized(_), .. }, ..])
    }

    /// How many products are written; `None` if kernels take another number of matrices.
    fn outputs(&self) -> Option<usize> {
        match (self.epilogue, self.layers) {
            (Epilogue::Gated, [Linear { addend: None, .. }, Linear { addend: None, .. }]) => Some(1),
            (Epilogue::Gated, _) => None,
            (_, layers) => Some(layers.len()).filter(|count| (1..=MOST_MATRICES).contains(count)),
        }
    }
}

impl<'a> Rows<'a> {
    /// The rows, or what has their device, shape and dtype.
    fn operand(&self) -> Operand<'a> {
        match *self {
            Self::Given(x) => x,
            Self::NormOfSum(norm) => norm.a,
        }
    }
}

impl Weights<'_> {
    fn dims(&self) -> SmallVec<[usize; 2]> {
        match *self {
            Self::Dense((_, layout)) => layout.dims().into(),
            Self::Quantized((_, (rows, columns))) => [rows, columns].into(),
        }
    }

    /// Whether launches with such a matrix compute norms of rows for themselves, if these are aligned.
    pub(crate) fn takes_norm(quantized: bool, centred: bool, dtype: DType, k: usize) -> bool {
        dense::takes_row(dtype, k) && !(quantized && centred)
    }
}

impl<'a> Linear<'a> {
    /// Adds this to the products.
    #[must_use]
    pub fn plus(self, addend: (&'a RocmStorage, &'a Layout)) -> Self {
        Self { addend: Some(addend), ..self }
    }

    /// Where what is added begins, for products of n elements with x, and its row stride, 0 for a bias. Something of the products' shape is
    /// only taken where they have so many rows.
    fn addend_at(
        &self,
        op: &'static str,
        x: &RocmStorage,
        n: usize,
        rows: Option<usize>,
    ) -> Result<Option<(DevicePtr, usize)>> {
        let Some((addend, layout)) = self.addend else { return Ok(None) };
        x.device.check_same(&addend.device, op)?;
        let dtype = addend.dtype();
        if dtype != x.dtype() {
            return Err(RocmError::DTypeMismatch { op, lhs: x.dtype(), rhs: dtype });
        }
        let per_row = match layout.dims() {
            &[len] if len == n => false,
            [outer @ .., last] if *last == n && rows.is_some() && product(outer) == rows => true,
            dims => {
                let lhs = rows.into_iter().chain([n]).collect();
                return Err(RocmError::ShapeMismatch { op, lhs, rhs: dims.to_vec() });
            }
        };
        check_contiguous(op, "addend", layout, addend.len())?;
        // Without elements, there may be none to point to.
        let start = if n == 0 { 0 } else { layout.start_offset() * dtype.size_in_bytes() };
        Ok(Some((addend.slice()?.address().byte_add(start), if per_row { n } else { 0 })))
    }
}

impl Epilogue {
    /// A number of `common/activations.h`.
    fn activation(self) -> u32 {
        match self {
            Self::Activation(activation) => activation as u32,
            Self::None | Self::Gated => 0,
        }
    }
}

impl Activation {
    /// What a kernel of `unary.hip` computes.
    pub(crate) fn of_kernel(name: &str) -> Option<Self> {
        match name {
            "urelu" => Some(Self::Relu),
            "ugelu" => Some(Self::Gelu),
            "ugelu_erf" => Some(Self::GeluErf),
            "usilu" => Some(Self::Silu),
            _ => None,
        }
    }
}

impl Written for Option<Products> {
    fn bytes(&self) -> Option<usize> {
        let Products { products, sum } = self.as_ref()?;
        Some(products.iter().chain(sum).filter_map(RocmStorage::bytes).sum())
    }
}

impl<'a> From<(&'a RocmStorage, &'a Layout)> for Rows<'a> {
    fn from(x: (&'a RocmStorage, &'a Layout)) -> Self {
        Self::Given(x)
    }
}

impl<'a> From<AddNorm<'a>> for Rows<'a> {
    fn from(norm: AddNorm<'a>) -> Self {
        Self::NormOfSum(norm)
    }
}

/// Nothing is added.
impl<'a> From<(&'a RocmStorage, &'a Layout)> for Linear<'a> {
    fn from(weights: (&'a RocmStorage, &'a Layout)) -> Self {
        Self { weights: Weights::Dense(weights), addend: None }
    }
}

/// Nothing is added.
impl<'a> From<(&'a QStorage, (usize, usize))> for Linear<'a> {
    fn from(weights: (&'a QStorage, (usize, usize))) -> Self {
        Self { weights: Weights::Quantized(weights), addend: None }
    }
}

/// What a launch is called, of rows that are the norm of a sum or given, with matrices that are quantized or dense.
pub(crate) fn name(of_norm: bool, quantized: bool, epilogue: Epilogue) -> &'static str {
    match (of_norm, quantized, epilogue == Epilogue::Gated) {
        (false, false, false) => "matmul-several",
        (false, false, true) => "matmul-silu-mul",
        (false, true, false) => "quantized-matmul-several",
        (false, true, true) => "quantized-matmul-silu-mul",
        (true, false, false) => "add-norm-matmul-several",
        (true, false, true) => "add-norm-matmul-silu-mul",
        (true, true, false) => "add-norm-quantized-matmul-several",
        (true, true, true) => "add-norm-quantized-matmul-silu-mul",
    }
}
