//! Windows' libraries (PE files): whether they are complete, and the version that they state.
//!
//! Windows itself refuses a truncated file, with a number and no reason.

use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Returns an error that says why if the file is not a complete library for this program's processor.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    // Libraries of ROCm have hundreds of MiB.
    let mut headers = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEADERS).read_to_end(&mut headers));
    read.map_err(|error| error.to_string())?;
    let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    Image::with_headers(&headers, size)?.runs_on(std::env::consts::ARCH)
}

/// What is read of a file for its headers, which have hundreds of bytes.
const HEADERS: u64 = 1 << 16;

/// Processors by their number in a file's header, with Rust's name and one for messages.
const MACHINES: [(u64, &str, &str); 3] =
    [(0x8664, "x86_64", "x86-64"), (0x14c, "x86", "32-bit x86"), (0xaa64, "aarch64", "ARM64")];

/// The version in the file's resources, as shown in its properties. DLLs have no soname.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileVersion(pub [u16; 4]);

impl FileVersion {
    /// Reads the version of a DLL. `None` if it states none, or if the file is not a DLL.
    pub fn of(path: &Path) -> Option<Self> {
        Image::of(&fs::read(path).ok()?).ok()?.version()
    }
}

impl fmt::Display for FileVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, build, revision] = self.0;
        write!(f, "{major}.{minor}.{build}.{revision}")
    }
}

/// A complete file with its sections.
struct Image<'a> {
    file: &'a [u8],
    machine: u64,
    /// Where the resources are in memory; 0 if there are none.
    resources: usize,
    sections: Vec<Section>,
}

/// Where a section is in memory and in the file.
struct Section {
    address: usize,
    start: usize,
    size: usize,
}

impl<'a> Image<'a> {
    /// In the optional header: the magic number of 64-bit files, the number of data directories, and the third of them, resources. In
    /// 32-bit files both are nearer by some fields of addresses.
    const WIDE: u64 = 0x20b;
    const NARROW: u64 = 0x10b;
    const DIRECTORY_COUNT: usize = 108;
    const RESOURCES: usize = 112 + 2 * 8;
    const NEARER: usize = 16;

    fn of(file: &'a [u8]) -> Result<Self, String> {
        Self::with_headers(file, file.len())
    }

    /// Of the beginning of a file of this size.
    fn with_headers(file: &'a [u8], size: usize) -> Result<Self, String> {
        if !file.starts_with(b"MZ") {
            return Err(format!("not a Windows library ({size} bytes)"));
        }
        let image = Self::headers(file)
            .ok_or_else(|| format!("truncated or damaged: no headers of a library in {size} bytes"))?;
        let end = image.sections.iter().map(|section| section.start + section.size).max().unwrap_or(0);
        match end > size {
            true => Err(format!("truncated: {size} bytes of {end}; reinstall the package")),
            false => Ok(image),
        }
    }

    fn headers(file: &'a [u8]) -> Option<Self> {
        let start = number::<4>(file, 0x3c)?;
        if file.get(start..start.checked_add(4)?)? != b"PE\0\0" {
            return None;
        }
        let machine = number::<2>(file, start + 4)? as u64;
        let count = number::<2>(file, start + 6)?;
        let optional = start + 24;
        let table = optional + number::<2>(file, start + 20)?;
        let nearer = match number::<2>(file, optional)? as u64 {
            Self::WIDE => 0,
            Self::NARROW => Self::NEARER,
            _ => return None,
        };
        let has_resources = number::<4>(file, optional + Self::DIRECTORY_COUNT - nearer)? > 2;
        let resources =
            if has_resources { number::<4>(file, optional + Self::RESOURCES - nearer)? } else { 0 };
        let section = |index: usize| {
            let at = table + index * 40;
            let [address, size, start] = [12, 16, 20].map(|field| number::<4>(file, at + field));
            Some(Section { address: address?, start: start?, size: size? })
        };
        let sections = (0..count).map(section).collect::<Option<_>>()?;
        Some(Self { file, machine, resources, sections })
    }

    /// Windows refuses one for another processor, with the number of an invalid file.
    fn runs_on(&self, processor: &str) -> Result<(), String> {
        let ours = MACHINES.into_iter().find(|(_, name, _)| *name == processor);
        let ours = ours.map_or(processor, |(_, _, ours)| ours);
        match MACHINES.into_iter().find(|(number, ..)| *number == self.machine) {
            Some((_, name, _)) if name == processor => Ok(()),
            Some((_, _, theirs)) => Err(format!("a library for {theirs}, and this program is for {ours}")),
            None => Err(format!("a library for an unknown processor (machine {:#x})", self.machine)),
        }
    }

    /// The offset in the file of an address in memory.
    fn offset(&self, address: usize) -> Option<usize> {
        let holds = |section: &&Section| (section.address..section.address + section.size).contains(&address);
        let section = self.sections.iter().find(holds)?;
        Some(section.start + (address - section.address))
    }

