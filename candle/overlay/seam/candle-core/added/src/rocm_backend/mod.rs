//! The names that [candle PR 3801](https://github.com/huggingface/candle/pull/3801) gives to a ROCm backend, for programs with their own
//! HIP kernels.
//!
//! Such a program takes the addresses of tensors' memory, loads a kernel from its source, launches it, and creates a tensor from the memory
//! to which the kernel wrote:
//!
//! ```no_run
//! use std::ffi::c_void;
//!
//! use candle_core::op::BackpropOp;
//! use candle_core::rocm_backend::{rocm_rs::hip::Dim3, RocmStorage, RocmStorageSlice};
//! use candle_core::{Device, Result, Storage, Tensor};
//!
//! const SOURCE: &str = r#"
//! extern "C" __global__ void twice(const float *x, float *y, int n) {
//!     const int i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < n) y[i] = 2 * x[i];
//! }
//! "#;
//!
//! fn twice(x: &Tensor) -> Result<Tensor> {
//!     let device = x.device().as_rocm_device()?;
//!     let n = x.elem_count() as i32;
//!     let y = device.alloc::<f32>(x.elem_count())?;
//!     let (storage, layout) = x.storage_and_layout();
//!     let Storage::Rocm(RocmStorage { slice: RocmStorageSlice::F32(memory), .. }) = &*storage else {
//!         candle_core::bail!("twice takes f32 tensors")
//!     };
//!     if !layout.is_contiguous() {
//!         candle_core::bail!("twice takes contiguous tensors")
//!     }
//!     // SAFETY: a layout begins inside of its memory.
//!     let (x_ptr, y_ptr) = (unsafe { memory.ptr_at(layout.start_offset()) }, y.as_ptr());
//!     let twice = device.get_or_load_custom_func("twice", "my_kernels", SOURCE)?;
//!     let (grid, block) = (Dim3::from(n as u32 / 256 + 1), Dim3::from(256));
//!     let mut arguments = [
//!         (&raw const x_ptr).cast_mut().cast::<c_void>(),
//!         (&raw const y_ptr).cast_mut().cast(),
//!         (&raw const n).cast_mut().cast(),
//!     ];
//!     // SAFETY: the arguments are the kernel's parameters, and it stays inside of n elements of both.
//!     unsafe { twice.launch(grid, block, 0, Some(device.stream()), &mut arguments)? };
//!     let y = RocmStorage { slice: RocmStorageSlice::F32(y), device: device.clone() };
//!     Ok(Tensor::from_storage(Storage::Rocm(y), x.shape(), BackpropOp::none(), false))
//! }
//! # twice(&Tensor::new(&[1f32], &Device::new_rocm(0)?)?)?;
//! # Ok::<(), candle_core::Error>(())
//! ```
//!
//! | | |
//! |---|---|
//! | [`RocmDevice`] | [memory](RocmDevice::alloc), [kernels](RocmDevice::get_or_load_custom_func), the [stream](RocmDevice::stream) |
//! | [`RocmStorage`], [`RocmStorageSlice`] | a tensor's memory, as one variant per dtype |
//! | [`SendSyncDeviceMemory`] | memory with a known element type; its [address](SendSyncDeviceMemory::as_ptr) |
//! | [`rocm_rs::hip`] | a loaded kernel, the dimensions of a launch, the amount of free memory |
//! | [`Hip`], [`Kernel`] | what a backend implements for all this |
//!
//! Differences from the pull request: [`Function::launch`](rocm_rs::hip::Function::launch) is `unsafe`, as nothing checks what a kernel
//! does with its arguments; `F8E4M3` holds [`float8::F8E4M3`] instead of bytes; and there is no underlying crate rocm-rs, so its other
//! types are missing.
#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

mod backend;
mod device;
mod memory;
pub mod rocm_rs;

pub(crate) use backend::{ErasedHip, Memory};
pub use backend::{Hip, Kernel};
pub(crate) use device::opened;
pub use memory::{RocmStorageSlice, SendSyncDeviceMemory};

pub use crate::rocm::{RocmDevice, RocmStorage};
