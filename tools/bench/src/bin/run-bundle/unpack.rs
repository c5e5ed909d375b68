//! The files of a bundle, which are packed one by one.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};

/// Unpacks the files whose names contain one of `names` (all, if there are none) that are not there yet, and lists them.
pub(crate) fn unpack(from: &Path, to: &Path, names: &[String]) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(to).with_context(|| format!("{} cannot be made", to.display()))?;
    let mut files = Vec::new();
    for entry in fs::read_dir(from).with_context(|| format!("{} is not there", from.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_stem().map(|name| name.to_string_lossy().into_owned()) else { continue };
        let packed = path.extension().is_some_and(|extension| extension == "zst");
        if packed && (names.is_empty() || names.iter().any(|wanted| name.contains(&**wanted))) {
            files.push((path, to.join(name)));
        }
    }
    let mut made: Vec<_> = files.iter().map(|(_, made)| made.clone()).collect();
    made.sort();
    let files = Mutex::new(files);
    let work = || -> Result<()> {
        // The list is only locked to take from it.
        let next = || files.lock().ok().and_then(|mut files| files.pop());
        while let Some((packed, made)) = next() {
            if !made.exists() {
                unpack_one(&packed, &made)
                    .with_context(|| format!("{} cannot be unpacked", packed.display()))?;
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| bail!("unpacking panicked")))
    })?;
    Ok(made)
}

fn unpack_one(packed: &Path, made: &Path) -> Result<()> {
    let packed = fs::read(packed)?;
    let mut bytes = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(&packed[..])
        .map_err(|error| anyhow!("{error}"))?
        .read_to_end(&mut bytes)?;
    fs::write(made, bytes)?;
    tools_common::files::make_executable(made)?;
    Ok(())
}
