//! Whether rocBLAS has code for a card.
//!
//! rocBLAS ends the process when the folder with its kernels (made by a tool called Tensile) has none for the card, so it
//! must not be asked. It looks where `ROCBLAS_TENSILE_LIBPATH` says, else beside the library, and wants an index
//! (`TensileLibrary_lazy_gfx1100.dat`, or one for all cards in older versions) and code (`*gfx1100*.co`, `*.hsaco`).
//! Distributions' builds (Ubuntu's) have kernels for generic targets instead, `*gfx11-generic*`, and look for those after the
//! card's own.

use std::fs;
use std::path::{Path, PathBuf};

/// Which kernels rocBLAS has for a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// For the card itself.
    Exact,
    /// For the generic target that covers it.
    Generic,
}

/// Which kernels for the card the folder has that the rocBLAS of this file reads; if none, why.
pub(super) fn check(library: &Path, named: Option<&Path>, arch: &str) -> Result<Coverage, String> {
    // gfx90a:sramecc+:xnack-
    let target = rocm_kernels::default_target(arch);
    let processor = target.processor();
    let folders = match named {
        Some(folder) => vec![folder.to_owned()],
        None => beside(library),
    };
    let mut reasons = Vec::new();
    for folder in folders {
        // Some versions have a folder per processor.
        let own = folder.join(processor);
        let folder = if own.is_dir() { own } else { folder };
        match covers(&folder, processor) {
            Ok(()) => return Ok(Coverage::Exact),
            Err(why) => reasons.push(format!("{} {why}", folder.display())),
        }
        if rocm_kernels::generic_target(&target).is_some_and(|generic| covers(&folder, generic).is_ok()) {
            return Ok(Coverage::Generic);
        }
    }
    Err(format!(
        "rocBLAS ({}) has no kernels for {processor}: {}; install the package with rocBLAS's kernels for {processor}, set \
         ROCBLAS_TENSILE_LIBPATH to their folder, or, where a similar processor is there, set HSA_OVERRIDE_GFX_VERSION",
        library.display(),
        reasons.join("; ")
    ))
}

/// Where the kernels lie: below the library's folder, also that of the file that a link points to.
fn beside(library: &Path) -> Vec<PathBuf> {
    let real = fs::canonicalize(library).ok();
    let mut folders = Vec::new();
    for file in [Some(library), real.as_deref()].into_iter().flatten() {
        let Some(folder) = file.parent() else { continue };
        for below in ["rocblas/library", "library", "../../Tensile/library"] {
            let candidate = folder.join(below);
            if !folders.contains(&candidate) {
                folders.push(candidate);
            }
        }
        // Debian has a folder per version in between.
        for version in fs::read_dir(folder.join("rocblas")).into_iter().flatten().flatten() {
            let candidate = version.path().join("library");
            if candidate.is_dir() && !folders.contains(&candidate) {
                folders.push(candidate);
            }
        }
    }
    // Of those that are there the first counts; if there is none, the first is named.
    let present: Vec<_> = folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
    if present.is_empty() { folders.into_iter().take(1).collect() } else { present }
}

fn covers(folder: &Path, processor: &str) -> Result<(), &'static str> {
    let files = fs::read_dir(folder).map_err(|_| "cannot be read")?;
    let (mut index, mut code) = (false, false);
    for file in files.flatten() {
        let name = file.file_name();
        let name = name.to_string_lossy();
        let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, ""));
        match extension {
            "dat" | "yaml" => {
                let for_all = stem == "TensileLibrary";
                index |= for_all || (stem.starts_with("TensileLibrary") && names(stem, processor));
            }
            "co" | "hsaco" => code |= names(stem, processor),
            _ => {}
        }
    }
    match (index, code) {
        (true, true) => Ok(()),
        (false, true) => Err("has code for it, but no index"),
        (_, false) => Err("has no code for it"),
    }
}

