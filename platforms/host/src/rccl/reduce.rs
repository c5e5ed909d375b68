//! Elements of several ranks become one: in the order of ranks, so that all have the same result.

use float8::F8E4M3;
use half::{bf16, f16};
use rocm_sys::rccl::{ncclDataType_t, ncclRedOp_t};

/// Bytes of an element; `None` for no type.
pub(super) fn size_of_type(datatype: ncclDataType_t) -> Option<usize> {
    Some(match datatype {
        ncclDataType_t::ncclInt8 | ncclDataType_t::ncclUint8 | ncclDataType_t::ncclFloat8e4m3 => 1,
        ncclDataType_t::ncclFloat16 | ncclDataType_t::ncclBfloat16 => 2,
        ncclDataType_t::ncclInt32 | ncclDataType_t::ncclUint32 | ncclDataType_t::ncclFloat32 => 4,
        ncclDataType_t::ncclInt64 | ncclDataType_t::ncclUint64 | ncclDataType_t::ncclFloat64 => 8,
        _ => return None,
    })
}

/// Reduces operands of equal length to one. The type is one that [`size_of_type`] knows, the operation one of the first five.
pub(super) fn reduce(datatype: ncclDataType_t, op: ncclRedOp_t, operands: &[&[u8]]) -> Vec<u8> {
    match datatype {
        ncclDataType_t::ncclInt8 => elements::<i8, 1>(op, operands),
        ncclDataType_t::ncclUint8 => elements::<u8, 1>(op, operands),
        ncclDataType_t::ncclInt32 => elements::<i32, 4>(op, operands),
        ncclDataType_t::ncclUint32 => elements::<u32, 4>(op, operands),
        ncclDataType_t::ncclInt64 => elements::<i64, 8>(op, operands),
        ncclDataType_t::ncclUint64 => elements::<u64, 8>(op, operands),
        ncclDataType_t::ncclFloat16 => elements::<f16, 2>(op, operands),
        ncclDataType_t::ncclBfloat16 => elements::<bf16, 2>(op, operands),
        ncclDataType_t::ncclFloat32 => elements::<f32, 4>(op, operands),
        ncclDataType_t::ncclFloat64 => elements::<f64, 8>(op, operands),
        _ => elements::<F8E4M3, 1>(op, operands),
    }
}

/// A type of elements. Narrow floats are computed in f32 and rounded once.
trait Element<const SIZE: usize> {
    type Wide: Number;
    fn read(bytes: [u8; SIZE]) -> Self::Wide;
    fn write(value: Self::Wide) -> [u8; SIZE];
}

trait Number: Copy + PartialOrd {
    fn add(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn divide(self, count: usize) -> Self;
}

fn elements<T: Element<SIZE>, const SIZE: usize>(op: ncclRedOp_t, operands: &[&[u8]]) -> Vec<u8> {
    let (Some(first), count) = (operands.first(), operands.len()) else { return Vec::new() };
    let combine = |a: T::Wide, b: T::Wide| match op {
        ncclRedOp_t::ncclProd => a.multiply(b),
        ncclRedOp_t::ncclMax => {
            if b > a {
                b
            } else {
                a
            }
        }
        ncclRedOp_t::ncclMin => {
            if b < a {
                b
            } else {
                a
            }
        }
        _ => a.add(b),
    };
    let columns = 0..first.as_chunks::<SIZE>().0.len();
    let element = |at: usize| {
        let values = operands.iter().map(|operand| T::read(operand.as_chunks().0[at]));
        let value = values.reduce(combine).unwrap_or_else(|| T::read([0; SIZE]));
        T::write(if op == ncclRedOp_t::ncclAvg { value.divide(count) } else { value })
    };
    columns.flat_map(element).collect()
}

macro_rules! integers {
    ($($ty:ty, $size:literal;)*) => {$(
        impl Number for $ty {
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            fn multiply(self, other: Self) -> Self { self.wrapping_mul(other) }
            fn divide(self, count: usize) -> Self { <$ty>::try_from(count).map_or(0, |count| self / count) }
        }
        impl Element<$size> for $ty {
            type Wide = Self;
            fn read(bytes: [u8; $size]) -> Self { Self::from_le_bytes(bytes) }
            fn write(value: Self) -> [u8; $size] { value.to_le_bytes() }
        }
    )*};
}

macro_rules! floats {
    ($($ty:ty, $size:literal;)*) => {$(
        impl Number for $ty {
            fn add(self, other: Self) -> Self { self + other }
            fn multiply(self, other: Self) -> Self { self * other }
            fn divide(self, count: usize) -> Self { self / count as $ty }
        }
        impl Element<$size> for $ty {
            type Wide = Self;
            fn read(bytes: [u8; $size]) -> Self { Self::from_le_bytes(bytes) }
            fn write(value: Self) -> [u8; $size] { value.to_le_bytes() }
        }
    )*};
}

integers! { i8, 1; u8, 1; i32, 4; u32, 4; i64, 8; u64, 8; }
floats! { f32, 4; f64, 8; }

macro_rules! narrow {
    ($($ty:ident, $size:literal, $read:expr, $write:expr;)*) => {$(
        impl Element<$size> for $ty {
            type Wide = f32;
            fn read(bytes: [u8; $size]) -> f32 { ($read)(bytes) }
            fn write(value: f32) -> [u8; $size] { ($write)(value) }
        }
    )*};
}

narrow! {
    f16, 2, |bytes| f16::from_le_bytes(bytes).to_f32(), |value| f16::from_f32(value).to_le_bytes();
    bf16, 2, |bytes| bf16::from_le_bytes(bytes).to_f32(), |value| bf16::from_f32(value).to_le_bytes();
    F8E4M3, 1, |[byte]: [u8; 1]| F8E4M3::from_bits(byte).to_f32(), |value| [F8E4M3::from_f32(value).to_bits()];
}
