//! Softmax and norms.

use candle_core::{D, DType, Result, Tensor};
use candle_nn::Module as _;
use candle_nn::{BatchNorm, GroupNorm, ModuleT};

use super::{FLOATS, FUSED, Plan, arguments, by, list};
use crate::bars::Bar;
use crate::case::Case;
use crate::side::Side;

const GROUP: &str = "softmax and norms";
const STREAM: Bar = Bar::Copy(0.8);

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in FLOATS {
        let square = [plan.dim(4096), plan.dim(4096)];
        for (dims, large) in [
            (square.to_vec(), true),
            (vec![8, 32, plan.dim(1024), plan.dim(1024)], true),
            (vec![1, 32, 1, plan.dim(1024)], false),
            (vec![1, plan.dim(32000)], false),
            (vec![1, plan.dim(128_256)], false),
        ] {
            cases.push(
                over(
                    plan,
                    "softmax_last_dim",
                    dtype,
                    dims,
                    candle_nn::ops::softmax_last_dim,
                    "F.softmax(x, -1)",
                )
                .bar_if(large, STREAM),
            );
        }
        cases.push(over(
            plan,
            "softmax_generic",
            dtype,
            square.to_vec(),
            |x| candle_nn::ops::softmax(x, D::Minus1),
            "F.softmax(x, -1)",
        ));
        cases.push(
            over(
                plan,
                "log_softmax",
                dtype,
                square.to_vec(),
                |x| candle_nn::ops::log_softmax(x, D::Minus1),
                "F.log_softmax(x, -1)",
            )
            .bar(FUSED),
        );
        for rows in [1, plan.dim(8192)] {
            cases.extend(norms(rows, plan.dim(4096), dtype));
        }
        cases.extend(channel_norms(plan, dtype));
    }
    cases
}

fn over(
    _: &Plan,
    name: &'static str,
    dtype: DType,
    dims: Vec<usize>,
    run: fn(&Tensor) -> Result<Tensor>,
    python: &str,
) -> Case {
    let bytes = 2 * dims.iter().product::<usize>() * dtype.size_in_bytes();
    let setup = format!("x = u({}) * 4", arguments(&dims));
    Case::new(GROUP, name, dtype, by(&dims), move |side| {
        let x = side.uniform(&dims, dtype)?.affine(4., 0.)?;
        Ok(Box::new(move || run(&x)))
    })
    .bytes(bytes)
    .torch(setup, python)
}

fn norms(rows: usize, columns: usize, dtype: DType) -> [Case; 2] {
    let bytes = 2 * rows * columns * dtype.size_in_bytes();
    let case = |name, run: fn(&Tensor, &Tensor, &Tensor) -> Result<Tensor>, python: String| {
        Case::new(GROUP, name, dtype, format!("{rows}x{columns}"), move |side: &Side| {
            let x = side.uniform(&[rows, columns], dtype)?;
            let (alpha, beta) =
                (side.uniform_seeded(1, &[columns], dtype)?, side.uniform_seeded(2, &[columns], dtype)?);
            Ok(Box::new(move || run(&x, &alpha, &beta)))
        })
        .bytes(bytes)
        .bar_if(rows > 1, STREAM)
        .torch(format!("x, a, b = u({rows}, {columns}), u({columns}), u({columns})"), python)
    };
    [
        case(
            "rms_norm",
            |x, alpha, _| candle_nn::ops::rms_norm(x, alpha, 1e-5),
            format!("F.rms_norm(x, ({columns},), a, 1e-5)"),
        ),
        case(
            "layer_norm",
            |x, alpha, beta| candle_nn::ops::layer_norm(x, alpha, beta, 1e-5),
            format!("F.layer_norm(x, ({columns},), a, b, 1e-5)"),
        ),
    ]
}

fn channel_norms(plan: &Plan, dtype: DType) -> [Case; 2] {
    let channels = 256;
    let dims = [plan.extent(8), channels, plan.extent(64), plan.extent(64)];
    let bytes = 2 * dims.iter().product::<usize>() * dtype.size_in_bytes();
    let vectors = move |side: &Side| -> Result<[Tensor; 4]> {
        let vector = |seed| side.uniform_seeded(seed, &[channels], dtype);
        // A variance is positive.
        Ok([vector(1)?, vector(2)?, vector(3)?, vector(4)?.affine(0.25, 1.)?])
    };
    let setup = format!(
        "x, a, b, c, d = u({}), u({channels}), u({channels}), u({channels}), u({channels}) + 2",
        arguments(&dims)
    );
    [
        Case::new(GROUP, "group_norm", dtype, format!("{} g32", list(&dims)), move |side| {
            let x = side.uniform(&dims, dtype)?;
            let [weight, bias, ..] = vectors(side)?;
            let norm = GroupNorm::new(weight, bias, channels, 32, 1e-5)?;
            Ok(Box::new(move || norm.forward(&x)))
        })
        .bytes(bytes)
        .bar(Bar::Stock(8.))
        .torch(setup.clone(), "F.group_norm(x, 32, a, b, 1e-5)"),
        Case::new(GROUP, "batch_norm_eval", dtype, list(&dims), move |side| {
            let x = side.uniform(&dims, dtype)?;
            let [weight, bias, mean, variance] = vectors(side)?;
            let norm = BatchNorm::new(channels, mean, variance, weight, bias, 1e-5)?;
            Ok(Box::new(move || norm.forward_t(&x, false)))
        })
        .bytes(bytes)
        .bar(FUSED)
        .torch_faster(
            &setup,
            "lambda x, a, b, c, d: F.batch_norm(x, c, d, a, b, False, 0.1, 1e-5)",
            "x, a, b, c, d",
        ),
    ]
}
