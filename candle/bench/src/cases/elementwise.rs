//! Elementwise operations with one, two or three operands, and casts.

use candle_core::{DType, Result, Tensor};

use super::{FLOATS, FUSED, Matrix, Plan};
use crate::bars::Bar;
use crate::case::Case;

const GROUP: &str = "elementwise";
/// For contiguous operands.
const STREAM: Bar = Bar::Copy(0.85);
/// For broadcast operands and conditions.
const BROADCAST: Bar = Bar::Copy(0.6);

type Unary = fn(&Tensor) -> Result<Tensor>;
type Binary = fn(&Tensor, &Tensor) -> Result<Tensor>;

/// Name, operation, Python, whether the small shape is timed too.
const UNARY: &[(&str, Unary, &str, bool)] = &[
    ("affine", |x| x.affine(1.5, 0.5), "torch.add(half, x, alpha=1.5)", true),
    ("exp", Tensor::exp, "x.exp()", true),
    ("gelu", Tensor::gelu, "F.gelu(x, approximate='tanh')", true),
    ("gelu_erf", Tensor::gelu_erf, "F.gelu(x)", true),
    ("silu", Tensor::silu, "F.silu(x)", true),
    ("relu", Tensor::relu, "x.relu()", true),
    ("powf", |x| x.powf(2.5), "x.pow(2.5)", true),
    ("sqr", Tensor::sqr, "x.square()", false),
    ("sigmoid", candle_nn::ops::sigmoid, "x.sigmoid()", false),
    ("neg", Tensor::neg, "-x", false),
];

const BINARY: &[(&str, Binary, &str, bool)] = &[
    ("add", |x, y| x + y, "x + y", true),
    ("mul", |x, y| x * y, "x * y", false),
    ("div", |x, y| x / y, "x / y", false),
    ("maximum", |x, y| x.maximum(y), "torch.maximum(x, y)", false),
];

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in FLOATS {
        for shape in plan.matrices() {
            cases.extend(UNARY.iter().filter(|op| op.3 || shape.large).map(|op| unary(op, dtype, shape)));
            cases.extend(BINARY.iter().filter(|op| op.3 || shape.large).map(|op| binary(op, dtype, shape)));
            cases.extend(broadcasts(dtype, shape));
            cases.extend(conditions(dtype, shape));
            cases.extend(casts(dtype, shape));
        }
        cases.push(swiglu(dtype, plan.matrices()[1]));
    }
    cases
}

