//! What is built, with its features, as `cargo tree` lists it.

use std::path::Path;

use crate::candle::{CORE, PACKAGES, Source};
use crate::error::Error;

/// How lines begin with depth, package and features.
pub(crate) const FORMAT: [&str; 5] =
    ["--edges=normal,build,dev", "--prefix=depth", "--charset=ascii", "--format", "|{p}|{f}"];

/// Packages by which others compile CUDA kernels, with nvcc.
const CUDA_COMPILERS: [&str; 2] = ["bindgen_cuda", "cudaforge"];

/// Checks that what is built is the patched candle, that the backend is linked to it, and that nothing is for other GPUs. Returns whether
/// candle's feature `cuda` is on, which builds nothing in the patched candle.
pub(crate) fn check(
    text: &str,
    version: &semver::Version,
    source: &Source,
    users: &[String],
) -> Result<bool, Error> {
    let lines: Vec<Line<'_>> = text.lines().filter_map(Line::of).collect();
    let Some(core) = lines.iter().find(|line| line.name == CORE) else {
        return Err(Error::NotSelected { users: users.join(", ") });
    };
    for name in PACKAGES {
        let other = lines.iter().find(|line| line.name == name && !line.is(version));
        if let Some(other) = other {
            return Err(Error::NotTaken {
                name: name.to_owned(),
                version: version.to_string(),
                found: format!("{} of {}", other.version, other.place.unwrap_or(&source.to_string())),
            });
        }
    }
    let has = |feature: &str| core.features.split(',').any(|found| found == feature);
    if has("metal") {
        return Err(Error::Metal);
    }
    let compiles = |line: &Line<'_>| CUDA_COMPILERS.contains(&line.name);
    if let Some(at) = lines.iter().position(compiles) {
        let parent = lines[..at].iter().rev().find(|line| line.depth < lines[at].depth);
        return Err(Error::CudaKernels { name: parent.map_or("a package", |line| line.name).to_owned() });
    }
    if !lines.iter().any(|line| line.name == "candle-rocm") {
        return Err(Error::NoBackend { version: version.to_string(), rocm: env!("CARGO_PKG_VERSION") });
    }
    Ok(has("cuda"))
}

/// Whether one of candle's users has a feature `rocm` on: it was written for a candle with a variant `Rocm`, which stock candle lacks, so
/// such a feature often turns on none of candle's.
pub(crate) fn names_rocm(text: &str, users: &[String]) -> bool {
    let mut lines = text.lines().filter_map(Line::of).filter(|line| !PACKAGES.contains(&line.name));
    lines.any(|line| {
        users.iter().any(|user| user == line.name) && line.features.split(',').any(|found| found == "rocm")
    })
}

struct Line<'a> {
    depth: usize,
    name: &'a str,
    version: &'a str,
    /// A folder or an address; none if it is from crates.io.
    place: Option<&'a str>,
    features: &'a str,
}

impl<'a> Line<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let mut parts = line.split('|');
        let (depth, package, features) = (parts.next()?.parse().ok()?, parts.next()?, parts.next()?);
        let (name, rest) = package.split_once(" v")?;
        let (version, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        // A folder may have parentheses in its name, as `Program Files (x86)` does.
        let place = rest.trim_start_matches("(proc-macro)").trim_start();
        let place = place.strip_prefix('(').and_then(|place| place.strip_suffix(')'));
        // A subtree that was listed before.
        Some(Self { depth, name, version, place, features: features.trim_end_matches("(*)").trim_end() })
    }

    /// Whether it is the package that we generated.
    fn is(&self, version: &semver::Version) -> bool {
        self.version == version.to_string() && self.place.is_some_and(|place| Path::new(place).is_absolute())
    }
}

#[cfg(test)]
mod tests {
    use crate::candle::Source;

    fn check(text: &str) -> String {
        let version = semver::Version::new(0, 11, 1);
        let folder = if cfg!(windows) { r"(C:\Program Files (x86)\c\" } else { "(/c (d)/" };
        match super::check(&text.replace("(/c/", folder), &version, &Source::CratesIo, &["a".to_owned()]) {
            Ok(has_cuda) => if has_cuda { "cuda" } else { "" }.to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn programs_that_know_rocm_are_found() {
        let users = ["crane-core".to_owned(), "candle-nn".to_owned()];
        let names = |text| super::names_rocm(text, &users);
        assert!(names("0|a v1.0.0 (/a)|\n1|crane-core v26.9.0|default,rocm (*)"));
        for other in ["1|crane-core v26.9.0|default", "1|ort v2.0.0|rocm", "1|candle-nn v0.11.1 (/c)|rocm"] {
            assert!(!names(other), "{other}");
        }
    }

    #[test]
    fn what_is_built_is_checked() {
        let core = "1|candle-core v0.11.1 (/c/candle-core)|default";
        let nn = "1|candle-nn v0.11.1 (/c/candle-nn)|default";
        let rocm = "2|candle-rocm v0.1.0|default,host";
        assert_eq!(check(&[core, nn, rocm].join("\n")), "");
        assert_eq!(check(&[core, rocm].join("\n")), "", "a program may link it by itself");
        let cuda = "1|candle-core v0.11.1 (/c/candle-core)|cuda,cudnn,default (*)";
        assert_eq!(check(&[cuda, nn, rocm].join("\n")), "cuda", "a feature of that name builds nothing");
        for (lines, words) in [
            (vec![core], "without candle-nn. Add candle-nn = \"0.11.1\""),
            (vec![], "do not use candle-core, though a of"),
            (
                vec![core, "1|candle-nn v0.11.1|default (*)", rocm],
                "do not allow candle-nn 0.11.1, for which there is an overlay: they ask for 0.11.1 of crates.io",
            ),
            (vec!["1|candle-core v0.11.2|", rocm], "ask for 0.11.2 of crates.io"),
            (
                vec!["1|candle-core v0.11.0 (https://github.com/huggingface/candle?rev=1#1)|", rocm],
                "ask for 0.11.0 of https://github.com/huggingface/candle?rev=1#1",
            ),
            (vec!["1|candle-core v0.11.1 (/c/candle-core)|metal", rocm], "the feature `metal`"),
            (
                vec![core, "2|flash v1.0.0|", "3|anyhow v1.0.0|", "3|bindgen_cuda v0.1.5|", rocm],
                "flash compiles CUDA kernels",
            ),
        ] {
            let error = check(&lines.join("\n"));
            assert!(error.contains(words), "{error}");
        }
    }
}
