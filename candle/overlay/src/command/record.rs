//! Creates patches from edited sources.

use std::path::{Path, PathBuf};

use super::difference::difference;
use super::{joined, plain, read_text, sync};
use crate::{Error, LEFT_OUT, SearchPath, Tree, lib_rs, stock, tree};

/// Records the differences between the stock crate and the written package as the package's patch, and files that the stock crate
/// does not have as `added/`.
pub(super) fn record(search_path: &SearchPath, package: &Path, written: &Path) -> Result<(), Error> {
    let stock = stock(search_path, package)?;
    let (ours, mut tree) = read(package, written, &stock)?;
    let mut patch = String::new();
    for (path, stock) in &stock {
        match tree.remove(path) {
            Some(bytes) if bytes == *stock => {}
            Some(bytes) => patch += &difference(path, &text(path, stock)?, &text(path, &bytes)?),
            None if LEFT_OUT.iter().any(|name| path == Path::new(name)) => {}
            None => {
                return Err(Error::new(format!(
                    "{} was deleted, which a patch cannot express",
                    path.display()
                )));
            }
        }
    }
    let recorded = Tree::from([("seam.patch".into(), patch.into()), ("src/lib.rs".into(), ours.into())]);
    tree::write(&recorded, package)?;
    sync(&tree, &package.join("added"))?;
    println!("{}: recorded, with {} files of our own", package.display(), tree.len());
    Ok(())
}

/// The package's own part of `src/lib.rs`, and the written files without those that [`plain`] added.
fn read(package: &Path, written: &Path, stock: &Tree) -> Result<(String, Tree), Error> {
    let fail = |what: &str| Err(Error::new(format!("{}: {what}", written.display())));
    let mut tree = tree::read(written)?;
    let lib = PathBuf::from("src/lib.rs");
    let joined = tree.remove(&lib).unwrap_or_default();
    let joined = text(&lib, &joined)?;
    let Some((ours, theirs)) = joined::split(&joined) else {
        return fail("not written by `cargo xtask overlay --out`, or the marker in src/lib.rs is missing");
    };
    if read_text(&written.join("Cargo.toml"))? != plain::manifest(package)? {
        return fail("Cargo.toml was edited; edit the overlay's instead");
    }
    // Without the files that `plain` added and those that cargo or an editor creates.
    let is_source = |path: &Path| {
        let first = path.iter().next().unwrap_or_default().to_string_lossy();
        !["Cargo.toml", "Cargo.lock", "build.rs", "target"].contains(&&*first) && !first.starts_with('.')
    };
    tree.retain(|path, _| is_source(path));
    let documentation = stock.get(&lib).map_or(&[][..], |stock| &stock[..lib_rs::documentation(stock)]);
    tree.insert(lib, [documentation, theirs.as_bytes()].concat());
    Ok((ours, tree))
}

fn text(path: &Path, bytes: &[u8]) -> Result<String, Error> {
    let text = String::from_utf8(bytes.to_vec());
    text.map_err(|_| Error::new(format!("{} is not text", path.display())))
}
