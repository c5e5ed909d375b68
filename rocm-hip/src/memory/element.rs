//! Which Rust types may live in device memory.

/// Plain data that may be stored on a device and passed to kernels by value.
///
/// Implemented for numbers and, with the features `half` and `float8`, for the types of those crates. Implement it for your own
/// `#[repr(C)]` structs to use them with [`Buffer`](crate::Buffer) and your own kernels.
///
/// # Safety
/// The type has no padding and contains no pointers or references to host memory, and every bit pattern (including all zeros) is a valid
/// value: values are made from whatever bytes a kernel wrote.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// The name used in messages.
    const NAME: &'static str;
}

macro_rules! elements {
    ($($ty:ty),* $(,)?) => {$(
        // SAFETY: a number of fixed size without padding, for which every bit pattern is a value.
        unsafe impl Element for $ty {
            const NAME: &'static str = stringify!($ty);
        }
    )*};
}

elements!(u8, i8, u16, i16, u32, i32, u64, i64, usize, f32, f64);

#[cfg(feature = "half")]
use half::{bf16, f16};
#[cfg(feature = "half")]
elements!(f16, bf16);

#[cfg(feature = "float8")]
use float8::F8E4M3;
#[cfg(feature = "float8")]
elements!(F8E4M3);

/// The crate's last version but one, which candle 0.9 has.
#[cfg(feature = "float8")]
mod before {
    use float8_0_6::F8E4M3;

    use super::Element;

    elements!(F8E4M3);
}
