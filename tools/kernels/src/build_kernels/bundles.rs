//! The bundles that the data crates take in, one for each family of cards.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result, ensure};
use rocm_kernels::{FAMILIES, Module, Processor};

use super::report::ModuleReport;

/// Where a family's bundle is: its crate, or a folder for all.
fn path(workspace: &Path, out: Option<&Path>, family: &str) -> PathBuf {
    match out {
        Some(folder) => folder.join(format!("{family}.bundle")),
        None => workspace.join("code-objects").join(family).join("code-objects.bundle"),
    }
}

/// Replaces all bundles: they then have exactly these code objects.
pub(super) fn write(
    reports: &[ModuleReport],
    workspace: &Path,
    out: Option<&Path>,
    jobs: usize,
) -> Result<()> {
    for family in FAMILIES {
        let path = path(workspace, out, family);
        let is_member = |report: &&ModuleReport| Processor::nearest(&report.arch).family() == family;
        let objects: Vec<_> = reports
            .iter()
            .filter(is_member)
            .map(|report| (report.arch.as_str(), report.module, report.code.as_slice()))
            .collect();
        let written = if objects.is_empty() { remove(&path) } else { replace(&path, &objects, jobs) };
        written.with_context(|| format!("cannot replace {}", path.display()))?;
    }
    Ok(())
}

fn replace(path: &Path, objects: &[(&str, &Module, &[u8])], jobs: usize) -> Result<()> {
    let bundle = rocm_kernels::pack(objects, |contents| compress_all(&contents, jobs))?;
    let raw: usize = objects.iter().map(|(.., code)| code.len()).sum();
    println!(
        "{}: {} code objects, {:.2} MiB ({:.1} MiB as they are loaded)",
        path.display(),
        objects.len(),
        bundle.len() as f64 / f64::from(1 << 20),
        raw as f64 / f64::from(1 << 20)
    );
    // An unchanged file keeps its modification time, so that cargo does not rebuild the crate.
    if fs::read(path).is_ok_and(|old| old == bundle) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().context("it has no folder")?)?;
    Ok(fs::write(path, bundle)?)
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// Compresses each, `jobs` at a time.
fn compress_all(contents: &[Vec<u8>], jobs: usize) -> Result<Vec<Vec<u8>>> {
    let next = Mutex::new(contents.iter().enumerate());
    let compressed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(contents.len()) {
            scope.spawn(|| {
                let take = || next.lock().ok()?.next();
                while let Some((at, content)) = take() {
                    let frame = compress(content);
                    compressed
                        .lock()
                        .unwrap_or_else(|poisoned| poisoned.into_inner())
                        .push(frame.map(|f| (at, f)));
                }
            });
        }
    });
    let compressed = compressed.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut frames = compressed.into_iter().collect::<Result<Vec<(usize, Vec<u8>)>>>()?;
    frames.sort();
    Ok(frames.into_iter().map(|(_, frame)| frame).collect())
}

/// Compresses with libzstd: kernels for different types are so similar that the result is a fifth of the size that ruzstd's encoder
/// achieves. ruzstd, which decompresses at run time, must be able to read it.
fn compress(bytes: &[u8]) -> Result<Vec<u8>> {
    let compressed = zstd::bulk::compress(bytes, 19)?;
    let mut back = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(compressed.as_slice())?.read_to_end(&mut back)?;
    ensure!(back == bytes, "a compressed frame does not decompress to itself");
    Ok(compressed)
}

#[cfg(test)]
mod tests {
    use rocm_kernels::{AFFINE, CAST};

    use super::*;

    fn report(arch: &str, module: &'static Module) -> ModuleReport {
        let code = format!("{arch} {}", module.name).into_bytes();
        ModuleReport { arch: arch.into(), module, kernels: vec![], flat: vec![], code, seconds: None }
    }

    #[test]
    fn each_family_has_a_crate() {
        let folders = fs::read_dir(tools_common::root().join("code-objects")).expect("it is there");
        let mut found: Vec<_> = folders.map(|folder| folder.expect("a folder").file_name()).collect();
        found.sort();
        let mut families = FAMILIES;
        families.sort_unstable();
        assert_eq!(found, families);
    }

    #[test]
    fn bundles_hold_what_was_built_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |reports: &[ModuleReport]| write(reports, Path::new("/"), Some(folder.path()), 2);
        let index = |family: &str| {
            let bundle = fs::read(path(Path::new("/"), Some(folder.path()), family)).ok()?;
            Some(String::from_utf8_lossy(&bundle).split("\n\n").next()?.to_owned())
        };
        write(&[report("gfx1100", &CAST), report("gfx90a", &AFFINE), report("gfx90a", &CAST)])
            .expect("written");
        assert!(
            index("rdna3").is_some_and(|index| index.contains("cast ") && index.ends_with(" gfx1100=12"))
        );
        let cdna = index("cdna2").expect("there is one");
        assert!(
            cdna.contains("\naffine ") && cdna.contains("\ncast ") && !cdna.contains("gfx1100"),
            "{cdna}"
        );
        write(&[report("gfx1030", &CAST)]).expect("written");
        assert!(index("rdna2").is_some_and(|index| index.contains("gfx1030")));
        assert_eq!(["rdna3", "cdna2"].map(index), [None, None]);
    }
}
