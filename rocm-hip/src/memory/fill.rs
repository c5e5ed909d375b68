//! Where the bytes of an upload come from.

use std::io;

/// A function that writes the data of an upload: to pinned memory, from which the device copies it, or where it is to be, if that is memory
/// of the machine's.
pub enum Fill<'a> {
    /// Fills any part, given its offset in bytes. Called by several threads at once.
    AnyOrder(&'a (dyn Fn(usize, &mut [u8]) -> io::Result<()> + Sync)),
    /// Fills one part after the other, on the calling thread.
    InOrder(&'a mut dyn FnMut(&mut [u8]) -> io::Result<()>),
}

impl Fill<'_> {
    /// Creates a function that copies from `bytes`, for [`Fill::AnyOrder`].
    pub fn from_bytes(bytes: &[u8]) -> impl Fn(usize, &mut [u8]) -> io::Result<()> + Sync {
        |start, part| {
            part.copy_from_slice(&bytes[start..start + part.len()]);
            Ok(())
        }
    }
}
