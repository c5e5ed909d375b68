//! The options of a compilation.

use crate::runtime::device;

/// The options of `hiprtcCompileProgram`, parsed.
#[derive(Debug, PartialEq)]
pub(crate) struct Options {
    /// The wavefront: 32, 64, or 0 for code that does not depend on it.
    pub(crate) wave: u32,
    /// `-O0` to `-O3`.
    pub(crate) level: String,
    /// `-std=...`
    pub(crate) standard: String,
    /// For the preprocessor: `-D`, `-U`, `-I`.
    pub(crate) preprocessor: Vec<String>,
    /// Warnings and debugging: for the compiler proper.
    pub(crate) compiler: Vec<String>,
    /// A compiler other than the default.
    pub(crate) cxx: Option<String>,
}

/// Options that matter to GPU compilers only, or have no effect here.
const IGNORED: &[&str] = &[
    "-mcumode",
    "-mno-cumode",
    "-munsafe-fp-atomics",
    "-mno-unsafe-fp-atomics",
    "-mwavefrontsize64",
    "-mno-wavefrontsize64",
    "-ffast-math",
    "-fno-fast-math",
    "-funsafe-math-optimizations",
    "-fgpu-flush-denormals-to-zero",
    "-fno-gpu-flush-denormals-to-zero",
    "-default-device",
    "--use_fast_math",
    "-fno-gpu-rdc",
    "-fhip-new-launch-api",
    "-fno-hip-fp32-correctly-rounded-divide-sqrt",
    "-fhip-fp32-correctly-rounded-divide-sqrt",
];

const IGNORED_PREFIXES: &[&str] =
    &["-ffp-contract=", "-mcode-object-version=", "--rocm-path=", "--hip-path=", "--rocm-device-lib-path="];

impl Options {
    /// Parses `options`. The error names an unknown option, and what is supported.
    pub(crate) fn parse<'a>(options: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut parsed = Self {
            wave: device::current().wavefront(),
            level: "-O2".to_owned(),
            standard: "-std=gnu++17".to_owned(),
            preprocessor: Vec::new(),
            compiler: Vec::new(),
            cxx: None,
        };
        let mut options = options.into_iter();
        while let Some(option) = options.next() {
            let arch = ["--offload-arch=", "--gpu-architecture=", "-arch="]
                .iter()
                .find_map(|p| option.strip_prefix(p));
            if let Some(arch) = arch {
                parsed.wave = wave_of(arch)?;
            } else if let Some(standard) =
                option.strip_prefix("-std=").or_else(|| option.strip_prefix("--std="))
            {
                // _Float16 and __int128 are extensions.
                parsed.standard =
                    format!("-std={}", standard.replace("c++", "gnu++").replace("gnugnu", "gnu"));
            } else if matches!(option, "-O0" | "-O1" | "-O2" | "-O3") {
                parsed.level = option.to_owned();
            } else if matches!(option, "-D" | "-U" | "-I") {
                let value =
                    options.next().ok_or_else(|| format!("error: missing value for option {option}\n"))?;
                parsed.preprocessor.push(format!("{option}{value}"));
            } else if ["-D", "-U", "-I"].iter().any(|prefix| option.starts_with(prefix)) {
                parsed.preprocessor.push(option.to_owned());
            } else if let Some(cxx) = option.strip_prefix("--host-cxx=") {
                parsed.cxx = Some(cxx.to_owned());
            } else if option.starts_with("-Wl,") || option.starts_with("-Wa,") || option.starts_with("-Wp,") {
                return Err(unknown(option));
            } else if option.starts_with("-W") || matches!(option, "-w" | "-g" | "-ggdb" | "-pedantic") {
                parsed.compiler.push(option.to_owned());
            } else if !IGNORED.contains(&option)
                && !IGNORED_PREFIXES.iter().any(|prefix| option.starts_with(prefix))
            {
                return Err(unknown(option));
            }
        }
        Ok(parsed)
    }
}

fn unknown(option: &str) -> String {
    format!(
        "error: unknown option `{option}`; supported are --offload-arch=, -D, -U, -I, -O0 to -O3, -std=, -W..., -w, -g and --host-cxx=\n"
    )
}

fn wave_of(arch: &str) -> Result<u32, String> {
    // What follows a colon are features, as in gfx90a:xnack-.
    match arch.split(':').next().unwrap_or_default() {
        "host-wave32" => Ok(32),
        "host-wave64" => Ok(64),
        "host" => Ok(0),
        _ => Err(format!(
            "error: unknown architecture `{arch}`: the host platform has host-wave32, host-wave64, and host for code without wave operations\n"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_options() {
        let options = [
            "--offload-arch=host-wave64",
            "-DX=1",
            "-D",
            "Y",
            "-I/a",
            "-std=c++17",
            "-O3",
            "-Wall",
            "-mcumode",
            "--host-cxx=g++",
        ];
        let parsed = Options::parse(options).unwrap();
        assert_eq!(parsed.wave, 64);
        assert_eq!(parsed.preprocessor, ["-DX=1", "-DY", "-I/a"]);
        assert_eq!((parsed.standard.as_str(), parsed.level.as_str()), ("-std=gnu++17", "-O3"));
        assert_eq!(parsed.compiler, ["-Wall"]);
        assert_eq!(parsed.cxx.as_deref(), Some("g++"));
    }

    #[test]
    fn unknown_options_are_named() {
        assert!(Options::parse(["--frobnicate"]).unwrap_err().contains("--frobnicate"));
        assert!(Options::parse(["--offload-arch=gfx1100"]).unwrap_err().contains("host-wave32"));
        assert!(Options::parse(["-D"]).unwrap_err().contains("-D"));
        assert!(Options::parse(["-Wl,-rpath,/x"]).is_err());
        assert!(Options::parse(["-fplugin=x.so"]).is_err());
    }
}
