//! Training with candle-nn's AdamW: loss curves match the CPU's and are deterministic.

use candle_core::{D, DType, Device, Result, Tensor, rocm};
use candle_nn::{
    AdamW, Conv2dConfig, Embedding, Linear, Module, ModuleT, Optimizer, VarBuilder, VarMap, loss, ops,
    rotary_emb,
};
use candle_rocm::RocmDevice;
use candle_rocm_tests::devices;

const STEPS: usize = 50;

/// Relative to the first loss. f32 losses initially differ in their last bits. AdamW normalizes gradients, so the difference grows with
/// each step, within 50 steps to at most this.
const TOLERANCE: f32 = 2e-3;

/// Deterministic numbers in [-1, 1].
fn numbers(shape: &[usize], seed: usize) -> Result<Tensor> {
    let number = |i: usize| ((i + seed * 1009) as f32 * 12.9898).sin() * 43_758.547 % 1.;
    let values: Vec<f32> = (0..shape.iter().product()).map(number).collect();
    Tensor::from_vec(values, shape, &Device::Cpu)
}

/// The same weights on every device, determined by name.
fn set_weights(weights: &VarMap, device: &Device) -> Result<()> {
    for (name, var) in weights.data().lock().unwrap().iter() {
        let inputs: usize = var.dims().iter().skip(1).product();
        let scale = if var.rank() > 1 { (1. / inputs as f64).sqrt() } else { 0. };
        let seed = name.bytes().map(usize::from).sum();
        let shift = if name.ends_with("norm.weight") { 1. } else { 0. };
        var.set(&numbers(var.dims(), seed)?.affine(scale, shift)?.to_device(device)?)?;
    }
    Ok(())
}

/// The losses of `STEPS` steps.
fn train(weights: &VarMap, rate: f64, mut loss: impl FnMut() -> Result<Tensor>) -> Result<Vec<f32>> {
    let mut optimizer = AdamW::new_lr(weights.all_vars(), rate)?;
    (0..STEPS)
        .map(|_| {
            let loss = loss()?;
            optimizer.backward_step(&loss)?;
            loss.to_scalar()
        })
        .collect()
}

/// Compares the loss curve on each device with the CPU's. With `noise` (dropout), whose random numbers differ between devices, compares it
/// with itself. Nothing may fall back to the CPU or leak memory.
fn check(curve: impl Fn(&Device, bool) -> Result<Vec<f32>>) -> Result<()> {
    rocm::forbid_fallback();
    let expected = curve(&Device::Cpu, false)?;
    let first_loss = expected[0];
    assert!(expected[STEPS - 1] < first_loss * 0.5, "the loss must fall: {expected:?}");
    for device in devices() {
        let concrete: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device");
        concrete.set_deterministic(true);
        let found = curve(&device, false)?;
        for (step, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let difference = (found - expected).abs() / first_loss;
            assert!(difference <= TOLERANCE, "step {step}: {found} and {expected} on the CPU");
        }
        let noisy = || {
            device.set_seed(42)?;
            curve(&device, true)
        };
        let first = noisy()?;
        let before = concrete.pool().stats();
        assert_eq!(first, noisy()?, "the same seed must give the same losses");
        assert_ne!(first, found);
        let after = concrete.pool().stats();
        println!("{device:?}: peak of {} bytes", after.allocated_peak);
        assert_eq!((after.allocated, after.buffers), (before.allocated, before.buffers), "{after:?}");
    }
    Ok(())
}

const VOCABULARY: usize = 12;
const TIME: usize = 8;
const WIDTH: usize = 16;
const HEADS: usize = 2;

/// A transformer with one layer. Its norms are candle-nn's differentiable ones.
struct Transformer {
    tokens: Embedding,
    positions: Tensor,
    norms: [(Tensor, Tensor); 2],
    qkv: Linear,
    out: Linear,
    mlp: [Linear; 2],
    head: Linear,
    mask: Tensor,
}

