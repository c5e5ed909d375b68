//! Pooling.

use super::convolution::check_factors;
use super::descriptor::{Pooling, pooling, tensor};
use super::handle::Handle;
use super::images::Images;
use crate::exports::Host;
use crate::processor::Fault;
use crate::runtime::stream::Task;
use rocm_platform::arguments::write;
use rocm_platform::miopen::{MiopenResult, Poolings};
use rocm_platform::{export, miopen_pooling_exports};
use rocm_sys::miopen::{
    miopenPoolingDescriptor_t, miopenPoolingMode_t, miopenStatus_t, miopenTensorDescriptor_t,
};
use std::ffi::c_int;

const BAD: miopenStatus_t = miopenStatus_t::miopenStatusBadParm;

impl Pooling {
    /// Output pixels along an axis.
    fn count(&self, size: usize, d: usize) -> Result<usize, miopenStatus_t> {
        let steps = (size + 2 * self.padding[d]).checked_sub(self.window[d]).ok_or(BAD)?;
        Ok(steps / self.stride[d] + 1)
    }

    fn run(&self, x: Images, y: Images) -> Result<(), Fault> {
        x.check("x")?;
        y.check("y")?;
        let [batch, channels, x_h, x_w] = x.dims;
        let (y_h, y_w) = (y.dims[2], y.dims[3]);
        let (mut image, mut out) = (vec![0.0; x_h * x_w], vec![0.0; y_h * y_w]);
        // The part of the window that is inside the image.
        let inside = |o: usize, d: usize, size: usize| {
            let begin = (o * self.stride[d]).saturating_sub(self.padding[d]);
            begin..(o * self.stride[d] + self.window[d]).saturating_sub(self.padding[d]).min(size)
        };
        for (b, c) in (0..batch).flat_map(|b| (0..channels).map(move |c| (b, c))) {
            x.read(b, c..c + 1, &mut image);
            for (oy, ox) in (0..y_h).flat_map(|y| (0..y_w).map(move |x| (y, x))) {
                let (ys, xs) = (inside(oy, 0, x_h), inside(ox, 1, x_w));
                let count = (ys.len() * xs.len()) as f32;
                let values = ys.flat_map(|y| xs.clone().map(move |x| y * x_w + x)).map(|at| image[at]);
                out[oy * y_w + ox] = match miopenPoolingMode_t(self.mode) {
                    miopenPoolingMode_t::miopenPoolingMax => values.fold(f32::MIN, f32::max),
                    miopenPoolingMode_t::miopenPoolingAverage => values.sum::<f32>() / count,
                    _ => values.sum::<f32>() / (self.window[0] * self.window[1]) as f32,
                };
            }
            y.store(b, c..c + 1, &out);
        }
        Ok(())
    }
}

impl Poolings for Host {
    /// Inference only: the indices of maxima are not stored.
    unsafe fn forward(call: &rocm_platform::miopen::Pooling) -> MiopenResult {
        let pooling = pooling(call.pooling)?;
        let (x_tensor, y_tensor) = (tensor(call.x_descriptor)?, tensor(call.y_descriptor)?);
        if call.x.is_null() || call.y.is_null() || x_tensor.of != y_tensor.of || pooling.window[0] == 0 {
            return Err(BAD);
        }
        // SAFETY: the caller vouches for them.
        unsafe { check_factors(call.factors)? };
        if call.for_training {
            return Err(miopenStatus_t::miopenStatusNotImplemented);
        }
        let (x, y) = (Images::new(&x_tensor, call.x as usize)?, Images::new(&y_tensor, call.y as usize)?);
        let [n, c, height, width] = x.dims;
        if y.dims != [n, c, pooling.count(height, 0)?, pooling.count(width, 1)?] {
            return Err(BAD);
        }
        let task = Task::new("miopenPoolingForward", Box::new(move || pooling.run(x, y)));
        Handle::with(call.handle, |handle| handle.submit(task))?
    }
}

miopen_pooling_exports! { Host }

export! {
    Host, miopen => SIZE_EXPORTS;

    fn miopenGetPoolingForwardOutputDim(
        descriptor: miopenPoolingDescriptor_t, x: miopenTensorDescriptor_t, n: *mut c_int, c: *mut c_int, h: *mut c_int,
        w: *mut c_int,
    ) -> miopenStatus_t {
        let (pooling, x) = (pooling(descriptor)?, tensor(x)?);
        let &[batch, channels, height, width] = x.dims.as_slice() else { return Err(BAD) };
        let sizes = [(n, batch), (c, channels), (h, pooling.count(height, 0)?), (w, pooling.count(width, 1)?)];
        for (out, size) in sizes {
            // SAFETY: the caller vouches for the pointers.
            unsafe { write(out, size as c_int)? };
        }
        Ok(())
    }
}
