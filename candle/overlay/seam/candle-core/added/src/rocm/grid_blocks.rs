//! Blocks of GGML's types IQ1 to IQ3 as whole numbers.

use half::f16;

use super::grids::{Threes, IQ1, IQ2_S, IQ2_XS, IQ2_XXS, IQ3_S, IQ3_XXS};
use super::PackedType;

/// 256 weights: `scale * odd * q`, with an odd number for each 16 weights.
pub(super) struct GridBlock {
    pub(super) scale: f32,
    pub(super) odd: [i32; 16],
    pub(super) q: [i8; 256],
}

/// What IQ2's digits stand for, in eighths.
const IQ2: [i8; 3] = [8, 25, 43];
/// IQ3_XXS' digits, in quarters. IQ3_S' are the odd numbers.
const IQ3: [i8; 8] = [4, 12, 20, 28, 36, 44, 52, 62];

impl GridBlock {
    /// `None` for types without a grid.
    pub(super) fn new(packed: PackedType, block: &[u8]) -> Option<Self> {
        use PackedType as P;
        let low = |at: usize| usize::from(block[at]);
        let half = |at: usize| usize::from(u16::from_le_bytes([block[at], block[at + 1]]));
        let word = |at: usize| half(at) | half(at + 2) << 16;
        let nibble = |at: usize, high: usize| low(at) >> (4 * high) & 0xf;
        let scale = |bits: usize| f16::from_bits(bits as u16).to_f32();
        // IQ1_M has four bits of its scale in each of four words.
        let scale = match packed {
            P::Iq2Xxs | P::Iq2Xs | P::Iq2S | P::Iq1S => scale(half(0)) / 8.,
            P::Iq3Xxs => scale(half(0)) / 4.,
            P::Iq3S => scale(half(0)),
            P::Iq1M => scale((0..4).map(|i| (half(48 + 2 * i) >> 12) << (4 * i)).sum()) / 8.,
            _ => return None,
        };
        let (mut odd, mut q) = ([1; 16], [0; 256]);
        for (g, out) in q.chunks_exact_mut(8).enumerate() {
            // Of a part of 32 weights, these are the eighth weights from 8 * i on.
            let (part, i, second) = (g / 4, g % 4, g / 2 % 2);
            let (s, numbers) = match packed {
                P::Iq2Xxs => {
                    let bits = word(6 + 8 * part);
                    (bits >> 28, iq2(&IQ2_XXS, low(2 + g / 4 * 8 + i), even_signs(bits >> (7 * i))))
                }
                P::Iq2Xs => {
                    let bits = half(2 + 2 * g);
                    (nibble(66 + part, second), iq2(&IQ2_XS, bits & 0x1ff, even_signs(bits >> 9)))
                }
                P::Iq2S => {
                    let index = low(2 + g) | (low(66 + part) >> (2 * i) & 3) << 8;
                    (nibble(74 + part, second), iq2(&IQ2_S, index, low(34 + g)))
                }
                P::Iq3Xxs => {
                    let bits = word(66 + 4 * part);
                    let vectors = [2 + 2 * g, 3 + 2 * g].map(|at| IQ3_XXS[low(at)]);
                    let numbers = eight(vectors, |digit| IQ3[usize::from(digit)]);
                    (bits >> 28, signed(numbers, even_signs(bits >> (7 * i))))
                }
                P::Iq3S => {
                    let high = low(66 + part) >> (2 * i);
                    let vectors = [0, 1].map(|n| IQ3_S[low(2 + 2 * g + n) | (high >> n & 1) << 8]);
                    let numbers = eight(vectors, |digit| 2 * digit as i8 + 1);
                    (nibble(106 + part / 2, part % 2), signed(numbers, low(74 + g)))
                }
                P::Iq1S => {
                    let high = half(34 + 2 * part);
                    (high >> 12 & 7, iq1(low(2 + g) | (high >> (3 * i) & 7) << 8, high >> 15 != 0))
                }
                _ => {
                    let high = nibble(32 + g / 2, g % 2);
                    let s = half(48 + g / 8 * 2) >> (3 * (g / 2 % 4)) & 7;
                    (s, iq1(low(g) | (high & 7) << 8, high & 8 != 0))
                }
            };
            odd[g / 2] = 2 * s as i32 + 1;
            out.copy_from_slice(&numbers);
        }
        Some(Self { scale, odd, q })
    }
}

/// Seven signs, and an eighth that makes the number of negative weights even.
fn even_signs(bits: usize) -> usize {
    let seven = bits & 0x7f;
    seven | (seven.count_ones() as usize & 1) << 7
}

fn signed(numbers: [i8; 8], signs: usize) -> [i8; 8] {
    std::array::from_fn(|i| if signs >> i & 1 == 0 { numbers[i] } else { -numbers[i] })
}

fn iq2(grid: &Threes, index: usize, signs: usize) -> [i8; 8] {
    signed(grid[index].map(|digit| IQ2[usize::from(digit)]), signs)
}

/// -1, 0 or 1, and an eighth more or less, in eighths.
fn iq1(index: usize, less: bool) -> [i8; 8] {
    IQ1[index].map(|digit| 8 * (digit as i8 - 1) + if less { -1 } else { 1 })
}

fn eight(vectors: [[u8; 4]; 2], number: fn(u8) -> i8) -> [i8; 8] {
    std::array::from_fn(|i| number(vectors[i / 4][i % 4]))
}