impl Transformer {
    fn new(vb: &VarBuilder) -> Result<Self> {
        let norm = |name: &str| -> Result<_> {
            let vb = vb.pp(name);
            Ok((vb.get_with_hints(WIDTH, "weight", candle_nn::Init::Const(1.))?, vb.get(WIDTH, "bias")?))
        };
        let bias = |i: usize, j: usize| if j <= i { 0f32 } else { f32::NEG_INFINITY };
        let mask: Vec<f32> = (0..TIME * TIME).map(|n| bias(n / TIME, n % TIME)).collect();
        Ok(Self {
            tokens: candle_nn::embedding(VOCABULARY, WIDTH, vb.pp("tokens"))?,
            positions: vb.get_with_hints((TIME, WIDTH), "positions", candle_nn::Init::Const(0.))?,
            norms: [norm("first.norm")?, norm("second.norm")?],
            qkv: candle_nn::linear_no_bias(WIDTH, 3 * WIDTH, vb.pp("qkv"))?,
            out: candle_nn::linear(WIDTH, WIDTH, vb.pp("out"))?,
            mlp: [
                candle_nn::linear(WIDTH, 4 * WIDTH, vb.pp("up"))?,
                candle_nn::linear(4 * WIDTH, WIDTH, vb.pp("down"))?,
            ],
            head: candle_nn::linear(WIDTH, VOCABULARY, vb.pp("head"))?,
            mask: Tensor::from_vec(mask, (TIME, TIME), vb.device())?,
        })
    }

    fn attention(&self, x: &Tensor) -> Result<Tensor> {
        let (b, t, _) = x.dims3()?;
        let heads = |x: &Tensor| x.reshape((b, t, HEADS, WIDTH / HEADS))?.transpose(1, 2)?.contiguous();
        let qkv = self.qkv.forward(x)?;
        let part = |i: usize| heads(&qkv.narrow(D::Minus1, i * WIDTH, WIDTH)?.contiguous()?);
        let scores = (part(0)?.matmul(&part(1)?.t()?)? * (HEADS as f64 / WIDTH as f64).sqrt())?;
        let weights = ops::softmax(&scores.broadcast_add(&self.mask)?, D::Minus1)?;
        self.out.forward(&weights.matmul(&part(2)?)?.transpose(1, 2)?.reshape((b, t, WIDTH))?)
    }

    fn forward(&self, tokens: &Tensor, dropout: f32) -> Result<Tensor> {
        let norm = |x: &Tensor, i: usize| ops::layer_norm_slow(x, &self.norms[i].0, &self.norms[i].1, 1e-5);
        let mut x = self.tokens.forward(tokens)?.broadcast_add(&self.positions)?;
        if dropout > 0. {
            x = ops::dropout(&x, dropout)?;
        }
        let x = (&x + self.attention(&norm(&x, 0)?)?)?;
        let x = (&x + self.mlp[1].forward(&self.mlp[0].forward(&norm(&x, 1)?)?.gelu()?)?)?;
        self.head.forward(&x)
    }
}

/// The next token is the previous one plus three, modulo the vocabulary.
#[test]
fn a_transformer() -> Result<()> {
    check(|device, noise| {
        let weights = VarMap::new();
        let model = Transformer::new(&VarBuilder::from_varmap(&weights, DType::F32, device))?;
        set_weights(&weights, device)?;
        let token = |n: usize| ((n / TIME * 5 + n % TIME * 3) % VOCABULARY) as u32;
        let tokens: Vec<u32> = (0..6 * TIME).map(token).collect();
        let next: Vec<u32> = tokens.iter().map(|token| (token + 3) % VOCABULARY as u32).collect();
        let tokens = Tensor::from_vec(tokens, (6, TIME), device)?;
        let next = Tensor::from_vec(next, 6 * TIME, device)?;
        train(&weights, 5e-3, || {
            let logits = model.forward(&tokens, if noise { 0.1 } else { 0. })?;
            loss::cross_entropy(&logits.reshape((6 * TIME, VOCABULARY))?, &next)
        })
    })
}

