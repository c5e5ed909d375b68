//! LoRA on quantized weights (QLoRA): two layers frozen in Q4_K, with small matrices beside them that are trained.
//!
//! The task is invented: a teacher has the same two layers with a change of low rank, and the student learns that change from the
//! teacher's answers. The gradient of the first layer's matrices passes through the second layer's quantized weights.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Error, Module, Result, Tensor};
use candle_nn::{AdamW, Init, Optimizer, ParamsAdamW, VarBuilder, VarMap, loss};
use candle_rocm::RocmDevice;

const WIDTH: usize = 256;
const RANK: usize = 4;
const BATCH: usize = 64;
const STEPS: usize = 200;

/// Frozen weights, and a correction of low rank.
struct Lora {
    frozen: QMatMul,
    down: Tensor,
    up: Tensor,
}

impl Lora {
    fn new(weights: &Tensor, vb: &VarBuilder) -> Result<Self> {
        let (outputs, inputs) = weights.dims2()?;
        let small = Init::Randn { mean: 0., stdev: 1. / (inputs as f64).sqrt() };
        Ok(Self {
            frozen: QMatMul::from_qtensor(QTensor::quantize(weights, GgmlDType::Q4K)?)?,
            down: vb.get_with_hints((RANK, inputs), "down", small)?,
            // Zeros: before the first step, the layer computes what it did without a correction.
            up: vb.get_with_hints((outputs, RANK), "up", Init::Const(0.))?,
        })
    }
}

impl Module for Lora {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        self.frozen.forward(x)? + x.matmul(&self.down.t()?)?.matmul(&self.up.t()?)?
    }
}

/// Weights that keep the size of what they are multiplied with.
fn weights(device: &Device) -> Result<Tensor> {
    Tensor::randn(0f32, (WIDTH as f32).sqrt().recip(), (WIDTH, WIDTH), device)
}

/// The same weights, changed by a matrix of low rank.
fn changed(weights: &Tensor) -> Result<Tensor> {
    let device = weights.device();
    let scale = (WIDTH as f32).sqrt().recip();
    let (up, down) =
        (Tensor::randn(0f32, 1., (WIDTH, RANK), device)?, Tensor::randn(0f32, scale, (RANK, WIDTH), device)?);
    weights + (up.matmul(&down)? * 0.5)?
}

/// The first and the last loss.
fn train(device: &Device) -> Result<(f32, f32)> {
    device.set_seed(1)?;
    let frozen = [weights(device)?, weights(device)?];
    let teacher = [changed(&frozen[0])?, changed(&frozen[1])?];

    let variables = VarMap::new();
    let vb = VarBuilder::from_varmap(&variables, DType::F32, device);
    let student = [Lora::new(&frozen[0], &vb.pp("first"))?, Lora::new(&frozen[1], &vb.pp("second"))?];
    let mut optimizer = AdamW::new(variables.all_vars(), ParamsAdamW { lr: 1e-2, ..Default::default() })?;

    let trained: usize = variables.all_vars().iter().map(|variable| variable.elem_count()).sum();
    println!("{trained} trained weights beside {} frozen ones in Q4_K", 2 * WIDTH * WIDTH);
    let (mut first, mut last) = (0., 0.);
    for step in 0..=STEPS {
        let x = Tensor::randn(0f32, 1., (BATCH, WIDTH), device)?;
        let answers = x.matmul(&teacher[0].t()?)?.gelu()?.matmul(&teacher[1].t()?)?;
        let loss = loss::mse(&student[1].forward(&student[0].forward(&x)?.gelu()?)?, &answers)?;
        optimizer.backward_step(&loss)?;
        // Reading a loss waits for the device: not in each step.
        if step % 25 == 0 {
            last = loss.to_scalar::<f32>()?;
            println!("step {step:3}: loss {last:.4}");
            if step == 0 {
                first = last;
            }
        }
    }
    Ok((first, last))
}

fn main() -> Result<()> {
    let device = Device::new_rocm(0)?;
    let rocm: &RocmDevice =
        device.as_rocm_device()?.downcast_ref().ok_or(Error::Msg("not candle-rocm's device".into()))?;
    println!("on {} ({})", rocm.label(), rocm.arch());
    let (first, last) = train(&device)?;
    println!("the loss fell to {:.1} % of the first", 100. * last / first);
    if last > 0.1 * first {
        candle_core::bail!("it did not learn: loss {first} at first, {last} at last")
    }
    Ok(())
}

#[test]
fn runs_without_a_card() -> Result<()> {
    if std::env::var_os("CANDLE_ROCM_PLATFORM").is_none() {
        candle_rocm::hip::set_default_platform(candle_rocm::platform::HOST);
    }
    main()
}
