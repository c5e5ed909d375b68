#![allow(warnings)]
extern crate candle_core as candle;

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/gen/nn_ops.rs"));
