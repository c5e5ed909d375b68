//! From files in the page cache to the device, beside one copy from pinned memory.

use std::ffi::c_void;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::rc::Rc;

use candle_core::quantized::{GgmlDType, QTensor, gguf_file};
use candle_core::{DType, Device, Result, Tensor, bail, safetensors};
use candle_rocm::RocmDevice;
use rocm_sys::hip::hipMemcpyKind;
use tempfile::TempDir;

use super::Plan;
use crate::bars::Bar;
use crate::case::{Case, Run};
use crate::side::Side;

const GROUP: &str = "loading";
const NAME: &str = "load";
/// What others are measured against.
const PINNED: &str = "pinned memory, one copy";
/// The time may be so many times that of one copy: 80 % of its bytes in a second.
const OF_PINNED: f64 = 1.25;

/// Matrices of one shape, in a file that is written when a side asks for it, and removed with the last case.
struct Model {
    folder: TempDir,
    name: &'static str,
    shape: [usize; 2],
    count: usize,
}

impl Model {
    fn path(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    fn names(&self) -> Vec<String> {
        (0..self.count).map(|index| format!("layers.{index}.weight")).collect()
    }

    /// The matrix that they all are.
    fn matrix(&self) -> Result<Tensor> {
        let count = self.shape.iter().product();
        Tensor::from_vec(crate::side::numbers(count, 0, |x| x), &self.shape, &Device::Cpu)
    }

    fn write_safetensors(&self) -> Result<()> {
        if self.path().exists() {
            return Ok(());
        }
        let matrix = self.matrix()?.to_dtype(DType::BF16)?;
        safetensors::save(&self.names().into_iter().map(|name| (name, matrix.clone())).collect(), self.path())
    }

    fn write_gguf(&self) -> Result<()> {
        if self.path().exists() {
            return Ok(());
        }
        let matrix = QTensor::quantize(&self.matrix()?, GgmlDType::Q4K)?;
        let names = self.names();
        let tensors: Vec<_> = names.iter().map(|name| (name.as_str(), &matrix)).collect();
        gguf_file::write(&mut BufWriter::new(File::create(self.path())?), &[], &tensors)
    }
}

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let shape = [plan.dim(4096), 4096];
    let weights: usize = shape.iter().product();
    let model = |name, count| {
        // Without a folder for files there is nothing to load.
        Some(Rc::new(Model { folder: tempfile::tempdir().ok()?, name, shape, count }))
    };
    let (floats, blocks) = (plan.dim(256) / 2, plan.dim(456));
    let (Some(floats), Some(blocks)) = (model("bf16.safetensors", floats), model("q4_K.gguf", blocks)) else {
        return Vec::new();
    };
    let float_bytes = floats.count * weights * 2;
    let block_bytes = blocks.count * weights / 256 * 144;
    let gigabytes = |bytes: usize| format!("{:.1} GB", bytes as f64 / 1e9);
    let path = floats.path().display().to_string();
    let load_file = format!("from safetensors.torch import load_file\npath = {path:?}");
    let load = "x = load_file(path, device='cuda')";
    vec![
        Case::new(GROUP, NAME, DType::U8, PINNED, move |side| copy_pinned(side, float_bytes))
            .bytes(float_bytes)
            .unchecked()
            .torch(
                format!(
                    "x = torch.empty({float_bytes}, dtype=torch.uint8, pin_memory=True)\ny = torch.empty_like(x, device='cuda')"
                ),
                "y.copy_(x, non_blocking=True)",
            ),
        Case::new(
            GROUP,
            NAME,
            DType::U8,
            format!("safetensors, {} of bf16", gigabytes(float_bytes)),
            move |side| load_safetensors(side, &floats),
        )
        .bytes(float_bytes)
        .bar(Bar::Times(OF_PINNED, PINNED.to_owned()))
        .bar(Bar::Torch(1.))
        .torch(load_file.clone(), load),
        // PyTorch reads no such files: as many bytes of the other one.
        Case::new(GROUP, NAME, DType::U8, format!("gguf, {} of q4_K", gigabytes(block_bytes)), move |side| {
            load_gguf(side, &blocks)
        })
        .bytes(block_bytes)
        .bar(Bar::Times(OF_PINNED, PINNED.to_owned()))
        .bar(Bar::Torch(1.))
        .torch(load_file, load),
    ]
}

