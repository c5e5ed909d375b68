//! The arithmetic of a product, once the stream gets to it: D = alpha op(A) op(B) + beta C, column by column.

use crate::processor::Fault;
use crate::runtime::registry::{self, MemoryKind};
use gemm::Parallelism;
use half::slice::HalfFloatSliceExt;
use half::{bf16, f16};
use rocm_sys::hip::hipError_t;

/// The type of elements and scalars.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Type {
    F16,
    Bf16,
    F32,
    F64,
}

impl Type {
    pub(super) fn size(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}

/// The matrices of one operand, one per batch, in column-major order.
#[derive(Clone, Copy)]
pub(super) struct Matrices {
    pub(super) address: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) ld: usize,
    pub(super) stride: i64,
    pub(super) of: Type,
}

impl Matrices {
    /// Checks that all elements of all batches lie in one allocation of device memory.
    fn check(&self, name: &str, batch: usize) -> Result<(), Fault> {
        let size = self.of.size() as i128;
        let last = (batch as i128 - 1) * i128::from(self.stride);
        let begin = self.address as i128 + last.min(0) * size;
        let extent = (self.columns as i128 - 1) * self.ld as i128 + self.rows as i128;
        let end = self.address as i128 + (last.max(0) + extent) * size;
        let range = usize::try_from(begin).ok().zip(usize::try_from(end - begin).ok());
        let kind = range.map(|(begin, len)| registry::kind(begin, len));
        if matches!(kind, Some(Ok(MemoryKind::Device | MemoryKind::Pinned))) {
            return Ok(());
        }
        let near = registry::describe(self.address).unwrap_or_else(|| "not in memory of a device".to_owned());
        Err(Fault::new(
            hipError_t::hipErrorIllegalAddress,
            format!(
                "matrix {name} at {:#x} ({near}) is out of bounds: {batch} x {} x {} elements of {size} bytes, leading \
                 dimension {}, stride {}",
                self.address, self.rows, self.columns, self.ld, self.stride
            ),
        ))
    }

    fn of_batch(&self, index: usize) -> usize {
        let bytes = index as i128 * i128::from(self.stride) * self.of.size() as i128;
        (self.address as i128 + bytes) as usize
    }
}

/// A scalar: its value, or its address.
#[derive(Clone, Copy)]
pub(super) enum Factor {
    Value(f64),
    At(usize, Type),
}

impl Factor {
    fn value(self) -> Result<f64, Fault> {
        let (address, of) = match self {
            Self::Value(value) => return Ok(value),
            Self::At(address, of) => (address, of),
        };
        if !matches!(registry::kind(address, of.size()), Ok(MemoryKind::Device | MemoryKind::Pinned)) {
            return Err(Fault::new(
                hipError_t::hipErrorIllegalAddress,
                format!(
                    "the scalar at {address:#x} is not in device memory, but the handle's pointer mode is `device`"
                ),
            ));
        }
        // SAFETY: the memory is there.
        Ok(unsafe { read_scalar(address, of) })
    }
}

/// # Safety
/// There is such a number at the address.
pub(super) unsafe fn read_scalar(address: usize, of: Type) -> f64 {
    // SAFETY: the caller vouches for it.
    unsafe {
        match of {
            Type::F16 => (address as *const f16).read_unaligned().to_f64(),
            Type::Bf16 => (address as *const bf16).read_unaligned().to_f64(),
            Type::F32 => f64::from((address as *const f32).read_unaligned()),
            Type::F64 => (address as *const f64).read_unaligned(),
        }
    }
}

/// A product whose arguments have been checked.
pub(super) struct Product {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) batch: usize,
    pub(super) alpha: Factor,
    pub(super) beta: Factor,
    /// As stored, before `op`.
    pub(super) a: Matrices,
    pub(super) b: Matrices,
    pub(super) transposed_a: bool,
    pub(super) transposed_b: bool,
    pub(super) c: Matrices,
    pub(super) d: Matrices,
    /// Whether sums are f64; else they are f32.
    pub(super) double: bool,
}

impl Product {
    pub(super) fn run(&self) -> Result<(), Fault> {
        let beta = self.beta.value()?;
        // With alpha 0, A and B are not read.
        let alpha = if self.k == 0 { 0.0 } else { self.alpha.value()? };
        self.d.check("D", self.batch)?;
        if alpha != 0.0 {
            self.a.check("A", self.batch)?;
            self.b.check("B", self.batch)?;
        }
        if beta != 0.0 {
            self.c.check("C", self.batch)?;
        }
        if self.double {
            self.batches::<f64>(alpha, beta)
        } else {
            self.batches::<f32>(alpha as f32, beta as f32)
        }
        Ok(())
    }

