//! Tells the code whether the candle-core it is compiled against has a `Device::Rocm`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(candle_rocm_seam)");
    // Metadata of the patched candle-core's build script; the stock one has none.
    println!("cargo::rerun-if-env-changed=DEP_CANDLE_ROCM_SEAM_VERSION");
    if std::env::var_os("DEP_CANDLE_ROCM_SEAM_VERSION").is_some() {
        println!("cargo::rustc-cfg=candle_rocm_seam");
    }
}
