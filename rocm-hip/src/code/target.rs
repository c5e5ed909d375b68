//! What a code object is compiled for: a processor, its wavefront size, and the runtime that will load it.

/// The target of a compilation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    /// The full `gcnArchName` of the device, such as `gfx90a:sramecc+:xnack-`.
    pub arch: String,
    /// Threads per wavefront: 32 or 64. The sources see it as the macro `WAVE`. `None` if the code runs with either.
    pub wavefront: Option<u32>,
    /// The version of the runtime that will load the code, as `hipRuntimeGetVersion` returns it (60_342_131 for ROCm 6.3); `None` if
    /// unknown. Code objects of generic targets are only used with ROCm 6.3 or newer.
    pub runtime_version: Option<i32>,
}

impl Target {
    /// A target whose runtime version is unknown.
    pub fn new(arch: impl Into<String>, wavefront: u32) -> Self {
        Self { arch: arch.into(), wavefront: Some(wavefront), runtime_version: None }
    }

    /// The same target, to be loaded by a runtime of this version (as `hipRuntimeGetVersion` returns it).
    pub fn with_runtime_version(self, version: i32) -> Self {
        Self { runtime_version: Some(version), ..self }
    }

    /// The processor without its features: `gfx90a` for `gfx90a:sramecc+:xnack-`.
    pub fn processor(&self) -> &str {
        processor(&self.arch)
    }

    /// The features with their settings: `[("sramecc", true), ("xnack", false)]` for `gfx90a:sramecc+:xnack-`.
    pub fn features(&self) -> impl Iterator<Item = (&str, bool)> {
        self.arch.split(':').skip(1).filter_map(|feature| {
            let on = |name| (name, true);
            let off = |name| (name, false);
            feature.strip_suffix('+').map(on).or_else(|| feature.strip_suffix('-').map(off))
        })
    }

    /// The generation of the processor: 9 for `gfx90a:xnack-` and `gfx9-4-generic`, 11 for `gfx1100`.
    pub fn generation(&self) -> Option<u32> {
        let name = self.processor().strip_prefix("gfx")?;
        let digits = match name.split_once('-') {
            Some((generation, _)) => generation,
            // Minor version and stepping have a digit each.
            None => name.get(..name.len().checked_sub(2)?)?,
        };
        digits.parse().ok()
    }

    /// Whether the runtime can load code objects of generic targets (code object version 6).
    pub fn loads_generic(&self) -> bool {
        self.runtime_version.is_some_and(|version| version >= FIRST_RUNTIME_WITH_GENERIC_TARGETS)
    }
}

/// `HIP_VERSION` of ROCm 6.3: major * 10^7 + minor * 10^5 + patch.
const FIRST_RUNTIME_WITH_GENERIC_TARGETS: i32 = 60_300_000;

pub(super) fn processor(arch: &str) -> &str {
    arch.split(':').next().unwrap_or(arch)
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
    fn names_tell_the_generation() {
        let cases = [
            ("gfx803", Some(8)),
            ("gfx90a:sramecc+:xnack-", Some(9)),
            ("gfx9-4-generic", Some(9)),
            ("gfx10-3-generic", Some(10)),
            ("gfx1151", Some(11)),
            ("gfx1300", Some(13)),
            ("gfx", None),
            ("sm_90", None),
            ("host-wave64", None),
        ];
        for (arch, expected) in cases {
            assert_eq!(Target::new(arch, 32).generation(), expected, "{arch}");
        }
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
