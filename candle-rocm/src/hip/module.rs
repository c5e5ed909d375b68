//! Loaded code and the kernels in it.

use std::ffi::CString;
use std::fmt;
use std::ptr;
use std::sync::Arc;

use rocm_sys::hip::{hipError_t, hipFunction_t, hipModule_t};

use super::stream::KernelName;
use super::{Device, Platform, runtime};
use crate::error::{Result, RocmError};

/// A code object loaded on a device. Clones share it; it is unloaded when the last clone and the last [`Function`] of it
/// are gone.
#[derive(Clone)]
pub struct Module(Arc<Inner>);

struct Inner {
    device: Device,
    raw: hipModule_t,
    name: Box<str>,
    /// HIP reads the code object lazily, from where it was when it was loaded.
    _image: Vec<u8>,
}

// SAFETY: HIP's module functions may be called from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Module {
    /// Loads a code object, as compilers write it for the device's architecture. The name is for messages.
    pub fn load(device: Device, name: &str, image: Vec<u8>) -> Result<Self> {
        let bad = |why: String| RocmError::BadCodeObject {
            module: name.to_owned(),
            device: format!("{device} ({})", device.arch()),
            why,
        };
        if device.platform() == Platform::Amd {
            check_image(&image).map_err(bad)?;
        } else if image.is_empty() {
            return Err(bad("it is empty".to_owned()));
        }
        device.bind()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the image starts with a known header and ends behind what that announces; it lives as long as the module.
        let code = unsafe { device.hip().hipModuleLoadData(&mut raw, image.as_ptr().cast()) };
        match code {
            Ok(
                code @ (hipError_t::hipErrorInvalidImage
                | hipError_t::hipErrorNoBinaryForGpu
                | hipError_t::hipErrorInvalidKernelFile
                | hipError_t::hipErrorSharedObjectInitFailed
                | hipError_t::hipErrorInvalidValue),
            ) => Err(bad(device.error("hipModuleLoadData", code).to_string())),
            code => {
                device.check("hipModuleLoadData", code)?;
                Ok(Self(Arc::new(Inner { device, raw, name: name.into(), _image: image })))
            }
        }
    }

    /// The kernel of that name.
    pub fn function(&self, name: &str) -> Result<Function> {
        let missing = || RocmError::NoSuchKernel { module: self.0.name.to_string(), kernel: name.to_owned() };
        let c_name = CString::new(name).map_err(|_| missing())?;
        let device = self.0.device;
        device.bind()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the module lives, and the name is a C string.
        match unsafe { device.hip().hipModuleGetFunction(&mut raw, self.0.raw, c_name.as_ptr()) } {
            Ok(code @ hipError_t::hipErrorNotFound) => {
                // Only for its side effect: HIP forgets the code.
                let _ = device.error("hipModuleGetFunction", code);
                Err(missing())
            }
            code => {
                device.check("hipModuleGetFunction", code)?;
                Ok(Function { raw, name: KernelName::new(name), module: self.clone() })
            }
        }
    }

    /// The name it was loaded under.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The device it is loaded on.
    pub fn device(&self) -> Device {
        self.0.device
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({} on {})", self.0.name, self.0.device)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if runtime::exiting() {
            return;
        }
        // Kernels of it may be queued on any stream.
        if self.device.synchronize().is_ok() {
            // SAFETY: no function of the module is left, and nothing of it runs any more.
            let _ = unsafe { self.device.hip().hipModuleUnload(self.raw) };
        }
    }
}

/// A kernel of a loaded [`Module`], which it keeps loaded.
#[derive(Clone)]
pub struct Function {
    raw: hipFunction_t,
    name: KernelName,
    module: Module,
}

// SAFETY: a handle that any thread may use, next to types that are Send and Sync.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// The kernel's name.
    pub fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// The module it is in.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The device it is loaded on.
    pub fn device(&self) -> Device {
        self.module.device()
    }

    /// The handle, valid as long as the function lives.
    pub fn as_raw(&self) -> hipFunction_t {
        self.raw
    }

    pub(crate) fn kernel_name(&self) -> KernelName {
        self.name
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({} of {:?})", self.name(), self.module)
    }
}

/// AMD's loader takes an address without a length, so a file that is cut off would make it read beyond the end.
fn check_image(image: &[u8]) -> std::result::Result<(), String> {
    const BUNDLE: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
    const COMPRESSED_BUNDLE: &[u8] = b"CCOB";
    const ELF: &[u8] = b"\x7fELF\x02";
    if image.starts_with(BUNDLE) || image.starts_with(COMPRESSED_BUNDLE) {
        return Ok(());
    }
    if !image.starts_with(ELF) {
        return Err(format!(
            "its {} bytes start neither as an ELF file nor as an offload bundle",
            image.len()
        ));
    }
    let field = |at: usize, size: usize| {
        let bytes = image.get(at..at + size)?;
        Some(bytes.iter().rev().fold(0u64, |value, &byte| value << 8 | u64::from(byte)))
    };
    // The section table lies at the end: e_shoff, e_shentsize, e_shnum of a 64-bit little-endian header.
    match (field(40, 8), field(58, 2), field(60, 2)) {
        (Some(offset), Some(size), Some(count))
            if offset.saturating_add(size * count) <= image.len() as u64 =>
        {
            Ok(())
        }
        _ => Err(format!("it is an ELF file that is cut off after {} bytes", image.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::check_image;

    #[test]
    fn images_that_the_loader_would_misread_are_refused() {
        assert!(check_image(b"").is_err());
        assert!(check_image(b"int main() {}").is_err());
        let mut elf = vec![0; 256];
        elf[..5].copy_from_slice(b"\x7fELF\x02");
        elf[40] = 128;
        elf[58] = 64;
        elf[60] = 2;
        assert!(check_image(&elf).is_ok());
        assert!(check_image(&elf[..255]).is_err());
        assert!(check_image(&elf[..20]).is_err());
        elf[40..48].fill(0xff);
        assert!(check_image(&elf).is_err());
        assert!(check_image(b"__CLANG_OFFLOAD_BUNDLE__...").is_ok());
    }
}
