//! Which implementations of HIP's C ABI there are, and which one this process uses.

use std::fmt;
use std::ptr;
use std::str::FromStr;
use std::sync::atomic::{AtomicPtr, Ordering};

use rocm_sys::{Resolver, variable};

use super::fork;
use crate::lock::Mutex;
use crate::{HipError, Result};

/// An implementation of HIP's C ABI: AMD's ROCm, or an [`Adapter`]. A handle, cheap to copy.
///
/// ```
/// use rocm_hip::Platform;
/// assert_eq!("amd".parse::<Platform>()?, Platform::AMD);
/// let error = "nonsense".parse::<Platform>().unwrap_err().to_string();
/// assert!(error.contains("auto, amd"));
/// # Ok::<(), rocm_hip::HipError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Platform(Option<&'static Adapter>);

/// A library other than ROCm that provides HIP's functions.
///
/// It may also provide those of [`rocm_sys::extension`].
#[derive(Debug)]
pub struct Adapter {
    /// The platform's name, such as `host`.
    pub name: &'static str,
    /// The functions, if they are linked into this program.
    pub linked: Option<Linked>,
    /// The environment variable that names the shared library. It has precedence over functions that are linked in.
    pub variable: &'static str,
    /// The shared library's file name without prefix and extension. Unless something else names the library, it is looked for next to the
    /// executable.
    pub stem: &'static str,
    /// How to get the platform into a program that lacks it: an instruction that `and set VARIABLE to its path` can follow.
    pub install: &'static str,
    /// What to check if it has no devices.
    pub no_devices: &'static str,
    /// How to use this platform instead of a missing GPU, for the errors of other platforms. Empty if it is not an alternative.
    pub advice: fn() -> String,
    /// Whether kernels must not access any byte past the end of an allocation. Kernels on GPUs may access the rest of the last word.
    pub exact_allocations: bool,
}

/// Functions that are linked into this program.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    /// The name that messages show in place of a library's path.
    pub name: &'static str,
    /// Returns the address of a C function.
    pub symbol: Resolver,
    /// Why the functions cannot be used on this machine; `None` if they can.
    pub unavailable: fn() -> Option<String>,
}

impl Adapter {
    /// An adapter that is linked into this program and has no shared library. Set further fields with struct update syntax.
    ///
    /// ```
    /// # fn symbol(_: &str) -> Option<*const std::ffi::c_void> { None }
    /// use rocm_hip::{Adapter, Linked, Platform};
    /// static MINE: Adapter = Adapter {
    ///     no_devices: "plug one in",
    ///     ..Adapter::linked("mine", Linked { name: "mine (linked in)", symbol, unavailable: || None })
    /// };
    /// Platform::of(&MINE).register();
    /// assert_eq!("mine".parse::<Platform>()?, Platform::of(&MINE));
    /// # Ok::<(), rocm_hip::HipError>(())
    /// ```
    pub const fn linked(name: &'static str, linked: Linked) -> Self {
        Self { name, linked: Some(linked), ..Self::NONE }
    }

    /// An adapter in a shared library that the environment variable names. Set further fields with struct update syntax.
    pub const fn library(name: &'static str, variable: &'static str, stem: &'static str) -> Self {
        Self { name, variable, stem, install: "build its library", ..Self::NONE }
    }

    const NONE: Self = Self {
        name: "",
        linked: None,
        variable: "",
        stem: "",
        install: "",
        no_devices: "",
        advice: String::new,
        exact_allocations: false,
    };
}

/// The environment variable that chooses the platform.
const PLATFORM_VARIABLE: &str = "CANDLE_ROCM_PLATFORM";

/// Chosen in code: null if none was; [`ROCM`] for AMD's.
static DEFAULT: AtomicPtr<Adapter> = AtomicPtr::new(ptr::null_mut());

/// Stands for AMD's platform where an address is needed.
static ROCM: Adapter = Adapter { name: "amd", ..Adapter::NONE };

static REGISTERED: Mutex<Vec<Platform>> = Mutex::new(Vec::new());

/// Sets the platform that [`Platform::current`] returns, with precedence over `CANDLE_ROCM_PLATFORM`. Existing devices are not affected.
pub fn set_default_platform(platform: Platform) {
    let adapter = platform.0.unwrap_or(&ROCM);
    DEFAULT.store(ptr::from_ref(adapter).cast_mut(), Ordering::Relaxed);
}

impl Platform {
    /// AMD's ROCm: libamdhip64, opened at run time.
    pub const AMD: Self = Self(None);

