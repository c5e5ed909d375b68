//! Copies, fills, contiguous copies of views, concatenations.

use candle_core::{DType, Device, Result, Tensor};

use super::{FLOATS, Matrix, Plan, arguments, by, list};
use crate::bars::Bar;
use crate::case::Case;
use crate::side::Side;

const GROUP: &str = "layout";
const TRANSPOSE: Bar = Bar::Copy(0.6);

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in FLOATS {
        for shape in plan.matrices() {
            cases.push(copy(dtype, shape));
            cases.extend(transposed(dtype, shape));
            cases.extend(fills(dtype, shape));
        }
        cases.extend(views(plan, dtype));
        cases.extend(concatenations(plan, dtype));
    }
    cases
}

fn copy(dtype: DType, shape: Matrix) -> Case {
    Case::new(GROUP, "copy", dtype, shape.text(), move |side| {
        let x = side.uniform(&shape.dims(), dtype)?;
        Ok(Box::new(move || x.copy()))
    })
    .bytes(2 * shape.count() * dtype.size_in_bytes())
    .bar_if(shape.large, Bar::Copy(0.85))
    .torch(format!("x = u({})", shape.arguments()), "x.clone()")
}

fn transposed(dtype: DType, shape: Matrix) -> [Case; 3] {
    let across = [shape.columns, shape.rows];
    let bytes = 2 * shape.count() * dtype.size_in_bytes();
    let case = |name, run: fn(&Tensor) -> Result<Tensor>, python| {
        Case::new(GROUP, name, dtype, shape.text(), move |side| {
            let x = side.uniform(&across, dtype)?.t()?;
            Ok(Box::new(move || run(&x)))
        })
        .bytes(bytes)
        .bar_if(shape.large, TRANSPOSE)
        .torch(format!("x = u({}, {}).t()", across[0], across[1]), python)
    };
    [
        case(
            "contiguous_transposed",
            Tensor::force_contiguous,
            "x.contiguous() if x.shape[0] > 1 else x.clone()",
        ),
        case("affine_transposed", |x| x.affine(1.5, 0.5), "torch.add(half, x, alpha=1.5).contiguous()"),
        Case::new(GROUP, "add_transposed", dtype, shape.text(), move |side| {
            let (x, y) = (side.uniform(&shape.dims(), dtype)?, side.uniform_seeded(1, &across, dtype)?.t()?);
            Ok(Box::new(move || &x + &y))
        })
        .bytes(bytes / 2 * 3)
        .bar_if(shape.large, TRANSPOSE)
        .torch(format!("x, y = u({}), u({}, {}).t()", shape.arguments(), across[0], across[1]), "x + y"),
    ]
}

fn fills(dtype: DType, shape: Matrix) -> Vec<Case> {
    let bytes = shape.count() * dtype.size_in_bytes();
    let case = |name, run: fn(&Device, [usize; 2], DType) -> Result<Tensor>, python: String| {
        Case::new(GROUP, name, dtype, shape.text(), move |side| {
            let device = side.device.clone();
            Ok(Box::new(move || run(&device, shape.dims(), dtype)))
        })
        .bytes(bytes)
        .torch("", python)
    };
    let arguments = shape.arguments();
    let mut cases = vec![
        case(
            "zeros",
            |device, dims, dtype| Tensor::zeros(&dims, dtype, device),
            format!("torch.zeros({arguments}, dtype=t, device='cuda')"),
        ),
        case(
            "full",
            |device, dims, dtype| Tensor::ones(&dims, dtype, device),
            format!("torch.full(({arguments}), 1.0, dtype=t, device='cuda')"),
        ),
    ];
    if dtype == DType::F32 {
        cases.push(
            case(
                "rand",
                |device, dims, _| Tensor::rand(0f32, 1., &dims, device),
                format!("torch.rand({arguments}, device='cuda')"),
            )
            .unchecked(),
        );
        cases.push(
            case(
                "randn",
                |device, dims, _| Tensor::randn(0f32, 1., &dims, device),
                format!("torch.randn({arguments}, device='cuda')"),
            )
            .unchecked(),
        );
    }
    cases
}

