//! Bytes that are wanted on a device. A backend reads them straight to where the device copies from, which saves a copy of the whole.

use std::any::TypeId;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::marker::PhantomData;
#[cfg(unix)]
use std::{fs::File, io::BufReader};

/// A reader for the bytes of a tensor.
pub enum Source<'a> {
    /// Reads any part, given its offset in bytes. Called by several threads at once.
    Parts(Box<dyn Fn(usize, &mut [u8]) -> io::Result<()> + Sync + 'a>),
    /// Reads from the first byte to the last.
    Stream(&'a mut dyn Read),
}

impl<'a> From<&'a [u8]> for Source<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Parts(Box::new(move |start, part| {
            let from = start.checked_add(part.len()).and_then(|end| bytes.get(start..end));
            part.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
            Ok(())
        }))
    }
}

impl<'a> Source<'a> {
    /// `len` bytes of a reader. Whatever is done with them, the reader is behind them afterwards, or was read to there.
    pub(crate) fn of<R: Read + Seek>(reader: &'a mut R, start: u64, len: usize) -> io::Result<Self> {
        #[cfg(unix)]
        if let Some(file) = file(reader) {
            use std::os::unix::fs::FileExt;

            let file = file.try_clone()?;
            reader.seek(SeekFrom::Start(start.saturating_add(len as u64)))?;
            return Ok(Self::Parts(Box::new(move |at, part| {
                file.read_exact_at(part, start.saturating_add(at as u64))
            })));
        }
        if memory(reader).is_some() {
            reader.seek(SeekFrom::Start(start.saturating_add(len as u64)))?;
            let bytes = memory(reader).and_then(|bytes| bytes.get(usize::try_from(start).ok()?..));
            return Ok(bytes.unwrap_or_default().into());
        }
        reader.seek(SeekFrom::Start(start))?;
        Ok(Self::Stream(reader))
    }

    /// All of it.
    pub(crate) fn to_vec(&mut self, len: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        match self {
            Self::Parts(read) => read(0, &mut bytes)?,
            Self::Stream(reader) => reader.read_exact(&mut bytes)?,
        }
        Ok(bytes)
    }
}

/// The file that programs usually read from, by themselves or behind a model's builder that borrows it.
#[cfg(unix)]
fn file<R>(reader: &R) -> Option<&File> {
    cast::<R, File>(reader)
        .or_else(|| cast::<R, &mut File>(reader).map(|file| &**file))
        .or_else(|| cast::<R, BufReader<File>>(reader).map(BufReader::get_ref))
        .or_else(|| cast::<R, &mut BufReader<File>>(reader).map(|reader| reader.get_ref()))
}

/// A file in memory: mapped, or read before.
fn memory<R>(reader: &R) -> Option<&[u8]> {
    cast::<R, Cursor<&[u8]>>(reader)
        .map(|cursor| *cursor.get_ref())
        .or_else(|| cast::<R, &mut Cursor<&[u8]>>(reader).map(|cursor| *cursor.get_ref()))
        .or_else(|| cast::<R, Cursor<Vec<u8>>>(reader).map(|cursor| &cursor.get_ref()[..]))
        .or_else(|| cast::<R, Cursor<memmap2::Mmap>>(reader).map(|cursor| &cursor.get_ref()[..]))
        .or_else(|| cast::<R, Cursor<&memmap2::Mmap>>(reader).map(|cursor| &cursor.get_ref()[..]))
}

/// The value, if it is of that type. What the types borrow is borrowed for as long as the value is.
fn cast<'a, R, T>(value: &'a R) -> Option<&'a T> {
    // SAFETY: the types differ in lifetimes at most. The value's own live at least as long as the reference to it, and so do those of
    // the result, of which only what is behind it is read.
    (id::<R>() == id::<T>()).then(|| unsafe { &*std::ptr::from_ref(value).cast::<T>() })
}

/// The type's id, whatever it borrows: as if that were borrowed for ever.
fn id<T>() -> TypeId {
    trait OfType {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T> OfType for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let value = PhantomData::<T>;
    // SAFETY: nothing is borrowed, only the type says so, and it is asked for nothing but its id.
    unsafe { std::mem::transmute::<&dyn OfType, &(dyn OfType + 'static)>(&value) }.id()
}