/// All tensors of the file, mapped; the last one.
fn load_safetensors(side: &Side, model: &Rc<Model>) -> Result<Run> {
    model.write_safetensors()?;
    let (model, device) = (model.clone(), side.device.clone());
    Ok(Box::new(move || {
        // SAFETY: nobody else has the file.
        let file = unsafe { safetensors::MmapedSafetensors::new(model.path()) }?;
        let loaded: Result<Vec<_>> = model.names().iter().map(|name| file.load(name, &device)).collect();
        last(loaded?)
    }))
}

/// All tensors of the file; values of the last one.
fn load_gguf(side: &Side, model: &Rc<Model>) -> Result<Run> {
    model.write_gguf()?;
    let (model, device) = (model.clone(), side.device.clone());
    Ok(Box::new(move || {
        let mut file = File::open(model.path())?;
        let content = gguf_file::Content::read(&mut file)?;
        let loaded: Result<Vec<_>> =
            model.names().iter().map(|name| content.tensor(&mut file, name, &device)).collect();
        last(loaded?)?.dequantize(&device)
    }))
}

fn last<T>(loaded: Vec<T>) -> Result<T> {
    match loaded.into_iter().next_back() {
        Some(last) => Ok(last),
        None => bail!("a model without tensors"),
    }
}

/// As fast as the link is.
fn copy_pinned(side: &Side, bytes: usize) -> Result<Run> {
    let Some(rocm) = side.rocm.clone() else { bail!("timed with candle-rocm's device only") };
    let pinned = Pinned::new(&rocm, bytes)?;
    let buffer = rocm.alloc::<u8>(bytes)?;
    let x = side.uniform(&[1], DType::F32)?;
    Ok(Box::new(move || {
        let (stream, device) = (rocm.stream(), rocm.hip_device());
        device.bind().map_err(candle_core::Error::wrap)?;
        // SAFETY: both have that many bytes, and the buffer is only written here, on its own stream; the memory waits for
        // the copy before it goes.
        let code = unsafe {
            device.hip().hipMemcpyAsync(
                buffer.as_ptr().as_raw(),
                pinned.as_ptr(),
                bytes,
                hipMemcpyKind::hipMemcpyHostToDevice,
                stream.as_raw(),
            )
        };
        device.check("hipMemcpyAsync", code).map_err(candle_core::Error::wrap)?;
        Ok(x.clone())
    }))
}

struct Pinned {
    memory: *mut c_void,
    rocm: RocmDevice,
}

impl Pinned {
    fn new(rocm: &RocmDevice, bytes: usize) -> Result<Self> {
        let device = rocm.hip_device();
        let allocate = || {
            device.bind()?;
            let mut memory = std::ptr::null_mut();
            // SAFETY: the pointer is valid for the call.
            let code = unsafe { device.hip().hipHostMalloc(&mut memory, bytes, 0) };
            device.check("hipHostMalloc", code).map(|()| memory)
        };
        let memory = allocate().map_err(candle_core::Error::wrap)?;
        // SAFETY: it has that many bytes. Untouched pages might be one page of zeros.
        unsafe { memory.cast::<u8>().write_bytes(1, bytes) };
        Ok(Self { memory, rocm: rocm.clone() })
    }

    /// A closure that asks for it owns all of `self`, and not a copy of the pointer.
    fn as_ptr(&self) -> *mut c_void {
        self.memory
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // A copy that was queued last may still read it.
        if self.rocm.synchronize().is_ok() {
            // SAFETY: it came from hipHostMalloc, and copies from it are done.
            let _ = unsafe { self.rocm.hip_device().hip().hipHostFree(self.memory) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_devices_load_the_same() {
        let (ours, cpu) = (Side::on(candle_rocm::platform::HOST).unwrap(), Side::cpu());
        let cases = cases(&Plan::new(true));
        assert_eq!(cases.len(), 3);
        for case in &cases[1..] {
            let [ours, cpu] = [&ours, &cpu].map(|side| (case.build)(side).unwrap()().unwrap());
            let [ours, cpu] = [ours, cpu].map(|x| {
                x.to_device(&Device::Cpu).unwrap().flatten_all().unwrap().to_dtype(DType::F32).unwrap()
            });
            assert!(ours.to_vec1::<f32>().unwrap() == cpu.to_vec1::<f32>().unwrap(), "{}", case.label());
        }
        (cases[0].build)(&ours).unwrap()().unwrap();
        ours.synchronize().unwrap();
        assert!((cases[0].build)(&cpu).is_err());
    }
}
