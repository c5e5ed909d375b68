//! Image classification by an unmodified model of candle-transformers: a small vision transformer learns to tell four shapes apart.
//!
//! The images are invented: one shape each, of varying size and place, under noise. With `--cpu`, it trains on the CPU.

use candle_core::{D, DType, Device, Error, Result, Tensor};
use candle_nn::{Activation, AdamW, Optimizer, VarBuilder, VarMap, loss};
use candle_rocm::RocmDevice;
use candle_transformers::models::vit::{Config, Model};

const SIZE: usize = 24;
const BATCH: usize = 32;
const STEPS: usize = 200;
const UNSEEN: usize = 200;

/// Whether a point belongs to a shape: from its centre, in units of its radius.
type Contains = fn(f32, f32) -> bool;

const SHAPES: [(&str, Contains); 4] = [
    ("square", |x, y| x.abs().max(y.abs()) < 0.8),
    ("ring", |x, y| (0.55..1.).contains(&x.hypot(y))),
    ("triangle", |x, y| y.abs() < 1. && x.abs() < (y + 1.) / 2.),
    ("cross", |x, y| x.abs().min(y.abs()) < 0.3 && x.abs().max(y.abs()) < 1.),
];

/// ViT-Base has 12 layers of width 768, for images of 224 x 224 pixels.
fn config() -> Config {
    Config {
        hidden_size: 32,
        num_hidden_layers: 1,
        num_attention_heads: 4,
        intermediate_size: 64,
        hidden_act: Activation::Gelu,
        layer_norm_eps: 1e-6,
        image_size: SIZE,
        patch_size: 6,
        num_channels: 1,
        qkv_bias: true,
    }
}

/// Images, `[count, 1, SIZE, SIZE]`, and the index of each one's shape.
fn images(count: usize, device: &Device) -> Result<(Tensor, Tensor)> {
    let random = Tensor::rand(0f32, 1., (count, 3), device)?.to_vec2::<f32>()?;
    let shapes: Vec<u32> = (0..count).map(|image| (image % SHAPES.len()) as u32).collect();
    let mut pixels = Vec::with_capacity(count * SIZE * SIZE);
    for (random, shape) in random.iter().zip(&shapes) {
        let (_, contains) = SHAPES[*shape as usize];
        let radius = 8. + 2. * random[0];
        let [x, y] = [1, 2].map(|i| radius + random[i] * (SIZE as f32 - 2. * radius));
        for pixel in 0..SIZE * SIZE {
            let (column, row) = ((pixel % SIZE) as f32 + 0.5, (pixel / SIZE) as f32 + 0.5);
            pixels.push(if contains((column - x) / radius, (row - y) / radius) { 1f32 } else { 0. });
        }
    }
    let noise = Tensor::randn(0f32, 0.2, (count, 1, SIZE, SIZE), device)?;
    let images = (Tensor::from_vec(pixels, noise.shape(), device)? + noise)?;
    Ok((images, Tensor::from_vec(shapes, count, device)?))
}

/// Trains a model, and returns its accuracy on images that it has not seen.
fn train(device: &Device) -> Result<f32> {
    let variables = VarMap::new();
    let model = Model::new(&config(), SHAPES.len(), VarBuilder::from_varmap(&variables, DType::F32, device))?;
    let mut optimizer = AdamW::new_lr(variables.all_vars(), 5e-3)?;

    let (training, shapes) = images(STEPS * BATCH, device)?;
    for step in 0..STEPS {
        let [images, shapes] = [&training, &shapes].map(|tensor| tensor.narrow(0, step * BATCH, BATCH));
        let loss = loss::cross_entropy(&model.forward(&images?)?, &shapes?)?;
        optimizer.backward_step(&loss)?;
        // Reading a loss waits for the device: not in each step.
        if (step + 1) % 25 == 0 {
            println!("step {:3}: loss {:.3}", step + 1, loss.to_scalar::<f32>()?);
        }
    }

    let (unseen, shapes) = images(UNSEEN, device)?;
    let answers = model.forward(&unseen)?.argmax(D::Minus1)?;
    let accuracy = answers.eq(&shapes)?.to_dtype(DType::F32)?.mean_all()?.to_scalar::<f32>()?;
    println!("accuracy on {UNSEEN} images that it has not seen: {:.1} %", 100. * accuracy);
    show(&unseen.narrow(0, 0, SHAPES.len())?, &answers.narrow(0, 0, SHAPES.len())?)?;
    Ok(accuracy)
}

/// Prints images side by side, two pixels per character, and below each what the model says.
fn show(images: &Tensor, answers: &Tensor) -> Result<()> {
    let images = images.squeeze(1)?.to_vec3::<f32>()?;
    for row in (0..SIZE).step_by(2) {
        for image in &images {
            for (upper, lower) in image[row].iter().zip(&image[row + 1]) {
                print!("{}", [[' ', '▄'], ['▀', '█']][usize::from(*upper > 0.5)][usize::from(*lower > 0.5)]);
            }
            print!("  ");
        }
        println!();
    }
    for answer in answers.to_vec1::<u32>()? {
        print!("{:^SIZE$}  ", SHAPES[answer as usize].0);
    }
    println!();
    Ok(())
}

fn main() -> Result<()> {
    let device = if std::env::args().any(|argument| argument == "--cpu") {
        println!("on the CPU");
        Device::Cpu
    } else {
        let device = Device::new_rocm(0)?;
        let rocm: &RocmDevice =
            device.as_rocm_device()?.downcast_ref().ok_or(Error::Msg("not candle-rocm's device".into()))?;
        println!("on {} ({})", rocm.label(), rocm.arch());
        device.set_seed(1)?;
        device
    };
    let accuracy = train(&device)?;
    if accuracy < 0.85 {
        candle_core::bail!("it did not learn: an accuracy of {:.1} %", 100. * accuracy)
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
