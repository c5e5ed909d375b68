//! Images in memory, and the arithmetic of convolutions.

use super::descriptor::{self, Convolution, Tensor};
use crate::processor::Fault;
use crate::runtime::registry::{self, MemoryKind};
use gemm::Parallelism;
use half::{bf16, f16};
use rocm_platform::miopen::{Direction, MiopenResult};
use rocm_sys::hip::hipError_t;
use rocm_sys::miopen::{miopenDataType_t, miopenStatus_t};

/// The type of elements. Sums are f32.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Type {
    F16,
    Bf16,
    F32,
}

impl Type {
    fn size(self) -> usize {
        if self == Self::F32 { 4 } else { 2 }
    }

    /// # Safety
    /// There is such a number at the address.
    unsafe fn read(self, address: usize) -> f32 {
        // SAFETY: the caller vouches for it.
        unsafe {
            match self {
                Self::F16 => (address as *const f16).read_unaligned().to_f32(),
                Self::Bf16 => (address as *const bf16).read_unaligned().to_f32(),
                Self::F32 => (address as *const f32).read_unaligned(),
            }
        }
    }

    /// # Safety
    /// There is room for such a number at the address.
    unsafe fn write(self, address: usize, value: f32) {
        // SAFETY: the caller vouches for it.
        unsafe {
            match self {
                Self::F16 => (address as *mut f16).write_unaligned(f16::from_f32(value)),
                Self::Bf16 => (address as *mut bf16).write_unaligned(bf16::from_f32(value)),
                Self::F32 => (address as *mut f32).write_unaligned(value),
            }
        }
    }
}

/// Images, or convolution kernels: four dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Images {
    address: usize,
    of: Type,
    pub(super) dims: [usize; 4],
    strides: [usize; 4],
}

impl Images {
    pub(super) fn new(tensor: &Tensor, address: usize) -> MiopenResult<Self> {
        let of = match miopenDataType_t(tensor.of) {
            miopenDataType_t::miopenHalf => Type::F16,
            miopenDataType_t::miopenBFloat16 => Type::Bf16,
            miopenDataType_t::miopenFloat => Type::F32,
            _ => return Err(miopenStatus_t::miopenStatusNotImplemented),
        };
        let four = |words: &[usize]| <[usize; 4]>::try_from(words).ok();
        let sizes = four(&tensor.dims).zip(four(&tensor.strides));
        let (dims, strides) = sizes.ok_or(miopenStatus_t::miopenStatusNotImplemented)?;
        Ok(Self { address, of, dims, strides })
    }

    /// Checks that all elements lie in one allocation of device memory.
    pub(super) fn check(&self, name: &str) -> Result<(), Fault> {
        let last: usize = self.dims.iter().zip(self.strides).map(|(dim, stride)| (dim - 1) * stride).sum();
        check_memory(name, self.address, (last + 1) * self.of.size())
    }

    fn element(&self, [a, b, c, d]: [usize; 4]) -> usize {
        let [sa, sb, sc, sd] = self.strides;
        self.address + (a * sa + b * sb + c * sc + d * sd) * self.of.size()
    }

    fn each(&self, outer: usize, channels: std::ops::Range<usize>, mut f: impl FnMut(usize, usize)) {
        let [_, _, height, width] = self.dims;
        let mut index = 0;
        for channel in channels {
            for y in 0..height {
                for x in 0..width {
                    f(index, self.element([outer, channel, y, x]));
                    index += 1;
                }
            }
        }
    }

    /// Channels of an image; the caller has checked the memory.
    pub(super) fn read(&self, outer: usize, channels: std::ops::Range<usize>, out: &mut [f32]) {
        // SAFETY: the memory was checked.
        self.each(outer, channels, |index, address| out[index] = unsafe { self.of.read(address) });
    }

    pub(super) fn store(&self, outer: usize, channels: std::ops::Range<usize>, values: &[f32]) {
        // SAFETY: the memory was checked.
        self.each(outer, channels, |index, address| unsafe { self.of.write(address, values[index]) });
    }
}

