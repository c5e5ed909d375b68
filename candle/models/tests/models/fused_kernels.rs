//! Kernels that fusion generates for models are compiled ahead of time: they are recorded here, and found where no compiler is.

use std::collections::BTreeMap;
use std::{env, fs};

use candle_core::{DType, Device, Result};
use candle_rocm::kernels::{FUSED, is_built_in};
use candle_rocm::platform::{GFX, HOST};
use candle_rocm::{Fusion, GemmEngine, RocmDevice, fused_source};
use candle_rocm_tests::{has_sources, in_child, ordinals, platform};

use super::steps::{MODELS, Model, Width};

/// A prompt and a token, for one.
const STEPS: usize = 2;

/// Whether its steps are the same in each process: candle-nn's `VarMap` gives variables in the order of a hash map, so that a few of the
/// kernels of a step of training are others each time.
fn is_repeatable(model: &Model) -> bool {
    model.name != "training"
}

fn is_built_ahead(name: &str) -> bool {
    FUSED.source.contains(&format!(" {name}("))
}

/// Runs a model's steps on a device of its own.
fn run(ordinal: usize, model: &Model, dtype: DType, width: Width) -> Result<RocmDevice> {
    let own = RocmDevice::on(platform(), ordinal)?;
    own.set_fusion(Fusion::On);
    own.set_gemm_engine(GemmEngine::Kernels);
    let device = Device::from(own.clone());
    let mut step = (model.step)(&device, dtype, width)?;
    for _ in 0..STEPS {
        let result = step()?.flatten_all()?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
        if !result.iter().all(|x| x.is_finite()) {
            candle_core::bail!("{result:?}");
        }
    }
    Ok(own)
}

/// `cargo xtask fused-kernels --write` writes the file.
#[test]
fn are_recorded() -> Result<()> {
    if platform() != HOST || !has_sources() {
        return Ok(());
    }
    let (mut kernels, mut failures, mut outdated) = (BTreeMap::new(), Vec::new(), false);
    for ordinal in ordinals() {
        for model in &MODELS {
            for &dtype in model.dtypes {
                let before = kernels.len();
                for width in [Width::Small, Width::Wide] {
                    match run(ordinal, model, dtype, width) {
                        Ok(device) => {
                            let found = device.generated_kernels();
                            outdated |=
                                found.keys().any(|name| is_repeatable(model) && !is_built_ahead(name));
                            kernels.extend(found);
                        }
                        Err(error) => {
                            failures.push(format!("{} in {dtype:?}, {width:?}: {error}", model.name))
                        }
                    }
                }
                println!("{ordinal}: {} more kernels of {} in {dtype:?}", kernels.len() - before, model.name);
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    let source = fused_source(&kernels);
    println!("{} kernels, {} bytes", kernels.len(), source.len());
    if env::var_os("CANDLE_ROCM_WRITE_FUSED").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../rocm-kernels/hip/fusion/fused.hip");
        fs::write(file, &source)?;
    } else {
        assert!(!outdated, "fused.hip is outdated: run `cargo xtask fused-kernels --write`");
    }
    Ok(())
}

/// Those of models need no compiler where code objects are built in, as `cargo xtask build-kernels` does for a checkout.
#[test]
fn nothing_is_compiled() -> Result<()> {
    let built_in = |ordinal: &usize| {
        let device = RocmDevice::on(platform(), *ordinal).unwrap();
        is_built_in(&FUSED, &device.hip_device().target())
    };
    if platform() != GFX || !ordinals().any(|ordinal| built_in(&ordinal)) {
        return Ok(());
    }
    let name = "fused_kernels::nothing_is_compiled";
    if in_child(
        name,
        &[
            ("CANDLE_ROCM_GFX_COMGR", ""),
            ("CANDLE_ROCM_GFX_HIPRTC", "/no/such/compiler"),
            ("CANDLE_ROCM_CACHE_DIR", "/dev/null/none"),
            ("CANDLE_ROCM_FUSION", "on"),
        ],
    )
    .is_some()
    {
        return Ok(());
    }
    let mut met = 0;
    for ordinal in ordinals().filter(built_in) {
        for model in &MODELS {
            for &dtype in model.dtypes {
                let device = run(ordinal, model, dtype, Width::Small)?;
                assert!(device.compile("probe", "").is_err(), "there is a compiler");
                if is_repeatable(model) {
                    device.finish_compiling()?;
                }
                let counters = device.counters();
                let (saved, launches) = (counters.launches_saved, counters.launches);
                println!("{}, {dtype:?}: {launches} launches, {saved} operations without one", model.name);
                assert!(counters.declined.is_empty(), "{}: {:?}", model.name, counters.declined);
                let kernels = device.generated_kernels();
                assert!(saved > 0, "no operations of {} are joined", model.name);
                // Rules join all of some models.
                met += kernels.keys().filter(|name| is_built_ahead(name)).count();
                let missing = kernels.keys().find(|name| is_repeatable(model) && !is_built_ahead(name));
                assert_eq!(missing, None, "{}", model.name);
            }
        }
    }
    assert!(met > 0, "no generated kernels were met");
    Ok(())
}