/// A modern transformer layer with RMS norms and rotary embeddings, of fused or composed operations.
struct Layer {
    fused: bool,
    tokens: Embedding,
    norms: [Tensor; 2],
    qkv: Linear,
    out: Linear,
    head: Linear,
    angles: [Tensor; 2],
    mask: Tensor,
}

impl Layer {
    fn new(vb: &VarBuilder, fused: bool) -> Result<Self> {
        let one = candle_nn::Init::Const(1.);
        let pairs = WIDTH / HEADS / 2;
        let angle = |n: usize| (n / pairs) as f32 / 100f32.powf((n % pairs) as f32 / pairs as f32);
        let angles = (0..TIME * pairs).map(angle).collect::<Vec<f32>>();
        let angles = Tensor::from_vec(angles, (TIME, pairs), vb.device())?;
        let bias = |i: usize, j: usize| if j <= i { 0f32 } else { f32::NEG_INFINITY };
        let mask: Vec<f32> = (0..TIME * TIME).map(|n| bias(n / TIME, n % TIME)).collect();
        Ok(Self {
            fused,
            tokens: candle_nn::embedding(VOCABULARY, WIDTH, vb.pp("tokens"))?,
            norms: [
                vb.get_with_hints(WIDTH, "first.norm.weight", one)?,
                vb.get_with_hints(WIDTH, "last.norm.weight", one)?,
            ],
            qkv: candle_nn::linear_no_bias(WIDTH, 3 * WIDTH, vb.pp("qkv"))?,
            out: candle_nn::linear(WIDTH, WIDTH, vb.pp("out"))?,
            head: candle_nn::linear(WIDTH, VOCABULARY, vb.pp("head"))?,
            angles: [angles.cos()?, angles.sin()?],
            mask: Tensor::from_vec(mask, (TIME, TIME), vb.device())?,
        })
    }

    fn norm(&self, x: &Tensor, i: usize) -> Result<Tensor> {
        match self.fused {
            true => ops::rms_norm(x, &self.norms[i], 1e-5),
            false => ops::rms_norm_slow(x, &self.norms[i], 1e-5),
        }
    }

    fn rotate(&self, x: &Tensor) -> Result<Tensor> {
        let [cos, sin] = &self.angles;
        match self.fused {
            true => rotary_emb::rope(x, cos, sin),
            false => rotary_emb::rope_slow(x, cos, sin),
        }
    }

    fn softmax(&self, x: &Tensor) -> Result<Tensor> {
        match self.fused {
            true => ops::softmax_last_dim(x),
            false => ops::softmax(x, D::Minus1),
        }
    }

    fn forward(&self, tokens: &Tensor) -> Result<Tensor> {
        let x = self.tokens.forward(tokens)?;
        let (b, t, _) = x.dims3()?;
        let qkv = self.qkv.forward(&self.norm(&x, 0)?)?;
        let heads = |i: usize| {
            let part = qkv.narrow(D::Minus1, i * WIDTH, WIDTH)?;
            part.reshape((b, t, HEADS, WIDTH / HEADS))?.transpose(1, 2)?.contiguous()
        };
        let (q, k, v) = (self.rotate(&heads(0)?)?, self.rotate(&heads(1)?)?, heads(2)?);
        let scores = (q.matmul(&k.t()?)? * (HEADS as f64 / WIDTH as f64).sqrt())?;
        let weights = self.softmax(&scores.broadcast_add(&self.mask)?)?;
        let attended = self.out.forward(&weights.matmul(&v)?.transpose(1, 2)?.reshape((b, t, WIDTH))?)?;
        self.head.forward(&self.norm(&(x + attended)?, 1)?)
    }

