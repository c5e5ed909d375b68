//! The choices that come with this crate: files in `tuning/`, by processor.

use rocm_kernels::Processor;

use super::Source;
use super::store::warn;
use super::text::{Choice, parse};

/// A processor and its file.
const FILES: &[(&str, &str)] = &[
    ("gfx942", include_str!("../../tuning/gfx942.txt")),
    ("gfx1151", include_str!("../../tuning/gfx1151.txt")),
];

/// The choices for an arch such as `gfx90a:sramecc+:xnack-`: of its processor or, if that has no file, those that were measured on its
/// nearest relative. What a model of one card predicts says nothing of another.
pub(super) fn choices(arch: &str) -> (Vec<Choice>, Source) {
    let Some(text) = nearest(arch, FILES) else { return (Vec::new(), Source::Shipped) };
    match parse(text) {
        Ok((origin, choices)) if origin.is_predicted() => (choices, Source::Predicted),
        Ok((_, choices)) => (choices, Source::Shipped),
        Err(why) => {
            warn(&format!("the choices built in for {arch} cannot be read: {why}"));
            (Vec::new(), Source::Shipped)
        }
    }
}

/// The file of the processor; else, of those with measurements, that of one that runs the same generic target, else of one with the same
/// matrix cores and wavefront: the last one in the table of processors, which is the newest.
fn nearest<'a>(arch: &str, files: &[(&str, &'a str)]) -> Option<&'a str> {
    if !arch.starts_with("gfx") {
        return None;
    }
    let processor = Processor::nearest(arch);
    let of = |name: &str| Some((Processor::find(name)?, files.iter().find(|(file, _)| *file == name)?.1));
    if let Some((_, text)) = of(processor.name) {
        return Some(text);
    }
    let is_predicted = |text: &str| parse(text).is_ok_and(|(origin, _)| origin.is_predicted());
    let measured = || {
        let with_files = rocm_kernels::PROCESSORS.iter().rev().filter_map(|known| of(known.name));
        with_files.filter(|(_, text)| !is_predicted(text))
    };
    let generic = |known: &Processor| processor.generic.is_some() && known.generic == processor.generic;
    let alike =
        |known: &Processor| (known.matrix, known.wavefront) == (processor.matrix, processor.wavefront);
    measured()
        .find(|(known, _)| generic(known))
        .or_else(|| measured().find(|(known, _)| alike(known)))
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
    fn predictions_are_of_one_processor() {
        for (runtime, serves_relatives) in [("predicted", false), ("HIP 6.4", true)] {
            let text = format!(
                "candle-rocm tuning 1\ncard: a card\nprocessor: gfx1100\nruntime: {runtime}\nrelease: 0.1.0\nend 0\n"
            );
            let files = [("gfx1100", &*text)];
            assert!(nearest("gfx1100", &files).is_some());
            assert_eq!(nearest("gfx1102", &files).is_some(), serves_relatives, "{runtime}");
        }
    }

    #[test]
    fn every_file_can_be_read() {
        for (name, text) in FILES {
            assert!(Processor::find(name).is_some(), "{name}");
            let (origin, choices) = parse(text).unwrap();
            assert!(origin.processor.split(':').next() == Some(name) && !choices.is_empty(), "{name}");
        }
    }

    #[test]
    fn every_file_ships() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tuning");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "txt") {
                let name = path.file_stem().unwrap().to_str().unwrap();
                assert!(FILES.iter().any(|(of, _)| *of == name), "{name}");
            }
        }
    }
}
