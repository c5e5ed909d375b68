//! Which implementation of HIP's C ABI this process uses.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::error::{Result, RocmError};

/// An implementation of HIP's C ABI.
///
/// ```
/// use candle_rocm::hip::Platform;
/// assert_eq!("host".parse::<Platform>()?, Platform::Host);
/// let error = "nonsense".parse::<Platform>().unwrap_err().to_string();
/// assert!(error.contains("auto, amd, host, nvidia"));
/// # Ok::<(), candle_rocm::RocmError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Platform {
    /// AMD's ROCm: libamdhip64, opened at run time.
    Amd,
    /// The CPU: runs and checks the same kernels without a GPU. Slow; for tests and development.
    Host,
    /// NVIDIA cards through an adapter library.
    Nvidia,
}

/// The environment variable that chooses the platform.
const PLATFORM_VARIABLE: &str = "CANDLE_ROCM_PLATFORM";

/// 0: not set in code; else 1 + the platform's index.
static DEFAULT: AtomicU8 = AtomicU8::new(0);

/// Chooses the platform in code; it wins over `CANDLE_ROCM_PLATFORM`. Devices that exist already stay where they are.
pub fn set_default_platform(platform: Platform) {
    DEFAULT.store(1 + platform.index() as u8, Ordering::Relaxed);
}

impl Platform {
    /// All platforms.
    pub const ALL: [Platform; 3] = [Platform::Amd, Platform::Host, Platform::Nvidia];

    /// The platform chosen in code, else by the environment variable `CANDLE_ROCM_PLATFORM`, else AMD.
    pub fn current() -> Result<Self> {
        match DEFAULT.load(Ordering::Relaxed) {
            0 => Self::from_env(),
            chosen => Ok(Self::ALL[usize::from(chosen) - 1]),
        }
    }

    /// What the environment variable `CANDLE_ROCM_PLATFORM` says: `auto` (the same as `amd`), `amd`, `host`, `nvidia`.
    /// Unset or empty means `auto`; anything else is an error that lists the choices.
    pub fn from_env() -> Result<Self> {
        match std::env::var_os(PLATFORM_VARIABLE) {
            None => Ok(Self::Amd),
            Some(value) => parse(&value.to_string_lossy(), PLATFORM_VARIABLE),
        }
    }

    /// The name, as in `CANDLE_ROCM_PLATFORM`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Amd => "amd",
            Self::Host => "host",
            Self::Nvidia => "nvidia",
        }
    }

    pub(crate) fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Platform {
    type Err = RocmError;

    fn from_str(given: &str) -> Result<Self> {
        parse(given, "platform")
    }
}

fn parse(given: &str, origin: &'static str) -> Result<Platform> {
    match given.trim().to_ascii_lowercase().as_str() {
        "" | "auto" | "amd" => Ok(Platform::Amd),
        "host" => Ok(Platform::Host),
        "nvidia" => Ok(Platform::Nvidia),
        _ => Err(RocmError::UnknownPlatform { origin, given: given.to_owned() }),
    }
}
