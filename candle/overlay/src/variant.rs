//! Which variant of `Device`, `Storage`, `QStorage` and `DeviceLocation` holds what is on a ROCm device.
//!
//! The patch is written for a variant of our own, `Rocm`. A program that matches all variants of stock candle does not compile with one
//! more. Where candle's feature `cuda` is off, its variant `Cuda` holds nothing that works, so it can hold ROCm devices; then our arms
//! stay out, as candle's own call the same methods. Some do not: ours, which stand right before them, take their place.

use std::path::{Path, PathBuf};

use crate::patch::Hunk;
use crate::{Seam, Tree};

/// The variant that holds ROCm devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// `Rocm`: with candle's feature `rocm`, for programs that name it, or `cuda`, whose devices are beside it.
    Rocm,
    /// `Cuda`, which is stock candle's.
    Cuda,
}

/// Marks arms that are needed in either case, and stand right before candle's arm for CUDA.
pub(crate) const IN_PLACE: &str = "// In place of CUDA's arm.";

/// Leaves out the arm after it.
const LEAVES_OUT: &str = "#[cfg(any())]";

/// How the arms of our variant, and its definitions, begin.
const ARMS: [&str; 8] = [
    "Rocm(",
    "Rocm {",
    "Self::Rocm",
    "Device::Rocm",
    "Storage::Rocm",
    "QStorage::Rocm",
    "crate::DeviceLocation::Rocm",
    "(",
];

impl Variant {
    /// That of a package with these features.
    pub(crate) fn of(is_on: impl Fn(&str) -> bool) -> Self {
        match is_on("rocm") || is_on("cuda") {
            true => Self::Rocm,
            false => Self::Cuda,
        }
    }

    /// The hunks that this variant needs.
    pub(crate) fn hunks<'a>(self, mut hunks: Vec<Hunk<'a>>) -> Vec<Hunk<'a>> {
        if self == Self::Cuda {
            hunks.retain_mut(|hunk| {
                let is_kept = hunk.added.iter().any(|line| line.contains(IN_PLACE));
                if is_kept {
                    hunk.added.push(LEAVES_OUT);
                }
                is_kept || !is_arm(hunk)
            });
        }
        hunks
    }

    /// The files as this variant has them: `of_ours` are those that have lines of ours, or are.
    pub(crate) fn rename(self, seam: &Seam, name: &str, tree: &mut Tree, of_ours: &[PathBuf]) {
        if self == Self::Rocm {
            return;
        }
        for path in of_ours {
            if let Some(bytes) = tree.get_mut(path) {
                *bytes = renamed(&String::from_utf8_lossy(bytes)).into();
            }
        }
        tree.extend(seam.folder(name, "in_cuda"));
    }
}

/// Whether a hunk adds arms for our variant to a match, or the variant to an enum.
fn is_arm(hunk: &Hunk<'_>) -> bool {
    let first = hunk.added.first().map(|line| line.trim_start()).unwrap_or_default();
    let starts = ARMS.iter().any(|arm| first.starts_with(arm));
    starts && hunk.added.iter().any(|line| renamed(line) != *line)
}

const VARIANT: &str = "Rocm";

fn is_boundary(c: Option<char>) -> bool {
    c.is_none_or(|c| !c.is_alphanumeric() && c != '_')
}

/// The text with the name of CUDA's variant for ours.
fn renamed(text: &str) -> String {
    let (mut renamed, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(VARIANT) {
        let (before, after) = (&rest[..at], &rest[at + VARIANT.len()..]);
        let is_word = is_boundary(before.chars().next_back()) && is_boundary(after.chars().next());
        renamed += before;
        renamed += if is_word { "Cuda" } else { VARIANT };
        rest = after;
    }
    renamed + rest
}

/// The files that hunks add lines to.
pub(crate) fn files(hunks: &[Hunk<'_>]) -> Vec<PathBuf> {
    let mut files: Vec<_> = hunks.iter().map(|hunk| Path::new(hunk.file).to_owned()).collect();
    files.dedup();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch;

    #[test]
    fn whole_words_are_renamed() {
        assert_eq!(
            renamed("Device::Rocm(RocmDevice), Self::Rocm {}, QRocmStorage, Rocm"),
            "Device::Cuda(RocmDevice), Self::Cuda {}, QRocmStorage, Cuda"
        );
    }

    #[test]
    fn arms_stay_out_or_take_the_place_of_cudas() {
        let patch = "--- a/f\n+++ b/f\n@@ -1,0 +2,1 @@\n+    Rocm(crate::RocmDevice),\n@@ -2,0 +3,1 @@\n+            \
                     (Self::Rocm(a), Self::Rocm(b)) => a.same_device(b),\n@@ -3,0 +4,1 @@\n+            Self::Rocm(d) => d.f(), \
                     // In place of CUDA's arm.\n@@ -4,0 +5,1 @@\n+            (s1, l1),\n@@ -5,0 +6,3 @@\n+    fn g() {\n+        \
                     matches!(d, Self::Rocm(_))\n+    }\n";
        let hunks = patch::hunks(Path::new("p"), patch).unwrap();
        let places = |hunks: &[Hunk<'_>]| hunks.iter().map(|hunk| hunk.first).collect::<Vec<_>>();
        assert_eq!(
            places(&Variant::Rocm.hunks(patch::hunks(Path::new("p"), patch).unwrap())),
            [1, 2, 3, 4, 5]
        );
        let hunks = Variant::Cuda.hunks(hunks);
        assert_eq!(places(&hunks), [3, 4, 5]);
        assert_eq!(hunks[0].added[1..], [LEAVES_OUT]);
    }

    #[test]
    fn features_choose() {
        for (on, variant) in [("", Variant::Cuda), ("rocm", Variant::Rocm), ("cuda", Variant::Rocm)] {
            assert_eq!(Variant::of(|feature| feature == on), variant, "{on}");
        }
    }
}
