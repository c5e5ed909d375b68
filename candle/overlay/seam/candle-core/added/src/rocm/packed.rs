//! GGML's types of blocks for which [`GgmlDType`] has no name: read from GGUF files.
//!
//! Programs match `GgmlDType` without an arm for more, and would not compile if it had more. So a tensor of these types is one of
//! Q8_0 to all who ask: its `dtype()`, its `data()` and its size are those of such blocks. A backend may keep the blocks of the file
//! behind that, and multiply by them; elsewhere they become Q8_0 while they are read, which is said once on stderr.
//!
//! `TensorInfo` has no room for a field more either, as programs make some by themselves. The type is in the highest byte of its offset,
//! which no file reaches: sums of offsets keep it, and who reads the data without `TensorInfo::read` finds the offset behind the end of the
//! file, instead of blocks that are not Q8_0.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

use half::f16;

use super::grid_blocks::GridBlock;
use super::{QRocmStorage, QuantizedStorage, Source};
use crate::cpu_backend::CpuDevice;
use crate::quantized::gguf_file::TensorInfo;
use crate::quantized::{ggml_file, GgmlDType, QStorage, QTensor};
use crate::{Device, Result};

/// Weights that share a scale in Q8_0, and bytes of such a block.
const GROUP: usize = 32;
const GROUP_BYTES: usize = 34;
/// The largest number that Q8_0 has.
const MOST: i32 = 127;
/// Where the type is in an offset.
const SHIFT: u32 = 56;

/// What IQ4_NL's and IQ4_XS' nibbles stand for.
const NON_LINEAR: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
/// OCP's floats of four bits (E2M1), times two.
const E2M1: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// A GGML block type that candle does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PackedType {
    /// IQ4_NL: 32 weights of four bits, which select one of sixteen values.
    Iq4Nl,
    /// IQ4_XS: 256 such weights, in eight groups with 6-bit scales.
    Iq4Xs,
    /// TQ1_0: 256 weights of -1, 0 or 1, five to a byte.
    Tq1_0,
    /// TQ2_0: the same, four to a byte.
    Tq2_0,
    /// MXFP4: 32 4-bit floats and a power of two.
    Mxfp4,
    /// IQ2_XXS: 256 weights in eights, which one of 256 indices and seven bits of signs select.
    Iq2Xxs,
    /// IQ2_XS: the same with 512 indices.
    Iq2Xs,
    /// IQ2_S: the same with 1024 indices and eight bits of signs.
    Iq2S,
    /// IQ3_XXS: 256 weights in fours, which one of 256 indices selects, with seven bits of signs for two of them.
    Iq3Xxs,
    /// IQ3_S: the same with 512 indices and a sign for each weight.
    Iq3S,
    /// IQ1_S: 256 weights in eights, which one of 2048 indices selects.
    Iq1S,
    /// IQ1_M: the same with more scales.
    Iq1M,
}

/// A backend's support for these types.
pub trait Packing {
    /// Reads `size` bytes of such blocks, in the format of a file, if the backend has kernels for them. Otherwise reads nothing, and the
    /// blocks are converted to Q8_0.
    fn quantized_from_packed(
        &self,
        source: &mut Source<'_>,
        size: usize,
        dtype: PackedType,
    ) -> Result<Option<Box<dyn QuantizedStorage>>> {
        let _ = (source, size, dtype);
        Ok(None)
    }
}

impl Packing for CpuDevice {}

impl PackedType {
    const ALL: [Self; 12] = [
        Self::Iq4Nl,
        Self::Iq4Xs,
        Self::Tq1_0,
        Self::Tq2_0,
        Self::Mxfp4,
        Self::Iq2Xxs,
        Self::Iq2Xs,
        Self::Iq2S,
        Self::Iq3Xxs,
        Self::Iq3S,
        Self::Iq1S,
        Self::Iq1M,
    ];

    /// Its number in files, its name, and weights and bytes of a block.
    const fn facts(self) -> (u32, &'static str, usize, usize) {
        match self {
            Self::Iq4Nl => (20, "IQ4_NL", 32, 18),
            Self::Iq4Xs => (23, "IQ4_XS", 256, 136),
            Self::Tq1_0 => (34, "TQ1_0", 256, 54),
            Self::Tq2_0 => (35, "TQ2_0", 256, 66),
            Self::Mxfp4 => (39, "MXFP4", 32, 17),
            Self::Iq2Xxs => (16, "IQ2_XXS", 256, 66),
            Self::Iq2Xs => (17, "IQ2_XS", 256, 74),
            Self::Iq2S => (22, "IQ2_S", 256, 82),
            Self::Iq3Xxs => (18, "IQ3_XXS", 256, 98),
            Self::Iq3S => (21, "IQ3_S", 256, 110),
            Self::Iq1S => (19, "IQ1_S", 256, 50),
            Self::Iq1M => (29, "IQ1_M", 256, 56),
        }
    }

