//! A fast hasher for short keys that no adversary chooses: kernel names, dims and strides.

use std::hash::{BuildHasherDefault, Hasher};

pub(crate) type BuildFastHasher = BuildHasherDefault<FastHasher>;

#[derive(Default)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    fn add(&mut self, word: u64) {
        // Odd and without pattern; the rotation brings the well-mixed high bits down for the next round.
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.add(chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
        }
        self.add(
            chunks.remainder().iter().fold(bytes.len() as u64, |word, &byte| word << 8 | u64::from(byte)),
        );
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }

    fn write_u8(&mut self, byte: u8) {
        self.add(u64::from(byte));
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// The hash of some words.
pub(crate) fn words(words: &[usize]) -> u64 {
    let mut hasher = FastHasher(words.len() as u64);
    words.iter().for_each(|&word| hasher.write_usize(word));
    hasher.finish()
}
