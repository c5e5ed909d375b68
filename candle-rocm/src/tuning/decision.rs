//! What a decision is. Each stands with its family of operations, and all of them in the crate's root, in [`DECISIONS`].

use std::hash::{Hash, Hasher};
use std::ptr;

use candle_core::DType;

use crate::DECISIONS;

/// A decision between candidates. A class of shapes has one word of each list, and the sizes, rounded.
#[derive(Debug)]
pub(crate) struct Decision {
    pub(crate) name: &'static str,
    pub(crate) words: &'static [&'static [&'static str]],
    pub(crate) sizes: &'static [&'static str],
    /// Their names in files.
    pub(crate) candidates: &'static [&'static str],
    /// Whether the fixed rule is a guess, which may cost several times the best: what is not known is measured unless tuning is off.
    pub(crate) guessed: bool,
    /// Those between which a model of time may choose: kernels of this crate with results of one precision. What libraries launch is
    /// not known to it.
    pub(crate) predictable: &'static [&'static str],
}

impl Decision {
    /// The decision of that name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        DECISIONS.iter().copied().find(|decision| decision.name == name)
    }
}

/// Each is one static.
impl PartialEq for Decision {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

impl Eq for Decision {}

impl Hash for Decision {
    fn hash<H: Hasher>(&self, state: &mut H) {
        ptr::from_ref(self).hash(state);
    }
}

/// One of those that a decision is between, by its place among them.
pub(crate) trait Candidate: Copy + PartialEq + 'static {
    const ALL: &'static [Self];

    fn index(self) -> u8;

    fn at(index: u8) -> Option<Self> {
        Self::ALL.get(usize::from(index)).copied()
    }
}

/// Declares the candidates of a decision, with the names that files have for them.
macro_rules! candidates {
    ($(#[$about:meta])* $name:ident { $($(#[$bounds:meta])* $candidate:ident $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $($(#[$bounds])* $candidate,)*
        }

        impl $name {
            pub(crate) const NAMES: &'static [&'static str] = &[$($text,)*];
        }

        impl $crate::tuning::Candidate for $name {
            const ALL: &'static [Self] = &[$(Self::$candidate,)*];

            fn index(self) -> u8 {
                self as u8
            }
        }
    };
}
pub(crate) use candidates;

/// Dtypes of floats, and those of 32 bits at most.
pub(crate) const FLOATS: &[&str] = &["f16", "bf16", "f32", "f64"];
pub(crate) const FLOATS_OF_32_BITS: &[&str] = FLOATS.split_at(3).0;

/// The index of a float's dtype in these.
pub(crate) fn float(dtype: DType) -> u8 {
    match dtype {
        DType::F16 => 0,
        DType::BF16 => 1,
        DType::F32 => 2,
        _ => 3,
    }
}

/// Bytes of an element: the index is their logarithm.
pub(crate) const ELEMENTS: &[&str] = &["1_byte", "2_bytes", "4_bytes", "8_bytes"];
