//! Values of all lanes of a wave, in pieces of 16 bytes: memory has a lane's words one after the other, registers have a word's lanes.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi32_si128, _mm_packus_epi16, _mm_packus_epi32, _mm_unpackhi_epi64,
    _mm256_and_si256, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cvtepu8_epi32,
    _mm256_cvtepu16_epi32, _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_set_m128i, _mm256_set1_epi32,
    _mm256_shuffle_ps, _mm256_srl_epi32, _mm256_storeu_si256, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64,
    _mm256_unpacklo_epi32, _mm256_unpacklo_epi64,
};

use super::spread::{Address, Spread};
use super::wave::Row;

/// Bytes of a piece.
const PIECE: u64 = 16;
/// Lanes that are handled together.
const EIGHT: usize = 8;

/// Loads `N` bytes for each lane into `W` registers, if whole pieces are all that is read of memory; `piece` loads the one at an address.
/// Otherwise does nothing, and gives `false`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load<const N: usize, const W: usize, T: Address>(
    at: &Spread<'_, T>,
    to: &mut [Row; W],
    piece: impl Fn(T) -> __m128i,
) -> bool {
    if N != 16 && !(at.is_run() && matches!(N, 1 | 2 | 4 | 8)) {
        return false;
    }
    // The piece `index` of those that follow each other.
    let next = |index: usize| piece(at.low.plus(T::narrow(index as u64 * PIECE)));
    for (group, lanes) in at.addresses().as_chunks::<EIGHT>().0.iter().enumerate() {
        let mut put = |word: usize, values: __m256i| set_eight(&mut to[word], group, values);
        match N {
            1 => {
                let both = next(group / 2);
                let bytes = if group % 2 == 0 { both } else { _mm_unpackhi_epi64(both, both) };
                put(0, _mm256_cvtepu8_epi32(bytes));
            }
            2 => put(0, _mm256_cvtepu16_epi32(next(group))),
            4 => put(0, _mm256_set_m128i(next(group * 2 + 1), next(group * 2))),
            8 => {
                let [a, b] =
                    [0, 1].map(|half| _mm256_set_m128i(next(group * 4 + half + 2), next(group * 4 + half)));
                let [a, b] = [_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)];
                put(0, _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b)));
                put(1, _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(a, b)));
            }
            _ => {
                let pairs =
                    [0, 1, 2, 3].map(|lane| _mm256_set_m128i(piece(lanes[lane + 4]), piece(lanes[lane])));
                for (word, values) in transpose(pairs).into_iter().enumerate() {
                    put(word, values);
                }
            }
        }
    }
    true
}