    /// The type with this number in files.
    pub fn from_u32(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|packed| packed.facts().0 == number)
    }

    /// The name as GGML spells it.
    pub fn name(self) -> &'static str {
        self.facts().1
    }

    /// The number of weights in a block.
    pub fn block_size(self) -> usize {
        self.facts().2
    }

    /// The size of a block in bytes.
    pub fn type_size(self) -> usize {
        self.facts().3
    }

    /// A tensor's offset, with its type in the highest byte if that is one of these.
    pub(crate) fn mark(packed: Option<Self>, offset: u64) -> Result<u64> {
        if offset >> SHIFT != 0 {
            crate::bail!("gguf: a tensor's offset is {offset}, expected less than 2^{SHIFT}")
        }
        Ok(offset | packed.map_or(0, |packed| u64::from(packed.facts().0) << SHIFT))
    }

    /// The type of a tensor in a GGUF file, if it is one of these.
    pub fn of(info: &TensorInfo) -> Option<Self> {
        Self::from_u32((info.offset >> SHIFT) as u32)
    }

    /// The offset of the tensor's data from `tensor_data_offset`.
    pub fn offset(info: &TensorInfo) -> u64 {
        info.offset & ((1 << SHIFT) - 1)
    }

    /// The tensor of that type, as `TensorInfo::read` reads others.
    pub(crate) fn read<R: Read + Seek>(
        self,
        reader: &mut R,
        info: &TensorInfo,
        tensor_data_offset: u64,
        device: &Device,
    ) -> Result<QTensor> {
        let dims = info.shape.dims();
        let row = dims.last().copied().unwrap_or_default();
        if row % self.block_size() != 0 {
            crate::bail!(
                "{} has blocks of {}, which a row of {row} is not made of",
                self.name(),
                self.block_size()
            )
        }
        let size = info.shape.elem_count() / self.block_size() * self.type_size();
        let start = tensor_data_offset.saturating_add(Self::offset(info));
        let remaining = reader.seek(SeekFrom::End(0))?.saturating_sub(start);
        if size as u64 > remaining {
            crate::bail!("a tensor of {size} bytes at byte {start}, where {remaining} are left of the file")
        }
        self.tensor_of(&mut Source::of(reader, start, size)?, size, dims, device)
    }

    /// Creates a tensor from such blocks, in the format of a file.
    ///
    /// # Errors
    /// If the blocks do not match the shape, or, where they are converted to Q8_0, if a scale is too large for it.
    pub fn tensor(self, data: &[u8], dims: &[usize], device: &Device) -> Result<QTensor> {
        self.tensor_of(&mut data.into(), data.len(), dims, device)
    }

    fn tensor_of(
        self,
        source: &mut Source<'_>,
        size: usize,
        dims: &[usize],
        device: &Device,
    ) -> Result<QTensor> {
        if let Device::Rocm(rocm) = device {
            if let Some(blocks) = rocm.erased().quantized_from_packed(source, size, self)? {
                return QTensor::new(QStorage::Rocm(QRocmStorage::new(blocks, rocm)), dims);
            }
        }
        self.say(device);
        let blocks = self.to_q8_0(&source.to_vec(size)?)?;
        ggml_file::qtensor_from_ggml(GgmlDType::Q8_0, &blocks, dims.to_vec(), device)
    }

    fn say(self, device: &Device) {
        static SAID: Mutex<BTreeSet<PackedType>> = Mutex::new(BTreeSet::new());

        if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(self) {
            let bits = |bytes: usize, weights: usize| (8 * bytes) as f64 / weights as f64;
            eprintln!(
                "candle: {} weights become Q8_0 on {:?}, with {} bits each instead of {}",
                self.name(),
                device.location(),
                bits(GROUP_BYTES, GROUP),
                bits(self.type_size(), self.block_size())
            );
        }
    }

    /// Converts the blocks to Q8_0, which represents the same numbers, except for IQ4_XS and IQ1 to IQ3, whose scales are rounded to f16,
    /// and MXFP4 below 2^-25. IQ2_XS, IQ2_S and IQ1_M have a scale for each 16 weights: where those of 32 differ too much, weights are
    /// rounded to 1/127 of the largest of 32.
    ///
    /// # Errors
    /// If the blocks are not whole, or a scale is too large for f16.
    pub fn to_q8_0(self, blocks: &[u8]) -> Result<Vec<u8>> {
        if blocks.len() % self.type_size() != 0 {
            crate::bail!(
                "{} bytes are no blocks of {}, of {} bytes",
                blocks.len(),
                self.name(),
                self.type_size()
            )
        }
        let mut out =
            Vec::with_capacity(blocks.len() / self.type_size() * self.block_size() / GROUP * GROUP_BYTES);
        for block in blocks.chunks_exact(self.type_size()) {
            match self {
                Self::Iq4Nl => self.put(&mut out, f16_at(block, 0), nibbles(&block[2..], &NON_LINEAR))?,
                Self::Mxfp4 => self.put(&mut out, half_of_e8m0(block[0]), nibbles(&block[1..], &E2M1))?,
                Self::Iq4Xs => {
                    let high = u16::from_le_bytes([block[2], block[3]]);
                    for (group, quants) in block[8..].chunks_exact(16).enumerate() {
                        let low = block[4 + group / 2] >> (4 * (group % 2)) & 0xf;
                        let scale = i32::from(low) | i32::from(high >> (2 * group) & 3) << 4;
                        let scale = f16_at(block, 0) * (scale - 32) as f32;
                        self.put(&mut out, scale, nibbles(quants, &NON_LINEAR))?;
                    }
                }
                Self::Tq1_0 => {
                    // Five digits to the base 3 of each byte but the last four, and four of those; a byte is the fraction of 256 whose
                    // first digit is the integer part of three times it.
                    let parts = [(&block[..32], 5), (&block[32..48], 5), (&block[48..52], 4)];
                    let digits = parts.into_iter().flat_map(|(bytes, digits)| {
                        (0..digits).flat_map(move |digit| bytes.iter().map(move |byte| trit(*byte, digit)))
                    });
                    self.put_all(&mut out, f16_at(block, 52), digits)?;
                }
                Self::Tq2_0 => {
                    let digits = block[..64].chunks_exact(32).flat_map(|bytes| {
                        (0..4).flat_map(move |at| {
                            bytes.iter().map(move |byte| (byte >> (2 * at) & 3) as i8 - 1)
                        })
                    });
                    self.put_all(&mut out, f16_at(block, 64), digits)?;
                }
                _ => {
                    if let Some(block) = GridBlock::new(self, block) {
                        self.put_grid_block(&mut out, &block)?;
                    }
                }
            }
        }
        Ok(out)
    }

    /// Groups with the same scale.
    fn put_all(self, out: &mut Vec<u8>, scale: f32, quants: impl Iterator<Item = i8>) -> Result<()> {
        let quants: Vec<i8> = quants.collect();
        for group in quants.chunks_exact(GROUP) {
            let mut of_group = [0; GROUP];
            of_group.copy_from_slice(group);
            self.put(out, scale, of_group)?;
        }
        Ok(())
    }

    /// Groups whose two halves have scales of their own: one that divides both, if bytes have room for what is left of them.
    fn put_grid_block(self, out: &mut Vec<u8>, block: &GridBlock) -> Result<()> {
        for (q, odd) in block.q.chunks_exact(GROUP).zip(block.odd.chunks_exact(2)) {
            let common = common_divisor(odd[0], odd[1]);
            let number = |i: usize| i32::from(q[i]) * (odd[i / 16] / common);
            let largest = (0..GROUP).map(|i| number(i).abs()).max().unwrap_or_default();
            let scale = block.scale * common as f32;
            if largest <= MOST {
                self.put(out, scale, std::array::from_fn(|i| number(i) as i8))?;
            } else {
                let step = largest as f32 / MOST as f32;
                self.put(
                    out,
                    scale * step,
                    std::array::from_fn(|i| (number(i) as f32 / step).round() as i8),
                )?;
            }
        }
        Ok(())
    }

    /// A group of weights, `scale` times each of `quants`.
    fn put(self, out: &mut Vec<u8>, mut scale: f32, mut quants: [i8; GROUP]) -> Result<()> {
        const SMALLEST: f32 = 1. / (1 << 24) as f32;
        let given = scale;
        if scale.abs() < SMALLEST && scale != 0. {
            quants = quants.map(|q| (f32::from(q) * scale / SMALLEST).round() as i8);
            scale = SMALLEST;
        }
        while scale.is_finite() && f16::from_f32(scale).is_infinite() {
            if quants.iter().any(|q| q.unsigned_abs() > 63) {
                crate::bail!("a scale of {given} is too large for Q8_0, which {} becomes here", self.name())
            }
            quants = quants.map(|q| 2 * q);
            scale /= 2.;
        }
        out.extend(f16::from_f32(scale).to_le_bytes());
        out.extend(quants.map(|q| q as u8));
        Ok(())
    }
}

fn common_divisor(a: i32, b: i32) -> i32 {
    if b == 0 {
        a
    } else {
        common_divisor(b, a % b)
    }
}

fn f16_at(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}

/// 16 bytes: the low nibbles are the first 16 weights, the high ones the others.
fn nibbles(bytes: &[u8], code: &[i8; 16]) -> [i8; GROUP] {
    std::array::from_fn(|i| code[usize::from(bytes[i % 16] >> (4 * (i / 16)) & 0xf)])
}

/// 2^(e - 128), since E2M1 is doubled here; NaN for 255.
fn half_of_e8m0(e: u8) -> f32 {
    match e {
        0xff => f32::NAN,
        0 | 1 => f32::from_bits(0x0020_0000 << e),
        _ => f32::from_bits((u32::from(e) - 1) << 23),
    }
}

/// A digit, as -1 to 1.
fn trit(byte: u8, digit: u32) -> i8 {
    let fraction = byte.wrapping_mul(3u8.pow(digit));
    ((u16::from(fraction) * 3) >> 8) as i8 - 1
}
