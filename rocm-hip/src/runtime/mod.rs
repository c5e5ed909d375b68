//! The opened HIP library of a platform, its devices, and what may become of them: exits, forks, devices that do not answer.

pub(crate) mod check;
mod device;
pub(crate) mod exit;
pub(crate) mod fork;
mod library;
mod per_platform;
mod platform;
mod watchdog;

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use rocm_sys::comgr::Comgr;
use rocm_sys::extension::{LAST_FAULT, signature};
use rocm_sys::hip::{Hip, hipError_t};
use rocm_sys::hiprtc::Hiprtc;
use rocm_sys::{Library, LibraryKind, MissingSymbol, Version};

use self::library::Origin;
use crate::lock::{self, Mutex};
use crate::{Compiler, HipError, Result, trace};

pub use device::Device;
pub use per_platform::PerPlatform;
pub use platform::{Adapter, Linked, Platform, set_default_platform};

/// The oldest ROCm that is supported, as `hipRuntimeGetVersion` says it.
const OLDEST: i32 = 50_000_000;

/// What compiles kernels at run time.
#[derive(Debug)]
enum RunTimeCompiler {
    Hiprtc(Hiprtc),
    /// Where hiprtc is missing.
    Comgr(Box<Comgr>),
}

/// The HIP library of a platform, opened once per process and never closed.
#[derive(Debug)]
pub struct Runtime {
    platform: Platform,
    hip: Hip,
    compiler: OnceLock<RunTimeCompiler>,
    origin: Origin,
    version: i32,
    devices: Mutex<Vec<Device>, lock::Devices>,
}

impl Runtime {
    /// Returns the runtime of a platform. Opens it on first use.
    ///
    /// # Errors
    /// [`HipError::Load`] or [`HipError::PlatformUnavailable`] if the library is not available; the error says what was tried. Failures are
    /// not remembered: the next call tries again. [`HipError::ForkedProcess`] in a child of a process that opened a runtime.
    pub fn get(platform: Platform) -> Result<&'static Runtime> {
        static OPEN: PerPlatform<Runtime> = PerPlatform::new();

