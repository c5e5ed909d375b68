//! The seam as a series of commits for candle itself: `cargo xtask upstream`.
//!
//! The sources are the stock crates, laid out as in candle's repository. A proposal cannot name one vendor, so the variant is called
//! `External` there. The commits are made of the overlays: the last state of candle-core and candle-nn is theirs, and
//! `upstream/seam.patch` takes the fused operations away from it again. What mends candle's own faults comes first, as it needs nothing of
//! all this.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{crates_of, read_text, sync};
use crate::variant::IN_PLACE;
use crate::{Error, LEFT_OUT, Seam, SearchPath, Tree, patch, sources, tree};

/// What the overlays call it, and what a proposal does; the first that fits counts.
const NAMES: [(&str, &str); 13] = [
    ("//! ROCm devices", "//! External devices"),
    (
        "depend on candle-rocm, and have `use candle_rocm as _;` in the program",
        "depend on its crate, and `use` it",
    ),
    ("; or use the patched candle-nn, which does that", ""),
    ("a ROCm", "an external"),
    ("A ROCm", "An external"),
    ("a rocm", "an external"),
    ("no ROCm,", "no vendor's library,"),
    ("no ROCm ", "no external "),
    ("ROCm", "external"),
    ("QRocm", "QExternal"),
    ("Rocm", "External"),
    ("CANDLE_ROCM", "CANDLE_EXTERNAL"),
    ("rocm", "external"),
];

/// Files of candle-core that the fused operations need, and nothing else.
const FUSED: [&str; 5] = ["conv.rs", "cumsum.rs", "fused.rs", "gradient.rs", "quantized_product.rs"];

/// A line that only overlays need: an included file cannot define these macros.
const OVERLAYS_ONLY: &str = "#[cfg(any())] // src/lib.rs has it";

/// In hunks, and in lines of our own files, that are not proposed: CUDA's names give no other vendor's device in candle itself.
const NOT_PROPOSED: &str = "// Not proposed";

/// The files and folders that such lines lead to.
const NOT_PROPOSED_FILES: [&str; 6] = [
    "src/rocm/cuda.rs",
    "src/rocm/grid_blocks.rs",
    "src/rocm/grids.rs",
    "src/rocm/packed.rs",
    "src/rocm/variant.rs",
    "src/rocm_backend",
];

/// The comment in hunks that mend a fault of candle's own.
const MENDS: &str = "// Mends candle: ";

/// At the end of such a hunk, it leaves out candle's next line, which a patch that only adds lines cannot remove.
const LEAVES_OUT: &str = "#[cfg(any())]";

const MANIFEST: &str = "[workspace]\nmembers = [\"candle-core\", \"candle-nn\"]\nresolver = \"2\"\n\n[patch.crates-io]\n\
                        candle-core = { path = \"candle-core\" }\ncandle-nn = { path = \"candle-nn\" }\n";

const EXTERNAL_TESTS: &str = "\n[[test]]\nname = \"external_tests\"\npath = \"tests/external_tests.rs\"\n";

/// A commit of the series.
struct Change {
    subject: &'static str,
    body: &'static str,
    /// All files after it.
    tree: Tree,
}

/// Writes a git repository with the series, its patches, and the text that goes with them.
///
/// # Errors
///
/// Fails if the folder is not empty, if git fails, or if the patches do not fit the overlays.
pub fn upstream(folder: &Path) -> Result<(), Error> {
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Error::new(format!("{} is not empty", folder.display())));
    }
    std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
    git(folder, &["init", "--quiet", "--initial-branch=main"])?;
    let series = series()?;
    for (number, change) in series.iter().enumerate() {
        write(&change.tree, folder)?;
        git(folder, &["add", "--all", "--force"])?;
        let message = format!("{}\n\n{}", change.subject, change.body);
        git(folder, &["commit", "--quiet", "--no-gpg-sign", "--message", message.trim_end()])?;
        git(folder, &["tag", &format!("step-{number}")])?;
    }
    git(folder, &["format-patch", "--quiet", "--output-directory", "patches", "step-0"])?;
    let text = proposal(&series)?;
    let file = folder.join("PROPOSAL.md");
    std::fs::write(&file, text).map_err(|error| Error::io("write", &file, error))?;
    println!(
        "{}: {} commits on candle's published sources, and PROPOSAL.md",
        folder.display(),
        series.len() - 1
    );
    Ok(())
}