fn check_memory(name: &str, address: usize, bytes: usize) -> Result<(), Fault> {
    if matches!(registry::kind(address, bytes), Ok(MemoryKind::Device | MemoryKind::Pinned)) {
        return Ok(());
    }
    let near = registry::describe(address).unwrap_or_else(|| "not in memory of a device".to_owned());
    Err(Fault::new(
        hipError_t::hipErrorIllegalAddress,
        format!("{name} at {address:#x} ({near}) is out of bounds: it has {bytes} bytes"),
    ))
}

/// A convolution from x to y, or its gradient with respect to x.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Problem {
    direction: Direction,
    x: Tensor,
    w: Tensor,
    y: Tensor,
    convolution: Convolution,
}

impl Problem {
    /// Reads the descriptors, and checks that they fit together.
    pub(super) fn new(call: &rocm_platform::miopen::Convolution) -> MiopenResult<Self> {
        const BAD: miopenStatus_t = miopenStatus_t::miopenStatusBadParm;
        let (x, w, y) =
            (descriptor::tensor(call.x)?, descriptor::tensor(call.w)?, descriptor::tensor(call.y)?);
        let convolution = descriptor::convolution(call.convolution)?;
        if x.of != w.of || x.of != y.of || x.dims.len() != w.dims.len() || x.dims.len() != y.dims.len() {
            return Err(BAD);
        }
        let ([n, c, ..], [k, channels, ..], [y_n, y_k, ..]) =
            (Images::new(&x, 0)?.dims, Images::new(&w, 0)?.dims, Images::new(&y, 0)?.dims);
        if convolution.transposed {
            return Err(miopenStatus_t::miopenStatusNotImplemented);
        }
        if c != channels * convolution.groups || k % convolution.groups != 0 || (n, k) != (y_n, y_k) {
            return Err(BAD);
        }
        for d in 0..2 {
            let reach = (w.dims[d + 2] - 1) * convolution.dilation[d] + 1;
            let steps = (x.dims[d + 2] + 2 * convolution.padding[d]).checked_sub(reach).ok_or(BAD)?;
            if y.dims[d + 2] != steps / convolution.stride[d] + 1 {
                return Err(BAD);
            }
        }
        Ok(Self { direction: call.direction, x, w, y, convolution })
    }

    /// Bytes of the im2col matrix of one group of one image.
    pub(super) fn workspace(&self) -> usize {
        self.w.dims[1..].iter().chain(&self.y.dims[2..]).product::<usize>() * size_of::<f32>()
    }

    /// Addresses are those of x, w and y.
    pub(super) fn run(&self, [x, w, y]: [usize; 3], workspace: usize) -> Result<(), Fault> {
        let images = |tensor, address| {
            Images::new(tensor, address)
                .map_err(|_| Fault::launch_failure("convolution of an unsupported tensor"))
        };
        let (x, w, y) = (images(&self.x, x)?, images(&self.w, w)?, images(&self.y, y)?);
        x.check("x")?;
        w.check("w")?;
        y.check("y")?;
        check_memory("the workspace", workspace, self.workspace())?;
        // SAFETY: the workspace was checked, and nobody else uses it until the stream is done with this.
        let im2col = unsafe {
            std::slice::from_raw_parts_mut(workspace as *mut f32, self.workspace() / size_of::<f32>())
        };
        let groups = self.convolution.groups;
        let [c_out, c_in, k_h, k_w] = w.dims;
        let (c_out, rows, count) = (c_out / groups, c_in * k_h * k_w, y.dims[2] * y.dims[3]);
        let mut weights = vec![0.0; groups * c_out * rows];
        for (o, weights) in weights.chunks_exact_mut(rows).enumerate() {
            w.read(o, 0..c_in, weights);
        }
        let mut image = vec![0.0; c_in * x.dims[2] * x.dims[3]];
        let mut out = vec![0.0; c_out * count];
        for (b, g) in (0..x.dims[0]).flat_map(|b| (0..groups).map(move |g| (b, g))) {
            let (x_channels, y_channels) = (g * c_in..(g + 1) * c_in, g * c_out..(g + 1) * c_out);
            let weights = &weights[g * c_out * rows..][..c_out * rows];
            match self.direction {
                Direction::Forward => {
                    x.read(b, x_channels, &mut image);
                    self.im2col(&image, im2col);
                    product(&mut out, (weights, false), im2col, [c_out, count, rows]);
                    y.store(b, y_channels, &out);
                }
                Direction::BackwardData => {
                    y.read(b, y_channels, &mut out);
                    product(im2col, (weights, true), &out, [rows, count, c_out]);
                    self.col2im(im2col, &mut image);
                    x.store(b, x_channels, &image);
                }
            }
        }
        Ok(())
    }