    /// The platform of an adapter. It needs no registration, but if [registered](Self::register) it can also be chosen by name.
    pub const fn of(adapter: &'static Adapter) -> Self {
        Self(Some(adapter))
    }

    /// Makes the platform selectable by its name. Further calls have no effect.
    pub fn register(self) {
        if fork::in_child() {
            return;
        }
        let mut registered = REGISTERED.lock();
        if self != Self::AMD && !registered.contains(&self) {
            registered.push(self);
        }
    }

    /// AMD's platform, then all registered ones in the order of their registration.
    pub fn all() -> Vec<Self> {
        if fork::in_child() {
            return vec![Self::AMD];
        }
        let registered = REGISTERED.lock();
        [Self::AMD].into_iter().chain(registered.iter().copied()).collect()
    }

    /// The platform set by [`set_default_platform`], else by the environment variable `CANDLE_ROCM_PLATFORM`, else AMD's.
    ///
    /// # Errors
    /// [`HipError::UnknownPlatform`] if the variable names no registered platform.
    pub fn current() -> Result<Self> {
        // SAFETY: null, or from a `&'static Adapter`.
        match unsafe { DEFAULT.load(Ordering::Relaxed).as_ref() } {
            None => Self::from_env(),
            Some(chosen) if ptr::eq(chosen, &ROCM) => Ok(Self::AMD),
            Some(chosen) => Ok(Self::of(chosen)),
        }
    }

    /// The platform that the environment variable `CANDLE_ROCM_PLATFORM` names: `auto` (the same as `amd`), `amd`, or a registered
    /// platform's name. Unset or empty means `auto`.
    ///
    /// # Errors
    /// [`HipError::UnknownPlatform`], which lists the choices, for any other name; [`HipError::ForkedProcess`].
    pub fn from_env() -> Result<Self> {
        fork::check()?;
        variable::text(PLATFORM_VARIABLE).map_or(Ok(Self::AMD), |name| parse(&name, PLATFORM_VARIABLE))
    }

    /// The name, as in `CANDLE_ROCM_PLATFORM`.
    pub fn name(self) -> &'static str {
        self.0.unwrap_or(&ROCM).name
    }

    /// The adapter; `None` for AMD's platform.
    pub fn adapter(self) -> Option<&'static Adapter> {
        self.0
    }

    /// What the other platforms that are registered advise where this one has no device.
    pub(crate) fn others_advice(self) -> String {
        let others = Self::all().into_iter().filter(|&other| other != self);
        let advice = others.filter_map(Self::adapter).map(|adapter| (adapter.advice)());
        advice.filter(|advice| !advice.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

/// By name: there is one platform of a name.
impl PartialEq for Platform {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => ptr::eq(one, other) || one.name == other.name,
            _ => false,
        }
    }
}

impl Eq for Platform {}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Platform({self})")
    }
}

impl FromStr for Platform {
    type Err = HipError;

    fn from_str(given: &str) -> Result<Self> {
        parse(given, "platform")
    }
}

fn parse(given: &str, origin: &'static str) -> Result<Platform> {
    if given.trim().is_empty() {
        return Ok(Platform::AMD);
    }
    let all = Platform::all().into_iter().map(|platform| (platform.name(), platform));
    let choices: Vec<_> = [("auto", Platform::AMD)].into_iter().chain(all).collect();
    variable::find(given, &choices).ok_or_else(|| HipError::UnknownPlatform {
        origin,
        given: given.to_owned(),
        choices: choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_are_found_by_name_once_registered() {
        static OTHER: Adapter = Adapter { name: "other", ..Adapter::NONE };
        let other = Platform::of(&OTHER);
        assert_ne!(other, Platform::AMD);
        assert!("other".parse::<Platform>().is_err());
        (0..2).for_each(|_| other.register());
        assert_eq!(" Other ".parse::<Platform>().unwrap(), other);
        assert_eq!(Platform::all().iter().filter(|&&platform| platform == other).count(), 1);
        assert_eq!("".parse::<Platform>().unwrap(), Platform::AMD);
        let text = "third".parse::<Platform>().unwrap_err().to_string();
        assert_eq!(text, "platform: unknown platform \"third\"; choose one of auto, amd, other");
        assert_eq!(Platform::AMD.others_advice(), "", "it is no way out");

        static WAY_OUT: Adapter =
            Adapter { name: "way out", advice: || "use the way out".to_owned(), ..Adapter::NONE };
        let way_out = Platform::of(&WAY_OUT);
        way_out.register();
        assert_eq!(Platform::AMD.others_advice(), "use the way out");
        assert_eq!(way_out.others_advice(), "", "nor out of itself");
    }
}
