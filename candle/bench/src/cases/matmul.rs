//! Matrix products.

use candle_core::DType;

use super::{FLOATS, Plan};
use crate::bars::Bar;
use crate::case::Case;

const GROUP: &str = "matmul";

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let (n, out) = (plan.dim(4096), plan.dim(14336));
    FLOATS
        .into_iter()
        .flat_map(|dtype| {
            [
                product("matmul_nn", format!("{n}^3"), [n, n, n], false, dtype),
                product("matmul_nt", format!("{n}^3"), [n, n, n], true, dtype),
                product("matmul_decode_nt", format!("[1,{n}]x[{out},{n}]^T"), [1, out, n], true, dtype)
                    .bar(Bar::Copy(0.8)),
                product("matmul_decode_nt", format!("[8,{n}]x[{out},{n}]^T"), [8, out, n], true, dtype),
                product("matmul_decode_nn", format!("[1,{n}]x[{n},{out}]"), [1, out, n], false, dtype)
                    .bar(Bar::Copy(0.8)),
                batched(dtype),
            ]
        })
        .collect()
}

/// [m, k] x [k, n]; the second operand may be transposed.
fn product(name: &'static str, shape: String, [m, n, k]: [usize; 3], transposed: bool, dtype: DType) -> Case {
    let second = if transposed { [n, k] } else { [k, n] };
    Case::new(GROUP, name, dtype, shape, move |side| {
        let (a, b) = (side.uniform(&[m, k], dtype)?, side.uniform_seeded(1, &second, dtype)?);
        let b = if transposed { b.t()? } else { b };
        Ok(Box::new(move || a.matmul(&b)))
    })
    .bytes((m * k + k * n + m * n) * dtype.size_in_bytes())
    .flops(2 * m * n * k)
    .tolerance(if dtype == DType::F32 { 1e-4 } else { 2e-2 })
    .torch(
        format!(
            "a, b = u({m}, {k}), u({}, {}){}",
            second[0],
            second[1],
            if transposed { ".t()" } else { "" }
        ),
        "a @ b",
    )
}

fn batched(dtype: DType) -> Case {
    let dims = [512, 64, 64];
    Case::new(GROUP, "matmul_batched", dtype, "512x[64,64]x[64,64]", move |side| {
        let (a, b) = (side.uniform(&dims, dtype)?, side.uniform_seeded(1, &dims, dtype)?);
        Ok(Box::new(move || a.matmul(&b)))
    })
    .bytes(3 * 512 * 64 * 64 * dtype.size_in_bytes())
    .flops(2 * 512 * 64 * 64 * 64)
    .tolerance(if dtype == DType::F32 { 1e-4 } else { 2e-2 })
    .torch("a, b = u(512, 64, 64), u(512, 64, 64)", "a @ b")
}
