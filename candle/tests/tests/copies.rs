//! A copy on another device has what was there when it was made, whatever becomes of the tensor that it was made of.

use candle_core::{Device, Result, Tensor, Var};
use candle_rocm::platform::HOST;
use candle_rocm::{Fusion, RocmDevice};
use candle_rocm_tests::gate::{Gate, comes_to_its_end};
use candle_rocm_tests::{devices, platform};

const LEN: usize = 20_000;

fn rocm(device: &Device) -> &RocmDevice {
    device.as_rocm_device().unwrap().downcast_ref().unwrap()
}

/// Devices, and others that their tensors are copied to: another stream of the same card, and another card.
fn pairs() -> Vec<(Device, Device)> {
    let (from, to) = (devices(), devices());
    let pairs = from.iter().flat_map(|from| to.iter().map(|to| (from.clone(), to.clone())));
    let pairs: Vec<_> = pairs.collect();
    pairs
}

/// What may become of a tensor of ones, and what is in it then.
type Fate = fn(Tensor) -> Result<Option<(Tensor, f32)>>;

const FATES: [(&str, Fate); 7] = [
    ("const_set", |x| x.const_set(2f32.into()).map(|()| Some((x, 2.)))),
    ("slice_set", |x| x.slice_set(&(x.ones_like()? * 3.)?, 0, 0).map(|()| Some((x, 3.)))),
    ("scatter_set", |x| {
        let ids = Tensor::arange(0u32, LEN as u32, x.device())?;
        x.scatter_set(&ids, &(x.ones_like()? * 4.)?, 0).map(|()| Some((x, 4.)))
    }),
    ("scatter_add_set", |x| {
        let ids = Tensor::arange(0u32, LEN as u32, x.device())?;
        x.scatter_add_set(&ids, &x.ones_like()?, 0).map(|()| Some((x, 2.)))
    }),
    ("Var::set", |x| {
        let var = Var::from_tensor(&x)?;
        // The same memory, with fusion, until it is written to.
        var.const_set(1f32.into())?;
        var.set(&(x.ones_like()? * 5.)?)?;
        Ok(Some((var.into_inner(), 5.)))
    }),
    ("a joined operation that writes where it was", |x| {
        let y = ((&x * 2.)? + 1.)?;
        drop(x);
        Ok(Some((y.exp()?.log()?.round()?, 3.)))
    }),
    ("dropped, and its memory used again", |x| {
        let device = x.device().clone();
        drop(x);
        Ok(Some((Tensor::full(6f32, LEN, &device)?, 6.)))
    }),
];

#[test]
fn a_copy_has_what_was_there() -> Result<()> {
    for (from, to) in pairs() {
        for fusion in [Fusion::On, Fusion::Off] {
            rocm(&from).set_fusion(fusion);
            rocm(&to).set_fusion(fusion);
            for (name, fate) in FATES {
                // Kernels are loaded when they are first used.
                fate(Tensor::ones(LEN, candle_core::DType::F32, &from)?)?;
                let x = Tensor::ones(LEN, candle_core::DType::F32, &from)?;
                from.synchronize()?;
                // The copy has to wait for what its device is at, and nothing else does. Drivers of cards may keep other calls waiting for
                // a function of the host's, as when a kernel is loaded, so there the copy may or may not be slow.
                let gate = (platform() == HOST).then(|| Gate::on(rocm(&to).stream()));
                let copies = [x.to_device(&to)?, x.to_device(&to)?];
                let rest = fate(x)?;
                if gate.is_some() {
                    comes_to_its_end(rocm(&from).stream());
                }
                drop(gate);
                for copy in copies {
                    let wrong = copy.to_vec1::<f32>()?.iter().filter(|&&x| x != 1.).count();
                    assert_eq!(wrong, 0, "{name}, {fusion:?}, from {from:?} to {to:?}");
                }
                if let Some((x, expected)) = rest {
                    assert!(x.to_vec1::<f32>()?.iter().all(|&x| x == expected), "{name}, {fusion:?}");
                }
            }
        }
    }
    Ok(())
}

/// The memory of a variable goes on being copied while it is trained.
#[test]
fn copies_of_a_variable_are_its_values_of_the_time() -> Result<()> {
    for (from, to) in pairs() {
        for fusion in [Fusion::On, Fusion::Off] {
            rocm(&from).set_fusion(fusion);
            rocm(&to).set_fusion(fusion);
            let var = Var::zeros(200_000, candle_core::DType::F32, &from)?;
            let mut copies = Vec::new();
            for step in 1..=20 {
                match step % 3 {
                    0 => var.const_set((step as f32).into())?,
                    1 => var.set(&(var.as_tensor() + 1.)?)?,
                    _ => var.slice_set(&(var.as_tensor() + 1.)?, 0, 0)?,
                }
                copies.push((step as f32, var.to_device(&to)?));
            }
            for (step, copy) in copies {
                let wrong = copy.to_vec1::<f32>()?.iter().filter(|&&x| x != step).count();
                assert_eq!(wrong, 0, "step {step}, {fusion:?}, from {from:?} to {to:?}");
            }
        }
    }
    Ok(())
}
