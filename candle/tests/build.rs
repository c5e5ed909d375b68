//! Passes the folder of candle's test files to the tests.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let source = std::env::var("DEP_CANDLE_ROCM_SEAM_SOURCE").expect("candle-core is patched");
    println!("cargo::rustc-env=CANDLE_CORE_SOURCE={source}");
}
