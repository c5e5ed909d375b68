#![allow(warnings)]

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/gen/core_quantized_tests.rs"));
