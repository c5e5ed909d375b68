//! Results do not tell whether a generated kernel was there: not of idioms after any number of other operations, nor with these in their
//! middle, so that segments end anywhere in them.

use candle_core::{D, DType, Device, Result, Tensor};
use candle_nn::ops::{log_softmax, softmax};

use super::generated::{OFTEN, bits, values};
use super::{fresh, own, recording};

/// More operations than a segment has.
const MOST: usize = 40;

/// Other operations on the way, and what they give: nothing is generated for them, nor are they left out.
struct Others {
    x: Tensor,
    between: usize,
}

impl Others {
    fn record(&mut self, count: usize) -> Result<()> {
        for _ in 0..count {
            self.x = self.x.cos()?;
        }
        Ok(())
    }

    /// Where an idiom lets others come between its operations.
    fn pause(&mut self) -> Result<()> {
        self.record(self.between)
    }
}

/// The idiom's input, a row of weights, and what comes between its operations.
type Idiom = fn(&Tensor, &Tensor, &mut Others) -> Result<Tensor>;

const IDIOMS: &[(&str, Idiom)] = &[
    ("min and max", |x, _, others| {
        let min = x.min_keepdim(1)?;
        let span = (x.max_keepdim(1)? - &min)?;
        others.pause()?;
        x.broadcast_sub(&min)?.broadcast_div(&(span + 1e-3)?)
    }),
    ("softmax and more", |x, _, others| {
        let y = softmax(x, D::Minus1)?;
        others.pause()?;
        (y * 3.)?.exp()
    }),
    ("a share", |x, _, others| {
        let y = x.abs()?;
        let sum = (y.sum_keepdim(1)? + 0.5)?;
        others.pause()?;
        y.broadcast_div(&sum)
    }),
    ("log_softmax", |x, weight, others| {
        let y = log_softmax(&x.broadcast_mul(weight)?, D::Minus1)?;
        others.pause()?;
        y.neg()?.sqrt()
    }),
    ("layer norm", |x, weight, others| {
        let centred = x.broadcast_sub(&x.mean_keepdim(1)?)?;
        let variance = centred.sqr()?.mean_keepdim(1)?;
        others.pause()?;
        centred.broadcast_div(&(variance + 1e-5)?.sqrt()?)?.broadcast_mul(weight)?.broadcast_add(weight)
    }),
    ("rms norm and gate", |x, weight, others| {
        let wide = x.to_dtype(DType::F32)?;
        let mean = wide.sqr()?.mean_keepdim(1)?;
        others.pause()?;
        let y = wide.broadcast_div(&(mean + 1e-6)?.sqrt()?)?.to_dtype(x.dtype())?.broadcast_mul(weight)?;
        (y.silu()? * x)?.exp()
    }),
    ("gelu", |x, weight, others| {
        let inner = ((x + (x * x)?.mul(x)?.affine(0.044715, 0.)?)? * 0.7978845608)?;
        others.pause()?;
        ((inner.tanh()? + 1.)?.mul(x)? * 0.5)?.broadcast_mul(weight)
    }),
    ("layers of norms, products and gates", |x, weight, others| {
        let n = x.dim(1)?;
        let matrix = weight.broadcast_mul(&weight.reshape((n, 1))?)?.affine(0.03125, 0.)?;
        let mut x = x.narrow(0, 0, 1)?.contiguous()?;
        for _ in 0..3 {
            let wide = x.to_dtype(DType::F32)?;
            let mean = (wide.sqr()?.sum_keepdim(1)? / n as f64)?;
            let y =
                wide.broadcast_div(&(mean + 1e-6)?.sqrt()?)?.to_dtype(x.dtype())?.broadcast_mul(weight)?;
            let gate = y.matmul(&matrix)?.silu()?;
            others.pause()?;
            let hidden = (gate * y.matmul(&matrix.t()?)?)?;
            x = (x + hidden.matmul(&matrix)?)?;
        }
        Ok(x)
    }),
];

/// The idiom after so many other operations, with so many in its middle.
fn run(
    idiom: Idiom,
    inputs: &[Tensor; 2],
    device: &Device,
    (before, between): (usize, usize),
) -> Result<Vec<u64>> {
    let [x, weight] = inputs;
    device.synchronize()?;
    let mut others = Others { x: weight.to_dtype(DType::F32)?, between };
    device.synchronize()?;
    others.record(before)?;
    let y = idiom(x, weight, &mut others)?;
    bits(&y)
}

/// With every so many other operations, on one device: which operations are joined is the same on all, and each kernel takes a third of
/// a second to compile.
fn check(dtype: DType, device: usize, every: usize) -> Result<()> {
    let places = || {
        let counts = || (0..=MOST).step_by(every);
        counts().map(|before| (before, 0)).chain(counts().skip(1).map(|between| (2, between)))
    };
    let devices = recording();
    let device = devices.get(device).or(devices.first()).expect("a device");
    for (name, idiom) in IDIOMS {
        let n = if name.starts_with("layers") { 16 } else { 64 };
        let inputs = |device: &Device| {
            let x = values((3, n), DType::F32, device)?;
            let x = x.ne(&x)?.where_cond(&x.ones_like()?, &x)?.clamp(-4., 4.)?;
            Ok::<_, candle_core::Error>([x.to_dtype(dtype)?, x.narrow(0, 0, 1)?.to_dtype(dtype)?])
        };
        let own_inputs = inputs(device)?;
        for _ in 0..OFTEN {
            for place in places() {
                run(*idiom, &own_inputs, device, place)?;
            }
        }
        own(device).finish_compiling()?;
        for place in places() {
            let after = run(*idiom, &own_inputs, device, place)?;
            // It has no kernels yet.
            let fresh = fresh(device);
            let before = run(*idiom, &inputs(&fresh)?, &fresh, place)?;
            let wrong = before.iter().zip(&after).filter(|(before, after)| before != after).count();
            assert_eq!(wrong, 0, "{name}, {dtype:?}, {place:?}, {device:?}: of {} elements", after.len());
        }
    }
    Ok(())
}

#[test]
fn f16() -> Result<()> {
    check(DType::F16, 0, 1)
}

#[test]
fn bf16() -> Result<()> {
    check(DType::BF16, 1, 1)
}

/// Nothing of it is rounded otherwise in a kernel.
#[test]
fn f32() -> Result<()> {
    check(DType::F32, 0, 7)
}