fn views(plan: &Plan, dtype: DType) -> Vec<Case> {
    let Matrix { rows, columns, .. } = plan.matrices()[1];
    let (half, size) = (columns / 2, dtype.size_in_bytes());
    let heads = [1, plan.dim(2048), 32, 128];
    let heads_bytes = 2 * heads.iter().product::<usize>() * size;
    vec![
        Case::new(GROUP, "narrow_contiguous", dtype, format!("{rows}x[{half} of {columns}]"), move |side| {
            let x = side.uniform(&[rows, columns], dtype)?.narrow(1, half / 2, half)?;
            Ok(Box::new(move || x.contiguous()))
        })
        .bytes(2 * rows * half * size)
        .bar(Bar::Copy(0.6))
        .torch(format!("x = u({rows}, {columns}).narrow(1, {}, {half})", half / 2), "x.contiguous()"),
        Case::new(GROUP, "bcast_contiguous", dtype, format!("1x{columns}->{rows}x{columns}"), move |side| {
            let x = side.uniform(&[1, columns], dtype)?.broadcast_as((rows, columns))?;
            Ok(Box::new(move || x.contiguous()))
        })
        .bytes(rows * columns * size)
        .torch(format!("x = u(1, {columns}).expand({rows}, {columns})"), "x.contiguous()"),
        Case::new(GROUP, "contiguous_bshd_to_bhsd", dtype, by(&heads), move |side| {
            let x = side.uniform(&heads, dtype)?.transpose(1, 2)?;
            Ok(Box::new(move || x.contiguous()))
        })
        .bytes(heads_bytes)
        .bar(TRANSPOSE)
        .torch(format!("x = u({}).transpose(1, 2)", arguments(&heads)), "x.contiguous()"),
        {
            let cache = [1, 8, plan.dim(1024), 128];
            let count: usize = cache.iter().product();
            Case::new(GROUP, "repeat_kv", dtype, format!("{}x4", list(&cache)), move |side| {
                let x = side.uniform(&cache, dtype)?;
                Ok(Box::new(move || candle_transformers::utils::repeat_kv(x.clone(), 4)))
            })
            .bytes(5 * count * size)
            .torch(format!("x = u({})", arguments(&cache)), "x.repeat_interleave(4, dim=1)")
        },
    ]
}

fn concatenations(plan: &Plan, dtype: DType) -> [Case; 3] {
    let Matrix { rows, columns, .. } = plan.matrices()[1];
    let size = dtype.size_in_bytes();
    let case = |name, shape, first: Vec<usize>, second: Vec<usize>, dim: usize| {
        let count: usize = first.iter().product::<usize>() + second.iter().product::<usize>();
        let setup = format!("x, y = u({}), u({})", arguments(&first), arguments(&second));
        Case::new(GROUP, name, dtype, shape, move |side: &Side| {
            let (x, y) = (side.uniform(&first, dtype)?, side.uniform_seeded(1, &second, dtype)?);
            Ok(Box::new(move || Tensor::cat(&[&x, &y], dim)))
        })
        .bytes(2 * count * size)
        .torch(setup, format!("torch.cat([x, y], {dim})"))
    };
    let (top, left) = (vec![rows / 2, columns], vec![rows, columns / 2]);
    let (cache, token) = (vec![1, 8, plan.dim(1024), 128], vec![1, 8, 1, 128]);
    [
        case("cat_dim0", format!("2x{}", list(&top)), top.clone(), top, 0).bar(Bar::Copy(0.85)),
        case("cat_last", format!("2x{}", list(&left)), left.clone(), left, 1).bar(Bar::Copy(0.6)),
        case("cat_kv", format!("{}+{}", list(&cache), list(&token)), cache, token, 2),
    ]
}
