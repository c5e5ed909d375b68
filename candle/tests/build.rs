//! Tells tests where candle's own have their files.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let source = std::env::var("DEP_CANDLE_ROCM_SEAM_SOURCE").expect("candle-core is the patched one");
    println!("cargo::rustc-env=CANDLE_CORE_SOURCE={source}");
}
