//! Says whether the platform runs on the target, and keeps the shared library in memory once it is loaded.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(supported)");
    let target = |part: &str| env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    let system = target("OS");
    if target("ARCH") == "x86_64" && ["linux", "windows"].contains(&&*system) {
        println!("cargo::rustc-cfg=supported");
    }
    // Streams have threads, and kernels have memory, that outlive any `dlclose`.
    if system == "linux" {
        println!("cargo::rustc-link-arg=-Wl,-z,nodelete");
    }
}
