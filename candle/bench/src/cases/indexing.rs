//! Gather, scatter, index_select, index_add, argsort and the first of sorted rows.

use candle_core::{D, DType, Result, Tensor};

use super::{FLOATS, Matrix, Plan};
use crate::bars::Bar;
use crate::case::Case;
use crate::side::Side;

const GROUP: &str = "indexing";

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in FLOATS {
        for ids in [1, plan.dim(4096)] {
            cases.push(index_select(plan, dtype, ids));
        }
        cases.push(index_add(plan, dtype));
        cases.extend(along(plan.matrices()[1], dtype));
        // The latter are vocabularies.
        for (rows, columns) in [(1024, 1024), (1, 32000), (1, 128_256), (1, 256_000)] {
            let rows = if rows == 1 { 1 } else { plan.dim(rows) };
            cases.push(arg_sort(rows, plan.dim(columns), dtype));
        }
        // Routers of mixtures of experts, and a sampler.
        for (rows, columns, k) in [(1, 128, 8), (512, 128, 8), (1, 128_256, 50)] {
            cases.push(top_k((plan.dim(rows), plan.dim(columns)), k, dtype));
        }
    }
    cases
}

fn index_select(plan: &Plan, dtype: DType, ids: usize) -> Case {
    let (rows, columns) = (plan.dim(131_072), plan.dim(4096));
    Case::new(GROUP, "index_select", dtype, format!("[{rows},{columns}] ids {ids}"), move |side| {
        let x = side.uniform(&[rows, columns], dtype)?;
        let ids = side.below(rows as u32, &[ids], DType::U32)?;
        Ok(Box::new(move || x.index_select(&ids, 0)))
    })
    .bytes(2 * ids * columns * dtype.size_in_bytes())
    .bar_if(ids > 1, Bar::Stock(3.))
    .torch(format!("x, i = u({rows}, {columns}), below({rows}, {ids})"), "x.index_select(0, i)")
}

fn index_add(plan: &Plan, dtype: DType) -> Case {
    let (rows, added, columns) = (plan.dim(32768), plan.dim(4096), plan.dim(4096));
    let shape = format!("[{rows},{columns}]+=[{added},{columns}]");
    Case::new(GROUP, "index_add", dtype, shape, move |side| {
        let (x, y) =
            (side.uniform(&[rows, columns], dtype)?, side.uniform_seeded(1, &[added, columns], dtype)?);
        let ids = side.below(rows as u32, &[added], DType::U32)?;
        Ok(Box::new(move || x.index_add(&ids, &y, 0)))
    })
    .bytes((2 * rows + 3 * added) * columns * dtype.size_in_bytes())
    .bar(Bar::Stock(4.))
    .torch(
        format!("x, y, i = u({rows}, {columns}), u({added}, {columns}), below({rows}, {added})"),
        "x.index_add(0, i, y)",
    )
}

fn along(shape: Matrix, dtype: DType) -> Vec<Case> {
    let (count, size) = (shape.count(), dtype.size_in_bytes());
    let case = |name, dim: usize, run: fn(&Tensor, &Tensor, &Tensor, usize) -> Result<Tensor>| {
        let bound = if dim == 0 { shape.rows } else { shape.columns };
        Case::new(GROUP, name, dtype, shape.text(), move |side: &Side| {
            let (x, y) = (side.uniform(&shape.dims(), dtype)?, side.uniform_seeded(1, &shape.dims(), dtype)?);
            let ids = side.below(bound as u32, &shape.dims(), DType::U32)?;
            Ok(Box::new(move || run(&x, &ids, &y, dim)))
        })
    };
    let setup = |bound: usize| format!("x, y, i = u({0}), u({0}), below({bound}, {0})", shape.arguments());
    let bounds = [shape.rows, shape.columns];
    let gathers = ["gather_first", "gather_last"].into_iter().enumerate().map(|(dim, name)| {
        case(name, dim, |x, ids, _, dim| x.gather(ids, dim))
            .bytes(count * (2 * size + 4))
            .torch(setup(bounds[dim]), format!("x.gather({dim}, i)"))
    });
    let scatters = ["scatter_add_first", "scatter_add_last"].into_iter().enumerate().map(|(dim, name)| {
        case(name, dim, |x, ids, y, dim| x.scatter_add(ids, y, dim))
            .bytes(count * (3 * size + 4))
            .bar(Bar::Stock(4.))
            // The order of additions varies, with a rounding after each.
            .tolerance(if dtype == DType::F32 { 1e-4 } else { 5e-2 })
            .torch(setup(bounds[dim]), format!("x.scatter_add({dim}, i, y)"))
    });
    gathers.chain(scatters).collect()
}

fn arg_sort(rows: usize, columns: usize, dtype: DType) -> Case {
    Case::new(GROUP, "arg_sort_last_dim", dtype, format!("{rows}x{columns}"), move |side| {
        let x = side.uniform(&[rows, columns], dtype)?;
        Ok(Box::new(move || x.arg_sort_last_dim(true)))
    })
    .bytes(rows * columns * (dtype.size_in_bytes() + 4))
    .bar(Bar::Stock(3.))
    // Equal elements may come in any order.
    .project(move |side, order| side.uniform(&[rows, columns], dtype)?.gather(order, D::Minus1))
    .torch(format!("x = u({rows}, {columns})"), "x.argsort(-1)")
}

/// What programs write for it: a sort of all elements, of whose indices the first are gathered by.
fn top_k((rows, columns): (usize, usize), k: usize, dtype: DType) -> Case {
    Case::new(GROUP, "top_k", dtype, format!("{k} of {rows}x{columns}"), move |side| {
        let x = side.uniform(&[rows, columns], dtype)?;
        Ok(Box::new(move || {
            let indices = x.arg_sort_last_dim(false)?.narrow(D::Minus1, 0, k)?.contiguous()?;
            x.gather(&indices, D::Minus1)
        }))
    })
    .bytes(rows * columns * dtype.size_in_bytes())
    .bar(Bar::Stock(3.))
    .torch(format!("x = u({rows}, {columns})"), format!("x.topk({k})"))
}
