//! candle's convolution parameters are private to it: a backend in another crate gets these copies.

use crate::conv::{ParamsConv1D, ParamsConv2D, ParamsConvTranspose1D, ParamsConvTranspose2D};

macro_rules! copies {
    ($($(#[$doc:meta])* $copy:ident of $original:ident { $($field:ident),* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $copy {
            $(#[allow(missing_docs)] pub $field: usize,)*
        }

        impl From<&$original> for $copy {
            fn from(params: &$original) -> Self {
                Self { $($field: params.$field,)* }
            }
        }
    )*};
}

copies! {
    /// A 1-D convolution: input `[b_size, c_in, l_in]`, kernel `[c_out, c_in, k_size]`.
    Conv1D of ParamsConv1D { b_size, l_in, c_out, c_in, k_size, padding, stride, dilation }
    /// A transposed 1-D convolution: kernel `[c_in, c_out, k_size]`.
    ConvTranspose1D of ParamsConvTranspose1D {
        b_size, l_in, c_out, c_in, k_size, padding, output_padding, stride, dilation
    }
    /// A 2-D convolution: input `[b_size, c_in, i_h, i_w]`, kernel `[c_out, c_in, k_h, k_w]`.
    Conv2D of ParamsConv2D { b_size, i_h, i_w, k_h, k_w, c_out, c_in, padding, stride, dilation }
    /// A transposed 2-D convolution: kernel `[c_in, c_out, k_h, k_w]`.
    ConvTranspose2D of ParamsConvTranspose2D {
        b_size, i_h, i_w, k_h, k_w, c_out, c_in, padding, output_padding, stride, dilation
    }
}
