//! Bounded reading: nothing is allocated or skipped that the file does not have.

use std::io::{BufReader, Read, Seek};

use super::ModelFault;

/// A reader that knows where it is and where it ends.
pub(super) struct Input<R> {
    inner: BufReader<R>,
    position: u64,
    end: u64,
}

impl<R: Read + Seek> Input<R> {
    pub(super) fn new(reader: R, position: u64, end: u64) -> Self {
        Self { inner: BufReader::new(reader), position, end }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn remaining(&self) -> u64 {
        self.end.saturating_sub(self.position)
    }

    /// Moves past `count` bytes, if the file has them.
    fn advance(&mut self, what: &str, count: u64) -> Result<(), ModelFault> {
        if count > self.remaining() {
            return Err(ModelFault::Truncated {
                what: what.to_owned(),
                end: self.position.saturating_add(count),
                length: self.end,
            });
        }
        self.position += count;
        Ok(())
    }

    pub(super) fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], ModelFault> {
        self.advance(what, N as u64)?;
        let mut bytes = [0; N];
        self.inner.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32, ModelFault> {
        self.array(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &str) -> Result<u64, ModelFault> {
        self.array(what).map(u64::from_le_bytes)
    }

    pub(super) fn bytes(&mut self, what: &str, count: u64) -> Result<Vec<u8>, ModelFault> {
        self.advance(what, count)?;
        let mut bytes = vec![0; count as usize];
        self.inner.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn skip(&mut self, what: &str, count: u64) -> Result<(), ModelFault> {
        self.advance(what, count)?;
        Ok(self.inner.seek_relative(count as i64)?)
    }

    /// To the next multiple of a power of two.
    pub(super) fn align(&mut self, alignment: u64) -> Result<(), ModelFault> {
        self.skip("padding", self.position.next_multiple_of(alignment) - self.position)
    }
}
