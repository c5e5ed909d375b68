//! What a code object is compiled for: a processor, its wavefront size, and the runtime that will load it.

use crate::processors::generation;
use crate::{Module, Processor};

/// The target of a compilation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The device's full `gcnArchName`, e.g. `gfx90a:sramecc+:xnack-`.
    pub arch: String,
    /// Threads per wavefront, 32 or 64; the macro `WAVE` in the sources.
    pub wavefront: u32,
    /// `hipRuntimeGetVersion` of the runtime that will load the code, e.g. 60_342_131 for ROCm 6.3; `None` when
    /// unknown. Code objects of generic targets are only used from ROCm 6.3 on.
    pub runtime_version: Option<i32>,
}

impl Target {
    /// A target whose runtime version is unknown.
    pub fn new(arch: impl Into<String>, wavefront: u32) -> Self {
        Self { arch: arch.into(), wavefront, runtime_version: None }
    }

    /// The same target loaded by a runtime of this version (as `hipRuntimeGetVersion` gives it).
    pub fn with_runtime_version(self, version: i32) -> Self {
        Self { runtime_version: Some(version), ..self }
    }

    /// A target with the compiler's default wavefront size: 64 up to gfx9, 32 from gfx10 on.
    pub fn for_arch(arch: impl Into<String>) -> Self {
        let arch = arch.into();
        let wavefront = default_wavefront(&arch);
        Self::new(arch, wavefront)
    }

    /// The processor without its features: `gfx90a` for `gfx90a:sramecc+:xnack-`.
    pub fn processor(&self) -> &str {
        self.arch.split(':').next().unwrap_or(&self.arch)
    }

    /// The features with their settings: `[("sramecc", true), ("xnack", false)]` for `gfx90a:sramecc+:xnack-`.
    pub fn features(&self) -> impl Iterator<Item = (&str, bool)> {
        self.arch.split(':').skip(1).filter_map(|feature| {
            let on = |name| (name, true);
            let off = |name| (name, false);
            feature.strip_suffix('+').map(on).or_else(|| feature.strip_suffix('-').map(off))
        })
    }

    /// The generic target whose code objects this processor can run, if there is one.
    pub fn generic(&self) -> Option<&'static str> {
        Processor::find(self.processor())?.generic
    }

    /// The target that `module` is compiled for: this one, or `host`, if the module does not depend on the wavefront size. Code
    /// for `host` runs on all devices of the host platform.
    pub(crate) fn of_code(&self, module: &Module) -> Self {
        if self.arch.starts_with("host-wave") && !module.uses_wave() {
            return Self { arch: ANY_HOST.to_owned(), ..self.clone() };
        }
        self.clone()
    }

    /// Whether code for this target runs on all devices of the host platform.
    pub(crate) fn is_any_host(&self) -> bool {
        self.arch == ANY_HOST
    }

    /// Whether the runtime can load code objects of generic targets (code object version 6).
    pub fn loads_generic(&self) -> bool {
        self.runtime_version.is_some_and(|version| version >= FIRST_RUNTIME_WITH_GENERIC_TARGETS)
    }
}

/// The host platform's name for code that runs on all its devices.
const ANY_HOST: &str = "host";

/// `HIP_VERSION` of ROCm 6.3: major * 10^7 + minor * 10^5 + patch.
const FIRST_RUNTIME_WITH_GENERIC_TARGETS: i32 = 60_300_000;

fn default_wavefront(arch: &str) -> u32 {
    if let Some(size) = arch.strip_prefix("host-wave") {
        return size.parse().unwrap_or(32);
    }
    let processor = arch.split(':').next().unwrap_or(arch);
    match Processor::find(processor) {
        Some(processor) => processor.wavefront,
        None if generation(arch).is_some_and(|generation| generation < 10) => 64,
        None => 32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arch_names_are_taken_apart() {
        let target = Target::new("gfx90a:sramecc+:xnack-", 64);
        assert_eq!(target.processor(), "gfx90a");
        assert_eq!(target.features().collect::<Vec<_>>(), [("sramecc", true), ("xnack", false)]);
        assert_eq!(Target::new("gfx1100", 32).features().count(), 0);
        assert_eq!(Target::new("", 32).processor(), "");
    }

    #[test]
    fn wavefront_follows_the_generation() {
        let cases = [
            ("gfx803", 64),
            ("gfx906", 64),
            ("gfx90a:sramecc+:xnack-", 64),
            ("gfx942", 64),
            ("gfx9-generic", 64),
            ("gfx9-4-generic", 64),
            ("gfx1010", 32),
            ("gfx10-3-generic", 32),
            ("gfx1151", 32),
            ("gfx12-generic", 32),
            ("host-wave64", 64),
            ("host-wave32", 32),
            ("gfx", 32),
            ("nonsense", 32),
        ];
        for (arch, wavefront) in cases {
            assert_eq!(Target::for_arch(arch).wavefront, wavefront, "{arch}");
        }
    }

    #[test]
    fn generic_targets_are_found_by_the_processor_without_its_features() {
        assert_eq!(Target::for_arch("gfx908").generic(), None);
        assert_eq!(Target::for_arch("gfx90a:sramecc+:xnack-").generic(), None);
        assert_eq!(Target::for_arch("gfx942:xnack-").generic(), Some("gfx9-4-generic"));
    }

    #[test]
    fn generic_code_needs_rocm_6_3() {
        let target = Target::new("gfx1100", 32);
        assert!(!target.loads_generic());
        assert!(!target.clone().with_runtime_version(60_241_134).loads_generic());
        assert!(target.clone().with_runtime_version(60_342_131).loads_generic());
        assert!(target.with_runtime_version(70_051_831).loads_generic());
    }
}
