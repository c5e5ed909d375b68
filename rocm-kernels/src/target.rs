//! What the table of processors says of a target.

use rocm_hip::Target;

use crate::{Module, Processor};

/// The target for an arch with the compiler's default wavefront size: 64 up to gfx9, 32 from gfx10 on.
pub fn default_target(arch: impl Into<String>) -> Target {
    // Names of the host platform's devices tell their size; it does not matter for what is not known.
    let mut target = Target::new(arch, 32);
    let told = || target.arch.strip_prefix("host-wave")?.parse().ok();
    let known = || Processor::find(target.processor()).map(|processor| processor.wavefront);
    let old = || target.generation().is_some_and(|generation| generation < 10).then_some(64);
    if let Some(wavefront) = told().or_else(known).or_else(old) {
        target.wavefront = Some(wavefront);
    }
    target
}

/// The generic target whose code objects the target's processor can run, if any.
pub fn generic_target(target: &Target) -> Option<&'static str> {
    Processor::find(target.processor())?.generic
}

/// The target that `module` is compiled for: this one, or `host`, if the module does not depend on the wavefront size. Code for
/// `host` runs on all devices of the host platform.
pub(crate) fn target_of_code(target: &Target, module: &Module) -> Target {
    match target.arch.starts_with("host-wave") && !module.uses_wave() {
        true => Target { arch: "host".to_owned(), wavefront: None, ..target.clone() },
        false => target.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(default_target(arch).wavefront, Some(wavefront), "{arch}");
        }
    }

    #[test]
    fn generic_targets_are_found_by_the_processor_without_its_features() {
        let generic = |arch| generic_target(&default_target(arch));
        assert_eq!(generic("gfx908"), None);
        assert_eq!(generic("gfx90a:sramecc+:xnack-"), None);
        assert_eq!(generic("gfx942:xnack-"), Some("gfx9-4-generic"));
    }
}