        // Before the lock, which a thread of the parent may have held.
        fork::check()?;
        OPEN.get_or_try_init(platform, || {
            fork::watch();
            let runtime = Self::open(platform)?;
            exit::watch();
            trace::from_env()?;
            Ok(runtime)
        })
    }

    fn open(platform: Platform) -> Result<Self> {
        let (library, origin) = library::open(platform)?;
        let hip = Hip::new(library);
        let mut version = 0;
        // SAFETY: the pointer is valid for the call; the function needs no device and no initialisation.
        let code = unsafe { hip.hipRuntimeGetVersion(&mut version) };
        check_global(&hip, platform, "hipRuntimeGetVersion", code)?;
        if platform == Platform::AMD && version < OLDEST {
            return Err(HipError::PlatformUnavailable {
                platform: platform.name(),
                why: format!(
                    "{} is too old; install ROCm 5.0 or newer, or set ROCM_PATH to the folder of one that is installed",
                    version_text(hip.library(), version)
                ),
            });
        }
        Ok(Self {
            platform,
            hip,
            compiler: OnceLock::new(),
            origin,
            version,
            devices: Mutex::new(Vec::new()),
        })
    }

    /// The platform that the runtime belongs to.
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// HIP's raw functions.
    pub fn hip(&self) -> &Hip {
        &self.hip
    }

    /// The result of `hipRuntimeGetVersion`: 60443483 is 6.4.43483.
    pub fn version(&self) -> i32 {
        self.version
    }

    /// The release of ROCm, if the installation states one, and the version of HIP: `ROCm 10.0.0, HIP 7.15.26333`.
    pub fn version_text(&self) -> String {
        version_text(self.hip.library(), self.version)
    }

    /// The run-time compiler, opened on first use: hiprtc, or, if that is missing, comgr, which ships with AMD's HIP runtime.
    ///
    /// # Errors
    /// [`HipError::NoCompiler`] if there is neither.
    pub fn compiler(&self) -> Result<&(dyn Compiler + Send + Sync)> {
        fork::check()?;
        let compiler = match self.compiler.get() {
            Some(compiler) => compiler,
            None => {
                let compiler = self.open_compiler()?;
                self.compiler.get_or_init(|| compiler)
            }
        };
        Ok(match compiler {
            RunTimeCompiler::Hiprtc(hiprtc) => hiprtc,
            RunTimeCompiler::Comgr(comgr) => comgr.as_ref(),
        })
    }

    fn open_compiler(&self) -> Result<RunTimeCompiler> {
        let open = |kind| library::companion(kind, &self.origin, self.hip.library());
        let hiprtc = match open(LibraryKind::Hiprtc) {
            Ok(library) => return Ok(RunTimeCompiler::Hiprtc(Hiprtc::new(library))),
            Err(error) => error,
        };
        match open(LibraryKind::Comgr) {
            Ok(library) => Ok(RunTimeCompiler::Comgr(Box::new(Comgr::new(library)))),
            Err(comgr) => Err(HipError::NoCompiler { hiprtc, comgr }),
        }
    }

    /// Opens another library (rocBLAS, MIOpen) of the same installation or, for a platform that is linked in, of that platform.
    ///
    /// # Errors
    /// [`HipError::Load`] if it cannot be opened.
    pub fn companion(&self, kind: LibraryKind) -> Result<Library> {
        fork::check()?;
        library::companion(kind, &self.origin, self.hip.library()).map_err(|source| HipError::Load {
            platform: self.platform.name(),
            advice: String::new(),
            source,
        })
    }

    /// What a kernel did wrong, in words, where the platform can tell.
    pub(crate) fn last_fault(&self) -> Option<String> {
        let address = self.hip.library().symbol(LAST_FAULT)?;
        // SAFETY: our platforms alone export the name, for a function of this type.
        let last_fault =
            unsafe { std::mem::transmute::<*const c_void, signature::candleRocmLastFault>(address) };
        let mut text = vec![0_u8; 4 << 10];
        // SAFETY: there is room for as many bytes as said.
        let code = unsafe { last_fault(text.as_mut_ptr().cast(), text.len()) };
        let text = CStr::from_bytes_until_nul(&text).ok().filter(|_| code == hipError_t::hipSuccess)?;
        Some(text.to_string_lossy().into_owned()).filter(|text| !text.is_empty())
    }

    /// The number of devices. Having none is not an error.
    ///
    /// # Errors
    /// [`HipError::Call`] if the driver cannot report it.
    pub fn device_count(&self) -> Result<usize> {
        fork::check()?;
        let mut count = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { self.hip.hipGetDeviceCount(&mut count) };
        if matches!(code, Ok(hipError_t::hipErrorNoDevice)) {
            return Ok(0);
        }
        check_global(&self.hip, self.platform, "hipGetDeviceCount", code)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// Opens device `ordinal`.
    ///
    /// # Errors
    /// [`HipError::NoDevice`] if there is no such device.
    pub fn device(&'static self, ordinal: usize) -> Result<Device> {
        fork::check()?;
        let mut devices = self.devices.lock();
        if let Some(device) = devices.iter().find(|device| device.ordinal() == ordinal) {
            return Ok(*device);
        }
        let count = self.device_count()?;
        if ordinal >= count {
            return Err(HipError::NoDevice {
                platform: self.platform.name(),
                ordinal,
                why: self.no_device(count),
            });
        }
        let device = Device::open(self, ordinal)?;
        devices.push(device);
        Ok(device)
    }

    fn no_device(&self, count: usize) -> String {
        if count > 0 {
            let hidden = match self.platform.adapter() {
                None => " (HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES may hide some)",
                Some(_) => "",
            };
            return format!("there are {count}, counted from 0{hidden}");
        }
        let why = match &self.origin {
            Origin::Linked(linked) => (linked.unavailable)(),
            _ => None,
        };
        // Without a device no kernel ran: what went wrong is why there is none.
        let why = why.or_else(|| self.last_fault()).unwrap_or_else(|| {
            let hint = match self.platform.adapter() {
                Some(adapter) => adapter.no_devices,
                None if cfg!(windows) => {
                    "the graphics driver lists none: it is too old, or does not support HIP on this card; install AMD's newest"
                }
                None if !std::path::Path::new("/dev/kfd").exists() => {
                    "there is no /dev/kfd: this machine has no AMD GPU, the amdgpu kernel driver is not loaded, or the container was \
                     started without --device=/dev/kfd --device=/dev/dri"
                }
                None => {
                    "/dev/kfd exists, so check that this user may open it (groups render and video) and that HIP_VISIBLE_DEVICES \
                     does not hide the GPU; `rocminfo` lists what ROCm sees"
                }
            };
            format!("there is none; {hint}")
        });
        match self.platform.others_advice() {
            advice if advice.is_empty() => why,
            advice => format!("{why}; {advice}"),
        }
    }
}

/// Checks a call that has to do with no device in particular.
fn check_global(
    hip: &Hip,
    platform: Platform,
    call: &'static str,
    code: Result<hipError_t, MissingSymbol>,
) -> Result<()> {
    match code? {
        hipError_t::hipSuccess => Ok(()),
        code => Err(check::error(hip, platform.name().to_owned(), call, code)),
    }
}

fn version_text(library: &Library, version: i32) -> String {
    let hip = Version::from_hip(version);
    match library.release() {
        Some(release) => format!("ROCm {release}, HIP {hip}"),
        None => format!("HIP {hip}"),
    }
}
