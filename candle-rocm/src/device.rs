//! A GPU as candle sees it.

use crate::error::{Result, RocmError};
use crate::hip::{Buffer, LaunchConfig, Platform};
use crate::Element;

/// A device (SKELETON: signatures only).
#[derive(Clone, Debug)]
pub struct RocmDevice {}

/// Device copy of dims and strides.
#[derive(Clone, Debug)]
pub struct InfoPtr {}

/// Launch builder.
pub struct Launch<'a> {
    _device: &'a RocmDevice,
}

const NOT_YET: RocmError = RocmError::NotYet { op: "skeleton" };

#[allow(unused_variables, missing_docs)]
impl RocmDevice {
    pub fn new(ordinal: usize) -> Result<Self> { Err(NOT_YET) }
    pub fn on(platform: Platform, ordinal: usize) -> Result<Self> { Err(NOT_YET) }
    pub fn ordinal(&self) -> usize { 0 }
    pub fn platform(&self) -> Platform { Platform::Host }
    pub fn arch(&self) -> &str { "" }
    pub fn wavefront_size(&self) -> u32 { 32 }
    /// for messages: `amd:0#1`
    pub fn label(&self) -> String { String::new() }
    pub fn same_device(&self, other: &Self) -> bool { true }
    /// Err(WrongDevice{op,..}) unless same_device
    pub fn check_same(&self, other: &Self, op: &'static str) -> Result<()> { Ok(()) }
    /// Uninitialised memory: unsafe as whoever reads it before writing reads garbage (never out of bounds)
    pub fn alloc<T: Element>(&self, len: usize) -> Result<Buffer<T>> { Err(NOT_YET) }
    pub fn alloc_zeros<T: Element>(&self, len: usize) -> Result<Buffer<T>> { Err(NOT_YET) }
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>> { Err(NOT_YET) }
    pub fn download<T: Element>(&self, buffer: &Buffer<T>) -> Result<Vec<T>> { Err(NOT_YET) }
    pub fn download_range<T: Element>(&self, buffer: &Buffer<T>, start: usize, len: usize) -> Result<Vec<T>> { Err(NOT_YET) }
    pub fn copy<T: Element>(&self, src: &Buffer<T>, src_offset: usize, dst: &mut Buffer<T>, dst_offset: usize, len: usize) -> Result<()> { Err(NOT_YET) }
    pub fn info(&self, words: &[usize]) -> Result<InfoPtr> { Err(NOT_YET) }
    pub fn launch(&self, module: &'static rocm_kernels::Module, name: &str) -> Launch<'_> { Launch { _device: self } }
    pub fn next_random(&self, count: u64) -> (u64, u64) { (0, 0) }
    pub fn set_seed(&self, seed: u64) {}
    pub fn seed(&self) -> u64 { 0 }
    pub fn synchronize(&self) -> Result<()> { Err(NOT_YET) }
    /// LaunchConfig::elementwise for this device
    pub fn elementwise(&self, numel: usize, per_thread: usize) -> LaunchConfig { LaunchConfig::elementwise(numel, per_thread, 1) }
}

#[allow(unused_variables, missing_docs)]
impl<'a> Launch<'a> {
    pub fn arg<T: Element>(&mut self, value: &T) -> &mut Self { self }
    pub fn buffer<T: Element>(&mut self, buffer: &Buffer<T>, offset: usize) -> &mut Self { self }
    pub fn buffer_mut<T: Element>(&mut self, buffer: &mut Buffer<T>, offset: usize) -> &mut Self { self }
    /// a null pointer
    pub fn null(&mut self) -> &mut Self { self }
    /// dims and strides through the cache; empty slice => null
    pub fn info(&mut self, words: &[usize]) -> &mut Self { self }
    /// # Safety
    /// arguments are those of the kernel's signature, and it stays inside the buffers
    pub unsafe fn run(&mut self, config: LaunchConfig) -> Result<()> { Err(NOT_YET) }
}
