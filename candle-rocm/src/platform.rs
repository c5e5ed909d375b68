//! The platforms of candle-rocm: AMD's, and three that stand in for it.
//!
//! ```
//! use candle_rocm::platform::{self, HOST};
//! assert_eq!(platform::named("host")?, HOST);
//! let error = platform::named("nonsense").unwrap_err().to_string();
//! assert!(error.contains("auto, amd, host, gfx, nvidia"));
//! # Ok::<(), candle_rocm::RocmError>(())
//! ```

use crate::Result;
use crate::hip::{Adapter, Linked, Platform, variable};

/// AMD's ROCm: libamdhip64, opened at run time.
pub const AMD: Platform = Platform::AMD;

/// The CPU, which runs and checks the same kernels without a GPU. Slow; for tests and development.
pub const HOST: Platform = Platform::of(&HOST_ADAPTER);

/// The machine code of AMD GPUs, executed on the CPU. Slow and strict; for tests.
pub const GFX: Platform = Platform::of(&GFX_ADAPTER);

/// NVIDIA cards through an adapter library.
pub const NVIDIA: Platform = Platform::of(&NVIDIA_ADAPTER);

static HOST_ADAPTER: Adapter = Adapter {
    name: "host",
    linked: linked_host(),
    variable: "CANDLE_ROCM_HOST_LIBRARY",
    stem: "candle_rocm_host",
    install: "candle-rocm was built without its feature `host`: build it by `cargo rocm --platform host`, or add features = [\"host\"] to \
              candle-rocm in Cargo.toml; or build the library (cargo build -p candle-rocm-host --features export)",
    no_devices: "CANDLE_ROCM_HOST_DEVICES names none: unset it, or set it to 32 or 64 for each device, such as `32,64`",
    advice: try_host,
    exact_allocations: true,
};

static GFX_ADAPTER: Adapter = Adapter {
    name: "gfx",
    linked: linked_gfx(),
    variable: "CANDLE_ROCM_GFX_LIBRARY",
    stem: "candle_rocm_gfx",
    install: "candle-rocm was built without its feature `gfx`: add features = [\"gfx\"] to candle-rocm in Cargo.toml; or build the \
              library (cargo build -p candle-rocm-gfx --example gfx_library)",
    no_devices: "CANDLE_ROCM_GFX_DEVICES names none: unset it, or set it to a list of processors, such as `gfx1100,gfx942`",
    advice: String::new,
    exact_allocations: false,
};

static NVIDIA_ADAPTER: Adapter = Adapter {
    name: "nvidia",
    linked: linked_nvidia(),
    variable: "CANDLE_ROCM_NVIDIA_LIBRARY",
    stem: "candle_rocm_nvidia",
    install: "candle-rocm was built without its feature `nvidia`: add features = [\"nvidia\"] to candle-rocm in Cargo.toml; or build \
              the library (cargo build -p candle-rocm-nvidia --features export)",
    no_devices: "check that `nvidia-smi` lists one",
    advice: String::new,
    exact_allocations: false,
};

const fn linked_host() -> Option<Linked> {
    #[cfg(feature = "host")]
    return Some(Linked {
        name: "candle-rocm-host (linked in)",
        symbol: candle_rocm_host::symbol,
        unavailable: candle_rocm_host::unavailable,
    });
    #[cfg(not(feature = "host"))]
    None
}

const fn linked_gfx() -> Option<Linked> {
    #[cfg(feature = "gfx")]
    return Some(Linked {
        name: "candle-rocm-gfx (linked in)",
        symbol: candle_rocm_gfx::symbol,
        unavailable: candle_rocm_gfx::unavailable,
    });
    #[cfg(not(feature = "gfx"))]
    None
}

const fn linked_nvidia() -> Option<Linked> {
    #[cfg(feature = "nvidia")]
    return Some(Linked {
        name: "candle-rocm-nvidia (linked in)",
        symbol: candle_rocm_nvidia::symbol,
        unavailable: candle_rocm_nvidia::unavailable,
    });
    #[cfg(not(feature = "nvidia"))]
    None
}

/// The platform set by [`set_default_platform`](crate::hip::set_default_platform), else the one that the environment variable
/// `CANDLE_ROCM_PLATFORM` names, else AMD's.
///
/// # Errors
/// [`HipError::UnknownPlatform`](crate::hip::HipError::UnknownPlatform), which lists the choices, if the variable names no platform.
pub fn current() -> Result<Platform> {
    register();
    Ok(Platform::current()?)
}

/// The platform that the environment variable `CANDLE_ROCM_PLATFORM` names: `auto` (the same as `amd`), `amd`, `host`, `gfx` or `nvidia`.
/// Unset or empty means `auto`.
///
/// # Errors
/// As [`current`].
pub fn from_env() -> Result<Platform> {
    register();
    Ok(Platform::from_env()?)
}

/// Looks up a platform by its name.
///
/// # Errors
/// As [`current`].
pub fn named(name: &str) -> Result<Platform> {
    register();
    Ok(name.parse()?)
}

/// Lets [`hip`](crate::hip) find them by name, and advise the one that needs no GPU.
pub(crate) fn register() {
    [HOST, GFX, NVIDIA].into_iter().for_each(Platform::register);
}

/// Whether the host platform stands in for a missing GPU: on Windows it has no compiler, and runs only kernels that were compiled on Linux.
pub(crate) const HOST_STANDS_IN: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// How to run on the CPU instead, as this program was built.
fn try_host() -> String {
    let linked = cfg!(feature = "host") || variable::path(HOST_ADAPTER.variable).is_some();
    if HOST_STANDS_IN { on_the_cpu(linked) } else { String::new() }
}

fn on_the_cpu(linked: bool) -> String {
    let feature = if linked {
        ""
    } else {
        "use `cargo rocm --platform host run`, or add features = [\"host\"] to candle-rocm in Cargo.toml and "
    };
    format!("to try candle-rocm on the CPU without a GPU, {feature}set CANDLE_ROCM_PLATFORM=host")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_feature_that_is_missing_is_named() {
        let advice = on_the_cpu(false);
        assert!(advice.contains("add features = [\"host\"] to candle-rocm in Cargo.toml"), "{advice}");
        assert!(advice.ends_with("and set CANDLE_ROCM_PLATFORM=host"), "{advice}");
        let linked = on_the_cpu(true);
        assert!(linked.ends_with("without a GPU, set CANDLE_ROCM_PLATFORM=host"), "{linked}");
        for platform in [HOST, NVIDIA] {
            let (name, text) = (platform.name(), platform.adapter().unwrap().install);
            for part in [
                &*format!("without its feature `{name}`"),
                &*format!("add features = [\"{name}\"] to candle-rocm in Cargo.toml"),
                &*format!("-p candle-rocm-{name} --features export"),
            ] {
                assert!(text.contains(part), "`{part}` is not in: {text}");
            }
        }
    }
}
