//! The opened HIP library of a platform.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use rocm_sys::hip::{Hip, hipError_t};
use rocm_sys::hiprtc::Hiprtc;
#[cfg(feature = "miopen")]
use rocm_sys::miopen::Miopen;
use rocm_sys::{Library, LibraryKind, MissingSymbol, Search, Version};

use super::{Device, Platform, fork};
use crate::error::{Result, RocmError};

/// The oldest ROCm that is supported, as `hipRuntimeGetVersion` says it.
const OLDEST: i32 = 50_000_000;

/// Names the shared library of the host platform, where it is not linked in.
const HOST_LIBRARY_VARIABLE: &str = "CANDLE_ROCM_HOST_LIBRARY";
/// Names the adapter library for NVIDIA cards.
const NVIDIA_LIBRARY_VARIABLE: &str = "CANDLE_ROCM_NVIDIA_LIBRARY";

/// The HIP library of a platform, opened once per process and never closed.
#[derive(Debug)]
pub struct Runtime {
    platform: Platform,
    hip: Hip,
    hiprtc: OnceLock<Hiprtc>,
    #[cfg(feature = "miopen")]
    miopen: OnceLock<Miopen>,
    /// The library's file, unless it is linked in or found by AMD's search order.
    path: Option<PathBuf>,
    version: i32,
    devices: Mutex<Vec<Device>>,
}

impl Runtime {
    /// The platform's runtime, opened now if it was not yet. A failure is not remembered: the next call tries again.
    pub fn get(platform: Platform) -> Result<&'static Runtime> {
        static OPEN: [OnceLock<Runtime>; Platform::ALL.len()] =
            [const { OnceLock::new() }; Platform::ALL.len()];
        static OPENING: Mutex<()> = Mutex::new(());