    /// The matrix of a row per weight and a column per output pixel, each element the input pixel that they multiply.
    fn im2col(&self, image: &[f32], matrix: &mut [f32]) {
        matrix.fill(0.0);
        self.runs(|element, pixel, count, step| {
            let run = &mut matrix[element..][..count];
            run.iter_mut().enumerate().for_each(|(i, value)| *value = image[pixel + i * step]);
        });
    }

    /// The image of which each pixel is the sum of its elements in such a matrix.
    fn col2im(&self, matrix: &[f32], image: &mut [f32]) {
        image.fill(0.0);
        self.runs(|element, pixel, count, step| {
            let run = &matrix[element..][..count];
            run.iter().enumerate().for_each(|(i, value)| image[pixel + i * step] += value);
        });
    }

    /// Calls `each` for runs of neighbouring elements of the im2col matrix that are pixels of x, with the index of the first
    /// element, that of its pixel, their number, and the step between pixels. Padding is in no run.
    fn runs(&self, mut each: impl FnMut(usize, usize, usize, usize)) {
        let Convolution { padding, stride, dilation, .. } = self.convolution;
        let (&[c_in, k_h, k_w], &[x_h, x_w], &[y_h, y_w]) =
            (sizes(&self.w.dims[1..]), sizes(&self.x.dims[2..]), sizes(&self.y.dims[2..]));
        // The outputs that read something for this tap.
        let range = |tap: usize, d: usize, size: usize, count: usize| {
            let at = tap * dilation[d];
            let begin = padding[d].saturating_sub(at).div_ceil(stride[d]);
            begin..(size + padding[d]).saturating_sub(at).div_ceil(stride[d]).min(count).max(begin)
        };
        for (row, (c, ky, kx)) in
            (0..c_in).flat_map(|c| (0..k_h).flat_map(move |y| (0..k_w).map(move |x| (c, y, x)))).enumerate()
        {
            let xs = range(kx, 1, x_w, y_w);
            if xs.is_empty() {
                continue;
            }
            let first = xs.start * stride[1] + kx * dilation[1] - padding[1];
            for oy in range(ky, 0, x_h, y_h) {
                let iy = oy * stride[0] + ky * dilation[0] - padding[0];
                let element = (row * y_h + oy) * y_w + xs.start;
                each(element, (c * x_h + iy) * x_w + first, xs.len(), stride[1]);
            }
        }
    }
}

/// Dimensions whose number has been checked.
fn sizes<const N: usize>(dims: &[usize]) -> &[usize; N] {
    dims.try_into().unwrap_or(&[0; N])
}

/// out [m, n] = a [m, k] b [k, n]; a may be stored transposed.
fn product(out: &mut [f32], (a, transposed): (&[f32], bool), b: &[f32], [m, n, k]: [usize; 3]) {
    let (a_cs, a_rs) = if transposed { (m as isize, 1) } else { (1, k as isize) };
    let parallelism = if m * n * k < 1 << 18 { Parallelism::None } else { Parallelism::Rayon(0) };
    assert!(out.len() == m * n && a.len() == m * k && b.len() == k * n, "matrices of {m}, {n}, {k}");
    // SAFETY: the matrices have that many elements.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            out.as_mut_ptr(),
            1,
            n as isize,
            false,
            a.as_ptr(),
            a_cs,
            a_rs,
            b.as_ptr(),
            1,
            n as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            parallelism,
        );
    }
}