    fn batches<T: Real>(&self, alpha: T, beta: T) {
        let (mut a, mut b) = (Wide::new(&self.a), Wide::new(&self.b));
        let mut products = vec![T::ZERO; self.m * self.n];
        for index in 0..self.batch {
            if alpha != T::ZERO {
                let (a, a_ld) = a.batch(index);
                let (b, b_ld) = b.batch(index);
                let (a_cs, a_rs) = if self.transposed_a { (1, a_ld) } else { (a_ld, 1) };
                let (b_cs, b_rs) = if self.transposed_b { (1, b_ld) } else { (b_ld, 1) };
                // SAFETY: the matrices were checked, or are copies of those; the result has m times n elements.
                unsafe {
                    gemm::gemm(
                        self.m,
                        self.n,
                        self.k,
                        products.as_mut_ptr(),
                        self.m as isize,
                        1,
                        false,
                        a,
                        a_cs as isize,
                        a_rs as isize,
                        b,
                        b_cs as isize,
                        b_rs as isize,
                        T::ZERO,
                        T::ONE,
                        false,
                        false,
                        false,
                        parallelism(self.m * self.n * self.k),
                    );
                }
            }
            for (column, products) in products.chunks_exact_mut(self.m).enumerate() {
                let c = self.c.of_batch(index) + column * self.c.ld * self.c.of.size();
                let d = self.d.of_batch(index) + column * self.d.ld * self.d.of.size();
                if beta != T::ZERO {
                    for (row, product) in products.iter_mut().enumerate() {
                        // SAFETY: C was checked.
                        let c = unsafe { read_scalar(c + row * self.c.of.size(), self.c.of) };
                        let scaled = if alpha == T::ZERO { T::ZERO } else { alpha * *product };
                        *product = scaled + beta * T::from_f64(c);
                    }
                } else if alpha != T::ZERO && alpha != T::ONE {
                    products.iter_mut().for_each(|product| *product = alpha * *product);
                }
                // SAFETY: D was checked.
                unsafe { T::store(products, d, self.d.of) };
                if alpha == T::ZERO {
                    products.fill(T::ZERO);
                }
            }
        }
    }
}

fn parallelism(work: usize) -> Parallelism {
    if work < 1 << 18 { Parallelism::None } else { Parallelism::Rayon(0) }
}

/// The type of sums.
trait Real: Copy + PartialEq + std::ops::Mul<Output = Self> + std::ops::Add<Output = Self> + 'static {
    const ZERO: Self;
    const ONE: Self;
    fn from_f64(value: f64) -> Self;
    /// Whether elements of a type need no conversion.
    fn is(of: Type) -> bool;
    /// # Safety
    /// There are as many elements at the address as `out` has.
    unsafe fn widen(address: usize, of: Type, out: &mut [Self]);
    /// # Safety
    /// There is room for as many elements at the address as there are values.
    unsafe fn store(values: &[Self], address: usize, of: Type);
}

impl Real for f32 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn from_f64(value: f64) -> Self {
        value as f32
    }

    fn is(of: Type) -> bool {
        of == Type::F32
    }

    unsafe fn widen(address: usize, of: Type, out: &mut [Self]) {
        // SAFETY: the caller vouches for the elements, which are aligned as all of rocBLAS's are.
        unsafe {
            match of {
                Type::F16 => {
                    std::slice::from_raw_parts(address as *const f16, out.len()).convert_to_f32_slice(out)
                }
                Type::Bf16 => {
                    std::slice::from_raw_parts(address as *const bf16, out.len()).convert_to_f32_slice(out);
                }
                Type::F32 | Type::F64 => unreachable!("used where they are"),
            }
        }
    }

    unsafe fn store(values: &[Self], address: usize, of: Type) {
        // SAFETY: the caller vouches for the room.
        unsafe {
            match of {
                Type::F16 => {
                    std::slice::from_raw_parts_mut(address as *mut f16, values.len())
                        .convert_from_f32_slice(values);
                }
                Type::Bf16 => {
                    std::slice::from_raw_parts_mut(address as *mut bf16, values.len())
                        .convert_from_f32_slice(values);
                }
                Type::F32 => (address as *mut f32).copy_from_nonoverlapping(values.as_ptr(), values.len()),
                Type::F64 => unreachable!("sums of f64 are f64"),
            }
        }
    }
}

impl Real for f64 {
    const ZERO: Self = 0.0;
    const ONE: Self = 1.0;

    fn from_f64(value: f64) -> Self {
        value
    }

    fn is(of: Type) -> bool {
        of == Type::F64
    }

    unsafe fn widen(_: usize, of: Type, _: &mut [Self]) {
        unreachable!("no product of {of:?} has sums of f64")
    }

    unsafe fn store(values: &[Self], address: usize, _: Type) {
        // SAFETY: the caller vouches for the room.
        unsafe { (address as *mut f64).copy_from_nonoverlapping(values.as_ptr(), values.len()) }
    }
}

/// Matrices in the type of sums: in place, or converted one at a time.
struct Wide<'a, T> {
    matrices: &'a Matrices,
    copy: Vec<T>,
    /// Which batch `copy` holds.
    holds: Option<usize>,
}

impl<'a, T: Real> Wide<'a, T> {
    fn new(matrices: &'a Matrices) -> Self {
        Self { matrices, copy: Vec::new(), holds: None }
    }

    /// The matrix of a batch and its leading dimension. It has been checked.
    fn batch(&mut self, index: usize) -> (*const T, usize) {
        let Matrices { rows, columns, ld, stride, of, .. } = *self.matrices;
        let address = self.matrices.of_batch(index);
        if T::is(of) {
            return (address as *const T, ld);
        }
        if self.holds.is_none() || (self.holds != Some(index) && stride != 0) {
            self.copy.resize(rows * columns, T::ZERO);
            for (column, out) in self.copy.chunks_exact_mut(rows).enumerate() {
                // SAFETY: the matrix was checked.
                unsafe { T::widen(address + column * ld * of.size(), of, out) };
            }
            self.holds = Some(index);
        }
        (self.copy.as_ptr(), rows)
    }
}
