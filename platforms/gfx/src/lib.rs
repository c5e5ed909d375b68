//! Executes the machine code of AMD GPUs on the CPU: the C interface of `libamdhip64`, hiprtc, rocBLAS and MIOpen, for which a
//! module is a gfx code object.
//!
//! Nobody needs a card to see what the compiler made of a kernel do its work. What the code must not do is an error here: see
//! [`FaultKind`].

#![allow(clippy::needless_range_loop, reason = "lanes are known by their numbers, in several arrays at once")]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod assembly;
pub mod class;
pub mod comgr;
pub mod coverage;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod fault;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod isa;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod machine;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod object;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod platform;
pub mod profile;
pub mod rate;
mod sources;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod target;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod time;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod elsewhere;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub use elsewhere::{EXECUTED, arch, listing, not_understood, symbol, symbols};
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use fault::FaultKind;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use platform::{EXECUTED, arch, listing, not_understood, symbol, symbols};

/// Why there is no gfx platform in this build or process, or `None` where there is one.
pub fn unavailable() -> Option<String> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        return Some(format!(
            "it runs on Linux on x86-64 only, and this program was built for {os} on {arch}"
        ));
    }
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        if !has {
            return Some("it needs a CPU with AVX2, FMA and F16C".to_owned());
        }
        if !platform::is_installed() {
            return Some("this process has used the host platform's devices already".to_owned());
        }
    }
    None
}
