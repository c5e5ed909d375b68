//! Keeps the shared library in memory once it is loaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Streams have threads, and kernels have memory, that outlive any `dlclose`.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-link-arg=-Wl,-z,nodelete");
    }
}
