//! A handle, and what was prepared with it.

use std::ffi::c_void;
use std::path::Path;
use std::ptr;

use candle_core::DType;
use rocm_sys::LibraryKind;
use rocm_sys::miopen::{
    Miopen, miopenConvAlgoPerf_t, miopenConvBwdDataAlgorithm_t, miopenConvFwdAlgorithm_t, miopenHandle_t,
};

use super::descriptor::{ConvolutionDescriptor, PoolingDescriptor, TensorDescriptor};
use super::{checked, int};
use crate::conv::problem::Problem;
use crate::conv::windows::Windows;
use crate::hip::{Buffer, Device, DevicePtr, PerPlatform, Stream};
use crate::{Result, RocmDevice, RocmError};

/// How many of MIOpen's algorithms are timed at most.
pub(crate) const ALGORITHMS: usize = 4;

/// The factors of product and sum: as they are, and nothing added.
static ONE: f32 = 1.0;
static ZERO: f32 = 0.0;

/// MIOpen on one stream.
pub(super) struct Session {
    miopen: &'static Miopen,
    raw: miopenHandle_t,
    stream: Stream,
}

// SAFETY: the handle is used under the engine's lock.
unsafe impl Send for Session {}

/// The platform's MIOpen, opened once per process.
fn api(device: Device) -> Result<&'static Miopen> {
    static OPEN: PerPlatform<Miopen> = PerPlatform::new();
    OPEN.get_or_try_init(device.platform(), || {
        Ok(Miopen::new(device.runtime().companion(LibraryKind::Miopen)?))
    })
}

impl Session {
    pub(super) fn new(device: &RocmDevice) -> Result<Self> {
        let miopen = api(device.hip_device())?;
        let stream = device.queue().stream().clone();
        device.hip_device().bind()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for the call, and the stream lives as long as the session.
        unsafe { checked!(miopen.miopenCreateWithStream(&mut raw, stream.as_raw())) }?;
        Ok(Self { miopen, raw, stream })
    }

    /// MIOpen's file.
    pub(super) fn library(&self) -> &Path {
        self.miopen.library().path()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.stream.device().is_reachable_when_idle() {
            // SAFETY: the handle lives, and nobody else has it.
            let _ = unsafe { self.miopen.miopenDestroy(self.raw) };
        }
    }
}

#[derive(Clone, Copy)]
enum Algorithm {
    Forward(miopenConvFwdAlgorithm_t),
    /// Transposed convolutions: gradients with respect to the input.
    BackwardData(miopenConvBwdDataAlgorithm_t),
}

/// Algorithms for a convolution.
pub(super) struct ConvolutionPlan {
    x: TensorDescriptor,
    w: TensorDescriptor,
    out: TensorDescriptor,
    convolution: ConvolutionDescriptor,
    /// The best one first, each with the size of its workspace.
    algorithms: Vec<(Algorithm, usize)>,
}

impl ConvolutionPlan {
    /// What MIOpen thinks is best. It may write to `out` to find out.
    pub(super) fn find(
        session: &Session,
        device: &RocmDevice,
        p: &Problem,
        dtype: DType,
        [x, w, out]: [DevicePtr; 3],
        workspace: &Workspace,
    ) -> Result<Needing<Self>> {
        let (miopen, handle) = (session.miopen, session.raw);
        let tensor = |dims| TensorDescriptor::new(miopen, p.op, dtype, dims);
        let kernel = if p.transposed { [p.groups * p.c_in, p.c_out] } else { [p.groups * p.c_out, p.c_in] };
        let x_descriptor = tensor([p.batch, p.groups * p.c_in, p.y.input, p.x.input])?;
        let w_descriptor = tensor([kernel[0], kernel[1], p.y.taps, p.x.taps])?;
        let out_descriptor = tensor([p.batch, p.groups * p.c_out, p.y.output, p.x.output])?;
        let convolution = ConvolutionDescriptor::new(miopen, p.op, (p.y, p.x), p.groups)?;
        let (x_raw, w_raw, out_raw) = (x_descriptor.raw(), w_descriptor.raw(), out_descriptor.raw());
        let mut size = 0;
        // SAFETY: handle and descriptors live, and the pointer is valid for the call.
        unsafe {
            if p.transposed {
                checked!(miopen.miopenConvolutionBackwardDataGetWorkSpaceSize(
                    handle,
                    x_raw,
                    w_raw,
                    convolution.raw(),
                    out_raw,
                    &mut size
                ))
            } else {
                checked!(miopen.miopenConvolutionForwardGetWorkSpaceSize(
                    handle,
                    w_raw,
                    x_raw,
                    convolution.raw(),
                    out_raw,
                    &mut size
                ))
            }
        }?;
        let Some(workspace) = workspace.of(size) else { return Ok(Err(size)) };
        // MIOpen may wait for the device to find out.
        device.hip_device().settle()?;
        let (mut found, mut best) = (0, [miopenConvAlgoPerf_t::default(); ALGORITHMS]);
        let (most, results) = (int(p.op, best.len())?, best.as_mut_ptr());
        // SAFETY: handle and descriptors live; the memory is what the descriptors say, and `best` has room for as many results.
        unsafe {
            if p.transposed {
                checked!(miopen.miopenFindConvolutionBackwardDataAlgorithm(
                    handle,
                    x_raw,
                    x.as_raw(),
                    w_raw,
                    w.as_raw(),
                    convolution.raw(),
                    out_raw,
                    out.as_raw(),
                    most,
                    &mut found,
                    results,
                    workspace,
                    size,
                    false
                ))
            } else {
                checked!(miopen.miopenFindConvolutionForwardAlgorithm(
                    handle,
                    x_raw,
                    x.as_raw(),
                    w_raw,
                    w.as_raw(),
                    convolution.raw(),
                    out_raw,
                    out.as_raw(),
                    most,
                    &mut found,
                    results,
                    workspace,
                    size,
                    false
                ))
            }
        }?;
        let algorithm = |result: &miopenConvAlgoPerf_t| {
            // SAFETY: both fields are numbers, and MIOpen wrote the one for this direction.
            let algorithm = unsafe {
                match p.transposed {
                    true => Algorithm::BackwardData(result.__bindgen_anon_1.bwd_data_algo),
                    false => Algorithm::Forward(result.__bindgen_anon_1.fwd_algo),
                }
            };
            (algorithm, result.memory)
        };
        let found = usize::try_from(found).unwrap_or(0).min(best.len());
        let algorithms: Vec<_> = best[..found].iter().map(algorithm).collect();
        if algorithms.is_empty() {
            return Err(RocmError::NoAlgorithm { op: p.op });
        }
        Ok(Ok(Self { x: x_descriptor, w: w_descriptor, out: out_descriptor, convolution, algorithms }))
    }

