//! A program that was written for CUDA, as it stands: neither it nor a library that it uses names candle-rocm, which is in it by the
//! patched candle-nn alone. This package chooses candle-rocm's feature `host`.

use std::process::Command;

use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::{VarBuilder, VarMap};

fn program() -> Result<()> {
    let device = Device::cuda_if_available(0)?;
    let dtype = if device.is_cuda() { DType::BF16 } else { DType::F32 };
    let weights = VarMap::new();
    let layer = candle_nn::linear(4, 3, VarBuilder::from_varmap(&weights, dtype, &device))?;
    let x = Tensor::ones((2, 4), dtype, &device)?;
    println!("{}", candle_nn::ops::softmax_last_dim(&layer.forward(&x)?)?);
    Ok(())
}

const CHILD: &str = "CANDLE_ROCM_TEST_CHILD";

/// The last line that the program prints, in a process of its own.
fn printed(name: &str, variables: &[(&str, &str)]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([name, "--exact", "--nocapture"]).env(CHILD, "1").envs(variables.iter().copied());
    let output = child.output().unwrap();
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "{text}");
    text.lines().find(|line| line.starts_with("Tensor[")).unwrap_or_else(|| panic!("{text}")).to_owned()
}

#[test]
fn a_program_for_cuda_runs_as_it_is() {
    if std::env::var_os(CHILD).is_some() {
        return program().unwrap();
    }
    let printed = |variables: &[_]| {
        let host = [&[("CANDLE_ROCM_PLATFORM", "host")], variables].concat();
        printed("a_program_for_cuda_runs_as_it_is", &host)
    };
    assert_eq!(printed(&[]), "Tensor[[2, 3], bf16, rocm:0]");
    assert_eq!(printed(&[("CANDLE_ROCM_AS_CUDA", "devices")]), "Tensor[[2, 3], f32, rocm:0]");
    for none in [("CANDLE_ROCM_AS_CUDA", "off"), ("CANDLE_ROCM_HOST_DEVICES", "none")] {
        assert_eq!(printed(&[none]), "Tensor[[2, 3], f32]");
    }
}