        // Before the lock, which a thread of the parent may have held.
        if fork::in_child() {
            return Err(fork::error());
        }
        let slot = &OPEN[platform.index()];
        if let Some(runtime) = slot.get() {
            return Ok(runtime);
        }
        let _guard = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = slot.get() {
            return Ok(runtime);
        }
        fork::watch();
        let runtime = Self::open(platform)?;
        // After the library: handlers run in reverse order, so ours sets the flag before the library tears itself down.
        watch_exit();
        Ok(slot.get_or_init(|| runtime))
    }

    fn open(platform: Platform) -> Result<Self> {
        let (hip, path) = match platform {
            Platform::Amd => (Hip::new(open_amd()?), None),
            Platform::Host => open_host()?,
            Platform::Nvidia => open_nvidia()?,
        };
        let mut version = 0;
        // SAFETY: the pointer is valid for the call; the function needs no device and no initialisation.
        let code = unsafe { hip.hipRuntimeGetVersion(&mut version) };
        check_global(&hip, platform, "hipRuntimeGetVersion", code)?;
        if platform == Platform::Amd && version < OLDEST {
            return Err(RocmError::PlatformUnavailable {
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
            hiprtc: OnceLock::new(),
            #[cfg(feature = "miopen")]
            miopen: OnceLock::new(),
            path,
            version,
            devices: Mutex::new(Vec::new()),
        })
    }

    /// The platform.
    pub fn platform(&self) -> Platform {
        self.platform
    }

    /// The raw functions.
    pub fn hip(&self) -> &Hip {
        &self.hip
    }

    /// `hipRuntimeGetVersion`: 60443483 is 6.4.43483.
    pub fn version(&self) -> i32 {
        self.version
    }

    /// The release of ROCm, where the installation states one, and the version of HIP: `ROCm 10.0.0, HIP 7.15.26333`.
    pub fn version_text(&self) -> String {
        version_text(self.hip.library(), self.version)
    }

    /// The run-time compiler, opened on first use.
    pub fn hiprtc(&self) -> Result<&Hiprtc> {
        if let Some(hiprtc) = self.hiprtc.get() {
            return Ok(hiprtc);
        }
        let hiprtc = Hiprtc::new(self.companion(LibraryKind::Hiprtc)?);
        Ok(self.hiprtc.get_or_init(|| hiprtc))
    }

    /// MIOpen, opened on first use.
    #[cfg(feature = "miopen")]
    pub(crate) fn miopen(&self) -> Result<&Miopen> {
        if let Some(miopen) = self.miopen.get() {
            return Ok(miopen);
        }
        let miopen = Miopen::new(self.companion(LibraryKind::Miopen)?);
        Ok(self.miopen.get_or_init(|| miopen))
    }

    /// Opens another library of the same installation, or of the same platform where that is linked in.
    pub(crate) fn companion(&self, kind: LibraryKind) -> Result<Library> {
        match (self.platform, &self.path) {
            #[cfg(feature = "host")]
            (Platform::Host, None) => Ok(Library::from_resolver(kind, LINKED_HOST, candle_rocm_host::symbol)),
            #[cfg(feature = "nvidia")]
            (Platform::Nvidia, None) => {
                Ok(Library::from_resolver(kind, LINKED_NVIDIA, candle_rocm_nvidia::symbol))
            }
            (_, Some(path)) => open_file(self.platform, kind, path),
            (_, None) => {
                // Of the same installation, if there are several.
                let search = Search::from_env().beside(self.hip.library());
                Library::open(kind, &search).map_err(|source| RocmError::Load {
                    platform: self.platform.name(),
                    advice: String::new(),
                    source,
                })
            }
        }
    }

    /// What a kernel did wrong, in words, where the platform can tell: the CPU's can, when it is linked in.
    pub(super) fn last_fault(&self) -> Option<String> {
        #[cfg(feature = "host")]
        if self.platform == Platform::Host && self.path.is_none() {
            return candle_rocm_host::last_fault();
        }
        None
    }

    /// How many devices there are; none is not an error.
    pub fn device_count(&self) -> Result<usize> {
        let mut count = 0;
        // SAFETY: the pointer is valid for the call.
        let code = unsafe { self.hip.hipGetDeviceCount(&mut count) };
        if matches!(code, Ok(hipError_t::hipErrorNoDevice)) {
            return Ok(0);
        }
        check_global(&self.hip, self.platform, "hipGetDeviceCount", code)?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// The device of that ordinal.
    pub fn device(&'static self, ordinal: usize) -> Result<Device> {
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = devices.iter().find(|device| device.ordinal() == ordinal) {
            return Ok(*device);
        }
        let count = self.device_count()?;
        if ordinal >= count {
            return Err(RocmError::NoDevice {
                platform: self.platform.name(),
                ordinal,
                why: no_device(self.platform, count),
            });
        }
        let device = Device::open(self, ordinal)?;
        devices.push(device);
        Ok(device)
    }
}

#[cfg(feature = "host")]
const LINKED_HOST: &str = "candle-rocm-host (linked in)";
#[cfg(feature = "nvidia")]
const LINKED_NVIDIA: &str = "candle-rocm-nvidia (linked in)";

fn open_amd() -> Result<Library> {
    Library::open(LibraryKind::Hip, &Search::from_env()).map_err(|source| RocmError::Load {
        platform: Platform::Amd.name(),
        advice: super::advice::without_gpu(),
        source,
    })
}

#[cfg(feature = "host")]
fn open_host() -> Result<(Hip, Option<PathBuf>)> {
    // An explicit library wins over the one linked in.
    match std::env::var_os(HOST_LIBRARY_VARIABLE) {
        Some(path) if !path.is_empty() => open_path(Platform::Host, path.into()),
        _ => match candle_rocm_host::unavailable() {
            None => Ok((Hip::from_resolver(LINKED_HOST, candle_rocm_host::symbol), None)),
            Some(why) => Err(RocmError::PlatformUnavailable { platform: Platform::Host.name(), why }),
        },
    }
}

#[cfg(not(feature = "host"))]
fn open_host() -> Result<(Hip, Option<PathBuf>)> {
    open_adapter(Platform::Host, HOST_LIBRARY_VARIABLE, "candle_rocm_host")
}

#[cfg(feature = "nvidia")]
fn open_nvidia() -> Result<(Hip, Option<PathBuf>)> {
    match std::env::var_os(NVIDIA_LIBRARY_VARIABLE) {
        Some(path) if !path.is_empty() => open_path(Platform::Nvidia, path.into()),
        _ => match candle_rocm_nvidia::unavailable() {
            None => Ok((Hip::from_resolver(LINKED_NVIDIA, candle_rocm_nvidia::symbol), None)),
            Some(why) => Err(RocmError::PlatformUnavailable { platform: Platform::Nvidia.name(), why }),
        },
    }
}

#[cfg(not(feature = "nvidia"))]
fn open_nvidia() -> Result<(Hip, Option<PathBuf>)> {
    open_adapter(Platform::Nvidia, NVIDIA_LIBRARY_VARIABLE, "candle_rocm_nvidia")
}

/// Looks where the variable says, else beside the executable (cargo puts tests and examples one folder below).
#[cfg(not(all(feature = "host", feature = "nvidia")))]
fn open_adapter(platform: Platform, variable: &str, stem: &str) -> Result<(Hip, Option<PathBuf>)> {
    if let Some(path) = std::env::var_os(variable).filter(|path| !path.is_empty()) {
        return open_path(platform, path.into());
    }
    let file = format!("{}{stem}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let executable = std::env::current_exe().unwrap_or_default();
    let candidates: Vec<_> =
        executable.ancestors().skip(1).take(2).map(|folder| folder.join(&file)).collect();
    match candidates.iter().find(|path| path.is_file() && is_hip(platform, path)) {
        Some(path) => open_path(platform, path.clone()),
        None => Err(RocmError::PlatformUnavailable {
            platform: platform.name(),
            why: super::advice::missing_platform(platform, variable, &candidates),
        }),
    }
}

/// Whether the library has HIP's functions. Cargo puts the adapters' libraries beside the executables of a workspace that they
/// are members of, but without their feature `export`.
#[cfg(not(all(feature = "host", feature = "nvidia")))]
fn is_hip(platform: Platform, path: &std::path::Path) -> bool {
    open_file(platform, LibraryKind::Hip, path)
        .is_ok_and(|library| library.symbol("hipRuntimeGetVersion").is_some())
}

fn open_path(platform: Platform, path: PathBuf) -> Result<(Hip, Option<PathBuf>)> {
    Ok((Hip::new(open_file(platform, LibraryKind::Hip, &path)?), Some(path)))
}

fn open_file(platform: Platform, kind: LibraryKind, path: &std::path::Path) -> Result<Library> {
    Library::open(kind, &Search::at(path)).map_err(|source| RocmError::Load {
        platform: platform.name(),
        advice: String::new(),
        source,
    })
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
        code => Err(super::check::error(hip, platform.name().to_owned(), call, code)),
    }
}

fn no_device(platform: Platform, count: usize) -> String {
    if count > 0 {
        return format!(
            "there are {count}, counted from 0 (HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES may hide some)"
        );
    }
    #[cfg(feature = "nvidia")]
    if let (Platform::Nvidia, Some(why)) = (platform, candle_rocm_nvidia::unavailable()) {
        return format!("{why}; {}", super::advice::without_gpu());
    }
    let hint = match platform {
        Platform::Amd if !std::path::Path::new("/dev/kfd").exists() => {
            "there is no /dev/kfd: this machine has no AMD GPU, the amdgpu kernel driver is not loaded, or the container was \
             started without --device=/dev/kfd --device=/dev/dri"
        }
        Platform::Amd => {
            "/dev/kfd exists, so check that this user may open it (groups render and video) and that HIP_VISIBLE_DEVICES \
             does not hide the GPU; `rocminfo` lists what ROCm sees"
        }
        Platform::Host => "CANDLE_ROCM_HOST_DEVICES names none",
        Platform::Nvidia => "check that `nvidia-smi` lists one",
    };
    format!("there is none; {hint}; {}", super::advice::without_gpu())
}

fn version_text(library: &Library, version: i32) -> String {
    let hip = Version::from_hip(version);
    match library.release() {
        Some(release) => format!("ROCm {release}, HIP {hip}"),
        None => format!("HIP {hip}"),
    }
}

static EXITING: AtomicBool = AtomicBool::new(false);

/// Whether the process is on its way out, or a fork of the one that opened the runtime: then the runtime may be gone, or
/// belongs to another process, so handles are leaked, not destroyed.
pub(crate) fn gone() -> bool {
    EXITING.load(Ordering::Relaxed) || fork::in_child()
}

fn watch_exit() {
    unsafe extern "C" {
        fn atexit(handler: extern "C" fn()) -> std::ffi::c_int;
    }
    extern "C" fn on_exit() {
        EXITING.store(true, Ordering::Relaxed);
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler only stores to a static. If it cannot be registered, handles are destroyed as usual.
        unsafe { atexit(on_exit) };
    });
}