fn unary(op: &(&'static str, Unary, &str, bool), dtype: DType, shape: Matrix) -> Case {
    let (name, run, python) = (op.0, op.1, op.2);
    // powf of a negative number is NaN, which may take a different code path.
    let positive = name == "powf";
    Case::new(GROUP, name, dtype, shape.text(), move |side| {
        let x = side.uniform(&shape.dims(), dtype)?;
        let x = if positive { x.abs()? } else { x };
        Ok(Box::new(move || run(&x)))
    })
    .bytes(2 * shape.count() * dtype.size_in_bytes())
    .bar_if(shape.large, STREAM)
    .torch(format!("x = u({}){}", shape.arguments(), if positive { ".abs()" } else { "" }), python)
}

fn binary(op: &(&'static str, Binary, &str, bool), dtype: DType, shape: Matrix) -> Case {
    let (name, run, python) = (op.0, op.1, op.2);
    let divisor = name == "div";
    Case::new(GROUP, name, dtype, shape.text(), move |side| {
        let (x, y) = (side.uniform(&shape.dims(), dtype)?, side.uniform_seeded(1, &shape.dims(), dtype)?);
        // Away from 0, since quotients are compared relative to the largest.
        let y = if divisor { y.affine(0.25, 1.)? } else { y };
        Ok(Box::new(move || run(&x, &y)))
    })
    .bytes(3 * shape.count() * dtype.size_in_bytes())
    .bar_if(shape.large, STREAM)
    .torch(format!("x, y = u({0}), u({0}) + 2", shape.arguments()), python)
}

fn broadcasts(dtype: DType, shape: Matrix) -> [Case; 2] {
    let arguments = shape.arguments();
    let case = |name, operand: [usize; 2], python: String| {
        Case::new(GROUP, name, dtype, shape.text(), move |side| {
            let (x, y) = (side.uniform(&shape.dims(), dtype)?, side.uniform_seeded(1, &operand, dtype)?);
            Ok(Box::new(move || x.broadcast_add(&y)))
        })
        .bytes(2 * shape.count() * dtype.size_in_bytes())
        .bar_if(shape.large, BROADCAST)
        .torch(format!("x, y = u({arguments}), u({python})"), "x + y")
    };
    [
        case("add_bcast_row", [1, shape.columns], format!("1, {}", shape.columns)),
        case("add_bcast_col", [shape.rows, 1], format!("{}, 1", shape.rows)),
    ]
}

fn conditions(dtype: DType, shape: Matrix) -> [Case; 3] {
    let (count, size, arguments) = (shape.count(), dtype.size_in_bytes(), shape.arguments());
    let condition = format!("below(2, {arguments}).bool()");
    let choose = |name, otherwise: [usize; 2]| {
        Case::new(GROUP, name, dtype, shape.text(), move |side| {
            let condition = side.below(2, &shape.dims(), DType::U8)?;
            let (x, y) = (side.uniform(&shape.dims(), dtype)?, side.uniform_seeded(1, &otherwise, dtype)?);
            let y = y.broadcast_as(&shape.dims()[..])?;
            Ok(Box::new(move || condition.where_cond(&x, &y)))
        })
        .bar_if(shape.large, BROADCAST)
    };
    [
        choose("where_cond", shape.dims())
            .bytes(count + 3 * count * size)
            .torch(format!("c, x, y = {condition}, u({arguments}), u({arguments})"), "torch.where(c, x, y)"),
        choose("where_cond_bcast", [1, shape.columns]).bytes(count + 2 * count * size).torch(
            format!("c, x, y = {condition}, u({arguments}), u(1, {})", shape.columns),
            "torch.where(c, x, y)",
        ),
        Case::new(GROUP, "cmp_lt", dtype, shape.text(), move |side| {
            let (x, y) = (side.uniform(&shape.dims(), dtype)?, side.uniform_seeded(1, &shape.dims(), dtype)?);
            Ok(Box::new(move || x.lt(&y)))
        })
        .bytes(count + 2 * count * size)
        .bar_if(shape.large, STREAM)
        .torch(format!("x, y = u({arguments}), u({arguments})"), "x < y"),
    ]
}

fn casts(to: DType, shape: Matrix) -> Vec<Case> {
    let from = |dtype: DType| match (dtype, to) {
        (DType::U8, _) => shape.large,
        _ => dtype != to,
    };
    [DType::F32, DType::F16, DType::BF16, DType::U8]
        .into_iter()
        .filter(|dtype| from(*dtype))
        .map(|dtype| {
            Case::new(GROUP, "cast", to, shape.text(), move |side| {
                let x = match dtype {
                    DType::U8 => side.below(256, &shape.dims(), dtype)?,
                    _ => side.uniform(&shape.dims(), dtype)?,
                };
                Ok(Box::new(move || x.to_dtype(to)))
            })
            .dtype(format!("{}->{}", dtype.as_str(), to.as_str()))
            .bytes(shape.count() * (dtype.size_in_bytes() + to.size_in_bytes()))
            .bar_if(shape.large, STREAM)
            .torch(
                match dtype {
                    DType::U8 => format!("x = below(256, {}).to(torch.uint8)", shape.arguments()),
                    _ => format!("x = u({})", shape.arguments()),
                },
                format!("x.to({})", to.as_str()),
            )
        })
        .collect()
}

/// One half of each row, gated by the other.
fn swiglu(dtype: DType, shape: Matrix) -> Case {
    let wide = [shape.rows, 2 * shape.columns];
    Case::new(GROUP, "swiglu", dtype, shape.text(), move |side| {
        let x = side.uniform(&wide, dtype)?;
        Ok(Box::new(move || candle_nn::ops::swiglu(&x)))
    })
    .bytes(3 * shape.count() * dtype.size_in_bytes())
    .bar_if(shape.large, FUSED)
    .torch_faster(
        &format!("x = u({}, {})", wide[0], wide[1]),
        "lambda x: F.silu(x.chunk(2, dim=-1)[0]) * x.chunk(2, dim=-1)[1]",
        "x",
    )
}