    /// Queues it by the algorithm of that number, if there are so many; the memory is what the problem says.
    pub(super) fn run(
        &self,
        session: &Session,
        algorithm: usize,
        [x, w, out]: [DevicePtr; 3],
        workspace: &Workspace,
    ) -> Result<Needing<bool>> {
        let Some(&(algorithm, size)) = self.algorithms.get(algorithm) else { return Ok(Ok(false)) };
        let (miopen, handle) = (session.miopen, session.raw);
        let Some(workspace) = workspace.of(size) else { return Ok(Err(size)) };
        // SAFETY: handle and descriptors live; the memory is what the descriptors say, which the caller vouches for.
        unsafe {
            match algorithm {
                Algorithm::Forward(algorithm) => checked!(miopen.miopenConvolutionForward(
                    handle,
                    (&raw const ONE).cast(),
                    self.x.raw(),
                    x.as_raw(),
                    self.w.raw(),
                    w.as_raw(),
                    self.convolution.raw(),
                    algorithm,
                    (&raw const ZERO).cast(),
                    self.out.raw(),
                    out.as_raw(),
                    workspace,
                    size
                )),
                Algorithm::BackwardData(algorithm) => checked!(miopen.miopenConvolutionBackwardData(
                    handle,
                    (&raw const ONE).cast(),
                    self.x.raw(),
                    x.as_raw(),
                    self.w.raw(),
                    w.as_raw(),
                    self.convolution.raw(),
                    algorithm,
                    (&raw const ZERO).cast(),
                    self.out.raw(),
                    out.as_raw(),
                    workspace,
                    size
                )),
            }
        }?;
        Ok(Ok(true))
    }
}

/// What needs a workspace, or the bytes of the one that it needs.
pub(super) type Needing<T> = Result<T, usize>;

/// Memory for MIOpen's intermediate values, which goes back to the pool, to whatever is queued next, when this is dropped.
///
/// It is allocated while the session is not locked: an allocation may drop what other crates made, and with that take any lock.
#[derive(Default)]
pub(super) struct Workspace(Option<Buffer<u8>>);

impl Workspace {
    pub(super) fn new(device: &RocmDevice, size: usize) -> Result<Self> {
        Ok(Self(Some(device.queue().pool().alloc(size)?)))
    }

    /// Its address, if it has that many bytes.
    fn of(&self, size: usize) -> Option<*mut c_void> {
        match &self.0 {
            _ if size == 0 => Some(ptr::null_mut()),
            Some(buffer) if buffer.len() >= size => Some(buffer.as_ptr().as_raw()),
            _ => None,
        }
    }
}

/// A pool's descriptors.
pub(super) struct PoolPlan {
    pool: PoolingDescriptor,
    x: TensorDescriptor,
    out: TensorDescriptor,
}

impl PoolPlan {
    pub(super) fn new(session: &Session, windows: &Windows, dtype: DType) -> Result<Self> {
        let (miopen, op) = (session.miopen, windows.kind.op());
        let [n, c, ..] = windows.input;
        Ok(Self {
            pool: PoolingDescriptor::new(miopen, op, windows)?,
            x: TensorDescriptor::new(miopen, op, dtype, windows.input)?,
            out: TensorDescriptor::new(miopen, op, dtype, [n, c, windows.output[0], windows.output[1]])?,
        })
    }

    /// Queues it; the memory is what the windows say.
    pub(super) fn run(&self, session: &Session, [x, out]: [DevicePtr; 2]) -> Result<()> {
        let (miopen, handle) = (session.miopen, session.raw);
        // SAFETY: handle and descriptors live; the memory is what the descriptors say, which the caller vouches for.
        unsafe {
            checked!(miopen.miopenPoolingForward(
                handle,
                self.pool.raw(),
                (&raw const ONE).cast(),
                self.x.raw(),
                x.as_raw(),
                (&raw const ZERO).cast(),
                self.out.raw(),
                out.as_raw(),
                false,
                ptr::null_mut(),
                0
            ))
        }
    }
}
