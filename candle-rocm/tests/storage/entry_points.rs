//! Every kernel of the elementwise, indexing and sorting families is there under its name and can be loaded, on every
//! device.

use rocm_kernels::{AFFINE, BINARY, CAST, FILL, INDEXING, Module, RANDOM, SORT, TERNARY, TOP_K, UNARY};

use crate::common;

const ALL: [&str; 10] = ["u8", "u32", "i16", "i32", "i64", "bf16", "f16", "f32", "f64", "f8_e4m3"];
const INTS: [&str; 5] = ["u8", "u32", "i16", "i32", "i64"];
const FLOATS: [&str; 5] = ["bf16", "f16", "f32", "f64", "f8_e4m3"];
const RANDOM_DTYPES: [&str; 4] = ["bf16", "f16", "f32", "f64"];

/// candle's other spelling, in unary.hip and for the values of ternary.hip.
fn fp8(dtype: &str) -> &str {
    if dtype == "f8_e4m3" { "fp8_e4m3" } else { dtype }
}

fn names() -> Vec<(&'static Module, String)> {
    let mut names = Vec::new();
    for t in ALL {
        names.push((&AFFINE, format!("affine_{t}")));
        for op in ["badd", "bsub", "bmul", "bdiv", "bmaximum", "bminimum", "eq", "ne", "lt", "le", "gt", "ge"]
        {
            names.push((&BINARY, format!("{op}_{t}")));
        }
        for u in ALL {
            names.push((&CAST, format!("cast_{t}_{u}")));
        }
        for op in ["fill", "copy2d", "const_set"] {
            names.push((&FILL, format!("{op}_{t}")));
        }
        for cond in INTS {
            names.push((&TERNARY, format!("where_{cond}_{}", fp8(t))));
        }
        names.push((&UNARY, format!("ucopy_{t}")));
        for op in [
            "asort_asc",
            "asort_desc",
            "sort_short",
            "sort_rows_64",
            "sort_rows_256",
            "sort_count",
            "sort_digit",
        ] {
            names.push((&SORT, format!("{op}_{t}")));
        }
        for op in ["top_k_short", "top_k_rows", "top_k_parts"] {
            names.push((&TOP_K, format!("{op}_{t}")));
        }
        for index in INTS {
            for op in ["is", "gather", "s", "sa", "ia", "add"] {
                names.push((&INDEXING, format!("{op}_{index}_{t}")));
            }
        }
    }
    for t in FLOATS {
        let functions = [
            "uabs",
            "uceil",
            "ucos",
            "uelu",
            "uerf",
            "uexp",
            "ufloor",
            "ugelu",
            "ugelu_erf",
            "ulog",
            "uneg",
            "unormcdf",
            "upowf",
            "urecip",
            "urelu",
            "uround",
            "usigmoid",
            "usign",
            "usilu",
            "usin",
            "usqr",
            "usqrt",
            "utanh",
        ];
        names.extend(functions.map(|op| (&UNARY, format!("{op}_{}", fp8(t)))));
    }
    for t in INTS {
        names.extend(["uabs", "uneg", "urelu", "usign", "usqr"].map(|op| (&UNARY, format!("{op}_{t}"))));
    }
    for t in RANDOM_DTYPES {
        names.extend(["rand_uniform", "rand_normal"].map(|op| (&RANDOM, format!("{op}_{t}"))));
    }
    names.push((&RANDOM, "philox_u32".to_owned()));
    names
}

#[test]
fn all_load() {
    for device in common::devices() {
        let missing: Vec<String> = names()
            .into_iter()
            .filter_map(|(module, name)| {
                device.function(module, &name).err().map(|error| format!("{name}: {error}"))
            })
            .collect();
        assert!(missing.is_empty(), "on {}: {missing:#?}", device.label());
    }
}
