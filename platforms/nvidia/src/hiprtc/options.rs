//! Translates clang's options for AMD cards to NVRTC's.

/// Options for AMD's compiler or its installation, which have no effect here.
const DROPPED: &[&str] = &[
    "-O",
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-Os",
    "-Ofast",
    "-mcumode",
    "-mno-cumode",
    "-munsafe-fp-atomics",
    "-mno-unsafe-fp-atomics",
    "-mno-wavefrontsize64",
    "-fno-gpu-rdc",
    "-fhip-new-launch-api",
    "-fhip-kernel-arg-name",
    "-nogpuinc",
    "-nogpulib",
    "-nohipwrapperinc",
    "-ferror-limit=0",
    "-fno-fast-math",
    "-fvisibility=hidden",
    "-pedantic",
    "-ffp-exception-behavior=ignore",
];

const DROPPED_PREFIXES: &[&str] = &[
    "-mcode-object-version=",
    "--rocm-path=",
    "--hip-path=",
    "--rocm-device-lib-path=",
    "--hip-version=",
    "-amdgpu-",
    "--amdgpu-",
    "-fdiagnostics-",
    "-W",
];

/// Options for AMD's compiler that are followed by a value.
const DROPPED_WITH_VALUE: &[&str] = &["-mllvm", "-Xclang", "-Xarch_device", "-include-pch"];

/// Clang's options, and NVRTC's equivalents.
const SAME: &[(&str, &[&str])] = &[
    ("-ffp-contract=off", &["--fmad=false"]),
    ("-ffp-contract=on", &["--fmad=true"]),
    ("-ffp-contract=fast", &["--fmad=true"]),
    ("-ffp-contract=fast-honor-pragmas", &["--fmad=true"]),
    ("-ffast-math", &["--use_fast_math"]),
    ("-funsafe-math-optimizations", &["--use_fast_math"]),
    ("-fgpu-flush-denormals-to-zero", &["--ftz=true"]),
    ("-fno-gpu-flush-denormals-to-zero", &["--ftz=false"]),
    ("-fhip-fp32-correctly-rounded-divide-sqrt", &["--prec-div=true", "--prec-sqrt=true"]),
    ("-fno-hip-fp32-correctly-rounded-divide-sqrt", &["--prec-div=false", "--prec-sqrt=false"]),
    ("-g", &["--generate-line-info"]),
    ("-ggdb", &["--generate-line-info"]),
];

/// NVRTC's options for the caller's, or an error message. Unknown options are passed on unchanged.
///
/// `arch` is the default architecture.
pub(super) fn translate<'a>(
    options: impl IntoIterator<Item = &'a str>,
    arch: Option<&str>,
) -> Result<Vec<String>, String> {
    let mut translated = Vec::new();
    let mut wanted = None;
    let mut options = options.into_iter();
    while let Some(option) = options.next() {
        let mut value =
            || options.next().ok_or_else(|| format!("error: missing value for option {option}\n"));
        let named_arch = ["--offload-arch=", "--gpu-architecture=", "-arch="]
            .iter()
            .find_map(|prefix| option.strip_prefix(prefix));
        if let Some(named) = named_arch {
            wanted = Some(check_arch(named, arch)?);
        } else if option == "-arch" {
            wanted = Some(check_arch(value()?, arch)?);
        } else if let Some((_, same)) = SAME.iter().find(|(clang, _)| *clang == option) {
            translated.extend(same.iter().map(|&option| option.to_owned()));
        } else if let Some(standard) = option.strip_prefix("-std=").or_else(|| option.strip_prefix("--std="))
        {
            translated.push(format!("--std={}", standard.replace("gnu++", "c++")));
        } else if matches!(option, "-D" | "-U" | "-I") {
            translated.push(format!("{option}{}", value()?));
        } else if option == "-include" {
            translated.push(format!("--pre-include={}", value()?));
        } else if option == "-mwavefrontsize64" {
            return Err(
                "error: -mwavefrontsize64: wavefronts (warps) have 32 lanes on NVIDIA GPUs\n".to_owned()
            );
        } else if option == "-fgpu-rdc" {
            return Err("error: -fgpu-rdc: linking device code is not supported\n".to_owned());
        } else if DROPPED_WITH_VALUE.contains(&option) {
            value()?;
        } else if !DROPPED.contains(&option)
            && !DROPPED_PREFIXES.iter().any(|prefix| option.starts_with(prefix))
        {
            translated.push(option.to_owned());
        }
    }
    if let Some(arch) = wanted.or(arch) {
        translated.push(format!("--gpu-architecture={arch}"));
    }
    Ok(translated)
}

