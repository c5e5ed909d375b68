//! Masks of lanes as rows, and the other way round.

use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_loadu_si256,
    _mm256_maskstore_epi32, _mm256_movemask_ps, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_storeu_si256,
};

use super::wave::{LANES, Row};

/// A lane of a row of flags: all bits, or none.
#[inline(always)]
pub(crate) fn flag(is: bool) -> u32 {
    u32::from(is).wrapping_neg()
}

/// The lanes, of so many, whose flag is set.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn mask_of(flags: &Row, lanes: usize) -> u64 {
    let mut mask = 0;
    for (chunk, flags) in flags.as_chunks::<8>().0.iter().enumerate().take(lanes / 8) {
        // SAFETY: these are eight words.
        let flags = unsafe { _mm256_loadu_si256(std::ptr::from_ref(flags).cast()) };
        let signs = _mm256_movemask_ps(_mm256_castsi256_ps(flags));
        mask |= u64::from(signs as u8) << (chunk * 8);
    }
    mask
}

/// The flags of the lanes of a mask.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn row_of(mask: u64) -> Row {
    let mut row = [0; LANES];
    for (chunk, flags) in row.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        // SAFETY: these are eight words.
        unsafe { _mm256_storeu_si256(std::ptr::from_mut(flags).cast(), eight_of(mask, chunk)) };
    }
    row
}

/// The flags of eight lanes of a mask.
#[inline]
#[target_feature(enable = "avx2")]
fn eight_of(mask: u64, chunk: usize) -> __m256i {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let on = _mm256_set1_epi32((mask >> (chunk * 8)) as i32);
    _mm256_cmpeq_epi32(_mm256_and_si256(on, bits), bits)
}

/// Writes those words of `to` that are in the mask.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn set_some(to: &mut [u32], from: &[u32], mask: u64) {
    let eights = to.as_chunks_mut::<8>().0.iter_mut().zip(from.as_chunks::<8>().0);
    for (chunk, (to, from)) in eights.enumerate() {
        // SAFETY: both are eight words.
        unsafe {
            let values = _mm256_loadu_si256(std::ptr::from_ref(from).cast());
            _mm256_maskstore_epi32(to.as_mut_ptr().cast(), eight_of(mask, chunk), values);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let mut random = fastrand::Rng::with_seed(3);
        for mask in [0, 1, 1 << 31, 1 << 32, u64::MAX].into_iter().chain((0..100).map(|_| random.u64(..))) {
            // SAFETY: `crate::unavailable` refuses CPUs without these features.
            let (row, all, half) = unsafe {
                let row = row_of(mask);
                (row, mask_of(&row, 64), mask_of(&row, 32))
            };
            assert!((0..LANES).all(|lane| row[lane] == flag(mask >> lane & 1 != 0)));
            assert_eq!((all, half), (mask, mask & 0xffff_ffff));
        }
    }
}
