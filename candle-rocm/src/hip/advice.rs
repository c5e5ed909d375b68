//! The way out of a machine without a card, or of a build without a platform.

use std::path::PathBuf;

use super::Platform;

/// How to run on the CPU instead, as this program was built.
pub(super) fn without_gpu() -> String {
    let supported = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    let linked = cfg!(feature = "host") || std::env::var_os("CANDLE_ROCM_HOST_LIBRARY").is_some();
    if supported { on_the_cpu(linked) } else { String::new() }
}

fn on_the_cpu(linked: bool) -> String {
    let feature = if linked { String::new() } else { format!("{} and ", add_feature(Platform::Host)) };
    format!("to try candle-rocm on the CPU without a GPU, {feature}set CANDLE_ROCM_PLATFORM=host")
}

/// What to do where a platform was asked for that is not in this build, and why its library was not taken either.
#[cfg_attr(all(feature = "host", feature = "nvidia"), allow(dead_code))]
pub(super) fn missing_platform(platform: Platform, variable: &str, tried: &[PathBuf]) -> String {
    let name = platform.name();
    let tried: Vec<_> = tried.iter().map(|path| path.display().to_string()).collect();
    format!(
        "candle-rocm was built without its feature `{name}`: {}; or build the library (cargo build -p candle-rocm-{name} \
         --features export) and set {variable} to its path, which is not set, and there is no {}",
        add_feature(platform),
        tried.join(" or ")
    )
}

/// The words for Cargo.toml.
fn add_feature(platform: Platform) -> String {
    format!("add features = [\"{}\"] to candle-rocm in Cargo.toml", platform.name())
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
        for (platform, variable) in
            [(Platform::Host, "CANDLE_ROCM_HOST_LIBRARY"), (Platform::Nvidia, "CANDLE_ROCM_NVIDIA_LIBRARY")]
        {
            let text = missing_platform(platform, variable, &["/a/lib.so".into(), "/b/lib.so".into()]);
            let name = platform.name();
            for part in [
                &*format!("without its feature `{name}`"),
                &*format!("add features = [\"{name}\"] to candle-rocm in Cargo.toml"),
                &*format!("-p candle-rocm-{name} --features export"),
                variable,
                "/a/lib.so or /b/lib.so",
            ] {
                assert!(text.contains(part), "`{part}` is not in: {text}");
            }
        }
    }
}