/// An architecture of NVIDIA's; `sm_90` gives machine code, `compute_90` PTX.
fn check_arch<'a>(named: &'a str, own: Option<&str>) -> Result<&'a str, String> {
    if named.starts_with("sm_") || named.starts_with("compute_") {
        return Ok(named);
    }
    let own = own.map_or_else(
        || "architectures have names like sm_90".to_owned(),
        |own| format!("the current one is {own}"),
    );
    Err(format!("error: unknown architecture `{named}`: this platform compiles for NVIDIA GPUs; {own}\n"))
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn what_kernels_are_compiled_with() {
        let options = ["--offload-arch=sm_90", "-O3", "-std=c++17", "-ffp-contract=off", "-DWAVE=32"];
        let expected = ["--std=c++17", "--fmad=false", "-DWAVE=32", "--gpu-architecture=sm_90"];
        assert_eq!(translate(options, Some("sm_80")).unwrap(), expected);
    }

    #[test]
    fn options_with_a_value() {
        let options =
            ["-D", "A=1", "-I", "/include", "-include", "x.h", "-mllvm", "-amdgpu-x", "-arch", "sm_80"];
        let expected = ["-DA=1", "-I/include", "--pre-include=x.h", "--gpu-architecture=sm_80"];
        assert_eq!(translate(options, None).unwrap(), expected);
        assert!(translate(["-I"], None).unwrap_err().contains("-I"));
    }

    #[test]
    fn the_architecture_is_the_devices_unless_said() {
        assert_eq!(translate([], Some("sm_90")).unwrap(), ["--gpu-architecture=sm_90"]);
        assert!(translate([], None).unwrap().is_empty());
        assert_eq!(
            translate(["--gpu-architecture=compute_90"], None).unwrap(),
            ["--gpu-architecture=compute_90"]
        );
        let error = translate(["--offload-arch=gfx1100"], Some("sm_90")).unwrap_err();
        assert!(error.contains("gfx1100") && error.contains("sm_90"), "{error}");
    }

    #[test]
    fn arithmetic() {
        let options =
            ["-ffast-math", "-fgpu-flush-denormals-to-zero", "-fno-hip-fp32-correctly-rounded-divide-sqrt"];
        let expected = ["--use_fast_math", "--ftz=true", "--prec-div=false", "--prec-sqrt=false"];
        assert_eq!(translate(options, None).unwrap(), expected);
    }

    #[test]
    fn what_only_amd_has_is_dropped() {
        let options = [
            "-mcumode",
            "-munsafe-fp-atomics",
            "-mcode-object-version=6",
            "--rocm-path=/opt/rocm",
            "-Wall",
            "-Wno-x",
        ];
        assert!(translate(options, None).unwrap().is_empty());
        assert!(translate(["-mwavefrontsize64"], None).unwrap_err().contains("32"));
        assert!(translate(["-fgpu-rdc"], None).is_err());
    }

    #[test]
    fn what_is_not_known_is_left_to_nvrtc() {
        let options = ["--maxrregcount=32", "--frobnicate", "-w", "-lineinfo"];
        assert_eq!(translate(options, None).unwrap(), options);
    }
}
