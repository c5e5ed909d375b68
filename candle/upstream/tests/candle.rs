//! candle's test files, as modules of one program, which is linked once.
#![allow(warnings, clippy::correctness)]

// The name that they use.
extern crate candle_core as candle;

macro_rules! file {
    ($name:ident) => {
        mod $name {
            include!(concat!(env!("OUT_DIR"), "/", stringify!($name), ".rs"));
        }
    };
}

file!(core_bilinear_tests);
file!(core_conv_tests);
file!(core_grad_tests);
file!(core_layout_tests);
file!(core_matmul_tests);
file!(core_pool_tests);
file!(core_quantized_tests);
file!(core_tensor_tests);
file!(nn_ops);
