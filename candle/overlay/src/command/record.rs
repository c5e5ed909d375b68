//! Creates patches from edited sources.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::difference::difference;
use super::sync;
use crate::packages::{MARKER, editable};
use crate::patch::{self, Hunk};
use crate::seam::VERSION;
use crate::{Error, LEFT_OUT, Seam, SearchPath, Stock, Tree, lib_rs, sources, tree};

/// Records the differences between the stock crate and the written package: in `folder`, which is `seam/`, the patch and `added/`, and for
/// a version that is not the patch's what differs from the patch.
pub(super) fn record(
    search_path: &SearchPath,
    seam: &Seam,
    stock: &Stock,
    written: &Path,
    folder: &Path,
) -> Result<(), Error> {
    let theirs = sources(search_path, stock)?;
    let as_written = editable(&theirs, seam, stock)?;
    let (ours, mut tree) = read(written, &theirs, &as_written)?;
    let mut text = String::new();
    for (path, theirs) in &theirs {
        match tree.remove(path) {
            Some(bytes) if bytes == *theirs => {}
            Some(bytes) => text += &difference(path, &utf8(path, theirs)?, &utf8(path, &bytes)?),
            None if LEFT_OUT.iter().any(|name| path == Path::new(name)) => {}
            None => {
                return Err(Error::new(format!(
                    "{} was deleted, which a patch cannot express",
                    path.display()
                )));
            }
        }
    }
    let crate_folder = folder.join(&stock.name);
    let base = seam.base(&stock.name)?;
    let patches = if stock.version == base.version {
        Tree::from([("seam.patch".into(), text.into())])
    } else {
        let (lines, own) = against_base(&seam.hunks(&base)?, &text)?;
        let files = [("lines.tsv", lines), ("seam.patch", own)];
        let files = files.into_iter().filter(|(_, text)| !text.is_empty());
        sync(
            &files.map(|(name, text)| (name.into(), text.into())).collect(),
            &crate_folder.join(&stock.version),
        )?;
        Tree::new()
    };
    let lib = Tree::from([("lib.rs".into(), ours.replace(&stock.version, VERSION).into())]);
    tree::write(&patches.into_iter().chain(lib).collect(), &crate_folder)?;
    sync(&tree, &crate_folder.join("added"))?;
    println!("{} {}: recorded, with {} files of our own", stock.name, stock.version, tree.len());
    Ok(())
}

/// Our own part of `src/lib.rs`, and the written files without those that are no sources.
fn read(written: &Path, theirs: &Tree, as_written: &Tree) -> Result<(String, Tree), Error> {
    let fail = |what: &str| Err(Error::new(format!("{}: {what}", written.display())));
    let mut tree = tree::read(written)?;
    let lib = PathBuf::from("src/lib.rs");
    let joined = utf8(&lib, &tree.remove(&lib).unwrap_or_default())?;
    let Some((ours, rest)) = joined.split_once(MARKER) else {
        return fail("not written by `cargo xtask overlay --out`, or the marker in src/lib.rs is missing");
    };
    let manifest = Path::new("Cargo.toml");
    if tree.get(manifest) != as_written.get(manifest) {
        return fail("Cargo.toml was edited, which is made of the stock crate's");
    }
    // Without the files that the command added and those that cargo or an editor creates.
    let is_source = |path: &Path| {
        let first = path.iter().next().unwrap_or_default().to_string_lossy();
        !["Cargo.toml", "Cargo.lock", "build.rs", "target"].contains(&&*first) && !first.starts_with('.')
    };
    tree.retain(|path, _| is_source(path));
    let documentation = theirs.get(&lib).map_or(&[][..], |theirs| &theirs[..lib_rs::documentation(theirs)]);
    tree.insert(lib, [documentation, rest.as_bytes()].concat());
    Ok((ours.to_owned(), tree))
}

fn utf8(path: &Path, bytes: &[u8]) -> Result<String, Error> {
    let text = String::from_utf8(bytes.to_vec());
    text.map_err(|_| Error::new(format!("{} is not text", path.display())))
}

/// What a version's patch `text` has other than the base's: where the same lines are, and a patch with the other lines.
fn against_base(base: &[Hunk<'_>], text: &str) -> Result<(String, String), Error> {
    let hunks = patch::hunks(Path::new("seam.patch"), text)?;
    let (mut lines, mut own) = (String::new(), String::new());
    let mut files: Vec<_> = base.iter().chain(&hunks).map(|hunk| hunk.file).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        let (base, theirs) = (of(base, file), of(&hunks, file));
        let pairs = common(&base, &theirs);
        let mut moved = 0;
        for (number, (first, _)) in base.iter().enumerate() {
            match pairs.iter().find(|(of_base, _)| *of_base == number) {
                Some((_, other)) => {
                    let by = theirs[*other].0 as isize - *first as isize;
                    if by != moved {
                        moved = by;
                        let _ = writeln!(lines, "{file}\t{first}\t{}", theirs[*other].0);
                    }
                }
                None => {
                    let _ = writeln!(lines, "{file}\t{first}\t-");
                }
            }
        }
        let alone =
            theirs.iter().enumerate().filter(|(number, _)| !pairs.iter().any(|(_, other)| other == number));
        for (number, (_, (first, added))) in alone.enumerate() {
            if number == 0 {
                let _ = write!(own, "--- a/{file}\n+++ b/{file}\n");
            }
            let _ = writeln!(own, "@@ -{first},0 +{},{} @@", first + 1, added.len());
            added.iter().for_each(|line| own += &format!("+{line}\n"));
        }
    }
    Ok((lines, own))
}

/// A file's hunks: where each belongs, and its lines.
fn of<'h, 'a>(hunks: &'h [Hunk<'a>], file: &str) -> Vec<(usize, &'h [&'a str])> {
    hunks.iter().filter(|hunk| hunk.file == file).map(|hunk| (hunk.first, &*hunk.added)).collect()
}

/// The pairs of a longest common subsequence of both lists' texts.
fn common<T: PartialEq>(a: &[(usize, T)], b: &[(usize, T)]) -> Vec<(usize, usize)> {
    let mut lengths = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i][j] = match a[i].1 == b[j].1 {
                true => lengths[i + 1][j + 1] + 1,
                false => lengths[i + 1][j].max(lengths[i][j + 1]),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i].1 == b[j].1 {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[i + 1][j] >= lengths[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}
