//! Classes of shapes that one choice serves.

use std::fmt;

use super::decisions::{DECISIONS, Decision};

/// A class of a decision in one word: the decision, the index of each of its words, and each size in one byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Class(u64);

const DECISION_BITS: u32 = 4;
const WORD_BITS: u32 = 4;
const MOST_WORDS: u32 = 6;
const SIZES: u32 = DECISION_BITS + MOST_WORDS * WORD_BITS;
const SIZE_BITS: u32 = 8;

impl Class {
    /// The class of a shape: the index of its word in each of the decision's lists, and its sizes.
    pub(crate) fn new(decision: u8, words: &[u8], sizes: &[usize]) -> Self {
        let mut bits = u64::from(decision);
        for (at, &word) in (DECISION_BITS..).step_by(WORD_BITS as usize).zip(words) {
            bits |= u64::from(word) << at;
        }
        for (at, &size) in (SIZES..).step_by(SIZE_BITS as usize).zip(sizes) {
            bits |= u64::from(size_class(size)) << at;
        }
        Self(bits)
    }

    pub(super) fn decision(self) -> &'static Decision {
        let index = (self.0 & ((1 << DECISION_BITS) - 1)) as usize;
        // Only this file makes classes, of decisions that there are.
        &DECISIONS[index.min(DECISIONS.len() - 1)]
    }

    fn word(self, index: usize) -> usize {
        (self.0 >> (DECISION_BITS + WORD_BITS * index as u32)) as usize & ((1 << WORD_BITS) - 1)
    }

    fn size(self, index: usize) -> usize {
        largest((self.0 >> (SIZES + SIZE_BITS * index as u32)) as u8)
    }

    /// From what [`Class`] displays. `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let name = parts.next()?;
        let index = DECISIONS.iter().position(|decision| decision.name == name)?;
        let decision = &DECISIONS[index];
        let mut words = Vec::with_capacity(decision.words.len());
        for list in decision.words {
            let part = parts.next()?;
            words.push(list.iter().position(|&word| word == part)? as u8);
        }
        let mut sizes = Vec::with_capacity(decision.sizes.len());
        for name in decision.sizes {
            sizes.push(parts.next()?.strip_prefix(name)?.strip_prefix('=')?.parse().ok()?);
        }
        let class = Self::new(index as u8, &words, &sizes);
        // Sizes are those that display rounds to.
        (parts.next().is_none() && class.to_string() == text).then_some(class)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = self.decision();
        f.write_str(decision.name)?;
        for (i, list) in decision.words.iter().enumerate() {
            write!(f, " {}", list.get(self.word(i)).unwrap_or(&"?"))?;
        }
        for (i, name) in decision.sizes.iter().enumerate() {
            write!(f, " {name}={}", self.size(i))?;
        }
        Ok(())
    }
}

/// Sizes that differ by at most a quarter have one number: 1 to 8 are by themselves, then four classes lead from each power of two
/// to the next.
fn size_class(size: usize) -> u8 {
    if size <= 4 {
        return size as u8;
    }
    // Three significant bits, rounded up.
    let exponent = (size - 1).ilog2() - 2;
    let leading = ((size - 1) >> exponent) + 1;
    (4 * exponent as usize + leading) as u8
}

/// The largest size of a class.
fn largest(class: u8) -> usize {
    let class = usize::from(class);
    if class <= 8 {
        return class;
    }
    let (exponent, leading) = ((class - 5) / 4, (class - 5) % 4 + 5);
    leading.checked_shl(exponent as u32).filter(|size| size >> exponent == leading).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuning::decisions::{MATMUL, QUANTIZED};

    #[test]
    fn sizes_are_rounded_to_three_bits() {
        for exact in 0..=8 {
            assert_eq!((size_class(exact), largest(exact as u8)), (exact as u8, exact));
        }
        for (size, want) in [
            (9, 10),
            (11, 12),
            (13, 14),
            (16, 16),
            (17, 20),
            (2048, 2048),
            (2049, 2560),
            (11008, 12288),
            (128_256, 131_072),
        ] {
            assert_eq!(largest(size_class(size)), want, "{size}");
        }
        assert_eq!(largest(size_class(usize::MAX)), usize::MAX);
        let classes: Vec<u8> = (0..5000).map(size_class).collect();
        assert!(classes.is_sorted() && classes.windows(2).all(|pair| pair[1] - pair[0] <= 1));
    }

    #[test]
    fn texts_are_read_back() {
        for class in [
            Class::new(MATMUL, &[1, 0, 1, 0, 1, 1], &[1, 1, 2000, 2048]),
            Class::new(MATMUL, &[3, 2, 2, 2, 0, 0], &[usize::MAX, 0, 9, 1]),
            Class::new(QUANTIZED, &[9, 2, 1], &[8, 4096, 11008]),
        ] {
            assert_eq!(Class::parse(&class.to_string()).map(|read| read.0), Some(class.0), "{class}");
        }
        let text = "matmul bf16 rows columns rows matrix_cores rocblas batch=1 m=1 n=2048 k=2048";
        assert_eq!(Class::new(MATMUL, &[1, 0, 1, 0, 1, 1], &[1, 1, 2000, 2048]).to_string(), text);
        for wrong in [
            "",
            "matmul",
            "mat_mul bf16 rows columns rows matrix_cores rocblas batch=1 m=1 n=2048 k=2048",
            "matmul bf17 rows columns rows matrix_cores rocblas batch=1 m=1 n=2048 k=2048",
            "matmul bf16 rows columns rows matrix_cores rocblas batch=1 m=1 n=2048",
            "matmul bf16 rows columns rows matrix_cores rocblas batch=1 m=1 n=2049 k=2048",
            "matmul bf16 rows columns rows matrix_cores rocblas batch=1 m=1 n=2048 k=2048 l=1",
            "matmul bf16 rows columns rows matrix_cores rocblas batch=1 n=1 n=2048 k=2048",
        ] {
            assert!(Class::parse(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn every_decision_fits_into_a_class() {
        for decision in &DECISIONS {
            assert!(
                decision.words.len() as u32 <= MOST_WORDS && decision.sizes.len() <= 4,
                "{}",
                decision.name
            );
            assert!(decision.words.iter().all(|list| list.len() <= 1 << WORD_BITS), "{}", decision.name);
        }
    }
}