fn series() -> Result<Vec<Change>, Error> {
    let (stock, mended, full) = (plain(Patched::No)?, plain(Patched::Mends)?, plain(Patched::All)?);
    let mut seam = full.clone();
    // candle-nn only changes with the fused operations.
    seam.retain(|path, _| !path.starts_with("candle-nn"));
    seam.extend(
        mended.iter().filter(|(path, _)| path.starts_with("candle-nn")).map(|(p, b)| (p.clone(), b.clone())),
    );
    let file = ours("seam.patch");
    let text = read_text(&file)?;
    let hunks = patch::hunks(&file, &text)?;
    patch::apply(&hunks, &mut seam, "the overlays; `cargo xtask upstream --record` mends it")?;
    for file in FUSED {
        seam.remove(&Path::new("candle-core/src/external").join(file));
    }
    let test = |tree: &mut Tree| -> Result<(), Error> {
        tree.insert(
            "candle-core/tests/external_tests.rs".into(),
            read_text(&ours("external_tests.rs"))?.into(),
        );
        // The published manifest lists its tests.
        let manifest = tree.get_mut(Path::new("candle-core/Cargo.toml"));
        if let Some(text) = manifest {
            text.extend_from_slice(EXTERNAL_TESTS.as_bytes());
        }
        Ok(())
    };
    let (mut fused, mut seam) = (full, seam);
    test(&mut fused)?;
    test(&mut seam)?;
    let mut backend = fused.clone();
    for (path, bytes) in tree::read(&ours("backend"))? {
        backend.insert(Path::new("candle-external-cpu").join(path), bytes);
    }
    backend.insert(
        "Cargo.toml".into(),
        MANIFEST.replace("\"candle-nn\"]", "\"candle-nn\", \"candle-external-cpu\"]").into(),
    );
    Ok(vec![
        Change { subject: "candle as published", body: "", tree: stock },
        Change {
            subject: "Mend gradients, a convolution, a cast, and empty quantized tensors",
            body: "Gradients: upsample_nearest1d and 2d replaced those of other uses of their argument; scatter and scatter_add had\n\
                   each other's of what they write to; max_pool2d's was divided by the size of the window; both pools' were wrong\n\
                   where windows do not fill the image. On the CPU, conv1d read a kernel that is not contiguous as if it were, as\n\
                   its own gradient does. F8E4M3 as f64 called itself without end. Quantized tensors without elements aborted or\n\
                   panicked, and so did ones of types that have no numbers.",
            tree: mended,
        },
        Change {
            subject: "Devices whose implementation is another crate's",
            body: "Device and Storage gain one variant each, which holds any implementation of BackendDevice and\n\
                   BackendStorage behind one virtual call per operation. The test runs the CPU backend behind it.",
            tree: seam,
        },
        Change {
            subject: "Offer fused operations to external devices",
            body: "A backend may take softmax, norms, rotary embeddings, attention and others as a whole, and their\n\
                   gradients. It declines by returning None; then nothing changes.",
            tree: fused,
        },
        Change {
            subject: "An external backend, as an example",
            body: "A crate outside of candle-core, in thirty lines: it registers itself, and Device::new_external(0) is its\n\
                   device.",
            tree: backend,
        },
    ])
}

#[derive(Clone, Copy, PartialEq)]
enum Patched {
    No,
    /// With what mends candle's own faults.
    Mends,
    /// With all that the overlays add.
    All,
}

