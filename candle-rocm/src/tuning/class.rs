//! Classes of shapes that one choice serves.

use std::fmt;

use super::decision::Decision;

/// Words and sizes of a decision at most.
const MOST_WORDS: usize = 6;
const MOST_SIZES: usize = 4;

/// A class of a decision: the index of each of its words, and the classes of its sizes. Those that a decision lacks are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Class {
    decision: &'static Decision,
    words: [u8; MOST_WORDS],
    sizes: [u8; MOST_SIZES],
}

impl Decision {
    /// The class of a shape: the index of its word in each of the decision's lists, and its sizes.
    pub(crate) fn class(&'static self, words: &[u8], sizes: &[usize]) -> Class {
        debug_assert_eq!((words.len(), sizes.len()), (self.words.len(), self.sizes.len()), "{}", self.name);
        let mut class = Class { decision: self, words: [0; MOST_WORDS], sizes: [0; MOST_SIZES] };
        class.words.iter_mut().zip(words).for_each(|(of, &word)| *of = word);
        class.sizes.iter_mut().zip(sizes).for_each(|(of, &size)| *of = size_class(size));
        class
    }
}

impl Class {
    pub(super) fn decision(self) -> &'static Decision {
        self.decision
    }

    /// From what [`Class`] displays. `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let decision = Decision::named(parts.next()?)?;
        let mut words = Vec::with_capacity(decision.words.len());
        for list in decision.words {
            let part = parts.next()?;
            words.push(list.iter().position(|&word| word == part)? as u8);
        }
        let mut sizes = Vec::with_capacity(decision.sizes.len());
        for name in decision.sizes {
            sizes.push(parts.next()?.strip_prefix(name)?.strip_prefix('=')?.parse().ok()?);
        }
        let class = decision.class(&words, &sizes);
        // Sizes are those that display rounds to.
        (parts.next().is_none() && class.to_string() == text).then_some(class)
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = self.decision;
        f.write_str(decision.name)?;
        for (list, &word) in decision.words.iter().zip(&self.words) {
            write!(f, " {}", list.get(usize::from(word)).unwrap_or(&"?"))?;
        }
        for (name, &size) in decision.sizes.iter().zip(&self.sizes) {
            write!(f, " {name}={}", largest(size))?;
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
    use crate::DECISIONS;

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

    fn decision(name: &str) -> &'static Decision {
        Decision::named(name).expect("a decision")
    }

    #[test]
    fn texts_are_read_back() {
        for class in [
            decision("matmul").class(&[1, 0, 1, 0, 1, 1], &[1, 1, 2000, 2048]),
            decision("matmul").class(&[3, 2, 2, 2, 0, 0], &[usize::MAX, 0, 9, 1]),
            decision("quantized_matmul").class(&[9, 2, 1], &[8, 4096, 11008]),
        ] {
            assert_eq!(Class::parse(&class.to_string()), Some(class), "{class}");
        }
        let text = "matmul bf16 rows columns rows matrix_cores rocblas batch=1 m=1 n=2048 k=2048";
        assert_eq!(decision("matmul").class(&[1, 0, 1, 0, 1, 1], &[1, 1, 2000, 2048]).to_string(), text);
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
        for decision in DECISIONS {
            assert!(
                decision.words.len() <= MOST_WORDS && decision.sizes.len() <= MOST_SIZES,
                "{}",
                decision.name
            );
        }
    }
}
