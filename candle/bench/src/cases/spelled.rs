//! What programs spell out at the level of tensors, against the faster of PyTorch's eager mode and compiler.

use candle_core::{D, DType, Result, Tensor, Var};
use candle_nn::{AdamW, Optimizer, ParamsAdamW};

use super::{FUSED, Plan, arguments, by};
use crate::case::Case;

const GROUP: &str = "spelled out";

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let square = [plan.dim(8192), plan.dim(8192)];
    let mut cases = Vec::new();
    for dtype in [DType::F32, DType::BF16] {
        cases.push(of_one(
            "gelu_spelled",
            dtype,
            square,
            gelu,
            "lambda x: x * 0.5 * ((x + x * x * x * 0.044715) * 0.7978845608).tanh().add(1)",
        ));
        cases.push(of_one(
            "layer_norm_spelled",
            dtype,
            square,
            layer_norm,
            "lambda x: (x - x.mean(-1, True)) / ((x - x.mean(-1, True)).square().mean(-1, True) + 1e-5).sqrt()",
        ));
    }
    cases.push(adam([plan.dim(4096), plan.dim(4096)]));
    cases
}

fn of_one(
    name: &'static str,
    dtype: DType,
    dims: [usize; 2],
    run: fn(&Tensor) -> Result<Tensor>,
    python: &str,
) -> Case {
    let setup = format!("x = u({})", arguments(&dims));
    Case::new(GROUP, name, dtype, by(&dims), move |side| {
        let x = side.uniform(&dims, dtype)?;
        Ok(Box::new(move || run(&x)))
    })
    .bytes(2 * dims[0] * dims[1] * dtype.size_in_bytes())
    .bar(FUSED)
    .torch_faster(&setup, python, "x")
}

fn gelu(x: &Tensor) -> Result<Tensor> {
    let cube = (x.mul(x)?.mul(x)? * 0.044715)?;
    let inner = ((x + cube)? * 0.797_884_560_8)?;
    (x * 0.5)? * (inner.tanh()? + 1.)?
}

fn layer_norm(x: &Tensor) -> Result<Tensor> {
    let centred = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
    let variance = centred.sqr()?.mean_keepdim(D::Minus1)?;
    centred.broadcast_div(&(variance + 1e-5)?.sqrt()?)
}

/// candle-nn's step of one variable, with its gradient there.
fn adam(dims: [usize; 2]) -> Case {
    let text = arguments(&dims);
    let setup = format!(
        "x, g, m, v = u({text}), u({text}), u({text}), u({text}) + 2\n\
         def step(x, g, m, v):\n    \
             m.mul_(0.9).add_(g * 0.1)\n    \
             v.mul_(0.999).add_(g * g * 0.001)\n    \
             x.mul_(0.99999).sub_(m * 2 / ((v * 3).sqrt() + 1e-8) * 1e-3)"
    );
    Case::new(GROUP, "adam_step", DType::F32, by(&dims), move |side| {
        let var = Var::from_tensor(&side.uniform(&dims, DType::F32)?)?;
        let gradient = side.uniform_seeded(1, &dims, DType::F32)?;
        let grads = var.as_tensor().mul(&gradient)?.backward()?;
        let mut adam = AdamW::new(vec![var.clone()], ParamsAdamW::default())?;
        Ok(Box::new(move || {
            adam.step(&grads)?;
            Ok(var.as_tensor().clone())
        }))
    })
    // Each step changes the variable, and neither side has made as many when they are compared.
    .unchecked()
    .bytes(7 * dims[0] * dims[1] * DType::F32.size_in_bytes())
    .bar(FUSED)
    .torch_faster(&setup, "step", "x, g, m, v")
}