    fn losses(device: &Device, fused: bool) -> Result<Vec<f32>> {
        let weights = VarMap::new();
        let model = Self::new(&VarBuilder::from_varmap(&weights, DType::F32, device), fused)?;
        set_weights(&weights, device)?;
        // The next token is the sum of the last two.
        let mut tokens: Vec<u32> = Vec::new();
        for n in 0..6 * (TIME + 1) {
            let token = match n % (TIME + 1) {
                0 | 1 => (n * 7 + 1) % VOCABULARY,
                _ => (tokens[n - 1] + tokens[n - 2]) as usize % VOCABULARY,
            };
            tokens.push(token as u32);
        }
        let tokens = Tensor::from_vec(tokens, (6, TIME + 1), device)?;
        let next = tokens.narrow(1, 1, TIME)?.contiguous()?.flatten_all()?;
        let tokens = tokens.narrow(1, 0, TIME)?.contiguous()?;
        train(&weights, 1e-2, || {
            let logits = model.forward(&tokens)?;
            loss::cross_entropy(&logits.reshape((6 * TIME, VOCABULARY))?, &next)
        })
    }
}

/// Fused operations train like the composed ones, on the devices and on the CPU.
#[test]
fn fused_operations_train_alike() -> Result<()> {
    rocm::forbid_fallback();
    let expected = Layer::losses(&Device::Cpu, false)?;
    assert!(expected[STEPS - 1] < expected[0] * 0.5, "the loss must fall: {expected:?}");
    let same = |found: Vec<f32>, what: &str| {
        for (step, (found, loss)) in found.iter().zip(&expected).enumerate() {
            let difference = (found - loss).abs() / expected[0];
            assert!(difference <= TOLERANCE, "{what}, step {step}: {found} and {loss}");
        }
    };
    same(Layer::losses(&Device::Cpu, true)?, "fused on the CPU");
    for device in devices() {
        same(Layer::losses(&device, false)?, "composed");
        let taken = || ["rms-norm", "softmax-last-dim"].map(rocm::backward_taken);
        let before = taken();
        same(Layer::losses(&device, true)?, "fused");
        assert_eq!(taken(), [before[0] + 2 * STEPS as u64, before[1] + STEPS as u64]);
    }
    Ok(())
}

/// Convolutions, batch norm, pooling and a linear layer learn which quarter of an image is bright.
#[test]
fn a_convolutional_net() -> Result<()> {
    const SIDE: usize = 8;
    const PICTURES: usize = 8;
    check(|device, noise| {
        let weights = VarMap::new();
        let vb = VarBuilder::from_varmap(&weights, DType::F32, device);
        let padded = Conv2dConfig { padding: 1, ..Default::default() };
        let first = candle_nn::conv2d(1, 4, 3, padded, vb.pp("first"))?;
        let norm = candle_nn::batch_norm(4, 1e-5, vb.pp("norm"))?;
        let second = candle_nn::conv2d(4, 6, 3, Conv2dConfig { stride: 2, ..padded }, vb.pp("second"))?;
        let head = candle_nn::linear(6 * SIDE * SIDE / 16, 4, vb.pp("head"))?;
        set_weights(&weights, device)?;

        let bright = |n: usize| {
            let (picture, y, x) = (n / SIDE / SIDE, n / SIDE % SIDE, n % SIDE);
            if picture % 4 == y / (SIDE / 2) * 2 + x / (SIDE / 2) { 1. } else { 0. }
        };
        let light: Vec<f32> = (0..PICTURES * SIDE * SIDE).map(bright).collect();
        let light = Tensor::from_vec(light, (PICTURES, 1, SIDE, SIDE), &Device::Cpu)?;
        let pictures = (numbers(&[PICTURES, 1, SIDE, SIDE], 5)? * 0.5)?.add(&light)?.to_device(device)?;
        let quarters: Vec<u32> = (0..PICTURES as u32).map(|picture| picture % 4).collect();
        let quarters = Tensor::new(quarters, device)?;
        train(&weights, 1e-2, || {
            let x = norm.forward_t(&first.forward(&pictures)?, true)?.relu()?;
            let x = second.forward(&x.max_pool2d(2)?)?.relu()?.flatten_from(1)?;
            let x = if noise { ops::dropout(&x, 0.1)? } else { x };
            loss::cross_entropy(&head.forward(&x)?, &quarters)
        })
    })
}
