//! The C functions of pools.

use super::descriptor::{Pooling, pooling, tensor};
use super::handle::Handle;
use super::images::Images;
use crate::exports::export;
use crate::runtime::fault::Fault;
use crate::runtime::stream::Task;
use rocm_sys::implement::miopen::write;
use rocm_sys::miopen::{
    miopenHandle_t, miopenPoolingDescriptor_t, miopenPoolingMode_t, miopenStatus_t, miopenTensorDescriptor_t,
};
use std::ffi::{c_int, c_void};

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
        // The window's pixels that are in the image.
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

export! {
    miopen => EXPORTS;

    fn miopenGetPoolingForwardOutputDim(
        descriptor: miopenPoolingDescriptor_t, x: miopenTensorDescriptor_t, n: *mut c_int, c: *mut c_int, h: *mut c_int,
        w: *mut c_int,
    ) -> miopenStatus_t {
        let (pool, x) = (pooling(descriptor as usize)?, tensor(x as usize)?);
        let &[batch, channels, height, width] = x.dims.as_slice() else { return Err(BAD) };
        let sizes = [(n, batch), (c, channels), (h, pool.count(height, 0)?), (w, pool.count(width, 1)?)];
        for (out, size) in sizes {
            // SAFETY: the caller vouches for the pointers.
            unsafe { write(out, size as c_int) }?;
        }
        Ok(())
    }

    /// For inference: where the largest elements are is not written down.
    fn miopenPoolingForward(
        handle: miopenHandle_t, descriptor: miopenPoolingDescriptor_t, alpha: *const c_void,
        x_descriptor: miopenTensorDescriptor_t, x: *const c_void, beta: *const c_void,
        y_descriptor: miopenTensorDescriptor_t, y: *mut c_void, do_backward: bool, _workspace: *mut c_void,
        _size: usize,
    ) -> miopenStatus_t {
        let pool = pooling(descriptor as usize)?;
        let (x_tensor, y_tensor) = (tensor(x_descriptor as usize)?, tensor(y_descriptor as usize)?);
        if [x, y, alpha, beta].contains(&std::ptr::null()) || x_tensor.of != y_tensor.of || pool.window[0] == 0 {
            return Err(BAD);
        }
        // SAFETY: the caller vouches for them.
        let factors = [alpha, beta].map(|factor| unsafe { factor.cast::<f32>().read_unaligned() });
        if factors != [1.0, 0.0] || do_backward {
            return Err(miopenStatus_t::miopenStatusNotImplemented);
        }
        let (x, y) = (Images::new(&x_tensor, x as usize)?, Images::new(&y_tensor, y as usize)?);
        let [n, c, height, width] = x.dims;
        if y.dims != [n, c, pool.count(height, 0)?, pool.count(width, 1)?] {
            return Err(BAD);
        }
        let task = Task::new("miopenPoolingForward", Box::new(move || pool.run(x, y)));
        Handle::with(handle, |handle| handle.submit(task))?
    }
}
