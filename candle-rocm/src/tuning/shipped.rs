//! The choices that come with this crate: files in `tuning/`, by processor.

use rocm_kernels::Processor;

use super::store::warn;
use super::text::{Choice, parse};

/// A processor and its file. None was measured yet.
const FILES: &[(&str, &str)] = &[];

/// The choices for an arch such as `gfx90a:sramecc+:xnack-`: of its processor or, if that has no file, of its nearest relative.
pub(super) fn choices(arch: &str) -> Vec<Choice> {
    let Some(text) = nearest(arch, FILES) else { return Vec::new() };
    match parse(text) {
        Ok((_, choices)) => choices,
        Err(why) => {
            warn(&format!("the choices built in for {arch} cannot be read: {why}"));
            Vec::new()
        }
    }
}

/// The file of the processor; else of one that runs the same generic target, else of one with the same matrix cores and
/// wavefront: the last one in the table of processors, which is the newest.
fn nearest<'a>(arch: &str, files: &[(&str, &'a str)]) -> Option<&'a str> {
    if !arch.starts_with("gfx") {
        return None;
    }
    let processor = Processor::nearest(arch);
    let of = |name: &str| Some((Processor::find(name)?, files.iter().find(|(file, _)| *file == name)?.1));
    if let Some((_, text)) = of(processor.name) {
        return Some(text);
    }
    let with_files = || rocm_kernels::PROCESSORS.iter().rev().filter_map(|known| of(known.name));
    let generic = |known: &Processor| processor.generic.is_some() && known.generic == processor.generic;
    let alike =
        |known: &Processor| (known.matrix, known.wavefront) == (processor.matrix, processor.wavefront);
    with_files()
        .find(|(known, _)| generic(known))
        .or_else(|| with_files().find(|(known, _)| alike(known)))
        .map(|(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relatives() {
        let files = [("gfx1100", "XTX"), ("gfx1151", "Halo"), ("gfx942", "MI300"), ("gfx1201", "9070")];
        for (arch, want) in [
            ("gfx1100", Some("XTX")),
            ("gfx942:sramecc+:xnack-", Some("MI300")),
            // The same generic target, the newest.
            ("gfx1102", Some("Halo")),
            ("gfx1200", Some("9070")),
            ("gfx950", Some("MI300")),
            // The same matrix cores.
            ("gfx90a", Some("MI300")),
            ("gfx1170", Some("9070")),
            // Without matrix cores none of them is a relative.
            ("gfx1030", None),
            ("gfx906", None),
            ("sm_90", None),
            ("host-wave32", None),
        ] {
            assert_eq!(nearest(arch, &files), want, "{arch}");
        }
        assert_eq!(nearest("gfx1100", &[]), None);
    }

    #[test]
    fn every_file_can_be_read() {
        for (name, text) in FILES {
            assert!(Processor::find(name).is_some(), "{name}");
            let (origin, choices) = parse(text).unwrap();
            assert!(origin.processor.split(':').next() == Some(name) && !choices.is_empty(), "{name}");
        }
    }
}