/// Both crates, stock or patched, under the neutral name.
fn plain(patched: Patched) -> Result<Tree, Error> {
    let mut all =
        Tree::from([("Cargo.toml".into(), MANIFEST.into()), (".gitignore".into(), "/target\n".into())]);
    let (seam, search_path) = (Seam::ours(), SearchPath::new()?);
    for stock in crates_of(&seam, None)? {
        let mut tree = sources(&search_path, &stock)?;
        for file in LEFT_OUT.iter().filter(|file| **file != "Cargo.toml") {
            tree.remove(Path::new(file));
        }
        if patched != Patched::No {
            let (file, text) = seam.patch(&stock.name)?;
            let text = neutral(text);
            let mut hunks = patch::hunks(file, &text)?;
            let is_proposed = |hunk: &patch::Hunk<'_>| {
                hunk.added != [OVERLAYS_ONLY] && !hunk.added.iter().any(|line| line.contains(NOT_PROPOSED))
            };
            hunks.retain(|hunk| is_proposed(hunk) && (patched == Patched::All || mends(hunk)));
            for hunk in hunks.iter_mut().filter(|hunk| mends(hunk)) {
                if hunk.added.pop_if(|line| line.trim() == LEAVES_OUT).is_some() {
                    hunk.removed = 1;
                }
            }
            patch::apply(&hunks, &mut tree, &stock.file_name())?;
            let touched = crate::variant::files(&hunks);
            for file in &touched {
                let text = String::from_utf8_lossy(&tree[file]).replace(&format!(" {IN_PLACE}"), "");
                tree.insert(file.clone(), text.into());
            }
            for file in hunks.iter().filter(|hunk| mends(hunk)).map(|hunk| Path::new(hunk.file)) {
                let text = String::from_utf8_lossy(&tree[file]).replace(MENDS, "// ");
                tree.insert(file.to_owned(), text.into());
            }
        }
        if patched == Patched::All {
            let mut added = seam.added(&stock.name);
            added.retain(|path, _| !NOT_PROPOSED_FILES.iter().any(|file| path.starts_with(file)));
            for (path, bytes) in added {
                let path = PathBuf::from(neutral(&path.to_string_lossy()));
                let text = neutral(&String::from_utf8_lossy(&bytes));
                let lines = text.split_inclusive('\n').filter(|line| !line.contains(NOT_PROPOSED));
                tree.insert(path, lines.collect::<String>().into());
            }
        }
        all.extend(tree.into_iter().map(|(path, bytes)| (Path::new(&stock.name).join(path), bytes)));
    }
    Ok(all)
}

fn mends(hunk: &patch::Hunk<'_>) -> bool {
    hunk.added.iter().any(|line| line.contains(MENDS))
}

fn neutral(text: &str) -> String {
    NAMES.iter().fold(text.to_owned(), |text, (ours, theirs)| text.replace(ours, theirs))
}

/// Updates `upstream/seam.patch` from a folder that [`upstream`] wrote, in which step 2 is checked out and was edited.
///
/// # Errors
///
/// Fails if the overlays cannot be read or the patch cannot be written.
pub fn record_upstream(folder: &Path) -> Result<(), Error> {
    let (full, mut patch) = (plain(Patched::All)?, String::new());
    for (path, bytes) in full.iter().filter(|(path, _)| path.starts_with("candle-core")) {
        let Ok(seam) = std::fs::read(folder.join(path)) else { continue };
        // Tests are listed in the manifest by the command.
        if seam != *bytes && path != Path::new("candle-core/Cargo.toml") {
            let (full, seam) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&seam));
            patch += &super::difference::difference(path, &full, &seam);
        }
    }
    let file = ours("seam.patch");
    std::fs::write(&file, patch).map_err(|error| Error::io("write", &file, error))
}

/// The text, with what each commit adds.
fn proposal(series: &[Change]) -> Result<String, Error> {
    let mut table =
        "| Commit | Lines added | removed | in files of candle's own |\n|---|---|---|---|\n".to_owned();
    for pair in series.windows(2) {
        let (mut added, mut removed, mut own) = (0, 0, 0);
        for (path, new) in &pair[1].tree {
            let old = pair[0].tree.get(path);
            let text = |bytes: Option<&Vec<u8>>| {
                bytes.map(|b| String::from_utf8_lossy(b).into_owned()).unwrap_or_default()
            };
            if old == Some(new) {
                continue;
            }
            for line in super::difference::difference(path, &text(old), &text(Some(new))).lines().skip(2) {
                added += usize::from(line.starts_with('+'));
                removed += usize::from(line.starts_with('-'));
                own += usize::from(line.starts_with('+') && series[0].tree.contains_key(path));
            }
        }
        let _ = writeln!(table, "| {} | {added} | {removed} | {own} |", pair[1].subject);
    }
    Ok(read_text(&ours("PROPOSAL.md"))?.replace("{table}\n", &table))
}

