#![allow(warnings)]

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/gen/core_layout_tests.rs"));
