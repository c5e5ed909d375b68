//! Sums, extrema and cumulative sums.

use candle_core::{D, DType, Result, Tensor};

use super::{FLOATS, FUSED, Matrix, Plan};
use crate::bars::Bar;
use crate::case::Case;

const GROUP: &str = "reduction";

type Run = fn(&Tensor) -> Result<Tensor>;

/// Name, operation, Python, whether the small shape is timed too, whether the operand is read only once.
const OPERATIONS: [(&str, Run, &str, bool, bool); 6] = [
    ("sum_last", |x| x.sum(D::Minus1), "x.sum(-1)", true, true),
    ("sum_first", |x| x.sum(0), "x.sum(0)", true, true),
    ("sum_all", Tensor::sum_all, "x.sum()", true, true),
    ("mean_last", |x| x.mean(D::Minus1), "x.mean(-1)", false, true),
    ("max_last", |x| x.max(D::Minus1), "x.max(-1).values", true, true),
    ("var_last", |x| x.var(D::Minus1), "x.var(-1)", false, false),
];

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in FLOATS {
        for shape in plan.matrices() {
            for (name, run, python, small, once) in OPERATIONS {
                if small || shape.large {
                    cases.push(
                        Case::new(GROUP, name, dtype, shape.text(), move |side| {
                            // Not around 0, where the sums would be rounding errors only.
                            let x = side.uniform(&shape.dims(), dtype)?.affine(0.25, 0.25)?;
                            Ok(Box::new(move || run(&x)))
                        })
                        .bytes(shape.count() * dtype.size_in_bytes())
                        .bar_if(shape.large && once, Bar::Copy(0.8))
                        .bar_if(shape.large && name == "var_last", FUSED)
                        .tolerance(if dtype == DType::F32 { 1e-3 } else { 5e-2 })
                        .torch(format!("x = u({}) * 0.25 + 0.25", shape.arguments()), python),
                    );
                }
            }
            cases.push(argmax(dtype, shape, shape.large));
        }
        for columns in [32000, 128_256] {
            cases.push(argmax(dtype, Matrix { rows: 1, columns: plan.dim(columns), large: false }, false));
        }
        cases.push(cumsum(plan, dtype));
    }
    // Sums of this many elements overflow f16, in which candle accumulates.
    for case in cases.iter_mut().filter(|case| case.name == "sum_all" && case.dtype != "f32") {
        case.tolerance = None;
    }
    cases
}

fn argmax(dtype: DType, shape: Matrix, bar: bool) -> Case {
    Case::new(GROUP, "argmax_last", dtype, shape.text(), move |side| {
        let x = side.uniform(&shape.dims(), dtype)?;
        Ok(Box::new(move || x.argmax(D::Minus1)))
    })
    .bytes(shape.count() * dtype.size_in_bytes())
    .bar_if(bar, Bar::Copy(0.8))
    // If several elements are the largest, any of them may be returned.
    .project(move |side, indices| {
        side.uniform(&shape.dims(), dtype)?.gather(&indices.unsqueeze(D::Minus1)?, D::Minus1)
    })
    .torch(format!("x = u({})", shape.arguments()), "x.argmax(-1)")
}

fn cumsum(plan: &Plan, dtype: DType) -> Case {
    let side = plan.dim(4096);
    let shape = Matrix { rows: side, columns: side, large: true };
    Case::new(GROUP, "cumsum_last", dtype, shape.text(), move |side| {
        let x = side.uniform(&shape.dims(), dtype)?;
        Ok(Box::new(move || x.cumsum(D::Minus1)))
    })
    .bytes(2 * shape.count() * dtype.size_in_bytes())
    .tolerance(if dtype == DType::F32 { 1e-3 } else { 5e-2 })
    .torch(format!("x = u({})", shape.arguments()), "x.cumsum(-1)")
}