/// Writes exactly these files, beside git's.
fn write(tree: &Tree, folder: &Path) -> Result<(), Error> {
    for name in ["candle-core", "candle-nn", "candle-external-cpu"] {
        let inside = tree
            .iter()
            .filter_map(|(path, bytes)| Some((path.strip_prefix(name).ok()?.to_owned(), bytes.clone())));
        sync(&inside.collect(), &folder.join(name))?;
    }
    let outside = tree.iter().filter(|(path, _)| path.components().count() == 1);
    tree::write(&outside.map(|(path, bytes)| (path.clone(), bytes.clone())).collect(), folder)
}

fn ours(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("upstream").join(file)
}

fn git(folder: &Path, arguments: &[&str]) -> Result<(), Error> {
    let status = Command::new("git").args(arguments).current_dir(folder).status();
    match status.map_err(|error| Error::io("run", Path::new("git"), error))?.success() {
        true => Ok(()),
        false => Err(Error::new(format!("git {} failed in {}", arguments.join(" "), folder.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_neutral() {
        assert_eq!(neutral("crate::rocm::QRocmStorage"), "crate::external::QExternalStorage");
        assert_eq!(
            neutral("/// on a ROCm device, CANDLE_ROCM_X"),
            "/// on an external device, CANDLE_EXTERNAL_X"
        );
        for (path, bytes) in plain(Patched::All).unwrap() {
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            assert!(!path.to_string_lossy().contains("rocm") && !text.contains("rocm"), "{}", path.display());
        }
    }

    #[test]
    fn each_step_has_its_part() {
        let series = series().unwrap();
        let has = |step: usize, file: &str| series[step].tree.contains_key(Path::new(file));
        assert!(!has(1, "candle-core/src/external/mod.rs"));
        assert!(has(2, "candle-core/src/external/mod.rs") && !has(2, "candle-core/src/external/fused.rs"));
        assert!(has(3, "candle-core/src/external/fused.rs") && has(3, "candle-nn/src/external.rs"));
        assert!(has(4, "candle-external-cpu/src/lib.rs"));
        let text = |step: usize, file: &str| {
            String::from_utf8_lossy(&series[step].tree[Path::new(file)]).into_owned()
        };
        for (path, bytes) in series[2].tree.iter().filter(|(path, _)| path.starts_with("candle-core/src")) {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("FusedOp") && !text.contains("Op::Fused"), "{}", path.display());
        }
        assert!(text(2, "candle-core/src/device.rs").contains("External(crate::ExternalDevice)"));
        for (path, bytes) in series.iter().flat_map(|change| &change.tree) {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains(NOT_PROPOSED) && !text.contains("AsCuda"), "{}", path.display());
        }
        for step in 1..=3 {
            let gradients = text(step, "candle-core/src/backprop.rs");
            assert_eq!(gradients.matches("let conv_sum = sum_grad.add(&conv_sum)?;").count(), 2, "{step}");
            let casts = text(step, "candle-core/src/dtype.rs");
            assert!(casts.contains("f8e4m3::to_f64(&v)") && !casts.contains("|v: f8e4m3| v.to_f64()"));
            assert!(!gradients.contains(MENDS) && !casts.contains(LEAVES_OUT), "{step}");
        }
        assert!(!text(1, "candle-core/src/backprop.rs").contains("external"));
        assert!(
            text(0, "candle-core/src/error.rs") == text(3, "candle-core/src/error.rs"),
            "for overlays only"
        );
        let proposal = proposal(&series).unwrap();
        assert!(!proposal.contains("{table}") && proposal.contains(series[3].subject), "{proposal}");
    }
}