/// Whether a file's name names the processor, rather than one whose name begins with its.
fn names(stem: &str, processor: &str) -> bool {
    stem.match_indices(processor).any(|(at, _)| {
        let after = stem[at + processor.len()..].chars().next();
        !after.is_some_and(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with empty files, gone at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str, files: &[&str]) -> Self {
            let root =
                std::env::temp_dir().join(format!("candle-rocm-tensile-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&root);
            for file in files {
                let path = root.join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "").unwrap();
            }
            Self(root)
        }

        fn check(&self, arch: &str) -> Result<Coverage, String> {
            check(&self.0.join("lib/librocblas.so.4"), None, arch)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn rocm_6() {
        let folder = Folder::new(
            "rocm6",
            &[
                "lib/librocblas.so.4",
                "lib/rocblas/library/TensileLibrary_lazy_gfx1100.dat",
                "lib/rocblas/library/Kernels.so-000-gfx1100.hsaco",
                "lib/rocblas/library/TensileLibrary_lazy_gfx90a.dat",
                "lib/rocblas/library/Kernels.so-000-gfx90a-xnack-.hsaco",
                "lib/rocblas/library/TensileLibrary_Type_HH_Contraction_l_Ailk_Bjlk_Cijk_Dijk_fallback_gfx1010.hsaco",
                "lib/rocblas/library/TensileLibrary_lazy_gfx906.dat",
            ],
        );
        assert_eq!(folder.check("gfx1100"), Ok(Coverage::Exact));
        assert_eq!(folder.check("gfx90a:sramecc+:xnack-"), Ok(Coverage::Exact));
        let why = folder.check("gfx1103").unwrap_err();
        assert!(
            why.contains("gfx1103") && why.contains("has no code") && why.contains("rocblas/library"),
            "{why}"
        );
        // Not taken for gfx90a or gfx1100.
        assert!(folder.check("gfx90").is_err() && folder.check("gfx110").is_err());
        assert!(folder.check("gfx1010").unwrap_err().contains("no index"));
        assert!(folder.check("gfx906").unwrap_err().contains("no code"));
    }

    #[test]
    fn one_index_for_all() {
        let files =
            ["lib/rocblas/library/TensileLibrary.dat", "lib/rocblas/library/TensileLibrary_gfx906.co"];
        let folder = Folder::new("rocm5", &files);
        assert_eq!(folder.check("gfx906:sramecc-:xnack-"), Ok(Coverage::Exact));
        assert!(folder.check("gfx908").is_err());
    }

    #[test]
    fn folders_per_processor_and_version() {
        let files = [
            "lib/rocblas/4.4.1/library/gfx1201/TensileLibrary_lazy_gfx1201.dat",
            "lib/rocblas/4.4.1/library/gfx1201/Kernels.so-000-gfx1201.hsaco",
        ];
        let folder = Folder::new("nested", &files);
        assert_eq!(folder.check("gfx1201"), Ok(Coverage::Exact));
        assert!(folder.check("gfx1200").is_err());
    }

    #[test]
    fn generic_targets() {
        let files = [
            "lib/x86_64-linux-gnu/rocblas/5.1.0/library/TensileLibrary_lazy_gfx11-generic.dat",
            "lib/x86_64-linux-gnu/rocblas/5.1.0/library/Kernels.so-000-gfx11-generic.hsaco",
            "lib/x86_64-linux-gnu/rocblas/5.1.0/library/TensileLibrary_lazy_gfx1100.dat",
            "lib/x86_64-linux-gnu/rocblas/5.1.0/library/Kernels.so-000-gfx1100.hsaco",
            "lib/x86_64-linux-gnu/rocblas/5.1.0/library/TensileLibrary_lazy_gfx9-4-generic.dat",
            "lib/x86_64-linux-gnu/rocblas/5.1.0/library/TensileLibrary_Type_SS_fallback_gfx9-4-generic.hsaco",
            "lib/x86_64-linux-gnu/rocblas/5.1.0/library/TensileLibrary_lazy_gfx10-3-generic.dat",
        ];
        let folder = Folder::new("generic", &files);
        let check = |arch| check(&folder.0.join("lib/x86_64-linux-gnu/librocblas.so.5"), None, arch);
        assert_eq!(check("gfx1100"), Ok(Coverage::Exact));
        for covered in ["gfx1101", "gfx1103", "gfx1151", "gfx942:sramecc+:xnack-"] {
            assert_eq!(check(covered), Ok(Coverage::Generic), "{covered}");
        }
        // Of another family, of none, and of one that has an index only.
        for uncovered in ["gfx906", "gfx1200", "gfx90a", "gfx1030"] {
            assert!(check(uncovered).unwrap_err().contains("no code"), "{uncovered}");
        }
    }

    #[test]
    fn the_variable_wins() {
        let files =
            ["lib/rocblas/library/TensileLibrary_lazy_gfx1100.dat", "lib/rocblas/library/k-gfx1100.co"];
        let folder = Folder::new("variable", &files);
        let elsewhere = folder.0.join("nowhere");
        let library = folder.0.join("lib/librocblas.so");
        let why = check(&library, Some(elsewhere.as_path()), "gfx1100").unwrap_err();
        assert!(why.contains("nowhere cannot be read"), "{why}");
        let right = folder.0.join("lib/rocblas/library");
        assert_eq!(
            check(Path::new("/nowhere/librocblas.so"), Some(right.as_path()), "gfx1100"),
            Ok(Coverage::Exact)
        );
    }

    #[test]
    fn no_folder_at_all() {
        let why = check(Path::new("/nowhere/lib/librocblas.so.4"), None, "gfx1100").unwrap_err();
        assert!(why.contains("/nowhere/lib/rocblas/library cannot be read"), "{why}");
    }
}