/// Stores `N` bytes of each lane from `W` registers, or from the bit `shift` of one on, if whole pieces are all that is written; `piece`
/// stores one at an address. Otherwise does nothing, and gives `false`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store<const N: usize, const W: usize, T: Address>(
    at: &Spread<'_, T>,
    from: [&Row; W],
    shift: u32,
    mut piece: impl FnMut(T, __m128i),
) -> bool {
    if !(N == 16 && at.is_full() || at.is_run() && matches!(N, 1 | 2 | 4 | 8)) {
        return false;
    }
    let place = |index: usize| at.low.plus(T::narrow(index as u64 * PIECE));
    let part = |group: usize, mask: i32| {
        let values = _mm256_srl_epi32(eight(from[0], group), _mm_cvtsi32_si128(shift as i32));
        let values = _mm256_and_si256(values, _mm256_set1_epi32(mask));
        _mm_packus_epi32(low(values), high(values))
    };
    for (group, lanes) in at.addresses().as_chunks::<EIGHT>().0.iter().enumerate() {
        match N {
            1 if group % 2 == 0 => {
                piece(place(group / 2), _mm_packus_epi16(part(group, 0xff), part(group + 1, 0xff)));
            }
            1 => {}
            2 => piece(place(group), part(group, 0xffff)),
            4 => {
                let values = eight(from[0], group);
                piece(place(group * 2), low(values));
                piece(place(group * 2 + 1), high(values));
            }
            8 => {
                let [a, b] = [eight(from[0], group), eight(from[W - 1], group)];
                let [first, second] = [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
                for (half, values) in
                    [low(first), low(second), high(first), high(second)].into_iter().enumerate()
                {
                    piece(place(group * 4 + half), values);
                }
            }
            _ => {
                let words = std::array::from_fn(|word| eight(from[word % W], group));
                let pairs = transpose(words);
                for (lane, &pair) in pairs.iter().enumerate() {
                    piece(lanes[lane], low(pair));
                }
                for (lane, &pair) in pairs.iter().enumerate() {
                    piece(lanes[lane + 4], high(pair));
                }
            }
        }
    }
    true
}

/// Eight lanes of a register.
#[inline]
#[target_feature(enable = "avx2")]
fn eight(row: &Row, group: usize) -> __m256i {
    let lanes: &[u32; EIGHT] = &row.as_chunks().0[group];
    // SAFETY: these are eight words.
    unsafe { _mm256_loadu_si256(std::ptr::from_ref(lanes).cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn set_eight(row: &mut Row, group: usize, values: __m256i) {
    let lanes: &mut [u32; EIGHT] = &mut row.as_chunks_mut().0[group];
    // SAFETY: these are eight words.
    unsafe { _mm256_storeu_si256(std::ptr::from_mut(lanes).cast(), values) };
}

#[inline]
#[target_feature(enable = "avx2")]
fn low(values: __m256i) -> __m128i {
    _mm256_castsi256_si128(values)
}

#[inline]
#[target_feature(enable = "avx2")]
fn high(values: __m256i) -> __m128i {
    _mm256_extracti128_si256::<1>(values)
}

/// Transposes four rows of four words, and the four rows beside them.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let [ab, cd] = [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
    let [ab_high, cd_high] = [_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d)];
    [
        _mm256_unpacklo_epi64(ab, cd),
        _mm256_unpackhi_epi64(ab, cd),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    ]
}

#[cfg(test)]
mod tests {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_storeu_si128};

    use super::*;
    use crate::machine::wave::{LANES, full};

    /// Loads `N` bytes per lane from `places`, and stores them to the same places of other memory. Whether that was done in pieces.
    fn check<const N: usize, const W: usize>(lanes: usize, mask: u64, place: impl Fn(usize) -> u32) -> bool {
        let memory: Vec<u8> = (0..64 * 32).map(|at| (at * 7 + at / 256) as u8).collect();
        let mut all = std::array::from_fn(&place);
        let at = Spread::new(&mut all, lanes, mask, N);
        let mut rows = [[0xdead_beef; LANES]; W];
        let read = |from: &[u8], place: u32| {
            let piece: &[u8; 16] = from[place as usize..].first_chunk().unwrap();
            // SAFETY: these are 16 bytes.
            unsafe { _mm_loadu_si128(piece.as_ptr().cast()) }
        };
        // SAFETY: `crate::unavailable` refuses CPUs without these features.
        let loads = unsafe { load::<N, W, _>(&at, &mut rows, |place| read(&memory, place)) };
        for lane in (0..lanes).filter(|_| loads) {
            let from = if mask >> lane & 1 == 0 { mask.trailing_zeros() as usize } else { lane };
            let mut bytes = [0; 16];
            bytes[..N].copy_from_slice(&memory[place(from) as usize..][..N]);
            for (row, word) in rows.iter().zip(bytes.as_chunks::<4>().0) {
                assert_eq!(row[lane], u32::from_le_bytes(*word), "{N} bytes, lane {lane}");
            }
        }
        let mut stored = vec![0; memory.len()];
        let shift = if N < 4 { 16 } else { 0 };
        let from: [Row; W] = rows.map(|row| row.map(|word| word << shift | u32::from(N < 4)));
        let write = |place: u32, bytes| {
            let piece: &mut [u8; 16] = stored[place as usize..].first_chunk_mut().unwrap();
            // SAFETY: these are 16 bytes.
            unsafe { _mm_storeu_si128(piece.as_mut_ptr().cast(), bytes) };
        };
        // SAFETY: as above.
        let stores = unsafe { store::<N, W, _>(&at, from.each_ref(), shift, write) };
        let mut expected = vec![0; memory.len()];
        for lane in (0..lanes).filter(|_| stores) {
            let bytes = place(lane) as usize..place(lane) as usize + N;
            expected[bytes.clone()].copy_from_slice(&memory[bytes]);
        }
        assert_eq!(stored, expected, "{N} bytes");
        assert_eq!(loads && mask == full(lanes), stores, "{N} bytes");
        loads
    }

    #[test]
    fn lanes_that_follow_each_other() {
        for lanes in [32, 64] {
            let all = full(lanes);
            // Aligned or not.
            for first in [0, 3, 16] {
                assert!(check::<1, 1>(lanes, all, |lane| first + lane as u32));
                assert!(check::<2, 1>(lanes, all, |lane| first + lane as u32 * 2));
                assert!(check::<4, 1>(lanes, all, |lane| first + lane as u32 * 4));
                assert!(check::<8, 2>(lanes, all, |lane| first + lane as u32 * 8));
                assert!(check::<16, 4>(lanes, all, |lane| first + lane as u32 * 16));
            }
        }
    }

    #[test]
    fn lanes_elsewhere() {
        for lanes in [32, 64] {
            let all = full(lanes);
            assert!(check::<16, 4>(lanes, all, |lane| (lane as u32 * 37 % 64) * 20 + 2));
            assert!(check::<16, 4>(lanes, all & 0x7fff_fff7_ffff_fff0, |lane| lane as u32 * 24));
            // More would be read than lanes use.
            assert!(!check::<4, 1>(lanes, all >> 1, |lane| lane as u32 * 4));
            assert!(!check::<8, 2>(lanes, all, |lane| lane as u32 * 16));
            assert!(!check::<4, 1>(lanes, all, |lane| (lane as u32 * 4) ^ 4));
            assert!(!check::<12, 3>(lanes, all, |lane| lane as u32 * 12));
        }
    }
}
