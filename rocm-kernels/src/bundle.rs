//! Bundles: the code objects of many processors in one file.
//!
//! ```text
//! candle-rocm code objects 1
//! affine 3f0c9d5a7be21846 20713 gfx9-generic=118688 gfx906=118688
//! affine 3f0c9d5a7be21846 29121 gfx10-1-generic=114600 gfx10-3-generic=112552
//!
//! (zstd frames, in the order of their lines)
//! ```
//!
//! A line names a module, the digest of its sources, the size of its frame, and the processors whose code objects are in the frame,
//! with their sizes. Those of one generation share a frame: their code is so alike that they take two thirds of the room.

use std::collections::BTreeMap;
use std::io::{self, Read as _};

use rocm_hip::Target;

use crate::Module;

const HEAD: &str = "candle-rocm code objects 1";

/// A module for the processors of one generation.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    module: &'a str,
    digest: &'a str,
    /// Names and sizes, in the order of the frame's content.
    objects: Vec<(&'a str, u64)>,
    compressed: &'a [u8],
}

/// The frames of a bundle; none of an empty one.
pub(crate) fn parse(bundle: &[u8]) -> Result<Vec<Frame<'_>>, String> {
    if bundle.is_empty() {
        return Ok(Vec::new());
    }
    let end = bundle.windows(2).position(|two| two == b"\n\n").ok_or("it has no end of its index")?;
    let index = str::from_utf8(&bundle[..end]).map_err(|error| error.to_string())?;
    let mut lines = index.lines();
    if lines.next() != Some(HEAD) {
        return Err("it is of another version".to_owned());
    }
    let mut rest = &bundle[end + 2..];
    let mut frame = |line| {
        let (size, frame) = fields(line)?;
        let (compressed, after) = rest.split_at_checked(size)?;
        rest = after;
        Some(Frame { compressed, ..frame })
    };
    lines.map(|line| frame(line).ok_or_else(|| format!("its index says `{line}`"))).collect()
}

/// The frame's size, and the frame as yet without its content.
fn fields(line: &str) -> Option<(usize, Frame<'_>)> {
    let mut fields = line.split(' ');
    let (module, digest, size) = (fields.next()?, fields.next()?, fields.next()?.parse().ok()?);
    let objects = fields.map(|field| {
        let (arch, size) = field.split_once('=')?;
        Some((arch, size.parse().ok()?))
    });
    Some((size, Frame { module, digest, objects: objects.collect::<Option<_>>()?, compressed: &[] }))
}

impl<'a> Frame<'a> {
    pub(crate) fn module(&self) -> &'a str {
        self.module
    }

    /// That of the sources it was compiled from.
    pub(crate) fn digest(&self) -> &'a str {
        self.digest
    }

    pub(crate) fn archs(&self) -> impl Iterator<Item = &'a str> {
        self.objects.iter().map(|(arch, _)| *arch)
    }

    /// Decompresses the code object for an arch; `None` if the frame has none.
    pub(crate) fn object(&self, arch: &str) -> Option<io::Result<Vec<u8>>> {
        let at = self.archs().position(|found| found == arch)?;
        let before = self.objects[..at].iter().map(|(_, size)| size).sum();
        Some(self.read(before, self.objects[at].1))
    }

    fn read(&self, before: u64, size: u64) -> io::Result<Vec<u8>> {
        let mut content =
            ruzstd::decoding::StreamingDecoder::new(self.compressed).map_err(io::Error::other)?;
        io::copy(&mut content.by_ref().take(before), &mut io::sink())?;
        let mut object = Vec::new();
        content.take(size).read_to_end(&mut object)?;
        match object.len() as u64 == size {
            true => Ok(object),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

/// Packs code objects, given as (arch, module, code), into a bundle. `compress` turns each of the contents into a zstd frame.
///
/// # Errors
/// The error of `compress`.
pub fn pack<E>(
    objects: &[(&str, &Module, &[u8])],
    compress: impl FnOnce(Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, E>,
) -> Result<Vec<u8>, E> {
    let mut frames = BTreeMap::<_, Vec<(&str, &[u8])>>::new();
    for (arch, module, code) in objects {
        // The wavefront size does not matter for the generation.
        let generation = Target::new(*arch, 32).generation();
        frames.entry((module.name, module.digest(), generation)).or_default().push((*arch, *code));
    }
    let content =
        |objects: &Vec<(&str, &[u8])>| objects.iter().flat_map(|(_, code)| *code).copied().collect();
    let compressed = compress(frames.values().map(content).collect())?;
    let mut bundle = format!("{HEAD}\n");
    for (((module, digest, _), objects), frame) in frames.iter().zip(&compressed) {
        bundle += &format!("{module} {digest} {}", frame.len());
        for (arch, code) in objects {
            bundle += &format!(" {arch}={}", code.len());
        }
        bundle.push('\n');
    }
    bundle.push('\n');
    Ok([bundle.as_bytes(), &compressed.concat()].concat())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{AFFINE, CAST};

    /// With ruzstd's own encoder.
    pub(crate) fn packed(objects: &[(&str, &Module, &[u8])]) -> Vec<u8> {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        let compress = |contents: Vec<Vec<u8>>| {
            Ok::<_, ()>(contents.iter().map(|c| ruzstd::encoding::compress_to_vec(&c[..], level)).collect())
        };
        pack(objects, compress).expect("compressing cannot fail")
    }

    #[test]
    fn every_object_is_found_again() {
        let large = b"large ".repeat(100_000);
        let objects: [(&str, &Module, &[u8]); 6] = [
            ("gfx906", &CAST, b"first"),
            ("gfx90a", &CAST, &large),
            ("gfx9-4-generic", &CAST, b"third"),
            ("gfx1100", &CAST, b"of another generation"),
            ("gfx90a", &AFFINE, b"of another module"),
            ("gfx1100", &AFFINE, b""),
        ];
        let bundle = packed(&objects);
        let frames = parse(&bundle).unwrap();
        let sizes: Vec<_> = frames.iter().map(|frame| frame.objects.len()).collect();
        assert_eq!(sizes, [1, 1, 3, 1], "a frame for each module and generation");
        for (arch, module, code) in objects {
            let mut found = frames
                .iter()
                .filter(|frame| frame.module() == module.name && frame.digest() == module.digest());
            assert_eq!(
                found.find_map(|frame| frame.object(arch)).unwrap().unwrap(),
                code,
                "{arch} {}",
                module.name
            );
        }
        assert!(frames.iter().all(|frame| frame.object("gfx908").is_none()));
        assert_eq!(parse(&[]).unwrap().len(), 0);
    }

    #[test]
    fn damaged_bundles_are_errors() {
        let bundle = packed(&[("gfx906", &CAST, &b"code ".repeat(1000))]);
        let (index, _) = bundle.split_at(bundle.len() - 20);
        assert!(parse(index).unwrap_err().starts_with("its index says `cast "));
        for (from, to) in [("objects 1", "objects 2"), ("cast ", ""), ("=5000", "=many"), ("\n\n", "\n")] {
            let text = String::from_utf8_lossy(&bundle);
            let changed = text.replacen(from, to, 1);
            assert_ne!(text, changed, "{from}");
            parse(changed.as_bytes()).unwrap_err();
        }
        // Larger than what is in the frame.
        let longer = String::from_utf8_lossy(&bundle).into_owned().replacen("=5000", "=5001", 1);
        let end = longer.find("\n\n").unwrap() + 2;
        let longer = [&longer.as_bytes()[..end], &bundle[end..]].concat();
        parse(&longer).unwrap()[0].object("gfx906").unwrap().unwrap_err();
    }
}