    /// Resources are a tree of three levels: kind, name, language. The first leaf of kind 16 is the version, which begins with a
    /// length, a name and padding before the numbers.
    fn version(&self) -> Option<FileVersion> {
        const VERSION: usize = 16;
        const SIGNATURE: [u8; 4] = 0xfeef_04bd_u32.to_le_bytes();
        const SUBTREE: usize = 1 << 31;

        let root = self.offset(self.resources).filter(|_| self.resources != 0)?;
        let mut at = 0;
        for wanted in [Some(VERSION), None, None] {
            let folder = root + at;
            let entries = number::<2>(self.file, folder + 12)? + number::<2>(self.file, folder + 14)?;
            let entry = |index: usize| {
                let entry = folder + 16 + index * 8;
                Some((number::<4>(self.file, entry)?, number::<4>(self.file, entry + 4)?))
            };
            let mut entries = (0..entries).map_while(entry);
            let (_, below) = entries.find(|(id, _)| wanted.is_none_or(|wanted| wanted == *id))?;
            at = below & !SUBTREE;
        }
        let [address, size] = [0, 4].map(|field| number::<4>(self.file, root + at + field));
        let start = self.offset(address?)?;
        let text = self.file.get(start..start.checked_add(size?)?)?;
        let numbers = text.windows(4).position(|four| four == SIGNATURE)?;
        let half = |at: usize| number::<2>(text, numbers + at).and_then(|half| u16::try_from(half).ok());
        // Each of the two words of 32 bits has its higher half first.
        Some(FileVersion([half(10)?, half(8)?, half(14)?, half(12)?]))
    }
}

/// A little-endian number of `N` bytes at an offset.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(bytes.get(at..at.checked_add(N)?)?);
    usize::try_from(u64::from_le_bytes(wide)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The smallest DLL with a version: one section, in memory at 0x1000, with the resources.
    fn dll() -> Vec<u8> {
        let mut file = vec![0; 0x400];
        let mut write = |at: usize, value: u32, size: usize| {
            file[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        };
        let (header, optional, table) = (0x40, 0x58, 0x58 + 0xf0);
        write(0, 0x5a4d, 2);
        write(0x3c, header, 4);
        for (at, value, size) in [
            (header as usize, 0x4550, 4),
            (header as usize + 4, 0x8664, 2),
            (header as usize + 6, 1, 2),
            (header as usize + 20, 0xf0, 2),
            (optional, 0x20b, 2),
            (optional + 108, 16, 4),
            (optional + 128, 0x1000, 4),
            (table + 12, 0x1000, 4),
            (table + 16, 0x200, 4),
            (table + 20, 0x200, 4),
        ] {
            write(at, value, size);
        }
        let root = 0x200;
        // Two kinds, the second of which is the version; a name; a language.
        for (folder, entries) in [
            (0, &[(3, 1 << 31 | 0x100), (16, 1 << 31 | 0x20)][..]),
            (0x20, &[(1, 1 << 31 | 0x40)]),
            (0x40, &[(1033, 0x60)]),
        ] {
            write(root + folder + 14, entries.len() as u32, 2);
            for (index, (id, below)) in entries.iter().enumerate() {
                write(root + folder + 16 + index * 8, *id, 4);
                write(root + folder + 20 + index * 8, *below, 4);
            }
        }
        write(root + 0x60, 0x1080, 4);
        write(root + 0x64, 0x60, 4);
        // After a length and a name: signature, structure's version, file's version.
        for (at, value) in
            [(0x28, 0xfeef_04bd), (0x2c, 0x10000), (0x30, 7 << 16 | 2), (0x34, 53211 << 16 | 4)]
        {
            write(root + 0x80 + at, value, 4);
        }
        file
    }

    #[test]
    fn the_version_is_read() {
        let file = dll();
        let version = Image::of(&file).ok().and_then(|image| image.version()).unwrap();
        assert_eq!(version.to_string(), "7.2.53211.4");
        assert!(FileVersion([6, 10, 0, 0]) > FileVersion([6, 4, 9, 9]));
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let file = dll();
        for length in 0..file.len() {
            let Err(reason) = Image::of(&file[..length]) else { panic!("{length} bytes") };
            let expected = if length < 2 { "not a Windows library" } else { "truncated" };
            assert!(reason.starts_with(expected), "{reason}");
        }
        let Err(reason) = Image::of(&file[..0x3ff]) else { panic!("cut off") };
        assert_eq!(reason, "truncated: 1023 bytes of 1024; reinstall the package");
    }

    /// Nothing in a damaged file is followed out of it.
    #[test]
    fn damaged_bytes_do_no_harm() {
        let good = dll();
        for at in 0..good.len() {
            let mut bad = good.clone();
            for value in [0, 0x7f, 0xff] {
                bad[at] = value;
                if let Ok(image) = Image::of(&bad) {
                    image.version();
                }
            }
        }
    }

    /// Folders of Windows have the libraries of several processors side by side, under the same names.
    #[test]
    fn those_for_other_processors_are_refused() {
        let (machine, kind) = (0x44, 0x58);
        let mut file = dll();
        let check = |file: &[u8]| Image::of(file).and_then(|image| image.runs_on("x86_64"));
        assert_eq!(check(&file), Ok(()));
        file[machine..machine + 2].copy_from_slice(&[0x64, 0xaa]);
        let refused = |other: &str| Err(format!("a library for {other}, and this program is for x86-64"));
        assert_eq!(check(&file), refused("ARM64"));
        assert_eq!(Image::of(&file).and_then(|image| image.runs_on("aarch64")), Ok(()));
        file[machine..machine + 2].copy_from_slice(&[0x4c, 1]);
        file[kind..kind + 2].copy_from_slice(&[0x0b, 1]);
        assert_eq!(check(&file), refused("32-bit x86"));
        file[machine..machine + 2].copy_from_slice(&[0x12, 0x34]);
        let Err(reason) = check(&file) else { panic!("another processor") };
        assert_eq!(reason, "a library for an unknown processor (machine 0x3412)");
    }
}
